/*  planner - a list is complete although a site searches only a limited number of records for an
 *  answer.
 */
#include "federation_fixture.h"

#include "access.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HIDDEN 5000 /* more than a site searches for one answer */

/*  So many reservations of others at the site, before bob's in the order of ids. */
static void crowd (fed_t *fed, const char *site)
{
    const fed_proc_t *proc = &fed->procs [fed_find (fed, site)];
    uint64_t asked [HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
        participant_ref_t party = {0};
        hold_t hold = {.part_kind = PART_COMPUTE, .plan = {.participants = &party}};
        plan_t *plan = &hold.plan;
        plan->txid = (txid_t){.store = {0xee}, .start = 1, .counter = (uint64_t) i + 1};
        plan->coordinator = (participant_ref_t){.store = {0xee}, .endpoint = "sim://nobody"};
        txid_planner (&plan->txid, plan->coordinator.name);
        plan->participants_count = 1;
        snprintf (party.name, sizeof party.name, "%s", site);
        memcpy (party.store, proc->host.store.id, STORE_ID_BYTES);
        plan->decide_by_ms = FED_EPOCH_MS + fed->mono_ms + 60000;
        plan->edge_ms = FED_EPOCH_MS + FED_HOUR_MS;
        snprintf (plan->reservation, sizeof plan->reservation, "!%05d", i);
        snprintf (plan->actor, sizeof plan->actor, "user%d", i % 10);
        packed_t body = codec_encode (&hold_codec, &hold);
        effect_t effect = {.kind = EFFECT_CALL,
                           .call = {.endpoint = proc->endpoint,
                                    .service = "Participant",
                                    .method = "Hold",
                                    .actor = plan->coordinator.name,
                                    .request_id = "",
                                    .body = {.data = body.data, .size = body.size},
                                    .timeout_ms = 9000}};
        asked [i] = fed_send (fed, -1, &effect);
        free (body.data);
    }
    for (int i = 0; i < HIDDEN; i++) {
        call_status_t status;
        char reason [256];
        Musubi__CommandAnswer *answer = (Musubi__CommandAnswer *) fed_answer (
          fed, asked [i], &musubi__command_answer__descriptor, &status, reason);
        assert_non_null (answer);
        assert_int_equal (answer->state, MUSUBI__COMMAND_STATE__HELD);
        message_free (&answer->base);
    }
}

static void reserve_as_bob (fed_t *fed)
{
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed need = MUSUBI__COMPUTE_NEED__INIT, *needs [1] = {&need};
    need.id = "n";
    need.cpus = 4;
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = FED_EPOCH_MS + FED_HOUR_MS;
    window.start = &start;
    request.name = "bob's";
    request.window = &window;
    request.duration_ms = FED_HOUR_MS;
    request.n_compute = 1;
    request.compute = needs;
    reserve.request = &request;
    call_status_t status;
    char reason [256];
    Musubi__Answer *answer = (Musubi__Answer *) fed_answer (
      fed, fed_ask (fed, "p0", "Planner", "Reserve", "bob", "b@g1", &reserve.base, 60000),
      &musubi__answer__descriptor, &status, reason);
    assert_non_null (answer);
    assert_int_equal (answer->status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
}

static void a_list_finds_what_lies_behind_more_records_than_a_site_looks_at (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 51, 1, 1, 4, 1);
    reserve_as_bob (&fed);
    crowd (&fed, "lis/s0");
    Musubi__ListReservationsRequest request = MUSUBI__LIST_RESERVATIONS_REQUEST__INIT;
    request.owner = "bob";
    call_status_t status;
    char reason [256];
    Musubi__ListReservationsAnswer *answer = (Musubi__ListReservationsAnswer *) fed_answer (
      &fed, fed_ask (&fed, "p0", "Planner", "List", "bob", "", &request.base, 9000),
      &musubi__list_reservations_answer__descriptor, &status, reason);
    assert_non_null (answer);
    assert_int_equal (answer->n_views, 1);
    assert_string_equal (answer->views [0]->owner, "bob");
    assert_int_equal (answer->n_silent, 0);
    assert_false (answer->more);
    message_free (&answer->base);
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_list_finds_what_lies_behind_more_records_than_a_site_looks_at),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
