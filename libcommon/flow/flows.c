/*  flows - orders and news pass between the host's loop and the thread of the flows as items of two
 *  lists under one lock; a descriptor on each side says that there are some.
 */
#include "flows.h"

#include "flow_loop.h"
#include "must.h"

#include <czmq.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG        256
#define ENDPOINT_BYTES 256

typedef struct {
    bool last; /* the thread is to end */
    flow_order_t order;
    flow_event_t event;
    uint8_t id [FLOW_ID_BYTES];
    uint8_t token [FLOW_TOKEN_BYTES];
    uint8_t digest [FLOW_DIGEST_BYTES];
    char *text; /* path, endpoint or why */
    char *marks;
} item_t;

typedef struct {
    zlistx_t *items; /* of item_t */
    int file;        /* an eventfd */
} flows_list_t;

struct flows {
    pthread_t thread;
    pthread_mutex_t lock;
    flows_list_t orders;
    flows_list_t news;
    item_t *told; /* what was last received */
    flow_loop_t loop;
    char endpoint [ENDPOINT_BYTES];
};

static void item_free (item_t *item)
{
    if (!item)
        return;
    free (item->text);
    free (item->marks);
    free (item);
}

static void flows_push (flows_t *self, flows_list_t *list, item_t *item)
{
    static const uint64_t one = 1;
    pthread_mutex_lock (&self->lock);
    zlistx_add_end (list->items, item);
    pthread_mutex_unlock (&self->lock);
    if (write (list->file, &one, sizeof one) != (ssize_t) sizeof one)
        abort (); /* the counter can't be full */
}

/*  NULL when there is none; then the descriptor is quiet. */
static item_t *pull (flows_t *self, flows_list_t *list)
{
    uint64_t count;
    pthread_mutex_lock (&self->lock);
    item_t *item = zlistx_detach (list->items, NULL);
    if (!item && read (list->file, &count, sizeof count) < 0)
        count = 0; /* it was quiet */
    pthread_mutex_unlock (&self->lock);
    return item;
}

static void list_init (flows_list_t *list)
{
    list->items = must (zlistx_new ());
    list->file = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
}

static void list_end (flows_list_t *list)
{
    for (item_t *item; (item = zlistx_detach (list->items, NULL));)
        item_free (item);
    zlistx_destroy (&list->items);
    if (list->file >= 0)
        close (list->file);
}

/*  --- the thread --- */

static void flows_tell (void *owner, const flow_event_t *event)
{
    flows_t *self = owner;
    item_t *item = must (calloc (1, sizeof *item));
    item->event = *event;
    item->text = must (strdup (event->why));
    item->event.why = item->text;
    if (event->digest) {
        memcpy (item->digest, event->digest, FLOW_DIGEST_BYTES);
        item->event.digest = item->digest;
    }
    flows_push (self, &self->news, item);
}

static void *flows_run (void *owner)
{
    flows_t *self = owner;
    sigset_t pipe;
    sigemptyset (&pipe);
    sigaddset (&pipe, SIGPIPE);
    pthread_sigmask (SIG_BLOCK, &pipe, NULL); /* sendfile has no MSG_NOSIGNAL */
    for (bool last = false; !last;) {
        if (!flow_loop_turn (&self->loop))
            continue;
        for (item_t *item; !last && (item = pull (self, &self->orders)); item_free (item)) {
            last = item->last;
            if (!last)
                flow_loop_order (&self->loop, &item->order);
        }
    }
    return NULL;
}

/*  --- addresses --- */

static int listen_at (const char *endpoint, char why [FLOWS_WHY_BYTES])
{
    char host [FLOW_HOST_BYTES], port [FLOW_PORT_BYTES];
    struct addrinfo wish = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *at = NULL;
    if (!flow_endpoint_split (endpoint, host, port) || getaddrinfo (host, port, &wish, &at) != 0) {
        snprintf (why, FLOWS_WHY_BYTES,
                  "\"%.120s\" should be tcp://ADDRESS:PORT, port 0 for any free one", endpoint);
        return -1;
    }
    int one = 1;
    int file = socket (at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (file < 0 || setsockopt (file, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind (file, at->ai_addr, at->ai_addrlen) != 0 || listen (file, BACKLOG) != 0) {
        snprintf (why, FLOWS_WHY_BYTES, "can't listen at %.120s: %s", endpoint, strerror (errno));
        if (file >= 0)
            close (file);
        file = -1;
    }
    freeaddrinfo (at);
    return file;
}

/*  What others dial, always an address: whoever dials does not ask for names. */
static bool endpoint_find (flows_t *self, int listener, const char *listen, const char *host,
                           char why [FLOWS_WHY_BYTES])
{
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    char own [FLOW_HOST_BYTES], number [FLOW_HOST_BYTES], port [FLOW_PORT_BYTES];
    struct addrinfo *found = NULL;
    if (getsockname (listener, (struct sockaddr *) &bound, &size) != 0 ||
        getnameinfo ((struct sockaddr *) &bound, size, NULL, 0, port, sizeof port,
                     NI_NUMERICSERV) != 0 ||
        !flow_endpoint_split (listen, own, number))
        return false;
    struct addrinfo wish = {.ai_family = bound.ss_family, .ai_socktype = SOCK_STREAM};
    const char *name = host && *host ? host : own;
    if (getaddrinfo (name, NULL, &wish, &found) != 0) {
        snprintf (why, FLOWS_WHY_BYTES, "\"%.120s\" is no address of this machine", name);
        return false;
    }
    bool good = getnameinfo (found->ai_addr, found->ai_addrlen, number, sizeof number, NULL, 0,
                             NI_NUMERICHOST) == 0;
    freeaddrinfo (found);
    snprintf (self->endpoint, sizeof self->endpoint,
              bound.ss_family == AF_INET6 ? "tcp://[%s]:%s" : "tcp://%s:%s", number, port);
    return good;
}

/*  --- the host's side --- */

static void flows_free (flows_t *self)
{
    flow_loop_end (&self->loop);
    list_end (&self->orders);
    list_end (&self->news);
    item_free (self->told);
    pthread_mutex_destroy (&self->lock);
    free (self);
}

flows_t *flows_new (poll_set_t *ports, const char *listen, const char *host,
                    char why [FLOWS_WHY_BYTES])
{
    int listener = -1;
    snprintf (why, FLOWS_WHY_BYTES, "no descriptors: %s", strerror (errno));
    if (listen && *listen) {
        listener = listen_at (listen, why);
        if (listener < 0)
            return NULL;
    }
    flows_t *self = must (calloc (1, sizeof *self));
    pthread_mutex_init (&self->lock, NULL);
    list_init (&self->orders);
    list_init (&self->news);
    self->loop.tell = flows_tell;
    self->loop.owner = self;
    bool made = self->orders.file >= 0 && self->news.file >= 0 &&
                flow_loop_init (&self->loop, listener, self->orders.file) &&
                (listener < 0 || endpoint_find (self, listener, listen, host, why)) &&
                poll_set_watch (ports, self->news.file) &&
                pthread_create (&self->thread, NULL, flows_run, self) == 0;
    if (made)
        return self;
    flows_free (self);
    return NULL;
}

void flows_destroy (flows_t **self_p)
{
    flows_t *self = *self_p;
    if (!self)
        return;
    item_t *last = must (calloc (1, sizeof *last));
    last->last = true;
    flows_push (self, &self->orders, last);
    pthread_join (self->thread, NULL);
    flows_free (self);
    *self_p = NULL;
}

const char *flows_endpoint (const flows_t *self)
{
    return self->endpoint;
}

void flows_order (flows_t *self, const flow_order_t *order)
{
    item_t *item = must (calloc (1, sizeof *item));
    item->order = *order;
    if (order->verb == FLOW_OPEN) {
        memcpy (item->id, order->id, FLOW_ID_BYTES);
        memcpy (item->token, order->token, FLOW_TOKEN_BYTES);
        item->order.id = item->id;
        item->order.token = item->token;
        item->order.path = item->text = must (strdup (order->path));
        if (order->marks)
            item->order.marks = item->marks = must (strdup (order->marks));
        if (order->digest) {
            memcpy (item->digest, order->digest, FLOW_DIGEST_BYTES);
            item->order.digest = item->digest;
        }
    } else if (order->verb == FLOW_DIAL) {
        item->order.endpoint = item->text = must (strdup (order->endpoint));
    }
    flows_push (self, &self->orders, item);
}

bool flows_receive (flows_t *self, event_t *event)
{
    item_free (self->told);
    self->told = pull (self, &self->news);
    if (!self->told)
        return false;
    *event = (event_t){.kind = EVENT_FLOW, .flow = self->told->event};
    return true;
}
