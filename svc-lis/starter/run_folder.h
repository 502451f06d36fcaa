/*  run_folder - the folder of one run, through which its starter and its agent talk, however often
 *  either of them dies.
 *
 *      order      what is to be carried out (RunTicket)
 *      claim      whoever makes this file runs the run, or refuses it for ever; the starter holds
 *                 a lock on it for life, which tells a living starter from a dead one
 *      wish       what the agent wants of the starter: "suspend warn", each if so, or "end
 *                 GRACE_MS"
 *      use        "STARTED_MS CPU_MS DROPPED SUSPENDED", while it runs
 *      end        how it ended (RunStand), written once, in room that is reserved with the claim
 *      output     what it has written, up to a limit, unless its order names a file
 *      work       its working folder, unless its order names one
 *      log        messages of its starter
 *
 *  Whatever decides something is flushed before anybody relies on it. The folder must be on a disk
 *  of the machine itself, since locks don't hold on others.
 */
#ifndef MUSUBI_RUN_FOLDER_H
#define MUSUBI_RUN_FOLDER_H

#include "node_work.h"

#define RUN_PATH_BYTES 4096

/*  "RUNS/NAME". */
const char *run_path (char path [RUN_PATH_BYTES], const char *runs, const char *name);

/*  Makes a folder that tasks can pass through but not list. True when it is there. */
bool run_folder_pass (const char *path);

/*  Opens the run's folder: a descriptor, or -1 with errno. run_folder_make makes it first when it
 *  is not there. */
int run_folder_make (const char *runs, const char *name);
int run_folder_open (const char *runs, const char *name);

/*  Reads a whole file; its data is malloc'ed and has a NUL behind it. False with errno. */
bool run_file_read (int folder, const char *file, packed_t *content);

/*  Replaces a file and flushes it. False with errno. */
bool run_file_write (int folder, const char *file, bytes_t data);

/*  Takes room for the record of the end, then claims the run. Returns a descriptor that holds the
 *  claim's lock until it is closed, or -1 with errno: EEXIST when the run has been claimed
 *  before. */
int run_claim (int folder);

typedef enum { CLAIM_NONE, CLAIM_LIVE, CLAIM_DEAD, CLAIM_UNKNOWN } claim_t;

/*  The process that holds the claim must not ask: it does not see its own locks. */
claim_t run_claimed (int folder);

/*  Signals the starter that holds the claim; false when none lives. */
bool run_starter_signal (int folder, int signal);

/*  Records how the run ended, and flushes it; a second record changes nothing. False with errno
 *  when nothing could be recorded. */
bool run_end_record (int folder, const stand_t *stand);

/*  Tells how a run stands. If its starter has died, everything that is left of the run is ended
 *  first, and recorded as lost. False when the state can't be read now. */
bool run_stand (const char *runs, const char *name, stand_t *stand);

/*  Ends a claimed run without its starter; why says why it is lost then. False: try again. */
bool run_force (const char *runs, const char *name, const char *why, stand_t *stand);

#endif
