/*  check_asked - does each reservation have what its request asks, and no more?
 *
 *  A reservation is what its last committed version says, over all participants of that version.
 *  Each compute need must be booked once, and all at times that mean one start. The circuits of a
 *  network need are laid end to end by their hops and walked, link by link as the domains describe
 *  them, from the site of the need's first end to that of its second.
 */
#include "check_state.h"

#include <stdlib.h>

/*  One booking or circuit of the version that is judged, and whose. */
typedef struct {
    const char *participant;
    const compute_booking_t *booking;
} booked_t;

typedef struct {
    const char *participant;
    const circuit_t *circuit;
} laid_t;

typedef struct {
    check_t *check;
    const char *reservation;
    const asked_t *asked;
    booked_t *booked;
    size_t booked_count;
    laid_t *laid; /* in order of need and hop */
    size_t laid_count;
    bool start_set;
    int64_t start_ms;
} judged_t;

static int by_need_and_hop (const void *a, const void *b)
{
    const laid_t *one = a;
    const laid_t *other = b;
    int order = strcmp (one->circuit->need, other->circuit->need);
    if (order)
        return order;
    return (one->circuit->hop > other->circuit->hop) - (one->circuit->hop < other->circuit->hop);
}

/*  --- compute needs --- */

static int64_t duration_of (const asked_t *asked, const asked_compute_t *need)
{
    return need->duration_ms ? need->duration_ms : asked->duration_ms;
}

static const asked_compute_t *compute_need (const asked_t *asked, const char *id)
{
    for (size_t i = 0; i < asked->compute_count; i++)
        if (strcmp (asked->compute [i].id, id) == 0)
            return &asked->compute [i];
    return NULL;
}

/*  The first booking of a need; NULL when there is none. */
static const booked_t *booking_of (const judged_t *self, const char *need)
{
    for (size_t i = 0; i < self->booked_count; i++)
        if (strcmp (self->booked [i].booking->need, need) == 0)
            return &self->booked [i];
    return NULL;
}

static void judge_booking (judged_t *self, const asked_compute_t *need, const booked_t *booked)
{
    const compute_booking_t *booking = booked->booking;
    const offer_t *offer = check_offer (self->check, booked->participant, booking->class_name);
    int64_t start_ms = booking->from_ms - need->offset_ms;
    if (booking->cpus != need->cpus)
        check_violation (self->check, "reservation %s: %s asks %u CPUs, %s has %u booked",
                         self->reservation, need->id, need->cpus, booked->participant,
                         booking->cpus);
    if (offer && (int64_t) booking->nodes * offer->cpus_per_node < need->cpus)
        check_violation (
          self->check, "reservation %s: %s asks %u CPUs, its %u nodes at %s have fewer",
          self->reservation, need->id, need->cpus, booking->nodes, booked->participant);
    if (booking->until_ms - booking->from_ms != duration_of (self->asked, need))
        check_violation (self->check, "reservation %s: %s is not booked for as long as it asks",
                         self->reservation, need->id);
    if (self->start_set && start_ms != self->start_ms)
        check_violation (self->check, "reservation %s: %s is booked %lld ms off the others",
                         self->reservation, need->id, (long long) (start_ms - self->start_ms));
    if (!self->start_set)
        self->start_ms = start_ms;
    self->start_set = true;
}

/*  Compares every two: needs are few. */
static void judge_distinct (const judged_t *self)
{
    for (size_t i = 0; i < self->booked_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp (self->booked [i].participant, self->booked [k].participant) == 0)
                check_violation (self->check, "reservation %s: %s and %s are both at %s",
                                 self->reservation, self->booked [k].booking->need,
                                 self->booked [i].booking->need, self->booked [i].participant);
}

static void judge_compute (judged_t *self)
{
    for (size_t i = 0; i < self->asked->compute_count; i++)
        if (!booking_of (self, self->asked->compute [i].id))
            check_violation (self->check, "reservation %s: %s is booked nowhere", self->reservation,
                             self->asked->compute [i].id);
    for (size_t i = 0; i < self->booked_count; i++) {
        const booked_t *booked = &self->booked [i];
        const char *id = booked->booking->need;
        const asked_compute_t *need = compute_need (self->asked, id);
        const booked_t *first = booking_of (self, id);
        if (!need)
            check_violation (self->check,
                             "reservation %s: %s has a booking for %s, which is not asked for",
                             self->reservation, booked->participant, id);
        else if (first != booked)
            check_violation (self->check, "reservation %s: %s is booked twice, at %s and at %s",
                             self->reservation, id, first->participant, booked->participant);
        else
            judge_booking (self, need, booked);
    }
    if (self->asked->distinct_sites)
        judge_distinct (self);
}

/*  --- network needs --- */

/*  "ams" of "lis/ams": what the site is called as a vertex. */
static const char *vertex_of (const char *participant)
{
    const char *slash = strchr (participant, '/');
    return slash ? slash + 1 : participant;
}

/*  The time asked, from the reservation's start. */
static void span_of (const asked_t *asked, const asked_connection_t *need, int64_t *from_ms,
                     int64_t *until_ms)
{
    int64_t shared_from_ms = INT64_MIN;
    int64_t shared_until_ms = INT64_MAX;
    for (size_t end = 0; end < 2; end++) {
        const asked_compute_t *compute = compute_need (asked, need->ends [end]);
        int64_t until = compute->offset_ms + duration_of (asked, compute);
        shared_from_ms = compute->offset_ms > shared_from_ms ? compute->offset_ms : shared_from_ms;
        shared_until_ms = until < shared_until_ms ? until : shared_until_ms;
    }
    bool given = need->offset_ms || need->duration_ms;
    *from_ms = given ? need->offset_ms : shared_from_ms;
    *until_ms = need->duration_ms ? *from_ms + need->duration_ms : shared_until_ms;
}

static void judge_amount (const judged_t *self, const asked_connection_t *need, const laid_t *laid)
{
    const circuit_t *circuit = laid->circuit;
    int64_t from_ms, until_ms;
    span_of (self->asked, need, &from_ms, &until_ms);
    if (circuit->mbps != need->mbps)
        check_violation (self->check, "reservation %s: %s asks %u Mbit/s, %s has %u booked",
                         self->reservation, need->id, need->mbps, laid->participant, circuit->mbps);
    if (circuit->from_ms != self->start_ms + from_ms ||
        circuit->until_ms != self->start_ms + until_ms)
        check_violation (self->check, "reservation %s: %s is booked at %s over another time",
                         self->reservation, need->id, laid->participant);
}

#define WALK_VERTICES_MAX 257

/*  A walk along a connection. */
typedef struct {
    const char *at; /* vertex */
    uint32_t hops;
    int64_t latency_us;
    const char *passed [WALK_VERTICES_MAX]; /* the first and the present one too */
    size_t passed_count;
} walk_t;

static bool step_to (walk_t *walk, const char *vertex)
{
    walk->at = vertex;
    for (size_t i = 0; i < walk->passed_count; i++)
        if (strcmp (walk->passed [i], vertex) == 0)
            return false;
    if (walk->passed_count == WALK_VERTICES_MAX)
        return false;
    walk->passed [walk->passed_count++] = vertex;
    return true;
}

/*  May one go from one domain to another here? Both must know the place, and mean the same. */
static bool may_cross (const check_t *check, const char *from, const char *to, const char *vertex)
{
    const point_t *one = check_point (check, from, vertex);
    const point_t *other = check_point (check, to, vertex);
    return strcmp (from, to) == 0 ||
           (one && other && one->kind == other->kind && one->kind != VERTEX_ROUTER &&
            strcmp (one->attributes, other->attributes) == 0);
}

/*  Along one circuit; false when it leads nowhere, which is told. */
static bool walk_circuit (const judged_t *self, const asked_connection_t *need, const laid_t *laid,
                          walk_t *walk)
{
    for (size_t l = 0; l < laid->circuit->links_count; l++) {
        const char *name = laid->circuit->links [l];
        const offer_t *link = check_offer (self->check, laid->participant, name);
        if (!link || !link->is_link)
            return false; /* told where it is booked */
        size_t near_end = strcmp (link->ends [0], walk->at) == 0 ? 0 : 1;
        if (strcmp (link->ends [near_end], walk->at) != 0) {
            check_violation (
              self->check, "reservation %s: %s is broken: link %s/%s does not begin at %s",
              self->reservation, need->id, vertex_of (laid->participant), name, walk->at);
            return false;
        }
        walk->hops++;
        walk->latency_us += link->latency_us;
        if (!step_to (walk, link->ends [1 - near_end])) {
            check_violation (self->check, "reservation %s: %s comes twice to %s", self->reservation,
                             need->id, walk->at);
            return false;
        }
    }
    return true;
}

/*  The circuits of one need, ascending by hop, between two sites. */
static void judge_path (judged_t *self, const asked_connection_t *need, const laid_t *laid,
                        size_t count, const char *from, const char *to)
{
    walk_t walk = {0};
    step_to (&walk, from);
    for (size_t i = 0; i < count; i++) {
        if (laid [i].circuit->hop != walk.hops) {
            check_violation (
              self->check, "reservation %s: %s goes on at hop %u where hop %u should be, at %s",
              self->reservation, need->id, laid [i].circuit->hop, walk.hops, laid [i].participant);
            return;
        }
        if (i > 0 &&
            !may_cross (self->check, laid [i - 1].participant, laid [i].participant, walk.at)) {
            check_violation (self->check,
                             "reservation %s: %s crosses from %s to %s at %s, which is not the "
                             "same to both",
                             self->reservation, need->id, laid [i - 1].participant,
                             laid [i].participant, walk.at);
            return;
        }
        judge_amount (self, need, &laid [i]);
        if (!walk_circuit (self, need, &laid [i], &walk))
            return;
    }
    if (strcmp (walk.at, to) != 0)
        check_violation (self->check, "reservation %s: %s leads from %s to %s, not to %s",
                         self->reservation, need->id, from, walk.at, to);
    else if (need->latency_us_max && walk.latency_us > need->latency_us_max)
        check_violation (self->check, "reservation %s: %s takes %lld us, asked are at most %lld",
                         self->reservation, need->id, (long long) walk.latency_us,
                         (long long) need->latency_us_max);
}

/*  The circuits laid for a need. */
static const laid_t *laid_for (const judged_t *self, const char *need, size_t *count)
{
    size_t from = 0;
    while (from < self->laid_count && strcmp (self->laid [from].circuit->need, need) != 0)
        from++;
    size_t until = from;
    while (until < self->laid_count && strcmp (self->laid [until].circuit->need, need) == 0)
        until++;
    *count = until - from;
    return &self->laid [from];
}

static void judge_connection (judged_t *self, const asked_connection_t *need)
{
    size_t count;
    const laid_t *laid = laid_for (self, need->id, &count);
    const booked_t *ends [2] = {booking_of (self, need->ends [0]),
                                booking_of (self, need->ends [1])};
    if (!ends [0] || !ends [1] || !compute_need (self->asked, need->ends [0]) ||
        !compute_need (self->asked, need->ends [1])) {
        if (count > 0)
            check_violation (self->check,
                             "reservation %s: %s has circuits, but no CPUs at its ends",
                             self->reservation, need->id);
        return;
    }
    const char *from = vertex_of (ends [0]->participant);
    const char *to = vertex_of (ends [1]->participant);
    if (strcmp (from, to) == 0) {
        if (count > 0)
            check_violation (self->check, "reservation %s: %s has circuits inside one site, %s",
                             self->reservation, need->id, from);
        return;
    }
    self->check->result.connections++;
    self->check->result.circuits += count;
    if (count == 0)
        check_violation (self->check, "reservation %s: %s has no circuit from %s to %s",
                         self->reservation, need->id, from, to);
    else
        judge_path (self, need, laid, count, from, to);
}

static void judge_network (judged_t *self)
{
    for (size_t i = 0; i < self->asked->network_count; i++)
        judge_connection (self, &self->asked->network [i]);
    for (size_t i = 0; i < self->laid_count; i++) {
        const char *id = self->laid [i].circuit->need;
        bool asked = false;
        for (size_t n = 0; n < self->asked->network_count && !asked; n++)
            asked = strcmp (self->asked->network [n].id, id) == 0;
        if (!asked)
            check_violation (self->check,
                             "reservation %s: %s has a circuit for %s, which is not asked for",
                             self->reservation, self->laid [i].participant, id);
    }
}

/*  --- reservations --- */

/*  What the records of a version book, in lists that the caller frees. */
static judged_t gather (check_t *check, const record_t *const *records, size_t count)
{
    judged_t self = {.check = check, .reservation = records [0]->plan.reservation};
    for (size_t i = 0; i < count; i++) {
        self.asked = self.asked ? self.asked : records [i]->asked;
        self.booked_count += records [i]->bookings_count;
        self.laid_count += records [i]->circuits_count;
    }
    self.booked = check_list (self.booked_count, sizeof *self.booked);
    self.laid = check_list (self.laid_count, sizeof *self.laid);
    size_t booked = 0, laid = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < records [i]->bookings_count; b++)
            self.booked [booked++] =
              (booked_t){records [i]->participant, &records [i]->bookings [b]};
        for (size_t c = 0; c < records [i]->circuits_count; c++)
            self.laid [laid++] = (laid_t){records [i]->participant, &records [i]->circuits [c]};
    }
    if (laid > 0)
        qsort (self.laid, laid, sizeof *self.laid, by_need_and_hop);
    return self;
}

/*  The records of a reservation's last committed version, at all its participants. */
static void judge_version (check_t *check, const record_t *const *records, size_t count)
{
    judged_t self = gather (check, records, count);
    bool released = records [0]->plan.operation == OPERATION_RELEASE;
    if (released) {
        if (self.booked_count + self.laid_count > 0)
            check_violation (check, "reservation %s is released, and still books something",
                             self.reservation);
    } else if (self.asked) {
        judge_compute (&self);
        judge_network (&self);
    } else {
        check->result.unasked++;
        if (self.booked_count == 0 && self.laid_count > 0)
            check_violation (check, "reservation %s has circuits, but no CPUs", self.reservation);
    }
    free (self.booked);
    free (self.laid);
}

/*  --- which version stands --- */

/*  Reservation, the version a command makes, transaction, participant. */
static int by_version (const void *a, const void *b)
{
    const record_t *one = *(const record_t *const *) a;
    const record_t *other = *(const record_t *const *) b;
    int order = strcmp (one->plan.reservation, other->plan.reservation);
    if (order == 0)
        order = (one->plan.base_version > other->plan.base_version) -
                (one->plan.base_version < other->plan.base_version);
    if (order == 0)
        order = txid_compare (&one->plan.txid, &other->plan.txid);
    return order ? order : strcmp (one->participant, other->participant);
}

static bool takes_part (const plan_t *plan, const char *participant)
{
    for (size_t i = 0; i < plan->participants_count; i++)
        if (strcmp (plan->participants [i].name, participant) == 0)
            return true;
    return false;
}

/*  Who is not told of the last version any more must have nothing of an older one left. */
static void judge_left (check_t *self, const plan_t *last, const record_t *const *records,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const record_t *record = records [i];
        bool stands = record->state == COMMAND_COMMITTED &&
                      record->bookings_count + record->circuits_count > 0 &&
                      !takes_part (last, record->participant);
        for (size_t later = i + 1; later < count && stands; later++)
            stands = records [later]->state != COMMAND_COMMITTED ||
                     strcmp (records [later]->participant, record->participant) != 0;
        if (stands)
            check_violation (self,
                             "reservation %s still books something at %s, which its last version "
                             "leaves out",
                             last->reservation, record->participant);
    }
}

/*  All records of one reservation, ascending by version. Where the last version is not committed at
 *  all who take part, that is told, or can't be judged: it is not judged here. */
static void judge_reservation (check_t *self, const record_t *const *records, size_t count)
{
    size_t last = count;
    while (last > 0 && records [last - 1]->state != COMMAND_COMMITTED)
        last--;
    if (last == 0)
        return;
    const plan_t *plan = &records [last - 1]->plan;
    size_t from = last - 1;
    while (from > 0 && txid_compare (&records [from - 1]->plan.txid, &plan->txid) == 0)
        from--;
    size_t committed = 0;
    bool books = false;
    for (size_t i = from; i < last; i++) {
        committed += records [i]->state == COMMAND_COMMITTED;
        books |= records [i]->bookings_count + records [i]->circuits_count > 0;
    }
    self->result.reservations += books;
    for (size_t i = 0; i < from; i++)
        if (records [i]->state == COMMAND_COMMITTED &&
            records [i]->plan.base_version == plan->base_version) {
            check_violation (self, "reservation %s has two versions %u: %s and %s differ",
                             plan->reservation, plan->base_version + 1, records [i]->participant,
                             records [last - 1]->participant);
            return;
        }
    judge_left (self, plan, records, from);
    if (committed == plan->participants_count && committed == last - from)
        judge_version (self, &records [from], committed);
}

void check_asked (check_t *self, const record_t **records, size_t count)
{
    if (count > 0)
        qsort (records, count, sizeof *records, by_version);
    for (size_t from = 0, until; from < count; from = until) {
        until = from + 1;
        while (until < count &&
               strcmp (records [from]->plan.reservation, records [until]->plan.reservation) == 0)
            until++;
        if (*records [from]->plan.reservation)
            judge_reservation (self, &records [from], until - from);
    }
}
