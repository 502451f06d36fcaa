/*  starter - one process for each run: begins it, watches it, ends it, records how it ended. It
 *  outlives the agent that has started it.
 *
 *  "svc-lis starter FOLDER" claims the folder, once for ever (run_folder.h), leaves a process of
 *  its own session behind and says how that went in its exit code. That process runs the program of
 *  the order under its account, with its limits, in its folder; ends it when the agent wishes so,
 *  when a limit is reached, and when the lease ends (lease.h); takes in whatever the run leaves
 *  behind, ends that, too, and records the end. Then it tells the agent, which may not be there.
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
    STARTER_NO_ROOM = 4, /* for the record of the end: nothing was claimed */
};

/*  argv [0] is "starter". */
int starter_main (int argc, char **argv);

#endif
