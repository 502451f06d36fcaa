/*  test_nis_paths - paths through a domain, over links that are free for so long. How a path is
 *  chosen is test_path's business; here it is what is asked, counted, told and hidden.
 */
#include "message.h"
#include "nis_fixture.h"

typedef struct {
    const char *from;
    const char *to;
    uint32_t mbps;
    int64_t from_minute;
    int64_t until_minute;
    double latency_ms_max;
    const char *media;
    const char *route;
} asked_path_t;

/*  Fills a question that lives as long as what it is filled from. */
typedef struct {
    Musubi__PathQuestion message;
    Musubi__Requirement require;
    Musubi__Requirement *list [1];
} nis_paths_question_t;

static void fill (nis_paths_question_t *to, const asked_path_t *from)
{
    musubi__path_question__init (&to->message);
    to->message.from = (char *) from->from;
    to->message.to = (char *) from->to;
    to->message.mbps = from->mbps;
    to->message.from_ms = at (from->from_minute);
    to->message.until_ms = at (from->until_minute);
    to->message.latency_ms_max = from->latency_ms_max;
    if (from->route)
        to->message.route = (char *) from->route;
    if (from->media) {
        musubi__requirement__init (&to->require);
        to->require.attribute = (char *) "media";
        to->require.test_case = MUSUBI__REQUIREMENT__TEST_VALUE;
        to->require.value = (char *) from->media;
        to->list [0] = &to->require;
        to->message.n_require = 1;
        to->message.require = to->list;
    }
}

static call_status_t ask_paths (service_world_t *w, const char *actor, const asked_path_t *asked,
                                size_t count, const char *reservation)
{
    nis_paths_question_t *questions = calloc (count + 1, sizeof *questions);
    Musubi__PathQuestion **list = calloc (count + 1, sizeof (Musubi__PathQuestion *));
    assert_true (questions && list);
    for (size_t i = 0; i < count; i++) {
        fill (&questions [i], &asked [i]);
        list [i] = &questions [i].message;
    }
    Musubi__PathsRequest request = MUSUBI__PATHS_REQUEST__INIT;
    request.n_questions = count;
    request.questions = list;
    request.reservation = (char *) reservation;
    call_status_t status = ask (w, actor, "Nis", "Paths", &request.base);
    free (questions);
    free (list);
    return status;
}

/*  "a-r r-b", or "" when there is none; with its room. */
static const char *links_of (const Musubi__PathAnswer *told)
{
    static char text [4][1024];
    static size_t next;
    char *links = text [next++ % 4];
    links [0] = '\0';
    for (size_t i = 0; i < told->n_links; i++)
        snprintf (links + strlen (links), 1024 - strlen (links), "%s%s", i ? " " : "",
                  told->links [i]);
    return links;
}

static void finds_the_way_that_is_free (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("a-r", 900, 10, 20));
    static const struct {
        asked_path_t asked;
        const char *links;
        uint32_t mbps;
        double latency_ms;
        const char *reason;
    } cases [] = {
      {{"a", "b", 100, 10, 20, 0, NULL, NULL}, "a-r r-b", 100, 3.5, ""},
      {{"a", "b", 100, 10, 20, 0, NULL, "free"}, "a-r r-b", 100, 3.5, ""},
      {{"a", "b", 101, 10, 20, 0, NULL, NULL}, "a-c c-r r-b", 500, 2.8, ""},
      {{"a", "b", 101, 20, 30, 0, NULL, NULL}, "a-r r-b", 1000, 3.5, ""},
      {{"a", "b", 101, 10, 20, 0, NULL, "fixed"}, "", 0, 0, "N/a-r has 100 Mbit/s free of the 101"},
      {{"b", "a", 501, 15, 30, 0, NULL, NULL}, "", 0, 0, "has 500 Mbit/s free of the 501"},
      {{"a", "b", 1, 10, 20, 3, NULL, NULL}, "a-c c-r r-b", 500, 2.8, ""},
      {{"a", "b", 1, 10, 20, 2.799, NULL, NULL}, "", 0, 0, "takes 2.800 ms"},
      {{"b", "X", 1, 10, 20, 0, NULL, NULL}, "b-x", 400, 0.3, ""},
      {{"b", "X", 1, 10, 20, 0, "satellite", NULL}, "b-x2", 100, 250, ""},
      {{"a", "X", 1, 10, 20, 0, "satellite", NULL}, "", 0, 0, "links that meet the requirements"},
      {{"N/r", "X", 1, 10, 20, 0, "fibre", NULL}, "r-b b-x", 400, 2.8, ""},
      {{"a", "Y", 1, 10, 20, 0, NULL, NULL}, "", 0, 0, "N has no vertex Y"},
      {{"r", "b", 1, 10, 20, 0, NULL, NULL}, "", 0, 0, "N has no vertex r"},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    asked_path_t asked [CASES];
    for (size_t i = 0; i < CASES; i++)
        asked [i] = cases [i].asked;
    assert_int_equal (ask_paths (&w, "anybody", asked, CASES, ""), CALL_OK);
    Musubi__PathsAnswer *told = answer (&w, &musubi__paths_answer__descriptor);
    assert_int_equal (told->n_answers, CASES);
    for (size_t i = 0; i < CASES; i++) {
        const Musubi__PathAnswer *one = told->answers [i];
        if (strcmp (links_of (one), cases [i].links) != 0 ||
            !strstr (one->reason, cases [i].reason))
            print_message ("case %zu: [%s] %s\n", i, links_of (one), one->reason);
        assert_string_equal (links_of (one), cases [i].links);
        assert_int_equal (one->found, *cases [i].links != '\0');
        assert_int_equal (one->mbps, cases [i].mbps);
        assert_float_equal (one->latency_ms, cases [i].latency_ms, 1e-9);
        assert_non_null (strstr (one->reason, cases [i].reason));
        if (one->found) {
            assert_int_equal (one->n_vertices, one->n_links + 1);
            assert_string_equal (one->vertices [0], cases [i].asked.from);
            assert_string_equal (one->vertices [one->n_links], cases [i].asked.to);
            assert_string_equal (one->reason, "");
        }
    }
    message_free (&told->base);
    close_world (&w);
}

static void what_a_reservation_holds_counts_as_free_for_its_own_change (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("a-r", 900, 10, 20));
    static const asked_path_t asked = {"a", "b", 1000, 10, 20, 0, NULL, NULL};
    assert_int_equal (ask_paths (&w, "alice", &asked, 1, "r1"), CALL_OK);
    Musubi__PathsAnswer *told = answer (&w, &musubi__paths_answer__descriptor);
    assert_string_equal (links_of (told->answers [0]), "a-r r-b");
    message_free (&told->base);
    assert_int_equal (ask_paths (&w, "bob", &asked, 1, "r1"), CALL_DENIED);
    close_world (&w);
}

static void fixed_paths_go_by_the_capacity_there_is_now (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    /*  A second link from a to r, narrower. */
    static link_t links [7];
    memcpy (links, w.settings.domain.links, 6 * sizeof *links);
    links [6] = (link_t){.name = "a-r2", .ends = {"a", "N/r"}, .mbps = 600};
    w.settings.domain.links = links;
    w.settings.domain.links_count = 7;
    w.settings.provider.gis_count = 0;
    start (&w);
    static const asked_path_t asked = {"a", "N/r", 100, 10, 20, 0, NULL, "fixed"};
    static const char *const want [] = {"a-r", "a-r2", "a-r2", "a-r"};
    static const uint32_t mbps [] = {1000, 500, 0, 1000};
    for (size_t i = 0; i < 4; i++) {
        if (i == 2)
            restart (&w);
        if (i != 2) {
            Musubi__CapacityRequest request = MUSUBI__CAPACITY_REQUEST__INIT;
            request.resource = (char *) "a-r";
            request.quantity = mbps [i];
            assert_int_equal (ask (&w, "root", "Calendar", "Capacity", &request.base), CALL_OK);
        }
        assert_int_equal (ask_paths (&w, "anybody", &asked, 1, ""), CALL_OK);
        Musubi__PathsAnswer *told = answer (&w, &musubi__paths_answer__descriptor);
        assert_string_equal (links_of (told->answers [0]), want [i]);
        message_free (&told->base);
    }
    close_world (&w);
}

static void where_windows_are_disclosed_paths_tell_no_quantity (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.domain.disclosure = DISCLOSE_WINDOWS;
    start (&w);
    reserve (&w, "r1", circuit ("a-r", 900, 10, 20));
    static const asked_path_t asked [] = {{"a", "b", 70, 10, 20, 0, NULL, NULL},
                                          {"a", "b", 101, 10, 20, 0, NULL, NULL},
                                          {"a", "b", 501, 10, 20, 0, NULL, NULL},
                                          {"a", "b", 101, 10, 20, 0, NULL, "fixed"},
                                          {"a", "X", 1, 10, 20, 0, "satellite", NULL}};
    static const uint32_t mbps [] = {70, 101, 0, 0, 0};
    static const uint32_t administrator_mbps [] = {100, 500, 0, 0, 0};
    for (int administrator = 0; administrator < 2; administrator++) {
        assert_int_equal (ask_paths (&w, administrator ? "root" : PLANNER, asked, 5, ""), CALL_OK);
        Musubi__PathsAnswer *told = answer (&w, &musubi__paths_answer__descriptor);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal (told->answers [i]->mbps,
                              administrator ? administrator_mbps [i] : mbps [i]);
        for (size_t i = 2; i < 4; i++) {
            bool hidden = strstr (told->answers [i]->reason, "not disclosed") != NULL;
            assert_int_equal (hidden, !administrator);
            assert_int_equal (strstr (told->answers [i]->reason, "Mbit/s free") == NULL,
                              !administrator);
        }
        assert_non_null (strstr (told->answers [4]->reason, "meet the requirements"));
        message_free (&told->base);
    }
    close_world (&w);
}

static void questions_are_bounded_and_checked (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    static const struct {
        asked_path_t asked;
        const char *reason; /* "" = answered */
    } cases [] = {
      {{"a", "b", 1, 10, 20, 0, NULL, NULL}, ""},
      {{"a", "a", 1, 10, 20, 0, NULL, NULL}, ""},
      {{"", "b", 1, 10, 20, 0, NULL, NULL}, "questions[0].from: "},
      {{"a", "b\n", 1, 10, 20, 0, NULL, NULL}, "questions[0].to: "},
      {{"a", "b", 0, 10, 20, 0, NULL, NULL}, "questions[0].mbps: "},
      {{"a", "b", 1, 20, 20, 0, NULL, NULL}, "questions[0].until_ms: "},
      {{"a", "b", 1, 10, 20, -1, NULL, NULL}, "questions[0].latency_ms_max: "},
      {{"a", "b", 1, 10, 20, 1e300, NULL, NULL}, "questions[0].latency_ms_max: "},
      {{"a", "b", 1, 10, 20, 0, NULL, "cheap"}, "should be free or fixed"},
      {{"a", "b", 1, 10, 20, 0, NULL, "slow"}, "should be free or fixed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call_status_t status = ask_paths (&w, "anybody", &cases [i].asked, 1, "");
        assert_int_equal (status, *cases [i].reason ? CALL_BAD_REQUEST : CALL_OK);
        assert_non_null (strstr (w.reason, cases [i].reason));
    }

    /*  A latency too small to count is not "any". */
    static const asked_path_t quick = {"a", "b", 1, 10, 20, 1e-9, NULL, NULL};
    assert_int_equal (ask_paths (&w, "anybody", &quick, 1, ""), CALL_OK);
    Musubi__PathsAnswer *told = answer (&w, &musubi__paths_answer__descriptor);
    assert_false (told->answers [0]->found);
    message_free (&told->base);

    /*  No links lead from a vertex to itself: as much as asked. */
    assert_int_equal (ask_paths (&w, "anybody", &cases [1].asked, 1, ""), CALL_OK);
    told = answer (&w, &musubi__paths_answer__descriptor);
    assert_true (told->answers [0]->found);
    assert_int_equal (told->answers [0]->n_links, 0);
    assert_int_equal (told->answers [0]->n_vertices, 1);
    assert_int_equal (told->answers [0]->mbps, 1);
    message_free (&told->base);

    asked_path_t many [257];
    for (size_t i = 0; i < 257; i++)
        many [i] = (asked_path_t){"a", "X", 401, 10, 20, 0, NULL, NULL};
    assert_int_equal (ask_paths (&w, "anybody", many, 257, ""), CALL_BAD_REQUEST);
    assert_non_null (strstr (w.reason, "questions: more than 256"));
    assert_int_equal (ask_paths (&w, "anybody", many, 256, ""), CALL_OK);
    told = answer (&w, &musubi__paths_answer__descriptor);
    assert_int_equal (told->n_answers, 256);
    assert_non_null (strstr (told->answers [31]->reason, "N/b-x has 400 Mbit/s free"));
    assert_non_null (strstr (told->answers [32]->reason, "only the first 32 questions"));
    message_free (&told->base);
    assert_int_equal (ask_paths (&w, "anybody", many, 0, ""), CALL_OK);
    close_world (&w);
}

/*  A chain of 64 links with the longest names: 256 such paths are more than a message holds. */
static void an_answer_too_long_for_a_message_is_refused_in_words (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    static vertex_t vertices [65];
    static link_t links [64];
    for (size_t i = 0; i < 65; i++) {
        vertices [i] = (vertex_t){.kind = VERTEX_ROUTER};
        snprintf (vertices [i].name, sizeof vertices [i].name, "N/%02zu%059d", i, 0);
    }
    for (size_t i = 0; i < 64; i++) {
        links [i] = (link_t){.mbps = 10};
        snprintf (links [i].name, sizeof links [i].name, "%02zu%061d", i, 0);
        memcpy (links [i].ends [0], vertices [i].name, sizeof vertices [i].name);
        memcpy (links [i].ends [1], vertices [i + 1].name, sizeof vertices [i].name);
    }
    w.settings.domain.vertices = vertices;
    w.settings.domain.vertices_count = 65;
    w.settings.domain.links = links;
    w.settings.domain.links_count = 64;
    w.settings.provider.gis_count = 0;
    start (&w);
    asked_path_t many [256];
    for (size_t i = 0; i < 256; i++)
        many [i] = (asked_path_t){vertices [0].name, vertices [64].name, 1, 10, 20, 0, NULL, NULL};
    assert_int_equal (ask_paths (&w, "anybody", many, 256, ""), CALL_BAD_REQUEST);
    assert_non_null (strstr (w.reason, "ask fewer at once"));
    assert_int_equal (ask_paths (&w, "anybody", many, 64, ""), CALL_OK);
    Musubi__PathsAnswer *told = answer (&w, &musubi__paths_answer__descriptor);
    assert_int_equal (told->answers [63]->n_links, 64);
    message_free (&told->base);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (finds_the_way_that_is_free),
      cmocka_unit_test (what_a_reservation_holds_counts_as_free_for_its_own_change),
      cmocka_unit_test (fixed_paths_go_by_the_capacity_there_is_now),
      cmocka_unit_test (where_windows_are_disclosed_paths_tell_no_quantity),
      cmocka_unit_test (questions_are_bounded_and_checked),
      cmocka_unit_test (an_answer_too_long_for_a_message_is_refused_in_words),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
