/*  bench_coallocation - durable co-allocations a second over real processes, and what one costs.
 *
 *  Starts a federation of three sites and one directory with `musubi up`, keeps so many clients
 *  busy (each with one request in flight: three needs, three sites, one hour, a random start within
 *  20 days), and measures from the client: latency, and committed requests a second. The same again
 *  with three links of two domains between the sites, and a connection between each two needs.
 *  Beside them, in the same run, the machine's flush: as many processes as the federation has
 *  committers (sites, domains, directory, planners) writing small records to stores of their own at
 *  once. Flushes and processor time of a transaction are read from the services' processes.
 */
#include "bench.h"
#include "bus.pb-c.h"
#include "client.h"
#include "gis.pb-c.h"
#include "message.h"
#include "planner.pb-c.h"
#include "prng.h"
#include "store.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SITES = 3,
    DOMAINS = 2,
    PLANNERS_MAX = 16,
    CLIENTS_MAX = 64,
    SERVICES_MAX = 32,
    SAMPLES_MAX = 1 << 20,
    HOUR_MS = 3600000,
    SPREAD_HOURS = 480,
    FLUSH_RECORD_BYTES = 300, /* what a vote takes, about */
};

static const char federation_text [] = "name = bench\n"
                                       "directories = g1\n"
                                       "sites\n"
                                       "    one\n        classes\n            cpu\n"
                                       "                nodes = 1000000\n"
                                       "    two\n        classes\n            cpu\n"
                                       "                nodes = 1000000\n"
                                       "    three\n        classes\n            cpu\n"
                                       "                nodes = 1000000\n";

/*  One and two belong to both domains: a triangle of three links. */
static const char domains_text [] = "domains\n"
                                    "    N\n"
                                    "        sites = \"one, two\"\n"
                                    "        links\n"
                                    "            one-two\n"
                                    "                between = \"one, two\"\n"
                                    "                mbps = 1000000000\n"
                                    "    S\n"
                                    "        sites = \"one, two, three\"\n"
                                    "        links\n"
                                    "            one-three\n"
                                    "                between = \"one, three\"\n"
                                    "                mbps = 1000000000\n"
                                    "            two-three\n"
                                    "                between = \"two, three\"\n"
                                    "                mbps = 1000000000\n";

typedef struct {
    char folder [64];
    char file [96];
    char gis [256];
    char planners [PLANNERS_MAX][256];
    size_t planners_count;
    pid_t services [SERVICES_MAX];
    size_t services_count;
} testbed_t;

static void fail (const char *what)
{
    fprintf (stderr, "bench_coallocation: %s\n", what);
    exit (1);
}

static double now_s (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static int64_t wall_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_REALTIME, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*  Runs the client beside this program: `musubi ARGUMENTS`, its output to a pipe when wanted. */
static FILE *musubi (const char *arguments)
{
    char own [512];
    ssize_t size = readlink ("/proc/self/exe", own, sizeof own - 1);
    if (size <= 0)
        fail ("/proc/self/exe can't be read");
    own [size] = '\0';
    char *slash = strrchr (own, '/');
    *slash = '\0';
    char command [1024];
    snprintf (command, sizeof command, "'%s/musubi' %s", own, arguments);
    FILE *output = popen (command, "r");
    if (!output)
        fail ("musubi can't be run");
    return output;
}

static void musubi_quietly (const char *arguments)
{
    FILE *output = musubi (arguments);
    char line [512];
    char last [512] = "";
    while (fgets (line, sizeof line, output))
        strcpy (last, line);
    if (pclose (output) != 0) {
        fprintf (stderr, "%s", last);
        fail (arguments);
    }
}

static ProtobufCMessage *ask (client_t *client, const char *endpoint, const char *service,
                              const char *method, const ProtobufCMessageDescriptor *descriptor)
{
    client_reply_t reply;
    client_ask (client,
                &(client_request_t){.endpoint = endpoint,
                                    .service = service,
                                    .method = method,
                                    .actor = "bench",
                                    .timeout_ms = 5000},
                &reply);
    ProtobufCMessage *message =
      reply.status == CALL_OK ? message_unpack (descriptor, reply.body) : NULL;
    if (!message)
        fail ("a service does not answer");
    return message;
}

static void find_services (testbed_t *self, client_t *client)
{
    ProtobufCMessage *message =
      ask (client, self->gis, "Gis", "Snapshot", &musubi__snapshot_answer__descriptor);
    const Musubi__SnapshotAnswer *snapshot = (const Musubi__SnapshotAnswer *) message;
    self->planners_count = 0;
    for (size_t i = 0; i < snapshot->n_entries; i++)
        if (strncmp (snapshot->entries [i]->name, "planner/", 8) == 0 &&
            self->planners_count < PLANNERS_MAX)
            snprintf (self->planners [self->planners_count++], 256, "%s",
                      snapshot->entries [i]->endpoint);
    message_free (message);
}

static void testbed_start (testbed_t *self, client_t *client, int64_t planners, bool links)
{
    *self = (testbed_t){0};
    strcpy (self->folder, "/tmp/musubi-bench.XXXXXX");
    if (!mkdtemp (self->folder))
        fail ("no temporary folder");
    snprintf (self->file, sizeof self->file, "%s/bench.zpl", self->folder);
    FILE *file = fopen (self->file, "w");
    if (!file || fputs (federation_text, file) < 0 || (links && fputs (domains_text, file) < 0) ||
        fclose (file) != 0)
        fail ("no federation file");

    char arguments [512];
    snprintf (arguments, sizeof arguments, "up '%s' --planners %" PRId64 " --dir '%s/run' 2>&1",
              self->file, planners, self->folder);
    musubi_quietly (arguments);
    char name [128];
    snprintf (name, sizeof name, "%s/run/gis", self->folder);
    file = fopen (name, "r");
    if (!file || !fgets (self->gis, sizeof self->gis, file))
        fail ("no directory");
    fclose (file);
    self->gis [strcspn (self->gis, ",\r\n")] = '\0';
    for (int patience = 0; patience < 100 && self->planners_count < (size_t) planners; patience++)
        find_services (self, client);

    snprintf (arguments, sizeof arguments, "up --dir '%s/run' --pids", self->folder);
    FILE *output = musubi (arguments);
    int pid;
    char rest [256];
    while (self->services_count < SERVICES_MAX && fscanf (output, "%d %255[^\n]", &pid, rest) == 2)
        self->services [self->services_count++] = pid;
    pclose (output);
}

static void testbed_stop (testbed_t *self)
{
    char command [256];
    snprintf (command, sizeof command, "down --dir '%s/run' 2>&1", self->folder);
    musubi_quietly (command);
    snprintf (command, sizeof command, "rm -rf '%s'", self->folder);
    if (system (command) != 0)
        fail (command);
}

/*  Processor seconds of all services so far. */
static double services_cpu_s (const testbed_t *self)
{
    double sum = 0;
    for (size_t i = 0; i < self->services_count; i++) {
        char name [64];
        snprintf (name, sizeof name, "/proc/%d/stat", (int) self->services [i]);
        FILE *file = fopen (name, "r");
        unsigned long user = 0, kernel = 0;
        if (file) {
            if (fscanf (file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                        &user, &kernel) != 2)
                user = kernel = 0;
            fclose (file);
        }
        sum += (double) (user + kernel) / (double) sysconf (_SC_CLK_TCK);
    }
    return sum;
}

/*  Durable writes of all services so far, by the counter "flushes" of their Status. */
static int64_t services_flushes (const testbed_t *self, client_t *client)
{
    ProtobufCMessage *message =
      ask (client, self->gis, "Gis", "Snapshot", &musubi__snapshot_answer__descriptor);
    const Musubi__SnapshotAnswer *snapshot = (const Musubi__SnapshotAnswer *) message;
    int64_t sum = 0;
    for (size_t i = 0; i < snapshot->n_entries; i++) {
        ProtobufCMessage *status = ask (client, snapshot->entries [i]->endpoint, "Service",
                                        "Status", &musubi__status_answer__descriptor);
        const Musubi__StatusAnswer *answer = (const Musubi__StatusAnswer *) status;
        for (size_t c = 0; c < answer->n_counters; c++)
            if (strcmp (answer->counters [c]->name, "flushes") == 0)
                sum += answer->counters [c]->value;
        message_free (status);
    }
    message_free (message);
    return sum;
}

/*  --- the machine's flush --- */

/*  In a child: flushes for the given time; reports the median through the pipe. */
static void flush_child (const char *folder, int number, double seconds, int report)
{
    char name [128];
    snprintf (name, sizeof name, "%s/flush%d", folder, number);
    store_t *store;
    char why [STORE_WHY_BYTES];
    uint8_t id [STORE_ID_BYTES] = {(uint8_t) number};
    double *samples = calloc (SAMPLES_MAX, sizeof *samples);
    if (!samples || store_open (&store, name, STORE_BYTES_DEFAULT, id, wall_ms (), why) != STORE_OK)
        _exit (1);
    uint8_t record [FLUSH_RECORD_BYTES] = {0};
    size_t count = 0;
    double began_s = now_s ();
    while (now_s () - began_s < seconds && count < SAMPLES_MAX) {
        uint64_t key = count;
        double before_s = now_s ();
        if (store_begin (store) != STORE_OK ||
            store_put (store, TABLE_COMMANDS,
                       (bytes_t){.data = (const uint8_t *) &key, .size = sizeof key},
                       (bytes_t){.data = record, .size = sizeof record}) != STORE_OK ||
            store_flush (store, wall_ms ()) != STORE_OK)
            _exit (1);
        samples [count++] = now_s () - before_s;
    }
    double median = bench_median (samples, count);
    if (write (report, &median, sizeof median) != sizeof median)
        _exit (1);
    store_close (&store);
    _exit (0);
}

/*  Median over so many processes that flush at once, in seconds. */
static double flush_s (int processes, double seconds)
{
    char folder [] = "/tmp/musubi-flush.XXXXXX";
    int report [2];
    if (!mkdtemp (folder) || pipe (report) != 0)
        fail ("no temporary folder");
    pid_t children [SERVICES_MAX];
    for (int i = 0; i < processes; i++) {
        children [i] = fork ();
        if (children [i] == 0)
            flush_child (folder, i, seconds, report [1]);
    }
    close (report [1]);
    double medians [SERVICES_MAX];
    for (int i = 0; i < processes; i++) {
        int status;
        if (waitpid (children [i], &status, 0) < 0 || status != 0 ||
            read (report [0], &medians [i], sizeof *medians) != sizeof *medians)
            fail ("the machine's flush can't be measured");
    }
    close (report [0]);
    char command [64];
    snprintf (command, sizeof command, "rm -rf '%s'", folder);
    if (system (command) != 0)
        fail (command);
    return bench_median (medians, (size_t) processes);
}

/*  --- requests --- */

static uint8_t *make_request (prng_t *prng, int64_t base_ms, bool links, size_t *size)
{
    static const char *const ids [SITES] = {"a", "b", "c"};
    Musubi__ComputeNeed needs [SITES];
    Musubi__ComputeNeed *need_list [SITES];
    for (size_t i = 0; i < SITES; i++) {
        musubi__compute_need__init (&needs [i]);
        needs [i].id = (char *) ids [i];
        needs [i].cpus = 1 + (uint32_t) prng_below (prng, 64);
        need_list [i] = &needs [i];
    }
    Musubi__NetworkNeed connections [SITES];
    Musubi__NetworkNeed *connection_list [SITES];
    char *ends [SITES][2];
    for (size_t i = 0; i < SITES; i++) {
        ends [i][0] = (char *) ids [i];
        ends [i][1] = (char *) ids [(i + 1) % SITES];
        musubi__network_need__init (&connections [i]);
        connections [i].n_between = 2;
        connections [i].between = ends [i];
        connections [i].mbps = links ? 1 + (uint32_t) prng_below (prng, 64) : 0;
        connection_list [i] = &connections [i];
    }
    Musubi__Instant earliest = MUSUBI__INSTANT__INIT, deadline = MUSUBI__INSTANT__INIT;
    earliest.when_case = deadline.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    earliest.at_ms =
      base_ms + (int64_t) prng_below (prng, (uint64_t) SPREAD_HOURS * 12) * (HOUR_MS / 12);
    deadline.at_ms = earliest.at_ms + 2 * (int64_t) HOUR_MS;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    frame.earliest = &earliest;
    frame.deadline = &deadline;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    request.window = &frame;
    request.duration_ms = HOUR_MS;
    request.n_compute = SITES;
    request.compute = need_list;
    request.n_network = links ? SITES : 0;
    request.network = connection_list;
    request.distinct_sites = true;
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    reserve.request = &request;
    return message_pack (&reserve.base, size);
}

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

static void load_send (load_t *self, size_t slot)
{
    size_t size;
    uint8_t *body = make_request (&self->prng, self->base_ms, self->links, &size);
    char request_id [64];
    snprintf (request_id, sizeof request_id, "b%d-%" PRIu64 "@g1", (int) getpid (), self->sent);
    const testbed_t *testbed = self->testbed;
    self->began_s [slot] = now_s ();
    self->calls [slot] = client_send (
      self->client,
      &(client_request_t){.endpoint = testbed->planners [self->sent++ % testbed->planners_count],
                          .service = "Planner",
                          .method = "Reserve",
                          .actor = "bench",
                          .request_id = request_id,
                          .body = {.data = body, .size = size},
                          .timeout_ms = 30000});
    free (body);
}

static void load_take (load_t *self, size_t slot, const client_reply_t *reply)
{
    ProtobufCMessage *message =
      reply->status == CALL_OK ? message_unpack (&musubi__answer__descriptor, reply->body) : NULL;
    const Musubi__Answer *answer = (const Musubi__Answer *) message;
    if (answer && answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED)
        self->latencies_s [self->committed++ % SAMPLES_MAX] = now_s () - self->began_s [slot];
    else
        self->otherwise++;
    message_free (message);
}

/*  Keeps so many requests in flight for the given time, then awaits the rest. Returns seconds. */
static double load_run (load_t *self, size_t clients, double seconds)
{
    self->committed = self->otherwise = 0;
    double began_s = now_s ();
    for (size_t i = 0; i < clients; i++)
        load_send (self, i);
    client_reply_t reply;
    while (client_wait (self->client, -1, &reply)) {
        for (size_t i = 0; i < clients; i++) {
            if (self->calls [i] != reply.call)
                continue;
            load_take (self, i, &reply);
            self->calls [i] = 0;
            if (now_s () - began_s < seconds)
                load_send (self, i);
            break;
        }
    }
    return now_s () - began_s;
}

static double percentile (double *samples, size_t count, double share)
{
    bench_median (samples, count); /* sorts */
    size_t at = (size_t) (share * (double) count);
    return samples [at < count ? at : count - 1];
}

/*  One row: so many planners and clients, medians of BENCH_RUNS runs. */
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
        double cpu_s = services_cpu_s (load->testbed);
        int64_t flushes = services_flushes (load->testbed, load->client);
        double took_s = load_run (load, clients, seconds);
        flushes = services_flushes (load->testbed, load->client) - flushes;
        cpu_s = services_cpu_s (load->testbed) - cpu_s;
        otherwise += load->otherwise;
        if (load->committed == 0)
            fail ("nothing was committed");
        double committed = (double) load->committed;
        double p50 = percentile (load->latencies_s, load->committed, .50);
        samples [0][run] = committed / took_s;
        samples [1][run] = p50 * 1e3;
        samples [2][run] = percentile (load->latencies_s, load->committed, .99) * 1e3;
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
    bench_begin (bench);
    static const int64_t planner_counts [] = {1, 3};
    static const size_t client_counts [] = {1, 8, 64};
    double *latencies_s = calloc (SAMPLES_MAX, sizeof *latencies_s);
    if (!latencies_s)
        fail ("out of memory");
    size_t counts = sizeof planner_counts / sizeof *planner_counts;
    for (size_t p = 0; p < 2 * counts; p++) {
        bool links = p >= counts;
        int64_t planners = planner_counts [p % counts];
        client_t *client = client_new ();
        testbed_t testbed;
        testbed_start (&testbed, client, planners, links);
        load_t load = {.testbed = &testbed,
                       .client = client,
                       .base_ms = wall_ms () + HOUR_MS,
                       .links = links,
                       .latencies_s = latencies_s};
        prng_seed (&load.prng, 1);
        load_run (&load, 8, seconds / 2); /* warm */
        for (size_t c = 0; c < sizeof client_counts / sizeof *client_counts; c++)
            measure (bench, &load, planners, client_counts [c], seconds);
        testbed_stop (&testbed);
        client_destroy (&client);
    }
    free (latencies_s);
    bench_note (bench,
                "flush ms: median of an LMDB commit with as many processes committing at once "
                "as the federation has, measured before each run");
    return bench_end (&bench);
}
