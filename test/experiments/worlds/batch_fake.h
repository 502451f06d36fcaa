/*  batch_fake - stands for the commands of a batch system: command_run of this program answers from
 *  a small world as Grid Engine 8.1.9 and Slurm 22.05.8 have answered on the same questions, in
 *  their words. The world is one plain value, so that it can be kept and put back. Its clock goes
 *  on with each command and each pause, and nothing else of the machine counts. One world at a
 *  time.
 */
#ifndef MUSUBI_BATCH_FAKE_H
#define MUSUBI_BATCH_FAKE_H

#include "command.h"

#include <stdint.h>

#define FAKE_HOSTS       4
#define FAKE_JOBS_MAX    12
#define FAKE_MADE_MAX    4 /* queues or reservations */
#define FAKE_NAME        96
#define FAKE_LIST        1024
#define FAKE_START_MS    INT64_C (1800000000000)
#define FAKE_JOB_ENDS_MS 300 /* after it was told to */

typedef struct {
    char id [8]; /* "" = none */
    char name [FAKE_NAME];
    char into [FAKE_NAME]; /* the queue or the reservation that it asks for; "" = none */
    int host;              /* where it runs; -1: it waits */
    bool again;            /* it may be run again */
    bool moved;            /* it was made to wait again */
    bool held;
    int64_t ends_ms; /* 0 = it was not told to */
    char comment [FAKE_NAME];
} fake_job_t;

/*  A queue and its access list, of which one may be there without the other; or a reservation. */
typedef struct {
    char name [FAKE_NAME]; /* "" = none */
    bool there;
    bool listed;
    char text [4096];         /* a queue's configuration */
    char list [FAKE_LIST];    /* its access list; the nodes of a reservation */
    bool on [FAKE_HOSTS];     /* it has an instance there, */
    bool closed [FAKE_HOSTS]; /* which is disabled */
    char users [FAKE_NAME];   /* of a reservation */
    char partition [FAKE_NAME];
    int64_t from_ms, until_ms;
    bool ignores, overlaps; /* jobs; other reservations */
} fake_made_t;

/*  An advance reservation of Grid Engine, of all slots of its queue "batch" on these hosts. */
typedef struct {
    int id; /* 0 = none */
    char name [FAKE_NAME];
    bool on [FAKE_HOSTS];
    int64_t from_ms, until_ms;
} fake_advance_t;

typedef struct {
    fake_made_t made [FAKE_MADE_MAX];
    fake_advance_t advances [FAKE_MADE_MAX];
    int advances_made; /* so far */
    fake_job_t jobs [FAKE_JOBS_MAX];
    int64_t now_ms;
} batch_fake_t;

typedef struct {
    const char *name; /* as the site's back_end */
    const char *host; /* how hosts are called: "g" */
    void (*begin) (batch_fake_t *world);
    /*  What a command writes, to be freed; NULL with why when it refuses. */
    char *(*answer) (batch_fake_t *world, const char *const *words, size_t count,
                     char why [WHY_BYTES]);
    /*  Starts what waits and may start, after each command. */
    void (*schedule) (batch_fake_t *world);
    /*  All that is there and that counts, as text. */
    void (*tell) (const batch_fake_t *world, char *text, size_t bytes);
} fake_kind_t;

extern const fake_kind_t fake_gridengine;
extern const fake_kind_t fake_slurm;

/*  From here on commands ask this world. */
void batch_fake_begin (const fake_kind_t *kind, batch_fake_t *world);
void batch_fake_end (void);

/*  Only so many more commands are carried out, and none is answered after them, as for a process
 *  that has died; SIZE_MAX: all. Counts commands anew. */
void batch_fake_cut (size_t commands);
/*  All are carried out, and one is not answered. Counts commands anew. */
void batch_fake_lose (size_t command);
size_t batch_fake_commands (void);

/*  Time goes by. */
void batch_fake_pass (int64_t ms);

/*  --- for the kinds --- */

bool fake_word (const char *list, const char *word);
/*  The word of a command behind that one; NULL = there is none. */
const char *fake_behind (const char *const *words, const char *option);
fake_job_t *fake_job (batch_fake_t *world, const char *id);
fake_job_t *fake_job_add (batch_fake_t *world, const char *name, const char *into, int host,
                          bool again);
fake_made_t *fake_made (batch_fake_t *world, const char *name, bool add);
/*  "g1" is 0; -1 = none. */
int fake_host (const char *name);
void fake_print (char **text, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

#endif
