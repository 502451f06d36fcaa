/*  ledger_judge - replays a rig's rows and compares the result with its records: the commands
 *  and reservations must be the same, byte for byte.
 */
#ifndef MUSUBI_LEDGER_JUDGE_H
#define MUSUBI_LEDGER_JUDGE_H

#include "ledger_replay.h"
#include "member.h"
#include "participant_fixture.h"

static inline void judge_told (void *owner, const char *sentence)
{
    (void) owner;
    fail_msg ("%s", sentence);
}

static inline void judge_bytes (const codec_t *codec, const void *told,
                                const host_in_memory_kept_t *kept)
{
    packed_t packed = codec_encode (codec, told);
    assert_int_equal (packed.size, kept->value.size);
    assert_memory_equal (packed.data, kept->value.data, kept->value.size);
    free (packed.data);
}

static inline void judge_command (const ledger_replay_t *replay, const host_in_memory_kept_t *kept)
{
    txid_t txid;
    assert_true (txid_unpack (&txid, (bytes_t){kept->key.data, kept->key.size}));
    const replay_command_t *command = ordered_find (replay->commands, &txid);
    assert_non_null (command);
    assert_false (command->gone);
    judge_bytes (&command_record_codec, &command->record, kept);
}

static inline void judge_reservation (const replay_reservation_t *standing,
                                      const host_in_memory_kept_t *kept)
{
    assert_int_equal (strlen (standing->id), kept->key.size);
    assert_memory_equal (standing->id, kept->key.data, kept->key.size);
    judge_bytes (&reservation_record_codec, &standing->record, kept);
}

/*  Replaying the rows gives exactly the records that the rig has stored. */
static inline void judge_rig (const participant_rig_t *rig)
{
    ledger_replay_t *replay = ledger_replay_new (judge_told, NULL);
    records_t all = rig_all_rows (rig);
    for (size_t i = 0; i < all.count; i++)
        assert_true (ledger_replay_row (replay, kept_bytes (all.list [i].value)));
    records_clear (&all);
    ledger_replay_end (replay, ledger_last (ledger_of (rig->service)));

    const replay_reservation_t *standing = ledger_replay_reservation (replay, NULL);
    size_t stand = 0;
    for (size_t i = 0; i < rig->host.records.count; i++) {
        if (rig->host.records.list [i].table == TABLE_COMMANDS) {
            judge_command (replay, &rig->host.records.list [i]);
            stand++;
        } else if (rig->host.records.list [i].table == TABLE_RESERVATIONS) {
            assert_non_null (standing);
            judge_reservation (standing, &rig->host.records.list [i]);
            standing = ledger_replay_reservation (replay, standing->id);
        }
    }
    assert_null (standing);
    const replay_command_t *command;
    for (const txid_t *at = NULL; (command = ordered_after (replay->commands, at));
         at = &command->txid)
        stand -= !command->gone;
    assert_int_equal (stand, 0);
    ledger_replay_destroy (&replay);
}

#endif
