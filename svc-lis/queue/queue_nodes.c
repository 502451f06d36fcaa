/*  queue_nodes - knows what runs on each node, what of that is in the calendar, and which nodes may
 *  be used.
 *
 *  A node is in the calendar from the first of its booked runs until the last of their limits, plus
 *  the cleaning gap. If they end earlier it is given back at once.
 */
#include "queue_state.h"

#define LOOK_MS 5000 /* how often nodes with preemptible runs are looked at */

/*  --- the calendar --- */

static void unbook (queue_t *self, size_t node)
{
    resource_interval_t *booked = &self->nodes [node].booked;
    if (booked->in_calendar)
        free_capacity_release (self->parts.room, &(interval_list_t){.list = booked, .count = 1});
}

static void rebook (queue_t *self, size_t node, int64_t now_ms, int64_t until_ms)
{
    resource_interval_t *booked = &self->nodes [node].booked;
    bool has = booked->in_calendar && booked->over.until > now_ms;
    int64_t from_ms = has ? booked->over.from : now_ms;
    unbook (self, node);
    self->loads [node].booked_until_ms = until_ms;
    if (until_ms <= from_ms || until_ms <= now_ms)
        return;
    *booked = (resource_interval_t){
      .resource = self->loads [node].class, .over = {from_ms, until_ms}, .quantity = 1};
    free_capacity_book (self->parts.room, &(interval_list_t){.list = booked, .count = 1});
}

/*  A reservation that has given a node back still has it in the calendar. */
void queue_book (queue_t *self, const moment_t *now, size_t node, int64_t until_ms)
{
    if (until_ms > self->loads [node].booked_until_ms &&
        !openings_of_node (self->parts.openings, node))
        rebook (self, node, queue_now_ms (self, now), until_ms);
}

void queue_slot_take (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *slot)
{
    int64_t gap_ms = free_capacity_terms (self->parts.room)->gap_ms;
    self->nodes [node].look = true;
    if (slot->booked)
        queue_book (self, now, node, slot->until_ms + gap_ms);
    backfill_node_add (&self->loads [node], slot, gap_ms);
}

void queue_slot_leave (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *slot)
{
    backfill_node_remove (&self->loads [node], slot);
    self->nodes [node].look = true;
    if (!slot->booked)
        return;
    int64_t now_ms = queue_now_ms (self, now);
    int64_t busy_ms = backfill_node_busy_until (&self->loads [node]);
    int64_t until_ms =
      (busy_ms > now_ms ? busy_ms : now_ms) + free_capacity_terms (self->parts.room)->gap_ms;
    if (until_ms >= self->loads [node].booked_until_ms)
        return;
    if (self->nodes [node].booked.in_calendar) {
        rebook (self, node, now_ms, until_ms);
        change_notice_tell (&self->freed);
    } else {
        self->loads [node].booked_until_ms = until_ms;
    }
}

bool queue_extends (queue_t *self, const moment_t *now, size_t node, int64_t until_ms, bool beside)
{
    backfill_t world = {.now_ms = queue_now_ms (self, now),
                        .calendars = self->calendars,
                        .nodes = self->loads,
                        .promises = self->promises};
    bool holds = openings_of_node (self->parts.openings, node) &&
                 self->loads [node].given_until_ms == INT64_MAX; /* it waits until that is over */
    return holds ? until_ms <= self->loads [node].booked_until_ms
                 : backfill_extends (&world, node, until_ms, beside);
}

bool queue_slot_change (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *from,
                        const backfill_run_t *to)
{
    int64_t until_ms = to->until_ms + free_capacity_terms (self->parts.room)->gap_ms;
    if (to->booked && !queue_extends (self, now, node, until_ms, false))
        return false;
    if (openings_of_node (self->parts.openings, node)) /* which has it in the calendar */
        backfill_node_remove (&self->loads [node], from);
    else
        queue_slot_leave (self, now, node, from);
    queue_slot_take (self, now, node, to);
    return true;
}

interval_list_t queue_booked (const queue_t *self)
{
    size_t count = nodes_count (self->parts.nodes);
    interval_list_t all = {.list = must (calloc (count + 1, sizeof *all.list))};
    for (size_t i = 0; i < count; i++)
        if (self->nodes [i].booked.in_calendar)
            all.list [all.count++] = self->nodes [i].booked;
    static const interval_list_t nothing = {0};
    interval_changes_t changes = interval_list_changes (&nothing, &all);
    interval_list_t booked = interval_changes_after (&changes);
    interval_changes_clear (&changes);
    interval_list_clear (&all);
    return booked;
}

/*  --- which may be used --- */

static void queue_nodes_refresh (queue_t *self, int64_t now_ms, size_t node)
{
    backfill_node_t *load = &self->loads [node];
    const char *holder = openings_of_node (self->parts.openings, node);
    opening_t opening;
    load->ready_ms = INT64_MAX;
    load->lent_until_ms = INT64_MIN;
    load->given_until_ms = INT64_MAX;
    load->wanted = self->nodes [node].wanted;
    load->storage = *nodes_at (self->parts.nodes, node).storage != '\0';
    if (self->nodes [node].booked.in_calendar && self->nodes [node].booked.over.until <= now_ms)
        unbook (self, node);
    if (!nodes_usable (self->parts.nodes, node))
        return;
    if (!holder) {
        load->ready_ms = INT64_MIN;
        return;
    }
    load->lent_until_ms = openings_spare_until (self->parts.openings, node, true);
    int64_t given_ms = openings_spare_until (self->parts.openings, node, false);
    /*  The queue's own booking there has to be over first. */
    if (given_ms > INT64_MIN && !self->nodes [node].booked.in_calendar) {
        load->given_until_ms = given_ms;
        load->ready_ms = INT64_MIN;
    } else if (openings_find (self->parts.openings, holder, &opening)) {
        int64_t free_ms = opening.until_ms + free_capacity_terms (self->parts.room)->gap_ms;
        load->ready_ms = free_ms > now_ms ? free_ms : now_ms + 1; /* it is not yet */
    }
}

void queue_nodes_look (queue_t *self, const moment_t *now, bool all)
{
    int64_t now_ms = queue_now_ms (self, now);
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++) {
        const backfill_node_t *load = &self->loads [i];
        if (all || self->nodes [i].look)
            queue_nodes_refresh (self, now_ms, i);
        /*  Tasks there may have to leave, whatever happens: only time passes. */
        self->nodes [i].look |= load->wanted || load->ready_ms > now_ms;
    }
}

/*  --- preemption ---
 *
 *  A reservation clears the nodes that are bound to it. Preemptible runs are told before that here:
 *  when the calendar will need more nodes of a class than are idle.
 */

typedef struct {
    queue_t *queue;
    const moment_t *now;
    int64_t grace_ms;
    bool end;
    run_id_t runs [NODE_RUNS_MAX];
    size_t count;
} borrowers_t;

static bool is_borrower (void *owner, const run_t *run)
{
    borrowers_t *borrowers = owner;
    if (!*run->reservation && run->booked_until_ms == 0 && !run->told_to_end &&
        borrowers->count < NODE_RUNS_MAX)
        borrowers->runs [borrowers->count++] = run->id;
    return true;
}

static void tell_borrowers (queue_t *self, const moment_t *now, size_t node, bool end)
{
    borrowers_t *borrowers = must (calloc (1, sizeof *borrowers));
    nodes_runs (self->parts.nodes, node, is_borrower, borrowers);
    for (size_t i = 0; i < borrowers->count; i++) {
        if (end)
            nodes_end (self->parts.nodes, now, &borrowers->runs [i], self->limits.grace_ms,
                       "preempted: a reservation wants its node");
        else
            nodes_warn (self->parts.nodes, now, &borrowers->runs [i], self->limits.warning_ms);
    }
    free (borrowers);
}

static bool borrowed (const queue_t *self, size_t node, int64_t now_ms)
{
    const backfill_node_t *load = &self->loads [node];
    return load->runs_count > 0 && load->ready_ms <= now_ms && load->given_until_ms == INT64_MAX &&
           load->booked_until_ms <= now_ms;
}

/*  The node with the most free CPUs; SIZE_MAX = none. */
static size_t next_wanted (const queue_t *self, size_t class, int64_t now_ms)
{
    size_t least = SIZE_MAX;
    for (size_t i = self->class_from [class]; i < self->class_from [class + 1]; i++) {
        const backfill_node_t *load = &self->loads [i];
        if (borrowed (self, i, now_ms) && !self->nodes [i].wanted &&
            (least == SIZE_MAX || load->cpus_free > self->loads [least].cpus_free))
            least = i;
    }
    return least;
}

static void queue_nodes_want (queue_t *self, const moment_t *now, size_t node, int64_t now_ms)
{
    queue_node_t *own = &self->nodes [node];
    own->wanted = self->loads [node].wanted = true;
    own->wanted_ms = now_ms + self->limits.warning_ms - self->limits.grace_ms;
    tell_borrowers (self, now, node, false);
}

/*  A run that was warned goes on if its node is no longer needed. */
static void preempt_class (queue_t *self, const moment_t *now, size_t class, int64_t lacking)
{
    int64_t now_ms = queue_now_ms (self, now);
    for (size_t i = self->class_from [class]; i < self->class_from [class + 1]; i++) {
        queue_node_t *own = &self->nodes [i];
        if (!own->wanted)
            continue;
        if (lacking <= 0 || !borrowed (self, i, now_ms)) {
            own->wanted = self->loads [i].wanted = false;
            continue;
        }
        lacking--;
        if (own->wanted_ms <= now_ms)
            tell_borrowers (self, now, i, true);
    }
    for (size_t node; lacking > 0 && (node = next_wanted (self, class, now_ms)) != SIZE_MAX;
         lacking--)
        queue_nodes_want (self, now, node, now_ms);
}

int64_t queue_preempt (queue_t *self, const moment_t *now)
{
    int64_t now_ms = queue_now_ms (self, now);
    interval_t ahead = {now_ms, now_ms + self->limits.warning_ms + LOOK_MS};
    int64_t look_ms = INT64_MAX;
    for (size_t class = 0; class < self->parts.site->classes_count; class ++) {
        int64_t count = 0;
        for (size_t i = self->class_from [class]; i < self->class_from [class + 1]; i++)
            count += borrowed (self, i, now_ms);
        int64_t lacking = count > 0 ? count - calendar_least (self->calendars [class], ahead) : 0;
        preempt_class (self, now, class, lacking);
        if (count > 0)
            look_ms = now_ms + LOOK_MS;
    }
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++) {
        const queue_node_t *own = &self->nodes [i];
        if (own->wanted && own->wanted_ms > now_ms && own->wanted_ms < look_ms)
            look_ms = own->wanted_ms;
    }
    return look_ms;
}

double queue_cpus (const queue_t *self)
{
    double count = 0;
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++)
        if (nodes_usable (self->parts.nodes, i) && !openings_of_node (self->parts.openings, i))
            count += self->loads [i].cpus;
    return count;
}
