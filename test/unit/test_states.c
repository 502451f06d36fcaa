/*  test_states - the tables that the code asserts against and that --states prints. */
#include "decision.h"
#include "participant_states.h"
#include "pending.h"
#include "transaction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *lines [64];
static char texts [64][128];
static size_t count;

static void keep (const char *line)
{
    assert_true (count < 64);
    lines [count] = strcpy (texts [count], line);
    count++;
}

static bool printed (const char *line)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (lines [i], line) == 0)
            return true;
    return false;
}

static void a_table_prints_each_of_its_steps_once (void **state)
{
    (void) state;
    count = 0;
    states_print (&command_states, keep);
    assert_int_equal (count, 30);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            assert_string_not_equal (lines [i], lines [j]);
    assert_true (printed ("command initial prepare prepared"));
    assert_true (printed ("command edge commit edge-refused"));
    count = 0;
    states_print (&decision_states, keep);
    assert_true (printed ("decision voting decide decided"));
    count = 0;
    states_print (&pending_states, keep);
    assert_true (printed ("pending plan plan: what is free must be asked"));
    assert_true (printed ("pending plan vote: there is a proposal"));
}

static void what_is_not_in_the_table_is_not_allowed (void **state)
{
    (void) state;
    assert_true (states_allow (&command_states, COMMAND_PREPARED, EVENT_COMMIT, COMMAND_COMMITTED));
    assert_false (states_allow (&command_states, COMMAND_HELD, EVENT_COMMIT, COMMAND_COMMITTED));
    assert_false (states_allow (&command_states, COMMAND_PREPARED, EVENT_TTL, COMMAND_EXPIRED));
    assert_false (states_allow (&command_states, COMMAND_PREPARED, EVENT_RESOLVE, COMMAND_ABORTED));
    assert_false (states_allow (&command_states, COMMAND_EDGE, EVENT_EDGE, COMMAND_ABORTED));
}

static void a_request_can_come_to_each_step_and_ends_in_two (void **state)
{
    (void) state;
    uint32_t reached = STATE (STEP_RECEIVED);
    for (int round = 0; round < STEPS; round++)
        for (size_t i = 0; i < pending_states.steps_count; i++)
            if (reached & pending_states.steps [i].from)
                reached |= STATE (pending_states.steps [i].to);
    assert_int_equal (reached, STATES (STEPS - 1));
    for (unsigned at = 0; at < STEPS; at++)
        assert_int_equal (states_end (&pending_states, at), at == STEP_GIVE_UP || at == STEP_DOUBT);
    assert_true (states_allow (&pending_states, STEP_PLAN, 0, STEP_PLAN));
    assert_false (states_allow (&pending_states, STEP_VOTE, 0, STEP_VOTE));
    assert_false (states_allow (&pending_states, STEP_LATE, 0, STEP_AGAIN));
}

/*  The table uses the same words for states as all other output. */
static void a_command_has_one_word_for_each_state (void **state)
{
    (void) state;
    for (int at = 0; at < COMMAND_STATES; at++)
        assert_string_equal (command_states.states [at],
                             at == COMMAND_UNKNOWN ? "initial"
                                                   : command_state_word ((command_state_t) at));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_table_prints_each_of_its_steps_once),
      cmocka_unit_test (what_is_not_in_the_table_is_not_allowed),
      cmocka_unit_test (a_request_can_come_to_each_step_and_ends_in_two),
      cmocka_unit_test (a_command_has_one_word_for_each_state),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
