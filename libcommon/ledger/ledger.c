/*  ledger - the end of the chain, in memory: the number of its last row, and the digest that the
 *  next row carries.
 *
 *  Rows that are asked for are read from the store, after the flush of the step that asks, so that
 *  nobody is told of a row that may still be lost.
 */
#include "ledger.h"

#include "access.h"
#include "ledger_wire.h"
#include "must.h"
#include "segment.h"
#include "service.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/*  --- rows leave the ledger, from the front only ---
 *
 *      the store ── LEDGER_EXPORTED ──► a segment ── LEDGER_CUT ──► gone
 *
 *  As soon as the store has twice limits.segment_rows of them, the first segment_rows are written
 *  to a segment (segment.h), whatever still exists. Once that is flushed they are deleted from the
 *  store, in the same write as the row that tells of it. Until then they are in both places.
 *
 *  A row leaves for good when it is older than the retention and nothing that still exists needs
 *  it: no command, reservation, claim or decision on record. The first row that must stay keeps all
 *  after it. A row that says what was cut, and lists all capacities, is stored first; a segment of
 *  which all rows were cut is deleted afterwards. When less than a fifth of the store is left, rows
 *  that nothing needs leave early; when segments take more than limits.segments_bytes, the oldest
 *  rows leave whatever needs them. Both raise an alarm: promises are worth more than the record of
 *  them.
 */

#define STANDS_MAX 4

typedef struct {
    struct service *service;
    ledger_t *ledger; /* that it is a part of */
    ledger_limits_t limits;
    struct {
        ledger_stands_fn *stands;
        void *owner;
    } judges [STANDS_MAX];
    size_t judges_count;
    uint64_t timer;        /* 0: rows are being read, or exported */
    int64_t set_ms;        /* when the timer was set */
    bool hurried;          /* it was set earlier since, or that would be of no use */
    bool early;            /* the alarm was given */
    uint64_t kept_from;    /* as far as it is known; nothing is kept before it */
    int64_t first_wall_ms; /* of the first row kept; 0 = not known */
    uint64_t stored_from;  /* the first row in the store; 0 = not known */
    bool segments;         /* there are some */
    uint64_t bytes;        /* that they take; 0 = not known */
    uint64_t works;        /* ordered so far; UINT64_MAX less this is the number of the last one */
    uint64_t export_first; /* the rows that it exports; 0: none */
    uint64_t export_last;
    uint64_t dropping; /* kept_from as the last work was told, */
    uint64_t dropped;  /* and as the last one that ended well was */
} ledger_cut_t;

#define CUT_REST_MS 60000 /* between two looks, */
#define CUT_PACE_MS 10    /* or when there is more to do */
#define CUT_STEP    1024  /* rows looked at in one go */
#define CUT_LEAST   16    /* fewer are not worth the row that tells of it */
#define CUT_BYTES   (1u << 20)

static bool over_limit (const ledger_cut_t *self)
{
    return self->bytes > (uint64_t) self->limits.segments_bytes;
}

/*  Less than a fifth of the store is left, or segments take too much. */
static bool short_of_room (const ledger_cut_t *self, const moment_t *now)
{
    return now->store_free_bytes < now->store_bytes / LEDGER_ROOM_PARTS || over_limit (self);
}

/*  Judged by the clock that is behind: a row that leaves too late does no harm. */
static bool old_enough (const ledger_cut_t *self, const moment_t *now, int64_t wall_ms)
{
    return timekeeper_least (&self->service->timekeeper, now) - wall_ms >=
           self->limits.retention_ms;
}

static bool needed (const ledger_cut_t *self, const ledger_subject_t *subject)
{
    for (size_t i = 0; i < self->judges_count && !over_limit (self); i++)
        if (self->judges [i].stands (self->judges [i].owner, subject))
            return true;
    return false;
}

/*  How many of these leave. A row that can't be read records nothing, and leaves with those after
 *  it. */
static size_t count_leaving (ledger_cut_t *self, const moment_t *now, const row_t *rows,
                             size_t count)
{
    bool early = short_of_room (self, now);
    size_t leaving = 0;
    for (size_t i = 0; i < count; i++) {
        ledger_subject_t subject;
        if (ledger_number (rows [i].key) >= ledger_last (self->ledger))
            break;
        if (!ledger_subject_read (&subject, rows [i].value))
            continue;
        if (i == leaving)
            self->first_wall_ms = subject.wall_ms;
        if ((!early && !old_enough (self, now, subject.wall_ms)) || needed (self, &subject))
            break;
        leaving = i + 1;
        self->first_wall_ms = 0;
        if (early && !self->early && !old_enough (self, now, subject.wall_ms)) {
            self->early = true;
            outbox_log (self->service->outbox, LEVEL_ALARM,
                        "ledger rows leave before their retention has passed, because %s",
                        over_limit (self) ? "segments take more than ledger/segments: give them "
                                            "more, or keep rows for a shorter ledger/retention"
                                          : "the store is nearly full: give it more store/bytes");
        }
    }
    return leaving;
}

static void ledger_cut_cut (ledger_cut_t *self, const row_t *rows, size_t count)
{
    service_t *service = self->service;
    for (size_t i = 0; i < count; i++)
        if (ledger_number (rows [i].key) >= self->stored_from)
            outbox_delete (service->outbox, TABLE_LEDGER, rows [i].key);
    uint64_t last = ledger_number (rows [count - 1].key);
    if (last >= self->kept_from)
        self->kept_from = last + 1;
    ledger_append_whole (self->ledger,
                         &(ledger_entry_t){.kind = LEDGER_CUT, .kept_from = self->kept_from});
    outbox_log (service->outbox, LEVEL_INFO, "ledger cut rows=%zu kept_from=%" PRIu64, count,
                self->kept_from);
}

static void ledger_cut_on_time (void *owner, const moment_t *now, uint64_t token);

static void ledger_cut_again (ledger_cut_t *self, const moment_t *now, int64_t delay_ms)
{
    self->set_ms = now->mono_ms;
    self->timer =
      timers_set (self->service->timers, now->mono_ms + delay_ms, ledger_cut_on_time, self, 0);
}

/*  --- segments --- */

/*  Are there enough rows for a segment, and as many again to stay? */
static bool ledger_cut_grown (const ledger_cut_t *self)
{
    return ledger_last (self->ledger) - self->stored_from >=
           2 * (uint64_t) self->limits.segment_rows;
}

/*  A row was put: looks soon if there are enough of them for a segment. */
static void ledger_cut_hurry (ledger_cut_t *self)
{
    if (self->timer == 0 || self->hurried || !ledger_cut_grown (self))
        return;
    self->hurried = true;
    timers_move (self->service->timers, &self->timer, self->set_ms, ledger_cut_on_time, self, 0);
}

static void order_segment (ledger_cut_t *self, const row_t *rows, size_t count)
{
    packed_t order = segment_order (self->kept_from, rows, count);
    self->dropping = self->kept_from;
    outbox_work (self->service->outbox, UINT64_MAX - ++self->works, SEGMENT_WORK,
                 packed_bytes (order));
    free (order.data);
}

static void delete_exported (ledger_cut_t *self)
{
    service_t *service = self->service;
    for (uint64_t number = self->export_first; number <= self->export_last; number++) {
        uint8_t key [LEDGER_KEY_BYTES];
        number_put (key, number, sizeof key);
        outbox_delete (service->outbox, TABLE_LEDGER, (bytes_t){.data = key, .size = sizeof key});
    }
    self->stored_from = self->export_last + 1;
    ledger_append (self->ledger, &(ledger_entry_t){.kind = LEDGER_EXPORTED,
                                                   .exported_from = self->export_first,
                                                   .kept_from = self->stored_from});
}

/*  A work_fn; the owner is the ledger_cut_t. */
static bool ledger_cut_on_work (void *owner, const moment_t *now, const event_t *event)
{
    ledger_cut_t *self = owner;
    bytes_t result = event->work.result;
    if (self->works == 0 || event->work.work != UINT64_MAX - self->works)
        return false;
    if (event->work.ok) { /* what was exported is in a segment for good */
        if (self->export_first > 0)
            delete_exported (self);
        self->dropped = self->dropping;
        uint64_t bytes = number_get (result.data, SEGMENT_BYTES_BYTES);
        service_count (self->service, "ledger_segments_bytes", (int64_t) (bytes - self->bytes));
        self->bytes = bytes;
        self->segments = self->bytes > 0;
        ledger_cut_again (self, now, CUT_PACE_MS);
        return true;
    }
    outbox_log (self->service->outbox, LEVEL_WARNING,
                "rows of the ledger stay in the store: %.*s: this is tried again in %d s",
                (int) result.size, (const char *) result.data, CUT_REST_MS / 1000);
    self->hurried = true;
    ledger_cut_again (self, now, CUT_REST_MS);
    return true;
}

/*  --- the round --- */

static void ledger_cut_on_rows (void *owner, const moment_t *now, uint64_t token, const row_t *rows,
                                size_t count, bool more)
{
    (void) token;
    ledger_cut_t *self = owner;
    size_t leaving = count_leaving (self, now, rows, count);
    if (count > 0 && ledger_number (rows [0].key) < self->stored_from)
        self->segments = true;
    bool whole = more && leaving == count; /* as at the end of a segment: no more come with these */
    if (leaving >= CUT_LEAST || whole)
        ledger_cut_cut (self, rows, leaving);
    if (self->segments && (self->kept_from > self->dropped || self->bytes == 0)) {
        self->export_first = 0;
        order_segment (self, NULL, 0);
        return;
    }
    ledger_cut_again (self, now, whole ? CUT_PACE_MS : CUT_REST_MS);
}

static void ledger_cut_look (ledger_cut_t *self, const moment_t *now)
{
    ledger_page_t page = {.from = self->kept_from, .most = CUT_STEP, .bytes = CUT_BYTES};
    bool all_read = service_counted (self->service, "bad_records") == 0;
    bool young = self->first_wall_ms > 0 && !old_enough (self, now, self->first_wall_ms);
    if (!(all_read || over_limit (self)) || (young && !short_of_room (self, now)) ||
        !ledger_read (self->ledger, &page, ledger_cut_on_rows, self, 0))
        ledger_cut_again (self, now, CUT_REST_MS);
}

/*  A page ends where rows are missing: there, fewer rows than usual are a segment. */
static void on_stored (void *owner, const moment_t *now, uint64_t token, const row_t *rows,
                       size_t count, bool more)
{
    (void) token;
    ledger_cut_t *self = owner;
    uint64_t first = count > 0 ? ledger_number (rows [0].key) : 0;
    uint64_t last = count > 0 ? ledger_number (rows [count - 1].key) : 0;
    self->stored_from = first;
    if (first > 0 && more && last + self->limits.segment_rows <= ledger_last (self->ledger)) {
        self->export_first = first;
        self->export_last = last;
        order_segment (self, rows, count);
        return;
    }
    self->hurried = ledger_cut_grown (self);
    ledger_cut_look (self, now);
}

static void ledger_cut_on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    ledger_cut_t *self = owner;
    self->timer = 0;
    self->hurried = false;
    ledger_page_t page = {.from = self->stored_from,
                          .most = self->limits.segment_rows,
                          .bytes = SEGMENT_BYTES,
                          .store_alone = true};
    if ((self->stored_from == 0 || ledger_cut_grown (self)) &&
        ledger_read (self->ledger, &page, on_stored, self, 0))
        return;
    ledger_cut_look (self, now);
}

/*  From the start on, until its timer is cancelled. */
static void ledger_cut_start (ledger_cut_t *self, const moment_t *now)
{
    ledger_cut_again (self, now, CUT_REST_MS);
    ledger_cut_hurry (self);
}

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
             "bytes that segments of the ledger may take; beyond that the oldest leave. 16 to 1024 "
             "rows leave the store as one segment: a row for each 16 MiB of this"),
  SET_MERGED (ledger_limits_t, segment_rows, "ledger/segment_rows",
              "ledger/segments / 16777216, from 16 to 1024"),
};

static const void *ledger_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    ledger_limits_t *limits = settings;
    int64_t rows = limits->segments_bytes >> 24;
    limits->segment_rows = (uint32_t) (rows < 16 ? 16 : rows > SEGMENT_ROWS ? SEGMENT_ROWS : rows);
    return NULL;
}

const setting_table_t ledger_table = SETTING_TABLE (ledger_limits_t, ledger_settings, ledger_rule);

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
