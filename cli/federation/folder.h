/*  folder - a federation's folder on this machine: who belongs to it, where each one listens, and
 *  which process it is.
 *
 *      federation.zpl     the description it was made from
 *      gis                endpoints of the directories, for MUSUBI_GIS; there while it runs
 *      members.json       the members, their endpoints and processes
 *      KIND-NAME.zpl      a member's configuration; written once, then yours to edit
 *      store/  log/       their stores, their logs
 *      runs/              what runs on the nodes, a folder for each
 *      lock               held by whoever changes any of this
 */
#ifndef MUSUBI_FOLDER_H
#define MUSUBI_FOLDER_H

#include "process.h"

#include <jansson.h>

#define FOLDER_WHY_BYTES   512
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
    bool full; /* one could not be added */
} folder_t;

/*  Opens the folder, making it when asked to, and takes its lock; reads the members, whose
 * processes of an earlier boot are forgotten. False with why. Ended by folder_close in either case.
 */
bool folder_open (folder_t *self, const char *path, bool make, char why [FOLDER_WHY_BYTES]);
void folder_close (folder_t *self);

/*  Keeps the members as they are now, all or nothing. False with errno. */
bool folder_save (const folder_t *self);

/*  Adds a member with two free ports of loopback; NULL when there are none or too many members, and
 *  from then on. */
folder_process_t *folder_add (folder_t *self, const char *kind, const char *name);

/*  The one of that kind and name, or NULL. */
folder_process_t *folder_find (const folder_t *self, const char *kind, const char *name);
size_t folder_count (const folder_t *self, const char *kind);

/*  "PATH/log/lis-amsterdam.log" from "log/", ".log". Malloc'ed. */
char *folder_member_file (const folder_t *self, const folder_process_t *member, const char *before,
                          const char *after);
/*  "PATH/gis". Malloc'ed. */
char *folder_file (const folder_t *self, const char *name);

/*  [{"kind", "name", "pid", "endpoint", "events"}…], new; as kept in the folder each with "started",
 *  too. */
json_t *folder_members (const folder_t *self, bool kept);

/*  Endpoints of the directories, comma-separated, without one member's own. Malloc'ed. */
char *folder_directories (const folder_t *self, const folder_process_t *but);

#endif
