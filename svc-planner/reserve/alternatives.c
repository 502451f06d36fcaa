/*  alternatives - what a refused user could have instead: fewer CPUs, less bandwidth, less room,
 *  any latency, sites that need not be distinct.
 *
 *  Each alternative has been found by a search on what was answered already, so nobody is asked
 *  again. Starts outside the time frame were not asked about, so they are not offered.
 */
#include "explanation.h"
#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES_MAX 4     /* tried for one request */
#define STEPS_MAX   20000 /* of one search */

typedef enum { FEWER_CPUS, LESS_BANDWIDTH, LESS_ROOM, ANY_LATENCY, SAME_SITES } alternatives_kind_t;

typedef struct {
    alternatives_kind_t kind;
    size_t need;
    uint32_t amount; /* CPUs, Mbit/s, MiB */
} relaxation_t;

typedef struct {
    relaxation_t changes [CHANGES_MAX];
    size_t count;
} relaxations_t;

static void alternatives_add (relaxations_t *self, alternatives_kind_t kind, size_t need,
                              uint32_t amount)
{
    if (self->count < CHANGES_MAX)
        self->changes [self->count++] = (relaxation_t){kind, need, amount};
}

/*  --- what is in the way --- */

/*  The most CPUs that one place has, and the most room that one storage node has for a space need.
 */
static void alternatives_find_places (const explanation_t *self, relaxations_t *changes)
{
    const snapshot_t *snapshot = self->snapshot;
    for (size_t i = 0; i < snapshot->request->compute_count; i++) {
        const compute_need_t *need = &snapshot->request->compute [i];
        size_t place;
        int64_t nodes;
        if (snapshot->needs [i].options_count == 0 ||
            search_alone (self->search, i, &place, &nodes) || place == SIZE_MAX)
            continue;
        int64_t amount = nodes * snapshot->places [place].cpus_per_node;
        if (amount > 0 && amount < need->cpus && need->derived.kind == DERIVED_NOT)
            alternatives_add (changes, FEWER_CPUS, i, (uint32_t) amount);
        else if (amount > 0 && need->derived.space > 0)
            alternatives_add (changes, LESS_ROOM, need->derived.space - 1, (uint32_t) amount);
    }
}

/*  Changes that would remove the obstacles of connections. When there are none, and the connections
 *  only don't fit together, try half the bandwidth of the widest. */
static void find_connections (const explanation_t *self, relaxations_t *changes)
{
    size_t widest = 0, obstacles = 0;
    for (size_t i = 0; i < self->request->network_count; i++) {
        const network_need_t *need = &self->request->network [i];
        const obstacle_t *obstacle = &self->obstacles->list [i];
        widest = need->mbps > self->request->network [widest].mbps ? i : widest;
        obstacles += obstacle->set;
        if (obstacle->set && obstacle->blocked.link != SIZE_MAX && obstacle->blocked.free > 0 &&
            obstacle->blocked.free < need->mbps)
            alternatives_add (changes, LESS_BANDWIDTH, i, (uint32_t) obstacle->blocked.free);
        if (obstacle->set && need->latency_us_max > 0)
            alternatives_add (changes, ANY_LATENCY, i, 0);
    }
    if (self->request->network_count > 0 && obstacles == 0 && changes->count == 0 &&
        self->request->network [widest].mbps > 1)
        alternatives_add (changes, LESS_BANDWIDTH, widest,
                          self->request->network [widest].mbps / 2);
}

/*  --- how a change is made, and how it is told --- */

/*  Makes the change, and adds it to the words. */
static void alternatives_make (user_request_t *request, const relaxation_t *change,
                               char words [SENTENCE_BYTES])
{
    char *end = words + strlen (words);
    size_t room = SENTENCE_BYTES - strlen (words);
    const char *comma = *words ? ", " : "";
    size_t at = change->need;
    uint64_t bytes = (uint64_t) change->amount * SPACE_UNIT;
    switch (change->kind) {
    case FEWER_CPUS:
        snprintf (end, room, "%sneed %s with %" PRIu32 " CPUs instead of %" PRIu32, comma,
                  request->compute [at].id, change->amount, request->compute [at].cpus);
        request->compute [at].cpus = change->amount;
        break;
    case LESS_BANDWIDTH:
        snprintf (end, room, "%sneed %s with %" PRIu32 " Mbit/s instead of %" PRIu32, comma,
                  request->network [at].id, change->amount, request->network [at].mbps);
        request->network [at].mbps = change->amount;
        break;
    case LESS_ROOM:
        snprintf (end, room, "%sneed %s with %" PRIu64 " bytes instead of %" PRIu64, comma,
                  request->space [at].id, bytes, request->space [at].bytes);
        request->space [at].bytes = bytes;
        break;
    case ANY_LATENCY:
        snprintf (end, room, "%sneed %s without its latency limit", comma,
                  request->network [at].id);
        request->network [at].latency_us_max = 0;
        break;
    case SAME_SITES:
        snprintf (end, room, "%swithout distinct_sites", comma);
        request->distinct_sites = false;
        break;
    }
}

/*  --- the tries --- */

static void copy_free_profile (free_profile_t *to, const free_profile_t *from)
{
    if (!to || !from)
        return; /* it was not asked about */
    free_profile_set (to, &(profile_t){.steps = from->steps,
                                       .steps_count = from->steps_count,
                                       .until_ms = from->until_ms});
    for (size_t i = 0; i < from->windows_count; i++)
        free_profile_window (to, from->windows [i]);
}

/*  Copy what is known to be free into the snapshot of a changed request. */
static void copy_knowledge (snapshot_t *to, snapshot_t *from)
{
    for (size_t i = 0; i < to->sources_count; i++) {
        size_t source = snapshot_source (from, to->sources [i].party.name);
        if (source == SIZE_MAX || from->sources [source].left_out)
            snapshot_leave_out (to, i, "not asked");
        else
            to->sources [i].lead_ms = from->sources [source].lead_ms;
    }
    for (size_t i = 0; i < to->places_count; i++) {
        site_class_t *place = &to->places [i];
        size_t source = snapshot_source (from, to->sources [place->source].party.name);
        if (source != SIZE_MAX)
            copy_free_profile (&place->free_profile,
                               snapshot_free_profile (from, source, place->class_name));
    }
    for (size_t i = 0; i < to->links_count; i++) {
        snapshot_link_t *link = &to->links [i];
        size_t source = snapshot_source (from, to->sources [link->source].party.name);
        if (source != SIZE_MAX)
            copy_free_profile (
              &link->free_profile,
              snapshot_free_profile (from, source, graph_link (to->graph, i)->link->name));
    }
}

/*  Search with these changes made; if there is a plan, add it to the answer. */
static bool try (explanation_t *self, const candidates_order_t *candidates,
                 const search_order_t *order, const relaxation_t *changes, size_t count)
{
    user_request_t request;
    char words [SENTENCE_BYTES] = "";
    user_request_copy (&request, self->request);
    for (size_t i = 0; i < count; i++)
        alternatives_make (&request, &changes [i], words);
    snapshot_t *snapshot = candidates_snapshot (candidates, &request);
    snapshot_stage (snapshot, candidates->files);
    copy_knowledge (snapshot, self->snapshot);
    search_t *search = search_new (snapshot, order);
    search_state_t state;
    do
        state = search_run (search, STEPS_MAX);
    while (state == SEARCH_MORE);
    if (state == SEARCH_FOUND)
        answer_alternative (self->answer, search_choice (search).start_ms, "%s", words);
    search_destroy (&search);
    snapshot_destroy (&snapshot);
    user_request_clear (&request);
    return state == SEARCH_FOUND;
}

void explanation_seek_alternatives (explanation_t *self, const candidates_order_t *candidates,
                                    search_order_t order)
{
    relaxations_t changes = {0};
    candidates_order_t all = *candidates;
    all.supposes = NULL;
    order.policy = POLICY_TIME;
    order.steps_max = STEPS_MAX;
    order.present = NULL; /* its indexes are those of another snapshot */
    order.present_paths = NULL;
    alternatives_find_places (self, &changes);
    find_connections (self, &changes);
    if (self->request->distinct_sites)
        alternatives_add (&changes, SAME_SITES, 0, 0);
    bool found = false;
    for (size_t i = 0; i < changes.count; i++)
        found = try (self, &all, &order, &changes.changes [i], 1) || found;
    if (!found && changes.count > 1)
        try (self, &all, &order, changes.changes, changes.count);
}
