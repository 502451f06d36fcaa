/*  experiment_catalogue - E2.4: no job starts without its data, and no disk holds more than it may.
 *
 *  Jobs at three sites want files that were put at two of them. A job asks its site for its file
 *  and starts when the site says that the file is there; then the experiment looks at the disks
 *  themselves. Copies vanish without the catalogue knowing or go bad, disks are too small for all
 *  files or for any, services crash and messages are lost. Storage nodes and chains are those of
 *  chain_fake.
 */
#include "experiment.h"
#include "plot.h"
#include "replica_scene.h"

#include <stdio.h>
#include <string.h>

#define FILES      6
#define FILE_BYTES 1000000
#define JOBS       24
#define JOB_MS     300
#define JOB_END_MS 300000

typedef enum {
    ARM_SOUND,
    ARM_STALE,
    ARM_WRONG,
    ARM_EVICTED,
    ARM_FULL,
    ARM_STORM,
    ARMS
} catalogue_arm_t;

static const char *const arm_names [ARMS] = {
  "sound",       "copies vanish",       "copies go bad",
  "small disks", "disks that are full", "crashes and loss"};

enum {
    METRIC_STARTED,
    METRIC_BLIND,
    METRIC_OVERRUN,
    METRIC_FULL,
    METRIC_FAILED,
    METRIC_CROSSED,
    METRICS
};

static const metric_t metrics [METRICS] = {
  {"started", "of 24 jobs"},
  {"without_data", "jobs that started and had not their data"},
  {"overrun", "1 = a disk had more than it may"},
  {"disk_full", "jobs refused with \"disk full\""},
  {"failed", "jobs refused otherwise, or never answered"},
  {"crossed", "bytes that came from other sites, over what a copy a site needs"},
};

static const char *const sites [] = {"replica/a", "replica/b", "replica/c"};
static const char *const nodes [] = {"n1", "n2"};

typedef struct {
    size_t site;
    size_t file;
    uint64_t transfer;
    bool asked;
    bool over;
} catalogue_job_t;

typedef struct {
    catalogue_arm_t arm;
    prng_t prng;
    replica_scene_t *scene;
    play_t *play;
    bool put [FILES]; /* it is in the federation at all */
    catalogue_job_t jobs [JOBS];
} catalogue_trial_t;

static void name_of (size_t file, char name [8])
{
    snprintf (name, 8, "f%zu", file);
}

/*  The files lie where they were put: even numbers at a, odd numbers at b. */
static size_t put_all (catalogue_trial_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < FILES; i++) {
        char name [8];
        char why [256];
        name_of (i, name);
        const char *site = sites [i % 2];
        uint64_t transfer = scene_put (self->scene, site, name, FILE_BYTES, (uint8_t) (i + 1), why);
        self->put [i] = transfer != UINT64_MAX &&
                        scene_wait (self->scene, site, transfer, "", 20000, why) == TRANSFER_DONE;
        count += self->put [i];
    }
    return count;
}

/*  Removes or spoils, without the catalogue knowing, a cached copy; never the copy that was put. */
static void meddle (catalogue_trial_t *self)
{
    size_t file = prng_below (&self->prng, FILES);
    size_t site = prng_below (&self->prng, 3);
    char name [8];
    name_of (file, name);
    if (site == file % 2)
        return;
    for (size_t i = 0; i < 2; i++) {
        if (!fake_has (sites [site], nodes [i], name, (uint8_t) (file + 1)))
            continue;
        if (self->arm == ARM_STALE)
            fake_lose (sites [site], nodes [i], name);
        if (self->arm == ARM_WRONG)
            fake_spoil (sites [site], nodes [i], name, 99);
    }
}

/*  A job runs on what it reads, not on what it was told: it reads through its site. */
static void job_ask (catalogue_trial_t *self, catalogue_job_t *job, size_t number)
{
    char name [8];
    char guest [32];
    char why [256];
    name_of (job->file, name);
    snprintf (guest, sizeof guest, "guest-job-%zu", number);
    job->transfer = scene_get (self->scene, sites [job->site], name, guest, why);
    job->asked = job->transfer != UINT64_MAX;
}

static void job_look (catalogue_trial_t *self, catalogue_job_t *job, size_t number)
{
    char name [8];
    char guest [32];
    char why [256] = "";
    name_of (job->file, name);
    snprintf (guest, sizeof guest, "guest-job-%zu", number);
    if (!job->asked) {
        job_ask (self, job, number);
        return;
    }
    transfer_state_t state =
      scene_state (self->scene, sites [job->site], job->transfer, guest, why);
    if (state == TRANSFER_WAITING && strstr (why, "knows of no transfer"))
        job->asked = false; /* its site was started again */
    job->over = state == TRANSFER_DONE || state == TRANSFER_FAILED;
    if (state == TRANSFER_DONE) {
        bool data = fake_has (sites [job->site], guest, name, (uint8_t) (job->file + 1));
        self->play->values [METRIC_STARTED]++;
        self->play->values [METRIC_BLIND] += !data;
    } else if (state == TRANSFER_FAILED) {
        bool full = strstr (why, "disk full") != NULL;
        self->play->values [full ? METRIC_FULL : METRIC_FAILED]++;
    }
}

static void jobs_run (catalogue_trial_t *self)
{
    size_t left = JOBS;
    int64_t ends_us = sim_now_us (scene_sim (self->scene)) + JOB_END_MS * 1000;
    for (size_t begun = 0; left > 0 && sim_now_us (scene_sim (self->scene)) < ends_us;) {
        if (begun < JOBS) {
            catalogue_job_t *job = &self->jobs [begun];
            *job = (catalogue_job_t){.site = prng_below (&self->prng, 3)};
            do
                job->file = prng_below (&self->prng, FILES);
            while (!self->put [job->file]);
            job_ask (self, job, begun++);
            if (self->arm == ARM_STALE || self->arm == ARM_WRONG)
                meddle (self);
        }
        scene_pass (self->scene, (int64_t) prng_below (&self->prng, JOB_MS));
        if (begun == JOBS && self->arm == ARM_STORM)
            sim_heal (scene_sim (self->scene));
        left = JOBS - begun;
        for (size_t i = 0; i < begun; i++) {
            if (!self->jobs [i].over)
                job_look (self, &self->jobs [i], i);
            left += !self->jobs [i].over;
        }
    }
    self->play->values [METRIC_FAILED] += (double) left;
}

/*  Bytes that crossed, over what one copy of each wanted file takes at each site that did not have
 *  it. */
static double crossed (const catalogue_trial_t *self)
{
    double bytes = 0;
    double needed = 0;
    for (size_t s = 0; s < 3; s++)
        for (size_t f = 0; f < FILES; f++) {
            char name [8];
            bool wanted = false;
            name_of (f, name);
            for (size_t i = 0; i < JOBS; i++)
                wanted = wanted || (self->jobs [i].site == s && self->jobs [i].file == f);
            if (!wanted || f % 2 == s)
                continue;
            needed += FILE_BYTES;
            bytes += (double) fake_crossed (sites [s], name);
        }
    return needed > 0 ? bytes / needed : NO_VALUE;
}

static scene_plan_t plan_of (catalogue_arm_t arm)
{
    scene_plan_t plan = scene_plan_default;
    plan.nodes = 2;
    plan.node_bytes = 100 * FILE_BYTES;
    plan.limits.transfers.patience_ms = 20000;
    if (arm == ARM_EVICTED)
        plan.node_bytes = 5 * FILE_BYTES / 2; /* what was put and one more a node */
    if (arm == ARM_FULL)
        plan.node_bytes = 3 * FILE_BYTES / 2; /* a and b are full with what was put there */
    return plan;
}

static void play_catalogue (size_t arm, uint64_t seed, play_t *play)
{
    static const sim_faults_t faults = {
      .crash = 30, .crashes_max = 6, .pause_ms_max = 1500, .slow = 20};
    static const sim_net_faults_t net = {
      .loss = 20, .doubling = 20, .reordering = 20, .delay = 20, .delay_ms_max = 1000, .keep = 500};
    scene_plan_t plan = plan_of ((catalogue_arm_t) arm);
    catalogue_trial_t self = {
      .arm = (catalogue_arm_t) arm, .scene = replica_scene_new (seed, &plan), .play = play};
    prng_seed (&self.prng, seed);
    for (size_t i = 0; i < METRICS; i++)
        play->values [i] = 0;
    size_t count = put_all (&self);
    bool put = arm == ARM_FULL ? count > 0 : count == FILES;
    if (arm == ARM_STORM)
        sim_fault (scene_sim (self.scene), &faults, &net);
    if (put)
        jobs_run (&self);
    play->values [METRIC_OVERRUN] = fake_overrun ();
    play->values [METRIC_CROSSED] = crossed (&self);
    play->failed = !put || sim_failed (scene_sim (self.scene));
    if (play->failed)
        snprintf (play->why, sizeof play->why, "%s",
                  put ? sim_why (scene_sim (self.scene)) : "a file could not be put");
    replica_scene_destroy (&self.scene);
}

static size_t arms (bool small)
{
    (void) small;
    return ARMS;
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s", arm_names [arm]);
}

static void judge (experiment_run_t *run)
{
    double blind = 0;
    double overrun = 0;
    double started = 0;
    double unserved = 0; /* where nothing but repairable faults is in the way */
    experiment_setting (run, "federation", "3 sites of 2 storage nodes, 1 index, 1 GIS");
    experiment_setting (run, "jobs", "%d, each wants one of %d files of 1 MB", JOBS, FILES);
    experiment_criterion_sound (run);
    for (size_t arm = 0; arm < ARMS; arm++) {
        blind += experiment_estimate (run, arm, METRIC_BLIND).sum;
        overrun += experiment_estimate (run, arm, METRIC_OVERRUN).sum;
        started += experiment_estimate (run, arm, METRIC_STARTED).sum;
        if (arm != ARM_FULL)
            unserved += experiment_estimate (run, arm, METRIC_FAILED).sum +
                        experiment_estimate (run, arm, METRIC_FULL).sum;
    }
    experiment_criterion (run, "data", started > 0 && blind == 0,
                          "%.0f of %.0f jobs started without their data", blind, started);
    experiment_criterion (run, "disk", overrun == 0, "%.0f plays overran a disk", overrun);
    experiment_criterion (run, "served", unserved == 0,
                          "%.0f jobs were not served where there is room", unserved);
    estimate_t refused = experiment_estimate (run, ARM_FULL, METRIC_FULL);
    estimate_t other = experiment_estimate (run, ARM_FULL, METRIC_FAILED);
    experiment_criterion (run, "full", refused.sum > 0 && other.sum == 0,
                          "of full disks %.1f jobs a play were refused as such, %.1f otherwise",
                          refused.mean, other.mean);
    estimate_t once = experiment_estimate (run, ARM_SOUND, METRIC_CROSSED);
    experiment_criterion (run, "one-crossing", once.most <= 1.1,
                          "at most %.2f of a copy for each site crossed", once.most);
}

static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {METRIC_STARTED, METRIC_FULL, METRIC_FAILED};
    plot_bars (run, "E2.4: jobs and their data", shown, 3, to);
}

const experiment_t experiment_catalogue = {
  .name = "E2.4",
  .title = "stale entries, full disks, evicted replicas: no job starts without its data",
  .claim = "S2 3: data are virtual to their users, and are there when a job starts",
  .metrics = metrics,
  .metrics_count = METRICS,
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 200,
  .seeds_small = 10,
  .play = play_catalogue,
  .judge = judge,
  .plot = plot};
