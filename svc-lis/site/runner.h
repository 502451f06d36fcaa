/*  runner - what a site has that runs things itself (back_end = runner): its nodes, what there is
 *  of them to promise, and reservations opened on them.
 *
 *  It has as many nodes of a class to promise as it is told, but no more than are there. A node that
 *  is lost or drained is not; one that is awaited after a start, or silent, still is: its agent has
 *  the time that nodes.h says before it counts as lost. Nothing is cancelled for it: reservations
 *  that are hit are told in the log, and as degraded.
 */
#ifndef MUSUBI_RUNNER_H
#define MUSUBI_RUNNER_H

#include "openings.h"
#include "provider.h"
#include "queue.h"
#include "sharing.h"

/*  The local account of an actor. */
typedef struct {
    char actor [NAME_BYTES_MAX + 1]; /* "*" = anybody else */
    char account [ACCOUNT_BYTES_MAX + 1];
} account_t;

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
} runner_settings_t;

typedef struct {
    const provider_t *provider;
    const site_t *site;
    nodes_t *nodes;
    back_end_t *back_end;
    openings_t *openings;
    uint64_t tell_timer;
    queue_t *queue;
    queue_limits_t queue_limits;
    sharing_t *sharing;
    sharing_limits_t sharing_limits;
    account_t *accounts;
    size_t accounts_count;
} runner_t;

/*  Everything is borrowed for life but the settings. Comes before the participant, which wants its
 *  usage, and ends after it. */
runner_t *runner_new (const provider_t *provider, const site_t *site,
                      const runner_settings_t *settings);
void runner_destroy (runner_t **self_p);

/*  Before the first step, once all parts of the provider are there. */
void runner_attach (runner_t *self);

#endif
