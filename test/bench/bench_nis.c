/*  bench_nis - what a network domain's answers and holds cost, by how many links it has.
 *
 *  A ring of routers with chords, thousands of circuits of one to three links booked over twenty
 *  days. The core is asked by events, in processor time; then a live svc-nis is started beside this
 *  program, given as many circuits, and asked over loopback, in wall time. Each figure stands
 *  beside a plainer one of the same run: all links beside one, a hold of three links beside a
 *  site's of one class, a question over loopback beside an empty one.
 */
#include "bench.h"
#include "calendar.pb-c.h"
#include "client.h"
#include "lis.h"
#include "message.h"
#include "nis.h"
#include "nis.pb-c.h"
#include "prng.h"

#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LINKS_MAX = 1000,
    CIRCUIT_MAX = 3, /* links of one that is booked */
    QUESTIONS = 64,  /* different ones of a kind */
    DAYS = 20,
    HOUR_MS = 3600000,
    DAY_MS = 24 * HOUR_MS,
    LINK_MBPS = 100000000, /* nothing is ever short: refusals cost otherwise */
};

#define PLANNER "planner/00000000000000000000000000000001"

static const uint8_t planner_store [STORE_ID_BYTES] = {[15] = 1};

static void fail (const char *what)
{
    fprintf (stderr, "bench_nis: %s\n", what);
    exit (1);
}

static int64_t wall_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_REALTIME, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*  --- a domain and what is asked of it --- */

typedef struct {
    vertex_t vertices [LINKS_MAX];
    link_t links [LINKS_MAX];
    domain_t domain;
    prng_t prng;
    int64_t base_ms; /* the first moment that is booked */
    uint64_t holds;
} network_t;

/*  Half as many routers as links, in a ring; the other links are chords. */
static void network_make (network_t *self, size_t links)
{
    *self = (network_t){0};
    prng_seed (&self->prng, 1);
    size_t routers = links / 2;
    for (size_t i = 0; i < routers; i++) {
        self->vertices [i].kind = VERTEX_ROUTER;
        snprintf (self->vertices [i].name, sizeof self->vertices [i].name, "N/r%zu", i);
    }
    for (size_t i = 0; i < links; i++) {
        size_t from = i % routers;
        size_t to = (from + 1) % routers;
        while (i >= routers && (to == from || to == (from + 1) % routers))
            to = (size_t) prng_below (&self->prng, routers);
        link_t *link = &self->links [i];
        *link = (link_t){.mbps = LINK_MBPS, .latency_us = 1000};
        snprintf (link->name, sizeof link->name, "l%zu", i);
        memcpy (link->ends [0], self->vertices [from].name, sizeof link->ends [0]);
        memcpy (link->ends [1], self->vertices [to].name, sizeof link->ends [1]);
    }
    self->domain = (domain_t){.vertices = self->vertices,
                              .vertices_count = routers,
                              .links = self->links,
                              .links_count = links,
                              .lead_ms = 1000,
                              .horizon_ms = (int64_t) 365 * DAY_MS};
}

/*  A hold of a part, which it frees, with its vote; the caller frees it. */
static packed_t hold_make (const char *name, const uint8_t store [STORE_ID_BYTES], part_kind_t kind,
                           packed_t part, int64_t now_ms, uint64_t counter, txid_t *txid)
{
    party_t participant = {.endpoint = "sim://x"};
    snprintf (participant.name, sizeof participant.name, "%s", name);
    memcpy (participant.store, store, STORE_ID_BYTES);
    hold_t hold = {
      .plan = {.txid = {.start = 1, .counter = counter},
               .participants = &participant,
               .participants_count = 1,
               .coordinator = {.name = PLANNER, .endpoint = "sim://p"},
               .decide_by_ms = now_ms + 10000,
               .edge_ms = now_ms + 30000,
               .actor = "bench"},
      .part_kind = kind,
      .part = part.data,
      .part_size = part.size,
      .prepare = true,
    };
    memcpy (hold.plan.txid.store, planner_store, STORE_ID_BYTES);
    memcpy (hold.plan.coordinator.store, planner_store, STORE_ID_BYTES);
    snprintf (hold.plan.reservation, sizeof hold.plan.reservation, "r%" PRIu64, counter);
    *txid = hold.plan.txid;
    packed_t body = hold_encode (&hold);
    free (part.data);
    return body;
}

/*  A hold of links that follow each other on the ring. */
static packed_t circuit_hold (network_t *self, size_t links, const uint8_t store [STORE_ID_BYTES],
                              int64_t now_ms, txid_t *txid)
{
    char names [CIRCUIT_MAX][NAME_BYTES_MAX + 1];
    size_t first = (size_t) prng_below (&self->prng, self->domain.vertices_count);
    for (size_t i = 0; i < links; i++)
        memcpy (names [i], self->links [(first + i) % self->domain.vertices_count].name,
                sizeof names [i]);
    int64_t from_ms =
      self->base_ms + (int64_t) prng_below (&self->prng, DAYS * 24 * 12) * (HOUR_MS / 12);
    circuit_t circuit = {.need = "a-b",
                         .links = names,
                         .links_count = links,
                         .mbps = 1 + (uint32_t) prng_below (&self->prng, 1000),
                         .from_ms = from_ms,
                         .until_ms = from_ms + HOUR_MS};
    packed_t part = network_part_encode (&circuit, 1);
    return hold_make ("nis/N", store, PART_NETWORK, part, now_ms, ++self->holds, txid);
}

static packed_t pack (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

static packed_t profile_question (const network_t *self, int days, const char *link)
{
    char *names [] = {(char *) link};
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = self->base_ms + (days == 1 ? DAYS / 2 * (int64_t) DAY_MS : 0);
    request.until_ms = request.from_ms + days * (int64_t) DAY_MS;
    request.n_resources = link ? 1 : 0;
    request.resources = names;
    return pack (&request.base);
}

static packed_t path_question (network_t *self, const char *route)
{
    size_t routers = self->domain.vertices_count;
    size_t from = (size_t) prng_below (&self->prng, routers);
    size_t to = (from + 1 + (size_t) prng_below (&self->prng, routers - 1)) % routers;
    Musubi__PathQuestion question = MUSUBI__PATH_QUESTION__INIT;
    Musubi__PathQuestion *list [] = {&question};
    question.from = self->vertices [from].name;
    question.to = self->vertices [to].name;
    question.mbps = 1000;
    question.from_ms =
      self->base_ms + (int64_t) prng_below (&self->prng, DAYS * 24) * (int64_t) HOUR_MS;
    question.until_ms = question.from_ms + HOUR_MS;
    question.route = (char *) route;
    Musubi__PathsRequest request = MUSUBI__PATHS_REQUEST__INIT;
    request.n_questions = 1;
    request.questions = list;
    return pack (&request.base);
}

/*  A window of an hour on each link. */
static packed_t windows_question (network_t *self)
{
    static Musubi__Window windows [LINKS_MAX];
    static Musubi__Window *list [LINKS_MAX];
    for (size_t i = 0; i < self->domain.links_count; i++) {
        musubi__window__init (&windows [i]);
        list [i] = &windows [i];
        windows [i].resource = self->links [i].name;
        windows [i].quantity = 1000;
        windows [i].from_ms =
          self->base_ms + (int64_t) prng_below (&self->prng, DAYS * 24) * (int64_t) HOUR_MS;
        windows [i].until_ms = windows [i].from_ms + HOUR_MS;
    }
    Musubi__WindowsRequest request = MUSUBI__WINDOWS_REQUEST__INIT;
    request.n_windows = self->domain.links_count;
    request.windows = list;
    return pack (&request.base);
}

/*  --- a core, asked by events --- */

static const char *const everybody [] = {"*"};
static const uint8_t core_store [STORE_ID_BYTES] = {7};

typedef struct {
    core_t core;
    moment_t now;
    network_t *network;
    const char *service;
    const char *method;
    packed_t questions [QUESTIONS];
    size_t questions_count;
    uint64_t holds; /* of a site */
} asker_t;

/*  Bytes answered, so that nothing is optimised away. */
static uint64_t ask_core (asker_t *self, const char *service, const char *method, bytes_t body)
{
    event_t event = {.kind = EVENT_REQUEST,
                     .request = {.service = service,
                                 .method = method,
                                 .actor = PLANNER,
                                 .request_id = "",
                                 .body = body,
                                 .reply_to = 1}};
    self->core.step (self->core.self, &self->now, &event);
    uint64_t bytes = 0;
    effect_t effect;
    while (self->core.next (self->core.self, &effect)) {
        if (effect.kind != EFFECT_REPLY)
            continue;
        if (effect.reply.status != CALL_OK)
            fail (effect.reply.reason);
        bytes += effect.reply.body.size + 1;
    }
    return bytes;
}

static uint64_t ask_questions (void *subject, uint32_t operations)
{
    asker_t *self = subject;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < operations; i++) {
        size_t at = i % self->questions_count;
        bytes += ask_core (self, self->service, self->method,
                           (bytes_t){self->questions [at].data, self->questions [at].size});
    }
    return bytes;
}

static void questions_clear (asker_t *self)
{
    for (size_t i = 0; i < self->questions_count; i++)
        free (self->questions [i].data);
    self->questions_count = 0;
}

/*  Microseconds a question. */
static double questions_us (asker_t *self, const char *service, const char *method,
                            uint32_t operations)
{
    self->service = service;
    self->method = method;
    double us = bench_ns (ask_questions, self, operations) / 1e3;
    questions_clear (self);
    return us;
}

static void question_add (asker_t *self, packed_t question)
{
    self->questions [self->questions_count++] = question;
}

static void core_commit (asker_t *self, packed_t hold, const txid_t *txid)
{
    ask_core (self, "Participant", "Hold", (bytes_t){hold.data, hold.size});
    packed_t commit = txid_message_encode (txid);
    ask_core (self, "Participant", "Commit", (bytes_t){commit.data, commit.size});
    free (commit.data);
    free (hold.data);
}

/*  Held, voted and committed. */
static uint64_t commit_circuits (void *subject, uint32_t operations)
{
    asker_t *self = subject;
    for (uint32_t i = 0; i < operations; i++) {
        txid_t txid;
        packed_t hold =
          circuit_hold (self->network, CIRCUIT_MAX, core_store, self->now.wall_ms, &txid);
        core_commit (self, hold, &txid);
    }
    return self->network->holds;
}

/*  The same at a site, of one class. */
static uint64_t commit_bookings (void *subject, uint32_t operations)
{
    asker_t *self = subject;
    prng_t *prng = &self->network->prng;
    for (uint32_t i = 0; i < operations; i++) {
        int64_t from_ms =
          self->network->base_ms + (int64_t) prng_below (prng, DAYS * 24 * 12) * (HOUR_MS / 12);
        uint32_t cpus = 1 + (uint32_t) prng_below (prng, 1000);
        compute_booking_t booking = {.need = "a",
                                     .class_name = "cpu",
                                     .cpus = cpus,
                                     .nodes = cpus,
                                     .from_ms = from_ms,
                                     .until_ms = from_ms + HOUR_MS};
        txid_t txid;
        packed_t hold =
          hold_make ("lis/bench", core_store, PART_COMPUTE, compute_part_encode (&booking, 1),
                     self->now.wall_ms, ++self->holds, &txid);
        core_commit (self, hold, &txid);
    }
    return self->holds;
}

static void core_start (asker_t *self, network_t *network)
{
    self->network = network;
    self->now = (moment_t){.wall_ms = wall_ms (),
                           .mono_ms = 1000,
                           .store_free_bytes = UINT64_C (1) << 40,
                           .store_bytes = UINT64_C (1) << 40};
    network->base_ms = self->now.wall_ms + DAY_MS;
    event_t event = {.kind = EVENT_START,
                     .start = {.store = {.start = 1}, .endpoint = "sim://x", .events = "sim://x"}};
    memcpy (event.start.store.id, core_store, STORE_ID_BYTES);
    self->core.step (self->core.self, &self->now, &event);
}

static void core_questions (bench_t *bench, asker_t *self, const char *column)
{
    network_t *network = self->network;
    uint32_t links = (uint32_t) network->domain.links_count;
    question_add (self, profile_question (network, 1, NULL));
    double all = questions_us (self, "Calendar", "Profile", 20 + 20000 / links);
    for (size_t i = 0; i < QUESTIONS; i++)
        question_add (self, profile_question (network, 1, network->links [i % links].name));
    double one = questions_us (self, "Calendar", "Profile", 20000);
    bench_put (bench, "profile, all links, a day", column, all);
    bench_put (bench, "  one link, a day", column, one);
    bench_put (bench, "  all / one", column, all / one);
    question_add (self, profile_question (network, DAYS, NULL));
    bench_put (bench, "profile, all links, 20 days", column,
               questions_us (self, "Calendar", "Profile", 20 + 5000 / links));
    question_add (self, windows_question (network));
    bench_put (bench, "windows, one a link", column,
               questions_us (self, "Calendar", "Windows", 20 + 20000 / links));
    static const char *const routes [] = {"free", "fixed"};
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < QUESTIONS; i++)
            question_add (self, path_question (network, routes [r]));
        bench_put (bench, r == 0 ? "path, free" : "path, fixed", column,
                   questions_us (self, "Nis", "Paths", 2000));
    }
}

/*  A site with as much booked, for the ratio. */
static double site_commit_us (network_t *network, uint32_t circuits)
{
    node_class_t class = {.name = "cpu", .nodes = 10000000, .cpus_per_node = 1};
    lis_settings_t settings = {
      .name = "lis/bench",
      .site = {.classes = &class, .classes_count = 1, .horizon_ms = (int64_t) 365 * DAY_MS},
      .access = {.accounts = everybody, .accounts_count = 1},
      .participant = participant_limits_default,
      .limits = lis_limits_default,
    };
    asker_t self = {0};
    lis_core (&settings, &self.core);
    core_start (&self, network);
    commit_bookings (&self, circuits);
    double us = bench_ns (commit_bookings, &self, 500) / 1e3;
    self.core.destroy (self.core.self);
    return us;
}

static void bench_core (bench_t *bench, size_t links, uint32_t circuits, const char *column)
{
    static network_t network;
    network_make (&network, links);
    nis_settings_t settings = {
      .name = "nis/N",
      .domain = network.domain,
      .access = {.accounts = everybody, .accounts_count = 1},
      .participant = participant_limits_default,
      .limits = nis_limits_default,
    };
    asker_t self = {0};
    nis_core (&settings, &self.core);
    core_start (&self, &network);
    commit_circuits (&self, circuits);
    core_questions (bench, &self, column);
    double commit = bench_ns (commit_circuits, &self, 500) / 1e3;
    self.core.destroy (self.core.self);
    double site = site_commit_us (&network, circuits);
    bench_put (bench, "hold, vote, commit: 3 links", column, commit);
    bench_put (bench, "  a site's, one class", column, site);
    bench_put (bench, "  3 links / one class", column, commit / site);
}

/*  --- a live svc-nis --- */

typedef struct {
    network_t *network;
    client_t *client;
    pid_t pid;
    char folder [64];
    char endpoint [256];
    uint8_t store [STORE_ID_BYTES];
} live_t;

static void file_write (const live_t *self, const char *name)
{
    const network_t *network = self->network;
    FILE *file = fopen (name, "w");
    if (!file)
        fail ("no configuration file");
    fprintf (file,
             "name = N\nbind\n    endpoint = \"tcp://127.0.0.1:0\"\n"
             "    events = \"tcp://127.0.0.1:0\"\nstore\n    folder = \"%s/store\"\n"
             "accounts\n    all = \"*\"\nlead = 1s\nrouters = \"r0",
             self->folder);
    for (size_t i = 1; i < network->domain.vertices_count; i++)
        fprintf (file, " r%zu", i);
    fprintf (file, "\"\nlinks\n");
    for (size_t i = 0; i < network->domain.links_count; i++)
        fprintf (file, "    %s\n        between = \"%s, %s\"\n        mbps = %u\n",
                 network->links [i].name, network->links [i].ends [0] + 2,
                 network->links [i].ends [1] + 2, network->links [i].mbps);
    if (fclose (file) != 0)
        fail ("no configuration file");
}

static void reply_want (const client_reply_t *reply)
{
    if (reply->status != CALL_OK)
        fail (reply->reason);
}

static void live_ask (live_t *self, const char *service, const char *method, bytes_t body,
                      client_reply_t *reply)
{
    client_ask (self->client,
                &(client_request_t){.endpoint = self->endpoint,
                                    .service = service,
                                    .method = method,
                                    .actor = PLANNER,
                                    .body = body,
                                    .timeout_ms = 30000},
                reply);
    reply_want (reply);
}

/*  Starts the svc-nis beside this program and waits until it serves; returns seconds. */
static double live_start (live_t *self, network_t *network)
{
    *self = (live_t){.network = network, .client = client_new ()};
    strcpy (self->folder, "/tmp/musubi-nis.XXXXXX");
    if (!mkdtemp (self->folder))
        fail ("no temporary folder");
    char name [96];
    snprintf (name, sizeof name, "%s/N.zpl", self->folder);
    file_write (self, name);
    char own [512];
    ssize_t size = readlink ("/proc/self/exe", own, sizeof own - 16);
    if (size <= 0)
        fail ("/proc/self/exe can't be read");
    own [size] = '\0';
    strcpy (strrchr (own, '/'), "/svc-nis");

    int pipes [2];
    posix_spawn_file_actions_t actions;
    if (pipe (pipes) != 0 || posix_spawn_file_actions_init (&actions) != 0 ||
        posix_spawn_file_actions_adddup2 (&actions, pipes [1], STDOUT_FILENO) != 0 ||
        posix_spawn_file_actions_addclose (&actions, pipes [0]) != 0 ||
        posix_spawn_file_actions_addopen (&actions, STDERR_FILENO, "/dev/null", 1, 0) != 0)
        fail ("no pipe");
    char *arguments [] = {own, (char *) "-c", name, NULL};
    double began = bench_wall_ns ();
    if (posix_spawn (&self->pid, own, &actions, NULL, arguments, environ) != 0)
        fail ("svc-nis can't be run");
    posix_spawn_file_actions_destroy (&actions);
    close (pipes [1]);
    FILE *output = fdopen (pipes [0], "r");
    if (!output || fscanf (output, "ready endpoint=%255s", self->endpoint) != 1)
        fail ("svc-nis does not serve");
    double took_s = (bench_wall_ns () - began) / 1e9;
    fclose (output);
    client_reply_t reply;
    live_ask (self, "Service", "Status", (bytes_t){0}, &reply);
    memcpy (self->store, reply.store, STORE_ID_BYTES);
    return took_s;
}

static void live_stop (live_t *self)
{
    int status;
    if (kill (self->pid, SIGTERM) != 0 || waitpid (self->pid, &status, 0) != self->pid ||
        status != 0)
        fail ("svc-nis does not end cleanly");
    client_destroy (&self->client);
    char command [96];
    snprintf (command, sizeof command, "rm -rf '%s'", self->folder);
    if (system (command) != 0)
        fail (command);
}

static uint64_t live_send (live_t *self, const char *method, packed_t body)
{
    uint64_t call = client_send (self->client, &(client_request_t){.endpoint = self->endpoint,
                                                                   .service = "Participant",
                                                                   .method = method,
                                                                   .actor = PLANNER,
                                                                   .body = {body.data, body.size},
                                                                   .timeout_ms = 30000});
    free (body.data);
    return call;
}

static void live_gather (live_t *self)
{
    client_reply_t reply;
    while (client_wait (self->client, -1, &reply))
        reply_want (&reply);
}

/*  Circuits, a bundle at once. */
static void live_book (live_t *self, uint32_t circuits)
{
    enum { BUNDLE = 200 };
    txid_t txids [BUNDLE];
    for (uint32_t made = 0; made < circuits; made += BUNDLE) {
        for (size_t i = 0; i < BUNDLE; i++) {
            size_t links = 1 + (size_t) prng_below (&self->network->prng, CIRCUIT_MAX);
            live_send (self, "Hold",
                       circuit_hold (self->network, links, self->store, wall_ms (), &txids [i]));
        }
        live_gather (self);
        for (size_t i = 0; i < BUNDLE; i++)
            live_send (self, "Commit", txid_message_encode (&txids [i]));
        live_gather (self);
    }
}

/*  Microseconds from asking to the whole answer; median of BENCH_RUNS means. */
static double live_us (live_t *self, const char *service, const char *method, bytes_t body,
                       int times)
{
    double samples [BENCH_RUNS];
    client_reply_t reply;
    for (int run = 0; run < BENCH_RUNS; run++) {
        double began = bench_wall_ns ();
        for (int i = 0; i < times; i++)
            live_ask (self, service, method, body, &reply);
        samples [run] = (bench_wall_ns () - began) / times / 1e3;
    }
    return bench_median (samples, BENCH_RUNS);
}

static double live_commit_us (live_t *self, int times)
{
    double samples [BENCH_RUNS];
    client_reply_t reply;
    for (int run = 0; run < BENCH_RUNS; run++) {
        double took = 0;
        for (int i = 0; i < times; i++) {
            txid_t txid;
            packed_t hold =
              circuit_hold (self->network, CIRCUIT_MAX, self->store, wall_ms (), &txid);
            packed_t commit = txid_message_encode (&txid);
            double began = bench_wall_ns ();
            live_ask (self, "Participant", "Hold", (bytes_t){hold.data, hold.size}, &reply);
            live_ask (self, "Participant", "Commit", (bytes_t){commit.data, commit.size}, &reply);
            took += bench_wall_ns () - began;
            free (hold.data);
            free (commit.data);
        }
        samples [run] = took / times / 1e3;
    }
    return bench_median (samples, BENCH_RUNS);
}

static void bench_live (bench_t *bench, size_t links, uint32_t circuits, const char *column)
{
    static network_t network;
    network_make (&network, links);
    network.base_ms = wall_ms () + DAY_MS;
    live_t live;
    double start_s = live_start (&live, &network);
    live_book (&live, circuits);
    double empty = live_us (&live, "Service", "Status", (bytes_t){0}, 500);
    bench_put (bench, "loopback: Service.Status", column, empty);
    packed_t body = profile_question (&network, 1, network.links [0].name);
    bench_put (bench, "loopback: profile, one link", column,
               live_us (&live, "Calendar", "Profile", (bytes_t){body.data, body.size}, 500));
    free (body.data);
    body = profile_question (&network, 1, NULL);
    double all = live_us (&live, "Calendar", "Profile", (bytes_t){body.data, body.size}, 100);
    free (body.data);
    bench_put (bench, "loopback: profile, all links", column, all);
    bench_put (bench, "  all / Status", column, all / empty);
    body = path_question (&network, "free");
    bench_put (bench, "loopback: path, free", column,
               live_us (&live, "Nis", "Paths", (bytes_t){body.data, body.size}, 200));
    free (body.data);
    bench_put (bench, "loopback: hold, commit (2 flushes)", column, live_commit_us (&live, 100));
    bench_put (bench, "start of svc-nis, ms", column, start_s * 1e3);
    live_stop (&live);
}

int main (int argc, char **argv)
{
    bench_t *bench = bench_new (argc, argv, "bench_nis", "a network domain of 10 to 1,000 links");
    int64_t circuits = bench_option (bench, "--circuits", 4000);
    int64_t links_max = bench_option (bench, "--links-max", LINKS_MAX);
    bench_begin (bench);
    static const size_t sizes [] = {10, 100, LINKS_MAX};
    for (size_t i = 0; i < 3 && sizes [i] <= (size_t) links_max; i++) {
        char column [16];
        snprintf (column, sizeof column, "%zu links", sizes [i]);
        bench_core (bench, sizes [i], (uint32_t) circuits, column);
        bench_live (bench, sizes [i], (uint32_t) circuits, column);
    }
    bench_note (bench, "Microseconds: processor time of the core; \"loopback\" is wall time of a "
                       "live svc-nis, client included.");
    return bench_end (&bench);
}
