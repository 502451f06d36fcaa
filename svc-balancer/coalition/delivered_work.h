/*  delivered_work - does a member do as much work as its CPUs could?
 *
 *  Between two steps in both of which tasks waited, all CPUs should have worked. The work done is
 *  what the site says of tasks that have ended, plus what running tasks have behind them. A new
 *  start of the site's store, or a queue that ran empty, begins the count anew.
 */
#ifndef MUSUBI_DELIVERED_WORK_H
#define MUSUBI_DELIVERED_WORK_H

#include "coalition.h"

/*  Takes what the member has told in this step. Returns the work done since the step before; 0 when
 *  that is not known. */
double delivered_work_see (delivered_work_t *self, const member_queue_t *queue, int64_t mono_ms);

/*  Has it done less than this share of what it could, over at least so many steps? */
bool delivered_work_short (const delivered_work_t *self, uint32_t steps, double least);

#endif
