/*  batch_setup - reads and checks. */
#include "batch_setup.h"

#include <stdio.h>
#include <string.h>

#define KEY_BYTES 64

const batch_system_t *batch_system_find (const batch_system_t *const *systems, const char *name)
{
    while (*systems && strcmp ((*systems)->name, name) != 0)
        systems++;
    return *systems;
}

bool batch_setup_read (const config_t *config, const char *before, const batch_system_t *system,
                       bool reserves, const char *unfit, batch_setup_t *setup,
                       char why [LONG_WHY_BYTES])
{
    char said [WHY_BYTES], queue [KEY_BYTES], prefix [KEY_BYTES], limit [KEY_BYTES];
    snprintf (queue, sizeof queue, "%squeue", before);
    snprintf (prefix, sizeof prefix, "%sprefix", before);
    snprintf (limit, sizeof limit, "%slimit", before);
    setup->prefix = config_text (config, prefix);
    setup->site = config_text (config, "name");
    setup->queue = config_text (config, queue);
    setup->limit_ms = config_duration_ms (config, limit);
    if (!*setup->queue)
        return config_wrong (config, queue, why,
                             "with the back end %s name the partition or queue that is the site's",
                             system->name);
    if (!batch_prefix_check (setup->prefix, said))
        return config_wrong (config, prefix, why, "%s", said);
    return system->check (setup, reserves, said) != BATCH_UNFIT ||
           config_wrong (config, unfit, why, "%s", said);
}
