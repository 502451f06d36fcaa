/*  user_request - what a user asks for, as plain values: as it is sent to planners, and as it is
 *  kept in a plan. Planners check whether it makes sense.
 */
#ifndef MUSUBI_USER_REQUEST_H
#define MUSUBI_USER_REQUEST_H

#include "codec.h"
#include "site.h"

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

typedef struct {
    char id [NAME_BYTES_MAX + 1];
    uint32_t cpus;
    requirement_t *require;
    size_t require_count;
    int64_t offset_ms;
    int64_t duration_ms;            /* 0 = the request's */
    char site [NAME_BYTES_MAX + 1]; /* "ams"; "" = any */
    stages_t stages;
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
} network_need_t;

typedef struct {
    char file [256];
    char at [NAME_BYTES_MAX + 1];
} data_need_t;

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
    bool distinct_sites;
    char policy [NAME_BYTES_MAX + 1];    /* "" = time */
    char algorithm [NAME_BYTES_MAX + 1]; /* "" = auto */
    char route [NAME_BYTES_MAX + 1];     /* "" = free */
} user_request_t;

void user_request_copy (user_request_t *to, const user_request_t *from);
void user_request_clear (user_request_t *self);

/*  Give every network need without an id its own: its ends' ids joined by "-". One that would be
 *  too long stays empty, which the check refuses. */
void user_request_name (user_request_t *self);

extern const codec_t frame_codec;
extern const codec_t compute_need_codec;
extern const codec_t network_need_codec;
extern const codec_t user_request_codec;

#endif
