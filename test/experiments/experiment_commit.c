/*  experiment_commit - E3.7: two-phase commit against three-phase and Paxos commit, and what
 *  blocking costs (S3 §5).
 *
 *  S3 chose two-phase commit although it blocks when the coordinator dies, because what is blocked
 *  is the right to use something during a window, which is worth nothing once the window is over
 *  (§5.3). This experiment measures that. Without faults it counts messages, delays and flushes in
 *  a row. When the coordinator dies for good, at each point of the protocol and for several
 *  distances of the window, it measures the time in doubt and how much of the window passes in
 *  doubt. It cuts the network in two and looks for mixed outcomes. With drawn faults the rivals
 *  must keep the same promises. Ours is the product: its cores, its request home (which votes, too)
 *  and its default settings.
 */
#include "commit_trial.h"
#include "experiment.h"
#include "must.h"
#include "participant.h"
#include "plot.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGE_S  0.01  /* how late an edge may be noticed: one timer tick and one flush */
#define UNIT_US 10000 /* length of a delay or a flush, when they are counted */

typedef enum { KIND_COST, KIND_CUT, KIND_STORM, KIND_DEATH } commit_kind_t;

static const char *const way_names [WAYS] = {
  "two-phase, ours",           "two-phase, ours, store taken over after 60 s",
  "two-phase, plain",          "three-phase",
  "Paxos commit, 3 acceptors", "Paxos commit, 5 acceptors"};

static const struct {
    const char *name;
    int64_t ms;
} distances [] = {{"30 s", 30000},
                  {"5 min", 300000},
                  {"1 h", 3600000},
                  {"6 h", 6 * INT64_C (3600000)},
                  {"1 day", INT64_C (86400000)},
                  {"3 days", 3 * INT64_C (86400000)}};
#define DISTANCES       (sizeof distances / sizeof distances [0])
#define DISTANCES_SMALL 3

static const commit_way_t plain_ways [] = {WAY_OURS, WAY_PLAIN, WAY_THREE, WAY_PAXOS_1,
                                           WAY_PAXOS_2};
#define PLAIN_WAYS (sizeof plain_ways / sizeof plain_ways [0])
static const commit_way_t storm_ways [] = {WAY_PLAIN, WAY_THREE, WAY_PAXOS_1, WAY_PAXOS_2};
#define STORM_WAYS (sizeof storm_ways / sizeof storm_ways [0])

#define ARM_CUT   PLAIN_WAYS
#define ARM_STORM (2 * PLAIN_WAYS)
#define ARM_DEATH (ARM_STORM + STORM_WAYS)

enum {
    METRIC_MESSAGES,
    METRIC_DELAYS,
    METRIC_ROW,
    METRIC_FLUSHES,
    METRIC_MIXED,
    METRIC_DOUBT,
    METRIC_LOST,
    METRIC_AREA,
    METRIC_COMMITTED
};

static const metric_t metrics [] = {
  {"messages", "of the protocol, from the first prepare until it is told"},
  {"delays", "message delays in a row"},
  {"flushes_in_a_row", "flushes in a row"},
  {"flushes", "flushes in all"},
  {"mixed", "share of plays in which one participant committed and another aborted"},
  {"doubt_s", "seconds in doubt after the coordinator's death, mean of the participants"},
  {"lost_s", "seconds of the window that passed in doubt, mean of the participants"},
  {"area_h2", "window x doubt, hour x hour, all participants: refused to others meanwhile"},
  {"committed", "share of plays in which something was committed"}};

typedef struct {
    commit_kind_t kind;
    commit_way_t way;
    size_t distance;
} commit_arm_t;

static commit_arm_t arm_of (size_t arm)
{
    if (arm < ARM_CUT)
        return (commit_arm_t){KIND_COST, plain_ways [arm], 2};
    if (arm < ARM_STORM)
        return (commit_arm_t){KIND_CUT, plain_ways [arm - ARM_CUT], 2};
    if (arm < ARM_DEATH)
        return (commit_arm_t){KIND_STORM, storm_ways [arm - ARM_STORM], 2};
    return (commit_arm_t){KIND_DEATH, (commit_way_t) ((arm - ARM_DEATH) % WAYS),
                          (arm - ARM_DEATH) / WAYS};
}

static size_t arms (bool small)
{
    return ARM_DEATH + WAYS * (small ? DISTANCES_SMALL : DISTANCES);
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    commit_arm_t of = arm_of (arm);
    switch (of.kind) {
    case KIND_COST:
        snprintf (name, ARM_NAME_BYTES, "%s, no faults", way_names [of.way]);
        break;
    case KIND_CUT:
        snprintf (name, ARM_NAME_BYTES, "%s, network cut in two", way_names [of.way]);
        break;
    case KIND_STORM:
        snprintf (name, ARM_NAME_BYTES, "%s, drawn faults", way_names [of.way]);
        break;
    case KIND_DEATH:
        snprintf (name, ARM_NAME_BYTES, "%s, coordinator dies, window in %s", way_names [of.way],
                  distances [of.distance].name);
    }
}

/*  --- plays --- */

static commit_trial_t *trial_new (const commit_arm_t *arm, uint64_t seed)
{
    commit_trial_t *trial = must (calloc (1, sizeof *trial));
    trial->way = arm->way;
    trial->seed = seed;
    trial->ahead_ms = distances [arm->distance].ms;
    return trial;
}

static void fail (play_t *play, const char *why)
{
    play->failed = true;
    sim_text (play->why, sizeof play->why, why);
}

/*  What must hold in every play. Three-phase commit promises nothing when the network is cut. */
static void check (const commit_trial_t *trial, const commit_arm_t *arm, play_t *play)
{
    bool excused = arm->kind == KIND_CUT && arm->way == WAY_THREE;
    if (sim_failed (trial->sim))
        fail (play, sim_why (trial->sim));
    else if (commit_trial_mixed (trial) && !excused)
        fail (play, "one participant committed what another one aborted");
    else if (commit_trial_in_doubt (trial))
        fail (play, "somebody is in doubt when all is over");
    for (size_t p = 0; p < TRIAL_PARTICIPANTS && arm->kind == KIND_STORM; p++) {
        size_t had = 0; /* the first two transactions want the same hour */
        for (size_t t = 0; t < trial->txns_count; t++)
            had += trial->txns [t].committed [p] && (strcmp (trial->txns [t].id, "T0") == 0 ||
                                                     strcmp (trial->txns [t].id, "T1") == 0);
        if (had > 1)
            fail (play, "a participant gave one hour to two transactions");
    }
}

static bool committed (const commit_trial_t *trial)
{
    for (size_t t = 0; t < trial->txns_count; t++)
        for (size_t p = 0; p < TRIAL_PARTICIPANTS; p++)
            if (trial->txns [t].committed [p])
                return true;
    return false;
}

/*  Played once with delays only and once with flushes only, to tell what the time is made of. */
static void play_cost (const commit_arm_t *arm, uint64_t seed, play_t *play)
{
    for (int flushing = 0; flushing < 2; flushing++) {
        commit_trial_t *trial = trial_new (arm, seed);
        trial->paced = true;
        trial->flight_us = flushing ? 0 : UNIT_US;
        trial->flush_us = flushing ? UNIT_US : 0;
        commit_trial_run (trial);
        check (trial, arm, play);
        if (trial->told_us < 0)
            fail (play, "nobody was told");
        double units = (double) (trial->told_us - trial->begun_us) / UNIT_US;
        play->values [flushing ? METRIC_ROW : METRIC_DELAYS] = units;
        play->values [METRIC_MESSAGES] = (double) trial->messages;
        play->values [METRIC_FLUSHES] = (double) trial->flushes;
        play->values [METRIC_COMMITTED] = committed (trial);
        commit_trial_clear (trial);
        free (trial);
    }
}

static void play_death (const commit_arm_t *arm, commit_trial_t *trial, play_t *play)
{
    static const death_point_t three [] = {POINT_PREPARE_FIRST, POINT_PREPARE_ALL,
                                           POINT_PRECOMMIT_FIRST, POINT_PRECOMMIT_ALL,
                                           POINT_COMMIT_FIRST};
    static const death_point_t others [] = {POINT_PREPARE_FIRST, POINT_PREPARE_ALL,
                                            POINT_COMMIT_FIRST};
    trial->kill = true;
    trial->point = arm->way == WAY_THREE
                     ? three [trial->seed % (sizeof three / sizeof three [0])]
                     : others [trial->seed % (sizeof others / sizeof others [0])];
    commit_trial_run (trial);
    check (trial, arm, play);
    if (trial->struck_us < 0)
        fail (play, "the coordinator never came to its point");
    double doubt_s = 0;
    double lost_s = 0;
    for (size_t p = 0; p < TRIAL_PARTICIPANTS; p++) {
        int64_t window_us;
        doubt_s += (double) commit_trial_doubt_us (trial, p, &window_us) / 1e6;
        lost_s += (double) window_us / 1e6;
    }
    play->values [METRIC_DOUBT] = doubt_s / TRIAL_PARTICIPANTS;
    play->values [METRIC_LOST] = lost_s / TRIAL_PARTICIPANTS;
    play->values [METRIC_AREA] = doubt_s / 3600 * ((double) TRIAL_WINDOW_MS / 3600000);
}

static void play_commit (size_t number, uint64_t seed, play_t *play)
{
    commit_arm_t arm = arm_of (number);
    if (arm.kind == KIND_COST) {
        play_cost (&arm, seed, play);
        return;
    }
    commit_trial_t *trial = trial_new (&arm, seed);
    if (arm.kind == KIND_DEATH) {
        play_death (&arm, trial, play);
    } else {
        trial->cut = arm.kind == KIND_CUT;
        trial->storm = arm.kind == KIND_STORM;
        commit_trial_run (trial);
        check (trial, &arm, play);
    }
    play->values [METRIC_MIXED] = commit_trial_mixed (trial);
    play->values [METRIC_COMMITTED] = committed (trial);
    commit_trial_clear (trial);
    free (trial);
}

static uint64_t arm_seeds (size_t arm, uint64_t seeds)
{
    commit_kind_t kind = arm_of (arm).kind;
    return kind == KIND_COST || kind == KIND_DEATH ? 15 : 10 * seeds; /* each point equally often */
}

/*  --- the result --- */

static estimate_t of (const experiment_run_t *run, commit_kind_t kind, commit_way_t way,
                      size_t distance, size_t metric)
{
    for (size_t arm = 0; arm < experiment_commit.arms (run->small); arm++) {
        commit_arm_t one = arm_of (arm);
        if (one.kind == kind && one.way == way && (kind != KIND_DEATH || one.distance == distance))
            return experiment_estimate (run, arm, metric);
    }
    assert (false);
    return (estimate_t){0};
}

static void judge_cost (experiment_run_t *run)
{
    const size_t counted [] = {METRIC_MESSAGES, METRIC_DELAYS, METRIC_ROW};
    bool least = true;
    for (size_t i = 0; i < sizeof counted / sizeof counted [0]; i++)
        for (commit_way_t way = WAY_THREE; way < WAYS; way++)
            least = least && of (run, KIND_COST, WAY_OURS, 0, counted [i]).mean <=
                               of (run, KIND_COST, way, 0, counted [i]).mean;
    experiment_criterion (
      run, "cheapest", least,
      "ours: %.0f messages with its request home, %.0f delays, %.0f flushes in a row: no more than "
      "any rival that does not block",
      of (run, KIND_COST, WAY_OURS, 0, METRIC_MESSAGES).mean,
      of (run, KIND_COST, WAY_OURS, 0, METRIC_DELAYS).mean,
      of (run, KIND_COST, WAY_OURS, 0, METRIC_ROW).mean);
}

static void judge_death (experiment_run_t *run)
{
    size_t count = run->small ? DISTANCES_SMALL : DISTANCES;
    bool plain = true;
    bool bounded = true;
    bool taken = true;
    bool rivals = true;
    double lost_s = 0;
    for (size_t d = 0; d < count; d++) {
        double ahead_s = (double) distances [d].ms / 1000;
        double window_s = (double) TRIAL_WINDOW_MS / 1000;
        plain =
          plain && of (run, KIND_DEATH, WAY_PLAIN, d, METRIC_DOUBT).most <= ahead_s + window_s + 2;
        bounded = bounded && of (run, KIND_DEATH, WAY_OURS, d, METRIC_DOUBT).most <= ahead_s + 2;
        lost_s = fmax (lost_s, of (run, KIND_DEATH, WAY_OURS, d, METRIC_LOST).most);
        lost_s = fmax (lost_s, of (run, KIND_DEATH, WAY_OURS_TAKEN, d, METRIC_LOST).most);
        double most_s =
          (double) TRIAL_TAKEN_MS / 1000 +
          (double) SETTINGS_PRESET (participant_limits_t, &participant_table).doubt_ms_max / 1000 +
          10;
        taken = taken && of (run, KIND_DEATH, WAY_OURS_TAKEN, d, METRIC_DOUBT).most <= most_s;
        for (commit_way_t way = WAY_THREE; way < WAYS; way++)
            rivals = rivals && of (run, KIND_DEATH, way, d, METRIC_DOUBT).most <= 30;
    }
    experiment_criterion (run, "plain-blocks-until-the-window-is-over", plain,
                          "S3 5.3: at every distance the doubt of plain two-phase commit ends with "
                          "the window at the latest");
    experiment_criterion (run, "ours-gives-back-before-the-window", bounded && lost_s <= EDGE_S,
                          "our doubt ends when the window begins at the latest (T9): %.3f s of a "
                          "window were lost at most",
                          lost_s);
    experiment_criterion (run, "taken-over", taken,
                          "with its store taken over after 60 s, doubt ends within 60 s, one "
                          "question's interval and 10 s, at every distance");
    experiment_criterion (run, "rivals-do-not-block", rivals,
                          "three-phase and Paxos commit end every doubt within 30 s");
}

static void judge (experiment_run_t *run)
{
    experiment_setting (run, "participants", "%d, windows of 1 h, one node each",
                        TRIAL_PARTICIPANTS);
    experiment_setting (run, "ours", "default settings; the home (GIS) votes, too");
    experiment_setting (run, "rivals", "patience 1 s; plain asks the coordinator every %d s",
                        RIVAL_ASK_MS / 1000);
    experiment_setting (run, "deaths",
                        "for good; after the first and after the last message of each "
                        "round, equally often");
    experiment_setting (run, "cut", "the network in two for %d s, from a drawn message on",
                        TRIAL_CUT_MS / 1000);
    experiment_criterion_sound (run);
    judge_cost (run);
    judge_death (run);
    double mixed = of (run, KIND_CUT, WAY_THREE, 0, METRIC_MIXED).sum;
    double others = 0;
    for (size_t i = 0; i < PLAIN_WAYS; i++)
        if (plain_ways [i] != WAY_THREE)
            others += of (run, KIND_CUT, plain_ways [i], 0, METRIC_MIXED).sum;
    experiment_criterion (run, "three-phase-splits", mixed > 0 && others == 0,
                          "on a network cut in two, three-phase commit ended %.0f plays with mixed "
                          "outcomes, the others %.0f",
                          mixed, others);
    double storms = 0;
    for (size_t i = 0; i < STORM_WAYS; i++)
        storms += of (run, KIND_STORM, storm_ways [i], 0, METRIC_COMMITTED).sum;
    experiment_criterion (run, "storms-commit", storms > 0,
                          "under drawn faults %.0f plays of the rivals committed something",
                          storms);
}

static void tell_number (double value, FILE *to)
{
    if (isnan (value))
        fprintf (to, " %10s", "-");
    else
        fprintf (to, " %10.4g", value);
}

static void tell (const experiment_run_t *run, FILE *to)
{
    size_t count = run->small ? DISTANCES_SMALL : DISTANCES;
    fprintf (to, "%-46s %10s %10s %10s %10s %10s\n", "without faults; a cut network", "messages",
             "delays", "in a row", "flushes", "mixed");
    for (size_t i = 0; i < PLAIN_WAYS; i++) {
        commit_way_t way = plain_ways [i];
        fprintf (to, "%-46s", way_names [way]);
        for (size_t metric = METRIC_MESSAGES; metric <= METRIC_FLUSHES; metric++)
            tell_number (of (run, KIND_COST, way, 0, metric).mean, to);
        tell_number (of (run, KIND_CUT, way, 0, METRIC_MIXED).mean, to);
        fputc ('\n', to);
    }
    for (size_t metric = METRIC_DOUBT; metric <= METRIC_AREA; metric++) {
        fprintf (to, "\n%s\n%-46s", metrics [metric].what, "window in");
        for (size_t d = 0; d < count; d++)
            fprintf (to, " %10s", distances [d].name);
        for (commit_way_t way = WAY_OURS; way < WAYS; way++) {
            fprintf (to, "\n%-46s", way_names [way]);
            for (size_t d = 0; d < count; d++)
                tell_number (of (run, KIND_DEATH, way, d, metric).mean, to);
        }
        fputc ('\n', to);
    }
}

static const char *point_name (size_t point)
{
    return distances [point].name;
}

static const char *line_name (size_t line)
{
    return way_names [line];
}

static void plot (const experiment_run_t *run, FILE *to)
{
    double values [WAYS * DISTANCES];
    size_t count = run->small ? DISTANCES_SMALL : DISTANCES;
    for (commit_way_t way = WAY_OURS; way < WAYS; way++)
        for (size_t d = 0; d < count; d++) {
            double doubt_s = of (run, KIND_DEATH, way, d, METRIC_DOUBT).mean;
            values [(size_t) way * count + d] = doubt_s > 0 ? doubt_s : NO_VALUE;
        }
    plot_lines (&(plot_lines_t){.title = "E3.7: the coordinator dies for good, at each point",
                                .across = "how far ahead the window begins",
                                .up = "seconds in doubt, mean over points and participants",
                                .points = count,
                                .point = point_name,
                                .lines = WAYS,
                                .line = line_name,
                                .values = values},
                to);
}

const experiment_t experiment_commit = {
  .name = "E3.7",
  .title = "two-phase commit against three-phase and Paxos commit",
  .claim = "S3 5.3: a window is volatile, so blocking does no lasting harm; that outweighs what "
           "Paxos commit gains in tolerance",
  .metrics = metrics,
  .metrics_count = sizeof metrics / sizeof metrics [0],
  .arms = arms,
  .arm_name = arm_name,
  .arm_seeds = arm_seeds,
  .seeds = 200,
  .seeds_small = 10,
  .play = play_commit,
  .judge = judge,
  .plot = plot,
  .tell = tell};
