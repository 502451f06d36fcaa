/*  experiment_quarrel - E3.3: two actors, two commands on one reservation (S3 §3.1: the state of a
 *  command is an object of its own, so that there is no confusion).
 *
 *  A reservation over two sites, in half of the plays with a link between them. Then two programs
 *  of its owner change it at the same moment, each at a planner of its choice. Whatever they are
 *  told, what the sites have in the end must be what some order of the commands that were told
 *  committed gives; and a program that was told BUSY was told which command is in the way.
 */
#include "plot.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define DURATION_MS 20000
#define TXIDS_MAX   64

enum { PAIR_MODIFY_MODIFY, PAIR_MODIFY_RELEASE, PAIR_RELEASE_RELEASE, PAIRS };

static const char *const pairs [PAIRS] = {"modify and modify", "modify and release",
                                          "release and release"};

enum {
    METRIC_BOTH,
    METRIC_ONE,
    METRIC_NONE,
    METRIC_SERIAL,
    METRIC_BUSY,
    METRIC_NAMED,
    METRIC_WAITING,
    METRIC_MS
};

static const metric_t metrics [] = {
  {"both_committed", "share of plays in which both commands were told committed"},
  {"one_committed", "share in which one was"},
  {"none_committed", "share in which none was"},
  {"serial", "share in which the end state is that of some order of the committed ones"},
  {"busy", "times that a participant said BUSY"},
  {"busy_named", "share of those that named a command on this reservation, not the asker's own"},
  {"busy_waiting", "of BUSY, times that a waiting release was in the way, which is no command yet"},
  {"answer_ms", "time to the later of both answers, no faults"}};

typedef struct {
    size_t pair;
    bool faults;
    play_t *play;
    schedule_t *schedule;
    sim_request_t *first;
    sim_request_t *commands [2];
    txid_t txids [TXIDS_MAX]; /* number of holds on this reservation that left */
    size_t txids_count;
    uint64_t busy;
    uint64_t named;
    uint64_t waiting;
    int64_t asked_us; /* -1 = not yet */
    int64_t answered_us;
} quarrel_t;

/*  --- the state of the reservation, as far as commands can change it --- */

typedef struct {
    bool released;
    int64_t from_ms [2];
    int64_t until_ms [2];
    uint32_t cpus [2];
} quarrel_state_t;

static void apply (const quarrel_t *self, size_t command, quarrel_state_t *state, sim_wish_t *wish)
{
    const sim_request_t *request = self->commands [command];
    if (request->operation == OPERATION_RELEASE) {
        state->released = true;
        return;
    }
    sim_book_patch (wish, &request->patch [0]);
}

/*  What the commands give in this order; the first `count` of them. */
static quarrel_state_t play_order (const quarrel_t *self, const size_t *order, size_t count)
{
    quarrel_state_t state = {0};
    sim_wish_t wish = self->first->wish [0];
    wish.earliest_ms = self->first->answer.start_ms;
    for (size_t i = 0; i < count; i++)
        apply (self, order [i], &state, &wish);
    for (size_t i = 0; i < 2 && !state.released; i++) {
        state.from_ms [i] = wish.earliest_ms;
        state.until_ms [i] = wish.earliest_ms + wish.duration_ms;
        state.cpus [i] = wish.needs [i].cpus;
    }
    return state;
}

static quarrel_state_t state_found (quarrel_t *self)
{
    quarrel_state_t state = {.released = true};
    for (size_t i = 0; i < 2; i++) {
        const sim_command_t *command = scene_current (
          self->schedule, self->schedule->lis [i].provider.name, self->first->answer.reservation);
        if (!command || command->bookings_count != 1)
            continue;
        state.released = false;
        state.from_ms [i] = command->bookings [0].from_ms;
        state.until_ms [i] = command->bookings [0].until_ms;
        state.cpus [i] = command->bookings [0].cpus;
    }
    return state;
}

static bool same (const quarrel_state_t *a, const quarrel_state_t *b)
{
    if (a->released || b->released)
        return a->released == b->released;
    for (size_t i = 0; i < 2; i++)
        if (a->from_ms [i] != b->from_ms [i] || a->until_ms [i] != b->until_ms [i] ||
            a->cpus [i] != b->cpus [i])
            return false;
    return true;
}

/*  Tries every order of the commands that were told committed. */
static bool serial (quarrel_t *self, const bool committed [2])
{
    size_t order [2];
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        if (committed [i])
            order [count++] = i;
    quarrel_state_t found = state_found (self);
    quarrel_state_t one = play_order (self, order, count);
    if (same (&one, &found))
        return true;
    if (count < 2)
        return false;
    const size_t other [2] = {order [1], order [0]};
    one = play_order (self, other, count);
    return same (&one, &found);
}

/*  --- users --- */

static sim_patch_t draw_patch (schedule_t *schedule, size_t which)
{
    sim_patch_t patch = {0};
    switch (schedule_draw (schedule, 3)) {
    case 0:
        patch.start_ms = 1000 * (1 + (int64_t) schedule_draw (schedule, 30));
        break;
    case 1:
        patch.duration_ms = DURATION_MS / 2 + 1000 * (int64_t) schedule_draw (schedule, 30);
        break;
    default:
        snprintf (patch.need, sizeof patch.need, "n%zu", which + 1);
        patch.cpus = 1;
    }
    return patch;
}

static void quarrel_users (void *owner, schedule_t *schedule)
{
    static const size_t both [2] = {0, 1};
    static const char *const ids [2] = {"one", "other"};
    quarrel_t *self = owner;
    sim_wish_t wish;
    self->schedule = schedule;
    sim_client_t *client = &schedule->clients [0];
    scene_wish (schedule, both, DURATION_MS,
                schedule->map.count > 0 && schedule_draw (schedule, 2) == 0 ? 100 : 0, &wish);
    self->first = scene_reserve (schedule, "r", &wish);
    scene_action (client, self->first, 1, false);
    for (size_t i = 0; i < 2; i++) {
        bool releases =
          self->pair == PAIR_RELEASE_RELEASE || (self->pair == PAIR_MODIFY_RELEASE && i == 1);
        sim_patch_t patch = draw_patch (schedule, i);
        self->commands [i] =
          scene_change (schedule, ids [i], self->first,
                        releases ? OPERATION_RELEASE : OPERATION_MODIFY, releases ? NULL : &patch);
        self->commands [i]->shifts = patch.start_ms != 0;
        scene_action (client, self->commands [i], 20 + (int64_t) schedule_draw (schedule, 8),
                      i == 1);
    }
    schedule_client (schedule, client, "client/1");
}

static void see_hold (quarrel_t *self, const sim_message_t *message)
{
    sim_asked_t asked;
    if (!sim_wire_hold_read (message, &asked) || self->txids_count == TXIDS_MAX ||
        strcmp (asked.command.reservation, self->first->answer.reservation) != 0)
        return;
    self->txids [self->txids_count++] = asked.command.txid;
}

static void see_refusal (quarrel_t *self, const sim_message_t *message)
{
    txid_t txid;
    txid_t blocker;
    int64_t frees_ms;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    bytes_t body = sim_message_body (message);
    if (!sim_wire_command_answer (body, &txid, &state, &ttl_ms, &refused) ||
        refused != REFUSAL_BUSY_CHANGE)
        return;
    self->busy++;
    if (!sim_wire_blocker (body, &blocker, &frees_ms)) {
        self->waiting += frees_ms > 0; /* T11: it bars new modifies for this long */
        return;
    }
    if (txid_compare (&txid, &blocker) == 0)
        return;
    for (size_t i = 0; i < self->txids_count; i++)
        if (txid_compare (&self->txids [i], &blocker) == 0) {
            self->named++;
            return;
        }
}

static void quarrel_left (void *owner, const sim_message_t *message)
{
    quarrel_t *self = owner;
    sim_answer_t answer;
    if (!self->schedule || self->first->answer.status != ANSWER_COMMITTED)
        return;
    int64_t now_us = sim_now_us (self->schedule->sim);
    bool hold =
      strcmp (message->service, "Participant") == 0 && strcmp (message->method, "Hold") == 0;
    if (hold && message->kind == MESSAGE_REQUEST)
        see_hold (self, message);
    if (hold && message->kind == MESSAGE_ANSWER && message->status == CALL_OK)
        see_refusal (self, message);
    for (size_t i = 0; i < 2; i++) {
        if (message->kind == MESSAGE_REQUEST && self->asked_us < 0 &&
            strcmp (message->request_id, self->commands [i]->request_id) == 0)
            self->asked_us = now_us;
        if (!self->commands [i]->told [0] && scene_answers (message, self->commands [i], &answer))
            self->answered_us = now_us;
    }
}

static void quarrel_judge (void *owner, schedule_t *schedule)
{
    quarrel_t *self = owner;
    play_t *play = self->play;
    bool committed [2];
    if (!self->first->told [0] || self->first->answer.status != ANSWER_COMMITTED)
        return;
    for (size_t i = 0; i < 2; i++) {
        const sim_request_t *request = self->commands [i];
        if (!request->told [0] && !request->unfit [0])
            return;
        committed [i] = request->told [0] && request->answer.status == ANSWER_COMMITTED;
    }
    size_t count = (size_t) committed [0] + (size_t) committed [1];
    bool is_serial = serial (self, committed);
    play->values [METRIC_BOTH] = count == 2;
    play->values [METRIC_ONE] = count == 1;
    play->values [METRIC_NONE] = count == 0;
    play->values [METRIC_SERIAL] = is_serial;
    play->values [METRIC_BUSY] = (double) self->busy;
    play->values [METRIC_WAITING] = (double) self->waiting;
    if (self->busy > self->waiting)
        play->values [METRIC_NAMED] = (double) self->named / (double) (self->busy - self->waiting);
    if (!self->faults && self->answered_us >= 0)
        play->values [METRIC_MS] = (double) (self->answered_us - self->asked_us) / 1000;
    if (!is_serial)
        sim_fail (schedule->sim, "%zu of two commands committed: the end state is none of theirs",
                  count);
}

static void quarrel_shape (void *owner, schedule_t *schedule)
{
    (void) owner;
    schedule->edgy = false;
    schedule->nodes_least = 2;
}

static void play_quarrel (size_t arm, uint64_t seed, play_t *play)
{
    quarrel_t self = {
      .pair = arm % PAIRS, .faults = arm >= PAIRS, .play = play, .asked_us = -1, .answered_us = -1};
    sim_scene_t scene = {.owner = &self,
                         .shape = quarrel_shape,
                         .users = quarrel_users,
                         .left = quarrel_left,
                         .judge = quarrel_judge,
                         .faults = self.faults ? NULL : scene_calm};
    (void) scene_run (seed, &(sim_options_t){.sites = 2, .planners = 2, .gis = 1, .clients = 1},
                      &scene, play);
}

static size_t arms (bool small)
{
    (void) small;
    return 2 * PAIRS;
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s, %s", pairs [arm % PAIRS],
              arm < PAIRS ? "no faults" : "faults");
}

static void judge (experiment_run_t *run)
{
    experiment_setting (run, "federation", "2 sites, 2 planners, 1 GIS, 0 to 3 domains");
    experiment_setting (run, "commands", "both begin within 8 ms of each other");
    experiment_criterion_sound (run);
    double plays = 0;
    double serials = 0;
    double busy = 0;
    double unnamed = 0;
    double waiting = 0;
    for (size_t arm = 0; arm < arms (run->small); arm++) {
        estimate_t is_serial = experiment_estimate (run, arm, METRIC_SERIAL);
        estimate_t named = experiment_estimate (run, arm, METRIC_NAMED);
        plays += (double) is_serial.count;
        serials += is_serial.sum;
        busy += experiment_estimate (run, arm, METRIC_BUSY).sum;
        unnamed += (double) named.count - named.sum;
        waiting += experiment_estimate (run, arm, METRIC_WAITING).sum;
    }
    experiment_criterion (run, "serial", plays > 0 && serials == plays,
                          "%.0f of %.0f end states are those of a serial order", serials, plays);
    experiment_criterion (
      run, "busy-names-the-blocker", busy > 0 && unnamed == 0,
      "BUSY was said %.0f times, %.0f of them for a waiting release with the time "
      "it bars; in %.0f plays another one did not name the command in the way",
      busy, waiting, unnamed);
}

static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {METRIC_BOTH, METRIC_ONE, METRIC_NONE};
    plot_bars (run, "E3.3: two commands on one reservation at one moment", shown, 3, to);
}

const experiment_t experiment_quarrel = {
  .name = "E3.3",
  .title = "two actors, two commands on one reservation: the end is one of the serial ones",
  .claim = "S3 3.1: each command has a state of its own, so several actors can act on one "
           "reservation without confusion",
  .metrics = metrics,
  .metrics_count = sizeof metrics / sizeof metrics [0],
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 1000,
  .seeds_small = 30,
  .play = play_quarrel,
  .judge = judge,
  .plot = plot};
