/*  changes - the B+-tree under the calendar: when the booked level changes, and to what.
 *
 *  The level is what is booked; it starts at 0 and each change moves it at one instant. Every node
 *  counts levels from 0 at its own beginning. A leaf has the level after each of its changes; an
 *  inner node has, for each child, the level after it and the lowest and highest level in it.
 *  Whoever knows the level before a node therefore knows, without looking inside, where it ends and
 *  how low and high it gets; and a change made in a node is felt only in the nodes above it.
 *
 *  An instant stays in the tree while a booking begins or ends at it, even when the changes there
 *  cancel out to 0. So the room that giving back a booking may need is the room taken when it was
 *  booked: untouching never adds an instant, never splits a node and never asks for memory.
 *
 *  Private to calendar*.c, and to the tests that walk the tree.
 */
#ifndef MUSUBI_CALENDAR_CHANGES_H
#define MUSUBI_CALENDAR_CHANGES_H

#include "calendar.h"

enum {
    LEAF_CHANGES = 64,
    INNER_CHILDREN = 32,
    KEYS_GROUP = 8,

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
    int64_t
      levels [LEAF_CHANGES + 1]; /* levels [i]: before change i; the last one after them all */
};

typedef struct inner inner_t;

/*  The tree says which of the two by the height: leaves have height 0. */
typedef union {
    leaf_t *leaf;
    inner_t *inner;
} calendar_node_t;

struct inner {
    uint32_t count;
    int64_t firsts [INNER_CHILDREN];     /* the first instant in child i */
    int64_t lows [INNER_CHILDREN];       /* the lowest level after any of its changes */
    int64_t highs [INNER_CHILDREN];      /* and the highest */
    int64_t levels [INNER_CHILDREN + 1]; /* before child i; the last one after them all */
    calendar_node_t children [INNER_CHILDREN];
};

typedef struct {
    calendar_node_t root;
    uint32_t height;
} changes_t;

/*  One that waits for its place: the instant as a stamp of one touch, and the change there. */
typedef struct {
    int64_t stamp;
    int64_t change;
} touch_t;

struct calendar {
    int64_t capacity;
    size_t bookings;
    changes_t changes;
    bool starting;
    touch_t *touches; /* meanwhile: two of each booking */
    size_t touches_room;
};

void changes_init (changes_t *self);

/*  Frees every node; init makes the tree usable again. */
void changes_free (changes_t *self);

/*  A booking touches the instants at which it begins and ends: the level is so much more between
 *  them. */
void changes_book (changes_t *self, interval_t over, int64_t change);

/*  Makes a tree that is empty of touches in any order, which it sorts. count > 0. */
void changes_build (changes_t *self, touch_t *touches, size_t count);

/*  Take back one touch, with the change it came with. */
void changes_untouch (changes_t *self, int64_t time, int64_t change);

/*  Questions (calendar_levels.c). Any int64 is a good time in them. */

/*  The highest level over the interval, which is not empty, or the floor (>= 0) if that is higher.
 *  A high floor spares work: nothing below it is looked at closely. */
int64_t changes_most (const changes_t *self, interval_t over, int64_t floor);

/*  The lowest level over the interval, which is not empty. */
int64_t changes_lowest (const changes_t *self, interval_t over);

/*  Reads changes in order. */
typedef struct {
    const leaf_t *leaf;
    uint32_t at;
    int64_t before; /* level before the leaf */
    int64_t level;  /* after the changes read so far */
} cursor_t;

/*  Just after the changes up to and at the time. */
cursor_t changes_seek (const changes_t *self, int64_t time);

/*  Read one more; false at the end. */
bool cursor_next (cursor_t *self, int64_t *time);

/*  The forward pass (calendar_gaps.c). */
typedef struct {
    interval_t window; /* not empty */
    int64_t duration_ms;
    int64_t limit; /* what is wanted is free while the level is at most this */
    bool
      starts_only; /* a gap may be reported as soon as it is long enough, before its end is known */
} gaps_wanted_t;

/*  Maximal stretches of the window, long enough, at whose every instant the level is within the
 *  limit; ascending, at most gaps_max. Returns how many. */
size_t changes_gaps (const changes_t *self, const gaps_wanted_t *wanted, interval_t *gaps,
                     size_t gaps_max);

/*  How many of the ascending keys are at most the bound: whole groups first, then the rest of one.
 *  Halving would wait for memory at each step; here no load depends on another, and a group is a
 *  cache line. */
static inline uint32_t keys_up_to (const int64_t *keys, uint32_t count, int64_t bound)
{
    uint32_t groups = 0;
    for (uint32_t i = KEYS_GROUP - 1; i < count; i += KEYS_GROUP)
        groups += keys [i] <= bound;
    uint32_t begin = groups * KEYS_GROUP;
    uint32_t end = begin + KEYS_GROUP < count ? begin + KEYS_GROUP : count;
    uint32_t up_to = begin;
    for (uint32_t i = begin; i < end; i++)
        up_to += keys [i] <= bound;
    return up_to;
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

static inline int64_t stamp_at (int64_t time)
{
    return time * (TOUCHES_MAX + 1) + 1;
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

#endif
