/*  tc - each command is a process of its own. */
#include "tc.h"

#include "command.h"
#include "must.h"
#include "name_list.h"
#include "router.h"
#include "shaper.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#define CAP_NET_ADMIN_ 12

static int64_t command_limit_ms;
static name_list_t own_interfaces;

void tc_settle (int64_t limit_ms, const char *interfaces)
{
    command_limit_ms = limit_ms;
    name_list_clear (&own_interfaces);
    name_list_add (&own_interfaces, interfaces, "");
}

static bool tc_command (void *owner, const char *command, char **output, char why [WHY_BYTES])
{
    (void) owner;
    const char *arguments [COMMAND_ARGUMENTS_MAX + 1];
    char said [WHY_BYTES], *rest = NULL;
    text_auto_t *words = must_print ("%s", command);
    size_t count = 0;
    for (char *word = strtok_r (words, " ", &rest); word && count < COMMAND_ARGUMENTS_MAX;
         word = strtok_r (NULL, " ", &rest))
        arguments [count++] = word;
    arguments [count] = NULL;
    return command_run (arguments, NULL, command_limit_ms, output, said) == COMMAND_DONE ||
           wrong (why, "%.120s: %.120s", command, said);
}

/*  --- what can be shaped --- */

static bool has_right (void)
{
    char line [128];
    unsigned long long rights = 0;
    file_auto_t *file = fopen ("/proc/self/status", "re");
    while (file && fgets (line, sizeof line, file))
        if (sscanf (line, "CapEff: %llx", &rights) == 1)
            break;
    return rights >> CAP_NET_ADMIN_ & 1;
}

/*  Mbit/s; 0 where that is not known. */
static long interface_speed (const char *interface)
{
    char path [64];
    long mbps = 0;
    snprintf (path, sizeof path, "/sys/class/net/%s/speed", interface);
    file_auto_t *file = fopen (path, "re");
    return file && fscanf (file, "%ld", &mbps) == 1 && mbps > 0 ? mbps : 0;
}

static bool tc_fit (void *owner, const char *interface, uint32_t mbps, char why [WHY_BYTES])
{
    (void) owner;
    long speed = interface_speed (interface);
    if (!name_list_has (&own_interfaces, interface))
        return wrong (why, "interface %s is not among interfaces in the agent's settings",
                      interface);
    if (!has_right ())
        return wrong (why, "no right to change traffic control: run the agent as root, or with "
                           "CAP_NET_ADMIN");
    if (if_nametoindex (interface) == 0)
        return wrong (why, "this machine has no interface %s", interface);
    if (speed > 0 && mbps > speed)
        return wrong (why,
                      "interface %s carries %ld Mbit/s, its link is given as %u: lower mbps of the "
                      "link",
                      interface, speed, mbps);
    return true;
}

static bool tc_shape (const void *order, void *result, char why [WHY_BYTES])
{
    (void) why;
    static bool no_fq_codel;
    static const shaper_machine_t machine = {
      .command = tc_command, .fit = tc_fit, .no_fq_codel = &no_fq_codel};
    shaper_run (&machine, order, result);
    return true;
}

const work_kind_t tc_works [] = {
  {.kind = ROUTER_SHAPE,
   .order = &router_work_codec,
   .result = &router_work_codec,
   .carry_out = tc_shape},
};
const size_t tc_works_count = 1;
