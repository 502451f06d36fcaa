/*  change_notice - one timer, while there is something to tell. */
#include "change_notice.h"

static void change_notice_publish (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    change_notice_t *self = owner;
    self->timer = 0;
    self->from_ms = now->mono_ms + CHANGE_NOTICE_EVERY_MS;
    outbox_publish (self->service->outbox, self->topic, (bytes_t){0});
}

/*  A timer that is due fires at the end of the step that set it. */
void change_notice_tell (void *owner)
{
    change_notice_t *self = owner;
    if (self->timer == 0)
        self->timer =
          timers_set (self->service->timers, self->from_ms, change_notice_publish, self, 0);
}

void change_notice_end (change_notice_t *self)
{
    timers_cancel (self->service->timers, self->timer);
    self->timer = 0;
}
