/*  agent_work - orders work of the host and takes its results. */
#include "agent_state.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BRING_MS 5000

void agent_order (agent_t *self, const char *kind, const work_order_t *order,
                  const ordered_work_t *note)
{
    ordered_work_t *work = must (malloc (sizeof *work));
    *work = *note;
    work->number = ++self->works_ordered;
    ordered_add (self->works, &work->number, work);
    packed_t arguments = codec_encode (&work_order_codec, order);
    outbox_work (self->service->outbox, work->number, kind, packed_bytes (arguments));
    free (arguments.data);
}

static void bring (agent_t *self, const moment_t *now, uint64_t output, const work_result_t *result)
{
    output_piece_t piece = {.number = output, .data = result->data, .size = result->size};
    snprintf (piece.why, sizeof piece.why, "%s", result->why);
    packed_t body = codec_encode (&output_piece_codec, &piece);
    service_ask (self->service, now,
                 &(call_order_t){.endpoint = agent_poll_endpoint (self->agent_poll),
                                 .to_store = agent_poll_store (self->agent_poll),
                                 .service = "Nodes",
                                 .method = "Bring",
                                 .timeout_ms = BRING_MS,
                                 .tries_max = 1},
                 body, NULL, self, 0);
}

static void agent_work_failed (agent_t *self, const ordered_work_t *work, bytes_t result)
{
    outbox_log (self->service->outbox, LEVEL_WARNING, "work failed number=%" PRIu64 " why=\"%.*s\"",
                work->number, (int) (result.size < 200 ? result.size : 200),
                (const char *) result.data);
    service_count (self->service, "works_failed", 1);
}

bool agent_on_work (void *owner, const moment_t *now, const event_t *event)
{
    agent_t *self = owner;
    ordered_work_t *work = ordered_remove (self->works, &event->work.work);
    work_result_t result = {0};
    char why [WHY_BYTES];
    if (!work)
        return false;
    bool ok = event->work.ok && codec_decode (&work_result_codec, &result, event->work.result, why);
    if (!ok)
        agent_work_failed (self, work, event->work.result);
    for (size_t i = 0; i < result.stands_count; i++)
        agent_run_stands (self, now, &result.stands [i]);
    if (result.looked)
        self->machine = result.machine;
    if (result.batch && self->settings.batch)
        agent_batch_seen (self, now, &result.batch);
    if (!ok && work->kind == WORK_MACHINE && self->settings.batch)
        agent_batch_silent (self, now, "the batch system could not be looked at");
    if (work->kind == WORK_RUN)
        agent_run_done (self, now, work, ok);
    if (work->kind == WORK_READ) {
        static const work_result_t none = {.why = "the output could not be read on the node"};
        bring (self, now, work->output, ok ? &result : &none);
    }
    codec_clear (&work_result_codec, &result);
    free (work);
    return true;
}

bool agent_awaits (const agent_t *self, ordered_kind_t kind, uint64_t output)
{
    for (const ordered_work_t *work = NULL; (work = ordered_next (self->works, work));)
        if (work->kind == kind && work->output == output)
            return true;
    return false;
}
