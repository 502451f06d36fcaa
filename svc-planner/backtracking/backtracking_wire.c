/*  backtracking_wire - the earliest start at a site, and how busy it is. */
#include "backtracking_wire.h"

#include "message.h"
#include "transaction_wire.h"

#include "calendar.pb-c.h"

packed_t free_question_encode (const char *resource, uint32_t amount, int64_t duration_ms,
                               int64_t from_ms, int64_t until_ms)
{
    Musubi__FreeRequest request = MUSUBI__FREE_REQUEST__INIT;
    request.resource = (char *) resource;
    request.amount = amount;
    request.duration_ms = duration_ms;
    request.from_ms = from_ms;
    request.until_ms = until_ms;
    request.most = 1;
    return packed_of (&request.base);
}

bool free_answer_decode (bytes_t body, int64_t *start_ms, double *load, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__free_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a FreeAnswer");
    const Musubi__FreeAnswer *answer = (Musubi__FreeAnswer *) message;
    bool good = true;
    *start_ms = answer->n_spans > 0 ? answer->spans [0]->from_ms : -1;
    *load = answer->utilisation;
    if (answer->n_spans > 0 && !time_valid (*start_ms))
        good = wrong (why, "spans.from_ms: not a time");
    else if (!(*load >= 0 && *load <= 1))
        good = wrong (why, "utilisation: must be 0 to 1");
    message_free (message);
    return good;
}
