/*  reserve - a user asks for something new; and the steps of every errand, put together. */
#include "methods.h"

#include "phases.h"
#include "planner_wire.h"

#include <stdlib.h>
#include <string.h>

/*  The request travels in the plan (T1), which has room for so much. */
static bool fits_plan (const user_request_t *request)
{
    packed_t packed = user_request_encode (request);
    free (packed.data);
    return packed.size + 256 <= PLAN_REQUEST_BYTES_MAX; /* absolute times may take more room */
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
    user_request_t wanted;
    bool dry_run;
    if (!reserve_decode (request->body, &wanted, &dry_run, why)) {
        service_refuse (errands->service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (!user_request_check (&wanted, why)) {
        service_refuse (errands->service, request, CALL_BAD_REQUEST, "%s", why);
        user_request_clear (&wanted);
        return;
    }
    if (!fits_plan (&wanted)) {
        service_refuse (errands->service, request, CALL_BAD_REQUEST,
                        "request: larger than %d bytes", PLAN_REQUEST_BYTES_MAX);
        user_request_clear (&wanted);
        return;
    }
    errand_t *errand = errand_new (errands, now, request, ERRAND_RESERVE, dry_run);
    if (!errand) {
        user_request_clear (&wanted);
        return;
    }
    errand->request = wanted;
    errand->plan.algorithm = algorithm_named (wanted.algorithm);
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
