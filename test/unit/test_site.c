/*  site: matching of classes, whole nodes, copies. */
#include "site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static attribute_t thin_attributes [] = {{"os", "linux"}, {"memory_gb", "64"}};
static node_class_t classes [] = {
  {.name = "thin",
   .nodes = 10,
   .cpus_per_node = 8,
   .attributes = thin_attributes,
   .attributes_count = 2},
  {.name = "bare", .nodes = 1, .cpus_per_node = 1},
};
static const site_t site = {.classes = classes, .classes_count = 2, .lead_ms = 5};

static void asks_for_whole_nodes (void **state)
{
    (void) state;
    assert_int_equal (class_nodes_for (&classes [0], 1), 1);
    assert_int_equal (class_nodes_for (&classes [0], 8), 1);
    assert_int_equal (class_nodes_for (&classes [0], 9), 2);
    assert_int_equal (class_nodes_for (&classes [0], UINT32_MAX), UINT32_MAX / 8 + 1);
}

static void meets_text_exactly_and_numbers_from_their_minimum (void **state)
{
    (void) state;
    const struct {
        requirement_t require;
        bool met;
    } cases [] = {
      {{.attribute = "os", .value = "linux"}, true},
      {{.attribute = "os", .value = "Linux"}, false},
      {{.attribute = "gpu", .value = "linux"}, false},
      {{.attribute = "memory_gb", .numeric = true, .min = 64}, true},
      {{.attribute = "memory_gb", .numeric = true, .min = 64.5}, false},
      {{.attribute = "os", .numeric = true, .min = 0}, false}, /* not a number */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal (class_meets (&classes [0], &cases [i].require, 1), cases [i].met);
    assert_true (class_meets (&classes [1], NULL, 0));
    assert_false (class_meets (&classes [1], &cases [0].require, 1));
}

static void a_copy_shares_nothing (void **state)
{
    (void) state;
    site_t copy;
    codec_copy (&site_codec, &copy, &site);
    assert_ptr_not_equal (copy.classes, site.classes);
    assert_ptr_not_equal (copy.classes [0].attributes, site.classes [0].attributes);
    assert_string_equal (site_class (&copy, "thin")->attributes [1].value, "64");
    assert_null (site_class (&copy, "thick"));
    assert_int_equal (copy.lead_ms, 5);
    codec_clear (&site_codec, &copy);
    assert_int_equal (copy.classes_count, 0);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (asks_for_whole_nodes),
      cmocka_unit_test (meets_text_exactly_and_numbers_from_their_minimum),
      cmocka_unit_test (a_copy_shares_nothing),
    };
    return cmocka_run_group_tests_name ("site", tests, NULL, NULL);
}
