/*  derive - the needs that a planner makes of the data and space needs of a request, so that they
 *  are placed, timed and weighed like the others (SPEC 60).
 *
 *  Behind the user's needs, whose indexes stay, there follow: for a space need, and for each
 *  storage node that a data need wants, a compute need of kind DERIVED_STORAGE, with as many "CPUs"
 *  as the MiB it takes; for a circuit, one of kind DERIVED_SOURCE for the site that has the file,
 *  and a network need from there. A derived request has at most NEEDS_MAX and NETWORK_NEEDS_MAX
 *  needs, as request_data.c has checked. It stays in the planner.
 */
#ifndef MUSUBI_DERIVE_H
#define MUSUBI_DERIVE_H

#include "request.h"

/*  A new request, which is ended with user_request_clear and free; NULL when nothing is to be
 *  derived. Sizes and digests of files must have been looked up. */
user_request_t *request_derive (const user_request_t *request, const staging_terms_t *terms);

/*  How long it takes until so many bytes are there, ms: the start of a transfer, and the bytes at
 *  this rate less its margin; with a rate of 0 (not measured) at the default one. */
int64_t staging_ms (const staging_terms_t *terms, uint64_t size, uint64_t bytes_per_s);

/*  The same on a circuit of its own, which is nearly all used. */
int64_t staging_circuit_ms (const staging_terms_t *terms, uint64_t size, uint32_t mbps);

#endif
