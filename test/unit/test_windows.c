/*  windows - the questions put to sites and domains that disclose only windows. */
#include "windows.h"

#include "directory_entry.h"
#include "domain_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HOUR_MS INT64_C (3600000)

typedef struct {
    user_request_t request;
    snapshot_t *snapshot;
} windows_scene_t;

/*  Two needs of two CPUs, of which b starts ten minutes later, and so many connections between
 *  them, of 100, 200, 400… Mbit/s. */
static void request_of (user_request_t *request, size_t connections)
{
    *request = (user_request_t){.duration_ms = HOUR_MS};
    request->compute = calloc (2, sizeof *request->compute);
    request->compute_count = 2;
    strcpy (request->compute [0].id, "a");
    strcpy (request->compute [1].id, "b");
    request->compute [0].cpus = request->compute [1].cpus = 2;
    request->compute [1].offset_ms = HOUR_MS / 6;
    request->network = calloc (connections, sizeof *request->network);
    request->network_count = connections;
    for (size_t i = 0; i < connections; i++) {
        network_need_t *need = &request->network [i];
        *need =
          (network_need_t){.ends = {"a", "b"}, .ends_count = 2, .mbps = 100u << (i < 20 ? i : 20)};
        snprintf (need->id, sizeof need->id, "c%zu", i);
    }
}

static void add_site (snapshot_t *snapshot, const char *name, disclosure_t disclosure)
{
    node_class_t class = {.name = "thin", .nodes = 4, .cpus_per_node = 1};
    site_t site = {.classes = &class, .classes_count = 1, .disclosure = disclosure};
    directory_entry_t entry = {.site = &site};
    snprintf (entry.name, sizeof entry.name, "lis/%s", name);
    snapshot_consider (snapshot, &entry, CANDIDATES_MAX);
}

static void scene_begin (windows_scene_t *scene, size_t connections, disclosure_t sites,
                         const link_word_t *links, size_t links_count)
{
    request_of (&scene->request, connections);
    scene->snapshot = snapshot_new (&scene->request, NULL);
    add_site (scene->snapshot, "s1", sites);
    add_site (scene->snapshot, "s2", sites);
    domain_t domain = domain_of (links, links_count, DISCLOSE_WINDOWS);
    directory_entry_t entry = {.name = "nis/N", .domain = &domain};
    snapshot_consider_domain (scene->snapshot, &entry);
    snapshot_join (scene->snapshot);
    codec_clear (&domain_codec, &domain);
}

static void scene_end (windows_scene_t *scene)
{
    snapshot_destroy (&scene->snapshot);
    user_request_clear (&scene->request);
}

static bool asks (const window_question_t *windows, size_t count, const char *resource,
                  uint32_t quantity, int64_t from_ms, int64_t until_ms)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (windows [i].resource, resource) == 0 && windows [i].quantity == quantity &&
            windows [i].over.from == from_ms && windows [i].over.until == until_ms)
            return true;
    return false;
}

static const link_word_t pair [] = {{"s1-X1", 1000, 1, 0}, {"X1-s2", 250, 1, 0}};

static void a_link_is_asked_about_every_sum_that_it_could_carry (void **state)
{
    (void) state;
    windows_scene_t scene;
    scene_begin (&scene, 3, DISCLOSE_PROFILE, pair, 2);
    starts_t starts = {5 * HOUR_MS, 5 * HOUR_MS, INT64_MAX};
    size_t source = snapshot_source (scene.snapshot, "nis/N"), count;
    assert_int_equal (windows_starts (scene.snapshot, &starts), 1);
    window_question_t *windows =
      windows_choose (scene.snapshot, &starts, 1, 4 * HOUR_MS, source, &count);
    int64_t from_ms = 5 * HOUR_MS + HOUR_MS / 6, until_ms = 6 * HOUR_MS;
    for (uint32_t sum = 100; sum <= 700; sum += 100)
        assert_true (asks (windows, count, "s1-X1", sum, from_ms, until_ms));
    assert_true (asks (windows, count, "X1-s2", 200, from_ms, until_ms));
    assert_false (asks (windows, count, "X1-s2", 300, from_ms, until_ms)); /* it has not so much */
    assert_int_equal (count, 7 + 2);
    free (windows);
    scene_end (&scene);
}

static void needs_at_different_times_are_asked_about_together_over_both (void **state)
{
    (void) state;
    windows_scene_t scene;
    scene_begin (&scene, 2, DISCLOSE_PROFILE, pair, 1);
    scene.request.network [0].offset_ms = HOUR_MS / 6;
    scene.request.network [0].duration_ms = HOUR_MS / 6;
    scene.request.network [1].offset_ms = HOUR_MS / 4;
    scene.request.network [1].duration_ms = HOUR_MS / 4;
    starts_t starts = {0, 0, INT64_MAX};
    size_t source = snapshot_source (scene.snapshot, "nis/N"), count;
    scene.snapshot->links [0].useful = true; /* whatever it leads to */
    window_question_t *windows = windows_choose (scene.snapshot, &starts, 1, 0, source, &count);
    assert_true (asks (windows, count, "s1-X1", 100, HOUR_MS / 6, HOUR_MS / 3));
    assert_true (asks (windows, count, "s1-X1", 200, HOUR_MS / 4, HOUR_MS / 2));
    assert_true (asks (windows, count, "s1-X1", 300, HOUR_MS / 6, HOUR_MS / 2));
    assert_int_equal (count, 3);
    free (windows);
    scene_end (&scene);
}

static void sites_and_domains_are_asked_about_the_same_starts (void **state)
{
    (void) state;
    windows_scene_t scene;
    scene_begin (&scene, 1, DISCLOSE_WINDOWS, pair, 2);
    starts_t starts = {0, 31 * HOUR_MS, INT64_MAX};
    size_t domain = snapshot_source (scene.snapshot, "nis/N");
    size_t site = snapshot_source (scene.snapshot, "lis/s1"), domain_count, site_count;
    size_t each = windows_starts (scene.snapshot, &starts);
    assert_int_equal (each, WINDOWS_ASKED_MAX / 2); /* a site has two needs to be asked about */
    window_question_t *links =
      windows_choose (scene.snapshot, &starts, each, 0, domain, &domain_count);
    window_question_t *nodes = windows_choose (scene.snapshot, &starts, each, 0, site, &site_count);
    assert_int_equal (domain_count, 2 * each);
    assert_int_equal (site_count, 2 * each);
    for (size_t k = 0; k < each; k++) {
        int64_t start_ms = (int64_t) k * HOUR_MS, meet_ms = start_ms + HOUR_MS / 6;
        assert_true (asks (nodes, site_count, "thin", 2, start_ms, start_ms + HOUR_MS));
        assert_true (asks (links, domain_count, "s1-X1", 100, meet_ms, start_ms + HOUR_MS));
    }
    free (links);
    free (nodes);
    scene_end (&scene);
}

static void what_has_passed_is_not_asked_about (void **state)
{
    (void) state;
    windows_scene_t scene;
    scene_begin (&scene, 1, DISCLOSE_PROFILE, pair, 2);
    starts_t starts = {0, 0, INT64_MAX};
    size_t source = snapshot_source (scene.snapshot, "nis/N"), count;
    window_question_t *windows =
      windows_choose (scene.snapshot, &starts, 1, HOUR_MS / 2, source, &count);
    assert_true (asks (windows, count, "s1-X1", 100, HOUR_MS / 2, HOUR_MS));
    free (windows);
    windows = windows_choose (scene.snapshot, &starts, 1, HOUR_MS, source, &count);
    assert_int_equal (count, 0);
    free (windows);
    scene_end (&scene);
}

static void one_question_never_asks_more_than_it_may (void **state)
{
    (void) state;
    static char names [300][16];
    link_word_t links [300];
    for (size_t i = 0; i < 300; i++) {
        snprintf (names [i], sizeof names [i], "%s-X%zu", i % 2 ? "s2" : "s1", i / 2);
        links [i] = (link_word_t){names [i], 1000000000, 1, 0};
    }
    windows_scene_t scene;
    scene_begin (&scene, NETWORK_NEEDS_MAX, DISCLOSE_PROFILE, links, 300);
    starts_t starts = {0, 100 * HOUR_MS, INT64_MAX};
    size_t source = snapshot_source (scene.snapshot, "nis/N"), count;
    assert_int_equal (windows_starts (scene.snapshot, &starts), 1);
    window_question_t *windows = windows_choose (scene.snapshot, &starts, 1, 0, source, &count);
    assert_in_range (count, 300, LINK_WINDOWS_ASKED_MAX);
    for (size_t i = 0; i < 300; i++) /* each link at least alone */
        assert_true (asks (windows, count, names [i], 100, HOUR_MS / 6, HOUR_MS));
    free (windows);
    scene_end (&scene);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_link_is_asked_about_every_sum_that_it_could_carry),
      cmocka_unit_test (needs_at_different_times_are_asked_about_together_over_both),
      cmocka_unit_test (sites_and_domains_are_asked_about_the_same_starts),
      cmocka_unit_test (what_has_passed_is_not_asked_about),
      cmocka_unit_test (one_question_never_asks_more_than_it_may),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
