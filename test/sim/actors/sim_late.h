/*  sim_late - commits that come too late (T9, T10). Once a participant has voted, it is cut off
 *  from the plan's coordinator and the plan's other participants until the edge has passed; then a
 *  thief takes what the participant has given back.
 *
 *  All others still reach it. When it can hear again, most of the window is taken, so that the
 *  commit is refused and a repair follows. One site wants long notice: its edge comes early enough
 *  for others to take the window, and for another plan to be found.
 */
#ifndef MUSUBI_SIM_LATE_H
#define MUSUBI_SIM_LATE_H

#include "sim_check.h"
#include "sim_thief.h"

#define SIM_LATE_LEAD_MS 4000 /* notice that the first site wants beyond the others */
#define SIM_LATE_NEAR_MS 6000 /* windows begin so soon */
#define SIM_LATE_MOST    4    /* participants that are hit at once */

typedef struct {
    sim_asked_t asked; /* the command that it voted for */
    int process;
    size_t attempts;
    bool passed; /* its edge has */
} sim_victim_t;

typedef struct {
    bool on;            /* in */
    sim_t *sim;         /* in */
    sim_check_t *check; /* in */
    prng_t prng;        /* in */
    size_t left;        /* in: how many times */
    sim_asked_t *holds; /* that are under way, a ring */
    int *to;
    size_t holds_count;
    sim_victim_t victims [SIM_LATE_MOST];
    size_t victims_count;
    sim_thief_t thief;
} sim_late_t;

/*  Fill the thief and the ring; then add the thief to the run. */
void sim_late_begin (sim_late_t *self);
void sim_late_end (sim_late_t *self);

/*  A message leaves; a line is logged. */
void sim_late_left (sim_late_t *self, const sim_message_t *message);
void sim_late_logged (sim_late_t *self, int process, const char *line);

#endif
