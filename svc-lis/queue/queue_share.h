/*  queue_share - the queue for its sharer: what it tells of itself, and what may be done to its
 *  bags.
 */
#ifndef MUSUBI_QUEUE_SHARE_H
#define MUSUBI_QUEUE_SHARE_H

#include "queue.h"
#include "queue_wire.h"

const queue_parts_t *queue_parts (const queue_t *self);
const queue_limits_t *queue_limits (const queue_t *self);
bags_t *queue_bags (const queue_t *self);
int64_t queue_now_ms (const queue_t *self, const moment_t *now);

/*  CPUs times wall time that its tasks have had, in this start. */
int64_t queue_done_ms (const queue_t *self);

/*  CPUs that unreserved work could have now. */
double queue_cpus (const queue_t *self);

/*  There is a pass at the end of this step. */
void queue_soon (queue_t *self);

/*  A bag has changed: list it, and see whether it is over. */
void queue_settle (queue_t *self, const moment_t *now, bag_t *bag);

/*  Its run is to end; why is told with it. */
void queue_stop_task (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index, stop_t stop,
                      const char *why);

/*  Could a node here run its tasks? CALL_OK, or why not. */
call_status_t queue_class_check (const queue_t *self, const submission_t *asked,
                                 char why [WHY_BYTES]);

/*  Is there room for one more bag of this owner's? */
call_status_t queue_limits_check (const queue_t *self, const moment_t *now, const char *owner,
                                  char why [WHY_BYTES]);

/*  Answers the request with what a task has written here. */
void queue_output (queue_t *self, const moment_t *now, const request_t *request, const bag_t *bag,
                   const output_question_t *question);

void queue_put_bag (queue_t *self, const bag_t *bag);
void queue_put_task (queue_t *self, const bag_t *bag, uint32_t index);

#endif
