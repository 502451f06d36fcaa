/*  openings_fixture - a site with a runner in lis_fixture, and agents that do what they are told.
 *  Each agent keeps its runs whatever happens to the site, as a real machine would.
 */
#ifndef MUSUBI_OPENINGS_FIXTURE_H
#define MUSUBI_OPENINGS_FIXTURE_H

#include "lis_fixture.h"

#include "checks.h"
#include "nodes_wire.h"
#include "openings.h"
#include "queue.h"
#include "runner.h"

#define SECOND_MS    INT64_C (1000)
#define AGENTS_MAX   12
#define MACHINE_RUNS 64

/*  A run at a machine. */
typedef struct {
    run_report_t report;
    int64_t warned_ms; /* ms until its end that it was warned with; -1 = not warned */
    int64_t begun_ms;
} machine_run_t;

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    const char *class_name;
    uint32_t cpus;
    bool away;
    bool stubborn;          /* its runs go on when they are told to end */
    bool never_stops;       /* what is to be suspended there runs on */
    const char *storage;    /* the storage node on its machine; NULL = none */
    bool unfit;             /* its disk has no space for a run */
    const char *waits;      /* why new jobs wait in its batch system; NULL = they run at once */
    batch_picture_t *batch; /* that it has of a batch system; NULL = it speaks for none */
    uint64_t number;
    uint64_t seen;
    machine_run_t runs [MACHINE_RUNS];
    size_t runs_count;
} openings_agent_t;

typedef struct {
    service_world_t w;
    runner_settings_t runner;
    openings_agent_t agents [AGENTS_MAX];
    size_t agents_count;
    uint64_t bags;
    uint64_t asked; /* questions of agents */

    /*  Called for every run that a machine begins; may be NULL. */
    void (*begun) (void *owner, const wanted_run_t *wanted);
    void *begun_owner;
} field_t;

static inline nodes_t *field_nodes (field_t *self)
{
    return ((const lis_t *) self->w.host.core.self)->runner->nodes;
}

static inline openings_t *field_openings (field_t *self)
{
    return ((const lis_t *) self->w.host.core.self)->runner->openings;
}

static inline void field_check (field_t *self)
{
    site_check (&self->w.host.core);
}

/*  ams: thin-001 to -008 of 2 CPUs, fat-001 to -004 of 16; lead a minute. */
static inline void prepare_field (field_t *self)
{
    static node_place_t places [12];
    static node_class_t classes [] = {
      {.name = "thin", .nodes = 8, .cpus_per_node = 2, .price = 1000000},
      {.name = "fat", .nodes = 4, .cpus_per_node = 16}};
    *self = (field_t){.agents_count = 0};
    prepare_world (&self->w);
    self->w.settings.site.classes = classes;
    for (size_t i = 0; i < 12; i++) {
        openings_agent_t *agent = &self->agents [self->agents_count++];
        places [i].class = i >= 8;
        agent->class_name = i < 8 ? "thin" : "fat";
        agent->cpus = i < 8 ? 2 : 16;
        snprintf (agent->name, sizeof agent->name, "%s-%03zu", agent->class_name,
                  i < 8 ? i + 1 : i - 7);
        memcpy (places [i].name, agent->name, sizeof places [i].name);
    }
    self->runner = (runner_settings_t){
      .places = places,
      .places_count = 12,
      .nodes = nodes_limits_of (&SETTINGS_PRESET (nodes_terms_t, &nodes_table)),
      .openings = openings_limits_of (&SETTINGS_PRESET (opening_settings_t, &opening_table), 30000),
      .queue = SETTINGS_PRESET (queue_limits_t, &queue_table),
      .sharing = SETTINGS_PRESET (sharing_limits_t, &sharing_table),
      .back_end = back_end_limits_default};
    self->w.settings.runner = &self->runner;
}

/*  --- agents --- */

static inline openings_agent_t *agent_of (field_t *self, const char *name)
{
    for (size_t i = 0; i < self->agents_count; i++)
        if (strcmp (self->agents [i].name, name) == 0)
            return &self->agents [i];
    fail_msg ("no agent %s", name);
    return NULL;
}

static inline machine_run_t *agent_run (openings_agent_t *agent, const run_id_t *id)
{
    for (size_t i = 0; i < agent->runs_count; i++)
        if (run_id_compare (&agent->runs [i].report.id, id) == 0)
            return &agent->runs [i];
    return NULL;
}

static inline void machine_end (machine_run_t *run, int64_t now_ms)
{
    run->report.state = RUN_ENDED;
    run->report.ended_ms = now_ms;
}

static inline void agent_carry_out (field_t *self, openings_agent_t *agent,
                                    const wanted_run_t *wanted)
{
    int64_t now_ms = self->w.host.now.wall_ms;
    machine_run_t *run = agent_run (agent, &wanted->id);
    if (!run && wanted->wish == WISH_FORGET)
        return;
    if (!run) {
        assert_true (agent->runs_count < MACHINE_RUNS);
        run = &agent->runs [agent->runs_count++];
        *run =
          (machine_run_t){.report = {.id = wanted->id, .state = RUN_RUNNING, .started_ms = now_ms},
                          .warned_ms = -1,
                          .begun_ms = now_ms};
        if (agent->waits) {
            run->report.state = RUN_CLAIMED;
            snprintf (run->report.why, sizeof run->report.why, "%s", agent->waits);
        }
        if (wanted->wish == WISH_END) /* it never begins */
            run->report = (run_report_t){.id = wanted->id, .state = RUN_ENDED};
        else if (agent->unfit)
            run->report = (run_report_t){
              .id = wanted->id, .state = RUN_REFUSED, .node_unfit = true, .why = "no room"};
        else if (self->begun)
            self->begun (self->begun_owner, wanted);
    }
    run->report.suspended =
      wanted->wish == WISH_SUSPEND && !run_over (run->report.state) && !agent->never_stops;
    if (wanted->wish == WISH_WARN)
        run->warned_ms = wanted->grace_ms;
    if (wanted->wish == WISH_END && !run_over (run->report.state) && !agent->stubborn) {
        machine_end (run, now_ms);
        run->report.signal = 15;
    }
    if (wanted->wish == WISH_FORGET)
        *run = agent->runs [--agent->runs_count];
}

/*  The output of a run is its id. */
static inline void agent_bring (field_t *self, const char *actor, const wanted_output_t *wanted)
{
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (&wanted->id, text);
    output_piece_t piece = {.number = wanted->number,
                            .data = {(const uint8_t *) text, strlen (text)},
                            .size = strlen (text),
                            .why = ""};
    packed_t body = codec_encode (&output_piece_codec, &piece);
    self->w.asked = 1 + ++self->asked;
    step (&self->w, &(event_t){.kind = EVENT_REQUEST,
                               .request = {.service = "Nodes",
                                           .method = "Bring",
                                           .actor = actor,
                                           .request_id = "",
                                           .body = {.data = body.data, .size = body.size},
                                           .reply_to = self->w.asked}});
    free (body.data);
}

/*  Asks one question and does what its answer wants; false when it has to wait. */
static inline bool agent_ask (field_t *self, openings_agent_t *agent)
{
    char actor [NAME_BYTES_MAX + 8];
    run_report_t reports [MACHINE_RUNS];
    snprintf (actor, sizeof actor, "node/%s", agent->name);
    for (size_t i = 0; i < agent->runs_count; i++)
        reports [i] = agent->runs [i].report;
    attend_t attend = {.cpus = agent->cpus,
                       .question.store = {1},
                       .question.start = 1,
                       .question.number = ++agent->number,
                       .question.seen = agent->seen,
                       .runs = reports,
                       .runs_count = agent->runs_count,
                       .batch = agent->batch};
    snprintf (attend.storage, sizeof attend.storage, "%s", agent->storage ? agent->storage : "");
    memcpy (attend.node, agent->name, sizeof attend.node);
    snprintf (attend.class_name, sizeof attend.class_name, "%s", agent->class_name);
    memcpy (attend.question.store + 1, agent->name, 15);
    packed_t body = codec_encode (&attend_codec, &attend);
    self->w.asked = 1 + ++self->asked; /* 1 is used by everything else */
    self->w.replied = false;
    step (&self->w, &(event_t){.kind = EVENT_REQUEST,
                               .request = {.service = "Nodes",
                                           .method = "Attend",
                                           .actor = actor,
                                           .request_id = "",
                                           .body = {.data = body.data, .size = body.size},
                                           .reply_to = self->w.asked}});
    free (body.data);
    if (!self->w.replied)
        return false;
    wanted_t wanted;
    char why [WHY_BYTES];
    if (self->w.status != CALL_OK)
        fail_msg ("%s", self->w.reason);
    assert_true (codec_decode (&wanted_codec, &wanted,
                               (bytes_t){.data = self->w.body, .size = self->w.body_size}, why));
    agent->seen = wanted.number;
    for (size_t i = 0; i < wanted.runs_count; i++)
        agent_carry_out (self, agent, &wanted.runs [i]);
    for (size_t i = 0; i < wanted.outputs_count; i++)
        agent_bring (self, actor, &wanted.outputs [i]);
    codec_clear (&wanted_codec, &wanted);
    return true;
}

static inline void agents_come (field_t *self)
{
    for (size_t i = 0; i < self->agents_count; i++) {
        openings_agent_t *agent = &self->agents [i];
        for (int tries = 0; !agent->away && agent_ask (self, agent); tries++)
            assert_true (tries < 20);
    }
    field_check (self);
}

/*  Lets time pass, in which agents ask every second and take their answers. */
static inline void field_pass (field_t *self, int64_t ms)
{
    while (ms > 0) {
        int64_t some = ms < SECOND_MS ? ms : SECOND_MS;
        pass (&self->w, some);
        agents_come (self);
        ms -= some;
    }
}

/*  Lets time pass until some ms after a minute. */
static inline void field_until (field_t *self, int64_t minute, int64_t ms)
{
    int64_t left = at (minute) + ms - self->w.host.now.wall_ms;
    assert_true (left >= 0);
    field_pass (self, left);
}

static inline void open_field (field_t *self)
{
    start (&self->w);
    pass (&self->w, 1);
    agents_come (self);
}

static inline void restart_field (field_t *self)
{
    restart (&self->w);
    agents_come (self);
}

/*  --- runs --- */

/*  Starts a run as the queue would, in a step of its own. */
static inline run_id_t field_run (field_t *self, const char *name, const char *reservation,
                                  int64_t booked_until_ms)
{
    static const char *const arguments [] = {"/bin/true"};
    run_id_t id = {.task = {.bag = ++self->bags}, .number = 1};
    run_order_t order = {.arguments = arguments,
                         .arguments_count = 1,
                         .folder = "",
                         .output = "",
                         .errors = "",
                         .cpus = 1,
                         .limit_ms = 100 * MINUTE_MS,
                         .cpu_limit_ms = 100 * MINUTE_MS,
                         .account = "alice",
                         .owner = "alice",
                         .reservation = reservation,
                         .need = "",
                         .booked_until_ms = booked_until_ms};
    size_t node;
    assert_true (nodes_find (field_nodes (self), name, &node));
    for (int tries = 0; !nodes_usable (field_nodes (self), node) && tries < 2; tries++)
        agents_come (self); /* the site may have just been restarted */
    nodes_start (field_nodes (self), &self->w.host.now, node, &id, &order);
    memory_host_drain (&self->w.host);
    step (&self->w, &(event_t){.kind = EVENT_TIMER});
    agents_come (self);
    return id;
}

static inline bool running (field_t *self, run_id_t id)
{
    run_t run;
    return nodes_run (field_nodes (self), &id, &run) && !run_over (run.state);
}

static inline bool told_to_end (field_t *self, run_id_t id)
{
    run_t run;
    assert_true (nodes_run (field_nodes (self), &id, &run));
    return run.told_to_end;
}

/*  A run ends by itself, having used this much processor time. */
static inline void run_ends (field_t *self, run_id_t id, int64_t cpu_ms)
{
    for (size_t i = 0; i < self->agents_count; i++) {
        machine_run_t *run = agent_run (&self->agents [i], &id);
        if (!run)
            continue;
        machine_end (run, self->w.host.now.wall_ms);
        run->report.cpu_ms = cpu_ms;
    }
    agents_come (self);
}

/*  --- looking --- */

static inline opening_t opening (field_t *self, const char *reservation)
{
    opening_t view;
    assert_true (openings_find (field_openings (self), reservation, &view));
    return view;
}

static inline size_t bound (field_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < nodes_count (field_nodes (self)); i++)
        count += openings_of_node (field_openings (self), i) != NULL;
    return count;
}

/*  The nodes of the opening on which its runs may start by now. */
static inline size_t due (field_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < nodes_count (field_nodes (self)); i++)
        count += openings_node_due (field_openings (self), i);
    return count;
}

static inline bool bound_to (field_t *self, const char *name, const char *reservation)
{
    size_t node;
    assert_true (nodes_find (field_nodes (self), name, &node));
    const char *has = openings_of_node (field_openings (self), node);
    return has && strcmp (has, reservation) == 0;
}

static inline int64_t spare_until (field_t *self, const char *name, bool preemptible)
{
    size_t node;
    assert_true (nodes_find (field_nodes (self), name, &node));
    return openings_spare_until (field_openings (self), node, preemptible);
}

#endif
