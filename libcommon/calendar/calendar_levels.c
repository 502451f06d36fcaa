/*  changes - what the booked level is, at an instant and over an interval.
 *
 *  A node counts from its own beginning, so a descent that adds up the levels before the children
 * it enters knows the level where it arrives. The highest level over an interval falls into the end
 *  of the leftmost node it touches, whole children, and the beginning of the rightmost.
 */
#include "calendar_changes.h"
#include "least.h"

#include <assert.h>

/*  Four at a time, because one comparison after the other would wait for the last. */
static int64_t calendar_levels_greatest (const int64_t *levels, uint32_t from, uint32_t until)
{
    int64_t most [4];
    for (int lane = 0; lane < 4; lane++)
        most [lane] = INT64_MIN / 2; /* what is added to it does not make it overflow */
    uint32_t i = from;
    for (; i + 4 <= until; i += 4)
        for (int lane = 0; lane < 4; lane++)
            most [lane] = greatest (most [lane], levels [i + lane]);
    for (; i < until; i++)
        most [0] = greatest (most [0], levels [i]);
    return greatest (greatest (most [0], most [1]), greatest (most [2], most [3]));
}

/*  Each of these returns the greater of floor and the highest level asked for, and enters a
 *  subtree only if something in it is above floor. The level before a subtree is never above
 *  floor: it is the level after a change that was looked at, or the 0 before all changes. */

/*  From the instant to the end of the subtree, before which the level is `level`. */
static int64_t most_from (calendar_node_t node, uint32_t height, int64_t level, int64_t from,
                          int64_t floor)
{
    for (; height > 0; height--) {
        const inner_t *inner = node.inner;
        uint32_t child = inner_child (inner, from);
        floor = greatest (floor,
                          level + calendar_levels_greatest (inner->highs, child + 1, inner->count));
        if (level + inner->highs [child] <= floor)
            return floor;
        level += inner->levels [child];
        node = inner->children [child];
    }
    uint32_t up_to = leaf_up_to (node.leaf, from);
    return greatest (
      floor, level + calendar_levels_greatest (node.leaf->levels, up_to, node.leaf->count + 1));
}

/*  From the beginning of the subtree to the last instant asked, included. */
static int64_t most_up_to (calendar_node_t node, uint32_t height, int64_t level, int64_t last,
                           int64_t floor)
{
    for (; height > 0; height--) {
        const inner_t *inner = node.inner;
        uint32_t child = inner_child (inner, last);
        floor = greatest (floor, level + calendar_levels_greatest (inner->highs, 0, child));
        if (level + inner->highs [child] <= floor)
            return floor;
        level += inner->levels [child];
        node = inner->children [child];
    }
    uint32_t up_to = leaf_up_to (node.leaf, last);
    return greatest (floor, level + calendar_levels_greatest (node.leaf->levels, 0, up_to + 1));
}

/*  Where the interval touches children `left` to `right`, two at least. */
static int64_t most_across (const inner_t *inner, uint32_t height, uint32_t left, uint32_t right,
                            int64_t level, interval_t over, int64_t floor)
{
    floor = greatest (floor, level + calendar_levels_greatest (inner->highs, left + 1, right));
    if (level + inner->highs [left] > floor)
        floor = most_from (inner->children [left], height - 1, level + inner->levels [left],
                           over.from, floor);
    if (level + inner->highs [right] > floor)
        floor = most_up_to (inner->children [right], height - 1, level + inner->levels [right],
                            over.until - 1, floor);
    return floor;
}

int64_t changes_most (const changes_t *self, interval_t over, int64_t floor)
{
    assert (over.from < over.until && floor >= 0);
    int64_t last = over.until - 1;
    int64_t level = 0;
    calendar_node_t node = self->root;
    for (uint32_t height = self->height; height > 0; height--) {
        const inner_t *inner = node.inner;
        uint32_t left = inner_child (inner, over.from);
        if (left + 1 < inner->count && inner->firsts [left + 1] <= last)
            return most_across (inner, height, left, inner_child (inner, last), level, over, floor);
        if (level + inner->highs [left] <= floor)
            return floor;
        level += inner->levels [left];
        node = inner->children [left];
    }
    uint32_t from = leaf_up_to (node.leaf, over.from);
    uint32_t until = leaf_up_to (node.leaf, last) + 1;
    return greatest (floor, level + calendar_levels_greatest (node.leaf->levels, from, until));
}

static int64_t lowest_of (const int64_t *levels, uint32_t from, uint32_t until)
{
    int64_t lowest = INT64_MAX / 2; /* what is added to it does not make it overflow */
    for (uint32_t i = from; i < until; i++)
        lowest = levels [i] < lowest ? levels [i] : lowest;
    return lowest;
}

/*  Only the first and the last child that the interval touches are entered. */
static int64_t lowest_in (calendar_node_t node, uint32_t height, int64_t from, int64_t last)
{
    if (height == 0)
        return lowest_of (node.leaf->levels, leaf_up_to (node.leaf, from),
                          leaf_up_to (node.leaf, last) + 1);
    const inner_t *inner = node.inner;
    uint32_t left = inner_child (inner, from), right = inner_child (inner, last);
    int64_t lowest = lowest_of (inner->lows, left + 1, right);
    for (uint32_t child = left;; child = right) {
        int64_t there =
          inner->levels [child] + lowest_in (inner->children [child], height - 1, from, last);
        lowest = there < lowest ? there : lowest;
        if (child == right)
            return lowest;
    }
}

int64_t changes_lowest (const changes_t *self, interval_t over)
{
    assert (over.from < over.until);
    return lowest_in (self->root, self->height, over.from, over.until - 1);
}

cursor_t changes_seek (const changes_t *self, int64_t time)
{
    calendar_node_t node = self->root;
    int64_t level = 0;
    for (uint32_t height = self->height; height > 0; height--) {
        uint32_t child = inner_child (node.inner, time);
        level += node.inner->levels [child];
        node = node.inner->children [child];
    }
    uint32_t up_to = leaf_up_to (node.leaf, time);
    return (cursor_t){
      .leaf = node.leaf,
      .at = up_to,
      .before = level,
      .level = level + node.leaf->levels [up_to],
    };
}

bool cursor_next (cursor_t *self, int64_t *time)
{
    while (self->leaf && self->at == self->leaf->count) {
        self->before = self->level;
        self->leaf = self->leaf->next;
        self->at = 0;
    }
    if (!self->leaf)
        return false;
    *time = stamp_time (self->leaf->stamps [self->at]);
    self->at++;
    self->level = self->before + self->leaf->levels [self->at];
    return true;
}
