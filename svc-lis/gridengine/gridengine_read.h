/*  gridengine_read - what the commands of Grid Engine write. Pure.
 *
 *  A text that is no whole XML is refused with why: what is not in it is not known. Until that is
 *  seen its beginning has been visited already. What is visited is borrowed; a text that is not
 *  told is "", and a very long one is cut, and is no name of ours then.
 */
#ifndef MUSUBI_GRIDENGINE_READ_H
#define MUSUBI_GRIDENGINE_READ_H

#include "batch_system.h"

#define GRID_WORD_BYTES (NAME_BYTES_MAX + BATCH_NAME_BYTES_MAX + 2) /* of one text */

typedef struct {
    char id [BATCH_JOB_ID_BYTES]; /* "12"; a task of an array: "12.3" */
    const char *name;
    const char *owner;
    const char *state;    /* as qstat has it: "qw", "r", "dr", … */
    const char *instance; /* "batch@g1" */
    const char *queue;    /* that it has asked for */
    int64_t started_ms;
    int64_t limit_ms; /* wall time; 0 = none */
    uint32_t gpus;    /* that it has at most */
} grid_job_t;
typedef void grid_job_fn (void *owner, const grid_job_t *job);

/*  Visits the jobs that "qstat -r -xml" has written. */
bool grid_jobs_read (const char *text, grid_job_fn *visit, void *owner, char why [WHY_BYTES]);

typedef struct {
    const char *name;  /* "batch@g1" */
    const char *host;  /* "g1" */
    const char *state; /* letters as qstat has them: d disabled, u not heard, … */
    uint32_t used;     /* slots */
    uint32_t total;
    const char *calendar; /* as "qstat -F calendar" tells it; "NONE" */
    const char *said;     /* what "qstat -explain" says of that state */
} grid_instance_t;
typedef void grid_instance_fn (void *owner, const grid_instance_t *instance);

/*  Visits the queue instances that "qstat -f -xml" has written, or "qstat -F -xml". */
bool grid_instances_read (const char *text, grid_instance_fn *visit, void *owner,
                          char why [WHY_BYTES]);

typedef struct {
    const char *id;
    const char *name;
    const char *owner;
    int64_t from_ms;
    int64_t until_ms;
    const name_list_t *instances; /* where its slots are */
} grid_advance_t;
typedef void grid_advance_fn (void *owner, const grid_advance_t *advance);

/*  Visits the advance reservations that "qrstat -xml" has written. In words of users, which it does
 *  not quote, the text loses what is no plain character. */
bool grid_advances_read (char *text, grid_advance_fn *visit, void *owner, char why [WHY_BYTES]);

/*  The state as a sentence: "Grid Engine says dS: disabled, suspended for another queue". Others it
 *  explains itself. */
void grid_state_tell (const grid_instance_t *instance, char why [WHY_BYTES]);

/*  Is the instance one of that queue? */
bool grid_of_queue (const char *instance, const char *queue);

/*  Its queue. */
const char *grid_queue_name (const char *instance, char queue [GRID_WORD_BYTES]);

batch_job_state_t grid_job_state (const char *state);

/*  Joins the lines of a configuration that are continued behind a backslash: at a comma without a
 *  blank, as it was given. */
void grid_unfold (char *text);

/*  The value of a key in an unfolded configuration, to be freed; NULL when it is not there. */
char *grid_value (const char *text, const char *key);

/*  The text with another value for a key, to be freed. */
char *grid_value_set (const char *text, const char *key, const char *value);

#endif
