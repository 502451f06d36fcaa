/*  poll_set - the ZeroMQ sockets of one loop, and which of them may have something to read.
 *
 *  A host has a socket for each peer it calls, and zmq_poll asks each of them at each turn. Here
 *  epoll watches the file descriptors that sockets signal on, so that a turn costs what is ready,
 *  not what is open. A socket signals only news: whatever it has must be read until it has no more
 *  (polled_quiet), and it must be looked at again after each send, which may swallow a signal
 *  (polled_stir). Ready ports take turns.
 */
#ifndef MUSUBI_POLL_SET_H
#define MUSUBI_POLL_SET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ports poll_set_t;

typedef struct {
    void *handle; /* the socket */
    void *owner;
    int kind;    /* the owner's */
    int file;    /* private from here on */
    void *ready; /* its place among the ready ones; NULL = it has none */
} polled_t;

/*  NULL with errno when the machine has no more descriptors. */
poll_set_t *poll_set_new (void);
void poll_set_destroy (poll_set_t **self_p);

/*  Takes the socket into the loop, and owns it from then on; NULL with errno, and the socket
 *  closed, when it can't. A new port is ready. */
polled_t *poll_set_add (poll_set_t *self, void **socket_p, int kind, void *owner);
void poll_set_remove (poll_set_t *self, polled_t **port_p);

/*  Wakes poll_set_wait when a descriptor can be read that is not a socket's. */
bool poll_set_watch (poll_set_t *self, int file);

/*  Until something may be ready or timeout_ms have passed; negative = for ever. False when a
 *  signal handler has interrupted it. */
bool poll_set_wait (poll_set_t *self, int64_t timeout_ms);

/*  The next ready port, in turn; NULL when none is. */
polled_t *poll_set_ready (poll_set_t *self);

/*  Nothing more to read from it for now. */
void polled_quiet (poll_set_t *self, polled_t *port);

/*  It must be read again. */
void polled_stir (poll_set_t *self, polled_t *port);

#endif
