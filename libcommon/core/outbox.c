/*  outbox - a queue of effects over an arena of blocks, emptied as a whole at each step.
 *
 *  Blocks never move while they hold something, so effects can point into them.
 */
#include "outbox.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES_MIN 16384

typedef struct block {
    struct block *next;
    size_t used;
    size_t size;
    uint8_t data [];
} block_t;

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
    block_t *blocks;
};

static void *arena_take (outbox_t *self, size_t size)
{
    size = (size + 7) & ~(size_t) 7;
    if (!self->blocks || self->blocks->size - self->blocks->used < size) {
        size_t room = size > BLOCK_BYTES_MIN ? size : BLOCK_BYTES_MIN;
        block_t *block = must (malloc (sizeof (block_t) + room));
        *block = (block_t){.next = self->blocks, .size = room};
        self->blocks = block;
    }
    void *taken = self->blocks->data + self->blocks->used;
    self->blocks->used += size;
    return taken;
}

static bytes_t keep_bytes (outbox_t *self, bytes_t bytes)
{
    if (bytes.size == 0)
        return (bytes_t){0};
    uint8_t *copy = arena_take (self, bytes.size);
    memcpy (copy, bytes.data, bytes.size);
    return (bytes_t){.data = copy, .size = bytes.size};
}

static const char *keep_text (outbox_t *self, const char *text)
{
    if (!text || !*text)
        return "";
    size_t size = strlen (text) + 1;
    char *copy = arena_take (self, size);
    memcpy (copy, text, size);
    return copy;
}

static void outbox_push (outbox_t *self, effect_t effect)
{
    self->effects =
      must_grow (self->effects, self->effects_count, &self->effects_room, sizeof (effect_t));
    self->effects [self->effects_count++] = effect;
}

outbox_t *outbox_new (void)
{
    return must (calloc (1, sizeof (outbox_t)));
}

void outbox_destroy (outbox_t **self_p)
{
    outbox_t *self = *self_p;
    if (!self)
        return;
    outbox_clear (self);
    for (unwritten_t *aside; self->aside && (aside = ordered_after (self->aside, NULL));)
        free (ordered_remove (self->aside, &aside->key));
    ordered_destroy (&self->aside);
    free (self->blocks);
    free (self->effects);
    free (self);
    *self_p = NULL;
}

void outbox_reply (outbox_t *self, uint64_t reply_to, bytes_t body)
{
    outbox_push (self, (effect_t){.kind = EFFECT_REPLY,
                                  .reply = {.reply_to = reply_to,
                                            .status = CALL_OK,
                                            .reason = "",
                                            .body = keep_bytes (self, body)}});
}

void outbox_refuse (outbox_t *self, uint64_t reply_to, call_status_t status, const char *reason)
{
    assert (status != CALL_OK && status != CALL_TIMED_OUT);
    outbox_push (self, (effect_t){.kind = EFFECT_REPLY,
                                  .reply = {.reply_to = reply_to,
                                            .status = status,
                                            .reason = keep_text (self, reason)}});
}

void outbox_call (outbox_t *self, const effect_t *call)
{
    assert (call->kind == EFFECT_CALL);
    effect_t kept = *call;
    kept.call.endpoint = keep_text (self, call->call.endpoint);
    kept.call.service = keep_text (self, call->call.service);
    kept.call.method = keep_text (self, call->call.method);
    kept.call.actor = keep_text (self, call->call.actor);
    kept.call.request_id = keep_text (self, call->call.request_id);
    kept.call.body = keep_bytes (self, call->call.body);
    outbox_push (self, kept);
}

void outbox_publish (outbox_t *self, const char *topic, bytes_t body)
{
    outbox_push (self, (effect_t){.kind = EFFECT_PUBLISH,
                                  .publish = {.topic = keep_text (self, topic),
                                              .body = keep_bytes (self, body)}});
}

void outbox_subscribe (outbox_t *self, const char *endpoint)
{
    outbox_push (self, (effect_t){.kind = EFFECT_SUBSCRIBE,
                                  .subscribe = {.endpoint = keep_text (self, endpoint)}});
}

void outbox_unsubscribe (outbox_t *self, const char *endpoint)
{
    outbox_push (self, (effect_t){.kind = EFFECT_UNSUBSCRIBE,
                                  .subscribe = {.endpoint = keep_text (self, endpoint)}});
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

void outbox_put (outbox_t *self, uint8_t table, bytes_t key, bytes_t value)
{
    assert (table > TABLE_IDENTITY && table < TABLES_MAX);
    assert (key.size > 0);
    make_way (self, table, key);
    outbox_push (self, (effect_t){.kind = EFFECT_PUT,
                                  .record = {.table = table,
                                             .key = keep_bytes (self, key),
                                             .value = keep_bytes (self, value)}});
}

void outbox_delete (outbox_t *self, uint8_t table, bytes_t key)
{
    assert (table > TABLE_IDENTITY && table < TABLES_MAX);
    assert (key.size > 0);
    make_way (self, table, key);
    outbox_push (self, (effect_t){.kind = EFFECT_DELETE,
                                  .record = {.table = table, .key = keep_bytes (self, key)}});
}

void outbox_read (outbox_t *self, const read_order_t *order)
{
    assert (order->table > TABLE_IDENTITY && order->table < TABLES_MAX && order->most > 0);
    effect_t kept = {.kind = EFFECT_READ, .read = *order};
    kept.read.from = keep_bytes (self, order->from);
    outbox_push (self, kept);
}

void outbox_timer (outbox_t *self, int64_t mono_ms)
{
    outbox_push (self, (effect_t){.kind = EFFECT_TIMER, .timer = {.mono_ms = mono_ms}});
}

void outbox_work (outbox_t *self, uint64_t work, const char *kind, bytes_t arguments)
{
    outbox_push (self, (effect_t){.kind = EFFECT_WORK,
                                  .work = {.work = work,
                                           .kind = keep_text (self, kind),
                                           .arguments = keep_bytes (self, arguments)}});
}

void outbox_flow (outbox_t *self, const flow_order_t *order)
{
    flow_order_t kept = *order;
    if (order->verb == FLOW_OPEN) {
        kept.id = keep_bytes (self, (bytes_t){.data = order->id, .size = FLOW_ID_BYTES}).data;
        kept.token =
          keep_bytes (self, (bytes_t){.data = order->token, .size = FLOW_TOKEN_BYTES}).data;
        kept.path = keep_text (self, order->path);
    } else if (order->verb == FLOW_DIAL) {
        kept.endpoint = keep_text (self, order->endpoint);
    }
    outbox_push (self, (effect_t){.kind = EFFECT_FLOW, .flow = kept});
}

void outbox_log (outbox_t *self, log_level_t level, const char *format, ...)
{
    char line [1024];
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (line, sizeof line, format, arguments);
    va_end (arguments);
    outbox_push (self, (effect_t){.kind = EFFECT_LOG,
                                  .log = {.level = level, .line = keep_text (self, line)}});
}

void outbox_stop (outbox_t *self, const char *reason)
{
    outbox_push (self,
                 (effect_t){.kind = EFFECT_STOP, .stop = {.reason = keep_text (self, reason)}});
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
    while (self->blocks && self->blocks->next) {
        block_t *spare = self->blocks->next;
        self->blocks->next = spare->next;
        free (spare);
    }
    if (self->blocks)
        self->blocks->used = 0;
}
