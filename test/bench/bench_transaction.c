/*  bench_transaction - what one transaction of each kind costs: flushes, messages, bytes, and its
 *  latency beside the time of the flushes that must follow each other.
 *
 *  A federation of three sites, two domains, a directory and a planner; one transaction at a time.
 *  For what storage adds: three sites, one of them with a storage node, and an index of files; and
 *  four sites beside that.
 *  Each kind is prepared first (what is to be modified is reserved). It is measured from a moment
 *  at which nothing is going on until nothing is going on again, so what a planner gathers and
 *  sends later counts as well. Counted are the durable writes and the messages of all services and
 *  of the client; bytes are those of headers and bodies, without what ZeroMQ and TCP add.
 *
 *  The bound is made of the machine's own flushes, measured in the same run with as many processes
 *  flushing at once as the transaction has participants: two such flushes for votes and commits,
 *  and one flush of a single process for the decision.
 */
#include "bench.h"
#include "flush.h"
#include "message.h"
#include "planner.pb-c.h"
#include "reserve.h"
#include "testbed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SITES = 3,
    TRANSACTIONS_MAX = 256,
    HOUR_MS = 3600000,
    TOO_MANY = 900000, /* CPUs: together with FILLED more than a site has */
    FILLED = 200000,
    DECIDE_MS = 20000,
    GIGABYTE = 1000000000,
    HEARD_TRIES = 200, /* until the planner has heard of the storage node, each after a pause of */
    HEARD_PAUSE_US = 100000,
};

#define A_FILE  "bench/file"
#define PLANNER "planner/00000000000000000000000000000001"

static const uint8_t planner_store [STORE_ID_BYTES] = {[15] = 1};

typedef struct {
    testbed_t testbed;
    int64_t base_ms;
    uint64_t requests;
    size_t count; /* transactions of a kind */
    char reservations [TRANSACTIONS_MAX][NAME_BYTES_MAX + 1];
    uint64_t first_request; /* number of the request that made reservations [0] */
    txid_t txids [TRANSACTIONS_MAX];
    uint64_t holds;
} transaction_trial_t;

/*  --- through the planner --- */

/*  Sends a request by its number: the same number is the same request, also when it is sent again.
 */
static bool planner_commits (transaction_trial_t *self, const char *method, uint64_t number,
                             packed_t body, char reservation [NAME_BYTES_MAX + 1])
{
    char request_id [64];
    snprintf (request_id, sizeof request_id, "t%d-%" PRIu64 "@g1", (int) getpid (), number);
    client_reply_t reply;
    client_ask (self->testbed.client,
                &(client_request_t){.endpoint = self->testbed.planners [0],
                                    .service = "Planner",
                                    .method = method,
                                    .actor = TESTBED_ACTOR,
                                    .request_id = request_id,
                                    .body = {body.data, body.size},
                                    .timeout_ms = 30000},
                &reply);
    free (body.data);
    if (reply.status != CALL_OK)
        bench_fail (reply.reason);
    return answer_committed (reply.body, reservation);
}

static void ask_planner (transaction_trial_t *self, const char *method, uint64_t number,
                         packed_t body, bool committed, char reservation [NAME_BYTES_MAX + 1])
{
    if (planner_commits (self, method, number, body, reservation) != committed)
        bench_fail (committed ? "a request was not committed" : "a request was committed");
}

/*  Each request has hours of its own. */
static bench_reserve_t reserve_of (const transaction_trial_t *self, uint64_t number, size_t sites,
                                   bool links)
{
    int64_t from_ms = self->base_ms + (int64_t) (number % 2000) * 2 * HOUR_MS;
    return (bench_reserve_t){.sites = sites,
                             .links = links,
                             .cpus = {8, 8, 8, 8},
                             .mbps = {8, 8, 8},
                             .duration_ms = HOUR_MS,
                             .earliest_ms = from_ms,
                             .deadline_ms = from_ms + HOUR_MS};
}

static void reserve (transaction_trial_t *self, size_t at, bench_reserve_t what)
{
    uint64_t number = ++self->requests;
    if (at == 0)
        self->first_request = number;
    bench_reserve_t order = reserve_of (self, number, what.sites, what.links);
    order.room_bytes = what.room_bytes;
    order.file = what.file;
    ask_planner (self, "Reserve", number, reserve_encode (&order), true, self->reservations [at]);
}

static void reserve_1 (transaction_trial_t *self, size_t at)
{
    reserve (self, at, (bench_reserve_t){.sites = 1});
}

static void reserve_3 (transaction_trial_t *self, size_t at)
{
    reserve (self, at, (bench_reserve_t){.sites = SITES});
}

static void reserve_4 (transaction_trial_t *self, size_t at)
{
    reserve (self, at, (bench_reserve_t){.sites = SITES + 1});
}

static void reserve_links (transaction_trial_t *self, size_t at)
{
    reserve (self, at, (bench_reserve_t){.sites = SITES, .links = true});
}

static void reserve_room (transaction_trial_t *self, size_t at)
{
    reserve (self, at, (bench_reserve_t){.sites = SITES, .room_bytes = GIGABYTE});
}

static void reserve_file (transaction_trial_t *self, size_t at)
{
    reserve (self, at, (bench_reserve_t){.sites = SITES, .file = A_FILE});
}

static void repeat_3 (transaction_trial_t *self, size_t at)
{
    uint64_t number = self->first_request + at;
    char reservation [NAME_BYTES_MAX + 1];
    bench_reserve_t order = reserve_of (self, number, SITES, false);
    ask_planner (self, "Reserve", number, reserve_encode (&order), true, reservation);
    if (strcmp (reservation, self->reservations [at]) != 0)
        bench_fail ("a repeat was given another reservation");
}

static void modify (transaction_trial_t *self, size_t at)
{
    ask_planner (self, "Modify", ++self->requests, modify_encode (self->reservations [at], 16),
                 true, NULL);
}

static void release (transaction_trial_t *self, size_t at)
{
    ask_planner (self, "Release", ++self->requests, release_encode (self->reservations [at]), true,
                 NULL);
}

/*  Takes so much of each site that TOO_MANY CPUs are not left. */
static void fill (transaction_trial_t *self, size_t at)
{
    uint64_t number = ++self->requests;
    if (at == 0)
        self->first_request = number;
    bench_reserve_t order = reserve_of (self, number, SITES, false);
    order.cpus [0] = order.cpus [1] = order.cpus [2] = FILLED;
    ask_planner (self, "Reserve", number, reserve_encode (&order), true, self->reservations [at]);
}

static void refused (transaction_trial_t *self, size_t at)
{
    bench_reserve_t order = reserve_of (self, self->first_request + at, 1, false);
    order.cpus [0] = TOO_MANY;
    ask_planner (self, "Reserve", ++self->requests, reserve_encode (&order), false, NULL);
}

/*  --- as a planner, directly at the sites --- */

static void hold_at (transaction_trial_t *self, const plan_t *plan, size_t site)
{
    compute_booking_t booking = {.need = "a",
                                 .class_name = "cpu",
                                 .cpus = 8,
                                 .nodes = 8,
                                 .from_ms = plan->edge_ms,
                                 .until_ms = plan->edge_ms + HOUR_MS};
    packed_t part = compute_part_encode (&booking, 1);
    hold_t hold = {.plan = *plan,
                   .part_kind = PART_COMPUTE,
                   .part = part.data,
                   .part_size = part.size,
                   .prepare = true};
    packed_t body = codec_encode (&hold_codec, &hold);
    client_send (self->testbed.client,
                 &(client_request_t){.endpoint = plan->participants [site].endpoint,
                                     .service = "Participant",
                                     .method = "Hold",
                                     .actor = PLANNER,
                                     .body = {body.data, body.size},
                                     .timeout_ms = 30000});
    free (body.data);
    free (part.data);
}

static void gather (transaction_trial_t *self, command_state_t state)
{
    client_reply_t reply;
    while (client_wait (self->testbed.client, -1, &reply)) {
        command_answer_t answer;
        char why [WHY_BYTES];
        if (reply.status != CALL_OK)
            bench_fail (reply.reason);
        if (!codec_decode (&command_answer_codec, &answer, reply.body, why))
            bench_fail (why);
        if (answer.state != state)
            bench_fail (*answer.refusal.text ? answer.refusal.text
                                             : command_state_word (answer.state));
        codec_clear (&command_answer_codec, &answer);
    }
}

static void vote (transaction_trial_t *self, size_t at)
{
    static const char *const names [SITES] = {"lis/one", "lis/two", "lis/three"};
    participant_ref_t parties [SITES] = {0};
    for (size_t i = 0; i < SITES; i++) {
        const testbed_service_t *service = testbed_service (&self->testbed, names [i]);
        memcpy (parties [i].name, service->name, sizeof parties [i].name);
        memcpy (parties [i].endpoint, service->endpoint, sizeof parties [i].endpoint);
        memcpy (parties [i].store, service->store, STORE_ID_BYTES);
    }
    plan_t plan = {.txid = {.start = 1, .counter = ++self->holds},
                   .participants = parties,
                   .participants_count = SITES,
                   .coordinator = {.name = PLANNER, .endpoint = "tcp://127.0.0.1:1"},
                   .decide_by_ms = bench_wall_ms () + DECIDE_MS,
                   .edge_ms = self->base_ms + (int64_t) (self->holds % 2000) * 2 * HOUR_MS,
                   .actor = TESTBED_ACTOR};
    memcpy (plan.txid.store, planner_store, STORE_ID_BYTES);
    memcpy (plan.coordinator.store, planner_store, STORE_ID_BYTES);
    snprintf (plan.reservation, sizeof plan.reservation, "own%d-%" PRIu64, (int) getpid (),
              self->holds);
    for (size_t i = 0; i < SITES; i++)
        hold_at (self, &plan, i);
    gather (self, COMMAND_PREPARED);
    self->txids [at] = plan.txid;
}

static void vote_and_abort (transaction_trial_t *self, size_t at)
{
    static const char *const names [SITES] = {"lis/one", "lis/two", "lis/three"};
    vote (self, at);
    packed_t body =
      codec_encode (&decision_request_codec, &(decision_request_t){self->txids [at], 0});
    for (size_t i = 0; i < SITES; i++)
        client_send (
          self->testbed.client,
          &(client_request_t){.endpoint = testbed_service (&self->testbed, names [i])->endpoint,
                              .service = "Participant",
                              .method = "Abort",
                              .actor = PLANNER,
                              .body = {body.data, body.size},
                              .timeout_ms = 30000});
    free (body.data);
    gather (self, COMMAND_ABORTED);
}

/*  Votes without a decision, which a planner ends in place of their coordinator (T8). */
static void fence (transaction_trial_t *self, size_t at)
{
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = self->txids [at].store};
    txid.start = self->txids [at].start;
    txid.counter = self->txids [at].counter;
    Musubi__SettleRequest request = MUSUBI__SETTLE_REQUEST__INIT;
    request.txid = &txid;
    request.participant = (char *) "lis/one";
    request.fence = true;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    client_reply_t reply;
    testbed_ask (&self->testbed, self->testbed.planners [0], "Planner", "Settle",
                 (bytes_t){body.data, body.size}, &reply);
    free (body.data);
    ProtobufCMessage *message = message_unpack (&musubi__settle_answer__descriptor, reply.body);
    const Musubi__SettleAnswer *answer = (const Musubi__SettleAnswer *) message;
    if (!answer || answer->outcome != (Musubi__Outcome) OUTCOME_ABORTED || !answer->done)
        bench_fail (answer ? answer->text : "an answer can't be read");
    message_free (message);
}

/*  --- kinds --- */

typedef enum { WITH_LINKS, WITH_4_SITES, WITH_STORAGE } transaction_federation_t;

typedef struct {
    transaction_federation_t federation;
    const char *row;
    void (*prepare) (transaction_trial_t *self, size_t at); /* prepares it; NULL = nothing */
    void (*run) (transaction_trial_t *self, size_t at);
    int parties; /* participants that flush at once */
    int shared;  /* flushes in a row, each by all of them at once */
    int alone;   /* flushes in a row by one process alone */
} transaction_kind_t;

static const transaction_kind_t kinds [] = {
  {WITH_LINKS, "reserve, 1 site", NULL, reserve_1, 2, 2, 1},
  {WITH_LINKS, "reserve, 3 sites", NULL, reserve_3, 4, 2, 1},
  {WITH_LINKS, "reserve, 3 sites, 3 links", NULL, reserve_links, 6, 2, 1},
  {WITH_LINKS, "the same again", reserve_3, repeat_3, 1, 0, 0},
  {WITH_LINKS, "modify, 3 sites", reserve_3, modify, 4, 2, 1},
  {WITH_LINKS, "modify, 3 sites, 3 links", reserve_links, modify, 6, 2, 1},
  {WITH_LINKS, "release, 3 sites", reserve_3, release, 4, 2, 1},
  {WITH_LINKS, "release, 3 sites, 3 links", reserve_links, release, 6, 2, 1},
  {WITH_LINKS, "refused: taken", fill, refused, 1, 0, 1},
  {WITH_LINKS, "voted and aborted, 3 sites", NULL, vote_and_abort, 3, 2, 0},
  {WITH_LINKS, "fenced and aborted, 3 sites", vote, fence, 3, 2, 0},
  {WITH_4_SITES, "reserve, 4 sites", NULL, reserve_4, 5, 2, 1},
  {WITH_4_SITES, "release, 4 sites", reserve_4, release, 5, 2, 1},
  {WITH_STORAGE, "reserve, 3 sites, room at 1", NULL, reserve_room, 5, 2, 1},
  {WITH_STORAGE, "reserve, 3 sites, a file at 1", NULL, reserve_file, 5, 2, 1},
  {WITH_STORAGE, "release, 3 sites, room at 1", reserve_room, release, 5, 2, 1},
};

enum { FLUSHES, MESSAGES, BYTES, IN_A_ROW, P50, BOUND, RATIO, FIGURES };

static const char *const columns [FIGURES] = {
  "flushes", "messages", "bytes", "in a row", "p50 ms", "bound ms", "p50 / bound",
};

/*  How long the flushes in a row take on this machine now. */
static double bound_ms (const transaction_kind_t *kind, double seconds)
{
    double alone_s = kind->alone > 0 ? flush_s (1, seconds) : 0;
    double shared_s = kind->shared > 0 ? flush_s (kind->parties, seconds) : 0;
    return (kind->shared * shared_s + kind->alone * alone_s) * 1e3;
}

static void measure_run (transaction_trial_t *self, const transaction_kind_t *kind,
                         double flush_seconds, double figures [FIGURES])
{
    double latencies_ms [TRANSACTIONS_MAX];
    for (size_t i = 0; kind->prepare && i < self->count; i++)
        kind->prepare (self, i);
    testbed_quiet (&self->testbed);
    double bound_before_ms = bound_ms (kind, flush_seconds);
    testbed_counts_t from = testbed_counts (&self->testbed);
    for (size_t i = 0; i < self->count; i++) {
        double began_ns = bench_wall_ns ();
        kind->run (self, i);
        latencies_ms [i] = (bench_wall_ns () - began_ns) / 1e6;
    }
    testbed_quiet (&self->testbed);
    testbed_counts_t spent = testbed_spent (&self->testbed, from);
    double count = (double) self->count;
    figures [FLUSHES] = (double) spent.flushes / count;
    figures [MESSAGES] = (double) spent.messages / count;
    figures [BYTES] = (double) spent.bytes / count;
    figures [IN_A_ROW] = kind->shared + kind->alone;
    figures [P50] = bench_median (latencies_ms, self->count);
    figures [BOUND] = (bound_before_ms + bound_ms (kind, flush_seconds)) / 2;
    figures [RATIO] = figures [BOUND] > 0 ? figures [P50] / figures [BOUND] : 0;
}

static void measure (bench_t *bench, transaction_trial_t *self, const transaction_kind_t *kind,
                     double flush_seconds)
{
    double samples [FIGURES][BENCH_RUNS];
    for (int run = 0; run < BENCH_RUNS; run++) {
        double figures [FIGURES];
        measure_run (self, kind, flush_seconds, figures);
        for (int i = 0; i < FIGURES; i++)
            samples [i][run] = figures [i];
    }
    for (int i = 0; i < FIGURES; i++)
        if (i < BOUND || kind->shared + kind->alone > 0)
            bench_put (bench, kind->row, columns [i], bench_median (samples [i], BENCH_RUNS));
}

/*  Asks until it is there: a planner refuses what it has not heard of. */
static void await_storage (transaction_trial_t *self)
{
    testbed_put (&self->testbed, A_FILE, "three");
    for (int i = 0; i < HEARD_TRIES; i++) {
        bench_reserve_t order = reserve_of (self, ++self->requests, SITES, false);
        order.room_bytes = GIGABYTE;
        order.file = A_FILE;
        if (planner_commits (self, "Reserve", self->requests, reserve_encode (&order), NULL))
            return;
        usleep (HEARD_PAUSE_US);
    }
    bench_fail ("no room at the storage node");
}

static void begin_federation (transaction_trial_t *self, client_t *client,
                              transaction_federation_t federation)
{
    static const char *const texts [] = {
      [WITH_LINKS] = TESTBED_SITES TESTBED_LINKS,
      [WITH_4_SITES] = TESTBED_SITES TESTBED_FOURTH_SITE,
      [WITH_STORAGE] = TESTBED_SITES TESTBED_STORAGE,
    };
    testbed_start (&self->testbed, client, texts [federation], 1);
    if (federation == WITH_STORAGE)
        await_storage (self);
    for (size_t i = 0; i < self->count; i++) /* to warm up */
        (federation == WITH_LINKS ? reserve_links : reserve_3) (self, i);
}

int main (int argc, char **argv)
{
    static transaction_trial_t trial;
    bench_t *bench =
      bench_new (argc, argv, "transaction", "what one transaction of each kind costs");
    int64_t count = bench_option (bench, "--transactions", 100);
    int64_t flush_ms = bench_option (bench, "--flush-milliseconds", 200);
    bench_begin (bench);
    if (count < 1 || count > TRANSACTIONS_MAX)
        bench_fail ("--transactions: 1 to 256");
    client_t *client = client_new ();
    trial.base_ms = bench_wall_ms () + HOUR_MS;
    trial.count = (size_t) count;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (k > 0 && kinds [k].federation != kinds [k - 1].federation)
            testbed_stop (&trial.testbed);
        if (k == 0 || kinds [k].federation != kinds [k - 1].federation)
            begin_federation (&trial, client, kinds [k].federation);
        measure (bench, &trial, &kinds [k], (double) flush_ms / 1e3);
    }
    testbed_stop (&trial.testbed);
    client_destroy (&client);
    bench_note (bench,
                "bound ms: the flushes in a row at the speed of this machine, measured before "
                "and after each run");
    return bench_end (&bench);
}
