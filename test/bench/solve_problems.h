/*  solve_problems - problems to measure solvers on, made up from a seed.
 *
 *  The windows of S4's simulation: ten sites in three domains and two exchange points, two users
 *  whose requests arrive over a day for the next one until 100 % of the CPUs are asked for, ten
 *  start times a request, of which the first that can be had is taken. What was free in each
 *  window, with what was asked for, is a problem.
 *
 *  Larger networks of the same make: domains of three to five sites, fully meshed, each joined
 *  through all its sites to one to three exchange points, and a share of everything in use. */
#ifndef MUSUBI_SOLVE_PROBLEMS_H
#define MUSUBI_SOLVE_PROBLEMS_H

#include "program.h"

typedef struct {
    program_t program;
    program_node_t *nodes;
    program_edge_t *edges;
    int64_t cpus [8];
    program_link_t links [28];
} problem_t;

/*  The problems of one run, in the order of arrival. End with problems_free. */
problem_t *problems_s4 (uint64_t seed, size_t *count);

/*  Networks of this many sites, of which so many are requested; each two of these are linked with
 *  this chance. `used` is the mean share in use. */
problem_t *problems_large (uint64_t seed, size_t count, size_t sites, size_t requested,
                           double linked, double used);

void problems_free (problem_t *problems, size_t count);

#endif
