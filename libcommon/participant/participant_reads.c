/*  participant_reads - requests that wait for the records of shelved commands.
 *
 *  A request that needs such a record waits until it has been read, and is then served from its
 *  beginning, as if it came now: nothing was said or changed for it before. Until then nobody is
 *  told that the txid is not known (T5, T7). What was read counts only while the command is still
 *  on the shelf: it may have been pruned meanwhile.
 */
#include "must.h"
#include "participant_state.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    txid_t txid;
    packed_t record; /* empty: not read, or not in the store */
} shelf_read_t;

/*  A request that waits. */
typedef struct {
    request_t request; /* what it points to is kept behind the reads */
    uint64_t last;     /* the number of the last read; those of the others come before it */
    size_t count;
    size_t missing;
    shelf_read_t reads [];
} read_wait_t;

static size_t reads_counted (const participant_t *self, const txid_t *txids, size_t count)
{
    size_t shelved = 0;
    for (size_t i = 0; i < count; i++)
        shelved += command_shelved (self, &txids [i]);
    return shelved;
}

/*  Copies the text to *at, which goes on behind it. */
static const char *read_wait_text (char **at, const char *text)
{
    char *kept = *at;
    *at = stpcpy (kept, text) + 1;
    return kept;
}

/*  With a copy of the request, and room for so many reads. */
static read_wait_t *read_wait_new (const request_t *request, size_t count)
{
    size_t size = strlen (request->service) + strlen (request->method) + strlen (request->actor) +
                  strlen (request->request_id) + 4 + request->body.size;
    read_wait_t *self = must (calloc (1, sizeof *self + count * sizeof *self->reads + size));
    char *at = (char *) &self->reads [count];
    self->request = (request_t){.service = read_wait_text (&at, request->service),
                                .method = read_wait_text (&at, request->method),
                                .actor = read_wait_text (&at, request->actor),
                                .request_id = read_wait_text (&at, request->request_id),
                                .body = {.data = (uint8_t *) at, .size = request->body.size},
                                .reply_to = request->reply_to};
    if (request->body.size > 0)
        memcpy (at, request->body.data, request->body.size);
    self->missing = count;
    return self;
}

static void read_wait_free (void *thing)
{
    read_wait_t *self = thing;
    for (size_t i = 0; i < self->count; i++)
        free (self->reads [i].record.data);
    free (self);
}

static void read_wait_add (participant_t *self, read_wait_t *wait, const txid_t *txid)
{
    service_t *service = self->service;
    uint8_t key [TXID_BYTES];
    txid_pack (txid, key);
    wait->reads [wait->count++].txid = *txid;
    wait->last = ++service->reads;
    read_order_t order = {.read = wait->last,
                          .table = TABLE_COMMANDS,
                          .from = {.data = key, .size = sizeof key},
                          .most = 1};
    outbox_read (service->outbox, &order);
}

bool reads_ready (participant_t *self, const request_t *request, const txid_t *txids, size_t count)
{
    size_t shelved = reads_counted (self, txids, count);
    if (shelved == 0)
        return true;
    if (self->reads + shelved > RECORD_READS_MAX)
        return service_refuse (self->service, request, CALL_OVERLOADED,
                               "%zu records are being read, and at most %d may be at once: ask "
                               "again later",
                               self->reads, RECORD_READS_MAX);
    read_wait_t *wait = read_wait_new (request, shelved);
    for (size_t i = 0; i < count; i++)
        if (command_shelved (self, &txids [i]))
            read_wait_add (self, wait, &txids [i]);
    self->reads += shelved;
    ordered_add (self->waits, &wait->last, wait);
    return false;
}

/*  Takes the record that was asked for; it is empty when the store has none of that txid. */
static packed_t read_record_of (const txid_t *txid, const event_t *event)
{
    txid_t found;
    bool there = event->rows.count > 0 && txid_unpack (&found, event->rows.rows [0].key) &&
                 txid_compare (&found, txid) == 0;
    return there ? packed_copy (event->rows.rows [0].value) : (packed_t){0};
}

static bool reads_heard (void *owner, const moment_t *now, const event_t *event)
{
    participant_t *self = owner;
    uint64_t before = event->rows.read - 1;
    read_wait_t *wait = ordered_after (self->waits, &before);
    if (!wait || wait->last - event->rows.read >= wait->count)
        return false;
    shelf_read_t *read = &wait->reads [wait->count - 1 - (wait->last - event->rows.read)];
    read->record = read_record_of (&read->txid, event);
    if (--wait->missing > 0)
        return true;
    ordered_remove (self->waits, &wait->last);
    self->reads -= wait->count;
    for (size_t i = 0; i < wait->count; i++)
        shelf_fetch (self, &wait->reads [i].txid, packed_bytes (wait->reads [i].record));
    self->served_again = true;
    service_request (self->service, now, &wait->request);
    self->served_again = false;
    read_wait_free (wait);
    return true;
}

void reads_begin (participant_t *self)
{
    self->waits = ordered_by_number (offsetof (read_wait_t, last));
    service_on_rows (self->service, reads_heard, self);
}

void reads_end (participant_t *self)
{
    ordered_end (&self->waits, read_wait_free);
}
