/*  timekeeper - what time it is, when the wall clock may be stepped (T15).
 *
 *  Windows are wall clock, lives are monotonic. The steady time is the wall clock as it would be
 *  had it only run on monotonically since the start. A wall clock more than STEP_ALARM_MS off it
 *  has been stepped: an alarm, told once a step; and what must not happen because of a step alone
 *  (an edge) asks for timekeeper_least.
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
    bool stands;       /* the wall clock stands still, which has been told */
} timekeeper_t;

/*  At each step; true when the wall clock has moved by more than STEP_ALARM_MS against the last
 *  told step. One that stands still (the host keeps it at the store's last stamp until the real one
 *  has come so far) is told once, however long it stands. */
bool timekeeper_see (timekeeper_t *self, const moment_t *now);

/*  The earlier of wall and steady time: what both clocks agree has passed. */
int64_t timekeeper_least (const timekeeper_t *self, const moment_t *now);

/*  The later of wall and steady time: refuses by whichever comes first. */
int64_t timekeeper_most (const timekeeper_t *self, const moment_t *now);

/*  The monotonic time at which both clocks will agree that wall_ms has come, if neither is stepped.
 */
int64_t timekeeper_mono (const timekeeper_t *self, const moment_t *now, int64_t wall_ms);

#endif
