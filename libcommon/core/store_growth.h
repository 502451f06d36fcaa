/*  store_growth - how fast a store fills: what it holds is noted once an hour, for the last day.
 *
 *  Pure. All zero at first.
 */
#ifndef MUSUBI_STORE_GROWTH_H
#define MUSUBI_STORE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GROWTH_DAY_MS   86400000
#define GROWTH_EVERY_MS 3600000
#define GROWTH_NOTES    25 /* from one end of a day to the other */

typedef struct {
    struct {
        int64_t at_ms; /* monotonic */
        uint64_t bytes;
    } notes [GROWTH_NOTES]; /* a ring */
    size_t count;           /* of notes so far, with those that have left it */
} store_growth_t;

/*  Notes the bytes when an hour has passed since the last note. Was it noted? */
bool store_growth_see (store_growth_t *self, int64_t now_ms, uint64_t bytes);

/*  How long the notes span, ms: up to a day, more only if nobody looked for hours. 0 = nothing is
 *  known of its growth yet. */
int64_t store_growth_span_ms (const store_growth_t *self);

/*  Bytes a day, from the oldest note to the last; below 0 = it becomes emptier; 0 = not known. */
int64_t store_growth_a_day (const store_growth_t *self);

#endif
