/*  pending - one user's request, from its receipt to its answer.
 *
 *      reserve            plan --\
 *      modify   locate -> plan ---+--> vote --> decided --> told "committed"
 *      release  locate -----------/      |
 *                                        +-- no --> again, or close at the home --> told "refused"
 *
 *  Where each step is decided: reserve.c and change.c begin; planning.c has an algorithm find a
 *  plan; proposal.c makes holds of it; voting.c puts it to the vote, votes.c learns from refusals;
 *  refuse.c ends without a commit (T2); pending.c answers. No step calls another: pending_go does,
 *  by the table that reserve.c has made (phases.h). A repeat of a request in progress is answered
 *  together with the first.
 */
#ifndef MUSUBI_PENDING_H
#define MUSUBI_PENDING_H

#include "access.h"
#include "algorithm.h"
#include "answer.h"
#include "attempt.h"
#include "confirm.h"
#include "explanation.h"
#include "file_lookup.h"
#include "home_wire.h"
#include "lessons.h"
#include "locate.h"
#include "pendings.h"
#include "proposal.h"
#include "request.h"
#include "votes.h"

/*  The steps of a pending request; pending_go goes from one to the next. */
typedef enum {
    STEP_RECEIVED,
    STEP_LOCATE,  /* ask which participants have the reservation, and at which version */
    STEP_PLAN,    /* look for a plan, from a fresh query */
    STEP_VOTE,    /* put the proposal to the vote */
    STEP_AGAIN,   /* pause before another round; give up when there were too many */
    STEP_NEXT,    /* after that pause: look for another plan */
    STEP_LOOK,    /* the home has the answer or another attempt: tell what it says */
    STEP_LATE,    /* time has run out, and nothing is decided */
    STEP_GIVE_UP, /* no plan: abort what is held, close the claim, tell the refusal */
    STEP_DOUBT,   /* somebody was silent: abort what is held, tell what the home knows, or else
                     "unknown" */
    STEPS
} pending_step_t;

/*  The actor, the request id, and everyone who waits for the answer. */
typedef struct {
    char actor [NAME_BYTES_MAX + 1];
    request_name_t name; /* empty for a dry run */
    uint8_t digest [DIGEST_BYTES];
    bool dry_run;
    uint64_t waiters [WAITERS_MAX]; /* their reply_to */
    size_t waiters_count;
    int64_t begun_ms; /* monotonic */
    int64_t begun_wall_ms;
    uint64_t limit_timer;
} receipt_t;

/*  Modify, release: the reservation that is changed. */
typedef struct {
    locate_t *locate;
    uint32_t version;
    uint32_t looks; /* how often it was located */
} base_t;

/*  The search for a plan. */
typedef struct {
    const algorithm_t *algorithm;
    starts_t starts;
    bool keeps_start;              /* modify: the start must stay as it is */
    present_t present [NEEDS_MAX]; /* modify */
    present_path_t *present_paths; /* modify: one a network need */
    int64_t check_from_ms;
    int64_t effect_ms;    /* of a change: earlier than this nothing of storage can be changed */
    uint32_t places_most; /* asked for one need so far */
    lessons_t lessons;
    file_places_t *files; /* one a data need, as the look-ups told; NULL = no data needs */
    size_t files_count;
    file_lookup_t *lookup;
    snapshot_t *snapshot;
    availability_query_t *query;
    uint64_t counted;   /* of the planner's recent ones, how many the snapshot counts */
    bool crowded;       /* it counts some that those who were asked did not */
    bool alone;         /* count them no more: for a change; or no plan was found beside them */
    bool hasty;         /* the query did not wait for suspects */
    bool patient;       /* the next one does */
    void *finder;       /* the algorithm's, at work or with its last choice; or NULL */
    finder_end_t found; /* how it ended last without a plan */
    choice_t choice;    /* after a refused vote: another that the finder has made */
    search_t *search;   /* tells the reasons when the finder has no search that could */
    obstacles_t obstacles;
} planning_t;

/*  A plan put to the vote. */
typedef struct {
    proposal_t proposal;
    attempt_t *attempt;
    bool decided;
    txid_t txid; /* of the decision */
} voting_t;

/*  The end without a commit, or what the home knows. */
typedef struct {
    bool giving_up;
    bool unsure;       /* giving up without a refusal, because somebody was silent */
    uint64_t call;     /* to the home: abort, close or look */
    uint32_t tries;    /* of close and look */
    claim_look_t look; /* at a committed claim that is not known to be done */
    confirm_t *confirm;
    int64_t keep_until_ms; /* end of the last window asked for */
} closing_t;

struct pending {
    pendings_t *pendings;
    operation_t operation;
    const repair_order_t *repair_order; /* of a repair's request; NULL = a user's */
    uint64_t number;
    pending_step_t step;
    receipt_t receipt;
    user_request_t request; /* as asked, or with the patch applied */
    request_patch_t patch;  /* modify */
    char reservation [NAME_BYTES_MAX + 1];
    base_t base;
    planning_t plan;
    voting_t vote;
    rounds_t rounds; /* of votes */
    closing_t close;
    trail_t trail;        /* holds that its attempts may have left */
    uint64_t pause_timer; /* back-off, or the next slice of a search */
    answer_t answer;      /* the reasons gathered for a refusal */
};

/*  Receive a user's request: check its name, repeats and limits. NULL: it has been answered. */
pending_t *pending_new (pendings_t *pendings, const moment_t *now, const request_t *request,
                        operation_t operation, bool dry_run);

/*  The order in which pendings_t keeps them. */
ordered_compare_fn pending_compare;

/*  Begin a request with this receipt; without a name and waiters it is the planner's own. Its time
 *  is limited. */
pending_t *pending_begin (pendings_t *pendings, const moment_t *now, operation_t operation,
                          const receipt_t *receipt);

/*  Take this step, which must be one that may follow the last. The request may be gone afterwards.
 */
void pending_go (pending_t *self, const moment_t *now, pending_step_t step);

/*  Answer everyone who waits with an answer that is kept; count and log it so. The request is gone
 *  afterwards. */
void pending_tell_packed (pending_t *self, const char *counter, const char *move,
                          const char *detail, packed_t answer);

/*  The same with its own answer. */
void pending_tell (pending_t *self, const moment_t *now, answer_status_t status);

/*  The same, "in progress": it is committed, but these participants have not acknowledged. */
void pending_tell_open (pending_t *self, const moment_t *now);

/*  The first reason of an answer; otherwise, when there is none. */
const char *answer_first_reason (const answer_t *answer, const char *otherwise);

/*  Fill in the planner, the algorithm, the rounds and the time that it took. */
void pending_sign (const pending_t *self, const moment_t *now, answer_t *answer);

/*  The earliest time at which anything new can begin, even at a site that needs no notice. */
int64_t pending_soonest_ms (const pending_t *self, const moment_t *now);

/*  Makes the proposal of this choice (proposal.h); NULL: of a release, or of what was before. False
 *  with a reason in its answer. */
bool pending_propose (pending_t *self, const moment_t *now, const choice_t *choice);

extern const char *const operation_words [];

/*  A log line "request … move" with what it is about. */
void pending_log (const pending_t *self, log_level_t level, const char *move, const char *detail);

/*  Take a step after a jittered pause, which depends on the round and on how long the last one
 *  took. */
void pending_pause (pending_t *self, const moment_t *now, uint32_t round, pending_step_t step);

/*  Drop what was planned, and whatever else it waits for but a decision. */
void pending_stop (pending_t *self);

#endif
