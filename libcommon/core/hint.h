/*  hint - a topic without a body, published when something has changed, but not all the time: those
 *  who wait for it all ask again at each.
 */
#ifndef MUSUBI_HINT_H
#define MUSUBI_HINT_H

#include "service.h"

#define HINT_EVERY_MS 100 /* not more often */

/*  Start it with the first two; it stays where it is until hint_end. */
typedef struct {
    service_t *service;
    const char *topic; /* static */
    uint64_t timer;
    int64_t from_ms; /* monotonic: not before */
} hint_t;

/*  Tell it: at the end of this step, or as soon as HINT_EVERY_MS have passed since the last. */
void hint_tell (hint_t *self);

/*  Nothing more is told. */
void hint_end (hint_t *self);

#endif
