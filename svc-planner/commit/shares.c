/*  shares - parts of a plan, and its edge.
 *
 *  When the new version first needs more than the old one has is found in one pass over the moments
 *  at which either changes, resource by resource, since a domain's part may name thousands of
 *  links.
 */
#include "shares.h"

#include "least.h"
#include "must.h"
#include "participant_ref.h"
#include "path.h"
#include "planner_limits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static_assert (NETWORK_NEEDS_MAX * PATH_HOPS_MAX <= PART_LINKS_MAX,
               "no request has more in a part");

void shares_clear (shares_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free (self->shares [i].new.bookings);
        free (self->shares [i].new.space);
        circuits_free (self->shares [i].new.circuits, self->shares [i].new.circuits_count);
    }
    self->count = 0;
}

share_t *shares_of (shares_t *self, const participant_ref_t *party)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp (self->shares [i].party.name, party->name) == 0)
            return &self->shares [i];
    if (self->count == PARTICIPANTS_MAX - 1) {
        self->full = true;
        return NULL;
    }
    share_t *share = &self->shares [self->count++];
    *share = (share_t){.party = *party};
    return share;
}

void share_book (share_t *self, const compute_booking_t *booking)
{
    holding_t *new = &self->new;
    new->bookings =
      must (realloc (new->bookings, (new->bookings_count + 1) * sizeof *new->bookings));
    new->bookings [new->bookings_count++] = *booking;
}

void share_store (share_t *self, const space_booking_t *booking)
{
    holding_t *new = &self->new;
    new->space = must (realloc (new->space, (new->space_count + 1) * sizeof *new->space));
    new->space [new->space_count++] = *booking;
}

void share_connect (share_t *self, const circuit_t *circuit)
{
    holding_t *new = &self->new;
    new->circuits =
      must (realloc (new->circuits, (new->circuits_count + 1) * sizeof *new->circuits));
    new->circuits [new->circuits_count++] = *circuit;
}

/*  --- the edge (T9) --- */

/*  From this moment on the new version needs that much more of a resource than the old one. */
typedef struct {
    const char *resource;
    int64_t at_ms;
    int64_t change;
} edge_change_t;

static int compare_changes (const void *a, const void *b)
{
    const edge_change_t *first = a, *second = b;
    int order = strcmp (first->resource, second->resource);
    return order ? order : (first->at_ms > second->at_ms) - (first->at_ms < second->at_ms);
}

typedef struct {
    edge_change_t *changes;
    size_t count;
} edge_changes_t;

static void change_add (edge_changes_t *self, const char *resource, int64_t from_ms,
                        int64_t until_ms, int64_t quantity)
{
    self->changes [self->count++] = (edge_change_t){resource, from_ms, quantity};
    self->changes [self->count++] = (edge_change_t){resource, until_ms, -quantity};
}

/*  How many nodes of a booking its need keeps, as it goes on where the booking ends: they are not
 *  cleaned in between. */
static uint32_t nodes_going_on (const holding_t *holding, const compute_booking_t *booking)
{
    for (size_t i = 0; i < holding->bookings_count; i++) {
        const compute_booking_t *next = &holding->bookings [i];
        if (next->from_ms == booking->until_ms && strcmp (next->need, booking->need) == 0 &&
            strcmp (next->class_name, booking->class_name) == 0)
            return next->nodes < booking->nodes ? next->nodes : booking->nodes;
    }
    return 0;
}

static void change_holding (edge_changes_t *self, const holding_t *holding, int64_t gap_ms,
                            int sign)
{
    for (size_t i = 0; i < holding->bookings_count; i++) {
        const compute_booking_t *booking = &holding->bookings [i];
        int64_t kept = nodes_going_on (holding, booking);
        change_add (self, booking->class_name, booking->from_ms, booking->until_ms, sign * kept);
        change_add (self, booking->class_name, booking->from_ms, booking->until_ms + gap_ms,
                    sign * (booking->nodes - kept));
    }
    for (size_t i = 0; i < holding->circuits_count; i++) {
        const circuit_t *circuit = &holding->circuits [i];
        for (size_t l = 0; l < circuit->links_count; l++)
            change_add (self, circuit->links [l], circuit->from_ms, circuit->until_ms,
                        sign * (int64_t) circuit->mbps);
    }
    for (size_t i = 0; i < holding->space_count; i++) {
        const space_booking_t *booking = &holding->space [i];
        change_add (self, booking->node, booking->from_ms, booking->until_ms,
                    sign * (int64_t) space_mib (booking->bytes));
    }
}

static size_t uses_of (const holding_t *holding)
{
    size_t uses = 2 * holding->bookings_count + holding->space_count;
    for (size_t i = 0; i < holding->circuits_count; i++)
        uses += holding->circuits [i].links_count;
    return uses;
}

static edge_changes_t changes_new (const share_t *share)
{
    size_t uses = uses_of (&share->new) + uses_of (&share->old);
    return (edge_changes_t){.changes = must (malloc ((2 * uses + 1) * sizeof (edge_change_t)))};
}

/*  Ends the changes. INT64_MAX: never. */
static int64_t changes_lack (edge_changes_t *self)
{
    qsort (self->changes, self->count, sizeof *self->changes, compare_changes);
    int64_t first_ms = INT64_MAX, lack = 0;
    for (size_t i = 0; i < self->count; i++) {
        const edge_change_t *change = &self->changes [i];
        lack += change->change;
        bool last = i + 1 == self->count || compare_changes (change, change + 1) != 0;
        if (last && lack > 0 && change->at_ms < first_ms)
            first_ms = change->at_ms;
    }
    free (self->changes);
    return first_ms;
}

/*  With nodes taken until so long after their bookings. */
static int64_t first_lack_with (const share_t *share, int64_t gap_ms)
{
    edge_changes_t all = changes_new (share);
    change_holding (&all, &share->new, gap_ms, 1);
    change_holding (&all, &share->old, gap_ms, -1);
    return changes_lack (&all);
}

static void change_cpus (edge_changes_t *self, const holding_t *holding, int sign)
{
    for (size_t i = 0; i < holding->bookings_count; i++) {
        const compute_booking_t *booking = &holding->bookings [i];
        change_add (self, booking->need, booking->from_ms, booking->until_ms,
                    sign * (int64_t) booking->cpus);
    }
}

/*  More CPUs of the same nodes are more, too: what has passed must not be told otherwise (R10). */
static int64_t first_lack_of_cpus (const share_t *share)
{
    edge_changes_t all = changes_new (share);
    change_cpus (&all, &share->new, 1);
    change_cpus (&all, &share->old, -1);
    return changes_lack (&all);
}

/*  A node that is being cleaned serves nobody: the old version has it no more when its booking
 *  ends, and the new one needs another if it takes more again before it is clean. */
static int64_t first_lack (const share_t *share)
{
    int64_t nodes_ms = first_lack_with (share, 0), cpus_ms = first_lack_of_cpus (share);
    int64_t used_ms = nodes_ms < cpus_ms ? nodes_ms : cpus_ms;
    int64_t taken_ms = share->gap_ms > 0 ? first_lack_with (share, share->gap_ms) : used_ms;
    return used_ms < taken_ms ? used_ms : taken_ms;
}

int64_t shares_edge (const shares_t *self)
{
    int64_t lack_ms = INT64_MAX, lead_ms = 0, end_ms = 0;
    for (size_t i = 0; i < self->count; i++) {
        const share_t *share = &self->shares [i];
        int64_t first_ms = first_lack (share);
        lack_ms = first_ms < lack_ms ? first_ms : lack_ms;
        if (first_ms < INT64_MAX) /* a participant that gets nothing new needs no notice */
            lead_ms = greatest (lead_ms, share->lead_ms);
        end_ms = greatest (end_ms, holding_end (&share->old));
    }
    return lack_ms < INT64_MAX ? lack_ms - lead_ms : end_ms;
}

static bool booking_goes_on (const holding_t *has, const compute_booking_t *was)
{
    for (size_t i = 0; i < has->bookings_count; i++)
        if (has->bookings [i].from_ms == was->from_ms && has->bookings [i].cpus == was->cpus &&
            strcmp (has->bookings [i].need, was->need) == 0)
            return true;
    return false;
}

static bool circuit_goes_on (const holding_t *has, const circuit_t *was)
{
    for (size_t i = 0; i < has->circuits_count; i++)
        if (has->circuits [i].from_ms == was->from_ms && has->circuits [i].mbps == was->mbps &&
            strcmp (has->circuits [i].need, was->need) == 0)
            return true;
    return false;
}

int64_t shares_begun (const shares_t *self)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < self->count; i++) {
        const holding_t *old = &self->shares [i].old, *new = &self->shares [i].new;
        for (size_t b = 0; b < old->bookings_count; b++)
            if (old->bookings [b].from_ms < first_ms && !booking_goes_on (new, &old->bookings [b]))
                first_ms = old->bookings [b].from_ms;
        for (size_t c = 0; c < old->circuits_count; c++)
            if (old->circuits [c].from_ms < first_ms && !circuit_goes_on (new, &old->circuits [c]))
                first_ms = old->circuits [c].from_ms;
    }
    return first_ms;
}

int64_t shares_end (const shares_t *self)
{
    int64_t end_ms = 0;
    for (size_t i = 0; i < self->count; i++) {
        const share_t *share = &self->shares [i];
        int64_t last_ms = greatest (holding_end (&share->old), holding_end (&share->new));
        end_ms = greatest (end_ms, last_ms + share->gap_ms);
    }
    return end_ms;
}

/*  --- parts --- */

bool shares_fit (const shares_t *self, char why [WHY_BYTES])
{
    if (self->full)
        return wrong (why, "more than %d sites and network domains would take part",
                      PARTICIPANTS_MAX - 1);
    for (size_t i = 0; i < self->count; i++) {
        const share_t *share = &self->shares [i];
        char words [PARTICIPANT_REF_WORDS_BYTES];
        if (share->new.circuits_count <= CIRCUITS_MAX)
            continue;
        return wrong (why, "%zu circuits in %s: a reservation may have %d",
                      share->new.circuits_count, participant_ref_words (share->party.name, words),
                      CIRCUITS_MAX);
    }
    return true;
}

attempt_part_t share_part (const share_t *self)
{
    attempt_part_t part = {.kind = participant_ref_part_kind (self->party.name)};
    space_part_t space = {self->new.space, self->new.space_count};
    if (part.kind == PART_NETWORK)
        part.part = network_part_encode (self->new.circuits, self->new.circuits_count);
    else if (part.kind == PART_SPACE)
        part.part = codec_encode (&space_part_codec, &space);
    else
        part.part = compute_part_encode (self->new.bookings, self->new.bookings_count);
    return part;
}
