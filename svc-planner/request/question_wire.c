/*  question_wire - profiles, windows and claims, to and from their messages. */
#include "question_wire.h"

#include "message.h"
#include "transaction_wire.h"

#include "bus.pb-c.h"
#include "calendar.pb-c.h"
#include "gis.pb-c.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) CLAIM_CLOSED == MUSUBI__CLAIM_STATE__CLOSED, "same numbers");
static_assert ((int) CLAIM_HELD == MUSUBI__CLAIM_STATE__HELD_CLAIM, "same numbers");

packed_t profile_encode (const char *const *resources, size_t resources_count, int64_t from_ms,
                         int64_t until_ms, const char *reservation)
{
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.n_resources = resources_count;
    request.resources = (char **) resources;
    request.from_ms = from_ms;
    request.until_ms = until_ms;
    request.reservation = (char *) reservation;
    return packed_of (&request.base);
}

static bool profile_take (profile_t *to, const Musubi__Profile *from, char why [WHY_BYTES])
{
    if (!text_take (to->resource, NAME_BYTES_MAX, from->resource, TEXT_WORD, "profiles.resource",
                    why))
        return false;
    if (from->n_steps > PROFILE_STEPS_MAX)
        return wrong (why, "profiles.steps: more than %d", PROFILE_STEPS_MAX);
    to->until_ms = from->until_ms;
    to->steps_count = from->n_steps;
    if (from->n_steps == 0)
        return true;
    to->steps = must (malloc (from->n_steps * sizeof *to->steps));
    int64_t before_ms = -1;
    for (size_t i = 0; i < from->n_steps; i++) {
        int64_t from_ms = from->steps [i]->from_ms;
        if (from_ms <= before_ms || !time_valid (from_ms))
            return wrong (why, "profiles.steps: not ascending times");
        to->steps [i] = (profile_step_t){.from_ms = from_ms, .free = from->steps [i]->free};
        before_ms = from_ms;
    }
    if (to->until_ms <= before_ms || !time_valid (to->until_ms))
        return wrong (why, "profiles.until_ms: not after the last step");
    return true;
}

void profiles_free (profile_t *profiles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free (profiles [i].steps);
    free (profiles);
}

bool profile_decode (bytes_t body, profile_t **profiles, size_t *count, char why [WHY_BYTES])
{
    *profiles = NULL;
    *count = 0;
    ProtobufCMessage *message = message_unpack (&musubi__profile_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a ProfileAnswer");
    const Musubi__ProfileAnswer *answer = (Musubi__ProfileAnswer *) message;
    bool good =
      answer->n_profiles <= PROFILES_MAX || wrong (why, "profiles: more than %d", PROFILES_MAX);
    if (good) {
        *profiles = must (calloc (answer->n_profiles + 1, sizeof **profiles));
        *count = answer->n_profiles;
    }
    for (size_t i = 0; good && i < *count; i++)
        good = profile_take (&(*profiles) [i], answer->profiles [i], why);
    if (!good) {
        profiles_free (*profiles, *count);
        *profiles = NULL;
        *count = 0;
    }
    message_free (message);
    return good;
}

packed_t windows_encode (const window_asked_t *windows, size_t count, const char *reservation)
{
    Musubi__WindowsRequest request = MUSUBI__WINDOWS_REQUEST__INIT;
    request.n_windows = count;
    request.windows = messages_new (&musubi__window__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        request.windows [i]->resource = (char *) windows [i].resource;
        request.windows [i]->quantity = windows [i].quantity;
        request.windows [i]->from_ms = windows [i].from_ms;
        request.windows [i]->until_ms = windows [i].until_ms;
    }
    request.reservation = (char *) reservation;
    packed_t packed = packed_of (&request.base);
    free (request.windows);
    return packed;
}

bool windows_decode (bytes_t body, bool *fits, size_t count, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__windows_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a WindowsAnswer");
    const Musubi__WindowsAnswer *answer = (Musubi__WindowsAnswer *) message;
    bool good = answer->n_fits == count ||
                wrong (why, "fits: %zu answers to %zu windows", answer->n_fits, count);
    for (size_t i = 0; good && i < count; i++)
        fits [i] = answer->fits [i];
    message_free (message);
    return good;
}

packed_t claim_look_encode (const char *actor, const char *request_id,
                            const uint8_t digest [DIGEST_BYTES])
{
    Musubi__LookRequest request = MUSUBI__LOOK_REQUEST__INIT;
    request.actor = (char *) actor;
    request.request_id = (char *) request_id;
    request.digest = (ProtobufCBinaryData){.len = DIGEST_BYTES, .data = (uint8_t *) digest};
    return packed_of (&request.base);
}

void claim_look_clear (claim_look_t *self)
{
    if (self->holder)
        plan_clear (self->holder);
    free (self->holder);
    free (self->answer.data);
    *self = (claim_look_t){0};
}

static bool look_take (claim_look_t *to, const Musubi__LookAnswer *from, char why [WHY_BYTES])
{
    *to = (claim_look_t){0};
    if (!enum_valid ((int) from->state, CLAIM_CLOSED))
        return wrong (why, "state: %d is none", (int) from->state);
    if (from->answer.len > CLAIM_ANSWER_BYTES_MAX)
        return wrong (why, "answer: larger than %d bytes", CLAIM_ANSWER_BYTES_MAX);
    to->state = (claim_state_t) from->state;
    to->conflict = from->conflict;
    to->done = from->done;
    if (from->holder.len > 0) {
        to->holder = must (calloc (1, sizeof *to->holder));
        bytes_t holder = {.data = from->holder.data, .size = from->holder.len};
        if (!plan_decode (to->holder, holder, why)) {
            free (to->holder);
            to->holder = NULL;
            return false;
        }
    }
    to->answer = unpacked_copy (from->answer);
    return true;
}

bool claim_look_decode (bytes_t body, claim_look_t *look, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__look_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a LookAnswer");
    bool good = look_take (look, (Musubi__LookAnswer *) message, why);
    message_free (message);
    return good;
}

packed_t claim_close_encode (const char *actor, const char *request_id,
                             const uint8_t digest [DIGEST_BYTES], bytes_t answer,
                             int64_t keep_until_ms)
{
    Musubi__CloseRequest request = MUSUBI__CLOSE_REQUEST__INIT;
    request.actor = (char *) actor;
    request.request_id = (char *) request_id;
    request.digest = (ProtobufCBinaryData){.len = DIGEST_BYTES, .data = (uint8_t *) digest};
    request.answer = (ProtobufCBinaryData){.len = answer.size, .data = (uint8_t *) answer.data};
    request.keep_until_ms = keep_until_ms;
    return packed_of (&request.base);
}

bool claim_close_decode (bytes_t body, bool *closed, claim_look_t *look, char why [WHY_BYTES])
{
    *look = (claim_look_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__close_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a CloseAnswer");
    const Musubi__CloseAnswer *answer = (Musubi__CloseAnswer *) message;
    *closed = answer->closed;
    bool good = true;
    if (answer->look)
        good = look_take (look, answer->look, why);
    else if (!answer->closed)
        good = wrong (why, "look: missing, though not closed");
    message_free (message);
    return good;
}

bool status_decode (bytes_t body, char name [NAME_BYTES_MAX + 1], char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__status_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a StatusAnswer");
    bool good = text_take (name, NAME_BYTES_MAX, ((Musubi__StatusAnswer *) message)->name,
                           TEXT_WORD, "name", why);
    message_free (message);
    return good;
}
