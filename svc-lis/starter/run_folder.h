/*  run_folder - the folder of one run: what its starter and its agent tell each other, however
 *  often either of them dies.
 *
 *      order      what is to be carried out (RunTicket)
 *      claim      whoever has made this runs it, or has refused it for ever; its starter holds a
 *                 lock on it for life, so one that has died is told from one that lives
 *      wish       what the agent wants of the starter: "warn", "end GRACE_MS"
 *      use        "STARTED_MS CPU_MS DROPPED", while it runs
 *      end        how it ended (RunStand), made once; its room is taken with the claim
 *      output     what it has written, unless its order says where; at most so much
 *      work       its working folder, unless its order says which
 *      log        what its starter has to say
 *
 *  Everything that decides something is flushed before it is relied on. The folder must be on a
 *  disk of the machine itself: locks are of no use on others.
 */
#ifndef MUSUBI_RUN_FOLDER_H
#define MUSUBI_RUN_FOLDER_H

#include "node_work.h"

#define RUN_PATH_BYTES 4096

/*  "RUNS/NAME". */
const char *run_path (char path [RUN_PATH_BYTES], const char *runs, const char *name);

/*  Makes a folder that tasks pass through to their own, and can't list. True when it is there. */
bool run_folder_pass (const char *path);

/*  Makes the folder when it is not there: a descriptor, or -1 with errno. run_folder_open only
 *  opens. */
int run_folder_make (const char *runs, const char *name);
int run_folder_open (const char *runs, const char *name);

/*  A whole file, malloc'ed with a NUL behind it; false with errno. */
bool run_file_read (int folder, const char *file, uint8_t **data, size_t *size);

/*  Replaces a file, flushed; false with errno. */
bool run_file_write (int folder, const char *file, bytes_t data);

/*  Take the room of the end's record, then the claim. A descriptor that holds its lock until it is
 *  closed, or -1: errno is EEXIST when somebody has claimed it before. */
int run_claim (int folder);

typedef enum { CLAIM_NONE, CLAIM_LIVE, CLAIM_DEAD, CLAIM_UNKNOWN } claim_t;

/*  Not to be asked by who has it: a process does not see its own locks. */
claim_t run_claimed (int folder);

/*  To whoever has it, when it lives; false when it does not. */
bool run_starter_signal (int folder, int signal);

/*  How it ended, flushed; the first one stands. False with errno when nothing could be recorded. */
bool run_end_record (int folder, const stand_t *stand);

/*  How a run stands. Of one whose starter has died, everything that is left is ended, and that it
 *  is lost is recorded, before it is said. False: it can't be told now. */
bool run_stand (const char *runs, const char *name, stand_t *stand);

/*  Ends a run that has a claim without its starter: why it is lost then. False: try again. */
bool run_force (const char *runs, const char *name, const char *why, stand_t *stand);

#endif
