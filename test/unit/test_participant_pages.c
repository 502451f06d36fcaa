/*  participant_pages: what a page of a list costs, and that nothing is missed by reading on. */
#include "participant_fixture.h"

#include "message.h"
#include "transaction.pb-c.h"

#define HIDDEN    5000
#define LOOKS_MAX 4096 /* as participant_state.h has it */

/*  So many reservations of alice without bookings, then one of bob; the last in every order. The
 *  invariants are not walked after each. */
static participant_rig_t *rig_crowded (void)
{
    participant_rig_t *rig = rig_new (10);
    rig->limits.holds_per_actor_max = 2 * HIDDEN;
    rig_boot (rig);
    for (uint64_t i = 1; i <= HIDDEN + 1; i++) {
        char id [32];
        snprintf (id, sizeof id, "r%06d", (int) i);
        hold_t hold = hold_of (rig, i, OPERATION_RESERVE, id, 0, 0, 1, 2);
        hold.prepare = false;
        if (i > HIDDEN)
            strcpy (hold.plan.actor, "bob");
        packed_t body = codec_encode (&hold_codec, &hold);
        codec_clear (&hold_codec, &hold);
        rig->replied = false;
        service_step (rig->service, &rig->host.now,
                      &(event_t){.kind = EVENT_REQUEST,
                                 .request = {.service = "Participant",
                                             .method = "Hold",
                                             .actor = PLANNER,
                                             .request_id = "",
                                             .body = {body.data, body.size},
                                             .reply_to = 1}});
        memory_host_drain (&rig->host);
        free (body.data);
        assert_int_equal (rig_answer (rig).state, COMMAND_HELD);
    }
    return rig;
}

static ProtobufCMessage *asked (participant_rig_t *rig, const char *caller, const char *method,
                                const ProtobufCMessage *request,
                                const ProtobufCMessageDescriptor *descriptor)
{
    packed_t body;
    body.data = message_pack (request, &body.size);
    rig_request (rig, caller, method, body);
    assert_int_equal (rig->status, CALL_OK);
    return message_unpack (descriptor, (bytes_t){rig->reply.data, rig->reply.size});
}

static Musubi__ListAnswer *list (participant_rig_t *rig, const char *owner, const char *after)
{
    Musubi__ListRequest request = MUSUBI__LIST_REQUEST__INIT;
    request.owner = (char *) owner;
    request.after = (char *) after;
    return (Musubi__ListAnswer *) asked (rig, PLANNER, "List", &request.base,
                                         &musubi__list_answer__descriptor);
}

static Musubi__CommandsAnswer *commands (participant_rig_t *rig, const char *caller,
                                         Musubi__Txid *after)
{
    Musubi__CommandsRequest request = MUSUBI__COMMANDS_REQUEST__INIT;
    request.after = after;
    return (Musubi__CommandsAnswer *) asked (rig, caller, "Commands", &request.base,
                                             &musubi__commands_answer__descriptor);
}

static void a_page_of_a_list_looks_at_a_bounded_number_of_reservations (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_crowded ();
    Musubi__ListAnswer *first = list (rig, "bob", "");
    assert_int_equal (first->n_records, 0);
    assert_true (first->more);
    char next [32];
    snprintf (next, sizeof next, "r%06d", LOOKS_MAX);
    assert_string_equal (first->next, next);
    Musubi__ListAnswer *second = list (rig, "bob", first->next);
    assert_int_equal (second->n_records, 1);
    assert_string_equal (second->records [0]->owner, "bob");
    assert_false (second->more);
    assert_string_equal (second->next, "");
    message_free (&first->base);
    message_free (&second->base);
    rig_destroy (rig);
}

static void a_page_of_commands_looks_at_a_bounded_number_of_them (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_crowded ();
    Musubi__CommandsAnswer *first = commands (rig, "bob", NULL);
    assert_int_equal (first->n_commands, 0);
    assert_true (first->more);
    assert_int_equal (first->next->counter, LOOKS_MAX);
    Musubi__CommandsAnswer *second = commands (rig, "bob", first->next);
    assert_int_equal (second->n_commands, 1);
    assert_string_equal (second->commands [0]->plan->actor, "bob");
    assert_false (second->more);
    assert_null (second->next);
    message_free (&first->base);
    message_free (&second->base);
    rig_destroy (rig);
}

static void reading_on_from_next_misses_nothing_and_tells_nothing_twice (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_crowded ();
    char after [64] = "";
    size_t seen = 0;
    for (bool more = true; more;) {
        Musubi__ListAnswer *page = list (rig, "", after);
        for (size_t i = 0; i < page->n_records; i++) {
            assert_true (strcmp (page->records [i]->reservation, after) > 0);
            snprintf (after, sizeof after, "%s", page->records [i]->reservation);
            seen++;
        }
        more = page->more;
        if (more)
            assert_string_equal (page->next, after); /* a full page ends with its last record */
        message_free (&page->base);
    }
    assert_int_equal (seen, HIDDEN + 1);
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_page_of_a_list_looks_at_a_bounded_number_of_reservations),
      cmocka_unit_test (a_page_of_commands_looks_at_a_bounded_number_of_them),
      cmocka_unit_test (reading_on_from_next_misses_nothing_and_tells_nothing_twice),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
