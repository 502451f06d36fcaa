/*  questions_wire - protobuf <-> plain values. */
#include "questions_wire.h"

#include "calendar.pb-c.h"
#include "message.h"
#include "must.h"
#include "planner.pb-c.h"
#include "transaction_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool interval_take (interval_t *to, int64_t from_ms, int64_t until_ms, const char *field,
                           char why [WHY_BYTES])
{
    *to = (interval_t){from_ms, until_ms};
    return interval_check (from_ms, until_ms, field, why);
}

/*  --- questions --- */

static bool profile_take (profile_question_t *to, const Musubi__ProfileRequest *from,
                          size_t resources_max, char why [WHY_BYTES])
{
    if (from->n_resources > resources_max)
        return wrong (why, "resources: more than %zu", resources_max);
    to->resources = must (calloc (from->n_resources + 1, sizeof *to->resources));
    to->resources_count = from->n_resources;
    for (size_t i = 0; i < from->n_resources; i++)
        if (!text_take (to->resources [i], NAME_BYTES_MAX, from->resources [i], TEXT_WORD,
                        "resources", why))
            return false;
    to->without_work = from->without_work;
    return interval_take (&to->over, from->from_ms, from->until_ms, "[from_ms, until_ms)", why) &&
           text_take (to->reservation, NAME_BYTES_MAX, from->reservation, TEXT_WORD_OR_NONE,
                      "reservation", why) &&
           (!to->without_work || !*to->reservation ||
            wrong (why, "without_work: leave one of reservation and without_work out"));
}

bool profile_question_decode (profile_question_t *self, bytes_t body, size_t resources_max,
                              char why [WHY_BYTES])
{
    *self = (profile_question_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__profile_request__descriptor, body);
    if (!message)
        return wrong (why, "not a ProfileRequest");
    bool good = profile_take (self, (const Musubi__ProfileRequest *) message, resources_max, why);
    message_free (message);
    if (!good)
        profile_question_clear (self);
    return good;
}

void profile_question_clear (profile_question_t *self)
{
    free (self->resources);
    *self = (profile_question_t){0};
}

static bool windows_take (windows_question_t *to, const Musubi__WindowsRequest *from,
                          size_t windows_max, char why [WHY_BYTES])
{
    if (from->n_windows > windows_max)
        return wrong (why, "windows: more than %zu", windows_max);
    to->windows = must (calloc (from->n_windows + 1, sizeof *to->windows));
    to->windows_count = from->n_windows;
    for (size_t i = 0; i < from->n_windows; i++) {
        const Musubi__Window *window = from->windows [i];
        if (!text_take (to->windows [i].resource, NAME_BYTES_MAX, window->resource, TEXT_WORD,
                        "windows.resource", why) ||
            !interval_take (&to->windows [i].over, window->from_ms, window->until_ms, "windows",
                            why))
            return false;
        if (window->quantity == 0)
            return wrong (why, "windows.quantity: must be at least 1");
        to->windows [i].quantity = window->quantity;
    }
    return text_take (to->reservation, NAME_BYTES_MAX, from->reservation, TEXT_WORD_OR_NONE,
                      "reservation", why);
}

bool windows_question_decode (windows_question_t *self, bytes_t body, size_t windows_max,
                              char why [WHY_BYTES])
{
    *self = (windows_question_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__windows_request__descriptor, body);
    if (!message)
        return wrong (why, "not a WindowsRequest");
    bool good = windows_take (self, (const Musubi__WindowsRequest *) message, windows_max, why);
    message_free (message);
    if (!good)
        windows_question_clear (self);
    return good;
}

void windows_question_clear (windows_question_t *self)
{
    free (self->windows);
    *self = (windows_question_t){0};
}

static bool free_take (free_question_t *to, const Musubi__FreeRequest *from, char why [WHY_BYTES])
{
    if (from->amount == 0)
        return wrong (why, "amount: must be at least 1");
    if (from->duration_ms <= 0 || !time_valid (from->duration_ms))
        return wrong (why, "duration_ms: must be at least 1");
    to->amount = from->amount;
    to->duration_ms = from->duration_ms;
    to->most = from->most;
    return text_take (to->resource, NAME_BYTES_MAX, from->resource, TEXT_WORD_OR_NONE, "resource",
                      why) &&
           interval_take (&to->over, from->from_ms, from->until_ms, "[from_ms, until_ms)", why);
}

bool free_question_decode (free_question_t *self, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__free_request__descriptor, body);
    if (!message)
        return wrong (why, "not a FreeRequest");
    bool good = free_take (self, (const Musubi__FreeRequest *) message, why);
    message_free (message);
    return good;
}

bool utilisation_question_decode (interval_t *over, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__utilisation_request__descriptor, body);
    if (!message)
        return wrong (why, "not a UtilisationRequest");
    const Musubi__UtilisationRequest *from = (const Musubi__UtilisationRequest *) message;
    bool good = interval_take (over, from->from_ms, from->until_ms, "[from_ms, until_ms)", why);
    message_free (message);
    return good;
}

bool capacity_question_decode (capacity_question_t *self, bytes_t body, uint32_t quantity_max,
                               char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__capacity_request__descriptor, body);
    if (!message)
        return wrong (why, "not a CapacityRequest");
    const Musubi__CapacityRequest *from = (const Musubi__CapacityRequest *) message;
    bool good =
      text_take (self->resource, NAME_BYTES_MAX, from->resource, TEXT_WORD, "resource", why);
    self->quantity = from->quantity;
    if (good && from->quantity > quantity_max)
        good = wrong (why, "quantity: more than %u", quantity_max);
    message_free (message);
    return good;
}

/*  --- answers --- */

packed_t profile_answer_encode (const profile_t *profiles, size_t count, uint64_t version)
{
    Musubi__ProfileAnswer answer = MUSUBI__PROFILE_ANSWER__INIT;
    answer.n_profiles = count;
    answer.profiles = profiles_put (profiles, count);
    answer.version = version;
    packed_t packed = packed_of (&answer.base);
    profiles_put_end (answer.profiles, count);
    return packed;
}

packed_t windows_answer_encode (const bool *fits, size_t count, uint64_t version)
{
    protobuf_c_boolean *booleans = must (calloc (count + 1, sizeof *booleans));
    for (size_t i = 0; i < count; i++)
        booleans [i] = fits [i];
    Musubi__WindowsAnswer answer = MUSUBI__WINDOWS_ANSWER__INIT;
    answer.n_fits = count;
    answer.fits = booleans;
    answer.version = version;
    packed_t packed = packed_of (&answer.base);
    free (booleans);
    return packed;
}

packed_t free_answer_encode (const free_span_t *spans, size_t count, double utilisation)
{
    Musubi__FreeAnswer answer = MUSUBI__FREE_ANSWER__INIT;
    answer.n_spans = count;
    answer.spans = messages_new (&musubi__free_span__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        answer.spans [i]->resource = (char *) spans [i].resource;
        answer.spans [i]->from_ms = spans [i].over.from;
        answer.spans [i]->until_ms = spans [i].over.until;
    }
    answer.utilisation = utilisation;
    packed_t packed = packed_of (&answer.base);
    free (answer.spans);
    return packed;
}

packed_t utilisation_answer_encode (const resource_use_t *uses, size_t count, double utilisation)
{
    Musubi__UtilisationAnswer answer = MUSUBI__UTILISATION_ANSWER__INIT;
    answer.n_resources = count;
    answer.resources = messages_new (&musubi__utilisation_answer__resource_use__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        answer.resources [i]->resource = (char *) uses [i].resource;
        answer.resources [i]->utilisation = uses [i].utilisation;
    }
    answer.utilisation = utilisation;
    packed_t packed = packed_of (&answer.base);
    free (answer.resources);
    return packed;
}

packed_t capacity_answer_encode (const char *const *names, size_t count, size_t overbooked_count)
{
    char **list = must (calloc (count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++)
        list [i] = (char *) names [i];
    Musubi__CapacityAnswer answer = MUSUBI__CAPACITY_ANSWER__INIT;
    answer.n_overbooked = count;
    answer.overbooked = list;
    answer.overbooked_count = (uint32_t) overbooked_count;
    packed_t packed = packed_of (&answer.base);
    free (list);
    return packed;
}

/*  --- the request a plan serves --- */

static bool instant_read (const Musubi__Instant *from, int64_t now_ms, int64_t *ms)
{
    if (!from)
        return false;
    if (from->when_case == MUSUBI__INSTANT__WHEN_AT_MS)
        *ms = from->at_ms;
    else if (from->when_case == MUSUBI__INSTANT__WHEN_FROM_NOW_MS && time_valid (from->from_now_ms))
        *ms = now_ms + from->from_now_ms;
    else
        return false;
    return time_valid (*ms);
}

void request_frame_decode (bytes_t request, int64_t now_ms, interval_t *frame)
{
    ProtobufCMessage *message =
      request.size > 0 ? message_unpack (&musubi__request__descriptor, request) : NULL;
    if (!message)
        return;
    const Musubi__TimeFrame *window = ((const Musubi__Request *) message)->window;
    interval_t told;
    if (window && instant_read (window->earliest, now_ms, &told.from) &&
        instant_read (window->deadline, now_ms, &told.until) && told.from < told.until)
        *frame = told;
    message_free (message);
}
