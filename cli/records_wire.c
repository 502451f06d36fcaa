/*  records - pages of commands, from proto to plain values. */
#include "records.h"

#include "message.h"
#include "transaction_wire.h"

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

static void take_booking (compute_booking_t *to, const Musubi__ComputeBooking *from)
{
    snprintf (to->need, sizeof to->need, "%s", from->need);
    snprintf (to->class_name, sizeof to->class_name, "%s", from->class_name);
    to->cpus = from->cpus;
    to->nodes = from->nodes;
    to->from_ms = from->from_ms;
    to->until_ms = from->until_ms;
}

/*  A tombstone has no more of a plan than its txid: such a plan is empty but for that. */
static bool read_record (const Musubi__CommandRecord *record, records_take_fn *take, void *owner,
                         txid_t *last)
{
    char why [WHY_BYTES];
    plan_t plan = {0};
    if (!record->plan || !txid_take (last, record->plan->txid, "plan.txid", why) ||
        (int) record->state < 0 || (int) record->state >= COMMAND_STATES)
        return false;
    if (!plan_take (&plan, record->plan, why))
        plan = (plan_t){.txid = *last};
    compute_booking_t *bookings = calloc (record->n_bookings + 1, sizeof *bookings);
    if (!bookings)
        abort ();
    for (size_t i = 0; i < record->n_bookings; i++)
        take_booking (&bookings [i], record->bookings [i]);
    take (owner, &plan, (command_state_t) record->state, bookings, record->n_bookings);
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
