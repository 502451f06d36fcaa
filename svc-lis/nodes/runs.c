/*  runs - compares, prints, checks and copies what runs.h describes. */
#include "runs.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_id_compare (const run_id_t *a, const run_id_t *b)
{
    if (a->task.bag != b->task.bag)
        return a->task.bag < b->task.bag ? -1 : 1;
    if (a->task.index != b->task.index)
        return a->task.index < b->task.index ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

const char *run_id_text (const run_id_t *id, char text [RUN_ID_TEXT_BYTES])
{
    snprintf (text, RUN_ID_TEXT_BYTES, "%" PRIu64 ".%" PRIu32 "#%" PRIu32, id->task.bag,
              id->task.index, id->number);
    return text;
}

const char *run_name (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                      char name [RUN_NAME_BYTES_MAX + 1])
{
    int used = 0;
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        used += snprintf (name + used, RUN_NAME_BYTES_MAX + 1 - (size_t) used, "%02x", site [i]);
    snprintf (name + used, RUN_NAME_BYTES_MAX + 1 - (size_t) used,
              "-%" PRIu64 ".%" PRIu32 ".%" PRIu32, id->task.bag, id->task.index, id->number);
    return name;
}

static const char *const run_words [] = {"claimed", "running", "ended",
                                         "refused", "lost",    "placed"};

#define RUN_OPEN (STATE (RUN_PLACED) | STATE (RUN_CLAIMED) | STATE (RUN_RUNNING))

/*  A report may skip states. */
static const state_step_t run_steps [] = {
  {STATE (RUN_PLACED), RUN_CLAIMED, .when = "its agent has stored it"},
  {STATE (RUN_PLACED) | STATE (RUN_CLAIMED), RUN_RUNNING, .when = "its starter has begun it"},
  {RUN_OPEN, RUN_ENDED, .when = "by itself, or because it was told to"},
  {RUN_OPEN, RUN_REFUSED, .when = "it can't be started, or was told to end before"},
  {RUN_OPEN, RUN_LOST, .when = "it is over, and nobody knows how it ended"},
};
const state_table_t run_states = {.name = "run", .states = run_words, STATE_STEPS (run_steps)};

/*  --- orders --- */

static size_t bytes_of_all (const char *const *texts, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen (texts [i]) + 1;
    return bytes;
}

static size_t command_bytes (const run_order_t *order)
{
    return bytes_of_all (order->arguments, order->arguments_count) +
           bytes_of_all (order->environment, order->environment_count) + strlen (order->folder) +
           strlen (order->output) + strlen (order->errors) + 3;
}

static bool environment_check (const run_order_t *order, char why [WHY_BYTES])
{
    if (order->environment_count > TASK_ENVIRONMENT_MAX)
        return wrong (why, "environment: should be at most %d variables", TASK_ENVIRONMENT_MAX);
    for (size_t i = 0; i < order->environment_count; i++) {
        const char *equals = strchr (order->environment [i], '=');
        if (!equals || equals == order->environment [i])
            return wrong (why, "environment[%zu]: \"%.40s\" should be NAME=value", i,
                          order->environment [i]);
    }
    return true;
}

bool run_order_check (const run_order_t *order, char why [WHY_BYTES])
{
    if (order->arguments_count == 0 || *order->arguments [0] == '\0')
        return wrong (why, "arguments: the first one must name a program");
    if (order->arguments_count > TASK_ARGUMENTS_MAX)
        return wrong (why, "arguments: should be at most %d", TASK_ARGUMENTS_MAX);
    if (!environment_check (order, why))
        return false;
    if (*order->folder != '\0' && *order->folder != '/')
        return wrong (why, "folder: \"%.60s\" should be an absolute path, or empty", order->folder);
    size_t bytes = command_bytes (order);
    if (bytes > TASK_TEXT_BYTES_MAX)
        return wrong (why, "command: %zu bytes of text, at most %d", bytes, TASK_TEXT_BYTES_MAX);
    if (order->cpus < 1)
        return wrong (why, "cpus: must be at least 1");
    if (order->limit_ms < 1)
        return wrong (why, "limit_ms: must be at least 1");
    if (order->cpu_limit_ms < 1)
        return wrong (why, "cpu_limit_ms: must be at least 1");
    if (strlen (order->account) > ACCOUNT_BYTES_MAX || *order->account == '\0')
        return wrong (why, "account: must be a local account of at most %d bytes",
                      ACCOUNT_BYTES_MAX);
    return true;
}

run_order_t *run_order_copy (const run_order_t *order)
{
    run_order_t *copy = must (malloc (sizeof *copy));
    codec_copy (&run_order_codec, copy, order);
    return copy;
}

void run_order_free (run_order_t *order)
{
    if (order)
        codec_clear (&run_order_codec, order);
    free (order);
}
