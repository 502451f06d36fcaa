/*  gis_fixture - a few cores and the network between them, made of arrays: directories, and
 *  services that follow them. Virtual time; hints and messages can be lost or doubled on demand; a
 *  node can die, and come back with or without its store. No socket, no clock.
 */
#ifndef MUSUBI_GIS_FIXTURE_H
#define MUSUBI_GIS_FIXTURE_H

#include "gis.h"
#include "gis_wire.h"
#include "home_wire.h"
#include "host_in_memory.h"
#include "member.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NODES_MAX_OF_WORLD 8
#define FLIGHT_MAX         8192
#define WAY_MS             5 /* of every message */
#define EPOCH_MS           INT64_C (1800000000000)
#define REPLY_TO_TEST      UINT64_MAX

typedef struct world world_t;

static inline packed_t announce_encode (const directory_entry_t *entry, uint32_t lease_ms)
{
    packed_t packed = codec_encode (&directory_entry_codec, entry);
    packed_t body =
      codec_encode (&announcement_codec,
                    &(announcement_t){.entry = packed, .lease_ms = lease_ms, .wall_ms = EPOCH_MS});
    free (packed.data);
    return body;
}

typedef struct {
    world_t *world;
    char name [NAME_BYTES_MAX + 1];
    char endpoint [64];
    char events [64];
    bool up;
    memory_host_t host;
    service_t *service; /* a follower's own; NULL for a GIS */
    directory_entry_t entry;
    int64_t skew_ms;    /* its wall clock - the world's */
    char heard [4][64]; /* endpoints subscribed to */
    uint64_t notice_number;
    size_t calls_of_snapshot; /* made by it */
    size_t calls_of_announce;
    size_t alarms;
    size_t warnings;
} node_t;

typedef enum {
    FLYING_REQUEST,
    FLYING_ANSWER,
    FLYING_NOTICE,
    FLYING_TIMEOUT,
    FLYING_ROWS
} flying_kind_t;

typedef struct {
    flying_kind_t kind;
    int64_t at_ms;
    size_t from;
    size_t to;
    uint64_t call; /* the call's number at the asker */
    call_status_t status;
    char text [3][128]; /* service, method, actor; reason; endpoint, topic */
    uint64_t number;
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    packed_t body;
} flying_t;

struct world {
    node_t nodes [NODES_MAX_OF_WORLD];
    size_t nodes_count;
    int64_t now_ms; /* the monotonic clock of all nodes */
    flying_t flying [FLIGHT_MAX];
    size_t flying_count;
    uint64_t asked;
    struct {
        uint64_t key; /* what a core is given as reply_to */
        size_t asker;
        uint64_t call;
    } asked_of [FLIGHT_MAX];
    uint64_t entropy;
    bool lose_notices;
    bool double_notices;
    size_t notices_lost;

    /*  The last reply to the test itself. */
    bool replied;
    call_status_t status;
    char reason [512];
    packed_t body;
};

static inline size_t stored_of (const node_t *node, uint8_t table)
{
    return records_in (&node->host.records, table);
}

/*  --- the network --- */

static inline size_t node_index (const node_t *node)
{
    return (size_t) (node - node->world->nodes);
}

static inline flying_t *fly (world_t *self, flying_kind_t kind, int64_t in_ms)
{
    assert_true (self->flying_count < FLIGHT_MAX);
    flying_t *flying = &self->flying [self->flying_count++];
    *flying = (flying_t){.kind = kind, .at_ms = self->now_ms + in_ms};
    return flying;
}

static inline node_t *node_at (world_t *self, const char *endpoint)
{
    for (size_t i = 0; i < self->nodes_count; i++)
        if (strcmp (self->nodes [i].endpoint, endpoint) == 0)
            return &self->nodes [i];
    return NULL;
}

static inline void take_call (node_t *node, const effect_t *effect)
{
    world_t *self = node->world;
    node->calls_of_snapshot += strcmp (effect->call.method, "Snapshot") == 0;
    node->calls_of_announce += strcmp (effect->call.method, "Announce") == 0;
    flying_t *timeout = fly (self, FLYING_TIMEOUT, effect->call.timeout_ms);
    timeout->to = node_index (node);
    timeout->call = effect->call.call;
    const node_t *peer = node_at (self, effect->call.endpoint);
    if (!peer)
        return;
    flying_t *request = fly (self, FLYING_REQUEST, WAY_MS);
    request->from = node_index (node);
    request->to = node_index (peer);
    request->call = effect->call.call;
    snprintf (request->text [0], sizeof request->text [0], "%s", effect->call.service);
    snprintf (request->text [1], sizeof request->text [1], "%s", effect->call.method);
    snprintf (request->text [2], sizeof request->text [2], "%s", effect->call.actor);
    request->body = kept_copy (effect->call.body);
}

static inline void take_reply (node_t *node, const effect_t *effect)
{
    world_t *self = node->world;
    if (effect->reply.reply_to == REPLY_TO_TEST) {
        self->replied = true;
        self->status = effect->reply.status;
        snprintf (self->reason, sizeof self->reason, "%s",
                  effect->reply.reason ? effect->reply.reason : "");
        free (self->body.data);
        self->body = kept_copy (effect->reply.body);
        return;
    }
    size_t slot = effect->reply.reply_to % FLIGHT_MAX;
    assert_int_equal (self->asked_of [slot].key, effect->reply.reply_to);
    flying_t *answer = fly (self, FLYING_ANSWER, WAY_MS);
    answer->to = self->asked_of [slot].asker;
    answer->call = self->asked_of [slot].call;
    answer->status = effect->reply.status;
    snprintf (answer->text [0], sizeof answer->text [0], "%s",
              effect->reply.reason ? effect->reply.reason : "");
    memcpy (answer->store, node->host.store.id, STORE_ID_BYTES);
    answer->start = node->host.store.start;
    answer->body = kept_copy (effect->reply.body);
}

static inline void take_publish (node_t *node, const effect_t *effect)
{
    world_t *self = node->world;
    node->notice_number++;
    for (size_t i = 0; i < self->nodes_count; i++) {
        for (size_t k = 0; k < 4; k++) {
            if (strcmp (self->nodes [i].heard [k], node->events) != 0)
                continue;
            if (self->lose_notices) {
                self->notices_lost++;
                continue;
            }
            for (int copies = self->double_notices ? 2 : 1; copies > 0; copies--) {
                flying_t *notice = fly (self, FLYING_NOTICE, WAY_MS);
                notice->to = i;
                snprintf (notice->text [0], sizeof notice->text [0], "%s", node->events);
                snprintf (notice->text [1], sizeof notice->text [1], "%s", effect->publish.topic);
                notice->number = node->notice_number;
                memcpy (notice->store, node->host.store.id, STORE_ID_BYTES);
                notice->start = node->host.store.start;
                notice->body = kept_copy (effect->publish.body);
            }
        }
    }
}

static inline void take_subscription (node_t *node, const char *endpoint, bool on)
{
    for (size_t k = 0; k < 4; k++)
        if (strcmp (node->heard [k], endpoint) == 0)
            node->heard [k][0] = '\0';
    for (size_t k = 0; on && k < 4; k++)
        if (!*node->heard [k]) {
            snprintf (node->heard [k], sizeof node->heard [k], "%s", endpoint);
            return;
        }
    assert_false (on);
}

static inline void take_read (node_t *node, const effect_t *effect)
{
    flying_t *flying = fly (node->world, FLYING_ROWS, 0);
    flying->to = node_index (node);
    flying->call = effect->read.read;
    flying->number = effect->read.most;
    flying->body = kept_copy (effect->read.from);
}

static inline void take_effect (void *owner, const effect_t *effect)
{
    node_t *node = owner;
    switch (effect->kind) {
    case EFFECT_CALL:
        take_call (node, effect);
        break;
    case EFFECT_REPLY:
        take_reply (node, effect);
        break;
    case EFFECT_PUBLISH:
        take_publish (node, effect);
        break;
    case EFFECT_SUBSCRIBE:
    case EFFECT_UNSUBSCRIBE:
        take_subscription (node, effect->subscribe.endpoint, effect->kind == EFFECT_SUBSCRIBE);
        break;
    case EFFECT_READ:
        take_read (node, effect);
        break;
    case EFFECT_LOG:
        node->alarms += effect->log.level == LEVEL_ALARM;
        node->warnings += effect->log.level == LEVEL_WARNING;
        break;
    case EFFECT_STOP:
        break;
    default:
        fail ();
    }
}

static inline void node_step (void *owner, const event_t *event)
{
    node_t *node = owner;
    world_t *self = node->world;
    node->host.now.wall_ms = EPOCH_MS + self->now_ms + node->skew_ms;
    node->host.now.mono_ms = self->now_ms;
    self->entropy++;
    memcpy (node->host.now.entropy, &self->entropy, sizeof self->entropy);
    memory_host_step (&node->host, event);
}

static inline void deliver_request (world_t *self, const flying_t *flying)
{
    uint64_t key = self->asked++;
    size_t slot = key % FLIGHT_MAX;
    self->asked_of [slot].key = key;
    self->asked_of [slot].asker = flying->from;
    self->asked_of [slot].call = flying->call;
    node_step (&self->nodes [flying->to], &(event_t){.kind = EVENT_REQUEST,
                                                     .request = {.service = flying->text [0],
                                                                 .method = flying->text [1],
                                                                 .actor = flying->text [2],
                                                                 .request_id = "",
                                                                 .body = kept_bytes (flying->body),
                                                                 .reply_to = key}});
}

static inline void deliver_answer (world_t *self, const flying_t *flying)
{
    event_t event = {
      .kind = EVENT_ANSWER,
      .answer = {.call = flying->call,
                 .status = flying->kind == FLYING_TIMEOUT ? CALL_TIMED_OUT : flying->status,
                 .reason = flying->text [0],
                 .body = kept_bytes (flying->body),
                 .store_start = flying->start}};
    memcpy (event.answer.store, flying->store, STORE_ID_BYTES);
    node_step (&self->nodes [flying->to], &event);
}

static inline void deliver_rows (world_t *self, const flying_t *flying)
{
    node_t *node = &self->nodes [flying->to];
    const records_t *records = &node->host.records;
    row_t rows [64];
    event_t event = {.kind = EVENT_ROWS, .rows = {.read = flying->call, .rows = rows}};
    for (size_t i = records_at (records, TABLE_LEDGER, kept_bytes (flying->body));
         i < records->count && records->list [i].table == TABLE_LEDGER &&
         event.rows.count < flying->number && event.rows.count < 64;
         i++)
        rows [event.rows.count++] = (row_t){.key = kept_bytes (records->list [i].key),
                                            .value = kept_bytes (records->list [i].value)};
    node_step (node, &event);
}

static inline void deliver_notice (world_t *self, const flying_t *flying)
{
    event_t event = {.kind = EVENT_NOTICE,
                     .notice = {.endpoint = flying->text [0],
                                .topic = flying->text [1],
                                .number = flying->number,
                                .store_start = flying->start,
                                .body = kept_bytes (flying->body)}};
    memcpy (event.notice.store, flying->store, STORE_ID_BYTES);
    node_step (&self->nodes [flying->to], &event);
}

static inline void deliver (world_t *self, const flying_t *flying)
{
    if (!self->nodes [flying->to].up)
        return;
    if (flying->kind == FLYING_REQUEST)
        deliver_request (self, flying);
    else if (flying->kind == FLYING_NOTICE)
        deliver_notice (self, flying);
    else if (flying->kind == FLYING_ROWS)
        deliver_rows (self, flying);
    else
        deliver_answer (self, flying);
}

/*  The message that arrives first; flying_count when none is under way. */
static inline size_t flying_first (const world_t *self)
{
    size_t first = self->flying_count;
    for (size_t i = 0; i < self->flying_count; i++)
        if (first == self->flying_count || self->flying [i].at_ms < self->flying [first].at_ms)
            first = i;
    return first;
}

static inline node_t *timer_first (world_t *self)
{
    node_t *first = NULL;
    for (size_t i = 0; i < self->nodes_count; i++)
        if (self->nodes [i].up && (!first || self->nodes [i].host.alarm_ms < first->host.alarm_ms))
            first = &self->nodes [i];
    return first && first->host.alarm_ms < INT64_MAX ? first : NULL;
}

/*  Lets time pass, and everything happen that is due in it. */
static inline void world_run (world_t *self, int64_t for_ms)
{
    int64_t until_ms = self->now_ms + for_ms;
    for (;;) {
        size_t i = flying_first (self);
        node_t *node = timer_first (self);
        int64_t message_ms = i < self->flying_count ? self->flying [i].at_ms : INT64_MAX;
        int64_t timer_ms = node ? node->host.alarm_ms : INT64_MAX;
        int64_t next_ms = message_ms < timer_ms ? message_ms : timer_ms;
        if (next_ms > until_ms)
            break;
        if (self->now_ms < next_ms)
            self->now_ms = next_ms;
        if (message_ms <= timer_ms) {
            flying_t flying = self->flying [i];
            memmove (&self->flying [i], &self->flying [i + 1],
                     (self->flying_count - i - 1) * sizeof flying);
            self->flying_count--;
            deliver (self, &flying);
            free (flying.body.data);
        } else {
            memory_host_ring (&node->host, node_step);
        }
    }
    self->now_ms = until_ms;
}

/*  --- nodes --- */

/*  A service that only announces itself and follows a directory. */
static inline void follower_start (void *owner, const moment_t *now)
{
    node_t *node = owner;
    memcpy (node->entry.store, node->host.store.id, STORE_ID_BYTES);
    node->entry.start = node->host.store.start;
    if (directory_of (node->service))
        directory_announce (directory_of (node->service), now, &node->entry);
}

static inline node_t *node_new (world_t *self, const char *name)
{
    assert_true (self->nodes_count < NODES_MAX_OF_WORLD);
    size_t i = self->nodes_count++;
    node_t *node = &self->nodes [i];
    node->world = self;
    node->host = memory_host (0, 0, take_effect, node);
    node->host.keeps_rows = true;
    snprintf (node->name, sizeof node->name, "%s", name);
    snprintf (node->endpoint, sizeof node->endpoint, "sim://%.40s", name);
    snprintf (node->events, sizeof node->events, "sim://%.40s/events", name);
    node->host.store.id [0] = (uint8_t) (i + 1);
    return node;
}

static inline void node_up (node_t *node)
{
    node->up = true;
    memory_host_boot (&node->host, NULL, node->endpoint, node_step);
}

static inline void gis_up (node_t *node, const gis_settings_t *settings)
{
    gis_core (settings, &node->host.core);
    node_up (node);
}

static inline node_t *gis_new (world_t *self, const gis_settings_t *settings)
{
    node_t *node = node_new (self, settings->name);
    gis_up (node, settings);
    return node;
}

static inline void follower_up (node_t *node, const char *const *gis, size_t gis_count)
{
    node->service = member_new (node->name, gis, gis_count);
    service_at_start (node->service, follower_start, node);
    node->host.core = service_as_core (node->service);
    node_up (node);
}

static inline node_t *follower_new (world_t *self, const char *name, const char *const *gis,
                                    size_t gis_count)
{
    node_t *node = node_new (self, name);
    snprintf (node->entry.name, sizeof node->entry.name, "%s", name);
    memcpy (node->entry.endpoint, node->endpoint, strlen (node->endpoint) + 1);
    memcpy (node->entry.events, node->events, strlen (node->events) + 1);
    follower_up (node, gis, gis_count);
    return node;
}

/*  It is killed without withdrawing. Messages on their way to it are lost. */
static inline void node_die (node_t *node)
{
    world_t *self = node->world;
    node->host.core.destroy (node->host.core.self);
    node->up = false;
    node->notice_number = 0;
    memset (node->heard, 0, sizeof node->heard);
    size_t kept = 0;
    for (size_t i = 0; i < self->flying_count; i++) {
        if (self->flying [i].to == node_index (node))
            free (self->flying [i].body.data);
        else
            self->flying [kept++] = self->flying [i];
    }
    self->flying_count = kept;
}

static inline bool sees (const node_t *follower, const char *name)
{
    return directory_find (directory_of (follower->service), name) != NULL;
}

/*  Ask a node as an actor and get its reply in world.status, reason, body. */
static inline call_status_t ask (node_t *node, const char *actor, const char *service,
                                 const char *method, bytes_t body)
{
    world_t *self = node->world;
    self->replied = false;
    node_step (node, &(event_t){.kind = EVENT_REQUEST,
                                .request = {.service = service,
                                            .method = method,
                                            .actor = actor,
                                            .request_id = "",
                                            .body = body,
                                            .reply_to = REPLY_TO_TEST}});
    assert_true (self->replied);
    return self->status;
}

/*  The same with a body that is freed here. */
static inline call_status_t ask_packed (node_t *node, const char *actor, const char *service,
                                        const char *method, packed_t body)
{
    call_status_t status = ask (node, actor, service, method, kept_bytes (body));
    free (body.data);
    return status;
}

static inline int world_set_up (void **state)
{
    world_t *self = calloc (1, sizeof *self);
    assert_non_null (self);
    self->now_ms = 1000;
    self->asked = 1;
    *state = self;
    return 0;
}

static inline int world_tear_down (void **state)
{
    world_t *self = *state;
    for (size_t i = 0; i < self->nodes_count; i++) {
        node_t *node = &self->nodes [i];
        if (node->up)
            node->host.core.destroy (node->host.core.self);
        records_clear (&node->host.records);
    }
    for (size_t i = 0; i < self->flying_count; i++)
        free (self->flying [i].body.data);
    free (self->body.data);
    free (self);
    return 0;
}

#endif
