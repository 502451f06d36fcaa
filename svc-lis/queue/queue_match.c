/*  queue_match - what each node is to a waiting task: its rank, and how long the task's inputs
 *  would take to be there (S2; SPEC 35, 36, 38).
 *
 *  Which storage nodes have a file is asked of the site's svc-replica, for the inputs of the tasks
 *  that wait next, many in one question, and again while they wait. A task is not placed before its
 *  inputs have been asked about once. All of it is a hint: a task whose input is not where it was
 *  thought to be waits for it there. The room for it is held by its stay, from the match on.
 */
#include "queue_state.h"
#include "task_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MATCH_FILES_MAX 16384 /* that are known of; all are asked about anew when there are more */
#define MATCH_AHEAD     16    /* tasks of a bag that are asked about with the next one */
#define MATCH_AGAIN_MS  10000 /* until a file is asked about again */
#define GIGABYTE        1e9
#define SIZE_UNKNOWN    1e9 /* bytes, of a file that the site has never had */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    bool told;
    int64_t asked_ms; /* mono; 0 = not yet */
    uint64_t size;    /* 0 = not known */
    uint8_t held [];  /* of each node: has its storage the file? */
} match_file_t;

struct queue_match {
    ordered_t *files; /* by name */
    match_file_t *wanted [STAGING_FILES_MAX];
    size_t wanted_count;
    uint64_t call;
    const bag_t *bag; /* whose next task the following is about; NULL = none */
    uint32_t index;
    match_file_t *inputs [TASK_FILES_MAX];
    size_t inputs_count;
    bool unknown;
};

/*  --- files --- */

static match_file_t *match_file (queue_t *self, const bag_t *bag, uint32_t index, size_t input)
{
    queue_match_t *match = self->match;
    text_auto_t *name = task_files_text (bag->asked.order.inputs [input].name,
                                         bag->asked.order.index_from + index, SIZE_MAX);
    match_file_t *file = ordered_find (match->files, name);
    if (!file) {
        file = must (calloc (1, sizeof *file + nodes_count (self->parts.nodes)));
        snprintf (file->name, sizeof file->name, "%s", name);
        ordered_add (match->files, file->name, file);
    }
    bool due = file->asked_ms == 0 || self->now->mono_ms - file->asked_ms >= MATCH_AGAIN_MS;
    if (due && match->call == 0 && match->wanted_count < STAGING_FILES_MAX) {
        file->asked_ms = self->now->mono_ms;
        match->wanted [match->wanted_count++] = file;
    }
    return file;
}

static void match_prepare (queue_t *self, const bag_t *bag)
{
    queue_match_t *match = self->match;
    uint32_t index = bag_next (bag);
    size_t count = bag->asked.order.inputs_count;
    if (match->bag == bag && match->index == index)
        return;
    match->bag = bag;
    match->index = index;
    match->inputs_count = count;
    match->unknown = false;
    for (size_t i = 0; i < count; i++) {
        match->inputs [i] = match_file (self, bag, index, i);
        match->unknown |= !match->inputs [i]->told;
    }
    for (uint32_t k = 1; match->unknown && k < MATCH_AHEAD && index + k < bag->asked.count; k++)
        for (size_t i = 0; i < count; i++)
            match_file (self, bag, index + k, i);
}

static void match_on_told (void *owner, const moment_t *now, uint64_t token,
                           const call_result_t *result)
{
    (void) now, (void) token;
    queue_t *self = owner;
    queue_match_t *match = self->match;
    staging_told_t told = {0};
    match->call = 0;
    bool good =
      call_take (result, &staging_told_codec, &told, NULL) && told.count == match->wanted_count;
    for (size_t i = 0; i < match->wanted_count; i++) {
        match_file_t *file = match->wanted [i];
        file->told = true; /* also when nobody could tell: tasks go on without */
        for (size_t node = 0; good && node < nodes_count (self->parts.nodes); node++) {
            const char *storage = nodes_at (self->parts.nodes, node).storage;
            file->held [node] =
              *storage && told.files [i].nodes_count > 0 &&
              bsearch (storage, told.files [i].nodes, told.files [i].nodes_count,
                       sizeof *told.files [i].nodes, (int (*) (const void *, const void *)) strcmp);
        }
    }
    codec_clear (&staging_told_codec, &told);
    match->wanted_count = 0;
    queue_reservations_dirty (self);
    queue_soon (self);
}

void queue_match_ask (queue_t *self, const moment_t *now)
{
    queue_match_t *match = self->match;
    match->bag = NULL;
    if (match->call != 0 || match->wanted_count == 0)
        return;
    staging_question_t files [STAGING_FILES_MAX] = {0};
    for (size_t i = 0; i < match->wanted_count; i++) {
        memcpy (files [i].name, match->wanted [i]->name, sizeof files [i].name);
        files [i].size = match->wanted [i]->size;
    }
    match->call =
      stays_ask (self->stays, now, "Staging",
                 codec_encode (&staging_asked_codec,
                               &(staging_asked_t){.files = files, .count = match->wanted_count}),
                 match_on_told, self, 0);
}

void queue_match_there (queue_t *self, const char *name, size_t node, uint64_t size)
{
    match_file_t *file = ordered_find (self->match->files, name);
    if (!file)
        return;
    file->held [node] = true;
    file->size = size;
}

/*  --- nodes --- */

static double queue_rank (const queue_t *self, const bag_t *bag, size_t node, double held,
                          double staging_s)
{
    site_node_t there = nodes_at (self->parts.nodes, node);
    rank_values_t values = {
      .of = {[RANK_MEMORY] = (double) there.machine.memory / GIGABYTE,
             [RANK_DISK] = (double) there.machine.disk / GIGABYTE,
             [RANK_LOAD] = there.machine.load,
             [RANK_CPUS] = there.cpus,
             [RANK_CPUS_FREE] = self->loads [node].cpus_free,
             [RANK_PRICE] = (double) self->parts.site->classes [there.class].price / 1e6,
             [RANK_STAGING] = staging_s,
             [RANK_HELD] = held / GIGABYTE}};
    return rank_value (bag->rank, &values);
}

backfill_worth_t queue_worth (void *owner, const backfill_bag_t *waiting, size_t node)
{
    queue_t *self = owner;
    bag_t *bag = waiting->owner;
    double held = 0, missing = 0;
    match_prepare (self, bag);
    for (size_t i = 0; i < self->match->inputs_count; i++) {
        const match_file_t *file = self->match->inputs [i];
        *(file->held [node] ? &held : &missing) +=
          file->size > 0 ? (double) file->size : SIZE_UNKNOWN;
    }
    double staging_s = missing / (double) self->limits.input_rate;
    double bound = self->limits.transfers > 0 ? (double) self->limits.data_bound : INFINITY;
    bag->waiting.large = held + missing > bound;
    return (backfill_worth_t){.rank = bag->rank ? queue_rank (self, bag, node, held, staging_s) : 0,
                              .staging_s = staging_s,
                              .unknown = self->match->unknown,
                              .transfer = missing > bound};
}

double queue_input (const queue_t *self, const bag_t *bag, double *missing)
{
    double input = 0;
    *missing = 0;
    for (size_t i = 0; i < bag->asked.order.inputs_count && bag->waiting.waiting > 0; i++) {
        text_auto_t *name = task_files_text (
          bag->asked.order.inputs [i].name, bag->asked.order.index_from + bag_next (bag), SIZE_MAX);
        const match_file_t *file = ordered_find (self->match->files, name);
        if (!file)
            continue;
        input += (double) file->size;
        if (!memchr (file->held, true, nodes_count (self->parts.nodes)))
            *missing += (double) file->size;
    }
    return input;
}

/*  --- life --- */

void queue_match_init (queue_t *self)
{
    self->match = must (calloc (1, sizeof *self->match));
    self->match->files = ordered_by_text (offsetof (match_file_t, name));
}

/*  Before a pass: no task is looked at. */
void queue_match_trim (queue_t *self)
{
    if (ordered_count (self->match->files) <= MATCH_FILES_MAX || self->match->call != 0)
        return;
    queue_match_end (self);
    queue_match_init (self);
}

void queue_match_end (queue_t *self)
{
    calls_cancel (self->parts.service->calls, self->match->call);
    ordered_end (&self->match->files, free);
    free (self->match);
    self->match = NULL;
}
