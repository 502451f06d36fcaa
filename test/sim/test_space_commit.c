/*  test_space_commit - requests for CPUs and room on disks in one plan: planners, sites and their
 *  storage die at any moment, users put files beside them. In the end either all of a plan's
 *  participants have it, in the same version, or none has; and no disk has promised what it lacks.
 */
#include "participant.h"
#include "replica_scene.h"

#include "lis.h"
#include "planner.h"

#include "message.h"
#include "participant_records.h"
#include "planner.pb-c.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MB       1000000
#define MIB      1048576
#define SECOND   1000
#define SITES    2
#define PLANNERS 2
#define REQUESTS 8
#define SEEDS    25

static char why [256];

typedef struct {
    lis_settings_t settings;
    char name [16];
    core_t core;
    int process;
} site_member_t;

typedef struct {
    replica_scene_t *scene;
    uint64_t seed;
    uint64_t dice;
    site_member_t sites [SITES];
    planner_settings_t planner;
    int planners [PLANNERS];
    size_t asks [REQUESTS];
} story_t;

static uint64_t draw (story_t *self, uint64_t below)
{
    self->dice = self->dice * 6364136223846793005u + 1442695040888963407u;
    return (self->dice >> 33) % below;
}

/*  --- who takes part, beside the storage of the scene --- */

static const char *const anybody [] = {"*"};
static const char *const directories [] = {"sim://gis/g1/1"};
static node_class_t thin = {.name = "thin", .nodes = 16, .cpus_per_node = 1};

static void site_make (void *owner, core_t *core)
{
    site_member_t *member = owner;
    lis_core (&member->settings, core);
    member->core = *core;
}

static void planner_make (void *owner, core_t *core)
{
    planner_core (owner, core);
}

static void site_add (story_t *self, size_t i)
{
    site_member_t *member = &self->sites [i];
    snprintf (member->name, sizeof member->name, "lis/%c", (char) ('a' + i));
    member->settings = (lis_settings_t){
      .provider = {.name = member->name,
                   .access = {.accounts = anybody, .accounts_count = 1},
                   .participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
                   .limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
                   .gis_endpoints = directories,
                   .gis_count = 1},
      .site = {.classes = &thin, .classes_count = 1, .horizon_ms = 86400000},
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table)};
    member->process =
      sim_add (scene_sim (self->scene),
               &(sim_program_t){.name = member->name, .make = site_make, .owner = member},
               &(sim_clock_t){0}, SIM_NOBODY, sim_now_us (scene_sim (self->scene)) + 1000);
}

static story_t *story_new (uint64_t seed)
{
    story_t *self = calloc (1, sizeof *self);
    assert_non_null (self);
    *self = (story_t){.scene = replica_scene_new (seed, &scene_plan_default),
                      .seed = seed,
                      .dice = seed * 0x9e3779b97f4a7c15u + 1,
                      .planner = SETTINGS_PRESET (planner_settings_t, &planner_table)};
    for (size_t i = 0; i < SITES; i++)
        site_add (self, i);
    self->planner.restore_guard_wait_ms = 0;
    self->planner.gis_endpoints = directories;
    self->planner.gis_count = 1;
    self->planner.request_limit_ms = 3 * SECOND;
    self->planner.finish_interval_ms = 0;
    for (size_t i = 0; i < PLANNERS; i++)
        self->planners [i] = sim_add (
          scene_sim (self->scene),
          &(sim_program_t){
            .name = i ? "planner/2" : "planner/1", .make = planner_make, .owner = &self->planner},
          &(sim_clock_t){0}, SIM_NOBODY, sim_now_us (scene_sim (self->scene)) + 2000);
    scene_pass (self->scene, 3 * SECOND);
    return self;
}

static void story_end (story_t *self)
{
    replica_scene_destroy (&self->scene);
    free (self);
}

static participant_t *participant_of (const story_t *self, const char *name)
{
    for (size_t i = 0; i < SITES; i++)
        if (strcmp (self->sites [i].name, name) == 0)
            return ((provider_t *) self->sites [i].core.self)->participant;
    if (strncmp (name, "replica/", 8) != 0)
        return NULL;
    const core_t *core = scene_core (self->scene, name);
    assert_non_null (core);
    return ((provider_t *) core->self)->participant;
}

/*  --- what users ask --- */

static size_t reserve (story_t *self, int planner, uint32_t cpus, uint64_t bytes, int64_t at_ms)
{
    static char *sites [] = {"a", "b"};
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    Musubi__ComputeNeed one = MUSUBI__COMPUTE_NEED__INIT, other = MUSUBI__COMPUTE_NEED__INIT;
    Musubi__ComputeNeed *needs [] = {&one, &other};
    Musubi__SpaceNeed room = MUSUBI__SPACE_NEED__INIT;
    Musubi__SpaceNeed *rooms [] = {&room};
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__ReserveRequest message = MUSUBI__RESERVE_REQUEST__INIT;
    packed_t body;
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = at_ms;
    frame.start = &start;
    one.id = "one";
    other.id = "other";
    one.cpus = other.cpus = cpus;
    one.site = sites [0];
    other.site = sites [1];
    room.at = "one";
    room.bytes = bytes;
    request.name = "room";
    request.window = &frame;
    request.duration_ms = 600 * SECOND;
    request.n_compute = 2;
    request.compute = needs;
    request.n_space = 1;
    request.space = rooms;
    message.request = &request;
    body.data = message_pack (&message.base, &body.size);
    return scene_send (self->scene, planner, "alice", "Planner", "Reserve", body);
}

static int64_t now_ms (const story_t *self)
{
    const core_t *core = scene_core (self->scene, "replica/c");
    return ((const replica_t *) core->self)->service->wall_ms;
}

/*  --- what must hold in the end --- */

typedef struct {
    txid_t txid;
    plan_t *plan;
    bool found;
} plan_sought_t;

static void seek_plan (void *owner, uint8_t table, bytes_t key, bytes_t value)
{
    plan_sought_t *sought = owner;
    command_record_t record;
    txid_t txid;
    char unread [WHY_BYTES];
    if (table != TABLE_COMMANDS || !txid_unpack (&txid, key) ||
        txid_compare (&txid, &sought->txid) != 0 ||
        !codec_decode (&command_record_codec, &record, value, unread))
        return;
    sought->found = codec_decode (&plan_codec, sought->plan, packed_bytes (record.plan), unread);
    codec_clear (&command_record_codec, &record);
}

/*  The plan that made the reservation's version: a command that has ended is in the store alone. */
static bool plan_of (const story_t *self, const char *name, const reservation_view_t *view,
                     plan_t *plan)
{
    sim_t *sim = scene_sim (self->scene);
    bytes_t part;
    plan_sought_t sought = {.txid = view->made_by, .plan = plan};
    if (participant_command (participant_of (self, name), &view->made_by, plan, &part))
        return true;
    for (int i = 0; i < (int) sim_processes (sim); i++)
        if (strcmp (sim_name (sim, i), name) == 0)
            sim_store_each (sim_store (sim, i), false, seek_plan, &sought);
    return sought.found;
}

static void judge_reservation (const story_t *self, const char *name,
                               const reservation_view_t *view)
{
    plan_t plan;
    txid_t txid;
    bytes_t part;
    if (participant_pending (participant_of (self, name), view->id, &txid, &part))
        fail_msg ("seed %" PRIu64 ": %s is pending at %s", self->seed, view->id, name);
    if (!plan_of (self, name, view, &plan))
        return;
    for (size_t i = 0; i < plan.participants_count; i++) {
        const participant_t *other = participant_of (self, plan.participants [i].name);
        reservation_view_t there;
        if (other && (!participant_find (other, view->id, &there) ||
                      there.version != view->version || there.over != view->over))
            fail_msg ("seed %" PRIu64 ": %s is at version %u at %s, and not at %s", self->seed,
                      view->id, view->version, name, plan.participants [i].name);
    }
    codec_clear (&plan_codec, &plan);
}

static size_t judge_participant (const story_t *self, const char *name)
{
    reservation_view_t view;
    size_t count = 0;
    for (const char *after = NULL; participant_next (participant_of (self, name), after, &view);
         after = view.id) {
        judge_reservation (self, name, &view);
        count += !view.over && view.version > 0;
    }
    return count;
}

/*  At each instant at which a booking begins: what is booked and what lasts fits the disk. */
static void judge_disk (const story_t *self, const char *site)
{
    const replica_t *replica = scene_core (self->scene, site)->self;
    const disk_bookings_t *bookings = disk_space_bookings (replica->space);
    int64_t lasting = 0;
    for (const file_t *file = catalogue_after (replica->catalogue, NULL); file;
         file = catalogue_after (replica->catalogue, file->name))
        for (size_t i = 0; i < file->copies_count; i++)
            lasting += copy_lasts (file, &file->copies [i]) ? (int64_t) file->content.size : 0;
    for (disk_booking_t *at = NULL; (at = disk_bookings_next (bookings, "n1", NULL, at));) {
        int64_t booked = 0;
        for (disk_booking_t *one = NULL; (one = disk_bookings_next (bookings, "n1", NULL, one));)
            booked += disk_booking_runs (one, at->booking.from_ms)
                        ? (int64_t) space_mib (one->booking.bytes) * MIB
                        : 0;
        if (booked + lasting > (int64_t) scene_plan_default.node_bytes)
            fail_msg ("seed %" PRIu64 ": %" PRId64 " bytes are booked and %" PRId64
                      " last at %s/n1",
                      self->seed, booked, lasting, site);
    }
    if (fake_overrun ())
        fail_msg ("seed %" PRIu64 ": a disk holds more than it may", self->seed);
}

static size_t judge (const story_t *self)
{
    static const char *const storage [] = {"replica/a", "replica/b"};
    size_t standing = judge_participant (self, "lis/a");
    for (size_t i = 0; i < SITES; i++) {
        judge_disk (self, storage [i]);
        judge_participant (self, self->sites [i].name);
    }
    size_t booked = judge_participant (self, "replica/a") + judge_participant (self, "replica/b");
    if (booked != standing)
        fail_msg ("seed %" PRIu64 ": %zu reservations stand, %zu have room", self->seed, standing,
                  booked);
    return standing;
}

/*  --- stories --- */

static void all_or_nothing_with_room (void **state)
{
    (void) state;
    story_t *self = story_new (1);
    int64_t at_ms = now_ms (self) + 60 * SECOND;
    (void) reserve (self, self->planners [0], 2, 5 * MIB, at_ms);
    scene_pass (self->scene, 5 * SECOND);
    assert_int_equal (judge (self), 1);
    size_t second = reserve (self, self->planners [1], 2, 5 * MIB, at_ms);
    scene_pass (self->scene, 5 * SECOND);
    assert_int_equal (judge (self), 1);
    ProtobufCMessage *told =
      message_unpack (&musubi__answer__descriptor, scene_told (self->scene, second));
    assert_non_null (told);
    const Musubi__Answer *answer = (const Musubi__Answer *) told;
    assert_int_equal (answer->status, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_true (answer->n_reasons > 0);
    assert_string_equal (answer->reasons [0]->resource, "a/n1");
    message_free (told);
    story_end (self);
}

static int victim (story_t *self)
{
    switch (draw (self, 5)) {
    case 0:
        return self->planners [0];
    case 1:
        return self->planners [1];
    case 2:
        return self->sites [draw (self, SITES)].process;
    default:
        return scene_process (self->scene, "replica/a");
    }
}

static size_t deaths (uint64_t seed)
{
    story_t *self = story_new (seed);
    sim_t *sim = scene_sim (self->scene);
    int64_t at_ms = now_ms (self) + 120 * SECOND;
    for (size_t i = 0; i < REQUESTS; i++) {
        char file [8];
        (void) reserve (self, self->planners [i % PLANNERS], 1, (1 + draw (self, 4)) * MIB, at_ms);
        if (draw (self, 3) == 0) {
            snprintf (file, sizeof file, "f%zu", i);
            scene_put (self->scene, "replica/a", file, (1 + draw (self, 4)) * MB, (uint8_t) i, why);
        }
        if (draw (self, 2) == 0)
            sim_kill (sim, victim (self), sim_now_us (sim) + (int64_t) draw (self, 60000),
                      (int64_t) (50 + draw (self, 800)));
        scene_pass (self->scene, (int64_t) draw (self, 200));
    }
    scene_pass (self->scene, 60 * SECOND); /* all settles by itself */
    size_t standing = judge (self);
    story_end (self);
    return standing;
}

static void whoever_dies_all_have_it_or_none (void **state)
{
    (void) state;
    const char *seeds = getenv ("SPACE_SEEDS");
    const char *first = getenv ("SPACE_FIRST");
    uint64_t from = first ? strtoull (first, NULL, 10) : 1;
    uint64_t count = seeds ? strtoull (seeds, NULL, 10) : SEEDS;
    size_t standing = 0;
    for (uint64_t seed = from; seed < from + count; seed++)
        standing += deaths (seed);
    assert_true (standing > count); /* it does get somewhere */
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (all_or_nothing_with_room),
      cmocka_unit_test (whoever_dies_all_have_it_or_none),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
