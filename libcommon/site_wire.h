/*  site_wire - a site's description and a need's requirements in and out of the generated structs
 * of proto/gis.proto. Included by _wire files only; putting and taking as in transaction_wire.h.
 */
#ifndef MUSUBI_SITE_WIRE_H
#define MUSUBI_SITE_WIRE_H

#include "site.h"
#include "transaction.h"

#include "gis.pb-c.h"

/*  A description with the lists it points to. It borrows its text from the site it was filled from;
 *  site_put_end frees the rest. */
typedef struct {
    Musubi__SiteDescription message;
    Musubi__NodeClass *classes;
    Musubi__NodeClass **class_list;
    Musubi__Attribute *attributes;
    Musubi__Attribute **attribute_list;
} site_wire_t;

void site_put (site_wire_t *to, const site_t *from);
void site_put_end (site_wire_t *wire);

/*  On true the site is the caller's: site_clear. On false why names the field. */
bool site_take (site_t *to, const Musubi__SiteDescription *from, char why [WHY_BYTES]);

/*  field is of what has the attribute. */
bool attribute_take (attribute_t *to, const Musubi__Attribute *from, const char *field,
                     char why [WHY_BYTES]);

bool requirement_take (requirement_t *to, const Musubi__Requirement *from, const char *field,
                       char why [WHY_BYTES]);

#endif
