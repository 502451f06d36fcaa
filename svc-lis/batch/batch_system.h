/*  batch_system - what a site does with the batch system that it already runs: a table of
 *  functions, one table for each kind (slurm/, gridengine/).
 *
 *  All functions block until the batch system has answered, or for the setup's limit; each is
 *  called on a worker thread, several at once. Each may be called twice, and after a crash between
 *  any two of its commands: what is there already is made equal, what is gone already is no
 *  failure. False with why: a sentence that names what was refused, in the batch system's own words
 *  where it has some. What it answers is looked at again before it is told.
 *
 *  All that is ours there is called "PREFIX-SITE-" and the reservation's or the run's id
 *  (batch_name), and is of the site's queue. Nothing else is ever changed, but for jobs in the way
 *  of an opening.
 */
#ifndef MUSUBI_BATCH_SYSTEM_H
#define MUSUBI_BATCH_SYSTEM_H

#include "back_end.h"
#include "batch_picture.h"
#include "command.h"
#include "name_list.h"

#define BATCH_PREFIX_BYTES_MAX 16
#define BATCH_NAME_BYTES_MAX   (BATCH_PREFIX_BYTES_MAX + 2 * NAME_BYTES_MAX + 2)

/*  Borrowed for life. */
typedef struct {
    const char *prefix; /* of all names of ours; NULL = "musubi" */
    const char *site;
    const char *queue;    /* the partition, or the queue, that is the site's */
    const char *programs; /* of commands: the folder of its programs; "" = none is named */
    int64_t limit_ms;     /* that one command may take; 10 000 */
    int64_t early_ms; /* jobs in the way of an opening make way so long before it, so that its own
                             begin at once */
} batch_setup_t;

/*  A job to be submitted; everything is borrowed. */
typedef struct {
    const char *name;        /* as batch_name makes it of the run's, run_name */
    const char *account;     /* local */
    const char *charged;     /* as account_t; "" = the batch system's default */
    const char *qos;         /* likewise */
    const char *reservation; /* likewise; it is prepared; "" = none */
    const char *held;        /* the id of its job that is BATCH_JOB_HELD; "" = none */
    uint32_t cpus;           /* of one node */
    uint32_t gpus;           /* likewise */
    int64_t limit_ms;        /* wall time */
    const char *script;      /* of a POSIX shell */
    const char *folder;      /* it starts there */
    const char *output;      /* absolute paths of files of the account */
    const char *errors;      /* "" = with the output */
} batch_job_t;

typedef enum {
    BATCH_JOB_UNKNOWN, /* the batch system does not know it, or no longer */
    BATCH_JOB_HELD,    /* its reservation went away: it never begins unless it is submitted again */
    BATCH_JOB_QUEUED,
    BATCH_JOB_RUNNING,
    BATCH_JOB_SUSPENDED,
    BATCH_JOB_ENDED, /* it has run, or was killed for its limit or by somebody's wish */
    BATCH_JOB_LOST   /* its node has failed, or it could not be begun */
} batch_job_state_t;

#define BATCH_JOB_ID_BYTES 32

typedef struct {
    batch_job_state_t state;
    char id [BATCH_JOB_ID_BYTES];     /* "" when it is unknown */
    char why [RUN_WHY_BYTES_MAX + 1]; /* as the batch system gives it */
} batch_job_seen_t;

/*  A question how the jobs of these runs stand. */
typedef struct {
    const batch_setup_t *setup;
    const char *const *names;
    size_t count;
    batch_job_seen_t *seen; /* in their order; zero at first */
} batch_jobs_t;

typedef enum {
    BATCH_WARN, /* SIGUSR1 to all its processes */
    BATCH_END,  /* SIGTERM, and SIGKILL after the batch system's own grace; a queued one is gone */
    BATCH_KILL,
    BATCH_SUSPEND,
    BATCH_RESUME
} batch_signal_t;

typedef enum {
    BATCH_FIT,
    BATCH_UNFIT, /* its settings or ours are wrong */
    BATCH_SILENT /* it has not answered; it may later */
} batch_fitness_t;

typedef struct {
    const char *name; /* as it is configured: "slurm" */

    /*  Is it new enough, is the queue there? reserves: may we make reservations? */
    batch_fitness_t (*check) (const batch_setup_t *setup, bool reserves, char why [WHY_BYTES]);

    /*  Does it let a local account charge that account, by that QOS ("" = its default)? NULL: it
     *  has none. */
    batch_fitness_t (*charges) (const batch_setup_t *setup, const account_t *who,
                                char why [WHY_BYTES]);

    /*  Its nodes, and what others have reserved there. The picture is zero at first, and is cleared
     *  with batch_picture_codec. */
    bool (*look) (const batch_setup_t *setup, batch_picture_t *picture, char why [WHY_BYTES]);

    bool (*jobs) (const batch_jobs_t *asked, char why [WHY_BYTES]);

    /*  Of a run that has no job which is queued or runs. Refused for good, or not answered yet. */
    command_told_t (*submit) (const batch_setup_t *setup, const batch_job_t *job,
                              char why [WHY_BYTES]);
    bool (*signal) (const batch_setup_t *setup, const char *id, batch_signal_t signal,
                    char why [WHY_BYTES]);

    /*  Makes the reservation of an order that has an account, or makes it equal to the order; its
     *  reservation is called as batch_name makes it, here and below.
     *
     *      name      … without anybody's job that may run into it; else it is refused with whose
     *                that is, or whose reservation, and until when
     *      prepare   jobs may be queued in it; none of them starts before from_ms, and nobody
     *                else's on its nodes
     *      open      clears its nodes, and has seen that they are the reservation's
     *      watch     is it still so? What is not is mended, and told once more as wrong
     */
    bool (*keep) (const batch_setup_t *setup, back_end_step_t step, const back_end_order_t *order,
                  char why [WHY_BYTES]);
    /*  By one question: *differ, to be freed, has a line for each of these orders that is not so,
     *  "ID why"; NULL = all are. The function is NULL where nothing is named. */
    bool (*compare) (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                     char **differ, char why [WHY_BYTES]);
    /*  Ends what runs in it, and removes it. */
    bool (*close) (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
    /*  The processor time of all jobs that ran in it, which is over, by the batch system's
     *  accounting; *cpu_ms < 0, or NULL here: it has none. */
    bool (*count) (const batch_setup_t *setup, const back_end_order_t *order, int64_t *cpu_ms,
                   char why [WHY_BYTES]);
    /*  Adds the names of all reservations that may be ours. */
    bool (*list) (const batch_setup_t *setup, name_list_t *names, char why [WHY_BYTES]);
} batch_system_t;

/*  Is that a prefix: letters and digits, at most BATCH_PREFIX_BYTES_MAX? It has no "-", so that a
 *  site's name with one prefix is never taken for another's. False with why. */
bool batch_prefix_check (const char *prefix, char why [WHY_BYTES]);

/*  "PREFIX-SITE-NAME". False with why when the name is neither a reservation's id nor a run's, or
 *  the site's has other characters than letters, digits and . _ - @ in it, or all is too long. */
bool batch_name (const batch_setup_t *setup, const char *name, char to [BATCH_NAME_BYTES_MAX + 1],
                 char why [WHY_BYTES]);

/*  A reservation's id that none has: no planner starts for the 0th time. */
#define BATCH_NAME_OF_NONE "000000000000-0-0"

/*  Behind "PREFIX-SITE-"; NULL when the name is not one of ours: what stands there should be
 *  exactly a reservation's id or a run's. Whether it is of our queue is for the caller to see. */
const char *batch_name_ours (const batch_setup_t *setup, const char *name);

/*  What another site has there, by a name as batch_name makes them, claims its node: that counts as
 *  drained, and which site that is stands in its why. False when no site has made that name; that
 *  it is not ours is for the caller to see. */
bool batch_node_claim (batch_node_t *node, const char *name);

/*  The same by all bookings of a picture, which are of others. */
void batch_drain_claimed (batch_picture_t *picture);

/*  Is it queued, or does it run or rest? */
static inline bool batch_job_lives (batch_job_state_t state)
{
    return state >= BATCH_JOB_QUEUED && state <= BATCH_JOB_SUSPENDED;
}

/*  Where a job of that name is told; NULL when nobody asked for it, or another one of its name
 *  lives. */
batch_job_seen_t *batch_job_place (const batch_jobs_t *asked, const char *name);

/*  What is in the way of a reservation that was refused: of several, what stays longest. Zero at
 *  first. */
typedef struct {
    int64_t until_ms; /* 0 = nothing is */
    char what [WHY_BYTES];
} batch_way_t;

/*  kind: "Slurm's job"; without an end that is known until_ms is BATCH_FOREVER_MS. */
void batch_way_note (batch_way_t *self, int64_t until_ms, const char *kind, const char *name,
                     const char *whose);

/*  Adds the line of a reservation that is not as its order says (compare). */
void batch_differ_add (char **differ, const batch_setup_t *setup, const back_end_order_t *order,
                       const char *what);

/*  Runs a command of the batch system, as command_run, for at most the setup's limit.
 *  COMMAND_SILENT also when the command could not ask the batch system, or should be tried
 *  again. */
command_told_t batch_run (const batch_setup_t *setup, const char *const *arguments, char **output,
                          char why [WHY_BYTES]);

#define BATCH_RUN(setup, output, why, ...)                                                         \
    batch_run (setup, (const char *const []){__VA_ARGS__, NULL}, output, why)

/*  The same; visits each line that it has written, when it is done. */
typedef void batch_line_fn (void *owner, char *line);
command_told_t batch_run_lines (const batch_setup_t *setup, const char *const *arguments,
                                batch_line_fn *visit, void *owner, char why [WHY_BYTES]);

#define BATCH_LINES(setup, visit, owner, why, ...)                                                 \
    batch_run_lines (setup, (const char *const []){__VA_ARGS__, NULL}, visit, owner, why)

/*  Submits a job by these arguments, as its account; later is what it is refused with as long as
 *  its reservation is still to be made. */
command_told_t batch_run_submit (const batch_setup_t *setup, const batch_job_t *job,
                                 const char *const *arguments, const char *later,
                                 char why [WHY_BYTES]);

#define BATCH_SUBMIT(setup, job, later, why, ...)                                                  \
    batch_run_submit (setup, job, (const char *const []){__VA_ARGS__, NULL}, later, why)

batch_fitness_t batch_fitness (command_told_t told);

#endif
