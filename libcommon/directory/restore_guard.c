/*  restore_guard - one note for each directory: what it remembered, and how far the comparison has
 *  come. */
#include "restore_guard.h"

#include "must.h"
#include "registration.h"
#include "restore_guard_wire.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES    (1u << 20) /* a row fits a message */
#define READ_AGAIN_MS 100        /* too many reads are under way */

typedef enum {
    NOTE_NONE,    /* not heard yet */
    NOTE_READING, /* our row of that number is being read */
    NOTE_LOST,    /* it remembers another store */
    NOTE_SEEN,
} note_state_t;

typedef struct {
    note_state_t state;
    ledger_mark_t before; /* from NOTE_READING on */
} note_t;

struct restore_guard {
    service_t *service;
    ledger_t *ledger;
    restore_guard_state_t state;
    size_t directories;
    int64_t wait_ms;
    int64_t started_ms; /* monotonic */
    bool denied;        /* a directory said that another store holds its name */
    uint64_t timer;
    note_t notes [RESTORE_GUARD_GIS_MAX];
    restore_guard_lost_fn *lost;
    void *loser;
    restore_guard_seen_fn *seen;
    void *seer;
    char text [WHY_BYTES];
    char learning [WHY_BYTES];
};

static const uint8_t no_digest [LEDGER_DIGEST_BYTES];

static const char *store_text (const uint8_t store [STORE_ID_BYTES],
                               char text [2 * STORE_ID_BYTES + 1])
{
    return sodium_bin2hex (text, 2 * STORE_ID_BYTES + 1, store, STORE_ID_BYTES);
}

/*  --- states --- */

static void restore_guard_serve (restore_guard_t *self)
{
    if (self->state != RESTORE_GUARD_UNKNOWN)
        return;
    timers_cancel (self->service->timers, self->timer);
    self->timer = 0;
    self->state = RESTORE_GUARD_GOOD;
    self->text [0] = '\0';
}

/*  A planner's name is its store's id, so it can't adopt a store. */
static const char *remedy (const restore_guard_t *self)
{
    return strncmp (self->service->name, "planner/", 8) == 0 ? "give it an empty store"
                                                             : "adopt it with --adopt";
}

__attribute__ ((format (printf, 2, 3))) static void refuse (restore_guard_t *self,
                                                            const char *format, ...)
{
    va_list arguments;
    if (self->state == RESTORE_GUARD_BACKUP)
        return;
    restore_guard_serve (self); /* ends the wait */
    self->state = RESTORE_GUARD_BACKUP;
    va_start (arguments, format);
    size_t used = (size_t) vsnprintf (self->text, sizeof self->text, format, arguments);
    va_end (arguments);
    if (used < sizeof self->text)
        snprintf (self->text + used, sizeof self->text - used, "; %s", remedy (self));
    outbox_log (self->service->outbox, LEVEL_ALARM, "restore_guard ->backup why=\"%s\"",
                self->text);
    service_count (self->service, "restored_backup", 1);
}

static void on_waited (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    restore_guard_t *self = owner;
    self->timer = 0;
    restore_guard_serve (self);
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "restore_guard not known: no directory has listed it in %g s; it serves, because a "
                "service that is cut off must keep its promises",
                (double) (now->mono_ms - self->started_ms) / 1e3);
}

static void wait_until (restore_guard_t *self, int64_t mono_ms)
{
    timers_cancel (self->service->timers, self->timer);
    self->timer = timers_set (self->service->timers, mono_ms, on_waited, self, 0);
}

/*  --- one directory --- */

static void restore_guard_settle (restore_guard_t *self, const moment_t *now, size_t at)
{
    self->notes [at].state = NOTE_SEEN;
    restore_guard_serve (self);
    if (self->seen)
        self->seen (self->seer, now, at);
}

/*  Compares the digest of our row of that number, all zeros when it can't be told any more. */
static void restore_guard_compare (restore_guard_t *self, const moment_t *now, size_t at,
                                   const uint8_t digest [LEDGER_DIGEST_BYTES])
{
    const note_t *note = &self->notes [at];
    bool told = memcmp (digest, no_digest, sizeof no_digest) != 0 &&
                memcmp (note->before.digest, no_digest, sizeof no_digest) != 0;
    if (told && memcmp (digest, note->before.digest, sizeof no_digest) != 0)
        refuse (self,
                "restored backup: row %" PRIu64
                " of its ledger is not the one that a directory remembers",
                note->before.row);
    else
        restore_guard_settle (self, now, at);
}

/*  The row after the one remembered holds that one's digest. When rows have been cut, it can't be
 *  told any more, and it was long ago. */
static void on_row (void *owner, const moment_t *now, uint64_t token, const row_t *rows,
                    size_t count, bool more)
{
    (void) more;
    restore_guard_t *self = owner;
    const note_t *note = &self->notes [token];
    uint8_t digest [LEDGER_DIGEST_BYTES] = {0};
    if (count > 0 && ledger_number (rows [0].key) == note->before.row + 1)
        row_before (rows [0].value, digest);
    restore_guard_compare (self, now, token, digest);
}

static void read_row (void *owner, const moment_t *now, uint64_t at)
{
    restore_guard_t *self = owner;
    note_t *note = &self->notes [at];
    note->state = NOTE_READING;
    ledger_page_t page = {.from = note->before.row + 1, .most = 1, .bytes = READ_BYTES};
    if (!ledger_read (self->ledger, &page, on_row, self, at))
        timers_set (self->service->timers, now->mono_ms + READ_AGAIN_MS, read_row, self, at);
}

static void look_at_own (restore_guard_t *self, const moment_t *now, size_t at)
{
    const note_t *note = &self->notes [at];
    uint64_t last = ledger_last (self->ledger);
    if (note->before.row > last)
        refuse (self,
                "restored backup: its ledger ends at row %" PRIu64 ", and had come to row %" PRIu64
                " before",
                last, note->before.row);
    else if (note->before.row == last)
        restore_guard_compare (self, now, at, ledger_digest (self->ledger));
    else
        read_row (self, now, at);
}

static void look_at_other (restore_guard_t *self, const moment_t *now, size_t at)
{
    note_t *note = &self->notes [at];
    char text [2 * STORE_ID_BYTES + 1];
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "restore_guard: store %s was known under this name, at row %" PRIu64
                "; the present store is new or was adopted",
                store_text (note->before.store, text), note->before.row);
    service_count (self->service, "stores_lost", 1);
    note->state = NOTE_LOST;
    restore_guard_serve (self);
    if (self->lost)
        self->lost (self->loser, now, note->before.store);
    else
        restore_guard_settle (self, now, at);
}

void restore_guard_heard (restore_guard_t *self, const moment_t *now, size_t gis,
                          const ledger_mark_t *before, bool replaced)
{
    assert (gis < RESTORE_GUARD_GIS_MAX);
    note_t *note = &self->notes [gis];
    char text [2 * STORE_ID_BYTES + 1];
    if (note->state != NOTE_NONE || self->state == RESTORE_GUARD_BACKUP)
        return;
    if (before)
        note->before = *before;
    if (replaced)
        refuse (self, "an old store: under this name it was replaced by %s",
                before ? store_text (before->store, text) : "another store");
    else if (!before || before->row == 0)
        restore_guard_settle (self, now, gis);
    else if (memcmp (before->store, self->service->store.id, STORE_ID_BYTES) == 0)
        look_at_own (self, now, gis);
    else
        look_at_other (self, now, gis);
}

void restore_guard_denied (restore_guard_t *self, const moment_t *now)
{
    if (self->timer == 0 || self->denied)
        return;
    self->denied = true;
    wait_until (self, now->mono_ms + DIRECTORY_LEASE_MS + ANNOUNCE_REFUSED_MS + self->wait_ms);
}

/*  --- the class --- */

restore_guard_t *restore_guard_new (service_t *service, ledger_t *ledger)
{
    restore_guard_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->ledger = ledger;
    self->wait_ms = RESTORE_GUARD_WAIT_MS;
    return self;
}

void restore_guard_destroy (restore_guard_t **self_p)
{
    free (*self_p);
    *self_p = NULL;
}

void restore_guard_expect (restore_guard_t *self, size_t directories)
{
    self->directories = directories;
}

void restore_guard_wait (restore_guard_t *self, int64_t wait_ms)
{
    assert (wait_ms >= 0);
    self->wait_ms = wait_ms;
}

void restore_guard_on_lost (restore_guard_t *self, restore_guard_lost_fn *lost, void *owner)
{
    assert (!self->lost);
    self->lost = lost;
    self->loser = owner;
}

void restore_guard_on_seen (restore_guard_t *self, restore_guard_seen_fn *seen, void *owner)
{
    self->seen = seen;
    self->seer = owner;
}

void restore_guard_settled (restore_guard_t *self, const moment_t *now)
{
    for (size_t i = 0; i < RESTORE_GUARD_GIS_MAX; i++)
        if (self->notes [i].state == NOTE_LOST)
            restore_guard_settle (self, now, i);
}

void restore_guard_start (restore_guard_t *self, const moment_t *now, const uint8_t *adopted_from)
{
    if (adopted_from)
        ledger_append (self->ledger,
                       &(ledger_entry_t){.kind = LEDGER_ADOPTED, .old_store = adopted_from});
    if (self->directories == 0 || self->wait_ms == 0) {
        restore_guard_serve (self);
        return;
    }
    snprintf (
      self->text, sizeof self->text,
      "restore_guard not known yet: no directory has told how far the ledger of this store had "
      "come, so it may be a restored backup");
    self->started_ms = now->mono_ms;
    wait_until (self, now->mono_ms + self->wait_ms);
}

restore_guard_state_t restore_guard_state (const restore_guard_t *self)
{
    return self->state;
}

/*  Show and List of a planner only read, at other services. */
static bool promises (const char *service, const char *method)
{
    if (strcmp (service, "Planner") == 0)
        return strcmp (method, "Show") != 0 && strcmp (method, "List") != 0;
    return strcmp (service, "Participant") == 0 || strcmp (service, "Home") == 0 ||
           strcmp (service, "Coordinator") == 0;
}

bool restore_guard_serves (const restore_guard_t *self, const char *service, const char *method,
                           char why [WHY_BYTES])
{
    bool serves = self->state == RESTORE_GUARD_GOOD && !*self->learning;
    if (serves || !promises (service, method))
        return true;
    memcpy (why, self->state == RESTORE_GUARD_GOOD ? self->learning : self->text, WHY_BYTES);
    return false;
}

void restore_guard_learn (restore_guard_t *self, const char *text)
{
    snprintf (self->learning, sizeof self->learning, "%s", text);
}

void restore_guard_tell (restore_guard_t *self, const char *text)
{
    if (self->state == RESTORE_GUARD_GOOD)
        snprintf (self->text, sizeof self->text, "%s", text);
}

const char *restore_guard_text (const restore_guard_t *self)
{
    return *self->text ? self->text : self->learning;
}

ledger_mark_t restore_guard_mark (const restore_guard_t *self)
{
    ledger_mark_t mark = {.start = self->service->store.start, .row = ledger_last (self->ledger)};
    memcpy (mark.store, self->service->store.id, STORE_ID_BYTES);
    memcpy (mark.digest, ledger_digest (self->ledger), LEDGER_DIGEST_BYTES);
    return mark;
}

bool restore_guard_seen (const restore_guard_t *self, size_t gis)
{
    return self->state == RESTORE_GUARD_GOOD && gis < RESTORE_GUARD_GIS_MAX &&
           self->notes [gis].state == NOTE_SEEN;
}
