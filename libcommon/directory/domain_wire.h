/*  domain_wire - a network domain's description in and out of the generated structs of
 * proto/gis.proto. Included by _wire files only; putting and taking as in transaction_wire.h.
 */
#ifndef MUSUBI_DOMAIN_WIRE_H
#define MUSUBI_DOMAIN_WIRE_H

#include "domain.h"
#include "transaction.h"

#include "gis.pb-c.h"

/*  A description with the lists it points to. It borrows its text from the domain it was filled
 *  from; domain_put_end frees the rest. */
void domain_put (Musubi__DomainDescription *to, const domain_t *from);
void domain_put_end (Musubi__DomainDescription *wire);

/*  name is the domain's ("N"), which its routers bear. On true the domain is the caller's, and
 *  domain_check is content with it: domain_clear. On false why names the field, vertex or link. */
bool domain_take (domain_t *to, const Musubi__DomainDescription *from, const char *name,
                  char why [WHY_BYTES]);

/*  Latency as it travels, in whole microseconds. False when it is not a number in 0 to
 *  LATENCY_US_MAX for each of hops. */
bool latency_take (int64_t *latency_us, double latency_ms, uint32_t hops);

#endif
