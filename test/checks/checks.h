/*  checks - walk the invariants of what a room keeps to itself; abort on a broken one. */
#ifndef MUSUBI_CHECKS_H
#define MUSUBI_CHECKS_H

#include "core.h"

struct nodes;
struct openings;

void nodes_check (const struct nodes *self);
void openings_check (const struct openings *self);

/*  Both, and the queue, of a LIS with the back end runner. */
void site_check (const core_t *core);

#endif
