/*  changes - keeping the B+-tree of changes in shape.
 *
 *  Both updates go down once and up once; a booking that begins and ends in one leaf does so once
 *  for both. On the way down a node that could not take (or lose) an entry is put right before it
 *  is entered, so that no repair ever runs upwards; on the way up each parent notes what its child
 *  now is, until it was that already. A full node first evens out with a neighbour and is
 *  split only when that is nearly full too: leaves stay about four fifths full, which is what
 *  keeps a booking small.
 *
 *  A node is a few parallel arrays of 8-byte entries. `calendar_changes_rows_t` is the view
 *  under which leaves and inner nodes are opened, closed and shifted by the same code.
 */
#include "calendar_changes.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTRY_BYTES = 8,
    LANES_MAX = 5,
};

static_assert (sizeof (int64_t) == ENTRY_BYTES && sizeof (calendar_node_t) == ENTRY_BYTES,
               "all lanes have entries of one size");

typedef struct {
    void *lanes [LANES_MAX]; /* the last one: the level after each entry */
    uint32_t lanes_count;
    uint32_t levels_from; /* this lane and those behind it are levels */
    uint32_t *count;
    uint32_t max;
} calendar_changes_rows_t;

typedef struct {
    inner_t *inner;
    uint32_t child;
} calendar_changes_step_t;

/*  The way down, the root first. */
typedef struct {
    calendar_changes_step_t steps [HEIGHT_MAX];
    uint32_t count;
} calendar_changes_path_t;

static calendar_node_t node_new (uint32_t height)
{
    calendar_node_t node;
    if (height == 0) {
        node.leaf = must (malloc (sizeof (leaf_t)));
        node.leaf->next = NULL;
        node.leaf->count = 0;
        node.leaf->levels [0] = 0;
    } else {
        node.inner = must (malloc (sizeof (inner_t)));
        node.inner->count = 0;
        node.inner->levels [0] = 0;
    }
    return node;
}

static void node_free (calendar_node_t node, uint32_t height)
{
    if (height == 0)
        free (node.leaf);
    else
        free (node.inner);
}

static calendar_changes_rows_t rows_of (calendar_node_t node, uint32_t height)
{
    if (height == 0)
        return (calendar_changes_rows_t){
          .lanes = {node.leaf->stamps, node.leaf->levels + 1},
          .lanes_count = 2,
          .levels_from = 1,
          .count = &node.leaf->count,
          .max = LEAF_CHANGES,
        };
    return (calendar_changes_rows_t){
      .lanes = {node.inner->firsts, node.inner->children, node.inner->lows, node.inner->highs,
                node.inner->levels + 1},
      .lanes_count = 5,
      .levels_from = 2,
      .count = &node.inner->count,
      .max = INNER_CHILDREN,
    };
}

/*  The level after all entries. */
static int64_t rows_end (calendar_changes_rows_t rows)
{
    const int64_t *levels = rows.lanes [rows.lanes_count - 1];
    return *rows.count > 0 ? levels [*rows.count - 1] : 0;
}

/*  Move all levels from an entry on. */
static void rows_raise (calendar_changes_rows_t rows, uint32_t from, int64_t by)
{
    for (uint32_t i = rows.levels_from; i < rows.lanes_count; i++) {
        int64_t *levels = rows.lanes [i];
        for (uint32_t j = from; j < *rows.count; j++)
            levels [j] += by;
    }
}

/*  Move the entries from `at` on by one, up or down; whoever opens a row fills it. */
static void rows_open (calendar_changes_rows_t rows, uint32_t at)
{
    assert (*rows.count < rows.max && at <= *rows.count);
    for (uint32_t i = 0; i < rows.lanes_count; i++) {
        char *lane = rows.lanes [i];
        memmove (lane + (at + 1) * ENTRY_BYTES, lane + at * ENTRY_BYTES,
                 (*rows.count - at) * ENTRY_BYTES);
    }
    (*rows.count)++;
}

static void rows_close (calendar_changes_rows_t rows, uint32_t at)
{
    assert (at < *rows.count);
    (*rows.count)--;
    for (uint32_t i = 0; i < rows.lanes_count; i++) {
        char *lane = rows.lanes [i];
        memmove (lane + at * ENTRY_BYTES, lane + (at + 1) * ENTRY_BYTES,
                 (*rows.count - at) * ENTRY_BYTES);
    }
}

/*  Moves entries between two neighbours until the left one has left_count. */
static void rows_share (calendar_changes_rows_t left, calendar_changes_rows_t right,
                        uint32_t left_count)
{
    uint32_t had = *left.count;
    uint32_t right_had = *right.count;
    uint32_t right_count = had + right_had - left_count;
    assert (left_count <= left.max && right_count <= right.max);
    rows_raise (right, 0,
                rows_end (left)); /* for the time being all count from the left's beginning */
    for (uint32_t i = 0; i < left.lanes_count; i++) {
        char *to = left.lanes [i];
        char *from = right.lanes [i];
        if (left_count > had) {
            size_t moved = (left_count - had) * ENTRY_BYTES;
            memcpy (to + had * ENTRY_BYTES, from, moved);
            memmove (from, from + moved, right_count * ENTRY_BYTES);
        } else {
            size_t moved = (had - left_count) * ENTRY_BYTES;
            memmove (from + moved, from, right_had * ENTRY_BYTES);
            memcpy (from, to + left_count * ENTRY_BYTES, moved);
        }
    }
    *left.count = left_count;
    *right.count = right_count;
    rows_raise (right, 0, -rows_end (left));
}

/*  What a parent keeps of a child. */
typedef struct {
    int64_t first;
    int64_t low;
    int64_t high;
    int64_t end;
} calendar_changes_outline_t;

static calendar_changes_outline_t outline_of (int64_t first, const int64_t *lows,
                                              const int64_t *highs, uint32_t count, int64_t end)
{
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        low = lows [i] < low ? lows [i] : low;
        high = highs [i] > high ? highs [i] : high;
    }
    return (calendar_changes_outline_t){.first = first, .low = low, .high = high, .end = end};
}

static calendar_changes_outline_t outline_of_node (calendar_node_t node, uint32_t height)
{
    if (height == 0) {
        const leaf_t *leaf = node.leaf;
        const int64_t *levels = leaf->levels + 1;
        return outline_of (stamp_time (leaf->stamps [0]), levels, levels, leaf->count,
                           leaf->levels [leaf->count]);
    }
    const inner_t *inner = node.inner;
    return outline_of (inner->firsts [0], inner->lows, inner->highs, inner->count,
                       inner->levels [inner->count]);
}

/*  Note in the parent what its child now is; the children behind it rise or fall with its end.
 *  False when it was the same before: then nothing above the parent has changed either. */
static bool inner_note (inner_t *self, uint32_t child, uint32_t child_height)
{
    calendar_changes_outline_t outline = outline_of_node (self->children [child], child_height);
    int64_t before = self->levels [child];
    int64_t moved = before + outline.end - self->levels [child + 1];
    bool same = moved == 0 && self->firsts [child] == outline.first &&
                self->lows [child] == before + outline.low &&
                self->highs [child] == before + outline.high;
    self->firsts [child] = outline.first;
    self->lows [child] = before + outline.low;
    self->highs [child] = before + outline.high;
    self->levels [child + 1] += moved;
    rows_raise (rows_of ((calendar_node_t){.inner = self}, child_height + 1), child + 1, moved);
    return !same;
}

/*  Give child `left` so many entries and its right neighbour the rest of both. */
static void inner_share (inner_t *self, uint32_t left, uint32_t left_count, uint32_t child_height)
{
    rows_share (rows_of (self->children [left], child_height),
                rows_of (self->children [left + 1], child_height), left_count);
    inner_note (self, left, child_height);
    inner_note (self, left + 1, child_height);
}

static void inner_split (inner_t *self, uint32_t child, uint32_t child_height)
{
    calendar_node_t left = self->children [child];
    calendar_node_t right = node_new (child_height);
    if (child_height == 0) {
        right.leaf->next = left.leaf->next;
        left.leaf->next = right.leaf;
    }
    rows_open (rows_of ((calendar_node_t){.inner = self}, child_height + 1), child + 1);
    self->children [child + 1] = right; /* empty: it ends as the left one does, until they share */
    self->lows [child + 1] = 0;
    self->highs [child + 1] = 0;
    self->levels [child + 2] = self->levels [child + 1];
    inner_share (self, child, *rows_of (left, child_height).count / 2, child_height);
}

/*  Move all that the right neighbour of child `left` has into it. */
static void inner_merge (inner_t *self, uint32_t left, uint32_t child_height)
{
    calendar_node_t kept = self->children [left];
    calendar_node_t gone = self->children [left + 1];
    calendar_changes_rows_t rows = rows_of (kept, child_height);
    calendar_changes_rows_t from = rows_of (gone, child_height);
    rows_share (rows, from, *rows.count + *from.count);
    if (child_height == 0)
        kept.leaf->next = gone.leaf->next;
    self->levels [left + 1] = self->levels [left + 2];
    rows_close (rows_of ((calendar_node_t){.inner = self}, child_height + 1), left + 1);
    inner_note (self, left, child_height);
    node_free (gone, child_height);
}

static uint32_t inner_child_count (const inner_t *self, uint32_t child, uint32_t child_height)
{
    return *rows_of (self->children [child], child_height).count;
}

/*  Before entering a child that must be able to take one more. */
static void inner_make_room (inner_t *self, uint32_t child, uint32_t child_height)
{
    uint32_t max = rows_of (self->children [child], child_height).max;
    if (inner_child_count (self, child, child_height) < max)
        return;
    uint32_t worth = max - max / 8;
    uint32_t right =
      child + 1 < self->count ? inner_child_count (self, child + 1, child_height) : max;
    uint32_t left = child > 0 ? inner_child_count (self, child - 1, child_height) : max;
    if (right <= left && right <= worth)
        inner_share (self, child, (max + right) / 2, child_height);
    else if (left <= worth)
        inner_share (self, child - 1, (max + left) / 2, child_height);
    else
        inner_split (self, child, child_height);
}

/*  Before entering a child that must be able to lose one. */
static void inner_top_up (inner_t *self, uint32_t child, uint32_t child_height)
{
    uint32_t max = rows_of (self->children [child], child_height).max;
    if (inner_child_count (self, child, child_height) > max / 4)
        return;
    uint32_t left = child > 0 ? child - 1 : child;
    uint32_t together = inner_child_count (self, left, child_height) +
                        inner_child_count (self, left + 1, child_height);
    if (together <= max - max / 4)
        inner_merge (self, left, child_height);
    else
        inner_share (self, left, together / 2, child_height);
}

static void path_note (const calendar_changes_path_t *path)
{
    bool changed = true;
    for (uint32_t i = path->count; i > 0 && changed; i--) {
        const calendar_changes_step_t *step = &path->steps [i - 1];
        changed = inner_note (step->inner, step->child, path->count - i);
    }
}

/*  The way to the instant's leaf, every node on it put right first by `prepare`. */
static leaf_t *changes_descend (const changes_t *self, int64_t time, calendar_changes_path_t *path,
                                void (*prepare) (inner_t *inner, uint32_t child,
                                                 uint32_t child_height))
{
    calendar_node_t node = self->root;
    path->count = 0;
    for (uint32_t height = self->height; height > 0; height--) {
        inner_t *inner = node.inner;
        prepare (inner, inner_child (inner, time), height - 1);
        calendar_changes_step_t *step = &path->steps [path->count++];
        *step = (calendar_changes_step_t){.inner = inner, .child = inner_child (inner, time)};
        node = inner->children [step->child];
    }
    return node.leaf;
}

/*  A full root gets a root of its own above it. */
static void changes_grow (changes_t *self)
{
    calendar_changes_rows_t rows = rows_of (self->root, self->height);
    if (*rows.count < rows.max)
        return;
    calendar_node_t root = node_new (self->height + 1);
    root.inner->children [0] = self->root;
    root.inner->count = 1;
    root.inner->levels [1] = 0;
    inner_note (root.inner, 0, self->height);
    inner_split (root.inner, 0, self->height);
    self->root = root;
    self->height++;
    assert (self->height <= HEIGHT_MAX);
}

/*  A root of one child is in the way. */
static void changes_shrink (changes_t *self)
{
    while (self->height > 0 && self->root.inner->count == 1) {
        calendar_node_t root = self->root;
        self->root = root.inner->children [0];
        node_free (root, self->height);
        self->height--;
    }
}

static uint32_t leaf_place (const leaf_t *self, int64_t time, bool *found)
{
    uint32_t up_to = leaf_up_to (self, time);
    *found = up_to > 0 && stamp_time (self->stamps [up_to - 1]) == time;
    return *found ? up_to - 1 : up_to;
}

static bool stamp_saturated (int64_t stamp)
{
    return (stamp & TOUCHES_MAX) == TOUCHES_MAX;
}

void changes_init (changes_t *self)
{
    *self = (changes_t){.height = 0};
    self->root = node_new (0);
}

static void free_below (calendar_node_t node, uint32_t height)
{
    if (height > 0)
        for (uint32_t i = 0; i < node.inner->count; i++)
            free_below (node.inner->children [i], height - 1);
    node_free (node, height);
}

void changes_free (changes_t *self)
{
    free_below (self->root, self->height);
}

static void leaf_touch (leaf_t *leaf, int64_t time, int64_t change)
{
    calendar_changes_rows_t rows = rows_of ((calendar_node_t){.leaf = leaf}, 0);
    bool found;
    uint32_t at = leaf_place (leaf, time, &found);
    if (!found) {
        rows_open (rows, at);
        leaf->stamps [at] = time * (TOUCHES_MAX + 1);
        leaf->levels [at + 1] = leaf->levels [at];
    }
    if (!stamp_saturated (leaf->stamps [at]))
        leaf->stamps [at]++;
    rows_raise (rows, at, change);
}

/*  Does a later instant belong into the leaf that this way leads to, and is there room for it? Said
 *  only where that is seen without another look at memory. */
static bool path_takes (const calendar_changes_path_t *path, const leaf_t *leaf, int64_t time)
{
    if (path->count == 0 || leaf->count == LEAF_CHANGES)
        return false;
    const calendar_changes_step_t *last = &path->steps [path->count - 1];
    return last->child + 1 < last->inner->count && time < last->inner->firsts [last->child + 1];
}

void changes_book (changes_t *self, interval_t over, int64_t change)
{
    assert (over.from >= -CALENDAR_HORIZON_MS && over.until <= CALENDAR_HORIZON_MS);
    int64_t times [] = {over.from, over.until};
    for (int i = 0; i < 2; i++, change = -change) {
        calendar_changes_path_t path;
        changes_grow (self);
        leaf_t *leaf = changes_descend (self, times [i], &path, inner_make_room);
        leaf_touch (leaf, times [i], change);
        if (i == 0 && path_takes (&path, leaf, over.until)) {
            leaf_touch (leaf, over.until, -change);
            i++;
        }
        path_note (&path);
    }
}

void changes_untouch (changes_t *self, int64_t time, int64_t change)
{
    calendar_changes_path_t path;
    leaf_t *leaf = changes_descend (self, time, &path, inner_top_up);
    calendar_changes_rows_t rows = rows_of ((calendar_node_t){.leaf = leaf}, 0);
    bool found;
    uint32_t at = leaf_place (leaf, time, &found);
    assert (found);
    rows_raise (rows, at, -change);
    if (!stamp_saturated (leaf->stamps [at])) {
        leaf->stamps [at]--;
        if ((leaf->stamps [at] & TOUCHES_MAX) == 0) {
            assert (leaf->levels [at + 1] == leaf->levels [at]);
            rows_close (rows, at);
        }
    }
    path_note (&path);
    changes_shrink (self);
}

/*  --- all at once --- */

enum {
    DIGIT_BITS = 12, /* an instant has four digits */
    DIGITS = 1 << DIGIT_BITS,
};

static uint64_t touch_digit (const touch_t *self, int shift)
{
    return ((uint64_t) self->stamp ^ UINT64_C (1) << 63) >> shift & (DIGITS - 1);
}

/*  By their instants, the lowest digit first: after the fourth they are where they were. */
static void touches_sort (touch_t *touches, size_t count)
{
    touch_t *from = touches, *to = must (malloc (count * sizeof *to)), *spare = to;
    for (int shift = 16; shift < 64; shift += DIGIT_BITS) {
        size_t at [DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            at [touch_digit (&from [i], shift) + 1]++;
        for (int digit = 0; digit < DIGITS; digit++)
            at [digit + 1] += at [digit];
        for (size_t i = 0; i < count; i++)
            to [at [touch_digit (&from [i], shift)]++] = from [i];
        touch_t *sorted = to;
        to = from;
        from = sorted;
    }
    free (spare);
}

/*  Those of one instant become one. Returns how many are left. */
static size_t touches_join (touch_t *touches, size_t count)
{
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (stamp_time (touches [last].stamp) != stamp_time (touches [i].stamp)) {
            touches [++last] = touches [i];
            continue;
        }
        touches [last].change += touches [i].change;
        touches [last].stamp += !stamp_saturated (touches [last].stamp);
    }
    return last + 1;
}

/*  A node of height 0 of touches, any other of the nodes below it; either list goes on behind. */
static calendar_node_t node_build (uint32_t height, const touch_t *touches,
                                   const calendar_node_t *below, uint32_t count)
{
    calendar_node_t node = node_new (height);
    for (uint32_t i = 0; i < count; i++) {
        *rows_of (node, height).count = i + 1;
        if (height == 0) {
            node.leaf->stamps [i] = touches [i].stamp;
            node.leaf->levels [i + 1] = node.leaf->levels [i] + touches [i].change;
        } else {
            node.inner->children [i] = below [i];
            node.inner->firsts [i] = node.inner->lows [i] = node.inner->highs [i] = 0;
            node.inner->levels [i + 1] = node.inner->levels [i];
            inner_note (node.inner, i, height - 1);
        }
    }
    return node;
}

/*  Level by level, each filled evenly and about as full as bookings leave it. */
void changes_build (changes_t *self, touch_t *touches, size_t count)
{
    touches_sort (touches, count);
    count = touches_join (touches, count);
    changes_free (self);
    calendar_node_t *nodes = must (malloc (count * sizeof *nodes));
    for (self->height = 0;; self->height++) {
        size_t most = (self->height == 0 ? LEAF_CHANGES : INNER_CHILDREN) * 4 / 5;
        size_t parts = (count + most - 1) / most;
        for (size_t i = 0, from = 0, until; i < parts; i++, from = until) {
            until = count * (i + 1) / parts;
            nodes [i] =
              node_build (self->height, touches + from, nodes + from, (uint32_t) (until - from));
            if (self->height == 0 && i > 0)
                nodes [i - 1].leaf->next = nodes [i].leaf;
        }
        count = parts;
        if (count == 1)
            break;
    }
    self->root = nodes [0];
    free (nodes);
}
