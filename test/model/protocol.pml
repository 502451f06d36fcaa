/*  protocol - one command at one participant, one decision at its coordinator: the rules of
 *  proto/transaction.md, shared by all models of this folder.
 *
 *  There are no channels. A message is a fact that stays true once it is true: this plan was begun
 *  (its HOLD may come), this vote was given, this decision is logged, this command has ended. To
 *  receive it is to read the fact, at any later time, again and again, in any order with others, or
 *  never. So loss, doubling, delay and reordering are all there, and cost no state. A fact that
 *  could change after it was told would break this, so each step asserts where it starts from, and
 *  nothing starts from an end.
 *
 *  A step is one write of one store (T13): what it says is stored with it, so a crash of a
 *  participant is a step that was not taken. Time-outs, lives and edges may come at any moment:
 *  nothing that is claimed to be safe rests on a clock.
 *
 *  Every step goes forward and there are finitely many, so each run ends; what must hold then is
 *  ENDED. "Never ends" is thus a run that stops elsewhere.
 *
 *  A model sets PARTICIPANTS and PLANS and defines, before it includes this:
 *
 *    UP (t)           the coordinator of plan t runs (or another on its store)
 *    MAY_BEGIN (t)    it may give out this txid now
 *    MAY_DECIDE (t)   beyond the votes
 *    TAKES_PART (p, t), HAS_EDGE (p, t)
 *    MAY_TAKE (p, t)  the participant's own checks; ROOM (p, t) those for a late commit
 *    HEARS (p, t)     it takes what the coordinator says (no fence is in the way)
 *    REPLACED (p, t)  a HOLD that replaces plan t may come
 *    ON_TAKE, ON_DROP, ON_COMMIT, ON_REFUSED, ON_RELEASE (p, t)   what happens to the resource
 *    REPAIRS (t), MAY_REPAIR (t), MAY_RELEASE (p, t), STILL_ITS (p, t), KEEPS_OLD (p)
 *                     where repairs are more than giving back what was committed
 *    AWAITS (p, t)    the release t was begun without p, which was silent: it has no part in it
 *    HAS_REST, MAY_REST, ON_REST (p, t)   it books still what it is awaited for; it may give that
 *                     back now; what happens to the resource then (R11)
 *    CHECKED          what holds after every step, each by HOLDS with a name for it
 *    ENDED            what holds when nothing can happen any more
 *
 *  MOVE and STEP name their states and events as svc-lis --states and svc-planner --states print
 *  them; test/model/states compares.
 */

#define INITIAL      0
#define HELD         1
#define PREPARED     2
#define COMMITTED    3
#define ABORTED      4
#define EXPIRED      5
#define EDGE         6
#define EDGE_REFUSED 7

#define PHASE_INITIAL   0
#define PHASE_VOTING    1
#define PHASE_ABORTED   2 /* dropped, or forgotten by a restart: nothing is on record */
#define PHASE_DECIDED   3
#define PHASE_SETTLED   4
#define PHASE_REPAIRING 5
#define PHASE_REPAIRED  6

byte at [PARTICIPANTS * PLANS];        /* the command of a plan at a participant */
bool yes [PARTICIPANTS * PLANS];       /* it has said YES */
bool given_back [PARTICIPANTS * PLANS]; /* committed, and released again by a repair */
bool lost [PARTICIPANTS];              /* its store is gone: one with another id answers */
byte phase [PLANS];
#ifdef WITHOUT_T3
bool unstored [PARTICIPANTS * PLANS];
#endif

#ifndef REPAIRS
#define REPAIRS(t) (phase [t] == PHASE_REPAIRING && UP (t))
#endif
#ifndef MAY_RELEASE
#define MAY_RELEASE(p, t) true
#endif
#ifndef MAY_REPAIR
#define MAY_REPAIR(t) true
#endif

#ifndef AWAITS
#define AWAITS(p, t) false
#define HAS_REST(p, t) false
#define MAY_REST(p, t) false
#define ON_REST(p, t)
#endif

#define CELL(p, t) ((p) * PLANS + (t))
#define AT(p, t)   at [CELL (p, t)]

#ifdef COVERAGE /* the verifier tells in the end which steps it has taken */
c_decl {
    \#include "coverage.h"
}
#define TAKEN(text) c_code { coverage_note (text); };
#else
#define TAKEN(text)
#endif
#define MOVE(p, t, from, event, to)            \
    TAKEN ("command " #from " " #event " " #to) \
    assert (AT (p, t) == from);                \
    AT (p, t) = to
#define STEP(t, from, event, to)                \
    TAKEN ("decision " #from " " #event " " #to) \
    assert (phase [t] == PHASE_##from);         \
    phase [t] = PHASE_##to

#if PARTICIPANTS == 2
#define EACH(what, t) (what (0, t) && what (1, t))
#define SOME(what, t) (what (0, t) || what (1, t))
#define OTHER(what, p, t) (what (1 - (p), t))
#else
#define EACH(what, t) (what (0, t) && what (1, t) && what (2, t))
#define SOME(what, t) (what (0, t) || what (1, t) || what (2, t))
#define OTHER(what, p, t) (what (((p) + 1) % 3, t) || what (((p) + 2) % 3, t))
#endif

/*  --- what may be asked of one command --- */

#define OPEN(p, t) (AT (p, t) == HELD || AT (p, t) == PREPARED)
#define HAS_COMMITTED(p, t) (TAKES_PART (p, t) && !lost [p] && AT (p, t) == COMMITTED)
#define HAS_ABORTED(p, t) \
    (TAKES_PART (p, t) && !lost [p] && (AT (p, t) == ABORTED || AT (p, t) == EXPIRED))
#define HAS_REFUSED(p, t) (TAKES_PART (p, t) && !lost [p] && AT (p, t) == EDGE_REFUSED)
#define HAS_VOTED(p, t) (!TAKES_PART (p, t) || yes [CELL (p, t)])
#define VOTED_HERE(p, t) (TAKES_PART (p, t) && yes [CELL (p, t)])
#define ACKNOWLEDGED(p, t) (!TAKES_PART (p, t) || AT (p, t) == COMMITTED)
#define IS_LOST(p, t) (TAKES_PART (p, t) && (lost [p] || AT (p, t) == EDGE_REFUSED))
#define ANSWERED(p, t) \
    (!TAKES_PART (p, t) || lost [p] || AT (p, t) == COMMITTED || AT (p, t) == EDGE_REFUSED)
#ifndef STILL_ITS /* no later version has been committed */
#define STILL_ITS(p, t) true
#define KEEPS_OLD(p) false /* refused at the edge, but it keeps the old version's booking */
#endif
#define HAS_SOMETHING(p, t) \
    (HAS_COMMITTED (p, t) || (HAS_REFUSED (p, t) && KEEPS_OLD (p)))
#define BOOKS(p, t) (HAS_SOMETHING (p, t) && STILL_ITS (p, t) && !given_back [CELL (p, t)])
#define BOOKS_NOT(p, t) (!BOOKS (p, t))
#define RESTS(p, t) (AWAITS (p, t) && HAS_REST (p, t))
#define RESTS_NOT(p, t) (!RESTS (p, t))
#define COMMAND_OVER(p, t) \
    (!TAKES_PART (p, t) || lost [p] || !(OPEN (p, t) || AT (p, t) == EDGE))

/*  --- what may be asked of one plan --- */

#define BEGUN(t)   (phase [t] != PHASE_INITIAL)
#define DECIDED(t) (phase [t] >= PHASE_DECIDED)
#define NOT_MIXED(t) (!(SOME (HAS_COMMITTED, t) && SOME (HAS_ABORTED, t)))
#define ONLY_DECIDED(t) (DECIDED (t) || !SOME (HAS_COMMITTED, t))

#ifdef WITHOUT_T6
#define TOLD_COMMITTED(t) (phase [t] == PHASE_DECIDED || phase [t] == PHASE_SETTLED)
#else
#define TOLD_COMMITTED(t) (phase [t] == PHASE_SETTLED)
#endif
#ifdef WITHOUT_R11 /* a release is over when all but the silent have given back */
#define AWAITED(t) false
#else
#define AWAITED(t) (SOME (AWAITS, t))
#endif
#define STANDS(p, t) ((lost [p] || ACKNOWLEDGED (p, t)) && RESTS_NOT (p, t))
#define IS_GONE(p, t) (BOOKS_NOT (p, t) && RESTS_NOT (p, t))
#define TOLD_TRULY(t)                                   \
    ((!TOLD_COMMITTED (t) || EACH (STANDS, t)) &&       \
     (phase [t] != PHASE_REPAIRED || EACH (IS_GONE, t)))

/*  --- what the coordinator answers and sends --- */

#define COMMIT_COMES(p, t) (DECIDED (t) && UP (t) && HEARS (p, t))
#ifdef WITHOUT_T5 /* not in the log: aborted, though it is in progress */
#define SAYS_ABORTED(p, t) \
    ((phase [t] == PHASE_ABORTED || phase [t] == PHASE_VOTING) && UP (t) && HEARS (p, t))
#else
#define SAYS_ABORTED(p, t) (phase [t] == PHASE_ABORTED && UP (t) && HEARS (p, t))
#endif

/*  --- what the other participants answer (T7) --- */

#define RESOLVE_COMES(p, t) (OTHER (VOTED_HERE, p, t))
#define COMMITTED_TOLD(p, t) (OTHER (HAS_COMMITTED, p, t))
#ifdef WITHOUT_T7 /* one that has not voted says aborted, and may vote later */
#define IS_NO_VOTE(p, t) (TAKES_PART (p, t) && !lost [p] && \
    (AT (p, t) == INITIAL || AT (p, t) == HELD || AT (p, t) == ABORTED || AT (p, t) == EXPIRED))
#define ABORTED_TOLD(p, t) (OTHER (IS_NO_VOTE, p, t))
#elif defined WITHOUT_T7_EDGE /* one that gave its capacity back at the edge counts as aborted */
#define IS_NO_MORE(p, t) (HAS_ABORTED (p, t) || (!lost [p] && AT (p, t) == EDGE))
#define ABORTED_TOLD(p, t) (OTHER (IS_NO_MORE, p, t))
#else
#define ABORTED_TOLD(p, t) (OTHER (HAS_ABORTED, p, t))
#endif

#ifdef WITHOUT_T9_ROOM /* a late commit takes its window without looking whether it is free */
#define STILL_FREE(p, t) true
#else
#define STILL_FREE(p, t) ROOM (p, t)
#endif

#ifdef WITHOUT_T3
#define VOTE(p, t) yes [CELL (p, t)] = true; unstored [CELL (p, t)] = true
#else
#define VOTE(p, t) yes [CELL (p, t)] = true
#endif

/*  The name comes first in spin's report of a violation; it is never true, and no part of a state. */
#define HOLDS(name, what) assert (name || (what))
#ifdef SHORTEST /* a breadth-first search can't have hidden variables */
#define LABEL byte
#else
#define LABEL hidden byte
#endif
LABEL mixed_outcome, committed_undecided, told_falsely, capacity_twice, done_twice, stays_open,
    refused_and_committed, change_lost, old_window_lost, told_two_ways;

#define PLAN_CHECKED(t)                             \
    HOLDS (mixed_outcome, NOT_MIXED (t));           \
    HOLDS (committed_undecided, ONLY_DECIDED (t));  \
    HOLDS (told_falsely, TOLD_TRULY (t))

#define HERE(p, t, state) (TAKES_PART (p, t) && !lost [p] && AT (p, t) == state)

/*  One command at one participant. */
proctype command (byte p; byte t)
{
end:
    do
    /* HOLD, alone or carrying PREPARE */
    :: d_step { HERE (p, t, INITIAL) && BEGUN (t) && MAY_TAKE (p, t) ->
        MOVE (p, t, INITIAL, HOLD, HELD); ON_TAKE (p, t); CHECKED }
    :: d_step { HERE (p, t, INITIAL) && BEGUN (t) && MAY_TAKE (p, t) ->
        MOVE (p, t, INITIAL, PREPARE, PREPARED); ON_TAKE (p, t); VOTE (p, t); CHECKED }
    :: d_step { HERE (p, t, HELD) ->
        MOVE (p, t, HELD, PREPARE, PREPARED); VOTE (p, t); CHECKED }
    :: d_step { HERE (p, t, HELD) ->
        MOVE (p, t, HELD, TTL, EXPIRED); ON_DROP (p, t); CHECKED }
#ifdef WITHOUT_T3
    :: d_step { unstored [CELL (p, t)] -> unstored [CELL (p, t)] = false }
    :: d_step { unstored [CELL (p, t)] && AT (p, t) == PREPARED -> /* a crash before the flush */
        unstored [CELL (p, t)] = false; AT (p, t) = INITIAL; ON_DROP (p, t) }
#endif

    /* COMMIT; the coordinator's answer to OUTCOME is the same fact */
    :: d_step { HERE (p, t, PREPARED) && COMMIT_COMES (p, t) ->
        MOVE (p, t, PREPARED, COMMIT, COMMITTED); ON_COMMIT (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && COMMIT_COMES (p, t) && STILL_FREE (p, t) ->
        MOVE (p, t, EDGE, COMMIT, COMMITTED); ON_COMMIT (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && COMMIT_COMES (p, t) && !STILL_FREE (p, t) ->
        MOVE (p, t, EDGE, COMMIT, EDGE_REFUSED); ON_REFUSED (p, t); CHECKED }

    /* ABORT, known or not */
    :: d_step { HERE (p, t, INITIAL) && SAYS_ABORTED (p, t) ->
        MOVE (p, t, INITIAL, ABORT, ABORTED); CHECKED }
    :: d_step { HERE (p, t, HELD) && SAYS_ABORTED (p, t) ->
        MOVE (p, t, HELD, ABORT, ABORTED); ON_DROP (p, t); CHECKED }
    :: d_step { HERE (p, t, PREPARED) && SAYS_ABORTED (p, t) ->
        MOVE (p, t, PREPARED, ABORT, ABORTED); ON_DROP (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && SAYS_ABORTED (p, t) ->
        MOVE (p, t, EDGE, ABORT, ABORTED); CHECKED }

    /* a HOLD that replaces this plan (T1) */
    :: d_step { HERE (p, t, INITIAL) && REPLACED (p, t) ->
        MOVE (p, t, INITIAL, REPLACED, ABORTED); CHECKED }
    :: d_step { HERE (p, t, HELD) && REPLACED (p, t) ->
        MOVE (p, t, HELD, REPLACED, ABORTED); ON_DROP (p, t); CHECKED }
    :: d_step { HERE (p, t, PREPARED) && REPLACED (p, t) ->
        MOVE (p, t, PREPARED, REPLACED, ABORTED); ON_DROP (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && REPLACED (p, t) ->
        MOVE (p, t, EDGE, REPLACED, ABORTED); CHECKED }

#ifndef WITHOUT_T7
    /* another one is in doubt: one that has not voted never will */
    :: d_step { HERE (p, t, INITIAL) && RESOLVE_COMES (p, t) ->
        MOVE (p, t, INITIAL, RESOLVE, ABORTED); CHECKED }
    :: d_step { HERE (p, t, HELD) && RESOLVE_COMES (p, t) ->
        MOVE (p, t, HELD, RESOLVE, ABORTED); ON_DROP (p, t); CHECKED }
#endif

    /* in doubt: the coordinator tells. The same fact and the same end as COMMIT and ABORT, under
     * another name: MOVE is there for the table, the step adds no state */
    :: d_step { HERE (p, t, PREPARED) && COMMIT_COMES (p, t) ->
        MOVE (p, t, PREPARED, OUTCOME, COMMITTED); ON_COMMIT (p, t); CHECKED }
    :: d_step { HERE (p, t, PREPARED) && SAYS_ABORTED (p, t) ->
        MOVE (p, t, PREPARED, OUTCOME, ABORTED); ON_DROP (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && COMMIT_COMES (p, t) && STILL_FREE (p, t) ->
        MOVE (p, t, EDGE, OUTCOME, COMMITTED); ON_COMMIT (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && COMMIT_COMES (p, t) && !STILL_FREE (p, t) ->
        MOVE (p, t, EDGE, OUTCOME, EDGE_REFUSED); ON_REFUSED (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && SAYS_ABORTED (p, t) ->
        MOVE (p, t, EDGE, OUTCOME, ABORTED); CHECKED }

    /* in doubt: another participant tells */
    :: d_step { HERE (p, t, PREPARED) && COMMITTED_TOLD (p, t) ->
        MOVE (p, t, PREPARED, RESOLVED, COMMITTED); ON_COMMIT (p, t); CHECKED }
    :: d_step { HERE (p, t, PREPARED) && ABORTED_TOLD (p, t) ->
        MOVE (p, t, PREPARED, RESOLVED, ABORTED); ON_DROP (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && COMMITTED_TOLD (p, t) && STILL_FREE (p, t) ->
        MOVE (p, t, EDGE, RESOLVED, COMMITTED); ON_COMMIT (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && COMMITTED_TOLD (p, t) && !STILL_FREE (p, t) ->
        MOVE (p, t, EDGE, RESOLVED, EDGE_REFUSED); ON_REFUSED (p, t); CHECKED }
    :: d_step { HERE (p, t, EDGE) && ABORTED_TOLD (p, t) ->
        MOVE (p, t, EDGE, RESOLVED, ABORTED); CHECKED }

#ifndef WITHOUT_T9
    :: d_step { HERE (p, t, PREPARED) && HAS_EDGE (p, t) ->
        MOVE (p, t, PREPARED, EDGE, EDGE); ON_DROP (p, t); CHECKED }
#endif

    /* the repair's release, as far as this participant goes */
    :: d_step { BOOKS (p, t) && REPAIRS (t) && MAY_RELEASE (p, t) ->
        given_back [CELL (p, t)] = true; ON_RELEASE (p, t); CHECKED }

    /* R11: one that was silent at the release is heard again, and votes by itself */
    :: d_step { RESTS (p, t) && REPAIRS (t) && MAY_REST (p, t) -> ON_REST (p, t); CHECKED }
    od
}

/*  One decision at its coordinator. VOTING is in memory only: a crash makes it ABORTED. */
proctype decision (byte t)
{
end:
    do
    :: d_step { phase [t] == PHASE_INITIAL && UP (t) && MAY_BEGIN (t) ->
        STEP (t, INITIAL, BEGIN, VOTING); CHECKED }
#ifdef WITHOUT_T1 /* the count of txids starts anew with the process */
    :: d_step { phase [t] == PHASE_ABORTED && UP (t) && !reused -> reused = true;
        phase [t] = PHASE_VOTING }
#endif
    :: d_step { phase [t] == PHASE_VOTING && UP (t) -> /* a no, a time-out */
        STEP (t, VOTING, DROP, ABORTED); CHECKED }
#ifdef WITHOUT_T4 /* one vote will do */
    :: d_step { phase [t] == PHASE_VOTING && SOME (VOTED_HERE, t) && UP (t) && MAY_DECIDE (t) ->
#else
    :: d_step { phase [t] == PHASE_VOTING && EACH (HAS_VOTED, t) && UP (t) && MAY_DECIDE (t) ->
#endif
        STEP (t, VOTING, DECIDE, DECIDED); CHECKED }
    :: d_step { phase [t] == PHASE_DECIDED && EACH (ACKNOWLEDGED, t) && UP (t) && !AWAITED (t) ->
        STEP (t, DECIDED, ACKNOWLEDGED, SETTLED); CHECKED }
    :: d_step { phase [t] == PHASE_DECIDED && EACH (ACKNOWLEDGED, t) && UP (t) && AWAITED (t) ->
        STEP (t, DECIDED, AWAITED, REPAIRING); CHECKED }
    :: d_step { phase [t] == PHASE_DECIDED && EACH (ANSWERED, t) && UP (t) &&
                SOME (IS_LOST, t) && MAY_REPAIR (t) ->
        STEP (t, DECIDED, LOST, REPAIRING); CHECKED }
#ifdef WITHOUT_T10 /* told failed at once */
    :: d_step { phase [t] == PHASE_REPAIRING && UP (t) ->
#else
    :: d_step { phase [t] == PHASE_REPAIRING && EACH (IS_GONE, t) && UP (t) ->
#endif
        STEP (t, REPAIRING, RELEASED, REPAIRED); CHECKED }
    od
}

/*  What must be true when nothing can happen any more. */
proctype judge ()
{
    timeout -> HOLDS (stays_open, ENDED)
}

/*  For init: its two counters go back to 0, so as not to tell states apart. */
#define COMMANDS_AND_DECISIONS                                                      \
    byte p = 0;                                                                     \
    byte t = 0;                                                                     \
    do                                                                              \
    :: t < PLANS ->                                                                 \
        run decision (t);                                                           \
        p = 0;                                                                      \
        do                                                                          \
        :: p < PARTICIPANTS && TAKES_PART (p, t) -> run command (p, t); p++         \
        :: p < PARTICIPANTS && !TAKES_PART (p, t) -> p++                            \
        :: else -> break                                                            \
        od;                                                                         \
        t++                                                                         \
    :: else -> break                                                                \
    od;                                                                             \
    p = 0;                                                                          \
    t = 0
