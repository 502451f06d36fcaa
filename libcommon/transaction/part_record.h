/*  part_record - a reservation as one of its participants shows it, and the questions about what
 *  participants have on record.
 */
#ifndef MUSUBI_PART_RECORD_H
#define MUSUBI_PART_RECORD_H

#include "staged_file.h"
#include "transaction.h"

/*  Same numbers as proto ReservationState (S3). */
typedef enum {
    RECORD_CREATED,
    RECORD_RESERVED,
    RECORD_ACTIVATED,
    RECORD_RELEASED,
    RECORD_FAILED
} record_state_t;

/*  Bookings at a site, circuits in a network domain, bytes at a site's storage. */
typedef struct {
    compute_booking_t *bookings;
    size_t bookings_count;
    circuit_t *circuits;
    size_t circuits_count;
    space_booking_t *space;
    size_t space_count;
} holding_t;

/*  A reservation at one participant. Owns its lists, opening and plan. */
typedef struct {
    char participant [NAME_BYTES_MAX + 1];
    char reservation [NAME_BYTES_MAX + 1];
    char owner [NAME_BYTES_MAX + 1];
    uint32_t version;
    record_state_t state;
    compute_booking_t *bookings;
    size_t bookings_count;
    circuit_t *circuits; /* at a network domain */
    size_t circuits_count;
    bool provisioned;       /* they may be used now */
    packed_t opening;       /* at a site with a back end: packed OpeningRecord; empty = none */
    space_booking_t *space; /* at a site's storage */
    size_t space_count;
    staged_file_t *staged; /* how far their files are */
    size_t staged_count;
    unsigned circuit_state; /* same numbers as proto CircuitState */
    char circuit_trouble [WHY_BYTES];
    uint32_t circuit_wait_us; /* in a queue of them, at most */
    bool lacking;             /* there is less than was promised, for some of its time */
    bool plan_set;
    plan_t plan;
    bool done;
    bool pending_set;
    txid_t pending;
    command_state_t pending_state;
    operation_t pending_operation;
    holding_t was; /* what it booked until it was released */
} part_record_t;

/*  Released or failed? */
bool part_record_over (const part_record_t *self);

/*  What it books; borrowed. Is it nothing? When the last of it ends; 0 when it is nothing. */
holding_t holding_of (const part_record_t *record);
bool holding_empty (const holding_t *self);
int64_t holding_end (const holding_t *self);

/*  Participant.Show. */
typedef struct {
    bool known; /* the participant knows the reservation */
    part_record_t record;
} part_shown_t;

/*  Participant.List: a page of them; it may be empty though there are more, after next. */
typedef struct {
    part_record_t *records;
    size_t count;
    bool more;
    char next [NAME_BYTES_MAX + 1]; /* "" without more */
} parts_page_t;

/*  --- questions --- */

typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
} show_request_t;

/*  Participant.List, and Planner.List. */
typedef struct {
    char owner [NAME_BYTES_MAX + 1];
    int64_t from_ms;
    int64_t until_ms;
    char after [NAME_BYTES_MAX + 1];
    uint32_t most; /* 0 = as who is asked likes */
} list_request_t;

typedef struct {
    bool after_set;
    txid_t after;
    bool only_set; /* this one alone */
    txid_t only;
    uint32_t most;
} commands_request_t;

extern const codec_t opening_codec; /* of a packed OpeningRecord; it has no struct */
extern const codec_t part_record_codec;
extern const codec_t part_shown_codec;
extern const codec_t parts_page_codec;
extern const codec_t show_request_codec;
extern const codec_t list_request_codec;
extern const codec_t commands_request_codec;

#endif
