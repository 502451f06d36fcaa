/*  gantt - bars in lanes that never overlap, at the right columns, within the width. */
#include "gantt.h"
#include "table.h"

#include "prng.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOUR_MS INT64_C (3600000)
#define NINE    INT64_C (1796115600000) /* 2026-12-01T09:00:00Z */

static gantt_row_t rows [] = {{"ams/thin", 128, false, "CPUs"}, {"kyoto/node", 256, false, "CPUs"}};
static gantt_row_t shared [] = {{"ams/thin", 128, false, "CPUs"},
                                {"N/n8-x1", 5000, true, "Mbit/s"}};

static char *print (const gantt_t *gantt, size_t width, bool colour)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    gantt_print (gantt, width, colour, file);
    fclose (file);
    char *copy = strdup (text);
    assert_non_null (copy);
    free (text);
    return copy;
}

static char *draw (const gantt_t *gantt)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    gantt_svg (gantt, file);
    fclose (file);
    return text;
}

static void bars_stand_at_their_times (void **state)
{
    (void) state;
    gantt_bar_t bars [] = {{0, 0, "ocean", 32, NINE, NINE + 2 * HOUR_MS},
                           {1, 0, "air", 64, NINE + HOUR_MS, NINE + 4 * HOUR_MS}};
    gantt_reservation_t reservations [] = {
      {"r-1", "coupled-climate", "alice", "committed", NINE, NINE + 4 * HOUR_MS}};
    gantt_t gantt = {rows, 2, bars, 2, reservations, 1, NINE, NINE + 4 * HOUR_MS, NULL};
    char *text = print (&gantt, 66, false);
    /* 40 columns for four hours. */
    assert_non_null (strstr (text, "ams/thin                 |A ocean 32██████████          "));
    assert_non_null (strstr (text, "kyoto/node               |          A air 64████████████"));
    assert_non_null (strstr (text, "coupled-climate  alice  committed  2026-12-01T09:00:00Z"));
    assert_non_null (strstr (text, "2026-12-01"));
    free (text);
}

static void a_bar_tells_how_much_of_it_was_used (void **state)
{
    (void) state;
    gantt_bar_t bars [] = {{0, 0, "ocean", 32, NINE, NINE + 2 * HOUR_MS},
                           {1, 0, "air", 64, NINE, NINE + HOUR_MS}};
    gantt_reservation_t reservations [] = {{"r", "", "", "committed", NINE, NINE + 1}};
    int used [] = {42, -1};
    gantt_t gantt = {rows, 2, bars, 2, reservations, 1, NINE, NINE + 4 * HOUR_MS, used};
    char *text = print (&gantt, 66, false);
    assert_non_null (strstr (text, "|A ocean 32 42%██████"));
    assert_non_null (strstr (text, "|A air 64██"));
    free (text);
    text = draw (&gantt);
    assert_non_null (strstr (text, "<title>42 % used</title>"));
    assert_null (strstr (text, "-1 % used"));
    free (text);
}

static void no_line_of_the_chart_is_wider_than_asked (void **state)
{
    (void) state;
    gantt_bar_t bars [] = {{0, 0, "a", 1, NINE - HOUR_MS, NINE + 9 * HOUR_MS},
                           {1, 0, "b", 1, NINE + HOUR_MS, NINE + HOUR_MS + 1}};
    gantt_reservation_t reservations [] = {{"r", "", "", "committed", NINE, NINE + 1}};
    for (size_t width = 0; width < 200; width += 7) {
        gantt_t gantt = {rows, 2, bars, 2, reservations, 1, NINE, NINE + 4 * HOUR_MS, NULL};
        char *text = print (&gantt, width, false);
        assert_non_null (strstr (text, "\n\n"));
        *strstr (text, "\n\n") = '\0'; /* the legend follows */
        for (char *save = NULL, *line = strtok_r (text, "\n", &save); line;
             line = strtok_r (NULL, "\n", &save))
            assert_true (text_width (line) <=
                         (width < GANTT_WIDTH_LEAST ? GANTT_WIDTH_LEAST : width));
        free (text);
    }
}

static void a_bar_is_seen_however_short (void **state)
{
    (void) state;
    gantt_bar_t bars [] = {{0, 0, "a", 1, NINE + HOUR_MS, NINE + HOUR_MS + 1}};
    gantt_reservation_t reservations [] = {{"r", "", "", "committed", NINE, NINE + 1}};
    gantt_t gantt = {rows, 1, bars, 1, reservations, 1, NINE, NINE + 100 * HOUR_MS, NULL};
    char *text = print (&gantt, 100, false);
    assert_non_null (strstr (text, "|A"));
    free (text);
}

static void lanes_never_overlap (void **state)
{
    (void) state;
    enum { BARS = 300 };
    uint64_t seed = 7;
    print_message ("seed %" PRIu64 "\n", seed);
    prng_t prng;
    prng_seed (&prng, seed);
    gantt_bar_t bars [BARS];
    size_t lane [BARS];
    size_t lanes [2];
    for (size_t i = 0; i < BARS; i++) {
        int64_t from = NINE + (int64_t) prng_below (&prng, 1000);
        bars [i] = (gantt_bar_t){.row = prng_below (&prng, 2),
                                 .from_ms = from,
                                 .until_ms = from + 1 + (int64_t) prng_below (&prng, 100)};
    }
    gantt_t gantt = {rows, 2, bars, BARS, NULL, 0, NINE, NINE + 1100, NULL};
    gantt_lanes (&gantt, lane, lanes);
    for (size_t i = 0; i < BARS; i++) {
        assert_true (lane [i] < lanes [bars [i].row]);
        for (size_t j = 0; j < i; j++)
            if (bars [i].row == bars [j].row && lane [i] == lane [j])
                assert_true (bars [i].until_ms <= bars [j].from_ms ||
                             bars [j].until_ms <= bars [i].from_ms);
    }
}

static void the_height_of_a_link_s_bar_is_its_share (void **state)
{
    (void) state;
    gantt_bar_t bars [] = {{1, 0, "ocean-air", 1250, NINE, NINE + 4 * HOUR_MS},
                           {1, 0, "air-ice", 5000, NINE + 4 * HOUR_MS, NINE + 5 * HOUR_MS},
                           {0, 0, "ocean", 1, NINE, NINE + HOUR_MS}};
    gantt_reservation_t reservations [] = {{"r", "", "", "committed", NINE, NINE + 1}};
    gantt_t gantt = {shared, 2, bars, 3, reservations, 1, NINE, NINE + 10 * HOUR_MS, NULL};
    char *text = print (&gantt, 126, false);
    /* 100 columns for ten hours; a quarter of the bandwidth, then all of it. */
    assert_non_null (strstr (text, "\nlinks: Mbit/s, height = share\nN/n8-x1                  |"
                                   "A ocean-air 1250▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂A█████████ "));
    free (text);
    text = print (&gantt, 126, true);
    assert_non_null (strstr (text, "\033[30;41mA ocean-air 1250\033[0;31m▂▂"));
    free (text);
}

static void names_have_the_room_they_want (void **state)
{
    (void) state;
    gantt_row_t long_rows [] = {{"backbone/kanazawa-toyama-nagaoka", 1, true, "Mbit/s"}};
    gantt_t gantt = {long_rows, 1, NULL, 0, NULL, 0, NINE, NINE + HOUR_MS, NULL};
    char *text = print (&gantt, 100, false);
    assert_non_null (strstr (text, "\nbackbone/kanazawa-toyama-nagaoka |"));
    free (text);
    text = print (&gantt, 60, false);
    assert_non_null (strstr (text, "\nbackbone/kanazawa-toyama |"));
    free (text);
}

/*  At every instant the pieces are the bars of that instant, stacked without a gap. */
static void bars_of_a_link_are_stacked (void **state)
{
    (void) state;
    enum { BARS = 60, SPAN = 100 };
    uint64_t seed = 11;
    print_message ("seed %" PRIu64 "\n", seed);
    prng_t prng;
    prng_seed (&prng, seed);
    gantt_bar_t bars [BARS];
    for (size_t i = 0; i < BARS; i++) {
        int64_t from = (int64_t) prng_below (&prng, SPAN);
        bars [i] = (gantt_bar_t){.row = prng_below (&prng, 2),
                                 .quantity = 1 + (int64_t) prng_below (&prng, 9),
                                 .from_ms = from,
                                 .until_ms = from + (int64_t) prng_below (&prng, 20)};
    }
    gantt_t gantt = {shared, 2, bars, BARS, NULL, 0, 0, SPAN + 20, NULL};
    size_t count;
    int64_t peak;
    gantt_piece_t *pieces = gantt_pieces (&gantt, 1, &count, &peak);
    int64_t highest = 0;
    for (int64_t at = 0; at < SPAN + 20; at++) {
        int64_t wanted = 0;
        int64_t height = 0;
        size_t drawn = 0;
        size_t there = 0;
        for (size_t i = 0; i < BARS; i++)
            if (bars [i].row == 1 && bars [i].from_ms <= at && at < bars [i].until_ms) {
                wanted += bars [i].quantity;
                there++;
            }
        for (size_t p = 0; p < count; p++)
            if (pieces [p].from_ms <= at && at < pieces [p].until_ms) {
                assert_true (pieces [p].below == height);
                height += bars [pieces [p].bar].quantity;
                drawn++;
            }
        assert_true (height == wanted && drawn == there);
        highest = wanted > highest ? wanted : highest;
    }
    assert_true (peak == highest && peak > 0);
    free (pieces);
    /* A bar that stays at one height is one piece. */
    gantt_bar_t alone [] = {{1, 0, "a", 5, 0, 100}, {1, 1, "b", 3, 10, 20}};
    gantt_t two = {shared, 2, alone, 2, NULL, 0, 0, 100, NULL};
    pieces = gantt_pieces (&two, 1, &count, &peak);
    assert_int_equal (count, 2);
    assert_true (pieces [0].until_ms == 100 && pieces [1].below == 5 && peak == 8);
    free (pieces);
}

static void a_link_is_drawn_as_high_as_it_is_booked (void **state)
{
    (void) state;
    gantt_bar_t bars [] = {{1, 0, "wide", 2500, NINE, NINE + 4 * HOUR_MS},
                           {1, 0, "thin", 1250, NINE, NINE + 4 * HOUR_MS}};
    gantt_reservation_t reservations [] = {{"r", "", "", "committed", NINE, NINE + 1}};
    gantt_t gantt = {shared, 2, bars, 2, reservations, 1, NINE, NINE + 4 * HOUR_MS, NULL};
    char *text = draw (&gantt);
    /* Forty pixels are 5000 Mbit/s. */
    assert_non_null (strstr (text, "wide 2500 Mbit/s</title><rect"));
    assert_non_null (strstr (text, "height=\"20.0\" stroke"));
    assert_non_null (strstr (text, "height=\"10.0\" stroke"));
    assert_non_null (strstr (text, ">5000 Mbit/s</text>"));
    assert_null (strstr (text, "#c00"));
    free (text);
    /* The link has shrunk, so more is booked than there is now. */
    gantt_bar_t more [] = {{1, 0, "wide", 10000, NINE, NINE + 4 * HOUR_MS}};
    gantt = (gantt_t){shared, 2, more, 1, reservations, 1, NINE, NINE + 4 * HOUR_MS, NULL};
    text = draw (&gantt);
    assert_non_null (strstr (text, "height=\"40.0\" stroke"));
    assert_non_null (strstr (text, "#c00"));
    free (text);
}

static void an_empty_chart_says_so (void **state)
{
    (void) state;
    gantt_t gantt = {rows, 2, NULL, 0, NULL, 0, NINE, NINE + HOUR_MS, NULL};
    char *text = print (&gantt, 100, false);
    assert_non_null (strstr (text, "nothing is reserved"));
    free (text);
    text = draw (&gantt);
    assert_non_null (strstr (text, "</svg>"));
    free (text);
}

static void colours_end_where_the_bar_ends (void **state)
{
    (void) state;
    gantt_bar_t bars [] = {{0, 0, "a", 1, NINE, NINE + HOUR_MS},
                           {1, 0, "b", 1, NINE, NINE + 4 * HOUR_MS}};
    gantt_reservation_t reservations [] = {{"r", "", "", "committed", NINE, NINE + 1}};
    gantt_t gantt = {rows, 2, bars, 2, reservations, 1, NINE, NINE + 4 * HOUR_MS, NULL};
    char *text = print (&gantt, 100, true);
    size_t begun = 0;
    size_t ended = 0;
    for (const char *at = text; (at = strchr (at, 0x1b)); at++) {
        begun += strncmp (at, "\033[30;41m", 8) == 0;
        ended += strncmp (at, "\033[0m", 4) == 0;
    }
    assert_int_equal (begun, 2);
    assert_int_equal (ended, 2);
    free (text);
}

static void what_users_wrote_is_escaped_in_the_picture (void **state)
{
    (void) state;
    gantt_bar_t bars [] = {{0, 0, "<b>&", 1, NINE, NINE + HOUR_MS}};
    gantt_reservation_t reservations [] = {{"r", "</svg>", "a&b", "committed", NINE, NINE + 1}};
    gantt_t gantt = {rows, 2, bars, 1, reservations, 1, NINE, NINE + HOUR_MS, NULL};
    char *text = draw (&gantt);
    assert_null (strstr (text, "<b>"));
    assert_non_null (strstr (text, "&lt;b&gt;&amp;"));
    assert_non_null (strstr (text, "a&amp;b"));
    assert_ptr_equal (strstr (text, "</svg>"), text + strlen (text) - strlen ("</svg>\n"));
    free (text);
}

static void marks_are_round_and_few (void **state)
{
    (void) state;
    static const struct {
        int64_t span_ms;
        int64_t marks_max;
        int64_t step_ms;
    } cases [] = {{HOUR_MS, 6, HOUR_MS / 6},
                  {4 * HOUR_MS, 3, 2 * HOUR_MS},
                  {24 * HOUR_MS, 6, 6 * HOUR_MS},
                  {3660 * 24 * HOUR_MS, 6, 611 * 24 * HOUR_MS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++)
        assert_true (gantt_step (cases [i].span_ms, cases [i].marks_max) == cases [i].step_ms);
    char text [GANTT_MARK_BYTES];
    assert_string_equal (gantt_mark (NINE, HOUR_MS, text), "09:00");
    assert_string_equal (gantt_mark (NINE, 24 * HOUR_MS, text), "12-01");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (bars_stand_at_their_times),
      cmocka_unit_test (a_bar_tells_how_much_of_it_was_used),
      cmocka_unit_test (no_line_of_the_chart_is_wider_than_asked),
      cmocka_unit_test (a_bar_is_seen_however_short),
      cmocka_unit_test (lanes_never_overlap),
      cmocka_unit_test (the_height_of_a_link_s_bar_is_its_share),
      cmocka_unit_test (names_have_the_room_they_want),
      cmocka_unit_test (bars_of_a_link_are_stacked),
      cmocka_unit_test (a_link_is_drawn_as_high_as_it_is_booked),
      cmocka_unit_test (an_empty_chart_says_so),
      cmocka_unit_test (colours_end_where_the_bar_ends),
      cmocka_unit_test (what_users_wrote_is_escaped_in_the_picture),
      cmocka_unit_test (marks_are_round_and_few),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
