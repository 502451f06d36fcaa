/*  bilb - the turns of one step, and its transfers written out. */
#include "bilb.h"

#include "must.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*  --- the clusters that have had their turn, and whose times rise together ---
 *
 *  Clusters with the same time form a group, and groups that meet stay together. Groups at or below
 *  the last target stand on a stack, the highest on top; what all of them rise by is added to one
 *  common offset. Clusters above it, whose limits held work back, wait in a heap until the target
 *  reaches them. A cluster that reaches its level leaves its group for good. So each cluster costs
 *  a few heap operations in all, however often its time changes.
 */

#define NONE UINT32_MAX

typedef struct {
    double time; /* while it is in no group */
    double speed;
    double level;
    uint32_t left; /* a leftist heap: the lowest level is its root */
    uint32_t right;
    uint32_t rank;
} receiver_t;

typedef struct {
    double base; /* time less the offset */
    double speed;
    uint32_t root; /* NONE = all have reached their levels */
    bool over;     /* has been merged into another */
} group_t;

/*  An entry of a heap: a key, and the receiver or group that it belongs to. */
typedef struct {
    double key;
    uint32_t of;
} entry_t;

typedef struct {
    entry_t *entries;
    size_t count;
} heap_t;

typedef struct {
    receiver_t *receivers;
    size_t count;
    size_t room;
    group_t *groups; /* each add and each raise begins at most one */
    size_t groups_count;
    uint32_t *stack; /* groups, the highest time on top */
    size_t stack_count;
    double stack_speed;
    double offset;
    heap_t above;   /* receivers by time */
    heap_t stops;   /* groups by the offset at which their next member reaches its level */
    uint32_t *left; /* receivers still to be looked at */
} bilb_receivers_t;

/*  --- a binary heap, least key first --- */

static void heap_add (heap_t *heap, double key, uint32_t of)
{
    size_t at = heap->count++;
    while (at > 0 && heap->entries [(at - 1) / 2].key > key) {
        heap->entries [at] = heap->entries [(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->entries [at] = (entry_t){key, of};
}

static entry_t heap_take (heap_t *heap)
{
    entry_t first = heap->entries [0];
    entry_t last = heap->entries [--heap->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && heap->entries [child + 1].key < heap->entries [child].key)
            child++;
        if (last.key <= heap->entries [child].key)
            break;
        heap->entries [at] = heap->entries [child];
    }
    heap->entries [at] = last;
    return first;
}

/*  --- members of a group, lowest level first --- */

static uint32_t bilb_receivers_rank_of (const receiver_t *all, uint32_t at)
{
    return at == NONE ? 0 : all [at].rank;
}

/*  Goes down the right spines, keeping the way back in `right`, and sets the ranks on the way
 *  back. */
static uint32_t members_merge (receiver_t *all, uint32_t a, uint32_t b)
{
    uint32_t above = NONE;
    while (a != NONE && b != NONE) {
        if (all [b].level < all [a].level) {
            uint32_t kept = a;
            a = b;
            b = kept;
        }
        uint32_t next = all [a].right;
        all [a].right = above;
        above = a;
        a = next;
    }
    uint32_t merged = a == NONE ? b : a;
    while (above != NONE) {
        uint32_t parent = all [above].right;
        all [above].right = merged;
        if (bilb_receivers_rank_of (all, all [above].left) <
            bilb_receivers_rank_of (all, all [above].right)) {
            all [above].right = all [above].left;
            all [above].left = merged;
        }
        all [above].rank = 1 + bilb_receivers_rank_of (all, all [above].right);
        merged = above;
        above = parent;
    }
    return merged;
}

/*  The root reaches its level and stays there. */
static const receiver_t *group_stop (bilb_receivers_t *self, group_t *group)
{
    receiver_t *stopped = &self->receivers [group->root];
    group->root = members_merge (self->receivers, stopped->left, stopped->right);
    group->speed = group->root == NONE ? 0 : group->speed - stopped->speed;
    stopped->time = stopped->level;
    return stopped;
}

/*  --- groups --- */

static void stack_push (bilb_receivers_t *self, const group_t *group)
{
    uint32_t name = (uint32_t) self->groups_count++;
    assert (self->groups_count <= 2 * self->room);
    self->groups [name] = *group;
    self->stack [self->stack_count++] = name;
    self->stack_speed += group->speed;
    heap_add (&self->stops, self->receivers [group->root].level - group->base, name);
}

static group_t *stack_pop (bilb_receivers_t *self)
{
    group_t *group = &self->groups [self->stack [--self->stack_count]];
    group->over = true;
    self->stack_speed = self->stack_count == 0 ? 0 : self->stack_speed - group->speed;
    return group;
}

/*  Takes in the receivers that the target has reached. */
static void bilb_receivers_take_in (bilb_receivers_t *self, double target)
{
    while (self->above.count > 0 && self->above.entries [0].key <= target) {
        uint32_t of = heap_take (&self->above).of;
        receiver_t *receiver = &self->receivers [of];
        stack_push (
          self,
          &(group_t){.base = receiver->time - self->offset, .speed = receiver->speed, .root = of});
    }
}

/*  Groups that reach the target become one group, *met. Returns the load that they receive. */
static double meet (bilb_receivers_t *self, double rise, double target, group_t *met)
{
    double load = 0;
    *met = (group_t){.root = NONE};
    while (self->stack_count > 0) {
        const group_t *top = &self->groups [self->stack [self->stack_count - 1]];
        double time = top->base + self->offset;
        if (top->root != NONE && time + rise <= target)
            break;
        const group_t *group = stack_pop (self);
        if (group->root == NONE)
            continue;
        load += group->speed * fmax (0, target - time);
        met->root = members_merge (self->receivers, met->root, group->root);
        met->speed += group->speed;
    }
    while (met->root != NONE && self->receivers [met->root].level <= target) {
        const receiver_t *stopped = group_stop (self, met);
        load -= stopped->speed * (target - stopped->level);
    }
    return load;
}

/*  Groups below the target rise freely, but for members that reach their levels. */
static double rise_all (bilb_receivers_t *self, double rise)
{
    double load = self->stack_speed * rise;
    self->offset += rise;
    while (self->stops.count > 0 && self->stops.entries [0].key <= self->offset) {
        entry_t stop = heap_take (&self->stops);
        group_t *group = &self->groups [stop.of];
        if (group->over)
            continue;
        const receiver_t *stopped = group_stop (self, group);
        self->stack_speed -= stopped->speed;
        load -= stopped->speed * (self->offset - stop.key);
        if (group->root != NONE)
            heap_add (&self->stops, self->receivers [group->root].level - group->base, stop.of);
    }
    return load;
}

/*  Raises the time of each cluster by `rise`, but not above target or its level; targets never
 *  fall. Returns the load that they receive in all. */
static double bilb_receivers_raise (bilb_receivers_t *self, double rise, double target)
{
    assert (rise > 0 && isfinite (target));
    bilb_receivers_take_in (self, target);
    group_t met;
    double load = meet (self, rise, target, &met);
    load += rise_all (self, rise);
    if (met.root != NONE) {
        met.base = target - self->offset;
        stack_push (self, &met);
    }
    return fmax (0, load);
}

/*  --- who is in --- */

/*  Adds a cluster; they are numbered from 0 in this order. Its time is not below the last
 *  target. */
static void bilb_receivers_add (bilb_receivers_t *self, double time, double speed, double level)
{
    uint32_t of = (uint32_t) self->count++;
    assert (self->count <= self->room);
    self->receivers [of] = (receiver_t){time, speed, level, NONE, NONE, 1};
    if (level > time)
        heap_add (&self->above, time, of);
}

/*  Times as they are now, by number. Ends the rising: clear before the next raise. */
static void bilb_receivers_times (bilb_receivers_t *self, double *times)
{
    for (size_t i = 0; i < self->stack_count; i++) {
        const group_t *group = &self->groups [self->stack [i]];
        double time = group->base + self->offset;
        size_t left = 0;
        if (group->root != NONE)
            self->left [left++] = group->root;
        while (left > 0) {
            receiver_t *member = &self->receivers [self->left [--left]];
            member->time = fmin (time, member->level);
            if (member->left != NONE)
                self->left [left++] = member->left;
            if (member->right != NONE)
                self->left [left++] = member->right;
        }
    }
    for (size_t i = 0; i < self->count; i++)
        times [i] = self->receivers [i].time;
}

/*  Empties it, and makes room for so many clusters. A group is begun for each receiver taken in and
 *  by each raise; a stop is kept for each group, and one more for each member that has stopped. */
static void bilb_receivers_clear (bilb_receivers_t *self, size_t count)
{
    if (count > self->room) {
        self->room = count;
        self->receivers = must (reallocarray (self->receivers, count, sizeof *self->receivers));
        self->groups = must (reallocarray (self->groups, 2 * count, sizeof *self->groups));
        self->stack = must (reallocarray (self->stack, 2 * count, sizeof *self->stack));
        self->above.entries =
          must (reallocarray (self->above.entries, count, sizeof *self->above.entries));
        self->stops.entries =
          must (reallocarray (self->stops.entries, 3 * count, sizeof *self->stops.entries));
        self->left = must (reallocarray (self->left, count, sizeof *self->left));
    }
    self->count = self->groups_count = self->stack_count = 0;
    self->above.count = self->stops.count = 0;
    self->stack_speed = self->offset = 0;
}

static bilb_receivers_t *bilb_receivers_new (void)
{
    return must (calloc (1, sizeof (bilb_receivers_t)));
}

static void bilb_receivers_destroy (bilb_receivers_t **self_p)
{
    bilb_receivers_t *self = *self_p;
    if (!self)
        return;
    free (self->receivers);
    free (self->groups);
    free (self->stack);
    free (self->above.entries);
    free (self->stops.entries);
    free (self->left);
    free (self);
    *self_p = NULL;
}

/*  A cluster at its place in the order. */
typedef struct {
    double time;
    uint32_t cluster;
    double speed;
    double level;
    double load;
} bilb_order_t;

/*  Its turn: the first sends nothing. */
typedef struct {
    uint32_t sender;
    double rise;   /* time that each receiver is sent, if nothing stops it */
    double target; /* no receiver's time rises above it */
} bilb_turn_t;

struct bilb {
    size_t count;
    size_t room;
    bilb_order_t *places;
    uint32_t *order;
    bilb_turn_t *turns;
    double *loads;
    bilb_receivers_t *receivers;

    size_t walked; /* turns that have been written out */
    double *times; /* by place, after these turns; after the step at first */
    bilb_transfer_t *transfers;
};

bilb_check_t bilb_check (const bilb_cluster_t *cluster)
{
    if (!(cluster->speed >= BILB_SPEED_MIN && cluster->speed <= BILB_SPEED_MAX))
        return BILB_BAD_SPEED;
    if (!(cluster->level >= 0))
        return BILB_BAD_LEVEL;
    return cluster->load >= 0 && cluster->load <= BILB_LOAD_MAX ? BILB_GOOD : BILB_BAD_LOAD;
}

const char *bilb_check_words (bilb_check_t check)
{
    static const char *const words [] = {
      [BILB_GOOD] = "is good",
      [BILB_BAD_SPEED] = "must be a number from 1e-9 to 1e9",
      [BILB_BAD_LEVEL] = "must be a number from 0 on, or \"inf\"",
      [BILB_BAD_LOAD] = "must be a number from 0 to 1e15 in all",
    };
    return words [check];
}

/*  --- one step --- */

static int bilb_by_time (const void *a, const void *b)
{
    const bilb_order_t *left = a;
    const bilb_order_t *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return left->cluster < right->cluster ? -1 : left->cluster > right->cluster;
}

/*  How much would be sent if nobody refused any (eqs 2 and 4). */
static double wanted (const bilb_order_t *place, double target)
{
    double load = fmin (place->load - place->speed * target, place->level * place->speed);
    return load > BILB_GRAIN * place->load ? load : 0;
}

/*  loads, speeds: the sums over the clusters before it, which transfers among them do not
 *  change. */
static void take_turn (bilb_t *self, size_t at, double loads, double speeds)
{
    const bilb_order_t *place = &self->places [at];
    bilb_turn_t *turn = &self->turns [at];
    double before = at > 0 ? self->turns [at - 1].target : 0;
    double mean = (loads + place->load) / (speeds + place->speed);
    *turn =
      (bilb_turn_t){.sender = place->cluster, .target = fmin (place->time, fmax (before, mean))};
    double time = place->time;
    double load = at > 0 ? wanted (place, turn->target) : 0;
    if (load > 0) {
        turn->rise = load / speeds;
        double sent = bilb_receivers_raise (self->receivers, turn->rise, turn->target);
        assert (sent <= load * (1 + 1e-9));
        time = fmax (turn->target, time - sent / place->speed);
    }
    bilb_receivers_add (self->receivers, time, place->speed, place->level);
}

static void check_kept (const bilb_t *self, double before)
{
    double after = 0;
    for (size_t i = 0; i < self->count; i++) {
        const bilb_order_t *place = &self->places [i];
        assert (self->times [i] <= fmax (place->level, place->time));
        after += self->loads [place->cluster];
    }
    assert (fabs (after - before) <= 1e-9 * before);
}

static void bilb_make_room (bilb_t *self, size_t count)
{
    self->count = count;
    if (count <= self->room)
        return;
    self->room = count;
    self->places = must (reallocarray (self->places, count, sizeof *self->places));
    self->order = must (reallocarray (self->order, count, sizeof *self->order));
    self->turns = must (reallocarray (self->turns, count, sizeof *self->turns));
    self->loads = must (reallocarray (self->loads, count, sizeof *self->loads));
    self->times = must (reallocarray (self->times, count, sizeof *self->times));
    self->transfers = must (reallocarray (self->transfers, count, sizeof *self->transfers));
}

void bilb_step (bilb_t *self, const bilb_cluster_t *clusters, size_t count)
{
    assert (count > 0 && count <= BILB_CLUSTERS_MAX);
    bilb_make_room (self, count);
    for (size_t i = 0; i < count; i++) {
        assert (bilb_check (&clusters [i]) == BILB_GOOD);
        self->places [i] =
          (bilb_order_t){clusters [i].load / clusters [i].speed, (uint32_t) i, clusters [i].speed,
                         clusters [i].level, clusters [i].load};
    }
    qsort (self->places, count, sizeof *self->places, bilb_by_time);
    bilb_receivers_clear (self->receivers, count);
    double loads = 0;
    double speeds = 0;
    for (size_t i = 0; i < count; i++) {
        self->order [i] = self->places [i].cluster;
        take_turn (self, i, loads, speeds);
        loads += self->places [i].load;
        speeds += self->places [i].speed;
    }
    bilb_receivers_times (self->receivers, self->times);
    for (size_t i = 0; i < count; i++)
        self->loads [self->order [i]] = self->times [i] == self->places [i].time
                                          ? self->places [i].load
                                          : self->times [i] * self->places [i].speed;
    check_kept (self, loads);
    self->walked = count;
}

const uint32_t *bilb_order (const bilb_t *self)
{
    return self->order;
}

const double *bilb_loads (const bilb_t *self)
{
    return self->loads;
}

/*  --- transfers one by one --- */

void bilb_walk (bilb_t *self)
{
    self->walked = 0;
}

/*  Eq 3 in time, with the target as a third bound: without it a promise could break. */
static double rise_of (const bilb_order_t *receiver, double time, const bilb_turn_t *turn)
{
    return fmax (0, fmin (turn->rise, fmin (receiver->level, turn->target) - time));
}

bool bilb_walk_turn (bilb_t *self, const bilb_transfer_t **transfers, size_t *count)
{
    for (*count = 0; *count == 0 && self->walked < self->count; self->walked++) {
        size_t at = self->walked;
        const bilb_order_t *sender = &self->places [at];
        const bilb_turn_t *turn = &self->turns [at];
        double sent = 0;
        for (size_t i = 0; i < at && turn->rise > 0; i++) {
            double rise = rise_of (&self->places [i], self->times [i], turn);
            double load = rise * self->places [i].speed;
            if (rise <= BILB_GRAIN * turn->target)
                continue;
            self->times [i] += rise;
            sent += load;
            self->transfers [(*count)++] =
              (bilb_transfer_t){turn->sender, self->places [i].cluster, load};
        }
        self->times [at] =
          *count == 0 ? sender->time : fmax (turn->target, sender->time - sent / sender->speed);
    }
    *transfers = self->transfers;
    return *count > 0;
}

/*  --- the object --- */

bilb_t *bilb_new (void)
{
    bilb_t *self = must (calloc (1, sizeof *self));
    self->receivers = bilb_receivers_new ();
    return self;
}

void bilb_destroy (bilb_t **self_p)
{
    bilb_t *self = *self_p;
    if (!self)
        return;
    free (self->places);
    free (self->order);
    free (self->turns);
    free (self->loads);
    free (self->times);
    free (self->transfers);
    bilb_receivers_destroy (&self->receivers);
    free (self);
    *self_p = NULL;
}
