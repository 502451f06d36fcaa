/*  queue_reservations - starts the tasks of reservations. Each reservation has a queue of bags that
 *  wait for it: they start at its opening, on its nodes, and tasks that have not begun by its end
 *  never do. In a batch system they may be queued as soon as the reservation is there.
 */
#include "queue_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool queue_part (const queue_t *self, const char *reservation, compute_booking_t **bookings,
                 size_t *count)
{
    reservation_view_t view;
    char why [WHY_BYTES];
    return participant_find (self->parts.participant, reservation, &view) && view.part.size > 0 &&
           compute_part_decode (view.part, bookings, count, why);
}

bool queue_past (const queue_t *self, const moment_t *now, const char *reservation)
{
    compute_booking_t *bookings;
    size_t count;
    if (!queue_part (self, reservation, &bookings, &count))
        return false;
    int64_t until_ms = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        until_ms = bookings [i].until_ms > until_ms ? bookings [i].until_ms : until_ms;
    free (bookings);
    return until_ms <= queue_now_ms (self, now);
}

typedef enum {
    RESERVATION_QUEUE_WAITS,
    RESERVATION_QUEUE_OPEN,
    RESERVATION_QUEUE_CLOSED
} reservation_queue_state_t;

static reservation_queue_state_t reservation_queue_state (const queue_t *self, const moment_t *now,
                                                          const char *reservation,
                                                          opening_t *opening)
{
    reservation_view_t view;
    if (openings_find (self->parts.openings, reservation, opening)) {
        if (opening->phase >= OPENING_CLOSING)
            return RESERVATION_QUEUE_CLOSED;
        if (nodes_batch (self->parts.nodes) != NODES_NONE)
            return opening->prepared ? RESERVATION_QUEUE_OPEN : RESERVATION_QUEUE_WAITS;
        return opening_is_open (opening->phase) ? RESERVATION_QUEUE_OPEN : RESERVATION_QUEUE_WAITS;
    }
    bool known = participant_find (self->parts.participant, reservation, &view) && view.current;
    return known && !queue_past (self, now, reservation) ? RESERVATION_QUEUE_WAITS
                                                         : RESERVATION_QUEUE_CLOSED;
}

bool queue_reservation_closed (const queue_t *self, const moment_t *now, const char *reservation)
{
    opening_t opening;
    return reservation_queue_state (self, now, reservation, &opening) == RESERVATION_QUEUE_CLOSED;
}

/*  The classes where a bag's tasks may run now; of a bag that names a need, those that the need has
 *  booked. */
typedef struct {
    bool any;
    bool classes [SITE_CLASSES_MAX];
} queue_reservations_where_t;

static queue_reservations_where_t where_now (const queue_t *self, const moment_t *now,
                                             const bag_t *bag)
{
    const run_order_t *order = &bag->asked.order;
    queue_reservations_where_t where = {.any = !*order->need};
    compute_booking_t *bookings;
    size_t count;
    if (where.any || !queue_part (self, order->reservation, &bookings, &count))
        return where;
    int64_t now_ms = queue_now_ms (self, now);
    for (size_t i = 0; i < count; i++) {
        size_t class;
        if (strcmp (bookings [i].need, order->need) == 0 && bookings [i].from_ms <= now_ms &&
            now_ms < bookings [i].until_ms &&
            free_capacity_find (self->parts.room, bookings [i].class_name, &class))
            where.classes [class] = true;
    }
    free (bookings);
    return where;
}

static bool takes (const queue_t *self, const bag_t *bag, const queue_reservations_where_t *where,
                   size_t node)
{
    const backfill_node_t *load = &self->loads [node];
    return (where->any || where->classes [load->class]) &&
           (bag->waiting.class == BACKFILL_ANY || bag->waiting.class == load->class) &&
           (load->storage || !bag->waiting.files) && load->cpus_free >= bag->waiting.cpus &&
           nodes_usable (self->parts.nodes, node) && openings_node_due (self->parts.openings, node);
}

/*  Where the bag's next task is best; SIZE_MAX = nowhere, or where its inputs are is being asked.
 *  For one that is not ranked the first node from *at on, as those before it are full. */
static size_t reservation_node (queue_t *self, const bag_t *bag, const opening_t *opening,
                                const queue_reservations_where_t *where, size_t *at)
{
    size_t best = SIZE_MAX;
    backfill_worth_t most = {0};
    for (size_t i = *at; i < opening->nodes_count; i++) {
        size_t node = opening->nodes [i];
        if (!takes (self, bag, where, node))
            continue;
        if (!bag->waiting.ranked) {
            *at = i;
            return node;
        }
        backfill_worth_t worth = queue_worth (self, &bag->waiting, node);
        if (worth.unknown)
            return SIZE_MAX;
        if (best == SIZE_MAX || backfill_worth_more (&worth, &most)) {
            best = node;
            most = worth;
        }
    }
    return best;
}

/*  Starts tasks on its nodes, in the order of its bags; a narrower task may pass one that is too
 *  wide. */
static void reservation_queue_start (queue_t *self, const moment_t *now, bag_t *bag,
                                     const opening_t *opening)
{
    if (nodes_batch (self->parts.nodes) != NODES_NONE) {
        queue_handover_reserved (self, now, bag);
        return;
    }
    int64_t until_ms = queue_now_ms (self, now) + bag->waiting.limit_ms + self->limits.start_ms +
                       self->limits.grace_ms;
    backfill_run_t slot = {.until_ms = until_ms, .cpus = bag->waiting.cpus};
    queue_reservations_where_t where = where_now (self, now, bag);
    size_t at = 0, node;
    while (bag->waiting.waiting > 0 &&
           (node = reservation_node (self, bag, opening, &where, &at)) != SIZE_MAX) {
        queue_start_task (self, now, bag, node, &slot);
        backfill_node_add (&self->loads [node], &slot, 0);
    }
}

static void tell_ended (void *owner, bag_t *bag, uint32_t index)
{
    task_text (&bag_task (bag, index)->why, "its reservation has ended");
    queue_put_task (owner, bag, index);
}

/*  Cancels what has not begun by its end. */
static void reservation_queue_end (queue_t *self, const moment_t *now, bag_t *bag)
{
    uint32_t ended = bag_cancel (self->bags, bag, tell_ended, self);
    outbox_log (self->parts.service->outbox, LEVEL_INFO,
                "bag %" PRIu64 " waiting->cancelled tasks=%" PRIu32 ": reservation %s has ended",
                bag->number, ended, bag->asked.order.reservation);
    queue_put_bag (self, bag);
    queue_settle (self, now, bag);
}

/*  A bag may leave the list meanwhile, and the last one takes its reservation's queue with it. */
static void reservation_queue_pass (queue_t *self, const moment_t *now, const char *reservation)
{
    opening_t opening;
    reservation_queue_state_t state = reservation_queue_state (self, now, reservation, &opening);
    reservation_queue_t *reservation_queue = bags_reservation (self->bags, reservation);
    reservation_queue->dirty = false;
    if (state == RESERVATION_QUEUE_WAITS)
        return;
    for (bag_t *bag = ordered_after (reservation_queue->waiting, NULL), *next; bag; bag = next) {
        next = ordered_after (reservation_queue->waiting, bag);
        if (state == RESERVATION_QUEUE_OPEN)
            reservation_queue_start (self, now, bag, &opening);
        else
            reservation_queue_end (self, now, bag);
    }
}

void queue_reservations_pass (queue_t *self, const moment_t *now)
{
    char at [NAME_BYTES_MAX + 1] = "";
    for (reservation_queue_t *reservation_queue;
         (reservation_queue = bags_reservation_after (self->bags, at));) {
        memcpy (at, reservation_queue->reservation, sizeof at);
        if (reservation_queue->dirty && ordered_count (reservation_queue->waiting) > 0)
            reservation_queue_pass (self, now, at);
    }
}

void queue_reservations_dirty (queue_t *self)
{
    for (reservation_queue_t *reservation_queue = NULL;
         (reservation_queue = bags_reservation_after (
            self->bags, reservation_queue ? reservation_queue->reservation : ""));)
        reservation_queue->dirty = true;
}

bool queue_wants (void *owner, const char *reservation)
{
    const queue_t *self = owner;
    const reservation_queue_t *reservation_queue = bags_reservation (self->bags, reservation);
    return reservation_queue &&
           (ordered_count (reservation_queue->waiting) > 0 || reservation_queue->running > 0);
}
