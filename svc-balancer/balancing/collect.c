/*  collect - asks sites whether they have joined, and members for their queues. */
#include "balancer_state.h"

#include "codec_table.h"
#include "delivered_work.h"
#include "member.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/*  In one step. A queue that changes between two pages is read again from its head. */
#define HEAD_TRIES_MAX 3

static uint64_t collect_ask (balancer_t *self, const moment_t *now, const char *site,
                             const char *method, packed_t body, call_done_fn *done, uint64_t token)
{
    call_order_t order = {.peer = site,
                          .service = "Sharing",
                          .method = method,
                          .timeout_ms = balancer_timeout_ms (self),
                          .tries_max = 1};
    return service_ask (self->service, now, &order, body, done, self, token);
}

/*  --- forming --- */

/*  One question is answered or given up; after the last one the step goes on. */
static void question_over (balancer_t *self, const moment_t *now)
{
    assert (self->waiting > 0);
    if (--self->waiting > 0)
        return;
    if (self->candidates_count > 0)
        balancer_formed (self, now);
    else
        balancer_heard (self, now);
}

static void collect_on_membership (void *owner, const moment_t *now, uint64_t token,
                                   const call_result_t *result)
{
    balancer_t *self = owner;
    coalition_candidate_t *candidate = &self->candidates [token];
    char why [WHY_BYTES];
    candidate->call = 0;
    candidate->answered = result->status == CALL_OK || result->status == CALL_DENIED ||
                          result->status == CALL_UNKNOWN_METHOD;
    if (result->status == CALL_OK) {
        bool good = codec_decode (&terms_codec, &candidate->terms, result->body, why);
        candidate->joined = good && strcmp (candidate->terms.balancer, self->service->name) == 0;
        if (!good)
            outbox_log (self->service->outbox, LEVEL_WARNING,
                        "what %s says of its membership can't be read: %s", candidate->site, why);
    }
    question_over (self, now);
}

void hearing_form (balancer_t *self, const moment_t *now)
{
    size_t room = 0;
    const directory_entry_t *entry = NULL;
    while ((entry = directory_next (directory_of (self->service), "lis", entry))) {
        self->candidates = must_grow (self->candidates, self->candidates_count, &room,
                                      sizeof (coalition_candidate_t));
        coalition_candidate_t *candidate = &self->candidates [self->candidates_count++];
        *candidate = (coalition_candidate_t){.joined = false};
        memcpy (candidate->site, entry->name, sizeof candidate->site);
    }
    self->waiting = self->candidates_count;
    for (size_t i = 0; i < self->candidates_count; i++)
        self->candidates [i].call = collect_ask (self, now, self->candidates [i].site, "Membership",
                                                 (packed_t){0}, collect_on_membership, i);
    if (self->waiting == 0)
        balancer_formed (self, now);
}

/*  --- queues --- */

static call_done_fn collect_on_state;

static void ask_state (balancer_t *self, const moment_t *now, size_t at)
{
    coalition_member_t *member = self->coalition.members [at];
    const member_queue_t *coming = &member->incoming;
    Musubi__StateRequest question = MUSUBI__STATE_REQUEST__INIT;
    question.after = coming->count > 0 ? coming->bags [coming->count - 1].bag : 0;
    member->call = collect_ask (self, now, member->kept.site, "State", packed_of (&question.base),
                                collect_on_state, at);
}

static void take_whole_queue (balancer_t *self, const moment_t *now, coalition_member_t *member)
{
    member->cpus_before = member->known ? member->queue.cpus : member->incoming.cpus;
    member_queue_clear (&member->queue);
    member->queue = member->incoming;
    member->incoming = (member_queue_t){0};
    member->known = true;
    member->fresh = true;
    member->silent = 0;
    member->cpus_sum += member->queue.cpus;
    member->cpus_count++;
    self->done_s += delivered_work_see (&member->delivered_work, &member->queue, now->mono_ms);
}

/*  Takes a page of a member's queue, or the reason why there is none. True when the next page is to
 *  be asked for. */
static bool take_queue_page (balancer_t *self, const moment_t *now, coalition_member_t *member,
                             const call_result_t *result)
{
    char why [WHY_BYTES];
    bool more;
    if (result->status == CALL_NOT_FOUND && member->incoming.count > 0 &&
        member->tries < HEAD_TRIES_MAX) {
        member_queue_clear (&member->incoming);
        member->tries++;
        return true;
    }
    if (result->status == CALL_DENIED || result->status == CALL_UNKNOWN_METHOD) {
        balancer_set_aside (self, member, MEMBER_ASIDE, "it has left");
        member_queue_clear (&member->queue); /* other sites' tasks that wait there go home now */
    } else if (result->status != CALL_OK) {
        outbox_log (self->service->outbox, LEVEL_WARNING, "%s did not tell its queue: %s",
                    member->kept.site, result->reason);
    } else if (!state_decode (&member->incoming, &more, result->body, why)) {
        outbox_log (self->service->outbox, LEVEL_WARNING, "the queue of %s can't be read: %s",
                    member->kept.site, why);
    } else if (more && member->incoming.count < self->settings.limits.jobs_max) {
        return true;
    } else {
        if (more) {
            service_count (self->service, "queues_cut", 1);
            outbox_log (
              self->service->outbox, LEVEL_WARNING,
              "queue of %s: only its first %zu bags count: a step considers at most %" PRIu32,
              member->kept.site, member->incoming.count, self->settings.limits.jobs_max);
        }
        take_whole_queue (self, now, member);
    }
    return false;
}

static void collect_on_state (void *owner, const moment_t *now, uint64_t token,
                              const call_result_t *result)
{
    balancer_t *self = owner;
    coalition_member_t *member = self->coalition.members [token];
    member->call = 0;
    if (take_queue_page (self, now, member, result))
        ask_state (self, now, token);
    else
        question_over (self, now);
}

/*  A member that has left or is silent is not asked again until the next coalition. */
static bool is_asked (const coalition_member_t *member)
{
    return member_role (&member->kept) != MEMBER_ASIDE;
}

void hearing_begin (balancer_t *self, const moment_t *now)
{
    coalition_t *coalition = &self->coalition;
    for (size_t i = 0; i < coalition->members_count; i++) {
        coalition_member_t *member = coalition->members [i];
        member->fresh = false;
        member->tries = 0;
        member_queue_clear (&member->incoming);
        self->waiting += is_asked (member);
    }
    if (self->waiting == 0)
        balancer_heard (self, now);
    else
        for (size_t i = 0; i < coalition->members_count; i++)
            if (is_asked (coalition->members [i]))
                ask_state (self, now, i);
}

void hearing_end (balancer_t *self)
{
    for (size_t i = 0; i < self->candidates_count; i++)
        calls_cancel (self->service->calls, self->candidates [i].call);
    free (self->candidates);
    self->candidates = NULL;
    self->candidates_count = 0;
    for (size_t i = 0; i < self->coalition.members_count; i++) {
        calls_cancel (self->service->calls, self->coalition.members [i]->call);
        self->coalition.members [i]->call = 0;
    }
    self->waiting = 0;
}
