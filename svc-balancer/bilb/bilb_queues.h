/*  bilb_queues - clusters' queues, balanced where they are.
 *
 *  A queue holds pieces of jobs, head to tail, in the order in which they are done. In its turn a
 *  cluster cuts what it sends from its queue's tail. Each piece of it is split over the receivers
 *  in proportion and appended to their queues, so that nothing that was there is delayed. The head
 *  may be running: the rest of it counts, and may move. A job is complete with its last piece.
 *
 *  Checked at every step: each job keeps its load, each queue its length when it is rebuilt, and no
 *  job ends later than in the queues as they were. Pure; one thread at a time.
 */
#ifndef MUSUBI_BILB_QUEUES_H
#define MUSUBI_BILB_QUEUES_H

#include "bilb.h"
#include "bilb_schedule.h"

typedef struct {
    uint32_t job;
    double load;
} bilb_piece_t;

typedef struct {
    bilb_piece_t *pieces;
    size_t count;
    size_t room;
} bilb_queue_t;

/*  Appends a load above 0; to the last piece, if that is of the same job. */
void bilb_queue_add (bilb_queue_t *queue, uint32_t job, double load);
void bilb_queue_free (bilb_queue_t *queue);

/*  A cluster of the coalition. */
typedef struct {
    double speed;
    double level;
    bilb_queue_t queue;
} bilb_member_t;

typedef struct bilb_queues bilb_queues_t;

bilb_queues_t *bilb_queues_new (void);
void bilb_queues_destroy (bilb_queues_t **self_p);

/*  One step of bilb: moves pieces between the queues. Jobs are numbers below jobs_count. */
void bilb_queues_step (bilb_queues_t *self, bilb_member_t *members, size_t count,
                       size_t jobs_count);

/*  After a step: rebuilds the queues by the extension (bilb_schedule.h). owners: the member that
 *  owns each job. False when rounding would break a promise; the queues then stay as they were. */
bool bilb_queues_reschedule (bilb_queues_t *self, bilb_member_t *members, size_t count,
                             const uint32_t *owners);

/*  When a job that is in a queue will be complete as the queues now are. */
double bilb_queues_completion (const bilb_queues_t *self, uint32_t job);

/*  The step itself; and the slots of the rebuilt schedule, last first, with the queues' job
 *  numbers. */
bilb_t *bilb_queues_bilb (bilb_queues_t *self);
const bilb_slot_t *bilb_queues_slots (const bilb_queues_t *self, size_t *count);

#endif
