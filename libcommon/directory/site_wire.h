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
void site_put (Musubi__SiteDescription *to, const site_t *from);
void site_put_end (Musubi__SiteDescription *wire);

/*  Into the message's repeated field, in one piece of memory: end it with free. */
Musubi__Attribute **attributes_put (attribute_t *from, size_t count);

/*  On true the site is the caller's: site_clear. On false why names the field. */
bool site_take (site_t *to, const Musubi__SiteDescription *from, char why [WHY_BYTES]);

/*  field is of what has the attribute. */
bool attribute_take (attribute_t *to, const Musubi__Attribute *from, const char *field,
                     char why [WHY_BYTES]);

bool requirement_take (requirement_t *to, const Musubi__Requirement *from, const char *field,
                       char why [WHY_BYTES]);

#endif
