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

#define SIM_TEXT_BYTES      1024
#define SIM_NEEDS_MAX       6
#define SIM_CONNECTIONS_MAX 15 /* all pairs of the needs */
#define SIM_PARTIES_MAX     16
#define SIM_BOOKINGS_MAX    32
#define SIM_TOLD_MAX        32 /* connections in one answer, each phase by itself */
#define SIM_CIRCUITS_MAX    64 /* circuits of one reservation in one domain */
#define SIM_HOPS_MAX        16 /* links of one path */
#define SIM_POINT_BYTES     16 /* names of vertices and links: what schedules draw is short */
#define SIM_RESOURCES_MAX   16 /* classes of a site, links of a domain, nodes of a storage */
#define SIM_ROOMS_MAX       3  /* data and space needs of a wish */

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

/*  Bandwidth wished for between two of the needs. */
typedef struct {
    char id [NAME_BYTES_MAX + 1]; /* the name it has when the request gives none */
    bool unnamed;                 /* its ends' ids joined by "-" are its name */
    size_t ends [2];              /* indexes of its two needs */
    uint32_t mbps;
    double latency_ms_max; /* 0 = any */
    int64_t offset_ms;     /* with duration 0: the time both ends share */
    int64_t duration_ms;
    char media [SIM_POINT_BYTES]; /* medium that every link must have; "" = any */
} sim_network_need_t;

/*  Room wished for at the site of one of the needs: for a file, or alone. */
typedef struct {
    char id [NAME_BYTES_MAX + 1];
    size_t at;                   /* index of its need */
    uint32_t mib;                /* of space; of a file as many as it has */
    char file [SIM_POINT_BYTES]; /* "" = room alone */
    uint32_t nodes;              /* of a file: at how many storage nodes */
    uint32_t mbps;               /* of a file: its circuit; 0 = none */
} sim_room_t;

typedef struct {
    int64_t earliest_ms; /* wall */
    int64_t latest_ms;   /* wall */
    bool fixed;          /* starts at earliest_ms or not at all */
    int64_t duration_ms;
    bool distinct_sites;
    sim_need_t needs [SIM_NEEDS_MAX];
    size_t needs_count;
    sim_network_need_t network [SIM_CONNECTIONS_MAX];
    size_t network_count;
    sim_room_t rooms [SIM_ROOMS_MAX];
    size_t rooms_count;
    bool fixed_route;
    char algorithm [8]; /* "" = the planner's own choice; so is the policy */
    char policy [8];
} sim_wish_t;

packed_t sim_wire_reserve (const sim_wish_t *wish);

/*  What a modify changes; 0 = as it is. */
typedef struct {
    char need [NAME_BYTES_MAX + 1];
    uint32_t cpus;
    char connection [NAME_BYTES_MAX + 1];
    uint32_t mbps;
    int64_t duration_ms;
    int64_t start_ms;
} sim_patch_t;

packed_t sim_wire_modify (const char *reservation, const sim_patch_t *patch);
packed_t sim_wire_release (const char *reservation);
packed_t sim_wire_show (const char *reservation);
/*  A directory's answer to an announcement of a name that the directory does not remember. */
packed_t sim_wire_welcome (int64_t wall_ms);
packed_t sim_wire_look (const char *actor, const char *request_id);
packed_t sim_wire_commands (const txid_t *after);

/*  Planner.Settle with a fence; the participant knows the plan. */
packed_t sim_wire_settle (const txid_t *txid, const char *participant);

/*  Calendar.Profile of all resources, Calendar.Capacity, Nis.Provision and Nis.Release. */
packed_t sim_wire_profile (int64_t from_ms, int64_t until_ms);
packed_t sim_wire_capacity (const char *resource, uint32_t quantity);
packed_t sim_wire_use (const char *reservation);

/*  A site or a domain that takes part in a hold, and the resource of which it shall hold one unit.
 */
typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "lis/ams", "nis/N" */
    char address [SIM_ADDRESS_BYTES];
    uint8_t store [STORE_ID_BYTES];
    bool network;                       /* a domain */
    char resource [NAME_BYTES_MAX + 1]; /* class or link */
    uint32_t unit;                      /* of a node: its CPUs; of a link: its Mbit/s */
} sim_party_t;

/*  A hold without a home, as a planner sends it while it searches by trial. */
typedef struct {
    txid_t txid;
    char coordinator [NAME_BYTES_MAX + 1];
    char coordinator_address [SIM_ADDRESS_BYTES];
    sim_party_t parties [2];
    size_t parties_count;
    char actor [NAME_BYTES_MAX + 1];
    int64_t from_ms;
    int64_t until_ms;
    int64_t decide_by_ms;
    uint32_t ttl_ms;
} sim_hold_t;

/*  The hold as it is sent to one of its parties. */
packed_t sim_wire_hold (const sim_hold_t *hold, size_t to);

/*  Prepare, Commit, Abort, Renew: a txid, and for Renew the wanted life. */
packed_t sim_wire_txid (const txid_t *txid);
packed_t sim_wire_renew (const txid_t *txid, uint32_t ttl_ms);

/*  A coordinator's answer about a txid. */
packed_t sim_wire_outcome (const txid_t *txid, outcome_t outcome);

/*  --- what services say; each reader returns false when the message can't be read --- */

typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char site [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t cpus;
    int64_t from_ms;
    int64_t until_ms;
} sim_placement_t;

/*  A path that a user is told. */
typedef struct {
    char need [NAME_BYTES_MAX + 1];
    uint32_t mbps;
    int64_t latency_us;
    int64_t from_ms;
    int64_t until_ms;
    char path [SIM_HOPS_MAX + 1][SIM_POINT_BYTES];
    size_t path_count;
    char links [SIM_HOPS_MAX][2 * SIM_POINT_BYTES]; /* "N/n1-x1" */
    size_t links_count;
} sim_connection_t;

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
    uint32_t rounds; /* of votes, for a plan */
    int64_t start_ms;
    int64_t end_ms;
    sim_placement_t placements [SIM_BOOKINGS_MAX];
    size_t placements_count;
    sim_connection_t connections [SIM_TOLD_MAX];
    size_t connections_count;
    char reason [160];                          /* of a refusal */
    char request_id [REQUEST_ID_BYTES_MAX + 1]; /* the txid's full form, with its home */
} sim_answer_t;

bool sim_wire_answer (bytes_t body, sim_answer_t *answer);

/*  Bandwidth on consecutive links of a domain. */
typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char links [SIM_HOPS_MAX][SIM_POINT_BYTES];
    size_t links_count;
    uint32_t mbps;
    int64_t from_ms;
    int64_t until_ms;
    uint32_t hop; /* links of the path before the first of these */
} sim_circuit_t;

/*  One command in the records of one participant. Elements beyond a count are not set. */
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
    compute_booking_t bookings [SIM_BOOKINGS_MAX]; /* at a storage: MiB of a node as its nodes */
    size_t bookings_count;
    sim_circuit_t circuits [SIM_CIRCUITS_MAX];
    size_t circuits_count;
    bool done;
    uint32_t epoch;
    int64_t held_ms; /* wall time at its participant */
    txid_t repairs;  /* the command that it replaces; start 0 = none (T10) */
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
    bool provisioned;
    bool ended;   /* released, or failed */
    bool lacking; /* there is less than it was promised */
    compute_booking_t bookings [SIM_BOOKINGS_MAX];
    size_t bookings_count;
    sim_circuit_t circuits [SIM_CIRCUITS_MAX];
    size_t circuits_count;
} sim_part_t;

packed_t sim_wire_list (const char *after);

/*  Appends to *list, which is the caller's to free. */
bool sim_wire_list_read (bytes_t body, sim_part_t **list, size_t *count,
                         char next [NAME_BYTES_MAX + 1], bool *more);

/*  Free quantity of one resource: steps [i].free from steps [i].from_ms on. */
typedef struct {
    char resource [NAME_BYTES_MAX + 1];
    profile_step_t *steps;
    size_t steps_count;
} sim_profile_t;

/*  Fills profiles, whose steps are the caller's to free. */
bool sim_wire_profile_read (bytes_t body, sim_profile_t profiles [SIM_RESOURCES_MAX],
                            size_t *count);

bool sim_wire_use_read (bytes_t body, bool *provisioned);

/*  Of a status: how many reservations it counts for which there is too little. */
bool sim_wire_shortage_read (bytes_t body, uint32_t *reservations);

/*  Same numbers as ClaimState. */
typedef enum { CLAIM_FREE, CLAIM_HELD, CLAIM_COMMITTED, CLAIM_CLOSED } sim_claim_t;

bool sim_wire_look_read (bytes_t body, sim_claim_t *claim, bool *done);

/*  The answer to a command verb; *refused is REFUSAL_NONE when it was not refused. */
bool sim_wire_command_answer (bytes_t body, txid_t *txid, command_state_t *state, uint32_t *ttl_ms,
                              refusal_reason_t *refused);

/*  The command that is in the way, when the answer to a command verb names one, and when that
 *  command ends; 0 = not told. */
bool sim_wire_blocker (bytes_t body, txid_t *blocker, int64_t *frees_ms);

/*  The epoch that an answer to Fence tells. */
bool sim_wire_epoch_read (bytes_t body, uint32_t *epoch);

bool sim_wire_settled_read (bytes_t body, outcome_t *outcome);

/*  The txid of any message of Participant or Coordinator that names one. */
bool sim_wire_names_txid (const sim_message_t *message, txid_t *txid);

/*  A Hold request as it leaves: the command it makes, without a state, the edge of its plan, and
 *  the txids it replaces. */
typedef struct {
    sim_command_t command;
    int64_t edge_ms;
    txid_t replaces [REPLACES_MAX];
    size_t replaces_count;
} sim_asked_t;

bool sim_wire_hold_read (const sim_message_t *hold, sim_asked_t *asked);

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
