/*  errand - one request of a user, from its receipt to its answer.
 *
 *      reserve            plan --\
 *      modify   locate -> plan ---+--> vote --> decided --> told "committed"
 *      release  locate -----------/      |
 *                                        +-- no --> again, or close at the home --> told "refused"
 *
 *  Where each step is decided: reserve.c and change.c begin; planning.c finds a plan;
 *  proposal.c makes holds of it; voting.c puts it to the vote and draws the lessons; closing.c ends
 *  without a commit (T2); errand.c answers. Whoever sends the same request again meanwhile is
 *  answered together with the first.
 */
#ifndef MUSUBI_ERRAND_H
#define MUSUBI_ERRAND_H

#include "access.h"
#include "answer.h"
#include "attempt.h"
#include "backtracking.h"
#include "coordinator.h"
#include "locate.h"
#include "ordered.h"
#include "question_wire.h"
#include "ranking.h"
#include "request.h"
#include "search.h"
#include "solvers.h"
#include "survey.h"

/*  The errands of one planner, and what they share. All but the last three is borrowed. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    suspects_t *suspects; /* who was silent lately */
    solvers_t *solvers;
    ordered_t *open; /* by actor and request id; dry runs by number */
    uint64_t begun;
    char *conflicts; /* what domains disagree about, as last logged; NULL = nothing */
} errands_t;

/*  The borrowed ones are filled. Closing ends those under way, and tells nobody. */
void errands_open (errands_t *self);
void errands_close (errands_t *self);

/*  What an errand does, in the order of proto Operation. */
typedef enum { ERRAND_RESERVE, ERRAND_MODIFY, ERRAND_RELEASE } errand_kind_t;

/*  A plan in the making: everything an attempt needs. proposal_clear. */
typedef struct {
    plan_t plan;
    attempt_part_t *parts; /* one a participant */
    int64_t end_ms;        /* the last window's end, cleaning included */
    packed_t answer;       /* what is told once it is committed */
} proposal_t;

/*  What an errand has learned of a site or domain beyond its calendar; outlives a snapshot. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    int64_t lead_ms; /* it wants at least so much notice */
    bool left_out;
    char why [WHY_BYTES];
} source_lesson_t;

#define LESSONS_MAX 32

/*  What a refused request is told about one of its network needs. */
typedef struct {
    bool set;
    blocked_t blocked;
} obstacle_t;

/*  Where the next plan is looked for in the place of one that could not be kept, in this order. */
typedef enum {
    MEND_SAME,      /* the same window, at those that were in it */
    MEND_ELSEWHERE, /* another site, path or window, as the request allows */
    MEND_BACK,      /* of a change: what the reservation was before */
    MEND_NOTHING,   /* none: it is released */
} mend_step_t;

typedef enum {
    MEND_SETTLED,  /* every participant has acknowledged the plan */
    MEND_SPOILT,   /* decided, and not kept by all, or ended by somebody else: look again */
    MEND_NO_PLAN,  /* none was found or taken: text says why */
    MEND_DEFERRED, /* somebody was silent, or the reservation was changing: look again */
} mend_end_t;

/*  A plan looked for by a repair (T10): no user waits for it, and it has no home. */
typedef struct {
    mend_step_t step;
    const plan_t *plan;     /* that could not be kept; borrowed for the errand's life, as is all */
    const bool *spoilt;     /* its participants that have not */
    const before_t *before; /* a change's */
    void (*ended) (void *owner, const moment_t *now, mend_end_t end, const char *text);
    void *owner;
} mend_t;

typedef struct errand {
    errands_t *errands;
    errand_kind_t kind;
    const mend_t *mend; /* it is a repair's; NULL = a user's */
    uint64_t number;
    char actor [NAME_BYTES_MAX + 1];
    request_name_t name; /* empty for a dry run */
    uint8_t digest [DIGEST_BYTES];
    bool dry_run;
    uint64_t waiters [WAITERS_MAX]; /* reply_to of everyone who asked */
    size_t waiters_count;
    int64_t begun_ms; /* monotonic */
    int64_t begun_wall_ms;
    uint64_t limit_timer;
    int64_t votable_ms;   /* a plan must be votable for so long before its edge */
    int64_t vote_ms;      /* monotonic: the last plan was put to the vote */
    int64_t round_ms;     /* what that took; 0 = nobody was asked yet */
    uint64_t pause_timer; /* back-off, or the next slice of the search */

    user_request_t request; /* as asked, or with the patch applied */
    request_patch_t patch;  /* modify */
    char reservation [NAME_BYTES_MAX + 1];

    locate_t *locate; /* modify, release */
    uint32_t base_version;
    uint32_t locates; /* how often it was looked for */

    starts_t starts;
    bool keeps_start;              /* modify: no other start than the present one will do */
    present_t present [NEEDS_MAX]; /* modify */
    present_path_t *present_paths; /* modify: one a network need */
    int64_t check_from_ms;
    uint32_t places_most; /* asked for one need so far */
    snapshot_t *snapshot;
    survey_t *survey;
    bool hasty;   /* the survey did not wait for suspects */
    bool patient; /* the next one does */
    search_t *search;
    backtracking_t *backtracking;   /* bbr, bir: in its place */
    backtracking_end_t backtracked; /* how that ended */
    ranking_t *ranking;             /* ip: in its place */
    int64_t ranking_until_ms;       /* monotonic: no more windows are begun */
    bool ranking_begun;             /* its last window is, or time is over */
    bool proven;                    /* there is no plan: the search did not only end too soon */
    obstacle_t *obstacles;          /* one a network need, of the first so many examined */
    size_t examined;
    bool unheard;   /* somebody's vote did not come, or not in time */
    bool contended; /* refused since we last found nothing: others are at it too */
    source_lesson_t lessons [LESSONS_MAX];
    size_t lessons_count;

    proposal_t proposal;
    attempt_t *attempt;
    uint32_t rounds;
    trail_t trail;
    bool decided;
    txid_t txid; /* decided */

    answer_t answer; /* reasons gathered for a refusal */
    bool giving_up;  /* closing */
    bool unsure;     /* … without a refusal: somebody was silent */
    uint64_t call;   /* closing: abort, close, look at the home */
    size_t asking;   /* verifying: answers outstanding */
    uint32_t closes; /* how often the home was asked so */
    struct verify *verify;
    int64_t keep_until_ms; /* the last window asked for ends then */
} errand_t;

/*  --- errand.c --- */

/*  Receive a request: name, digest, repeats, limits. NULL: it has been answered. The errand has
 *  one waiter, and a limit on its time. */
errand_t *errand_new (errands_t *errands, const moment_t *now, const request_t *request,
                      errand_kind_t kind, bool dry_run);
void errand_destroy (errand_t *self);

/*  One that nobody waits for; its name stays empty. */
errand_t *errand_new_unasked (errands_t *errands, const moment_t *now, errand_kind_t kind,
                              const char *actor);

/*  Tell all who wait, and end the errand: it is gone afterwards. */
void errand_tell_packed (errand_t *self, bytes_t answer);
void errand_tell (errand_t *self, const moment_t *now, answer_status_t status);

/*  A log line "request … move" with what it is about. */
void errand_log (const errand_t *self, log_level_t level, const char *move, const char *detail);

/*  Go on later: jittered back-off before round number so and so, by what the last round took. */
void errand_pause (errand_t *self, const moment_t *now, uint32_t round, timer_fn *go_on);

/*  Drop what planning made: survey and search; and the snapshot. */
void errand_clear_search (errand_t *self);
void errand_clear_planning (errand_t *self);

/*  "auto", "bbr", "bir", "ip": how it is planned. */
const char *errand_algorithm (const errand_t *self);

/*  --- faithful.c --- */

/*  bbr or bir plans it: once, without another round. */
bool errand_faithful (const errand_t *self);

/*  Look for a plan on the snapshot's candidates in S0's way; ends as errand_plan does. */
void errand_backtrack (errand_t *self, const moment_t *now);

/*  Of a refusal: how the search ended; and, for each need that nothing was said of yet, the last no
 *  that it met. */
void errand_explain_backtracking (errand_t *self);
void errand_explain_hindrances (errand_t *self);

/*  --- choice.c --- */

/*  The plan found, by whichever way: as search.h tells them. */
int64_t choice_start (const errand_t *self);
const size_t *choice_options (const errand_t *self);
const path_t *choice_path (const errand_t *self, size_t network_need);
size_t choice_path_from (const errand_t *self, size_t network_need);

/*  --- programmed.c --- */

/*  ip plans it: N windows, a ranked list of plans, one after the other put to the vote. */
bool errand_programmed (const errand_t *self);

/*  How the survey is to ask then: about how many starts, and for how much more. */
void errand_ask_programs (const errand_t *self, survey_order_t *order);

/*  Rank plans on what the survey told; ends as errand_plan does. */
void errand_rank (errand_t *self, const moment_t *now);

/*  The plan at hand was refused: is there another on the list? Then put it to the vote. */
bool errand_has_next (const errand_t *self);
void errand_next (errand_t *self, const moment_t *now);

/*  Why there was none at the windows looked at. */
void errand_explain_ranking (errand_t *self);

/*  --- planning.c --- */

/*  There is a plan: it is told, or put to the vote. */
void errand_found (errand_t *self, const moment_t *now);

/*  There is no plan, or, not proven, none was found. */
void errand_not_found (errand_t *self, const moment_t *now, bool proven);

/*  Look for a plan from a fresh survey; ends in a proposal put to the vote, or given up. */
void errand_plan (errand_t *self, const moment_t *now);

/*  Search again on the snapshot as it is. */
void errand_search (errand_t *self, const moment_t *now);
search_order_t errand_search_order (const errand_t *self, const moment_t *now);

/*  Nothing new can begin before this, even where no notice is wanted. */
int64_t errand_soonest_ms (const errand_t *self, const moment_t *now);

/*  What has been learned of a source holds for every snapshot of this errand. why NULL: only the
 * lead has changed. */
void errand_learn_source (errand_t *self, size_t source, int64_t lead_ms, const char *why);

/*  A snapshot of who could have part in such a request, of which nothing is known to be free yet.
 *  The request must outlive it. */
snapshot_t *errand_candidates (errand_t *self, const user_request_t *request);

/*  Nothing was found, and there are places that nobody was asked about yet: ask about the next of
 *  them, and look again. False: there are none, or too many were asked. */
bool errand_ask_on (errand_t *self, const moment_t *now);

/*  --- explanation.c --- */

/*  A reason for each need that nowhere in the federation could be had, ever; false when there is
 *  one. */
bool errand_possible (errand_t *self);

/*  Look for what is in the way of each network need, some at a time: true when all have been looked
 *  at. errand_examine_anew comes first. */
void errand_examine_anew (errand_t *self);
bool errand_examine (errand_t *self);

/*  Then: why the search found no plan, a reason for each need that is in the way by itself, and for
 *  everyone who was left out. */
void errand_explain (errand_t *self, const moment_t *now);

/*  None was found, and those who were silent might have had what was missing. */
bool errand_in_doubt (const errand_t *self);

/*  A reason for each need with places that nobody was asked about. */
void errand_explain_unasked (errand_t *self);

/*  --- alternatives.c --- */

/*  What could be had instead, as far as the snapshot tells: each has been searched for. */
void errand_seek_alternatives (errand_t *self, const moment_t *now);

/*  --- proposal.c --- */

/*  Make a plan of what the search found, of the reservation's release. False: it is too late for
 *  it, or its home is not known; a reason is given. */
bool propose_choice (errand_t *self, const moment_t *now);
bool propose_release (errand_t *self, const moment_t *now);

/*  What the reservation was before a change. */
bool propose_before (errand_t *self, const moment_t *now);
void proposal_clear (proposal_t *self);

/*  What the search found, as it is told: placements, cost, start and end. */
void answer_of_choice (const errand_t *self, answer_t *answer);

/*  --- voting.c --- */

/*  Put the proposal to the vote. */
void errand_vote (errand_t *self, const moment_t *now);

/*  Another round after a pause, or give up when there were enough. */
void errand_again (errand_t *self, const moment_t *now);

/*  --- mending.c --- */

/*  Look for a plan in the place of one that could not be kept. Told once by mend->ended, never from
 *  within; the errand is gone then. */
errand_t *errand_mend (errands_t *errands, const moment_t *now, const mend_t *mend);

/*  The reservation was found. */
void errand_mend_located (errand_t *self, const moment_t *now);

/*  Sites and domains that this step does without; places that it keeps. */
void errand_mend_narrow (errand_t *self);

/*  Ends the errand. */
void errand_mend_end (errand_t *self, const moment_t *now, mend_end_t end, const char *text);

/*  --- change.c --- */

/*  Look for the reservation again, after a change was in the way. */
void errand_locate (errand_t *self, const moment_t *now);

/*  --- closing.c --- */

/*  No plan: abort what is held, close the claim, tell the refusal with the reasons gathered. */
void errand_give_up (errand_t *self, const moment_t *now);

/*  Somebody was silent, so nothing is certain: abort what is held, tell what the home knows, or
 * else that it is unknown. */
void errand_tell_unknown (errand_t *self, const moment_t *now);

/*  The home has the answer, or another attempt: look there and tell. */
void errand_look (errand_t *self, const moment_t *now);

/*  --- verify.c --- */

/*  A committed claim that is not known to be done: is the transaction complete? Takes the look
 *  over. Ends the errand. */
void errand_verify (errand_t *self, const moment_t *now, claim_look_t *look);
void verify_destroy (struct verify **self_p);

#endif
