/*  site_check - all parts of a site that runs something. */
#include "checks.h"
#include "lis.h"

void site_check (const core_t *core)
{
    runner_t *runner = lis_runner (core);
    nodes_check (runner_nodes (runner));
    openings_check (runner_openings (runner));
    runner_check (runner);
}
