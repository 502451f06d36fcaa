/*  experiment_batch - E3.5: a step of a reservation in a batch system is cut after each of its
 *  commands, and done again.
 *
 *  A path is what the site does for one reservation, beside another one of its: it is named, once a
 *  job that it is refused for has ended, named anew, and again after an operator has deleted it; it
 *  is prepared, a watch before its start clears its nodes, it opens, is moved to another node, is
 *  changed by an operator and mended, and ends: closed, or found without an order after a start.
 *  Its last step is cut. Then it is done again by the same process, or by the next one, which
 *  reconciles first; or the process lives, and one command that was carried out is not answered.
 *  What is done again may be cut, too, by the seed. The end must be that of a path which nothing
 *  cuts.
 */
#include "batch_back_end.h"
#include "batch_fake.h"
#include "gridengine.h"
#include "lis_config.h"
#include "must.h"
#include "openings_wire.h"
#include "plot.h"
#include "slurm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESERVATION "0123456789ab-1-1"
#define OTHER       "0123456789ab-1-2"
#define OURS        "musubi-ams-" RESERVATION
#define START_MS    (FAKE_START_MS + 20000)
#define UNTIL_MS    (START_MS + 1200000)
#define TRIES       8
#define TEXT_BYTES  32768
#define COMMANDS    200 /* no step has so many */

static const fake_kind_t *const kinds [] = {&fake_gridengine, &fake_slurm};

/*  f refused, as a job runs into it, n named, a named on another node, g named again after an
 *  operator has deleted it; p prepared, c cleared, b bound to another node before its start, o
 *  opened, m moved; w watched after an operator has changed it, d after one has deleted it; x
 *  closed, r reconciled. */
static const char *const paths [] = {"p",   "pc",   "pcb",   "pco",   "pcom",   "pcomw", "pcod",
                                     "px",  "pcx",  "pcbx",  "pcox",  "pcomwx", "pcodx", "pr",
                                     "pcr", "pcor", "pcomr", "f",     "fn",     "fna",   "fng",
                                     "fnx", "fnr",  "fnpco", "fnpcox"};
#define PATHS (sizeof paths / sizeof *paths)

enum { WAY_SAME, WAY_NEXT, WAY_LOST, WAYS };

static const char *const ways [] = {"cut and done again after",
                                    "cut and done by the next one after",
                                    "no answer to the next one after"};

enum { METRIC_COMMANDS, METRIC_CUTS, METRIC_UNEQUAL, METRIC_LEFT, METRIC_MIXED, METRIC_TRIES };

static const metric_t metrics [] = {
  {"commands", "commands of the step that is cut"},
  {"cuts", "times that it was cut and done again"},
  {"unequal", "of these, with another end than without a cut"},
  {"left", "ends of a reservation that leave another configuration than before it"},
  {"mixed", "steps after which a job runs too early, or others have its nodes"},
  {"tries", "most times that it was done until it was told as done"}};

typedef struct {
    const fake_kind_t *kind;
    batch_fake_t world;
    config_t *config;
    size_t shift;         /* its first host: it has that and the next one */
    bool named;           /* from then on nobody's job begins on its nodes */
    bool crowded;         /* one waits that could begin there alone */
    char why [WHY_BYTES]; /* of the last step that failed */
} batch_trial_t;

/*  --- steps --- */

static back_end_order_t order_of (const char *reservation, const char *const *nodes, size_t count)
{
    return (back_end_order_t){.reservation = reservation,
                              .owner = "alice",
                              .account = "nobody",
                              .nodes = nodes,
                              .nodes_count = count,
                              .from_ms = START_MS,
                              .until_ms = UNTIL_MS,
                              .grace_ms = 1000,
                              .clear = CLEAR_END};
}

static bool trial_do (batch_trial_t *self, back_end_step_t step, back_end_order_t *orders,
                      size_t count)
{
    uint8_t *result = NULL;
    size_t size = 0;
    packed_t packed = codec_encode (
      &back_end_task_codec, &(back_end_task_t){.step = step, .orders = orders, .count = count});
    bool good = batch_back_end_works [0].run ((bytes_t){packed.data, packed.size}, &result, &size);
    snprintf (self->why, sizeof self->why, "%.*s", (int) size, (const char *) result);
    free (result);
    free (packed.data);
    return good;
}

/*  On the last host, a day later. */
static back_end_order_t other_order (const batch_trial_t *self)
{
    static const char *const last [] = {"g4", "n4"};
    back_end_order_t order = order_of (OTHER, &last [self->kind == &fake_slurm], 1);
    order.from_ms += 86400000;
    order.until_ms += 86400000;
    return order;
}

static bool trial_other (batch_trial_t *self)
{
    back_end_order_t order = other_order (self);
    return trial_do (self, BACK_END_PREPARE, &order, 1);
}

/*  One step of a path. next: by the process after one that has died, which knows its orders. */
static bool trial_step (batch_trial_t *self, char letter, bool next)
{
    static const char *const hosts [][3] = {{"g1", "g2", "g3"}, {"n1", "n2", "n3"}};
    const char *const *first = hosts [self->kind == &fake_slurm] + self->shift;
    back_end_order_t orders [2] = {other_order (self), order_of (RESERVATION, first, 2)};
    bool ended = letter == 'x' || letter == 'r';
    if ((next || letter == 'r') && !trial_do (self, BACK_END_RECONCILE, orders, 2 - ended))
        return false;
    static const struct {
        char letter;
        back_end_step_t step;
    } steps [] = {{'n', BACK_END_NAME},    {'a', BACK_END_NAME},  {'g', BACK_END_NAME},
                  {'p', BACK_END_PREPARE}, {'c', BACK_END_WATCH}, {'o', BACK_END_OPEN},
                  {'m', BACK_END_OPEN},    {'w', BACK_END_WATCH}, {'x', BACK_END_CLOSE},
                  {'b', BACK_END_PREPARE}, {'d', BACK_END_WATCH}};
    if (letter == 'f') /* it is done when it is told why it can't be */
        return !trial_do (self, BACK_END_NAME, &orders [1], 1) && strstr (self->why, "in its way");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps [i].letter == letter)
            return trial_do (self, steps [i].step, &orders [1], 1);
    return true;
}

/*  Until it is done; how often. */
static size_t trial_finish (batch_trial_t *self, char letter, bool next)
{
    size_t tries = 1;
    for (; tries < TRIES && !trial_step (self, letter, next); tries++)
        batch_fake_pass (1000);
    return tries;
}

/*  All other nodes are full, and somebody's job waits. */
static void trial_crowd (batch_trial_t *self)
{
    static const int full [] = {2, 2, 3, -1};
    const char *into = self->kind == &fake_gridengine ? "batch" : "";
    for (size_t i = 0; i < sizeof full / sizeof *full; i++)
        fake_job_add (&self->world, "outsider", into, full [i], false);
    self->crowded = true;
}

static void trial_jobs_end (batch_trial_t *self)
{
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        if (self->world.jobs [i].host <= 1)
            self->world.jobs [i] = (fake_job_t){.id = ""};
}

/*  What else happens before a step: time goes by, its owner submits, an operator meddles. */
static void trial_before (batch_trial_t *self, char letter)
{
    self->shift = strchr ("mba", letter) ? 1 : self->shift;
    if (letter == 'n')
        trial_jobs_end (self);
    if (letter == 'p' && self->named)
        trial_crowd (self);
    self->named = self->named || letter == 'n';
    for (size_t i = 0; letter == 'g' && i < FAKE_MADE_MAX; i++)
        if (strcmp (self->world.advances [i].name, OURS) == 0)
            self->world.advances [i] = (fake_advance_t){.id = 0};
    if (letter == 'g' && self->kind == &fake_slurm)
        fake_made (&self->world, OURS, false)->there = false;
    int64_t at_ms = letter == 'p' ? FAKE_START_MS + 1000 : letter == 'c' ? START_MS - 15000 : 0;
    at_ms = letter == 'o' ? START_MS : at_ms;
    if (letter == 'c')
        for (int i = 0; i < 3; i++)
            fake_job_add (&self->world, "own", OURS, -1, false);
    if (letter == 'w' && self->kind == &fake_gridengine)
        fake_made (&self->world, "batch", false)->closed [1] = false;
    if (letter == 'w' && self->kind == &fake_slurm)
        snprintf (fake_made (&self->world, OURS, false)->users, FAKE_NAME, "root");
    for (size_t i = 0; letter == 'd' && i < FAKE_JOBS_MAX; i++)
        if (strcmp (self->world.jobs [i].into, OURS) == 0)
            self->world.jobs [i] = (fake_job_t){.id = ""};
    if (letter == 'd')
        fake_made (&self->world, OURS, false)->there = false;
    if (at_ms > self->world.now_ms)
        batch_fake_pass (at_ms - self->world.now_ms);
}

/*  --- a path --- */

static bool trial_begin (batch_trial_t *self, const fake_kind_t *kind, char why [LONG_WHY_BYTES])
{
    static const batch_system_t *const systems [] = {&gridengine, &slurm, NULL};
    char text [256];
    self->kind = kind;
    snprintf (text, sizeof text,
              "name = ams\nback_end = %s\nbatch\n    queue = batch\n    watch = 15s\nopening\n"
              "    clear = end\n",
              kind->name);
    static const setting_table_t *const tables [] = {&lis_file_table};
    self->config = config_open_text ("ams.zpl", text, strlen (text), NULL, 0, tables, 1, why);
    kind->begin (&self->world);
    batch_fake_begin (kind, &self->world);
    const lis_file_t *file = self->config ? config_settings (self->config, &lis_file_table) : NULL;
    return file &&
           batch_back_end_begin (self->config, file->common.name, &file->machines, systems, why);
}

static void trial_end (batch_trial_t *self)
{
    batch_fake_end ();
    config_destroy (&self->config);
}

/*  What there is when all that was told to end has ended. */
static void trial_tell (batch_trial_t *self, char *text)
{
    batch_fake_t kept = self->world;
    batch_fake_pass (60000);
    *text = '\0';
    self->kind->tell (&self->world, text, TEXT_BYTES);
    self->world = kept;
}

/*  Does a job of the reservation run before its start, or from its name or that on another one on
 *  its nodes? Is an instance of another queue there open? */
static bool trial_mixed (const batch_trial_t *self, char letter)
{
    const batch_fake_t *world = &self->world;
    bool opened = strchr ("omwd", letter), mixed = false;
    bool kept = opened || (self->named && !strchr ("xr", letter));
    int first = (int) self->shift, last = first + 1;
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++) {
        const fake_job_t *job = &world->jobs [i];
        bool own = strcmp (job->into, OURS) == 0, there = job->host >= first && job->host <= last;
        mixed =
          mixed || (*job->id && (own ? job->host >= 0 && world->now_ms < START_MS : there && kept));
    }
    bool waits = !self->crowded || !kept;
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        waits = waits || (strcmp (world->jobs [i].name, "outsider") == 0 &&
                          world->jobs [i].host < 0 && !world->jobs [i].moved);
    mixed = mixed || !waits;
    for (size_t i = 0; i < FAKE_MADE_MAX; i++)
        for (int host = first; host <= last; host++)
            mixed = mixed || (opened && strcmp (world->made [i].name, OURS) != 0 &&
                              world->made [i].on [host] && !world->made [i].closed [host]);
    return mixed;
}

/*  Is all but the jobs the same? */
static bool made_same (const char *one, const char *other)
{
    const char *a = strstr (one, "job "), *b = strstr (other, "job ");
    size_t size = a ? (size_t) (a - one) : strlen (one);
    return size == (b ? (size_t) (b - other) : strlen (other)) && strncmp (one, other, size) == 0;
}

/*  The first line of one that the other has not. */
static void first_other (const char *one, const char *other, char line [WHY_BYTES])
{
    size_t i = 0;
    while (one [i] && one [i] == other [i])
        i++;
    while (i > 0 && one [i - 1] != '\n')
        i--;
    snprintf (line, WHY_BYTES, "\"%.60s\" instead of \"%.60s\"", other + i, one + i);
}

static void trial_cut (batch_trial_t *self, char letter, uint64_t seed, const char *right,
                       play_t *play)
{
    batch_fake_t before = self->world;
    char *text = must (malloc (TEXT_BYTES)), other [WHY_BYTES];
    size_t commands = (size_t) play->values [METRIC_COMMANDS];
    for (size_t cut = 0; cut < WAYS * commands; cut++) {
        size_t way = cut / commands, at = cut % commands;
        bool next = way == WAY_NEXT;
        self->world = before;
        if (way == WAY_LOST)
            batch_fake_lose (at);
        else
            batch_fake_cut (at);
        trial_step (self, letter, false);
        batch_fake_cut ((seed - 1) * 7 + cut % 5);
        if (seed > 1)
            trial_step (self, letter, next);
        batch_fake_cut (SIZE_MAX);
        size_t tries = trial_finish (self, letter, next);
        play->values [METRIC_TRIES] = fmax (play->values [METRIC_TRIES], (double) tries);
        trial_tell (self, text);
        play->values [METRIC_CUTS]++;
        if (strcmp (text, right) == 0 && tries < TRIES)
            continue;
        first_other (right, text, other);
        play->values [METRIC_UNEQUAL]++;
        play->failed = true;
        snprintf (play->why, sizeof play->why, "%s %zu of %zu commands: %s: %.150s", ways [way], at,
                  commands, other, self->why);
    }
    free (text);
}

static void play_path (size_t arm, uint64_t seed, play_t *play)
{
    batch_trial_t self = {0};
    const char *path = paths [arm % PATHS];
    char why [LONG_WHY_BYTES] = "";
    char *begun = must (malloc (TEXT_BYTES)), *right = must (malloc (TEXT_BYTES));
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        play->values [i] = 0;
    bool good = trial_begin (&self, kinds [arm / PATHS], why);
    good = good && trial_other (&self);
    trial_tell (&self, begun);
    for (; good && path [1]; path++) {
        trial_before (&self, *path);
        good = trial_finish (&self, *path, false) < TRIES;
    }
    if (good) {
        trial_before (&self, *path);
        batch_fake_t before = self.world;
        batch_fake_cut (SIZE_MAX);
        good = trial_finish (&self, *path, false) < TRIES;
        play->values [METRIC_COMMANDS] = (double) batch_fake_commands ();
        trial_tell (&self, right);
        play->values [METRIC_LEFT] =
          (*path == 'x' || *path == 'r') && !made_same (begun, right) ? 1 : 0;
        play->values [METRIC_MIXED] = trial_mixed (&self, *path);
        self.world = before;
        if (good)
            trial_cut (&self, *path, seed, right, play);
    }
    if (!good) {
        play->failed = true;
        snprintf (play->why, sizeof play->why, "without a cut: %.200s%.200s", why, self.why);
    }
    trial_end (&self);
    free (begun);
    free (right);
}

/*  --- the experiment --- */

static size_t arms (bool small)
{
    (void) small;
    return PATHS * sizeof kinds / sizeof *kinds;
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    static const char letters [] = "fnagpcbomwdxr";
    static const char *const words [] = {
      "refused", "named", "named anew", "named again", "prepared", "cleared",   "bound anew",
      "opened",  "moved", "mended",     "made again",  "closed",   "reconciled"};
    const char *path = paths [arm % PATHS];
    size_t used = (size_t) snprintf (name, ARM_NAME_BYTES, "%s", kinds [arm / PATHS]->name);
    for (; *path; path++)
        used += (size_t) snprintf (name + used, ARM_NAME_BYTES - used, ", %s",
                                   words [strchr (letters, *path) - letters]);
}

static void judge (experiment_run_t *run)
{
    double commands = 0, cuts = 0, unequal = 0, left = 0, mixed = 0, tries = 0;
    for (size_t arm = 0; arm < arms (run->small); arm++) {
        commands += experiment_estimate (run, arm, METRIC_COMMANDS).mean;
        cuts += experiment_estimate (run, arm, METRIC_CUTS).sum;
        unequal += experiment_estimate (run, arm, METRIC_UNEQUAL).sum;
        left += experiment_estimate (run, arm, METRIC_LEFT).sum;
        mixed += experiment_estimate (run, arm, METRIC_MIXED).sum;
        tries = fmax (tries, experiment_estimate (run, arm, METRIC_TRIES).most);
    }
    experiment_setting (run, "commands",
                        "answers as recorded from Grid Engine 8.1.9, Slurm 22.05.8");
    experiment_setting (run, "cuts", "after each; seeds above 1: and once more");
    experiment_criterion_sound (run);
    experiment_criterion (run, "equal-in-the-end", cuts > 0 && unequal == 0,
                          "of %.0f cuts, after each of the %.0f commands of %zu paths, %.0f have "
                          "another end than without; at most %.0f tries",
                          cuts, commands, arms (run->small), unequal, tries);
    experiment_criterion (run, "nothing-is-left", left == 0,
                          "%.0f ends leave another configuration than before the reservation",
                          left);
    experiment_criterion (run, "nobody-elses-nodes", mixed == 0,
                          "%.0f steps after which one of its jobs runs before the start, or others "
                          "have its nodes from then on",
                          mixed);
}

static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {METRIC_COMMANDS, METRIC_UNEQUAL};
    plot_bars (run, "E3.5: commands of a step, and cuts after which the end is another", shown, 2,
               to);
}

const experiment_t experiment_batch = {
  .name = "E3.5",
  .title = "a step in a batch system is cut after each of its commands, and done again",
  .claim = "S3 4: the queue of a reservation is disabled before its start, its hosts are the other "
           "queues' again at its end, and all is as before",
  .metrics = metrics,
  .metrics_count = sizeof metrics / sizeof *metrics,
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 40,
  .seeds_small = 3,
  .play = play_path,
  .judge = judge,
  .plot = plot};
