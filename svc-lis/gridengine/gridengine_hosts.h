/*  gridengine_hosts - the hosts of a reservation: other queues are disabled there and its own enabled,
 *  what is in the way goes, and at their end they are given back. Each step asks Grid Engine what
 *  there is, does what is missing, and asks again; false with why, when it is to be tried again. For
 *  gridengine_queue alone.
 */
#ifndef MUSUBI_GRIDENGINE_HOSTS_H
#define MUSUBI_GRIDENGINE_HOSTS_H

#include "gridengine_queue.h"

/*  A reservation as it is found; setup, order and now are set by who looks, and the lists from what is
 *  there. grid_queue_clear frees all but the first two. */
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

/*  Adds its notes of instances on its hosts; own: only of those of its own, which we have enabled. */
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

#endif
