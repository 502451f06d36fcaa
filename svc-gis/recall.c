/*  recall - asks the sites and domains that have not told yet, one after the other, page by page.
 */
#include "recall.h"

#include "home_wire.h"
#include "member.h"
#include "must.h"
#include "ordered.h"
#include "part_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    txid_t after; /* the page that it tells next; all zeros = the first */
    bool told;
} recall_source_t;

struct recall {
    service_t *service;
    home_t *home;
    const roster_t *roster;
    ordered_t *tellers;     /* by name */
    recall_source_t *asked; /* the one that is asked, or was last; NULL = a round begins */
    bool more;              /* the next page is due */
    bool fresh;             /* the store had heard of no service yet, or another store was known */
    bool lost;              /* there is a sign of another store */
    int64_t wait_ms;        /* without a sign of another store */
    int64_t wait_until_ms;  /* monotonic */
    int64_t until_ms;       /* monotonic: the end of the lease that all have */
    uint64_t call;
    uint64_t timer;
};

/*  The first one after this that is listed and has not told. */
static recall_source_t *recall_awaited (const recall_t *self, const recall_source_t *after)
{
    recall_source_t *teller = ordered_after (self->tellers, after ? after->name : NULL);
    while (teller && (teller->told || !roster_find (self->roster, teller->name)))
        teller = ordered_after (self->tellers, teller->name);
    return teller;
}

/*  Decides whether to wait, and tells for what. */
static void recall_look (recall_t *self, const moment_t *now)
{
    char text [WHY_BYTES] = "";
    const recall_source_t *first = recall_awaited (self, NULL);
    bool time = now->mono_ms < self->until_ms;
    bool waits = self->fresh && now->mono_ms < self->wait_until_ms;
    if (self->fresh && first && (time || self->lost))
        snprintf (
          text, sizeof text,
          "its store is new: %.63s has not told yet which requests of this home it has carried out",
          first->name);
    else if (self->lost && time)
        snprintf (text, sizeof text,
                  "its store was lost: for the time of one lease, all sites and domains may tell "
                  "which requests of this home they have carried out");
    else if (waits)
        snprintf (
          text, sizeof text,
          "its store is new: for %g s, who has carried out requests of an earlier store of "
          "this home may be listed and tell; where a federation begins, set recall/wait = 0",
          (double) self->wait_ms / 1e3);
    restore_guard_learn (restore_guard_of (self->service), text);
    if (!self->fresh || time || *text)
        return;
    if (self->lost)
        outbox_log (self->service->outbox, LEVEL_ALARM,
                    "recall done recalled=%" PRId64 ": requests can be claimed again",
                    service_counted (self->service, "recalled"));
    self->fresh = self->lost = false;
    restore_guard_settled (restore_guard_of (self->service), now);
}

static void recall_ask (recall_t *self, const moment_t *now);

static void recall_on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    recall_t *self = owner;
    self->timer = 0;
    recall_ask (self, now);
}

/*  One whose commit was refused at its edge was decided too, and is being repaired (T10). */
static bool recall_decided (const recalled_t *command)
{
    return command->state == COMMAND_COMMITTED || command->state == COMMAND_EDGE_REFUSED;
}

static void recall_on_page (void *owner, const moment_t *now, uint64_t token,
                            const call_result_t *result)
{
    (void) token;
    recall_t *self = owner;
    recalled_page_t page = {0};
    self->call = 0;
    bool heard = call_take (result, &recalled_page_codec, &page, NULL);
    for (size_t i = 0; i < page.count; i++)
        if (recall_decided (&page.commands [i]) &&
            home_recall (self->home, now, &page.commands [i].plan, self->asked->name) &&
            self->fresh)
            self->lost = true;
    /* a service without this method keeps no promises */
    self->asked->told = (heard && !page.more) || result->status == CALL_UNKNOWN_METHOD;
    self->more = heard && page.more;
    if (self->more)
        self->asked->after = page.next; /* after a lost page is asked for that one again */
    codec_clear (&recalled_page_codec, &page);
    recall_ask (self, now);
}

/*  Asks for the next page, or the next service; when all were asked, those that have not told once
 *  more. */
static void recall_ask (recall_t *self, const moment_t *now)
{
    if (!self->more)
        self->asked = recall_awaited (self, self->asked);
    recall_look (self, now);
    if (!self->asked) {
        bool again = recall_awaited (self, NULL) != NULL;
        bool waits = now->mono_ms < self->wait_until_ms;
        int64_t until_ms = waits ? self->wait_until_ms : self->until_ms;
        if (self->timer == 0 && (again || self->fresh))
            self->timer =
              timers_set (self->service->timers, again ? now->mono_ms + RECALL_AGAIN_MS : until_ms,
                          recall_on_time, self, 0);
        return;
    }
    packed_t body = codec_encode (&commands_request_codec,
                                  &(commands_request_t){.after_set = self->asked->after.start > 0,
                                                        .after = self->asked->after});
    self->call = service_ask (self->service, now,
                              &(call_order_t){.peer = self->asked->name,
                                              .service = "Participant",
                                              .method = "Commands",
                                              .timeout_ms = RECALL_ASK_MS,
                                              .tries_max = 1},
                              body, recall_on_page, self, 0);
}

/*  Asks now, unless a question is under way. */
static void hurry (recall_t *self, const moment_t *now)
{
    timers_cancel (self->service->timers, self->timer);
    self->timer = 0;
    if (self->call == 0)
        recall_ask (self, now);
    else
        recall_look (self, now);
}

void recall_start (recall_t *self, const moment_t *now, bool heard_before)
{
    self->fresh = self->fresh || !heard_before;
    self->until_ms = now->mono_ms + RECALL_MS;
    self->wait_until_ms = now->mono_ms + self->wait_ms;
    hurry (self, now);
}

void recall_known (recall_t *self, const moment_t *now)
{
    if (!self->fresh || self->lost)
        return;
    self->lost = true;
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "another store was served at this address before: no request can be claimed until "
                "all that are listed have told what they have carried out");
    hurry (self, now);
}

void recall_listed (recall_t *self, const moment_t *now, const char *name, bool known, bool seen)
{
    bool takes_part = strncmp (name, "lis/", 4) == 0 || strncmp (name, "nis/", 4) == 0 ||
                      strncmp (name, "replica/", 8) == 0;
    if (!takes_part || (known && !self->fresh) || ordered_find (self->tellers, name))
        return;
    recall_source_t *teller = must (calloc (1, sizeof *teller));
    memcpy (teller->name, name, strlen (name) + 1);
    ordered_add (self->tellers, teller->name, teller);
    if (seen && !known)
        recall_known (self, now);
    hurry (self, now);
}

/*  Every listed service tells again: what it told was told to another store. */
static void recall_on_lost (void *owner, const moment_t *now, const uint8_t store [STORE_ID_BYTES])
{
    (void) store;
    recall_t *self = owner;
    self->fresh = self->lost = true;
    const char *at = NULL;
    for (const listing_t *listing; (listing = roster_after (self->roster, at));
         at = listing->entry.name)
        recall_listed (self, now, listing->entry.name, false, false);
    recall_start (self, now, false);
}

bool recall_told (const recall_t *self, const char *name)
{
    const recall_source_t *teller = ordered_find (self->tellers, name);
    return !self->lost && (!teller || teller->told); /* after a restart it is asked again */
}

recall_t *recall_new (service_t *service, home_t *home, const roster_t *roster, int64_t wait_ms)
{
    recall_t *self = must (calloc (1, sizeof *self));
    *self = (recall_t){.service = service,
                       .home = home,
                       .roster = roster,
                       .wait_ms = wait_ms,
                       .tellers = ordered_by_text (offsetof (recall_source_t, name))};
    restore_guard_on_lost (restore_guard_of (service), recall_on_lost, self);
    return self;
}

void recall_destroy (recall_t **self_p)
{
    recall_t *self = *self_p;
    ordered_end (&self->tellers, free);
    free (self);
    *self_p = NULL;
}
