/*  runs_wire - protobuf <-> plain values. */
#include "runs_wire.h"

#include "transaction_wire.h"

#include <assert.h>
#include <string.h>

/*  An agent never says placed. */
static const Musubi__RunState states [] = {
  [RUN_CLAIMED] = MUSUBI__RUN_STATE__RUN_CLAIMED, [RUN_RUNNING] = MUSUBI__RUN_STATE__RUN_RUNNING,
  [RUN_ENDED] = MUSUBI__RUN_STATE__RUN_ENDED,     [RUN_REFUSED] = MUSUBI__RUN_STATE__RUN_REFUSED,
  [RUN_LOST] = MUSUBI__RUN_STATE__RUN_LOST,
};

bool sentence_take (char *to, size_t bytes_max, const char *from, const char *field,
                    char why [WHY_BYTES])
{
    if (from && *from)
        return text_take (to, bytes_max, from, TEXT_ANY, field, why);
    *to = '\0';
    return true;
}

void run_id_put (run_id_wire_t *to, const run_id_t *from)
{
    *to = (run_id_wire_t){.id = MUSUBI__RUN_ID__INIT, .task = MUSUBI__TASK_ID__INIT};
    to->id.task = &to->task;
    to->id.number = from->number;
    to->task.bag = from->task.bag;
    to->task.index = from->task.index;
}

bool run_id_take (run_id_t *to, const Musubi__RunId *from, const char *field, char why [WHY_BYTES])
{
    if (!from || !from->task)
        return wrong (why, "%s: missing", field);
    if (from->task->bag == 0 || from->number == 0)
        return wrong (why, "%s: bags and tries count from 1", field);
    *to = (run_id_t){.task = {.bag = from->task->bag, .index = from->task->index},
                     .number = from->number};
    return true;
}

void run_order_put (run_order_wire_t *to, const run_order_t *from)
{
    *to =
      (run_order_wire_t){.order = MUSUBI__RUN_ORDER__INIT, .command = MUSUBI__TASK_COMMAND__INIT};
    to->command.n_arguments = from->arguments_count;
    to->command.arguments = (char **) from->arguments;
    to->command.n_environment = from->environment_count;
    to->command.environment = (char **) from->environment;
    to->command.folder = (char *) from->folder;
    to->command.output = (char *) from->output;
    to->command.errors = (char *) from->errors;
    to->order.command = &to->command;
    to->order.cpus = from->cpus;
    to->order.limit_ms = from->limit_ms;
    to->order.cpu_limit_ms = from->cpu_limit_ms;
    to->order.account = (char *) from->account;
    to->order.owner = (char *) from->owner;
    to->order.reservation = (char *) from->reservation;
    to->order.need = (char *) from->need;
    to->order.index_from = from->index_from;
}

run_order_t *run_order_take (const Musubi__RunOrder *from, char why [WHY_BYTES])
{
    if (!from || !from->command) {
        wrong (why, "order.command: missing");
        return NULL;
    }
    run_order_t order = {.arguments = (const char *const *) from->command->arguments,
                         .arguments_count = from->command->n_arguments,
                         .environment = (const char *const *) from->command->environment,
                         .environment_count = from->command->n_environment,
                         .folder = from->command->folder,
                         .output = from->command->output,
                         .errors = from->command->errors,
                         .cpus = from->cpus,
                         .limit_ms = from->limit_ms,
                         .cpu_limit_ms = from->cpu_limit_ms,
                         .account = from->account,
                         .owner = from->owner,
                         .reservation = from->reservation,
                         .need = from->need,
                         .index_from = from->index_from};
    char text [NAME_BYTES_MAX + 1];
    if (!run_order_check (&order, why) ||
        !text_take (text, NAME_BYTES_MAX, order.owner, TEXT_WORD_OR_NONE, "order.owner", why) ||
        !text_take (text, NAME_BYTES_MAX, order.reservation, TEXT_WORD_OR_NONE, "order.reservation",
                    why) ||
        !sentence_take (text, NAME_BYTES_MAX, order.need, "order.need", why))
        return NULL;
    return run_order_copy (&order);
}

Musubi__RunState run_state_put (run_state_t state)
{
    assert (state >= RUN_CLAIMED && state <= RUN_LOST);
    return states [state];
}

bool run_state_take (run_state_t *to, Musubi__RunState from, const char *field,
                     char why [WHY_BYTES])
{
    for (run_state_t state = RUN_CLAIMED; state <= RUN_LOST; state++) {
        if (states [state] == from) {
            *to = state;
            return true;
        }
    }
    return wrong (why, "%s: %d is not known", field, (int) from);
}

void run_report_put (run_report_wire_t *to, const run_report_t *from)
{
    musubi__run_report__init (&to->report);
    run_id_put (&to->id, &from->id);
    to->report.run = &to->id.id;
    to->report.state = run_state_put (from->state);
    to->report.started_ms = from->started_ms;
    to->report.ended_ms = from->ended_ms;
    to->report.exit_code = from->exit_code;
    to->report.signal = from->signal;
    to->report.cpu_ms = from->cpu_ms;
    to->report.dropped = from->dropped;
    to->report.why = (char *) from->why;
    to->report.node_unfit = from->node_unfit;
}

bool run_report_take (run_report_t *to, const Musubi__RunReport *from, const char *field,
                      char why [WHY_BYTES])
{
    if (!run_id_take (&to->id, from->run, field, why) ||
        !run_state_take (&to->state, from->state, field, why) ||
        !sentence_take (to->why, RUN_WHY_BYTES_MAX, from->why, field, why))
        return false;
    if (!time_valid (from->started_ms) || !time_valid (from->ended_ms))
        return wrong (why, "%s: a time is out of range", field);
    if (from->cpu_ms < 0)
        return wrong (why, "%s.cpu_ms: below zero", field);
    to->started_ms = from->started_ms;
    to->ended_ms = from->ended_ms;
    to->exit_code = from->exit_code;
    to->signal = from->signal;
    to->cpu_ms = from->cpu_ms;
    to->dropped = from->dropped;
    to->node_unfit = from->node_unfit;
    return true;
}
