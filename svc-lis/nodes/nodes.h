/*  nodes - the machines of a site, their agents, and what runs on them (proto/nodes.proto).
 *
 *  Nodes are configured by name and class. The agent of a node asks again and again: its questions
 *  tell how every run stands, the answers tell what is wanted. An agent that has not asked for
 *  silent_ms is silent: its runs go on, but its node gets no new ones. After lease_ms without an
 *  answer it ends its runs by itself. lost_ms after its last question (longer than lease_ms) the
 *  site counts the node and its runs as lost, and tells its observers so. A node that returns is up
 *  again at once, and is told to end the runs that count as lost.
 *
 *  A batch system is one more place, of no class, whose agent tells a picture of all the others
 *  (batch_picture.h). These have no agents: they are up, lost or drained as the picture says, and
 *  silent while their agent is silent or the batch system does not answer; one that it has not
 *  heard is silent, too, and lost after lost_ms of that. All runs are at that one place, and none
 *  is ever lost for silence: the batch system goes on without us.
 *
 *  Registers the service Nodes, TABLE_NODES and TABLE_RUNS. What observers store when they are told
 *  of a move goes to disk in the same write as the move. Pure.
 */
#ifndef MUSUBI_NODES_H
#define MUSUBI_NODES_H

#include "access.h"
#include "agent_session.h"
#include "batch_picture.h"
#include "runs.h"
#include "service.h"
#include "site.h"
#include "site_settings.h"

typedef struct {
    uint32_t attend_ms; /* the longest time between two questions */
    uint32_t silent_ms;
    uint32_t lease_ms;
    uint32_t lost_ms;
    uint32_t output_bytes_max; /* in one answer to Output */
    int64_t runs_kept_ms;      /* how long runs that are over are kept; 0 = until the observers
                                  have heard */
    uint32_t rest_ms; /* how long a node gets no runs after it was unfit for one; doubles each time;
                         0 = not at all */
    uint32_t rest_ms_max;
    clear_t clear; /* of jobs in a batch system that are in the way of reservations */
} nodes_limits_t;

/*  What a site's file says, and all that it can't say; clear is CLEAR_WAIT. */
nodes_limits_t nodes_limits_of (const nodes_terms_t *terms);

#define NODES_PLACES_MAX     65536 /* of a site */
#define NODE_RUNS_MAX        1024  /* at one node and not over, so that all of them fit a message */
#define NODE_OUTPUTS_MAX     64    /* pieces of output that one node is asked for at once */
#define OUTPUT_WAIT_MS       10000 /* how long one of those pieces is awaited */
#define NODES_GRACE_MS       10000 /* for runs that the site does not know, or counts as lost */
#define NODES_LIST_MAX       4096  /* nodes in one answer */
#define NODES_OVERBOOKED_MAX 4096

/*  What its agent has last told of a machine; 0 = nothing yet. */
typedef struct {
    uint64_t memory; /* bytes that are free */
    uint64_t disk;   /* bytes that are free where runs have their folders */
    double load;     /* runnable processes, mean of a minute */
} machine_state_t;

/*  A node as it is configured. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    size_t class; /* index in site.classes; their number: this is the batch system */
} node_place_t;

typedef struct {
    const char *name;
    size_t class;
    uint32_t cpus;      /* cpus_per_node of its class; 0 of a batch system */
    uint32_t cpus_used; /* by runs that are not over; or busy, as the batch system says */
    uint32_t runs;      /* that are not over */
    agent_state_t state;
    bool drained;
    machine_state_t machine;
    const char *storage; /* the storage node on its machine; "" = none, or its agent has not told */
    const char *why;     /* what its batch system says of it, or why that does not answer; or "" */
    int64_t busy_until_ms; /* of its jobs there, as batch_node_t */
    int64_t firm_until_ms;
    int64_t busy_since_ms;
} site_node_t;

/*  Any function may be NULL. They are called while an event is stepped, and may call
 *  nodes_start, _warn and _end. */
typedef struct {
    void *owner;

    /*  A run is claimed, running or over now. Called in that order, at most once for each state; of
     *  a run that is over exactly once, also across restarts, so an observer stores the result when
     *  it is told.
     */
    void (*run_moved) (void *owner, const moment_t *now, const run_t *run);

    /*  A run is suspended now, or no longer, as its agent tells; or it still is, after it was to go
     *  on and then, before its agent heard of that, to be suspended again. */
    void (*run_suspended) (void *owner, const moment_t *now, const run_t *run);

    /*  A node is up, silent, lost, drained, resumed, given no new runs for a while, or given runs
     *  again. A batch system's place: it has told a picture, or is silent, or answers again. */
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

/*  The place of the site's batch system; NODES_NONE: its nodes have agents of their own. */
#define NODES_NONE SIZE_MAX
size_t nodes_batch (const nodes_t *self);

/*  What the batch system has told last; NULL = nothing since this start. Borrows until the next
 *  step. nodes_batch_silent: why it does not answer; NULL = it does, or there is none. */
const batch_picture_t *nodes_picture (const nodes_t *self);
const char *nodes_batch_silent (const nodes_t *self);

/*  Was it never seen, by any agent since the store is there? Then nobody knows which nodes there
 *  are. */
bool nodes_batch_unseen (const nodes_t *self);

/*  Have others in the batch system the node within [from_ms, until_ms), as far as it has told?
 *  jobs: those that don't make way count, too. */
bool nodes_booked (const nodes_t *self, size_t node, int64_t from_ms, int64_t until_ms, bool jobs);

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

/*  Suspends a run that is not over: SIGSTOP to all its processes, until it is resumed or ended. Its
 *  wall time goes on, its processor time and its limit stand still. It counts as suspended once its
 *  agent has told so; observers hear of that. A run that no agent has claimed is begun first. Its
 *  node is booked for it until booked_until_ms, from now on. */
void nodes_suspend (nodes_t *self, const moment_t *now, const run_id_t *id, bool suspend,
                    int64_t booked_until_ms);

/*  Says whether inputs of a task are on their way to the node, or outputs from it: the half of its
 *  phase that people are told and that its runs do not show. */
void nodes_transferring (nodes_t *self, size_t node, bool transferring);

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
