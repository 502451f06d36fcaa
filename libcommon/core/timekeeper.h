/*  timekeeper - what time it is, when the wall clock may be stepped (T15).
 *
 *  Windows are wall clock, lives are monotonic. The steady time is the wall clock as it would be
 *  had it only run on monotonically since the start. A wall clock that is more than STEP_ALARM_MS
 *  off the steady time has been stepped: that raises an alarm, once for each step. What must not
 *  happen merely because of a step (an edge) uses timekeeper_least.
 */
#ifndef MUSUBI_TIMEKEEPER_H
#define MUSUBI_TIMEKEEPER_H

#include "core.h"

#define STEP_ALARM_MS 1000

typedef struct {
    bool started;
    int64_t offset_ms; /* wall - mono at the start */
    int64_t step_ms;   /* wall - steady, as last seen to move */
    int64_t wall_ms;   /* last seen */
    bool stands;       /* the wall clock stands still, and an alarm was raised */
} timekeeper_t;

/*  Called at each step. True when the wall clock has moved by more than STEP_ALARM_MS since the
 *  last step that was reported. A clock that stands still (the host holds it at the store's last
 *  stamp until the real one has caught up) is reported once, however long that takes. */
bool timekeeper_see (timekeeper_t *self, const moment_t *now);

/*  The earlier of wall and steady time: what both clocks agree has passed. */
int64_t timekeeper_least (const timekeeper_t *self, const moment_t *now);

/*  The later of wall and steady time: for refusals, which hold as soon as either clock says so. */
int64_t timekeeper_most (const timekeeper_t *self, const moment_t *now);

/*  The monotonic time at which both clocks will agree that wall_ms has come, if neither is stepped.
 */
int64_t timekeeper_mono (const timekeeper_t *self, const moment_t *now, int64_t wall_ms);

#endif
