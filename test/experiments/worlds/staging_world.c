/*  staging_world - the processes, the server's link, and what jobs do. */
#include "staging_world.h"
#include "../../gis_everybody.h"
#include "runner.h"

#include "agent.h"
#include "chain_fake.h"
#include "gis.h"
#include "lis.h"
#include "message.h"
#include "must.h"
#include "outbox.h"
#include "replica.h"
#include "sim.h"
#include "sim_disk.h"
#include "sim_machine.h"
#include "storage.h"

#include "agent.pb-c.h"
#include "replica.pb-c.h"
#include "tasks.pb-c.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS        (24 * INT64_C (3600000))
#define ASKS_MAX      4096
#define ASK_MS        10000
#define MEET_US       3000000
#define PUT_US        60000000
#define LOOK_US       1000000
#define WHOLE_US      (INT64_C (8) * 3600 * 1000000)
#define FAST_MBPS     1000000 /* while files are put at the server: that is not measured */
#define LIMIT_MS      (100 * INT64_C (3600000))
#define LINK_BYTES_US (LINK_MBPS / 8.0)
#define FILES_MAX     64
#define DATA_BAG      1 /* submitted first */

typedef struct {
    int to;
    const char *service;
    const char *method;
    const char *actor;
    uint8_t *body;
    size_t size;
    const ProtobufCMessageDescriptor *answers; /* NULL: nobody waits for the answer */
    ProtobufCMessage *answer;
    bool over;
} staging_ask_t;

/*  A job that reads. */
typedef struct {
    struct world *world;
    run_id_t run;
    int64_t query_us; /* its query, or its copy, began then */
    size_t node;
    double left; /* bytes that it reads still */
    bool reads;
    uint32_t query;
} staging_job_t;

typedef struct {
    struct world *world;
    char name [32];
    char process [40];
    char file [24]; /* of a guest */
    int number;
} staging_end_t;

typedef struct world {
    const staging_plan_t *plan;
    staging_result_t *result;
    uint64_t seed;
    sim_t *sim;
    sim_tally_t tally;
    sim_flows_t *flows;
    sim_disk_t disk;
    sim_machines_t machines;
    gis_settings_t gis;
    const char *gis_endpoints [1];
    node_class_t class;
    node_place_t places [WORKERS_MAX];
    runner_settings_t runner;
    lis_settings_t lis;
    replica_settings_t replicas [2];
    const char *node_names [WORKERS_MAX];
    staging_end_t nodes [WORKERS_MAX], disks [WORKERS_MAX], server, guests [FILES_MAX];
    int site, home, here, user;

    outbox_t *outbox; /* of the user's present life */
    staging_ask_t asks [ASKS_MAX];
    size_t asks_count, asks_sent;

    staging_job_t jobs [READERS_MAX];
    size_t readers;
    int64_t settled_us;
    uint64_t link_turn;
    double link_bytes;

    int64_t begun_us;
    int64_t free_us [SIM_PROCESSES_MAX]; /* by node: since when nothing has run there */
    size_t ran [SIM_PROCESSES_MAX];
    double job_s, warm_s;
    size_t read_over, warm;
    int64_t last_us;
} staging_world_t;

/*  --- the user --- */

static void user_step (void *owner, const moment_t *now, const event_t *event)
{
    (void) now;
    staging_world_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_ANSWER) {
        staging_ask_t *ask = &self->asks [event->answer.call - 1];
        ask->over = true;
        if (ask->answers && event->answer.status == CALL_OK)
            ask->answer = message_unpack (ask->answers, event->answer.body);
        else if (ask->answers)
            sim_trace (self->sim, self->user, "    %s: %s", ask->method, event->answer.reason);
    }
    for (; self->asks_sent < self->asks_count; self->asks_sent++) {
        const staging_ask_t *ask = &self->asks [self->asks_sent];
        outbox_push (self->outbox,
                     &(effect_t){.kind = EFFECT_CALL,
                                 .call = {.call = self->asks_sent + 1,
                                          .endpoint = sim_address (self->sim, ask->to),
                                          .service = ask->service,
                                          .method = ask->method,
                                          .actor = ask->actor,
                                          .request_id = "",
                                          .body = {.data = ask->body, .size = ask->size},
                                          .timeout_ms = ASK_MS}});
    }
}

static bool user_next (void *owner, effect_t *effect)
{
    return outbox_next (((staging_world_t *) owner)->outbox, effect);
}

static void user_destroy (void *owner)
{
    outbox_destroy (&((staging_world_t *) owner)->outbox);
}

static void user_make (void *owner, core_t *core)
{
    staging_world_t *self = owner;
    self->outbox = outbox_new ();
    *core = (core_t){.self = self, .step = user_step, .next = user_next, .destroy = user_destroy};
}

static staging_ask_t *ask (staging_world_t *self, int to, const char *actor, const char *service,
                           const char *method, const ProtobufCMessage *question,
                           const ProtobufCMessageDescriptor *answers)
{
    assert (self->asks_count < ASKS_MAX);
    staging_ask_t *made = &self->asks [self->asks_count++];
    *made = (staging_ask_t){
      .to = to, .service = service, .method = method, .actor = actor, .answers = answers};
    made->body = message_pack (question, &made->size);
    /*  Any event has the user's core send what it was given. */
    sim_flow_news (self->sim, self->user, &(flow_event_t){.news = FLOW_PROGRESS, .why = ""});
    return made;
}

/*  Asks, and runs on until the answer has come. NULL when it was refused. */
static const ProtobufCMessage *answer (staging_world_t *self, staging_ask_t *asked)
{
    int64_t until_us = sim_now_us (self->sim) + 2 * ASK_MS * 1000;
    while (!asked->over && !sim_failed (self->sim) && sim_now_us (self->sim) < until_us)
        sim_run (self->sim, sim_now_us (self->sim) + 5000);
    if (!asked->answer)
        sim_fail (self->sim, "%s is not answered", asked->method);
    return asked->answer;
}

/*  --- the server's link, which readers share --- */

static void on_read (staging_job_t *job);

static void link_settle (staging_world_t *self)
{
    int64_t now_us = sim_now_us (self->sim);
    double each = self->readers > 0
                    ? LINK_BYTES_US * (double) (now_us - self->settled_us) / (double) self->readers
                    : 0;
    self->settled_us = now_us;
    for (size_t i = 0; i < self->plan->jobs; i++) {
        if (!self->jobs [i].reads)
            continue;
        self->jobs [i].left -= each;
        self->link_bytes += each;
    }
}

static void on_link (void *owner, uint64_t turn);

static void link_plan (staging_world_t *self)
{
    double least = INFINITY;
    for (size_t i = 0; i < self->plan->jobs; i++)
        if (self->jobs [i].reads)
            least = fmin (least, self->jobs [i].left);
    self->link_turn++;
    if (self->readers > 0)
        sim_at (self->sim,
                self->settled_us +
                  (int64_t) ceil (fmax (least, 0) * (double) self->readers / LINK_BYTES_US),
                on_link, self, self->link_turn);
}

static void on_link (void *owner, uint64_t turn)
{
    staging_world_t *self = owner;
    if (turn != self->link_turn)
        return;
    link_settle (self);
    for (size_t i = 0; i < self->plan->jobs; i++) {
        staging_job_t *job = &self->jobs [i];
        if (!job->reads || job->left > 0.5)
            continue;
        job->reads = false;
        self->readers--;
        on_read (job);
    }
    link_plan (self);
}

static void link_read (staging_job_t *job)
{
    staging_world_t *self = job->world;
    link_settle (self);
    job->query_us = self->settled_us;
    job->left = (double) FILE_BYTES;
    job->reads = true;
    self->readers++;
    link_plan (self);
}

/*  --- jobs --- */

/*  The same whatever the way. */
static int64_t query_us (const staging_world_t *self, uint32_t job, uint32_t query)
{
    prng_t prng;
    prng_seed (&prng, self->seed * 1000003 + job * QUERIES + query);
    double share = 0.9 + (double) prng_below (&prng, 2001) / 10000;
    return (int64_t) (1e6 * share * self->plan->compute_s / QUERIES);
}

static int64_t job_us (const staging_world_t *self, uint32_t job)
{
    int64_t us = 0;
    for (uint32_t query = 0; query < QUERIES; query++)
        us += query_us (self, job, query);
    return us;
}

static void on_query_over (void *owner, uint64_t token)
{
    (void) token;
    staging_job_t *job = owner;
    if (job->world->plan->way == WAY_SHARED && ++job->query < QUERIES)
        link_read (job);
    else
        sim_machines_finish (&job->world->machines, &job->run);
}

/*  All bytes have come. A query of the shared way has computed meanwhile, and may do so still. */
static void on_read (staging_job_t *job)
{
    const staging_world_t *self = job->world;
    int64_t now_us = sim_now_us (self->sim);
    uint32_t number = job->run.task.index;
    int64_t ends_us = self->plan->way == WAY_SHARED
                        ? job->query_us + query_us (self, number, job->query)
                        : now_us + job_us (self, number);
    sim_at (self->sim, ends_us > now_us ? ends_us : now_us, on_query_over, job, 0);
}

static const char *file_of (const staging_world_t *self, uint32_t job)
{
    return self->guests [self->plan->own_files ? job : 0].file;
}

/*  What its program would read there and then. */
static bool has_inputs (const staging_world_t *self, const staging_job_t *job,
                        const run_order_t *order)
{
    if (order->inputs_count != 1 ||
        strcmp (order->inputs [0].name, file_of (self, job->run.task.index)) != 0)
        return false;
    const sim_file_t *file =
      sim_flows_file (self->flows, self->disks [job->node].number, order->inputs [0].copy, false);
    return file && !file->damaged && file->bytes == FILE_BYTES &&
           file->content == (self->plan->own_files ? job->run.task.index : 0) + 1;
}

/*  What the run takes by itself; 0: that depends on the server's link. */
static int64_t takes_us (const staging_world_t *self, const run_id_t *id)
{
    bool by_itself = self->plan->way == WAY_PLACED || self->plan->way == WAY_STAGED;
    if (id->task.bag != DATA_BAG)
        return (int64_t) (1e6 * self->plan->compute_job_s);
    return by_itself ? job_us (self, id->task.index) / 1000 * 1000 : 0;
}

static int64_t lasts (void *owner, int machine, const run_id_t *id, const run_order_t *order)
{
    staging_world_t *self = owner;
    int64_t us = takes_us (self, id);
    staging_job_t *job = &self->jobs [id->task.index];
    if (id->task.bag == DATA_BAG)
        *job = (staging_job_t){
          .world = self, .run = *id, .node = (size_t) (machine - self->nodes [0].number)};
    if (id->task.bag == DATA_BAG && self->plan->way == WAY_STAGED)
        self->result->blind += !has_inputs (self, job, order);
    if (us > 0)
        return us / 1000;
    link_read (job);
    return INT64_MAX;
}

/*  A starter tells its agent of the end of its run; without that the agent would find it when it
 *  looks. */
static void on_ended (void *owner, const sim_run_t *run)
{
    staging_world_t *self = owner;
    Musubi__EndedRequest ended = MUSUBI__ENDED_REQUEST__INIT;
    ended.name = (char *) run->name;
    ask (self, run->machine, "starter", "Agent", "Ended", &ended.base, NULL);
    int64_t now_us = sim_now_us (self->sim);
    double took_s = (double) (now_us - self->free_us [run->machine]) / 1e6;
    self->free_us [run->machine] = self->last_us = now_us;
    self->result->over += run->stand.report.state == RUN_ENDED;
    self->result->suspended += run->suspensions;
    int64_t ran_us = now_us - run->begun_us - run->stood_us, us = takes_us (self, &run->id);
    self->result->wrong += us > 0 && ran_us != us;
    if (run->id.task.bag != DATA_BAG)
        return;
    self->read_over++;
    self->job_s += took_s;
    if (self->ran [run->machine]++ == 0)
        return;
    self->warm++;
    self->warm_s += took_s;
}

/*  --- the programs --- */

static void gis_make (void *owner, core_t *core)
{
    gis_core (owner, core);
}

static void lis_make (void *owner, core_t *core)
{
    lis_core (owner, core);
}

static void replica_make (void *owner, core_t *core)
{
    replica_core (owner, core);
}

static uint32_t or_one (uint32_t cpus)
{
    return cpus > 0 ? cpus : 1;
}

static void node_make (void *owner, core_t *core)
{
    const staging_end_t *end = owner;
    const char *site = sim_address (end->world->sim, end->world->site);
    agent_settings_t settings = SETTINGS_PRESET (agent_settings_t, &agent_table);
    settings.name = end->name;
    settings.class_name = end->world->class.name;
    settings.cpus = or_one (end->world->plan->node_cpus);
    settings.sites = &site;
    settings.sites_count = 1;
    settings.runs = "/runs";
    if (end->world->plan->way == WAY_STAGED) {
        settings.storage = end->name;
        settings.arrivals = "/arrivals";
    }
    agent_core (&settings, core);
}

static void disk_make (void *owner, core_t *core)
{
    const staging_end_t *end = owner;
    const staging_world_t *world = end->world;
    bool there = end >= world->disks && end < world->disks + WORKERS_MAX;
    const char *site = sim_address (world->sim, there ? world->here : world->home);
    storage_core (&(storage_settings_t){.name = end->name,
                                        .sites = &site,
                                        .sites_count = 1,
                                        .folder = end->process + strlen ("disk"),
                                        .bytes_max = UINT64_C (1) << 40,
                                        .guest = *end->file != '\0',
                                        .gives_file = *end->file ? end->file : NULL,
                                        .gives_path = *end->file ? "/given" : NULL},
                  core);
}

static bool work (void *owner, int process, int64_t mono_ms, const char *kind, bytes_t arguments,
                  uint8_t **result, size_t *result_size)
{
    staging_world_t *self = owner;
    bool node = process >= self->nodes [0].number &&
                process < self->nodes [0].number + (int) self->plan->nodes;
    return node
             ? sim_machines_work (&self->machines, process, mono_ms, kind, arguments, result,
                                  result_size)
             : sim_disk_work (&self->disk, process, mono_ms, kind, arguments, result, result_size);
}

/*  --- the world --- */

static int process_add (staging_world_t *self, const char *name,
                        void (*make) (void *owner, core_t *core), void *owner)
{
    return sim_add (self->sim,
                    &(sim_program_t){.name = name, .make = make, .owner = owner, .stays = true},
                    &(sim_clock_t){0}, SIM_NOBODY, sim_now_us (self->sim) + 1000);
}

static void end_add (staging_world_t *self, staging_end_t *end, const char *kind, const char *name,
                     void (*make) (void *owner, core_t *core))
{
    end->world = self;
    snprintf (end->name, sizeof end->name, "%s", name);
    snprintf (end->process, sizeof end->process, "%s/%s", kind, name);
    end->number = process_add (self, end->process, make, end);
}

static void site_add (staging_world_t *self)
{
    static const char *const anybody [] = {"*"};
    static account_t accounts [] = {{.actor = "*", .account = "worker"}};
    self->class = (node_class_t){.name = "worker",
                                 .nodes = (uint32_t) self->plan->nodes,
                                 .cpus_per_node = or_one (self->plan->node_cpus),
                                 .price = 1};
    for (size_t i = 0; i < self->plan->nodes; i++)
        snprintf (self->places [i].name, sizeof self->places [i].name, "w%02zu", i + 1);
    self->runner = (runner_settings_t){
      .places = self->places,
      .places_count = self->plan->nodes,
      .accounts = accounts,
      .accounts_count = 1,
      .nodes = nodes_limits_of (&SETTINGS_PRESET (nodes_terms_t, &nodes_table)),
      .openings = openings_limits_of (&SETTINGS_PRESET (opening_settings_t, &opening_table), 30000),
      .queue = SETTINGS_PRESET (queue_limits_t, &queue_table),
      .sharing = SETTINGS_PRESET (sharing_limits_t, &sharing_table),
      .back_end = back_end_limits_default};
    self->runner.queue.limit_ms_max = 10 * LIMIT_MS;
    if (!self->plan->overlap)
        self->runner.queue.transfers = 0; /* inputs come on a task's own CPUs */
    self->lis = (lis_settings_t){
      .provider = {.name = "lis/ams",
                   .access = {anybody, 1, NULL, 0},
                   .participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
                   .limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
                   .gis_endpoints = self->gis_endpoints,
                   .gis_count = 1},
      .site = {.classes = &self->class, .classes_count = 1, .horizon_ms = 365 * DAY_MS},
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .runner = &self->runner};
    self->site = process_add (self, "lis/ams", lis_make, &self->lis);
    for (size_t i = 0; i < self->plan->nodes; i++)
        end_add (self, &self->nodes [i], "node", self->places [i].name, node_make);
}

static int files_add (staging_world_t *self, replica_settings_t *settings, const char *name,
                      const char *const *nodes, size_t count)
{
    static const char *const anybody [] = {"*"};
    *settings = (replica_settings_t){
      .nodes = nodes,
      .nodes_count = count,
      .provider = {.name = name,
                   .access = {anybody, 1, NULL, 0},
                   .gis_endpoints = self->gis_endpoints,
                   .gis_count = 1,
                   .participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
                   .limits = SETTINGS_PRESET (replica_settings_t, &replica_table).provider.limits},
      .terms = {.horizon_ms = 365 * DAY_MS},
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .limits = {.files_max = 1000,
                 .places_max = 1000,
                 .outgoing_feeds = {.source_max = 16, .pair_max = 4},
                 .transfers = {.transfers_max = 1024, .patience_ms = 60000},
                 .chain = SETTINGS_PRESET (chain_limits_t, &chain_table)}};
    return process_add (self, name, replica_make, settings);
}

/*  Everything that a file's way needs. Both sites' storage nodes; the files' givers come when all
 *  these have met. */
static void storage_add (staging_world_t *self)
{
    static const char *const server [] = {"server"};
    fake_chains (false);
    self->home = files_add (self, &self->replicas [0], "replica/home", server, 1);
    for (size_t i = 0; i < self->plan->nodes; i++)
        self->node_names [i] = self->places [i].name;
    self->here =
      files_add (self, &self->replicas [1], "replica/ams", self->node_names, self->plan->nodes);
    end_add (self, &self->server, "disk", "server", disk_make);
    for (size_t i = 0; i < self->plan->nodes; i++)
        end_add (self, &self->disks [i], "disk", self->places [i].name, disk_make);
}

static void world_build (staging_world_t *self, FILE *trace)
{
    static const sim_machines_faults_t sound = {0};
    self->sim = sim_new (self->seed, &self->tally, trace);
    self->flows = sim_flows_new (self->sim, self->seed + 91, LINK_MBPS);
    self->disk = (sim_disk_t){.flows = self->flows};
    sim_machines_init (&self->machines, self->sim, self->seed + 77, &sound);
    self->machines.lasts = lasts;
    self->machines.ended = on_ended;
    self->machines.owner = self;
    sim_worker (self->sim, work, self);
    self->gis_endpoints [0] = "sim://gis/g1/1";
    self->gis = gis_for_everybody ();
    self->gis.name = "gis/g1";
    process_add (self, "gis/g1", gis_make, &self->gis);
    self->user = process_add (self, "user/1", user_make, self);
    site_add (self);
    if (self->plan->way == WAY_STAGED)
        storage_add (self);
    sim_run (self->sim, MEET_US);
}

/*  A guest gives the server a file. */
static void file_put (staging_world_t *self, size_t number)
{
    staging_end_t *guest = &self->guests [number];
    char name [32];
    uint8_t digest [CHAIN_DIGEST_BYTES];
    snprintf (guest->file, sizeof guest->file, "db-%zu", number);
    snprintf (name, sizeof name, "guest-%zu", number);
    end_add (self, guest, "disk", name, disk_make);
    sim_file_t *given = sim_flows_file (self->flows, guest->number, "/given", true);
    given->content = given->marked = number + 1;
    given->bytes = FILE_BYTES;
    sim_file_digest (given, digest);
    sim_flows_rate (self->flows, guest->number, FAST_MBPS);
    sim_run (self->sim, sim_now_us (self->sim) + LOOK_US);
    Musubi__PutRequest put = MUSUBI__PUT_REQUEST__INIT;
    put.name = guest->file;
    put.size = FILE_BYTES;
    put.digest = (ProtobufCBinaryData){.len = sizeof digest, .data = digest};
    put.guest = guest->name;
    answer (self, ask (self, self->home, "alice", "Replica", "Put", &put.base,
                       &musubi__begin_answer__descriptor));
}

static bool file_there (const staging_world_t *self, size_t number)
{
    char path [SIM_PATH_BYTES];
    snprintf (path, sizeof path, "/server/files/%s", self->guests [number].file);
    return sim_flows_file (self->flows, self->server.number, path, false);
}

static void files_put (staging_world_t *self)
{
    size_t files = self->plan->own_files ? self->plan->jobs : 1;
    assert (files <= FILES_MAX);
    sim_flows_rate (self->flows, self->server.number, FAST_MBPS);
    for (size_t i = 0; i < files && !sim_failed (self->sim); i++)
        file_put (self, i);
    int64_t until_us = sim_now_us (self->sim) + PUT_US;
    for (size_t i = 0; i < files && !sim_failed (self->sim);) {
        if (file_there (self, i))
            i++;
        else if (sim_now_us (self->sim) > until_us)
            sim_fail (self->sim, "the server does not get %s", self->guests [i].file);
        else
            sim_run (self->sim, sim_now_us (self->sim) + LOOK_US);
    }
    sim_run (self->sim, sim_now_us (self->sim) + LOOK_US);
    sim_flows_rate (self->flows, self->server.number, LINK_MBPS);
}

static void submit (staging_world_t *self, const char *name, size_t count, bool reads)
{
    static char program [] = "/bin/true";
    char *arguments [] = {program};
    Musubi__TaskCommand command = MUSUBI__TASK_COMMAND__INIT;
    command.n_arguments = 1;
    command.arguments = arguments;
    Musubi__TaskFile input = MUSUBI__TASK_FILE__INIT;
    Musubi__TaskFile *inputs [] = {&input};
    input.name = (char *) (self->plan->own_files ? "db-%i" : "db-0");
    input.path = (char *) "db";
    Musubi__SubmitRequest bag = MUSUBI__SUBMIT_REQUEST__INIT;
    bag.name = (char *) name;
    bag.command = &command;
    bag.count = (uint32_t) count;
    bag.cpus = or_one (reads ? self->plan->job_cpus : self->plan->compute_cpus);
    bag.limit_ms = LIMIT_MS;
    bag.inputs = inputs;
    bag.n_inputs = reads && self->plan->way == WAY_STAGED;
    const Musubi__SubmitAnswer *told = (const Musubi__SubmitAnswer *) answer (
      self, ask (self, self->site, "alice", "Queue", "Submit", &bag.base,
                 &musubi__submit_answer__descriptor));
    if (told && reads != (told->bag == DATA_BAG))
        sim_fail (self->sim, "bag %s has another number than was thought", name);
}

static void result_take (staging_world_t *self, double fed_before)
{
    staging_result_t *result = self->result;
    size_t all = self->plan->jobs + self->plan->compute_jobs;
    result->makespan_s =
      result->over == all ? (double) (self->last_us - self->begun_us) / 1e6 : NAN;
    result->job_s = self->read_over > 0 ? self->job_s / (double) self->read_over : NAN;
    result->warm_s = self->warm > 0 ? self->warm_s / (double) self->warm : NAN;
    if (self->plan->way == WAY_STAGED)
        self->link_bytes = (double) sim_flows_fed (self->flows, self->server.number) - fed_before;
    result->copies = self->link_bytes / (double) FILE_BYTES;
}

static void world_play (staging_world_t *self)
{
    size_t all = self->plan->jobs + self->plan->compute_jobs;
    double fed = 0;
    if (self->plan->way == WAY_STAGED) {
        files_put (self);
        fed = (double) sim_flows_fed (self->flows, self->server.number);
    }
    self->begun_us = sim_now_us (self->sim);
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++)
        self->free_us [i] = self->begun_us;
    submit (self, "reads", self->plan->jobs, true);
    if (self->plan->compute_jobs > 0)
        submit (self, "computes", self->plan->compute_jobs, false);
    while (!sim_failed (self->sim) && self->result->over < all &&
           sim_now_us (self->sim) < self->begun_us + WHOLE_US)
        sim_run (self->sim, sim_now_us (self->sim) + LOOK_US);
    result_take (self, fed);
}

bool staging_world_play (const staging_plan_t *plan, uint64_t seed, FILE *trace,
                         staging_result_t *result, char why [LONG_WHY_BYTES])
{
    staging_world_t *self = must (calloc (1, sizeof *self));
    assert (plan->nodes <= WORKERS_MAX && plan->jobs <= READERS_MAX);
    *result = (staging_result_t){0};
    self->plan = plan;
    self->result = result;
    self->seed = seed;
    world_build (self, trace);
    world_play (self);
    bool good = !sim_failed (self->sim);
    sim_text (why, LONG_WHY_BYTES, good ? "" : sim_why (self->sim));
    sim_destroy (&self->sim);
    sim_flows_destroy (&self->flows);
    for (size_t i = 0; i < self->asks_count; i++) {
        free (self->asks [i].body);
        if (self->asks [i].answer)
            message_free (self->asks [i].answer);
    }
    free (self);
    fake_chains (true);
    return good;
}
