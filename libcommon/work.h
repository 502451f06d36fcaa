/*  work - slow things away from the loop: a few worker threads, told and heard by message.
 *
 *  Jobs of more than WORKERS wait in line. A worker's thread has all signals blocked; a process it
 *  spawns must set its own mask (posix_spawnattr_setsigmask).
 */
#ifndef MUSUBI_WORK_H
#define MUSUBI_WORK_H

#include "core.h"
#include "host.h"
#include "ports.h"

#define WORKERS          2
#define WORK_END_MS_MAX  1000 /* that an end waits for a job; then the job ends with the process */
#define WORK_RESULT_NONE "unknown kind of work"

typedef struct work work_t;

/*  Threads are made at the first job. The kinds are borrowed for life. */
work_t *work_new (ports_t *ports, const work_kind_t *kinds, size_t kinds_count);
void work_destroy (work_t **self_p);

/*  effect->kind must be EFFECT_WORK. */
void work_start (work_t *self, const effect_t *effect);

/*  The next job that has ended, as EVENT_WORK, which lives until the next work_receive. Wakes
 *  ports_wait when there is one. */
bool work_receive (work_t *self, event_t *event);

#endif
