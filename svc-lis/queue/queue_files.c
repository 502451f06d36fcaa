/*  queue_files - tasks with inputs and outputs (S2: jobs run where their data is; SPEC 27, 28, 36).
 *
 *      placed: each input is asked for at the node's storage ── all there ──> the run is ordered
 *         │  the node was lost, is wanted, or is booked too soon: back into the queue
 *         └  an input can't be had for patience_ms: stopped, with the reason
 *      run ended well: each output, handed over on the node, is taken in ── all are files ──> ended
 *         └  one can't be: stopped, with the reason; it stays where it was handed over
 *
 *  A task keeps its node while its inputs come, and its stays while it runs. What is stored is
 *  whether it waits for inputs, and whether for outputs: after a restart the first is placed anew,
 *  and the second goes on, as all questions may be asked twice.
 */
#include "queue_state.h"
#include "task_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STORE_AGAIN_MS 1000 /* until it is asked again how far an output is */

struct queue_files {
    uint64_t serial; /* the first member */
    queue_t *queue;
    bag_t *bag;
    uint32_t index;
    file_stay_t **stays;
    size_t stays_count;
    size_t stored; /* outputs */
    uint64_t call;
    uint64_t timer;
    char waits [TASK_WHY_BYTES_MAX + 1];
};

static task_t *task_of (const queue_files_t *files)
{
    return bag_task (files->bag, files->index);
}

/*  --- the order of a run --- */

static void order_file (const bag_t *bag, uint32_t index, const run_file_t *from, run_file_t *to)
{
    uint32_t named = bag->asked.order.index_from + index;
    to->name = task_files_text (from->name, named, SIZE_MAX);
    to->path = task_files_text (from->path, named, SIZE_MAX);
}

static void order_input (const queue_files_t *files, const moment_t *now, size_t at, run_file_t *to)
{
    file_stay_view_t view = stays_look (files->stays [at], now);
    order_file (files->bag, files->index, &files->bag->asked.order.inputs [at], to);
    to->copy = must (strdup (view.path));
    to->size = view.size;
}

/*  Where an agent puts an output: the name of the run's folder, and a number. */
static void order_output (const queue_t *self, const bag_t *bag, uint32_t index, size_t at,
                          run_file_t *to)
{
    char run [RUN_NAME_BYTES_MAX + 1];
    char copy [RUN_NAME_BYTES_MAX + 16];
    run_id_t id = {.task = {bag->number, index}, .number = bag_task (bag, index)->tries};
    run_name (self->parts.service->store.id, &id, run);
    snprintf (copy, sizeof copy, "%s.%zu", run, at);
    order_file (bag, index, &bag->asked.order.outputs [at], to);
    to->copy = must (strdup (copy));
}

/*  All are there: it is not data-bound at this node any more. */
static void files_came (const queue_files_t *files, const moment_t *now)
{
    task_of (files)->late_ms = 0;
    for (size_t i = 0; i < files->stays_count; i++) {
        file_stay_view_t view = stays_look (files->stays [i], now);
        queue_match_there (files->queue, view.name, task_of (files)->node, view.size);
    }
}

void queue_order_run (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index)
{
    const run_order_t *asked = &bag->asked.order;
    const task_t *task = bag_task (bag, index);
    run_order_t order = *asked;
    const account_t *who = self->parts.account (self->parts.account_owner, bag->owner);
    order.charged = who ? who->charged : "";
    order.qos = who ? who->qos : "";
    run_file_t *files =
      must (calloc (asked->inputs_count + asked->outputs_count + 1, sizeof *files));
    if (asked->inputs_count > 0)
        files_came (task->files, now);
    order.inputs = files;
    order.outputs = files + asked->inputs_count;
    for (size_t i = 0; i < asked->inputs_count; i++)
        order_input (task->files, now, i, &order.inputs [i]);
    for (size_t i = 0; i < asked->outputs_count; i++)
        order_output (self, bag, index, i, &order.outputs [i]);
    order.booked_until_ms =
      task->slot.booked ? task->slot.until_ms + free_capacity_terms (self->parts.room)->gap_ms : 0;
    run_id_t id = {.task = {bag->number, index}, .number = task->tries};
    nodes_start (self->parts.nodes, now, task->node, &id, &order);
    for (size_t i = 0; i < asked->inputs_count + asked->outputs_count; i++)
        codec_clear (&run_file_codec, &files [i]);
    free (files);
}

/*  --- using inputs --- */

int queue_files_by_turn (const void *key, const void *thing)
{
    const queue_files_t *a = key, *b = thing;
    int order = bags_by_turn (a->bag, b->bag);
    return order != 0 ? order : (a->serial > b->serial) - (a->serial < b->serial);
}

static queue_files_t *files_new (queue_t *self, bag_t *bag, uint32_t index)
{
    queue_files_t *files = must (calloc (1, sizeof *files));
    *files =
      (queue_files_t){.serial = ++self->files_made, .queue = self, .bag = bag, .index = index};
    ordered_add (self->files, &files->serial, files);
    bag_task (bag, index)->files = files;
    return files;
}

static bool files_there (queue_files_t *files, const moment_t *now)
{
    for (size_t i = 0; i < files->stays_count; i++) {
        file_stay_view_t view = stays_look (files->stays [i], now);
        if (view.state == STAGED_READY)
            continue;
        snprintf (files->waits, sizeof files->waits, "input %.130s%s%.120s", view.name,
                  *view.why ? ": " : " is coming", view.why);
        return false;
    }
    files->waits [0] = '\0';
    return true;
}

bool queue_files_use (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index)
{
    const run_order_t *asked = &bag->asked.order;
    const char *storage = bag_task (bag, index)->storage;
    if (asked->inputs_count == 0)
        return true;
    queue_files_t *files = files_new (self, bag, index);
    files->stays = must (calloc (asked->inputs_count, sizeof *files->stays));
    for (size_t i = 0; i < asked->inputs_count; i++) {
        text_auto_t *name =
          task_files_text (asked->inputs [i].name, asked->index_from + index, SIZE_MAX);
        files->stays [files->stays_count++] = stays_use (self->stays, now, name, storage);
    }
    return files_there (files, now);
}

void queue_files_wait (queue_t *self, task_t *task, files_state_t state)
{
    int32_t more = (state != FILES_NONE) - (task->files_state != FILES_NONE);
    if (task->files && state == FILES_COMING)
        ordered_add (self->nodes [task->node].coming, task->files, task->files);
    else if (task->files && task->node != TASK_NODE_NONE)
        ordered_remove (self->nodes [task->node].coming, task->files);
    task->files_state = state;
    if (more == 0 || task->node == TASK_NODE_NONE)
        return;
    self->nodes [task->node].look = true;
    self->nodes [task->node].transfers += (uint32_t) more;
    nodes_transferring (self->parts.nodes, task->node, self->nodes [task->node].transfers > 0);
}

void queue_files_doubt (queue_t *self, const moment_t *now, const task_t *task)
{
    for (size_t i = 0; task->files && i < task->files->stays_count; i++)
        stays_doubt (self->stays, now, task->files->stays [i]);
}

void queue_files_leave (queue_t *self, const moment_t *now, task_t *task)
{
    queue_files_t *files = task->files;
    if (!files)
        return;
    int64_t late_ms = 0;
    for (size_t i = 0; i < files->stays_count; i++) {
        file_stay_view_t view = stays_look (files->stays [i], now);
        late_ms = view.state == STAGED_LATE && view.late_ms > late_ms ? view.late_ms : late_ms;
        stays_leave (files->stays [i], now);
    }
    task->late_ms += late_ms;
    ordered_remove (self->files, &files->serial);
    if (task->node != TASK_NODE_NONE)
        ordered_remove (self->nodes [task->node].coming, files);
    task->files = NULL;
    queue_files_free (files);
}

void queue_files_free (void *thing)
{
    queue_files_t *files = thing;
    calls_cancel (files->queue->parts.service->calls, files->call);
    timers_cancel (files->queue->parts.service->timers, files->timer);
    free (files->stays);
    free (files);
}

uint32_t queue_files_coming (const queue_t *self, bool reserved)
{
    const ordered_t *coming = self->nodes [nodes_batch (self->parts.nodes)].coming;
    uint32_t count = 0;
    for (const queue_files_t *files = NULL; (files = ordered_after (coming, files));)
        count += (*files->bag->asked.order.reservation != '\0') == reserved;
    return count;
}

const char *queue_files_waits (const task_t *task)
{
    return task->files ? task->files->waits : "";
}

/*  --- while inputs come --- */

/*  May the task still have the node? */
static bool node_kept (const queue_t *self, const moment_t *now, const bag_t *bag,
                       const task_t *task)
{
    int64_t now_ms = queue_now_ms (self, now);
    const char *reservation = bag->asked.order.reservation;
    opening_t opening;
    if (task->node == TASK_NODE_NONE || !nodes_usable (self->parts.nodes, task->node) ||
        strcmp (nodes_at (self->parts.nodes, task->node).storage, task->storage) != 0)
        return false;
    if (task->node == nodes_batch (self->parts.nodes))
        return !*reservation || !queue_reservation_closed (self, now, reservation);
    const backfill_node_t *load = &self->loads [task->node];
    const char *holder = openings_of_node (self->parts.openings, task->node);
    if (*reservation)
        return holder && strcmp (holder, reservation) == 0 &&
               openings_find (self->parts.openings, reservation, &opening) &&
               opening_is_open (opening.phase) &&
               openings_node_due (self->parts.openings, task->node);
    if (!task->slot.booked && (bag->waiting.preemptible || !task->slot.transfer))
        return !load->wanted && (load->ready_ms <= now_ms || load->lent_until_ms > now_ms);
    return load->ready_ms <= now_ms;
}

/*  An input that could not be had for a while. */
static const char *files_hopeless (const queue_files_t *files, const moment_t *now,
                                   char why [RUN_WHY_BYTES_MAX + 1])
{
    for (size_t i = 0; i < files->stays_count; i++) {
        file_stay_view_t view = stays_look (files->stays [i], now);
        if (view.state != STAGED_LATE ||
            task_of (files)->late_ms + view.late_ms < files->queue->limits.patience_ms)
            continue;
        snprintf (why, RUN_WHY_BYTES_MAX + 1, "input %.110s: %.120s", view.name, view.why);
        return why;
    }
    return NULL;
}

static void files_pass_one (queue_t *self, const moment_t *now, queue_files_t *files)
{
    bag_t *bag = files->bag;
    uint32_t index = files->index;
    char why [RUN_WHY_BYTES_MAX + 1];
    if (files_hopeless (files, now, why)) {
        queue_unplace (self, now, bag, index, why);
    } else if (!node_kept (self, now, bag, task_of (files))) {
        queue_unplace (self, now, bag, index, NULL);
    } else if (files_there (files, now)) {
        bool handed = task_of (files)->node == nodes_batch (self->parts.nodes);
        overlap_answer_t answer =
          handed ? OVERLAP_GOES : queue_overlap_claim (self, now, bag, index);
        if (answer == OVERLAP_WAITS)
            return;
        if (answer == OVERLAP_LEAVES || (!handed && !queue_slot_extend (self, now, bag, index))) {
            files_came (files, now);
            queue_unplace (self, now, bag, index, NULL);
            return;
        }
        queue_files_wait (self, task_of (files), FILES_NONE);
        queue_put_task (self, bag, index);
        queue_order_run (self, now, bag, index);
        queue_due_watch (self, now);
    }
}

void queue_files_pass (queue_t *self, const moment_t *now, size_t node)
{
    const ordered_t *coming = self->nodes [node].coming;
    queue_files_t at;
    for (queue_files_t *files = ordered_after (coming, NULL); files;
         files = ordered_after (coming, &at)) {
        at = *files;
        files_pass_one (self, now, files);
    }
}

void queue_files_moved (void *owner, const moment_t *now, const char *storage)
{
    (void) now;
    queue_t *self = owner;
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++)
        if (strcmp (nodes_at (self->parts.nodes, i).storage, storage) == 0)
            self->nodes [i].look = true;
    queue_pass_soon (self, false);
}

/*  --- storing outputs --- */

static void files_store (queue_files_t *files, const moment_t *now);

static void files_on_timer (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    queue_files_t *files = owner;
    files->timer = 0;
    files_store (files, now);
}

static void files_again (queue_files_t *files, const moment_t *now, const char *why)
{
    text_auto_t *name =
      task_files_text (files->bag->asked.order.outputs [files->stored].name,
                       files->bag->asked.order.index_from + files->index, SIZE_MAX);
    snprintf (files->waits, sizeof files->waits, "output %.130s%s%.120s", name,
              *why ? ": " : " is being stored", why);
    files->timer = timers_set (files->queue->parts.service->timers, now->mono_ms + STORE_AGAIN_MS,
                               files_on_timer, files, 0);
}

static void files_on_stored (void *owner, const moment_t *now, uint64_t token,
                             const call_result_t *result)
{
    (void) token;
    queue_files_t *files = owner;
    queue_t *self = files->queue;
    char why [WHY_BYTES];
    take_in_answer_t told = {0};
    files->call = 0;
    if (result->status != CALL_OK) {
        snprintf (why, sizeof why, "%.200s", result->reason);
        told.state = result->status == CALL_BAD_REQUEST ? STAGED_LATE : STAGED_COMING;
    } else if (codec_decode (&take_in_answer_codec, &told, result->body, why)) {
        snprintf (why, sizeof why, "%.200s", told.why);
    } else {
        told.state = STAGED_COMING;
    }
    if (told.state == STAGED_READY) {
        files->stored++;
        files_store (files, now);
    } else if (told.state == STAGED_LATE) {
        char sentence [RUN_WHY_BYTES_MAX + 1];
        snprintf (sentence, sizeof sentence, "output %.100s: %.130s",
                  files->bag->asked.order.outputs [files->stored].path, why);
        queue_task_end (self, now, files->bag, files->index, TASK_STOPPED, sentence);
    } else {
        files_again (files, now, why);
    }
}

static void files_store (queue_files_t *files, const moment_t *now)
{
    queue_t *self = files->queue;
    const task_t *task = task_of (files);
    if (files->stored == files->bag->asked.order.outputs_count) {
        queue_task_end (self, now, files->bag, files->index, TASK_ENDED, "");
        return;
    }
    run_file_t file = {0};
    take_in_question_t question = {.path = NULL};
    order_output (self, files->bag, files->index, files->stored, &file);
    snprintf (question.name, sizeof question.name, "%s", file.name);
    snprintf (question.node, sizeof question.node, "%s", task->storage);
    snprintf (question.owner, sizeof question.owner, "%s", files->bag->owner);
    if (files->bag->guest && strncmp (files->bag->guest->home.name, "lis/", 4) == 0)
        snprintf (question.home, sizeof question.home, "%s", files->bag->guest->home.name + 4);
    question.path = (char *) file.copy;
    files->call =
      stays_ask (self->stays, now, "TakeIn", codec_encode (&take_in_question_codec, &question),
                 files_on_stored, files, 0);
    codec_clear (&run_file_codec, &file);
}

void queue_files_store (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index)
{
    task_t *task = bag_task (bag, index);
    queue_files_leave (self, now, task);
    queue_files_wait (self, task, FILES_STORING);
    queue_files_t *files = files_new (self, bag, index);
    snprintf (files->waits, sizeof files->waits, "its outputs are being stored");
    files_store (files, now);
}
