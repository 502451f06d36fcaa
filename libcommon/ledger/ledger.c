/*  ledger - the end of the chain, in memory: the number of its last row, and the digest that the
 *  next row carries.
 *
 *  Rows that are asked for are read from the store, after the flush of the step that asks, so that
 *  nobody is told of a row that may still be lost.
 */
#include "ledger.h"

#include "access.h"
#include "ledger_cut.h"
#include "ledger_wire.h"
#include "must.h"
#include "service.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_BYTES_MAX (BODY_BYTES_MAX - 65536) /* in one answer; the rest is for its envelope */
#define ROWS_MOST      4096                     /* in one answer */

static_assert (LEDGER_DIGEST_BYTES == crypto_generichash_BYTES, "BLAKE2b-256");

/*  A question for rows; read 0: this place is free. */
typedef struct {
    uint64_t read;
    ledger_read_fn *done;
    void *owner;
    uint64_t token;
} ledger_pending_t;

static const setting_t ledger_settings [] = {
  SET_DURATION (ledger_limits_t, retention_ms, "ledger/retention", MS_YEAR, MS_SECOND,
                100 * MS_YEAR,
                "how long rows of the ledger are kept; longer while what they record is still "
                "there"),
  SET_COUNT (ledger_limits_t, segments_bytes, "ledger/segments", INT64_C (16) << 30, 1,
             SETTING_BYTES_MOST,
             "bytes that segments of the ledger may take; beyond that the oldest leave"),
  SET_COUNT (ledger_limits_t, segment_rows, "ledger/segment_rows", SEGMENT_ROWS, 16, 65536,
             "for tests: rows that leave the store as one segment; as many stay in it"),
};
const setting_table_t ledger_table = SETTING_TABLE (ledger_limits_t, ledger_settings, NULL);

struct ledger {
    service_t *service;
    ledger_cut_t cut;
    const access_t *access;
    ledger_quantities_fn *quantities;
    void *quantities_owner;
    uint64_t last;
    uint8_t digest [LEDGER_DIGEST_BYTES];
    ledger_pending_t pending [LEDGER_READS_MAX];
};

/*  --- keys --- */

static bytes_t ledger_key_of (uint64_t number, uint8_t key [LEDGER_KEY_BYTES])
{
    number_put (key, number, LEDGER_KEY_BYTES);
    return (bytes_t){.data = key, .size = LEDGER_KEY_BYTES};
}

/*  --- appending --- */

void ledger_append (ledger_t *self, const ledger_entry_t *entry)
{
    service_t *service = self->service;
    ledger_entry_t row = *entry;
    if (!row.caller)
        row.caller = service->caller;
    ledger_place_t place = {.number = self->last + 1,
                            .before = self->digest,
                            .start = service->store.start,
                            .wall_ms = service->wall_ms};
    packed_t packed = ledger_row_encode (&place, &row);
    uint8_t key [LEDGER_KEY_BYTES];
    outbox_put (service->outbox, TABLE_LEDGER, ledger_key_of (place.number, key),
                (bytes_t){.data = packed.data, .size = packed.size});
    crypto_generichash (self->digest, sizeof self->digest, packed.data, packed.size, NULL, 0);
    self->last = place.number;
    free (packed.data);
    ledger_cut_hurry (&self->cut);
}

void ledger_append_whole (ledger_t *self, const ledger_entry_t *entry)
{
    ledger_entry_t whole = *entry;
    memory_auto ledger_quantity_t *quantities = NULL;
    if (self->quantities)
        quantities = self->quantities (self->quantities_owner, &whole.quantities_count);
    whole.quantities = quantities;
    ledger_append (self, &whole);
}

uint64_t ledger_last (const ledger_t *self)
{
    return self->last;
}

const uint8_t *ledger_digest (const ledger_t *self)
{
    return self->digest;
}

/*  --- start --- */

/*  Finds the last sound row. Damaged rows after it are counted, because their keys may be damaged,
 *  too. */
static void ledger_on_record (void *owner, bytes_t key, bytes_t value)
{
    ledger_t *self = owner;
    bool damaged = value.size == RECORD_DAMAGED.size &&
                   memcmp (value.data, RECORD_DAMAGED.data, value.size) == 0;
    if (!damaged && ledger_number (key) > 0) {
        self->last = ledger_number (key);
        crypto_generichash (self->digest, sizeof self->digest, value.data, value.size, NULL, 0);
        return;
    }
    self->last++;
    memset (self->digest, 0, sizeof self->digest);
    service_count (self->service, "bad_records", 1);
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "ledger row %llu is damaged: audits can't see what it recorded",
                (unsigned long long) self->last);
}

static void ledger_on_start (void *owner, const moment_t *now)
{
    ledger_t *self = owner;
    ledger_append_whole (self, &(ledger_entry_t){.kind = LEDGER_STARTED});
    ledger_cut_start (&self->cut, now);
}

void ledger_access (ledger_t *self, const access_t *access)
{
    self->access = access;
}

void ledger_capacities (ledger_t *self, ledger_quantities_fn *quantities, void *owner)
{
    self->quantities = quantities;
    self->quantities_owner = owner;
}

void ledger_limit (ledger_t *self, const ledger_limits_t *limits)
{
    assert (limits->retention_ms > 0 && limits->segment_rows > 0);
    self->cut.limits = *limits;
}

void ledger_stands (ledger_t *self, ledger_stands_fn *stands, void *owner)
{
    assert (self->cut.judges_count < STANDS_MAX);
    self->cut.judges [self->cut.judges_count].stands = stands;
    self->cut.judges [self->cut.judges_count++].owner = owner;
}

/*  --- reading --- */

bool ledger_read (ledger_t *self, const ledger_page_t *page, ledger_read_fn *done, void *owner,
                  uint64_t token)
{
    size_t at = 0;
    while (at < LEDGER_READS_MAX && self->pending [at].read > 0)
        at++;
    if (at == LEDGER_READS_MAX)
        return false;
    self->pending [at] = (ledger_pending_t){
      .read = ++self->service->reads, .done = done, .owner = owner, .token = token};
    uint8_t key [LEDGER_KEY_BYTES];
    outbox_read (self->service->outbox, &(read_order_t){.read = self->service->reads,
                                                        .table = TABLE_LEDGER,
                                                        .from = ledger_key_of (page->from, key),
                                                        .most = page->most,
                                                        .bytes = page->bytes,
                                                        .store_alone = page->store_alone});
    return true;
}

void ledger_rows (ledger_t *self, const moment_t *now, const event_t *event)
{
    for (size_t i = 0; i < LEDGER_READS_MAX; i++) {
        ledger_pending_t pending = self->pending [i];
        if (pending.read == 0 || pending.read != event->rows.read)
            continue;
        self->pending [i].read = 0;
        pending.done (pending.owner, now, pending.token, event->rows.rows, event->rows.count,
                      event->rows.more);
        return;
    }
}

/*  The token is the request's. */
static void on_read (void *owner, const moment_t *now, uint64_t token, const row_t *rows,
                     size_t count, bool more)
{
    (void) now;
    ledger_t *self = owner;
    service_reply_to (self->service, token, rows_answer_encode (rows, count, more, self->last));
}

static void ledger_on_rows (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    ledger_t *self = owner;
    const rows_question_t *asked = body;
    uint32_t most = asked->most;
    if (!self->access || !may (self->access, VERB_ADMINISTER, request->actor, request->actor, "")) {
        service_refuse (self->service, request, CALL_DENIED, "%.63s is no administrator of %s",
                        request->actor, self->service->name);
        return;
    }
    if (most == 0 || most > ROWS_MOST)
        most = ROWS_MOST;
    if (!ledger_read (self, &(ledger_page_t){asked->from, most, ROWS_BYTES_MAX, false}, on_read,
                      self, request->reply_to))
        service_refuse (
          self->service, request, CALL_OVERLOADED,
          "%d questions for rows are under way, which is the most at once: ask again later",
          LEDGER_READS_MAX);
}

/*  --- its life --- */

ledger_t *ledger_new (service_t *service)
{
    ledger_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->cut = (ledger_cut_t){.service = service,
                               .ledger = self,
                               .limits = SETTINGS_PRESET (ledger_limits_t, &ledger_table)};
    service_load (service, TABLE_LEDGER, ledger_on_record, self);
    service_at_start (service, ledger_on_start, self);
    service_on_work (service, ledger_cut_on_work, &self->cut);
    service_serve (service, "Ledger", "Rows", &rows_question_codec, ALWAYS, ledger_on_rows, self);
    return self;
}

void ledger_destroy (ledger_t **self_p)
{
    ledger_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->service->timers, self->cut.timer);
    free (self);
    *self_p = NULL;
}
