/*  pending - one request of a user, from its receipt to its answer.
 *
 *      reserve            plan --\
 *      modify   locate -> plan ---+--> vote --> decided --> told "committed"
 *      release  locate -----------/      |
 *                                        +-- no --> again, or close at the home --> told "refused"
 *
 *  Where each step is decided: reserve.c and change.c begin; planning.c has an algorithm find a
 *  plan; proposal.c makes holds of it; voting.c puts it to the vote and draws the lessons;
 *  refuse.c ends without a commit (T2); pending.c answers. No step calls another: pending_go does,
 *  by the table that reserve.c made (phases.h). Whoever sends the same request again meanwhile is
 *  answered together with the first.
 */
#ifndef MUSUBI_PENDING_H
#define MUSUBI_PENDING_H

#include "access.h"
#include "algorithm.h"
#include "answer.h"
#include "attempt.h"
#include "blocked.h"
#include "confirm.h"
#include "home_wire.h"
#include "locate.h"
#include "pendings.h"
#include "request.h"

/*  The steps of a pending request; pending_go goes from one to the next. */
typedef enum {
    STEP_RECEIVED,
    STEP_LOCATE,  /* who has the reservation, at which version? */
    STEP_PLAN,    /* look for a plan, from a fresh survey */
    STEP_VOTE,    /* put the proposal to the vote */
    STEP_AGAIN,   /* another round after a pause, or give up when there were enough */
    STEP_NEXT,    /* that pause is over: another plan */
    STEP_LOOK,    /* the home has the answer, or another attempt: look there and tell */
    STEP_LATE,    /* its time is over, and nothing is decided */
    STEP_GIVE_UP, /* no plan: abort what is held, close the claim, tell the refusal */
    STEP_DOUBT,   /* somebody was silent, so nothing is certain: abort what is held, tell what the
                     home knows, or else that it is unknown */
    STEPS
} pending_step_t;

/*  A plan in the making: everything an attempt needs. proposal_clear. */
typedef struct {
    plan_t plan;
    attempt_part_t *parts; /* one a participant */
    packed_t answer;       /* what is told once it is committed */
} proposal_t;

void proposal_clear (proposal_t *self);

/*  What has been learned of a site or domain beyond its calendar; outlives a snapshot. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    int64_t lead_ms;  /* it wants at least so much notice */
    int64_t ahead_ms; /* and so much more, since its clock is ahead */
    bool left_out;
    char why [WHY_BYTES];
} source_lesson_t;

#define LESSONS_MAX 32

/*  What a refused request is told about one of its network needs. */
typedef struct {
    bool set;
    blocked_t blocked;
} obstacle_t;

/*  Who asks, under which id, and who waits for the answer. */
typedef struct {
    char actor [NAME_BYTES_MAX + 1];
    request_name_t name; /* empty for a dry run */
    uint8_t digest [DIGEST_BYTES];
    bool dry_run;
    uint64_t waiters [WAITERS_MAX]; /* reply_to of everyone who asked */
    size_t waiters_count;
    int64_t begun_ms; /* monotonic */
    int64_t begun_wall_ms;
    uint64_t limit_timer;
} receipt_t;

/*  Modify, release: what is changed. */
typedef struct {
    locate_t *locate;
    uint32_t version;
    uint32_t looks; /* how often it was looked for */
} base_t;

/*  A plan looked for. */
typedef struct {
    const algorithm_t *algorithm;
    starts_t starts;
    bool keeps_start;              /* modify: no other start than the present one will do */
    present_t present [NEEDS_MAX]; /* modify */
    present_path_t *present_paths; /* modify: one a network need */
    int64_t check_from_ms;
    uint32_t places_most; /* asked for one need so far */
    source_lesson_t lessons [LESSONS_MAX];
    size_t lessons_count;
    snapshot_t *snapshot;
    availability_query_t *survey;
    bool hasty;   /* the survey did not wait for suspects */
    bool patient; /* the next one does */
    search_t *search;
    void *found;           /* what the algorithm has made, beside the search */
    bool proven;           /* there is no plan: the search did not only end too soon */
    obstacle_t *obstacles; /* one a network need, of the first so many examined */
    size_t examined;
} planning_t;

/*  Plans put to the vote. */
typedef struct {
    proposal_t proposal;
    attempt_t *attempt;
    uint32_t rounds;
    int64_t votable_ms; /* a plan must be votable for so long before its edge */
    int64_t begun_ms;   /* monotonic: the last plan was put to the vote */
    int64_t round_ms;   /* what that took; 0 = nobody was asked yet */
    bool unheard;       /* somebody's vote did not come, or not in time */
    bool contended;     /* refused since we last found nothing: others are at it too */
    bool decided;
    txid_t txid; /* decided */
} voting_t;

/*  The end without a commit, or what the home knows. */
typedef struct {
    bool giving_up;
    bool unsure;       /* giving up without a refusal: somebody was silent */
    uint64_t call;     /* abort, close, look at the home */
    uint32_t tries;    /* how often the home was asked so */
    claim_look_t look; /* at a committed claim that is not known to be done */
    confirm_t *confirm;
    int64_t keep_until_ms; /* the last window asked for ends then */
} closing_t;

struct pending {
    pendings_t *pendings;
    operation_t operation;
    const mend_t *mend; /* it is a repair's; NULL = a user's */
    uint64_t number;
    pending_step_t step;
    receipt_t receipt;
    user_request_t request; /* as asked, or with the patch applied */
    request_patch_t patch;  /* modify */
    char reservation [NAME_BYTES_MAX + 1];
    base_t base;
    planning_t plan;
    voting_t vote;
    closing_t close;
    trail_t trail;        /* what its attempts may have left somewhere */
    uint64_t pause_timer; /* back-off, or the next slice of a search */
    answer_t answer;      /* reasons gathered for a refusal */
};

/*  Receive a request: name, digest, repeats, limits. NULL: it has been answered. The request has
 *  one waiter, and a limit on its time. */
pending_t *pending_new (pendings_t *pendings, const moment_t *now, const request_t *request,
                        operation_t operation, bool dry_run);

/*  How pendings_t keeps them in order. */
ordered_compare_fn pending_compare;

/*  One that is received so; without a name and waiters it is nobody's but the planner's. */
pending_t *pending_begin (pendings_t *pendings, const moment_t *now, operation_t operation,
                          const receipt_t *receipt);

/*  Go on with this step: one that may follow the last one. The request may be gone afterwards. */
void pending_go (pending_t *self, const moment_t *now, pending_step_t step);

/*  Tell all who wait, and end the request: it is gone afterwards. */
void pending_tell_packed (pending_t *self, bytes_t answer);
void pending_tell (pending_t *self, const moment_t *now, answer_status_t status);

/*  What every answer says of how it came about. */
void pending_sign (const pending_t *self, const moment_t *now, answer_t *answer);

/*  A claim that an earlier life of this planner left without a decision, so that it is aborted: its
 *  holds come to the trail. False: it is none. holder may be NULL. */
bool pending_takes_remains (pending_t *self, const plan_t *holder);

extern const char *const operation_words [];

/*  A log line "request … move" with what it is about. */
void pending_log (const pending_t *self, log_level_t level, const char *move, const char *detail);

/*  Go on later: jittered back-off before round number so and so, by what the last round took. */
void pending_pause (pending_t *self, const moment_t *now, uint32_t round, pending_step_t step);

/*  Drop what planning made: survey and search; and the snapshot. */
void pending_clear_search (pending_t *self);
void pending_clear_planning (pending_t *self);

#endif
