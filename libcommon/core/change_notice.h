/*  change_notice - a topic without a body, published when something has changed, but not all the time: those
 *  who wait for it all ask again at each.
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

/*  Tell it: at the end of this step, or as soon as CHANGE_NOTICE_EVERY_MS have passed since the last. */
void change_notice_tell (change_notice_t *self);

/*  Nothing more is told. */
void change_notice_end (change_notice_t *self);

#endif
