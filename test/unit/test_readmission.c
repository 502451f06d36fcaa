/*  readmission: what a lost store had promised, as homes tell of it, and how it is booked again
 *  (T14). The whole way, with real homes, is in test/system/lost.t.
 */
#include "ledger_judge.h"
#include "readmission_wire.h"

#include "gis.pb-c.h"
#include "message.h"

static packed_t packed_message (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

static bytes_t bytes (packed_t packed)
{
    return (bytes_t){.data = packed.data, .size = packed.size};
}

/*  --- booking --- */

/*  A version that a home tells of; nodes 0: it is over. */
static readmit_t readmit (participant_rig_t *rig, uint64_t counter, const char *reservation,
                          uint32_t version, uint32_t nodes, int64_t from_h, int64_t until_h)
{
    hold_t hold = hold_of (rig, counter, version == 1 ? OPERATION_RESERVE : OPERATION_MODIFY,
                           reservation, version - 1, nodes, from_h, until_h);
    snprintf (hold.plan.owner, sizeof hold.plan.owner, "alice");
    packed_t plan = codec_encode (&plan_codec, &hold.plan);
    char why [WHY_BYTES] = "";
    outbox_clear (rig->service->outbox);
    readmit_t end =
      participant_readmit (rig->participant, &rig->host.now,
                           &(readmitted_t){.plan = &hold.plan,
                                           .packed_plan = bytes (plan),
                                           .version = version,
                                           .over = nodes == 0,
                                           .part = {.data = hold.part, .size = hold.part_size}},
                           why);
    assert_true ((end == READMIT_REFUSED) == (*why != '\0'));
    memory_host_drain (&rig->host);
    participant_check (rig->participant);
    free (plan.data);
    codec_clear (&hold_codec, &hold);
    return end;
}

static uint32_t version_of (const participant_rig_t *rig, const char *reservation)
{
    reservation_view_t view;
    return participant_find (rig->participant, reservation, &view) ? view.version : 0;
}

static void what_was_promised_is_booked_again_and_survives_a_restart (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    assert_int_equal (readmit (rig, 7, "r1", 2, 6, 1, 3), READMIT_BOOKED);
    for (int i = 0; i < 2; i++) {
        assert_int_equal (rig_load (rig, 1), 6);
        assert_int_equal (rig_load (rig, 3), 0);
        assert_int_equal (version_of (rig, "r1"), 2);
        rig_restart (rig, 10);
    }
    judge_rig (rig);
    rig_destroy (rig);
}

static void told_again_it_is_booked_once (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    assert_int_equal (readmit (rig, 7, "r1", 1, 6, 1, 3), READMIT_BOOKED);
    size_t rows = rig->rows.count;
    assert_int_equal (readmit (rig, 7, "r1", 1, 6, 1, 3), READMIT_KNOWN);
    assert_int_equal (rig->rows.count, rows);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

static void it_can_be_modified_and_released_afterwards (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    readmit (rig, 7, "r1", 1, 6, 1, 3);
    hold_t hold = hold_of (rig, 8, OPERATION_MODIFY, "r1", 1, 8, 2, 4);
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Commit", 8).state, COMMAND_COMMITTED);
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (rig_load (rig, 3), 8);
    judge_rig (rig);
    rig_hold (rig, hold_of (rig, 9, OPERATION_RELEASE, "r1", 2, 0, 2, 4));
    assert_int_equal (rig_verb (rig, "Commit", 9).state, COMMAND_COMMITTED);
    assert_int_equal (rig_load (rig, 3), 0);
    judge_rig (rig);
    rig_destroy (rig);
}

static void what_is_known_in_an_older_version_becomes_the_newer_one (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    assert_int_equal (readmit (rig, 7, "r1", 2, 9, 2, 4), READMIT_BOOKED);
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (rig_load (rig, 2), 9);
    assert_int_equal (readmit (rig, 6, "r1", 1, 6, 1, 3), READMIT_KNOWN);
    assert_int_equal (rig_load (rig, 2), 9);
    judge_rig (rig);
    rig_destroy (rig);
}

static void what_was_released_elsewhere_is_given_back (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    assert_int_equal (readmit (rig, 7, "r1", 2, 0, 1, 3), READMIT_GIVEN_BACK);
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (readmit (rig, 8, "r2", 2, 0, 1, 3), READMIT_KNOWN);
    assert_int_equal (version_of (rig, "r2"), 0);
    rig_restart (rig, 10);
    assert_int_equal (rig_load (rig, 1), 0);
    judge_rig (rig);
    rig_destroy (rig);
}

static void what_is_pending_on_a_past_version_is_aborted (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 3);
    rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 3, 1, 3));
    rig_hold (rig, hold_of (rig, 3, OPERATION_RESERVE, "r2", 0, 3, 1, 3));
    assert_int_equal (readmit (rig, 7, "r1", 2, 4, 1, 3), READMIT_BOOKED);
    assert_int_equal (readmit (rig, 8, "r2", 1, 5, 1, 3), READMIT_BOOKED);
    assert_int_equal (rig_state (rig, 2), COMMAND_ABORTED);
    assert_int_equal (rig_state (rig, 3), COMMAND_ABORTED);
    assert_int_equal (rig_load (rig, 1), 9);
    judge_rig (rig);
    rig_destroy (rig);
}

static void a_vote_whose_commit_a_home_tells_of_is_committed (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 3, 1, 3));
    txid_t txid = txid_numbered (1);
    outbox_clear (rig->service->outbox);
    participant_told_committed (rig->participant, &rig->host.now, &txid);
    memory_host_drain (&rig->host);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    assert_int_equal (readmit (rig, 1, "r1", 1, 3, 1, 3), READMIT_KNOWN);
    assert_int_equal (rig_load (rig, 1), 3);
    judge_rig (rig);
    rig_destroy (rig);
}

static void what_has_no_room_any_more_is_refused_and_changes_nothing (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    size_t rows = rig->rows.count;
    assert_int_equal (readmit (rig, 7, "r2", 1, 5, 1, 3), READMIT_REFUSED);
    assert_int_equal (rig_load (rig, 1), 6);
    assert_int_equal (version_of (rig, "r2"), 0);
    assert_int_equal (rig->rows.count, rows);
    rig_destroy (rig);
}

static void what_is_over_by_now_is_left (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_pass (rig, 4 * HOUR_MS);
    assert_int_equal (readmit (rig, 7, "r1", 1, 5, 1, 3), READMIT_KNOWN);
    assert_int_equal (version_of (rig, "r1"), 0);
    rig_destroy (rig);
}

static void until_it_is_done_no_hold_is_granted_and_nothing_is_said_of_unknown_txids (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 3);
    participant_readmitting (rig->participant, true);
    command_answer_t answer = rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 3, 1, 3));
    assert_int_equal (answer.state, COMMAND_REJECTED);
    assert_int_equal (answer.refusal.reason, REFUSAL_LIMIT);
    assert_string_equal (answer.refusal.resource, "readmission");
    assert_int_equal (answer.refusal.frees_ms, 0);
    assert_int_equal (rig_verb (rig, "Resolve", 9).state, COMMAND_UNKNOWN);
    assert_int_equal (rig_verb (rig, "Resolve", 1).state, COMMAND_COMMITTED);
    assert_int_equal (rig_verb (rig, "Abort", 2).state, COMMAND_ABORTED);
    participant_readmitting (rig->participant, false);
    answer = rig_hold (rig, hold_of (rig, 3, OPERATION_RESERVE, "r3", 0, 3, 1, 3));
    assert_int_equal (answer.state, COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Resolve", 9).state, COMMAND_ABORTED);
    rig_destroy (rig);
}

/*  --- what answers tell --- */

static placement_t placed_at (const char *need, const char *site, const char *class, uint32_t cpus)
{
    placement_t placed = {.cpus = cpus, .from_ms = WALL_MS, .until_ms = WALL_MS + HOUR_MS};
    snprintf (placed.need, sizeof placed.need, "%s", need);
    snprintf (placed.site, sizeof placed.site, "%s", site);
    snprintf (placed.class_name, sizeof placed.class_name, "%s", class);
    return placed;
}

static void a_site_finds_its_bookings_in_an_answer (void **state)
{
    (void) state;
    node_class_t classes [] = {{.name = "fat", .nodes = 9, .cpus_per_node = 4}};
    site_t site = {.classes = classes, .classes_count = 1};
    placement_t placed [] = {placed_at ("a", "ams", "fat", 8), placed_at ("b", "tyo", "slim", 3),
                             placed_at ("c", "ams", "fat", 5)};
    answer_t answer = {.compute = placed, .compute_count = 3};
    packed_t part;
    char why [WHY_BYTES];
    compute_booking_t *bookings;
    size_t count;
    assert_true (allocated_at_site (&answer, "ams", &site, &part, why));
    assert_true (compute_part_decode (bytes (part), &bookings, &count, why));
    assert_int_equal (count, 2);
    assert_int_equal (bookings [0].nodes, 2);
    assert_int_equal (bookings [1].nodes, 2);
    assert_string_equal (bookings [1].need, "c");
    free (bookings);
    free (part.data);

    assert_true (allocated_at_site (&answer, "osl", &site, &part, why));
    assert_int_equal (part.size, 0);
    assert_false (allocated_at_site (&answer, "tyo", &site, &part, why));
    assert_non_null (strstr (why, "slim"));
}

static void a_domain_finds_its_circuits_on_the_paths_of_an_answer (void **state)
{
    (void) state;
    link_t links [] = {{.name = "a-x"}, {.name = "x-y"}, {.name = "z-b"}};
    domain_t domain = {.links = links, .links_count = 3};
    char named [][RESOURCE_BYTES] = {"N/a-x", "N/x-y", "S/y-z", "N/z-b"};
    connection_t connection = {.need = "a-b",
                               .mbps = 70,
                               .links = named,
                               .links_count = 4,
                               .from_ms = WALL_MS,
                               .until_ms = WALL_MS + HOUR_MS};
    answer_t answer = {.network = &connection, .network_count = 1};
    packed_t part;
    char why [WHY_BYTES];
    circuit_t *circuits;
    size_t count;
    assert_true (allocated_in_domain (&answer, "N", &domain, &part, why));
    assert_true (network_part_decode (bytes (part), &circuits, &count, why));
    assert_int_equal (count, 2);
    assert_int_equal (circuits [0].links_count, 2);
    assert_int_equal (circuits [0].hop, 0);
    assert_string_equal (circuits [0].links [1], "x-y");
    assert_int_equal (circuits [1].links_count, 1);
    assert_int_equal (circuits [1].hop, 3);
    assert_int_equal (circuits [1].mbps, 70);
    circuits_free (circuits, count);
    free (part.data);

    domain.links_count = 2;
    assert_false (allocated_in_domain (&answer, "N", &domain, &part, why));
    assert_non_null (strstr (why, "z-b"));
}

static void a_page_cut_anywhere_is_refused_or_read_but_never_trusted (void **state)
{
    participant_rig_t *rig = rig_new (1);
    (void) state;
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 3, 1, 3);
    packed_t plan = codec_encode (&plan_codec, &hold.plan);
    Musubi__Allocation one = MUSUBI__ALLOCATION__INIT;
    one.plan = (ProtobufCBinaryData){.len = plan.size, .data = plan.data};
    one.decided = true;
    Musubi__Allocation *list [] = {&one};
    Musubi__AllocationsAnswer answer = MUSUBI__ALLOCATIONS_ANSWER__INIT;
    uint8_t next [TXID_BYTES] = {1};
    answer.n_allocations = 1;
    answer.allocations = list;
    answer.next = (ProtobufCBinaryData){.len = sizeof next, .data = next};
    packed_t packed = packed_message (&answer.base);
    allocations_page_t page;
    char why [WHY_BYTES];
    assert_true (codec_decode (&allocations_page_codec, &page, bytes (packed), why));
    assert_int_equal (page.count, 1);
    assert_true (page.list [0].decided);
    assert_int_equal (page.list [0].plan.size, plan.size);
    assert_true (page.next_set);
    codec_clear (&allocations_page_codec, &page);
    for (size_t size = 1; size < packed.size; size++) {
        uint8_t *cut = memcpy (malloc (size), packed.data, size);
        if (codec_decode (&allocations_page_codec, &page, (bytes_t){.data = cut, .size = size},
                          why)) {
            assert_false (page.next_set);
            codec_clear (&allocations_page_codec, &page);
        }
        free (cut);
    }
    answer.next.len = 3;
    free (packed.data);
    packed = packed_message (&answer.base);
    assert_false (codec_decode (&allocations_page_codec, &page, bytes (packed), why));
    assert_non_null (strstr (why, "next"));
    free (packed.data);
    free (plan.data);
    codec_clear (&hold_codec, &hold);
    free (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_was_promised_is_booked_again_and_survives_a_restart),
      cmocka_unit_test (told_again_it_is_booked_once),
      cmocka_unit_test (it_can_be_modified_and_released_afterwards),
      cmocka_unit_test (what_is_known_in_an_older_version_becomes_the_newer_one),
      cmocka_unit_test (what_was_released_elsewhere_is_given_back),
      cmocka_unit_test (what_is_pending_on_a_past_version_is_aborted),
      cmocka_unit_test (a_vote_whose_commit_a_home_tells_of_is_committed),
      cmocka_unit_test (what_has_no_room_any_more_is_refused_and_changes_nothing),
      cmocka_unit_test (what_is_over_by_now_is_left),
      cmocka_unit_test (until_it_is_done_no_hold_is_granted_and_nothing_is_said_of_unknown_txids),
      cmocka_unit_test (a_site_finds_its_bookings_in_an_answer),
      cmocka_unit_test (a_domain_finds_its_circuits_on_the_paths_of_an_answer),
      cmocka_unit_test (a_page_cut_anywhere_is_refused_or_read_but_never_trusted),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
