/*  sharing - answers Join, Leave, Membership and Move. */
#include "access.h"
#include "codec_table.h"
#include "sharing_state.h"

#include "balance.pb-c.h"

#include <inttypes.h>
#include <string.h>

#define AGAIN_MS_MAX   MS_MINUTE
#define AGAIN_MS_LEAST 100

static const setting_t sharing_rows [] = {
  SET_FIXED (sharing_limits_t, move_max, "limits/move_max", 1000),
  SET_FIXED (sharing_limits_t, pieces_max, "limits/move_pieces_max", 16),
  SET_FIXED_DURATION (sharing_limits_t, offer_ms, "sharing/offer", 5 * MS_MINUTE),
  SET_FIXED_DURATION (sharing_limits_t, answers_ms, "sharing/answers", MS_DAY),
  SET_MERGED_DURATION (sharing_limits_t, again_ms, "sharing/again",
                       "a tenth of sharing/lost, at most 60s"),
  SET_DURATION (sharing_limits_t, lost_ms, "sharing/lost", 10 * MS_MINUTE, 0, MS_YEAR,
                "tasks at a site that serves from another store for this long are lost; each tenth "
                "of it, at most 60s, such a site is asked whether its store is the same"),
  SET_FIXED_DURATION (sharing_limits_t, timeout_ms, "sharing/timeout", 5 * MS_SECOND),
};

static const void *sharing_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    sharing_limits_t *limits = settings;
    int64_t again_ms = limits->lost_ms / 10;
    limits->again_ms = again_ms > AGAIN_MS_MAX     ? AGAIN_MS_MAX
                       : again_ms < AGAIN_MS_LEAST ? AGAIN_MS_LEAST
                                                   : again_ms;
    return NULL;
}

const setting_table_t sharing_table = SETTING_TABLE (sharing_limits_t, sharing_rows, sharing_rule);

static const uint8_t membership_key [] = "membership";
#define MEMBERSHIP_KEY ((bytes_t){membership_key, sizeof membership_key - 1})

uint64_t sharing_call (sharing_t *self, const moment_t *now, const participant_ref_t *to,
                       const char *method, packed_t body, call_done_fn *done, void *owner)
{
    call_order_t order = {.peer = to->name,
                          .endpoint = to->endpoint,
                          .to_store = to->store,
                          .service = "Sharing",
                          .method = method,
                          .timeout_ms = self->limits.timeout_ms};
    return service_ask (self->service, now, &order, body, done, owner, 0);
}

/*  --- membership --- */

static bool member (const sharing_t *self)
{
    return *self->membership.balancer != '\0';
}

static bool sharing_administers (const sharing_t *self, const char *actor)
{
    return may (queue_parts (self->queue)->access, VERB_ADMINISTER, actor, actor, "");
}

static bool administers_check (sharing_t *self, const request_t *request)
{
    if (sharing_administers (self, request->actor))
        return true;
    return service_refuse (self->service, request, CALL_DENIED, "%.63s is no administrator of %s",
                           request->actor, self->service->name);
}

static void membership_put (sharing_t *self)
{
    service_put (self->service, TABLE_MEMBERSHIP, MEMBERSHIP_KEY,
                 codec_encode (&stored_membership_codec, &self->membership));
}

static void on_membership_record (void *owner, bytes_t key, bytes_t value)
{
    sharing_t *self = owner;
    char why [WHY_BYTES];
    (void) key;
    if (!codec_decode (&stored_membership_codec, &self->membership, value, why))
        service_bad_record (self->service, "membership", why);
}

static void on_join (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    sharing_t *self = owner;
    membership_t asked = *(const membership_t *) body;
    if (!administers_check (self, request))
        return;
    if (member (self) && strcmp (self->membership.balancer, asked.balancer) != 0) {
        service_refuse (self->service, request, CALL_DENIED,
                        "balancer: %s is in the coalition of %s; leave that first",
                        self->service->name, self->membership.balancer);
        return;
    }
    asked.round = self->membership.round;
    asked.number = self->membership.number;
    asked.moved = self->membership.moved;
    self->membership = asked;
    membership_put (self);
    outbox_log (self->service->outbox, LEVEL_INFO,
                "coalition joined balancer=%s level_s=%g%s by=%s", asked.balancer, asked.level_s,
                asked.automatic ? " automatic" : "", request->actor);
    service_reply (self->service, request, (packed_t){0});
}

static void on_leave (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) body;
    sharing_t *self = owner;
    if (!administers_check (self, request))
        return;
    bags_t *bags = self->bags;
    Musubi__LeaveAnswer left = MUSUBI__LEAVE_ANSWER__INIT;
    for (bag_t *bag = bags_after (bags, 0); bag; bag = bags_after (bags, bag->number))
        if (bag->guest)
            left.given_back +=
              sharing_give_back (self, now, bag, UINT32_MAX, "the host has left the coalition");
    self->membership = (membership_t){.round = 0};
    outbox_delete (self->service->outbox, TABLE_MEMBERSHIP, MEMBERSHIP_KEY);
    outbox_log (self->service->outbox, LEVEL_INFO, "coalition left by=%s given_back=%" PRIu32,
                request->actor, left.given_back);
    service_reply (self->service, request, packed_of (&left.base));
}

static bool balances (const sharing_t *self, const char *actor)
{
    return member (self) && strcmp (self->membership.balancer, actor) == 0;
}

bool sharing_allowed (sharing_t *self, const request_t *request)
{
    if (balances (self, request->actor) || sharing_administers (self, request->actor))
        return true;
    return service_refuse (self->service, request, CALL_DENIED, "%.63s is not the balancer of %s",
                           request->actor, self->service->name);
}

static void sharing_on_membership (void *owner, const moment_t *now, const request_t *request,
                                   void *body)
{
    (void) now, (void) body;
    sharing_t *self = owner;
    if (!sharing_allowed (self, request))
        return;
    const bags_t *bags = self->bags;
    Musubi__MembershipAnswer told = MUSUBI__MEMBERSHIP_ANSWER__INIT;
    told.balancer = self->membership.balancer;
    told.level_s = self->membership.level_s;
    told.automatic = self->membership.automatic;
    for (const bag_t *bag = bags_after (bags, 0); bag; bag = bags_after (bags, bag->number)) {
        told.away += bag->away;
        told.guests += bag->guest ? bag->asked.count - bag->over : 0;
    }
    service_reply (self->service, request, packed_of (&told.base));
}

/*  --- orders --- */

/*  Answers an order that has come before, or is older than the last one; false when it is new. */
static bool sharing_repeated (sharing_t *self, const request_t *request, const move_order_t *order)
{
    const membership_t *last = &self->membership;
    if (order->round > last->round || (order->round == last->round && order->number > last->number))
        return false;
    if (order->round == last->round && order->number == last->number)
        service_reply (self->service, request, codec_encode (&move_told_codec, last));
    else
        service_refuse (self->service, request, CALL_BAD_REQUEST,
                        "round, number: order %" PRIu64 ".%" PRIu32
                        " is older than the last one, %" PRIu64 ".%" PRIu32,
                        order->round, order->number, last->round, last->number);
    return true;
}

static bool order_check (sharing_t *self, const request_t *request, const move_order_t *order,
                         const bag_t *bag)
{
    service_t *service = self->service;
    if (!member (self))
        service_refuse (service, request, CALL_DENIED, "%s has joined no coalition", service->name);
    else if (!bag)
        service_refuse (service, request, CALL_NOT_FOUND, "%s has no bag %" PRIu64, service->name,
                        order->bag);
    else if (bag->guest && strcmp (bag->guest->home.name, order->to.name) != 0)
        service_refuse (service, request, CALL_DENIED,
                        "to: bag %" PRIu64 " has guests, which can only go home, to %s",
                        bag->number, bag->guest->home.name);
    else if (!bag->guest && !bag->asked.shared)
        service_refuse (service, request, CALL_DENIED, "bag %" PRIu64 " is not shared",
                        bag->number);
    else if (strcmp (order->to.name, service->name) == 0)
        service_refuse (service, request, CALL_BAD_REQUEST, "to: the bag is at %s already",
                        service->name);
    else
        return true;
    return false;
}

static void on_move (void *owner, const moment_t *now, const request_t *request, void *body)
{
    sharing_t *self = owner;
    const move_order_t *order = body;
    if (!sharing_allowed (self, request) || sharing_repeated (self, request, order))
        return;
    bag_t *bag = bags_find (self->bags, order->bag);
    if (!order_check (self, request, order, bag))
        return;
    self->membership.round = order->round;
    self->membership.number = order->number;
    self->membership.moved =
      bag->guest ? sharing_give_back (self, now, bag, order->count, "the balancer has sent it back")
                 : sharing_send (self, now, bag, &order->to, order->count);
    membership_put (self);
    service_reply (self->service, request, codec_encode (&move_told_codec, &self->membership));
}

/*  --- its life --- */

static void sharing_on_start (void *owner, const moment_t *now)
{
    sharing_t *self = owner;
    sharing_moves_start (self, now);
    sharing_hosts_watch (self, now);
    sharing_guests_start (self, now);
}

sharing_t *sharing_new (queue_t *queue, const sharing_limits_t *limits)
{
    sharing_t *self = must (calloc (1, sizeof *self));
    self->queue = queue;
    self->bags = queue_bags (queue);
    self->service = queue_parts (queue)->service;
    self->limits = *limits;
    self->hosts = ordered_new (sharing_by_host);
    service_serve (self->service, "Sharing", "Join", &join_codec, ALWAYS, on_join, self);
    service_serve (self->service, "Sharing", "Leave", &leave_codec, ALWAYS, on_leave, self);
    service_serve (self->service, "Sharing", "Membership", &membership_question_codec, ALWAYS,
                   sharing_on_membership, self);
    service_serve (self->service, "Sharing", "Move", &move_order_codec, ALWAYS, on_move, self);
    queue_share (queue, &(queue_sharer_t){.owner = self,
                                          .guests_over = sharing_guests_over,
                                          .guests_load = sharing_guests_load,
                                          .withdraw = sharing_withdraw,
                                          .output = sharing_output});
    service_serve (self->service, "Sharing", "State", &state_asked_codec, ALWAYS, sharing_on_state,
                   self);
    sharing_moves_serve (self);
    sharing_guests_serve (self);
    service_load (self->service, TABLE_MEMBERSHIP, on_membership_record, self);
    service_at_start (self->service, sharing_on_start, self);
    return self;
}

void sharing_destroy (sharing_t **self_p)
{
    sharing_t *self = *self_p;
    if (!self)
        return;
    sharing_hosts_destroy (self);
    sharing_moves_destroy (self);
    sharing_guests_destroy (self);
    free (self);
    *self_p = NULL;
}
