/*  experiment_matrix - E3.6: crash or restart of every kind of service at every point of the
 *  protocol, with the message of that point lost, doubled, delayed or overtaken.
 *
 *  A point is a kind of message as it leaves. When it leaves, the message meets its fault, and the
 *  victim dies. A victim that is the sender dies right after sending, with whatever else it had to
 *  send; a receiver dies with the message taken up, before the flush; a process that has no part in
 *  the message dies at that moment. There are no other faults, so nothing else can explain what
 *  happens. Users are those of the search for faults. The last arm is that search itself: schedules
 *  whose faults are drawn.
 */
#include "plot.h"
#include "scene.h"

#include "must.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IN_HAND_US 450 /* most messages have arrived, and what they cause is not flushed yet */
#define RESTART_MS 30
#define CRASH_MS   60000 /* until faults end */
#define HELD_MAX   64
#define SCAN_MS    250 /* how far a hold may outlive its limit: clocks, a batch, a timer */
#define SAME_EVERY 8   /* one play in so many is run twice */

typedef enum { VOTE_ANY, VOTE_YES, VOTE_NO } matrix_vote_t;
typedef enum {
    SIDE_ANY,
    SIDE_HOME,
    SIDE_RESOURCE
} side_t; /* its receiver, or an answer's sender */

typedef struct {
    const char *name;
    const char *service;
    const char *method;
    sim_message_kind_t kind;
    side_t side;
    matrix_vote_t vote;
} matrix_point_t;

static const matrix_point_t points [] = {
  {"reserve asked", "Planner", "Reserve", MESSAGE_REQUEST, SIDE_ANY, VOTE_ANY},
  {"modify asked", "Planner", "Modify", MESSAGE_REQUEST, SIDE_ANY, VOTE_ANY},
  {"release asked", "Planner", "Release", MESSAGE_REQUEST, SIDE_ANY, VOTE_ANY},
  {"free asked", "Calendar", "Profile", MESSAGE_REQUEST, SIDE_ANY, VOTE_ANY},
  {"free told", "Calendar", "Profile", MESSAGE_ANSWER, SIDE_ANY, VOTE_ANY},
  {"claim asked", "Participant", "Hold", MESSAGE_REQUEST, SIDE_HOME, VOTE_ANY},
  {"claim voted", "Participant", "Hold", MESSAGE_ANSWER, SIDE_HOME, VOTE_YES},
  {"hold asked", "Participant", "Hold", MESSAGE_REQUEST, SIDE_RESOURCE, VOTE_ANY},
  {"vote yes", "Participant", "Hold", MESSAGE_ANSWER, SIDE_RESOURCE, VOTE_YES},
  {"vote no", "Participant", "Hold", MESSAGE_ANSWER, SIDE_RESOURCE, VOTE_NO},
  {"commit sent", "Participant", "Commit", MESSAGE_REQUEST, SIDE_ANY, VOTE_ANY},
  {"commit acknowledged", "Participant", "Commit", MESSAGE_ANSWER, SIDE_ANY, VOTE_ANY},
  {"abort sent", "Participant", "Abort", MESSAGE_REQUEST, SIDE_ANY, VOTE_ANY},
  {"abort acknowledged", "Participant", "Abort", MESSAGE_ANSWER, SIDE_ANY, VOTE_ANY},
  {"close asked", "Home", "Close", MESSAGE_REQUEST, SIDE_ANY, VOTE_ANY},
  {"closed", "Home", "Close", MESSAGE_ANSWER, SIDE_ANY, VOTE_ANY},
  {"user told", "Planner", "", MESSAGE_ANSWER, SIDE_ANY, VOTE_ANY},
  {"done sent", "Participant", "Done", MESSAGE_REQUEST, SIDE_ANY, VOTE_ANY}};
#define POINTS (sizeof points / sizeof points [0])

typedef enum { VICTIM_PLANNER, VICTIM_LIS, VICTIM_NIS, VICTIM_GIS, VICTIMS } matrix_victim_t;

static const char *const victims [VICTIMS] = {"planner/", "lis/", "nis/", "gis/"};
static const char *const columns [2 * VICTIMS] = {
  "planner crashes", "planner restarts", "LIS crashes", "LIS restarts",
  "NIS crashes",     "NIS restarts",     "GIS crashes", "GIS restarts"};

static const fault_kind_t faults [] = {FAULT_LOST, FAULT_DOUBLED, FAULT_DELAYED, FAULT_REORDERED};
static const char *const fault_names [] = {"lost", "duplicated", "delayed", "reordered"};
#define FAULTS (sizeof faults / sizeof faults [0])

#define CELLS (POINTS * 2 * VICTIMS * FAULTS)

enum { METRIC_MET, METRIC_COMMITTED, METRIC_HELD, METRIC_SAME };

static const metric_t metrics [] = {
  {"met", "1: the point came and the fault with it"},
  {"committed", "commands told committed"},
  {"hold_ms", "the longest that anything was only held, at participants that did not die"},
  {"identical", "1: run again, the trace was the same to the byte"}};

/*  A hold that nobody has voted for yet, and since when. */
typedef struct {
    int process;
    char txid [TXID_TEXT_BYTES];
    int64_t since_us;
} matrix_held_t;

typedef struct {
    const matrix_point_t *point;
    matrix_victim_t victim;
    bool restarts;
    fault_kind_t fault;
    size_t wait; /* which message of its kind it strikes at */
    bool struck;
    int struck_process;
    schedule_t *schedule;
    matrix_held_t held [HELD_MAX];
    size_t held_count;
    double longest_ms;
} matrix_cell_t;

/*  --- the point --- */

static bool begins (const matrix_cell_t *self, int process, const char *kind)
{
    return process != SIM_NOBODY &&
           strncmp (sim_name (self->schedule->sim, process), kind, strlen (kind)) == 0;
}

static bool is_vote (const sim_message_t *message, bool yes)
{
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    if (message->status != CALL_OK ||
        !sim_wire_command_answer (sim_message_body (message), &txid, &state, &ttl_ms, &refused))
        return false;
    return yes ? state == COMMAND_PREPARED && refused == REFUSAL_NONE : refused != REFUSAL_NONE;
}

static bool is_point (const matrix_cell_t *self, const sim_message_t *message)
{
    const matrix_point_t *point = self->point;
    if (message->kind != point->kind || strcmp (message->service, point->service) != 0 ||
        (*point->method && strcmp (message->method, point->method) != 0))
        return false;
    int party = message->kind == MESSAGE_REQUEST ? message->to : message->from;
    if (point->side != SIDE_ANY && begins (self, party, "gis/") != (point->side == SIDE_HOME))
        return false;
    return point->vote == VOTE_ANY || is_vote (message, point->vote == VOTE_YES);
}

/*  --- the fault --- */

/*  The process that takes part in the message, or else the first of its kind. */
static int choose (const matrix_cell_t *self, const sim_message_t *message)
{
    const char *kind = victims [self->victim];
    if (begins (self, message->from, kind))
        return message->from;
    if (begins (self, message->to, kind))
        return message->to;
    for (size_t p = 0; p < sim_processes (self->schedule->sim); p++)
        if (begins (self, (int) p, kind) && sim_up (self->schedule->sim, (int) p))
            return (int) p;
    return SIM_NOBODY;
}

static void strike (matrix_cell_t *self, const sim_message_t *message)
{
    sim_t *sim = self->schedule->sim;
    int victim = choose (self, message);
    int64_t pause_ms = self->restarts ? RESTART_MS : CRASH_MS;
    if (victim == SIM_NOBODY)
        return;
    self->struck = true;
    self->struck_process = victim;
    self->schedule->orphans = self->victim == VICTIM_PLANNER && !self->restarts;
    sim_net_doom (sim_net (sim), self->fault);
    sim_trace (sim, victim, "is struck: %s", self->point->name);
    if (victim == message->to)
        sim_kill (sim, victim, sim_now_us (sim) + IN_HAND_US, pause_ms);
    else
        sim_strike (sim, victim, pause_ms);
}

/*  A hold that is renewed begins anew. */
static void see_renewal (matrix_cell_t *self, const sim_message_t *message)
{
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    char text [TXID_TEXT_BYTES];
    if (message->kind != MESSAGE_ANSWER || strcmp (message->method, "Renew") != 0 ||
        message->status != CALL_OK ||
        !sim_wire_command_answer (sim_message_body (message), &txid, &state, &ttl_ms, &refused) ||
        refused != REFUSAL_NONE)
        return;
    txid_text (&txid, text);
    for (size_t i = 0; i < self->held_count; i++)
        if (self->held [i].process == message->from && strcmp (self->held [i].txid, text) == 0)
            self->held [i].since_us = sim_now_us (self->schedule->sim);
}

static void matrix_left (void *owner, const sim_message_t *message)
{
    matrix_cell_t *self = owner;
    if (self->schedule)
        see_renewal (self, message);
    if (!self->schedule || self->struck || !is_point (self, message))
        return;
    if (--self->wait == 0)
        strike (self, message);
}

/*  --- holds --- */

static void matrix_logged (void *owner, int process, const char *line)
{
    matrix_cell_t *self = owner;
    char txid [64];
    char move [64];
    if (!self->schedule || sscanf (line, "hold %63s %63s", txid, move) != 2)
        return;
    int64_t now_us = sim_now_us (self->schedule->sim);
    if (strstr (move, "->held") && self->held_count < HELD_MAX) {
        matrix_held_t *held = &self->held [self->held_count++];
        *held = (matrix_held_t){.process = process, .since_us = now_us};
        sim_text (held->txid, sizeof held->txid, txid);
    }
    if (strncmp (move, "held->", 6) != 0)
        return;
    for (size_t i = 0; i < self->held_count; i++) {
        matrix_held_t *held = &self->held [i];
        if (held->process != process || strcmp (held->txid, txid) != 0)
            continue;
        double age_ms = (double) (now_us - held->since_us) / 1000;
        if (process != self->struck_process && age_ms > self->longest_ms)
            self->longest_ms = age_ms;
        *held = self->held [--self->held_count];
        return;
    }
}

/*  --- one play --- */

static void matrix_shape (void *owner, schedule_t *schedule)
{
    ((matrix_cell_t *) owner)->schedule = schedule;
    schedule->edgy = false;
    schedule->nodes_least = 1; /* users who want the same are refused */
    schedule->near_ms = 20000;
    schedule->doubt_ms = 300;
    schedule->think_ms_max = 800;
}

/*  All users begin at one moment: of two that want the same, a vote refuses one. */
static void matrix_users (void *owner, schedule_t *schedule)
{
    (void) owner;
    schedule_users (schedule);
    for (size_t i = 0; i < schedule->clients_count; i++)
        if (schedule->clients [i].actions_count > 0)
            schedule->clients [i].actions [0].think_ms = 5;
}

static const sim_options_t options = {
  .sites = 3, .planners = 2, .gis = 2, .clients = 3, .domains = 2};

static void cell_begin (size_t arm, uint64_t seed, matrix_cell_t *cell)
{
    prng_t prng;
    prng_seed (&prng, seed * CELLS + arm);
    *cell = (matrix_cell_t){.point = &points [arm / (2 * VICTIMS * FAULTS)],
                            .victim = (matrix_victim_t) (arm / (2 * FAULTS) % VICTIMS),
                            .restarts = arm / FAULTS % 2 == 1,
                            .fault = faults [arm % FAULTS],
                            .wait = 1 + prng_below (&prng, 2),
                            .struck_process = SIM_NOBODY};
}

static bool play_once (size_t arm, uint64_t seed, matrix_cell_t *cell, sim_tally_t *tally,
                       FILE *trace, char why [LONG_WHY_BYTES])
{
    memset (tally, 0, sizeof *tally);
    if (arm == CELLS)
        return sim_schedule_run (seed, &(sim_options_t){0}, tally, trace, why);
    cell_begin (arm, seed, cell);
    sim_scene_t scene = {.owner = cell,
                         .shape = matrix_shape,
                         .users = matrix_users,
                         .faults = scene_calm,
                         .left = matrix_left,
                         .logged = matrix_logged};
    return schedule_play (seed, &options, &scene, tally, trace, why);
}

/*  FNV-1a of all that is written to the trace. */
static ssize_t digest (void *cookie, const char *bytes, size_t size)
{
    uint64_t *sum = cookie;
    for (size_t i = 0; i < size; i++)
        *sum = (*sum ^ (uint8_t) bytes [i]) * UINT64_C (1099511628211);
    return (ssize_t) size;
}

static FILE *digest_open (uint64_t *sum)
{
    *sum = UINT64_C (14695981039346656037);
    return must (fopencookie (sum, "w", (cookie_io_functions_t){.write = digest}));
}

/*  Run again twice; the traces are compared. */
static bool identical (size_t arm, uint64_t seed, sim_tally_t *tally)
{
    uint64_t sums [2];
    char why [LONG_WHY_BYTES];
    matrix_cell_t cell;
    for (size_t i = 0; i < 2; i++) {
        FILE *trace = digest_open (&sums [i]);
        (void) play_once (arm, seed, &cell, tally, trace, why);
        fclose (trace);
    }
    return sums [0] == sums [1];
}

static void play_matrix (size_t arm, uint64_t seed, play_t *play)
{
    sim_tally_t *tally = must (calloc (1, sizeof *tally));
    char why [LONG_WHY_BYTES] = "";
    matrix_cell_t cell = {0};
    play->failed = !play_once (arm, seed, &cell, tally, NULL, why);
    sim_text (play->why, sizeof play->why, why);
    play->values [METRIC_COMMITTED] = (double) tally->counts [COUNT_COMMITTED];
    if (arm < CELLS) {
        play->values [METRIC_MET] = cell.struck;
        play->values [METRIC_HELD] = cell.longest_ms;
    }
    if ((arm + seed) % SAME_EVERY == 0) {
        bool same = identical (arm, seed, tally);
        play->values [METRIC_SAME] = same;
        if (!same && !play->failed) {
            play->failed = true;
            sim_text (play->why, sizeof play->why, "run again, the same seed was another schedule");
        }
    }
    free (tally);
}

/*  --- the result --- */

static size_t arms (bool small)
{
    (void) small;
    return CELLS + 1;
}

static uint64_t arm_seeds (size_t arm, uint64_t seeds)
{
    return arm == CELLS ? 100 * seeds * seeds : seeds;
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    if (arm == CELLS)
        sim_text (name, ARM_NAME_BYTES, "random schedules");
    else
        snprintf (name, ARM_NAME_BYTES, "%s, %s, %s", points [arm / (2 * VICTIMS * FAULTS)].name,
                  columns [arm / FAULTS % (2 * VICTIMS)], fault_names [arm % FAULTS]);
}

/*  All four message faults of one point and one victim together. */
static void sum_up (const experiment_run_t *run, size_t field, double *met, size_t *broken)
{
    *met = 0;
    *broken = 0;
    for (size_t fault = 0; fault < FAULTS; fault++) {
        *met += experiment_estimate (run, field * FAULTS + fault, METRIC_MET).sum;
        *broken += experiment_failures (run, field * FAULTS + fault);
    }
}

static void judge (experiment_run_t *run)
{
    double longest_ms = 0;
    double runs_same = 0;
    size_t runs_twice = 0;
    double committed = 0;
    size_t unmet = 0;
    size_t broken = 0;
    for (size_t arm = 0; arm <= CELLS; arm++) {
        estimate_t held = experiment_estimate (run, arm, METRIC_HELD);
        estimate_t same = experiment_estimate (run, arm, METRIC_SAME);
        if (held.count > 0 && held.most > longest_ms)
            longest_ms = held.most;
        runs_same += same.sum;
        runs_twice += same.count;
        committed += experiment_estimate (run, arm, METRIC_COMMITTED).sum;
        broken += experiment_failures (run, arm);
    }
    for (size_t field = 0; field < CELLS / FAULTS; field++) {
        double met;
        size_t ignored;
        sum_up (run, field, &met, &ignored);
        unmet += met == 0;
    }
    double limit_ms = HOLD_TTL_MS;
    experiment_setting (run, "points", "%zu, each with %d victims, crash and restart, %zu faults",
                        POINTS, VICTIMS, FAULTS);
    experiment_setting (run, "federation", "2 GIS, 3 sites, 2 domains, 2 planners, 3 users");
    experiment_setting (run, "hold_ttl_ms", "%.0f", limit_ms);
    experiment_setting (run, "crash",
                        "a planner for good, its store is taken over; others until "
                        "faults end, 6 to 14 s");
    experiment_setting (run, "restart", "after %d ms", RESTART_MS);
    experiment_criterion (run, "no-overbooking-no-mixed-outcome-nothing-lost",
                          broken == 0 && committed > 0,
                          "%zu plays broke a check (overbooking, outcomes, durability before "
                          "anything leaves, answers kept, all settled); %.0f commands committed",
                          broken, committed);
    experiment_criterion (run, "every-point-met", unmet == 0,
                          "%zu of %zu pairs of point and victim never met", unmet,
                          (size_t) (CELLS / FAULTS));
    experiment_criterion (run, "holds-end", longest_ms <= limit_ms + SCAN_MS,
                          "the longest hold lasted %.0f ms; the limit is %.0f and a scan",
                          longest_ms, limit_ms);
    experiment_criterion (
      run, "same-seed-same-bytes", runs_twice > 0 && runs_same == (double) runs_twice,
      "%.0f of %zu plays that were run again gave the same trace", runs_same, runs_twice);
    experiment_criterion (run, "schedules",
                          run->small || run->first [CELLS + 1] - run->first [CELLS] >= 10000,
                          "%zu random schedules beside the matrix (full form: 10000)",
                          run->first [CELLS + 1] - run->first [CELLS]);
}

static void tell (const experiment_run_t *run, FILE *to)
{
    fprintf (to, "plays in which the fault fell on its point / broken\n\n%-20s", "");
    for (size_t i = 0; i < 2 * VICTIMS; i++)
        fprintf (to, " %16s", columns [i]);
    for (size_t row = 0; row < POINTS; row++) {
        fprintf (to, "\n%-20s", points [row].name);
        for (size_t i = 0; i < 2 * VICTIMS; i++) {
            double met;
            size_t broken;
            sum_up (run, row * 2 * VICTIMS + i, &met, &broken);
            fprintf (to, " %12.0f / %zu", met, broken);
        }
    }
    fputc ('\n', to);
}

static const char *row_name (size_t row)
{
    return points [row].name;
}

static const char *column_name (size_t column)
{
    return columns [column];
}

static void plot (const experiment_run_t *run, FILE *to)
{
    plot_field_t fields [POINTS * 2 * VICTIMS];
    for (size_t i = 0; i < POINTS * 2 * VICTIMS; i++) {
        size_t broken;
        sum_up (run, i, &fields [i].value, &broken);
        fields [i].colour = broken > 0 ? 2 : fields [i].value > 0 ? 1 : 0;
    }
    plot_table (&(plot_table_t){.title = "E3.6: plays in which the fault fell on its point (red: "
                                         "a check broke)",
                                .rows = POINTS,
                                .columns = 2 * VICTIMS,
                                .row = row_name,
                                .column = column_name,
                                .fields = fields},
                to);
}

const experiment_t experiment_matrix = {
  .name = "E3.6",
  .title = "crash or restart of every service at every point, with every message fault",
  .claim = "S3 2.2: all participants come to the same end, whoever stops when; ours: nothing is "
           "ever half done",
  .metrics = metrics,
  .metrics_count = sizeof metrics / sizeof metrics [0],
  .arms = arms,
  .arm_name = arm_name,
  .arm_seeds = arm_seeds,
  .seeds = 10,
  .seeds_small = 2,
  .play = play_matrix,
  .judge = judge,
  .plot = plot,
  .tell = tell};
