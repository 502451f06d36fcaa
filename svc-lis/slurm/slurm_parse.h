/*  slurm_parse - what Slurm's commands write (22.05: scontrol -o, squeue -o, sinfo -o). Pure. */
#ifndef MUSUBI_SLURM_PARSE_H
#define MUSUBI_SLURM_PARSE_H

#include "batch_system.h"
#include "name_list.h"
#include <stddef.h>
#include <stdint.h>

/*  When a reservation of Slurm holds again. When a time of it has ended, slurmctld moves its start
 *  and its end by hours or days, by the clock on the wall of its zone. So does this, in our
 *  process's (TZ), which should be the same. Where a clock is put forward or back, and Slurm may go
 *  two ways, its times cover both. Reads no clock. */
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

/*  The first so many times (> 0) of one that recurs after [from_ms, until_ms), from and until of
 *  each; the last one has no end. */
void slurm_repeat_times (slurm_repeat_t repeat, int64_t from_ms, int64_t until_ms,
                         int64_t *again_ms, size_t times);

#define SLURM_TIME_BYTES 24

/*  The comment of a run's job that made way for a reservation. */
#define SLURM_MADE_WAY "a reservation needs its node"

/*  A job that may be run again, by "Requeue:,BatchFlag:|" of squeue: of srun and salloc none
 *  may. */
#define SLURM_AGAIN "11"

/*  A reservation: borrows from the line that it was read from, but for its nodes. */
typedef struct {
    const char *name;
    const char *users;
    const char *accounts; /* "(null)" = any */
    const char *partition;
    int64_t from_ms;
    int64_t until_ms;
    slurm_repeat_t repeat;
    bool active;
    bool overlaps;               /* others may be over it, and it over others */
    name_list_t nodes;           /* sorted */
    bool times_read, nodes_read; /* false: they could not be, and are not known */
} slurm_reservation_t;

/*  A line of "scontrol -o show reservation", cut at its spaces; false when it is none. Anybody's
 *  words in its comment are not read. Without known times, and when it floats over every moment to
 *  come, it is for ever. Clear its nodes with name_list_clear. */
bool slurm_reservation_read (char *line, slurm_reservation_t *reservation);

/*  Adds the nodes of "n[1-3,07],m2" or "r[1-2]n[1-4]", in its order. False when it can't be
 *  read. */
bool slurm_nodes_read (const char *list, name_list_t *nodes);
void slurm_nodes_sort (name_list_t *nodes);

/*  "2026-11-23T21:45:40" in UTC; false when it is no time, as "Unknown". */
bool slurm_time_read (const char *text, int64_t *ms);

/*  The first whole second that is not before ms. */
const char *slurm_time_text (int64_t ms, char text [SLURM_TIME_BYTES]);
int64_t slurm_time_whole (int64_t ms);

/*  "1-02:30:00", "30:00" or "00:01.250"; false, and *ms is left, when it is none, as "infinite". */
bool slurm_span_read (const char *text, int64_t *ms);

/*  Of "gpu:a100:2(S:0-1),nvme:1": the GPUs of the type of which there are most. */
void slurm_gpus_read (const char *gres, batch_node_t *node);

batch_job_state_t slurm_job_state (const char *word);

/*  Sets up and drained by "idle", "down*", "mixed", …: a state that is not known counts as drained,
 *  for a node that gets nothing new and may still run what it has. */
void slurm_node_state (const char *state, batch_node_t *node);

/*  Is that what sbatch says of a partition, or of its nodes, whose state may end? */
bool slurm_refused_for_now (const char *why);

#endif
