/*  readmission_wire - what homes keep of a participant's promises, as plain values
 *  (Home.Allocations of proto/gis.proto, and the answers in it).
 */
#ifndef MUSUBI_READMISSION_WIRE_H
#define MUSUBI_READMISSION_WIRE_H

#include "answer.h"
#include "domain.h"
#include "transaction.h"

/*  after: the next of the page before; not set = from the first one. */
typedef struct {
    char participant [NAME_BYTES_MAX + 1];
    bool after_set;
    uint8_t after [TXID_BYTES];
} allocations_question_t;
extern const codec_t allocations_question_codec;

typedef struct {
    packed_t plan; /* packed, as it came; it was checked */
    packed_t answer;
    bool decided;
    bool amended;
} allocation_t;
extern const codec_t allocation_codec;

/*  A page; the last one has no next. */
typedef struct {
    allocation_t *list;
    size_t count;
    bool next_set;
    uint8_t next [TXID_BYTES];
} allocations_page_t;
extern const codec_t allocations_page_codec;

/*  What the answer books at this site, in its storage, or on the links of this domain, as a packed
 *  part; size 0 = nothing. False with why when it is of a class or on a link that is no more. Names
 *  are those in answers: "ams", "N". */
bool allocated_at_site (const answer_t *answer, const char *name, const site_t *site,
                        packed_t *part, char why [WHY_BYTES]);
bool allocated_in_storage (const answer_t *answer, const char *site, packed_t *part);
bool allocated_in_domain (const answer_t *answer, const char *name, const domain_t *domain,
                          packed_t *part, char why [WHY_BYTES]);

#endif
