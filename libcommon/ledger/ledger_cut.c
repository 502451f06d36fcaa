/*  ledger_cut - looks at the oldest rows now and then, a bounded number at a time. */
#include "ledger_cut.h"

#include "ledger_wire.h"
#include "service.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CUT_REST_MS 60000 /* between two looks, */
#define CUT_PACE_MS 50    /* or when the last one cut all that it saw */
#define CUT_STEP    256   /* rows looked at in one go */
#define CUT_LEAST   16    /* fewer are not worth the row that tells of it */
#define CUT_BYTES   (1u << 20)

/*  Less than a fifth of the store is left. */
static bool short_of_room (const moment_t *now)
{
    return now->store_free_bytes < now->store_bytes / LEDGER_ROOM_PARTS;
}

/*  Judged by the clock that is behind: a row that leaves too late does no harm. */
static bool old_enough (const ledger_cut_t *self, const moment_t *now, int64_t wall_ms)
{
    return timekeeper_least (&self->service->timekeeper, now) - wall_ms >= self->retention_ms;
}

static bool needed (const ledger_cut_t *self, const ledger_subject_t *subject)
{
    for (size_t i = 0; i < self->judges_count; i++)
        if (self->judges [i].stands (self->judges [i].owner, subject))
            return true;
    return false;
}

/*  How many of these leave. A row that can't be read records nothing, and leaves with those after
 *  it. */
static size_t count_leaving (ledger_cut_t *self, const moment_t *now, const row_t *rows,
                             size_t count)
{
    bool early = short_of_room (now);
    size_t leaving = 0;
    for (size_t i = 0; i < count; i++) {
        ledger_subject_t subject;
        if (ledger_number (rows [i].key) >= ledger_last (self->service->ledger))
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
                        "ledger rows leave before their retention has passed, because the store is "
                        "nearly full: give it more store/bytes");
        }
    }
    return leaving;
}

static void ledger_cut_cut (ledger_cut_t *self, const row_t *rows, size_t count)
{
    service_t *service = self->service;
    for (size_t i = 0; i < count; i++)
        outbox_delete (service->outbox, TABLE_LEDGER, rows [i].key);
    uint64_t last = ledger_number (rows [count - 1].key);
    if (last >= self->kept_from)
        self->kept_from = last + 1;
    ledger_append_whole (service->ledger,
                         &(ledger_entry_t){.kind = LEDGER_CUT, .kept_from = self->kept_from});
    outbox_log (service->outbox, LEVEL_INFO, "ledger cut rows=%zu kept_from=%" PRIu64, count,
                self->kept_from);
}

static void ledger_cut_on_time (void *owner, const moment_t *now, uint64_t token);

static void ledger_cut_again (ledger_cut_t *self, const moment_t *now, int64_t delay_ms)
{
    self->timer =
      timers_set (self->service->timers, now->mono_ms + delay_ms, ledger_cut_on_time, self, 0);
}

static void ledger_cut_on_rows (void *owner, const moment_t *now, uint64_t token, const row_t *rows,
                                size_t count, bool more)
{
    (void) token;
    ledger_cut_t *self = owner;
    size_t leaving = count_leaving (self, now, rows, count);
    if (leaving >= CUT_LEAST)
        ledger_cut_cut (self, rows, leaving);
    ledger_cut_again (self, now, more && leaving == count ? CUT_PACE_MS : CUT_REST_MS);
}

static void ledger_cut_on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    ledger_cut_t *self = owner;
    self->timer = 0;
    bool all_read = service_counted (self->service, "bad_records") == 0;
    bool young = self->first_wall_ms > 0 && !old_enough (self, now, self->first_wall_ms);
    if (!all_read || (young && !short_of_room (now)) ||
        !ledger_read (self->service->ledger, self->kept_from, CUT_STEP, CUT_BYTES,
                      ledger_cut_on_rows, self, 0))
        ledger_cut_again (self, now, CUT_REST_MS);
}

void ledger_cut_start (ledger_cut_t *self, const moment_t *now)
{
    ledger_cut_again (self, now, CUT_REST_MS);
}
