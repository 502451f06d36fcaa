/*  node_work_wire - protobuf <-> plain values. */
#include "node_work.h"

#include "agent.pb-c.h"
#include "message.h"
#include "must.h"
#include "runs_wire.h"
#include "transaction_wire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) STAND_NONE == MUSUBI__STAND__STAND_NONE &&
                 (int) STAND_RUNNING == MUSUBI__STAND__STAND_RUNNING &&
                 (int) STAND_ENDED == MUSUBI__STAND__STAND_ENDED &&
                 (int) STAND_REFUSED == MUSUBI__STAND__STAND_REFUSED &&
                 (int) STAND_LOST == MUSUBI__STAND__STAND_LOST,
               "same numbers");

const char *run_name (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                      char name [RUN_NAME_BYTES_MAX + 1])
{
    int used = 0;
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        used += snprintf (name + used, RUN_NAME_BYTES_MAX + 1 - (size_t) used, "%02x", site [i]);
    snprintf (name + used, RUN_NAME_BYTES_MAX + 1 - (size_t) used,
              "-%" PRIu64 ".%" PRIu32 ".%" PRIu32, id->task.bag, id->task.index, id->number);
    return name;
}

bool run_name_parse (const char *name, uint8_t site [STORE_ID_BYTES], run_id_t *id)
{
    char again [RUN_NAME_BYTES_MAX + 1];
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        if (sscanf (name + 2 * i, "%2hhx", &site [i]) != 1)
            return false;
    if (sscanf (name + 2 * STORE_ID_BYTES, "-%" SCNu64 ".%" SCNu32 ".%" SCNu32, &id->task.bag,
                &id->task.index, &id->number) != 3)
        return false;
    return strcmp (run_name (site, id, again), name) == 0;
}

/*  A name becomes a path: nothing in it may lead elsewhere. */
static bool name_take (char to [RUN_NAME_BYTES_MAX + 1], const char *from, char why [WHY_BYTES])
{
    if (!text_take (to, RUN_NAME_BYTES_MAX, from, TEXT_WORD, "name", why))
        return false;
    if (strchr (to, '/') || *to == '.')
        return wrong (why, "name: \"%.60s\" is not one of a run's folder", to);
    return true;
}

/*  --- stands --- */

static void stand_put (Musubi__RunStand *to, const stand_t *from)
{
    musubi__run_stand__init (to);
    to->name = (char *) from->name;
    to->state = (Musubi__Stand) from->state;
    to->started_ms = from->started_ms;
    to->ended_ms = from->ended_ms;
    to->exit_code = from->exit_code;
    to->signal = from->signal;
    to->cpu_ms = from->cpu_ms;
    to->dropped = from->dropped;
    to->why = (char *) from->why;
    to->node_unfit = from->node_unfit;
}

static bool stand_take (stand_t *to, const Musubi__RunStand *from, char why [WHY_BYTES])
{
    *to = (stand_t){0};
    if (!name_take (to->name, from->name, why) ||
        !sentence_take (to->why, RUN_WHY_BYTES_MAX, from->why, "why", why))
        return false;
    if (!enum_valid ((int) from->state, STAND_LOST))
        return wrong (why, "state: %d is not known", (int) from->state);
    if (!time_valid (from->started_ms) || !time_valid (from->ended_ms) || from->cpu_ms < 0)
        return wrong (why, "%s: a time is out of range", to->name);
    to->state = (stand_state_t) from->state;
    to->started_ms = from->started_ms;
    to->ended_ms = from->ended_ms;
    to->exit_code = from->exit_code;
    to->signal = from->signal;
    to->cpu_ms = from->cpu_ms;
    to->dropped = from->dropped;
    to->node_unfit = from->node_unfit;
    return true;
}

/*  A program may be called anything, and its name may have been cut: readers take neither control
 *  characters nor broken ones. */
static void sentence_clean (char *text)
{
    bool valid = utf8_valid (text);
    for (; *text; text++)
        if ((uint8_t) *text < ' ' || *text == 0x7f || (!valid && (*text & 0x80)))
            *text = '?';
}

packed_t stand_encode (const stand_t *stand)
{
    Musubi__RunStand message;
    stand_t clean = *stand;
    sentence_clean (clean.why);
    stand_put (&message, &clean);
    return packed_of (&message.base);
}

bool stand_decode (stand_t *stand, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__run_stand__descriptor, body);
    if (!message)
        return wrong (why, "not a RunStand");
    bool taken = stand_take (stand, (const Musubi__RunStand *) message, why);
    message_free (message);
    return taken;
}

/*  --- tickets --- */

typedef struct {
    Musubi__RunTicket message;
    run_id_wire_t id;
    run_order_wire_t order;
} ticket_wire_t;

static void ticket_put (ticket_wire_t *to, const ticket_t *from)
{
    musubi__run_ticket__init (&to->message);
    run_id_put (&to->id, &from->id);
    run_order_put (&to->order, from->order);
    to->message.name = (char *) from->name;
    to->message.run = &to->id.id;
    to->message.site = (char *) from->site;
    to->message.node = (char *) from->node;
    to->message.order = &to->order.order;
    to->message.output_bytes_max = from->output_bytes_max;
    to->message.room_bytes_least = from->room_bytes_least;
}

/*  What a ticket borrows while it is taken. */
typedef struct {
    char name [RUN_NAME_BYTES_MAX + 1];
    char site [NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    run_order_t *order;
} ticket_room_t;

static bool ticket_take (ticket_t *to, ticket_room_t *room, const Musubi__RunTicket *from,
                         char why [WHY_BYTES])
{
    *room = (ticket_room_t){0};
    if (!name_take (room->name, from->name, why) ||
        !text_take (room->site, NAME_BYTES_MAX, from->site, TEXT_WORD_OR_NONE, "site", why) ||
        !text_take (room->node, NAME_BYTES_MAX, from->node, TEXT_WORD, "node", why) ||
        !run_id_take (&to->id, from->run, "run", why))
        return false;
    room->order = run_order_take (from->order, why);
    if (!room->order)
        return false;
    to->name = room->name;
    to->site = room->site;
    to->node = room->node;
    to->order = room->order;
    to->output_bytes_max = from->output_bytes_max > 0 ? from->output_bytes_max : OUTPUT_BYTES_MAX;
    to->room_bytes_least = from->room_bytes_least;
    return true;
}

packed_t ticket_encode (const ticket_t *ticket)
{
    ticket_wire_t wire;
    ticket_put (&wire, ticket);
    return packed_of (&wire.message.base);
}

bool ticket_decode (bytes_t body, bool (*take) (void *owner, const ticket_t *ticket), void *owner,
                    char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__run_ticket__descriptor, body);
    if (!message)
        return wrong (why, "not a RunTicket");
    ticket_t ticket;
    ticket_room_t room;
    bool taken = ticket_take (&ticket, &room, (const Musubi__RunTicket *) message, why);
    message_free (message);
    taken = taken && take (owner, &ticket);
    free (room.order);
    return taken;
}

/*  --- orders of work --- */

packed_t work_order_encode (const work_order_t *order)
{
    Musubi__NodeWork work = MUSUBI__NODE_WORK__INIT;
    ticket_wire_t ticket;
    work.runs = (char *) order->runs;
    work.n_names = order->names_count;
    work.names = (char **) order->names;
    if (order->ticket.name) {
        ticket_put (&ticket, &order->ticket);
        work.ticket = &ticket.message;
    }
    work.lease_ms = order->lease_ms;
    if (order->endpoint)
        work.endpoint = (char *) order->endpoint;
    work.warn = order->warn;
    work.grace_ms = order->grace_ms;
    work.force = order->force;
    work.errors = order->errors;
    work.offset = order->offset;
    work.most = order->most;
    work.keep_ms = order->keep_ms;
    return packed_of (&work.base);
}

static bool names_right (const Musubi__NodeWork *work, char why [WHY_BYTES])
{
    char name [RUN_NAME_BYTES_MAX + 1];
    if (work->n_names > WORK_NAMES_MAX)
        return wrong (why, "names: more than %d", WORK_NAMES_MAX);
    for (size_t i = 0; i < work->n_names; i++)
        if (!name_take (name, work->names [i], why))
            return false;
    return true;
}

bool work_order_decode (bytes_t body, bool (*take) (void *owner, const work_order_t *order),
                        void *owner, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__node_work__descriptor, body);
    if (!message)
        return wrong (why, "not a NodeWork");
    const Musubi__NodeWork *work = (const Musubi__NodeWork *) message;
    ticket_room_t room = {0};
    work_order_t order = {.runs = work->runs,
                          .names = (const char *const *) work->names,
                          .names_count = work->n_names,
                          .lease_ms = work->lease_ms,
                          .endpoint = work->endpoint,
                          .warn = work->warn,
                          .grace_ms = work->grace_ms,
                          .force = work->force,
                          .errors = work->errors,
                          .offset = work->offset,
                          .most = work->most,
                          .keep_ms = work->keep_ms};
    bool taken = names_right (work, why) &&
                 (!work->ticket || ticket_take (&order.ticket, &room, work->ticket, why)) &&
                 take (owner, &order);
    free (room.order);
    message_free (message);
    return taken;
}

/*  --- results --- */

packed_t work_result_encode (const work_result_t *result)
{
    Musubi__NodeWorkResult message = MUSUBI__NODE_WORK_RESULT__INIT;
    Musubi__RunStand **list = messages_new (&musubi__run_stand__descriptor, result->stands_count);
    for (size_t i = 0; i < result->stands_count; i++)
        stand_put (list [i], &result->stands [i]);
    message.n_stands = result->stands_count;
    message.stands = list;
    message.data =
      (ProtobufCBinaryData){.len = result->data.size, .data = (uint8_t *) result->data.data};
    message.size = result->size;
    if (result->why)
        message.why = (char *) result->why;
    packed_t packed = packed_of (&message.base);
    free (list);
    return packed;
}

void work_result_clear (work_result_t *self)
{
    free (self->stands);
    free ((uint8_t *) self->data.data);
    free ((char *) self->why);
    *self = (work_result_t){0};
}

static bool result_take (work_result_t *to, const Musubi__NodeWorkResult *from,
                         char why [WHY_BYTES])
{
    to->stands = must (calloc (from->n_stands + 1, sizeof *to->stands));
    to->stands_count = from->n_stands;
    for (size_t i = 0; i < from->n_stands; i++)
        if (!stand_take (&to->stands [i], from->stands [i], why))
            return false;
    uint8_t *data = must (malloc (from->data.len + 1));
    if (from->data.len > 0)
        memcpy (data, from->data.data, from->data.len);
    to->data = (bytes_t){.data = data, .size = from->data.len};
    to->size = from->size;
    to->why = must (strdup (from->why));
    return true;
}

bool work_result_decode (work_result_t *result, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__node_work_result__descriptor, body);
    if (!message)
        return wrong (why, "not a NodeWorkResult");
    *result = (work_result_t){0};
    bool taken = result_take (result, (const Musubi__NodeWorkResult *) message, why);
    message_free (message);
    if (!taken)
        work_result_clear (result);
    return taken;
}

/*  --- Agent.Ended --- */

packed_t ended_encode (const char *name)
{
    Musubi__EndedRequest request = MUSUBI__ENDED_REQUEST__INIT;
    request.name = (char *) name;
    return packed_of (&request.base);
}

bool ended_decode (bytes_t body, char name [RUN_NAME_BYTES_MAX + 1], char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__ended_request__descriptor, body);
    if (!message)
        return wrong (why, "not an EndedRequest");
    bool taken = name_take (name, ((const Musubi__EndedRequest *) message)->name, why);
    message_free (message);
    return taken;
}

packed_t ended_answer_encode (void)
{
    Musubi__EndedAnswer answer = MUSUBI__ENDED_ANSWER__INIT;
    return packed_of (&answer.base);
}
