/*  test_lis - which questions a site answers and which it refuses, by events alone. */
#include "lis_fixture.h"
#include "message.h"

#include "bus.pb-c.h"
#include "transaction.pb-c.h"

/*  --- questions --- */

static void is_announced_at_start_and_when_it_changes (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    assert_int_equal (w.announced, 1);
    assert_int_equal (w.announced_quantity, 8);
    Musubi__CapacityRequest request = MUSUBI__CAPACITY_REQUEST__INIT;
    request.resource = (char *) "thin";
    request.quantity = 6;
    assert_int_equal (ask (&w, "anybody", "Lis", "Everything", &request.base), CALL_UNKNOWN_METHOD);
    assert_int_equal (ask (&w, "root", "Calendar", "Capacity", &request.base), CALL_OK);
    pass (&w, 20000); /* at the latest with the next heartbeat */
    assert_true (w.announced > 1);
    assert_int_equal (w.announced_quantity, 6);
    close_world (&w);

    /*  A site without a directory serves clients that know its address. */
    prepare_world (&w);
    w.settings.provider.gis_count = 0;
    start (&w);
    assert_int_equal (w.announced, 0);
    assert_int_equal (free_at (&w, "thin", 10), 8);
    close_world (&w);
}

static void R9_a_drain_asked_for_again_is_told_alike_and_changes_nothing (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", booking ("thin", 6, 6, 10, 20));
    Musubi__CapacityRequest request = MUSUBI__CAPACITY_REQUEST__INIT;
    request.resource = (char *) "thin";
    for (int times = 0; times < 3; times++) {
        assert_int_equal (ask (&w, "root", "Calendar", "Capacity", &request.base), CALL_OK);
        Musubi__CapacityAnswer *hit = answer (&w, &musubi__capacity_answer__descriptor);
        assert_int_equal (hit->overbooked_count, 1);
        assert_string_equal (hit->overbooked [0], "r1");
        message_free (&hit->base);
        assert_int_equal (free_at (&w, "thin", 12), -6);
        if (times == 1)
            restart (&w);
    }
    close_world (&w);
}

/*  What Service.Status says of r1, the only one with too little; 0 = there is enough. */
static int64_t short_since (service_world_t *w)
{
    ask_bytes (w, "anybody", "Service", "Status", (bytes_t){0});
    Musubi__StatusAnswer *told = answer (w, &musubi__status_answer__descriptor);
    int64_t since_ms = told->shortage ? told->shortage->since_ms : 0;
    if (told->shortage) {
        assert_int_equal (told->shortage->reservations, 1);
        assert_string_equal (told->shortage->first, "r1");
    }
    message_free (&told->base);
    return since_ms;
}

static bool is_lacking (service_world_t *w, const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    assert_int_equal (ask (w, "alice", "Participant", "Show", &request.base), CALL_OK);
    Musubi__ShowAnswer *told = answer (w, &musubi__show_answer__descriptor);
    bool lacking = told->record->lacking;
    message_free (&told->base);
    return lacking;
}

static void a_site_that_comes_back_smaller_says_so_until_there_is_enough (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    node_class_t *thin = &((node_class_t *) w.settings.site.classes) [0];
    reserve (&w, "r1", booking ("thin", 6, 6, 10, 20));
    reserve (&w, "r2", booking ("thin", 3, 3, 20, 30));
    assert_int_equal (short_since (&w), 0);
    thin->nodes = 4;
    pass (&w, 5000);
    int64_t back_ms = w.host.now.wall_ms;
    for (int times = 0; times < 2; times++) { /* also after one more start */
        restart (&w);
        assert_int_equal (short_since (&w), back_ms);
        assert_true (is_lacking (&w, "r1"));
        assert_false (is_lacking (&w, "r2"));
        pass (&w, 7000);
    }
    pass (&w, 20 * MINUTE_MS); /* r1 is over */
    assert_int_equal (short_since (&w), 0);
    assert_false (is_lacking (&w, "r1"));
    restart (&w);
    assert_int_equal (records_of (&w, TABLE_CAPACITIES), 0);
    thin->nodes = 8;
    close_world (&w);
}

static void a_profile_tells_free_nodes_by_class (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", booking ("thin", 5, 5, 10, 20));
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = at (5);
    request.until_ms = at (60);
    ask (&w, "mallory", "Calendar", "Profile", &request.base);
    Musubi__ProfileAnswer *told = answer (&w, &musubi__profile_answer__descriptor);
    assert_int_equal (told->n_profiles, 2);
    assert_string_equal (told->profiles [0]->resource, "thin");
    assert_int_equal (told->profiles [0]->until_ms, at (60));
    assert_int_equal (told->profiles [0]->n_steps, 3);
    assert_int_equal (told->profiles [0]->steps [0]->from_ms, at (5));
    assert_int_equal (told->profiles [0]->steps [0]->free, 8);
    assert_int_equal (told->profiles [0]->steps [1]->from_ms, at (10));
    assert_int_equal (told->profiles [0]->steps [1]->free, 3);
    assert_int_equal (told->profiles [0]->steps [2]->from_ms, at (20));
    assert_int_equal (told->profiles [0]->steps [2]->free, 8);
    assert_int_equal (told->profiles [1]->n_steps, 1);
    uint64_t version = told->version;
    message_free (&told->base);

    /*  The version grows with the calendar. */
    reserve (&w, "r2", booking ("fat", 16, 1, 10, 20));
    char *fat [] = {(char *) "fat", (char *) "fat"};
    request.n_resources = 2;
    request.resources = fat;
    ask (&w, "mallory", "Calendar", "Profile", &request.base);
    told = answer (&w, &musubi__profile_answer__descriptor);
    assert_true (told->version > version);
    assert_int_equal (told->n_profiles, 2); /* as asked, doubled */
    assert_int_equal (told->profiles [1]->steps [1]->free, 3);
    message_free (&told->base);
    close_world (&w);
}

static void a_profile_is_refused_in_words (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    static const struct {
        int64_t from_ms;
        int64_t until_ms;
        const char *class_name;
        const char *reservation;
        call_status_t status;
        const char *reason;
    } cases [] = {
      {EPOCH_MS, EPOCH_MS, "thin", "", CALL_BAD_REQUEST, "should be after from_ms"},
      {EPOCH_MS, 0, "thin", "", CALL_BAD_REQUEST, "should be after from_ms"},
      {-1, EPOCH_MS, "thin", "", CALL_BAD_REQUEST, "between 1970 and 9999"},
      {0, INT64_MAX, "thin", "", CALL_BAD_REQUEST, "between 1970 and 9999"},
      {0, EPOCH_MS, "fast", "", CALL_NOT_FOUND, "lis/ams has no class fast"},
      {0, EPOCH_MS, "", "", CALL_BAD_REQUEST, "resources"},
      {0, EPOCH_MS, "thin", "a\nb", CALL_BAD_REQUEST, "reservation"},
      {0, EPOCH_MS, "0123456789012345678901234567890123456789012345678901234567890123", "",
       CALL_BAD_REQUEST, "longer than 63 bytes"},
      {0, INT64_C (253402300799999), "thin", "unknown", CALL_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *classes [] = {(char *) cases [i].class_name};
        Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
        request.n_resources = 1;
        request.resources = classes;
        request.from_ms = cases [i].from_ms;
        request.until_ms = cases [i].until_ms;
        request.reservation = (char *) cases [i].reservation;
        assert_int_equal (ask (&w, "bob", "Calendar", "Profile", &request.base), cases [i].status);
        assert_non_null (strstr (w.reason, cases [i].reason));
    }
    char *many [65];
    for (size_t i = 0; i < 65; i++)
        many [i] = (char *) "thin";
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.until_ms = at (1);
    request.resources = many;
    request.n_resources = 64;
    assert_int_equal (ask (&w, "bob", "Calendar", "Profile", &request.base), CALL_OK);
    request.n_resources = 65;
    assert_int_equal (ask (&w, "bob", "Calendar", "Profile", &request.base), CALL_BAD_REQUEST);
    close_world (&w);
}

static void a_profile_has_at_most_so_many_steps (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.provider.limits.questions.profile_steps_max = SITE_CLASSES_MAX;
    start (&w);
    for (int i = 0; i < 60; i++) {
        char name [16];
        snprintf (name, sizeof name, "r%d", i);
        reserve (&w, name, booking ("thin", 1 + i % 8, 1 + i % 8, 10 + 2 * i, 11 + 2 * i));
    }
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = at (0);
    request.until_ms = at (200);
    ask (&w, "bob", "Calendar", "Profile", &request.base);
    Musubi__ProfileAnswer *told = answer (&w, &musubi__profile_answer__descriptor);
    const Musubi__Profile *thin = told->profiles [0];
    assert_true (thin->n_steps > 8 && thin->n_steps < SITE_CLASSES_MAX);
    assert_int_equal (told->profiles [1]->n_steps, 1);
    assert_int_equal (thin->steps [0]->from_ms, at (0));
    assert_int_equal (thin->steps [0]->free, 8);
    int64_t least = 8;
    for (size_t i = 0; i < thin->n_steps; i++)
        least = thin->steps [i]->free < least ? thin->steps [i]->free : least;
    assert_int_equal (least, 0);
    message_free (&told->base);
    close_world (&w);
}

static void what_a_reservation_holds_counts_as_free_for_its_own_change (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", booking ("thin", 5, 5, 10, 20));
    reserve (&w, "r2", booking ("thin", 2, 2, 15, 30));
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = at (12);
    request.until_ms = at (25);
    request.reservation = (char *) "r1";
    Musubi__Window window = MUSUBI__WINDOW__INIT;
    Musubi__Window *list [] = {&window};
    window.resource = (char *) "thin";
    window.quantity = 6;
    window.from_ms = at (10);
    window.until_ms = at (25);
    Musubi__WindowsRequest windows = MUSUBI__WINDOWS_REQUEST__INIT;
    windows.n_windows = 1;
    windows.windows = list;
    windows.reservation = (char *) "r1";

    static const char *const askers [] = {PLANNER, "alice", "root"};
    for (size_t i = 0; i < 3; i++) {
        ask (&w, askers [i], "Calendar", "Profile", &request.base);
        Musubi__ProfileAnswer *told = answer (&w, &musubi__profile_answer__descriptor);
        assert_int_equal (told->profiles [0]->n_steps, 2);
        assert_int_equal (told->profiles [0]->steps [0]->free, 8);
        assert_int_equal (told->profiles [0]->steps [1]->from_ms, at (15));
        assert_int_equal (told->profiles [0]->steps [1]->free, 6);
        message_free (&told->base);
        ask (&w, askers [i], "Calendar", "Windows", &windows.base);
        Musubi__WindowsAnswer *fits = answer (&w, &musubi__windows_answer__descriptor);
        assert_true (fits->fits [0]);
        message_free (&fits->base);
    }
    /*  An actor who may not see the reservation learns nothing of it. */
    assert_int_equal (ask (&w, "bob", "Calendar", "Profile", &request.base), CALL_DENIED);
    assert_int_equal (ask (&w, "bob", "Calendar", "Windows", &windows.base), CALL_DENIED);

    windows.reservation = (char *) "";
    ask (&w, "bob", "Calendar", "Windows", &windows.base);
    Musubi__WindowsAnswer *fits = answer (&w, &musubi__windows_answer__descriptor);
    assert_false (fits->fits [0]);
    message_free (&fits->base);
    close_world (&w);
}

static void windows_fit_when_a_hold_would_be_granted (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.site.cleaning_gap_ms = 2 * MINUTE_MS;
    start (&w);
    reserve (&w, "r1", booking ("thin", 5, 5, 10, 20));
    static const struct {
        const char *class_name;
        int64_t from;
        int64_t until;
        uint32_t nodes;
        bool fits;
    } cases [] = {
      {"thin", 5, 30, 3, true},
      {"thin", 5, 30, 4, false},
      {"thin", 5, 9, 4, false},
      {"thin", 5, 8, 4, true},
      {"thin", 21, 30, 4, false},
      {"thin", 22, 30, 4, true},
      {"fat", 5, 30, 4, true},
      {"fat", 5, 30, 5, false},
      {"fat", 0, 5, 1, false},
      {"fat", 1, 5, 1, true},
      {"fat", 990, 1000, 1, true},
      {"fat", 990, 1001, 1, false},
      {"thin", 5, 30, UINT32_MAX, false},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    Musubi__Window windows [65];
    Musubi__Window *list [65];
    for (size_t i = 0; i < 65; i++) {
        musubi__window__init (&windows [i]);
        windows [i].resource = (char *) cases [i % COUNT].class_name;
        windows [i].quantity = cases [i % COUNT].nodes;
        windows [i].from_ms = at (cases [i % COUNT].from);
        windows [i].until_ms = at (cases [i % COUNT].until);
        list [i] = &windows [i];
    }
    Musubi__WindowsRequest request = MUSUBI__WINDOWS_REQUEST__INIT;
    request.n_windows = 64;
    request.windows = list;
    ask (&w, "bob", "Calendar", "Windows", &request.base);
    Musubi__WindowsAnswer *told = answer (&w, &musubi__windows_answer__descriptor);
    assert_int_equal (told->n_fits, 64);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal (told->fits [i], cases [i % COUNT].fits);
    message_free (&told->base);

    /*  A hold is granted or refused alike. */
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t cpus =
          strcmp (cases [i].class_name, "fat") == 0 ? 16 * cases [i].nodes : cases [i].nodes;
        compute_booking_t one =
          booking (cases [i].class_name, cpus, cases [i].nodes, cases [i].from, cases [i].until);
        command_answer_t held;
        txid_t txid =
          hold (&w, &(service_order_t){.reservation = "try", .bookings = &one, .count = 1}, &held);
        assert_int_equal (held.state, cases [i].fits ? COMMAND_HELD : COMMAND_REJECTED);
        codec_clear (&command_answer_codec, &held);
        if (cases [i].fits)
            assert_int_equal (tell (&w, "Abort", &txid), COMMAND_ABORTED);
    }

    request.n_windows = 65;
    assert_int_equal (ask (&w, "bob", "Calendar", "Windows", &request.base), CALL_BAD_REQUEST);
    request.n_windows = 1;
    windows [0].quantity = 0;
    assert_int_equal (ask (&w, "bob", "Calendar", "Windows", &request.base), CALL_BAD_REQUEST);
    windows [0].quantity = 1;
    windows [0].resource = (char *) "fast";
    assert_int_equal (ask (&w, "bob", "Calendar", "Windows", &request.base), CALL_NOT_FOUND);
    request.n_windows = 0;
    assert_int_equal (ask (&w, "bob", "Calendar", "Windows", &request.base), CALL_OK);
    close_world (&w);
}

static Musubi__FreeAnswer *ask_free (service_world_t *w, const char *class_name, uint32_t cpus,
                                     uint32_t most)
{
    Musubi__FreeRequest request = MUSUBI__FREE_REQUEST__INIT;
    request.resource = (char *) class_name;
    request.amount = cpus;
    request.duration_ms = 5 * MINUTE_MS;
    request.from_ms = at (0);
    request.until_ms = at (60);
    request.most = most;
    ask (w, "bob", "Calendar", "Free", &request.base);
    return answer (w, &musubi__free_answer__descriptor);
}

static void free_tells_when_and_how_loaded (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", booking ("thin", 6, 6, 10, 20));
    reserve (&w, "r2", booking ("fat", 64, 4, 5, 25));

    Musubi__FreeAnswer *told = ask_free (&w, "thin", 3, 0);
    assert_int_equal (told->n_spans, 2);
    assert_string_equal (told->spans [0]->resource, "thin");
    assert_int_equal (told->spans [0]->from_ms, at (1)); /* the lead */
    assert_int_equal (told->spans [0]->until_ms, at (10));
    assert_int_equal (told->spans [1]->from_ms, at (20));
    assert_int_equal (told->spans [1]->until_ms, at (60));
    assert_float_equal (told->utilisation, 60.0 / 480, 1e-9);
    message_free (&told->base);

    /*  Any class, ascending; 17 CPUs are two fat nodes and too much for thin. */
    told = ask_free (&w, "", 3, 0);
    assert_int_equal (told->n_spans, 3); /* fat is taken from 5: 4 minutes are too brief */
    assert_string_equal (told->spans [0]->resource, "thin");
    assert_string_equal (told->spans [1]->resource, "thin");
    assert_string_equal (told->spans [2]->resource, "fat");
    assert_float_equal (told->utilisation, (60.0 + 20 * 64) / (60 * (8 + 64)), 1e-9);
    message_free (&told->base);
    told = ask_free (&w, "", 17, 0);
    assert_int_equal (told->n_spans, 1);
    assert_string_equal (told->spans [0]->resource, "fat");
    message_free (&told->base);
    told = ask_free (&w, "", 3, 2);
    assert_int_equal (told->n_spans, 2);
    message_free (&told->base);
    told = ask_free (&w, "", UINT32_MAX, 2);
    assert_int_equal (told->n_spans, 0);
    message_free (&told->base);

    static const struct {
        const char *class_name;
        int64_t duration_ms;
        int64_t until_ms;
        uint32_t cpus;
        call_status_t status;
    } cases [] = {
      {"fast", 1, EPOCH_MS, 1, CALL_NOT_FOUND},
      {"thin", 1, EPOCH_MS, 0, CALL_BAD_REQUEST},
      {"thin", 0, EPOCH_MS, 1, CALL_BAD_REQUEST},
      {"thin", -1, EPOCH_MS, 1, CALL_BAD_REQUEST},
      {"thin", INT64_MAX, EPOCH_MS, 1, CALL_BAD_REQUEST},
      {"thin", 1, 0, 1, CALL_BAD_REQUEST},
      {"thin", 1, EPOCH_MS, 1, CALL_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Musubi__FreeRequest request = MUSUBI__FREE_REQUEST__INIT;
        request.resource = (char *) cases [i].class_name;
        request.amount = cases [i].cpus;
        request.duration_ms = cases [i].duration_ms;
        request.until_ms = cases [i].until_ms;
        request.most = UINT32_MAX;
        assert_int_equal (ask (&w, "bob", "Calendar", "Free", &request.base), cases [i].status);
    }
    close_world (&w);
}

static void utilisation_is_told_by_class_and_in_all (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", booking ("fat", 32, 2, 10, 20));
    Musubi__UtilisationRequest request = MUSUBI__UTILISATION_REQUEST__INIT;
    request.from_ms = at (10);
    request.until_ms = at (20);
    ask (&w, "bob", "Calendar", "Utilisation", &request.base);
    Musubi__UtilisationAnswer *told = answer (&w, &musubi__utilisation_answer__descriptor);
    assert_int_equal (told->n_resources, 2);
    assert_string_equal (told->resources [1]->resource, "fat");
    assert_float_equal (told->resources [0]->utilisation, 0, 1e-9);
    assert_float_equal (told->resources [1]->utilisation, 0.5, 1e-9);
    assert_float_equal (told->utilisation, 32.0 / 72, 1e-9);
    message_free (&told->base);
    request.until_ms = at (10);
    assert_int_equal (ask (&w, "bob", "Calendar", "Utilisation", &request.base), CALL_BAD_REQUEST);
    close_world (&w);
}

static void a_site_of_windows_tells_only_administrators_more (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.site.disclosure = DISCLOSE_WINDOWS;
    start (&w);
    Musubi__ProfileRequest profile = MUSUBI__PROFILE_REQUEST__INIT;
    profile.until_ms = 1;
    Musubi__FreeRequest free_request = MUSUBI__FREE_REQUEST__INIT;
    free_request.amount = 1;
    free_request.duration_ms = 1;
    free_request.until_ms = 1;
    Musubi__UtilisationRequest utilisation = MUSUBI__UTILISATION_REQUEST__INIT;
    utilisation.until_ms = 1;
    const struct {
        const char *method;
        const ProtobufCMessage *request;
    } cases [] = {
      {"Profile", &profile.base}, {"Free", &free_request.base}, {"Utilisation", &utilisation.base}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal (ask (&w, PLANNER, "Calendar", cases [i].method, cases [i].request),
                          CALL_DENIED);
        assert_non_null (strstr (w.reason, "only whether given windows fit"));
        assert_int_equal (ask (&w, "root", "Calendar", cases [i].method, cases [i].request),
                          CALL_OK);
    }
    Musubi__WindowsRequest windows = MUSUBI__WINDOWS_REQUEST__INIT;
    assert_int_equal (ask (&w, PLANNER, "Calendar", "Windows", &windows.base), CALL_OK);
    close_world (&w);
}

/*  --- hostile bodies --- */

static void cut_and_damaged_questions_are_refused_or_answered (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    char *classes [] = {(char *) "thin", (char *) "fat"};
    Musubi__ProfileRequest profile = MUSUBI__PROFILE_REQUEST__INIT;
    profile.n_resources = 2;
    profile.resources = classes;
    profile.from_ms = at (1);
    profile.until_ms = at (2);
    profile.reservation = (char *) "r1";
    Musubi__Window window = MUSUBI__WINDOW__INIT;
    window.resource = (char *) "thin";
    window.quantity = 300;
    window.from_ms = at (1);
    window.until_ms = at (2);
    Musubi__Window *list [] = {&window, &window};
    Musubi__WindowsRequest windows = MUSUBI__WINDOWS_REQUEST__INIT;
    windows.n_windows = 2;
    windows.windows = list;
    Musubi__FreeRequest free_request = MUSUBI__FREE_REQUEST__INIT;
    free_request.resource = (char *) "thin";
    free_request.amount = 300;
    free_request.duration_ms = 1000000;
    free_request.from_ms = at (1);
    free_request.until_ms = at (2);
    Musubi__UtilisationRequest utilisation = MUSUBI__UTILISATION_REQUEST__INIT;
    utilisation.from_ms = at (1);
    utilisation.until_ms = at (2);
    Musubi__CapacityRequest capacity = MUSUBI__CAPACITY_REQUEST__INIT;
    capacity.resource = (char *) "thin";
    capacity.quantity = 300;
    const struct {
        const char *service;
        const char *method;
        const ProtobufCMessage *request;
    } cases [] = {{"Calendar", "Profile", &profile.base},
                  {"Calendar", "Windows", &windows.base},
                  {"Calendar", "Free", &free_request.base},
                  {"Calendar", "Utilisation", &utilisation.base},
                  {"Calendar", "Capacity", &capacity.base}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ask_damaged (&w, "root", cases [i].service, cases [i].method, cases [i].request);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (is_announced_at_start_and_when_it_changes),
      cmocka_unit_test (R9_a_drain_asked_for_again_is_told_alike_and_changes_nothing),
      cmocka_unit_test (a_site_that_comes_back_smaller_says_so_until_there_is_enough),
      cmocka_unit_test (a_profile_tells_free_nodes_by_class),
      cmocka_unit_test (a_profile_is_refused_in_words),
      cmocka_unit_test (a_profile_has_at_most_so_many_steps),
      cmocka_unit_test (what_a_reservation_holds_counts_as_free_for_its_own_change),
      cmocka_unit_test (windows_fit_when_a_hold_would_be_granted),
      cmocka_unit_test (free_tells_when_and_how_loaded),
      cmocka_unit_test (utilisation_is_told_by_class_and_in_all),
      cmocka_unit_test (a_site_of_windows_tells_only_administrators_more),
      cmocka_unit_test (cut_and_damaged_questions_are_refused_or_answered),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
