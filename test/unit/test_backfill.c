/*  test_backfill - the scheduler by example, and on random worlds against a plain oracle: an array
 *  of nodes by ticks, tried tick by tick.
 */
#include "../fuzz/calendar_check.h"
#include "backfill.h"
#include "must.h"
#include "prng.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NOW = 1000, TICKS = 80, NODES = 8, CLASSES = 2, BAGS = 12, STARTS = 256, RESERVATIONS = 8 };

typedef struct {
    size_t bag; /* index */
    size_t node;
    int64_t until_ms;
} started_t;

typedef struct {
    backfill_t queue;
    calendar_t *calendars [CLASSES];
    size_t class_from [CLASSES + 1];
    backfill_node_t nodes [NODES];
    backfill_promise_t promises [CLASSES];
    backfill_bag_t bags [BAGS];
    size_t bags_count;
    started_t started [STARTS];
    size_t started_count;
    backfill_worth_t worth [NODES]; /* to ranked bags, less 1 of rank for each run there */
} backfill_world_t;

/*  Books what the node's booking does not cover. */
static void book_further (backfill_world_t *w, const backfill_node_t *node, int64_t until_ms)
{
    int64_t from_ms = node->booked_until_ms > NOW ? node->booked_until_ms : NOW;
    taking_t taking = {{from_ms, until_ms}, 1};
    if (until_ms > from_ms) /* otherwise it took a reservation's CPUs */
        assert_true (calendar_take (w->calendars [node->class], taking));
}

static backfill_bag_t *next_bag (void *owner, const backfill_bag_t *bag, bool plain)
{
    backfill_world_t *w = owner;
    size_t next = bag ? (size_t) (bag - w->bags) + 1 : 0;
    while (plain && next < w->bags_count && w->bags [next].ranked)
        next++;
    return next < w->bags_count ? &w->bags [next] : NULL;
}

static void on_start (void *owner, backfill_bag_t *bag, size_t node, const backfill_run_t *run)
{
    backfill_world_t *w = owner;
    assert_true (w->started_count < STARTS);
    w->started [w->started_count++] = (started_t){(size_t) (bag - w->bags), node, run->until_ms};
    assert_true (run->booked == (!bag->preemptible && !run->transfer));
    if (run->booked)
        book_further (w, &w->nodes [node], run->until_ms + w->queue.gap_ms);
    bag->waiting--;
}

static backfill_worth_t worth (void *owner, const backfill_bag_t *bag, size_t node)
{
    const backfill_world_t *w = owner;
    assert_true (bag->ranked);
    backfill_worth_t worth = w->worth [node];
    worth.rank -= (double) w->nodes [node].runs_count;
    return worth;
}

static void open_world (backfill_world_t *w)
{
    *w = (backfill_world_t){0};
    w->queue = (backfill_t){.now_ms = NOW,
                            .horizon_ms = NOW + 1000,
                            .life_ms = 5,
                            .calendars = (const calendar_t *const *) w->calendars,
                            .class_from = w->class_from,
                            .nodes = w->nodes,
                            .depth = BACKFILL_DEPTH,
                            .data_bound_max = 8,
                            .runs_max = 1024,
                            .promises = w->promises,
                            .next = next_bag,
                            .start = on_start,
                            .worth = worth,
                            .owner = w};
}

/*  Adds a class with its nodes; all classes come first. */
static size_t add_class (backfill_world_t *w, size_t nodes, uint32_t cpus)
{
    size_t class = w->queue.classes_count++;
    w->calendars [class] = calendar_new ((int64_t) nodes);
    for (size_t i = 0; i < nodes; i++)
        w->nodes [w->queue.nodes_count++] = (backfill_node_t){.class = class,
                                                              .cpus = cpus,
                                                              .cpus_free = cpus,
                                                              .ready_ms = INT64_MIN,
                                                              .lent_until_ms = INT64_MIN,
                                                              .given_until_ms = INT64_MAX};
    w->class_from [class + 1] = w->queue.nodes_count;
    return class;
}

static void add_run (backfill_world_t *w, size_t node, uint32_t cpus, int64_t until, bool booked)
{
    backfill_run_t run = {.until_ms = NOW + until, .cpus = cpus, .booked = booked};
    if (booked)
        book_further (w, &w->nodes [node], run.until_ms + w->queue.gap_ms);
    backfill_node_add (&w->nodes [node], &run, w->queue.gap_ms);
}

static void reserve (backfill_world_t *w, size_t class, int64_t nodes, int64_t from, int64_t until)
{
    taking_t taking = {{NOW + from, NOW + until}, nodes};
    assert_true (calendar_take (w->calendars [class], taking));
}

static backfill_bag_t *add_bag (backfill_world_t *w, size_t class, uint32_t cpus, int64_t limit,
                                uint32_t count)
{
    backfill_bag_t *bag = &w->bags [w->bags_count++];
    *bag = (backfill_bag_t){
      .class = class, .cpus = cpus, .limit_ms = limit, .waiting = count, .owner = w};
    return bag;
}

static void close_world (backfill_world_t *w)
{
    for (size_t i = 0; i < w->queue.classes_count; i++) {
        calendar_check (w->calendars [i]);
        calendar_destroy (&w->calendars [i]);
    }
    for (size_t i = 0; i < w->queue.nodes_count; i++)
        backfill_node_clear (&w->nodes [i]);
}

/*  --- by example --- */

static void tasks_start_in_order_while_there_are_cpus (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 2, 4);
    add_bag (&w, 0, 3, 10, 1);
    add_bag (&w, BACKFILL_ANY, 1, 10, 9);
    assert_int_equal (backfill_pass (&w.queue), 6);
    assert_int_equal (w.started [0].bag, 0);
    assert_int_equal (w.bags [1].waiting, 4);
    assert_int_equal (w.nodes [0].cpus_free + w.nodes [1].cpus_free, 0);
    close_world (&w);
}

static void a_task_that_waits_is_promised_the_end_of_what_runs (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 2, 4);
    add_run (&w, 0, 4, 30, true);
    add_run (&w, 1, 2, 20, true);
    const backfill_bag_t *wide = add_bag (&w, 0, 4, 10, 1);
    assert_int_equal (backfill_pass (&w.queue), 0);
    assert_ptr_equal (w.promises [0].bag, wide);
    assert_int_equal (w.promises [0].at_ms, NOW + 20);
    assert_int_equal (w.promises [0].node, 1);
    close_world (&w);
}

static void what_is_behind_goes_ahead_only_if_it_is_over_in_time (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 1, 4);
    add_run (&w, 0, 2, 20, true);
    add_bag (&w, 0, 4, 10, 1); /* waits until 20 */
    add_bag (&w, 0, 1, 21, 1); /* would be in its way */
    add_bag (&w, 0, 1, 20, 1);
    assert_int_equal (backfill_pass (&w.queue), 1);
    assert_int_equal (w.started [0].bag, 2);
    close_world (&w);
}

static void what_is_behind_may_last_where_cpus_are_left_beside_the_promise (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 1, 4);
    add_run (&w, 0, 2, 20, true);
    add_bag (&w, 0, 3, 100, 1); /* from 20 on, with one CPU left */
    add_bag (&w, 0, 1, 50, 2);
    assert_int_equal (backfill_pass (&w.queue), 1);
    assert_int_equal (w.bags [1].waiting, 1);
    close_world (&w);
}

static void a_reservation_keeps_its_nodes (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 2, 1);
    reserve (&w, 0, 2, 10, 20);
    add_bag (&w, 0, 1, 11, 1);
    add_bag (&w, 0, 1, 10, 1);
    assert_int_equal (backfill_pass (&w.queue), 1);
    assert_int_equal (w.started [0].bag, 1);
    assert_int_equal (w.promises [0].at_ms, NOW + 20);
    close_world (&w);
}

static void the_cleaning_gap_and_the_slack_count_before_a_reservation (void **state)
{
    (void) state;
    for (int64_t limit = 4; limit <= 5; limit++) {
        backfill_world_t w;
        open_world (&w);
        w.queue.gap_ms = 3;
        w.queue.slack_ms = 2;
        add_class (&w, 1, 1);
        reserve (&w, 0, 1, 9, 20);
        add_bag (&w, 0, 1, limit, 1);
        assert_int_equal (backfill_pass (&w.queue), limit == 4 ? 1 : 0);
        close_world (&w);
    }
}

static void tasks_share_a_node_before_they_take_another (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 2, 4);
    add_run (&w, 1, 1, 30, true);
    reserve (&w, 0, 1, 5, 50); /* one node is left */
    add_bag (&w, 0, 1, 20, 4);
    assert_int_equal (backfill_pass (&w.queue), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal (w.started [i].node, 1);
    close_world (&w);
}

static void a_ranked_bags_tasks_take_the_best_nodes_one_by_one (void **state)
{
    (void) state;
    for (int preemptible = 0; preemptible < 2; preemptible++) {
        backfill_world_t w;
        open_world (&w);
        add_class (&w, 4, 4);
        w.worth [1] = (backfill_worth_t){.rank = 2, .staging_s = 9};
        w.worth [2] = (backfill_worth_t){.rank = 2};
        w.worth [3] = (backfill_worth_t){.rank = 3};
        w.nodes [3].ready_ms = NOW + 50;
        backfill_bag_t *bag = add_bag (&w, 0, 1, 10, 6);
        bag->ranked = true;
        bag->preemptible = preemptible;
        assert_int_equal (backfill_pass (&w.queue), 6);
        static const size_t nodes [] = {2, 1, 2, 1, 2, 0}; /* ranks 2, 2, 1, 1, 0, 0 */
        for (size_t i = 0; i < 6; i++)
            assert_int_equal (w.started [i].node, nodes [i]);
        close_world (&w);
    }
}

/*  While inputs come a node computes, and while it computes inputs come: one transfer a node. */
static void a_data_bound_task_is_brought_where_others_compute_and_takes_no_cpus (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 2, 4);
    w.queue.transfers_max = 1;
    add_run (&w, 0, 4, 30, true);
    w.worth [0] = w.worth [1] = (backfill_worth_t){.staging_s = 5, .transfer = true};
    w.nodes [0].storage = w.nodes [1].storage = true;
    backfill_bag_t *bag = add_bag (&w, 0, 4, 10, 3);
    bag->ranked = bag->files = bag->large = true;
    add_bag (&w, 0, 4, 10, 2);
    assert_int_equal (backfill_pass (&w.queue), 3);
    assert_int_equal (w.bags [0].waiting, 1); /* both nodes bring something */
    assert_int_equal (w.bags [1].waiting, 1); /* beside a transfer */
    assert_int_equal (w.started [2].node, 1);
    assert_int_equal (w.nodes [1].cpus_free, 0);
    assert_int_equal (w.nodes [0].transfers, 1);
    close_world (&w);
}

/*  The first two bags need storage, which node 0 alone has, and that brings something already; the
 *  third needs none, and goes to node 1 if it is looked at. */
static void behind_the_most_data_bound_bags_only_plain_ones_are_looked_at (void **state)
{
    (void) state;
    for (uint32_t most = 2; most <= 3; most++) {
        backfill_world_t w;
        open_world (&w);
        add_class (&w, 2, 4);
        w.queue.transfers_max = 1;
        w.queue.data_bound_max = most;
        add_run (&w, 1, 2, 30, true);
        w.nodes [0].storage = true;
        w.worth [0] = (backfill_worth_t){.transfer = true};
        backfill_run_t brought = {.until_ms = NOW + 30, .transfer = true};
        backfill_node_add (&w.nodes [0], &brought, 0);
        for (int i = 0; i < 3; i++) {
            backfill_bag_t *bag = add_bag (&w, 0, 1, 10, 1);
            bag->ranked = true;
            bag->files = bag->large = i < 2;
        }
        add_bag (&w, 0, 1, 10, 1);
        assert_int_equal (backfill_pass (&w.queue), most - 1);
        assert_int_equal (w.bags [2].waiting, most == 2);
        assert_int_equal (w.bags [3].waiting, 0);
        close_world (&w);
    }
}

static void nothing_is_started_while_it_is_not_known_where_its_inputs_are (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 2, 4);
    w.worth [0].unknown = w.worth [1].unknown = true;
    add_bag (&w, 0, 1, 10, 1)->ranked = true;
    assert_int_equal (backfill_pass (&w.queue), 0);
    close_world (&w);
}

/*  Requirements come before any rank. */
static void no_rank_puts_a_task_where_it_does_not_fit (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 3, 4);
    add_run (&w, 0, 3, 30, true);
    reserve (&w, 0, 1, 5, 20);
    w.worth [0].rank = 9;
    w.worth [1].rank = 5;
    w.worth [2].rank = 1;
    backfill_bag_t *bag = add_bag (&w, 0, 2, 10, 3);
    bag->ranked = true;
    assert_int_equal (backfill_pass (&w.queue), 2); /* the second node left is the reservation's */
    assert_int_equal (w.started [0].node, 1);
    assert_int_equal (w.started [1].node, 1);
    close_world (&w);
}

static void nothing_is_put_on_nodes_that_are_not_ready (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 2, 1);
    w.nodes [0].ready_ms = INT64_MAX; /* silent */
    w.nodes [1].ready_ms = NOW + 15;  /* a reservation's until then */
    reserve (&w, 0, 1, 0, 15);
    add_bag (&w, 0, 1, 5, 2);
    assert_int_equal (backfill_pass (&w.queue), 0);
    assert_int_equal (w.started_count, 0);
    w.nodes [1].ready_ms = NOW;
    assert_int_equal (backfill_pass (&w.queue), 1);
    assert_int_equal (w.started [0].node, 1);
    close_world (&w);
}

static void preemptible_tasks_borrow_what_is_lent_and_book_nothing (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 2, 1);
    reserve (&w, 0, 2, 0, 50);
    w.nodes [0].ready_ms = w.nodes [1].ready_ms = NOW + 50;
    w.nodes [1].lent_until_ms = NOW + 40;
    backfill_bag_t *bag = add_bag (&w, 0, 1, 1000, 3);
    assert_int_equal (backfill_pass (&w.queue), 0);
    bag->preemptible = true;
    assert_int_equal (backfill_pass (&w.queue), 1);
    assert_int_equal (w.started [0].node, 1);
    assert_int_equal (calendar_bookings (w.calendars [0]), 1);
    close_world (&w);
}

static void preemptible_tasks_do_not_begin_where_a_node_is_wanted_soon (void **state)
{
    (void) state;
    for (int64_t from = 4; from <= 5; from++) {
        backfill_world_t w;
        open_world (&w);
        add_class (&w, 2, 2);
        reserve (&w, 0, 1, from, 50); /* life_ms is 5 */
        add_bag (&w, 0, 1, 10, 4)->preemptible = true;
        assert_int_equal (backfill_pass (&w.queue), from == 4 ? 2 : 4);
        close_world (&w);
    }
}

static void what_was_given_back_is_used_until_its_end_and_booked_by_nobody (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 1, 2);
    reserve (&w, 0, 1, 0, 50);
    w.nodes [0].given_until_ms = NOW + 50;
    add_bag (&w, 0, 1, 51, 1);
    add_bag (&w, 0, 1, 50, 1);
    w.nodes [0].booked_until_ms = NOW + 50; /* the test's own bookkeeping books nothing then */
    assert_int_equal (backfill_pass (&w.queue), 1);
    assert_int_equal (w.started [0].bag, 1);
    assert_int_equal (w.promises [0].at_ms, NOW + 50);
    close_world (&w);
}

static void no_more_runs_are_put_on_a_node_than_it_may_have (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    w.queue.runs_max = 3;
    add_class (&w, 1, 8);
    add_bag (&w, 0, 1, 10, 8);
    assert_int_equal (backfill_pass (&w.queue), 3);
    close_world (&w);
}

static void a_class_whose_first_task_waits_holds_up_no_other_class (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    add_class (&w, 1, 2);
    add_class (&w, 1, 2);
    add_run (&w, 0, 1, 20, true);
    add_bag (&w, 0, 2, 10, 1);
    add_bag (&w, 1, 2, 100, 1);
    assert_int_equal (backfill_pass (&w.queue), 1);
    assert_int_equal (w.started [0].node, 1);
    close_world (&w);
}

static void no_more_than_depth_bags_are_looked_at_behind_the_first (void **state)
{
    (void) state;
    backfill_world_t w;
    open_world (&w);
    w.queue.depth = 1;
    add_class (&w, 1, 4);
    add_run (&w, 0, 1, 20, true);
    add_bag (&w, 0, 4, 10, 1);
    add_bag (&w, 0, 4, 10, 1);
    add_bag (&w, 0, 1, 10, 1); /* would fit */
    assert_int_equal (backfill_pass (&w.queue), 0);
    w.queue.depth = 2;
    assert_int_equal (backfill_pass (&w.queue), 1);
    close_world (&w);
}

/*  --- against the oracle --- */

/*  True when a task could start there at a tick, if all runs last until their limits; looks at
 *  every tick. */
static bool oracle_can (const backfill_world_t *w, const backfill_bag_t *bag, size_t at,
                        int64_t start_ms)
{
    const backfill_node_t *node = &w->nodes [at];
    if (bag->class != BACKFILL_ANY && bag->class != node->class)
        return false;
    bool ready = node->ready_ms <= NOW;
    if (start_ms < NOW || (!ready && start_ms < node->ready_ms))
        return false;
    int64_t until_ms = start_ms + bag->limit_ms + w->queue.slack_ms + w->queue.gap_ms;
    for (int64_t t = start_ms; t < until_ms; t++) {
        uint32_t used = 0;
        for (size_t i = 0; i < node->runs_count; i++)
            used += node->runs [i].until_ms > t ? node->runs [i].cpus : 0;
        if (used + bag->cpus > node->cpus)
            return false;
        bool mine = ready && node->booked_until_ms > t; /* its node is booked already */
        if (!mine && !calendar_fits (w->calendars [node->class], (interval_t){t, t + 1}, 1))
            return false;
    }
    return true;
}

static int64_t oracle_earliest (const backfill_world_t *w, const backfill_bag_t *bag)
{
    for (int64_t t = NOW; t < NOW + 4 * TICKS; t++)
        for (size_t node = 0; node < w->queue.nodes_count; node++)
            if (oracle_can (w, bag, node, t))
                return t;
    return INT64_MAX;
}

/*  The same seed gives the same world; it has preemptible tasks only if they are asked for. */
static void random_world (backfill_world_t *w, uint64_t seed, bool preemptible)
{
    prng_t prng;
    prng_seed (&prng, seed);
    open_world (w);
    w->queue.gap_ms = (int64_t) prng_below (&prng, 3);
    w->queue.slack_ms = (int64_t) prng_below (&prng, 3);
    size_t classes = 1 + prng_below (&prng, CLASSES);
    for (size_t class = 0; class < classes; class ++)
        add_class (w, 1 + prng_below (&prng, NODES / CLASSES),
                   1 + (uint32_t) prng_below (&prng, 6));
    for (size_t i = 0; i < w->queue.nodes_count; i++)
        for (uint64_t runs = prng_below (&prng, 3); runs > 0; runs--) {
            backfill_node_t *node = &w->nodes [i];
            uint32_t cpus = 1 + (uint32_t) prng_below (&prng, node->cpus);
            bool booked = !preemptible || prng_below (&prng, 3) > 0;
            if (cpus <= node->cpus_free)
                add_run (w, i, cpus, 1 + (int64_t) prng_below (&prng, TICKS / 2), booked);
        }
    for (uint64_t i = prng_below (&prng, RESERVATIONS); i > 0; i--) {
        size_t class = prng_below (&prng, classes);
        int64_t from = 1 + (int64_t) prng_below (&prng, TICKS);
        interval_t over = {NOW + from, NOW + from + 1 + (int64_t) prng_below (&prng, TICKS / 2)};
        int64_t least = calendar_least (w->calendars [class], over);
        if (least > 0)
            reserve (w, class, 1 + (int64_t) prng_below (&prng, (uint64_t) least), over.from - NOW,
                     over.until - NOW);
    }
    for (uint64_t i = 1 + prng_below (&prng, BAGS - 1); i > 0; i--) {
        size_t class = prng_below (&prng, classes + 1);
        backfill_bag_t *bag = add_bag (
          w, class == classes ? BACKFILL_ANY : class, 1 + (uint32_t) prng_below (&prng, 6),
          1 + (int64_t) prng_below (&prng, TICKS / 2), 1 + (uint32_t) prng_below (&prng, 4));
        bag->preemptible = preemptible && prng_below (&prng, 2) == 0;
        bag->ranked = seed % 3 == 0;
    }
}

/*  The first bag with a waiting task whose start is known. BAGS = there is none, or it is
 *  preemptible, about which this oracle knows nothing. */
static size_t first_waiting (const backfill_world_t *w)
{
    for (size_t i = 0; i < w->bags_count; i++) {
        if (w->bags [i].waiting == 0)
            continue;
        if (w->bags [i].preemptible)
            return BAGS;
        if (oracle_earliest (w, &w->bags [i]) < INT64_MAX)
            return i;
    }
    return BAGS;
}

/*  The same world, with only the bags up to that one. */
static int64_t earliest_alone (uint64_t seed, bool preemptible, size_t last)
{
    backfill_world_t w;
    random_world (&w, seed, preemptible);
    w.bags_count = last + 1;
    backfill_pass (&w.queue);
    int64_t alone_ms = oracle_earliest (&w, &w.bags [last]);
    assert_true (w.bags [last].waiting > 0);
    close_world (&w);
    return alone_ms;
}

/*  Reservations are right already: in book_further the calendar refuses what is not there. */
static void check_world (uint64_t seed, bool preemptible, size_t *waited, size_t *went_ahead)
{
    backfill_world_t w;
    random_world (&w, seed, preemptible);
    size_t started = backfill_pass (&w.queue);
    assert_int_equal (started, w.started_count);
    for (size_t i = 0; i < w.queue.nodes_count; i++) {
        uint32_t used = 0;
        for (size_t k = 0; k < w.nodes [i].runs_count; k++)
            used += w.nodes [i].runs [k].cpus;
        assert_int_equal (used + w.nodes [i].cpus_free, w.nodes [i].cpus);
    }
    size_t first = first_waiting (&w);
    if (first < BAGS) {
        int64_t then_ms = oracle_earliest (&w, &w.bags [first]);
        assert_true (then_ms > NOW); /* else it should have been started */
        int64_t alone_ms = earliest_alone (seed, preemptible, first);
        if (then_ms != alone_ms)
            fail_msg ("seed %" PRIu64 ": bag %zu starts at %" PRId64 ", alone at %" PRId64, seed,
                      first, then_ms - NOW, alone_ms - NOW);
        (*waited)++;
        for (size_t i = 0; i < w.started_count; i++)
            *went_ahead += w.started [i].bag > first;
    }
    close_world (&w);
}

static void no_start_delays_the_first_waiting_task_nor_takes_what_is_reserved (void **state)
{
    (void) state;
    size_t waited = 0;
    size_t went_ahead = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++)
        check_world (seed, false, &waited, &went_ahead);
    assert_true (waited > 2000 && went_ahead > 1000); /* the worlds were not trivial */
}

static void nor_when_some_of_it_is_preemptible (void **state)
{
    (void) state;
    size_t waited = 0;
    size_t went_ahead = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++)
        check_world (seed, true, &waited, &went_ahead);
    assert_true (waited > 1000 && went_ahead > 500);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (tasks_start_in_order_while_there_are_cpus),
      cmocka_unit_test (a_task_that_waits_is_promised_the_end_of_what_runs),
      cmocka_unit_test (what_is_behind_goes_ahead_only_if_it_is_over_in_time),
      cmocka_unit_test (what_is_behind_may_last_where_cpus_are_left_beside_the_promise),
      cmocka_unit_test (a_reservation_keeps_its_nodes),
      cmocka_unit_test (the_cleaning_gap_and_the_slack_count_before_a_reservation),
      cmocka_unit_test (tasks_share_a_node_before_they_take_another),
      cmocka_unit_test (a_ranked_bags_tasks_take_the_best_nodes_one_by_one),
      cmocka_unit_test (a_data_bound_task_is_brought_where_others_compute_and_takes_no_cpus),
      cmocka_unit_test (behind_the_most_data_bound_bags_only_plain_ones_are_looked_at),
      cmocka_unit_test (nothing_is_started_while_it_is_not_known_where_its_inputs_are),
      cmocka_unit_test (no_rank_puts_a_task_where_it_does_not_fit),
      cmocka_unit_test (nothing_is_put_on_nodes_that_are_not_ready),
      cmocka_unit_test (preemptible_tasks_borrow_what_is_lent_and_book_nothing),
      cmocka_unit_test (preemptible_tasks_do_not_begin_where_a_node_is_wanted_soon),
      cmocka_unit_test (what_was_given_back_is_used_until_its_end_and_booked_by_nobody),
      cmocka_unit_test (no_more_runs_are_put_on_a_node_than_it_may_have),
      cmocka_unit_test (a_class_whose_first_task_waits_holds_up_no_other_class),
      cmocka_unit_test (no_more_than_depth_bags_are_looked_at_behind_the_first),
      cmocka_unit_test (no_start_delays_the_first_waiting_task_nor_takes_what_is_reserved),
      cmocka_unit_test (nor_when_some_of_it_is_preemptible),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
