/*  sim_machine - a table of runs, and a tick for whatever happens to a run by itself. */
#include "sim_machine.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sim_machines_t *self;
    int process;
    int64_t mono_ms;
    const char *kind;
    stand_t stands [WORK_NAMES_MAX];
    size_t stands_count;
    bool good;
} doing_t;

void sim_machines_init (sim_machines_t *self, sim_t *sim, uint64_t seed,
                        const sim_machines_faults_t *faults)
{
    *self = (sim_machines_t){.sim = sim, .faults = *faults};
    prng_seed (&self->prng, seed);
}

static bool happens (sim_machines_t *self, uint32_t chance)
{
    return prng_below (&self->prng, 1000) < chance;
}

static int64_t up_to (sim_machines_t *self, int64_t most)
{
    return (int64_t) prng_below (&self->prng, (uint64_t) most + 1);
}

static sim_run_t *run_named (sim_machines_t *self, const char *name)
{
    for (size_t i = 0; i < self->runs_count; i++)
        if (strcmp (self->runs [i].name, name) == 0)
            return &self->runs [i];
    return NULL;
}

const sim_run_t *sim_machines_run (const sim_machines_t *self, const run_id_t *id)
{
    for (size_t i = 0; i < self->runs_count; i++)
        if (run_id_compare (&self->runs [i].id, id) == 0)
            return &self->runs [i];
    return NULL;
}

uint32_t sim_machines_unfit (const sim_machines_t *self, const task_id_t *task)
{
    uint32_t count = 0;
    for (size_t i = 0; i < self->runs_count; i++)
        count += self->runs [i].stand.report.node_unfit &&
                 self->runs [i].id.task.bag == task->bag &&
                 self->runs [i].id.task.index == task->index;
    return count;
}

static sim_run_t *run_make (sim_machines_t *self, int process, const char *name)
{
    uint8_t site [STORE_ID_BYTES];
    sim_run_t *run = run_named (self, name);
    if (run)
        return run;
    assert (self->runs_count < SIM_RUNS_MAX);
    run = &self->runs [self->runs_count++];
    *run = (sim_run_t){.machine = process};
    snprintf (run->name, sizeof run->name, "%s", name);
    snprintf (run->stand.name, sizeof run->stand.name, "%s", name);
    bool named = run_name_parse (name, site, &run->id);
    assert (named);
    (void) named;
    return run;
}

/*  --- what happens by itself --- */

static void run_close (sim_machines_t *self, sim_run_t *run, run_state_t state, const char *why)
{
    run->active = run->starter = run->stand.report.suspended = false;
    run->stand.report.state = state;
    run->stand.report.ended_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
    snprintf (run->stand.report.why, sizeof run->stand.report.why, "%s", why);
    sim_trace (self->sim, run->machine, "    run %s over: state=%d %s", run->name, state, why);
    if (self->ended)
        self->ended (self->owner, run);
}

static void on_end (void *owner, uint64_t token)
{
    sim_machines_t *self = owner;
    sim_run_t *run = &self->runs [token];
    if (!run->active || sim_now_us (self->sim) < run->ends_us)
        return;
    bool well = self->lasts || (self->hands && run->id.task.bag % 4 != 0);
    run->stand.report.exit_code = well ? 0 : (int32_t) (run->id.task.bag % 100);
    run->stand.report.handed = well && self->hands && self->hands (self->files_owner, run);
    run_close (self, run, RUN_ENDED, "");
}

static void end_at (sim_machines_t *self, sim_run_t *run, int64_t at_us)
{
    if (at_us >= run->ends_us)
        return;
    run->ends_us = at_us;
    sim_at (self->sim, at_us, on_end, self, (uint64_t) (run - self->runs));
}

void sim_machines_finish (sim_machines_t *self, const run_id_t *id)
{
    sim_run_t *run = (sim_run_t *) sim_machines_run (self, id);
    if (run && run->active)
        end_at (self, run, sim_now_us (self->sim));
}

static void on_starter_death (void *owner, uint64_t token)
{
    sim_machines_t *self = owner;
    sim_run_t *run = &self->runs [token];
    if (!run->active)
        return;
    run->starter = run->active = false; /* the kernel ends its program with it */
    sim_trace (self->sim, run->machine, "    the starter of run %s dies", run->name);
}

static void on_lease (void *owner, uint64_t process)
{
    sim_machines_t *self = owner;
    int64_t now_us = sim_now_us (self->sim);
    if (now_us < self->lease_us [process])
        return;
    for (size_t i = 0; i < self->runs_count; i++)
        if (self->runs [i].active && self->runs [i].machine == (int) process)
            end_at (self, &self->runs [i], now_us + 1000 * up_to (self, self->faults.grace_ms));
}

/*  --- work --- */

static void lease_raise (doing_t *doing, const work_order_t *order)
{
    sim_machines_t *self = doing->self;
    int64_t until_us = sim_now_us (self->sim) + 1000 * (order->lease_ms - doing->mono_ms);
    if (until_us <= self->lease_us [doing->process])
        return;
    self->lease_us [doing->process] = until_us;
    int64_t now_us = sim_now_us (self->sim);
    sim_at (self->sim, until_us > now_us ? until_us : now_us, on_lease, self,
            (uint64_t) doing->process);
}

static void begin (doing_t *doing, sim_run_t *run, const run_order_t *order)
{
    sim_machines_t *self = doing->self;
    int64_t now_us = sim_now_us (self->sim);
    if (self->begins)
        self->begins (self->owner, doing->process, &run->id, order);
    run->cpus = order->cpus;
    snprintf (run->reservation, sizeof run->reservation, "%s", order->reservation);
    if (happens (self, self->faults.refused)) {
        run->stand.report.node_unfit =
          now_us / 1000 % 2 == 0; /* nothing is drawn here, so that schedules stay as they were */
        run_close (self, run, RUN_REFUSED,
                   run->stand.report.node_unfit ? "no room" : "no such program");
        return;
    }
    if (self->enters && !self->enters (self->files_owner, doing->process, &run->id, order)) {
        run->stand.report.node_unfit = true;
        run_close (self, run, RUN_REFUSED, "a copy is not there");
        return;
    }
    run->begun = run->active = run->starter = true;
    run->stand.report.state = RUN_RUNNING;
    run->stand.report.started_ms = SIM_EPOCH_MS + now_us / 1000;
    run->begun_us = now_us;
    run->ends_us = INT64_MAX;
    int64_t length_ms = self->lasts ? self->lasts (self->owner, doing->process, &run->id, order)
                                    : up_to (self, self->faults.length_ms_max);
    if (happens (self, self->faults.lasting) || length_ms > order->limit_ms)
        length_ms = order->limit_ms;
    end_at (self, run, now_us + 1000 * length_ms);
    if (happens (self, self->faults.orphaned))
        sim_at (self->sim, now_us + 1000 * up_to (self, self->faults.length_ms_max / 2),
                on_starter_death, self, (uint64_t) (run - self->runs));
    if (now_us >= self->lease_us [doing->process])
        on_lease (self, (uint64_t) doing->process);
}

/*  Looking at a run shows that its starter is dead. */
static void tell (doing_t *doing, const char *name)
{
    sim_run_t *run = run_named (doing->self, name);
    if (run && run->stand.report.state == RUN_RUNNING && !run->starter)
        run_close (doing->self, run, RUN_LOST, "its starter has died");
    stand_t *stand = &doing->stands [doing->stands_count++];
    *stand = run ? run->stand : (stand_t){0};
    snprintf (stand->name, sizeof stand->name, "%s", name);
}

static void do_start (doing_t *doing, const work_order_t *order)
{
    sim_run_t *run = run_make (doing->self, doing->process, order->ticket.name);
    lease_raise (doing, order);
    if (run->stand.report.state == RUN_CLAIMED)
        begin (doing, run, order->ticket.order);
    tell (doing, order->ticket.name);
}

/*  A run that is suspended comes no nearer to its end. */
static void suspend (sim_machines_t *self, sim_run_t *run, bool suspended)
{
    int64_t now_us = sim_now_us (self->sim);
    if (run->stand.report.suspended == suspended)
        return;
    run->stand.report.suspended = run->aside = suspended;
    sim_trace (self->sim, run->machine, "    run %s %s", run->name,
               suspended ? "suspended" : "resumed");
    if (suspended) {
        run->suspensions++;
        run->stopped_us = now_us;
        run->left_us = run->ends_us - now_us;
        run->ends_us = INT64_MAX;
    } else if (run->active) {
        run->stood_us += now_us - run->stopped_us;
        end_at (self, run, now_us + run->left_us);
    }
}

static void do_signal (doing_t *doing, const work_order_t *order)
{
    sim_run_t *run = run_make (doing->self, doing->process, order->names [0]);
    int64_t now_us = sim_now_us (doing->self->sim);
    bool ends = !order->warn && !order->suspend && !order->resume;
    bool aside = ends && run->aside;
    suspend (doing->self, run, run->active && order->suspend);
    run->aside |= aside;
    if (ends && run->stand.report.state == RUN_CLAIMED)
        run_close (doing->self, run, RUN_REFUSED, "it was ended before it began");
    else if (ends && run->active && order->force)
        run_close (doing->self, run, RUN_LOST, "killed");
    else if (ends && run->active)
        end_at (doing->self, run, now_us + 1000 * up_to (doing->self, order->grace_ms));
    tell (doing, order->names [0]);
}

static void act (doing_t *doing, const work_order_t *order)
{
    doing->good = true;
    if (strcmp (doing->kind, RUN_START) == 0)
        do_start (doing, order);
    else if (strcmp (doing->kind, RUN_SIGNAL) == 0)
        do_signal (doing, order);
    else if (strcmp (doing->kind, RUN_LEASE) == 0)
        lease_raise (doing, order);
    else if (strcmp (doing->kind, RUN_LOOK) == 0)
        for (size_t i = 0; i < order->names_count; i++)
            tell (doing, order->names [i]);
}

bool sim_machines_work (void *owner, int process, int64_t mono_ms, const char *kind,
                        bytes_t arguments, uint8_t **result, size_t *result_size)
{
    sim_machines_t *self = owner;
    char why [WHY_BYTES];
    doing_t *doing = must (calloc (1, sizeof *doing));
    *doing = (doing_t){.self = self, .process = process, .mono_ms = mono_ms, .kind = kind};
    work_order_t order;
    bool decoded = codec_decode (&work_order_codec, &order, arguments, why);
    if (decoded)
        act (doing, &order);
    codec_clear (&work_order_codec, &order);
    if (!decoded)
        sim_fail (self->sim, "work %s: %s", kind, why);
    packed_t packed =
      codec_encode (&work_result_codec,
                    &(work_result_t){.stands = doing->stands, .stands_count = doing->stands_count});
    *result = packed.data;
    *result_size = packed.size;
    free (doing);
    bool unheard = !self->lasts && strcmp (kind, RUN_LEASE) != 0 && happens (self, 20);
    return decoded && !unheard;
}
