/*  record - a reservation as its participants have it on record, and the coordinator's log record.
 *  Plain values; their tables are in record_wire.c and decision_wire.c.
 */
#ifndef MUSUBI_RECORD_H
#define MUSUBI_RECORD_H

#include "answer.h"
#include "part_record.h"

/*  Same numbers as proto ShowStatus. */
typedef enum {
    SHOW_UNKNOWN,
    SHOW_COMMITTING,
    SHOW_COMMITTED,
    SHOW_PENDING,
    SHOW_RELEASED,
    SHOW_FAILED,
    SHOW_RELEASING,
    SHOW_ENDED
} show_status_t;

/*  How far it is on the nodes of a site that has a back end. */
typedef struct {
    const char *site;
    packed_t opening;
} site_opening_t;

/*  How far the circuits in use are at a domain. */
typedef struct {
    const char *domain;
    unsigned state; /* same numbers as proto CircuitState */
    const char *trouble;
    uint32_t wait_us; /* in a queue of them, at most */
} domain_circuits_t;

/*  How far the files are at a site. */
typedef struct {
    const char *site;
    staged_file_t *files;
    size_t files_count;
} site_staging_t;

/*  A reservation, from the records of the participants that answered. Borrows the records and
 *  names; owns the lists: view_clear. */
typedef struct {
    const char *reservation;
    const char *owner; /* "" when hidden */
    bool hidden;       /* the asker may not see the details */
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
    part_record_t *parts; /* without their openings and requests */
    size_t parts_count;
    site_opening_t *openings;
    size_t openings_count;
    room_t *data;
    size_t data_count;
    site_staging_t *staging;
    size_t staging_count;
    domain_circuits_t *circuits;
    size_t circuits_count;
    const char **lacking; /* participants that have less than they have promised */
    size_t lacking_count;
    part_record_t *shown; /* the records that all this points into */
} view_t;

void view_clear (view_t *self);

/*  Planner.Show's answer; view NULL: nobody who answered knows it. Cut to what a message carries.
 */
packed_t show_answer_encode (const view_t *view, const char **silent, size_t silent_count);

/*  Planner.List. */
typedef struct {
    view_t *views;
    size_t views_count;
    const char **silent;
    size_t silent_count;
    bool more;
} views_page_t;
extern const codec_t views_page_codec;

/*  --- the coordinator's log --- */

/*  Same numbers as proto DecisionPhase. */
typedef enum {
    DECISION_DECIDED,
    DECISION_REPAIRING,
    DECISION_SETTLED,
    DECISION_REPAIRED,
    DECISION_PHASES, /* of records; those below are never stored */
    DECISION_INITIAL = DECISION_PHASES,
    DECISION_VOTING,
    DECISION_ABORTED,
    DECISION_STATES
} decision_phase_t;

/*  A reservation before a change. Owns its parts and request. */
typedef struct {
    part_record_t *parts; /* that booked something; without their plans */
    size_t parts_count;   /* 0 = not known */
    uint8_t *request;
    size_t request_size;
} before_t;

extern const codec_t before_codec;

/*  Owns plan, before and made. */
typedef struct {
    decision_phase_t phase;
    plan_t plan; /* without participants = none: when settled or repaired */
    int64_t end_ms;
    bool lost [PARTICIPANTS_MAX];
    char text [SENTENCE_BYTES];
    uint32_t epoch;        /* of our fence, when the plan is another planner's; 0 = our own plan */
    before_t before;       /* of a modify; without parts = none */
    uint32_t repair_tries; /* repairing: how many plans were looked for so far */
    participant_ref_t
      *made; /* repairing: who takes part in the last plan that its repair decided */
    size_t made_count;
} decision_record_t;

extern const codec_t decision_codec;

/*  As it is stored: without plan and before when settled or repaired. */
packed_t decision_encode (const decision_record_t *self);

#endif
