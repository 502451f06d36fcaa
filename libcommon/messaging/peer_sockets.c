/*  peer_sockets - a connection an address under a route of its own, each with a queue of what could
 *  not leave yet; calls are found by number and end by timers.
 *
 *  A route is used for one connection and never again, so an answer tells over which one it came.
 *  Whether a connection stands is told by the socket's monitor, which names addresses as they were
 *  dialled; libzmq names them otherwise when it dials again by itself after a loss (a host by its
 *  number), so a connection that is lost is given up here and dialled anew. ZMQ_IMMEDIATE would ask
 *  for less, but libzmq 4.3.4 then drops a lost connection's messages even between the frames of
 *  one that is being read, and ends the process over it (fq.cpp, "!_more").
 */
#include "peer_sockets.h"

#include "bundle.h"
#include "clock.h"
#include "envelope.h"
#include "message.h"
#include "must.h"
#include "ordered.h"
#include "sockets.h"
#include "timers.h"

#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TCP "tcp://"

#define FRAMES_MAX     4   /* of a message */
#define PEER_LINGER_MS 200 /* for the last messages to those who are there */

typedef struct {
    uint8_t kind; /* libzmq's own routes begin with 0 */
    uint8_t number [sizeof (uint64_t)];
} peer_route_t;

typedef struct {
    char *endpoint;
    bool dialled;
    bool stands;  /* the connection */
    bool bundles; /* who is there takes them */
    peer_route_t route;
    zlistx_t *unsent; /* of pending_call_t */
    size_t calls;     /* in flight, sent or not */
    int64_t used_ms;
    void *idle;    /* its place among those without a call; NULL = it has none; */
    void *waiting; /* among those with calls and no connection, */
    void *leaving; /* and among those whose calls can leave */
} peer_socket_t;

typedef struct {
    uint64_t number;
    peer_socket_t *peer; /* NULL: could not be reached */
    uint64_t timer;
    int64_t timeout_ms;
    void *unsent;     /* its place among the peer's; NULL = it has left */
    bundle_t message; /* while unsent */
} pending_call_t;

struct peers {
    poll_set_t *ports;
    polled_t *router;
    polled_t *monitor;
    zhashx_t *by_endpoint; /* of peer_socket_t */
    ordered_t *by_number;  /* of pending_call_t */
    timers_t *timers;
    zlistx_t *expired; /* of pending_call_t, with an event to come */
    zlistx_t *idle;    /* of peer_socket_t, longest first */
    zlistx_t *waiting;
    zlistx_t *leaving;
    uint64_t routes;
    size_t open;      /* connections, */
    size_t open_max;  /* so that each finds a descriptor */
    bool starved;     /* the machine had no descriptor for the last one */
    int64_t again_ms; /* when those that wait are dialled next */
    uint64_t sent;
    uint64_t sent_bytes;
    zmq_msg_t frames [FRAMES_MAX]; /* of the message last received, in which are */
    bytes_t header;
    bytes_t body;
    bytes_t rest; /* of a bundle, to be read */
    Musubi__ReplyHeader *reply;
    int64_t names_ms; /* left for the resolver; 0 = it is not asked */
    char reason [REASON_BYTES_MAX + 1];
};

static void unsent_take (pending_call_t *call)
{
    assert (call->peer);
    zlistx_detach (call->peer->unsent, call->unsent);
    call->unsent = NULL;
    bundle_clear (&call->message);
}

static void call_free (void *thing)
{
    pending_call_t *call = thing;
    if (call->unsent)
        unsent_take (call);
    bundle_clear (&call->message);
    free (call);
}

/*  --- a peer --- */

static void list_if (zlistx_t *list, void **place, peer_socket_t *peer, bool belongs)
{
    if (belongs && !*place)
        *place = zlistx_add_end (list, peer);
    else if (!belongs && *place) {
        zlistx_detach (list, *place);
        *place = NULL;
    }
}

static void peer_free (peer_socket_t *peer)
{
    zlistx_destroy (&peer->unsent);
    free (peer->endpoint);
    free (peer);
}

/*  After each change of it: puts it where it belongs. One that has neither calls nor a connection
 *  is gone afterwards. */
static void peer_settle (peer_sockets_t *self, peer_socket_t *peer)
{
    list_if (self->idle, &peer->idle, peer, peer->dialled && peer->calls == 0);
    list_if (self->waiting, &peer->waiting, peer, !peer->dialled && peer->calls > 0);
    list_if (self->leaving, &peer->leaving, peer, peer->stands && zlistx_size (peer->unsent) > 0);
    if (peer->dialled || peer->calls > 0)
        return;
    zhashx_delete (self->by_endpoint, peer->endpoint);
    peer_free (peer);
}

/*  What has not left libzmq yet is lost with it. */
static void peer_hang_up (peer_sockets_t *self, peer_socket_t *peer)
{
    if (!peer->dialled)
        return;
    zmq_disconnect (self->router->handle, peer->endpoint);
    peer->dialled = peer->stands = false;
    self->open--;
    peer_settle (self, peer);
}

bool peer_sockets_make_room (peer_sockets_t *self)
{
    peer_socket_t *peer = zlistx_first (self->idle);
    if (!peer)
        return false;
    peer_hang_up (self, peer);
    return true;
}

/*  False when there was none. */
static bool receive_news (peer_sockets_t *self)
{
    int news, value;
    char address [SOCKET_ADDRESS_BYTES];
    if (!socket_hear (self->monitor->handle, &news, &value, address))
        return false;
    peer_socket_t *peer = zhashx_lookup (self->by_endpoint, address);
    if (!peer || !peer->dialled)
        return true;
    if (news == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
        peer->stands = true;
        peer_settle (self, peer);
    } else {
        peer_hang_up (self, peer);
    }
    return true;
}

/*  False with errno. libzmq dials in a thread of its own, again and again until the connection
 *  stands, and says nothing when it finds no descriptor: it is asked for here. Before, all news is
 *  heard: of two connections of one address libzmq ends the wrong one when it is told too late. */
static bool peer_dial (peer_sockets_t *self, peer_socket_t *peer)
{
    while (receive_news (self))
        continue;
    errno = EMFILE;
    if (self->open >= self->open_max && !peer_sockets_make_room (self))
        return false;
    self->starved = !sockets_spare ();
    if (self->starved) {
        int error = errno;
        peer_sockets_make_room (self);
        errno = error;
        return false;
    }
    void *handle = self->router->handle;
    uint64_t number = ++self->routes;
    peer->route.kind = 1;
    memcpy (peer->route.number, &number, sizeof number);
    zmq_setsockopt (handle, ZMQ_CONNECT_ROUTING_ID, &peer->route, sizeof peer->route);
    socket_set (handle, ZMQ_IPV6, strchr (peer->endpoint, '[') != NULL);
    if (zmq_connect (handle, peer->endpoint) != 0)
        return false;
    peer->dialled = true;
    peer->bundles = false;
    self->open++;
    return true;
}

/*  NULL with errno, when it is no address. It is to be settled. */
static peer_socket_t *peer_new (peer_sockets_t *self, const char *endpoint)
{
    peer_socket_t *peer = must (calloc (1, sizeof *peer));
    peer->endpoint = must (strdup (endpoint));
    peer->unsent = must (zlistx_new ());
    if (!peer_dial (self, peer) && !socket_lacking ()) {
        int error = errno;
        peer_free (peer);
        errno = error;
        return NULL;
    }
    zhashx_insert (self->by_endpoint, endpoint, peer);
    return peer;
}

/*  NULL with errno. It is to be settled. */
static peer_socket_t *peer_reach (peer_sockets_t *self, const char *endpoint, int64_t mono_ms)
{
    peer_socket_t *peer = zhashx_lookup (self->by_endpoint, endpoint);
    if (!peer) {
        errno = EMFILE;
        if (zhashx_size (self->by_endpoint) >= PEER_SOCKETS_MAX && !peer_sockets_make_room (self))
            return NULL;
        peer = peer_new (self, endpoint);
    }
    if (peer)
        peer->used_ms = mono_ms;
    return peer;
}

/*  --- all of them --- */

/*  False with errno. */
static bool router_open (peer_sockets_t *self, int port_kind)
{
    void *router = socket_open (ZMQ_ROUTER);
    if (!router)
        return false;
    socket_set (router, ZMQ_ROUTER_MANDATORY, 1);
    socket_set (router, ZMQ_LINGER, PEER_LINGER_MS);
    socket_set (router, ZMQ_SNDHWM, PEER_MESSAGES_HELD_MAX);
    socket_set (router, ZMQ_RECONNECT_IVL, PEER_RECONNECT_MS);
    socket_set (router, ZMQ_RECONNECT_IVL_MAX, PEER_RECONNECT_MAX);
    socket_set (router, ZMQ_TCP_MAXRT, PEER_SILENT_MS);
    socket_set (router, ZMQ_MAXMSGSIZE, BODY_BYTES_MAX);
    self->router = poll_set_add (self->ports, &router, port_kind, NULL);
    if (!self->router)
        return false;
    void *watcher =
      socket_watch (self->router->handle, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
    if (watcher)
        self->monitor = poll_set_add (self->ports, &watcher, port_kind, NULL);
    return self->monitor;
}

peer_sockets_t *peer_sockets_new (poll_set_t *ports, int port_kind, size_t files)
{
    peer_sockets_t *self = must (calloc (1, sizeof *self));
    self->ports = ports;
    self->open_max = files > 0 ? files : 1;
    self->by_endpoint = must (zhashx_new ());
    self->by_number = ordered_by_number (offsetof (pending_call_t, number));
    self->expired = must (zlistx_new ());
    self->idle = must (zlistx_new ());
    self->waiting = must (zlistx_new ());
    self->leaving = must (zlistx_new ());
    self->timers = timers_new ();
    for (int i = 0; i < FRAMES_MAX; i++)
        zmq_msg_init (&self->frames [i]);
    if (!router_open (self, port_kind))
        peer_sockets_destroy (&self);
    return self;
}

static void router_close (peer_sockets_t *self)
{
    int error = errno;
    if (self->router)
        socket_unwatch (self->router->handle);
    poll_set_remove (self->ports, &self->monitor);
    poll_set_remove (self->ports, &self->router);
    errno = error;
}

void peer_sockets_destroy (peer_sockets_t **self_p)
{
    peer_sockets_t *self = *self_p;
    if (!self)
        return;
    router_close (self);
    ordered_end (&self->by_number, call_free);
    for (pending_call_t *call; (call = zlistx_detach (self->expired, NULL));)
        call_free (call);
    zlistx_destroy (&self->expired);
    for (peer_socket_t *peer = zhashx_first (self->by_endpoint); peer;
         peer = zhashx_next (self->by_endpoint))
        peer_free (peer);
    zhashx_destroy (&self->by_endpoint);
    zlistx_destroy (&self->idle);
    zlistx_destroy (&self->waiting);
    zlistx_destroy (&self->leaving);
    timers_destroy (&self->timers);
    for (int i = 0; i < FRAMES_MAX; i++)
        zmq_msg_close (&self->frames [i]);
    message_free ((ProtobufCMessage *) self->reply);
    free (self);
    *self_p = NULL;
}

bool peer_sockets_reach (peer_sockets_t *self, const char *endpoint, int64_t mono_ms)
{
    peer_socket_t *peer = peer_reach (self, endpoint, mono_ms);
    if (peer)
        peer_settle (self, peer);
    return peer;
}

/*  --- calls --- */

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
    bytes_t head = {.data = frame, .size = header_write (&header.base, frame)};
    bundle_add (&call->message, head, effect->call.body);

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
    peer_settle (self, call->peer);
}

/*  One message, with as many of its calls as may be in one. False when nothing can leave now: the
 *  peer has all, or reads too slowly, or its connection has just gone. */
static bool peer_send (peer_sockets_t *self, peer_socket_t *peer)
{
    void *handle = self->router->handle;
    pending_call_t *call = zlistx_first (peer->unsent);
    if (!call ||
        zmq_send (handle, &peer->route, sizeof peer->route, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
        return false;
    /*  A message begun is taken whole, or dropped whole with its connection. */
    zmq_send (handle, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    bundle_t bundle = {0};
    while (call && (peer->bundles || bundle.count == 0) && bundle_join (&bundle, &call->message)) {
        unsent_take (call);
        call = zlistx_first (peer->unsent);
    }
    self->sent++;
    self->sent_bytes += bundle_send (&bundle, handle);
    return true;
}

void peer_sockets_flush (peer_sockets_t *self)
{
    uint64_t sent = self->sent;
    for (size_t left = zlistx_size (self->leaving); left > 0; left--) {
        peer_socket_t *peer = zlistx_first (self->leaving);
        while (peer_send (self, peer))
            continue;
        zlistx_move_end (self->leaving, peer->leaving);
        peer_settle (self, peer);
    }
    if (self->sent > sent)
        polled_stir (self->ports, self->router);
}

/*  [route] [delimiter] [ReplyHeader] [body], or [route] [delimiter] [bundle]; a peer that echoes no
 *  delimiter is understood too. False when nothing is there, or nothing sound; then *quiet says
 *  which. */
static bool receive_replies (peer_sockets_t *self, bool *quiet)
{
    size_t count = socket_receive (self->router->handle, self->frames, FRAMES_MAX);
    *quiet = count == 0;
    size_t first = count > 2 && zmq_msg_size (&self->frames [1]) == 0 ? 2 : 1;
    if (count == first + 1)
        return bundle_open (frame_bytes (&self->frames [first]), &self->rest);
    self->header = frame_bytes (&self->frames [first]);
    self->body = frame_bytes (&self->frames [first + 1]);
    return count == first + 2 && self->body.size <= BODY_BYTES_MAX;
}

/*  The next reply of those that came in one message, or of the next message. */
static bool receive_reply (peer_sockets_t *self, bool *quiet)
{
    *quiet = false;
    if (self->rest.size == 0 && !receive_replies (self, quiet))
        return false;
    if (self->rest.size > 0 && !bundle_next (&self->rest, &self->header, &self->body))
        return false;
    message_free ((ProtobufCMessage *) self->reply);
    self->reply = reply_header_read (self->header);
    return self->reply;
}

/*  The call that the reply belongs to; NULL when it is late, unasked, or somebody else's. */
static const pending_call_t *call_answered (peer_sockets_t *self)
{
    uint64_t number = self->reply->call;
    const pending_call_t *call = ordered_find (self->by_number, &number);
    bytes_t route = frame_bytes (&self->frames [0]);
    return call && !call->unsent && route.size == sizeof (peer_route_t) &&
               memcmp (route.data, &call->peer->route, sizeof (peer_route_t)) == 0
             ? call
             : NULL;
}

bool peer_sockets_receive (peer_sockets_t *self, polled_t *port, int64_t mono_ms, event_t *event)
{
    bool quiet = false, sound = port == self->router && receive_reply (self, &quiet);
    if (quiet || (port == self->monitor && !receive_news (self)))
        polled_quiet (self->ports, port);
    const pending_call_t *call = sound ? call_answered (self) : NULL;
    if (!call)
        return false;
    const Musubi__ReplyHeader *reply = self->reply;
    call->peer->used_ms = mono_ms;
    call->peer->bundles = reply->bundles;
    peer_sockets_forget (self, reply->call);
    bool ok = reply->status == MUSUBI__STATUS__OK;
    *event = (event_t){.kind = EVENT_ANSWER,
                       .answer = {.call = reply->call,
                                  .status = (call_status_t) reply->status,
                                  .reason = ok ? "" : reply->reason,
                                  .store_start = reply->start}};
    if (reply->store.len > 0)
        memcpy (event->answer.store, reply->store.data, STORE_ID_BYTES);
    if (ok)
        event->answer.body = self->body;
    return true;
}

void peer_sockets_tell_names (peer_sockets_t *self)
{
    self->names_ms = PEER_NAMES_MS;
}

/*  Has the host of tcp://HOST:PORT no address on this machine? Then *length is its name's. */
static bool host_unknown (peer_sockets_t *self, const char *endpoint, int *length)
{
    char host [NI_MAXHOST];
    const char *port = strrchr (endpoint, ':');
    struct addrinfo *found = NULL;
    *length = (int) (port - endpoint) - (int) strlen (TCP);
    if (self->names_ms <= 0 || strncmp (endpoint, TCP, strlen (TCP)) != 0 || *length <= 0 ||
        *length >= NI_MAXHOST || endpoint [strlen (TCP)] == '[')
        return false;
    snprintf (host, sizeof host, "%.*s", *length, endpoint + strlen (TCP));
    int64_t began_ms = clock_ms (CLOCK_MONOTONIC);
    int answer = getaddrinfo (host, NULL, &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &found);
    self->names_ms -= clock_ms (CLOCK_MONOTONIC) - began_ms;
    if (answer == 0)
        freeaddrinfo (found);
    return answer == EAI_NONAME || answer == EAI_NODATA || answer == EAI_AGAIN ||
           answer == EAI_FAIL;
}

static void tell_why (peer_sockets_t *self, const pending_call_t *call)
{
    int name;
    const peer_socket_t *peer = call->peer;
    bool lacked = peer && !peer->dialled && (self->starved || self->open >= self->open_max);
    if (!peer)
        snprintf (self->reason, sizeof self->reason, "the address can't be connected to");
    else if (host_unknown (self, peer->endpoint, &name))
        snprintf (self->reason, sizeof self->reason,
                  "no answer from %.300s: this machine knows no address of the name %.*s",
                  peer->endpoint, name, peer->endpoint + strlen (TCP));
    else
        snprintf (self->reason, sizeof self->reason,
                  lacked ? "not asked: no file descriptor for a connection to %.300s came free "
                           "within %.3g s; raise the limit of open files (ulimit -n)"
                         : "no answer from %.300s within %.3g s",
                  peer->endpoint, (double) call->timeout_ms / 1000);
}

bool peer_sockets_expire (peer_sockets_t *self, int64_t mono_ms, event_t *event)
{
    timers_run (self->timers, &(moment_t){.mono_ms = mono_ms});
    pending_call_t *call = zlistx_detach (self->expired, NULL);
    if (!call)
        return false;
    assert (!call->unsent);
    tell_why (self, call);
    *event =
      (event_t){.kind = EVENT_ANSWER,
                .answer = {.call = call->number, .status = CALL_TIMED_OUT, .reason = self->reason}};
    peer_socket_t *peer = call->peer;
    call_free (call);
    if (peer) {
        peer->calls--;
        peer_settle (self, peer);
    }
    return true;
}

/*  One that is no address any more (its host's name is gone) waits as one that is away. */
static void dial_waiting (peer_sockets_t *self, int64_t mono_ms)
{
    self->again_ms = mono_ms + PEER_RECONNECT_MS;
    for (size_t left = zlistx_size (self->waiting); left > 0; left--) {
        peer_socket_t *peer = zlistx_first (self->waiting);
        if (!peer || (!peer_dial (self, peer) && socket_lacking ()))
            return;
        zlistx_move_end (self->waiting, peer->waiting);
        peer_settle (self, peer);
    }
}

int64_t peer_sockets_due (peer_sockets_t *self, int64_t mono_ms)
{
    for (const peer_socket_t *peer;
         (peer = zlistx_first (self->idle)) && mono_ms - peer->used_ms >= PEER_IDLE_MS;)
        peer_sockets_make_room (self);
    if (zlistx_size (self->waiting) > 0 && mono_ms >= self->again_ms)
        dial_waiting (self, mono_ms);
    int64_t due_ms = zlistx_size (self->expired) > 0 ? mono_ms : timers_due (self->timers);
    return zlistx_size (self->waiting) > 0 && self->again_ms < due_ms ? self->again_ms : due_ms;
}

void peer_sockets_forget (peer_sockets_t *self, uint64_t number)
{
    pending_call_t *call = ordered_remove (self->by_number, &number);
    if (!call)
        return;
    peer_socket_t *peer = call->peer;
    timers_cancel (self->timers, call->timer);
    call_free (call);
    peer->calls--;
    peer_settle (self, peer);
    if (zlistx_size (self->waiting) > 0 && zlistx_size (self->idle) > 0)
        self->again_ms = 0; /* it has a connection to spare */
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
    size_t left = self->open_max - self->open, waiting = zlistx_size (self->waiting);
    return !self->starved ? 0 : waiting < left ? waiting : left;
}

uint64_t peer_sockets_sent (const peer_sockets_t *self)
{
    return self->sent;
}

uint64_t peer_sockets_sent_bytes (const peer_sockets_t *self)
{
    return self->sent_bytes;
}
