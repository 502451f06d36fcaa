/*  storage - the agent of a storage node: it asks its site's svc-replica what is wanted of its
 *  files, and does it (proto/chain.proto).
 *
 *  The site's plan names its feeders, nearest first. When its feeder dies or falls silent, it asks
 *  that one and the next two on fresh connections, and goes on at once at the nearest that answers.
 *  The site is told, and makes a new plan.
 *
 *  Its files lie in folder/files under their names, with "%2F" for a slash; what is still arriving
 *  lies in folder/parts. Folder and store belong to one agent. Pure.
 */
#ifndef MUSUBI_STORAGE_H
#define MUSUBI_STORAGE_H

#include "core.h"
#include "states.h"

#define STORAGE_GUEST_PART "part"
extern const state_table_t receipt_states; /* of a transfer that is wanted of it */

typedef struct {
    const char *name;         /* of the node in its site */
    const char *const *sites; /* endpoints of its svc-replica */
    size_t sites_count;
    const char *folder; /* absolute */
    uint64_t bytes_max; /* that its files may take, */
    uint64_t room;   /* if their file system had so many for them at the start; 0 = it has them */
    int64_t look_ms; /* between two looks at that room and those files; 0 = none */
    bool guest;      /* a client's end, not one of the site's nodes */
    int64_t arrivals_ms; /* what was left to become a file and is not asked for is removed after
                            that; 0 = never */

    /*  Of a guest: the file that it gives, with its path; or the file that it takes, with the path
     *  that it gets when it is verified. NULL = none. Until then what has come of it is
     *  folder/parts/STORAGE_GUEST_PART, which goes on where an earlier guest has ended. */
    const char *gives_file;
    const char *gives_path;
    const char *takes_file;
    const char *takes_path;
} storage_settings_t;

/*  Strings are borrowed for life; sites are copied. */
void storage_core (const storage_settings_t *settings, core_t *core);

#endif
