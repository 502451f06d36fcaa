/*  solving - starts musubi-solve, and is the other end of its pair of sockets. */
#include "solving.h"

#include "must.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES  65536
#define NO_DEADLINE INT64_MAX

int64_t solving_clock_us (void *of)
{
    (void) of;
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

typedef struct {
    pid_t pid;
    int socket;
    int64_t until_us;
    bytes_t order; /* the part not sent yet */
    uint8_t *heard;
    size_t heard_size;
    size_t heard_room;
    uint8_t *last; /* the last whole answer; NULL: none */
    size_t last_size;
    bool killed;
} solving_run_t;

void solving_program (char path [PATH_MAX])
{
    static const char program [] = "/libexec/musubi/musubi-solve";
    ssize_t size = readlink ("/proc/self/exe", path, PATH_MAX - sizeof program);
    for (int folders = 0; folders < 2; folders++) /* off NAME, and off its folder */
        while (size > 0 && path [--size] != '/')
            ;
    strcpy (path + (size > 0 ? size : 0), program);
}

/*  The result is a sentence that says why there is no answer. */
static bool solving_fail (uint8_t **result, size_t *result_size, char *sentence)
{
    *result = (uint8_t *) sentence;
    *result_size = strlen (sentence);
    return false;
}

/*  Never forks, because other threads may hold locks. The solver takes signals as usual, but not
 *  those of a terminal, which are for its starter. */
static int solving_start (solving_run_t *self, const char *program)
{
    int pair [2];
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    char starter [32];
    snprintf (starter, sizeof starter, "%ld", (long) getpid ());
    char *arguments [] = {"musubi-solve", starter, NULL};
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    sigset_t none;
    sigset_t all;
    sigemptyset (&none);
    sigfillset (&all);
    posix_spawnattr_init (&attributes);
    posix_spawn_file_actions_init (&files);
    posix_spawnattr_setsigmask (&attributes, &none);
    posix_spawnattr_setsigdefault (&attributes, &all);
    posix_spawnattr_setpgroup (&attributes, 0);
    posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_adddup2 (&files, pair [1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2 (&files, pair [1], STDOUT_FILENO);
    int error = posix_spawn (&self->pid, program, &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy (&files);
    posix_spawnattr_destroy (&attributes);
    close (pair [1]);
    if (error)
        close (pair [0]);
    else
        self->socket = pair [0];
    return error;
}

static void send_order_bytes (solving_run_t *self)
{
    ssize_t sent =
      send (self->socket, self->order.data, self->order.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (sent < 0)
        sent = (ssize_t) self->order.size; /* it reads no more; how it ends says why */
    self->order.data += sent;
    self->order.size -= (size_t) sent;
    if (self->order.size == 0)
        shutdown (self->socket, SHUT_WR);
}

/*  Keeps the last whole answer that was read. False when what was read is no answer. */
static bool keep_last_answer (solving_run_t *self)
{
    size_t at = 0;
    while (self->heard_size - at >= SOLVING_LENGTH_BYTES) {
        const uint8_t *from = self->heard + at;
        size_t length = number_get (from, SOLVING_LENGTH_BYTES);
        if (length > SOLVING_BYTES_MAX)
            return false;
        if (self->heard_size - at - SOLVING_LENGTH_BYTES < length)
            break;
        free (self->last);
        self->last = must (malloc (length + 1));
        self->last_size = length;
        memcpy (self->last, from + SOLVING_LENGTH_BYTES, length);
        at += SOLVING_LENGTH_BYTES + length;
    }
    memmove (self->heard, self->heard + at, self->heard_size - at);
    self->heard_size -= at;
    return true;
}

/*  Reads what has come; false at the end. */
static bool read_answer_bytes (solving_run_t *self)
{
    if (self->heard_room - self->heard_size < READ_BYTES) {
        self->heard_room = 2 * self->heard_room + READ_BYTES;
        self->heard = must (realloc (self->heard, self->heard_room));
    }
    ssize_t got = recv (self->socket, self->heard + self->heard_size, READ_BYTES, MSG_DONTWAIT);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    self->heard_size += (size_t) got;
    return got > 0 && keep_last_answer (self);
}

static int solving_patience_ms (const solving_run_t *self)
{
    if (self->until_us == NO_DEADLINE)
        return -1;
    int64_t left_ms = (self->until_us - solving_clock_us (NULL) + 999) / 1000;
    return left_ms < 0 ? 0 : left_ms > INT32_MAX ? INT32_MAX : (int) left_ms;
}

/*  Follows the solver to its end, or to the end of its time. */
static void solving_follow (solving_run_t *self, bool (*stop) (void))
{
    for (;;) {
        int patience = solving_patience_ms (self);
        struct pollfd ready = {.fd = self->socket,
                               .events = (short) (POLLIN | (self->order.size > 0 ? POLLOUT : 0))};
        int count = patience == 0 ? 0 : poll (&ready, 1, patience);
        if ((count == 0 && solving_patience_ms (self) == 0) || (count < 0 && errno != EINTR) ||
            (count < 0 && stop && stop ())) {
            self->killed = true;
            kill (self->pid, SIGKILL);
            while (
              read_answer_bytes (self)) /* read what it had sent by then; its death ends this */
                poll (&ready, 1, -1);
            return;
        }
        if (count <= 0)
            continue;
        if (ready.revents & POLLOUT)
            send_order_bytes (self);
        if (ready.revents & (POLLIN | POLLHUP | POLLERR) && !read_answer_bytes (self))
            return;
    }
}

/*  How the process failed, in words to be freed; NULL when it ended well, or was ended by us. */
static char *await_end (const solving_run_t *self)
{
    int status = 0;
    while (waitpid (self->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (self->killed)
        return NULL;
    if (WIFSIGNALED (status))
        return must_print ("musubi-solve was ended by signal %d: %s", WTERMSIG (status),
                           strsignal (WTERMSIG (status)));
    if (WEXITSTATUS (status) != 0 || !self->last)
        return must_print ("musubi-solve ended with exit code %d", WEXITSTATUS (status));
    return NULL;
}

/*  No answer came in time. */
static void answer_unknown (solving_run_t *self, const program_t *program, int64_t spent_us)
{
    solver_answer_t nothing = {.status = SOLVER_UNKNOWN};
    packed_t bytes = solving_answer_encode (program, &nothing, spent_us);
    self->last = bytes.data;
    self->last_size = bytes.size;
}

static bool solving_process (solving_run_t *self, const char *solver, const solving_t *solving,
                             bool (*stop) (void), uint8_t **result, size_t *result_size)
{
    int64_t begun_us = solving_clock_us (NULL);
    int64_t limit_us = solving->order.limit.time_us_max;
    self->until_us =
      limit_us > 0 ? begun_us + limit_us + SOLVING_GRACE_MS * INT64_C (1000) : NO_DEADLINE;
    int error = solving_start (self, solver);
    if (error)
        return solving_fail (result, result_size,
                             error == ENOENT
                               ? must_print ("%s is missing: install it there", solver)
                               : must_print ("%s can't be started: %s", solver, strerror (error)));
    solving_follow (self, stop);
    char *words = await_end (self);
    close (self->socket);
    free (self->heard);
    if (words) {
        free (self->last);
        return solving_fail (result, result_size, words);
    }
    if (!self->last)
        answer_unknown (self, &solving->program, solving_clock_us (NULL) - begun_us);
    *result = self->last;
    *result_size = self->last_size;
    return true;
}

bool solving_run (const char *solver, bytes_t order, bool (*stop) (void), uint8_t **result,
                  size_t *result_size)
{
    solving_t solving;
    char why [LONG_WHY_BYTES];
    if (!solving_order_decode (&solving, order, why))
        return solving_fail (result, result_size, must_print ("%s", why));
    solving_run_t self = {.order = order};
    bool good = solving_process (&self, solver, &solving, stop, result, result_size);
    solving_clear (&solving);
    return good;
}
