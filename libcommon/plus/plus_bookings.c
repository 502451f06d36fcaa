/*  plus_bookings - bookings of one resource over one window, in several phases if they were changed
 *  while they lasted. */
#include "plus_bookings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool follows (const admission_want_t *before, const admission_want_t *next)
{
    return before->until_ms == next->from_ms && strcmp (before->need, next->need) == 0 &&
           strcmp (before->resource, next->resource) == 0;
}

static bool plus_bookings_names_file (const part_body_t *part)
{
    bool named = false;
    for (size_t i = 0; part->kind == PART_SPACE && i < part->space.bookings_count; i++)
        named = named || *part->space.bookings [i].file;
    return named;
}

bool plus_bookings_read (plus_bookings_t *self, const part_reader_t *reader, bytes_t part)
{
    part_body_t body;
    char why [WHY_BYTES];
    self->count = 0;
    if (part.size == 0)
        return true;
    if (!part_decode (&body, reader->part_kind, part, why))
        return false;
    admission_want_t *bookings = reader->read (&body, &self->count);
    bool good = self->count <= BOOKINGS_MAX && !plus_bookings_names_file (&body);
    for (size_t i = 1; good && i < self->count; i++)
        good = follows (&bookings [i - 1], &bookings [i]);
    if (good)
        memcpy (self->list, bookings, self->count * sizeof *bookings);
    part_clear (&body);
    free (bookings);
    return good;
}

static admission_want_t booking (const resource_offer_t *offer, uint32_t quantity, int64_t from_ms,
                                 int64_t until_ms)
{
    admission_want_t made = {.need = PLUS_NEED,
                             .amount = quantity * offer->unit,
                             .quantity = quantity,
                             .from_ms = from_ms,
                             .until_ms = until_ms};
    memcpy (made.resource, offer->name, sizeof made.resource);
    return made;
}

void plus_bookings_new (plus_bookings_t *self, const resource_offer_t *offer,
                        const plus_wish_t *wish)
{
    self->list [0] = booking (offer, wish->quantity, wish->from_ms, wish->until_ms);
    self->count = 1;
}

/*  Keeps the old bookings up to a moment. */
static void keep_until (plus_bookings_t *self, const plus_bookings_t *old, int64_t until_ms)
{
    self->count = 0;
    for (size_t i = 0; i < old->count && old->list [i].from_ms < until_ms; i++) {
        admission_want_t *kept = &self->list [self->count++];
        *kept = old->list [i];
        if (kept->until_ms > until_ms)
            kept->until_ms = until_ms;
    }
}

/*  Adds a phase with so much, or extends the last one if it has as many. False when there is
 *  no room for another phase. */
static bool turn (plus_bookings_t *self, const resource_offer_t *offer, uint32_t quantity,
                  int64_t from_ms, int64_t until_ms)
{
    admission_want_t *end = &self->list [self->count - 1];
    if (end->quantity == quantity) {
        end->until_ms = until_ms;
        return true;
    }
    if (self->count == BOOKINGS_MAX)
        return false;
    self->list [self->count] = booking (offer, quantity, from_ms, until_ms);
    memcpy (self->list [self->count].need, end->need, sizeof end->need);
    self->count++;
    return true;
}

/*  Changes a reservation that has begun. If it ends before its quantity could change it keeps the
 *  old one, and a wish for another is refused. */
static bool change_begun (plus_bookings_t *self, const plus_bookings_t *old,
                          const resource_offer_t *offer, const plus_wish_t *wish,
                          const plus_wish_t *whole, int64_t now_ms, int64_t soonest_ms,
                          char why [WHY_BYTES])
{
    uint32_t quantity = old->list [old->count - 1].quantity;
    if (whole->from_ms != old->list [0].from_ms)
        return wrong (why, "from_ms: the reservation has begun, so its start can't change");
    if (whole->until_ms <= now_ms)
        return wrong (why,
                      "until_ms: that moment has passed; release the reservation to end it now");
    bool turns = whole->quantity != quantity && soonest_ms < whole->until_ms;
    int64_t turn_ms = turns ? soonest_ms : whole->until_ms;
    keep_until (self, old, turn_ms);
    self->list [self->count - 1].until_ms = turn_ms;
    if (turns && !turn (self, offer, whole->quantity, turn_ms, whole->until_ms))
        return wrong (why, "quantity: changed %d times already, and can't change again",
                      BOOKINGS_MAX - 1);
    if (wish->quantity && wish->quantity != self->list [self->count - 1].quantity)
        return wrong (why, "quantity: the reservation ends before it could have another");
    return true;
}

bool plus_bookings_change (plus_bookings_t *self, const plus_bookings_t *old,
                           const resource_offer_t *offer, const plus_wish_t *wish, int64_t now_ms,
                           int64_t soonest_ms, char why [WHY_BYTES])
{
    assert (old->count > 0);
    const admission_want_t *first = &old->list [0];
    const admission_want_t *last = &old->list [old->count - 1];
    plus_wish_t whole = {.from_ms = wish->from_ms ? wish->from_ms : first->from_ms,
                         .until_ms = wish->until_ms ? wish->until_ms : last->until_ms,
                         .quantity = wish->quantity ? wish->quantity : last->quantity};
    if (whole.from_ms >= whole.until_ms)
        return wrong (why, "until_ms: the reservation would end before it starts");
    if (first->from_ms <= now_ms)
        return change_begun (self, old, offer, wish, &whole, now_ms, soonest_ms, why);
    plus_bookings_new (self, offer, &whole);
    memcpy (self->list [0].need, first->need, sizeof first->need);
    return true;
}

static uint32_t quantity_at (const plus_bookings_t *self, int64_t at_ms)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->list [i].from_ms <= at_ms && at_ms < self->list [i].until_ms)
            return self->list [i].quantity;
    return 0;
}

int64_t plus_bookings_edge (const plus_bookings_t *old, const plus_bookings_t *next, bool *lacks)
{
    int64_t edge_ms = old->count > 0 ? old->list [old->count - 1].until_ms : INT64_MAX;
    *lacks = false;
    for (size_t i = 0; i < next->count; i++) {
        const admission_want_t *wanted = &next->list [i];
        /* What the old bookings have changes only where one of them ends: the edge is at such a
         * moment, or at the start. */
        int64_t at_ms [BOOKINGS_MAX + 1] = {wanted->from_ms};
        size_t moments = 1;
        for (size_t j = 0; j < old->count; j++)
            if (old->list [j].until_ms > wanted->from_ms &&
                old->list [j].until_ms < wanted->until_ms)
                at_ms [moments++] = old->list [j].until_ms;
        for (size_t m = 0; m < moments; m++)
            if (quantity_at (old, at_ms [m]) < wanted->quantity &&
                (!*lacks || at_ms [m] < edge_ms)) {
                edge_ms = at_ms [m];
                *lacks = true;
            }
    }
    return edge_ms;
}

int64_t plus_bookings_end (const plus_bookings_t *old, const plus_bookings_t *next)
{
    int64_t old_ms = old->count > 0 ? old->list [old->count - 1].until_ms : 0;
    int64_t next_ms = next->count > 0 ? next->list [next->count - 1].until_ms : 0;
    return old_ms > next_ms ? old_ms : next_ms;
}
