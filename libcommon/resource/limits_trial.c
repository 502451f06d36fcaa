/*  limits_trial - a participant of its own, asked by requests like any other. What a limit counts
 *  in tens of thousands is pretended, all but the last one.
 */
#include "limits_trial.h"

#include "member.h"
#include "must.h"
#include "timetable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIAL_SITE      "trial"
#define TRIAL_NAME      "lis/" TRIAL_SITE
#define TRIAL_HOME      "gis/" TRIAL_SITE
#define TRIAL_UNITS     100 /* so that a percent is one of them */
#define TRIAL_WALL_MS   INT64_C (1000000000000)
#define TRIAL_HOUR_MS   3600000
#define TRIAL_STORE     0x77 /* every byte of its store's id */
#define TRIAL_DECIDE_MS 10000

typedef struct {
    service_t *service;
    room_t *room;
    timetable_t *timetable;
    resource_t resource;
    participant_t *participant;
    access_t access;
    moment_t now;
    uint64_t counter;
} trial_t;

/*  --- the throwaway resource: units of one kind --- */

static bool read_part (bytes_t part, wish_t **wishes, size_t *count, char why [WHY_BYTES])
{
    compute_booking_t *bookings;
    if (!compute_part_decode (part, &bookings, count, why))
        return false;
    *wishes = must (calloc (*count + 1, sizeof **wishes));
    for (size_t i = 0; i < *count; i++) {
        wish_t *wish = &(*wishes) [i];
        *wish = (wish_t){.amount = bookings [i].cpus,
                         .quantity = bookings [i].nodes,
                         .from_ms = bookings [i].from_ms,
                         .until_ms = bookings [i].until_ms};
        memcpy (wish->resource, bookings [i].class_name, sizeof wish->resource);
    }
    free (bookings);
    return true;
}

/*  As good as none. */
static const timetable_limits_t ample = {.bookings_max = TIMETABLE_BOOKINGS_MOST,
                                         .fresh_steps_max = TRIAL_UNITS};

static void trial_open (trial_t *self, const participant_limits_t *limits,
                        const timetable_limits_t *bookings)
{
    static const char *const anybody [] = {"*"};
    const offer_t offer = {.name = TRIAL_SITE, .quantity = TRIAL_UNITS, .unit = 1};
    const part_reader_t reader = {.part_kind = PART_COMPUTE, .read = read_part};
    *self = (trial_t){
      .access = {.accounts = anybody, .accounts_count = 1},
      .now = {.wall_ms = TRIAL_WALL_MS, .store_free_bytes = INT64_MAX, .store_bytes = INT64_MAX},
    };
    self->service = member_new (TRIAL_NAME, NULL, 0);
    self->room = room_new (&(room_settings_t){.name = TRIAL_SITE,
                                              .words = {"resource", "units", "units"},
                                              .terms = {.horizon_ms = 10 * TRIAL_HOUR_MS},
                                              .offers = &offer,
                                              .offers_count = 1},
                           &self->service->timekeeper);
    self->timetable = timetable_new (self->room, &reader, bookings);
    timetable_resource (self->timetable, &self->resource);
    self->participant = participant_new (self->service, &self->resource, limits, &self->access);
    event_t start = {.kind = EVENT_START, .start = {.store = {.start = 1}}};
    memset (start.start.store.id, TRIAL_STORE, STORE_ID_BYTES);
    service_step (self->service, &self->now, &start);
}

static void trial_close (trial_t *self)
{
    participant_destroy (&self->participant);
    timetable_destroy (&self->timetable);
    room_destroy (&self->room);
    service_destroy (&self->service);
}

/*  --- its holds --- */

/*  Who holds: numbers of an actor and of a planner's store. */
typedef struct {
    int actor;
    int planner;
} who_t;

static void name_them (who_t who, txid_t *txid, char actor [NAME_BYTES_MAX + 1],
                       char planner [NAME_BYTES_MAX + 1])
{
    memset (txid->store, who.planner, STORE_ID_BYTES);
    txid_planner (txid, planner);
    snprintf (actor, NAME_BYTES_MAX + 1, "actor%d", who.actor);
}

static packed_t hold_body (trial_t *self, who_t who, uint32_t units,
                           char caller [NAME_BYTES_MAX + 1])
{
    party_t parties [] = {{.name = TRIAL_NAME}, {.name = TRIAL_HOME}};
    memset (parties [0].store, TRIAL_STORE, STORE_ID_BYTES);
    int64_t from_ms = TRIAL_WALL_MS + TRIAL_HOUR_MS;
    hold_t hold = {.part_kind = PART_COMPUTE,
                   .plan = {.txid = {.start = 1, .counter = ++self->counter},
                            .participants = parties,
                            .participants_count = 2,
                            .decide_by_ms = TRIAL_WALL_MS + TRIAL_DECIDE_MS,
                            .edge_ms = from_ms,
                            .home = TRIAL_HOME}};
    plan_t *plan = &hold.plan;
    name_them (who, &plan->txid, plan->actor, plan->coordinator.name);
    memcpy (plan->coordinator.store, plan->txid.store, STORE_ID_BYTES);
    memcpy (plan->owner, plan->actor, sizeof plan->owner);
    snprintf (plan->reservation, sizeof plan->reservation, "r%" PRIu64, self->counter);
    snprintf (plan->request_id, sizeof plan->request_id, "r%" PRIu64 "@" TRIAL_SITE, self->counter);
    compute_booking_t booking = {.need = TRIAL_SITE,
                                 .class_name = TRIAL_SITE,
                                 .cpus = units,
                                 .nodes = units,
                                 .from_ms = from_ms,
                                 .until_ms = from_ms + TRIAL_HOUR_MS};
    packed_t part = compute_part_encode (&booking, 1);
    hold.part = part.data;
    hold.part_size = part.size;
    packed_t body = hold_encode (&hold);
    free (part.data);
    memcpy (caller, plan->coordinator.name, sizeof plan->coordinator.name);
    return body;
}

/*  The name of the limit that refuses so many units for them; "" when they are held, NULL for any
 *  other answer. */
static const char *trial_hold (trial_t *self, who_t who, uint32_t units, command_answer_t *answer)
{
    char caller [NAME_BYTES_MAX + 1];
    packed_t body = hold_body (self, who, units, caller);
    event_t event = {.kind = EVENT_REQUEST,
                     .request = {.service = "Participant",
                                 .method = "Hold",
                                 .actor = caller,
                                 .request_id = "",
                                 .body = {.data = body.data, .size = body.size},
                                 .reply_to = 1}};
    service_step (self->service, &self->now, &event);
    free (body.data);
    *answer = (command_answer_t){0};
    effect_t effect;
    char why [WHY_BYTES];
    bool told = false;
    while (service_next (self->service, &effect))
        if (effect.kind == EFFECT_REPLY && effect.reply.status == CALL_OK)
            told = command_answer_decode (answer, effect.reply.body, why);
    if (told && answer->refusal.reason == REFUSAL_LIMIT)
        return answer->refusal.resource;
    return told && answer->state == COMMAND_HELD ? "" : NULL;
}

static bool holds (trial_t *self, who_t who, uint32_t units)
{
    command_answer_t answer;
    const char *limit = trial_hold (self, who, units, &answer);
    bool held = limit && !*limit;
    command_answer_clear (&answer);
    return held;
}

static bool refuses (trial_t *self, who_t who, uint32_t units, const char *name)
{
    command_answer_t answer;
    const char *limit = trial_hold (self, who, units, &answer);
    bool refused = limit && strcmp (limit, name) == 0 && answer.refusal.frees_ms > TRIAL_WALL_MS;
    command_answer_clear (&answer);
    return refused;
}

static bool no (char why [WHY_BYTES], const char *limit, uint32_t most)
{
    snprintf (why, WHY_BYTES, "limits/%s = %" PRIu32 ": tried at the start, it does not hold",
              limit, most);
    return false;
}

/*  --- what is tried --- */

static void pretend (trial_t *self, who_t who, int64_t open)
{
    txid_t txid = {.start = 1};
    char actor [NAME_BYTES_MAX + 1];
    char planner [NAME_BYTES_MAX + 1];
    name_them (who, &txid, actor, planner);
    participant_pretend (self->participant, actor, planner, open);
}

/*  Each of the three counts differs from the others in who is the same in all its holds. */
static bool try_count (const participant_limits_t *limits, const char *name, size_t offset,
                       who_t step, char why [WHY_BYTES])
{
    participant_limits_t alone = *limits;
    alone.holds_max = alone.holds_per_actor_max = alone.holds_per_planner_max = UINT32_MAX;
    uint32_t most = *(const uint32_t *) ((const char *) limits + offset);
    *(uint32_t *) ((char *) &alone + offset) = most;
    trial_t trial;
    who_t who = {.actor = 1, .planner = 1};
    trial_open (&trial, &alone, &ample);
    bool first = holds (&trial, who, 1);
    size_t pretended = most > 2 ? most - 2 : 0;
    if (first)
        pretend (&trial, who, (int64_t) pretended);
    who_t other = {.actor = 1 + step.actor, .planner = 1 + step.planner};
    bool good = first && (most == 1 || holds (&trial, other, 1));
    who_t third = {.actor = 1 + 2 * step.actor, .planner = 1 + 2 * step.planner};
    good = good && refuses (&trial, third, 1, name);
    if (first)
        pretend (&trial, who, -(int64_t) pretended);
    trial_close (&trial);
    return good || no (why, name, most);
}

static bool try_counts (const participant_limits_t *limits, char why [WHY_BYTES])
{
    return try_count (limits, "holds_max", offsetof (participant_limits_t, holds_max),
                      (who_t){.actor = 1, .planner = 1}, why) &&
           try_count (limits, "holds_per_actor_max",
                      offsetof (participant_limits_t, holds_per_actor_max), (who_t){.planner = 1},
                      why) &&
           try_count (limits, "holds_per_planner_max",
                      offsetof (participant_limits_t, holds_per_planner_max), (who_t){.actor = 1},
                      why);
}

/*  Up to the share, one more; and one alone may have all. */
static bool try_share (const uncommitted_limits_t *shares, const char *name, who_t step,
                       char why [WHY_BYTES])
{
    uint32_t percent = shares->share               ? shares->share
                       : shares->share_per_planner ? shares->share_per_planner
                                                   : shares->share_per_actor;
    if (percent == 0 || percent >= 100)
        return true; /* no other limit than what there is */
    trial_t trial;
    who_t who = {.actor = 1, .planner = 1};
    who_t other = {.actor = 1 + step.actor, .planner = 1 + step.planner};
    timetable_limits_t alone = ample;
    alone.uncommitted = *shares;
    trial_open (&trial, &participant_limits_default, &alone);
    bool good = holds (&trial, who, percent) && refuses (&trial, other, 1, name);
    trial_close (&trial);
    trial_open (&trial, &participant_limits_default, &alone);
    good = good && holds (&trial, who, TRIAL_UNITS);
    trial_close (&trial);
    return good || no (why, name, percent);
}

static bool try_shares (const uncommitted_limits_t *limits, char why [WHY_BYTES])
{
    return try_share (&(uncommitted_limits_t){.share = limits->share}, UNCOMMITTED_SHARE,
                      (who_t){.actor = 1, .planner = 1}, why) &&
           try_share (&(uncommitted_limits_t){.share_per_planner = limits->share_per_planner},
                      UNCOMMITTED_SHARE_PER_PLANNER, (who_t){.actor = 1}, why) &&
           try_share (&(uncommitted_limits_t){.share_per_actor = limits->share_per_actor},
                      UNCOMMITTED_SHARE_PER_ACTOR, (who_t){.planner = 1}, why);
}

/*  A hold of one booking takes two of them: what it has booked, and what it will. */
static bool try_bookings (const timetable_limits_t *alone, const char *name, uint32_t most,
                          who_t step, char why [WHY_BYTES])
{
    trial_t trial;
    who_t who = {.actor = 1, .planner = 1};
    who_t other = {.actor = 1 + step.actor, .planner = 1 + step.planner};
    int64_t pretended = most > 4 ? (int64_t) most - 4 : 0;
    char actor [NAME_BYTES_MAX + 1];
    char planner [NAME_BYTES_MAX + 1];
    name_them (who, &(txid_t){0}, actor, planner);
    trial_open (&trial, &participant_limits_default, alone);
    bool good = holds (&trial, who, 1);
    timetable_pretend (trial.timetable, actor, pretended);
    good = good && (most < 4 || holds (&trial, other, 1)) && refuses (&trial, other, 1, name);
    timetable_pretend (trial.timetable, actor, -pretended);
    trial_close (&trial);
    return good || no (why, name, most);
}

static bool try_timetable (const timetable_limits_t *limits, char why [WHY_BYTES])
{
    timetable_limits_t all = ample;
    timetable_limits_t each = ample;
    all.bookings_max = limits->bookings_max;
    each.bookings_per_actor_max = limits->bookings_per_actor_max;
    return try_bookings (&all, BOOKINGS_IN_ALL, limits->bookings_max,
                         (who_t){.actor = 1, .planner = 1}, why) &&
           (limits->bookings_per_actor_max == 0 ||
            try_bookings (&each, BOOKINGS_PER_ACTOR, limits->bookings_per_actor_max,
                          (who_t){.planner = 1}, why)) &&
           try_shares (&limits->uncommitted, why);
}

bool limits_trial (const participant_limits_t *limits, const timetable_limits_t *bookings,
                   char why [WHY_BYTES])
{
    return try_counts (limits, why) && (!bookings || try_timetable (bookings, why));
}

static void on_start (void *owner, const moment_t *now)
{
    (void) now;
    service_t *service = owner;
    outbox_log (service->outbox, LEVEL_INFO, "limits checked");
}

void limits_trial_tell (service_t *service)
{
    service_at_start (service, on_start, service);
}

void limits_show (service_t *service, const participant_limits_t *limits,
                  const timetable_limits_t *bookings)
{
    service_limit (service, "hold_ttl_ms_max", limits->hold_ttl_ms_max);
    service_limit (service, "hold_age_ms_max", limits->hold_age_ms_max);
    service_limit (service, "holds_max", limits->holds_max);
    service_limit (service, "holds_per_actor_max", limits->holds_per_actor_max);
    service_limit (service, "holds_per_planner_max", limits->holds_per_planner_max);
    service_limit (service, "tombstones_max", limits->tombstones_max);
    service_limit (service, "tombstones_per_planner_max", limits->tombstones_per_planner_max);
    if (!bookings)
        return;
    const uncommitted_limits_t *uncommitted = &bookings->uncommitted;
    service_limit (service, BOOKINGS_IN_ALL, bookings->bookings_max);
    service_limit (service, BOOKINGS_PER_ACTOR, bookings->bookings_per_actor_max);
    service_limit (service, UNCOMMITTED_SHARE, uncommitted->share);
    service_limit (service, UNCOMMITTED_SHARE_PER_PLANNER, uncommitted->share_per_planner);
    service_limit (service, UNCOMMITTED_SHARE_PER_ACTOR, uncommitted->share_per_actor);
}
