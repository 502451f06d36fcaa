/*  path: compared with an enumeration of every simple path, on small random graphs; and the reason
 *  that is given when there is none.
 */
#include "path.h"

#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS       20000
#define PATHS_MAX    20000
#define STEPS_PLENTY UINT64_C (1000000000)

/*  --- graphs --- */

enum { VERTICES_MAX = 24, LINKS_MAX = 40 };

typedef struct {
    domain_t domain;
    vertex_t vertices [VERTICES_MAX];
    link_t links [LINKS_MAX];
} path_drawn_t;

static void draw_clear (path_drawn_t *self)
{
    memset (self, 0, sizeof *self);
    self->domain.vertices = self->vertices;
    self->domain.links = self->links;
}

static void draw_vertex (path_drawn_t *self, const char *name, vertex_kind_t kind)
{
    vertex_t *vertex = &self->vertices [self->domain.vertices_count++];
    snprintf (vertex->name, sizeof vertex->name, "%s", name);
    vertex->kind = kind;
}

static link_t *draw_link (path_drawn_t *self, const char *a, const char *b, uint32_t mbps,
                          int64_t latency_us, int64_t price)
{
    assert_true (self->domain.links_count < LINKS_MAX);
    link_t *link = &self->links [self->domain.links_count++];
    snprintf (link->name, sizeof link->name, "%zu", self->domain.links_count);
    snprintf (link->ends [0], sizeof link->ends [0], "%s", a);
    snprintf (link->ends [1], sizeof link->ends [1], "%s", b);
    link->mbps = mbps;
    link->latency_us = latency_us;
    link->price = price;
    return link;
}

static void add (graph_t *graph, const char *name, const path_drawn_t *drawn)
{
    char why [WHY_BYTES];
    if (!domain_check (&drawn->domain, name, why))
        fail_msg ("%s", why);
    graph_add (graph, name, &drawn->domain);
}

/*  Sites a, b, … at random between exchange points; one to three domains. */
static graph_t *random_graph (prng_t *chance, size_t vertices)
{
    size_t domains = 1 + prng_below (chance, 3);
    graph_t *graph = graph_new ();
    for (size_t d = 0; d < domains; d++) {
        path_drawn_t drawn;
        draw_clear (&drawn);
        for (size_t i = 0; i < vertices; i++)
            draw_vertex (&drawn, (char []){(char) ('a' + i), '\0'}, VERTEX_EXCHANGE);
        size_t links = vertices + prng_below (chance, 2 * vertices);
        for (size_t i = 0; i < links / domains; i++) {
            size_t a = prng_below (chance, vertices);
            size_t b = (a + 1 + prng_below (chance, vertices - 1)) % vertices;
            draw_link (&drawn, drawn.vertices [a].name, drawn.vertices [b].name,
                       (uint32_t) (1 + prng_below (chance, 4)) * 100,
                       (int64_t) prng_below (chance, 5) * 1000, (int64_t) prng_below (chance, 4));
        }
        add (graph, (char []){(char) ('N' + d), '\0'}, &drawn);
    }
    return graph;
}

/*  --- every simple path --- */

typedef struct {
    const graph_t *graph;
    path_question_t question;
    int64_t free [3 * LINKS_MAX];
    path_t *paths;
    size_t paths_count;
} path_model_t;

static int64_t model_free (void *owner, size_t link)
{
    return ((path_model_t *) owner)->free [link];
}

static void model_visit (path_model_t *self, size_t vertex, path_t *path, uint64_t visited)
{
    if (vertex == self->question.to) {
        if (self->question.latency_us_max == 0 ||
            path->latency_us <= self->question.latency_us_max) {
            assert_true (self->paths_count < PATHS_MAX);
            self->paths [self->paths_count++] = *path;
        }
        return;
    }
    for (size_t i = 0; i < graph_links (self->graph); i++) {
        const graph_link_t *link = graph_link (self->graph, i);
        if (link->ends [0] != vertex && link->ends [1] != vertex)
            continue;
        size_t other = link->ends [0] == vertex ? link->ends [1] : link->ends [0];
        bool room =
          self->question.order == PATH_FIXED || self->free [i] >= (int64_t) self->question.mbps;
        if (visited >> other & 1 || self->free [i] < 0 || !room)
            continue;
        path_t longer = *path;
        longer.links [longer.links_count++] = i;
        longer.latency_us += link->link->latency_us;
        longer.weight += link->link->price;
        if (self->free [i] < longer.mbps)
            longer.mbps = self->free [i];
        model_visit (self, other, &longer, visited | UINT64_C (1) << other);
    }
}

static const path_model_t *comparing;

static int64_t width (const path_t *path)
{
    if (comparing->question.order != PATH_FIXED)
        return path->mbps;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < path->links_count; i++)
        if (graph_link (comparing->graph, path->links [i])->link->mbps < least)
            least = graph_link (comparing->graph, path->links [i])->link->mbps;
    return least;
}

static int by_order (const void *left, const void *right)
{
    const path_t *a = left;
    const path_t *b = right;
    int64_t hops = (int64_t) a->links_count - (int64_t) b->links_count;
    int64_t wide = width (b) - width (a);
    int64_t weight = a->weight - b->weight;
    int64_t order [3] = {hops, wide, weight};
    if (comparing->question.order == PATH_FIXED)
        order [2] = 0;
    if (comparing->question.order == PATH_CHEAP) {
        order [0] = weight;
        order [1] = hops;
        order [2] = wide;
    }
    for (int i = 0; i < 3; i++)
        if (order [i] != 0)
            return order [i] < 0 ? -1 : 1;
    size_t here [PATH_HOPS_MAX + 1];
    size_t there [PATH_HOPS_MAX + 1];
    path_vertices (comparing->graph, a, here);
    path_vertices (comparing->graph, b, there);
    for (size_t i = 0; i < a->links_count; i++) {
        int names = strcmp (graph_vertex_name (comparing->graph, here [i + 1]),
                            graph_vertex_name (comparing->graph, there [i + 1]));
        if (names != 0)
            return names;
        if (a->links [i] != b->links [i])
            return a->links [i] < b->links [i] ? -1 : 1;
    }
    return 0;
}

static void model_enumerate (path_model_t *self)
{
    self->paths_count = 0;
    path_t path = {.from = self->question.from, .mbps = INT64_MAX};
    model_visit (self, self->question.from, &path, UINT64_C (1) << self->question.from);
    comparing = self;
    qsort (self->paths, self->paths_count, sizeof *self->paths, by_order);
}

static void assert_same (const path_t *path, const path_t *expected)
{
    assert_int_equal (path->from, expected->from);
    assert_int_equal (path->links_count, expected->links_count);
    for (size_t i = 0; i < path->links_count; i++)
        assert_int_equal (path->links [i], expected->links [i]);
    assert_int_equal (path->latency_us, expected->latency_us);
    assert_int_equal (path->mbps, expected->mbps);
    assert_int_equal (path->weight, expected->weight);
}

static void random_question (path_model_t *self, prng_t *chance, size_t vertices)
{
    self->question = (path_question_t){
      .from = prng_below (chance, vertices),
      .to = prng_below (chance, vertices),
      .order = (path_order_t) prng_below (chance, 3),
      .latency_us_max = prng_below (chance, 2) ? (int64_t) prng_below (chance, 12) * 1000 : 0,
      .mbps = (uint32_t) prng_below (chance, 4) * 100,
      .free = model_free,
      .owner = self};
    for (size_t i = 0; i < graph_links (self->graph); i++) {
        int64_t capacity = graph_link (self->graph, i)->link->mbps;
        self->free [i] = (int64_t) prng_below (chance, (uint64_t) capacity / 100 + 1) * 100;
        if (prng_below (chance, 10) == 0)
            self->free [i] = -1;
    }
}

/*  Next must give every path in order and once, and then none, however often it is called. */
static void check_finder (path_model_t *self, path_finder_t *finder)
{
    uint64_t steps = STEPS_PLENTY;
    path_t path;
    for (size_t i = 0; i < self->paths_count; i++) {
        assert_int_equal (path_finder_next (finder, &path, &steps), PATH_FOUND);
        assert_same (&path, &self->paths [i]);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal (path_finder_next (finder, &path, &steps), PATH_NONE);
}

static void finds_what_an_enumeration_finds_in_its_order (void **state)
{
    (void) state;
    const uint64_t seed = 20261121;
    print_message ("seed %llu\n", (unsigned long long) seed);
    prng_t chance;
    prng_seed (&chance, seed);
    path_model_t model = {.paths = calloc (PATHS_MAX, sizeof (path_t))};
    assert_non_null (model.paths);
    size_t found = 0;
    size_t none = 0;
    size_t limited = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t vertices = 2 + prng_below (&chance, 6);
        graph_t *graph = random_graph (&chance, vertices);
        model.graph = graph;
        random_question (&model, &chance, vertices);
        model_enumerate (&model);
        bool fixed = model.question.order == PATH_FIXED;
        if (fixed && model.paths_count > 1)
            model.paths_count = 1;
        if (fixed && model.paths_count == 1 && model.paths [0].mbps < model.question.mbps)
            model.paths_count = 0;

        path_t path;
        uint64_t steps = STEPS_PLENTY;
        path_state_t answer = path_find (graph, &model.question, &path, &steps);
        assert_int_equal (answer, model.paths_count > 0 ? PATH_FOUND : PATH_NONE);
        if (answer == PATH_FOUND)
            assert_same (&path, &model.paths [0]);
        found += answer == PATH_FOUND;
        none += answer == PATH_NONE;
        limited += answer == PATH_FOUND && model.question.latency_us_max > 0;

        path_finder_t *finder = path_finder_new (graph, &model.question);
        check_finder (&model, finder);
        path_finder_ask (finder, &model.question);
        check_finder (&model, finder);
        path_finder_destroy (&finder);
        graph_destroy (&graph);
    }
    free (model.paths);
    assert_true (found > ROUNDS / 4 && none > ROUNDS / 10 && limited > ROUNDS / 10);
}

static void a_finder_whose_steps_ran_out_goes_on_where_it_stopped (void **state)
{
    (void) state;
    prng_t chance;
    prng_seed (&chance, 7);
    path_model_t model = {.paths = calloc (PATHS_MAX, sizeof (path_t))};
    assert_non_null (model.paths);
    size_t stops = 0;
    for (int round = 0; round < 300; round++) {
        graph_t *graph = random_graph (&chance, 6);
        model.graph = graph;
        random_question (&model, &chance, 6);
        if (model.question.order == PATH_FIXED)
            model.question.order = PATH_FREE;
        model_enumerate (&model);
        path_finder_t *finder = path_finder_new (graph, &model.question);
        size_t count = 0;
        path_state_t answer = PATH_FOUND;
        uint64_t patience = 0;
        do {
            patience = answer == PATH_UNKNOWN ? 2 * patience : 1 + prng_below (&chance, 100);
            uint64_t steps = patience;
            path_t path;
            answer = path_finder_next (finder, &path, &steps);
            if (answer == PATH_FOUND)
                assert_same (&path, &model.paths [count++]);
            stops += answer == PATH_UNKNOWN;
        } while (answer != PATH_NONE);
        assert_int_equal (count, model.paths_count);
        path_finder_destroy (&finder);
        graph_destroy (&graph);
    }
    assert_true (stops > 100);
    free (model.paths);
}

/*  --- what only larger graphs show --- */

/*  A ladder with a quick, dear side and a slow, cheap one at each rung. With a latency limit in
 *  between, the best path takes some of both. */
static void a_limit_between_quick_and_cheap_takes_some_of_both (void **state)
{
    (void) state;
    enum { RUNGS = 12 };
    path_drawn_t drawn;
    draw_clear (&drawn);
    for (size_t i = 0; i <= RUNGS; i++)
        draw_vertex (&drawn, (char []){(char) ('a' + i), '\0'}, VERTEX_SITE);
    for (size_t i = 0; i < RUNGS; i++) {
        const char *here = drawn.vertices [i].name;
        const char *there = drawn.vertices [i + 1].name;
        draw_link (&drawn, here, there, 1000, 1000, 10 + (int64_t) i); /* quick */
        draw_link (&drawn, here, there, 1000, 3000, 1);                /* cheap */
    }
    graph_t *graph = graph_new ();
    add (graph, "N", &drawn);
    path_question_t question = {.from = graph_vertex (graph, "a"),
                                .to = graph_vertex (graph, "m"),
                                .order = PATH_CHEAP,
                                .latency_us_max = 20000};
    path_t path;
    uint64_t steps = STEPS_PLENTY;
    assert_int_equal (path_find (graph, &question, &path, &steps), PATH_FOUND);
    /* 12 ms at least; 4 of the 12 may be slow: the eight quick ones are the first, which are the
     * cheapest of those */
    assert_int_equal (path.latency_us, 20000);
    assert_int_equal (path.weight, (10 + 11 + 12 + 13 + 14 + 15 + 16 + 17) + 4);
    question.latency_us_max = 11999;
    assert_int_equal (path_find (graph, &question, &path, &steps), PATH_NONE);
    question.latency_us_max = 0;
    assert_int_equal (path_find (graph, &question, &path, &steps), PATH_FOUND);
    assert_int_equal (path.weight, RUNGS);
    graph_destroy (&graph);
}

/*  A chain of more links than a path may have, free of charge, and a dear short cut over its second
 *  half: the cheapest that can be had takes the short cut. */
static void the_cheapest_of_at_most_so_many_hops_is_found (void **state)
{
    (void) state;
    enum { CHAIN = PATH_HOPS_MAX + 6 };
    domain_t domain = {.vertices_count = CHAIN + 1, .links_count = CHAIN + 1};
    domain.vertices = calloc (CHAIN + 1, sizeof *domain.vertices);
    domain.links = calloc (CHAIN + 1, sizeof *domain.links);
    assert_true (domain.vertices && domain.links);
    for (size_t i = 0; i <= CHAIN; i++)
        snprintf (domain.vertices [i].name, sizeof domain.vertices [i].name, "v%03zu", i);
    for (size_t i = 0; i <= CHAIN; i++) {
        link_t *link = &domain.links [i];
        size_t from = i < CHAIN ? i : CHAIN / 2;
        size_t to = i < CHAIN ? i + 1 : CHAIN;
        snprintf (link->name, sizeof link->name, "%zu", i);
        memcpy (link->ends [0], domain.vertices [from].name, sizeof link->ends [0]);
        memcpy (link->ends [1], domain.vertices [to].name, sizeof link->ends [1]);
        link->mbps = 1000;
        link->price = i < CHAIN ? 0 : 5;
    }
    graph_t *graph = graph_new ();
    graph_add (graph, "N", &domain);
    path_question_t question = {.from = 0, .to = CHAIN, .order = PATH_CHEAP};
    path_t path;
    uint64_t steps = STEPS_PLENTY;
    assert_int_equal (path_find (graph, &question, &path, &steps), PATH_FOUND);
    assert_int_equal (path.weight, 5);
    assert_int_equal (path.links_count, CHAIN / 2 + 1);
    question.to = CHAIN - 1; /* over the short cut and one back */
    assert_int_equal (path_find (graph, &question, &path, &steps), PATH_FOUND);
    assert_int_equal (path.weight, 5);
    assert_int_equal (path.links_count, CHAIN / 2 + 2);
    domain.links_count = CHAIN; /* without it */
    graph_add (graph, "N", &domain);
    for (path_order_t order = PATH_FIXED; order <= PATH_CHEAP; order++) {
        question.order = order;
        assert_int_equal (path_find (graph, &question, &path, &steps), PATH_NONE);
    }
    graph_destroy (&graph);
    codec_clear (&domain_codec, &domain);
}

static void a_path_to_where_one_is_has_no_links (void **state)
{
    (void) state;
    path_drawn_t drawn;
    draw_clear (&drawn);
    draw_vertex (&drawn, "ams", VERTEX_SITE);
    draw_vertex (&drawn, "bcn", VERTEX_SITE);
    draw_link (&drawn, "ams", "bcn", 1000, 1000, 0);
    graph_t *graph = graph_new ();
    add (graph, "N", &drawn);
    path_question_t question = {.from = 0, .to = 0, .mbps = 5000};
    for (path_order_t order = PATH_FIXED; order <= PATH_CHEAP; order++) {
        question.order = order;
        path_finder_t *finder = path_finder_new (graph, &question);
        uint64_t steps = STEPS_PLENTY;
        path_t path;
        assert_int_equal (path_finder_next (finder, &path, &steps), PATH_FOUND);
        assert_int_equal (path.links_count, 0);
        assert_int_equal (path.mbps, INT64_MAX);
        assert_int_equal (path_finder_next (finder, &path, &steps), PATH_NONE);
        path_finder_destroy (&finder);
    }
    graph_destroy (&graph);
}

static void steps_that_run_out_are_told (void **state)
{
    (void) state;
    prng_t chance;
    prng_seed (&chance, 3);
    graph_t *graph = random_graph (&chance, 7);
    path_question_t question = {.from = 0, .to = 6, .order = PATH_FREE};
    path_t path;
    uint64_t steps = 1;
    assert_int_equal (path_find (graph, &question, &path, &steps), PATH_UNKNOWN);
    assert_true (steps <= 1);
    graph_destroy (&graph);
}

/*  --- why there is none --- */

typedef struct {
    graph_t *graph;
    path_question_t question;
    int64_t free [8];
} path_asking_t;

static int64_t asking_free (void *owner, size_t link)
{
    return ((path_asking_t *) owner)->free [link];
}

/*  ams - X1 - bcn in N, both links 1 Gbit/s and 2 ms; ams - bcn directly, 300 Mbit/s and 9 ms; osl
 *  stands alone. */
static path_asking_t asking_new (void)
{
    path_drawn_t drawn;
    draw_clear (&drawn);
    draw_vertex (&drawn, "ams", VERTEX_SITE);
    draw_vertex (&drawn, "bcn", VERTEX_SITE);
    draw_vertex (&drawn, "osl", VERTEX_SITE);
    draw_vertex (&drawn, "X1", VERTEX_EXCHANGE);
    draw_link (&drawn, "ams", "X1", 1000, 2000, 0);
    draw_link (&drawn, "X1", "bcn", 1000, 2000, 0);
    draw_link (&drawn, "ams", "bcn", 300, 9000, 0);
    path_asking_t asking = {.graph = graph_new (), .free = {1000, 400, 300}};
    add (asking.graph, "N", &drawn);
    asking.question = (path_question_t){.from = graph_vertex (asking.graph, "ams"),
                                        .to = graph_vertex (asking.graph, "bcn"),
                                        .order = PATH_FREE,
                                        .mbps = 500,
                                        .free = asking_free};
    return asking;
}

static void assert_explained (path_asking_t *asking, const char *sentence, size_t link)
{
    char why [256];
    size_t named;
    asking->question.owner = asking;
    path_t path;
    uint64_t steps = STEPS_PLENTY;
    assert_int_equal (path_find (asking->graph, &asking->question, &path, &steps), PATH_NONE);
    path_explain (asking->graph, &asking->question, &named, why);
    assert_string_equal (why, sentence);
    assert_true (named == link);
}

static void says_which_link_is_too_full (void **state)
{
    (void) state;
    path_asking_t asking = asking_new ();
    assert_explained (&asking,
                      "N/2 has 400 Mbit/s free of the 500 wanted, and no other path has more", 1);
    asking.free [1] = 200;
    assert_explained (&asking,
                      "N/3 has 300 Mbit/s free of the 500 wanted, and no other path has more", 2);
    asking.question.latency_us_max = 5000; /* the direct way is too long */
    assert_explained (&asking,
                      "N/2 has 200 Mbit/s free of the 500 wanted, and no other path has more", 1);
    asking.question.latency_us_max = 0;
    asking.question.order = PATH_FIXED; /* the direct one, which has fewest hops */
    assert_explained (&asking,
                      "N/3 has 300 Mbit/s free of the 500 wanted, and it is on the fixed path", 2);
    graph_destroy (&asking.graph);
}

static void says_how_long_the_quickest_path_takes (void **state)
{
    (void) state;
    path_asking_t asking = asking_new ();
    asking.question.mbps = 100;
    asking.question.latency_us_max = 3500;
    assert_explained (
      &asking, "the quickest path from ams to bcn takes 4.000 ms, more than the limit of 3.500 ms",
      SIZE_MAX);
    graph_destroy (&asking.graph);
}

static void says_that_there_is_no_path (void **state)
{
    (void) state;
    path_asking_t asking = asking_new ();
    size_t bcn = asking.question.to;
    asking.question.to = graph_vertex (asking.graph, "osl");
    assert_explained (&asking, "no path from ams to osl", SIZE_MAX);
    asking.question.to = bcn;
    asking.free [1] = asking.free [2] = -1;
    assert_explained (&asking, "no path from ams to bcn over links that meet the requirements",
                      SIZE_MAX);
    graph_destroy (&asking.graph);
}

static void says_where_domains_disagree (void **state)
{
    (void) state;
    attribute_t paris = {.name = "location", .value = "paris"};
    attribute_t lyon = {.name = "location", .value = "lyon"};
    path_drawn_t north;
    path_drawn_t south;
    draw_clear (&north);
    draw_vertex (&north, "ams", VERTEX_SITE);
    draw_vertex (&north, "X1", VERTEX_EXCHANGE);
    draw_link (&north, "ams", "X1", 1000, 2000, 0);
    draw_clear (&south);
    draw_vertex (&south, "bcn", VERTEX_SITE);
    draw_vertex (&south, "X1", VERTEX_EXCHANGE);
    draw_link (&south, "bcn", "X1", 1000, 2000, 0);
    north.vertices [1].attributes = &paris;
    north.vertices [1].attributes_count = 1;
    south.vertices [1].attributes = &lyon;
    south.vertices [1].attributes_count = 1;
    path_asking_t asking = {.graph = graph_new (), .free = {1000, 1000}};
    add (asking.graph, "N", &north);
    add (asking.graph, "S", &south);
    asking.question = (path_question_t){.from = graph_vertex (asking.graph, "ams"),
                                        .to = graph_vertex (asking.graph, "bcn"),
                                        .free = asking_free};
    assert_explained (&asking,
                      "no path may cross exchange point X1: domain N says location=paris, domain S "
                      "says location=lyon",
                      SIZE_MAX);
    graph_destroy (&asking.graph);
}

static void words_for_orders_are_taken (void **state)
{
    (void) state;
    path_order_t order = PATH_CHEAP;
    assert_true (path_order_parse ("free", &order));
    assert_int_equal (order, PATH_FREE);
    assert_true (path_order_parse ("fixed", &order));
    assert_int_equal (order, PATH_FIXED);
    assert_false (path_order_parse ("cheap", &order));
    assert_false (path_order_parse ("", &order));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (finds_what_an_enumeration_finds_in_its_order),
      cmocka_unit_test (a_finder_whose_steps_ran_out_goes_on_where_it_stopped),
      cmocka_unit_test (a_limit_between_quick_and_cheap_takes_some_of_both),
      cmocka_unit_test (the_cheapest_of_at_most_so_many_hops_is_found),
      cmocka_unit_test (a_path_to_where_one_is_has_no_links),
      cmocka_unit_test (steps_that_run_out_are_told),
      cmocka_unit_test (says_which_link_is_too_full),
      cmocka_unit_test (says_how_long_the_quickest_path_takes),
      cmocka_unit_test (says_that_there_is_no_path),
      cmocka_unit_test (says_where_domains_disagree),
      cmocka_unit_test (words_for_orders_are_taken),
    };
    return cmocka_run_group_tests_name ("path", tests, NULL, NULL);
}
