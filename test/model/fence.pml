/*  fence - a planner whose store can't be reached, alive or not, and two that end its plan.
 *
 *  T8 without the store: FENCE(e) goes to all participants; each stores e, from then on refuses the
 *  COMMIT and every decision of a lower epoch, and says where it stands; one that holds the plan, or
 *  knows nothing of it, writes its tombstone first. Any committed: commit. Any aborted, or all fenced
 *  and none committed: abort. The planner is epoch 0, fencer 0 is epoch 1 and may stop anywhere,
 *  fencer 1 is epoch 2 and goes on. Participant 0 is the home: it has no edge, so only a fence ends
 *  its claim when the store is gone.
 *
 *  The process that drives a commit to its end also repairs: a fencer that commits and finds
 *  EDGE-REFUSED beside COMMITTED releases. A coordinator refused by a fence does not.
 */
#ifndef PARTICIPANTS
#define PARTICIPANTS 2
#endif
#define PLANS 1
#define FENCERS 2

#define OPEN_YET  0
#define COMMITS   1
#define ABORTS    2
#define TOLD_DONE 3
#define REPAIRING 4
#define TOLD_FAILED 5

#define HEARD_FENCED    1
#define HEARD_COMMITTED 2
#define HEARD_ABORTED   3

bool dead;
bool stopped;
bool taken [PARTICIPANTS];
byte fenced [PARTICIPANTS];
byte heard [FENCERS * PARTICIPANTS];
byte fencer_at [FENCERS];

#define UP(t) !dead
#define MAY_BEGIN(t) true
#define MAY_DECIDE(t) true
#define REPLACED(p, t) false
#define TAKES_PART(p, t) true
#define HAS_EDGE(p, t) (p != 0)
#ifdef WITHOUT_T8
#define HEARS(p, t) true
#else
#define HEARS(p, t) (fenced [p] == 0)
#endif
#define TAKES(p, t) (OPEN (p, t) || (AT (p, t) == COMMITTED && !given_back [CELL (p, t)]))
#define USED(p) (TAKES (p, 0) + taken [p])
#define ROOM(p, t) (USED (p) == 0)
#define MAY_TAKE(p, t) ROOM (p, t)
#define ON_TAKE(p, t)
#define ON_DROP(p, t)
#define ON_COMMIT(p, t)
#define ON_REFUSED(p, t)
#define ON_RELEASE(p, t)
#define REPAIRS(t)                                                                     \
    ((phase [t] == PHASE_REPAIRING && UP (t)) || (fencer_at [0] == REPAIRING && !stopped) || \
     fencer_at [1] == REPAIRING)
#define IS_FENCED(p, t) (fenced [p] > 0)
#define MAY_REPAIR(t) !SOME (IS_FENCED, t)

#define ROOM_KEPT(p, t) (USED (p) <= 1)
#define SOME_FENCER(state) (fencer_at [0] == state || fencer_at [1] == state)
#define SAID_COMMITTED (phase [0] == PHASE_SETTLED || SOME_FENCER (TOLD_DONE))
#define SAID_FAILED                                                              \
    (phase [0] == PHASE_ABORTED || phase [0] == PHASE_REPAIRED || SOME_FENCER (ABORTS) || \
     SOME_FENCER (TOLD_FAILED))
#define CHECKED                                                            \
    PLAN_CHECKED (0);                                                      \
    HOLDS (capacity_twice, EACH (ROOM_KEPT, 0));                           \
    HOLDS (mixed_outcome, !(SOME_FENCER (ABORTS) && SOME (HAS_COMMITTED, 0))); \
    HOLDS (told_two_ways, !(SAID_COMMITTED && SAID_FAILED))

#define ENDED                                                                      \
    (EACH (COMMAND_OVER, 0) && fencer_at [1] != OPEN_YET && fencer_at [1] != REPAIRING && \
     fencer_at [1] != COMMITS && (!SOME (HAS_REFUSED, 0) || EACH (BOOKS_NOT, 0)))

#include "protocol.pml"

#define EPOCH(f)       (f + 1)
#define HEARD(f, p)    heard [(f) * PARTICIPANTS + (p)]
#define HEARS_ALL(f, what) (HEARD (f, 0) == what && HEARD (f, 1) == what && THIRD (f, what, true))
#define HEARS_ANY(f, what) (HEARD (f, 0) == what || HEARD (f, 1) == what || THIRD (f, what, false))
#if PARTICIPANTS == 2
#define THIRD(f, what, none) none
#else
#define THIRD(f, what, none) (HEARD (f, 2) == what)
#endif
#define WORKS(f) (f == 1 || !stopped)
#define FENCES(f, p) \
    (WORKS (f) && fencer_at [f] == OPEN_YET && HEARD (f, p) == 0 && fenced [p] <= EPOCH (f))
#define DRIVES(f, p, decision) (WORKS (f) && fencer_at [f] == decision && fenced [p] <= EPOCH (f))

/*  One fencer and one participant. To one that has not voted FENCE does what RESOLVE does. */
proctype fence (byte f; byte p)
{
end:
    do
    :: d_step { FENCES (f, p) && AT (p, 0) == INITIAL -> fenced [p] = EPOCH (f);
        HEARD (f, p) = HEARD_ABORTED; MOVE (p, 0, INITIAL, FENCE, ABORTED); CHECKED }
    :: d_step { FENCES (f, p) && AT (p, 0) == HELD -> fenced [p] = EPOCH (f);
        HEARD (f, p) = HEARD_ABORTED; MOVE (p, 0, HELD, FENCE, ABORTED); CHECKED }
    :: d_step { FENCES (f, p) && (AT (p, 0) == ABORTED || AT (p, 0) == EXPIRED) ->
        fenced [p] = EPOCH (f); HEARD (f, p) = HEARD_ABORTED; CHECKED }
    :: d_step { FENCES (f, p) && AT (p, 0) == COMMITTED ->
        fenced [p] = EPOCH (f); HEARD (f, p) = HEARD_COMMITTED; CHECKED }
    :: d_step { FENCES (f, p) &&
                (AT (p, 0) == PREPARED || AT (p, 0) == EDGE || AT (p, 0) == EDGE_REFUSED) ->
        fenced [p] = EPOCH (f); HEARD (f, p) = HEARD_FENCED; CHECKED }
#ifdef WITHOUT_T8_FLUSH /* the fence is in memory only, and is lost at a restart */
    :: d_step { fenced [p] > 0 -> fenced [p] = 0 }
#endif

    :: d_step { DRIVES (f, p, COMMITS) && AT (p, 0) == PREPARED ->
        MOVE (p, 0, PREPARED, COMMIT, COMMITTED); CHECKED }
    :: d_step { DRIVES (f, p, COMMITS) && AT (p, 0) == EDGE && ROOM (p, 0) ->
        MOVE (p, 0, EDGE, COMMIT, COMMITTED); CHECKED }
    :: d_step { DRIVES (f, p, COMMITS) && AT (p, 0) == EDGE && !ROOM (p, 0) ->
        MOVE (p, 0, EDGE, COMMIT, EDGE_REFUSED); CHECKED }
    :: d_step { DRIVES (f, p, ABORTS) && AT (p, 0) == PREPARED ->
        MOVE (p, 0, PREPARED, ABORT, ABORTED); CHECKED }
    :: d_step { DRIVES (f, p, ABORTS) && AT (p, 0) == EDGE ->
        MOVE (p, 0, EDGE, ABORT, ABORTED); CHECKED }
    od
}

proctype fencer (byte f)
{
end:
    do
    :: d_step { WORKS (f) && fencer_at [f] == OPEN_YET && HEARS_ANY (f, HEARD_COMMITTED) ->
        TAKEN ("decision INITIAL ADOPT DECIDED") fencer_at [f] = COMMITS; CHECKED }
    :: d_step { WORKS (f) && fencer_at [f] == OPEN_YET &&
                (HEARS_ANY (f, HEARD_ABORTED) || HEARS_ALL (f, HEARD_FENCED)) ->
        fencer_at [f] = ABORTS; CHECKED }
    :: d_step { WORKS (f) && fencer_at [f] == COMMITS && EACH (ACKNOWLEDGED, 0) &&
                EACH (BOOKS, 0) ->
        fencer_at [f] = TOLD_DONE; CHECKED }
#ifndef WITHOUT_T8_REPAIR
    :: d_step { WORKS (f) && fencer_at [f] == COMMITS && EACH (ANSWERED, 0) && !EACH (BOOKS, 0) ->
        fencer_at [f] = REPAIRING; CHECKED }
#endif
    :: d_step { WORKS (f) && fencer_at [f] == REPAIRING && EACH (BOOKS_NOT, 0) ->
        fencer_at [f] = TOLD_FAILED; CHECKED }
    od
}

/*  The planner is alive after all, and hears that a fence has aborted what it decided. */
#define ABORTED_BY_FENCE(p, t) (fenced [p] > 0 && AT (p, t) == ABORTED)
proctype adopter ()
{
end:
    do
    :: d_step { phase [0] == PHASE_DECIDED && UP (0) && SOME (ABORTED_BY_FENCE, 0) ->
        STEP (0, DECIDED, FENCED, ABORTED); CHECKED }
    od
}

proctype faults ()
{
end:
    do
    :: d_step { !dead -> dead = true }
    :: d_step { !stopped -> stopped = true }
#ifdef WITHOUT_T8_ADOPT /* a coordinator takes the fence for a participant that is lost */
    :: d_step { phase [0] == PHASE_DECIDED && !dead && SOME (IS_FENCED, 0) ->
        phase [0] = PHASE_REPAIRING; CHECKED }
#endif
    od
}

/*  Somebody else, at each site. */
proctype others (byte p)
{
end:
    do
    :: d_step { !taken [p] && USED (p) == 0 -> taken [p] = true; CHECKED }
    od
}

init
{
    atomic {
        run fencer (0); run fencer (1);
        run fence (0, 0); run fence (0, 1); run fence (1, 0); run fence (1, 1);
        run others (1);
#if PARTICIPANTS == 3
        run fence (0, 2); run fence (1, 2); run others (2);
#endif
        COMMANDS_AND_DECISIONS; run faults (); run adopter (); run judge ()
    }
}
