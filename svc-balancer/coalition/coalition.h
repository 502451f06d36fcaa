/*  coalition - what a balancer knows of its members and of their jobs: plain values in two tables.
 *  Decisions are made in balancing/.
 */
#ifndef MUSUBI_COALITION_H
#define MUSUBI_COALITION_H

#include "ordered.h"
#include "states.h"
#include "transaction.h"

#define ASIDE_BYTES     160
#define BROKEN_BYTES    160
#define JOB_KEY_BYTES   (8 + NAME_BYTES_MAX)
#define ORDER_KEY_BYTES 12

/*  Tasks of a bag in a member's queue, as it tells them. */
typedef struct {
    uint64_t bag;
    char home [NAME_BYTES_MAX + 1];
    uint64_t home_bag;
    uint32_t running;
    uint32_t waiting;
    uint32_t movable;
    uint32_t away;        /* at other sites */
    double task_s;        /* load of each, CPU seconds */
    double running_s;     /* of those that run, together */
    double input_bytes;   /* of the next one */
    double missing_bytes; /* of them, there */
    int64_t submitted_ms;
} queued_t;

/*  A member's queue, head first. */
typedef struct {
    double cpus;
    double input_rate; /* bytes/s; 0 = inputs are not weighed */
    double done_s;     /* since that start */
    uint32_t start;
    queued_t *bags;
    size_t count;
} member_queue_t;

void member_queue_clear (member_queue_t *queue);
double member_queue_load (const member_queue_t *queue);

typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* "lis/ams" */
    bool automatic;
    double declared_s;
    double level_s;
    double given_s; /* since it joined */
    double taken_s;
    double given_before_s; /* when this coalition was formed */
    double taken_before_s;
    double ratios; /* of flow and flow alone, summed up */
    uint32_t coalitions;
    uint32_t absent;          /* coalitions that were formed without its answer, in a row */
    char aside [ASIDE_BYTES]; /* why it takes no part; "" = it does */
    bool heard;               /* set aside, but still asked: others' tasks there go home */
} member_kept_t;

typedef enum { MEMBER_ACTIVE, MEMBER_ASIDE, MEMBER_HEARD } member_role_t;
extern const state_table_t member_states;
member_role_t member_role (const member_kept_t *kept);
void member_move (member_kept_t *kept, member_role_t to, const char *why);

/*  What has been seen of its work; see delivered_work.h. */
typedef struct {
    bool seen; /* what follows is of the step before */
    bool busy;
    uint32_t start;
    double progress_s;
    double cpus;
    int64_t mono_ms;
    uint32_t steps; /* without a break */
    double work_s;  /* in them */
    double could_s;
} delivered_work_t;

typedef struct {
    member_kept_t kept;
    member_queue_t queue;    /* as last received in full */
    member_queue_t incoming; /* as it comes, page by page */
    bool known;              /* queue has come since this start of the balancer */
    bool fresh;              /* queue has come in this step */
    double cpus_before;      /* in the step before */
    size_t place;            /* in this step's lists; SIZE_MAX = none */
    uint32_t silent;         /* steps */
    uint64_t call;
    uint32_t tries; /* how often its queue was read anew from its head */
    delivered_work_t delivered_work;
    double cpus_sum; /* over the steps of this coalition with its queue */
    uint32_t cpus_count;
} coalition_member_t;

typedef struct {
    int64_t submitted_ms;
    double load_s; /* when first seen, or when this coalition was formed */
    double task_s;
    int64_t promised_ms; /* 0 = nothing */
    char broken [BROKEN_BYTES];
    int64_t ended_ms; /* 0 = it has not */
} job_kept_t;

typedef struct {
    char home [NAME_BYTES_MAX + 1];
    uint64_t bag; /* there */
    job_kept_t kept;
    double load_s;   /* left of it, at all members; below 0 = not known yet */
    double now_s;    /* as this step's queues come in */
    uint64_t away;   /* tasks at other sites, as its home tells */
    uint64_t guests; /* the same, as the other sites tell */
    size_t place;    /* in this step's lists; SIZE_MAX = none */
    bool at_home;    /* its home lists it in this step */
    bool elsewhere;  /* it has tasks that no member lists in this step */
} job_t;

/*  A job's key on disk. */
bytes_t job_key (const job_t *job, uint8_t key [JOB_KEY_BYTES]);

typedef struct {
    uint64_t round;
    uint32_t number;
    char from [NAME_BYTES_MAX + 1];
    participant_ref_t to;
    uint64_t bag;
    uint32_t count;
    double task_s;
    bool homeward;
} order_t;

bytes_t order_key (const order_t *order, uint8_t key [ORDER_KEY_BYTES]);

typedef struct {
    uint64_t number; /* 0 = none was formed yet */
    uint64_t step;
    uint64_t step_before; /* when it was formed */
    int64_t formed_ms;
    uint64_t round;
} coalition_kept_t;

typedef struct {
    coalition_kept_t kept;
    coalition_member_t **members; /* by site */
    size_t members_count;
    ordered_t *jobs;  /* by home and bag */
    size_t jobs_over; /* of them */
} coalition_t;

void coalition_init (coalition_t *self);
void coalition_clear (coalition_t *self);

coalition_member_t *coalition_find (const coalition_t *self, const char *site);
coalition_member_t *coalition_add (coalition_t *self, const char *site);
void coalition_remove (coalition_t *self, const char *site);

/*  The job after this one, the first one after NULL; NULL at the end. Then the one of that name. */
job_t *coalition_job_after (const coalition_t *self, const job_t *job);
job_t *coalition_job (const coalition_t *self, const char *home, uint64_t bag);
job_t *coalition_job_add (coalition_t *self, const char *home, uint64_t bag);
void coalition_job_remove (coalition_t *self, job_t *job);

#endif
