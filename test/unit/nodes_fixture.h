/*  nodes_fixture - a core that has only the nodes of a site, under a host made of arrays, with
 *  agents that say what a test tells them to.
 */
#ifndef MUSUBI_NODES_FIXTURE_H
#define MUSUBI_NODES_FIXTURE_H

#include "checks.h"
#include "host_in_memory.h"
#include "member.h"
#include "message.h"
#include "nodes.h"
#include "nodes_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EPOCH_MS    INT64_C (1700000000000)
#define REPLIES_MAX 64
#define MOVES_MAX   256
#define ARENA_BYTES (32u << 20) /* of all bodies of one world, ever */

typedef struct {
    uint64_t reply_to;
    call_status_t status;
    char reason [512];
    const uint8_t *body;
    size_t body_size;
} reply_t;

/*  What the observer of the nodes was told. */
typedef struct {
    run_id_t id;
    run_state_t state;
    int32_t exit_code;
    char why [RUN_WHY_BYTES_MAX + 1];
} nodes_move_t;

typedef struct {
    nodes_limits_t limits;
    memory_host_t host;
    service_t *service;
    nodes_t *nodes;
    site_t site;
    access_t access;
    reply_t replies [REPLIES_MAX];
    size_t replies_count;
    uint64_t asked;
    nodes_move_t moves [MOVES_MAX];
    size_t moves_count;
    agent_state_t states [8]; /* of the first nodes, as an observer heard last */
    size_t node_moves;
    size_t suspensions; /* and resumptions, as an observer heard */
} nodes_world_t;

static inline void on_run_moved (void *owner, const moment_t *now, const run_t *run)
{
    (void) now;
    nodes_world_t *self = owner;
    assert_true (self->moves_count < MOVES_MAX);
    nodes_move_t *move = &self->moves [self->moves_count++];
    *move = (nodes_move_t){.id = run->id, .state = run->state, .exit_code = run->exit_code};
    snprintf (move->why, sizeof move->why, "%s", run->why);
}

static inline void on_run_suspended (void *owner, const moment_t *now, const run_t *run)
{
    (void) now, (void) run;
    nodes_world_t *self = owner;
    self->suspensions++;
}

static inline void on_node_moved (void *owner, const moment_t *now, size_t node)
{
    (void) now;
    nodes_world_t *self = owner;
    self->node_moves++;
    if (node < 8)
        self->states [node] = nodes_at (self->nodes, node).state;
}

static uint8_t arena [ARENA_BYTES];
static size_t arena_used;

static inline const uint8_t *arena_copy (bytes_t bytes)
{
    uint8_t *copy = &arena [arena_used];
    arena_used += bytes.size;
    assert_true (arena_used <= sizeof arena);
    if (bytes.size > 0)
        memcpy (copy, bytes.data, bytes.size);
    return copy;
}

static inline void reply_take (nodes_world_t *self, const effect_t *effect)
{
    assert_true (self->replies_count < REPLIES_MAX);
    for (size_t i = 0; i < self->replies_count; i++)
        assert_true (self->replies [i].reply_to != effect->reply.reply_to);
    reply_t *reply = &self->replies [self->replies_count++];
    *reply = (reply_t){.reply_to = effect->reply.reply_to,
                       .status = effect->reply.status,
                       .body_size = effect->reply.body.size};
    snprintf (reply->reason, sizeof reply->reason, "%s",
              effect->reply.reason ? effect->reply.reason : "");
    reply->body = arena_copy (effect->reply.body);
}

static inline void effect_take (void *owner, const effect_t *effect)
{
    if (effect->kind == EFFECT_REPLY)
        reply_take (owner, effect);
}

static inline void step (void *owner, const event_t *event)
{
    nodes_world_t *self = owner;
    self->host.now.entropy [0]++;
    memory_host_step (&self->host, event);
    nodes_check (self->nodes);
}

/*  Each thing that a test does to the nodes is one step: begin it, do the thing, end it. */
static inline void begin (nodes_world_t *self)
{
    memory_host_step (&self->host, &(event_t){.kind = EVENT_TIMER});
}

static inline void end (nodes_world_t *self)
{
    memory_host_drain (&self->host);
    memory_host_step (&self->host, &(event_t){.kind = EVENT_TIMER});
    nodes_check (self->nodes);
}

static inline void pass (nodes_world_t *self, int64_t ms)
{
    memory_host_pass (&self->host, ms, step);
}

/*  ams: thin, n1 to n3 of 4 CPUs; fat, m1 of 16. */
static inline void start (nodes_world_t *self)
{
    static node_class_t classes [] = {{.name = "thin", .nodes = 3, .cpus_per_node = 4},
                                      {.name = "fat", .nodes = 1, .cpus_per_node = 16}};
    static const char *const administrators [] = {"root"};
    static const node_place_t places [] = {
      {.name = "m1", .class = 1}, {.name = "n2"}, {.name = "n1"}, {.name = "n3"}};
    self->site = (site_t){.classes = classes, .classes_count = 2};
    self->access = (access_t){.administrators = administrators, .administrators_count = 1};
    self->service = member_new ("lis/ams", NULL, 0);
    self->nodes = nodes_new (self->service, &self->site, &self->access, places, 4, &self->limits);
    nodes_observer_t observer = {.owner = self,
                                 .run_moved = on_run_moved,
                                 .run_suspended = on_run_suspended,
                                 .node_moved = on_node_moved};
    nodes_observe (self->nodes, &observer);
    self->host.core = service_as_core (self->service);
    memory_host_boot (&self->host, NULL, "", step);
}

static inline void open_world (nodes_world_t *self)
{
    *self =
      (nodes_world_t){.limits = nodes_limits_of (&SETTINGS_PRESET (nodes_terms_t, &nodes_table)),
                      .host = memory_host (EPOCH_MS, 5000, effect_take, self)};
    self->host.store.id [0] = 9;
    start (self);
}

static inline void replies_forget (nodes_world_t *self)
{
    self->replies_count = 0;
}

static inline void stop (nodes_world_t *self)
{
    nodes_destroy (&self->nodes);
    service_destroy (&self->service);
    replies_forget (self);
}

static inline void restart (nodes_world_t *self)
{
    stop (self);
    self->moves_count = 0;
    start (self);
}

static inline void close_world (nodes_world_t *self)
{
    stop (self);
    records_clear (&self->host.records);
    arena_used = 0;
}

static inline uint64_t ask_bytes (nodes_world_t *self, const char *actor, const char *method,
                                  bytes_t body)
{
    uint64_t reply_to = ++self->asked;
    step (self, &(event_t){.kind = EVENT_REQUEST,
                           .request = {.service = "Nodes",
                                       .method = method,
                                       .actor = actor,
                                       .request_id = "",
                                       .body = body,
                                       .reply_to = reply_to}});
    return reply_to;
}

static inline uint64_t ask_packed (nodes_world_t *self, const char *actor, const char *method,
                                   packed_t body)
{
    uint64_t reply_to =
      ask_bytes (self, actor, method, (bytes_t){.data = body.data, .size = body.size});
    free (body.data);
    return reply_to;
}

/*  NULL while there is none. */
static inline const reply_t *reply_to (const nodes_world_t *self, uint64_t asked)
{
    for (size_t i = 0; i < self->replies_count; i++)
        if (self->replies [i].reply_to == asked)
            return &self->replies [i];
    return NULL;
}

/*  --- agents --- */

#define REPORTS_MAX 32

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    const char *class_name;
    uint32_t cpus;
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint64_t number;
    uint64_t seen;
    run_report_t reports [REPORTS_MAX];
    size_t reports_count;
    machine_state_t machine;
    uint64_t asked;
    wanted_t wanted; /* the last answer */
} nodes_agent_t;

static inline nodes_agent_t agent_of (const char *name)
{
    nodes_agent_t agent = {.class_name = "thin", .cpus = 4, .store = {1}, .start = 1};
    snprintf (agent.name, sizeof agent.name, "%s", name);
    memcpy (agent.store + 1, agent.name, 2);
    return agent;
}

static inline void agent_ask (nodes_world_t *w, nodes_agent_t *agent)
{
    char actor [NAME_BYTES_MAX + 8];
    snprintf (actor, sizeof actor, "node/%s", agent->name);
    attend_t attend = {.cpus = agent->cpus,
                       .question.start = agent->start,
                       .question.number = ++agent->number,
                       .question.seen = agent->seen,
                       .runs = agent->reports,
                       .runs_count = agent->reports_count,
                       .machine = agent->machine};
    snprintf (attend.node, sizeof attend.node, "%s", agent->name);
    snprintf (attend.class_name, sizeof attend.class_name, "%s", agent->class_name);
    memcpy (attend.question.store, agent->store, STORE_ID_BYTES);
    agent->asked = ask_packed (w, actor, "Attend", codec_encode (&attend_codec, &attend));
}

/*  Takes the answer to the agent's question, if there is one, and counts it as carried out. */
static inline bool agent_told (nodes_world_t *w, nodes_agent_t *agent)
{
    const reply_t *reply = reply_to (w, agent->asked);
    char why [WHY_BYTES];
    if (!reply)
        return false;
    if (reply->status != CALL_OK)
        fail_msg ("%s", reply->reason);
    codec_clear (&wanted_codec, &agent->wanted);
    assert_true (codec_decode (&wanted_codec, &agent->wanted,
                               (bytes_t){.data = reply->body, .size = reply->body_size}, why));
    agent->seen = agent->wanted.number;
    replies_forget (w);
    return true;
}

/*  The agent asks until its question has to wait. */
static inline void agent_comes (nodes_world_t *w, nodes_agent_t *agent)
{
    agent_ask (w, agent);
    while (agent_told (w, agent))
        agent_ask (w, agent);
}

static inline const wanted_run_t *agent_wanted (const nodes_agent_t *agent, run_id_t id)
{
    for (size_t i = 0; i < agent->wanted.runs_count; i++)
        if (run_id_compare (&agent->wanted.runs [i].id, &id) == 0)
            return &agent->wanted.runs [i];
    return NULL;
}

/*  Sets what the agent reports of a run from now on. */
static inline run_report_t *agent_says (nodes_agent_t *agent, run_id_t id, run_state_t state)
{
    run_report_t *report = NULL;
    for (size_t i = 0; i < agent->reports_count; i++)
        if (run_id_compare (&agent->reports [i].id, &id) == 0)
            report = &agent->reports [i];
    if (!report) {
        assert_true (agent->reports_count < REPORTS_MAX);
        report = &agent->reports [agent->reports_count++];
        *report = (run_report_t){.id = id};
    }
    report->state = state;
    return report;
}

static inline void agent_leaves (nodes_agent_t *agent)
{
    codec_clear (&wanted_codec, &agent->wanted);
}

/*  --- runs --- */

static inline run_id_t run_of (uint64_t bag, uint32_t number)
{
    return (run_id_t){.task = {.bag = bag}, .number = number};
}

static inline run_order_t order_of (uint32_t cpus)
{
    static const char *const arguments [] = {"/bin/true", "one word"};
    static const char *const environment [] = {"A=b"};
    return (run_order_t){.arguments = arguments,
                         .arguments_count = 2,
                         .environment = environment,
                         .environment_count = 1,
                         .folder = "",
                         .output = "",
                         .errors = "",
                         .cpus = cpus,
                         .limit_ms = 60000,
                         .cpu_limit_ms = 60000,
                         .account = "alice",
                         .owner = "alice",
                         .reservation = "",
                         .need = ""};
}

static inline void place (nodes_world_t *w, const char *name, run_id_t id, uint32_t cpus)
{
    size_t node;
    run_order_t order = order_of (cpus);
    assert_true (nodes_find (w->nodes, name, &node));
    begin (w);
    nodes_start (w->nodes, &w->host.now, node, &id, &order);
    end (w);
}

static inline run_t run_at (const nodes_world_t *w, run_id_t id)
{
    run_t run;
    assert_true (nodes_run (w->nodes, &id, &run));
    return run;
}

#endif
