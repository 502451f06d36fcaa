/*  modify - changes of one reservation, by two planners that know nothing of each other.
 *
 *  T11: a command names its base version and is refused unless that is the current one and nothing is
 *  pending; while it is pending the calendar carries the larger of old and new, and the old stands.
 *  The reservation is at version 1 with one unit at each participant, of two that there are; somebody
 *  else takes what is free. Plan 0 makes it two units, plan 1 releases it (or, with -DNO_RELEASE, makes
 *  it two units too); with three plans, plan 2 makes one unit of version 2. T9 and T10 go on below it.
 *
 *  R11: the release may be begun while the last participants are silent, but not while all are that
 *  book something. Then these have no part in it, and are awaited: once nothing is pending there any
 *  more they give back what they have, in a transaction of their own, here one step.
 */
#ifndef PARTICIPANTS
#define PARTICIPANTS 2
#endif
#ifndef PLANS
#define PLANS 2
#endif
#define UNITS 2
#define BASE(t) (t == 2 -> 2 : 1)
#ifdef NO_RELEASE
#define AMOUNT(t) (t == 2 -> 1 : 2)
#else
#define AMOUNT(t) (t == 0 -> 2 : (t == 1 -> 0 : 1))
#endif
#define PLANNER(t) (t == 1)

bool dead [2];
byte version [PARTICIPANTS];
byte current [PARTICIPANTS];  /* units of the committed version */
byte calendar [PARTICIPANTS]; /* units that the calendar carries for it */
byte made_by [PARTICIPANTS];  /* plan + 1 */
bool taken [PARTICIPANTS];    /* a unit, by somebody else */
byte silent;                  /* so many of the last participants are, when the release begins */

#define UP(t) (!dead [PLANNER (t)])
#ifdef WITHOUT_R11_BOOKS /* the home's vote is enough */
#define HEARD(t) true
#else
#define HEARD(t) (t != 1 || silent < PARTICIPANTS)
#endif
#define MAY_BEGIN(t) (HEARD (t) && (t < 2 || version [0] == 2 || version [1] == 2))
#define MAY_DECIDE(t) true
#define REPLACED(p, t) false
#define AWAITS(p, t) ((t) == 1 && (p) + silent >= PARTICIPANTS)
#define TAKES_PART(p, t) (!AWAITS (p, t))
#define HAS_EDGE(p, t) true
#define HEARS(p, t) true
#define LARGER(p, t) (current [p] > AMOUNT (t) -> current [p] : AMOUNT (t))
#define PENDING_ONE(p, t) (OPEN (p, t) || AT (p, t) == EDGE)
#if PLANS == 2
#define PENDING(p) (PENDING_ONE (p, 0) || PENDING_ONE (p, 1))
#else
#define PENDING(p) (PENDING_ONE (p, 0) || PENDING_ONE (p, 1) || PENDING_ONE (p, 2))
#endif
#ifdef WITHOUT_T11
#define IS_CURRENT(p, t) true
#else
#define IS_CURRENT(p, t) (version [p] == BASE (t))
#endif
#ifdef WITHOUT_T11_BUSY
#define IS_IDLE(p) true
#else
#define IS_IDLE(p) !PENDING (p)
#endif
#define FITS(p, units) (units + taken [p] <= UNITS)
#define MAY_TAKE(p, t) \
    (current [p] > 0 && IS_CURRENT (p, t) && IS_IDLE (p) && FITS (p, LARGER (p, t)))
#define ROOM(p, t) FITS (p, AMOUNT (t))
#ifdef WITHOUT_T11_LARGER /* what the new version does not need is given back at the vote */
#define ON_TAKE(p, t) calendar [p] = AMOUNT (t)
#else
#define ON_TAKE(p, t) calendar [p] = LARGER (p, t)
#endif
#define ON_DROP(p, t) calendar [p] = current [p]
#define MAKES_VERSION(p, t)                          \
    HOLDS (change_lost, version [p] == BASE (t));    \
    version [p] = BASE (t) + 1;                      \
    made_by [p] = t + 1
#define ON_COMMIT(p, t)          \
    MAKES_VERSION (p, t);        \
    current [p] = AMOUNT (t);    \
    calendar [p] = AMOUNT (t)
#define ON_REFUSED(p, t) MAKES_VERSION (p, t)
#define ON_RELEASE(p, t) current [p] = 0; calendar [p] = 0
#define HAS_REST(p, t) (current [p] > 0)
#define MAY_REST(p, t) (!PENDING (p))
#define ON_REST(p, t) MAKES_VERSION (p, t); current [p] = 0; calendar [p] = 0
#define STILL_ITS(p, t) (made_by [p] == t + 1 && current [p] > 0)
#define KEEPS_OLD(p) true
#define MAY_RELEASE(p, t) !PENDING (p)

#define OLD_STANDS(p, t) (calendar [p] >= current [p])
#define ROOM_KEPT(p, t) FITS (p, calendar [p])
#if PLANS == 2
#define PLANS_CHECKED PLAN_CHECKED (0); PLAN_CHECKED (1)
#else
#define PLANS_CHECKED PLAN_CHECKED (0); PLAN_CHECKED (1); PLAN_CHECKED (2)
#endif
#define CHECKED                                        \
    PLANS_CHECKED;                                     \
    HOLDS (old_window_lost, EACH (OLD_STANDS, 0));     \
    HOLDS (capacity_twice, EACH (ROOM_KEPT, 0))

#define GIVEN_BACK(p, t) (COMMAND_OVER (p, t) || AT (p, t) == EDGE)
#define PLAN_ENDED(t)                                                                       \
    (dead [PLANNER (t)]                                                                     \
       -> EACH (GIVEN_BACK, t)                                                              \
       : EACH (COMMAND_OVER, t) && phase [t] != PHASE_VOTING && phase [t] != PHASE_DECIDED && \
           phase [t] != PHASE_REPAIRING)
#define AS_FIRST(p, t)                                                                    \
    (version [p] == version [0] && made_by [p] == made_by [0] && current [p] == current [0])
/*  With both planners alive all are at the same version with the same units. */
#define AGREE (dead [0] || dead [1] || EACH (AS_FIRST, 0))
#if PLANS == 2
#define ENDED (PLAN_ENDED (0) && PLAN_ENDED (1) && AGREE)
#else
#define ENDED (PLAN_ENDED (0) && PLAN_ENDED (1) && PLAN_ENDED (2) && AGREE)
#endif

#include "protocol.pml"

proctype faults ()
{
end:
    do
    :: d_step { !dead [0] -> dead [0] = true }
    :: d_step { !dead [1] -> dead [1] = true }
#ifndef NO_RELEASE
    :: d_step { silent < PARTICIPANTS && phase [1] == PHASE_INITIAL -> silent++ }
#endif
    od
}

proctype others (byte p)
{
end:
    do
    :: d_step { !taken [p] && calendar [p] < UNITS -> taken [p] = true; CHECKED }
    od
}

init
{
    atomic {
        version [0] = 1; current [0] = 1; calendar [0] = 1;
        version [1] = 1; current [1] = 1; calendar [1] = 1;
        run others (0); run others (1);
#if PARTICIPANTS == 3
        version [2] = 1; current [2] = 1; calendar [2] = 1;
        run others (2);
#endif
        COMMANDS_AND_DECISIONS; run faults (); run judge ()
    }
}
