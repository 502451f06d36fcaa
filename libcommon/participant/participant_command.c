/*  participant_command - one command: its states, and everything that moves with them.
 *
 *  One function moves a state, so that capacity, reservation, timers, record, log line and counters
 *  can never disagree about where a command stands. What it stores leaves in the same write as the
 *  answer that tells of it (T3, T13).
 */
#include "message.h"
#include "participant_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const counter_names [COMMAND_STATES] = {
  [COMMAND_HELD] = "holds",
  [COMMAND_PREPARED] = "votes",
  [COMMAND_COMMITTED] = "commits",
  [COMMAND_ABORTED] = "aborts",
  [COMMAND_EXPIRED] = "expired",
  [COMMAND_EDGE] = "edges",
  [COMMAND_EDGE_REFUSED] = "edge_refusals",
};

plan_t command_plan (const command_t *self)
{
    plan_t plan;
    char why [WHY_BYTES];
    bool good = codec_decode (&plan_codec, &plan, packed_bytes (self->plan), why);
    assert (good); /* we encoded it, or checked it when it was loaded */
    return plan;
}

part_body_t part_kept (part_kind_t kind, packed_t packed)
{
    part_body_t part = {.kind = PART_NONE};
    char why [WHY_BYTES];
    bool good = packed.size == 0 || part_decode (&part, kind, packed_bytes (packed), why);
    assert (good); /* as with its plan */
    return part;
}

bool command_open (const command_t *self)
{
    return self->state == COMMAND_HELD || self->state == COMMAND_PREPARED;
}

bool command_finished (const command_t *self)
{
    return states_end (&command_states, self->state);
}

void command_clock (command_t *self, const moment_t *now)
{
    self->decide_mono_ms = now->mono_ms + (self->decide_by_ms - now->wall_ms);
    self->edge_mono_ms = now->mono_ms + (self->edge_ms - now->wall_ms);
}

bool command_edge_passed (const command_t *self, const moment_t *now)
{
    return !self->participant->resource.claims && now->wall_ms >= self->edge_ms &&
           now->mono_ms >= self->edge_mono_ms;
}

bool command_edge_near (const command_t *self, const moment_t *now)
{
    return !self->participant->resource.claims &&
           (now->wall_ms >= self->edge_ms || now->mono_ms >= self->edge_mono_ms);
}

bool command_decide_passed (const command_t *self, const moment_t *now)
{
    return now->wall_ms >= self->decide_by_ms && now->mono_ms >= self->decide_mono_ms;
}

bool command_decide_near (const command_t *self, const moment_t *now)
{
    return now->wall_ms >= self->decide_by_ms || now->mono_ms >= self->decide_mono_ms;
}

command_answer_t command_answer (const command_t *self, const moment_t *now)
{
    command_answer_t answer = {
      .txid = self->txid, .state = self->state, .late = self->late, .epoch = self->epoch};
    if (self->state == COMMAND_HELD && self->expires_mono_ms > now->mono_ms)
        answer.ttl_ms = (uint32_t) (self->expires_mono_ms - now->mono_ms);
    return answer;
}

void command_count (command_t *self, bool open)
{
    participant_t *participant = self->participant;
    if (open) {
        participant->open_count++;
        self->actor->open++;
        self->planner->open++;
        TAILQ_INSERT_TAIL (&participant->open, self, open_link);
    } else {
        assert (participant->open_count && self->actor->open && self->planner->open);
        participant->open_count--;
        self->actor->open--;
        self->planner->open--;
        TAILQ_REMOVE (&participant->open, self, open_link);
    }
}

static void participant_command_on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    command_t *self = owner;
    self->timer = 0;
    command_age (self, now);
    if (self->timer == 0)
        command_watch (self, now);
}

void command_watch (command_t *self, const moment_t *now)
{
    participant_t *participant = self->participant;
    timers_t *timers = participant->service->timers;
    timers_cancel (timers, self->timer);
    self->timer = 0;
    int64_t at_ms = INT64_MAX;
    if (self->state == COMMAND_HELD) {
        at_ms = self->expires_mono_ms;
    } else if (self->state == COMMAND_PREPARED && !participant->resource.claims) {
        int64_t wall_left_ms = self->edge_ms - now->wall_ms;
        at_ms = now->mono_ms + wall_left_ms;
        if (at_ms < self->edge_mono_ms)
            at_ms = self->edge_mono_ms;
        if (at_ms > now->mono_ms + EDGE_LOOK_MS_MAX)
            at_ms = now->mono_ms + EDGE_LOOK_MS_MAX;
    }
    if (at_ms < INT64_MAX)
        self->timer = timers_set (timers, at_ms, participant_command_on_time, self, 0);
}

void command_age (command_t *self, const moment_t *now)
{
    if (self->state == COMMAND_HELD && now->mono_ms >= self->expires_mono_ms)
        command_move (self, now, COMMAND_EXPIRED, EVENT_TTL);
    /* T15: a stepped clock alone makes no edge, both must have passed it */
    else if (self->state == COMMAND_PREPARED && command_edge_passed (self, now))
        command_move (self, now, COMMAND_EDGE, EVENT_EDGE);
}

/*  The reservation is at the new version. */
static void reservation_advance (command_t *self)
{
    reservation_t *reservation = self->reservation;
    reservation->version = self->base_version + 1;
    reservation->made_by = self->txid;
    free (reservation->plan.data);
    reservation->plan = (packed_t){0};
    if (reservation->keep_ms < self->until_ms)
        reservation->keep_ms = self->until_ms;
}

static void participant_command_settle (command_t *self)
{
    const resource_t *resource = &self->participant->resource;
    assert (self->taken);
    if (resource->claims) {
        self->claim = resource->settle (resource->owner, NULL, self->taken);
    } else {
        reservation_t *reservation = self->reservation;
        reservation->current =
          resource->settle (resource->owner, reservation->current, self->taken);
        reservation->released = self->operation == OPERATION_RELEASE;
        reservation->failed = false;
        packed_t was = {0};
        if (reservation->released) {
            was = reservation->part;
            reservation->part = (packed_t){0};
        }
        reservation_part (reservation,
                          reservation->released ? reservation->part_kind : self->part_kind,
                          packed_bytes (self->part), self->span);
        reservation->was = was;
        reservation_advance (self);
    }
    self->taken = NULL;
}

/*  The change is over: the reservation is free for the next one, and gone if it never began. */
static void leave_reservation (command_t *self)
{
    reservation_t *reservation = self->reservation;
    if (!reservation)
        return;
    assert (reservation->pending == self);
    reservation->pending = NULL;
    self->reservation = NULL;
    if (reservation->version == 0)
        reservation_free (self->participant, reservation);
    else if (self->state == COMMAND_COMMITTED || self->state == COMMAND_EDGE_REFUSED)
        reservation_put (self->participant, reservation);
}

/*  Every move is told, so its plan is not decoded for that. Empty for a tombstone. */
static void peek_reservation (const command_t *self, char name [NAME_BYTES_MAX + 1])
{
    bytes_t plan = packed_bytes (self->plan);
    wire_field_t field = {0};
    while (field.number != 3 && wire_next (&plan, &field))
        continue;
    snprintf (name, NAME_BYTES_MAX + 1, "%.*s", field.number == 3 ? (int) field.bytes.size : 0,
              (const char *) field.bytes.data);
}

static void tell_move (const command_t *self, const moment_t *now, command_state_t from,
                       command_event_t event)
{
    participant_t *participant = self->participant;
    char reservation [NAME_BYTES_MAX + 1];
    peek_reservation (self, reservation);
    bool alarm = self->state == COMMAND_EDGE || self->state == COMMAND_EDGE_REFUSED;
    char text [TXID_TEXT_BYTES];
    outbox_log (participant->service->outbox, alarm ? LEVEL_ALARM : LEVEL_INFO,
                "hold %s %s->%s reservation=%s actor=%s age_ms=%" PRId64 " cause=%s",
                txid_text (&self->txid, text), command_states.states [from],
                command_states.states [self->state], *reservation ? reservation : "-",
                self->actor ? self->actor->name : "-", now->mono_ms - self->held_mono_ms,
                command_states.events [event]);
    service_count (participant->service, counter_names [self->state], 1);
    const usage_t *usage = &participant->resource.usage;
    if (usage->changed && self->state == COMMAND_COMMITTED)
        usage->changed (usage->owner, now, reservation);
}

/*  What the new state does to the capacity and the reservation. */
static void participant_command_act (command_t *self, command_state_t to)
{
    const resource_t *resource = &self->participant->resource;
    switch (to) {
    case COMMAND_COMMITTED:
        participant_command_settle (self);
        break;
    case COMMAND_EDGE_REFUSED:
        /* T10: at the new version, with what it kept of the old */
        reservation_advance (self);
        self->reservation->failed = self->reservation->current == NULL;
        break;
    case COMMAND_ABORTED:
    case COMMAND_EXPIRED:
        self->until_ms = self->decide_by_ms;
        /* fall through */
    case COMMAND_EDGE:
        if (self->taken)
            resource->drop (resource->owner, self->taken);
        self->taken = NULL;
        break;
    default:
        break;
    }
}

static uint32_t version_of (const command_t *self)
{
    return self->reservation ? self->reservation->version : 0;
}

void command_move (command_t *self, const moment_t *now, command_state_t to, command_event_t event)
{
    command_state_t from = self->state;
    assert (states_allow (&command_states, from, event, to));
    bool was_open = command_open (self);
    change_t change = {.from = from,
                       .event = command_states.events [event],
                       .by_time = event == EVENT_TTL || event == EVENT_EDGE,
                       .old_version = version_of (self)};
    self->state = to;
    if (command_open (self) != was_open)
        command_count (self, !was_open);
    if (to == COMMAND_PREPARED)
        self->prepared_ms = now->wall_ms;
    participant_command_act (self, to);

    change.new_version = version_of (self);
    command_put (self, &change);
    if (command_finished (self)) {
        leave_reservation (self);
        doubt_end (self);
    }
    command_watch (self, now);
    if (to == COMMAND_PREPARED)
        doubt_watch (self, now, self->participant->limits.doubt_ms);
    tell_move (self, now, from, event);
}

/*  Past its edge: it may come back only into a window that is still free and not yet over. */
static bool participant_command_readmit (command_t *self, const moment_t *now, refusal_t *refusal)
{
    participant_t *participant = self->participant;
    const resource_t *resource = &participant->resource;
    if (self->span.set &&
        timekeeper_least (&participant->service->timekeeper, now) >= self->span.until_ms)
        return false;
    /* As of its vote: only what is free counts, not how near the window is by now. */
    moment_t voted = *now;
    voted.wall_ms = self->prepared_ms;
    plan_t plan = command_plan (self);
    part_body_t part = part_kept (self->part_kind, self->part);
    self->taken = resource->take (resource->owner, &voted, &plan, self->reservation->current, &part,
                                  false, refusal);
    part_clear (&part);
    codec_clear (&plan_codec, &plan);
    return self->taken != NULL;
}

void command_decide_commit (command_t *self, const moment_t *now, command_event_t event)
{
    assert (self->state == COMMAND_PREPARED || self->state == COMMAND_EDGE);
    if (self->state == COMMAND_PREPARED) {
        command_move (self, now, COMMAND_COMMITTED, event);
        return;
    }
    refusal_t refusal = {0};
    if (participant_command_readmit (self, now, &refusal)) {
        self->late = true;
        command_move (self, now, COMMAND_COMMITTED, event);
    } else {
        command_move (self, now, COMMAND_EDGE_REFUSED, event);
    }
    codec_clear (&refusal_codec, &refusal);
}

void command_tell_final (const command_t *self)
{
    const resource_t *resource = &self->participant->resource;
    if (self->claim && resource->answer_final)
        resource->answer_final (resource->owner, self->claim);
}

void command_mark_done (command_t *self, const moment_t *now)
{
    if (self->done || (self->state != COMMAND_COMMITTED && self->state != COMMAND_EDGE_REFUSED))
        return;
    participant_t *participant = self->participant;
    self->done = true;
    self->done_unstored = true;
    TAILQ_INSERT_TAIL (&participant->done_unstored, self, done_link);
    records_done_later (participant, now);
    command_tell_final (self);
}
