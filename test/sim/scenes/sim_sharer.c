/*  sim_sharer - one action at each turn. */
#include "sim_sharer.h"

#include "must.h"
#include "outbox.h"
#include "sim_wire_sharing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MS    200
#define TIMEOUT_MS 900
#define BALANCER   "balancer/green"

/*  Actions: a bag is followed, a site joins, a site leaves, the balancer is asked. */
#define JOINS  SHARER_BAGS_MAX
#define LEAVES (JOINS + SHARER_SITES)
#define STATUS (LEAVES + SHARER_SITES)

static uint64_t below (sim_sharer_t *self, uint64_t bound)
{
    return prng_below (&self->prng, bound);
}

static void ask (sim_sharer_t *self, size_t action, int process, const char *actor,
                 const char *service, const char *method, const char *request_id, packed_t body)
{
    size_t slot = SHARER_CALLS_MAX;
    bool under_way = false;
    for (size_t i = 0; i < SHARER_CALLS_MAX; i++) {
        if (self->calls [i].call == 0)
            slot = i;
        else
            under_way = under_way || self->calls [i].action == action;
    }
    if (slot < SHARER_CALLS_MAX && !under_way) {
        self->calls [slot].call = ++self->calls_made;
        self->calls [slot].action = action;
        outbox_push (self->outbox,
                     &(effect_t){.kind = EFFECT_CALL,
                                 .call = {.call = self->calls_made,
                                          .endpoint = sim_address (self->sim, process),
                                          .service = service,
                                          .method = method,
                                          .actor = actor,
                                          .request_id = request_id,
                                          .body = {.data = body.data, .size = body.size},
                                          .timeout_ms = TIMEOUT_MS}});
    }
    free (body.data);
}

/*  --- bags --- */

static void bag_new (sim_sharer_t *self)
{
    sharer_bag_t *bag = &self->bags [self->bags_count++];
    *bag = (sharer_bag_t){.asked = {.count = 1 + (uint32_t) below (self, SIM_BAG_TASKS_MAX),
                                    .cpus = 1,
                                    .limit_ms = 1000 + (int64_t) below (self, 6000),
                                    .class_name = "",
                                    .reservation = "",
                                    .shared = below (self, 5) > 0},
                          .site = (size_t) below (self, 2 * SHARER_SITES) % (SHARER_SITES + 1)};
    bag->site = bag->site == SHARER_SITES ? 0 : bag->site; /* the first has more than others */
    snprintf (bag->label, sizeof bag->label, "b%zu", self->bags_count);
    bag->asked.label = bag->label;
}

bool sim_sharer_over (const sim_told_task_t *task)
{
    return task->state >= TOLD_ENDED && task->state <= TOLD_CANCELLED;
}

static bool bag_over (const sharer_bag_t *bag)
{
    size_t over = 0;
    for (size_t i = 0; i < bag->told; i++)
        over += sim_sharer_over (&bag->tasks [i]);
    return bag->number > 0 && over == bag->asked.count;
}

static void follow (sim_sharer_t *self, size_t at)
{
    sharer_bag_t *bag = &self->bags [at];
    if (bag->number == 0)
        ask (self, at, self->sites [bag->site], "alice", "Queue", "Submit", bag->label,
             sim_wire_submit (&bag->asked));
    else if (!bag_over (bag))
        ask (self, at, self->sites [bag->site], "alice", "Queue", "Tasks", "",
             sim_wire_tasks (bag->number));
}

static void tasks_take (sim_sharer_t *self, sharer_bag_t *bag, bytes_t body)
{
    sim_told_task_t tasks [SIM_BAG_TASKS_MAX];
    size_t count;
    if (!sim_wire_tasks_read (body, tasks, &count) || count != bag->asked.count) {
        sim_fail (self->sim, "the tasks of bag %s can't be read", bag->label);
        return;
    }
    for (size_t i = 0; i < bag->told; i++)
        if (sim_sharer_over (&bag->tasks [i]) && bag->tasks [i].state != tasks [i].state)
            sim_fail (self->sim, "task %s.%zu was told to be over, and is so no more", bag->label,
                      i);
    memcpy (bag->tasks, tasks, sizeof tasks);
    bag->told = count;
}

/*  --- sites --- */

static void join (sim_sharer_t *self, size_t site)
{
    ask (self, JOINS + site, self->sites [site], "root", "Sharing", "Join", "",
         sim_wire_join (BALANCER, (double) (10 * (1 + site)), site == 1));
}

/*  An empty message says all that is needed, here and below. */
static void leave (sim_sharer_t *self, size_t site)
{
    self->joined [site] = false;
    ask (self, LEAVES + site, self->sites [site], "root", "Sharing", "Leave", "",
         (packed_t){.data = NULL});
}

/*  --- its life --- */

static void turn (sim_sharer_t *self)
{
    for (size_t i = 0; i < SHARER_SITES; i++)
        if (!self->joined [i] && (self->quiet || below (self, 4) == 0))
            join (self, i);
    if (!self->quiet && below (self, 150) == 0)
        leave (self, (size_t) below (self, SHARER_SITES));
    if (!self->quiet && self->bags_count < SHARER_BAGS_MAX && below (self, 4) == 0)
        bag_new (self);
    if (below (self, 3) == 0)
        ask (self, STATUS, self->balancer, "alice", "Balancer", "Status", "",
             (packed_t){.data = NULL});
    if (self->bags_count > 0)
        follow (self, (size_t) below (self, self->bags_count));
    for (size_t i = 0; self->quiet && i < self->bags_count; i++)
        follow (self, i);
}

static void on_answer (sim_sharer_t *self, const event_t *event)
{
    size_t slot = 0;
    while (slot < SHARER_CALLS_MAX && self->calls [slot].call != event->answer.call)
        slot++;
    if (slot == SHARER_CALLS_MAX)
        return;
    size_t action = self->calls [slot].action;
    self->calls [slot].call = 0;
    if (event->answer.status != CALL_OK)
        return;
    if (action == STATUS)
        self->told (self->owner, event->answer.body);
    if (action >= JOINS && action < LEAVES)
        self->joined [action - JOINS] = true;
    if (action >= JOINS)
        return;
    sharer_bag_t *bag = &self->bags [action];
    if (bag->number > 0)
        tasks_take (self, bag, event->answer.body);
    else if (!sim_wire_submit_read (event->answer.body, &bag->number))
        sim_fail (self->sim, "bag %s got no number", bag->label);
}

static void sharer_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_sharer_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        memset (self->calls, 0, sizeof self->calls);
    if (event->kind == EVENT_ANSWER)
        on_answer (self, event);
    if (event->kind == EVENT_TIMER)
        turn (self);
    if (event->kind == EVENT_TIMER || event->kind == EVENT_START)
        outbox_timer (self->outbox, now->mono_ms + TURN_MS / 2 + (int64_t) below (self, TURN_MS));
}

static bool sharer_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_sharer_t *) owner)->outbox, effect);
}

static void sharer_destroy (void *owner)
{
    outbox_destroy (&((sim_sharer_t *) owner)->outbox);
}

void sim_sharer_make (void *owner, core_t *core)
{
    ((sim_sharer_t *) owner)->outbox = outbox_new ();
    *core =
      (core_t){.self = owner, .step = sharer_step, .next = sharer_next, .destroy = sharer_destroy};
}

bool sim_sharer_settled (const sim_sharer_t *self, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < self->bags_count; i++)
        if (!bag_over (&self->bags [i])) {
            snprintf (why, LONG_WHY_BYTES, "bag %s of site %zu has not come to its end",
                      self->bags [i].label, self->bags [i].site);
            return false;
        }
    return true;
}
