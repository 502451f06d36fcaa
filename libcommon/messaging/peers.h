/*  peers - calls to other services: one DEALER an address, a number a call, and exactly one answer
 *  for each, the peer's or the clock's.
 *
 *  A call leaves only over a connection that stands, and waits here for one until its time is out:
 *  so a peer that comes back after an hour is not flooded with an hour's worth of questions that
 *  nobody waits for. Late answers are dropped. An address that is no longer used loses its socket.
 *  Where the machine has no descriptor for another connection, its calls wait for one in the same
 *  way.
 */
#ifndef MUSUBI_PEERS_H
#define MUSUBI_PEERS_H

#include "core.h"
#include "ports.h"

#define PEERS_MAX          4096   /* addresses at once */
#define PEER_IDLE_MS       300000 /* without a call for so long: disconnected */
#define PEER_RECONNECT_MS  50     /* first pause before another attempt; it doubles */
#define PEER_RECONNECT_MAX 500
#define PEER_HEARTBEAT_MS  2000 /* a peer silent for three of them is reconnected */

typedef struct peers peers_t;

#define FILES_OF_A_PEER 4 /* descriptors: a connection, and three sockets that signal */

/*  Its ports carry this kind, so that the loop knows whose they are. So many descriptors are there
 *  for it. */
peers_t *peers_new (ports_t *ports, int port_kind, size_t files);
void peers_destroy (peers_t **self_p);

/*  Can this endpoint be called at all? False when it is no address, or there are PEERS_MAX of them
 *  in use (EMFILE); errno says which. */
bool peers_reach (peers_t *self, const char *endpoint, int64_t mono_ms);

/*  effect->kind must be EFFECT_CALL; texts within the limits of envelope.h. */
void peers_call (peers_t *self, const effect_t *effect, int64_t mono_ms);

/*  Reads one message of a ready port. True with an EVENT_ANSWER, which lives until the next call
 *  of any function here; false when there was none, or one to drop: ask ports_ready again. */
bool peers_receive (peers_t *self, port_t *port, int64_t mono_ms, event_t *event);

/*  The next call whose time is out, as EVENT_ANSWER; false when there is none. */
bool peers_expire (peers_t *self, int64_t mono_ms, event_t *event);

/*  When peers_expire will have one; INT64_MAX = never. Also lets go of addresses not used. */
int64_t peers_due (peers_t *self, int64_t mono_ms);

/*  Nobody waits for this call any more: it gets no event. Harmless when it has ended. */
void peers_forget (peers_t *self, uint64_t call);

size_t peers_calls (const peers_t *self);        /* that have had no event yet */
size_t peers_open (const peers_t *self);         /* connections made, or in the making */
size_t peers_lacking (const peers_t *self);      /* for which there were no descriptors left */
uint64_t peers_sent (const peers_t *self);       /* calls that left */
uint64_t peers_sent_bytes (const peers_t *self); /* of their headers and bodies */

#endif
