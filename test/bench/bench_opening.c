/*  bench_opening - how soon after its opening the tasks of a co-allocated reservation begin.
 *
 *  Five sites with nodes of their own, whose agents are processes. Reservations on three sites are
 *  made for instants that follow each other, each with a task that was submitted in advance at each
 *  of its sites. The task is `date`, so its own clock is compared with the opening. Beside it stand
 *  the same task submitted to an idle queue, and `date` started by this program.
 */
#include "bench.h"
#include "reserve.h"
#include "submit.h"
#include "testbed.h"

#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SITE(name)                                                                                 \
    "    " name "\n        classes\n            node\n                nodes = 4\n"                 \
    "                cpus_per_node = 2\n        back_end = runner\n        opening\n"              \
    "            warning = 1s\n            grace = 1s\n"

#define SITES 5

enum {
    OPENINGS_MOST = 100,
    OPENED_SITES = 3,
    BEGIN_MS = 25000, /* until the first opening: planners want 15 s, and tasks come before it */
    APART_MS = 4000,
    LENGTH_MS = 3000,
    OUTPUT_MS = 10000,
    LOOK_MS = 20,
};

static const char *const sites [SITES] = {"lis/a", "lis/b", "lis/c", "lis/d", "lis/e"};

typedef struct {
    int64_t opens_ms;
    const char *endpoint;
    uint64_t bag;
} opening_task_t;

static void rest_ms (int64_t left_ms)
{
    struct timespec rest = {.tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000};
    if (left_ms > 0)
        nanosleep (&rest, NULL);
}

static bool ask (testbed_t *testbed, const char *endpoint, const char *service, const char *method,
                 packed_t body, client_reply_t *reply)
{
    static uint64_t asked;
    char request_id [64];
    snprintf (request_id, sizeof request_id, "o%d-%" PRIu64 "@g1", (int) getpid (), ++asked);
    client_ask (testbed->client,
                &(client_request_t){.endpoint = endpoint,
                                    .service = service,
                                    .method = method,
                                    .actor = TESTBED_ACTOR,
                                    .request_id = request_id,
                                    .body = {body.data, body.size},
                                    .timeout_ms = 60000},
                reply);
    free (body.data);
    return reply->status == CALL_OK;
}

/*  A reservation that opens at that time, on any three sites, with a task at each of them. */
static size_t reserve_at (testbed_t *testbed, int64_t opens_ms, opening_task_t tasks [OPENED_SITES])
{
    char reservation [NAME_BYTES_MAX + 1];
    client_reply_t reply;
    size_t count = 0;
    bench_reserve_t order = {.sites = OPENED_SITES,
                             .cpus = {2, 2, 2},
                             .earliest_ms = opens_ms,
                             .deadline_ms = opens_ms + LENGTH_MS,
                             .duration_ms = LENGTH_MS};
    if (!ask (testbed, testbed->planners [0], "Planner", "Reserve", reserve_encode (&order),
              &reply) ||
        !answer_committed (reply.body, reservation))
        bench_fail ("a reservation was not committed");
    for (size_t i = 0; i < SITES && count < OPENED_SITES; i++) {
        const char *endpoint = testbed_service (testbed, sites [i])->endpoint;
        if (ask (testbed, endpoint, "Queue", "Submit", submit_date_encode (reservation), &reply))
            tasks [count++] = (opening_task_t){opens_ms, endpoint, submitted_bag (reply.body)};
    }
    return count;
}

/*  When the task began, by its own clock. */
static double began_ms (testbed_t *testbed, const opening_task_t *task)
{
    client_reply_t reply;
    for (int64_t waited_ms = 0; waited_ms < OUTPUT_MS; waited_ms += LOOK_MS) {
        double at_ms = 0;
        if (ask (testbed, task->endpoint, "Queue", "Output", output_encode (task->bag), &reply))
            at_ms = output_date_ms (reply.body);
        if (at_ms > 0)
            return at_ms;
        rest_ms (LOOK_MS);
    }
    bench_fail ("a task did not begin");
}

static void put (bench_t *bench, const char *row, double *samples, size_t count)
{
    double median = bench_median (samples, count); /* sorted from here on */
    bench_put (bench, row, "tasks", (double) count);
    bench_put (bench, row, "least ms", samples [0]);
    bench_put (bench, row, "median ms", median);
    bench_put (bench, row, "p90 ms", bench_percentile (samples, count, .9));
    bench_put (bench, row, "max ms", samples [count - 1]);
}

static void measure_openings (bench_t *bench, testbed_t *testbed, size_t openings)
{
    static opening_task_t tasks [OPENINGS_MOST * OPENED_SITES];
    static double samples [OPENINGS_MOST * OPENED_SITES];
    size_t count = 0;
    int64_t first_ms = (bench_wall_ms () + BEGIN_MS) / 1000 * 1000;
    for (size_t i = 0; i < openings; i++) {
        count += reserve_at (testbed, first_ms + (int64_t) i * APART_MS, &tasks [count]);
        if (count != (i + 1) * OPENED_SITES)
            bench_fail ("a reservation has too few sites");
    }
    int64_t over_ms = first_ms + (int64_t) openings * APART_MS;
    rest_ms (over_ms - bench_wall_ms ());
    for (size_t i = 0; i < count; i++)
        samples [i] = began_ms (testbed, &tasks [i]) - (double) tasks [i].opens_ms;
    put (bench, "opening to its task", samples, count);
}

static void measure_queue (bench_t *bench, testbed_t *testbed, size_t count)
{
    static double samples [OPENINGS_MOST];
    for (size_t i = 0; i < count; i++) {
        opening_task_t task = {.endpoint = testbed_service (testbed, sites [i % SITES])->endpoint};
        client_reply_t reply;
        struct timespec now;
        clock_gettime (CLOCK_REALTIME, &now);
        if (!ask (testbed, task.endpoint, "Queue", "Submit", submit_date_encode (""), &reply))
            bench_fail (reply.reason);
        task.bag = submitted_bag (reply.body);
        samples [i] =
          began_ms (testbed, &task) - ((double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6);
    }
    put (bench, "idle queue to its task", samples, count);
}

/*  The time that starting it takes at all. */
static double date_alone_ms (void)
{
    int ends [2], status;
    pid_t pid;
    char line [64] = "";
    char *arguments [] = {(char *) "date", (char *) "+%s%N", NULL};
    struct timespec now;
    posix_spawn_file_actions_t actions;
    if (pipe (ends) != 0 || posix_spawn_file_actions_init (&actions) != 0)
        bench_fail ("no pipe");
    posix_spawn_file_actions_adddup2 (&actions, ends [1], STDOUT_FILENO);
    clock_gettime (CLOCK_REALTIME, &now);
    if (posix_spawnp (&pid, "date", &actions, NULL, arguments, environ) != 0)
        bench_fail ("date");
    posix_spawn_file_actions_destroy (&actions);
    close (ends [1]);
    ssize_t size = read (ends [0], line, sizeof line - 1);
    close (ends [0]);
    waitpid (pid, &status, 0);
    if (size <= 0)
        bench_fail ("date says nothing");
    return strtod (line, NULL) / 1e6 - ((double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6);
}

static void measure_alone (bench_t *bench, size_t count)
{
    static double samples [OPENINGS_MOST];
    for (size_t i = 0; i < count; i++)
        samples [i] = date_alone_ms ();
    put (bench, "started by hand", samples, count);
}

int main (int argc, char **argv)
{
    static testbed_t testbed;
    bench_t *bench =
      bench_new (argc, argv, "opening", "from an opening to its tasks on three sites");
    int64_t openings = bench_option (bench, "--openings", 12);
    bench_begin (bench);
    if (openings < 1 || openings > OPENINGS_MOST)
        bench_fail ("--openings is 1 to 100");
    client_t *client = client_new ();
    testbed_start (&testbed, client,
                   "name = bench\ndirectories = g1\nsites\n" SITE ("a") SITE ("b") SITE ("c")
                     SITE ("d") SITE ("e"),
                   1);
    measure_openings (bench, &testbed, (size_t) openings);
    measure_queue (bench, &testbed, (size_t) openings);
    measure_alone (bench, (size_t) openings);
    testbed_stop (&testbed);
    client_destroy (&client);
    return bench_end (&bench);
}
