/*  lis_wire - protobuf <-> plain values. */
#include "lis_wire.h"

#include "lis.pb-c.h"
#include "message.h"
#include "site_wire.h"
#include "transaction_wire.h"

bool site_question_decode (bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__site_request__descriptor, body);
    if (!message)
        return wrong (why, "not a SiteRequest");
    message_free (message);
    return true;
}

packed_t site_answer_encode (const char *name, const site_t *site)
{
    arena_t arena;
    arena_init (&arena);
    Musubi__SiteAnswer answer = MUSUBI__SITE_ANSWER__INIT;
    answer.name = (char *) name;
    answer.site = codec_put (&site_codec, site, &arena);
    packed_t packed = packed_of (&answer.base);
    arena_end (&arena);
    return packed;
}
