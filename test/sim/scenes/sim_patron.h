/*  sim_patron - a user who has work for a site: submits bags of tasks to its queue and to
 *  reservations that he makes there as a planner would, cancels some, leaves some early, and asks
 *  how his tasks are.
 *
 *  He keeps his word as a coordinator: he commits what was prepared for him, and says so to every
 *  participant that asks. What he was told outlives his lives; a task that he was told is over
 *  stays over, and as it was told.
 */
#ifndef MUSUBI_SIM_PATRON_H
#define MUSUBI_SIM_PATRON_H

#include "runs.h"
#include "sim.h"
#include "sim_machine.h"
#include "sim_wire_tasks.h"

#define PATRON_BAGS_MAX         24
#define PATRON_RESERVATIONS_MAX 6
#define PATRON_CALLS_MAX        32
#define PATRON_NODES_MAX        8

typedef struct {
    sim_bag_t asked;
    uint64_t number; /* 0 = not told yet */
    bool refused;
    bool cancelled;                            /* part of it may be there */
    sim_told_task_t tasks [SIM_BAG_TASKS_MAX]; /* as told last */
} patron_bag_t;

typedef enum {
    COMMAND_UNUSED,
    COMMAND_ASKED, /* to be held and prepared */
    COMMAND_KEPT,  /* prepared: it is committed, whoever has heard of that */
    COMMAND_DONE,
    COMMAND_GONE, /* refused: it is aborted */
} patron_command_state_t;

typedef struct {
    patron_command_state_t state;
    txid_t txid;
    int64_t decide_by_ms;
} patron_command_t;

static inline bool patron_command_open (const patron_command_t *self)
{
    return self->state == COMMAND_ASKED || self->state == COMMAND_KEPT;
}

/*  What he does with a reservation, one after another. */
typedef enum { STEP_MAKE, STEP_CHANGE, STEP_LEAVE, STEPS } patron_step_t;

typedef struct {
    char name [8];
    const char *class_name;
    uint32_t nodes;
    uint32_t cpus;
    int64_t from_ms; /* wall */
    int64_t until_ms;
    uint32_t changed_nodes; /* as he wants it changed */
    int64_t changed_until_ms;
    patron_command_t commands [STEPS];
} patron_reservation_t;

typedef enum {
    ACTION_SUBMIT,
    ACTION_TASKS,
    ACTION_CANCEL,
    ACTION_DRAIN,
    ACTION_STEP, /* the first; + STEP_… */
} patron_action_t;

/*  Outlives the core's lives; fill in what is marked. */
typedef struct {
    sim_t *sim;                     /* in */
    int site;                       /* in: its process */
    const sim_machines_t *machines; /* in: of the site */
    prng_t prng;                    /* in */
    bool quiet;                     /* in: nothing new is begun from then on */
    size_t files; /* in: his tasks use the files in-0, in-1 … so many, and make some; 0 = none */
    char names [PATRON_BAGS_MAX][16];     /* of the outputs of each bag */
    const char *nodes [PATRON_NODES_MAX]; /* in: of the site, to be drained */
    size_t nodes_count;                   /* in */
    uint32_t thin_cpus;                   /* in: of a node of class thin, and of class fat */
    uint32_t fat_cpus;                    /* in */
    bool drained [PATRON_NODES_MAX];      /* as he wants them */
    bool drain_told [PATRON_NODES_MAX];   /* as the site has answered */
    patron_bag_t bags [PATRON_BAGS_MAX];
    size_t bags_count;
    patron_reservation_t reservations [PATRON_RESERVATIONS_MAX];
    size_t reservations_count;
    struct {
        uint64_t call; /* 0 = none */
        patron_action_t action;
        size_t at;
    } calls [PATRON_CALLS_MAX]; /* that are open */
    uint64_t calls_made;
    uint64_t txids;
    char name [NAME_BYTES_MAX + 1]; /* "planner/…", from its store */
    char address [SIM_ADDRESS_BYTES];
    store_identity_t store;
    struct outbox *outbox;
} sim_patron_t;

void sim_patron_make (void *owner, core_t *core);

/*  What he answers about a transaction, as its coordinator. */
outcome_t sim_patron_outcome (const sim_patron_t *self, const txid_t *txid);

/*  What he knows of a run's task; NULL when he was told nothing of that bag. */
const sim_told_task_t *sim_patron_told (const sim_patron_t *self, const run_id_t *run);

/*  False when there is none of that name. */
bool sim_patron_reservation (const sim_patron_t *self, const char *name,
                             const patron_reservation_t **found);

/*  True when everything that he has begun was answered, and he was told that all his tasks are
 *  over. */
bool sim_patron_settled (const sim_patron_t *self, char why [LONG_WHY_BYTES]);

#endif
