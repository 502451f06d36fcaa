/*  s4_windows - records what is booked as the answers tell it, and reads from it what was free when
 *  a drawn request came.
 */
#include "s4_windows.h"

#include "must.h"
#include "planning_world.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOWS 10 /* of a request */
#define GBIT    1000
#define CREDIT  1000000

/*  An amount of a node or an edge, over an interval. */
typedef struct {
    size_t resource; /* a site, or S4_SITES and an edge */
    int64_t amount;
    int64_t from_ms;
    int64_t until_ms;
} booking_t;

typedef struct {
    s4_world_t world;
    char edge_names [S4_LINKS][2 * NAME_BYTES_MAX + 2]; /* "N/N1-X1" */
    program_edge_t edges [S4_LINKS];
    booking_t *bookings;
    size_t bookings_count;
    size_t bookings_room;
    size_t *drawn; /* requests, ascending */
    size_t *which; /* window of each */
    s4_window_t *windows;
    size_t count;
    size_t done;
    size_t answered;
} s4_windows_walk_t;

/*  --- the federation as a program --- */

static uint32_t node_named (const char *name)
{
    for (uint32_t i = 0; i < S4_SITES; i++)
        if (strcmp (s4_sites [i].name, name) == 0)
            return i;
    assert (name [0] == 'X');
    return S4_SITES + (uint32_t) (name [1] - '1');
}

static void make_edges (s4_windows_walk_t *self)
{
    size_t count = 0;
    for (size_t d = 0; d < S4_DOMAINS; d++)
        for (size_t i = 0; i < self->world.domains [d].links_count; i++) {
            const link_t *link = &self->world.domains [d].links [i];
            assert (count < S4_LINKS);
            snprintf (self->edge_names [count], sizeof self->edge_names [count], "%s/%s",
                      s4_domains [d], link->name);
            self->edges [count++] =
              (program_edge_t){.ends = {node_named (link->ends [0]), node_named (link->ends [1])},
                               .bandwidth = link->mbps / GBIT,
                               .unit_cost = link->price / CREDIT};
        }
    assert (count == S4_LINKS);
}

/*  --- what is booked --- */

static void book (s4_windows_walk_t *self, const booking_t *booking)
{
    if (self->bookings_count == self->bookings_room) {
        self->bookings_room = self->bookings_room ? 2 * self->bookings_room : 1024;
        self->bookings =
          must (realloc (self->bookings, self->bookings_room * sizeof *self->bookings));
    }
    self->bookings [self->bookings_count++] = *booking;
}

static size_t edge_named (const s4_windows_walk_t *self, const char *name)
{
    size_t edge = 0;
    while (edge < S4_LINKS && strcmp (self->edge_names [edge], name) != 0)
        edge++;
    assert (edge < S4_LINKS);
    return edge;
}

static void book_answer (s4_windows_walk_t *self, const scenario_request_t *request,
                         const planning_answer_t *answer)
{
    booking_t booking = {.from_ms = answer->start_ms,
                         .until_ms = answer->start_ms + request->span_ms};
    for (size_t i = 0; i < answer->places_count; i++) {
        booking.resource = node_named (answer->places [i].site);
        booking.amount = answer->places [i].cpus;
        book (self, &booking);
    }
    for (size_t i = 0; i < answer->hops_count; i++) {
        booking.resource = S4_SITES + edge_named (self, answer->hops [i].link);
        booking.amount = answer->hops [i].mbps / GBIT;
        book (self, &booking);
    }
}

static int64_t booked_at (const s4_windows_walk_t *self, size_t resource, int64_t at_ms)
{
    int64_t sum = 0;
    for (size_t i = 0; i < self->bookings_count; i++) {
        const booking_t *booking = &self->bookings [i];
        if (booking->resource == resource && booking->from_ms <= at_ms && at_ms < booking->until_ms)
            sum += booking->amount;
    }
    return sum;
}

/*  The largest amount that is booked at once: it is reached where some booking begins, or at the
 *  interval's start. */
static int64_t booked_most (const s4_windows_walk_t *self, size_t resource, int64_t from_ms,
                            int64_t until_ms)
{
    int64_t most = booked_at (self, resource, from_ms);
    for (size_t i = 0; i < self->bookings_count; i++) {
        const booking_t *booking = &self->bookings [i];
        if (booking->resource != resource || booking->from_ms <= from_ms ||
            booking->from_ms >= until_ms)
            continue;
        int64_t here = booked_at (self, resource, booking->from_ms);
        most = here > most ? here : most;
    }
    return most;
}

/*  --- windows --- */

static void fill (const s4_windows_walk_t *self, const scenario_request_t *request, size_t which,
                  s4_window_t *window)
{
    int64_t flexibility_ms = request->within_ms - request->span_ms;
    int64_t from_ms = request->earliest_ms + flexibility_ms / (WINDOWS - 1) * (int64_t) which;
    int64_t until_ms = from_ms + request->span_ms;
    for (size_t i = 0; i < S4_SITES; i++)
        window->nodes [i] = (program_node_t){
          .cpus = s4_sites [i].cpus - booked_most (self, i, from_ms, until_ms), .unit_cost = 1};
    for (size_t i = 0; i < S4_LINKS; i++) {
        window->edges [i] = self->edges [i];
        window->edges [i].bandwidth -= booked_most (self, S4_SITES + i, from_ms, until_ms);
    }
    for (size_t i = 0; i < request->jobs_count; i++)
        window->cpus [i] = request->jobs [i].cpus;
    for (size_t i = 0; i < request->links_count; i++)
        window->links [i] = (program_link_t){
          .ends = {(uint32_t) request->links [i].ends [0], (uint32_t) request->links [i].ends [1]},
          .bandwidth = request->links [i].mbps / GBIT};
    window->from_ms = from_ms;
    window->point = (size_t) (request->arrival_ms * DAY_POINTS / S4_DAY_MS);
    window->program = (program_t){.nodes = window->nodes,
                                  .nodes_count = S4_NODES,
                                  .edges = window->edges,
                                  .edges_count = S4_LINKS,
                                  .cpus = window->cpus,
                                  .sites_count = request->jobs_count,
                                  .links = window->links,
                                  .links_count = request->links_count,
                                  .reading = PROGRAM_SHARED};
}

static window_told_t told_of (const s4_window_t *window, const planning_answer_t *answer)
{
    if (!answer->committed || answer->start_ms > window->from_ms)
        return WINDOW_HAS_NONE;
    return answer->start_ms == window->from_ms ? WINDOW_HAS_PLAN : WINDOW_UNTOLD;
}

static void note (void *owner, const scenario_request_t *request, const planning_answer_t *answer,
                  bool in_time)
{
    (void) in_time;
    s4_windows_walk_t *self = owner;
    size_t at = self->answered++;
    while (self->done < self->count && self->drawn [self->done] == at) {
        s4_window_t *window = &self->windows [self->done];
        fill (self, request, self->which [self->done], window);
        window->told = told_of (window, answer);
        self->done++;
    }
    if (answer->committed)
        book_answer (self, request, answer);
}

static int ascending (const void *a, const void *b)
{
    size_t first = *(const size_t *) a;
    size_t second = *(const size_t *) b;
    return (first > second) - (first < second);
}

/*  Of each tenth of the day. */
static void draw (s4_windows_walk_t *self, uint64_t seed, size_t each)
{
    prng_t prng;
    size_t requests;
    prng_seed (&prng, seed ^ UINT64_C (0x31d0));
    scenario_request_t *list = s4_requests (seed, 1, S4_DAY_MS, &requests);
    size_t from = 0;
    for (size_t point = 0; point < DAY_POINTS; point++) {
        size_t until = from;
        while (until < requests &&
               (size_t) (list [until].arrival_ms * DAY_POINTS / S4_DAY_MS) == point)
            until++;
        for (size_t i = 0; i < each && until > from; i++) {
            self->which [self->count] = (size_t) prng_below (&prng, WINDOWS);
            self->drawn [self->count++] = from + (size_t) prng_below (&prng, until - from);
        }
        from = until;
    }
    qsort (self->drawn, self->count, sizeof *self->drawn, ascending);
    free (list);
}

s4_window_t *s4_windows (uint64_t seed, size_t each, size_t *count, play_t *play)
{
    s4_windows_walk_t self = {0};
    size_t most = DAY_POINTS * each;
    self.drawn = must (calloc (most, sizeof *self.drawn));
    self.which = must (calloc (most, sizeof *self.which));
    self.windows = must (calloc (most, sizeof *self.windows));
    s4_world_make (&self.world);
    make_edges (&self);
    draw (&self, seed, each);
    bool sound = day_play_told (AS_PROPOSED, seed, note, &self, play);
    assert (!sound || self.done == self.count);
    *count = self.count;
    s4_world_clear (&self.world);
    free (self.bookings);
    free (self.drawn);
    free (self.which);
    if (sound)
        return self.windows;
    free (self.windows);
    return NULL;
}
