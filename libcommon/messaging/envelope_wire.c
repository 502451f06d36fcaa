/*  envelope - protobuf headers to and from plain structs.
 *
 *  Reading a header costs about half a microsecond, the round trip that brings it a hundred: the
 *  generated code is fast enough.
 */
#include "envelope.h"

#include "bus.pb-c.h"
#include "message.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool copy_text (const char *from, char *to, size_t room)
{
    size_t size = strlen (from);
    if (size >= room)
        return false;
    memcpy (to, from, size + 1);
    return true;
}

/*  Ids of stores are of one length; an absent one is zero. */
static bool copy_store (const ProtobufCBinaryData *from, uint8_t to [STORE_ID_BYTES])
{
    memset (to, 0, STORE_ID_BYTES);
    if (from->len == 0)
        return true;
    if (from->len != STORE_ID_BYTES)
        return false;
    memcpy (to, from->data, STORE_ID_BYTES);
    return true;
}

static ProtobufCMessage *unpack (const ProtobufCMessageDescriptor *descriptor, bytes_t frame)
{
    return frame.size <= HEADER_BYTES_MAX ? message_unpack (descriptor, frame) : NULL;
}

static envelope_answer_t bad (const char **why, const char *reason)
{
    *why = reason;
    return ENVELOPE_BAD;
}

static envelope_answer_t request_check (const Musubi__RequestHeader *wire, request_header_t *header,
                                        const char **why)
{
    header->call = wire->call;
    if (wire->protocol != PROTOCOL) {
        *why = "protocol 1 is spoken here";
        return ENVELOPE_PROTOCOL;
    }
    if (!copy_text (wire->service, header->service, sizeof header->service))
        return bad (why, "service: longer than 63 bytes");
    if (!copy_text (wire->method, header->method, sizeof header->method))
        return bad (why, "method: longer than 63 bytes");
    if (!copy_text (wire->actor, header->actor, sizeof header->actor))
        return bad (why, "actor: longer than 63 bytes");
    if (!copy_text (wire->request_id, header->request_id, sizeof header->request_id))
        return bad (why, "request_id: longer than 127 bytes");
    if (!copy_store (&wire->to_store, header->to_store))
        return bad (why, "to_store: not 16 bytes");
    header->to_store_given = wire->to_store.len > 0;
    return ENVELOPE_OK;
}

envelope_answer_t request_header_read (bytes_t frame, request_header_t *header, const char **why)
{
    ProtobufCMessage *message = unpack (&musubi__request_header__descriptor, frame);
    if (!message) {
        *why = "not a request header";
        return ENVELOPE_GARBAGE;
    }
    const Musubi__RequestHeader *wire = (const Musubi__RequestHeader *) message;
    envelope_answer_t answer = request_check (wire, header, why);
    message_free (message);
    return answer;
}

static envelope_answer_t reply_check (const Musubi__ReplyHeader *wire, reply_header_t *header)
{
    header->call = wire->call;
    if (wire->protocol != PROTOCOL)
        return ENVELOPE_PROTOCOL;
    if (wire->status < MUSUBI__STATUS__OK || wire->status > MUSUBI__STATUS__NOT_SERVING)
        return ENVELOPE_BAD;
    if (!copy_store (&wire->store, header->store))
        return ENVELOPE_BAD;
    header->status = (call_status_t) wire->status;
    header->store_start = wire->start;
    snprintf (header->reason, sizeof header->reason, "%s", wire->reason);
    return ENVELOPE_OK;
}

envelope_answer_t reply_header_read (bytes_t frame, reply_header_t *header)
{
    static_assert ((int) CALL_OK == MUSUBI__STATUS__OK &&
                     (int) CALL_NOT_SERVING == MUSUBI__STATUS__NOT_SERVING,
                   "the peer's words have the same numbers on the wire");
    ProtobufCMessage *message = unpack (&musubi__reply_header__descriptor, frame);
    if (!message)
        return ENVELOPE_GARBAGE;
    envelope_answer_t answer = reply_check ((const Musubi__ReplyHeader *) message, header);
    message_free (message);
    return answer;
}

envelope_answer_t hint_header_read (bytes_t frame, hint_header_t *header)
{
    ProtobufCMessage *message = unpack (&musubi__hint_header__descriptor, frame);
    if (!message)
        return ENVELOPE_GARBAGE;
    const Musubi__HintHeader *wire = (const Musubi__HintHeader *) message;
    envelope_answer_t answer = wire->protocol != PROTOCOL                 ? ENVELOPE_PROTOCOL
                               : copy_store (&wire->store, header->store) ? ENVELOPE_OK
                                                                          : ENVELOPE_BAD;
    header->number = wire->number;
    header->store_start = wire->start;
    message_free (message);
    return answer;
}

bool request_header_make (request_header_t *header, const effect_t *call)
{
    assert (call->kind == EFFECT_CALL);
    static const uint8_t anybody [STORE_ID_BYTES];
    header->call = call->call.call;
    memcpy (header->to_store, call->call.to_store, STORE_ID_BYTES);
    header->to_store_given = memcmp (header->to_store, anybody, STORE_ID_BYTES) != 0;
    return copy_text (call->call.service, header->service, sizeof header->service) &&
           copy_text (call->call.method, header->method, sizeof header->method) &&
           copy_text (call->call.actor, header->actor, sizeof header->actor) &&
           copy_text (call->call.request_id, header->request_id, sizeof header->request_id);
}

static size_t pack (const ProtobufCMessage *message, uint8_t frame [HEADER_BYTES_MAX])
{
    assert (protobuf_c_message_get_packed_size (message) <= HEADER_BYTES_MAX);
    return protobuf_c_message_pack (message, frame);
}

size_t request_header_write (const request_header_t *header, uint8_t frame [HEADER_BYTES_MAX])
{
    request_header_t copy = *header; /* the generated struct wants its texts writable */
    Musubi__RequestHeader wire = MUSUBI__REQUEST_HEADER__INIT;
    wire.protocol = PROTOCOL;
    wire.call = copy.call;
    wire.service = copy.service;
    wire.method = copy.method;
    wire.actor = copy.actor;
    wire.request_id = copy.request_id;
    if (copy.to_store_given)
        wire.to_store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = copy.to_store};
    return pack (&wire.base, frame);
}

size_t reply_header_write (const reply_header_t *header, uint8_t frame [HEADER_BYTES_MAX])
{
    assert (header->status != CALL_TIMED_OUT);
    reply_header_t copy = *header;
    Musubi__ReplyHeader wire = MUSUBI__REPLY_HEADER__INIT;
    wire.protocol = PROTOCOL;
    wire.call = copy.call;
    wire.status = (Musubi__Status) copy.status;
    wire.reason = copy.reason;
    wire.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = copy.store};
    wire.start = copy.store_start;
    return pack (&wire.base, frame);
}

size_t hint_header_write (const hint_header_t *header, uint8_t frame [HEADER_BYTES_MAX])
{
    hint_header_t copy = *header;
    Musubi__HintHeader wire = MUSUBI__HINT_HEADER__INIT;
    wire.protocol = PROTOCOL;
    wire.number = copy.number;
    wire.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = copy.store};
    wire.start = copy.store_start;
    return pack (&wire.base, frame);
}
