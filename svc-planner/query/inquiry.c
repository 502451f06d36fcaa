/*  inquiry - the questions under way. */
#include "inquiry.h"

#include "access.h"
#include "directory.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static inquiry_t *inquiry_make (inquiries_t *inquiries, const char *actor, size_t size,
                                inquiry_free_fn *free_it)
{
    assert (size >= sizeof (inquiry_t));
    inquiry_t *self = must (calloc (1, size));
    self->inquiries = inquiries;
    self->number = ++inquiries->begun;
    self->free = free_it;
    snprintf (self->actor, sizeof self->actor, "%s", actor);
    ordered_add (inquiries->open, &self->number, self);
    return self;
}

void *inquiry_own (inquiries_t *inquiries, size_t size, inquiry_free_fn *free_it)
{
    inquiry_t *self = inquiry_make (inquiries, inquiries->service->name, size, free_it);
    self->own = true;
    return self;
}

void *inquiry_new (inquiries_t *inquiries, const request_t *request, size_t size,
                   inquiry_free_fn *free_it)
{
    service_t *service = inquiries->service;
    if (inquiries->settings->finishing || !directory_known (service->directory)) {
        service_refuse (service, request, CALL_OVERLOADED, "%s",
                        inquiries->settings->finishing
                          ? "this planner only settles what a dead one left"
                          : "the directory has not answered this planner yet");
        return NULL;
    }
    if (ordered_count (inquiries->open) >= inquiries->settings->in_progress_max) {
        service_refuse (service, request, CALL_OVERLOADED,
                        "in_progress_max = %u questions are under way",
                        inquiries->settings->in_progress_max);
        return NULL;
    }
    inquiry_t *self = inquiry_make (inquiries, request->actor, size, free_it);
    self->reply_to = request->reply_to;
    service_count (service, "inquiries", 1);
    return self;
}

void inquiry_tell (inquiry_t *self, packed_t answer)
{
    if (self->own)
        ; /* its end is in the log */
    else if (answer.size > BODY_BYTES_MAX)
        outbox_refuse (self->inquiries->service->outbox, self->reply_to, CALL_OVERLOADED,
                       "the answer is larger than a message may be: ask for less");
    else
        outbox_reply (self->inquiries->service->outbox, self->reply_to, packed_bytes (answer));
    free (answer.data);
    ordered_remove (self->inquiries->open, &self->number);
    self->free (self);
}

bool inquiry_may_see (const inquiry_t *self, const char *owner)
{
    return may (self->inquiries->access, VERB_SHOW, self->actor, self->actor, owner);
}

void inquiries_open (inquiries_t *self)
{
    self->open = ordered_by_number (offsetof (inquiry_t, number));
}

static void inquiry_end (void *thing)
{
    inquiry_t *inquiry = thing;
    inquiry->free (inquiry);
}

void inquiries_close (inquiries_t *self)
{
    ordered_end (&self->open, inquiry_end);
}
