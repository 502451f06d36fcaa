/*  bench_matching - what it costs to put each task where its input is, or can be soonest.
 *
 *  The core of a site of 200 nodes of 16 CPUs, each with a storage node, and 100,000 tasks with
 *  inputs over 1,000 files, which are at two nodes each at first (queue_site.h): submissions,
 *  records, nodes' questions, what svc-replica is asked and answers. Beside it in the same run the
 *  same tasks without inputs; and those with a rank alone, which costs the match and nothing of
 *  staging. Microseconds of processor time of the core.
 */
#include "bench.h"
#include "queue_site.h"

#include <stdio.h>

enum { CPUS = 16 };

static void measure (bench_t *bench, size_t nodes, size_t tasks, size_t bags, size_t files)
{
    char row [64];
    queue_site_cost_t plain = queue_site_measure (nodes, CPUS, tasks, bags, 0, "");
    queue_site_cost_t ranked = queue_site_measure (nodes, CPUS, tasks, bags, 0, "cpus_free - load");
    queue_site_cost_t cost = queue_site_measure (nodes, CPUS, tasks, bags, files, "");
    snprintf (row, sizeof row, "%zu bags", bags);
    bench_put (bench, row, "us a task", cost.task);
    bench_put (bench, row, "without inputs", plain.task);
    bench_put (bench, row, "with a rank alone", ranked.task);
    bench_put (bench, row, "match alone", ranked.task - plain.task);
    bench_put (bench, row, "match and staging", cost.task - plain.task);
    bench_put (bench, row, "calls a task", cost.calls);
    bench_put (bench, row, "stays found there", cost.held);
    bench_put (bench, row, "worst step us", cost.worst);
}

int main (int argc, char **argv)
{
    bench_t *bench =
      bench_new (argc, argv, "matching", "what it costs to put a task where its input is");
    size_t nodes = (size_t) bench_option (bench, "--nodes", 200);
    size_t tasks = (size_t) bench_option (bench, "--tasks", 100000);
    size_t files = (size_t) bench_option (bench, "--files", 1000);
    bench_begin (bench);
    measure (bench, nodes, tasks, tasks / 100, files);
    measure (bench, nodes, tasks, tasks, files);
    bench_note (bench, "aim: at most 100 us a task");
    return bench_end (&bench);
}
