/*  test_chain_sim - a site's conductor and its storage nodes under the simulated host: they die at
 *  every effect and come back, the network between them loses, doubles, reorders and cuts, hosts
 *  are cut off, stand still and are slow.
 *
 *  What must hold: nothing is ever kept under a name, or told as verified, that is not the file;
 *  nobody who comes back is given up; when faults have ended, everybody has the file; and no byte
 *  that is on a disk is received again.
 */
#include "sim_flows.h"

#include "chain.h"
#include "must.h"
#include "storage.h"
#include "storage_work.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CHAIN_LENGTH_MAX 6
#define FAULTY_US        INT64_C (30000000)
#define WHOLE_US         INT64_C (150000000)
#define HOST_MBPS        100
#define CONTENT          UINT64_C (0x5eed)
#define SEED_ENV         "MUSUBI_CHAIN_SEEDS"
#define FILE_NAME        "climate/run 1"

typedef struct scene scene_t;

/*  A storage node, or a source: a guest. */
typedef struct {
    scene_t *scene;
    char name [24];
    char process [32];
    char folder [32];
    bool guest;
} end_t;

struct scene {
    sim_t *sim;
    sim_flows_t *flows;
    sim_tally_t tally;
    int site;
    size_t nodes, sources;
    uint64_t size;
    uint32_t mbps;
    bool spoilt_source; /* one of two gets other bytes than it had */
    end_t ends [CHAIN_LENGTH_MAX + 2];
    int processes [CHAIN_LENGTH_MAX + 2];

    /*  Of the conductor's present life. */
    service_t *service;
    chain_t *chain;

    uint64_t skipped, slow;
};

/*  --- the conductor --- */

static void begin (scene_t *self, const moment_t *now)
{
    char why [CHAIN_WHY_BYTES_MAX + 1];
    chain_source_t sources [2] = {{.node = "g0"}, {.node = "g1"}};
    const char *receivers [CHAIN_LENGTH_MAX];
    chain_transfer_t before;
    chain_file_t file;
    chain_id_t id;
    if (chain_transfer_after (self->chain, NULL, &before) ||
        !chain_file_find (self->chain, "g0", FILE_NAME, &file) || !file.digest)
        return;
    for (size_t i = 0; i < self->nodes; i++)
        receivers [i] = self->ends [i].name;
    if (!chain_begin (self->chain, now,
                      &(chain_order_t){.file = FILE_NAME,
                                       .size_known = true,
                                       .size = file.size,
                                       .digest = file.digest,
                                       .sources = sources,
                                       .sources_count = self->sources,
                                       .receivers = receivers,
                                       .receivers_count = self->nodes,
                                       .mbps = self->mbps},
                      &id, why))
        sim_fail (self->sim, "it does not begin: %s", why);
}

static void on_file (void *owner, const moment_t *now, const chain_file_t *file)
{
    (void) file;
    begin (owner, now);
}

static void on_receiver (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                         const chain_receiver_t *receiver)
{
    (void) now;
    scene_t *self = owner;
    if (receiver->state == RECEIVER_FAILED)
        sim_fail (self->sim, "%s is given up: %s", receiver->node, receiver->why);
    if (receiver->state == RECEIVER_VERIFIED && transfer->size != self->size)
        sim_fail (self->sim, "%s is told verified with another size", receiver->node);
    chain_check (self->chain);
}

static void site_step (void *owner, const moment_t *now, const event_t *event)
{
    service_step (((scene_t *) owner)->service, now, event);
}

static bool site_next (void *owner, effect_t *effect)
{
    return service_next (((scene_t *) owner)->service, effect);
}

static void site_end (void *owner)
{
    scene_t *self = owner;
    self->skipped += (uint64_t) service_counted (self->service, "nodes_skipped");
    self->slow += (uint64_t) service_counted (self->service, "nodes_slow");
    chain_destroy (&self->chain);
    service_destroy (&self->service);
}

static void site_make (void *owner, core_t *core)
{
    scene_t *self = owner;
    chain_place_t places [CHAIN_LENGTH_MAX] = {0};
    chain_limits_t limits = chain_limits_default;
    limits.slow_ms = 1000;
    for (size_t i = 0; i < self->nodes; i++)
        snprintf (places [i].name, sizeof places [i].name, "%s", self->ends [i].name);
    self->service = service_new ("replica/ams", NULL, 0);
    self->chain = chain_new (self->service, places, self->nodes, &limits);
    chain_observe (
      self->chain,
      &(chain_observer_t){.owner = self, .receiver_moved = on_receiver, .file_moved = on_file});
    *core = (core_t){.self = self, .step = site_step, .next = site_next, .destroy = site_end};
}

/*  --- the nodes --- */

static void end_make (void *owner, core_t *core)
{
    const end_t *self = owner;
    const char *site = sim_address (self->scene->sim, self->scene->site);
    storage_core (&(storage_settings_t){.name = self->name,
                                        .sites = &site,
                                        .sites_count = 1,
                                        .folder = self->folder,
                                        .bytes_max = UINT64_C (1) << 40,
                                        .guest = self->guest,
                                        .gives_file = self->guest ? FILE_NAME : NULL,
                                        .gives_path = self->guest ? "/given" : NULL},
                  core);
}

typedef struct {
    scene_t *scene;
    int process;
    const char *kind;
    storage_result_t result;
} task_t;

static bool sweep (task_t *task, const storage_work_t *work)
{
    size_t size = strlen (work->from);
    for (sim_file_t *file = sim_flows_files (task->scene->flows); file; file = file->after) {
        bool wanted = file->process != task->process ||
                      strncmp (file->path, work->from, size) != 0 || file->path [size] != '/';
        for (size_t i = 0; i < work->names_count && !wanted; i++)
            wanted = strcmp (file->path + size + 1, work->names [i]) == 0;
        if (!wanted)
            file->path [0] = '\0';
    }
    return true;
}

static bool keep (task_t *task, const storage_work_t *work, sim_file_t *from)
{
    scene_t *scene = task->scene;
    sim_file_t *to = sim_flows_file (scene->flows, task->process, work->to, false);
    if (!from)
        return to;
    if (from->spoilt || from->bytes != scene->size || (scene->size > 0 && from->content != CONTENT))
        sim_fail (scene->sim, "%s keeps what is not the file",
                  sim_name (scene->sim, task->process));
    if (to)
        to->path [0] = '\0';
    snprintf (from->path, sizeof from->path, "%s", work->to);
    return true;
}

static bool work_do (void *owner, const storage_work_t *work)
{
    task_t *task = owner;
    sim_file_t *from = sim_flows_file (task->scene->flows, task->process, work->from, false);
    if (strcmp (task->kind, FILE_SWEEP) == 0)
        return sweep (task, work);
    if (strcmp (task->kind, FILE_KEEP) == 0)
        return keep (task, work, from);
    if (strcmp (task->kind, FILE_DROP) == 0) {
        if (from)
            from->path [0] = '\0';
        return true;
    }
    task->result.there = task->result.digest_known = from;
    if (from) {
        task->result.size = from->bytes;
        sim_file_digest (from, task->result.digest);
    }
    return true;
}

static bool work (void *owner, int process, int64_t mono_ms, const char *kind, bytes_t arguments,
                  uint8_t **result, size_t *result_size)
{
    (void) mono_ms;
    char why [WHY_BYTES] = "it can't be done";
    task_t task = {.scene = owner, .process = process, .kind = kind};
    if (!storage_work_decode (arguments, work_do, &task, why)) {
        *result = (uint8_t *) must (strdup (why));
        *result_size = strlen (why);
        return false;
    }
    packed_t packed = storage_result_encode (&task.result);
    *result = packed.data;
    *result_size = packed.size;
    return true;
}

/*  --- faults --- */

typedef struct {
    int64_t at_us, until_us;
} span_t;

static span_t span_draw (prng_t *prng, int64_t length_us_max)
{
    span_t span = {.at_us = 1000000 + (int64_t) prng_below (prng, FAULTY_US - 2000000)};
    span.until_us = span.at_us + 100000 + (int64_t) prng_below (prng, (uint64_t) length_us_max);
    return span;
}

/*  A host that is cut off, or stands still, from now on for so many ms: token = ms << 8 | process,
 *  with the highest bit when it stands still. */
#define STANDS_STILL (UINT64_C (1) << 63)

static void on_trouble (void *owner, uint64_t token)
{
    scene_t *self = owner;
    int process = (int) (token & 0xff);
    int64_t until_us = sim_now_us (self->sim) + 1000 * (int64_t) ((token & ~STANDS_STILL) >> 8);
    if (token & STANDS_STILL)
        sim_flows_stop (self->flows, process, until_us);
    else
        sim_flows_cut (self->flows, process, until_us);
}

/*  A source's file is not any more what its digest was taken of. */
static void on_spoilt (void *owner, uint64_t process)
{
    scene_t *self = owner;
    sim_flows_file (self->flows, (int) process, "/given", true)->content++;
}

static void trouble_draw (scene_t *self, prng_t *prng, size_t ends)
{
    int process = self->processes [prng_below (prng, ends)];
    span_t span = span_draw (prng, 6000000);
    uint64_t token = (uint64_t) ((span.until_us - span.at_us) / 1000) << 8 | (uint64_t) process;
    switch (prng_below (prng, 5)) {
    case 0:
        sim_kill (self->sim, process, span.at_us, (span.until_us - span.at_us) / 1000);
        break;
    case 1:
        sim_kill (self->sim, self->site, span.at_us, (span.until_us - span.at_us) / 1000);
        break;
    case 2:
        sim_at (self->sim, span.at_us, on_trouble, self, token);
        for (size_t p = 0; p < sim_processes (self->sim); p++)
            if ((int) p != process)
                sim_net_cut (sim_net (self->sim), process, (int) p, false, span.at_us,
                             span.until_us);
        break;
    case 3:
        sim_at (self->sim, span.at_us, on_trouble, self, token | STANDS_STILL);
        break;
    default:
        sim_flows_rate (self->flows, process, 5 + (uint32_t) prng_below (prng, 40));
        break;
    }
}

static void faults_draw (scene_t *self, prng_t *prng)
{
    sim_fault (self->sim,
               &(sim_faults_t){.crash = (uint32_t) prng_below (prng, 25),
                               .crashes_max = (uint32_t) prng_below (prng, 12),
                               .pause_ms_max = 3000,
                               .slow = (uint32_t) prng_below (prng, 30)},
               &(sim_net_faults_t){.loss = (uint32_t) prng_below (prng, 60),
                                   .doubling = (uint32_t) prng_below (prng, 60),
                                   .reordering = (uint32_t) prng_below (prng, 60),
                                   .delay = (uint32_t) prng_below (prng, 60),
                                   .delay_ms_max = 1500});
    if (self->spoilt_source)
        sim_at (self->sim, 600000 + (int64_t) prng_below (prng, 8000000), on_spoilt, self,
                (uint64_t) self->processes [self->nodes + prng_below (prng, 2)]);
    for (size_t count = prng_below (prng, 10); count > 0; count--)
        trouble_draw (self, prng, self->nodes + self->sources);
}

static void on_quiet (void *owner, uint64_t token)
{
    (void) token;
    scene_t *self = owner;
    sim_heal (self->sim);
    for (size_t i = 0; i < self->nodes + self->sources; i++)
        sim_flows_rate (self->flows, self->processes [i], HOST_MBPS);
}

/*  --- what must hold --- */

static void check_all_have_it (scene_t *self)
{
    chain_transfer_t transfer;
    if (!self->chain || !chain_transfer_after (self->chain, NULL, &transfer)) {
        sim_fail (self->sim, "nothing was begun");
        return;
    }
    for (size_t i = 0; i < transfer.receivers_count; i++) {
        chain_receiver_t receiver;
        chain_receiver (self->chain, &transfer.id, i, &receiver);
        if (receiver.state != RECEIVER_VERIFIED)
            sim_fail (self->sim, "%s has not got the file: state %d, %llu of %llu bytes, fed by %s",
                      receiver.node, (int) receiver.state, (unsigned long long) receiver.has,
                      (unsigned long long) transfer.size, receiver.feeder);
    }
    for (size_t i = 0; i < self->nodes; i++) {
        uint64_t received = sim_flows_received (self->flows, self->processes [i]);
        if (received > self->size && !self->spoilt_source)
            sim_fail (self->sim, "%s received %llu bytes of a file of %llu", self->ends [i].name,
                      (unsigned long long) received, (unsigned long long) self->size);
    }
}

static void end_add (scene_t *self, size_t at, bool guest, size_t number)
{
    end_t *end = &self->ends [at];
    *end = (end_t){.scene = self, .guest = guest};
    snprintf (end->name, sizeof end->name, "%c%u", guest ? 'g' : 'n', (unsigned) number);
    snprintf (end->folder, sizeof end->folder, "/%c%u", guest ? 'g' : 'n', (unsigned) number);
    snprintf (end->process, sizeof end->process, "storage/%c%u", guest ? 'g' : 'n',
              (unsigned) number);
    self->processes [at] = sim_add (
      self->sim, &(sim_program_t){.name = end->process, .make = end_make, .owner = end},
      &(sim_clock_t){.drift_ppm = (int32_t) at * 40 - 90}, SIM_NOBODY, 1000 * ((int64_t) at + 1));
    if (!guest)
        return;
    sim_file_t *given = sim_flows_file (self->flows, self->processes [at], "/given", true);
    given->content = CONTENT;
    given->bytes = self->size;
}

static void scene_make (scene_t *self, uint64_t seed, FILE *trace)
{
    self->sim = sim_new (seed, &self->tally, trace);
    self->flows = sim_flows_new (self->sim, seed + 91, HOST_MBPS);
    sim_worker (self->sim, work, self);
    for (size_t i = 0; i < self->nodes; i++)
        snprintf (self->ends [i].name, sizeof self->ends [i].name, "n%u", (unsigned) i);
    self->site = sim_add (
      self->sim,
      &(sim_program_t){.name = "replica/ams", .make = site_make, .owner = self, .stays = true},
      &(sim_clock_t){.drift_ppm = 70}, SIM_NOBODY, 0);
    for (size_t i = 0; i < self->nodes; i++)
        end_add (self, i, false, i);
    for (size_t i = 0; i < self->sources; i++)
        end_add (self, self->nodes + i, true, i);
    sim_run (self->sim, 500000);
}

static void scene_run (scene_t *self, uint64_t seed, FILE *trace)
{
    prng_t prng;
    memset (self, 0, sizeof *self);
    prng_seed (&prng, seed);
    self->nodes = seed == 0 ? 4 : 2 + prng_below (&prng, CHAIN_LENGTH_MAX - 1);
    self->sources = seed == 0 ? 1 : 1 + prng_below (&prng, 2);
    self->spoilt_source = self->sources == 2 && prng_below (&prng, 3) == 0;
    self->size = seed % 16 == 5 ? 0 : 1 + prng_below (&prng, UINT64_C (150) << 20);
    self->mbps = prng_below (&prng, 3) == 0 ? 0 : HOST_MBPS;
    scene_make (self, seed, trace);
    if (seed > 0)
        faults_draw (self, &prng);
    sim_at (self->sim, FAULTY_US, on_quiet, self, 0);
    sim_run (self->sim, WHOLE_US);
    if (!sim_failed (self->sim))
        check_all_have_it (self);
}

static void scene_end (scene_t *self)
{
    sim_destroy (&self->sim);
    sim_flows_destroy (&self->flows);
}

/*  --- tests --- */

static void without_faults_everybody_gets_the_file (void **state)
{
    (void) state;
    scene_t *scene = must (malloc (sizeof *scene));
    scene_run (scene, 0, NULL);
    if (sim_failed (scene->sim))
        fail_msg ("%s", sim_why (scene->sim));
    assert_int_equal (service_counted (scene->service, "nodes_skipped"), 0);
    assert_int_equal (service_counted (scene->service, "nodes_slow"), 0);
    scene_end (scene);
    free (scene);
}

static void with_faults_everybody_gets_the_file_and_nobody_a_wrong_one (void **state)
{
    (void) state;
    const char *wanted = getenv (SEED_ENV);
    uint64_t seeds = wanted ? strtoull (wanted, NULL, 10) : 80;
    uint64_t crashes = 0, skipped = 0, slow = 0;
    scene_t *scene = must (malloc (sizeof *scene));
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        scene_run (scene, seed, NULL);
        if (sim_failed (scene->sim))
            fail_msg ("seed %llu: %s", (unsigned long long) seed, sim_why (scene->sim));
        crashes += scene->tally.counts [COUNT_CRASHES];
        scene_end (scene);
        skipped += scene->skipped;
        slow += scene->slow;
    }
    print_message ("seeds 1..%llu: crashes=%llu skipped=%llu slow=%llu\n",
                   (unsigned long long) seeds, (unsigned long long) crashes,
                   (unsigned long long) skipped, (unsigned long long) slow);
    assert_true (crashes > seeds);
    assert_true (skipped > seeds / 4);
    assert_true (slow > 0);
    free (scene);
}

/*  What is tried on a host for ever; times are the simulation's own. */
typedef enum { KILLED, CUT_OFF, STANDING_STILL, WAYS } way_t;

static void fall (scene_t *self, way_t way, size_t node)
{
    int process = self->processes [node];
    int64_t at_us = sim_now_us (self->sim);
    if (way == KILLED)
        sim_kill (self->sim, process, at_us, 1000000);
    else if (way == STANDING_STILL)
        sim_flows_stop (self->flows, process, WHOLE_US);
    else
        sim_flows_cut (self->flows, process, WHOLE_US);
    for (size_t p = 0; way == CUT_OFF && p < sim_processes (self->sim); p++)
        if ((int) p != process)
            sim_net_cut (sim_net (self->sim), process, (int) p, false, at_us, WHOLE_US);
}

static bool has_it (const scene_t *self, size_t node)
{
    chain_transfer_t transfer;
    chain_receiver_t receiver;
    if (!chain_transfer_after (self->chain, NULL, &transfer))
        return false;
    for (size_t i = 0; chain_receiver (self->chain, &transfer.id, i, &receiver); i++)
        if (strcmp (receiver.node, self->ends [node].name) == 0)
            return receiver.state == RECEIVER_VERIFIED;
    return false;
}

/*  5 s of bytes; the node, and the one behind it when there are two, fall in the middle. */
static void holds_up_nobody (way_t way, size_t node, size_t count)
{
    scene_t *scene = must (malloc (sizeof *scene));
    memset (scene, 0, sizeof *scene);
    scene->nodes = 5;
    scene->sources = 1;
    scene->mbps = HOST_MBPS;
    scene->size = UINT64_C (5) * HOST_MBPS * 125000;
    scene_make (scene, 1 + way, NULL);
    sim_run (scene->sim, 3000000);
    for (size_t i = 0; i < count; i++)
        fall (scene, way, node + i);
    sim_run (scene->sim, 8000000);
    for (size_t i = 0; i < scene->nodes; i++)
        if ((i < node || i >= node + count) && !has_it (scene, i))
            fail_msg ("way %d, nodes %zu to %zu: node %zu was held up", (int) way, node,
                      node + count - 1, i);
    scene_end (scene);
    free (scene);
}

static void whoever_falls_holds_up_nobody (void **state)
{
    (void) state;
    for (way_t way = KILLED; way < WAYS; way++) {
        for (size_t node = 0; node < 5; node++)
            holds_up_nobody (way, node, 1);
        for (size_t node = 0; node < 4; node++)
            holds_up_nobody (way, node, 2);
    }
}

/*  test_chain_sim SEED: one of them, step by step. */
static int replay (uint64_t seed)
{
    scene_t *scene = must (malloc (sizeof *scene));
    scene_run (scene, seed, stdout);
    bool failed = sim_failed (scene->sim);
    printf ("%s\n", failed ? sim_why (scene->sim) : "all holds");
    scene_end (scene);
    free (scene);
    return failed;
}

int main (int argc, char **argv)
{
    if (argc > 1)
        return replay (strtoull (argv [1], NULL, 10));
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (without_faults_everybody_gets_the_file),
      cmocka_unit_test (whoever_falls_holds_up_nobody),
      cmocka_unit_test (with_faults_everybody_gets_the_file_and_nobody_a_wrong_one),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
