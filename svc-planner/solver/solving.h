/*  solving - a solver in a process of its own, so that it ends when its time is up, whatever GLPK
 *  does.
 *
 *  GLPK looks at its limit between steps of its own, and one of these may take minutes on a large
 *  program. So the running program starts itself once more in the role of a solver, sends it the
 *  order, and reads what it knows so far. If the solver has not ended a little after its limit, it
 *  is killed, and the last answer read counts. A solver whose starter has died dies, too.
 */
#ifndef MUSUBI_SOLVING_H
#define MUSUBI_SOLVING_H

#include "solving_wire.h"

#define SOLVING_ROLE     "--solve" /* first argument; the starter's id follows */
#define SOLVING_GRACE_MS 250       /* after the limit, for an end in good order */

/*  Is this process to be a solver? To be asked first of all in main. */
bool solving_role (int argc, char **argv);

/*  A monotonic clock, for solver_limit_t. */
int64_t solving_clock_us (void *of);

/*  Serves as a solver; returns the exit code. */
int solving_serve (char **argv);

/*  Has an order solved (solving_order_encode). *result is the last answer, or, on false, a sentence
 *  that says why there is none; the caller frees it. stop is asked when a signal comes, and ends it
 *  early when true; may be NULL. */
bool solving_run (bytes_t order, bool (*stop) (void), uint8_t **result, size_t *result_size);

#endif
