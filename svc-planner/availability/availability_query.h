/*  availability_query - one question to every candidate site and network domain of a snapshot that was not
 *  asked yet, all at once: the free profiles of the frame; or, where one discloses windows only,
 *  whether some windows fit.
 *
 *  Who does not answer within its try is left out of the snapshot, with the reason.
 */
#ifndef MUSUBI_AVAILABILITY_QUERY_H
#define MUSUBI_AVAILABILITY_QUERY_H

#include "service.h"
#include "snapshot.h"
#include "unresponsive.h"

typedef struct survey availability_query_t;

typedef void availability_query_done_fn (void *owner, const moment_t *now, bool hasty);

/*  Everything is borrowed for life. */
typedef struct {
    snapshot_t *snapshot;
    starts_t starts;
    const char *reservation;  /* what it holds counts as free; "" = none; copied */
    unresponsive_t *suspects; /* asked, but waited for only if */
    bool patient;             /* or nobody else is asked; then each try lasts try_ms_max */
    size_t starts_most; /* ask about windows at no more starts; 0 = as many as there is room */
    uint32_t visible;   /* percent of what is free that may be seen, so that more must fit than
                                is wanted; 0 = all */
} availability_query_order_t;

/*  done is called once, never from within; the snapshot is filled by then and must outlive the
 *  survey. hasty: somebody who is silent was not waited for so long. */
availability_query_t *availability_query_new (service_t *service,
                                              const planner_settings_t *settings,
                                              const moment_t *now,
                                              const availability_query_order_t *order,
                                              availability_query_done_fn *done, void *owner);
void availability_query_destroy (availability_query_t **self_p);

#endif
