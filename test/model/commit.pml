/*  commit - one planner, its plan and the plan that replaces it, over two or three participants.
 *
 *  T1 (a txid is never used twice; what is replaced was dropped), T3, T4, T5, T6, T7, T8 with the
 *  store at hand, T9, T10. Faults: the coordinator crashes and starts again, or never again; another
 *  process takes its store over while it still runs; one participant loses its store; somebody else
 *  takes the capacity whenever it is free.
 */
#ifndef PARTICIPANTS
#define PARTICIPANTS 2
#endif
#ifndef PLANS
#define PLANS 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif

bool up = true;
bool dead;        /* for good: no process takes its store over */
bool taken_over;  /* another process has opened the store, with a greater start number */
byte crashes;
bool taken [PARTICIPANTS]; /* by somebody else */
bool loss;        /* one store has been lost */
#ifdef WITHOUT_T1
bool reused;
#endif

#define UP(t) up
#if PLANS == 1
#define MAY_BEGIN(t) !taken_over
#define REPLACED(p, t) false
#define TAKEN_BY_US(p) TAKES (p, 0)
#elif defined WITHOUT_T1_DROP /* the plan that is replaced is still in progress */
#define MAY_BEGIN(t) (!taken_over && (t == 0 || (BEGUN (0) && !DECIDED (0))))
#else
#define MAY_BEGIN(t) (!taken_over && (t == 0 || phase [0] == PHASE_ABORTED))
#endif
#if PLANS == 2
#define REPLACED(p, t) (t == 0 && BEGUN (1))
#define TAKEN_BY_US(p) (TAKES (p, 0) + TAKES (p, 1))
#endif

#define MAY_DECIDE(t) true
#define TAKES_PART(p, t) true
#define HAS_EDGE(p, t) true
#define HEARS(p, t) true
#define TAKES(p, t) (OPEN (p, t) || (AT (p, t) == COMMITTED && !given_back [CELL (p, t)]))
#define USED(p) (TAKEN_BY_US (p) + taken [p])
#define ROOM(p, t) (USED (p) == 0)
#define MAY_TAKE(p, t) ROOM (p, t)
#define ON_TAKE(p, t)
#define ON_DROP(p, t)
#define ON_COMMIT(p, t)
#define ON_REFUSED(p, t)
#define ON_RELEASE(p, t)

#define ROOM_KEPT(p, t) (USED (p) <= 1)
#if PLANS == 1
#define CHECKED PLAN_CHECKED (0); HOLDS (capacity_twice, EACH (ROOM_KEPT, 0))
#else
#define CHECKED                                                                \
    PLAN_CHECKED (0); PLAN_CHECKED (1); HOLDS (capacity_twice, EACH (ROOM_KEPT, 0)); \
    HOLDS (done_twice, !(DECIDED (0) && DECIDED (1)))
#endif

/*  With the coordinator alive everything has ended; without it, what was voted on is at least given
 *  back at its edge, and waits for who finishes its store (T8). */
#define GIVEN_BACK(p, t) (COMMAND_OVER (p, t) || AT (p, t) == EDGE)
#define PLAN_ENDED(t)                                                                  \
    (dead -> EACH (GIVEN_BACK, t)                                                      \
          : EACH (COMMAND_OVER, t) && phase [t] != PHASE_VOTING &&                     \
                phase [t] != PHASE_DECIDED && phase [t] != PHASE_REPAIRING &&          \
                (!SOME (HAS_REFUSED, t) || EACH (BOOKS_NOT, t)))
#if PLANS == 1
#define ENDED PLAN_ENDED (0)
#else
#define ENDED (PLAN_ENDED (0) && PLAN_ENDED (1))
#endif

#include "protocol.pml"

/*  Who opens the store again knows what is on record, and nothing of what was in progress. A
 *  take-over is that, but the old process may still believe it is in progress. */
#if PLANS == 1
#define FORGET if :: phase [0] == PHASE_VOTING -> phase [0] = PHASE_ABORTED :: else fi
#else
#define FORGET                                                            \
    if :: phase [0] == PHASE_VOTING -> phase [0] = PHASE_ABORTED :: else fi; \
    if :: phase [1] == PHASE_VOTING -> phase [1] = PHASE_ABORTED :: else fi
#endif

#ifdef WITHOUT_T8_START /* the process that had the store before writes on (T4, T8) */
bool stale [PLANS]; /* still voting, in that process */
#define VOTING_STILL(t) if :: phase [t] == PHASE_VOTING -> stale [t] = true :: else fi
#endif

proctype faults ()
{
end:
    do
    :: d_step { up && crashes < CRASHES -> crashes++; up = false; FORGET; CHECKED }
    :: d_step { !up && !dead -> up = true }
    :: d_step { !up && !dead -> dead = true }
    :: d_step { up && !taken_over -> taken_over = true;
#ifdef WITHOUT_T8_START
        VOTING_STILL (0);
#if PLANS == 2
        VOTING_STILL (1);
#endif
#endif
        FORGET; CHECKED }
#ifdef WITHOUT_T8_START
    :: d_step { stale [0] && EACH (HAS_VOTED, 0) ->
        stale [0] = false; phase [0] = PHASE_DECIDED; CHECKED }
#endif
    :: d_step { !loss -> loss = true; lost [0] = true; CHECKED }
    od
}

/*  Somebody else, at each participant. */
proctype others (byte p)
{
end:
    do
    :: d_step { !taken [p] && USED (p) == 0 -> taken [p] = true; CHECKED }
    od
}

init
{
    atomic { COMMANDS_AND_DECISIONS; run others (0); run others (1);
#if PARTICIPANTS == 3
        run others (2);
#endif
        run faults (); run judge () }
}
