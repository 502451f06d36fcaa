/*  sockets - libzmq's own, without CZMQ's, which ends the process where one can't be made. */
#include "sockets.h"

#include "must.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static void *context;

size_t sockets_prepare (void)
{
    struct rlimit files = {.rlim_cur = 1024, .rlim_max = 1024};
    if (getrlimit (RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        rlim_t before = files.rlim_cur;
        files.rlim_cur = files.rlim_max;
        if (setrlimit (RLIMIT_NOFILE, &files) != 0)
            files.rlim_cur = before;
    }
    if (!context) {
        context = must (zmq_ctx_new ());
        zmq_ctx_set (context, ZMQ_MAX_SOCKETS, SOCKETS_MAX);
    }
    return files.rlim_cur;
}

void sockets_end (void)
{
    if (context)
        zmq_ctx_term (context);
    context = NULL;
}

void *socket_open (int type)
{
    if (!context)
        sockets_prepare ();
    void *socket = zmq_socket (context, type);
    if (socket)
        socket_set (socket, ZMQ_LINGER, 0);
    return socket;
}

void socket_close (void **socket_p)
{
    int error = errno;
    if (*socket_p)
        zmq_close (*socket_p);
    *socket_p = NULL;
    errno = error;
}

void socket_set (void *socket, int option, int value)
{
    int64_t wide = value;
    bool is_wide = option == ZMQ_MAXMSGSIZE;
    int set = zmq_setsockopt (socket, option, is_wide ? (void *) &wide : (void *) &value,
                              is_wide ? sizeof wide : sizeof value);
    assert (set == 0); /* it says no only to what can't be an option */
}

/*  The address is used once in a process: a closed socket has its own for a while yet. */
void *socket_watch (void *socket, int events)
{
    static _Atomic uint64_t watched;
    char address [64];
    snprintf (address, sizeof address, "inproc://watch-%" PRIu64, atomic_fetch_add (&watched, 1));
    if (zmq_socket_monitor (socket, address, events) != 0)
        return NULL;
    void *watcher = socket_open (ZMQ_PAIR);
    if (watcher)
        socket_set (watcher, ZMQ_RCVHWM, 0); /* or libzmq's thread waits until we read */
    if (watcher && zmq_connect (watcher, address) != 0)
        socket_close (&watcher);
    if (!watcher)
        socket_unwatch (socket);
    return watcher;
}

void socket_unwatch (void *socket)
{
    zmq_socket_monitor (socket, NULL, 0);
}

bytes_t frame_bytes (zmq_msg_t *frame)
{
    return (bytes_t){.data = zmq_msg_data (frame), .size = zmq_msg_size (frame)};
}

size_t socket_receive (void *socket, zmq_msg_t *frames, size_t most)
{
    zmq_msg_t spare;
    size_t count = 0;
    zmq_msg_init (&spare);
    for (bool more = true; more; count++) {
        zmq_msg_t *frame = count < most ? &frames [count] : &spare;
        if (zmq_msg_recv (frame, socket, ZMQ_DONTWAIT) < 0)
            break;
        more = zmq_msg_more (frame);
    }
    zmq_msg_close (&spare);
    return count;
}

/*  [event, 16 bits, and its value, 32] [address] */
bool socket_hear (void *watcher, int *event, int *value, char address [SOCKET_ADDRESS_BYTES])
{
    zmq_msg_t frames [2];
    uint16_t news;
    int32_t told;
    zmq_msg_init (&frames [0]);
    zmq_msg_init (&frames [1]);
    bool heard = socket_receive (watcher, frames, 2) > 0;
    if (heard) {
        const uint8_t *bytes = zmq_msg_data (&frames [0]);
        assert (zmq_msg_size (&frames [0]) == sizeof news + sizeof told);
        memcpy (&news, bytes, sizeof news);
        memcpy (&told, bytes + sizeof news, sizeof told);
        *event = news;
        *value = told;
    }
    if (heard && address)
        snprintf (address, SOCKET_ADDRESS_BYTES, "%.*s", (int) zmq_msg_size (&frames [1]),
                  (const char *) zmq_msg_data (&frames [1]));
    zmq_msg_close (&frames [0]);
    zmq_msg_close (&frames [1]);
    return heard;
}

bool sockets_spare (void)
{
    int file = eventfd (0, EFD_CLOEXEC);
    if (file >= 0)
        close (file);
    return file >= 0;
}

bool socket_lacking (void)
{
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
}
