/*  test_plus - S3's Factory, Reservation and Command at a site, by events alone. What each promises
 *  is tried twice: on a service that lives, and on one that dies after every answer.
 */
#include "message.h"
#include "plus_fixture.h"

#define COMMITTED MUSUBI__PLUS_COMMAND_STATE__PLUS_COMMITTED
#define PREPARED  MUSUBI__PLUS_COMMAND_STATE__PLUS_PREPARED
#define ABORTED   MUSUBI__PLUS_COMMAND_STATE__PLUS_ABORTED

/*  As open_world, and the administrator has an account. */
static void open_plus (service_world_t *w, bool dies)
{
    static const char *const accounts [] = {"alice", "bob", "root"};
    shaky = dies;
    prepare_world (w);
    w->settings.provider.access.accounts = accounts;
    w->settings.provider.access.accounts_count = 3;
    start (w);
}

/*  --- its states --- */

static void a_reservation_is_created_reserved_and_over (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1];
    assert_int_equal (plus_create (w, "alice", "c", r), CALL_OK);
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__CREATED);
    told_t told = plus_reserve (w, "alice", "r", r, "thin", 10, 20, 3);
    assert_int_equal (told.state, PREPARED);
    assert_int_equal (free_at (w, "thin", 12), 5);
    Musubi__PlusPropertiesAnswer *all = plus_properties (w, "alice", r, "", 0);
    const Musubi__PlusProperties *seen = all->reservations [0];
    assert_int_equal (seen->state, MUSUBI__RESERVATION_STATE__CREATED);
    assert_string_equal (seen->owner, "alice");
    assert_int_equal (seen->n_commands, 1);
    assert_int_equal (seen->commands [0]->command->counter, told.command.counter);
    assert_int_equal (seen->commands [0]->waits_until_ms, told.waits_until_ms);
    assert_int_equal (seen->from_ms, at (10));
    assert_int_equal (seen->until_ms, at (20));
    assert_int_equal (seen->quantity, 3);
    assert_string_equal (seen->resource, "thin");
    message_free (&all->base);

    told = plus_command (w, "alice", "Commit", &told.command);
    assert_int_equal (told.state, COMMITTED);
    assert_int_equal (told.waits_until_ms, 0);
    assert_int_equal (free_at (w, "thin", 12), 5);
    all = plus_properties (w, "alice", "", "", 0);
    assert_int_equal (all->n_reservations, 1);
    seen = all->reservations [0];
    assert_string_equal (seen->reservation, r);
    assert_int_equal (seen->state, MUSUBI__RESERVATION_STATE__RESERVED);
    assert_int_equal (seen->from_ms, at (10));
    assert_int_equal (seen->until_ms, at (20));
    assert_int_equal (seen->quantity, 3);
    assert_string_equal (seen->resource, "thin");
    assert_int_equal (seen->n_commands, 0);
    message_free (&all->base);
    pass (w, 10 * MINUTE_MS);
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__ACTIVATED);
    pass (w, 10 * MINUTE_MS);
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__RELEASED);
    assert_int_equal (plus_command (w, "alice", "State", &told.command).state, COMMITTED);
}

static void the_old_slot_stays_until_the_commit_and_after_an_abort (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1];
    plus_booked (w, r, "a", 10, 20, 6);
    told_t told = plus_modify (w, "alice", "m1", r, 30, 40, 7);
    assert_int_equal (told.state, PREPARED);
    assert_int_equal (free_at (w, "thin", 12), 2);
    assert_int_equal (free_at (w, "thin", 32), 1);
    assert_int_equal (plus_command (w, "alice", "Abort", &told.command).state, ABORTED);
    assert_int_equal (free_at (w, "thin", 12), 2);
    assert_int_equal (free_at (w, "thin", 32), 8);
    told_t late = plus_command (w, "alice", "Commit", &told.command);
    assert_int_equal (late.state, ABORTED);
    assert_int_equal (late.refused, REFUSAL_ENDED);
    assert_int_equal (free_at (w, "thin", 12), 2);

    told = plus_modify (w, "alice", "m2", r, 30, 40, 7);
    assert_int_equal (plus_command (w, "alice", "State", &told.command).state, PREPARED);
    assert_int_equal (plus_command (w, "alice", "Commit", &told.command).state, COMMITTED);
    assert_int_equal (free_at (w, "thin", 12), 8);
    assert_int_equal (free_at (w, "thin", 32), 1);
    late = plus_command (w, "alice", "Abort", &told.command);
    assert_int_equal (late.state, COMMITTED);
    assert_int_equal (late.refused, REFUSAL_ENDED);

    told = plus_release (w, "alice", "d1", r);
    assert_int_equal (told.state, PREPARED);
    assert_int_equal (free_at (w, "thin", 32), 1);
    assert_int_equal (plus_command (w, "alice", "Abort", &told.command).state, ABORTED);
    assert_int_equal (free_at (w, "thin", 32), 1);
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__RESERVED);
    told = plus_release (w, "alice", "d2", r);
    assert_int_equal (plus_command (w, "alice", "Commit", &told.command).state, COMMITTED);
    assert_int_equal (free_at (w, "thin", 32), 8);
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__RELEASED);
    assert_int_equal (plus_modify (w, "alice", "m3", r, 0, 50, 0).status, CALL_NOT_FOUND);
}

static void what_is_not_committed_in_time_is_aborted_by_itself (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1];
    plus_create (w, "alice", "c", r);
    pass (w, 10 * MINUTE_MS);
    told_t told = plus_reserve (w, "alice", "r1", r, "thin", 100, 120, 3);
    assert_int_equal (told.waits_until_ms, at (25));
    pass (w, 15 * MINUTE_MS - 1);
    assert_int_equal (plus_command (w, "alice", "State", &told.command).state, PREPARED);
    pass (w, 1);
    told_t late = plus_command (w, "alice", "Commit", &told.command);
    assert_int_equal (late.state, ABORTED);
    assert_int_equal (late.refused, REFUSAL_ENDED);
    assert_int_equal (plus_command (w, "alice", "State", &told.command).state, ABORTED);
    assert_int_equal (free_at (w, "thin", 110), 8);
    /*  The reservation stays for a while and is reserved again. */
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__CREATED);
    pass (w, 10 * MINUTE_MS);
    told = plus_reserve (w, "alice", "r2", r, "thin", 100, 120, 4);
    assert_int_equal (plus_command (w, "alice", "Commit", &told.command).state, COMMITTED);
    assert_int_equal (free_at (w, "thin", 110), 4);
}

static void a_command_waits_no_longer_than_its_window_lets_it (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1];
    plus_create (w, "alice", "c1", r);
    told_t told = plus_reserve (w, "alice", "r1", r, "thin", 5, 20, 8);
    assert_int_equal (told.waits_until_ms, at (4)); /* the lead is a minute */
    pass (w, 4 * MINUTE_MS - 1);
    assert_int_equal (plus_command (w, "alice", "State", &told.command).state, PREPARED);
    pass (w, 1);
    assert_int_equal (plus_command (w, "alice", "Commit", &told.command).state, ABORTED);
    assert_int_equal (free_at (w, "thin", 10), 8);

    /*  A change that keeps the start waits until the old end at most; a release as long as any
     *  command. */
    plus_booked (w, r, "b", 10, 16, 2);
    told = plus_modify (w, "alice", "m1", r, 0, 30, 0);
    assert_int_equal (told.waits_until_ms, at (15));
    plus_command (w, "alice", "Abort", &told.command);
    told = plus_release (w, "alice", "d1", r);
    assert_int_equal (told.waits_until_ms, at (4 + 15));
    pass (w, 14 * MINUTE_MS);
    assert_int_equal (plus_command (w, "alice", "Commit", &told.command).state, COMMITTED);
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__RELEASED);
}

static void a_running_one_is_prolonged_grown_and_shrunk (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1];
    plus_booked (w, r, "a", 2, 20, 2);
    pass (w, 5 * MINUTE_MS);
    told_t told = plus_modify (w, "alice", "m1", r, 0, 30, 0);
    assert_int_equal (plus_command (w, "alice", "Commit", &told.command).state, COMMITTED);
    assert_int_equal (free_at (w, "thin", 25), 6);
    assert_int_equal (free_at (w, "thin", 30), 8);

    told = plus_modify (w, "alice", "m2", r, 0, 0, 5);
    assert_int_equal (told.state, PREPARED);
    assert_true (told.waits_until_ms >= w->host.now.wall_ms + 10000);
    assert_true (told.waits_until_ms <= w->host.now.wall_ms + MINUTE_MS);
    assert_int_equal (free_at (w, "thin", 5), 6);
    assert_int_equal (free_at (w, "thin", 10), 3);
    assert_int_equal (plus_command (w, "alice", "Commit", &told.command).state, COMMITTED);
    assert_int_equal (free_at (w, "thin", 5), 6);
    assert_int_equal (free_at (w, "thin", 10), 3);
    assert_int_equal (free_at (w, "thin", 29), 3);

    pass (w, 5 * MINUTE_MS);
    told = plus_modify (w, "alice", "m3", r, 0, 0, 1);
    assert_int_equal (plus_command (w, "alice", "Commit", &told.command).state, COMMITTED);
    assert_int_equal (free_at (w, "thin", 10), 3);
    assert_int_equal (free_at (w, "thin", 15), 7);
    told = plus_modify (w, "alice", "m4", r, 3, 0, 0);
    assert_int_equal (told.status, CALL_BAD_REQUEST);
    assert_non_null (strstr (told.reason, "from_ms"));
    told = plus_modify (w, "alice", "m5", r, 0, 8, 0);
    assert_int_equal (told.status, CALL_BAD_REQUEST);
    assert_non_null (strstr (told.reason, "until_ms"));
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__ACTIVATED);
}

/*  --- several who ask --- */

static bool same_txid (const txid_t *a, const txid_t *b)
{
    return a->start == b->start && a->counter == b->counter &&
           memcmp (a->store, b->store, STORE_ID_BYTES) == 0;
}

static void the_second_of_two_hears_whose_command_is_in_the_way (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1];
    plus_booked (w, r, "a", 10, 20, 2);
    told_t first = plus_modify (w, "root", "m", r, 0, 25, 0);
    assert_int_equal (first.state, PREPARED);
    told_t second = plus_modify (w, "alice", "m", r, 0, 30, 0);
    assert_int_equal (second.state, ABORTED);
    assert_int_equal (second.refused, REFUSAL_BUSY_CHANGE);
    assert_true (second.blocked && same_txid (&second.blocker, &first.command));
    assert_int_equal (second.frees_ms, first.waits_until_ms);
    /*  Each command has its own id, so an actor can't end that of another by mistake. */
    assert_int_equal (plus_command (w, "alice", "Abort", &first.command).status, CALL_DENIED);
    assert_int_equal (plus_command (w, "alice", "Commit", &first.command).status, CALL_DENIED);
    assert_int_equal (plus_command (w, "root", "Commit", &first.command).state, COMMITTED);
    second = plus_modify (w, "alice", "m2", r, 0, 30, 0);
    assert_int_equal (second.state, PREPARED);
    assert_int_equal (plus_command (w, "root", "Abort", &second.command).state, ABORTED);
    assert_int_equal (free_at (w, "thin", 24), 6);
    assert_int_equal (free_at (w, "thin", 27), 8);

    /*  The first reserve counts as well. */
    plus_create (w, "alice", "c2", r);
    first = plus_reserve (w, "alice", "r2", r, "thin", 40, 50, 1);
    second = plus_reserve (w, "alice", "r3", r, "thin", 50, 60, 1);
    assert_int_equal (second.refused, REFUSAL_BUSY_CHANGE);
    assert_true (second.blocked && same_txid (&second.blocker, &first.command));
    plus_command (w, "alice", "Commit", &first.command);
    assert_int_equal (plus_reserve (w, "alice", "r4", r, "thin", 50, 60, 1).status,
                      CALL_BAD_REQUEST);
}

static void who_does_not_own_it_is_denied (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1], other [NAME_BYTES_MAX + 1];
    assert_int_equal (plus_create (w, "mallory", "c", other), CALL_DENIED);
    plus_create (w, "alice", "c", r);
    assert_int_equal (plus_reserve (w, "bob", "r", r, "thin", 10, 20, 1).status, CALL_DENIED);
    told_t told = plus_reserve (w, "alice", "r", r, "thin", 10, 20, 1);
    static const char *const verbs [] = {"State", "Commit", "Abort"};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal (plus_command (w, "bob", verbs [i], &told.command).status, CALL_DENIED);
    plus_command (w, "alice", "Commit", &told.command);
    assert_int_equal (plus_modify (w, "bob", "m", r, 0, 30, 0).status, CALL_DENIED);
    assert_int_equal (plus_release (w, "bob", "d", r).status, CALL_DENIED);
    Musubi__PlusPropertiesAnswer *all = plus_properties (w, "bob", "", "", 0);
    assert_int_equal (all->n_reservations, 0);
    message_free (&all->base);
    Musubi__PlusPropertiesRequest request = MUSUBI__PLUS_PROPERTIES_REQUEST__INIT;
    request.reservation = r;
    assert_int_equal (plus_ask (w, "bob", "", "Reservation", "Properties", &request.base),
                      CALL_NOT_FOUND);
}

/*  --- asked again --- */

static void one_request_id_has_one_answer (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1], again [NAME_BYTES_MAX + 1];
    plus_create (w, "alice", "id", r);
    plus_create (w, "alice", "id", again);
    assert_string_equal (again, r);
    plus_create (w, "bob", "id", again); /* another's ids are others */
    assert_string_not_equal (again, r);
    plus_create (w, "alice", "id2", again);
    assert_string_not_equal (again, r);

    told_t told = plus_reserve (w, "alice", "r", r, "thin", 10, 20, 3);
    told_t twice = plus_reserve (w, "alice", "r", r, "thin", 10, 20, 3);
    assert_true (same_txid (&told.command, &twice.command));
    assert_int_equal (twice.state, PREPARED);
    assert_int_equal (plus_reserve (w, "alice", "r", r, "thin", 10, 20, 4).status,
                      CALL_BAD_REQUEST);
    assert_int_equal (plus_reserve (w, "alice", "id", r, "thin", 10, 20, 3).status,
                      CALL_BAD_REQUEST);
    plus_command (w, "alice", "Commit", &told.command);
    /*  The answer is how the command stands now; no second command is made. */
    twice = plus_reserve (w, "alice", "r", r, "thin", 10, 20, 3);
    assert_true (same_txid (&told.command, &twice.command));
    assert_int_equal (twice.state, COMMITTED);
    told = plus_release (w, "alice", "d", r);
    twice = plus_release (w, "alice", "d", r);
    assert_true (same_txid (&told.command, &twice.command));
    plus_command (w, "alice", "Abort", &told.command);
    assert_int_equal (plus_release (w, "alice", "d", r).state, ABORTED);
    assert_int_equal (free_at (w, "thin", 12), 5);
}

static void a_refusal_is_told_again_when_there_is_room_meanwhile (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1], other [NAME_BYTES_MAX + 1];
    plus_booked (w, other, "b", 20, 30, 7);
    plus_booked (w, r, "a", 10, 20, 2);
    told_t first = plus_modify (w, "alice", "m", r, 0, 30, 0);
    assert_int_equal (first.state, ABORTED);
    assert_int_equal (first.refused, REFUSAL_SHORT);
    told_t waits = plus_release (w, "alice", "d", other);
    assert_int_equal (plus_command (w, "alice", "Commit", &waits.command).state, COMMITTED);
    told_t again = plus_modify (w, "alice", "m", r, 0, 30, 0);
    assert_int_equal (again.state, ABORTED);
    assert_int_equal (again.refused, REFUSAL_SHORT);
    assert_string_equal (again.text, first.text);
    assert_true (same_txid (&again.command, &first.command));
    assert_int_equal (plus_modify (w, "alice", "m", r, 0, 29, 0).status, CALL_BAD_REQUEST);
    /*  It does not block any other change. */
    again = plus_modify (w, "alice", "m2", r, 0, 30, 0);
    assert_int_equal (again.state, PREPARED);
    plus_command (w, "alice", "Abort", &again.command);

    /*  A refusal without a command is kept as well, even though the reservation is reserved by
     *  then. */
    plus_create (w, "alice", "c", other);
    assert_int_equal (plus_modify (w, "alice", "early", other, 0, 50, 0).status, CALL_NOT_FOUND);
    waits = plus_reserve (w, "alice", "r", other, "thin", 30, 40, 1);
    plus_command (w, "alice", "Commit", &waits.command);
    again = plus_modify (w, "alice", "early", other, 0, 50, 0);
    assert_int_equal (again.status, CALL_NOT_FOUND);
    assert_non_null (strstr (again.reason, "is not reserved"));
    /*  It is kept as long as other answers. */
    pass (w, (24 * 60 + 1) * MINUTE_MS);
    first = plus_modify (w, "alice", "m", r, 0, 30, 0);
    assert_true (first.status == CALL_NOT_FOUND || first.status == CALL_BAD_REQUEST);
}

static void ids_are_forgotten_after_a_day_and_what_was_created_with_its_wait (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1], again [NAME_BYTES_MAX + 1];
    plus_create (w, "alice", "id", r);
    assert_int_equal (records_of (w, TABLE_PLUS), 2);
    pass (w, 16 * MINUTE_MS);
    assert_int_equal (records_of (w, TABLE_PLUS), 1);
    assert_int_equal (plus_reserve (w, "alice", "r", r, "thin", 100, 120, 1).status,
                      CALL_NOT_FOUND);
    plus_create (w, "alice", "id", again);
    assert_string_equal (again, r);
    pass (w, 24 * 60 * MINUTE_MS);
    assert_int_equal (records_of (w, TABLE_PLUS), 0);
    plus_create (w, "alice", "id", again);
    assert_string_not_equal (again, r);
}

/*  --- beside planners --- */

static void what_a_planner_made_of_one_need_here_alone_is_changed (service_world_t *w)
{
    reserve (w, "r1", booking ("thin", 2, 2, 10, 20));
    told_t told = plus_modify (w, "alice", "m1", "r1", 0, 30, 3);
    assert_int_equal (told.state, PREPARED);
    /*  A planner is told that it is busy, and later changes the version that has come of it. */
    compute_booking_t next = booking ("thin", 4, 4, 10, 30);
    service_order_t order = {.operation = OPERATION_MODIFY,
                             .reservation = "r1",
                             .base_version = 1,
                             .bookings = &next,
                             .count = 1,
                             .prepare = true};
    command_answer_t answered;
    hold (w, &order, &answered);
    assert_int_equal (answered.refusal.reason, REFUSAL_BUSY_CHANGE);
    codec_clear (&command_answer_codec, &answered);
    plus_command (w, "alice", "Commit", &told.command);
    assert_int_equal (free_at (w, "thin", 25), 5);
    order.base_version = 2;
    txid_t txid = hold (w, &order, &answered);
    assert_int_equal (answered.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &answered);
    assert_int_equal (plus_modify (w, "alice", "m2", "r1", 0, 40, 0).refused, REFUSAL_BUSY_CHANGE);
    assert_int_equal (tell (w, "Commit", &txid), COMMAND_COMMITTED);
    Musubi__PlusPropertiesAnswer *all = plus_properties (w, "alice", "r1", "", 0);
    assert_int_equal (all->reservations [0]->quantity, 4);
    message_free (&all->base);
    told = plus_release (w, "alice", "d", "r1");
    plus_command (w, "alice", "Commit", &told.command);
    assert_int_equal (free_at (w, "thin", 25), 8);
}

static void what_has_other_parts_is_left_to_planners (service_world_t *w)
{
    compute_booking_t two [] = {booking ("thin", 2, 2, 10, 20), booking ("fat", 16, 1, 10, 20)};
    service_order_t order = {.reservation = "r1", .bookings = two, .count = 2, .prepare = true};
    command_answer_t answered;
    txid_t txid = hold (w, &order, &answered);
    codec_clear (&command_answer_codec, &answered);
    assert_int_equal (tell (w, "Commit", &txid), COMMAND_COMMITTED);
    told_t told = plus_modify (w, "alice", "m", "r1", 0, 30, 0);
    assert_int_equal (told.status, CALL_BAD_REQUEST);
    assert_non_null (strstr (told.reason, "musubi modify"));
    assert_int_equal (plus_release (w, "alice", "d", "r1").status, CALL_BAD_REQUEST);

    /*  And a reservation with another participant. */
    participant_ref_t both [] = {{.name = FIXTURE_NAME, .endpoint = "sim://" FIXTURE_NAME},
                                 {.name = "lis/osa", .endpoint = "sim://osa", .store = {9}}};
    memcpy (both [0].store, fixture_store, STORE_ID_BYTES);
    packed_t part = compute_part_encode (two, 1);
    hold_t asked = {
      .plan = {.txid = {.store = {[15] = 1}, .start = 1, .counter = 1000},
               .reservation = "r2",
               .participants = both,
               .participants_count = 2,
               .coordinator = {.name = PLANNER, .store = {[15] = 1}, .endpoint = "sim://p"},
               .actor = "alice",
               .decide_by_ms = w->host.now.wall_ms + 10000,
               .edge_ms = at (9)},
      .part_kind = PART_COMPUTE,
      .prepare = true,
      .part = part.data,
      .part_size = part.size};
    packed_t body = codec_encode (&hold_codec, &asked);
    ask_bytes (w, PLANNER, "Participant", "Hold", (bytes_t){.data = body.data, .size = body.size});
    free (body.data);
    free (part.data);
    assert_int_equal (tell (w, "Commit", &asked.plan.txid), COMMAND_COMMITTED);
    assert_int_equal (plus_modify (w, "alice", "m", "r2", 0, 30, 0).status, CALL_BAD_REQUEST);
    assert_int_equal (plus_state (w, "r2"), MUSUBI__RESERVATION_STATE__RESERVED);
}

/*  --- refusals --- */

static void what_cannot_be_had_is_refused_in_words (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1];
    plus_create (w, "alice", "c", r);
    told_t told = plus_reserve (w, "alice", "", r, "thin", 10, 20, 9);
    assert_int_equal (told.state, ABORTED);
    assert_int_equal (told.refused, REFUSAL_SHORT);
    assert_int_equal (plus_reserve (w, "alice", "", r, "", 10, 20, 9).refused, REFUSAL_SHORT);
    told = plus_reserve (w, "alice", "", r, "thin", -5, 20, 1);
    assert_int_equal (told.state, ABORTED);
    assert_true (told.refused == REFUSAL_LATE || told.refused == REFUSAL_TOO_NEAR);
    w->host.now.wall_ms -= 10; /* a clock that was set back: by its own, it is later */
    told = plus_reserve (w, "alice", "", r, "thin", -50, -20, 1);
    assert_int_equal (told.state, ABORTED);
    assert_int_equal (told.refused, REFUSAL_TOO_NEAR);
    w->host.now.wall_ms += 10;
    told = plus_reserve (w, "alice", "", r, "thin", 10, 2000, 1);
    assert_int_equal (told.refused, REFUSAL_OUTSIDE);
    assert_int_equal (plus_reserve (w, "alice", "", r, "huge", 10, 20, 1).status, CALL_NOT_FOUND);
    assert_int_equal (plus_reserve (w, "alice", "", r, "thin", 10, 20, 0).status, CALL_BAD_REQUEST);
    assert_int_equal (plus_reserve (w, "alice", "", r, "thin", 20, 10, 1).status, CALL_BAD_REQUEST);
    told = plus_reserve (w, "alice", "", r, "fat", 10, 20, UINT32_MAX);
    assert_int_equal (told.status, CALL_BAD_REQUEST);
    assert_int_equal (plus_reserve (w, "alice", "", "r9", "thin", 10, 20, 1).status,
                      CALL_NOT_FOUND);
    assert_int_equal (plus_modify (w, "alice", "", r, 0, 20, 0).status, CALL_NOT_FOUND);
    assert_int_equal (plus_modify (w, "alice", "", r, 0, 0, 0).status, CALL_BAD_REQUEST);
    assert_int_equal (plus_release (w, "alice", "", r).status, CALL_NOT_FOUND);
    txid_t unknown = {.start = 1, .counter = 77};
    assert_int_equal (plus_command (w, "alice", "Commit", &unknown).status, CALL_NOT_FOUND);
    memcpy (unknown.store, fixture_store, STORE_ID_BYTES);
    assert_int_equal (plus_command (w, "alice", "State", &unknown).status, CALL_NOT_FOUND);
    assert_int_equal (free_at (w, "thin", 12), 8);

    /*  Without a name, the first class with room. */
    told = plus_reserve (w, "alice", "r", r, "", 10, 20, 8);
    assert_int_equal (told.state, PREPARED);
    plus_command (w, "alice", "Commit", &told.command);
    plus_create (w, "bob", "c", r);
    told = plus_reserve (w, "bob", "r", r, "", 10, 20, 2);
    assert_int_equal (told.state, PREPARED);
    assert_int_equal (free_at (w, "fat", 12), 2);
    /*  So many nodes that their CPUs can't be counted. */
    plus_command (w, "bob", "Commit", &told.command);
    told = plus_modify (w, "bob", "m", r, 0, 0, UINT32_MAX / 8);
    assert_int_equal (told.status, CALL_BAD_REQUEST);
    assert_non_null (strstr (told.reason, "quantity: more than a site can have"));
}

static void a_planners_command_is_not_decided_here (service_world_t *w)
{
    compute_booking_t one = booking ("thin", 2, 2, 10, 20);
    service_order_t order = {.reservation = "r1", .bookings = &one, .count = 1};
    command_answer_t answered;
    txid_t txid = hold (w, &order, &answered);
    codec_clear (&command_answer_codec, &answered);
    assert_int_equal (plus_command (w, "alice", "Commit", &txid).status, CALL_NOT_FOUND);
    assert_int_equal (plus_command (w, "root", "Abort", &txid).status, CALL_NOT_FOUND);
    assert_int_equal (tell (w, "Prepare", &txid), COMMAND_PREPARED);
}

static void what_was_refused_at_its_edge_has_failed (service_world_t *w)
{
    char r [NAME_BYTES_MAX + 1];
    compute_booking_t all = booking ("thin", 8, 8, 950, 960);
    service_order_t order = {.reservation = "r1", .bookings = &all, .count = 1, .prepare = true};
    command_answer_t answered;
    txid_t txid = hold (w, &order, &answered);
    codec_clear (&command_answer_codec, &answered);
    pass (w, 901 * MINUTE_MS);
    plus_booked (w, r, "a", 950, 960, 8);
    assert_int_equal (tell (w, "Commit", &txid), COMMAND_EDGE_REFUSED);
    assert_int_equal (plus_state (w, "r1"), MUSUBI__RESERVATION_STATE__FAILED);
    assert_int_equal (plus_state (w, r), MUSUBI__RESERVATION_STATE__RESERVED);
}

#define BOTH(test)                                                                                 \
    static void test##_ (void **state)                                                             \
    {                                                                                              \
        (void) state;                                                                              \
        for (int dies = 0; dies < 2; dies++) {                                                     \
            service_world_t w;                                                                     \
            open_plus (&w, dies);                                                                  \
            test (&w);                                                                             \
            close_world (&w);                                                                      \
        }                                                                                          \
        shaky = false;                                                                             \
    }

BOTH (a_reservation_is_created_reserved_and_over)
BOTH (the_old_slot_stays_until_the_commit_and_after_an_abort)
BOTH (what_is_not_committed_in_time_is_aborted_by_itself)
BOTH (a_command_waits_no_longer_than_its_window_lets_it)
BOTH (a_running_one_is_prolonged_grown_and_shrunk)
BOTH (the_second_of_two_hears_whose_command_is_in_the_way)
BOTH (who_does_not_own_it_is_denied)
BOTH (one_request_id_has_one_answer)
BOTH (a_refusal_is_told_again_when_there_is_room_meanwhile)
BOTH (ids_are_forgotten_after_a_day_and_what_was_created_with_its_wait)
BOTH (what_a_planner_made_of_one_need_here_alone_is_changed)
BOTH (what_has_other_parts_is_left_to_planners)
BOTH (what_cannot_be_had_is_refused_in_words)
BOTH (a_planners_command_is_not_decided_here)
BOTH (what_was_refused_at_its_edge_has_failed)

/*  --- limits, damaged bytes --- */

static void each_limit_is_refused_with_its_number (void **state)
{
    (void) state;
    service_world_t w;
    char r [NAME_BYTES_MAX + 1];
    prepare_world (&w);
    w.settings.plus.created_per_actor_max = 2;
    w.settings.plus.created_max = 3;
    start (&w);
    for (int i = 0; i < 2; i++)
        assert_int_equal (plus_create (&w, "alice", "", r), CALL_OK);
    assert_int_equal (plus_create (&w, "alice", "", r), CALL_OVERLOADED);
    assert_non_null (strstr (w.reason, "at most 3, and 2 of one actor"));
    assert_int_equal (plus_create (&w, "bob", "", r), CALL_OK);
    assert_int_equal (plus_create (&w, "bob", "", r), CALL_OVERLOADED);
    assert_non_null (strstr (w.reason, "of one actor"));
    pass (&w, 16 * MINUTE_MS);
    assert_int_equal (plus_create (&w, "alice", "", r), CALL_OK);
    close_world (&w);

    prepare_world (&w);
    w.settings.plus.asked_max = 2;
    w.settings.plus.list_max = 2;
    start (&w);
    plus_create (&w, "alice", "1", r);
    told_t told = plus_reserve (&w, "alice", "2", r, "thin", 10, 20, 1);
    assert_int_equal (told.state, PREPARED);
    plus_command (&w, "alice", "Commit", &told.command);
    assert_int_equal (plus_create (&w, "alice", "3", r), CALL_OVERLOADED);
    assert_non_null (strstr (w.reason, "request ids already"));
    assert_int_equal (plus_create (&w, "alice", "", r), CALL_OK);
    assert_int_equal (plus_reserve (&w, "alice", "3", r, "thin", 10, 20, 1).status,
                      CALL_OVERLOADED);

    /*  When the limit is reached, a further refusal is not kept, and the request may be granted
     *  later. */
    close_world (&w);
    prepare_world (&w);
    w.settings.plus.asked_max = 3;
    w.settings.plus.refused_max = 2;
    w.settings.plus.list_max = 2;
    start (&w);
    plus_create (&w, "alice", "1", r);
    assert_int_equal (plus_reserve (&w, "alice", "no1", r, "thin", 10, 20, 9).state, ABORTED);
    assert_int_equal (plus_modify (&w, "alice", "no2", r, 0, 30, 0).status, CALL_NOT_FOUND);
    restart (&w);
    told = plus_reserve (&w, "alice", "no3", r, "thin", 10, 20, 9);
    assert_int_equal (told.status, CALL_OVERLOADED);
    assert_non_null (strstr (told.reason, "as many refusals as it can"));
    assert_int_equal (plus_reserve (&w, "alice", "no1", r, "thin", 10, 20, 9).state, ABORTED);
    told = plus_reserve (&w, "alice", "no3", r, "thin", 10, 20, 1);
    assert_int_equal (told.state, PREPARED);
    plus_command (&w, "alice", "Commit", &told.command);
    assert_int_equal (plus_create (&w, "alice", "", r), CALL_OK);

    /*  A page has a limit; created and booked reservations come in one order. */
    reserve (&w, "a-first", booking ("thin", 1, 1, 10, 20));
    reserve (&w, "z-last", booking ("thin", 1, 1, 10, 20));
    char after [NAME_BYTES_MAX + 1] = "";
    size_t seen = 0, pages = 0;
    for (bool more = true; more; pages++) {
        Musubi__PlusPropertiesAnswer *page = plus_properties (&w, "alice", "", after, 0);
        assert_true (page->n_reservations <= 2);
        for (size_t i = 0; i < page->n_reservations; i++, seen++) {
            assert_true (strcmp (after, page->reservations [i]->reservation) < 0);
            snprintf (after, sizeof after, "%s", page->reservations [i]->reservation);
        }
        more = page->more;
        message_free (&page->base);
    }
    assert_int_equal (seen, 4);
    assert_int_equal (pages, 2);
    assert_string_equal (after, "z-last");
    close_world (&w);
}

static void pages_go_on_where_nothing_was_shown (void **state)
{
    (void) state;
    service_world_t w;
    char r [NAME_BYTES_MAX + 1];
    char after [NAME_BYTES_MAX + 1] = "";
    prepare_world (&w);
    w.settings.plus.looks_max = 2;
    start (&w);
    for (char id [] = "a"; *id < 'f'; ++*id) /* alice's */
        reserve (&w, id, booking ("thin", 1, 1, 10, 20));
    assert_int_equal (plus_create (&w, "bob", "c", r), CALL_OK);
    size_t pages = 0, seen = 0;
    for (bool more = true; more; pages++) {
        Musubi__PlusPropertiesAnswer *page = plus_properties (&w, "bob", "", after, 0);
        for (size_t i = 0; i < page->n_reservations; i++, seen++)
            assert_string_equal (page->reservations [i]->reservation, r);
        more = page->more;
        assert_true (!more || strcmp (after, page->next) < 0);
        snprintf (after, sizeof after, "%s", page->next);
        message_free (&page->base);
    }
    assert_int_equal (seen, 1);
    assert_int_equal (pages, 3);
    close_world (&w);
}

static void damaged_requests_and_records_do_no_harm (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    char r [NAME_BYTES_MAX + 1];
    plus_booked (&w, r, "a", 10, 20, 1);
    Musubi__PlusReserveRequest reserve_ = MUSUBI__PLUS_RESERVE_REQUEST__INIT;
    reserve_.reservation = r;
    reserve_.from_ms = at (30);
    reserve_.until_ms = at (40);
    reserve_.quantity = 1;
    ask_damaged (&w, "alice", "Reservation", "Reserve", &reserve_.base);
    Musubi__PlusModifyRequest modify = MUSUBI__PLUS_MODIFY_REQUEST__INIT;
    modify.reservation = r;
    modify.until_ms = at (25);
    modify.quantity = 2;
    ask_damaged (&w, "alice", "Reservation", "Modify", &modify.base);
    Musubi__PlusPropertiesRequest properties = MUSUBI__PLUS_PROPERTIES_REQUEST__INIT;
    properties.reservation = r;
    properties.most = 2;
    ask_damaged (&w, "alice", "Reservation", "Properties", &properties.base);

    static const char *const keys [] = {"", "c", "q", "cr-1", "qalice", "x"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        effect_t put = {.kind = EFFECT_PUT,
                        .record = {.table = TABLE_PLUS,
                                   .key = {(const uint8_t *) keys [i], strlen (keys [i])},
                                   .value = {(const uint8_t *) "\xff\xff", 2}}};
        record_put (&w, &put);
    }
    restart (&w);
    assert_int_equal (plus_state (&w, r), MUSUBI__RESERVATION_STATE__RESERVED);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_reservation_is_created_reserved_and_over_),
      cmocka_unit_test (the_old_slot_stays_until_the_commit_and_after_an_abort_),
      cmocka_unit_test (what_is_not_committed_in_time_is_aborted_by_itself_),
      cmocka_unit_test (a_command_waits_no_longer_than_its_window_lets_it_),
      cmocka_unit_test (a_running_one_is_prolonged_grown_and_shrunk_),
      cmocka_unit_test (the_second_of_two_hears_whose_command_is_in_the_way_),
      cmocka_unit_test (who_does_not_own_it_is_denied_),
      cmocka_unit_test (one_request_id_has_one_answer_),
      cmocka_unit_test (a_refusal_is_told_again_when_there_is_room_meanwhile_),
      cmocka_unit_test (ids_are_forgotten_after_a_day_and_what_was_created_with_its_wait_),
      cmocka_unit_test (what_a_planner_made_of_one_need_here_alone_is_changed_),
      cmocka_unit_test (what_has_other_parts_is_left_to_planners_),
      cmocka_unit_test (what_cannot_be_had_is_refused_in_words_),
      cmocka_unit_test (a_planners_command_is_not_decided_here_),
      cmocka_unit_test (what_was_refused_at_its_edge_has_failed_),
      cmocka_unit_test (each_limit_is_refused_with_its_number),
      cmocka_unit_test (pages_go_on_where_nothing_was_shown),
      cmocka_unit_test (damaged_requests_and_records_do_no_harm),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
