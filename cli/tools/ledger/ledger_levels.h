/*  ledger_levels - how much of one resource is booked, over time, as a replay counts it.
 *
 *  A list of instants, each with the sum that holds from there to the next one; before the first
 *  and from the last on it is what the list says, zero where nothing is. Plain on purpose: it is to
 *  judge the calendar and shares nothing with it. An addition costs a search, and a move of what
 *  comes behind.
 */
#ifndef MUSUBI_LEDGER_LEVELS_H
#define MUSUBI_LEDGER_LEVELS_H

#include <stddef.h>
#include <stdint.h>

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
