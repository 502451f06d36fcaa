/*  participant_model - the plain arrays, and what may follow what. */
#include "participant_model.h"

#include "participant_records.h"

txid_t model_txid (size_t counter)
{
    txid_t txid = {.start = 1, .counter = counter};
    memset (txid.store, counter % 2 ? 0x11 : 0x22, STORE_ID_BYTES);
    return txid;
}

const char *model_reservation_name (size_t reservation)
{
    static const char *const names [MODEL_RESERVATIONS] = {"r0", "r1", "r2", "r3", "r4"};
    return names [reservation];
}

/*  Which state may be seen after which; several moves may lie between. From held and prepared these
 *  are all that proto/transaction.md draws; nothing follows an end. */
static bool follows (command_state_t from, command_state_t to)
{
    switch (from) {
    case COMMAND_UNKNOWN:
        return true;
    case COMMAND_HELD:
        return to != COMMAND_UNKNOWN && to != COMMAND_REJECTED;
    case COMMAND_PREPARED:
        return to == COMMAND_COMMITTED || to == COMMAND_ABORTED || to == COMMAND_EDGE ||
               to == COMMAND_EDGE_REFUSED;
    case COMMAND_EDGE:
        return to == COMMAND_COMMITTED || to == COMMAND_ABORTED || to == COMMAND_EDGE_REFUSED;
    default:
        return false;
    }
}

static bool is_open (const model_command_t *command)
{
    return command->state == COMMAND_HELD || command->state == COMMAND_PREPARED;
}

static bool is_decided (const model_command_t *command)
{
    return command->state == COMMAND_COMMITTED || command->state == COMMAND_EDGE_REFUSED;
}

/*  --- what the participant says --- */

typedef struct {
    model_t *model;
    const rig_t *rig;
    bool seen [MODEL_COMMANDS + 1];
} looking_t;

/*  Applies a decision to the reservation: it gets the new version, with the new part or, when the
 *  edge has passed, with the part that it had. */
static void apply (model_t *self, size_t counter)
{
    const model_asked_t *asked = &self->asked [counter];
    model_reservation_t *reservation = &self->reservations [asked->reservation];
    if (self->commands [counter].state == COMMAND_COMMITTED)
        reservation->part = asked->part;
    reservation->version = asked->base_version + 1;
}

static bool look (void *owner, const command_view_t *view)
{
    looking_t *looking = owner;
    size_t counter = view->plan->txid.counter;
    REQUIRE (counter > 0 && counter <= MODEL_COMMANDS && !looking->seen [counter]);
    looking->seen [counter] = true;
    model_command_t *command = &looking->model->commands [counter];
    REQUIRE (view->done >= command->done);
    command->done = view->done;
    if (view->state == command->state)
        return true;
    REQUIRE (follows (command->state, view->state));
    REQUIRE (!command->tombstoned || view->state == COMMAND_ABORTED);
    if (command->state == COMMAND_HELD && view->state == COMMAND_PREPARED)
        REQUIRE (looking->rig->now.mono_ms < command->expires_mono_ms);
    command->state = view->state;
    if (is_decided (command))
        apply (looking->model, counter);
    return true;
}

/*  A command that is shelved: as it is stored. */
static void look_at_stored (looking_t *looking, const rig_record_t *kept)
{
    command_record_t record;
    plan_t plan;
    bytes_t part;
    txid_t txid;
    char why [WHY_BYTES];
    if (kept->table != TABLE_COMMANDS || !kept->now.data)
        return;
    REQUIRE (txid_unpack (&txid, packed_bytes (kept->key)));
    if (participant_command (looking->rig->participant, &txid, &plan, &part)) {
        codec_clear (&plan_codec, &plan);
        return;
    }
    REQUIRE (codec_decode (&command_record_codec, &record, packed_bytes (kept->now), why));
    if (record.plan.size > 0) {
        REQUIRE (codec_decode (&plan_codec, &plan, packed_bytes (record.plan), why));
        look (looking,
              &(command_view_t){.plan = &plan, .state = record.state, .done = record.done});
        codec_clear (&plan_codec, &plan);
    }
    codec_clear (&command_record_codec, &record);
}

/*  A command whose record was deleted has ended, and all have acknowledged its end. */
static void forget_pruned (model_t *self, const looking_t *looking)
{
    for (size_t i = 1; i <= MODEL_COMMANDS; i++) {
        model_command_t *command = &self->commands [i];
        if (looking->seen [i] || command->state == COMMAND_UNKNOWN)
            continue;
        bool expired = command->state == COMMAND_HELD && /* long ago, and nobody looked */
                       looking->rig->now.mono_ms >= command->expires_mono_ms;
        REQUIRE (expired || command->state == COMMAND_ABORTED ||
                 command->state == COMMAND_EXPIRED || (is_decided (command) && command->done));
        *command = (model_command_t){.tombstoned = true}; /* no plan is sent twice */
    }
}

/*  The counter of the change under way; 0 = none. */
static size_t pending_of (const model_t *self, size_t reservation)
{
    size_t pending = 0;
    for (size_t i = 1; i <= MODEL_COMMANDS; i++) {
        const model_command_t *command = &self->commands [i];
        bool undecided = is_open (command) || command->state == COMMAND_EDGE;
        if (!undecided || self->asked [i].reservation != reservation)
            continue;
        REQUIRE (pending == 0);
        pending = i;
    }
    return pending;
}

static bool ends_later (const plain_t *part, const rig_t *rig)
{
    int64_t minute = (rig->now.wall_ms - RIG_WALL_MS) / RIG_MINUTE_MS;
    for (size_t r = 0; r < MODEL_RESOURCES; r++)
        for (int64_t t = minute; t < MODEL_MINUTES; t++)
            if (part->load [r][t] > 0)
                return true;
    return false;
}

static void look_at_reservations (model_t *self, const rig_t *rig)
{
    for (size_t i = 0; i < MODEL_RESERVATIONS; i++) {
        model_reservation_t *reservation = &self->reservations [i];
        reservation_view_t view;
        bool known = participant_find (rig->participant, model_reservation_name (i), &view);
        if (known) {
            REQUIRE (view.version == reservation->version);
            continue;
        }
        REQUIRE (!pending_of (self, i) && !ends_later (&reservation->part, rig));
        *reservation = (model_reservation_t){0};
    }
}

/*  --- what must be free --- */

static int16_t larger (int16_t a, int16_t b)
{
    return a > b ? a : b;
}

static plain_t load_of (const model_t *self)
{
    plain_t load = {0};
    for (size_t i = 0; i < MODEL_RESERVATIONS; i++) {
        const plain_t *old = &self->reservations [i].part;
        size_t pending = pending_of (self, i);
        bool taken = pending && is_open (&self->commands [pending]);
        const plain_t *new = taken ? &self->asked [pending].part : old;
        for (size_t r = 0; r < MODEL_RESOURCES; r++)
            for (size_t t = 0; t < MODEL_MINUTES; t++)
                load.load [r][t] =
                  (int16_t) (load.load [r][t] + larger (old->load [r][t], new->load [r][t]));
    }
    return load;
}

static void look_at_calendars (const model_t *self, const rig_t *rig)
{
    plain_t load = load_of (self);
    for (size_t r = 0; r < free_capacity_offers (rig->room); r++) {
        int64_t capacity = free_capacity_offer (rig->room, r)->quantity;
        const calendar_t *calendar = free_capacity_calendar (rig->room, r);
        for (size_t t = 0; t < MODEL_MINUTES; t++) {
            int64_t from_ms = RIG_WALL_MS + (int64_t) t * RIG_MINUTE_MS;
            int64_t least =
              calendar_least (calendar, (interval_t){from_ms, from_ms + RIG_MINUTE_MS});
            REQUIRE (least == capacity - load.load [r][t]);
            REQUIRE (least >= 0); /* nothing is overbooked */
        }
    }
}

void model_look (model_t *self, const rig_t *rig)
{
    looking_t looking = {.model = self, .rig = rig};
    participant_commands (rig->participant, NULL, look, &looking);
    for (size_t i = 0; i < rig->records.count; i++)
        look_at_stored (&looking, &rig->records.list [i]);
    forget_pruned (self, &looking);
    look_at_reservations (self, rig);
    look_at_calendars (self, rig);
}

bool model_over (const model_command_t *command)
{
    return command->tombstoned || (!is_open (command) && command->state != COMMAND_EDGE);
}

bool model_short (const model_t *self, const rig_t *rig, size_t reservation, const plain_t *part)
{
    plain_t load = load_of (self);
    const plain_t *old = &self->reservations [reservation].part;
    for (size_t r = 0; r < free_capacity_offers (rig->room); r++) {
        int64_t capacity = free_capacity_offer (rig->room, r)->quantity;
        for (size_t t = 0; t < MODEL_MINUTES; t++) {
            int64_t extra = part->load [r][t] - old->load [r][t];
            if (extra > 0 && capacity - load.load [r][t] < extra)
                return true;
        }
    }
    return false;
}
