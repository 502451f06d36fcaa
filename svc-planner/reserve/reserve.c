/*  reserve - a user's new request is received; and the table of steps of every pending request. */
#include "phases.h"
#include "planner_wire.h"

#include <stdlib.h>
#include <string.h>

/*  The request travels in the plan (T1), which has limited room. Encoded again it is never more
 *  than twice as large as it came; 256 bytes are for times that become absolute. */
static bool fits_plan (const user_request_t *request, size_t size, char why [WHY_BYTES])
{
    if (2 * size + 256 <= PLAN_REQUEST_BYTES_MAX)
        return true;
    packed_t packed = codec_encode (&user_request_codec, request);
    free (packed.data);
    return packed.size + 256 <= PLAN_REQUEST_BYTES_MAX ||
           wrong (why, "request: must not be larger than %d bytes", PLAN_REQUEST_BYTES_MAX);
}

static const algorithm_t *algorithm_named (const char *name)
{
    static const algorithm_t *const algorithms [] = {&algorithm_bbr, &algorithm_bir, &algorithm_ip};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strcmp (name, algorithms [i]->name) == 0)
            return algorithms [i];
    return &algorithm_auto;
}

void planner_on_reserve (void *owner, const moment_t *now, const request_t *request, void *body)
{
    pendings_t *pendings = owner;
    char why [WHY_BYTES];
    reserve_t *asked = body;
    bool good = (user_request_check (&asked->request, why) &&
                 fits_plan (&asked->request, request->body.size, why)) ||
                service_refuse (pendings->service, request, CALL_BAD_REQUEST, "%s", why);
    pending_t *pending =
      good ? pending_new (pendings, now, request, OPERATION_RESERVE, asked->dry_run) : NULL;
    if (!pending)
        return;
    pending->request = asked->request;
    *asked = (reserve_t){.dry_run = false};
    pending->plan.algorithm = algorithm_named (pending->request.algorithm);
    pending_log (pending, LEVEL_DEBUG, "received", "");
    pending_go (pending, now, STEP_PLAN);
}

void pendings_open (pendings_t *self)
{
    static pending_step_fn *const steps [STEPS] = {
      [STEP_LOCATE] = pending_locate,   [STEP_PLAN] = pending_plan,
      [STEP_VOTE] = pending_vote,       [STEP_AGAIN] = pending_again,
      [STEP_NEXT] = pending_next,       [STEP_LOOK] = pending_look,
      [STEP_LATE] = pending_late,       [STEP_DOUBT] = pending_doubt,
      [STEP_GIVE_UP] = pending_give_up,
    };
    self->steps = steps;
    self->open = ordered_new (pending_compare);
}

void pendings_close (pendings_t *self)
{
    pending_t *pending;
    while ((pending = ordered_after (self->open, NULL)))
        pending_destroy (pending);
    ordered_destroy (&self->open);
    free (self->sites);
    free (self->cheapest);
}
