/*  replay - musubi-sim replay: one schedule, a line a step. */
#include "faults.h"

#include <inttypes.h>
#include <string.h>

int replay_run (uint64_t seed, const faults_order_t *order)
{
    static sim_tally_t tally;
    memset (&tally, 0, sizeof tally);
    char why [LONG_WHY_BYTES];
    bool held = faults_schedule_run (seed, order, &tally, stdout, why);
    if (held)
        printf ("\nseed %" PRIu64 ": every check held\n", seed);
    else
        printf ("\nseed %" PRIu64 ": FAILED: %s\n", seed, why);
    return held ? 0 : 1;
}
