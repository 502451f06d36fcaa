/*  svc-lis - five programs in one: svc-lis is the service of a site; svc-lis node is the agent of
 *  one of its machines, svc-lis batch that of its batch system; svc-lis starter is the process that
 *  a node's agent leaves behind for each run; svc-lis describe says what a batch system has.
 */
#include "batch_back_end.h"
#include "batch_config.h"
#include "batch_main.h"
#include "command.h"
#include "host.h"
#include "lis.h"
#include "lis_config.h"
#include "must.h"
#include "node_main.h"
#include "participant_states.h"
#include "queue.h"
#include "starter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITE_WORKERS 8 /* each waits for one command of a batch system at a time */

#define SYSTEM_DECLARED(name) extern const batch_system_t name
#define SYSTEM_LISTED(name)   &(name),
BATCH_SYSTEMS (SYSTEM_DECLARED, ;);
static const batch_system_t *const main_systems [] = {BATCH_SYSTEMS (SYSTEM_LISTED, ) NULL};

static char *site_charges_told;

/*  Before anything is sold the batch system is asked whom it lets charge what. */
static void site_charges_ask (charges_t *charges)
{
    uint8_t *told = NULL;
    size_t size = 0;
    packed_t question = charges_question (charges);
    if (charges->count > 0 && batch_back_end_works->run (packed_bytes (question), &told, &size))
        site_charges_told = charges->told = must (strndup ((const char *) told, size));
    free (told);
    free (question.data);
}

static bool site_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const lis_file_t *file = config_settings (config, &lis_file_table);
    if (!batch_back_end_begin (config, file->common.name, &file->machines, main_systems, why) ||
        !lis_core_from_config (config, core, why))
        return false;
    if (lis_charges (core))
        site_charges_ask (lis_charges (core));
    return true;
}

/*  Prints the sections that are unfit. */
static bool site_fit (void)
{
    bool fit = true;
    for (char *line, *text = site_charges_told; text && (line = command_line (&text));) {
        if (strstr (line, ": " BACK_END_UNKNOWN))
            continue;
        fprintf (stderr, "svc-lis: %s\n", line);
        fit = false;
    }
    return fit;
}

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "node") == 0)
        return node_main (argc - 1, argv + 1);
    if (argc > 1 && strcmp (argv [1], "starter") == 0)
        return starter_main (argc - 1, argv + 1);
    if (argc > 1 && strcmp (argv [1], "batch") == 0)
        return batch_main (argc - 1, argv + 1, main_systems);
    if (argc > 1 && strcmp (argv [1], "describe") == 0)
        return batch_describe_main (argc - 1, argv + 1, main_systems);
    host_program_t program = {
      .program = "svc-lis",
      .settings = &lis_file_table,
      .works = batch_back_end_works,
      .works_count = batch_back_end_works_count,
      .workers = SITE_WORKERS,
      .core_new = site_core_new,
      .fit = site_fit,
      .states = (const state_table_t *const []){&command_states, &opening_states, &run_states,
                                                &task_states, NULL},
    };
    return host_run (&program, argc, argv);
}
