/*  test_back_end - steps are carried out as work, one at a time. Only the latest step that waits is
 *  carried out, and a step that fails is tried again. */
#include "back_end.h"

#include "member.h"
#include "message.h"
#include "openings.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const back_end_kind_t batch = {.name = "batch",
                                      .works = {"do", "do", "do", "do", "do", "do", "do", "do"}};

typedef struct {
    service_t *service;
    back_end_t *back_end;
    moment_t now;
    int64_t timer_ms;
    uint64_t work; /* the last ordered */
    size_t works;
    char asked [256]; /* "open r1 n1 n2" */
    char told [256];
    char told_before [256];
} back_end_world_t;

static void see_work (back_end_world_t *self, const effect_t *effect)
{
    static const char *const steps [] = {"prepare",   "open",  "watch", "close",
                                         "reconcile", "count", "name",  "look"};
    Musubi__BackEndOrder *order = (Musubi__BackEndOrder *) message_unpack (
      &musubi__back_end_order__descriptor, effect->work.arguments);
    assert_non_null (order);
    assert_string_equal (effect->work.kind, "do");
    self->work = effect->work.work;
    self->works++;
    int used = snprintf (self->asked, sizeof self->asked, "%s", steps [order->step]);
    for (size_t i = 0; i < order->n_reservations; i++) {
        const Musubi__BackEndReservation *one = order->reservations [i];
        used += snprintf (self->asked + used, sizeof self->asked - (size_t) used, " %s",
                          one->reservation);
        for (size_t k = 0; k < one->n_nodes; k++)
            used += snprintf (self->asked + used, sizeof self->asked - (size_t) used, " %s",
                              one->nodes [k]);
    }
    message_free (&order->base);
}

static void take_effects (back_end_world_t *self)
{
    effect_t effect;
    while (service_next (self->service, &effect)) {
        if (effect.kind == EFFECT_WORK)
            see_work (self, &effect);
        else if (effect.kind == EFFECT_TIMER)
            self->timer_ms = effect.timer.mono_ms;
    }
}

static void step (back_end_world_t *self, const event_t *event)
{
    service_step (self->service, &self->now, event);
    take_effects (self);
}

static void on_told (void *owner, const moment_t *now, const char *reservation,
                     back_end_step_t done, const char *why, bytes_t result)
{
    (void) now, (void) result;
    back_end_world_t *self = owner;
    memcpy (self->told_before, self->told, sizeof self->told);
    snprintf (self->told, sizeof self->told, "%s %d %s", reservation, (int) done,
              why ? why : "done");
}

static back_end_world_t *open_world (const back_end_kind_t *kind)
{
    static back_end_world_t world;
    world = (back_end_world_t){.now = {.mono_ms = 1000}, .timer_ms = INT64_MAX};
    world.service = member_new ("lis/ams", NULL, 0);
    world.back_end = back_end_new (world.service, kind, &back_end_limits_default);
    back_end_told (world.back_end, on_told, &world);
    step (&world, &(event_t){.kind = EVENT_START, .start = {.store = {.start = 1}}});
    return &world;
}

static void close_world (back_end_world_t *self)
{
    back_end_destroy (&self->back_end);
    service_destroy (&self->service);
}

static void order (back_end_world_t *self, back_end_step_t what, const char *reservation)
{
    static const char *const nodes [] = {"n1", "n2"};
    service_step (self->service, &self->now, &(event_t){.kind = EVENT_TIMER});
    back_end_step (self->back_end, what,
                   &(back_end_order_t){.reservation = reservation,
                                       .owner = "alice",
                                       .until_ms = 1,
                                       .nodes = nodes,
                                       .nodes_count = 2});
    take_effects (self);
}

static void ends (back_end_world_t *self, uint64_t work, const char *why)
{
    bytes_t result = {(const uint8_t *) why, why ? strlen (why) : 0};
    step (self,
          &(event_t){.kind = EVENT_WORK, .work = {.work = work, .ok = !why, .result = result}});
}

static void a_step_is_work_that_names_its_nodes (void **state)
{
    (void) state;
    back_end_world_t *w = open_world (&batch);
    order (w, BACK_END_PREPARE, "r1");
    assert_string_equal (w->asked, "prepare r1 n1 n2");
    assert_string_not_equal (back_end_trouble (w->back_end, "r1"), "");
    ends (w, w->work, NULL);
    assert_string_equal (w->told, "r1 0 done");
    assert_string_equal (back_end_trouble (w->back_end, "r1"), "");
    close_world (w);
}

static void what_hangs_holds_up_its_own_reservation_alone (void **state)
{
    (void) state;
    back_end_world_t *w = open_world (&batch);
    order (w, BACK_END_PREPARE, "r1");
    uint64_t hangs = w->work;
    order (w, BACK_END_OPEN, "r1");
    order (w, BACK_END_CLOSE, "r1");
    assert_int_equal (w->works, 1);
    order (w, BACK_END_OPEN, "r2");
    assert_string_equal (w->asked, "open r2 n1 n2");
    ends (w, w->work, NULL);
    ends (w, hangs, "killed after a minute");
    assert_string_equal (w->asked, "close r1 n1 n2"); /* what was between is not wanted any more */
    ends (w, w->work, NULL);
    assert_string_equal (w->told, "r1 3 done");
    assert_int_equal (w->works, 3);
    close_world (w);
}

static void what_fails_is_told_and_tried_again_ever_later (void **state)
{
    (void) state;
    back_end_world_t *w = open_world (&batch);
    order (w, BACK_END_OPEN, "r1");
    int64_t pauses [] = {1000, 2000, 4000};
    for (size_t i = 0; i < 3; i++) {
        ends (w, w->work, "no such queue");
        assert_string_equal (w->told, "r1 1 open: no such queue");
        assert_string_equal (back_end_trouble (w->back_end, "r1"), "open: no such queue");
        assert_int_equal (w->timer_ms, w->now.mono_ms + pauses [i]);
        w->now.mono_ms = w->timer_ms;
        w->works = 0;
        step (w, &(event_t){.kind = EVENT_TIMER});
        assert_int_equal (w->works, 1);
    }
    ends (w, w->work, NULL);
    assert_string_equal (w->told, "r1 1 done");
    close_world (w);
}

static void watching_takes_no_other_step_s_place (void **state)
{
    (void) state;
    back_end_world_t *w = open_world (&batch);
    order (w, BACK_END_OPEN, "r1");
    order (w, BACK_END_WATCH, "r1");
    ends (w, w->work, NULL);
    assert_int_equal (w->works, 1);
    order (w, BACK_END_WATCH, "r1");
    assert_string_equal (w->asked, "watch r1 n1 n2");
    assert_string_equal (back_end_trouble (w->back_end, "r1"), "");
    ends (w, w->work + 7, NULL); /* somebody else's */
    ends (w, w->work, NULL);
    close_world (w);
}

static void a_watch_that_fails_tells_why (void **state)
{
    (void) state;
    back_end_world_t *w = open_world (&batch);
    order (w, BACK_END_WATCH, "r1");
    ends (w, w->work, "it has fewer nodes");
    assert_true (back_end_fails (w->back_end, "r1"));
    assert_string_equal (back_end_trouble (w->back_end, "r1"), "watch: it has fewer nodes");
    w->now.mono_ms = w->timer_ms;
    step (w, &(event_t){.kind = EVENT_TIMER});
    ends (w, w->work, NULL);
    assert_string_equal (back_end_trouble (w->back_end, "r1"), "");
    close_world (w);
}

static void nothing_is_done_before_it_is_reconciled (void **state)
{
    (void) state;
    back_end_world_t *w = open_world (&batch);
    back_end_order_t orders [] = {{.reservation = "r1", .owner = "alice"},
                                  {.reservation = "r2", .owner = "bob"}};
    service_step (w->service, &w->now, &(event_t){.kind = EVENT_TIMER});
    back_end_reconcile (w->back_end, orders, 2);
    take_effects (w);
    assert_string_equal (w->asked, "reconcile r1 r2");
    uint64_t reconciling = w->work;
    assert_string_not_equal (back_end_trouble (w->back_end, "r3"), "");
    order (w, BACK_END_OPEN, "r3"); /* it is not in that list */
    ends (w, reconciling, "not reachable");
    assert_string_equal (w->told, " 4 reconcile: not reachable"); /* of no reservation */
    assert_int_equal (w->works, 1);
    w->now.mono_ms = w->timer_ms;
    step (w, &(event_t){.kind = EVENT_TIMER});
    assert_string_equal (w->asked, "reconcile r1 r2");
    ends (w, w->work, NULL);
    assert_string_equal (w->asked, "open r3 n1 n2");
    ends (w, w->work, NULL);
    assert_string_equal (back_end_trouble (w->back_end, "r3"), "");
    close_world (w);
}

static void a_runner_has_nothing_to_do_outside (void **state)
{
    (void) state;
    back_end_world_t *w = open_world (&back_end_runner);
    order (w, BACK_END_PREPARE, "r1");
    order (w, BACK_END_CLOSE, "r1");
    assert_int_equal (w->works, 0);
    assert_string_equal (back_end_trouble (w->back_end, "r1"), "");
    close_world (w);
}

/*  … and whatever opens waits for none of them. */
static void few_are_named_at_once (void **state)
{
    (void) state;
    static const char *const names [] = {"r1", "r2", "r3", "r4", "r5", "r6"};
    back_end_world_t *w = open_world (&batch);
    for (size_t i = 0; i < 6; i++)
        order (w, BACK_END_NAME, names [i]);
    assert_int_equal (w->works, 4);
    order (w, BACK_END_OPEN, "r0");
    assert_string_equal (w->asked, "open r0 n1 n2");
    ends (w, 1, "it is refused");
    assert_string_equal (w->asked, "name r5 n1 n2");
    assert_string_equal (back_end_trouble (w->back_end, "r6"), "the back end has not finished yet");
    ends (w, 2, NULL);
    assert_string_equal (w->asked, "name r6 n1 n2");
    assert_int_equal (w->works, 7);
    order (w, BACK_END_PREPARE, "r6"); /* while it is at work */
    ends (w, 7, NULL);
    assert_string_equal (w->asked, "prepare r6 n1 n2");
    close_world (w);
}

static void what_a_look_finds_is_told_of_each (void **state)
{
    (void) state;
    back_end_world_t *w = open_world (&batch);
    const back_end_order_t orders [] = {{.reservation = "r1"}, {.reservation = "r2"}};
    service_step (w->service, &w->now, &(event_t){.kind = EVENT_TIMER});
    back_end_look (w->back_end, orders, 2);
    back_end_look (w->back_end, orders, 2);
    take_effects (w);
    assert_int_equal (w->works, 1);
    order (w, BACK_END_NAME, "r1"); /* it is told already */
    static const char found [] = "r1 gone\nr2 it has other times\n";
    w->told [0] = '\0';
    step (
      w, &(event_t){
           .kind = EVENT_WORK,
           .work = {.work = 1, .ok = true, .result = {(const uint8_t *) found, sizeof found - 1}}});
    assert_string_equal (w->told_before, "r2 7 it has other times");
    assert_string_equal (w->told, "* 7 done");
    close_world (w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_step_is_work_that_names_its_nodes),
      cmocka_unit_test (what_hangs_holds_up_its_own_reservation_alone),
      cmocka_unit_test (what_fails_is_told_and_tried_again_ever_later),
      cmocka_unit_test (watching_takes_no_other_step_s_place),
      cmocka_unit_test (a_watch_that_fails_tells_why),
      cmocka_unit_test (nothing_is_done_before_it_is_reconciled),
      cmocka_unit_test (a_runner_has_nothing_to_do_outside),
      cmocka_unit_test (few_are_named_at_once),
      cmocka_unit_test (what_a_look_finds_is_told_of_each),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
