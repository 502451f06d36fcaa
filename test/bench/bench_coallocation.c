/*  bench_coallocation - durable co-allocations a second over real processes, and the cost of each.
 *
 *  Starts a federation of three sites and one directory with `musubi up` and keeps a number of
 *  clients busy (each with one request in flight: three needs, three sites, one hour, a random
 *  start within 20 days). Measures latency and committed requests a second from the client; then
 *  the same again with three links of two domains between the sites, and a connection between each
 *  two needs. In the same run it measures the machine's flush: as many processes as the federation
 *  has committers (sites, domains, directory, planners) write small records at once, each to a
 *  store of its own. Flushes and processor time of a transaction are read from the services'
 *  processes.
 */
#include "bench.h"
#include "flush.h"
#include "prng.h"
#include "reserve.h"
#include "testbed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SITES = 3,
    DOMAINS = 2,
    CLIENTS_MAX = 64,
    PLANNERS_MAX = 16,
    SAMPLES_MAX = 1 << 20,
    HOUR_MS = 3600000,
    SPREAD_HOURS = 480,
};

typedef struct {
    testbed_t *testbed;
    client_t *client;
    prng_t prng;
    int64_t base_ms;
    bool links;
    uint64_t sent;
    uint64_t calls [CLIENTS_MAX];
    double began_s [CLIENTS_MAX];
    double *latencies_s;
    size_t committed;
    size_t otherwise;
} load_t;

static packed_t make_request (load_t *self)
{
    bench_reserve_t reserve = {
      .sites = SITES,
      .links = self->links,
      .duration_ms = HOUR_MS,
      .earliest_ms =
        self->base_ms + (int64_t) prng_below (&self->prng, SPREAD_HOURS * 12) * (HOUR_MS / 12)};
    reserve.deadline_ms = reserve.earliest_ms + 2 * (int64_t) HOUR_MS;
    for (size_t i = 0; i < SITES; i++) {
        reserve.cpus [i] = 1 + (uint32_t) prng_below (&self->prng, 64);
        reserve.mbps [i] = 1 + (uint32_t) prng_below (&self->prng, 64);
    }
    return reserve_encode (&reserve);
}

static void load_send (load_t *self, size_t slot)
{
    packed_t body = make_request (self);
    char request_id [64];
    snprintf (request_id, sizeof request_id, "b%d-%" PRIu64 "@g1", (int) getpid (), self->sent);
    const testbed_t *testbed = self->testbed;
    self->began_s [slot] = bench_wall_ns () / 1e9;
    self->calls [slot] = client_send (
      self->client,
      &(client_request_t){.endpoint = testbed->planners [self->sent++ % testbed->planners_count],
                          .service = "Planner",
                          .method = "Reserve",
                          .actor = "bench",
                          .request_id = request_id,
                          .body = {body.data, body.size},
                          .timeout_ms = 30000});
    free (body.data);
}

static void load_take (load_t *self, size_t slot, const client_reply_t *reply)
{
    if (reply->status == CALL_OK && answer_committed (reply->body, NULL))
        self->latencies_s [self->committed++ % SAMPLES_MAX] =
          bench_wall_ns () / 1e9 - self->began_s [slot];
    else
        self->otherwise++;
}

/*  Keeps this many requests in flight for the given time, then waits for the rest. Returns seconds.
 */
static double load_run (load_t *self, size_t clients, double seconds)
{
    self->committed = self->otherwise = 0;
    double began_s = bench_wall_ns () / 1e9;
    for (size_t i = 0; i < clients; i++)
        load_send (self, i);
    client_reply_t reply;
    while (client_wait (self->client, -1, &reply)) {
        for (size_t i = 0; i < clients; i++) {
            if (self->calls [i] != reply.call)
                continue;
            load_take (self, i, &reply);
            self->calls [i] = 0;
            if (bench_wall_ns () / 1e9 - began_s < seconds)
                load_send (self, i);
            break;
        }
    }
    return bench_wall_ns () / 1e9 - began_s;
}

/*  One row: a number of planners and clients, medians of BENCH_RUNS runs. */
static void measure (bench_t *bench, load_t *load, int64_t planners, size_t clients, double seconds)
{
    enum { FIGURES = 7 };
    static const char *const columns [FIGURES] = {"committed/s",       "p50 ms",      "p99 ms",
                                                  "CPU ms/txn",        "flushes/txn", "flush ms",
                                                  "p50 - 3 flushes ms"};
    double samples [FIGURES][BENCH_RUNS];
    size_t otherwise = 0;
    for (int run = 0; run < BENCH_RUNS; run++) {
        int committers = SITES + 1 + (int) planners + (load->links ? DOMAINS : 0);
        double flush = flush_s (committers, seconds / 4);
        double cpu_s = testbed_cpu_s (load->testbed);
        int64_t flushes = testbed_counts (load->testbed).flushes;
        double took_s = load_run (load, clients, seconds);
        flushes = testbed_counts (load->testbed).flushes - flushes;
        cpu_s = testbed_cpu_s (load->testbed) - cpu_s;
        otherwise += load->otherwise;
        if (load->committed == 0)
            bench_fail ("nothing was committed");
        double committed = (double) load->committed;
        double p50 = bench_percentile (load->latencies_s, load->committed, .50);
        samples [0][run] = committed / took_s;
        samples [1][run] = p50 * 1e3;
        samples [2][run] = bench_percentile (load->latencies_s, load->committed, .99) * 1e3;
        samples [3][run] = cpu_s / committed * 1e3;
        samples [4][run] = (double) flushes / committed;
        samples [5][run] = flush * 1e3;
        samples [6][run] = (p50 - 3 * flush) * 1e3;
    }
    char row [64];
    snprintf (row, sizeof row, "%s%" PRId64 " planner%s, %zu client%s",
              load->links ? "links: " : "", planners, planners == 1 ? "" : "s", clients,
              clients == 1 ? "" : "s");
    for (int i = 0; i < FIGURES; i++)
        bench_put (bench, row, columns [i], bench_median (samples [i], BENCH_RUNS));
    if (otherwise > 0) {
        char note [128];
        snprintf (note, sizeof note, "%s: %zu requests were not committed", row, otherwise);
        bench_note (bench, note);
    }
}

int main (int argc, char **argv)
{
    bench_t *bench =
      bench_new (argc, argv, "coallocation", "durable three-site co-allocations over processes");
    double seconds = (double) bench_option (bench, "--milliseconds", 2000) / 1e3;
    int64_t only_planners = bench_option (bench, "--planners", 0);
    int64_t only_clients = bench_option (bench, "--clients", 0);
    int64_t only_links = bench_option (bench, "--links", -1);
    bench_begin (bench);
    if (only_planners < 0 || only_planners > PLANNERS_MAX || only_clients < 0 ||
        only_clients > CLIENTS_MAX)
        bench_fail ("at most 16 planners and 64 clients");
    static const int64_t planner_counts [] = {1, 3};
    static const int64_t client_counts [] = {1, 8, 64};
    double *latencies_s = calloc (SAMPLES_MAX, sizeof *latencies_s);
    if (!latencies_s)
        bench_fail ("out of memory");
    size_t counts = sizeof planner_counts / sizeof *planner_counts;
    for (size_t p = 0; p < 2 * counts; p++) {
        bool links = p >= counts;
        int64_t planners = planner_counts [p % counts];
        if (only_links >= 0 && links != (only_links > 0))
            continue;
        if (only_planners > 0 && p % counts > 0)
            continue;
        if (only_planners > 0)
            planners = only_planners;
        client_t *client = client_new ();
        testbed_t testbed;
        testbed_start (&testbed, client, links ? TESTBED_SITES TESTBED_LINKS : TESTBED_SITES,
                       (size_t) planners);
        load_t load = {.testbed = &testbed,
                       .client = client,
                       .base_ms = bench_wall_ms () + HOUR_MS,
                       .links = links,
                       .latencies_s = latencies_s};
        prng_seed (&load.prng, 1);
        load_run (&load, 8, seconds / 2); /* to warm up */
        for (size_t c = 0; c < sizeof client_counts / sizeof *client_counts; c++)
            if (only_clients == 0)
                measure (bench, &load, planners, (size_t) client_counts [c], seconds);
        if (only_clients > 0)
            measure (bench, &load, planners, (size_t) only_clients, seconds);
        testbed_stop (&testbed);
        client_destroy (&client);
    }
    free (latencies_s);
    bench_note (bench,
                "flush ms: median of an LMDB commit with as many processes committing at once "
                "as the federation has, measured before each run");
    return bench_end (&bench);
}
