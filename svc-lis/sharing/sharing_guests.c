/*  sharing_guests - the site as host: it answers each offer once and for all, and tells the home of
 *  its guests how they ended until that is acknowledged.
 */
#include "sharing_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FORGET_LOOK_MS 3600000

static int by_move (const void *key, const void *thing)
{
    return txid_compare (key, &((const stored_offer_t *) thing)->move);
}

/*  --- offers --- */

static stored_offer_t *offer_add (sharing_t *self, const stored_offer_t *from)
{
    stored_offer_t *offer = must (malloc (sizeof *offer));
    *offer = *from;
    ordered_add (self->offers, &offer->move, offer);
    return offer;
}

static void sharing_guests_on_record (void *owner, bytes_t key, bytes_t value)
{
    sharing_t *self = owner;
    stored_offer_t offer;
    char why [WHY_BYTES];
    if (codec_decode (&stored_offer_codec, &offer, value, why) &&
        (txid_unpack (&offer.move, key) || wrong (why, "its key is malformed")))
        offer_add (self, &offer);
    else
        service_bad_record (self->service, "offers", why);
}

static bool terms_check (const sharing_t *self, const moment_t *now, const offer_message_t *offer,
                         char why [WHY_BYTES])
{
    const char *name = self->service->name;
    int64_t age_ms = now->wall_ms - offer->offered_ms;
    if (!*self->membership.balancer)
        return wrong (why, "%s has joined no coalition", name);
    if (strcmp (self->membership.balancer, offer->balancer) != 0)
        return wrong (why, "balancer: %s is in the coalition of %s", name,
                      self->membership.balancer);
    if (age_ms > self->limits.offer_ms || age_ms < -self->limits.offer_ms)
        return wrong (why,
                      "offered_ms: offered %" PRId64 " s ago by the clock of %s; at most %" PRId64
                      " s are allowed",
                      age_ms / 1000, name, self->limits.offer_ms / 1000);
    if (offer->count > self->limits.move_max)
        return wrong (why, "count: %" PRIu32 " should be at most %" PRIu32 "", offer->count,
                      self->limits.move_max);
    return true;
}

/*  Reads the submission in an offer as one to this site. On true the caller owns it. */
static bool asked_take (const sharing_t *self, const offer_message_t *offer, submission_t *asked,
                        char why [WHY_BYTES])
{
    const queue_parts_t *parts = queue_parts (self->queue);
    const account_t *account = parts->account (parts->account_owner, offer->owner);
    if (!account)
        return wrong (why, "owner: %s has no local account at %s", offer->owner,
                      self->service->name);
    submitter_t by = {.owner = offer->owner,
                      .account = account->account,
                      .count_max = UINT32_MAX,
                      .limit_ms_max = queue_limits (self->queue)->limit_ms_max};
    if (!submit_decode (asked, packed_bytes (offer->submitted), &by, why))
        return false;
    if (!asked->shared)
        wrong (why, "shared: the bag is not shared");
    else if (offer->first >= asked->count || offer->count > asked->count - offer->first)
        wrong (why, "first, count: the bag has %" PRIu32 " tasks", asked->count);
    else if (queue_class_check (self->queue, asked, why) == CALL_OK)
        return true;
    submission_clear (asked);
    return false;
}

static void guests_come (sharing_t *self, const moment_t *now, const offer_message_t *offer,
                         submission_t *asked, uint64_t *number)
{
    queue_t *queue = self->queue;
    guest_origin_t guest = {.move = offer->move,
                            .home = offer->home,
                            .bag = offer->bag,
                            .first = offer->first,
                            .count = offer->count};
    packed_t submitted = packed_copy (packed_bytes (offer->submitted));
    submission_of_guests (asked, offer->first, offer->count);
    *number = bags_next_number (self->bags);
    bag_t *bag = bags_add (self->bags, *number, offer->owner, "", submitted, asked);
    bag->guest = must (malloc (sizeof guest));
    *bag->guest = guest;
    bag->submitted_ms = now->wall_ms;
    if (*asked->class_name)
        free_capacity_find (queue_parts (queue)->room, asked->class_name, &bag->waiting.class);
    for (uint32_t i = 0; i < offer->count; i++) {
        bag_task_waits (bag, i);
        queue_put_task (queue, bag, i);
    }
    queue_put_bag (queue, bag);
    queue_settle (queue, now, bag);
    queue_soon (queue);
    service_count (self->service, "guests", offer->count);
}

static void answer_offer (sharing_t *self, const moment_t *now, const offer_message_t *message,
                          accept_answer_t *given)
{
    stored_offer_t offer = {.move = message->move, .offered_ms = message->offered_ms};
    submission_t asked;
    char text [TXID_TEXT_BYTES];
    uint8_t key [TXID_BYTES];
    given->accepted =
      terms_check (self, now, message, given->why) &&
      queue_limits_check (self->queue, now, message->owner, given->why) == CALL_OK &&
      asked_take (self, message, &asked, given->why);
    if (given->accepted)
        guests_come (self, now, message, &asked, &offer.bag);
    offer.given = *given;
    offer_add (self, &offer);
    txid_pack (&offer.move, key);
    service_put (self->service, TABLE_OFFERS, (bytes_t){key, sizeof key},
                 codec_encode (&stored_offer_codec, &offer));
    outbox_log (self->service->outbox, LEVEL_INFO,
                "offer %s %s home=%s tasks=%" PRIu32 " bag=%" PRIu64 "%s%s",
                txid_text (&offer.move, text), given->accepted ? "accepted" : "refused",
                message->home.name, message->count, offer.bag, *given->why ? " why=" : "",
                given->why);
}

static void on_accept (void *owner, const moment_t *now, const request_t *request, void *body)
{
    sharing_t *self = owner;
    const offer_message_t *message = body;
    accept_answer_t given = {.accepted = false};
    const stored_offer_t *known = ordered_find (self->offers, &message->move);
    if (strcmp (request->actor, message->home.name) != 0) {
        service_refuse (self->service, request, CALL_DENIED, "home: %.63s asks in the name of %s",
                        request->actor, message->home.name);
    } else {
        if (known)
            given = known->given;
        else
            answer_offer (self, now, message, &given);
        service_reply (self->service, request, codec_encode (&accept_answer_codec, &given));
    }
}

/*  --- telling their home --- */

static void telling_end (guest_ends_t *telling)
{
    sharing_t *self = telling->sharing;
    calls_cancel (self->service->calls, telling->call);
    timers_cancel (self->service->timers, telling->again_timer);
    ordered_remove (self->tellings, &telling->bag);
    free (telling->indices);
    free (telling);
}

static void sharing_guests_on_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    guest_ends_t *telling = owner;
    sharing_t *self = telling->sharing;
    bag_t *bag = bags_find (self->bags, telling->bag);
    telling->again_timer = 0;
    telling_end (telling);
    if (bag)
        sharing_guests_over (self, now, bag);
}

static void told (sharing_t *self, const moment_t *now, const guest_ends_t *telling)
{
    bag_t *bag = bags_find (self->bags, telling->bag);
    for (size_t i = 0; bag && i < telling->count; i++) {
        task_t *task = bag_task (bag, telling->indices [i]);
        task->told = true;
        bag->guest->untold--;
        queue_put_task (self->queue, bag, telling->indices [i]);
    }
    if (bag)
        queue_settle (self->queue, now, bag);
}

static void sharing_guests_on_told (void *owner, const moment_t *now, uint64_t token,
                                    const call_result_t *result)
{
    (void) token;
    guest_ends_t *telling = owner;
    sharing_t *self = telling->sharing;
    telling->call = 0;
    if (result->status != CALL_OK) {
        outbox_log (self->service->outbox, LEVEL_WARNING,
                    "guests of bag %" PRIu64 ": their home has not heard of their end: %s",
                    telling->bag, result->reason);
        telling->again_timer =
          timers_set (self->service->timers, now->mono_ms + self->limits.again_ms,
                      sharing_guests_on_again, telling, 0);
        return;
    }
    ordered_remove (self->tellings, &telling->bag);
    told (self, now, telling);
    free (telling->indices);
    free (telling);
}

static void end_fill (guest_end_t *end, const bag_t *guests, uint32_t index)
{
    const task_t *task = bag_task (guests, index);
    *end = (guest_end_t){.index = guests->guest->first + index,
                         .state = task->state,
                         .tries = task->tries,
                         .started_ms = task->started_ms,
                         .ended_ms = task->ended_ms,
                         .exit_code = task->exit_code,
                         .signal = task->signal,
                         .cpu_ms = task->cpu_ms,
                         .dropped = task->dropped};
    snprintf (end->node, sizeof end->node, "%s", task->node_name);
    snprintf (end->why, sizeof end->why, "%s", task->why);
}

static packed_t ends_encode (const bag_t *guests, const guest_ends_t *telling)
{
    ends_t ends = {.move = guests->guest->move,
                   .bag = guests->guest->bag,
                   .ends = must (calloc (telling->count + 1, sizeof *ends.ends)),
                   .count = telling->count};
    for (size_t i = 0; i < telling->count; i++)
        end_fill (&ends.ends [i], guests, telling->indices [i]);
    packed_t packed = codec_encode (&ends_codec, &ends);
    codec_clear (&ends_codec, &ends);
    return packed;
}

void sharing_guests_over (void *owner, const moment_t *now, bag_t *bag)
{
    sharing_t *self = owner;
    if (bag->guest->untold == 0 || ordered_find (self->tellings, &bag->number))
        return;
    guest_ends_t *telling = must (calloc (1, sizeof *telling));
    telling->sharing = self;
    telling->bag = bag->number;
    telling->indices = must (calloc (ENDS_MAX, sizeof *telling->indices));
    for (uint32_t i = 0; i < bag->tasks_room && telling->count < ENDS_MAX; i++) {
        const task_t *task = bag_task (bag, i);
        if (task && task_over (task->state) && !task->told)
            telling->indices [telling->count++] = i;
    }
    ordered_add (self->tellings, &telling->bag, telling);
    telling->call = sharing_call (self, now, &bag->guest->home, "Ended", ends_encode (bag, telling),
                                  sharing_guests_on_told, telling);
}

uint32_t sharing_give_back (sharing_t *self, const moment_t *now, bag_t *guests, uint32_t count,
                            const char *why)
{
    uint32_t given = 0;
    uint32_t first;
    for (uint32_t piece; given < count && (piece = bag_tail (guests, count - given, &first)) > 0;
         given += piece)
        for (uint32_t i = first; i - first < piece; i++) {
            task_text (&bag_task (guests, i)->why, why);
            task_move (self->bags, guests, i, TASK_RETURNED);
            queue_put_task (self->queue, guests, i);
        }
    if (given > 0) {
        outbox_log (self->service->outbox, LEVEL_INFO,
                    "guests of bag %" PRIu64 " go home tasks=%" PRIu32 ": %s", guests->number,
                    given, why);
        service_count (self->service, "guests_given_back", given);
        queue_settle (self->queue, now, guests);
        queue_soon (self->queue);
    }
    return given;
}

/*  --- asked by their home --- */

/*  Finds the bag of a move for its home; NULL, with the request refused, if it is not here or
 *  another site asks. */
static bag_t *guests_of (sharing_t *self, const request_t *request, const txid_t *move)
{
    const stored_offer_t *offer = ordered_find (self->offers, move);
    bag_t *bag = offer && offer->bag > 0 ? bags_find (self->bags, offer->bag) : NULL;
    char text [TXID_TEXT_BYTES];
    if (!bag || !bag->guest || strcmp (bag->guest->home.name, request->actor) != 0) {
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "%s has no guests of %.63s by move %s, or no longer has them",
                        self->service->name, request->actor, txid_text (move, text));
        return NULL;
    }
    return bag;
}

static void sharing_guests_withdraw (sharing_t *self, const moment_t *now, bag_t *bag,
                                     uint32_t index)
{
    const char *why = "cancelled by its owner at its home site";
    task_t *task = bag_task (bag, index);
    if (!task || task_over (task->state))
        return;
    if (task->state != TASK_QUEUED) {
        queue_stop_task (self->queue, now, bag, index, STOP_CANCELLED, why);
        return;
    }
    task_text (&task->why, why);
    task_move (self->bags, bag, index, TASK_CANCELLED);
    queue_put_task (self->queue, bag, index);
}

static void sharing_guests_on_withdraw (void *owner, const moment_t *now, const request_t *request,
                                        void *body)
{
    sharing_t *self = owner;
    const guest_cancel_t *order = body;
    bag_t *bag = guests_of (self, request, &order->move);
    if (bag) {
        for (size_t i = 0; i < order->count; i++)
            if (order->indices [i] >= bag->guest->first)
                sharing_guests_withdraw (self, now, bag, order->indices [i] - bag->guest->first);
        queue_settle (self->queue, now, bag);
        queue_soon (self->queue);
        service_reply (self->service, request, (packed_t){0});
    }
}

static void sharing_guests_on_output (void *owner, const moment_t *now, const request_t *request,
                                      void *body)
{
    sharing_t *self = owner;
    guest_output_t *asked = body;
    const bag_t *bag = guests_of (self, request, &asked->move);
    if (!bag)
        return;
    asked->question.task = (task_id_t){bag->number, asked->index - bag->guest->first};
    queue_output (self->queue, now, request, bag, &asked->question);
}

/*  --- forgetting --- */

static void forget_watch (sharing_t *self, const moment_t *now);

/*  Forgets old answers: an offer of that age is refused by its age. */
static void on_forget (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    sharing_t *self = owner;
    self->forget_timer = 0;
    int64_t past_ms = timekeeper_least (&self->service->timekeeper, now) - self->limits.answers_ms;
    for (stored_offer_t *offer = ordered_after (self->offers, NULL), *next; offer; offer = next) {
        next = ordered_after (self->offers, &offer->move);
        if (offer->offered_ms > past_ms || bags_find (self->bags, offer->bag))
            continue;
        uint8_t key [TXID_BYTES];
        txid_pack (&offer->move, key);
        outbox_delete (self->service->outbox, TABLE_OFFERS, (bytes_t){key, sizeof key});
        free (ordered_remove (self->offers, &offer->move));
    }
    forget_watch (self, now);
}

static void forget_watch (sharing_t *self, const moment_t *now)
{
    self->forget_timer =
      timers_set (self->service->timers, now->mono_ms + FORGET_LOOK_MS, on_forget, self, 0);
}

/*  --- their life --- */

/*  Guests have had records since they came, so one without a record has lost it. */
void sharing_guests_load (void *owner, bag_t *bag)
{
    sharing_t *self = owner;
    for (uint32_t i = 0; i < bag->asked.count && bag->over_stored_ms == 0; i++) {
        if (bag_task (bag, i))
            continue;
        task_text (&bag_task_new (bag, i)->why, "its record was lost");
        task_move (self->bags, bag, i, TASK_LOST);
        queue_put_task (self->queue, bag, i);
    }
}

void sharing_guests_start (sharing_t *self, const moment_t *now)
{
    const bags_t *bags = self->bags;
    for (bag_t *bag = bags_after (bags, 0); bag; bag = bags_after (bags, bag->number))
        if (bag->guest)
            sharing_guests_over (self, now, bag);
    forget_watch (self, now);
}

void sharing_guests_serve (sharing_t *self)
{
    self->offers = ordered_new (by_move);
    self->tellings = ordered_by_number (offsetof (guest_ends_t, bag));
    service_serve (self->service, "Sharing", "Accept", &offer_message_codec, BEGINS, on_accept,
                   self);
    service_serve (self->service, "Sharing", "Cancel", &guest_cancel_codec, ALWAYS,
                   sharing_guests_on_withdraw, self);
    service_serve (self->service, "Sharing", "Output", &guest_output_codec, ALWAYS,
                   sharing_guests_on_output, self);
    service_load (self->service, TABLE_OFFERS, sharing_guests_on_record, self);
}

void sharing_guests_destroy (sharing_t *self)
{
    timers_cancel (self->service->timers, self->forget_timer);
    for (guest_ends_t *telling; (telling = ordered_after (self->tellings, NULL));)
        telling_end (telling);
    ordered_destroy (&self->tellings);
    ordered_end (&self->offers, free);
}
