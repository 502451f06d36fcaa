/*  sim_batch - a table of jobs beside the machines' runs, and a tick in which they begin and
 *  end. */
#include "sim_batch.h"

#include "must.h"
#include "openings_wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_US       100000
#define LENGTH_MS_MAX 5000
#define FRESH_US      700000 /* what is younger may be lost when it dies */

static int64_t wall_ms (const sim_batch_t *self)
{
    return SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
}

static int64_t up_to (sim_batch_t *self, int64_t most)
{
    return (int64_t) prng_below (&self->prng, (uint64_t) most + 1);
}

/*  --- reservations --- */

static sim_reserved_t *reserved_find (sim_batch_t *self, const char *name)
{
    for (size_t i = 0; i < self->reserved_count; i++)
        if (strcmp (self->reserved [i].name, name) == 0)
            return &self->reserved [i];
    return NULL;
}

const sim_reserved_t *sim_batch_other (const sim_batch_t *self, size_t node, const char *name,
                                       int64_t from_ms)
{
    for (size_t i = 0; i < self->reserved_count; i++) {
        const sim_reserved_t *one = &self->reserved [i];
        if (!one->others && one->has [node] && strcmp (one->name, name) != 0 &&
            one->from_ms < from_ms && one->from_ms <= wall_ms (self))
            return one;
    }
    return NULL;
}

static void reserved_remove (sim_batch_t *self, sim_reserved_t *one)
{
    sim_trace (self->sim, 0, "    batch: reservation %s removed", one->name);
    *one = self->reserved [--self->reserved_count];
}

/*  Is it there at an instant of [from_ms, until_ms)? */
static bool is_over (const sim_reserved_t *one, int64_t from_ms, int64_t until_ms)
{
    int64_t later_ms = 0;
    for (uint32_t time = 0; time == 0 || time < one->times; time++, later_ms += one->period_ms)
        if (one->from_ms + later_ms < until_ms && from_ms < one->until_ms + later_ms)
            return true;
    return false;
}

static bool overlaps (const sim_reserved_t *one, const sim_reserved_t *other)
{
    bool over = false;
    int64_t later_ms = 0;
    for (uint32_t time = 0; time == 0 || time < other->times; time++, later_ms += other->period_ms)
        over = over || is_over (one, other->from_ms + later_ms, other->until_ms + later_ms);
    for (size_t i = 0; over && i < SIM_BATCH_NODES; i++)
        if (one->has [i] && other->has [i])
            return true;
    return false;
}

/*  --- jobs --- */

static sim_run_t *run_at (sim_batch_t *self, size_t at)
{
    return &self->machines->runs [at];
}

static void job_over (sim_batch_t *self, size_t at, run_state_t state, const char *why)
{
    sim_run_t *run = run_at (self, at);
    run->active = run->starter = false;
    run->stand.report.state = state;
    run->stand.report.ended_ms = wall_ms (self);
    snprintf (run->stand.report.why, sizeof run->stand.report.why, "%s", why);
    self->jobs [at].known = false;
    sim_trace (self->sim, 0, "    batch: job %s over: state=%d %s", run->name, state, why);
}

static uint32_t cpus_busy (sim_batch_t *self, size_t node)
{
    uint32_t busy = 0;
    for (size_t i = 0; i < self->machines->runs_count; i++)
        if (run_at (self, i)->active && self->jobs [i].node == node)
            busy += run_at (self, i)->cpus;
    return busy;
}

/*  Until when jobs may run there, as their limits are. */
static int64_t busy_until_ms (sim_batch_t *self, size_t node)
{
    int64_t until_ms = 0;
    for (size_t i = 0; i < self->machines->runs_count; i++) {
        int64_t ends_ms = run_at (self, i)->stand.report.started_ms + self->jobs [i].limit_ms;
        if (run_at (self, i)->active && self->jobs [i].node == node && ends_ms > until_ms)
            until_ms = ends_ms;
    }
    return until_ms;
}

/*  May the job run on that node now? As a batch system judges: in its reservation, or up to the
 *  next one. */
static bool node_takes (sim_batch_t *self, size_t at, size_t node)
{
    const sim_run_t *run = run_at (self, at);
    const sim_batch_node_t *place = &self->nodes [node];
    int64_t now_ms = wall_ms (self);
    const sim_reserved_t *own = reserved_find (self, run->reservation);
    if (place->down || place->drained || cpus_busy (self, node) + run->cpus > place->cpus)
        return false;
    if (*run->reservation)
        return own && own->has [node] && own->from_ms <= now_ms && now_ms < own->until_ms;
    for (size_t i = 0; i < self->reserved_count; i++)
        if (self->reserved [i].has [node] &&
            is_over (&self->reserved [i], now_ms, now_ms + self->jobs [at].limit_ms))
            return false;
    return true;
}

static void job_begin (sim_batch_t *self, size_t at, size_t node)
{
    sim_run_t *run = run_at (self, at);
    sim_job_t *job = &self->jobs [at];
    run_order_t order = {.cpus = run->cpus, .reservation = run->reservation};
    if (run->begun)
        sim_fail (self->sim, "job %s begins a second time", run->name);
    job->node = node;
    self->machines->begins (self->machines->owner, (int) node, &run->id, &order);
    run->begun = run->active = run->starter = true;
    run->stand.report.state = RUN_RUNNING;
    run->stand.report.started_ms = wall_ms (self);
    int64_t length_ms = up_to (self, LENGTH_MS_MAX);
    length_ms = length_ms < job->limit_ms ? length_ms : job->limit_ms;
    run->ends_us = sim_now_us (self->sim) + 1000 * length_ms;
    sim_trace (self->sim, 0, "    batch: job %s begins on %s", run->name, self->nodes [node].name);
}

static void job_tick (sim_batch_t *self, size_t at)
{
    sim_run_t *run = run_at (self, at);
    if (!self->jobs [at].known)
        return;
    if (run->active && self->nodes [self->jobs [at].node].down) {
        job_over (self, at, RUN_LOST, "its node has failed");
    } else if (run->active && sim_now_us (self->sim) >= run->ends_us) {
        bool well = self->machines->hands && run->id.task.bag % 4 != 0;
        run->stand.report.exit_code = well ? 0 : (int32_t) (run->id.task.bag % 100);
        job_over (self, at, RUN_ENDED, "");
    }
    for (size_t node = 0; node < SIM_BATCH_NODES && !run->begun && self->jobs [at].known; node++)
        if (node_takes (self, at, node))
            job_begin (self, at, node);
}

/*  A batch system that hangs, or is dead, begins nothing; what runs goes on. */
static void on_tick (void *owner, uint64_t token)
{
    (void) token;
    sim_batch_t *self = owner;
    for (size_t i = 0; i < self->machines->runs_count; i++)
        if (!self->hangs || run_at (self, i)->active)
            job_tick (self, i);
    sim_at (self->sim, sim_now_us (self->sim) + TICK_US, on_tick, self, 0);
}

void sim_batch_start (sim_batch_t *self, sim_t *sim, uint64_t seed)
{
    self->sim = sim;
    prng_seed (&self->prng, seed);
    sim_at (sim, sim_now_us (sim) + TICK_US, on_tick, self, 0);
}

/*  --- what the agent does --- */

static size_t folder (sim_batch_t *self, const char *name)
{
    uint8_t site [STORE_ID_BYTES];
    sim_machines_t *all = self->machines;
    size_t at = 0;
    while (at < all->runs_count && strcmp (all->runs [at].name, name) != 0)
        at++;
    if (at < all->runs_count)
        return at;
    assert (at < SIM_RUNS_MAX);
    sim_run_t *run = &all->runs [all->runs_count++];
    *run = (sim_run_t){.machine = 0};
    snprintf (run->name, sizeof run->name, "%s", name);
    snprintf (run->stand.name, sizeof run->stand.name, "%s", name);
    bool named = run_name_parse (name, site, &run->id);
    assert (named);
    (void) named;
    return at;
}

static void submit (sim_batch_t *self, const work_order_t *order)
{
    size_t at = folder (self, order->ticket.name);
    sim_run_t *run = run_at (self, at);
    if (run->stand.report.state != RUN_CLAIMED || self->jobs [at].known)
        return;
    const sim_machines_t *all = self->machines;
    if (all->enters && !all->enters (all->files_owner, 0, &run->id, order->ticket.order)) {
        run->stand.report.node_unfit = true;
        job_over (self, at, RUN_REFUSED, "a copy is not there");
        return;
    }
    run->cpus = order->ticket.order->cpus;
    snprintf (run->reservation, sizeof run->reservation, "%s", order->ticket.order->reservation);
    self->jobs [at] = (sim_job_t){.known = true, .limit_ms = order->ticket.order->limit_ms};
    run->begun_us = sim_now_us (self->sim);
    sim_trace (self->sim, 0, "    batch: job %s queued", run->name);
}

static void signal_job (sim_batch_t *self, const work_order_t *order)
{
    size_t at = folder (self, order->names [0]);
    sim_run_t *run = run_at (self, at);
    if (order->warn || order->suspend || order->resume)
        return;
    if (run->stand.report.state == RUN_CLAIMED)
        job_over (self, at, RUN_REFUSED, "it was ended before it began");
    int64_t by_us = sim_now_us (self->sim) + 1000 * up_to (self, order->grace_ms);
    if (run->active && run->ends_us > by_us)
        run->ends_us = by_us;
}

static stand_t stand_of (sim_batch_t *self, const char *name)
{
    size_t at = folder (self, name);
    const sim_machines_t *all = self->machines;
    run_report_t *report = &run_at (self, at)->stand.report;
    if (all->hands && report->state == RUN_ENDED && report->exit_code == 0 && report->signal == 0 &&
        !report->handed)
        report->handed = all->hands (all->files_owner, run_at (self, at));
    stand_t stand = run_at (self, at)->stand;
    stand.queued = stand.report.state == RUN_CLAIMED && self->jobs [at].known;
    return stand;
}

static void picture_make (sim_batch_t *self, batch_picture_t *picture)
{
    snprintf (picture->system, sizeof picture->system, "simulated 1");
    picture->nodes = must (calloc (SIM_BATCH_NODES, sizeof *picture->nodes));
    picture->nodes_count = SIM_BATCH_NODES;
    for (size_t i = 0; i < SIM_BATCH_NODES; i++) {
        const sim_batch_node_t *from = &self->nodes [i];
        batch_node_t *node = &picture->nodes [i];
        *node = (batch_node_t){.up = !from->down,
                               .drained = from->drained,
                               .cpus = from->cpus,
                               .cpus_busy = cpus_busy (self, i),
                               .busy_until_ms = busy_until_ms (self, i)};
        snprintf (node->node, sizeof node->node, "%s", from->name);
    }
    picture->bookings = must (calloc (self->reserved_count + 1, sizeof *picture->bookings));
    for (size_t i = 0; i < self->reserved_count; i++) {
        const sim_reserved_t *from = &self->reserved [i];
        batch_booking_t *booking = &picture->bookings [picture->bookings_count];
        for (size_t k = 0; from->job && k < SIM_BATCH_NODES; k++)
            if (from->has [k] && from->until_ms > wall_ms (self))
                batch_node_job (&picture->nodes [k], from->from_ms, from->until_ms, true);
        if (!from->others || from->job)
            continue;
        picture->bookings_count++;
        *booking = (batch_booking_t){.from_ms = from->from_ms, .until_ms = from->until_ms};
        snprintf (booking->name, sizeof booking->name, "%s", from->name);
        booking->again_ms = must (calloc (2 * (size_t) from->times + 1, sizeof (int64_t)));
        for (uint32_t time = 1; time < from->times; time++) {
            booking->again_ms [booking->again_count++] = from->from_ms + time * from->period_ms;
            booking->again_ms [booking->again_count++] = from->until_ms + time * from->period_ms;
        }
        booking->nodes = must (calloc (SIM_BATCH_NODES, sizeof *booking->nodes));
        for (size_t k = 0; k < SIM_BATCH_NODES; k++)
            if (from->has [k])
                booking->nodes [booking->nodes_count++] = must (strdup (self->nodes [k].name));
    }
}

static void agent_work (sim_batch_t *self, const char *kind, const work_order_t *order,
                        work_result_t *result)
{
    result->stands = must (calloc (WORK_NAMES_MAX, sizeof *result->stands));
    if (strcmp (kind, RUN_START) == 0) {
        submit (self, order);
        result->stands [result->stands_count++] = stand_of (self, order->ticket.name);
    } else if (strcmp (kind, RUN_SIGNAL) == 0) {
        signal_job (self, order);
    }
    for (size_t i = 0; i < order->names_count && strcmp (kind, RUN_READ) != 0; i++)
        result->stands [result->stands_count++] = stand_of (self, order->names [i]);
    if (strcmp (kind, RUN_LOOK) == 0 && order->names_count == 0) {
        result->batch = must (calloc (1, sizeof *result->batch));
        picture_make (self, result->batch);
    }
}

/*  --- what the site's back end does --- */

static sim_reserved_t reserved_of (const sim_batch_t *self, const back_end_order_t *order)
{
    sim_reserved_t one = {.from_ms = order->from_ms, .until_ms = order->until_ms};
    snprintf (one.name, sizeof one.name, "%s", order->reservation);
    for (size_t i = 0; i < order->nodes_count; i++)
        for (size_t k = 0; k < SIM_BATCH_NODES; k++)
            one.has [k] |= strcmp (order->nodes [i], self->nodes [k].name) == 0;
    return one;
}

/*  Makes it, or makes it equal. A batch system refuses nodes that are another's, the site's
 *  included as long as it is only named; jobs there don't count. */
static const char *reserve (sim_batch_t *self, const back_end_order_t *order, bool named)
{
    sim_reserved_t wanted = reserved_of (self, order);
    sim_reserved_t *had = reserved_find (self, wanted.name);
    for (size_t i = 0; i < self->reserved_count; i++)
        if (&self->reserved [i] != had && !self->reserved [i].job &&
            (named || self->reserved [i].others) && overlaps (&self->reserved [i], &wanted))
            return "its nodes are in another reservation";
    self->prepared += !had;
    if (!had) {
        assert (self->reserved_count < SIM_BATCH_RESERVED);
        had = &self->reserved [self->reserved_count++];
    }
    *had = wanted;
    had->made_us = sim_now_us (self->sim);
    sim_trace (self->sim, 0, "    batch: reservation %s nodes=%d%d%d%d", wanted.name,
               wanted.has [0], wanted.has [1], wanted.has [2], wanted.has [3]);
    return NULL;
}

/*  Tasks of the site's queue on its nodes make way, jobs of others don't. */
static const char *open_up (sim_batch_t *self, const back_end_order_t *order)
{
    const char *why = reserve (self, order, false);
    sim_reserved_t wanted = reserved_of (self, order);
    for (size_t i = 0; i < self->machines->runs_count && !why; i++)
        if (run_at (self, i)->active && wanted.has [self->jobs [i].node] &&
            strcmp (run_at (self, i)->reservation, order->reservation) != 0)
            job_over (self, i, RUN_LOST, "a reservation needs its node");
    for (size_t i = 0; i < self->reserved_count && !why; i++)
        if (self->reserved [i].job && self->reserved [i].until_ms > wall_ms (self) &&
            overlaps (&self->reserved [i], &wanted))
            why = "a job of others runs on its nodes";
    return why;
}

static const char *verify (sim_batch_t *self, const back_end_order_t *order)
{
    sim_reserved_t wanted = reserved_of (self, order);
    const sim_reserved_t *had = reserved_find (self, wanted.name);
    return had && had->from_ms == wanted.from_ms && had->until_ms == wanted.until_ms &&
               memcmp (had->has, wanted.has, sizeof had->has) == 0
             ? NULL
             : "it is not as it was made";
}

static void close_down (sim_batch_t *self, const char *name)
{
    sim_reserved_t *one = reserved_find (self, name);
    for (size_t i = 0; i < self->machines->runs_count; i++)
        if (run_at (self, i)->active && strcmp (run_at (self, i)->reservation, name) == 0) {
            run_at (self, i)->stand.report.signal = 15;
            job_over (self, i, RUN_ENDED, "its reservation has ended");
        }
    if (one)
        reserved_remove (self, one);
}

static void reconcile (sim_batch_t *self, const back_end_task_t *task)
{
    for (size_t i = self->reserved_count; i-- > 0;) {
        bool wanted = self->reserved [i].others;
        for (size_t k = 0; k < task->count; k++)
            wanted |= strcmp (task->orders [k].reservation, self->reserved [i].name) == 0;
        if (!wanted)
            close_down (self, self->reserved [i].name);
    }
}

/*  Nobody is ended for what is only named. */
static const char *name_nodes (sim_batch_t *self, const back_end_order_t *order)
{
    sim_reserved_t wanted = reserved_of (self, order);
    if (!verify (self, order))
        return NULL;
    for (size_t i = 0; i < SIM_BATCH_NODES; i++)
        if (wanted.has [i] && busy_until_ms (self, i) > wanted.from_ms)
            return "a job may run into it";
    return reserve (self, order, true);
}

/*  A line for each that is not as it was made, or for each section of accounts that may not
 *  charge. */
static void look_all (sim_batch_t *self, const back_end_task_t *task, uint8_t **result,
                      size_t *size)
{
    char *told = must_print ("%s", "");
    for (size_t i = 0; i < task->count; i++) {
        const char *no_account = self->unfit ? "it has no such account" : NULL;
        const char *why =
          task->step == BACK_END_CHARGES ? no_account : verify (self, &task->orders [i]);
        char *before = told;
        if (!why)
            continue;
        told = must_print ("%s%s%s %s\n", before, task->orders [i].reservation,
                           task->step == BACK_END_CHARGES ? ":" : "", why);
        free (before);
    }
    *result = (uint8_t *) told;
    *size = strlen (told);
}

static const char *back_end_work (sim_batch_t *self, const back_end_task_t *task)
{
    switch (task->step) {
    case BACK_END_NAME:
        return name_nodes (self, &task->orders [0]);
    case BACK_END_PREPARE:
        return reserve (self, &task->orders [0], false);
    case BACK_END_OPEN:
        return open_up (self, &task->orders [0]);
    case BACK_END_WATCH:
        return verify (self, &task->orders [0]);
    case BACK_END_CLOSE:
        close_down (self, task->orders [0].reservation);
        return NULL;
    default:
        reconcile (self, task);
        return NULL;
    }
}

static bool result_say (uint8_t **result, size_t *result_size, const char *why)
{
    *result = must ((uint8_t *) strdup (why));
    *result_size = strlen (why);
    return false;
}

bool sim_batch_work (void *owner, int process, int64_t mono_ms, const char *kind, bytes_t arguments,
                     uint8_t **result, size_t *result_size)
{
    (void) process, (void) mono_ms;
    sim_batch_t *self = owner;
    char why [WHY_BYTES] = "";
    work_result_t told = {.why = ""};
    if (self->hangs)
        return result_say (result, result_size, "the batch system does not answer");
    if (strcmp (kind, "batch") == 0) {
        back_end_task_t task;
        if (!codec_decode (&back_end_task_codec, &task, arguments, why))
            sim_fail (self->sim, "work %s: %s", kind, why);
        if (!*why && (task.step == BACK_END_LOOK || task.step == BACK_END_CHARGES)) {
            look_all (self, &task, result, result_size);
            codec_clear (&back_end_task_codec, &task);
            return true;
        }
        bool counts = !*why && task.step == BACK_END_COUNT;
        const char *trouble = *why     ? why
                              : counts ? BACK_END_NO_ACCOUNTING
                                       : back_end_work (self, &task);
        codec_clear (&back_end_task_codec, &task);
        if (trouble)
            return result_say (result, result_size, trouble) || counts;
    } else {
        work_order_t order;
        if (!codec_decode (&work_order_codec, &order, arguments, why))
            sim_fail (self->sim, "work %s: %s", kind, why);
        else
            agent_work (self, kind, &order, &told);
        codec_clear (&work_order_codec, &order);
        packed_t packed = codec_encode (&work_result_codec, &told);
        free (told.stands);
        if (told.batch)
            codec_clear (&batch_picture_codec, told.batch);
        free (told.batch);
        *result = packed.data;
        *result_size = packed.size;
    }
    return !*why && prng_below (&self->prng, 100) > 1; /* done, and not heard of */
}

/*  --- faults --- */

static void on_hang (void *owner, uint64_t token)
{
    ((sim_batch_t *) owner)->hangs = token;
}

/*  What it has acknowledged a moment ago is not on its disk yet. */
static void on_death (void *owner, uint64_t token)
{
    (void) token;
    sim_batch_t *self = owner;
    int64_t young_us = sim_now_us (self->sim) - FRESH_US;
    self->hangs = true;
    for (size_t i = self->reserved_count; i-- > 0;)
        if (!self->reserved [i].others && self->reserved [i].made_us > young_us)
            reserved_remove (self, &self->reserved [i]);
    for (size_t i = 0; i < self->machines->runs_count; i++)
        if (self->jobs [i].known && !run_at (self, i)->begun &&
            run_at (self, i)->begun_us > young_us)
            self->jobs [i].known = false;
}

static void on_node (void *owner, uint64_t token)
{
    sim_batch_t *self = owner;
    sim_batch_node_t *node = &self->nodes [token / 4];
    node->down = token % 4 == 1;
    node->drained = token % 4 == 2;
    sim_trace (self->sim, 0, "    batch: node %s%s%s", node->name, node->down ? " down" : "",
               node->drained ? " drained" : "");
}

static void on_unfit (void *owner, uint64_t token)
{
    ((sim_batch_t *) owner)->unfit = token;
}

static void on_root (void *owner, uint64_t token)
{
    sim_batch_t *self = owner;
    if (self->reserved_count == 0)
        return;
    sim_reserved_t *one = &self->reserved [token % self->reserved_count];
    if (!one->others)
        reserved_remove (self, one);
}

/*  Somebody else books a node, where nobody has it, or runs a job there. */
static void on_booking (void *owner, uint64_t token)
{
    sim_batch_t *self = owner;
    sim_reserved_t wanted = {.others = true, .from_ms = wall_ms (self) + 2000 + up_to (self, 8000)};
    wanted.job = up_to (self, 1) > 0;
    if (wanted.job)
        wanted.from_ms = wall_ms (self);
    wanted.until_ms = wanted.from_ms + 1000 + up_to (self, 8000);
    wanted.period_ms =
      wanted.job ? 0 : up_to (self, 1) * (wanted.until_ms - wanted.from_ms + up_to (self, 10000));
    wanted.times = wanted.period_ms > 0 ? 2 : 1;
    wanted.has [token % SIM_BATCH_NODES] = true;
    snprintf (wanted.name, sizeof wanted.name, "maint-%llu", (unsigned long long) token);
    for (size_t i = 0; i < self->reserved_count; i++)
        if (overlaps (&self->reserved [i], &wanted))
            return;
    if (self->reserved_count < SIM_BATCH_RESERVED)
        self->reserved [self->reserved_count++] = wanted;
}

void sim_batch_trouble (sim_batch_t *self, int64_t until_us)
{
    for (uint64_t i = 0; i < 5; i++) {
        int64_t at_us = sim_now_us (self->sim) + 1500000 + up_to (self, until_us / 2);
        int64_t long_us = 500000 + up_to (self, 14000000);
        uint64_t node = prng_below (&self->prng, SIM_BATCH_NODES);
        switch (prng_below (&self->prng, 6)) {
        case 0:
            sim_at (self->sim, at_us, on_hang, self, 1);
            sim_at (self->sim, at_us + long_us, on_hang, self, 0);
            break;
        case 1:
            sim_at (self->sim, at_us, on_death, self, 0);
            sim_at (self->sim, at_us + long_us / 4, on_hang, self, 0);
            break;
        case 2:
            sim_at (self->sim, at_us, on_node, self, 4 * node + 1 + prng_below (&self->prng, 2));
            sim_at (self->sim, at_us + long_us, on_node, self, 4 * node);
            break;
        case 3:
            sim_at (self->sim, at_us, on_root, self, node);
            break;
        case 4:
            sim_at (self->sim, at_us, on_booking, self, SIM_BATCH_NODES * i + node);
            break;
        default:
            sim_at (self->sim, at_us, on_unfit, self, 1);
            sim_at (self->sim, at_us + long_us, on_unfit, self, 0);
            break;
        }
    }
}

void sim_batch_heal (sim_batch_t *self)
{
    self->hangs = self->unfit = false;
    for (size_t i = 0; i < SIM_BATCH_NODES; i++)
        self->nodes [i].down = self->nodes [i].drained = false;
}
