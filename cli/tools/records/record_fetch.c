/*  record_fetch - pages of commands from many participants at once, read from proto. */
#include "record_fetch.h"

#include "ledger.pb-c.h"
#include "message.h"
#include "must.h"
#include "part_record.h"
#include "transactions.h"

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
static bool read_record (const Musubi__CommandRecord *from, records_take_fn *each, void *owner,
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
    each (owner, &record);
    check_record_clear (&record);
    return true;
}

bool records_read (bytes_t body, records_take_fn *each, void *owner, txid_t *last, bool *more)
{
    message_auto_t *message = message_unpack (&musubi__commands_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__CommandsAnswer *answer = (const Musubi__CommandsAnswer *) message;
    bool good = true;
    for (size_t i = 0; i < answer->n_commands && good; i++)
        good = read_record (answer->commands [i], each, owner, last);
    char why [WHY_BYTES];
    if (good && answer->next) /* behind the last record that is shown: hidden ones were looked
                                 at, too */
        good = codec_take (&txid_codec, last, answer->next, why);
    *more = answer->more && (answer->next || answer->n_commands > 0);
    return good;
}

/*  --- rows --- */

bool rows_read (bytes_t body, rows_take_fn *each, void *owner, uint64_t *last, bool *more)
{
    message_auto_t *message = message_unpack (&musubi__rows_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__RowsAnswer *answer = (const Musubi__RowsAnswer *) message;
    for (size_t i = 0; i < answer->n_rows; i++)
        each (owner, (bytes_t){.data = answer->rows [i].data, .size = answer->rows [i].len});
    *last = answer->last;
    *more = answer->more && answer->n_rows > 0;
    return true;
}

/*  --- asking --- */

/*  One participant on its way through the pages. */
typedef struct {
    const char *name;
    const char *endpoint;
    commands_request_t asked;
    uint64_t call; /* 0 = all is read, or it does not answer */
} record_fetch_reader_t;

bool keeps_records (const char *name)
{
    static const char *const kinds [] = {"lis/", "nis/", "gis/", "replica/"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds [0]; i++)
        if (strncmp (name, kinds [i], strlen (kinds [i])) == 0)
            return true;
    return false;
}

static void record_fetch_ask (session_t *session, record_fetch_reader_t *reader)
{
    packed_t body = codec_encode (&commands_request_codec, &reader->asked);
    reader->call =
      client_send (session->client, &(client_request_t){.endpoint = reader->endpoint,
                                                        .service = "Participant",
                                                        .method = "Commands",
                                                        .actor = session->places.actor,
                                                        .body = packed_bytes (body),
                                                        .timeout_ms = session->places.timeout_ms});
    free (body.data);
}

static void take_one (void *owner, const check_record_t *record)
{
    record_fetch_t *self = owner;
    if ((self->txid && !txid_means (self->txid, &record->plan.txid)) ||
        (self->store && txid_store_compare (&record->plan.txid, self->store) != 0))
        return;
    for (size_t i = 0; i < record->plan.participants_count; i++)
        take (self->named, record->plan.participants [i].name, json_true ());
    self->take_record (self->owner, self->participant, record);
}

/*  One page; asks for the next. */
static void record_fetch_take_page (record_fetch_t *self, session_t *session,
                                    record_fetch_reader_t *reader, const client_reply_t *reply)
{
    bool more = false;
    bool told = reply->status == CALL_OK;
    self->participant = reader->name;
    reader->call = 0;
    if (!told || !records_read (reply->body, take_one, self, &reader->asked.after, &more))
        take (self->silent, reader->name,
              json_string (told                              ? "its records can't be read"
                           : reply->status == CALL_TIMED_OUT ? "no answer in time"
                                                             : reply->reason));
    else if (more && self->store)
        more = txid_store_compare (&reader->asked.after, self->store) <= 0; /* they ascend */
    if (told && !more && !json_object_get (self->silent, reader->name))
        take (self->heard, reader->name, json_true ());
    reader->asked.after_set = true;
    if (more)
        record_fetch_ask (session, reader);
}

static void take_pages (record_fetch_t *self, session_t *session, record_fetch_reader_t *readers,
                        size_t count)
{
    client_reply_t reply;
    for (size_t waiting = count; waiting > 0 && !cli_interrupted ();) {
        if (!client_wait (session->client, -1, &reply))
            break;
        size_t r = 0;
        while (r < count && readers [r].call != reply.call)
            r++;
        if (r < count) {
            record_fetch_take_page (self, session, &readers [r], &reply);
            waiting -= readers [r].call == 0;
        }
    }
    for (size_t r = 0; r < count; r++)
        if (readers [r].call != 0)
            take (self->silent, readers [r].name, json_string ("interrupted"));
}

void record_fetch_run (record_fetch_t *self, session_t *session)
{
    self->heard = made (json_object ());
    self->silent = made (json_object ());
    self->named = made (json_object ());
    commands_request_t asked = {.only_set = self->txid && txid_whole (self->txid)};
    if (asked.only_set)
        asked.only = txid_read (self->txid);
    asked.after_set = self->store && txid_before (self->store, &asked.after);
    record_fetch_reader_t *readers =
      must (calloc (json_array_size (session->entries) + 1, sizeof *readers));
    size_t count = 0;
    json_each (entry, session->entries) {
        if (!keeps_records (text_of (entry, "name")) ||
            (self->kind && !entry_is (entry, self->kind)))
            continue;
        readers [count] = (record_fetch_reader_t){text_of (entry, "name"),
                                                  text_of (entry, "endpoint"), .asked = asked};
        record_fetch_ask (session, &readers [count++]);
    }
    take_pages (self, session, readers, count);
    free (readers);
    const char *name;
    json_t *value;
    json_object_foreach (self->named, name, value)
    {
        if (!self->kind && !json_object_get (self->heard, name) &&
            !json_object_get (self->silent, name))
            take (self->silent, name, json_string ("not in the directory"));
    }
}

void record_fetch_clear (record_fetch_t *self)
{
    json_decref (self->heard);
    json_decref (self->silent);
    json_decref (self->named);
}
