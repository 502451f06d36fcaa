/*  audited_compare - what one says of itself against what its ledger makes it have.
 *
 *  It goes on working meanwhile. So the differences that a round finds count only when no row came
 *  between its beginning and its end; else the rows are read and the round is made again.
 */
#include "audited.h"

#include "check_gather.h"
#include "ledger_replay_wire.h"
#include "must.h"
#include "part_record.h"
#include "records.h"
#include "timetext.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX    20
#define ROUND_REST_MS 100
#define STEPS_EXACT   64 /* a profile of fewer steps was not shortened by its teller */

/*  One round. */
typedef struct {
    audited_t *audited;
    json_t *found;                 /* sentences */
    json_t *commands;              /* told, by txid */
    replay_reservation_t standing; /* the next one that must be told */
    bool standing_set;
    json_t *stretches; /* of profiles: [resource, from, until, free] */
    size_t kept;
} round_t;

static void differs (round_t *self, const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

static void differs (round_t *self, const char *format, ...)
{
    char sentence [512];
    int used = snprintf (sentence, sizeof sentence, "%s: ", self->audited->name);
    va_list args;
    va_start (args, format);
    vsnprintf (sentence + used, sizeof sentence - (size_t) used, format, args);
    va_end (args);
    json_array_append_new (self->found, json_string (sentence));
}

/*  --- parts --- */

static bool bytes_same (packed_t a, packed_t b)
{
    bool same = a.size == b.size && (a.size == 0 || memcmp (a.data, b.data, a.size) == 0);
    free (a.data);
    free (b.data);
    return same;
}

/*  A claim's part is not told by records. */
static bool part_same (part_kind_t kind, bytes_t part, const compute_booking_t *bookings,
                       size_t bookings_count, const circuit_t *circuits, size_t circuits_count)
{
    char why [WHY_BYTES];
    compute_booking_t *own_bookings = NULL;
    circuit_t *own_circuits = NULL;
    size_t own_count = 0;
    if (kind == PART_CLAIM)
        return true;
    if (part.size == 0)
        return bookings_count == 0 && circuits_count == 0;
    if (kind == PART_COMPUTE && compute_part_decode (part, &own_bookings, &own_count, why)) {
        packed_t own = compute_part_encode (own_bookings, own_count);
        free (own_bookings);
        return bytes_same (own, compute_part_encode (bookings, bookings_count));
    }
    if (kind == PART_NETWORK && network_part_decode (part, &own_circuits, &own_count, why)) {
        packed_t own = network_part_encode (own_circuits, own_count);
        circuits_free (own_circuits, own_count);
        return bytes_same (own, network_part_encode (circuits, circuits_count));
    }
    return false;
}

/*  --- commands --- */

static void key_text (const txid_t *txid, char text [2 * TXID_BYTES + 1])
{
    uint8_t key [TXID_BYTES];
    txid_pack (txid, key);
    sodium_bin2hex (text, 2 * TXID_BYTES + 1, key, sizeof key);
}

static bool plan_same (bytes_t packed, const plan_t *told)
{
    plan_t own;
    char why [WHY_BYTES];
    if (packed.size == 0)
        return told->participants_count == 0;
    if (!plan_decode (&own, packed, why))
        return false;
    packed_t encoded = plan_encode (&own);
    plan_clear (&own);
    return bytes_same (encoded, plan_encode (told));
}

static void take_command (void *owner, const check_record_t *told)
{
    round_t *self = owner;
    replay_command_t command;
    stored_command_t stored;
    char text [TXID_TEXT_BYTES];
    char key [2 * TXID_BYTES + 1];
    txid_text (&told->plan->txid, text);
    key_text (&told->plan->txid, key);
    json_object_set_new (self->commands, key, json_true ());
    self->kept++;
    if (!ledger_replay_find (self->audited->replay, &told->plan->txid, &command) || command.gone) {
        if (ledger_replay_figures (self->audited->replay).first == 1)
            differs (self, "it records %s as %s, its ledger does not tell of it", text,
                     command_state_word (told->state));
        return;
    }
    if (command.state != told->state) {
        differs (self, "it records %s as %s, by its ledger it is %s", text,
                 command_state_word (told->state), command_state_word (command.state));
        return;
    }
    if (!stored_command_read (&stored, command.stored))
        return;
    bool whole = stored.plan.size > 0;
    if (whole && !plan_same (stored.plan, told->plan))
        differs (self, "it records another plan of %s than its ledger", text);
    if (whole && !part_same (stored.part_kind, stored.part, told->bookings, told->bookings_count,
                             told->circuits, told->circuits_count))
        differs (self, "it records another part of %s than its ledger", text);
    /* A mark of done is told before it is stored, and never taken back. */
    if (stored.held_ms != told->held_ms || stored.prepared_ms != told->prepared_ms ||
        stored.epoch != told->epoch || (stored.done && !told->done))
        differs (self, "it records other times, another fence or mark of %s than its ledger", text);
    stored_command_end (&stored);
}

static bool compare_commands (round_t *self)
{
    txid_t last;
    commands_request_t asked = {.most = 0};
    for (bool more = true; more; asked.after_set = true) {
        client_reply_t reply;
        if (!audited_ask (self->audited, "Participant", "Commands",
                          codec_encode (&commands_request_codec, &asked), &reply) ||
            !records_read (reply.body, take_command, self, &asked.after, &more))
            return false;
    }
    replay_command_t command;
    for (const txid_t *after = NULL; ledger_replay_command (self->audited->replay, after, &command);
         after = &last) {
        stored_command_t stored;
        char key [2 * TXID_BYTES + 1];
        char text [TXID_TEXT_BYTES];
        last = command.txid;
        key_text (&command.txid, key);
        if (command.gone || json_object_get (self->commands, key) ||
            !stored_command_read (&stored, command.stored))
            continue;
        if (stored.plan.size > 0)
            differs (self, "it has no record of %s, which is %s by its ledger",
                     txid_text (&command.txid, text), command_state_word (command.state));
        stored_command_end (&stored);
    }
    return true;
}

/*  --- reservations --- */

static void step_standing (round_t *self, const char *after)
{
    self->standing_set = ledger_replay_reservation (self->audited->replay, after, &self->standing);
}

static void missing_standing (round_t *self)
{
    differs (
      self, "it has no record of reservation %s, which stands at version %" PRIu32 " by its ledger",
      self->standing.id, self->standing.version);
    step_standing (self, self->standing.id);
}

static void take_part (round_t *self, const part_record_t *told)
{
    if (told->version == 0)
        return; /* only its first change is pending */
    self->kept++;
    while (self->standing_set && strcmp (self->standing.id, told->reservation) < 0)
        missing_standing (self);
    if (!self->standing_set || strcmp (self->standing.id, told->reservation) != 0) {
        if (ledger_replay_figures (self->audited->replay).first == 1)
            differs (self, "it records reservation %s, its ledger does not tell of it",
                     told->reservation);
        return;
    }
    const replay_reservation_t *standing = &self->standing;
    if (standing->version != told->version)
        differs (self, "reservation %s is at version %" PRIu32 ", by its ledger at %" PRIu32,
                 told->reservation, told->version, standing->version);
    else if (!standing->found &&
             !part_same (standing->part_kind, standing->part, told->bookings, told->bookings_count,
                         told->circuits, told->circuits_count))
        differs (self, "reservation %s books another thing than by its ledger", told->reservation);
    step_standing (self, standing->id);
}

static bool compare_reservations (round_t *self)
{
    list_request_t question = {.most = 0};
    step_standing (self, NULL);
    for (bool more = true; more;) {
        client_reply_t reply;
        parts_page_t page;
        char why [WHY_BYTES];
        if (!audited_ask (self->audited, "Participant", "List",
                          codec_encode (&list_request_codec, &question), &reply) ||
            !codec_decode (&parts_page_codec, &page, reply.body, why))
            return false;
        for (size_t i = 0; i < page.count; i++)
            take_part (self, &page.records [i]);
        memcpy (question.after, page.next, sizeof question.after);
        more = page.more;
        codec_clear (&parts_page_codec, &page);
    }
    while (self->standing_set)
        missing_standing (self);
    return true;
}

/*  --- the calendar --- */

static void take_profile (void *owner, const char *resource, int64_t from_ms, int64_t until_ms,
                          int64_t free)
{
    round_t *self = owner;
    json_array_append_new (self->stretches,
                           json_pack ("[s, I, I, I]", resource, (json_int_t) from_ms,
                                      (json_int_t) until_ms, (json_int_t) free));
}

static void compare_stretch (round_t *self, const char *resource, int64_t from_ms, int64_t until_ms,
                             int64_t told)
{
    int64_t quantity;
    if (!ledger_replay_quantity (self->audited->replay, resource, &quantity))
        return;
    int64_t least = INT64_MAX;
    int64_t most = INT64_MIN;
    for (int64_t at_ms = from_ms; at_ms < until_ms;) {
        int64_t next_ms;
        int64_t free = ledger_replay_free (self->audited->replay, resource, at_ms, &next_ms);
        least = free < least ? free : least;
        most = free > most ? free : most;
        at_ms = next_ms;
    }
    char from [TIMETEXT_BYTES];
    bool exact = json_array_size (self->stretches) < STEPS_EXACT;
    if (least != told || (exact && most != told))
        differs (self, "its calendar has %" PRId64 " of %s free at %s, by its ledger %" PRId64,
                 told, resource, timetext_format (from_ms, from), least != told ? least : most);
    self->kept++;
}

/*  The last instant at which anything changes. */
static int64_t end_of_bookings (const ledger_replay_t *replay, int64_t from_ms)
{
    int64_t end_ms = from_ms;
    const char *resource;
    for (size_t i = 0; (resource = ledger_replay_resource (replay, i)); i++) {
        int64_t quantity;
        if (!ledger_replay_quantity (replay, resource, &quantity))
            continue;
        for (int64_t at_ms = end_ms, next_ms;; at_ms = next_ms) {
            ledger_replay_free (replay, resource, at_ms, &next_ms);
            if (next_ms == INT64_MAX)
                break;
            end_ms = next_ms;
        }
    }
    return end_ms;
}

static bool compare_calendar (round_t *self)
{
    client_reply_t reply;
    int64_t from_ms = cli_wall_ms ();
    int64_t until_ms = end_of_bookings (self->audited->replay, from_ms) + 3600000;
    if (!audited_ask (self->audited, "Calendar", "Profile", profiles_question (from_ms, until_ms),
                      &reply) ||
        !profiles_read (reply.body, take_profile, self))
        return false;
    json_t *one;
    for (size_t i = 0; (one = json_array_get (self->stretches, i)); i++)
        compare_stretch (self, json_string_value (json_array_get (one, 0)),
                         json_integer_value (json_array_get (one, 1)),
                         json_integer_value (json_array_get (one, 2)),
                         json_integer_value (json_array_get (one, 3)));
    return true;
}

/*  --- rounds --- */

static bool compare_once (audited_t *audited, round_t *round)
{
    *round = (round_t){.audited = audited,
                       .found = json_array (),
                       .commands = json_object (),
                       .stretches = json_array ()};
    bool books = strncmp (audited->name, "gis/", 4) != 0;
    uint64_t last = ledger_replay_figures (audited->replay).last;
    bool asked = compare_commands (round) &&
                 (!books || (compare_reservations (round) && compare_calendar (round)));
    json_decref (round->commands);
    json_decref (round->stretches);
    audited->heard = asked && audited_read (audited, NULL);
    return !audited->heard || ledger_replay_figures (audited->replay).last == last;
}

void audited_compare (audited_t *self)
{
    round_t round = {0};
    if (!check_keeps_records (self->name))
        return;
    for (int rounds = 0; rounds < ROUNDS_MAX; rounds++) {
        bool still = compare_once (self, &round);
        json_t *sentence;
        if (still && self->heard)
            for (size_t i = 0; (sentence = json_array_get (round.found, i)); i++)
                self->teller->tell (self->teller->owner, json_string_value (sentence));
        json_decref (round.found);
        self->kept = round.kept;
        if (still)
            return;
        cli_rest (ROUND_REST_MS);
    }
    self->moving = true;
}
