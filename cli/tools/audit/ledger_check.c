/*  ledger_check - reading a ledger page by page. */
#include "ledger_check.h"

#include "check_gather.h"
#include "ledger_file.h"
#include "ledger_wire.h"
#include "must.h"
#include "records.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

static void ledger_check_tell (void *owner, const char *sentence)
{
    const ledger_check_t *self = owner;
    char line [640];
    snprintf (line, sizeof line, "%s: %s", self->name, sentence);
    check_tell (self->teller, line);
}

void ledger_check_begin (ledger_check_t *self, const char *name, const char *endpoint,
                         session_t *session, check_teller_t *teller)
{
    *self = (ledger_check_t){.session = session, .teller = teller};
    snprintf (self->name, sizeof self->name, "%s", name);
    snprintf (self->endpoint, sizeof self->endpoint, "%s", endpoint);
    self->replay = ledger_replay_new (ledger_check_tell, self);
}

void ledger_check_end (ledger_check_t *self)
{
    assert (!self->file);
    ledger_replay_destroy (&self->replay);
}

bool ledger_check_saved (ledger_check_t *self)
{
    FILE *file = self->file;
    self->file = NULL;
    if (!file || !self->heard)
        cli_fail (EXIT_USAGE, "audit: the ledger of %s is not saved: %s", self->name, self->why);
    if (!file)
        return false;
    if (ledger_file_end (file, self->heard))
        return self->heard;
    return cli_refuse ("audit: only a part of the ledger of %s is saved: %s", self->name,
                       strerror (errno));
}

bool ledger_check_ask (ledger_check_t *self, const char *service, const char *method,
                       packed_t question, client_reply_t *reply)
{
    if (check_ask (self->session, self->endpoint, service, method, question, reply))
        return true;
    snprintf (self->why, sizeof self->why, "%s",
              reply->status == CALL_TIMED_OUT ? "no answer in time" : reply->reason);
    return false;
}

static void ledger_check_take_row (void *owner, bytes_t row)
{
    ledger_check_t *self = owner;
    ledger_replay_row (self->replay, row);
    if (self->file)
        ledger_file_row (self->file, row);
}

/*  "FOLDER/lis-ams-0123456789abcdef.ledger" */
static void open_file (ledger_check_t *self, const char *folder)
{
    char name [sizeof self->name];
    char store [17];
    text_auto_t *path = NULL;
    memcpy (name, self->name, sizeof name);
    char *slash = strchr (name, '/');
    if (slash)
        *slash = '-';
    sodium_bin2hex (store, sizeof store, self->store, sizeof store / 2);
    path = must_print ("%s/%s-%s.ledger", folder, name, store);
    self->file = ledger_file_new (path, self->store);
    if (!self->file && errno == EEXIST)
        snprintf (self->why, sizeof self->why, "%.200s is there already: name a new folder", path);
    else if (!self->file)
        snprintf (self->why, sizeof self->why, "%.200s: %s", path, strerror (errno));
}

bool ledger_check_read (ledger_check_t *self, const char *folder)
{
    bool first = self->last == 0;
    for (bool more = true; more;) {
        client_reply_t reply;
        uint64_t next = self->replay->figures.last + 1;
        rows_question_t question = {.from = first ? 0 : next};
        self->heard = ledger_check_ask (self, "Ledger", "Rows",
                                        codec_encode (&rows_question_codec, &question), &reply);
        if (!self->heard)
            return false;
        if (!first && memcmp (reply.store, self->store, STORE_ID_BYTES) != 0) {
            snprintf (self->why, sizeof self->why, "another store answers in its place since");
            return self->heard = false;
        }
        if (first) {
            memcpy (self->store, reply.store, STORE_ID_BYTES);
            if (folder)
                open_file (self, folder);
        }
        first = false;
        if (!rows_read (reply.body, ledger_check_take_row, self, &self->last, &more)) {
            snprintf (self->why, sizeof self->why, "its rows can't be read");
            return self->heard = false;
        }
        if (more && self->replay->figures.last < next) {
            snprintf (self->why, sizeof self->why, "its rows do not continue after row %" PRIu64,
                      next - 1);
            return self->heard = false;
        }
    }
    return true;
}
