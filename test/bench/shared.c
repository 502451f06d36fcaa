/*  shared - packs requests about sharing, and reads their answers. */
#include "shared.h"

#include "balance.pb-c.h"
#include "bench.h"
#include "message.h"
#include "tasks.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static packed_t pack (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

static ProtobufCMessage *unpack (const ProtobufCMessageDescriptor *descriptor, bytes_t answer)
{
    ProtobufCMessage *message = message_unpack (descriptor, answer);
    if (!message)
        bench_fail ("an answer can't be read");
    return message;
}

packed_t join_encode (const char *balancer, double level_s)
{
    Musubi__JoinRequest request = MUSUBI__JOIN_REQUEST__INIT;
    request.balancer = (char *) balancer;
    request.level_s = level_s;
    return pack (&request.base);
}

size_t coalition_size (bytes_t answer)
{
    ProtobufCMessage *message = unpack (&musubi__balance_status_answer__descriptor, answer);
    size_t count = ((const Musubi__BalanceStatusAnswer *) message)->n_members;
    message_free (message);
    return count;
}

packed_t submit_sleep_encode (uint32_t count, int64_t sleep_ms, int64_t limit_ms, bool shared)
{
    char seconds [32];
    snprintf (seconds, sizeof seconds, "%" PRId64 ".%03" PRId64, sleep_ms / 1000, sleep_ms % 1000);
    char *arguments [] = {(char *) "sleep", seconds};
    Musubi__TaskCommand command = MUSUBI__TASK_COMMAND__INIT;
    command.arguments = arguments;
    command.n_arguments = 2;
    Musubi__SubmitRequest request = MUSUBI__SUBMIT_REQUEST__INIT;
    request.name = (char *) "sleep";
    request.command = &command;
    request.count = count;
    request.cpus = 1;
    request.limit_ms = limit_ms;
    request.shared = shared;
    return pack (&request.base);
}

packed_t bags_encode (void)
{
    Musubi__QueueRequest request = MUSUBI__QUEUE_REQUEST__INIT;
    return pack (&request.base);
}

size_t bags_told (bytes_t answer)
{
    ProtobufCMessage *message = unpack (&musubi__queue_answer__descriptor, answer);
    size_t count = ((const Musubi__QueueAnswer *) message)->n_bags;
    message_free (message);
    return count;
}

packed_t tasks_encode (uint64_t bag, uint32_t from)
{
    Musubi__TasksRequest request = MUSUBI__TASKS_REQUEST__INIT;
    request.bag = bag;
    request.from = from;
    return pack (&request.base);
}

uint32_t tasks_ended (bytes_t answer, uint32_t from, int64_t *ended_ms)
{
    ProtobufCMessage *message = unpack (&musubi__tasks_answer__descriptor, answer);
    const Musubi__TasksAnswer *told = (const Musubi__TasksAnswer *) message;
    for (size_t i = 0; i < told->n_tasks; i++) {
        if (told->tasks [i]->state != MUSUBI__TASK_STATE__TASK_ENDED)
            bench_fail ("a task has not ended by itself");
        if (told->tasks [i]->ended_ms > *ended_ms)
            *ended_ms = told->tasks [i]->ended_ms;
    }
    uint32_t next = told->more ? from + (uint32_t) told->n_tasks : 0;
    message_free (message);
    return next;
}
