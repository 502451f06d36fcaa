/*  balancer_told - what people ask a balancer: how its coalition stands, and what earlier ones were
 *  worth.
 */
#include "balancer_state.h"

#define HISTORY_BYTES (BODY_BYTES_MAX - 8192)

static void on_status (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) body;
    (void) now;
    balancer_t *self = owner;
    service_reply (
      self->service, request,
      balance_status_encode (self->service->name, &self->coalition, self->next_step_ms));
}

static void on_history (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    balancer_t *self = owner;
    const balance_history_t *asked = body;
    bytes_t *records = must (calloc (self->history_count + 1, sizeof *records));
    size_t count = 0;
    size_t bytes = 0;
    bool more = false;
    for (size_t i = 0; i < self->history_count && !more; i++) {
        const ended_t *ended = &self->history [i];
        if (ended->number < asked->from)
            continue;
        more = count > 0 && bytes + ended->record.size + 16 > HISTORY_BYTES;
        if (!more)
            records [count++] = (bytes_t){ended->record.data, ended->record.size};
        bytes += ended->record.size + 16;
    }
    service_reply (self->service, request, balance_history_encode (records, count, more));
    free (records);
}

void balancer_told_serve (balancer_t *self)
{
    service_serve (self->service, "Balancer", "Status", &balance_status_codec, on_status, self);
    service_serve (self->service, "Balancer", "History", &balance_history_codec, on_history, self);
}
