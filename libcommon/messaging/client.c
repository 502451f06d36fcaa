/*  client - the host's way of calling (peer_sockets.h) with a loop that blocks. */
#include "client.h"

#include "clock.h"
#include "envelope.h"
#include "must.h"
#include "peer_sockets.h"
#include "poll_set.h"
#include "sockets.h"

#include <czmq.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_OWN 16 /* of the program: what it reads and writes, libzmq's */

enum { PORT_PEER = 1 };

/*  A reply that waits for client_wait. */
typedef struct {
    client_reply_t reply;
    uint8_t *body;
} kept_reply_t;

struct client {
    poll_set_t *ports;
    peer_sockets_t *peers;
    uint64_t calls; /* numbers given */
    zlistx_t *kept; /* of kept_reply_t */
    uint8_t *body;  /* of the reply last taken from the kept ones */
};

client_t *client_new (void)
{
    client_t *self = must (calloc (1, sizeof *self));
    size_t files = sockets_prepare ();
    self->kept = must (zlistx_new ());
    self->ports = must (poll_set_new ());
    self->peers =
      must (peer_sockets_new (self->ports, PORT_PEER, files > FILES_OWN ? files - FILES_OWN : 0));
    peer_sockets_tell_names (self->peers);
    return self;
}

void client_destroy (client_t **self_p)
{
    client_t *self = *self_p;
    if (!self)
        return;
    for (kept_reply_t *kept; (kept = zlistx_detach (self->kept, NULL)); free (kept))
        free (kept->body);
    zlistx_destroy (&self->kept);
    peer_sockets_destroy (&self->peers);
    poll_set_destroy (&self->ports);
    free (self->body);
    free (self);
    *self_p = NULL;
}

static void reply_fill (client_reply_t *reply, const event_t *event)
{
    *reply = (client_reply_t){.call = event->answer.call,
                              .status = event->answer.status,
                              .body = event->answer.body,
                              .store_start = event->answer.store_start};
    memcpy (reply->store, event->answer.store, STORE_ID_BYTES);
    snprintf (reply->reason, sizeof reply->reason, "%s", event->answer.reason);
}

static void client_keep (client_t *self, const client_reply_t *reply)
{
    kept_reply_t *kept = must (calloc (1, sizeof *kept));
    kept->reply = *reply;
    kept->reply.body.data = kept->body = must_copy (reply->body.data, reply->body.size);
    zlistx_add_end (self->kept, kept);
}

static bool take_kept (client_t *self, client_reply_t *reply)
{
    kept_reply_t *kept = zlistx_detach (self->kept, NULL);
    if (!kept)
        return false;
    *reply = kept->reply;
    free (self->body);
    self->body = kept->body;
    free (kept);
    return true;
}

/*  Why a request cannot even be tried; NULL when it can. */
static const char *unfit (client_t *self, const client_request_t *request, const effect_t *call)
{
    const char *why;
    Musubi__RequestHeader header = request_header_of (call);
    if (request->body.size > BODY_BYTES_MAX)
        return "the body is larger than 1 MiB";
    if (request_header_judge (&header, &why) != CALL_OK)
        return "service, method, actor or request id is longer than allowed";
    if (!peer_sockets_reach (self->peers, request->endpoint, clock_ms (CLOCK_MONOTONIC)))
        return errno == EINVAL || errno == EPROTONOSUPPORT || errno == ENODEV
                 ? "the endpoint is no address; write tcp://HOST:PORT or ipc://PATH"
                 : strerror (errno);
    return NULL;
}

/*  Numbers and sends a request; false with *refused when it cannot even be tried. */
static bool client_start (client_t *self, const client_request_t *request, client_reply_t *refused)
{
    effect_t call = {.kind = EFFECT_CALL,
                     .call = {.call = ++self->calls,
                              .endpoint = request->endpoint,
                              .service = request->service,
                              .method = request->method,
                              .actor = request->actor,
                              .request_id = request->request_id ? request->request_id : "",
                              .body = request->body,
                              .timeout_ms = request->timeout_ms > 0 ? request->timeout_ms : 0}};
    if (request->to_store)
        memcpy (call.call.to_store, request->to_store, STORE_ID_BYTES);
    const char *why = unfit (self, request, &call);
    if (why) {
        *refused = (client_reply_t){.call = self->calls, .status = CALL_BAD_REQUEST};
        snprintf (refused->reason, sizeof refused->reason, "%s", why);
        return false;
    }
    peer_sockets_call (self->peers, &call, clock_ms (CLOCK_MONOTONIC));
    return true;
}

/*  One more reply off the sockets or the clock; false when none came by due_ms or at an interrupt.
 */
static bool await (client_t *self, int64_t due_ms, client_reply_t *reply)
{
    event_t event;
    for (;;) {
        int64_t now_ms = clock_ms (CLOCK_MONOTONIC);
        for (polled_t *port = poll_set_ready (self->ports); port;
             port = poll_set_ready (self->ports))
            if (peer_sockets_receive (self->peers, port, now_ms, &event)) {
                reply_fill (reply, &event);
                return true;
            }
        if (peer_sockets_expire (self->peers, now_ms, &event)) {
            reply_fill (reply, &event);
            return true;
        }
        int64_t next_ms = peer_sockets_due (self->peers, now_ms);
        int64_t until_ms = next_ms < due_ms ? next_ms : due_ms;
        if (now_ms >= due_ms)
            return false;
        peer_sockets_flush (self->peers);
        if (!poll_set_wait (self->ports, until_ms == INT64_MAX ? -1 : until_ms - now_ms))
            return false;
    }
}

void client_ask (client_t *self, const client_request_t *request, client_reply_t *reply)
{
    if (!client_start (self, request, reply))
        return;
    uint64_t asked = self->calls;
    while (await (self, INT64_MAX, reply)) {
        if (reply->call == asked)
            return;
        client_keep (self, reply);
    }
    peer_sockets_forget (self->peers, asked);
    *reply = (client_reply_t){.call = asked, .status = CALL_TIMED_OUT, .reason = "interrupted"};
}

uint64_t client_send (client_t *self, const client_request_t *request)
{
    client_reply_t refused;
    if (!client_start (self, request, &refused))
        client_keep (self, &refused);
    peer_sockets_flush (self->peers);
    return self->calls;
}

bool client_wait (client_t *self, int64_t timeout_ms, client_reply_t *reply)
{
    if (take_kept (self, reply))
        return true;
    if (client_in_flight (self) == 0)
        return false;
    return await (self, timeout_ms < 0 ? INT64_MAX : clock_ms (CLOCK_MONOTONIC) + timeout_ms,
                  reply);
}

size_t client_in_flight (const client_t *self)
{
    return peer_sockets_calls (self->peers) + zlistx_size (self->kept);
}

uint64_t client_sent (const client_t *self)
{
    return peer_sockets_sent (self->peers);
}

uint64_t client_sent_bytes (const client_t *self)
{
    return peer_sockets_sent_bytes (self->peers);
}
