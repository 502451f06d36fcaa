/*  experiment_steal - E3.1: a change over sites A and B that B refuses leaves A the old window, and
 *  nobody could take it meanwhile (S3 §2.1, §2.3).
 *
 *  A reservation fills A and B over a window; its user moves it. As soon as B has said that the new
 *  window is free, a rival takes B there (one node, or rivals take every link at A's site). The
 *  planner's first hold at B is delayed behind the rival's, so B refuses after A was asked, and
 *  mostly after A has voted. All the while a thief asks A every millisecond for one node in the
 *  part of the old window that the new window does not cover. The plain way of S3 §2.1 is an arm,
 *  too: each resource is a reservation of its own; A is moved and committed, B refuses, and A is
 *  moved back, if that is still possible.
 */
#include "plot.h"
#include "scene.h"
#include "sim_thief.h"

#include <stdio.h>
#include <string.h>

#define DURATION_MS 10000
#define SHIFT_MS    20000 /* the new window is another one, */
#define OVERLAP_MS  4000  /* or begins within the old one */
#define GAP_MS      1000  /* more than any cleaning gap */
#define TTL_MS      1500
#define RIVALS      4
#define THIEF_MS    12000 /* how long a thief tries at most; a user may wait longer */

enum { ARM_PLAIN, ARM_SITE, ARM_DOMAIN, ARM_SITE_FAULTS, ARM_DOMAIN_FAULTS, ARMS };

static const char *const arm_names [ARMS] = {
  "one after another, no faults", "two-phase, B a site, no faults",
  "two-phase, B a domain, no faults", "two-phase, B a site, faults",
  "two-phase, B a domain, faults"};

static const char *const rival_names [RIVALS] = {"rival/1", "rival/2", "rival/3", "rival/4"};

enum { METRIC_REFUSED, METRIC_AFTER_VOTE, METRIC_LOST, METRIC_TRIES, METRIC_STOLEN };

static const metric_t metrics [] = {
  {"refused", "share of the changes that B refused"},
  {"refused_after_vote", "of those, share in which A had voted for the change"},
  {"old_window_lost", "of those, share in which A was not in the old window afterwards"},
  {"tries", "of those, how often the thief asked for the old window"},
  {"stolen", "of those, how often it got it"}};

/*  A rival that takes B. When B is a domain each rival takes another link. */
typedef struct {
    struct steal *steal;
    size_t which;
    sim_thief_t thief;
} steal_rival_t;

typedef struct steal {
    size_t arm;
    schedule_t *schedule;
    sim_request_t *first;  /* over A and B, or A alone */
    sim_request_t *second; /* B alone */
    sim_request_t *change;
    sim_request_t *change_second;
    sim_action_t *back;
    sim_thief_t thief;
    steal_rival_t rivals [RIVALS];
    int64_t shift_ms;
    int64_t asked_us; /* -1 = not yet */
    bool free_told;   /* B has said what is free since */
    bool voted;
    bool overtaken; /* sequence of the planner's hold at B */
} steal_t;

static bool plain (const steal_t *self)
{
    return self->arm == ARM_PLAIN;
}

static bool over_domain (const steal_t *self)
{
    return self->arm == ARM_DOMAIN || self->arm == ARM_DOMAIN_FAULTS;
}

static bool faulty (const steal_t *self)
{
    return self->arm == ARM_SITE_FAULTS || self->arm == ARM_DOMAIN_FAULTS;
}

static bool has (const sim_request_t *request)
{
    return request->told [0] && request->answer.status == ANSWER_COMMITTED;
}

/*  One node of a site. */
static void node_of (const steal_t *self, size_t site, sim_prey_t *prey)
{
    const node_class_t *class = &self->schedule->lis [site].site.classes [0];
    prey->process = self->schedule->lis_processes [site];
    prey->party = (sim_party_t){.unit = class->cpus_per_node};
    sim_text (prey->party.resource, sizeof prey->party.resource, class->name);
}

/*  What the thief asks A for: the part of the old window that the new one lacks, from the moment
 *  the change is asked for until the user has his last answer. */
static bool thief_prey (void *owner, sim_prey_t *prey)
{
    const steal_t *self = owner;
    const sim_request_t *last = plain (self) ? self->back->request : self->change;
    int64_t now_us = sim_now_us (self->schedule->sim);
    if (self->asked_us < 0 || last->told [0] || now_us > self->asked_us + 1000 * THIEF_MS)
        return false;
    node_of (self, 0, prey);
    prey->from_ms = self->first->answer.start_ms;
    prey->until_ms = prey->from_ms + (self->shift_ms < DURATION_MS ? self->shift_ms : DURATION_MS);
    return true;
}

/*  The domain of the path that the user was told. */
static size_t domain_of (const steal_t *self)
{
    const sim_answer_t *answer = &self->first->answer;
    if (answer->connections_count == 0 || answer->connections [0].links_count == 0)
        return SIZE_MAX;
    char domain [SIM_POINT_BYTES] = "";
    const char *name = answer->connections [0].links [0];
    const char *slash = strchr (name, '/');
    if (!slash || (size_t) (slash - name) >= sizeof domain)
        return SIZE_MAX;
    memcpy (domain, name, (size_t) (slash - name));
    return sim_map_domain (&self->schedule->map, domain);
}

/*  All that a link at A carries, chosen by index. */
static bool link_of (const steal_t *self, size_t which, sim_prey_t *prey)
{
    size_t at = domain_of (self);
    if (at == SIZE_MAX)
        return false;
    const domain_t *domain = &self->schedule->map.domains [at];
    const char *site = self->schedule->lis [0].provider.name + strlen ("lis/");
    for (size_t i = 0; i < domain->links_count; i++) {
        const link_t *link = &domain->links [i];
        if (strcmp (link->ends [0], site) != 0 && strcmp (link->ends [1], site) != 0)
            continue;
        if (which-- > 0)
            continue;
        prey->process = self->schedule->nis_processes [at];
        prey->party = (sim_party_t){.network = true, .unit = link->mbps};
        sim_text (prey->party.resource, sizeof prey->party.resource, link->name);
        return true;
    }
    return false;
}

/*  What the new window needs at B more than the old one does. */
static bool rival_prey (void *owner, sim_prey_t *prey)
{
    const steal_rival_t *rival = owner;
    const steal_t *self = rival->steal;
    const sim_request_t *last = plain (self) ? self->change_second : self->change;
    bool begun = plain (self) ? has (self->second) : self->free_told;
    if (!begun || last->told [0])
        return false;
    if (over_domain (self) && !link_of (self, rival->which, prey))
        return false;
    if (!over_domain (self))
        node_of (self, 1, prey);
    int64_t start_ms = self->first->answer.start_ms;
    int64_t end_ms = start_ms + DURATION_MS;
    prey->from_ms = start_ms + self->shift_ms;
    if (prey->from_ms < end_ms + GAP_MS)
        prey->from_ms = end_ms + GAP_MS;
    prey->until_ms = end_ms + self->shift_ms;
    return true;
}

static void add_users (steal_t *self, schedule_t *schedule)
{
    static const size_t both [2] = {0, 1};
    sim_wish_t wish;
    sim_patch_t patch = {.start_ms = self->shift_ms};
    sim_client_t *client = &schedule->clients [0];
    scene_wish (schedule, both, DURATION_MS, over_domain (self) ? 100 : 0, &wish);
    if (over_domain (self)) { /* by another path the change could be made */
        wish.fixed_route = true;
        wish.needs [0].cpus = wish.needs [1].cpus = 1;
        wish.needs [0].cpus = schedule->lis [0].site.classes [0].nodes *
                              schedule->lis [0].site.classes [0].cpus_per_node;
    }
    if (!plain (self)) {
        self->first = scene_reserve (schedule, "r", &wish);
        scene_action (client, self->first, 1, false);
        self->change = scene_change (schedule, "m", self->first, OPERATION_MODIFY, &patch);
        self->change->shifts = true;
        scene_action (client, self->change, 20, false);
        schedule_client (schedule, client, "client/1");
        return;
    }
    sim_wish_t alone = wish;
    alone.needs_count = 1;
    self->first = scene_reserve (schedule, "a", &alone);
    alone.needs [0] = wish.needs [1];
    self->second = scene_reserve (schedule, "b", &alone);
    scene_action (client, self->first, 1, false);
    scene_action (client, self->second, 1, false);
    self->change = scene_change (schedule, "ma", self->first, OPERATION_MODIFY, &patch);
    self->change_second = scene_change (schedule, "mb", self->second, OPERATION_MODIFY, &patch);
    patch.start_ms = 0;
    sim_request_t *back = scene_change (schedule, "back", self->first, OPERATION_MODIFY, &patch);
    self->change->shifts = self->change_second->shifts = back->shifts = true;
    scene_action (client, self->change, 20, false);
    scene_action (client, self->change_second, 1, false);
    self->back = scene_action (client, back, 1, false);
    schedule_client (schedule, client, "client/1");
}

static void steal_users (void *owner, schedule_t *schedule)
{
    steal_t *self = owner;
    self->schedule = schedule;
    self->shift_ms = schedule_draw (schedule, 2) == 0 ? SHIFT_MS : OVERLAP_MS;
    add_users (self, schedule);
    self->thief =
      (sim_thief_t){.sim = schedule->sim, .prey = thief_prey, .owner = self, .ttl_ms = TTL_MS};
    (void) schedule_add (schedule, "thief/1", sim_thief_make, &self->thief, true, SIM_NOBODY);
    for (size_t i = 0; i < (over_domain (self) ? RIVALS : 1); i++) {
        steal_rival_t *rival = &self->rivals [i];
        *rival = (steal_rival_t){
          .steal = self,
          .which = i,
          .thief = {.sim = schedule->sim, .prey = rival_prey, .owner = rival, .ttl_ms = TTL_MS}};
        (void) schedule_add (schedule, rival_names [i], sim_thief_make, &rival->thief, true,
                             SIM_NOBODY);
    }
}

static bool asks (const sim_message_t *message, const sim_request_t *request)
{
    return message->kind == MESSAGE_REQUEST && strcmp (message->service, "Planner") == 0 &&
           strcmp (message->request_id, request->request_id) == 0;
}

/*  True when A has voted for the change: it prepares nothing else. */
static bool is_vote (const steal_t *self, const sim_message_t *message)
{
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    return message->kind == MESSAGE_ANSWER && message->status == CALL_OK &&
           message->from == self->schedule->lis_processes [0] &&
           strcmp (message->method, "Hold") == 0 &&
           sim_wire_command_answer (sim_message_body (message), &txid, &state, &ttl_ms, &refused) &&
           refused == REFUSAL_NONE && state == COMMAND_PREPARED;
}

/*  Delays the planner's first hold at B. */
static void overtake (steal_t *self, const sim_message_t *message, int at_b)
{
    if (plain (self) || self->overtaken || !self->free_told || message->to != at_b ||
        message->kind != MESSAGE_REQUEST || strcmp (message->method, "Hold") != 0 ||
        strncmp (sim_name (self->schedule->sim, message->from), "planner/", 8) != 0)
        return;
    self->overtaken = true;
    sim_net_doom (sim_net (self->schedule->sim), FAULT_REORDERED);
}

static void steal_left (void *owner, const sim_message_t *message)
{
    steal_t *self = owner;
    if (!self->schedule)
        return;
    sim_answer_t answer;
    if (self->asked_us < 0) {
        if (asks (message, self->change))
            self->asked_us = sim_now_us (self->schedule->sim);
        return;
    }
    bool free_told = message->kind == MESSAGE_ANSWER && (strcmp (message->method, "Profile") == 0 ||
                                                         strcmp (message->method, "Windows") == 0);
    sim_prey_t prey = {.process = self->schedule->lis_processes [1]};
    if (over_domain (self))
        (void) link_of (self, 0, &prey);
    if (free_told && message->from == prey.process)
        self->free_told = true;
    if (!self->change->told [0] && is_vote (self, message))
        self->voted = true;
    overtake (self, message, prey.process);
    /* B was moved after all, so nobody wants A back */
    if (plain (self) && scene_answers (message, self->change_second, &answer) &&
        answer.status == ANSWER_COMMITTED)
        self->back->ended = true;
}

/*  The window that A has for the reservation. */
static bool window_at_a (steal_t *self, int64_t *from_ms)
{
    const sim_command_t *command = scene_current (
      self->schedule, sim_name (self->schedule->sim, self->schedule->lis_processes [0]),
      self->first->answer.reservation);
    if (!command || command->bookings_count != 1)
        return false;
    *from_ms = command->bookings [0].from_ms;
    return true;
}

typedef struct {
    steal_t steal;
    play_t *play;
} steal_scene_t;

static void steal_judge (void *owner, schedule_t *schedule)
{
    steal_t *self = owner;
    play_t *play = ((steal_scene_t *) owner)->play;
    const sim_request_t *at_b = plain (self) ? self->change_second : self->change;
    if (!has (self->first) || (plain (self) && !has (self->second)) || !at_b->told [0])
        return; /* nothing could be reserved, or the request itself was refused */
    bool refused = at_b->answer.status == ANSWER_REFUSED;
    play->values [METRIC_REFUSED] = refused;
    if (!refused)
        return;
    int64_t from_ms;
    bool old = window_at_a (self, &from_ms) && from_ms == self->first->answer.start_ms;
    if (!plain (self))
        play->values [METRIC_AFTER_VOTE] = self->voted;
    play->values [METRIC_LOST] = !old;
    play->values [METRIC_TRIES] = (double) self->thief.attempts;
    play->values [METRIC_STOLEN] = (double) self->thief.grants;
    if (!plain (self) && (!old || self->thief.grants > 0))
        sim_fail (schedule->sim,
                  "the change was refused: A is %s its old window, stolen %llu times",
                  old ? "in" : "not in", (unsigned long long) self->thief.grants);
}

static void steal_shape (void *owner, schedule_t *schedule)
{
    (void) owner;
    schedule->edgy = false; /* edges are tested by E3.6 */
    schedule->doubt_ms = 300;
}

static void play_steal (size_t arm, uint64_t seed, play_t *play)
{
    steal_scene_t self = {.steal = {.arm = arm, .asked_us = -1}, .play = play};
    sim_scene_t scene = {.owner = &self,
                         .shape = steal_shape,
                         .users = steal_users,
                         .left = steal_left,
                         .judge = steal_judge,
                         .faults = faulty (&self.steal) ? NULL : scene_calm};
    bool domain = over_domain (&self.steal);
    (void) scene_run (
      seed,
      &(sim_options_t){
        .sites = 2, .planners = 2, .gis = 1, .clients = 1, .domains = 1, .no_domains = !domain},
      &scene, play);
}

static void judge (experiment_run_t *run)
{
    experiment_setting (run, "window", "%d s, moved by %d s or %d s", DURATION_MS / 1000,
                        SHIFT_MS / 1000, OVERLAP_MS / 1000);
    experiment_setting (run, "thief", "asks A for a node of the old window 1 ms after each answer");
    experiment_setting (run, "rival", "takes B in the new window once B has told that it is free");
    experiment_setting (run, "federation", "2 sites, 2 planners, 1 GIS; 0 or 1 domain");
    experiment_criterion_sound (run);
    double refusals = 0;
    double votes = 0;
    double lost = 0;
    double stolen = 0;
    bool met = true;
    for (size_t arm = ARM_SITE; arm < ARMS; arm++) {
        estimate_t refused = experiment_estimate (run, arm, METRIC_REFUSED);
        estimate_t after = experiment_estimate (run, arm, METRIC_AFTER_VOTE);
        met = met && refused.sum > 0 && after.sum > 0;
        refusals += refused.sum;
        votes += after.sum;
        lost += experiment_estimate (run, arm, METRIC_LOST).sum;
        stolen += experiment_estimate (run, arm, METRIC_STOLEN).sum;
    }
    estimate_t plain_lost = experiment_estimate (run, ARM_PLAIN, METRIC_LOST);
    experiment_criterion (run, "met", met,
                          "B refused %.0f changes, %.0f of them after A had voted, some in each "
                          "two-phase arm",
                          refusals, votes);
    experiment_criterion (run, "old-window-kept", lost == 0 && refusals > 0,
                          "after %.0f of %.0f refused changes A was not in its old window", lost,
                          refusals);
    experiment_criterion (run, "nothing-stolen", stolen == 0 && refusals > 0,
                          "the thief got the old window %.0f times", stolen);
    experiment_criterion (
      run, "plain-way-loses", plain_lost.sum > 0,
      "one after another, the old window was lost in %.0f of %zu refused changes", plain_lost.sum,
      plain_lost.count);
}

static size_t arms (bool small)
{
    (void) small;
    return ARMS;
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    sim_text (name, ARM_NAME_BYTES, arm_names [arm]);
}

static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {METRIC_LOST, METRIC_AFTER_VOTE};
    plot_bars (run, "E3.1: a refused change of window: is the old one lost?", shown, 2, to);
}

const experiment_t experiment_steal = {
  .name = "E3.1",
  .title = "a change over A and B that B refuses leaves A its old window",
  .claim = "S3 2.1-2.3: one after another, the old window may be lost; with two-phase commit it is "
           "kept until all have agreed",
  .metrics = metrics,
  .metrics_count = sizeof metrics / sizeof metrics [0],
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 1000,
  .seeds_small = 30,
  .play = play_steal,
  .judge = judge,
  .plot = plot};
