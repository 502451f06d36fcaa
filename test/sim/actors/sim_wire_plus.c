/*  sim_wire_plus - what users of proto/plus.proto say and are told. */
#include "message.h"
#include "sim_plus.h"
#include "sim_wire_own.h"

#include "plus.pb-c.h"

#include <string.h>

static packed_t pack (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

packed_t sim_wire_plus_create (void)
{
    Musubi__FactoryCreateRequest request = MUSUBI__FACTORY_CREATE_REQUEST__INIT;
    return pack (&request.base);
}

packed_t sim_wire_plus_reserve (const char *reservation, const sim_plus_booked_t *asked)
{
    Musubi__PlusReserveRequest request = MUSUBI__PLUS_RESERVE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    request.from_ms = asked->from_ms;
    request.until_ms = asked->until_ms;
    request.quantity = asked->nodes;
    return pack (&request.base);
}

packed_t sim_wire_plus_modify (const char *reservation, const sim_plus_booked_t *asked)
{
    Musubi__PlusModifyRequest request = MUSUBI__PLUS_MODIFY_REQUEST__INIT;
    request.reservation = (char *) reservation;
    request.from_ms = asked->from_ms;
    request.until_ms = asked->until_ms;
    request.quantity = asked->nodes;
    return pack (&request.base);
}

packed_t sim_wire_plus_release (const char *reservation)
{
    Musubi__PlusReleaseRequest request = MUSUBI__PLUS_RELEASE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    return pack (&request.base);
}

packed_t sim_wire_plus_command (const txid_t *command)
{
    Musubi__PlusCommandRequest request = MUSUBI__PLUS_COMMAND_REQUEST__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) command->store};
    txid.start = command->start;
    txid.counter = command->counter;
    request.command = &txid;
    return pack (&request.base);
}

packed_t sim_wire_plus_properties (const char *reservation)
{
    Musubi__PlusPropertiesRequest request = MUSUBI__PLUS_PROPERTIES_REQUEST__INIT;
    request.reservation = (char *) reservation;
    return pack (&request.base);
}

bool sim_wire_plus_created (bytes_t body, char reservation [NAME_BYTES_MAX + 1])
{
    ProtobufCMessage *message = message_unpack (&musubi__factory_create_answer__descriptor, body);
    if (!message)
        return false;
    sim_text (reservation, NAME_BYTES_MAX + 1,
              ((Musubi__FactoryCreateAnswer *) message)->reservation);
    message_free (message);
    return *reservation;
}

bool sim_wire_plus_told (bytes_t body, sim_plus_told_t *told)
{
    ProtobufCMessage *message = message_unpack (&musubi__plus_command_answer__descriptor, body);
    const Musubi__PlusCommandAnswer *answer = (Musubi__PlusCommandAnswer *) message;
    bool good = answer && answer->command && sim_txid_read (answer->command, &told->command);
    if (good) {
        told->says = (sim_plus_says_t) answer->state;
        told->refused = answer->refusal ? (refusal_reason_t) answer->refusal->reason : REFUSAL_NONE;
    }
    if (message)
        message_free (message);
    return good;
}

bool sim_wire_plus_seen (bytes_t body, sim_plus_seen_t *seen)
{
    ProtobufCMessage *message = message_unpack (&musubi__plus_properties_answer__descriptor, body);
    const Musubi__PlusPropertiesAnswer *answer = (Musubi__PlusPropertiesAnswer *) message;
    bool good = answer && answer->n_reservations == 1;
    if (good) {
        const Musubi__PlusProperties *from = answer->reservations [0];
        *seen = (sim_plus_seen_t){
          .booked = {.from_ms = from->from_ms, .until_ms = from->until_ms, .nodes = from->quantity},
          .state = (uint32_t) from->state,
          .commands = from->n_commands};
    }
    if (message)
        message_free (message);
    return good;
}
