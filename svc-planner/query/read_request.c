/*  read_request - the questions in progress. */
#include "read_request.h"

#include "access.h"
#include "member.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static read_request_t *read_request_make (read_requests_t *read_requests, const char *actor,
                                          size_t size, read_request_free_fn *free_it)
{
    assert (size >= sizeof (read_request_t));
    read_request_t *self = must (calloc (1, size));
    self->read_requests = read_requests;
    self->number = ++read_requests->begun;
    self->free = free_it;
    snprintf (self->actor, sizeof self->actor, "%s", actor);
    ordered_add (read_requests->open, &self->number, self);
    return self;
}

void *read_request_own (read_requests_t *read_requests, size_t size, read_request_free_fn *free_it)
{
    read_request_t *self =
      read_request_make (read_requests, read_requests->service->name, size, free_it);
    self->own = true;
    return self;
}

void *read_request_new (read_requests_t *read_requests, const request_t *request, size_t size,
                        read_request_free_fn *free_it)
{
    service_t *service = read_requests->service;
    if (read_requests->settings->finishing || !directory_known (directory_of (service))) {
        service_refuse (service, request, CALL_OVERLOADED, "%s",
                        read_requests->settings->finishing
                          ? "this planner only settles what a dead one left: ask another planner"
                          : "the directory has not answered this planner yet: ask again");
        return NULL;
    }
    if (ordered_count (read_requests->open) >= read_requests->settings->in_progress_max) {
        service_refuse (
          service, request, CALL_OVERLOADED,
          "%u questions are in progress, as many as limits/in_progress_max allows: ask "
          "again later, or another planner",
          read_requests->settings->in_progress_max);
        return NULL;
    }
    read_request_t *self = read_request_make (read_requests, request->actor, size, free_it);
    self->reply_to = request->reply_to;
    service_count (service, "read_requests", 1);
    return self;
}

void read_request_tell (read_request_t *self, packed_t answer)
{
    if (self->own)
        ; /* nobody waits: its end is in the log */
    else if (answer.size > BODY_BYTES_MAX)
        outbox_refuse (self->read_requests->service->outbox, self->reply_to, CALL_OVERLOADED,
                       "the answer would be larger than a message may be: ask for less");
    else
        outbox_reply (self->read_requests->service->outbox, self->reply_to, packed_bytes (answer));
    free (answer.data);
    ordered_remove (self->read_requests->open, &self->number);
    self->free (self);
}

bool read_request_may_see (const read_request_t *self, const char *owner)
{
    return may (self->read_requests->access, VERB_SHOW, self->actor, self->actor, owner);
}

void read_requests_open (read_requests_t *self)
{
    self->open = ordered_by_number (offsetof (read_request_t, number));
}

static void read_request_end (void *thing)
{
    read_request_t *read_request = thing;
    read_request->free (read_request);
}

void read_requests_close (read_requests_t *self)
{
    ordered_end (&self->open, read_request_end);
}
