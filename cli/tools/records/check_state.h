/*  check_state - what was gathered, and what the files of the judge ask of each other. For check*.c
 *  only.
 *
 *      check.c         gathers; whole transactions, what is pending, what users were told
 *      check_booked.c  nothing has more booked than there is of it
 *      check_asked.c   each reservation has the CPUs that its request asks, and no more
 *      check_connected.c   and between them its connections */
#ifndef MUSUBI_CHECK_STATE_H
#define MUSUBI_CHECK_STATE_H

#include "check.h"
#include "ordered.h"

/*  The first members of an offer and of a point. */
typedef struct {
    char participant [NAME_BYTES_MAX + 1];
    char name [NAME_BYTES_MAX + 1];
} named_t;

/*  A class, a link or a storage node of a participant, and how much of it there is. */
typedef struct {
    char participant [NAME_BYTES_MAX + 1];
    char name [NAME_BYTES_MAX + 1];
    bool is_link;
    bool is_disk;
    int64_t quantity; /* nodes, Mbit/s, MiB */
    attribute_t *attributes;
    size_t attributes_count;
    uint32_t cpus_per_node;
    int64_t cleaning_gap_ms;
    char ends [2][NAME_BYTES_MAX + 1];
    int64_t latency_us;
} check_offer_t;

typedef struct {
    char participant [NAME_BYTES_MAX + 1];
    char name [NAME_BYTES_MAX + 1];
    vertex_kind_t kind;
    attribute_t *attributes;
    size_t attributes_count;
} point_t;

typedef struct {
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    char reservation [NAME_BYTES_MAX + 1];
    bool done;
} user_answer_t;

/*  What is known of a participant. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    bool silent;
    bool lacks; /* it has less than it has promised */
    bool store_set;
    uint8_t store [STORE_ID_BYTES];
    int64_t wall_ms; /* by its clock; 0 = not known */
} peer_t;

struct check {
    check_record_t *records;
    size_t records_count;
    size_t records_room;
    check_offer_t *offers; /* while judging: in order of participant and name */
    size_t offers_count;
    size_t offers_room;
    point_t *points; /* likewise */
    size_t points_count;
    size_t points_room;
    user_answer_t *answers;
    size_t answers_count;
    size_t answers_room;
    ordered_t *peers;
    size_t silent_count; /* of them */

    int64_t now_ms; /* while judging */
    bool booked_elsewhere;
    check_result_t result;
    void (*tell) (void *owner, const char *sentence);
    void *owner;
};

/*  Adds an element to a list that grows, and returns it zeroed. */
void *check_append (void *list_p, size_t *count, size_t *room, size_t size);

/*  A list of so many elements, zeroed, never NULL. */
void *check_list (size_t count, size_t size);

void check_violation (check_t *self, const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

/*  NULL when that participant describes none of that name. */
const check_offer_t *check_offer (const check_t *self, const char *participant, const char *name);
const point_t *check_point (const check_t *self, const char *participant, const char *name);

/*  NULL when nothing was heard of it. */
peer_t *check_peer (const check_t *self, const char *name);

/*  Is that participant one of the plan's? */
bool check_takes_part (const plan_t *plan, const char *participant);

/*  --- of one reservation --- */

/*  One booking or circuit of the version that is judged, and the participant that has it. */
typedef struct {
    const char *participant;
    const compute_booking_t *booking;
} check_booking_t;

typedef struct {
    const char *participant;
    const circuit_t *circuit;
    size_t phase; /* of its need, in which it begins */
} check_circuit_t;

/*  An interval over which a need has one amount, counted from the reservation's start. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;
    uint32_t amount; /* never 0 */
} check_phase_t;

/*  The phases of a need, by its stages; the caller frees the list. */
check_phase_t *check_phases (const stages_t *stages, check_phase_t whole, size_t *count);

typedef struct {
    check_t *check;
    const char *reservation; /* its id */
    const user_request_t *request;
    check_booking_t *booked; /* in order of need and time */
    size_t booked_count;
    check_circuit_t *laid; /* in order of need, phase and hop, once the compute needs are judged */
    size_t laid_count;
    bool start_set;
    int64_t start_ms;
} judged_reservation_t;

/*  The sentence begins with "reservation ID: NEED ". */
void check_need_violation (const judged_reservation_t *self, const char *need, const char *format,
                           ...) __attribute__ ((format (printf, 3, 4)));

const compute_need_t *check_compute_need (const user_request_t *request, const char *id);
int64_t check_duration (const user_request_t *request, const compute_need_t *need);

/*  The first booking of a need; NULL when there is none. */
const check_booking_t *check_booking (const judged_reservation_t *self, const char *need);

/*  The first attribute that the offer does not have as required; NULL when it has all. */
const char *check_lacking (const check_offer_t *offer, const requirement_t *require, size_t count);

/*  "ams" of "lis/ams": what the site is called in requests, and as a vertex. */
const char *check_short_name (const char *participant);

/*  Judges the circuits of a reservation whose compute needs have been judged. */
void check_connected (judged_reservation_t *self);

/*  --- of all --- */

/*  Records by reservation, the version that a command makes, transaction, participant. */
int check_by_version (const void *a, const void *b);

/*  The records may come in any order; the list is sorted by participant, reservation and version.
 */
void check_booked (check_t *self, const check_record_t **records, size_t count);

/*  The records may come in any order; the list is sorted by reservation and version. */
void check_asked (check_t *self, const check_record_t **records, size_t count);

#endif
