/*  bench_fairness - what happens to 64 clients who all want the same site.
 *
 *  Each client reserves, and releases again what it got, over and over; two planners serve them
 *  (--planners). Uncontended: eight sites and windows drawn over twenty days, so that nothing ever
 *  conflicts. Then all at one site: first in one and the same window, with room for all; then with
 *  room for four at a time, so that nearly every plan meets others: all want the earliest hour of
 *  the same hundred, and a client that finds it taken must take a later one.
 *
 *  Fair is: at least half the throughput of the uncontended, the 99th percentile of a reservation's
 *  latency at most twenty times its median, and no client starved: the least busy client's share is
 *  shown beside the mean. */
#include "bench.h"
#include "prng.h"
#include "reserve.h"
#include "testbed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CLIENTS = 64,
    PLANNERS = 2, /* unless --planners says otherwise */
    PLANNERS_MAX = 16,
    SITES = 8,
    SAMPLES_MAX = 1 << 20,
    HOUR_MS = 3600000,
    SPREAD_HOURS = 480,
    FRAME_HOURS = 100, /* the span in which all want the earliest hour */
    NODES = 16,        /* of the site that is short of nodes */
    WANTED = 4,        /* nodes that each client wants */
};

static const char *const names [SITES] = {"one",  "two", "three", "four",
                                          "five", "six", "seven", "eight"};

typedef enum { SPREAD, SAME_WINDOW, SHORT, ARMS } fairness_arm_t;

static const char *const rows [ARMS] = {
  [SPREAD] = "8 sites, windows of their own",
  [SAME_WINDOW] = "1 site, 1 window, room for all",
  [SHORT] = "1 site, room for 4, earliest of 100 h",
};

typedef struct {
    char actor [16];
    uint64_t call;
    double began_ns;
    bool releasing;
    char reservation [NAME_BYTES_MAX + 1];
    uint64_t done; /* number reserved and released */
} fairness_caller_t;

typedef struct {
    testbed_t testbed;
    fairness_arm_t arm;
    prng_t prng;
    int64_t base_ms;
    uint64_t sent;
    fairness_caller_t callers [CLIENTS];
    double *latencies_ms; /* latency of reservations */
    size_t reserved;
    size_t otherwise;
    uint64_t rounds; /* of votes, of all reservations */
    size_t planners;
} fairness_crowd_t;

static packed_t next_body (fairness_crowd_t *self, fairness_caller_t *caller)
{
    if (caller->releasing)
        return release_encode (caller->reservation);
    bench_reserve_t order = {.sites = 1,
                             .site =
                               names [self->arm == SPREAD ? prng_below (&self->prng, SITES) : 0],
                             .cpus = {WANTED},
                             .duration_ms = HOUR_MS,
                             .earliest_ms = self->base_ms};
    if (self->arm == SPREAD)
        order.earliest_ms += (int64_t) prng_below (&self->prng, SPREAD_HOURS) * HOUR_MS;
    int64_t hours = self->arm == SHORT ? FRAME_HOURS : 1;
    order.deadline_ms = order.earliest_ms + hours * HOUR_MS;
    return reserve_encode (&order);
}

static void send_next (fairness_crowd_t *self, fairness_caller_t *caller)
{
    packed_t body = next_body (self, caller);
    char request_id [64];
    snprintf (request_id, sizeof request_id, "f%d-%" PRIu64 "@g1", (int) getpid (), ++self->sent);
    caller->began_ns = bench_wall_ns ();
    caller->call = client_send (
      self->testbed.client,
      &(client_request_t){.endpoint = self->testbed.planners [self->sent % self->planners],
                          .service = "Planner",
                          .method = caller->releasing ? "Release" : "Reserve",
                          .actor = caller->actor,
                          .request_id = request_id,
                          .body = {body.data, body.size},
                          .timeout_ms = 60000});
    free (body.data);
}

/*  A request that is not committed is counted, and tried again as a new request. */
static void take (fairness_crowd_t *self, fairness_caller_t *caller, const client_reply_t *reply)
{
    caller->call = 0;
    if (reply->status != CALL_OK || !answer_committed (reply->body, caller->reservation)) {
        self->otherwise++;
        return;
    }
    if (caller->releasing) {
        caller->done++;
    } else {
        self->rounds += answer_rounds (reply->body);
        self->latencies_ms [self->reserved++ % SAMPLES_MAX] =
          (bench_wall_ns () - caller->began_ns) / 1e6;
    }
    caller->releasing = !caller->releasing;
}

/*  Runs for the given time, and on until everything is released. Returns seconds. */
static double run (fairness_crowd_t *self, double seconds)
{
    self->reserved = self->otherwise = self->rounds = 0;
    double began_ns = bench_wall_ns (), busy_ns = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        self->callers [i].done = 0;
        send_next (self, &self->callers [i]);
    }
    client_reply_t reply;
    while (client_wait (self->testbed.client, -1, &reply)) {
        fairness_caller_t *caller = self->callers;
        while (caller->call != reply.call)
            caller++;
        take (self, caller, &reply);
        bool more = bench_wall_ns () - began_ns < seconds * 1e9;
        if (more || caller->releasing)
            send_next (self, caller);
        if (more)
            busy_ns = bench_wall_ns () - began_ns;
    }
    return busy_ns / 1e9;
}

enum { RATE, P50, P99, P99_TO_P50, LEAST, REFUSED, FLUSHES, CPU_MS, ROUNDS, FIGURES };

static const char *const columns [FIGURES] = {
  "reserved/s", "p50 ms",      "p99 ms", "p99 / p50", "least / mean",
  "not yet",    "flushes/txn", "CPU ms", "rounds",
};

static void measure_run (fairness_crowd_t *self, double seconds, double figures [FIGURES])
{
    testbed_counts_t from = testbed_counts (&self->testbed);
    double cpu_s = testbed_cpu_s (&self->testbed);
    double took_s = run (self, seconds);
    cpu_s = testbed_cpu_s (&self->testbed) - cpu_s;
    testbed_counts_t spent = testbed_spent (&self->testbed, from);
    if (self->reserved == 0 || self->reserved > SAMPLES_MAX)
        bench_fail ("nothing was committed, or more than there is room for");
    double reserved = (double) self->reserved;
    uint64_t least = UINT64_MAX, sum = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        uint64_t done = self->callers [i].done;
        least = done < least ? done : least;
        sum += done;
    }
    figures [RATE] = reserved / took_s;
    figures [P50] = bench_percentile (self->latencies_ms, self->reserved, .50);
    figures [P99] = bench_percentile (self->latencies_ms, self->reserved, .99);
    figures [P99_TO_P50] = figures [P99] / figures [P50];
    figures [LEAST] = (double) least * CLIENTS / (double) sum;
    figures [REFUSED] = (double) self->otherwise / reserved;
    figures [FLUSHES] = (double) spent.flushes / (2 * reserved);
    figures [CPU_MS] = cpu_s * 1e3 / (2 * reserved);
    figures [ROUNDS] = (double) self->rounds / reserved;
}

static void write_federation (fairness_arm_t arm, char *text, size_t size)
{
    size_t sites = arm == SPREAD ? SITES : 1, used;
    used = (size_t) snprintf (text, size, "name = bench\ndirectories = g1\nsites\n");
    for (size_t i = 0; i < sites; i++)
        used += (size_t) snprintf (text + used, size - used,
                                   "    %s\n        classes\n            cpu\n"
                                   "                nodes = %d\n",
                                   names [i], arm == SHORT ? NODES : 1000000);
}

static double measure (bench_t *bench, fairness_crowd_t *self, fairness_arm_t arm, double seconds)
{
    char federation [2048];
    double samples [FIGURES][BENCH_RUNS], figures [FIGURES];
    self->arm = arm;
    write_federation (arm, federation, sizeof federation);
    testbed_start (&self->testbed, client_new (), federation, self->planners);
    self->base_ms = (bench_wall_ms () / HOUR_MS + 2) * HOUR_MS;
    run (self, seconds / 2); /* to warm up */
    for (int i = 0; i < BENCH_RUNS; i++) {
        measure_run (self, seconds, figures);
        for (int f = 0; f < FIGURES; f++)
            samples [f][i] = figures [f];
    }
    client_t *client = self->testbed.client;
    testbed_stop (&self->testbed);
    client_destroy (&client);
    for (int f = 0; f < FIGURES; f++)
        bench_put (bench, rows [arm], columns [f], bench_median (samples [f], BENCH_RUNS));
    return bench_median (samples [RATE], BENCH_RUNS);
}

int main (int argc, char **argv)
{
    static fairness_crowd_t crowd;
    bench_t *bench = bench_new (argc, argv, "fairness", "64 clients at one site, and at many");
    double seconds = (double) bench_option (bench, "--milliseconds", 4000) / 1e3;
    int64_t planners = bench_option (bench, "--planners", PLANNERS);
    bench_begin (bench);
    if (planners < 1 || planners > PLANNERS_MAX)
        bench_fail ("1 to 16 planners");
    crowd.planners = (size_t) planners;
    crowd.latencies_ms = calloc (SAMPLES_MAX, sizeof *crowd.latencies_ms);
    if (!crowd.latencies_ms)
        bench_fail ("out of memory");
    prng_seed (&crowd.prng, 1);
    for (size_t i = 0; i < CLIENTS; i++)
        snprintf (crowd.callers [i].actor, sizeof crowd.callers [i].actor, "client%zu", i);
    double uncontended = measure (bench, &crowd, SPREAD, seconds);
    bench_put (bench, rows [SPREAD], "/ uncontended", 1);
    for (fairness_arm_t arm = SAME_WINDOW; arm < ARMS; arm++)
        bench_put (bench, rows [arm], "/ uncontended",
                   measure (bench, &crowd, arm, seconds) / uncontended);
    free (crowd.latencies_ms);
    bench_note (bench,
                "64 clients, each reserves and releases in turn; \"not yet\": answers other than "
                "\"committed\", for each reservation; flushes and processor time of all "
                "services for each of both; rounds of votes for each reservation.");
    return bench_end (&bench);
}
