/*  envelope - the headers that go before every body (proto/bus.proto), as plain structs. Pure.
 *
 *  Reading checks lengths, text and the protocol number, so that host and client can trust what
 *  they see.
 */
#ifndef MUSUBI_ENVELOPE_H
#define MUSUBI_ENVELOPE_H

#include "core.h"

#define PROTOCOL         1
#define METHOD_BYTES_MAX 63   /* of a service's and of a method's name, without the NUL */
#define REASON_BYTES_MAX 511  /* longer reasons are cut */
#define HEADER_BYTES_MAX 2048 /* on the wire; a newer peer may know more fields */

typedef enum {
    ENVELOPE_OK,
    ENVELOPE_GARBAGE,  /* not a header at all: nobody to answer */
    ENVELOPE_BAD,      /* a header whose fields are out of bounds; call is set, why says which */
    ENVELOPE_PROTOCOL, /* of another protocol number; call is set */
} envelope_answer_t;

typedef struct {
    uint64_t call;
    char service [METHOD_BYTES_MAX + 1];
    char method [METHOD_BYTES_MAX + 1];
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    bool to_store_given;
    uint8_t to_store [STORE_ID_BYTES];
} request_header_t;

typedef struct {
    uint64_t call;
    call_status_t status;
    char reason [REASON_BYTES_MAX + 1];
    uint8_t store [STORE_ID_BYTES];
    uint32_t store_start;
} reply_header_t;

typedef struct {
    uint64_t number;
    uint8_t store [STORE_ID_BYTES];
    uint32_t store_start;
} hint_header_t;

/*  why is a static sentence, set unless ENVELOPE_OK. */
envelope_answer_t request_header_read (bytes_t frame, request_header_t *header, const char **why);
envelope_answer_t reply_header_read (bytes_t frame, reply_header_t *header);
envelope_answer_t hint_header_read (bytes_t frame, hint_header_t *header);

/*  The header of a call; false when a text is longer than its field. */
bool request_header_make (request_header_t *header, const effect_t *call);

/*  Return the bytes written. Texts longer than a field allows are our own mistake. */
size_t request_header_write (const request_header_t *header, uint8_t frame [HEADER_BYTES_MAX]);
size_t reply_header_write (const reply_header_t *header, uint8_t frame [HEADER_BYTES_MAX]);
size_t hint_header_write (const hint_header_t *header, uint8_t frame [HEADER_BYTES_MAX]);

#endif
