/*  outbox - the effects of a core's step, in order, until its host has taken them.
 *
 *  Pushing copies everything into the outbox, so callers may pass temporaries. What outbox_next
 *  hands out lives until outbox_clear, which a core calls at the start of each step.
 */
#ifndef MUSUBI_OUTBOX_H
#define MUSUBI_OUTBOX_H

#include "core.h"

typedef struct outbox outbox_t;

outbox_t *outbox_new (void);
void outbox_destroy (outbox_t **self_p);

/*  Any effect; the others say what they need. */
void outbox_push (outbox_t *self, const effect_t *effect);

void outbox_reply (outbox_t *self, uint64_t reply_to, bytes_t body);
void outbox_refuse (outbox_t *self, uint64_t reply_to, call_status_t status, const char *reason);

void outbox_publish (outbox_t *self, const char *topic, bytes_t body);
void outbox_subscribe (outbox_t *self, const char *endpoint);
void outbox_unsubscribe (outbox_t *self, const char *endpoint);
void outbox_put (outbox_t *self, uint8_t table, bytes_t key, bytes_t value);
void outbox_delete (outbox_t *self, uint8_t table, bytes_t key);

/*  Nobody could read this record: whatever takes its place, or deletes it, puts it under
 *  TABLE_ASIDE first, in the same write. Its key there: the table's number, then the key. */
void outbox_keep_aside (outbox_t *self, uint8_t table, bytes_t key, bytes_t value);
void outbox_read (outbox_t *self, const read_order_t *order);
void outbox_timer (outbox_t *self, int64_t mono_ms);
void outbox_work (outbox_t *self, uint64_t work, const char *kind, bytes_t arguments);
void outbox_flow (outbox_t *self, const flow_order_t *order);
void outbox_log (outbox_t *self, log_level_t level, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
void outbox_stop (outbox_t *self, const char *reason);

/*  The next effect; false when there is none. */
bool outbox_next (outbox_t *self, effect_t *effect);

/*  Forget everything, taken or not. */
void outbox_clear (outbox_t *self);

#endif
