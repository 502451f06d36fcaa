/*  service_fixture - the core of a site or a domain under a host made of arrays: events in, effects
 *  looked at, records kept for a restart. No socket, no clock.
 *
 *  Before the include, the including file defines:
 *
 *      settings_t, fixture_core                  what the core is made of, and its maker
 *      FIXTURE_NAME                              its name, FIXTURE_NAME
 *      booking_t, FIXTURE_PART, fixture_part     what a part is a list of, its kind and its encoder
 *      fixture_announced                         a quantity out of an announced entry
 */
#ifndef MUSUBI_SERVICE_FIXTURE_H
#define MUSUBI_SERVICE_FIXTURE_H

#include "host_in_memory.h"
#include "message.h"

#include "calendar.pb-c.h"
#include "gis.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EPOCH_MS  INT64_C (1700000000000)
#define MINUTE_MS INT64_C (60000)
#ifndef CALLS_MAX
#define CALLS_MAX 16
#endif
#define PLANNER "planner/00000000000000000000000000000001"

typedef struct {
    settings_t settings;
    memory_host_t host; /* its store's id zero = fixture_store */
    const char *name;   /* NULL = FIXTURE_NAME */

    /*  Carries calls, and replies to requests of others, to other services; NULL = they are lost.
     */
    void (*carry) (void *owner, const effect_t *effect);
    void *carrier;
    struct {
        uint64_t call;
        int64_t ends_ms; /* no call is ever answered */
    } calls [CALLS_MAX];
    size_t calls_count;
    size_t notices;              /* "calendar" published */
    size_t settled_notices;      /* "reservation" published */
    size_t use_notices;          /* "use" published */
    size_t opening_notices;      /* "opening" published */
    size_t announced;            /* Gis.Announce called */
    uint32_t announced_quantity; /* in the last one */

    /*  The service dies in one of its steps, either before any of the step is on disk, or when all
     *  of it is but no message has left; a new process goes on. */
    size_t steps;
    size_t dies_in; /* 0 = never */
    bool dies_flushed;

    char alarms [4096]; /* logged since the last start, a line each */

    /*  The last reply. */
    bool replied;
    uint64_t asked; /* replies to others are not kept here */
    call_status_t status;
    char reason [512];
    uint8_t *body;
    size_t body_size;
    uint64_t counter; /* of txids */
} service_world_t;

static const uint8_t fixture_store [STORE_ID_BYTES] = {7, 7, 7};

static inline int64_t at (int64_t minute)
{
    return EPOCH_MS + minute * MINUTE_MS;
}

static inline void record_put (service_world_t *self, const effect_t *effect)
{
    memory_host_take (&self->host, effect);
}

static inline size_t records_of (const service_world_t *self, uint8_t table)
{
    return records_in (&self->host.records, table);
}

static inline void see_announcement (service_world_t *self, bytes_t body)
{
    Musubi__AnnounceRequest *request =
      (Musubi__AnnounceRequest *) message_unpack (&musubi__announce_request__descriptor, body);
    assert_non_null (request);
    assert_string_equal (request->entry->name, FIXTURE_NAME);
    assert_string_equal (request->entry->endpoint, "sim://" FIXTURE_NAME);
    assert_string_equal (request->entry->events, "sim://" FIXTURE_NAME "/events");
    assert_int_equal (request->entry->start, self->host.store.start);
    self->announced++;
    self->announced_quantity = fixture_announced (request->entry);
    message_free (&request->base);
}

static inline void take_effect (void *owner, const effect_t *effect)
{
    service_world_t *self = owner;
    switch (effect->kind) {
    case EFFECT_REPLY:
        if (effect->reply.reply_to != self->asked) {
            if (self->carry)
                self->carry (self->carrier, effect);
            break;
        }
        self->replied = true;
        self->status = effect->reply.status;
        snprintf (self->reason, sizeof self->reason, "%s",
                  effect->reply.reason ? effect->reply.reason : "");
        free (self->body);
        self->body_size = effect->reply.body.size;
        self->body = malloc (self->body_size + 1);
        assert_non_null (self->body);
        if (self->body_size > 0)
            memcpy (self->body, effect->reply.body.data, self->body_size);
        break;
    case EFFECT_CALL:
        assert_true (self->calls_count < CALLS_MAX);
        self->calls [self->calls_count].call = effect->call.call;
        self->calls [self->calls_count++].ends_ms =
          self->host.now.mono_ms + effect->call.timeout_ms;
        if (strcmp (effect->call.method, "Announce") == 0)
            see_announcement (self, effect->call.body);
        else if (self->carry)
            self->carry (self->carrier, effect);
        break;
    case EFFECT_WORK:
        if (self->carry)
            self->carry (self->carrier, effect);
        break;
    case EFFECT_PUBLISH:
        assert_int_equal (effect->publish.body.size, 0);
        if (strcmp (effect->publish.topic, "use") == 0) {
            self->use_notices++;
        } else if (strcmp (effect->publish.topic, "opening") == 0) {
            self->opening_notices++;
        } else if (strcmp (effect->publish.topic, "reservation") == 0) {
            self->settled_notices++;
        } else {
            assert_string_equal (effect->publish.topic, "calendar");
            self->notices++;
        }
        break;
    case EFFECT_LOG:
        if (effect->log.level == LEVEL_ALARM) {
            size_t used = strlen (self->alarms);
            snprintf (self->alarms + used, sizeof self->alarms - used, "%s\n", effect->log.line);
        }
        break;
    default:
        break;
    }
}

static inline void restart (service_world_t *self);

static inline void step (void *owner, const event_t *event)
{
    service_world_t *self = owner;
    core_t *core = &self->host.core;
    self->host.now.entropy [0]++;
    core->step (core->self, &self->host.now, event);
    bool dies = ++self->steps == self->dies_in;
    effect_t effect;
    while (core->next (core->self, &effect)) {
        bool stored = effect.kind == EFFECT_PUT || effect.kind == EFFECT_DELETE;
        if (!dies || (self->dies_flushed && stored))
            memory_host_take (&self->host, &effect);
    }
    if (dies)
        restart (self);
    else
        memory_host_show_all (&self->host);
}

/*  The call that times out first; calls_count when there is none. */
static inline size_t call_next (const service_world_t *self)
{
    size_t next = self->calls_count;
    for (size_t i = 0; i < self->calls_count; i++)
        if (next == self->calls_count || self->calls [i].ends_ms < self->calls [next].ends_ms)
            next = i;
    return next;
}

static inline void time_out (service_world_t *self, size_t call)
{
    event_t event = {.kind = EVENT_ANSWER,
                     .answer = {.call = self->calls [call].call,
                                .status = CALL_TIMED_OUT,
                                .reason = "nobody is there"}};
    self->calls [call] = self->calls [--self->calls_count];
    step (self, &event);
}

/*  Let time pass: timers ring on the way, and calls time out. */
static inline void pass (service_world_t *self, int64_t ms)
{
    memory_host_t *host = &self->host;
    int64_t until = host->now.mono_ms + ms;
    while (host->now.mono_ms < until) {
        size_t call = call_next (self);
        bool timed_out = call < self->calls_count && self->calls [call].ends_ms <= host->alarm_ms;
        int64_t next = timed_out ? self->calls [call].ends_ms : host->alarm_ms;
        memory_host_turn (host, next < until ? next : until);
        if (next > until)
            break;
        if (timed_out)
            time_out (self, call);
        else
            memory_host_ring (host, step);
    }
}

/*  Starts a new process on the present records. */
static inline void start (service_world_t *self)
{
    const char *name = self->name ? self->name : FIXTURE_NAME;
    char endpoint [96];
    snprintf (endpoint, sizeof endpoint, "sim://%s", name);
    if (self->host.store.id [0] == 0)
        memcpy (self->host.store.id, fixture_store, STORE_ID_BYTES);
    self->calls_count = 0;
    fixture_core (&self->settings, &self->host.core);
    memory_host_boot (&self->host, NULL, endpoint, step);
}

static inline void stop (service_world_t *self)
{
    self->host.core.destroy (self->host.core.self);
}

static inline void restart (service_world_t *self)
{
    stop (self);
    self->alarms [0] = '\0';
    start (self);
}

static inline void close_world (service_world_t *self)
{
    stop (self);
    records_clear (&self->host.records);
    free (self->body);
}

/*  --- asking --- */

static inline call_status_t ask_bytes (service_world_t *self, const char *actor,
                                       const char *service, const char *method, bytes_t body)
{
    self->replied = false;
    self->asked = 1;
    event_t event = {.kind = EVENT_REQUEST,
                     .request = {.service = service,
                                 .method = method,
                                 .actor = actor,
                                 .request_id = "",
                                 .body = body,
                                 .reply_to = 1}};
    step (self, &event);
    assert_true (self->replied);
    assert_true ((self->status == CALL_OK) == (*self->reason == '\0'));
    assert_true (self->body_size <= BODY_BYTES_MAX);
    return self->status;
}

static inline call_status_t ask (service_world_t *self, const char *actor, const char *service,
                                 const char *method, const ProtobufCMessage *message)
{
    size_t size;
    uint8_t *packed = message_pack (message, &size);
    call_status_t status =
      ask_bytes (self, actor, service, method, (bytes_t){.data = packed, .size = size});
    free (packed);
    return status;
}

/*  Sends the request cut off at every byte, and with every byte damaged: each is refused or
 *  answered. */
static inline void ask_damaged (service_world_t *self, const char *actor, const char *service,
                                const char *method, const ProtobufCMessage *request)
{
    size_t size;
    uint8_t *packed = message_pack (request, &size);
    for (size_t cut = 0; cut <= size; cut++) {
        /*  A block of exactly that size, so that reading past its end is noticed. */
        uint8_t *exact = malloc (cut + (cut == 0));
        assert_non_null (exact);
        memcpy (exact, packed, cut);
        ask_bytes (self, actor, service, method, (bytes_t){exact, cut});
        for (size_t at_byte = 0; at_byte < cut; at_byte++) {
            for (int damaged = 1; damaged < 256; damaged += 51) {
                exact [at_byte] = (uint8_t) (packed [at_byte] + damaged);
                ask_bytes (self, actor, service, method, (bytes_t){exact, cut});
            }
            exact [at_byte] = packed [at_byte];
        }
        free (exact);
    }
    free (packed);
}

/*  The last reply's body; end it with message_free. */
static inline void *answer (const service_world_t *self,
                            const ProtobufCMessageDescriptor *descriptor)
{
    assert_int_equal (self->status, CALL_OK);
    ProtobufCMessage *message =
      message_unpack (descriptor, (bytes_t){.data = self->body, .size = self->body_size});
    assert_non_null (message);
    return message;
}

/*  How much of a resource is free at a minute, as Profile tells a planner. */
static inline int64_t free_at (service_world_t *self, const char *resource, int64_t minute)
{
    char *resources [] = {(char *) resource};
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.n_resources = 1;
    request.resources = resources;
    request.from_ms = at (minute);
    request.until_ms = at (minute + 1);
    ask (self, "root", "Calendar", "Profile", &request.base);
    Musubi__ProfileAnswer *told = answer (self, &musubi__profile_answer__descriptor);
    assert_int_equal (told->n_profiles, 1);
    assert_int_equal (told->profiles [0]->n_steps, 1);
    int64_t quantity = told->profiles [0]->steps [0]->free;
    message_free (&told->base);
    return quantity;
}

/*  --- changing --- */

/*  A hold that a planner would make for alice; plan and part are borrowed, the caller owns the
 *  answer. */
typedef struct {
    operation_t operation;
    const char *reservation;
    uint32_t base_version;
    const char *actor; /* NULL = alice */
    const booking_t *bookings;
    size_t count;
    bool prepare;
    packed_t request; /* of the client */
} service_order_t;

static inline txid_t hold (service_world_t *self, const service_order_t *order,
                           command_answer_t *told)
{
    participant_ref_t participant = {.name = FIXTURE_NAME, .endpoint = "sim://" FIXTURE_NAME};
    memcpy (participant.store, self->host.store.id, STORE_ID_BYTES);
    hold_t asked = {
      .plan = {.txid = {.store = {[15] = 1}, .start = 1, .counter = ++self->counter},
               .operation = order->operation,
               .base_version = order->base_version,
               .participants = &participant,
               .participants_count = 1,
               .coordinator = {.name = PLANNER, .store = {[15] = 1}, .endpoint = "sim://p"},
               .decide_by_ms = self->host.now.wall_ms + 10000,
               .edge_ms = self->host.now.wall_ms + 900 * MINUTE_MS,
               .request = order->request.data,
               .request_size = order->request.size},
      .part_kind = FIXTURE_PART,
      .prepare = order->prepare,
    };
    snprintf (asked.plan.reservation, sizeof asked.plan.reservation, "%s", order->reservation);
    snprintf (asked.plan.actor, sizeof asked.plan.actor, "%s",
              order->actor ? order->actor : "alice");
    if (order->count > 0) {
        packed_t part = fixture_part (order->bookings, order->count);
        asked.part = part.data;
        asked.part_size = part.size;
    }
    packed_t body = codec_encode (&hold_codec, &asked);
    ask_bytes (self, PLANNER, "Participant", "Hold",
               (bytes_t){.data = body.data, .size = body.size});
    char why [WHY_BYTES];
    assert_int_equal (self->status, CALL_OK);
    assert_true (codec_decode (&command_answer_codec, told,
                               (bytes_t){.data = self->body, .size = self->body_size}, why));
    free (body.data);
    free (asked.part);
    return asked.plan.txid;
}

static inline command_state_t tell (service_world_t *self, const char *method, const txid_t *txid)
{
    packed_t body = codec_encode (&decision_request_codec, &(decision_request_t){*txid, 0});
    ask_bytes (self, PLANNER, "Participant", method,
               (bytes_t){.data = body.data, .size = body.size});
    free (body.data);
    command_answer_t told;
    char why [WHY_BYTES];
    assert_int_equal (self->status, CALL_OK);
    assert_true (codec_decode (&command_answer_codec, &told,
                               (bytes_t){.data = self->body, .size = self->body_size}, why));
    command_state_t state = told.state;
    codec_clear (&command_answer_codec, &told);
    return state;
}

/*  A committed reservation. */
static inline void reserve (service_world_t *self, const char *reservation, booking_t one)
{
    command_answer_t told;
    service_order_t order = {
      .reservation = reservation, .bookings = &one, .count = 1, .prepare = true};
    txid_t txid = hold (self, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (self, "Commit", &txid), COMMAND_COMMITTED);
}

#endif
