/*  check_connected - does each network need have a path from the one site to the other?
 *
 *  Its circuits are laid end to end by their hops and walked, link by link as the domains describe
 *  them, from the site of the need's first end to that of its second. */
#include "check_state.h"

#include "must.h"

/*  The time asked, from the reservation's start. */
static void check_connected_span_of (const user_request_t *request, const network_need_t *need,
                                     int64_t *from_ms, int64_t *until_ms)
{
    int64_t shared_from_ms = INT64_MIN;
    int64_t shared_until_ms = INT64_MAX;
    for (size_t end = 0; end < 2; end++) {
        const compute_need_t *compute = check_compute_need (request, need->ends [end]);
        int64_t until = compute->offset_ms + check_duration (request, compute);
        shared_from_ms = compute->offset_ms > shared_from_ms ? compute->offset_ms : shared_from_ms;
        shared_until_ms = until < shared_until_ms ? until : shared_until_ms;
    }
    bool given = need->offset_ms || need->duration_ms;
    *from_ms = given ? need->offset_ms : shared_from_ms;
    *until_ms = need->duration_ms ? *from_ms + need->duration_ms : shared_until_ms;
}

static check_phase_t *check_connected_phases_of (const user_request_t *request,
                                                 const network_need_t *need, size_t *count)
{
    check_phase_t whole = {.amount = need->mbps};
    check_connected_span_of (request, need, &whole.from_ms, &whole.until_ms);
    return check_phases (&need->stages, whole, count);
}

static void judge_amount (const judged_reservation_t *self, const network_need_t *need,
                          const check_phase_t *phase, const check_circuit_t *laid)
{
    const circuit_t *circuit = laid->circuit;
    if (circuit->mbps != phase->amount)
        check_need_violation (self, need->id, "asked for %u Mbit/s, but %s has booked %u",
                              phase->amount, laid->participant, circuit->mbps);
    if (circuit->from_ms != self->start_ms + phase->from_ms ||
        circuit->until_ms != self->start_ms + phase->until_ms)
        check_need_violation (self, need->id, "is booked at %s for another time than was asked for",
                              laid->participant);
}

#define WALK_VERTICES_MAX 257

/*  A walk along a connection. */
typedef struct {
    const char *at; /* vertex */
    uint32_t hops;
    int64_t latency_us;
    const char *passed [WALK_VERTICES_MAX]; /* the first and the present one too */
    size_t passed_count;
} check_connected_walk_t;

static bool step_to (check_connected_walk_t *walk, const char *vertex)
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

/*  Do both have the same kind and the same attributes? */
static bool same_point (const point_t *one, const point_t *other)
{
    if (one->kind != other->kind || one->attributes_count != other->attributes_count)
        return false;
    for (size_t i = 0; i < one->attributes_count; i++) {
        bool alike = false;
        for (size_t k = 0; k < other->attributes_count && !alike; k++)
            alike = strcmp (one->attributes [i].name, other->attributes [k].name) == 0 &&
                    strcmp (one->attributes [i].value, other->attributes [k].value) == 0;
        if (!alike)
            return false;
    }
    return true;
}

/*  May a path cross from one domain to the other at this vertex? Both must describe it, and alike.
 */
static bool may_cross (const check_t *check, const char *from, const char *to, const char *vertex)
{
    const point_t *one = check_point (check, from, vertex);
    const point_t *other = check_point (check, to, vertex);
    return strcmp (from, to) == 0 ||
           (one && other && one->kind != VERTEX_ROUTER && same_point (one, other));
}

/*  Goes along one circuit. False when it can't, which is reported. */
static bool walk_circuit (const judged_reservation_t *self, const network_need_t *need,
                          const check_circuit_t *laid, check_connected_walk_t *walk)
{
    for (size_t l = 0; l < laid->circuit->links_count; l++) {
        const char *name = laid->circuit->links [l];
        const check_offer_t *link = check_offer (self->check, laid->participant, name);
        if (!link || !link->is_link)
            return false; /* check_booked.c reports it */
        size_t near_end = strcmp (link->ends [0], walk->at) == 0 ? 0 : 1;
        if (strcmp (link->ends [near_end], walk->at) != 0) {
            check_need_violation (self, need->id, "is broken: link %s/%s does not begin at %s",
                                  check_short_name (laid->participant), name, walk->at);
            return false;
        }
        const char *lacks = check_lacking (link, need->require, need->require_count);
        if (lacks)
            check_need_violation (self, need->id,
                                  "uses link %s/%s, whose attribute %s is not as asked",
                                  check_short_name (laid->participant), name, lacks);
        walk->hops++;
        walk->latency_us += link->latency_us;
        if (!step_to (walk, link->ends [1 - near_end])) {
            check_need_violation (self, need->id, "passes %s twice", walk->at);
            return false;
        }
    }
    return true;
}

/*  The circuits of one phase of a need, ascending by hop, between two sites. */
static void judge_path (judged_reservation_t *self, const network_need_t *need,
                        const check_phase_t *phase, const check_circuit_t *laid, size_t count,
                        const char *from, const char *to)
{
    check_connected_walk_t walk = {0};
    step_to (&walk, from);
    for (size_t i = 0; i < count; i++) {
        if (laid [i].circuit->hop != walk.hops) {
            check_need_violation (self, need->id, "has hop %u where hop %u should be, at %s",
                                  laid [i].circuit->hop, walk.hops, laid [i].participant);
            return;
        }
        if (i > 0 &&
            !may_cross (self->check, laid [i - 1].participant, laid [i].participant, walk.at)) {
            check_need_violation (self, need->id,
                                  "crosses from %s to %s at %s, which the two domains "
                                  "describe differently",
                                  laid [i - 1].participant, laid [i].participant, walk.at);
            return;
        }
        judge_amount (self, need, phase, &laid [i]);
        if (!walk_circuit (self, need, &laid [i], &walk))
            return;
    }
    if (strcmp (walk.at, to) != 0)
        check_need_violation (self, need->id, "leads from %s to %s, not to %s", from, walk.at, to);
    else if (need->latency_us_max && walk.latency_us > need->latency_us_max)
        check_need_violation (self, need->id,
                              "has a latency of %.3f ms, but at most %.3f ms was asked for",
                              (double) walk.latency_us / 1e3, (double) need->latency_us_max / 1e3);
}

/*  The circuits laid for a need. */
static const check_circuit_t *laid_for (const judged_reservation_t *self, const char *need,
                                        size_t *count)
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

/*  One path for each phase. */
static void judge_paths (judged_reservation_t *self, const network_need_t *need,
                         const check_circuit_t *laid, size_t count, const char *from,
                         const char *to)
{
    size_t phases_count, at = 0;
    memory_auto check_phase_t *phases =
      check_connected_phases_of (self->request, need, &phases_count);
    for (size_t p = 0; p < phases_count; p++) {
        size_t first = at;
        while (at < count && laid [at].phase == p)
            at++;
        if (at == first)
            check_need_violation (self, need->id, "has no circuit from %s to %s%s", from, to,
                                  p + 1 < phases_count ? " for an earlier phase" : "");
        else
            judge_path (self, need, &phases [p], &laid [first], at - first, from, to);
    }
}

static void judge_connection (judged_reservation_t *self, const network_need_t *need)
{
    size_t count;
    const check_circuit_t *laid = laid_for (self, need->id, &count);
    const check_booking_t *ends [2] = {check_booking (self, need->ends [0]),
                                       check_booking (self, need->ends [1])};
    if (!ends [0] || !ends [1] || !check_compute_need (self->request, need->ends [0]) ||
        !check_compute_need (self->request, need->ends [1])) {
        if (count > 0)
            check_need_violation (self, need->id, "has circuits, but no CPUs at its ends");
        return;
    }
    const char *from = check_short_name (ends [0]->participant);
    const char *to = check_short_name (ends [1]->participant);
    if (strcmp (from, to) == 0) {
        if (count > 0)
            check_need_violation (self, need->id, "has circuits inside one site, %s", from);
        return;
    }
    self->check->result.connections++;
    self->check->result.circuits += count;
    judge_paths (self, need, laid, count, from, to);
}

/*  Which phase of its need a circuit begins in: the last one that begins no later. */
static size_t phase_of (const judged_reservation_t *self, const circuit_t *circuit)
{
    size_t phase = 0, count;
    for (size_t n = 0; n < self->request->network_count; n++) {
        const network_need_t *need = &self->request->network [n];
        if (strcmp (need->id, circuit->need) != 0 ||
            !check_compute_need (self->request, need->ends [0]) ||
            !check_compute_need (self->request, need->ends [1]))
            continue;
        memory_auto check_phase_t *phases = check_connected_phases_of (self->request, need, &count);
        while (phase + 1 < count && circuit->from_ms >= self->start_ms + phases [phase + 1].from_ms)
            phase++;
    }
    return phase;
}

static int by_need_phase_and_hop (const void *a, const void *b)
{
    const check_circuit_t *one = a;
    const check_circuit_t *other = b;
    int order = strcmp (one->circuit->need, other->circuit->need);
    if (order)
        return order;
    if (one->phase != other->phase)
        return one->phase < other->phase ? -1 : 1;
    return (one->circuit->hop > other->circuit->hop) - (one->circuit->hop < other->circuit->hop);
}

void check_connected (judged_reservation_t *self)
{
    for (size_t i = 0; i < self->laid_count; i++)
        self->laid [i].phase = phase_of (self, self->laid [i].circuit);
    qsort (self->laid, self->laid_count, sizeof *self->laid, by_need_phase_and_hop);
    for (size_t i = 0; i < self->request->network_count; i++)
        judge_connection (self, &self->request->network [i]);
    for (size_t i = 0; i < self->laid_count; i++) {
        const char *id = self->laid [i].circuit->need;
        bool asked = false;
        for (size_t n = 0; n < self->request->network_count && !asked; n++)
            asked = strcmp (self->request->network [n].id, id) == 0;
        for (size_t n = 0; n < self->request->data_count && !asked; n++) /* a file's way */
            asked = strcmp (self->request->data [n].id, id) == 0 &&
                    self->request->data [n].mbps == self->laid [i].circuit->mbps;
        if (!asked)
            check_violation (self->check,
                             "reservation %s: %s has a circuit for %s, which was not asked for",
                             self->reservation, self->laid [i].participant, id);
    }
}
