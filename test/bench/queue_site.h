/*  queue_site - the core of a site with its queue, driven by events: bags submitted at once, agents
 *  that ask and do as they are told, runs that end before their limits. Time is made up; nothing is
 *  stored, and nothing waits.
 */
#ifndef MUSUBI_QUEUE_SITE_H
#define MUSUBI_QUEUE_SITE_H

#include <stddef.h>

/*  Processor time of the core alone, in microseconds. */
typedef struct {
    double task;  /* of a task, submission to end: passes, records, node's questions */
    double worst; /* the longest step after the submissions */
    double asked; /* how many questions agents ask for each task */
    double held;  /* the part of tasks that were put where their input was */
    double calls; /* to svc-replica, for each task */
} queue_site_cost_t;

/*  Runs until all tasks have run; the number of bags must divide that of tasks. files: each task
 *  reads one of so many, which are at two storage nodes each at first; 0 = none has inputs. rank:
 *  of each bag, or "". What svc-replica does for them is not counted, its answers are. */
queue_site_cost_t queue_site_measure (size_t nodes, size_t cpus, size_t tasks, size_t bags,
                                      size_t files, const char *rank);

#endif
