/*  folder - a federation's folder on this machine: its members, their ports and their processes.
 *
 *      federation.zpl     the description it was made from
 *      gis                endpoints of the directories, for MUSUBI_GIS; there while it runs
 *      members.json       the members, their endpoints and processes
 *      KIND-NAME.zpl      a member's settings; written once, then yours to edit
 *      store/  log/       their stores, their logs
 *      runs/  files/      of agents: a folder for each
 *      lock               held by whoever changes any of this
 */
#ifndef MUSUBI_FOLDER_H
#define MUSUBI_FOLDER_H

#include "process.h"

#define MEMBER_PLACE_BYTES 64
#define MEMBERS_MAX        10000 /* two ports each */
typedef struct {
    char kind [16];                     /* "lis"; its program is "svc-lis" */
    char name [128];                    /* "amsterdam"; a planner's number; "thin-001@amsterdam" */
    char endpoint [MEMBER_PLACE_BYTES]; /* tcp://127.0.0.1:PORT */
    char events [MEMBER_PLACE_BYTES];
    process_t process;
} folder_process_t;

typedef struct {
    char *path; /* absolute */
    int lock;
    folder_process_t *members;
    size_t members_count;
    bool full; /* a member could not be added */
} folder_t;

/*  Opens the folder, creating it when asked to, and takes its lock; reads the members, without the
 *  processes of an earlier boot. False with why. Ended by folder_close in either case. */
bool folder_open (folder_t *self, const char *path, bool make, char why [LONG_WHY_BYTES]);
void folder_close (folder_t *self);

/*  Writes the members, all or nothing. False with errno. */
bool folder_save (const folder_t *self);

/*  Adds a member with two free ports of loopback. NULL, from then on always, when there are no
 *  ports or too many members. */
folder_process_t *folder_add (folder_t *self, const char *kind, const char *name);

/*  The one of that kind and name, or NULL. */
folder_process_t *folder_find (const folder_t *self, const char *kind, const char *name);
size_t folder_count (const folder_t *self, const char *kind);

/*  "PATH/log/lis-amsterdam.log" from "log/", ".log". Malloc'ed. */
char *folder_member_file (const folder_t *self, const folder_process_t *member, const char *before,
                          const char *after);
/*  "PATH/gis". Malloc'ed. */
char *folder_file (const folder_t *self, const char *name);

/*  [{"kind", "name", "pid", "endpoint", "events"}…], new; with "started", too, when it is for the
 *  folder. */
json_t *folder_members (const folder_t *self, bool kept);

/*  Endpoints of the directories except one member, separated by commas. Malloc'ed. */
char *folder_directories (const folder_t *self, const folder_process_t *but);

/*  --- launch.c: starts the members, and lets them find each other --- */

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
