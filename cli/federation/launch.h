/*  launch - the members of a folder as running processes that know each other. */
#ifndef MUSUBI_LAUNCH_H
#define MUSUBI_LAUNCH_H

#include "cli.h"
#include "folder.h"

#define LAUNCH_PATIENCE_MS 30000 /* until a service says that it is ready */
#define LAUNCH_END_MS      10000 /* from SIGTERM to SIGKILL */

/*  Starts every member that does not run, directories first, and waits until each is ready. False
 *  after telling who failed, with the end of its log; then those just started are ended again.
 *  *started counts them. */
bool launch_missing (folder_t *folder, size_t *started);

/*  Waits until every site has heard its agents, and every directory lists every other member as it
 *  is now. False after telling who is missing. */
bool launch_meet (const cli_t *cli, const folder_t *folder);

/*  How many members run. */
size_t launch_running (const folder_t *folder);

#endif
