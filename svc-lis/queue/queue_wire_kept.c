/*  queue_wire_kept - protobuf <-> plain values: what is kept on disk. */
#include "queue_wire.h"

#include "message.h"
#include "must.h"
#include "tasks.pb-c.h"
#include "transaction_wire.h"

#include <stdlib.h>
#include <string.h>

/*  --- keys --- */

static void number_pack (uint64_t number, size_t bytes, uint8_t *key)
{
    for (size_t i = bytes; i > 0; i--) {
        key [i - 1] = (uint8_t) number;
        number >>= 8;
    }
}

static uint64_t number_unpack (const uint8_t *key, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | key [i];
    return number;
}

void bag_key_pack (uint64_t bag, uint8_t key [BAG_KEY_BYTES])
{
    number_pack (bag, BAG_KEY_BYTES, key);
}

bool bag_key_unpack (uint64_t *bag, bytes_t key)
{
    if (key.size != BAG_KEY_BYTES)
        return false;
    *bag = number_unpack (key.data, BAG_KEY_BYTES);
    return *bag > 0;
}

void task_key_pack (const task_id_t *task, uint8_t key [TASK_KEY_BYTES])
{
    number_pack (task->bag, BAG_KEY_BYTES, key);
    number_pack (task->index, TASK_KEY_BYTES - BAG_KEY_BYTES, key + BAG_KEY_BYTES);
}

bool task_key_unpack (task_id_t *task, bytes_t key)
{
    if (key.size != TASK_KEY_BYTES)
        return false;
    task->bag = number_unpack (key.data, BAG_KEY_BYTES);
    task->index =
      (uint32_t) number_unpack (key.data + BAG_KEY_BYTES, TASK_KEY_BYTES - BAG_KEY_BYTES);
    return task->bag > 0;
}

/*  --- bags --- */

packed_t stored_bag_encode (const bag_t *bag)
{
    Musubi__StoredBag stored = MUSUBI__STORED_BAG__INIT;
    stored.submitted =
      (ProtobufCBinaryData){.len = bag->submitted.size, .data = bag->submitted.data};
    stored.owner = (char *) bag->owner;
    stored.account = (char *) bag->asked.order->account;
    stored.request_id = (char *) bag->request_id;
    stored.submitted_ms = bag->submitted_ms;
    stored.cancelled = bag->cancelled;
    stored.over_ms = bag->over_ms;
    Musubi__GuestBag guest = MUSUBI__GUEST_BAG__INIT;
    Musubi__Txid move;
    Musubi__Party home;
    if (bag->guest) {
        txid_put (&move, &bag->guest->move);
        party_put (&home, &bag->guest->home);
        guest.move = &move;
        guest.home = &home;
        guest.bag = bag->guest->bag;
        guest.first = bag->guest->first;
        guest.count = bag->asked.count;
        stored.guest = &guest;
    }
    return packed_of (&stored.base);
}

static bool guest_take_stored (stored_bag_t *bag, const Musubi__GuestBag *from,
                               char why [WHY_BYTES])
{
    bag->guest_set = true;
    bag->guest = (guest_t){.bag = from->bag, .first = from->first};
    if (!txid_take (&bag->guest.move, from->move, "guest.move", why) ||
        !party_take (&bag->guest.home, from->home, "guest.home", why))
        return false;
    if (from->count < 1 || from->count > bag->asked.count ||
        from->first > bag->asked.count - from->count)
        return wrong (why, "guest.count: %u from %u on of %u tasks", from->count, from->first,
                      bag->asked.count);
    submission_of_guests (&bag->asked, from->first, from->count);
    return true;
}

/*  Limits of today say nothing about what was taken before. */
static bool bag_take_stored (stored_bag_t *bag, const Musubi__StoredBag *stored,
                             char why [WHY_BYTES])
{
    *bag = (stored_bag_t){.submitted_ms = stored->submitted_ms,
                          .cancelled = stored->cancelled,
                          .over_ms = stored->over_ms};
    bytes_t submitted = {stored->submitted.data, stored->submitted.len};
    submitter_t by = {.owner = bag->owner,
                      .account = stored->account,
                      .count_max = UINT32_MAX,
                      .limit_ms_max = TASK_LIMIT_MS_MOST};
    if (!text_take (bag->owner, NAME_BYTES_MAX, stored->owner, TEXT_WORD, "owner", why) ||
        !text_take (bag->request_id, REQUEST_ID_BYTES_MAX, stored->request_id, TEXT_WORD_OR_NONE,
                    "request_id", why) ||
        !submit_decode (&bag->asked, submitted, &by, why))
        return false;
    if (stored->guest && !guest_take_stored (bag, stored->guest, why)) {
        submission_clear (&bag->asked);
        return false;
    }
    bag->submitted = (packed_t){.data = must (malloc (submitted.size + 1)), .size = submitted.size};
    memcpy (bag->submitted.data, submitted.data, submitted.size);
    return true;
}

bool stored_bag_decode (stored_bag_t *bag, bytes_t record, char why [WHY_BYTES])
{
    Musubi__StoredBag *stored =
      (Musubi__StoredBag *) message_unpack (&musubi__stored_bag__descriptor, record);
    if (!stored)
        return wrong (why, "not a StoredBag");
    bool good = bag_take_stored (bag, stored, why);
    message_free (&stored->base);
    return good;
}

/*  --- tasks --- */

packed_t stored_task_encode (const task_t *task)
{
    Musubi__StoredTask stored = MUSUBI__STORED_TASK__INIT;
    stored.state = (Musubi__TaskState) task->state;
    stored.stop = task->stop;
    stored.tries = task->tries;
    stored.node = task->node_name;
    stored.until_ms = task->seat.until_ms;
    stored.booked = task->seat.booked;
    stored.started_ms = task->started_ms;
    stored.ended_ms = task->ended_ms;
    stored.exit_code = task->exit_code;
    stored.signal = task->signal;
    stored.cpu_ms = task->cpu_ms;
    stored.dropped = task->dropped;
    stored.why = task->why;
    stored.told = task->told;
    Musubi__Txid move;
    if (task->trip) {
        txid_put (&move, &task->trip->move);
        stored.move = &move;
        stored.site = task->trip->site;
    }
    return packed_of (&stored.base);
}

static bool trip_take_stored (task_t *task, const Musubi__StoredTask *stored, char why [WHY_BYTES])
{
    trip_t trip;
    if (!txid_take (&trip.move, stored->move, "move", why) ||
        !text_take (trip.site, NAME_BYTES_MAX, stored->site, TEXT_WORD, "site", why))
        return false;
    task->trip = must (malloc (sizeof trip));
    *task->trip = trip;
    return true;
}

static bool task_take_stored (task_t *task, const Musubi__StoredTask *stored, char why [WHY_BYTES])
{
    char node [NAME_BYTES_MAX + 1];
    if ((unsigned) stored->state >= TASK_STATES)
        return wrong (why, "state: %d is not known", (int) stored->state);
    if (stored->stop >= STOPS)
        return wrong (why, "stop: %u is not known", stored->stop);
    if (!text_take (node, NAME_BYTES_MAX, stored->node, TEXT_WORD_OR_NONE, "node", why))
        return false;
    if (stored->move && !trip_take_stored (task, stored, why))
        return false;
    if (stored->state == MUSUBI__TASK_STATE__TASK_AWAY && !stored->move)
        return wrong (why, "move: missing, and the task is away");
    task->told = stored->told;
    task->stop = (stop_t) stored->stop;
    task->tries = stored->tries;
    task_text (&task->node_name, node);
    task->seat.until_ms = stored->until_ms;
    task->seat.booked = stored->booked;
    task->started_ms = stored->started_ms;
    task->ended_ms = stored->ended_ms;
    task->exit_code = stored->exit_code;
    task->signal = stored->signal;
    task->cpu_ms = stored->cpu_ms;
    task->dropped = stored->dropped;
    task_text (&task->why, stored->why);
    task->state = (task_state_t) stored->state;
    return true;
}

bool stored_task_decode (task_t *task, bytes_t record, char why [WHY_BYTES])
{
    Musubi__StoredTask *stored =
      (Musubi__StoredTask *) message_unpack (&musubi__stored_task__descriptor, record);
    if (!stored)
        return wrong (why, "not a StoredTask");
    bool good = task_take_stored (task, stored, why);
    message_free (&stored->base);
    return good;
}
