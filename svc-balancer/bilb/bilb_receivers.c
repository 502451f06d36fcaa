/*  bilb_receivers - groups, their members in mergeable heaps by level. */
#include "bilb_receivers.h"

#include "must.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

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

struct bilb_receivers {
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
};

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

double bilb_receivers_raise (bilb_receivers_t *self, double rise, double target)
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

void bilb_receivers_add (bilb_receivers_t *self, double time, double speed, double level)
{
    uint32_t of = (uint32_t) self->count++;
    assert (self->count <= self->room);
    self->receivers [of] = (receiver_t){time, speed, level, NONE, NONE, 1};
    if (level > time)
        heap_add (&self->above, time, of);
}

void bilb_receivers_times (bilb_receivers_t *self, double *times)
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

/*  A group is begun for each receiver taken in and by each raise; a stop is kept for each group,
 *  and one more for each member that has stopped. */
void bilb_receivers_clear (bilb_receivers_t *self, size_t count)
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

bilb_receivers_t *bilb_receivers_new (void)
{
    return must (calloc (1, sizeof (bilb_receivers_t)));
}

void bilb_receivers_destroy (bilb_receivers_t **self_p)
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
