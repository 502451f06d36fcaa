/*  envelope - the headers that go before every body, as proto/bus.proto has them. Pure.
 *
 *  They are used as the generated structs: bounds of length are all that there is to check, and a
 *  header that can't be used still has a call to be answered, which a codec's refusal would lose.
 */
#ifndef MUSUBI_ENVELOPE_H
#define MUSUBI_ENVELOPE_H

#include "core.h"

#include "bus.pb-c.h"

#define PROTOCOL         1
#define METHOD_BYTES_MAX 63   /* of a service's and of a method's name, without the NUL */
#define REASON_BYTES_MAX 511  /* longer reasons are cut */
#define HEADER_BYTES_MAX 2048 /* on the wire; a newer peer may know more fields */

/*  NULL: not a header at all, so that there is nobody to answer. Of a reply and a hint also when a
 *  field is out of bounds, or the protocol is another one. The caller ends it with message_free. */
Musubi__RequestHeader *request_header_read (bytes_t frame);
Musubi__ReplyHeader *reply_header_read (bytes_t frame);
Musubi__HintHeader *notice_header_read (bytes_t frame);

/*  Is each field within its bounds? Else the status to refuse it with, and why, a static
 *  sentence. */
call_status_t request_header_judge (const Musubi__RequestHeader *header, const char **why);

/*  The header of a call, whose texts it borrows. */
Musubi__RequestHeader request_header_of (const effect_t *call);

/*  Packs any of the three; returns the bytes written. Texts longer than a field allows are our own
 *  mistake. */
size_t header_write (const ProtobufCMessage *header, uint8_t frame [HEADER_BYTES_MAX]);

#endif
