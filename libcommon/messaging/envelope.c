/*  envelope - unpacking with the checks that protobuf-c leaves to us.
 *
 *  Reading a header costs about half a microsecond, the round trip that brings it a hundred: the
 *  generated code is fast enough.
 */
#include "envelope.h"

#include "message.h"

#include <assert.h>
#include <string.h>

static void *header_read (const ProtobufCMessageDescriptor *descriptor, bytes_t frame)
{
    return frame.size <= HEADER_BYTES_MAX ? message_unpack (descriptor, frame) : NULL;
}

/*  Ids of stores are of one length; one may be absent. */
static bool store_right (const ProtobufCBinaryData *store)
{
    return store->len == 0 || store->len == STORE_ID_BYTES;
}

/*  The header, or nothing if it isn't right. */
static void *header_if (bool right, ProtobufCMessage *header)
{
    if (right)
        return header;
    message_free (header);
    return NULL;
}

Musubi__RequestHeader *request_header_read (bytes_t frame)
{
    return header_read (&musubi__request_header__descriptor, frame);
}

Musubi__ReplyHeader *reply_header_read (bytes_t frame)
{
    static_assert ((int) CALL_OK == MUSUBI__STATUS__OK &&
                     (int) CALL_NOT_SERVING == MUSUBI__STATUS__NOT_SERVING,
                   "the peer's words have the same numbers on the wire");
    Musubi__ReplyHeader *header = header_read (&musubi__reply_header__descriptor, frame);
    if (header && strlen (header->reason) > REASON_BYTES_MAX)
        header->reason [REASON_BYTES_MAX] = '\0';
    return header_if (header && header->protocol == PROTOCOL && store_right (&header->store) &&
                        header->status >= MUSUBI__STATUS__OK &&
                        header->status <= MUSUBI__STATUS__NOT_SERVING,
                      (ProtobufCMessage *) header);
}

Musubi__HintHeader *notice_header_read (bytes_t frame)
{
    Musubi__HintHeader *header = header_read (&musubi__hint_header__descriptor, frame);
    return header_if (header && header->protocol == PROTOCOL && store_right (&header->store),
                      (ProtobufCMessage *) header);
}

call_status_t request_header_judge (const Musubi__RequestHeader *header, const char **why)
{
    *why = header->protocol != PROTOCOL                  ? "protocol: should be 1"
           : strlen (header->service) > METHOD_BYTES_MAX ? "service: longer than 63 bytes"
           : strlen (header->method) > METHOD_BYTES_MAX  ? "method: longer than 63 bytes"
           : strlen (header->actor) > NAME_BYTES_MAX     ? "actor: longer than 63 bytes"
           : strlen (header->request_id) > REQUEST_ID_BYTES_MAX
             ? "request_id: longer than 127 bytes"
           : !store_right (&header->to_store) ? "to_store: not 16 bytes"
                                              : NULL;
    return !*why ? CALL_OK : header->protocol != PROTOCOL ? CALL_WRONG_PROTOCOL : CALL_BAD_REQUEST;
}

Musubi__RequestHeader request_header_of (const effect_t *call)
{
    static const uint8_t anybody [STORE_ID_BYTES];
    assert (call->kind == EFFECT_CALL);
    Musubi__RequestHeader header = MUSUBI__REQUEST_HEADER__INIT;
    header.protocol = PROTOCOL;
    header.call = call->call.call;
    header.service = (char *) call->call.service;
    header.method = (char *) call->call.method;
    header.actor = (char *) call->call.actor;
    header.request_id = (char *) call->call.request_id;
    header.bundles = true;
    if (memcmp (call->call.to_store, anybody, STORE_ID_BYTES) != 0)
        header.to_store = bytes_put (call->call.to_store, STORE_ID_BYTES);
    return header;
}

size_t header_write (const ProtobufCMessage *header, uint8_t frame [HEADER_BYTES_MAX])
{
    assert (protobuf_c_message_get_packed_size (header) <= HEADER_BYTES_MAX);
    return protobuf_c_message_pack (header, frame);
}
