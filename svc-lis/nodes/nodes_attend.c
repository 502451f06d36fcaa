/*  nodes_attend - what agents say and are told.
 *
 *  A question is answered at once when what the node should know is not what the agent was told
 *  last and says to have carried out; else it waits for such a change, at most attend_ms. So what
 *  is said once need not be remembered anywhere but in the last answer, and whoever starts anew,
 *  here or there, is told everything. Nothing is ever concluded from what a question leaves out: it
 *  may have been long under way.
 */
#include "nodes_state.h"

#include "must.h"
#include "standing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDERS_BYTES_MAX (BODY_BYTES_MAX / 2) /* of new runs in one answer; the next has more */

static_assert (ORDERS_BYTES_MAX > 2 * TASK_TEXT_BYTES_MAX, "one order fits");

/*  --- silence --- */

static void on_silence (void *owner, const moment_t *now, uint64_t node);

static void silence_watch (nodes_t *self, size_t node)
{
    place_t *place = &self->places [node];
    timers_cancel (self->service->timers, place->silence);
    place->silence = 0;
    if (place->state == NODE_LOST)
        return;
    int64_t after_ms = place->state == NODE_UP ? self->limits.silent_ms : self->limits.lost_ms;
    place->silence =
      timers_set (self->service->timers, place->heard_ms + after_ms, on_silence, self, node);
}

/*  Its runs have ended by themselves, or never began. */
static void place_lose (nodes_t *self, const moment_t *now, size_t node)
{
    place_t *place = &self->places [node];
    char why [RUN_WHY_BYTES_MAX + 1];
    snprintf (why, sizeof why, "node %s was not heard for %" PRId64 " s", place->name,
              (now->mono_ms - place->heard_ms) / 1000);
    nodes_place_move (self, now, node, NODE_LOST);
    const run_id_t *after = NULL;
    run_id_t id;
    for (entry_t *entry; (entry = ordered_after (place->runs, after));) {
        id = entry->kept.run.id;
        after = &id;
        if (!entry->orphan)
            nodes_run_lose (self, now, entry, why);
    }
    nodes_tell_place (self, now, node);
}

static void on_silence (void *owner, const moment_t *now, uint64_t node)
{
    nodes_t *self = owner;
    place_t *place = &self->places [node];
    place->silence = 0;
    int64_t quiet_ms = now->mono_ms - place->heard_ms;
    if (quiet_ms >= self->limits.lost_ms) {
        place_lose (self, now, node);
    } else if (quiet_ms >= self->limits.silent_ms && place->state == NODE_UP) {
        nodes_place_move (self, now, node, NODE_SILENT);
        nodes_tell_place (self, now, node);
    }
    silence_watch (self, node);
}

void nodes_attend_start (nodes_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->places_count; i++) {
        self->places [i].heard_ms = now->mono_ms;
        silence_watch (self, i);
    }
}

/*  --- what a node should know --- */

static size_t order_bytes (const run_order_t *order)
{
    size_t bytes = 64;
    for (size_t i = 0; i < order->arguments_count; i++)
        bytes += strlen (order->arguments [i]) + 4;
    for (size_t i = 0; i < order->environment_count; i++)
        bytes += strlen (order->environment [i]) + 4;
    return bytes + strlen (order->folder) + strlen (order->output) + strlen (order->errors) +
           5 * (size_t) NAME_BYTES_MAX;
}

/*  False when it has to wait for the next answer. */
static bool wish_for (const entry_t *entry, size_t *orders_bytes, wanted_run_t *wanted)
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
    } else if (entry->kept.warned) {
        wanted->wish = WISH_WARN;
        wanted->grace_ms = entry->kept.warn_ms;
    }
    return true;
}

/*  Runs that are over here and that the agent still speaks of. */
static bool wish_over (const nodes_t *self, const run_report_t *report, wanted_run_t *wanted)
{
    const entry_t *entry = nodes_entry (self, &report->id);
    if (!entry || !run_over (entry->kept.run.state))
        return false;
    *wanted = (wanted_run_t){.id = report->id,
                             .wish = run_over (report->state) ? WISH_FORGET : WISH_END,
                             .grace_ms = run_over (report->state) ? 0 : NODES_GRACE_MS};
    return true;
}

/*  The answer, its number apart; the caller frees it. */
static packed_t wanted_now (nodes_t *self, size_t node)
{
    const place_t *place = &self->places [node];
    wanted_output_t outputs [NODE_OUTPUTS_MAX];
    wanted_t wanted = {.outputs = outputs,
                       .outputs_count = nodes_outputs_wanted (self, node, outputs),
                       .lease_ms = self->limits.lease_ms,
                       .attend_ms = self->limits.attend_ms};
    snprintf (wanted.site, sizeof wanted.site, "%s", self->service->name + strlen ("lis/"));
    wanted.runs =
      must (calloc (ordered_count (place->runs) + place->reports_count + 1, sizeof *wanted.runs));
    size_t orders_bytes = 0;
    for (const entry_t *entry = ordered_after (place->runs, NULL); entry;
         entry = ordered_after (place->runs, &entry->kept.run.id))
        if (!entry->orphan && wish_for (entry, &orders_bytes, &wanted.runs [wanted.runs_count]))
            wanted.runs_count++;
    for (size_t i = 0; i < place->reports_count; i++)
        if (wish_over (self, &place->reports [i], &wanted.runs [wanted.runs_count]))
            wanted.runs_count++;
    packed_t packed = wanted_encode (&wanted);
    free (wanted.runs);
    return packed;
}

/*  Whatever it wants may be begun from now on. */
static void told_mark (place_t *place)
{
    for (entry_t *entry = ordered_after (place->runs, NULL); entry;
         entry = ordered_after (place->runs, &entry->kept.run.id))
        entry->told = true;
}

/*  --- answering --- */

/*  The last answer. */
static void reply (nodes_t *self, const place_t *place)
{
    packed_t body = wanted_numbered (&place->told, place->told_number);
    outbox_reply (self->service->outbox, place->reply_to,
                  (bytes_t){.data = body.data, .size = body.size});
    free (body.data);
}

static void answer (nodes_t *self, size_t node, packed_t *content)
{
    place_t *place = &self->places [node];
    assert (place->waits);
    free (place->told.data);
    place->told = *content;
    place->told_number = ++self->answers;
    told_mark (place);
    reply (self, place);
    place->waits = false;
    timers_cancel (self->service->timers, place->patience);
    place->patience = 0;
}

static void on_patience (void *owner, const moment_t *now, uint64_t node)
{
    (void) now;
    nodes_t *self = owner;
    self->places [node].patience = 0;
    packed_t content = wanted_now (self, node);
    answer (self, node, &content);
}

static bool same (const packed_t *a, const packed_t *b)
{
    return a->size == b->size && (a->size == 0 || memcmp (a->data, b->data, a->size) == 0);
}

void nodes_attend_settle (nodes_t *self, const moment_t *now, size_t node)
{
    place_t *place = &self->places [node];
    if (!place->waits)
        return;
    packed_t content = wanted_now (self, node);
    bool knows = place->told_number > 0 && place->seen == place->told_number;
    if (!knows || !same (&content, &place->told)) {
        answer (self, node, &content);
        return;
    }
    free (content.data);
    if (place->patience == 0)
        place->patience = timers_set (self->service->timers, now->mono_ms + self->limits.attend_ms,
                                      on_patience, self, node);
}

/*  --- asking --- */

bool nodes_agent_is (const char *actor, const char *node)
{
    static const char kind [] = "node/";
    return strncmp (actor, kind, sizeof kind - 1) == 0 &&
           strcmp (actor + sizeof kind - 1, node) == 0;
}

/*  Is it the agent that this site awaits there? Else the request is refused. */
static bool agent_right (nodes_t *self, const request_t *request, const attend_t *asked,
                         size_t *node)
{
    if (!nodes_agent_is (request->actor, asked->node)) {
        service_refuse (self->service, request, CALL_DENIED,
                        "node %s is attended by node/%s alone, not by %s", asked->node, asked->node,
                        request->actor);
        return false;
    }
    if (!nodes_place_find (self, asked->node, node)) {
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "node: site %s has no node %s; its names are in its configuration",
                        self->service->name + strlen ("lis/"), asked->node);
        return false;
    }
    const node_class_t *class = &self->site->classes [self->places [*node].class];
    if (strcmp (asked->class_name, class->name) != 0) {
        service_refuse (self->service, request, CALL_BAD_REQUEST,
                        "class_name: node %s is of class %s, not %s", asked->node, class->name,
                        asked->class_name);
        return false;
    }
    if (asked->cpus != class->cpus_per_node) {
        service_refuse (self->service, request, CALL_BAD_REQUEST,
                        "cpus: nodes of class %s have %u, not %u", class->name,
                        class->cpus_per_node, asked->cpus);
        return false;
    }
    return true;
}

/*  Two machines under one name would both run what is meant for one. */
static bool store_right (nodes_t *self, const moment_t *now, const request_t *request,
                         const attend_t *asked, size_t node)
{
    const place_t *place = &self->places [node];
    if (!place->kept.came)
        return true;
    int64_t quiet_ms = now->mono_ms - place->heard_ms;
    if (memcmp (asked->store, place->kept.store, STORE_ID_BYTES) != 0) {
        if (quiet_ms >= self->limits.silent_ms)
            return true;
        service_refuse (self->service, request, CALL_DENIED,
                        "store: node %s has another agent, heard %lld s ago; a new one is taken "
                        "when that was silent for %u s",
                        asked->node, (long long) (quiet_ms / 1000), self->limits.silent_ms / 1000);
        return false;
    }
    if (asked->start < place->kept.start) {
        service_refuse (self->service, request, CALL_DENIED,
                        "start: %u, but this store of node %s has been started %u times: a "
                        "restored backup, or a late question",
                        asked->start, asked->node, place->kept.start);
        return false;
    }
    if (asked->start == place->kept.start && asked->number < place->asked) {
        service_refuse (self->service, request, CALL_BAD_REQUEST,
                        "number: a later question has been heard");
        return false;
    }
    return true;
}

/*  Another store, or another start of the one that is known. */
static void store_take (nodes_t *self, const moment_t *now, const attend_t *asked, size_t node)
{
    place_t *place = &self->places [node];
    bool other = memcmp (asked->store, place->kept.store, STORE_ID_BYTES) != 0;
    if (place->kept.came && !other && asked->start == place->kept.start)
        return;
    if (other) {
        int64_t lost_at_ms = place->heard_ms + self->limits.lost_ms;
        for (entry_t *entry = ordered_after (place->runs, NULL); entry;
             entry = ordered_after (place->runs, &entry->kept.run.id))
            nodes_run_orphan (self, now, entry, lost_at_ms);
    }
    place->kept.came = true;
    memcpy (place->kept.store, asked->store, STORE_ID_BYTES);
    place->kept.start = asked->start;
    place->asked = 0;
    place->told_number = 0;
    nodes_place_store (self, node);
}

static int by_id (const void *one, const void *other)
{
    const run_report_t *a = one, *b = other;
    return run_id_compare (&a->id, &b->id);
}

static void reports_take (nodes_t *self, const moment_t *now, attend_t *asked, size_t node)
{
    place_t *place = &self->places [node];
    qsort (asked->runs, asked->runs_count, sizeof *asked->runs, by_id);
    free (place->reports);
    place->reports = asked->runs;
    place->reports_count = asked->runs_count;
    asked->runs = NULL;
    asked->runs_count = 0;
    for (size_t i = 0; i < place->reports_count; i++) {
        entry_t *entry = nodes_entry (self, &place->reports [i].id);
        if (entry && entry->node == node && !entry->orphan)
            nodes_run_heard (self, now, entry, &place->reports [i]);
    }
}

static void hear (nodes_t *self, const moment_t *now, size_t node)
{
    place_t *place = &self->places [node];
    place->heard_ms = now->mono_ms;
    place->heard_wall_ms = now->wall_ms;
    if (place->state == NODE_UP)
        return; /* the timer looks again at when it was heard last */
    nodes_place_move (self, now, node, NODE_UP);
    silence_watch (self, node);
}

/*  It is the question that waits from now on. One that waited is told again what its agent has been
 *  told already: that one has given it up, or has sent it twice. */
static void wait_for (nodes_t *self, const moment_t *now, const request_t *request, size_t node)
{
    place_t *place = &self->places [node];
    if (place->waits && place->told_number > 0)
        reply (self, place);
    else if (place->waits)
        outbox_refuse (self->service->outbox, place->reply_to, CALL_BAD_REQUEST,
                       "start: a later one has been heard");
    place->waits = true;
    place->reply_to = request->reply_to;
    nodes_dirty (self, now, node);
}

static void attend (nodes_t *self, const moment_t *now, const request_t *request, attend_t *asked)
{
    size_t node;
    if (!agent_right (self, request, asked, &node) ||
        !store_right (self, now, request, asked, node))
        return;
    place_t *place = &self->places [node];
    store_take (self, now, asked, node);
    bool came = place->state != NODE_UP;
    hear (self, now, node);
    if (asked->number > place->asked) {
        place->asked = asked->number;
        place->seen = asked->seen;
        reports_take (self, now, asked, node);
    }
    if (came)
        nodes_tell_place (self, now, node);
    wait_for (self, now, request, node);
}

void nodes_on_attend (void *owner, const moment_t *now, const request_t *request)
{
    nodes_t *self = owner;
    attend_t asked;
    char why [WHY_BYTES];
    if (standing_state (self->service->standing) != STANDING_GOOD) {
        service_refuse (self->service, request, CALL_NOT_SERVING,
                        "%s: it is not known yet whether it may speak for its store",
                        self->service->name);
        return;
    }
    if (!attend_decode (&asked, request->body, why)) {
        service_refuse (self->service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    attend (self, now, request, &asked);
    attend_clear (&asked);
}
