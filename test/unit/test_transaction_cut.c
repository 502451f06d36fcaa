/*  The messages of a transaction cut at every byte, or spoilt: refused, or bounded, and never
 * harmful.
 */
#include "transaction_fixture.h"

/*  Decode with every decoder; whatever is accepted is ended. */
static void decode_all (bytes_t body)
{
    char why [WHY_BYTES];
    plan_t plan;
    if (plan_decode (&plan, body, why))
        plan_clear (&plan);
    hold_t hold;
    if (hold_decode (&hold, body, why))
        hold_clear (&hold);
    command_answer_t answer;
    if (command_answer_decode (&answer, body, why))
        command_answer_clear (&answer);
    compute_booking_t *bookings;
    size_t count;
    if (compute_part_decode (body, &bookings, &count, why))
        free (bookings);
    uint8_t digest [DIGEST_BYTES];
    packed_t packed;
    if (claim_part_decode (body, digest, &packed, why))
        free (packed.data);
    txid_t txid;
    txid_message_decode (&txid, body, why);
    uint32_t ttl_ms;
    renew_decode (body, &txid, &ttl_ms, why);
    int64_t decide_by_ms;
    resolve_decode (body, &txid, &decide_by_ms, why);
    outcome_t outcome;
    bool flag;
    outcome_decode (body, &txid, &outcome, &flag, why);
    if (prepare_decode (body, &txid, &flag, &packed, why))
        free (packed.data);
    uint32_t epoch;
    if (amend_decode (body, &txid, &epoch, &packed, why))
        free (packed.data);
    txid_t *txids;
    if (done_decode (body, &txids, &count, why))
        free (txids);
}

static void cut_everywhere (packed_t packed)
{
    for (size_t size = 0; size <= packed.size; size++) {
        uint8_t *cut = malloc (size ? size : 1); /* its own memory, so that reading past it shows */
        memcpy (cut, packed.data, size);
        decode_all ((bytes_t){.data = cut, .size = size});
        free (cut);
    }
}

static void spoil_everywhere (packed_t packed, prng_t *prng)
{
    for (int i = 0; i < 3000; i++) {
        uint8_t *spoilt = malloc (packed.size);
        memcpy (spoilt, packed.data, packed.size);
        for (uint64_t n = 1 + prng_below (prng, 4); n > 0; n--)
            spoilt [prng_below (prng, packed.size)] = (uint8_t) prng_next (prng);
        decode_all ((bytes_t){.data = spoilt, .size = packed.size});
        free (spoilt);
    }
}

static void messages_cut_at_every_byte_or_spoilt_do_no_harm (void **state)
{
    (void) state;
    prng_t prng;
    prng_seed (&prng, 20261);
    txid_t txid = txid_of (0x11, 7, 42);
    uint8_t digest [DIGEST_BYTES] = {1};
    plan_t plan = plan_full ();
    hold_t hold = hold_full ();
    command_answer_t answer = answer_full ();
    compute_booking_t booked = booking ();
    packed_t part = claim_part_encode (digest, (bytes_t){.data = digest, .size = 9});
    bytes_t part_bytes = bytes_of (part);
    packed_t messages [] = {
      plan_encode (&plan),
      hold_encode (&hold),
      command_answer_encode (&answer),
      compute_part_encode (&booked, 1),
      part,
      txid_message_encode (&txid),
      renew_encode (&txid, 1),
      resolve_encode (&txid, 1),
      prepare_encode (&txid, &part_bytes),
      done_encode (&txid, 1),
      outcome_encode (&txid, OUTCOME_ABORTED, false),
      amend_encode (&txid, 3, (bytes_t){.data = digest, .size = 9}),
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        cut_everywhere (messages [i]);
        spoil_everywhere (messages [i], &prng);
        free (messages [i].data);
    }
    plan_clear (&plan);
    hold_clear (&hold);
    command_answer_clear (&answer);
}

static void a_message_cut_short_of_what_it_needs_is_refused (void **state)
{
    (void) state;
    plan_t plan = plan_full ();
    plan_t back;
    char why [WHY_BYTES];
    packed_t packed = plan_encode (&plan);
    /* The last field is the request, which a plan may lack: everything before it is needed. */
    size_t needed = packed.size - (plan.request_size + 2);
    for (size_t size = 0; size < packed.size; size++) {
        bool good = plan_decode (&back, (bytes_t){.data = packed.data, .size = size}, why);
        if (good) {
            /* cut exactly between the optional fields at its end */
            assert_true (size >= needed - strlen (plan.home) - 2 - strlen (plan.request_id) - 2);
            plan_clear (&back);
        }
    }
    free (packed.data);
    plan_clear (&plan);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (messages_cut_at_every_byte_or_spoilt_do_no_harm),
      cmocka_unit_test (a_message_cut_short_of_what_it_needs_is_refused),
    };
    return cmocka_run_group_tests_name ("transaction-cut", tests, NULL, NULL);
}
