/*  finder - the names that are wanted next, and those that are asked for. */
#include "finder.h"

#include "directory_wire.h"
#include "must.h"

#include <stdlib.h>
#include <string.h>

#define FIND_TRY_MS 1000 /* patience with one GIS */

typedef char finder_name_t [NAME_BYTES_MAX + 1];

struct finder {
    calls_t *calls;
    timers_t *timers;
    const char *const *gis; /* endpoints */
    size_t gis_count;
    size_t at; /* the GIS that is asked */
    finder_found_fn *found;
    void *owner;
    finder_name_t names [FIND_NAMES_MAX]; /* the first of them are asked for while call is set */
    size_t names_count;
    size_t asked_count;
    uint64_t call;
    uint64_t timer;
};

static void finder_ask (void *owner, const moment_t *now, uint64_t token);

static void finder_on_answer (void *owner, const moment_t *now, uint64_t token,
                              const call_result_t *result)
{
    (void) token;
    finder_t *self = owner;
    found_t found;
    self->call = 0;
    self->names_count -= self->asked_count;
    memmove (self->names, self->names [self->asked_count], self->names_count * sizeof *self->names);
    if (call_take (result, &found_codec, &found, NULL)) {
        for (size_t i = 0; i < found.entries_count; i++)
            self->found (self->owner, now, &found.entries [i]);
        codec_clear (&found_codec, &found);
    } else {
        self->at = (self->at + 1) % self->gis_count;
    }
    if (self->names_count > 0)
        finder_ask (self, now, 0);
}

static void finder_ask (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    finder_t *self = owner;
    self->timer = 0;
    self->asked_count = self->names_count;
    packed_t body =
      codec_encode (&find_codec, &(find_t){.names = self->names, .names_count = self->names_count});
    call_order_t order = {.endpoint = self->gis [self->at],
                          .service = "Gis",
                          .method = "Find",
                          .body = packed_bytes (body),
                          .timeout_ms = FIND_TRY_MS,
                          .tries_max = 1};
    self->call = calls_start (self->calls, now, &order, finder_on_answer, self, 0);
    free (body.data);
}

finder_t *finder_new (calls_t *calls, timers_t *timers, const char *const *gis, size_t gis_count,
                      finder_found_fn *found, void *owner)
{
    finder_t *self = must (calloc (1, sizeof *self));
    self->calls = calls;
    self->timers = timers;
    self->gis = gis;
    self->gis_count = gis_count;
    self->found = found;
    self->owner = owner;
    return self;
}

void finder_destroy (finder_t **self_p)
{
    finder_t *self = *self_p;
    if (!self)
        return;
    calls_cancel (self->calls, self->call);
    timers_cancel (self->timers, self->timer);
    free (self);
    *self_p = NULL;
}

void finder_want (finder_t *self, const moment_t *now, const char *name)
{
    for (size_t i = 0; i < self->names_count; i++)
        if (strcmp (self->names [i], name) == 0)
            return;
    if (self->names_count == FIND_NAMES_MAX)
        return; /* who needs it will want it again */
    memccpy (self->names [self->names_count++], name, 0, sizeof *self->names);
    if (self->call == 0 && self->timer == 0)
        self->timer = timers_set (self->timers, now->mono_ms, finder_ask, self, 0);
}
