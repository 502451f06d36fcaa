/*  user_request - what a user asks for, as plain values: as it is sent to planners, and as it is
 *  kept in a plan. Planners check whether it makes sense.
 */
#ifndef MUSUBI_USER_REQUEST_H
#define MUSUBI_USER_REQUEST_H

#include "codec.h"
#include "site.h"
#include "transaction.h"

#define LATENCY_MS_MAX 3600000 /* the largest latency limit */

/*  A time as the user wrote it. */
typedef struct {
    bool set;
    bool from_now; /* ms counts from the receipt; 0 = as soon as sites accept */
    int64_t ms;
} instant_t;

typedef struct {
    instant_t start; /* excludes the others */
    instant_t earliest;
    instant_t latest;
    instant_t deadline;
} frame_t;

/*  What a need had until it was changed while it lasted. */
typedef struct {
    int64_t until_ms; /* from the reservation's start */
    uint32_t amount;  /* CPUs, Mbit/s; 0 = nothing yet */
} stage_t;

#define STAGES_MAX 16 /* how often a need can be changed while it lasts */

/*  Ascending; the first stage begins with the need. After the last one the need has what it asks
 *  for.
 */
typedef struct {
    stage_t list [STAGES_MAX];
    size_t count;
} stages_t;

/*  What a need is that a planner has derived from a data or space need, to place it like the others
 *  (derive.h). It never leaves the planner. */
typedef struct {
    enum {
        DERIVED_NOT,
        DERIVED_STORAGE, /* room of `cpus` MiB on one storage node, or on each of a site */
        DERIVED_SOURCE,  /* the site that a file comes from by a circuit; it takes nothing there */
    } kind;
    size_t at;       /* the compute need whose site storage must share */
    size_t data;     /* 1 + the data need; 0 = none */
    size_t space;    /* 1 + the space need; 0 = none */
    bool everywhere; /* on all storage nodes of the site */
} derived_t;

typedef struct {
    char id [NAME_BYTES_MAX + 1]; /* must be the first member */
    uint32_t cpus;
    requirement_t *require;
    size_t require_count;
    int64_t offset_ms;
    int64_t duration_ms;            /* 0 = the request's */
    char site [NAME_BYTES_MAX + 1]; /* "ams"; "" = any */
    stages_t stages;
    derived_t derived; /* of a planner's own needs; all zero in a user's */
} compute_need_t;

/*  Bandwidth between the places of two compute needs. */
typedef struct {
    char id [NAME_BYTES_MAX + 1];      /* unique among all needs; "a-b" where none is given */
    char ends [2][NAME_BYTES_MAX + 1]; /* ids of compute needs */
    size_t ends_count;                 /* as given, 2 when sound */
    uint32_t mbps;
    int64_t latency_us_max; /* 0 = any */
    int64_t offset_ms;
    int64_t duration_ms;    /* 0, with offset 0 = the time both ends share */
    requirement_t *require; /* of every link of its path */
    size_t require_count;
    stages_t stages;
    size_t data; /* of a planner's own circuits: 1 + the data need whose bytes it carries; else 0 */
} network_need_t;

#define DATA_NODES_ALL UINT32_MAX

/*  A file that is to be at the site of a compute need until that need ends. */
typedef struct {
    char file [256];
    char at [NAME_BYTES_MAX + 1]; /* id of a compute need */
    uint32_t nodes;               /* at so many storage nodes; 0 = at one; DATA_NODES_ALL */
    int64_t by_ms;                /* after the compute need's start: when it is to be there */
    uint32_t mbps;                /* of a circuit for its bytes; 0 = none */
    char id [NAME_BYTES_MAX + 1]; /* unique among all needs; "data-1" where none is given */
    uint64_t size;                /* bytes; of planners only, as they have looked it up */
    uint8_t digest [DIGEST_BYTES];
} data_need_t;

/*  Room on one storage node of a compute need's site, for as long as that need lasts. */
typedef struct {
    char at [NAME_BYTES_MAX + 1];
    uint64_t bytes;
    char id [NAME_BYTES_MAX + 1]; /* unique among all needs; "space-1" where none is given */
} space_need_t;

/*  Owns its lists: user_request_clear. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    frame_t window;
    int64_t duration_ms;
    compute_need_t *compute;
    size_t compute_count;
    network_need_t *network;
    size_t network_count;
    data_need_t *data;
    size_t data_count;
    space_need_t *space;
    size_t space_count;
    bool distinct_sites;
    char policy [NAME_BYTES_MAX + 1];    /* "" = time */
    char algorithm [NAME_BYTES_MAX + 1]; /* "" = auto */
    char route [NAME_BYTES_MAX + 1];     /* "" = free */
} user_request_t;

void user_request_copy (user_request_t *to, const user_request_t *from);
void user_request_clear (user_request_t *self);

/*  Give every need without an id its own: a network need its ends' ids joined by "-", a data or
 *  space need "data-" or "space-" and its number, from 1. One that would be too long stays empty,
 *  which the check refuses. */
void user_request_name (user_request_t *self);

extern const codec_t frame_codec;
extern const codec_t compute_need_codec;
extern const codec_t network_need_codec;
extern const codec_t data_need_codec;
extern const codec_t space_need_codec;
extern const codec_t user_request_codec;

#endif
