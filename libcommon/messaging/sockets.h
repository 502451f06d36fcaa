/*  sockets - ZeroMQ sockets that can fail: where the machine has no more descriptors, NULL with
 *  errno and not the end of the process. They share one context of this process.
 */
#ifndef MUSUBI_SOCKETS_H
#define MUSUBI_SOCKETS_H

#include "bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <zmq.h>

#define SOCKETS_MAX          4200 /* in this process */
#define SOCKET_ADDRESS_BYTES 512  /* longer ones are not told */

/*  Raises the limit of open files as far as this process may, and returns it. Call it once,
 *  before the first socket. */
size_t sockets_prepare (void);

/*  Waits for what lingers. Once, when all sockets are closed. */
void sockets_end (void);

/*  Waits for nothing when it is closed. NULL with errno. */
void *socket_open (int type);
void socket_close (void **socket_p);
void socket_set (void *socket, int option, int value);

/*  One message into frames, which were initialised; those beyond most are dropped. Returns how many
 *  frames it had; 0 = there is no message. */
size_t socket_receive (void *socket, zmq_msg_t *frames, size_t most);

/*  They live as long as the frame keeps them. */
bytes_t frame_bytes (zmq_msg_t *frame);

/*  A socket that receives the events of another one; NULL with errno. The watched socket must be
 *  unwatched before it is closed, or libzmq's thread waits for ever for its events to be read. */
void *socket_watch (void *socket, int events);
void socket_unwatch (void *socket);

/*  One event, its value and the address that it is about, unless that is NULL; false when there is
 *  none. */
bool socket_hear (void *watcher, int *event, int *value, char address [SOCKET_ADDRESS_BYTES]);

/*  Is there a descriptor to spare? False with errno. */
bool sockets_spare (void);

/*  Is errno that of a machine without a descriptor, or memory, to spare? */
bool socket_lacking (void);

#endif
