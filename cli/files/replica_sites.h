/*  replica_sites - the sites that keep files (svc-replica), and the files that they have. */
#ifndef MUSUBI_REPLICA_SITES_H
#define MUSUBI_REPLICA_SITES_H

#include "folder_manifest.h"
#include "session.h"

/*  How many sites keep files. */
size_t replica_sites_count (const session_t *session);

/*  The entry of a site's svc-replica; name NULL = the only one. NULL after saying why not, with
 *  *code. */
const json_t *replica_sites_entry (session_t *session, const char *command, const char *name,
                                   int *code);

/*  Asks a site about its files, again and again while it does not answer and there is time. The
 *  answer is new; NULL after saying why there is none, with *code. */
json_t *replica_sites_ask (const cli_t *cli, session_t *session, const json_t *site,
                           const char *method, const json_t *question, int *code);

/*  What sites have under one name, or under all (NULL): an array of {"site", "file", "entry"}, by
 *  site and name, where file is proto's FileRecord. Of a folder these are its pieces. The names of
 *  sites that did not answer are added to silent. site NULL = all sites. */
json_t *replica_sites_gather (session_t *session, const json_t *site, const char *name,
                              json_t *silent);

/*  As proto Place, new: who has a file, as the indexes say, or else all sites. *silent is set when
 *  one of them did not answer. */
json_t *file_places (session_t *session, const char *name, bool *silent);

/*  A folder is its pieces, files under hidden names, and so is its manifest:
 *
 *      NAME/.folder/pack-DIGEST, NAME/.folder/file-DIGEST     (folder_manifest.h)       
 *      NAME/.folder/VERSION-FILES-DIGEST                      the manifest of so many files
 *
 *  VERSION is the wall time of the put in ms, in 13 digits: the manifest whose name is the last
 *  counts. It is put when all its pieces are there, and older ones leave then. */
#define FOLDER_SHORT_NAME_MAX 150 /* bytes of NAME, so that those of its pieces have room */

/*  What all sites have of a folder; and its manifest among that, or NULL. */
json_t *replica_sites_folder (session_t *session, const char *name, json_t *silent);
const json_t *folder_manifest_held (const json_t *held);

/*  Of what sites have of a folder what one owner has, new, when several have put one of this name
 *  while their sites did not hear of each other: the actor, else who put one first. *owner NULL =
 *  there is no whole one. *other: another owner, or NULL. Both live with held. */
json_t *folder_of_one (const json_t *held, const char *actor, const char **owner,
                       const char **other);

/*  The same for the folder that has this name, or has it as a member, with the length of its name;
 *  says who else has put one. NULL = there is none; silent (or NULL): who did not answer. */
json_t *folder_above (const cli_t *cli, session_t *session, const char *name, size_t *length,
                      json_t *silent);

/*  "pack-3f…" of a hidden name, or NULL. How many files the manifest of that name has; -1 when it
 *  is no manifest's. */
const char *folder_piece_of (const char *name);
int64_t folder_piece_files (const char *piece);

/*  What --nodes or --at-nodes says: "all", or a number from 1; NULL = 0. False after saying that it
 *  is neither. */
#define NODES_ALL UINT32_MAX
bool nodes_wanted (const cli_t *cli, const char *option, const char *text, json_int_t *nodes);

/*  --- what a name stands for where files are needed: a file, all of a folder, what a member of one
 *  lies in, or the members of a folder, else the files, that are called like it (* or ?, not across
 *  slashes) --- */

/*  Puts, for each object of a list with such a name under a key, one object a file there. With
 *  "name" these are inputs of tasks: a folder's get the paths from which the task's node lays them
 *  out. A name that nobody has stays, so that who is asked for it says so. Returns the exit code,
 *  after saying what is wrong. */
int needed_files (const cli_t *cli, session_t *session, json_t *holder, const char *list,
                  const char *key);

/*  Adds the names of files that are like one with * or ?, as far as sites answer, as keys. */
int files_like (const cli_t *cli, session_t *session, const char *like, json_t *names);

#endif
