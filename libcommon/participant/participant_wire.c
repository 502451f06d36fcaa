/*  participant_wire - questions to a participant, its answers of many records, and the records it
 *  keeps, to and from proto/transaction.proto.
 */
#include "participant_state.h"
#include "transaction_wire.h"

#include "message.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES_MAX (BODY_BYTES_MAX - 65536) /* of records; the rest is for the envelope */

static_assert ((int) RESERVATION_FAILED == MUSUBI__RESERVATION_STATE__FAILED, "same numbers");

bool part_empty (bytes_t part)
{
    return part.size == 0; /* a message without a field set packs to nothing */
}

/*  --- records --- */

static packed_t encode_command (const command_t *self, bool plan, bool part)
{
    Musubi__StoredCommand record = MUSUBI__STORED_COMMAND__INIT;
    if (plan)
        record.plan = (ProtobufCBinaryData){.len = self->plan.size, .data = self->plan.data};
    record.state = (Musubi__CommandState) self->state;
    record.part_kind = self->part_kind;
    if (part)
        record.part = (ProtobufCBinaryData){.len = self->part.size, .data = self->part.data};
    record.held_ms = self->held_ms;
    record.expires_ms = self->expires_ms;
    record.prepared_ms = self->prepared_ms;
    record.until_ms = self->until_ms;
    record.late = self->late;
    record.done = self->done;
    record.amended = self->amended;
    record.epoch = self->epoch;
    record.fenced_by = (char *) self->fenced_by;
    return packed_of (&record.base);
}

packed_t command_record_encode (const command_t *self)
{
    return encode_command (self, true, true);
}

packed_t command_row_encode (const command_t *self)
{
    return encode_command (self, self->plan_untold, self->part_untold);
}

static bool state_stored (Musubi__CommandState state)
{
    return state > MUSUBI__COMMAND_STATE__UNKNOWN && state <= MUSUBI__COMMAND_STATE__EDGE_REFUSED &&
           state != MUSUBI__COMMAND_STATE__REJECTED;
}

static bool command_record_take (command_record_t *to, const Musubi__StoredCommand *from,
                                 char why [WHY_BYTES])
{
    if (!state_stored (from->state))
        return wrong (why, "state: %d is none", (int) from->state);
    if (!time_valid (from->held_ms) || !time_valid (from->expires_ms) ||
        !time_valid (from->prepared_ms) || !time_valid (from->until_ms))
        return wrong (why, "times: beyond the year 9999");
    if (!text_take (to->fenced_by, NAME_BYTES_MAX, from->fenced_by, TEXT_WORD_OR_NONE, "fenced_by",
                    why))
        return false;
    if ((from->epoch > 0) != (*to->fenced_by != '\0'))
        return wrong (why, "epoch: with nobody who fenced, or the other way round");
    if (from->plan.len > 0) {
        bytes_t plan = {.data = from->plan.data, .size = from->plan.len};
        if (!plan_decode (&to->plan, plan, why))
            return false;
        to->plan_set = true;
    }
    to->state = (command_state_t) from->state;
    to->part_kind = (part_kind_t) from->part_kind;
    to->part = unpacked_copy (from->part);
    to->held_ms = from->held_ms;
    to->expires_ms = from->expires_ms;
    to->prepared_ms = from->prepared_ms;
    to->until_ms = from->until_ms;
    to->late = from->late;
    to->done = from->done;
    to->amended = from->amended;
    to->epoch = from->epoch;
    return true;
}

bool command_record_decode (command_record_t *record, bytes_t value, char why [WHY_BYTES])
{
    *record = (command_record_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__stored_command__descriptor, value);
    if (!message)
        return wrong (why, "not a StoredCommand");
    bool good = command_record_take (record, (Musubi__StoredCommand *) message, why);
    message_free (message);
    return good;
}

void command_record_clear (command_record_t *record)
{
    if (record->plan_set)
        plan_clear (&record->plan);
    free (record->part.data);
    *record = (command_record_t){0};
}

packed_t reservation_record_encode (const reservation_t *self)
{
    Musubi__StoredReservation record = MUSUBI__STORED_RESERVATION__INIT;
    Musubi__Txid made_by;
    txid_put (&made_by, &self->made_by);
    record.owner = (char *) self->owner;
    record.version = self->version;
    record.made_by = &made_by;
    record.part_kind = self->part_kind;
    record.part = (ProtobufCBinaryData){.len = self->part.size, .data = self->part.data};
    record.released = self->released;
    record.failed = self->failed;
    record.until_ms = self->keep_ms;
    record.plan = (ProtobufCBinaryData){.len = self->plan.size, .data = self->plan.data};
    return packed_of (&record.base);
}

static bool reservation_record_take (reservation_record_t *to,
                                     const Musubi__StoredReservation *from, char why [WHY_BYTES])
{
    if (!text_take (to->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD, "owner", why) ||
        !txid_take (&to->made_by, from->made_by, "made_by", why))
        return false;
    if (from->version == 0)
        return wrong (why, "version: missing");
    if (!time_valid (from->until_ms))
        return wrong (why, "until_ms: beyond the year 9999");
    if ((from->released || from->failed) && from->part.len > 0)
        return wrong (why, "part: of a reservation that has ended");
    if (from->plan.len > 0) {
        plan_t plan;
        if (!plan_decode (&plan, (bytes_t){.data = from->plan.data, .size = from->plan.len}, why))
            return false;
        plan_clear (&plan);
    }
    to->version = from->version;
    to->part_kind = (part_kind_t) from->part_kind;
    to->part = unpacked_copy (from->part);
    to->plan = unpacked_copy (from->plan);
    to->released = from->released;
    to->failed = from->failed;
    to->until_ms = from->until_ms;
    return true;
}

bool reservation_record_decode (reservation_record_t *record, bytes_t value, char why [WHY_BYTES])
{
    *record = (reservation_record_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__stored_reservation__descriptor, value);
    if (!message)
        return wrong (why, "not a StoredReservation");
    bool good = reservation_record_take (record, (Musubi__StoredReservation *) message, why);
    message_free (message);
    return good;
}

void reservation_record_clear (reservation_record_t *record)
{
    free (record->part.data);
    free (record->plan.data);
    *record = (reservation_record_t){0};
}

/*  --- questions --- */

bool show_decode (bytes_t body, char reservation [NAME_BYTES_MAX + 1], char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__show_request__descriptor, body);
    if (!message)
        return wrong (why, "not a ShowRequest");
    bool good =
      text_take (reservation, NAME_BYTES_MAX, ((Musubi__ShowRequest *) message)->reservation,
                 TEXT_WORD, "reservation", why);
    message_free (message);
    return good;
}

static bool list_take (list_question_t *to, const Musubi__ListRequest *from, char why [WHY_BYTES])
{
    if (!text_take (to->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD_OR_NONE, "owner", why) ||
        !text_take (to->after, NAME_BYTES_MAX, from->after, TEXT_WORD_OR_NONE, "after", why))
        return false;
    to->from_ms = from->from_ms;
    to->until_ms = from->until_ms;
    to->most = from->most;
    bool all = to->from_ms == 0 && to->until_ms == 0;
    if (!time_valid (to->from_ms) || !time_valid (to->until_ms) ||
        (!all && to->from_ms >= to->until_ms))
        return wrong (why, "from_ms: not an interval [from, until)");
    return true;
}

bool list_decode (list_question_t *question, bytes_t body, char why [WHY_BYTES])
{
    *question = (list_question_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__list_request__descriptor, body);
    if (!message)
        return wrong (why, "not a ListRequest");
    bool good = list_take (question, (Musubi__ListRequest *) message, why);
    message_free (message);
    return good;
}

bool commands_decode (commands_question_t *question, bytes_t body, char why [WHY_BYTES])
{
    *question = (commands_question_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__commands_request__descriptor, body);
    if (!message)
        return wrong (why, "not a CommandsRequest");
    const Musubi__CommandsRequest *request = (Musubi__CommandsRequest *) message;
    question->most = request->most;
    question->after_set = request->after != NULL;
    question->only_set = request->only != NULL;
    bool good = (!request->after || txid_take (&question->after, request->after, "after", why)) &&
                (!request->only || txid_take (&question->only, request->only, "only", why));
    message_free (message);
    return good;
}

/*  --- pages --- */

/*  One record with what it points to: plan, part and opening are unpacked from the bytes kept. */
typedef struct {
    Musubi__PartRecord record;
    Musubi__CommandRecord command;
    Musubi__Txid pending;
    ProtobufCMessage *plan;
    ProtobufCMessage *part;
    ProtobufCMessage *opening;
} entry_t;

struct page {
    entry_t **entries;
    size_t count;
    size_t most;
    size_t bytes;
};

page_t *page_new (uint32_t most)
{
    assert (most > 0);
    page_t *self = must (calloc (1, sizeof *self));
    self->most = most;
    return self;
}

static void entry_free (entry_t *entry)
{
    message_free (entry->plan);
    message_free (entry->part);
    message_free (entry->opening);
    free (entry);
}

void page_destroy (page_t **self_p)
{
    page_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++)
        entry_free (self->entries [i]);
    free (self->entries);
    free (self);
    *self_p = NULL;
}

static ProtobufCMessage *unpack_plan (packed_t packed)
{
    if (packed.size == 0)
        return NULL;
    bytes_t plan = {.data = packed.data, .size = packed.size};
    return message_unpack (&musubi__plan__descriptor, plan);
}

/*  NULL unless it is a part that is told: what is claimed is the home's business. */
static ProtobufCMessage *unpack_part (part_kind_t kind, packed_t part)
{
    if ((kind != PART_COMPUTE && kind != PART_NETWORK) || part.size == 0)
        return NULL;
    return message_unpack (part_descriptor (kind), (bytes_t){.data = part.data, .size = part.size});
}

/*  Keeps the entry, or ends it when the page is full. A first one always fits: see the limits. */
static bool page_keep (page_t *self, entry_t *entry, const ProtobufCMessage *message)
{
    size_t bytes = protobuf_c_message_get_packed_size (message) + 8; /* tag and length */
    if (self->count == self->most || (self->count > 0 && self->bytes + bytes > PAGE_BYTES_MAX)) {
        entry_free (entry);
        return false;
    }
    self->entries = must (realloc (self->entries, (self->count + 1) * sizeof (entry_t *)));
    self->entries [self->count++] = entry;
    self->bytes += bytes;
    return true;
}

static void put_pending (entry_t *entry, const command_t *pending)
{
    txid_put (&entry->pending, &pending->txid);
    entry->record.pending = &entry->pending;
    entry->record.pending_state = (Musubi__CommandState) pending->state;
    entry->record.pending_operation = (Musubi__Operation) pending->operation;
}

static void put_usage (entry_t *entry, const part_view_t *view)
{
    const usage_t *usage = view->usage;
    const char *id = view->reservation->id;
    entry->record.provisioned = usage->provisioned && usage->provisioned (usage->owner, id);
    if (!usage->opening)
        return;
    packed_t opening = usage->opening (usage->owner, view->now, id, view->whole);
    if (opening.size > 0)
        entry->opening = message_unpack (&musubi__opening_record__descriptor,
                                         (bytes_t){.data = opening.data, .size = opening.size});
    entry->record.opening = (Musubi__OpeningRecord *) entry->opening;
    free (opening.data);
}

bool page_add_part (page_t *self, const part_view_t *view)
{
    const reservation_t *reservation = view->reservation;
    entry_t *entry = must (calloc (1, sizeof *entry));
    Musubi__PartRecord *record = &entry->record;
    musubi__part_record__init (record);
    record->participant = (char *) view->participant;
    record->reservation = (char *) reservation->id;
    record->version = reservation->version;
    record->state = (Musubi__ReservationState) view->state;
    if (reservation->version > 0)
        record->done = view->by && view->by->done;
    if (reservation->pending)
        put_pending (entry, reservation->pending);
    if (view->details) {
        record->owner = (char *) reservation->owner;
        put_usage (entry, view);
        entry->plan = unpack_plan (view->by ? view->by->plan : reservation->plan);
        record->plan = (Musubi__Plan *) entry->plan;
        entry->part = unpack_part (reservation->part_kind, reservation->part);
        if (entry->part && reservation->part_kind == PART_NETWORK) {
            record->n_circuits = ((Musubi__NetworkPart *) entry->part)->n_circuits;
            record->circuits = ((Musubi__NetworkPart *) entry->part)->circuits;
        } else if (entry->part) {
            record->n_bookings = ((Musubi__ComputePart *) entry->part)->n_bookings;
            record->bookings = ((Musubi__ComputePart *) entry->part)->bookings;
        }
    }
    return page_keep (self, entry, &record->base);
}

bool page_add_command (page_t *self, const command_t *command)
{
    entry_t *entry = must (calloc (1, sizeof *entry));
    Musubi__CommandRecord *record = &entry->command;
    musubi__command_record__init (record);
    entry->plan = unpack_plan (command->plan);
    record->plan = (Musubi__Plan *) entry->plan;
    record->state = (Musubi__CommandState) command->state;
    entry->part = unpack_part (command->part_kind, command->part);
    if (entry->part && command->part_kind == PART_NETWORK) {
        record->n_circuits = ((Musubi__NetworkPart *) entry->part)->n_circuits;
        record->circuits = ((Musubi__NetworkPart *) entry->part)->circuits;
    } else if (entry->part) {
        record->n_bookings = ((Musubi__ComputePart *) entry->part)->n_bookings;
        record->bookings = ((Musubi__ComputePart *) entry->part)->bookings;
    }
    record->done = command->done;
    record->prepared_ms = command->prepared_ms;
    record->held_ms = command->held_ms;
    record->epoch = command->epoch;
    record->fenced_by = (char *) command->fenced_by;
    return page_keep (self, entry, &record->base);
}

packed_t page_show_encode (const page_t *self)
{
    Musubi__ShowAnswer answer = MUSUBI__SHOW_ANSWER__INIT;
    if (self->count > 0)
        answer.record = &self->entries [0]->record;
    return packed_of (&answer.base);
}

packed_t page_list_encode (const page_t *self, const char *next)
{
    Musubi__ListAnswer answer = MUSUBI__LIST_ANSWER__INIT;
    Musubi__PartRecord **records =
      must (malloc ((self->count + 1) * sizeof (Musubi__PartRecord *)));
    for (size_t i = 0; i < self->count; i++)
        records [i] = &self->entries [i]->record;
    answer.n_records = self->count;
    answer.records = records;
    answer.more = next != NULL;
    if (next)
        answer.next = (char *) next;
    packed_t packed = packed_of (&answer.base);
    free (records);
    return packed;
}

packed_t page_commands_encode (const page_t *self, const txid_t *next)
{
    Musubi__CommandsAnswer answer = MUSUBI__COMMANDS_ANSWER__INIT;
    Musubi__CommandRecord **commands =
      must (malloc ((self->count + 1) * sizeof (Musubi__CommandRecord *)));
    for (size_t i = 0; i < self->count; i++)
        commands [i] = &self->entries [i]->command;
    answer.n_commands = self->count;
    answer.commands = commands;
    Musubi__Txid next_wire;
    if (next) {
        txid_put (&next_wire, next);
        answer.next = &next_wire;
        answer.more = true;
    }
    packed_t packed = packed_of (&answer.base);
    free (commands);
    return packed;
}
