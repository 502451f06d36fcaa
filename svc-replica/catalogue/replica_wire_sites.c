/*  replica_wire_sites - what sites say to each other and to indexes. */
#include "replica_wire_own.h"

#include "message.h"
#include "must.h"

#include <stdlib.h>
#include <string.h>

/*  --- where a file is --- */

static void place_put (Musubi__Place *to, const file_place_t *from)
{
    musubi__place__init (to);
    to->site = (char *) from->site;
    to->size = from->size;
    to->digest = bytes_put (from->digest, FILE_DIGEST_BYTES);
    to->created_ms = from->created_ms;
    to->sound = from->sound;
    to->staged = from->staged;
    to->kept = from->kept;
    to->owner = (char *) from->owner;
}

static bool place_take (file_place_t *to, const Musubi__Place *from, char why [WHY_BYTES])
{
    if (!from)
        return wrong (why, "places: one is missing");
    *to = (file_place_t){.size = from->size,
                         .created_ms = from->created_ms,
                         .sound = from->sound,
                         .staged = from->staged,
                         .kept = from->kept};
    return text_take (to->site, NAME_BYTES_MAX, from->site, TEXT_WORD, "places.site", why) &&
           text_take (to->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD_OR_NONE, "places.owner",
                      why) &&
           bytes_take (to->digest, FILE_DIGEST_BYTES, &from->digest, "places.digest", why);
}

packed_t locate_encode (const char *name)
{
    Musubi__LocateRequest request = MUSUBI__LOCATE_REQUEST__INIT;
    request.name = (char *) name;
    return packed_of (&request.base);
}

bool locate_decode (char name [FILE_NAME_BYTES_MAX + 1], bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__locate_request__descriptor, body);
    if (!message)
        return wrong (why, "not a LocateRequest");
    bool good = file_name_take (name, ((const Musubi__LocateRequest *) message)->name, why);
    message_free (message);
    return good;
}

packed_t located_encode (const file_place_t *places, size_t count, const char *const *silent,
                         size_t silent_count)
{
    Musubi__LocateAnswer answer = MUSUBI__LOCATE_ANSWER__INIT;
    Musubi__Place **list = messages_new (&musubi__place__descriptor, count);
    for (size_t i = 0; i < count; i++)
        place_put (list [i], &places [i]);
    answer.n_places = count;
    answer.places = list;
    answer.n_silent = silent_count;
    answer.silent = (char **) silent;
    packed_t packed = packed_of (&answer.base);
    free (list);
    return packed;
}

static bool located_take (file_place_t *places, const Musubi__LocateAnswer *from,
                          char why [WHY_BYTES])
{
    for (size_t i = 0; i < from->n_places; i++)
        if (!place_take (&places [i], from->places [i], why))
            return false;
    return true;
}

bool located_decode (file_place_t **places, size_t *count, bytes_t body, char why [WHY_BYTES])
{
    *places = NULL;
    *count = 0;
    ProtobufCMessage *message = message_unpack (&musubi__locate_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a LocateAnswer");
    const Musubi__LocateAnswer *from = (const Musubi__LocateAnswer *) message;
    bool good = from->n_places <= PLACES_MAX || wrong (why, "places: more than %d", PLACES_MAX);
    if (good) {
        *places = must (calloc (from->n_places + 1, sizeof **places));
        *count = from->n_places;
        good = located_take (*places, from, why);
    }
    message_free (message);
    if (!good) {
        free (*places);
        *places = NULL;
        *count = 0;
    }
    return good;
}

/*  --- offers --- */

packed_t offer_question_encode (const offer_question_t *offer)
{
    Musubi__OfferRequest request = MUSUBI__OFFER_REQUEST__INIT;
    request.name = (char *) offer->name;
    request.digest = bytes_put (offer->digest, FILE_DIGEST_BYTES);
    request.transfer = bytes_put (offer->transfer.bytes, CHAIN_ID_BYTES);
    request.token = bytes_put (offer->token, CHAIN_TOKEN_BYTES);
    request.mbps = offer->mbps;
    return packed_of (&request.base);
}

bool offer_question_decode (offer_question_t *to, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__offer_request__descriptor, body);
    if (!message)
        return wrong (why, "not an OfferRequest");
    const Musubi__OfferRequest *from = (const Musubi__OfferRequest *) message;
    to->mbps = from->mbps;
    bool good = file_name_take (to->name, from->name, why) &&
                bytes_take (to->digest, FILE_DIGEST_BYTES, &from->digest, "digest", why) &&
                bytes_take (to->transfer.bytes, CHAIN_ID_BYTES, &from->transfer, "transfer", why) &&
                bytes_take (to->token, CHAIN_TOKEN_BYTES, &from->token, "token", why);
    message_free (message);
    return good;
}

packed_t offer_answer_encode (const offer_answer_t *offer)
{
    Musubi__OfferAnswer answer = MUSUBI__OFFER_ANSWER__INIT;
    answer.node = (char *) offer->node;
    answer.endpoint = (char *) offer->endpoint;
    answer.sending = offer->sending;
    return packed_of (&answer.base);
}

bool offer_answer_decode (offer_answer_t *to, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__offer_answer__descriptor, body);
    if (!message)
        return wrong (why, "not an OfferAnswer");
    const Musubi__OfferAnswer *from = (const Musubi__OfferAnswer *) message;
    to->sending = from->sending;
    bool good = text_take (to->node, NAME_BYTES_MAX, from->node, TEXT_WORD, "node", why) &&
                text_take (to->endpoint, CHAIN_ENDPOINT_BYTES_MAX, from->endpoint,
                           TEXT_WORD_OR_NONE, "endpoint", why);
    message_free (message);
    return good;
}

packed_t offer_end_encode (const offer_end_t *end)
{
    Musubi__OfferEndRequest request = MUSUBI__OFFER_END_REQUEST__INIT;
    request.name = (char *) end->name;
    request.transfer = bytes_put (end->transfer.bytes, CHAIN_ID_BYTES);
    request.wrong = end->wrong;
    return packed_of (&request.base);
}

bool offer_end_decode (offer_end_t *to, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__offer_end_request__descriptor, body);
    if (!message)
        return wrong (why, "not an OfferEndRequest");
    const Musubi__OfferEndRequest *from = (const Musubi__OfferEndRequest *) message;
    to->wrong = from->wrong;
    bool good = file_name_take (to->name, from->name, why) &&
                bytes_take (to->transfer.bytes, CHAIN_ID_BYTES, &from->transfer, "transfer", why);
    message_free (message);
    return good;
}

packed_t offer_end_answer_encode (void)
{
    Musubi__OfferEndAnswer answer = MUSUBI__OFFER_END_ANSWER__INIT;
    return packed_of (&answer.base);
}

/*  --- news --- */

packed_t publish_encode (const publish_t *publish)
{
    Musubi__PublishRequest request = MUSUBI__PUBLISH_REQUEST__INIT;
    size_t count = publish->count;
    Musubi__Told **list = messages_new (&musubi__told__descriptor, count);
    Musubi__Place *places = must (calloc (count + 1, sizeof *places));
    for (size_t i = 0; i < count; i++) {
        list [i]->name = publish->news [i].name;
        if (!publish->news [i].gone) {
            place_put (&places [i], &publish->news [i].place);
            list [i]->place = &places [i];
        }
    }
    request.site = (char *) publish->site;
    request.store = bytes_put (publish->store, STORE_ID_BYTES);
    request.start = publish->start;
    request.after = publish->after;
    request.number = publish->number;
    request.lease_ms = publish->lease_ms;
    request.n_told = count;
    request.told = list;
    packed_t packed = packed_of (&request.base);
    free (list);
    free (places);
    return packed;
}

static bool news_take (news_t *to, const Musubi__Told *from, char why [WHY_BYTES])
{
    to->gone = !from->place;
    return file_name_take (to->name, from->name, why) &&
           (to->gone || place_take (&to->place, from->place, why));
}

static bool publish_take (publish_t *to, const Musubi__PublishRequest *from, char why [WHY_BYTES])
{
    to->start = from->start;
    to->after = from->after;
    to->number = from->number;
    to->lease_ms = from->lease_ms;
    if (!text_take (to->site, NAME_BYTES_MAX, from->site, TEXT_WORD, "site", why) ||
        !bytes_take (to->store, STORE_ID_BYTES, &from->store, "store", why))
        return false;
    if (from->n_told > PUBLISHED_MAX)
        return wrong (why, "told: more than %d", PUBLISHED_MAX);
    if (from->after > from->number)
        return wrong (why, "after: must not be above number");
    if (from->lease_ms == 0 || from->lease_ms > 10 * REPLICA_LEASE_MS)
        return wrong (why, "lease_ms: from 1 to %d", 10 * REPLICA_LEASE_MS);
    to->news = must (calloc (from->n_told + 1, sizeof *to->news));
    to->count = from->n_told;
    for (size_t i = 0; i < from->n_told; i++)
        if (!news_take (&to->news [i], from->told [i], why))
            return false;
    return true;
}

bool publish_decode (publish_t *to, bytes_t body, char why [WHY_BYTES])
{
    *to = (publish_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__publish_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PublishRequest");
    bool good = publish_take (to, (const Musubi__PublishRequest *) message, why);
    message_free (message);
    if (!good)
        publish_clear (to);
    return good;
}

void publish_clear (publish_t *self)
{
    free (self->news);
    *self = (publish_t){0};
}

packed_t publish_answer_encode (uint64_t number)
{
    Musubi__PublishAnswer answer = MUSUBI__PUBLISH_ANSWER__INIT;
    answer.number = number;
    return packed_of (&answer.base);
}

bool publish_answer_decode (uint64_t *number, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__publish_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a PublishAnswer");
    *number = ((const Musubi__PublishAnswer *) message)->number;
    message_free (message);
    return true;
}

packed_t stale_encode (const char *name, const char *site)
{
    Musubi__StaleRequest request = MUSUBI__STALE_REQUEST__INIT;
    request.name = (char *) name;
    request.site = (char *) site;
    return packed_of (&request.base);
}

bool stale_decode (char name [FILE_NAME_BYTES_MAX + 1], char site [NAME_BYTES_MAX + 1],
                   bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__stale_request__descriptor, body);
    if (!message)
        return wrong (why, "not a StaleRequest");
    const Musubi__StaleRequest *from = (const Musubi__StaleRequest *) message;
    bool good = file_name_take (name, from->name, why) &&
                text_take (site, NAME_BYTES_MAX, from->site, TEXT_WORD, "site", why);
    message_free (message);
    return good;
}

packed_t stale_answer_encode (void)
{
    Musubi__StaleAnswer answer = MUSUBI__STALE_ANSWER__INIT;
    return packed_of (&answer.base);
}

packed_t names_answer_encode (const named_places_t *files, size_t count, const file_place_t *places,
                              bool more)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += files [i].places_count;
    Musubi__NamesAnswer answer = MUSUBI__NAMES_ANSWER__INIT;
    Musubi__NamedPlaces **list = messages_new (&musubi__named_places__descriptor, count);
    Musubi__Place **place_list = messages_new (&musubi__place__descriptor, all);
    for (size_t i = 0; i < all; i++)
        place_put (place_list [i], &places [i]);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        list [i]->name = (char *) files [i].name;
        list [i]->n_places = files [i].places_count;
        list [i]->places = place_list + at;
        at += files [i].places_count;
    }
    answer.n_files = count;
    answer.files = list;
    answer.more = more;
    packed_t packed = packed_of (&answer.base);
    free (list);
    free (place_list);
    return packed;
}
