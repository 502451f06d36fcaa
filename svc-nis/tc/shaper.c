/*  shaper - for each interface two devices: itself for what goes out, and an ifb for what comes in.
 *
 *  A class for all traffic has what the link carries; below it each circuit has a class with its
 *  own rate as rate and ceil, and all others share one that is guaranteed the rest and may borrow
 *  what circuits leave. Class and pref of a circuit come from its name, so that they are found
 *  again. Its queue is short: whoever fills a circuit would else wait behind all that the default
 *  takes.
 */
#include "shaper.h"

#include "must.h"
#include "shaper_seen.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define MINOR_ALL      1
#define MINOR_OTHERS   2
#define MINOR_FIRST    0x10   /* of circuits, */
#define MINORS         0x7000 /* so many of them */
#define PREF_WIDE      0x8000 /* filters without port and mark come after those with */
#define FRAME_BYTES    1600
#define QUEUE_COMMAND  "tc qdisc replace dev %s parent " SHAPER_HANDLE "%x "
#define BURST_MS       10    /* that a class may send at once: a busy machine comes to it late */
#define RATE_TOLERATED 0.001 /* tc shows large rates rounded */

/*  A direction of a circuit with its class. */
typedef struct {
    const shape_t *shape;
    uint32_t minor;
} circuit_class_t;

typedef struct {
    const shaper_machine_t *machine;
    const router_interface_t *interface;
    char device [INTERFACE_BYTES_MAX + 1];
    char ifb [INTERFACE_BYTES_MAX + 1];
    circuit_class_t *list;
    size_t count;
    seen_device_t seen;
    bool *changed; /* since it was looked at */
    char *why;
} device_t;

static uint32_t text_hash (uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t) *text) * 16777619;
    return hash;
}

/*  --- commands --- */

__attribute__ ((format (printf, 3, 4))) static bool device_shows (const device_t *self,
                                                                  char **output, const char *format,
                                                                  ...)
{
    char command [512];
    format_rest (command, sizeof command, format);
    *self->changed |= !output;
    return self->machine->command (self->machine->owner, command, output, self->why);
}

#define device_does(self, ...) device_shows (self, NULL, __VA_ARGS__)

/*  False with why when it can't be told how the device is; an ifb may be missing. */
static bool device_look (device_t *self)
{
    bool ifb = strcmp (self->device, self->ifb) == 0;
    text_auto_t *qdiscs = NULL, *classes = NULL, *filters = NULL;
    seen_clear (&self->seen);
    if (!device_shows (self, &qdiscs, "tc qdisc show dev %s", self->device)) {
        bool missing = ifb && strstr (self->why, "Cannot find device");
        if (missing)
            *self->why = '\0';
        return missing;
    }
    seen_qdiscs (&self->seen, qdiscs);
    if (!self->seen.own)
        return true;
    if (!device_shows (self, &classes, "tc class show dev %s", self->device) ||
        !device_shows (self, &filters, "tc filter show dev %s parent " SHAPER_HANDLE, self->device))
        return false;
    seen_classes (&self->seen, classes);
    seen_filters (&self->seen, filters);
    return true;
}

/*  --- filters --- */

static void match_add (seen_filter_t *filter, uint32_t value, uint32_t mask, unsigned offset)
{
    if (mask != 0)
        filter->matches [filter->count++] = (filter_match_t){value, mask, offset};
}

static size_t filters_wanted (const shape_t *shape)
{
    return shape->from_count * shape->to_count * (shape->port > 0 ? 2 : 1);
}

/*  One for each pair of prefixes; with a port, first for packets from it, then for those to it. */
static seen_filter_t filter_wanted (const circuit_class_t *circuit, size_t at)
{
    const shape_t *shape = circuit->shape;
    size_t pairs = shape->from_count * shape->to_count;
    assert (pairs > 0); /* as a shape is taken */
    const prefix_t *from = &shape->from [at % pairs / shape->to_count];
    const prefix_t *to = &shape->to [at % pairs % shape->to_count];
    bool narrow = shape->port > 0 || shape->dscp > 0, to_port = at >= pairs;
    seen_filter_t filter = {.pref = circuit->minor + (narrow ? 0 : PREF_WIDE),
                            .minor = circuit->minor};
    match_add (&filter, from->address, prefix_mask (from), 12);
    match_add (&filter, to->address, prefix_mask (to), 16);
    match_add (&filter, shape->dscp << 18, shape->dscp > 0 ? 0x00fc0000 : 0, 0);
    if (shape->port > 0)
        match_add (&filter, shape->port << (to_port ? 0 : 16), to_port ? 0xffff : 0xffff0000, 20);
    return filter;
}

/*  Are the filters of this pref just those that are wanted, in any order? */
static bool filters_right (const device_t *self, const circuit_class_t *circuit)
{
    size_t wanted = filters_wanted (circuit->shape), seen = 0, right = 0;
    uint32_t pref = filter_wanted (circuit, 0).pref;
    for (size_t s = 0; s < self->seen.filters_count; s++) {
        if (self->seen.filters [s].pref != pref)
            continue;
        seen++;
        for (size_t w = 0; w < wanted; w++) {
            seen_filter_t filter = filter_wanted (circuit, w);
            right += memcmp (&self->seen.filters [s], &filter, sizeof filter) == 0;
        }
    }
    return seen == wanted && right == wanted;
}

static bool filter_make (const device_t *self, const seen_filter_t *filter)
{
    char matches [FILTER_MATCHES_MAX * 48] = "match u32 0 0 at 0 ";
    size_t used = 0;
    for (size_t i = 0; i < filter->count; i++)
        used += (size_t) snprintf (matches + used, sizeof matches - used,
                                   "match u32 0x%08x 0x%08x at %u ", filter->matches [i].value,
                                   filter->matches [i].mask, filter->matches [i].offset);
    return device_does (self,
                        "tc filter add dev %s parent " SHAPER_HANDLE
                        " protocol ip pref %u u32 %sflowid " SHAPER_HANDLE "%x",
                        self->device, filter->pref, matches, filter->minor);
}

static bool filters_make (const device_t *self, const circuit_class_t *circuit)
{
    bool good = true;
    for (size_t i = 0; i < filters_wanted (circuit->shape) && good; i++) {
        seen_filter_t filter = filter_wanted (circuit, i);
        good = filter_make (self, &filter);
    }
    return good;
}

static const circuit_class_t *circuit_of (const device_t *self, uint32_t minor)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->list [i].minor == minor)
            return &self->list [i];
    return NULL;
}

/*  Ends filters that lead nowhere, or are not all that they should be; each pref once. */
static bool filters_end (const device_t *self)
{
    uint32_t ended = 0;
    for (size_t i = 0; i < self->seen.filters_count; i++) {
        const seen_filter_t *filter = &self->seen.filters [i];
        const circuit_class_t *circuit = circuit_of (self, filter->minor);
        bool right = circuit && filter->pref == filter_wanted (circuit, 0).pref &&
                     filters_right (self, circuit);
        if (right || filter->pref == ended)
            continue;
        ended = filter->pref;
        if (!device_does (self, "tc filter del dev %s parent " SHAPER_HANDLE " pref %u",
                          self->device, ended))
            return false;
    }
    return true;
}

/*  --- classes --- */

static bool near (double seen, double wanted)
{
    return seen > wanted * (1 - RATE_TOLERATED) && seen < wanted * (1 + RATE_TOLERATED);
}

static bool class_right (const device_t *self, uint32_t minor, uint32_t rate, uint32_t ceil)
{
    const seen_class_t *seen = seen_class (&self->seen, minor);
    return seen && near (seen->rate, rate * 1e6) && near (seen->ceil, ceil * 1e6);
}

static bool class_make (const device_t *self, uint32_t minor, uint32_t rate, uint32_t ceil)
{
    unsigned long burst = (unsigned long) ceil * 1000 / 8 * BURST_MS + FRAME_BYTES;
    return class_right (self, minor, rate, ceil) ||
           device_does (self,
                        "tc class replace dev %s parent " SHAPER_HANDLE "%s classid " SHAPER_HANDLE
                        "%x htb rate %uMbit ceil %uMbit burst %lu cburst %lu quantum 1514",
                        self->device, minor == MINOR_ALL ? "" : "1", minor, rate, ceil, burst,
                        burst);
}

/*  "192Kb" for a bfifo, as tc takes and shows it. */
static void queue_limit (const circuit_class_t *circuit, char text [32])
{
    uint64_t kib = shape_queue_kib (circuit->shape->mbps);
    snprintf (text, 32, kib % 1024 ? "%uKb" : "%uMb", (unsigned) (kib % 1024 ? kib : kib / 1024));
}

/*  The kind of its queue, which stands first in its line; NULL when that is not as it should be. */
static const char *queue_seen (const device_t *self, const circuit_class_t *circuit)
{
    char below [64], limit [32];
    queue_limit (circuit, limit);
    snprintf (below, sizeof below, " parent " SHAPER_HANDLE "%x limit ", circuit->minor);
    const char *all = self->seen.qdiscs, *found = all ? strstr (all, below) : NULL, *line = found;
    while (line && line > all && line [-1] != '\n')
        line--;
    if (line && strncmp (line, "qdisc fq_codel ", 15) == 0)
        return "fq_codel";
    return line && strncmp (line, "qdisc bfifo ", 12) == 0 &&
               strncmp (found + strlen (below), limit, strlen (limit)) == 0
             ? "bfifo"
             : NULL;
}

/*  Of the two the better one that the machine has. */
static bool queue_make (const device_t *self, const circuit_class_t *circuit)
{
    bool *no_fq_codel = self->machine->no_fq_codel;
    char limit [32];
    queue_limit (circuit, limit);
    if (queue_seen (self, circuit))
        return true;
    if (!*no_fq_codel && device_does (self, QUEUE_COMMAND "fq_codel", self->device, circuit->minor))
        return true;
    if (!device_does (self, QUEUE_COMMAND "bfifo limit %s", self->device, circuit->minor, limit))
        return false;
    *no_fq_codel = true;
    *self->why = '\0';
    return true;
}

static bool classes_end (const device_t *self)
{
    for (size_t i = 0; i < self->seen.classes_count; i++) {
        uint32_t minor = self->seen.classes [i].minor;
        if (minor >= MINOR_FIRST && !circuit_of (self, minor) &&
            !device_does (self, "tc class del dev %s classid " SHAPER_HANDLE "%x", self->device,
                          minor))
            return false;
    }
    return true;
}

static bool circuit_make (const device_t *self, const circuit_class_t *circuit)
{
    uint32_t mbps = circuit->shape->mbps;
    return class_make (self, circuit->minor, mbps, mbps) && queue_make (self, circuit) &&
           (filters_right (self, circuit) || filters_make (self, circuit));
}

static bool circuits_make (const device_t *self)
{
    uint32_t most = self->interface->mbps, rest = most;
    for (size_t i = 0; i < self->count; i++)
        rest -= self->list [i].shape->mbps < rest ? self->list [i].shape->mbps : rest - 1;
    bool good =
      class_make (self, MINOR_ALL, most, most) && class_make (self, MINOR_OTHERS, rest, most);
    for (size_t i = 0; i < self->count && good; i++)
        good = circuit_make (self, &self->list [i]);
    return good;
}

/*  --- devices --- */

/*  Makes the device's own discipline equal to what is wanted of it; with nothing it has none. */
static bool device_make (const device_t *self)
{
    if (*self->seen.others)
        return wrong (self->why,
                      "interface %s has a queueing discipline that is not ours (%s); nothing is "
                      "shaped there before it is removed: tc qdisc del dev %s root",
                      self->device, self->seen.others, self->device);
    if (self->count == 0)
        return !self->seen.own || device_does (self, "tc qdisc del dev %s root", self->device);
    return (self->seen.own ||
            device_does (self, "tc qdisc add dev %s root handle " SHAPER_HANDLE " htb default %u",
                         self->device, MINOR_OTHERS)) &&
           filters_end (self) && classes_end (self) && circuits_make (self);
}

static bool is_redirected (const device_t *self)
{
    text_auto_t *output = NULL;
    char redirect [64];
    snprintf (redirect, sizeof redirect, "Redirect to device %s)", self->ifb);
    return device_shows (self, &output,
                         "tc filter show dev %s parent ffff:", self->interface->name) &&
           strstr (output, redirect);
}

/*  Leads what comes in to the ifb, which has its classes by now. */
static bool ingress_make (const device_t *self, bool ingress)
{
    const char *name = self->interface->name;
    return (ingress && is_redirected (self)) ||
           (device_does (self, "ip link set dev %s up", self->ifb) &&
            (ingress || device_does (self, "tc qdisc add dev %s handle ffff: ingress", name)) &&
            device_does (self,
                         "tc filter add dev %s parent ffff: protocol ip pref %u u32 match u32 0 0 "
                         "at 0 action mirred egress redirect dev %s",
                         name, SHAPER_REDIRECT, self->ifb));
}

/*  The ifb is made before the ingress discipline and ended after it: an ingress discipline without
 *  our ifb is somebody else's. */
static bool inward_make (device_t *self, bool ingress)
{
    const char *name = self->interface->name;
    bool there = self->seen.there;
    if (self->count == 0)
        return !there || ((!ingress || device_does (self, "tc qdisc del dev %s ingress", name)) &&
                          device_does (self, "ip link del dev %s", self->ifb));
    if (ingress && !there)
        return wrong (self->why,
                      "interface %s has an ingress discipline that is not ours; nothing that "
                      "comes in is shaped before it is removed: tc qdisc del dev %s ingress",
                      name, name);
    return (there || device_does (self, "ip link add name %s type ifb", self->ifb)) &&
           (there || device_look (self)) && device_make (self) && ingress_make (self, ingress);
}

/*  --- what is wanted --- */

static void device_begin (device_t *self, const router_work_t *order, bool inward)
{
    const char *name = self->interface->name;
    snprintf (self->ifb, sizeof self->ifb, SHAPER_IFB "%08x", text_hash (2166136261, name));
    snprintf (self->device, sizeof self->device, "%s", inward ? self->ifb : name);
    self->list = must (calloc (order->shapes_count + 1, sizeof *self->list));
    for (size_t i = 0; i < order->shapes_count; i++) {
        const shape_t *shape = &order->shapes [i];
        if (shape->inward != inward || strcmp (shape->interface, name) != 0)
            continue;
        uint32_t hash =
          text_hash (text_hash (2166136261 + shape->hop, shape->reservation), shape->need);
        while (circuit_of (self, MINOR_FIRST + hash % MINORS))
            hash++;
        self->list [self->count++] = (circuit_class_t){shape, MINOR_FIRST + hash % MINORS};
    }
}

static void device_end (device_t *self)
{
    seen_clear (&self->seen);
    free (self->list);
}

/*  Adds to *seen what is there as it is wanted; true when that is all of it. */
static bool device_tell (const device_t *self, router_interface_t *interface, router_work_t *seen)
{
    bool all = true;
    for (size_t i = 0; i < self->count; i++) {
        const circuit_class_t *circuit = &self->list [i];
        uint32_t mbps = circuit->shape->mbps;
        const char *queue = queue_seen (self, circuit);
        bool right =
          queue && class_right (self, circuit->minor, mbps, mbps) && filters_right (self, circuit);
        all &= right;
        if (!right)
            continue;
        snprintf (interface->queue, sizeof interface->queue, "%s", queue);
        codec_copy (&shape_codec, &seen->shapes [seen->shapes_count++], circuit->shape);
    }
    return all;
}

static void interface_run (const shaper_machine_t *machine, const router_work_t *order,
                           router_interface_t *interface, router_work_t *seen)
{
    bool changed = false;
    device_t out = {
      .machine = machine, .interface = interface, .changed = &changed, .why = interface->trouble};
    device_t in = out;
    device_begin (&out, order, false);
    device_begin (&in, order, true);
    bool good =
      machine->fit (machine->owner, interface->name, interface->mbps, interface->trouble) &&
      device_look (&out) && device_look (&in) && device_make (&out) &&
      inward_make (&in, out.seen.ingress) &&
      (!changed || (device_look (&out) && device_look (&in)));
    if (good && (in.count == 0 || is_redirected (&in))) {
        good = device_tell (&out, interface, seen);
        good = device_tell (&in, interface, seen) && good;
    }
    if (!good && !*interface->trouble)
        wrong (interface->trouble,
               "interface %s does not have what was made there; somebody else "
               "changes it",
               interface->name);
    device_end (&out);
    device_end (&in);
}

void shaper_run (const shaper_machine_t *machine, const router_work_t *order, router_work_t *seen)
{
    *seen = (router_work_t){
      .interfaces = must (calloc (order->interfaces_count + 1, sizeof *seen->interfaces)),
      .interfaces_count = order->interfaces_count,
      .shapes = must (calloc (order->shapes_count + 1, sizeof *seen->shapes))};
    for (size_t i = 0; i < order->interfaces_count; i++) {
        seen->interfaces [i] = order->interfaces [i];
        *seen->interfaces [i].trouble = *seen->interfaces [i].queue = '\0';
        interface_run (machine, order, &seen->interfaces [i], seen);
    }
}
