/*  show - one reservation, as its participants have it on record. */
#include "connections.h"
#include "locate.h"
#include "member.h"
#include "must.h"
#include "outcomes.h"
#include "planner_wire.h"
#include "read_request.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    read_request_t read_request;
    char reservation [NAME_BYTES_MAX + 1];
    locate_t *locate;
    outcomes_t *outcomes;
    view_t view;
} show_t;

static void show_free (read_request_t *read_request)
{
    show_t *self = (show_t *) read_request;
    outcomes_destroy (&self->outcomes);
    locate_destroy (&self->locate);
    view_clear (&self->view);
    free (self);
}

static void show_tell (show_t *self)
{
    size_t count = self->view.hidden ? 0 : self->locate->count, silent_count = 0;
    const char **silent = must (calloc (count + 1, sizeof *silent));
    for (size_t i = 0; i < count; i++)
        if (!self->locate->parts [i].answered)
            silent [silent_count++] = self->locate->parts [i].party.name;
    packed_t packed =
      show_answer_encode (self->view.reservation ? &self->view : NULL, silent, silent_count);
    free (silent);
    read_request_tell (&self->read_request, packed);
}

static void show_on_outcomes (void *owner, const moment_t *now, outcomes_verdict_t verdict)
{
    (void) now;
    show_t *self = owner;
    if (verdict == OUTCOMES_COMPLETE)
        self->view.status = SHOW_COMMITTED;
    show_tell (self);
}

static void show_on_located (void *owner, const moment_t *now)
{
    show_t *self = owner;
    const read_requests_t *read_requests = self->read_request.read_requests;
    const part_record_t *doubted = NULL;
    if (locate_newest (self->locate)) {
        graph_t *graph = federation_graph (directory_of (read_requests->service));
        doubted = view_located (&self->view, self->locate, &self->read_request, graph);
        graph_destroy (&graph);
    }
    if (doubted)
        self->outcomes = outcomes_new (read_requests->service, read_requests->settings, now,
                                       &doubted->plan, show_on_outcomes, self);
    else
        show_tell (self);
}

void planner_on_show (void *owner, const moment_t *now, const request_t *request, void *body)
{
    read_requests_t *read_requests = owner;
    const reservation_id_t *asked = body;
    show_t *self = read_request_new (read_requests, request, sizeof *self, show_free);
    if (!self)
        return;
    memcpy (self->reservation, asked->reservation, sizeof self->reservation);
    self->locate =
      locate_new (read_requests->service, read_requests->settings, read_requests->unresponsive, now,
                  self->reservation, NULL, show_on_located, self);
}
