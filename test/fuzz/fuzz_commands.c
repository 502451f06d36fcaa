/*  fuzz_commands - any bytes as what a site's own programs write: the first byte says whose answer
 *  it is. What is refused has a reason; of what is read each row is as the site may take it.
 */
#include "commands.h"

#include "fuzzing.h"
#include "must.h"

static void row_sound (const commands_row_t *row)
{
    REQUIRE (row->kind < COMMANDS_KINDS && *row->key);
    REQUIRE (row->cpus_busy <= row->cpus && row->cpus <= COMMANDS_CPUS_MAX);
    if (row->kind == COMMANDS_RESERVATION || row->kind == COMMANDS_JOB)
        REQUIRE (row->from_ms < row->until_ms && row->until_ms <= BATCH_FOREVER_MS &&
                 row->nodes.count > 0 && !name_list_twice (&row->nodes));
    if (row->kind == COMMANDS_RUN)
        REQUIRE (row->state >= BATCH_JOB_UNKNOWN && row->state <= BATCH_JOB_LOST &&
                 row->state != BATCH_JOB_HELD && strlen (row->job) < BATCH_JOB_ID_BYTES);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char why [WHY_BYTES] = "";
    if (size == 0)
        return 0;
    commands_rows_t rows = {.text = must (strndup ((const char *) data + 1, size - 1))};
    command_told_t told = commands_read ("list", data [0] % 3, &rows, why);
    REQUIRE ((told == COMMAND_DONE) == (*why == '\0') && memchr (why, '\0', WHY_BYTES));
    for (size_t i = 0; told == COMMAND_DONE && i < rows.count; i++)
        row_sound (&rows.rows [i]);
    commands_rows_clear (&rows);
    return 0;
}
