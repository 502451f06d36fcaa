/*  experiment_diagrams - E3.2 and E3.4: S3's interface at one site.
 *
 *  E3.2: a change, by each option that the plus commands have, is committed at once (one-phase), or
 *  waits (-T) and is committed, aborted, or left alone. The messages must be those of S3's figure
 *  3, the command must pass the states of its figure 1, and until the commit the site must have the
 *  old booking beside what is asked for.
 *
 *  E3.4: nobody can reach the client; it hears answers to its own questions and nothing else. It
 *  polls, through lost messages and through its own deaths and the site's, and must learn how each
 *  change ended.
 */
#include "plot.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define SAID_MAX 64
#define THINK_MS 50
#define WAIT_MS  1500
#define AHEAD_MS 60000
#define LASTS_MS 20000
#define CHANGES  4
#define POLLERS  3

/*  --- E3.2 --- */

typedef struct {
    const char *name;
    operation_t operation;
    int64_t start_ms;
    int64_t duration_ms;
    uint32_t nodes;
} diagrams_option_t;

static const diagrams_option_t options [] = {
  {"plus_reserve -s -e -n", OPERATION_RESERVE, AHEAD_MS, LASTS_MS, 2},
  {"plus_modify -s", OPERATION_MODIFY, 10000, 0, 0},
  {"plus_modify -e", OPERATION_MODIFY, 0, 2 * LASTS_MS, 0},
  {"plus_modify -n", OPERATION_MODIFY, 0, 0, 1},
  {"plus_modify -s -e -n", OPERATION_MODIFY, 30000, 2 * LASTS_MS, 1},
  {"plus_cancel", OPERATION_RELEASE, 0, 0, 0}};

#define OPTIONS (sizeof options / sizeof options [0])

typedef struct {
    const char *name;
    sim_plus_end_t end;
    int64_t wait_ms;
    const char *last; /* the last message of the diagram */
    sim_plus_says_t says;
} diagrams_course_t;

static const diagrams_course_t courses [] = {
  {"one-phase", PLUS_END_COMMIT, 0, "Commit", PLUS_SAYS_COMMITTED},
  {"-T, plus_commit", PLUS_END_COMMIT, WAIT_MS, "Commit", PLUS_SAYS_COMMITTED},
  {"-T, plus_abort", PLUS_END_ABORT, WAIT_MS, "Abort", PLUS_SAYS_ABORTED},
  {"-T, left alone", PLUS_END_NEGLECT, 0, "State", PLUS_SAYS_ABORTED}};

#define COURSES (sizeof courses / sizeof courses [0])

enum { METRIC_DRAWN, METRIC_OLD_KEPT, METRIC_AS_TOLD, METRIC_POLLS };

static const metric_t diagram_metrics [] = {
  {"as_drawn", "share of plays whose messages and states are those of the diagram"},
  {"old_kept", "share in which the old booking stood at each message before the last"},
  {"as_told", "share in which the site has what the course gives: new, or as before"},
  {"polls", "times that the command was asked for its state"}};

/*  One answer of the site about the change. */
typedef struct {
    char method [16];
    sim_plus_says_t says;
    bool old_stands; /* the version before is still booked as it was */
    bool both;       /* and the change is held beside it */
} diagrams_said_t;

typedef struct {
    const diagrams_option_t *option;
    const diagrams_course_t *course;
    play_t *play;
    schedule_t *schedule;
    diagrams_said_t said [SAID_MAX];
    size_t said_count;
} diagram_t;

static sim_plus_action_t *the_action (schedule_t *schedule)
{
    return &schedule->plus.actions [0];
}

static sim_plus_change_t *the_change (diagram_t *self)
{
    sim_plus_action_t *action = the_action (self->schedule);
    return &action->changes [action->changes_count - 1];
}

static void action_begin (schedule_t *schedule, size_t number, int process)
{
    sim_plus_action_t *action = &schedule->plus.actions [number];
    *action = (sim_plus_action_t){.process = process};
    sim_text (action->actor, sizeof action->actor, "alice");
    snprintf (action->id, sizeof action->id, "plus-%zu", number + 1);
    schedule->plus.actions_count = number + 1;
}

static sim_plus_change_t *action_change (sim_plus_action_t *action, operation_t operation)
{
    sim_plus_change_t *change = &action->changes [action->changes_count++];
    *change =
      (sim_plus_change_t){.operation = operation, .end = PLUS_END_COMMIT, .think_ms = THINK_MS};
    if (operation == OPERATION_RESERVE) {
        change->start_ms = AHEAD_MS;
        change->duration_ms = LASTS_MS;
        change->nodes = 2;
    }
    return change;
}

/*  -R: the site is drawn. */
static void diagram_users (void *owner, schedule_t *schedule)
{
    diagram_t *self = owner;
    self->schedule = schedule;
    action_begin (schedule, 0,
                  schedule->lis_processes [schedule_draw (schedule, schedule->sites_count)]);
    sim_plus_action_t *action = the_action (schedule);
    if (self->option->operation != OPERATION_RESERVE)
        (void) action_change (action, OPERATION_RESERVE);
    sim_plus_change_t *change = action_change (action, self->option->operation);
    change->end = self->course->end;
    change->wait_ms = self->course->wait_ms;
    change->start_ms = self->option->start_ms;
    change->duration_ms = self->option->duration_ms;
    change->nodes = self->option->nodes;
    schedule_plus_add (schedule);
}

static bool booked_alike (const sim_command_t *command, const sim_plus_booked_t *booked)
{
    return command && command->bookings_count == 1 &&
           command->bookings [0].from_ms == booked->from_ms &&
           command->bookings [0].until_ms == booked->until_ms &&
           command->bookings [0].nodes == booked->nodes;
}

/*  What the site has of the reservation now, and what it holds beside that. */
static void look (diagram_t *self, const sim_plus_told_t *told, diagrams_said_t *said)
{
    schedule_t *schedule = self->schedule;
    const sim_plus_action_t *action = the_action (schedule);
    const sim_participant_t *site =
      sim_check_named (&schedule->check, sim_name (schedule->sim, action->process));
    const sim_command_t *stands =
      sim_current (site->commands, site->commands_count, action->reservation);
    const sim_command_t *command = sim_check_command (site, &told->command);
    const sim_plus_change_t *change = the_change (self);
    said->old_stands = action->version > 0 ? booked_alike (stands, &action->has) : stands == NULL;
    said->both = command && command->state == COMMAND_HELD &&
                 (change->operation == OPERATION_RELEASE ? command->bookings_count == 0
                                                         : booked_alike (command, &change->next));
}

static void diagram_left (void *owner, const sim_message_t *message)
{
    diagram_t *self = owner;
    sim_plus_told_t told;
    if (!self->schedule || self->said_count == SAID_MAX || message->kind != MESSAGE_ANSWER)
        return;
    const sim_plus_action_t *action = the_action (self->schedule);
    bool about =
      strcmp (message->service, "Reservation") == 0 || strcmp (message->service, "Command") == 0;
    if (!about || strcmp (message->method, "Properties") == 0 ||
        action->at + 1 != action->changes_count ||
        !sim_wire_plus_told (sim_message_body (message), &told))
        return;
    diagrams_said_t *said = &self->said [self->said_count++];
    *said = (diagrams_said_t){.says = told.says};
    sim_text (said->method, sizeof said->method, message->method);
    look (self, &told, said);
}

/*  One change: its request, its state as often as the client asks, and its end. */
static bool as_drawn (const diagram_t *self)
{
    static const char *const methods [] = {"Reserve", "Modify", "Release"};
    if (self->said_count < 2)
        return false;
    const diagrams_said_t *first = &self->said [0];
    const diagrams_said_t *last = &self->said [self->said_count - 1];
    for (size_t i = 1; i + 1 < self->said_count; i++)
        if (strcmp (self->said [i].method, "State") != 0 ||
            self->said [i].says != PLUS_SAYS_PREPARED)
            return false;
    bool polled = self->said_count > 2;
    return strcmp (first->method, methods [self->option->operation]) == 0 &&
           first->says == PLUS_SAYS_PREPARED && strcmp (last->method, self->course->last) == 0 &&
           last->says == self->course->says &&
           polled == (self->course->wait_ms > 0 || self->course->end == PLUS_END_NEGLECT);
}

static bool old_kept (const diagram_t *self)
{
    for (size_t i = 0; i + 1 < self->said_count; i++)
        if (!self->said [i].old_stands || !self->said [i].both)
            return false;
    return self->said_count > 1;
}

/*  In the end the site has the new version, or all is as before. sim_plus_check has compared the
 *  site with what was told. */
static bool as_told (diagram_t *self)
{
    const sim_plus_action_t *action = the_action (self->schedule);
    const sim_plus_change_t *change = the_change (self);
    const sim_command_t *stands = scene_current (
      self->schedule, sim_name (self->schedule->sim, action->process), action->reservation);
    bool commits = self->course->says == PLUS_SAYS_COMMITTED;
    if (change->fate != (commits ? PLUS_DONE : PLUS_UNDONE))
        return false;
    if (change->operation == OPERATION_RELEASE && commits)
        return !stands || stands->bookings_count == 0;
    if (change->operation == OPERATION_RESERVE && !commits)
        return !stands;
    return booked_alike (stands, commits ? &change->next : &action->has);
}

static void diagram_judge (void *owner, schedule_t *schedule)
{
    diagram_t *self = owner;
    (void) schedule;
    self->play->values [METRIC_DRAWN] = as_drawn (self);
    self->play->values [METRIC_OLD_KEPT] = old_kept (self);
    self->play->values [METRIC_AS_TOLD] = as_told (self);
    self->play->values [METRIC_POLLS] = the_change (self)->polls;
}

static void roomy (void *owner, schedule_t *schedule)
{
    (void) owner;
    schedule->edgy = false;
    schedule->nodes_least = 8;
}

static void play_diagram (size_t arm, uint64_t seed, play_t *play)
{
    diagram_t self = {
      .option = &options [arm / COURSES], .course = &courses [arm % COURSES], .play = play};
    sim_scene_t scene = {.owner = &self,
                         .shape = roomy,
                         .users = diagram_users,
                         .left = diagram_left,
                         .judge = diagram_judge,
                         .faults = scene_calm};
    (void) scene_run (
      seed, &(sim_options_t){.sites = 2, .planners = 1, .gis = 1, .clients = 1, .no_domains = true},
      &scene, play);
}

static size_t diagram_arms (bool small)
{
    (void) small;
    return OPTIONS * COURSES;
}

static void diagram_name (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s, %s", options [arm / COURSES].name,
              courses [arm % COURSES].name);
}

/*  A share over all arms; it must be 1, as every play must have it. */
static void all_have (experiment_run_t *run, size_t arms, size_t metric, const char *name,
                      const char *words)
{
    double plays = 0;
    double have = 0;
    for (size_t arm = 0; arm < arms; arm++) {
        estimate_t share = experiment_estimate (run, arm, metric);
        plays += (double) share.count;
        have += share.sum;
    }
    experiment_criterion (run, name, plays > 0 && have == plays, "%.0f of %.0f plays: %s", have,
                          plays, words);
}

static void diagram_accept (experiment_run_t *run)
{
    size_t arms = diagram_arms (run->small);
    experiment_setting (run, "federation", "2 sites of 8 nodes or more, no faults");
    experiment_criterion_sound (run);
    all_have (run, arms, METRIC_DRAWN, "as-drawn", "the messages of the diagram, in order");
    all_have (run, arms, METRIC_OLD_KEPT, "old-kept", "the old booking stood until the commit");
    all_have (run, arms, METRIC_AS_TOLD, "as-told", "new after a commit, else as before");
}

static void diagram_plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {METRIC_DRAWN, METRIC_OLD_KEPT, METRIC_AS_TOLD};
    plot_bars (run, "E3.2: the plus commands, one-phase and -T", shown, 3, to);
}

const experiment_t experiment_diagrams = {
  .name = "E3.2",
  .title = "commit and abort diagrams of the plus commands, one-phase and -T, each option",
  .claim = "S3 3.2, 4.1: create, reserve, poll, commit; with -T a command waits for plus_commit or "
           "plus_abort; the old slot is kept until the commit",
  .metrics = diagram_metrics,
  .metrics_count = sizeof diagram_metrics / sizeof diagram_metrics [0],
  .arms = diagram_arms,
  .arm_name = diagram_name,
  .seeds = 50,
  .seeds_small = 3,
  .play = play_diagram,
  .judge = diagram_accept,
  .plot = diagram_plot};

/*  --- E3.4 --- */

enum { METRIC_CALLED, METRIC_KNOWN, METRIC_UNHEARD, METRIC_ASKED };

static const metric_t polling_metrics [] = {
  {"called", "requests and hints that came to the client"},
  {"known", "share of changes of which it knows in the end what became of them"},
  {"unheard", "share of its questions that were not answered in time"},
  {"asked", "questions for each change"}};

typedef struct {
    bool faults;
    play_t *play;
} polling_t;

static void polling_users (void *owner, schedule_t *schedule)
{
    (void) owner;
    for (size_t i = 0; i < POLLERS; i++) {
        action_begin (schedule, i,
                      schedule->lis_processes [schedule_draw (schedule, schedule->sites_count)]);
        sim_plus_action_t *action = &schedule->plus.actions [i];
        for (size_t c = 0; c < CHANGES; c++) {
            sim_plus_change_t *change =
              action_change (action, c == 0             ? OPERATION_RESERVE
                                     : c + 1 == CHANGES ? OPERATION_RELEASE
                                                        : OPERATION_MODIFY);
            change->wait_ms = (int64_t) schedule_draw (schedule, 1000);
            if (c > 0)
                change->end = (sim_plus_end_t) schedule_draw (schedule, PLUS_ENDS);
            if (change->operation == OPERATION_MODIFY)
                change->nodes = 1 + (uint32_t) schedule_draw (schedule, 2);
        }
    }
    schedule_plus_add (schedule);
}

static void polling_judge (void *owner, schedule_t *schedule)
{
    polling_t *self = owner;
    const sim_plus_t *plus = &schedule->plus;
    double changes = 0;
    double known = 0;
    double spoken = 0;
    double heard = 0;
    for (size_t i = 0; i < plus->actions_count; i++) {
        const sim_plus_action_t *action = &plus->actions [i];
        spoken += (double) action->spoken;
        heard += (double) action->heard;
        for (size_t c = 0; c < action->changes_count; c++) {
            const sim_plus_change_t *change = &action->changes [c];
            if (change->tries == 0)
                continue;
            changes++;
            known += change->fate != PLUS_UNDER_WAY;
        }
    }
    self->play->values [METRIC_CALLED] = (double) plus->called;
    if (changes > 0) {
        self->play->values [METRIC_KNOWN] = known / changes;
        self->play->values [METRIC_ASKED] = spoken / changes;
    }
    self->play->values [METRIC_UNHEARD] = spoken > 0 ? 1 - heard / spoken : NO_VALUE;
}

static void play_polling (size_t arm, uint64_t seed, play_t *play)
{
    polling_t self = {.faults = arm > 0, .play = play};
    sim_scene_t scene = {.owner = &self,
                         .shape = roomy,
                         .users = polling_users,
                         .judge = polling_judge,
                         .faults = self.faults ? NULL : scene_calm};
    (void) scene_run (
      seed, &(sim_options_t){.sites = 2, .planners = 1, .gis = 1, .clients = 1, .no_domains = true},
      &scene, play);
}

static size_t polling_arms (bool small)
{
    (void) small;
    return 2;
}

static void polling_name (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s", arm == 0 ? "no faults" : "faults");
}

static void polling_accept (experiment_run_t *run)
{
    experiment_setting (run, "federation", "2 sites; a client with 3 reservations, 4 changes each");
    experiment_criterion_sound (run);
    double called = 0;
    double unheard = experiment_estimate (run, 1, METRIC_UNHEARD).sum;
    for (size_t arm = 0; arm < polling_arms (run->small); arm++)
        called += experiment_estimate (run, arm, METRIC_CALLED).sum;
    experiment_criterion (run, "never-called", called == 0 && unheard > 0,
                          "%.0f messages came to it unasked; with faults, answers were lost",
                          called);
    all_have (run, polling_arms (run->small), METRIC_KNOWN, "known",
              "it came to know how each change ended");
}

static void polling_plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {METRIC_KNOWN, METRIC_UNHEARD};
    plot_bars (run, "E3.4: a client that nobody can reach", shown, 2, to);
}

const experiment_t experiment_polling = {
  .name = "E3.4",
  .title = "a client that nobody can reach: polling alone is enough",
  .claim = "S3 3.1: no notification is used; all that a client is told it asks for",
  .metrics = polling_metrics,
  .metrics_count = sizeof polling_metrics / sizeof polling_metrics [0],
  .arms = polling_arms,
  .arm_name = polling_name,
  .seeds = 500,
  .seeds_small = 20,
  .play = play_polling,
  .judge = polling_accept,
  .plot = polling_plot};
