/*  agent_poll: one question follows another, whatever the site does. The test makes the events. */
#include "agent_poll.h"

#include "member.h"
#include "must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BACKOFF_MS     100
#define BACKOFF_MS_MAX 1000

static const char *const sites [] = {"tcp://one", "tcp://two"};

/*  A question as it was sent. */
typedef struct {
    uint64_t call;
    char endpoint [16];
    uint8_t to_store [STORE_ID_BYTES];
    int64_t timeout_ms;
} agent_poll_asked_t;

typedef struct {
    service_t *service;
    agent_poll_t *agent_poll;
    moment_t now;
    int64_t timer_ms;
    agent_poll_asked_t asked; /* the last that left */
    size_t asked_count;
    agent_poll_question_t question; /* as the agent was last asked for its body */
    agent_poll_question_t taken;    /* to which the last answer came */
    size_t taken_count;
    size_t warned_count;
    bool understood; /* the answer that comes */
    uint64_t number; /* of it */
} agent_poll_fixture_t;

static packed_t on_ask (void *owner, const agent_poll_question_t *question)
{
    agent_poll_fixture_t *self = owner;
    self->question = *question;
    return (packed_t){.data = must (calloc (1, 1)), .size = 1};
}

static bool on_take (void *owner, const moment_t *now, const agent_poll_question_t *question,
                     bytes_t body, agent_poll_answer_t *answer, char why [WHY_BYTES])
{
    agent_poll_fixture_t *self = owner;
    (void) now;
    assert_int_equal (body.size, 3);
    snprintf (why, WHY_BYTES, "not an answer");
    self->taken = *question;
    self->taken_count += self->understood;
    *answer = (agent_poll_answer_t){.number = self->number, .attend_ms = 7000};
    return self->understood;
}

static void drain (agent_poll_fixture_t *self)
{
    effect_t effect;
    while (service_next (self->service, &effect)) {
        if (effect.kind == EFFECT_TIMER)
            self->timer_ms = effect.timer.mono_ms;
        self->warned_count += effect.kind == EFFECT_LOG && effect.log.level == LEVEL_WARNING;
        if (effect.kind != EFFECT_CALL)
            continue;
        assert_string_equal (effect.call.service, "Nodes");
        assert_string_equal (effect.call.method, "Attend");
        assert_string_equal (effect.call.actor, "node/n1");
        self->asked_count++;
        self->asked =
          (agent_poll_asked_t){.call = effect.call.call, .timeout_ms = effect.call.timeout_ms};
        snprintf (self->asked.endpoint, sizeof self->asked.endpoint, "%s", effect.call.endpoint);
        memcpy (self->asked.to_store, effect.call.to_store, STORE_ID_BYTES);
    }
}

static void step (agent_poll_fixture_t *self, const event_t *event)
{
    service_step (self->service, &self->now, event);
    drain (self);
}

/*  Lets time pass up to the next timer; returns how much. */
static int64_t pass (agent_poll_fixture_t *self)
{
    int64_t waited_ms = self->timer_ms - self->now.mono_ms;
    assert_true (waited_ms >= 0 && self->timer_ms != INT64_MAX);
    self->now.mono_ms = self->timer_ms;
    self->timer_ms = INT64_MAX;
    step (self, &(event_t){.kind = EVENT_TIMER});
    return waited_ms;
}

static const uint8_t first_store [STORE_ID_BYTES] = "the first store";
static const uint8_t no_store [STORE_ID_BYTES];

static void answer_to (agent_poll_fixture_t *self, uint64_t call, call_status_t status)
{
    event_t event = {.kind = EVENT_ANSWER,
                     .answer = {.call = call,
                                .status = status,
                                .reason = status == CALL_OK ? "" : "so",
                                .body = {.data = (const uint8_t *) "yes", .size = 3}}};
    memcpy (event.answer.store, first_store, STORE_ID_BYTES);
    self->number++;
    step (self, &event);
}

static void answer (agent_poll_fixture_t *self, call_status_t status)
{
    answer_to (self, self->asked.call, status);
}

static void news (agent_poll_fixture_t *self, int64_t gap_ms)
{
    outbox_clear (self->service->outbox);
    agent_poll_news (self->agent_poll, &self->now, gap_ms);
    step (self, &(event_t){.kind = EVENT_TIMER});
}

static void on_start (void *owner, const moment_t *now)
{
    agent_poll_fixture_t *self = owner;
    agent_poll_start (self->agent_poll, now);
}

static void set_up (agent_poll_fixture_t *self, bool one_store)
{
    *self = (agent_poll_fixture_t){.now = {.wall_ms = 1000000, .mono_ms = 5000},
                                   .understood = true,
                                   .number = 40,
                                   .timer_ms = INT64_MAX};
    self->service = member_new ("node/n1", NULL, 0);
    self->agent_poll = agent_poll_new (
      self->service, &(agent_poll_settings_t){"Nodes", sites, 2, one_store, BACKOFF_MS,
                                              BACKOFF_MS_MAX, on_ask, on_take, self});
    service_at_start (self->service, on_start, self);
    step (self, &(event_t){.kind = EVENT_START,
                           .start = {.endpoint = "tcp://me", .events = "tcp://me too"}});
}

static void tear_down (agent_poll_fixture_t *self)
{
    agent_poll_destroy (&self->agent_poll);
    service_destroy (&self->service);
}

static void the_first_question_is_bare_and_the_next_are_for_the_store_that_answered (void **state)
{
    (void) state;
    agent_poll_fixture_t self;
    set_up (&self, true);
    assert_int_equal (self.asked_count, 1);
    assert_true (self.question.bare);
    assert_int_equal (self.question.said.number, 1);
    assert_memory_equal (self.asked.to_store, no_store, STORE_ID_BYTES);
    assert_null (agent_poll_store (self.agent_poll));
    answer (&self, CALL_OK);
    assert_true (self.taken.bare);
    assert_int_equal (self.asked_count, 2);
    assert_false (self.question.bare);
    assert_int_equal (self.question.said.number, 2);
    assert_int_equal (self.question.said.seen, 0); /* nothing of a bare answer is carried out */
    assert_memory_equal (self.asked.to_store, first_store, STORE_ID_BYTES);
    assert_memory_equal (agent_poll_store (self.agent_poll), first_store, STORE_ID_BYTES);
    answer (&self, CALL_OK);
    assert_int_equal (self.asked_count, 3);
    assert_int_equal (self.question.said.seen, self.number);
    tear_down (&self);
}

static void whoever_answers_is_attended_where_the_store_does_not_matter (void **state)
{
    (void) state;
    agent_poll_fixture_t self;
    set_up (&self, false);
    assert_false (self.question.bare);
    answer (&self, CALL_OK);
    assert_int_equal (self.question.said.seen, self.number);
    assert_memory_equal (self.asked.to_store, no_store, STORE_ID_BYTES);
    assert_int_equal (self.asked.timeout_ms, 7000 + 5000);
    tear_down (&self);
}

static void news_give_up_the_question_that_waits (void **state)
{
    (void) state;
    agent_poll_fixture_t self;
    set_up (&self, false);
    uint64_t waits = self.asked.call;
    self.now.mono_ms += 10;
    news (&self, 0);
    assert_int_equal (self.asked_count, 2);
    assert_int_equal (self.question.asked_ms, self.now.mono_ms);
    answer_to (&self, waits, CALL_OK);
    assert_int_equal (self.taken_count, 0);
    assert_int_equal (self.asked_count, 2);
    tear_down (&self);
}

static void news_that_can_wait_are_told_so_long_after_the_last_question (void **state)
{
    (void) state;
    agent_poll_fixture_t self;
    set_up (&self, false);
    self.now.mono_ms += 10;
    news (&self, 250);
    news (&self, 400); /* is told with the other */
    assert_int_equal (self.asked_count, 1);
    assert_int_equal (pass (&self), 240);
    assert_int_equal (self.asked_count, 2);
    news (&self, 250);
    news (&self, 0); /* can't wait */
    assert_int_equal (self.asked_count, 3);
    self.now.mono_ms += 251;
    news (&self, 250);
    assert_int_equal (self.asked_count, 4);
    tear_down (&self);
}

static void nothing_is_news_before_the_store_is_known (void **state)
{
    (void) state;
    agent_poll_fixture_t self;
    set_up (&self, true);
    news (&self, 0);
    assert_int_equal (self.asked_count, 1);
    answer (&self, CALL_OK);
    news (&self, 0);
    assert_int_equal (self.asked_count, 3);
    tear_down (&self);
}

static void who_does_not_answer_is_asked_later_and_later_at_the_next_endpoint (void **state)
{
    (void) state;
    agent_poll_fixture_t self;
    set_up (&self, false);
    answer (&self, CALL_OK);
    int64_t most_ms = BACKOFF_MS;
    for (size_t i = 0; i < 8; i++) {
        assert_string_equal (self.asked.endpoint, sites [i % 2]);
        size_t before = self.asked_count;
        answer (&self, i % 2 ? CALL_TIMED_OUT : CALL_NOT_SERVING);
        news (&self, 0); /* waits like all else */
        assert_int_equal (self.asked_count, before);
        int64_t waited_ms = pass (&self);
        assert_in_range (waited_ms, most_ms / 2, most_ms);
        assert_int_equal (self.asked_count, before + 1);
        assert_int_equal (self.question.said.seen, 0);
        most_ms = 2 * most_ms < BACKOFF_MS_MAX ? 2 * most_ms : BACKOFF_MS_MAX;
    }
    answer (&self, CALL_OK);
    answer (&self, CALL_TIMED_OUT);
    assert_in_range (pass (&self), BACKOFF_MS / 2, BACKOFF_MS);
    tear_down (&self);
}

static void what_goes_on_is_told_once (void **state)
{
    (void) state;
    static const call_status_t each [] = {CALL_TIMED_OUT, CALL_TIMED_OUT, CALL_DENIED,
                                          CALL_DENIED,    CALL_DENIED,    CALL_TIMED_OUT};
    agent_poll_fixture_t self;
    set_up (&self, false);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        answer (&self, each [i]);
        pass (&self);
    }
    assert_int_equal (self.warned_count, 3);
    tear_down (&self);
}

static void an_answer_that_is_none_counts_as_none (void **state)
{
    (void) state;
    agent_poll_fixture_t self;
    set_up (&self, true);
    self.understood = false;
    answer (&self, CALL_OK);
    assert_int_equal (self.asked_count, 1);
    assert_null (agent_poll_store (self.agent_poll));
    assert_in_range (pass (&self), BACKOFF_MS / 2, BACKOFF_MS);
    assert_true (self.question.bare);
    assert_string_equal (agent_poll_endpoint (self.agent_poll), sites [1]);
    tear_down (&self);
}

static void another_store_is_attended_from_the_beginning (void **state)
{
    (void) state;
    agent_poll_fixture_t self;
    set_up (&self, true);
    answer (&self, CALL_OK);
    answer (&self, CALL_OK);
    assert_true (self.question.said.seen > 0);
    answer (&self, CALL_WRONG_STORE);
    assert_true (self.question.bare);
    assert_int_equal (self.question.said.seen, 0);
    assert_int_equal (self.question.said.number, 4); /* they count on */
    assert_string_equal (self.asked.endpoint, sites [0]);
    assert_memory_equal (self.asked.to_store, no_store, STORE_ID_BYTES);
    assert_null (agent_poll_store (self.agent_poll));
    tear_down (&self);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_first_question_is_bare_and_the_next_are_for_the_store_that_answered),
      cmocka_unit_test (whoever_answers_is_attended_where_the_store_does_not_matter),
      cmocka_unit_test (news_give_up_the_question_that_waits),
      cmocka_unit_test (news_that_can_wait_are_told_so_long_after_the_last_question),
      cmocka_unit_test (nothing_is_news_before_the_store_is_known),
      cmocka_unit_test (who_does_not_answer_is_asked_later_and_later_at_the_next_endpoint),
      cmocka_unit_test (what_goes_on_is_told_once),
      cmocka_unit_test (an_answer_that_is_none_counts_as_none),
      cmocka_unit_test (another_store_is_attended_from_the_beginning),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
