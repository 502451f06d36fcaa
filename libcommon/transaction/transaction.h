/*  transaction - the plain values of proto/transaction.md: transaction ids, plans, commands,
 *  refusals; and their passage to and from proto/transaction.proto (transaction_wire.c alone sees
 *  the generated code).
 */
#ifndef MUSUBI_TRANSACTION_H
#define MUSUBI_TRANSACTION_H

#include "codec.h"

#define FILE_NAME_BYTES_MAX 255 /* without the NUL */
#define FILE_DIGEST_BYTES   32  /* SHA-256 */

/*  The bytes of a file, whatever its name. */
typedef struct {
    uint64_t size;
    bool digest_known;
    uint8_t digest [FILE_DIGEST_BYTES];
} content_t;

/*  Is it printable UTF-8, with no part between slashes that is empty, "." or ".."? False with why.
 */
bool file_name_check (const char *name, char why [WHY_BYTES]);

#define PARTICIPANTS_MAX       66 /* 65 sites, domains, stores and the request home */
#define PLAN_REQUEST_BYTES_MAX 65536
#define REPLACES_MAX           64
#define DIGEST_BYTES           32
#define CLAIM_ANSWER_BYTES_MAX 65536
#define DONE_TXIDS_MAX         4096 /* in one DONE */
#define TXID_BYTES             28   /* store, start, counter, big-endian: sorts as it counts */
#define TXID_TEXT_BYTES        44   /* "3fa9c2d1-7-42" and the NUL */

typedef struct {
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint64_t counter;
} txid_t;

/*  A key that sorts as it counts, for tables. */
void txid_pack (const txid_t *self, uint8_t key [TXID_BYTES]);
bool txid_unpack (txid_t *self, bytes_t key);
int txid_compare (const txid_t *a, const txid_t *b);

/*  First four bytes of the store in hex, start, counter: for logs and people. */
const char *txid_text (const txid_t *self, char text [TXID_TEXT_BYTES]);

/*  The name of the planner whose store made it (T1, T8): "planner/" and the store's id in hex. */
const char *txid_planner (const txid_t *self, char name [NAME_BYTES_MAX + 1]);

typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "lis/ams"; must be the first member */
    uint8_t store [STORE_ID_BYTES];
    char endpoint [256]; /* last known; an address, never evidence */
} participant_ref_t;

typedef enum { OPERATION_RESERVE, OPERATION_MODIFY, OPERATION_RELEASE } operation_t;

/*  One immutable plan (T1). Owns its lists and request: codec_clear. */
typedef struct {
    txid_t txid;
    operation_t operation;
    char reservation [NAME_BYTES_MAX + 1];
    uint32_t base_version;
    participant_ref_t *participants;
    size_t participants_count;
    participant_ref_t *awaited; /* of a release: silent ones that may have a part, without vote */
    size_t awaited_count;
    participant_ref_t coordinator;
    int64_t decide_by_ms; /* wall */
    int64_t edge_ms;      /* wall */
    int64_t end_ms;       /* wall: of the whole plan's last window, old or new; 0 = not told */
    char actor [NAME_BYTES_MAX + 1];
    char owner [NAME_BYTES_MAX +
                1]; /* of the reservation; a plan that was decoded without one gets its actor */
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    char home [NAME_BYTES_MAX + 1];
    uint8_t *request;
    size_t request_size;
    txid_t repairs; /* a commit (T10), or the release that this is the rest of; start 0 = none */
} plan_t;

/*  The one of that name; NULL when there is none. */
const participant_ref_t *parties_find (const participant_ref_t *parties, size_t count,
                                       const char *name);

/*  The participant of that name that votes on it, or is awaited; NULL when there is none. */
const participant_ref_t *plan_party (const plan_t *self, const char *name);

/*  A command at its participant (the states of proto CommandState, same numbers). */
typedef enum {
    COMMAND_UNKNOWN = 0,
    COMMAND_HELD,
    COMMAND_PREPARED,
    COMMAND_COMMITTED,
    COMMAND_ABORTED,
    COMMAND_EXPIRED,
    COMMAND_REJECTED,
    COMMAND_EDGE,
    COMMAND_EDGE_REFUSED,
    COMMAND_STATES
} command_state_t;

const char *command_state_word (command_state_t state);

/*  Same numbers as proto RefusalReason. */
typedef enum {
    REFUSAL_NONE = 0,
    REFUSAL_SHORT,
    REFUSAL_TOO_NEAR,
    REFUSAL_OUTSIDE,
    REFUSAL_UNKNOWN_RESOURCE,
    REFUSAL_LIMIT,
    REFUSAL_MAY_NOT,
    REFUSAL_BUSY_CHANGE,
    REFUSAL_STALE_VERSION,
    REFUSAL_LATE,
    REFUSAL_ENDED,
    REFUSAL_CONFLICT,
    REFUSAL_CLAIM_BUSY,
    REFUSAL_CLAIM_ANSWERED,
    REFUSAL_STORE_FULL,
    REFUSAL_NO_RESERVATION,
    REFUSAL_FENCED,
    REFUSAL_REASONS
} refusal_reason_t;

const char *refusal_reason_word (refusal_reason_t reason);

typedef struct {
    int64_t from_ms;
    int64_t free;
} profile_step_t;

/*  Free quantity of one resource over [steps [0].from_ms, until_ms). */
typedef struct {
    char resource [NAME_BYTES_MAX + 1];
    profile_step_t *steps;
    size_t steps_count;
    int64_t until_ms;
} profile_t;

/*  Why something was refused (T3). Owns its pointers: codec_clear. */
typedef struct {
    refusal_reason_t reason;
    char resource [2 * NAME_BYTES_MAX + 2];
    char need [NAME_BYTES_MAX + 1];
    int64_t from_ms;
    int64_t until_ms;
    int64_t wanted;
    int64_t free;
    int64_t frees_ms;
    profile_t *fresh;
    size_t fresh_count;
    bool blocker_set;
    txid_t blocker;
    plan_t *holder;
    uint8_t *answer;
    size_t answer_size;
    bool done;
    char text [256];
} refusal_t;

/*  The answer to every command verb. Owns its refusal: codec_clear. */
typedef struct {
    txid_t txid;
    command_state_t state;
    refusal_t refusal; /* reason REFUSAL_NONE when the verb was not refused */
    uint32_t ttl_ms;
    bool late;
    uint32_t epoch; /* that it was fenced with; 0 = never (T8) */
} command_answer_t;

/*  HOLD as it travels. part is the packed oneof message: ComputePart, ClaimPart, … */
typedef enum {
    PART_NONE = 0,
    PART_COMPUTE = 2,
    PART_CLAIM = 3,
    PART_NETWORK = 7,
    PART_SPACE = 8
} part_kind_t; /* proto field numbers */

typedef struct {
    plan_t plan;
    part_kind_t part_kind;
    uint8_t *part;
    size_t part_size;
    txid_t replaces [REPLACES_MAX];
    size_t replaces_count;
    uint32_t ttl_ms;
    bool prepare;
} hold_t;

/*  A booking inside a ComputePart. */
typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t cpus;
    uint32_t nodes;
    int64_t from_ms;
    int64_t until_ms;
} compute_booking_t;

/*  Bandwidth on consecutive links of one domain, inside a NetworkPart. Owns links: circuits_free.
 */
typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char (*links) [NAME_BYTES_MAX + 1];
    size_t links_count; /* 1 to CIRCUIT_LINKS_MAX, each once */
    uint32_t mbps;
    int64_t from_ms;
    int64_t until_ms;
    uint32_t hop; /* links of the need's path before the first of these */
} circuit_t;

#define CIRCUIT_LINKS_MAX 64
#define CIRCUITS_MAX      256  /* of one reservation at one participant */
#define PART_LINKS_MAX    8192 /* of all its circuits: with its plan it fits into one message */
void circuits_free (circuit_t *circuits, size_t count);

#define BOOKINGS_MAX 256 /* of one reservation at one participant */

typedef struct {
    compute_booking_t *bookings;
    size_t bookings_count;
} compute_part_t;

typedef struct {
    circuit_t *circuits;
    size_t circuits_count;
} network_part_t;

/*  Bytes of one storage node inside a SpacePart: room for a file that is to be there, or room
 *  alone. */
typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1]; /* storage node of the site */
    uint64_t bytes;  /* at most SPACE_BYTES_MAX; 0 = the node has the file for good */
    int64_t from_ms; /* with a file: when its bytes begin to come */
    int64_t until_ms;
    char file [FILE_NAME_BYTES_MAX + 1]; /* "" = room alone, and the rest is not set */
    uint8_t digest [DIGEST_BYTES];
    int64_t due_ms; /* with a file: in (from_ms, until_ms], or from_ms when it is there already */
    uint32_t mbps;  /* its circuit; 0 = none */
    char source [NAME_BYTES_MAX + 1]; /* site; "" = the node has it, or gets it inside the site */
} space_booking_t;

#define SPACE_BYTES_MAX (1ULL << 50)
#define SPACE_UNIT      (1U << 20) /* bytes of a MiB, in which storage is counted and told */

/*  Whole MiB that a booking of so many bytes takes, at least one. bytes <= SPACE_BYTES_MAX. */
uint32_t space_mib (uint64_t bytes);

typedef struct {
    space_booking_t *bookings;
    size_t bookings_count; /* at most BOOKINGS_MAX */
} space_part_t;

typedef struct {
    uint8_t digest [DIGEST_BYTES]; /* of the client's request */
    packed_t answer;
} claim_part_t;

/*  A decoded part. Owns what it points to: part_clear. */
typedef struct {
    part_kind_t kind;
    union {
        compute_part_t compute;
        network_part_t network;
        space_part_t space;
        claim_part_t claim;
    };
} part_body_t;

typedef enum { OUTCOME_LOST, OUTCOME_PENDING, OUTCOME_COMMITTED, OUTCOME_ABORTED } outcome_t;

/*  --- messages around a txid --- */

/*  Commit and Abort; epoch 0 = the coordinator's own (T8). Outcome, without the epoch. */
typedef struct {
    txid_t txid;
    uint32_t epoch;
} decision_request_t;

typedef struct {
    txid_t txid;
    uint32_t ttl_ms;
} renew_request_t;

typedef struct {
    txid_t txid;
    packed_t claim; /* packed ClaimPart, at a home only; not set: the claim of the hold stays */
    bool claim_set;
} prepare_request_t;

typedef struct {
    txid_t txid;
    int64_t decide_by_ms;
} resolve_request_t;

typedef struct {
    txid_t txid;
    uint32_t epoch;
    int64_t decide_by_ms;
} fence_request_t;

typedef struct {
    txid_t *txids;
    size_t count; /* at most DONE_TXIDS_MAX */
} done_request_t;

typedef struct {
    txid_t txid;
    uint32_t epoch;
    packed_t answer; /* packed Answer */
} amend_request_t;

typedef struct {
    txid_t txid;
    outcome_t outcome;
    bool done;
} outcome_answer_t;

/*  --- passage; transaction_wire.c, answer_wire.c --- */

extern const codec_t txid_codec;
extern const codec_t participant_ref_codec;
extern const codec_t plan_codec;
extern const codec_t compute_booking_codec;
extern const codec_t compute_part_codec;
extern const codec_t circuit_codec;
extern const codec_t network_part_codec;
extern const codec_t space_booking_codec;
extern const codec_t space_part_codec;
extern const codec_t claim_part_codec;
extern const codec_t hold_codec;

/*  As hold_codec encodes it, with a plan that is packed already. The caller frees data. */
packed_t hold_with_plan (const hold_t *hold, const packed_t *plan);

extern const codec_t profile_codec;
extern const codec_t refusal_codec;
extern const codec_t command_answer_codec;
extern const codec_t decision_request_codec;
extern const codec_t renew_request_codec;
extern const codec_t prepare_request_codec;
extern const codec_t resolve_request_codec;
extern const codec_t fence_request_codec;
extern const codec_t done_request_codec;
extern const codec_t amend_request_codec;
extern const codec_t outcome_answer_codec;

/*  Encoders return malloc'ed bytes that the caller frees. Decoders: see codec_decode. */
packed_t compute_part_encode (const compute_booking_t *bookings, size_t count);
bool compute_part_decode (bytes_t part, compute_booking_t **bookings, size_t *count,
                          char why [WHY_BYTES]);
packed_t network_part_encode (const circuit_t *circuits, size_t count);
bool network_part_decode (bytes_t part, circuit_t **circuits, size_t *count, char why [WHY_BYTES]);
packed_t claim_part_encode (const uint8_t digest [DIGEST_BYTES], bytes_t answer);
bool part_decode (part_body_t *self, part_kind_t kind, bytes_t part, char why [WHY_BYTES]);
void part_clear (part_body_t *self);

#endif
