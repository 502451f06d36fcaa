/*  delivered_work - is a member's work what its CPUs say?
 *
 *  Between two steps in both of which tasks waited, as much should have been done as there are
 *  CPUs. What has been done is what a site says of tasks that have ended, and the part of those
 *  that run that they have behind them. A start of its store, or a queue that drained, begins anew.
 */
#ifndef MUSUBI_DELIVERED_WORK_H
#define MUSUBI_DELIVERED_WORK_H

#include "coalition.h"

/*  What it has told in this step. Returns the work done since the step before, 0 when that is not
 *  known. */
double delivered_work_see (diligence_t *self, const member_queue_t *told, int64_t mono_ms);

/*  Has it done less than so much of what it could, over so many steps? */
bool delivered_work_short (const diligence_t *self, uint32_t steps, double least);

#endif
