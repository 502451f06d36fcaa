/*  openings_names - names nodes for those that wait, the nearest `ahead` of them, whenever
 *  something has changed that may let one in, and watches those that the back end was told of by
 *  one question.
 *
 *  What is bound, or still closing, is taken before anything is named, and so is what others have
 *  in the batch system.
 */
#include "openings_state.h"

#include "must.h"
#include "naming.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MS 50    /* what changes within that is named together */
#define REACH_MS 60000 /* so much before the longest job that may begin there would run into it */

typedef struct {
    openings_t *openings;
    int64_t now_ms, gap_ms, last_ms; /* last_ms: the latest end of a need */
    naming_t *naming;
    naming_need_t *needs;
    size_t count, room;
} names_t;

/*  --- what is needed --- */

static void names_need (names_t *self, opening_entry_t *entry, naming_need_t need)
{
    if (opening_is_active (entry->kept.phase) &&
        need.over.from <= self->now_ms + self->openings->limits.bind_ms)
        return; /* nodes are bound for that */
    need.over.until += self->gap_ms;
    need.had = entry->kept.named;
    need.had_count = entry->kept.named_count;
    need.settled = entry->there;
    need.owner = entry;
    self->last_ms = need.over.until > self->last_ms ? need.over.until : self->last_ms;
    self->needs = must_grow (self->needs, self->count, &self->room, sizeof need);
    self->needs [self->count++] = need;
}

static int names_time_compare (const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/*  In layers: of one, the same nodes are needed as long as it lasts. */
static void names_class (names_t *self, opening_entry_t *entry, size_t class)
{
    size_t count = 2 * entry->stages_count;
    int64_t *times = must (calloc (count + 1, sizeof *times));
    for (size_t i = 0; i < count; i++)
        times [i] = i % 2 ? entry->stages [i / 2].over.until : entry->stages [i / 2].over.from;
    qsort (times, count, sizeof *times, names_time_compare);
    for (uint32_t base = 0, top; base < UINT32_MAX; base = top) {
        top = UINT32_MAX;
        for (size_t i = 0; i < count; i++) {
            uint32_t wanted = opening_wanted (entry, class, times [i]);
            top = wanted > base && wanted < top ? wanted : top;
        }
        naming_need_t layer = {.class = class, .wanted = 0};
        for (size_t i = 0; i < count && top < UINT32_MAX; i++) {
            bool needed = opening_wanted (entry, class, times [i]) > base;
            layer.over.until = times [i];
            if (needed && layer.wanted == 0) {
                layer.over.from = times [i];
                layer.wanted = top - base;
            } else if (!needed && layer.wanted > 0) {
                names_need (self, entry, layer);
                layer.wanted = 0;
            }
        }
    }
    free (times);
}

/*  --- what is taken --- */

/*  Until when it has the node of that place among those of its class that it holds. */
static int64_t names_held_until (const opening_entry_t *entry, size_t class, uint32_t place)
{
    int64_t until_ms = 0;
    for (size_t i = 0; i < entry->stages_count; i++) {
        int64_t end_ms = entry->stages [i].over.until;
        if (end_ms > until_ms && opening_wanted (entry, class, end_ms - 1) > place)
            until_ms = end_ms;
    }
    return until_ms;
}

static void names_take_bound (names_t *self, const opening_entry_t *entry)
{
    uint32_t held [SITE_CLASSES_MAX] = {0};
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        const bound_t *bound = &entry->kept.nodes [i];
        size_t class = nodes_at (self->openings->parts.nodes, bound->node).class;
        int64_t at_ms = bound->at_ms;
        if (bound->state == BOUND_HELD)
            at_ms = names_held_until (entry, class, held [class]++);
        if (bound->state != BOUND_CLEANING)
            at_ms = (at_ms > self->now_ms ? at_ms : self->now_ms) + self->gap_ms;
        naming_take (self->naming, bound->node, (interval_t){INT64_MIN, at_ms});
    }
}

static void names_take_others (names_t *self)
{
    const nodes_t *nodes = self->openings->parts.nodes;
    const batch_picture_t *picture = nodes_picture (nodes);
    interval_t over;
    for (size_t i = 0; picture && i < picture->bookings_count; i++) {
        const batch_booking_t *booking = &picture->bookings [i];
        for (size_t time = 0; batch_booking_next (booking, &time, &over.from, &over.until) &&
                              over.from < self->last_ms;)
            for (size_t k = 0, node; over.until > self->now_ms && k < booking->nodes_count; k++)
                if (nodes_find (nodes, booking->nodes [k], &node))
                    naming_take (self->naming, node, over);
    }
}

/*  --- what is named --- */

static int names_bound_compare (const void *left, const void *right)
{
    const bound_t *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->at_ms != b->at_ms ? (a->at_ms > b->at_ms) - (a->at_ms < b->at_ms)
                                : (int) a->state - (int) b->state;
}

/*  A list of nodes that are to be named. */
typedef struct {
    bound_t *list;
    size_t count, room;
} names_list_t;

static void names_list_add (names_list_t *self, bound_t bound)
{
    self->list = must_grow (self->list, self->count, &self->room, sizeof bound);
    self->list [self->count++] = bound;
}

/*  What the back end was told before it keeps until it has confirmed the others. */
static void names_add_old (const opening_entry_t *entry, names_list_t *named)
{
    for (size_t i = 0; entry->kept.told && i < entry->kept.named_count; i++) {
        bound_t old = entry->kept.named [i];
        size_t at = 0;
        while (at < named->count && named->list [at].node != old.node)
            at++;
        old.state = BOUND_CLOSING;
        if (at == named->count)
            names_list_add (named, old);
    }
}

/*  Makes that its names, and what is left of those before. */
static void names_put (opening_entry_t *entry, const moment_t *now, names_list_t named,
                       uint32_t unnamed)
{
    names_add_old (entry, &named);
    bool same = named.count == entry->kept.named_count;
    bool due = opening_told_due (entry) <= present_ms (entry->openings, now);
    bool as_before = unnamed == entry->unnamed && due == (entry->step == BACK_END_NAME);
    if (named.count > 1)
        qsort (named.list, named.count, sizeof *named.list, names_bound_compare);
    for (size_t i = 0; same && i < named.count; i++)
        same = names_bound_compare (&named.list [i], &entry->kept.named [i]) == 0;
    entry->unnamed = unnamed;
    free (same ? named.list : entry->kept.named);
    if (!same) {
        entry->kept.named = named.list;
        entry->kept.named_count = named.count;
        entry->renamed = true;
        opening_put (entry);
    }
    if (!same || !as_before)
        opening_soon (entry, now);
}

static void names_take_over (const names_t *self, opening_entry_t *entry, const moment_t *now)
{
    names_list_t named = {0};
    uint32_t unnamed = 0;
    for (size_t i = 0; i < self->count; i++) {
        const naming_need_t *need = &self->needs [i];
        if (need->owner != entry)
            continue;
        if (need->over.from == entry->kept.from_ms)
            unnamed += need->wanted - (uint32_t) need->count;
        for (size_t k = 0; k < need->count; k++) {
            bound_t one = {.node = need->nodes [k], .at_ms = need->over.from};
            snprintf (one.name, sizeof one.name, "%s",
                      nodes_at (self->openings->parts.nodes, one.node).name);
            names_list_add (&named, one);
        }
    }
    names_put (entry, now, named, unnamed);
}

static int names_start_compare (const void *left, const void *right)
{
    const opening_entry_t *const *a = left, *const *b = right;
    if ((*a)->kept.from_ms != (*b)->kept.from_ms)
        return (*a)->kept.from_ms < (*b)->kept.from_ms ? -1 : 1;
    return strcmp ((*a)->reservation, (*b)->reservation);
}

/*  Those that are bound by now come first; of those that wait the nearest are named, and others
 *  have no names. How many are to be looked at. */
static size_t names_nearest (openings_t *self, const moment_t *now, opening_entry_t **nearest)
{
    size_t count = 0, active = 0;
    for (opening_entry_t *entry = NULL; (entry = ordered_next (self->by_reservation, entry));) {
        if (entry->kept.phase >= OPENING_CLOSING || entry->stages_count == 0)
            continue;
        nearest [count++] = entry;
        active += opening_is_active (entry->kept.phase);
    }
    qsort (nearest, count, sizeof *nearest, names_start_compare);
    for (size_t i = active + self->limits.ahead; i < count; i++)
        names_put (nearest [i], now, (names_list_t){0}, 0);
    return count < active + self->limits.ahead ? count : active + self->limits.ahead;
}

static naming_node_t *names_nodes (const nodes_t *nodes)
{
    naming_node_t *list = must (calloc (nodes_count (nodes) + 1, sizeof *list));
    for (size_t i = 0; i < nodes_count (nodes); i++) {
        site_node_t node = nodes_at (nodes, i);
        list [i] =
          (naming_node_t){node.class, node.state != AGENT_LOST, node.drained, node.busy_until_ms};
    }
    return list;
}

static void on_names (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    openings_t *self = owner;
    const nodes_t *nodes = self->parts.nodes;
    opening_entry_t **nearest =
      must (calloc (ordered_count (self->by_reservation) + 1, sizeof (opening_entry_t *)));
    naming_node_t *list = names_nodes (nodes);
    names_t names = {.openings = self,
                     .now_ms = present_ms (self, now),
                     .gap_ms = free_capacity_terms (self->parts.room)->gap_ms,
                     .naming = naming_new (list, nodes_count (nodes))};
    self->names_timer = 0;
    size_t count = names_nearest (self, now, nearest);
    for (size_t i = 0; i < count; i++)
        for (size_t class = 0; class < self->parts.site->classes_count; class ++)
            names_class (&names, nearest [i], class);
    for (const opening_entry_t *entry = NULL; (entry = ordered_next (self->by_reservation, entry));)
        names_take_bound (&names, entry);
    names_take_others (&names);
    naming_fit (names.naming, names.needs, names.count);
    for (size_t i = 0; i < count; i++)
        names_take_over (&names, nearest [i], now);
    naming_destroy (&names.naming);
    free (names.needs);
    free (list);
    free (nearest);
}

void openings_names_soon (openings_t *self, const moment_t *now)
{
    if (self->names_timer == 0 && self->limits.ahead > 0 &&
        back_end_acts (self->parts.back_end, BACK_END_NAME))
        self->names_timer =
          timers_set (self->parts.service->timers, now->mono_ms + NAMES_MS, on_names, self, 0);
}

bool opening_named (const opening_entry_t *entry, size_t node)
{
    for (size_t i = 0; i < entry->kept.named_count; i++)
        if (entry->kept.named [i].node == node)
            return true;
    return false;
}

bool opening_node_taken (const opening_entry_t *entry, size_t node)
{
    const openings_t *self = entry->openings;
    const opening_entry_t *other = NULL;
    bool taken = self->holders [node] != NULL;
    while (!taken && (other = ordered_next (self->active, other)))
        taken = other != entry && other->kept.told &&
                opening_begins_there (other) <= self->now_ms && opening_named (other, node);
    return taken;
}

bool opening_bind_named (opening_entry_t *entry, int64_t now_ms)
{
    opening_phase_t phase = entry->kept.phase;
    size_t left = 0, count = entry->kept.named_count;
    bool lost = false;
    if (!entry->kept.told || phase == OPENING_WAITING || phase > OPENING_CLOSING ||
        now_ms < opening_begins_there (entry))
        return false;
    for (size_t i = 0; i < count; i++) {
        bound_t bound = entry->kept.named [i];
        if (phase == OPENING_CLOSING)
            bound.state = BOUND_CLOSING;
        bool free = (bound.state == BOUND_CLOSING || bound.at_ms <= entry->kept.from_ms) &&
                    !opening_node_taken (entry, bound.node);
        if (!free) {
            lost = lost || bound.state != BOUND_CLOSING;
            bound.state = BOUND_CLOSING;
            entry->kept.named [left++] = bound;
            continue;
        }
        bound.at_ms = bound.state == BOUND_CLOSING ? now_ms : bound.at_ms;
        opening_bind (entry, bound);
    }
    entry->kept.named_count = left;
    entry->kept.told = left > 0;
    return left < count || count == 0 || lost;
}

int64_t opening_begins_there (const opening_entry_t *entry)
{
    return entry->step_over.from - entry->openings->limits.bind_ms;
}

void opening_names_confirmed (opening_entry_t *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < entry->kept.named_count; i++)
        if (entry->kept.named [i].state == BOUND_HELD)
            entry->kept.named [count++] = entry->kept.named [i];
    if (count == entry->kept.named_count)
        return;
    entry->kept.named_count = count;
    entry->kept.told = entry->kept.told && (count > 0 || entry->kept.phase == OPENING_WAITING);
    opening_put (entry);
}

/*  Two that are to have each other's nodes are both refused for as long as both stand there. */
bool opening_in_the_way (const opening_entry_t *entry)
{
    const openings_t *self = entry->openings;
    for (size_t i = 0; i < entry->kept.named_count; i++)
        for (const opening_entry_t *other = NULL;
             entry->kept.named [i].state == BOUND_CLOSING &&
             (other = ordered_next (self->by_reservation, other));)
            if (other != entry && other->step == BACK_END_NAME &&
                other->kept.from_ms < entry->kept.until_ms &&
                entry->kept.from_ms < other->kept.until_ms &&
                opening_named (other, entry->kept.named [i].node) &&
                back_end_fails (self->parts.back_end, other->reservation))
                return true;
    return false;
}

void opening_gave_way (opening_entry_t *entry)
{
    entry->gives_way = false;
    opening_names_confirmed (entry);
}

/*  --- what the back end is told of it --- */

int64_t opening_told_due (const opening_entry_t *entry)
{
    const openings_t *self = entry->openings;
    const batch_picture_t *picture = nodes_picture (self->parts.nodes);
    if (self->limits.reach_ms > 0)
        return entry->kept.from_ms - self->limits.reach_ms;
    if (!picture || picture->seen_ms == 0)
        return entry->kept.told ? INT64_MIN : INT64_MAX; /* it stays as it is */
    return picture->reach_ms > 0 ? entry->kept.from_ms - picture->reach_ms - REACH_MS : INT64_MIN;
}

static void on_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    openings_t *self = owner;
    size_t count = 0;
    back_end_order_t *orders =
      must (calloc (ordered_count (self->by_reservation) + 1, sizeof *orders));
    self->look_timer = 0;
    for (const opening_entry_t *entry = NULL; (entry = ordered_next (self->by_reservation, entry));)
        if (entry->step == BACK_END_NAME)
            orders [count++] = opening_order (entry, false);
    if (count > 0) {
        back_end_look (self->parts.back_end, orders, count);
        openings_look (self, now, self->limits.watch_ms);
    }
    for (size_t i = 0; i < count; i++)
        free ((void *) orders [i].nodes);
    free (orders);
}

void openings_look (openings_t *self, const moment_t *now, int64_t after_ms)
{
    if (self->look_timer == 0)
        self->look_timer =
          timers_set (self->parts.service->timers, now->mono_ms + after_ms, on_look, self, 0);
}
