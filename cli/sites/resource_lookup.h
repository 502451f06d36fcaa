/*  resource_lookup - finds what sites and domains offer by the names that users write: a site
 *  "kyoto", a link "N/n8-x1", a storage node "kyoto/disk-1".
 */
#ifndef MUSUBI_RESOURCE_LOOKUP_H
#define MUSUBI_RESOURCE_LOOKUP_H

#include "session.h"
#include "table.h"

/*  The attributes of proto as {"os": "linux"}, new; and as "os=linux arch=x86_64". */
json_t *attributes_form (const json_t *attributes);
const char *cell_attributes (const json_t *form, const char *key, char text [CELL_BYTES]);

/*  Does a site or domain with this description disclose only whether given windows fit? */
bool offer_windows_only (const json_t *description);

/*  One site, one link of a domain, one storage node of a site, or all of them. */
typedef struct {
    const json_t *entry;                /* the service's */
    const json_t *link;                 /* or storage node; NULL for a site, or all its storage */
    char name [2 * NAME_BYTES_MAX + 2]; /* "kyoto", "N/n8-x1", "kyoto/disk-1", "kyoto/storage" */
} resource_entry_t;

/*  What is counted of it ("CPUs", "Mbit/s", "MiB"), and its service's description. */
const char *offer_unit (const resource_entry_t *self);
const json_t *offer_description (const resource_entry_t *self);

/*  Finds it by the name that a user wrote; "lis/kyoto", "nis/N/n8-x1" and "replica/kyoto/disk-1"
 *  are right, too. Asks the directories again before it says that there is none. False after saying
 *  what is wrong and what there is, with the exit code. */
bool offer_find (session_t *session, const char *command, const char *text, resource_entry_t *offer,
                 int *code);

/*  If there is no such site, says so, and lists the sites, those with a similar name first. */
void offer_sites_near (const session_t *session, const char *name);

#endif
