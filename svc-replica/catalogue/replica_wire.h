/*  replica_wire - proto/replica.proto as plain values. replica_wire.c alone sees the generated
 *  code.
 */
#ifndef MUSUBI_REPLICA_WIRE_H
#define MUSUBI_REPLICA_WIRE_H

#include "cache.h"
#include "catalogue.h"
#include "codec.h"
#include "file_index.h"
#include "scrub.h"

#define PUBLISHED_MAX         2048 /* files in one page for an index, or of one */
#define FILES_PAGE_MAX        1000
#define FILES_PAGE_COPIES_MAX 4096 /* in one page, but for those of its last file */
#define LIFETIME_MS_MAX       INT64_C (3153600000000) /* a hundred years */
#define REPLICA_LEASE_MS      30000 /* after this silence an index forgets a site */

extern const codec_t file_codec; /* the catalogue's record */

/*  --- from users --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    uint64_t size;
    uint8_t digest [FILE_DIGEST_BYTES];
    char guest [NAME_BYTES_MAX + 1]; /* "" = none */
    int64_t lifetime_ms;
    bool keep;
    bool salvage;
    uint32_t nodes; /* Get: of the site that are to have it; NODES_ALL = all; 0 = any one */
} begin_question_t;
extern const codec_t put_question_codec;
extern const codec_t get_question_codec;

typedef struct {
    uint64_t transfer;
    content_t content;
    uint64_t bad [2 * BAD_RANGES_MAX];
    size_t bad_count;
} begin_answer_t;
extern const codec_t begin_answer_codec;

typedef struct {
    uint64_t transfer;
    char guest [NAME_BYTES_MAX + 1]; /* "" = how it stands for the site */
} transfer_question_t;
extern const codec_t transfer_question_codec;

typedef enum {
    TRANSFER_WAITING,
    TRANSFER_RUNNING,
    TRANSFER_DONE,
    TRANSFER_FAILED
} transfer_state_t;

/*  How many nodes of the site have a file, and "n3: has no room for it" of those that do not. */
typedef struct {
    uint32_t have;
    char **lacking;
    size_t lacking_count;
} nodes_told_t;

/*  Of a file from a site ("" = none); transfer: the chain that brings it, NULL = none yet. */
packed_t transfer_answer_encode (const chain_t *chain, transfer_state_t state, const file_t *file,
                                 const char *source, const chain_transfer_t *transfer,
                                 const nodes_told_t *nodes, const char *why);

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1]; /* "" = all */
    char after [FILE_NAME_BYTES_MAX + 1];
    uint32_t most;
} files_question_t;
extern const codec_t files_question_codec;

/*  How many files the answer may have, at least 1. */
uint32_t files_most (const files_question_t *question);

/*  chain: its nodes are listed, too; NULL = no nodes. */
packed_t files_answer_encode (const file_t *const *files, size_t count, bool more,
                              const chain_t *chain);

/*  What its owner wants of a file. */
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    bool yes; /* Pin: pinned; Evict: evict it even if it was put here */
    int64_t lifetime_ms;
    bool rule_set;
    replica_rule_t rule;
} said_t;
extern const codec_t said_pin_codec;
extern const codec_t said_lifetime_codec;
extern const codec_t said_rule_codec;
extern const codec_t said_evict_codec;
extern const codec_t cache_evicted_codec;
extern const codec_t scrub_question_codec;
extern const codec_t scrub_answer_codec;

/*  --- between sites --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    uint8_t digest [FILE_DIGEST_BYTES];
    chain_id_t transfer;
    uint8_t token [CHAIN_TOKEN_BYTES];
    uint32_t mbps;  /* 0 = no limit */
    uint32_t feeds; /* 1 + those of this file that are known to the asker; 0 = whatever it is */
} offer_question_t;
extern const codec_t offer_question_codec;

typedef struct {
    char node [NAME_BYTES_MAX + 1]; /* "" = none: the asker is to look again who feeds the file */
    char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1];
    uint32_t sending;
} offer_answer_t;
extern const codec_t offer_answer_codec;

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    chain_id_t transfer;
    bool wrong;
} offer_end_t;
extern const codec_t offer_end_codec;

/*  --- to indexes --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    bool there;
    file_place_t place; /* its site is the one that tells */
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
extern const codec_t publish_codec;

typedef struct {
    uint64_t number;
} publish_answer_t;
extern const codec_t publish_answer_codec;

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    char site [NAME_BYTES_MAX + 1];
} stale_t;
extern const codec_t stale_codec;

#endif
