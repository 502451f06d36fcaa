/*  live_replay - the same users as in planning_world, as real clients. */
#include "live_replay.h"

#include "client.h"
#include "live_federation.h"
#include "live_wire.h"
#include "must.h"
#include "planning_wire.h"
#include "sim_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PLANNER     "planner/6c697665206d6561737572656d656e74" /* store id in its txids */
#define STORE       "live measurement"
#define ROUNDS      15 /* rounds of measuring, at each site */
#define PATIENCE_MS 60000
#define AGAIN_MS    20
#define HOUR_MS     INT64_C (3600000)
#define SAMPLES_MAX (ROUNDS * GRID_SITES)

typedef struct {
    const planning_order_t *order;
    live_result_t *result;
    char *why;
    grid_t grid;
    scenario_request_t *requests;
    size_t requests_count;
    live_federation_t *federation;
    client_t *client;
    int64_t zero_ms; /* wall time at which the scenario's time begins */
} live_replay_live_t;

static int64_t clock_us (clockid_t clock)
{
    struct timespec now;
    clock_gettime (clock, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/*  --- measuring --- */

typedef struct {
    int64_t us [SAMPLES_MAX];
    size_t count;
} samples_t;

static int compare_us (const void *a, const void *b)
{
    int64_t first = *(const int64_t *) a;
    int64_t second = *(const int64_t *) b;
    return (first > second) - (first < second);
}

static int64_t median (samples_t *samples)
{
    qsort (samples->us, samples->count, sizeof *samples->us, compare_us);
    return samples->us [samples->count / 2];
}

/*  Sends one question, frees its bytes and notes its time. A hold is made and given back in a
 *  planner's name. */
static bool ask (live_replay_live_t *self, const char *endpoint, const char *service,
                 const char *method, packed_t body, samples_t *samples, client_reply_t *reply)
{
    int64_t begun_us = clock_us (CLOCK_MONOTONIC);
    client_ask (
      self->client,
      &(client_request_t){.endpoint = endpoint,
                          .service = service,
                          .method = method,
                          .actor = strcmp (service, "Participant") == 0 ? PLANNER : LIVE_ACTOR,
                          .body = {.data = body.data, .size = body.size},
                          .timeout_ms = PATIENCE_MS},
      reply);
    if (samples)
        samples->us [samples->count++] = clock_us (CLOCK_MONOTONIC) - begun_us;
    free (body.data);
    if (reply->status != CALL_OK)
        snprintf (self->why, LONG_WHY_BYTES, "%s.%s: status %d %.300s", service, method,
                  (int) reply->status, reply->reason);
    return reply->status == CALL_OK;
}

/*  A node for an hour, held and given back. */
static bool try_hold (live_replay_live_t *self, const char *site, const char *endpoint,
                      const client_reply_t *told, samples_t samples [TIMED], uint64_t number)
{
    sim_hold_t hold = {.txid = {.store = STORE, .start = 1, .counter = number},
                       .coordinator = PLANNER,
                       .coordinator_address = "tcp://127.0.0.1:9",
                       .parties_count = 1,
                       .actor = LIVE_ACTOR,
                       .from_ms = self->zero_ms,
                       .until_ms = self->zero_ms + HOUR_MS,
                       .decide_by_ms = clock_us (CLOCK_REALTIME) / 1000 + PATIENCE_MS,
                       .ttl_ms = PATIENCE_MS};
    sim_party_t *party = &hold.parties [0];
    snprintf (party->name, sizeof party->name, "lis/%.50s", site);
    snprintf (party->address, sizeof party->address, "%.90s", endpoint);
    snprintf (party->resource, sizeof party->resource, "%s", self->grid.sites [0].classes->name);
    memcpy (party->store, told->store, STORE_ID_BYTES);
    party->unit = 1;
    client_reply_t reply;
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    if (!ask (self, endpoint, "Participant", "Hold", sim_wire_hold (&hold, 0),
              &samples [TIMED_HOLD], &reply))
        return false;
    if (!sim_wire_command_answer (reply.body, &txid, &state, &ttl_ms, &refused) ||
        state != COMMAND_HELD) {
        snprintf (self->why, LONG_WHY_BYTES, "%s: a hold to measure was refused: %s", party->name,
                  refusal_reason_word (refused));
        return false;
    }
    return ask (self, endpoint, "Participant", "Abort", sim_wire_txid (&hold.txid),
                &samples [TIMED_ABORT], &reply);
}

static bool measure_site (live_replay_live_t *self, size_t site, uint64_t round, const char *domain,
                          samples_t samples [TIMED])
{
    const char *class = self->grid.sites [site].classes->name;
    int64_t from_ms = self->zero_ms;
    int64_t until_ms = from_ms + 12 * HOUR_MS;
    char member [80];
    char endpoint [LIVE_ENDPOINT_BYTES];
    client_reply_t reply;
    snprintf (member, sizeof member, "lis-%.60s", self->grid.names [site]);
    return live_endpoint (self->federation, member, endpoint, self->why) &&
           ask (self, endpoint, "Calendar", "Free",
                live_free_encode (class, HOUR_MS, from_ms, until_ms), &samples [TIMED_FREE],
                &reply) &&
           ask (self, endpoint, "Calendar", "Profile", sim_wire_profile (from_ms, until_ms),
                &samples [TIMED_PROFILE], &reply) &&
           try_hold (self, self->grid.names [site], endpoint, &reply, samples,
                     round * GRID_SITES + site + 1) &&
           ask (
             self, domain, "Calendar", "Windows",
             live_windows_encode (self->grid.network.links [site].name, from_ms, from_ms + HOUR_MS),
             &samples [TIMED_WINDOWS], &reply);
}

static bool measure (live_replay_live_t *self)
{
    static samples_t samples [TIMED];
    char domain [LIVE_ENDPOINT_BYTES];
    memset (samples, 0, sizeof samples);
    if (!live_endpoint (self->federation, "nis-grid", domain, self->why))
        return false;
    for (uint64_t round = 0; round < ROUNDS; round++)
        for (size_t site = 0; site < self->grid.sites_count; site++)
            if (!measure_site (self, site, round, domain, samples))
                return false;
    for (size_t i = 0; i < TIMED; i++)
        self->result->times_us [i] = median (&samples [i]);
    return true;
}

/*  --- users --- */

typedef struct {
    char endpoint [LIVE_ENDPOINT_BYTES];
    uint64_t call; /* under way; 0 = none */
    size_t next;
} live_replay_queue_t;

static size_t request_from (const live_replay_live_t *self, size_t planner, size_t at)
{
    while (at < self->requests_count && self->requests [at].planner != planner)
        at++;
    return at;
}

static uint64_t put (live_replay_live_t *self, const char *endpoint, size_t at)
{
    const scenario_request_t *request = &self->requests [at];
    const planning_order_t *order = self->order;
    planning_ask_t asks = {.request = request,
                           .systems = grid_systems,
                           .algorithm = order->algorithm,
                           .policy = order->policy,
                           .route = planning_route (order->algorithm),
                           .earliest_ms = self->zero_ms + request->earliest_ms};
    char id [NAME_BYTES_MAX + 1];
    snprintf (id, sizeof id, "r%zu@g1", at);
    packed_t body = planning_ask_encode (&asks);
    uint64_t call =
      client_send (self->client, &(client_request_t){.endpoint = endpoint,
                                                     .service = "Planner",
                                                     .method = "Reserve",
                                                     .actor = "user",
                                                     .request_id = id,
                                                     .body = {.data = body.data, .size = body.size},
                                                     .timeout_ms = PATIENCE_MS});
    free (body.data);
    return call;
}

static bool take (live_replay_live_t *self, const client_reply_t *reply)
{
    planning_answer_t answer;
    if (reply->status != CALL_OK || !planning_answer_decode (reply->body, &answer) ||
        !answer.final) {
        snprintf (self->why, LONG_WHY_BYTES, "a request got no final answer: status %d %.300s",
                  (int) reply->status, reply->reason);
        return false;
    }
    if (answer.committed) {
        self->result->planned++;
        self->result->planning_ms += answer.planning_s * 1000;
    }
    return true;
}

/*  A planner's line "ready" says only that it listens. Until the directory has answered it, it
 *  answers that it is overloaded, and the request must be sent again. */
static bool await_planner (live_replay_live_t *self, const char *endpoint)
{
    int64_t until_us = clock_us (CLOCK_MONOTONIC) + PATIENCE_MS * INT64_C (1000);
    client_reply_t reply;
    for (;;) {
        if (ask (self, endpoint, "Planner", "List", (packed_t){0}, NULL, &reply))
            return true;
        if (reply.status != CALL_OVERLOADED || clock_us (CLOCK_MONOTONIC) > until_us)
            return false;
        nanosleep (&(struct timespec){.tv_nsec = AGAIN_MS * 1000000}, NULL);
    }
}

/*  Sends the requests that are due. Returns how long until the next one is due; -1 when no planner
 *  waits for one. */
static int64_t put_due (live_replay_live_t *self, live_replay_queue_t queues [SCENARIO_PLANNERS],
                        int64_t begun_us)
{
    int64_t least_ms = -1;
    for (size_t i = 0; i < SCENARIO_PLANNERS; i++) {
        live_replay_queue_t *queue = &queues [i];
        if (queue->call || queue->next == self->requests_count)
            continue;
        int64_t due_ms = self->requests [queue->next].arrival_ms / self->order->live->haste -
                         (clock_us (CLOCK_MONOTONIC) - begun_us) / 1000;
        if (due_ms <= 0) {
            queue->call = put (self, queue->endpoint, queue->next);
            queue->next = request_from (self, i, queue->next + 1);
        } else if (least_ms < 0 || due_ms < least_ms) {
            least_ms = due_ms;
        }
    }
    return least_ms;
}

static bool replay (live_replay_live_t *self)
{
    live_replay_queue_t queues [SCENARIO_PLANNERS] = {0};
    for (size_t i = 0; i < SCENARIO_PLANNERS; i++) {
        char member [24];
        snprintf (member, sizeof member, "planner-%zu", i + 1);
        queues [i].next = request_from (self, i, 0);
        if (!live_endpoint (self->federation, member, queues [i].endpoint, self->why) ||
            !await_planner (self, queues [i].endpoint))
            return false;
    }
    int64_t begun_us = clock_us (CLOCK_MONOTONIC);
    for (;;) {
        int64_t wait_ms = put_due (self, queues, begun_us);
        if (client_in_flight (self->client) == 0) {
            if (wait_ms < 0)
                return true;
            /* the next arrival, in the scenario's time */
            nanosleep (
              &(struct timespec){.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000},
              NULL);
            continue;
        }
        client_reply_t reply;
        if (!client_wait (self->client, wait_ms, &reply))
            continue;
        if (!take (self, &reply))
            return false;
        for (size_t i = 0; i < SCENARIO_PLANNERS; i++)
            if (queues [i].call == reply.call)
                queues [i].call = 0;
    }
}

/*  --- the ledgers --- */

typedef struct {
    txid_t txid;
    int64_t held_ms; /* 0 = no longer held */
    int64_t expires_ms;
} live_replay_held_t;

typedef struct {
    live_result_t *result;
    live_replay_held_t *list;
    size_t count;
    size_t room;
} live_replay_holds_t;

static live_replay_held_t *held_of (live_replay_holds_t *self, const txid_t *txid)
{
    for (size_t i = self->count; i-- > 0;)
        if (txid_compare (&self->list [i].txid, txid) == 0)
            return &self->list [i];
    if (self->count == self->room) {
        self->room = self->room ? 2 * self->room : 256;
        self->list = must (realloc (self->list, self->room * sizeof *self->list));
    }
    self->list [self->count] = (live_replay_held_t){.txid = *txid};
    return &self->list [self->count++];
}

static void take_move (void *owner, const live_move_t *move)
{
    live_replay_holds_t *self = owner;
    live_replay_held_t *held = held_of (self, &move->txid);
    if (move->to == COMMAND_HELD) {
        self->result->holds += held->held_ms == 0;
        held->held_ms = held->held_ms ? held->held_ms : move->wall_ms;
        held->expires_ms = move->expires_ms;
        return;
    }
    if (held->held_ms == 0)
        return;
    double life_ms = (double) (move->wall_ms - held->held_ms);
    if (life_ms > self->result->hold_ms_most)
        self->result->hold_ms_most = life_ms;
    self->result->overheld += move->to == COMMAND_PREPARED && move->wall_ms > held->expires_ms;
    held->held_ms = 0;
}

static bool read_ledger (live_replay_live_t *self, const char *member)
{
    char endpoint [LIVE_ENDPOINT_BYTES];
    live_replay_holds_t holds = {.result = self->result};
    bool good = live_endpoint (self->federation, member, endpoint, self->why);
    for (uint64_t next = 1; good && next > 0;) {
        client_reply_t reply;
        good = ask (self, endpoint, "Ledger", "Rows", live_rows_encode (next), NULL, &reply);
        if (good && !live_rows_read (reply.body, take_move, &holds, &next)) {
            snprintf (self->why, LONG_WHY_BYTES, "%s: its ledger can't be read", member);
            good = false;
        }
    }
    for (size_t i = 0; i < holds.count; i++) /* all has settled */
        self->result->overheld += holds.list [i].held_ms > 0;
    free (holds.list);
    return good;
}

static bool read_ledgers (live_replay_live_t *self)
{
    char member [80];
    for (size_t i = 0; i < self->grid.sites_count; i++) {
        snprintf (member, sizeof member, "lis-%.60s", self->grid.names [i]);
        if (!read_ledger (self, member))
            return false;
    }
    return read_ledger (self, "nis-grid") && read_ledger (self, "gis-g1");
}

bool live_play (const planning_order_t *order, uint64_t seed, live_result_t *result,
                char why [LONG_WHY_BYTES])
{
    *result = (live_result_t){0};
    live_replay_live_t self = {.order = order, .result = result, .why = why};
    grid_make (&self.grid, seed, order->wide);
    grid_shrink (&self.grid, order->live->sites);
    self.requests = scenario_make (&(scenario_order_t){.kind = order->kind,
                                                       .load = order->load,
                                                       .cpus = self.grid.cpus,
                                                       .until_ms = order->hours * HOUR_MS,
                                                       .histogram = order->histogram},
                                   seed, &self.requests_count);
    result->requests = self.requests_count;
    self.federation = live_up (&self.grid, SCENARIO_PLANNERS, why);
    bool good = self.federation != NULL;
    if (good) {
        self.client = client_new ();
        self.zero_ms = clock_us (CLOCK_REALTIME) / 1000 + order->live->ahead_ms;
        good = measure (&self) && replay (&self) && live_audit (self.federation, why) &&
               read_ledgers (&self);
        client_destroy (&self.client);
        live_down (&self.federation);
    }
    if (result->planned > 0)
        result->planning_ms /= (double) result->planned;
    free (self.requests);
    grid_clear (&self.grid);
    return good;
}
