/*  queue_site - the core of a site with its queue, driven by events: bags submitted at once, agents
 *  that ask and do as they are told, runs that end before their limits. Time is made up; nothing is
 *  stored, and nothing waits.
 */
#ifndef MUSUBI_QUEUE_SITE_H
#define MUSUBI_QUEUE_SITE_H

#include <stddef.h>

/*  Processor time of the core alone, in microseconds. */
typedef struct {
    double task;  /* from its submission to its end: passes, records, its node's questions */
    double worst; /* step after the submissions */
    double asked; /* questions of agents, for each task: a number */
} queue_site_cost_t;

/*  Until all tasks have run; bags divide tasks. */
queue_site_cost_t queue_site_measure (size_t nodes, size_t cpus, size_t tasks, size_t bags);

#endif
