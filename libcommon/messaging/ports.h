/*  ports - the ZeroMQ sockets of one loop, and which of them may have something to read.
 *
 *  A host has a socket for each peer it calls, and zmq_poll asks each of them at each turn. Here
 *  epoll watches the file descriptors that sockets signal on, so that a turn costs what is ready,
 *  not what is open. A socket signals only news: whatever it has must be read until it has no more
 *  (port_quiet), and it must be looked at again after each send, which may swallow a signal
 *  (port_stir). Ready ports take turns.
 */
#ifndef MUSUBI_PORTS_H
#define MUSUBI_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ports ports_t;

typedef struct {
    void *handle; /* the socket */
    void *owner;
    int kind;    /* the owner's */
    int file;    /* private from here on */
    void *ready; /* its place among the ready ones; NULL = it has none */
} port_t;

/*  NULL with errno when the machine has no more descriptors. */
ports_t *ports_new (void);
void ports_destroy (ports_t **self_p);

/*  Takes the socket into the loop, and owns it from then on; NULL with errno, and the socket
 *  closed, when it can't. A new port is ready. */
port_t *ports_add (ports_t *self, void **socket_p, int kind, void *owner);
void ports_remove (ports_t *self, port_t **port_p);

/*  Wakes ports_wait when a descriptor can be read that is not a socket's. */
bool ports_watch (ports_t *self, int file);

/*  Until something may be ready or timeout_ms have passed; negative = for ever. False when a
 *  signal handler has interrupted it. */
bool ports_wait (ports_t *self, int64_t timeout_ms);

/*  The next ready port, in turn; NULL when none is. */
port_t *ports_ready (ports_t *self);

/*  Nothing more to read from it for now. */
void port_quiet (ports_t *self, port_t *port);

/*  It must be read again. */
void port_stir (ports_t *self, port_t *port);

#endif
