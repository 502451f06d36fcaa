/*  readmission_wire - what homes keep of a participant's promises, as plain values
 * (Home.Allocations of proto/gis.proto, and the answers in it).
 */
#ifndef MUSUBI_READMISSION_WIRE_H
#define MUSUBI_READMISSION_WIRE_H

#include "domain.h"
#include "transaction.h"

/*  after: of the page before; size 0 = from the first one. */
packed_t allocations_question_encode (const char *participant, bytes_t after);

typedef struct {
    plan_t plan;
    packed_t packed; /* the plan, as it came */
    packed_t answer;
    bool decided;
    bool amended;
} allocation_t;

void allocation_clear (allocation_t *self);

/*  A page. next is empty at the end. The caller owns list and next: allocations_clear. */
typedef struct {
    allocation_t *list;
    size_t count;
    packed_t next;
} allocations_t;

bool allocations_decode (allocations_t *self, bytes_t body, char why [WHY_BYTES]);
void allocations_clear (allocations_t *self);

/*  What an answer tells of its reservation; committed false: it does not stand, or not as asked. */
bool allocated_read (bytes_t answer, bool *committed, uint32_t *version);

/*  What the answer books at this site, or on the links of this domain, as packed ComputePart or
 *  NetworkPart; size 0 = nothing. False with why when it is of a class that the site does not
 *  have. Names are those in answers: "ams", "N". */
bool allocated_at_site (bytes_t answer, const char *name, const site_t *site, packed_t *part,
                        char why [WHY_BYTES]);
bool allocated_in_domain (bytes_t answer, const char *name, const domain_t *domain, packed_t *part,
                          char why [WHY_BYTES]);

#endif
