/*  commit_trial - one small federation that commits over three participants, by Musubi's own cores
 *  or by a rival's, with a fault at a chosen point; and what came of it.
 */
#ifndef MUSUBI_COMMIT_TRIAL_H
#define MUSUBI_COMMIT_TRIAL_H

#include "gis.h"
#include "lis.h"
#include "planner.h"
#include "rival.h"
#include "sim_client.h"

#define TRIAL_PARTICIPANTS 3
#define TRIAL_TXNS_MAX     16
#define TRIAL_WINDOW_MS    INT64_C (3600000)
#define TRIAL_CUT_MS       60000
#define TRIAL_TAKEN_MS     60000 /* time after which a dead planner's store is noticed */

typedef enum {
    WAY_OURS,
    WAY_OURS_TAKEN, /* and another planner takes the store over */
    WAY_PLAIN,
    WAY_THREE,
    WAY_PAXOS_1, /* three acceptors */
    WAY_PAXOS_2, /* five */
    WAYS
} commit_way_t;

/*  Where the coordinator dies: after a round's first message has left, or after all of them. */
typedef enum {
    POINT_PREPARE_FIRST,
    POINT_PREPARE_ALL,
    POINT_PRECOMMIT_FIRST,
    POINT_PRECOMMIT_ALL,
    POINT_COMMIT_FIRST,
    DEATH_POINTS
} death_point_t;

/*  A transaction as the participants have it. */
typedef struct {
    char id [48];
    bool prepared [TRIAL_PARTICIPANTS];
    bool committed [TRIAL_PARTICIPANTS];
    bool aborted [TRIAL_PARTICIPANTS];
    int64_t prepared_us [TRIAL_PARTICIPANTS];
    int64_t ended_us [TRIAL_PARTICIPANTS]; /* -1: in doubt */
} trial_txn_t;

/*  A change of state that was told but not flushed yet. */
typedef struct {
    int process;
    char id [48];
    char move [64];
} trial_move_t;

#define TRIAL_MOVES_MAX 64

typedef struct {
    commit_way_t way; /* in */
    uint64_t seed;    /* in */
    int64_t ahead_ms; /* in: how far ahead the window begins */
    bool kill;        /* in: the coordinator dies at this point, for good */
    death_point_t point;
    bool cut;   /* in: the network is cut in two for TRIAL_CUT_MS, at a drawn message */
    bool storm; /* in: drawn faults, several transactions; rivals only */
    bool paced; /* in: messages and flushes take exactly this long */
    int64_t flight_us;
    int64_t flush_us;

    sim_t *sim;
    sim_tally_t tally;
    prng_t prng;
    int coordinator;
    int participants [TRIAL_PARTICIPANTS];
    size_t sent [3];   /* by round: prepare, precommit, commit */
    size_t cut_at;     /* which message of the round it is */
    int64_t struck_us; /* -1 = not yet */
    trial_txn_t txns [TRIAL_TXNS_MAX];
    size_t txns_count;
    trial_move_t moves [TRIAL_MOVES_MAX];
    size_t moves_count;
    int64_t begun_us;  /* the first prepare leaves; -1 = not yet */
    int64_t told_us;   /* -1 = not yet */
    uint64_t messages; /* of the protocol, in between */
    uint64_t flushes;

    /* used by ours */
    gis_settings_t gis;
    const char *gis_endpoint;
    const char *home;
    lis_settings_t lis [TRIAL_PARTICIPANTS];
    node_class_t class;
    planner_settings_t planner;
    planner_settings_t finisher;
    sim_book_t book;
    sim_client_t client;

    rival_federation_t rivals;
} commit_trial_t;

/*  Fill in the members that are marked "in"; the rest is zero. */
void commit_trial_run (commit_trial_t *self);
void commit_trial_clear (commit_trial_t *self);

/*  True when some participant committed what another one aborted. */
bool commit_trial_mixed (const commit_trial_t *self);

/*  How long the participant was in doubt after the fault, and how much of the window passed
 *  meanwhile. */
int64_t commit_trial_doubt_us (const commit_trial_t *self, size_t participant, int64_t *window_us);

/*  True when some participant is still in doubt. */
bool commit_trial_in_doubt (const commit_trial_t *self);

#endif
