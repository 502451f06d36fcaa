/*  openings - keeps an entry for each reservation that has bookings here, or was opened here.
 *  Events only set when an entry has its turn; openings_turns does what is due at the turn.
 */
#include "openings.h"

#include "member.h"
#include "must.h"
#include "openings_state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOSED_MS 15000 /* after a removal: by then a batch system has stored it, or died */
#define KNOWN_MS  500   /* how often it is looked whether a lost store has been made up for */

static const char *const phase_words [OPENING_PHASES] = {"waiting", "binding",  "open", "warned",
                                                         "closing", "cleaning", "over"};

/*  By time; a change of its window may put it back. */
static const state_step_t phase_steps [] = {
  {STATES (OPENING_WARNED), OPENING_WAITING, .when = "a change has put off its start"},
  {STATES (OPENING_WARNED), OPENING_BINDING, .when = "`opening/bind` before its start"},
  {STATES (OPENING_WARNED), OPENING_OPEN, .when = "at its start, or its end is put off"},
  {STATES (OPENING_WARNED), OPENING_WARNED, .when = "`opening/warning` before its end"},
  {STATES (OPENING_WARNED), OPENING_CLOSING, .when = "at its end: its runs end"},
  {STATE (OPENING_CLOSING), OPENING_CLEANING, .when = "no runs are left: the cleaning gap"},
  {STATE (OPENING_CLEANING) | STATES (OPENING_WARNED), OPENING_OVER,
   .when = "all nodes are clean, or its end has come and there is nothing to close"},
};
const state_table_t opening_states = {
  .name = "opening", .states = phase_words, STATE_STEPS (phase_steps)};

static int openings_by_turn (const void *key, const void *thing)
{
    const opening_entry_t *a = key, *b = thing;
    if (a->turn_ms != b->turn_ms)
        return a->turn_ms < b->turn_ms ? -1 : 1;
    return strcmp (a->reservation, b->reservation);
}

/*  --- entries --- */

opening_entry_t *opening_find (const openings_t *self, const char *reservation)
{
    return ordered_find (self->by_reservation, reservation);
}

opening_entry_t *opening_new (openings_t *self, const char *reservation, const char *owner)
{
    opening_entry_t *entry = must (calloc (1, sizeof *entry));
    entry->openings = self;
    snprintf (entry->reservation, sizeof entry->reservation, "%s", reservation);
    snprintf (entry->kept.owner, sizeof entry->kept.owner, "%s", owner);
    entry->turn_ms = INT64_MAX;
    entry->step = BACK_END_STEPS;
    ordered_add (self->by_reservation, entry->reservation, entry);
    return entry;
}

void opening_free (opening_entry_t *entry)
{
    openings_t *self = entry->openings;
    opening_unbind_all (entry);
    opening_turn (entry, INT64_MAX);
    ordered_remove (self->active, entry->reservation);
    ordered_remove (self->by_reservation, entry->reservation);
    free (entry->stages);
    free (entry->kept.nodes);
    free (entry->kept.named);
    free (entry->nodes);
    free (entry->use);
    free (entry);
}

void opening_phase (opening_entry_t *entry, opening_phase_t phase)
{
    openings_t *self = entry->openings;
    if (opening_is_active (phase) && !ordered_find (self->active, entry->reservation))
        ordered_add (self->active, entry->reservation, entry);
    if (!opening_is_active (phase))
        ordered_remove (self->active, entry->reservation);
    STATE_MOVE (&opening_states, entry->kept.phase, phase);
}

/*  --- what is booked --- */

static void stages_clear (opening_entry_t *entry)
{
    free (entry->stages);
    entry->stages = NULL;
    entry->stages_count = 0;
}

/*  Takes the stages of a reservation from what it has booked now. */
static void opening_booked (opening_entry_t *entry, bytes_t part)
{
    const site_t *site = entry->openings->parts.site;
    compute_booking_t *bookings = NULL;
    size_t count = 0;
    char why [WHY_BYTES];
    stages_clear (entry);
    if (part.size == 0 || !compute_part_decode (part, &bookings, &count, why))
        return;
    entry->stages = must (calloc (count + 1, sizeof *entry->stages));
    for (size_t i = 0; i < count; i++) {
        const compute_booking_t *booking = &bookings [i];
        const node_class_t *class = site_class (site, booking->class_name);
        opening_stage_t *stage = &entry->stages [entry->stages_count];
        *stage =
          (opening_stage_t){.over = {booking->from_ms, booking->until_ms}, .nodes = booking->nodes};
        bool first = entry->stages_count == 0;
        if (!class || booking->from_ms >= booking->until_ms)
            continue; /* a class that is no longer configured has no nodes */
        stage->class = (size_t) (class - site->classes);
        entry->stages_count++;
        if (first || stage->over.from < entry->kept.from_ms)
            entry->kept.from_ms = stage->over.from;
        if (first || stage->over.until > entry->kept.until_ms)
            entry->kept.until_ms = stage->over.until;
    }
    free (bookings);
    for (size_t i = 0; i < entry->kept.nodes_count; i++)
        if (entry->kept.nodes [i].state == BOUND_LEAVING)
            entry->kept.nodes [i].state = BOUND_HELD; /* whether it has to leave is judged anew */
}

opening_t opening_view (const opening_entry_t *entry, int64_t at_ms)
{
    size_t kept = 0;
    for (size_t i = 0; i < entry->kept.nodes_count; i++)
        if (bound_kept (&entry->kept.nodes [i]))
            entry->nodes [kept++] = entry->kept.nodes [i].node;
    at_ms = at_ms > entry->kept.from_ms ? at_ms : entry->kept.from_ms;
    return (opening_t){.reservation = entry->reservation,
                       .owner = entry->kept.owner,
                       .phase = entry->kept.phase,
                       .from_ms = entry->kept.from_ms,
                       .until_ms = entry->kept.until_ms,
                       .wanted = opening_wanted (entry, SIZE_MAX, at_ms),
                       .nodes = entry->nodes,
                       .nodes_count = kept,
                       .lent = entry->kept.lent,
                       .given_back = entry->kept.given_back,
                       .used_ms = entry->use ? cpu_usage_used (&entry->use->spent) : 0,
                       .prepared = opening_prepared (entry)};
}

/*  --- what the participant tells --- */

static void opening_left (opening_entry_t *entry, int64_t now_ms)
{
    stages_clear (entry);
    if (entry->kept.phase < OPENING_CLOSING && now_ms < entry->kept.until_ms)
        entry->kept.until_ms = now_ms;
}

/*  A change may put an opening back: when its end is later now, or, before it was opened, its
 *  start. */
static void opening_put_back (opening_entry_t *entry, int64_t now_ms)
{
    opening_phase_t due = opening_phase_at (entry, now_ms);
    if (entry->kept.phase < OPENING_CLOSING && due < entry->kept.phase)
        opening_phase (entry, entry->use && due < OPENING_OPEN ? OPENING_OPEN : due);
}

static void openings_on_changed (void *owner, const moment_t *now, const char *reservation)
{
    openings_t *self = owner;
    int64_t now_ms = present_ms (self, now);
    reservation_view_t view;
    opening_entry_t *entry = opening_find (self, reservation);
    if (!participant_find (self->participant, reservation, &view) || !view.current) {
        if (!entry)
            return;
        opening_left (entry, now_ms);
    } else {
        if (!entry)
            entry = opening_new (self, view.id, view.owner);
        opening_booked (entry, view.part);
        opening_put_back (entry, now_ms);
    }
    opening_soon (entry, now);
    openings_names_soon (self, now);
}

static void openings_on_forgotten (void *owner, const char *reservation)
{
    opening_entry_t *entry = opening_find (owner, reservation);
    if (entry)
        opening_end (entry);
}

const char *openings_unfit (void *owner, const char *actor)
{
    const openings_parts_t *parts = &((const openings_t *) owner)->parts;
    const account_t *who = parts->account ? parts->account (parts->account_owner, actor) : NULL;
    return who ? who->unfit : "";
}

static const char *openings_unknown (void *owner)
{
    const nodes_t *nodes = ((const openings_t *) owner)->parts.nodes;
    return nodes_batch_unseen (nodes) ? "the batch system has never been looked at" : "";
}

void openings_accounts_moved (openings_t *self, const moment_t *now)
{
    for (opening_entry_t *entry = NULL; (entry = ordered_next (self->by_reservation, entry));)
        opening_soon (entry, now);
}

void openings_usage (openings_t *self, usage_t *usage)
{
    *usage = (usage_t){.owner = self,
                       .changed = openings_on_changed,
                       .forgotten = openings_on_forgotten,
                       .opening = opening_told,
                       .unfit = openings_unfit,
                       .unknown = openings_unknown};
}

/*  --- what the nodes tell, and the back end --- */

/*  A node may have become free: openings that lack one are looked at. */
static void look_for_those_that_lack (openings_t *self, const moment_t *now)
{
    for (opening_entry_t *entry = NULL; (entry = ordered_next (self->active, entry));)
        if (entry->lacks)
            opening_soon (entry, now);
}

static void openings_on_node_moved (void *owner, const moment_t *now, size_t node)
{
    openings_t *self = owner;
    if (self->holders [node])
        opening_soon (self->holders [node], now);
    look_for_those_that_lack (self, now);
    openings_names_soon (self, now);
}

static void run_is_over (openings_t *self, const moment_t *now, const run_t *run,
                         opening_entry_t *holder)
{
    opening_entry_t *own = *run->reservation ? opening_find (self, run->reservation) : NULL;
    if (own && own->use)
        opening_run_over (own, now, run);
    size_t node;
    bool drained = nodes_find (self->parts.nodes, run->node, &node) &&
                   nodes_at (self->parts.nodes, node).drained;
    if (holder && (drained || !opening_is_open (holder->kept.phase) || opening_closes (holder)))
        opening_soon (holder, now);
    if (!holder)
        look_for_those_that_lack (self, now);
}

static void on_run_moved (void *owner, const moment_t *now, const run_t *run)
{
    openings_t *self = owner;
    size_t node;
    if (!nodes_find (self->parts.nodes, run->node, &node))
        return;
    opening_entry_t *holder = self->holders [node];
    if (run_over (run->state)) {
        run_is_over (self, now, run, holder);
        return;
    }
    if (*run->reservation)
        openings_wanted (self, now, run->reservation);
    if (holder)
        opening_enforce_new (holder, now, node);
}

/*  After a start, and a removal. */
static void reconcile (openings_t *self)
{
    size_t count = 0;
    back_end_order_t *orders =
      must (calloc (ordered_count (self->by_reservation) + 1, sizeof *orders));
    for (const opening_entry_t *entry = NULL; (entry = ordered_next (self->by_reservation, entry));)
        if (opening_is_active (entry->kept.phase) || entry->kept.told)
            orders [count++] = opening_order (entry, true);
    back_end_reconcile (self->parts.back_end, orders, count);
    for (size_t i = 0; i < count; i++)
        free ((void *) orders [i].nodes);
    free (orders);
}

static timer_fn on_reconcile_again;

/*  As long as a store that was lost is made up for (T14), nobody knows which reservations there
 *  are. */
static void reconcile_when_known (openings_t *self, const moment_t *now)
{
    const restore_guard_t *guard = restore_guard_of (self->parts.service);
    if (!back_end_acts (self->parts.back_end, BACK_END_RECONCILE))
        return;
    if (restore_guard_state (guard) == RESTORE_GUARD_GOOD && !*restore_guard_text (guard))
        reconcile (self);
    else if (self->reconcile_timer == 0)
        self->reconcile_timer = timers_set (self->parts.service->timers, now->mono_ms + KNOWN_MS,
                                            on_reconcile_again, self, 0);
}

/*  A batch system that dies before it has stored a removal has the reservation again. */
static void on_reconcile_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    openings_t *self = owner;
    self->reconcile_timer = 0;
    reconcile_when_known (self, now);
}

/*  What is not as it was told is told again; all others that wait are there. */
static void on_look_told (openings_t *self, const moment_t *now, opening_entry_t *entry,
                          const char *why)
{
    if (entry && why && entry->step == BACK_END_NAME) {
        outbox_log (self->parts.service->outbox, LEVEL_WARNING, "opening %s is told again: %s",
                    entry->reservation, why);
        entry->step = BACK_END_STEPS;
        entry->there = false;
        opening_soon (entry, now);
    }
    for (entry = NULL; !why && (entry = ordered_next (self->by_reservation, entry));) {
        bool there = entry->step == BACK_END_NAME &&
                     !*back_end_trouble (self->parts.back_end, entry->reservation);
        if (there && !entry->there)
            change_notice_tell (&self->notice);
        entry->there = entry->there || there;
    }
}

static void on_back_end_told (void *owner, const moment_t *now, const char *reservation,
                              back_end_step_t step, const char *why, bytes_t result)
{
    openings_t *self = owner;
    opening_entry_t *entry = opening_find (self, reservation);
    if (step == BACK_END_LOOK) {
        on_look_told (self, now, entry, why);
        return;
    }
    change_notice_tell (&self->notice);
    if (step == BACK_END_CLOSE && !why && self->reconcile_timer == 0)
        self->reconcile_timer = timers_set (self->parts.service->timers, now->mono_ms + CLOSED_MS,
                                            on_reconcile_again, self, 0);
    if (entry && entry->use && step == BACK_END_COUNT && !why)
        opening_counted (entry, result);
    if (entry && step == BACK_END_WATCH && why)
        entry->step = BACK_END_STEPS;
    if (entry && step != BACK_END_WATCH && step != BACK_END_COUNT)
        entry->there = !why && step != BACK_END_CLOSE;
    if (entry && (step == BACK_END_NAME || step == BACK_END_PREPARE || step == BACK_END_OPEN) &&
        !why)
        opening_names_confirmed (entry);
    else if (step == BACK_END_NAME)
        openings_names_soon (self, now);
    if (entry && why)
        entry->gives_way = step == BACK_END_NAME && opening_in_the_way (entry);
    else if (entry && entry->gives_way && step == BACK_END_CLOSE)
        opening_gave_way (entry);
    if (entry)
        opening_soon (entry, now);
    if (step == BACK_END_RECONCILE && !why)
        openings_look (self, now, 0);
    entry = NULL;
    while (step == BACK_END_RECONCILE && (entry = ordered_next (self->active, entry)))
        opening_soon (entry, now);
}

/*  --- questions --- */

bool openings_find (const openings_t *self, const char *reservation, opening_t *opening)
{
    const opening_entry_t *entry = opening_find (self, reservation);
    if (!entry)
        return false;
    *opening = opening_view (entry, self->now_ms);
    return true;
}

const char *openings_of_node (const openings_t *self, size_t node)
{
    return self->holders [node] ? self->holders [node]->reservation : NULL;
}

void openings_wanted (openings_t *self, const moment_t *now, const char *reservation)
{
    opening_entry_t *entry = opening_find (self, reservation);
    if (!entry)
        return;
    entry->active_ms = present_ms (self, now);
    if (!entry->kept.lent)
        return;
    entry->kept.lent = false;
    entry->recalled = true;
    opening_soon (entry, now);
}

bool openings_node_due (const openings_t *self, size_t node)
{
    const opening_entry_t *holder = self->holders [node];
    for (size_t i = 0; holder && i < holder->kept.nodes_count; i++)
        if (holder->kept.nodes [i].node == node)
            return holder->kept.nodes [i].due;
    return false;
}

int64_t openings_spare_until (const openings_t *self, size_t node, bool preemptible)
{
    const opening_entry_t *holder = self->holders [node];
    if (!holder)
        return INT64_MAX;
    bool spare = holder->kept.given_back || (holder->kept.lent && preemptible);
    if (!spare || !opening_is_open (holder->kept.phase))
        return INT64_MIN;
    for (size_t i = 0; i < holder->kept.nodes_count; i++)
        if (holder->kept.nodes [i].node == node)
            return holder->kept.nodes [i].state == BOUND_HELD ? holder->kept.until_ms : INT64_MIN;
    return INT64_MIN;
}

/*  --- its life --- */

static void openings_on_start (void *owner, const moment_t *now)
{
    openings_t *self = owner;
    int64_t now_ms = present_ms (self, now);
    reservation_view_t view;
    self->now_ms = now_ms;
    for (const char *at = NULL; participant_next (self->participant, at, &view); at = view.id) {
        opening_entry_t *entry = opening_find (self, view.id);
        if (!view.current)
            continue;
        bool known = entry != NULL;
        if (!known)
            entry = opening_new (self, view.id, view.owner);
        opening_booked (entry, view.part);
        if (!known && entry->kept.until_ms <= now_ms)
            opening_free (entry); /* it was never opened, and is past */
    }
    opening_entry_t *next = ordered_after (self->by_reservation, NULL);
    for (opening_entry_t *entry; (entry = next);) {
        next = ordered_after (self->by_reservation, entry->reservation);
        if (!participant_find (self->participant, entry->reservation, &view)) {
            opening_end (entry);
            continue;
        }
        if (!view.current)
            opening_left (entry, now_ms);
        snprintf (entry->kept.owner, sizeof entry->kept.owner, "%s", view.owner);
        entry->active_ms = now_ms;
        opening_due (entry, now_ms);
        opening_soon (entry, now);
    }
    reconcile_when_known (self, now);
    openings_names_soon (self, now);
}

openings_limits_t openings_limits_of (const opening_settings_t *opening, int64_t watch_ms)
{
    return (openings_limits_t){.bind_ms = opening->bind_ms,
                               .warning_ms = opening->warning_ms,
                               .grace_ms = opening->grace_ms,
                               .lend_ms = opening->lend_ms,
                               .release_ms = opening->release_ms,
                               .clear = true,
                               .watch_ms = watch_ms};
}

openings_t *openings_new (const openings_parts_t *parts, const openings_limits_t *limits)
{
    assert (limits->bind_ms >= 0 && limits->warning_ms >= 0 && limits->grace_ms >= 0);
    openings_t *self = must (calloc (1, sizeof *self));
    self->parts = *parts;
    self->limits = *limits;
    self->by_reservation = ordered_by_text (offsetof (opening_entry_t, reservation));
    self->active = ordered_by_text (offsetof (opening_entry_t, reservation));
    self->turns = ordered_new (openings_by_turn);
    self->holders = must (calloc (nodes_count (parts->nodes) + 1, sizeof *self->holders));
    self->notice = (change_notice_t){.service = parts->service, .topic = "opening"};
    nodes_observe (parts->nodes, &(nodes_observer_t){.owner = self,
                                                     .run_moved = on_run_moved,
                                                     .node_moved = openings_on_node_moved});
    back_end_told (parts->back_end, on_back_end_told, self);
    service_serve (parts->service, "Lis", "Use", &reservation_use_question_codec, ALWAYS,
                   openings_on_use, self);
    service_load (parts->service, TABLE_OPENINGS, openings_on_record, self);
    return self;
}

void openings_attach (openings_t *self, const participant_t *participant)
{
    self->participant = participant;
    service_at_start (self->parts.service, openings_on_start, self);
}

void openings_observe (openings_t *self, const openings_observer_t *observer)
{
    self->observer = *observer;
}

void openings_destroy (openings_t **self_p)
{
    openings_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->parts.service->timers, self->timer);
    timers_cancel (self->parts.service->timers, self->reconcile_timer);
    timers_cancel (self->parts.service->timers, self->names_timer);
    timers_cancel (self->parts.service->timers, self->look_timer);
    change_notice_end (&self->notice);
    for (opening_entry_t *entry; (entry = ordered_after (self->by_reservation, NULL));)
        opening_free (entry);
    ordered_destroy (&self->by_reservation);
    ordered_destroy (&self->active);
    ordered_destroy (&self->turns);
    free (self->holders);
    free (self);
    *self_p = NULL;
}
