/*  tc - each command is a process of its own. What others change is heard of over netlink, which
 *  names the process that changed it; so also between our commands. */
#include "tc.h"

#include "command.h"
#include "must.h"
#include "name_list.h"
#include "router.h"
#include "shaper.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define CAP_NET_ADMIN_ 12
#define WATCH_MS       500   /* a process that ends waits for it */
#define CHANGES_BYTES  32768 /* more than the kernel puts into one datagram */

static int64_t command_limit_ms;
static name_list_t own_interfaces;
static int changes = -1; /* netlink: what is changed in traffic control, by whomever */
static char changed [IF_NAMESIZE] = "?"; /* the last of our devices that others did */
static uint64_t changes_count;           /* by others */
static pthread_mutex_t changes_lock = PTHREAD_MUTEX_INITIALIZER; /* also while a command runs */
static pthread_mutex_t changes_turn = PTHREAD_MUTEX_INITIALIZER; /* who waits for it is next */

void tc_settle (int64_t limit_ms, const char *interfaces)
{
    command_limit_ms = limit_ms;
    name_list_clear (&own_interfaces);
    name_list_add (&own_interfaces, interfaces, "");
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_TC};
    changes = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (changes >= 0 && bind (changes, (struct sockaddr *) &address, sizeof address) < 0)
        descriptor_close (&changes);
}

/*  --- what others have changed --- */

static void changes_hold (void)
{
    pthread_mutex_lock (&changes_turn);
    pthread_mutex_lock (&changes_lock);
    pthread_mutex_unlock (&changes_turn);
}

static void change_read (const struct nlmsghdr *message, pid_t own)
{
    struct tcmsg change;
    char name [IF_NAMESIZE];
    if ((pid_t) message->nlmsg_pid == own || message->nlmsg_type < RTM_NEWQDISC ||
        message->nlmsg_type > RTM_GETTFILTER || message->nlmsg_len < NLMSG_LENGTH (sizeof change))
        return;
    memcpy (&change, NLMSG_DATA (message), sizeof change);
    if (if_indextoname ((unsigned) change.tcm_ifindex, name) &&
        (name_list_has (&own_interfaces, name) ||
         strncmp (name, SHAPER_IFB, strlen (SHAPER_IFB)) == 0)) {
        memcpy (changed, name, sizeof changed);
        changes_count++;
    }
}

/*  All that has come, but for what that process has changed; -1 = none of ours has. What was too
 *  much for the socket may have been about us. */
static void changes_read (pid_t own)
{
    _Alignas(struct nlmsghdr) char bytes [CHANGES_BYTES];
    ssize_t size;
    while ((size = recv (changes, bytes, sizeof bytes, 0)) > 0 || (size < 0 && errno == ENOBUFS)) {
        unsigned left = size > 0 ? (unsigned) size : 0;
        changes_count += left == 0;
        for (const struct nlmsghdr *message = (const void *) bytes; NLMSG_OK (message, left);
             message = NLMSG_NEXT (message, left))
            change_read (message, own);
    }
}

/*  How many there have been; device: of the last one. */
static uint64_t changes_now (char device [IF_NAMESIZE])
{
    changes_hold ();
    changes_read (-1);
    uint64_t count = changes_count;
    memcpy (device, changed, sizeof changed);
    pthread_mutex_unlock (&changes_lock);
    return count;
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
    changes_hold ();
    bool done = command_run (arguments, NULL, command_limit_ms, output, said) == COMMAND_DONE;
    changes_read (command_process ());
    pthread_mutex_unlock (&changes_lock);
    return done || wrong (why, "%.120s: %.120s", command, said);
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

/*  --- its work --- */

/*  What others have changed since it began is not told as seen, although it may be right again. */
static bool tc_shape (const void *order, void *result, char why [WHY_BYTES])
{
    (void) why;
    static bool no_fq_codel;
    static const shaper_machine_t machine = {
      .command = tc_command, .fit = tc_fit, .no_fq_codel = &no_fq_codel};
    router_work_t *seen = result;
    char device [IF_NAMESIZE];
    uint64_t before = changes_now (device);
    shaper_run (&machine, order, seen);
    if (changes_now (device) != before)
        while (seen->shapes_count > 0)
            codec_clear (&shape_codec, &seen->shapes [--seen->shapes_count]);
    return true;
}

static bool tc_watch (const void *order, void *result, char why [WHY_BYTES])
{
    (void) order;
    static uint64_t told;
    router_work_t *seen = result;
    router_interface_t touched = {.name = ""};
    struct pollfd port = {.fd = changes, .events = POLLIN};
    if (changes < 0)
        return wrong (why, "this machine has no netlink socket for it");
    if (changes_now (touched.name) == told)
        poll (&port, 1, WATCH_MS);
    uint64_t count = changes_now (touched.name);
    if (count != told)
        seen->interfaces = must_copy (&touched, (seen->interfaces_count = 1) * sizeof touched);
    told = count;
    return true;
}

const work_kind_t tc_works [] = {
  {.kind = ROUTER_SHAPE,
   .order = &router_work_codec,
   .result = &router_work_codec,
   .carry_out = tc_shape},
  {.kind = ROUTER_WATCH,
   .order = &router_work_codec,
   .result = &router_work_codec,
   .carry_out = tc_watch},
};
const size_t tc_works_count = sizeof tc_works / sizeof *tc_works;
