/*  readmission - asks one home after the other, page by page, and then books what they told. */
#include "readmission.h"

#include "member.h"
#include "must.h"
#include "ordered.h"
#include "readmission_wire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  The highest version of a reservation that was told. */
typedef struct {
    allocation_t told;
    plan_t plan; /* the plan in it */
    uint32_t version;
    bool stands;  /* committed, and not released */
    bool unclear; /* a change that a repair undid: as before, or not at all */
} readmission_entry_t;

struct readmission {
    service_t *service;
    participant_t *participant;
    readmission_part_fn *part;
    readmission_known_fn *known;
    void *known_owner;
    void *owner;
    bool lost;                    /* and not made up for yet */
    ordered_t *kept;              /* by reservation */
    size_t home;                  /* which one of the list is asked */
    allocations_question_t asked; /* the page it is asked for */
    bool doubt;                   /* some vote of the lost store is not decided yet */
    uint64_t call;
    uint64_t timer; /* next round */
};

static void kept_clear (readmission_entry_t *kept)
{
    codec_clear (&allocation_codec, &kept->told);
    codec_clear (&plan_codec, &kept->plan);
}

static void readmission_forget (readmission_t *self)
{
    for (readmission_entry_t *kept; (kept = ordered_after (self->kept, NULL));) {
        ordered_remove (self->kept, kept->plan.reservation);
        kept_clear (kept);
        free (kept);
    }
    self->asked.after_set = false;
    self->home = 0;
    self->doubt = false;
}

/*  --- booking --- */

static void tell_failed (readmission_t *self, const readmission_entry_t *kept, const char *why)
{
    const plan_t *plan = &kept->plan;
    service_count (self->service, "readmission_failed", 1);
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "reservation %s owner=%s version=%" PRIu32
                " was promised here and can't be booked again: %s",
                plan->reservation, plan->owner, kept->version, why);
}

/*  The part that it books here; false when that can't be told. */
static bool readmission_part_of (readmission_t *self, const readmission_entry_t *kept,
                                 packed_t *part, char why [WHY_BYTES])
{
    answer_t answer;
    *part = (packed_t){0};
    if (kept->unclear)
        return wrong (why, "its last change was undone by a repair, and only the other "
                           "participants know what it has now");
    if (!kept->stands)
        return true;
    if (!codec_decode (&answer_codec, &answer, packed_bytes (kept->told.answer), why))
        return false;
    bool told = self->part (self->owner, &answer, part, why);
    codec_clear (&answer_codec, &answer);
    if (!told)
        return false;
    return part->size > 0 || kept->told.amended || kept->plan.operation != OPERATION_RESERVE ||
           wrong (why, "its answer does not say what it booked here");
}

static void readmission_book (readmission_t *self, const moment_t *now,
                              const readmission_entry_t *kept)
{
    const allocation_t *told = &kept->told;
    char why [WHY_BYTES] = "";
    packed_t part;
    if (!readmission_part_of (self, kept, &part, why)) {
        tell_failed (self, kept, why);
        return;
    }
    readmitted_t readmitted = {.plan = &kept->plan,
                               .version = kept->version,
                               .over = !kept->stands,
                               .part = {.data = part.data, .size = part.size}};
    if (!told->amended)
        readmitted.packed_plan = packed_bytes (told->plan);
    readmit_t end = participant_readmit (self->participant, now, &readmitted, why);
    free (part.data);
    if (end == READMIT_REFUSED)
        tell_failed (self, kept, why);
    if (end != READMIT_BOOKED && end != READMIT_GIVEN_BACK)
        return;
    service_count (self->service, "readmitted", 1);
    outbox_log (self->service->outbox, LEVEL_WARNING,
                "reservation %s ->readmitted owner=%s version=%" PRIu32 "%s",
                kept->plan.reservation, kept->plan.owner, kept->version,
                end == READMIT_GIVEN_BACK ? " given_back=true" : "");
}

static void readmission_ask (readmission_t *self, const moment_t *now);

static void readmission_begin (readmission_t *self, const moment_t *now)
{
    readmission_forget (self);
    readmission_ask (self, now);
}

static void readmission_on_round (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    readmission_t *self = owner;
    self->timer = 0;
    readmission_begin (self, now);
}

static void wait (readmission_t *self, const moment_t *now, const char *what)
{
    char text [WHY_BYTES];
    snprintf (text, sizeof text, "its store was lost, so it grants no holds yet: %s", what);
    if (strcmp (text, restore_guard_text (restore_guard_of (self->service))) != 0)
        outbox_log (self->service->outbox, LEVEL_ALARM, "readmission waits: %s", what);
    restore_guard_tell (restore_guard_of (self->service), text);
    self->timer = timers_set (self->service->timers, now->mono_ms + READMISSION_AGAIN_MS,
                              readmission_on_round, self, 0);
}

static void readmission_finish (readmission_t *self, const moment_t *now)
{
    if (self->doubt) {
        wait (self, now, "a transaction that the lost store had voted for is not decided yet");
        return;
    }
    const char *at = self->known ? self->known (self->known_owner) : NULL;
    if (at) {
        wait (self, now, at);
        return;
    }
    for (const readmission_entry_t *kept; (kept = ordered_after (self->kept, at));
         at = kept->plan.reservation)
        readmission_book (self, now, kept);
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "readmission done reservations_told=%zu: holds are granted again",
                ordered_count (self->kept));
    readmission_forget (self);
    participant_readmitting (self->participant, false);
    restore_guard_tell (restore_guard_of (self->service), "");
    self->lost = false;
    restore_guard_settled (restore_guard_of (self->service), now);
}

/*  --- asking --- */

/*  Does the plan name an earlier store of this participant, as one that votes or is awaited? */
static bool voted_before (const readmission_t *self, const plan_t *plan)
{
    const participant_ref_t *party = plan_party (plan, self->service->name);
    return party && memcmp (party->store, self->service->store.id, STORE_ID_BYTES) != 0;
}

/*  Takes over the contents of told and of its plan. */
static void readmission_keep (readmission_t *self, allocation_t *told, plan_t *plan)
{
    uint32_t version = plan->base_version + 1;
    char why [WHY_BYTES];
    answer_t answer;
    bool committed = codec_decode (&answer_codec, &answer, packed_bytes (told->answer), why) &&
                     answer.status == ANSWER_COMMITTED;
    if (told->amended) /* a repair came after it */
        version = committed && answer.version > version ? answer.version : version + 1;
    codec_clear (&answer_codec, &answer);
    readmission_entry_t *kept = ordered_find (self->kept, plan->reservation);
    if (kept && kept->version >= version)
        return;
    if (kept) {
        ordered_remove (self->kept, plan->reservation);
        kept_clear (kept);
    } else {
        kept = must (calloc (1, sizeof *kept));
    }
    *kept = (readmission_entry_t){.told = *told,
                                  .plan = *plan,
                                  .version = version,
                                  .stands = committed && plan->operation != OPERATION_RELEASE,
                                  .unclear = !committed && plan->operation == OPERATION_MODIFY};
    *told = (allocation_t){0};
    *plan = (plan_t){0};
    ordered_add (self->kept, kept->plan.reservation, kept);
}

static void readmission_take_page (readmission_t *self, const moment_t *now,
                                   allocations_page_t *page)
{
    for (size_t i = 0; i < page->count; i++) {
        allocation_t *told = &page->list [i];
        plan_t plan;
        char why [WHY_BYTES];
        bool sound = codec_decode (&plan_codec, &plan, packed_bytes (told->plan), why);
        assert (sound); /* its codec has seen it */
        if (told->decided) {
            participant_told_committed (self->participant, now, &plan.txid);
            readmission_keep (self, told, &plan);
        } else if (voted_before (self, &plan)) {
            self->doubt = true;
        }
        codec_clear (&plan_codec, &plan);
    }
    self->asked.after_set = page->next_set;
    memcpy (self->asked.after, page->next, sizeof self->asked.after);
    if (!page->next_set)
        self->home++;
}

static void readmission_on_page (void *owner, const moment_t *now, uint64_t token,
                                 const call_result_t *result)
{
    (void) token;
    readmission_t *self = owner;
    const char *const *homes;
    char why [WHY_BYTES], what [WHY_BYTES / 2];
    allocations_page_t page;
    self->call = 0;
    if (call_take (result, &allocations_page_codec, &page, NULL)) {
        readmission_take_page (self, now, &page);
        codec_clear (&allocations_page_codec, &page);
        readmission_ask (self, now);
        return;
    }
    size_t count = directory_homes (directory_of (self->service), &homes);
    snprintf (what, sizeof what, "home %s has not told what is booked here: %.40s",
              self->home < count ? homes [self->home] : "",
              result->status == CALL_OK ? why : result->reason);
    wait (self, now, what);
}

static void readmission_ask (readmission_t *self, const moment_t *now)
{
    const char *const *homes;
    size_t count = directory_known (directory_of (self->service))
                     ? directory_homes (directory_of (self->service), &homes)
                     : 0;
    if (count == 0) {
        wait (self, now, "no directory has told yet which the request homes are");
        return;
    }
    if (self->home >= count) {
        readmission_finish (self, now);
        return;
    }
    memcpy (self->asked.participant, self->service->name, sizeof self->asked.participant);
    packed_t body = codec_encode (&allocations_question_codec, &self->asked);
    self->call = service_ask (self->service, now,
                              &(call_order_t){.peer = homes [self->home],
                                              .service = "Home",
                                              .method = "Allocations",
                                              .timeout_ms = READMISSION_ASK_MS,
                                              .tries_max = READMISSION_ASK_TRIES},
                              body, readmission_on_page, self, 0);
}

/*  --- the class --- */

static void readmission_on_lost (void *owner, const moment_t *now,
                                 const uint8_t store [STORE_ID_BYTES])
{
    (void) store;
    readmission_t *self = owner;
    if (self->lost)
        return; /* the homes tell of all its earlier stores at once */
    self->lost = true;
    participant_readmitting (self->participant, true);
    restore_guard_tell (
      restore_guard_of (self->service),
      "its store was lost, so it grants no holds yet: the homes are asked what it had promised");
    readmission_begin (self, now);
}

readmission_t *readmission_new (service_t *service, participant_t *participant,
                                readmission_part_fn *part, void *owner)
{
    readmission_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->participant = participant;
    self->part = part;
    self->owner = owner;
    self->kept = ordered_by_text (offsetof (readmission_entry_t, plan.reservation));
    restore_guard_on_lost (restore_guard_of (service), readmission_on_lost, self);
    return self;
}

void readmission_when (readmission_t *self, readmission_known_fn *known, void *owner)
{
    self->known = known;
    self->known_owner = owner;
}

void readmission_destroy (readmission_t **self_p)
{
    readmission_t *self = *self_p;
    if (!self)
        return;
    calls_cancel (self->service->calls, self->call);
    timers_cancel (self->service->timers, self->timer);
    readmission_forget (self);
    ordered_destroy (&self->kept);
    free (self);
    *self_p = NULL;
}
