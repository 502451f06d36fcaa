/*  done_notices - a list of txids for each participant, all sent when one timer is due. */
#include "done_notices.h"

#include "must.h"
#include "ordered.h"
#include "participant_ref.h"

#include <stdlib.h>
#include <string.h>

#define DONE_TRIES 3

typedef struct {
    participant_ref_t party;
    txid_t *txids;
    size_t count;
    size_t room;
} box_t;

struct done_notices {
    service_t *service;
    const planner_settings_t *settings;
    ordered_t *boxes; /* by party */
    uint64_t timer;
};

static int compare_box (const void *key, const void *thing)
{
    const participant_ref_t *first = key, *second = &((const box_t *) thing)->party;
    int order = strcmp (first->name, second->name);
    return order != 0 ? order : memcmp (first->store, second->store, STORE_ID_BYTES);
}

static void box_free (void *thing)
{
    box_t *box = thing;
    free (box->txids);
    free (box);
}

done_notices_t *done_notices_new (service_t *service, const planner_settings_t *settings)
{
    done_notices_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = settings;
    self->boxes = ordered_new (compare_box);
    return self;
}

void done_notices_destroy (done_notices_t **self_p)
{
    done_notices_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->boxes, box_free);
    timers_cancel (self->service->timers, self->timer);
    free (self);
    *self_p = NULL;
}

static void box_send (done_notices_t *self, const moment_t *now, const box_t *box)
{
    for (size_t at = 0; at < box->count; at += DONE_TXIDS_MAX) {
        size_t count = box->count - at < DONE_TXIDS_MAX ? box->count - at : DONE_TXIDS_MAX;
        packed_t body =
          codec_encode (&done_request_codec, &(done_request_t){&box->txids [at], count});
        call_order_t order =
          participant_ref_order (&box->party, self->settings, "Participant", "Done");
        order.tries_max = DONE_TRIES;
        service_ask (self->service, now, &order, body, NULL, self, 0);
    }
}

static void done_notices_on_due (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    done_notices_t *self = owner;
    self->timer = 0;
    box_t *box;
    while ((box = ordered_after (self->boxes, NULL))) {
        box_send (self, now, box);
        box_free (ordered_remove (self->boxes, &box->party));
    }
}

void done_notices_add (done_notices_t *self, const moment_t *now, const participant_ref_t *party,
                       const txid_t *txid)
{
    box_t *box = ordered_find (self->boxes, party);
    if (!box) {
        box = must (calloc (1, sizeof *box));
        box->party = *party;
        ordered_add (self->boxes, &box->party, box);
    }
    box->txids = must_grow (box->txids, box->count, &box->room, sizeof *box->txids);
    box->txids [box->count++] = *txid;
    if (self->timer == 0)
        self->timer = timers_set (self->service->timers, now->mono_ms + self->settings->done_ms,
                                  done_notices_on_due, self, 0);
}
