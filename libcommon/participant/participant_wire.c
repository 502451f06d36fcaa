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

/*  --- records --- */

static const codec_row_t command_record_rows [] = {
  ROW_BYTES ("plan", command_record_t, plan.data, plan.size, RECORD_BYTES_MAX),
  ROW_ENUM ("state", command_record_t, state, COMMAND_EDGE_REFUSED, FROM (COMMAND_HELD)),
  ROW_NUMBER ("part_kind", command_record_t, part_kind),
  ROW_BYTES ("part", command_record_t, part.data, part.size, RECORD_BYTES_MAX),
  ROW_TIME ("held_ms", command_record_t, held_ms),
  ROW_TIME ("expires_ms", command_record_t, expires_ms),
  ROW_TIME ("prepared_ms", command_record_t, prepared_ms),
  ROW_TIME ("until_ms", command_record_t, until_ms),
  ROW_FLAG ("late", command_record_t, late),
  ROW_FLAG ("done", command_record_t, done),
  ROW_NUMBER ("epoch", command_record_t, epoch),
  ROW_WORD ("fenced_by", command_record_t, fenced_by, OR_NONE),
  ROW_FLAG ("amended", command_record_t, amended),
};

static bool command_record_rule (void *self, char why [WHY_BYTES])
{
    const command_record_t *record = self;
    if (record->state == COMMAND_REJECTED)
        return wrong (why, "state: a rejected command is never stored");
    return (record->epoch > 0) == (*record->fenced_by != '\0') ||
           wrong (why, "epoch: epoch and fenced_by must be given together");
}

const codec_t command_record_codec =
  CODEC_RULED (command_record_t, stored_command, command_record_rows, command_record_rule);

static packed_t encode_command (const command_t *self, bool plan, bool part)
{
    command_record_t record = {.plan = plan ? self->plan : (packed_t){0},
                               .state = self->state,
                               .part_kind = self->part_kind,
                               .part = part ? self->part : (packed_t){0},
                               .held_ms = self->held_ms,
                               .expires_ms = self->expires_ms,
                               .prepared_ms = self->prepared_ms,
                               .until_ms = self->until_ms,
                               .late = self->late,
                               .done = self->done,
                               .epoch = self->epoch,
                               .amended = self->amended};
    memcpy (record.fenced_by, self->fenced_by, sizeof record.fenced_by);
    return codec_encode (&command_record_codec, &record);
}

packed_t command_record_encode (const command_t *self)
{
    return encode_command (self, true, true);
}

packed_t command_row_encode (const command_t *self)
{
    return encode_command (self, self->plan_untold, self->part_untold);
}

static const codec_row_t reservation_record_rows [] = {
  ROW_WORD ("owner", reservation_record_t, owner),
  ROW_NUMBER ("version", reservation_record_t, version, LEAST (1)),
  ROW_ONE ("made_by", reservation_record_t, made_by, txid),
  ROW_NUMBER ("part_kind", reservation_record_t, part_kind),
  ROW_BYTES ("part", reservation_record_t, part.data, part.size, RECORD_BYTES_MAX),
  ROW_FLAG ("released", reservation_record_t, released),
  ROW_FLAG ("failed", reservation_record_t, failed),
  ROW_TIME ("until_ms", reservation_record_t, until_ms),
  ROW_BYTES ("plan", reservation_record_t, plan.data, plan.size, RECORD_BYTES_MAX,
             OF (&plan_codec)),
  ROW_BYTES ("was", reservation_record_t, was.data, was.size, RECORD_BYTES_MAX),
};

static bool reservation_record_rule (void *self, char why [WHY_BYTES])
{
    const reservation_record_t *record = self;
    return !(record->released || record->failed) || record->part.size == 0 ||
           wrong (why, "part: must be empty once the reservation has ended");
}

const codec_t reservation_record_codec = CODEC_RULED (
  reservation_record_t, stored_reservation, reservation_record_rows, reservation_record_rule);

packed_t reservation_record_encode (const reservation_t *self)
{
    reservation_record_t record = {.version = self->version,
                                   .made_by = self->made_by,
                                   .part_kind = self->part_kind,
                                   .part = self->part,
                                   .was = self->was,
                                   .plan = self->plan,
                                   .released = self->released,
                                   .failed = self->failed,
                                   .until_ms = self->keep_ms};
    strcpy (record.owner, self->owner);
    return codec_encode (&reservation_record_codec, &record);
}

/*  --- pages --- */

/*  Records, with the plans, parts and openings that they point to, unpacked from the bytes kept. */
struct page {
    arena_t arena;
    ProtobufCMessage **records;
    size_t count;
    size_t most;
    size_t bytes;
};

page_t *page_new (uint32_t most)
{
    assert (most > 0);
    page_t *self = must (malloc (sizeof *self));
    arena_init (&self->arena);
    self->records = NULL;
    self->count = self->bytes = 0;
    self->most = most;
    return self;
}

void page_destroy (page_t **self_p)
{
    page_t *self = *self_p;
    if (!self)
        return;
    arena_end (&self->arena);
    free (self->records);
    free (self);
    *self_p = NULL;
}

static void *page_unpack (page_t *self, const ProtobufCMessageDescriptor *descriptor,
                          packed_t packed)
{
    bytes_t bytes = packed_bytes (packed);
    return packed.size > 0 ? message_unpack_in (descriptor, bytes, &self->arena.allocator) : NULL;
}

/*  NULL for a part that is not shown: claims are the home's own business. */
static void *page_part (page_t *self, part_kind_t kind, part_kind_t told, packed_t part)
{
    return kind == told ? page_unpack (self, part_codec (kind)->message, part) : NULL;
}

/*  What a part books. */
static void page_holding (page_t *self, part_kind_t kind, packed_t part, Musubi__Holding *to)
{
    const Musubi__NetworkPart *network = page_part (self, kind, PART_NETWORK, part);
    const Musubi__ComputePart *compute = page_part (self, kind, PART_COMPUTE, part);
    const Musubi__SpacePart *space = page_part (self, kind, PART_SPACE, part);
    musubi__holding__init (to);
    to->n_circuits = network ? network->n_circuits : 0;
    to->circuits = network ? network->circuits : NULL;
    to->n_bookings = compute ? compute->n_bookings : 0;
    to->bookings = compute ? compute->bookings : NULL;
    to->n_space = space ? space->n_bookings : 0;
    to->space = space ? space->bookings : NULL;
}

/*  False when the page is full. A first one always fits: see the limits. */
static bool page_keep (page_t *self, ProtobufCMessage *record)
{
    size_t bytes = protobuf_c_message_get_packed_size (record) + 8; /* tag and length */
    if (self->count == self->most || (self->count > 0 && self->bytes + bytes > PAGE_BYTES_MAX))
        return false;
    self->records = must (realloc (self->records, (self->count + 1) * sizeof *self->records));
    self->records [self->count++] = record;
    self->bytes += bytes;
    return true;
}

static void put_pending (page_t *self, Musubi__PartRecord *record, const command_t *pending)
{
    record->pending = codec_put (&txid_codec, &pending->txid, &self->arena);
    record->pending_state = (Musubi__CommandState) pending->state;
    record->pending_operation = (Musubi__Operation) pending->operation;
}

static void put_staged (page_t *self, Musubi__PartRecord *record, const part_view_t *view)
{
    const usage_t *usage = view->usage;
    staged_file_t *files = NULL;
    size_t count = usage->staged
                     ? usage->staged (usage->staged_owner, view->now, view->reservation->id, &files)
                     : 0;
    staged_file_t *kept = arena_take (&self->arena, count * sizeof *kept);
    record->staged = arena_take (&self->arena, count * sizeof *record->staged);
    for (size_t i = 0; i < count; i++) {
        kept [i] = files [i];
        record->staged [record->n_staged++] =
          codec_put (&staged_file_codec, &kept [i], &self->arena);
    }
    free (files);
}

static void put_usage (page_t *self, Musubi__PartRecord *record, const part_view_t *view)
{
    const usage_t *usage = view->usage;
    const char *id = view->reservation->id;
    record->provisioned = usage->provisioned && usage->provisioned (usage->owner, id);
    put_staged (self, record, view);
    if (usage->circuits) {
        record->circuit_trouble = arena_take (&self->arena, WHY_BYTES);
        record->circuit_state = (Musubi__CircuitState) usage->circuits (
          usage->owner, id, &record->circuit_wait_us, record->circuit_trouble);
    }
    packed_t opening = {0};
    if (usage->opening)
        opening = usage->opening (usage->owner, view->now, id, view->whole);
    if (opening.size > 0)
        record->opening = page_unpack (self, &musubi__opening_record__descriptor, opening);
    record->lacking = view->lacks && opening.size == 0;
    free (opening.data);
}

bool page_add_part (page_t *self, const part_view_t *view)
{
    const reservation_t *reservation = view->reservation;
    Musubi__Holding holding;
    Musubi__PartRecord *record = arena_take (&self->arena, sizeof *record);
    musubi__part_record__init (record);
    record->participant = (char *) view->participant;
    record->reservation = (char *) reservation->id;
    record->version = reservation->version;
    record->state = (Musubi__ReservationState) view->state;
    if (reservation->version > 0)
        record->done = view->shelved || (view->by && view->by->done);
    if (reservation->pending)
        put_pending (self, record, reservation->pending);
    if (view->details) {
        record->owner = (char *) reservation->owner;
        if (reservation->was.size > 0) {
            record->was = arena_take (&self->arena, sizeof *record->was);
            page_holding (self, reservation->part_kind, reservation->was, record->was);
        }
        put_usage (self, record, view);
        record->plan = page_unpack (self, &musubi__plan__descriptor,
                                    view->by ? view->by->plan : reservation->plan);
        page_holding (self, reservation->part_kind, reservation->part, &holding);
        record->n_circuits = holding.n_circuits;
        record->circuits = holding.circuits;
        record->n_bookings = holding.n_bookings;
        record->bookings = holding.bookings;
        record->n_space = holding.n_space;
        record->space = holding.space;
    }
    return page_keep (self, &record->base);
}

bool page_add_command (page_t *self, const command_t *command)
{
    Musubi__Holding holding;
    Musubi__CommandRecord *record = arena_take (&self->arena, sizeof *record);
    musubi__command_record__init (record);
    record->plan = page_unpack (self, &musubi__plan__descriptor, command->plan);
    record->state = (Musubi__CommandState) command->state;
    page_holding (self, command->part_kind, command->part, &holding);
    record->n_circuits = holding.n_circuits;
    record->circuits = holding.circuits;
    record->n_bookings = holding.n_bookings;
    record->bookings = holding.bookings;
    record->n_space = holding.n_space;
    record->space = holding.space;
    record->done = command->done;
    record->prepared_ms = command->prepared_ms;
    record->held_ms = command->held_ms;
    record->epoch = command->epoch;
    record->fenced_by = (char *) command->fenced_by;
    return page_keep (self, &record->base);
}

packed_t page_show_encode (const page_t *self)
{
    Musubi__ShowAnswer answer = MUSUBI__SHOW_ANSWER__INIT;
    if (self->count > 0)
        answer.record = (Musubi__PartRecord *) self->records [0];
    return packed_of (&answer.base);
}

packed_t page_list_encode (const page_t *self, const char *next)
{
    Musubi__ListAnswer answer = MUSUBI__LIST_ANSWER__INIT;
    answer.n_records = self->count;
    answer.records = (Musubi__PartRecord **) self->records;
    answer.more = next != NULL;
    if (next)
        answer.next = (char *) next;
    return packed_of (&answer.base);
}

packed_t page_commands_encode (page_t *self, const txid_t *next)
{
    Musubi__CommandsAnswer answer = MUSUBI__COMMANDS_ANSWER__INIT;
    answer.n_commands = self->count;
    answer.commands = (Musubi__CommandRecord **) self->records;
    answer.more = next != NULL;
    answer.next = next ? codec_put (&txid_codec, next, &self->arena) : NULL;
    return packed_of (&answer.base);
}
