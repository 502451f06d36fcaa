/*  replica_wire - proto/replica.proto as plain values. replica_wire.c alone sees the generated
 *  code.
 */
#ifndef MUSUBI_REPLICA_WIRE_H
#define MUSUBI_REPLICA_WIRE_H

#include "cache.h"
#include "catalogue.h"
#include "codec.h"
#include "file_place.h"

#define PLACES_MAX       512  /* of one file */
#define PUBLISHED_MAX    2048 /* files in one page for an index, or of one */
#define FILES_PAGE_MAX   1000
#define LIFETIME_MS_MAX  INT64_C (3153600000000) /* a hundred years */
#define REPLICA_LEASE_MS 30000                   /* after this silence an index forgets a site */

extern const codec_t file_codec; /* the catalogue's record */

/*  --- from users --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    uint64_t size;
    uint8_t digest [FILE_DIGEST_BYTES];
    char guest [NAME_BYTES_MAX + 1]; /* "" = none */
    int64_t lifetime_ms;
    bool keep;
} begin_question_t;
extern const codec_t put_question_codec;
extern const codec_t get_question_codec;

typedef struct {
    uint64_t transfer;
    content_t content;
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

/*  Of a file from a site ("" = none); transfer: the chain that brings it, NULL = none yet. */
packed_t transfer_answer_encode (transfer_state_t state, const file_t *file, const char *source,
                                 const chain_transfer_t *transfer, const char *why);

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

/*  --- where a file is --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
} file_locate_t;
extern const codec_t locate_codec;

typedef struct {
    file_place_t *places;
    size_t count;
} places_told_t;
extern const codec_t places_told_codec;

/*  --- between sites --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    uint8_t digest [FILE_DIGEST_BYTES];
    chain_id_t transfer;
    uint8_t token [CHAIN_TOKEN_BYTES];
    uint32_t mbps; /* 0 = no limit */
} offer_question_t;
extern const codec_t offer_question_codec;

typedef struct {
    char node [NAME_BYTES_MAX + 1];
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

/*  A page of names, each with its places. */
typedef struct {
    const char *name;
    file_place_t *places;
    size_t places_count;
} named_places_t;
typedef struct {
    named_places_t *files;
    size_t count;
    bool more;
} names_told_t;
extern const codec_t names_told_codec;

#endif
