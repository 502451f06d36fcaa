/*  coordinator - the rules of a decision (T1, T4 to T6, T10), with scripted participants:
 *  the test is the host, and sees every effect in its order.
 */
#include "coordinator.h"
#include "host_in_memory.h"
#include "member.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define WALL_MS     INT64_C (1790000000000)
#define MONO_MS     INT64_C (5000)
#define PARTIES     3
#define EFFECTS_MAX 64
#define VALUE_MAX   1024
#define HOUR_MS     INT64_C (3600000)
#define STORED_MS   1000 /* within this what is over is stored */

typedef struct {
    effect_kind_t kind;
    uint64_t number; /* of a call, or reply_to */
    char what [64];  /* method, or endpoint of a call */
    char peer [64];
    size_t decisions;          /* in the store by then */
    uint8_t value [VALUE_MAX]; /* the body of a call or a reply */
    size_t size;
} seen_t;

typedef struct {
    memory_host_t host;
    coordinator_t *coordinator;
    planner_settings_t settings;
    seen_t seen [EFFECTS_MAX];
    size_t seen_count;
    size_t puts; /* before this step */
    unsigned told;
    decision_end_t told_end;
    unsigned repairs;
} coordinator_bench_t;

static void clear_seen (coordinator_bench_t *bench)
{
    bench->seen_count = 0;
    bench->puts = bench->host.puts;
}

static size_t count_puts (const coordinator_bench_t *bench)
{
    return bench->host.puts - bench->puts;
}

static size_t decisions_stored (const records_t *records)
{
    size_t count = 0;
    for (size_t i = 0; i < records->count; i++)
        count += records->list [i].key.size == TXID_BYTES;
    return count;
}

static void see (void *owner, const effect_t *effect)
{
    coordinator_bench_t *bench = owner;
    bytes_t value = {0};
    if (effect->kind != EFFECT_CALL && effect->kind != EFFECT_REPLY)
        return;
    assert (bench->seen_count < EFFECTS_MAX);
    seen_t *seen = &bench->seen [bench->seen_count++];
    *seen = (seen_t){.kind = effect->kind, .decisions = decisions_stored (&bench->host.records)};
    if (effect->kind == EFFECT_CALL) {
        seen->number = effect->call.call;
        snprintf (seen->what, sizeof seen->what, "%s", effect->call.method);
        snprintf (seen->peer, sizeof seen->peer, "%s", effect->call.endpoint);
        value = effect->call.body;
    } else {
        seen->number = effect->reply.reply_to;
        value = effect->reply.body;
    }
    assert (value.size <= VALUE_MAX);
    seen->size = value.size;
    if (value.size)
        memcpy (seen->value, value.data, value.size);
}

static void step (void *owner, const event_t *event)
{
    coordinator_bench_t *bench = owner;
    clear_seen (bench);
    memory_host_step (&bench->host, event);
}

static void pass (coordinator_bench_t *bench, int64_t ms)
{
    memory_host_turn (&bench->host, bench->host.now.mono_ms + ms);
    step (bench, &(event_t){.kind = EVENT_TIMER});
}

static void on_repair (void *owner, const moment_t *now, const decision_record_t *record)
{
    (void) now;
    (void) record;
    ((coordinator_bench_t *) owner)->repairs++;
}

static void start (coordinator_bench_t *bench)
{
    service_t *service = member_new ("planner/p", NULL, 0);
    bench->host.core = service_as_core (service);
    bench->coordinator = coordinator_new (service, &bench->settings);
    coordinator_repairer (bench->coordinator, on_repair, bench);
    memory_host_boot (&bench->host, NULL, "", step);
}

static void stop (coordinator_bench_t *bench)
{
    coordinator_destroy (&bench->coordinator);
    bench->host.core.destroy (bench->host.core.self);
}

static void begin (coordinator_bench_t *bench)
{
    *bench =
      (coordinator_bench_t){.host = memory_host (WALL_MS, MONO_MS, see, bench),
                            .settings = SETTINGS_PRESET (planner_settings_t, &planner_table)};
    memset (bench->host.store.id, 7, STORE_ID_BYTES);
    start (bench);
}

static void end (coordinator_bench_t *bench)
{
    stop (bench);
    memory_host_forget_reads (&bench->host);
    records_clear (&bench->host.records);
}

static void on_told (void *owner, const moment_t *now, decision_end_t end, const char *text)
{
    (void) now;
    (void) text;
    coordinator_bench_t *bench = owner;
    bench->told++;
    bench->told_end = end;
}

static plan_t plan_of (coordinator_bench_t *bench, const txid_t *txid, operation_t operation)
{
    plan_t plan = {.txid = *txid,
                   .operation = operation,
                   .base_version = operation == OPERATION_RESERVE ? 0 : 1,
                   .reservation = "r-1",
                   .actor = "alice",
                   .coordinator = {.name = "planner/p"},
                   .decide_by_ms = bench->host.now.wall_ms + 10000,
                   .edge_ms = bench->host.now.wall_ms + HOUR_MS,
                   .participants_count = PARTIES};
    memcpy (plan.coordinator.store, bench->host.store.id, STORE_ID_BYTES);
    plan.participants = calloc (PARTIES, sizeof *plan.participants);
    for (int i = 0; i < PARTIES; i++) {
        snprintf (plan.participants [i].name, NAME_BYTES_MAX, "lis/s%d", i);
        snprintf (plan.participants [i].endpoint, NAME_BYTES_MAX, "sim://s%d", i);
        memset (plan.participants [i].store, i + 1, STORE_ID_BYTES);
    }
    return plan;
}

/*  Begin and decide in one step; true when decided. */
static bool decide_plan (coordinator_bench_t *bench, plan_t *plan, int64_t mono_by_ms,
                         int64_t end_ms)
{
    clear_seen (bench);
    bool decided = coordinator_decide (bench->coordinator, &bench->host.now, plan, mono_by_ms,
                                       end_ms, NULL, on_told, bench);
    memory_host_drain (&bench->host);
    return decided;
}

static txid_t decide (coordinator_bench_t *bench, operation_t operation)
{
    txid_t txid = coordinator_begin (bench->coordinator);
    plan_t plan = plan_of (bench, &txid, operation);
    assert_true (decide_plan (bench, &plan, bench->host.now.mono_ms + 10000,
                              bench->host.now.wall_ms + 2 * HOUR_MS));
    codec_clear (&plan_codec, &plan);
    return txid;
}

static const seen_t *find_call (const coordinator_bench_t *bench, const char *method,
                                const char *peer)
{
    for (size_t i = 0; i < bench->seen_count; i++)
        if (bench->seen [i].kind == EFFECT_CALL && strcmp (bench->seen [i].what, method) == 0 &&
            strcmp (bench->seen [i].peer, peer) == 0)
            return &bench->seen [i];
    return NULL;
}

static size_t count_calls (const coordinator_bench_t *bench, const char *method)
{
    size_t count = 0;
    for (size_t i = 0; i < bench->seen_count; i++)
        count += bench->seen [i].kind == EFFECT_CALL && strcmp (bench->seen [i].what, method) == 0;
    return count;
}

/*  The commits of the last step, by participant. */
static void take_commits (const coordinator_bench_t *bench, uint64_t calls [PARTIES])
{
    for (int i = 0; i < PARTIES; i++) {
        char peer [32];
        snprintf (peer, sizeof peer, "sim://s%d", i);
        const seen_t *call = find_call (bench, "Commit", peer);
        assert_non_null (call);
        calls [i] = call->number;
    }
}

static void answer_state (coordinator_bench_t *bench, uint64_t call, const txid_t *txid,
                          command_state_t state)
{
    command_answer_t answer = {.txid = *txid, .state = state};
    packed_t packed = codec_encode (&command_answer_codec, &answer);
    step (bench, &(event_t){.kind = EVENT_ANSWER,
                            .answer = {.call = call,
                                       .reason = "",
                                       .body = {.data = packed.data, .size = packed.size}}});
    free (packed.data);
}

static void answer_none (coordinator_bench_t *bench, uint64_t call, call_status_t status)
{
    step (bench, &(event_t){.kind = EVENT_ANSWER,
                            .answer = {.call = call, .status = status, .reason = "no"}});
}

static outcome_t outcome_of (coordinator_bench_t *bench, const txid_t *txid, bool *done)
{
    packed_t body = codec_encode (&decision_request_codec, &(decision_request_t){*txid, 0});
    step (bench, &(event_t){.kind = EVENT_REQUEST,
                            .request = {.service = "Coordinator",
                                        .method = "Outcome",
                                        .actor = "lis/s0",
                                        .request_id = "",
                                        .body = {.data = body.data, .size = body.size},
                                        .reply_to = 99}});
    free (body.data);
    for (size_t i = 0; i < bench->seen_count; i++) {
        const seen_t *seen = &bench->seen [i];
        if (seen->kind != EFFECT_REPLY || seen->number != 99)
            continue;
        outcome_answer_t answer;
        char why [WHY_BYTES];
        assert_true (codec_decode (&outcome_answer_codec, &answer,
                                   (bytes_t){.data = seen->value, .size = seen->size}, why));
        assert_int_equal (txid_compare (&answer.txid, txid), 0);
        *done = answer.done;
        return answer.outcome;
    }
    fail ();
    return OUTCOME_LOST;
}

static void expect_outcome (coordinator_bench_t *bench, const txid_t *txid, outcome_t expected,
                            bool done)
{
    bool told_done = false;
    assert_int_equal (outcome_of (bench, txid, &told_done), expected);
    assert_int_equal (told_done, done);
}

/*  --- T1, T5 --- */

static void aborted_is_said_only_of_what_this_store_began_and_dropped (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    begin (&bench);
    txid_t txid = coordinator_begin (bench.coordinator);
    expect_outcome (&bench, &txid, OUTCOME_PENDING, false);
    coordinator_drop (bench.coordinator, &txid);
    expect_outcome (&bench, &txid, OUTCOME_ABORTED, false);
    txid_t other = coordinator_begin (bench.coordinator);
    assert_int_not_equal (txid_compare (&txid, &other), 0);
    coordinator_drop (bench.coordinator, &other);

    txid_t never = other;
    never.counter++; /* not given out yet */
    expect_outcome (&bench, &never, OUTCOME_LOST, false);
    never = other;
    never.start++;
    expect_outcome (&bench, &never, OUTCOME_LOST, false);
    never = other;
    never.store [0] ^= 1;
    expect_outcome (&bench, &never, OUTCOME_LOST, false);

    stop (&bench);
    start (&bench); /* of an earlier start, without a record */
    expect_outcome (&bench, &other, OUTCOME_ABORTED, false);
    end (&bench);
}

/*  --- T4 --- */

static void nothing_is_decided_when_it_is_too_late (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    begin (&bench);
    const struct {
        int64_t wall_step_ms, decide_by_ms, edge_ms, mono_by_ms;
    } late [] = {
      {0, 0, HOUR_MS, 10000},            /* decide_by is now */
      {11000, 10000, HOUR_MS, 10000},    /* the wall clock says so */
      {-HOUR_MS, 10000, HOUR_MS, 0},     /* stepped back: the monotonic one says so */
      {0, 10000, 900, 10000},            /* closer to the edge than the guard */
      {-HOUR_MS, -1000, HOUR_MS, 10000}, /* by the steady time it has passed */
    };
    for (size_t i = 0; i < sizeof late / sizeof late [0]; i++) {
        txid_t txid = coordinator_begin (bench.coordinator);
        plan_t plan = plan_of (&bench, &txid, OPERATION_RESERVE);
        plan.decide_by_ms = WALL_MS + late [i].decide_by_ms;
        plan.edge_ms = WALL_MS + late [i].edge_ms;
        bench.host.now.wall_ms = WALL_MS + late [i].wall_step_ms;
        size_t before = bench.host.records.count;
        assert_false (
          decide_plan (&bench, &plan, MONO_MS + late [i].mono_by_ms, WALL_MS + 2 * HOUR_MS));
        assert_int_equal (count_calls (&bench, "Commit"), 0);
        assert_true (bench.host.records.count <= before + 1); /* only the mark that it is busy */
        assert_int_equal (plan.participants_count, PARTIES);  /* still the caller's */
        codec_clear (&plan_codec, &plan);
        coordinator_drop (bench.coordinator, &txid);
        expect_outcome (&bench, &txid, OUTCOME_ABORTED, false);
    }
    end (&bench);
}

static void a_decision_is_put_before_any_commit_leaves (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_RESERVE);
    uint8_t key [TXID_BYTES];
    txid_pack (&txid, key);
    const seen_t *commit = find_call (&bench, "Commit", "sim://s0");
    assert_non_null (commit);
    assert_int_equal (commit->decisions, 1);
    assert_non_null (records_find (&bench.host.records, TABLE_DECISIONS,
                                   (bytes_t){.data = key, .size = TXID_BYTES}));
    expect_outcome (&bench, &txid, OUTCOME_COMMITTED, false);
    end (&bench);
}

/*  --- T6 --- */

static void told_once_all_have_acknowledged_and_done_goes_out_in_one_batch (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [2][PARTIES];
    begin (&bench);
    txid_t first = decide (&bench, OPERATION_RESERVE);
    take_commits (&bench, calls [0]);
    txid_t second = decide (&bench, OPERATION_RESERVE);
    take_commits (&bench, calls [1]);
    for (int i = 0; i < PARTIES; i++) {
        assert_int_equal (bench.told, 0);
        answer_state (&bench, calls [0][i], &first, COMMAND_COMMITTED);
    }
    assert_int_equal (bench.told, 1);
    expect_outcome (&bench, &first, OUTCOME_COMMITTED, true);
    for (int i = 0; i < PARTIES; i++)
        answer_state (&bench, calls [1][i], &second, COMMAND_COMMITTED);
    assert_int_equal (bench.told, 2);
    assert_int_equal (count_calls (&bench, "Done"), 0);
    pass (&bench, bench.settings.done_ms);
    assert_int_equal (count_calls (&bench, "Done"), PARTIES);
    const seen_t *done = find_call (&bench, "Done", "sim://s1");
    done_request_t told;
    char why [WHY_BYTES];
    assert_true (codec_decode (&done_request_codec, &told,
                               (bytes_t){.data = done->value, .size = done->size}, why));
    assert_int_equal (told.count, 2);
    free (told.txids);
    assert_int_equal (count_puts (&bench), 0);
    assert_false (coordinator_quiet (bench.coordinator, &bench.host.now, 0)); /* not stored yet */
    pass (&bench, STORED_MS);
    assert_int_equal (count_puts (&bench), 2);
    assert_true (coordinator_quiet (bench.coordinator, &bench.host.now, 0));
    end (&bench);
}

static void a_commit_is_sent_until_it_is_answered (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_RESERVE);
    take_commits (&bench, calls);
    answer_state (&bench, calls [1], &txid, COMMAND_COMMITTED);
    answer_state (&bench, calls [2], &txid, COMMAND_COMMITTED);
    uint64_t call = calls [0];
    static const call_status_t nos [] = {CALL_TIMED_OUT, CALL_OVERLOADED, CALL_DENIED,
                                         CALL_BAD_REQUEST, CALL_TIMED_OUT};
    for (size_t i = 0; i < sizeof nos / sizeof nos [0]; i++) {
        answer_none (&bench, call, nos [i]);
        for (int wait = 0; !find_call (&bench, "Commit", "sim://s0"); wait++) {
            assert_true (wait < 100);
            pass (&bench, 100);
        }
        call = find_call (&bench, "Commit", "sim://s0")->number;
    }
    assert_int_equal (bench.told, 0);
    answer_state (&bench, call, &txid, COMMAND_COMMITTED);
    assert_int_equal (bench.told, 1);
    end (&bench);
}

/*  --- restart --- */

static void a_restart_drives_unsettled_decisions_and_answers_for_settled_ones (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t settled = decide (&bench, OPERATION_RESERVE);
    take_commits (&bench, calls);
    for (int i = 0; i < PARTIES; i++)
        answer_state (&bench, calls [i], &settled, COMMAND_COMMITTED);
    pass (&bench, STORED_MS);
    txid_t unsettled = decide (&bench, OPERATION_MODIFY);
    take_commits (&bench, calls);
    answer_state (&bench, calls [0], &unsettled, COMMAND_COMMITTED);
    stop (&bench);
    start (&bench);
    take_commits (&bench, calls); /* sent to all again, because the answers are not stored */
    assert_int_equal (count_calls (&bench, "Commit"), PARTIES);
    expect_outcome (&bench, &settled, OUTCOME_COMMITTED, true);
    expect_outcome (&bench, &unsettled, OUTCOME_COMMITTED, false);
    for (int i = 0; i < PARTIES; i++)
        answer_state (&bench, calls [i], &unsettled, COMMAND_COMMITTED);
    expect_outcome (&bench, &unsettled, OUTCOME_COMMITTED, true);
    end (&bench);
}

static void a_damaged_record_is_never_called_aborted (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_RESERVE);
    for (size_t i = 0; i < bench.host.records.count; i++)
        if (bench.host.records.list [i].key.size == TXID_BYTES)
            bench.host.records.list [i].value.size /= 2;
    stop (&bench);
    start (&bench);
    expect_outcome (&bench, &txid, OUTCOME_COMMITTED, false);
    end (&bench);
}

static void records_go_when_the_window_and_retention_are_over_and_not_before (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_RESERVE);
    take_commits (&bench, calls);
    for (int i = 0; i < PARTIES; i++)
        answer_state (&bench, calls [i], &txid, COMMAND_COMMITTED);
    pass (&bench, 1000);
    int64_t over_ms = 2 * HOUR_MS + bench.settings.retention_ms;
    pass (&bench, MONO_MS + over_ms - bench.host.now.mono_ms - 2000);
    pass (&bench, 1000);
    expect_outcome (&bench, &txid, OUTCOME_COMMITTED, true);
    pass (&bench, 2000);
    pass (&bench, 2000);
    assert_int_equal (bench.host.records.count, 0);
    end (&bench);
}

/*  --- T8 --- */

static bool unfinished (const coordinator_bench_t *bench)
{
    bool any = false;
    for (size_t i = 0; i < bench->host.records.count; i++) {
        const host_in_memory_kept_t *kept = &bench->host.records.list [i];
        any = any || coordinator_record_unfinished (TABLE_DECISIONS, kept_bytes (kept->key),
                                                    kept_bytes (kept->value));
    }
    return any;
}

static void a_store_is_marked_while_there_may_be_unfinished_business (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    begin (&bench);
    assert_int_equal (bench.host.records.count, 0);
    txid_t txid = coordinator_begin (bench.coordinator);
    memory_host_drain (&bench.host);
    assert_int_equal (bench.host.records.count, 1);
    assert_true (unfinished (&bench));
    pass (&bench, 60000); /* a vote may be on its way, so the plan stays */
    assert_int_equal (bench.host.records.count, 1);
    coordinator_drop (bench.coordinator, &txid);
    for (int i = 0; i < 4; i++)
        pass (&bench, 20000);
    assert_int_equal (bench.host.records.count, 0);
    end (&bench);
}

static void a_decision_that_is_kept_is_unfinished_until_all_have_acknowledged (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_RESERVE);
    take_commits (&bench, calls);
    for (int i = 0; i < 4; i++) /* until its mark has gone: the record alone tells */
        pass (&bench, 20000);
    assert_true (unfinished (&bench));
    for (int i = 0; i < PARTIES; i++)
        answer_state (&bench, calls [i], &txid, COMMAND_COMMITTED);
    for (int i = 0; i < 4; i++)
        pass (&bench, 20000);
    assert_int_equal (bench.host.records.count, 1);
    assert_false (unfinished (&bench));
    end (&bench);
}

/*  --- T10 --- */

static void a_part_refused_past_its_edge_is_logged_before_it_is_repaired (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_RESERVE);
    take_commits (&bench, calls);
    answer_state (&bench, calls [0], &txid, COMMAND_COMMITTED);
    answer_state (&bench, calls [1], &txid, COMMAND_EDGE_REFUSED);
    assert_int_equal (bench.repairs, 0);
    answer_state (&bench, calls [2], &txid, COMMAND_COMMITTED);
    assert_int_equal (bench.repairs, 1);
    assert_int_equal (bench.told, 0);
    assert_true (count_puts (&bench) > 0); /* logged */
    expect_outcome (&bench, &txid, OUTCOME_COMMITTED, false);
    stop (&bench);
    start (&bench);
    assert_int_equal (bench.repairs, 2); /* and again after a restart */
    coordinator_repaired (bench.coordinator, &bench.host.now, &txid, DECISION_END_REPAIRED, "");
    memory_host_drain (&bench.host);
    expect_outcome (&bench, &txid, OUTCOME_COMMITTED, false); /* never "done" */
    end (&bench);
}

static void a_release_needs_no_repair (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_RELEASE);
    take_commits (&bench, calls);
    answer_state (&bench, calls [0], &txid, COMMAND_COMMITTED);
    answer_state (&bench, calls [1], &txid, COMMAND_EDGE_REFUSED);
    answer_state (&bench, calls [2], &txid, COMMAND_COMMITTED);
    assert_int_equal (bench.repairs, 0);
    assert_int_equal (bench.told, 1);
    assert_int_equal (bench.told_end, DECISION_END_COMMITTED);
    end (&bench);
}

/*  Another store at a participant's address means a loss only if it has the participant's name. */
static void an_address_taken_by_somebody_else_is_no_loss (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_RESERVE);
    take_commits (&bench, calls);
    answer_state (&bench, calls [1], &txid, COMMAND_COMMITTED);
    answer_state (&bench, calls [2], &txid, COMMAND_COMMITTED);
    answer_none (&bench, calls [0], CALL_WRONG_STORE);
    const seen_t *status = find_call (&bench, "Status", "sim://s0");
    assert_non_null (status);
    static const uint8_t named [] = {0x0a, 5, 'l', 'i', 's', '/', 'x'};
    step (&bench, &(event_t){.kind = EVENT_ANSWER,
                             .answer = {.call = status->number,
                                        .reason = "",
                                        .body = {.data = named, .size = sizeof named}}});
    assert_int_equal (bench.repairs, 0);
    pass (&bench, 3000);
    const seen_t *again = find_call (&bench, "Commit", "sim://s0");
    assert_non_null (again);
    answer_none (&bench, again->number, CALL_WRONG_STORE);
    status = find_call (&bench, "Status", "sim://s0");
    static const uint8_t itself [] = {0x0a, 6, 'l', 'i', 's', '/', 's', '0'};
    step (&bench, &(event_t){.kind = EVENT_ANSWER,
                             .answer = {.call = status->number,
                                        .reason = "",
                                        .body = {.data = itself, .size = sizeof itself}}});
    assert_int_equal (bench.repairs, 1);
    end (&bench);
}

/*  --- T8 --- */

static void answer_fenced (coordinator_bench_t *bench, uint64_t call, const txid_t *txid,
                           command_state_t state, refusal_reason_t reason)
{
    command_answer_t answer = {
      .txid = *txid, .state = state, .refusal = {.reason = reason}, .epoch = 1};
    packed_t packed = codec_encode (&command_answer_codec, &answer);
    step (bench, &(event_t){.kind = EVENT_ANSWER,
                            .answer = {.call = call,
                                       .reason = "",
                                       .body = {.data = packed.data, .size = packed.size}}});
    free (packed.data);
}

static void a_decision_refused_by_a_fence_is_asked_about_again_and_not_repaired (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_MODIFY);
    take_commits (&bench, calls);
    answer_fenced (&bench, calls [0], &txid, COMMAND_PREPARED, REFUSAL_FENCED);
    pass (&bench, 2000);
    const seen_t *again = find_call (&bench, "Commit", "sim://s0");
    assert_non_null (again);
    answer_state (&bench, again->number, &txid, COMMAND_COMMITTED); /* so it was settled */
    answer_state (&bench, calls [1], &txid, COMMAND_COMMITTED);
    answer_state (&bench, calls [2], &txid, COMMAND_COMMITTED);
    assert_int_equal (bench.told, 1);
    assert_int_equal (bench.told_end, DECISION_END_COMMITTED);
    assert_int_equal (bench.repairs, 0);
    end (&bench);
}

static void a_decision_aborted_by_a_fence_is_given_up_for_good_and_never_repaired (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = decide (&bench, OPERATION_MODIFY);
    take_commits (&bench, calls);
    answer_fenced (&bench, calls [1], &txid, COMMAND_ABORTED, REFUSAL_ENDED);
    assert_int_equal (bench.told, 1);
    assert_int_equal (bench.told_end, DECISION_END_FENCED);
    assert_int_equal (bench.repairs, 0);
    expect_outcome (&bench, &txid, OUTCOME_ABORTED, false);
    assert_true (coordinator_quiet (bench.coordinator, &bench.host.now, 0));
    stop (&bench);
    start (&bench); /* nothing of it is on record */
    assert_int_equal (count_calls (&bench, "Commit"), 0);
    expect_outcome (&bench, &txid, OUTCOME_ABORTED, false);
    end (&bench);
}

/*  Another planner's plan: its store is not ours. */
static txid_t adopt (coordinator_bench_t *bench)
{
    txid_t txid = {.start = 1, .counter = 5};
    memset (txid.store, 9, STORE_ID_BYTES);
    plan_t plan = plan_of (bench, &txid, OPERATION_RESERVE);
    memcpy (plan.coordinator.store, txid.store, STORE_ID_BYTES);
    clear_seen (bench);
    coordinator_adopt (bench->coordinator, &bench->host.now, &plan, 4, on_told, bench);
    memory_host_drain (&bench->host);
    return txid;
}

static void an_adopted_plan_is_logged_and_driven_with_its_epoch_also_after_a_restart (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = adopt (&bench);
    take_commits (&bench, calls);
    for (size_t i = 0; i < bench.seen_count; i++)
        if (bench.seen [i].kind == EFFECT_CALL)
            assert_int_equal (bench.seen [i].decisions, 1); /* before any leaves */
    stop (&bench);
    start (&bench);
    take_commits (&bench, calls);
    for (int i = 0; i < PARTIES; i++) {
        decision_request_t named;
        char why [WHY_BYTES];
        char peer [32];
        snprintf (peer, sizeof peer, "sim://s%d", i);
        const seen_t *call = find_call (&bench, "Commit", peer);
        assert_true (codec_decode (&decision_request_codec, &named,
                                   (bytes_t){.data = call->value, .size = call->size}, why));
        assert_int_equal (txid_compare (&named.txid, &txid), 0);
        assert_int_equal (named.epoch, 4);
    }
    expect_outcome (&bench, &txid, OUTCOME_COMMITTED, false);
    for (int i = 0; i < PARTIES; i++)
        answer_state (&bench, calls [i], &txid, COMMAND_COMMITTED);
    expect_outcome (&bench, &txid, OUTCOME_COMMITTED, true);
    end (&bench);
}

static void an_adopted_plan_that_was_refused_at_an_edge_is_repaired (void **state)
{
    (void) state;
    coordinator_bench_t bench;
    uint64_t calls [PARTIES];
    begin (&bench);
    txid_t txid = adopt (&bench);
    take_commits (&bench, calls);
    answer_state (&bench, calls [0], &txid, COMMAND_COMMITTED);
    answer_state (&bench, calls [1], &txid, COMMAND_EDGE_REFUSED);
    answer_state (&bench, calls [2], &txid, COMMAND_COMMITTED);
    assert_int_equal (bench.repairs, 1);
    end (&bench);
}

static void outcomes_are_told_to_those_of_the_plan_planners_and_administrators (void **state)
{
    (void) state;
    static const char *const administrators [] = {"root"};
    static const struct {
        const char *actor;
        bool decided; /* may ask of a plan on record, */
        bool other;   /* and of any other txid */
    } askers [] = {
      {"lis/s0", true, true}, {"lis/elsewhere", false, true}, {"planner/x", true, true},
      {"root", true, true},   {"alice", false, false},        {"", false, false},
    };
    coordinator_bench_t bench;
    begin (&bench);
    bench.settings.administrators = administrators;
    bench.settings.administrators_count = 1;
    txid_t decided = decide (&bench, OPERATION_RESERVE);
    txid_t other = coordinator_begin (bench.coordinator);
    for (size_t i = 0; i < 2 * sizeof askers / sizeof *askers; i++) {
        bool of_decided = i % 2 == 0;
        packed_t body = codec_encode (&decision_request_codec,
                                      &(decision_request_t){of_decided ? decided : other, 0});
        step (&bench, &(event_t){.kind = EVENT_REQUEST,
                                 .request = {.service = "Coordinator",
                                             .method = "Outcome",
                                             .actor = askers [i / 2].actor,
                                             .request_id = "",
                                             .body = {.data = body.data, .size = body.size},
                                             .reply_to = 7}});
        free (body.data);
        bool told = bench.seen_count > 0 && bench.seen [0].size > 0;
        assert_int_equal (told, of_decided ? askers [i / 2].decided : askers [i / 2].other);
    }
    coordinator_drop (bench.coordinator, &other);
    end (&bench);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (aborted_is_said_only_of_what_this_store_began_and_dropped),
      cmocka_unit_test (nothing_is_decided_when_it_is_too_late),
      cmocka_unit_test (a_decision_is_put_before_any_commit_leaves),
      cmocka_unit_test (told_once_all_have_acknowledged_and_done_goes_out_in_one_batch),
      cmocka_unit_test (a_commit_is_sent_until_it_is_answered),
      cmocka_unit_test (a_restart_drives_unsettled_decisions_and_answers_for_settled_ones),
      cmocka_unit_test (a_damaged_record_is_never_called_aborted),
      cmocka_unit_test (records_go_when_the_window_and_retention_are_over_and_not_before),
      cmocka_unit_test (a_store_is_marked_while_there_may_be_unfinished_business),
      cmocka_unit_test (a_decision_that_is_kept_is_unfinished_until_all_have_acknowledged),
      cmocka_unit_test (a_part_refused_past_its_edge_is_logged_before_it_is_repaired),
      cmocka_unit_test (a_release_needs_no_repair),
      cmocka_unit_test (an_address_taken_by_somebody_else_is_no_loss),
      cmocka_unit_test (a_decision_refused_by_a_fence_is_asked_about_again_and_not_repaired),
      cmocka_unit_test (a_decision_aborted_by_a_fence_is_given_up_for_good_and_never_repaired),
      cmocka_unit_test (an_adopted_plan_is_logged_and_driven_with_its_epoch_also_after_a_restart),
      cmocka_unit_test (an_adopted_plan_that_was_refused_at_an_edge_is_repaired),
      cmocka_unit_test (outcomes_are_told_to_those_of_the_plan_planners_and_administrators),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
