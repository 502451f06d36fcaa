/*  sim_tally - how often each kind of message met each kind of fault, and how transactions ended.
 *
 *  A plain block without pointers, so that worker processes can share one with their parent.
 */
#ifndef MUSUBI_SIM_TALLY_H
#define MUSUBI_SIM_TALLY_H

#include "sim_message.h"

#include <stdio.h>

typedef enum {
    FAULT_NONE,      /* counts every message that left */
    FAULT_LOST,      /* by the network */
    FAULT_CUT,       /* sent across a cut */
    FAULT_DELAYED,   /* far beyond the usual */
    FAULT_DOUBLED,   /* came twice */
    FAULT_REORDERED, /* overtaken by one sent later */
    FAULT_DEAD,      /* came to a process that was down */
    FAULT_UNFLUSHED, /* was taken up, the receiver died before the flush */
    FAULT_FLUSHED,   /* was taken up, the receiver died after the flush before all had left */
    FAULT_UNSENT,    /* its sender died after the flush and before it could leave */
    FAULT_KINDS
} fault_kind_t;

/*  How transactions and processes fared. */
typedef enum {
    COUNT_SCHEDULES,
    COUNT_NETWORKED, /* committed, with network domains */
    COUNT_STEPS,
    COUNT_CRASHES,
    COUNT_COMMITTED,
    COUNT_BACKTRACKED, /* committed, planned by bbr or bir */
    COUNT_PROGRAMMED,  /* committed, planned by ip */
    COUNT_REFUSED,
    COUNT_DOUBT, /* commands whose participant asked for the outcome, not told by the coordinator */
    COUNT_EDGES, /* commands that passed their edge */
    COUNT_LATE,  /* commits admitted again after the edge */
    COUNT_REPAIRED,          /* transactions whose repair has come to its end */
    COUNT_TAKEN_BACK,        /* changes told refused after a part was refused: all is as before */
    COUNT_MENDED,            /* requests told committed, with a part refused at its edge */
    COUNT_RESTS,             /* parts given back late by participants silent at their release */
    COUNT_TAKEN_OVER,        /* stores of dead planners settled by a finisher */
    COUNT_CONFLICTS,         /* same request id with another body: told that this is a conflict */
    COUNT_EXPIRED,           /* holds that ended by themselves */
    COUNT_CONNECTIONS,       /* paths committed, of any version */
    COUNT_ROOMS,             /* data and space needs of a version that had their room */
    COUNT_CROSSINGS,         /* paths committed over two domains or more */
    COUNT_PHASES,            /* needs changed while they lasted */
    COUNT_PROVISIONED,       /* circuits told that they may be used */
    COUNT_LOWERED,           /* links that were made to carry less */
    COUNT_SMALLER,           /* sites and disks that came back with less */
    COUNT_LACKING,           /* reservations for which there was too little then, and at the end */
    COUNT_DISAGREED,         /* schedules in which domains describe a point differently */
    COUNT_SETTLED_COMMITTED, /* told to an administrator who settled by a fence */
    COUNT_SETTLED_ABORTED,
    COUNT_FENCED,    /* decisions overruled by a fence */
    COUNT_ROWS,      /* rows of ledgers, replayed */
    COUNT_PLUS,      /* changes that a site committed by itself, by its plus interface */
    COUNT_AMBUSHED,  /* participants cut off or killed after a vote or at a decision */
    COUNT_FORGOTTEN, /* homes that lost their stores, and were asked for every request again */
    COUNT_TASKS,     /* tasks of bags that have ended (site_scene.h) */
    COUNT_TASKS_LOST,
    COUNT_RUNS,         /* runs begun at machines */
    COUNT_OPENED,       /* reservations that were committed, to be opened on nodes */
    COUNT_RECEIVED,     /* copies that storage nodes were told to have received (chain_scene.h) */
    COUNT_SKIPPED,      /* feeders that did not answer and were put to the tail */
    COUNT_SLOW,         /* receivers put to the tail because they held up others */
    COUNT_MOVED,        /* tasks that a balancer has moved (coalition_scene.h) */
    COUNT_ASIDE,        /* members that the balancer has set aside */
    COUNT_PROMISES,     /* jobs whose owners were promised a time */
    COUNT_WRONG,        /* files whose bytes had all come and were wrong */
    COUNT_CHUNKS_WRONG, /* files whose bytes were found wrong as they came */
    COUNT_FED,          /* runs begun with inputs (task_checks.h) */
    COUNT_SUSPENDED,    /* how often a run was suspended */
    COUNT_OUTPUTS,      /* outputs of tasks that became files */
    COUNTS
} count_kind_t;

#define TALLY_ROWS_MAX 128

typedef struct {
    struct {
        char name [80]; /* "Participant.Hold request" */
        uint64_t met [FAULT_KINDS];
    } rows [TALLY_ROWS_MAX];
    size_t rows_count;
    uint64_t counts [COUNTS];
} sim_tally_t;

void sim_tally_message (sim_tally_t *self, const sim_message_t *message, fault_kind_t fault);

/*  Adds the counts of another tally. */
void sim_tally_merge (sim_tally_t *self, const sim_tally_t *other);

/*  The tables, rows ascending by name. */
void sim_tally_print (sim_tally_t *self, FILE *out);

#endif
