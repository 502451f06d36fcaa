/*  client - asks services from outside a core: the command-line client and test programs.
 *
 *  One at a time with client_ask, or many in flight with client_send and client_wait. Connections
 *  are made at first use and kept; a service that is down or comes back is no special case, its
 *  requests wait and time out. Repeats are the caller's business: the same request id and body are
 *  always safe to send again. One thread at a time.
 */
#ifndef MUSUBI_CLIENT_H
#define MUSUBI_CLIENT_H

#include "core.h"

#define CLIENT_REASON_BYTES 512

typedef struct client client_t;

/*  Everything is borrowed for the length of the call only. */
typedef struct {
    const char *endpoint; /* "tcp://127.0.0.1:5600" */
    const char *service;  /* "Planner" */
    const char *method;   /* "Reserve" */
    const char *actor;
    const char *request_id;  /* NULL or "" when none */
    const uint8_t *to_store; /* STORE_ID_BYTES; NULL = whoever serves there */
    bytes_t body;            /* packed; see message.h */
    int64_t timeout_ms;      /* from now; then the reply is CALL_TIMED_OUT */
} client_request_t;

typedef struct {
    uint64_t call;        /* as client_send returned it */
    call_status_t status; /* CALL_TIMED_OUT: it may have been received or not */
    char reason [CLIENT_REASON_BYTES];
    bytes_t body;                   /* lives until the next call of any function of this client */
    uint8_t store [STORE_ID_BYTES]; /* of the service that answered; zero when CALL_TIMED_OUT */
    uint32_t store_start;
} client_reply_t;

client_t *client_new (void);
void client_destroy (client_t **self_p);

/*  Asks and waits for the answer. Replies to calls of client_send that come meanwhile are kept for
 *  client_wait. An endpoint that cannot be one, or a body over BODY_BYTES_MAX, is CALL_BAD_REQUEST
 *  with the reason. An interrupt (SIGINT with a handler) ends the wait as CALL_TIMED_OUT. */
void client_ask (client_t *self, const client_request_t *request, client_reply_t *reply);

/*  Sends without waiting; returns the call's number, never 0. Exactly one reply of that number
 *  follows from client_wait, CALL_TIMED_OUT at the latest. */
uint64_t client_send (client_t *self, const client_request_t *request);

/*  The next reply of any call sent; false when none came within timeout_ms (0 = do not wait,
 *  negative = as long as calls are in flight), by an interrupt, or when none is in flight. */
bool client_wait (client_t *self, int64_t timeout_ms, client_reply_t *reply);

/*  Calls sent whose replies client_wait has not given yet. */
size_t client_in_flight (const client_t *self);

/*  Requests that left so far, and the bytes of their headers and bodies. */
uint64_t client_sent (const client_t *self);
uint64_t client_sent_bytes (const client_t *self);

#endif
