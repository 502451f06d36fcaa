/*  Who may do what, what is refused by which limit, and what is shown to whom
 *  (proto/transaction.md; T13).
 */
#include "participant_fixture.h"

#include "message.h"
#include "transaction.pb-c.h"

/*  --- who may --- */

static void only_the_plans_own_coordinator_holds (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    static const char *const strangers [] = {OTHER_PLANNER, "alice", "root", "lis/tyo", ""};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        command_answer_t answer =
          rig_hold_as (rig, strangers [i], hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2));
        assert_int_equal (answer.refusal.reason, REFUSAL_MAY_NOT);
    }
    assert_int_equal (pool_things (&rig->pool), 0);
    rig_destroy (rig);
}

/*  Else one could hold in another's name, and be asked in doubt about what he never decided. */
static void T1_a_coordinator_has_the_name_of_its_txids_store (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    static const char *const names [] = {OTHER_PLANNER, "alice", "planner/1111", "lis/tyo"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2);
        party_set (&hold.plan.coordinator, names [i], 0x11);
        rig_request (rig, names [i], "Hold", codec_encode (&hold_codec, &hold));
        codec_clear (&hold_codec, &hold);
        assert_int_equal (rig->status, CALL_BAD_REQUEST);
        assert_non_null (strstr (rig->reason, "plan.coordinator.name"));
    }
    assert_int_equal (pool_things (&rig->pool), 0);
    assert_int_equal (rig->host.records.count, 0);
    rig_destroy (rig);
}

static void no_account_no_reservation (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2);
    strcpy (hold.plan.actor, "mallory");
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_MAY_NOT);
    rig_destroy (rig);
}

static void only_its_coordinator_moves_a_command (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    static const char *const strangers [] = {OTHER_PLANNER, "alice", "lis/tyo", ""};
    static const char *const verbs [] = {"Renew", "Prepare", "Commit", "Abort"};
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    for (size_t s = 0; s < sizeof strangers / sizeof *strangers; s++) {
        for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
            for (uint64_t counter = 1; counter <= 2; counter++) { /* known, and not */
                command_answer_t answer = rig_verb_as (rig, strangers [s], verbs [v], counter);
                assert_int_equal (answer.refusal.reason, REFUSAL_MAY_NOT);
                assert_int_equal (answer.state, COMMAND_UNKNOWN);
                assert_int_equal (rig->puts, 0);
            }
        }
    }
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    rig_destroy (rig);
}

static void an_administrator_ends_a_hold_but_not_a_vote (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    assert_int_equal (rig_verb_as (rig, "root", "Commit", 1).refusal.reason, REFUSAL_MAY_NOT);
    assert_int_equal (rig_verb_as (rig, "root", "Abort", 1).state, COMMAND_ABORTED);
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 1, 1, 2));
    assert_int_equal (rig_verb_as (rig, "root", "Abort", 2).refusal.reason, REFUSAL_MAY_NOT);
    assert_int_equal (rig_state (rig, 2), COMMAND_PREPARED);
    rig_destroy (rig);
}

static void N4_only_the_owner_and_administrators_change_a_reservation (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 4, 1, 2);
    hold_t hold = hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 1, 1, 2);
    strcpy (hold.plan.actor, "bob");
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_MAY_NOT);
    hold = hold_of (rig, 3, OPERATION_RELEASE, "r1", 1, 0, 1, 2);
    strcpy (hold.plan.actor, "bob");
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_MAY_NOT);
    hold = hold_of (rig, 4, OPERATION_RELEASE, "r1", 1, 0, 1, 2);
    strcpy (hold.plan.actor, "root");
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

/*  r1 was made elsewhere and comes here with a change. */
static hold_t joining (const participant_rig_t *rig, uint64_t counter, const char *actor,
                       const char *owner)
{
    hold_t hold = hold_of (rig, counter, OPERATION_MODIFY, "r1", 3, 1, 1, 2);
    strcpy (hold.plan.actor, actor);
    strcpy (hold.plan.owner, owner);
    return hold;
}

static void N4_an_administrators_change_leaves_a_reservation_to_its_owner_where_it_joins (
  void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    assert_int_equal (rig_hold (rig, joining (rig, 1, "root", "alice")).state, COMMAND_PREPARED);
    rig_restart (rig, 1000);
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_COMMITTED);
    hold_t hold = hold_of (rig, 2, OPERATION_MODIFY, "r1", 4, 1, 1, 2); /* alice's */
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static void N4_only_the_owner_and_administrators_bring_a_reservation_to_a_site (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    assert_int_equal (rig_hold (rig, joining (rig, 1, "bob", "alice")).refusal.reason,
                      REFUSAL_MAY_NOT);
    assert_int_equal (rig_hold (rig, joining (rig, 2, "root", "mallory")).refusal.reason,
                      REFUSAL_MAY_NOT); /* the owner has no account here */
    hold_t hold = hold_of (rig, 3, OPERATION_RESERVE, "r2", 0, 1, 1, 2);
    strcpy (hold.plan.owner, "bob"); /* alice makes it, so it is hers */
    rig_request (rig, PLANNER, "Hold", codec_encode (&hold_codec, &hold));
    codec_clear (&hold_codec, &hold);
    assert_int_equal (rig->status, CALL_BAD_REQUEST);
    assert_non_null (strstr (rig->reason, "plan.owner"));
    assert_int_equal (rig_hold (rig, joining (rig, 4, "alice", "alice")).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static void a_release_needs_no_account_any_more (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 4, 1, 2);
    rig->access.accounts_count = 0;
    hold_t hold = hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 1, 1, 2);
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_MAY_NOT);
    hold = hold_of (rig, 3, OPERATION_RELEASE, "r1", 1, 0, 1, 2);
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

/*  --- limits --- */

static hold_t small_hold (const participant_rig_t *rig, uint64_t counter, bool prepare)
{
    char id [32];
    snprintf (id, sizeof id, "r%d", (int) counter);
    hold_t hold = hold_of (rig, counter, OPERATION_RESERVE, id, 0, 1, 1, 2);
    hold.prepare = prepare;
    return hold;
}

static void each_limit_refuses_by_name_and_says_when_it_frees (void **state)
{
    (void) state;
    static const struct {
        const char *name;
        size_t offset;
    } limits [] = {
      {"holds_max", offsetof (participant_limits_t, holds_max)},
      {"holds_per_actor_max", offsetof (participant_limits_t, holds_per_actor_max)},
      {"holds_per_planner_max", offsetof (participant_limits_t, holds_per_planner_max)},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        participant_rig_t *rig = rig_new (100);
        *(uint32_t *) ((char *) &rig->limits + limits [i].offset) = 3;
        rig_boot (rig);
        rig_hold (rig, small_hold (rig, 1, true));
        rig_pass (rig, 1000);
        rig_hold (rig, small_hold (rig, 2, false));
        rig_pass (rig, 1000);
        rig_hold (rig, small_hold (rig, 3, false));
        command_answer_t answer = rig_hold (rig, small_hold (rig, 4, false));
        assert_int_equal (answer.refusal.reason, REFUSAL_LIMIT);
        assert_string_equal (answer.refusal.resource, limits [i].name);
        assert_int_equal (answer.refusal.frees_ms, WALL_MS + 10000); /* the vote's decide_by */
        assert_int_equal (answer.refusal.wanted, 4);
        /* the limits outlive a restart */
        rig_restart (rig, 0);
        assert_int_equal (rig_hold (rig, small_hold (rig, 4, false)).refusal.reason, REFUSAL_LIMIT);
        /* a decision frees */
        rig_verb (rig, "Commit", 1);
        assert_int_equal (rig_hold (rig, small_hold (rig, 4, true)).state, COMMAND_PREPARED);
        assert_int_equal (rig_hold (rig, small_hold (rig, 5, true)).refusal.reason, REFUSAL_LIMIT);
        /* a plan that replaces one counts in its place */
        hold_t hold = small_hold (rig, 6, true);
        hold.replaces [hold.replaces_count++] = txid_numbered (4);
        assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
        /* so does an end of life */
        rig_pass (rig, 60000);
        assert_int_equal (rig_hold (rig, small_hold (rig, 7, true)).state, COMMAND_PREPARED);
        rig_destroy (rig);
    }
}

static void one_actors_limit_is_not_anothers (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_new (100);
    rig->limits.holds_per_actor_max = 1;
    rig_boot (rig);
    rig_hold (rig, small_hold (rig, 1, true));
    command_answer_t answer = rig_hold (rig, small_hold (rig, 2, true));
    assert_int_equal (answer.refusal.reason, REFUSAL_LIMIT);
    assert_int_equal (answer.refusal.frees_ms, WALL_MS + 10000); /* the vote's decide_by */
    rig_pass (rig, 10001);
    answer = rig_hold (rig, small_hold (rig, 4, true));
    assert_int_equal (answer.refusal.reason, REFUSAL_LIMIT);
    assert_int_equal (answer.refusal.frees_ms, 0); /* in doubt: nobody knows */
    hold_t hold = small_hold (rig, 3, true);
    strcpy (hold.plan.actor, "bob");
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static command_answer_t resolve_of (participant_rig_t *rig, int store, uint64_t counter)
{
    txid_t txid = txid_numbered (counter);
    memset (txid.store, store, STORE_ID_BYTES);
    rig_request (rig, "lis/tyo", "Resolve",
                 codec_encode (&resolve_request_codec,
                               &(resolve_request_t){txid, rig->host.now.wall_ms + 10000}));
    return rig_answer (rig);
}

static void expect_no_room (const command_answer_t *answer, const char *limit)
{
    assert_int_equal (answer->state, COMMAND_UNKNOWN); /* T7: it tells nothing */
    assert_int_equal (answer->refusal.reason, REFUSAL_LIMIT);
    assert_string_equal (answer->refusal.resource, limit);
}

static void T7_tombstones_are_bounded_for_each_planner_and_in_all (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_new (100);
    rig->limits.tombstones_per_planner_max = 3;
    rig->limits.tombstones_max = 5;
    rig_boot (rig);
    for (uint64_t i = 1; i <= 3; i++)
        assert_int_equal (resolve_of (rig, 0x11, i).state, COMMAND_ABORTED);
    command_answer_t answer = resolve_of (rig, 0x11, 4);
    expect_no_room (&answer, "tombstones_per_planner_max");
    assert_int_equal (resolve_of (rig, 0x11, 3).state, COMMAND_ABORTED); /* as it was told */
    answer = rig_verb (rig, "Abort", 4);
    expect_no_room (&answer, "tombstones_per_planner_max");
    hold_t hold = small_hold (rig, 6, true);
    hold.replaces [hold.replaces_count++] = txid_numbered (4);
    answer = rig_hold (rig, hold);
    assert_int_equal (answer.refusal.reason, REFUSAL_LIMIT);
    assert_int_equal (pool_things (&rig->pool), 0);
    assert_int_equal (rig_hold (rig, small_hold (rig, 4, true)).state, COMMAND_PREPARED);
    rig_restart (rig, 0); /* they are counted from the records too */
    assert_int_equal (resolve_of (rig, 0x22, 1).state, COMMAND_ABORTED);
    assert_int_equal (resolve_of (rig, 0x33, 1).state, COMMAND_ABORTED);
    answer = resolve_of (rig, 0x44, 1);
    expect_no_room (&answer, "tombstones_max");
    assert_int_equal (rig->host.records.count, 6);
    rig_forget_calls (rig);
    rig_pass (rig, 25 * HOUR_MS); /* their retention ends */
    assert_int_equal (resolve_of (rig, 0x44, 1).state, COMMAND_ABORTED);
    rig_destroy (rig);
}

static void T13_a_nearly_full_store_buries_nothing_but_ends_what_it_holds (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (100);
    rig_hold (rig, small_hold (rig, 1, false));
    rig->host.now.store_free_bytes = rig->host.now.store_bytes / 20 - 1;
    command_answer_t answer = resolve_of (rig, 0x11, 2);
    assert_int_equal (answer.state, COMMAND_UNKNOWN);
    assert_int_equal (answer.refusal.reason, REFUSAL_STORE_FULL);
    assert_int_equal (rig_verb (rig, "Abort", 3).refusal.reason, REFUSAL_STORE_FULL);
    assert_int_equal (rig->host.records.count, 1);
    assert_int_equal (resolve_of (rig, 0x11, 1).state, COMMAND_ABORTED);
    rig_destroy (rig);
}

static void T13_a_full_store_takes_no_holds_but_every_end (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (100);
    rig_reserve (rig, 1, "r1", 1, 1, 2);
    rig_hold (rig, small_hold (rig, 2, true));
    rig_hold (rig, small_hold (rig, 3, true));
    hold_t hold = small_hold (rig, 4, false);
    rig_hold (rig, hold);
    rig->host.now.store_free_bytes = rig->host.now.store_bytes / 10 - 1;
    assert_int_equal (rig_hold (rig, small_hold (rig, 5, true)).refusal.reason, REFUSAL_STORE_FULL);
    assert_int_equal (rig_verb (rig, "Commit", 2).state, COMMAND_COMMITTED);
    assert_int_equal (rig_verb (rig, "Abort", 3).state, COMMAND_ABORTED);
    assert_int_equal (rig_verb (rig, "Prepare", 4).state, COMMAND_PREPARED);
    assert_int_equal (rig_hold (rig, hold_of (rig, 6, OPERATION_RELEASE, "r1", 1, 0, 1, 2)).state,
                      COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Abort", 6).state, COMMAND_ABORTED);
    rig->host.now.store_free_bytes = 100; /* a release is stored, too */
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 9, OPERATION_RELEASE, "r1", 1, 0, 1, 2)).refusal.reason,
      REFUSAL_STORE_FULL);
    rig->host.now.store_free_bytes =
      rig->host.now.store_bytes / 10; /* not the room for the hold itself */
    assert_int_equal (rig_hold (rig, small_hold (rig, 7, true)).refusal.reason, REFUSAL_STORE_FULL);
    rig->host.now.store_free_bytes += STORE_COPIES * 1024;
    assert_int_equal (rig_hold (rig, small_hold (rig, 8, true)).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

/*  --- show, list, commands --- */

static Musubi__ShowAnswer *show (participant_rig_t *rig, const char *caller, const char *id)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) id;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    rig_request (rig, caller, "Show", body);
    assert_int_equal (rig->status, CALL_OK);
    return (Musubi__ShowAnswer *) message_unpack (&musubi__show_answer__descriptor,
                                                  (bytes_t){rig->reply.data, rig->reply.size});
}

static Musubi__ReservationState shown_state (participant_rig_t *rig, const char *id)
{
    Musubi__ShowAnswer *answer = show (rig, PLANNER, id);
    Musubi__ReservationState state = answer->record->state;
    message_free (&answer->base);
    return state;
}

static void show_tells_all_to_owner_planner_and_administrator (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 4, 1, 2);
    rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 5, 1, 2));
    static const char *const insiders [] = {"alice", "root", PLANNER, OTHER_PLANNER};
    for (size_t i = 0; i < sizeof insiders / sizeof *insiders; i++) {
        Musubi__ShowAnswer *answer = show (rig, insiders [i], "r1");
        const Musubi__PartRecord *record = answer->record;
        assert_string_equal (record->participant, "lis/ams");
        assert_string_equal (record->owner, "alice");
        assert_int_equal (record->version, 1);
        assert_int_equal (record->state, MUSUBI__RESERVATION_STATE__RESERVED);
        assert_int_equal (record->n_bookings, 1);
        assert_int_equal (record->bookings [0]->nodes, 4);
        assert_int_equal (record->plan->txid->counter, 1);
        assert_int_equal (record->plan->n_participants, 3);
        assert_int_equal (record->pending->counter, 2);
        assert_int_equal (record->pending_state, MUSUBI__COMMAND_STATE__PREPARED);
        assert_int_equal (record->pending_operation, MUSUBI__OPERATION__MODIFY);
        assert_false (record->done);
        message_free (&answer->base);
    }
    rig_destroy (rig);
}

static void show_tells_others_only_that_it_is_there (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 4, 1, 2);
    static const char *const outsiders [] = {"bob", "", "lis/tyo"};
    for (size_t i = 0; i < sizeof outsiders / sizeof *outsiders; i++) {
        Musubi__ShowAnswer *answer = show (rig, outsiders [i], "r1");
        assert_string_equal (answer->record->reservation, "r1");
        assert_string_equal (answer->record->owner, "");
        assert_int_equal (answer->record->n_bookings, 0);
        assert_null (answer->record->plan);
        message_free (&answer->base);
    }
    Musubi__ShowAnswer *answer = show (rig, "alice", "r2");
    assert_null (answer->record);
    message_free (&answer->base);
    rig_destroy (rig);
}

static void the_state_follows_commands_and_time (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 4, 1, 2));
    assert_int_equal (shown_state (rig, "r1"), MUSUBI__RESERVATION_STATE__CREATED);
    rig_verb (rig, "Commit", 1);
    assert_int_equal (shown_state (rig, "r1"), MUSUBI__RESERVATION_STATE__RESERVED);
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 4, 1, 2));
    rig_pass (rig, HOUR_MS);
    assert_int_equal (shown_state (rig, "r1"), MUSUBI__RESERVATION_STATE__ACTIVATED);
    rig_pass (rig, HOUR_MS);
    assert_int_equal (shown_state (rig, "r1"), MUSUBI__RESERVATION_STATE__RELEASED);
    rig_verb (rig, "Commit", 2);
    assert_int_equal (shown_state (rig, "r2"), MUSUBI__RESERVATION_STATE__FAILED);
    rig_reserve (rig, 3, "r3", 1, 5, 6);
    rig_hold (rig, hold_of (rig, 4, OPERATION_RELEASE, "r3", 1, 0, 5, 6));
    assert_int_equal (shown_state (rig, "r3"), MUSUBI__RESERVATION_STATE__RESERVED);
    rig_verb (rig, "Commit", 4);
    assert_int_equal (shown_state (rig, "r3"), MUSUBI__RESERVATION_STATE__RELEASED);
    rig_destroy (rig);
}

static Musubi__ListAnswer *list (participant_rig_t *rig, const char *caller,
                                 const Musubi__ListRequest *request)
{
    packed_t body;
    body.data = message_pack (&request->base, &body.size);
    rig_request (rig, caller, "List", body);
    assert_int_equal (rig->status, CALL_OK);
    return (Musubi__ListAnswer *) message_unpack (&musubi__list_answer__descriptor,
                                                  (bytes_t){rig->reply.data, rig->reply.size});
}

static void list_pages_in_the_order_of_ids (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (1000);
    char id [32];
    for (uint64_t i = 1; i <= 25; i++) {
        snprintf (id, sizeof id, "r%02d", (int) (i * 7 % 26));
        rig_reserve (rig, i, id, 1, (int64_t) i, (int64_t) i + 1);
    }
    Musubi__ListRequest request = MUSUBI__LIST_REQUEST__INIT;
    char after [64] = "";
    size_t seen = 0;
    for (int page = 0; page < 3; page++) {
        request.after = after;
        request.most = 10;
        Musubi__ListAnswer *answer = list (rig, PLANNER, &request);
        assert_int_equal (answer->n_records, page < 2 ? 10 : 5);
        assert_int_equal (answer->more, page < 2);
        for (size_t i = 0; i < answer->n_records; i++) {
            assert_true (strcmp (after, answer->records [i]->reservation) < 0);
            strcpy (after, answer->records [i]->reservation);
            seen++;
        }
        message_free (&answer->base);
    }
    assert_int_equal (seen, 25);
    rig_destroy (rig);
}

static size_t listed (participant_rig_t *rig, const char *caller, const char *owner, int64_t from_h,
                      int64_t until_h)
{
    Musubi__ListRequest request = MUSUBI__LIST_REQUEST__INIT;
    request.owner = (char *) owner;
    if (until_h > 0) {
        request.from_ms = WALL_MS + from_h * HOUR_MS;
        request.until_ms = WALL_MS + until_h * HOUR_MS;
    }
    Musubi__ListAnswer *answer = list (rig, caller, &request);
    size_t count = answer->n_records;
    message_free (&answer->base);
    return count;
}

static void list_can_be_narrowed_to_an_owner_and_an_interval (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (1000);
    rig_reserve (rig, 1, "r1", 1, 1, 2);
    rig_reserve (rig, 2, "r2", 1, 3, 5);
    hold_t hold = hold_of (rig, 3, OPERATION_RESERVE, "r3", 0, 1, 1, 2);
    strcpy (hold.plan.actor, "bob");
    rig_hold (rig, hold);
    rig_verb (rig, "Commit", 3);
    assert_int_equal (listed (rig, PLANNER, "", 0, 0), 3);
    assert_int_equal (listed (rig, PLANNER, "alice", 0, 0), 2);
    assert_int_equal (listed (rig, PLANNER, "", 2, 3), 0);
    assert_int_equal (listed (rig, PLANNER, "", 2, 4), 1);
    assert_int_equal (listed (rig, PLANNER, "bob", 0, 9), 1);
    assert_int_equal (listed (rig, "alice", "bob", 0, 9), 0); /* not hers to know */
    assert_int_equal (listed (rig, "alice", "", 0, 9), 3);    /* two of them without details */
    rig_destroy (rig);
}

static Musubi__CommandsAnswer *commands (participant_rig_t *rig, const char *caller, uint64_t after,
                                         uint32_t most)
{
    Musubi__CommandsRequest request = MUSUBI__COMMANDS_REQUEST__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid_t key = txid_numbered (after);
    txid.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = key.store};
    txid.start = key.start;
    txid.counter = key.counter;
    if (after > 0)
        request.after = &txid;
    request.most = most;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    rig_request (rig, caller, "Commands", body);
    assert_int_equal (rig->status, CALL_OK);
    return (Musubi__CommandsAnswer *) message_unpack (&musubi__commands_answer__descriptor,
                                                      (bytes_t){rig->reply.data, rig->reply.size});
}

static void commands_are_told_in_the_order_of_txids (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (1000);
    for (uint64_t i = 9; i >= 1; i--)
        rig_hold (rig, small_hold (rig, i, true));
    rig_verb (rig, "Commit", 4);
    rig_verb (rig, "Abort", 20); /* a tombstone has nothing to tell */
    Musubi__CommandsAnswer *answer = commands (rig, PLANNER, 3, 4);
    assert_int_equal (answer->n_commands, 4);
    assert_true (answer->more);
    assert_int_equal (answer->commands [0]->plan->txid->counter, 4);
    assert_int_equal (answer->commands [0]->state, MUSUBI__COMMAND_STATE__COMMITTED);
    assert_int_equal (answer->commands [0]->bookings [0]->nodes, 1);
    assert_int_equal (answer->commands [0]->prepared_ms, WALL_MS);
    assert_int_equal (answer->commands [3]->plan->txid->counter, 7);
    message_free (&answer->base);
    answer = commands (rig, "root", 7, 0);
    assert_int_equal (answer->n_commands, 2);
    assert_false (answer->more);
    message_free (&answer->base);
    answer = commands (rig, "bob", 0, 0);
    assert_int_equal (answer->n_commands, 0);
    message_free (&answer->base);
    rig_destroy (rig);
}

static void a_page_fits_in_a_body_however_large_its_records_are (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (1000);
    for (uint64_t i = 1; i <= 40; i++) {
        hold_t hold = small_hold (rig, i, true);
        hold.plan.request = calloc (1, PLAN_REQUEST_BYTES_MAX);
        hold.plan.request_size = PLAN_REQUEST_BYTES_MAX;
        assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    }
    uint64_t after = 0;
    size_t seen = 0;
    bool more = true;
    while (more) {
        Musubi__CommandsAnswer *answer = commands (rig, PLANNER, after, 0);
        assert_non_null (answer); /* at most BODY_BYTES_MAX, or it could not be unpacked */
        assert_true (answer->n_commands > 0);
        seen += answer->n_commands;
        after = answer->commands [answer->n_commands - 1]->plan->txid->counter;
        more = answer->more;
        message_free (&answer->base);
    }
    assert_int_equal (seen, 40);
    Musubi__ListRequest request = MUSUBI__LIST_REQUEST__INIT;
    Musubi__ListAnswer *answer = list (rig, PLANNER, &request);
    assert_non_null (answer);
    assert_true (answer->more);
    message_free (&answer->base);
    rig_destroy (rig);
}

static void questions_that_make_no_sense_are_refused (void **state)
{
    (void) state;
    static const char *const methods [] = {"Hold",  "Renew",   "Prepare", "Commit",
                                           "Abort", "Resolve", "Outcome", "Done",
                                           "Show",  "List",    "Commands"};
    participant_rig_t *rig = rig_started (10);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        rig_request (rig, PLANNER, methods [i],
                     packed_copy ((bytes_t){(const uint8_t *) "\x0a\xff", 2}));
        assert_int_equal (rig->status, CALL_BAD_REQUEST);
        assert_true (strlen (rig->reason) > 0);
    }
    Musubi__ListRequest request = MUSUBI__LIST_REQUEST__INIT;
    request.from_ms = 5;
    request.until_ms = 5;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    rig_request (rig, PLANNER, "List", body);
    assert_int_equal (rig->status, CALL_BAD_REQUEST);
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (only_the_plans_own_coordinator_holds),
      cmocka_unit_test (T1_a_coordinator_has_the_name_of_its_txids_store),
      cmocka_unit_test (no_account_no_reservation),
      cmocka_unit_test (only_its_coordinator_moves_a_command),
      cmocka_unit_test (an_administrator_ends_a_hold_but_not_a_vote),
      cmocka_unit_test (N4_only_the_owner_and_administrators_change_a_reservation),
      cmocka_unit_test (
        N4_an_administrators_change_leaves_a_reservation_to_its_owner_where_it_joins),
      cmocka_unit_test (N4_only_the_owner_and_administrators_bring_a_reservation_to_a_site),
      cmocka_unit_test (a_release_needs_no_account_any_more),
      cmocka_unit_test (each_limit_refuses_by_name_and_says_when_it_frees),
      cmocka_unit_test (one_actors_limit_is_not_anothers),
      cmocka_unit_test (T7_tombstones_are_bounded_for_each_planner_and_in_all),
      cmocka_unit_test (T13_a_nearly_full_store_buries_nothing_but_ends_what_it_holds),
      cmocka_unit_test (T13_a_full_store_takes_no_holds_but_every_end),
      cmocka_unit_test (show_tells_all_to_owner_planner_and_administrator),
      cmocka_unit_test (show_tells_others_only_that_it_is_there),
      cmocka_unit_test (the_state_follows_commands_and_time),
      cmocka_unit_test (list_pages_in_the_order_of_ids),
      cmocka_unit_test (list_can_be_narrowed_to_an_owner_and_an_interval),
      cmocka_unit_test (commands_are_told_in_the_order_of_txids),
      cmocka_unit_test (a_page_fits_in_a_body_however_large_its_records_are),
      cmocka_unit_test (questions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
