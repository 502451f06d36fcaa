/*  flow_loop - one turn of the thread: wait, look after connections that are due, handle those
 *  that are ready, feed files that have grown. Connections that end during a turn are freed at
 *  its end, so that nobody holds a freed one.
 */
#include "flow_loop.h"

#include "clock.h"
#include "must.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 64
#define ASLEEP_MS      (2 * FLOW_ALIVE_MS) /* more between two turns: this thread was held up */

/*  --- connections --- */

bool flow_endpoint_split (const char *endpoint, char host [FLOW_HOST_BYTES],
                          char port [FLOW_PORT_BYTES])
{
    static const char kind [] = "tcp://";
    const char *from = endpoint + sizeof kind - 1;
    if (strncmp (endpoint, kind, sizeof kind - 1) != 0)
        return false;
    const char *colon = strrchr (from, ':');
    if (!colon || colon == from || (size_t) (colon - from) >= FLOW_HOST_BYTES ||
        strlen (colon) >= FLOW_PORT_BYTES)
        return false;
    bool bracketed = from [0] == '[' && colon [-1] == ']';
    snprintf (host, FLOW_HOST_BYTES, "%.*s", (int) (colon - from - (bracketed ? 2 : 0)),
              from + (bracketed ? 1 : 0));
    snprintf (port, FLOW_PORT_BYTES, "%s", strcmp (colon + 1, "*") == 0 ? "0" : colon + 1);
    return true;
}

conn_t *conn_new (flow_loop_t *self, int file, conn_state_t state, flow_t *flow)
{
    conn_t *conn = must (calloc (1, sizeof *conn));
    conn->file = file;
    conn->state = state;
    conn->flow = flow;
    conn->since_ms = conn->heard_ms = self->now_ms;
    conn->after = self->conns;
    self->conns = conn;
    struct epoll_event wish = {.events = EPOLLIN, .data.ptr = conn};
    if (epoll_ctl (self->poll, EPOLL_CTL_ADD, file, &wish) != 0)
        abort (); /* cannot be: a fresh descriptor, and memory is there */
    return conn;
}

void conn_watch (flow_loop_t *self, conn_t *conn, bool outbound)
{
    if (conn->outbound == outbound || conn->dead)
        return;
    conn->outbound = outbound;
    struct epoll_event wish = {.events = EPOLLIN | (outbound ? EPOLLOUT : 0), .data.ptr = conn};
    epoll_ctl (self->poll, EPOLL_CTL_MOD, conn->file, &wish);
}

void conn_end (flow_loop_t *self, conn_t *conn)
{
    if (conn->dead)
        return;
    if (conn->state == CONN_GREETS)
        self->greeting--;
    conn->dead = true;
    close (conn->file);
}

moved_t conn_flush (conn_t *conn, bool more)
{
    while (conn->out_sent < conn->out_used) {
        ssize_t sent = TEMP_FAILURE_RETRY (send (conn->file, conn->out + conn->out_sent,
                                                 conn->out_used - conn->out_sent,
                                                 MSG_NOSIGNAL | (more ? MSG_MORE : 0)));
        if (sent < 0)
            return errno == EAGAIN ? MOVES_LATER : HUNG_UP;
        conn->out_sent += (size_t) sent;
    }
    conn->out_used = conn->out_sent = 0;
    return MOVED_ALL;
}

moved_t conn_fill (conn_t *conn, size_t size)
{
    while (conn->in_used < size) {
        ssize_t got =
          TEMP_FAILURE_RETRY (recv (conn->file, conn->in + conn->in_used, size - conn->in_used, 0));
        if (got <= 0)
            return got < 0 && errno == EAGAIN ? MOVES_LATER : HUNG_UP;
        conn->in_used += (size_t) got;
    }
    return MOVED_ALL;
}

void conns_end (flow_loop_t *self, const flow_t *flow, conn_state_t from)
{
    for (conn_t *conn = self->conns; conn; conn = conn->after)
        if (conn->flow == flow && conn->state >= from)
            conn_end (self, conn);
}

static void conns_free_dead (flow_loop_t *self)
{
    for (conn_t **at = &self->conns; *at;) {
        conn_t *conn = *at;
        if (!conn->dead) {
            at = &conn->after;
            continue;
        }
        *at = conn->after;
        free (conn);
    }
}

/*  --- orders --- */

static flow_t *flow_find (const flow_loop_t *self, uint64_t number)
{
    for (flow_t *flow = self->flows; flow; flow = flow->after)
        if (flow->number == number)
            return flow;
    return NULL;
}

static conn_t *link_find (const flow_loop_t *self, uint64_t link)
{
    for (conn_t *conn = self->conns; conn; conn = conn->after)
        if (conn->state >= CONN_DIALS && conn->link == link && !conn->dead)
            return conn;
    return NULL;
}

void flow_tell (const flow_loop_t *self, flow_t *flow, flow_event_t event)
{
    const flow_t *own = flow_own (flow);
    event.flow = flow->number;
    event.has = own->has;
    event.size = own->size;
    event.received = flow->received;
    event.fed = flow->fed;
    event.why = event.why ? event.why : "";
    self->tell (self->owner, &event);
}

/*  What may differ when it is opened again. */
static void order_again (flow_t *flow, const flow_order_t *order)
{
    flow->epoch = order->epoch;
    flow->attempt = order->attempt;
    flow->mbps = order->mbps;
    flow->feeds = order->feeds;
    flow->expects = order->digest;
    if (order->digest)
        memcpy (flow->expected, order->digest, FLOW_DIGEST_BYTES);
}

/*  Goes on if all is done with the files that are here. */
static void own_looked (flow_loop_t *self, flow_t *flow)
{
    if (flow->look_until > 0 || flow->takes) {
        self->looking++;
        return;
    }
    flow->grown = true;
    if (!flow->opened)
        flow_tell (self, flow, (flow_event_t){.news = FLOW_OPENED});
    flow->opened = true;
    link_ask (self, flow);
    flow_whole (self, flow);
}

static void order_open (flow_loop_t *self, const flow_order_t *order)
{
    char why [WHY_BYTES];
    flow_t *flow = flow_find (self, order->flow);
    if (flow) {
        order_again (flow, order);
        return;
    }
    flow = must (calloc (1, sizeof *flow));
    flow->number = order->flow;
    order_again (flow, order);
    memcpy (flow->id, order->id, FLOW_ID_BYTES);
    memcpy (flow->token, order->token, FLOW_TOKEN_BYTES);
    flow->after = self->flows;
    self->flows = flow;
    flow->file = flow->marks = flow->donor = flow->donor_marks = -1;
    flow->follows = order->follows != 0 ? flow_find (self, order->follows) : NULL;
    if (order->follows != 0 && (!flow->follows || flow->follows->broken)) {
        flow_break (self, flow, "the file that it is to follow is not open");
    } else if (!flow->follows && !flow_file_open (flow, order, why)) {
        flow_break (self, flow, why);
    } else {
        own_looked (self, flow);
    }
}

static void followers_leave (flow_loop_t *self, const flow_t *flow)
{
    char why [WHY_BYTES];
    for (flow_t *other = self->flows; other; other = other->after)
        if (other->follows == flow && !flow_file_inherit (other, why))
            flow_break (self, other, why);
}

static void order_close (flow_loop_t *self, uint64_t number)
{
    flow_t **at = &self->flows;
    while (*at && (*at)->number != number)
        at = &(*at)->after;
    flow_t *flow = *at;
    if (!flow)
        return;
    conns_end (self, flow, CONN_GREETS);
    followers_leave (self, flow);
    conns_free_dead (self);
    *at = flow->after;
    flow_file_close (flow);
    OPENSSL_cleanse (flow->token, sizeof flow->token);
    free (flow);
}

void flow_loop_order (flow_loop_t *self, const flow_order_t *order)
{
    flow_t *flow = flow_find (self, order->flow);
    conn_t *conn;
    self->now_ms = clock_ms (CLOCK_MONOTONIC);
    switch (order->verb) {
    case FLOW_OPEN:
        order_open (self, order);
        break;
    case FLOW_DIAL:
        if (flow && !flow->broken)
            link_dial (self, flow, order->link, order->endpoint);
        break;
    case FLOW_GO:
        conn = link_find (self, order->link);
        if (flow && conn && !flow->broken)
            link_go (self, flow, conn);
        break;
    case FLOW_HANG_UP:
        conn = link_find (self, order->link);
        if (conn)
            conn_end (self, conn);
        break;
    case FLOW_CLOSE:
        order_close (self, order->flow);
        break;
    }
}

/*  --- turns --- */

static void look_on (flow_loop_t *self)
{
    char why [WHY_BYTES];
    self->looking = 0;
    for (flow_t *flow = self->flows; flow; flow = flow->after) {
        bool looks = flow->look_until > 0;
        if (flow->broken || (!looks && !flow->takes))
            continue;
        if (looks ? flow_file_look (flow, self->buffer, why) : flow_donor_take (flow, why))
            own_looked (self, flow);
        else
            flow_break (self, flow, why);
    }
}

static void flow_loop_tell_progress (flow_loop_t *self)
{
    for (flow_t *flow = self->flows; flow; flow = flow->after) {
        const flow_t *own = flow_own (flow);
        if (flow->broken || own->look_until > 0 ||
            (own->has == flow->told_has && flow->fed == flow->told_fed))
            continue;
        flow->told_has = own->has;
        flow->told_fed = flow->fed;
        flow_tell (self, flow, (flow_event_t){.news = FLOW_PROGRESS});
    }
}

void flow_loop_listen (flow_loop_t *self, bool listens)
{
    struct epoll_event wish = {.events = listens ? EPOLLIN : 0, .data.ptr = &self->listener};
    self->deaf = !listens;
    epoll_ctl (self->poll, EPOLL_CTL_MOD, self->listener, &wish);
}

static void tick (flow_loop_t *self)
{
    self->ticked_ms = self->now_ms;
    if (self->deaf)
        flow_loop_listen (self, true);
    for (conn_t *conn = self->conns; conn; conn = conn->after) {
        if (conn->dead)
            continue;
        if (conn->state >= CONN_DIALS)
            link_tick (self, conn);
        else
            feed_tick (self, conn);
    }
    flow_loop_tell_progress (self);
}

/*  Peers are not blamed for the time in which this thread did not listen. */
static void forgive (flow_loop_t *self)
{
    for (conn_t *conn = self->conns; conn; conn = conn->after)
        conn->heard_ms = conn->since_ms = self->now_ms;
}

static void feed_grown (flow_loop_t *self)
{
    for (conn_t *conn = self->conns; conn; conn = conn->after)
        if (!conn->dead && conn->state == CONN_FEEDS && flow_own (conn->flow)->grown &&
            !conn->outbound)
            feed_more (self, conn);
    for (flow_t *flow = self->flows; flow; flow = flow->after)
        flow->grown = false;
}

static void wake (flow_loop_t *self)
{
    int64_t now_ms = clock_ms (CLOCK_MONOTONIC);
    bool asleep = now_ms - self->now_ms > ASLEEP_MS;
    self->now_ms = now_ms;
    if (asleep)
        forgive (self);
}

bool flow_loop_turn (flow_loop_t *self)
{
    struct epoll_event events [EVENTS_AT_ONCE];
    bool orders = false, busy = self->flows || self->conns || self->deaf;
    int64_t due_ms = self->ticked_ms + FLOW_ALIVE_MS - clock_ms (CLOCK_MONOTONIC);
    int wait_ms = self->looking > 0 ? 0 : !busy ? -1 : due_ms > 0 ? (int) due_ms : 0;
    int count = epoll_wait (self->poll, events, EVENTS_AT_ONCE, wait_ms);
    wake (self);
    for (int i = 0; i < count; i++) {
        conn_t *conn = events [i].data.ptr;
        if (events [i].data.ptr == &self->listener)
            feed_accept (self);
        else if (!conn)
            orders = true;
        else if (!conn->dead && conn->state >= CONN_DIALS)
            link_ready (self, conn);
        else if (!conn->dead)
            feed_ready (self, conn);
    }
    if (self->looking > 0)
        look_on (self);
    feed_grown (self);
    if (self->now_ms - self->ticked_ms >= FLOW_ALIVE_MS)
        tick (self);
    conns_free_dead (self);
    return orders;
}

static bool somebody_takes_the_rest (const flow_loop_t *self)
{
    for (const conn_t *conn = self->conns; conn; conn = conn->after)
        if (!conn->dead && (conn->state == CONN_FEEDS || conn->state == CONN_CHOOSES) &&
            !conn->flow->whole && flow_own (conn->flow)->has == flow_own (conn->flow)->size)
            return true;
    return false;
}

void flow_loop_linger (flow_loop_t *self)
{
    int64_t until_ms = clock_ms (CLOCK_MONOTONIC) + self->linger_ms;
    while (somebody_takes_the_rest (self) && self->now_ms < until_ms)
        flow_loop_turn (self);
}

bool flow_loop_init (flow_loop_t *self, int listener, int orders)
{
    self->listener = listener;
    self->linger_ms = FLOW_LINGER_MS;
    self->poll = epoll_create1 (EPOLL_CLOEXEC);
    if (self->poll < 0)
        return false;
    self->now_ms = self->ticked_ms = clock_ms (CLOCK_MONOTONIC);
    self->buffer = must (malloc (FLOW_BUFFER_BYTES));
    struct epoll_event wish = {.events = EPOLLIN, .data.ptr = NULL};
    bool watched = epoll_ctl (self->poll, EPOLL_CTL_ADD, orders, &wish) == 0;
    wish.data.ptr = &self->listener;
    return watched && (listener < 0 || epoll_ctl (self->poll, EPOLL_CTL_ADD, listener, &wish) == 0);
}

void flow_loop_end (flow_loop_t *self)
{
    while (self->flows)
        order_close (self, self->flows->number);
    for (conn_t *conn = self->conns; conn; conn = conn->after)
        conn_end (self, conn);
    conns_free_dead (self);
    free (self->buffer);
    descriptor_close (&self->poll);
    descriptor_close (&self->listener);
}
