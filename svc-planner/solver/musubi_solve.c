/*  musubi-solve - solves one program for the process that starts it (solving.h), and ends.
 *
 *      musubi-solve STARTER      the id of that process, with which it dies
 *
 *  It reads the order from its standard input and writes answers to its standard output
 *  (proto/solver.proto).
 */
#include "must.h"
#include "solving.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES 65536
#define EXIT_USAGE 2

typedef struct {
    const program_t *program;
    int64_t begun_us;
} serving_t;

static bool send_all (int to, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send (to, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        data += sent;
        size -= (size_t) sent;
    }
    return true;
}

/*  Sends an answer. When it can't be sent, nobody waits for it any more, and the process ends. */
static void solving_answer (void *of, const solver_answer_t *known)
{
    const serving_t *self = of;
    packed_t bytes =
      solving_answer_encode (self->program, known, solving_clock_us (NULL) - self->begun_us);
    uint8_t length [SOLVING_LENGTH_BYTES];
    number_put (length, bytes.size, SOLVING_LENGTH_BYTES);
    if (!send_all (STDOUT_FILENO, length, sizeof length) ||
        !send_all (STDOUT_FILENO, bytes.data, bytes.size))
        _exit (EXIT_FAILURE);
    free (bytes.data);
}

static uint8_t *read_order (size_t *size)
{
    size_t room = READ_BYTES;
    uint8_t *data = must (malloc (room));
    *size = 0;
    for (;;) {
        ssize_t got = read (STDIN_FILENO, data + *size, room - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return data;
        *size += (size_t) got;
        if (*size == room && room < 2 * (size_t) SOLVING_BYTES_MAX)
            data = must (realloc (data, room *= 2));
    }
}

int main (int argc, char **argv)
{
    if (argc != 2) {
        fputs (
          "musubi-solve: svc-planner and `musubi solve` start it; by hand, use `musubi solve`\n",
          stderr);
        return EXIT_USAGE;
    }
    if (prctl (PR_SET_PDEATHSIG, SIGKILL) != 0 || strtol (argv [1], NULL, 10) != (long) getppid ())
        return EXIT_FAILURE; /* it has died already */
    size_t size;
    uint8_t *bytes = read_order (&size);
    solving_t solving;
    char why [LONG_WHY_BYTES];
    if (!solving_order_decode (&solving, (bytes_t){.data = bytes, .size = size}, why)) {
        fprintf (stderr, "musubi-solve: %s\n", why);
        return EXIT_USAGE;
    }
    free (bytes);
    serving_t self = {.program = &solving.program, .begun_us = solving_clock_us (NULL)};
    solving.order.limit.clock_us = solving_clock_us;
    solving.order.report = solving_answer;
    solving.order.hearer = &self;
    solver_answer_t known;
    solver_run (&solving.program, &solving.order, &known);
    solving_answer (&self, &known);
    program_plan_destroy (&known.plan);
    solving_clear (&solving);
    solver_rest ();
    return EXIT_SUCCESS;
}
