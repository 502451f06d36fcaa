/*  flush - child processes that write and flush; their medians come back through pipes. */
#include "flush.h"

#include "bench.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SAMPLES_MAX = 1 << 17,
    RECORD_BYTES = 300, /* about what a vote takes */
};

/*  In a child: flushes for the given time; reports the median through the pipe. */
static void flush_child (const char *folder, int number, double seconds, int report)
{
    char name [128];
    snprintf (name, sizeof name, "%s/flush%d", folder, number);
    store_t *store;
    char why [WHY_BYTES];
    uint8_t id [STORE_ID_BYTES] = {(uint8_t) number};
    double *samples = calloc (SAMPLES_MAX, sizeof *samples);
    if (!samples ||
        store_open (&store, name, STORE_BYTES_DEFAULT, id, bench_wall_ms (), why) != STORE_OK)
        _exit (1);
    uint8_t record [RECORD_BYTES] = {0};
    size_t count = 0;
    double began_ns = bench_wall_ns ();
    while (bench_wall_ns () - began_ns < seconds * 1e9 && count < SAMPLES_MAX) {
        uint64_t key = count;
        double before_ns = bench_wall_ns ();
        if (store_begin (store) != STORE_OK ||
            store_put (store, TABLE_COMMANDS,
                       (bytes_t){.data = (const uint8_t *) &key, .size = sizeof key},
                       (bytes_t){.data = record, .size = sizeof record}) != STORE_OK ||
            store_flush (store, bench_wall_ms ()) != STORE_OK)
            _exit (1);
        samples [count++] = (bench_wall_ns () - before_ns) / 1e9;
    }
    double median = bench_median (samples, count);
    if (write (report, &median, sizeof median) != sizeof median)
        _exit (1);
    store_close (&store);
    _exit (0);
}

double flush_s (int processes, double seconds)
{
    char folder [] = "/tmp/musubi-flush.XXXXXX";
    int report [2];
    if (processes < 1 || processes > FLUSH_PROCESSES_MAX || !mkdtemp (folder) || pipe (report) != 0)
        bench_fail ("no temporary folder");
    pid_t children [FLUSH_PROCESSES_MAX];
    for (int i = 0; i < processes; i++) {
        children [i] = fork ();
        if (children [i] == 0)
            flush_child (folder, i, seconds, report [1]);
    }
    close (report [1]);
    double medians [FLUSH_PROCESSES_MAX];
    for (int i = 0; i < processes; i++) {
        int status;
        if (waitpid (children [i], &status, 0) < 0 || status != 0 ||
            read (report [0], &medians [i], sizeof *medians) != sizeof *medians)
            bench_fail ("the machine's flush can't be measured");
    }
    close (report [0]);
    char command [64];
    snprintf (command, sizeof command, "rm -rf '%s'", folder);
    if (system (command) != 0)
        bench_fail (command);
    return bench_median (medians, (size_t) processes);
}
