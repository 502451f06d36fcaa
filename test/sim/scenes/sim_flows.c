/*  sim_flows - one tick after another: connections of dead processes end, dials are answered, bytes
 *  flow. */
#include "sim_flows.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_US       20000
#define DIAL_US_MAX   60000
#define DIAL_GIVEN_UP 20000000
#define SPARE         2
#define BYTES_A_US(m) ((m) / 8.0)

typedef struct sim_flow_own {
    struct sim_flow_own *after;
    int process;
    uint32_t start;
    flow_order_t order;
    uint8_t id [FLOW_ID_BYTES];
    uint8_t token [FLOW_TOKEN_BYTES];
    sim_file_t *file;
    const struct sim_flow_own *follows; /* it shares the file of that one */
    uint64_t size;
    uint64_t received, fed, told;
    bool opened, whole_told, closed;
    double part; /* of a byte */
} own_t;

typedef enum { LINK_DIALS, LINK_LINKED, LINK_RECEIVES, LINK_OVER } sim_flows_link_state_t;

typedef struct sim_link {
    struct sim_link *after;
    own_t *own;
    own_t *peer; /* from LINKED on */
    int to;
    uint32_t to_start;
    uint64_t number;
    sim_flows_link_state_t state;
    int64_t due_us;
    int64_t heard_us;
} sim_flows_link_t;

struct sim_flows {
    sim_t *sim;
    prng_t prng;
    sim_file_t *files;
    own_t *owns;
    sim_flows_link_t *links;
    uint32_t mbps [SIM_PROCESSES_MAX];
    int64_t cut_us [SIM_PROCESSES_MAX];
    bool hidden [SIM_PROCESSES_MAX];
    uint64_t received [SIM_PROCESSES_MAX];
    uint64_t fed [SIM_PROCESSES_MAX];
    bool marks;
    void (*whole) (void *owner, int process); /* NULL: no process waits for it */
    void *owner;
};

/*  --- files --- */

sim_file_t *sim_flows_files (sim_flows_t *self)
{
    return self->files;
}

sim_file_t *sim_flows_file (sim_flows_t *self, int process, const char *path, bool make)
{
    for (sim_file_t *file = self->files; file; file = file->after)
        if (file->process == process && strcmp (file->path, path) == 0)
            return file;
    if (!make)
        return NULL;
    sim_file_t *file = must (calloc (1, sizeof *file));
    file->process = process;
    snprintf (file->path, sizeof file->path, "%s", path);
    file->after = self->files;
    self->files = file;
    return file;
}

void sim_file_digest (const sim_file_t *file, uint8_t digest [FLOW_DIGEST_BYTES])
{
    uint64_t words [2] = {file->bytes > 0 ? file->content : 0, file->bytes};
    memset (digest, file->damaged ? 0xee : 0x11, FLOW_DIGEST_BYTES);
    memcpy (digest, words, sizeof words);
}

/*  --- who lives --- */

static bool alive (const sim_flows_t *self, int process, uint32_t start)
{
    return sim_up (self->sim, process) && sim_identity (self->sim, process)->start == start;
}

static bool cut (const sim_flows_t *self, int a, int b)
{
    int64_t now_us = sim_now_us (self->sim);
    return self->cut_us [a] > now_us || self->cut_us [b] > now_us;
}

static void tell (sim_flows_t *self, own_t *own, flow_event_t news)
{
    uint8_t digest [FLOW_DIGEST_BYTES];
    news.flow = own->order.flow;
    news.has = own->file ? own->file->bytes : 0;
    news.size = own->size;
    news.received = own->received;
    news.fed = own->fed;
    if (news.news == FLOW_WHOLE) {
        sim_file_digest (own->file, digest);
        news.digest = digest;
    }
    sim_flow_news (self->sim, own->process, &news);
}

static void link_fail (sim_flows_t *self, sim_flows_link_t *link, bool refused, const char *why)
{
    link->state = LINK_OVER;
    tell (
      self, link->own,
      (flow_event_t){.news = FLOW_FAILED, .link = link->number, .refused = refused, .why = why});
}

/*  --- orders --- */

static own_t *own_find (const sim_flows_t *self, int process, uint64_t flow)
{
    for (own_t *own = self->owns; own; own = own->after)
        if (own->process == process && own->order.flow == flow && !own->closed &&
            alive (self, process, own->start))
            return own;
    return NULL;
}

static sim_flows_link_t *link_find (const sim_flows_t *self, const own_t *own, uint64_t number)
{
    for (sim_flows_link_t *link = self->links; link; link = link->after)
        if (link->own == own && link->number == number && link->state != LINK_OVER)
            return link;
    return NULL;
}

static void open_flow (sim_flows_t *self, int process, const flow_order_t *order)
{
    own_t *own = own_find (self, process, order->flow);
    if (own) {
        own->order.epoch = order->epoch;
        own->order.attempt = order->attempt;
        own->order.mbps = order->mbps;
        own->order.feeds = order->feeds;
        return;
    }
    own = must (calloc (1, sizeof *own));
    own->process = process;
    own->start = sim_identity (self->sim, process)->start;
    own->order = *order;
    memcpy (own->id, order->id, FLOW_ID_BYTES);
    memcpy (own->token, order->token, FLOW_TOKEN_BYTES);
    own->follows = order->follows != 0 ? own_find (self, process, order->follows) : NULL;
    own->order.whole = order->whole || order->follows != 0;
    own->file = own->follows          ? own->follows->file
                : order->follows != 0 ? NULL
                                      : sim_flows_file (self, process, order->path, !order->whole);
    own->size = order->size;
    if (own->file && order->whole)
        own->size = own->file->bytes;
    if (own->file && !own->order.whole && (order->anew || (self->marks && own->file->damaged))) {
        own->file->bytes = own->file->content = own->file->marked = 0;
        own->file->damaged = false;
    }
    own->after = self->owns;
    self->owns = own;
}

static void dial (sim_flows_t *self, own_t *own, const flow_order_t *order)
{
    sim_flows_link_t *link = must (calloc (1, sizeof *link));
    link->own = own;
    link->number = order->link;
    link->to = SIM_NOBODY;
    for (size_t p = 0; p < sim_processes (self->sim); p++)
        if (strcmp (sim_address (self->sim, (int) p) + 6, order->endpoint + 6) == 0) /* sim, tcp */
            link->to = (int) p;
    link->due_us = sim_now_us (self->sim) + (int64_t) prng_below (&self->prng, DIAL_US_MAX);
    link->after = self->links;
    self->links = link;
}

static void go (sim_flows_t *self, own_t *own, uint64_t number)
{
    sim_flows_link_t *chosen = link_find (self, own, number);
    if (!chosen || chosen->state != LINK_LINKED)
        return;
    for (sim_flows_link_t *link = self->links; link; link = link->after)
        if (link->own == own && link->state == LINK_RECEIVES)
            link->state = LINK_OVER;
    chosen->state = LINK_RECEIVES;
    chosen->heard_us = sim_now_us (self->sim);
}

static void on_order (void *owner, int process, const flow_order_t *order)
{
    sim_flows_t *self = owner;
    own_t *own = own_find (self, process, order->flow);
    sim_flows_link_t *link = own ? link_find (self, own, order->link) : NULL;
    if (order->verb == FLOW_OPEN)
        open_flow (self, process, order);
    else if (own && order->verb == FLOW_DIAL)
        dial (self, own, order);
    else if (own && order->verb == FLOW_GO)
        go (self, own, order->link);
    else if (link && order->verb == FLOW_HANG_UP)
        link->state = LINK_OVER;
    else if (own && order->verb == FLOW_CLOSE)
        own->closed = true;
}

/*  --- a tick --- */

static uint32_t fed_by (const sim_flows_t *self, const own_t *own)
{
    uint32_t count = 0;
    for (const sim_flows_link_t *link = self->links; link; link = link->after)
        count += link->state == LINK_RECEIVES && link->peer == own && !link->own->closed;
    return count;
}

/*  How many flows leave a host, or come to it; with hosts that stand still or are cut off nothing
 *  is shared. */
static uint32_t shares_of (const sim_flows_t *self, int process, bool leaving)
{
    uint32_t count = 0;
    for (const sim_flows_link_t *link = self->links; link; link = link->after)
        count += link->state == LINK_RECEIVES && !link->own->closed &&
                 (leaving ? link->to : link->own->process) == process &&
                 !sim_stands (self->sim, link->own->process) &&
                 !cut (self, link->own->process, link->to);
    return count;
}

static double share_of (const sim_flows_t *self, int process, bool leaving)
{
    uint32_t shares = shares_of (self, process, leaving);
    return (double) self->mbps [process] / (shares > 0 ? shares : 1);
}

static void answer_dial (sim_flows_t *self, sim_flows_link_t *link)
{
    const own_t *asks = link->own;
    if (link->to == SIM_NOBODY) {
        link_fail (self, link, false, "nobody is there");
        return;
    }
    if (cut (self, asks->process, link->to) || self->hidden [link->to] ||
        sim_stands (self->sim, link->to)) {
        if (sim_now_us (self->sim) - link->due_us > DIAL_GIVEN_UP)
            link_fail (self, link, false, "no answer");
        return;
    }
    if (!sim_up (self->sim, link->to)) {
        link_fail (self, link, false, "connection refused");
        return;
    }
    own_t *peer = self->owns;
    while (peer && !(peer->process == link->to && !peer->closed && peer->opened &&
                     alive (self, link->to, peer->start) &&
                     memcmp (peer->id, asks->id, FLOW_ID_BYTES) == 0 &&
                     memcmp (peer->token, asks->token, FLOW_TOKEN_BYTES) == 0))
        peer = peer->after;
    if (!peer || asks->order.epoch < peer->order.epoch || peer->size != asks->size ||
        (peer->order.attempt != FLOW_PROVED && peer->order.attempt != asks->order.attempt) ||
        fed_by (self, peer) >= peer->order.feeds + SPARE) {
        link_fail (self, link, true, "it can't feed now");
        return;
    }
    link->state = LINK_LINKED;
    link->peer = peer;
    link->to_start = peer->start;
    tell (self, link->own,
          (flow_event_t){
            .news = FLOW_LINKED, .link = link->number, .peer_has = peer->file->bytes, .why = ""});
}

static void take_in (sim_flows_t *self, sim_flows_link_t *link, uint64_t bytes)
{
    own_t *own = link->own, *peer = link->peer;
    if (bytes == 0)
        return;
    if (own->file->bytes == 0)
        own->file->content = own->file->marked = peer->file->content;
    own->file->damaged =
      own->file->damaged || peer->file->damaged || own->file->content != peer->file->content;
    own->file->bytes += bytes;
    own->received += bytes;
    peer->fed += bytes;
    self->received [own->process] += bytes;
    self->fed [peer->process] += bytes;
}

/*  The file has other bytes than when its marks were noted. */
static bool marks_tell (const sim_flows_t *self, const own_t *peer)
{
    const sim_file_t *file = peer->file;
    return self->marks && file->bytes > 0 && (file->damaged || file->content != file->marked);
}

static void flow_on (sim_flows_t *self, sim_flows_link_t *link)
{
    own_t *own = link->own, *peer = link->peer;
    int64_t now_us = sim_now_us (self->sim);
    bool apart = cut (self, own->process, link->to);
    bool gone = peer->closed || !alive (self, link->to, link->to_start);
    if (gone && !apart) {
        link_fail (self, link, false, "the feeder hung up");
        return;
    }
    if (sim_stands (self->sim, own->process)) {
        link->heard_us = now_us; /* a process that does not listen blames no one */
        return;
    }
    if (apart || gone || sim_stands (self->sim, link->to)) {
        if (now_us - link->heard_us < FLOW_SILENT_MS * 1000)
            return;
        link->heard_us = now_us;
        tell (self, own, (flow_event_t){.news = FLOW_SILENT, .link = link->number, .why = ""});
        return;
    }
    link->heard_us = now_us;
    double mbps = share_of (self, link->to, true);
    if (mbps > share_of (self, own->process, false))
        mbps = share_of (self, own->process, false);
    if (peer->order.mbps > 0 && mbps > peer->order.mbps)
        mbps = peer->order.mbps;
    own->part += BYTES_A_US (mbps) * TICK_US;
    uint64_t most = peer->file->bytes > own->file->bytes ? peer->file->bytes - own->file->bytes : 0;
    uint64_t bytes = own->part < (double) most ? (uint64_t) own->part : most;
    own->part = own->part < (double) most ? own->part - (double) bytes : 0;
    if (bytes > 0 && marks_tell (self, peer)) {
        link->state = LINK_OVER;
        tell (self, own,
              (flow_event_t){
                .news = FLOW_FAILED, .link = link->number, .wrong = true, .why = "wrong bytes"});
        return;
    }
    take_in (self, link, bytes);
}

/*  Is it closed before all its bytes were proved? */
static bool given_up (const own_t *followed)
{
    return followed && followed->closed &&
           (followed->order.attempt != FLOW_PROVED || followed->file->bytes < followed->size);
}

static void own_on (sim_flows_t *self, own_t *own)
{
    if (own->closed || !alive (self, own->process, own->start) ||
        sim_stands (self->sim, own->process))
        return;
    if (!own->opened) {
        own->opened = true;
        if (!own->file || (own->order.whole && own->order.size != FLOW_SIZE_UNKNOWN &&
                           own->order.size != own->size)) {
            own->closed = true;
            tell (self, own, (flow_event_t){.news = FLOW_BROKEN, .why = "no such file"});
            return;
        }
        tell (self, own, (flow_event_t){.news = FLOW_OPENED, .why = ""});
    }
    if (given_up (own->follows)) {
        own->closed = true;
        tell (self, own, (flow_event_t){.news = FLOW_BROKEN, .why = "what it followed is closed"});
        return;
    }
    if (!own->order.whole && !own->whole_told && own->file->bytes == own->size) {
        own->whole_told = true;
        tell (self, own, (flow_event_t){.news = FLOW_WHOLE, .why = ""});
        if (self->whole)
            self->whole (self->owner, own->process);
    } else if (own->told != own->received + own->fed &&
               sim_now_us (self->sim) % (5 * TICK_US) == 0) {
        own->told = own->received + own->fed;
        tell (self, own, (flow_event_t){.news = FLOW_PROGRESS, .why = ""});
    }
}

static void on_tick (void *owner, uint64_t token)
{
    (void) token;
    sim_flows_t *self = owner;
    int64_t now_us = sim_now_us (self->sim);
    for (sim_flows_link_t **at = &self->links; *at;) {
        sim_flows_link_t *link = *at;
        if (link->state == LINK_OVER || link->own->closed ||
            !alive (self, link->own->process, link->own->start)) {
            *at = link->after;
            free (link);
        } else {
            at = &link->after;
        }
    }
    for (sim_flows_link_t *link = self->links; link; link = link->after) {
        if (link->state == LINK_DIALS && now_us >= link->due_us)
            answer_dial (self, link);
        else if (link->state == LINK_RECEIVES)
            flow_on (self, link);
    }
    for (own_t *own = self->owns; own; own = own->after)
        own_on (self, own);
    sim_at (self->sim, now_us + TICK_US, on_tick, self, 0);
}

/*  --- life --- */

sim_flows_t *sim_flows_new (sim_t *sim, uint64_t seed, uint32_t mbps)
{
    sim_flows_t *self = must (calloc (1, sizeof *self));
    self->sim = sim;
    prng_seed (&self->prng, seed);
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++)
        self->mbps [i] = mbps;
    sim_flow (sim, on_order, self);
    sim_at (sim, TICK_US, on_tick, self, 0);
    return self;
}

void sim_flows_destroy (sim_flows_t **self_p)
{
    sim_flows_t *self = *self_p;
    if (!self)
        return;
    for (sim_file_t *file; (file = self->files);) {
        self->files = file->after;
        free (file);
    }
    for (own_t *own; (own = self->owns);) {
        self->owns = own->after;
        free (own);
    }
    for (sim_flows_link_t *link; (link = self->links);) {
        self->links = link->after;
        free (link);
    }
    free (self);
    *self_p = NULL;
}

void sim_flows_rate (sim_flows_t *self, int process, uint32_t mbps)
{
    self->mbps [process] = mbps;
}

void sim_flows_mark (sim_flows_t *self)
{
    self->marks = true;
}

void sim_flows_hide (sim_flows_t *self, int process)
{
    self->hidden [process] = true;
}

void sim_flows_cut (sim_flows_t *self, int process, int64_t until_us)
{
    self->cut_us [process] = until_us;
}

uint64_t sim_flows_received (const sim_flows_t *self, int process)
{
    return self->received [process];
}

uint64_t sim_flows_fed (const sim_flows_t *self, int process)
{
    return self->fed [process];
}

void sim_flows_on_whole (sim_flows_t *self, void (*whole) (void *owner, int process), void *owner)
{
    self->whole = whole;
    self->owner = owner;
}
