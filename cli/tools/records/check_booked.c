/*  check_booked - has anything more booked than there is of it?
 *
 *  What a reservation books at a participant is its last committed command there; while a change of
 *  it has been voted for, the larger of both at every instant (T11), and a first vote counts by
 *  itself. Each becomes steps of quantity over time; the steps of a class or link are then summed
 *  in the order of time, in one sweep.
 */
#include "check_state.h"

#include "timetext.h"

#include <stdlib.h>

/*  From at_ms on, change more of the offer is booked. which: 0 = the committed version, 1 = a vote.
 */
typedef struct {
    const check_offer_t *offer;
    int64_t at_ms;
    int64_t change;
    int which;
} check_booked_step_t;

typedef struct {
    check_booked_step_t *list;
    size_t count;
    size_t room;
} check_booked_steps_t;

static void add_step (check_booked_steps_t *steps, check_booked_step_t step)
{
    *(check_booked_step_t *) check_append (&steps->list, &steps->count, &steps->room, sizeof step) =
      step;
}

static int by_offer_and_time (const void *a, const void *b)
{
    const check_booked_step_t *one = a;
    const check_booked_step_t *other = b;
    if (one->offer != other->offer)
        return one->offer < other->offer ? -1 : 1;
    return (one->at_ms > other->at_ms) - (one->at_ms < other->at_ms);
}

static void sort_steps (check_booked_steps_t *steps)
{
    if (steps->count > 0)
        qsort (steps->list, steps->count, sizeof *steps->list, by_offer_and_time);
}

static int by_participant (const void *a, const void *b)
{
    const check_record_t *one = *(const check_record_t *const *) a;
    const check_record_t *other = *(const check_record_t *const *) b;
    int order = strcmp (one->participant, other->participant);
    return order ? order : check_by_version (a, b);
}

/*  kept: how much of it stays booked for the same need, without cleaning in between. */
static void check_booked_book (check_t *self, check_booked_steps_t *steps,
                               const check_record_t *record, const char *name, bool is_link,
                               int64_t quantity, int64_t kept, int64_t from_ms, int64_t until_ms,
                               int which)
{
    const check_offer_t *offer = check_offer (self, record->participant, name);
    if (!offer || offer->is_link != is_link) {
        check_violation (self, "reservation %s books %s at %s, which describes no such %s",
                         record->plan.reservation, name, record->participant,
                         is_link ? "link" : "class or storage node");
        return;
    }
    add_step (steps, (check_booked_step_t){offer, from_ms, quantity, which});
    add_step (steps, (check_booked_step_t){offer, until_ms, -kept, which});
    add_step (steps, (check_booked_step_t){offer, until_ms + offer->cleaning_gap_ms,
                                           kept - quantity, which});
}

/*  How many nodes of a booking stay with its need, in a booking that begins when this one ends. */
static int64_t nodes_kept (const check_record_t *record, const compute_booking_t *booking)
{
    for (size_t i = 0; i < record->bookings_count; i++) {
        const compute_booking_t *next = &record->bookings [i];
        if (next->from_ms == booking->until_ms && strcmp (next->need, booking->need) == 0 &&
            strcmp (next->class_name, booking->class_name) == 0)
            return next->nodes < booking->nodes ? next->nodes : booking->nodes;
    }
    return 0;
}

static void book_record (check_t *self, check_booked_steps_t *steps, const check_record_t *record,
                         int which)
{
    for (size_t i = 0; i < record->bookings_count; i++) {
        const compute_booking_t *booking = &record->bookings [i];
        check_booked_book (self, steps, record, booking->class_name, false, booking->nodes,
                           nodes_kept (record, booking), booking->from_ms, booking->until_ms,
                           which);
    }
    for (size_t i = 0; i < record->circuits_count; i++) {
        const circuit_t *circuit = &record->circuits [i];
        for (size_t l = 0; l < circuit->links_count; l++)
            check_booked_book (self, steps, record, circuit->links [l], true, circuit->mbps, 0,
                               circuit->from_ms, circuit->until_ms, which);
    }
    for (size_t i = 0; i < record->space_count; i++) {
        const space_booking_t *space = &record->space [i];
        check_booked_book (self, steps, record, space->node, false, space_mib (space->bytes), 0,
                           space->from_ms, space->until_ms, which);
    }
}

/*  Turns the steps of two versions into those of the larger of both; own is emptied. */
static void add_larger (check_booked_steps_t *all, check_booked_steps_t *own)
{
    sort_steps (own);
    int64_t booked [2] = {0};
    int64_t larger = 0;
    for (size_t i = 0; i < own->count; i++) {
        const check_booked_step_t *step = &own->list [i];
        booked [step->which] += step->change;
        if (i + 1 < own->count && by_offer_and_time (step, step + 1) == 0)
            continue;
        int64_t now = booked [0] > booked [1] ? booked [0] : booked [1];
        if (now != larger)
            add_step (all, (check_booked_step_t){step->offer, step->at_ms, now - larger, 0});
        larger = now;
    }
    own->count = 0;
}

/*  The records of one reservation at one participant, ascending by version. */
static void check_booked_add_reservation (check_t *self, check_booked_steps_t *all,
                                          check_booked_steps_t *own,
                                          const check_record_t *const *records, size_t count)
{
    const check_record_t *committed = NULL;
    const check_record_t *vote = NULL;
    for (size_t i = 0; i < count; i++) {
        if (records [i]->state == COMMAND_COMMITTED) {
            committed = records [i];
            vote = NULL;
        } else if (records [i]->state == COMMAND_PREPARED) {
            vote = records [i];
        }
    }
    if (committed)
        book_record (self, own, committed, 0);
    if (vote)
        book_record (self, own, vote, 1);
    add_larger (all, own);
}

/*  The steps of one class or link, ascending by time. Reported once, at the first moment when too
 *  much is booked. */
static void judge_offer (check_t *self, const check_booked_step_t *steps, size_t count)
{
    const check_offer_t *offer = steps->offer;
    const peer_t *peer = check_peer (self, offer->participant);
    int64_t booked = 0;
    if (peer && peer->lacks)
        return;
    for (size_t i = 0; i < count; i++) {
        booked += steps [i].change;
        if ((i + 1 < count && steps [i + 1].at_ms == steps [i].at_ms) || booked <= offer->quantity)
            continue;
        char at [TIMETEXT_BYTES];
        check_violation (self, "%s/%s has %lld %s booked of %lld at %s", offer->participant,
                         offer->name, (long long) booked,
                         offer->is_link   ? "Mbit/s"
                         : offer->is_disk ? "MiB"
                                          : "nodes",
                         (long long) offer->quantity, timetext_format (steps [i].at_ms, at));
        return;
    }
}

void check_booked (check_t *self, const check_record_t **records, size_t count)
{
    check_booked_steps_t all = {0};
    check_booked_steps_t own = {0};
    qsort (records, count, sizeof *records, by_participant);
    for (size_t from = 0, until; from < count; from = until) {
        const check_record_t *first = records [from];
        until = from + 1;
        while (until < count && strcmp (records [until]->participant, first->participant) == 0 &&
               strcmp (records [until]->plan.reservation, first->plan.reservation) == 0)
            until++;
        check_booked_add_reservation (self, &all, &own, &records [from], until - from);
    }
    sort_steps (&all);
    for (size_t from = 0, until; from < all.count; from = until) {
        until = from + 1;
        while (until < all.count && all.list [until].offer == all.list [from].offer)
            until++;
        judge_offer (self, &all.list [from], until - from);
    }
    free (all.list);
    free (own.list);
}
