/*  recorded stores: what an earlier build had on disk (test/data/README.md) is read by today's
 *  services, agrees with its ledger, and is served as it was.
 */
#include "../gis_everybody.h"
#include "host_in_memory.h"

#include "gis.h"
#include "ledger_audit.h"
#include "ledger_tables.h"
#include "lis.h"
#include "message.h"
#include "nis.h"
#include "part_record.h"
#include "planner.h"

#include "transaction.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    memory_host_t host;
    records_t rows; /* of its ledger */
    char alarms [1024];
    bool replied;
    call_status_t status;
    packed_t reply;
} served_t;

/*  --- the files --- */

/*  Hex up to a blank or the line's end; *at goes behind it. */
static packed_t bytes_read (const char **at)
{
    packed_t bytes = {.data = must (calloc (strlen (*at) / 2 + 1, 1))};
    unsigned byte;
    int read;
    for (; sscanf (*at, "%2x%n", &byte, &read) == 1 && read == 2; *at += 2)
        bytes.data [bytes.size++] = (uint8_t) byte;
    *at += strspn (*at, "- \n");
    return bytes;
}

static void line_read (served_t *self, const char *line)
{
    char *at;
    uint8_t table = (uint8_t) strtoul (line, &at, 10);
    const char *rest = at + 1;
    packed_t key = bytes_read (&rest);
    packed_t value = bytes_read (&rest);
    records_put (table == TABLE_LEDGER ? &self->rows : &self->host.records, table, kept_bytes (key),
                 kept_bytes (value));
    free (key.data);
    free (value.data);
}

static void on_effect (void *owner, const effect_t *effect)
{
    served_t *self = owner;
    if (effect->kind == EFFECT_REPLY) {
        self->replied = true;
        self->status = effect->reply.status;
        self->reply = packed_copy (effect->reply.body);
    } else if (effect->kind == EFFECT_LOG && effect->log.level == LEVEL_ALARM) {
        size_t used = strlen (self->alarms);
        snprintf (self->alarms + used, sizeof self->alarms - used, "%s\n", effect->log.line);
    }
}

static void store_read (served_t *self, const char *name)
{
    char path [256];
    char *line = NULL;
    size_t room = 0;
    snprintf (path, sizeof path, "%s/stores/%s.txt", TEST_DATA, name);
    FILE *file = fopen (path, "re");
    assert_non_null (file);
    *self = (served_t){.host = memory_host (0, 5000, on_effect, self)};
    self->host.store.start = 1;
    assert_true (getline (&line, &room, file) > 0);
    const char *at = line;
    packed_t id = bytes_read (&at);
    assert_int_equal (id.size, STORE_ID_BYTES);
    memcpy (self->host.store.id, id.data, STORE_ID_BYTES);
    free (id.data);
    while (getline (&line, &room, file) > 0)
        line_read (self, line);
    assert_true (self->rows.count > 0);
    fclose (file);
    free (line);
}

static void store_end (served_t *self)
{
    records_clear (&self->host.records);
    records_clear (&self->rows);
    free (self->reply.data);
}

/*  --- as their ledgers tell --- */

static void fail_told (void *owner, const char *sentence)
{
    fail_msg ("%s: %s", (const char *) owner, sentence);
}

static void fail_record (void *owner, bool mended, const char *sentence)
{
    (void) mended;
    fail_told (owner, sentence);
}

static ledger_replay_t *replayed (const served_t *self, const char *name)
{
    ledger_replay_t *replay = ledger_replay_new (fail_told, (void *) name);
    for (size_t i = 0; i < self->rows.count; i++)
        assert_true (ledger_replay_row (replay, kept_bytes (self->rows.list [i].value)));
    ledger_replay_end (replay, self->rows.count);
    return replay;
}

static void every_record_is_what_its_ledger_comes_to (void **state)
{
    (void) state;
    static const char *const names [] = {"lis-ams", "nis-N", "gis-g1", "planner"};
    audit_ledger_t ledgers [4];
    served_t stores [4];
    for (size_t i = 0; i < 4; i++) {
        store_read (&stores [i], names [i]);
        ledger_replay_t *replay = replayed (&stores [i], names [i]);
        ledger_mender_t mender = {.tell = fail_record, .owner = (void *) names [i]};
        ledger_tables_t *tables = ledger_tables_new (replay, &mender);
        const records_t *records = &stores [i].host.records;
        for (size_t r = 0; r < records->count; r++)
            ledger_tables_record (tables, records->list [r].table,
                                  kept_bytes (records->list [r].key),
                                  kept_bytes (records->list [r].value), true);
        assert_int_equal (ledger_tables_end (tables), 0);
        ledger_tables_destroy (&tables);
        ledgers [i] = (audit_ledger_t){.replay = replay};
        snprintf (ledgers [i].name, sizeof ledgers [i].name, "%s", names [i]);
        memcpy (ledgers [i].store, stores [i].host.store.id, STORE_ID_BYTES);
    }
    audit_result_t all = ledger_audit_judge (ledgers, 4, fail_told, (void *) "all");
    assert_int_equal (all.committed, 6);
    for (size_t i = 0; i < 4; i++) {
        ledger_replay_destroy ((ledger_replay_t **) &ledgers [i].replay);
        store_end (&stores [i]);
    }
}

/*  --- as they were served --- */

static void on_step (void *owner, const event_t *event)
{
    served_t *self = owner;
    memory_host_step (&self->host, event);
}

/*  A second after its last row. */
static void serve (served_t *self, const char *name)
{
    char endpoint [64];
    ledger_replay_t *replay = replayed (self, name);
    self->host.now.wall_ms = replay->figures.last_wall_ms + 1000;
    ledger_replay_destroy (&replay);
    snprintf (endpoint, sizeof endpoint, "sim://%s", name);
    memory_host_boot (&self->host, &self->rows.list [self->rows.count - 1], endpoint, on_step);
    assert_string_equal (self->alarms, "");
}

/*  Ends body. */
static void ask (served_t *self, const char *actor, const char *service, const char *method,
                 packed_t body)
{
    free (self->reply.data);
    self->reply = (packed_t){0};
    self->replied = false;
    memory_host_step (&self->host, &(event_t){.kind = EVENT_REQUEST,
                                              .request = {.service = service,
                                                          .method = method,
                                                          .actor = actor,
                                                          .request_id = "",
                                                          .body = kept_bytes (body),
                                                          .reply_to = 1}});
    free (body.data);
    assert_true (self->replied);
    assert_int_equal (self->status, CALL_OK);
}

static void stop (served_t *self)
{
    self->host.core.destroy (self->host.core.self);
    store_end (self);
}

static const char *const everybody [] = {"*"};
static const char *const root [] = {"root"};
#define ACCESS                                                                                     \
    {                                                                                              \
        .accounts = everybody, .accounts_count = 1, .administrators = root,                        \
        .administrators_count = 1                                                                  \
    }

typedef struct {
    uint32_t version;
    record_state_t state;
    uint32_t cpus; /* 0 = nothing is booked */
    int64_t minutes;
} recorded_stores_wanted_t;

/*  r-1 to r-4: the first was prolonged by half an hour, the second released. */
static const recorded_stores_wanted_t wanted [] = {{2, RECORD_RESERVED, 4, 90},
                                                   {2, RECORD_RELEASED, 0, 0},
                                                   {1, RECORD_RESERVED, 12, 60},
                                                   {1, RECORD_RESERVED, 16, 60}};

static parts_page_t reservations_of (served_t *self)
{
    parts_page_t page;
    char why [WHY_BYTES];
    ask (self, "root", "Participant", "List", (packed_t){0});
    if (!codec_decode (&parts_page_codec, &page, kept_bytes (self->reply), why))
        fail_msg ("%s", why);
    assert_int_equal (page.count, 4);
    for (size_t i = 0; i < 4; i++) {
        char id [32];
        snprintf (id, sizeof id, "57b7a77120c5-1-%zu", i + 1);
        assert_string_equal (page.records [i].reservation, id);
        assert_string_equal (page.records [i].owner, "alice");
        assert_int_equal (page.records [i].version, wanted [i].version);
        assert_int_equal (page.records [i].state, wanted [i].state);
    }
    return page;
}

static void a_site_serves_the_reservations_that_it_had (void **state)
{
    (void) state;
    served_t site;
    node_class_t class = {.name = "thin", .nodes = 8, .cpus_per_node = 4, .price = 1000000};
    lis_settings_t settings = {
      .provider.name = "lis/ams",
      .provider.access = ACCESS,
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .site = {.classes = &class,
               .classes_count = 1,
               .lead_ms = 2000,
               .horizon_ms = INT64_C (400) * 24 * 3600000}};
    store_read (&site, "lis-ams");
    lis_core (&settings, &site.host.core);
    serve (&site, "lis-ams");
    parts_page_t page = reservations_of (&site);
    for (size_t i = 0; i < 4; i++) {
        const part_record_t *record = &page.records [i];
        assert_int_equal (record->bookings_count, wanted [i].cpus > 0);
        if (wanted [i].cpus == 0)
            continue;
        assert_int_equal (record->bookings [0].cpus, wanted [i].cpus);
        assert_int_equal (record->bookings [0].nodes, wanted [i].cpus / 4);
        assert_int_equal (record->bookings [0].until_ms - record->bookings [0].from_ms,
                          wanted [i].minutes * 60000);
    }
    codec_clear (&parts_page_codec, &page);
    stop (&site);
}

static void a_domain_serves_the_circuits_that_it_had (void **state)
{
    (void) state;
    served_t domain;
    vertex_t vertices [] = {{.name = "ams"}, {.name = "ber"}};
    link_t link = {.name = "ams-ber", .ends = {"ams", "ber"}, .mbps = 1000, .latency_us = 1000};
    nis_settings_t settings = {
      .provider.name = "nis/N",
      .provider.access = ACCESS,
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (nis_settings_t, &nis_table).provider.limits,
      .paths_max = NIS_PATHS_MOST,
      .domain = {.vertices = vertices,
                 .vertices_count = 2,
                 .links = &link,
                 .links_count = 1,
                 .lead_ms = 2000,
                 .horizon_ms = INT64_C (400) * 24 * 3600000}};
    store_read (&domain, "nis-N");
    nis_core (&settings, &domain.host.core);
    serve (&domain, "nis-N");
    parts_page_t page = reservations_of (&domain);
    for (size_t i = 0; i < 4; i++) {
        const part_record_t *record = &page.records [i];
        assert_int_equal (record->circuits_count, wanted [i].cpus > 0);
        if (wanted [i].cpus == 0)
            continue;
        assert_int_equal (record->circuits [0].mbps, 100);
        assert_int_equal (record->circuits [0].until_ms - record->circuits [0].from_ms,
                          wanted [i].minutes * 60000);
    }
    codec_clear (&parts_page_codec, &page);
    stop (&domain);
}

static void a_home_has_the_claims_that_it_had (void **state)
{
    (void) state;
    served_t home;
    static const char *const homes [] = {"gis/g1"};
    gis_settings_t settings = gis_for_everybody ();
    settings.name = "gis/g1";
    settings.homes = homes;
    settings.homes_count = 1;
    settings.access = (access_t) ACCESS;
    store_read (&home, "gis-g1");
    gis_core (&settings, &home.host.core);
    serve (&home, "gis-g1");
    ask (&home, "root", "Participant", "Commands", (packed_t){0});
    Musubi__CommandsAnswer *answer = (Musubi__CommandsAnswer *) message_unpack (
      &musubi__commands_answer__descriptor, kept_bytes (home.reply));
    assert_non_null (answer);
    assert_int_equal (answer->n_commands, 6);
    for (size_t i = 0; i < answer->n_commands; i++)
        assert_int_equal (answer->commands [i]->state, MUSUBI__COMMAND_STATE__COMMITTED);
    message_free (&answer->base);
    stop (&home);
}

static void a_planner_knows_what_it_has_decided (void **state)
{
    (void) state;
    served_t planner;
    static const char *const gis [] = {"sim://gis/g1"};
    planner_settings_t settings = SETTINGS_PRESET (planner_settings_t, &planner_table);
    settings.gis_endpoints = gis;
    settings.gis_count = 1;
    settings.restore_guard_wait_ms = 0;
    store_read (&planner, "planner");
    planner_core (&settings, &planner.host.core);
    serve (&planner, "planner");
    txid_t txid = {.start = 1, .counter = 1};
    memcpy (txid.store, planner.host.store.id, STORE_ID_BYTES);
    outcome_answer_t answer;
    char why [WHY_BYTES];
    ask (&planner, "lis/ams", "Coordinator", "Outcome",
         codec_encode (&decision_request_codec, &(decision_request_t){txid, 0}));
    assert_true (codec_decode (&outcome_answer_codec, &answer, kept_bytes (planner.reply), why));
    assert_int_equal (answer.outcome, OUTCOME_COMMITTED);
    stop (&planner);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (every_record_is_what_its_ledger_comes_to),
      cmocka_unit_test (a_site_serves_the_reservations_that_it_had),
      cmocka_unit_test (a_domain_serves_the_circuits_that_it_had),
      cmocka_unit_test (a_home_has_the_claims_that_it_had),
      cmocka_unit_test (a_planner_knows_what_it_has_decided),
    };
    return cmocka_run_group_tests_name ("recorded stores", tests, NULL, NULL);
}
