/*  task_checks - a run's files are noted when it begins, and looked at every LOOK_US. */
#include "task_checks.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LOOK_US      100000
#define FORGOTTEN_US 15000000 /* a run that is suspended is resumed within that time */
#define OUTPUT_BYTES UINT64_C (400000)

static task_files_t *files_of (task_checks_t *self, const sim_run_t *run)
{
    return &self->files [run - self->machines->runs];
}

static const sim_storage_end_t *storage_of (const task_checks_t *self, int machine)
{
    return &self->storage->nodes [self->batch ? 0 : machine - self->first_node];
}

/*  What a file of that name is, if it is right: in-N, or oBAG-INDEX, which a task makes. */
static bool file_right (const task_checks_t *self, const char *name, uint64_t *content,
                        uint64_t *bytes)
{
    unsigned a, b;
    *content = *bytes = 0;
    if (sscanf (name, "in-%u", &a) == 1 && a < self->storage->files_count) {
        *content = sim_storage_content (a);
        *bytes = self->storage->sizes [a];
    } else if (sscanf (name, "o%u-%u", &a, &b) == 2) {
        *content = 1000 + 16 * (uint64_t) a + b;
        *bytes = OUTPUT_BYTES * (1 + a % 3);
    } else {
        return false;
    }
    return true;
}

static bool copy_right (const task_checks_t *self, const sim_storage_end_t *node, const char *name)
{
    uint64_t content, bytes;
    const sim_file_t *copy = sim_storage_file (self->storage, node, name);
    return file_right (self, name, &content, &bytes) && copy && !copy->damaged &&
           copy->content == content && copy->bytes == bytes;
}

/*  Was it taken away here? */
static bool copy_vanished (const task_checks_t *self, const sim_storage_end_t *node,
                           const char *name)
{
    unsigned file;
    return sscanf (name, "in-%u", &file) == 1 && file < SIM_STORAGE_FILES_MAX &&
           self->vanished [node - self->storage->nodes][file];
}

/*  --- what machines do --- */

static void begun_once (const task_checks_t *self, const run_id_t *id, const char *name)
{
    uint32_t begun = 0;
    bool requeued = false;
    for (size_t i = 0; i < self->patron->bags_count; i++)
        if (self->patron->bags [i].number == id->task.bag)
            requeued = self->patron->bags [i].asked.requeue;
    for (size_t i = 0; i < self->machines->runs_count; i++) {
        const run_id_t *other = &self->machines->runs [i].id;
        begun += self->machines->runs [i].begun && other->task.bag == id->task.bag &&
                 other->task.index == id->task.index;
    }
    /* A bag that was answered late is not known yet, but then nothing of it is told either. */
    for (size_t i = 0; i < self->patron->bags_count && begun > 0; i++)
        if (self->patron->bags [i].number == id->task.bag && !requeued)
            sim_fail (self->sim, "run %s begins, and its task has been begun before", name);
}

static void inputs_complete (const task_checks_t *self, const run_id_t *id,
                             const run_order_t *order, const char *name)
{
    for (size_t i = 0; i < self->patron->bags_count; i++)
        if (self->patron->bags [i].number == id->task.bag &&
            self->patron->bags [i].asked.inputs_count != order->inputs_count)
            sim_fail (self->sim, "run %s begins with %zu inputs, and should have %zu", name,
                      order->inputs_count, self->patron->bags [i].asked.inputs_count);
}

static bool input_enters (const task_checks_t *self, const sim_storage_end_t *node,
                          const run_file_t *input, const char *name)
{
    uint64_t content, bytes;
    const sim_file_t *copy =
      sim_flows_file (self->storage->flows, node->number, input->copy, false);
    bool known = file_right (self, input->name, &content, &bytes);
    if (!known || input->size != bytes)
        sim_fail (self->sim, "run %s is given %s as its input, of %" PRIu64 " bytes", name,
                  input->name, input->size);
    else if ((!copy || copy->bytes != bytes) && !copy_vanished (self, node, input->name))
        sim_fail (self->sim, "run %s is ordered, and its input %s is not at %s", name, input->name,
                  node->name);
    else if (copy && copy->bytes == bytes && (copy->damaged || copy->content != content))
        sim_fail (self->sim, "run %s would read wrong bytes of %s at %s", name, input->name,
                  node->name);
    return copy && copy->bytes == bytes;
}

static bool enters (void *owner, int machine, const run_id_t *id, const run_order_t *order)
{
    task_checks_t *self = owner;
    const sim_storage_end_t *node = storage_of (self, machine);
    const sim_run_t *run = sim_machines_run (self->machines, id);
    task_files_t *files = files_of (self, run);
    *files = (task_files_t){.inputs_count = order->inputs_count};
    if (order->inputs_count + order->outputs_count > 0)
        begun_once (self, id, run->name);
    inputs_complete (self, id, order, run->name);
    for (size_t i = 0; i < order->inputs_count; i++) {
        snprintf (files->inputs [i], sizeof files->inputs [i], "%s", order->inputs [i].name);
        if (!input_enters (self, node, &order->inputs [i], run->name))
            return false;
    }
    self->tally->counts [COUNT_FED] += order->inputs_count > 0;
    if (order->outputs_count > 0) {
        snprintf (files->output, sizeof files->output, "%s", order->outputs [0].name);
        snprintf (files->handed, sizeof files->handed, "/%s/arrivals/%s", node->name,
                  order->outputs [0].copy);
    }
    return true;
}

static bool hands (void *owner, const sim_run_t *run)
{
    task_checks_t *self = owner;
    const task_files_t *files = files_of (self, run);
    if (!*files->output)
        return false;
    sim_file_t *output = sim_flows_file (
      self->storage->flows, storage_of (self, run->machine)->number, files->handed, true);
    if (!file_right (self, files->output, &output->content, &output->bytes))
        sim_fail (self->sim, "run %s is to make %s, which it was not asked for", run->name,
                  files->output);
    output->marked = output->content;
    return true;
}

static bool files_work (void *owner, int process, int64_t mono_ms, const char *kind,
                        bytes_t arguments, uint8_t **result, size_t *result_size)
{
    task_checks_t *self = owner;
    return sim_storage_is (self->storage, process)
             ? sim_disk_work (&self->storage->disk, process, mono_ms, kind, arguments, result,
                              result_size)
           : self->batch
             ? sim_batch_work (self->batch, process, mono_ms, kind, arguments, result, result_size)
             : sim_machines_work (self->machines, process, mono_ms, kind, arguments, result,
                                  result_size);
}

/*  --- what must hold --- */

static uint64_t bytes_at (const task_checks_t *self, const sim_storage_end_t *node)
{
    char files [32], parts [32];
    uint64_t bytes = 0;
    int files_size = snprintf (files, sizeof files, "/%s/files/", node->name);
    int parts_size = snprintf (parts, sizeof parts, "/%s/parts/", node->name);
    for (const sim_file_t *file = sim_flows_files (self->storage->flows); file; file = file->after)
        if (file->process == node->number &&
            (strncmp (file->path, files, (size_t) files_size) == 0 ||
             strncmp (file->path, parts, (size_t) parts_size) == 0))
            bytes += file->bytes;
    return bytes;
}

/*  What it has too much after it came back smaller may stay. */
static void check_disk (task_checks_t *self, sim_storage_end_t *node)
{
    uint64_t bytes = bytes_at (self, node);
    node->bytes_had = bytes < node->bytes_had ? bytes : node->bytes_had;
    if (bytes > node->bytes_max && bytes > node->bytes_had)
        sim_fail (self->sim, "storage node %s has %" PRIu64 " bytes, and may have %" PRIu64,
                  node->name, bytes, node->bytes_max);
}

static uint32_t cpus_left (const task_checks_t *self, int machine)
{
    uint32_t used = 0, cpus = self->cpus [machine - self->first_node];
    for (size_t i = 0; i < self->machines->runs_count; i++) {
        const sim_run_t *run = &self->machines->runs [i];
        if (run->machine == machine && run->active && !run->aside)
            used += run->cpus;
    }
    if (used > cpus)
        sim_fail (self->sim, "%s has %u CPUs, and %u are used", sim_name (self->sim, machine), cpus,
                  used);
    return used < cpus ? cpus - used : 0;
}

static int32_t priority_of (const task_checks_t *self, const sim_run_t *run)
{
    for (size_t i = 0; i < self->patron->bags_count; i++)
        if (self->patron->bags [i].number == run->id.task.bag)
            return self->patron->bags [i].asked.priority;
    return 0;
}

/*  They go on in the order of the queue. */
static bool first_suspended (const task_checks_t *self, const sim_run_t *run)
{
    for (size_t i = 0; i < self->machines->runs_count; i++) {
        const sim_run_t *other = &self->machines->runs [i];
        int32_t more = priority_of (self, other) - priority_of (self, run);
        if (other->machine == run->machine && other->active && other->stand.report.suspended &&
            (more > 0 || (more == 0 && run_id_compare (&other->id, &run->id) < 0)))
            return false;
    }
    return true;
}

/*  While there are faults nobody may have heard of it. */
static void check_suspended (task_checks_t *self, const sim_run_t *run)
{
    task_files_t *files = files_of (self, run);
    int64_t now_us = sim_now_us (self->sim);
    bool room = self->patron->quiet && run->stand.report.suspended && first_suspended (self, run) &&
                cpus_left (self, run->machine) >= run->cpus;
    if (!room)
        files->room_us = 0;
    else if (files->room_us == 0)
        files->room_us = now_us;
    else if (now_us - files->room_us > FORGOTTEN_US)
        sim_fail (self->sim, "run %s is suspended, and there has been room for it for %d s",
                  run->name, FORGOTTEN_US / 1000000);
}

static void check_run (task_checks_t *self, const sim_run_t *run)
{
    const sim_storage_end_t *node = storage_of (self, run->machine);
    const task_files_t *files = files_of (self, run);
    check_suspended (self, run);
    for (size_t i = 0; i < files->inputs_count; i++)
        if (!copy_vanished (self, node, files->inputs [i]) &&
            !copy_right (self, node, files->inputs [i]))
            sim_fail (self->sim, "run %s runs, and its input %s has gone from %s", run->name,
                      files->inputs [i], node->name);
}

/*  The output of a task that has ended is there, at whichever node. */
static void check_output (task_checks_t *self, size_t bag, uint32_t index)
{
    char name [FILE_NAME_BYTES_MAX + 1];
    snprintf (name, sizeof name, "o%zu-%u", bag, index);
    for (size_t i = 0; i < self->storage->nodes_count; i++)
        if (copy_right (self, &self->storage->nodes [i], name))
            return;
    sim_fail (self->sim, "the task that makes %s was told ended, and no node has the file", name);
}

static void check_outputs (task_checks_t *self)
{
    for (size_t i = 0; i < self->patron->bags_count; i++) {
        const patron_bag_t *bag = &self->patron->bags [i];
        for (uint32_t k = 0; k < bag->asked.count && bag->asked.output; k++)
            if (bag->tasks [k].state == TOLD_ENDED && bag->tasks [k].exit_code == 0)
                check_output (self, i, k);
    }
}

static void on_task_look (void *owner, uint64_t token)
{
    (void) token;
    task_checks_t *self = owner;
    for (size_t i = 0; i < self->storage->nodes_count && !self->batch; i++) {
        check_disk (self, &self->storage->nodes [i]); /* beside a batch system work takes its time:
                                                         what was dropped may be there still */
        (void) cpus_left (self, self->first_node + (int) i);
    }
    for (size_t i = 0; i < self->machines->runs_count; i++)
        if (self->machines->runs [i].active)
            check_run (self, &self->machines->runs [i]);
    check_outputs (self);
    sim_at (self->sim, sim_now_us (self->sim) + LOOK_US, on_task_look, self, 0);
}

/*  The site's catalogue knows each output, and whose it is. */
static void check_known (task_checks_t *self, size_t bag, uint32_t index)
{
    char name [FILE_NAME_BYTES_MAX + 1];
    const replica_t *replica = self->storage->here_core.self;
    snprintf (name, sizeof name, "o%zu-%u", bag, index);
    const file_t *file = catalogue_find (replica->catalogue, name);
    if (!file || !file->kept || strcmp (file->owner, "alice") != 0)
        sim_fail (self->sim, "output %s of a task that ended is %s", name,
                  file ? "not its owner's, or not kept" : "not in the catalogue");
    self->tally->counts [COUNT_OUTPUTS]++;
}

/*  What vanished, and did not come again, is known not to be there, whether somebody reads it or
 *  not. */
static void check_vanished (task_checks_t *self, const sim_storage_end_t *node, const char *name)
{
    const replica_t *replica = self->storage->here_core.self;
    const file_t *file = catalogue_find (replica->catalogue, name);
    const copy_t *copy = file ? file_copy (file, node->name) : NULL;
    if (copy_vanished (self, node, name) && !sim_storage_file (self->storage, node, name) && copy &&
        copy->state == COPY_SOUND)
        sim_fail (self->sim, "%s has vanished from %s, and is told sound", name, node->name);
}

void task_checks_settled (task_checks_t *self)
{
    for (size_t i = 0; i < self->storage->nodes_count; i++)
        for (size_t k = 0; k < self->storage->files_count; k++)
            check_vanished (self, &self->storage->nodes [i], self->storage->givers [k].file);
    for (size_t i = 0; i < self->machines->runs_count; i++)
        self->tally->counts [COUNT_SUSPENDED] += self->machines->runs [i].suspensions;
    for (size_t i = 0; i < self->patron->bags_count; i++) {
        const patron_bag_t *bag = &self->patron->bags [i];
        for (uint32_t k = 0; k < bag->asked.count && bag->asked.output; k++)
            if (bag->tasks [k].state == TOLD_ENDED && bag->tasks [k].exit_code == 0)
                check_known (self, i, k);
    }
}

/*  --- faults --- */

static void on_vanish (void *owner, uint64_t token)
{
    task_checks_t *self = owner;
    char name [16];
    size_t node = token / SIM_STORAGE_FILES_MAX, number = token % SIM_STORAGE_FILES_MAX;
    snprintf (name, sizeof name, "in-%zu", number);
    sim_file_t *file = sim_storage_file (self->storage, &self->storage->nodes [node], name);
    if (!file)
        return;
    file->path [0] = '\0';
    self->vanished [node][number] = true;
    sim_trace (self->sim, self->storage->nodes [node].number, "    %s vanishes", name);
}

static void on_lie (void *owner, uint64_t number)
{
    task_checks_t *self = owner;
    char name [16];
    snprintf (name, sizeof name, "in-%" PRIu64, number);
    sim_file_t *file = sim_storage_file (self->storage, &self->storage->server, name);
    if (file)
        file->content = 77;
}

/*  Its disk is smaller when it comes back. What dies when it is told to end is up for longer. */
static void on_smaller (void *owner, uint64_t number)
{
    task_checks_t *self = owner;
    sim_storage_end_t *node = &self->storage->nodes [number];
    int64_t now_us = sim_now_us (self->sim);
    if (sim_up (self->sim, node->number)) {
        if (!self->patron->quiet)
            sim_at (self->sim, now_us + LOOK_US / 10, on_smaller, self, number);
        return;
    }
    node->bytes_max -= prng_below (&self->prng, node->bytes_max);
    node->bytes_had = bytes_at (self, node);
    self->tally->counts [COUNT_SMALLER]++;
    sim_trace (self->sim, node->number, "    comes back with %" PRIu64 " bytes", node->bytes_max);
}

static void on_bytes_cut (void *owner, uint64_t process)
{
    task_checks_t *self = owner;
    sim_flows_cut (self->storage->flows, (int) process, sim_now_us (self->sim) + 4000000);
}

static void trouble_draw (task_checks_t *self, int64_t until_us)
{
    const sim_storage_t *storage = self->storage;
    int64_t now_us = sim_now_us (self->sim);
    int64_t at_us = now_us + (int64_t) prng_below (&self->prng, (uint64_t) (until_us - now_us));
    int64_t long_ms = 500 + (int64_t) prng_below (&self->prng, 8000);
    uint64_t node = prng_below (&self->prng, storage->nodes_count);
    uint64_t file = prng_below (&self->prng, storage->files_count);
    switch (prng_below (&self->prng, 8)) {
    case 0:
        sim_kill (self->sim, storage->nodes [node].number, at_us, long_ms);
        break;
    case 1:
        sim_kill (self->sim, storage->here, at_us, long_ms);
        break;
    case 2:
        sim_kill (self->sim, file % 2 == 0 ? storage->home : storage->server.number, at_us,
                  long_ms);
        break;
    case 3:
        sim_at (self->sim, at_us, on_bytes_cut, self, (uint64_t) storage->nodes [node].number);
        break;
    case 4:
        sim_at (self->sim, at_us, on_lie, self, file);
        break;
    case 5:
        sim_kill (self->sim, storage->nodes [node].number, at_us, long_ms);
        sim_at (self->sim, at_us, on_smaller, self, node);
        break;
    default:
        sim_at (self->sim, at_us, on_vanish, self, node * SIM_STORAGE_FILES_MAX + file);
        break;
    }
}

void task_checks_faults (task_checks_t *self, int64_t until_us)
{
    for (uint64_t count = prng_below (&self->prng, 10); count > 0; count--)
        trouble_draw (self, until_us);
}

void task_checks_begin (task_checks_t *self)
{
    self->machines->enters = enters;
    self->machines->hands = hands;
    self->machines->files_owner = self;
    sim_worker (self->sim, files_work, self);
    sim_at (self->sim, sim_now_us (self->sim) + LOOK_US, on_task_look, self, 0);
}
