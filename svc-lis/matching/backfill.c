/*  backfill - nodes, promises, and one pass over the bags. */
#include "backfill.h"

#include "must.h"

#include <assert.h>
#include <string.h>

/*  --- nodes --- */

void backfill_node_add (backfill_node_t *self, const backfill_run_t *run, int64_t gap_ms)
{
    assert (run->cpus <= self->cpus_free);
    self->runs = must_grow (self->runs, self->runs_count, &self->runs_room, sizeof *self->runs);
    size_t at = self->runs_count++;
    for (; at > 0 && self->runs [at - 1].until_ms > run->until_ms; at--)
        self->runs [at] = self->runs [at - 1];
    self->runs [at] = *run;
    self->cpus_free -= run->cpus;
    self->transfers += run->transfer;
    if (run->booked && run->until_ms + gap_ms > self->booked_until_ms)
        self->booked_until_ms = run->until_ms + gap_ms;
}

void backfill_node_remove (backfill_node_t *self, const backfill_run_t *run)
{
    size_t at = 0;
    while (at < self->runs_count &&
           (self->runs [at].until_ms != run->until_ms || self->runs [at].cpus != run->cpus ||
            self->runs [at].booked != run->booked || self->runs [at].transfer != run->transfer))
        at++;
    assert (at < self->runs_count);
    self->runs_count--;
    memmove (&self->runs [at], &self->runs [at + 1], (self->runs_count - at) * sizeof *self->runs);
    self->cpus_free += run->cpus;
    self->transfers -= run->transfer;
}

int64_t backfill_node_busy_until (const backfill_node_t *self)
{
    for (size_t i = self->runs_count; i > 0; i--)
        if (self->runs [i - 1].booked)
            return self->runs [i - 1].until_ms;
    return INT64_MIN;
}

void backfill_node_clear (backfill_node_t *self)
{
    free (self->runs);
    self->runs = NULL;
    self->runs_count = self->runs_room = 0;
}

/*  When so many CPUs are free at the earliest, on a node that is ready. Those that are suspended
 *  there have none now, but will have some before they are over. */
static int64_t cpus_free_ms (const backfill_node_t *node, uint32_t cpus, int64_t now_ms)
{
    uint32_t free_cpus = node->cpus_free;
    int64_t last_ms = now_ms;
    if (free_cpus >= cpus && !node->claimed)
        return now_ms;
    for (size_t i = 0; i < node->runs_count; i++) {
        const backfill_run_t *run = &node->runs [i];
        free_cpus += run->cpus;
        if (!run->transfer && run->until_ms > last_ms)
            last_ms = run->until_ms;
        if (free_cpus >= cpus && !node->claimed)
            return last_ms;
    }
    return node->claimed ? last_ms : INT64_MAX;
}

/*  How many CPUs are free at a later moment. */
static uint32_t cpus_free_at (const backfill_node_t *node, int64_t then_ms)
{
    if (node->claimed)
        return node->cpus; /* whoever asks has waited for all */
    uint32_t free_cpus = node->cpus_free;
    for (size_t i = 0; i < node->runs_count && node->runs [i].until_ms <= then_ms; i++)
        free_cpus += node->runs [i].cpus;
    return free_cpus;
}

/*  --- the earliest start of a task --- */

typedef struct {
    size_t node;
    int64_t at_ms; /* INT64_MAX = not known */
} free_at_t;

/*  A task's whole time, as the calendar books it. */
static int64_t booked_ms (const backfill_t *self, const backfill_bag_t *bag)
{
    return bag->limit_ms + self->slack_ms + self->gap_ms;
}

static bool bag_fits_class (const backfill_bag_t *bag, size_t class)
{
    return bag->class == BACKFILL_ANY || bag->class == class;
}

/*  Does the task fit under the node's booking, or can that be made longer? Then no start on this
 *  node is better, and a later one is no easier. */
static bool shares_booking (const backfill_t *self, const backfill_node_t *node, int64_t at_ms,
                            int64_t until_ms)
{
    if (node->given_until_ms < INT64_MAX)
        return until_ms <= node->given_until_ms;
    if (at_ms >= node->booked_until_ms)
        return false;
    return until_ms <= node->booked_until_ms ||
           calendar_least (self->calendars [node->class],
                           (interval_t){node->booked_until_ms, until_ms}) >= 1;
}

/*  The earliest start on a node that is not booked by then. The calendar counts alike nodes, so the
 *  node that can be first is the one that will be. */
static int64_t unbooked_start (const backfill_t *self, size_t class, int64_t from_ms,
                               int64_t length_ms)
{
    int64_t start_ms;
    if (from_ms == INT64_MAX ||
        !calendar_first (self->calendars [class], (interval_t){from_ms, self->horizon_ms},
                         length_ms, 1, &start_ms))
        return INT64_MAX;
    return start_ms;
}

static int64_t ready_ms (const backfill_t *self, const backfill_node_t *node,
                         const backfill_bag_t *bag)
{
    if (node->ready_ms <= self->now_ms)
        return self->now_ms;
    bool lent = bag->preemptible && node->lent_until_ms > self->now_ms;
    return lent ? self->now_ms : node->ready_ms;
}

/*  When the node has the bag's CPUs free. A node that is not ready yet will be empty when it is. */
static int64_t node_free_ms (const backfill_t *self, const backfill_node_t *node,
                             const backfill_bag_t *bag)
{
    int64_t from_ms = ready_ms (self, node, bag);
    if (node->cpus < bag->cpus || (bag->files && !node->storage))
        return INT64_MAX;
    if (from_ms > self->now_ms)
        return from_ms;
    return cpus_free_ms (node, bag->cpus, self->now_ms);
}

static free_at_t earliest_preemptible (const backfill_t *self, size_t class,
                                       const backfill_bag_t *bag)
{
    free_at_t best = {.at_ms = INT64_MAX};
    for (size_t i = self->class_from [class]; i < self->class_from [class + 1]; i++) {
        int64_t at_ms = node_free_ms (self, &self->nodes [i], bag);
        /*  If the CPUs are free now and the task was not started, the node is wanted soon, and when
         *  it will be free is not known.
         */
        if (at_ms > self->now_ms && at_ms < best.at_ms)
            best = (free_at_t){i, at_ms};
    }
    return best;
}

static int64_t unbooked_from (const backfill_node_t *node, int64_t at_ms)
{
    int64_t from_ms = at_ms > node->booked_until_ms ? at_ms : node->booked_until_ms;
    bool given = node->given_until_ms < INT64_MAX;
    return given && from_ms < node->given_until_ms ? node->given_until_ms : from_ms;
}

static free_at_t earliest_booked (const backfill_t *self, size_t class, const backfill_bag_t *bag)
{
    int64_t length_ms = booked_ms (self, bag);
    free_at_t best = {.at_ms = INT64_MAX};
    free_at_t unbooked = {.at_ms = INT64_MAX};
    for (size_t i = self->class_from [class]; i < self->class_from [class + 1]; i++) {
        const backfill_node_t *node = &self->nodes [i];
        int64_t at_ms = node_free_ms (self, node, bag);
        if (at_ms == INT64_MAX)
            continue;
        if (at_ms < best.at_ms && shares_booking (self, node, at_ms, at_ms + length_ms))
            best = (free_at_t){i, at_ms};
        int64_t from_ms = unbooked_from (node, at_ms);
        if (from_ms < unbooked.at_ms)
            unbooked = (free_at_t){i, from_ms};
    }
    if (unbooked.at_ms >= best.at_ms)
        return best;
    unbooked.at_ms = unbooked_start (self, class, unbooked.at_ms, length_ms);
    return unbooked.at_ms < best.at_ms ? unbooked : best;
}

int64_t backfill_expected (const backfill_t *self, const backfill_bag_t *bag)
{
    int64_t first_ms = INT64_MAX;
    for (size_t class = 0; class < self->classes_count; class ++) {
        free_at_t place = {.at_ms = INT64_MAX};
        if (bag_fits_class (bag, class))
            place = earliest_booked (self, class, bag);
        first_ms = place.at_ms < first_ms ? place.at_ms : first_ms;
    }
    return first_ms;
}

/*  --- promises --- */

static void backfill_promise (backfill_t *self, const backfill_bag_t *bag, size_t class,
                              free_at_t place)
{
    const backfill_node_t *node = &self->nodes [place.node];
    int64_t until_ms = place.at_ms + booked_ms (self, bag);
    int64_t from_ms = place.at_ms > node->booked_until_ms ? place.at_ms : node->booked_until_ms;
    bool ready = ready_ms (self, node, bag) <= self->now_ms;
    uint32_t free_cpus = ready ? cpus_free_at (node, place.at_ms) : node->cpus;
    self->promises [class] = (backfill_promise_t){
      .bag = bag,
      .node = place.node,
      .at_ms = place.at_ms,
      .from_ms = bag->preemptible || from_ms > until_ms ? until_ms : from_ms,
      .until_ms = until_ms,
      .spare = free_cpus - bag->cpus,
    };
}

/*  Promises a waiting task its start in the class where it can be first, unless another task has a
 *  promise there already. */
static void promise_first (backfill_t *self, const backfill_bag_t *bag)
{
    free_at_t best = {.at_ms = INT64_MAX};
    size_t best_class = 0;
    for (size_t class = 0; class < self->classes_count; class ++) {
        if (!bag_fits_class (bag, class) || self->promises [class].bag)
            continue;
        free_at_t place = bag->preemptible ? earliest_preemptible (self, class, bag)
                                           : earliest_booked (self, class, bag);
        if (place.at_ms < best.at_ms) {
            best = place;
            best_class = class;
        }
    }
    if (best.at_ms < INT64_MAX)
        backfill_promise (self, bag, best_class, best);
}

/*  The least that is free of a class over an interval, with the promised node counted as taken. */
static int64_t least_beside (const calendar_t *calendar, interval_t over, interval_t promised)
{
    int64_t least = calendar_least (calendar, over);
    interval_t both = {over.from > promised.from ? over.from : promised.from,
                       over.until < promised.until ? over.until : promised.until};
    if (least < 1 || both.from >= both.until)
        return least;
    int64_t beside = calendar_least (calendar, both) - 1;
    return beside < least ? beside : least;
}

/*  --- one task on one node --- */

/*  Does the task leave the promised task its CPUs? */
static bool spares_promise (const backfill_t *self, size_t node, const backfill_bag_t *bag,
                            int64_t until_ms)
{
    const backfill_promise_t *promised = &self->promises [self->nodes [node].class];
    return !promised->bag || promised->node != node || until_ms <= promised->at_ms ||
           bag->cpus <= promised->spare;
}

bool backfill_extends (const backfill_t *self, size_t node_at, int64_t until_ms, bool beside)
{
    const backfill_node_t *node = &self->nodes [node_at];
    int64_t from_ms = node->booked_until_ms > self->now_ms ? node->booked_until_ms : self->now_ms;
    if (node->given_until_ms < INT64_MAX)
        return until_ms <= node->given_until_ms;
    if (until_ms <= from_ms)
        return true;
    const calendar_t *calendar = self->calendars [node->class];
    const backfill_promise_t *promised = &self->promises [node->class];
    interval_t over = {from_ms, until_ms};
    int64_t least =
      beside && promised->bag && promised->node != node_at
        ? least_beside (calendar, over, (interval_t){promised->from_ms, promised->until_ms})
        : calendar_least (calendar, over);
    return least >= 1;
}

/*  What has failed on a node fails for all that ask for longer: bookings that were made since lie
 *  before the point where it failed. */
static bool can_book (const backfill_t *self, size_t node_at, int64_t until_ms)
{
    backfill_node_t *node = &self->nodes [node_at];
    if (until_ms >= node->failed_ms)
        return false;
    bool can = backfill_extends (self, node_at, until_ms, true);
    if (!can)
        node->failed_ms = until_ms;
    return can;
}

static void backfill_start (backfill_t *self, backfill_bag_t *bag, size_t node_at, bool transfer)
{
    backfill_node_t *node = &self->nodes [node_at];
    backfill_run_t run = {.until_ms = self->now_ms + bag->limit_ms + self->slack_ms,
                          .cpus = transfer ? 0 : bag->cpus,
                          .booked = !bag->preemptible && !transfer,
                          .transfer = transfer};
    uint32_t waited = bag->waiting;
    self->start (self->owner, bag, node_at, &run);
    assert (bag->waiting == waited - 1);
    backfill_node_add (node, &run, self->gap_ms);
    backfill_promise_t *promised = &self->promises [node->class];
    if (!promised->bag || promised->node != node_at)
        return;
    if (run.until_ms > promised->at_ms)
        promised->spare -= run.cpus;
    if (node->booked_until_ms > promised->from_ms)
        promised->from_ms =
          node->booked_until_ms < promised->until_ms ? node->booked_until_ms : promised->until_ms;
}

/*  --- the tasks of one bag --- */

#define FAILED_CPUS 64 /* tasks with more CPUs than that are always tried */

/*  The shortest limit with which a task of so many CPUs, or fewer, could not be started: by class,
 *  or any class, by whether it has files, and by whether it is preemptible. */
typedef int64_t failed_t [2][2][FAILED_CPUS + 1];

/*  What is known during one pass, beside the bags. */
typedef struct {
    backfill_t *queue;
    size_t *open; /* nodes that had free CPUs and could be used when the pass began */
    size_t open_count;
    int64_t *unwanted; /* of each class; INT64_MIN = not counted yet */
    failed_t *failed;
    uint32_t data_bound; /* bags that wait for a transfer */
} backfill_pass_t;

/*  A transfer needs no CPUs now, but a node that has enough. */
static bool slots (const backfill_t *self, const backfill_node_t *node, const backfill_bag_t *bag,
                   bool transfer)
{
    bool room = transfer
                  ? bag->files && node->cpus >= bag->cpus && node->transfers < self->transfers_max
                  : !node->claimed && node->cpus_free >= bag->cpus;
    return room && bag_fits_class (bag, node->class) && node->runs_count < self->runs_max &&
           (node->storage || !bag->files);
}

/*  In this order, cheapest for the calendar first: under a booking that is there, on a node in use,
 *  on an unbooked node. */
typedef enum { NODE_COVERS, NODE_IN_USE, NODE_UNBOOKED, PLACE_KINDS } node_kind_t;

static node_kind_t node_kind (const backfill_t *self, const backfill_node_t *node, int64_t until_ms)
{
    if (node->given_until_ms < INT64_MAX)
        return NODE_COVERS;
    if (node->booked_until_ms <= self->now_ms)
        return NODE_UNBOOKED;
    return until_ms <= node->booked_until_ms ? NODE_COVERS : NODE_IN_USE;
}

/*  Nodes of a class that are in use but not in the calendar. */
static int64_t nodes_borrowed (const backfill_t *self, size_t class)
{
    int64_t count = 0;
    for (size_t i = self->class_from [class]; i < self->class_from [class + 1]; i++) {
        const backfill_node_t *node = &self->nodes [i];
        count += node->ready_ms <= self->now_ms && node->given_until_ms == INT64_MAX &&
                 node->booked_until_ms <= self->now_ms && node->runs_count > 0;
    }
    return count;
}

/*  Idle nodes of a class that nothing in the calendar needs within the least life of a preemptible
 *  task. */
static int64_t *nodes_unwanted (const backfill_pass_t *pass, size_t class)
{
    const backfill_t *self = pass->queue;
    int64_t *unwanted = &pass->unwanted [class];
    if (*unwanted == INT64_MIN)
        *unwanted = calendar_least (self->calendars [class],
                                    (interval_t){self->now_ms, self->now_ms + self->life_ms}) -
                    nodes_borrowed (self, class);
    return unwanted;
}

/*  Lent nodes come first, as nothing else may use them. */
typedef enum { BORROW_LENT, BORROW_IN_USE, BORROW_IDLE, BORROW_NOT } borrow_kind_t;

static_assert ((int) BORROW_NOT == (int) PLACE_KINDS, "as many kinds of either");

static borrow_kind_t borrow_kind (const backfill_t *self, const backfill_node_t *node)
{
    if (node->wanted)
        return BORROW_NOT;
    if (node->lent_until_ms >= self->now_ms + self->life_ms)
        return BORROW_LENT;
    if (node->ready_ms > self->now_ms || node->given_until_ms < INT64_MAX)
        return BORROW_NOT;
    bool in_use = node->runs_count > 0 || node->booked_until_ms > self->now_ms;
    return in_use ? BORROW_IN_USE : BORROW_IDLE;
}

/*  Where a task could start. */
typedef struct {
    size_t node;
    backfill_worth_t worth;
    int kind; /* of equally good nodes the one that costs the calendar least */
} backfill_place_t;

bool backfill_worth_more (const backfill_worth_t *one, const backfill_worth_t *other)
{
    if (one->rank != other->rank)
        return one->rank > other->rank;
    return one->staging_s < other->staging_s;
}

static bool ranked_before (const backfill_place_t *a, const backfill_place_t *b)
{
    return backfill_worth_more (&a->worth, &b->worth) ||
           (a->kind < b->kind && !backfill_worth_more (&b->worth, &a->worth));
}

/*  Can a task start there, by its kind of node? What is looked up in the calendar comes later. */
static bool place_kind (const backfill_pass_t *pass, const backfill_bag_t *bag,
                        backfill_place_t *place, int64_t until_ms)
{
    const backfill_t *self = pass->queue;
    const backfill_node_t *node = &self->nodes [place->node];
    if (place->worth.unknown || !slots (self, node, bag, place->worth.transfer))
        return false;
    if (bag->preemptible) {
        place->kind = borrow_kind (self, node);
        return place->kind < BORROW_NOT;
    }
    place->kind = node_kind (self, node, until_ms);
    return node->ready_ms <= self->now_ms;
}

static bool place_room (const backfill_pass_t *pass, const backfill_bag_t *bag,
                        const backfill_place_t *place, int64_t until_ms)
{
    backfill_t *self = pass->queue;
    bool later = place->worth.transfer; /* whoever gives it CPUs looks then */
    if (!bag->preemptible)
        return later || (spares_promise (self, place->node, bag, until_ms - self->gap_ms) &&
                         can_book (self, place->node, until_ms));
    return (later || spares_promise (self, place->node, bag, until_ms)) &&
           (place->kind != BORROW_IDLE ||
            *nodes_unwanted (pass, self->nodes [place->node].class) > 0);
}

static void place_start (const backfill_pass_t *pass, backfill_bag_t *bag,
                         const backfill_place_t *place)
{
    size_t class = pass->queue->nodes [place->node].class;
    backfill_start (pass->queue, bag, place->node, place->worth.transfer);
    if (!bag->preemptible)
        pass->unwanted [class] = INT64_MIN;
    else if (place->kind == BORROW_IDLE)
        --*nodes_unwanted (pass, class);
}

/*  Nodes are all the same to its tasks: each takes as many as it can, the cheapest kind first. */
static size_t place_plain (const backfill_pass_t *pass, backfill_bag_t *bag, int64_t until_ms)
{
    const backfill_t *self = pass->queue;
    size_t started = 0;
    for (int kind = 0; kind < PLACE_KINDS; kind++)
        for (size_t i = 0; i < pass->open_count && bag->waiting > 0; i++) {
            backfill_place_t place = {.node = pass->open [i]};
            if (!place_kind (pass, bag, &place, until_ms) || place.kind != kind)
                continue;
            for (; bag->waiting > 0 && slots (self, &self->nodes [place.node], bag, false) &&
                   place_room (pass, bag, &place, until_ms);
                 started++) {
                place_start (pass, bag, &place);
                place.kind = BORROW_IN_USE; /* if it was idle, it is not any more */
            }
        }
    return started;
}

/*  --- the tasks of a ranked bag --- */

/*  Its node is SIZE_MAX when there is none. */
static backfill_place_t ranked_best (const backfill_pass_t *pass, const backfill_bag_t *bag,
                                     int64_t until_ms)
{
    const backfill_t *self = pass->queue;
    backfill_place_t best = {.node = SIZE_MAX};
    for (size_t i = 0; i < pass->open_count; i++) {
        backfill_place_t place = {.node = pass->open [i]};
        const backfill_node_t *node = &self->nodes [place.node];
        if (!slots (self, node, bag, false) && !slots (self, node, bag, true))
            continue;
        place.worth = self->worth (self->owner, bag, place.node);
        if (place_kind (pass, bag, &place, until_ms) &&
            (best.node == SIZE_MAX || ranked_before (&place, &best)) &&
            place_room (pass, bag, &place, until_ms))
            best = place;
    }
    return best;
}

/*  Each task takes the node that is best for it: the inputs of two tasks are at different nodes,
 *  and a node with one task more is another one. */
static size_t place_ranked (const backfill_pass_t *pass, backfill_bag_t *bag, int64_t until_ms)
{
    size_t started = 0;
    for (backfill_place_t best;
         bag->waiting > 0 && (best = ranked_best (pass, bag, until_ms)).node != SIZE_MAX; started++)
        place_start (pass, bag, &best);
    return started;
}

/*  Does it wait for a transfer, at any node that is open? */
static bool data_bound (const backfill_pass_t *pass, const backfill_bag_t *bag)
{
    const backfill_t *self = pass->queue;
    for (size_t i = 0; i < pass->open_count; i++)
        if (self->worth (self->owner, bag, pass->open [i]).transfer)
            return true;
    return false;
}

/*  --- one pass --- */

static failed_t *failed_new (const backfill_t *self)
{
    failed_t *failed = must (calloc (self->classes_count + 1, sizeof *failed));
    int64_t *all = (int64_t *) failed;
    for (size_t i = 0; i < (self->classes_count + 1) * sizeof *failed / sizeof *all; i++)
        all [i] = INT64_MAX;
    return failed;
}

/*  A task that fails in any class fails in each class, and one that fails without files with them,
 *  too. */
static bool failed_like (const backfill_t *self, const failed_t *failed, const backfill_bag_t *bag)
{
    if (bag->cpus > FAILED_CPUS)
        return false;
    size_t class = bag->class == BACKFILL_ANY ? self->classes_count : bag->class;
    for (int files = 0; files <= bag->files; files++)
        if (bag->limit_ms >= failed [class][files][bag->preemptible][bag->cpus] ||
            bag->limit_ms >= failed [self->classes_count][files][bag->preemptible][bag->cpus])
            return true;
    return false;
}

static void failed_add (const backfill_t *self, failed_t *failed, const backfill_bag_t *bag,
                        int64_t limit_ms)
{
    size_t class = bag->class == BACKFILL_ANY ? self->classes_count : bag->class;
    int64_t *of = failed [class][bag->files][bag->preemptible];
    for (size_t cpus = bag->cpus; cpus <= FAILED_CPUS; cpus++)
        of [cpus] = limit_ms < of [cpus] ? limit_ms : of [cpus];
}

static bool is_open (const backfill_t *self, const backfill_node_t *node)
{
    return (node->cpus_free > 0 || node->transfers < self->transfers_max) &&
           node->runs_count < self->runs_max &&
           (node->ready_ms <= self->now_ms || node->lent_until_ms > self->now_ms);
}

/*  Does any node that can be used have so many CPUs free, whatever the task's limit? */
static bool any_with_cpus (const backfill_pass_t *pass, const backfill_bag_t *bag)
{
    const backfill_t *self = pass->queue;
    for (size_t i = 0; i < pass->open_count; i++) {
        const backfill_node_t *node = &self->nodes [pass->open [i]];
        if (!node->claimed && node->cpus_free >= bag->cpus && bag_fits_class (bag, node->class) &&
            ready_ms (self, node, bag) <= self->now_ms)
            return true;
    }
    return false;
}

/*  Drops nodes from the pass that have no free CPU and no room for a transfer. */
static void close_full (backfill_pass_t *pass)
{
    size_t count = 0;
    for (size_t i = 0; i < pass->open_count; i++)
        if (pass->queue->nodes [pass->open [i]].cpus_free > 0 ||
            pass->queue->nodes [pass->open [i]].transfers < pass->queue->transfers_max)
            pass->open [count++] = pass->open [i];
    pass->open_count = count;
}

static void pass_begin (backfill_pass_t *pass, backfill_t *self)
{
    *pass =
      (backfill_pass_t){.queue = self,
                        .open = must (calloc (self->nodes_count + 1, sizeof *pass->open)),
                        .unwanted = must (calloc (self->classes_count + 1, sizeof *pass->unwanted)),
                        .failed = failed_new (self)};
    for (size_t i = 0; i < self->nodes_count; i++) {
        self->nodes [i].failed_ms = INT64_MAX;
        if (is_open (self, &self->nodes [i]))
            pass->open [pass->open_count++] = i;
    }
    for (size_t class = 0; class < self->classes_count; class ++) {
        self->promises [class] = (backfill_promise_t){0};
        pass->unwanted [class] = INT64_MIN;
    }
}

static void pass_end (backfill_pass_t *pass)
{
    free (pass->open);
    free (pass->unwanted);
    free (pass->failed);
}

/*  Starts as many tasks of the bag as it can. If some still wait, others that ask for as much will
 *  fail too, and the first of them is promised its start. */
static size_t pass_bag (backfill_pass_t *pass, backfill_bag_t *bag)
{
    backfill_t *self = pass->queue;
    if (bag->large)
        self->worth (self->owner, bag, pass->open [0]);
    if (!bag->large && failed_like (self, pass->failed, bag))
        return 0;
    int64_t until_ms =
      self->now_ms + (bag->preemptible ? bag->limit_ms + self->slack_ms : booked_ms (self, bag));
    size_t started =
      bag->ranked ? place_ranked (pass, bag, until_ms) : place_plain (pass, bag, until_ms);
    bool transfers = bag->large && bag->waiting > 0 && data_bound (pass, bag);
    if (started > 0)
        close_full (pass);
    if (bag->waiting > 0) {
        if (!bag->large)
            failed_add (self, pass->failed, bag, any_with_cpus (pass, bag) ? bag->limit_ms : 0);
        /*  One that is data-bound waits for a transfer, not for CPUs: others compute meanwhile. */
        if (transfers)
            pass->data_bound++;
        else
            promise_first (self, bag);
    }
    return started;
}

size_t backfill_pass (backfill_t *self)
{
    backfill_pass_t pass;
    pass_begin (&pass, self);
    size_t started = 0;
    size_t looked_at = 0;
    for (backfill_bag_t *bag = self->next (self->owner, NULL, false);
         bag && pass.open_count > 0 && looked_at <= self->depth;
         bag = self->next (self->owner, bag, pass.data_bound >= self->data_bound_max)) {
        started += pass_bag (&pass, bag);
        looked_at += bag->waiting > 0;
    }
    pass_end (&pass);
    return started;
}
