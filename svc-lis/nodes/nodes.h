/*  nodes - the machines of a site, their agents, and what runs on them (proto/nodes.proto).
 *
 *  Nodes are configured by name and class. The agent of a node asks again and again: its questions
 *  tell how every run stands, the answers tell what is wanted. An agent that has not asked for
 *  silent_ms is silent: its runs go on, but its node gets no new ones. After lease_ms without an
 *  answer it ends its runs by itself. lost_ms after its last question (longer than lease_ms) the
 *  site counts the node and its runs as lost, and tells its observers so. A node that returns is up
 *  again at once, and is told to end the runs that count as lost.
 *
 *  Registers the service Nodes, TABLE_NODES and TABLE_RUNS. What observers store when they are told
 *  of a move goes to disk in the same write as the move. Pure.
 */
#ifndef MUSUBI_NODES_H
#define MUSUBI_NODES_H

#include "access.h"
#include "agent_session.h"
#include "runs.h"
#include "service.h"
#include "site.h"

typedef struct {
    uint32_t attend_ms;        /* the longest time between two questions; 10 000 */
    uint32_t silent_ms;        /* 25 000 */
    uint32_t lease_ms;         /* 300 000 */
    uint32_t lost_ms;          /* lease_ms + 30 000 */
    uint32_t output_bytes_max; /* in one answer to Output; 262 144 */
    int64_t runs_kept_ms;      /* how long runs that are over are kept; 24 h; 0 = until the
                                  observers have heard */
    uint32_t rest_ms; /* how long a node gets no runs after it was unfit for one; doubles each time;
                         5 000; 0 = not at all */
    uint32_t rest_ms_max; /* 300 000 */
} nodes_limits_t;

extern const nodes_limits_t nodes_limits_default;

#define NODES_PLACES_MAX     65536 /* of a site */
#define NODE_RUNS_MAX        1024  /* at one node and not over, so that all of them fit a message */
#define NODE_OUTPUTS_MAX     64    /* pieces of output that one node is asked for at once */
#define OUTPUT_WAIT_MS       10000 /* how long one of those pieces is awaited */
#define NODES_GRACE_MS       10000 /* for runs that the site does not know, or counts as lost */
#define NODES_LIST_MAX       4096  /* nodes in one answer */
#define NODES_OVERBOOKED_MAX 4096

/*  A node as it is configured. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    size_t class; /* index in site.classes */
} node_place_t;

typedef struct {
    const char *name;
    size_t class;
    uint32_t cpus;      /* cpus_per_node of its class */
    uint32_t cpus_used; /* by runs that are not over */
    uint32_t runs;      /* that are not over */
    agent_state_t state;
    bool drained;
} site_node_t;

/*  Either function may be NULL. They are called while an event is stepped, and may call
 *  nodes_start, _warn and _end. */
typedef struct {
    void *owner;

    /*  A run is claimed, running or over now. Called in that order, at most once for each state; of
     *  a run that is over exactly once, also across restarts, so an observer stores the result when
     *  it is told.
     */
    void (*run_moved) (void *owner, const moment_t *now, const run_t *run);

    /*  A node is up, silent, lost, drained, resumed, given no new runs for a while, or given runs
     *  again. */
    void (*node_moved) (void *owner, const moment_t *now, size_t node);
} nodes_observer_t;

#define NODES_OBSERVERS_MAX 4

/*  Asks whoever binds nodes to reservations, to answer people. Either function may be NULL. */
typedef struct {
    void *owner;

    /*  The reservation that a node is bound to now; NULL = none. */
    const char *(*reservation) (void *owner, size_t node);

    /*  After a node was drained or resumed and the observers were told: the reservations that have
     *  too few nodes now, at most `most`. Borrowed until the next step. */
    size_t (*overbooked) (void *owner, const moment_t *now, const char **reservations, size_t most);
} nodes_binder_t;

typedef struct nodes nodes_t;

/*  All pointers are borrowed for life, but places and limits are copied. */
nodes_t *nodes_new (service_t *service, const site_t *site, const access_t *access,
                    const node_place_t *places, size_t places_count, const nodes_limits_t *limits);
void nodes_destroy (nodes_t **self_p);
void nodes_observe (nodes_t *self, const nodes_observer_t *observer);
void nodes_binder (nodes_t *self, const nodes_binder_t *binder);

/*  Nodes have fixed indices: ascending by class, then by name. */
size_t nodes_count (const nodes_t *self);
site_node_t nodes_at (const nodes_t *self, size_t node);
bool nodes_find (const nodes_t *self, const char *name, size_t *node);

/*  Can a new run be put there? The node must be up, neither drained nor resting, and have fewer
 *  than NODE_RUNS_MAX runs. */
bool nodes_usable (const nodes_t *self, size_t node);

/*  Starts a new run at a usable node; it is stored with this step. Its owner counts the tries of a
 *  task, so that no id is used twice. */
void nodes_start (nodes_t *self, const moment_t *now, size_t node, const run_id_t *id,
                  const run_order_t *order);

/*  Warns a run that its end is near. Only the first warning counts; nothing happens to a run that
 *  is over. */
void nodes_warn (nodes_t *self, const moment_t *now, const run_id_t *id, int64_t grace_ms);

/*  Ends a run, with grace_ms between SIGTERM and SIGKILL; why is told with its end. A run that no
 *  agent has claimed may end without having begun. */
void nodes_end (nodes_t *self, const moment_t *now, const run_id_t *id, int64_t grace_ms,
                const char *why);

/*  False when the site has no record of the run, or no longer has one. Borrows until the next
 *  step. */
bool nodes_run (const nodes_t *self, const run_id_t *id, run_t *run);

/*  Visits the runs of a node that are not over, in the order of their ids, until visit says
 *  false. */
void nodes_runs (const nodes_t *self, size_t node, bool (*visit) (void *owner, const run_t *run),
                 void *owner);

/*  Fetches a piece of a run's output from its node. told is called once, now or later; data is
 *  borrowed; why is NULL, or says why there is no data. */
typedef void output_fn (void *owner, uint64_t token, bytes_t data, uint64_t size, const char *why);
void nodes_output (nodes_t *self, const moment_t *now, const run_id_t *id, bool errors,
                   uint64_t offset, uint32_t most, output_fn *told, void *owner, uint64_t token);

#endif
