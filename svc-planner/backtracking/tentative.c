/*  tentative - takes, renews and cancels holds of one participant each. */
#include "tentative.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RENEW_PARTS 3 /* a hold is renewed when a third of its life is over */

typedef enum { STAKE_ASKED, STAKE_HELD, STAKE_REFUSED, STAKE_CANCELLED } stake_state_t;

/*  One hold at one participant. */
typedef struct stake {
    tentative_t *tentative;
    backtrack_hold_t what;
    participant_ref_t party;
    txid_t txid;
    stake_state_t state;
    uint64_t call; /* hold, abort or renewal under way */
    uint64_t timer;
    struct stake *next;
} stake_t;

struct tentative {
    tentative_order_t order;
    stake_t *stakes;
    size_t waiting; /* answers */
    bool refused;
    tentative_refusal_t refusal; /* the last */
    tentative_done_fn *done;
    void *owner;
};

static void stake_free (stake_t *self)
{
    service_t *service = self->tentative->order.service;
    calls_cancel (service->calls, self->call);
    timers_cancel (service->timers, self->timer);
    free (self);
}

/*  Removes stakes that are over from the list. */
static void tentative_sweep (tentative_t *self)
{
    for (stake_t **at = &self->stakes; *at;) {
        stake_t *stake = *at;
        if (stake->state != STAKE_REFUSED && stake->state != STAKE_CANCELLED) {
            at = &stake->next;
            continue;
        }
        *at = stake->next;
        stake_free (stake);
    }
}

static void tentative_begin (tentative_t *self, tentative_done_fn *done, void *owner)
{
    assert (!self->done && self->waiting == 0);
    self->done = done;
    self->owner = owner;
    self->refused = false;
}

static void tentative_finish (tentative_t *self, const moment_t *now)
{
    if (--self->waiting > 0)
        return;
    bool held = !self->refused;
    tentative_done_fn *done = self->done;
    self->done = NULL;
    tentative_sweep (self);
    done (self->owner, now, held);
}

/*  --- cancelling --- */

static void tentative_on_aborted (void *owner, const moment_t *now, uint64_t token,
                                  const call_result_t *result)
{
    (void) token;
    (void) result; /* if it did not answer, its hold expires by itself */
    stake_t *stake = owner;
    stake->call = 0;
    stake->state = STAKE_CANCELLED;
    tentative_finish (stake->tentative, now);
}

static void tentative_give_up (stake_t *stake, const moment_t *now)
{
    tentative_t *self = stake->tentative;
    service_t *service = self->order.service;
    calls_cancel (service->calls, stake->call);
    timers_cancel (service->timers, stake->timer);
    stake->timer = 0;
    coordinator_drop (self->order.coordinator, &stake->txid);
    stake->call = coordinator_abort (self->order.coordinator, now, &stake->party, &stake->txid,
                                     tentative_on_aborted, stake);
    self->waiting++;
    service_count (service, "tentative_cancels", 1);
}

static bool tentative_among (const backtrack_hold_t *holds, size_t count, backtrack_hold_t what)
{
    for (size_t i = 0; i < count; i++)
        if (holds [i].edge == what.edge && holds [i].index == what.index)
            return true;
    return false;
}

static void cancel_held (tentative_t *self, const moment_t *now, const backtrack_hold_t *holds,
                         size_t count)
{
    for (stake_t *stake = self->stakes; stake; stake = stake->next)
        if (stake->state == STAKE_HELD && tentative_among (holds, count, stake->what))
            tentative_give_up (stake, now);
}

void tentative_cancel (tentative_t *self, const moment_t *now, const backtrack_hold_t *holds,
                       size_t count, tentative_done_fn *done, void *owner)
{
    tentative_begin (self, done, owner);
    cancel_held (self, now, holds, count);
    assert (self->waiting > 0); /* only what is held is cancelled */
}

/*  --- renewing --- */

static timer_fn on_renewal_time;

static void renew_later (stake_t *stake, const moment_t *now, uint32_t ttl_ms)
{
    stake->timer = timers_set (stake->tentative->order.service->timers,
                               now->mono_ms + ttl_ms / RENEW_PARTS, on_renewal_time, stake, 0);
}

/*  If it is refused or not answered, the hold may expire before the plan is complete. Then its
 *  place may be gone, and the vote will show it. */
static void tentative_on_renewed (void *owner, const moment_t *now, uint64_t token,
                                  const call_result_t *result)
{
    (void) token;
    stake_t *stake = owner;
    stake->call = 0;
    command_answer_t answer;
    if (!call_take (result, &command_answer_codec, &answer, NULL))
        return;
    if (answer.state == COMMAND_HELD && answer.ttl_ms > 0)
        renew_later (stake, now, answer.ttl_ms);
    codec_clear (&command_answer_codec, &answer);
}

static uint64_t tentative_ask (stake_t *stake, const moment_t *now, const char *method,
                               packed_t body, call_done_fn *done)
{
    const tentative_order_t *order = &stake->tentative->order;
    return service_ask (order->service, now,
                        &(call_order_t){.peer = stake->party.name,
                                        .endpoint = stake->party.endpoint,
                                        .to_store = stake->party.store,
                                        .service = "Participant",
                                        .method = method,
                                        .timeout_ms = order->settings->try_ms,
                                        .tries_max = order->settings->tries_max},
                        body, done, stake, 0);
}

static void on_renewal_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    stake_t *stake = owner;
    const tentative_order_t *order = &stake->tentative->order;
    stake->timer = 0;
    stake->call =
      tentative_ask (stake, now, "Renew",
                     codec_encode (&renew_request_codec,
                                   &(renew_request_t){stake->txid, order->settings->hold_ttl_ms}),
                     tentative_on_renewed);
    service_count (order->service, "tentative_renewals", 1);
}

/*  --- holding --- */

/*  One of several participants refused: cancels what the others hold before the search is told. */
static void tentative_give_back (tentative_t *self, const moment_t *now, backtrack_hold_t what)
{
    self->waiting++; /* keeps finish from being called before all are cancelled */
    cancel_held (self, now, &what, 1);
    tentative_finish (self, now);
}

static void note_refusal (stake_t *stake, const refusal_t *refusal)
{
    tentative_refusal_t *noted = &stake->tentative->refusal;
    *noted = (tentative_refusal_t){
      .reason = refusal->reason, .wanted = refusal->wanted, .free = refusal->free};
    memcpy (noted->party, stake->party.name, sizeof noted->party);
    memcpy (noted->resource, refusal->resource, sizeof noted->resource);
    memcpy (noted->text, refusal->text, sizeof noted->text);
}

const tentative_refusal_t *tentative_refusal (const tentative_t *self)
{
    return &self->refusal;
}

static void on_held (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    (void) token;
    stake_t *stake = owner;
    tentative_t *self = stake->tentative;
    backtrack_hold_t what = stake->what;
    command_answer_t answer = {0};
    stake->call = 0;
    bool told = call_take (result, &command_answer_codec, &answer, NULL);
    if (told && answer.state == COMMAND_HELD && answer.refusal.reason == REFUSAL_NONE) {
        stake->state = STAKE_HELD;
        renew_later (stake, now, answer.ttl_ms);
    } else {
        coordinator_drop (self->order.coordinator, &stake->txid);
        if (!told) /* it may hold */
            trail_add (self->order.trail, &stake->party, &stake->txid);
        note_refusal (stake, &answer.refusal);
        stake->state = STAKE_REFUSED;
        self->refused = true;
    }
    codec_clear (&command_answer_codec, &answer);
    if (self->waiting == 1 && self->refused)
        tentative_give_back (self, now, what);
    tentative_finish (self, now);
}

static void fill_plan (tentative_t *self, const moment_t *now, const share_t *share, plan_t *plan,
                       const shares_t *shares)
{
    const tentative_order_t *order = &self->order;
    *plan = (plan_t){.txid = coordinator_begin (order->coordinator),
                     .operation = OPERATION_RESERVE,
                     .decide_by_ms = now->wall_ms + (order->until_mono_ms - now->mono_ms),
                     .edge_ms = shares_edge (shares),
                     .end_ms = shares_end (shares),
                     .participants_count = 1};
    plan->participants = must (calloc (1, sizeof *plan->participants));
    plan->participants [0] = share->party;
    char text [TXID_TEXT_BYTES];
    snprintf (plan->reservation, sizeof plan->reservation, "%s", txid_text (&plan->txid, text));
    snprintf (plan->actor, sizeof plan->actor, "%s", order->actor);
    snprintf (plan->owner, sizeof plan->owner, "%s", order->actor);
    snprintf (plan->request_id, sizeof plan->request_id, "%s", order->request_id);
    coordinator_sign (order->coordinator, plan);
}

static void hold (tentative_t *self, const moment_t *now, backtrack_hold_t what,
                  const share_t *share, const shares_t *shares)
{
    stake_t *stake = must (calloc (1, sizeof *stake));
    attempt_part_t part = share_part (share);
    hold_t message = {.part_kind = part.kind,
                      .part = part.part.data,
                      .part_size = part.part.size,
                      .ttl_ms = self->order.settings->hold_ttl_ms};
    fill_plan (self, now, share, &message.plan, shares);
    *stake = (stake_t){.tentative = self,
                       .what = what,
                       .party = share->party,
                       .txid = message.plan.txid,
                       .next = self->stakes};
    self->stakes = stake;
    self->waiting++;
    stake->call = tentative_ask (stake, now, "Hold", codec_encode (&hold_codec, &message), on_held);
    codec_clear (&hold_codec, &message);
    service_count (self->order.service, "tentative_holds", 1);
}

void tentative_hold (tentative_t *self, const moment_t *now, backtrack_hold_t what,
                     const shares_t *shares, tentative_done_fn *done, void *owner)
{
    assert (shares->count > 0);
    tentative_begin (self, done, owner);
    for (size_t i = 0; i < shares->count; i++)
        hold (self, now, what, &shares->shares [i], shares);
}

/*  --- life --- */

tentative_t *tentative_new (const tentative_order_t *order)
{
    tentative_t *self = must (calloc (1, sizeof *self));
    self->order = *order;
    return self;
}

void tentative_destroy (tentative_t **self_p)
{
    tentative_t *self = *self_p;
    *self_p = NULL;
    if (!self)
        return;
    while (self->stakes) {
        stake_t *stake = self->stakes;
        self->stakes = stake->next;
        if (stake->state == STAKE_ASKED || stake->state == STAKE_HELD) {
            coordinator_drop (self->order.coordinator, &stake->txid);
            trail_add (self->order.trail, &stake->party, &stake->txid);
        }
        stake_free (stake);
    }
    free (self);
}
