/*  launch - starts the members of a folder, and lets them find each other. */
#ifndef MUSUBI_LAUNCH_H
#define MUSUBI_LAUNCH_H

#include "folder.h"

#define LAUNCH_PATIENCE_MS 30000 /* for each service to be ready, to answer, to be listed */
#define LAUNCH_END_MS      10000 /* from SIGTERM to SIGKILL */
/*  Starts every member that does not run, directories first, and waits until each is ready. False
 *  after saying which one failed, with the end of its log; then those just started are ended again.
 *  *started counts them. */
bool launch_missing (folder_t *folder, size_t *started);

/*  Waits until every site has heard its agents, and every directory lists all other members. False
 *  after naming what is missing. */
bool launch_meet (const cli_t *cli, const folder_t *folder);

/*  The number of members that run. */
size_t launch_running (const folder_t *folder);

#endif
