/*  rebuild - repairs a store, whose process is stopped, from its ledger.
 *
 *  From the ledger in the store: records that are damaged, missing or different are written anew.
 *  From a saved ledger: the same in the store that it was saved from, unless the file has later
 *  rows than the store; in a folder without a store, a new store under a new id with everything
 *  that the ledger holds. */
#ifndef MUSUBI_REBUILD_H
#define MUSUBI_REBUILD_H

#include "cli.h"

/*  from: a saved ledger, or NULL. Exit 0 = the store agrees now, 1 = something is left for the
 *  operator to decide, and is listed, 2 = it can't be done. */
int rebuild_run (const cli_t *cli, const char *store, const char *from);

#endif
