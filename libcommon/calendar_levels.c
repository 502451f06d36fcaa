/*  changes - what the booked level is, at an instant and over an interval.
 *
 *  The level before a child is the sum over all children before it, so a descent that adds up as it
 *  goes knows the level where it arrives. The greatest level over an interval falls into the end of
 *  the leftmost node it touches, whole children, and the beginning of the rightmost.
 */
#include "calendar_changes.h"

#include <assert.h>

static int64_t greater (int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*  Greatest level after each of the changes [from, until) of the leaf; before them it is `level`,
 *  which counts too. */
static int64_t leaf_most (const leaf_t *leaf, uint32_t from, uint32_t until, int64_t level)
{
    int64_t most = level;
    for (uint32_t i = from; i < until; i++) {
        level += leaf->changes [i];
        most = greater (most, level);
    }
    return most;
}

/*  The same for whole children; also moves the level past them. */
static int64_t children_most (const inner_t *inner, uint32_t from, uint32_t until, int64_t *level)
{
    int64_t most = INT64_MIN;
    for (uint32_t i = from; i < until; i++) {
        most = greater (most, *level + inner->mosts [i]);
        *level += inner->sums [i];
    }
    return most;
}

/*  From the instant to the end of the subtree, before which the level is `level`. */
static int64_t most_from (node_t node, uint32_t height, int64_t level, int64_t from)
{
    int64_t most = INT64_MIN;
    for (; height > 0; height--) {
        const inner_t *inner = node.inner;
        uint32_t child = inner_child (inner, from);
        level += sum_of (inner->sums, child);
        int64_t after = level + inner->sums [child];
        most = greater (most, children_most (inner, child + 1, inner->count, &after));
        node = inner->children [child];
    }
    uint32_t up_to = leaf_up_to (node.leaf, from);
    level += sum_of (node.leaf->changes, up_to);
    return greater (most, leaf_most (node.leaf, up_to, node.leaf->count, level));
}

/*  From the beginning of the subtree to the last instant asked, included. */
static int64_t most_up_to (node_t node, uint32_t height, int64_t level, int64_t last)
{
    int64_t most = INT64_MIN;
    for (; height > 0; height--) {
        const inner_t *inner = node.inner;
        uint32_t child = inner_child (inner, last);
        most = greater (most, children_most (inner, 0, child, &level));
        node = inner->children [child];
    }
    return greater (most, leaf_most (node.leaf, 0, leaf_up_to (node.leaf, last), level));
}

int64_t changes_most (const changes_t *self, int64_t from, int64_t until)
{
    assert (from < until);
    int64_t last = until - 1;
    int64_t level = 0;
    node_t node = self->root;
    for (uint32_t height = self->height; height > 0; height--) {
        const inner_t *inner = node.inner;
        uint32_t left = inner_child (inner, from);
        uint32_t right = inner_child (inner, last);
        level += sum_of (inner->sums, left);
        node = inner->children [left];
        if (left == right)
            continue;
        int64_t after = level + inner->sums [left];
        int64_t most = children_most (inner, left + 1, right, &after);
        most = greater (most, most_from (node, height - 1, level, from));
        return greater (most, most_up_to (inner->children [right], height - 1, after, last));
    }
    uint32_t up_to = leaf_up_to (node.leaf, from);
    level += sum_of (node.leaf->changes, up_to);
    return leaf_most (node.leaf, up_to, leaf_up_to (node.leaf, last), level);
}

cursor_t changes_seek (const changes_t *self, int64_t time)
{
    node_t node = self->root;
    int64_t level = 0;
    for (uint32_t height = self->height; height > 0; height--) {
        uint32_t child = inner_child (node.inner, time);
        level += sum_of (node.inner->sums, child);
        node = node.inner->children [child];
    }
    uint32_t up_to = leaf_up_to (node.leaf, time);
    level += sum_of (node.leaf->changes, up_to);
    return (cursor_t){.leaf = node.leaf, .at = up_to, .level = level};
}

bool cursor_next (cursor_t *self, int64_t *time)
{
    while (self->leaf && self->at == self->leaf->count) {
        self->leaf = self->leaf->next;
        self->at = 0;
    }
    if (!self->leaf)
        return false;
    *time = stamp_time (self->leaf->stamps [self->at]);
    self->level += self->leaf->changes [self->at];
    self->at++;
    return true;
}
