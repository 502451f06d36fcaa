/*  inquiry - the questions under way. */
#include "inquiry.h"

#include "methods.h"
#include "must.h"
#include "participant.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static inquiry_t *inquiry_make (planner_t *planner, const char *actor, size_t size,
                                inquiry_free_fn *free_it)
{
    assert (size >= sizeof (inquiry_t));
    inquiry_t *self = must (calloc (1, size));
    self->planner = planner;
    self->number = ++planner->inquiries_begun;
    self->free = free_it;
    snprintf (self->actor, sizeof self->actor, "%s", actor);
    ordered_add (planner->inquiries, self, self);
    return self;
}

void *inquiry_own (planner_t *planner, size_t size, inquiry_free_fn *free_it)
{
    inquiry_t *self = inquiry_make (planner, planner->service->name, size, free_it);
    self->own = true;
    return self;
}

void *inquiry_new (planner_t *planner, const request_t *request, size_t size,
                   inquiry_free_fn *free_it)
{
    service_t *service = planner->service;
    if (planner->settings.finishing || !directory_known (service->directory)) {
        service_refuse (service, request, CALL_OVERLOADED, "%s",
                        planner->settings.finishing
                          ? "this planner only settles what a dead one left"
                          : "the directory has not answered this planner yet");
        return NULL;
    }
    if (ordered_count (planner->inquiries) >= planner->settings.in_progress_max) {
        service_refuse (service, request, CALL_OVERLOADED,
                        "in_progress_max = %u questions are under way",
                        planner->settings.in_progress_max);
        return NULL;
    }
    inquiry_t *self = inquiry_make (planner, request->actor, size, free_it);
    self->reply_to = request->reply_to;
    service_count (service, "inquiries", 1);
    return self;
}

void inquiry_tell (inquiry_t *self, packed_t answer)
{
    if (self->own)
        ; /* its end is in the log */
    else if (answer.size > BODY_BYTES_MAX)
        outbox_refuse (self->planner->service->outbox, self->reply_to, CALL_OVERLOADED,
                       "the answer is larger than a message may be: ask for less");
    else
        outbox_reply (self->planner->service->outbox, self->reply_to,
                      (bytes_t){.data = answer.data, .size = answer.size});
    free (answer.data);
    ordered_remove (self->planner->inquiries, self);
    self->free (self);
}

bool inquiry_may_see (const inquiry_t *self, const char *owner)
{
    const planner_settings_t *settings = &self->planner->settings;
    access_t access = {.administrators = settings->administrators,
                       .administrators_count = settings->administrators_count};
    return may (&access, VERB_SHOW, self->actor, self->actor, owner);
}

void planner_inquiries_clear (planner_t *planner)
{
    inquiry_t *inquiry;
    while ((inquiry = ordered_after (planner->inquiries, NULL))) {
        ordered_remove (planner->inquiries, inquiry);
        inquiry->free (inquiry);
    }
}
