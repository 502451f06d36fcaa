/*  claim - one request of a user, tried again at another planner, with its home as a participant.
 *
 *  T2: the home's claim has capacity one and no edge, and "refused" is told only after the claim is
 *  closed. Participant 0 is the home, the others are sites with room for every plan: nothing but the
 *  claim keeps the request from being done twice. Plan 0 is planner 0's; plan 1 is planner 1's, and
 *  with three plans so is plan 2, which follows plan 1. Either planner may die at any moment.
 */
#ifndef PARTICIPANTS
#define PARTICIPANTS 2
#endif
#ifndef PLANS
#define PLANS 2
#endif

#define HOME 0
#define PLANNER(t) ((t) > 0)

bool dead [2];          /* the planner, for good */
bool closed;            /* the claim is closed */
bool told_refused [2];  /* that planner has told the user so */

#define UP(t) (!dead [PLANNER (t)])
#define GAVE_UP(t) told_refused [PLANNER (t)]
#if PLANS == 2
#define MAY_BEGIN(t) !GAVE_UP (t)
#define REPLACED(p, t) false
#else
#define MAY_BEGIN(t) (!GAVE_UP (t) && (t < 2 || phase [1] == PHASE_ABORTED))
#define REPLACED(p, t) (t == 1 && BEGUN (2))
#endif
#define MAY_DECIDE(t) true
#define TAKES_PART(p, t) true
#define HAS_EDGE(p, t) (p != HOME)
#define HEARS(p, t) true
#define HAS_CLAIM(t) (OPEN (HOME, t) || AT (HOME, t) == COMMITTED)
#define OUT(t) (phase [t] == PHASE_INITIAL || phase [t] == PHASE_ABORTED)
#if PLANS == 2
#define ANY_CLAIM (HAS_CLAIM (0) || HAS_CLAIM (1))
#define ANY_DECIDED (DECIDED (0) || DECIDED (1))
#define DECIDED_COUNT (DECIDED (0) + DECIDED (1))
#define IDLE(planner) OUT (planner)
#else
#define ANY_CLAIM (HAS_CLAIM (0) || HAS_CLAIM (1) || HAS_CLAIM (2))
#define ANY_DECIDED (DECIDED (0) || DECIDED (1) || DECIDED (2))
#define DECIDED_COUNT (DECIDED (0) + DECIDED (1) + DECIDED (2))
#define IDLE(planner) (OUT (planner) && (planner == 0 || OUT (2)))
#endif
#define ROOM(p, t) true
#ifdef WITHOUT_T2 /* the home grants the claim to every planner that asks */
#define MAY_TAKE(p, t) (p != HOME || !closed)
#else
#define MAY_TAKE(p, t) (p != HOME || (!closed && !ANY_CLAIM))
#endif
#define ON_TAKE(p, t)
#define ON_DROP(p, t)
#define ON_COMMIT(p, t)
#define ON_REFUSED(p, t)
#define ON_RELEASE(p, t)

#if PLANS == 2
#define PLANS_CHECKED PLAN_CHECKED (0); PLAN_CHECKED (1)
#else
#define PLANS_CHECKED PLAN_CHECKED (0); PLAN_CHECKED (1); PLAN_CHECKED (2)
#endif
#define CHECKED                                                                            \
    PLANS_CHECKED; HOLDS (done_twice, DECIDED_COUNT <= 1);                                 \
    HOLDS (refused_and_committed, !((told_refused [0] || told_refused [1]) && ANY_DECIDED))

/*  A claim has no edge: where its planner is gone for good and all sites are past theirs, it waits
 *  for who finishes the planner's store, or fences it (T8, fence.pml). */
#define AT_EDGE_OR_OVER(p, t) (p == HOME || COMMAND_OVER (p, t) || AT (p, t) == EDGE)
#define ORPHANED(t) (dead [PLANNER (t)] && EACH (AT_EDGE_OR_OVER, t))
#define PLAN_ENDED(t)                                                                      \
    (ORPHANED (t) || (EACH (COMMAND_OVER, t) && phase [t] != PHASE_VOTING &&               \
                      phase [t] != PHASE_DECIDED && phase [t] != PHASE_REPAIRING))
#if PLANS == 2
#define ENDED (PLAN_ENDED (0) && PLAN_ENDED (1))
#else
#define ENDED (PLAN_ENDED (0) && PLAN_ENDED (1) && PLAN_ENDED (2))
#endif

#include "protocol.pml"

/*  A planner gives up: it closes the claim, and only then says "refused". Where the claim is taken
 *  it says "in progress" or asks again, which tells nothing. */
proctype closing (byte planner)
{
end:
    do
#ifdef WITHOUT_T2_CLOSE
    :: d_step { IDLE (planner) && !dead [planner] && !told_refused [planner] ->
        told_refused [planner] = true; CHECKED }
#else
    :: d_step { IDLE (planner) && !dead [planner] && !told_refused [planner] && !ANY_CLAIM ->
        closed = true; told_refused [planner] = true; CHECKED }
#endif
    od
}

proctype faults ()
{
end:
    do
    :: d_step { !dead [0] -> dead [0] = true }
    :: d_step { !dead [1] -> dead [1] = true }
    od
}

init
{
    atomic { COMMANDS_AND_DECISIONS; run closing (0); run closing (1); run faults (); run judge () }
}
