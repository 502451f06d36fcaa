/*  Planner.Settle: a planner is lost for good, with its store. Another planner ends its
 *  transactions by the evidence of all participants on the list (T7, T8).
 */
#include "message.h"
#include "planner_asking.h"

static const user_wish_t both = {
  .cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};

static void with_administrator (fed_t *fed, uint64_t seed)
{
    static const char *const administrators [] = {"root"};
    fed_federation (fed, seed, 1, 2, 4, 2);
    int at = fed_find (fed, "p1");
    fed_kill (fed, at);
    fed->procs [at].planner.administrators = administrators;
    fed->procs [at].planner.administrators_count = 1;
    fed_start (fed, at);
    fed_run (fed, 8000);
}

/*  The first plan that p0 made. */
static Musubi__SettleAnswer *settle (fed_t *fed, const char *actor, bool fence,
                                     call_status_t *status)
{
    char reason [256];
    const store_identity_t *store = &fed->procs [fed_find (fed, "p0")].host.store;
    Musubi__SettleRequest request = MUSUBI__SETTLE_REQUEST__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) store->id};
    txid.start = store->start;
    txid.counter = 1;
    request.txid = &txid;
    request.participant = "lis/s0";
    request.fence = fence;
    return (Musubi__SettleAnswer *) fed_answer (
      fed, fed_ask (fed, "p1", "Planner", "Settle", actor, "", &request.base, 60000),
      &musubi__settle_answer__descriptor, status, reason);
}

static void expect_settled (fed_t *fed, bool fence, Musubi__Outcome outcome, bool done)
{
    call_status_t status;
    Musubi__SettleAnswer *answer = settle (fed, "root", fence, &status);
    assert_non_null (answer);
    if (answer->outcome != outcome || (bool) answer->done != done)
        fail_msg ("outcome %d done %d: %s", (int) answer->outcome, (int) answer->done,
                  answer->text);
    message_free (&answer->base);
}

/*  p0 receives no vote, and dies for good. */
static void leave_votes (fed_t *fed)
{
    fed->returns = lose_vote_answers;
    (void) ask_reserve (fed, "p0", "r@g1", &both);
    fed_run (fed, 500);
    fed_kill (fed, fed_find (fed, "p0"));
    fed->returns = NULL;
}

/*  Only s0 receives the commit, and no question of a participant in doubt is answered. */
static bool lose_all_commits_but_one (fed_t *fed, const fed_call_t *call)
{
    if (strcmp (call->method, "Resolve") == 0 || strcmp (call->method, "Outcome") == 0)
        return false;
    return strcmp (call->method, "Commit") != 0 || call->to == fed_find (fed, "lis/s0");
}

static void T8_votes_of_a_dead_planner_are_aborted_by_a_fence_and_the_request_is_free (void **state)
{
    (void) state;
    fed_t fed;
    with_administrator (&fed, 41);
    leave_votes (&fed);
    expect_settled (&fed, false, MUSUBI__OUTCOME__OUTCOME_PENDING, false); /* nobody knows */
    expect_settled (&fed, true, MUSUBI__OUTCOME__OUTCOME_ABORTED, true);
    expect_settled (&fed, true, MUSUBI__OUTCOME__OUTCOME_ABORTED, true); /* and again */
    Musubi__Answer *answer = reserve (&fed, "p1", "r@g1", &both);        /* the same id */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void T8_one_that_has_committed_makes_all_commit (void **state)
{
    (void) state;
    fed_t fed;
    with_administrator (&fed, 42);
    fed.passes = lose_all_commits_but_one;
    (void) ask_reserve (&fed, "p0", "r@g1", &both);
    fed_run (&fed, 500);
    fed_kill (&fed, fed_find (&fed, "p0"));
    expect_settled (&fed, true, MUSUBI__OUTCOME__OUTCOME_COMMITTED, false); /* not all receive it */
    fed.passes = NULL;
    fed_run (&fed, 20000);
    Musubi__Answer *answer = reserve (&fed, "p1", "r@g1", &both);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    expect_settled (&fed, false, MUSUBI__OUTCOME__OUTCOME_COMMITTED, true);
    fed_end (&fed);
}

static void T8_without_an_answer_of_all_nothing_is_decided (void **state)
{
    (void) state;
    fed_t fed;
    with_administrator (&fed, 43);
    leave_votes (&fed);
    fed_kill (&fed, fed_find (&fed, "lis/s1"));
    expect_settled (&fed, true, MUSUBI__OUTCOME__OUTCOME_LOST, false);
    fed_start (&fed, fed_find (&fed, "lis/s1"));
    fed_run (&fed, 3000);
    expect_settled (&fed, true, MUSUBI__OUTCOME__OUTCOME_ABORTED, true);
    fed_end (&fed);
}

/*  No site receives the decisions of p0 and p1, but their fences arrive. */
static bool lose_commits_and_aborts (fed_t *fed, const fed_call_t *call)
{
    (void) fed;
    return strcmp (call->method, "Commit") != 0 && strcmp (call->method, "Abort") != 0 &&
           strcmp (call->method, "Outcome") != 0;
}

/*  p1 fences p0's decision, and is lost for good before its next message arrives anywhere. */
static void T8_a_decision_barred_by_a_dead_planners_fence_is_fenced_by_its_own (void **state)
{
    (void) state;
    fed_t fed;
    with_administrator (&fed, 45);
    fed.passes = lose_commits_and_aborts;
    (void) ask_reserve (&fed, "p0", "r@g1", &both);
    fed_run (&fed, 500);
    expect_settled (&fed, true, MUSUBI__OUTCOME__OUTCOME_ABORTED, false);
    fed_kill (&fed, fed_find (&fed, "p1"));
    fed.passes = NULL;
    fed_run (&fed, 30000);
    Musubi__Answer *answer = reserve (&fed, "p0", "r@g1", &both);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    answer = reserve (&fed, "p0", "again@g1", &both); /* nothing is held any more */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void only_administrators_have_something_settled (void **state)
{
    (void) state;
    fed_t fed;
    call_status_t status;
    with_administrator (&fed, 44);
    leave_votes (&fed);
    assert_null (settle (&fed, "alice", true, &status));
    assert_int_equal (status, CALL_DENIED);
    expect_settled (&fed, false, MUSUBI__OUTCOME__OUTCOME_PENDING, false); /* nothing was done */
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (T8_votes_of_a_dead_planner_are_aborted_by_a_fence_and_the_request_is_free),
      cmocka_unit_test (T8_one_that_has_committed_makes_all_commit),
      cmocka_unit_test (T8_without_an_answer_of_all_nothing_is_decided),
      cmocka_unit_test (T8_a_decision_barred_by_a_dead_planners_fence_is_fenced_by_its_own),
      cmocka_unit_test (only_administrators_have_something_settled),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
