/*  windows - chooses start times and quantities, as many as one question may ask about. */
#include "windows.h"

#include "must.h"
#include "stages.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MAX       64 /* sets of network needs looked at together */
#define SUBSETS_OF_MAX 4  /* up to so many needs: every set of them */

/*  What a plan may want of one resource; times count from the plan's start. */
typedef struct {
    const char *resource;
    free_profile_t *free_profile;
    int64_t quantity;
    int64_t from_ms;
    int64_t until_ms;
} demand_t;

typedef struct {
    demand_t *demands;
    size_t count;
    size_t room;
} demands_t;

static void add_demand (demands_t *self, const demand_t *demand)
{
    for (size_t i = self->count;
         i > 0 && self->demands [i - 1].free_profile == demand->free_profile; i--)
        if (self->demands [i - 1].quantity == demand->quantity &&
            self->demands [i - 1].from_ms == demand->from_ms &&
            self->demands [i - 1].until_ms == demand->until_ms)
            return; /* another need wants just the same */
    self->demands = must_grow (self->demands, self->count, &self->room, sizeof *self->demands);
    self->demands [self->count++] = *demand;
}

static void demand_places (demands_t *self, snapshot_t *snapshot, size_t source)
{
    const user_request_t *request = snapshot->request;
    for (size_t n = 0; n < request->compute_count; n++) {
        for (size_t i = 0; i < snapshot->needs [n].options_count; i++) {
            const option_t *option = &snapshot->needs [n].options [i];
            site_class_t *place = &snapshot->places [option->place];
            if (place->source != source)
                continue;
            demand_t demand = {.resource = place->class_name,
                               .free_profile = &place->free_profile,
                               .quantity = option->nodes};
            option_interval (snapshot, n, option, 0, &demand.from_ms, &demand.until_ms);
            for (size_t k = 0; option->nodes > 0 && k < option->spread; k++) {
                demand.resource = place [k].class_name;
                demand.free_profile = &place [k].free_profile;
                add_demand (self, &demand);
            }
        }
    }
}

/*  --- links --- */

/*  Sets of network needs, as bits, that may use one link together: first each need alone, then all
 *  needs; then every other set if there are few needs, else all pairs. */
typedef struct {
    uint64_t sets [SETS_MAX];
    size_t count;
} sets_t;

static_assert (NETWORK_NEEDS_MAX <= 64, "a set of needs has a bit for each");
static_assert (DOMAIN_LINKS_MAX <= LINK_WINDOWS_ASKED_MAX, "each link can be asked about");

static void add_set (sets_t *self, uint64_t set)
{
    if (self->count < SETS_MAX)
        self->sets [self->count++] = set;
}

static bool single (uint64_t set)
{
    return (set & (set - 1)) == 0;
}

static sets_t sets_of (size_t needs)
{
    sets_t sets = {0};
    uint64_t all = needs == 64 ? UINT64_MAX : (UINT64_C (1) << needs) - 1;
    for (size_t n = 0; n < needs; n++)
        add_set (&sets, UINT64_C (1) << n);
    if (needs > 1)
        add_set (&sets, all);
    if (needs <= SUBSETS_OF_MAX) {
        for (uint64_t set = 1; set < all; set++)
            if (!single (set))
                add_set (&sets, set);
        return sets;
    }
    for (size_t a = 0; a < needs; a++)
        for (size_t b = a + 1; b < needs; b++)
            add_set (&sets, UINT64_C (1) << a | UINT64_C (1) << b);
    return sets;
}

/*  Adds what the needs of a set want of a link together; nothing when one of them can't use it. */
static void demand_set (demands_t *self, snapshot_t *snapshot, size_t link, uint64_t set)
{
    demand_t demand = {.resource = graph_link (snapshot->graph, link)->link->name,
                       .free_profile = &snapshot->links [link].free_profile,
                       .from_ms = INT64_MAX,
                       .until_ms = INT64_MIN};
    for (size_t n = 0; n < snapshot->request->network_count; n++) {
        int64_t from_ms, until_ms;
        if (!(set & UINT64_C (1) << n))
            continue;
        if (!snapshot_link_meets (snapshot, n, link))
            return;
        network_need_interval (snapshot->request, n, &from_ms, &until_ms);
        from_ms = network_latest (snapshot->request, n);
        demand.from_ms = from_ms < demand.from_ms ? from_ms : demand.from_ms;
        demand.until_ms = until_ms > demand.until_ms ? until_ms : demand.until_ms;
        demand.quantity += snapshot->request->network [n].mbps;
    }
    if (demand.quantity <= graph_link (snapshot->graph, link)->link->mbps)
        add_demand (self, &demand);
}

static void demand_links (demands_t *self, snapshot_t *snapshot, size_t source)
{
    sets_t sets = sets_of (snapshot->request->network_count);
    size_t links = 0;
    for (size_t i = 0; i < snapshot->links_count; i++)
        links += snapshot->links [i].source == source && snapshot->links [i].useful;
    /* Ask about fewer sets on every link rather than about all sets on some links. */
    while (sets.count * links > LINK_WINDOWS_ASKED_MAX)
        sets.count--;
    for (size_t i = 0; i < snapshot->links_count; i++)
        if (snapshot->links [i].source == source && snapshot->links [i].useful)
            for (size_t s = 0; s < sets.count; s++)
                demand_set (self, snapshot, i, sets.sets [s]);
}

/*  --- windows --- */

static demands_t demands_of (snapshot_t *snapshot, size_t source, size_t *most)
{
    demands_t demands = {0};
    if (snapshot->sources [source].kind == SOURCE_DOMAIN) {
        *most = LINK_WINDOWS_ASKED_MAX;
        demand_links (&demands, snapshot, source);
    } else {
        *most = WINDOWS_ASKED_MAX;
        demand_places (&demands, snapshot, source);
    }
    return demands;
}

static size_t affordable (const demands_t *demands, size_t most, const starts_t *starts)
{
    size_t each = demands->count > 0 ? most / demands->count : most;
    return each < 1 || starts->latest_ms == starts->earliest_ms ? 1 : each;
}

size_t windows_starts (const snapshot_t *snapshot, const starts_t *starts)
{
    size_t least = WINDOWS_ASKED_MAX;
    for (size_t i = 0; i < snapshot->sources_count; i++) {
        const source_t *source = &snapshot->sources [i];
        if (source->left_out || source->disclosure != DISCLOSE_WINDOWS)
            continue;
        size_t most;
        demands_t demands = demands_of ((snapshot_t *) snapshot, i, &most);
        size_t each = affordable (&demands, most, starts);
        least = each < least ? each : least;
        free (demands.demands);
    }
    return least;
}

int64_t windows_start (const starts_t *starts, size_t starts_count, size_t k)
{
    assert (k < starts_count);
    int64_t frame_ms = starts->latest_ms - starts->earliest_ms;
    return starts->earliest_ms +
           (starts_count > 1 ? frame_ms / (int64_t) (starts_count - 1) * (int64_t) k : 0);
}

window_question_t *windows_choose (snapshot_t *snapshot, const starts_t *starts,
                                   size_t starts_count, int64_t now_ms, size_t source,
                                   size_t *count)
{
    size_t most;
    demands_t demands = demands_of (snapshot, source, &most);
    size_t each = affordable (&demands, most, starts);
    each = starts_count < each ? starts_count : each;
    window_question_t *windows = must (calloc (each * demands.count + 1, sizeof *windows));
    *count = 0;
    for (size_t i = 0; i < demands.count; i++) {
        const demand_t *demand = &demands.demands [i];
        for (size_t k = 0; k < each && *count < most; k++) {
            int64_t start_ms = windows_start (starts, each, k);
            int64_t from_ms = start_ms + demand->from_ms;
            int64_t until_ms = start_ms + demand->until_ms;
            from_ms = from_ms > now_ms ? from_ms : now_ms; /* the rest has passed */
            if (from_ms >= until_ms)
                continue;
            window_question_t *window = &windows [(*count)++];
            *window = (window_question_t){.quantity = (uint32_t) demand->quantity,
                                          .over = {from_ms, until_ms}};
            snprintf (window->resource, sizeof window->resource, "%s", demand->resource);
        }
    }
    free (demands.demands);
    return windows;
}

/*  --- the question and its answer --- */

packed_t windows_encode (const window_question_t *windows, size_t count, const char *reservation,
                         const char *actor)
{
    windows_question_t question = {.windows = (window_question_t *) windows,
                                   .windows_count = count};
    snprintf (question.reservation, sizeof question.reservation, "%s", reservation);
    snprintf (question.actor, sizeof question.actor, "%s", actor);
    return codec_encode (&windows_question_codec, &question);
}

bool windows_decode (bytes_t body, bool *fits, size_t count, char why [WHY_BYTES])
{
    windows_answer_t told;
    if (!codec_decode (&windows_answer_codec, &told, body, why))
        return false;
    bool good =
      told.count == count || wrong (why, "fits: %zu answers to %zu windows", told.count, count);
    if (good && count > 0)
        memcpy (fits, told.fits, count * sizeof *fits);
    codec_clear (&windows_answer_codec, &told);
    return good;
}
