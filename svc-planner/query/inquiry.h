/*  inquiry - a question of a user that changes nothing: show, list. Counted, bounded, answered
 *  once.
 */
#ifndef MUSUBI_INQUIRY_H
#define MUSUBI_INQUIRY_H

#include "access.h"
#include "coordinator.h"
#include "ordered.h"
#include "suspects.h"

/*  The inquiries of one planner, and what they share. All but the last two is borrowed. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    suspects_t *suspects;
    const access_t *access; /* who administers the planner */
    ordered_t *open;        /* by number */
    uint64_t begun;
} inquiries_t;

/*  The borrowed ones are filled. Closing ends those under way, and tells nobody. */
void inquiries_open (inquiries_t *self);
void inquiries_close (inquiries_t *self);

/*  Methods of service Planner: show.c, list.c. owner: inquiries_t. */
method_fn planner_on_show;
method_fn planner_on_list;

typedef struct inquiry inquiry_t;

typedef void inquiry_free_fn (inquiry_t *self);

/*  The first member of every inquiry. */
struct inquiry {
    inquiries_t *inquiries;
    uint64_t number;
    bool own; /* nobody asked: there is nobody to answer */
    uint64_t reply_to;
    char actor [NAME_BYTES_MAX + 1];
    inquiry_free_fn *free;
};

/*  A new one of so many bytes, zeroed behind its first member. NULL: it has been refused. */
void *inquiry_new (inquiries_t *inquiries, const request_t *request, size_t size,
                   inquiry_free_fn *free_it);

/*  The same, asked by the planner itself; it is never refused. */
void *inquiry_own (inquiries_t *inquiries, size_t size, inquiry_free_fn *free_it);

/*  Answer it with these bytes, which are freed; it is gone afterwards. */
void inquiry_tell (inquiry_t *self, packed_t answer);

/*  May who asks see the details of a reservation of this owner? */
bool inquiry_may_see (const inquiry_t *self, const char *owner);

#endif
