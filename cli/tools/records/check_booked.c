/*  check_booked - has anything more booked than there is of it?
 *
 *  What a reservation books at a participant is its last committed command there; while a change of
 *  it has been voted for, the larger of both at every instant (T11), and a first vote counts by
 *  itself. */
#include "check_state.h"

#include "booked.h"
#include "timetext.h"

#include <stdlib.h>

static int by_participant (const void *a, const void *b)
{
    const check_record_t *one = *(const check_record_t *const *) a;
    const check_record_t *other = *(const check_record_t *const *) b;
    int order = strcmp (one->participant, other->participant);
    return order ? order : check_by_version (a, b);
}

/*  Whose bookings are taken; offers are numbered by their place. */
typedef struct {
    check_t *check;
    const check_record_t *record;
    const check_offer_t *told; /* to have more booked than there is */
} offer_taking_t;

static size_t offer_number (void *owner, const char *name, bool is_link)
{
    const offer_taking_t *self = owner;
    const check_record_t *record = self->record;
    const check_offer_t *offer = check_offer (self->check, record->participant, name);
    if (offer && offer->is_link == is_link)
        return (size_t) (offer - self->check->offers);
    check_violation (self->check, "reservation %s books %s at %s, which describes no such %s",
                     record->plan.reservation, name, record->participant,
                     is_link ? "link" : "class or storage node");
    return SIZE_MAX;
}

static int64_t offer_gap_ms (void *owner, size_t resource)
{
    return ((const offer_taking_t *) owner)->check->offers [resource].cleaning_gap_ms;
}

static void record_take (offer_taking_t *self, const booked_resources_t *resources,
                         const check_record_t *record, booked_spans_t *spans)
{
    self->record = record;
    spans->count = 0;
    if (record)
        booked_take (spans, resources, (compute_part_t){record->bookings, record->bookings_count},
                     (network_part_t){record->circuits, record->circuits_count},
                     (space_part_t){record->space, record->space_count});
}

/*  Reported once for each, at the first moment when too much is booked. */
static void judge_offer (void *owner, size_t resource, int64_t from_ms, int64_t until_ms,
                         const int64_t sums [2])
{
    (void) until_ms;
    offer_taking_t *self = owner;
    const check_offer_t *offer = &self->check->offers [resource];
    const peer_t *peer = check_peer (self->check, offer->participant);
    char at [TIMETEXT_BYTES];
    if (self->told == offer || sums [0] <= offer->quantity || (peer && peer->lacks))
        return;
    self->told = offer;
    check_violation (self->check, "%s/%s has %lld %s booked of %lld at %s", offer->participant,
                     offer->name, (long long) sums [0],
                     offer->is_link   ? "Mbit/s"
                     : offer->is_disk ? "MiB"
                                      : "nodes",
                     (long long) offer->quantity, timetext_format (from_ms, at));
}

void check_booked (check_t *self, const check_record_t **records, size_t count)
{
    offer_taking_t taking = {.check = self};
    booked_resources_t resources = {
      .number = offer_number, .gap_ms = offer_gap_ms, .owner = &taking};
    booked_spans_t all = {0}, committed = {0}, vote = {0};
    qsort (records, count, sizeof *records, by_participant);
    for (size_t from = 0, until; from < count; from = until) {
        const check_record_t *first = records [from], *has = NULL, *wants = NULL;
        for (until = from;
             until < count && strcmp (records [until]->participant, first->participant) == 0 &&
             strcmp (records [until]->plan.reservation, first->plan.reservation) == 0;
             until++) {
            if (records [until]->state == COMMAND_COMMITTED) {
                has = records [until];
                wants = NULL;
            } else if (records [until]->state == COMMAND_PREPARED) {
                wants = records [until];
            }
        }
        record_take (&taking, &resources, has, &committed);
        record_take (&taking, &resources, wants, &vote);
        booked_larger (&all, &committed, &vote, &resources);
    }
    vote.count = 0;
    booked_pair (&all, &vote, NULL, judge_offer, &taking);
    free (all.list);
    free (committed.list);
    free (vote.list);
}
