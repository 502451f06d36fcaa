/*  chain_wire - protobuf <-> plain values: what storage nodes and their site say to each other, and
 *  what each of them keeps (proto/chain.proto).
 *
 *  Encoders return malloc'ed bytes that the caller frees. Decoders check lengths, characters, enums
 *  and ranges; what they fill is freed by the clear of its kind.
 */
#ifndef MUSUBI_CHAIN_WIRE_H
#define MUSUBI_CHAIN_WIRE_H

#include "chain.h"

#define FEEDER_NAME_BYTES_MAX 127
#define FEEDERS_MAX           16
#define STORED_FILES_MAX      256  /* in one question */
#define RECEIPTS_MAX          4096 /* in one question */
#define DROPS_MAX             256  /* in one answer */
#define PROVES_MAX            16
#define WANTED_MAX            1024 /* in one answer */

typedef struct {
    uint64_t number;
    char file [CHAIN_FILE_BYTES_MAX + 1];
    uint64_t size;
    bool digest_known;
    uint8_t digest [CHAIN_DIGEST_BYTES];
    int64_t proved_ms;
    int64_t used_ms;
    bool gone;
} stored_file_t;

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
    bool digest_known;
    uint8_t digest [CHAIN_DIGEST_BYTES];
    uint64_t size;
    char why [CHAIN_WHY_BYTES_MAX + 1];
    bool wrong_bytes;
    uint32_t attempt;
} receipt_t;

typedef struct {
    char name [FEEDER_NAME_BYTES_MAX + 1];
    char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1];
} feeder_t;

typedef struct {
    chain_id_t id;
    uint8_t token [CHAIN_TOKEN_BYTES];
    char file [CHAIN_FILE_BYTES_MAX + 1];
    bool feeds_only;
    bool size_known;
    uint64_t size;
    bool digest_known;
    uint8_t digest [CHAIN_DIGEST_BYTES];
    uint32_t mbps;
    uint32_t feeds;
    uint64_t epoch;
    uint32_t attempt;
    uint32_t looks;
    feeder_t feeders [FEEDERS_MAX];
    size_t feeders_count;
} wanted_transfer_t;

/*  A node's question. A decoded one owns files and receipts. */
typedef struct {
    char node [NAME_BYTES_MAX + 1];
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint64_t number;
    uint64_t seen;
    char data [CHAIN_ENDPOINT_BYTES_MAX + 1];
    uint64_t bytes_max;
    uint64_t bytes_used;
    bool guest;
    stored_file_t *files;
    size_t files_count;
    receipt_t *receipts;
    size_t receipts_count;
} storage_attend_t;

packed_t storage_attend_encode (const storage_attend_t *attend);
bool storage_attend_decode (storage_attend_t *attend, bytes_t body, char why [WHY_BYTES]);
void storage_attend_clear (storage_attend_t *self);

/*  The site's answer. A decoded one owns all that it points to. */
typedef struct {
    uint64_t number;
    uint64_t files_seen;
    wanted_transfer_t *transfers;
    size_t transfers_count;
    char (*drops) [CHAIN_FILE_BYTES_MAX + 1];
    size_t drops_count;
    char (*proves) [CHAIN_FILE_BYTES_MAX + 1];
    size_t proves_count;
    int64_t attend_ms;
    int64_t report_ms;
    char site [NAME_BYTES_MAX + 1];
} storage_wanted_t;

packed_t storage_wanted_encode (const storage_wanted_t *wanted);
bool storage_wanted_decode (storage_wanted_t *wanted, bytes_t body, char why [WHY_BYTES]);
void storage_wanted_clear (storage_wanted_t *self);

/*  --- records --- */

typedef struct {
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    bool guest;
} kept_node_t;

packed_t kept_node_encode (const kept_node_t *node);
bool kept_node_decode (kept_node_t *node, bytes_t value, char why [WHY_BYTES]);

typedef struct {
    char node [NAME_BYTES_MAX + 1]; /* "" = elsewhere */
    char name [FEEDER_NAME_BYTES_MAX + 1];
    char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1];
    bool failed; /* does not answer: asked last */
    bool wrong;  /* has other bytes, or none: not asked any more */
    char why [CHAIN_WHY_BYTES_MAX + 1];
} kept_source_t;

typedef struct {
    char node [NAME_BYTES_MAX + 1];
    receiver_state_t state;
    uint32_t attempt;
    uint32_t looks;
    char why [CHAIN_WHY_BYTES_MAX + 1];
} kept_receiver_t;

/*  A decoded one owns receivers. */
typedef struct {
    uint8_t token [CHAIN_TOKEN_BYTES];
    char file [CHAIN_FILE_BYTES_MAX + 1];
    bool size_known;
    uint64_t size;
    bool digest_known;
    uint8_t digest [CHAIN_DIGEST_BYTES];
    kept_source_t sources [CHAIN_SOURCES_MAX];
    size_t sources_count;
    kept_receiver_t *receivers;
    size_t receivers_count;
    uint32_t mbps;
    uint32_t feeds;
    uint64_t epoch;
    uint64_t owner;
    bool loan;
    bool over;
    char why [CHAIN_WHY_BYTES_MAX + 1];
    int64_t until_ms;
} kept_transfer_t;

packed_t kept_transfer_encode (const kept_transfer_t *transfer);
bool kept_transfer_decode (kept_transfer_t *transfer, bytes_t value, char why [WHY_BYTES]);

/*  part NULL = the file is under its name; else its transfer. */
packed_t kept_file_encode (const stored_file_t *file, const chain_id_t *part);
bool kept_file_decode (stored_file_t *file, bool *has_part, chain_id_t *part, bytes_t value,
                       char why [WHY_BYTES]);

/*  A logical name: 1 to CHAIN_FILE_BYTES_MAX bytes of UTF-8 that print, blanks allowed. */
bool chain_file_name_right (const char *file, char why [WHY_BYTES]);

#endif
