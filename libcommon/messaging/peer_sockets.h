/*  peer_sockets - calls to other services: one ROUTER that dials them all, a connection an
 *  address, a number a call, and exactly one answer for each, the peer's or the clock's.
 *
 *  A call leaves only over a connection that stands, and waits here for one until its time is
 *  out: so a peer that comes back after an hour is not flooded with an hour's worth of
 *  questions that nobody waits for, and one that doesn't read holds up nobody else. Late answers
 *  are dropped. A connection without a call is closed after a while, or, longest idle first, when
 *  another address needs its descriptor; where none can be spared, calls wait for one.
 */
#ifndef MUSUBI_PEER_SOCKETS_H
#define MUSUBI_PEER_SOCKETS_H

#include "core.h"
#include "poll_set.h"

#define PEER_SOCKETS_MAX       16384 /* addresses that calls wait for at once */
#define PEER_IDLE_MS           60000 /* a connection without a call for so long is closed */
#define PEER_RECONNECT_MS      50    /* first pause before another attempt; it doubles */
#define PEER_RECONNECT_MAX     500
#define PEER_SILENT_MS         6000 /* whoever hasn't received what was sent is reconnected then */
#define PEER_NAMES_MS          5000 /* with the resolver, in all, to say why nobody answers */
#define PEER_MESSAGES_HELD_MAX 100  /* that leave for one peer; further calls wait here */

typedef struct peers peer_sockets_t;

/*  Its ports carry port_kind, so that the loop knows whose they are; files is how many
 *  descriptors its connections may use, one each. NULL with errno when the machine has none for
 *  the socket. */
peer_sockets_t *peer_sockets_new (poll_set_t *ports, int port_kind, size_t files);
void peer_sockets_destroy (peer_sockets_t **self_p);

/*  Can this endpoint be called at all? False when it is no address, or there are
 *  PEER_SOCKETS_MAX of them in use (EMFILE); errno says which. */
bool peer_sockets_reach (peer_sockets_t *self, const char *endpoint, int64_t mono_ms);

/*  effect->kind must be EFFECT_CALL; texts within the limits of envelope.h. It leaves with the
 *  next peer_sockets_flush. */
void peer_sockets_call (peer_sockets_t *self, const effect_t *effect, int64_t mono_ms);

/*  Sends what can leave: before the loop waits. Calls to a peer that takes bundles leave as one. */
void peer_sockets_flush (peer_sockets_t *self);

/*  From now on the reason of a time-out says when the peer's host has no address here. The resolver
 *  is asked, which blocks for as long as it takes, PEER_NAMES_MS in all: for a user's process. */
void peer_sockets_tell_names (peer_sockets_t *self);

/*  Reads one message of a ready port. True with an EVENT_ANSWER, which lives until the next call
 *  of any function here; false when there was none, or one to drop: ask poll_set_ready again. */
bool peer_sockets_receive (peer_sockets_t *self, polled_t *port, int64_t mono_ms, event_t *event);

/*  The next call that has timed out, as EVENT_ANSWER; false when there is none. */
bool peer_sockets_expire (peer_sockets_t *self, int64_t mono_ms, event_t *event);

/*  When peer_sockets_expire will have one, or an address is to be dialled; INT64_MAX = never.
 *  Also dials those that are due, and closes what is idle. */
int64_t peer_sockets_due (peer_sockets_t *self, int64_t mono_ms);

/*  Cancels a call: it gets no event. Harmless when it has ended. */
void peer_sockets_forget (peer_sockets_t *self, uint64_t call);

/*  Closes the connection that has been without a call for longest; false when none is. */
bool peer_sockets_make_room (peer_sockets_t *self);

size_t peer_sockets_calls (const peer_sockets_t *self); /* that have had no event yet */
size_t peer_sockets_open (const peer_sockets_t *self);  /* connections made, or in the making */
size_t peer_sockets_lacking (
  const peer_sockets_t *self); /* for which the machine had no descriptor left */
uint64_t peer_sockets_sent (const peer_sockets_t *self); /* messages, each of one call or more */
uint64_t peer_sockets_sent_bytes (const peer_sockets_t *self); /* of their headers and bodies */

#endif
