/*  ledger_check - reads a ledger page by page, and compares what its process says it has with what
 *  the ledger comes to.
 *
 *  The process goes on working meanwhile. So the differences that a round finds count only if no
 *  row came during the round; otherwise the rows are read and the round is repeated.
 *
 *  Where rows are missing, what they may have told is taken as the process has it: what the ledger
 *  does not mention, and what it mentions only before them. It still may not have more free than
 *  what is known to be taken leaves. */
#include "ledger_check.h"

#include "calendar_wire.h"
#include "ledger_file.h"
#include "ledger_wire.h"
#include "must.h"
#include "part_record.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>

static void ledger_check_tell (void *owner, const char *sentence)
{
    const ledger_check_t *self = owner;
    char line [640];
    snprintf (line, sizeof line, "%s: %s", self->name, sentence);
    check_tell (self->teller, line);
}

void ledger_check_begin (ledger_check_t *self, const char *name, const char *endpoint,
                         session_t *session, check_teller_t *teller)
{
    *self = (ledger_check_t){.session = session, .teller = teller};
    snprintf (self->name, sizeof self->name, "%s", name);
    snprintf (self->endpoint, sizeof self->endpoint, "%s", endpoint);
    self->replay = ledger_replay_new (ledger_check_tell, self);
}

void ledger_check_end (ledger_check_t *self)
{
    assert (!self->file);
    ledger_replay_destroy (&self->replay);
}

bool ledger_check_saved (ledger_check_t *self)
{
    FILE *file = self->file;
    self->file = NULL;
    if (!file || !self->heard)
        cli_fail (EXIT_USAGE, "audit: the ledger of %s is not saved: %s", self->name, self->why);
    if (!file)
        return false;
    if (ledger_file_end (file, self->heard))
        return self->heard;
    return cli_refuse ("audit: only a part of the ledger of %s is saved: %s", self->name,
                       strerror (errno));
}

/*  Asks one question; false when it was not answered. The body lives until the next question. */
static bool ledger_check_ask (ledger_check_t *self, const char *service, const char *method,
                              packed_t question, client_reply_t *reply)
{
    if (check_ask (self->session, self->endpoint, service, method, question, reply))
        return true;
    snprintf (self->why, sizeof self->why, "%s",
              reply->status == CALL_TIMED_OUT ? "no answer in time" : reply->reason);
    return false;
}

static void ledger_check_take_row (void *owner, bytes_t row)
{
    ledger_check_t *self = owner;
    ledger_replay_row (self->replay, row);
    if (self->file)
        ledger_file_row (self->file, row);
}

/*  "FOLDER/lis-ams-0123456789abcdef.ledger" */
static void open_file (ledger_check_t *self, const char *folder)
{
    char name [sizeof self->name];
    char store [17];
    text_auto_t *path = NULL;
    memcpy (name, self->name, sizeof name);
    char *slash = strchr (name, '/');
    if (slash)
        *slash = '-';
    sodium_bin2hex (store, sizeof store, self->store, sizeof store / 2);
    path = must_print ("%s/%s-%s.ledger", folder, name, store);
    self->file = ledger_file_new (path, self->store);
    if (!self->file && errno == EEXIST)
        snprintf (self->why, sizeof self->why, "%.200s is there already: name a new folder", path);
    else if (!self->file)
        snprintf (self->why, sizeof self->why, "%.200s: %s", path, strerror (errno));
}

bool ledger_check_read (ledger_check_t *self, const char *folder)
{
    bool first = self->last == 0;
    for (bool more = true; more;) {
        client_reply_t reply;
        uint64_t next = self->replay->figures.last + 1;
        rows_question_t question = {.from = first ? 0 : next};
        self->heard = ledger_check_ask (self, "Ledger", "Rows",
                                        codec_encode (&rows_question_codec, &question), &reply);
        if (!self->heard)
            return false;
        if (!first && memcmp (reply.store, self->store, STORE_ID_BYTES) != 0) {
            snprintf (self->why, sizeof self->why, "another store answers in its place since");
            return self->heard = false;
        }
        if (first) {
            memcpy (self->store, reply.store, STORE_ID_BYTES);
            if (folder)
                open_file (self, folder);
        }
        first = false;
        if (!rows_read (reply.body, ledger_check_take_row, self, &self->last, &more)) {
            snprintf (self->why, sizeof self->why, "its rows can't be read");
            return self->heard = false;
        }
        if (more && self->replay->figures.last < next) {
            snprintf (self->why, sizeof self->why, "its rows do not continue after row %" PRIu64,
                      next - 1);
            return self->heard = false;
        }
    }
    return true;
}

/*  --- comparing --- */

#define ROUNDS_MAX    20
#define ROUND_REST_MS 100
#define STEPS_EXACT   64 /* a profile with fewer steps was not shortened by the service */

/*  One round. */
typedef struct {
    ledger_check_t *audited;
    json_t *found;                        /* sentences */
    json_t *commands;                     /* that it lists, by txid */
    const replay_reservation_t *standing; /* the next one that it must list; NULL = none */
    size_t kept;
} compare_round_t;

__attribute__ ((format (printf, 2, 3))) static void differs (compare_round_t *self,
                                                             const char *format, ...)
{
    char sentence [512];
    int used = snprintf (sentence, sizeof sentence, "%s: ", self->audited->name);
    format_rest (sentence + used, sizeof sentence - (size_t) used, format);
    json_array_append_new (self->found, json_string (sentence));
}

/*  --- parts --- */

/*  Do packed bytes say what the struct says? */
static bool compare_same (const codec_t *codec, packed_t packed, const void *told)
{
    char why [WHY_BYTES];
    memory_auto void *own = must (calloc (1, codec_size (codec)));
    bool same = codec_decode (codec, own, (bytes_t){packed.data, packed.size}, why) &&
                codec_same (codec, own, told);
    codec_clear (codec, own);
    return same;
}

/*  Records do not show the part of a claim. */
static bool part_same (part_kind_t kind, packed_t part, compute_part_t compute,
                       network_part_t network, space_part_t space)
{
    if (kind == PART_CLAIM)
        return true;
    if (part.size == 0)
        return compute.bookings_count + network.circuits_count + space.bookings_count == 0;
    if (kind == PART_SPACE)
        return compare_same (&space_part_codec, part, &space);
    if (kind == PART_COMPUTE)
        return compare_same (&compute_part_codec, part, &compute);
    return kind == PART_NETWORK && compare_same (&network_part_codec, part, &network);
}

/*  May rows that were cut off, or are missing, tell of what no row mentions? */
static bool compare_unseen (const compare_round_t *self)
{
    const ledger_replay_t *replay = self->audited->replay;
    return replay->figures.first != 1 || !ledger_replay_whole (replay);
}

/*  --- commands --- */

static void compare_key_text (const txid_t *txid, char text [2 * TXID_BYTES + 1])
{
    uint8_t key [TXID_BYTES];
    txid_pack (txid, key);
    sodium_bin2hex (text, 2 * TXID_BYTES + 1, key, sizeof key);
}

static void compare_take_command (void *owner, const check_record_t *told)
{
    compare_round_t *self = owner;
    char text [TXID_TEXT_BYTES];
    char key [2 * TXID_BYTES + 1];
    const txid_t *txid = &told->plan.txid;
    const replay_command_t *own = ordered_find (self->audited->replay->commands, txid);
    txid_text (txid, text);
    compare_key_text (txid, key);
    json_object_set_new (self->commands, key, json_true ());
    self->kept++;
    if (!own || own->gone) {
        if (!compare_unseen (self))
            differs (self, "it records %s as %s, but its ledger does not mention it", text,
                     command_state_word (told->state));
        return;
    }
    if (!ledger_replay_knows (self->audited->replay, own->row))
        return;
    if (own->state != told->state) {
        differs (self, "it records %s as %s, but by its ledger it is %s", text,
                 command_state_word (told->state), command_state_word (own->state));
        return;
    }
    const command_record_t *record = &own->record;
    bool whole = record->plan.size > 0;
    if (whole && !compare_same (&plan_codec, record->plan, &told->plan))
        differs (self, "its record of %s has another plan than its ledger", text);
    if (whole && !part_same (record->part_kind, record->part,
                             (compute_part_t){told->bookings, told->bookings_count},
                             (network_part_t){told->circuits, told->circuits_count},
                             (space_part_t){told->space, told->space_count}))
        differs (self, "its record of %s has another part than its ledger", text);
    /* A mark of done is shown before it is stored, and never taken back. */
    if (record->held_ms != told->held_ms || record->prepared_ms != told->prepared_ms ||
        record->epoch != told->epoch || (record->done && !told->done))
        differs (self, "its record of %s has other times, another fence or mark than its ledger",
                 text);
}

static bool compare_commands (compare_round_t *self)
{
    commands_request_t asked = {.most = 0};
    for (bool more = true; more; asked.after_set = true) {
        client_reply_t reply;
        if (!ledger_check_ask (self->audited, "Participant", "Commands",
                               codec_encode (&commands_request_codec, &asked), &reply) ||
            !records_read (reply.body, compare_take_command, self, &asked.after, &more))
            return false;
    }
    const replay_command_t *own;
    for (const txid_t *after = NULL; (own = ordered_after (self->audited->replay->commands, after));
         after = &own->txid) {
        char key [2 * TXID_BYTES + 1];
        char text [TXID_TEXT_BYTES];
        compare_key_text (&own->txid, key);
        if (!own->gone && own->record.plan.size > 0 &&
            ledger_replay_knows (self->audited->replay, own->row) &&
            !json_object_get (self->commands, key))
            differs (self, "it has no record of %s, which is %s by its ledger",
                     txid_text (&own->txid, text), command_state_word (own->state));
    }
    return true;
}

/*  --- reservations --- */

static void step_standing (compare_round_t *self, const char *after)
{
    self->standing = ledger_replay_reservation (self->audited->replay, after);
}

/*  Does the ledger tell its version? */
static bool compare_known (const compare_round_t *self)
{
    return !self->standing->found || ledger_replay_whole (self->audited->replay);
}

static void missing_standing (compare_round_t *self)
{
    if (compare_known (self))
        differs (self,
                 "it has no record of reservation %s, which stands at version %" PRIu32
                 " by its ledger",
                 self->standing->id, self->standing->record.version);
    step_standing (self, self->standing->id);
}

static void take_part (compare_round_t *self, const part_record_t *told)
{
    if (told->version == 0)
        return; /* only its first change is pending */
    self->kept++;
    while (self->standing && strcmp (self->standing->id, told->reservation) < 0)
        missing_standing (self);
    if (!self->standing || strcmp (self->standing->id, told->reservation) != 0) {
        if (!compare_unseen (self))
            differs (self, "it records reservation %s, but its ledger does not mention it",
                     told->reservation);
        return;
    }
    const replay_reservation_t *standing = self->standing;
    if (compare_known (self) && standing->record.version != told->version)
        differs (self, "reservation %s is at version %" PRIu32 ", but by its ledger at %" PRIu32,
                 told->reservation, told->version, standing->record.version);
    else if (!standing->found && !part_same (standing->record.part_kind, standing->record.part,
                                             (compute_part_t){told->bookings, told->bookings_count},
                                             (network_part_t){told->circuits, told->circuits_count},
                                             (space_part_t){told->space, told->space_count}))
        differs (self, "reservation %s has other bookings than by its ledger", told->reservation);
    step_standing (self, standing->id);
}

static bool compare_reservations (compare_round_t *self)
{
    list_request_t question = {.most = 0};
    step_standing (self, NULL);
    for (bool more = true; more;) {
        client_reply_t reply;
        parts_page_t page;
        char why [WHY_BYTES];
        if (!ledger_check_ask (self->audited, "Participant", "List",
                               codec_encode (&list_request_codec, &question), &reply) ||
            !codec_decode (&parts_page_codec, &page, reply.body, why))
            return false;
        for (size_t i = 0; i < page.count; i++)
            take_part (self, &page.records [i]);
        memcpy (question.after, page.next, sizeof question.after);
        more = page.more;
        codec_clear (&parts_page_codec, &page);
    }
    while (self->standing)
        missing_standing (self);
    return true;
}

/*  --- the calendar --- */

/*  exact: the profile was not shortened, so it says just what is free, and not the least. Where
 *  rows are missing more may be taken than is known. */
static void compare_stretch (compare_round_t *self, const char *resource,
                             const profile_step_t *told, int64_t until_ms, bool exact)
{
    const replay_resource_t *own = ledger_replay_named (self->audited->replay, resource);
    if (!own || !own->known)
        return;
    int64_t least = INT64_MAX;
    int64_t most = INT64_MIN;
    for (int64_t at_ms = told->from_ms; at_ms < until_ms;) {
        int64_t free = own->quantity - levels_at (&own->booked, at_ms);
        least = free < least ? free : least;
        most = free > most ? free : most;
        at_ms = levels_next (&own->booked, at_ms);
    }
    char from [TIMETEXT_BYTES];
    bool whole = ledger_replay_whole (self->audited->replay);
    if (whole ? least != told->free || (exact && most != told->free) : told->free > least)
        differs (self, "its calendar has %" PRId64 " of %s free at %s, but by its ledger %" PRId64,
                 told->free, resource, timetext_format (told->from_ms, from),
                 least != told->free ? least : most);
    self->kept++;
}

/*  The last instant at which anything changes. */
static int64_t end_of_bookings (const ledger_replay_t *replay, int64_t from_ms)
{
    int64_t end_ms = from_ms;
    for (size_t i = 0; i < replay->resources_count; i++) {
        const replay_resource_t *one = &replay->resources [i];
        size_t count = one->known ? one->booked.count : 0;
        if (count > 0 && one->booked.list [count - 1].from_ms > end_ms)
            end_ms = one->booked.list [count - 1].from_ms;
    }
    return end_ms;
}

static void compare_profiles (compare_round_t *self, const profile_answer_t *told)
{
    size_t steps = 0;
    for (size_t p = 0; p < told->count; p++)
        steps += told->profiles [p].steps_count;
    for (size_t p = 0; p < told->count; p++) {
        const profile_t *one = &told->profiles [p];
        for (size_t s = 0; s < one->steps_count; s++)
            compare_stretch (self, one->resource, &one->steps [s],
                             s + 1 < one->steps_count ? one->steps [s + 1].from_ms : one->until_ms,
                             steps < STEPS_EXACT);
    }
}

static bool compare_calendar (compare_round_t *self)
{
    client_reply_t reply;
    profile_answer_t told;
    char why [WHY_BYTES];
    int64_t from_ms = cli_wall_ms ();
    int64_t until_ms = end_of_bookings (self->audited->replay, from_ms) + 3600000;
    profile_question_t question = {.over = {from_ms, until_ms},
                                   .without_work = true}; /* a ledger holds reservations alone */
    if (!ledger_check_ask (self->audited, "Calendar", "Profile",
                           codec_encode (&profile_question_codec, &question), &reply) ||
        !codec_decode (&profile_answer_codec, &told, reply.body, why))
        return false;
    compare_profiles (self, &told);
    codec_clear (&profile_answer_codec, &told);
    return true;
}

/*  --- rounds --- */

static bool compare_once (ledger_check_t *audited, compare_round_t *round)
{
    *round =
      (compare_round_t){.audited = audited, .found = json_array (), .commands = json_object ()};
    bool books = strncmp (audited->name, "gis/", 4) != 0;
    uint64_t last = audited->replay->figures.last;
    bool asked = compare_commands (round) &&
                 (!books || (compare_reservations (round) && compare_calendar (round)));
    json_decref (round->commands);
    audited->heard = asked && ledger_check_read (audited, NULL);
    return !audited->heard || audited->replay->figures.last == last;
}

void ledger_check_compare (ledger_check_t *self)
{
    compare_round_t round = {0};
    if (!keeps_records (self->name))
        return;
    for (int rounds = 0; rounds < ROUNDS_MAX; rounds++) {
        bool still = compare_once (self, &round);
        if (still && self->heard)
            json_each (sentence, round.found)
                check_tell (self->teller, json_string_value (sentence));
        json_decref (round.found);
        self->kept = round.kept;
        if (still)
            return;
        cli_rest (ROUND_REST_MS);
    }
    self->moving = true;
}
