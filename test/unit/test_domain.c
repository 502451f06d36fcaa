/*  domain: which graphs are accepted, prices, copies, and encoding in messages. */
#include "domain.h"

#include "directory_wire.h"
#include "message.h"

#include "gis.pb-c.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*  ams - N/r1 - X1, to be damaged by a test. */
typedef struct {
    domain_t domain;
    vertex_t vertices [3];
    link_t links [2];
    attribute_t place [2];
    attribute_t media [1];
} small_t;

static void small_new (small_t *self)
{
    *self =
      (small_t){.vertices = {{.name = "ams"},
                             {.name = "N/r1", .kind = VERTEX_ROUTER},
                             {.name = "X1", .kind = VERTEX_EXCHANGE}},
                .links = {{.name = "up", .ends = {"ams", "N/r1"}, .mbps = 1000, .latency_us = 100},
                          {.name = "out",
                           .ends = {"N/r1", "X1"},
                           .mbps = 10000,
                           .latency_us = 2500,
                           .price = 3000000}},
                .place = {{.name = "location", .value = "paris"}, {.name = "floor", .value = "2"}},
                .media = {{.name = "media", .value = "fibre"}}};
    self->vertices [2].attributes = self->place;
    self->vertices [2].attributes_count = 2;
    self->links [1].attributes = self->media;
    self->links [1].attributes_count = 1;
    self->domain = (domain_t){.vertices = self->vertices,
                              .vertices_count = 3,
                              .links = self->links,
                              .links_count = 2,
                              .disclosure = DISCLOSE_WINDOWS,
                              .lead_ms = 5000,
                              .horizon_ms = 86400000};
}

static void assert_refused (const small_t *small, const char *sentence)
{
    char why [WHY_BYTES] = "";
    assert_false (domain_check (&small->domain, "N", why));
    assert_string_equal (why, sentence);
}

static void a_graph_is_one_and_the_empty_one_too (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    small_t small;
    small_new (&small);
    assert_true (domain_check (&small.domain, "N", why));
    small.links [0].mbps = 0; /* out of service */
    assert_true (domain_check (&small.domain, "N", why));
    assert_true (domain_check (&(domain_t){0}, "N", why));
    assert_false (domain_check (&(domain_t){0}, "N/S", why));
    assert_false (domain_check (&(domain_t){0}, "", why));
}

static void names_the_vertex_or_link_that_is_wrong (void **state)
{
    (void) state;
    small_t small;
    small_new (&small);
    memcpy (small.vertices [1].name, "S/r1", 5);
    assert_refused (&small, "router S/r1: its name must begin with N/");
    small_new (&small);
    memcpy (small.vertices [1].name, "N/a/b", 6);
    assert_refused (&small,
                    "router \"N/a/b\": a name must not be empty and has no blanks or slashes");
    small_new (&small);
    memcpy (small.vertices [0].name, "a b", 4);
    assert_refused (&small, "site \"a b\": a name must not be empty and has no blanks or slashes");
    small_new (&small);
    *small.vertices [2].name = '\0';
    assert_refused (&small,
                    "exchange point \"\": a name must not be empty and has no blanks or slashes");
    small_new (&small);
    memcpy (small.vertices [2].name, "ams", 4);
    assert_refused (&small, "vertex ams is given twice");
    small_new (&small);
    memcpy (small.place [1].name, "location", 9);
    assert_refused (&small, "exchange point X1: attribute location is given twice");
    small_new (&small);
    memcpy (small.links [1].name, "up", 3);
    assert_refused (&small, "link up is given twice");
    small_new (&small);
    memcpy (small.links [1].name, "a/b", 4);
    assert_refused (&small, "link \"a/b\": a name must not be empty and has no blanks or slashes");
    small_new (&small);
    memcpy (small.links [0].ends [1], "r1", 3);
    assert_refused (&small, "link up: the domain has no vertex \"r1\"");
    small_new (&small);
    memcpy (small.links [0].ends [1], "ams", 4);
    assert_refused (&small, "link up: both ends are ams");
    small_new (&small);
    small.links [0].mbps = LINK_MBPS_MAX + 1;
    assert_refused (&small, "link up: mbps must be at most 1000000000");
    small_new (&small);
    small.links [0].latency_us = -1;
    assert_refused (&small, "link up: latency_ms must be 0 to 60000");
    small_new (&small);
    small.links [0].price = LINK_PRICE_MAX + 1;
    assert_refused (&small, "link up: price must be 0 to 1000000000000 micro-credits");
    small_new (&small);
    small.domain.lead_ms = -1;
    assert_refused (&small, "lead and horizon must not be negative");
    small_new (&small);
    small.domain.vertices_count = DOMAIN_VERTICES_MAX + 1;
    assert_refused (&small, "more than 4096 vertices");
    small_new (&small);
    small.domain.links_count = DOMAIN_LINKS_MAX + 1;
    assert_refused (&small, "more than 4096 links");
}

/*  Vertices alone, as many attributes as may be, each as long as may be. */
static void what_does_not_fit_a_message_is_refused (void **state)
{
    (void) state;
    enum { VERTICES = 200 };
    attribute_t attributes [CLASS_ATTRIBUTES_MAX] = {0};
    vertex_t *vertices = calloc (VERTICES, sizeof *vertices);
    assert_non_null (vertices);
    for (size_t i = 0; i < CLASS_ATTRIBUTES_MAX; i++) {
        snprintf (attributes [i].name, sizeof attributes [i].name, "%063zu", i);
        memset (attributes [i].value, 'v', ATTRIBUTE_VALUE_BYTES_MAX);
    }
    for (size_t i = 0; i < VERTICES; i++) {
        snprintf (vertices [i].name, sizeof vertices [i].name, "v%zu", i);
        vertices [i].attributes = attributes;
        vertices [i].attributes_count = CLASS_ATTRIBUTES_MAX;
    }
    domain_t domain = {.vertices = vertices};
    char why [WHY_BYTES];
    size_t fits = 0;
    for (domain.vertices_count = 1; domain.vertices_count <= VERTICES; domain.vertices_count++)
        if (domain_check (&domain, "N", why))
            fits = domain.vertices_count;
    assert_in_range (fits, 50, VERTICES - 1);
    assert_string_equal (
      why, "the description is larger than 786432 bytes: shorten names or leave out attributes");
    domain.vertices_count = fits;
    directory_entry_t entry = {.name = "nis/N", .start = 1, .endpoint = "x", .domain = &domain};
    packed_t packed = codec_encode (&directory_entry_codec, &entry);
    assert_in_range (packed.size, DOMAIN_BYTES_MAX * 9 / 10, DOMAIN_BYTES_MAX + 1024);
    free (packed.data);
    free (vertices);
}

static void a_copy_shares_nothing (void **state)
{
    (void) state;
    small_t small;
    small_new (&small);
    domain_t copy;
    codec_copy (&domain_codec, &copy, &small.domain);
    memset (&small, 0, sizeof small);
    assert_string_equal (copy.vertices [2].attributes [1].value, "2");
    assert_string_equal (copy.links [1].attributes [0].value, "fibre");
    assert_int_equal (domain_link (&copy, "out"), 1);
    assert_true (domain_link (&copy, "in") == SIZE_MAX);
    codec_clear (&domain_codec, &copy);
    assert_null (copy.links);
}

static void links_meet_what_is_required_of_them (void **state)
{
    (void) state;
    small_t small;
    small_new (&small);
    requirement_t fibre = {.attribute = "media", .value = "fibre"};
    assert_true (link_meets (&small.links [1], &fibre, 1));
    assert_false (link_meets (&small.links [0], &fibre, 1));
    assert_true (link_meets (&small.links [0], NULL, 0));
}

static void bandwidth_for_a_time_has_its_price (void **state)
{
    (void) state;
    static const struct {
        int64_t price;
        uint32_t mbps;
        int64_t ms;
        int64_t cost;
    } cases [] = {
      {3000000, 1000, 3600000, 3000000},
      {3000000, 500, 1800000, 750000},
      {3000000, 1, 1, 1},
      {0, 1000, 3600000, 0},
      {3000000, 0, 3600000, 0},
      {1, 1000, 3600000, 1},
      {1, 1000, 3600001, 2},
      {3600000000, 1000, 1, 1000},
      {LINK_PRICE_MAX, LINK_MBPS_MAX, 1, INT64_C (277777777778)},
      {LINK_PRICE_MAX, LINK_MBPS_MAX, INT64_C (253402300799999), LINK_COST_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal (link_cost (cases [i].price, cases [i].mbps, cases [i].ms),
                          cases [i].cost);
}

static packed_t small_packed (const small_t *small)
{
    directory_entry_t entry = {
      .name = "nis/N", .start = 3, .endpoint = "tcp://h:1", .domain = (domain_t *) &small->domain};
    return codec_encode (&directory_entry_codec, &entry);
}

static void a_description_arrives_as_it_was_sent (void **state)
{
    (void) state;
    small_t small;
    small_new (&small);
    packed_t packed = small_packed (&small);
    directory_entry_t entry;
    char why [WHY_BYTES];
    assert_true (
      codec_decode (&directory_entry_codec, &entry, (bytes_t){packed.data, packed.size}, why));
    directory_entry_t copy;
    codec_copy (&directory_entry_codec, &copy, &entry);
    codec_clear (&directory_entry_codec, &entry);
    assert_null (entry.domain);
    const domain_t *domain = copy.domain;
    assert_int_equal (domain->vertices_count, 3);
    assert_int_equal (domain->links_count, 2);
    assert_int_equal (domain->disclosure, DISCLOSE_WINDOWS);
    assert_int_equal (domain->lead_ms, 5000);
    assert_int_equal (domain->horizon_ms, 86400000);
    assert_int_equal (domain->vertices [1].kind, VERTEX_ROUTER);
    assert_string_equal (domain->vertices [2].attributes [0].value, "paris");
    assert_string_equal (domain->links [1].ends [1], "X1");
    assert_int_equal (domain->links [1].mbps, 10000);
    assert_int_equal (domain->links [1].latency_us, 2500);
    assert_int_equal (domain->links [1].price, 3000000);
    assert_string_equal (domain->links [1].attributes [0].name, "media");
    packed_t again = codec_encode (&directory_entry_codec, &copy);
    assert_int_equal (again.size, packed.size);
    assert_memory_equal (again.data, packed.data, packed.size);
    free (again.data);
    free (packed.data);
    codec_clear (&directory_entry_codec, &copy);
}

static void what_is_cut_short_never_breaks_it (void **state)
{
    (void) state;
    small_t small;
    small_new (&small);
    packed_t packed = small_packed (&small);
    for (size_t size = 0; size < packed.size; size++) {
        directory_entry_t entry;
        char why [WHY_BYTES];
        if (codec_decode (&directory_entry_codec, &entry, (bytes_t){packed.data, size}, why))
            codec_clear (&directory_entry_codec, &entry);
    }
    free (packed.data);
}

/*  A message that a peer could send: the fields of one description set by hand. */
static void assert_not_taken (Musubi__DomainDescription *domain, const char *wanted)
{
    uint8_t store [STORE_ID_BYTES] = {1};
    Musubi__Entry message = MUSUBI__ENTRY__INIT;
    message.name = "nis/N";
    message.store = (ProtobufCBinaryData){.len = sizeof store, .data = store};
    message.start = 1;
    message.endpoint = "tcp://h:1";
    message.description_case = MUSUBI__ENTRY__DESCRIPTION_DOMAIN;
    message.domain = domain;
    packed_t packed;
    packed.data = message_pack (&message.base, &packed.size);
    directory_entry_t entry;
    char why [WHY_BYTES] = "";
    assert_false (
      codec_decode (&directory_entry_codec, &entry, (bytes_t){packed.data, packed.size}, why));
    if (!strstr (why, wanted))
        fail_msg ("refused with \"%s\", without \"%s\"", why, wanted);
    free (packed.data);
}

static void fields_that_cannot_be_are_refused (void **state)
{
    (void) state;
    Musubi__Vertex ams = MUSUBI__VERTEX__INIT;
    Musubi__Vertex bcn = MUSUBI__VERTEX__INIT;
    Musubi__Vertex *vertices [] = {&ams, &bcn};
    Musubi__Link link = MUSUBI__LINK__INIT;
    Musubi__Link *links [] = {&link};
    Musubi__DomainDescription domain = MUSUBI__DOMAIN_DESCRIPTION__INIT;
    ams.name = "ams";
    bcn.name = "bcn";
    link.name = "l";
    link.a = "ams";
    link.b = "bcn";
    domain.n_vertices = 2;
    domain.vertices = vertices;
    domain.n_links = 1;
    domain.links = links;

    static const double latencies [] = {-1, 1e9, 60000.5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        link.latency_ms = latencies [i];
        assert_not_taken (&domain, "domain.links[0].latency_ms: ");
    }
    link.latency_ms = 1;
    link.price = -5;
    assert_not_taken (&domain, "domain: link l: price");
    link.price = 0;
    link.b = "";
    assert_not_taken (&domain, "domain.links[0].b: missing");
    link.b = "nowhere";
    assert_not_taken (&domain, "domain: link l: the domain has no vertex \"nowhere\"");
    link.b = "bcn";
    bcn.kind = (Musubi__VertexKind) 7;
    assert_not_taken (&domain, "domain.vertices[1].kind: 7 is not known");
    bcn.kind = MUSUBI__VERTEX_KIND__SITE_VERTEX;
    bcn.name = "ams";
    assert_not_taken (&domain, "domain: vertex ams is given twice");
    bcn.name = "bcn";
    domain.disclosure = (Musubi__Disclosure) 9;
    assert_not_taken (&domain, "domain.disclosure: 9 is not known");
    domain.disclosure = MUSUBI__DISCLOSURE__PROFILE;
    domain.horizon_ms = -1;
    assert_not_taken (&domain, "domain.horizon_ms: -1 should be a time between 1970 and 9999");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_graph_is_one_and_the_empty_one_too),
      cmocka_unit_test (names_the_vertex_or_link_that_is_wrong),
      cmocka_unit_test (what_does_not_fit_a_message_is_refused),
      cmocka_unit_test (a_copy_shares_nothing),
      cmocka_unit_test (links_meet_what_is_required_of_them),
      cmocka_unit_test (bandwidth_for_a_time_has_its_price),
      cmocka_unit_test (a_description_arrives_as_it_was_sent),
      cmocka_unit_test (what_is_cut_short_never_breaks_it),
      cmocka_unit_test (fields_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests_name ("domain", tests, NULL, NULL);
}
