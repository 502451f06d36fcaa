/*  sim_schedule_users - what users wish for and when, and the others that ask for something. */
#include "sim_schedule_own.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void draw_wish (schedule_t *self, sim_wish_t *wish)
{
    *wish = (sim_wish_t){.distinct_sites = schedule_chance (self, 60)};
    wish->earliest_ms = self->near_ms + 500 * (int64_t) schedule_draw (self, self->spread);
    wish->fixed = schedule_chance (self, 30);
    wish->latest_ms = wish->earliest_ms + 1000 * (int64_t) schedule_draw (self, 20);
    wish->duration_ms = 4000 + 1000 * (int64_t) schedule_draw (self, 16);
    size_t most = self->sites_count < NEEDS_USUAL ? self->sites_count : NEEDS_USUAL;
    wish->needs_count = most < 2 ? most : 2 + schedule_draw (self, most - 1);
    for (size_t i = 0; i < wish->needs_count; i++) {
        sim_need_t *need = &wish->needs [i];
        snprintf (need->id, sizeof need->id, "n%zu", i + 1);
        need->cpus = 1 + (uint32_t) schedule_draw (self, 4);
        if (schedule_chance (self, 20))
            need->offset_ms = 1000 * (int64_t) schedule_draw (self, 5);
        if (schedule_chance (self, 15))
            sim_text (need->site, sizeof need->site,
                      self->lis [schedule_draw (self, self->sites_count)].provider.name +
                        strlen ("lis/"));
    }
}

/*  Bandwidth between two of the needs, while both last or for a part of it. */
static void draw_connection (schedule_t *self, sim_wish_t *wish, size_t a, size_t b)
{
    prng_t *prng = &self->network;
    const sim_need_t *ends [2] = {&wish->needs [a], &wish->needs [b]};
    int64_t from_ms =
      ends [0]->offset_ms > ends [1]->offset_ms ? ends [0]->offset_ms : ends [1]->offset_ms;
    int64_t until_ms =
      wish->duration_ms +
      (ends [0]->offset_ms < ends [1]->offset_ms ? ends [0]->offset_ms : ends [1]->offset_ms);
    if (from_ms >= until_ms || wish->network_count == NEEDS_USUAL)
        return;
    sim_network_need_t *need = &wish->network [wish->network_count++];
    *need = (sim_network_need_t){.ends = {a, b},
                                 .mbps = 100 * (1 + (uint32_t) prng_below (prng, 4)),
                                 .unnamed = prng_below (prng, 2) == 0};
    if (need->unnamed)
        snprintf (need->id, sizeof need->id, "%.20s-%.20s", ends [0]->id, ends [1]->id);
    else
        snprintf (need->id, sizeof need->id, "c%zu", wish->network_count);
    if (prng_below (prng, 100) < 25)
        need->latency_ms_max = 3 + (double) prng_below (prng, 30);
    if (prng_below (prng, 100) < 15)
        sim_text (need->media, sizeof need->media, "fibre");
    if (prng_below (prng, 100) < 20) {
        int64_t least_ms = 500;
        int64_t room_ms = until_ms - from_ms;
        need->duration_ms =
          room_ms <= least_ms
            ? room_ms
            : least_ms + (int64_t) prng_below (prng, (uint64_t) (room_ms - least_ms));
        need->offset_ms =
          from_ms + (int64_t) prng_below (prng, (uint64_t) (room_ms - need->duration_ms) + 1);
    }
}

/*  A chain over the needs, and sometimes more of their pairs. */
static void draw_network (schedule_t *self, sim_wish_t *wish)
{
    prng_t *prng = &self->network;
    if (self->map.count == 0 || prng_below (prng, 100) < 25)
        return;
    bool all = prng_below (prng, 3) == 0;
    wish->fixed_route = prng_below (prng, 100) < 25;
    for (size_t i = 0; i < wish->needs_count; i++) /* the links shall be what is scarce */
        wish->needs [i].cpus = 1 + wish->needs [i].cpus / 3;
    for (size_t b = 1; b < wish->needs_count; b++)
        for (size_t a = 0; a < b; a++)
            if (a + 1 == b || all)
                draw_connection (self, wish, a, b);
}

/*  A few users want it planned in another way. */
static void draw_plan (schedule_t *self, sim_wish_t *wish)
{
    static const char *const algorithms [] = {"bbr", "bir", "ip"};
    static const char *const policies [] = {"time", "cost", "load", "random"};
    static const char *const programmed [] = {"time", "cost", "quality"};
    prng_t *prng = &self->plans;
    if (prng_below (prng, 100) >= 20)
        return;
    size_t choice = prng_below (prng, 3);
    bool ip = choice == 2;
    sim_text (wish->algorithm, sizeof wish->algorithm, algorithms [choice]);
    sim_text (wish->policy, sizeof wish->policy,
              ip ? programmed [prng_below (prng, 3)] : policies [prng_below (prng, 4)]);
    wish->fixed_route = wish->fixed_route && !ip;
}

static void draw_request (schedule_t *self, sim_request_t *request, size_t client, size_t number)
{
    static const char *const actors [] = {"alice", "bob"};
    sim_text (request->actor, sizeof request->actor,
              actors [schedule_draw (self, schedule_chance (self, 50) ? 1 : 2)]);
    if (schedule_chance (self, 15))
        snprintf (request->request_id, sizeof request->request_id, "c%zu-%zu", client, number);
    else
        snprintf (request->request_id, sizeof request->request_id, "c%zu-%zu@g%llu", client, number,
                  (unsigned long long) schedule_draw (self, self->gis_count) + 1);
    request->operation = number == 1                  ? OPERATION_RESERVE
                         : schedule_chance (self, 30) ? OPERATION_RESERVE
                         : schedule_chance (self, 65) ? OPERATION_MODIFY
                                                      : OPERATION_RELEASE;
    request->whim = (uint32_t) schedule_draw (self, 1000);
    request->aim = (uint32_t) schedule_draw (self, 1000);
    draw_wish (self, &request->wish [0]);
    draw_network (self, &request->wish [0]);
    draw_plan (self, &request->wish [0]);
    schedule_data_wish (self, &request->wish [0]);
    schedule_swarm_wish (self, &request->wish [0]);
    request->wish [1] = request->wish [0];
    request->wish [1].duration_ms += 1000;
}

static sim_action_t *action_add (sim_client_t *client, sim_request_t *request)
{
    sim_action_t *action = &client->actions [client->actions_count++];
    *action = (sim_action_t){.request = request};
    return action;
}

static int64_t draw_patience (schedule_t *self)
{
    return schedule_chance (self, 30) ? 5 + (int64_t) schedule_draw (self, 60)
                                      : 500 + (int64_t) schedule_draw (self, 4000);
}

/*  Another change of the same reservation, at the same time. */
static void draw_quarrel (schedule_t *self, sim_client_t *client, const sim_request_t *first)
{
    sim_request_t *request = sim_book_add (&self->book);
    *request = *first;
    char id [NAME_BYTES_MAX + 1];
    snprintf (id, sizeof id, "q%.50s", first->request_id);
    sim_text (request->request_id, sizeof request->request_id, id);
    request->whim = (uint32_t) schedule_draw (self, 1000);
    if (schedule_chance (self, 25))
        request->operation = OPERATION_RELEASE;
    sim_action_t *action = action_add (client, request);
    action->beside = true;
    action->think_ms = client->actions [client->actions_count - 2].think_ms;
    action->patience_ms = draw_patience (self);
}

#define RUNNING_CLIENTS_MAX 3 /* with more actions, the book has no space for these */

/*  Once a user's first reservation may be running, he makes it larger or smaller, or its time
 *  longer or shorter, or moves it, which is too late by then. */
static void draw_running (schedule_t *self, sim_client_t *client, const sim_request_t *first,
                          size_t number)
{
    prng_t *prng = &self->changes;
    assert (first); /* every client reserves before it changes */
    const sim_wish_t *wish = &first->wish [0];
    if (self->clients_count > RUNNING_CLIENTS_MAX || prng_below (prng, 100) < 40)
        return;
    size_t changes = 1 + prng_below (prng, 3);
    for (size_t i = 0; i < changes; i++) {
        sim_request_t *request = sim_book_add (&self->book);
        const sim_need_t *need = &wish->needs [prng_below (prng, wish->needs_count)];
        sim_patch_t *patch = &request->patch [0];
        request->operation = OPERATION_MODIFY;
        request->of = first;
        sim_text (request->actor, sizeof request->actor, first->actor);
        snprintf (request->request_id, sizeof request->request_id, "c%zu-r%zu@g1", number, i);
        sim_text (patch->need, sizeof patch->need, need->id);
        patch->cpus = 1 + (uint32_t) prng_below (prng, need->cpus + 4);
        if (wish->network_count > 0 && prng_below (prng, 2) == 0) {
            const sim_network_need_t *connection =
              &wish->network [prng_below (prng, wish->network_count)];
            sim_text (patch->connection, sizeof patch->connection, connection->id);
            patch->mbps = 50 + 50 * (uint32_t) prng_below (prng, 12);
        }
        if (prng_below (prng, 3) == 0)
            patch->duration_ms = wish->duration_ms / 2 + (int64_t) prng_below (prng, 12000);
        if (prng_below (prng, 8) == 0) {
            request->shifts = true;
            patch->start_ms = 1000 * (int64_t) prng_below (prng, 13);
        }
        sim_action_t *action = action_add (client, request);
        action->beside = i > 0 && prng_below (prng, 2) == 0;
        action->think_ms = (int64_t) prng_below (prng, i == 0 ? 6000 : 2500);
        action->patience_ms = 500 + (int64_t) prng_below (prng, 4000);
    }
}

static void draw_actions (schedule_t *self, sim_client_t *client, size_t number)
{
    size_t commands = schedule_swarm_commands (self, 1 + schedule_draw (self, 4));
    const sim_request_t *first = NULL;
    for (size_t i = 0; i < commands; i++) {
        sim_request_t *request = sim_book_add (&self->book);
        draw_request (self, request, number, i + 1);
        first = first ? first : request;
        sim_action_t *action = action_add (client, request);
        action->think_ms = (int64_t) schedule_draw (self, i == 0 ? 1500 : self->think_ms_max);
        if (i == 0)
            action->think_ms = schedule_swarm_think (self, action->think_ms);
        action->patience_ms = draw_patience (self);
        if (schedule_chance (self, 20)) { /* the same request to another planner at once */
            action = action_add (client, request);
            action->beside = true;
            action->think_ms = (int64_t) schedule_draw (self, 1600);
            action->patience_ms = draw_patience (self);
        }
        if (schedule_chance (self, 15) &&
            !self->check.releases) { /* the same id used for another request */
            action = action_add (client, request);
            action->beside = true;
            action->variant = 1;
            action->think_ms = (int64_t) schedule_draw (self, 2500);
            action->patience_ms = draw_patience (self);
        }
        if (request->operation == OPERATION_MODIFY && schedule_chance (self, 60))
            draw_quarrel (self, client, request);
        if (schedule_chance (self, 40)) {
            action = action_add (client, request);
            action->show = true;
            action->think_ms = (int64_t) schedule_draw (self, 300);
            action->patience_ms = draw_patience (self);
        }
    }
    draw_running (self, client, first, number);
}

void schedule_client (schedule_t *self, sim_client_t *client, const char *name)
{
    client->sim = self->sim;
    client->book = &self->book;
    memcpy (client->planners, self->planners, sizeof client->planners);
    client->planners_count = self->planners_count;
    client->gives_up = schedule_swarm_has (self, SWARM_STORES);
    prng_seed (&client->prng, prng_next (&self->prng));
    (void) schedule_add (self, name, sim_client_make, client, false, SIM_NOBODY);
}

/*  A class of a site, or a link of a domain, for a holder that takes it for a while. */
static void holder_may (sim_holder_t *holder, int process, const char *resource, uint32_t unit,
                        bool network)
{
    sim_party_t *party = &holder->parties [holder->parties_count];
    holder->processes [holder->parties_count++] = process;
    *party = (sim_party_t){.network = network, .unit = unit};
    sim_text (party->resource, sizeof party->resource, resource);
}

static void add_holder (schedule_t *self)
{
    sim_holder_t *holder = &self->holder;
    holder->sim = self->sim;
    holder->ttl_ms = HOLD_TTL_MS;
    holder->wanted = 1 + schedule_draw (self, 6);
    prng_seed (&holder->prng, prng_next (&self->prng));
    for (size_t i = 0; i < self->sites_count; i++) {
        const node_class_t *class = &self->lis [i].site.classes [0];
        holder_may (holder, self->lis_processes [i], class->name, class->cpus_per_node, false);
    }
    for (size_t i = 0; i < self->map.count; i++)
        if (self->map.domains [i].links_count > 0)
            holder_may (holder, self->nis_processes [i], self->map.domains [i].links [0].name, 1,
                        true);
    (void) schedule_add (self, schedule_name (self, "holder/", 1), sim_holder_make, holder, true,
                         SIM_NOBODY);
}

/*  Lowers some links, and puts some circuits to use. */
static void draw_tasks (schedule_t *self)
{
    prng_t *prng = &self->network;
    sim_operator_t *operator= & self->operator;
    for (size_t i = 0; i < self->map.count; i++) {
        const domain_t *domain = &self->map.domains [i];
        if (domain->links_count == 0 || prng_below (prng, 100) >= 20)
            continue;
        const link_t *link = &domain->links [prng_below (prng, domain->links_count)];
        sim_task_t *task = &operator->tasks [operator->tasks_count++];
        *task = (sim_task_t){.kind = TASK_LOWER,
                             .after_ms = 500 + (int64_t) prng_below (prng, 8000),
                             .domain = i,
                             .mbps = (uint32_t) prng_below (prng, link->mbps)};
        sim_text (task->link, sizeof task->link, link->name);
    }
    self->check.uses_end = prng_below (prng, 3) == 0;
    for (size_t uses = prng_below (prng, 4); uses > 0; uses--)
        operator->tasks [operator->tasks_count++] = (sim_task_t){
          .kind = self->check.uses_end && prng_below (prng, 2) == 0 ? TASK_GIVE_UP : TASK_PROVISION,
          .after_ms = 1000 + (int64_t) prng_below (prng, 6000),
          .aim = (uint32_t) prng_below (prng, 1000)};
}

static void add_operator (schedule_t *self)
{
    sim_operator_t *operator= & self->operator;
    if (self->map.count == 0)
        return;
    operator->sim = self->sim;
    operator->book = & self->book;
    operator->check = & self->check;
    operator->domains_count = self->map.count;
    memcpy (operator->domains, self->nis_processes, sizeof operator->domains);
    draw_tasks (self);
    (void) schedule_add (self, schedule_name (self, "operator/", 1), sim_operator_make, operator,
                         true, SIM_NOBODY);
}

void schedule_settler (schedule_t *self)
{
    sim_settler_t *settler = &self->settler;
    prng_t *prng = &self->fences;
    settler->anybodys = prng_below (prng, 3) == 0;
    self->lost = self->orphans && prng_below (prng, 2) == 0;
    if (self->planners_count < 2 || (!settler->anybodys && !self->lost))
        return;
    settler->sim = self->sim;
    settler->check = &self->check;
    settler->tally = self->tally;
    settler->planners_count = self->planners_count;
    memcpy (settler->planners, self->planners, sizeof self->planners);
    settler->pause_ms = prng_below (prng, 2) == 0 ? 30 : 300;
    prng_seed (&settler->prng, prng_next (prng));
    (void) schedule_add (self, schedule_name (self, "settler/", 1), sim_settler_make, settler, true,
                         SIM_NOBODY);
}

void schedule_users (schedule_t *self)
{
    add_operator (self);
    for (size_t i = 0; i < self->clients_count; i++) {
        draw_actions (self, &self->clients [i], i + 1);
        schedule_client (self, &self->clients [i], schedule_name (self, "client/", i + 1));
    }
    if (schedule_chance (self, 50) || schedule_swarm_has (self, SWARM_LONE))
        return;
    add_holder (self);
}

bool schedule_users_ended (const schedule_t *self)
{
    for (size_t i = 0; i < self->clients_count; i++)
        if (!sim_client_ended (&self->clients [i]))
            return false;
    return sim_operator_ended (&self->operator) && sim_plus_ended (&self->plus);
}

void schedule_users_patient (schedule_t *self)
{
    for (size_t i = 0; i < self->clients_count; i++)
        self->clients [i].patient = true;
    self->operator.patient = true;
    self->plus.patient = true;
    self->settler.calm = true;
}

void schedule_insister (schedule_t *self)
{
    sim_client_t *insister = &self->insister;
    insister->patient = true;
    for (size_t i = 0; i < self->book.count; i++) {
        sim_request_t *request = &self->book.requests [i];
        size_t variant = request->told [0] ? 0 : 1;
        if (!request->told [variant])
            continue;
        request->told [variant] = false; /* an answer may differ from the earlier one now */
        free (request->answer_packed.data);
        request->answer_packed = (packed_t){0};
        request->reworded = false;
        action_add (insister, request)->variant = variant;
    }
    schedule_client (self, insister, "insister");
}

void schedule_prober (schedule_t *self)
{
    sim_client_t *prober = &self->clients [SCHEDULE_CLIENTS_MAX];
    prober->patient = true;
    for (size_t i = 0; i < self->book.count; i++) {
        sim_request_t *request = &self->book.requests [i];
        if (!request->told [0] && !request->told [1])
            continue;
        action_add (prober, request)->variant = request->told [0] ? 0 : 1;
        action_add (prober, request)->variant = request->told [0] ? 1 : 0;
    }
    size_t alive = 0;
    for (size_t i = 0; i < self->planners_count; i++)
        if (sim_up (self->sim, self->planners [i]))
            self->planners [alive++] = self->planners [i];
    self->planners_count = alive;
    schedule_client (self, prober, "prober");
    prober->gives_up = false; /* an answer given once is given again */
}
