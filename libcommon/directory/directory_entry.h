/*  directory_entry - what a directory tells of one service: its name, where it is reached, what it
 *  offers.
 */
#ifndef MUSUBI_DIRECTORY_ENTRY_H
#define MUSUBI_DIRECTORY_ENTRY_H

#include "core.h"
#include "domain.h"
#include "free_summary.h"
#include "site.h"

#define DIRECTORY_LEASE_MS 15000 /* asked for; heartbeats come three to a lease */
#define ENDPOINT_BYTES_MAX 255

typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "lis/ams" */
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    char endpoint [ENDPOINT_BYTES_MAX + 1];
    char events [ENDPOINT_BYTES_MAX + 1];
    site_t *site;            /* a LIS's description, else NULL */
    domain_t *domain;        /* a NIS's description, else NULL */
    site_storage_t *storage; /* of a svc-replica with storage nodes, else NULL */
    bool planner;            /* it is a planner, and the rest is about it */
    bool finishing;          /* a planner that only settles a dead one's store */
    uint32_t in_progress;    /* a planner's load */
    free_summary_t *summary; /* what a follower was told beside the entry; NULL = nothing */
} directory_entry_t;

#define ABSENCES_MAX 1024 /* that a directory tells */

/*  A service that was listed and is not now. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    bool votes;       /* it may have a part of reservations */
    int64_t since_ms; /* wall: when it was heard of last, or stopped; 0 = it is listed */
    bool stopped;     /* it said so */
    bool expected;    /* in a directory: listed before this start, and not heard of since */
} absence_t;

/*  What its owner has free now, packed, and lent until the next event; empty = nothing is told. */
typedef packed_t free_summary_fn (void *owner, const moment_t *now);

#endif
