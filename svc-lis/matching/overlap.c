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

static bool overlap_waits (const overlap_run_t *run)
{
    return run->suspended || run->picked;
}

/*  Those that wait go on behind the one that comes if there is room for all then; otherwise behind
 *  all that runs, together if that is enough, or one after the other. */
static void overlap_plan (overlap_run_t *runs, size_t count, const overlap_run_t *comes,
                          uint32_t cpus)
{
    uint32_t width = 0;
    int64_t at_ms = comes->until_ms;
    for (size_t i = 0; i < count; i++)
        width += overlap_waits (&runs [i]) ? runs [i].width : 0;
    for (size_t i = 0, all = cpus < width ? count : 0; i < all; i++) {
        if (overlap_waits (&runs [i]) || runs [i].cpus == 0)
            continue;
        cpus += runs [i].cpus;
        at_ms = runs [i].until_ms > at_ms ? runs [i].until_ms : at_ms;
    }
    for (size_t i = 0; i < count; i++) {
        if (!overlap_waits (&runs [i]))
            continue;
        runs [i].ends_ms = at_ms + runs [i].left_ms;
        at_ms = cpus < width ? runs [i].ends_ms : at_ms;
    }
}

/*  Picks as many as are needed, the last ones first. Returns how many CPUs there are then. */
static uint32_t overlap_pick (overlap_run_t *runs, size_t count, const overlap_run_t *comes,
                              uint32_t cpus)
{
    overlap_sort (runs, count);
    for (size_t i = 0; i < count; i++)
        cpus += runs [i].suspended ? runs [i].cpus : 0;
    for (size_t i = count; i > 0 && cpus < comes->width; i--) {
        overlap_run_t *run = &runs [i - 1];
        run->picked = overlap_by_order (comes, run) < 0 && !run->suspended && !run->stays;
        cpus += run->picked ? run->cpus : 0;
    }
    return cpus;
}

/*  Of those that wait, how many can't be so late? They don't make way next time. */
static size_t overlap_stay (overlap_run_t *runs, size_t count, overlap_fits_fn *fits, void *owner)
{
    size_t stay = 0;
    for (size_t i = 0; i < count; i++)
        if (overlap_waits (&runs [i]) && !fits (owner, &runs [i])) {
            runs [i].stays = true;
            stay++;
        }
    return stay;
}

overlap_answer_t overlap_clash (overlap_run_t *runs, size_t count, const overlap_run_t *comes,
                                uint32_t cpus_free, overlap_fits_fn *fits, void *owner)
{
    overlap_answer_t answer = OVERLAP_WAITS;
    for (;;) {
        uint32_t cpus = overlap_pick (runs, count, comes, cpus_free);
        bool can = cpus >= comes->width;
        for (size_t i = 0; i < count; i++)
            can &=
              !runs [i].suspended || (overlap_by_order (comes, &runs [i]) < 0 && !runs [i].stays);
        if (!can) {
            overlap_sort (runs, count);
            return answer;
        }
        overlap_plan (runs, count, comes, cpus);
        if (overlap_stay (runs, count, fits, owner) == 0)
            return OVERLAP_GOES;
        answer = OVERLAP_LEAVES;
    }
}

void overlap_resume (overlap_run_t *runs, size_t count, uint32_t cpus_free)
{
    overlap_sort (runs, count);
    for (size_t i = 0; i < count; i++) {
        if (!runs [i].suspended)
            continue;
        if (runs [i].width > cpus_free + runs [i].cpus)
            return;
        runs [i].picked = true;
        cpus_free -= runs [i].width - runs [i].cpus;
    }
}
