/*  run_files - files of the federation in a run's working folder: inputs stand there before the
 *  program starts, outputs are handed to the storage node after it has ended well.
 *
 *  An input is a symbolic link to the verified copy, or, where its account can't reach that, a hard
 *  link to the same inode, which the account must not be able to write or chmod (S2: no second copy
 *  on the machine). An output is handed over by a link, if it is on the disk of the arrivals;
 *  otherwise it is copied.
 */
#ifndef MUSUBI_RUN_FILES_H
#define MUSUBI_RUN_FILES_H

#include "node_work.h"

#include <stdbool.h>
#include <sys/types.h>

/*  Opens a file with the rights of an account, which has named the path; by now it may lead to a
 *  file of somebody else. path is absolute, or relative to folder. Returns a descriptor, or -1 with
 *  errno; EPERM when this node has no such account, or one whose rights this process may not
 *  take. */
int open_as (const char *account, int folder, const char *path);

/*  The account of a run. */
typedef struct {
    const char *name;
    uid_t uid;
    gid_t gid;
    bool other; /* than that of this process, which is root then */
} run_files_account_t;

/*  Puts all inputs into the working folder, which the account can't reach yet. An input is looked
 *  for in the folder "files" beside that for arrivals, and through no link. False with why: it is
 *  missing, isn't the storage node's, has another size, or could be changed by the account. */
bool run_files_enter (const ticket_t *ticket, int work, const run_files_account_t *account,
                      char why [WHY_BYTES]);

/*  Is a copy not there, or of another size? Then the site brings it again, and the task tries
 *  again. */
bool run_files_gone (const ticket_t *ticket);

/*  Takes the links away, so that a copy that is evicted leaves its disk. */
void run_files_leave (const run_order_t *order, int work);

/*  Hands all outputs over; nothing of the run lives any more. May be done again. uid: of the
 *  account; shared: on a disk that other machines have, too. False with why: an output is missing,
 *  is no plain file of the account, or can't be handed over. */
bool run_files_hand (const ticket_t *ticket, int work, uid_t uid, bool shared,
                     char why [WHY_BYTES]);

#endif
