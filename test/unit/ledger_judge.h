/*  ledger_judge - a rig's rows replayed and held against its records: byte for byte the same
 *  commands, the same reservations, none more and none less.
 */
#ifndef MUSUBI_LEDGER_JUDGE_H
#define MUSUBI_LEDGER_JUDGE_H

#include "ledger_replay.h"
#include "ledger_replay_wire.h"
#include "participant_fixture.h"

static inline void judge_told (void *owner, const char *sentence)
{
    (void) owner;
    fail_msg ("%s", sentence);
}

static inline void judge_command (const ledger_replay_t *replay, const kept_t *kept)
{
    txid_t txid;
    replay_command_t command;
    assert_true (txid_unpack (&txid, (bytes_t){kept->key.data, kept->key.size}));
    assert_true (ledger_replay_find (replay, &txid, &command));
    assert_false (command.gone);
    assert_int_equal (command.stored.size, kept->value.size);
    assert_memory_equal (command.stored.data, kept->value.data, kept->value.size);
}

static inline void judge_reservation (const replay_reservation_t *standing, const kept_t *kept)
{
    stored_reservation_t stored;
    assert_int_equal (strlen (standing->id), kept->key.size);
    assert_memory_equal (standing->id, kept->key.data, kept->key.size);
    assert_true (stored_reservation_read (&stored, (bytes_t){kept->value.data, kept->value.size}));
    assert_string_equal (standing->owner, stored.owner);
    assert_int_equal (standing->version, stored.version);
    assert_int_equal (txid_compare (&standing->made_by, &stored.made_by), 0);
    assert_int_equal (standing->part.size, stored.part.size);
    if (stored.part.size > 0)
        assert_memory_equal (standing->part.data, stored.part.data, stored.part.size);
    assert_int_equal (standing->released, stored.released);
    assert_int_equal (standing->failed, stored.failed);
    assert_int_equal (standing->until_ms, stored.until_ms);
    stored_reservation_end (&stored);
}

/*  Everything that the rig has stored, and nothing else, is what its rows come to. */
static inline void judge_rig (const rig_t *rig)
{
    ledger_replay_t *replay = ledger_replay_new (judge_told, NULL);
    for (size_t i = 0; i < rig->rows_count; i++)
        assert_true (ledger_replay_row (
          replay, (bytes_t){rig->rows [i].value.data, rig->rows [i].value.size}));
    ledger_replay_end (replay, ledger_last (rig->service->ledger));

    replay_reservation_t standing = {0};
    size_t stand = 0;
    for (size_t i = 0; i < rig->kept_count; i++) {
        if (rig->kept [i].table == TABLE_COMMANDS) {
            judge_command (replay, &rig->kept [i]);
            stand++;
        } else if (rig->kept [i].table == TABLE_RESERVATIONS) {
            assert_true (ledger_replay_reservation (replay, standing.id, &standing));
            judge_reservation (&standing, &rig->kept [i]);
        }
    }
    assert_false (ledger_replay_reservation (replay, standing.id, &standing));
    replay_command_t command;
    for (const txid_t *at = NULL; ledger_replay_command (replay, at, &command); at = &command.txid)
        stand -= !command.gone;
    assert_int_equal (stand, 0);
    ledger_replay_destroy (&replay);
}

#endif
