/*  shared - bags whose tasks may be shared, and the coalition that shares them, as benches request
 *  them.
 */
#ifndef MUSUBI_BENCH_SHARED_H
#define MUSUBI_BENCH_SHARED_H

#include "transaction.h"

/*  The body of Sharing.Join; the caller frees it, as all bodies here. */
packed_t join_encode (const char *balancer, double level_s);

/*  How many members a coalition has, from the answer of Balancer.Status. */
size_t coalition_size (bytes_t answer);

/*  The body of Submit: this many tasks of one CPU that sleep; limit_ms is a task's limit. */
packed_t submit_sleep_encode (uint32_t count, int64_t sleep_ms, int64_t limit_ms, bool shared);

/*  The body of Queue.Bags for bags that are not over; and how many the answer lists. */
packed_t bags_encode (void);
size_t bags_told (bytes_t answer);

/*  The body of Queue.Tasks, from an index on. *ended_ms is raised to the last end that the answer
 *  tells; next is where to continue, 0 when these were all. A task that did not end by itself makes
 *  this end the program. */
packed_t tasks_encode (uint64_t bag, uint32_t from);
uint32_t tasks_ended (bytes_t answer, uint32_t from, int64_t *ended_ms);

#endif
