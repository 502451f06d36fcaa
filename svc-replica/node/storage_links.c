/*  storage_links - finds the feeder of a receiver, and another one when that fails.
 *
 *  The site's plan names the feeders, nearest first. A search asks the first one; or, when a feeder
 *  has died or fallen silent, the first three at once on fresh connections, the one that seems dead
 *  among them. The nearest that answers feeds. Nearer ones get PROBE_MS to answer, PATIENT_MS as
 *  long as no bytes have stopped, and longer if they are alive but can't feed yet. If the search's
 *  own timer is late, this process was stopped itself: then it judges nobody, and everybody gets
 *  that time again.
 */
#include "storage_state.h"

#include <stdio.h>
#include <string.h>

#define PROBE_MS       250  /* for an answer on a fresh connection, when bytes have stopped */
#define PATIENT_MS     1000 /* for one when they have not: a busy machine may be slow to answer */
#define REFUSED_MS     1500 /* how long one that is alive but can't feed is preferred */
#define AGAIN_MS       60   /* until it is asked again */
#define ASLEEP_MS      200  /* if a timer is later than this, we were stopped */
#define AT_ONCE        3
#define BACKOFF_MS     150 /* after a round that found nobody; it doubles */
#define BACKOFF_MS_MAX 2000

static void timer_set (storage_t *self, transfer_t *transfer, int64_t mono_ms);

static void order_link (storage_t *self, const transfer_t *transfer, flow_verb_t verb,
                        uint64_t link, const char *endpoint)
{
    outbox_flow (
      self->service->outbox,
      &(flow_order_t){.verb = verb, .flow = transfer->flow, .link = link, .endpoint = endpoint});
}

static bool is_wrong (const receiver_report_t *receipt, const char *feeder)
{
    return list_find (receipt->wrong, receipt->wrong_count, sizeof *receipt->wrong, feeder);
}

static void storage_links_dial (storage_t *self, transfer_t *transfer, link_attempt_t *attempt)
{
    if (is_wrong (&transfer->receipt, attempt->feeder.name)) {
        *attempt = (link_attempt_t){.feeder = attempt->feeder, .failed = true, .wrong = true};
        return;
    }
    *attempt = (link_attempt_t){
      .feeder = attempt->feeder, .link = ++self->numbers, .refused = attempt->refused};
    order_link (self, transfer, FLOW_DIAL, attempt->link, attempt->feeder.endpoint);
}

static void dial_more (storage_t *self, transfer_t *transfer, size_t more)
{
    links_t *links = &transfer->links;
    while (more > 0 && links->attempts_count < transfer->wanted.feeders_count) {
        link_attempt_t *attempt = &links->attempts [links->attempts_count];
        *attempt = (link_attempt_t){.feeder = transfer->wanted.feeders [links->attempts_count++]};
        storage_links_dial (self, transfer, attempt);
        more -= attempt->wrong ? 0 : 1;
    }
}

/*  Ends the search, and hangs up all links but the one that was chosen. */
static void seek_end (storage_t *self, transfer_t *transfer)
{
    links_t *links = &transfer->links;
    for (size_t i = 0; i < links->attempts_count; i++)
        if (links->attempts [i].link != 0 && links->attempts [i].link != links->link &&
            !links->attempts [i].failed)
            order_link (self, transfer, FLOW_HANG_UP, links->attempts [i].link, NULL);
    links->attempts_count = 0;
    links->seeking = false;
    timers_cancel (self->service->timers, links->timer);
    links->timer = 0;
}

static void storage_links_seek (storage_t *self, const moment_t *now, transfer_t *transfer,
                                size_t at_once)
{
    links_t *links = &transfer->links;
    seek_end (self, transfer);
    if (transfer->wanted.feeders_count == 0)
        return;
    links->seeking = true;
    links->began_ms = now->mono_ms;
    links->has_before = transfer->receipt.has;
    bool hurries = transfer->receipt.received > 0 && (links->link == 0 || links->doubted);
    links->probe_ms = hurries ? PROBE_MS : PATIENT_MS;
    dial_more (self, transfer, at_once);
    timer_set (self, transfer, now->mono_ms + links->probe_ms);
}

void links_end (storage_t *self, transfer_t *transfer)
{
    seek_end (self, transfer);
    if (transfer->links.link != 0)
        order_link (self, transfer, FLOW_HANG_UP, transfer->links.link, NULL);
    transfer->links = (links_t){0};
    transfer->receipt.feeder [0] = '\0';
}

/*  --- choosing --- */

/*  Notes for the report which feeders before this one did not answer; those that are alive are left
 *  out, and those that its site does not name any more. */
static void storage_links_tell_silent (transfer_t *transfer, size_t before)
{
    receiver_report_t *receipt = &transfer->receipt;
    const wanted_transfer_t *wanted = &transfer->wanted;
    receipt->silent_count = 0;
    for (size_t i = 0; i < before; i++) {
        const link_attempt_t *attempt = &transfer->links.attempts [i];
        if (!attempt->refused && !attempt->wrong &&
            list_find (wanted->feeders, wanted->feeders_count, sizeof *wanted->feeders,
                       attempt->feeder.name))
            snprintf (receipt->silent [receipt->silent_count++], sizeof *receipt->silent, "%s",
                      attempt->feeder.name);
    }
}

static void storage_links_choose (storage_t *self, const moment_t *now, transfer_t *transfer,
                                  size_t feeder)
{
    links_t *links = &transfer->links;
    const char *name = links->attempts [feeder].feeder.name;
    storage_links_tell_silent (transfer, feeder);
    bool stays = links->link != 0 && !links->doubted && strcmp (links->feeder, name) == 0;
    if (!stays) {
        links->link = links->attempts [feeder].link;
        order_link (self, transfer, FLOW_GO, links->link, NULL);
        snprintf (links->feeder, sizeof links->feeder, "%s", name);
        outbox_log (self->service->outbox, LEVEL_INFO, "transfer %s fed by=%s at=%llu epoch=%llu",
                    chain_id_text (&transfer->wanted.id).text, name,
                    (unsigned long long) transfer->receipt.has,
                    (unsigned long long) transfer->wanted.epoch);
    }
    links->doubted = false;
    links->rounds = 0;
    snprintf (transfer->receipt.feeder, sizeof transfer->receipt.feeder, "%s", links->feeder);
    seek_end (self, transfer);
    storage_news (self, now, true);
}

/*  No feeder was found: tries again later. The site may find others meanwhile. */
static void storage_links_round_over (storage_t *self, const moment_t *now, transfer_t *transfer)
{
    links_t *links = &transfer->links;
    storage_links_tell_silent (transfer, links->attempts_count);
    if (links->link == 0)
        transfer->receipt.feeder [0] = '\0';
    seek_end (self, transfer);
    timer_set (self, transfer,
               now->mono_ms + pause_doubled (BACKOFF_MS, BACKOFF_MS_MAX, links->rounds++));
    storage_news (self, now, true);
}

/*  Is this one still worth waiting for? */
static bool pends (const moment_t *now, const links_t *links, const link_attempt_t *attempt)
{
    int64_t since_ms = now->mono_ms - links->began_ms;
    if (attempt->linked)
        return false;
    return attempt->refused ? since_ms < REFUSED_MS
                            : !attempt->failed && since_ms < links->probe_ms;
}

static void storage_links_judge (storage_t *self, const moment_t *now, transfer_t *transfer)
{
    links_t *links = &transfer->links;
    bool hope = false;
    if (!links->seeking)
        return;
    for (size_t i = 0; i < links->attempts_count; i++) {
        const link_attempt_t *attempt = &links->attempts [i];
        if (attempt->linked) {
            storage_links_choose (self, now, transfer, i);
            return;
        }
        if (pends (now, links, attempt))
            return;
        hope = hope || !attempt->failed;
    }
    if (links->attempts_count < transfer->wanted.feeders_count) {
        links->began_ms = now->mono_ms; /* for the next ones; others may still answer */
        links->probe_ms = PROBE_MS;
        dial_more (self, transfer, AT_ONCE);
        timer_set (self, transfer, now->mono_ms + PROBE_MS);
    } else if (!hope || now->mono_ms - links->began_ms >= REFUSED_MS) {
        storage_links_round_over (self, now, transfer);
    }
}

/*  --- time --- */

static void redial (storage_t *self, const moment_t *now, transfer_t *transfer)
{
    links_t *links = &transfer->links;
    for (size_t i = 0; i < links->attempts_count; i++)
        if (links->attempts [i].link == 0 && !links->attempts [i].failed &&
            links->attempts [i].again_ms <= now->mono_ms)
            storage_links_dial (self, transfer, &links->attempts [i]);
}

static void storage_links_on_timer (void *owner, const moment_t *now, uint64_t flow)
{
    storage_t *self = owner;
    transfer_t *transfer = transfers_by_flow (self, flow);
    if (!transfer)
        return;
    links_t *links = &transfer->links;
    links->timer = 0;
    if (!links->seeking) {
        if (links->link == 0 || links->doubted)
            storage_links_seek (self, now, transfer, AT_ONCE);
        return;
    }
    if (now->mono_ms - links->timer_ms > ASLEEP_MS)
        links->began_ms = now->mono_ms;
    redial (self, now, transfer);
    if (links->link != 0 && transfer->receipt.has > links->has_before && links->doubted) {
        links->doubted = false; /* it sends again */
        seek_end (self, transfer);
        return;
    }
    storage_links_judge (self, now, transfer);
    if (links->seeking && links->timer == 0)
        timer_set (self, transfer, now->mono_ms + AGAIN_MS);
}

static void timer_set (storage_t *self, transfer_t *transfer, int64_t mono_ms)
{
    links_t *links = &transfer->links;
    links->timer_ms = mono_ms;
    timers_move (self->service->timers, &links->timer, mono_ms, storage_links_on_timer, self,
                 transfer->flow);
}

/*  --- what happens --- */

void links_plan (storage_t *self, const moment_t *now, transfer_t *transfer)
{
    links_t *links = &transfer->links;
    const wanted_transfer_t *wanted = &transfer->wanted;
    if (!transfer->opened || transfer->receipt.state != RECEIPT_RECEIVING)
        return;
    bool nearest = wanted->feeders_count > 0 && links->link != 0 && !links->doubted &&
                   strcmp (links->feeder, wanted->feeders [0].name) == 0;
    if (nearest)
        seek_end (self, transfer);
    else
        storage_links_seek (self, now, transfer, 1);
}

static link_attempt_t *attempt_find (links_t *links, uint64_t link)
{
    for (size_t i = 0; i < links->attempts_count; i++)
        if (links->attempts [i].link == link)
            return &links->attempts [i];
    return NULL;
}

/*  This feeder is not asked any more until the site has a new plan. */
static void feeder_wrong (storage_t *self, const moment_t *now, transfer_t *transfer)
{
    receiver_report_t *receipt = &transfer->receipt;
    const char *feeder = transfer->links.feeder;
    if (receipt->wrong_count == FEEDERS_MAX || is_wrong (receipt, feeder))
        return;
    snprintf (receipt->wrong [receipt->wrong_count++], sizeof *receipt->wrong, "%s", feeder);
    storage_news (self, now, true);
}

static void link_failed (storage_t *self, const moment_t *now, transfer_t *transfer,
                         const flow_event_t *event)
{
    links_t *links = &transfer->links;
    link_attempt_t *attempt = attempt_find (links, event->link);
    if (attempt) {
        attempt->failed = true;
        attempt->linked = false;
        attempt->refused = event->refused;
        if (event->refused) {
            attempt->link = 0;
            attempt->failed = false;
            attempt->again_ms = now->mono_ms + AGAIN_MS;
            if (links->timer_ms > attempt->again_ms || links->timer == 0)
                timer_set (self, transfer, attempt->again_ms);
        }
    }
    if (event->link == links->link) {
        outbox_log (self->service->outbox, LEVEL_INFO, "feeder %s lost why=\"%.120s\"",
                    links->feeder, event->why);
        links->link = 0;
        if (event->wrong)
            feeder_wrong (self, now, transfer);
        if (!links->seeking)
            storage_links_seek (self, now, transfer, AT_ONCE);
    }
    storage_links_judge (self, now, transfer);
}

void links_on_flow (storage_t *self, const moment_t *now, transfer_t *transfer,
                    const flow_event_t *event)
{
    links_t *links = &transfer->links;
    if (transfer->receipt.state != RECEIPT_RECEIVING)
        return;
    link_attempt_t *attempt;
    switch (event->news) {
    case FLOW_LINKED:
        attempt = attempt_find (links, event->link);
        if (attempt)
            attempt->linked = true;
        storage_links_judge (self, now, transfer);
        break;
    case FLOW_FAILED:
        link_failed (self, now, transfer, event);
        break;
    case FLOW_SILENT:
        if (event->link == links->link && !links->seeking) {
            links->doubted = true;
            storage_links_seek (self, now, transfer, AT_ONCE);
        }
        break;
    default:
        break;
    }
}
