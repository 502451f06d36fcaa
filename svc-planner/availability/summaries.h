/*  summaries - keeps what services may have free, as they tell it with their heartbeats, beside the
 *  entries of the directory: asks a directory from time to time what has changed.
 *
 *  A hint: it says whom to ask first. Without it, or where it is old, all may be free.
 */
#ifndef MUSUBI_SUMMARIES_H
#define MUSUBI_SUMMARIES_H

#include "directory_wire.h"
#include "service.h"

#define SUMMARIES_ASK_MS 2000 /* between two questions; a heartbeat comes every 5 s */

typedef struct {
    service_t *service;            /* borrowed */
    char gis [NAME_BYTES_MAX + 1]; /* asked last */
    directory_mark_t have;         /* of its changes */
} summaries_t;

/*  At the start; service is set. It lasts as long as the service. */
void summaries_begin (summaries_t *self, const moment_t *now);

#endif
