/*  agent_state - what the files of agent share, and what is kept. */
#ifndef MUSUBI_AGENT_STATE_H
#define MUSUBI_AGENT_STATE_H

#include "agent.h"
#include "agent_poll.h"
#include "node_work.h"
#include "nodes_wire.h"
#include "ordered.h"
#include "service.h"

/*  What is kept of a run. */
typedef struct {
    uint8_t site [STORE_ID_BYTES];
    run_id_t id;
    run_order_t *order; /* NULL: it is over */
    bool over;
    run_report_t end; /* then */
} agent_record_t;
extern const codec_t agent_record_codec;

#define AGENT_KEY_BYTES (STORE_ID_BYTES + RUN_KEY_BYTES)
void agent_key_pack (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                     uint8_t key [AGENT_KEY_BYTES]);

/*  A run that was claimed here, or that the site asks about. */
typedef struct {
    agent_record_t record;
    uint8_t key [AGENT_KEY_BYTES];
    char name [RUN_NAME_BYTES_MAX + 1];
    bool stored;
    run_report_t report; /* as it stands; over: what the record says */
    bool wanted;         /* its site has spoken of it in this start, as follows */
    run_wish_t wish;
    int64_t grace_ms;
    bool mentioned; /* in the answer that is being carried out */
    bool warned;    /* its starter knows */
    bool ended;     /* its starter knows that it is to end, with ended_grace_ms */
    int64_t ended_grace_ms;
    int64_t ended_by_ms; /* mono: by then it should be over */
    uint64_t work;       /* ordered for it and not done; 0 = none */
    bool failed;         /* that work: it waits for the next try */
} agent_run_t;

typedef enum { WORK_RUN, WORK_LOOK, WORK_READ, WORK_OTHER } ordered_kind_t;

/*  Work that was ordered and is not done. */
typedef struct {
    uint64_t number;
    ordered_kind_t kind;
    uint8_t key [AGENT_KEY_BYTES]; /* of the run; WORK_RUN only */
    bool ends;                     /* run_signal, with grace_ms */
    bool warns;
    bool looks; /* for a claim that is not there */
    int64_t grace_ms;
    uint64_t output; /* WORK_READ: as the site numbers it */
} ordered_work_t;

typedef struct {
    service_t *service;
    agent_settings_t settings;
    ordered_t *runs;  /* of agent_run_t, by site and id */
    size_t open;      /* of those, not over */
    ordered_t *works; /* ordered_work_t that are not done, by number */
    uint64_t works_ordered;

    agent_poll_t *agent_poll; /* its site */
    char site_name [NAME_BYTES_MAX + 1];
    int64_t lease_ms;       /* as last told */
    int64_t lease_until_ms; /* mono: may go on without another word; 0 = no word yet */
    int64_t leased_ms;      /* as last written for the starters */
    uint64_t again_timer;
    uint64_t look_timer;
    uint64_t prune_timer;
} agent_t;

/*  --- agent_runs.c --- */

void agent_runs_init (agent_t *self);
void agent_runs_start (agent_t *self, const moment_t *now);
void agent_runs_end (agent_t *self);

/*  Carry out what the site wants; orders are taken over. */
void agent_runs_want (agent_t *self, const moment_t *now, wanted_t *wanted);

/*  What is said of runs; the caller frees it. */
run_report_t *agent_runs_report (const agent_t *self, size_t *count);

/*  --- agent_work.c --- */

void agent_order (agent_t *self, const char *kind, const work_order_t *order,
                  const ordered_work_t *note);
bool agent_on_work (void *owner, const moment_t *now, const event_t *event);

/*  Is such a piece of work under way? output: of WORK_READ, else 0. */
bool agent_awaits (const agent_t *self, ordered_kind_t kind, uint64_t output);

/*  What work has found out; ok: it could be done. In agent_runs.c. */
void agent_run_done (agent_t *self, const moment_t *now, const ordered_work_t *note, bool ok);
void agent_run_stands (agent_t *self, const moment_t *now, const stand_t *stand);

#endif
