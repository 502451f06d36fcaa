/*  reserve - a user asks for something new. */
#include "methods.h"

#include "planner_wire.h"

#include <stdlib.h>

/*  The request travels in the plan (T1), which has room for so much. */
static bool fits_plan (const user_request_t *request)
{
    packed_t packed = user_request_encode (request);
    free (packed.data);
    return packed.size + 256 <= PLAN_REQUEST_BYTES_MAX; /* absolute times may take more room */
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
    errand_log (errand, LEVEL_DEBUG, "received", "");
    errand_plan (errand, now);
}
