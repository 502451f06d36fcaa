/*  agent_state - what the files of the agent share. */
#ifndef MUSUBI_AGENT_STATE_H
#define MUSUBI_AGENT_STATE_H

#include "agent.h"
#include "agent_poll.h"
#include "node_work.h"
#include "nodes_wire.h"
#include "ordered.h"
#include "service.h"

/*  What is stored of a run. */
typedef struct {
    uint8_t site [STORE_ID_BYTES];
    run_id_t id;
    run_order_t *order; /* NULL: it is over */
    bool over;
    run_report_t end; /* of one that is over */
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
    run_report_t report; /* how it stands; of a run that is over, as its record says */
    bool wanted;         /* its site has named it since our start, with what follows */
    run_wish_t wish;
    int64_t grace_ms;
    bool mentioned; /* it is named in the answer that is being carried out */
    bool warned;    /* its starter has been told */
    bool suspended; /* its starter has been told so, or has told so */
    bool resumes;   /* its last work told it to go on: until that is done it may stand or run */
    bool ended;     /* its starter has been told to end it, with ended_grace_ms */
    int64_t ended_grace_ms;
    int64_t ended_by_ms; /* mono: by then it should be over */
    uint64_t work;       /* ordered for it and not done; 0 = none */
    bool failed;         /* that work has failed, and waits for the next try */
    bool queued;         /* a job in the batch system's queue, as last seen */
} agent_run_t;

typedef enum { WORK_RUN, WORK_LOOK, WORK_MACHINE, WORK_READ, WORK_OTHER } ordered_kind_t;

/*  Work that was ordered and is not done. */
typedef struct {
    uint64_t number;
    ordered_kind_t kind;
    uint8_t key [AGENT_KEY_BYTES]; /* of the run; WORK_RUN only */
    bool starts;                   /* run_start */
    bool ends;                     /* run_signal, with grace_ms */
    bool warns;
    bool suspends;
    bool tells; /* its starter both of these */
    bool looks; /* for a claim that is not there */
    int64_t grace_ms;
    uint64_t output; /* WORK_READ: the site's number of it */
} ordered_work_t;

typedef struct {
    service_t *service;
    agent_settings_t settings;
    ordered_t *runs;   /* of agent_run_t, by site and id */
    size_t open;       /* of those, not over */
    size_t starts;     /* run_start under way */
    size_t starts_max; /* of those, with a batch system: one when the last one has failed */
    ordered_t *works;  /* ordered_work_t that are not done, by number */
    uint64_t works_ordered;

    agent_poll_t *agent_poll; /* its site */
    char site_name [NAME_BYTES_MAX + 1];
    int64_t lease_ms;       /* as the site has last told */
    int64_t lease_until_ms; /* mono: until when runs may go on without another answer; 0 = there was
                               no answer yet */
    int64_t leased_ms;      /* as was last written for the starters */
    uint64_t again_timer;
    uint64_t look_timer;
    uint64_t prune_timer;
    uint64_t machine_timer;
    machine_state_t machine;
    batch_picture_t
      *batch; /* of a batch system, as it was last seen; NULL = it was never looked at */
    int64_t
      batch_asked_ms; /* mono: the look that is under way, or the last one, was ordered then */
} agent_t;

/*  --- agent_runs.c --- */

void agent_runs_init (agent_t *self);
void agent_runs_start (agent_t *self, const moment_t *now);
void agent_runs_end (agent_t *self);

/*  Carries out what the site wants, and takes over the orders in it. */
void agent_runs_want (agent_t *self, const moment_t *now, wanted_t *wanted);

/*  The reports of all runs; the caller frees them. */
run_report_t *agent_runs_report (const agent_t *self, size_t *count);

/*  --- agent_work.c --- */

void agent_order (agent_t *self, const char *kind, const work_order_t *order,
                  const ordered_work_t *note);
bool agent_on_work (void *owner, const moment_t *now, const event_t *event);

/*  Is work of this kind under way? output: the number of that of WORK_READ, else 0. */
bool agent_awaits (const agent_t *self, ordered_kind_t kind, uint64_t output);

/*  Take what work has found out; ok: it could be done. In agent_runs.c. */
void agent_run_done (agent_t *self, const moment_t *now, const ordered_work_t *note, bool ok);
void agent_run_stands (agent_t *self, const moment_t *now, const stand_t *stand);

/*  --- agent_batch.c --- */

/*  Orders a look at the batch system, unless one is under way: that may be late. */
void agent_batch_look (agent_t *self, const moment_t *now);

/*  The batch system was looked at; takes the picture over. why: it has not answered. */
void agent_batch_seen (agent_t *self, const moment_t *now, batch_picture_t **picture);
void agent_batch_silent (agent_t *self, const moment_t *now, const char *why);
void agent_batch_end (agent_t *self);

#endif
