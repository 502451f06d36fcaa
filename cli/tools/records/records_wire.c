/*  records - pages of commands and rows, from proto to plain values. */
#include "records.h"

#include "ledger.pb-c.h"
#include "message.h"
#include "must.h"

#include <stdlib.h>

/*  --- commands --- */

static const codec_row_t record_rows [] = {
  ROW_UNUSED ("plan"), /* see read_record */
  ROW_ENUM ("state", check_record_t, state, COMMAND_STATES - 1),
  ROW_LIST ("bookings", check_record_t, bookings, bookings_count, compute_booking, 0, BOOKINGS_MAX),
  ROW_FLAG ("done", check_record_t, done),
  ROW_NUMBER ("prepared_ms", check_record_t, prepared_ms),
  ROW_LIST ("circuits", check_record_t, circuits, circuits_count, circuit, 0, CIRCUITS_MAX),
  ROW_NUMBER ("held_ms", check_record_t, held_ms),
  ROW_NUMBER ("epoch", check_record_t, epoch),
  ROW_WORD ("fenced_by", check_record_t, fenced_by, OR_NONE),
  ROW_LIST ("space", check_record_t, space, space_count, space_booking, 0, BOOKINGS_MAX),
};
const codec_t check_record_codec = CODEC (check_record_t, command_record, record_rows);

/*  The request that a plan was made for, as its planner packed it; NULL when it can't be read. */
static user_request_t *record_request_read (const plan_t *plan)
{
    char why [WHY_BYTES];
    user_request_t *request = must (calloc (1, sizeof *request));
    bool good = plan->request_size > 0 &&
                codec_decode (&user_request_codec, request,
                              (bytes_t){.data = plan->request, .size = plan->request_size}, why);
    for (size_t i = 0; i < request->network_count; i++)
        good = good && request->network [i].ends_count == 2;
    if (good)
        return request;
    user_request_clear (request);
    free (request);
    return NULL;
}

/*  A tombstone has only the txid of a plan: the rest of its plan is empty. */
static bool read_record (const Musubi__CommandRecord *from, records_take_fn *take, void *owner,
                         txid_t *last)
{
    char why [WHY_BYTES];
    check_record_t record;
    if (!from->plan || !codec_take_field (&txid_codec, last, from->plan->txid, "txid", why) ||
        !codec_take (&check_record_codec, &record, from, why))
        return false;
    if (!codec_take (&plan_codec, &record.plan, from->plan, why))
        record.plan.txid = *last;
    record.request = record_request_read (&record.plan);
    take (owner, &record);
    check_record_clear (&record);
    return true;
}

bool records_read (bytes_t body, records_take_fn *take, void *owner, txid_t *last, bool *more)
{
    message_auto_t *message = message_unpack (&musubi__commands_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__CommandsAnswer *answer = (const Musubi__CommandsAnswer *) message;
    bool good = true;
    for (size_t i = 0; i < answer->n_commands && good; i++)
        good = read_record (answer->commands [i], take, owner, last);
    char why [WHY_BYTES];
    if (good && answer->next) /* behind the last record that is shown: hidden ones were looked
                                 at, too */
        good = codec_take (&txid_codec, last, answer->next, why);
    *more = answer->more && (answer->next || answer->n_commands > 0);
    return good;
}

/*  --- rows --- */

bool rows_read (bytes_t body, rows_take_fn *take, void *owner, uint64_t *last, bool *more)
{
    message_auto_t *message = message_unpack (&musubi__rows_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__RowsAnswer *answer = (const Musubi__RowsAnswer *) message;
    for (size_t i = 0; i < answer->n_rows; i++)
        take (owner, (bytes_t){.data = answer->rows [i].data, .size = answer->rows [i].len});
    *last = answer->last;
    *more = answer->more && answer->n_rows > 0;
    return true;
}
