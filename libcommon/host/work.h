/*  work - slow jobs, on a few worker threads beside the loop.
 *
 *  More jobs than there are workers wait in line. A worker's thread has the loop's signals
 *  blocked; a process it spawns must set its own mask (posix_spawnattr_setsigmask).
 */
#ifndef MUSUBI_WORK_H
#define MUSUBI_WORK_H

#include "core.h"
#include "host.h"
#include "poll_set.h"

#define WORKERS         2    /* unless told otherwise */
#define WORKERS_MAX     65   /* a thread each */
#define WORK_END_MS_MAX 1000 /* that an end waits for a job; then the process ends with it */

typedef struct work work_t;

/*  The first thread is made here if there are kinds, others when needed; their ports carry
 * port_kind. The kinds are borrowed for life. NULL when the machine has no descriptors, or threads,
 *  for it. */
work_t *work_new (poll_set_t *ports, int port_kind, const work_kind_t *kinds, size_t kinds_count,
                  size_t workers);

/*  False when a job has not ended within WORK_END_MS_MAX: it keeps its thread and its memory, and
 *  the process must end with _exit, which ends them. */
bool work_destroy (work_t **self_p);

/*  One job, here and now: a result as run gives it. */
bool work_do (const work_kind_t *kind, bytes_t arguments, uint8_t **result, size_t *result_size);

/*  effect->kind must be EFFECT_WORK. */
void work_start (work_t *self, const effect_t *effect);

/*  Reads a ready port. True with the EVENT_WORK of a job that has ended, which lives until the next
 *  work_receive; false when there is none: ask poll_set_ready again. */
bool work_receive (work_t *self, polled_t *port, event_t *event);

#endif
