/*  poll_set - a list of ready sockets over epoll. */
#include "poll_set.h"

#include "must.h"
#include "sockets.h"

#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <limits.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <zmq.h>

#define EVENTS_AT_ONCE 64

struct ports {
    int epoll;
    zlistx_t *ready; /* of polled_t; the first has its turn next */
};

static void ready_leave (poll_set_t *self, polled_t *port)
{
    if (port->ready)
        zlistx_detach (self->ready, port->ready);
    port->ready = NULL;
}

static void ready_join (poll_set_t *self, polled_t *port)
{
    if (!port->ready)
        port->ready = zlistx_add_end (self->ready, port);
}

poll_set_t *poll_set_new (void)
{
    poll_set_t *self = must (calloc (1, sizeof *self));
    self->epoll = epoll_create1 (EPOLL_CLOEXEC);
    if (self->epoll < 0) {
        free (self);
        return NULL;
    }
    self->ready = must (zlistx_new ());
    return self;
}

void poll_set_destroy (poll_set_t **self_p)
{
    poll_set_t *self = *self_p;
    if (!self)
        return;
    assert (zlistx_size (self->ready) == 0); /* ports end before their loop */
    zlistx_destroy (&self->ready);
    close (self->epoll);
    free (self);
    *self_p = NULL;
}

polled_t *poll_set_add (poll_set_t *self, void **socket_p, int kind, void *owner)
{
    polled_t *port = must (calloc (1, sizeof *port));
    *port = (polled_t){.handle = *socket_p, .owner = owner, .kind = kind};
    size_t size = sizeof port->file;
    struct epoll_event wish = {.events = EPOLLIN, .data.ptr = port};
    if (zmq_getsockopt (port->handle, ZMQ_FD, &port->file, &size) != 0 ||
        epoll_ctl (self->epoll, EPOLL_CTL_ADD, port->file, &wish) != 0) {
        free (port);
        socket_close (socket_p);
        return NULL;
    }
    *socket_p = NULL;
    ready_join (self, port);
    return port;
}

void poll_set_remove (poll_set_t *self, polled_t **port_p)
{
    polled_t *port = *port_p;
    if (!port)
        return;
    ready_leave (self, port);
    epoll_ctl (self->epoll, EPOLL_CTL_DEL, port->file, NULL);
    socket_close (&port->handle);
    free (port);
    *port_p = NULL;
}

bool poll_set_watch (poll_set_t *self, int file)
{
    struct epoll_event wish = {.events = EPOLLIN, .data.ptr = NULL};
    return epoll_ctl (self->epoll, EPOLL_CTL_ADD, file, &wish) == 0;
}

bool poll_set_wait (poll_set_t *self, int64_t timeout_ms)
{
    struct epoll_event events [EVENTS_AT_ONCE];
    int limit = timeout_ms > INT_MAX ? INT_MAX : timeout_ms < 0 ? -1 : (int) timeout_ms;
    int count =
      epoll_wait (self->epoll, events, EVENTS_AT_ONCE, zlistx_size (self->ready) > 0 ? 0 : limit);
    for (int i = 0; i < count; i++)
        if (events [i].data.ptr)
            ready_join (self, events [i].data.ptr);
    return count >= 0 || errno != EINTR;
}

polled_t *poll_set_ready (poll_set_t *self)
{
    polled_t *port = zlistx_first (self->ready);
    if (port)
        zlistx_move_end (self->ready, port->ready);
    return port;
}

void polled_quiet (poll_set_t *self, polled_t *port)
{
    ready_leave (self, port);
}

void polled_stir (poll_set_t *self, polled_t *port)
{
    ready_join (self, port);
}
