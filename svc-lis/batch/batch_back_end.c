/*  batch_back_end - runs on the site's workers. */
#include "batch_back_end.h"

#include "node_names.h"
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

/*  What the nodes' core will say of it. */
static void batch_node_tell (const batch_picture_t *picture, const char *name, int64_t cpus)
{
    const batch_node_t *node = batch_picture_find (picture, name);
    if (!node)
        fprintf (stderr, "svc-lis: classes: %s has no node %s in %s, so it counts as lost\n",
                 batch_back_end_system->name, name, batch_back_end_setup.queue);
    else if (node->cpus > 0 && node->cpus < cpus)
        fprintf (stderr,
                 "svc-lis: classes: %s has %u CPUs in %s, fewer than its class's cpus_per_node, so "
                 "it counts as drained\n",
                 name, node->cpus, batch_back_end_system->name);
}

/*  A node that the site names and its batch system has not, or has with fewer CPUs, is told. The site
 *  begins all the same: who has taken it out there may put it back. */
static void batch_nodes_tell (const config_t *config, const batch_picture_t *picture)
{
    const char *classes [SITE_CLASSES_MAX];
    char section [NAME_BYTES_MAX + 16], key [NAME_BYTES_MAX + 32], why [LONG_WHY_BYTES];
    size_t count = config_names (config, "classes", classes, SITE_CLASSES_MAX);
    name_list_auto_t names = {0};
    for (size_t i = 0; i < count && i < SITE_CLASSES_MAX; i++) {
        snprintf (section, sizeof section, "classes/%.*s", NAME_BYTES_MAX, classes [i]);
        snprintf (key, sizeof key, "%s/cpus_per_node", section);
        size_t from = names.count;
        node_names_read (&names, config, section, why); /* the site's core tells what is wrong */
        for (; from < names.count; from++)
            batch_node_tell (picture, names.words [from], config_integer (config, key));
    }
}

static void batch_picture_tell (const config_t *config)
{
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    if (batch_back_end_system->look (&batch_back_end_setup, &picture, why))
        batch_nodes_tell (config, &picture);
    else
        fprintf (stderr, "svc-lis: back_end: %s\n", why);
    codec_clear (&batch_picture_codec, &picture);
}

bool batch_back_end_begin (const config_t *config, const batch_system_t *const *systems,
                           char why [LONG_WHY_BYTES])
{
    char unfit [WHY_BYTES];
    batch_back_end_system = batch_system_find (systems, config_text (config, "back_end"));
    if (!batch_back_end_system)
        return true; /* whether it is another kind is for the site's core to say */
    batch_back_end_setup =
      (batch_setup_t){.prefix = config_text (config, "batch/prefix"),
                      .site = config_text (config, "name"),
                      .queue = config_text (config, "batch/queue"),
                      .limit_ms = config_duration_ms (config, "batch/limit"),
                      .early_ms = config_duration_ms (config, "batch/watch") + EARLY_MS};
    if (!*batch_back_end_setup.queue)
        return config_wrong (config, "batch/queue", why,
                             "with the back end %s name the partition or queue that is the site's",
                             batch_back_end_system->name);
    if (!batch_prefix_check (batch_back_end_setup.prefix, unfit))
        return config_wrong (config, "batch/prefix", why, "%s", unfit);
    batch_fitness_t fitness = batch_back_end_system->check (&batch_back_end_setup, true, unfit);
    if (fitness == BATCH_UNFIT)
        return config_wrong (config, "back_end", why, "%s", unfit);
    batch_picture_tell (config);
    return true;
}

/*  After a start: whatever is ours and has no order is closed. */
static bool batch_reconcile (const back_end_task_t *task, char why [WHY_BYTES])
{
    const batch_setup_t *setup = &batch_back_end_setup;
    name_list_auto_t names = {0};
    bool good = batch_back_end_system->list (setup, &names, why);
    for (size_t i = 0; good && i < names.count; i++) {
        const char *ours = batch_name_ours (setup, names.words [i]);
        bool ordered = false;
        for (size_t k = 0; k < task->count; k++)
            ordered = ordered || (ours && strcmp (task->orders [k].reservation, ours) == 0);
        if (ours && !ordered)
            good = batch_back_end_system->close (
              setup, &(back_end_order_t){.reservation = names.words [i], .account = ""}, why);
    }
    return good;
}

static bool batch_step (const back_end_task_t *task, char why [WHY_BYTES])
{
    const batch_system_t *system = batch_back_end_system;
    const batch_setup_t *setup = &batch_back_end_setup;
    char name [BATCH_NAME_BYTES_MAX + 1];
    if (!system)
        return wrong (why, "back_end: the site's settings name no batch system");
    if (task->step == BACK_END_RECONCILE)
        return batch_reconcile (task, why);
    if (task->count != 1)
        return wrong (why, "reservations: a step should be of one");
    back_end_order_t order = task->orders [0];
    if (!batch_name (setup, order.reservation, name, why))
        return false;
    order.reservation = name;
    if (task->step == BACK_END_CLOSE)
        return system->close (setup, &order, why);
    return *order.account
             ? system->keep (setup, task->step, &order, why)
             : wrong (why, "%.60s has no local account here: name one under accounts", order.owner);
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
