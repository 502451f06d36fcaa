/*  budget - what a solver has used of its limit. */
#ifndef MUSUBI_BUDGET_H
#define MUSUBI_BUDGET_H

#include "solver_order.h"

typedef struct {
    const solver_limit_t *limit;
    int64_t until_us; /* INT64_MAX: any time */
    uint64_t steps;
    uint64_t look_at; /* steps at which the clock is asked again */
    bool over;
} budget_t;

#define BUDGET_LOOK_STEPS 16 /* between two looks at the clock */

static inline void budget_begin (budget_t *self, const solver_limit_t *limit)
{
    bool timed = limit->clock_us && limit->time_us_max > 0;
    *self = (budget_t){
      .limit = limit,
      .until_us = timed ? limit->clock_us (limit->clock) + limit->time_us_max : INT64_MAX,
    };
}

/*  The milliseconds left, at least 1; INT32_MAX when time is not limited. */
static inline int budget_left_ms (const budget_t *self)
{
    if (self->until_us == INT64_MAX)
        return INT32_MAX;
    int64_t left = (self->until_us - self->limit->clock_us (self->limit->clock) + 999) / 1000;
    return left < 1 ? 1 : left > INT32_MAX ? INT32_MAX : (int) left;
}

static inline bool budget_look (budget_t *self)
{
    if (self->over)
        return false;
    self->look_at = self->steps + BUDGET_LOOK_STEPS;
    if ((self->limit->steps_max > 0 && self->steps >= self->limit->steps_max) ||
        (self->until_us != INT64_MAX &&
         self->limit->clock_us (self->limit->clock) >= self->until_us))
        self->over = true;
    return !self->over;
}

/*  Counts a step; false when the limit is reached. */
static inline bool budget_step (budget_t *self)
{
    self->steps++;
    if (self->limit->steps_max > 0 && self->steps >= self->limit->steps_max)
        self->over = true;
    if (self->steps >= self->look_at)
        return budget_look (self);
    return !self->over;
}

#endif
