/*  decoders_transaction - a transaction's messages, and a participant's records and questions. */
#include "decoders.h"
#include "participant_state.h"

static void try_plan (bytes_t body)
{
    plan_t plan;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (plan_decode (&plan, body, why), why))
        return;
    REQUIRE (plan.operation <= OPERATION_RELEASE);
    packed_t once = plan_encode (&plan);
    plan_clear (&plan);
    REQUIRE (plan_decode (&plan, bytes_of (once), why));
    packed_t twice = plan_encode (&plan);
    plan_clear (&plan);
    same_then_free (once, twice);
}

static void try_hold (bytes_t body)
{
    hold_t hold;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (hold_decode (&hold, body, why), why))
        return;
    packed_t once = hold_encode (&hold);
    hold_clear (&hold);
    REQUIRE (hold_decode (&hold, bytes_of (once), why));
    packed_t twice = hold_encode (&hold);
    hold_clear (&hold);
    same_then_free (once, twice);
}

static void try_answer (bytes_t body)
{
    command_answer_t answer;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (command_answer_decode (&answer, body, why), why))
        return;
    command_state_word (answer.state);
    refusal_reason_word (answer.refusal.reason);
    packed_t once = command_answer_encode (&answer);
    command_answer_clear (&answer);
    REQUIRE (command_answer_decode (&answer, bytes_of (once), why));
    packed_t twice = command_answer_encode (&answer);
    command_answer_clear (&answer);
    same_then_free (once, twice);
}

static void try_compute (bytes_t body)
{
    compute_booking_t *bookings;
    size_t count;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (compute_part_decode (body, &bookings, &count, why), why))
        return;
    for (size_t i = 0; i < count; i++)
        REQUIRE (bookings [i].nodes > 0 && bookings [i].from_ms < bookings [i].until_ms);
    packed_t once = compute_part_encode (bookings, count);
    free (bookings);
    REQUIRE (compute_part_decode (bytes_of (once), &bookings, &count, why));
    packed_t twice = compute_part_encode (bookings, count);
    free (bookings);
    same_then_free (once, twice);
}

static void try_network (bytes_t body)
{
    circuit_t *circuits;
    size_t count;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (network_part_decode (body, &circuits, &count, why), why))
        return;
    for (size_t i = 0; i < count; i++)
        REQUIRE (circuits [i].mbps > 0 && circuits [i].links_count > 0 &&
                 circuits [i].links_count <= CIRCUIT_LINKS_MAX &&
                 circuits [i].from_ms < circuits [i].until_ms);
    packed_t once = network_part_encode (circuits, count);
    circuits_free (circuits, count);
    REQUIRE (network_part_decode (bytes_of (once), &circuits, &count, why));
    packed_t twice = network_part_encode (circuits, count);
    circuits_free (circuits, count);
    same_then_free (once, twice);
}

static void try_claim (bytes_t body)
{
    uint8_t digest [DIGEST_BYTES];
    packed_t answer;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (claim_part_decode (body, digest, &answer, why), why))
        return;
    packed_t once = claim_part_encode (digest, bytes_of (answer));
    free (answer.data);
    REQUIRE (claim_part_decode (bytes_of (once), digest, &answer, why));
    packed_t twice = claim_part_encode (digest, bytes_of (answer));
    free (answer.data);
    same_then_free (once, twice);
}

static void try_txid (bytes_t body)
{
    txid_t txid;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (txid_message_decode (&txid, body, why), why))
        return;
    uint8_t key [TXID_BYTES];
    txid_t back;
    txid_pack (&txid, key);
    REQUIRE (txid_unpack (&back, (bytes_t){.data = key, .size = sizeof key}));
    REQUIRE (txid_compare (&txid, &back) == 0);
}

static void try_amend (bytes_t body)
{
    txid_t txid;
    uint32_t epoch;
    packed_t answer;
    char why [WHY_BYTES] = "";
    if (taken_or_told (amend_decode (body, &txid, &epoch, &answer, why), why))
        free (answer.data);
}

static void try_renew (bytes_t body)
{
    txid_t txid;
    uint32_t ttl_ms;
    char why [WHY_BYTES] = "";
    taken_or_told (renew_decode (body, &txid, &ttl_ms, why), why);
}

static void try_resolve (bytes_t body)
{
    txid_t txid;
    int64_t decide_by_ms;
    char why [WHY_BYTES] = "";
    taken_or_told (resolve_decode (body, &txid, &decide_by_ms, why), why);
}

static void try_outcome (bytes_t body)
{
    txid_t txid;
    outcome_t outcome;
    bool done;
    char why [WHY_BYTES] = "";
    if (taken_or_told (outcome_decode (body, &txid, &outcome, &done, why), why))
        REQUIRE (outcome <= OUTCOME_ABORTED);
}

static void try_prepare (bytes_t body)
{
    txid_t txid;
    bool claim_set;
    packed_t claim = {0};
    char why [WHY_BYTES] = "";
    if (!taken_or_told (prepare_decode (body, &txid, &claim_set, &claim, why), why))
        return;
    bytes_t part = bytes_of (claim);
    packed_t once = prepare_encode (&txid, claim_set ? &part : NULL);
    free (claim.data);
    claim = (packed_t){0};
    REQUIRE (prepare_decode (bytes_of (once), &txid, &claim_set, &claim, why));
    part = bytes_of (claim);
    packed_t twice = prepare_encode (&txid, claim_set ? &part : NULL);
    free (claim.data);
    same_then_free (once, twice);
}

static void try_done (bytes_t body)
{
    txid_t *txids;
    size_t count;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (done_decode (body, &txids, &count, why), why))
        return;
    REQUIRE (count <= DONE_TXIDS_MAX);
    free (txids);
}

static void try_show (bytes_t body)
{
    char reservation [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "";
    taken_or_told (show_decode (body, reservation, why), why);
}

static void try_list (bytes_t body)
{
    list_question_t list;
    char why [WHY_BYTES] = "";
    if (taken_or_told (list_decode (&list, body, why), why))
        REQUIRE (list.until_ms == 0 || list.from_ms < list.until_ms);
}

static void try_commands (bytes_t body)
{
    commands_question_t commands;
    char why [WHY_BYTES] = "";
    taken_or_told (commands_decode (&commands, body, why), why);
}

static void try_command_record (bytes_t body)
{
    command_record_t command;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (command_record_decode (&command, body, why), why))
        return;
    REQUIRE (command.state != COMMAND_UNKNOWN && command.state < COMMAND_STATES);
    command_record_clear (&command);
}

static void try_reservation_record (bytes_t body)
{
    reservation_record_t reservation;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (reservation_record_decode (&reservation, body, why), why))
        return;
    REQUIRE (reservation.version > 0);
    reservation_record_clear (&reservation);
}

static decoder_fn *const tries [] = {
  try_plan,
  try_hold,
  try_answer,
  try_compute,
  try_network,
  try_claim,
  try_txid,
  try_renew,
  try_resolve,
  try_outcome,
  try_prepare,
  try_done,
  try_show,
  try_list,
  try_commands,
  try_command_record,
  try_reservation_record,
  try_amend,
};

const decoders_t decoders_transaction = {tries, sizeof tries / sizeof *tries};
