/*  runs - what a run is and what is said of it (proto/nodes.proto).
 *
 *  A bag has many tasks; a run is one try of a task, at one node, given to one store of that node's
 *  agent. The site stores a run before the node hears of it, and the agent claims it before it
 *  begins it, so it never runs twice. Plain values.
 */
#ifndef MUSUBI_RUNS_H
#define MUSUBI_RUNS_H

#include "states.h"
#include "transaction.h"

#define TASK_ARGUMENTS_MAX   256
#define TASK_ENVIRONMENT_MAX 256
#define TASK_TEXT_BYTES_MAX  65536 /* of all arguments, variables and paths of one command */
#define ACCOUNT_BYTES_MAX    31    /* of a local account's name */
#define RUN_WHY_BYTES_MAX    (WHY_BYTES - 1) /* of the sentence why it ended */
#define TASK_PATH_BYTES_MAX  255             /* of a file's path in the task's folder */

typedef struct {
    uint64_t bag;   /* from 1 */
    uint32_t index; /* in the bag */
} task_id_t;

typedef struct {
    task_id_t task;
    uint32_t number; /* of the try, from 1 */
} run_id_t;

int run_id_compare (const run_id_t *a, const run_id_t *b);

/*  "12.0#1" */
#define RUN_ID_TEXT_BYTES 48
const char *run_id_text (const run_id_t *id, char text [RUN_ID_TEXT_BYTES]);

#define RUN_NAME_BYTES_MAX 95 /* "3fa9c2d1…-12.0.1" */

/*  The name of a run's folder: of the site's store and of the run. After a site has lost its store
 *  the same run has another name. */
const char *run_name (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                      char name [RUN_NAME_BYTES_MAX + 1]);

#define CHARGED_BYTES_MAX 63 /* of an account or a QOS of a batch system */

/*  Who an actor is at a site. */
typedef struct {
    char actor [NAME_BYTES_MAX + 1];      /* "*" = anybody else */
    char account [ACCOUNT_BYTES_MAX + 1]; /* local */
    char
      charged [CHARGED_BYTES_MAX + 1]; /* the batch system's account that pays; "" = its default */
    char qos [CHARGED_BYTES_MAX + 1];  /* likewise */
    char section [NAME_BYTES_MAX + 1]; /* "accounts/climate" */
    char
      unfit [WHY_BYTES]; /* why the batch system does not let it charge that: nothing new is sold to
                               its actor; "" = it does, or is not known to refuse */
} account_t;

/*  A file of a task. Which of its members are known depends on who has it. */
typedef struct {
    const char *name; /* in the federation */
    const char *path; /* in the task's folder */
    const char *copy; /* of an input: the verified copy, an absolute path; of an output: its name in
                         the folder for arrivals. NULL = "" */
    uint64_t size;    /* of an input */
} run_file_t;

/*  What a node has to carry out. A function that passes an order on borrows its strings and arrays;
 *  one that keeps it copies them. */
typedef struct {
    const char *const *arguments; /* [0] is the program; never given to a shell */
    size_t arguments_count;
    const char *const *environment; /* "NAME=value" */
    size_t environment_count;
    const char *folder;   /* "" = a folder made for the run */
    const char *output;   /* "" = kept with the run */
    const char *errors;   /* "" = with the output */
    uint32_t cpus;        /* of the node */
    uint32_t gpus;        /* likewise, at a batch system */
    int64_t limit_ms;     /* wall time */
    int64_t cpu_limit_ms; /* processor time */
    const char *account;  /* local account that it runs as */
    const char *charged;  /* as account_t, at a batch system; NULL = "" */
    const char *qos;
    const char *owner;       /* actor */
    const char *reservation; /* "" = from the queue */
    const char *need;        /* of the reservation; "" = none */
    uint32_t index_from;     /* added to the index that its tasks are told */
    int64_t booked_until_ms; /* the node is booked for it in the site's calendar until then; 0 = it
                                is not: the run is preemptible, or a reservation's */
    run_file_t *inputs;      /* stand in its folder before it starts */
    size_t inputs_count;
    run_file_t *outputs; /* are handed over after it has ended with exit code 0 */
    size_t outputs_count;
} run_order_t;

static inline bool order_has_files (const run_order_t *order)
{
    return order->inputs_count + order->outputs_count > 0;
}

/*  Does the order name a program, and is it within the limits above? False with why, which names
 *  the field. */
bool run_order_check (const run_order_t *order, char why [WHY_BYTES]);

/*  A deep copy. */
run_order_t *run_order_copy (const run_order_t *order);

/*  Of a copy, or of an order that was decoded. NULL is harmless. */
void run_order_free (run_order_t *order);

/*  Same numbers as proto RunState, but for the last one. */
typedef enum {
    RUN_CLAIMED, /* its agent has stored it */
    RUN_RUNNING,
    RUN_ENDED,   /* by itself, or because it was told to: exit_code or signal */
    RUN_REFUSED, /* it could not be started: why */
    RUN_LOST,    /* it is over, and nobody knows how it ended: why */
    RUN_PLACED,  /* stored at the site; its node may not have heard of it. Comes before all
                    others */
} run_state_t;

static inline bool run_over (run_state_t state)
{
    return state >= RUN_ENDED && state != RUN_PLACED;
}

extern const state_table_t run_states; /* at the site, and at its agent */

typedef struct {
    run_id_t id;
    run_state_t state;
    const char *node;
    uint32_t cpus;
    const char *reservation; /* "" = from the queue */
    int64_t booked_until_ms; /* as ordered. A run of the queue that has the node booked beyond a
                                moment keeps it then; a preemptible one is ended */
    int64_t placed_ms;       /* wall ms, here */
    int64_t started_ms;      /* wall ms at the node; 0 = not yet */
    int64_t ended_ms;
    int32_t exit_code;
    int32_t signal;
    int64_t cpu_ms;   /* processor time so far */
    uint64_t dropped; /* bytes of output so far that its node has not kept */
    bool told_to_end; /* the site wants it to end */
    bool node_unfit;  /* it was refused for what its node lacks */
    bool suspend;     /* the site wants it suspended */
    bool suspended;   /* as its agent has last told */
    bool handed;      /* all its outputs lie in the folder for arrivals */
    const char *why;  /* why it ended, "" = by itself; or, claimed, why it is not begun yet */
} run_t;

/*  How a run stands, as its agent reports it; the state is never RUN_PLACED. */
typedef struct {
    run_id_t id;
    run_state_t state;
    int64_t started_ms; /* wall ms at the node */
    int64_t ended_ms;
    int32_t exit_code;
    int32_t signal;
    int64_t cpu_ms;
    uint64_t dropped;
    bool node_unfit;
    bool suspended;
    bool handed; /* all its outputs lie in the folder for arrivals */
    char why [RUN_WHY_BYTES_MAX + 1];
} run_report_t;

/*  --- tables --- */

extern const codec_t task_id_codec;
extern const codec_t run_id_codec;
extern const codec_t run_report_codec;

/*  The command of an order, under the name that its codec's rows need. */
typedef run_order_t task_command_t;
extern const codec_t task_command_codec;
extern const codec_t run_file_codec;
extern const codec_t run_order_codec;

#endif
