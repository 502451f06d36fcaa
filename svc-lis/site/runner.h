/*  runner - the parts of a site that runs tasks, itself (back_end = runner) or by a batch system:
 *  its nodes and their number, the reservations that are opened on them, the queue, and sharing.
 *
 *  A class has as many nodes to promise as are configured, but no more than are there. Lost and
 *  drained nodes are not there; silent ones, and those not heard yet after a start, still are until
 *  nodes.h counts them as lost. Before a batch system was seen for the first time it is not known
 *  which are there: calendars are not answered. No reservation is cancelled for a loss: those that
 *  are hit are named in the log and shown as degraded.
 */
#ifndef MUSUBI_RUNNER_H
#define MUSUBI_RUNNER_H

#include "free_capacity.h"
#include "name_list.h"
#include "nodes.h"
#include "openings.h"
#include "provider.h"
#include "queue.h"
#include "sharing.h"

/*  Asks the batch system which sections of accounts may charge what they name: at the start, and
 *  every ten watches. One that may not is unfit until it may: its actors get nothing new here, what
 *  was committed is degraded, and an operator is warned. While the batch system is silent what it
 *  said last counts; before it has said anything nothing is known against anybody. */
typedef struct {
    service_t *service;
    openings_t *openings; /* told of what has changed */
    account_t *accounts;  /* the actors of a section stand together */
    size_t count;
    int64_t watch_ms;
    char *told; /* owned: what a work BACK_END_CHARGES has answered before the start; NULL = nothing
                 */
    uint64_t timer;
} charges_t;

/*  The arguments of a work BACK_END_CHARGES about all sections that charge something; the caller
 *  frees it. */
packed_t charges_question (const charges_t *self);

/*  What others have booked in a site's batch system, in the site's own calendars: so nothing is
 *  granted over it. A node that is lost or drained is not counted twice. All zero but for the
 *  room. */
typedef struct {
    free_capacity_t *room;
    interval_list_t booked;
    bool apart;           /* jobs are not in the calendars, but told here: */
    interval_list_t jobs; /* what they take beside the others */
} batch_bookings_t;

typedef struct {
    node_place_t *places;
    size_t places_count;
    account_t *accounts; /* of actors */
    size_t accounts_count;
    nodes_limits_t nodes;
    openings_limits_t openings;
    queue_limits_t queue;
    sharing_limits_t sharing;
    back_end_limits_t back_end;
    bool batch;          /* the last place is a batch system, which has all the nodes */
    name_list_t end_for; /* actors whose reservations end jobs there, whatever nodes.clear is */
} runner_settings_t;

typedef struct {
    const provider_t *provider;
    const site_t *site;
    nodes_t *nodes;
    back_end_t *back_end;
    openings_t *openings;
    batch_bookings_t bookings;
    uint64_t tell_timer;
    bool unseen; /* as nodes_batch_unseen when the classes were counted last */
    queue_t *queue;
    queue_limits_t queue_limits;
    sharing_t *sharing;
    sharing_limits_t sharing_limits;
    account_t *accounts;
    size_t accounts_count;
    charges_t charges; /* of them */
    clear_t clear;
    name_list_t end_for;
} runner_t;

/*  All pointers are borrowed for life; settings are copied. Made before the participant, which
 *  needs the openings' usage, and ended after it. */
runner_t *runner_new (const provider_t *provider, const site_t *site,
                      const runner_settings_t *settings);
void runner_destroy (runner_t **self_p);

/*  Called before the first step, once the provider has all its parts. */
void runner_attach (runner_t *self);

#endif
