/*  answer - what a user is told about a request, as plain values. */
#ifndef MUSUBI_ANSWER_H
#define MUSUBI_ANSWER_H

#include "transaction.h"

#define REASONS_MAX      100 /* some 500 bytes each: fits CLAIM_ANSWER_BYTES_MAX */
#define ALTERNATIVES_MAX 4
#define SENTENCE_BYTES   256
#define RESOURCE_BYTES   (2 * NAME_BYTES_MAX + 2) /* "ams/thin", "N/n1-x1" */

/*  Same numbers as proto AnswerStatus. */
typedef enum {
    ANSWER_UNKNOWN = 0,
    ANSWER_COMMITTED,
    ANSWER_REFUSED,
    ANSWER_PLANNED,
    ANSWER_IN_PROGRESS,
    ANSWER_CONFLICT,
} answer_status_t;

const char *answer_status_word (answer_status_t status);

typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char site [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t cpus; /* granted: whole nodes */
    int64_t from_ms;
    int64_t until_ms;
} placement_t;

/*  The path that a network need got. Owns path and links. */
typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char ends [2][NAME_BYTES_MAX + 1]; /* ids of compute needs */
    size_t ends_count;                 /* 2 */
    uint32_t mbps;
    char (*path) [NAME_BYTES_MAX + 1]; /* vertices, from the first end's site to the second's */
    size_t path_count;                 /* 1: both ends are at one site; 0: not known any more */
    char (*links) [RESOURCE_BYTES];    /* "N/n1-x1", in order */
    size_t links_count;
    int64_t latency_us;
    int64_t from_ms;
    int64_t until_ms;
} connection_t;

/*  Where a data or space need has its room. */
typedef struct {
    char site [NAME_BYTES_MAX + 1];
    space_booking_t booking; /* its source is "" when the file is there already */
} room_t;

/*  The room that a booking at a site's storage is. */
room_t room_of (const space_booking_t *booking, const char *site);

extern const codec_t room_codec;
extern const codec_t placement_codec;
extern const codec_t connection_codec;

void connections_free (connection_t *connections, size_t count);

typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char resource [RESOURCE_BYTES];
    int64_t from_ms;
    int64_t until_ms;
    int64_t wanted;
    int64_t free;
    char text [SENTENCE_BYTES];
} reason_t;

typedef struct {
    int64_t start_ms;
    char change [SENTENCE_BYTES];
} alternative_t;

/*  Owns its lists. */
typedef struct answer {
    answer_status_t status;
    char reservation [NAME_BYTES_MAX + 1];
    int64_t start_ms;
    int64_t end_ms;
    placement_t *compute;
    size_t compute_count;
    connection_t *network;
    size_t network_count;
    int64_t cost;
    char planner [NAME_BYTES_MAX + 1];
    char algorithm [NAME_BYTES_MAX + 1];
    uint32_t rounds;
    int64_t planning_ms;
    reason_t *reasons; /* up to REASONS_MAX; made with the first one */
    size_t reasons_count;
    size_t reasons_room;
    alternative_t alternatives [ALTERNATIVES_MAX];
    size_t alternatives_count;
    uint32_t version;
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    char (*awaited) [NAME_BYTES_MAX + 1]; /* of a release: participants that were silent */
    size_t awaited_count;
    room_t *data; /* of data and space needs */
    size_t data_count;
} answer_t;

extern const codec_t answer_codec;

/*  Add a reason, or an alternative. Past the limit a new reason replaces the last one, and a new
 *  alternative is dropped. text is a format. The caller may fill in the other members of the reason
 *  until the next one is added. */
reason_t *answer_reason (answer_t *self, const char *need, const char *resource, const char *text,
                         ...) __attribute__ ((format (printf, 4, 5)));
void answer_alternative (answer_t *self, int64_t start_ms, const char *change, ...)
  __attribute__ ((format (printf, 3, 4)));

#endif
