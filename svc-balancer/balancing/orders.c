/*  orders - each is stored before it is sent, and sent again until it is answered or the next step
 *  begins. A member is sent one order at a time, because it refuses an order that arrives after a
 *  later one.
 */
#include "balancer_state.h"
#include "member.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*  --- records --- */

static void order_put (balancer_t *self, const order_t *order)
{
    uint8_t key [ORDER_KEY_BYTES];
    service_put (self->service, TABLE_ORDERS, order_key (order, key),
                 codec_encode (&stored_order_codec, order));
}

static void open_order_add (balancer_t *self, const order_t *order)
{
    self->open_orders = must (
      reallocarray (self->open_orders, self->open_orders_count + 1, sizeof *self->open_orders));
    self->open_orders [self->open_orders_count++] = (open_order_t){.order = *order};
}

static void open_order_remove (balancer_t *self, size_t at)
{
    open_order_t *open_order = &self->open_orders [at];
    uint8_t key [ORDER_KEY_BYTES];
    calls_cancel (self->service->calls, open_order->call);
    outbox_delete (self->service->outbox, TABLE_ORDERS, order_key (&open_order->order, key));
    self->open_orders_count--;
    memmove (open_order, open_order + 1, (self->open_orders_count - at) * sizeof *open_order);
}

static void orders_on_record (void *owner, bytes_t key, bytes_t value)
{
    balancer_t *self = owner;
    order_t order;
    char why [WHY_BYTES];
    if (stored_order_decode (&order, key, value, why))
        open_order_add (self, &order);
    else
        service_bad_record (self->service, "orders", why);
}

/*  --- sending --- */

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

static void send_next_order (balancer_t *self, const moment_t *now, const char *site);

static void orders_on_moved (void *owner, const moment_t *now, uint64_t token,
                             const call_result_t *result)
{
    balancer_t *self = owner;
    size_t at = 0;
    while (self->open_orders [at].order.number != token || self->open_orders [at].call == 0)
        at++;
    self->open_orders [at].call = 0;
    order_t order = self->open_orders [at].order;
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
    open_order_remove (self, at);
    send_next_order (self, now, order.from);
}

static void send_order (balancer_t *self, const moment_t *now, open_order_t *open_order)
{
    packed_t body = codec_encode (&move_codec, &open_order->order);
    call_order_t order = {.peer = open_order->order.from,
                          .service = "Sharing",
                          .method = "Move",
                          .timeout_ms = balancer_timeout_ms (self)};
    open_order->call = service_ask (self->service, now, &order, body, orders_on_moved, self,
                                    open_order->order.number);
}

static void send_next_order (balancer_t *self, const moment_t *now, const char *site)
{
    for (size_t i = 0; i < self->open_orders_count; i++)
        if (strcmp (self->open_orders [i].order.from, site) == 0) {
            if (self->open_orders [i].call == 0)
                send_order (self, now, &self->open_orders [i]);
            return;
        }
}

void orders_start (balancer_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->open_orders_count; i++)
        send_next_order (self, now, self->open_orders [i].order.from);
}

void orders_begin (balancer_t *self, const moment_t *now, const weighed_move_t *moves, size_t count,
                   coalition_member_t *const *sites, job_t *const *jobs)
{
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        const weighed_move_t *move = &moves [i];
        const directory_entry_t *to =
          directory_find (directory_of (self->service), sites [move->to]->kept.site);
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
        open_order_add (self, &order);
    }
    service_count (self->service, "orders", number);
    orders_start (self, now);
}

void orders_end (balancer_t *self)
{
    service_count (self->service, "orders_given_up", (int64_t) self->open_orders_count);
    while (self->open_orders_count > 0)
        open_order_remove (self, self->open_orders_count - 1);
}

void orders_serve (balancer_t *self)
{
    service_load (self->service, TABLE_ORDERS, orders_on_record, self);
}
