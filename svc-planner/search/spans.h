/*  spans - the starts at which one option of a need fits alone, and those at which something
 *  becomes free for it: worked out once, in one pass over what is known, then walked through with
 *  ascending starts.
 */
#ifndef MUSUBI_SPANS_H
#define MUSUBI_SPANS_H

#include "supply.h"

/*  Start times [from, until], both ends included. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;
} span_t;

/*  Owns its lists: spans_clear. */
typedef struct {
    span_t *spans; /* ascending */
    size_t spans_count;
    size_t spans_room;
    size_t span_at;   /* first that has not passed */
    int64_t *changes; /* starts worth a look, ascending */
    size_t changes_count;
    size_t changes_room;
    size_t change_at;
} spans_t;

/*  A need at a place: when, counted from the start, it takes how much for how long. */
typedef struct {
    int64_t offset_ms;
    int64_t length_ms; /* cleaning included */
    int64_t quantity;
} stay_t;

void spans_clear (spans_t *self);

/*  Add a span, as far as it lies within. */
void spans_add (spans_t *self, span_t span, span_t within);

/*  Add all starts within at which the stay fits. */
void spans_fill (spans_t *self, const supply_t *supply, const stay_t *stay, span_t within);

/*  Add the beginnings of all spans to the changes; rises: and those starts at which the supply
 *  rises, where there are any spans at all. */
void spans_find_changes (spans_t *self, const supply_t *supply, const stay_t *stay, span_t within,
                         bool rises);

/*  The first change not passed; INT64_MAX when there is none. */
int64_t spans_next_change (const spans_t *self);

/*  Pass everything up to this start. Does the option fit there? */
bool spans_pass (spans_t *self, int64_t start_ms);

#endif
