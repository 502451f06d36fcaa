/*  sim_message - making and copying. */
#include "sim_message.h"

#include <stdlib.h>
#include <string.h>

sim_message_t *sim_message_new (sim_message_kind_t kind, bytes_t body)
{
    sim_message_t *self = calloc (1, sizeof *self + body.size);
    if (!self)
        abort ();
    self->kind = kind;
    self->to = SIM_NOBODY;
    self->size = body.size;
    if (body.size > 0)
        memcpy (self->body, body.data, body.size);
    return self;
}

sim_message_t *sim_message_copy (const sim_message_t *from)
{
    sim_message_t *self = malloc (sizeof *self + from->size);
    if (!self)
        abort ();
    memcpy (self, from, sizeof *self + from->size);
    return self;
}

bytes_t sim_message_body (const sim_message_t *self)
{
    return (bytes_t){.data = self->body, .size = self->size};
}

void sim_text (char *to, size_t room, const char *from)
{
    size_t size = from ? strnlen (from, room - 1) : 0;
    if (size > 0)
        memcpy (to, from, size);
    to [size] = '\0';
}

bool sim_message_transacts (const sim_message_t *self)
{
    static const char *const services [] = {"Participant", "Coordinator", "Home",
                                            "Planner",     "Nis",         "Nodes",
                                            "Factory",     "Reservation", "Command"};
    for (size_t i = 0; i < sizeof services / sizeof services [0]; i++)
        if (strcmp (self->service, services [i]) == 0)
            return true;
    return false;
}
