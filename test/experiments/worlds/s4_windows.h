/*  s4_windows - windows that `ip` met on a day of S4's simulation, as programs (E4.4).
 *
 *  The day is played (s4_day.h, administrators' option A). From each tenth of the day some requests
 *  are drawn, and from each request one of its ten windows: what was free when the request came,
 *  and what it asked for. The same seed gives the same windows.
 */
#ifndef MUSUBI_S4_WINDOWS_H
#define MUSUBI_S4_WINDOWS_H

#include "program.h"
#include "s4_day.h"

#define S4_EXCHANGES 2
#define S4_LINKS     29
#define S4_NODES     (S4_SITES + S4_EXCHANGES)

/*  What the planner's answer says of a window: it takes the first that has a plan. */
typedef enum { WINDOW_UNTOLD, WINDOW_HAS_PLAN, WINDOW_HAS_NONE } window_told_t;

typedef struct {
    program_t program; /* points into this very struct: do not copy it */
    program_node_t nodes [S4_NODES];
    program_edge_t edges [S4_LINKS];
    int64_t cpus [SCENARIO_JOBS_MAX];
    program_link_t links [SCENARIO_LINKS_MAX];
    size_t point; /* of the day */
    int64_t from_ms;
    window_told_t told;
} s4_window_t;

/*  Draws this many requests of each tenth of the day; *count windows, ascending by arrival. The
 *  caller frees the list. NULL when an invariant did not hold; the play says which. */
s4_window_t *s4_windows (uint64_t seed, size_t each, size_t *count, play_t *play);

#endif
