/*  participant_records - the records that a participant keeps in its store and shows in its ledger.
 */
#ifndef MUSUBI_PARTICIPANT_RECORDS_H
#define MUSUBI_PARTICIPANT_RECORDS_H

#include "transaction.h"

/*  A stored command; plan, packed, is empty for a tombstone. */
typedef struct {
    packed_t plan;
    command_state_t state;
    part_kind_t part_kind;
    packed_t part;
    int64_t held_ms;
    int64_t expires_ms;
    int64_t prepared_ms;
    int64_t until_ms;
    bool late;
    bool done;
    bool amended;
    uint32_t epoch;
    char fenced_by [NAME_BYTES_MAX + 1];
} command_record_t;
extern const codec_t command_record_codec;

/*  A stored reservation; plan is set when the command that made the version is no longer kept. */
typedef struct {
    char owner [NAME_BYTES_MAX + 1];
    uint32_t version;
    txid_t made_by;
    part_kind_t part_kind;
    packed_t part;
    packed_t plan;
    packed_t was;
    bool released;
    bool failed;
    int64_t until_ms;
} reservation_record_t;
extern const codec_t reservation_record_codec;

#endif
