/*  overlap - walks the runs of one machine in the order of the queue. */
#include "overlap.h"

#include <stdlib.h>

static int overlap_by_order (const void *one, const void *other)
{
    const overlap_run_t *a = one, *b = other;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return run_id_compare (&a->id, &b->id);
}

static void overlap_sort (overlap_run_t *runs, size_t count)
{
    if (count > 0)
        qsort (runs, count, sizeof *runs, overlap_by_order);
    for (size_t i = 0; i < count; i++)
        runs [i].picked = false;
}

bool overlap_clash (overlap_run_t *runs, size_t count, const overlap_run_t *comes,
                    uint32_t cpus_free)
{
    size_t first = count;
    overlap_sort (runs, count);
    while (cpus_free < comes->cpus && first > 0 && overlap_by_order (comes, &runs [first - 1]) < 0)
        cpus_free += runs [--first].cpus;
    if (cpus_free < comes->cpus)
        return false;
    for (size_t i = first; i < count; i++)
        runs [i].picked = !runs [i].suspended;
    return true;
}

void overlap_resume (overlap_run_t *runs, size_t count, uint32_t cpus_free)
{
    overlap_sort (runs, count);
    for (size_t i = 0; i < count; i++) {
        runs [i].picked = runs [i].suspended && runs [i].cpus <= cpus_free;
        cpus_free -= runs [i].picked ? runs [i].cpus : 0;
    }
}
