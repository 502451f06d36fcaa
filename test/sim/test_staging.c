/*  test_staging - files that somebody stays with, in the simulated host: they come, by one chain,
 *  and are neither evicted nor given up. */
#include "replica_scene.h"

#include "catalogue_check.h"
#include "file_questions.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MB    1000000
#define SEEDS 40

static char why [256];

static void put (replica_scene_t *scene, const char *site, const char *name, uint64_t size,
                 uint8_t content)
{
    uint64_t transfer = scene_put (scene, site, name, size, content, why);
    assert_int_not_equal (transfer, UINT64_MAX);
    assert_int_equal (scene_wait (scene, site, transfer, "", 20000, why), TRANSFER_DONE);
}

/*  Stays for this long, or only looks (ms < 0). Returns the status; *state as it was told. */
static call_status_t stay (replica_scene_t *scene, const char *site, const char *name,
                           const char *node, int32_t ms, staged_state_t *state)
{
    Musubi__StayRequest request = MUSUBI__STAY_REQUEST__INIT;
    ProtobufCMessage *message;
    request.name = (char *) name;
    request.node = (char *) node;
    request.who = "task-1";
    request.look = ms < 0;
    request.stay_ms = ms > 0 ? (uint32_t) ms : 0;
    call_status_t status = scene_ask (scene, site, "Stay", &request.base, &message, why);
    if (status != CALL_OK)
        return status;
    const Musubi__StayAnswer *answer = (const Musubi__StayAnswer *) message;
    *state = (staged_state_t) answer->state;
    snprintf (why, sizeof why, "%s", answer->why);
    message_free (message);
    return status;
}

/*  Repeats the stay until it is told so; false when that takes longer. */
static bool stays_until (replica_scene_t *scene, const char *site, const char *name,
                         const char *node, staged_state_t wanted, int64_t ms)
{
    staged_state_t state = STAGED_AWAITED;
    for (int64_t until_us = sim_now_us (scene_sim (scene)) + ms * 1000;
         sim_now_us (scene_sim (scene)) < until_us && !sim_failed (scene_sim (scene));) {
        if (stay (scene, site, name, node, 60000, &state) == CALL_OK && state == wanted)
            return true;
        scene_pass (scene, 50);
    }
    return false;
}

static scene_plan_t many_nodes (void)
{
    scene_plan_t plan = scene_plan_default;
    plan.nodes = 3;
    return plan;
}

static void a_file_comes_to_the_node_that_is_named (void **state)
{
    (void) state;
    scene_plan_t plan = many_nodes ();
    replica_scene_t *scene = replica_scene_new (1, &plan);
    staged_state_t told = STAGED_AWAITED;
    put (scene, "replica/a", "x", 3 * MB, 7);
    assert_int_equal (stay (scene, "replica/b", "x", "n2", -1, &told), CALL_OK);
    assert_int_equal (told, STAGED_AWAITED);
    assert_int_equal (stay (scene, "replica/b", "x", "n2", 60000, &told), CALL_OK);
    assert_int_equal (told, STAGED_COMING);
    assert_true (stays_until (scene, "replica/b", "x", "n2", STAGED_READY, 10000));
    assert_true (fake_has ("replica/b", "n2", "x", 7));
    assert_false (fake_has ("replica/b", "n1", "x", 7) || fake_has ("replica/b", "n3", "x", 7));
    replica_scene_destroy (&scene);
}

/*  Who stays later joins the chain that is under way. */
static void nodes_that_want_one_file_have_it_by_one_crossing (void **state)
{
    (void) state;
    scene_plan_t plan = many_nodes ();
    replica_scene_t *scene = replica_scene_new (2, &plan);
    static const char *const nodes [] = {"n3", "n1", "n2"};
    staged_state_t told = STAGED_AWAITED;
    put (scene, "replica/a", "x", 8 * MB, 7);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal (stay (scene, "replica/b", "x", nodes [i], 60000, &told), CALL_OK);
        scene_pass (scene, 200);
    }
    for (size_t i = 0; i < 3; i++)
        assert_true (stays_until (scene, "replica/b", "x", nodes [i], STAGED_READY, 10000));
    assert_int_equal (fake_crossed ("replica/b", "x"), 8 * MB);
    replica_scene_destroy (&scene);
}

static void what_is_stayed_with_is_not_evicted_and_what_was_is (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (3, &scene_plan_default);
    staged_state_t told = STAGED_AWAITED;
    put (scene, "replica/a", "x", 6 * MB, 7);
    put (scene, "replica/c", "y", 6 * MB, 8);
    assert_true (stays_until (scene, "replica/b", "x", "n1", STAGED_READY, 10000));
    uint64_t transfer = scene_get (scene, "replica/b", "y", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_FAILED);
    assert_non_null (strstr (why, "disk full"));
    assert_true (fake_has ("replica/b", "n1", "x", 7));
    assert_int_equal (stay (scene, "replica/b", "x", "n1", 0, &told), CALL_OK);
    transfer = scene_get (scene, "replica/b", "y", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_DONE);
    assert_false (fake_has ("replica/b", "n1", "x", 7));
    assert_false (fake_overrun ());
    replica_scene_destroy (&scene);
}

/*  Also when nobody ends it: a stay that is not repeated ends by itself. */
static void a_stay_that_is_not_repeated_ends (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (4, &scene_plan_default);
    staged_state_t told = STAGED_AWAITED;
    put (scene, "replica/a", "x", 6 * MB, 7);
    put (scene, "replica/c", "y", 6 * MB, 8);
    assert_true (stays_until (scene, "replica/b", "x", "n1", STAGED_READY, 10000));
    assert_int_equal (stay (scene, "replica/b", "x", "n1", 3000, &told), CALL_OK);
    scene_pass (scene, 4000);
    uint64_t transfer = scene_get (scene, "replica/b", "y", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_DONE);
    replica_scene_destroy (&scene);
}

static void a_restart_evicts_nothing_that_tasks_may_stay_with (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (5, &scene_plan_default);
    put (scene, "replica/a", "x", 6 * MB, 7);
    put (scene, "replica/c", "y", 6 * MB, 8);
    assert_true (stays_until (scene, "replica/b", "x", "n1", STAGED_READY, 10000));
    sim_kill (scene_sim (scene), scene_process (scene, "replica/b"), sim_now_us (scene_sim (scene)),
              500);
    scene_pass (scene, 3000);
    uint64_t transfer = scene_get (scene, "replica/b", "y", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 40000, why), TRANSFER_FAILED);
    assert_true (fake_has ("replica/b", "n1", "x", 7));
    replica_scene_destroy (&scene);
}

static void what_can_not_be_had_is_late_with_the_reason_and_comes_when_it_can (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (6, &scene_plan_default);
    assert_true (stays_until (scene, "replica/b", "x", "n1", STAGED_LATE, 40000));
    assert_non_null (strstr (why, "no site has x"));
    put (scene, "replica/a", "x", 3 * MB, 7);
    assert_true (stays_until (scene, "replica/b", "x", "n1", STAGED_READY, 40000));

    put (scene, "replica/c", "big", 9 * MB, 8);
    assert_true (stays_until (scene, "replica/c", "x", "n1", STAGED_LATE, 40000));
    assert_non_null (strstr (why, "disk full"));
    assert_false (fake_overrun ());
    replica_scene_destroy (&scene);
}

static void a_copy_that_vanishes_or_goes_bad_is_brought_again (void **state)
{
    (void) state;
    scene_plan_t plan = many_nodes ();
    replica_scene_t *scene = replica_scene_new (7, &plan);
    put (scene, "replica/a", "x", 3 * MB, 7);
    assert_true (stays_until (scene, "replica/b", "x", "n2", STAGED_READY, 10000));
    fake_lose ("replica/b", "n2", "x");
    for (int i = 0; i < 200 && !fake_has ("replica/b", "n2", "x", 7); i++)
        scene_pass (scene, 100);
    assert_true (fake_has ("replica/b", "n2", "x", 7));
    assert_true (stays_until (scene, "replica/b", "x", "n2", STAGED_READY, 10000));
    replica_scene_destroy (&scene);
}

/*  Asks replica/b about x, which the first so many of sites a, b and c are said to have. The caller
 *  frees the message. */
static const Musubi__Staging *staging (replica_scene_t *scene, size_t sites_count,
                                       ProtobufCMessage **message)
{
    static char *const sites [] = {"a", "b", "c"};
    Musubi__StagingQuestion file = MUSUBI__STAGING_QUESTION__INIT;
    Musubi__StagingQuestion *files [] = {&file};
    Musubi__StagingRequest request = MUSUBI__STAGING_REQUEST__INIT;
    file.name = "x";
    file.size = 3 * MB;
    file.sites = (char **) sites;
    file.n_sites = sites_count;
    request.files = files;
    request.n_files = 1;
    assert_int_equal (scene_ask (scene, "replica/b", "Staging", &request.base, message, why),
                      CALL_OK);
    assert_int_equal (((const Musubi__StagingAnswer *) *message)->n_files, 1);
    return ((const Musubi__StagingAnswer *) *message)->files [0];
}

static void planners_are_told_who_has_a_file_and_how_fast_it_would_come (void **state)
{
    (void) state;
    scene_plan_t plan = many_nodes ();
    replica_scene_t *scene = replica_scene_new (9, &plan);
    ProtobufCMessage *message;
    put (scene, "replica/a", "x", 3 * MB, 7);
    put (scene, "replica/c", "x", 3 * MB, 7);
    const Musubi__Staging *told = staging (scene, 3, &message);
    assert_true (told->n_nodes == 0 && strpbrk (told->source, "ac") && told->bytes_per_s == 0);
    message_free (message);
    assert_true (stays_until (scene, "replica/b", "x", "n3", STAGED_READY, 10000));
    assert_true (stays_until (scene, "replica/b", "x", "n1", STAGED_READY, 10000));
    told = staging (scene, 1, &message); /* c would be tried, since it is not measured */
    assert_int_equal (told->n_nodes, 2);
    assert_string_equal (told->nodes [0], "n1");
    assert_string_equal (told->nodes [1], "n3");
    /* FAKE_PIECE_BYTES in FAKE_TICK_MS are 5 MB/s; the transfer takes part of a tick more. */
    assert_true (told->bytes_per_s > 3 * MB && told->bytes_per_s <= 6 * MB);
    message_free (message);
    replica_scene_destroy (&scene);
}

/*  --- bookings --- */

#define SECOND 1000

typedef struct {
    int64_t from_ms; /* from now */
    int64_t due_ms;
    int64_t until_ms;
    uint32_t mbps;
    const char *source;
} wanted_window_t;

static const replica_t *replica_b (replica_scene_t *scene)
{
    return scene_core (scene, "replica/b")->self;
}

/*  Reservation r1 gets x (3 MB, content 7) at n2 of replica/b; without a wish it is released. */
static void book (replica_scene_t *scene, const wanted_window_t *wish)
{
    static uint64_t counter;
    const replica_t *replica = replica_b (scene);
    int64_t now_ms = replica->service->wall_ms;
    participant_ref_t at = {.name = "replica/b", .endpoint = "sim"};
    space_booking_t booking = {
      .need = "data", .node = "n2", .file = "x", .bytes = 3 * MB, .mbps = wish ? wish->mbps : 0};
    hold_t held = {.plan = {.txid = {.store = {[15] = 1}, .start = 1, .counter = ++counter},
                            .operation = wish ? OPERATION_RESERVE : OPERATION_RELEASE,
                            .base_version = !wish,
                            .reservation = "r1",
                            .participants = &at,
                            .participants_count = 1,
                            .coordinator = {.endpoint = "sim"},
                            .decide_by_ms = now_ms + 5 * SECOND,
                            .edge_ms = now_ms + 6 * SECOND,
                            .end_ms = now_ms + 600 * SECOND,
                            .actor = "alice",
                            .owner = "alice"},
                   .part_kind = PART_SPACE,
                   .prepare = true};
    command_answer_t told = {.state = COMMAND_UNKNOWN};
    memcpy (at.store, replica->service->store.id, STORE_ID_BYTES);
    txid_planner (&held.plan.txid, held.plan.coordinator.name);
    memcpy (held.plan.coordinator.store, held.plan.txid.store, STORE_ID_BYTES);
    fake_digest (booking.digest, 7);
    if (wish) {
        booking.from_ms = now_ms + wish->from_ms;
        booking.due_ms = now_ms + wish->due_ms;
        booking.until_ms = now_ms + wish->until_ms;
        snprintf (booking.source, sizeof booking.source, "%s", wish->source);
        held.plan.edge_ms = booking.from_ms;
    }
    packed_t part = codec_encode (&space_part_codec, &(space_part_t){&booking, wish ? 1 : 0});
    held.part = part.data;
    held.part_size = part.size;
    scene_vote (scene, held.plan.coordinator.name, "replica/b", "Hold",
                codec_encode (&hold_codec, &held), &told, why);
    if (told.state != COMMAND_PREPARED)
        fail_msg ("%s %s", why, told.refusal.text);
    codec_clear (&command_answer_codec, &told);
    scene_vote (
      scene, held.plan.coordinator.name, "replica/b", "Commit",
      codec_encode (&decision_request_codec, &(decision_request_t){.txid = held.plan.txid}), &told,
      why);
    assert_int_equal (told.state, COMMAND_COMMITTED);
    codec_clear (&command_answer_codec, &told);
    free (part.data);
}

/*  How the file of r1 stands, as Show and List tell it. */
static staged_file_t shown (replica_scene_t *scene)
{
    const replica_t *replica = replica_b (scene);
    const usage_t *usage = &replica->provider.resource.usage;
    int64_t wall_ms = replica->service->wall_ms;
    moment_t now = {.wall_ms = wall_ms,
                    .mono_ms = wall_ms - replica->service->timekeeper.offset_ms};
    staged_file_t *files;
    size_t count = usage->staged (usage->staged_owner, &now, "r1", &files);
    staged_file_t told = {.state = STAGED_AWAITED};
    if (count > 0)
        told = files [0];
    free (files);
    return told;
}

static void a_booked_file_comes_when_its_booking_begins_and_is_ready_when_due (void **state)
{
    (void) state;
    scene_plan_t plan = many_nodes ();
    replica_scene_t *scene = replica_scene_new (11, &plan);
    put (scene, "replica/a", "x", 3 * MB, 7);
    put (scene, "replica/c", "x", 3 * MB, 7);
    book (scene, &(wanted_window_t){10 * SECOND, 20 * SECOND, 60 * SECOND, 800, "c"});
    scene_pass (scene, 8 * SECOND);
    assert_int_equal (shown (scene).state, STAGED_AWAITED);
    assert_false (fake_has ("replica/b", "n2", "x", 7));
    scene_pass (scene, 4 * SECOND);
    assert_int_equal (shown (scene).state, STAGED_READY);
    assert_string_equal (shown (scene).need, "data");
    assert_true (fake_has ("replica/b", "n2", "x", 7));
    assert_int_equal (fake_crossed ("replica/c/n1", "x") + fake_crossed ("replica/c/n2", "x") +
                        fake_crossed ("replica/c/n3", "x"),
                      3 * MB); /* from the source of the plan, not from the first by name */
    replica_scene_destroy (&scene);
}

static void notice_count (void *owner, const sim_message_t *message)
{
    unsigned *count = owner;
    *count += message->kind == MESSAGE_NOTICE && strcmp (message->method, "staged") == 0;
}

static void a_booked_file_that_is_late_says_why_and_comes_from_another_source (void **state)
{
    (void) state;
    scene_plan_t plan = many_nodes ();
    plan.limits.transfers.patience_ms = 5 * SECOND;
    replica_scene_t *scene = replica_scene_new (12, &plan);
    unsigned notices = 0;
    sim_observe (scene_sim (scene), &(sim_observer_t){.owner = &notices, .left = notice_count});
    book (scene, &(wanted_window_t){7 * SECOND, 12 * SECOND, 300 * SECOND, 0, "c"});
    scene_pass (scene, 10 * SECOND);
    assert_int_equal (shown (scene).state, STAGED_COMING);
    assert_int_equal (notices, 0);
    scene_pass (scene, 10 * SECOND);
    assert_int_equal (shown (scene).state, STAGED_LATE);
    assert_int_equal (notices, 1);
    assert_non_null (strstr (shown (scene).why, "no site has x"));
    assert_int_equal (service_counted (replica_b (scene)->service, "staged_late"), 1);
    put (scene, "replica/a", "x", 3 * MB, 7);
    scene_pass (scene, 30 * SECOND);
    assert_int_equal (shown (scene).state, STAGED_READY);
    assert_int_equal (notices, 2);
    assert_true (fake_has ("replica/b", "n2", "x", 7));
    replica_scene_destroy (&scene);
}

static void a_booking_of_other_content_never_counts_as_ready (void **state)
{
    (void) state;
    scene_plan_t plan = many_nodes ();
    replica_scene_t *scene = replica_scene_new (13, &plan);
    put (scene, "replica/a", "x", 3 * MB, 8);
    book (scene, &(wanted_window_t){7 * SECOND, 8 * SECOND, 300 * SECOND, 0, "a"});
    assert_true (stays_until (scene, "replica/b", "x", "n2", STAGED_READY, 5000));
    for (int i = 0; i < 40; i++) {
        scene_pass (scene, SECOND);
        assert_int_not_equal (shown (scene).state, STAGED_READY);
    }
    assert_int_equal (shown (scene).state, STAGED_LATE);
    replica_scene_destroy (&scene);
}

/*  The service dies in the window, and the copy goes: it is there again. After the release it is
 *  one like others. */
static void a_booked_file_is_there_until_its_release_whatever_dies (void **state)
{
    (void) state;
    scene_plan_t plan = many_nodes ();
    replica_scene_t *scene = replica_scene_new (14, &plan);
    sim_t *sim = scene_sim (scene);
    put (scene, "replica/a", "x", 3 * MB, 7);
    book (scene, &(wanted_window_t){7 * SECOND, 12 * SECOND, 300 * SECOND, 0, "a"});
    for (int i = 0; i < 10; i++) {
        scene_pass (scene, 2300);
        sim_kill (sim, scene_process (scene, "replica/b"), sim_now_us (sim), 200);
        if (i == 6)
            fake_lose ("replica/b", "n2", "x");
    }
    scene_pass (scene, 20 * SECOND);
    assert_int_equal (shown (scene).state, STAGED_READY);
    assert_true (fake_has ("replica/b", "n2", "x", 7));
    book (scene, NULL);
    scene_pass (scene, 2 * SECOND);
    put (scene, "replica/b", "full", 9 * MB,
         9); /* at any of the nodes; n2 is as free as they are */
    put (scene, "replica/b", "full2", 9 * MB, 9);
    put (scene, "replica/b", "full3", 9 * MB, 9);
    assert_false (fake_has ("replica/b", "n2", "x", 7));
    assert_false (fake_overrun ());
    replica_scene_destroy (&scene);
}

static void bad_questions_are_refused_with_a_word (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (8, &scene_plan_default);
    staged_state_t told = STAGED_AWAITED;
    assert_int_equal (stay (scene, "replica/a", "x", "n7", 1000, &told), CALL_BAD_REQUEST);
    assert_non_null (strstr (why, "no storage node n7"));
    assert_int_equal (stay (scene, "replica/a", "../x", "n1", 1000, &told), CALL_BAD_REQUEST);
    assert_non_null (strstr (why, "name:"));
    assert_int_equal (stay (scene, "replica/a", "x", "n1", STAY_MS_MAX + 1, &told),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (why, "stay_ms:"));
    replica_scene_destroy (&scene);
}

/*  Services and nodes die, a copy vanishes, a source lies: in the end the file is there, and it was
 *  never said to be while it was not. */
static void faults (uint64_t seed)
{
    static const char *const victims [] = {"replica/a", "replica/b", "index/i1"};
    scene_plan_t plan = many_nodes ();
    replica_scene_t *scene = replica_scene_new (seed, &plan);
    sim_t *sim = scene_sim (scene);
    prng_t prng;
    prng_seed (&prng, seed);
    put (scene, "replica/a", "x", 4 * MB, 7);
    put (scene, "replica/c", "x", 4 * MB, 7);
    if (prng_below (&prng, 3) == 0)
        fake_spoil ("replica/c", "n1", "x", 9);
    for (int i = 0; i < 40; i++) {
        staged_state_t told = STAGED_AWAITED;
        char node [4] = {'n', (char) ('1' + prng_below (&prng, 3)), '\0'};
        if (prng_below (&prng, 4) == 0)
            sim_kill (sim, scene_process (scene, victims [prng_below (&prng, 3)]), sim_now_us (sim),
                      (int64_t) prng_below (&prng, 800));
        if (prng_below (&prng, 6) == 0)
            fake_lose ("replica/b", node, "x");
        else if (stay (scene, "replica/b", "x", node, 60000, &told) == CALL_OK &&
                 told == STAGED_READY)
            assert_true (fake_has ("replica/b", node, "x", 7));
        scene_pass (scene, (int64_t) prng_below (&prng, 400));
    }
    for (int i = 1; i <= 3; i++) {
        char node [4] = {'n', (char) ('0' + i), '\0'};
        if (!stays_until (scene, "replica/b", "x", node, STAGED_READY, 120000))
            fail_msg ("seed %llu: %s has not got it: %s", (unsigned long long) seed, node, why);
        assert_true (fake_has ("replica/b", node, "x", 7));
    }
    assert_false (fake_overrun ());
    check_catalogue (((const replica_t *) scene_core (scene, "replica/b")->self)->catalogue);
    replica_scene_destroy (&scene);
}

static void whatever_dies_the_file_comes_and_ready_is_never_a_lie (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        faults (seed);
}

/*  Asks as the site's svc-lis does, once a second, until it is told so; false when that takes
 *  longer. */
static bool taken_until (replica_scene_t *scene, const char *home, staged_state_t wanted,
                         int seconds)
{
    Musubi__TakeInRequest request = MUSUBI__TAKE_IN_REQUEST__INIT;
    request.name = "out";
    request.node = "n1";
    request.path = "run.0";
    request.owner = "alice";
    request.home = (char *) home;
    for (int i = 0; i < seconds; i++) {
        ProtobufCMessage *message;
        if (scene_ask (scene, "replica/b", "TakeIn", &request.base, &message, why) == CALL_OK) {
            const Musubi__TakeInAnswer *answer = (const Musubi__TakeInAnswer *) message;
            staged_state_t state = (staged_state_t) answer->state;
            snprintf (why, sizeof why, "%s", answer->why);
            message_free (message);
            if (state == wanted)
                return true;
        }
        scene_pass (scene, 1000);
    }
    return false;
}

static const file_t *output_at (const replica_scene_t *scene, const char *site)
{
    return catalogue_find (((const replica_t *) scene_core (scene, site)->self)->catalogue, "out");
}

static void an_output_is_ready_when_its_home_keeps_it (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (21, &scene_plan_default);
    scene_pass (scene, 3000);
    fake_file ("replica/b", "n1", "run.0", 3 * MB, 7);
    assert_true (taken_until (scene, "a", STAGED_READY, 30));
    assert_non_null (output_at (scene, "replica/a"));
    assert_true (fake_has ("replica/a", "n1", "out", 7));
    assert_true (output_at (scene, "replica/a")->kept);
    assert_string_equal (output_at (scene, "replica/a")->owner, "alice");
    assert_false (output_at (scene, "replica/b")->kept);
    assert_int_equal (output_at (scene, "replica/b")->rule.copies, 0);
    assert_true (taken_until (scene, "a", STAGED_READY, 1));
    assert_false (output_at (scene, "replica/b")->kept);
    replica_scene_destroy (&scene);
}

static void an_output_waits_for_its_home_through_restarts_and_not_for_ever (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (22, &scene_plan_default);
    sim_t *sim = scene_sim (scene);
    scene_pass (scene, 3000);
    fake_up ("replica/a", "n1", false);
    fake_file ("replica/b", "n1", "run.0", 3 * MB, 7);
    assert_false (taken_until (scene, "a", STAGED_READY, 10));
    assert_string_equal (why, "out is on its way home to a");
    sim_kill (sim, scene_process (scene, "replica/b"), sim_now_us (sim), 500);
    scene_pass (scene, 3000);
    assert_false (taken_until (scene, "a", STAGED_READY, 10));
    assert_true (taken_until (scene, "a", STAGED_READY, 90));
    assert_true (output_at (scene, "replica/b")->kept);
    assert_int_equal (output_at (scene, "replica/b")->rule.copies, 1);
    fake_up ("replica/a", "n1", true);
    scene_pass (scene, 60000);
    assert_true (fake_has ("replica/a", "n1", "out", 7));
    replica_scene_destroy (&scene);
}

static void an_output_stays_where_it_is_if_its_home_has_no_storage (void **state)
{
    (void) state;
    static const char *const homes [] = {"", "b", "tokyo"};
    for (size_t i = 0; i < 3; i++) {
        replica_scene_t *scene = replica_scene_new (23, &scene_plan_default);
        scene_pass (scene, 3000);
        fake_file ("replica/b", "n1", "run.0", 3 * MB, 7);
        assert_true (taken_until (scene, homes [i], STAGED_READY, 3));
        assert_true (output_at (scene, "replica/b")->kept);
        assert_int_equal (output_at (scene, "replica/b")->rule.copies, 0);
        replica_scene_destroy (&scene);
    }
}

/*  It is not waited for as if it could still come, and comes when there is room again. */
static void room_for_an_output_is_judged_anew_when_the_disk_is_smaller (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (24, &scene_plan_default);
    scene_pass (scene, 3000);
    assert_false (taken_until (scene, "", STAGED_READY, 5)); /* it is not there yet */
    fake_file ("replica/b", "n1", "run.0", 3 * MB, 7);
    assert_false (taken_until (scene, "", STAGED_READY, 1)); /* its node hears of the room */
    fake_room ("replica/b", "n1", 2 * MB);
    assert_true (taken_until (scene, "", STAGED_LATE, 3));
    assert_non_null (strstr (why, "n1 can't make room for more than "));
    fake_room ("replica/b", "n1", 10 * MB);
    assert_true (taken_until (scene, "", STAGED_READY, 3));
    replica_scene_destroy (&scene);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_file_comes_to_the_node_that_is_named),
      cmocka_unit_test (nodes_that_want_one_file_have_it_by_one_crossing),
      cmocka_unit_test (what_is_stayed_with_is_not_evicted_and_what_was_is),
      cmocka_unit_test (a_stay_that_is_not_repeated_ends),
      cmocka_unit_test (a_restart_evicts_nothing_that_tasks_may_stay_with),
      cmocka_unit_test (what_can_not_be_had_is_late_with_the_reason_and_comes_when_it_can),
      cmocka_unit_test (a_copy_that_vanishes_or_goes_bad_is_brought_again),
      cmocka_unit_test (planners_are_told_who_has_a_file_and_how_fast_it_would_come),
      cmocka_unit_test (a_booked_file_comes_when_its_booking_begins_and_is_ready_when_due),
      cmocka_unit_test (a_booked_file_that_is_late_says_why_and_comes_from_another_source),
      cmocka_unit_test (a_booking_of_other_content_never_counts_as_ready),
      cmocka_unit_test (a_booked_file_is_there_until_its_release_whatever_dies),
      cmocka_unit_test (an_output_is_ready_when_its_home_keeps_it),
      cmocka_unit_test (an_output_waits_for_its_home_through_restarts_and_not_for_ever),
      cmocka_unit_test (an_output_stays_where_it_is_if_its_home_has_no_storage),
      cmocka_unit_test (room_for_an_output_is_judged_anew_when_the_disk_is_smaller),
      cmocka_unit_test (bad_questions_are_refused_with_a_word),
      cmocka_unit_test (whatever_dies_the_file_comes_and_ready_is_never_a_lie),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
