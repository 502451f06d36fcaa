/*  solving - a solver in a process of its own: it ends when its time is up, whatever GLPK does.
 *
 *  GLPK looks at its limit between steps of its own, and on a large program one of these takes
 *  minutes. So the program that runs starts itself once more in the role of a solver, sends it the
 *  order, hears what it knows so far, and kills it when it has not ended a little after its limit;
 *  what was heard last is then the answer. A solver whose starter has died dies, too.
 */
#ifndef MUSUBI_SOLVING_H
#define MUSUBI_SOLVING_H

#include "solving_wire.h"

#define SOLVING_ROLE     "--solve" /* first argument; the starter's id follows */
#define SOLVING_GRACE_MS 250       /* after the limit, for an end in good order */

/*  Is this process to be a solver? First thing in main. */
bool solving_role (int argc, char **argv);

/*  Monotonic; for solver_limit_t. */
int64_t solving_clock_us (void *of);

/*  Be one: the exit code. */
int solving_serve (char **argv);

/*  Have an order solved (solving_order_encode). *result is its last answer, malloc'ed, or, on
 *  false, a sentence why there is none. `stop`, asked when a signal comes, ends it early; NULL. */
bool solving_run (bytes_t order, bool (*stop) (void), uint8_t **result, size_t *result_size);

#endif
