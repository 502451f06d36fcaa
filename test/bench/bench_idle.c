/*  bench_idle - what a site that runs tasks costs while there are none: processor time of each
 *  node's agent, and of the site that answers them all, over a minute without requests. Beside it
 *  stands a site of the same federation without nodes, which has only its timers. */
#include "bench.h"
#include "message.h"
#include "nodes.pb-c.h"
#include "testbed.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { AGENTS_MAX = 32, UP_TRIES = 600, UP_PAUSE_MS = 100 };

typedef struct {
    testbed_t testbed;
    pid_t agents [AGENTS_MAX];
} idle_t;

static void pause_ms (int64_t milliseconds)
{
    nanosleep (
      &(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000},
      NULL);
}

/*  --- processes --- */

/*  Processor time of all its threads so far, as the kernel's scheduler has counted it. */
static double cpu_ms (pid_t pid)
{
    char path [320];
    double sum_ns = 0;
    snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
    DIR *threads = opendir (path);
    for (const struct dirent *thread; threads && (thread = readdir (threads));) {
        double spent_ns;
        snprintf (path, sizeof path, "/proc/%d/task/%s/schedstat", (int) pid, thread->d_name);
        FILE *file = *thread->d_name == '.' ? NULL : fopen (path, "r");
        if (file && fscanf (file, "%lf", &spent_ns) == 1)
            sum_ns += spent_ns;
        if (file)
            fclose (file);
    }
    if (!threads)
        bench_fail (path);
    closedir (threads);
    return sum_ns / 1e6;
}

/*  The process of the federation that was started with this file. */
static pid_t process_of (const testbed_t *testbed, const char *configuration)
{
    for (size_t i = 0; i < testbed->pids_count; i++) {
        char path [64], line [4096];
        snprintf (path, sizeof path, "/proc/%d/cmdline", (int) testbed->pids [i]);
        FILE *file = fopen (path, "r");
        size_t size = file ? fread (line, 1, sizeof line, file) : 0;
        if (file)
            fclose (file);
        if (memmem (line, size, configuration, strlen (configuration)))
            return testbed->pids [i];
    }
    bench_fail (configuration);
}

static size_t nodes_up (const idle_t *self)
{
    client_reply_t reply;
    size_t up = 0;
    testbed_ask (&self->testbed, testbed_service (&self->testbed, "lis/ams")->endpoint, "Nodes",
                 "Nodes", (bytes_t){0}, &reply);
    Musubi__NodesAnswer *told =
      (Musubi__NodesAnswer *) message_unpack (&musubi__nodes_answer__descriptor, reply.body);
    if (!told)
        bench_fail ("the site's nodes can't be read");
    for (size_t i = 0; i < told->n_nodes; i++)
        up += told->nodes [i]->state == MUSUBI__NODE_STATE__NODE_UP;
    message_free (&told->base);
    return up;
}

/*  --- the measurement --- */

static void measure (bench_t *bench, idle_t *self, size_t nodes, int64_t seconds)
{
    char federation [1024], name [64], row [32];
    double agents [AGENTS_MAX];
    snprintf (federation, sizeof federation,
              "name = bench\ndirectories = g1\nsites\n"
              "    ams\n        back_end = runner\n        classes\n            thin\n"
              "                nodes = %zu\n                cpus_per_node = 4\n"
              "    bare\n        classes\n            thin\n"
              "                nodes = %zu\n                cpus_per_node = 4\n",
              nodes, nodes);
    testbed_start (&self->testbed, client_new (), federation, 1);
    for (size_t i = 0; i < nodes; i++) {
        snprintf (name, sizeof name, "/node-thin-%03zu@ams.zpl", i + 1);
        self->agents [i] = process_of (&self->testbed, name);
    }
    for (int tries = 0; nodes_up (self) < nodes; tries++) {
        if (tries == UP_TRIES)
            bench_fail ("the nodes don't come up");
        pause_ms (UP_PAUSE_MS);
    }
    testbed_quiet (&self->testbed);
    pid_t site = process_of (&self->testbed, "/lis-ams.zpl");
    pid_t bare = process_of (&self->testbed, "/lis-bare.zpl");
    double site_ms = cpu_ms (site), bare_ms = cpu_ms (bare), from_ns = bench_wall_ns ();
    for (size_t i = 0; i < nodes; i++)
        agents [i] = cpu_ms (self->agents [i]);
    pause_ms (seconds * 1000);
    double minutes = (bench_wall_ns () - from_ns) / 60e9;
    for (size_t i = 0; i < nodes; i++)
        agents [i] = (cpu_ms (self->agents [i]) - agents [i]) / minutes;
    snprintf (row, sizeof row, "%zu nodes", nodes);
    bench_put (bench, row, "agent ms/min", bench_median (agents, nodes));
    bench_put (bench, row, "site ms/min", (cpu_ms (site) - site_ms) / minutes);
    bench_put (bench, row, "without nodes ms/min", (cpu_ms (bare) - bare_ms) / minutes);
    client_t *client = self->testbed.client;
    testbed_stop (&self->testbed);
    client_destroy (&client);
}

int main (int argc, char **argv)
{
    static idle_t idle;
    bench_t *bench = bench_new (argc, argv, "idle", "a site that runs tasks, while there are none");
    int64_t seconds = bench_option (bench, "--seconds", 60);
    int64_t nodes = bench_option (bench, "--nodes", 20);
    bench_begin (bench);
    if (seconds < 1 || nodes < 1 || nodes > AGENTS_MAX)
        bench_fail ("--seconds from 1, --nodes from 1 to 32");
    measure (bench, &idle, 1, seconds);
    measure (bench, &idle, (size_t) nodes, seconds);
    bench_note (bench, "Processor time of a minute; 60 000 ms would be one processor.");
    return bench_end (&bench);
}
