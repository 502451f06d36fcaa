/*  submit - a task for a reservation or the queue, and the task's output, as benches request them.
 */
#ifndef MUSUBI_BENCH_SUBMIT_H
#define MUSUBI_BENCH_SUBMIT_H

#include "transaction.h"

/*  The body of Submit: `date +%s%N`, on one CPU for a minute at most; reservation "" = the queue.
 *  The caller frees it. */
packed_t submit_date_encode (const char *reservation);

/*  The bag that the answer names. */
uint64_t submitted_bag (bytes_t answer);

/*  The body of Output, for a bag's only task. */
packed_t output_encode (uint64_t bag);

/*  What the task wrote: milliseconds since the epoch, by the clock of its node; 0 = nothing yet. */
double output_date_ms (bytes_t answer);

#endif
