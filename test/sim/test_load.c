/*  What commands take together, at every instant. */
#include "sim_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sim_resource_t links [] = {{.name = "l1", .quantity = 100, .in_force = 100},
                                        {.name = "l2", .quantity = 100, .in_force = 100}};

/*  A command with one circuit on both links. */
static sim_command_t command (const char *reservation, uint32_t base_version, command_state_t state,
                              uint32_t mbps, int64_t from_ms, int64_t until_ms)
{
    sim_command_t made = {.state = state, .base_version = base_version, .circuits_count = 1};
    sim_text (made.reservation, sizeof made.reservation, reservation);
    made.circuits [0] =
      (sim_circuit_t){.links_count = 2, .mbps = mbps, .from_ms = from_ms, .until_ms = until_ms};
    sim_text (made.circuits [0].links [0], SIM_POINT_BYTES, "l1");
    sim_text (made.circuits [0].links [1], SIM_POINT_BYTES, "l2");
    return made;
}

static int64_t load_at (const sim_command_t *commands, size_t count, int64_t at_ms)
{
    sim_load_t load;
    const char *unknown;
    assert_true (sim_load_build (&load, commands, count, links, 2, 0, &unknown));
    int64_t first = sim_load_at (&load, 0, at_ms);
    assert_int_equal (sim_load_at (&load, 1, at_ms), first);
    sim_load_clear (&load);
    return first;
}

static void reservations_add_up_on_every_link_of_a_circuit (void **state)
{
    (void) state;
    const sim_command_t commands [] = {command ("a", 0, COMMAND_COMMITTED, 30, 10, 20),
                                       command ("b", 0, COMMAND_PREPARED, 40, 15, 30),
                                       command ("c", 0, COMMAND_ABORTED, 99, 0, 50)};
    assert_int_equal (load_at (commands, 3, 9), 0);
    assert_int_equal (load_at (commands, 3, 10), 30);
    assert_int_equal (load_at (commands, 3, 15), 70);
    assert_int_equal (load_at (commands, 3, 20), 40);
    assert_int_equal (load_at (commands, 3, 30), 0);
}

static void of_one_reservation_the_larger_of_old_and_new_counts (void **state)
{
    (void) state;
    sim_command_t commands [] = {command ("a", 0, COMMAND_COMMITTED, 30, 10, 20),
                                 command ("a", 1, COMMAND_PREPARED, 50, 15, 30)};
    assert_int_equal (load_at (commands, 2, 12), 30);
    assert_int_equal (load_at (commands, 2, 17), 50);
    commands [1].state = COMMAND_COMMITTED;
    assert_int_equal (load_at (commands, 2, 12), 0);
    assert_int_equal (load_at (commands, 2, 17), 50);
    commands [1].state = COMMAND_EDGE_REFUSED;
    assert_int_equal (load_at (commands, 2, 17), 0);
}

static void the_version_before_is_found (void **state)
{
    (void) state;
    const sim_command_t commands [] = {command ("a", 1, COMMAND_PREPARED, 50, 15, 30),
                                       command ("b", 0, COMMAND_COMMITTED, 30, 10, 20),
                                       command ("a", 0, COMMAND_COMMITTED, 30, 10, 20)};
    sim_load_t load;
    const char *unknown;
    assert_true (sim_load_build (&load, commands, 3, links, 2, 0, &unknown));
    assert_int_equal (sim_load_before (&load, 0), 2);
    assert_int_equal (sim_load_before (&load, 1), SIZE_MAX);
    assert_int_equal (sim_load_command (&load, 0, 1, 15), 50);
    sim_load_clear (&load);
}

static void a_link_that_is_not_there_is_named (void **state)
{
    (void) state;
    sim_command_t odd = command ("a", 0, COMMAND_COMMITTED, 30, 10, 20);
    sim_text (odd.circuits [0].links [1], SIM_POINT_BYTES, "l9");
    sim_load_t load;
    const char *unknown;
    assert_false (sim_load_build (&load, &odd, 1, links, 2, 0, &unknown));
    assert_string_equal (unknown, "l9");
    sim_load_clear (&load);
}

static void a_cleaning_gap_is_taken_too (void **state)
{
    (void) state;
    const sim_resource_t class = {.name = "thin", .quantity = 4, .in_force = 4};
    sim_command_t one = {.state = COMMAND_COMMITTED, .bookings_count = 1};
    sim_text (one.reservation, sizeof one.reservation, "a");
    one.bookings [0] = (compute_booking_t){.nodes = 3, .from_ms = 10, .until_ms = 20};
    sim_text (one.bookings [0].class_name, sizeof one.bookings [0].class_name, "thin");
    sim_load_t load;
    const char *unknown;
    assert_true (sim_load_build (&load, &one, 1, &class, 1, 5, &unknown));
    assert_int_equal (sim_load_at (&load, 0, 24), 3);
    assert_int_equal (sim_load_at (&load, 0, 25), 0);
    sim_load_clear (&load);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (reservations_add_up_on_every_link_of_a_circuit),
      cmocka_unit_test (of_one_reservation_the_larger_of_old_and_new_counts),
      cmocka_unit_test (the_version_before_is_found),
      cmocka_unit_test (a_link_that_is_not_there_is_named),
      cmocka_unit_test (a_cleaning_gap_is_taken_too),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
