/*  bench_start - how long a site that has promised much takes until it serves again.
 *
 *  A live federation makes this many reservations at one site and is then ended. The site's service
 *  alone is started again on its store, and the time from the start of its process to the line
 *  "ready" is measured. For each reservation the store holds a command, a reservation and three
 *  rows of the ledger.
 */
#include "bench.h"
#include "prng.h"
#include "reserve.h"
#include "testbed.h"

#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    AT_ONCE = 64, /* requests under way at a time, each of another actor */
    HOUR_MS = 3600000,
    SPREAD_HOURS = 480,
};

typedef struct {
    testbed_t testbed;
    prng_t prng;
    int64_t base_ms;
    uint64_t sent;
    uint64_t calls [AT_ONCE];
} start_crowd_t;

static void send_next (start_crowd_t *self, size_t who)
{
    bench_reserve_t order = {.sites = 1, .site = "one", .cpus = {4}, .duration_ms = HOUR_MS};
    order.earliest_ms = self->base_ms + (int64_t) prng_below (&self->prng, SPREAD_HOURS) * HOUR_MS;
    order.deadline_ms = order.earliest_ms + HOUR_MS;
    packed_t body = reserve_encode (&order);
    char request_id [64], actor [16];
    snprintf (request_id, sizeof request_id, "s%d-%" PRIu64 "@g1", (int) getpid (), ++self->sent);
    snprintf (actor, sizeof actor, "client%zu", who);
    self->calls [who] =
      client_send (self->testbed.client, &(client_request_t){.endpoint = self->testbed.planners [0],
                                                             .service = "Planner",
                                                             .method = "Reserve",
                                                             .actor = actor,
                                                             .request_id = request_id,
                                                             .body = {body.data, body.size},
                                                             .timeout_ms = 60000});
    free (body.data);
}

static void fill (start_crowd_t *self, uint64_t reservations)
{
    client_reply_t reply;
    char reservation [NAME_BYTES_MAX + 1];
    for (size_t who = 0; who < AT_ONCE && self->sent < reservations; who++)
        send_next (self, who);
    while (client_wait (self->testbed.client, -1, &reply)) {
        size_t who = 0;
        while (self->calls [who] != reply.call)
            who++;
        if (reply.status != CALL_OK || !answer_committed (reply.body, reservation))
            bench_fail ("a reservation was not committed");
        if (self->sent < reservations)
            send_next (self, who);
    }
}

/*  Milliseconds from the start of the process to "ready". */
static double start_once (const char *program, const char *configuration)
{
    int ends [2], status;
    char line [256] = "";
    pid_t pid;
    posix_spawn_file_actions_t actions;
    char *arguments [] = {(char *) program,
                          "-c",
                          (char *) configuration,
                          "--set",
                          "bind/endpoint=tcp://127.0.0.1:0",
                          "--set",
                          "bind/events=tcp://127.0.0.1:0",
                          NULL};
    if (pipe (ends) != 0 || posix_spawn_file_actions_init (&actions) != 0)
        bench_fail ("no pipe");
    posix_spawn_file_actions_adddup2 (&actions, ends [1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose (&actions, ends [0]);
    posix_spawn_file_actions_addopen (&actions, STDERR_FILENO, "/dev/null", 0, 0);
    double began_ns = bench_wall_ns ();
    if (posix_spawn (&pid, program, &actions, NULL, arguments, environ) != 0)
        bench_fail (program);
    posix_spawn_file_actions_destroy (&actions);
    close (ends [1]);
    FILE *output = fdopen (ends [0], "r");
    bool ready = output && fgets (line, sizeof line, output) && strncmp (line, "ready", 5) == 0;
    double took_ms = (bench_wall_ns () - began_ns) / 1e6;
    kill (pid, SIGTERM);
    waitpid (pid, &status, 0);
    fclose (output);
    if (!ready)
        bench_fail ("it does not serve again");
    return took_ms;
}

static void measure (bench_t *bench, start_crowd_t *self, uint64_t reservations)
{
    char row [64], program [512], configuration [256], store [256];
    double samples [BENCH_RUNS];
    self->sent = 0;
    testbed_start (&self->testbed, client_new (), TESTBED_SITES, 1);
    self->base_ms = (bench_wall_ms () / HOUR_MS + 2) * HOUR_MS;
    fill (self, reservations);
    testbed_quiet (&self->testbed);
    testbed_halt (&self->testbed);
    ssize_t size = readlink ("/proc/self/exe", program, sizeof program - 16);
    if (size <= 0)
        bench_fail ("/proc/self/exe can't be read");
    program [size] = '\0';
    strcpy (strrchr (program, '/'), "/svc-lis");
    snprintf (configuration, sizeof configuration, "%s/run/lis-one.zpl", self->testbed.folder);
    snprintf (store, sizeof store, "%s/run/store/lis-one/store.mdb", self->testbed.folder);
    for (int i = 0; i < BENCH_RUNS; i++)
        samples [i] = start_once (program, configuration);
    struct stat found = {0};
    if (stat (store, &found) != 0)
        bench_fail (store);
    client_t *client = self->testbed.client;
    testbed_stop (&self->testbed);
    client_destroy (&client);
    snprintf (row, sizeof row, "%" PRIu64 " reservations", reservations);
    double took_ms = bench_median (samples, BENCH_RUNS);
    bench_put (bench, row, "to ready ms", took_ms);
    bench_put (bench, row, "us each", reservations ? took_ms * 1e3 / (double) reservations : 0);
    bench_put (bench, row, "on disk MiB", (double) found.st_blocks * 512 / (1 << 20));
}

int main (int argc, char **argv)
{
    static start_crowd_t crowd;
    bench_t *bench = bench_new (argc, argv, "start", "a site that has promised much starts again");
    uint64_t most = (uint64_t) bench_option (bench, "--reservations", 10000);
    bench_begin (bench);
    prng_seed (&crowd.prng, 1);
    measure (bench, &crowd, 0);
    measure (bench, &crowd, most / 10);
    measure (bench, &crowd, most);
    return bench_end (&bench);
}
