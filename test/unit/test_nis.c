/*  test_nis - which questions a network domain answers and which it refuses, by events alone.
 */
#define RECORDS_MAX 8192 /* capacities of every link there may be */
#include "checks.h"
#include "message.h"
#include "nis_fixture.h"

#include "transaction.pb-c.h"

static Musubi__CapacityAnswer *set_capacity (service_world_t *w, const char *link, uint32_t mbps)
{
    Musubi__CapacityRequest request = MUSUBI__CAPACITY_REQUEST__INIT;
    request.resource = (char *) link;
    request.quantity = mbps;
    ask (w, "root", "Calendar", "Capacity", &request.base);
    return answer (w, &musubi__capacity_answer__descriptor);
}

static void R9_a_capacity_set_again_is_told_alike_and_changes_nothing (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("a-r r-b", 700, 10, 20));
    for (int times = 0; times < 3; times++) {
        Musubi__CapacityAnswer *hit = set_capacity (&w, "a-r", 600);
        assert_int_equal (hit->overbooked_count, 1);
        assert_string_equal (hit->overbooked [0], "r1");
        message_free (&hit->base);
        assert_int_equal (records_of (&w, TABLE_CAPACITIES),
                          2); /* and since when it is too little */
        assert_int_equal (free_at (&w, "a-r", 12), -100);
        if (times == 1)
            restart (&w);
    }
    size_t notices = w.notices;
    for (int times = 0; times < 3; times++) { /* something is free again: said once */
        message_free (&set_capacity (&w, "a-r", 1000)->base);
        pass (&w, 5000);
        assert_int_equal (w.notices, notices + 1);
        assert_int_equal (records_of (&w, TABLE_CAPACITIES), 0);
    }
    close_world (&w);
}

static void is_announced_with_the_capacities_there_are (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    assert_int_equal (w.announced, 1);
    assert_int_equal (w.announced_quantity, 1000);
    reserve (&w, "r1", circuit ("a-r r-b", 700, 10, 20));
    Musubi__CapacityAnswer *hit = set_capacity (&w, "a-r", 600);
    assert_int_equal (hit->overbooked_count, 1);
    assert_string_equal (hit->overbooked [0], "r1");
    assert_int_equal (ask (&w, "anybody", "Nis", "Everything", &hit->base), CALL_UNKNOWN_METHOD);
    message_free (&hit->base);
    assert_int_equal (free_at (&w, "a-r", 12), -100);
    pass (&w, 20000); /* at the latest with the next heartbeat */
    assert_int_equal (w.announced_quantity, 600);
    restart (&w);
    assert_int_equal (w.announced_quantity, 600);
    assert_int_equal (free_at (&w, "a-r", 12), -100);
    size_t notices = w.notices;
    message_free (&set_capacity (&w, "a-r", 1000)->base);
    assert_int_equal (w.notices, notices + 1);
    assert_int_equal (records_of (&w, TABLE_CAPACITIES), 0);

    Musubi__CapacityRequest request = MUSUBI__CAPACITY_REQUEST__INIT;
    request.resource = (char *) "a-r";
    request.quantity = LINK_MBPS_MAX + 1;
    assert_int_equal (ask (&w, "root", "Calendar", "Capacity", &request.base), CALL_BAD_REQUEST);
    assert_int_equal (ask (&w, "alice", "Calendar", "Capacity", &request.base), CALL_BAD_REQUEST);
    request.quantity = 1;
    assert_int_equal (ask (&w, "alice", "Calendar", "Capacity", &request.base), CALL_DENIED);
    close_world (&w);

    /*  A domain without a directory serves every caller that knows its address. */
    prepare_world (&w);
    w.settings.provider.gis_count = 0;
    start (&w);
    assert_int_equal (w.announced, 0);
    assert_int_equal (free_at (&w, "a-r", 10), 1000);
    close_world (&w);
}

static void one_question_is_about_all_links_or_those_named (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("r-b b-x", 300, 10, 20));
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = at (5);
    request.until_ms = at (60);
    ask (&w, "anybody", "Calendar", "Profile", &request.base);
    Musubi__ProfileAnswer *told = answer (&w, &musubi__profile_answer__descriptor);
    static const size_t steps [] = {1, 3, 3, 1, 1, 1};
    static const char *const names [] = {"a-r", "r-b", "b-x", "b-x2", "a-c", "c-r"};
    assert_int_equal (told->n_profiles, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal (told->profiles [i]->resource, names [i]);
        assert_int_equal (told->profiles [i]->n_steps, steps [i]);
    }
    assert_int_equal (told->profiles [2]->steps [1]->free, 100);
    message_free (&told->base);

    /*  As asked; its own counts as free. */
    char *two [] = {(char *) "b-x", (char *) "a-r"};
    request.n_resources = 2;
    request.resources = two;
    request.reservation = (char *) "r1";
    ask (&w, "alice", "Calendar", "Profile", &request.base);
    told = answer (&w, &musubi__profile_answer__descriptor);
    assert_int_equal (told->n_profiles, 2);
    assert_string_equal (told->profiles [0]->resource, "b-x");
    assert_int_equal (told->profiles [0]->n_steps, 1);
    assert_int_equal (told->profiles [0]->steps [0]->free, 400);
    message_free (&told->base);
    assert_int_equal (ask (&w, "bob", "Calendar", "Profile", &request.base), CALL_DENIED);
    two [1] = (char *) "a-b";
    assert_int_equal (ask (&w, "alice", "Calendar", "Profile", &request.base), CALL_NOT_FOUND);
    assert_string_equal (w.reason, "nis/N has no link a-b");

    Musubi__UtilisationRequest utilisation = MUSUBI__UTILISATION_REQUEST__INIT;
    utilisation.from_ms = at (10);
    utilisation.until_ms = at (20);
    ask (&w, "anybody", "Calendar", "Utilisation", &utilisation.base);
    Musubi__UtilisationAnswer *used = answer (&w, &musubi__utilisation_answer__descriptor);
    assert_int_equal (used->n_resources, 6);
    assert_float_equal (used->resources [2]->utilisation, 0.75, 1e-9);
    assert_float_equal (used->utilisation, 600.0 / 3800, 1e-9);
    message_free (&used->base);
    close_world (&w);
}

static void free_tells_when_a_link_has_room (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("r-b b-x", 300, 10, 20));
    Musubi__FreeRequest request = MUSUBI__FREE_REQUEST__INIT;
    request.amount = 150;
    request.duration_ms = 5 * MINUTE_MS;
    request.from_ms = at (5);
    request.until_ms = at (60);
    request.resource = (char *) "b-x";
    ask (&w, "anybody", "Calendar", "Free", &request.base);
    Musubi__FreeAnswer *told = answer (&w, &musubi__free_answer__descriptor);
    assert_int_equal (told->n_spans, 2);
    assert_int_equal (told->spans [1]->from_ms, at (20));
    message_free (&told->base);

    /*  The first of any link; more than there are spans changes nothing. */
    request.resource = (char *) "";
    static const struct {
        uint32_t most;
        size_t spans;
    } cases [] = {{0, 6}, {1, 1}, {4, 4}, {6, 6}, {100000, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        request.most = cases [i].most;
        ask (&w, "anybody", "Calendar", "Free", &request.base);
        told = answer (&w, &musubi__free_answer__descriptor);
        assert_int_equal (told->n_spans, cases [i].spans);
        assert_string_equal (told->spans [0]->resource, "a-c");
        if (told->n_spans == 6) {
            assert_string_equal (told->spans [5]->resource, "b-x");
            assert_int_equal (told->spans [5]->from_ms, at (20));
        }
        message_free (&told->base);
    }
    close_world (&w);
}

static void windows_are_many_and_judged_one_by_one (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("a-r r-b b-x", 300, 10, 20));
    static const struct {
        const char *link;
        int64_t from;
        int64_t until;
        uint32_t mbps;
        bool fits;
        bool fits_own; /* when what r1 holds counts as free */
    } cases [] = {
      {"b-x", 5, 10, 400, true, true},           {"b-x", 5, 11, 100, true, true},
      {"b-x", 5, 11, 101, false, true},          {"b-x", 10, 20, 400, false, true},
      {"b-x", 10, 20, 401, false, false},        {"a-r", 10, 20, 700, true, true},
      {"a-r", 10, 20, 701, false, true},         {"a-c", 10, 20, 500, true, true},
      {"a-c", 0, 20, 1, false, false},           {"a-c", 10, 1001, 1, false, false},
      {"c-r", 10, 20, UINT32_MAX, false, false},
    };
    enum { CASES = sizeof cases / sizeof *cases, MANY = 4097 };
    static Musubi__Window windows [MANY];
    static Musubi__Window *list [MANY];
    for (size_t i = 0; i < MANY; i++) {
        musubi__window__init (&windows [i]);
        windows [i].resource = (char *) cases [i % CASES].link;
        windows [i].quantity = cases [i % CASES].mbps;
        windows [i].from_ms = at (cases [i % CASES].from);
        windows [i].until_ms = at (cases [i % CASES].until);
        list [i] = &windows [i];
    }
    Musubi__WindowsRequest request = MUSUBI__WINDOWS_REQUEST__INIT;
    request.windows = list;
    request.n_windows = MANY - 1;
    for (int own = 0; own < 2; own++) {
        request.reservation = (char *) (own ? "r1" : "");
        ask (&w, "alice", "Calendar", "Windows", &request.base);
        Musubi__WindowsAnswer *told = answer (&w, &musubi__windows_answer__descriptor);
        assert_int_equal (told->n_fits, MANY - 1);
        for (size_t i = 0; i < MANY - 1; i++)
            assert_int_equal (told->fits [i],
                              own ? cases [i % CASES].fits_own : cases [i % CASES].fits);
        message_free (&told->base);
    }
    request.n_windows = MANY;
    assert_int_equal (ask (&w, "alice", "Calendar", "Windows", &request.base), CALL_BAD_REQUEST);
    assert_non_null (strstr (w.reason, "windows: more than 4096"));

    /*  While it runs, what it keeps of one link does not depend on the others. */
    pass (&w, 15 * MINUTE_MS);
    request.n_windows = 1;
    windows [0].resource = (char *) "a-r";
    windows [0].from_ms = at (10);
    windows [0].until_ms = at (30);
    windows [0].quantity = 300;
    ask (&w, "alice", "Calendar", "Windows", &request.base);
    Musubi__WindowsAnswer *told = answer (&w, &musubi__windows_answer__descriptor);
    assert_true (told->fits [0]);
    message_free (&told->base);
    close_world (&w);
}

static void a_domain_of_windows_tells_only_administrators_more (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.domain.disclosure = DISCLOSE_WINDOWS;
    start (&w);
    Musubi__ProfileRequest profile = MUSUBI__PROFILE_REQUEST__INIT;
    profile.until_ms = 1;
    assert_int_equal (ask (&w, PLANNER, "Calendar", "Profile", &profile.base), CALL_DENIED);
    assert_int_equal (ask (&w, "root", "Calendar", "Profile", &profile.base), CALL_OK);
    reserve (&w, "r1", circuit ("a-r r-b", 700, 10, 20));
    circuit_t one = circuit ("a-c c-r r-b", 400, 15, 25);
    service_order_t order = {.reservation = "r2", .bookings = &one, .count = 1};
    command_answer_t told;
    hold (&w, &order, &told);
    assert_int_equal (told.refusal.reason, REFUSAL_SHORT);
    assert_string_equal (told.refusal.resource, "N/r-b");
    assert_int_equal (told.refusal.free, 0);
    assert_int_equal (told.refusal.fresh_count, 0);
    assert_int_equal (told.refusal.from_ms, at (15));
    assert_int_equal (told.refusal.until_ms, at (25));
    assert_non_null (strstr (told.refusal.text, "not disclosed"));
    codec_clear (&command_answer_codec, &told);
    close_world (&w);
}

/*  A chain of 65 sites, the names of its links as long as can be. */
static void prepare_chain (service_world_t *w)
{
    static vertex_t vertices [CIRCUIT_LINKS_MAX + 1];
    static link_t links [CIRCUIT_LINKS_MAX];
    prepare_world (w);
    for (size_t i = 0; i <= CIRCUIT_LINKS_MAX; i++) {
        vertices [i] = (vertex_t){.kind = VERTEX_SITE};
        snprintf (vertices [i].name, sizeof vertices [i].name, "s%zu", i);
    }
    for (size_t i = 0; i < CIRCUIT_LINKS_MAX; i++) {
        links [i] = (link_t){.mbps = 1000000};
        snprintf (links [i].name, sizeof links [i].name, "%04zu-%058d", i, 0);
        memcpy (links [i].ends [0], vertices [i].name, sizeof links [i].ends [0]);
        memcpy (links [i].ends [1], vertices [i + 1].name, sizeof links [i].ends [1]);
    }
    w->settings.domain.vertices = vertices;
    w->settings.domain.vertices_count = CIRCUIT_LINKS_MAX + 1;
    w->settings.domain.links = links;
    w->settings.domain.links_count = CIRCUIT_LINKS_MAX;
    w->settings.provider.gis_count = 0;
}

/*  As many circuits over the whole chain as a part may have links, for a request as large as can
 *  be. */
static void the_largest_part_can_be_told (void **state)
{
    (void) state;
    static char names [CIRCUIT_LINKS_MAX][NAME_BYTES_MAX + 1];
    static uint8_t request [PLAN_REQUEST_BYTES_MAX];
    static service_world_t w;
    prepare_chain (&w);
    start (&w);
    for (size_t i = 0; i < CIRCUIT_LINKS_MAX; i++)
        memcpy (names [i], w.settings.domain.links [i].name, sizeof names [i]);
    circuit_t circuits [CIRCUITS_MAX];
    size_t count = PART_LINKS_MAX / CIRCUIT_LINKS_MAX;
    assert_true (count < CIRCUITS_MAX);
    for (size_t i = 0; i <= count; i++) {
        circuits [i] = (circuit_t){.links = names,
                                   .links_count = i < count ? CIRCUIT_LINKS_MAX : 1,
                                   .mbps = 1000,
                                   .from_ms = at (10 + (int64_t) i),
                                   .until_ms = at (500 + (int64_t) i)};
        snprintf (circuits [i].need, sizeof circuits [i].need, "%063zu", i);
    }
    service_order_t order = {.reservation = "r1",
                             .bookings = circuits,
                             .count = count,
                             .request = {.data = request, .size = sizeof request},
                             .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);

    Musubi__ShowRequest show = MUSUBI__SHOW_REQUEST__INIT;
    show.reservation = (char *) "r1";
    ask (&w, "alice", "Participant", "Show", &show.base);
    Musubi__ShowAnswer *shown = answer (&w, &musubi__show_answer__descriptor);
    assert_int_equal (shown->record->n_circuits, count);
    assert_int_equal (shown->record->plan->request.len, sizeof request);
    message_free (&shown->base);
    Musubi__ListRequest list = MUSUBI__LIST_REQUEST__INIT;
    ask (&w, "alice", "Participant", "List", &list.base);
    Musubi__CommandsRequest commands = MUSUBI__COMMANDS_REQUEST__INIT;
    ask (&w, "root", "Participant", "Commands", &commands.base);

    packed_t part = network_part_encode (circuits, count + 1); /* one link more */
    circuit_t *taken;
    size_t taken_count;
    char why [WHY_BYTES];
    assert_false (network_part_decode ((bytes_t){part.data, part.size}, &taken, &taken_count, why));
    assert_non_null (strstr (why, "at most 8192 links"));
    free (part.data);
    close_world (&w);
}

/*  The largest domain, its links well booked and then taken away: every answer fits a message,
 *  which ask_bytes looks at. */
static void the_largest_domain_fits_its_answers (void **state)
{
    (void) state;
    static link_t links [DOMAIN_LINKS_MAX];
    static service_world_t w;
    prepare_world (&w);
    for (size_t i = 0; i < DOMAIN_LINKS_MAX; i++) {
        links [i] = (link_t){.ends = {"a", "b"}, .mbps = 1000, .latency_us = 1};
        snprintf (links [i].name, sizeof links [i].name, "%04zu-%058d", i, 0);
    }
    w.settings.domain.links = links;
    w.settings.domain.links_count = DOMAIN_LINKS_MAX;
    w.settings.provider.gis_count = 0;
    start (&w);
    for (size_t r = 0; r < 64; r++) {
        circuit_t circuits [CIRCUITS_MAX];
        for (size_t i = 0; i < CIRCUITS_MAX; i++) {
            circuits [i] =
              (circuit_t){.need = "n",
                          .links = &links [(r * CIRCUITS_MAX + i) % DOMAIN_LINKS_MAX].name,
                          .links_count = 1,
                          .mbps = 900,
                          .from_ms = at (10 + 20 * (int64_t) (r / 16)),
                          .until_ms = at (20 + 20 * (int64_t) (r / 16))};
        }
        char name [8];
        snprintf (name, sizeof name, "r%zu", r);
        service_order_t order = {
          .reservation = name, .bookings = circuits, .count = CIRCUITS_MAX, .prepare = true};
        command_answer_t told;
        txid_t txid = hold (&w, &order, &told);
        assert_int_equal (told.state, COMMAND_PREPARED);
        codec_clear (&command_answer_codec, &told);
        assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    }
    domain_core_check (&w.host.core);

    /*  Refused on every link it names, at once. */
    circuit_t many [CIRCUITS_MAX];
    for (size_t i = 0; i < CIRCUITS_MAX; i++)
        many [i] = (circuit_t){.need = "n",
                               .links = &links [i].name,
                               .links_count = 1,
                               .mbps = 101,
                               .from_ms = at (12),
                               .until_ms = at (70)};
    service_order_t order = {.reservation = "too-much", .bookings = many, .count = CIRCUITS_MAX};
    command_answer_t told;
    hold (&w, &order, &told);
    assert_int_equal (told.refusal.reason, REFUSAL_SHORT);
    assert_int_equal (told.refusal.fresh_count, CIRCUITS_MAX);
    codec_clear (&command_answer_codec, &told);

    static const uint8_t none [4] = {0};
    for (size_t i = 0; i < DOMAIN_LINKS_MAX; i++)
        record_put (&w, &(effect_t){.kind = EFFECT_PUT,
                                    .record = {.table = TABLE_CAPACITIES,
                                               .key = {(const uint8_t *) links [i].name, 63},
                                               .value = {none, 4}}});
    restart (&w);
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = at (10);
    request.until_ms = at (80);
    ask (&w, "anybody", "Calendar", "Profile", &request.base);
    Musubi__ProfileAnswer *profiles = answer (&w, &musubi__profile_answer__descriptor);
    assert_int_equal (profiles->n_profiles, DOMAIN_LINKS_MAX);
    for (size_t i = 0; i < profiles->n_profiles; i++) {
        const Musubi__Profile *profile = profiles->profiles [i];
        assert_string_equal (profile->resource, links [i].name);
        assert_int_equal (profile->n_steps, 7);
        for (size_t s = 0; s < 7; s++)
            assert_int_equal (profile->steps [s]->free, s % 2 ? 0 : -900);
    }
    message_free (&profiles->base);

    Musubi__UtilisationRequest utilisation = MUSUBI__UTILISATION_REQUEST__INIT;
    utilisation.until_ms = at (100);
    assert_int_equal (ask (&w, "anybody", "Calendar", "Utilisation", &utilisation.base), CALL_OK);
    Musubi__FreeRequest free_request = MUSUBI__FREE_REQUEST__INIT;
    free_request.amount = 1;
    free_request.duration_ms = 1;
    free_request.from_ms = at (0);
    free_request.until_ms = at (100);
    free_request.most = UINT32_MAX;
    assert_int_equal (ask (&w, "anybody", "Calendar", "Free", &free_request.base), CALL_OK);
    close_world (&w);
}

static void cut_and_damaged_questions_are_refused_or_answered (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("a-r", 1, 10, 20));
    char *links [] = {(char *) "a-r", (char *) "r-b"};
    Musubi__ProfileRequest profile = MUSUBI__PROFILE_REQUEST__INIT;
    profile.n_resources = 2;
    profile.resources = links;
    profile.from_ms = at (1);
    profile.until_ms = at (2);
    profile.reservation = (char *) "r1";
    Musubi__Requirement require = MUSUBI__REQUIREMENT__INIT;
    require.attribute = (char *) "media";
    require.test_case = MUSUBI__REQUIREMENT__TEST_VALUE;
    require.value = (char *) "fibre";
    Musubi__Requirement *requires [] = {&require};
    Musubi__PathQuestion path = MUSUBI__PATH_QUESTION__INIT;
    path.from = (char *) "a";
    path.to = (char *) "X";
    path.mbps = 300;
    path.from_ms = at (1);
    path.until_ms = at (2);
    path.latency_ms_max = 30;
    path.n_require = 1;
    path.require = requires;
    path.route = (char *) "free";
    Musubi__PathQuestion *paths_list [] = {&path, &path};
    Musubi__PathsRequest paths = MUSUBI__PATHS_REQUEST__INIT;
    paths.n_questions = 2;
    paths.questions = paths_list;
    paths.reservation = (char *) "r1";
    Musubi__UseRequest use = MUSUBI__USE_REQUEST__INIT;
    use.reservation = (char *) "r1";
    const struct {
        const char *service;
        const char *method;
        const ProtobufCMessage *request;
    } cases [] = {
      {"Calendar", "Profile", &profile.base},
      {"Nis", "Paths", &paths.base},
      {"Nis", "Provision", &use.base},
      {"Nis", "Release", &use.base},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ask_damaged (&w, "root", cases [i].service, cases [i].method, cases [i].request);
    domain_core_check (&w.host.core);
    close_world (&w);
}

/*  However a part's bytes are damaged, the domain does not die, nor book what is not offered. */
static void damaged_holds_are_refused_or_taken (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    circuit_t two [] = {circuit ("a-r r-b b-x", 7, 10, 20), circuit ("c-r", 8, 10, 20)};
    packed_t part = network_part_encode (two, 2);
    participant_ref_t participant = {.name = "nis/N", .endpoint = "sim://nis/N"};
    memcpy (participant.store, fixture_store, STORE_ID_BYTES);
    for (size_t at_byte = 0; at_byte < part.size; at_byte++) {
        for (int damaged = 1; damaged < 256; damaged += 17) {
            part.data [at_byte] = (uint8_t) (part.data [at_byte] + damaged);
            hold_t asked = {
              .plan = {.txid = {.store = {[15] = 1}, .start = 1, .counter = ++w.counter},
                       .participants = &participant,
                       .participants_count = 1,
                       .coordinator = {.name = PLANNER, .store = {[15] = 1}, .endpoint = "sim://p"},
                       .decide_by_ms = w.host.now.wall_ms + 10000,
                       .edge_ms = at (900),
                       .reservation = "r1",
                       .actor = "alice"},
              .part_kind = PART_NETWORK,
            };
            /*  As bytes of the message: an encoder would not take them. */
            packed_t whole = codec_encode (&hold_codec, &asked);
            uint8_t *body = malloc (whole.size + part.size + 4);
            assert_non_null (body);
            memcpy (body, whole.data, whole.size);
            size_t size = whole.size;
            body [size++] = 7 << 3 | 2;
            body [size++] = (uint8_t) (part.size | 0x80);
            body [size++] = (uint8_t) (part.size >> 7);
            memcpy (body + size, part.data, part.size);
            ask_bytes (&w, PLANNER, "Participant", "Hold",
                       (bytes_t){.data = body, .size = size + part.size});
            domain_core_check (&w.host.core);
            tell (&w, "Abort", &asked.plan.txid);
            free (body);
            free (whole.data);
            part.data [at_byte] = (uint8_t) (part.data [at_byte] - damaged);
        }
        restart (&w); /* forgets the records' answers, not the records */
        records_clear (&w.host.records);
        restart (&w);
    }
    free (part.data);
    assert_int_equal (free_at (&w, "a-r", 12), 1000);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (R9_a_capacity_set_again_is_told_alike_and_changes_nothing),
      cmocka_unit_test (is_announced_with_the_capacities_there_are),
      cmocka_unit_test (one_question_is_about_all_links_or_those_named),
      cmocka_unit_test (free_tells_when_a_link_has_room),
      cmocka_unit_test (windows_are_many_and_judged_one_by_one),
      cmocka_unit_test (a_domain_of_windows_tells_only_administrators_more),
      cmocka_unit_test (the_largest_part_can_be_told),
      cmocka_unit_test (the_largest_domain_fits_its_answers),
      cmocka_unit_test (cut_and_damaged_questions_are_refused_or_answered),
      cmocka_unit_test (damaged_holds_are_refused_or_taken),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
