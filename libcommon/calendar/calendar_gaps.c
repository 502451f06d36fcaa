/*  changes - the forward pass that finds gaps: stretches in which enough is free, long enough.
 *
 *  The pass carries the level and the run it is in: the stretch that began at `from` and has stayed
 *  within the limit. Whole subtrees are passed over by what their parent knows of them:
 *
 *      wholly within the limit    the run goes on (or begins at its first instant)
 *      wholly over it             the run ends at its first instant
 *      both, but too brief        no gap can end inside. One may begin there, after the last
 *  instant that is over the limit; where that is does not matter until what follows turns out to be
 *  free for long. So the run is taken to begin with the subtree, as a bound, and the subtree is
 *  remembered: when the bound is no longer enough to say no, the beginning is looked up.
 *
 *  Only what is left is entered. The window's own beginning is a candidate like any other.
 */
#include "calendar_changes.h"
#include "least.h"

#include <assert.h>

typedef struct {
    bool on;
    int64_t from;
    /*  While `vague`, the run begins where the subtree is last over the limit, which is later than
     *  `from`. */
    bool vague;
    calendar_node_t subtree;
    uint32_t subtree_height;
    int64_t subtree_level; /* before it */
} calendar_gaps_run_t;

typedef struct {
    const gaps_wanted_t *wanted;
    calendar_gaps_run_t run;
    interval_t *gaps;
    size_t gaps_max;
    size_t gaps_count;
} pass_t;

/*  Times may lie at both ends of int64: their difference is an uint64. */
static bool long_enough (const pass_t *self, int64_t from, int64_t until)
{
    return (uint64_t) until - (uint64_t) from >= (uint64_t) self->wanted->duration_ms;
}

/*  Where the run begins that leaves this leaf: after the last change that is over the limit. */
static int64_t leaf_run_from (const leaf_t *leaf, int64_t level, int64_t limit)
{
    uint32_t first = leaf->count;
    for (; level + leaf->levels [first] <= limit; first--)
        assert (first > 0);
    return stamp_time (leaf->stamps [first]);
}

/*  The same of any subtree that is over the limit somewhere and within it at its end. */
static int64_t node_run_from (calendar_node_t node, uint32_t height, int64_t level, int64_t limit)
{
    for (; height > 0; height--) {
        const inner_t *inner = node.inner;
        uint32_t last = inner->count - 1;
        for (; level + inner->highs [last] <= limit; last--)
            assert (last > 0);
        if (level + inner->levels [last + 1] > limit)
            return inner->firsts [last + 1];
        level += inner->levels [last];
        node = inner->children [last];
    }
    return leaf_run_from (node.leaf, level, limit);
}

static void run_begin (calendar_gaps_run_t *run, int64_t from)
{
    if (!run->on)
        *run = (calendar_gaps_run_t){.on = true, .from = from};
}

/*  Has the run, which lasts to `until` at least, become a gap? */
static bool run_is_gap (pass_t *self, int64_t until)
{
    calendar_gaps_run_t *run = &self->run;
    if (!run->on || !long_enough (self, run->from, until))
        return false;
    if (run->vague) {
        run->from = node_run_from (run->subtree, run->subtree_height, run->subtree_level,
                                   self->wanted->limit);
        run->vague = false;
    }
    return long_enough (self, run->from, until);
}

static bool calendar_gaps_tell (pass_t *self, int64_t until)
{
    self->gaps [self->gaps_count++] = (interval_t){.from = self->run.from, .until = until};
    return self->gaps_count == self->gaps_max;
}

/*  These answer whether the pass is over. */
static bool run_lasts (pass_t *self, int64_t until)
{
    return self->wanted->starts_only && run_is_gap (self, until) &&
           calendar_gaps_tell (self, until);
}

static bool run_ends (pass_t *self, int64_t at)
{
    bool over = run_is_gap (self, at) && calendar_gaps_tell (self, at);
    self->run.on = false;
    return over;
}

/*  The changes from `at` on of a leaf before which the level is `level`. */
static bool pass_leaf (pass_t *self, const leaf_t *leaf, uint32_t at, int64_t level)
{
    int64_t limit = self->wanted->limit - level;
    int64_t window_until = self->wanted->window.until;
    uint32_t end = leaf->count;
    if (end > 0 && stamp_time (leaf->stamps [end - 1]) >= window_until)
        end = leaf_up_to (leaf, window_until - 1);
    for (;;) {
        if (self->run.on)
            while (at < end && leaf->levels [at + 1] <= limit)
                at++;
        else
            while (at < end && leaf->levels [at + 1] > limit)
                at++;
        if (at >= end)
            return false;
        int64_t time = stamp_time (leaf->stamps [at]);
        if (!self->run.on)
            run_begin (&self->run, time);
        else if (run_ends (self, time))
            return true;
    }
}

/*  Can a child be over and within the limit by turns and yet not matter, being too brief? If so,
 *  pass over it. It ends at `until`; the level before its parent is `level`. */
static bool pass_brief (pass_t *self, const inner_t *inner, uint32_t child, uint32_t child_height,
                        int64_t level, int64_t until)
{
    calendar_gaps_run_t *run = &self->run;
    if (run->on && run_is_gap (self, until))
        return false;
    if (long_enough (self, inner->firsts [child], until))
        return false;
    *run = (calendar_gaps_run_t){
      .on = level + inner->levels [child + 1] <= self->wanted->limit,
      .from = inner->firsts [child],
      .vague = true,
      .subtree = inner->children [child],
      .subtree_height = child_height,
      .subtree_level = level + inner->levels [child],
    };
    return true;
}

/*  The children from `child` on of a node before which the level is `level`; `until` is the instant
 *  after them all. */
static bool pass_children (pass_t *self, const inner_t *inner, uint32_t height, uint32_t child,
                           int64_t level, int64_t until)
{
    int64_t limit = self->wanted->limit - level;
    int64_t window_until = self->wanted->window.until;
    for (; child < inner->count && inner->firsts [child] < window_until; child++) {
        int64_t child_until = child + 1 < inner->count ? inner->firsts [child + 1] : until;
        int64_t child_level = level + inner->levels [child];
        child_until = least (child_until, window_until);
        bool over = false;
        if (inner->highs [child] <= limit) {
            run_begin (&self->run, inner->firsts [child]);
            over = run_lasts (self, child_until);
        } else if (inner->lows [child] > limit)
            over = run_ends (self, inner->firsts [child]);
        else if (pass_brief (self, inner, child, height - 1, level, child_until))
            over = false;
        else if (height == 1)
            over = pass_leaf (self, inner->children [child].leaf, 0, child_level);
        else
            over = pass_children (self, inner->children [child].inner, height - 1, 0, child_level,
                                  child_until);
        if (over)
            return true;
    }
    return false;
}

/*  From the window's beginning to the end of the subtree. */
static bool pass_from (pass_t *self, calendar_node_t node, uint32_t height, int64_t level,
                       int64_t until)
{
    int64_t from = self->wanted->window.from;
    if (height == 0) {
        uint32_t up_to = leaf_up_to (node.leaf, from);
        if (level + node.leaf->levels [up_to] <= self->wanted->limit)
            run_begin (&self->run, from);
        return pass_leaf (self, node.leaf, up_to, level);
    }
    const inner_t *inner = node.inner;
    uint32_t child = inner_child (inner, from);
    int64_t child_until = child + 1 < inner->count ? inner->firsts [child + 1] : until;
    bool over = false;
    if (level + inner->highs [child] <= self->wanted->limit) {
        run_begin (&self->run, from);
        over = run_lasts (self, least (child_until, self->wanted->window.until));
    } else
        over = pass_from (self, inner->children [child], height - 1, level + inner->levels [child],
                          child_until);
    return over || pass_children (self, inner, height, child + 1, level, until);
}

size_t changes_gaps (const changes_t *self, const gaps_wanted_t *wanted, interval_t *gaps,
                     size_t gaps_max)
{
    assert (wanted->window.from < wanted->window.until && wanted->duration_ms > 0);
    if (gaps_max == 0)
        return 0;
    pass_t pass = {.wanted = wanted, .gaps = gaps, .gaps_max = gaps_max};
    if (!pass_from (&pass, self->root, self->height, 0, wanted->window.until))
        run_ends (&pass, wanted->window.until);
    return pass.gaps_count;
}
