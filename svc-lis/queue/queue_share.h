/*  queue_share - what sharing may see of the queue, and do to its bags.
 */
#ifndef MUSUBI_QUEUE_SHARE_H
#define MUSUBI_QUEUE_SHARE_H

#include "queue.h"
#include "queue_wire.h"

const queue_parts_t *queue_parts (const queue_t *self);
const queue_limits_t *queue_limits (const queue_t *self);
bags_t *queue_bags (const queue_t *self);
int64_t queue_now_ms (const queue_t *self, const moment_t *now);

/*  CPUs times wall time of its tasks that have ended, since this start. */
int64_t queue_done_ms (const queue_t *self);

/*  Input bytes of the next task of a bag that waits, as far as their sizes are known, and what of
 *  them no node has. */
double queue_input (const queue_t *self, const bag_t *bag, double *missing);

/*  CPUs that tasks without a reservation could have now. */
double queue_cpus (const queue_t *self);

/*  Asks for a pass at the end of this step. */
void queue_soon (queue_t *self);

/*  Lists a bag that has changed, and sees whether it is over. */
void queue_settle (queue_t *self, const moment_t *now, bag_t *bag);

/*  Ends a task's run; why is told with its end. */
void queue_stop_task (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index, stop_t stop,
                      const char *why);

/*  CALL_OK if a node here could run its tasks, otherwise why not. */
call_status_t queue_class_check (const queue_t *self, const submission_t *asked,
                                 char why [WHY_BYTES]);

/*  CALL_OK if the owner may have one more bag, otherwise why not. */
call_status_t queue_limits_check (const queue_t *self, const moment_t *now, const char *owner,
                                  char why [WHY_BYTES]);

/*  Answers with output that a task has written here. */
void queue_output (queue_t *self, const moment_t *now, const request_t *request, const bag_t *bag,
                   const output_question_t *question);

void queue_put_bag (queue_t *self, const bag_t *bag);
void queue_put_task (queue_t *self, const bag_t *bag, uint32_t index);

#endif
