/*  stages - needs that are changed while they run: what they have, and from when on.
 *
 *  What has passed stays as it was (R10). A need that has begun, or will before a change can take
 *  effect, keeps what it had until then: that is a stage. After its last stage it has what its
 *  request asks for. All times here are counted from the reservation's start, which does not change
 *  once anything of it has begun.
 */
#ifndef MUSUBI_STAGES_H
#define MUSUBI_STAGES_H

#include "request.h"

/*  A time over which a need has one amount. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;
    uint32_t amount; /* CPUs, Mbit/s; never 0 */
} phase_t;

#define PHASES_MAX (STAGES_MAX + 1)

/*  All phases of a need, ascending; returns how many, at least one. */
size_t compute_phases (const user_request_t *self, size_t need, phase_t phases [PHASES_MAX]);
size_t network_phases (const user_request_t *self, size_t need, phase_t phases [PHASES_MAX]);

/*  When the need first has anything; when it begins to have what it asks for. */
int64_t compute_first (const user_request_t *self, size_t need);
int64_t compute_latest (const user_request_t *self, size_t need);
int64_t network_latest (const user_request_t *self, size_t need);

/*  Do the stages make sense for a need that lasts [from_ms, until_ms)? False with why, which begins
 *  with field: "request.compute[1]". */
bool stages_check (const stages_t *self, int64_t from_ms, int64_t until_ms, const char *field,
                   char why [WHY_BYTES]);

/*  When a change is made. */
typedef struct {
    int64_t now_ms;
    int64_t soonest_ms; /* no need can end before this */
    int64_t effect_ms;  /* from here on a need that has begun by then has its new amount */
} change_time_t;

/*  Give the changed request its stages, from the request before the change. A need that was removed
 *  after it had begun comes back, to end when the change takes effect. False with why: a need has
 *  ended, or would end too soon. */
bool stages_make (user_request_t *self, const user_request_t *before, const change_time_t *time,
                  char why [WHY_BYTES]);

/*  Drop all stages, as if no need had been changed while it ran. */
void stages_forget (user_request_t *self);

#endif
