/*  bus - frames in, events out. Requests wait for their replies under numbers, which the core
 *  replies to.
 */
#include "bus.h"

#include "bundle.h"
#include "envelope.h"
#include "message.h"
#include "must.h"
#include "ordered.h"
#include "sockets.h"

#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOTICE_RECONNECT_MS_MAX 1000
#define NOTICE_HEARTBEAT_MS     2000 /* a publisher that vanished is dialled again */
#define FILES_OF_A_SUBSCRIPTION 2
#define FRAMES_MAX              4         /* of a message */
#define CALLERS_WAITING_MAX     4096      /* to be accepted; others wait a second and more */
#define CONNECTIONS_LEAST       8         /* whatever else takes descriptors */
#define IDENTITY_BYTES_MAX      255       /* of a ZeroMQ routing id */
#define FRAME_BYTES_MAX         (2 << 20) /* what is a little too large is refused in words */

/*  Where a reply goes; unused bytes are zero. */
typedef struct {
    uint8_t delimiter; /* it wants one */
    uint8_t identity_size;
    uint8_t identity [IDENTITY_BYTES_MAX];
} bus_route_t;

/*  A request whose reply is owed. */
typedef struct {
    uint64_t number; /* that the core replies to */
    uint64_t call;
    bool bundles; /* the caller takes them */
    bus_route_t route;
} owed_t;

/*  Replies that leave with the next flush. */
typedef struct {
    bus_route_t route;
    bundle_t bundle;
} reply_bundle_t;

typedef struct {
    char *endpoint;
    polled_t *port; /* NULL: it lacks a descriptor */
} subscription_t;

/*  An incoming connection. */
typedef struct {
    const polled_t *listener; /* NULL: none of this descriptor */
    bool heard;               /* since it was last considered for closing to make room, */
    bool quiet;               /* not heard since the last look at all of them */
} bus_caller_t;

struct bus {
    poll_set_t *ports;
    int port_kind;
    polled_t *router;
    void *pub;               /* never read: no port */
    polled_t *listeners [2]; /* who connects to them */
    bus_caller_t *callers;   /* by descriptor */
    size_t callers_room;
    size_t callers_count;
    size_t callers_max;     /* now, */
    size_t connections_max; /* as configured; 0 = no limit */
    size_t turn;            /* where the search for an idle one goes on */
    store_identity_t store;
    char endpoint [ENDPOINT_BYTES_MAX + 1];
    char events [ENDPOINT_BYTES_MAX + 1];
    ordered_t *owed;    /* by number */
    ordered_t *leaving; /* by route */
    uint64_t numbers;
    zhashx_t *subscriptions;
    size_t lacking; /* subscriptions that wait for a descriptor */
    uint64_t notices;
    bus_counts_t counts;

    /*  The message last received. */
    zmq_msg_t frames [FRAMES_MAX];
    bus_route_t route; /* of a request: its caller's; its parts lie in frames */
    bytes_t header;
    bytes_t body;
    bytes_t rest; /* of a bundle, to be read */
    ProtobufCMessage *head;
    char topic [NAME_BYTES_MAX + 1];
};

/*  Host part of "tcp://HOST:PORT"; false when it has none. */
static bool endpoint_host (const char *endpoint, const char **host, size_t *size)
{
    static const char tcp [] = "tcp://";
    if (strncmp (endpoint, tcp, sizeof tcp - 1) != 0)
        return false;
    *host = endpoint + sizeof tcp - 1;
    const char *colon = strrchr (*host, ':');
    if (!colon || colon == *host || !colon [1])
        return false;
    *size = (size_t) (colon - *host);
    return true;
}

static bool text_is (const char *text, size_t size, const char *word)
{
    return strlen (word) == size && memcmp (text, word, size) == 0;
}

/*  "127." alone does not do: 127.evil.example is a name, and a name is whatever it resolves to. */
static bool host_is_loopback (const char *host, size_t size)
{
    if (text_is (host, size, "localhost") || text_is (host, size, "[::1]") ||
        text_is (host, size, "lo"))
        return true;
    if (size < 4 || strncmp (host, "127.", 4) != 0)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((host [i] < '0' || host [i] > '9') && host [i] != '.')
            return false;
    return true;
}

static bool host_is_wildcard (const char *host, size_t size)
{
    return text_is (host, size, "*") || text_is (host, size, "0.0.0.0") ||
           text_is (host, size, "[::]");
}

static bool endpoint_right (const char *key, const char *endpoint, bool trusted,
                            char why [WHY_BYTES])
{
    const char *host;
    size_t size;
    if (strlen (endpoint) > ENDPOINT_BYTES_MAX)
        return wrong (why, "%s: longer than %d bytes", key, ENDPOINT_BYTES_MAX);
    if (strncmp (endpoint, "ipc://", 6) == 0 && endpoint [6])
        return true;
    if (!endpoint_host (endpoint, &host, &size))
        return wrong (why, "%s: '%.100s' is not an address; write tcp://HOST:PORT or ipc://PATH",
                      key, endpoint);
    if (!trusted && !host_is_loopback (host, size))
        return wrong (
          why,
          "%s: '%.80s' can be reached from other machines, and callers' names are not verified; "
          "bind to 127.0.0.1, or set bind/trusted = true if you trust everybody who can reach it",
          key, endpoint);
    return true;
}

bool bus_settings_right (const bus_settings_t *settings, char why [WHY_BYTES])
{
    return endpoint_right ("bind/endpoint", settings->endpoint, settings->trusted, why) &&
           endpoint_right ("bind/events", settings->events, settings->trusted, why) &&
           (!settings->data ||
            endpoint_right ("bind/data", settings->data, settings->trusted, why));
}

/*  Binds, and writes the address under which others reach it: the bound one, with another host if
 *  that means nothing to other machines. */
static bool bind_at (void *handle, const char *key, const char *endpoint, const char *host,
                     char reached [ENDPOINT_BYTES_MAX + 1], char why [WHY_BYTES])
{
    char bound [ENDPOINT_BYTES_MAX + 1], own [128];
    size_t bound_size = sizeof bound, size;
    const char *part;
    socket_set (handle, ZMQ_IPV6, strchr (endpoint, '[') != NULL);
    if (zmq_bind (handle, endpoint) != 0)
        return wrong (why, "%s: cannot bind %.100s: %s", key, endpoint, zmq_strerror (errno));
    if (zmq_getsockopt (handle, ZMQ_LAST_ENDPOINT, bound, &bound_size) != 0)
        return wrong (why, "%s: no address after binding: %s", key, zmq_strerror (errno));
    if (endpoint_host (bound, &part, &size)) {
        if (!host && host_is_wildcard (part, size) && gethostname (own, sizeof own) == 0)
            host = own;
        if (host) {
            snprintf (reached, ENDPOINT_BYTES_MAX + 1, "tcp://%.200s%s", host, part + size);
            return true;
        }
    }
    memcpy (reached, bound, bound_size);
    return true;
}

static void *socket_make (int type)
{
    void *socket = socket_open (type);
    if (!socket)
        return NULL;
    socket_set (socket, ZMQ_SNDHWM, BUS_MESSAGES_HELD_MAX);
    socket_set (socket, ZMQ_RCVHWM, BUS_MESSAGES_HELD_MAX);
    socket_set (socket, ZMQ_MAXMSGSIZE, FRAME_BYTES_MAX);
    socket_set (socket, ZMQ_BACKLOG, CALLERS_WAITING_MAX);
    return socket;
}

static polled_t *listener_make (bus_t *self, void *socket)
{
    void *watcher = socket_watch (socket, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED);
    return watcher ? poll_set_add (self->ports, &watcher, self->port_kind, NULL) : NULL;
}

static bool bind_both (bus_t *self, const bus_settings_t *settings, char why [WHY_BYTES])
{
    void *router = socket_make (ZMQ_ROUTER);
    if (router)
        self->router = poll_set_add (self->ports, &router, self->port_kind, NULL);
    self->pub = socket_make (ZMQ_PUB);
    if (!self->router || !self->pub)
        return wrong (why, "cannot make a socket: %s", zmq_strerror (errno));
    /* libzmq looks through the timers of all to end one: thousands who join at once would wait for
     * each other. Who connects and says nothing is closed as any idle one. */
    socket_set (self->router->handle, ZMQ_HANDSHAKE_IVL, 0);
    socket_set (self->pub, ZMQ_TCP_KEEPALIVE, 1);
    socket_set (self->pub, ZMQ_TCP_KEEPALIVE_IDLE, FOLLOWER_IDLE_S);
    self->listeners [0] = listener_make (self, self->router->handle);
    self->listeners [1] = listener_make (self, self->pub);
    if (!self->listeners [0] || !self->listeners [1])
        return wrong (why, "cannot make a socket: %s", zmq_strerror (errno));
    return bind_at (self->router->handle, "bind/endpoint", settings->endpoint, settings->host,
                    self->endpoint, why) &&
           bind_at (self->pub, "bind/events", settings->events, settings->host, self->events, why);
}

void bus_limit (bus_t *self, size_t files)
{
    size_t own = FILES_OF_A_SUBSCRIPTION * zhashx_size (self->subscriptions);
    size_t most = files > own + CONNECTIONS_LEAST ? files - own : CONNECTIONS_LEAST;
    bool less = self->connections_max > 0 && self->connections_max < most;
    self->callers_max = less ? self->connections_max : most;
}

bus_t *bus_new (poll_set_t *ports, int port_kind, const bus_settings_t *settings,
                const store_identity_t *store, char why [WHY_BYTES])
{
    bus_t *self = must (calloc (1, sizeof *self));
    self->ports = ports;
    self->port_kind = port_kind;
    self->store = *store;
    self->subscriptions = must (zhashx_new ());
    self->owed = ordered_by_number (offsetof (owed_t, number));
    self->leaving = ordered_by_bytes (offsetof (reply_bundle_t, route), sizeof (bus_route_t));
    self->connections_max = settings->connections_max;
    bus_limit (self, SIZE_MAX);
    for (int i = 0; i < FRAMES_MAX; i++)
        zmq_msg_init (&self->frames [i]);
    if (!bus_settings_right (settings, why) || !bind_both (self, settings, why))
        bus_destroy (&self);
    return self;
}

static void leaving_free (void *thing)
{
    reply_bundle_t *leaving = thing;
    bundle_clear (&leaving->bundle);
    free (leaving);
}

static void subscription_destroy (bus_t *self, subscription_t *subscription)
{
    poll_set_remove (self->ports, &subscription->port);
    free (subscription->endpoint);
    free (subscription);
}

void bus_destroy (bus_t **self_p)
{
    bus_t *self = *self_p;
    if (!self)
        return;
    for (subscription_t *subscription = zhashx_first (self->subscriptions); subscription;
         subscription = zhashx_next (self->subscriptions))
        subscription_destroy (self, subscription);
    zhashx_destroy (&self->subscriptions);
    if (self->router)
        socket_unwatch (self->router->handle);
    if (self->pub)
        socket_unwatch (self->pub);
    poll_set_remove (self->ports, &self->listeners [0]);
    poll_set_remove (self->ports, &self->listeners [1]);
    poll_set_remove (self->ports, &self->router);
    socket_close (&self->pub);
    free (self->callers);
    for (int i = 0; i < FRAMES_MAX; i++)
        zmq_msg_close (&self->frames [i]);
    message_free (self->head);
    ordered_end (&self->owed, free);
    ordered_end (&self->leaving, leaving_free);
    free (self);
    *self_p = NULL;
}

void bus_linger (bus_t *self, int milliseconds)
{
    socket_set (self->router->handle, ZMQ_LINGER, milliseconds);
    socket_set (self->pub, ZMQ_LINGER, milliseconds);
}

const char *bus_endpoint (const bus_t *self)
{
    return self->endpoint;
}

const char *bus_events (const bus_t *self)
{
    return self->events;
}

static uint64_t owed_add (bus_t *self, const owed_t *from)
{
    owed_t *owed = must_copy (from, sizeof *from);
    owed->number = ++self->numbers;
    ordered_add (self->owed, &owed->number, owed);
    return owed->number;
}

static void count_sent (bus_t *self, size_t bytes)
{
    self->counts.sent++;
    self->counts.sent_bytes += bytes;
}

/*  A ROUTER takes every frame, and drops them when the peer is gone or does not read. */
static void send_bundle (bus_t *self, const bus_route_t *to, bundle_t *bundle)
{
    void *handle = self->router->handle;
    zmq_send (handle, to->identity, to->identity_size, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    if (to->delimiter)
        zmq_send (handle, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    count_sent (self, bundle_send (bundle, handle));
}

void bus_flush (bus_t *self)
{
    if (ordered_count (self->leaving) > 0)
        polled_stir (self->ports, self->router);
    for (reply_bundle_t *leaving; (leaving = ordered_next (self->leaving, NULL));) {
        send_bundle (self, &leaving->route, &leaving->bundle);
        leaving_free (ordered_remove (self->leaving, &leaving->route));
    }
}

static void bus_reply (bus_t *self, const owed_t *to, call_status_t status, const char *reason,
                       bytes_t body)
{
    uint8_t frame [HEADER_BYTES_MAX];
    char cut [REASON_BYTES_MAX + 1];
    snprintf (cut, sizeof cut, "%s", status == CALL_OK ? "" : reason);
    Musubi__ReplyHeader header = MUSUBI__REPLY_HEADER__INIT;
    header.protocol = PROTOCOL;
    header.call = to->call;
    header.status = (Musubi__Status) status;
    header.reason = cut;
    header.store = bytes_put (self->store.id, STORE_ID_BYTES);
    header.start = self->store.start;
    header.bundles = true;
    bytes_t head = {.data = frame, .size = header_write (&header.base, frame)};
    reply_bundle_t *leaving = ordered_find (self->leaving, &to->route);
    if (!leaving) {
        leaving = must (calloc (1, sizeof *leaving));
        leaving->route = to->route;
        ordered_add (self->leaving, &leaving->route, leaving);
    }
    if (!to->bundles && leaving->bundle.count > 0)
        send_bundle (self, &to->route, &leaving->bundle);
    if (!bundle_add (&leaving->bundle, head, body)) {
        send_bundle (self, &to->route, &leaving->bundle);
        bundle_add (&leaving->bundle, head, body);
    }
}

static void bus_refuse (bus_t *self, const owed_t *to, call_status_t status, const char *reason)
{
    self->counts.refused++;
    bus_reply (self, to, status, reason, (bytes_t){0});
}

/*  [identity] [delimiter] [header] [body], or [identity] [delimiter] [bundle]; false when there is
 *  no message. A body that is missing or followed by more is told by *whole. */
static bool receive_frames (bus_t *self, bool *whole)
{
    size_t count = socket_receive (self->router->handle, self->frames, FRAMES_MAX);
    if (count == 0)
        return false;
    bytes_t identity = frame_bytes (&self->frames [0]);
    assert (identity.size <= IDENTITY_BYTES_MAX && count > 1);
    self->route = (bus_route_t){.identity_size = (uint8_t) identity.size};
    memcpy (self->route.identity, identity.data, identity.size);
    int file = zmq_msg_get (&self->frames [0], ZMQ_SRCFD);
    if (file >= 0 && (size_t) file < self->callers_room) {
        self->callers [file].heard = true;
        self->callers [file].quiet = false;
    }
    self->route.delimiter = count > 2 && zmq_msg_size (&self->frames [1]) == 0;
    size_t first = (size_t) 1 + self->route.delimiter;
    self->header = frame_bytes (&self->frames [first]);
    self->body = frame_bytes (&self->frames [first + 1]);
    *whole = count == first + 2;
    if (count == first + 1)
        bundle_open (self->header, &self->rest);
    return true;
}

/*  The header of the next request of those that came in one message, or of the next message; NULL
 *  when there is none to be read. */
static const Musubi__RequestHeader *next_request (bus_t *self, bool *whole)
{
    self->counts.requests++;
    message_free (self->head);
    self->head = NULL;
    if (self->rest.size > 0) {
        *whole = true;
        if (!bundle_next (&self->rest, &self->header, &self->body))
            return NULL;
    }
    const Musubi__RequestHeader *header = request_header_read (self->header);
    self->head = (ProtobufCMessage *) header;
    return header;
}

/*  CALL_OK when the core may see it. */
static call_status_t bus_judge (bus_t *self, const Musubi__RequestHeader *header, bool whole,
                                const char **why)
{
    call_status_t status = request_header_judge (header, why);
    if (status != CALL_OK)
        return status;
    if (!whole) {
        *why = "frames: expected [header] [body] and no more";
        return CALL_BAD_REQUEST;
    }
    if (self->body.size > BODY_BYTES_MAX) {
        *why = "body: larger than 1 MiB";
        return CALL_BAD_REQUEST;
    }
    if (header->to_store.len > 0 &&
        memcmp (header->to_store.data, self->store.id, STORE_ID_BYTES) != 0) {
        *why = "another store serves this address";
        return CALL_WRONG_STORE;
    }
    if (ordered_count (self->owed) >= REQUESTS_PENDING_MAX) {
        *why = "too many requests wait for an answer here; ask again later";
        return CALL_OVERLOADED;
    }
    return CALL_OK;
}

static bool receive_request (bus_t *self, event_t *event)
{
    bool whole = true;
    const char *why = "";
    if (self->rest.size == 0 && !receive_frames (self, &whole)) {
        polled_quiet (self->ports, self->router);
        return false;
    }
    const Musubi__RequestHeader *header = next_request (self, &whole);
    if (!header) {
        self->counts.dropped++;
        return false;
    }
    owed_t from = {.call = header->call, .bundles = header->bundles, .route = self->route};
    call_status_t status = bus_judge (self, header, whole, &why);
    if (status != CALL_OK) {
        bus_refuse (self, &from, status, why);
        return false;
    }
    *event = (event_t){.kind = EVENT_REQUEST,
                       .request = {.service = header->service,
                                   .method = header->method,
                                   .actor = header->actor,
                                   .request_id = header->request_id,
                                   .body = self->body,
                                   .reply_to = owed_add (self, &from)}};
    return true;
}

static bool topic_read (bus_t *self, bytes_t frame)
{
    if (frame.size > NAME_BYTES_MAX || memchr (frame.data, '\0', frame.size))
        return false;
    memcpy (self->topic, frame.data, frame.size);
    self->topic [frame.size] = '\0';
    return true;
}

/*  [topic] [header] [body] */
static bool receive_notice (bus_t *self, polled_t *port, event_t *event)
{
    const subscription_t *subscription = port->owner;
    size_t count = socket_receive (port->handle, self->frames, FRAMES_MAX);
    if (count == 0) {
        polled_quiet (self->ports, port);
        return false;
    }
    message_free (self->head);
    const Musubi__HintHeader *header =
      count == 3 ? notice_header_read (frame_bytes (&self->frames [1])) : NULL;
    self->head = (ProtobufCMessage *) header;
    if (!header || !topic_read (self, frame_bytes (&self->frames [0])) ||
        zmq_msg_size (&self->frames [2]) > BODY_BYTES_MAX) {
        self->counts.dropped++;
        return false;
    }
    *event = (event_t){.kind = EVENT_NOTICE,
                       .notice = {.endpoint = subscription->endpoint,
                                  .topic = self->topic,
                                  .number = header->number,
                                  .store_start = header->start,
                                  .body = frame_bytes (&self->frames [2])}};
    if (header->store.len > 0)
        memcpy (event->notice.store, header->store.data, STORE_ID_BYTES);
    return true;
}

/*  libzmq closes a connection at whose end it reads. */
static void caller_close (bus_t *self, size_t file)
{
    shutdown ((int) file, SHUT_RDWR);
    self->callers [file].listener = NULL;
    self->callers_count--;
}

/*  Followers of the PUB ask nothing: of them the system sees whether their machine is there. */
void bus_close_idle (bus_t *self)
{
    for (size_t file = 0; file < self->callers_room; file++) {
        bus_caller_t *caller = &self->callers [file];
        if (!caller->listener || caller->listener != self->listeners [0])
            continue;
        if (caller->quiet)
            caller_close (self, file);
        caller->quiet = true;
    }
}

/*  Closes the next connection that was not heard since the last round; busy ones are passed
 *  over. */
static void close_idle (bus_t *self)
{
    bus_caller_t *caller;
    for (;;) {
        self->turn = (self->turn + 1) % self->callers_room;
        caller = &self->callers [self->turn];
        if (caller->listener && !caller->heard)
            break;
        caller->heard = false;
    }
    caller_close (self, self->turn);
    self->counts.closed++;
}

/*  libzmq accepts connections by itself and reports them afterwards. Each listener reports in
 *  order, but a descriptor may already be another listener's before its end is reported. */
static void hear_listener (bus_t *self, polled_t *listener)
{
    int news, file;
    if (!socket_hear (listener->handle, &news, &file, NULL)) {
        polled_quiet (self->ports, listener);
        return;
    }
    bool made = news == ZMQ_EVENT_ACCEPTED;
    if (file < 0 || (!made && (size_t) file >= self->callers_room))
        return;
    if ((size_t) file >= self->callers_room) {
        size_t room = 2 * (size_t) file + 64;
        self->callers = must (reallocarray (self->callers, room, sizeof (bus_caller_t)));
        memset (self->callers + self->callers_room, 0,
                (room - self->callers_room) * sizeof (bus_caller_t));
        self->callers_room = room;
    }
    bus_caller_t *caller = &self->callers [file];
    if (!made && caller->listener != listener)
        return;
    self->callers_count += (size_t) made - (caller->listener != NULL);
    *caller = (bus_caller_t){.listener = made ? listener : NULL};
    while (self->callers_count > self->callers_max)
        close_idle (self);
}

bool bus_receive (bus_t *self, polled_t *port, event_t *event)
{
    if (port == self->router)
        return receive_request (self, event);
    if (port->owner)
        return receive_notice (self, port, event);
    hear_listener (self, port);
    return false;
}

static void bus_publish (bus_t *self, const char *topic, bytes_t body)
{
    uint8_t frame [HEADER_BYTES_MAX];
    Musubi__HintHeader header = MUSUBI__HINT_HEADER__INIT;
    header.protocol = PROTOCOL;
    header.number = ++self->notices;
    header.store = bytes_put (self->store.id, STORE_ID_BYTES);
    header.start = self->store.start;
    size_t size = header_write (&header.base, frame);
    void *handle = self->pub;
    zmq_send (handle, topic, strlen (topic), ZMQ_SNDMORE | ZMQ_DONTWAIT);
    zmq_send (handle, frame, size, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    zmq_send (handle, body.size > 0 ? body.data : frame, body.size, ZMQ_DONTWAIT);
    count_sent (self, size + body.size);
}

/*  False with errno. */
static bool subscription_dial (bus_t *self, subscription_t *subscription)
{
    void *socket = socket_make (ZMQ_SUB);
    if (!socket)
        return false;
    zmq_setsockopt (socket, ZMQ_SUBSCRIBE, "", 0);
    socket_set (socket, ZMQ_RECONNECT_IVL_MAX, NOTICE_RECONNECT_MS_MAX);
    socket_set (socket, ZMQ_HEARTBEAT_IVL, NOTICE_HEARTBEAT_MS);
    socket_set (socket, ZMQ_IPV6, strchr (subscription->endpoint, '[') != NULL);
    if (zmq_connect (socket, subscription->endpoint) == 0)
        subscription->port = poll_set_add (self->ports, &socket, self->port_kind, subscription);
    socket_close (&socket);
    return subscription->port;
}

static bool bus_subscribe (bus_t *self, const char *endpoint)
{
    if (zhashx_lookup (self->subscriptions, endpoint))
        return true;
    errno = EMFILE;
    if (zhashx_size (self->subscriptions) >= SUBSCRIPTIONS_MAX)
        return false;
    subscription_t *subscription = must (calloc (1, sizeof *subscription));
    subscription->endpoint = must (strdup (endpoint));
    bool dialled = subscription_dial (self, subscription);
    int error = errno;
    if (dialled || socket_lacking ()) {
        self->lacking += !dialled;
        zhashx_insert (self->subscriptions, endpoint, subscription);
    } else {
        subscription_destroy (self, subscription);
    }
    errno = error;
    return dialled;
}

void bus_make_room (bus_t *self, size_t files)
{
    for (; files > 0 && self->callers_count > 0; files--)
        close_idle (self);
    for (subscription_t *subscription = zhashx_first (self->subscriptions);
         subscription && self->lacking > 0; subscription = zhashx_next (self->subscriptions)) {
        if (subscription->port)
            continue;
        if (!subscription_dial (self, subscription))
            return;
        self->lacking--;
    }
}

size_t bus_lacking (const bus_t *self)
{
    return self->lacking;
}

static void unsubscribe (bus_t *self, const char *endpoint)
{
    subscription_t *subscription = zhashx_lookup (self->subscriptions, endpoint);
    if (!subscription)
        return;
    zhashx_delete (self->subscriptions, endpoint);
    self->lacking -= !subscription->port;
    subscription_destroy (self, subscription);
}

bool bus_effect (bus_t *self, const effect_t *effect)
{
    switch (effect->kind) {
    case EFFECT_REPLY: {
        owed_t *owed = ordered_remove (self->owed, &effect->reply.reply_to);
        assert (owed && effect->reply.status != CALL_TIMED_OUT);
        assert (effect->reply.body.size <= BODY_BYTES_MAX);
        bus_reply (self, owed, effect->reply.status, effect->reply.reason, effect->reply.body);
        free (owed);
        break;
    }
    case EFFECT_PUBLISH:
        bus_publish (self, effect->publish.topic, effect->publish.body);
        break;
    case EFFECT_SUBSCRIBE:
        return bus_subscribe (self, effect->subscribe.endpoint);
    case EFFECT_UNSUBSCRIBE:
        unsubscribe (self, effect->subscribe.endpoint);
        break;
    default:
        assert (!"an effect of the bus");
    }
    return true;
}

bus_counts_t bus_counts (const bus_t *self)
{
    bus_counts_t counts = self->counts;
    counts.pending = ordered_count (self->owed);
    counts.connections = self->callers_count;
    return counts;
}
