/*  check_asked - does each reservation have what its request asks, and no more?
 *
 *  A reservation is what its last committed version says, over all participants of that version.
 *  Each compute need must be booked once, on nodes as it wants them, and all at times that mean one
 *  start within the frame asked. One that was changed while it lasts is booked once for each phase,
 *  and stays where it is.
 */
#include "check_state.h"

#include "must.h"

void check_need_violation (const judged_reservation_t *self, const char *need, const char *format,
                           ...)
{
    char sentence [400];
    format_rest (sentence, sizeof sentence, format);
    check_violation (self->check, "reservation %s: %s %s", self->reservation, need, sentence);
}

/*  --- what is required of nodes and links --- */

static bool attribute_does (const attribute_t *attribute, const requirement_t *require)
{
    if (strcmp (attribute->name, require->attribute) != 0)
        return false;
    char *end;
    double number = strtod (attribute->value, &end);
    return require->numeric ? *attribute->value && !*end && number >= require->min
                            : strcmp (attribute->value, require->value) == 0;
}

const char *check_lacking (const check_offer_t *offer, const requirement_t *require, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        bool does = false;
        for (size_t a = 0; a < offer->attributes_count && !does; a++)
            does = attribute_does (&offer->attributes [a], &require [r]);
        if (!does)
            return require [r].attribute;
    }
    return NULL;
}

const char *check_short_name (const char *participant)
{
    const char *slash = strchr (participant, '/');
    return slash ? slash + 1 : participant;
}

/*  --- compute needs --- */

int64_t check_duration (const user_request_t *request, const compute_need_t *need)
{
    return need->duration_ms ? need->duration_ms : request->duration_ms;
}

const compute_need_t *check_compute_need (const user_request_t *request, const char *id)
{
    return list_find (request->compute, request->compute_count, sizeof *request->compute, id);
}

const check_booking_t *check_booking (const judged_reservation_t *self, const char *need)
{
    for (size_t i = 0; i < self->booked_count; i++)
        if (strcmp (self->booked [i].booking->need, need) == 0)
            return &self->booked [i];
    return NULL;
}

check_phase_t *check_phases (const stages_t *stages, check_phase_t whole, size_t *count)
{
    check_phase_t *phases = check_list (stages->count + 1, sizeof *phases);
    int64_t from_ms = whole.from_ms;
    *count = 0;
    for (size_t i = 0; i < stages->count; i++) {
        const stage_t *stage = &stages->list [i];
        if (stage->amount > 0)
            phases [(*count)++] = (check_phase_t){from_ms, stage->until_ms, stage->amount};
        from_ms = stage->until_ms;
    }
    phases [(*count)++] = (check_phase_t){from_ms, whole.until_ms, whole.amount};
    return phases;
}

static check_phase_t *check_asked_phases_of (const user_request_t *request,
                                             const compute_need_t *need, size_t *count)
{
    check_phase_t whole = {need->offset_ms, need->offset_ms + check_duration (request, need),
                           need->cpus};
    return check_phases (&need->stages, whole, count);
}

/*  Are the nodes as the need wants them? */
static void judge_nodes (const judged_reservation_t *self, const compute_need_t *need,
                         uint32_t cpus, const check_booking_t *booked)
{
    const compute_booking_t *booking = booked->booking;
    const check_offer_t *class =
      check_offer (self->check, booked->participant, booking->class_name);
    if (*need->site && strcmp (need->site, check_short_name (booked->participant)) != 0)
        check_need_violation (self, need->id, "was asked for at site %s, but is booked at %s",
                              need->site, booked->participant);
    if (booking->cpus != cpus)
        check_need_violation (self, need->id, "asked for %u CPUs, but %s has booked %u", cpus,
                              booked->participant, booking->cpus);
    if (!class)
        return; /* check_booked.c reports it */
    if ((int64_t) booking->nodes * class->cpus_per_node < cpus)
        check_need_violation (self, need->id,
                              "asked for %u CPUs, but its %u nodes at %s have fewer", cpus,
                              booking->nodes, booked->participant);
    const char *lacks = check_lacking (class, need->require, need->require_count);
    if (lacks)
        check_need_violation (self, need->id, "is at %s/%s, whose attribute %s is not as asked",
                              booked->participant, class->name, lacks);
}

static void judge_booking (judged_reservation_t *self, const compute_need_t *need,
                           const check_phase_t *phase, const check_booking_t *booked)
{
    const compute_booking_t *booking = booked->booking;
    int64_t start_ms = booking->from_ms - phase->from_ms;
    judge_nodes (self, need, phase->amount, booked);
    if (booking->until_ms - booking->from_ms != phase->until_ms - phase->from_ms)
        check_need_violation (self, need->id, "is not booked for the duration asked");
    if (self->start_set && start_ms != self->start_ms)
        check_need_violation (self, need->id, "is booked %+.3f s apart from the other needs",
                              (double) (start_ms - self->start_ms) / 1e3);
    if (!self->start_set)
        self->start_ms = start_ms;
    self->start_set = true;
}

/*  All bookings of a need, ascending by time: one for each phase, all at one site and of one class.
 */
static void judge_need (judged_reservation_t *self, const compute_need_t *need,
                        const check_booking_t *booked, size_t count)
{
    size_t phases_count;
    memory_auto check_phase_t *phases = check_asked_phases_of (self->request, need, &phases_count);
    for (size_t i = 0; i < count && i < phases_count; i++) {
        judge_booking (self, need, &phases [i], &booked [i]);
        if (strcmp (booked [i].participant, booked [0].participant) != 0 ||
            strcmp (booked [i].booking->class_name, booked [0].booking->class_name) != 0)
            check_need_violation (self, need->id, "moves from %s/%s to %s/%s between its phases",
                                  booked [0].participant, booked [0].booking->class_name,
                                  booked [i].participant, booked [i].booking->class_name);
    }
    for (size_t i = phases_count; i < count; i++)
        check_need_violation (self, need->id, "is booked twice, at %s and at %s",
                              booked [0].participant, booked [i].participant);
    if (count < phases_count)
        check_need_violation (self, need->id, "has %zu bookings for %zu phases", count,
                              phases_count);
}

/*  Compares every two: needs are few. */
static void judge_distinct (const judged_reservation_t *self)
{
    for (size_t i = 0; i < self->booked_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp (self->booked [i].participant, self->booked [k].participant) == 0 &&
                strcmp (self->booked [i].booking->need, self->booked [k].booking->need) != 0)
                check_violation (
                  self->check,
                  "reservation %s: %s and %s are both at %s, though distinct sites were asked for",
                  self->reservation, self->booked [k].booking->need, self->booked [i].booking->need,
                  self->booked [i].participant);
}

/*  Plans keep requests with wall times; a time that counts from now can't be judged: 0. */
static int64_t wall_of (const instant_t *instant)
{
    return instant->set && !instant->from_now ? instant->ms : 0;
}

/*  Does it start and end when it was asked to? A fixed start is the latest, too. */
static void judge_frame (const judged_reservation_t *self)
{
    const frame_t *window = &self->request->window;
    int64_t earliest_ms = wall_of (window->start.set ? &window->start : &window->earliest);
    int64_t latest_ms = wall_of (window->start.set ? &window->start : &window->latest);
    int64_t deadline_ms = wall_of (&window->deadline);
    int64_t end_ms = INT64_MIN;
    for (size_t i = 0; i < self->booked_count; i++)
        if (self->booked [i].booking->until_ms > end_ms)
            end_ms = self->booked [i].booking->until_ms;
    if (earliest_ms && self->start_ms < earliest_ms)
        check_violation (self->check, "reservation %s starts %.3f s before the earliest start",
                         self->reservation, (double) (earliest_ms - self->start_ms) / 1e3);
    if (latest_ms && self->start_ms > latest_ms)
        check_violation (self->check, "reservation %s starts %.3f s after the latest start",
                         self->reservation, (double) (self->start_ms - latest_ms) / 1e3);
    if (deadline_ms && end_ms > deadline_ms)
        check_violation (self->check, "reservation %s ends %.3f s after its deadline",
                         self->reservation, (double) (end_ms - deadline_ms) / 1e3);
}

static void judge_compute (judged_reservation_t *self)
{
    for (size_t i = 0; i < self->request->compute_count; i++)
        if (!check_booking (self, self->request->compute [i].id))
            check_need_violation (self, self->request->compute [i].id, "is booked nowhere");
    for (size_t from = 0, until; from < self->booked_count; from = until) {
        const check_booking_t *booked = &self->booked [from];
        const char *id = booked->booking->need;
        const compute_need_t *need = check_compute_need (self->request, id);
        until = from + 1;
        while (until < self->booked_count && strcmp (self->booked [until].booking->need, id) == 0)
            until++;
        if (need)
            judge_need (self, need, booked, until - from);
        else
            check_violation (self->check,
                             "reservation %s: %s has a booking for %s, which was not asked for",
                             self->reservation, booked->participant, id);
    }
    if (self->request->distinct_sites)
        judge_distinct (self);
    if (self->start_set)
        judge_frame (self);
}

/*  --- reservations --- */

static int by_need_and_time (const void *a, const void *b)
{
    const compute_booking_t *one = ((const check_booking_t *) a)->booking;
    const compute_booking_t *other = ((const check_booking_t *) b)->booking;
    int order = strcmp (one->need, other->need);
    return order ? order : (one->from_ms > other->from_ms) - (one->from_ms < other->from_ms);
}

/*  What the records of a version book, in lists that the caller frees. */
static judged_reservation_t check_asked_gather (check_t *check,
                                                const check_record_t *const *records, size_t count)
{
    judged_reservation_t self = {.check = check, .reservation = records [0]->plan.reservation};
    for (size_t i = 0; i < count; i++) {
        self.request = self.request ? self.request : records [i]->request;
        self.booked_count += records [i]->bookings_count;
        self.laid_count += records [i]->circuits_count;
    }
    self.booked = check_list (self.booked_count, sizeof *self.booked);
    self.laid = check_list (self.laid_count, sizeof *self.laid);
    size_t booked = 0, laid = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < records [i]->bookings_count; b++)
            self.booked [booked++] =
              (check_booking_t){records [i]->participant, &records [i]->bookings [b]};
        for (size_t c = 0; c < records [i]->circuits_count; c++)
            self.laid [laid++] = (check_circuit_t){.participant = records [i]->participant,
                                                   .circuit = &records [i]->circuits [c]};
    }
    qsort (self.booked, booked, sizeof *self.booked, by_need_and_time);
    return self;
}

/*  The records of a reservation's last committed version, at all its participants. */
static void judge_version (check_t *check, const check_record_t *const *records, size_t count)
{
    judged_reservation_t self = check_asked_gather (check, records, count);
    bool released = records [0]->plan.operation == OPERATION_RELEASE;
    if (released) {
        if (self.booked_count + self.laid_count > 0)
            check_violation (check, "reservation %s is released, but still has bookings",
                             self.reservation);
    } else if (self.request) {
        judge_compute (&self);
        check_connected (&self);
    } else {
        check->result.unasked++;
        if (self.booked_count == 0 && self.laid_count > 0)
            check_violation (check, "reservation %s has circuits, but no CPUs", self.reservation);
    }
    free (self.booked);
    free (self.laid);
}

/*  --- which version stands --- */

int check_by_version (const void *a, const void *b)
{
    const check_record_t *one = *(const check_record_t *const *) a;
    const check_record_t *other = *(const check_record_t *const *) b;
    int order = strcmp (one->plan.reservation, other->plan.reservation);
    if (order == 0)
        order = (one->plan.base_version > other->plan.base_version) -
                (one->plan.base_version < other->plan.base_version);
    if (order == 0)
        order = txid_compare (&one->plan.txid, &other->plan.txid);
    return order ? order : strcmp (one->participant, other->participant);
}

/*  Have all its windows passed, by the judge's clock or by that of the participant? */
static bool is_over (const check_t *self, const check_record_t *record)
{
    const peer_t *peer = check_peer (self, record->participant);
    int64_t now_ms = peer && peer->wall_ms > self->now_ms ? peer->wall_ms : self->now_ms;
    for (size_t i = 0; i < record->bookings_count; i++)
        if (record->bookings [i].until_ms > now_ms)
            return false;
    for (size_t i = 0; i < record->circuits_count; i++)
        if (record->circuits [i].until_ms > now_ms)
            return false;
    for (size_t i = 0; i < record->space_count; i++)
        if (record->space [i].until_ms > now_ms)
            return false;
    return true;
}

/*  A participant that the last version leaves out must have nothing of an older one left, except
 *  what is over: a release need not reach a participant that has nothing to give back (R11). */
static void judge_left (check_t *self, const plan_t *last, const check_record_t *const *records,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const check_record_t *record = records [i];
        bool stands = record->state == COMMAND_COMMITTED && !is_over (self, record) &&
                      !check_takes_part (last, record->participant);
        for (size_t later = i + 1; later < count && stands; later++)
            stands = records [later]->state != COMMAND_COMMITTED ||
                     strcmp (records [later]->participant, record->participant) != 0;
        if (stands && plan_party (last, record->participant)) /* it has yet to give it back */
            self->result.pending++;
        else if (stands)
            check_violation (self,
                             "reservation %s still has bookings at %s, which its last version does "
                             "not use",
                             last->reservation, record->participant);
    }
}

/*  Two releases may have made one version: the later one gives back what was silent at the first.
 *  So may two repairs, of which the later one looked again. */
static bool may_both_stand (const plan_t *one, const plan_t *other)
{
    bool releases = one->operation == OPERATION_RELEASE && other->operation == OPERATION_RELEASE;
    return releases || (!*one->request_id && !*other->request_id);
}

/*  True, and told, when two transactions have made one version; homes' records count, too. */
static bool made_twice (check_t *self, const check_record_t *const *records, size_t count)
{
    const check_record_t *made = NULL;
    for (size_t i = 0; i < count; i++) {
        const check_record_t *record = records [i];
        const plan_t *plan = &record->plan;
        char one [TXID_TEXT_BYTES], other [TXID_TEXT_BYTES];
        if (record->state != COMMAND_COMMITTED)
            continue;
        if (made && made->plan.base_version == plan->base_version &&
            txid_compare (&made->plan.txid, &plan->txid) != 0 &&
            !may_both_stand (&made->plan, plan)) {
            check_violation (
              self, "reservation %s has two different versions %u: of %s at %s, and of %s at %s",
              plan->reservation, plan->base_version + 1, txid_text (&made->plan.txid, one),
              made->participant, txid_text (&plan->txid, other), record->participant);
            return true;
        }
        made = record;
    }
    return false;
}

/*  All records of one reservation, ascending by version. A last version that is not committed
 *  everywhere is judged as a transaction, not here. */
static void judge_reservation (check_t *self, const check_record_t *const *records, size_t count)
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
        books |=
          records [i]->bookings_count + records [i]->circuits_count + records [i]->space_count > 0;
    }
    self->result.reservations += books;
    if (made_twice (self, records, last))
        return;
    judge_left (self, plan, records, from);
    if (committed == plan->participants_count && committed == last - from)
        judge_version (self, &records [from], committed);
}

void check_asked (check_t *self, const check_record_t **records, size_t count)
{
    qsort (records, count, sizeof *records, check_by_version);
    for (size_t from = 0, until; from < count; from = until) {
        until = from + 1;
        while (until < count &&
               strcmp (records [from]->plan.reservation, records [until]->plan.reservation) == 0)
            until++;
        if (*records [from]->plan.reservation)
            judge_reservation (self, &records [from], until - from);
    }
}
