/*  queue - the site's queue: bags of tasks without a reservation, and those for reservations
 *  (proto/tasks.proto).
 *
 *  Bags wait by priority, then first come, first served. The scheduler (backfill.h) runs when work
 *  has come or ended, or an opening has moved. It starts what fits beside reservations, and lets
 *  tasks pass the first waiting one only where they do not delay it (EASY). A task that is not
 *  preemptible is in the site's calendar until its limit, so that no reservation is promised its
 *  node. A preemptible task is not; when its node is needed it is warned, and then ended or put
 *  back into the queue. Tasks of a reservation start at its opening, on its nodes, and end with it.
 *
 *  A bag is one record, however many tasks it has; a task gets a record when it is first started.
 *  Registers the service Queue, TABLE_BAGS and TABLE_TASKS. Pure.
 */
#ifndef MUSUBI_QUEUE_H
#define MUSUBI_QUEUE_H

#include "bags.h"
#include "openings.h"
#include "queue_wire.h"

#define QUEUE_HANDED_MAX 512 /* half of NODE_RUNS_MAX: the other half is for reservations */

typedef struct {
    uint32_t bags_max; /* not over, in all */
    uint32_t bags_per_actor_max;
    uint32_t tasks_per_bag_max;
    uint32_t list_max;    /* records in a page */
    uint32_t depth;       /* bags looked at behind the first one that waits */
    int64_t limit_ms_max; /* of a task */
    int64_t start_ms;     /* a run begins within that time, and its limit counts from then */
    int64_t life_ms;     /* a preemptible task is started where it has so long before its warning */
    int64_t warning_ms;  /* preemptible runs are warned so long before their end; as openings */
    int64_t grace_ms;    /* between SIGTERM and SIGKILL; as openings */
    int64_t patience_ms; /* a task is stopped when an input could not be had for so long */
    int64_t stop_ms; /* a run that makes way for another has stopped within that time, or goes on */
    uint64_t data_bound; /* bytes of input; a task that lacks more at its node is data-bound: they
                            come first, and take no CPUs */
    uint64_t input_rate; /* bytes/s at which inputs are thought to come, to weigh nodes and sites */
    uint32_t transfers;  /* data-bound tasks that a node is given at once */
    uint32_t data_bound_max; /* bags whose next task is data-bound and finds no node, in a pass:
                                behind so many, none with inputs or a rank is looked at */
    uint32_t handed_max;     /* tasks without a reservation that a batch system has at once */
    int64_t retention_ms;    /* how long bags that are over are kept; as finished records */
} queue_limits_t;

/*  Rows of its numbers. */
extern const setting_table_t queue_table;

/*  Who an actor is; NULL = the actor has no local account, and is refused. */
typedef const account_t *account_fn (void *owner, const char *actor);

typedef struct {
    service_t *service;
    const site_t *site;
    free_capacity_t *room;
    timetable_t *timetable;
    const participant_t *participant;
    nodes_t *nodes;
    openings_t *openings;
    const access_t *access;
    account_fn *account;
    void *account_owner;
} queue_parts_t;

typedef struct queue queue_t;

/*  All parts are borrowed for life; limits are copied. Observes the nodes, the openings and what
 *  the timetable frees. Starts after them. */
queue_t *queue_new (const queue_parts_t *parts, const queue_limits_t *limits);
void queue_destroy (queue_t **self_p);

/*  What the queue asks of sharing, about tasks that are at another site or came from there. */
typedef struct {
    void *owner;
    /*  Guests of this bag have ended: their home has to be told. */
    void (*guests_over) (void *owner, const moment_t *now, bag_t *bag);
    /*  At start, before the bag counts as waiting: guests whose records are lost. */
    void (*guests_load) (void *owner, bag_t *bag);
    /*  Its tasks `from` to `until` - 1, as far as they are away, are cancelled. Returns how many
     *  were not cancelled before. */
    uint32_t (*withdraw) (void *owner, const moment_t *now, bag_t *bag, uint32_t from,
                          uint32_t until);
    /*  Fetches output of a task that is, or was, at another site. */
    void (*output) (void *owner, const moment_t *now, const request_t *request, const task_t *task,
                    const output_question_t *question);
} queue_sharer_t;

/*  Before the first step; copied. */
void queue_share (queue_t *self, const queue_sharer_t *sharer);

/*  What its tasks have booked in the calendars, in shortest form; the caller clears it. */
interval_list_t queue_booked (const queue_t *self);

#endif
