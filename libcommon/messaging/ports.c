/*  ports - a list of ready sockets over epoll. */
#include "ports.h"

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
    zlistx_t *ready; /* of port_t; the first has its turn next */
};

static void ready_leave (ports_t *self, port_t *port)
{
    if (port->ready)
        zlistx_detach (self->ready, port->ready);
    port->ready = NULL;
}

static void ready_join (ports_t *self, port_t *port)
{
    if (!port->ready)
        port->ready = zlistx_add_end (self->ready, port);
}

ports_t *ports_new (void)
{
    ports_t *self = must (calloc (1, sizeof *self));
    self->epoll = epoll_create1 (EPOLL_CLOEXEC);
    if (self->epoll < 0) {
        free (self);
        return NULL;
    }
    self->ready = must (zlistx_new ());
    return self;
}

void ports_destroy (ports_t **self_p)
{
    ports_t *self = *self_p;
    if (!self)
        return;
    assert (zlistx_size (self->ready) == 0); /* ports end before their loop */
    zlistx_destroy (&self->ready);
    close (self->epoll);
    free (self);
    *self_p = NULL;
}

port_t *ports_add (ports_t *self, void **socket_p, int kind, void *owner)
{
    port_t *port = must (calloc (1, sizeof *port));
    *port = (port_t){.handle = *socket_p, .owner = owner, .kind = kind};
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

void ports_remove (ports_t *self, port_t **port_p)
{
    port_t *port = *port_p;
    if (!port)
        return;
    ready_leave (self, port);
    epoll_ctl (self->epoll, EPOLL_CTL_DEL, port->file, NULL);
    socket_close (&port->handle);
    free (port);
    *port_p = NULL;
}

bool ports_watch (ports_t *self, int file)
{
    struct epoll_event wish = {.events = EPOLLIN, .data.ptr = NULL};
    return epoll_ctl (self->epoll, EPOLL_CTL_ADD, file, &wish) == 0;
}

bool ports_wait (ports_t *self, int64_t timeout_ms)
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

port_t *ports_ready (ports_t *self)
{
    port_t *port = zlistx_first (self->ready);
    if (port)
        zlistx_move_end (self->ready, port->ready);
    return port;
}

void port_quiet (ports_t *self, port_t *port)
{
    ready_leave (self, port);
}

void port_stir (ports_t *self, port_t *port)
{
    ready_join (self, port);
}
