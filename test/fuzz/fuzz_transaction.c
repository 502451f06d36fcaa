/*  Any bytes at all, given to every decoder of a transaction's messages and of a participant's
 * records. Whatever is accepted must come out the same when it is encoded and decoded again: the
 * logic asserts on it.
 */
#include "participant_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static bytes_t bytes_of (packed_t packed)
{
    return (bytes_t){.data = packed.data, .size = packed.size};
}

static void same_then_free (packed_t once, packed_t twice)
{
    assert (once.size == twice.size);
    assert (once.size == 0 || memcmp (once.data, twice.data, once.size) == 0);
    free (once.data);
    free (twice.data);
}

static void try_plan (bytes_t body)
{
    plan_t plan;
    char why [WHY_BYTES];
    if (!plan_decode (&plan, body, why))
        return;
    packed_t once = plan_encode (&plan);
    plan_clear (&plan);
    assert (plan_decode (&plan, bytes_of (once), why));
    packed_t twice = plan_encode (&plan);
    plan_clear (&plan);
    same_then_free (once, twice);
}

static void try_hold (bytes_t body)
{
    hold_t hold;
    char why [WHY_BYTES];
    if (!hold_decode (&hold, body, why))
        return;
    packed_t once = hold_encode (&hold);
    hold_clear (&hold);
    assert (hold_decode (&hold, bytes_of (once), why));
    packed_t twice = hold_encode (&hold);
    hold_clear (&hold);
    same_then_free (once, twice);
}

static void try_answer (bytes_t body)
{
    command_answer_t answer;
    char why [WHY_BYTES];
    if (!command_answer_decode (&answer, body, why))
        return;
    packed_t once = command_answer_encode (&answer);
    command_answer_clear (&answer);
    assert (command_answer_decode (&answer, bytes_of (once), why));
    packed_t twice = command_answer_encode (&answer);
    command_answer_clear (&answer);
    same_then_free (once, twice);
}

static void try_compute (bytes_t body)
{
    compute_booking_t *bookings;
    size_t count;
    char why [WHY_BYTES];
    if (!compute_part_decode (body, &bookings, &count, why))
        return;
    for (size_t i = 0; i < count; i++)
        assert (bookings [i].nodes > 0 && bookings [i].from_ms < bookings [i].until_ms);
    packed_t once = compute_part_encode (bookings, count);
    free (bookings);
    assert (compute_part_decode (bytes_of (once), &bookings, &count, why));
    packed_t twice = compute_part_encode (bookings, count);
    free (bookings);
    same_then_free (once, twice);
}

static void try_claim (bytes_t body)
{
    uint8_t digest [DIGEST_BYTES];
    packed_t answer;
    char why [WHY_BYTES];
    if (claim_part_decode (body, digest, &answer, why))
        free (answer.data);
}

static void try_small (bytes_t body)
{
    txid_t txid;
    char why [WHY_BYTES];
    uint32_t ttl_ms;
    int64_t decide_by_ms;
    outcome_t outcome;
    bool flag;
    packed_t packed;
    txid_t *txids;
    size_t count;
    txid_message_decode (&txid, body, why);
    renew_decode (body, &txid, &ttl_ms, why);
    resolve_decode (body, &txid, &decide_by_ms, why);
    outcome_decode (body, &txid, &outcome, &flag, why);
    if (prepare_decode (body, &txid, &flag, &packed, why))
        free (packed.data);
    if (done_decode (body, &txids, &count, why))
        free (txids);
}

static void try_questions (bytes_t body)
{
    char why [WHY_BYTES];
    char reservation [NAME_BYTES_MAX + 1];
    list_question_t list;
    commands_question_t commands;
    show_decode (body, reservation, why);
    if (list_decode (&list, body, why))
        assert (list.until_ms == 0 || list.from_ms < list.until_ms);
    commands_decode (&commands, body, why);
}

static void try_records (bytes_t body)
{
    char why [WHY_BYTES];
    command_record_t command;
    reservation_record_t reservation;
    if (command_record_decode (&command, body, why))
        command_record_clear (&command);
    if (reservation_record_decode (&reservation, body, why)) {
        assert (reservation.version > 0);
        reservation_record_clear (&reservation);
    }
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static void (*const tries []) (bytes_t body) = {try_plan,      try_hold,   try_answer,
                                                    try_compute,   try_claim,  try_small,
                                                    try_questions, try_records};
    if (size == 0)
        return 0;
    tries [data [0] % (sizeof tries / sizeof *tries)](
      (bytes_t){.data = data + 1, .size = size - 1});
    return 0;
}
