/*  chain_scene - the programs, their disks, and what goes wrong with them. */
#include "chain_scene.h"

#include "chain_state.h"
#include "member.h"
#include "must.h"
#include "storage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FAULTY_US   INT64_C (30000000)
#define SETTLED_US  INT64_C (90000000) /* time before anybody who is gone is given up */
#define FOR_EVER_US (2 * SETTLED_US)
#define LATE_US     INT64_C (700000) /* between those that start late */
#define CONTENT     UINT64_C (0x5eed)
#define FILE_NAME   "climate/run 1"

/*  --- the conductor --- */

static void begin (chain_scene_t *self, const moment_t *now)
{
    char why [WHY_BYTES];
    chain_source_t sources [2] = {{.node = "g0"}, {.node = "g1"}};
    const char *receivers [CHAIN_SCENE_NODES_MAX];
    const chain_file_t *file = chain_file (chain_node (self->chain, "g0"), FILE_NAME);
    chain_id_t id;
    if (chain_next (self->chain, NULL) || !file || !file->stored.content.digest_known)
        return;
    for (size_t i = 0; i < self->nodes; i++)
        receivers [i] = self->ends [i].name;
    if (!chain_begin (self->chain, now,
                      &(chain_order_t){.file = FILE_NAME,
                                       .size_known = true,
                                       .content = file->stored.content,
                                       .sources = sources,
                                       .sources_count = self->sources,
                                       .receivers = receivers,
                                       .receivers_count = self->nodes,
                                       .mbps = self->mbps},
                      &id, why))
        sim_fail (self->sim, "it does not begin: %s", why);
    self->begun_us = sim_now_us (self->sim);
}

static void on_file (void *owner, const moment_t *now, const chain_node_t *node,
                     const stored_file_t *file)
{
    (void) node;
    (void) file;
    begin (owner, now);
}

/*  True when it has the file under its name. */
static bool kept_right (const chain_scene_t *self, const char *node)
{
    for (size_t i = 0; i < self->nodes; i++) {
        char files [64];
        if (strcmp (self->ends [i].name, node) != 0)
            continue;
        int size = snprintf (files, sizeof files, "%s/files/", self->ends [i].folder);
        for (const sim_file_t *file = sim_flows_files (self->flows); file; file = file->after)
            if (file->process == self->processes [i] &&
                strncmp (file->path, files, (size_t) size) == 0)
                return !file->damaged && file->bytes == self->size &&
                       (self->size == 0 || file->content == CONTENT);
    }
    return false;
}

static bool is_gone (const chain_scene_t *self, const char *node)
{
    return self->gone < self->nodes && strcmp (self->ends [self->gone].name, node) == 0;
}

static void on_receiver (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                         const chain_receiver_t *receiver)
{
    (void) now;
    chain_scene_t *self = owner;
    if (receiver->state == RECEIVER_FAILED && !is_gone (self, receiver->node))
        sim_fail (self->sim, "%s is given up: %s", receiver->node, receiver->why);
    if (receiver->state != RECEIVER_VERIFIED)
        return;
    self->tally->counts [COUNT_RECEIVED]++;
    if (transfer->content.size != self->size || !kept_right (self, receiver->node))
        sim_fail (self->sim, "%s is told verified and has not got the file", receiver->node);
    for (size_t i = 0; i < self->nodes; i++)
        if (self->verified_us [i] == 0 && strcmp (self->ends [i].name, receiver->node) == 0)
            self->verified_us [i] = sim_now_us (self->sim);
}

/*  Walks the invariants. */
static void check_chain (const chain_t *self)
{
    for (const chain_transfer_t *transfer = chain_next (self, NULL); transfer;
         transfer = chain_next (self, transfer)) {
        bool open = false, tail = false;
        assert (transfer->feeds > 0);
        assert (transfer->sources_count <= CHAIN_SOURCES_MAX);
        for (size_t i = 0; i < transfer->receivers_count; i++) {
            const chain_receiver_t *receiver = &transfer->receivers [i];
            open = open || receiver->state < RECEIVER_VERIFIED;
            assert (chain_receiver_find (transfer, receiver->node) == receiver);
            assert (!tail || receiver->skipped); /* nobody depends on a receiver that was skipped */
            tail = receiver->skipped;
            assert (!transfer->size_known || receiver->has <= transfer->content.size);
            assert (receiver->state != RECEIVER_VERIFIED || transfer->content.digest_known);
        }
        assert (transfer->loan || transfer->over == !open);
    }
}

/*  Lends the first node, whatever it has of the file yet, and again when it has failed there. */
static void lend_first (const chain_scene_t *self, const moment_t *now)
{
    char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1], why [WHY_BYTES];
    const chain_transfer_t *lent = chain_transfer (self->chain, &self->loan->id);
    if (!lent || lent->sources [0].wrong)
        chain_lend (self->chain, now, self->loan, endpoint, why);
}

static void site_step (void *owner, const moment_t *now, const event_t *event)
{
    const chain_scene_t *self = owner;
    service_step (self->service, now, event);
    if (event->kind == EVENT_RECORD)
        return;
    if (self->loan)
        lend_first (self, now);
    check_chain (self->chain);
}

static bool site_next (void *owner, effect_t *effect)
{
    return service_next (((chain_scene_t *) owner)->service, effect);
}

static void site_end (void *owner)
{
    chain_scene_t *self = owner;
    static const struct {
        const char *name;
        count_kind_t count;
    } counts [] = {{"nodes_skipped", COUNT_SKIPPED},
                   {"nodes_slow", COUNT_SLOW},
                   {"files_wrong", COUNT_WRONG},
                   {"chunks_wrong", COUNT_CHUNKS_WRONG}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        self->tally->counts [counts [i].count] +=
          (uint64_t) service_counted (self->service, counts [i].name);
    chain_destroy (&self->chain);
    service_destroy (&self->service);
}

static void site_make (void *owner, core_t *core)
{
    chain_scene_t *self = owner;
    const char *names [CHAIN_SCENE_NODES_MAX];
    chain_limits_t limits = SETTINGS_PRESET (chain_limits_t, &chain_table);
    limits.slow_ms = self->slow_ms > 0 ? self->slow_ms : 1000;
    for (size_t i = 0; i < self->nodes; i++)
        names [i] = self->ends [i].name;
    self->service = member_new ("replica/ams", NULL, 0);
    self->chain = chain_new (self->service, names, self->nodes, &limits);
    chain_observe (
      self->chain,
      &(chain_observer_t){.owner = self, .receiver_moved = on_receiver, .file_moved = on_file});
    *core = (core_t){.self = self, .step = site_step, .next = site_next, .destroy = site_end};
}

/*  --- the nodes --- */

static void end_make (void *owner, core_t *core)
{
    const chain_end_t *self = owner;
    const char *site = sim_address (self->scene->sim, self->scene->site);
    bool takes = self->scene->part > 0 && self == self->scene->ends;
    storage_core (&(storage_settings_t){.name = self->name,
                                        .sites = &site,
                                        .sites_count = 1,
                                        .folder = self->folder,
                                        .bytes_max = UINT64_C (1) << 40,
                                        .guest = self->guest,
                                        .gives_file = self->guest ? FILE_NAME : NULL,
                                        .gives_path = self->guest ? "/given" : NULL,
                                        .takes_file = takes ? FILE_NAME : NULL,
                                        .takes_path = takes ? "/n0/files/taken" : NULL},
                  core);
}

static void on_keep (void *owner, int process, const sim_file_t *part)
{
    const chain_scene_t *self = owner;
    if (part->bytes != self->size || (self->size > 0 && part->content != CONTENT))
        sim_fail (self->sim, "%s keeps what is not the file", sim_name (self->sim, process));
}

/*  --- faults --- */

typedef struct {
    int64_t at_us, until_us;
} chain_scene_span_t;

static chain_scene_span_t span_draw (prng_t *prng, int64_t length_us_max)
{
    chain_scene_span_t span = {.at_us = 1000000 + (int64_t) prng_below (prng, FAULTY_US - 2000000)};
    span.until_us = span.at_us + 100000 + (int64_t) prng_below (prng, (uint64_t) length_us_max);
    return span;
}

/*  A fault that begins at some time and lasts so many ms, at one process: token = ms << 8 |
 *  process. */
static uint64_t lasting (chain_scene_span_t span, int process)
{
    return (uint64_t) ((span.until_us - span.at_us) / 1000) << 8 | (uint64_t) process;
}

static int64_t lasts_until_us (const chain_scene_t *self, uint64_t token)
{
    return sim_now_us (self->sim) + 1000 * (int64_t) (token >> 8);
}

static void cut_off (chain_scene_t *self, int process, int64_t until_us)
{
    sim_flows_cut (self->flows, process, until_us);
    for (size_t p = 0; p < sim_processes (self->sim); p++)
        if ((int) p != process)
            sim_net_cut (sim_net (self->sim), process, (int) p, false, sim_now_us (self->sim),
                         until_us);
}

static void on_cut (void *owner, uint64_t token)
{
    chain_scene_t *self = owner;
    cut_off (self, (int) (token & 0xff), lasts_until_us (self, token));
}

static void on_still (void *owner, uint64_t token)
{
    chain_scene_t *self = owner;
    sim_stand (self->sim, (int) (token & 0xff), lasts_until_us (self, token));
}

/*  Once in a schedule the machine itself lost power: what it had received and not flushed is still
 *  there but holds other bytes. */
static bool on_death (void *owner, int process)
{
    chain_scene_t *self = owner;
    if (!self->harms || self->harmed || prng_below (&self->prng, 3) != 0)
        return false;
    for (sim_file_t *file = sim_flows_files (self->flows); file; file = file->after)
        if (file->process == process && strstr (file->path, "/parts/") && file->bytes > 0)
            file->damaged = self->harmed = true;
    return false;
}

/*  What a receiver has on its disk so far becomes other bytes, and the receiver does not know it.
 */
static void on_rot (void *owner, uint64_t process)
{
    chain_scene_t *self = owner;
    for (sim_file_t *file = sim_flows_files (self->flows); file; file = file->after)
        if (file->process == (int) process && strstr (file->path, "/parts/") && file->bytes > 0)
            file->damaged = self->harmed = true;
}

/*  Between its last byte and its name a file is most in danger. */
static void on_whole (void *owner, int process)
{
    chain_scene_t *self = owner;
    if (self->harms && !self->harmed && prng_below (&self->prng, 8) == 0)
        on_rot (self, (uint64_t) process);
    if (self->harms && !self->harmed && prng_below (&self->prng, 4) == 0)
        sim_kill (self->sim, process,
                  sim_now_us (self->sim) + (int64_t) prng_below (&self->prng, 100000), 300);
}

/*  A source's file becomes another one than its digest was taken of. */
static void on_damaged (void *owner, uint64_t process)
{
    chain_scene_t *self = owner;
    sim_flows_file (self->flows, (int) process, "/given", true)->content++;
}

static void trouble_draw (chain_scene_t *self, prng_t *prng, size_t ends)
{
    int process = self->processes [prng_below (prng, ends)];
    chain_scene_span_t span = span_draw (prng, 6000000);
    uint64_t token = lasting (span, process);
    switch (prng_below (prng, 6)) {
    case 0:
        sim_kill (self->sim, process, span.at_us, (int64_t) (token >> 8));
        break;
    case 1:
        sim_kill (self->sim, self->site, span.at_us, (int64_t) (token >> 8));
        break;
    case 2:
        sim_at (self->sim, span.at_us, on_cut, self, token);
        break;
    case 3:
        sim_at (self->sim, span.at_us, on_still, self, token);
        break;
    case 4:
        sim_at (self->sim, span.at_us, on_still, self, lasting (span, self->site));
        break;
    default:
        sim_flows_rate (self->flows, process, 5 + (uint32_t) prng_below (prng, 40));
        break;
    }
}

void chain_scene_fall (chain_scene_t *self, fall_t how, size_t node)
{
    int process = self->processes [node];
    if (how == FALL_DEAD)
        sim_kill (self->sim, process, sim_now_us (self->sim), -1);
    else if (how == FALL_STANDING_STILL)
        sim_stand (self->sim, process, FOR_EVER_US);
    else
        cut_off (self, process, FOR_EVER_US);
}

static void on_gone (void *owner, uint64_t token)
{
    (void) token;
    chain_scene_t *self = owner;
    chain_scene_fall (self, self->gone_how, self->gone);
}

static void faults_draw (chain_scene_t *self, prng_t *prng)
{
    sim_fault (self->sim,
               &(sim_faults_t){.crash = (uint32_t) prng_below (prng, 25),
                               .crashes_max = (uint32_t) prng_below (prng, 12),
                               .pause_ms_max = 3000,
                               .slow = (uint32_t) prng_below (prng, 30),
                               .work_ms_max = (uint32_t) prng_below (prng, 2) * 4000},
               &(sim_net_faults_t){.loss = (uint32_t) prng_below (prng, 60),
                                   .doubling = (uint32_t) prng_below (prng, 60),
                                   .reordering = (uint32_t) prng_below (prng, 60),
                                   .delay = (uint32_t) prng_below (prng, 60),
                                   .delay_ms_max = 1500});
    if (self->damaged_source)
        sim_at (self->sim, 600000 + (int64_t) prng_below (prng, 8000000), on_damaged, self,
                (uint64_t) self->processes [self->nodes + prng_below (prng, 2)]);
    for (size_t count = prng_below (prng, 10); count > 0; count--)
        trouble_draw (self, prng, self->nodes + self->sources);
    self->harms = prng_below (prng, 2) == 0;
    if (self->harms && prng_below (prng, 2) == 0)
        sim_at (self->sim, 600000 + (int64_t) prng_below (prng, 12000000), on_rot, self,
                (uint64_t) self->processes [prng_below (prng, self->nodes)]);
    if (prng_below (prng, 3) == 0) {
        self->gone = prng_below (prng, self->nodes);
        self->gone_how = (fall_t) prng_below (prng, FALLS);
        sim_at (self->sim, 600000 + (int64_t) prng_below (prng, 12000000), on_gone, self, 0);
    }
}

static void on_quiet (void *owner, uint64_t token)
{
    (void) token;
    chain_scene_t *self = owner;
    sim_heal (self->sim);
    for (size_t i = 0; i < self->nodes + self->sources; i++)
        sim_flows_rate (self->flows, self->processes [i], CHAIN_SCENE_MBPS);
    if (self->gone < self->nodes)
        on_gone (self, 0); /* it may have come back, or it was down and the fault never hit it */
}

/*  --- what must hold --- */

static void check_all_have_it (chain_scene_t *self)
{
    const chain_transfer_t *transfer = self->chain ? chain_next (self->chain, NULL) : NULL;
    if (!transfer) {
        sim_fail (self->sim, "nothing was begun");
        return;
    }
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        const chain_receiver_t *receiver = &transfer->receivers [i];
        if (receiver->state != RECEIVER_VERIFIED && !is_gone (self, receiver->node))
            sim_fail (self->sim, "%s has not got the file: state %d, %llu of %llu bytes, fed by %s",
                      receiver->node, (int) receiver->state, (unsigned long long) receiver->has,
                      (unsigned long long) transfer->content.size, receiver->feeder);
    }
    for (size_t i = 0; i < self->nodes; i++) {
        uint64_t received = sim_flows_received (self->flows, self->processes [i]);
        if (received > self->size && !self->damaged_source && !self->harmed)
            sim_fail (self->sim, "%s received %llu bytes of a file of %llu", self->ends [i].name,
                      (unsigned long long) received, (unsigned long long) self->size);
    }
}

bool chain_scene_has (const chain_scene_t *self, size_t node)
{
    const chain_transfer_t *transfer = chain_next (self->chain, NULL);
    const chain_receiver_t *receiver =
      transfer ? chain_receiver_find (transfer, self->ends [node].name) : NULL;
    return receiver && receiver->state == RECEIVER_VERIFIED;
}

/*  --- the whole --- */

static void end_add (chain_scene_t *self, size_t at, bool guest, size_t number)
{
    chain_end_t *end = &self->ends [at];
    *end = (chain_end_t){.scene = self, .guest = guest};
    snprintf (end->name, sizeof end->name, "%c%u", guest ? 'g' : 'n', (unsigned) number);
    snprintf (end->folder, sizeof end->folder, "/%c%u", guest ? 'g' : 'n', (unsigned) number);
    snprintf (end->process, sizeof end->process, "storage/%c%u", guest ? 'g' : 'n',
              (unsigned) number);
    self->processes [at] =
      sim_add (self->sim, &(sim_program_t){.name = end->process, .make = end_make, .owner = end},
               &(sim_clock_t){.drift_ppm = (int32_t) at * 40 - 90}, SIM_NOBODY,
               1000 * ((int64_t) at + 1) + (at < self->late ? LATE_US * ((int64_t) at + 1) : 0));
    if (self->hides && !guest && at % 2 == 0)
        sim_flows_hide (self->flows, self->processes [at]);
    if (!guest)
        return;
    sim_file_t *given = sim_flows_file (self->flows, self->processes [at], "/given", true);
    given->content = given->marked = CONTENT;
    given->bytes = self->size;
}

static void part_add (chain_scene_t *self)
{
    sim_file_t *part =
      sim_flows_file (self->flows, self->processes [0], "/n0/parts/" STORAGE_GUEST_PART, true);
    part->content = part->marked = self->part_other ? CONTENT + 1 : CONTENT;
    part->bytes = self->part;
}

void chain_scene_begin (chain_scene_t *self, uint64_t seed, sim_tally_t *tally, FILE *trace)
{
    self->tally = tally;
    self->gone = SIZE_MAX;
    self->sim = sim_new (seed, tally, trace);
    prng_seed (&self->prng, seed + 17);
    sim_observe (self->sim, &(sim_observer_t){.owner = self, .dies = on_death});
    self->flows = sim_flows_new (self->sim, seed + 91, CHAIN_SCENE_MBPS);
    sim_flows_on_whole (self->flows, on_whole, self);
    if (self->marks)
        sim_flows_mark (self->flows);
    self->disk = (sim_disk_t){.flows = self->flows, .keeps = on_keep, .owner = self};
    sim_worker (self->sim, sim_disk_work, &self->disk);
    for (size_t i = 0; i < self->nodes; i++)
        snprintf (self->ends [i].name, sizeof self->ends [i].name, "n%u", (unsigned) i);
    self->site = sim_add (
      self->sim,
      &(sim_program_t){.name = "replica/ams", .make = site_make, .owner = self, .stays = true},
      &(sim_clock_t){.drift_ppm = 70}, SIM_NOBODY, 0);
    for (size_t i = 0; i < self->nodes; i++)
        end_add (self, i, false, i);
    if (self->part > 0)
        part_add (self);
    for (size_t i = 0; i < self->sources; i++)
        end_add (self, self->nodes + i, true, i);
    sim_run (self->sim, 500000);
}

void chain_scene_end (chain_scene_t *self)
{
    sim_destroy (&self->sim);
    sim_flows_destroy (&self->flows);
}

bool chain_scene_run (uint64_t seed, sim_tally_t *tally, FILE *trace, char why [LONG_WHY_BYTES])
{
    chain_scene_t *self = must (calloc (1, sizeof *self));
    prng_t prng;
    prng_seed (&prng, seed);
    self->nodes = 2 + prng_below (&prng, CHAIN_SCENE_DRAWN_MAX - 1);
    self->sources = 1 + prng_below (&prng, 2);
    self->damaged_source = self->sources == 2 && prng_below (&prng, 3) == 0;
    self->size = seed % 16 == 5 ? 0 : 1 + prng_below (&prng, UINT64_C (150) << 20);
    self->mbps = prng_below (&prng, 3) == 0 ? 0 : CHAIN_SCENE_MBPS;
    self->marks = prng_below (&prng, 2) == 0;
    chain_scene_begin (self, seed, tally, trace);
    tally->counts [COUNT_SCHEDULES]++;
    faults_draw (self, &prng);
    sim_at (self->sim, FAULTY_US, on_quiet, self, 0);
    sim_run (self->sim, SETTLED_US);
    if (!sim_failed (self->sim))
        check_all_have_it (self);
    tally->counts [COUNT_STEPS] += sim_steps (self->sim);
    bool held = !sim_failed (self->sim);
    sim_text (why, LONG_WHY_BYTES, held ? "" : sim_why (self->sim));
    chain_scene_end (self);
    free (self);
    return held;
}
