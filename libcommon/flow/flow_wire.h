/*  flow_wire - what is said on a connection that carries bulk bytes. Numbers are big-endian.
 *
 *      receiver: "MUSUBI/2"  transfer [16]  token [32]  epoch u64
 *      feeder:   "MUSUBI/2"  answer u64  has u64  size u64  attempt u64
 *      receiver: offset u64                              it wants to be fed from there on, or
 *                RANGE + offset u64  until u64           up to there without marks; then it says
 *                                                        more
 *      feeder:   { length u64  bytes [length]            length 0 = I live and have nothing new
 *                | MARK + n u64  mark [32] }*            SHA-256 of the first n bytes of the file
 *
 *  A mark stands where a whole number of chunks ends, before the bytes behind it; and, for what the
 *  receiver has already, before all bytes.
 *
 *  The feeder answers only what has shown the right token; whoever has not is told that there is
 *  no such transfer. It closes when the receiver does; a receiver closes when it has all.
 */
#ifndef MUSUBI_FLOW_WIRE_H
#define MUSUBI_FLOW_WIRE_H

#include "bytes.h"
#include "flow.h"

#include <stddef.h>

#define FLOW_MAGIC_BYTES  8
#define FLOW_HELLO_BYTES  (FLOW_MAGIC_BYTES + FLOW_ID_BYTES + FLOW_TOKEN_BYTES + 8)
#define FLOW_ANSWER_BYTES (FLOW_MAGIC_BYTES + 32)
#define FLOW_NUMBER_BYTES 8
#define FLOW_MARK         (UINT64_C (1) << 63)
#define FLOW_RANGE        (UINT64_C (1) << 63)
#define FLOW_RANGE_BYTES  (2 * FLOW_NUMBER_BYTES)
#define FLOW_MARK_BYTES   (FLOW_NUMBER_BYTES + FLOW_DIGEST_BYTES)

typedef enum {
    FLOW_FEEDS = 0,
    FLOW_NO_TRANSFER, /* no such transfer here, or not with this token */
    FLOW_OLD_EPOCH,
    FLOW_BUSY, /* it feeds as many receivers as it may */
    FLOW_ANSWERS
} flow_answer_t;

typedef struct {
    uint8_t id [FLOW_ID_BYTES];
    uint8_t token [FLOW_TOKEN_BYTES];
    uint64_t epoch;
} flow_hello_t;

typedef struct {
    flow_answer_t answer;
    uint64_t has;
    uint64_t size;
    uint64_t attempt; /* FLOW_PROVED: its bytes are good for every attempt */
} flow_reply_t;

void flow_hello_pack (uint8_t to [FLOW_HELLO_BYTES], const flow_hello_t *hello);
bool flow_hello_unpack (flow_hello_t *hello, const uint8_t from [FLOW_HELLO_BYTES]);
void flow_reply_pack (uint8_t to [FLOW_ANSWER_BYTES], const flow_reply_t *reply);
bool flow_reply_unpack (flow_reply_t *reply, const uint8_t from [FLOW_ANSWER_BYTES]);

/*  In words; "" for FLOW_FEEDS. */
const char *flow_answer_word (flow_answer_t answer);

#endif
