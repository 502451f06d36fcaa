/*  bench_queue - what scheduling costs for each task, by how many tasks wait.
 *
 *  A site of 200 nodes of 16 CPUs and 100,000 tasks, until all have run. All runs end before their
 *  limits, and whenever one ends there is a pass. Tasks come as one bag, as bags of a hundred, and
 *  each as a bag of its own, with other sizes and limits than its neighbours; with and without a
 *  thousand reservations in the calendar. Figures are microseconds of processor time: of the passes
 *  for each task, and of the worst pass.
 *
 *  Then the whole core of such a site (queue_site.h): submissions, records, and the nodes'
 *  questions as well.
 */
#include "../fuzz/calendar_check.h"
#include "backfill.h"
#include "bench.h"
#include "must.h"
#include "prng.h"
#include "queue_site.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_MS INT64_C (60000)
#define DAY_MS    (1440 * MINUTE_MS)
#define START_MS  INT64_C (1700000000000)

enum { CPUS = 16 };

typedef struct {
    int64_t ends_ms;
    backfill_run_t run;
    size_t node;
} queue_running_t;

typedef struct {
    backfill_t queue;
    calendar_t *calendar;
    size_t class_from [2];
    backfill_node_t *nodes;
    taking_t *bookings; /* of each node; quantity 0 = none */
    backfill_promise_t promise;
    backfill_bag_t *bags;
    size_t bags_count;
    size_t *before; /* of each waiting bag, by index; bags_count marks both ends of the list */
    size_t *next;
    queue_running_t *running; /* a heap ordered by ends_ms */
    size_t running_count;
    prng_t prng;
} queue_site_t;

/*  --- runs, the first to end first --- */

static void heap_swap (queue_site_t *site, size_t a, size_t b)
{
    queue_running_t kept = site->running [a];
    site->running [a] = site->running [b];
    site->running [b] = kept;
}

static void heap_add (queue_site_t *site, const queue_running_t *added)
{
    size_t at = site->running_count++;
    site->running [at] = *added;
    while (at > 0 && site->running [(at - 1) / 2].ends_ms > site->running [at].ends_ms) {
        heap_swap (site, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static queue_running_t heap_take (queue_site_t *site)
{
    queue_running_t first = site->running [0];
    site->running [0] = site->running [--site->running_count];
    for (size_t at = 0, child; (child = 2 * at + 1) < site->running_count; at = child) {
        if (child + 1 < site->running_count &&
            site->running [child + 1].ends_ms < site->running [child].ends_ms)
            child++;
        if (site->running [at].ends_ms <= site->running [child].ends_ms)
            break;
        heap_swap (site, at, child);
    }
    return first;
}

/*  --- the calendar follows the nodes --- */

static void book (queue_site_t *site, size_t node, int64_t until_ms)
{
    taking_t *booking = &site->bookings [node];
    if (booking->quantity > 0)
        calendar_give_back (site->calendar, *booking);
    *booking = (taking_t){0};
    if (until_ms <= site->queue.now_ms)
        return;
    *booking = (taking_t){{site->queue.now_ms, until_ms}, 1};
    if (!calendar_take (site->calendar, *booking))
        bench_fail ("a task was started where the calendar has no room");
}

static backfill_bag_t *next_bag (void *owner, const backfill_bag_t *bag, bool plain)
{
    (void) plain; /* all are */
    queue_site_t *site = owner;
    size_t next = site->next [bag ? (size_t) (bag - site->bags) : site->bags_count];
    return next < site->bags_count ? &site->bags [next] : NULL;
}

static void on_start (void *owner, backfill_bag_t *bag, size_t node, const backfill_run_t *run)
{
    queue_site_t *site = owner;
    backfill_node_t *at = &site->nodes [node];
    if (run->until_ms > at->booked_until_ms)
        book (site, node, run->until_ms);
    int64_t lasts_ms = 1 + (int64_t) prng_below (&site->prng, (uint64_t) bag->limit_ms);
    heap_add (site, &(queue_running_t){site->queue.now_ms + lasts_ms, *run, node});
    if (--bag->waiting > 0)
        return;
    size_t place = (size_t) (bag - site->bags);
    site->before [site->next [place]] = site->before [place];
    site->next [site->before [place]] = site->next [place];
}

static void on_end (queue_site_t *site)
{
    queue_running_t ended = heap_take (site);
    backfill_node_t *node = &site->nodes [ended.node];
    site->queue.now_ms = ended.ends_ms;
    backfill_node_remove (node, &ended.run);
    int64_t busy_ms = backfill_node_busy_until (node);
    if (busy_ms < node->booked_until_ms) {
        book (site, ended.node, busy_ms);
        node->booked_until_ms = busy_ms;
    }
}

/*  --- worlds --- */

static void add_bags (queue_site_t *site, size_t tasks, size_t bags)
{
    site->bags = must (calloc (bags + 1, sizeof *site->bags));
    for (size_t i = 0; i < bags; i++)
        site->bags [i] = (backfill_bag_t){
          .cpus = 1 + (uint32_t) prng_below (&site->prng, bags == 1 ? 1 : CPUS),
          .limit_ms = MINUTE_MS + (int64_t) prng_below (&site->prng, 240 * MINUTE_MS),
          .waiting = (uint32_t) (tasks / bags),
        };
    site->bags_count = bags;
    site->before = must (calloc (bags + 1, sizeof *site->before));
    site->next = must (calloc (bags + 1, sizeof *site->next));
    for (size_t i = 0; i <= bags; i++) {
        site->before [i] = (i + bags) % (bags + 1);
        site->next [i] = (i + 1) % (bags + 1);
    }
}

static void add_reservations (queue_site_t *site, size_t count)
{
    size_t nodes = site->queue.nodes_count;
    for (size_t i = 0; i < count; i++) {
        int64_t from_ms = START_MS + (int64_t) prng_below (&site->prng, 200 * DAY_MS);
        interval_t over = {from_ms, from_ms + MINUTE_MS +
                                      (int64_t) prng_below (&site->prng, 240 * MINUTE_MS)};
        taking_t taking = {over, 1 + (int64_t) prng_below (&site->prng, nodes / 2)};
        calendar_take (site->calendar, taking);
    }
}

static void open_site (queue_site_t *site, size_t nodes)
{
    *site = (queue_site_t){.calendar = calendar_new ((int64_t) nodes), .class_from = {0, nodes}};
    prng_seed (&site->prng, 1);
    site->nodes = must (calloc (nodes, sizeof *site->nodes));
    site->bookings = must (calloc (nodes, sizeof *site->bookings));
    site->running = must (calloc (nodes * CPUS, sizeof *site->running));
    for (size_t i = 0; i < nodes; i++)
        site->nodes [i] = (backfill_node_t){.cpus = CPUS,
                                            .cpus_free = CPUS,
                                            .ready_ms = INT64_MIN,
                                            .lent_until_ms = INT64_MIN,
                                            .given_until_ms = INT64_MAX};
    site->queue = (backfill_t){.now_ms = START_MS,
                               .horizon_ms = START_MS + 400 * DAY_MS,
                               .classes_count = 1,
                               .calendars = (const calendar_t *const *) &site->calendar,
                               .class_from = site->class_from,
                               .nodes = site->nodes,
                               .nodes_count = nodes,
                               .depth = BACKFILL_DEPTH,
                               .data_bound_max = 1,
                               .runs_max = 1024,
                               .promises = &site->promise,
                               .next = next_bag,
                               .start = on_start,
                               .owner = site};
}

static void close_site (queue_site_t *site)
{
    calendar_destroy (&site->calendar);
    for (size_t i = 0; i < site->queue.nodes_count; i++)
        backfill_node_clear (&site->nodes [i]);
    free (site->nodes);
    free (site->bookings);
    free (site->running);
    free (site->bags);
    free (site->before);
    free (site->next);
}

static void measure (bench_t *bench, size_t nodes, size_t tasks, size_t bags, size_t reservations)
{
    queue_site_t site;
    open_site (&site, nodes);
    add_reservations (&site, reservations);
    add_bags (&site, tasks, bags);
    double spent_ns = 0;
    double most_ns = 0;
    size_t passes = 0;
    size_t started = 0;
    while (started < tasks) {
        double before_ns = bench_cpu_ns ();
        started += backfill_pass (&site.queue);
        double pass_ns = bench_cpu_ns () - before_ns;
        spent_ns += pass_ns;
        most_ns = passes > 0 && pass_ns > most_ns ? pass_ns : most_ns; /* the first one fills all */
        passes++;
        if (site.running_count > 0)
            on_end (&site);
        else if (site.promise.bag)
            site.queue.now_ms = site.promise.at_ms;
        else
            bench_fail ("tasks wait for nothing");
    }
    char row [64];
    snprintf (row, sizeof row, "%zu bags, %zu reservations", bags, reservations);
    bench_put (bench, row, "us a task", spent_ns / 1e3 / (double) tasks);
    bench_put (bench, row, "us a pass", spent_ns / 1e3 / (double) passes);
    bench_put (bench, row, "worst pass us", most_ns / 1e3);
    close_site (&site);
}

static void measure_site (bench_t *bench, size_t nodes, size_t tasks, size_t bags)
{
    char row [64];
    queue_site_cost_t cost = queue_site_measure (nodes, CPUS, tasks, bags, 0, "");
    snprintf (row, sizeof row, "a whole site: %zu bags", bags);
    bench_put (bench, row, "us a task", cost.task);
    bench_put (bench, row, "questions a task", cost.asked);
    bench_put (bench, row, "worst step us", cost.worst);
}

int main (int argc, char **argv)
{
    bench_t *bench = bench_new (argc, argv, "queue",
                                "what a pass of the queue's scheduler costs each task it starts");
    size_t nodes = (size_t) bench_option (bench, "--nodes", 200);
    size_t tasks = (size_t) bench_option (bench, "--tasks", 100000);
    bench_begin (bench);
    for (size_t reservations = 0; reservations <= 1000; reservations += 1000) {
        measure (bench, nodes, tasks, 1, reservations);
        measure (bench, nodes, tasks, tasks / 100, reservations);
        measure (bench, nodes, tasks, tasks, reservations);
    }
    measure_site (bench, nodes, tasks, 1);
    measure_site (bench, nodes, tasks, tasks / 100);
    measure_site (bench, nodes, tasks, tasks);
    bench_note (bench, "aim: at most 50 us a task");
    return bench_end (&bench);
}
