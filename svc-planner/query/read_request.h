/*  read_request - a request that starts no transaction of its own: show, list, settle. Their number
 *  is limited, and each is answered once.
 */
#ifndef MUSUBI_READ_REQUEST_H
#define MUSUBI_READ_REQUEST_H

#include "access.h"
#include "coordinator.h"
#include "ordered.h"
#include "unresponsive.h"

/*  The read_requests of one planner, and what they share. All but the last two members are
 *  borrowed. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    unresponsive_t *unresponsive;
    const access_t *access; /* the planner's administrators */
    ordered_t *open;        /* by number */
    uint64_t begun;
} read_requests_t;

/*  The borrowed members must be filled. Closing ends read_requests in progress without an answer.
 */
void read_requests_open (read_requests_t *self);
void read_requests_close (read_requests_t *self);

/*  Methods of service Planner: show.c, list.c. owner: read_requests_t. */
method_fn planner_on_show;
method_fn planner_on_list;

typedef struct read_request read_request_t;

typedef void read_request_free_fn (read_request_t *self);

/*  The first member of every read request. */
struct read_request {
    read_requests_t *read_requests;
    uint64_t number;
    bool own; /* the planner's own: there is nobody to answer */
    uint64_t reply_to;
    char actor [NAME_BYTES_MAX + 1];
    read_request_free_fn *free;
};

/*  A new read request of that size, zeroed behind its first member. NULL: it has been refused. */
void *read_request_new (read_requests_t *read_requests, const request_t *request, size_t size,
                        read_request_free_fn *free_it);

/*  One of the planner's own, which is never refused. */
void *read_request_own (read_requests_t *read_requests, size_t size, read_request_free_fn *free_it);

/*  Answer with these bytes, which are freed. The read request is gone afterwards. */
void read_request_tell (read_request_t *self, packed_t answer);

/*  May its actor see the details of this owner's reservations? */
bool read_request_may_see (const read_request_t *self, const char *owner);

#endif
