/*  queue_site - agents' messages are packed and read outside the time that is measured. */
#include "queue_site.h"
#include "participant.h"
#include "runner.h"

#include "bench.h"
#include "directory_wire.h"
#include "file_questions.h"
#include "lis.h"
#include "message.h"
#include "must.h"
#include "nodes_wire.h"
#include "prng.h"

#include "tasks.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_MS INT64_C (1000)
#define START_MS  INT64_C (1700000000000)
#define RUNS_MAX  256 /* number of runs that an agent knows */

enum { REPLY_TO_CLIENT = 1, REPLY_TO_AGENTS = 2 };

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    char actor [NAME_BYTES_MAX + 8];
    uint64_t number;
    uint64_t seen;
    bool asks; /* it asks as soon as it can */
    run_report_t runs [RUNS_MAX];
    int64_t ends_ms [RUNS_MAX];
    size_t runs_count;
} queue_site_agent_t;

/*  What an agent was answered last. */
typedef struct {
    queue_site_agent_t *agent;
    packed_t body;
} queue_site_told_t;

typedef struct {
    uint64_t call;
    packed_t body;
} queue_site_answer_t;

typedef struct {
    core_t core;
    moment_t now;
    int64_t timer_ms; /* monotonic time */
    queue_site_agent_t *agents;
    size_t agents_count;
    size_t cpus;
    queue_site_told_t *told;
    size_t told_count;
    size_t over;
    prng_t prng;
    double clock_ns; /* time that reading the clock takes */
    double spent_ns;
    double worst_ns;
    uint64_t asked;
    uint8_t *held; /* by file and node: is a copy there? */
    size_t files;
    const char *rank;
    queue_site_answer_t *answers; /* to calls of the core */
    size_t answers_count;
    size_t answers_room;
    size_t calls;
    size_t begun_held; /* runs whose input was there when they were placed */
} queue_site_field_t;

/*  --- the core --- */

/*  A step takes some microseconds, and reading the clock is a good part of that. */
static double clock_cost_ns (void)
{
    enum { LOOKS = 10000 };
    double spent_ns = -bench_cpu_ns ();
    for (int i = 1; i < LOOKS; i++)
        bench_cpu_ns ();
    return (spent_ns + bench_cpu_ns ()) / LOOKS;
}

static void keep_reply (queue_site_field_t *site, const effect_t *effect)
{
    if (effect->reply.status != CALL_OK)
        bench_fail (effect->reply.reason);
    if (effect->reply.reply_to < REPLY_TO_AGENTS)
        return;
    queue_site_told_t *told = &site->told [site->told_count++];
    size_t size = effect->reply.body.size;
    told->agent = &site->agents [effect->reply.reply_to - REPLY_TO_AGENTS];
    told->body = (packed_t){.data = must (malloc (size + 1)), .size = size};
    memcpy (told->body.data, effect->reply.body.data, size);
}

/*  --- what svc-replica would answer --- */

static uint8_t *file_held (const queue_site_field_t *site, const char *name, const char *node)
{
    return &site->held [strtoul (name + 1, NULL, 10) * site->agents_count +
                        strtoul (node + strlen ("thin-"), NULL, 10) - 1];
}

static packed_t stay_answer (queue_site_field_t *site, bytes_t body)
{
    stay_question_t asked;
    char why [WHY_BYTES], path [] = "/copy";
    if (!codec_decode (&stay_question_codec, &asked, body, why))
        bench_fail (why);
    uint8_t *held = file_held (site, asked.name, asked.node);
    bool there = *held == 1;
    site->begun_held += there && !asked.look && asked.stay_ms > 0;
    *held = asked.stay_ms > 0 ? 1 : *held; /* the next question finds it */
    return codec_encode (&stay_answer_codec,
                         &(stay_answer_t){.state = there ? STAGED_READY : STAGED_COMING,
                                          .size = 1000000000,
                                          .path = there ? path : NULL});
}

static packed_t staging_answer (const queue_site_field_t *site, bytes_t body)
{
    staging_asked_t asked;
    staging_answer_t told [STAGING_FILES_MAX] = {0};
    char why [WHY_BYTES];
    if (!codec_decode (&staging_asked_codec, &asked, body, why))
        bench_fail (why);
    for (size_t i = 0; i < asked.count; i++) {
        memcpy (told [i].name, asked.files [i].name, sizeof told [i].name);
        told [i].nodes = must (calloc (site->agents_count, sizeof *told [i].nodes));
        for (size_t k = 0; k < site->agents_count; k++)
            if (*file_held (site, told [i].name, site->agents [k].name) == 1)
                memcpy (told [i].nodes [told [i].nodes_count++], site->agents [k].name,
                        sizeof *told [i].nodes);
    }
    packed_t packed =
      codec_encode (&staging_told_codec, &(staging_told_t){.files = told, .count = asked.count});
    for (size_t i = 0; i < asked.count; i++)
        free (told [i].nodes);
    codec_clear (&staging_asked_codec, &asked);
    return packed;
}

static packed_t directory_answer (void)
{
    directory_entry_t replica = {.name = "replica/bench",
                                 .store = {3},
                                 .start = 1,
                                 .endpoint = "sim://replica/bench",
                                 .events = "sim://replica/bench/events"};
    return codec_encode (&directory_snapshot_codec,
                         &(directory_snapshot_t){.entries = &replica,
                                                 .entries_count = 1,
                                                 .mark = {.store = {5}, .start = 1, .number = 1}});
}

static void keep_call (queue_site_field_t *site, const effect_t *effect)
{
    queue_site_answer_t answer = {.call = effect->call.call};
    site->calls += strcmp (effect->call.service, "Replica") == 0;
    if (strcmp (effect->call.method, "Stay") == 0)
        answer.body = stay_answer (site, effect->call.body);
    else if (strcmp (effect->call.method, "Staging") == 0)
        answer.body = staging_answer (site, effect->call.body);
    else if (strcmp (effect->call.method, "Snapshot") == 0)
        answer.body = directory_answer ();
    else
        return;
    site->answers =
      must_grow (site->answers, site->answers_count, &site->answers_room, sizeof *site->answers);
    site->answers [site->answers_count++] = answer;
}

static void step (queue_site_field_t *site, const event_t *event)
{
    effect_t effect;
    double spent_ns = -bench_cpu_ns ();
    site->core.step (site->core.self, &site->now, event);
    while (site->core.next (site->core.self, &effect)) {
        if (effect.kind == EFFECT_TIMER)
            site->timer_ms = effect.timer.mono_ms;
        if (effect.kind == EFFECT_REPLY)
            keep_reply (site, &effect);
        if (effect.kind == EFFECT_CALL && site->files > 0) {
            spent_ns += bench_cpu_ns (); /* what others do is not counted */
            keep_call (site, &effect);
            spent_ns -= bench_cpu_ns ();
        }
    }
    spent_ns += bench_cpu_ns () - site->clock_ns;
    site->spent_ns += spent_ns;
    site->worst_ns = spent_ns > site->worst_ns ? spent_ns : site->worst_ns;
}

static void request (queue_site_field_t *site, const char *service, const char *method,
                     const char *actor, packed_t body, uint64_t reply_to)
{
    step (site, &(event_t){.kind = EVENT_REQUEST,
                           .request = {.service = service,
                                       .method = method,
                                       .actor = actor,
                                       .request_id = "",
                                       .body = {.data = body.data, .size = body.size},
                                       .reply_to = reply_to}});
    free (body.data);
}

/*  --- agents --- */

static void ask (queue_site_field_t *site, queue_site_agent_t *agent)
{
    attend_t attend = {.class_name = "thin",
                       .cpus = (uint32_t) site->cpus,
                       .question.start = 1,
                       .question.number = ++agent->number,
                       .question.seen = agent->seen,
                       .runs = agent->runs,
                       .runs_count = agent->runs_count};
    if (site->files > 0)
        memcpy (attend.storage, agent->name, sizeof attend.storage);
    memcpy (attend.node, agent->name, sizeof attend.node);
    memcpy (attend.question.store, agent->name, STORE_ID_BYTES);
    agent->asks = false;
    site->asked++;
    request (site, "Nodes", "Attend", agent->actor, codec_encode (&attend_codec, &attend),
             REPLY_TO_AGENTS + (uint64_t) (agent - site->agents));
}

static size_t run_at (const queue_site_agent_t *agent, const run_id_t *id)
{
    size_t at = 0;
    while (at < agent->runs_count && run_id_compare (&agent->runs [at].id, id) != 0)
        at++;
    return at;
}

static void begin (queue_site_field_t *site, queue_site_agent_t *agent, const wanted_run_t *wanted)
{
    size_t at = agent->runs_count++;
    if (at == RUNS_MAX || !wanted->order)
        bench_fail ("an agent knows too much");
    agent->runs [at] = (run_report_t){
      .id = wanted->id, .state = RUN_RUNNING, .started_ms = site->now.wall_ms, .cpu_ms = 1};
    agent->ends_ms [at] =
      site->now.wall_ms + 1 +
      (int64_t) prng_below (&site->prng, (uint64_t) wanted->order->limit_ms / 2);
}

static void forget (queue_site_field_t *site, queue_site_agent_t *agent, size_t at)
{
    if (at == agent->runs_count)
        return;
    size_t last = --agent->runs_count;
    agent->runs [at] = agent->runs [last];
    agent->ends_ms [at] = agent->ends_ms [last];
    site->over++;
}

static void carry_out (queue_site_field_t *site, queue_site_told_t *told)
{
    queue_site_agent_t *agent = told->agent;
    wanted_t wanted;
    char why [WHY_BYTES];
    if (!codec_decode (&wanted_codec, &wanted, (bytes_t){told->body.data, told->body.size}, why))
        bench_fail (why);
    for (size_t i = 0; i < wanted.runs_count; i++) {
        const wanted_run_t *run = &wanted.runs [i];
        size_t at = run_at (agent, &run->id);
        if (run->wish == WISH_START && at == agent->runs_count)
            begin (site, agent, run);
        else if (run->wish == WISH_FORGET)
            forget (site, agent, at);
        else if (run->wish == WISH_END)
            bench_fail ("a run was told to end");
    }
    agent->seen = wanted.number;
    agent->asks = true;
    codec_clear (&wanted_codec, &wanted);
    free (told->body.data);
}

/*  --- time --- */

static bool agents_ask (queue_site_field_t *site)
{
    bool any = false;
    for (size_t i = 0; i < site->agents_count; i++)
        if (site->agents [i].asks) {
            any = true;
            ask (site, &site->agents [i]);
        }
    return any;
}

static bool answers_give (queue_site_field_t *site)
{
    size_t count = site->answers_count;
    for (size_t i = 0; i < site->answers_count; i++) {
        queue_site_answer_t answer = site->answers [i];
        step (site, &(event_t){.kind = EVENT_ANSWER,
                               .answer = {.call = answer.call,
                                          .status = CALL_OK,
                                          .reason = "",
                                          .store = {3},
                                          .body = packed_bytes (answer.body)}});
        free (answer.body.data);
    }
    site->answers_count = 0;
    return count > 0;
}

static bool agents_hear (queue_site_field_t *site)
{
    answers_give (site);
    size_t count = site->told_count;
    site->told_count = 0;
    for (size_t i = 0; i < count; i++)
        carry_out (site, &site->told [i]);
    return count > 0;
}

/*  The run that ends first. */
static queue_site_agent_t *next_end (queue_site_field_t *site, size_t *run)
{
    queue_site_agent_t *first = NULL;
    for (size_t i = 0; i < site->agents_count; i++) {
        queue_site_agent_t *agent = &site->agents [i];
        for (size_t k = 0; k < agent->runs_count; k++)
            if (agent->runs [k].state == RUN_RUNNING &&
                (!first || agent->ends_ms [k] < first->ends_ms [*run])) {
                first = agent;
                *run = k;
            }
    }
    return first;
}

static void pass_to (queue_site_field_t *site, int64_t wall_ms)
{
    if (wall_ms > site->now.wall_ms) {
        site->now.mono_ms += wall_ms - site->now.wall_ms;
        site->now.wall_ms = wall_ms;
    }
}

/*  The next event: a timer of the core, or the end of a run. */
static void go_on (queue_site_field_t *site)
{
    size_t run = 0;
    queue_site_agent_t *agent = next_end (site, &run);
    int64_t timer_ms = site->timer_ms == INT64_MAX
                         ? INT64_MAX
                         : site->timer_ms - site->now.mono_ms + site->now.wall_ms;
    if (!agent && timer_ms == INT64_MAX)
        bench_fail ("tasks wait for nothing");
    if (agent && agent->ends_ms [run] < timer_ms) {
        pass_to (site, agent->ends_ms [run]);
        agent->runs [run].state = RUN_ENDED;
        agent->runs [run].ended_ms = site->now.wall_ms;
        agent->asks = true;
        return;
    }
    pass_to (site, timer_ms);
    site->timer_ms = INT64_MAX;
    step (site, &(event_t){.kind = EVENT_TIMER});
}

/*  --- a site --- */

static packed_t submission (queue_site_field_t *site, size_t count, bool alike, size_t bag)
{
    static char *arguments [] = {"/usr/bin/simulate", "--seed", "7"};
    Musubi__TaskCommand command = MUSUBI__TASK_COMMAND__INIT;
    command.n_arguments = 3;
    command.arguments = arguments;
    Musubi__SubmitRequest message = MUSUBI__SUBMIT_REQUEST__INIT;
    message.command = &command;
    message.count = (uint32_t) count;
    message.cpus = alike ? 1 : 1 + (uint32_t) prng_below (&site->prng, site->cpus);
    message.limit_ms = 60 * SECOND_MS + (int64_t) prng_below (&site->prng, 240 * SECOND_MS);
    char name [32];
    Musubi__TaskFile file = MUSUBI__TASK_FILE__INIT;
    Musubi__TaskFile *inputs [] = {&file};
    file.name = name;
    snprintf (name, sizeof name, "f%zu", site->files > 0 ? bag % site->files : 0);
    message.inputs = inputs;
    message.rank = (char *) site->rank;
    message.n_inputs = site->files > 0 ? 1 : 0;
    packed_t packed;
    packed.data = message_pack (&message.base, &packed.size);
    return packed;
}

static void open_site (queue_site_field_t *site, runner_settings_t *runner, size_t nodes,
                       size_t cpus, size_t files)
{
    static account_t accounts [] = {{.actor = "alice", .account = "alice"}};
    static const char *const actors [] = {"alice"};
    static const char *const gis [] = {"sim://gis/g1"};
    node_class_t class = {.name = "thin", .nodes = nodes, .cpus_per_node = (uint32_t) cpus};
    *site = (queue_site_field_t){.now = {.wall_ms = START_MS,
                                         .mono_ms = 5000,
                                         .store_free_bytes = 1 << 30,
                                         .store_bytes = 1 << 30},
                                 .timer_ms = INT64_MAX,
                                 .agents = must (calloc (nodes, sizeof *site->agents)),
                                 .agents_count = nodes,
                                 .cpus = cpus,
                                 .told = must (calloc (nodes + 1, sizeof *site->told)),
                                 .held = must (calloc (files * nodes + 1, 1)),
                                 .files = files};
    prng_seed (&site->prng, 1);
    for (size_t i = 0; i < 2 * files; i++)
        site->held [i / 2 * nodes + prng_below (&site->prng, nodes)] = 1;
    site->clock_ns = clock_cost_ns ();
    *runner = (runner_settings_t){
      .places = must (calloc (nodes, sizeof *runner->places)),
      .places_count = nodes,
      .accounts = accounts,
      .accounts_count = 1,
      .nodes = nodes_limits_of (&SETTINGS_PRESET (nodes_terms_t, &nodes_table)),
      .openings = openings_limits_of (&SETTINGS_PRESET (opening_settings_t, &opening_table), 30000),
      .queue = SETTINGS_PRESET (queue_limits_t, &queue_table),
      .sharing = SETTINGS_PRESET (sharing_limits_t, &sharing_table),
      .back_end = back_end_limits_default};
    runner->queue.bags_max = runner->queue.bags_per_actor_max = 1000000;
    for (size_t i = 0; i < nodes; i++) {
        queue_site_agent_t *agent = &site->agents [i];
        snprintf (agent->name, sizeof agent->name, "thin-%03zu", i + 1);
        snprintf (agent->actor, sizeof agent->actor, "node/thin-%03zu", i + 1);
        memcpy (runner->places [i].name, agent->name, sizeof agent->name);
        agent->asks = true;
    }
    lis_settings_t settings = {
      .provider.name = "lis/bench",
      .site = {.classes = &class, .classes_count = 1, .horizon_ms = 365 * 86400 * SECOND_MS},
      .provider.access = {actors, 1, NULL, 0},
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .provider.gis_endpoints = gis,
      .provider.gis_count = 1,
      .runner = runner};
    lis_core (&settings, &site->core);
    step (site, &(event_t){.kind = EVENT_START,
                           .start = {.store = {.id = {7}, .start = 1},
                                     .endpoint = "sim://lis/bench",
                                     .events = "sim://lis/bench/events"}});
    while (agents_ask (site) || agents_hear (site))
        continue;
}

queue_site_cost_t queue_site_measure (size_t nodes, size_t cpus, size_t tasks, size_t bags,
                                      size_t files, const char *rank)
{
    queue_site_field_t site;
    runner_settings_t runner;
    open_site (&site, &runner, nodes, cpus, files);
    site.rank = rank;
    site.calls = 0;
    site.spent_ns = 0;
    for (size_t i = 0; i < bags; i++)
        request (&site, "Queue", "Submit", "alice", submission (&site, tasks / bags, bags == 1, i),
                 REPLY_TO_CLIENT);
    site.worst_ns = 0; /* the first submission fills all nodes */
    site.asked = 0;
    while (site.over < tasks) {
        bool heard = agents_hear (&site);
        if (!agents_ask (&site) && !heard)
            go_on (&site);
    }
    queue_site_cost_t cost = {.task = site.spent_ns / 1e3 / (double) tasks,
                              .worst = site.worst_ns / 1e3,
                              .asked = (double) site.asked / (double) tasks,
                              .held = (double) site.begun_held / (double) tasks,
                              .calls = (double) site.calls / (double) tasks};
    site.core.destroy (site.core.self);
    for (size_t i = 0; i < site.told_count; i++)
        free (site.told [i].body.data);
    for (size_t i = 0; i < site.answers_count; i++)
        free (site.answers [i].body.data);
    free (site.answers);
    free (site.held);
    free (site.told);
    free (site.agents);
    free (runner.places);
    return cost;
}
