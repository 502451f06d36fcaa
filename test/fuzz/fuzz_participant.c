/*  fuzz_participant - any sequence of valid requests, answers, time, restarts and lost writes, at a
 *  site or at a network domain (the first byte says which), compared with the plain model.
 *
 *  Checked besides: an answer agrees with the record; a repeat gets the same answer and changes
 *  nothing; a hold that is refused because too little is free does not fit the plain arrays either;
 *  flushed records are there after a crash.
 */
#include "participant_model.h"

typedef struct {
    numbers_t numbers;
    rig_t rig;
    model_t model;
    model_t flushed;
    packed_t holds [MODEL_COMMANDS + 1]; /* as first sent, so that they can be repeated */
    size_t counters;                     /* used so far */
} participant_play_t;

static void on_looked (void *owner)
{
    participant_play_t *play = owner;
    model_look (&play->model, &play->rig);
}

static uint32_t below (participant_play_t *self, uint32_t bound)
{
    return number_below (&self->numbers, bound);
}

static const char *planner_of (size_t counter, char name [NAME_BYTES_MAX + 1])
{
    txid_t txid = model_txid (counter);
    return txid_planner (&txid, name);
}

/*  The answer to a command verb agrees with the record. */
static refusal_reason_t answered (participant_play_t *self, size_t counter)
{
    command_answer_t answer;
    char why [WHY_BYTES] = "";
    if (self->rig.status != CALL_OK)
        fprintf (stderr, "not understood: %s\n", self->rig.reason);
    REQUIRE (self->rig.status == CALL_OK);
    REQUIRE (codec_decode (&command_answer_codec, &answer,
                           (bytes_t){self->rig.reply.data, self->rig.reply.size}, why));
    txid_t txid = model_txid (counter);
    REQUIRE (txid_compare (&answer.txid, &txid) == 0);
    command_state_t recorded = self->model.commands [counter].state;
    if (recorded == COMMAND_UNKNOWN && answer.state == COMMAND_ABORTED)
        self->model.commands [counter].tombstoned = true; /* before it came */
    else
        REQUIRE (answer.state == recorded || /* an expired hold counts as aborted */
                 (answer.state == COMMAND_ABORTED && recorded == COMMAND_EXPIRED) ||
                 /* its end was told once more, and the record deleted in the same step */
                 (recorded == COMMAND_UNKNOWN && self->model.commands [counter].tombstoned &&
                  answer.refusal.reason == REFUSAL_ENDED) ||
                 (answer.state == COMMAND_REJECTED && answer.refusal.reason != REFUSAL_NONE) ||
                 answer.refusal.reason == REFUSAL_MAY_NOT);
    if (answer.state == COMMAND_HELD)
        self->model.commands [counter].expires_mono_ms = self->rig.now.mono_ms + answer.ttl_ms;
    refusal_reason_t reason = answer.refusal.reason;
    codec_clear (&command_answer_codec, &answer);
    return reason;
}

/*  --- parts --- */

static size_t room_index (const rig_t *rig, const char *name)
{
    size_t resource = SIZE_MAX;
    REQUIRE (free_capacity_find (rig->room, name, &resource));
    return resource;
}

/*  A part and its plain arrays. */
typedef struct {
    compute_booking_t bookings [3];
    circuit_t circuits [3];
    size_t count;
    plain_t plain;
    int64_t first; /* minute in which it begins */
} participant_wanted_t;

static void add (participant_wanted_t *self, size_t resource, int64_t from, int64_t until,
                 uint32_t quantity)
{
    for (int64_t t = from; t < until; t++)
        self->plain.load [resource][t] =
          (int16_t) (self->plain.load [resource][t] + (int16_t) quantity);
}

static void want_nodes (participant_play_t *self, participant_wanted_t *wanted, int64_t from,
                        int64_t until)
{
    bool fat = below (self, 2);
    uint32_t nodes = 1 + below (self, fat ? 4 : 8);
    compute_booking_t *booking = &wanted->bookings [wanted->count];
    *booking = (compute_booking_t){.need = "ocean",
                                   .cpus = fat ? 16 * nodes - 3 : nodes,
                                   .nodes = nodes,
                                   .from_ms = RIG_WALL_MS + from * RIG_MINUTE_MS,
                                   .until_ms = RIG_WALL_MS + until * RIG_MINUTE_MS};
    snprintf (booking->class_name, sizeof booking->class_name, "%s", fat ? "fat" : "thin");
    add (wanted, room_index (&self->rig, booking->class_name), from, until, nodes);
}

/*  Nodes are cleaned for a minute after their last booking. A booking that begins when another ends
 *  takes over its nodes without cleaning, since all are of one need. */
static void clean (participant_play_t *self, participant_wanted_t *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const compute_booking_t *ends = &wanted->bookings [i];
        int64_t nodes = 0;
        bool first = true;
        for (size_t k = 0; k < wanted->count; k++) {
            const compute_booking_t *other = &wanted->bookings [k];
            if (strcmp (other->class_name, ends->class_name) != 0)
                continue;
            if (other->until_ms == ends->until_ms) {
                nodes += other->nodes;
                first = first && k >= i;
            }
            if (other->from_ms == ends->until_ms)
                nodes -= other->nodes;
        }
        int64_t minute = (ends->until_ms - RIG_WALL_MS) / RIG_MINUTE_MS;
        if (first && nodes > 0)
            add (wanted, room_index (&self->rig, ends->class_name), minute, minute + 1,
                 (uint32_t) nodes);
    }
}

static void want_circuit (participant_play_t *self, participant_wanted_t *wanted, int64_t from,
                          int64_t until)
{
    static const char *const ways [][4] = {{"a-r", NULL},
                                           {"a-r", "r-b", NULL},
                                           {"a-r", "r-b", "b-x", NULL},
                                           {"a-c", "c-r", "r-b", NULL},
                                           {"b-x", NULL}};
    static char names [3][4][NAME_BYTES_MAX + 1];
    const char *const *way = ways [below (self, sizeof ways / sizeof *ways)];
    uint32_t mbps = 1 + below (self, 6);
    circuit_t *circuit = &wanted->circuits [wanted->count];
    *circuit = (circuit_t){.need = "ocean-air",
                           .links = names [wanted->count],
                           .mbps = mbps,
                           .from_ms = RIG_WALL_MS + from * RIG_MINUTE_MS,
                           .until_ms = RIG_WALL_MS + until * RIG_MINUTE_MS};
    for (; way [circuit->links_count]; circuit->links_count++) {
        const char *name = way [circuit->links_count];
        snprintf (circuit->links [circuit->links_count], NAME_BYTES_MAX + 1, "%s", name);
        add (wanted, room_index (&self->rig, name), from, until, mbps);
    }
}

static packed_t want (participant_play_t *self, participant_wanted_t *wanted)
{
    size_t count = 1 + below (self, 3);
    int64_t now = (self->rig.now.wall_ms - RIG_WALL_MS) / RIG_MINUTE_MS;
    wanted->first = MODEL_MINUTES;
    for (wanted->count = 0; wanted->count < count; wanted->count++) {
        int64_t from = now + below (self, 12);
        from = from < MODEL_MINUTES - 12 ? from : MODEL_MINUTES - 12;
        int64_t until = from + 1 + below (self, 9);
        wanted->first = from < wanted->first ? from : wanted->first;
        if (self->rig.network)
            want_circuit (self, wanted, from, until);
        else
            want_nodes (self, wanted, from, until);
    }
    if (!self->rig.network)
        clean (self, wanted);
    return self->rig.network ? network_part_encode (wanted->circuits, wanted->count)
                             : compute_part_encode (wanted->bookings, wanted->count);
}

/*  --- requests --- */

static void party_set (participant_ref_t *party, const char *name,
                       const uint8_t store [STORE_ID_BYTES])
{
    snprintf (party->name, sizeof party->name, "%s", name);
    snprintf (party->endpoint, sizeof party->endpoint, "sim://%s", name);
    memcpy (party->store, store, STORE_ID_BYTES);
}

static packed_t plan_hold (participant_play_t *self, size_t counter, model_asked_t *asked)
{
    static const uint8_t other [STORE_ID_BYTES] = {0xbb};
    participant_ref_t parties [2] = {0};
    char name [NAME_BYTES_MAX + 1];
    hold_t hold = {.part_kind = self->rig.network ? PART_NETWORK : PART_COMPUTE};
    plan_t *plan = &hold.plan;
    participant_wanted_t wanted = {0};
    *asked = (model_asked_t){.operation = (operation_t) below (self, 3),
                             .reservation = below (self, MODEL_RESERVATIONS)};
    if (asked->operation != OPERATION_RELEASE) {
        packed_t part = want (self, &wanted);
        hold.part = part.data;
        hold.part_size = part.size;
        asked->part = wanted.plain;
    }
    if (asked->operation != OPERATION_RESERVE) {
        uint32_t version = self->model.reservations [asked->reservation].version;
        asked->base_version = below (self, 8) && version ? version : 1 + below (self, 3);
    }
    plan->txid = model_txid (counter);
    plan->operation = asked->operation;
    plan->base_version = asked->base_version;
    plan->participants = parties;
    plan->participants_count = 2;
    party_set (&parties [0], self->rig.name, self->rig.store_id);
    party_set (&parties [1], "gis/g1", other);
    party_set (&plan->coordinator, planner_of (counter, name), plan->txid.store);
    plan->decide_by_ms = self->rig.now.wall_ms + 1000 * (1 + (int64_t) below (self, 60));
    plan->edge_ms = asked->operation == OPERATION_RELEASE || below (self, 4) == 0
                      ? self->rig.now.wall_ms + RIG_MINUTE_MS * (1 + (int64_t) below (self, 16))
                      : RIG_WALL_MS + wanted.first * RIG_MINUTE_MS;
    snprintf (plan->reservation, sizeof plan->reservation, "%s",
              model_reservation_name (asked->reservation));
    snprintf (plan->actor, sizeof plan->actor, "alice");
    snprintf (plan->request_id, sizeof plan->request_id, "q%zu@g1", counter);
    snprintf (plan->home, sizeof plan->home, "gis/g1");
    hold.prepare = below (self, 2);
    hold.ttl_ms = 1000 * below (self, 64);
    if (below (self, 4) == 0 && counter > 2) /* an earlier one of the same planner */
        asked->replaces = counter - 2 * (1 + below (self, (uint32_t) (counter - 1) / 2));
    if (asked->replaces)
        hold.replaces [hold.replaces_count++] = model_txid (asked->replaces);
    packed_t body = codec_encode (&hold_codec, &hold);
    free (hold.part);
    return body;
}

static packed_t again (packed_t body)
{
    packed_t copy = {.data = malloc (body.size + 1), .size = body.size};
    if (!copy.data)
        abort ();
    memcpy (copy.data, body.data, body.size);
    return copy;
}

/*  Picks a plan, mostly one of the latest. */
static size_t some_counter (participant_play_t *self)
{
    uint32_t choice = below (self, 256);
    if (choice < 192 && self->counters > choice % 4)
        return self->counters - choice % 4;
    return 1 + choice % MODEL_COMMANDS;
}

/*  Sends a new plan, or repeats one unchanged. */
static void play_hold (participant_play_t *self)
{
    char name [NAME_BYTES_MAX + 1];
    size_t counter = some_counter (self);
    if (below (self, 2) && self->counters < MODEL_COMMANDS)
        counter = self->counters + 1;
    bool new = !self->holds [counter].data;
    const model_command_t *known = &self->model.commands [counter];
    if (new) {
        if (known->state != COMMAND_UNKNOWN || known->tombstoned)
            return; /* no planner makes a plan for a txid that it has given up */
        self->holds [counter] = plan_hold (self, counter, &self->model.asked [counter]);
        self->flushed.asked [counter] = self->model.asked [counter];
        self->counters = counter > self->counters ? counter : self->counters;
        if (below (self, 4) == 0)
            return; /* its message is delayed for a while */
    }
    command_state_t before = known->state;
    const model_asked_t *sent = &self->model.asked [counter];
    rig_request (&self->rig, planner_of (counter, name), "Hold", again (self->holds [counter]));
    refusal_reason_t reason = answered (self, counter);
    if (reason == REFUSAL_SHORT)
        REQUIRE (model_short (&self->model, &self->rig, sent->reservation, &sent->part));
    if (before == COMMAND_UNKNOWN && known->state != COMMAND_UNKNOWN && sent->replaces)
        REQUIRE (model_over (&self->model.commands [sent->replaces]));
    if (below (self, 3) > 0)
        return;
    command_state_t state = known->state;
    rig_request (&self->rig, planner_of (counter, name), "Hold", again (self->holds [counter]));
    refusal_reason_t second = answered (self, counter);
    /* Its end was told once more, and the record deleted in the same step: then it is too late. */
    bool deleted = reason == REFUSAL_ENDED && state == COMMAND_UNKNOWN;
    REQUIRE (second == reason || (deleted && second == REFUSAL_LATE));
    REQUIRE (known->state == state);
}

static void play_verb (participant_play_t *self)
{
    static const char *const verbs [] = {"Prepare", "Commit",  "Abort", "Renew",
                                         "Resolve", "Outcome", "Done"};
    char name [NAME_BYTES_MAX + 1];
    const char *verb = verbs [below (self, sizeof verbs / sizeof *verbs)];
    size_t counter = some_counter (self);
    txid_t txid = model_txid (counter);
    const char *actor = planner_of (counter, name);
    bool resolve = strcmp (verb, "Resolve") == 0;
    bool outcome = strcmp (verb, "Outcome") == 0;
    bool done = strcmp (verb, "Done") == 0;
    bool renew = strcmp (verb, "Renew") == 0;
    uint32_t ttl_ms = 1000 * below (self, 64);
    bool twice = below (self, 3) == 0;
    refusal_reason_t first = REFUSAL_NONE;
    for (int i = 0; i < 1 + twice; i++) {
        packed_t body =
          resolve ? codec_encode (&resolve_request_codec,
                                  &(resolve_request_t){txid, self->rig.now.wall_ms + ttl_ms})
          : done  ? codec_encode (&done_request_codec, &(done_request_t){&txid, 1})
          : renew ? codec_encode (&renew_request_codec, &(renew_request_t){txid, ttl_ms})
                  : codec_encode (&decision_request_codec, &(decision_request_t){txid, 0});
        command_state_t before = self->model.commands [counter].state;
        rig_request (&self->rig, actor, verb, body);
        if (outcome || done)
            continue;
        refusal_reason_t reason = answered (self, counter);
        if (i == 1) {
            REQUIRE (reason == first && self->model.commands [counter].state == before);
            REQUIRE (renew || self->rig.puts == 0);
        }
        first = reason;
    }
}

static void play_question (participant_play_t *self)
{
    static const char *const actors [] = {"alice", "bob", "root",
                                          "planner/11111111111111111111111111111111"};
    static const uint8_t bodies [][6] = {{0x0a, 2, 'r', '0'}, {0x28, 1}, {0x10, 3}};
    static const size_t sizes [] = {4, 2, 2};
    static const char *const methods [] = {"Show", "List", "Commands"};
    size_t which = below (self, 3);
    rig_request (&self->rig, actors [below (self, 4)], methods [which],
                 again ((packed_t){.data = (uint8_t *) bodies [which], .size = sizes [which]}));
}

/*  A participant or planner answers a question with any state. */
static void play_answer (participant_play_t *self)
{
    if (self->rig.calls_count == 0)
        return;
    size_t at = below (self, (uint32_t) self->rig.calls_count);
    rig_call_t call = self->rig.calls [at];
    uint32_t kind = below (self, 8);
    if (kind == 0) {
        rig_answer (&self->rig, at, CALL_TIMED_OUT, (bytes_t){0});
        return;
    }
    command_answer_t answer = {.txid = call.txid,
                               .state = (command_state_t) below (self, COMMAND_STATES)};
    packed_t body = call.outcome
                      ? codec_encode (&outcome_answer_codec,
                                      &(outcome_answer_t){call.txid, (outcome_t) below (self, 4),
                                                          below (self, 2)})
                      : codec_encode (&command_answer_codec, &answer);
    rig_answer (&self->rig, at, CALL_OK, (bytes_t){body.data, body.size});
    free (body.data);
}

static void play_flush (participant_play_t *self)
{
    rig_flush (&self->rig);
    self->flushed = self->model;
}

/*  An acknowledgement is stored later, together with something else, so it may be asked for again.
 */
static void play_crash (participant_play_t *self)
{
    self->model = self->flushed;
    for (size_t i = 1; i <= MODEL_COMMANDS; i++)
        self->model.commands [i].done = false;
    rig_crash (&self->rig);
}

static void play_time (participant_play_t *self)
{
    static const int64_t spans_ms [] = {1, 1000, 20000, 60000, 300000, 1500000};
    int64_t ms = spans_ms [below (self, sizeof spans_ms / sizeof *spans_ms)];
    uint32_t kind = below (self, 16);
    if (kind < 2)
        self->rig.now.wall_ms += ms; /* the clock is set, or the process was suspended */
    if (kind == 1)
        self->rig.now.mono_ms += ms;
    if (kind > 1)
        rig_pass (&self->rig, ms);
}

static void play_step (participant_play_t *self)
{
    uint32_t kind = below (self, 16);
    if (kind < 5)
        play_hold (self);
    else if (kind < 10)
        play_verb (self);
    else if (kind < 11)
        play_question (self);
    else if (kind < 13)
        play_answer (self);
    else if (kind < 15)
        play_time (self);
    else
        play_crash (self);
    if (below (self, 4) > 0) /* otherwise the writes of several steps share a flush */
        play_flush (self);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static participant_play_t play;
    if (size < 2 || data [0] > 1)
        return FUZZ_UNWANTED;
    play = (participant_play_t){.numbers = {.at = data + 1, .left = size - 1}};
    rig_begin (&play.rig, data [0] == 1, on_looked, &play);
    play_flush (&play);
    while (play.numbers.left > 0)
        play_step (&play);
    play_flush (&play);
    play_crash (&play); /* everything that was flushed must be there */
    rig_end (&play.rig);
    for (size_t i = 0; i <= MODEL_COMMANDS; i++)
        free (play.holds [i].data);
    return 0;
}
