/*  The ledger: a row for each change, in the change's own write, numbered and chained; told to
 *  administrators alone (T14, R19).
 */
#include "ledger_judge.h"
#include "member.h"

#include "ledger.pb-c.h"
#include "message.h"

#include <sodium.h>

/*  A row of the rig, decoded; the caller ends it. */
static Musubi__LedgerRow *row_at (const participant_rig_t *rig, size_t at)
{
    assert_true (at < rig->rows.count);
    const host_in_memory_kept_t *kept = &rig->rows.list [at];
    ProtobufCMessage *row = message_unpack (&musubi__ledger_row__descriptor,
                                            (bytes_t){kept->value.data, kept->value.size});
    assert_non_null (row);
    return (Musubi__LedgerRow *) row;
}

static Musubi__LedgerRow *last_row (const participant_rig_t *rig)
{
    return row_at (rig, rig->rows.count - 1);
}

static void row_free (Musubi__LedgerRow *row)
{
    message_free (&row->base);
}

static void digest_of (const participant_rig_t *rig, size_t at,
                       uint8_t digest [LEDGER_DIGEST_BYTES])
{
    const host_in_memory_kept_t *kept = &rig->rows.list [at];
    crypto_generichash (digest, LEDGER_DIGEST_BYTES, kept->value.data, kept->value.size, NULL, 0);
}

static void assert_chained (const participant_rig_t *rig)
{
    uint8_t before [LEDGER_DIGEST_BYTES] = {0};
    for (size_t i = 0; i < rig->rows.count; i++) {
        Musubi__LedgerRow *row = row_at (rig, i);
        assert_int_equal (row->number, i + 1);
        assert_int_equal (
          ledger_number ((bytes_t){rig->rows.list [i].key.data, rig->rows.list [i].key.size}),
          i + 1);
        assert_int_equal (row->before.len, sizeof before);
        assert_memory_equal (row->before.data, before, sizeof before);
        digest_of (rig, i, before);
        row_free (row);
    }
    assert_int_equal (ledger_last (ledger_of (rig->service)), rig->rows.count);
    assert_memory_equal (ledger_digest (ledger_of (rig->service)), before, sizeof before);
}

static void each_start_says_what_there_is (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (12);
    rig_restart (rig, 500);
    assert_int_equal (rig->rows.count, 2);
    Musubi__LedgerRow *row = last_row (rig);
    assert_int_equal (row->kind, MUSUBI__LEDGER_KIND__ROW_STARTED);
    assert_int_equal (row->start, 2);
    assert_int_equal (row->wall_ms, rig->host.now.wall_ms);
    assert_string_equal (row->caller, "");
    assert_int_equal (row->n_quantities, 1);
    assert_string_equal (row->quantities [0]->resource, "thin");
    assert_int_equal (row->quantities [0]->quantity, 12);
    row_free (row);
    rig_destroy (rig);
}

static void rows_are_numbered_and_chained_across_restarts (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    for (uint64_t i = 1; i <= 3; i++) {
        char id [8];
        snprintf (id, sizeof id, "r%d", (int) i);
        rig_reserve (rig, i, id, 2, 1, 2);
        assert_chained (rig);
        rig_restart (rig, 10);
        assert_chained (rig);
    }
    assert_int_equal (rig->rows.count, 4 + 3 * 2);
    rig_destroy (rig);
}

static void a_row_is_in_the_same_step_as_its_change_and_before_the_answer (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2);
    packed_t body = codec_encode (&hold_codec, &hold);
    codec_clear (&hold_codec, &hold);
    service_step (rig->service, &rig->host.now,
                  &(event_t){.kind = EVENT_REQUEST,
                             .request = {.service = "Participant",
                                         .method = "Hold",
                                         .actor = PLANNER,
                                         .request_id = "",
                                         .body = {body.data, body.size},
                                         .reply_to = 1}});
    size_t changes = 0;
    size_t rows = 0;
    size_t replies = 0;
    effect_t effect;
    while (service_next (rig->service, &effect)) {
        bool put = effect.kind == EFFECT_PUT;
        changes += put && effect.record.table == TABLE_COMMANDS;
        rows += put && effect.record.table == TABLE_LEDGER;
        replies += effect.kind == EFFECT_REPLY;
        assert_true (!put || replies == 0);
    }
    assert_int_equal (changes, 1);
    assert_int_equal (rows, 1);
    assert_int_equal (replies, 1);
    free (body.data);
    rig_destroy (rig);
}

static void a_row_says_who_moved_what_from_where_to_where (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2));
    Musubi__LedgerRow *row = last_row (rig);
    assert_int_equal (row->kind, MUSUBI__LEDGER_KIND__ROW_MOVED);
    assert_string_equal (row->caller, PLANNER);
    assert_int_equal (row->txid->counter, 1);
    assert_int_equal (row->from, MUSUBI__COMMAND_STATE__UNKNOWN);
    assert_int_equal (row->to, MUSUBI__COMMAND_STATE__PREPARED);
    assert_string_equal (row->event, "prepare");
    assert_string_equal (row->reservation, "r1");
    assert_int_equal (row->old_version, 0);
    assert_int_equal (row->new_version, 0);
    assert_true (row->command->plan.len > 0);
    assert_true (row->command->part.len > 0);
    row_free (row);

    rig_verb (rig, "Commit", 1);
    row = last_row (rig);
    assert_int_equal (row->from, MUSUBI__COMMAND_STATE__PREPARED);
    assert_int_equal (row->to, MUSUBI__COMMAND_STATE__COMMITTED);
    assert_string_equal (row->event, "commit");
    assert_int_equal (row->old_version, 0);
    assert_int_equal (row->new_version, 1);
    assert_int_equal (row->command->plan.len, 0); /* as before */
    assert_int_equal (row->command->part.len, 0);
    row_free (row);
    rig_destroy (rig);
}

static void what_time_does_names_no_caller (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2);
    hold.prepare = false;
    hold.ttl_ms = 1000;
    rig_hold (rig, hold);
    rig->host.now.mono_ms += 2000;
    rig->host.now.wall_ms += 2000;
    rig_verb (rig, "Resolve", 1); /* the message finds it expired */
    Musubi__LedgerRow *row = last_row (rig);
    assert_int_equal (row->to, MUSUBI__COMMAND_STATE__EXPIRED);
    assert_string_equal (row->caller, "");
    assert_string_equal (row->event, "ttl");
    row_free (row);
    rig_destroy (rig);
}

static void what_changes_within_a_state_has_its_row (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2);
    hold.prepare = false;
    hold.ttl_ms = 5000;
    rig_hold (rig, hold);
    rig->host.now.mono_ms += 1000;
    rig->host.now.wall_ms += 1000;
    rig_verb (rig, "Renew", 1);
    Musubi__LedgerRow *row = last_row (rig);
    assert_string_equal (row->event, "renew");
    assert_int_equal (row->from, MUSUBI__COMMAND_STATE__HELD);
    assert_int_equal (row->to, MUSUBI__COMMAND_STATE__HELD);
    assert_int_equal (row->command->expires_ms, rig->host.now.wall_ms + rig->limits.hold_ttl_ms);
    row_free (row);

    rig_verb (rig, "Prepare", 1);
    txid_t txid = txid_numbered (1);
    rig_request (rig, OTHER_PLANNER, "Fence",
                 codec_encode (&fence_request_codec,
                               &(fence_request_t){txid, 3, rig->host.now.wall_ms + 1000}));
    row = last_row (rig);
    assert_string_equal (row->event, "fence");
    assert_string_equal (row->caller, OTHER_PLANNER);
    assert_int_equal (row->command->epoch, 3);
    row_free (row);
    judge_rig (rig);
    rig_destroy (rig);
}

static void all_acknowledged_has_its_row_when_it_is_stored (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    size_t before = rig->rows.count;
    txid_t txid = txid_numbered (1);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    assert_int_equal (rig->rows.count, before);
    rig_pass (rig, 10000);
    Musubi__LedgerRow *row = last_row (rig);
    assert_string_equal (row->event, "done");
    assert_true (row->command->done);
    row_free (row);
    judge_rig (rig);
    rig_destroy (rig);
}

static void what_changes_when_all_is_over_has_its_row (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (4);
    txid_t unknown = txid_numbered (7);
    rig_request (rig, PLANNER, "Fence",
                 codec_encode (&fence_request_codec,
                               &(fence_request_t){unknown, 1, rig->host.now.wall_ms + 1000}));
    Musubi__LedgerRow *row = last_row (rig);
    assert_string_equal (row->event, "fence");
    assert_int_equal (row->from, MUSUBI__COMMAND_STATE__ABORTED);
    row_free (row);

    /* past its edge, and another reservation has the window */
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 4, 1, 5));
    rig_pass (rig, 2 * HOUR_MS);
    rig_forget_calls (rig);
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 4, 3, 5));
    rig_verb (rig, "Commit", 1);
    assert_int_equal (rig_state (rig, 1), COMMAND_EDGE_REFUSED);
    txid_t txid = txid_numbered (1);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    rig_verb (rig, "Commit", 2); /* the mark travels with this write */
    row = last_row (rig);
    assert_string_equal (row->event, "done");
    assert_int_equal (row->from, MUSUBI__COMMAND_STATE__EDGE_REFUSED);
    row_free (row);
    judge_rig (rig);
    rig_destroy (rig);
}

static void what_was_pruned_is_told (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    rig->limits.retention_ms = HOUR_MS;
    rig_restart (rig, 10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    txid_t txid = txid_numbered (1);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    size_t before = rig->rows.count;
    for (int i = 0; i < 24; i++)
        rig_pass (rig, HOUR_MS / 4);
    assert_int_equal (rig->host.records.count, 0);
    size_t commands = 0;
    size_t reservations = 0;
    for (size_t i = before; i < rig->rows.count; i++) {
        Musubi__LedgerRow *row = row_at (rig, i);
        commands += row->kind == MUSUBI__LEDGER_KIND__ROW_PRUNED_COMMAND && row->txid->counter == 1;
        reservations += row->kind == MUSUBI__LEDGER_KIND__ROW_PRUNED_RESERVATION &&
                        strcmp (row->reservation, "r1") == 0;
        row_free (row);
    }
    assert_int_equal (commands, 1);
    assert_int_equal (reservations, 1);
    judge_rig (rig);
    rig_destroy (rig);
}

static void a_damaged_last_row_keeps_its_number_and_breaks_the_chain_in_sight (void **state)
{
    (void) state;
    static const uint8_t zeros [LEDGER_DIGEST_BYTES];
    participant_rig_t *rig = rig_started (20);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    uint64_t last = ledger_last (ledger_of (rig->service));
    size_t alarms = rig->alarms;
    rig_stop (rig);
    /* as a store shows it: the last sound row, then what is damaged behind it */
    rig->service = member_new ("lis/ams", NULL, 0);
    rig->participant = participant_new (rig->service, &rig->resource, &rig->limits, &rig->access);
    rig->host.core = service_as_core (rig->service);
    memory_host_recall (&rig->host, &rig->rows.list [rig->rows.count - 2], rig_step);
    host_in_memory_kept_t *damaged = &rig->rows.list [rig->rows.count - 1];
    damaged->value.data [0] = RECORD_DAMAGED.data [0];
    damaged->value.size = RECORD_DAMAGED.size;
    memory_host_recall (&rig->host, damaged, rig_step);
    assert_int_equal (ledger_last (ledger_of (rig->service)), last);
    assert_int_equal (rig->alarms, alarms + 1);
    rig_step (rig, &(event_t){.kind = EVENT_START, .start = {.store = rig->host.store}});
    Musubi__LedgerRow *row = last_row (rig);
    assert_int_equal (row->number, last + 1);
    assert_int_equal (row->before.len, sizeof zeros);
    assert_memory_equal (row->before.data, zeros, sizeof zeros);
    row_free (row);
    rig_destroy (rig);
}

/*  --- Ledger.Rows --- */

static void ask_rows (participant_rig_t *rig, const char *actor, uint64_t from, uint32_t most)
{
    Musubi__RowsRequest request = MUSUBI__ROWS_REQUEST__INIT;
    request.from = from;
    request.most = most;
    size_t size;
    uint8_t *body = message_pack (&request.base, &size);
    rig_step (rig, &(event_t){.kind = EVENT_REQUEST,
                              .request = {.service = "Ledger",
                                          .method = "Rows",
                                          .actor = actor,
                                          .request_id = "",
                                          .body = {body, size},
                                          .reply_to = 1}});
    free (body);
    assert_true (rig->replied);
}

static Musubi__RowsAnswer *rows_answer (const participant_rig_t *rig)
{
    assert_int_equal (rig->status, CALL_OK);
    ProtobufCMessage *answer = message_unpack (&musubi__rows_answer__descriptor,
                                               (bytes_t){rig->reply.data, rig->reply.size});
    assert_non_null (answer);
    return (Musubi__RowsAnswer *) answer;
}

static void rows_are_told_to_administrators_alone (void **state)
{
    (void) state;
    static const char *const others [] = {"alice", "", PLANNER, "lis/tyo"};
    participant_rig_t *rig = rig_started (20);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ask_rows (rig, others [i], 0, 0);
        assert_int_equal (rig->status, CALL_DENIED);
    }
    ask_rows (rig, "root", 0, 0);
    assert_int_equal (rig->status, CALL_OK);
    rig_destroy (rig);
}

static void rows_come_page_by_page_as_they_were_stored (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig_reserve (rig, 2, "r2", 2, 1, 2);
    assert_int_equal (rig->rows.count, 5);
    size_t told = 0;
    for (bool more = true; more;) {
        ask_rows (rig, "root", told + 1, 2);
        Musubi__RowsAnswer *answer = rows_answer (rig);
        assert_int_equal (answer->last, 5);
        assert_true (answer->n_rows > 0 && answer->n_rows <= 2);
        for (size_t i = 0; i < answer->n_rows; i++, told++) {
            assert_int_equal (answer->rows [i].len, rig->rows.list [told].value.size);
            assert_memory_equal (answer->rows [i].data, rig->rows.list [told].value.data,
                                 answer->rows [i].len);
        }
        more = answer->more;
        message_free (&answer->base);
    }
    assert_int_equal (told, 5);
    rig_destroy (rig);
}

static void a_question_that_is_none_is_refused (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    static const uint8_t body [] = {0x08}; /* a field without its value */
    rig_step (rig, &(event_t){.kind = EVENT_REQUEST,
                              .request = {.service = "Ledger",
                                          .method = "Rows",
                                          .actor = "root",
                                          .request_id = "",
                                          .body = {body, sizeof body},
                                          .reply_to = 1}});
    assert_int_equal (rig->status, CALL_BAD_REQUEST);
    rig_destroy (rig);
}

/*  --- the cut --- */

/*  Reservations whose windows are soon over and that everybody has acknowledged. */
static void live_and_forget (participant_rig_t *rig, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        char id [16];
        int64_t hours = (rig->host.now.wall_ms - WALL_MS) / HOUR_MS;
        snprintf (id, sizeof id, "old%d", (int) i);
        rig_reserve (rig, i, id, 2, hours + 1, hours + 2);
        txid_t txid = txid_numbered (i);
        rig_request (rig, PLANNER, "Done",
                     codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    }
}

static void pass_hours (participant_rig_t *rig, int hours)
{
    for (int i = 0; i < 4 * hours; i++) {
        rig_pass (rig, HOUR_MS / 4);
        rig_forget_calls (rig);
    }
}

static participant_rig_t *rig_cutting (int64_t retention_ms)
{
    participant_rig_t *rig = rig_new (100);
    rig->limits.retention_ms = HOUR_MS;
    rig->limits.ledger.retention_ms = retention_ms;
    rig_boot (rig);
    return rig;
}

static uint64_t first_number (const participant_rig_t *rig)
{
    return ledger_number ((bytes_t){rig->rows.list [0].key.data, rig->rows.list [0].key.size});
}

static void old_rows_that_nothing_needs_leave_from_the_front (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_cutting (48 * HOUR_MS);
    live_and_forget (rig, 1, 10);
    pass_hours (rig, 47);
    assert_int_equal (rig->host.records.count, 0);
    assert_int_equal (first_number (rig), 1); /* nothing before its time */
    uint64_t before = ledger_last (ledger_of (rig->service));
    pass_hours (rig, 10);
    assert_true (first_number (rig) > 1);
    assert_true (ledger_last (ledger_of (rig->service)) > before);
    assert_int_equal (first_number (rig) + rig->rows.count - 1,
                      ledger_last (ledger_of (rig->service)));
    Musubi__LedgerRow *row = last_row (rig);
    assert_int_equal (row->kind, MUSUBI__LEDGER_KIND__ROW_CUT);
    assert_int_equal (row->kept_from, first_number (rig));
    assert_int_equal (row->n_quantities, 1); /* the rows of the start were deleted */
    assert_int_equal (row->quantities [0]->quantity, 100);
    row_free (row);
    rig_reserve (rig, 11, "new", 2, 100, 101);
    judge_rig (rig);
    rig_restart (rig, 10);
    rig_reserve (rig, 12, "newer", 2, 100, 101);
    judge_rig (rig);
    rig_destroy (rig);
}

static void the_first_row_that_is_needed_keeps_all_behind_it (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_cutting (48 * HOUR_MS);
    live_and_forget (rig, 1, 10);
    rig_pass (rig, 10000); /* the last mark of done is stored, too */
    uint64_t needed = ledger_last (ledger_of (rig->service)) + 1;
    rig_reserve (rig, 11, "far", 2, 200, 201);
    live_and_forget (rig, 12, 10);
    for (int restarts = 0; restarts < 2; restarts++) {
        pass_hours (rig, 75);
        assert_true (first_number (rig) > 1 && first_number (rig) <= needed);
        judge_rig (rig);
        rig_restart (rig, 10);
    }
    txid_t txid = txid_numbered (11);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    pass_hours (rig, 120);
    assert_int_equal (rig->host.records.count, 0);
    assert_true (first_number (rig) > needed);
    rig_destroy (rig);
}

static void a_few_rows_are_not_worth_a_cut (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_cutting (48 * HOUR_MS);
    pass_hours (rig, 200);
    assert_int_equal (rig->rows.count, 1); /* and not one more for each look */
    rig_destroy (rig);
}

static void rows_leave_early_when_the_store_is_nearly_full_and_it_is_told (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_cutting (MS_YEAR);
    live_and_forget (rig, 1, 10);
    rig_reserve (rig, 11, "stands", 2, 200, 201);
    pass_hours (rig, 20);
    assert_int_equal (first_number (rig), 1);
    size_t alarms = rig->alarms;
    rig->host.now.store_free_bytes = rig->host.now.store_bytes / LEDGER_ROOM_PARTS - 1;
    pass_hours (rig, 1);
    assert_true (first_number (rig) > 1);
    assert_int_equal (rig->alarms, alarms + 1);
    judge_rig (rig); /* all that is still booked is in the rest */
    rig_destroy (rig);
}

static void nothing_is_cut_while_a_record_cannot_be_read (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_cutting (48 * HOUR_MS);
    live_and_forget (rig, 1, 10);
    rig_reserve (rig, 11, "far", 2, 200, 201);
    size_t damaged = 0;
    for (size_t i = 0; i < rig->host.records.count; i++) {
        if (rig->host.records.list [i].table == TABLE_RESERVATIONS &&
            rig->host.records.list [i].key.size == 3) {
            rig->host.records.list [i].value.data [0] = RECORD_DAMAGED.data [0];
            rig->host.records.list [i].value.size = RECORD_DAMAGED.size;
            damaged++;
        }
    }
    assert_int_equal (damaged, 1);
    rig_restart (rig, 10);
    pass_hours (rig, 100);
    assert_int_equal (first_number (rig), 1);
    rig_destroy (rig);
}

/*  --- segments --- */

enum { SEGMENT = 20 }; /* rows in one, for these tests */

/*  So many rows that the first ones are to be exported. */
static participant_rig_t *rig_exporting (void)
{
    participant_rig_t *rig = rig_new (100);
    rig->limits.ledger.segment_rows = SEGMENT;
    rig->segments = 1;
    rig_boot (rig);
    for (uint64_t i = 1; rig->work == 0; i++) {
        char id [16];
        assert_true (rig->rows.count <= 2 * SEGMENT + 4);
        snprintf (id, sizeof id, "stands%d", (int) i);
        rig_reserve (rig, i, id, 2, 200, 201);
        rig_pass (rig, 1);
    }
    return rig;
}

static uint64_t order_rows (const participant_rig_t *rig)
{
    bytes_t rows = {rig->order.data + SEGMENT_ORDER_BYTES, rig->order.size - SEGMENT_ORDER_BYTES};
    uint64_t count = 0;
    for (row_t row; segment_take (&rows, &row);)
        count++;
    return count;
}

static void rows_leave_the_store_for_a_segment_whatever_stands (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_exporting ();
    assert_int_equal (order_rows (rig), SEGMENT);
    assert_int_equal (first_number (rig), 1); /* until it has ended */
    rig_end_work (rig, true);
    assert_int_equal (first_number (rig), SEGMENT + 1);
    assert_int_equal (rig->exported.count, SEGMENT);
    Musubi__LedgerRow *row = last_row (rig);
    assert_int_equal (row->kind, MUSUBI__LEDGER_KIND__ROW_EXPORTED);
    assert_int_equal (row->exported_from, 1);
    assert_int_equal (row->kept_from, SEGMENT + 1);
    row_free (row);
    judge_rig (rig);
    rig_restart (rig, 10);
    judge_rig (rig);
    rig_destroy (rig);
}

static void rows_stay_while_there_is_no_segment (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_exporting ();
    rig_end_work (rig, false);
    assert_int_equal (first_number (rig), 1);
    rig_pass (rig, 1000);
    assert_int_equal (rig->work, 0); /* not at once again */
    rig_reserve (rig, 100, "more", 2, 200, 201);
    assert_int_equal (rig->work, 0);
    rig_pass (rig, HOUR_MS);
    assert_int_equal (order_rows (rig), SEGMENT);
    rig_end_work (rig, true);
    assert_int_equal (first_number (rig), SEGMENT + 1);
    judge_rig (rig);
    rig_destroy (rig);
}

/*  The segment is there, and its process never heard of it: it is made once more. */
static void a_death_before_the_end_is_heard_harms_nothing (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_exporting ();
    rig_export (rig);
    rig_restart (rig, 10);
    judge_rig (rig);
    rig_pass (rig, HOUR_MS);
    assert_int_equal (order_rows (rig), SEGMENT);
    rig_end_work (rig, true);
    assert_int_equal (first_number (rig), SEGMENT + 1);
    assert_int_equal (rig->exported.count, SEGMENT);
    judge_rig (rig);
    rig_destroy (rig);
}

/*  Hours pass, and what is ordered is done. */
static void pass_working (participant_rig_t *rig, int hours)
{
    for (int i = 0; i < 60 * hours; i++) {
        rig_pass (rig, HOUR_MS / 60);
        rig_forget_calls (rig);
        if (rig->work > 0)
            rig_end_work (rig, true);
    }
}

static void old_segments_that_nothing_needs_leave (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_new (100);
    rig->limits.retention_ms = HOUR_MS;
    rig->limits.ledger.retention_ms = 48 * HOUR_MS;
    rig->limits.ledger.segment_rows = SEGMENT;
    rig->segments = 1;
    rig_boot (rig);
    live_and_forget (rig, 1, 20);
    pass_working (rig, 40);
    assert_true (rig->exported.count >= SEGMENT);
    judge_rig (rig);
    rig_restart (rig, 10); /* it does not know then how far it had come */
    pass_working (rig, 60);
    assert_int_equal (rig->exported.count, 0);
    judge_rig (rig);
    rig_destroy (rig);
}

/*  A look sees no further than to the end of a segment. */
static void the_last_rows_of_a_segment_leave_though_they_are_few (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_new (100);
    rig->limits.retention_ms = HOUR_MS;
    rig->limits.ledger.retention_ms = 48 * HOUR_MS;
    rig->limits.ledger.segment_rows = SEGMENT;
    rig->segments = 1;
    rig_boot (rig);
    uint64_t made = 0;
    while (ledger_last (ledger_of (rig->service)) < SEGMENT - 4)
        live_and_forget (rig, ++made, 1);
    assert_true (ledger_last (ledger_of (rig->service)) < SEGMENT);
    rig_pass (rig, HOUR_MS / 4); /* so much later, the rest of the first segment */
    live_and_forget (rig, made + 1, 20);
    pass_working (rig, 47);
    assert_true (rig->exported.count >= SEGMENT);
    pass_working (rig, 12);
    assert_int_equal (rig->exported.count, 0);
    judge_rig (rig);
    rig_destroy (rig);
}

static void segments_that_take_too_much_leave_whatever_stands_and_it_is_told (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_exporting ();
    rig_end_work (rig, true);
    size_t alarms = rig->alarms;
    pass_working (rig, 2);
    assert_int_equal (rig->exported.count, SEGMENT);
    assert_int_equal (rig->alarms, alarms);
    rig->limits.ledger.segments_bytes = 1000;
    rig->segments = 1001;
    rig_restart (rig, 10);
    pass_working (rig, 2);
    assert_int_equal (rig->exported.count, 0);
    assert_int_equal (rig->alarms, alarms + 1);
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (each_start_says_what_there_is),
      cmocka_unit_test (rows_are_numbered_and_chained_across_restarts),
      cmocka_unit_test (a_row_is_in_the_same_step_as_its_change_and_before_the_answer),
      cmocka_unit_test (a_row_says_who_moved_what_from_where_to_where),
      cmocka_unit_test (what_time_does_names_no_caller),
      cmocka_unit_test (what_changes_within_a_state_has_its_row),
      cmocka_unit_test (all_acknowledged_has_its_row_when_it_is_stored),
      cmocka_unit_test (what_changes_when_all_is_over_has_its_row),
      cmocka_unit_test (what_was_pruned_is_told),
      cmocka_unit_test (a_damaged_last_row_keeps_its_number_and_breaks_the_chain_in_sight),
      cmocka_unit_test (rows_are_told_to_administrators_alone),
      cmocka_unit_test (rows_come_page_by_page_as_they_were_stored),
      cmocka_unit_test (a_question_that_is_none_is_refused),
      cmocka_unit_test (old_rows_that_nothing_needs_leave_from_the_front),
      cmocka_unit_test (the_first_row_that_is_needed_keeps_all_behind_it),
      cmocka_unit_test (a_few_rows_are_not_worth_a_cut),
      cmocka_unit_test (rows_leave_early_when_the_store_is_nearly_full_and_it_is_told),
      cmocka_unit_test (nothing_is_cut_while_a_record_cannot_be_read),
      cmocka_unit_test (rows_leave_the_store_for_a_segment_whatever_stands),
      cmocka_unit_test (rows_stay_while_there_is_no_segment),
      cmocka_unit_test (a_death_before_the_end_is_heard_harms_nothing),
      cmocka_unit_test (old_segments_that_nothing_needs_leave),
      cmocka_unit_test (the_last_rows_of_a_segment_leave_though_they_are_few),
      cmocka_unit_test (segments_that_take_too_much_leave_whatever_stands_and_it_is_told),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
