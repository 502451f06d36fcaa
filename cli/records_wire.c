/*  records - pages of commands, from proto to plain values. */
#include "records.h"

#include "message.h"
#include "must.h"
#include "planner.pb-c.h"
#include "transaction_wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

packed_t records_question (const txid_t *after)
{
    Musubi__CommandsRequest request = MUSUBI__COMMANDS_REQUEST__INIT;
    Musubi__Txid txid;
    if (after) {
        txid_put (&txid, after);
        request.after = &txid;
    }
    return packed_of (&request.base);
}

static void take_text (char *to, size_t size, const char *from)
{
    snprintf (to, size, "%.*s", (int) size - 1, from);
}

/*  --- the request that a plan was made for, as its planner packed it --- */

/*  The caller owns the list. */
static requirement_t *take_require (Musubi__Requirement *const *from, size_t count)
{
    requirement_t *list = count > 0 ? must (calloc (count, sizeof *list)) : NULL;
    for (size_t i = 0; i < count; i++) {
        take_text (list [i].attribute, sizeof list [i].attribute, from [i]->attribute);
        list [i].numeric = from [i]->test_case == MUSUBI__REQUIREMENT__TEST_MIN;
        if (list [i].numeric)
            list [i].min = from [i]->min;
        else if (from [i]->test_case == MUSUBI__REQUIREMENT__TEST_VALUE)
            take_text (list [i].value, sizeof list [i].value, from [i]->value);
    }
    return list;
}

/*  The caller owns the list. */
static asked_stage_t *take_stages (Musubi__Stage *const *from, size_t count)
{
    asked_stage_t *list = count > 0 ? must (calloc (count, sizeof *list)) : NULL;
    for (size_t i = 0; i < count; i++)
        list [i] = (asked_stage_t){from [i]->until_ms, from [i]->amount};
    return list;
}

static void take_compute (asked_compute_t *to, const Musubi__ComputeNeed *from)
{
    take_text (to->id, sizeof to->id, from->id);
    take_text (to->site, sizeof to->site, from->site);
    to->cpus = from->cpus;
    to->require = take_require (from->require, from->n_require);
    to->require_count = from->n_require;
    to->offset_ms = from->offset_ms;
    to->duration_ms = from->duration_ms;
    to->stages = take_stages (from->stages, from->n_stages);
    to->stages_count = from->n_stages;
}

/*  False when it is not between two needs. */
static bool take_connection (asked_connection_t *to, const Musubi__NetworkNeed *from)
{
    if (from->n_between != 2)
        return false;
    for (size_t end = 0; end < 2; end++)
        take_text (to->ends [end], sizeof to->ends [end], from->between [end]);
    char joined [2 * NAME_BYTES_MAX + 2];
    snprintf (joined, sizeof joined, "%s-%s", to->ends [0], to->ends [1]);
    take_text (to->id, sizeof to->id, *from->id ? from->id : joined);
    to->mbps = from->mbps;
    to->require = take_require (from->require, from->n_require);
    to->require_count = from->n_require;
    to->latency_us_max = (int64_t) llround (from->latency_ms_max * 1000);
    to->offset_ms = from->offset_ms;
    to->duration_ms = from->duration_ms;
    to->stages = take_stages (from->stages, from->n_stages);
    to->stages_count = from->n_stages;
    return true;
}

/*  A plan keeps its request with wall times; one that counts from now binds nobody here. */
static int64_t wall_of (const Musubi__Instant *instant)
{
    return instant && instant->when_case == MUSUBI__INSTANT__WHEN_AT_MS ? instant->at_ms : 0;
}

static void take_frame (asked_t *to, const Musubi__TimeFrame *from)
{
    if (!from)
        return;
    to->earliest_ms = wall_of (from->start ? from->start : from->earliest);
    to->latest_ms = wall_of (from->start ? from->start : from->latest);
    to->deadline_ms = wall_of (from->deadline);
}

/*  False, self empty, when it is no such request. */
static bool read_asked (asked_t *self, bytes_t packed)
{
    ProtobufCMessage *message =
      packed.size > 0 ? message_unpack (&musubi__request__descriptor, packed) : NULL;
    if (!message)
        return false;
    const Musubi__Request *from = (const Musubi__Request *) message;
    *self = (asked_t){.duration_ms = from->duration_ms,
                      .distinct_sites = from->distinct_sites,
                      .compute = must (calloc (from->n_compute + 1, sizeof *self->compute)),
                      .compute_count = from->n_compute,
                      .network = must (calloc (from->n_network + 1, sizeof *self->network)),
                      .network_count = from->n_network};
    take_frame (self, from->window);
    bool good = true;
    for (size_t i = 0; i < from->n_compute; i++)
        take_compute (&self->compute [i], from->compute [i]);
    for (size_t i = 0; i < from->n_network && good; i++)
        good = take_connection (&self->network [i], from->network [i]);
    message_free (message);
    if (!good)
        asked_clear (self);
    return good;
}

/*  --- commands --- */

static void take_booking (compute_booking_t *to, const Musubi__ComputeBooking *from)
{
    take_text (to->need, sizeof to->need, from->need);
    take_text (to->class_name, sizeof to->class_name, from->class_name);
    to->cpus = from->cpus;
    to->nodes = from->nodes;
    to->from_ms = from->from_ms;
    to->until_ms = from->until_ms;
}

/*  A tombstone has no more of a plan than its txid: such a plan is empty but for that. */
static bool read_record (const Musubi__CommandRecord *from, records_take_fn *take, void *owner,
                         txid_t *last)
{
    char why [WHY_BYTES];
    plan_t plan = {0};
    circuit_t *circuits;
    size_t circuits_count;
    if (!from->plan || !txid_take (last, from->plan->txid, "plan.txid", why) ||
        !enum_valid ((int) from->state, COMMAND_STATES - 1) ||
        !circuits_take (&circuits, &circuits_count, from->circuits, from->n_circuits, why))
        return false;
    if (!plan_take (&plan, from->plan, why))
        plan = (plan_t){.txid = *last};
    compute_booking_t *bookings = must (calloc (from->n_bookings + 1, sizeof *bookings));
    for (size_t i = 0; i < from->n_bookings; i++)
        take_booking (&bookings [i], from->bookings [i]);
    asked_t asked = {0};
    bool known = read_asked (&asked, (bytes_t){.data = plan.request, .size = plan.request_size});
    take (owner, &(check_record_t){.plan = &plan,
                                   .state = (command_state_t) from->state,
                                   .bookings = bookings,
                                   .bookings_count = from->n_bookings,
                                   .circuits = circuits,
                                   .circuits_count = circuits_count,
                                   .done = from->done,
                                   .held_ms = from->held_ms,
                                   .prepared_ms = from->prepared_ms,
                                   .epoch = from->epoch,
                                   .asked = known ? &asked : NULL});
    asked_clear (&asked);
    circuits_free (circuits, circuits_count);
    free (bookings);
    plan_clear (&plan);
    return true;
}

bool records_read (bytes_t body, records_take_fn *take, void *owner, txid_t *last, bool *more)
{
    ProtobufCMessage *message = message_unpack (&musubi__commands_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__CommandsAnswer *answer = (const Musubi__CommandsAnswer *) message;
    bool good = true;
    for (size_t i = 0; i < answer->n_commands && good; i++)
        good = read_record (answer->commands [i], take, owner, last);
    char why [WHY_BYTES];
    if (good && answer->next) /* further than what is told: what is hidden was looked at too */
        good = txid_take (last, answer->next, "next", why);
    *more = answer->more && (answer->next || answer->n_commands > 0);
    message_free (message);
    return good;
}
