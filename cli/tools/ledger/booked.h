/*  booked - how much of a resource is booked, over time, as both judges count it: that of the
 *  ledgers, and that of the records.
 *
 *  What a part books becomes spans. Of two versions of a reservation the larger counts at every
 *  instant (T11), each with the gap behind its bookings. Levels sum up what is counted. Plain on
 *  purpose: it is to judge the calendar and shares nothing with it. Pure. */
#ifndef MUSUBI_BOOKED_H
#define MUSUBI_BOOKED_H

#include "transaction.h"

/*  So much of a resource over [from, until). */
typedef struct {
    size_t resource; /* its number, as the judge counts */
    int64_t from_ms;
    int64_t until_ms;
    int64_t quantity;
    int64_t kept; /* of it goes on for the same need when it ends: that has no gap behind it */
} booked_span_t;

typedef struct {
    booked_span_t *list;
    size_t count;
    size_t room;
} booked_spans_t;

void booked_span_add (booked_spans_t *self, booked_span_t span);

/*  What the judge knows of resources. */
typedef struct {
    /*  The number of that name; SIZE_MAX = passed over. */
    size_t (*number) (void *owner, const char *name, bool is_link);
    int64_t (*gap_ms) (void *owner, size_t resource);
    void *owner;
} booked_resources_t;

/*  Adds what a part books; two of the three are empty. */
void booked_take (booked_spans_t *self, const booked_resources_t *resources, compute_part_t compute,
                  network_part_t network, space_part_t space);

/*  Visits every interval over which both sums stay the same, unless both are zero: by resource,
 *  then ascending. resources NULL = without gaps. */
typedef void booked_visit_fn (void *owner, size_t resource, int64_t from_ms, int64_t until_ms,
                              const int64_t sums [2]);
void booked_pair (const booked_spans_t *first, const booked_spans_t *second,
                  const booked_resources_t *resources, booked_visit_fn *visit, void *owner);

/*  Adds the larger of both at every instant, gaps included. */
void booked_larger (booked_spans_t *self, const booked_spans_t *first, const booked_spans_t *second,
                    const booked_resources_t *resources);

/*  --- levels: a list of instants, each with the sum that holds from there to the next one; before
 *  the first and from the last on it is zero. An addition costs a search, and a move of what comes
 *  behind --- */

typedef struct {
    int64_t from_ms;
    int64_t sum; /* up to the next one */
} level_t;

typedef struct {
    level_t *list; /* ascending, neighbours differ; the last sum is zero */
    size_t count;
    size_t room;
} levels_t;

void levels_clear (levels_t *self);

/*  Adds change, which may be negative, over [from, until). */
void levels_add (levels_t *self, int64_t from_ms, int64_t until_ms, int64_t change);

int64_t levels_at (const levels_t *self, int64_t at_ms);

/*  The greatest sum in [from, until), and where it first is. */
int64_t levels_greatest (const levels_t *self, int64_t from_ms, int64_t until_ms, int64_t *at_ms);

/*  The first instant after this one at which the sum changes; INT64_MAX when there is none. */
int64_t levels_next (const levels_t *self, int64_t after_ms);

#endif
