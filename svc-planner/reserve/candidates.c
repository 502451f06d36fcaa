/*  candidates - the sites and domains of the directory that could take part in a plan, with what
 *  this request has learned about them.
 *
 *  The directory only says whom to ask (T16). What is free, the sites say themselves; what is
 *  promised, only their votes say.
 */
#include "candidates.h"

#include "connections.h"
#include "member.h"
#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFLICTS_LOGGED_MAX 16 /* of domains; the rest is only counted */

static int64_t price_least (const directory_entry_t *entry)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < entry->site->classes_count; i++)
        if (entry->site->classes [i].price < least)
            least = entry->site->classes [i].price;
    return least;
}

static int compare_ranks (const void *a, const void *b)
{
    const ranked_site_t *first = a, *second = b;
    return (first->rank > second->rank) - (first->rank < second->rank);
}

static void candidates_list_sites (pendings_t *self)
{
    const directory_t *directory = directory_of (self->service);
    if (self->sites && self->sites_turnover == directory_turnover (directory))
        return;
    size_t room = 0;
    free (self->sites);
    free (self->cheapest);
    self->sites = must_grow (NULL, 0, &room, sizeof *self->sites);
    self->sites_count = 0;
    self->sites_turnover = directory_turnover (directory);
    const directory_entry_t *entry = directory_next (directory, "lis", NULL);
    for (; entry; entry = directory_next (directory, "lis", entry)) {
        if (!entry->site)
            continue;
        self->sites = must_grow (self->sites, self->sites_count, &room, sizeof *self->sites);
        self->sites [self->sites_count++] = (ranked_site_t){entry, price_least (entry)};
    }
    self->cheapest = must_copy (self->sites, room * sizeof *self->sites);
    qsort (self->cheapest, self->sites_count, sizeof *self->sites, compare_ranks);
}

/*  Draws the site in this place of a random order of those up to end, so that planners at work at
 *  the same time don't all try the same one first. */
static const ranked_site_t *draw_site (pendings_t *self, ranked_site_t *sites, size_t at,
                                       size_t end)
{
    size_t other = at + prng_below (&self->service->prng, end - at);
    ranked_site_t drawn = sites [other];
    sites [other] = sites [at];
    sites [at] = drawn;
    return &sites [at];
}

static bool present_at (const locate_t *base, const directory_entry_t *entry)
{
    for (size_t p = 0; base && p < base->count; p++)
        if (base->parts [p].known && strcmp (base->parts [p].party.name, entry->name) == 0)
            return true;
    return false;
}

static void add_domains (const directory_t *directory, snapshot_t *snapshot)
{
    const directory_entry_t *entry = directory_next (directory, "nis", NULL);
    for (; entry; entry = directory_next (directory, "nis", entry))
        if (entry->domain)
            snapshot_consider_domain (snapshot, entry);
    snapshot_join (snapshot);
}

/*  Has each need as many options as it may have? One that names its site has one site. */
static bool candidates_full (const snapshot_t *snapshot, uint32_t places_most)
{
    bool full = true;
    for (size_t i = 0; i < snapshot->asked_count; i++) {
        size_t count = snapshot->needs [i].options_count;
        bool named = *snapshot->request->compute [i].site;
        full = full && (count >= places_most || (named && count > 0));
    }
    return full;
}

/*  Takes sites until there are enough: as they are drawn, those that may have room at once; with
 *  policy cost the cheapest. False: there are not so many. */
static bool add_first (const candidates_order_t *order, snapshot_t *snapshot)
{
    pendings_t *pendings = order->pendings;
    const directory_t *directory = directory_of (pendings->service);
    bool cost = user_request_policy (snapshot->request) == POLICY_COST;
    for (size_t i = 0; i < snapshot->asked_count; i++) {
        const char *site = snapshot->request->compute [i].site;
        char name [NAME_BYTES_MAX + 8];
        snprintf (name, sizeof name, "%s%s", strchr (site, '/') ? "" : "lis/", site);
        const directory_entry_t *entry = *site ? directory_find (directory, name) : NULL;
        if (entry && entry->site)
            snapshot_consider (snapshot, entry, order->places_most);
    }
    ranked_site_t *sites = cost ? pendings->cheapest : pendings->sites;
    size_t end = cost ? 0 : pendings->sites_count; /* of those to draw from: of one price */
    for (size_t i = 0; i < pendings->sites_count; i++) {
        while (end < pendings->sites_count && (end <= i || sites [end].rank == sites [i].rank))
            end++;
        const directory_entry_t *entry = draw_site (pendings, sites, i, end)->entry;
        if (candidates_full (snapshot, order->places_most)) {
            snapshot->outside_ms = snapshot->supposed.starts.earliest_ms;
            snapshot->outside_lead_ms = 0;
            return true;
        }
        if (cost || snapshot_may_start_at_once (snapshot, entry))
            snapshot_consider (snapshot, entry, order->places_most);
    }
    return false;
}

/*  Those come first that may have room soonest; with policy cost the cheapest. */
static void add_ranked (const candidates_order_t *order, snapshot_t *snapshot)
{
    pendings_t *pendings = order->pendings;
    size_t count = pendings->sites_count;
    ranked_site_t *ranked = must (calloc (count + 1, sizeof *ranked));
    for (size_t i = 0; i < count; i++) {
        ranked [i] = *draw_site (pendings, pendings->sites, i, count);
        if (present_at (order->base, ranked [i].entry))
            ranked [i].rank = INT64_MIN; /* the limit must not cut it off */
        else if (user_request_policy (snapshot->request) != POLICY_COST)
            ranked [i].rank =
              snapshot->supposed.on ? snapshot_may_start (snapshot, ranked [i].entry) : (int64_t) i;
    }
    qsort (ranked, count, sizeof *ranked, compare_ranks);
    for (size_t i = 0; i < snapshot->asked_count; i++)
        snapshot->needs [i].could = 0;
    snapshot->outside_ms = snapshot->outside_lead_ms = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        snapshot_consider (snapshot, ranked [i].entry, order->places_most);
    free (ranked);
}

void candidates_add_sites (const candidates_order_t *order, snapshot_t *snapshot)
{
    const planner_settings_t *settings = order->pendings->settings;
    candidates_list_sites (order->pendings);
    bool first = snapshot->supposed.on && order->places_most == settings->candidates_max &&
                 settings->asked_max > settings->candidates_max;
    if (!first || !add_first (order, snapshot))
        add_ranked (order, snapshot);
    const directory_t *directory = directory_of (order->pendings->service);
    const directory_entry_t *entry =
      snapshot->derived ? directory_next (directory, "replica", NULL) : NULL;
    for (; entry; entry = directory_next (directory, "replica", entry))
        snapshot_consider_storage (snapshot, entry, order->files);
    snapshot_stage (snapshot, order->files); /* as far as is known: what to ask about windows */
}

/*  By then. Of a file: it is on its way, or has come. */
static bool circuit_has_begun (const locate_t *base, const char *need, int64_t wall_ms)
{
    for (size_t p = 0; p < base->count; p++) {
        const part_record_t *record = &base->parts [p].record;
        for (size_t c = 0; c < record->circuits_count; c++)
            if (strcmp (record->circuits [c].need, need) == 0 &&
                record->circuits [c].from_ms <= wall_ms)
                return true;
    }
    return false;
}

/*  Those who are not asked at once: not when a reservation is changed, since what it has counts as
 *  free for it; nor when loads are compared, which summaries don't tell; nor with files and
 *  space. */
static void candidates_suppose (const candidates_order_t *order, snapshot_t *snapshot)
{
    if (!order->changes && !snapshot->derived &&
        user_request_policy (snapshot->request) != POLICY_LOAD)
        snapshot->supposed = (suppositions_t){.on = true,
                                              .now_ms = order->supposes->wall_ms,
                                              .starts = order->starts,
                                              .soonest_ms = order->soonest_ms};
}

snapshot_t *candidates_snapshot (const candidates_order_t *order, const user_request_t *request)
{
    user_request_t asked;
    user_request_copy (&asked, request);
    for (size_t i = 0; i < asked.data_count && order->changes; i++)
        if (circuit_has_begun (order->base, asked.data [i].id, order->begun_wall_ms))
            asked.data [i].mbps = 0; /* it stays as it is */
    snapshot_t *snapshot = snapshot_new (&asked, &order->pendings->settings->staging);
    if (!snapshot->derived)
        snapshot->request = request;
    user_request_clear (&asked);
    if (order->supposes)
        candidates_suppose (order, snapshot);
    candidates_add_sites (order, snapshot);
    if (snapshot->request->network_count > 0)
        add_domains (directory_of (order->pendings->service), snapshot);
    return snapshot;
}

/*  Where a need for storage is: of a file at several nodes the first copy that has none yet; a
 *  file at all of them is where the first is. */
static void find_room (const snapshot_t *snapshot, int64_t wall_ms, present_t *presents,
                       size_t source, const space_booking_t *booking)
{
    const user_request_t *request = snapshot->request;
    size_t place = snapshot_place (snapshot, source, booking->node);
    for (size_t n = snapshot->asked_count; n < request->compute_count; n++) {
        const derived_t *derived = &request->compute [n].derived;
        present_t *present = &presents [n];
        if (derived->kind != DERIVED_STORAGE || present->set || place == SIZE_MAX ||
            strcmp (request->compute [n].id, booking->need) != 0)
            continue;
        while (derived->everywhere && place > 0 && snapshot->places [place - 1].source == source &&
               *snapshot->places [place - 1].class_name)
            place--;
        *present = (present_t){.set = true,
                               .pinned = booking->from_ms <= wall_ms,
                               .place = place,
                               .from_ms = booking->from_ms,
                               .mib = space_mib (booking->bytes)};
        return;
    }
}

/*  A connection that has begun keeps its path. */
static present_path_t *find_paths (const locate_t *base, const snapshot_t *snapshot,
                                   int64_t wall_ms)
{
    size_t count = 0;
    const part_record_t **records = must (calloc (base->count + 1, sizeof *records));
    for (size_t p = 0; p < base->count; p++)
        if (base->parts [p].known)
            records [count++] = &base->parts [p].record;
    const user_request_t *request = snapshot->request;
    present_path_t *paths = must (calloc (request->network_count + 1, sizeof *paths));
    for (size_t i = 0; i < request->network_count; i++) {
        const char *need = request->network [i].id;
        present_path_t *path = &paths [i];
        path->set =
          connection_links (records, count, need, snapshot->graph, path->links, &path->links_count);
        path->pinned = path->set && (request->network [i].stages.count > 0 ||
                                     circuit_has_begun (base, need, wall_ms));
    }
    free (records);
    return paths;
}

void candidates_present (const locate_t *base, const snapshot_t *snapshot, int64_t wall_ms,
                         present_t presents [NEEDS_MAX], present_path_t **paths)
{
    memset (presents, 0, NEEDS_MAX * sizeof *presents);
    for (size_t p = 0; p < base->count; p++) {
        const located_part_t *part = &base->parts [p];
        size_t site = part->known ? snapshot_source (snapshot, part->party.name) : SIZE_MAX;
        for (size_t b = 0; site != SIZE_MAX && b < part->record.bookings_count; b++) {
            const compute_booking_t *booking = &part->record.bookings [b];
            size_t need = user_request_need (snapshot->request, booking->need);
            size_t place = snapshot_place (snapshot, site, booking->class_name);
            if (need >= snapshot->asked_count || place == SIZE_MAX)
                continue;
            bool pinned =
              booking->from_ms <= wall_ms || snapshot->request->compute [need].stages.count > 0;
            presents [need] =
              (present_t){.set = true, .pinned = pinned || presents [need].pinned, .place = place};
        }
        for (size_t b = 0; site != SIZE_MAX && b < part->record.space_count; b++)
            find_room (snapshot, wall_ms, presents, site, &part->record.space [b]);
    }
    free (*paths);
    *paths = find_paths (base, snapshot, wall_ms);
}

void candidates_log_conflicts (pendings_t *pendings, const graph_t *graph)
{
    if (!graph)
        return;
    size_t count = graph_conflicts (graph);
    uint64_t digest = 0;
    for (size_t i = 0; i < count; i++)
        for (const char *at = graph_conflict (graph, i); *at; at++)
            digest = digest * 31 + (uint8_t) *at;
    bool same = digest == pendings->conflicts;
    for (size_t i = 0; !same && i < count && i < CONFLICTS_LOGGED_MAX; i++)
        outbox_log (pendings->service->outbox, LEVEL_WARNING,
                    "domains disagree about a point, so no path crosses it: %s",
                    graph_conflict (graph, i));
    if (!same && count > CONFLICTS_LOGGED_MAX)
        outbox_log (pendings->service->outbox, LEVEL_WARNING,
                    "domains disagree about %zu more points", count - CONFLICTS_LOGGED_MAX);
    pendings->conflicts = digest;
}

void recents_note (recents_t *self, const txid_t *txid, const shares_t *shares)
{
    for (const share_t *share = shares->shares; share < shares->shares + shares->count; share++)
        for (size_t b = 0; b < share->new.bookings_count; b++) {
            const compute_booking_t *booking = &share->new.bookings [b];
            recent_t *recent = &self->list [self->count++ % RECENT_MAX];
            recent->txid = *txid;
            memcpy (recent->party, share->party.name, sizeof recent->party);
            memcpy (recent->class_name, booking->class_name, sizeof recent->class_name);
            recent->taken =
              (window_t){booking->from_ms, booking->until_ms + share->gap_ms, booking->nodes};
        }
}

bool recents_take (const recents_t *self, uint64_t from, const coordinator_t *coordinator,
                   snapshot_t *snapshot)
{
    bool taken = false;
    uint64_t at = self->count - from > RECENT_MAX ? self->count - RECENT_MAX : from;
    for (; at < self->count; at++) {
        const recent_t *recent = &self->list [at % RECENT_MAX];
        size_t source = snapshot_source (snapshot, recent->party);
        if (source == SIZE_MAX || coordinator_aborted (coordinator, &recent->txid))
            continue;
        free_profile_t *free_profile = snapshot_free_profile (snapshot, source, recent->class_name);
        if (!free_profile)
            continue;
        free_profile_take (free_profile, recent->taken);
        taken = true;
    }
    return taken;
}
