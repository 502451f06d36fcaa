/*  check, for networks: a reservation over three sites and two domains that has all it asked for is
 *  not accused. When any one thing in it is changed it is, in words that name the thing. */
#include "check_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/*  Domain N has ams, ber and the exchange point X1, domain S has X1 and cph:
 *
 *      ams ── a-x ── X1 ── x-c ── cph          a-b, between ams and ber, is long;
 *                    │                          spare is from X1 to cph, too
 *             ber ── b-x
 */
static attribute_t fibre = {.name = "media", .value = "fibre"};
static attribute_t paris [] = {{.name = "location", .value = "paris"},
                               {.name = "floor", .value = "2"}};
static attribute_t paris_too [] = {{.name = "floor", .value = "2"},
                                   {.name = "location", .value = "paris"}};
static attribute_t lyon [] = {{.name = "location", .value = "lyon"},
                              {.name = "floor", .value = "2"}};
static attribute_t memory = {.name = "memory_gb", .value = "16"};

#define FIBRE .attributes = &fibre, .attributes_count = 1

static const struct {
    const char *domain;
    link_t link;
} links [] = {
  {"nis/N", {.name = "a-x", .ends = {"ams", "X1"}, .mbps = 1000, .latency_us = 5000, FIBRE}},
  {"nis/N", {.name = "b-x", .ends = {"X1", "ber"}, .mbps = 1500, .latency_us = 5000, FIBRE}},
  {"nis/N", {.name = "a-b", .ends = {"ams", "ber"}, .mbps = 1000, .latency_us = 40000, FIBRE}},
  {"nis/S", {.name = "x-c", .ends = {"cph", "X1"}, .mbps = 600, .latency_us = 3000}},
  {"nis/S", {.name = "spare", .ends = {"X1", "cph"}, .mbps = 600, .latency_us = 3000}},
};

enum { GIS, AMS, BER, CPH, N, S, PARTS };
enum { A_B_WAY_OUT, B_C_IN_N, B_C_IN_S, CIRCUITS };

/*  A reservation as its participants record it; a test changes it before the judge sees it. */
typedef struct {
    vertex_t exchange_in_s; /* X1, as S describes it */
    requirement_t compute_require;
    requirement_t network_require;
    participant_ref_t parties [PARTS];
    plan_t plan;
    compute_need_t compute [3];
    network_need_t network [2];
    user_request_t request;
    compute_booking_t bookings [PARTS][2];
    size_t bookings_count [PARTS];
    circuit_t circuits [PARTS][3];
    size_t circuits_count [PARTS];
    char names [PARTS][3][3][NAME_BYTES_MAX + 1]; /* of links */
    command_state_t state [PARTS];
    bool told [PARTS]; /* its record is */
} check_asked_story_t;

static void ask_compute (compute_need_t *need, const char *id, uint32_t cpus, int64_t offset_ms,
                         int64_t duration_ms)
{
    *need = (compute_need_t){.cpus = cpus, .offset_ms = offset_ms, .duration_ms = duration_ms};
    snprintf (need->id, sizeof need->id, "%s", id);
}

static network_need_t connection (const char *from, const char *to, uint32_t mbps)
{
    network_need_t need = {.mbps = mbps};
    snprintf (need.ends [0], sizeof need.ends [0], "%s", from);
    snprintf (need.ends [1], sizeof need.ends [1], "%s", to);
    snprintf (need.id, sizeof need.id, "%s-%s", from, to);
    return need;
}

static void book (check_asked_story_t *self, int part, const char *need, uint32_t cpus, int from,
                  int until)
{
    compute_booking_t *booking = &self->bookings [part][self->bookings_count [part]++];
    *booking = (compute_booking_t){.class_name = "thin",
                                   .cpus = cpus,
                                   .nodes = (cpus + 3) / 4,
                                   .from_ms = (int64_t) from * HOUR_MS,
                                   .until_ms = (int64_t) until * HOUR_MS};
    snprintf (booking->need, sizeof booking->need, "%s", need);
}

/*  A circuit over one or two links (the second may be NULL). */
static void lay (check_asked_story_t *self, int part, const char *need, const char *link,
                 const char *second, uint32_t mbps, uint32_t hop, int from, int until)
{
    size_t at = self->circuits_count [part]++;
    circuit_t *circuit = &self->circuits [part][at];
    *circuit = (circuit_t){.links = self->names [part][at],
                           .links_count = second ? 2 : 1,
                           .mbps = mbps,
                           .hop = hop,
                           .from_ms = (int64_t) from * HOUR_MS,
                           .until_ms = (int64_t) until * HOUR_MS};
    snprintf (circuit->need, sizeof circuit->need, "%s", need);
    snprintf (circuit->links [0], sizeof circuit->links [0], "%s", link);
    if (second)
        snprintf (circuit->links [1], sizeof circuit->links [1], "%s", second);
}

/*  Starts at ten. a: 10 to 14, b: 11 to 13, c: 10 to 14; a-b over the time they share, b-c for an
 *  hour from twelve. */
static void good (check_asked_story_t *self)
{
    static const char *const names [PARTS] = {"gis/g1",  "lis/ams", "lis/ber",
                                              "lis/cph", "nis/N",   "nis/S"};
    *self = (check_asked_story_t){
      .exchange_in_s = {.name = "X1",
                        .kind = VERTEX_EXCHANGE,
                        .attributes = paris_too,
                        .attributes_count = 2},
      .compute_require = {.attribute = "memory_gb", .numeric = true, .min = 16},
      .network_require = {.attribute = "media", .value = "fibre"}};
    for (int i = 0; i < PARTS; i++) {
        snprintf (self->parties [i].name, sizeof self->parties [i].name, "%s", names [i]);
        self->state [i] = COMMAND_COMMITTED;
        self->told [i] = true;
    }
    ask_compute (&self->compute [0], "a", 8, 0, 0);
    ask_compute (&self->compute [1], "b", 7, HOUR_MS, 2 * HOUR_MS);
    ask_compute (&self->compute [2], "c", 8, 0, 0);
    self->compute [0].require = &self->compute_require;
    self->compute [0].require_count = 1;
    snprintf (self->compute [1].site, sizeof self->compute [1].site, "ber");
    self->request =
      (user_request_t){.window = {.earliest = {.set = true, .ms = 9 * (int64_t) HOUR_MS},
                                  .latest = {.set = true, .ms = 10 * (int64_t) HOUR_MS},
                                  .deadline = {.set = true, .ms = 14 * (int64_t) HOUR_MS}},
                       .duration_ms = 4 * HOUR_MS,
                       .distinct_sites = true,
                       .compute = self->compute,
                       .compute_count = 3,
                       .network = self->network,
                       .network_count = 2};
    self->network [0] = connection ("a", "b", 1000);
    self->network [0].require = &self->network_require;
    self->network [0].require_count = 1;
    self->network [0].latency_us_max = 10000;
    self->network [1] = connection ("b", "c", 500);
    self->network [1].offset_ms = 2 * HOUR_MS;
    self->network [1].duration_ms = HOUR_MS;
    book (self, AMS, "a", 8, 10, 14);
    book (self, BER, "b", 7, 11, 13);
    book (self, CPH, "c", 8, 10, 14);
    lay (self, N, "a-b", "a-x", "b-x", 1000, 0, 11, 13);
    lay (self, N, "b-c", "b-x", NULL, 500, 0, 12, 13);
    lay (self, S, "b-c", "x-c", NULL, 500, 1, 12, 13);
}

static void tell_story (fixture_t *self, check_asked_story_t *story)
{
    static const char *const sites [] = {"lis/ams", "lis/ber", "lis/cph"};
    node_class_t thin = {.name = "thin",
                         .nodes = 10,
                         .cpus_per_node = 4,
                         .attributes = &memory,
                         .attributes_count = 1};
    vertex_t exchange = {
      .name = "X1", .kind = VERTEX_EXCHANGE, .attributes = paris, .attributes_count = 2};
    for (size_t i = 0; i < 3; i++)
        check_class (self->check, sites [i], &thin, 0);
    for (size_t i = 0; i < sizeof links / sizeof links [0]; i++)
        check_link (self->check, links [i].domain, &links [i].link);
    check_vertex (self->check, "nis/N", &(vertex_t){.name = "ams"});
    check_vertex (self->check, "nis/N", &(vertex_t){.name = "ber"});
    check_vertex (self->check, "nis/N", &exchange);
    check_vertex (self->check, "nis/S", &story->exchange_in_s);
    check_vertex (self->check, "nis/S", &(vertex_t){.name = "cph"});

    story->plan.txid = (txid_t){.start = 1, .counter = 1};
    snprintf (story->plan.reservation, sizeof story->plan.reservation, "r1");
    story->plan.participants = story->parties;
    story->plan.participants_count = PARTS;
    for (int i = 0; i < PARTS; i++)
        if (story->told [i])
            check_command (self->check, story->parties [i].name,
                           &(check_record_t){.plan = story->plan,
                                             .state = story->state [i],
                                             .bookings = story->bookings [i],
                                             .bookings_count = story->bookings_count [i],
                                             .circuits = story->circuits [i],
                                             .circuits_count = story->circuits_count [i],
                                             .request = &story->request});
}

static int set_up (void **state)
{
    *state = fixture_new ();
    return 0;
}

static void one_that_has_all_it_asks_is_not_accused (void **state)
{
    fixture_t *self = *state;
    check_asked_story_t story;
    good (&story);
    tell_story (self, &story);
    check_result_t result = judge (self, 1, true);
    if (result.violations)
        fail_msg ("%s", self->told [0]);
    assert_int_equal (result.reservations, 1);
    assert_int_equal (result.connections, 2);
    assert_int_equal (result.circuits, 3);
    assert_int_equal (result.unasked, 0);
}

/*  --- one change at a time --- */

static circuit_t *circuit (check_asked_story_t *self, int which)
{
    return which == B_C_IN_S ? &self->circuits [S][0] : &self->circuits [N][which];
}

static void a_circuit_less (check_asked_story_t *self)
{
    self->circuits_count [S] = 0;
}
static void a_middle_piece_less (check_asked_story_t *self)
{
    self->circuits_count [N] = 1;
}
static void no_circuit_at_all (check_asked_story_t *self)
{
    self->circuits [N][0] = self->circuits [N][1];
    self->circuits_count [N] = 1;
}
static void a_piece_twice (check_asked_story_t *self)
{
    lay (self, S, "b-c", "spare", NULL, 500, 1, 12, 13);
}
static void another_way_round (check_asked_story_t *self)
{
    snprintf (circuit (self, A_B_WAY_OUT)->links [0], NAME_BYTES_MAX, "b-x");
    snprintf (circuit (self, A_B_WAY_OUT)->links [1], NAME_BYTES_MAX, "a-x");
}
static void ends_too_early (check_asked_story_t *self)
{
    circuit (self, A_B_WAY_OUT)->links_count = 1;
}
static void there_and_back (check_asked_story_t *self)
{
    snprintf (circuit (self, A_B_WAY_OUT)->links [1], NAME_BYTES_MAX, "a-x");
}
static void a_link_of_nobody (check_asked_story_t *self)
{
    snprintf (circuit (self, B_C_IN_S)->links [0], NAME_BYTES_MAX, "none");
}
static void too_little_bandwidth (check_asked_story_t *self)
{
    circuit (self, B_C_IN_S)->mbps = 499;
}
static void another_hour (check_asked_story_t *self)
{
    circuit (self, B_C_IN_N)->from_ms -= 1;
}
static void ends_before_asked (check_asked_story_t *self)
{
    circuit (self, A_B_WAY_OUT)->until_ms -= 1;
}
static void slower_than_asked (check_asked_story_t *self)
{
    self->network [0].latency_us_max = 9999;
}
static void an_exchange_elsewhere (check_asked_story_t *self)
{
    self->exchange_in_s.attributes = lyon;
}
static void an_exchange_less_described (check_asked_story_t *self)
{
    self->exchange_in_s.attributes_count = 1;
}
static void an_exchange_that_is_a_site (check_asked_story_t *self)
{
    self->exchange_in_s.kind = VERTEX_SITE;
}
static void over_no_fibre (check_asked_story_t *self)
{
    self->network [1].require = &self->network_require;
    self->network [1].require_count = 1;
}
static void too_little_memory (check_asked_story_t *self)
{
    self->compute_require.min = 16.5;
}
static void another_site (check_asked_story_t *self)
{
    snprintf (self->compute [1].site, sizeof self->compute [1].site, "ams");
}
static void too_early (check_asked_story_t *self)
{
    self->request.window.earliest.ms = 10 * (int64_t) HOUR_MS + 1;
}
static void too_late (check_asked_story_t *self)
{
    self->request.window.latest.ms = 10 * (int64_t) HOUR_MS - 1;
}
static void past_the_deadline (check_asked_story_t *self)
{
    self->request.window.deadline.ms = 14 * (int64_t) HOUR_MS - 1;
}
static void bandwidth_for_nobody (check_asked_story_t *self)
{
    lay (self, S, "a-c", "spare", NULL, 1, 0, 12, 13);
}
static void circuits_inside_a_site (check_asked_story_t *self)
{
    self->request.distinct_sites = false;
    self->network [1] = connection ("a", "b", 500);
    snprintf (self->network [1].id, sizeof self->network [1].id, "b-c");
    self->bookings_count [BER] = 0;
    book (self, AMS, "b", 7, 11, 13);
}
static void no_cpus_at_an_end (check_asked_story_t *self)
{
    self->bookings_count [CPH] = 0;
}
static void nobody_computes (check_asked_story_t *self)
{
    self->bookings_count [AMS] = self->bookings_count [BER] = self->bookings_count [CPH] = 0;
}
static void fewer_cpus (check_asked_story_t *self)
{
    self->bookings [AMS][0].cpus = 7;
}
static void fewer_nodes (check_asked_story_t *self)
{
    self->bookings [AMS][0].nodes = 1;
}
static void shorter_than_asked (check_asked_story_t *self)
{
    self->bookings [AMS][0].until_ms -= 1;
}
static void off_the_others (check_asked_story_t *self)
{
    self->bookings [CPH][0].from_ms += 5;
    self->bookings [CPH][0].until_ms += 5;
}
static void booked_twice (check_asked_story_t *self)
{
    book (self, CPH, "a", 8, 10, 14);
}
static void cpus_for_nobody (check_asked_story_t *self)
{
    book (self, CPH, "d", 8, 10, 14);
}
static void two_at_one_site (check_asked_story_t *self)
{
    self->bookings_count [AMS] = 0;
    book (self, CPH, "a", 8, 10, 14);
}
static void a_domain_without_it (check_asked_story_t *self)
{
    self->told [S] = false;
}
static void a_domain_that_aborted (check_asked_story_t *self)
{
    self->state [N] = COMMAND_ABORTED;
}

static const struct {
    const char *name;
    void (*change) (check_asked_story_t *);
    const char *sentence; /* must be part of a reported sentence */
} changes [] = {
  {"a circuit less", a_circuit_less, "b-c leads from ber to X1, not to cph"},
  {"a middle piece less", a_middle_piece_less, "b-c has hop 1 where hop 0 should be"},
  {"no circuit at all", no_circuit_at_all, "a-b has no circuit from ams to ber"},
  {"a piece twice", a_piece_twice, "b-c has hop 1 where hop 2 should be, at nis/S"},
  {"another way round", another_way_round, "a-b is broken: link N/b-x does not begin at ams"},
  {"ends too early", ends_too_early, "a-b leads from ams to X1, not to ber"},
  {"there and back", there_and_back, "a-b passes ams twice"},
  {"a link of nobody", a_link_of_nobody, "books none at nis/S, which describes no such link"},
  {"too little bandwidth", too_little_bandwidth,
   "b-c asked for 500 Mbit/s, but nis/S has booked 499"},
  {"another hour", another_hour, "b-c is booked at nis/N for another time than was asked for"},
  {"ends before asked", ends_before_asked,
   "a-b is booked at nis/N for another time than was asked for"},
  {"slower than asked", slower_than_asked,
   "a-b has a latency of 10.000 ms, but at most 9.999 ms was asked for"},
  {"an exchange elsewhere", an_exchange_elsewhere,
   "b-c crosses from nis/N to nis/S at X1, which the two domains describe differently"},
  {"an exchange that is a site", an_exchange_that_is_a_site,
   "b-c crosses from nis/N to nis/S at X1, which the two domains describe differently"},
  {"an exchange less described", an_exchange_less_described,
   "b-c crosses from nis/N to nis/S at X1, which the two domains describe differently"},
  {"over no fibre", over_no_fibre, "b-c uses link S/x-c, whose attribute media is not as asked"},
  {"too little memory", too_little_memory,
   "a is at lis/ams/thin, whose attribute memory_gb is not as asked"},
  {"another site", another_site, "b was asked for at site ams, but is booked at lis/ber"},
  {"too early", too_early, "r1 starts 0.001 s before the earliest start"},
  {"too late", too_late, "r1 starts 0.001 s after the latest start"},
  {"past the deadline", past_the_deadline, "r1 ends 0.001 s after its deadline"},
  {"bandwidth for nobody", bandwidth_for_nobody,
   "nis/S has a circuit for a-c, which was not asked for"},
  {"circuits inside a site", circuits_inside_a_site, "b-c has circuits inside one site, ams"},
  {"no CPUs at an end", no_cpus_at_an_end, "b-c has circuits, but no CPUs at its ends"},
  {"nobody computes", nobody_computes, "a is booked nowhere"},
  {"fewer CPUs", fewer_cpus, "a asked for 8 CPUs, but lis/ams has booked 7"},
  {"fewer nodes", fewer_nodes, "a asked for 8 CPUs, but its 1 nodes at lis/ams have fewer"},
  {"shorter than asked", shorter_than_asked, "a is not booked for the duration asked"},
  {"off the others", off_the_others, "c is booked +0.005 s apart from the other needs"},
  {"booked twice", booked_twice, "a is booked twice, at lis/ams and at lis/cph"},
  {"CPUs for nobody", cpus_for_nobody, "lis/cph has a booking for d, which was not asked for"},
  {"two at one site", two_at_one_site, "a and c are both at lis/cph"},
  {"a domain without it", a_domain_without_it,
   "reservation r1 is committed at gis/g1 but unknown at nis/S"},
  {"a domain that aborted", a_domain_that_aborted,
   "reservation r1 is committed at gis/g1 but aborted at nis/N"},
};

static void any_one_thing_changed_is_found (void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof changes / sizeof changes [0]; i++) {
        fixture_t *self = fixture_new ();
        check_asked_story_t story;
        good (&story);
        changes [i].change (&story);
        tell_story (self, &story);
        check_result_t result = judge (self, 1, true);
        bool told = false;
        for (size_t t = 0; t < self->told_count && t < TOLD_MAX; t++)
            told |= strstr (self->told [t], changes [i].sentence) != NULL;
        if (result.violations == 0 || !told)
            fail_msg ("%s: %zu violations, first: %s", changes [i].name, result.violations,
                      self->told [0]);
        check_destroy (&self->check);
        free (self);
    }
}

static void a_silent_domain_leaves_a_connection_unjudged (void **state)
{
    fixture_t *self = *state;
    check_asked_story_t story;
    good (&story);
    story.told [S] = false;
    tell_story (self, &story);
    check_silent (self->check, "nis/S");
    check_result_t result = judge (self, 1, true);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.unjudged, 1);
    assert_int_equal (result.reservations, 1);
    assert_int_equal (result.connections, 0);
}

static void circuits_without_any_request_on_record_need_cpus (void **state)
{
    fixture_t *self = *state;
    check_link (self->check, "nis/N", &links [0].link);
    participant_ref_t party = {.name = "nis/N"};
    plan_t plan = {.reservation = "r1", .participants = &party, .participants_count = 1};
    char names [1][NAME_BYTES_MAX + 1] = {"a-x"};
    circuit_t laid = {.need = "a-b", .links = names, .links_count = 1, .mbps = 1, .until_ms = 1};
    check_command (
      self->check, "nis/N",
      &(check_record_t){
        .plan = plan, .state = COMMAND_COMMITTED, .circuits = &laid, .circuits_count = 1});
    check_result_t result = judge (self, 1, true);
    assert_int_equal (result.violations, 1);
    assert_int_equal (result.unasked, 1);
    assert_non_null (strstr (self->told [0], "r1 has circuits, but no CPUs"));
}

/*  r1 has 1000 of b-x from 11, and 500 more from 12 to 13: of 1500. */
static void finds_an_overbooked_link (void **state)
{
    fixture_t *self = *state;
    check_asked_story_t story;
    good (&story);
    tell_story (self, &story);
    participant_ref_t party = {.name = "nis/N"};
    plan_t plan = {.txid = {.start = 1, .counter = 2},
                   .reservation = "r2",
                   .edge_ms = 20 * (int64_t) HOUR_MS,
                   .participants = &party,
                   .participants_count = 1};
    char names [2][NAME_BYTES_MAX + 1] = {"a-b", "b-x"};
    circuit_t laid = {.need = "x",
                      .links = names,
                      .links_count = 2,
                      .mbps = 500,
                      .from_ms = 11 * (int64_t) HOUR_MS,
                      .until_ms = 12 * (int64_t) HOUR_MS};
    check_record_t record = {
      .plan = plan, .state = COMMAND_PREPARED, .circuits = &laid, .circuits_count = 1};
    check_command (self->check, "nis/N", &record);
    assert_int_equal (judge (self, 1, false).violations, 0);

    record.plan.txid.counter = 3;
    snprintf (record.plan.reservation, sizeof record.plan.reservation, "r3");
    laid.mbps = 1;
    laid.from_ms = 12 * (int64_t) HOUR_MS;
    laid.until_ms = 14 * (int64_t) HOUR_MS;
    check_command (self->check, "nis/N", &record);
    assert_int_equal (judge (self, 1, false).violations, 1);
    assert_string_equal (self->told [0],
                         "nis/N/b-x has 1501 Mbit/s booked of 1500 at 1970-01-01T12:00:00Z");
}

/*  --- changed while it lasts --- */

/*  From twelve on a has 8 CPUs, 4 before, and a-b 1000 Mbit/s, 300 before. */
static void grown (check_asked_story_t *self)
{
    good (self);
    self->compute [0].stages = (stages_t){{{2 * (int64_t) HOUR_MS, 4}}, 1};
    self->network [0].stages = (stages_t){{{2 * (int64_t) HOUR_MS, 300}}, 1};
    self->bookings_count [AMS] = 0;
    book (self, AMS, "a", 4, 10, 12);
    book (self, AMS, "a", 8, 12, 14);
    self->circuits_count [N] = 0;
    lay (self, N, "a-b", "a-x", "b-x", 300, 0, 11, 12);
    lay (self, N, "b-c", "b-x", NULL, 500, 0, 12, 13);
    lay (self, N, "a-b", "a-x", "b-x", 1000, 0, 12, 13);
}

static void one_that_has_grown_is_not_accused (void **state)
{
    fixture_t *self = *state;
    check_asked_story_t story;
    grown (&story);
    tell_story (self, &story);
    check_result_t result = judge (self, 1, true);
    if (result.violations)
        fail_msg ("%s", self->told [0]);
    assert_int_equal (result.connections, 2);
    assert_int_equal (result.circuits, 4);
}

static void grows_too_late (check_asked_story_t *self)
{
    self->bookings [AMS][0].until_ms += HOUR_MS;
    self->bookings [AMS][1].from_ms += HOUR_MS;
}
static void grows_too_much (check_asked_story_t *self)
{
    self->bookings [AMS][1].cpus = 9;
}
static void had_more_before (check_asked_story_t *self)
{
    self->bookings [AMS][0].cpus = 5;
}
static void grows_elsewhere (check_asked_story_t *self)
{
    self->bookings [BER][1] = self->bookings [AMS][1];
    self->bookings_count [BER] = 2;
    self->bookings_count [AMS] = 1;
}
static void does_not_grow (check_asked_story_t *self)
{
    self->bookings_count [AMS] = 1;
}
static void has_the_past_twice (check_asked_story_t *self)
{
    self->bookings [CPH][1] = self->bookings [AMS][0];
    self->bookings_count [CPH] = 2;
}
static void a_wider_past (check_asked_story_t *self)
{
    self->circuits [N][0].mbps = 301;
}
static void no_path_in_the_past (check_asked_story_t *self)
{
    self->circuits [N][0] = self->circuits [N][2];
    self->circuits_count [N] = 2;
}
static void half_a_path_in_the_past (check_asked_story_t *self)
{
    self->circuits [N][0].links_count = 1;
}

static const struct {
    const char *name;
    void (*change) (check_asked_story_t *self);
    const char *sentence;
} growths [] = {
  {"grows too late", grows_too_late, "a is not booked for the duration asked"},
  {"grows too much", grows_too_much, "a asked for 8 CPUs, but lis/ams has booked 9"},
  {"had more before", had_more_before, "a asked for 4 CPUs, but lis/ams has booked 5"},
  {"grows elsewhere", grows_elsewhere, "a moves from lis/ams/thin to lis/ber/thin"},
  {"does not grow", does_not_grow, "a has 1 bookings for 2 phases"},
  {"the past twice", has_the_past_twice, "a is booked twice, at lis/ams and at lis/ams"},
  {"a wider past", a_wider_past, "a-b asked for 300 Mbit/s, but nis/N has booked 301"},
  {"no path in the past", no_path_in_the_past, "a-b has no circuit from ams to ber for an earlier"},
  {"half a path", half_a_path_in_the_past, "a-b leads from ams to X1, not to ber"},
};

static void any_one_thing_changed_of_a_growth_is_found (void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof growths / sizeof growths [0]; i++) {
        fixture_t *self = fixture_new ();
        check_asked_story_t story;
        grown (&story);
        growths [i].change (&story);
        tell_story (self, &story);
        check_result_t result = judge (self, 1, true);
        bool told = false;
        for (size_t t = 0; t < self->told_count && t < TOLD_MAX; t++)
            told |= strstr (self->told [t], growths [i].sentence) != NULL;
        if (result.violations == 0 || !told)
            fail_msg ("%s: %zu violations, first: %s", growths [i].name, result.violations,
                      self->told [0]);
        check_destroy (&self->check);
        free (self);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)

int main (void)
{
    const struct CMUnitTest tests [] = {
      TEST (one_that_has_all_it_asks_is_not_accused),
      cmocka_unit_test (any_one_thing_changed_is_found),
      TEST (a_silent_domain_leaves_a_connection_unjudged),
      TEST (circuits_without_any_request_on_record_need_cpus),
      TEST (finds_an_overbooked_link),
      TEST (one_that_has_grown_is_not_accused),
      cmocka_unit_test (any_one_thing_changed_of_a_growth_is_found),
    };
    return cmocka_run_group_tests_name ("check_asked", tests, NULL, NULL);
}
