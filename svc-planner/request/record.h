/*  record - a reservation as its participants know it, and as the federation then does; and the
 *  coordinator's log record. Plain values, with their passage in record_wire.c.
 */
#ifndef MUSUBI_RECORD_H
#define MUSUBI_RECORD_H

#include "answer.h"
#include "transaction.h"

/*  Same numbers as proto ReservationState (S3). */
typedef enum {
    RECORD_CREATED,
    RECORD_RESERVED,
    RECORD_ACTIVATED,
    RECORD_RELEASED,
    RECORD_FAILED
} record_state_t;

/*  A reservation at one participant. Owns its bookings, circuits and plan: part_record_clear. */
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
    bool provisioned; /* they may be used now */
    packed_t opening; /* at a site with a back end: packed OpeningRecord; empty = none */
    bool plan_set;
    plan_t plan;
    bool done;
    bool pending_set;
    txid_t pending;
    command_state_t pending_state;
    operation_t pending_operation;
} part_record_t;

void part_record_clear (part_record_t *self);

/*  Released or failed? */
bool part_record_over (const part_record_t *self);

/*  When the last of what it books ends; 0 when it books nothing. */
int64_t part_record_end (const part_record_t *self);

/*  Participant.Show. *known is false when the participant does not know the reservation. */
packed_t part_show_encode (const char *reservation);
bool part_show_decode (bytes_t body, part_record_t *record, bool *known, char why [WHY_BYTES]);

/*  Participant.List: a page of them, perhaps empty though there is more: after next. The caller
 *  frees each and the list. */
packed_t part_list_encode (const char *owner, int64_t from_ms, int64_t until_ms, const char *after,
                           uint32_t most);
bool part_list_decode (bytes_t body, part_record_t **records, size_t *count, bool *more,
                       char next [NAME_BYTES_MAX + 1], char why [WHY_BYTES]);

/*  Same numbers as proto ShowStatus. */
typedef enum {
    SHOW_UNKNOWN,
    SHOW_COMMITTING,
    SHOW_COMMITTED,
    SHOW_PENDING,
    SHOW_RELEASED,
    SHOW_FAILED,
    SHOW_RELEASING
} show_status_t;

/*  A reservation as the federation knows it, from the records of those who answered. Borrows the
 *  records and names; owns the lists: view_clear. */
typedef struct {
    const char *reservation;
    const char *owner; /* "" for whom may not see */
    show_status_t status;
    record_state_t state;
    uint32_t version;
    int64_t start_ms;
    int64_t end_ms;
    placement_t *compute;
    size_t compute_count;
    connection_t *network;
    size_t network_count;
    char name [NAME_BYTES_MAX + 1]; /* of the request */
    const char **silent;
    size_t silent_count;
    const part_record_t **parts; /* told to those who may see */
    size_t parts_count;
    const part_record_t **openings; /* of those with an opening to tell */
    size_t openings_count;
} view_t;

void view_clear (view_t *self);

/*  Planner.Show's answer; view NULL: nobody who answered knows it. */
packed_t show_answer_encode (const view_t *view, const char *const *silent, size_t silent_count);

/*  Planner.List. */
typedef struct {
    char owner [NAME_BYTES_MAX + 1];
    int64_t from_ms;
    int64_t until_ms;
    char after [NAME_BYTES_MAX + 1];
    uint32_t most;
} list_question_t;
bool list_question_decode (bytes_t body, list_question_t *question, char why [WHY_BYTES]);
packed_t list_answer_encode (const view_t *views, size_t views_count, const char *const *silent,
                             size_t silent_count, bool more);

/*  --- the coordinator's log --- */

/*  Same numbers as proto DecisionPhase. */
typedef enum {
    DECISION_DECIDED,
    DECISION_REPAIRING,
    DECISION_SETTLED,
    DECISION_REPAIRED,
    DECISION_PHASES, /* in records; what follows is never in one */
    DECISION_INITIAL = DECISION_PHASES,
    DECISION_VOTING,
    DECISION_ABORTED,
    DECISION_STATES
} decision_phase_t;

/*  What a reservation was before it was changed. Owns its parts and request: before_clear. */
typedef struct {
    part_record_t *parts; /* of those who booked something, without their plans */
    size_t parts_count;   /* 0 = not known */
    uint8_t *request;
    size_t request_size;
} before_t;

void before_copy (before_t *to, const before_t *from);
void before_clear (before_t *self);

/*  Owns plan and before: decision_record_clear. */
typedef struct {
    decision_phase_t phase;
    plan_t plan; /* empty when settled or repaired */
    int64_t end_ms;
    bool spoilt [PARTICIPANTS_MAX];
    char text [SENTENCE_BYTES];
    uint32_t epoch;        /* of our fence, when the plan is another planner's; 0 = our own */
    before_t before;       /* of a modify */
    uint32_t repair_tries; /* repairing: plans looked for in its place so far */
} decision_record_t;

void decision_record_clear (decision_record_t *self);
packed_t decision_encode (const decision_record_t *self);
bool decision_decode (decision_record_t *self, bytes_t value, char why [WHY_BYTES]);

#endif
