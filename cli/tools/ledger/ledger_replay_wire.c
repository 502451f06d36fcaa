/*  ledger_replay_wire - proto/ledger.proto, as the judge reads it: rules between the fields of the
 *  records that rows carry are not applied, because these records are what is judged. */
#include "ledger_replay_wire.h"

#include "ledger.pb-c.h"
#include "ledger_wire.h"
#include "message.h"
#include "planner.pb-c.h"

static const codec_row_t row_rows [] = {
  ROW_NUMBER ("number", ledger_row_t, number),
  ROW_FIXED ("before", ledger_row_t, before),
  ROW_NUMBER ("start", ledger_row_t, start),
  ROW_NUMBER ("wall_ms", ledger_row_t, wall_ms),
  ROW_ENUM ("kind", ledger_row_t, kind, INT32_MAX, FROM (LEDGER_STARTED)),
  ROW_UNUSED ("caller"),
  ROW_ONE ("txid", ledger_row_t, txid, txid, SET_BY (ledger_row_t, txid_set)),
  ROW_ENUM ("from", ledger_row_t, from, COMMAND_STATES - 1),
  ROW_ENUM ("to", ledger_row_t, to, COMMAND_STATES - 1),
  ROW_STRING ("event", ledger_row_t, event, RECORD_BYTES_MAX),
  ROW_TEXT ("reservation", ledger_row_t, reservation, OR_NONE),
  ROW_NUMBER ("old_version", ledger_row_t, old_version),
  ROW_NUMBER ("new_version", ledger_row_t, new_version),
  ROW_ONE ("command", ledger_row_t, command, command_record, SET_BY (ledger_row_t, command_set)),
  ROW_LIST ("quantities", ledger_row_t, quantities, quantities_count, ledger_quantity, 0,
            ANY_COUNT),
  ROW_STRING ("actor", ledger_row_t, actor, RECORD_BYTES_MAX),
  ROW_STRING ("request_id", ledger_row_t, request_id, RECORD_BYTES_MAX),
  ROW_BYTES ("record", ledger_row_t, record.data, record.size, RECORD_BYTES_MAX),
  ROW_FIXED ("old_store", ledger_row_t, old_store, SET_BY (ledger_row_t, old_store_set)),
  ROW_ONE ("readmitted", ledger_row_t, readmitted, reservation_record,
           SET_BY (ledger_row_t, readmitted_set)),
  ROW_NUMBER ("kept_from", ledger_row_t, kept_from),
  ROW_NUMBER ("exported_from", ledger_row_t, exported_from),
};
const codec_t ledger_row_codec = CODEC (ledger_row_t, ledger_row, row_rows);

bool decision_read (bytes_t record, bool *acknowledged)
{
    message_auto_t *message = message_unpack (&musubi__decision_record__descriptor, record);
    if (!message)
        return false;
    *acknowledged =
      ((const Musubi__DecisionRecord *) message)->phase == MUSUBI__DECISION_PHASE__SETTLED;
    return true;
}
