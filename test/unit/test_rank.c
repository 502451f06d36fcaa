/*  test_rank - expressions by example, what is refused and where, and that no value leaves its
 *  bounds.
 */
#include "rank.h"

#include "must.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const rank_values_t node = {.of = {[RANK_MEMORY] = 64,
                                          [RANK_DISK] = 500,
                                          [RANK_LOAD] = 1.5,
                                          [RANK_CPUS] = 16,
                                          [RANK_CPUS_FREE] = 4,
                                          [RANK_PRICE] = 0.25,
                                          [RANK_STAGING] = 30,
                                          [RANK_HELD] = 2}};

static void gives_the_value_that_its_precedence_says (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        double value;
    } cases [] = {
      {"7", 7},
      {"memory + 2*cpus_free - staging", 64 + 2 * 4 - 30},
      {"2 * (cpus - cpus_free) * load", 2 * 12 * 1.5},
      {"-staging", -30},
      {"- -held--held", 4},
      {"10-3-2", 5},
      {"1+2*3*4-5", 20},
      {"-2*3", -6},
      {"  disk*0.5+price ", 250.25},
      {".5", 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why [WHY_BYTES] = "";
        node_rank_t *rank = rank_new (cases [i].text, why);
        assert_string_equal (why, "");
        assert_non_null (rank);
        assert_true (fabs (rank_value (rank, &node) - cases [i].value) < 1e-9);
        free (rank);
    }
    assert_true (rank_value (NULL, &node) == 0);
}

static void refuses_with_the_position_and_what_would_be_right (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        const char *position;
        const char *right;
    } cases [] = {
      {"", "position 1", "should be a number"},
      {"memory +", "position 9", "should be a number"},
      {"memory + meory", "position 10", "memory, disk, load"},
      {"memories", "position 1", "memory, disk, load"},
      {"2 cpus", "position 3", "or the end"},
      {"(cpus", "position 6", "operator or \")\""},
      {"cpus)", "position 5", "or the end"},
      {"cpus / 2", "position 6", "\"+\", \"-\" or \"*\""},
      {"1.2.3", "position 1", "a number"},
      {"1 + .", "position 5", "a number"},
      {"9999999999999", "position 1", "at most 10^12"},
      {"0.00000000000000000000000001", "position 1", "24 characters"},
      {"1e9", "position 2", "or the end"},
      {"((((((((((((((((((1))))))))))))))))))", "position 17", "16 deep"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why [WHY_BYTES] = "";
        assert_null (rank_new (cases [i].text, why));
        assert_non_null (strstr (why, cases [i].position));
        assert_non_null (strstr (why, cases [i].right));
    }
}

static void refuses_what_is_too_long (void **state)
{
    (void) state;
    char text [RANK_BYTES_MAX + 2], why [WHY_BYTES] = "";
    memset (text, ' ', sizeof text);
    text [0] = '1';
    text [RANK_BYTES_MAX] = '\0';
    node_rank_t *rank = rank_new (text, why);
    assert_non_null (rank);
    free (rank);
    text [RANK_BYTES_MAX] = ' ';
    text [RANK_BYTES_MAX + 1] = '\0';
    assert_null (rank_new (text, why));
    assert_non_null (strstr (why, "at most 255 bytes"));

    for (size_t i = 0; i + 1 < RANK_BYTES_MAX; i += 2)
        memcpy (text + i, "1+", 2);
    text [2 * RANK_STEPS_MAX] = '\0';
    assert_null (rank_new (text, why));
    assert_non_null (strstr (why, "at most 64 numbers"));
}

/*  Also with what no machine should tell. */
static void keeps_every_value_within_its_bounds (void **state)
{
    (void) state;
    static const char *const texts [] = {"1000000000000*1000000000000*1000000000000",
                                         "memory*memory - disk*disk", "load - load", "0*memory"};
    rank_values_t odd = {
      .of = {[RANK_MEMORY] = INFINITY, [RANK_DISK] = HUGE_VAL, [RANK_LOAD] = NAN}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char why [WHY_BYTES];
        node_rank_t *rank = rank_new (texts [i], why);
        assert_true (fabs (rank_value (rank, &odd)) <= RANK_VALUE_MAX);
        free (rank);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (gives_the_value_that_its_precedence_says),
      cmocka_unit_test (refuses_with_the_position_and_what_would_be_right),
      cmocka_unit_test (refuses_what_is_too_long),
      cmocka_unit_test (keeps_every_value_within_its_bounds),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
