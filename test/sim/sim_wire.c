/*  sim_wire - protobuf of the simulation. */
#include "sim_wire.h"

#include <stdio.h>

void sim_wire_text (const sim_message_t *message, char text [SIM_TEXT_BYTES])
{
    snprintf (text, SIM_TEXT_BYTES, "%s.%s bytes=%zu", message->service, message->method,
              message->size);
}
