/*  site_check - all parts of a site that runs something. */
#include "checks.h"
#include "lis.h"

void site_check (const core_t *core)
{
    const lis_t *self = core->self;
    nodes_check (self->runner->nodes);
    openings_check (self->runner->openings);
    queue_check (self->runner->queue);
    sharing_check (self->runner->sharing);
}
