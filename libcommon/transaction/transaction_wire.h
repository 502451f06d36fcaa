/*  transaction_wire - what the _wire files share of proto/transaction.proto: values in and out of
 *  generated structs. Included by _wire files only.
 *
 *  Putting never copies: a generated struct filled here borrows from the value it was filled from.
 *  Taking checks lengths, characters, enums and order, so that the logic can assert.
 */
#ifndef MUSUBI_TRANSACTION_WIRE_H
#define MUSUBI_TRANSACTION_WIRE_H

#include "codec_table.h"
#include "message.h"
#include "transaction.h"

#include "transaction.pb-c.h"

#define PROFILE_STEPS_MAX 65536 /* in one profile of a refusal */
#define PROFILES_MAX      4096  /* in one answer: classes of a site, links of a domain */

void txid_put (Musubi__Txid *to, const txid_t *from);
bool txid_take (txid_t *to, const Musubi__Txid *from, const char *field, char why [WHY_BYTES]);

void party_put (Musubi__Party *to, const party_t *from);
bool party_take (party_t *to, const Musubi__Party *from, const char *field, char why [WHY_BYTES]);

/*  A plan with what it points to; plan_put_end ends it. It stays where it is. */
typedef struct {
    Musubi__Plan plan;
    arena_t arena;
} plan_wire_t;
void plan_put (plan_wire_t *to, const plan_t *from);
void plan_put_end (plan_wire_t *wire);
bool plan_take (plan_t *to, const Musubi__Plan *from, char why [WHY_BYTES]);

/*  Bookings into the message's repeated field, in one piece of memory: end it with free. */
Musubi__ComputeBooking **bookings_put (const compute_booking_t *from, size_t count);

/*  Circuits of a part or record, all fields checked; the caller frees them: circuits_free. */
bool circuits_take (circuit_t **circuits, size_t *count, Musubi__Circuit *const *from,
                    size_t from_count, char why [WHY_BYTES]);

/*  The same of circuits; circuits_put_end frees it. */
Musubi__Circuit **circuits_put (const circuit_t *from, size_t count);
void circuits_put_end (Musubi__Circuit **wire, size_t count);

/*  The message that a part of this kind is; NULL for PART_NONE. */
const ProtobufCMessageDescriptor *part_descriptor (part_kind_t kind);

#endif
