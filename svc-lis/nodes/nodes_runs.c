/*  nodes_runs - the states of runs. A run is stored before its node hears of it, moves as its agent
 *  reports, and is lost when nobody can tell any more how it stands.
 *
 *  Observers are told of each move in the step that stores it: both are on disk, or neither is.
 */
#include "nodes_state.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_LOOK_MS_LEAST 1000
#define KEPT_LOOK_MS_MOST  3600000

static int nodes_runs_by_end (const void *key, const void *thing)
{
    const node_run_t *a = key, *b = thing;
    if (a->kept.over_ms != b->kept.over_ms)
        return a->kept.over_ms < b->kept.over_ms ? -1 : 1;
    return run_id_compare (&a->kept.run.id, &b->kept.run.id);
}

static int by_loss (const void *key, const void *thing)
{
    const node_run_t *a = key, *b = thing;
    if (a->lost_at_ms != b->lost_at_ms)
        return a->lost_at_ms < b->lost_at_ms ? -1 : 1;
    return run_id_compare (&a->kept.run.id, &b->kept.run.id);
}

/*  --- storing --- */

static void entry_store (nodes_t *self, const node_run_t *entry)
{
    uint8_t key [RUN_KEY_BYTES];
    service_put (self->service, TABLE_RUNS, run_key_pack (&entry->kept.run.id, key),
                 stored_run_encode (&entry->kept));
}

static void entry_free (void *thing)
{
    node_run_t *entry = thing;
    codec_clear (&stored_run_codec, &entry->kept);
    free (entry);
}

static void entry_forget (nodes_t *self, node_run_t *entry)
{
    uint8_t key [RUN_KEY_BYTES];
    outbox_delete (self->service->outbox, TABLE_RUNS, run_key_pack (&entry->kept.run.id, key));
    ordered_remove (self->kept, entry);
    ordered_remove (self->runs, &entry->kept.run.id);
    entry_free (entry);
}

static void text_set (const char **to, const char *from)
{
    char *copy = must (strdup (from));
    free ((char *) *to);
    *to = copy;
}

/*  --- those that are over, kept for a while --- */

static void nodes_runs_on_kept (void *owner, const moment_t *now, uint64_t token);

static void kept_watch (nodes_t *self, const moment_t *now)
{
    const node_run_t *first = ordered_after (self->kept, NULL);
    if (self->kept_timer != 0 || !first)
        return;
    int64_t left_ms = first->kept.over_ms + self->limits.runs_kept_ms - now->wall_ms;
    left_ms = left_ms > KEPT_LOOK_MS_LEAST ? left_ms : KEPT_LOOK_MS_LEAST;
    left_ms = left_ms < KEPT_LOOK_MS_MOST ? left_ms : KEPT_LOOK_MS_MOST;
    self->kept_timer =
      timers_set (self->service->timers, now->mono_ms + left_ms, nodes_runs_on_kept, self, 0);
}

static void nodes_runs_on_kept (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    nodes_t *self = owner;
    self->kept_timer = 0;
    int64_t now_ms = timekeeper_least (&self->service->timekeeper, now);
    for (node_run_t *entry; (entry = ordered_after (self->kept, NULL)) &&
                            entry->kept.over_ms + self->limits.runs_kept_ms <= now_ms;)
        entry_forget (self, entry);
    kept_watch (self, now);
}

/*  --- orphans --- */

static void on_orphans (void *owner, const moment_t *now, uint64_t token);

static void orphans_watch (nodes_t *self)
{
    timers_cancel (self->service->timers, self->orphans_timer);
    self->orphans_timer = 0;
    const node_run_t *first = ordered_after (self->orphans, NULL);
    if (first)
        self->orphans_timer =
          timers_set (self->service->timers, first->lost_at_ms, on_orphans, self, 0);
}

static void on_orphans (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    nodes_t *self = owner;
    self->orphans_timer = 0;
    for (node_run_t *entry;
         (entry = ordered_after (self->orphans, NULL)) && entry->lost_at_ms <= now->mono_ms;)
        nodes_run_lose (self, now, entry,
                        entry->node == NODE_NONE
                          ? "its node is no longer in the site's configuration"
                          : "its node, or its site, has lost its records");
    orphans_watch (self);
}

void nodes_run_orphan (nodes_t *self, const moment_t *now, node_run_t *entry, int64_t lost_at_ms)
{
    char text [RUN_ID_TEXT_BYTES];
    if (entry->orphan)
        return;
    entry->orphan = true;
    entry->lost_at_ms = lost_at_ms > now->mono_ms ? lost_at_ms : now->mono_ms;
    ordered_add (self->orphans, entry, entry);
    outbox_log (
      self->service->outbox, LEVEL_WARNING,
      "run %s node=%s: the node or this site has lost its store; the run counts as lost in %" PRId64
      " s",
      run_id_text (&entry->kept.run.id, text), entry->kept.run.node,
      (entry->lost_at_ms - now->mono_ms) / 1000);
    orphans_watch (self);
}

/*  --- moving --- */

static void nodes_runs_tell (nodes_t *self, const moment_t *now, const node_run_t *entry)
{
    run_t run = entry->kept.run;
    for (size_t i = 0; i < self->observers_count; i++)
        if (self->observers [i].run_moved)
            self->observers [i].run_moved (self->observers [i].owner, now, &run);
}

static void suspended_tell (nodes_t *self, const moment_t *now, const node_run_t *entry)
{
    char text [RUN_ID_TEXT_BYTES];
    run_t run = entry->kept.run;
    outbox_log (self->service->outbox, LEVEL_INFO, "run %s %s node=%s", run_id_text (&run.id, text),
                run.suspended ? "suspended" : "resumed", run.node);
    for (size_t i = 0; i < self->observers_count; i++)
        if (self->observers [i].run_suspended)
            self->observers [i].run_suspended (self->observers [i].owner, now, &run);
}

static void leave_node (nodes_t *self, const moment_t *now, node_run_t *entry)
{
    if (entry->orphan) {
        ordered_remove (self->orphans, entry);
        entry->orphan = false;
    }
    if (entry->node == NODE_NONE)
        return;
    node_state_t *place = &self->places [entry->node];
    ordered_remove (place->runs, &entry->kept.run.id);
    place->cpus_used -= entry->kept.run.cpus;
    nodes_dirty (self, now, entry->node);
}

static void run_move (nodes_t *self, const moment_t *now, node_run_t *entry, run_state_t to)
{
    char text [RUN_ID_TEXT_BYTES];
    run_t *run = &entry->kept.run;
    assert (states_allow (&run_states, run->state, 0, to));
    outbox_log (self->service->outbox, to == RUN_LOST ? LEVEL_WARNING : LEVEL_INFO,
                "run %s %s->%s node=%s exit=%d signal=%d cpu_ms=%" PRId64 "%s%s",
                run_id_text (&run->id, text), run_states.states [run->state],
                run_states.states [to], run->node, run->exit_code, run->signal, run->cpu_ms,
                *run->why ? " why=" : "", run->why);
    run->state = to;
    run_order_free (entry->kept.order);
    entry->kept.order = NULL;
    if (run_over (to)) {
        entry->kept.over_ms = now->wall_ms;
        service_count (self->service, to == RUN_LOST ? "runs_lost" : "runs_over", 1);
        leave_node (self, now, entry);
        ordered_add (self->kept, entry, entry);
        kept_watch (self, now);
    }
    entry_store (self, entry);
    nodes_runs_tell (self, now, entry);
    if (run_over (to) && self->limits.runs_kept_ms == 0)
        entry_forget (self, entry);
}

/*  Why the run ended: our reason, if we told it to end and it did. */
static void why_set (node_run_t *entry, run_state_t state, const char *why)
{
    run_t *run = &entry->kept.run;
    bool ours = run->told_to_end && *entry->kept.end_why && (state != RUN_LOST || *why == '\0');
    text_set (&run->why, ours ? entry->kept.end_why : why);
}

/*  An agent that has not heard of a resumption before the run was to be suspended again reports no
 *  change; that its report stands behind our latest wish is news, all the same. */
static bool suspended_again (const nodes_t *self, const node_run_t *entry)
{
    const agent_session_t *agent = &self->places [entry->node].agent;
    return entry->kept.run.suspended && entry->kept.run.suspend && !entry->suspended_told &&
           agent->seen == agent->told_number && agent->seen > entry->suspend_after;
}

void nodes_run_heard (nodes_t *self, const moment_t *now, node_run_t *entry,
                      const run_report_t *report)
{
    run_t *run = &entry->kept.run;
    if (run_over (run->state))
        return;
    run->cpu_ms = report->cpu_ms > run->cpu_ms ? report->cpu_ms : run->cpu_ms;
    run->dropped = report->dropped > run->dropped ? report->dropped : run->dropped;
    bool suspended = report->suspended && !run_over (report->state);
    bool changed = suspended != run->suspended;
    run->suspended = suspended;
    if (changed || suspended_again (self, entry)) {
        entry->suspended_told = suspended && run->suspend;
        suspended_tell (self, now, entry);
    }
    if (!run_over (report->state) && strcmp (run->why, report->why) != 0)
        text_set (&run->why, report->why);
    if (!states_allow (&run_states, run->state, 0, report->state))
        return;
    run->started_ms = report->started_ms;
    if (run_over (report->state)) {
        run->ended_ms = report->ended_ms;
        run->exit_code = report->exit_code;
        run->signal = report->signal;
        run->node_unfit = report->state == RUN_REFUSED && report->node_unfit;
        run->handed = report->state == RUN_ENDED && report->handed;
        why_set (entry, report->state, report->why);
    }
    if (run->node_unfit)
        nodes_rest (self, now, entry->node, run->why);
    else if (report->state == RUN_RUNNING)
        self->places [entry->node].rest_ms = 0;
    run_move (self, now, entry, report->state);
}

void nodes_run_lose (nodes_t *self, const moment_t *now, node_run_t *entry, const char *why)
{
    text_set (&entry->kept.run.why, why);
    run_move (self, now, entry, RUN_LOST);
}

/*  --- what their owners want --- */

void nodes_start (nodes_t *self, const moment_t *now, size_t node, const run_id_t *id,
                  const run_order_t *order)
{
    char why [WHY_BYTES];
    assert (nodes_usable (self, node));
    assert (!nodes_entry (self, id));
    assert (id->task.bag > 0 && id->number > 0 && run_order_check (order, why));
    node_state_t *place = &self->places [node];
    node_run_t *entry = must (calloc (1, sizeof *entry));
    entry->node = node;
    entry->kept.order = run_order_copy (order);
    entry->kept.end_why = must (strdup (""));
    memcpy (entry->kept.agent, place->agent.store, STORE_ID_BYTES);
    memcpy (entry->kept.site, self->service->store.id, STORE_ID_BYTES);
    entry->kept.run = (run_t){.id = *id,
                              .state = RUN_PLACED,
                              .node = must (strdup (place->name)),
                              .cpus = order->cpus,
                              .reservation = must (strdup (entry->kept.order->reservation)),
                              .booked_until_ms = order->booked_until_ms,
                              .placed_ms = now->wall_ms,
                              .why = must (strdup (""))};
    ordered_add (self->runs, &entry->kept.run.id, entry);
    ordered_add (place->runs, &entry->kept.run.id, entry);
    place->cpus_used += order->cpus;
    entry_store (self, entry);
    nodes_dirty (self, now, node);
}

void nodes_warn (nodes_t *self, const moment_t *now, const run_id_t *id, int64_t grace_ms)
{
    assert (grace_ms >= 0);
    node_run_t *entry = nodes_entry (self, id);
    if (!entry || run_over (entry->kept.run.state) || entry->kept.warned)
        return;
    entry->kept.warned = true;
    entry->kept.warn_ms = grace_ms;
    entry_store (self, entry);
    nodes_dirty (self, now, entry->node);
}

static void unbegun_add (nodes_t *self, const run_id_t *id)
{
    self->unbegun =
      must_grow (self->unbegun, self->unbegun_count, &self->unbegun_room, sizeof *self->unbegun);
    self->unbegun [self->unbegun_count++] = *id;
}

void nodes_end (nodes_t *self, const moment_t *now, const run_id_t *id, int64_t grace_ms,
                const char *why)
{
    assert (grace_ms >= 0 && strlen (why) <= RUN_WHY_BYTES_MAX);
    node_run_t *entry = nodes_entry (self, id);
    if (!entry || run_over (entry->kept.run.state))
        return;
    run_t *run = &entry->kept.run;
    if (run->told_to_end && entry->kept.grace_ms <= grace_ms)
        return;
    if (!run->told_to_end)
        text_set (&entry->kept.end_why, why);
    run->told_to_end = true;
    entry->kept.grace_ms = grace_ms;
    entry_store (self, entry);
    if (run->state == RUN_PLACED && !entry->told)
        unbegun_add (self, id);
    nodes_dirty (self, now, entry->node);
}

void nodes_suspend (nodes_t *self, const moment_t *now, const run_id_t *id, bool suspend,
                    int64_t booked_until_ms)
{
    node_run_t *entry = nodes_entry (self, id);
    if (!entry || run_over (entry->kept.run.state))
        return;
    run_t *run = &entry->kept.run;
    bool told = run->suspend != suspend;
    if (!told && run->booked_until_ms == booked_until_ms)
        return;
    run->booked_until_ms = booked_until_ms;
    if (told) {
        run->suspend = suspend;
        entry->suspended_told = false;
        entry->suspend_after =
          entry->node == NODE_NONE ? 0 : self->places [entry->node].agent.told_number;
        nodes_dirty (self, now, entry->node);
    }
    entry_store (self, entry);
}

/*  No answer with its order has left, so no agent can have begun it. */
void nodes_runs_settle (nodes_t *self, const moment_t *now)
{
    while (self->unbegun_count > 0) {
        run_id_t id = self->unbegun [--self->unbegun_count];
        node_run_t *entry = nodes_entry (self, &id);
        if (!entry || entry->kept.run.state != RUN_PLACED || entry->told)
            continue;
        why_set (entry, RUN_REFUSED, "");
        run_move (self, now, entry, RUN_REFUSED);
    }
}

bool nodes_run (const nodes_t *self, const run_id_t *id, run_t *run)
{
    const node_run_t *entry = nodes_entry (self, id);
    if (entry)
        *run = entry->kept.run;
    return entry != NULL;
}

void nodes_runs (const nodes_t *self, size_t node, bool (*visit) (void *owner, const run_t *run),
                 void *owner)
{
    assert (node < self->places_count);
    const ordered_t *runs = self->places [node].runs;
    run_id_t id;
    for (const node_run_t *entry = ordered_after (runs, NULL); entry;
         entry = ordered_after (runs, &id)) {
        run_t run = entry->kept.run;
        id = run.id;
        if (!visit (owner, &run))
            return;
    }
}

/*  --- life --- */

void nodes_runs_init (nodes_t *self)
{
    self->kept = ordered_new (nodes_runs_by_end);
    self->orphans = ordered_new (by_loss);
}

void nodes_runs_end (nodes_t *self)
{
    timers_cancel (self->service->timers, self->kept_timer);
    timers_cancel (self->service->timers, self->orphans_timer);
    ordered_destroy (&self->kept);
    ordered_destroy (&self->orphans);
    ordered_end (&self->runs, entry_free);
    free (self->unbegun);
}

void nodes_runs_load (void *owner, bytes_t key, bytes_t value)
{
    (void) key;
    nodes_t *self = owner;
    char why [WHY_BYTES] = "another record is of the same run";
    stored_run_t kept;
    if (!stored_run_decode (&kept, value, why) || nodes_entry (self, &kept.run.id)) {
        codec_clear (&stored_run_codec, &kept);
        service_bad_record (self->service, "runs", why);
        return;
    }
    node_run_t *entry = must (calloc (1, sizeof *entry));
    entry->kept = kept;
    entry->told = true;
    if (!nodes_find (self, kept.run.node, &entry->node))
        entry->node = NODE_NONE;
    ordered_add (self->runs, &entry->kept.run.id, entry);
    if (run_over (kept.run.state)) {
        ordered_add (self->kept, entry, entry);
    } else if (entry->node != NODE_NONE) {
        node_state_t *place = &self->places [entry->node];
        ordered_add (place->runs, &entry->kept.run.id, entry);
        place->cpus_used += kept.run.cpus;
    }
}

/*  Was the run given to the store that the agent has now, by the store that this site has now? A
 *  batch system knows its jobs, whatever store its agent has. */
static bool nodes_runs_known (const nodes_t *self, const node_run_t *entry)
{
    bool agent = entry->node == self->batch;
    if (self->batch == NODE_NONE && entry->node != NODE_NONE)
        agent =
          memcmp (entry->kept.agent, self->places [entry->node].agent.store, STORE_ID_BYTES) == 0;
    return entry->node != NODE_NONE && agent &&
           memcmp (entry->kept.site, self->service->store.id, STORE_ID_BYTES) == 0;
}

void nodes_runs_start (nodes_t *self, const moment_t *now)
{
    for (node_run_t *entry = ordered_after (self->runs, NULL); entry;
         entry = ordered_after (self->runs, &entry->kept.run.id))
        if (!run_over (entry->kept.run.state) && !nodes_runs_known (self, entry))
            nodes_run_orphan (self, now, entry, now->mono_ms + self->limits.lost_ms);
    kept_watch (self, now);
}
