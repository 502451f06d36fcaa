/*  widen - asks the sources of a plan that was found on suppositions, and enough others with them
 *  that few rounds ask everybody.
 */
#include "widen.h"

static bool widen_put_off (const snapshot_t *snapshot, size_t source)
{
    const source_t *at = &snapshot->sources [source];
    return at->put_off && at->useful && !at->left_out;
}

static size_t widen_source (const snapshot_t *snapshot, size_t need, size_t option)
{
    return snapshot->places [snapshot->needs [need].options [option].place].source;
}

bool widen_to_all (snapshot_t *snapshot)
{
    bool any = false;
    for (size_t i = 0; i < snapshot->sources_count; i++) {
        any = any || widen_put_off (snapshot, i);
        snapshot_want (snapshot, i);
    }
    return any;
}

void widen_first (snapshot_t *snapshot, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < snapshot->sources_count; i++)
        count += widen_put_off (snapshot, i);
    if (count <= most)
        widen_to_all (snapshot);
}

/*  How many of a need's options are asked; of domains, when need is SIZE_MAX. */
static size_t widen_asked (const snapshot_t *snapshot, size_t need)
{
    size_t count = 0;
    for (size_t i = 0; need < SIZE_MAX && i < snapshot->needs [need].options_count; i++)
        count += !snapshot->sources [widen_source (snapshot, need, i)].put_off;
    for (size_t i = 0; need == SIZE_MAX && i < snapshot->sources_count; i++)
        count += snapshot->sources [i].kind == SOURCE_DOMAIN && snapshot->sources [i].useful &&
                 !snapshot->sources [i].put_off;
    return count;
}

static bool want_plan (snapshot_t *snapshot, const choice_t *choice)
{
    bool any = false;
    for (size_t n = 0; n < snapshot->request->compute_count; n++) {
        size_t source = widen_source (snapshot, n, choice->options [n]);
        any = any || widen_put_off (snapshot, source);
        snapshot_want (snapshot, source);
    }
    for (size_t n = 0; n < snapshot->request->network_count; n++)
        for (size_t i = 0; i < choice->paths [n].links_count; i++) {
            size_t source = snapshot->links [choice->paths [n].links [i]].source;
            any = any || widen_put_off (snapshot, source);
            snapshot_want (snapshot, source);
        }
    return any;
}

bool widen_to_plan (snapshot_t *snapshot, const choice_t *choice)
{
    size_t domains = widen_asked (snapshot, SIZE_MAX);
    if (!want_plan (snapshot, choice))
        return false;
    for (size_t n = 0; n < snapshot->request->compute_count; n++) {
        size_t asked = widen_asked (snapshot, n), most = asked > 1 ? 2 * asked : 1;
        for (size_t i = 0; i < snapshot->needs [n].options_count && asked < most; i++) {
            size_t source = widen_source (snapshot, n, i);
            asked += widen_put_off (snapshot, source);
            snapshot_want (snapshot, source);
        }
    }
    size_t asked = widen_asked (snapshot, SIZE_MAX);
    for (size_t i = 0; i < snapshot->sources_count && asked < domains * 2; i++)
        if (snapshot->sources [i].kind == SOURCE_DOMAIN && widen_put_off (snapshot, i)) {
            snapshot_want (snapshot, i);
            asked++;
        }
    return true;
}

bool widen_misses (const snapshot_t *snapshot, const choice_t *choice, int64_t soonest_ms)
{
    if (!snapshot->supposed.on || snapshot->outside_ms >= choice->start_ms ||
        user_request_policy (snapshot->request) == POLICY_COST)
        return false;
    int64_t lead_ms =
      soonest_ms + snapshot->outside_lead_ms - user_request_offset_least (snapshot->request);
    return lead_ms < choice->start_ms;
}
