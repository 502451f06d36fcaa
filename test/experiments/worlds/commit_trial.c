/*  commit_trial - builds the federation, strikes, and records what came of it. */
#include "commit_trial.h"
#include "../../gis_everybody.h"
#include "lis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_US    INT64_C (1000000)
#define CALM_US      (SECOND_US / 2)
#define PATIENCE_MS  1000
#define AFTER_US     (300 * SECOND_US) /* faults are over for so long */
#define STORM_US     (12 * SECOND_US)
#define FOR_GOOD_MS  0                    /* on_dies says that it stays dead */
#define ASKS_ONCE_MS INT64_C (8640000000) /* longer than any window lies ahead */

static bool ours (const commit_trial_t *self)
{
    return self->way == WAY_OURS || self->way == WAY_OURS_TAKEN;
}

/*  --- what is seen --- */

static size_t participant_of (const commit_trial_t *self, int process)
{
    for (size_t i = 0; i < TRIAL_PARTICIPANTS; i++)
        if (self->participants [i] == process)
            return i;
    return SIZE_MAX;
}

static trial_txn_t *txn_named (commit_trial_t *self, const char *id)
{
    for (size_t i = 0; i < self->txns_count; i++)
        if (strcmp (self->txns [i].id, id) == 0)
            return &self->txns [i];
    if (self->txns_count == TRIAL_TXNS_MAX)
        return NULL;
    trial_txn_t *txn = &self->txns [self->txns_count++];
    *txn = (trial_txn_t){0};
    sim_text (txn->id, sizeof txn->id, id);
    for (size_t i = 0; i < TRIAL_PARTICIPANTS; i++)
        txn->ended_us [i] = -1;
    return txn;
}

static bool ends_with (const char *text, const char *end)
{
    size_t size = strlen (text);
    size_t end_size = strlen (end);
    return size >= end_size && strcmp (text + size - end_size, end) == 0;
}

static void on_logged (void *owner, int process, const char *line)
{
    commit_trial_t *self = owner;
    if (!ours (self) && strncmp (line, "txn T0 told", 11) == 0 && self->told_us < 0)
        self->told_us = sim_now_us (self->sim);
    trial_move_t *move = &self->moves [self->moves_count];
    if (participant_of (self, process) == SIZE_MAX ||
        sscanf (line, "hold %47s %63s", move->id, move->move) != 2 || !strstr (move->move, "->"))
        return;
    assert (self->moves_count + 1 < TRIAL_MOVES_MAX);
    move->process = process;
    self->moves_count++;
}

static void take_move (commit_trial_t *self, const trial_move_t *move)
{
    size_t p = participant_of (self, move->process);
    int64_t now_us = sim_now_us (self->sim);
    trial_txn_t *txn = txn_named (self, move->id);
    if (!txn)
        return;
    if (ends_with (move->move, "->prepared")) {
        txn->prepared [p] = true;
        txn->prepared_us [p] = now_us;
    } else if (!ends_with (move->move, "->precommitted") && !ends_with (move->move, "->held")) {
        if (txn->ended_us [p] < 0) /* at its edge it gave back, for good */
            txn->ended_us [p] = now_us;
        txn->committed [p] = txn->committed [p] || ends_with (move->move, "->committed");
        txn->aborted [p] = txn->aborted [p] || ends_with (move->move, "->aborted");
    }
}

/*  What this process told is now durable, or forgotten because it died. */
static void settle_moves (commit_trial_t *self, int process, bool durable)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->moves_count; i++) {
        trial_move_t move = self->moves [i];
        if (move.process != process)
            self->moves [kept++] = move;
        else if (durable)
            take_move (self, &move);
    }
    self->moves_count = kept;
}

/*  Which round of the protocol the coordinator's message belongs to; 3 = none. */
static size_t round_of (const commit_trial_t *self, const sim_message_t *message)
{
    rival_message_t rival;
    if (message->from != self->coordinator || message->kind != MESSAGE_REQUEST)
        return 3;
    if (ours (self)) {
        if (strcmp (message->service, "Participant") != 0)
            return 3;
        return strcmp (message->method, "Hold") == 0     ? 0
               : strcmp (message->method, "Commit") == 0 ? 2
                                                         : 3;
    }
    if (!rival_read (message, &rival))
        return 3;
    return rival.kind == RIVAL_PREPARE     ? 0
           : rival.kind == RIVAL_PRECOMMIT ? 1
           : rival.kind == RIVAL_OUTCOME   ? 2
                                           : 3;
}

/*  How many messages a round has: in ours the request's home takes part, too. */
static size_t round_size (const commit_trial_t *self)
{
    return TRIAL_PARTICIPANTS + (ours (self) ? 1 : 0);
}

static void split (commit_trial_t *self)
{
    bool side [SIM_PROCESSES_MAX] = {false};
    size_t count = sim_processes (self->sim);
    for (size_t i = 0; i < count; i++)
        side [i] = prng_below (&self->prng, 2) == 0;
    side [self->coordinator] = true;
    size_t other = prng_below (&self->prng, TRIAL_PARTICIPANTS);
    side [self->participants [other]] = false;
    int64_t from_us = sim_now_us (self->sim); /* the message that leaves now meets the cut */
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < a; b++)
            if (side [a] != side [b])
                sim_net_cut (sim_net (self->sim), (int) a, (int) b, false, from_us,
                             from_us + 1000 * (int64_t) TRIAL_CUT_MS);
}

static void on_left (void *owner, const sim_message_t *message)
{
    commit_trial_t *self = owner;
    int64_t now_us = sim_now_us (self->sim);
    size_t round = round_of (self, message);
    if (round == 0 && self->begun_us < 0)
        self->begun_us = now_us;
    bool counts =
      strcmp (message->service, "Participant") == 0 || strcmp (message->service, "Rival") == 0;
    if (counts && self->begun_us >= 0 && self->told_us < 0 && message->size > 0)
        self->messages++; /* an answer without a body comes from the transport */
    if (ours (self) && message->kind == MESSAGE_ANSWER && message->from == self->coordinator &&
        strcmp (message->service, "Planner") == 0 && self->told_us < 0)
        self->told_us = now_us;
    if (round == 3 || self->struck_us >= 0)
        return;
    self->sent [round]++;
    if (self->kill) {
        static const size_t rounds [DEATH_POINTS] = {0, 0, 1, 1, 2};
        bool all = self->point == POINT_PREPARE_ALL || self->point == POINT_PRECOMMIT_ALL;
        if (rounds [self->point] == round && self->sent [round] == (all ? round_size (self) : 1)) {
            self->struck_us = now_us;
            sim_strike (self->sim, self->coordinator, FOR_GOOD_MS);
        }
    }
    if (self->cut && self->sent [0] + self->sent [1] + self->sent [2] == self->cut_at) {
        self->struck_us = now_us;
        split (self);
    }
}

static void on_flushed (void *owner, int process)
{
    commit_trial_t *self = owner;
    settle_moves (self, process, true);
    if (self->begun_us >= 0 && self->told_us < 0)
        self->flushes++;
}

/*  --- ours --- */

static void make_gis (void *owner, core_t *core)
{
    gis_core (owner, core);
}

static void make_lis (void *owner, core_t *core)
{
    lis_core (owner, core);
}

static void make_planner (void *owner, core_t *core)
{
    planner_core (owner, core);
}

static void take_over (void *owner, uint64_t token)
{
    commit_trial_t *self = owner;
    (void) token;
    (void) sim_add (
      self->sim,
      &(sim_program_t){.name = "finisher/1", .make = make_planner, .owner = &self->finisher},
      &(sim_clock_t){0}, self->coordinator, sim_now_us (self->sim));
}

static bool on_dies (void *owner, int process)
{
    commit_trial_t *self = owner;
    settle_moves (self, process, false);
    if (!self->kill || process != self->coordinator)
        return false;
    if (self->way == WAY_OURS_TAKEN)
        sim_at (self->sim, sim_now_us (self->sim) + 1000 * (int64_t) TRIAL_TAKEN_MS, take_over,
                self, 0);
    return true;
}

static int add (commit_trial_t *self, const char *name, void (*make) (void *, core_t *),
                void *owner)
{
    return sim_add (self->sim, &(sim_program_t){.name = name, .make = make, .owner = owner},
                    &(sim_clock_t){0}, SIM_NOBODY, sim_now_us (self->sim));
}

static void build_ours (commit_trial_t *self)
{
    static const char *const names [TRIAL_PARTICIPANTS] = {"lis/s1", "lis/s2", "lis/s3"};
    static const char *const everybody [] = {"*"};
    static const access_t access = {.accounts = everybody, .accounts_count = 1};
    self->home = "gis/g1";
    self->gis_endpoint = "sim://gis/g1/1";
    self->gis = gis_for_everybody ();
    self->gis.name = self->home;
    self->gis.homes = &self->home;
    self->gis.homes_count = 1;
    self->gis.limits = SETTINGS_PRESET (participant_limits_t, &participant_table);
    self->gis.access = access;
    (void) add (self, self->home, make_gis, &self->gis);
    self->class = (node_class_t){.name = "thin", .nodes = 1, .cpus_per_node = 1, .price = 1000};
    for (size_t i = 0; i < TRIAL_PARTICIPANTS; i++) {
        self->lis [i] = (lis_settings_t){
          .provider.name = names [i],
          .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
          .site = {.classes = &self->class,
                   .classes_count = 1,
                   .disclosure = DISCLOSE_PROFILE,
                   .horizon_ms = 30 * INT64_C (86400000)},
          .provider.access = access,
          .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
          .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
          .provider.gis_endpoints = &self->gis_endpoint,
          .provider.gis_count = 1};
        self->lis [i].provider.limits.bookings.bookings_max = 64;
        self->participants [i] = add (self, names [i], make_lis, &self->lis [i]);
    }
    self->planner = SETTINGS_PRESET (planner_settings_t, &planner_table);
    self->planner.restore_guard_wait_ms = 0;
    self->planner.gis_endpoints = &self->gis_endpoint;
    self->planner.gis_count = 1;
    self->planner.finish_interval_ms = 0;
    self->finisher = self->planner;
    self->finisher.finishing = true;
    self->coordinator = add (self, "planner/1", make_planner, &self->planner);
    sim_run (self->sim, CALM_US);
}

static void ask_ours (commit_trial_t *self)
{
    sim_request_t *request = sim_book_add (&self->book);
    sim_text (request->actor, sizeof request->actor, "alice");
    sim_text (request->request_id, sizeof request->request_id, "r@g1");
    sim_wish_t *wish = &request->wish [0];
    *wish = (sim_wish_t){.earliest_ms = self->ahead_ms,
                         .latest_ms = self->ahead_ms,
                         .fixed = true,
                         .duration_ms = TRIAL_WINDOW_MS,
                         .distinct_sites = true,
                         .needs_count = TRIAL_PARTICIPANTS};
    for (size_t i = 0; i < TRIAL_PARTICIPANTS; i++) {
        snprintf (wish->needs [i].id, sizeof wish->needs [i].id, "n%zu", i + 1);
        wish->needs [i].cpus = 1;
    }
    request->wish [1] = *wish;
    sim_client_t *client = &self->client;
    client->sim = self->sim;
    client->book = &self->book;
    client->planners [client->planners_count++] = self->coordinator;
    client->actions [client->actions_count++] =
      (sim_action_t){.request = request, .think_ms = 1, .patience_ms = ASKS_ONCE_MS};
    prng_seed (&client->prng, self->seed);
    (void) add (self, "client/1", sim_client_make, client);
}

/*  --- rivals --- */

static void build_rivals (commit_trial_t *self)
{
    rival_federation_t *rivals = &self->rivals;
    rivals->sim = self->sim;
    rivals->protocol = self->way == WAY_PLAIN   ? RIVAL_PLAIN
                       : self->way == WAY_THREE ? RIVAL_THREE
                                                : RIVAL_PAXOS;
    rivals->participants = TRIAL_PARTICIPANTS;
    rivals->acceptors = self->way == WAY_PAXOS_1 ? 3 : self->way == WAY_PAXOS_2 ? 5 : 0;
    rivals->patience_ms = PATIENCE_MS;
    int64_t from_ms = SIM_EPOCH_MS + CALM_US / 1000 + self->ahead_ms;
    size_t count = self->storm ? 3 : 1;
    for (size_t i = 0; i < count; i++) /* the first two transactions want the same */
        rivals->plans [rivals->plans_count++] =
          (rival_plan_t){.begin_ms = CALM_US / 1000 + (i == 2 ? 4000 : 3 * (int64_t) i),
                         .from_ms = from_ms + (i == 2 ? 2 : 0) * TRIAL_WINDOW_MS,
                         .until_ms = from_ms + (i == 2 ? 3 : 1) * TRIAL_WINDOW_MS};
    rival_build (rivals);
    self->coordinator = 0;
    for (size_t i = 0; i < TRIAL_PARTICIPANTS; i++)
        self->participants [i] = (int) i + 1;
}

/*  Three-phase commit is not made for lost messages: it takes silence for death. */
static void storm (commit_trial_t *self)
{
    bool lossy = self->way != WAY_THREE;
    sim_fault (self->sim, &(sim_faults_t){.crash = 40, .crashes_max = 6, .pause_ms_max = 3000},
               &(sim_net_faults_t){.loss = lossy ? 60 : 0,
                                   .doubling = 50,
                                   .reordering = lossy ? 100 : 0,
                                   .delay = lossy ? 30 : 0,
                                   .delay_ms_max = 3000});
    sim_run (self->sim, STORM_US);
    sim_heal (self->sim);
}

/*  --- the run --- */

bool commit_trial_in_doubt (const commit_trial_t *self)
{
    for (size_t t = 0; t < self->txns_count; t++)
        for (size_t p = 0; p < TRIAL_PARTICIPANTS; p++)
            if (self->txns [t].prepared [p] && self->txns [t].ended_us [p] < 0)
                return true;
    return false;
}

/*  Runs until no participant is in doubt for a while, or the window is over. */
static void run_out (commit_trial_t *self)
{
    int64_t end_us = CALM_US + 1000 * (self->ahead_ms + TRIAL_WINDOW_MS) + AFTER_US;
    int64_t calm_us = sim_now_us (self->sim) + AFTER_US;
    while (sim_now_us (self->sim) < end_us && !sim_failed (self->sim) &&
           (commit_trial_in_doubt (self) || sim_now_us (self->sim) < calm_us))
        sim_run (self->sim, sim_now_us (self->sim) + 10 * SECOND_US);
}

void commit_trial_run (commit_trial_t *self)
{
    assert (!(self->storm && ours (self)));
    prng_seed (&self->prng, self->seed);
    self->struck_us = self->begun_us = self->told_us = -1;
    self->sim = sim_new (self->seed, &self->tally, NULL);
    if (self->paced)
        sim_pace (self->sim, self->flight_us, self->flush_us);
    sim_observe (self->sim, &(sim_observer_t){.owner = self,
                                              .left = on_left,
                                              .flushed = on_flushed,
                                              .logged = on_logged,
                                              .dies = on_dies});
    sim_fault (self->sim, &(sim_faults_t){0}, &(sim_net_faults_t){.keep = 500});
    self->cut_at = 1 + prng_below (&self->prng, 2 * round_size (self) +
                                                  (self->way == WAY_THREE ? round_size (self) : 0));
    if (ours (self)) {
        build_ours (self);
        ask_ours (self);
    } else {
        build_rivals (self);
    }
    if (self->storm)
        storm (self);
    run_out (self);
}

void commit_trial_clear (commit_trial_t *self)
{
    sim_destroy (&self->sim);
    rival_clear (&self->rivals);
    sim_book_clear (&self->book);
}

bool commit_trial_mixed (const commit_trial_t *self)
{
    for (size_t t = 0; t < self->txns_count; t++) {
        bool committed = false;
        bool aborted = false;
        for (size_t p = 0; p < TRIAL_PARTICIPANTS; p++) {
            committed = committed || self->txns [t].committed [p];
            aborted = aborted || self->txns [t].aborted [p];
        }
        if (committed && aborted)
            return true;
    }
    return false;
}

int64_t commit_trial_doubt_us (const commit_trial_t *self, size_t participant, int64_t *window_us)
{
    int64_t from_us = CALM_US + 1000 * self->ahead_ms;
    int64_t until_us = from_us + 1000 * TRIAL_WINDOW_MS;
    int64_t doubt_us = 0;
    *window_us = 0;
    for (size_t t = 0; t < self->txns_count; t++) {
        const trial_txn_t *txn = &self->txns [t];
        if (!txn->prepared [participant] || self->struck_us < 0)
            continue;
        int64_t begin_us = txn->prepared_us [participant] > self->struck_us
                             ? txn->prepared_us [participant]
                             : self->struck_us;
        int64_t end_us =
          txn->ended_us [participant] < 0 ? sim_now_us (self->sim) : txn->ended_us [participant];
        if (end_us > begin_us)
            doubt_us += end_us - begin_us;
        int64_t first_us = begin_us > from_us ? begin_us : from_us;
        int64_t last_us = end_us < until_us ? end_us : until_us;
        if (last_us > first_us)
            *window_us += last_us - first_us;
    }
    return doubt_us;
}
