/*  plus_wire - codecs of proto/plus.proto. */
#include "plus_wire.h"

#include "message.h"
#include "must.h"
#include "planner.pb-c.h"
#include "plus.pb-c.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static_assert (DIGEST_BYTES == crypto_generichash_BYTES, "BLAKE2b-256");
static_assert ((int) PLUS_ABORTED == MUSUBI__PLUS_COMMAND_STATE__PLUS_ABORTED, "same numbers");

static const codec_row_t reserve_rows [] = {
  ROW_WORD ("reservation", plus_wish_t, reservation),
  ROW_TIME ("from_ms", plus_wish_t, from_ms),
  ROW_TIME ("until_ms", plus_wish_t, until_ms),
  ROW_NUMBER ("quantity", plus_wish_t, quantity, LEAST (1)),
  ROW_WORD ("resource", plus_wish_t, resource, OR_NONE),
};

static bool plus_reserve_rule (void *self, char why [WHY_BYTES])
{
    const plus_wish_t *wish = self;
    return interval_check (wish->from_ms, wish->until_ms, "from_ms, until_ms", why);
}

const codec_t plus_reserve_codec =
  CODEC_RULED (plus_wish_t, plus_reserve_request, reserve_rows, plus_reserve_rule);

static const codec_row_t modify_rows [] = {
  ROW_WORD ("reservation", plus_wish_t, reservation),
  ROW_TIME ("from_ms", plus_wish_t, from_ms),
  ROW_TIME ("until_ms", plus_wish_t, until_ms),
  ROW_NUMBER ("quantity", plus_wish_t, quantity),
};

static bool modify_rule (void *self, char why [WHY_BYTES])
{
    const plus_wish_t *wish = self;
    return wish->from_ms || wish->until_ms || wish->quantity ||
           wrong (why, "from_ms, until_ms, quantity: at least one of them must change");
}

const codec_t plus_modify_codec =
  CODEC_RULED (plus_wish_t, plus_modify_request, modify_rows, modify_rule);

static const codec_row_t release_rows [] = {
  ROW_WORD ("reservation", plus_wish_t, reservation),
};
const codec_t plus_release_codec = CODEC (plus_wish_t, plus_release_request, release_rows);

static const codec_row_t handle_rows [] = {
  ROW_INSIDE ("command", txid_t, &txid_codec),
};
const codec_t plus_handle_codec = CODEC (txid_t, plus_command_request, handle_rows);

static const codec_row_t question_rows [] = {
  ROW_WORD ("reservation", plus_question_t, reservation, OR_NONE),
  ROW_WORD ("after", plus_question_t, after, OR_NONE),
  ROW_NUMBER ("most", plus_question_t, most),
};
const codec_t plus_question_codec = CODEC (plus_question_t, plus_properties_request, question_rows);

static plus_command_state_t plus_state_of (command_state_t state)
{
    switch (state) {
    case COMMAND_HELD:
    case COMMAND_PREPARED:
        return PLUS_PREPARED;
    case COMMAND_COMMITTED:
        return PLUS_COMMITTED;
    case COMMAND_UNKNOWN:
        return PLUS_INITIAL;
    default:
        return PLUS_ABORTED;
    }
}

/*  Free profiles are for planners, and too large to be kept. */
plus_command_t plus_command_of (const command_answer_t *answer, int64_t waits_until_ms)
{
    plus_command_t command = {
      .answer = *answer, .state = plus_state_of (answer->state), .waits_until_ms = waits_until_ms};
    command.answer.refusal.fresh_count = 0;
    return command;
}

static const codec_row_t command_rows [] = {
  ROW_ONE ("command", plus_command_t, answer.txid, txid),
  ROW_ENUM ("state", plus_command_t, state, PLUS_ABORTED),
  ROW_NUMBER ("waits_until_ms", plus_command_t, waits_until_ms),
  ROW_ONE ("refusal", plus_command_t, answer.refusal, refusal,
           SET_BY (plus_command_t, answer.refusal.reason)),
};
const codec_t plus_command_codec = CODEC (plus_command_t, plus_command_answer, command_rows);

packed_t plus_part_encode (part_kind_t kind, const admission_want_t *wants, size_t count)
{
    compute_booking_t *nodes = must (calloc (count, sizeof *nodes));
    space_booking_t *space = must (calloc (count, sizeof *space));
    for (size_t i = 0; i < count; i++) {
        const admission_want_t *want = &wants [i];
        nodes [i] = (compute_booking_t){.cpus = want->amount,
                                        .nodes = want->quantity,
                                        .from_ms = want->from_ms,
                                        .until_ms = want->until_ms};
        space [i] = (space_booking_t){.bytes = (uint64_t) want->quantity * SPACE_UNIT,
                                      .from_ms = want->from_ms,
                                      .until_ms = want->until_ms};
        memcpy (nodes [i].need, want->need, sizeof nodes [i].need);
        memcpy (space [i].need, want->need, sizeof space [i].need);
        memcpy (nodes [i].class_name, want->resource, sizeof nodes [i].class_name);
        memcpy (space [i].node, want->resource, sizeof space [i].node);
    }
    packed_t part = kind == PART_COMPUTE
                      ? compute_part_encode (nodes, count)
                      : codec_encode (&space_part_codec, &(space_part_t){space, count});
    free (nodes);
    free (space);
    return part;
}

packed_t plus_request_encode (part_kind_t kind, const char *site, const admission_want_t *bookings,
                              size_t count)
{
    assert (count > 0);
    if (kind != PART_COMPUTE)
        return (packed_t){0};
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed need = MUSUBI__COMPUTE_NEED__INIT;
    Musubi__ComputeNeed *needs [] = {&need};
    memory_auto Musubi__Stage **stages_list = messages_new (&musubi__stage__descriptor, count);
    int64_t from_ms = bookings [0].from_ms;
    for (size_t i = 0; i + 1 < count; i++) {
        stages_list [i]->until_ms = bookings [i].until_ms - from_ms;
        stages_list [i]->amount = bookings [i].amount;
    }
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = from_ms;
    window.start = &start;
    need.id = (char *) bookings [0].need;
    need.cpus = bookings [count - 1].amount;
    need.site = (char *) site;
    need.n_stages = count - 1;
    need.stages = stages_list;
    request.window = &window;
    request.duration_ms = bookings [count - 1].until_ms - from_ms;
    request.n_compute = 1;
    request.compute = needs;
    return packed_of (&request.base);
}

static const codec_row_t created_rows [] = {
  ROW_WORD ("owner", plus_created_t, owner),
  ROW_NUMBER ("until_ms", plus_created_t, until_ms),
};
const codec_t plus_created_codec = CODEC (plus_created_t, stored_created, created_rows);

static const codec_row_t asked_rows [] = {
  ROW_FIXED ("digest", plus_asked_t, digest),
  ROW_WORD ("reservation", plus_asked_t, reservation),
  ROW_ONE ("command", plus_asked_t, command, txid, SET_BY (plus_asked_t, command.start)),
  ROW_NUMBER ("asked_ms", plus_asked_t, asked_ms),
  ROW_BYTES ("refusal", plus_asked_t, refusal.data, refusal.size, PLUS_REFUSAL_BYTES_MAX),
  ROW_NUMBER ("status", plus_asked_t, status, MOST (CALL_TIMED_OUT - 1)),
};
const codec_t plus_asked_codec = CODEC (plus_asked_t, stored_asked, asked_rows);

const codec_t plus_create_codec = CODEC_EMPTY (factory_create_request);

void plus_digest (const char *method, bytes_t body, uint8_t digest [DIGEST_BYTES])
{
    crypto_generichash_state state;
    crypto_generichash_init (&state, NULL, 0, DIGEST_BYTES);
    crypto_generichash_update (&state, (const uint8_t *) method, strlen (method) + 1);
    crypto_generichash_update (&state, body.data, body.size);
    crypto_generichash_final (&state, digest, DIGEST_BYTES);
}
