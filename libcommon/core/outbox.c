/*  outbox - a queue of effects over an arena, emptied as a whole at each step. */
#include "outbox.h"
#include "arena.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*  A record that nobody could read. */
typedef struct {
    bytes_t key; /* its table's number, then its key; the value lies behind it */
    bytes_t value;
    uint8_t bytes [];
} unwritten_t;

struct outbox {
    ordered_t *aside; /* NULL = there are none, as nearly always */
    effect_t *effects;
    size_t effects_count;
    size_t effects_room;
    size_t taken;
    arena_t arena; /* what the effects point to */
};

static bytes_t keep_bytes (outbox_t *self, bytes_t bytes)
{
    if (bytes.size == 0)
        return (bytes_t){0};
    uint8_t *copy = arena_take (&self->arena, bytes.size);
    memcpy (copy, bytes.data, bytes.size);
    return (bytes_t){.data = copy, .size = bytes.size};
}

static const char *keep_text (outbox_t *self, const char *text)
{
    if (!text || !*text)
        return "";
    size_t size = strlen (text) + 1;
    return memcpy (arena_take (&self->arena, size), text, size);
}

static const uint8_t *keep_fixed (outbox_t *self, const uint8_t *data, size_t size)
{
    return data ? keep_bytes (self, (bytes_t){data, size}).data : NULL;
}

static void keep_flow (outbox_t *self, flow_order_t *order)
{
    order->id = keep_fixed (self, order->id, FLOW_ID_BYTES);
    order->token = keep_fixed (self, order->token, FLOW_TOKEN_BYTES);
    order->digest = keep_fixed (self, order->digest, FLOW_DIGEST_BYTES);
    order->path = keep_text (self, order->path);
    order->marks = order->marks ? keep_text (self, order->marks) : NULL;
    order->donor = order->donor ? keep_text (self, order->donor) : NULL;
    order->endpoint = keep_text (self, order->endpoint);
}

static void keep_call (outbox_t *self, effect_t *call)
{
    call->call.endpoint = keep_text (self, call->call.endpoint);
    call->call.service = keep_text (self, call->call.service);
    call->call.method = keep_text (self, call->call.method);
    call->call.actor = keep_text (self, call->call.actor);
    call->call.request_id = keep_text (self, call->call.request_id);
    call->call.body = keep_bytes (self, call->call.body);
}

/*  All that it points to becomes a copy. */
static void keep_effect (outbox_t *self, effect_t *effect)
{
    switch (effect->kind) {
    case EFFECT_REPLY:
        effect->reply.reason = keep_text (self, effect->reply.reason);
        effect->reply.body = keep_bytes (self, effect->reply.body);
        break;
    case EFFECT_CALL:
        keep_call (self, effect);
        break;
    case EFFECT_PUBLISH:
        effect->publish.topic = keep_text (self, effect->publish.topic);
        effect->publish.body = keep_bytes (self, effect->publish.body);
        break;
    case EFFECT_SUBSCRIBE:
    case EFFECT_UNSUBSCRIBE:
        effect->subscribe.endpoint = keep_text (self, effect->subscribe.endpoint);
        break;
    case EFFECT_PUT:
    case EFFECT_DELETE:
        effect->record.key = keep_bytes (self, effect->record.key);
        effect->record.value = keep_bytes (self, effect->record.value);
        break;
    case EFFECT_READ:
        effect->read.from = keep_bytes (self, effect->read.from);
        break;
    case EFFECT_WORK:
        effect->work.kind = keep_text (self, effect->work.kind);
        effect->work.arguments = keep_bytes (self, effect->work.arguments);
        break;
    case EFFECT_FLOW:
        keep_flow (self, &effect->flow);
        break;
    case EFFECT_LOG:
        effect->log.line = keep_text (self, effect->log.line);
        break;
    case EFFECT_STOP:
        effect->stop.reason = keep_text (self, effect->stop.reason);
        break;
    case EFFECT_TIMER:
        break;
    }
}

void outbox_push (outbox_t *self, const effect_t *effect)
{
    self->effects =
      must_grow (self->effects, self->effects_count, &self->effects_room, sizeof (effect_t));
    effect_t *kept = &self->effects [self->effects_count++];
    *kept = *effect;
    keep_effect (self, kept);
}

outbox_t *outbox_new (void)
{
    outbox_t *self = must (calloc (1, sizeof *self));
    arena_init (&self->arena);
    return self;
}

void outbox_destroy (outbox_t **self_p)
{
    outbox_t *self = *self_p;
    if (!self)
        return;
    outbox_clear (self);
    if (self->aside)
        ordered_end (&self->aside, free);
    free (self->effects);
    free (self);
    *self_p = NULL;
}

void outbox_reply (outbox_t *self, uint64_t reply_to, bytes_t body)
{
    outbox_push (self,
                 &(effect_t){.kind = EFFECT_REPLY, .reply = {.reply_to = reply_to, .body = body}});
}

void outbox_refuse (outbox_t *self, uint64_t reply_to, call_status_t status, const char *reason)
{
    assert (status != CALL_OK && status != CALL_TIMED_OUT);
    outbox_push (self,
                 &(effect_t){.kind = EFFECT_REPLY,
                             .reply = {.reply_to = reply_to, .status = status, .reason = reason}});
}

void outbox_publish (outbox_t *self, const char *topic, bytes_t body)
{
    outbox_push (self,
                 &(effect_t){.kind = EFFECT_PUBLISH, .publish = {.topic = topic, .body = body}});
}

void outbox_subscribe (outbox_t *self, const char *endpoint)
{
    outbox_push (self, &(effect_t){.kind = EFFECT_SUBSCRIBE, .subscribe = {.endpoint = endpoint}});
}

void outbox_unsubscribe (outbox_t *self, const char *endpoint)
{
    outbox_push (self,
                 &(effect_t){.kind = EFFECT_UNSUBSCRIBE, .subscribe = {.endpoint = endpoint}});
}

static int outbox_by_key (const void *key, const void *thing)
{
    const bytes_t *a = key, *b = &((const unwritten_t *) thing)->key;
    int order = memcmp (a->data, b->data, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static unwritten_t *aside_new (uint8_t table, bytes_t key, bytes_t value)
{
    unwritten_t *aside = must (malloc (sizeof *aside + 1 + key.size + value.size));
    aside->bytes [0] = table;
    memcpy (aside->bytes + 1, key.data, key.size);
    if (value.size > 0)
        memcpy (aside->bytes + 1 + key.size, value.data, value.size);
    aside->key = (bytes_t){aside->bytes, 1 + key.size};
    aside->value = (bytes_t){aside->bytes + 1 + key.size, value.size};
    return aside;
}

void outbox_keep_aside (outbox_t *self, uint8_t table, bytes_t key, bytes_t value)
{
    unwritten_t *aside = aside_new (table, key, value);
    if (!self->aside)
        self->aside = ordered_new (outbox_by_key);
    free (ordered_remove (self->aside, &aside->key));
    ordered_add (self->aside, &aside->key, aside);
}

/*  Something is about to take the place of what nobody could read. */
static void make_way (outbox_t *self, uint8_t table, bytes_t key)
{
    if (!self->aside)
        return;
    unwritten_t *wanted = aside_new (table, key, (bytes_t){0});
    unwritten_t *found = ordered_remove (self->aside, &wanted->key);
    if (found)
        outbox_put (self, TABLE_ASIDE, found->key, found->value);
    free (wanted);
    free (found);
}

static void push_record (outbox_t *self, effect_kind_t kind, uint8_t table, bytes_t key,
                         bytes_t value)
{
    assert (table > TABLE_IDENTITY && table < TABLES_MAX);
    assert (key.size > 0);
    make_way (self, table, key);
    outbox_push (self,
                 &(effect_t){.kind = kind, .record = {.table = table, .key = key, .value = value}});
}

void outbox_put (outbox_t *self, uint8_t table, bytes_t key, bytes_t value)
{
    push_record (self, EFFECT_PUT, table, key, value);
}

void outbox_delete (outbox_t *self, uint8_t table, bytes_t key)
{
    push_record (self, EFFECT_DELETE, table, key, (bytes_t){0});
}

void outbox_read (outbox_t *self, const read_order_t *order)
{
    assert (order->table > TABLE_IDENTITY && order->table < TABLES_MAX && order->most > 0);
    outbox_push (self, &(effect_t){.kind = EFFECT_READ, .read = *order});
}

void outbox_timer (outbox_t *self, int64_t mono_ms)
{
    outbox_push (self, &(effect_t){.kind = EFFECT_TIMER, .timer = {.mono_ms = mono_ms}});
}

void outbox_work (outbox_t *self, uint64_t work, const char *kind, bytes_t arguments)
{
    outbox_push (self, &(effect_t){.kind = EFFECT_WORK,
                                   .work = {.work = work, .kind = kind, .arguments = arguments}});
}

void outbox_flow (outbox_t *self, const flow_order_t *order)
{
    outbox_push (self, &(effect_t){.kind = EFFECT_FLOW, .flow = *order});
}

void outbox_log (outbox_t *self, log_level_t level, const char *format, ...)
{
    char line [1024];
    format_rest (line, sizeof line, format);
    outbox_push (self, &(effect_t){.kind = EFFECT_LOG, .log = {.level = level, .line = line}});
}

void outbox_stop (outbox_t *self, const char *reason)
{
    outbox_push (self, &(effect_t){.kind = EFFECT_STOP, .stop = {.reason = reason}});
}

bool outbox_next (outbox_t *self, effect_t *effect)
{
    if (self->taken == self->effects_count)
        return false;
    *effect = self->effects [self->taken++];
    return true;
}

void outbox_clear (outbox_t *self)
{
    self->effects_count = 0;
    self->taken = 0;
    arena_end (&self->arena);
    arena_init (&self->arena);
}
