/*  nis_wire - protobuf <-> plain values. */
#include "nis_wire.h"

#include "domain_wire.h"
#include "message.h"
#include "must.h"
#include "nis.pb-c.h"
#include "site_wire.h"
#include "transaction_wire.h"

#include <stdlib.h>
#include <string.h>

/*  --- Domain --- */

bool domain_question_decode (bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__domain_request__descriptor, body);
    if (!message)
        return wrong (why, "not a DomainRequest");
    message_free (message);
    return true;
}

packed_t domain_answer_encode (const char *name, const domain_t *domain)
{
    Musubi__DomainDescription wire;
    domain_put (&wire, domain);
    Musubi__DomainAnswer answer = MUSUBI__DOMAIN_ANSWER__INIT;
    answer.name = (char *) name;
    answer.domain = &wire;
    packed_t packed = packed_of (&answer.base);
    domain_put_end (&wire);
    return packed;
}

/*  --- Paths --- */

static bool require_take (path_ask_t *to, const Musubi__PathQuestion *from, char why [WHY_BYTES])
{
    if (from->n_require > PATH_REQUIRE_MAX)
        return wrong (why, "questions.require: more than %d", PATH_REQUIRE_MAX);
    to->require = must (calloc (from->n_require + 1, sizeof *to->require));
    to->require_count = from->n_require;
    for (size_t i = 0; i < from->n_require; i++)
        if (!requirement_take (&to->require [i], from->require [i], "questions.require", why))
            return false;
    return true;
}

/*  A limit too small to count is a limit all the same. */
static bool latency_max_take (int64_t *to, double latency_ms, char why [WHY_BYTES])
{
    if (!latency_take (to, latency_ms, PATH_HOPS_MAX))
        return wrong (why, "questions.latency_ms_max: must be 0 (any) to %d",
                      LATENCY_US_MAX / 1000 * PATH_HOPS_MAX);
    if (latency_ms > 0 && *to == 0)
        *to = 1;
    return true;
}

static bool ask_take (path_ask_t *to, const Musubi__PathQuestion *from, char why [WHY_BYTES])
{
    to->over = (interval_t){from->from_ms, from->until_ms};
    to->mbps = from->mbps;
    to->order = PATH_FREE;
    if (!text_take (to->from, NAME_BYTES_MAX, from->from, TEXT_WORD, "questions.from", why) ||
        !text_take (to->to, NAME_BYTES_MAX, from->to, TEXT_WORD, "questions.to", why) ||
        !interval_check (from->from_ms, from->until_ms, "questions", why) ||
        !latency_max_take (&to->latency_us_max, from->latency_ms_max, why))
        return false;
    if (to->mbps == 0)
        return wrong (why, "questions.mbps: must be at least 1");
    if (*from->route && !path_order_parse (from->route, &to->order))
        return wrong (why, "questions.route: \"%.40s\" should be free or fixed", from->route);
    return require_take (to, from, why);
}

static bool paths_take (paths_question_t *to, const Musubi__PathsRequest *from, size_t asks_max,
                        char why [WHY_BYTES])
{
    if (from->n_questions > asks_max)
        return wrong (why, "questions: more than %zu", asks_max);
    to->asks = must (calloc (from->n_questions + 1, sizeof *to->asks));
    to->asks_count = from->n_questions;
    for (size_t i = 0; i < from->n_questions; i++)
        if (!ask_take (&to->asks [i], from->questions [i], why))
            return false;
    return text_take (to->reservation, NAME_BYTES_MAX, from->reservation, TEXT_WORD_OR_NONE,
                      "reservation", why);
}

bool paths_question_decode (paths_question_t *self, bytes_t body, size_t asks_max,
                            char why [WHY_BYTES])
{
    *self = (paths_question_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__paths_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PathsRequest");
    bool good = paths_take (self, (const Musubi__PathsRequest *) message, asks_max, why);
    message_free (message);
    if (!good)
        paths_question_clear (self);
    return good;
}

void paths_question_clear (paths_question_t *self)
{
    for (size_t i = 0; i < self->asks_count; i++)
        free (self->asks [i].require);
    free (self->asks);
    *self = (paths_question_t){0};
}

packed_t paths_answer_encode (const path_told_t *told, size_t count, uint64_t version)
{
    Musubi__PathsAnswer answer = MUSUBI__PATHS_ANSWER__INIT;
    answer.n_answers = count;
    answer.answers = messages_new (&musubi__path_answer__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        Musubi__PathAnswer *to = answer.answers [i];
        to->found = told [i].found;
        to->reason = (char *) told [i].reason;
        if (!told [i].found)
            continue;
        to->n_links = told [i].links_count;
        to->links = (char **) told [i].links;
        to->n_vertices = told [i].links_count + 1;
        to->vertices = (char **) told [i].vertices;
        to->latency_ms = (double) told [i].latency_us / 1000;
        to->mbps = told [i].mbps;
    }
    answer.version = version;
    packed_t packed = packed_of (&answer.base);
    free (answer.answers);
    return packed;
}

/*  --- use --- */

bool use_question_decode (char reservation [NAME_BYTES_MAX + 1], bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__use_request__descriptor, body);
    if (!message)
        return wrong (why, "not a UseRequest");
    const Musubi__UseRequest *request = (const Musubi__UseRequest *) message;
    bool good =
      text_take (reservation, NAME_BYTES_MAX, request->reservation, TEXT_WORD, "reservation", why);
    message_free (message);
    return good;
}

packed_t use_answer_encode (bool provisioned, bool active)
{
    Musubi__UseAnswer answer = MUSUBI__USE_ANSWER__INIT;
    answer.provisioned = provisioned;
    answer.active = active;
    return packed_of (&answer.base);
}

packed_t use_record_encode (bool provisioned)
{
    Musubi__UseRecord record = MUSUBI__USE_RECORD__INIT;
    record.provisioned = provisioned;
    return packed_of (&record.base);
}

bool use_record_decode (bytes_t value, bool *provisioned)
{
    ProtobufCMessage *message = message_unpack (&musubi__use_record__descriptor, value);
    if (!message)
        return false;
    *provisioned = ((const Musubi__UseRecord *) message)->provisioned;
    message_free (message);
    return true;
}
