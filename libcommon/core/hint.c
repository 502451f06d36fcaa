/*  hint - one timer, while there is something to tell. */
#include "hint.h"

static void publish (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    hint_t *self = owner;
    self->timer = 0;
    self->from_ms = now->mono_ms + HINT_EVERY_MS;
    outbox_publish (self->service->outbox, self->topic, (bytes_t){0});
}

/*  A timer that is due fires at the end of the step that set it. */
void hint_tell (hint_t *self)
{
    if (self->timer == 0)
        self->timer = timers_set (self->service->timers, self->from_ms, publish, self, 0);
}

void hint_end (hint_t *self)
{
    timers_cancel (self->service->timers, self->timer);
    self->timer = 0;
}
