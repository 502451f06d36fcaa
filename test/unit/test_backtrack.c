/*  S0's search, compared with the recursion of figure 3 as the paper draws it. */
#include "backtrack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEEDS  4
#define PLACES 4
#define EDGES  6
#define SPAN   24 /* instants of a world */

/*  What is free, for ever: a place at an instant, a pair of places at an instant. */
typedef struct {
    bool free [PLACES][SPAN];
    bool linked [PLACES][PLACES][SPAN];
    int64_t price [PLACES];
    double load [PLACES];
    backtrack_need_t needs [NEEDS];
    size_t places [NEEDS][PLACES];
    size_t needs_count;
    backtrack_edge_t edges [EDGES];
    size_t edges_count;
    size_t sites [PLACES];
    int64_t deadline;
} backtrack_world_t;

static bool free_over (const bool *instants, int64_t from, int64_t until)
{
    for (int64_t at = from; at < until; at++)
        if (at >= SPAN || !instants [at])
            return false;
    return true;
}

static int64_t earliest (const backtrack_world_t *world, size_t place, int64_t from,
                         int64_t duration)
{
    for (int64_t at = from; at + duration <= SPAN; at++)
        if (free_over (world->free [place], at, at + duration))
            return at;
    return -1;
}

static bool edge_free (const backtrack_world_t *world, size_t edge, int64_t start,
                       const size_t ends [2])
{
    int64_t from = start + world->edges [edge].offset_ms;
    return free_over (world->linked [ends [0]][ends [1]], from,
                      from + world->edges [edge].duration_ms);
}

/*  Makes a need the data of another one: tied to it, without edges, and with a place of its own. */
static void make_data (backtrack_world_t *world, size_t need, size_t of)
{
    size_t kept = 0;
    if (world->needs [of].follows)
        return;
    for (size_t e = 0; e < world->edges_count; e++)
        if (world->edges [e].ends [0] != need && world->edges [e].ends [1] != need)
            world->edges [kept++] = world->edges [e];
    world->edges [kept++] = (backtrack_edge_t){.ends = {need, of}, .tie = true};
    world->edges_count = kept;
    world->needs [need].follows = true;
    world->needs [need].apart = 1;
}

static void make_world (backtrack_world_t *world, uint64_t seed, bool data)
{
    prng_t prng;
    prng_seed (&prng, seed);
    memset (world, 0, sizeof *world);
    world->needs_count = 1 + (size_t) prng_below (&prng, NEEDS);
    world->deadline = 8 + (int64_t) prng_below (&prng, SPAN - 8);
    uint64_t scarce = 2 + prng_below (&prng, 4);
    for (size_t p = 0; p < PLACES; p++) {
        world->price [p] = (int64_t) (p * 7 % 4);
        world->load [p] = (double) (p * 3 % 4);
        for (size_t t = 0; t < SPAN; t++)
            world->free [p][t] = prng_below (&prng, 6) < scarce;
        for (size_t q = 0; q < p; q++)
            for (size_t t = 0; t < SPAN; t++)
                world->linked [p][q][t] = world->linked [q][p][t] = prng_below (&prng, 6) < scarce;
    }
    for (size_t n = 0; n < world->needs_count; n++) {
        backtrack_need_t *need = &world->needs [n];
        need->offset_ms = (int64_t) prng_below (&prng, 3);
        need->duration_ms = 1 + (int64_t) prng_below (&prng, 3);
        need->places = world->places [n];
        for (size_t p = 0; p < PLACES; p++)
            if (prng_below (&prng, 4) > 0)
                world->places [n][need->places_count++] = p;
        for (size_t m = 0; m < n; m++)
            if (prng_below (&prng, 3) > 0)
                world->edges [world->edges_count++] =
                  (backtrack_edge_t){.ends = {n, m},
                                     .offset_ms = (int64_t) prng_below (&prng, 3),
                                     .duration_ms = 1 + (int64_t) prng_below (&prng, 2)};
    }
    for (size_t p = 0; p < PLACES; p++)
        world->sites [p] = data ? p / 2 : p;
    for (size_t n = 1; data && n < world->needs_count; n++)
        if (prng_below (&prng, 2) == 0)
            make_data (world, n, (size_t) prng_below (&prng, n));
}

static backtrack_order_t order_of (const backtrack_world_t *world, policy_t policy)
{
    return (backtrack_order_t){.needs = world->needs,
                               .needs_count = world->needs_count,
                               .edges = world->edges,
                               .edges_count = world->edges_count,
                               .sites = world->sites,
                               .begin_ms = 1,
                               .latest_ms = INT64_MAX,
                               .deadline_ms = world->deadline,
                               .policy = policy};
}

static size_t slots_of (const backtrack_world_t *world, const backtrack_wish_t *wish,
                        backtrack_slot_t slots [PLACES])
{
    size_t count = 0;
    for (size_t i = 0; i < wish->places_count; i++) {
        size_t place = wish->places [i];
        int64_t start =
          earliest (world, place, wish->from_ms, world->needs [wish->need].duration_ms);
        if (start >= 0)
            slots [count++] = (backtrack_slot_t){.place = place,
                                                 .start_ms = start,
                                                 .load = world->load [place],
                                                 .price = world->price [place]};
    }
    return count;
}

/*  Which places and pairs are held, as the services would see it. */
typedef struct {
    bool need [NEEDS];
    bool edge [EDGES];
} backtrack_holds_t;

static void cancel (backtrack_holds_t *holds, const backtrack_wish_t *wish)
{
    assert_true (wish->holds_count > 0);
    for (size_t i = 0; i < wish->holds_count; i++) {
        bool *held = wish->holds [i].edge ? &holds->edge [wish->holds [i].index]
                                          : &holds->need [wish->holds [i].index];
        assert_true (*held); /* releases only what is held, and only once */
        *held = false;
    }
}

static void obey (backtrack_t *machine, const backtrack_world_t *world, backtrack_holds_t *holds)
{
    backtrack_wish_t wish = backtrack_wish (machine);
    backtrack_slot_t slots [PLACES];
    switch (wish.kind) {
    case BACKTRACK_ASK_PLACES:
        backtrack_slots (machine, slots, slots_of (world, &wish, slots));
        break;
    case BACKTRACK_ASK_EDGE:
        assert_true (wish.ends [0] != wish.ends [1]);
        backtrack_reply (machine,
                         edge_free (world, wish.edge, backtrack_start (machine), wish.ends));
        break;
    case BACKTRACK_HOLD_NEED:
        assert_false (holds->need [wish.need]);
        holds->need [wish.need] = true;
        backtrack_reply (machine, true);
        break;
    case BACKTRACK_HOLD_EDGE:
        assert_false (holds->edge [wish.edge]);
        holds->edge [wish.edge] = true;
        backtrack_reply (machine, true);
        break;
    case BACKTRACK_CANCEL:
        cancel (holds, &wish);
        backtrack_cancelled (machine);
        break;
    case BACKTRACK_FOUND:
    case BACKTRACK_NONE:
        fail ();
    }
}

static bool ended (const backtrack_t *machine)
{
    backtrack_wish_kind_t kind = backtrack_wish (machine).kind;
    return kind == BACKTRACK_FOUND || kind == BACKTRACK_NONE;
}

/*  --- figure 3, word for word; the worlds have no ties by price, load or time --- */

#define NOTFOUND (-1)
#define SUCCESS  0

typedef struct {
    const backtrack_world_t *world;
    policy_t policy;
    size_t place [NEEDS]; /* FC_rm */
    bool edge [EDGES];    /* FC_rp */
} paper_t;

static int by_policy (const paper_t *paper, const backtrack_slot_t *a, const backtrack_slot_t *b)
{
    if (paper->policy == POLICY_LOAD)
        return a->load < b->load ? -1 : 1;
    return a->price < b->price ? -1 : 1;
}

/*  Data goes where its need is, and where no other data is. */
static bool data_may_go (const paper_t *paper, size_t rm, size_t place)
{
    const backtrack_world_t *world = paper->world;
    for (size_t n = 0; n < world->needs_count; n++)
        if (world->needs [rm].follows && world->needs [n].follows && paper->place [n] == place)
            return false;
    for (size_t e = 0; e < world->edges_count; e++) {
        const size_t *ends = world->edges [e].ends;
        if (world->edges [e].tie && ends [0] == rm &&
            world->sites [paper->place [ends [1]]] != world->sites [place])
            return false;
    }
    return true;
}

static int64_t search (paper_t *paper, size_t rm, int64_t st);

/*  Lines 08 to 25 for one c_m. */
static int64_t around (paper_t *paper, size_t rm, int64_t st)
{
    const backtrack_world_t *world = paper->world;
    bool fixed [NEEDS];
    for (size_t n = 0; n < world->needs_count; n++)
        fixed [n] = paper->place [n] != SIZE_MAX;
    for (int pass = 0; pass < 2; pass++) {
        bool seen [EDGES] = {false};
        for (;;) {
            size_t rp = SIZE_MAX;
            size_t next = SIZE_MAX;
            for (size_t e = 0; e < world->edges_count; e++) {
                const size_t *ends = world->edges [e].ends;
                if (seen [e] || (ends [0] != rm && ends [1] != rm))
                    continue;
                size_t other = ends [ends [0] == rm];
                if (fixed [other] != (pass == 0))
                    continue;
                if (rp == SIZE_MAX ||
                    world->needs [other].places_count < world->needs [next].places_count) {
                    rp = e;
                    next = other;
                }
            }
            if (rp == SIZE_MAX)
                break;
            seen [rp] = true;
            if (paper->edge [rp])
                continue;
            int64_t ret = SUCCESS;
            if (paper->place [next] != SIZE_MAX) {
                size_t ends [2] = {paper->place [rm], paper->place [next]};
                if (world->sites [ends [0]] == world->sites [ends [1]] ||
                    edge_free (world, rp, st, ends))
                    paper->edge [rp] = true;
                else
                    ret = NOTFOUND;
            } else {
                ret = search (paper, next, st);
            }
            if (ret != SUCCESS)
                return ret;
        }
    }
    return SUCCESS;
}

static int64_t search (paper_t *paper, size_t rm, int64_t st)
{
    const backtrack_world_t *world = paper->world;
    const backtrack_need_t *need = &world->needs [rm];
    int64_t begin = st + need->offset_ms;
    backtrack_slot_t list [PLACES];
    backtrack_wish_t question = {
      .need = rm, .places = need->places, .places_count = need->places_count, .from_ms = begin};
    size_t count = slots_of (world, &question, list);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (by_policy (paper, &list [j], &list [i]) < 0) {
                backtrack_slot_t kept = list [i];
                list [i] = list [j];
                list [j] = kept;
            }
    paper_t before = *paper;
    for (size_t i = 0; i < count; i++) {
        if (list [i].start_ms + need->duration_ms > world->deadline ||
            !data_may_go (paper, rm, list [i].place))
            continue;
        int64_t delta = list [i].start_ms - begin;
        if (delta > 0)
            return delta;
        paper->place [rm] = list [i].place;
        int64_t ret = around (paper, rm, st);
        if (ret >= 0)
            return ret;
        *paper = before;
    }
    return NOTFOUND;
}

/*  Figure 2, for a graph that may have several parts. */
static bool paper_finds (paper_t *paper, int64_t *start)
{
    const backtrack_world_t *world = paper->world;
    int64_t st = 1;
    for (;;) {
        for (size_t n = 0; n < NEEDS; n++)
            paper->place [n] = SIZE_MAX;
        memset (paper->edge, 0, sizeof paper->edge);
        int64_t ret = SUCCESS;
        for (;;) {
            size_t root = SIZE_MAX;
            for (size_t n = 0; n < world->needs_count; n++)
                if (paper->place [n] == SIZE_MAX && !world->needs [n].follows &&
                    (root == SIZE_MAX ||
                     world->needs [n].places_count < world->needs [root].places_count))
                    root = n;
            if (root == SIZE_MAX) {
                *start = st;
                return true;
            }
            ret = search (paper, root, st);
            if (ret != SUCCESS)
                break;
        }
        if (ret == NOTFOUND)
            return false;
        st += ret;
    }
}

static void compare_with_the_paper (bool data)
{
    size_t found = 0;
    size_t moved = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        backtrack_world_t world;
        make_world (&world, seed, data);
        backtrack_order_t order = order_of (&world, seed % 2 ? POLICY_COST : POLICY_LOAD);
        order.incremental = seed % 4 < 2;
        prng_t prng;
        prng_seed (&prng, seed + 1);
        backtrack_t *machine = backtrack_new (&order, &prng);
        backtrack_holds_t holds = {0};
        while (!ended (machine))
            obey (machine, &world, &holds);

        paper_t paper = {.world = &world, .policy = order.policy};
        int64_t start;
        bool there = paper_finds (&paper, &start);
        assert_int_equal (backtrack_wish (machine).kind, there ? BACKTRACK_FOUND : BACKTRACK_NONE);
        if (there) {
            assert_int_equal (backtrack_start (machine), start);
            for (size_t n = 0; n < world.needs_count; n++)
                assert_int_equal (backtrack_place (machine, n), paper.place [n]);
            found++;
            moved += start > order.begin_ms;
        }
        for (size_t n = 0; n < world.needs_count; n++)
            assert_int_equal (holds.need [n], there && order.incremental);
        for (size_t e = 0; e < world.edges_count; e++)
            assert_int_equal (holds.edge [e],
                              there && order.incremental && backtrack_carried (machine, e));
        backtrack_destroy (&machine);
    }
    assert_true (found > 2000 && moved > 500); /* the worlds are neither empty nor trivial */
}

static void finds_what_the_recursion_of_the_paper_finds (void **state)
{
    (void) state;
    compare_with_the_paper (false);
}

static void data_is_a_vertex_at_the_site_of_its_need (void **state)
{
    (void) state;
    compare_with_the_paper (true);
}

/*  --- what the paper is known for, one by one --- */

/*  One need, two places; the cheap one is free two instants later. */
static backtrack_world_t cheap_but_late (void)
{
    backtrack_world_t world = {
      .needs_count = 1, .sites = {0, 1, 2, 3}, .deadline = SPAN, .price = {1, 2}};
    for (size_t t = 0; t < SPAN; t++) {
        world.free [0][t] = t >= 3;
        world.free [1][t] = true;
    }
    return world;
}

static void the_first_late_place_moves_the_start_though_another_is_free (void **state)
{
    (void) state;
    backtrack_world_t world = cheap_but_late ();
    size_t both [] = {0, 1};
    world.needs [0] = (backtrack_need_t){.duration_ms = 2, .places = both, .places_count = 2};
    backtrack_order_t order = order_of (&world, POLICY_COST);
    prng_t prng;
    prng_seed (&prng, 1);
    for (int repaired = 0; repaired < 2; repaired++) {
        order.least_delta = repaired;
        backtrack_t *machine = backtrack_new (&order, &prng);
        backtrack_holds_t holds = {0};
        while (!ended (machine))
            obey (machine, &world, &holds);
        assert_int_equal (backtrack_wish (machine).kind, BACKTRACK_FOUND);
        assert_int_equal (backtrack_start (machine), repaired ? 1 : 3);
        assert_int_equal (backtrack_place (machine, 0), repaired ? 1 : 0);
        backtrack_destroy (&machine);
    }
}

static void a_refused_hold_means_the_next_place (void **state)
{
    (void) state;
    backtrack_world_t world = cheap_but_late ();
    size_t both [] = {0, 1};
    memset (world.free [0], true, sizeof world.free [0]);
    world.needs [0] = (backtrack_need_t){.duration_ms = 2, .places = both, .places_count = 2};
    backtrack_order_t order = order_of (&world, POLICY_COST);
    order.incremental = true;
    prng_t prng;
    prng_seed (&prng, 1);
    backtrack_t *machine = backtrack_new (&order, &prng);
    backtrack_holds_t holds = {0};
    obey (machine, &world, &holds);
    assert_int_equal (backtrack_wish (machine).kind, BACKTRACK_HOLD_NEED);
    assert_int_equal (backtrack_wish (machine).place, 0);
    backtrack_reply (machine, false);
    assert_int_equal (backtrack_wish (machine).kind, BACKTRACK_HOLD_NEED);
    assert_int_equal (backtrack_wish (machine).place, 1);
    backtrack_reply (machine, true);
    assert_int_equal (backtrack_wish (machine).kind, BACKTRACK_FOUND);
    backtrack_destroy (&machine);
}

static void distinct_needs_never_share_a_place (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        backtrack_world_t world;
        make_world (&world, seed, false);
        backtrack_order_t order = order_of (&world, POLICY_TIME);
        order.distinct = true;
        prng_t prng;
        prng_seed (&prng, seed);
        backtrack_t *machine = backtrack_new (&order, &prng);
        backtrack_holds_t holds = {0};
        while (!ended (machine))
            obey (machine, &world, &holds);
        for (size_t n = 0; n < world.needs_count; n++)
            for (size_t m = 0; m < n; m++)
                if (backtrack_place (machine, n) != SIZE_MAX)
                    assert_true (backtrack_place (machine, n) != backtrack_place (machine, m));
        backtrack_destroy (&machine);
    }
}

static void the_milder_deadline_leaves_room_for_the_rest_of_the_plan (void **state)
{
    (void) state;
    backtrack_world_t world = {.needs_count = 2, .deadline = 6, .price = {1, 1}};
    memset (world.free, true, sizeof world.free);
    for (size_t t = 0; t < 5; t++)
        world.free [0][t] = false; /* free from 5 on: ends at 6, but the second need then at 8 */
    size_t first [] = {0};
    size_t second [] = {1, 2};
    world.needs [0] = (backtrack_need_t){.duration_ms = 1, .places = first, .places_count = 1};
    world.needs [1] =
      (backtrack_need_t){.offset_ms = 1, .duration_ms = 2, .places = second, .places_count = 2};
    backtrack_order_t order = order_of (&world, POLICY_TIME);
    prng_t prng;
    prng_seed (&prng, 1);
    for (int whole = 0; whole < 2; whole++) {
        order.whole_deadline = whole;
        backtrack_t *machine = backtrack_new (&order, &prng);
        backtrack_holds_t holds = {0};
        while (!ended (machine))
            obey (machine, &world, &holds);
        assert_int_equal (backtrack_wish (machine).kind, BACKTRACK_NONE);
        assert_int_equal (backtrack_start (machine) > order.begin_ms, !whole);
        backtrack_destroy (&machine);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (finds_what_the_recursion_of_the_paper_finds),
      cmocka_unit_test (data_is_a_vertex_at_the_site_of_its_need),
      cmocka_unit_test (the_first_late_place_moves_the_start_though_another_is_free),
      cmocka_unit_test (a_refused_hold_means_the_next_place),
      cmocka_unit_test (distinct_needs_never_share_a_place),
      cmocka_unit_test (the_milder_deadline_leaves_room_for_the_rest_of_the_plan),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
