/*  checks - walk the invariants of a room's private state; abort when one is broken. */
#ifndef MUSUBI_CHECKS_H
#define MUSUBI_CHECKS_H

#include "core.h"

struct nodes;
struct openings;
struct participant;
struct queue;
struct sharing;

void nodes_check (const struct nodes *self);
void openings_check (const struct openings *self);
void participant_check (const struct participant *self);
void queue_check (const struct queue *self);
void sharing_check (const struct sharing *self);

/*  All invariants of a LIS with the back end runner. */
void site_check (const core_t *core);

/*  All invariants of a NIS. */
void domain_core_check (const core_t *core);

#endif
