/*  ledger_audit - all commands of all ledgers, by txid. */
#include "ledger_audit.h"

#include "ledger_replay_wire.h"
#include "must.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  What one ledger says of a transaction. */
typedef struct {
    txid_t txid;
    size_t ledger;
    bool confirmed; /* a decision, by the coordinator or by a planner that fenced it, that all
                       have acknowledged */
    uint64_t row;
    const replay_command_t *command; /* NULL: a decision */
} voice_t;

typedef struct {
    const audit_ledger_t *ledgers;
    size_t ledgers_count;
    replay_tell_fn *tell;
    void *owner;
    voice_t *voices;
    size_t voices_count;
    size_t voices_room;
    audit_result_t result;
} audit_run_t;

__attribute__ ((format (printf, 2, 3))) static void violation (audit_run_t *self,
                                                               const char *format, ...)
{
    char sentence [512];
    va_list args;
    va_start (args, format);
    vsnprintf (sentence, sizeof sentence, format, args);
    va_end (args);
    self->result.violations++;
    self->tell (self->owner, sentence);
}

/*  --- gathering --- */

static void add_voice (audit_run_t *self, voice_t voice)
{
    self->voices =
      must_grow (self->voices, self->voices_count, &self->voices_room, sizeof *self->voices);
    self->voices [self->voices_count++] = voice;
}

static void add_ledger (audit_run_t *self, size_t ledger)
{
    const ledger_replay_t *replay = self->ledgers [ledger].replay;
    const replay_command_t *command;
    for (const txid_t *after = NULL; (command = ordered_after (replay->commands, after));
         after = &command->txid)
        add_voice (self, (voice_t){.txid = command->txid,
                                   .ledger = ledger,
                                   .row = command->row,
                                   .command = command});
    const replay_kept_t *kept;
    for (const replay_key_t *after = NULL; (kept = ordered_after (replay->kept, after));
         after = &kept->key) {
        voice_t voice = {.ledger = ledger, .row = kept->row};
        if (kept->key.table == TABLE_DECISIONS &&
            txid_unpack (&voice.txid, (bytes_t){kept->key.key, kept->key.key_size}) &&
            decision_read (packed_bytes (kept->record), &voice.confirmed))
            add_voice (self, voice);
    }
}

static int ledger_audit_by_txid (const void *a, const void *b)
{
    const voice_t *one = a;
    const voice_t *other = b;
    int order = txid_compare (&one->txid, &other->txid);
    if (order != 0)
        return order;
    return (one->ledger > other->ledger) - (one->ledger < other->ledger);
}

/*  --- one transaction --- */

/*  Is it the store that the plan means, under this id or under the one before it was adopted? */
static bool is_store (const audit_ledger_t *ledger, const uint8_t store [STORE_ID_BYTES])
{
    const replay_figures_t *figures = &ledger->replay->figures;
    return memcmp (ledger->store, store, STORE_ID_BYTES) == 0 ||
           (figures->adopted > 0 && memcmp (figures->before_id, store, STORE_ID_BYTES) == 0);
}

static bool ledger_audit_takes_part (const audit_ledger_t *ledger, const plan_t *plan)
{
    for (size_t i = 0; i < plan->participants_count; i++)
        if (is_store (ledger, plan->participants [i].store))
            return true;
    return false;
}

/*  Are all its rows here from before that moment on? Then what they do not mention has not
 *  happened. */
static bool ledger_audit_complete (const audit_ledger_t *ledger, int64_t since_ms)
{
    const replay_figures_t *figures = &ledger->replay->figures;
    return figures->broken == 0 && figures->adopted == 0 &&
           (figures->first <= 1 || figures->first_wall_ms < since_ms);
}

typedef struct {
    audit_run_t *audit;
    const voice_t *voices;
    size_t count;
    const plan_t *plan;
    const voice_t *committed; /* one that has committed; NULL = none */
    char text [TXID_TEXT_BYTES];
} ledger_audit_story_t;

static const char *ledger_audit_name_of (const ledger_audit_story_t *story, const voice_t *voice)
{
    return story->audit->ledgers [voice->ledger].name;
}

/*  Rows after the mark may be of events that the others had not heard of when they were read. */
static bool ledger_audit_marked (const ledger_audit_story_t *story, const voice_t *voice)
{
    uint64_t mark = story->audit->ledgers [voice->ledger].mark;
    return mark == 0 || voice->row <= mark;
}

static void judge_mixed (const ledger_audit_story_t *story)
{
    const voice_t *yes = story->committed;
    for (size_t i = 0; i < story->count; i++) {
        const voice_t *voice = &story->voices [i];
        if (!voice->command || voice->command->decided ||
            (voice->command->state != COMMAND_ABORTED &&
             voice->command->state != COMMAND_EXPIRED) ||
            !ledger_audit_takes_part (&story->audit->ledgers [voice->ledger], story->plan))
            continue;
        violation (story->audit, "mixed outcome of %s: %s at %s, %s at %s", story->text,
                   command_state_word (yes->command->state), ledger_audit_name_of (story, yes),
                   command_state_word (voice->command->state), ledger_audit_name_of (story, voice));
    }
}

static bool ledger_audit_heard (const ledger_audit_story_t *story, size_t ledger, bool decision)
{
    for (size_t i = 0; i < story->count; i++)
        if (story->voices [i].ledger == ledger && !story->voices [i].command == decision)
            return true;
    return false;
}

static void judge_orphan (const ledger_audit_story_t *story)
{
    audit_run_t *self = story->audit;
    bool all = true;
    for (size_t p = 0; p < story->plan->participants_count; p++) {
        const participant_ref_t *party = &story->plan->participants [p];
        size_t at = 0;
        while (at < self->ledgers_count && !is_store (&self->ledgers [at], party->store))
            at++;
        if (at == self->ledgers_count ||
            !ledger_audit_complete (&self->ledgers [at], story->committed->command->wall_ms)) {
            all = all && at < self->ledgers_count && ledger_audit_heard (story, at, false);
            continue;
        }
        if (!ledger_audit_heard (story, at, false) && ledger_audit_marked (story, story->committed))
            violation (
              self, "%s (%s) was committed at %s, but %s, which is in its plan, never heard of it",
              story->text, story->plan->reservation, ledger_audit_name_of (story, story->committed),
              party->name);
    }
    if (!all)
        self->result.unjudged++;
}

/*  A site may coordinate what it alone takes part in (svc-lis/plus/plus.h): its commit is the
 *  decision.
 */
static bool decided_alone (const ledger_audit_story_t *story)
{
    return story->plan->participants_count == 1 &&
           memcmp (story->plan->participants [0].store, story->committed->txid.store,
                   STORE_ID_BYTES) == 0;
}

/*  The coordinator's own ledger has its decision (T4). */
static void judge_decided (const ledger_audit_story_t *story)
{
    audit_run_t *self = story->audit;
    const voice_t *yes = story->committed;
    for (size_t at = 0; at < self->ledgers_count && !decided_alone (story); at++)
        if (is_store (&self->ledgers [at], yes->txid.store) &&
            ledger_audit_complete (&self->ledgers [at], yes->command->wall_ms) &&
            !ledger_audit_heard (story, at, true) && ledger_audit_marked (story, yes))
            violation (self, "%s was committed at %s, but its coordinator %s never decided that",
                       story->text, ledger_audit_name_of (story, yes), self->ledgers [at].name);
}

static void judge_confirmed (const ledger_audit_story_t *story, const voice_t *decision)
{
    for (size_t i = 0; i < story->count; i++) {
        const voice_t *voice = &story->voices [i];
        if (voice->command && !voice->command->decided &&
            ledger_audit_takes_part (&story->audit->ledgers [voice->ledger], story->plan))
            violation (story->audit, "%s is acknowledged by all according to %s, but is %s at %s",
                       story->text, ledger_audit_name_of (story, decision),
                       command_state_word (voice->command->state),
                       ledger_audit_name_of (story, voice));
    }
}

static bytes_t plan_told (const voice_t *voice)
{
    return voice->command ? packed_bytes (voice->command->record.plan) : (bytes_t){0};
}

/*  The plan as each of them has it; false when nobody has any. */
static bool ledger_audit_take_plan (const ledger_audit_story_t *story, plan_t *plan)
{
    const voice_t *whose = NULL;
    char why [WHY_BYTES];
    for (size_t i = 0; i < story->count; i++) {
        const voice_t *voice = &story->voices [i];
        bytes_t told = plan_told (voice);
        bytes_t first = whose ? plan_told (whose) : told;
        if (told.size == 0)
            continue;
        if (!whose)
            whose = codec_decode (&plan_codec, plan, told, why) ? voice : NULL;
        else if (told.size != first.size || memcmp (told.data, first.data, first.size) != 0)
            violation (story->audit, "%s has different plans at %s and at %s", story->text,
                       ledger_audit_name_of (story, voice), ledger_audit_name_of (story, whose));
    }
    return whose != NULL;
}

static void ledger_audit_row (audit_run_t *self, const voice_t *voices, size_t count)
{
    ledger_audit_story_t story = {.audit = self, .voices = voices, .count = count};
    const voice_t *confirmed = NULL;
    txid_text (&voices->txid, story.text);
    for (size_t i = 0; i < count; i++) {
        if (voices [i].command && voices [i].command->decided)
            story.committed = &voices [i];
        if (voices [i].confirmed)
            confirmed = &voices [i];
    }
    self->result.transactions++;
    plan_t plan;
    if (!ledger_audit_take_plan (&story, &plan))
        return;
    story.plan = &plan;
    if (story.committed) {
        self->result.committed++;
        judge_mixed (&story);
        judge_orphan (&story);
        judge_decided (&story);
    }
    if (confirmed && ledger_audit_marked (&story, confirmed))
        judge_confirmed (&story, confirmed);
    codec_clear (&plan_codec, &plan);
}

audit_result_t ledger_audit_judge (const audit_ledger_t *ledgers, size_t count,
                                   replay_tell_fn *tell, void *owner)
{
    audit_run_t self = {.ledgers = ledgers, .ledgers_count = count, .tell = tell, .owner = owner};
    for (size_t i = 0; i < count; i++)
        add_ledger (&self, i);
    if (self.voices_count > 0)
        qsort (self.voices, self.voices_count, sizeof *self.voices, ledger_audit_by_txid);
    for (size_t from = 0, until; from < self.voices_count; from = until) {
        until = from + 1;
        while (until < self.voices_count &&
               txid_compare (&self.voices [until].txid, &self.voices [from].txid) == 0)
            until++;
        ledger_audit_row (&self, &self.voices [from], until - from);
    }
    free (self.voices);
    return self.result;
}
