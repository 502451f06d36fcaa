/*  overlap - which runs of a machine make way for one whose inputs have come, and which go on later
 *  (SPEC 30, 38: transfer beside computation; on a clash the lower priority is suspended).
 *
 *  A data-bound task begins with a transfer and takes no CPUs meanwhile; tasks behind it compute on
 *  them. When its inputs are there it has a right to CPUs before all that come after it in the
 *  queue: as many of these are suspended as are needed, the last ones first. Plain values, pure.
 */
#ifndef MUSUBI_OVERLAP_H
#define MUSUBI_OVERLAP_H

#include "runs.h"

typedef struct {
    run_id_t id;
    int32_t priority; /* higher first, then who came first */
    uint32_t cpus;
    bool suspended; /* or told to be */
    bool picked;    /* answer */
} overlap_run_t;

/*  Sorts the runs as the queue has them, and picks those that are to be suspended so that the one
 *  that comes has its CPUs, beside those that are free. Those that are suspended already count. False,
 *  with none picked, when all that come after it have not so many. */
bool overlap_clash (overlap_run_t *runs, size_t count, const overlap_run_t *comes,
                    uint32_t cpus_free);

/*  Sorts them too, and picks the suspended ones that have room to go on, the first ones first. */
void overlap_resume (overlap_run_t *runs, size_t count, uint32_t cpus_free);

#endif
