/*  resource_lookup - what sites and domains offer, looked up among a directory's entries by the names that
 *  users write: a site "kyoto", a link "N/n8-x1".
 */
#ifndef MUSUBI_RESOURCE_LOOKUP_H
#define MUSUBI_RESOURCE_LOOKUP_H

#include "session.h"
#include "table.h"

/*  proto's attributes as {"os": "linux"}, new; and as "os=linux arch=x86_64". */
json_t *attributes_form (const json_t *attributes);
const char *cell_attributes (const json_t *form, const char *key, char text [CELL_BYTES]);

/*  Does it tell only whether given windows fit? Of a site's or domain's description. */
bool offer_windows_only (const json_t *description);

/*  One site, or one link of a domain. */
typedef struct {
    const json_t *entry;                /* the service's */
    const json_t *link;                 /* NULL for a site */
    char name [2 * NAME_BYTES_MAX + 2]; /* "kyoto", "N/n8-x1" */
} resource_entry_t;

/*  Finds it by the name that a user wrote ("lis/kyoto" and "nis/N/n8-x1" will do). Looks at the
 *  directories again before saying that something is not there. False after telling what is wrong
 *  and what there is, with the exit code. */
bool offer_find (session_t *session, const char *command, const char *text, resource_entry_t *offer,
                 int *code);

/*  Where there is no such site: says so, and which there are, those with a name like it first. */
void offer_sites_near (const session_t *session, const char *name);

#endif
