/*  flows - the real host's bulk bytes: one thread that dials, receives, writes, digests and feeds
 *  (flow.h says what is ordered and told; flow_wire.h what is said on a connection).
 *
 *  Orders go in and news come out through two queues, so the host's loop never waits for bytes.
 */
#ifndef MUSUBI_FLOWS_H
#define MUSUBI_FLOWS_H

#include "core.h"
#include "poll_set.h"

typedef struct flows flows_t;

/*  listen is "tcp://ADDRESS:PORT", port 0 = any free one; NULL: nobody is fed from here. host is
 *  the name or address that others dial, NULL = that of listen. NULL with why. Wakes the ports when
 *  there is news. */
flows_t *flows_new (poll_set_t *ports, const char *listen, const char *host, char why [WHY_BYTES]);

/*  Every connection ends, and the thread with them; those that are fed from a file that has come
 *  whole may take the rest, for FLOW_LINGER_MS at most; for FLOW_LINGER_ALONE_MS if this process
 *  was to end with the one that started it: it need not any more. */
void flows_destroy (flows_t **self_p);

/*  Where others dial: "tcp://10.0.0.7:4711"; "" = nowhere. */
const char *flows_endpoint (const flows_t *self);

void flows_order (flows_t *self, const flow_order_t *order);

/*  The next news, which lives until the next flows_receive; false when there is none. */
bool flows_receive (flows_t *self, event_t *event);

#endif
