/*  change_notice - a topic without a body, published when something has changed, but not more
 *  often than CHANGE_NOTICE_EVERY_MS: every subscriber asks again at each.
 */
#ifndef MUSUBI_CHANGE_NOTICE_H
#define MUSUBI_CHANGE_NOTICE_H

#include "service.h"

#define CHANGE_NOTICE_EVERY_MS 100 /* not more often */

/*  Start it with the first two; it stays where it is until change_notice_end. */
typedef struct {
    service_t *service;
    const char *topic; /* static */
    uint64_t timer;
    int64_t from_ms; /* monotonic: not before */
} change_notice_t;

/*  Publishes at the end of this step, or once the pause since the last one has passed. owner: a
 *  change_notice_t, so that it can be called back. */
void change_notice_tell (void *owner);

/*  Nothing is published any more. */
void change_notice_end (change_notice_t *self);

#endif
