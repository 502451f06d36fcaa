/*  rebuild - a store whose process is stopped, made to agree with its ledger.
 *
 *  With the ledger in the store: records that are damaged, missing, or say another thing are
 *  written anew. With a saved ledger: likewise in the store that it is of, if its rows lead on to
 * those of the file; into a folder without a store: a new one, under a new id, with everything that
 *  the ledger tells of.
 */
#ifndef MUSUBI_REBUILD_H
#define MUSUBI_REBUILD_H

#include "cli.h"

/*  from: a saved ledger, or NULL. Exit 0 = it agrees now, 1 = something is left that only an
 *  operator can decide, which is told; 2 = that can't be done. */
int rebuild_run (const cli_t *cli, const char *store, const char *from);

#endif
