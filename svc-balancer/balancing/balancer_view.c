/*  balancer_view - what people ask a balancer: how its coalition stands, and what earlier ones were
 *  worth.
 */
#include "balancer_state.h"
#include "codec_table.h"

#define HISTORY_BYTES (BODY_BYTES_MAX - 8192)

static void balancer_view_on_status (void *owner, const moment_t *now, const request_t *request,
                                     void *body)
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
    Musubi__BalanceHistoryAnswer answer = MUSUBI__BALANCE_HISTORY_ANSWER__INIT;
    answer.coalitions = must (calloc (self->history_count + 1, sizeof *answer.coalitions));
    size_t bytes = 0;
    for (size_t i = 0; i < self->history_count && !answer.more; i++) {
        Musubi__CoalitionRecord *record = self->history [i];
        if (record->coalition < asked->from)
            continue;
        bytes += protobuf_c_message_get_packed_size (&record->base) + 16;
        answer.more = answer.n_coalitions > 0 && bytes > HISTORY_BYTES;
        if (!answer.more)
            answer.coalitions [answer.n_coalitions++] = record;
    }
    service_reply (self->service, request, packed_of (&answer.base));
    free (answer.coalitions);
}

void balancer_view_serve (balancer_t *self)
{
    service_serve (self->service, "Balancer", "Status", &balance_status_codec, ALWAYS,
                   balancer_view_on_status, self);
    service_serve (self->service, "Balancer", "History", &balance_history_codec, ALWAYS, on_history,
                   self);
}
