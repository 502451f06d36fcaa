/*  calendar_check - walks a calendar's tree from the inside, and books only where enough is free.
 *  For tests, the fuzzer and benches.
 */
#ifndef MUSUBI_CALENDAR_CHECK_H
#define MUSUBI_CALENDAR_CHECK_H

#include "calendar_changes.h"

#include <assert.h>

typedef struct {
    interval_t over;
    int64_t quantity;
} taking_t;

/*  False when not enough is free; then nothing has changed. */
static inline bool calendar_take (calendar_t *calendar, taking_t taking)
{
    if (!calendar_fits (calendar, taking.over, taking.quantity))
        return false;
    calendar_book (calendar, taking.over, taking.quantity);
    return true;
}

static inline void calendar_give_back (calendar_t *calendar, taking_t taking)
{
    calendar_release (calendar, taking.over, taking.quantity);
}

/*  Of memory held. */
static inline size_t calendar_bytes_below (calendar_node_t node, uint32_t height)
{
    if (height == 0)
        return sizeof (leaf_t);
    size_t bytes = sizeof (inner_t);
    for (uint32_t i = 0; i < node.inner->count; i++)
        bytes += calendar_bytes_below (node.inner->children [i], height - 1);
    return bytes;
}

static inline size_t calendar_bytes (const calendar_t *calendar)
{
    return sizeof *calendar +
           calendar_bytes_below (calendar->changes.root, calendar->changes.height);
}

/*  What a parent should keep of a node, and what was found on the walk to it. */
typedef struct {
    int64_t first;
    int64_t low;
    int64_t high;
    int64_t end;
} outline_t;

typedef struct {
    const leaf_t *next; /* the leaf that must come next; NULL: any */
    int64_t last;       /* the last stamp's instant */
    uint64_t touches;
    bool saturated; /* an instant does not count its touches any more */
} checked_t;

static inline void outline_add (outline_t *outline, int64_t low, int64_t high)
{
    outline->low = low < outline->low ? low : outline->low;
    outline->high = high > outline->high ? high : outline->high;
}

static inline outline_t check_leaf (const leaf_t *leaf, bool is_root, checked_t *so_far)
{
    assert (!so_far->next || so_far->next == leaf);
    assert (leaf->count <= LEAF_CHANGES && leaf->levels [0] == 0);
    assert (is_root || leaf->count >= LEAF_CHANGES / 4);
    outline_t outline = {stamp_time (leaf->stamps [0]), INT64_MAX, INT64_MIN,
                         leaf->levels [leaf->count]};
    for (uint32_t i = 0; i < leaf->count; i++) {
        int64_t touches = leaf->stamps [i] & TOUCHES_MAX;
        assert (stamp_time (leaf->stamps [i]) > so_far->last && touches > 0);
        so_far->last = stamp_time (leaf->stamps [i]);
        so_far->touches += (uint64_t) touches;
        so_far->saturated = so_far->saturated || touches == TOUCHES_MAX;
        outline_add (&outline, leaf->levels [i + 1], leaf->levels [i + 1]);
    }
    so_far->next = leaf->next;
    return outline;
}

static inline outline_t check_below (calendar_node_t node, uint32_t height, bool is_root,
                                     checked_t *so_far)
{
    if (height == 0)
        return check_leaf (node.leaf, is_root, so_far);
    const inner_t *inner = node.inner;
    assert (inner->count <= INNER_CHILDREN && inner->levels [0] == 0);
    assert (inner->count >= (is_root ? 2 : INNER_CHILDREN / 4));
    outline_t outline = {inner->firsts [0], INT64_MAX, INT64_MIN, inner->levels [inner->count]};
    for (uint32_t i = 0; i < inner->count; i++) {
        outline_t child = check_below (inner->children [i], height - 1, false, so_far);
        int64_t before = inner->levels [i];
        assert (inner->firsts [i] == child.first);
        assert (inner->lows [i] == before + child.low);
        assert (inner->highs [i] == before + child.high);
        assert (inner->levels [i + 1] == before + child.end);
        outline_add (&outline, inner->lows [i], inner->highs [i]);
    }
    return outline;
}

/*  Walk the invariants; aborts on a broken one. */
static inline void calendar_check (const calendar_t *calendar)
{
    checked_t so_far = {.last = INT64_MIN};
    outline_t all = check_below (calendar->changes.root, calendar->changes.height, true, &so_far);
    assert (!so_far.next);
    assert (so_far.saturated || so_far.touches == 2 * calendar->bookings);
    if (so_far.touches > 0)
        assert (all.low >= 0 && all.high <= CALENDAR_QUANTITY_MAX && all.end == 0);
}

#endif
