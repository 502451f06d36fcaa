/*  backtrack - the recursion of S0's figure 3, with a stack of its own. */
#include "backtrack.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*  A slot with its rank, drawn by lot, among equals. */
typedef struct {
    backtrack_slot_t slot;
    uint64_t lot;
} backtrack_option_t;

/*  One call of search (rm, st). */
typedef struct {
    size_t need;
    backtrack_option_t *options; /* C_rm, in the policy's order */
    size_t options_count;
    size_t at;     /* c_m */
    size_t *edges; /* RP_rm, in the order in which they are looked at */
    size_t edges_count;
    size_t edge_at;
    size_t mark; /* length of the trail before it; a failure goes back to there */
} visit_t;

/*  An entry of the trail: something that was decided. */
typedef struct {
    bool edge;
    size_t index;
    bool held;
} decided_t;

typedef struct {
    bool decided;
    bool carried;
} backtrack_link_state_t;

/*  What to do once the holds that were given up are cancelled. */
typedef enum { THEN_NEXT_PLACE, THEN_RESTART, THEN_END } then_t;

struct backtrack {
    backtrack_order_t order;
    prng_t *prng;
    int64_t start_ms;
    size_t *places; /* of needs; SIZE_MAX = undecided */
    backtrack_link_state_t *links;
    visit_t *frames;
    size_t depth;
    size_t *asked; /* places that the need on top is asked about */
    size_t asked_count;
    decided_t *trail;
    size_t trail_count;
    backtrack_hold_t *cancelled;
    size_t cancelled_count;
    then_t then;
    int64_t delta_ms;
    backtrack_wish_kind_t wish;
};

static visit_t *top (const backtrack_t *self)
{
    assert (self->depth > 0);
    return &self->frames [self->depth - 1];
}

static int64_t need_from (const backtrack_t *self, size_t need)
{
    return self->start_ms + self->order.needs [need].offset_ms;
}

/*  The root: the undecided need with the fewest candidates; of equals, the first. */
static size_t root_of (const backtrack_t *self)
{
    size_t root = SIZE_MAX;
    for (size_t i = 0; i < self->order.needs_count; i++)
        if (self->places [i] == SIZE_MAX && !self->order.needs [i].follows &&
            (root == SIZE_MAX ||
             self->order.needs [i].places_count < self->order.needs [root].places_count))
            root = i;
    return root;
}

/*  The vertex at the other end of an edge; SIZE_MAX when the edge does not end at this one. */
static size_t backtrack_other_end (const backtrack_t *self, size_t edge, size_t need)
{
    const size_t *ends = self->order.edges [edge].ends;
    if (ends [0] == need)
        return ends [1];
    return ends [1] == need ? ends [0] : SIZE_MAX;
}

static bool same_site (const backtrack_t *self, size_t a, size_t b)
{
    if (a == SIZE_MAX || b == SIZE_MAX)
        return false;
    return self->order.sites ? self->order.sites [a] == self->order.sites [b] : a == b;
}

/*  Is the place at the site of every decided vertex that the need is tied to? */
static bool keeps_ties (const backtrack_t *self, size_t need, size_t place)
{
    for (size_t i = 0; i < self->order.edges_count; i++) {
        size_t other = backtrack_other_end (self, i, need);
        if (self->order.edges [i].tie && other != SIZE_MAX && self->places [other] != SIZE_MAX &&
            !same_site (self, self->places [other], place))
            return false;
    }
    return true;
}

static void backtrack_push (backtrack_t *self, size_t need)
{
    assert (self->depth < self->order.needs_count);
    self->frames [self->depth++] = (visit_t){.need = need, .mark = self->trail_count};
    self->asked_count = 0;
    for (size_t i = 0; i < self->order.needs [need].places_count; i++)
        if (keeps_ties (self, need, self->order.needs [need].places [i]))
            self->asked [self->asked_count++] = self->order.needs [need].places [i];
    self->wish = BACKTRACK_ASK_PLACES;
}

static void pop (backtrack_t *self)
{
    visit_t *frame = top (self);
    free (frame->options);
    free (frame->edges);
    self->depth--;
}

static void backtrack_decide (backtrack_t *self, bool edge, size_t index, bool held)
{
    self->trail [self->trail_count++] = (decided_t){.edge = edge, .index = index, .held = held};
}

/*  Undoes what was decided since the mark, and lists the holds in it as cancelled. */
static void undo (backtrack_t *self, size_t mark)
{
    self->cancelled_count = 0;
    while (self->trail_count > mark) {
        decided_t last = self->trail [--self->trail_count];
        if (last.edge)
            self->links [last.index] = (backtrack_link_state_t){0};
        else
            self->places [last.index] = SIZE_MAX;
        if (last.held)
            self->cancelled [self->cancelled_count++] =
              (backtrack_hold_t){.edge = last.edge, .index = last.index};
    }
}

static void backtrack_go_on (backtrack_t *self);
static void next_place (backtrack_t *self);

static void backtrack_begin (backtrack_t *self)
{
    assert (self->depth == 0 && self->trail_count == 0);
    backtrack_push (self, root_of (self));
}

static void carry_on (backtrack_t *self)
{
    switch (self->then) {
    case THEN_NEXT_PLACE:
        next_place (self);
        break;
    case THEN_RESTART:
        self->start_ms += self->delta_ms;
        backtrack_begin (self);
        break;
    case THEN_END:
        self->wish = BACKTRACK_NONE;
        break;
    }
}

/*  Undoes what was decided since the mark, has its holds cancelled, and then goes on as told. */
static void backtrack_give_back (backtrack_t *self, size_t mark, then_t then)
{
    undo (self, mark);
    self->then = then;
    if (self->cancelled_count > 0)
        self->wish = BACKTRACK_CANCEL;
    else
        carry_on (self);
}

static void unwind (backtrack_t *self)
{
    while (self->depth > 0)
        pop (self);
}

/*  Lines 05 and 06: the place is free only later, so the start of the whole plan moves. */
static void move_start (backtrack_t *self, int64_t delta_ms)
{
    self->delta_ms = delta_ms;
    unwind (self);
    backtrack_give_back (self, 0, THEN_RESTART);
}

/*  Line 27: this vertex has no place. Its caller continues with its own next place (lines 20 to
 *  22); at a root the request is rejected. That holds for a later root, too: it is the root of a
 *  part of the graph that is not connected with the parts before, so other choices there would not
 *  help it. */
static void not_found (backtrack_t *self)
{
    pop (self);
    if (self->depth == 0) {
        backtrack_give_back (self, 0, THEN_END);
        return;
    }
    visit_t *frame = top (self);
    frame->at++;
    backtrack_give_back (self, frame->mark, THEN_NEXT_PLACE);
}

/*  This place of the vertex will not do. */
static void fail_place (backtrack_t *self)
{
    visit_t *frame = top (self);
    frame->at++;
    backtrack_give_back (self, frame->mark, THEN_NEXT_PLACE);
}

static bool backtrack_place_taken (const backtrack_t *self, size_t need, size_t place)
{
    const backtrack_need_t *needs = self->order.needs;
    bool distinct = self->order.distinct && !needs [need].follows;
    for (size_t i = 0; i < self->order.needs_count; i++) {
        if (distinct && !needs [i].follows && same_site (self, self->places [i], place))
            return true;
        if (needs [need].apart && needs [i].apart == needs [need].apart &&
            self->places [i] == place)
            return true;
    }
    return false;
}

static void shuffle (prng_t *prng, size_t *list, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t with = (size_t) prng_below (prng, i);
        size_t kept = list [i - 1];
        list [i - 1] = list [with];
        list [with] = kept;
    }
}

/*  RP_rm, by note 1 of figure 3: edges to decided vertices in random order, then edges to undecided
 *  vertices, fewest candidates first. Edges decided from their other end meanwhile are skipped
 *  later. */
static void gather_edges (backtrack_t *self, visit_t *frame)
{
    free (frame->edges);
    frame->edges = must (calloc (self->order.edges_count + 1, sizeof *frame->edges));
    frame->edges_count = 0;
    frame->edge_at = 0;
    for (size_t i = 0; i < self->order.edges_count; i++) {
        size_t other = backtrack_other_end (self, i, frame->need);
        if (other != SIZE_MAX && self->places [other] != SIZE_MAX)
            frame->edges [frame->edges_count++] = i;
    }
    size_t decided = frame->edges_count;
    shuffle (self->prng, frame->edges, decided);
    for (size_t i = 0; i < self->order.edges_count; i++) {
        size_t other = backtrack_other_end (self, i, frame->need);
        if (other == SIZE_MAX || self->places [other] != SIZE_MAX)
            continue;
        size_t to = frame->edges_count++;
        for (; to > decided; to--) {
            size_t before = backtrack_other_end (self, frame->edges [to - 1], frame->need);
            if (self->order.needs [before].places_count <= self->order.needs [other].places_count)
                break;
            frame->edges [to] = frame->edges [to - 1];
        }
        frame->edges [to] = i;
    }
}

/*  Line 07: this is the place. */
static void take_place (backtrack_t *self, bool held)
{
    visit_t *frame = top (self);
    gather_edges (self, frame);
    self->places [frame->need] = frame->options [frame->at].slot.place;
    backtrack_decide (self, false, frame->need, held);
    backtrack_go_on (self);
}

/*  Lines 04 to 07. */
static void next_place (backtrack_t *self)
{
    visit_t *frame = top (self);
    int64_t delta_ms = 0;
    for (; frame->at < frame->options_count; frame->at++) {
        const backtrack_slot_t *slot = &frame->options [frame->at].slot;
        delta_ms = slot->start_ms - need_from (self, frame->need);
        if (!backtrack_place_taken (self, frame->need, slot->place) &&
            (delta_ms == 0 || self->start_ms + delta_ms <= self->order.latest_ms))
            break;
    }
    if (frame->at == frame->options_count)
        not_found (self);
    else if (delta_ms > 0)
        move_start (self, delta_ms);
    else if (self->order.incremental && !self->order.needs [frame->need].takes_nothing)
        self->wish = BACKTRACK_HOLD_NEED;
    else
        take_place (self, false);
}

static size_t edge_now (const backtrack_t *self)
{
    const visit_t *frame = top (self);
    return frame->edges [frame->edge_at];
}

/*  The edge can be had, or needs no network (S0: both ends on one resource). */
static void take_edge (backtrack_t *self, bool carried, bool held)
{
    size_t edge = edge_now (self);
    self->links [edge] = (backtrack_link_state_t){.decided = true, .carried = carried};
    backtrack_decide (self, true, edge, held);
    top (self)->edge_at++;
    backtrack_go_on (self);
}

/*  Lines 09 to 25, from the edge that it has come to. */
static void backtrack_go_on (backtrack_t *self)
{
    visit_t *frame = top (self);
    while (frame->edge_at < frame->edges_count && self->links [edge_now (self)].decided)
        frame->edge_at++;
    if (frame->edge_at < frame->edges_count) {
        size_t other = backtrack_other_end (self, edge_now (self), frame->need);
        if (self->places [other] == SIZE_MAX)
            backtrack_push (self, other);
        else if (same_site (self, self->places [other], self->places [frame->need]))
            take_edge (self, false, false);
        else
            self->wish = BACKTRACK_ASK_EDGE;
        return;
    }
    pop (self); /* SUCCESS */
    if (self->depth > 0)
        backtrack_go_on (self);
    else if (root_of (self) != SIZE_MAX)
        backtrack_push (self, root_of (self));
    else
        self->wish = BACKTRACK_FOUND;
}

/*  --- answers to the machine --- */

static int compare_options (const backtrack_t *self, const backtrack_option_t *a,
                            const backtrack_option_t *b)
{
    switch (self->order.policy) {
    case POLICY_TIME:
    case POLICY_QUALITY: /* only algorithm ip ranks by quality */
        if (a->slot.start_ms != b->slot.start_ms)
            return a->slot.start_ms < b->slot.start_ms ? -1 : 1;
        break;
    case POLICY_COST:
        if (a->slot.price != b->slot.price)
            return a->slot.price < b->slot.price ? -1 : 1;
        break;
    case POLICY_LOAD:
        if (a->slot.load < b->slot.load || a->slot.load > b->slot.load)
            return a->slot.load < b->slot.load ? -1 : 1;
        break;
    case POLICY_RANDOM:
        break;
    }
    return a->lot < b->lot ? -1 : a->lot > b->lot;
}

/*  Sorts by insertion: there are few candidates. */
static void backtrack_sort_options (const backtrack_t *self, visit_t *frame)
{
    for (size_t i = 1; i < frame->options_count; i++) {
        backtrack_option_t option = frame->options [i];
        size_t to = i;
        for (; to > 0 && compare_options (self, &option, &frame->options [to - 1]) < 0; to--)
            frame->options [to] = frame->options [to - 1];
        frame->options [to] = option;
    }
}

/*  The repaired variant: places that are free in time come first; then the others, the one that
 *  moves the start least first. */
static void sort_late_last (const backtrack_t *self, visit_t *frame)
{
    int64_t from_ms = need_from (self, frame->need);
    for (size_t i = 1; i < frame->options_count; i++) {
        backtrack_option_t option = frame->options [i];
        size_t to = i;
        for (; to > 0; to--) {
            const backtrack_option_t *before = &frame->options [to - 1];
            if (before->slot.start_ms <= from_ms || option.slot.start_ms >= before->slot.start_ms)
                break;
            frame->options [to] = *before;
        }
        frame->options [to] = option;
    }
}

/*  The time from the start of the need to the end of the whole plan. */
static int64_t backtrack_rest_ms (const backtrack_t *self, size_t need)
{
    int64_t end_ms = 0;
    for (size_t i = 0; i < self->order.needs_count; i++) {
        int64_t until_ms = self->order.needs [i].offset_ms + self->order.needs [i].duration_ms;
        if (until_ms > end_ms)
            end_ms = until_ms;
    }
    return end_ms - self->order.needs [need].offset_ms;
}

void backtrack_slots (backtrack_t *self, const backtrack_slot_t *slots, size_t count)
{
    assert (self->wish == BACKTRACK_ASK_PLACES);
    visit_t *frame = top (self);
    int64_t length_ms = self->order.whole_deadline ? backtrack_rest_ms (self, frame->need)
                                                   : self->order.needs [frame->need].duration_ms;
    frame->options = must (calloc (count + 1, sizeof *frame->options));
    for (size_t i = 0; i < count; i++) {
        backtrack_option_t option = {.slot = slots [i], .lot = prng_next (self->prng)};
        if (option.slot.start_ms < need_from (self, frame->need))
            option.slot.start_ms = need_from (self, frame->need);
        if (option.slot.start_ms <= self->order.deadline_ms - length_ms)
            frame->options [frame->options_count++] = option;
    }
    backtrack_sort_options (self, frame);
    if (self->order.least_delta)
        sort_late_last (self, frame);
    next_place (self);
}

void backtrack_reply (backtrack_t *self, bool yes)
{
    switch (self->wish) {
    case BACKTRACK_HOLD_NEED:
        if (yes) {
            take_place (self, true);
        } else {
            top (self)->at++;
            next_place (self);
        }
        break;
    case BACKTRACK_ASK_EDGE:
        if (!yes)
            fail_place (self);
        else if (self->order.incremental)
            self->wish = BACKTRACK_HOLD_EDGE;
        else
            take_edge (self, true, false);
        break;
    case BACKTRACK_HOLD_EDGE:
        if (yes)
            take_edge (self, true, true);
        else
            fail_place (self);
        break;
    default:
        assert (false);
    }
}

void backtrack_cancelled (backtrack_t *self)
{
    assert (self->wish == BACKTRACK_CANCEL);
    carry_on (self);
}

/*  --- questions to the machine --- */

backtrack_wish_t backtrack_wish (const backtrack_t *self)
{
    backtrack_wish_t wish = {.kind = self->wish, .need = SIZE_MAX, .edge = SIZE_MAX};
    switch (self->wish) {
    case BACKTRACK_ASK_PLACES:
        wish.need = top (self)->need;
        wish.places = self->asked;
        wish.places_count = self->asked_count;
        wish.from_ms = need_from (self, wish.need);
        wish.until_ms = self->order.deadline_ms;
        break;
    case BACKTRACK_HOLD_NEED:
        wish.need = top (self)->need;
        wish.place = top (self)->options [top (self)->at].slot.place;
        wish.from_ms = need_from (self, wish.need);
        wish.until_ms = wish.from_ms + self->order.needs [wish.need].duration_ms;
        break;
    case BACKTRACK_ASK_EDGE:
    case BACKTRACK_HOLD_EDGE:
        wish.edge = edge_now (self);
        for (size_t i = 0; i < 2; i++)
            wish.ends [i] = self->places [self->order.edges [wish.edge].ends [i]];
        wish.from_ms = self->start_ms + self->order.edges [wish.edge].offset_ms;
        wish.until_ms = wish.from_ms + self->order.edges [wish.edge].duration_ms;
        break;
    case BACKTRACK_CANCEL:
        wish.holds = self->cancelled;
        wish.holds_count = self->cancelled_count;
        break;
    case BACKTRACK_FOUND:
    case BACKTRACK_NONE:
        break;
    }
    return wish;
}

int64_t backtrack_start (const backtrack_t *self)
{
    return self->start_ms;
}

size_t backtrack_place (const backtrack_t *self, size_t need)
{
    return self->places [need];
}

bool backtrack_carried (const backtrack_t *self, size_t edge)
{
    return self->links [edge].carried;
}

/*  --- life --- */

backtrack_t *backtrack_new (const backtrack_order_t *order, prng_t *prng)
{
    assert (order->needs_count > 0);
    backtrack_t *self = must (calloc (1, sizeof *self));
    size_t things = order->needs_count + order->edges_count;
    for (size_t i = 0; i < order->edges_count; i++)
        assert (order->edges [i].ends [0] != order->edges [i].ends [1]);
    size_t most = 0;
    for (size_t i = 0; i < order->needs_count; i++)
        most = order->needs [i].places_count > most ? order->needs [i].places_count : most;
    self->asked = must (calloc (most + 1, sizeof *self->asked));
    self->order = *order;
    self->prng = prng;
    self->start_ms = order->begin_ms;
    self->places = must (calloc (order->needs_count, sizeof *self->places));
    for (size_t i = 0; i < order->needs_count; i++)
        self->places [i] = SIZE_MAX;
    self->links = must (calloc (order->edges_count + 1, sizeof *self->links));
    self->frames = must (calloc (order->needs_count, sizeof *self->frames));
    self->trail = must (calloc (things, sizeof *self->trail));
    self->cancelled = must (calloc (things, sizeof *self->cancelled));
    backtrack_begin (self);
    return self;
}

void backtrack_destroy (backtrack_t **self_p)
{
    backtrack_t *self = *self_p;
    *self_p = NULL;
    if (!self)
        return;
    unwind (self);
    free (self->places);
    free (self->links);
    free (self->frames);
    free (self->asked);
    free (self->trail);
    free (self->cancelled);
    free (self);
}
