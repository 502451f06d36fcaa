/*  plus_fixture - lis_fixture for S3's interface: asks as a user and reads the answers.
 *
 *  While shaky is set, the service is killed after every answer, asked the same again, and killed
 *  once more: both answers must be equal.
 */
#ifndef MUSUBI_PLUS_FIXTURE_H
#define MUSUBI_PLUS_FIXTURE_H

#include "lis_fixture.h"
#include "message.h"

#include "plus.pb-c.h"

static bool shaky;

/*  An answer about a command, in plain values. */
typedef struct {
    call_status_t status;
    char reason [512]; /* when status says no */
    txid_t command;
    Musubi__PlusCommandState state;
    int64_t waits_until_ms;
    refusal_reason_t refused;
    char text [512];
    bool blocked; /* by another command */
    txid_t blocker;
    int64_t frees_ms;
} told_t;

static inline void plus_ask_once (service_world_t *self, const char *actor, const char *id,
                                  const char *service, const char *method, bytes_t body)
{
    self->replied = false;
    self->asked = 1;
    event_t event = {.kind = EVENT_REQUEST,
                     .request = {.service = service,
                                 .method = method,
                                 .actor = actor,
                                 .request_id = id,
                                 .body = body,
                                 .reply_to = 1}};
    step (self, &event);
    assert_true (self->replied);
    assert_true ((self->status == CALL_OK) == (*self->reason == '\0'));
}

static inline call_status_t plus_ask (service_world_t *self, const char *actor, const char *id,
                                      const char *service, const char *method,
                                      const ProtobufCMessage *message)
{
    size_t size;
    uint8_t *packed = message_pack (message, &size);
    bytes_t body = {.data = packed, .size = size};
    plus_ask_once (self, actor, id, service, method, body);
    bool changes = strcmp (service, "Reservation") == 0 && strcmp (method, "Properties") != 0;
    if (shaky && (*id || !changes)) { /* without a request id each is another request */
        call_status_t status = self->status;
        size_t told_size = self->body_size;
        uint8_t *told = malloc (told_size + 1);
        assert_non_null (told);
        if (told_size > 0)
            memcpy (told, self->body, told_size);
        restart (self);
        plus_ask_once (self, actor, id, service, method, body);
        assert_int_equal (self->status, status);
        assert_int_equal (self->body_size, told_size);
        assert_memory_equal (self->body, told, told_size);
        free (told);
    }
    if (shaky)
        restart (self);
    free (packed);
    return self->status;
}

static inline void txid_read (txid_t *to, const Musubi__Txid *from)
{
    assert_int_equal (from->store.len, STORE_ID_BYTES);
    memcpy (to->store, from->store.data, STORE_ID_BYTES);
    to->start = from->start;
    to->counter = from->counter;
}

static inline told_t plus_told (const service_world_t *self)
{
    told_t told = {.status = self->status};
    snprintf (told.reason, sizeof told.reason, "%s", self->reason);
    if (told.status != CALL_OK)
        return told;
    Musubi__PlusCommandAnswer *wire = answer (self, &musubi__plus_command_answer__descriptor);
    txid_read (&told.command, wire->command);
    told.state = wire->state;
    told.waits_until_ms = wire->waits_until_ms;
    if (wire->refusal) {
        told.refused = (refusal_reason_t) wire->refusal->reason;
        snprintf (told.text, sizeof told.text, "%s", wire->refusal->text);
        told.frees_ms = wire->refusal->frees_ms;
        told.blocked = wire->refusal->blocker != NULL;
        if (told.blocked)
            txid_read (&told.blocker, wire->refusal->blocker);
    }
    message_free (&wire->base);
    return told;
}

/*  Creates a reservation, and puts its id there. */
static inline call_status_t plus_create (service_world_t *self, const char *actor, const char *id,
                                         char reservation [NAME_BYTES_MAX + 1])
{
    Musubi__FactoryCreateRequest request = MUSUBI__FACTORY_CREATE_REQUEST__INIT;
    *reservation = '\0';
    if (plus_ask (self, actor, id, "Factory", "Create", &request.base) != CALL_OK)
        return self->status;
    Musubi__FactoryCreateAnswer *told = answer (self, &musubi__factory_create_answer__descriptor);
    snprintf (reservation, NAME_BYTES_MAX + 1, "%s", told->reservation);
    message_free (&told->base);
    return CALL_OK;
}

/*  Minutes; whole nodes. */
static inline told_t plus_reserve (service_world_t *self, const char *actor, const char *id,
                                   const char *reservation, const char *class_name, int64_t from,
                                   int64_t until, uint32_t nodes)
{
    Musubi__PlusReserveRequest request = MUSUBI__PLUS_RESERVE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    request.from_ms = at (from);
    request.until_ms = at (until);
    request.quantity = nodes;
    request.resource = (char *) class_name;
    plus_ask (self, actor, id, "Reservation", "Reserve", &request.base);
    return plus_told (self);
}

/*  0 = leave as it is. */
static inline told_t plus_modify (service_world_t *self, const char *actor, const char *id,
                                  const char *reservation, int64_t from, int64_t until,
                                  uint32_t nodes)
{
    Musubi__PlusModifyRequest request = MUSUBI__PLUS_MODIFY_REQUEST__INIT;
    request.reservation = (char *) reservation;
    request.from_ms = from ? at (from) : 0;
    request.until_ms = until ? at (until) : 0;
    request.quantity = nodes;
    plus_ask (self, actor, id, "Reservation", "Modify", &request.base);
    return plus_told (self);
}

static inline told_t plus_release (service_world_t *self, const char *actor, const char *id,
                                   const char *reservation)
{
    Musubi__PlusReleaseRequest request = MUSUBI__PLUS_RELEASE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    plus_ask (self, actor, id, "Reservation", "Release", &request.base);
    return plus_told (self);
}

/*  Commit, Abort, State. */
static inline told_t plus_command (service_world_t *self, const char *actor, const char *method,
                                   const txid_t *command)
{
    Musubi__PlusCommandRequest request = MUSUBI__PLUS_COMMAND_REQUEST__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) command->store};
    txid.start = command->start;
    txid.counter = command->counter;
    request.command = &txid;
    plus_ask (self, actor, "", "Command", method, &request.base);
    return plus_told (self);
}

/*  Properties; ended with message_free. */
static inline Musubi__PlusPropertiesAnswer *plus_properties (service_world_t *self,
                                                             const char *actor,
                                                             const char *reservation,
                                                             const char *after, uint32_t most)
{
    Musubi__PlusPropertiesRequest request = MUSUBI__PLUS_PROPERTIES_REQUEST__INIT;
    request.reservation = (char *) reservation;
    request.after = (char *) after;
    request.most = most;
    plus_ask (self, actor, "", "Reservation", "Properties", &request.base);
    return answer (self, &musubi__plus_properties_answer__descriptor);
}

static inline Musubi__ReservationState plus_state (service_world_t *self, const char *reservation)
{
    Musubi__PlusPropertiesAnswer *told = plus_properties (self, "root", reservation, "", 0);
    assert_int_equal (told->n_reservations, 1);
    Musubi__ReservationState state = told->reservations [0]->state;
    message_free (&told->base);
    return state;
}

/*  Created, reserved, committed for alice; id begins its request ids. */
static inline void plus_booked (service_world_t *self, char reservation [NAME_BYTES_MAX + 1],
                                const char *id, int64_t from, int64_t until, uint32_t nodes)
{
    char ids [2][64];
    snprintf (ids [0], sizeof ids [0], "%s-create", id);
    snprintf (ids [1], sizeof ids [1], "%s-reserve", id);
    assert_int_equal (plus_create (self, "alice", ids [0], reservation), CALL_OK);
    told_t told = plus_reserve (self, "alice", ids [1], reservation, "thin", from, until, nodes);
    assert_int_equal (told.state, MUSUBI__PLUS_COMMAND_STATE__PLUS_PREPARED);
    told = plus_command (self, "alice", "Commit", &told.command);
    assert_int_equal (told.state, MUSUBI__PLUS_COMMAND_STATE__PLUS_COMMITTED);
}

#endif
