/*  ledger_cut - looks at the oldest rows now and then, and exports those that are too many; a
 *  bounded number at a time, and one thing after the other. */
#include "ledger_cut.h"

#include "ledger_wire.h"
#include "segment.h"
#include "service.h"

#include <inttypes.h>
#include <stdlib.h>

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

void ledger_cut_hurry (ledger_cut_t *self)
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

bool ledger_cut_on_work (void *owner, const moment_t *now, const event_t *event)
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

void ledger_cut_start (ledger_cut_t *self, const moment_t *now)
{
    ledger_cut_again (self, now, CUT_REST_MS);
    ledger_cut_hurry (self);
}
