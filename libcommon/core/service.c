/*  service - hands each event to its part: requests to methods, records to loaders, answers to
 *  calls, timers to timers; of a member, change notices and rows to what it adds.
 */
#include "service.h"

#include "bus.pb-c.h"
#include "message.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METHODS_MAX 64
#define STARTS_MAX  16
#define WORKS_MAX   4

#define STORE_FULL_PARTS 10 /* with less than a tenth free nothing new is begun (T13), */
#define STORE_ROOM_PARTS 8  /* until there is an eighth */

typedef struct {
    const char *service;
    const char *method;
    const codec_t *codec;
    serve_t when;
    method_fn *handle;
    void *owner;
} service_method_t;

struct service_tables {
    const event_t *loading;                 /* the record that is being loaded; NULL = none is */
    service_method_t methods [METHODS_MAX]; /* in the order of their names */
    size_t methods_count;
    struct {
        record_fn *load;
        void *owner;
    } loaders [TABLES_MAX];
    struct {
        start_fn *start;
        void *owner;
    } starts [STARTS_MAX];
    size_t starts_count;
    struct {
        work_fn *ended;
        void *owner;
    } works [WORKS_MAX];
    size_t works_count;
    int64_t alarm_ms; /* what the host was last told to wake us at */
    bool full;        /* the store, as last told */
    flow_fn *flow_heard;
    void *flow_owner;
    work_fn *rows_heard;
    void *rows_owner;
    busy_fn *busy;
    const void *busy_owner;
    bool ending; /* told to */
};

/*  NULL: nothing was counted by that name. */
static counter_t *counter_find (const service_t *self, const char *name)
{
    for (size_t i = 0; i < self->counters_count; i++)
        if (strcmp (self->counters [i].name, name) == 0)
            return (counter_t *) &self->counters [i];
    return NULL;
}

/*  What the host counts, among what the service counts. */
static void service_show (service_t *self, const char *name, int64_t value)
{
    service_count (self, name, value - service_counted (self, name));
}

static int64_t store_used (const moment_t *now)
{
    return (int64_t) (now->store_bytes - now->store_free_bytes);
}

static void service_on_status (void *owner, const moment_t *now, const request_t *request,
                               void *body)
{
    (void) body;
    service_t *self = owner;
    service_show (self, "flushes", (int64_t) now->store_flushes);
    service_show (self, "messages_sent", (int64_t) now->messages_sent);
    service_show (self, "bytes_sent", (int64_t) now->bytes_sent);
    service_show (self, "connections_closed", (int64_t) now->connections_closed);
    service_show (self, "connections_in", (int64_t) now->connections_in);
    service_show (self, "connections_out", (int64_t) now->connections_out);
    service_show (self, "memory_bytes", (int64_t) now->memory_bytes);
    service_show (self, "store_bytes", (int64_t) now->store_bytes);
    service_show (self, "store_used_bytes", store_used (now));
    service_show (self, "store_growth_bytes", store_growth_a_day (&self->growth));
    service_show (self, "store_watched_ms", store_growth_span_ms (&self->growth));
    Musubi__StatusAnswer answer = MUSUBI__STATUS_ANSWER__INIT;
    answer.n_counters = self->counters_count;
    answer.counters =
      messages_new (&musubi__status_answer__counter__descriptor, self->counters_count);
    for (size_t i = 0; i < self->counters_count; i++) {
        answer.counters [i]->name = (char *) self->counters [i].name;
        answer.counters [i]->value = self->counters [i].value;
    }
    answer.n_limits = self->limits_count;
    answer.limits = messages_new (&musubi__status_answer__limit__descriptor, self->limits_count);
    for (size_t i = 0; i < self->limits_count; i++) {
        answer.limits [i]->name = (char *) self->limits [i].name;
        answer.limits [i]->most = self->limits [i].value;
    }
    answer.name = self->name;
    answer.version = MUSUBI_VERSION;
    answer.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = self->store.id};
    answer.start = self->store.start;
    answer.wall_ms = now->wall_ms;
    answer.restore_guard = (char *) (self->membership ? self->membership->silence (self) : "");
    char *warnings [WARNINGS_MAX];
    answer.warnings = warnings;
    for (size_t i = 0; i < WARNINGS_MAX; i++)
        if (*self->warnings [i].text && now->mono_ms < self->warnings [i].until_ms)
            warnings [answer.n_warnings++] = self->warnings [i].text;
    Musubi__Shortage shortage = MUSUBI__SHORTAGE__INIT;
    shortage_t less = {0};
    if (self->shortage)
        less = self->shortage (self->shortage_owner, now);
    if (less.reservations > 0) {
        shortage.since_ms = less.since_ms;
        shortage.reservations = less.reservations;
        shortage.first = (char *) less.first;
        answer.shortage = &shortage;
    }
    service_reply (self, request, packed_of (&answer.base));
    free (answer.counters);
    free (answer.limits);
}

void service_begin (service_t *self, const char *name)
{
    assert (name && strlen (name) <= NAME_BYTES_MAX);
    self->tables = must (calloc (1, sizeof *self->tables));
    strcpy (self->name, name);
    prng_seed (&self->prng, 0);
    self->tables->alarm_ms = INT64_MAX;
    self->outbox = outbox_new ();
    self->timers = timers_new ();
    self->calls = calls_new (self->outbox, self->timers, &self->prng);
    self->caller = "";
    service_serve (self, "Service", "Status", NULL, ALWAYS, service_on_status, self);
}

service_t *service_new (const char *name)
{
    service_t *self = must (calloc (1, sizeof *self));
    service_begin (self, name);
    return self;
}

void service_destroy (service_t **self_p)
{
    service_t *self = *self_p;
    if (!self)
        return;
    if (self->membership)
        self->membership->end (self);
    calls_destroy (&self->calls);
    timers_destroy (&self->timers);
    outbox_destroy (&self->outbox);
    free (self->tables);
    free (self);
    *self_p = NULL;
}

static int method_compare (const void *one, const void *other)
{
    const service_method_t *a = one;
    const service_method_t *b = other;
    int order = strcmp (a->service, b->service);
    return order ? order : strcmp (a->method, b->method);
}

void service_serve (service_t *self, const char *service, const char *method, const codec_t *codec,
                    serve_t when, method_fn *handle, void *owner)
{
    assert (when >= ALWAYS && when <= BEGINS);
    struct service_tables *tables = self->tables;
    service_method_t made = {service, method, codec, when, handle, owner};
    size_t at = tables->methods_count++;
    assert (at < METHODS_MAX);
    for (; at > 0 && method_compare (&made, &tables->methods [at - 1]) <= 0; at--) {
        assert (method_compare (&made, &tables->methods [at - 1]) != 0);
        tables->methods [at] = tables->methods [at - 1];
    }
    tables->methods [at] = made;
}

void service_on_end (service_t *self, busy_fn *busy, const void *owner)
{
    self->tables->busy = busy;
    self->tables->busy_owner = owner;
}

void service_load (service_t *self, uint8_t table, record_fn *load, void *owner)
{
    assert (table > TABLE_IDENTITY && table < TABLES_MAX);
    assert (!self->tables->loaders [table].load);
    self->tables->loaders [table].load = load;
    self->tables->loaders [table].owner = owner;
}

void service_at_start (service_t *self, start_fn *start, void *owner)
{
    struct service_tables *tables = self->tables;
    assert (tables->starts_count < STARTS_MAX);
    tables->starts [tables->starts_count].start = start;
    tables->starts [tables->starts_count].owner = owner;
    tables->starts_count++;
}

void service_on_work (service_t *self, work_fn *ended, void *owner)
{
    struct service_tables *tables = self->tables;
    assert (tables->works_count < WORKS_MAX);
    tables->works [tables->works_count].ended = ended;
    tables->works [tables->works_count].owner = owner;
    tables->works_count++;
}

void service_on_rows (service_t *self, work_fn *heard, void *owner)
{
    assert (!self->tables->rows_heard);
    self->tables->rows_heard = heard;
    self->tables->rows_owner = owner;
}

void service_on_flow (service_t *self, flow_fn *heard, void *owner)
{
    assert (!self->tables->flow_heard);
    self->tables->flow_heard = heard;
    self->tables->flow_owner = owner;
}

static void service_on_record (service_t *self, const event_t *event)
{
    uint8_t table = event->record.table;
    self->tables->loading = event;
    if (table == TABLE_ASIDE)
        service_count (self, "records_aside", 1);
    else if (table < TABLES_MAX && self->tables->loaders [table].load)
        self->tables->loaders [table].load (self->tables->loaders [table].owner, event->record.key,
                                            event->record.value);
    else
        outbox_log (self->outbox, LEVEL_WARNING,
                    "record ignored table=%u: this service has no such table", table);
    self->tables->loading = NULL;
}

#define KEY_TEXT_BYTES 256

static const char *service_key_text (bytes_t key, char text [KEY_TEXT_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < key.size && used + 4 < KEY_TEXT_BYTES; i++) {
        bool printable = key.data [i] > ' ' && key.data [i] < 0x7f && key.data [i] != '\\';
        used += (size_t) snprintf (text + used, KEY_TEXT_BYTES - used, printable ? "%c" : "\\x%02x",
                                   key.data [i]);
    }
    text [used] = '\0';
    return text;
}

void service_bad_record (service_t *self, const char *table, const char *why)
{
    char text [KEY_TEXT_BYTES] = "";
    const event_t *loading = self->tables->loading;
    service_count (self, "bad_records", 1);
    if (loading) {
        service_key_text (loading->record.key, text);
        outbox_keep_aside (self->outbox, loading->record.table, loading->record.key,
                           loading->record.value);
    }
    outbox_log (self->outbox, LEVEL_ALARM,
                "record ignored table=%s key=%s why=\"%s\": it stays in the store, but is not used",
                table, text, why);
}

static void copy_endpoint (char to [256], const char *from)
{
    snprintf (to, 256, "%s", from ? from : "");
}

static void service_on_start (service_t *self, const moment_t *now, const event_t *event)
{
    self->store = event->start.store;
    copy_endpoint (self->endpoint, event->start.endpoint);
    copy_endpoint (self->events, event->start.events);
    copy_endpoint (self->data, event->start.data);
    if (self->membership)
        self->membership->start (self, now, event);
    for (size_t i = 0; i < self->tables->starts_count; i++)
        self->tables->starts [i].start (self->tables->starts [i].owner, now);
    if (self->membership)
        self->membership->started (self, now);
}

static void call_method (service_t *self, const moment_t *now, const request_t *request,
                         const service_method_t *method)
{
    if (!method->codec) {
        method->handle (method->owner, now, request, NULL);
        return;
    }
    char why [WHY_BYTES];
    memory_auto void *body =
      must (calloc (1, codec_size (method->codec) + 1)); /* of what is empty, too */
    if (codec_decode (method->codec, body, request->body, why)) {
        method->handle (method->owner, now, request, body);
        codec_clear (method->codec, body);
    } else {
        service_refuse (self, request, CALL_BAD_REQUEST, "%s", why);
    }
}

static void on_request (service_t *self, const moment_t *now, const request_t *request)
{
    const struct service_tables *tables = self->tables;
    char why [WHY_BYTES], wrong [WHY_BYTES], text [REQUEST_ID_BYTES_MAX + 1];
    /*  Both become parts of records, whose decoders make the same demands. */
    if (!text_take (text, NAME_BYTES_MAX, request->actor, TEXT_WORD_OR_NONE, "actor", wrong) ||
        !text_take (text, REQUEST_ID_BYTES_MAX, request->request_id, TEXT_WORD_OR_NONE,
                    "request_id", wrong)) {
        service_refuse (self, request, CALL_BAD_REQUEST, "%s", wrong);
        return;
    }
    if (self->membership &&
        !self->membership->serves (self, request->service, request->method, why)) {
        service_count (self, "not_served", 1);
        service_refuse (self, request, CALL_NOT_SERVING, "%s: %s", self->name, why);
        return;
    }
    service_method_t asked = {.service = request->service, .method = request->method};
    const service_method_t *method = bsearch (&asked, tables->methods, tables->methods_count,
                                              sizeof *tables->methods, method_compare);
    if (!method) {
        service_refuse (self, request, CALL_UNKNOWN_METHOD, "%s serves no method %.63s.%.63s",
                        self->name, request->service, request->method);
        return;
    }
    if (tables->ending && method->when != ALWAYS) {
        service_count (self, "not_served", 1);
        service_refuse (self, request, CALL_NOT_SERVING, "%s is stopping", self->name);
        return;
    }
    if (method->when == BEGINS &&
        !moment_room (now, now->store_bytes / STORE_FULL_PARTS, request->body.size)) {
        service_count (self, "refused_store_full", 1);
        service_refuse (
          self, request, CALL_OVERLOADED,
          "the store of %s is nearly full (%llu KiB are left), so nothing new is begun", self->name,
          (unsigned long long) (now->store_free_bytes >> 10));
        return;
    }
    call_method (self, now, request, method);
}

void service_request (service_t *self, const moment_t *now, const request_t *request)
{
    self->caller = request->actor;
    on_request (self, now, request);
    self->caller = "";
}

static void service_work_ended (service_t *self, const moment_t *now, const event_t *event)
{
    bool taken = false;
    for (size_t i = 0; i < self->tables->works_count && !taken; i++)
        taken = self->tables->works [i].ended (self->tables->works [i].owner, now, event);
}

/*  The one about this, or else a free one; NULL = there is none. */
static warning_t *warning_of (service_t *self, const char *about)
{
    warning_t *found = NULL;
    for (size_t i = WARNINGS_MAX; i-- > 0;) {
        if (strcmp (self->warnings [i].about, about) == 0)
            return &self->warnings [i];
        if (!*self->warnings [i].about)
            found = &self->warnings [i];
    }
    return found;
}

void service_warn (service_t *self, const char *about, const char *text, int64_t until_ms)
{
    assert (*about && strlen (about) < sizeof self->warnings [0].about);
    assert (strlen (text) < sizeof self->warnings [0].text);
    warning_t *warning = warning_of (self, about);
    if (*text && !(warning && strcmp (warning->text, text) == 0))
        outbox_log (self->outbox, LEVEL_ALARM, "%s", text);
    if (!warning)
        return;
    strcpy (warning->about, *text ? about : "");
    strcpy (warning->text, text);
    warning->until_ms = until_ms;
}

/*  T13: with a nearly full store running work may still end; what would begin something new is
 *  refused. */
static void see_room (service_t *self, const moment_t *now)
{
    bool full = now->store_free_bytes < now->store_bytes / STORE_FULL_PARTS;
    bool room = now->store_free_bytes >= now->store_bytes / STORE_ROOM_PARTS;
    char text [256] = "";
    if (full == self->tables->full || (self->tables->full && !room))
        return;
    self->tables->full = full;
    if (full)
        snprintf (text, sizeof text,
                  "the store is nearly full: nothing new is begun until finished work has left it, "
                  "or until store/bytes is raised from %llu KiB",
                  (unsigned long long) (now->store_bytes >> 10));
    else
        outbox_log (self->outbox, LEVEL_INFO, "the store has room again: new work is taken");
    service_warn (self, "store", text, INT64_MAX);
}

/*  T13 comes as a surprise to nobody who reads warnings. */
static void see_growth (service_t *self, const moment_t *now)
{
    char text [256] = "";
    if (!store_growth_see (&self->growth, now->mono_ms, (uint64_t) store_used (now)))
        return;
    int64_t a_day = store_growth_a_day (&self->growth);
    int64_t free_bytes = (int64_t) now->store_free_bytes;
    if (store_growth_span_ms (&self->growth) >= GROWTH_DAY_MS && a_day > 0 &&
        free_bytes / a_day < STORE_DAYS_LEAST)
        snprintf (text, sizeof text,
                  "the store will be full in %lld days if it goes on as in the last one: raise "
                  "store/bytes, or lower retention",
                  (long long) (free_bytes / a_day));
    service_warn (self, "growth", text, INT64_MAX);
}

/*  Tell the host when to wake us, when that has changed. */
static void set_alarm (service_t *self)
{
    int64_t due_ms = timers_due (self->timers);
    if (due_ms == self->tables->alarm_ms)
        return;
    self->tables->alarm_ms = due_ms;
    outbox_timer (self->outbox, due_ms);
}

void service_step (service_t *self, const moment_t *now, const event_t *event)
{
    outbox_clear (self->outbox);
    self->wall_ms = now->wall_ms;
    prng_stir (&self->prng, now->entropy);
    see_room (self, now);
    if (event->kind != EVENT_RECORD)
        see_growth (self, now);
    if (timekeeper_see (&self->timekeeper, now))
        outbox_log (self->outbox, LEVEL_ALARM, "clock stepped by=%.3fs",
                    (double) self->timekeeper.step_ms / 1000);

    switch (event->kind) {
    case EVENT_RECORD:
        service_on_record (self, event);
        break;
    case EVENT_START:
        service_on_start (self, now, event);
        break;
    case EVENT_REQUEST:
        service_request (self, now, &event->request);
        break;
    case EVENT_ANSWER:
        calls_answer (self->calls, now, event);
        break;
    case EVENT_TIMER:
        self->tables->alarm_ms = INT64_MAX; /* it has fired; the next one must be set */
        break;
    case EVENT_NOTICE:
        if (self->membership)
            self->membership->notice (self, now, event);
        break;
    case EVENT_WORK:
        service_work_ended (self, now, event);
        break;
    case EVENT_ROWS:
        if (self->tables->rows_heard &&
            self->tables->rows_heard (self->tables->rows_owner, now, event))
            break;
        if (self->membership)
            self->membership->rows (self, now, event);
        break;
    case EVENT_FLOW:
        if (self->tables->flow_heard)
            self->tables->flow_heard (self->tables->flow_owner, now, &event->flow);
        break;
    case EVENT_END:
        self->tables->ending = true;
        if (self->membership)
            self->membership->ending (self, now);
        break;
    }
    if (event->kind != EVENT_RECORD)
        timers_run (self->timers, now);
    set_alarm (self);
    if (self->tables->ending &&
        !(self->tables->busy && self->tables->busy (self->tables->busy_owner)))
        outbox_stop (self->outbox, "nothing is under way any more");
}

bool service_next (service_t *self, effect_t *effect)
{
    return outbox_next (self->outbox, effect);
}

static void core_step (void *owner, const moment_t *now, const event_t *event)
{
    service_step (*(service_t **) owner, now, event);
}

static bool core_next (void *owner, effect_t *effect)
{
    return service_next (*(service_t **) owner, effect);
}

core_t service_core (void *owner, void (*destroy) (void *owner))
{
    return (core_t){.self = owner, .step = core_step, .next = core_next, .destroy = destroy};
}

void service_count (service_t *self, const char *name, int64_t by)
{
    counter_t *counter = counter_find (self, name);
    if (!counter) {
        assert (self->counters_count < COUNTERS_MAX);
        counter = &self->counters [self->counters_count++];
        *counter = (counter_t){.name = name};
    }
    counter->value += by;
}

int64_t service_counted (const service_t *self, const char *name)
{
    const counter_t *counter = counter_find (self, name);
    return counter ? counter->value : 0;
}

void service_limit (service_t *self, const char *name, int64_t most)
{
    assert (self->limits_count < LIMITS_MAX);
    self->limits [self->limits_count++] = (counter_t){.name = name, .value = most};
}

static bool limit_tell (void *owner, const setting_t *row, const char *path, void *settings)
{
    (void) path;
    if (setting_limit_name (row))
        service_limit (owner, setting_limit_name (row), setting_value (row, settings));
    return true;
}

void service_limits (service_t *self, const setting_table_t *table, const void *settings)
{
    settings_walk (table, (void *) (uintptr_t) settings, limit_tell, self);
}

uint64_t service_ask (service_t *self, const moment_t *now, const call_order_t *order,
                      packed_t body, call_done_fn *done, void *owner, uint64_t token)
{
    call_order_t own = *order;
    own.actor = self->name;
    own.request_id = "";
    own.body = packed_bytes (body);
    uint64_t call = calls_start (self->calls, now, &own, done, owner, token);
    free (body.data);
    return call;
}

void service_reply (service_t *self, const request_t *request, packed_t body)
{
    service_reply_to (self, request->reply_to, body);
}

void service_reply_to (service_t *self, uint64_t reply_to, packed_t body)
{
    outbox_reply (self->outbox, reply_to, packed_bytes (body));
    free (body.data);
}

void service_put (service_t *self, uint8_t table, bytes_t key, packed_t record)
{
    outbox_put (self->outbox, table, key, packed_bytes (record));
    free (record.data);
}

bool service_refuse (service_t *self, const request_t *request, call_status_t status,
                     const char *format, ...)
{
    char reason [512];
    format_rest (reason, sizeof reason, format);
    outbox_refuse (self->outbox, request->reply_to, status, reason);
    return false;
}
