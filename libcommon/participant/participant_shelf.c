/*  participant_shelf - commands that have ended: that they are known, and until when.
 *
 *  Most of what a participant knows are commands that nothing changes any more. They stay known
 *  until they are pruned, but their records are in the store alone, and a start looks no further
 *  into these than it must. One that is asked for is read (participant_reads.c), and is a command
 *  until the end of that step. A record that looks sound and is not is found when it is asked for:
 *  then nothing is known of its txid, as with one that is found at the start.
 */
#include "message.h"
#include "must.h"
#include "participant_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*  Of a text, or of one after another. */
#define HASH_BEGIN UINT64_C (14695981039346656037)
static uint64_t shelf_hash (uint64_t hash, const void *text, size_t size)
{
    const uint8_t *at = text;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at [i]) * UINT64_C (1099511628211); /* FNV-1a */
    return hash;
}

static uint64_t shelf_hash_text (const char *text)
{
    return shelf_hash (HASH_BEGIN, text, strlen (text));
}

/*  --- orders --- */

#define REQUEST_BUCKETS_LEAST 64
#define REQUEST_BUCKET_MOST   8 /* of requests in one, on average */

static shelved_t **requests_of (const participant_t *self, uint64_t request)
{
    return &self->requests [request & (self->buckets - 1)];
}

static void request_link (participant_t *self, shelved_t *shelved)
{
    shelved_t **first = requests_of (self, shelved->request);
    shelved->beside = *first;
    *first = shelved;
}

/*  Of one that is on the shelf. A start brings requests in no order: what is sorted would be
 *  searched in cold memory for each. */
static void request_add (participant_t *self, shelved_t *shelved)
{
    if (++self->requests_count <= self->buckets * REQUEST_BUCKET_MOST) {
        request_link (self, shelved);
        return;
    }
    self->buckets *= REQUEST_BUCKET_MOST;
    free (self->requests);
    self->requests = must (calloc (self->buckets, sizeof (shelved_t *)));
    for (shelved_t *at = NULL; (at = ordered_after (self->shelf, at ? &at->txid : NULL));)
        if (at->request)
            request_link (self, at);
}

static void request_remove (participant_t *self, const shelved_t *shelved)
{
    shelved_t **at = requests_of (self, shelved->request);
    while (*at != shelved)
        at = &(*at)->beside;
    *at = shelved->beside;
    self->requests_count--;
}

static int shelf_by_txid (const void *key, const void *thing)
{
    return txid_compare (key, &((const shelved_t *) thing)->txid);
}

void shelf_open (participant_t *self)
{
    self->shelf = ordered_new (shelf_by_txid);
    self->buckets = REQUEST_BUCKETS_LEAST;
    self->requests = must (calloc (self->buckets, sizeof (shelved_t *)));
    TAILQ_INIT (&self->shelving);
}

void shelf_close (participant_t *self)
{
    timers_cancel (self->service->timers, self->shelf_timer);
    free (self->requests);
    ordered_end (&self->shelf, free);
}

/*  --- a record, as far as it is looked at --- */

typedef struct {
    command_state_t state;
    bool done;
    int64_t until_ms;
    bytes_t plan;
    uint64_t request; /* as a shelved command has it */
} shelf_peek_t;

static bool peek_record (bytes_t record, shelf_peek_t *peek)
{
    *peek = (shelf_peek_t){.done = false};
    for (wire_field_t field; wire_next (&record, &field);) {
        if (field.number == 1)
            peek->plan = field.bytes;
        else if (field.number == 2)
            peek->state = (command_state_t) field.value;
        else if (field.number == 8)
            peek->until_ms = (int64_t) field.value;
        else if (field.number == 10)
            peek->done = field.value != 0;
    }
    return record.size == 0;
}

static bool peek_txid (bytes_t message, txid_t *txid)
{
    for (wire_field_t field; wire_next (&message, &field);) {
        if (field.number == 1 && field.bytes.size == STORE_ID_BYTES)
            memcpy (txid->store, field.bytes.data, STORE_ID_BYTES);
        else if (field.number == 2)
            txid->start = (uint32_t) field.value;
        else if (field.number == 3)
            txid->counter = field.value;
    }
    return message.size == 0;
}

/*  False when it is not of this txid. */
static bool peek_plan (const txid_t *txid, shelf_peek_t *peek)
{
    bytes_t plan = peek->plan, actor = {0}, id = {0}, home = {0};
    txid_t own = {0};
    for (wire_field_t field; wire_next (&plan, &field);) {
        if (field.number == 1 && !peek_txid (field.bytes, &own))
            return false;
        if (field.number == 9)
            actor = field.bytes;
        else if (field.number == 10)
            id = field.bytes;
        else if (field.number == 11)
            home = field.bytes;
    }
    if (home.size > 0 && id.size > 0)
        peek->request = shelf_hash (
          shelf_hash (shelf_hash (HASH_BEGIN, actor.data, actor.size), "\n", 1), id.data, id.size);
    return plan.size == 0 && txid_compare (&own, txid) == 0;
}

static bool shelf_over (command_state_t state, bool done)
{
    return state == COMMAND_ABORTED || state == COMMAND_EXPIRED ||
           (done && (state == COMMAND_COMMITTED || state == COMMAND_EDGE_REFUSED));
}

/*  --- to the shelf and from it --- */

static void shelf_add (participant_t *self, const txid_t *txid, const shelf_peek_t *peek)
{
    shelved_t *shelved = must (malloc (sizeof *shelved));
    bool decided = peek->state == COMMAND_COMMITTED || peek->state == COMMAND_EDGE_REFUSED;
    *shelved = (shelved_t){
      .txid = *txid, .request = decided ? peek->request : 0, .until_ms = peek->until_ms};
    ordered_add (self->shelf, &shelved->txid, shelved);
    if (shelved->request)
        request_add (self, shelved);
}

bool shelf_load (participant_t *self, const txid_t *txid, bytes_t record)
{
    shelf_peek_t peek;
    if (self->resource.claims || !peek_record (record, &peek) || peek.plan.size == 0 ||
        !shelf_over (peek.state, peek.done) || !peek_plan (txid, &peek))
        return false;
    shelf_add (self, txid, &peek);
    return true;
}

void shelf_drop (participant_t *self, shelved_t *shelved)
{
    ordered_remove (self->shelf, &shelved->txid);
    if (shelved->request)
        request_remove (self, shelved);
    free (shelved);
}

void shelf_fetch (participant_t *self, const txid_t *txid, bytes_t record)
{
    shelved_t *shelved = ordered_find (self->shelf, txid);
    if (!shelved)
        return;
    shelf_drop (self, shelved);
    command_t *command = command_read (self, txid, record);
    if (command)
        shelf_later (command);
}

/*  Nobody waits for it, and its record is stored as it is. */
static bool shelf_ready (const command_t *command)
{
    return shelf_over (command->state, command->done) && !command->done_unstored &&
           command->question == 0 && !command->reservation && !command->taken && !command->claim;
}

static void shelf_on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) now, (void) token;
    participant_t *self = owner;
    self->shelf_timer = 0;
    for (command_t *command; (command = TAILQ_FIRST (&self->shelving));) {
        TAILQ_REMOVE (&self->shelving, command, open_link);
        command->shelving = false;
        if (!shelf_ready (command))
            continue;
        shelf_peek_t peek = {.state = command->state, .until_ms = command->until_ms};
        if (command->request)
            peek.request = shelf_hash_text (command->request);
        txid_t txid = command->txid;
        command_free (command);
        shelf_add (self, &txid, &peek);
    }
}

void shelf_later (command_t *command)
{
    participant_t *self = command->participant;
    if (command->shelving || self->resource.claims || command->plan.size == 0 ||
        !command_finished (command))
        return;
    command->shelving = true;
    TAILQ_INSERT_TAIL (&self->shelving, command, open_link);
    if (self->shelf_timer == 0) /* at the end of this step */
        self->shelf_timer = timers_set (self->service->timers, 0, shelf_on_time, self, 0);
}

/*  --- finding --- */

bool command_known (const participant_t *self, const txid_t *txid)
{
    return ordered_find (self->commands, txid) || command_shelved (self, txid);
}

bool command_shelved (const participant_t *self, const txid_t *txid)
{
    return ordered_find (self->shelf, txid) != NULL;
}

command_t *command_find (const participant_t *self, const txid_t *txid)
{
    assert (!command_shelved (self, txid));
    return ordered_find (self->commands, txid);
}

shelved_t *shelf_next (const participant_t *self, const txid_t *after, command_t **command)
{
    shelved_t *shelved = ordered_after (self->shelf, after);
    *command = ordered_after (self->commands, after);
    bool first = shelved && (!*command || txid_compare (&shelved->txid, &(*command)->txid) < 0);
    return first ? shelved : NULL;
}

size_t shelf_requested (const participant_t *self, const plan_t *plan, txid_t *txids)
{
    char *text = command_request_text (plan);
    uint64_t request = shelf_hash_text (text);
    free (text);
    size_t count = 0;
    for (const shelved_t *at = *requests_of (self, request); at; at = at->beside) {
        if (at->request != request)
            continue;
        if (txids)
            txids [count] = at->txid;
        count++;
    }
    return count;
}
