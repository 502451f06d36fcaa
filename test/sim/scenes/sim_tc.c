/*  sim_tc - each command is one row of a table: what it looks like, and what it does. */
#include "sim_tc.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    sim_tc_t *self;
    sim_tc_device_t *device;
    const char *rest; /* of the command, behind the device */
    char **output;
    char *why;
} sim_tc_call_t;

static sim_tc_device_t *device_find (const sim_tc_t *self, const char *name)
{
    for (size_t i = 0; i < self->devices_count; i++)
        if (strcmp (self->devices [i].name, name) == 0)
            return (sim_tc_device_t *) &self->devices [i];
    return NULL;
}

void sim_tc_device (sim_tc_t *self, const char *name, const char *others)
{
    assert (self->devices_count < SIM_TC_DEVICES);
    sim_tc_device_t *device = &self->devices [self->devices_count++];
    *device = (sim_tc_device_t){.up = true};
    snprintf (device->name, sizeof device->name, "%s", name);
    snprintf (device->others, sizeof device->others, "%s", others ? others : "");
}

static bool broken (const sim_tc_call_t *call, const char *rule)
{
    call->self->why = call->self->why ? call->self->why : rule;
    return wrong (call->why, "%s", rule);
}

static bool says (const sim_tc_call_t *call, const char *why)
{
    return wrong (call->why, "RTNETLINK answers: %s", why);
}

/*  --- qdiscs --- */

static size_t queue_show (const sim_tc_class_t *class, char *text, size_t room)
{
    return (size_t) snprintf (text, room, "qdisc %s 8001: parent 6d75:%x limit %s\n", class->queue,
                              class->minor, *class->limit ? class->limit : "10240p flows 1024");
}

static bool qdisc_show (const sim_tc_call_t *call)
{
    const sim_tc_device_t *device = call->device;
    char queues [SIM_TC_CLASSES * 64] = "";
    size_t used = 0;
    for (size_t i = 0; i < device->classes_count; i++)
        if (*device->classes [i].queue)
            used += queue_show (&device->classes [i], queues + used, sizeof queues - used);
    *call->output = must_print (
      "qdisc %s root refcnt 2 r2q 10 default 0x2\n%s%s",
      device->htb       ? "htb 6d75:"
      : *device->others ? device->others
                        : "noqueue 0:",
      queues, device->ingress ? "qdisc ingress ffff: parent ffff:fff1 ---------------- \n" : "");
    return true;
}

static bool qdisc_add (const sim_tc_call_t *call)
{
    sim_tc_device_t *device = call->device;
    if (*device->others)
        return broken (call, "somebody else's discipline is touched");
    if (device->htb)
        return says (call, "File exists");
    device->htb = true;
    return true;
}

static bool qdisc_del (const sim_tc_call_t *call)
{
    sim_tc_device_t *device = call->device;
    if (*device->others)
        return broken (call, "somebody else's discipline is touched");
    if (!device->htb)
        return says (call, "No such file or directory");
    device->htb = false;
    device->classes_count = device->filters_count = 0;
    return true;
}

static bool ingress_add (const sim_tc_call_t *call)
{
    if (call->device->ingress)
        return says (call, "File exists");
    return call->device->ingress = true;
}

static bool ingress_del (const sim_tc_call_t *call)
{
    if (!call->device->ingress)
        return says (call, "Invalid argument");
    call->device->ingress = false;
    *call->device->redirect = '\0';
    return true;
}

/*  --- classes --- */

static bool class_show (const sim_tc_call_t *call)
{
    char text [SIM_TC_CLASSES * 128] = "";
    size_t used = 0;
    for (size_t i = 0; i < call->device->classes_count; i++) {
        const sim_tc_class_t *class = &call->device->classes [i];
        used += (size_t) snprintf (text + used, sizeof text - used,
                                   "class htb 6d75:%x %s prio 0 rate %uMbit ceil %uMbit burst "
                                   "1600b cburst 1600b \n",
                                   class->minor, class->minor == 1 ? "root" : "parent 6d75:1",
                                   class->rate, class->ceil);
    }
    *call->output = must_print ("%s", text);
    return true;
}

static sim_tc_class_t *class_find (sim_tc_device_t *device, unsigned minor)
{
    for (size_t i = 0; i < device->classes_count; i++)
        if (device->classes [i].minor == minor)
            return &device->classes [i];
    return NULL;
}

/*  A new one, also where there is one of another kind. */
static bool queue_replace (const sim_tc_call_t *call)
{
    unsigned minor = 0;
    char kind [16] = "", limit [16] = "";
    if (sscanf (call->rest, "parent 6d75:%x %15s limit %15s", &minor, kind, limit) < 2)
        return broken (call, "a queue that nobody understands");
    sim_tc_class_t *class = class_find (call->device, minor);
    bool fq_codel = strcmp (kind, "fq_codel") == 0;
    if (fq_codel && !call->self->fq_codel) {
        call->self->fq_codels++;
        return wrong (call->why, "Error: Specified qdisc kind is unknown.");
    }
    if (!class)
        return says (call, "No such file or directory");
    snprintf (class->queue, sizeof class->queue, "%s", kind);
    memcpy (class->limit, limit, sizeof limit);
    return true;
}

static bool class_replace (const sim_tc_call_t *call)
{
    sim_tc_device_t *device = call->device;
    sim_tc_class_t class = {0};
    const char *at = strstr (call->rest, "classid ");
    bool root = strncmp (call->rest, "parent 6d75: ", 13) == 0;
    if (!at || sscanf (at, "classid 6d75:%x htb rate %uMbit ceil %uMbit", &class.minor, &class.rate,
                       &class.ceil) != 3)
        return broken (call, "a class that nobody understands");
    if (!device->htb || (!root && !class_find (device, 1)))
        return says (call, "Invalid argument");
    sim_tc_class_t *there = class_find (device, class.minor);
    if (!there) {
        assert (device->classes_count < SIM_TC_CLASSES);
        there = &device->classes [device->classes_count++];
        *there = (sim_tc_class_t){0};
    }
    there->minor = class.minor;
    there->rate = class.rate;
    there->ceil = class.ceil;
    return true;
}

static bool class_del (const sim_tc_call_t *call)
{
    sim_tc_device_t *device = call->device;
    unsigned minor = (unsigned) strtoul (call->rest + strlen ("classid 6d75:"), NULL, 16);
    sim_tc_class_t *class = class_find (device, minor);
    if (!class)
        return says (call, "No such file or directory");
    for (size_t i = 0; i < device->filters_count; i++)
        if (device->filters [i].minor == minor)
            return says (call, "Device or resource busy");
    *class = device->classes [--device->classes_count];
    return true;
}

/*  --- filters --- */

#define FILTER_HEAD "filter protocol ip pref %u u32 chain 0 "

static bool filter_show (const sim_tc_call_t *call)
{
    char text [SIM_TC_CLASSES * 320] = "";
    size_t used = 0;
    for (size_t i = 0; i < call->device->filters_count; i++) {
        const sim_tc_filter_t *filter = &call->device->filters [i];
        used += (size_t) snprintf (
          text + used, sizeof text - used,
          FILTER_HEAD "\n" FILTER_HEAD "fh 800: ht divisor 1 \n" FILTER_HEAD
                      "fh 800::800 order 2048 key ht 800 bkt 0 *flowid "
                      "6d75:%x not_in_hw \n%s",
          filter->pref, filter->pref, filter->pref, filter->minor, filter->matches);
    }
    *call->output = must_print ("%s", text);
    return call->device->htb || says (call, "Invalid argument");
}

static bool filter_add (const sim_tc_call_t *call)
{
    sim_tc_device_t *device = call->device;
    sim_tc_filter_t filter = {.pref = 0};
    const char *leads = strstr (call->rest, "flowid 6d75:");
    size_t used = 0;
    if (!device->htb || !leads ||
        sscanf (call->rest, "parent 6d75: protocol ip pref %u u32", &filter.pref) != 1)
        return says (call, "Invalid argument");
    filter.minor = (unsigned) strtoul (leads + strlen ("flowid 6d75:"), NULL, 16);
    for (const char *at = call->rest; (at = strstr (at, "match u32 ")) && at < leads; at++) {
        unsigned value, mask, offset;
        if (sscanf (at, "match u32 %x %x at %u", &value, &mask, &offset) != 3)
            return broken (call, "a match that nobody understands");
        used += (size_t) snprintf (filter.matches + used, sizeof filter.matches - used,
                                   "  match %08x/%08x at %u\n", value, mask, offset);
    }
    assert (device->filters_count < SIM_TC_CLASSES);
    device->filters [device->filters_count++] = filter;
    return true;
}

static bool filter_del (const sim_tc_call_t *call)
{
    sim_tc_device_t *device = call->device;
    unsigned pref = (unsigned) strtoul (strstr (call->rest, "pref ") + 5, NULL, 10);
    size_t kept = 0;
    for (size_t i = 0; i < device->filters_count; i++)
        if (device->filters [i].pref != pref)
            device->filters [kept++] = device->filters [i];
    if (kept == device->filters_count)
        return says (call, "No such file or directory");
    device->filters_count = kept;
    return true;
}

static bool redirect_show (const sim_tc_call_t *call)
{
    *call->output =
      *call->device->redirect
        ? must_print ("\taction order 1: mirred (Egress Redirect to device %s) stolen\n",
                      call->device->redirect)
        : must_print ("%s", "");
    return true;
}

static bool redirect_add (const sim_tc_call_t *call)
{
    const char *to = strstr (call->rest, "redirect dev ") + strlen ("redirect dev ");
    const sim_tc_device_t *ifb = device_find (call->self, to);
    if (!call->device->ingress || !ifb)
        return says (call, "Invalid argument");
    if (!ifb->up || !ifb->htb)
        return broken (call, "what comes in is led to a device that is down or has no classes");
    snprintf (call->device->redirect, sizeof call->device->redirect, "%s", to);
    return true;
}

/*  --- devices --- */

static bool link_up (const sim_tc_call_t *call)
{
    return call->device->up = true;
}

static bool link_del (const sim_tc_call_t *call)
{
    for (size_t i = 0; i < call->self->devices_count; i++)
        if (strcmp (call->self->devices [i].redirect, call->device->name) == 0)
            return broken (call, "what comes in is led to a device that is gone");
    if (!call->device->ifb)
        return broken (call, "an interface is deleted");
    *call->device = call->self->devices [--call->self->devices_count];
    return true;
}

/*  What a command begins with up to the device's name, and goes on with behind it. */
static const struct {
    const char *before, *behind;
    bool (*act) (const sim_tc_call_t *call);
} commands [] = {
  {"tc qdisc show dev ", "", qdisc_show},
  {"tc qdisc add dev ", "root handle 6d75: htb default 2", qdisc_add},
  {"tc qdisc add dev ", "handle ffff: ingress", ingress_add},
  {"tc qdisc replace dev ", "parent 6d75:", queue_replace},
  {"tc qdisc del dev ", "root", qdisc_del},
  {"tc qdisc del dev ", "ingress", ingress_del},
  {"tc class show dev ", "", class_show},
  {"tc class replace dev ", "parent 6d75:", class_replace},
  {"tc class del dev ", "classid 6d75:", class_del},
  {"tc filter show dev ", "parent 6d75:", filter_show},
  {"tc filter show dev ", "parent ffff:", redirect_show},
  {"tc filter add dev ", "parent 6d75:", filter_add},
  {"tc filter add dev ", "parent ffff:", redirect_add},
  {"tc filter del dev ", "parent 6d75:", filter_del},
  {"ip link set dev ", "up", link_up},
  {"ip link del dev ", "", link_del},
};

static bool command_act (const sim_tc_call_t *given, const char *command, const char *name)
{
    sim_tc_call_t call = *given;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        size_t length = strlen (commands [i].before) + strlen (name);
        if (strncmp (command, commands [i].before, strlen (commands [i].before)) != 0)
            continue;
        call.rest = command [length] ? command + length + 1 : "";
        if (strncmp (call.rest, commands [i].behind, strlen (commands [i].behind)) == 0)
            return commands [i].act (&call);
    }
    return broken (&call, "a command that nobody understands");
}

static bool sim_tc_command (void *owner, const char *command, char **output, char why [WHY_BYTES])
{
    sim_tc_t *self = owner;
    char name [INTERFACE_BYTES_MAX + 1] = "", *none = NULL;
    bool changes = !strstr (command, " show ");
    const char *dev = strstr (command, " dev ");
    sim_tc_call_t call = {.self = self, .output = output ? output : &none, .why = why};
    if (changes && self->dies_after-- <= 0)
        return wrong (why, "the machine takes no more");
    self->changes += changes;
    if (sscanf (command, "ip link add name %15s type ifb", name) == 1) {
        sim_tc_device (self, name, NULL);
        self->devices [self->devices_count - 1].ifb = true;
        self->devices [self->devices_count - 1].up = false;
        return true;
    }
    if (!dev || sscanf (dev, " dev %15s", name) != 1)
        return broken (&call, "a command without a device");
    call.device = device_find (self, name);
    bool good = call.device ? command_act (&call, command, name)
                            : wrong (why, "Cannot find device \"%s\"", name);
    if (!good || !output) {
        free (*call.output);
        *call.output = NULL;
    }
    return good;
}

static bool sim_tc_fit (void *owner, const char *interface, uint32_t mbps, char why [WHY_BYTES])
{
    (void) mbps;
    return device_find (owner, interface) || wrong (why, "no interface %s", interface);
}

shaper_machine_t sim_tc_machine (sim_tc_t *self)
{
    return (shaper_machine_t){.owner = self,
                              .command = sim_tc_command,
                              .fit = sim_tc_fit,
                              .no_fq_codel = &self->no_fq_codel};
}

/*  --- checks --- */

/*  5 ms of its rate, or 192 KiB. */
static bool queue_short (const sim_tc_class_t *class)
{
    unsigned kib = class->rate * 625 / 1024;
    char limit [16];
    snprintf (limit, sizeof limit, "%uKb", kib > 192 ? kib : 192);
    return strcmp (class->queue, "fq_codel") == 0 ||
           (strcmp (class->queue, "bfifo") == 0 && strcmp (class->limit, limit) == 0);
}

bool sim_tc_clean (const sim_tc_t *self)
{
    for (size_t i = 0; i < self->devices_count; i++)
        if (self->devices [i].htb || self->devices [i].ingress || self->devices [i].ifb)
            return false;
    return true;
}

size_t sim_tc_circuits (const sim_tc_t *self, const char *name)
{
    const sim_tc_device_t *device = device_find (self, name);
    size_t count = 0;
    for (size_t i = 0; device && i < device->classes_count; i++)
        count += device->classes [i].minor >= 0x10;
    return count;
}

bool sim_tc_has (const sim_tc_t *self, const char *name, bool in, unsigned mbps)
{
    const sim_tc_device_t *device = device_find (self, name);
    if (device && in)
        device = device_find (self, device->redirect);
    for (size_t i = 0; device && i < device->classes_count; i++)
        for (size_t f = 0; f < device->filters_count; f++)
            if (device->classes [i].rate == mbps && device->classes [i].ceil == mbps &&
                device->filters [f].minor == device->classes [i].minor &&
                queue_short (&device->classes [i]))
                return true;
    return false;
}
