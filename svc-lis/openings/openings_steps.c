/*  openings_steps - does what is due for an opening at its turn, all in one function,
 *  opening_refresh, by the time, its bookings and its nodes. One timer serves all openings: it
 *  fires at the next turn of any.
 */
#include "must.h"
#include "openings_state.h"

#include <stdlib.h>

#define COUNT_MS     20000 /* behind its end, by which an accounting has the last job of it */
#define BIND_LATE_MS 5000  /* before its start a reservation that lacks nodes is degraded */

/*  --- what is told --- */

static void opening_changed (opening_entry_t *entry, const moment_t *now)
{
    openings_t *self = entry->openings;
    opening_put (entry);
    change_notice_tell (&self->notice);
    if (!self->observer.moved)
        return;
    opening_t view = opening_view (entry, present_ms (self, now));
    self->observer.moved (self->observer.owner, now, &view);
}

const char *opening_unfit (const opening_entry_t *entry)
{
    return entry->kept.phase < OPENING_CLOSING ? openings_unfit (entry->openings, entry->kept.owner)
                                               : "";
}

/*  Nodes that it lacks while there is time may be others' until its start: the calendar says so. */
static bool opening_has_time (const opening_entry_t *entry, int64_t now_ms)
{
    return entry->kept.phase == OPENING_BINDING && now_ms < entry->kept.from_ms - BIND_LATE_MS &&
           opening_overbooked (entry, now_ms) == 0;
}

static void tell_degraded (opening_entry_t *entry, int64_t now_ms)
{
    openings_t *self = entry->openings;
    uint32_t lacking = opening_is_active (entry->kept.phase) && entry->kept.phase <= OPENING_WARNED
                         ? opening_short (entry, now_ms)
                         : 0;
    entry->lacks = lacking > 0;
    if (opening_has_time (entry, now_ms))
        lacking = 0;
    if (entry->kept.phase == OPENING_WAITING)
        lacking = entry->unnamed;
    bool fails = (opening_is_active (entry->kept.phase) || entry->step == BACK_END_NAME) &&
                 back_end_fails (self->parts.back_end, entry->reservation);
    const char *why =
      fails ? back_end_trouble (self->parts.back_end, entry->reservation) : opening_unfit (entry);
    bool degraded = *why || opening_drained (entry) || (lacking > 0 && !entry->kept.given_back);
    if (degraded == entry->degraded)
        return;
    entry->degraded = degraded;
    change_notice_tell (&self->notice);
    service_count (self->parts.service, degraded ? "openings_degraded" : "openings_healed", 1);
    outbox_log (self->parts.service->outbox, degraded ? LEVEL_ALARM : LEVEL_INFO,
                "opening %s %s nodes_lacking=%u%s%s", entry->reservation,
                degraded ? "whole->degraded" : "degraded->whole", lacking, *why ? " why=" : "",
                why);
}

/*  --- time --- */

opening_phase_t opening_phase_at (const opening_entry_t *entry, int64_t now_ms)
{
    const openings_limits_t *limits = &entry->openings->limits;
    if (now_ms >= entry->kept.until_ms)
        return OPENING_CLOSING;
    if (now_ms >= entry->kept.from_ms)
        return now_ms >= entry->kept.until_ms - limits->warning_ms ? OPENING_WARNED : OPENING_OPEN;
    return now_ms >= entry->kept.from_ms - limits->bind_ms ? OPENING_BINDING : OPENING_WAITING;
}

static void openings_steps_move (opening_entry_t *entry, opening_phase_t to)
{
    openings_t *self = entry->openings;
    opening_phase_t from = entry->kept.phase;
    opening_phase (entry, to);
    service_count (self->parts.service, "openings_moved", 1);
    outbox_log (self->parts.service->outbox, LEVEL_INFO, "opening %s %s->%s nodes=%zu wanted=%u",
                entry->reservation, opening_states.states [from], opening_states.states [to],
                entry->kept.nodes_count, opening_wanted (entry, SIZE_MAX, entry->kept.from_ms));
}

/*  An opening that was never open and is past has nothing to close. */
static bool move_by_time (opening_entry_t *entry, const moment_t *now)
{
    int64_t now_ms = opening_now_ms (entry, now);
    opening_phase_t due = opening_phase_at (entry, now_ms);
    if (entry->kept.phase >= OPENING_CLOSING || due <= entry->kept.phase)
        return false;
    bool outside = (entry->kept.phase != OPENING_WAITING || entry->kept.told) &&
                   back_end_acts (entry->openings->parts.back_end, BACK_END_CLOSE);
    if (due == OPENING_CLOSING && entry->kept.nodes_count == 0 && !entry->use && !outside)
        due = OPENING_OVER;
    if (opening_is_open (due) && !entry->use) {
        entry->use = must (calloc (1, sizeof *entry->use));
        entry->active_ms = now_ms;
        cpu_usage_init (&entry->use->spent,
                        (interval_t){entry->kept.from_ms, entry->kept.until_ms});
        entry->use->until_ms = entry->kept.from_ms;
        opening_put_use (entry);
    }
    openings_steps_move (entry, due);
    openings_names_soon (entry->openings, now);
    return true;
}

static bool move_to_the_end (opening_entry_t *entry)
{
    opening_phase_t before = entry->kept.phase;
    if (entry->kept.phase == OPENING_CLOSING && !opening_closes (entry) &&
        !*back_end_trouble (entry->openings->parts.back_end, entry->reservation)) {
        entry->kept.named_count = 0;
        entry->kept.told = false;
        openings_steps_move (entry, OPENING_CLEANING);
    }
    if (entry->kept.phase == OPENING_CLEANING && entry->kept.nodes_count == 0)
        openings_steps_move (entry, OPENING_OVER);
    return entry->kept.phase != before;
}

clear_t opening_clearing (const opening_entry_t *entry)
{
    const openings_parts_t *parts = &entry->openings->parts;
    return parts->clear ? parts->clear (parts->account_owner, entry->kept.owner) : CLEAR_WAIT;
}

back_end_order_t opening_order (const opening_entry_t *entry, bool all)
{
    bool waits = entry->kept.phase == OPENING_WAITING;
    const bound_t *bound = waits ? entry->kept.named : entry->kept.nodes;
    size_t count = waits ? entry->kept.named_count : entry->kept.nodes_count;
    const char **names = must (calloc (count + 1, sizeof *names));
    back_end_order_t order = {.reservation = entry->reservation,
                              .owner = entry->kept.owner,
                              .from_ms = entry->kept.from_ms,
                              .until_ms = entry->kept.until_ms,
                              .nodes = names,
                              .grace_ms = entry->openings->limits.grace_ms};
    const openings_parts_t *parts = &entry->openings->parts;
    const account_t *who =
      parts->account ? parts->account (parts->account_owner, entry->kept.owner) : NULL;
    order.account = who ? who->account : NULL;
    order.charged = who ? who->charged : NULL;
    order.clear = opening_clearing (entry);
    for (size_t i = 0; i < count; i++)
        if (waits ? bound [i].at_ms <= entry->kept.from_ms && bound [i].state == BOUND_HELD
                  : all || bound_kept (&bound [i]))
            names [order.nodes_count++] = bound [i].name;
    return order;
}

/*  When the back end is asked next how it stands. */
static int64_t opening_watch_due (const opening_entry_t *entry)
{
    const openings_t *self = entry->openings;
    return back_end_acts (self->parts.back_end, BACK_END_WATCH)
             ? entry->watched_ms + self->limits.watch_ms
             : INT64_MAX;
}

static void order_back_end (opening_entry_t *entry, const moment_t *now, back_end_step_t step)
{
    openings_t *self = entry->openings;
    if (!back_end_acts (self->parts.back_end, step))
        return;
    back_end_order_t order = opening_order (entry, step == BACK_END_CLOSE);
    back_end_step (self->parts.back_end, step, &order);
    entry->watched_ms = present_ms (self, now);
    free ((void *) order.nodes);
}

/*  The step that its back end should have been told by now. */
static back_end_step_t step_due (const opening_entry_t *entry, int64_t now_ms)
{
    opening_phase_t phase = entry->kept.phase;
    bool named = false;
    for (size_t i = 0; i < entry->kept.named_count && !named; i++)
        named = entry->kept.named [i].state == BOUND_HELD &&
                entry->kept.named [i].at_ms <= entry->kept.from_ms;
    if (phase == OPENING_WAITING && named && !entry->gives_way &&
        opening_told_due (entry) <= now_ms)
        return BACK_END_NAME;
    if (phase == OPENING_BINDING)
        return BACK_END_PREPARE;
    if (opening_is_open (phase))
        return BACK_END_OPEN;
    bool put_off = phase == OPENING_WAITING && entry->step != BACK_END_STEPS;
    return phase == OPENING_CLOSING || put_off ? BACK_END_CLOSE : entry->step;
}

static bool opening_is_outside (const opening_entry_t *entry)
{
    return entry->step == BACK_END_PREPARE || entry->step == BACK_END_OPEN;
}

bool opening_prepared (const opening_entry_t *entry)
{
    return opening_is_outside (entry) &&
           !*back_end_trouble (entry->openings->parts.back_end, entry->reservation);
}

/*  Stored before it is told, so that it is never left behind there. */
static void opening_told_put (opening_entry_t *entry, bool told)
{
    if (told == entry->kept.told)
        return;
    entry->kept.told = told;
    opening_put (entry);
}

static void tell_back_end (opening_entry_t *entry, const moment_t *now, bool nodes_changed)
{
    int64_t now_ms = present_ms (entry->openings, now);
    back_end_step_t due = step_due (entry, now_ms);
    interval_t over = {entry->kept.from_ms, entry->kept.until_ms};
    bool named = entry->step == BACK_END_NAME;
    bool other = (named ? entry->renamed : nodes_changed) || over.from != entry->step_over.from ||
                 over.until != entry->step_over.until;
    if (due != entry->step || (other && (named || opening_is_outside (entry)))) {
        entry->step = due;
        entry->step_over = over;
        entry->there = entry->renamed = false;
        if (entry->kept.phase == OPENING_WAITING)
            opening_told_put (entry, due == BACK_END_NAME || entry->gives_way);
        order_back_end (entry, now, due);
        if (due == BACK_END_NAME)
            openings_look (entry->openings, now, entry->openings->limits.watch_ms);
    } else if (opening_is_outside (entry) && now_ms >= opening_watch_due (entry)) {
        order_back_end (entry, now, BACK_END_WATCH);
    }
}

/*  What it used has not been asked for in this start, and is not known. */
static bool opening_uncounted (const opening_entry_t *entry)
{
    return entry->kept.phase == OPENING_OVER && entry->use && entry->use->counted == USE_TOLD &&
           entry->step != BACK_END_COUNT &&
           back_end_acts (entry->openings->parts.back_end, BACK_END_COUNT);
}

static void opening_count (opening_entry_t *entry, const moment_t *now, int64_t now_ms)
{
    if (!opening_uncounted (entry) || now_ms < entry->kept.until_ms + COUNT_MS)
        return;
    entry->step = BACK_END_COUNT;
    order_back_end (entry, now, BACK_END_COUNT);
}

static int64_t turn_due (const opening_entry_t *entry, int64_t now_ms)
{
    int64_t count_ms = entry->kept.until_ms + COUNT_MS;
    if (entry->kept.phase == OPENING_OVER)
        return !opening_uncounted (entry) ? INT64_MAX : count_ms > now_ms ? count_ms : now_ms + 1;
    int64_t due_ms = opening_fit_due (entry, now_ms);
    bool open = opening_is_open (entry->kept.phase);
    int64_t others [] = {open ? opening_lend_due (entry) : INT64_MAX,
                         open ? entry->use_put_ms + ACCOUNT_MS : INT64_MAX,
                         opening_is_outside (entry) ? opening_watch_due (entry) : INT64_MAX,
                         opening_has_time (entry, now_ms) ? entry->kept.from_ms - BIND_LATE_MS
                                                          : INT64_MAX,
                         entry->kept.phase == OPENING_CLOSING && entry->kept.told &&
                             opening_begins_there (entry) > now_ms
                           ? opening_begins_there (entry)
                           : INT64_MAX,
                         entry->kept.phase == OPENING_WAITING && opening_told_due (entry) > now_ms
                           ? opening_told_due (entry)
                           : INT64_MAX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        due_ms = others [i] < due_ms ? others [i] : due_ms;
    return due_ms > now_ms ? due_ms : now_ms + 1;
}

void opening_end (opening_entry_t *entry)
{
    opening_delete (entry);
    opening_free (entry);
}

/*  --- turns --- */

void opening_turn (opening_entry_t *entry, int64_t turn_ms)
{
    if (entry->turn_ms < INT64_MAX)
        ordered_remove (entry->openings->turns, entry);
    entry->turn_ms = turn_ms;
    if (entry->turn_ms < INT64_MAX)
        ordered_add (entry->openings->turns, entry, entry);
}

/*  Use is accounted before the nodes change: until now it was offered those that it had. */
static void opening_refresh (opening_entry_t *entry, const moment_t *now)
{
    int64_t now_ms = opening_now_ms (entry, now);
    opening_phase_t before = entry->kept.phase;
    if (opening_is_open (before))
        opening_account (entry, now);
    bool moved = move_by_time (entry, now);
    bool changed = opening_bind_named (entry, now_ms);
    changed = opening_fit (entry, now) || changed;
    bool due = opening_due (entry, now_ms);
    bool lent = opening_is_open (entry->kept.phase) && opening_lend (entry, now);
    tell_back_end (entry, now, changed);
    opening_enforce (entry, now);
    changed = opening_close (entry, now) || changed;
    moved = move_to_the_end (entry) || moved;
    if (entry->kept.phase == OPENING_OVER && entry->use)
        opening_account (entry, now);
    opening_count (entry, now, now_ms);
    if (entry->use && (changed || moved || now_ms >= entry->use_put_ms + ACCOUNT_MS))
        opening_put_use (entry);
    tell_degraded (entry, now_ms);
    bool prepared = opening_prepared (entry);
    if (changed || moved || lent || due || prepared != entry->prepared)
        opening_changed (entry, now);
    entry->prepared = prepared;
    if (entry->kept.phase == OPENING_OVER && !entry->use)
        opening_end (entry);
    else
        opening_turn (entry, turn_due (entry, now_ms));
}

static void openings_steps_on_turn (void *owner, const moment_t *now, uint64_t token);

static void openings_steps_turns_watch (openings_t *self, const moment_t *now)
{
    timers_cancel (self->parts.service->timers, self->timer);
    self->timer = 0;
    const opening_entry_t *first = ordered_after (self->turns, NULL);
    if (!first)
        return;
    int64_t at_ms = timekeeper_mono (&self->parts.service->timekeeper, now, first->turn_ms);
    int64_t look_ms = now->mono_ms + LOOK_MS_MAX;
    self->timer = timers_set (self->parts.service->timers, at_ms < look_ms ? at_ms : look_ms,
                              openings_steps_on_turn, self, 0);
}

/*  Each refresh sets the next turn later than now, so this loop ends. */
static void openings_steps_on_turn (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    openings_t *self = owner;
    int64_t now_ms = present_ms (self, now);
    self->now_ms = now_ms;
    for (opening_entry_t *entry;
         (entry = ordered_after (self->turns, NULL)) && entry->turn_ms <= now_ms;)
        opening_refresh (entry, now);
    self->timer = 0;
    openings_steps_turns_watch (self, now);
}

void opening_soon (opening_entry_t *entry, const moment_t *now)
{
    openings_t *self = entry->openings;
    if (entry->kept.phase == OPENING_OVER && !opening_uncounted (entry))
        return;
    opening_turn (entry, present_ms (self, now));
    openings_steps_turns_watch (self, now);
}
