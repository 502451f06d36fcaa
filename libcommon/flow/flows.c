/*  flows - orders and news pass between the host's loop and the thread of the flows in two lists
 *  under one lock; a descriptor on each side says that there are some.
 */
#include "flows.h"

#include "codec.h"
#include "flow_loop.h"
#include "must.h"
#include "outbox.h"

#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG        256
#define ENDPOINT_BYTES 256

typedef struct {
    flow_event_t event;
    uint8_t digest [FLOW_DIGEST_BYTES];
    char *why;
} flow_news_item_t;

struct flows {
    pthread_t thread;
    pthread_mutex_t lock;
    outbox_t *orders; /* under the lock */
    outbox_t *taken;  /* orders that the thread is at */
    int orders_file;  /* an eventfd: there are orders */
    zlistx_t *news;   /* of flow_news_item_t, under the lock */
    int news_file;
    flow_news_item_t *told; /* what was last received */
    flow_loop_t loop;
    char endpoint [ENDPOINT_BYTES];
};

static void news_free (flow_news_item_t *news)
{
    if (!news)
        return;
    free (news->why);
    free (news);
}

/*  Whoever reads the descriptor looks at what there is. */
static void descriptor_stir (int file)
{
    int failed = eventfd_write (file, 1);
    assert (!failed); /* the counter can't be full */
    (void) failed;
}

static void descriptor_quiet (int file)
{
    eventfd_t count;
    (void) eventfd_read (file, &count); /* it may be quiet */
}

static void flows_give (flows_t *self, const effect_t *effect)
{
    pthread_mutex_lock (&self->lock);
    outbox_push (self->orders, effect);
    pthread_mutex_unlock (&self->lock);
    descriptor_stir (self->orders_file);
}

/*  --- the thread --- */

static void flows_tell (void *owner, const flow_event_t *event)
{
    flows_t *self = owner;
    flow_news_item_t *news = must (calloc (1, sizeof *news));
    news->event = *event;
    news->event.why = news->why = must (strdup (event->why));
    if (event->digest)
        news->event.digest = memcpy (news->digest, event->digest, FLOW_DIGEST_BYTES);
    pthread_mutex_lock (&self->lock);
    zlistx_add_end (self->news, news);
    pthread_mutex_unlock (&self->lock);
    descriptor_stir (self->news_file);
}

/*  All orders that there are; false when the last of them is to end. */
static bool orders_follow (flows_t *self)
{
    effect_t effect;
    descriptor_quiet (self->orders_file);
    pthread_mutex_lock (&self->lock);
    outbox_t *orders = self->orders;
    self->orders = self->taken;
    self->taken = orders;
    pthread_mutex_unlock (&self->lock);
    while (outbox_next (orders, &effect)) {
        if (effect.kind == EFFECT_STOP)
            return false;
        flow_loop_order (&self->loop, &effect.flow);
    }
    outbox_clear (orders);
    return true;
}

static void *flows_run (void *owner)
{
    flows_t *self = owner;
    sigset_t pipe;
    sigemptyset (&pipe);
    sigaddset (&pipe, SIGPIPE);
    pthread_sigmask (SIG_BLOCK, &pipe, NULL); /* sendfile has no MSG_NOSIGNAL */
    while (!flow_loop_turn (&self->loop) || orders_follow (self))
        ;
    flow_loop_linger (&self->loop);
    return NULL;
}

/*  --- addresses --- */

static int listen_at (const char *endpoint, char why [WHY_BYTES])
{
    char host [FLOW_HOST_BYTES], port [FLOW_PORT_BYTES];
    struct addrinfo wish = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *at = NULL;
    if (!flow_endpoint_split (endpoint, host, port) || getaddrinfo (host, port, &wish, &at) != 0) {
        snprintf (why, WHY_BYTES,
                  "\"%.120s\" should be tcp://ADDRESS:PORT, port 0 for any free one", endpoint);
        return -1;
    }
    int one = 1;
    int file = socket (at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (file < 0 || setsockopt (file, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind (file, at->ai_addr, at->ai_addrlen) != 0 || listen (file, BACKLOG) != 0) {
        snprintf (why, WHY_BYTES, "can't listen at %.120s: %s", endpoint, strerror (errno));
        descriptor_close (&file);
    }
    freeaddrinfo (at);
    return file;
}

/*  The address that others dial; never a name, since they do not resolve any. */
static bool endpoint_find (flows_t *self, int listener, const char *listen, const char *host,
                           char why [WHY_BYTES])
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
    if (getaddrinfo (name, NULL, &wish, &found) != 0)
        return wrong (why, "\"%.120s\" is no address of this machine", name);
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
    for (flow_news_item_t *news; (news = zlistx_detach (self->news, NULL));)
        news_free (news);
    zlistx_destroy (&self->news);
    news_free (self->told);
    outbox_destroy (&self->orders);
    outbox_destroy (&self->taken);
    descriptor_close (&self->orders_file);
    descriptor_close (&self->news_file);
    pthread_mutex_destroy (&self->lock);
    free (self);
}

flows_t *flows_new (poll_set_t *ports, const char *listen, const char *host, char why [WHY_BYTES])
{
    int listener = -1;
    snprintf (why, WHY_BYTES, "no descriptors: %s", strerror (errno));
    if (listen && *listen) {
        listener = listen_at (listen, why);
        if (listener < 0)
            return NULL;
    }
    flows_t *self = must (calloc (1, sizeof *self));
    pthread_mutex_init (&self->lock, NULL);
    self->orders = outbox_new ();
    self->taken = outbox_new ();
    self->news = must (zlistx_new ());
    self->orders_file = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
    self->news_file = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
    self->loop.tell = flows_tell;
    self->loop.owner = self;
    bool made = self->orders_file >= 0 && self->news_file >= 0 &&
                flow_loop_init (&self->loop, listener, self->orders_file) &&
                (listener < 0 || endpoint_find (self, listener, listen, host, why)) &&
                poll_set_watch (ports, self->news_file) &&
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
    int follows = 0;
    if (prctl (PR_GET_PDEATHSIG, &follows) == 0 &&
        follows != 0) { /* a client, which need not wait */
        prctl (PR_SET_PDEATHSIG, 0);
        self->loop.linger_ms = FLOW_LINGER_ALONE_MS;
    }
    flows_give (self, &(effect_t){.kind = EFFECT_STOP});
    pthread_join (self->thread, NULL);
    flows_free (self);
    *self_p = NULL;
}

const char *flows_endpoint (const flows_t *self)
{
    return self->endpoint;
}

void flows_order (flows_t *self, const flow_order_t *wanted)
{
    flows_give (self, &(effect_t){.kind = EFFECT_FLOW, .flow = *wanted});
}

bool flows_receive (flows_t *self, event_t *event)
{
    news_free (self->told);
    pthread_mutex_lock (&self->lock);
    self->told = zlistx_detach (self->news, NULL);
    if (!self->told)
        descriptor_quiet (self->news_file);
    pthread_mutex_unlock (&self->lock);
    if (!self->told)
        return false;
    *event = (event_t){.kind = EVENT_FLOW, .flow = self->told->event};
    return true;
}
