/*  charges - asks the batch system which sections of accounts may charge what they name: at the start, and
 *  every ten watches. One that may not is unfit until it may: its actors get nothing new here, what was
 *  committed is degraded, and an operator is warned. While the batch system is silent what it said last
 *  counts; before it has said anything nothing is known against anybody. Pure.
 */
#ifndef MUSUBI_CHARGES_H
#define MUSUBI_CHARGES_H

#include "openings.h"

typedef struct {
    service_t *service;
    openings_t *openings; /* told of what has changed */
    account_t *accounts;  /* the actors of a section stand together */
    size_t count;
    int64_t watch_ms;
    char
      *told; /* owned: what a work BACK_END_CHARGES has answered before the start; NULL = nothing */
    uint64_t timer;
} charges_t;

/*  The arguments of a work BACK_END_CHARGES about all sections that charge something; the caller frees it. */
packed_t charges_question (const charges_t *self);

/*  Registers its start and its work. self is filled in by the caller, and lives as long as the service. */
void charges_begin (charges_t *self);
void charges_end (charges_t *self);

#endif
