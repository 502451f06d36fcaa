/*  openings_view - tells the owner of a reservation how it stands on its nodes, and what it
 *  has used.
 */
#include "access.h"
#include "codec_table.h"
#include "member.h"
#include "openings_state.h"

#include "openings.pb-c.h"

#include "timetext.h"

#include <stdio.h>
#include <string.h>

#define OTHERS_BYTES (2 * NAME_BYTES_MAX + RUN_WHY_BYTES_MAX + 64)

/*  Before it is named or bound a reservation is a number in the calendar. */
uint32_t opening_overbooked (const opening_entry_t *entry, int64_t now_ms)
{
    const openings_t *self = entry->openings;
    int64_t least = 0;
    for (size_t i = 0; i < entry->stages_count; i++) {
        const opening_stage_t *stage = &entry->stages [i];
        interval_t ahead = stage->over;
        size_t resource;
        ahead.from = ahead.from > now_ms ? ahead.from : now_ms;
        if (ahead.from >= ahead.until ||
            !free_capacity_find (self->parts.room, self->parts.site->classes [stage->class].name,
                                 &resource))
            continue;
        int64_t free = free_capacity_least (self->parts.room, resource, ahead, NULL);
        least = free < least ? free : least;
    }
    return (uint32_t) -least;
}

static uint32_t openings_view_lacking (const opening_entry_t *entry, int64_t now_ms)
{
    if (entry->kept.phase == OPENING_WAITING) {
        uint32_t overbooked = opening_overbooked (entry, now_ms);
        if (back_end_fails (entry->openings->parts.back_end, entry->reservation))
            return opening_wanted (entry, SIZE_MAX, entry->kept.from_ms);
        return overbooked > entry->unnamed ? overbooked : entry->unnamed;
    }
    return entry->degraded ? opening_short (entry, now_ms) : 0;
}

static void alternative_add (Musubi__OpeningRecord *told, const node_class_t *class, uint32_t nodes,
                             interval_t over)
{
    if (told->n_alternatives == ALTERNATIVES_MAX)
        return;
    Musubi__OpeningAlternative *to = told->alternatives [told->n_alternatives++];
    to->class_name = (char *) class->name;
    to->nodes = nodes;
    to->from_ms = over.from;
    to->until_ms = over.until;
}

/*  Tells alternatives: other classes that have room for the missing nodes until its end, and when
 *  as many of its own class are free for as long. */
static void alternatives_put (const opening_entry_t *entry, const moment_t *now, uint32_t missing,
                              Musubi__OpeningRecord *told)
{
    const openings_t *self = entry->openings;
    const free_capacity_t *room = self->parts.room;
    const site_t *site = self->parts.site;
    int64_t now_ms = present_ms (self, now);
    interval_t rest = {now_ms > entry->kept.from_ms ? now_ms : entry->kept.from_ms,
                       entry->kept.until_ms};
    for (size_t i = 0; i < site->classes_count && rest.from < rest.until; i++) {
        size_t resource;
        if (!free_capacity_find (room, site->classes [i].name, &resource))
            continue;
        uint32_t own = opening_wanted (entry, i, rest.from);
        int64_t free = free_capacity_least (room, resource, rest, NULL);
        interval_t span;
        if (own == 0 && free >= (int64_t) missing)
            alternative_add (told, &site->classes [i], (uint32_t) free, rest);
        if (own > 0 &&
            free_capacity_spans (room, now, resource, own, rest.until - rest.from,
                                 (interval_t){rest.from, free_capacity_horizon_ms (room, now)},
                                 &span, 1) == 1)
            alternative_add (told, &site->classes [i], own,
                             (interval_t){span.from, span.from + rest.until - rest.from});
    }
}

/*  Of those that it has, or lacks: one that its batch system has drained, and says why. NODES_NONE:
 *  there is none. */
static size_t openings_view_drained (const opening_entry_t *entry, bool lacks)
{
    const nodes_t *nodes = entry->openings->parts.nodes;
    const bound_t *drained = opening_drained (entry);
    for (size_t i = 0; lacks && !drained && i < nodes_count (nodes); i++) {
        site_node_t node = nodes_at (nodes, i);
        if (node.drained && *node.why &&
            opening_wanted (entry, node.class, entry->kept.from_ms) > 0)
            return i;
    }
    return drained ? drained->node : NODES_NONE;
}

/*  Of a reservation that lacks nodes: who else has one of its class then, in the batch system.
 *  False: nobody, as far as that has told. */
static bool openings_view_others (const opening_entry_t *entry, char told [OTHERS_BYTES])
{
    const nodes_t *nodes = entry->openings->parts.nodes;
    const batch_picture_t *picture = nodes_picture (nodes);
    char until [TIMETEXT_BYTES];
    interval_t over;
    for (size_t i = 0, node; picture && i < picture->bookings_count; i++) {
        const batch_booking_t *booking = &picture->bookings [i];
        bool same = booking->nodes_count > 0 && nodes_find (nodes, booking->nodes [0], &node) &&
                    opening_wanted (entry, nodes_at (nodes, node).class, entry->kept.from_ms) > 0;
        for (size_t time = 0; same && batch_booking_next (booking, &time, &over.from, &over.until);)
            if (over.from < entry->kept.until_ms && entry->kept.from_ms < over.until) {
                snprintf (told, OTHERS_BYTES, "%s has %s there until %s", booking->name,
                          booking->nodes [0], timetext_format (over.until, until));
                return true;
            }
    }
    return false;
}

packed_t opening_told (void *owner, const moment_t *now, const char *reservation, bool whole)
{
    const openings_t *self = owner;
    const opening_entry_t *entry = opening_find (self, reservation);
    if (!entry)
        return (packed_t){0};
    char trouble [OTHERS_BYTES];
    ARENA (arena);
    const service_t *service = self->parts.service;
    opening_t view = opening_view (entry, present_ms (self, now));
    stored_use_t use = opening_use_now (entry, now);
    uint32_t missing = openings_view_lacking (entry, present_ms (self, now));
    Musubi__OpeningRecord told = MUSUBI__OPENING_RECORD__INIT;
    told.phase = (Musubi__OpeningPhase) view.phase;
    told.wanted = view.wanted;
    told.bound = (uint32_t) view.nodes_count;
    told.degraded = missing > 0 || entry->degraded;
    told.lent = view.lent;
    told.given_back = view.given_back;
    told.counted = (Musubi__UseCounted) use.counted;
    told.cpu_ms = use.counted == USE_ACCOUNTED ? use.counted_cpu_ms : cpu_usage_used (&use.spent);
    told.offered_ms = cpu_usage_offered (&use.spent);
    told.trouble = (char *) back_end_trouble (self->parts.back_end, reservation);
    told.alternatives =
      codec_messages (&musubi__opening_alternative__descriptor, ALTERNATIVES_MAX, &arena);
    if (whole && missing > 0)
        alternatives_put (entry, now, missing, &told);
    const char *silent = nodes_batch_silent (self->parts.nodes);
    told.disconnected =
      silent || (directory_of (service) && !directory_hears (directory_of (service)));
    if (silent && !back_end_fails (self->parts.back_end, reservation))
        told.trouble = (char *) silent;
    for (size_t i = 0; !silent && i < view.nodes_count; i++) { /* long before it is lost */
        site_node_t node = nodes_at (self->parts.nodes, view.nodes [i]);
        if (node.state != AGENT_SILENT)
            continue;
        snprintf (trouble, sizeof trouble, "node %s is silent", node.name);
        told.trouble = trouble;
        told.degraded = true;
        told.bound--;
    }
    size_t drained = openings_view_drained (entry, missing > 0);
    if (drained != NODES_NONE && !*told.trouble) {
        site_node_t node = nodes_at (self->parts.nodes, drained);
        snprintf (trouble, sizeof trouble, "node %s is drained: %s", node.name, node.why);
        told.trouble = trouble;
    }
    if (missing > 0 && !*told.trouble && openings_view_others (entry, trouble))
        told.trouble = trouble;
    if (!*told.trouble)
        told.trouble = (char *) opening_unfit (entry);
    told.absent = nodes_batch (self->parts.nodes) != NODES_NONE && !entry->there &&
                  view.phase < OPENING_CLOSING;
    told.ready = view.phase > OPENING_WAITING && view.phase < OPENING_CLOSING &&
                 view.nodes_count >= view.wanted && !*told.trouble && opening_clear (entry);
    return packed_of (&told.base);
}

void openings_on_use (void *owner, const moment_t *now, const request_t *request, void *body)
{
    openings_t *self = owner;
    service_t *service = self->parts.service;
    const reservation_use_question_t *asked = body;
    const opening_entry_t *entry = opening_find (self, asked->reservation);
    if (!entry || !entry->use) {
        service_refuse (service, request, CALL_NOT_FOUND, "%s has not opened a reservation %s",
                        service->name, asked->reservation);
        return;
    }
    if (!may (self->parts.access, VERB_SHOW, request->actor, request->actor, entry->kept.owner)) {
        service_refuse (service, request, CALL_DENIED, "%.63s may not see reservation %s",
                        request->actor, asked->reservation);
        return;
    }
    reservation_use_told_t told = {0};
    memcpy (told.reservation, asked->reservation, sizeof told.reservation);
    size_t most = asked->most > 0 && asked->most < CPU_USAGE_STEPS ? asked->most : CPU_USAGE_STEPS;
    stored_use_t use = opening_use_now (entry, now);
    told.count = cpu_usage_steps (&use.spent, use.until_ms, told.steps, most);
    for (size_t i = 0; i < told.count; i++) {
        told.cpu_ms += told.steps [i].cpu_ms;
        told.offered_ms += told.steps [i].offered_ms;
    }
    service_reply (service, request, codec_encode (&reservation_use_told_codec, &told));
}
