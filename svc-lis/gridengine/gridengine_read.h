/*  gridengine_read - what the commands of Grid Engine write, which is written into. Pure. */
#ifndef MUSUBI_GRIDENGINE_READ_H
#define MUSUBI_GRIDENGINE_READ_H

#include "batch_system.h"

/*  Borrows from the text. A text that is not told is "". */
typedef struct {
    char id [BATCH_JOB_ID_BYTES]; /* "12"; a task of an array: "12.3" */
    const char *name;
    const char *state;    /* as qstat has it: "qw", "r", "dr", … */
    const char *instance; /* "batch@g1" */
    const char *queue;    /* that it has asked for */
    int64_t started_ms;
    int64_t limit_ms; /* wall time; 0 = none */
} grid_job_t;
typedef void grid_job_fn (void *owner, const grid_job_t *job);

/*  Visits the jobs that "qstat -r -xml" has written. */
void grid_jobs_read (char *text, grid_job_fn *visit, void *owner);

typedef struct {
    const char *name;  /* "batch@g1" */
    const char *host;  /* "g1" */
    const char *state; /* letters as qstat has them: d disabled, u unreachable, … */
    uint32_t used;     /* slots */
    uint32_t total;
} grid_instance_t;
typedef void grid_instance_fn (void *owner, const grid_instance_t *instance);

/*  Visits the queue instances that "qstat -f -xml" has written. */
void grid_instances_read (char *text, grid_instance_fn *visit, void *owner);

/*  Is the instance one of that queue? */
bool grid_of_queue (const char *instance, const char *queue);

bool grid_time_read (const char *text, int64_t *ms);

batch_job_state_t grid_job_state (const char *state);

/*  The text between <tag …> and </tag> on a line, which it ends with NUL; NULL when it is not
 *  there. */
char *grid_element (char *line, const char *tag);

/*  The value of an attribute on a line, likewise. */
char *grid_attribute (char *line, const char *name);

/*  Joins the lines of a configuration that are continued behind a backslash. */
void grid_unfold (char *text);

/*  The value of a key in an unfolded configuration, to be freed; NULL when it is not there. */
char *grid_value (const char *text, const char *key);

/*  The text with another value for a key, to be freed. */
char *grid_value_set (const char *text, const char *key, const char *value);

#endif
