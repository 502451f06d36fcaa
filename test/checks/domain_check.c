/*  domain_check - a domain's bookings, votes, and the use of its circuits. */
#include "checks.h"
#include "nis.h"

#include <assert.h>

static void uses_check (const circuit_usage_t *self)
{
    size_t turns = 0;
    for (const use_t *use = NULL;
         (use = ordered_after (self->by_reservation, use ? use->reservation : NULL));) {
        turns += use->turn_ms < INT64_MAX;
        assert (!use->open || use->provisioned);
        assert (!use->provisioned || use->asked);
        assert (participant_current (self->participant, use->reservation));
    }
    assert (turns == ordered_count (self->turns));
}

void domain_core_check (const core_t *core)
{
    const nis_t *self = core->self;
    participant_check (self->provider.participant);
    uses_check (self->uses);
}
