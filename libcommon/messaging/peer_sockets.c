/*  peer_sockets - a DEALER an address, each with a queue of what could not leave yet; calls are
 *  found by number and end by timers.
 *
 *  Whether a connection stands is told by the socket's monitor. ZMQ_IMMEDIATE would ask for
 *  less, but libzmq 4.3.4 then drops a lost connection's messages even between the frames of
 *  one that is being read, and ends the process over it (fq.cpp, "!_more").
 */
#include "peer_sockets.h"

#include "envelope.h"
#include "message.h"
#include "must.h"
#include "ordered.h"
#include "sockets.h"
#include "timers.h"

#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_MS   30000 /* between two looks for idle addresses */
#define FRAMES_MAX 3     /* of a message */

typedef struct {
    char *endpoint;
    polled_t *port; /* NULL: it lacks a descriptor */
    polled_t *monitor;
    bool stands;      /* the connection */
    zlistx_t *unsent; /* of pending_call_t */
    size_t calls;     /* in flight, sent or not */
    int64_t used_ms;
} peer_socket_t;

typedef struct {
    uint64_t number;
    peer_socket_t *peer; /* NULL: could not be reached */
    uint64_t timer;
    int64_t timeout_ms;
    void *unsent;     /* its place among the peer's; NULL = it has left */
    zmq_msg_t header; /* while unsent */
    zmq_msg_t body;
} pending_call_t;

struct peers {
    poll_set_t *ports;
    int port_kind;
    zhashx_t *by_endpoint; /* of peer_socket_t */
    ordered_t *by_number;  /* of pending_call_t */
    timers_t *timers;
    zlistx_t *expired; /* of pending_call_t, with an event to come */
    size_t open;       /* peers with sockets, */
    size_t open_max;   /* so that each finds a descriptor for its connection */
    size_t lacking;    /* peers that wait for descriptors */
    int64_t again_ms;  /* when it is tried again for them */
    int64_t swept_ms;
    uint64_t sent;
    uint64_t sent_bytes;
    zmq_msg_t frames [FRAMES_MAX]; /* of the message last received, */
    zmq_msg_t *body;               /* one of which is its body */
    Musubi__ReplyHeader *reply;
    char reason [REASON_BYTES_MAX + 1];
};

static void unsent_take (pending_call_t *call)
{
    assert (call->peer);
    zlistx_detach (call->peer->unsent, call->unsent);
    call->unsent = NULL;
}

/*  False when the connection does not stand or is full: try again when its ports say something. */
static bool call_send (peer_sockets_t *self, pending_call_t *call)
{
    size_t bytes = zmq_msg_size (&call->header) + zmq_msg_size (&call->body);
    if (!call->peer->stands)
        return false;
    void *handle = call->peer->port->handle;
    if (zmq_send (handle, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
        return false;
    /*  A message begun is taken whole, or dropped whole with its connection. */
    zmq_msg_send (&call->header, handle, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    zmq_msg_send (&call->body, handle, ZMQ_DONTWAIT);
    self->sent++;
    self->sent_bytes += bytes;
    return true;
}

static void unsent_flush (peer_sockets_t *self, peer_socket_t *peer)
{
    for (pending_call_t *call; (call = zlistx_first (peer->unsent)) && call_send (self, call);) {
        unsent_take (call);
        polled_stir (self->ports, peer->port);
    }
}

static void call_free (void *thing)
{
    pending_call_t *call = thing;
    if (call->unsent)
        unsent_take (call);
    zmq_msg_close (&call->header);
    zmq_msg_close (&call->body);
    free (call);
}

static void peer_close (peer_sockets_t *self, peer_socket_t *peer)
{
    if (!peer->port)
        return;
    self->open--;
    socket_unwatch (peer->port->handle);
    poll_set_remove (self->ports, &peer->monitor);
    poll_set_remove (self->ports, &peer->port);
}

/*  False with errno. */
static bool peer_open (peer_sockets_t *self, peer_socket_t *peer)
{
    errno = EMFILE;
    void *dealer = self->open < self->open_max ? socket_open (ZMQ_DEALER) : NULL;
    if (!dealer)
        return false;
    socket_set (dealer, ZMQ_RECONNECT_IVL, PEER_RECONNECT_MS);
    socket_set (dealer, ZMQ_RECONNECT_IVL_MAX, PEER_RECONNECT_MAX);
    socket_set (dealer, ZMQ_HEARTBEAT_IVL, PEER_HEARTBEAT_MS);
    socket_set (dealer, ZMQ_HEARTBEAT_TIMEOUT, 3 * PEER_HEARTBEAT_MS);
    socket_set (dealer, ZMQ_MAXMSGSIZE, BODY_BYTES_MAX);
    socket_set (dealer, ZMQ_IPV6, strchr (peer->endpoint, '[') != NULL);
    peer->port = poll_set_add (self->ports, &dealer, self->port_kind, peer);
    if (!peer->port)
        return false;
    self->open++;
    void *watcher =
      socket_watch (peer->port->handle, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
    if (watcher) /* before there is something to hear */
        peer->monitor = poll_set_add (self->ports, &watcher, self->port_kind, peer);
    if (peer->monitor && zmq_connect (peer->port->handle, peer->endpoint) == 0)
        return true;
    int error = errno;
    peer_close (self, peer);
    errno = error;
    return false;
}

static void peer_destroy (peer_sockets_t *self, peer_socket_t *peer)
{
    assert (peer->calls == 0);
    peer_close (self, peer);
    zlistx_destroy (&peer->unsent);
    free (peer->endpoint);
    free (peer);
}

static void peer_sockets_sweep (peer_sockets_t *self, int64_t mono_ms, int64_t idle_ms)
{
    self->swept_ms = mono_ms;
    zlistx_t *idle = must (zlistx_new ());
    for (peer_socket_t *peer = zhashx_first (self->by_endpoint); peer;
         peer = zhashx_next (self->by_endpoint))
        if (peer->calls == 0 && mono_ms - peer->used_ms >= idle_ms)
            zlistx_add_end (idle, peer);
    for (peer_socket_t *peer = zlistx_first (idle); peer; peer = zlistx_next (idle)) {
        zhashx_delete (self->by_endpoint, peer->endpoint);
        self->lacking -= !peer->port;
        peer_destroy (self, peer);
    }
    zlistx_destroy (&idle);
}

/*  NULL with errno, when it is no address. */
static peer_socket_t *peer_new (peer_sockets_t *self, const char *endpoint)
{
    peer_socket_t *peer = must (calloc (1, sizeof *peer));
    peer->endpoint = must (strdup (endpoint));
    peer->unsent = must (zlistx_new ());
    if (peer_open (self, peer))
        return peer;
    int error = errno;
    if (socket_lacking ()) {
        self->lacking++;
        return peer;
    }
    peer_destroy (self, peer);
    errno = error;
    return NULL;
}

/*  Peers that are not called any more give their descriptors to those that lack some. */
static void open_lacking (peer_sockets_t *self, int64_t mono_ms)
{
    self->again_ms = mono_ms + PEER_RECONNECT_MS;
    peer_sockets_sweep (self, mono_ms, 0);
    for (peer_socket_t *peer = zhashx_first (self->by_endpoint); peer && self->lacking > 0;
         peer = zhashx_next (self->by_endpoint)) {
        if (peer->port)
            continue;
        if (!peer_open (self, peer))
            return;
        self->lacking--;
    }
}

/*  NULL with errno. */
static peer_socket_t *peer_reach (peer_sockets_t *self, const char *endpoint, int64_t mono_ms)
{
    peer_socket_t *peer = zhashx_lookup (self->by_endpoint, endpoint);
    if (!peer) {
        if (zhashx_size (self->by_endpoint) >= PEER_SOCKETS_MAX)
            peer_sockets_sweep (self, mono_ms, 0);
        errno = EMFILE;
        if (zhashx_size (self->by_endpoint) >= PEER_SOCKETS_MAX)
            return NULL;
        peer = peer_new (self, endpoint);
        if (!peer)
            return NULL;
        zhashx_insert (self->by_endpoint, endpoint, peer);
    }
    peer->used_ms = mono_ms;
    return peer;
}

peer_sockets_t *peer_sockets_new (poll_set_t *ports, int port_kind, size_t files)
{
    peer_sockets_t *self = must (calloc (1, sizeof *self));
    self->ports = ports;
    self->port_kind = port_kind;
    self->open_max = files > FILES_OF_A_PEER ? files / FILES_OF_A_PEER : 1;
    self->by_endpoint = must (zhashx_new ());
    self->by_number = ordered_by_number (offsetof (pending_call_t, number));
    self->expired = must (zlistx_new ());
    self->timers = timers_new ();
    for (int i = 0; i < FRAMES_MAX; i++)
        zmq_msg_init (&self->frames [i]);
    return self;
}

void peer_sockets_destroy (peer_sockets_t **self_p)
{
    peer_sockets_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->by_number, call_free);
    for (pending_call_t *call; (call = zlistx_detach (self->expired, NULL));)
        call_free (call);
    zlistx_destroy (&self->expired);
    for (peer_socket_t *peer = zhashx_first (self->by_endpoint); peer;
         peer = zhashx_next (self->by_endpoint)) {
        peer->calls = 0;
        peer_destroy (self, peer);
    }
    zhashx_destroy (&self->by_endpoint);
    timers_destroy (&self->timers);
    for (int i = 0; i < FRAMES_MAX; i++)
        zmq_msg_close (&self->frames [i]);
    message_free ((ProtobufCMessage *) self->reply);
    free (self);
    *self_p = NULL;
}

bool peer_sockets_reach (peer_sockets_t *self, const char *endpoint, int64_t mono_ms)
{
    return peer_reach (self, endpoint, mono_ms) != NULL;
}

/*  A call that ends without an answer; its event is given by peer_sockets_expire. */
static void expire (peer_sockets_t *self, pending_call_t *call)
{
    if (call->unsent)
        unsent_take (call);
    zlistx_add_end (self->expired, call);
}

static void peer_sockets_on_timer (void *owner, const moment_t *now, uint64_t number)
{
    (void) now;
    peer_sockets_t *self = owner;
    pending_call_t *call = ordered_remove (self->by_number, &number);
    assert (call);
    call->timer = 0;
    expire (self, call);
}

static void message_fill (zmq_msg_t *message, const void *data, size_t size)
{
    must (zmq_msg_init_size (message, size) == 0 ? message : NULL);
    if (size > 0)
        memcpy (zmq_msg_data (message), data, size);
}

void peer_sockets_call (peer_sockets_t *self, const effect_t *effect, int64_t mono_ms)
{
    const char *why;
    uint8_t frame [HEADER_BYTES_MAX];
    Musubi__RequestHeader header = request_header_of (effect);
    assert (request_header_judge (&header, &why) == CALL_OK);
    assert (effect->call.body.size <= BODY_BYTES_MAX);
    pending_call_t *call = must (calloc (1, sizeof *call));
    call->number = effect->call.call;
    call->timeout_ms = effect->call.timeout_ms;
    message_fill (&call->header, frame, header_write (&header.base, frame));
    message_fill (&call->body, effect->call.body.data, effect->call.body.size);

    call->peer = peer_reach (self, effect->call.endpoint, mono_ms);
    if (!call->peer) {
        expire (self, call);
        return;
    }
    ordered_add (self->by_number, &call->number, call); /* used once in a start */
    call->peer->calls++;
    call->timer = timers_set (self->timers, mono_ms + call->timeout_ms, peer_sockets_on_timer, self,
                              call->number);
    call->unsent = zlistx_add_end (call->peer->unsent, call);
    unsent_flush (self, call->peer);
}

/*  [delimiter] [ReplyHeader] [body]; a peer that echoes no delimiter is understood too. False when
 *  nothing is there, or nothing sound; then *quiet says which. */
static bool receive_reply (peer_sockets_t *self, polled_t *port, bool *quiet)
{
    size_t count = socket_receive (port->handle, self->frames, FRAMES_MAX);
    *quiet = count == 0;
    bool delimiter = count > 1 && zmq_msg_size (&self->frames [0]) == 0;
    self->body = &self->frames [delimiter + 1];
    if (count != (size_t) delimiter + 2 || zmq_msg_size (self->body) > BODY_BYTES_MAX)
        return false;
    message_free ((ProtobufCMessage *) self->reply);
    self->reply = reply_header_read (frame_bytes (&self->frames [delimiter]));
    return self->reply;
}

static void receive_news (peer_sockets_t *self, peer_socket_t *peer)
{
    int news, value;
    if (!socket_hear (peer->monitor->handle, &news, &value)) {
        polled_quiet (self->ports, peer->monitor);
        return;
    }
    peer->stands = news == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    unsent_flush (self, peer);
}

bool peer_sockets_receive (peer_sockets_t *self, polled_t *port, int64_t mono_ms, event_t *event)
{
    peer_socket_t *peer = port->owner;
    bool quiet;
    if (port == peer->monitor) {
        receive_news (self, peer);
        return false;
    }
    if (!receive_reply (self, port, &quiet)) {
        if (quiet) {
            polled_quiet (self->ports, port);
            unsent_flush (self, peer); /* the news may be that there is room again */
        }
        return false;
    }
    const Musubi__ReplyHeader *reply = self->reply;
    uint64_t number = reply->call;
    const pending_call_t *call = ordered_find (self->by_number, &number);
    if (!call || call->peer != peer || call->unsent)
        return false; /* late, or unasked */
    peer_sockets_forget (self, number);
    peer->used_ms = mono_ms;

    bool ok = reply->status == MUSUBI__STATUS__OK;
    *event = (event_t){.kind = EVENT_ANSWER,
                       .answer = {.call = number,
                                  .status = (call_status_t) reply->status,
                                  .reason = ok ? "" : reply->reason,
                                  .store_start = reply->start}};
    if (reply->store.len > 0)
        memcpy (event->answer.store, reply->store.data, STORE_ID_BYTES);
    if (ok)
        event->answer.body = frame_bytes (self->body);
    return true;
}

bool peer_sockets_expire (peer_sockets_t *self, int64_t mono_ms, event_t *event)
{
    timers_run (self->timers, &(moment_t){.mono_ms = mono_ms});
    pending_call_t *call = zlistx_detach (self->expired, NULL);
    if (!call)
        return false;
    if (call->peer) {
        call->peer->calls--;
        snprintf (self->reason, sizeof self->reason,
                  call->peer->port
                    ? "no answer from %.300s within %.3g s"
                    : "not asked: no file descriptor for a connection to %.300s came free "
                      "within %.3g s; raise the limit of open files (ulimit -n)",
                  call->peer->endpoint, (double) call->timeout_ms / 1000);
    } else
        snprintf (self->reason, sizeof self->reason, "the address can't be connected to");
    *event =
      (event_t){.kind = EVENT_ANSWER,
                .answer = {.call = call->number, .status = CALL_TIMED_OUT, .reason = self->reason}};
    call_free (call);
    return true;
}

int64_t peer_sockets_due (peer_sockets_t *self, int64_t mono_ms)
{
    if (mono_ms - self->swept_ms >= SWEEP_MS)
        peer_sockets_sweep (self, mono_ms, PEER_IDLE_MS);
    if (self->lacking > 0 && mono_ms >= self->again_ms)
        open_lacking (self, mono_ms);
    int64_t due_ms = zlistx_size (self->expired) > 0 ? mono_ms : timers_due (self->timers);
    return self->lacking > 0 && self->again_ms < due_ms ? self->again_ms : due_ms;
}

void peer_sockets_forget (peer_sockets_t *self, uint64_t number)
{
    pending_call_t *call = ordered_remove (self->by_number, &number);
    if (!call)
        return;
    timers_cancel (self->timers, call->timer);
    call->peer->calls--;
    call_free (call);
}

size_t peer_sockets_calls (const peer_sockets_t *self)
{
    return ordered_count (self->by_number) + zlistx_size (self->expired);
}

size_t peer_sockets_open (const peer_sockets_t *self)
{
    return self->open;
}

size_t peer_sockets_lacking (const peer_sockets_t *self)
{
    size_t left = self->open_max - self->open;
    return self->lacking < left ? self->lacking : left;
}

uint64_t peer_sockets_sent (const peer_sockets_t *self)
{
    return self->sent;
}

uint64_t peer_sockets_sent_bytes (const peer_sockets_t *self)
{
    return self->sent_bytes;
}
