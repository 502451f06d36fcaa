/*  storage - the agent of a storage node: attends its site's svc-replica and carries out what that
 *  wants of its files (proto/chain.proto).
 *
 *  It knows whom to be fed by from the site's plan, nearest first. When its feeder dies or falls
 *  silent it asks that one and the next two on fresh connections and goes on at the nearest that
 *  answers, at once and by itself; the site hears of it and plans anew.
 *
 *  Files lie in folder/files under their names, with "%2F" for a slash; what is under way in
 *  folder/parts. The folder and the store belong to one agent. Pure.
 */
#ifndef MUSUBI_STORAGE_H
#define MUSUBI_STORAGE_H

#include "core.h"

typedef struct {
    const char *name;         /* of the node in its site */
    const char *const *sites; /* endpoints of its svc-replica */
    size_t sites_count;
    const char *folder; /* absolute */
    uint64_t bytes_max; /* that its files may use */
    bool guest;         /* a client's end, not one of the site's nodes */

    /*  Of a guest: a file that it has (gives), or the path where what it receives goes (takes).
     *  NULL = none. */
    const char *gives_file;
    const char *gives_path;
    const char *takes_file;
    const char *takes_path;
} storage_settings_t;

/*  Strings are borrowed for life; sites are copied. */
void storage_core (const storage_settings_t *settings, core_t *core);

#endif
