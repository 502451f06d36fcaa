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
    Musubi__SiteDescription wire;
    site_put (&wire, site);
    Musubi__SiteAnswer answer = MUSUBI__SITE_ANSWER__INIT;
    answer.name = (char *) name;
    answer.site = &wire;
    packed_t packed = packed_of (&answer.base);
    site_put_end (&wire);
    return packed;
}
