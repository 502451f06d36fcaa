/*  sim_wire_tasks - protobuf of Queue and Nodes. */
#include "sim_wire_tasks.h"

#include "message.h"

#include "nodes.pb-c.h"
#include "tasks.pb-c.h"

static packed_t packed (const ProtobufCMessage *message)
{
    packed_t made;
    made.data = message_pack (message, &made.size);
    return made;
}

packed_t sim_wire_submit (const sim_bag_t *bag)
{
    static char program [] = "/bin/true";
    char *arguments [] = {program, (char *) bag->label};
    Musubi__TaskCommand command = MUSUBI__TASK_COMMAND__INIT;
    command.n_arguments = bag->label ? 2 : 1;
    command.arguments = arguments;
    Musubi__SubmitRequest request = MUSUBI__SUBMIT_REQUEST__INIT;
    request.command = &command;
    request.count = bag->count;
    request.cpus = bag->cpus;
    request.limit_ms = bag->limit_ms;
    request.priority = bag->priority;
    request.class_name = (char *) bag->class_name;
    request.reservation = (char *) bag->reservation;
    request.preemptible = bag->preemptible;
    request.requeue = bag->requeue;
    request.shared = bag->shared;
    Musubi__TaskFile files [SIM_BAG_INPUTS_MAX + 1];
    Musubi__TaskFile *inputs [SIM_BAG_INPUTS_MAX], *output = &files [SIM_BAG_INPUTS_MAX];
    for (size_t i = 0; i <= SIM_BAG_INPUTS_MAX; i++)
        musubi__task_file__init (&files [i]);
    for (size_t i = 0; i < bag->inputs_count; i++) {
        files [i].name = (char *) bag->inputs [i];
        inputs [i] = &files [i];
    }
    output->name = (char *) bag->output;
    request.inputs = inputs;
    request.n_inputs = bag->inputs_count;
    request.outputs = &output;
    request.n_outputs = bag->output != NULL;
    return packed (&request.base);
}

packed_t sim_wire_tasks (uint64_t bag)
{
    Musubi__TasksRequest request = MUSUBI__TASKS_REQUEST__INIT;
    request.bag = bag;
    return packed (&request.base);
}

packed_t sim_wire_cancel (uint64_t bag, int index)
{
    Musubi__CancelRequest request = MUSUBI__CANCEL_REQUEST__INIT;
    request.bag = bag;
    request.one = index >= 0;
    request.index = index >= 0 ? (uint32_t) index : 0;
    return packed (&request.base);
}

packed_t sim_wire_drain (const char *node, bool drained)
{
    Musubi__DrainRequest request = MUSUBI__DRAIN_REQUEST__INIT;
    request.node = (char *) node;
    request.drained = drained;
    return packed (&request.base);
}

bool sim_wire_submit_read (bytes_t body, uint64_t *bag)
{
    Musubi__SubmitAnswer *told =
      (Musubi__SubmitAnswer *) message_unpack (&musubi__submit_answer__descriptor, body);
    if (!told)
        return false;
    *bag = told->bag;
    message_free (&told->base);
    return true;
}

bool sim_wire_tasks_read (bytes_t body, sim_told_task_t tasks [SIM_BAG_TASKS_MAX], size_t *count)
{
    Musubi__TasksAnswer *told =
      (Musubi__TasksAnswer *) message_unpack (&musubi__tasks_answer__descriptor, body);
    if (!told)
        return false;
    bool fits = told->n_tasks <= SIM_BAG_TASKS_MAX && !told->more;
    *count = fits ? told->n_tasks : 0;
    for (size_t i = 0; i < *count; i++) {
        const Musubi__TaskRecord *task = told->tasks [i];
        tasks [i] =
          (sim_told_task_t){.state = (sim_task_state_t) task->state,
                            .tries = task->run,
                            .exit_code = task->exit_code,
                            .signal = task->signal,
                            .why = task->why && *task->why,
                            .limit = task->why && strstr (task->why, "longer than its limit")};
    }
    message_free (&told->base);
    return fits;
}
