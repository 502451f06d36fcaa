/*  gathering - pages of commands from many participants at once. */
#include "gathering.h"

#include "check_gather.h"
#include "fields.h"
#include "must.h"
#include "transactions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*  One participant on its way through the pages. */
typedef struct {
    const json_t *entry;
    uint64_t call; /* 0 = it has told all, or does not answer */
} reader_t;

json_t *gathering_txid (const char *txid)
{
    char store [2 * STORE_ID_BYTES + 1];
    const char *start = strchr (txid, '-') + 1;
    const char *counter = strchr (start, '-') + 1;
    snprintf (store, sizeof store, "%.*s", (int) (start - 1 - txid), txid);
    json_t *json = must (json_pack ("{s:s, s:I, s:s}", "store", store, "start",
                                    (json_int_t) strtoull (start, NULL, 10), "counter", counter));
    return json;
}

static uint64_t ask (session_t *session, const json_t *entry, const char *txid, json_t *after)
{
    method_t method = services_method ("Participant", "Commands");
    json_t *question = json_object ();
    if (after)
        json_object_set (question, "after", after);
    if (txid && txid_whole (txid))
        json_object_set_new (question, "only", gathering_txid (txid));
    uint64_t call = session_send (session, text_of (entry, "endpoint"), &method, question);
    json_decref (question);
    return call;
}

static void take_records (gathering_t *self, const char *participant, const json_t *page,
                          const char *txid)
{
    const json_t *record;
    for (size_t i = 0; (record = item_of (page, "commands", i)); i++)
        if (json_object_get (record, "plan") && (!txid || transactions_means (record, txid)))
            transactions_take (self->transactions, participant, record);
}

/*  One page; asks for the next. */
static void take_page (gathering_t *self, session_t *session, reader_t *reader,
                       const client_reply_t *reply, const char *txid)
{
    method_t method = services_method ("Participant", "Commands");
    const char *name = text_of (reader->entry, "name");
    json_t *page = reply->status == CALL_OK ? services_answer (&method, reply->body) : NULL;
    reader->call = 0;
    if (!page) {
        take (self->silent, name,
              json_string (reply->status == CALL_OK          ? "its records can't be read"
                           : reply->status == CALL_TIMED_OUT ? "no answer in time"
                                                             : reply->reason));
        return;
    }
    take_records (self, name, page, txid);
    json_t *next = json_object_get (page, "next");
    if (flag_of (page, "more") && next)
        reader->call = ask (session, reader->entry, txid, next);
    else
        take (self->heard, name, json_string (""));
    json_decref (page);
}

static void note_unlisted (gathering_t *self)
{
    const char *txid;
    json_t *form;
    json_object_foreach (self->transactions, txid, form)
    {
        const json_t *one;
        for (size_t i = 0; (one = item_of (form, "participants", i)); i++) {
            const char *name = text_of (one, "participant");
            if (!json_object_get (self->heard, name) && !json_object_get (self->silent, name))
                take (self->silent, name, json_string ("not in the directory"));
        }
    }
}

void gathering_take (gathering_t *self, session_t *session, const char *txid)
{
    *self = (gathering_t){must (json_object ()), must (json_object ()), must (json_object ())};
    const json_t *entries = session->entries;
    reader_t *readers = must (calloc (json_array_size (entries) + 1, sizeof *readers));
    size_t count = 0;
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (entries, i)); i++)
        if (check_keeps_records (text_of (entry, "name")))
            readers [count++] = (reader_t){entry, ask (session, entry, txid, NULL)};
    for (size_t waiting = count; waiting > 0 && !cli_interrupted ();) {
        client_reply_t reply;
        if (!client_wait (session->client, -1, &reply))
            break;
        for (size_t r = 0; r < count; r++) {
            if (readers [r].call != reply.call)
                continue;
            take_page (self, session, &readers [r], &reply, txid);
            waiting -= readers [r].call == 0;
            break;
        }
    }
    free (readers);
    note_unlisted (self);
}

void gathering_clear (gathering_t *self)
{
    json_decref (self->transactions);
    json_decref (self->heard);
    json_decref (self->silent);
    *self = (gathering_t){0};
}
