/*  orders - each is stored before it is sent, and sent again until it is answered or the next step
 *  begins. A member is sent one order at a time, because it refuses an order that arrives after a
 *  later one.
 */
#include "balancer_state.h"
#include "directory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*  --- what is kept --- */

static void order_put (balancer_t *self, const order_t *order)
{
    uint8_t key [ORDER_KEY_BYTES];
    service_put (self->service, TABLE_ORDERS, order_key (order, key),
                 codec_encode (&stored_order_codec, order));
}

static void telling_add (balancer_t *self, const order_t *order)
{
    self->tellings =
      must (reallocarray (self->tellings, self->tellings_count + 1, sizeof *self->tellings));
    self->tellings [self->tellings_count++] = (telling_t){.order = *order};
}

static void telling_remove (balancer_t *self, size_t at)
{
    telling_t *telling = &self->tellings [at];
    uint8_t key [ORDER_KEY_BYTES];
    calls_cancel (self->service->calls, telling->call);
    outbox_delete (self->service->outbox, TABLE_ORDERS, order_key (&telling->order, key));
    self->tellings_count--;
    memmove (telling, telling + 1, (self->tellings_count - at) * sizeof *telling);
}

static void orders_on_record (void *owner, bytes_t key, bytes_t value)
{
    balancer_t *self = owner;
    order_t order;
    char why [WHY_BYTES];
    if (stored_order_decode (&order, key, value, why))
        telling_add (self, &order);
    else
        service_bad_record (self->service, "orders", why);
}

/*  --- telling --- */

/*  Adds the moved work to the accounts of both members; work that goes home is subtracted. */
static void orders_account (balancer_t *self, const order_t *order, uint32_t moved)
{
    coalition_member_t *home =
      coalition_find (&self->coalition, order->homeward ? order->to.name : order->from);
    coalition_member_t *host =
      coalition_find (&self->coalition, order->homeward ? order->from : order->to.name);
    double load_s = (order->homeward ? -1.0 : 1.0) * moved * order->task_s;
    if (home) {
        home->kept.taken_s += load_s;
        balancer_put_member (self, home);
    }
    if (host) {
        host->kept.given_s += load_s;
        balancer_put_member (self, host);
    }
}

static void tell_next (balancer_t *self, const moment_t *now, const char *site);

static void orders_on_moved (void *owner, const moment_t *now, uint64_t token,
                             const call_result_t *result)
{
    balancer_t *self = owner;
    size_t at = 0;
    while (self->tellings [at].order.number != token || self->tellings [at].call == 0)
        at++;
    self->tellings [at].call = 0;
    order_t order = self->tellings [at].order;
    balancer_moved_t answer = {0};
    char why [WHY_BYTES] = "";
    if (result->status != CALL_OK)
        snprintf (why, sizeof why, "%s", result->reason);
    else if (codec_decode (&moved_codec, &answer, result->body, why) && answer.moved > order.count)
        snprintf (why, sizeof why, "moved: %u tasks, must be at most the %u ordered", answer.moved,
                  order.count);
    if (*why) {
        service_count (self->service, "orders_refused", 1);
        outbox_log (self->service->outbox, LEVEL_WARNING, "order %" PRIu64 ".%u refused by=%s: %s",
                    order.round, order.number, order.from, why);
    } else {
        service_count (self->service, "tasks_moved", answer.moved);
        outbox_log (self->service->outbox, LEVEL_INFO,
                    "order %" PRIu64 ".%u done from=%s to=%s bag=%" PRIu64 " tasks=%u", order.round,
                    order.number, order.from, order.to.name, order.bag, answer.moved);
        orders_account (self, &order, answer.moved);
    }
    telling_remove (self, at);
    tell_next (self, now, order.from);
}

static void orders_tell (balancer_t *self, const moment_t *now, telling_t *telling)
{
    packed_t body = codec_encode (&move_codec, &telling->order);
    call_order_t order = {.peer = telling->order.from,
                          .service = "Sharing",
                          .method = "Move",
                          .timeout_ms = balancer_timeout_ms (self)};
    telling->call =
      service_ask (self->service, now, &order, body, orders_on_moved, self, telling->order.number);
}

static void tell_next (balancer_t *self, const moment_t *now, const char *site)
{
    for (size_t i = 0; i < self->tellings_count; i++)
        if (strcmp (self->tellings [i].order.from, site) == 0) {
            if (self->tellings [i].call == 0)
                orders_tell (self, now, &self->tellings [i]);
            return;
        }
}

void orders_start (balancer_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->tellings_count; i++)
        tell_next (self, now, self->tellings [i].order.from);
}

void orders_begin (balancer_t *self, const moment_t *now, const weighed_move_t *moves, size_t count,
                   coalition_member_t *const *sites, job_t *const *jobs)
{
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        const weighed_move_t *move = &moves [i];
        const directory_entry_t *to =
          directory_find (self->service->directory, sites [move->to]->kept.site);
        if (!to)
            continue;
        order_t order = {.round = self->coalition.kept.round,
                         .number = ++number,
                         .bag = move->bag,
                         .count = move->count,
                         .task_s = move->task_s};
        order.homeward = strcmp (jobs [move->job]->home, to->name) == 0;
        snprintf (order.from, sizeof order.from, "%s", sites [move->from]->kept.site);
        snprintf (order.to.name, sizeof order.to.name, "%s", to->name);
        snprintf (order.to.endpoint, sizeof order.to.endpoint, "%s", to->endpoint);
        memcpy (order.to.store, to->store, STORE_ID_BYTES);
        order_put (self, &order);
        telling_add (self, &order);
    }
    service_count (self->service, "orders", number);
    orders_start (self, now);
}

void orders_end (balancer_t *self)
{
    service_count (self->service, "orders_given_up", (int64_t) self->tellings_count);
    while (self->tellings_count > 0)
        telling_remove (self, self->tellings_count - 1);
}

void orders_serve (balancer_t *self)
{
    service_load (self->service, TABLE_ORDERS, orders_on_record, self);
}
