/*  batch_back_end - runs on the site's workers. */
#include "batch_back_end.h"

#include "openings_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EARLY_MS 1000 /* the last watch before a start clears its nodes, and they take a moment */

static const batch_system_t *batch_back_end_system;
static batch_setup_t batch_back_end_setup;

const batch_system_t *batch_system_find (const batch_system_t *const *systems, const char *name)
{
    while (*systems && strcmp ((*systems)->name, name) != 0)
        systems++;
    return *systems;
}

bool batch_back_end_begin (const config_t *config, const batch_system_t *const *systems,
                           char why [LONG_WHY_BYTES])
{
    char unfit [WHY_BYTES];
    batch_back_end_system = batch_system_find (systems, config_text (config, "back_end"));
    if (!batch_back_end_system)
        return true; /* whether it is another kind is for the site's core to say */
    batch_back_end_setup =
      (batch_setup_t){.site = config_text (config, "name"),
                      .queue = config_text (config, "batch/queue"),
                      .limit_ms = config_duration_ms (config, "batch/limit"),
                      .early_ms = config_duration_ms (config, "batch/watch") + EARLY_MS,
                      .clear = strcmp (config_text (config, "opening/clear"), "end") == 0};
    if (!*batch_back_end_setup.queue)
        return config_wrong (config, "batch/queue", why,
                             "with the back end %s name the partition or queue that is the site's",
                             batch_back_end_system->name);
    batch_fitness_t fitness = batch_back_end_system->check (&batch_back_end_setup, true, unfit);
    return fitness != BATCH_UNFIT || config_wrong (config, "back_end", why, "%s", unfit);
}

static bool batch_step (const back_end_task_t *task, char why [WHY_BYTES])
{
    const batch_system_t *system = batch_back_end_system;
    const batch_setup_t *setup = &batch_back_end_setup;
    if (!system)
        return wrong (why, "back_end: the site's settings name no batch system");
    if (task->step == BACK_END_RECONCILE)
        return system->reconcile (setup, task->orders, task->count, why);
    if (task->count != 1)
        return wrong (why, "reservations: a step should be of one");
    switch (task->step) {
    case BACK_END_PREPARE:
        return system->reserve (setup, task->orders, why);
    case BACK_END_OPEN:
        return system->open (setup, task->orders, why);
    case BACK_END_WATCH:
        return system->verify (setup, task->orders, why);
    default:
        return system->close (setup, task->orders, why);
    }
}

static bool batch_back_end_do (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    back_end_task_t task;
    char why [WHY_BYTES] = "";
    bool done =
      codec_decode (&back_end_task_codec, &task, arguments, why) && batch_step (&task, why);
    codec_clear (&back_end_task_codec, &task);
    *result = (uint8_t *) (done ? NULL : strdup (why));
    *result_size = *result ? strlen (why) : 0;
    return done;
}

const work_kind_t batch_back_end_works [] = {{.kind = "batch", .run = batch_back_end_do}};
const size_t batch_back_end_works_count =
  sizeof batch_back_end_works / sizeof *batch_back_end_works;
