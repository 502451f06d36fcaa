/*  proposal - a plan as it is put to the vote: made of what is to be planned and of what was
 *  chosen. It knows no request in progress; pending_propose hands it what it needs.
 */
#ifndef MUSUBI_PROPOSAL_H
#define MUSUBI_PROPOSAL_H

#include "answer.h"
#include "attempt.h"
#include "locate.h"
#include "pendings.h"
#include "snapshot.h"

/*  A plan in the making: everything an attempt needs. proposal_clear. */
typedef struct {
    plan_t plan;
    attempt_part_t *parts; /* one a participant */
    packed_t answer;       /* for the user, once it is committed */
} proposal_t;

void proposal_clear (proposal_t *self);

/*  What is to be planned; borrows all. */
typedef struct {
    operation_t operation;
    const user_request_t *request; /* as asked, or with the patch applied */
    const char *actor;
    const char *owner;
    const char *reservation;    /* "" = none yet */
    const request_name_t *name; /* empty: a repair */
    const uint8_t *digest;
    int64_t begun_wall_ms;
    const locate_t *base; /* what it has now; NULL: nothing */
    uint32_t base_version;
    int64_t effect_ms;            /* earlier than this nothing of storage can be changed */
    int64_t check_from_ms;        /* of a change: what begins later has not begun */
    const repair_order_t *repair; /* NULL: a user's */
} plan_order_t;

/*  Whom a proposal needs beside it. */
typedef struct {
    coordinator_t *coordinator;
    const directory_t *directory;
    const planner_settings_t *settings;
    recents_t *recents;        /* hear of what a new reservation takes */
    int64_t wall_ms;           /* the latest that it may be now */
    const answer_t *signature; /* planner, algorithm, rounds and time of the answer */
} propose_terms_t;

/*  Makes a plan of what was chosen on the snapshot; choice NULL: of the reservation's release, or,
 *  in a repair, of what it was before a change that could not be kept. False: it is too late for
 *  it, or its home is not known; a reason is added to answer. */
bool propose (const plan_order_t *order, const snapshot_t *snapshot, const choice_t *choice,
              const propose_terms_t *terms, proposal_t *proposal, answer_t *answer);

/*  Fill in the plan that was chosen: placements, connections, cost, start and end. */
void answer_of_choice (const user_request_t *asked, const snapshot_t *snapshot,
                       const choice_t *choice, answer_t *answer);

#endif
