/*  test_space - what is booked of a site's disks, in the simulated host: planners and users race
 *  for the same bytes, the site dies in between, and no disk passes its limit.
 */
#include "replica_scene.h"

#include "message.h"

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
#define SEEDS    40
#define HOUR     3600000
#define BOOKINGS 6

static char why [256];

/*  What a planner asks of one disk. */
typedef struct {
    const char *site;
    const char *reservation;
    uint64_t bytes;
    int64_t from_ms; /* from now */
    int64_t until_ms;
    const char *file; /* "" = room alone */
    uint8_t content;
    uint8_t planner; /* from 1 */
} asked_room_t;

static const replica_t *replica_of (replica_scene_t *scene, const char *site)
{
    const core_t *core = scene_core (scene, site);
    return core ? core->self : NULL;
}

/*  The scene's clocks agree. */
static int64_t wall_ms (replica_scene_t *scene)
{
    return ((const replica_t *) scene_core (scene, "replica/c")->self)->service->wall_ms;
}

static txid_t txid_next (uint8_t planner)
{
    static uint64_t counter;
    return (txid_t){.store = {[15] = planner}, .start = 1, .counter = ++counter};
}

/*  Holds room; with prepare it votes at once. */
static txid_t hold (replica_scene_t *scene, const asked_room_t *asked, command_answer_t *told)
{
    const replica_t *replica = replica_of (scene, asked->site);
    txid_t txid = txid_next (asked->planner);
    participant_ref_t at = {.endpoint = "sim"};
    int64_t now_ms = wall_ms (scene);
    space_booking_t booking = {.need = "data",
                               .node = "n1",
                               .bytes = asked->bytes,
                               .from_ms = now_ms + asked->from_ms,
                               .until_ms = now_ms + asked->until_ms,
                               .due_ms = *asked->file ? now_ms + asked->from_ms : 0};
    hold_t held = {.plan = {.txid = txid,
                            .operation = OPERATION_RESERVE,
                            .participants = &at,
                            .participants_count = 1,
                            .coordinator = {.endpoint = "sim"},
                            .decide_by_ms = now_ms + 8 * SECOND,
                            .edge_ms = now_ms + asked->from_ms,
                            .end_ms = now_ms + asked->until_ms,
                            .actor = "alice",
                            .owner = "alice"},
                   .part_kind = PART_SPACE,
                   .prepare = true};
    *told = (command_answer_t){.state = COMMAND_UNKNOWN};
    if (!replica)
        return txid;
    snprintf (booking.file, sizeof booking.file, "%s", asked->file);
    fake_digest (booking.digest, asked->content);
    snprintf (at.name, sizeof at.name, "%s", asked->site);
    memcpy (at.store, replica->service->store.id, STORE_ID_BYTES);
    txid_planner (&txid, held.plan.coordinator.name);
    memcpy (held.plan.coordinator.store, txid.store, STORE_ID_BYTES);
    snprintf (held.plan.reservation, sizeof held.plan.reservation, "%s", asked->reservation);
    packed_t part = codec_encode (&space_part_codec, &(space_part_t){&booking, 1});
    held.part = part.data;
    held.part_size = part.size;
    scene_vote (scene, held.plan.coordinator.name, asked->site, "Hold",
                codec_encode (&hold_codec, &held), told, why);
    free (part.data);
    return txid;
}

static command_state_t decide (replica_scene_t *scene, const char *site, const txid_t *txid,
                               const char *verb)
{
    char planner [NAME_BYTES_MAX + 1];
    command_answer_t told;
    scene_vote (scene, txid_planner (txid, planner), site, verb,
                codec_encode (&decision_request_codec, &(decision_request_t){.txid = *txid}), &told,
                why);
    command_state_t state = told.state;
    codec_clear (&command_answer_codec, &told);
    return state;
}

static void books (replica_scene_t *scene, const asked_room_t *asked)
{
    command_answer_t told;
    txid_t txid = hold (scene, asked, &told);
    if (told.state != COMMAND_PREPARED)
        fail_msg ("%s %s", why, told.refusal.text);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (decide (scene, asked->site, &txid, "Commit"), COMMAND_COMMITTED);
}

static void is_refused (replica_scene_t *scene, const asked_room_t *asked, int64_t mib_free)
{
    command_answer_t told;
    hold (scene, asked, &told);
    assert_int_equal (told.state, COMMAND_REJECTED);
    assert_int_equal (told.refusal.reason, REFUSAL_SHORT);
    assert_int_equal (told.refusal.free, mib_free);
    assert_true (told.refusal.fresh_count > 0 || *asked->file);
    codec_clear (&command_answer_codec, &told);
}

static transfer_state_t put (replica_scene_t *scene, const char *site, const char *name,
                             uint64_t size, uint8_t content)
{
    uint64_t transfer = scene_put (scene, site, name, size, content, why);
    assert_int_not_equal (transfer, UINT64_MAX);
    return scene_wait (scene, site, transfer, "", 20000, why);
}

static transfer_state_t get (replica_scene_t *scene, const char *site, const char *name)
{
    uint64_t transfer = scene_get (scene, site, name, "", why);
    return transfer == UINT64_MAX ? TRANSFER_FAILED
                                  : scene_wait (scene, site, transfer, "", 20000, why);
}

static asked_room_t room (const char *reservation, uint64_t bytes, int64_t from_ms,
                          int64_t until_ms)
{
    return (asked_room_t){.site = "replica/a",
                          .reservation = reservation,
                          .bytes = bytes,
                          .from_ms = from_ms,
                          .until_ms = until_ms,
                          .file = "",
                          .planner = 1};
}

/*  --- one at a time --- */

static void what_is_held_is_nobody_elses_until_it_is_given_back (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (1, &scene_plan_default); /* 9 MiB and a bit */
    command_answer_t told;
    asked_room_t first = room ("r1", 5 * MIB, HOUR, 2 * HOUR);
    asked_room_t second = room ("r2", 4 * MIB + 1, HOUR, 2 * HOUR);
    txid_t txid = hold (scene, &first, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    is_refused (scene, &second, 4);
    second.from_ms = 2 * HOUR;
    second.until_ms = 3 * HOUR;
    books (scene, &second); /* another time */
    assert_int_equal (decide (scene, "replica/a", &txid, "Abort"), COMMAND_ABORTED);
    asked_room_t third = room ("r3", 9 * MIB, HOUR, 2 * HOUR - 10 * SECOND);
    books (scene, &third);
    replica_scene_destroy (&scene);
}

static void more_than_any_disk_has_and_a_disk_not_heard_from_are_refused (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    replica_scene_t *scene = replica_scene_new (2, &plan);
    asked_room_t all = room ("r1", 10 * MIB, HOUR, 2 * HOUR);
    is_refused (scene, &all, 9);
    replica_scene_destroy (&scene);
    plan.node_bytes = 0; /* as before a node has come */
    scene = replica_scene_new (2, &plan);
    all.bytes = 1;
    is_refused (scene, &all, 0);
    replica_scene_destroy (&scene);
}

static void a_put_takes_no_room_that_is_booked_later (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (3, &scene_plan_default);
    asked_room_t booked = room ("r1", 6 * MIB, 2 * HOUR, 3 * HOUR);
    books (scene, &booked);
    assert_int_equal (put (scene, "replica/a", "x", 6 * MB, 7), TRANSFER_FAILED);
    assert_non_null (strstr (why, "disk full"));
    assert_int_equal (put (scene, "replica/a", "y", 2 * MB, 8), TRANSFER_DONE);
    assert_int_equal (put (scene, "replica/b", "x", 6 * MB, 7), TRANSFER_DONE);
    /* A copy that can be evicted before is no harm; to keep it is. */
    assert_int_equal (get (scene, "replica/a", "x"), TRANSFER_DONE);
    Musubi__PinRequest pin = MUSUBI__PIN_REQUEST__INIT;
    ProtobufCMessage *answer;
    pin.name = "x";
    pin.pinned = true;
    assert_int_equal (scene_ask (scene, "replica/a", "Pin", &pin.base, &answer, why),
                      CALL_OVERLOADED);
    assert_non_null (strstr (why, "disk full"));
    replica_scene_destroy (&scene);
}

static void what_lasts_is_not_promised_and_what_is_cached_is (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (4, &scene_plan_default);
    assert_int_equal (put (scene, "replica/a", "x", 8 * MB, 7), TRANSFER_DONE);
    assert_int_equal (get (scene, "replica/b", "x"), TRANSFER_DONE);
    asked_room_t booked = room ("r1", 5 * MIB, 3 * SECOND, HOUR);
    is_refused (scene, &booked, 1);
    booked.site = "replica/b";
    books (scene, &booked);
    assert_true (fake_has ("replica/b", "n1", "x", 7));
    scene_pass (scene, 6 * SECOND);
    assert_false (fake_has ("replica/b", "n1", "x", 7)); /* its window has begun */
    assert_int_equal (get (scene, "replica/b", "x"), TRANSFER_FAILED);
    assert_int_equal (fake_used ("replica/b", "n1"), 0);
    replica_scene_destroy (&scene);
}

/*  The copy that a booking names is its own from the commit on. */
static void a_cached_copy_that_is_booked_stays (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (5, &scene_plan_default);
    assert_int_equal (put (scene, "replica/a", "x", 4 * MB, 7), TRANSFER_DONE);
    assert_int_equal (put (scene, "replica/c", "y", 7 * MB, 8), TRANSFER_DONE);
    assert_int_equal (get (scene, "replica/b", "x"), TRANSFER_DONE);
    asked_room_t booked = room ("r1", 4 * MB, HOUR, 2 * HOUR);
    booked.site = "replica/b";
    booked.file = "x";
    booked.content = 7;
    books (scene, &booked);
    assert_int_equal (get (scene, "replica/b", "y"), TRANSFER_FAILED);
    assert_true (fake_has ("replica/b", "n1", "x", 7));
    /* Of no bytes, for a file that is there for good; not for one that may go. */
    booked.reservation = "r2";
    booked.bytes = 0;
    is_refused (scene, &booked, 0);
    booked.site = "replica/a";
    books (scene, &booked);
    replica_scene_destroy (&scene);
}

/*  --- races and deaths --- */

/*  No disk passes its limit; and what is booked now and not there yet is free, or becomes so. */
static void check_disk (replica_scene_t *scene, uint64_t seed, bool begun)
{
    const replica_t *replica = replica_of (scene, "replica/a");
    if (fake_overrun ())
        fail_msg ("seed %" PRIu64 ": a disk holds more than it may", seed);
    if (!replica)
        return;
    int64_t now_ms = wall_ms (scene);
    int64_t booked = 0;
    disk_booking_t *booking = NULL;
    while (
      (booking = disk_bookings_next (disk_space_bookings (replica->space), "n1", NULL, booking)))
        booked += disk_booking_runs (booking, now_ms)
                    ? (int64_t) space_mib (booking->booking.bytes) * MIB
                    : 0;
    int64_t most = (int64_t) scene_plan_default.node_bytes;
    if (booked > most)
        fail_msg ("seed %" PRIu64 ": %" PRId64 " bytes are booked of %" PRId64, seed, booked, most);
    if (begun && booked + (int64_t) fake_used ("replica/a", "n1") > most)
        fail_msg ("seed %" PRIu64 ": of %" PRId64 " bytes booked, room alone, %" PRIu64
                  " of a disk of %" PRId64 " are taken",
                  seed, booked, fake_used ("replica/a", "n1"), most);
}

/*  Somewhere in what comes next. */
static void dies (replica_scene_t *scene, unsigned roll)
{
    sim_kill (scene_sim (scene), scene_process (scene, "replica/a"),
              sim_now_us (scene_sim (scene)) + roll % 20000, 50 + roll % 300);
}

/*  Two planners, a user who puts, one who gets, and a site that dies now and then, all after the
 *  same bytes. What was committed is there when its window begins. */
static void race (uint64_t seed)
{
    replica_scene_t *scene = replica_scene_new (seed, &scene_plan_default);
    uint64_t dice = seed * 0x9e3779b97f4a7c15u + 1;
    char reservation [16], file [16];
    txid_t open [BOOKINGS];
    assert_int_equal (put (scene, "replica/b", "shared", 3 * MB, 9), TRANSFER_DONE);
    int64_t began_ms = wall_ms (scene);
    for (int i = 0; i < BOOKINGS; i++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        unsigned roll = (unsigned) (dice >> 33);
        snprintf (reservation, sizeof reservation, "r%d", i);
        snprintf (file, sizeof file, "f%d", i);
        int64_t from_ms = began_ms + 40 * SECOND - wall_ms (scene); /* all at the same time */
        asked_room_t asked =
          room (reservation, (1 + roll % 6) * MIB, from_ms, from_ms + 60 * SECOND);
        asked.planner = 1 + i % 2;
        if (roll % 3 == 0)
            scene_put (scene, "replica/a", file, (1 + roll % 5) * MB, (uint8_t) (10 + i), why);
        if (roll % 5 == 0)
            scene_get (scene, "replica/a", "shared", "", why);
        if (roll % 7 == 0)
            dies (scene, roll);
        command_answer_t told;
        open [i] = hold (scene, &asked, &told);
        codec_clear (&command_answer_codec, &told);
        if (roll % 11 == 0)
            dies (scene, roll);
        decide (scene, "replica/a", &open [i], roll % 4 == 0 ? "Abort" : "Commit");
        check_disk (scene, seed, false);
    }
    scene_pass (scene, began_ms + 60 * SECOND - wall_ms (scene));
    check_disk (scene, seed, true);
    replica_scene_destroy (&scene);
}

static void the_last_bytes_go_to_one_alone (void **state)
{
    (void) state;
    const char *seeds = getenv ("SPACE_SEEDS");
    const char *first = getenv ("SPACE_FIRST");
    uint64_t from = first ? strtoull (first, NULL, 10) : 1;
    uint64_t count = seeds ? strtoull (seeds, NULL, 10) : SEEDS;
    for (uint64_t seed = from; seed < from + count; seed++)
        race (seed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_is_held_is_nobody_elses_until_it_is_given_back),
      cmocka_unit_test (more_than_any_disk_has_and_a_disk_not_heard_from_are_refused),
      cmocka_unit_test (a_put_takes_no_room_that_is_booked_later),
      cmocka_unit_test (what_lasts_is_not_promised_and_what_is_cached_is),
      cmocka_unit_test (a_cached_copy_that_is_booked_stays),
      cmocka_unit_test (the_last_bytes_go_to_one_alone),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
