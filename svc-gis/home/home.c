/*  home - an index of claims by (actor, request id) over the participant's commands, and the
 *  records of closed requests.
 *
 *  The index is the participant's resource: taking a claim puts it in, dropping it takes it out.
 *  What a claim says (plan, answer) is read from its command when asked, so nothing is kept twice.
 *  At start the participant takes its open and committed claims again, which rebuilds the index.
 */
#include "home.h"

#include "access.h"
#include "allocations.h"
#include "home_wire.h"
#include "member.h"
#include "must.h"
#include "ordered.h"
#include "parties_wire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_RESERVE_PARTS 20 /* the last twentieth of the store is for decisions (T13) */
#define PARTIES_LOOKS_MAX   64 /* claims read to tell who takes part in a reservation */
#define KEY_BYTES_MAX       (NAME_BYTES_MAX + 1 + REQUEST_ID_BYTES_MAX)

typedef struct {
    const char *actor;
    const char *request_id;
} claim_name_t;

/*  Where an attempt's claim is among those about its reservation. */
typedef struct {
    const char *reservation; /* "": a closed one, which is about none */
    txid_t txid;
} claim_place_t;

/*  A claim, in the index under its name, that one attempt has, or that is closed. */
typedef struct {
    home_t *home;
    claim_name_t name; /* points into texts */
    claim_state_t state;
    bool done;
    bool doubled; /* not in the index, because another claim of that name is */
    uint8_t digest [DIGEST_BYTES];
    claim_place_t place;   /* held, committed: of the attempt that has it */
    packed_t answer;       /* closed: the refusal */
    int64_t keep_until_ms; /* closed */
    int64_t closed_ms;
    uint64_t timer; /* closed: when it is forgotten */
    char texts [];
} home_claim_t;

struct home {
    service_t *service;
    const participant_limits_t *limits;
    const access_t *access;
    uint32_t closed_max;
    participant_t *participant;
    allocations_t *allocations;
    ordered_t *claims;
    ordered_t *by_reservation; /* those of attempts, by place */
    size_t closed_count;
};

/*  --- the index --- */

static int home_by_name (const void *key, const void *thing)
{
    const claim_name_t *a = key;
    const claim_name_t *b = &((const home_claim_t *) thing)->name;
    int order = strcmp (a->actor, b->actor);
    return order != 0 ? order : strcmp (a->request_id, b->request_id);
}

static int home_by_place (const void *key, const void *thing)
{
    const claim_place_t *a = key;
    const claim_place_t *b = &((const home_claim_t *) thing)->place;
    int order = strcmp (a->reservation, b->reservation);
    return order != 0 ? order : txid_compare (&a->txid, &b->txid);
}

static home_claim_t *claim_find (const home_t *self, const char *actor, const char *request_id)
{
    return ordered_find (self->claims, &(claim_name_t){.actor = actor, .request_id = request_id});
}

/*  place: of the attempt that has it; of a closed one about no reservation. */
static home_claim_t *claim_new (home_t *self, const char *actor, const char *request_id,
                                claim_place_t place, const uint8_t digest [DIGEST_BYTES])
{
    const char *reservation = place.reservation;
    size_t actor_size = strlen (actor) + 1, request_id_size = strlen (request_id) + 1;
    size_t reservation_size = strlen (reservation) + 1;
    home_claim_t *claim =
      must (calloc (1, sizeof *claim + actor_size + request_id_size + reservation_size));
    claim->home = self;
    claim->name.actor = memcpy (claim->texts, actor, actor_size);
    claim->name.request_id = memcpy (claim->texts + actor_size, request_id, request_id_size);
    claim->place.reservation =
      memcpy (claim->texts + actor_size + request_id_size, reservation, reservation_size);
    memcpy (claim->digest, digest, DIGEST_BYTES);
    claim->doubled = ordered_find (self->claims, &claim->name) != NULL;
    if (!claim->doubled)
        ordered_add (self->claims, &claim->name, claim);
    claim->place.txid = place.txid;
    if (*reservation && !claim->doubled)
        ordered_add (self->by_reservation, &claim->place, claim);
    return claim;
}

static void claim_free (home_claim_t *claim)
{
    home_t *self = claim->home;
    timers_cancel (self->service->timers, claim->timer);
    if (!claim->doubled)
        ordered_remove (self->claims, &claim->name);
    if (*claim->place.reservation && !claim->doubled)
        ordered_remove (self->by_reservation, &claim->place);
    if (claim->state == CLAIM_CLOSED)
        self->closed_count--;
    free (claim->answer.data);
    free (claim);
}

/*  --- what its command says --- */

/*  Its plan and the answer in its part; found is false when the participant does not have it. */
typedef struct {
    bool found;
    plan_t plan;
    claim_part_t part;
} command_copy_t;

static command_copy_t home_command_of (const home_claim_t *claim)
{
    command_copy_t copy = {.found = false};
    bytes_t part;
    char why [WHY_BYTES];
    copy.found =
      participant_command (claim->home->participant, &claim->place.txid, &copy.plan, &part) &&
      codec_decode (&claim_part_codec, &copy.part, part, why);
    return copy;
}

static void command_copy_clear (command_copy_t *copy)
{
    codec_clear (&plan_codec, &copy->plan);
    codec_clear (&claim_part_codec, &copy->part);
}

/*  --- refusals --- */

static void refuse_conflict (refusal_t *refusal)
{
    refusal->reason = REFUSAL_CONFLICT;
    snprintf (refusal->text, sizeof refusal->text,
              "this request id has been used with another request");
}

static void home_refuse_busy (const home_claim_t *claim, command_copy_t *copy, refusal_t *refusal)
{
    char text [TXID_TEXT_BYTES];
    refusal->reason = REFUSAL_CLAIM_BUSY;
    refusal->blocker_set = true;
    refusal->blocker = claim->place.txid;
    if (copy->found) {
        refusal->holder = must (malloc (sizeof *refusal->holder));
        *refusal->holder = copy->plan;
        copy->plan = (plan_t){0}; /* handed over */
    }
    snprintf (refusal->text, sizeof refusal->text, "attempt %s has the claim on this request",
              txid_text (&claim->place.txid, text));
}

static void refuse_answered (packed_t *answer, bool done, refusal_t *refusal)
{
    refusal->reason = REFUSAL_CLAIM_ANSWERED;
    refusal->answer = answer->data;
    refusal->answer_size = answer->size;
    refusal->done = done;
    *answer = (packed_t){0}; /* handed over */
    snprintf (refusal->text, sizeof refusal->text, "this request has been answered");
}

/*  The body of a recalled request is not known here any more, so any body matches. */
static bool other_body (const home_claim_t *claim, const uint8_t digest [DIGEST_BYTES])
{
    static const uint8_t none [DIGEST_BYTES];
    bool recalled = claim->state == CLAIM_CLOSED && memcmp (claim->digest, none, DIGEST_BYTES) == 0;
    return !recalled && memcmp (claim->digest, digest, DIGEST_BYTES) != 0;
}

/*  Refuses a hold on a claim that is taken. */
static void refuse_taken (const home_claim_t *claim, const uint8_t digest [DIGEST_BYTES],
                          refusal_t *refusal)
{
    if (other_body (claim, digest)) {
        refuse_conflict (refusal);
        return;
    }
    if (claim->state == CLAIM_CLOSED) {
        packed_t answer = packed_copy (packed_bytes (claim->answer));
        refuse_answered (&answer, true, refusal);
        return;
    }
    command_copy_t copy = home_command_of (claim);
    if (claim->state == CLAIM_COMMITTED)
        refuse_answered (&copy.part.answer, claim->done, refusal);
    else
        home_refuse_busy (claim, &copy, refusal);
    command_copy_clear (&copy);
}

/*  --- the participant's resource --- */

static void *home_take (void *owner, const moment_t *now, const plan_t *plan, const void *current,
                        const part_body_t *part, bool forced, refusal_t *refusal)
{
    (void) now;
    (void) current; /* claims have no versions */
    home_t *self = owner;
    const uint8_t *digest = part->claim.digest;
    home_claim_t *claim = claim_find (self, plan->actor, plan->request_id);
    if (claim && !forced) {
        refuse_taken (claim, digest, refusal);
        return NULL;
    }
    claim_place_t place = {.reservation = plan->reservation, .txid = plan->txid};
    claim = claim_new (self, plan->actor, plan->request_id, place, digest);
    claim->state = CLAIM_HELD;
    if (claim
          ->doubled) /* only from damaged records: while we run it is refused, and never stored */
        outbox_log (self->service->outbox, LEVEL_ALARM, "claim %s/%s doubled", plan->actor,
                    plan->request_id);
    return claim;
}

static void home_drop (void *owner, void *claim)
{
    (void) owner;
    claim_free (claim);
}

static void *home_settle (void *owner, void *current, void *taken)
{
    (void) owner;
    assert (!current);
    home_claim_t *claim = taken;
    claim->state = CLAIM_COMMITTED;
    return claim;
}

/*  A claim books nothing, but its answer tells until when it may be asked for (T2). */
static span_t home_span (void *owner, const part_body_t *part)
{
    (void) owner;
    int64_t until_ms = answer_end_ms (packed_bytes (part->claim.answer));
    return (span_t){.set = until_ms > 0, .until_ms = until_ms};
}

/*  A request has one home, named in its id: a request claimed at two homes could be carried out
 *  twice. */
static bool belongs_here (const home_t *self, const char *request_id, char why [WHY_BYTES])
{
    const char *here = strchr (self->service->name, '/') + 1;
    const char *at = strrchr (request_id, '@');
    if (at && at != request_id && strcmp (at + 1, here) == 0)
        return true;
    return wrong (why, "request_id: must end in @%s, the name of this home", here);
}

static bool valid (void *owner, const plan_t *plan, const part_body_t *part, refusal_t *refusal,
                   char why [WHY_BYTES])
{
    (void) refusal;
    const home_t *self = owner;
    if (strcmp (plan->home, self->service->name) != 0)
        return wrong (why, "plan.home: must be %s", self->service->name);
    if (!*plan->actor)
        return wrong (why, "plan.actor: missing");
    return belongs_here (self, plan->request_id, why) &&
           (answer_right (packed_bytes (part->claim.answer)) ||
            wrong (why, "claim.answer: not an Answer"));
}

static void answer_final (void *owner, void *current)
{
    (void) owner;
    home_claim_t *claim = current;
    claim->done = true;
}

/*  --- look --- */

/*  Borrows from claim and copy, except for the holder, which the caller frees. */
static look_answer_t home_look_at (const home_claim_t *claim, const look_t *asked,
                                   command_copy_t *copy)
{
    *copy = (command_copy_t){0};
    if (!claim)
        return (look_answer_t){.state = CLAIM_FREE};
    look_answer_t look = {.state = claim->state};
    look.conflict = asked->digest_set && other_body (claim, asked->digest);
    if (claim->state == CLAIM_CLOSED) {
        look.answer = packed_bytes (claim->answer);
        return look;
    }
    *copy = home_command_of (claim);
    if (copy->found)
        look.holder = codec_encode (&plan_codec, &copy->plan);
    if (claim->state == CLAIM_COMMITTED) {
        look.answer = packed_bytes (copy->part.answer);
        look.done = claim->done;
    }
    return look;
}

/*  Only the user himself, planners and administrators may look. */
static void home_on_look (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    home_t *self = owner;
    const look_t *look = body;
    char why [WHY_BYTES];
    if (!belongs_here (self, look->request_id, why)) {
        service_refuse (self->service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (!may (self->access, VERB_SHOW, request->actor, request->actor, look->actor)) {
        service_refuse (self->service, request, CALL_DENIED, "%.63s may not look at claims of %s",
                        request->actor, look->actor);
        return;
    }
    command_copy_t copy;
    look_answer_t answer =
      home_look_at (claim_find (self, look->actor, look->request_id), look, &copy);
    service_reply (self->service, request, codec_encode (&look_answer_codec, &answer));
    free (answer.holder.data);
    command_copy_clear (&copy);
}

/*  --- who takes part --- */

/*  Those of one attempt, but for the home, which has a claim and no part of the reservation. */
static void parties_add (parties_told_t *told, const plan_t *plan)
{
    for (size_t i = 0; i < plan->participants_count; i++) {
        const participant_ref_t *party = &plan->participants [i];
        if (strcmp (party->name, plan->home) == 0 ||
            parties_find (told->list, told->count, party->name))
            continue;
        if (told->count == PARTIES_TOLD_MAX) {
            told->more = true;
            return;
        }
        told->list = must (realloc (told->list, (told->count + 1) * sizeof *told->list));
        told->list [told->count++] = *party;
    }
}

static parties_told_t home_parties (const home_t *self, const char *reservation)
{
    parties_told_t told = {0};
    claim_place_t at = {.reservation = reservation};
    size_t looks = 0;
    for (const home_claim_t *claim; (claim = ordered_after (self->by_reservation, &at)) &&
                                    strcmp (claim->place.reservation, reservation) == 0;
         at = claim->place) {
        command_copy_t copy = {0};
        told.more |= looks == PARTIES_LOOKS_MAX;
        if (looks++ < PARTIES_LOOKS_MAX)
            copy = home_command_of (claim);
        if (copy.found)
            parties_add (&told, &copy.plan);
        command_copy_clear (&copy);
        if (told.more)
            break;
    }
    return told;
}

static void on_parties (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    home_t *self = owner;
    const parties_question_t *asked = body;
    if (!may (self->access, VERB_RESOLVE, request->actor, request->actor, "")) {
        service_refuse (self->service, request, CALL_DENIED, "%.63s may not ask who takes part",
                        request->actor);
        return;
    }
    parties_told_t told = home_parties (self, asked->reservation);
    service_reply (self->service, request, codec_encode (&parties_told_codec, &told));
    codec_clear (&parties_told_codec, &told);
}

/*  --- close --- */

static bytes_t claim_key (const home_claim_t *claim, uint8_t key [KEY_BYTES_MAX])
{
    size_t actor_size = strlen (claim->name.actor) + 1;
    size_t request_id_length = strlen (claim->name.request_id);
    memcpy (key, claim->name.actor, actor_size);
    memcpy (key + actor_size, claim->name.request_id, request_id_length);
    return (bytes_t){.data = key, .size = actor_size + request_id_length};
}

static void on_closed_over (void *owner, const moment_t *now, uint64_t token);

/*  Sets the timer for when both clocks agree that the retention has passed. */
static void home_watch (home_claim_t *claim, const moment_t *now)
{
    const home_t *self = claim->home;
    int64_t over_ms = claim->keep_until_ms + self->limits->retention_ms;
    claim->timer =
      timers_set (self->service->timers, timekeeper_mono (&self->service->timekeeper, now, over_ms),
                  on_closed_over, claim, 0);
}

static void on_closed_over (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    home_claim_t *claim = owner;
    home_t *self = claim->home;
    int64_t over_ms = claim->keep_until_ms + self->limits->retention_ms;
    claim->timer = 0;
    if (timekeeper_least (&self->service->timekeeper, now) < over_ms) {
        home_watch (claim, now); /* a clock was stepped */
        return;
    }
    uint8_t key [KEY_BYTES_MAX];
    outbox_delete (self->service->outbox, TABLE_CLAIMS, claim_key (claim, key));
    ledger_append (ledger_of (self->service),
                   &(ledger_entry_t){.kind = LEDGER_PRUNED_CLAIM,
                                     .actor = claim->name.actor,
                                     .request_id = claim->name.request_id});
    service_count (self->service, "closed", -1);
    claim_free (claim);
}

static home_claim_t *closed_new (home_t *self, const char *actor, const char *request_id,
                                 const closed_record_t *record)
{
    home_claim_t *claim =
      claim_new (self, actor, request_id, (claim_place_t){.reservation = ""}, record->digest);
    assert (!claim->doubled);
    claim->state = CLAIM_CLOSED;
    claim->answer = record->answer;
    claim->keep_until_ms = record->keep_until_ms;
    claim->closed_ms = record->closed_ms;
    self->closed_count++;
    service_count (self->service, "closed", 1);
    return claim;
}

/*  Puts it in the same write as the answer, so that "refused" is told only after it is stored. */
static home_claim_t *home_close_claim (home_t *self, const moment_t *now, close_t *order)
{
    closed_record_t record = {
      .answer = order->answer, .keep_until_ms = order->keep_until_ms, .closed_ms = now->wall_ms};
    memcpy (record.digest, order->claim.digest, DIGEST_BYTES);
    order->answer = (packed_t){0};
    if (record.keep_until_ms > now->wall_ms + HOME_KEEP_MS_MAX)
        record.keep_until_ms = now->wall_ms + HOME_KEEP_MS_MAX;
    if (record.keep_until_ms < now->wall_ms)
        record.keep_until_ms = now->wall_ms;
    home_claim_t *claim = closed_new (self, order->claim.actor, order->claim.request_id, &record);
    home_watch (claim, now);

    uint8_t key [KEY_BYTES_MAX];
    packed_t value = codec_encode (&closed_record_codec, &record);
    bytes_t stored = packed_bytes (value);
    outbox_put (self->service->outbox, TABLE_CLAIMS, claim_key (claim, key), stored);
    ledger_append (ledger_of (self->service),
                   &(ledger_entry_t){.kind = LEDGER_CLOSED_CLAIM,
                                     .actor = claim->name.actor,
                                     .request_id = claim->name.request_id,
                                     .record = stored});
    free (value.data);
    outbox_log (self->service->outbox, LEVEL_INFO,
                "claim %s/%s free->closed keep_until_ms=%" PRId64, claim->name.actor,
                claim->name.request_id, claim->keep_until_ms);
    return claim;
}

/*  --- recall (T2) --- */

/*  Raises an alarm when the request was carried out twice. An attempt that is only held is not
 *  decided yet, and does not count. */
static void compare_recalled (home_t *self, const home_claim_t *claim, const plan_t *plan,
                              packed_t answer, const char *teller)
{
    command_copy_t copy = home_command_of (claim);
    bool same = claim->state == CLAIM_CLOSED
                  ? claim->answer.size == answer.size &&
                      memcmp (claim->answer.data, answer.data, answer.size) == 0
                  : claim->state == CLAIM_HELD ||
                      (copy.found && strcmp (copy.plan.reservation, plan->reservation) == 0);
    if (!same) {
        char text [256];
        snprintf (text, sizeof text,
                  "request %.80s was carried out twice: as %.36s at %.30s, and as %.36s",
                  plan->request_id, plan->reservation, teller,
                  copy.found ? copy.plan.reservation : "something else, by the answer kept here");
        service_count (self->service, "done_twice", 1);
        service_warn (self->service, plan->reservation, text, INT64_MAX);
    }
    command_copy_clear (&copy);
}

bool home_recall (home_t *self, const moment_t *now, const plan_t *plan, const char *teller)
{
    char why [WHY_BYTES];
    if (!*plan->actor || strcmp (plan->home, self->service->name) != 0 ||
        !belongs_here (self, plan->request_id, why))
        return false;
    const home_claim_t *claim = claim_find (self, plan->actor, plan->request_id);
    close_t order = {.answer = recalled_answer_encode (plan), .keep_until_ms = plan->end_ms};
    if (claim) {
        compare_recalled (self, claim, plan, order.answer, teller);
        free (order.answer.data);
        return false;
    }
    memcpy (order.claim.actor, plan->actor, sizeof order.claim.actor);
    memcpy (order.claim.request_id, plan->request_id, sizeof order.claim.request_id);
    home_close_claim (self, now, &order);
    service_count (self->service, "recalled", 1);
    return true;
}

/*  May the claim be closed? False when the request has been refused. */
static bool check_close (home_t *self, const moment_t *now, const request_t *request,
                         const close_t *order)
{
    char why [WHY_BYTES];
    if (!belongs_here (self, order->claim.request_id, why))
        return service_refuse (self->service, request, CALL_BAD_REQUEST, "%s", why);
    /* It is final, as an answer to RESOLVE is, so the same callers may ask for it. */
    if (!may (self->access, VERB_RESOLVE, request->actor, order->claim.actor, ""))
        return service_refuse (self->service, request, CALL_DENIED, "%.63s may not close requests",
                               request->actor);
    if (claim_find (self, order->claim.actor, order->claim.request_id))
        return true;
    if (self->closed_count >= self->closed_max)
        return service_refuse (self->service, request, CALL_OVERLOADED,
                               "limits/closed_max: %zu closed requests are kept, which is the most",
                               self->closed_count);
    if (!moment_room (now, now->store_bytes / CLOSE_RESERVE_PARTS, request->body.size))
        return service_refuse (
          self->service, request, CALL_OVERLOADED,
          "the store of %s is full, with %" PRIu64
          " KiB left: wait until old records have left it, or give it more store/bytes",
          self->service->name, now->store_free_bytes >> 10);
    return true;
}

static void on_close (void *owner, const moment_t *now, const request_t *request, void *body)
{
    home_t *self = owner;
    close_t *order = body;
    if (!check_close (self, now, request, order))
        return;
    home_claim_t *claim = claim_find (self, order->claim.actor, order->claim.request_id);
    if (!claim)
        claim = home_close_claim (self, now, order);
    command_copy_t copy;
    close_answer_t told = {.look = home_look_at (claim, &order->claim, &copy)};
    told.closed = told.look.state == CLAIM_CLOSED && !told.look.conflict;
    if (!told.closed)
        service_count (self->service, "closes_refused", 1);
    service_reply (self->service, request, codec_encode (&close_answer_codec, &told));
    free (told.look.holder.data);
    command_copy_clear (&copy);
}

/*  --- records and start --- */

static bool key_take (bytes_t key, char actor [NAME_BYTES_MAX + 1],
                      char request_id [REQUEST_ID_BYTES_MAX + 1])
{
    const uint8_t *end_of_actor = key.size > 0 ? memchr (key.data, 0, key.size) : NULL;
    if (!end_of_actor)
        return false;
    size_t actor_length = (size_t) (end_of_actor - key.data);
    size_t request_id_length = key.size - actor_length - 1;
    if (actor_length == 0 || actor_length > NAME_BYTES_MAX || request_id_length == 0 ||
        request_id_length > REQUEST_ID_BYTES_MAX || memchr (end_of_actor + 1, 0, request_id_length))
        return false;
    memcpy (actor, key.data, actor_length + 1);
    memcpy (request_id, end_of_actor + 1, request_id_length);
    request_id [request_id_length] = '\0';
    return true;
}

static void load_closed (void *owner, bytes_t key, bytes_t value)
{
    home_t *self = owner;
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    closed_record_t record;
    char why [WHY_BYTES] = "key: not of the form actor, NUL, request id";
    if (key_take (key, actor, request_id) &&
        codec_decode (&closed_record_codec, &record, value, why)) {
        if (!claim_find (self, actor, request_id)) {
            closed_new (self, actor, request_id, &record);
            return;
        }
        snprintf (why, sizeof why, "key: loaded twice");
        free (record.answer.data);
    }
    service_bad_record (self->service, "claims", why);
}

static void home_on_start (void *owner, const moment_t *now)
{
    home_t *self = owner;
    const claim_name_t *at = NULL;
    for (home_claim_t *claim; (claim = ordered_after (self->claims, at)); at = &claim->name)
        if (claim->state == CLAIM_CLOSED)
            home_watch (claim, now);
    outbox_log (self->service->outbox, LEVEL_INFO, "home started claims=%zu closed=%zu",
                ordered_count (self->claims), self->closed_count);
}

/*  For the ledger: is the claim that a row tells of still closed? */
static bool closed_stands (void *owner, const ledger_subject_t *subject)
{
    return *subject->actor && claim_find (owner, subject->actor, subject->request_id);
}

home_t *home_new (service_t *service, const participant_limits_t *limits, const access_t *access,
                  uint32_t closed_max)
{
    assert (service && limits && access && strchr (service->name, '/'));
    home_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->limits = limits;
    self->access = access;
    self->closed_max = closed_max;
    self->claims = ordered_new (home_by_name);
    self->by_reservation = ordered_new (home_by_place);
    const resource_t resource = {.owner = self,
                                 .part_kind = PART_CLAIM,
                                 .claims = true,
                                 .take = home_take,
                                 .drop = home_drop,
                                 .settle = home_settle,
                                 .end = home_drop,
                                 .span = home_span,
                                 .valid = valid,
                                 .answer_final = answer_final};
    self->participant = participant_new (service, &resource, limits, access);
    service_load (service, TABLE_CLAIMS, load_closed, self);
    ledger_stands (ledger_of (service), closed_stands, self);
    service_at_start (service, home_on_start,
                      self); /* after the participant's: the claims are there */
    service_serve (service, "Home", "Look", &look_codec, ALWAYS, home_on_look, self);
    service_serve (service, "Home", "Close", &close_codec, ALWAYS, on_close, self);
    service_serve (service, "Home", "Parties", &parties_question_codec, ALWAYS, on_parties, self);
    self->allocations = allocations_new (service, self->participant, access);
    return self;
}

void home_destroy (home_t **self_p)
{
    home_t *self = *self_p;
    if (!self)
        return;
    allocations_destroy (&self->allocations);
    participant_destroy (&self->participant); /* drops and ends its claims */
    for (home_claim_t *claim; (claim = ordered_after (self->claims, NULL));)
        claim_free (claim);
    ordered_destroy (&self->claims);
    ordered_destroy (&self->by_reservation);
    free (self);
    *self_p = NULL;
}
