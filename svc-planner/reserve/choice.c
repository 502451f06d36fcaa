/*  choice - the plan found, by whichever way. */
#include "errand.h"

int64_t choice_start (const errand_t *self)
{
    if (self->ranking)
        return ranking_plan (self->ranking)->start_ms;
    return self->backtracking ? backtracking_start (self->backtracking)
                              : search_start (self->search);
}

const size_t *choice_options (const errand_t *self)
{
    if (self->ranking)
        return ranking_plan (self->ranking)->choice;
    return self->backtracking ? backtracking_choice (self->backtracking)
                              : search_choice (self->search);
}

const path_t *choice_path (const errand_t *self, size_t network_need)
{
    if (self->ranking)
        return &ranking_plan (self->ranking)->paths [network_need];
    return self->backtracking ? backtracking_path (self->backtracking, network_need)
                              : search_path (self->search, network_need);
}

size_t choice_path_from (const errand_t *self, size_t network_need)
{
    if (self->ranking)
        return ranking_plan (self->ranking)->froms [network_need];
    return self->backtracking ? backtracking_path_from (self->backtracking, network_need)
                              : search_path_from (self->search, network_need);
}
