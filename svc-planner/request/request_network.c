/*  request_network - the network needs of a request: bandwidth between the places of two compute
 *  needs while both run.
 */
#include "request.h"

#include "domain.h"
#include "stages.h"
#include "timetext.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FIELD_BYTES 64

size_t network_need_end (const user_request_t *self, size_t need, int end)
{
    size_t at = user_request_need (self, self->network [need].ends [end]);
    assert (at != SIZE_MAX);
    return at;
}

/*  The time in which both ends run; empty when from is not before until. */
static void shared_time (const user_request_t *self, size_t need, int64_t *from_ms,
                         int64_t *until_ms)
{
    *from_ms = 0;
    *until_ms = INT64_MAX;
    for (int end = 0; end < 2; end++) {
        size_t at = network_need_end (self, need, end);
        int64_t begin_ms = self->compute [at].offset_ms;
        int64_t end_ms = begin_ms + need_duration (self, at);
        *from_ms = begin_ms > *from_ms ? begin_ms : *from_ms;
        *until_ms = end_ms < *until_ms ? end_ms : *until_ms;
    }
}

void network_need_interval (const user_request_t *self, size_t need, int64_t *from_ms,
                            int64_t *until_ms)
{
    const network_need_t *link = &self->network [need];
    if (link->duration_ms == 0) {
        shared_time (self, need, from_ms, until_ms);
        return;
    }
    *from_ms = link->offset_ms;
    *until_ms = link->offset_ms + link->duration_ms;
}

path_order_t user_request_path_order (const user_request_t *self)
{
    if (strcmp (self->route, "fixed") == 0)
        return PATH_FIXED;
    return user_request_policy (self) == POLICY_COST ? PATH_CHEAP : PATH_FREE;
}

/*  --- does it make sense? --- */

static bool check_ends (const user_request_t *self, size_t at, char why [WHY_BYTES])
{
    const network_need_t *need = &self->network [at];
    if (need->ends_count != 2)
        return wrong (why, "request.network[%zu].between: must name two compute needs", at);
    for (int end = 0; end < 2; end++)
        if (user_request_need (self, need->ends [end]) == SIZE_MAX)
            return wrong (why, "request.network[%zu].between[%d]: there is no compute need '%s'",
                          at, end, need->ends [end]);
    if (strcmp (need->ends [0], need->ends [1]) == 0)
        return wrong (why, "request.network[%zu].between: '%s' can't be linked to itself", at,
                      need->ends [0]);
    return true;
}

static bool check_id (const user_request_t *self, size_t at, char why [WHY_BYTES])
{
    const network_need_t *need = &self->network [at];
    if (*need->id == 0)
        return wrong (why,
                      "request.network[%zu].id: must be given, as its ends' ids joined by \"-\" "
                      "are longer than %d bytes",
                      at, NAME_BYTES_MAX);
    if (!name_sound (need->id))
        return wrong (
          why, "request.network[%zu].id: must be letters, digits and . _ -, at least one", at);
    bool twice = user_request_need (self, need->id) != SIZE_MAX;
    for (size_t i = 0; i < at; i++)
        twice = twice || strcmp (self->network [i].id, need->id) == 0;
    if (twice)
        return wrong (
          why, "request.network[%zu].id: '%s' is used twice: give each need an id of its own", at,
          need->id);
    return true;
}

static bool request_network_check_time (const user_request_t *self, size_t at, char why [WHY_BYTES])
{
    const network_need_t *need = &self->network [at];
    if (need->offset_ms < 0 || need->offset_ms > OFFSET_MS_MAX)
        return wrong (why, "request.network[%zu].offset: must be 0 to 31 days", at);
    if (need->duration_ms < 0 || need->duration_ms > DURATION_MS_MAX)
        return wrong (why, "request.network[%zu].duration: must be 1 ms to 366 days", at);
    if (need->duration_ms == 0 && need->offset_ms > 0)
        return wrong (
          why, "request.network[%zu].duration: must be given, too, when there is an offset", at);
    char text [4][TIMETEXT_BYTES];
    int64_t shared_from_ms, shared_until_ms, from_ms, until_ms;
    shared_time (self, at, &shared_from_ms, &shared_until_ms);
    if (shared_from_ms >= shared_until_ms)
        return wrong (why, "request.network[%zu].between: '%s' and '%s' never run at the same time",
                      at, need->ends [0], need->ends [1]);
    network_need_interval (self, at, &from_ms, &until_ms);
    if (from_ms < shared_from_ms || until_ms > shared_until_ms)
        return wrong (why,
                      "request.network[%zu].offset: it would last from %s to %s, but its ends run "
                      "together only from %s to %s",
                      at, timetext_format_duration (from_ms, text [0]),
                      timetext_format_duration (until_ms, text [1]),
                      timetext_format_duration (shared_from_ms, text [2]),
                      timetext_format_duration (shared_until_ms, text [3]));
    return true;
}

static bool check_link (const user_request_t *self, size_t at, char why [WHY_BYTES])
{
    const network_need_t *need = &self->network [at];
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "request.network[%zu]", at);
    if (!check_ends (self, at, why) || !check_id (self, at, why))
        return false;
    if (need->mbps < 1 || need->mbps > LINK_MBPS_MAX)
        return wrong (why, "request.network[%zu].mbps: must be 1 to %d", at, LINK_MBPS_MAX);
    if (!request_network_check_time (self, at, why))
        return false;
    int64_t from_ms, until_ms;
    network_need_interval (self, at, &from_ms, &until_ms);
    return stages_check (&need->stages, from_ms, until_ms, field, why);
}

bool network_needs_check (const user_request_t *self, char why [WHY_BYTES])
{
    for (size_t i = 0; i < self->network_count; i++)
        if (!check_link (self, i, why))
            return false;
    return true;
}
