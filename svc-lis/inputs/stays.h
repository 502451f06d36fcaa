/*  stays - files that the site's tasks use at its storage nodes: asks the site's svc-replica to
 *  bring each, and to keep it while a task uses it (Replica.Stay; SPEC 28, 29).
 *
 *  However many tasks use a file at a node, it has one stay, which is repeated in time. When nobody
 *  uses it any more it lasts for linger_ms, so that the next task of a bag finds it, and is ended
 *  then. Soft state: after a restart whoever uses files says so again. Pure.
 */
#ifndef MUSUBI_STAYS_H
#define MUSUBI_STAYS_H

#include "file_questions.h"
#include "service.h"

/*  A file at a storage node. */
typedef struct file_stay file_stay_t;

/*  How it stands. */
typedef struct {
    const char *name;
    const char *node;
    staged_state_t state;
    const char *path; /* READY: of the copy, on its node */
    uint64_t size;
    const char *why; /* it is not there, or "" */
    int64_t late_ms; /* LATE: for so long */
} file_stay_view_t;

typedef struct stays stays_t;

/*  A file has come to a storage node, can't come there, or is gone. */
typedef void stays_moved_fn (void *owner, const moment_t *now, const char *node);

/*  site: "ams". moved is never called from within the functions here. */
stays_t *stays_new (service_t *service, const char *site, stays_moved_fn *moved, void *owner);
void stays_destroy (stays_t **self_p);

/*  Uses a file at a storage node; it is ended with stays_leave, once for each use. */
file_stay_t *stays_use (stays_t *self, const moment_t *now, const char *name, const char *node);
void stays_leave (file_stay_t *stay, const moment_t *now);

/*  The copy was not there as it was told: it is not ready before it has been read again. */
void stays_doubt (stays_t *self, const moment_t *now, file_stay_t *stay);

/*  READY only while its stay lasts. Borrowed until the next event. */
file_stay_view_t stays_look (const file_stay_t *stay, const moment_t *now);

/*  Asks the site's svc-replica something else about its files; body is freed. */
uint64_t stays_ask (stays_t *self, const moment_t *now, const char *method, packed_t body,
                    call_done_fn *done, void *owner, uint64_t token);

#endif
