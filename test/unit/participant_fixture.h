/*  participant_fixture - a participant in a rig: a real service, a simple resource, a store that is
 *  a list, clocks turned by hand. Everything goes in by events and comes out by effects.
 */
#ifndef MUSUBI_PARTICIPANT_FIXTURE_H
#define MUSUBI_PARTICIPANT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <assert.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "host_in_memory.h"
#include "member.h"
#include "must.h"
#include "participant.h"
#include "participant_records.h"

#define PLANNER       "planner/11111111111111111111111111111111"
#define OTHER_PLANNER "planner/22222222222222222222222222222222"
#define WALL_MS       INT64_C (1800000000000)
#define HOUR_MS       INT64_C (3600000)
#define CALLS_KEPT    64

#define RIG_SEGMENTS_MAX 64

/*  --- a resource: nodes of one class, counted the plain way --- */

typedef struct thing {
    struct thing *next;
    const struct thing *over; /* taken beyond this one */
    bool settled;
    char reservation [NAME_BYTES_MAX + 1];
    compute_booking_t *bookings;
    size_t count;
} thing_t;

typedef struct {
    thing_t *things;
    int64_t capacity;
} pool_t;

static inline int64_t thing_load (const thing_t *thing, int64_t at_ms)
{
    int64_t load = 0;
    for (size_t i = 0; thing && i < thing->count; i++)
        if (thing->bookings [i].from_ms <= at_ms && at_ms < thing->bookings [i].until_ms)
            load += thing->bookings [i].nodes;
    return load;
}

/*  While a change is pending the larger of old and new is carried (T11). */
static inline int64_t pool_load (const pool_t *self, int64_t at_ms)
{
    int64_t load = 0;
    for (const thing_t *thing = self->things; thing; thing = thing->next) {
        int64_t own = thing_load (thing, at_ms);
        if (!thing->settled) {
            int64_t old = thing_load (thing->over, at_ms);
            own = own > old ? own - old : 0;
        }
        load += own;
    }
    return load;
}

static inline size_t pool_things (const pool_t *self)
{
    size_t count = 0;
    for (const thing_t *thing = self->things; thing; thing = thing->next)
        count++;
    return count;
}

/*  The most that is booked at any moment; loads change only where a booking begins. */
static inline int64_t pool_peak (const pool_t *self)
{
    int64_t peak = 0;
    for (const thing_t *thing = self->things; thing; thing = thing->next)
        for (size_t i = 0; i < thing->count; i++) {
            int64_t load = pool_load (self, thing->bookings [i].from_ms);
            peak = load > peak ? load : peak;
        }
    return peak;
}

static inline void thing_free (pool_t *self, thing_t *thing)
{
    for (thing_t **at = &self->things; *at; at = &(*at)->next) {
        if (*at == thing) {
            *at = thing->next;
            free (thing->bookings);
            free (thing);
            return;
        }
    }
    fail_msg ("freed a thing that is not there");
}

static inline void *pool_take (void *owner, const moment_t *now, const plan_t *plan,
                               const void *current, const part_body_t *part, bool forced,
                               refusal_t *refusal)
{
    pool_t *self = owner;
    thing_t *thing = calloc (1, sizeof *thing);
    assert_non_null (thing);
    thing->count = part->compute.bookings_count;
    thing->bookings = must_copy (part->compute.bookings, thing->count * sizeof *thing->bookings);
    thing->over = current;
    thing->next = self->things;
    self->things = thing;
    memcpy (thing->reservation, plan->reservation, sizeof thing->reservation);
    for (size_t i = 0; i < thing->count && !forced; i++) {
        const compute_booking_t *booking = &thing->bookings [i];
        if (booking->from_ms < now->wall_ms)
            refusal->reason = REFUSAL_TOO_NEAR;
    }
    if (!forced && refusal->reason == REFUSAL_NONE && pool_peak (self) > self->capacity) {
        refusal->reason = REFUSAL_SHORT;
        refusal->wanted = pool_peak (self);
        refusal->free = self->capacity;
        snprintf (refusal->resource, sizeof refusal->resource, "ams/thin");
        refusal->fresh = calloc (1, sizeof *refusal->fresh);
        refusal->fresh_count = 1;
        snprintf (refusal->fresh [0].resource, NAME_BYTES_MAX, "thin");
        refusal->fresh [0].steps = calloc (1, sizeof (profile_step_t));
        refusal->fresh [0].steps [0].from_ms = thing->bookings [0].from_ms;
        refusal->fresh [0].steps_count = 1;
        refusal->fresh [0].until_ms = thing->bookings [0].until_ms;
    }
    if (forced || refusal->reason == REFUSAL_NONE)
        return thing;
    thing_free (self, thing);
    return NULL;
}

static inline void pool_drop (void *owner, void *taken)
{
    assert_false (((thing_t *) taken)->settled);
    thing_free (owner, taken);
}

static inline void *pool_settle (void *owner, void *current, void *taken)
{
    thing_t *thing = taken;
    assert_ptr_equal (thing->over, current);
    if (current)
        thing_free (owner, current);
    thing->settled = true;
    thing->over = NULL;
    if (thing->count > 0)
        return thing;
    thing_free (owner, thing);
    return NULL;
}

static inline void pool_end (void *owner, void *current)
{
    assert_true (((thing_t *) current)->settled);
    thing_free (owner, current);
}

static inline span_t pool_span (void *owner, const part_body_t *part)
{
    (void) owner;
    const compute_booking_t *bookings = part->compute.bookings;
    span_t span = {.set = part->compute.bookings_count > 0};
    for (size_t i = 0; i < part->compute.bookings_count; i++) {
        if (i == 0 || bookings [i].from_ms < span.from_ms)
            span.from_ms = bookings [i].from_ms;
        if (i == 0 || bookings [i].until_ms > span.until_ms)
            span.until_ms = bookings [i].until_ms;
    }
    return span;
}

static inline bool pool_valid (void *owner, const plan_t *plan, const part_body_t *part,
                               refusal_t *refusal, char why [WHY_BYTES])
{
    (void) owner;
    (void) plan;
    (void) why;
    for (size_t i = 0; i < part->compute.bookings_count; i++)
        if (strcmp (part->compute.bookings [i].class_name, "thin") != 0)
            refusal->reason = REFUSAL_UNKNOWN_RESOURCE;
    return refusal->reason == REFUSAL_NONE;
}

/*  --- the rig --- */

typedef struct {
    uint64_t call;
    char endpoint [64];
    char service [32];
    char method [32];
    uint8_t to_store [STORE_ID_BYTES];
    packed_t body;
} asked_t;

typedef struct {
    memory_host_t host;
    service_t *service;
    participant_t *participant;
    pool_t pool;
    resource_t resource;
    participant_limits_t limits;
    access_t access;
    records_t rows;                   /* of the ledger, in the store */
    records_t exported;               /* those in segments */
    uint64_t ends [RIG_SEGMENTS_MAX]; /* the last row of each segment that was made */
    size_t ends_count;
    uint64_t work;     /* that was ordered and has not ended; 0 = none */
    packed_t order;    /* its arguments */
    uint64_t segments; /* bytes, as a work's end tells */
    bool reading;      /* rows were asked for in the last step */
    read_order_t read;
    uint64_t read_from;
    size_t puts;   /* in the last step */
    size_t alarms; /* log lines of that level, ever */
    asked_t asked [CALLS_KEPT];
    size_t asked_count;
    bool replied; /* in the last step */
    call_status_t status;
    char reason [256];
    packed_t reply;
} participant_rig_t;

/*  New rows of the ledger are added at the end, old ones removed from the front. */
static inline void rig_keep_row (participant_rig_t *rig, const effect_t *effect)
{
    size_t at = records_at (&rig->rows, TABLE_LEDGER, effect->record.key);
    assert_int_equal (at, effect->kind == EFFECT_DELETE ? 0 : rig->rows.count);
    records_change (&rig->rows, effect);
}

static inline void rig_ask (participant_rig_t *rig, const effect_t *effect)
{
    assert_true (rig->asked_count < CALLS_KEPT);
    asked_t *asked = &rig->asked [rig->asked_count++];
    *asked = (asked_t){.call = effect->call.call, .body = packed_copy (effect->call.body)};
    snprintf (asked->endpoint, sizeof asked->endpoint, "%s", effect->call.endpoint);
    snprintf (asked->service, sizeof asked->service, "%s", effect->call.service);
    snprintf (asked->method, sizeof asked->method, "%s", effect->call.method);
    memcpy (asked->to_store, effect->call.to_store, STORE_ID_BYTES);
}

static inline void rig_take (void *owner, const effect_t *effect)
{
    participant_rig_t *rig = owner;
    switch (effect->kind) {
    case EFFECT_PUT:
    case EFFECT_DELETE:
        rig_keep_row (rig, effect);
        break;
    case EFFECT_READ:
        assert_false (rig->reading);
        rig->reading = true;
        rig->read = effect->read;
        rig->read_from = ledger_number (effect->read.from);
        break;
    case EFFECT_REPLY:
        assert_false (rig->replied);
        rig->replied = true;
        rig->status = effect->reply.status;
        snprintf (rig->reason, sizeof rig->reason, "%s", effect->reply.reason);
        free (rig->reply.data);
        rig->reply = packed_copy (effect->reply.body);
        break;
    case EFFECT_CALL:
        rig_ask (rig, effect);
        break;
    case EFFECT_LOG:
        rig->alarms += effect->log.level == LEVEL_ALARM;
        break;
    case EFFECT_WORK:
        assert_string_equal (effect->work.kind, SEGMENT_WORK);
        assert_int_equal (rig->work, 0);
        rig->work = effect->work.work;
        rig->order = packed_copy (effect->work.arguments);
        break;
    default:
        fail_msg ("an effect that a participant has no use for: %d", (int) effect->kind);
    }
}

/*  All rows of the ledger; those of segments that are in the store, too, are shown from there. */
static inline records_t rig_all_rows (const participant_rig_t *rig)
{
    records_t all = records_copy (&rig->exported);
    for (size_t i = 0; i < rig->rows.count; i++)
        records_put (&all, TABLE_LEDGER, kept_bytes (rig->rows.list [i].key),
                     kept_bytes (rig->rows.list [i].value));
    return all;
}

/*  Is it the last row of a segment, and in no other place? A page ends there, as the host's do. */
static inline bool rig_segment_ends (participant_rig_t *rig, bytes_t key)
{
    bool ends = false;
    for (size_t i = 0; i < rig->ends_count; i++)
        ends = ends || rig->ends [i] == segment_number (key);
    return ends && !records_find (&rig->rows, TABLE_LEDGER, key);
}

/*  Hands over the rows that were asked for, in a step of its own. */
static inline void rig_show_rows (participant_rig_t *rig)
{
    records_t all = rig->read.store_alone ? records_copy (&rig->rows) : rig_all_rows (rig);
    row_t *rows = calloc (all.count + 1, sizeof *rows);
    assert_non_null (rows);
    event_t event = {.kind = EVENT_ROWS, .rows = {.read = rig->read.read, .rows = rows}};
    size_t bytes = 0;
    for (size_t i = 0; i < all.count && !event.rows.more; i++) {
        row_t row = {.key = kept_bytes (all.list [i].key),
                     .value = kept_bytes (all.list [i].value)};
        bytes += row.key.size + row.value.size;
        if (ledger_number (row.key) < rig->read_from)
            bytes = 0;
        else if (event.rows.count == rig->read.most ||
                 (event.rows.count > 0 && bytes > rig->read.bytes) ||
                 (event.rows.count > 0 && rig_segment_ends (rig, rows [event.rows.count - 1].key)))
            event.rows.more = true;
        else
            rows [event.rows.count++] = row;
    }
    rig->reading = false;
    memory_host_step (&rig->host, &event);
    free (rows);
    records_clear (&all);
}

static inline void rig_step (void *owner, const event_t *event)
{
    participant_rig_t *rig = owner;
    size_t puts = rig->host.puts;
    rig->replied = false;
    memory_host_step (&rig->host, event);
    rig->puts = rig->host.puts - puts;
    while (rig->reading)
        rig_show_rows (rig);
    if (event->kind != EVENT_RECORD)
        participant_check (rig->participant);
}

/*  The rows that were ordered are in a segment; segments that end before kept_from are deleted. */
static inline void rig_export (participant_rig_t *rig)
{
    bytes_t rows = {rig->order.data + SEGMENT_ORDER_BYTES, rig->order.size - SEGMENT_ORDER_BYTES};
    uint64_t kept_from = number_get (rig->order.data, SEGMENT_ORDER_BYTES);
    uint64_t end = 0;
    for (row_t row; segment_take (&rows, &row); end = segment_number (row.key))
        records_put (&rig->exported, TABLE_LEDGER, row.key, row.value);
    assert_true (rig->ends_count < RIG_SEGMENTS_MAX);
    if (end > 0)
        rig->ends [rig->ends_count++] = end;
    while (rig->exported.count > 0 &&
           segment_number (kept_bytes (rig->exported.list [0].key)) < kept_from)
        records_delete (&rig->exported, TABLE_LEDGER, kept_bytes (rig->exported.list [0].key));
}

/*  Its process hears of the end of its work: all of it is done, or nothing. */
static inline void rig_end_work (participant_rig_t *rig, bool ok)
{
    uint8_t result [SEGMENT_BYTES_BYTES];
    assert_true (rig->work > 0);
    uint64_t work = rig->work;
    number_put (result, rig->segments, sizeof result);
    if (ok)
        rig_export (rig);
    free (rig->order.data);
    rig->order = (packed_t){0};
    rig->work = 0;
    rig_step (rig, &(event_t){
                     .kind = EVENT_WORK,
                     .work = {.work = work, .ok = ok, .result = {result, ok ? sizeof result : 0}}});
}

static inline void rig_forget_calls (participant_rig_t *rig)
{
    for (size_t i = 0; i < rig->asked_count; i++)
        free (rig->asked [i].body.data);
    rig->asked_count = 0;
}

static inline void rig_recall (participant_rig_t *rig, const host_in_memory_kept_t *kept)
{
    rig_step (rig, &(event_t){.kind = EVENT_RECORD,
                              .record = {.table = kept->table,
                                         .key = {kept->key.data, kept->key.size},
                                         .value = {kept->value.data, kept->value.size}}});
}

static inline ledger_quantity_t *rig_quantities (void *owner, size_t *count)
{
    const participant_rig_t *rig = owner;
    ledger_quantity_t *list = calloc (1, sizeof *list);
    assert_non_null (list);
    *list = (ledger_quantity_t){.resource = "thin", .quantity = rig->pool.capacity};
    *count = 1;
    return list;
}

static inline void rig_boot (participant_rig_t *rig)
{
    rig->service = member_new ("lis/ams", NULL, 0);
    rig->participant = participant_new (rig->service, &rig->resource, &rig->limits, &rig->access);
    ledger_capacities (ledger_of (rig->service), rig_quantities, rig);
    rig->host.core = service_as_core (rig->service);
    memory_host_boot (&rig->host,
                      rig->rows.count > 0 ? &rig->rows.list [rig->rows.count - 1] : NULL,
                      "sim://lis/ams", rig_step);
}

static inline participant_rig_t *rig_new (int64_t capacity)
{
    static const char *const accounts [] = {"alice", "bob", "root"};
    static const char *const administrators [] = {"root"};
    participant_rig_t *rig = calloc (1, sizeof *rig);
    assert_non_null (rig);
    rig->pool.capacity = capacity;
    rig->resource = (resource_t){.owner = &rig->pool,
                                 .part_kind = PART_COMPUTE,
                                 .take = pool_take,
                                 .drop = pool_drop,
                                 .settle = pool_settle,
                                 .end = pool_end,
                                 .span = pool_span,
                                 .valid = pool_valid};
    rig->limits = SETTINGS_PRESET (participant_limits_t, &participant_table);
    rig->access = (access_t){.accounts = accounts,
                             .accounts_count = 3,
                             .administrators = administrators,
                             .administrators_count = 1};
    rig->host = memory_host (WALL_MS, 5000, rig_take, rig);
    memset (rig->host.store.id, 0xaa, STORE_ID_BYTES);
    return rig;
}

static inline participant_rig_t *rig_started (int64_t capacity)
{
    participant_rig_t *rig = rig_new (capacity);
    rig_boot (rig);
    return rig;
}

static inline void rig_stop (participant_rig_t *rig)
{
    participant_destroy (&rig->participant);
    service_destroy (&rig->service);
    assert_int_equal (pool_things (&rig->pool), 0);
    rig_forget_calls (rig);
    free (rig->order.data);
    rig->order = (packed_t){0};
    rig->work = 0;
    rig->reading = false;
}

/*  The process dies and is started again ms later on the records that it had stored. */
static inline void rig_restart (participant_rig_t *rig, int64_t ms)
{
    rig_stop (rig);
    rig->host.now.wall_ms += ms;
    rig->host.now.mono_ms += ms;
    rig_boot (rig);
}

static inline void rig_destroy (participant_rig_t *rig)
{
    rig_stop (rig);
    records_clear (&rig->host.records);
    memory_host_forget_reads (&rig->host);
    records_clear (&rig->rows);
    records_clear (&rig->exported);
    free (rig->reply.data);
    free (rig);
}

/*  Time passes, alarm by alarm. */
static inline void rig_pass (participant_rig_t *rig, int64_t ms)
{
    memory_host_pass (&rig->host, ms, rig_step);
}

/*  Ends body. */
/*  Sends it, and tells whether it is answered in that step. */
static inline bool rig_answers (participant_rig_t *rig, const char *actor, const char *method,
                                packed_t body)
{
    rig_step (rig, &(event_t){.kind = EVENT_REQUEST,
                              .request = {.service = "Participant",
                                          .method = method,
                                          .actor = actor,
                                          .request_id = "",
                                          .body = {body.data, body.size},
                                          .reply_to = 1}});
    free (body.data);
    return rig->replied;
}

static inline void rig_request (participant_rig_t *rig, const char *actor, const char *method,
                                packed_t body)
{
    assert_true (rig_answers (rig, actor, method, body));
}

/*  The answer to a command verb; the memory that it owned is freed. */
static inline command_answer_t rig_answer (participant_rig_t *rig)
{
    command_answer_t answer;
    char why [WHY_BYTES];
    if (rig->status != CALL_OK)
        fail_msg ("refused: %s", rig->reason);
    assert_true (codec_decode (&command_answer_codec, &answer,
                               (bytes_t){rig->reply.data, rig->reply.size}, why));
    command_answer_t told = answer;
    codec_clear (&command_answer_codec, &answer);
    told.refusal.fresh = NULL;
    told.refusal.holder = NULL;
    told.refusal.answer = NULL;
    return told;
}

/*  --- plans --- */

static inline txid_t txid_numbered (uint64_t counter)
{
    txid_t txid = {.start = 1, .counter = counter};
    memset (txid.store, 0x11, STORE_ID_BYTES);
    return txid;
}

static inline void party_set (participant_ref_t *party, const char *name, int store)
{
    *party = (participant_ref_t){0};
    snprintf (party->name, sizeof party->name, "%s", name);
    snprintf (party->endpoint, sizeof party->endpoint, "sim://%s", name);
    memset (party->store, store, STORE_ID_BYTES);
}

/*  A hold of nodes at lis/ams [from, until) hours from WALL_MS, for alice, with lis/tyo and gis/g1
 *  as the other participants. nodes 0: an empty part. End it with codec_clear. */
static inline hold_t hold_of (const participant_rig_t *rig, uint64_t counter, operation_t operation,
                              const char *reservation, uint32_t base_version, uint32_t nodes,
                              int64_t from_h, int64_t until_h)
{
    hold_t hold = {.part_kind = PART_COMPUTE, .prepare = true};
    plan_t *plan = &hold.plan;
    plan->txid = txid_numbered (counter);
    plan->operation = operation;
    snprintf (plan->reservation, sizeof plan->reservation, "%s", reservation);
    plan->base_version = base_version;
    plan->participants = calloc (3, sizeof (participant_ref_t));
    plan->participants_count = 3;
    party_set (&plan->participants [0], "lis/ams", 0xaa);
    party_set (&plan->participants [1], "lis/tyo", 0xbb);
    party_set (&plan->participants [2], "gis/g1", 0xcc);
    party_set (&plan->coordinator, PLANNER, 0x11);
    plan->decide_by_ms = rig->host.now.wall_ms + 10000;
    plan->edge_ms = WALL_MS + from_h * HOUR_MS;
    snprintf (plan->actor, sizeof plan->actor, "alice");
    snprintf (plan->request_id, sizeof plan->request_id, "r%d@g1", (int) counter);
    snprintf (plan->home, sizeof plan->home, "gis/g1");
    compute_booking_t booking = {.cpus = nodes,
                                 .nodes = nodes,
                                 .from_ms = WALL_MS + from_h * HOUR_MS,
                                 .until_ms = WALL_MS + until_h * HOUR_MS};
    snprintf (booking.need, sizeof booking.need, "ocean");
    snprintf (booking.class_name, sizeof booking.class_name, "thin");
    packed_t part = compute_part_encode (&booking, nodes > 0);
    hold.part = part.data;
    hold.part_size = part.size;
    return hold;
}

/*  Sends the hold, and frees it. */
static inline command_answer_t rig_hold_as (participant_rig_t *rig, const char *caller, hold_t hold)
{
    rig_request (rig, caller, "Hold", codec_encode (&hold_codec, &hold));
    codec_clear (&hold_codec, &hold);
    return rig_answer (rig);
}

static inline command_answer_t rig_hold (participant_rig_t *rig, hold_t hold)
{
    return rig_hold_as (rig, PLANNER, hold);
}

/*  Sends Renew, Prepare, Commit, Abort or Resolve of the txid with this counter, as that caller. */
static inline command_answer_t rig_verb_as (participant_rig_t *rig, const char *caller,
                                            const char *method, uint64_t counter)
{
    txid_t txid = txid_numbered (counter);
    rig_request (rig, caller, method,
                 strcmp (method, "Resolve") == 0
                   ? codec_encode (&resolve_request_codec,
                                   &(resolve_request_t){txid, rig->host.now.wall_ms + 10000})
                   : codec_encode (&decision_request_codec, &(decision_request_t){txid, 0}));
    return rig_answer (rig);
}

static inline command_answer_t rig_verb (participant_rig_t *rig, const char *method,
                                         uint64_t counter)
{
    return rig_verb_as (rig, PLANNER, method, counter);
}

/*  Makes a reservation in the shortest way: held and prepared at once, then committed. */
static inline void rig_reserve (participant_rig_t *rig, uint64_t counter, const char *reservation,
                                uint32_t nodes, int64_t from_h, int64_t until_h)
{
    command_answer_t answer = rig_hold (
      rig, hold_of (rig, counter, OPERATION_RESERVE, reservation, 0, nodes, from_h, until_h));
    assert_int_equal (answer.state, COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Commit", counter).state, COMMAND_COMMITTED);
}

/*  The state that the participant has on record, as an auditor sees it. */
typedef struct {
    txid_t txid;
    command_state_t state;
    bool done;
} sought_t;

static inline bool seek (void *owner, const command_view_t *command)
{
    sought_t *sought = owner;
    if (txid_compare (&command->plan->txid, &sought->txid) != 0)
        return true;
    sought->state = command->state;
    sought->done = command->done;
    return false;
}

/*  Shows a stored record to visit when its command is not in memory. */
static inline void rig_visit_stored (const participant_rig_t *rig,
                                     const host_in_memory_kept_t *kept,
                                     bool (*visit) (void *owner, const command_view_t *command),
                                     void *owner)
{
    command_record_t record;
    plan_t plan;
    bytes_t part;
    txid_t txid;
    char why [WHY_BYTES];
    if (!txid_unpack (&txid, kept_bytes (kept->key)))
        return;
    if (participant_command (rig->participant, &txid, &plan, &part)) {
        codec_clear (&plan_codec, &plan);
        return;
    }
    if (codec_decode (&command_record_codec, &record, kept_bytes (kept->value), why)) {
        if (record.plan.size > 0 &&
            codec_decode (&plan_codec, &plan, kept_bytes (record.plan), why)) {
            visit (owner, &(command_view_t){.plan = &plan,
                                            .state = record.state,
                                            .part = kept_bytes (record.part),
                                            .done = record.done});
            codec_clear (&plan_codec, &plan);
        }
        codec_clear (&command_record_codec, &record);
    }
}

/*  All commands that have a plan: in memory, then those that are shelved. */
static inline void rig_commands (const participant_rig_t *rig,
                                 bool (*visit) (void *owner, const command_view_t *command),
                                 void *owner)
{
    participant_commands (rig->participant, NULL, visit, owner);
    for (size_t i = 0; i < rig->host.records.count; i++)
        if (rig->host.records.list [i].table == TABLE_COMMANDS)
            rig_visit_stored (rig, &rig->host.records.list [i], visit, owner);
}

static inline sought_t rig_command (const participant_rig_t *rig, uint64_t counter)
{
    sought_t sought = {.txid = txid_numbered (counter)};
    rig_commands (rig, seek, &sought);
    return sought;
}

static inline command_state_t rig_state (const participant_rig_t *rig, uint64_t counter)
{
    return rig_command (rig, counter).state;
}

/*  Nodes booked so many hours from WALL_MS. */
static inline int64_t rig_load (const participant_rig_t *rig, int64_t hour)
{
    return pool_load (&rig->pool, WALL_MS + hour * HOUR_MS);
}

static inline int64_t rig_counter (const participant_rig_t *rig, const char *name)
{
    for (size_t i = 0; i < rig->service->counters_count; i++)
        if (strcmp (rig->service->counters [i].name, name) == 0)
            return rig->service->counters [i].value;
    return 0;
}

/*  The oldest question not yet answered, of this method; NULL when there is none. */
static inline asked_t *rig_asked (participant_rig_t *rig, const char *method)
{
    for (size_t i = 0; i < rig->asked_count; i++)
        if (rig->asked [i].call != 0 && strcmp (rig->asked [i].method, method) == 0)
            return &rig->asked [i];
    return NULL;
}

/*  Frees body. store: of the service that answers; a time-out has none. */
static inline void rig_tell (participant_rig_t *rig, asked_t *asked, call_status_t status,
                             packed_t body, int store)
{
    event_t event = {.kind = EVENT_ANSWER,
                     .answer = {.call = asked->call,
                                .status = status,
                                .reason = "",
                                .body = {body.data, body.size},
                                .store_start = 1}};
    memset (event.answer.store, store, STORE_ID_BYTES);
    asked->call = 0;
    rig_step (rig, &event);
    free (body.data);
}

static inline void rig_tell_outcome (participant_rig_t *rig, uint64_t counter, outcome_t outcome,
                                     bool done)
{
    asked_t *asked = rig_asked (rig, "Outcome");
    assert_non_null (asked);
    txid_t txid = txid_numbered (counter);
    rig_tell (rig, asked, CALL_OK,
              codec_encode (&outcome_answer_codec, &(outcome_answer_t){txid, outcome, done}),
              asked->to_store [0]);
}

static inline void rig_tell_silence (participant_rig_t *rig, const char *method)
{
    asked_t *asked = rig_asked (rig, method);
    assert_non_null (asked);
    rig_tell (rig, asked, CALL_TIMED_OUT, (packed_t){0}, 0);
}

static inline void rig_tell_state (participant_rig_t *rig, uint64_t counter, command_state_t state)
{
    asked_t *asked = rig_asked (rig, "Resolve");
    assert_non_null (asked);
    command_answer_t answer = {.txid = txid_numbered (counter), .state = state};
    rig_tell (rig, asked, CALL_OK, codec_encode (&command_answer_codec, &answer),
              asked->to_store [0]);
}

#endif
