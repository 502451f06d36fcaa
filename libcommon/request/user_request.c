/*  user_request - what a request owns, and names of needs that have none. */
#include "user_request.h"

#include <stdio.h>

void user_request_copy (user_request_t *to, const user_request_t *from)
{
    codec_copy (&user_request_codec, to, from);
}

void user_request_clear (user_request_t *self)
{
    codec_clear (&user_request_codec, self);
}

void user_request_name (user_request_t *self)
{
    for (size_t i = 0; i < self->network_count; i++) {
        network_need_t *need = &self->network [i];
        if (*need->id || need->ends_count != 2)
            continue;
        int length = snprintf (need->id, sizeof need->id, "%s-%s", need->ends [0], need->ends [1]);
        if (length < 0 || (size_t) length >= sizeof need->id)
            *need->id = '\0';
    }
    for (size_t i = 0; i < self->data_count; i++)
        if (!*self->data [i].id)
            snprintf (self->data [i].id, sizeof self->data [i].id, "data-%zu", i + 1);
    for (size_t i = 0; i < self->space_count; i++)
        if (!*self->space [i].id)
            snprintf (self->space [i].id, sizeof self->space [i].id, "space-%zu", i + 1);
}
