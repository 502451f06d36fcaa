/*  call - asking other services: time-outs, repeats with back-off and jitter, addresses by name.
 *
 *  A call goes to a peer by name; its address is looked up at each try, in the directory first and
 *  then in the order's endpoint (T16: an address is only an address). A try that times out, or is
 *  answered OVERLOADED or NOT_SERVING, is repeated with the same request id and body until
 *  tries_max. A try waits for timeout_ms at least, and for as long as answers of that peer take
 *  (RFC 6298: the smoothed round trip and four times its deviation, twice as long after each
 *  time-out), up to calls_patience, so that far peers are heard. done is called exactly once, never
 *  from within calls_start, unless the call is cancelled.
 */
#ifndef MUSUBI_CALL_H
#define MUSUBI_CALL_H

#include "codec.h"
#include "core.h"
#include "outbox.h"
#include "prng.h"
#include "timers.h"

#define CALL_BACKOFF_MS     100 /* before the second try; doubles, with jitter of half */
#define CALL_BACKOFF_MS_MAX 2000

#define CALL_PATIENCE_MS_MAX 3000 /* with one try, unless calls_patience says else */
#define CALL_SPREAD_MS_MIN   250  /* an answer may be so much later than usual */
#define CALL_NEAR_MS         100  /* a peer that answers within this needs no longer time-outs */
#define CALL_WAYS_MAX        1024 /* far or silent peers that are remembered; a power of two */

typedef struct calls calls_t;

/*  Borrowed for the length of done. */
typedef struct {
    call_status_t status; /* CALL_TIMED_OUT also when the peer has no known address */
    const char *reason;
    bytes_t body;
    uint8_t store [STORE_ID_BYTES];
    uint32_t store_start;
} call_result_t;

typedef void call_done_fn (void *owner, const moment_t *now, uint64_t token,
                           const call_result_t *result);

/*  Decodes what came with CALL_OK, as codec_decode does. On another status *answer stays as it is,
 *  and why is the reason. why NULL: nobody is told. */
bool call_take (const call_result_t *result, const codec_t *codec, void *answer,
                char why [WHY_BYTES]);

/*  The address of a peer, NULL when not known. */
typedef const char *call_resolve_fn (void *owner, const moment_t *now, const char *peer);

typedef struct {
    const char *peer;        /* "lis/ams"; NULL or "" = use endpoint only */
    const char *endpoint;    /* where it was last reached; NULL or "" = directory only */
    const uint8_t *to_store; /* STORE_ID_BYTES; NULL = whoever serves there */
    const char *service;     /* static or copied: everything is copied */
    const char *method;
    const char *actor;
    const char *request_id; /* NULL or "" = none */
    bytes_t body;
    int64_t timeout_ms; /* of each try, at least */
    bool lasting;       /* time-outs of calls before count, too: its caller asks again and again */
    uint32_t tries_max; /* 0 = until cancelled */
} call_order_t;

calls_t *calls_new (outbox_t *outbox, timers_t *timers, prng_t *prng);
void calls_destroy (calls_t **self_p);

/*  Where addresses come from; before the first call. */
void calls_resolver (calls_t *self, call_resolve_fn *resolve, void *owner);

/*  The most that is waited for one try, but for orders that say more. */
void calls_patience (calls_t *self, int64_t patience_ms);

/*  Returns the call's number, never 0. done NULL: nobody waits for the answer. */
uint64_t calls_start (calls_t *self, const moment_t *now, const call_order_t *order,
                      call_done_fn *done, void *owner, uint64_t token);

/*  Harmless for 0 and for a call that has ended. done will not be called. */
void calls_cancel (calls_t *self, uint64_t call);

/*  Hand in an EVENT_ANSWER. */
void calls_answer (calls_t *self, const moment_t *now, const event_t *event);

#endif
