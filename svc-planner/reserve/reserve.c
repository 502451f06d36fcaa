/*  reserve - a user asks for something new; and the steps of every errand, put together. */
#include "methods.h"

#include "phases.h"
#include "planner_wire.h"

#include <stdlib.h>
#include <string.h>

/*  The request travels in the plan (T1), which has room for so much. */
static bool fits_plan (const user_request_t *request, char why [WHY_BYTES])
{
    packed_t packed = codec_encode (&user_request_codec, request);
    free (packed.data);
    return packed.size + 256 <= PLAN_REQUEST_BYTES_MAX || /* absolute times may take more room */
           wrong (why, "request: larger than %d bytes", PLAN_REQUEST_BYTES_MAX);
}

static const algorithm_t *algorithm_named (const char *name)
{
    static const algorithm_t *const algorithms [] = {&algorithm_bbr, &algorithm_bir, &algorithm_ip};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strcmp (name, algorithms [i]->name) == 0)
            return algorithms [i];
    return &algorithm_auto;
}

void planner_on_reserve (void *owner, const moment_t *now, const request_t *request)
{
    errands_t *errands = owner;
    char why [WHY_BYTES];
    reserve_t asked;
    if (!service_decode (errands->service, request, &reserve_codec, &asked))
        return;
    bool good = user_request_check (&asked.request, why) && fits_plan (&asked.request, why);
    if (!good)
        service_refuse (errands->service, request, CALL_BAD_REQUEST, "%s", why);
    errand_t *errand =
      good ? errand_new (errands, now, request, ERRAND_RESERVE, asked.dry_run) : NULL;
    if (!errand) {
        codec_clear (&reserve_codec, &asked);
        return;
    }
    errand->request = asked.request;
    errand->plan.algorithm = algorithm_named (asked.request.algorithm);
    errand_log (errand, LEVEL_DEBUG, "received", "");
    errand_go (errand, now, STEP_PLAN);
}

void reserve_open (errands_t *self)
{
    static errand_step_fn *const steps [STEPS] = {
      [STEP_LOCATE] = errand_locate, [STEP_PLAN] = errand_plan,       [STEP_VOTE] = errand_vote,
      [STEP_AGAIN] = errand_again,   [STEP_LOOK] = errand_look,       [STEP_LATE] = errand_late,
      [STEP_DOUBT] = errand_doubt,   [STEP_GIVE_UP] = errand_give_up,
    };
    self->steps = steps;
    errands_open (self);
}
