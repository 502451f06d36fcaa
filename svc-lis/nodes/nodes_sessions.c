/*  nodes_sessions - takes the agents' questions and decides on their answers; each agent has a
 *  session (agent_session.h). */
#include "member.h"
#include "nodes_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDERS_BYTES_MAX                                                                           \
    (BODY_BYTES_MAX / 2) /* of orders in one answer; the rest comes next time */

static_assert (ORDERS_BYTES_MAX > 2 * TASK_TEXT_BYTES_MAX, "one order fits");

/*  --- moving --- */

/*  When the node counts as lost, its agent has ended its runs already, or never began them. */
static void runs_lose (nodes_t *self, const moment_t *now, node_state_t *place, const char *why)
{
    const run_id_t *after = NULL;
    run_id_t id;
    for (node_run_t *entry; (entry = ordered_after (place->runs, after));) {
        id = entry->kept.run.id;
        after = &id;
        if (!entry->orphan)
            nodes_run_lose (self, now, entry, why);
    }
}

/*  Observers are told here of a node that is silent or lost. Of one that is up they are told later,
 *  when the reports in its question have been taken. */
static void nodes_sessions_on_moved (void *owner, const moment_t *now, agent_session_t *agent,
                                     agent_state_t from, const char *why)
{
    nodes_t *self = owner;
    node_state_t *place = (node_state_t *) agent;
    outbox_log (self->service->outbox, agent->state == AGENT_LOST ? LEVEL_WARNING : LEVEL_INFO,
                "node %s %s->%s heard_s_ago=%lld runs=%zu", place->name, agent_state_word (from),
                agent_state_word (agent->state),
                (long long) (now->mono_ms - agent->heard_ms) / 1000, ordered_count (place->runs));
    if (agent->state == AGENT_UP)
        service_count (self->service, "nodes_up", 1);
    if (from == AGENT_UP)
        service_count (self->service, "nodes_up", -1);
    if (agent->state == AGENT_LOST && self->batch == NODE_NONE)
        runs_lose (self, now, place, why);
    if (agent->state != AGENT_UP && self->batch != NODE_NONE)
        nodes_batch_follow (self, now);
    else if (agent->state != AGENT_UP)
        nodes_tell_place (self, now, (size_t) (place - self->places));
}

/*  --- what a node should know --- */

static size_t order_bytes (const run_order_t *order)
{
    size_t bytes = 64;
    for (size_t i = 0; i < order->arguments_count; i++)
        bytes += strlen (order->arguments [i]) + 4;
    for (size_t i = 0; i < order->environment_count; i++)
        bytes += strlen (order->environment [i]) + 4;
    for (size_t i = 0; i < order->inputs_count + order->outputs_count; i++) {
        const run_file_t *file =
          i < order->inputs_count ? &order->inputs [i] : &order->outputs [i - order->inputs_count];
        bytes += strlen (file->name) + strlen (file->path) + strlen (file->copy) + 32;
    }
    return bytes + strlen (order->folder) + strlen (order->output) + strlen (order->errors) +
           5 * (size_t) NAME_BYTES_MAX;
}

/*  False when its order does not fit this answer and has to wait for the next one. */
static bool wish_for (const node_run_t *entry, size_t *orders_bytes, wanted_run_t *wanted)
{
    const run_t *run = &entry->kept.run;
    *wanted = (wanted_run_t){.id = run->id, .wish = WISH_START};
    if (run->told_to_end) {
        wanted->wish = WISH_END;
        wanted->grace_ms = entry->kept.grace_ms;
    } else if (run->state == RUN_PLACED) {
        size_t bytes = order_bytes (entry->kept.order);
        if (*orders_bytes + bytes > ORDERS_BYTES_MAX)
            return false;
        *orders_bytes += bytes;
        wanted->order = entry->kept.order;
    } else if (run->suspend) { /* a warning waits until it goes on */
        wanted->wish = WISH_SUSPEND;
    } else if (entry->kept.warned) {
        wanted->wish = WISH_WARN;
        wanted->grace_ms = entry->kept.warn_ms;
    } else if (run->suspended) {
        wanted->wish = WISH_RESUME;
    }
    return true;
}

/*  Wishes for runs that are over here and that the agent still reports. */
static bool wish_over (const nodes_t *self, const run_report_t *report, wanted_run_t *wanted)
{
    const node_run_t *entry = nodes_entry (self, &report->id);
    if (!entry || !run_over (entry->kept.run.state))
        return false;
    *wanted = (wanted_run_t){.id = report->id,
                             .wish = run_over (report->state) ? WISH_FORGET : WISH_END,
                             .grace_ms = run_over (report->state) ? 0 : NODES_GRACE_MS};
    return true;
}

/*  An answer leaves: the agent may begin any run that is in it. */
static void nodes_sessions_on_told (void *owner, agent_session_t *agent)
{
    (void) owner;
    const node_state_t *place = (const node_state_t *) agent;
    for (node_run_t *entry = ordered_after (place->runs, NULL); entry;
         entry = ordered_after (place->runs, &entry->kept.run.id))
        entry->told = true;
}

static packed_t nodes_sessions_wanted_now (void *owner, const moment_t *now, agent_session_t *agent)
{
    (void) now;
    nodes_t *self = owner;
    node_state_t *place = (node_state_t *) agent;
    size_t node = (size_t) (place - self->places);
    wanted_output_t outputs [NODE_OUTPUTS_MAX];
    wanted_t wanted = {.outputs = outputs,
                       .outputs_count = nodes_outputs_wanted (self, node, outputs),
                       .lease_ms = self->limits.lease_ms,
                       .attend_ms = self->limits.attend_ms};
    snprintf (wanted.site, sizeof wanted.site, "%s", self->service->name + strlen ("lis/"));
    wanted.runs =
      must (calloc (ordered_count (place->runs) + place->reports_count + 1, sizeof *wanted.runs));
    size_t orders_bytes = 0;
    for (const node_run_t *entry = ordered_after (place->runs, NULL); entry;
         entry = ordered_after (place->runs, &entry->kept.run.id))
        if (!entry->orphan && wish_for (entry, &orders_bytes, &wanted.runs [wanted.runs_count]))
            wanted.runs_count++;
    for (size_t i = 0; i < place->reports_count; i++)
        if (wish_over (self, &place->reports [i], &wanted.runs [wanted.runs_count]))
            wanted.runs_count++;
    packed_t packed = codec_encode (&wanted_codec, &wanted);
    free (wanted.runs);
    return packed;
}

static packed_t nodes_sessions_numbered (uint64_t number)
{
    return codec_encode (&wanted_codec, &(wanted_t){.number = number});
}

void nodes_attend_start (nodes_t *self, const moment_t *now)
{
    self->agents =
      (agent_sessions_t){.service = self->service,
                         .attend_ms = self->limits.attend_ms,
                         .silent_ms = self->limits.silent_ms,
                         .lost_ms = self->batch == NODE_NONE ? self->limits.lost_ms : UINT32_MAX,
                         .owner = self,
                         .wanted = nodes_sessions_wanted_now,
                         .numbered = nodes_sessions_numbered,
                         .told = nodes_sessions_on_told,
                         .moved = nodes_sessions_on_moved};
    if (self->batch != NODE_NONE) {
        node_state_t *place = &self->places [self->batch];
        nodes_batch_start (self);
        agent_session_start (&place->agent, &self->agents, place->name, now);
        return;
    }
    for (size_t i = 0; i < self->places_count; i++)
        agent_session_start (&self->places [i].agent, &self->agents, self->places [i].name, now);
}

/*  --- asking --- */

/*  Is this the agent that the site expects there? Otherwise the request is refused. */
static bool agent_right (nodes_t *self, const request_t *request, const attend_t *asked,
                         size_t *node)
{
    if (!agent_is (request->actor, "node/", asked->node))
        return service_refuse (self->service, request, CALL_DENIED,
                               "node %s is attended by node/%s alone, not by %s", asked->node,
                               asked->node, request->actor);
    if (!nodes_find (self, asked->node, node))
        return service_refuse (self->service, request, CALL_NOT_FOUND,
                               "node: site %s has no node %s; its names are in its configuration",
                               self->service->name + strlen ("lis/"), asked->node);
    if (self->batch != NODE_NONE) {
        if (*node != self->batch)
            return service_refuse (self->service, request, CALL_DENIED,
                                   "node %s has no agent here: %s speaks for all nodes of the site",
                                   asked->node, self->places [self->batch].name);
        return true;
    }
    const node_class_t *class = &self->site->classes [self->places [*node].class];
    if (strcmp (asked->class_name, class->name) != 0)
        return service_refuse (self->service, request, CALL_BAD_REQUEST,
                               "class_name: node %s is of class %s, not %s", asked->node,
                               class->name, asked->class_name);
    if (asked->cpus != class->cpus_per_node)
        return service_refuse (self->service, request, CALL_BAD_REQUEST,
                               "cpus: nodes of class %s have %u, not %u", class->name,
                               class->cpus_per_node, asked->cpus);
    return true;
}

/*  The agent has another store, so it won't report the runs of its former store any more. */
static void runs_orphan (nodes_t *self, const moment_t *now, node_state_t *place)
{
    int64_t lost_at_ms = place->agent.heard_ms + self->limits.lost_ms;
    for (node_run_t *entry = ordered_after (place->runs, NULL); entry;
         entry = ordered_after (place->runs, &entry->kept.run.id))
        nodes_run_orphan (self, now, entry, lost_at_ms);
}

static int nodes_sessions_by_id (const void *one, const void *other)
{
    const run_report_t *a = one, *b = other;
    return run_id_compare (&a->id, &b->id);
}

static void reports_take (nodes_t *self, const moment_t *now, attend_t *asked, size_t node)
{
    node_state_t *place = &self->places [node];
    place->machine = asked->machine;
    if (asked->runs_count > 0)
        qsort (asked->runs, asked->runs_count, sizeof *asked->runs, nodes_sessions_by_id);
    free (place->reports);
    place->reports = asked->runs;
    place->reports_count = asked->runs_count;
    asked->runs = NULL;
    asked->runs_count = 0;
    for (size_t i = 0; i < place->reports_count; i++) {
        node_run_t *entry = nodes_entry (self, &place->reports [i].id);
        if (entry && entry->node == node && !entry->orphan)
            nodes_run_heard (self, now, entry, &place->reports [i]);
    }
}

void nodes_on_attend (void *owner, const moment_t *now, const request_t *request, void *body)
{
    nodes_t *self = owner;
    attend_t *asked = body;
    size_t node = 0;
    if (restore_guard_state (restore_guard_of (self->service)) != RESTORE_GUARD_GOOD) {
        service_refuse (self->service, request, CALL_NOT_SERVING,
                        "%s does not know yet whether its store is the latest one; ask again",
                        self->service->name);
        return;
    }
    if (!agent_right (self, request, asked, &node))
        return;
    node_state_t *place = &self->places [node];
    bool came = place->agent.state != AGENT_UP || strcmp (place->storage, asked->storage) != 0;
    agent_store_t store = agent_session_take (&place->agent, now, request, &asked->question);
    if (store == AGENT_REFUSED)
        return;
    if (store == AGENT_OTHER &&
        self->batch == NODE_NONE) /* a batch system knows its jobs by name */
        runs_orphan (self, now, place);
    if (store != AGENT_SAME)
        nodes_place_store (self, node);
    snprintf (place->storage, sizeof place->storage, "%s", asked->storage);
    bool news = agent_session_hear (&place->agent, now, &asked->question);
    if (news)
        reports_take (self, now, asked, node);
    if (news && asked->batch && node == self->batch)
        nodes_batch_take (self, now, &asked->batch);
    if (came && node == self->batch)
        nodes_batch_follow (self, now);
    else if (came)
        nodes_tell_place (self, now, node);
    agent_session_wait (&place->agent, request);
    nodes_dirty (self, now, node);
}
