/*  backfill - nodes, promises, and one pass over the bags. */
#include "backfill.h"

#include "must.h"

#include <assert.h>
#include <string.h>

#define FAILED_MAX 16 /* shapes remembered in a pass */

/*  --- nodes --- */

void backfill_node_add (backfill_node_t *self, const backfill_run_t *run, int64_t gap_ms)
{
    assert (run->cpus <= self->cpus_free);
    if (self->runs_count == self->runs_room) {
        self->runs_room = self->runs_room > 0 ? 2 * self->runs_room : 4;
        self->runs = must (reallocarray (self->runs, self->runs_room, sizeof *self->runs));
    }
    size_t at = self->runs_count++;
    for (; at > 0 && self->runs [at - 1].until_ms > run->until_ms; at--)
        self->runs [at] = self->runs [at - 1];
    self->runs [at] = *run;
    self->cpus_free -= run->cpus;
    if (run->booked && run->until_ms + gap_ms > self->booked_until_ms)
        self->booked_until_ms = run->until_ms + gap_ms;
}

void backfill_node_remove (backfill_node_t *self, const backfill_run_t *run)
{
    size_t at = 0;
    while (at < self->runs_count &&
           (self->runs [at].until_ms != run->until_ms || self->runs [at].cpus != run->cpus ||
            self->runs [at].booked != run->booked))
        at++;
    assert (at < self->runs_count);
    self->runs_count--;
    memmove (&self->runs [at], &self->runs [at + 1], (self->runs_count - at) * sizeof *self->runs);
    self->cpus_free += run->cpus;
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

/*  When so many CPUs are free on a node that is ready, at the earliest. */
static int64_t cpus_free_ms (const backfill_node_t *node, uint32_t cpus, int64_t now_ms)
{
    uint32_t free_cpus = node->cpus_free;
    if (free_cpus >= cpus)
        return now_ms;
    for (size_t i = 0; i < node->runs_count; i++) {
        free_cpus += node->runs [i].cpus;
        if (free_cpus >= cpus)
            return node->runs [i].until_ms > now_ms ? node->runs [i].until_ms : now_ms;
    }
    return INT64_MAX;
}

/*  How many are, at a moment to come. */
static uint32_t cpus_free_at (const backfill_node_t *node, int64_t then_ms)
{
    uint32_t free_cpus = node->cpus_free;
    for (size_t i = 0; i < node->runs_count && node->runs [i].until_ms <= then_ms; i++)
        free_cpus += node->runs [i].cpus;
    return free_cpus;
}

/*  --- the earliest start of a task --- */

typedef struct {
    size_t node;
    int64_t at_ms; /* INT64_MAX = not known */
} place_t;

/*  Its whole time, as it is booked. */
static int64_t booked_ms (const backfill_t *self, const backfill_bag_t *bag)
{
    return bag->limit_ms + self->slack_ms + self->gap_ms;
}

static bool bag_fits_class (const backfill_bag_t *bag, size_t class)
{
    return bag->class == BACKFILL_ANY || bag->class == class;
}

static size_t class_begin (const backfill_t *self, size_t class)
{
    size_t low = 0;
    size_t high = self->nodes_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (self->nodes [middle].class < class)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*  Under the booking of others, and what goes beyond it: there is no better start on this node, and
 *  a later one is no easier. */
static bool shares_booking (const backfill_t *self, const backfill_node_t *node, int64_t at_ms,
                            int64_t until_ms)
{
    if (at_ms >= node->booked_until_ms)
        return false;
    return until_ms <= node->booked_until_ms ||
           calendar_least (self->calendars [node->class],
                           (interval_t){node->booked_until_ms, until_ms}) >= 1;
}

/*  On a node that has become unbooked. Calendars count alike nodes, so the one that can be first is
 *  the one that will be. */
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

/*  When its CPUs are free there; a node that is not ready yet will be empty when it is. */
static int64_t node_free_ms (const backfill_t *self, const backfill_node_t *node,
                             const backfill_bag_t *bag)
{
    int64_t from_ms = ready_ms (self, node, bag);
    if (node->cpus < bag->cpus || from_ms > self->now_ms)
        return node->cpus < bag->cpus ? INT64_MAX : from_ms;
    return cpus_free_ms (node, bag->cpus, self->now_ms);
}

static place_t earliest_preemptible (const backfill_t *self, size_t class,
                                     const backfill_bag_t *bag)
{
    place_t best = {.at_ms = INT64_MAX};
    for (size_t i = class_begin (self, class);
         i < self->nodes_count && self->nodes [i].class == class; i++) {
        int64_t at_ms = node_free_ms (self, &self->nodes [i], bag);
        /*  Where it has its CPUs now and is not begun, its node is wanted soon: who knows when not.
         */
        if (at_ms > self->now_ms && at_ms < best.at_ms)
            best = (place_t){i, at_ms};
    }
    return best;
}

static place_t earliest_booked (const backfill_t *self, size_t class, const backfill_bag_t *bag)
{
    int64_t length_ms = booked_ms (self, bag);
    place_t best = {.at_ms = INT64_MAX};
    place_t unbooked = {.at_ms = INT64_MAX};
    for (size_t i = class_begin (self, class);
         i < self->nodes_count && self->nodes [i].class == class; i++) {
        const backfill_node_t *node = &self->nodes [i];
        int64_t at_ms = node_free_ms (self, node, bag);
        if (at_ms == INT64_MAX)
            continue;
        if (at_ms < best.at_ms && shares_booking (self, node, at_ms, at_ms + length_ms))
            best = (place_t){i, at_ms};
        int64_t from_ms = at_ms > node->booked_until_ms ? at_ms : node->booked_until_ms;
        if (from_ms < unbooked.at_ms)
            unbooked = (place_t){i, from_ms};
    }
    if (unbooked.at_ms >= best.at_ms)
        return best;
    unbooked.at_ms = unbooked_start (self, class, unbooked.at_ms, length_ms);
    return unbooked.at_ms < best.at_ms ? unbooked : best;
}

static place_t earliest_in (const backfill_t *self, size_t class, const backfill_bag_t *bag)
{
    return bag->preemptible ? earliest_preemptible (self, class, bag)
                            : earliest_booked (self, class, bag);
}

int64_t backfill_earliest (const backfill_t *self, const backfill_bag_t *bag)
{
    int64_t best_ms = INT64_MAX;
    for (size_t class = 0; class < self->classes_count; class ++) {
        if (!bag_fits_class (bag, class))
            continue;
        place_t place = earliest_in (self, class, bag);
        best_ms = place.at_ms < best_ms ? place.at_ms : best_ms;
    }
    return best_ms;
}

/*  --- promises --- */

static void promise (backfill_t *self, const backfill_bag_t *bag, size_t class, place_t place)
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

/*  To a task that has to wait, in the class where it can be first; unless another was promised
 *  something there before it. */
static void promise_first (backfill_t *self, const backfill_bag_t *bag)
{
    place_t best = {.at_ms = INT64_MAX};
    size_t best_class = 0;
    for (size_t class = 0; class < self->classes_count; class ++) {
        if (!bag_fits_class (bag, class) || self->promises [class].bag)
            continue;
        place_t place = earliest_in (self, class, bag);
        if (place.at_ms < best.at_ms) {
            best = place;
            best_class = class;
        }
    }
    if (best.at_ms < INT64_MAX)
        promise (self, bag, best_class, best);
}

/*  Least free of a class over an interval, what was promised there counted as taken. */
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

/*  Does it leave the promised task its CPUs? */
static bool spares_promise (const backfill_t *self, size_t node, const backfill_bag_t *bag,
                            int64_t until_ms)
{
    const backfill_promise_t *promised = &self->promises [self->nodes [node].class];
    return !promised->bag || promised->node != node || until_ms <= promised->at_ms ||
           bag->cpus <= promised->spare;
}

/*  Is the class free for what goes beyond the node's booking? What has failed on a node fails for
 *  all that ask for longer: a booking that was made since lies before where it failed. */
static bool can_book (const backfill_t *self, size_t node_at, int64_t until_ms)
{
    backfill_node_t *node = &self->nodes [node_at];
    int64_t from_ms = node->booked_until_ms > self->now_ms ? node->booked_until_ms : self->now_ms;
    if (until_ms <= from_ms)
        return true;
    if (until_ms >= node->failed_ms)
        return false;
    const calendar_t *calendar = self->calendars [node->class];
    const backfill_promise_t *promised = &self->promises [node->class];
    interval_t over = {from_ms, until_ms};
    bool beside = promised->bag && promised->node != node_at;
    int64_t least =
      beside ? least_beside (calendar, over, (interval_t){promised->from_ms, promised->until_ms})
             : calendar_least (calendar, over);
    if (least < 1)
        node->failed_ms = until_ms;
    return least >= 1;
}

static void start (backfill_t *self, backfill_bag_t *bag, size_t node_at)
{
    backfill_node_t *node = &self->nodes [node_at];
    backfill_run_t run = {.until_ms = self->now_ms + bag->limit_ms + self->slack_ms,
                          .cpus = bag->cpus,
                          .booked = !bag->preemptible};
    uint32_t waited = bag->waiting;
    self->start (self->owner, bag, node_at, run.until_ms);
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

/*  Cheapest for the calendar first: under a booking that is there, then on nodes in use. */
typedef enum { NODE_COVERS, NODE_IN_USE, NODE_UNBOOKED, NODE_KINDS } node_kind_t;

static node_kind_t node_kind (const backfill_t *self, const backfill_node_t *node, int64_t until_ms)
{
    if (node->booked_until_ms <= self->now_ms)
        return NODE_UNBOOKED;
    return until_ms <= node->booked_until_ms ? NODE_COVERS : NODE_IN_USE;
}

static size_t place_booked (backfill_t *self, backfill_bag_t *bag, size_t class)
{
    int64_t until_ms = self->now_ms + booked_ms (self, bag);
    size_t begin = class_begin (self, class);
    size_t started = 0;
    for (node_kind_t kind = 0; kind < NODE_KINDS && bag->waiting > 0; kind++) {
        for (size_t i = begin;
             i < self->nodes_count && self->nodes [i].class == class && bag->waiting > 0; i++) {
            backfill_node_t *node = &self->nodes [i];
            if (node->ready_ms > self->now_ms || node->cpus_free < bag->cpus ||
                node_kind (self, node, until_ms) != kind)
                continue;
            while (bag->waiting > 0 && node->cpus_free >= bag->cpus &&
                   spares_promise (self, i, bag, until_ms - self->gap_ms) &&
                   can_book (self, i, until_ms)) {
                start (self, bag, i);
                started++;
            }
        }
    }
    return started;
}

/*  Nodes of a class that are in no calendar, and yet in use. */
static int64_t nodes_borrowed (const backfill_t *self, size_t class)
{
    int64_t count = 0;
    for (size_t i = class_begin (self, class);
         i < self->nodes_count && self->nodes [i].class == class; i++) {
        const backfill_node_t *node = &self->nodes [i];
        count += node->ready_ms <= self->now_ms && node->booked_until_ms <= self->now_ms &&
                 node->runs_count > 0;
    }
    return count;
}

/*  Nodes of a class that nothing in the calendar wants for a least life. */
static int64_t nodes_unwanted (const backfill_t *self, size_t class)
{
    return calendar_least (self->calendars [class],
                           (interval_t){self->now_ms, self->now_ms + self->life_ms}) -
           nodes_borrowed (self, class);
}

/*  What is lent comes first: nobody else may use it. */
typedef enum { BORROW_LENT, BORROW_IN_USE, BORROW_IDLE, BORROW_KINDS } borrow_kind_t;

static bool borrows (const backfill_t *self, const backfill_node_t *node, borrow_kind_t kind)
{
    bool lent = node->lent_until_ms >= self->now_ms + self->life_ms;
    bool ready = node->ready_ms <= self->now_ms;
    bool in_use = node->runs_count > 0 || node->booked_until_ms > self->now_ms;
    switch (kind) {
    case BORROW_LENT:
        return lent;
    case BORROW_IN_USE:
        return !lent && ready && in_use;
    case BORROW_IDLE:
        return !lent && ready && !in_use;
    case BORROW_KINDS:
        break;
    }
    return false;
}

static size_t place_preemptible (backfill_t *self, backfill_bag_t *bag, size_t class)
{
    int64_t until_ms = self->now_ms + bag->limit_ms + self->slack_ms;
    int64_t unwanted = nodes_unwanted (self, class);
    size_t begin = class_begin (self, class);
    size_t started = 0;
    for (borrow_kind_t kind = 0; kind < BORROW_KINDS && bag->waiting > 0; kind++) {
        for (size_t i = begin;
             i < self->nodes_count && self->nodes [i].class == class && bag->waiting > 0; i++) {
            backfill_node_t *node = &self->nodes [i];
            if (!borrows (self, node, kind) || (kind == BORROW_IDLE && unwanted < 1))
                continue;
            size_t before = started;
            for (; bag->waiting > 0 && node->cpus_free >= bag->cpus &&
                   spares_promise (self, i, bag, until_ms);
                 started++)
                start (self, bag, i);
            unwanted -= kind == BORROW_IDLE && started > before;
        }
    }
    return started;
}

/*  --- one pass --- */

/*  What could not be started: less was not asked. */
typedef struct {
    size_t class;
    bool preemptible;
    uint32_t cpus;
    int64_t limit_ms;
} shape_t;

typedef struct {
    shape_t list [FAILED_MAX];
    size_t count;
} failed_t;

static bool failed_like (const failed_t *failed, const backfill_bag_t *bag)
{
    for (size_t i = 0; i < failed->count; i++) {
        const shape_t *shape = &failed->list [i];
        if (shape->preemptible == bag->preemptible &&
            (shape->class == BACKFILL_ANY || shape->class == bag->class) &&
            bag->cpus >= shape->cpus && bag->limit_ms >= shape->limit_ms)
            return true;
    }
    return false;
}

static void failed_add (failed_t *failed, const backfill_bag_t *bag)
{
    if (failed->count < FAILED_MAX)
        failed->list [failed->count++] =
          (shape_t){bag->class, bag->preemptible, bag->cpus, bag->limit_ms};
}

/*  Is there a CPU on which something could be started? */
static bool any_free (const backfill_t *self)
{
    for (size_t i = 0; i < self->nodes_count; i++) {
        const backfill_node_t *node = &self->nodes [i];
        if (node->cpus_free > 0 &&
            (node->ready_ms <= self->now_ms || node->lent_until_ms > self->now_ms))
            return true;
    }
    return false;
}

static size_t place_all (backfill_t *self, backfill_bag_t *bag)
{
    size_t started = 0;
    for (size_t class = 0; class < self->classes_count && bag->waiting > 0; class ++) {
        if (!bag_fits_class (bag, class))
            continue;
        started +=
          bag->preemptible ? place_preemptible (self, bag, class) : place_booked (self, bag, class);
    }
    return started;
}

size_t backfill_pass (backfill_t *self)
{
    failed_t failed = {0};
    size_t started = 0;
    size_t looked_at = 0;
    memset (self->promises, 0, self->classes_count * sizeof *self->promises);
    for (size_t i = 0; i < self->nodes_count; i++)
        self->nodes [i].failed_ms = INT64_MAX;
    bool any = any_free (self);
    for (backfill_bag_t *bag = self->first, *next; bag && any && looked_at <= self->depth;
         bag = next) {
        next = bag->next; /* it may leave the list */
        size_t now_started = failed_like (&failed, bag) ? 0 : place_all (self, bag);
        started += now_started;
        if (now_started > 0)
            any = any_free (self);
        if (bag->waiting == 0)
            continue;
        looked_at++;
        if (!failed_like (&failed, bag)) {
            failed_add (&failed, bag);
            promise_first (self, bag);
        }
    }
    return started;
}
