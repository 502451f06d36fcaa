/*  directory_wire - the messages between a GIS and those it lists, as plain structs
 *  (proto/gis.proto, service Gis). Both ends use it: directory.c asks, svc-gis answers.
 *  directory_wire.c alone sees the generated code.
 */
#ifndef MUSUBI_DIRECTORY_WIRE_H
#define MUSUBI_DIRECTORY_WIRE_H

#include "directory_entry.h"
#include "ledger.h"
#include "transaction.h"

#include <assert.h>

#define DIRECTORY_HOMES_MAX 64
#define SNAPSHOT_GONE_MAX   4096
#define SNAPSHOT_KINDS_MAX  4

extern const codec_t directory_entry_codec;
extern const codec_t absence_codec;

/*  An announcement, or a heartbeat, which is the same. The entry stays packed: a directory looks
 *  into it only when it differs from the listed one, so that a large domain's heartbeat costs
 *  little. */
typedef struct {
    packed_t entry;
    uint32_t lease_ms;
    int64_t wall_ms;    /* sender's clock */
    ledger_mark_t mark; /* of the entry's store; row 0: none is told */
    bool seen;
    bool homes;       /* are wanted with the answer */
    packed_t summary; /* of what is free; empty = none */
    char name [NAME_BYTES_MAX +
               1]; /* the entry's; set by decoding alone, as are mark's store and start */
} announcement_t;
extern const codec_t announcement_codec;

typedef struct {
    uint32_t lease_ms;
    int64_t wall_ms;
    bool before_set;
    ledger_mark_t before; /* what was remembered of this name */
    bool replaced;
    char (*homes) [NAME_BYTES_MAX + 1]; /* when they were wanted */
    size_t homes_count;
} announce_answer_t;
extern const codec_t announce_answer_codec;

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    bool stops; /* and will come again; else it is forgotten */
} withdraw_t;
extern const codec_t withdraw_codec;

/*  Where a numbered stream of changes stands: number counts the deltas of one start of one store.
 *  start 0 = nowhere. */
typedef struct {
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint64_t number;
} directory_mark_t;

/*  after: a page's names are greater; "" = the first page. have: what is had already. */
typedef struct {
    char after [NAME_BYTES_MAX + 1];
    directory_mark_t have;
    bool changes;                       /* the changes since then will do */
    char (*kinds) [NAME_BYTES_MAX + 1]; /* of these alone; none = of all */
    size_t kinds_count;
} snapshot_request_t;
extern const codec_t snapshot_request_codec;

typedef struct {
    directory_entry_t *entries; /* ascending by name */
    size_t entries_count;
    size_t passed_over; /* entries that this version can't take */
    char last [NAME_BYTES_MAX +
               1]; /* the greatest name, taken or passed over: the next page's after */
    char (*homes) [NAME_BYTES_MAX + 1];
    size_t homes_count;
    directory_mark_t mark;
    bool unchanged;
    bool more;
    bool changes; /* entries are those that have changed; gone those that are listed no more */
    char (*gone) [NAME_BYTES_MAX + 1];
    size_t gone_count;
    absence_t *absent; /* on the first page all; with changes some of gone */
    size_t absent_count;
} directory_snapshot_t;

extern const codec_t directory_snapshot_codec;

/*  --- summaries --- */

#define SUMMARIES_MAX 512 /* in one answer */

static_assert (SUMMARIES_MAX * (FREE_SUMMARY_BYTES_MAX + NAME_BYTES_MAX + 64) < BODY_BYTES_MAX,
               "they fit a message");

/*  How much is had already. */
extern const codec_t summaries_question_codec; /* of directory_mark_t */

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    packed_t summary;
} named_summary_t;

typedef struct {
    named_summary_t *summaries;
    size_t summaries_count;
    directory_mark_t mark;
    bool more;
} summaries_page_t;
extern const codec_t summaries_page_codec;

/*  --- find --- */

#define FIND_REQUIRE_MAX 32
#define FIND_NAMES_MAX   256 /* asked for at once */

typedef struct {
    char kind [NAME_BYTES_MAX + 1];
    requirement_t require [FIND_REQUIRE_MAX];
    size_t require_count;
    uint32_t cpus;
    char after [NAME_BYTES_MAX + 1];
    char (*names) [NAME_BYTES_MAX + 1]; /* these alone; none = any */
    size_t names_count;
} find_t;

extern const codec_t find_codec;

/*  What a reader takes of the answer. */
typedef struct {
    directory_entry_t *entries;
    size_t entries_count;
} found_t;

extern const codec_t found_codec;

/*  One change: an entry that is new or changed, or the name of one that is gone. */
typedef struct {
    uint64_t number;
    bool gone;
    char name [NAME_BYTES_MAX + 1];
    directory_entry_t entry; /* unless gone */
    bool remembered;         /* gone, but absent tells since when */
    absence_t absent;
} directory_delta_t;

extern const codec_t directory_delta_codec;

#endif
