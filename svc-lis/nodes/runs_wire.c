/*  runs_wire - codecs of identities, orders and reports of runs. */
#include "runs.h"

#include "message.h"
#include "transaction.h"

#include "nodes.pb-c.h"

#include <assert.h>

static_assert ((int) RUN_CLAIMED == MUSUBI__RUN_STATE__RUN_CLAIMED, "same numbers");
static_assert ((int) RUN_LOST == MUSUBI__RUN_STATE__RUN_LOST, "same numbers");

static const codec_row_t task_id_rows [] = {
  ROW_NUMBER ("bag", task_id_t, bag),
  ROW_NUMBER ("index", task_id_t, index),
};
const codec_t task_id_codec = CODEC (task_id_t, task_id, task_id_rows);

static const codec_row_t run_id_rows [] = {
  ROW_ONE ("task", run_id_t, task, task_id),
  ROW_NUMBER ("number", run_id_t, number, LEAST (1)),
};

static bool run_id_rule (void *self, char why [WHY_BYTES])
{
    return ((const run_id_t *) self)->task.bag > 0 || wrong (why, "task.bag: should be at least 1");
}

const codec_t run_id_codec = CODEC_RULED (run_id_t, run_id, run_id_rows, run_id_rule);

static const codec_row_t task_command_rows [] = {
  ROW_STRING_LIST ("arguments", run_order_t, arguments, arguments_count, TASK_TEXT_BYTES_MAX, 0,
                   TASK_ARGUMENTS_MAX),
  ROW_STRING_LIST ("environment", run_order_t, environment, environment_count, TASK_TEXT_BYTES_MAX,
                   0, TASK_ENVIRONMENT_MAX),
  ROW_STRING ("folder", run_order_t, folder, TASK_TEXT_BYTES_MAX),
  ROW_STRING ("output", run_order_t, output, TASK_TEXT_BYTES_MAX),
  ROW_STRING ("errors", run_order_t, errors, TASK_TEXT_BYTES_MAX),
};
const codec_t task_command_codec = CODEC (run_order_t, task_command, task_command_rows);

static const codec_row_t run_file_rows [] = {
  ROW_STRING ("name", run_file_t, name, FILE_NAME_BYTES_MAX),
  ROW_STRING ("path", run_file_t, path, TASK_PATH_BYTES_MAX),
  ROW_STRING ("copy", run_file_t, copy, RECORD_BYTES_MAX),
  ROW_NUMBER ("size", run_file_t, size),
};

/*  A path may lead nowhere but into the run's folder. */
static bool run_file_rule (void *self, char why [WHY_BYTES])
{
    return file_name_check (((const run_file_t *) self)->path, why);
}

const codec_t run_file_codec = CODEC_RULED (run_file_t, run_file, run_file_rows, run_file_rule);

static const codec_row_t run_order_rows [] = {
  ROW_INSIDE ("command", run_order_t, &task_command_codec),
  ROW_NUMBER ("cpus", run_order_t, cpus),
  ROW_NUMBER ("limit_ms", run_order_t, limit_ms),
  ROW_NUMBER ("cpu_limit_ms", run_order_t, cpu_limit_ms),
  ROW_STRING ("account", run_order_t, account, ACCOUNT_BYTES_MAX),
  ROW_STRING ("owner", run_order_t, owner, NAME_BYTES_MAX),
  ROW_STRING ("reservation", run_order_t, reservation, NAME_BYTES_MAX),
  ROW_STRING ("need", run_order_t, need, NAME_BYTES_MAX),
  ROW_UNUSED ("booked_until_ms"),
  ROW_NUMBER ("index_from", run_order_t, index_from),
  ROW_LIST ("inputs", run_order_t, inputs, inputs_count, run_file, 0, TASK_FILES_MAX),
  ROW_LIST ("outputs", run_order_t, outputs, outputs_count, run_file, 0, TASK_FILES_MAX),
  ROW_STRING ("charged", run_order_t, charged, CHARGED_BYTES_MAX),
  ROW_STRING ("qos", run_order_t, qos, CHARGED_BYTES_MAX),
  ROW_NUMBER ("gpus", run_order_t, gpus),
};

static bool run_order_rule (void *self, char why [WHY_BYTES])
{
    const run_order_t *order = self;
    char text [NAME_BYTES_MAX + 1];
    return run_order_check (order, why) &&
           text_take (text, NAME_BYTES_MAX, order->owner, TEXT_WORD_OR_NONE, "owner", why) &&
           text_take (text, NAME_BYTES_MAX, order->reservation, TEXT_WORD_OR_NONE, "reservation",
                      why) &&
           (!*order->need || text_take (text, NAME_BYTES_MAX, order->need, TEXT_ANY, "need", why));
}

const codec_t run_order_codec =
  CODEC_RULED (run_order_t, run_order, run_order_rows, run_order_rule);

static const codec_row_t run_report_rows [] = {
  ROW_ONE ("run", run_report_t, id, run_id),
  ROW_ENUM ("state", run_report_t, state, RUN_LOST),
  ROW_TIME ("started_ms", run_report_t, started_ms),
  ROW_TIME ("ended_ms", run_report_t, ended_ms),
  ROW_NUMBER ("exit_code", run_report_t, exit_code),
  ROW_NUMBER ("signal", run_report_t, signal),
  ROW_NUMBER ("cpu_ms", run_report_t, cpu_ms, LEAST (0)),
  ROW_TEXT ("why", run_report_t, why, OR_NONE),
  ROW_FLAG ("node_unfit", run_report_t, node_unfit),
  ROW_NUMBER ("dropped", run_report_t, dropped),
  ROW_FLAG ("suspended", run_report_t, suspended),
  ROW_FLAG ("handed", run_report_t, handed),
};
const codec_t run_report_codec = CODEC (run_report_t, run_report, run_report_rows);
