/*  needed_files - what a name stands for where files are needed: a file, all of a folder, what a member of one
 *  lies in, or the members of a folder, else the files, that are called like it (* or ?, not across slashes).
 */
#ifndef MUSUBI_NEEDED_FILES_H
#define MUSUBI_NEEDED_FILES_H

#include "session.h"

/*  Puts, for each object of a list with such a name under a key, one object a file there. With "name" these are
 *  inputs of tasks: a folder's get the paths from which the task's node lays them out. A name that nobody has
 *  stays, so that who is asked for it says so. Returns the exit code, after saying what is wrong. */
int needed_files (const cli_t *cli, session_t *session, json_t *holder, const char *list,
                  const char *key);

/*  Adds the names of files that are like one with * or ?, as far as sites answer, as keys. */
int files_like (const cli_t *cli, session_t *session, const char *like, json_t *names);

#endif
