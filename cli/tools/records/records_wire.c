/*  records - pages of commands, rows, reservations and profiles, from proto to plain values. */
#include "records.h"

#include "calendar.pb-c.h"
#include "ledger.pb-c.h"
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

/*  The caller owns the list. */
static compute_booking_t *take_bookings (Musubi__ComputeBooking *const *from, size_t count)
{
    compute_booking_t *list = must (calloc (count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++) {
        take_text (list [i].need, sizeof list [i].need, from [i]->need);
        take_text (list [i].class_name, sizeof list [i].class_name, from [i]->class_name);
        list [i].cpus = from [i]->cpus;
        list [i].nodes = from [i]->nodes;
        list [i].from_ms = from [i]->from_ms;
        list [i].until_ms = from [i]->until_ms;
    }
    return list;
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
    compute_booking_t *bookings = take_bookings (from->bookings, from->n_bookings);
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

/*  --- rows, reservations, profiles --- */

packed_t rows_question (uint64_t from)
{
    Musubi__RowsRequest request = MUSUBI__ROWS_REQUEST__INIT;
    request.from = from;
    return packed_of (&request.base);
}

bool rows_read (bytes_t body, rows_take_fn *take, void *owner, uint64_t *last, bool *more)
{
    ProtobufCMessage *message = message_unpack (&musubi__rows_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__RowsAnswer *answer = (const Musubi__RowsAnswer *) message;
    for (size_t i = 0; i < answer->n_rows; i++)
        take (owner, (bytes_t){.data = answer->rows [i].data, .size = answer->rows [i].len});
    *last = answer->last;
    *more = answer->more && answer->n_rows > 0;
    message_free (message);
    return true;
}

packed_t parts_question (const char *after)
{
    Musubi__ListRequest request = MUSUBI__LIST_REQUEST__INIT;
    if (after)
        request.after = (char *) after;
    return packed_of (&request.base);
}

static bool read_part (const Musubi__PartRecord *from, parts_take_fn *take, void *owner)
{
    char why [WHY_BYTES];
    circuit_t *circuits;
    size_t circuits_count;
    if (from->version == 0)
        return true; /* only its first change is pending */
    if (!circuits_take (&circuits, &circuits_count, from->circuits, from->n_circuits, why))
        return false;
    compute_booking_t *bookings = take_bookings (from->bookings, from->n_bookings);
    take (owner, &(told_part_t){.id = from->reservation,
                                .version = from->version,
                                .bookings = bookings,
                                .bookings_count = from->n_bookings,
                                .circuits = circuits,
                                .circuits_count = circuits_count});
    free (bookings);
    circuits_free (circuits, circuits_count);
    return true;
}

bool parts_read (bytes_t body, parts_take_fn *take, void *owner, char next [NAME_BYTES_MAX + 1],
                 bool *more)
{
    ProtobufCMessage *message = message_unpack (&musubi__list_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__ListAnswer *answer = (const Musubi__ListAnswer *) message;
    bool good = true;
    for (size_t i = 0; i < answer->n_records && good; i++)
        good = read_part (answer->records [i], take, owner);
    take_text (next, NAME_BYTES_MAX + 1, answer->next);
    *more = answer->more && *answer->next;
    message_free (message);
    return good;
}

packed_t profiles_question (int64_t from_ms, int64_t until_ms)
{
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = from_ms;
    request.until_ms = until_ms;
    request.without_work = true; /* a ledger tells of reservations */
    return packed_of (&request.base);
}

bool profiles_read (bytes_t body, profile_take_fn *take, void *owner)
{
    ProtobufCMessage *message = message_unpack (&musubi__profile_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__ProfileAnswer *answer = (const Musubi__ProfileAnswer *) message;
    for (size_t i = 0; i < answer->n_profiles; i++) {
        const Musubi__Profile *profile = answer->profiles [i];
        for (size_t s = 0; s < profile->n_steps; s++) {
            bool last = s + 1 == profile->n_steps;
            int64_t until_ms = last ? profile->until_ms : profile->steps [s + 1]->from_ms;
            take (owner, profile->resource, profile->steps [s]->from_ms, until_ms,
                  profile->steps [s]->free);
        }
    }
    message_free (message);
    return true;
}
