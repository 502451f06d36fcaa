/*  scale_users - reserve, show, modify, release: each asked until the answer is final. */
#include "scale_users.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS      100 /* at the stage, while there is nothing to do */
#define AGAIN_MS     500
#define PATIENCE_MS  30000
#define LINKED_EVERY 4 /* one reservation of so many has two needs and a connection */
#define MODIFY_EVERY 3
#define KEEP_EVERY   2
#define MBPS         10
#define HOUR_MS      INT64_C (3600000)
#define CROWD_CPUS   4
#define CROWD_SPAN   10000 /* windows long is the span that all want the earliest of */

static const char *const methods [SCALE_STAGES] = {"Reserve", "Show", "Modify", "Release"};

/*  Longer than its mean, shorter than it, or as long. */
static int64_t pause_ms (scale_user_t *self)
{
    int64_t mean_ms = self->work->order->crowd > 0 ? 0 : self->work->order->think_ms;
    return mean_ms > 0 ? (int64_t) prng_below (&self->prng, 2 * (uint64_t) mean_ms) : 0;
}

static packed_t wish (scale_user_t *self)
{
    const scale_order_t *order = self->work->order;
    bool linked = prng_below (&self->prng, LINKED_EVERY) == 0;
    sim_wish_t wish = {.earliest_ms =
                         SIM_EPOCH_MS + sim_now_us (self->work->sim) / 1000 + order->ahead_ms +
                         (int64_t) prng_below (&self->prng, (uint64_t) order->ahead_ms),
                       .duration_ms = order->lasts_ms,
                       .distinct_sites = true,
                       .needs_count = linked ? 2 : 1,
                       .network_count = linked && order->domains > 0};
    wish.latest_ms = wish.earliest_ms + 10 * order->lasts_ms;
    if (order->crowd > 0) {
        wish.earliest_ms += HOUR_MS - wish.earliest_ms % HOUR_MS;
        wish.latest_ms = wish.earliest_ms + CROWD_SPAN * order->lasts_ms;
    }
    self->wanted_ms = wish.earliest_ms;
    for (size_t i = 0; i < wish.needs_count; i++) {
        wish.needs [i].cpus =
          order->crowd > 0 ? CROWD_CPUS : 1 + (uint32_t) prng_below (&self->prng, 2);
        snprintf (wish.needs [i].id, sizeof wish.needs [i].id, "n%zu", i + 1);
    }
    wish.network [0] = (sim_network_need_t){.id = "link", .ends = {0, 1}, .mbps = MBPS};
    return sim_wire_reserve (&wish);
}

/*  The operation for the reservation at this place of the batch; no data: there is none. */
static packed_t operation (scale_user_t *self)
{
    const scale_kept_t *kept = &self->kept [self->at];
    const scale_order_t *order = self->work->order;
    if (self->stage == SCALE_RESERVE)
        return wish (self);
    if (!*kept->reservation)
        return (packed_t){0};
    if (self->stage == SCALE_SHOW)
        return sim_wire_show (kept->reservation);
    if (self->stage == SCALE_RELEASE)
        return order->keep && self->at % KEEP_EVERY == 0 ? (packed_t){0}
                                                         : sim_wire_release (kept->reservation);
    if (self->at % MODIFY_EVERY != 0 || order->crowd > 0)
        return (packed_t){0};
    return sim_wire_modify (kept->reservation,
                            &(sim_patch_t){.duration_ms = order->lasts_ms + order->lasts_ms / 2});
}

static void scale_user_ask (scale_user_t *self)
{
    char id [REQUEST_ID_BYTES_MAX + 1] = "";
    if (self->stage != SCALE_SHOW)
        snprintf (id, sizeof id, "u%zu-%" PRIu64 "-%zu-%d@g%zu", self->number, self->round,
                  self->at, (int) self->stage,
                  1 + (self->number + self->at) % (size_t) self->work->order->directories);
    outbox_push (self->outbox,
                 &(effect_t){.kind = EFFECT_CALL,
                             .call = {.call = ++self->call,
                                      .endpoint = sim_address (self->work->sim, self->planner),
                                      .service = "Planner",
                                      .method = methods [self->stage],
                                      .actor = self->name,
                                      .request_id = id,
                                      .body = packed_bytes (self->body),
                                      .timeout_ms = PATIENCE_MS}});
    self->waits = true;
}

static void keep (scale_kept_t *kept, const sim_answer_t *answer)
{
    sim_text (kept->reservation, sizeof kept->reservation, answer->reservation);
    kept->shares_count = 0;
    for (size_t i = 0; i < answer->placements_count && i < SCALE_NEEDS; i++) {
        const sim_placement_t *from = &answer->placements [i];
        kept->shares [kept->shares_count++] =
          (scale_share_t){.site = (uint32_t) strtoul (from->site + 1, NULL, 10),
                          .nodes = from->cpus,
                          .from_ms = from->from_ms,
                          .until_ms = from->until_ms};
    }
}

/*  A final answer. */
static void settled (scale_user_t *self, const sim_answer_t *answer)
{
    scale_figures_t *figures = &self->work->figures [self->stage];
    scale_kept_t *kept = &self->kept [self->at];
    figures->attempts += answer->rounds;
    if (answer->status == ANSWER_REFUSED)
        figures->refused++;
    else
        figures->done++;
    if (answer->status == ANSWER_REFUSED)
        return;
    if (self->stage == SCALE_RELEASE)
        *kept = (scale_kept_t){0};
    else if (self->stage != SCALE_SHOW)
        keep (kept, answer);
    if (self->stage == SCALE_RESERVE)
        figures->waits_ms += kept->shares [0].from_ms - self->wanted_ms;
}

static bool is_final (const scale_user_t *self, const event_t *event, sim_answer_t *answer)
{
    *answer = (sim_answer_t){.status = ANSWER_COMMITTED};
    if (event->answer.status != CALL_OK)
        return false;
    if (self->stage == SCALE_SHOW)
        return true;
    if (!sim_wire_answer (event->answer.body, answer) || answer->status == ANSWER_CONFLICT)
        sim_fail (self->work->sim, "%s is answered what can't be: status %d", self->name,
                  (int) answer->status);
    return answer->status == ANSWER_COMMITTED || answer->status == ANSWER_REFUSED;
}

static void operation_end (scale_user_t *self)
{
    free (self->body.data);
    self->body = (packed_t){0};
    self->at++;
}

static void scale_user_take (scale_user_t *self, const moment_t *now, const event_t *event)
{
    sim_answer_t answer;
    if (!self->waits || event->answer.call != self->call)
        return;
    self->waits = false;
    if (!is_final (self, event, &answer)) {
        self->work->figures [self->stage].again++;
        self->next_ms = now->mono_ms + AGAIN_MS;
        return;
    }
    settled (self, &answer);
    self->work->figures [self->stage].took_ms += now->mono_ms - self->asked_ms;
    self->asked_ms = 0;
    operation_end (self);
    self->next_ms = now->mono_ms + pause_ms (self);
}

/*  Another stage has begun. */
static void stage_begin (scale_user_t *self)
{
    self->stage = self->work->stage;
    self->round = self->work->round;
    self->at = 0;
    if (self->stage == SCALE_RESERVE)
        memset (self->kept, 0, sizeof self->kept);
}

/*  The next operation of this stage; false when none is left. */
static bool operation_find (scale_user_t *self)
{
    while (!self->body.data && self->at < SCALE_BATCH) {
        self->body = operation (self);
        if (!self->body.data)
            self->at++;
    }
    return self->body.data != NULL;
}

static void scale_user_go (scale_user_t *self, const moment_t *now)
{
    if (self->waits)
        return;
    bool behind = self->stage != self->work->stage || self->round != self->work->round;
    if (behind && !self->work->over)
        stage_begin (self);
    if (self->at <= SCALE_BATCH && !operation_find (self)) {
        self->at = SCALE_BATCH + 1;
        self->work->finished (self->work->owner);
    }
    if (self->body.data && now->mono_ms >= self->next_ms) {
        self->asked_ms = self->asked_ms > 0 ? self->asked_ms : now->mono_ms;
        scale_user_ask (self);
        return;
    }
    outbox_timer (self->outbox, self->body.data ? self->next_ms : now->mono_ms + LOOK_MS);
}

static void scale_user_step (void *self_, const moment_t *now, const event_t *event)
{
    scale_user_t *self = self_;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_ANSWER)
        scale_user_take (self, now, event);
    scale_user_go (self, now);
}

static bool scale_user_next (void *self, effect_t *effect)
{
    return outbox_next (((scale_user_t *) self)->outbox, effect);
}

static void scale_user_destroy (void *self_)
{
    scale_user_t *self = self_;
    outbox_destroy (&self->outbox);
    free (self->body.data);
    self->body = (packed_t){0};
}

void scale_user_make (void *owner, core_t *core)
{
    scale_user_t *self = owner;
    self->outbox = outbox_new ();
    self->at = SCALE_BATCH + 1; /* as after a stage */
    *core = (core_t){.self = self,
                     .step = scale_user_step,
                     .next = scale_user_next,
                     .destroy = scale_user_destroy};
}
