/*  agent_batch - what the agent of a batch system has last seen there, for its site. */
#include "agent_state.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  Takes the place of the last picture; the site hears of it when it is another one. */
static void picture_set (agent_t *self, const moment_t *now, batch_picture_t *picture)
{
    batch_picture_t *before = self->batch;
    int64_t seen_ms = picture->seen_ms;
    picture->seen_ms = before ? before->seen_ms : 0;
    bool same = before && codec_same (&batch_picture_codec, before, picture);
    picture->seen_ms = seen_ms;
    if (before && before != picture) {
        codec_clear (&batch_picture_codec, before);
        free (before);
    }
    self->batch = picture;
    if (!same)
        agent_poll_news (self->agent_poll, now, 0);
}

void agent_batch_seen (agent_t *self, const moment_t *now, batch_picture_t **picture)
{
    if (*(*picture)->why) {
        agent_batch_silent (self, now, (*picture)->why);
        return;
    }
    if (self->batch && *self->batch->why)
        outbox_log (self->service->outbox, LEVEL_INFO, "batch system silent->answers");
    (*picture)->seen_ms = now->wall_ms;
    picture_set (self, now, *picture);
    *picture = NULL;
}

void agent_batch_silent (agent_t *self, const moment_t *now, const char *why)
{
    if (!self->batch)
        self->batch = must (calloc (1, sizeof *self->batch));
    if (strcmp (self->batch->why, why) == 0)
        return;
    outbox_log (self->service->outbox, LEVEL_WARNING, "batch system silent why=\"%s\"", why);
    snprintf (self->batch->why, sizeof self->batch->why, "%s", why);
    agent_poll_news (self->agent_poll, now, 0);
}

void agent_batch_look (agent_t *self, const moment_t *now)
{
    int64_t waited_ms = now->mono_ms - self->batch_asked_ms;
    char why [RUN_WHY_BYTES_MAX + 1];
    if (!agent_awaits (self, WORK_MACHINE, 0)) {
        self->batch_asked_ms = now->mono_ms;
        agent_order (self, RUN_LOOK, &(work_order_t){.runs = self->settings.runs},
                     &(ordered_work_t){.kind = WORK_MACHINE});
    } else if (waited_ms >= self->settings.limit_ms) {
        snprintf (why, sizeof why, "the batch system has not answered for %lld s",
                  (long long) self->settings.limit_ms / 1000);
        agent_batch_silent (self, now, why);
    }
}

void agent_batch_end (agent_t *self)
{
    if (self->batch)
        codec_clear (&batch_picture_codec, self->batch);
    free (self->batch);
}
