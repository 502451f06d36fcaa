/*  connections - paths cut into circuits and put together again. */
#include "connections.h"

#include "domain_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const link_word_t links_n [] = {{"a-X1", 1000, 2, 0}, {"X2-b", 1000, 2, 0}};
static const link_word_t links_s [] = {{"X1-X2", 1000, 3, 0}};

static graph_t *two_domains (void)
{
    graph_t *graph = graph_new ();
    domain_t n = domain_of (links_n, 2, DISCLOSE_PROFILE);
    domain_t s = domain_of (links_s, 1, DISCLOSE_PROFILE);
    graph_add (graph, "N", &n);
    graph_add (graph, "S", &s);
    codec_clear (&domain_codec, &n);
    codec_clear (&domain_codec, &s);
    return graph;
}

static circuit_t circuit (const char *link, uint32_t hop)
{
    circuit_t circuit = {.need = "x-y",
                         .links = calloc (1, sizeof *circuit.links),
                         .links_count = 1,
                         .mbps = 300,
                         .from_ms = 10,
                         .until_ms = 20,
                         .hop = hop};
    snprintf (circuit.links [0], sizeof circuit.links [0], "%s", link);
    return circuit;
}

/*  A reservation over both domains: a path that leaves N and comes back to it. */
typedef struct {
    compute_need_t compute [2];
    network_need_t network [2];
    user_request_t request;
    compute_booking_t bookings [2];
    circuit_t in_n [2];
    circuit_t in_s [1];
    part_record_t parts [4];
    const part_record_t *records [4];
} connections_booked_t;

static void book (connections_booked_t *booked)
{
    *booked = (connections_booked_t){
      .compute = {{.id = "x", .cpus = 1, .offset_ms = 4}, {.id = "y", .cpus = 1}},
      .network = {{.id = "x-y", .ends = {"x", "y"}, .ends_count = 2, .mbps = 300}},
      .bookings = {{.need = "x", .from_ms = 10, .until_ms = 20},
                   {.need = "y", .from_ms = 6, .until_ms = 20}},
      .in_n = {circuit ("X2-b", 2), circuit ("a-X1", 0)},
      .in_s = {circuit ("X1-X2", 1)},
    };
    booked->request = (user_request_t){.duration_ms = 10,
                                       .compute = booked->compute,
                                       .compute_count = 2,
                                       .network = booked->network,
                                       .network_count = 1};
    booked->parts [0] = (part_record_t){
      .participant = "lis/a", .bookings = &booked->bookings [0], .bookings_count = 1};
    booked->parts [1] = (part_record_t){
      .participant = "lis/b", .bookings = &booked->bookings [1], .bookings_count = 1};
    booked->parts [2] =
      (part_record_t){.participant = "nis/N", .circuits = booked->in_n, .circuits_count = 2};
    booked->parts [3] =
      (part_record_t){.participant = "nis/S", .circuits = booked->in_s, .circuits_count = 1};
    for (size_t i = 0; i < 4; i++)
        booked->records [i] = &booked->parts [i];
}

static void unbook (connections_booked_t *booked)
{
    free (booked->in_n [0].links);
    free (booked->in_n [1].links);
    free (booked->in_s [0].links);
}

static void a_path_that_comes_back_to_a_domain_is_whole_again (void **state)
{
    (void) state;
    connections_booked_t booked;
    graph_t *graph = two_domains ();
    size_t count;
    book (&booked);
    connection_t *found = connections_gather (booked.records, 4, &booked.request, graph, &count);
    assert_int_equal (count, 1);
    assert_string_equal (found [0].need, "x-y");
    assert_string_equal (found [0].ends [0], "x");
    assert_int_equal (found [0].mbps, 300);
    assert_int_equal (found [0].latency_us, 7000);
    assert_int_equal (found [0].path_count, 4);
    assert_string_equal (found [0].path [0], "a");
    assert_string_equal (found [0].path [1], "X1");
    assert_string_equal (found [0].path [2], "X2");
    assert_string_equal (found [0].path [3], "b");
    assert_int_equal (found [0].links_count, 3);
    assert_string_equal (found [0].links [0], "N/a-X1");
    assert_string_equal (found [0].links [1], "S/X1-X2");
    assert_string_equal (found [0].links [2], "N/X2-b");
    connections_free (found, count);

    size_t links [PATH_HOPS_MAX], links_count;
    assert_true (connection_links (booked.records, 4, "x-y", graph, links, &links_count));
    assert_int_equal (links_count, 3);
    assert_int_equal (links [0], graph_find_link (graph, "N", "a-X1"));
    assert_int_equal (links [1], graph_find_link (graph, "S", "X1-X2"));
    assert_false (connection_links (booked.records, 4, "other", graph, links, &links_count));
    graph_destroy (&graph);
    unbook (&booked);
}

static void a_path_that_is_not_all_known_is_told_as_its_links (void **state)
{
    (void) state;
    connections_booked_t booked;
    graph_t *graph = two_domains ();
    size_t count, links [PATH_HOPS_MAX], links_count;
    book (&booked);
    /* S is silent. */
    connection_t *found = connections_gather (booked.records, 3, &booked.request, graph, &count);
    assert_int_equal (count, 1);
    assert_int_equal (found [0].path_count, 0);
    assert_int_equal (found [0].links_count, 2);
    assert_string_equal (found [0].links [0], "N/a-X1");
    assert_string_equal (found [0].links [1], "N/X2-b");
    connections_free (found, count);
    assert_false (connection_links (booked.records, 3, "x-y", graph, links, &links_count));

    /* What is left begins where it should, and ends on the way. */
    booked.parts [2].circuits = &booked.in_n [1];
    booked.parts [2].circuits_count = 1;
    found = connections_gather (booked.records, 4, &booked.request, graph, &count);
    assert_int_equal (count, 1);
    assert_int_equal (found [0].path_count, 0);
    assert_int_equal (found [0].links_count, 2);
    connections_free (found, count);
    booked.parts [2].circuits = booked.in_n;
    booked.parts [2].circuits_count = 2;
    graph_destroy (&graph);

    /* Neither the domains nor the request are known any more. */
    graph = graph_new ();
    found = connections_gather (booked.records, 4, NULL, graph, &count);
    assert_int_equal (count, 1);
    assert_int_equal (found [0].path_count, 0);
    assert_int_equal (found [0].links_count, 3);
    assert_string_equal (found [0].ends [0], "");
    connections_free (found, count);
    graph_destroy (&graph);
    unbook (&booked);
}

/*  The same circuits for a file that comes from a to y. */
static void a_circuit_of_a_file_leads_from_its_source (void **state)
{
    (void) state;
    connections_booked_t booked;
    data_need_t data = {.id = "x-y", .at = "y"};
    space_booking_t space = {.need = "x-y", .source = "a"};
    graph_t *graph = two_domains ();
    size_t count;
    book (&booked);
    booked.request.network_count = 0;
    booked.request.data = &data;
    booked.request.data_count = 1;
    booked.parts [0] =
      (part_record_t){.participant = "replica/b", .space = &space, .space_count = 1};
    connection_t *found = connections_gather (booked.records, 4, &booked.request, graph, &count);
    assert_int_equal (count, 1);
    assert_string_equal (found [0].ends [0], "a");
    assert_string_equal (found [0].ends [1], "y");
    assert_int_equal (found [0].path_count, 4);
    assert_string_equal (found [0].path [0], "a");
    assert_string_equal (found [0].path [3], "b");
    connections_free (found, count);
    graph_destroy (&graph);
    unbook (&booked);
}

static void ends_at_one_site_are_connected_there (void **state)
{
    (void) state;
    connections_booked_t booked;
    size_t count;
    book (&booked);
    booked.parts [0].bookings_count = 2; /* both */
    connection_t *found = connections_gather (booked.records, 1, &booked.request, NULL, &count);
    assert_int_equal (count, 1);
    assert_string_equal (found [0].need, "x-y");
    assert_int_equal (found [0].path_count, 1);
    assert_string_equal (found [0].path [0], "a");
    assert_int_equal (found [0].links_count, 0);
    assert_int_equal (found [0].from_ms, 10);
    assert_int_equal (found [0].until_ms, 16); /* y has ended: 6 + 10 */
    connections_free (found, count);
    unbook (&booked);
}

static void a_path_is_cut_where_the_domain_changes (void **state)
{
    (void) state;
    graph_t *graph = two_domains ();
    path_t path = {.links = {graph_find_link (graph, "N", "a-X1"),
                             graph_find_link (graph, "S", "X1-X2"),
                             graph_find_link (graph, "N", "X2-b")},
                   .links_count = 3};
    assert_int_equal (path_stretch (graph, &path, 0), 1);
    assert_int_equal (path_stretch (graph, &path, 1), 1);
    assert_int_equal (path_stretch (graph, &path, 2), 1);
    graph_destroy (&graph);
    static const link_word_t chain [] = {{"a-b", 1, 1, 0}, {"b-c", 1, 1, 0}};
    graph = graph_new ();
    domain_t n = domain_of (chain, 2, DISCLOSE_PROFILE);
    graph_add (graph, "N", &n);
    codec_clear (&domain_codec, &n);
    path = (path_t){.links = {0, 1}, .links_count = 2};
    assert_int_equal (path_stretch (graph, &path, 0), 2);
    assert_int_equal (path_stretch (graph, &path, 1), 1);
    graph_destroy (&graph);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_path_that_comes_back_to_a_domain_is_whole_again),
      cmocka_unit_test (a_path_that_is_not_all_known_is_told_as_its_links),
      cmocka_unit_test (a_circuit_of_a_file_leads_from_its_source),
      cmocka_unit_test (ends_at_one_site_are_connected_there),
      cmocka_unit_test (a_path_is_cut_where_the_domain_changes),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
