/*  gridengine_queue - the queue of a reservation: made, opened, watched, removed; and runs as jobs.
 *  Shared by the files of Grid Engine only.
 */
#ifndef MUSUBI_GRIDENGINE_QUEUE_H
#define MUSUBI_GRIDENGINE_QUEUE_H

#include "gridengine_read.h"

#define GRID_COMPLEX "musubi" /* the forced complex by which jobs ask for a queue of ours */

#define GRID_GPU "gpu" /* the complex that counts GPUs */

/*  Adds to the nodes of a sorted picture what they have; of GPUs what is free. */
bool grid_features_look (const batch_setup_t *setup, batch_picture_t *picture,
                         char why [WHY_BYTES]);

/*  Visits all jobs, of all users. */
bool grid_jobs_visit (const batch_setup_t *setup, grid_job_fn *visit, void *owner,
                      char why [WHY_BYTES]);

/*  The unfolded configuration of a queue, to be freed; NULL with why when there is none, or Grid
 *  Engine is silent: *silent. */
char *grid_queue_text (const batch_setup_t *setup, const char *queue, bool *silent,
                       char why [WHY_BYTES]);

/*  Adds what the access list of a queue of ours has in it: one that is not there has nothing. False
 *  with why when Grid Engine is silent. */
bool grid_listed (const batch_setup_t *setup, const char *queue, name_list_t *listed,
                  char why [WHY_BYTES]);

/*  Is the instance one of a reservation of this site's name? */
bool grid_is_ours (const batch_setup_t *setup, const grid_instance_t *instance);

/*  Until when a job that runs has its host: to its limit; without one, or where its start can't be
 *  read, for ever. */
int64_t grid_job_until (const grid_job_t *job);

/*  A parallel environment of the site's queue, to be freed: one that gives all slots on one host,
 *  or (spread) on as many as are asked for. NULL with why. */
char *grid_environment (const batch_setup_t *setup, bool spread, char why [WHY_BYTES]);

/*  --- gridengine_advance: false with why is to be tried again --- */

/*  Adds those of others to the picture as bookings, and the names of those that may be ours. Either
 *  may be NULL; only what has hosts of the site's queue counts. */
bool grid_advances_look (const batch_setup_t *setup, batch_picture_t *picture, name_list_t *names,
                         char why [WHY_BYTES]);

/*  Makes that of the order, all slots of the site's queue on its hosts, and leaves no other of its
 *  name; or tells what is in its way. */
bool grid_advance_keep (const batch_setup_t *setup, const back_end_order_t *order,
                        char why [WHY_BYTES]);

/*  All of that name, or of these ids; there need be none. */
bool grid_advance_remove (const batch_setup_t *setup, const char *which, char why [WHY_BYTES]);

/*  --- between gridengine_queue and gridengine_hosts: false with why is to be tried again --- */

/*  A reservation as it is found; all but the first two are freed by grid_queue_clear. */
typedef struct {
    const batch_setup_t *setup;
    const back_end_order_t *order;
    char *now;          /* its configuration; NULL: it is not there */
    name_list_t hosts;  /* in its configuration, of the order, and of notes */
    name_list_t listed; /* in its access list: its account, and notes (grid_list_change) */
    bool leaving;       /* hosts are those that it has and should not have any more */
    bool begun;         /* its start has come */
    name_list_t on;     /* instances of other queues on its hosts: enabled, */
    name_list_t off;    /* disabled by us, */
    name_list_t kept;   /* disabled by an operator */
    name_list_t own_on; /* such ones of its own: enabled, */
    name_list_t own_off;
    name_list_t taken;   /* disabled by an operator */
    size_t here;         /* instances of the site's queue on its hosts */
    size_t used;         /* slots that jobs of other queues have on its hosts */
    size_t jobs;         /* jobs looked for */
    name_list_t ids;     /* of those that are not being deleted */
    name_list_t unheard; /* hosts, */
    name_list_t stuck;   /* and deleted jobs there, which don't end before they are heard */
} grid_queue_t;

void grid_queue_clear (grid_queue_t *self);

/*  What its access list has in it, into listed. */
bool grid_list_look (grid_queue_t *self, char why [WHY_BYTES]);

/*  Puts words into that list, or takes them out; whether that worked is seen in it. */
bool grid_list_change (grid_queue_t *self, bool add, const name_list_t *words,
                       char why [WHY_BYTES]);

/*  Adds its notes of instances on its hosts; own: only of those of its own, which we have
 *  enabled. */
void grid_notes_find (const grid_queue_t *self, bool own, name_list_t *notes);

/*  The instances on its hosts, into on, off, kept, own_on, own_off, taken, used and unheard. */
bool grid_instances_look (grid_queue_t *self, char why [WHY_BYTES]);

/*  What has to be done at its start is done ahead, so that little is left then. ahead_ms: until its
 *  start; 0 or less: it has come. */
bool grid_settle (grid_queue_t *self, int64_t ahead_ms, char why [WHY_BYTES]);

/*  Its end on these hosts: its jobs there end, and the other queues have them again. */
bool grid_give_back (grid_queue_t *self, char why [WHY_BYTES]);

/*  Hosts that its order does not name any more are given back; those that it names remain. */
bool grid_hosts_leave (grid_queue_t *self, char why [WHY_BYTES]);

/*  That a job of the site's queue may take on the host that allows most; 0 = no limit is known. */
int64_t grid_longest_ms (const batch_setup_t *setup);

/*  As batch_system_t has them. */
batch_fitness_t grid_charges (const batch_setup_t *setup, const account_t *who,
                              char why [WHY_BYTES]);
bool grid_jobs (const batch_jobs_t *asked, char why [WHY_BYTES]);
command_told_t grid_submit (const batch_setup_t *setup, const batch_job_t *job,
                            char why [WHY_BYTES]);
bool grid_signal (const batch_setup_t *setup, const char *id, batch_signal_t signal,
                  char why [WHY_BYTES]);
bool grid_keep (const batch_setup_t *setup, back_end_step_t step, const back_end_order_t *order,
                char why [WHY_BYTES]);
bool grid_compare (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                   char **differ, char why [WHY_BYTES]);
bool grid_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool grid_count (const batch_setup_t *setup, const back_end_order_t *order, int64_t *cpu_ms,
                 char why [WHY_BYTES]);
bool grid_list (const batch_setup_t *setup, name_list_t *names, char why [WHY_BYTES]);

#endif
