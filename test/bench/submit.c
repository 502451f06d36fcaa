/*  submit - packs requests to the queue, and reads their answers. */
#include "submit.h"

#include "bench.h"
#include "message.h"
#include "tasks.pb-c.h"

#include <stdlib.h>
#include <string.h>

static packed_t pack (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

packed_t submit_date_encode (const char *reservation)
{
    char *arguments [] = {(char *) "date", (char *) "+%s%N"};
    Musubi__TaskCommand command = MUSUBI__TASK_COMMAND__INIT;
    command.arguments = arguments;
    command.n_arguments = 2;
    Musubi__SubmitRequest request = MUSUBI__SUBMIT_REQUEST__INIT;
    request.name = (char *) "date";
    request.command = &command;
    request.count = 1;
    request.cpus = 1;
    request.limit_ms = 60000;
    request.reservation = (char *) reservation;
    return pack (&request.base);
}

uint64_t submitted_bag (bytes_t answer)
{
    ProtobufCMessage *message = message_unpack (&musubi__submit_answer__descriptor, answer);
    if (!message)
        bench_fail ("a site's answer can't be read");
    uint64_t bag = ((const Musubi__SubmitAnswer *) message)->bag;
    message_free (message);
    return bag;
}

packed_t output_encode (uint64_t bag)
{
    Musubi__TaskId task = MUSUBI__TASK_ID__INIT;
    Musubi__OutputRequest request = MUSUBI__OUTPUT_REQUEST__INIT;
    task.bag = bag;
    request.task = &task;
    return pack (&request.base);
}

double output_date_ms (bytes_t answer)
{
    ProtobufCMessage *message = message_unpack (&musubi__output_answer__descriptor, answer);
    if (!message)
        bench_fail ("a site's answer can't be read");
    const Musubi__OutputAnswer *output = (const Musubi__OutputAnswer *) message;
    char text [32] = "";
    if (output->over && output->data.len > 0 && output->data.len < sizeof text)
        memcpy (text, output->data.data, output->data.len);
    message_free (message);
    return strtod (text, NULL) / 1e6;
}
