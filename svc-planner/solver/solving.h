/*  solving - a solver in a process of its own, so that it ends when its time is up, whatever GLPK
 *  does.
 *
 *  GLPK looks at its limit between steps of its own, and one of these may take minutes on a large
 *  program. So the program musubi-solve is started, is sent the order, and tells what it knows so
 *  far. If it has not ended a little after its limit, it is killed, and the last answer read
 *  counts. A solver whose starter has died dies, too.
 */
#ifndef MUSUBI_SOLVING_H
#define MUSUBI_SOLVING_H

#include "solving_wire.h"

#include <limits.h>

#define SOLVING_GRACE_MS     250 /* after the limit, for an end in good order */
#define SOLVING_LENGTH_BYTES 4   /* before each answer */

/*  A monotonic clock, for solver_limit_t. */
int64_t solving_clock_us (void *of);

/*  Where musubi-solve lies: PREFIX/libexec/musubi/musubi-solve, when the running program is
 *  PREFIX/bin/NAME, installed or in the tree that it was built in. */
void solving_program (char path [PATH_MAX]);

/*  Has an order (solving_order_encode) solved by the program of that path. *result is the last
 *  answer, or, on false, a sentence that says why there is none; the caller frees it. stop is asked
 *  when a signal comes, and ends it early when true; may be NULL. */
bool solving_run (const char *solver, bytes_t order, bool (*stop) (void), uint8_t **result,
                  size_t *result_size);

#endif
