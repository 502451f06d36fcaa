/*  plus_wire - protobuf <-> plain values. */
#include "plus_wire.h"

#include "message.h"
#include "must.h"
#include "planner.pb-c.h"
#include "plus.pb-c.h"
#include "transaction_wire.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static_assert (DIGEST_BYTES == crypto_generichash_BYTES, "BLAKE2b-256");
static_assert ((int) PLUS_FAILED == MUSUBI__RESERVATION_STATE__FAILED, "same numbers");

/*  --- requests --- */

bool plus_create_decode (bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__factory_create_request__descriptor, body);
    if (!message)
        return wrong (why, "not a FactoryCreateRequest");
    message_free (message);
    return true;
}

static bool reservation_take (plus_wish_t *wish, const char *from, char why [WHY_BYTES])
{
    return text_take (wish->reservation, NAME_BYTES_MAX, from, TEXT_WORD, "reservation", why);
}

static bool reserve_take (plus_wish_t *wish, const Musubi__PlusReserveRequest *from,
                          char why [WHY_BYTES])
{
    wish->from_ms = from->from_ms;
    wish->until_ms = from->until_ms;
    wish->nodes = from->nodes;
    if (wish->nodes == 0)
        return wrong (why, "nodes: must be at least 1");
    return reservation_take (wish, from->reservation, why) &&
           text_take (wish->class_name, NAME_BYTES_MAX, from->class_name, TEXT_WORD_OR_NONE,
                      "class_name", why) &&
           interval_check (wish->from_ms, wish->until_ms, "from_ms, until_ms", why);
}

bool plus_reserve_decode (bytes_t body, plus_wish_t *wish, char why [WHY_BYTES])
{
    *wish = (plus_wish_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__plus_reserve_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PlusReserveRequest");
    bool good = reserve_take (wish, (Musubi__PlusReserveRequest *) message, why);
    message_free (message);
    return good;
}

static bool modify_take (plus_wish_t *wish, const Musubi__PlusModifyRequest *from,
                         char why [WHY_BYTES])
{
    wish->from_ms = from->from_ms;
    wish->until_ms = from->until_ms;
    wish->nodes = from->nodes;
    if (wish->from_ms == 0 && wish->until_ms == 0 && wish->nodes == 0)
        return wrong (why, "from_ms, until_ms, nodes: at least one of them must change");
    if ((wish->from_ms && !time_valid (wish->from_ms)) ||
        (wish->until_ms && !time_valid (wish->until_ms)))
        return wrong (why, "from_ms, until_ms: must be times from 1970 to 9999");
    return reservation_take (wish, from->reservation, why);
}

bool plus_modify_decode (bytes_t body, plus_wish_t *wish, char why [WHY_BYTES])
{
    *wish = (plus_wish_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__plus_modify_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PlusModifyRequest");
    bool good = modify_take (wish, (Musubi__PlusModifyRequest *) message, why);
    message_free (message);
    return good;
}

bool plus_release_decode (bytes_t body, plus_wish_t *wish, char why [WHY_BYTES])
{
    *wish = (plus_wish_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__plus_release_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PlusReleaseRequest");
    bool good = reservation_take (wish, ((Musubi__PlusReleaseRequest *) message)->reservation, why);
    message_free (message);
    return good;
}

bool plus_command_decode (bytes_t body, txid_t *command, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__plus_command_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PlusCommandRequest");
    bool good =
      txid_take (command, ((Musubi__PlusCommandRequest *) message)->command, "command", why);
    message_free (message);
    return good;
}

bool plus_properties_decode (bytes_t body, plus_question_t *question, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__plus_properties_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PlusPropertiesRequest");
    const Musubi__PlusPropertiesRequest *from = (Musubi__PlusPropertiesRequest *) message;
    bool good =
      text_take (question->reservation, NAME_BYTES_MAX, from->reservation, TEXT_WORD_OR_NONE,
                 "reservation", why) &&
      text_take (question->after, NAME_BYTES_MAX, from->after, TEXT_WORD_OR_NONE, "after", why);
    question->most = from->most;
    message_free (message);
    return good;
}

/*  --- answers --- */

packed_t plus_create_encode (const char *reservation)
{
    Musubi__FactoryCreateAnswer answer = MUSUBI__FACTORY_CREATE_ANSWER__INIT;
    answer.reservation = (char *) reservation;
    return packed_of (&answer.base);
}

static Musubi__PlusCommandState state_of (command_state_t state)
{
    switch (state) {
    case COMMAND_HELD:
    case COMMAND_PREPARED:
        return MUSUBI__PLUS_COMMAND_STATE__PLUS_PREPARED;
    case COMMAND_COMMITTED:
        return MUSUBI__PLUS_COMMAND_STATE__PLUS_COMMITTED;
    case COMMAND_UNKNOWN:
        return MUSUBI__PLUS_COMMAND_STATE__PLUS_INITIAL;
    default:
        return MUSUBI__PLUS_COMMAND_STATE__PLUS_ABORTED;
    }
}

/*  A participant's answer as one of ours; end told with message_free when that is filled. */
static ProtobufCMessage *command_put (Musubi__PlusCommandAnswer *to, const command_answer_t *answer,
                                      int64_t waits_until_ms)
{
    command_answer_t lean = *answer; /* profiles are for planners, and too large to be kept */
    lean.refusal.fresh_count = 0;
    packed_t packed = command_answer_encode (&lean);
    ProtobufCMessage *message = must (message_unpack (
      &musubi__command_answer__descriptor, (bytes_t){.data = packed.data, .size = packed.size}));
    free (packed.data);
    musubi__plus_command_answer__init (to);
    to->command = ((Musubi__CommandAnswer *) message)->txid;
    to->refusal = ((Musubi__CommandAnswer *) message)->refusal;
    to->state = state_of (answer->state);
    to->waits_until_ms = waits_until_ms;
    return message;
}

packed_t plus_command_encode (const command_answer_t *answer, int64_t waits_until_ms)
{
    Musubi__PlusCommandAnswer wire;
    ProtobufCMessage *told = command_put (&wire, answer, waits_until_ms);
    packed_t packed = packed_of (&wire.base);
    message_free (told);
    return packed;
}

packed_t plus_properties_encode (const plus_properties_t *properties, size_t count,
                                 const char *next)
{
    Musubi__PlusPropertiesAnswer answer = MUSUBI__PLUS_PROPERTIES_ANSWER__INIT;
    Musubi__PlusProperties **list = messages_new (&musubi__plus_properties__descriptor, count);
    Musubi__PlusCommandAnswer **commands_list =
      messages_new (&musubi__plus_command_answer__descriptor, count);
    ProtobufCMessage **told = must (calloc (count + 1, sizeof (void *)));
    for (size_t i = 0; i < count; i++) {
        const plus_properties_t *from = &properties [i];
        Musubi__PlusProperties *to = list [i];
        to->reservation = (char *) from->reservation;
        to->owner = (char *) from->owner;
        to->state = (Musubi__ReservationState) from->state;
        to->from_ms = from->from_ms;
        to->until_ms = from->until_ms;
        to->nodes = from->nodes;
        to->class_name = (char *) from->class_name;
        if (!from->pending)
            continue;
        told [i] = command_put (commands_list [i], &from->command, from->waits_until_ms);
        to->n_commands = 1;
        to->commands = &commands_list [i];
    }
    answer.n_reservations = count;
    answer.reservations = list;
    answer.more = next != NULL;
    answer.next = (char *) (next ? next : "");
    packed_t packed = packed_of (&answer.base);
    for (size_t i = 0; i < count; i++)
        if (told [i])
            message_free (told [i]);
    free (list);
    free (commands_list);
    free (told);
    return packed;
}

/*  --- the request as planners keep it --- */

packed_t plus_request_encode (const char *site, const compute_booking_t *bookings, size_t count)
{
    assert (count > 0);
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed need = MUSUBI__COMPUTE_NEED__INIT;
    Musubi__ComputeNeed *needs [] = {&need};
    Musubi__Stage **stages_list = messages_new (&musubi__stage__descriptor, count);
    int64_t from_ms = bookings [0].from_ms;
    for (size_t i = 0; i + 1 < count; i++) {
        stages_list [i]->until_ms = bookings [i].until_ms - from_ms;
        stages_list [i]->amount = bookings [i].cpus;
    }
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = from_ms;
    window.start = &start;
    need.id = (char *) bookings [0].need;
    need.cpus = bookings [count - 1].cpus;
    need.site = (char *) site;
    need.n_stages = count - 1;
    need.stages = stages_list;
    request.window = &window;
    request.duration_ms = bookings [count - 1].until_ms - from_ms;
    request.n_compute = 1;
    request.compute = needs;
    packed_t packed = packed_of (&request.base);
    free (stages_list);
    return packed;
}

/*  --- records --- */

packed_t plus_created_encode (const char *owner, int64_t until_ms)
{
    Musubi__StoredCreated stored = MUSUBI__STORED_CREATED__INIT;
    stored.owner = (char *) owner;
    stored.until_ms = until_ms;
    return packed_of (&stored.base);
}

bool plus_created_decode (bytes_t value, char owner [NAME_BYTES_MAX + 1], int64_t *until_ms,
                          char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_created__descriptor, value);
    if (!message)
        return wrong (why, "not a StoredCreated");
    const Musubi__StoredCreated *stored = (Musubi__StoredCreated *) message;
    *until_ms = stored->until_ms;
    bool good = text_take (owner, NAME_BYTES_MAX, stored->owner, TEXT_WORD, "owner", why);
    message_free (message);
    return good;
}

packed_t plus_asked_encode (const plus_asked_t *asked)
{
    Musubi__StoredAsked stored = MUSUBI__STORED_ASKED__INIT;
    Musubi__Txid command;
    stored.digest = (ProtobufCBinaryData){.len = DIGEST_BYTES, .data = (uint8_t *) asked->digest};
    stored.reservation = (char *) asked->reservation;
    stored.asked_ms = asked->asked_ms;
    assert (asked->refusal.size <= PLUS_REFUSAL_BYTES_MAX);
    stored.refusal = (ProtobufCBinaryData){.len = asked->refusal.size, .data = asked->refusal.data};
    stored.status = asked->status;
    if (asked->command.start > 0) {
        txid_put (&command, &asked->command);
        stored.command = &command;
    }
    return packed_of (&stored.base);
}

bool plus_asked_decode (bytes_t value, plus_asked_t *asked, char why [WHY_BYTES])
{
    *asked = (plus_asked_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__stored_asked__descriptor, value);
    if (!message)
        return wrong (why, "not a StoredAsked");
    const Musubi__StoredAsked *stored = (Musubi__StoredAsked *) message;
    bool good =
      (stored->digest.len == DIGEST_BYTES || wrong (why, "digest: not 32 bytes")) &&
      (stored->refusal.len <= PLUS_REFUSAL_BYTES_MAX || wrong (why, "refusal: too long")) &&
      (stored->status < CALL_TIMED_OUT || wrong (why, "status: is none")) &&
      text_take (asked->reservation, NAME_BYTES_MAX, stored->reservation, TEXT_WORD, "reservation",
                 why) &&
      (!stored->command || txid_take (&asked->command, stored->command, "command", why));
    if (good) {
        memcpy (asked->digest, stored->digest.data, DIGEST_BYTES);
        asked->refusal =
          (packed_t){.data = must (malloc (stored->refusal.len + 1)), .size = stored->refusal.len};
        if (stored->refusal.len > 0)
            memcpy (asked->refusal.data, stored->refusal.data, stored->refusal.len);
        asked->status = (call_status_t) stored->status;
    }
    asked->asked_ms = stored->asked_ms;
    message_free (message);
    return good;
}

void plus_digest (const char *method, bytes_t body, uint8_t digest [DIGEST_BYTES])
{
    crypto_generichash_state state;
    crypto_generichash_init (&state, NULL, 0, DIGEST_BYTES);
    crypto_generichash_update (&state, (const uint8_t *) method, strlen (method) + 1);
    crypto_generichash_update (&state, body.data, body.size);
    crypto_generichash_final (&state, digest, DIGEST_BYTES);
}
