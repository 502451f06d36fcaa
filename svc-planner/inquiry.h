/*  inquiry - a question of a user that changes nothing: show, list. Counted, bounded, answered
 *  once.
 */
#ifndef MUSUBI_INQUIRY_H
#define MUSUBI_INQUIRY_H

#include "errand.h"

typedef struct inquiry inquiry_t;

typedef void inquiry_free_fn (inquiry_t *self);

/*  The first member of every inquiry. */
struct inquiry {
    planner_t *planner;
    uint64_t number;
    bool own; /* nobody asked: there is nobody to answer */
    uint64_t reply_to;
    char actor [NAME_BYTES_MAX + 1];
    inquiry_free_fn *free;
};

/*  A new one of so many bytes, zeroed behind its first member. NULL: it has been refused. */
void *inquiry_new (planner_t *planner, const request_t *request, size_t size,
                   inquiry_free_fn *free_it);

/*  The same, asked by the planner itself; it is never refused. */
void *inquiry_own (planner_t *planner, size_t size, inquiry_free_fn *free_it);

/*  Answer it with these bytes, which are freed; it is gone afterwards. */
void inquiry_tell (inquiry_t *self, packed_t answer);

/*  May who asks see the details of a reservation of this owner? */
bool inquiry_may_see (const inquiry_t *self, const char *owner);

#endif
