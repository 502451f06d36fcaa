/*  sim_wire - what the simulation says and reads in protobuf: the users' requests, the auditor's
 *  questions, and a line of text for each message of a trace.
 *
 *  Written apart from the services' own _wire files on purpose: a check that reads with the reader
 *  under test shares its mistakes.
 */
#ifndef MUSUBI_SIM_WIRE_H
#define MUSUBI_SIM_WIRE_H

#include "sim_message.h"
#include "transaction.h"

#define SIM_TEXT_BYTES   1024
#define SIM_NEEDS_MAX    4
#define SIM_PARTIES_MAX  12
#define SIM_BOOKINGS_MAX 16

/*  What a message says, on one line. */
void sim_wire_text (const sim_message_t *message, char text [SIM_TEXT_BYTES]);

/*  --- what users say; the bytes are the caller's: free (data) --- */

typedef struct {
    char id [NAME_BYTES_MAX + 1];
    char site [NAME_BYTES_MAX + 1]; /* "" = any */
    uint32_t cpus;
    int64_t offset_ms;
    int64_t duration_ms; /* 0 = the request's */
} sim_need_t;

typedef struct {
    int64_t earliest_ms; /* wall */
    int64_t latest_ms;   /* wall */
    bool fixed;          /* starts at earliest_ms or not at all */
    int64_t duration_ms;
    bool distinct_sites;
    sim_need_t needs [SIM_NEEDS_MAX];
    size_t needs_count;
} sim_wish_t;

packed_t sim_wire_reserve (const sim_wish_t *wish);

/*  cpus 0 and duration 0 = as they are; shift_start_ms 0 = the window stays. */
packed_t sim_wire_modify (const char *reservation, const char *need, uint32_t cpus,
                          int64_t duration_ms, int64_t start_ms);
packed_t sim_wire_release (const char *reservation);
packed_t sim_wire_show (const char *reservation);
packed_t sim_wire_look (const char *actor, const char *request_id);
packed_t sim_wire_commands (const txid_t *after);

/*  A site that takes part in a hold. */
typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "lis/ams" */
    char address [SIM_ADDRESS_BYTES];
    uint8_t store [STORE_ID_BYTES];
} sim_party_t;

/*  A hold without a home, as a planner that tries things out sends it. */
typedef struct {
    txid_t txid;
    char coordinator [NAME_BYTES_MAX + 1];
    char coordinator_address [SIM_ADDRESS_BYTES];
    sim_party_t sites [2];
    size_t sites_count;
    char actor [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t nodes;
    uint32_t cpus;
    int64_t from_ms;
    int64_t until_ms;
    int64_t decide_by_ms;
    uint32_t ttl_ms;
} sim_hold_t;

packed_t sim_wire_hold (const sim_hold_t *hold);

/*  Prepare, Commit, Abort, Renew: a txid, and for Renew the wanted life. */
packed_t sim_wire_txid (const txid_t *txid);
packed_t sim_wire_renew (const txid_t *txid, uint32_t ttl_ms);

/*  What a coordinator says of a txid. */
packed_t sim_wire_outcome (const txid_t *txid, outcome_t outcome);

/*  --- what services say; false when it can't be read --- */

typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char site [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t cpus;
    int64_t from_ms;
    int64_t until_ms;
} sim_placement_t;

/*  Same numbers as AnswerStatus. */
typedef enum {
    ANSWER_UNKNOWN,
    ANSWER_COMMITTED,
    ANSWER_REFUSED,
    ANSWER_PLANNED,
    ANSWER_IN_PROGRESS,
    ANSWER_CONFLICT,
} sim_answer_status_t;

typedef struct {
    sim_answer_status_t status;
    char reservation [NAME_BYTES_MAX + 1];
    uint32_t version;
    int64_t start_ms;
    int64_t end_ms;
    sim_placement_t placements [SIM_BOOKINGS_MAX];
    size_t placements_count;
    char reason [160];                          /* of a refusal */
    char request_id [REQUEST_ID_BYTES_MAX + 1]; /* with its home */
} sim_answer_t;

bool sim_wire_answer (bytes_t body, sim_answer_t *answer);

/*  One command in the records of one participant. */
typedef struct {
    txid_t txid;
    command_state_t state;
    operation_t operation;
    char reservation [NAME_BYTES_MAX + 1];
    uint32_t base_version;
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    char parties [SIM_PARTIES_MAX][NAME_BYTES_MAX + 1];
    size_t parties_count;
    compute_booking_t bookings [SIM_BOOKINGS_MAX];
    size_t bookings_count;
    bool done;
} sim_command_t;

/*  Appends to *list, which is the caller's to free. */
bool sim_wire_commands_read (bytes_t body, sim_command_t **list, size_t *count, txid_t *next,
                             bool *more);

/*  A reservation as one participant lists it. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    char owner [NAME_BYTES_MAX + 1];
    uint32_t version;
    bool pending; /* a change is under way */
    compute_booking_t bookings [SIM_BOOKINGS_MAX];
    size_t bookings_count;
} sim_part_t;

packed_t sim_wire_list (const char *after);

/*  Appends to *list, which is the caller's to free. */
bool sim_wire_list_read (bytes_t body, sim_part_t **list, size_t *count,
                         char next [NAME_BYTES_MAX + 1], bool *more);

/*  Same numbers as ClaimState. */
typedef enum { CLAIM_FREE, CLAIM_HELD, CLAIM_COMMITTED, CLAIM_CLOSED } sim_claim_t;

bool sim_wire_look_read (bytes_t body, sim_claim_t *claim);

/*  The answer to a command verb; *refused is REFUSAL_NONE when it was not refused. */
bool sim_wire_command_answer (bytes_t body, txid_t *txid, command_state_t *state, uint32_t *ttl_ms,
                              refusal_reason_t *refused);

/*  The txid of any message of Participant or Coordinator that names one. */
bool sim_wire_names_txid (const sim_message_t *message, txid_t *txid);

/*  A Hold request's txid, and those it replaces; returns how many. */
size_t sim_wire_replaces (const sim_message_t *hold, txid_t *txid, txid_t replaces [REPLACES_MAX]);

bool sim_wire_outcome_read (bytes_t body, outcome_t *outcome);

/*  A reservation as a planner shows it. Same numbers as ShowStatus. */
typedef enum {
    SHOWN_UNKNOWN,
    SHOWN_COMMITTING,
    SHOWN_COMMITTED,
    SHOWN_PENDING,
    SHOWN_RELEASED,
    SHOWN_FAILED,
} sim_shown_t;

bool sim_wire_show_read (bytes_t body, sim_shown_t *shown, char reservation [NAME_BYTES_MAX + 1],
                         uint32_t *version);

#endif
