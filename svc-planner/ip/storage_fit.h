/*  storage_fit - the data and space of one compute need on the storage nodes of one site, at one
 *  start (SPEC 60: where data is, as a constraint and as a cost).
 *
 *  In the integer program of a start each storage need has a variable for each storage node, at
 *  most 1 where the compute need is, and the nodes' free MiB bound their sums. As each compute need
 *  has a site of its own, compute needs share no storage node. So these variables can be decided
 *  for each need and site by themselves, and what is left for the program is whether the need can
 *  be there, and at what cost. Pure.
 */
#ifndef MUSUBI_STORAGE_FIT_H
#define MUSUBI_STORAGE_FIT_H

#include "search_order.h"

typedef struct {
    const snapshot_t *snapshot;
    const search_order_t *search; /* its start times are not used */
    uint32_t visible;             /* percent of what is free that may be used (C) */
    int64_t start_ms;
} storage_question_t;

/*  Places the storage needs of a compute need at a site (site_class_t.site). True with choice
 *  [need] set to the option of each of them, and *ahead_ms to the sum of their times ahead, the
 *  least there is unless that takes too many steps; false when they don't fit there. choice is as
 *  long as the snapshot's list of needs; its other elements stay. */
bool storage_fit (const storage_question_t *question, size_t need, size_t site, size_t *choice,
                  int64_t *ahead_ms);

/*  Is there room for a storage need at this option, beside those needs that come before it and are
 *  at one site with it? */
bool storage_fits_beside (const storage_question_t *question, size_t need, const size_t *choice);

#endif
