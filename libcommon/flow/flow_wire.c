/*  flow_wire - packing and checked unpacking; nothing is allocated. */
#include "flow_wire.h"

#include <string.h>

static const uint8_t magic [FLOW_MAGIC_BYTES] = {'M', 'U', 'S', 'U', 'B', 'I', '/', '2'};

void flow_hello_pack (uint8_t to [FLOW_HELLO_BYTES], const flow_hello_t *hello)
{
    memcpy (to, magic, FLOW_MAGIC_BYTES);
    to += FLOW_MAGIC_BYTES;
    memcpy (to, hello->id, FLOW_ID_BYTES);
    to += FLOW_ID_BYTES;
    memcpy (to, hello->token, FLOW_TOKEN_BYTES);
    number_put (to + FLOW_TOKEN_BYTES, hello->epoch, FLOW_NUMBER_BYTES);
}

bool flow_hello_unpack (flow_hello_t *hello, const uint8_t from [FLOW_HELLO_BYTES])
{
    if (memcmp (from, magic, FLOW_MAGIC_BYTES) != 0)
        return false;
    from += FLOW_MAGIC_BYTES;
    memcpy (hello->id, from, FLOW_ID_BYTES);
    from += FLOW_ID_BYTES;
    memcpy (hello->token, from, FLOW_TOKEN_BYTES);
    hello->epoch = number_get (from + FLOW_TOKEN_BYTES, FLOW_NUMBER_BYTES);
    return true;
}

void flow_reply_pack (uint8_t to [FLOW_ANSWER_BYTES], const flow_reply_t *reply)
{
    memcpy (to, magic, FLOW_MAGIC_BYTES);
    to += FLOW_MAGIC_BYTES;
    number_put (to, reply->answer, FLOW_NUMBER_BYTES);
    number_put (to + FLOW_NUMBER_BYTES, reply->has, FLOW_NUMBER_BYTES);
    number_put (to + 2 * (size_t) FLOW_NUMBER_BYTES, reply->size, FLOW_NUMBER_BYTES);
    number_put (to + 3 * (size_t) FLOW_NUMBER_BYTES, reply->attempt, FLOW_NUMBER_BYTES);
}

bool flow_reply_unpack (flow_reply_t *reply, const uint8_t from [FLOW_ANSWER_BYTES])
{
    if (memcmp (from, magic, FLOW_MAGIC_BYTES) != 0)
        return false;
    from += FLOW_MAGIC_BYTES;
    uint64_t answer = number_get (from, FLOW_NUMBER_BYTES);
    if (answer >= FLOW_ANSWERS)
        return false;
    reply->answer = (flow_answer_t) answer;
    reply->has = number_get (from + FLOW_NUMBER_BYTES, FLOW_NUMBER_BYTES);
    reply->size = number_get (from + 2 * (size_t) FLOW_NUMBER_BYTES, FLOW_NUMBER_BYTES);
    reply->attempt = number_get (from + 3 * (size_t) FLOW_NUMBER_BYTES, FLOW_NUMBER_BYTES);
    return true;
}

const char *flow_answer_word (flow_answer_t answer)
{
    static const char *const words [FLOW_ANSWERS] = {
      [FLOW_FEEDS] = "",
      [FLOW_NO_TRANSFER] = "the feeder knows no such transfer, or not with this token",
      [FLOW_OLD_EPOCH] = "the feeder knows a later plan",
      [FLOW_BUSY] = "the feeder feeds as many receivers as it may",
    };
    return words [answer];
}
