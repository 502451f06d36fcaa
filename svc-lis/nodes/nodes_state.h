/*  nodes_state - what the files of nodes share: the nodes, their runs, and pieces of output that
 *  are awaited.
 *
 *  For nodes*.c only: nodes.c finds, drains and loads nodes; nodes_sessions.c takes agents'
 *  questions and decides on the answers; nodes_runs.c moves runs; nodes_backoff.c spares nodes that
 *  could not start a run; nodes_output.c fetches output; nodes_batch.c follows a batch system.
 */
#ifndef MUSUBI_NODES_STATE_H
#define MUSUBI_NODES_STATE_H

#include "nodes.h"
#include "nodes_wire.h"
#include "ordered.h"

#define NODE_NONE NODES_NONE

/*  A run; it owns its strings and its order. */
typedef struct {
    stored_run_t kept;
    size_t node;            /* NODE_NONE: not configured any more */
    bool told;              /* an answer with its order may have left */
    uint64_t suspend_after; /* answers behind this one tell its agent whether to suspend it */
    bool suspended_told;    /* since that was wished; to observers */
    bool orphan;            /* its agent, or this site, has lost the store that knew it; */
    int64_t lost_at_ms;     /* mono: it counts as lost then */
} node_run_t;

/*  A machine. */
typedef struct {
    agent_session_t agent; /* the first member */
    char name [NAME_BYTES_MAX + 1];
    size_t class;
    bool drained;
    ordered_t *runs; /* of node_run_t, not over */
    uint32_t cpus_used;
    machine_state_t machine;
    bool transferring;

    char storage [NAME_BYTES_MAX + 1]; /* the storage node on its machine; "" = none, or not told */

    run_report_t *reports; /* from the agent's last question, ascending */
    size_t reports_count;

    const batch_node_t *told; /* in the picture; NULL = nothing there */
    bool taken_out;           /* drained there */
    int64_t unheard_since_ms; /* mono: its batch system answers, and tells it as silent; 0 = no */

    uint64_t rest_timer; /* it gets no new runs until then; 0 = it does not rest */
    uint32_t rest_ms;    /* the length of its last rest; 0 = a run has begun there since */
    char rest_why [RUN_WHY_BYTES_MAX + 1];

    bool dirty; /* its agent may have to be told something at the end of this step */
} node_state_t;

struct nodes {
    service_t *service;
    const site_t *site;
    const access_t *access;
    nodes_limits_t limits;
    node_state_t *places;
    size_t places_count;
    ordered_t *by_name; /* of node_state_t */
    ordered_t *runs;    /* of node_run_t: all */
    ordered_t *kept;    /* of node_run_t that are over, by the time of their end */
    ordered_t *orphans; /* by lost_at_ms */
    uint64_t kept_timer;
    uint64_t orphans_timer;
    uint64_t settle_timer; /* at the end of this step */
    size_t *dirty;         /* places */
    size_t dirty_count;
    run_id_t *unbegun; /* runs that are to end and that no agent has heard of */
    size_t unbegun_count;
    size_t unbegun_room;
    agent_sessions_t agents;
    nodes_observer_t observers [NODES_OBSERVERS_MAX];
    size_t observers_count;
    nodes_binder_t binder;
    size_t batch;             /* the place of the batch system */
    batch_picture_t *picture; /* NULL = it has told none yet */
    bool unseen;              /* nobody has ever seen it */
    ordered_t *outputs;       /* pieces that somebody waits for, by number */
    uint64_t outputs_asked;
};

/*  --- nodes.c --- */

node_run_t *nodes_entry (const nodes_t *self, const run_id_t *id);
void nodes_place_store (nodes_t *self, size_t node);
void nodes_tell_place (nodes_t *self, const moment_t *now, size_t node);

/*  Answers to people. */
packed_t nodes_answer_encode (const nodes_t *self, const nodes_question_t *asked);
packed_t drain_answer_encode (const char **overbooked, size_t count);

/*  At the end of this step it is decided whether the node's agent has to be told something. */
void nodes_dirty (nodes_t *self, const moment_t *now, size_t node);

/*  --- nodes_sessions.c --- */

void nodes_attend_start (nodes_t *self, const moment_t *now);
void nodes_on_attend (void *owner, const moment_t *now, const request_t *request, void *body);

/*  --- nodes_runs.c --- */

void nodes_runs_init (nodes_t *self);
void nodes_runs_load (void *owner, bytes_t key, bytes_t value);
void nodes_runs_start (nodes_t *self, const moment_t *now);
void nodes_runs_end (nodes_t *self);

/*  Takes an agent's report of a run that it was given. */
void nodes_run_heard (nodes_t *self, const moment_t *now, node_run_t *entry,
                      const run_report_t *report);
void nodes_run_lose (nodes_t *self, const moment_t *now, node_run_t *entry, const char *why);

/*  The run's agent or this site has lost its store, so nothing more will be heard of the run: it is
 *  lost at lost_at_ms. */
void nodes_run_orphan (nodes_t *self, const moment_t *now, node_run_t *entry, int64_t lost_at_ms);

/*  Ends the runs that are to end and that no agent has heard of. */
void nodes_runs_settle (nodes_t *self, const moment_t *now);

/*  --- nodes_batch.c --- */

/*  Takes over what the agent has told; or lets the places follow the silence of their agent. */
void nodes_batch_take (nodes_t *self, const moment_t *now, batch_picture_t **picture);
void nodes_batch_follow (nodes_t *self, const moment_t *now);
void nodes_batch_start (nodes_t *self);
void nodes_batch_load (nodes_t *self, stored_node_t *kept);
void nodes_picture_forget (nodes_t *self);

/*  --- nodes_backoff.c --- */

void nodes_rest (nodes_t *self, const moment_t *now, size_t node, const char *why);

/*  --- nodes_output.c --- */

/*  The pieces that are awaited from a node, at most NODE_OUTPUTS_MAX. */
size_t nodes_outputs_wanted (const nodes_t *self, size_t node, wanted_output_t *wanted);
void nodes_on_bring (void *owner, const moment_t *now, const request_t *request, void *body);
void nodes_outputs_init (nodes_t *self);
void nodes_outputs_end (nodes_t *self);

#endif
