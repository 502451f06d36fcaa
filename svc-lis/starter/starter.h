/*  starter - one process for each run: it begins the run, watches it, ends it and records how it
 *  ended. It outlives the agent that has started it.
 *
 *  "svc-lis starter FOLDER" claims the folder, which succeeds once only (run_folder.h), leaves a
 *  process in a session of its own behind, and says in its exit code how that went. The process
 *  that stays runs the program of the order under its account, with its limits, in its folder. It
 *  ends the program when the agent wishes so, when a limit is reached, or when the lease ends
 *  (lease.h); it adopts and ends whatever the program leaves behind, and records the end. Then it
 *  tells the agent, if there is one.
 */
#ifndef MUSUBI_STARTER_H
#define MUSUBI_STARTER_H

#include <signal.h>

#define STARTER_POKE SIGUSR2 /* there is a new wish */

/*  Exit codes. */
enum {
    STARTER_BEGUN = 0,
    STARTER_FAILED = 1, /* nothing was claimed; its log says why */
    STARTER_CLAIMED_BEFORE = 3,
    STARTER_NO_ROOM = 4, /* not enough for the record of the end: nothing was claimed */
};

/*  argv [0] is "starter". */
int starter_main (int argc, char **argv);

#endif
