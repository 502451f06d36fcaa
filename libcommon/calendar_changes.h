/*  changes - the B+-tree under the calendar: when the booked level changes, and by how much.
 *
 *  The level is what is booked; it starts at 0 and each change moves it at one instant. An inner
 * node keeps, for each child, the sum of the child's changes and the least and greatest running sum
 * in it, counted from 0 at the child's first change. Whoever knows the level before a child
 * therefore knows, without looking inside, where the level ends and how low and high it gets.
 *
 *  An instant stays in the tree while a booking begins or ends at it, even when the changes there
 *  cancel out to 0. So the room that giving back a booking may need is the room taken when it was
 *  booked: untouching never adds an instant, never splits a node and never asks for memory.
 *
 *  Private to calendar*.c.
 */
#ifndef MUSUBI_CALENDAR_CHANGES_H
#define MUSUBI_CALENDAR_CHANGES_H

#include "calendar.h"

enum {
    LEAF_CHANGES = 64,
    INNER_CHILDREN = 32,

    /* 2^33 instants, leaves and inner nodes a quarter full: 2^29 leaves, ten levels. */
    HEIGHT_MAX = 12,

    /* Instants that more bookings touch than this are not taken out again while any booking is
     * left: their count is lost. */
    TOUCHES_MAX = UINT16_MAX,
};

typedef struct leaf leaf_t;

/*  A stamp is an instant and how many bookings touch it:
 *
 *      | 48 bits: ms since the epoch, signed | 16 bits: touches |
 *
 *  Stamps sort as their instants do. */
struct leaf {
    leaf_t *next;
    uint32_t count;
    int64_t stamps [LEAF_CHANGES];
    int64_t changes [LEAF_CHANGES];
};

typedef struct inner inner_t;

/*  The tree says which of the two by the height: leaves have height 0. */
typedef union {
    leaf_t *leaf;
    inner_t *inner;
} node_t;

/*  Of child i: its first instant, the sum of its changes, the least and greatest running sum. */
struct inner {
    uint32_t count;
    int64_t firsts [INNER_CHILDREN];
    int64_t sums [INNER_CHILDREN];
    int64_t leasts [INNER_CHILDREN];
    int64_t mosts [INNER_CHILDREN];
    node_t children [INNER_CHILDREN];
};

typedef struct {
    node_t root;
    uint32_t height;
    size_t leaves;
    size_t inners;
} changes_t;

void changes_init (changes_t *self);

/*  Frees every node; init makes the tree usable again. */
void changes_free (changes_t *self);

/*  A booking begins or ends at the instant: the level changes there by so much more. */
void changes_touch (changes_t *self, int64_t time, int64_t change);

/*  Take back one touch, with the change it came with. */
void changes_untouch (changes_t *self, int64_t time, int64_t change);

size_t changes_bytes (const changes_t *self);

/*  Aborts unless the tree keeps its own rules. */
void changes_check (const changes_t *self);

/*  Questions (calendar_levels.c). Any int64 is a good time in them. */

/*  Greatest level over [from, until); from < until. */
int64_t changes_most (const changes_t *self, int64_t from, int64_t until);

/*  Reads changes in order. */
typedef struct {
    const leaf_t *leaf;
    uint32_t at;
    int64_t level; /* after the changes read so far */
} cursor_t;

/*  Just after the changes up to and at the time. */
cursor_t changes_seek (const changes_t *self, int64_t time);

/*  Read one more; false at the end. */
bool cursor_next (cursor_t *self, int64_t *time);

/*  The forward pass (calendar_gaps.c). */
typedef struct {
    interval_t window; /* not empty */
    int64_t duration_ms;
    int64_t limit;    /* what is wanted is free while the level is at most this */
    bool starts_only; /* a gap may be told as soon as it is long enough, its end not reached */
} gaps_wanted_t;

/*  Maximal stretches of the window, long enough, at whose every instant the level is within the
 *  limit; ascending, at most gaps_max. Returns how many. */
size_t changes_gaps (const changes_t *self, const gaps_wanted_t *wanted, interval_t *gaps,
                     size_t gaps_max);

/*  How many of the ascending keys are at most the bound. */
static inline uint32_t keys_up_to (const int64_t *keys, uint32_t count, int64_t bound)
{
    const int64_t *base = keys;
    if (count == 0)
        return 0;
    while (count > 1) {
        uint32_t half = count / 2;
        base = base [half - 1] <= bound ? base + half : base;
        count -= half;
    }
    return (uint32_t) (base - keys) + (base [0] <= bound);
}

/*  The child in which the instant is, or would be. */
static inline uint32_t inner_child (const inner_t *self, int64_t time)
{
    uint32_t up_to = keys_up_to (self->firsts, self->count, time);
    return up_to > 0 ? up_to - 1 : 0;
}

static inline int64_t stamp_time (int64_t stamp)
{
    return stamp >> 16;
}

/*  How many changes of the leaf are at or before the time. Nothing is booked beyond the horizon, so
 *  a time out there may be drawn in to the instant after it. */
static inline uint32_t leaf_up_to (const leaf_t *self, int64_t time)
{
    if (time < -CALENDAR_HORIZON_MS - 1)
        time = -CALENDAR_HORIZON_MS - 1;
    if (time > CALENDAR_HORIZON_MS + 1)
        time = CALENDAR_HORIZON_MS + 1;
    return keys_up_to (self->stamps, self->count, time * (TOUCHES_MAX + 1) + TOUCHES_MAX);
}

/*  Running sum of the first count of the changes. */
static inline int64_t sum_of (const int64_t *changes, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += changes [i];
    return sum;
}

#endif
