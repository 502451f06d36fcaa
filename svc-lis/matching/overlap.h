/*  overlap - which runs of a machine make way for one whose inputs have come, and which go on later
 *  (SPEC 30, 38: transfer beside computation; on a clash the lower priority is suspended).
 *
 *  A data-bound task begins with a transfer and takes no CPUs meanwhile; tasks behind it compute on
 *  them. When its inputs are there it has a right to CPUs before all that come after it in the
 *  queue: as many of these are suspended as are needed, the last ones first. They go on in the
 *  order of the queue, none before another that waits. So it is known from the beginning when each
 *  will be over at the latest, as runs that end early make the others no later; and one is
 *  suspended only where that fits before what has the machine next. Plain values, pure.
 */
#ifndef MUSUBI_OVERLAP_H
#define MUSUBI_OVERLAP_H

#include "runs.h"

typedef struct {
    run_id_t id;
    int32_t priority; /* higher first, then who came first */
    uint32_t cpus;    /* that it has now */
    uint32_t width;   /* that it runs on */
    bool booked;      /* its machine is in the calendar for it */
    bool suspended;   /* or told to be */
    bool stays;       /* it does not make way */
    int64_t until_ms; /* it is over by then, if nothing makes it wait */
    int64_t left_ms;  /* of its limit, when it stands still */
    bool picked;      /* answer */
    int64_t ends_ms;  /* answer: when one that is suspended then is over */
} overlap_run_t;

typedef enum {
    OVERLAP_GOES,   /* it gets its CPUs, now or when those that make way have stopped */
    OVERLAP_WAITS,  /* it comes before too few */
    OVERLAP_LEAVES, /* enough come after it, but their rest would not fit */
} overlap_answer_t;

/*  Can it be over as late as its ends_ms? */
typedef bool overlap_fits_fn (void *owner, const overlap_run_t *run);

/*  Sorts the runs as the queue has them, and picks those that are to be suspended so that the one
 *  that comes has its CPUs until its until_ms, beside those that are free and those of others that
 *  are told already. Otherwise none is picked. */
overlap_answer_t overlap_clash (overlap_run_t *runs, size_t count, const overlap_run_t *comes,
                                uint32_t cpus_free, overlap_fits_fn *fits, void *owner);

/*  Sorts them too, and picks the suspended ones that go on: the first ones, as far as there is
 *  room. */
void overlap_resume (overlap_run_t *runs, size_t count, uint32_t cpus_free);

#endif
