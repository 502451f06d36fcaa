/*  test_naming - whatever a calendar of counts grants has names, as long as the nodes are there;
 *  and who has names keeps them.
 */
#include "naming.h"

#include "must.h"
#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NODES   9
#define NEEDS   40
#define TIMES   60
#define SEEDS   400
#define CLASSES 2

static prng_t prng;

static int64_t below (int64_t bound)
{
    return (int64_t) prng_below (&prng, (uint64_t) bound);
}

typedef struct {
    naming_node_t nodes [NODES];
    naming_need_t needs [NEEDS];
    bound_t named [NEEDS][NODES]; /* of each need, by its owner's index */
    size_t count;
} naming_world_t;

static size_t index_of (const naming_world_t *self, const naming_need_t *need)
{
    return (size_t) ((const bound_t (*) [NODES]) need->owner - self->named);
}

/*  As the site does whenever something has changed. How many nodes are lacking. */
static uint32_t fit (naming_world_t *self)
{
    uint32_t lacking = 0;
    naming_t *naming = naming_new (self->nodes, NODES);
    naming_fit (naming, self->needs, self->count);
    for (size_t i = 0; i < self->count; i++) {
        naming_need_t *need = &self->needs [i];
        bound_t *named = self->named [index_of (self, need)];
        for (size_t k = 0; k < need->count; k++)
            named [k].node = need->nodes [k];
        need->had = named;
        need->had_count = need->count;
        lacking += need->wanted - (uint32_t) need->count;
    }
    naming_destroy (&naming);
    return lacking;
}

static void add (naming_world_t *self, naming_need_t need)
{
    need.owner = &self->named [self->count];
    self->needs [self->count++] = need;
}

static bool meet (const naming_need_t *one, const naming_need_t *other)
{
    return one->over.from < other->over.until && other->over.from < one->over.until;
}

/*  No node is named for two at once, nor one that is lost or of another class. */
static void check (const naming_world_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->needs [i].had_count; k++) {
            size_t node = self->needs [i].had [k].node;
            assert_true (self->nodes [node].there);
            assert_int_equal (self->nodes [node].class, self->needs [i].class);
            for (size_t j = 0; j < i; j++)
                for (size_t l = 0; l < self->needs [j].had_count; l++)
                    assert_false (self->needs [j].had [l].node == node &&
                                  meet (&self->needs [i], &self->needs [j]));
        }
}

static uint32_t there (const naming_world_t *self, size_t class)
{
    uint32_t count = 0;
    for (size_t i = 0; i < NODES; i++)
        count += self->nodes [i].class == class && self->nodes [i].there;
    return count;
}

/*  Would a calendar have room for it beside the others? */
static bool granted (const naming_world_t *self, const naming_need_t *need)
{
    for (int64_t at = need->over.from; at < need->over.until; at++) {
        uint32_t booked = need->wanted;
        for (size_t i = 0; i < self->count; i++)
            if (self->needs [i].class == need->class && self->needs [i].over.from <= at &&
                at < self->needs [i].over.until)
                booked += self->needs [i].wanted;
        if (booked > there (self, need->class))
            return false;
    }
    return true;
}

static naming_world_t world (void)
{
    naming_world_t self = {.count = 0};
    for (size_t i = 0; i < NODES; i++)
        self.nodes [i] = (naming_node_t){.class = i % CLASSES, .there = true};
    return self;
}

static void whatever_is_granted_has_names (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        naming_world_t w = world ();
        prng_seed (&prng, seed);
        for (int i = 0; i < 3 * NEEDS && w.count < NEEDS; i++) {
            int64_t from = below (TIMES);
            naming_need_t need = {.class = (size_t) below (CLASSES),
                                  .over = {from, from + 1 + below (TIMES / 4)},
                                  .wanted = 1 + (uint32_t) below (NODES / CLASSES)};
            size_t node = (size_t) below (NODES);
            if (granted (&w, &need))
                add (&w, need);
            w.nodes [node].busy_until_ms = below (TIMES);
            if (fit (&w) > 0)
                fail_msg ("seed %d: a need has no names", (int) seed);
            check (&w);
        }
    }
}

/*  Of the least that a calendar says is missing. */
static void a_lost_node_is_replaced_while_there_is_another (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        naming_world_t w = world ();
        prng_seed (&prng, seed);
        w.nodes [below (NODES)].there = false;
        for (int i = 0; i < 3 * NEEDS && w.count < NEEDS; i++) {
            int64_t from = below (TIMES);
            naming_need_t need = {
              .class = 0, .over = {from, from + 1 + below (TIMES / 4)}, .wanted = 1};
            if (granted (&w, &need))
                add (&w, need);
        }
        assert_int_equal (fit (&w), 0);
        for (size_t i = 0; i < NODES; i++) /* that one is there again, and another one goes */
            if (!w.nodes [i].there)
                w.nodes [i].there = true;
        w.nodes [2 * below (NODES / 2)].there = false;
        bool fits = there (&w, 0) == 4;
        for (size_t i = 0; i < w.count && fits; i++) {
            naming_need_t one = w.needs [i];
            w.needs [i].wanted = 0;
            fits = granted (&w, &one);
            w.needs [i].wanted = one.wanted;
        }
        uint32_t lacking = fit (&w);
        check (&w);
        if (fits)
            assert_int_equal (lacking, 0);
    }
}

static void who_has_names_keeps_them_unless_that_lets_another_in (void **state)
{
    (void) state;
    naming_world_t w = world (); /* class 1: nodes 1, 3, 5, 7 */
    add (&w, (naming_need_t){.class = 1, .over = {10, 20}, .wanted = 2});
    fit (&w);
    add (&w, (naming_need_t){.class = 1, .over = {5, 15}, .wanted = 1});
    fit (&w);
    assert_int_equal (w.named [0][0].node, 1);
    assert_int_equal (w.named [0][1].node, 3);
    assert_int_equal (w.named [1][0].node, 5);
    add (&w, (naming_need_t){.class = 1, .over = {15, 30}, .wanted = 1}); /* 5 fits best */
    fit (&w);
    w.nodes [7].there = false;
    assert_int_equal (fit (&w), 0);
    assert_int_equal (w.named [0][0].node, 1);
    add (&w, (naming_need_t){.class = 1, .over = {1, 10}, .wanted = 2});
    assert_int_equal (fit (&w), 0);
    check (&w);
}

/*  5 is free from 20 on, 1 is not: the long one is let in only when the other makes room. */
static void names_are_given_anew_when_that_lets_one_in (void **state)
{
    (void) state;
    naming_world_t w = world ();
    w.nodes [3].there = w.nodes [7].there = false;
    add (&w, (naming_need_t){.class = 1, .over = {0, 10}, .wanted = 1});
    add (&w, (naming_need_t){.class = 1, .over = {20, 30}, .wanted = 1});
    w.named [0][0].node = 1; /* as if it had been so before */
    w.named [1][0].node = 5;
    for (size_t i = 0; i < 2; i++) {
        w.needs [i].had = w.named [i];
        w.needs [i].had_count = 1;
    }
    add (&w, (naming_need_t){.class = 1, .over = {5, 25}, .wanted = 1});
    assert_int_equal (fit (&w), 0);
    check (&w);
}

static void a_node_that_is_drained_goes_when_there_is_another (void **state)
{
    (void) state;
    naming_world_t w = world ();
    add (&w, (naming_need_t){.class = 1, .over = {10, 20}, .wanted = 3});
    fit (&w);
    w.nodes [1].drained = true;
    assert_int_equal (fit (&w), 0);
    assert_int_equal (w.needs [0].had_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_not_equal (w.named [0][i].node, 1);
    w.nodes [3].drained = w.nodes [5].drained = w.nodes [7].drained =
      true; /* the whole partition */
    assert_int_equal (fit (&w), 0);
    add (&w, (naming_need_t){.class = 1, .over = {30, 40}, .wanted = 1});
    assert_int_equal (fit (&w), 1);
}

static void a_node_is_preferred_where_no_job_runs_into_it (void **state)
{
    (void) state;
    naming_world_t w = world ();
    w.nodes [1].busy_until_ms = 11;
    w.nodes [3].busy_until_ms = 10;
    add (&w, (naming_need_t){.class = 1, .over = {10, 20}, .wanted = 1});
    assert_int_equal (fit (&w), 0);
    assert_int_equal (w.named [0][0].node, 3);
    w.nodes [3].busy_until_ms = 99;
    fit (&w);
    assert_int_equal (w.named [0][0].node, 5);
    w.nodes [5].busy_until_ms = 99;
    w.needs [0].settled = true; /* the batch system has confirmed it there */
    fit (&w);
    assert_int_equal (w.named [0][0].node, 5);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (whatever_is_granted_has_names),
      cmocka_unit_test (a_lost_node_is_replaced_while_there_is_another),
      cmocka_unit_test (who_has_names_keeps_them_unless_that_lets_another_in),
      cmocka_unit_test (names_are_given_anew_when_that_lets_one_in),
      cmocka_unit_test (a_node_that_is_drained_goes_when_there_is_another),
      cmocka_unit_test (a_node_is_preferred_where_no_job_runs_into_it),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
