/*  rebalance - one step of a coalition over queues of whole tasks: the sites' queues in, orders to
 *  move tasks out.
 *
 *  bilb says where load should be; it divides jobs at will. From that, orders are made in whole
 *  tasks, rounded down, for tasks that can move: a site's own tasks go to another site, guests only
 *  go home. An order is cut down until no job is complete later than in the queues as they are, and
 *  no site receives or sends more than its level allows.
 *
 *  A job is complete with its last task: the work before that task is done on all CPUs at once, the
 *  task itself by itself. Tasks that move are put at the end of a queue. Tasks that come home are
 *  put where their bag waits, or at the head where none of it does.
 *
 *  A task's input that a site lacks counts as load there, size over rate: so a task follows its
 *  data, or its data's cost. What it was promised includes that.
 *
 *  The step and its extension (bilb_queues) give two answers. The one that completes the jobs
 *  earlier, all together, is taken, because sites work through their queues in their own order.
 *  Pure.
 */
#ifndef MUSUBI_REBALANCE_H
#define MUSUBI_REBALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REBALANCE_NOWHERE SIZE_MAX

/*  The extension cuts each job into a piece for each site. Where there would be more, it is left
 *  out. */
#define REBALANCE_PIECES_MAX 20000000

/*  Two completion times count as equal when they differ by no more than this * (1 + time). */
#define REBALANCE_TIE_S 1e-6

/*  Tasks of a job in one queue. */
typedef struct {
    uint64_t bag; /* at this site; 0 = of tasks that are moved there by the step */
    size_t job;
    uint32_t waiting;
    uint32_t movable; /* of those that wait */
    double task_s;    /* load of each task, CPU seconds, above 0, its missing input included */
    double input_s;   /* of that: the input that the site lacks */
    double running_s; /* load of those that run */
} piece_t;

typedef struct {
    double cpus;     /* 0 = it takes part only in what goes home */
    double byte_s;   /* until a byte of input comes, s; 0 = it is not weighed */
    double level_s;  /* 0 or more, or INFINITY */
    bool aside;      /* what it has at others comes home, what others have here goes home */
    piece_t *pieces; /* head first; owned: weighed_clear */
    size_t count;
    size_t room;
} weighed_t;

/*  Input that a site lacks, as load: at most REBALANCE_INPUT_MOST times the work, whatever a site
 *  tells. */
#define REBALANCE_INPUT_MOST 10
double weighed_input (const weighed_t *site, double bytes, double work_s);

void weighed_add (weighed_t *site, const piece_t *piece);
void weighed_clear (weighed_t *site);

typedef struct {
    double input_bytes; /* of a task */
    size_t home;        /* the site, REBALANCE_NOWHERE when it is not among them */
    double before_s;    /* answers: until complete in the queues as they are, INFINITY = never */
    double after_s;     /* and as the orders make them */
} weighed_job_t;

typedef struct {
    size_t from;
    size_t to;
    size_t job;
    uint64_t bag; /* at from */
    uint32_t count;
    double task_s; /* of each: its work alone */
} weighed_move_t;

typedef struct weighing rebalance_t;

rebalance_t *rebalance_new (void);
void rebalance_destroy (rebalance_t **self_p);

/*  Loads are below BILB_LOAD_MAX, CPUs below BILB_SPEED_MAX. The sites' queues stay as they are. At
 *  most moves_max moves; they live until the next step. */
const weighed_move_t *rebalance_step (rebalance_t *self, const weighed_t *sites, size_t sites_count,
                                      weighed_job_t *jobs, size_t jobs_count, bool reschedule,
                                      size_t moves_max, size_t *count);

/*  What is in a queue, CPU seconds. */
double weighed_load (const weighed_t *site);

#endif
