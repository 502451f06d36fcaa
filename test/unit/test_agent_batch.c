/*  test_agent_batch - the agent of a batch system: what it tells its site of what it sees there,
 *  and that a job which waits there is not begun again.
 */
#include "agent.h"
#include "host_in_memory.h"
#include "node_work.h"
#include "nodes_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LOOK_MS  2000
#define LIMIT_MS 10000

typedef struct {
    memory_host_t host;
    uint64_t call;                    /* the last question */
    char why [RUN_WHY_BYTES_MAX + 1]; /* of the picture in it */
    size_t nodes;
    int64_t seen_ms;
    bool has_picture;
    char waits [RUN_WHY_BYTES_MAX + 1]; /* why of the first run in it */
    uint64_t looks [64];                /* at the batch system, that have not ended */
    size_t looks_count;
    uint64_t look; /* the last one at runs */
    size_t starts; /* works run_start */
    uint64_t start [64];
    char name [64][RUN_NAME_BYTES_MAX + 1]; /* of the run that was started */
} agent_world_t;

static void see_question (agent_world_t *self, const effect_t *effect)
{
    attend_t asked;
    char why [WHY_BYTES];
    self->call = effect->call.call;
    assert_true (codec_decode (&attend_codec, &asked, effect->call.body, why));
    assert_string_equal (asked.node, "slurm");
    self->has_picture = asked.batch != NULL;
    if (asked.batch) {
        memcpy (self->why, asked.batch->why, sizeof self->why);
        self->nodes = asked.batch->nodes_count;
        self->seen_ms = asked.batch->seen_ms;
    }
    snprintf (self->waits, sizeof self->waits, "%s", asked.runs_count > 0 ? asked.runs->why : "");
    codec_clear (&attend_codec, &asked);
}

static void see_work (agent_world_t *self, const effect_t *effect)
{
    work_order_t order;
    char why [WHY_BYTES];
    assert_true (codec_decode (&work_order_codec, &order, effect->work.arguments, why));
    assert_string_not_equal (effect->work.kind, RUN_LEASE);
    if (strcmp (effect->work.kind, RUN_LOOK) == 0 && order.names_count == 0)
        self->looks [self->looks_count++] = effect->work.work;
    if (strcmp (effect->work.kind, RUN_LOOK) == 0 && order.names_count > 0)
        self->look = effect->work.work;
    if (strcmp (effect->work.kind, RUN_START) == 0) {
        self->start [self->starts] = effect->work.work;
        strcpy (self->name [self->starts++], order.ticket.name);
    }
    codec_clear (&work_order_codec, &order);
}

static void take (void *owner, const effect_t *effect)
{
    agent_world_t *self = owner;
    if (effect->kind == EFFECT_CALL)
        see_question (self, effect);
    else if (effect->kind == EFFECT_WORK)
        see_work (self, effect);
}

static void step (void *owner, const event_t *event)
{
    agent_world_t *self = owner;
    self->host.now.entropy [0]++;
    memory_host_step (&self->host, event);
}

static void pass (agent_world_t *self, int64_t ms)
{
    memory_host_pass (&self->host, ms, step);
}

/*  The site answers the question that waits. */
static void answer (agent_world_t *self, const wanted_t *wanted)
{
    static const uint8_t store [STORE_ID_BYTES] = {7};
    wanted_t told = *wanted;
    static uint64_t number;
    told.number = ++number;
    told.lease_ms = told.attend_ms = 10000;
    packed_t body = codec_encode (&wanted_codec, &told);
    event_t event = {
      .kind = EVENT_ANSWER,
      .answer = {
        .call = self->call, .status = CALL_OK, .reason = "", .body = {body.data, body.size}}};
    memcpy (event.answer.store, store, sizeof store);
    step (self, &event);
    free (body.data);
    pass (self, 1);
}

static void open_agent (agent_world_t *self)
{
    static const char *const sites [] = {"sim://lis/ams"};
    agent_settings_t settings = SETTINGS_PRESET (agent_settings_t, &agent_table);
    settings.name = "slurm";
    settings.class_name = "";
    settings.batch = true;
    settings.sites = sites;
    settings.sites_count = 1;
    settings.runs = "/runs";
    settings.machine_ms = LOOK_MS;
    settings.look_ms = LOOK_MS;
    settings.limit_ms = LIMIT_MS;
    *self = (agent_world_t){.host = memory_host (1700000000000, 5000, take, self)};
    memcpy (self->host.store.id, "0123456789abcdef", STORE_ID_BYTES);
    agent_core (&settings, &self->host.core);
    memory_host_boot (&self->host, NULL, "sim://node/slurm", step);
    answer (self, &(wanted_t){.site = "ams"}); /* the site's store is known from this answer */
}

static void close_agent (agent_world_t *self)
{
    self->host.core.destroy (self->host.core.self);
    records_clear (&self->host.records);
}

static void work_ends (agent_world_t *self, uint64_t work, const work_result_t *result)
{
    packed_t packed = result ? codec_encode (&work_result_codec, result) : (packed_t){0};
    step (self,
          &(event_t){
            .kind = EVENT_WORK,
            .work = {.work = work, .ok = result != NULL, .result = {packed.data, packed.size}}});
    free (packed.data);
    pass (self, 1);
}

/*  A look at the batch system ends, that was ordered first. */
static void look_ends (agent_world_t *self, size_t nodes, const char *why)
{
    static batch_node_t all [2] = {{.node = "n1", .up = true}, {.node = "n2", .up = true}};
    batch_picture_t picture = {.system = "slurm", .nodes = all, .nodes_count = nodes};
    snprintf (picture.why, sizeof picture.why, "%s", why);
    assert_int_equal (self->looks_count, 1);
    self->looks_count = 0;
    work_ends (self, self->looks [0], &(work_result_t){.why = "", .batch = &picture});
}

static void what_is_seen_is_told_with_when (void **state)
{
    (void) state;
    agent_world_t w;
    open_agent (&w);
    assert_false (w.has_picture);
    look_ends (&w, 2, "");
    assert_true (w.has_picture);
    assert_int_equal (w.nodes, 2);
    int64_t seen_ms = w.seen_ms;
    assert_true (seen_ms >= 1700000000000);
    close_agent (&w);
}

static void silence_is_told_with_why_and_what_was_seen_last (void **state)
{
    (void) state;
    agent_world_t w;
    open_agent (&w);
    look_ends (&w, 2, "");
    int64_t seen_ms = w.seen_ms;
    pass (&w, LOOK_MS);
    look_ends (&w, 0, "slurmctld does not answer");
    assert_string_equal (w.why, "slurmctld does not answer");
    assert_int_equal (w.nodes, 2);
    assert_int_equal (w.seen_ms, seen_ms);
    pass (&w, LOOK_MS);
    look_ends (&w, 1, "");
    assert_string_equal (w.why, "");
    assert_int_equal (w.nodes, 1);
    pass (&w, LOOK_MS);
    w.looks_count = 0;
    work_ends (&w, w.looks [0], NULL);
    assert_string_equal (w.why, "the batch system could not be looked at");
    close_agent (&w);
}

static void a_look_that_hangs_is_noticed_within_the_limit (void **state)
{
    (void) state;
    agent_world_t w;
    open_agent (&w);
    look_ends (&w, 2, "");
    pass (&w, LOOK_MS);
    assert_int_equal (w.looks_count, 1);
    pass (&w, LIMIT_MS - 100);
    assert_string_equal (w.why, "");
    pass (&w, LOOK_MS);
    assert_string_equal (w.why, "the batch system has not answered for 10 s");
    assert_int_equal (w.looks_count, 1); /* one at a time */
    look_ends (&w, 2, "");
    assert_string_equal (w.why, "");
    close_agent (&w);
}

#define RUNS 9

/*  The site wants so many runs of one task each. */
static void want (agent_world_t *self, size_t count)
{
    static const char *const arguments [] = {"/bin/true"};
    run_order_t order = {.arguments = arguments,
                         .arguments_count = 1,
                         .folder = "",
                         .output = "",
                         .errors = "",
                         .cpus = 1,
                         .limit_ms = 60000,
                         .cpu_limit_ms = 60000,
                         .account = "alice",
                         .owner = "alice",
                         .reservation = "",
                         .need = ""};
    run_order_t orders [RUNS];
    wanted_run_t runs [RUNS] = {0};
    for (size_t i = 0; i < count; i++) {
        orders [i] = order;
        runs [i] =
          (wanted_run_t){.id = {.task = {.bag = i + 1}, .number = 1}, .order = &orders [i]};
    }
    answer (self, &(wanted_t){.runs = runs, .runs_count = count, .site = "ams"});
}

/*  The start of that number ends; well: its job is queued. */
static void start_ends (agent_world_t *self, size_t start, bool well)
{
    stand_t stand = {.queued = true};
    memcpy (stand.name, self->name [start], sizeof stand.name);
    work_result_t result = {.why = "", .stands = &stand, .stands_count = 1};
    work_ends (self, self->start [start], well ? &result : NULL);
}

static void a_job_that_waits_is_not_begun_again_and_one_that_is_gone_is (void **state)
{
    (void) state;
    agent_world_t w;
    open_agent (&w);
    want (&w, 1);
    assert_int_equal (w.starts, 1);
    start_ends (&w, 0, true);
    stand_t stand = {.queued = true};
    memcpy (stand.name, w.name [0], sizeof stand.name);
    work_result_t result = {.why = "", .stands = &stand, .stands_count = 1};
    for (int i = 0; i < 3; i++) {
        pass (&w, LOOK_MS);
        work_ends (&w, w.look, &result);
    }
    assert_int_equal (w.starts, 1);
    stand.queued = false; /* the batch system has forgotten it */
    pass (&w, LOOK_MS);
    work_ends (&w, w.look, &result);
    pass (&w, LOOK_MS);
    assert_int_equal (w.starts, 2);
    close_agent (&w);
}

/*  A run's job stands as it does when a look at it ends. */
static void job_stands (agent_world_t *self, run_state_t state, const char *why)
{
    stand_t stand = {.queued = state == RUN_CLAIMED, .report.state = state};
    memcpy (stand.name, self->name [0], sizeof stand.name);
    snprintf (stand.report.why, sizeof stand.report.why, "%s", why);
    pass (self, LOOK_MS);
    work_ends (self, self->look, &(work_result_t){.why = "", .stands = &stand, .stands_count = 1});
    answer (self, &(wanted_t){.runs = &(wanted_run_t){.id = {.task = {.bag = 1}, .number = 1}},
                              .runs_count = 1,
                              .site = "ams"});
}

static void why_a_job_waits_is_told_when_it_changes (void **state)
{
    (void) state;
    agent_world_t w;
    open_agent (&w);
    want (&w, 1);
    start_ends (&w, 0, true);
    job_stands (&w, RUN_CLAIMED, "Slurm says PENDING, Priority");
    assert_string_equal (w.waits, "Slurm says PENDING, Priority");
    job_stands (&w, RUN_CLAIMED, "Slurm says PENDING, Resources");
    assert_string_equal (w.waits, "Slurm says PENDING, Resources");
    job_stands (&w, RUN_RUNNING, "");
    assert_string_equal (w.waits, "");
    job_stands (&w, RUN_CLAIMED, "Slurm says PENDING, Resources"); /* a look from before */
    assert_string_equal (w.waits, "");
    close_agent (&w);
}

/*  Four at once; one is too late: then one by one, and when these go well more at once again. */
static void submissions_that_are_too_slow_go_one_by_one (void **state)
{
    (void) state;
    agent_world_t w;
    open_agent (&w);
    want (&w, RUNS);
    assert_int_equal (w.starts, 4);
    start_ends (&w, 0, false);
    start_ends (&w, 1, false);
    start_ends (&w, 2, false);
    assert_int_equal (w.starts, 4);
    start_ends (&w, 3, false);
    assert_int_equal (w.starts, 5);
    start_ends (&w, 4, false);
    assert_int_equal (w.starts, 6);
    pass (&w, LOOK_MS); /* those that failed may be tried again */
    assert_int_equal (w.starts, 6);
    start_ends (&w, 5, true);
    assert_int_equal (w.starts, 8);
    start_ends (&w, 6, true);
    assert_int_equal (w.starts, 11);
    for (size_t i = 7; i < w.starts; i++)
        start_ends (&w, i, true);
    assert_int_equal (w.starts, 5 + RUNS); /* each that failed was tried once more */
    close_agent (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_is_seen_is_told_with_when),
      cmocka_unit_test (silence_is_told_with_why_and_what_was_seen_last),
      cmocka_unit_test (a_look_that_hangs_is_noticed_within_the_limit),
      cmocka_unit_test (a_job_that_waits_is_not_begun_again_and_one_that_is_gone_is),
      cmocka_unit_test (why_a_job_waits_is_told_when_it_changes),
      cmocka_unit_test (submissions_that_are_too_slow_go_one_by_one),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
