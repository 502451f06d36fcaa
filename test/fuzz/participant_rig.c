/*  participant_rig - events in, effects out. */
#include "participant_rig.h"
#include "checks.h"
#include "participant.h"

#include "lis.h"
#include "member.h"
#include "must.h"

static node_class_t classes [] = {{.name = "thin", .nodes = 8, .cpus_per_node = 1},
                                  {.name = "fat", .nodes = 4, .cpus_per_node = 16}};
static const site_t site = {.classes = classes,
                            .classes_count = 2,
                            .lead_ms = 5000,
                            .horizon_ms = 10000 * RIG_MINUTE_MS,
                            .cleaning_gap_ms = RIG_MINUTE_MS};

static vertex_t vertices [] = {{.name = "a", .kind = VERTEX_SITE},
                               {.name = "b", .kind = VERTEX_SITE},
                               {.name = "c", .kind = VERTEX_SITE},
                               {.name = "X", .kind = VERTEX_EXCHANGE},
                               {.name = "N/r", .kind = VERTEX_ROUTER}};
static link_t links [] = {{.name = "a-r", .ends = {"a", "N/r"}, .mbps = 10},
                          {.name = "r-b", .ends = {"N/r", "b"}, .mbps = 10},
                          {.name = "b-x", .ends = {"b", "X"}, .mbps = 4},
                          {.name = "a-c", .ends = {"a", "c"}, .mbps = 5},
                          {.name = "c-r", .ends = {"c", "N/r"}, .mbps = 8}};
static const domain_t domain = {.vertices = vertices,
                                .vertices_count = 5,
                                .links = links,
                                .links_count = 5,
                                .lead_ms = 5000,
                                .horizon_ms = 10000 * RIG_MINUTE_MS};

static packed_t copied (bytes_t from)
{
    packed_t copy = {.data = must (malloc (from.size + 1)), .size = from.size};
    if (from.size > 0)
        memcpy (copy.data, from.data, from.size);
    return copy;
}

static bool is_bytes (packed_t packed, bytes_t bytes)
{
    return packed.size == bytes.size &&
           (bytes.size == 0 || memcmp (packed.data, bytes.data, bytes.size) == 0);
}

static void forget (packed_t *packed)
{
    free (packed->data);
    *packed = (packed_t){0};
}

/*  --- the store --- */

static int record_compare (const void *left, const void *right)
{
    const rig_record_t *a = left;
    const rig_record_t *b = right;
    if (a->table != b->table)
        return a->table < b->table ? -1 : 1;
    size_t least = a->key.size < b->key.size ? a->key.size : b->key.size;
    int order = memcmp (a->key.data, b->key.data, least);
    return order ? order : (a->key.size > b->key.size) - (a->key.size < b->key.size);
}

static rig_record_t *record_of (rig_records_t *records, uint8_t table, bytes_t key)
{
    for (size_t i = records->count; i-- > 0;)
        if (records->list [i].table == table && is_bytes (records->list [i].key, key))
            return &records->list [i];
    if (records->count == records->size) {
        records->size = records->size ? 2 * records->size : 64;
        records->list = must (realloc (records->list, records->size * sizeof *records->list));
    }
    rig_record_t *record = &records->list [records->count++];
    *record = (rig_record_t){.table = table, .key = copied (key)};
    return record;
}

static void keep (rig_t *self, const effect_t *effect)
{
    bool row = effect->record.table == TABLE_LEDGER;
    rig_record_t *record =
      record_of (row ? &self->rows : &self->records, effect->record.table, effect->record.key);
    REQUIRE (self->records.count <= RIG_RECORDS_MAX);
    forget (&record->now);
    if (effect->kind == EFFECT_PUT)
        record->now = copied (effect->record.value);
    self->puts += row ? 0 : 1;
}

static void record_free (rig_record_t *record)
{
    free (record->key.data);
    free (record->now.data);
    free (record->flushed.data);
}

/*  Removes the records that are neither in memory nor on disk. */
static void records_tidy (rig_records_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (self->list [i].now.data || self->list [i].flushed.data)
            self->list [count++] = self->list [i];
        else
            record_free (&self->list [i]);
    }
    self->count = count;
}

static void records_flush (rig_records_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        rig_record_t *record = &self->list [i];
        forget (&record->flushed);
        if (record->now.data)
            record->flushed = copied ((bytes_t){record->now.data, record->now.size});
    }
    records_tidy (self);
}

void rig_flush (rig_t *self)
{
    records_flush (&self->records);
    records_flush (&self->rows);
}

static void lose_unflushed (rig_records_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        rig_record_t *record = &self->list [i];
        forget (&record->now);
        if (record->flushed.data)
            record->now = copied ((bytes_t){record->flushed.data, record->flushed.size});
    }
    records_tidy (self);
}

static void records_free (rig_records_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        record_free (&self->list [i]);
    free (self->list);
}

/*  --- steps --- */

static void note_call (rig_t *self, const effect_t *effect)
{
    REQUIRE (self->calls_count < RIG_CALLS_MAX);
    rig_call_t *call = &self->calls [self->calls_count++];
    char why [WHY_BYTES] = "";
    *call = (rig_call_t){.call = effect->call.call,
                         .outcome = strcmp (effect->call.method, "Outcome") == 0};
    memcpy (call->to_store, effect->call.to_store, STORE_ID_BYTES);
    decision_request_t named;
    REQUIRE (codec_decode (&decision_request_codec, &named, effect->call.body, why));
    call->txid = named.txid;
}

static void take (rig_t *self, const effect_t *effect)
{
    switch (effect->kind) {
    case EFFECT_PUT:
    case EFFECT_DELETE:
        keep (self, effect);
        break;
    case EFFECT_READ:
        if (effect->read.table == TABLE_COMMANDS) {
            REQUIRE (effect->read.most == 1 && self->wants_count < RIG_WANTS_MAX);
            self->wants [self->wants_count++] =
              (rig_want_t){effect->read.read, copied (effect->read.from)};
            break;
        }
        REQUIRE (self->read.most == 0 && effect->read.table == TABLE_LEDGER);
        self->read = effect->read;
        self->read_from = copied (effect->read.from);
        break;
    case EFFECT_REPLY:
        REQUIRE (!self->replied);
        self->replied = true;
        self->status = effect->reply.status;
        snprintf (self->reason, sizeof self->reason, "%s", effect->reply.reason);
        forget (&self->reply);
        self->reply = copied (effect->reply.body);
        break;
    case EFFECT_CALL:
        note_call (self, effect);
        break;
    case EFFECT_TIMER:
        self->alarm_ms = effect->timer.mono_ms;
        break;
    case EFFECT_LOG:
        break;
    default:
        REQUIRE (!"an effect that a participant has no use for");
    }
}

static void sort (rig_records_t *records)
{
    if (records->count > 0)
        qsort (records->list, records->count, sizeof *records->list, record_compare);
}

static void step (rig_t *self, const event_t *event);

/*  Hands over the rows that were asked for before anything else happens. */
static void show_rows (rig_t *self)
{
    row_t rows [RIG_ROWS_MAX];
    size_t count = 0;
    size_t bytes = 0;
    bool more = false;
    read_order_t order = self->read;
    packed_t from = self->read_from;
    rig_record_t first = {.table = TABLE_LEDGER, .key = from};
    self->read = (read_order_t){0};
    self->read_from = (packed_t){0};
    records_tidy (&self->rows);
    sort (&self->rows);
    for (size_t i = 0; i < self->rows.count && !more; i++) {
        const rig_record_t *row = &self->rows.list [i];
        if (!row->now.data || record_compare (row, &first) < 0)
            continue;
        more = count > 0 && (count == order.most || count == RIG_ROWS_MAX ||
                             bytes + row->key.size + row->now.size > order.bytes);
        if (!more) {
            bytes += row->key.size + row->now.size;
            rows [count++] =
              (row_t){{row->key.data, row->key.size}, {row->now.data, row->now.size}};
        }
    }
    forget (&from);
    step (self,
          &(event_t){.kind = EVENT_ROWS,
                     .rows = {.read = order.read, .rows = rows, .count = count, .more = more}});
}

static void step_alone (rig_t *self, const event_t *event)
{
    effect_t effect;
    service_step (self->service, &self->now, event);
    while (service_next (self->service, &effect))
        take (self, &effect);
}

/*  Hands over the record of a command that was asked for first. */
static void show_command (rig_t *self)
{
    rig_want_t want = self->wants [0];
    row_t row;
    event_t event = {.kind = EVENT_ROWS, .rows = {.read = want.read, .rows = &row}};
    memmove (self->wants, self->wants + 1, --self->wants_count * sizeof *self->wants);
    const rig_record_t *record =
      record_of (&self->records, TABLE_COMMANDS, packed_bytes (want.key));
    if (record->now.data) {
        row = (row_t){packed_bytes (record->key), packed_bytes (record->now)};
        event.rows.count = 1;
    }
    step_alone (self, &event);
    forget (&want.key);
}

static void step (rig_t *self, const event_t *event)
{
    if (self->read.most > 0)
        show_rows (self);
    self->replied = false;
    self->puts = 0;
    step_alone (self, event);
    while (self->wants_count > 0)
        show_command (self);
    if (event->kind == EVENT_RECORD)
        return;
    participant_check (self->participant);
    self->looked (self->owner);
}

/*  Loads only the last row of the ledger. */
static void load (rig_t *self)
{
    sort (&self->records);
    sort (&self->rows);
    size_t count = self->records.count + (self->rows.count > 0 ? 1 : 0);
    bool shown = self->rows.count == 0;
    for (size_t i = 0, at = 0; i < count; i++) {
        bool row =
          !shown && (at == self->records.count || self->records.list [at].table > TABLE_LEDGER);
        const rig_record_t *record =
          row ? &self->rows.list [self->rows.count - 1] : &self->records.list [at++];
        shown = shown || row;
        step (self, &(event_t){.kind = EVENT_RECORD,
                               .record = {.table = record->table,
                                          .key = {record->key.data, record->key.size},
                                          .value = {record->now.data, record->now.size}}});
    }
}

static void boot (rig_t *self)
{
    static const char *const accounts [] = {"alice", "bob"};
    static const char *const administrators [] = {"root"};
    part_reader_t reader;
    self->access = (access_t){accounts, 2, administrators, 1};
    self->service = member_new (self->name, NULL, 0);
    if (self->network) {
        self->room = circuits_room ("N", &domain, &self->service->timekeeper);
        self->circuits = (circuits_t){self->room, &domain};
        circuits_reader (&self->circuits, &reader);
    } else {
        self->room = bookings_room ("ams", &site, &self->service->timekeeper);
        bookings_reader (&reader);
    }
    self->timetable = timetable_new (
      self->room, &reader, &(timetable_limits_t){.bookings_max = 1000, .fresh_steps_max = 4096});
    timetable_resource (self->timetable, &self->resource);
    self->participant =
      participant_new (self->service, &self->resource, &self->limits, &self->access);
    self->alarm_ms = INT64_MAX;
    self->start++;
    load (self);
    event_t start = {.kind = EVENT_START,
                     .start = {.store = {.start = self->start},
                               .endpoint = "sim://self",
                               .events = "sim://self/events"}};
    memcpy (start.start.store.id, self->store_id, STORE_ID_BYTES);
    step (self, &start);
}

static void stop (rig_t *self)
{
    participant_destroy (&self->participant);
    timetable_destroy (&self->timetable);
    for (size_t i = 0; i < free_capacity_offers (self->room); i++)
        REQUIRE (calendar_bookings (free_capacity_calendar (self->room, i)) == 0);
    free_capacity_destroy (&self->room);
    service_destroy (&self->service);
    self->calls_count = 0;
    while (self->wants_count > 0)
        forget (&self->wants [--self->wants_count].key);
    self->read = (read_order_t){0};
    forget (&self->read_from);
}

void rig_begin (rig_t *self, bool network, void (*looked) (void *owner), void *owner)
{
    *self = (rig_t){.network = network,
                    .name = network ? "nis/N" : "lis/ams",
                    .looked = looked,
                    .owner = owner,
                    .limits = SETTINGS_PRESET (participant_limits_t, &participant_table),
                    .now = {.wall_ms = RIG_WALL_MS,
                            .mono_ms = 5000,
                            .store_free_bytes = 1u << 30,
                            .store_bytes = 1u << 30}};
    self->limits.retention_ms = 10 * RIG_MINUTE_MS; /* so that records are deleted, too */
    self->limits.holds_per_actor_max = 12;
    memset (self->store_id, 0xaa, STORE_ID_BYTES);
    boot (self);
}

void rig_end (rig_t *self)
{
    stop (self);
    records_free (&self->records);
    records_free (&self->rows);
    free (self->reply.data);
}

void rig_crash (rig_t *self)
{
    stop (self);
    lose_unflushed (&self->records);
    lose_unflushed (&self->rows);
    boot (self);
}

void rig_request (rig_t *self, const char *actor, const char *method, packed_t body)
{
    step (self, &(event_t){.kind = EVENT_REQUEST,
                           .request = {.service = "Participant",
                                       .method = method,
                                       .actor = actor,
                                       .request_id = "",
                                       .body = {body.data, body.size},
                                       .reply_to = 1}});
    free (body.data);
    REQUIRE (self->replied);
}

void rig_answer (rig_t *self, size_t at, call_status_t status, bytes_t body)
{
    rig_call_t call = self->calls [at];
    self->calls [at] = self->calls [--self->calls_count];
    event_t event = {
      .kind = EVENT_ANSWER,
      .answer = {
        .call = call.call, .status = status, .reason = "", .body = body, .store_start = 1}};
    if (status != CALL_TIMED_OUT)
        memcpy (event.answer.store, call.to_store, STORE_ID_BYTES);
    step (self, &event);
}

void rig_pass (rig_t *self, int64_t ms)
{
    int64_t end_ms = self->now.mono_ms + ms;
    for (int alarms = 0; self->alarm_ms <= end_ms; alarms++) {
        REQUIRE (alarms < 100000);
        int64_t step_ms = self->alarm_ms - self->now.mono_ms;
        step_ms = step_ms > 0 ? step_ms : 0;
        self->now.mono_ms += step_ms;
        self->now.wall_ms += step_ms;
        self->alarm_ms = INT64_MAX;
        step (self, &(event_t){.kind = EVENT_TIMER});
        while (self->calls_count > RIG_CALLS_MAX / 2) /* no question is answered in all this time */
            rig_answer (self, 0, CALL_TIMED_OUT, (bytes_t){0});
    }
    self->now.wall_ms += end_ms - self->now.mono_ms;
    self->now.mono_ms = end_ms;
}
