/*  circuit_usage - one entry for each reservation whose use was asked for or begins by itself;
 *  and one timer for all, at the next moment at which a window of any of them opens or closes.
 */
#include "circuit_usage.h"

#include "access.h"
#include "member.h"
#include "must.h"
#include "nis_wire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS_MAX                                                                                \
    60000 /* a distant turn is checked again at least so often: clocks get stepped */

static int circuit_usage_by_turn (const void *key, const void *thing)
{
    const use_t *a = key, *b = thing;
    if (a->turn_ms != b->turn_ms)
        return a->turn_ms < b->turn_ms ? -1 : 1;
    return strcmp (a->reservation, b->reservation);
}

/*  --- entries --- */

static use_t *use_find (const circuit_usage_t *self, const char *reservation)
{
    return ordered_find (self->by_reservation, reservation);
}

static use_t *use_new (circuit_usage_t *self, const char *reservation)
{
    use_t *use = must (calloc (1, sizeof *use));
    assert (strlen (reservation) <= NAME_BYTES_MAX);
    memcpy (use->reservation, reservation, strlen (reservation) + 1);
    use->turn_ms = INT64_MAX;
    ordered_add (self->by_reservation, use->reservation, use);
    return use;
}

static void turn_set (circuit_usage_t *self, use_t *use, int64_t turn_ms)
{
    if (use->turn_ms < INT64_MAX)
        ordered_remove (self->turns, use);
    use->turn_ms = turn_ms;
    if (use->turn_ms < INT64_MAX)
        ordered_add (self->turns, use, use);
}

/*  event: NULL, or "forgotten" when nothing is kept of it any more. */
static void tell_ledger (circuit_usage_t *self, const use_t *use, const char *event, bytes_t record)
{
    ledger_append (ledger_of (self->service), &(ledger_entry_t){.kind = LEDGER_SWITCHED,
                                                                .event = event,
                                                                .reservation = use->reservation,
                                                                .record = record});
}

static void use_store (circuit_usage_t *self, use_t *use)
{
    use->asked = true;
    packed_t value = codec_encode (&use_record_codec, use);
    bytes_t record = packed_bytes (value);
    outbox_put (self->service->outbox, TABLE_USES, text_bytes (use->reservation), record);
    tell_ledger (self, use, NULL, record);
    free (value.data);
}

static void open_set (circuit_usage_t *self, use_t *use, bool open)
{
    if (use->open == open)
        return;
    use->open = open;
    outbox_log (self->service->outbox, LEVEL_INFO, "use reservation=%s %s", use->reservation,
                open ? "idle->open" : "open->idle");
    change_notice_tell (&self->notice);
}

static void use_end (circuit_usage_t *self, use_t *use)
{
    open_set (self, use, false);
    turn_set (self, use, INT64_MAX);
    if (use->asked) {
        outbox_delete (self->service->outbox, TABLE_USES, text_bytes (use->reservation));
        tell_ledger (self, use, "forgotten", (bytes_t){0});
    }
    ordered_remove (self->by_reservation, use->reservation);
    free (use);
}

/*  --- time --- */

/*  Is it open now, by both clocks? */
static bool circuit_usage_is_open (const circuit_usage_t *self, const moment_t *now,
                                   int64_t from_ms, int64_t until_ms)
{
    return from_ms <= timekeeper_least (&self->service->timekeeper, now) &&
           timekeeper_most (&self->service->timekeeper, now) < until_ms;
}

/*  Tells the back end which circuits are wanted now. */
static void circuits_want (circuit_usage_t *self, const moment_t *now, const use_t *use,
                           bytes_t part)
{
    const circuit_back_end_t *back_end = &self->back_end;
    network_part_t all = {0};
    char why [WHY_BYTES];
    size_t count = 0;
    if (!back_end->want)
        return;
    if (use->open && codec_decode (&network_part_codec, &all, part, why))
        for (size_t i = 0; i < all.circuits_count; i++) {
            circuit_t circuit = all.circuits [i];
            if (!circuit_usage_is_open (self, now, circuit.from_ms, circuit.until_ms))
                continue;
            all.circuits [i] = all.circuits [count];
            all.circuits [count++] = circuit;
        }
    back_end->want (back_end->owner, now, use->reservation, all.circuits, count, &use->traffic);
    codec_clear (&network_part_codec, &all);
}

/*  Is a window open now, by both clocks? And when does one open or close next? */
static bool windows_open (const circuit_usage_t *self, const moment_t *now,
                          const interval_list_t *windows, int64_t *turn_ms)
{
    int64_t least_ms = timekeeper_least (&self->service->timekeeper, now);
    bool open = false;
    *turn_ms = INT64_MAX;
    for (size_t i = 0; i < windows->count; i++) {
        interval_t over = windows->list [i].over;
        bool begun = over.from <= least_ms;
        if (timekeeper_most (&self->service->timekeeper, now) >= over.until)
            continue;
        open = open || begun;
        int64_t turn = begun ? over.until : over.from;
        *turn_ms = turn < *turn_ms ? turn : *turn_ms;
    }
    return open;
}

/*  Brings an entry up to date with its reservation and the time; the entry may end here. */
static void use_refresh (circuit_usage_t *self, const moment_t *now, use_t *use)
{
    reservation_view_t view;
    if (!participant_find (self->participant, use->reservation, &view) || !view.current) {
        open_set (self, use, false);
        circuits_want (self, now, use, (bytes_t){0});
        use_end (self, use);
        return;
    }
    int64_t turn_ms;
    bool open = windows_open (self, now, timetable_held (view.current), &turn_ms);
    if (open && !use->asked && self->mode == USE_AT_START) {
        use->provisioned = true;
        use_store (self, use);
    }
    open_set (self, use, use->provisioned && open);
    circuits_want (self, now, use, view.part);
    turn_set (self, use, turn_ms);
    if (!use->asked && turn_ms == INT64_MAX)
        use_end (self, use);
}

static void circuit_usage_on_turn (void *owner, const moment_t *now, uint64_t token);

static void circuit_usage_turns_watch (circuit_usage_t *self, const moment_t *now)
{
    timers_cancel (self->service->timers, self->timer);
    self->timer = 0;
    const use_t *first = ordered_after (self->turns, NULL);
    if (!first)
        return;
    int64_t at_ms = timekeeper_mono (&self->service->timekeeper, now, first->turn_ms);
    int64_t look_ms = now->mono_ms + LOOK_MS_MAX;
    at_ms = at_ms > now->mono_ms ? at_ms : now->mono_ms + 1;
    self->timer = timers_set (self->service->timers, at_ms < look_ms ? at_ms : look_ms,
                              circuit_usage_on_turn, self, 0);
}

/*  Every refresh sets a turn that is later than now, so this ends. */
static void circuit_usage_on_turn (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    circuit_usage_t *self = owner;
    int64_t now_ms = timekeeper_least (&self->service->timekeeper, now);
    for (use_t *use; (use = ordered_after (self->turns, NULL)) && use->turn_ms <= now_ms;)
        use_refresh (self, now, use);
    self->timer = 0;
    circuit_usage_turns_watch (self, now);
}

/*  --- what the participant tells --- */

static void circuit_usage_on_changed (void *owner, const moment_t *now, const char *reservation)
{
    circuit_usage_t *self = owner;
    use_t *use = use_find (self, reservation);
    if (!use && self->mode == USE_AT_START)
        use = use_new (self, reservation);
    if (!use)
        return;
    use_refresh (self, now, use);
    circuit_usage_turns_watch (self, now);
}

static void circuit_usage_on_forgotten (void *owner, const char *reservation)
{
    circuit_usage_t *self = owner;
    use_t *use = use_find (self, reservation);
    if (use)
        use_end (self, use);
}

static bool is_provisioned (void *owner, const char *reservation)
{
    const circuit_usage_t *self = owner;
    const use_t *use = use_find (self, reservation);
    return use && use->provisioned;
}

void circuit_usage_moved (void *owner, const moment_t *now, const char *reservation,
                          circuit_state_t from, circuit_state_t to, const char *why)
{
    (void) now;
    circuit_usage_t *self = owner;
    bool degraded = to == CIRCUITS_DEGRADED;
    outbox_log (self->service->outbox, degraded ? LEVEL_WARNING : LEVEL_INFO,
                "circuits reservation=%s %s->%s%s%s", reservation, circuit_states.states [from],
                circuit_states.states [to], degraded ? " why=" : "", degraded ? why : "");
    change_notice_tell (&self->notice);
}

void circuit_usage_back_end (circuit_usage_t *self, circuit_back_end_t back_end)
{
    self->back_end = back_end;
}

static unsigned circuits_state (void *owner, const char *reservation, uint32_t *wait_us,
                                char why [WHY_BYTES])
{
    const circuit_usage_t *self = owner;
    *why = '\0';
    *wait_us = 0;
    return self->back_end.state
             ? self->back_end.state (self->back_end.owner, reservation, wait_us, why)
             : CIRCUITS_IDLE;
}

void circuit_usage_tell (circuit_usage_t *self, usage_t *usage)
{
    *usage = (usage_t){.owner = self,
                       .changed = circuit_usage_on_changed,
                       .forgotten = circuit_usage_on_forgotten,
                       .provisioned = is_provisioned,
                       .circuits = circuits_state};
}

/*  --- what users ask --- */

static void use_reply (circuit_usage_t *self, const request_t *request, const use_t *use)
{
    use_told_t told = {.provisioned = use && use->provisioned, .active = use && use->open};
    if (use && self->back_end.state) {
        uint32_t wait_us; /* shown with the reservation */
        told.state = circuits_state (self, use->reservation, &wait_us, told.trouble);
        told.active = told.state == CIRCUITS_ACTIVE;
    }
    service_reply (self->service, request, codec_encode (&use_answer_codec, &told));
}

/*  Finds the reservation; refuses, and returns false, unless the caller may decide about its
 *  use. */
static bool use_allowed (circuit_usage_t *self, const request_t *request, const use_t *asked,
                         reservation_view_t *view)
{
    if (!participant_find (self->participant, asked->reservation, view))
        return service_refuse (self->service, request, CALL_NOT_FOUND, "%s knows no reservation %s",
                               self->service->name, asked->reservation);
    if (!may (self->access, VERB_USE, request->actor, request->actor, view->owner))
        return service_refuse (self->service, request, CALL_DENIED,
                               "%.63s does not own reservation %s", request->actor,
                               asked->reservation);
    if (view->version == 0)
        return service_refuse (self->service, request, CALL_DENIED,
                               "reservation %s is not committed", asked->reservation);
    return true;
}

static void use_say (circuit_usage_t *self, const moment_t *now, const char *reservation,
                     bool provisioned, const traffic_t *traffic)
{
    use_t *use = use_find (self, reservation);
    if (!use)
        use = use_new (self, reservation);
    if (!use->asked || use->provisioned != provisioned ||
        !codec_same (&traffic_codec, &use->traffic, traffic)) {
        use->provisioned = provisioned;
        use->traffic = *traffic;
        use_store (self, use);
    }
    use_refresh (self, now, use);
    circuit_usage_turns_watch (self, now);
}

static void on_provision (void *owner, const moment_t *now, const request_t *request, void *body)
{
    circuit_usage_t *self = owner;
    reservation_view_t view;
    if (!use_allowed (self, request, body, &view))
        return;
    int64_t turn_ms = INT64_MAX;
    if (view.current)
        windows_open (self, now, timetable_held (view.current), &turn_ms);
    if (turn_ms == INT64_MAX) {
        service_refuse (self->service, request, CALL_DENIED,
                        "reservation %s has no circuit here whose window is still to come",
                        view.id);
        return;
    }
    use_say (self, now, view.id, true, &((const use_t *) body)->traffic);
    use_reply (self, request, use_find (self, view.id));
}

static void on_release (void *owner, const moment_t *now, const request_t *request, void *body)
{
    circuit_usage_t *self = owner;
    reservation_view_t view;
    if (!use_allowed (self, request, body, &view))
        return;
    const use_t *use = use_find (self, view.id);
    bool given_up = use ? use->asked && !use->provisioned : self->mode == USE_ASKED;
    if (view.current && !given_up)
        use_say (self, now, view.id, false, &(traffic_t){0});
    use_reply (self, request, use_find (self, view.id));
}

/*  --- records --- */

static void circuit_usage_on_record (void *owner, bytes_t key, bytes_t value)
{
    circuit_usage_t *self = owner;
    char reservation [NAME_BYTES_MAX + 1] = "";
    use_t kept;
    char why [WHY_BYTES];
    bool good = key.size > 0 && key.size <= NAME_BYTES_MAX && !memchr (key.data, 0, key.size);
    if (good)
        memcpy (reservation, key.data, key.size);
    if (!good || use_find (self, reservation) ||
        !codec_decode (&use_record_codec, &kept, value, why)) {
        service_bad_record (self->service, "uses", "not a record of a use");
        return;
    }
    use_t *use = use_new (self, reservation);
    use->asked = true;
    use->provisioned = kept.provisioned;
    use->traffic = kept.traffic;
}

static void circuit_usage_on_start (void *owner, const moment_t *now)
{
    circuit_usage_t *self = owner;
    reservation_view_t view;
    if (self->mode == USE_AT_START)
        for (const char *at = NULL; participant_next (self->participant, at, &view); at = view.id)
            if (view.current && !use_find (self, view.id))
                use_new (self, view.id);
    char at [NAME_BYTES_MAX + 1] = "";
    for (use_t *use; (use = ordered_after (self->by_reservation, at));) {
        memcpy (at, use->reservation, sizeof at);
        use_refresh (self, now, use);
    }
    circuit_usage_turns_watch (self, now);
}

/*  --- its life --- */

circuit_usage_t *circuit_usage_new (service_t *service, const access_t *access, use_mode_t mode)
{
    circuit_usage_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->access = access;
    self->mode = mode;
    self->by_reservation = ordered_by_text (offsetof (use_t, reservation));
    self->turns = ordered_new (circuit_usage_by_turn);
    self->notice = (change_notice_t){.service = service, .topic = "use"};
    service_serve (service, "Nis", "Provision", &use_question_codec, ALWAYS, on_provision, self);
    service_serve (service, "Nis", "Release", &use_question_codec, UNTIL_END, on_release, self);
    service_load (service, TABLE_USES, circuit_usage_on_record, self);
    return self;
}

void circuit_usage_attach (circuit_usage_t *self, const participant_t *participant)
{
    self->participant = participant;
    service_at_start (self->service, circuit_usage_on_start, self);
}

void circuit_usage_destroy (circuit_usage_t **self_p)
{
    circuit_usage_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->service->timers, self->timer);
    change_notice_end (&self->notice);
    ordered_destroy (&self->turns);
    ordered_end (&self->by_reservation, free);
    free (self);
    *self_p = NULL;
}
