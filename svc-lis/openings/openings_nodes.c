/*  openings_nodes - binds nodes to reservations and lets them go.
 *
 *  At any instant a reservation should have as many nodes of a class as it has booked at most
 *  within the next bind_ms. Nodes beyond that leave. Nodes that will be too many within warning_ms
 *  are marked, and their runs are warned.
 */
#include "openings_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- what is booked --- */

uint32_t opening_wanted (const opening_entry_t *entry, size_t class, int64_t at_ms)
{
    uint32_t wanted = 0;
    for (size_t i = 0; i < entry->stages_count; i++) {
        const opening_stage_t *stage = &entry->stages [i];
        if ((class == SIZE_MAX || stage->class == class) && stage->over.from <= at_ms &&
            at_ms < stage->over.until)
            wanted += stage->nodes;
    }
    return wanted;
}

/*  The most that it has booked within bind_ms of an instant. */
static uint32_t target (const opening_entry_t *entry, size_t class, int64_t at_ms)
{
    uint32_t most = opening_wanted (entry, class, at_ms);
    for (size_t i = 0; i < entry->stages_count; i++) {
        int64_t from_ms = entry->stages [i].over.from;
        if (from_ms <= at_ms || from_ms > at_ms + entry->openings->limits.bind_ms)
            continue;
        uint32_t then = opening_wanted (entry, class, from_ms);
        most = then > most ? then : most;
    }
    return most;
}

/*  When it first needs more nodes of the class than it has; now, if it never does. */
static int64_t needed_ms (const opening_entry_t *entry, size_t class, uint32_t have, int64_t at_ms)
{
    if (opening_wanted (entry, class, at_ms) > have)
        return at_ms;
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < entry->stages_count; i++) {
        int64_t from_ms = entry->stages [i].over.from;
        if (from_ms > at_ms && from_ms < first_ms && opening_wanted (entry, class, from_ms) > have)
            first_ms = from_ms;
    }
    return first_ms < INT64_MAX ? first_ms : at_ms;
}

/*  --- what it has --- */

/*  The nodes that it keeps; or those alone that leave. */
static uint32_t kept_count (const opening_entry_t *entry, size_t class, bool leaving)
{
    uint32_t count = 0;
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        const bound_t *bound = &entry->kept.nodes [i];
        count += (leaving ? bound->state == BOUND_LEAVING : bound_kept (bound)) &&
                 nodes_at (entry->openings->parts.nodes, bound->node).class == class;
    }
    return count;
}

uint32_t opening_short (const opening_entry_t *entry, int64_t at_ms)
{
    at_ms = at_ms > entry->kept.from_ms ? at_ms : entry->kept.from_ms;
    uint32_t lacking = 0;
    for (size_t class = 0; class < entry->openings->parts.site->classes_count; class ++) {
        uint32_t wanted = opening_wanted (entry, class, at_ms);
        uint32_t have = wanted > 0 ? kept_count (entry, class, false) : 0;
        lacking += wanted > have ? wanted - have : 0;
    }
    return lacking;
}

typedef struct {
    const char *reservation;
    bool own;
    bool others;
} openings_nodes_running_t;

static bool look_whose (void *owner, const run_t *run)
{
    openings_nodes_running_t *running = owner;
    if (strcmp (run->reservation, running->reservation) == 0)
        running->own = true;
    else
        running->others = true;
    return true;
}

bool opening_clear (const opening_entry_t *entry)
{
    const nodes_t *nodes = entry->openings->parts.nodes;
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        size_t node = entry->kept.nodes [i].node;
        openings_nodes_running_t running = {.reservation = entry->reservation};
        nodes_runs (nodes, node, look_whose, &running);
        if (running.others || nodes_at (nodes, node).state != AGENT_UP)
            return false;
    }
    return true;
}

bool opening_runs (const opening_entry_t *entry)
{
    openings_nodes_running_t running = {.reservation = entry->reservation};
    for (size_t i = 0; i < entry->kept.nodes_count && !running.own; i++)
        nodes_runs (entry->openings->parts.nodes, entry->kept.nodes [i].node, look_whose, &running);
    return running.own;
}

const bound_t *opening_drained (const opening_entry_t *entry)
{
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        const bound_t *bound = &entry->kept.nodes [i];
        site_node_t node = nodes_at (entry->openings->parts.nodes, bound->node);
        if (bound_kept (bound) && node.drained && *node.why)
            return bound;
    }
    return NULL;
}

/*  --- binding and letting go --- */

void opening_bind (opening_entry_t *entry, bound_t bound)
{
    openings_t *self = entry->openings;
    assert (!self->holders [bound.node]);
    self->holders [bound.node] = entry;
    size_t at = entry->kept.nodes_count++;
    bound_t *nodes = must (reallocarray (entry->kept.nodes, at + 1, sizeof *nodes));
    entry->nodes = must (reallocarray (entry->nodes, at + 1, sizeof *entry->nodes));
    for (; at > 0 && nodes [at - 1].node > bound.node; at--)
        nodes [at] = nodes [at - 1];
    nodes [at] = bound;
    entry->kept.nodes = nodes;
}

static void unbind (opening_entry_t *entry, size_t at)
{
    entry->openings->holders [entry->kept.nodes [at].node] = NULL;
    memmove (&entry->kept.nodes [at], &entry->kept.nodes [at + 1],
             (--entry->kept.nodes_count - at) * sizeof *entry->kept.nodes);
}

bool opening_closes (const opening_entry_t *entry)
{
    for (size_t i = 0; i < entry->kept.nodes_count; i++)
        if (entry->kept.nodes [i].state == BOUND_CLOSING)
            return true;
    return false;
}

void opening_unbind_all (opening_entry_t *entry)
{
    while (entry->kept.nodes_count > 0)
        unbind (entry, entry->kept.nodes_count - 1);
}

/*  A node is not needed from at_ms on. If nothing was ever opened there is nothing to clean. */
static void openings_nodes_leave (opening_entry_t *entry, bound_t *bound, int64_t at_ms)
{
    bound->state = BOUND_CLOSING;
    bound->at_ms = at_ms;
    if (!entry->use && !back_end_acts (entry->openings->parts.back_end, BACK_END_CLOSE))
        unbind (entry, (size_t) (bound - entry->kept.nodes));
}

/*  Could it be bound from when_ms on, if nothing runs there that is in the way? */
static bool openings_node_free (const opening_entry_t *entry, size_t node, size_t class,
                                int64_t when_ms)
{
    const openings_t *self = entry->openings;
    return nodes_at (self->parts.nodes, node).class == class && !self->holders [node] &&
           nodes_usable (self->parts.nodes, node) &&
           !nodes_booked (self->parts.nodes, node, when_ms, entry->kept.until_ms,
                          opening_clearing (entry) != CLEAR_END);
}

static size_t openings_nodes_free (const opening_entry_t *entry, size_t class, int64_t when_ms)
{
    size_t count = 0;
    for (size_t i = 0; i < nodes_count (entry->openings->parts.nodes); i++)
        count += openings_node_free (entry, i, class, when_ms);
    return count;
}

/*  Lost nodes are let go at once, as nothing runs there; drained ones when they are idle, but those
 *  that a batch system says a reason for only while there are others: a whole partition that is
 *  down comes back as it was. With a back end they are nobody else's before it has taken them
 *  out. */
static bool let_go_of_lost (opening_entry_t *entry, int64_t now_ms)
{
    const nodes_t *nodes = entry->openings->parts.nodes;
    bool acts = back_end_acts (entry->openings->parts.back_end, BACK_END_CLOSE);
    bool changed = false;
    size_t class = SIZE_MAX, others = 0;
    for (size_t i = entry->kept.nodes_count; i-- > 0;) {
        bound_t *bound = &entry->kept.nodes [i];
        site_node_t node = nodes_at (nodes, bound->node);
        bool idle = node.runs == 0 && node.cpus_used == 0, lost = node.state == AGENT_LOST;
        if (!(lost || (node.drained && idle)) || (acts && !bound_kept (bound)))
            continue;
        if (!lost && *node.why && node.class != class) {
            class = node.class;
            others = openings_nodes_free (entry, class, now_ms);
        }
        if (!lost && *node.why && others == 0)
            continue;
        others -= others > 0;
        outbox_log (entry->openings->parts.service->outbox, LEVEL_WARNING,
                    "opening %s node=%s bound->%s", entry->reservation, node.name,
                    node.state == AGENT_LOST ? "lost" : "drained");
        if (acts)
            openings_nodes_leave (entry, bound, now_ms);
        else
            unbind (entry, i);
        changed = true;
    }
    return changed;
}

/*  A node that could be bound. Named nodes are taken before all others, then idle ones, then those
 *  where the least is lost, and last those where tasks of the queue would run on. */
typedef struct {
    size_t node;
    bool named; /* for it, before */
    bool idle;
    bool runs_on;
    int64_t cost_ms;
} openings_nodes_candidate_t;

typedef struct {
    const char *reservation;
    int64_t needed_ms;
    bool free;
    bool own; /* its own runs are there, and its record was lost */
    bool clears;
    bool runs_on;
    int64_t cost_ms;
} node_clearing_t;

/*  Preemptible runs are ended. Booked ones must be over by themselves, unless the site clears its
 *  nodes. */
static bool look_clearing (void *owner, const run_t *run)
{
    node_clearing_t *made = owner;
    made->own = strcmp (run->reservation, made->reservation) == 0;
    bool runs_on = run->booked_until_ms > made->needed_ms;
    made->free = made->own || (!*run->reservation && (!runs_on || made->clears));
    made->runs_on = made->runs_on || (runs_on && !made->own);
    made->cost_ms += run->booked_until_ms == 0 || runs_on ? run->cpu_ms : 0;
    return made->free && !made->own;
}

/*  Jobs of others in a batch system: what would have to be run again, or is lost, counts from its
 *  start on; where all are over by then, fewer busy CPUs are better. */
static void look_at_jobs (const site_node_t *node, node_clearing_t *made)
{
    made->runs_on = node->firm_until_ms > made->needed_ms;
    made->cost_ms = node->busy_until_ms > made->needed_ms ? made->needed_ms - node->busy_since_ms
                                                          : node->cpus_used;
}

static int candidate_compare (const void *left, const void *right)
{
    const openings_nodes_candidate_t *a = left, *b = right;
    if (a->named != b->named)
        return a->named ? -1 : 1;
    if (a->runs_on != b->runs_on)
        return a->runs_on ? 1 : -1;
    if (a->idle != b->idle)
        return a->idle ? -1 : 1;
    if (a->cost_ms != b->cost_ms)
        return a->cost_ms < b->cost_ms ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool bind_more (opening_entry_t *entry, size_t class, uint32_t lacking, int64_t when_ms)
{
    openings_t *self = entry->openings;
    size_t nodes = nodes_count (self->parts.nodes);
    bool batch = nodes_batch (self->parts.nodes) != NODES_NONE;
    openings_nodes_candidate_t *candidates = must (calloc (nodes + 1, sizeof *candidates));
    size_t count = 0;
    for (size_t i = 0; i < nodes; i++) {
        site_node_t node = nodes_at (self->parts.nodes, i);
        if (!openings_node_free (entry, i, class, when_ms))
            continue;
        node_clearing_t made = {.reservation = entry->reservation,
                                .needed_ms = when_ms,
                                .free = true,
                                .clears = self->limits.clear};
        if (node.runs > 0)
            nodes_runs (self->parts.nodes, i, look_clearing, &made);
        if (batch)
            look_at_jobs (&node, &made);
        if (made.free)
            candidates [count++] =
              (openings_nodes_candidate_t){.node = i,
                                           .named = opening_named (entry, i),
                                           .idle = node.cpus_used == 0 || made.own,
                                           .runs_on = made.runs_on,
                                           .cost_ms = made.own ? -1 : made.cost_ms};
    }
    qsort (candidates, count, sizeof *candidates, candidate_compare);
    size_t before = entry->kept.nodes_count;
    for (size_t i = 0; i < count && entry->kept.nodes_count < before + lacking; i++) {
        bound_t bound = {.node = candidates [i].node, .at_ms = when_ms};
        if (opening_node_taken (entry, bound.node))
            continue;
        snprintf (bound.name, sizeof bound.name, "%s",
                  nodes_at (self->parts.nodes, bound.node).name);
        opening_bind (entry, bound);
    }
    free (candidates);
    return entry->kept.nodes_count > before;
}

/*  The node that it can spare most easily: one that is marked already, else an idle one; of several
 *  the last. */
static bound_t *least_missed (opening_entry_t *entry, size_t class, bool marked_too)
{
    bound_t *least = NULL;
    int best = -1;
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        bound_t *bound = &entry->kept.nodes [i];
        site_node_t node = nodes_at (entry->openings->parts.nodes, bound->node);
        if (node.class != class || !bound_kept (bound) ||
            (bound->state == BOUND_LEAVING && !marked_too))
            continue;
        int rank = bound->state == BOUND_LEAVING ? 2 : node.runs == 0;
        if (rank >= best) {
            best = rank;
            least = bound;
        }
    }
    return least;
}

/*  When more nodes leave within warning_ms than are marked: the first such instant, and how many
 *  are to be marked for it. */
static uint32_t leaving_next (const opening_entry_t *entry, size_t class, int64_t now_ms,
                              int64_t *when_ms)
{
    uint32_t have = kept_count (entry, class, false);
    uint32_t marked = kept_count (entry, class, true);
    uint32_t more = 0;
    *when_ms = INT64_MAX;
    for (size_t i = 0; i < entry->stages_count; i++) {
        int64_t at_ms = entry->stages [i].over.until;
        if (at_ms <= now_ms || at_ms > now_ms + entry->openings->limits.warning_ms ||
            at_ms >= *when_ms)
            continue;
        uint32_t stay = target (entry, class, at_ms);
        if (have > stay + marked) {
            more = have - stay - marked;
            *when_ms = at_ms;
        }
    }
    return more;
}

static bool mark_leaving (opening_entry_t *entry, size_t class, int64_t now_ms)
{
    bool changed = false;
    int64_t when_ms;
    for (uint32_t more; (more = leaving_next (entry, class, now_ms, &when_ms)) > 0;) {
        for (; more > 0; more--) {
            bound_t *bound = least_missed (entry, class, false);
            bound->state = BOUND_LEAVING;
            bound->at_ms = when_ms;
            bound->warned = false;
        }
        changed = true;
    }
    return changed;
}

static bool fit_class (opening_entry_t *entry, size_t class, int64_t now_ms)
{
    bool changed = false;
    uint32_t wanted = target (entry, class, now_ms);
    uint32_t have = kept_count (entry, class, false);
    if (have < wanted && !entry->kept.given_back)
        changed = bind_more (entry, class, wanted - have, needed_ms (entry, class, have, now_ms));
    for (; have > wanted; have--) {
        bound_t *bound = least_missed (entry, class, true);
        openings_nodes_leave (entry, bound, bound->state == BOUND_LEAVING ? bound->at_ms : now_ms);
        changed = true;
    }
    if (entry->use && mark_leaving (entry, class, now_ms))
        changed = true;
    return changed;
}

/*  A node has closed when nothing runs there and the back end is done; then it is cleaned for the
 *  gap that the calendar has for that. */
bool opening_close (opening_entry_t *entry, const moment_t *now)
{
    openings_t *self = entry->openings;
    int64_t now_ms = opening_now_ms (entry, now);
    bool outside = *back_end_trouble (self->parts.back_end, entry->reservation);
    bool changed = false;
    for (size_t i = entry->kept.nodes_count; i-- > 0;) {
        bound_t *bound = &entry->kept.nodes [i];
        if (bound->state == BOUND_CLOSING && !outside &&
            nodes_at (self->parts.nodes, bound->node).runs == 0) {
            bound->state = BOUND_CLEANING;
            bound->at_ms += entry->use ? free_capacity_terms (self->parts.room)->gap_ms : 0;
            changed = true;
        }
        if (bound->state == BOUND_CLEANING && bound->at_ms <= now_ms) {
            unbind (entry, i);
            changed = true;
        }
    }
    return changed;
}

bool opening_fit (opening_entry_t *entry, const moment_t *now)
{
    int64_t now_ms = opening_now_ms (entry, now);
    bool changed = let_go_of_lost (entry, now_ms);
    for (size_t class = 0; class < entry->openings->parts.site->classes_count; class ++)
        changed = fit_class (entry, class, now_ms) || changed;
    return changed;
}

bool opening_due (opening_entry_t *entry, int64_t now_ms)
{
    bool news = false;
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        bound_t *bound = &entry->kept.nodes [i];
        bool due = bound->state != BOUND_HELD || bound->at_ms <= now_ms;
        news = news || due != bound->due;
        bound->due = due;
    }
    return news;
}

/*  --- when --- */

static void sooner (int64_t *due_ms, int64_t at_ms, int64_t than_ms)
{
    if (at_ms > than_ms && at_ms < *due_ms)
        *due_ms = at_ms;
}

int64_t opening_fit_due (const opening_entry_t *entry, int64_t at_ms)
{
    const openings_limits_t *limits = &entry->openings->limits;
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < entry->stages_count; i++) {
        const opening_stage_t *stage = &entry->stages [i];
        sooner (&due_ms, stage->over.from - limits->bind_ms, at_ms);
        sooner (&due_ms, stage->over.from, at_ms);
        sooner (&due_ms, stage->over.until - limits->warning_ms, at_ms);
        sooner (&due_ms, stage->over.until, at_ms);
    }
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        sooner (&due_ms, entry->kept.nodes [i].at_ms, at_ms);
        if (entry->kept.nodes [i].state == BOUND_HELD)
            sooner (&due_ms, entry->kept.nodes [i].at_ms - limits->grace_ms, at_ms);
    }
    return due_ms;
}

/*  --- what runs there --- */

typedef enum { LET_BE, WARN, END } openings_nodes_told_t;

typedef struct {
    const opening_entry_t *entry;
    const bound_t *bound;
    int64_t now_ms;
    struct {
        run_id_t id;
        openings_nodes_told_t told;
        const char *why;
    } * list;
    size_t count;
} ended_runs_t;

static openings_nodes_told_t openings_nodes_told_of (const ended_runs_t *telling, const run_t *run,
                                                     bool own)
{
    const opening_entry_t *entry = telling->entry;
    const bound_t *bound = telling->bound;
    if (bound->state == BOUND_CLOSING || bound->state == BOUND_CLEANING)
        return END;
    if (bound->state == BOUND_LEAVING)
        return WARN;
    if (own || entry->kept.lent || entry->kept.given_back)
        return LET_BE;
    int64_t grace_ms = run->booked_until_ms > 0 ? 0 : entry->openings->limits.grace_ms;
    return telling->now_ms >= bound->at_ms - grace_ms ? END : WARN;
}

static bool openings_nodes_gather (void *owner, const run_t *run)
{
    ended_runs_t *telling = owner;
    bool own = strcmp (run->reservation, telling->entry->reservation) == 0;
    if (!own && telling->bound->node == nodes_batch (telling->entry->openings->parts.nodes))
        return true;
    openings_nodes_told_t told =
      run->told_to_end ? LET_BE : openings_nodes_told_of (telling, run, own);
    if (told == LET_BE || (told == WARN && telling->bound->warned))
        return true;
    telling->list = must (reallocarray (telling->list, telling->count + 1, sizeof *telling->list));
    telling->list [telling->count].id = run->id;
    telling->list [telling->count].told = told;
    telling->list [telling->count++].why = own ? "its reservation has ended"
                                           : run->booked_until_ms > telling->bound->at_ms
                                             ? "a reservation needs its node (opening/clear = end)"
                                             : "its node is reserved";
    return true;
}

static void enforce (opening_entry_t *entry, const moment_t *now, bound_t *bound)
{
    openings_t *self = entry->openings;
    ended_runs_t telling = {
      .entry = entry, .bound = bound, .now_ms = opening_now_ms (entry, now), .list = NULL};
    nodes_runs (self->parts.nodes, bound->node, openings_nodes_gather, &telling);
    for (size_t i = 0; i < telling.count; i++) {
        const run_id_t *id = &telling.list [i].id;
        if (telling.list [i].told == END)
            nodes_end (self->parts.nodes, now, id, self->limits.grace_ms, telling.list [i].why);
        else
            nodes_warn (self->parts.nodes, now, id,
                        bound->at_ms > telling.now_ms ? bound->at_ms - telling.now_ms : 0);
    }
    bound->warned = true;
    free (telling.list);
}

/*  Its runs are jobs of a batch system, wherever that has put them. */
static void enforce_jobs (opening_entry_t *entry, const moment_t *now, size_t batch)
{
    bool warned = entry->kept.phase == OPENING_WARNED;
    bound_t all = {.node = batch,
                   .state = warned ? BOUND_LEAVING : BOUND_CLOSING,
                   .at_ms = entry->kept.until_ms};
    if (warned || entry->kept.phase == OPENING_CLOSING)
        enforce (entry, now, &all);
}

void opening_enforce (opening_entry_t *entry, const moment_t *now)
{
    size_t batch = nodes_batch (entry->openings->parts.nodes);
    if (batch != NODES_NONE)
        enforce_jobs (entry, now, batch);
    for (size_t i = 0; i < entry->kept.nodes_count; i++)
        if (nodes_at (entry->openings->parts.nodes, entry->kept.nodes [i].node).runs > 0)
            enforce (entry, now, &entry->kept.nodes [i]);
}

void opening_enforce_new (opening_entry_t *entry, const moment_t *now, size_t node)
{
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        if (entry->kept.nodes [i].node != node)
            continue;
        entry->kept.nodes [i].warned = false;
        enforce (entry, now, &entry->kept.nodes [i]);
    }
}
