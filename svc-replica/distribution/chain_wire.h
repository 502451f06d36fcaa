/*  chain_wire - proto/chain.proto as plain values: what storage nodes and their site say to each
 *  other, and what each of them keeps. chain_wire.c alone sees the generated code.
 */
#ifndef MUSUBI_CHAIN_WIRE_H
#define MUSUBI_CHAIN_WIRE_H

#include "chain.h"
#include "codec.h"

#define FEEDERS_MAX      16
#define STORED_FILES_MAX 256  /* in one question */
#define RECEIPTS_MAX     4096 /* in one question */
#define DROPS_MAX        256  /* in one answer */
#define PROVES_MAX       16
#define WANTED_MAX       1024 /* in one answer */

/*  Same numbers as proto ReceiptState. */
typedef enum {
    RECEIPT_OPENING,
    RECEIPT_RECEIVING,
    RECEIPT_CHECKING,
    RECEIPT_VERIFIED,
    RECEIPT_FAILED,
    RECEIPT_FEEDING,
} receipt_state_t;

typedef struct {
    chain_id_t id;
    receipt_state_t state;
    uint64_t epoch;
    uint64_t has;
    uint64_t received;
    uint64_t fed;
    char feeder [FEEDER_NAME_BYTES_MAX + 1];
    char silent [FEEDERS_MAX][FEEDER_NAME_BYTES_MAX + 1];
    size_t silent_count;
    char wrong [FEEDERS_MAX][FEEDER_NAME_BYTES_MAX + 1];
    size_t wrong_count;
    content_t content;
    char why [WHY_BYTES];
    bool wrong_bytes;
    uint32_t attempt;
} receiver_report_t;

typedef struct {
    char name [FEEDER_NAME_BYTES_MAX + 1]; /* must be the first member */
    char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1];
} feeder_t;

typedef struct {
    chain_id_t id;
    uint8_t token [CHAIN_TOKEN_BYTES];
    char file [CHAIN_FILE_BYTES_MAX + 1];
    bool feeds_only;
    bool size_known;
    content_t content;
    uint32_t mbps;
    uint32_t feeds;
    uint64_t epoch;
    uint32_t attempt;
    uint32_t looks;
    feeder_t feeders [FEEDERS_MAX];
    size_t feeders_count;
} wanted_transfer_t;

/*  A node's question. */
typedef struct {
    char node [NAME_BYTES_MAX + 1];
    agent_question_t question;
    char data [CHAIN_ENDPOINT_BYTES_MAX + 1];
    uint64_t bytes_max;
    uint64_t bytes_used;
    bool guest;
    stored_file_t *files;
    size_t files_count;
    receiver_report_t *receipts;
    size_t receipts_count;
    char folder [STORAGE_FOLDER_BYTES_MAX + 1];
    chain_arrival_t *arrivals; /* as reported */
    size_t arrivals_count;
} storage_attend_t;

/*  The site's answer. */
typedef struct {
    uint64_t number;
    uint64_t files_seen;
    wanted_transfer_t *transfers;
    size_t transfers_count;
    char (*drops) [CHAIN_FILE_BYTES_MAX + 1];
    size_t drops_count;
    char (*proves) [CHAIN_FILE_BYTES_MAX + 1];
    size_t proves_count;
    char (*scrubs) [CHAIN_FILE_BYTES_MAX + 1];
    size_t scrubs_count;
    uint32_t scrub_mbps;
    int64_t attend_ms;
    int64_t report_ms;
    char site [NAME_BYTES_MAX + 1];
    chain_arrival_t *arrivals; /* as wanted */
    size_t arrivals_count;
} storage_wanted_t;

extern const codec_t storage_attend_codec;
extern const codec_t storage_wanted_codec;

/*  --- records --- */

typedef struct {
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    bool guest;
    uint64_t bytes_max; /* told last */
} kept_node_t;

extern const codec_t kept_node_codec;
extern const codec_t chain_transfer_codec; /* all but its id, which is its key */
extern const codec_t stored_file_codec;
extern const codec_t damage_codec;

/*  --- as people read it --- */

packed_t storage_nodes_answer_encode (const chain_t *chain);

/*  Is it a name of 1 to CHAIN_FILE_BYTES_MAX bytes of printable UTF-8? Blanks are allowed. */
bool chain_file_name_right (const char *file, char why [WHY_BYTES]);

#endif
