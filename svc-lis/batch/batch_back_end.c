/*  batch_back_end - runs on the site's workers. */
#include "batch_back_end.h"

#include "must.h"
#include "node_names.h"
#include "openings_wire.h"
#include "timetable_config.h"

#include <inttypes.h>
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

bool batch_setup_read (const config_t *config, const char *site, const batch_settings_t *settings,
                       const batch_system_t *system, bool reserves, const void *unfit,
                       batch_setup_t *setup, char why [LONG_WHY_BYTES])
{
    char said [WHY_BYTES];
    *setup = (batch_setup_t){.prefix = settings->prefix,
                             .site = site,
                             .queue = settings->queue,
                             .programs = settings->programs,
                             .limit_ms = settings->limit_ms};
    if (!*setup->queue)
        return config_refuse (config, &settings->queue, why,
                              "with the back end %s name the partition or queue that is the site's",
                              system->name);
    if (!batch_prefix_check (setup->prefix, said))
        return config_refuse (config, &settings->prefix, why, "%s", said);
    return system->check (setup, reserves, said) != BATCH_UNFIT ||
           config_refuse (config, unfit, why, "%s", said);
}

/*  What the nodes' core will say of it. */
static void batch_node_tell (const batch_picture_t *picture, const char *name,
                             const node_class_t *class)
{
    char why [WHY_BYTES];
    const batch_node_t *node = batch_picture_find (picture, name);
    if (!node)
        fprintf (stderr, "svc-lis: classes: %s has no node %s in %s, so it counts as lost\n",
                 batch_back_end_system->name, name, batch_back_end_setup.queue);
    else if (!batch_node_fits (picture, node, class, why))
        fprintf (stderr, "svc-lis: classes: %s counts as drained: %s\n", name, why);
}

/*  A node that the site names and its batch system has not, or has with less than is sold, is told.
 *  The site begins all the same: who has taken it out there may put it back. */
static void batch_nodes_tell (const config_t *config, const machines_settings_t *machines,
                              const batch_picture_t *picture)
{
    char why [LONG_WHY_BYTES];
    name_list_auto_t names = {0};
    for (size_t i = 0; i < machines->classes_count; i++) {
        const class_section_t *section = &machines->classes [i];
        node_class_t class = {.cpus_per_node = section->cpus_per_node};
        size_t from = names.count;
        snprintf (class.name, sizeof class.name, "%s", section->name);
        if (!node_names_read (&names, config, section, why) ||
            !attributes_config_read (config, section->attributes, section->attributes_count,
                                     &class.attributes, &class.attributes_count, why))
            continue; /* the site's core tells what is wrong */
        for (; from < names.count; from++)
            batch_node_tell (picture, names.words [from], &class);
        free (class.attributes);
    }
}

static void batch_picture_tell (const config_t *config, const machines_settings_t *machines)
{
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    if (batch_back_end_system->look (&batch_back_end_setup, &picture, why))
        batch_nodes_tell (config, machines, &picture);
    else
        fprintf (stderr, "svc-lis: back_end: %s\n", why);
    codec_clear (&batch_picture_codec, &picture);
}

bool batch_back_end_begin (const config_t *config, const char *site,
                           const machines_settings_t *machines,
                           const batch_system_t *const *systems, char why [LONG_WHY_BYTES])
{
    batch_back_end_system = batch_system_find (systems, machines->back_end);
    if (!batch_back_end_system)
        return true; /* whether it is another kind is for the site's core to say */
    if (!batch_setup_read (config, site, &machines->batch.system, batch_back_end_system, true,
                           &machines->back_end, &batch_back_end_setup, why))
        return false;
    batch_back_end_setup.early_ms = machines->batch.watch_ms + EARLY_MS;
    batch_picture_tell (config, machines);
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

static batch_fitness_t batch_charges (const account_t *who, char why [WHY_BYTES])
{
    if (batch_back_end_system->charges)
        return batch_back_end_system->charges (&batch_back_end_setup, who, why);
    wrong (why, "with back_end = %s there is nothing to charge: leave account and qos out",
           batch_back_end_system->name);
    return BATCH_UNFIT;
}

/*  Once the batch system is silent it is not asked about the rest. */
static char *batch_charges_all (const back_end_task_t *task)
{
    char *told = must_print ("%s", "");
    batch_fitness_t fitness = BATCH_FIT;
    for (size_t i = 0; i < task->count; i++) {
        const back_end_order_t *section = &task->orders [i];
        char why [WHY_BYTES];
        account_t who = {.actor = ""};
        snprintf (who.account, sizeof who.account, "%s", section->account);
        snprintf (who.charged, sizeof who.charged, "%s", section->charged);
        snprintf (who.qos, sizeof who.qos, "%s", section->qos);
        if (fitness != BATCH_SILENT)
            fitness = batch_charges (&who, why);
        if (fitness == BATCH_FIT)
            continue;
        text_auto_t *before = told;
        told = must_print ("%s%s: %s\n", before, section->reservation,
                           fitness == BATCH_SILENT ? BACK_END_UNKNOWN : why);
    }
    return told;
}

/*  *told as back_end.h says of a count. */
static bool batch_count (const back_end_order_t *order, char **told, char why [WHY_BYTES])
{
    int64_t cpu_ms = -1;
    if (batch_back_end_system->count &&
        !batch_back_end_system->count (&batch_back_end_setup, order, &cpu_ms, why))
        return false;
    *told = cpu_ms < 0 ? must (strdup (BACK_END_NO_ACCOUNTING)) : must_print ("%" PRId64, cpu_ms);
    return true;
}

/*  All that were named. */
static bool batch_compare (const back_end_task_t *task, char **differ, char why [WHY_BYTES])
{
    const batch_setup_t *setup = &batch_back_end_setup;
    char (*names) [BATCH_NAME_BYTES_MAX + 1] = must (calloc (task->count + 1, sizeof *names));
    back_end_order_t *orders = must (calloc (task->count + 1, sizeof *orders));
    bool good = true;
    for (size_t i = 0; good && i < task->count; i++) {
        good = batch_name (setup, task->orders [i].reservation, names [i], why);
        orders [i] = task->orders [i];
        orders [i].reservation = names [i];
    }
    good = good && batch_back_end_system->compare (setup, orders, task->count, differ, why);
    free (orders);
    free (names);
    return good;
}

static bool batch_step (const back_end_task_t *task, char **told, char why [WHY_BYTES])
{
    const batch_system_t *system = batch_back_end_system;
    const batch_setup_t *setup = &batch_back_end_setup;
    char name [BATCH_NAME_BYTES_MAX + 1];
    if (!system)
        return wrong (why, "back_end: the site's settings name no batch system");
    if (task->step == BACK_END_RECONCILE)
        return batch_reconcile (task, why);
    if (task->step == BACK_END_LOOK)
        return batch_compare (task, told, why);
    if (task->step == BACK_END_CHARGES)
        return (*told = batch_charges_all (task));
    if (task->count != 1)
        return wrong (why, "reservations: a step should be of one");
    back_end_order_t order = task->orders [0];
    if (!batch_name (setup, order.reservation, name, why))
        return false;
    order.reservation = name;
    if (task->step == BACK_END_CLOSE)
        return system->close (setup, &order, why);
    if (task->step == BACK_END_COUNT)
        return batch_count (&order, told, why);
    return *order.account
             ? system->keep (setup, task->step, &order, why)
             : wrong (why, "%.60s has no local account here: name one under accounts", order.owner);
}

static bool batch_back_end_do (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    back_end_task_t task;
    char why [WHY_BYTES] = "";
    char *told = NULL;
    bool done =
      codec_decode (&back_end_task_codec, &task, arguments, why) && batch_step (&task, &told, why);
    codec_clear (&back_end_task_codec, &task);
    if (!done) {
        free (told);
        told = must (strdup (why));
    }
    *result = (uint8_t *) told;
    *result_size = told ? strlen (told) : 0;
    return done;
}

const work_kind_t batch_back_end_works [] = {{.kind = "batch", .run = batch_back_end_do}};
const size_t batch_back_end_works_count =
  sizeof batch_back_end_works / sizeof *batch_back_end_works;
