/*  record_fetch - pages of commands from many participants at once. */
#include "record_fetch.h"

#include "json_fields.h"
#include "must.h"
#include "part_record.h"
#include "transactions.h"

#include <string.h>

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
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (session->entries, i)); i++) {
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
