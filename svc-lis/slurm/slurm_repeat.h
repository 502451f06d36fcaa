/*  slurm_repeat - when a reservation of Slurm holds again.
 *
 *  When a time of it has ended, slurmctld moves its start and its end by hours or days, by the clock on
 *  the wall of its zone. So does this, in our process's (TZ), which should be the same. Where a clock is
 *  put forward or back, and Slurm may go two ways, its times cover both. Reads no clock.
 */
#ifndef MUSUBI_SLURM_REPEAT_H
#define MUSUBI_SLURM_REPEAT_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    SLURM_ONCE,
    SLURM_HOURLY,
    SLURM_DAILY,
    SLURM_WEEKDAY,
    SLURM_WEEKEND,
    SLURM_WEEKLY,
    SLURM_FLOATS /* TIME_FLOAT: begins always so long from now */
} slurm_repeat_t;

/*  Of "MAINT,WEEKLY,SPEC_NODES". */
slurm_repeat_t slurm_repeat_read (const char *flags);

/*  The first so many times (> 0) of one that recurs after [from_ms, until_ms), from and until of each;
 *  the last one has no end. */
void slurm_repeat_times (slurm_repeat_t repeat, int64_t from_ms, int64_t until_ms,
                         int64_t *again_ms, size_t times);

#endif
