/*  staging - files that are wanted at a storage node of this site for a while (S2: 28, 29, 34).
 *
 *  A stay says that somebody wants a file at a node until a time: a task of the site's svc-lis,
 *  which repeats it (Replica.Stay), or a committed reservation. While there is a stay, the file is
 *  brought there, and again if it goes; a copy that is there is not evicted. All stays for one file
 *  are served by one transfer, and their nodes by one chain. After its last stay a copy is one like
 *  others, and stays as long as its room is not needed.
 *
 *      coming   its bytes are on the way, or wait for a source, or for room: why
 *      ready    the copy is at its node, which is up, and its digest was right
 *      late     it could not be had: why. It is tried again, at growing intervals
 *
 *  A file that is booked is brought from its booking's source at the rate of its circuit, from the
 *  beginning of the booking on, so that it is ready when it is due. If it is not, the reservation
 *  is degraded: Show says why, an alarm is raised, the notice "staged" is published, and other
 *  sources are tried until its end.
 *
 *  Stays of tasks are not stored. What is stored is until when there may be some: after a restart
 *  no copy is evicted before those that were told "ready" have had the time to repeat their stays.
 *  Pure.
 */
#ifndef MUSUBI_STAGING_H
#define MUSUBI_STAGING_H

#include "disk_bookings.h"
#include "fetcher.h"
#include "rules.h"

#define STAGING_LOOK_MS      500  /* between two looks at what is not there yet */
#define STAGING_IDLE_MS      1000 /* between two looks at the bookings while nobody stays */
#define STAGING_AGAIN_MS     1000 /* first pause before it is tried again; it doubles */
#define STAGING_AGAIN_MS_MAX 15000
#define STAYS_MAX            100000 /* at once */

typedef struct staging staging_t;
typedef struct take_ins take_ins_t;

/*  Serves Replica.Stay, and keeps TABLE_STAYS. Everything is borrowed for life. */
staging_t *staging_new (const fetcher_parts_t *parts, fetcher_t *fetcher, const access_t *access);

/*  May it ask for stays, and hand over outputs? At a node of the site? False after refusing. */
bool staging_allows (const fetcher_parts_t *parts, const access_t *access, const request_t *request,
                     const char *node);

/*  staging_question.c: serves Replica.Staging, what planners ask. parts: borrowed for life. */
void staging_question_serve (fetcher_parts_t *parts);
void staging_destroy (staging_t **self_p);

/*  Before the start: the reservations that want files, and what Show and List are to tell of them.
 *  The bookings are borrowed for life. */
void staging_tell (staging_t *self, const disk_bookings_t *bookings, usage_t *usage);
void staging_start (staging_t *self, const moment_t *now);

/*  staging_take.c: serves Replica.TakeIn. A file that a task has left in a node's folder for
 *  arrivals becomes a file of its owner, kept there, if its name stands for no other content here
 *  or, as far as sites answer, anywhere. If its task came from another site, its home, a rule sends
 *  it there, and it is ready when it is kept there, or after home_ms. Everything is borrowed for
 *  life. */
#define TAKINGS_MAX    4096   /* at once */
#define TAKING_KEEP_MS 600000 /* since it was last asked about */
take_ins_t *taking_new (const fetcher_parts_t *parts, const access_t *access, rules_t *rules,
                        int64_t home_ms);
void taking_destroy (take_ins_t **self_p);

#endif
