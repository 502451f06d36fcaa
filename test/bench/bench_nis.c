/*  bench_nis - what a network domain's answers and holds cost, by the number of its links.
 *
 *  A ring of routers with chords; thousands of circuits of one to three links are booked over
 *  twenty days. First the core is asked by events and its processor time measured. Then a live
 *  svc-nis is started, given as many circuits and asked over loopback, in wall time. Each figure
 *  stands beside a simpler one of the same run: all links beside one link, a hold of three links
 *  beside a site's hold of one class, a question over loopback beside an empty one.
 */
#include "bench.h"
#include "client.h"
#include "lis.h"
#include "network.h"
#include "nis.h"
#include "participant.h"

#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUESTIONS = 64 }; /* different questions of each kind */

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
} nis_asker_t;

/*  Bytes of the answers, added up so that the compiler can't leave out the work. */
static uint64_t ask_core (nis_asker_t *self, const char *service, const char *method, bytes_t body)
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
            bench_fail (effect.reply.reason);
        bytes += effect.reply.body.size + 1;
    }
    return bytes;
}

static uint64_t ask_questions (void *subject, uint32_t operations)
{
    nis_asker_t *self = subject;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < operations; i++) {
        size_t at = i % self->questions_count;
        bytes += ask_core (self, self->service, self->method,
                           (bytes_t){self->questions [at].data, self->questions [at].size});
    }
    return bytes;
}

static void questions_clear (nis_asker_t *self)
{
    for (size_t i = 0; i < self->questions_count; i++)
        free (self->questions [i].data);
    self->questions_count = 0;
}

/*  Microseconds for one question. */
static double questions_us (nis_asker_t *self, const char *service, const char *method,
                            uint32_t operations)
{
    self->service = service;
    self->method = method;
    double us = bench_ns (ask_questions, self, operations) / 1e3;
    questions_clear (self);
    return us;
}

static void question_add (nis_asker_t *self, packed_t question)
{
    self->questions [self->questions_count++] = question;
}

static void core_commit (nis_asker_t *self, packed_t hold, const txid_t *txid)
{
    ask_core (self, "Participant", "Hold", (bytes_t){hold.data, hold.size});
    packed_t commit = codec_encode (&decision_request_codec, &(decision_request_t){*txid, 0});
    ask_core (self, "Participant", "Commit", (bytes_t){commit.data, commit.size});
    free (commit.data);
    free (hold.data);
}

/*  Holds, votes and commits one circuit. */
static uint64_t commit_circuits (void *subject, uint32_t operations)
{
    nis_asker_t *self = subject;
    for (uint32_t i = 0; i < operations; i++) {
        txid_t txid;
        packed_t hold =
          circuit_hold (self->network, CIRCUIT_MAX, core_store, self->now.wall_ms, &txid);
        core_commit (self, hold, &txid);
    }
    return self->network->holds;
}

/*  The same at a site, with one class. */
static uint64_t commit_bookings (void *subject, uint32_t operations)
{
    nis_asker_t *self = subject;
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
          hold_of ("lis/bench", core_store, PART_COMPUTE, compute_part_encode (&booking, 1),
                   self->now.wall_ms, ++self->holds, &txid);
        core_commit (self, hold, &txid);
    }
    return self->holds;
}

static void core_start (nis_asker_t *self, network_t *network)
{
    self->network = network;
    self->now = (moment_t){.wall_ms = bench_wall_ms (),
                           .mono_ms = 1000,
                           .store_free_bytes = UINT64_C (1) << 40,
                           .store_bytes = UINT64_C (1) << 40};
    network->base_ms = self->now.wall_ms + DAY_MS;
    event_t event = {.kind = EVENT_START,
                     .start = {.store = {.start = 1}, .endpoint = "sim://x", .events = "sim://x"}};
    memcpy (event.start.store.id, core_store, STORE_ID_BYTES);
    self->core.step (self->core.self, &self->now, &event);
}

static void core_questions (bench_t *bench, nis_asker_t *self, const char *column)
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

/*  A site with as much booked, to compare with. */
static double site_commit_us (network_t *network, uint32_t circuits)
{
    node_class_t class = {.name = "cpu", .nodes = 10000000, .cpus_per_node = 1};
    lis_settings_t settings = {
      .provider.name = "lis/bench",
      .site = {.classes = &class, .classes_count = 1, .horizon_ms = (int64_t) 365 * DAY_MS},
      .provider.access = {.accounts = everybody, .accounts_count = 1},
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
    };
    nis_asker_t self = {0};
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
      .provider.name = "nis/N",
      .domain = network.domain,
      .provider.access = {.accounts = everybody, .accounts_count = 1},
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (nis_settings_t, &nis_table).provider.limits,
      .paths_max = NIS_PATHS_MOST,
    };
    nis_asker_t self = {0};
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
} nis_live_t;

static void file_write (const nis_live_t *self, const char *name)
{
    const network_t *network = self->network;
    FILE *file = fopen (name, "w");
    if (!file)
        bench_fail ("no configuration file");
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
        bench_fail ("no configuration file");
}

static void reply_want (const client_reply_t *reply)
{
    if (reply->status != CALL_OK)
        bench_fail (reply->reason);
}

static void live_ask (nis_live_t *self, const char *service, const char *method, bytes_t body,
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

/*  Starts the svc-nis that lies beside this program and waits until it serves; returns seconds. */
static double live_start (nis_live_t *self, network_t *network)
{
    *self = (nis_live_t){.network = network, .client = client_new ()};
    strcpy (self->folder, "/tmp/musubi-nis.XXXXXX");
    if (!mkdtemp (self->folder))
        bench_fail ("no temporary folder");
    char name [96];
    snprintf (name, sizeof name, "%s/N.zpl", self->folder);
    file_write (self, name);
    char own [512];
    ssize_t size = readlink ("/proc/self/exe", own, sizeof own - 16);
    if (size <= 0)
        bench_fail ("/proc/self/exe can't be read");
    own [size] = '\0';
    strcpy (strrchr (own, '/'), "/svc-nis");

    int pipes [2];
    posix_spawn_file_actions_t actions;
    if (pipe (pipes) != 0 || posix_spawn_file_actions_init (&actions) != 0 ||
        posix_spawn_file_actions_adddup2 (&actions, pipes [1], STDOUT_FILENO) != 0 ||
        posix_spawn_file_actions_addclose (&actions, pipes [0]) != 0 ||
        posix_spawn_file_actions_addopen (&actions, STDERR_FILENO, "/dev/null", 1, 0) != 0)
        bench_fail ("no pipe");
    char *arguments [] = {own, (char *) "-c", name, NULL};
    double began = bench_wall_ns ();
    if (posix_spawn (&self->pid, own, &actions, NULL, arguments, environ) != 0)
        bench_fail ("svc-nis can't be run");
    posix_spawn_file_actions_destroy (&actions);
    close (pipes [1]);
    FILE *output = fdopen (pipes [0], "r");
    if (!output || fscanf (output, "ready endpoint=%255s", self->endpoint) != 1)
        bench_fail ("svc-nis does not serve");
    double took_s = (bench_wall_ns () - began) / 1e9;
    fclose (output);
    client_reply_t reply;
    live_ask (self, "Service", "Status", (bytes_t){0}, &reply);
    memcpy (self->store, reply.store, STORE_ID_BYTES);
    return took_s;
}

static void live_stop (nis_live_t *self)
{
    int status;
    if (kill (self->pid, SIGTERM) != 0 || waitpid (self->pid, &status, 0) != self->pid ||
        status != 0)
        bench_fail ("svc-nis does not end cleanly");
    client_destroy (&self->client);
    char command [96];
    snprintf (command, sizeof command, "rm -rf '%s'", self->folder);
    if (system (command) != 0)
        bench_fail (command);
}

static uint64_t live_send (nis_live_t *self, const char *method, packed_t body)
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

static void live_gather (nis_live_t *self)
{
    client_reply_t reply;
    while (client_wait (self->client, -1, &reply))
        reply_want (&reply);
}

/*  Books the circuits, many at the same time. */
static void live_book (nis_live_t *self, uint32_t circuits)
{
    enum { BUNDLE = 200 };
    txid_t txids [BUNDLE];
    for (uint32_t made = 0; made < circuits; made += BUNDLE) {
        for (size_t i = 0; i < BUNDLE; i++) {
            size_t links = 1 + (size_t) prng_below (&self->network->prng, CIRCUIT_MAX);
            live_send (
              self, "Hold",
              circuit_hold (self->network, links, self->store, bench_wall_ms (), &txids [i]));
        }
        live_gather (self);
        for (size_t i = 0; i < BUNDLE; i++)
            live_send (self, "Commit",
                       codec_encode (&decision_request_codec, &(decision_request_t){txids [i], 0}));
        live_gather (self);
    }
}

/*  Microseconds from asking until the whole answer is there; median of BENCH_RUNS means. */
static double live_us (nis_live_t *self, const char *service, const char *method, bytes_t body,
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

static double live_commit_us (nis_live_t *self, int times)
{
    double samples [BENCH_RUNS];
    client_reply_t reply;
    for (int run = 0; run < BENCH_RUNS; run++) {
        double took = 0;
        for (int i = 0; i < times; i++) {
            txid_t txid;
            packed_t hold =
              circuit_hold (self->network, CIRCUIT_MAX, self->store, bench_wall_ms (), &txid);
            packed_t commit =
              codec_encode (&decision_request_codec, &(decision_request_t){txid, 0});
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
    network.base_ms = bench_wall_ms () + DAY_MS;
    nis_live_t live;
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
