/*  replica_wire - protobuf <-> plain values (proto/replica.proto). Decoders check all that they
 *  hand out, and fill why when they refuse; what they allocate is named at each. Packed bytes are
 *  the caller's.
 */
#ifndef MUSUBI_REPLICA_WIRE_H
#define MUSUBI_REPLICA_WIRE_H

#include "catalogue.h"
#include "chain.h"
#include "file_place.h"

#define PLACES_MAX       512  /* of one file */
#define PUBLISHED_MAX    2048 /* files in one page of news, of names */
#define FILES_PAGE_MAX   1000
#define LIFETIME_MS_MAX  INT64_C (3153600000000) /* a hundred years */
#define REPLICA_LEASE_MS 30000                   /* of what a site has told an index */

/*  --- the catalogue's records --- */

packed_t file_record_encode (const file_t *file);
/*  file->copies is the caller's to free. */
bool file_record_decode (file_t *file, bytes_t value, char why [WHY_BYTES]);

/*  --- from users --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    uint64_t size;
    uint8_t digest [FILE_DIGEST_BYTES];
    char guest [NAME_BYTES_MAX + 1]; /* "" = none */
    int64_t lifetime_ms;
    bool keep;
} begin_question_t;
bool put_question_decode (begin_question_t *to, bytes_t body, char why [WHY_BYTES]);
bool get_question_decode (begin_question_t *to, bytes_t body, char why [WHY_BYTES]);
packed_t get_question_encode (const begin_question_t *question);
/*  digest NULL = not known. */
packed_t begin_answer_encode (uint64_t transfer, uint64_t size, const uint8_t *digest);

typedef enum {
    TRANSFER_WAITING,
    TRANSFER_RUNNING,
    TRANSFER_DONE,
    TRANSFER_FAILED
} transfer_state_t;

typedef struct {
    transfer_state_t state;
    const char *name;
    uint64_t size;
    const char *source;
    const chain_receiver_t *hops;
    size_t hops_count;
    const char *why;
} transfer_told_t;
bool transfer_question_decode (uint64_t *transfer, char guest [NAME_BYTES_MAX + 1], bytes_t body,
                               char why [WHY_BYTES]);
packed_t transfer_answer_encode (const transfer_told_t *told);

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1]; /* "" = all */
    char after [FILE_NAME_BYTES_MAX + 1];
    size_t most; /* at least one */
} files_question_t;
bool files_question_decode (files_question_t *to, bytes_t body, char why [WHY_BYTES]);
packed_t files_answer_encode (const file_t *const *files, size_t count, bool more,
                              const chain_node_t *nodes, size_t nodes_count);

/*  What is said of a file by its owner. */
typedef enum { SAID_PIN, SAID_LIFETIME, SAID_RULE, SAID_EVICT } said_kind_t;
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    bool yes; /* pinned; also what was put here is evicted */
    int64_t lifetime_ms;
    replica_rule_t rule;
} said_t;
bool said_decode (said_t *to, said_kind_t kind, bytes_t body, char why [WHY_BYTES]);
packed_t evict_answer_encode (uint32_t copies, uint32_t left);

/*  --- where a file is --- */

packed_t locate_encode (const char *name);
bool locate_decode (char name [FILE_NAME_BYTES_MAX + 1], bytes_t body, char why [WHY_BYTES]);
packed_t located_encode (const file_place_t *places, size_t count, const char *const *silent,
                         size_t silent_count);
/*  *places is the caller's to free. */
bool located_decode (file_place_t **places, size_t *count, bytes_t body, char why [WHY_BYTES]);

/*  --- between sites --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    uint8_t digest [FILE_DIGEST_BYTES];
    chain_id_t transfer;
    uint8_t token [CHAIN_TOKEN_BYTES];
    uint32_t mbps; /* 0 = no limit */
} offer_question_t;
packed_t offer_question_encode (const offer_question_t *offer);
bool offer_question_decode (offer_question_t *to, bytes_t body, char why [WHY_BYTES]);

typedef struct {
    char node [NAME_BYTES_MAX + 1];
    char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1];
    uint32_t sending;
} offer_answer_t;
packed_t offer_answer_encode (const offer_answer_t *offer);
bool offer_answer_decode (offer_answer_t *to, bytes_t body, char why [WHY_BYTES]);

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    chain_id_t transfer;
    bool wrong;
} offer_end_t;
packed_t offer_end_encode (const offer_end_t *end);
bool offer_end_decode (offer_end_t *to, bytes_t body, char why [WHY_BYTES]);
packed_t offer_end_answer_encode (void);

/*  --- to indexes --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    bool gone;
    file_place_t place; /* site is the teller's */
} news_t;

typedef struct {
    char site [NAME_BYTES_MAX + 1];
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint64_t after;
    uint64_t number;
    uint32_t lease_ms;
    news_t *news;
    size_t count;
} publish_t;
packed_t publish_encode (const publish_t *publish);
/*  Ended by publish_clear. */
bool publish_decode (publish_t *to, bytes_t body, char why [WHY_BYTES]);
void publish_clear (publish_t *self);
packed_t publish_answer_encode (uint64_t number);
bool publish_answer_decode (uint64_t *number, bytes_t body, char why [WHY_BYTES]);

packed_t stale_encode (const char *name, const char *site);
bool stale_decode (char name [FILE_NAME_BYTES_MAX + 1], char site [NAME_BYTES_MAX + 1],
                   bytes_t body, char why [WHY_BYTES]);
packed_t stale_answer_encode (void);

/*  A page of names, each with its places; places of all names lie one after the other. */
typedef struct {
    const char *name;
    size_t places_count;
} named_places_t;
packed_t names_answer_encode (const named_places_t *files, size_t count, const file_place_t *places,
                              bool more);

#endif
