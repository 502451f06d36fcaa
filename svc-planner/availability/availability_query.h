/*  availability_query - asks every site and network domain of a snapshot that was not asked yet,
 *  all at once, for its free profiles in the frame; or, if it discloses windows only, whether some
 *  windows fit.
 *
 *  One that does not answer in time is left out of the snapshot, with the reason.
 */
#ifndef MUSUBI_AVAILABILITY_QUERY_H
#define MUSUBI_AVAILABILITY_QUERY_H

#include "service.h"
#include "snapshot.h"
#include "unresponsive.h"

typedef struct query availability_query_t;

typedef void availability_query_done_fn (void *owner, const moment_t *now, bool hasty);

/*  Everything is borrowed for life. */
typedef struct {
    snapshot_t *snapshot;
    starts_t starts;
    const char *reservation;      /* what it holds counts as free; "" = none; copied */
    const char *actor;            /* who has no right to hold there is told so */
    unresponsive_t *unresponsive; /* not waited for, unless patient or all are so */
    bool patient;                 /* wait for everybody; a try lasts try_ms_max */
    size_t starts_most;           /* windows at no more starts; 0 = as many as there is room for */
    uint32_t visible;             /* percent of what is free that may be used; 0 = all of it */
} availability_query_order_t;

/*  done is called once, never from within availability_query_new. The snapshot is filled by then;
 *  it must outlive the query. hasty: somebody who did not answer could have been waited for
 *  longer. */
availability_query_t *availability_query_new (service_t *service,
                                              const planner_settings_t *settings,
                                              const moment_t *now,
                                              const availability_query_order_t *order,
                                              availability_query_done_fn *done, void *owner);
void availability_query_destroy (availability_query_t **self_p);

#endif
