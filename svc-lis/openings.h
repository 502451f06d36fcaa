/*  openings - the site's reservations on its nodes: bound late, opened, watched, closed, cleaned.
 *
 *      waiting -> binding (start - lead) -> open (start) -> warned (end - warning)
 *                                                        -> closing (end: runs end, grace) ->
 * cleaning -> over
 *
 *  Until start - lead a reservation is a number in the calendar. Then as many usable nodes of its
 *  class as it has booked are bound to it, idle ones first, then those whose preemptible runs are
 *  cheapest to end; they get nothing else any more. A reservation that has fewer bound than booked
 *  is degraded: it is healed as soon as a node is to be had, its owner is told by show and by the
 *  hint "opening", with the alternatives there are. What was bound and is lost is replaced; no run
 *  of it is ever run elsewhere unless its task wants so.
 *
 *  What a site has to do beside that (bring nodes up, tell a batch system) is its back end's: each
 *  step is work that is told its reservation and its nodes, so that a back end which hangs never
 *  stops the site.
 *
 *  Each phase is stored before anything is done for it; every step may be done twice. Registers
 *  TABLE_OPENINGS. Pure.
 */
#ifndef MUSUBI_OPENINGS_H
#define MUSUBI_OPENINGS_H

#include "nodes.h"
#include "timetable.h"

typedef struct {
    int64_t bind_ms;    /* bound so long before the start; at most the site's lead */
    int64_t warning_ms; /* runs are warned so long before the end; 60 000 */
    int64_t grace_ms;   /* between SIGTERM and SIGKILL at the end; 10 000 */
    int64_t
      lend_ms; /* unused so long after its start: lent to preemptible runs; 0 = never; 300 000 */
    int64_t
      release_ms; /* unused so long: given back, accounted to its owner; 0 = never, the default */
} openings_limits_t;

extern const openings_limits_t openings_limits_default;

typedef enum {
    OPENING_WAITING,
    OPENING_BINDING,
    OPENING_OPEN,
    OPENING_WARNED,
    OPENING_CLOSING,
    OPENING_CLEANING,
    OPENING_OVER,
} opening_phase_t;

/*  One reservation here. Borrows until the next step. */
typedef struct {
    const char *reservation;
    const char *owner;
    opening_phase_t phase;
    int64_t from_ms;
    int64_t until_ms;
    uint32_t wanted;     /* nodes booked at this instant (or at its start) */
    const size_t *nodes; /* bound now, by index of nodes.h */
    size_t nodes_count;  /* < wanted: degraded */
    bool lent;           /* its idle nodes may be borrowed */
    int64_t used_ms;     /* processor time of its runs so far */
} opening_t;

typedef struct {
    void *owner;
    /*  A reservation has moved, or its nodes have changed. Called after it is stored. */
    void (*moved) (void *owner, const moment_t *now, const opening_t *opening);
} openings_observer_t;

typedef struct openings openings_t;

/*  Everything is borrowed for life; limits are copied. The participant's usage (usage_t) is its to
 *  set: openings_usage fills it for the resource, before participant_new. */
openings_t *openings_new (service_t *service, room_t *room, timetable_t *timetable, nodes_t *nodes,
                          const access_t *access, const openings_limits_t *limits);
void openings_destroy (openings_t **self_p);
void openings_usage (openings_t *self, usage_t *usage);
void openings_participant (openings_t *self, participant_t *participant);
void openings_observe (openings_t *self, const openings_observer_t *observer);

bool openings_find (const openings_t *self, const char *reservation, opening_t *opening);

/*  The reservation that a node is bound to; NULL = none. */
const char *openings_of_node (const openings_t *self, size_t node);

/*  May runs from the queue be put on this node now, and until when at most? INT64_MIN: not at all.
 *  preemptible ones may borrow bound nodes that are lent. */
int64_t openings_spare_until (const openings_t *self, const moment_t *now, size_t node,
                              bool preemptible);

/*  Processor time used by a reservation's runs, in at most steps_max equal parts of its window so
 *  far (S4's MS); returns how many parts were written. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;
    int64_t cpu_ms;     /* used */
    int64_t offered_ms; /* CPUs bound × time */
} use_step_t;
size_t openings_use (const openings_t *self, const moment_t *now, const char *reservation,
                     use_step_t *steps, size_t steps_max);

void openings_check (const openings_t *self);

#endif
