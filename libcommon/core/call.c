/*  call - a table of calls in flight, each waiting either for the answer to its last try or for the
 *  back-off before its next one.
 *
 *  Calls and tries are numbered alike, and no number is used again. So a late or doubled answer
 *  finds nothing, nor does whoever cancels a call that has ended. A host ends each try exactly
 *  once (EVENT_ANSWER), with CALL_TIMED_OUT if need be, so no timer of ours watches a try.
 */
#include "call.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASON_BYTES 128

typedef struct {
    uint64_t number; /* of the call */
    uint64_t try;    /* of the try in flight; 0 while backing off */
    uint64_t timer;  /* of the back-off */
    uint32_t tries;
    uint32_t tries_max;
    int64_t timeout_ms;
    bool lasting;
    uint64_t way; /* to its peer: a digest of its name */
    int64_t tried_ms;
    call_done_fn *done;
    void *owner;
    uint64_t token;
    uint8_t to_store [STORE_ID_BYTES];
    const char *peer; /* these point into the call's own memory, behind it */
    const char *endpoint;
    const char *service;
    const char *method;
    const char *actor;
    const char *request_id;
    bytes_t body;
} call_t;

/*  How long the answers of a far peer take; trip_ms is 0 for one that was silent before it was
 *  measured. */
typedef struct {
    uint64_t way;
    int64_t trip_ms;   /* smoothed; 0 = not measured */
    int64_t spread_ms; /* smoothed deviation */
    uint32_t silences; /* time-outs since its last answer */
} round_trip_t;

struct calls {
    outbox_t *outbox;
    timers_t *timers;
    prng_t *prng;
    call_resolve_fn *resolve;
    void *resolver;
    ordered_t *by_number;
    ordered_t *by_try; /* those in flight */
    uint64_t numbers;  /* given so far, to calls and tries */
    int64_t patience_ms;
    round_trip_t ways [CALL_WAYS_MAX]; /* by way: of two that share a place the later one counts */
};

/*  Take a call out of the tables. The caller frees it. */
static void call_remove (calls_t *self, const call_t *call)
{
    timers_cancel (self->timers, call->timer);
    ordered_remove (self->by_number, &call->number);
    ordered_remove (self->by_try, &call->try);
}

static const char *append_text (char **at, const char *text)
{
    char *copy = *at;
    *at = stpcpy (copy, text) + 1;
    return copy;
}

static const char *or_empty (const char *text)
{
    return text ? text : "";
}

/*  FNV-1a, 64 bits. */
static uint64_t way_of (const char *name)
{
    uint64_t hash = UINT64_C (14695981039346656037);
    for (; *name; name++)
        hash = (hash ^ (uint8_t) *name) * UINT64_C (1099511628211);
    return hash;
}

static int64_t call_patience_ms (const calls_t *self, const call_t *call)
{
    static const round_trip_t unknown;
    const round_trip_t *way = &self->ways [call->way % CALL_WAYS_MAX];
    if (way->way != call->way)
        way = &unknown;
    int64_t ms = call->timeout_ms, spread_ms = 4 * way->spread_ms;
    spread_ms = spread_ms > CALL_SPREAD_MS_MIN ? spread_ms : CALL_SPREAD_MS_MIN;
    if (way->trip_ms > 0 && way->trip_ms + spread_ms > ms)
        ms = way->trip_ms + spread_ms;
    uint32_t silences = call->lasting ? way->silences : call->tries - 1;
    ms = pause_doubled (ms, self->patience_ms, silences);
    return ms > call->timeout_ms ? ms : call->timeout_ms;
}

/*  A try has ended. Peers that have always answered quickly are not remembered. */
static void learn_way (calls_t *self, const moment_t *now, const call_t *call, bool answered)
{
    round_trip_t *way = &self->ways [call->way % CALL_WAYS_MAX];
    int64_t trip_ms = now->mono_ms - call->tried_ms;
    if (way->way != call->way && answered && trip_ms <= CALL_NEAR_MS)
        return;
    if (way->way != call->way)
        *way = (round_trip_t){.way = call->way};
    if (!answered) {
        way->silences++;
        return;
    }
    int64_t off_ms = trip_ms > way->trip_ms ? trip_ms - way->trip_ms : way->trip_ms - trip_ms;
    way->spread_ms = way->trip_ms > 0 ? (3 * way->spread_ms + off_ms) / 4 : trip_ms / 2;
    way->trip_ms = way->trip_ms > 0 ? (7 * way->trip_ms + trip_ms) / 8 : trip_ms;
    way->silences = 0;
}

/*  One piece of memory holds the call and all that its order points to. */
static call_t *call_new (const call_order_t *order)
{
    const char *peer = or_empty (order->peer);
    const char *endpoint = or_empty (order->endpoint);
    const char *actor = or_empty (order->actor);
    const char *request_id = or_empty (order->request_id);
    size_t texts = strlen (peer) + strlen (endpoint) + strlen (order->service) +
                   strlen (order->method) + strlen (actor) + strlen (request_id) + 6;
    call_t *self = must (malloc (sizeof *self + texts + order->body.size));
    *self = (call_t){.tries_max = order->tries_max,
                     .timeout_ms = order->timeout_ms,
                     .lasting = order->lasting,
                     .way = way_of (*peer ? peer : endpoint)};
    char *at = (char *) (self + 1);
    self->peer = append_text (&at, peer);
    self->endpoint = append_text (&at, endpoint);
    self->service = append_text (&at, order->service);
    self->method = append_text (&at, order->method);
    self->actor = append_text (&at, actor);
    self->request_id = append_text (&at, request_id);
    self->body = (bytes_t){.data = (const uint8_t *) at, .size = order->body.size};
    if (order->body.size > 0)
        memcpy (at, order->body.data, order->body.size);
    if (order->to_store)
        memcpy (self->to_store, order->to_store, STORE_ID_BYTES);
    return self;
}

/*  The pause before the next try: it doubles, and a random part of up to half is taken off, so
 *  that calls that were refused together do not come back together. */
static int64_t call_backoff_ms (calls_t *self, uint32_t tries)
{
    int64_t ms = pause_doubled (CALL_BACKOFF_MS, CALL_BACKOFF_MS_MAX, tries - 1);
    return ms - (int64_t) prng_below (self->prng, (uint64_t) ms / 2 + 1);
}

static const char *address (const calls_t *self, const moment_t *now, const call_t *call)
{
    const char *known = NULL;
    if (*call->peer && self->resolve)
        known = self->resolve (self->resolver, now, call->peer);
    if (!known && *call->endpoint)
        known = call->endpoint;
    return known;
}

static void on_backoff_over (void *owner, const moment_t *now, uint64_t token);

static void call_back_off (calls_t *self, const moment_t *now, call_t *call)
{
    ordered_remove (self->by_try, &call->try);
    call->try = 0;
    call->timer = timers_set (self->timers, now->mono_ms + call_backoff_ms (self, call->tries),
                              on_backoff_over, self, call->number);
}

/*  Send it, or, when nobody knows where to, let the back-off stand for the time-out. */
static void call_try (calls_t *self, const moment_t *now, call_t *call)
{
    call->timer = 0;
    if (call->tries < UINT32_MAX)
        call->tries++;
    const char *endpoint = address (self, now, call);
    if (!endpoint) {
        call_back_off (self, now, call);
        return;
    }
    call->try = ++self->numbers;
    ordered_add (self->by_try, &call->try, call);
    call->tried_ms = now->mono_ms;
    effect_t effect = {.kind = EFFECT_CALL,
                       .call = {.call = call->try,
                                .endpoint = endpoint,
                                .service = call->service,
                                .method = call->method,
                                .actor = call->actor,
                                .request_id = call->request_id,
                                .body = call->body,
                                .timeout_ms = call_patience_ms (self, call)}};
    memcpy (effect.call.to_store, call->to_store, STORE_ID_BYTES);
    outbox_push (self->outbox, &effect);
}

static bool tries_spent (const call_t *call)
{
    return call->tries_max != 0 && call->tries >= call->tries_max;
}

static void call_end (calls_t *self, const moment_t *now, call_t *call, const call_result_t *result)
{
    call_remove (self, call);
    if (call->done)
        call->done (call->owner, now, call->token, result);
    free (call);
}

/*  A back-off is over: after an answer another try follows for certain; without an address the
 *  tries may be spent by now, and then one follows if the address has been found meanwhile. */
static void on_backoff_over (void *owner, const moment_t *now, uint64_t token)
{
    calls_t *self = owner;
    call_t *call = ordered_find (self->by_number, &token);
    assert (call && call->try == 0);
    if (!tries_spent (call) || address (self, now, call)) {
        call_try (self, now, call);
        return;
    }
    char reason [REASON_BYTES];
    snprintf (reason, sizeof reason, "the address of %.*s is not known", NAME_BYTES_MAX,
              call->peer);
    call->timer = 0;
    call_end (self, now, call, &(call_result_t){.status = CALL_TIMED_OUT, .reason = reason});
}

bool call_take (const call_result_t *result, const codec_t *codec, void *answer,
                char why [WHY_BYTES])
{
    char untold [WHY_BYTES];
    why = why ? why : untold;
    if (result->status != CALL_OK)
        return wrong (why, "%s", result->reason);
    return codec_decode (codec, answer, result->body, why);
}

calls_t *calls_new (outbox_t *outbox, timers_t *timers, prng_t *prng)
{
    assert (outbox && timers && prng);
    calls_t *self = must (calloc (1, sizeof *self));
    self->outbox = outbox;
    self->timers = timers;
    self->prng = prng;
    self->by_number = ordered_by_number (offsetof (call_t, number));
    self->by_try = ordered_by_number (offsetof (call_t, try));
    self->patience_ms = CALL_PATIENCE_MS_MAX;
    return self;
}

void calls_destroy (calls_t **self_p)
{
    calls_t *self = *self_p;
    if (!self)
        return;
    for (call_t *call; (call = ordered_after (self->by_number, NULL)); free (call))
        call_remove (self, call);
    ordered_destroy (&self->by_number);
    ordered_destroy (&self->by_try);
    free (self);
    *self_p = NULL;
}

void calls_patience (calls_t *self, int64_t patience_ms)
{
    self->patience_ms = patience_ms;
}

void calls_resolver (calls_t *self, call_resolve_fn *resolve, void *owner)
{
    assert (self && resolve);
    self->resolve = resolve;
    self->resolver = owner;
}

uint64_t calls_start (calls_t *self, const moment_t *now, const call_order_t *order,
                      call_done_fn *done, void *owner, uint64_t token)
{
    assert (self && now && order);
    assert (order->service && order->method && order->timeout_ms > 0);
    assert (order->body.size <= BODY_BYTES_MAX);

    call_t *call = call_new (order);
    call->number = ++self->numbers;
    ordered_add (self->by_number, &call->number, call);
    call->done = done;
    call->owner = owner;
    call->token = token;
    uint64_t number = call->number;
    call_try (self, now, call);
    return number;
}

void calls_cancel (calls_t *self, uint64_t number)
{
    call_t *call = ordered_find (self->by_number, &number);
    if (!call)
        return;
    call_remove (self, call);
    free (call);
}

void calls_answer (calls_t *self, const moment_t *now, const event_t *event)
{
    assert (self && now && event->kind == EVENT_ANSWER);
    call_t *call = ordered_find (self->by_try, &event->answer.call);
    if (!call)
        return; /* late, doubled, or cancelled */

    call_status_t status = event->answer.status;
    learn_way (self, now, call, status != CALL_TIMED_OUT);
    bool again =
      status == CALL_TIMED_OUT || status == CALL_OVERLOADED || status == CALL_NOT_SERVING;
    if (again && !tries_spent (call)) {
        call_back_off (self, now, call);
        return;
    }
    call_result_t result = {.status = status,
                            .reason = or_empty (event->answer.reason),
                            .body = event->answer.body,
                            .store_start = event->answer.store_start};
    memcpy (result.store, event->answer.store, STORE_ID_BYTES);
    call_end (self, now, call, &result);
}
