/*  home_wire - the messages of proto/gis.proto about claims, and what is stored of them, as plain
 *  structs; home_wire.c alone sees the generated code.
 */
#ifndef MUSUBI_HOME_WIRE_H
#define MUSUBI_HOME_WIRE_H

#include "participant.h"

typedef struct {
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    bool digest_set;
    uint8_t digest [DIGEST_BYTES];
} look_t;

extern const codec_t look_codec;

typedef struct {
    look_t claim; /* digest always set */
    packed_t answer;
    int64_t keep_until_ms;
} close_t;

extern const codec_t close_codec;

/*  Same numbers as proto ClaimState. */
typedef enum { CLAIM_FREE = 0, CLAIM_HELD, CLAIM_COMMITTED, CLAIM_CLOSED } claim_state_t;

/*  What is told of a claim. */
typedef struct {
    claim_state_t state;
    bool conflict;
    bytes_t answer;
    bool done;
    packed_t holder; /* the plan of the attempt; empty = none */
} look_answer_t;
extern const codec_t look_answer_codec;

typedef struct {
    bool closed;
    look_answer_t look;
} close_answer_t;
extern const codec_t close_answer_codec;

typedef struct {
    uint8_t digest [DIGEST_BYTES];
    packed_t answer;
    int64_t keep_until_ms;
    int64_t closed_ms;
} closed_record_t;

extern const codec_t closed_record_codec;

/*  A page of what a site or domain tells about the requests of this home (Participant.Commands);
 *  next with more. */
typedef struct {
    plan_t plan;
    command_state_t state;
} recalled_t;

typedef struct {
    recalled_t *commands;
    size_t count;
    bool more;
    txid_t next;
} recalled_page_t;
extern const codec_t recalled_page_codec;

/*  The answer to such a request from now on: that it has made this reservation. */
packed_t recalled_answer_encode (const plan_t *plan);

/*  Is it a packed Answer? */
bool answer_right (bytes_t answer);

/*  The end of the reservation that it tells of; 0 = of none. */
int64_t answer_end_ms (bytes_t answer);

#endif
