/*  nodes - the machines of a site, their agents, and what runs on them (proto/nodes.proto).
 *
 *  Nodes are configured by name and class. An agent attends again and again; the answers say what
 *  is wanted, the questions tell how every run stands. An agent that has not asked for silent_ms
 *  is silent: its runs go on, nothing new is put there. One that was silent for lease_ms ends its
 *  runs by itself; lost_ms (> lease_ms) after its last word they count as lost here, its node as
 *  lost, and an observer hears of each. A node that returns is up again at once; of a run that
 *  counts as lost it hears that it is to end.
 *
 *  Registers the service Nodes, TABLE_NODES and TABLE_RUNS. What it says to observers is stored in
 *  the same write as what they put in answer. Pure.
 */
#ifndef MUSUBI_NODES_H
#define MUSUBI_NODES_H

#include "access.h"
#include "agent_session.h"
#include "runs.h"
#include "service.h"
#include "site.h"

typedef struct {
    uint32_t attend_ms;        /* an idle agent asks so often; 10 000 */
    uint32_t silent_ms;        /* 25 000 */
    uint32_t lease_ms;         /* 300 000 */
    uint32_t lost_ms;          /* lease_ms + 30 000 */
    uint32_t output_bytes_max; /* in one answer to Output; 262 144 */
    int64_t runs_kept_ms;      /* of those that are over; 24 h; 0 = until the observer has heard */
    uint32_t rest_ms; /* of a node that was unfit for a run, doubled each time; 5 000; 0 = none */
    uint32_t rest_ms_max; /* 300 000 */
} nodes_limits_t;

extern const nodes_limits_t nodes_limits_default;

#define NODES_PLACES_MAX     65536 /* of a site */
#define NODE_RUNS_MAX        1024  /* at one node, not over: what is said of them fits a message */
#define NODE_OUTPUTS_MAX     64    /* pieces of output that one node is asked for at once */
#define OUTPUT_WAIT_MS       10000 /* for one of them */
#define NODES_GRACE_MS       10000 /* for runs that nobody here knows, and such that were lost */
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

/*  All may be NULL. Called while an event is stepped; may call nodes_start, _warn, _end. */
typedef struct {
    void *owner;

    /*  A run has moved: claimed, running, over. Called at most once for each state, in order; of a
     *  run that is over exactly once, also across restarts: whoever keeps its result puts it now.
     */
    void (*run_moved) (void *owner, const moment_t *now, const run_t *run);

    /*  A node has moved: up, silent, lost, drained, resumed, rests, has rested. */
    void (*node_moved) (void *owner, const moment_t *now, size_t node);
} nodes_observer_t;

#define NODES_OBSERVERS_MAX 4

/*  Who binds nodes to reservations, for what is told to people. Both may be NULL. */
typedef struct {
    void *owner;

    /*  The reservation that a node is bound to now; NULL = none. */
    const char *(*reservation) (void *owner, size_t node);

    /*  After a node was drained or resumed, and the observers have heard: reservations that have
     *  too little now, at most so many. Borrowed until the next step. */
    size_t (*overbooked) (void *owner, const moment_t *now, const char **reservations, size_t most);
} nodes_binder_t;

typedef struct nodes nodes_t;

/*  Everything is borrowed for life, places and limits are copied. */
nodes_t *nodes_new (service_t *service, const site_t *site, const access_t *access,
                    const node_place_t *places, size_t places_count, const nodes_limits_t *limits);
void nodes_destroy (nodes_t **self_p);
void nodes_observe (nodes_t *self, const nodes_observer_t *observer);
void nodes_binder (nodes_t *self, const nodes_binder_t *binder);

/*  Nodes by index, ascending by class, then name; indices stay. */
size_t nodes_count (const nodes_t *self);
site_node_t nodes_at (const nodes_t *self, size_t node);
bool nodes_find (const nodes_t *self, const char *name, size_t *node);

/*  Can something new be put there: up, neither drained nor resting, and fewer than NODE_RUNS_MAX
 *  run. */
bool nodes_usable (const nodes_t *self, size_t node);

/*  A new run at a usable node, stored with this step; number as its owner counts. It must not have
 *  been started before. */
void nodes_start (nodes_t *self, const moment_t *now, size_t node, const run_id_t *id,
                  const run_order_t *order);

/*  Its end is near. Once is enough; nothing when it is over. */
void nodes_warn (nodes_t *self, const moment_t *now, const run_id_t *id, int64_t grace_ms);

/*  It must end, with so long between SIGTERM and SIGKILL. why is told with its end. A run that was
 *  placed and never claimed may end without having begun. */
void nodes_end (nodes_t *self, const moment_t *now, const run_id_t *id, int64_t grace_ms,
                const char *why);

/*  False when it is not known (any more). Borrows until the next step. */
bool nodes_run (const nodes_t *self, const run_id_t *id, run_t *run);

/*  Visit the runs of a node that are not over, ascending, until visit says false. */
void nodes_runs (const nodes_t *self, size_t node, bool (*visit) (void *owner, const run_t *run),
                 void *owner);

/*  Bytes of a run's output, from its node. told is called once, later or at once: data is borrowed,
 *  why is NULL or says why there is none. */
typedef void output_fn (void *owner, uint64_t token, bytes_t data, uint64_t size, const char *why);
void nodes_output (nodes_t *self, const moment_t *now, const run_id_t *id, bool errors,
                   uint64_t offset, uint32_t most, output_fn *told, void *owner, uint64_t token);

#endif
