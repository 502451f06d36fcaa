/*  test_batch_named - reservations of a site with a batch system from their commit until they are
 *  bound: which nodes are named for them, and what the batch system is told of that, and when.
 */
#include "batch_fixture.h"
#include "openings_state.h"
#include "prng.h"

#define WORKS_MAX 600
#define SEEDS     30
#define TURNS     60

/*  Works that have not ended, in their order. */
typedef struct {
    batch_world_t w;
    struct {
        uint64_t work;
        char asked [1024];
    } works [WORKS_MAX];
    size_t count;
} named_world_t;

static void see_works (void *owner, const effect_t *effect)
{
    named_world_t *self = owner;
    if (effect->kind != EFFECT_WORK)
        return;
    see_work (&self->w, effect);
    assert_true (self->count < WORKS_MAX);
    self->works [self->count].work = self->w.work;
    snprintf (self->works [self->count].asked, sizeof self->works->asked, "%.1000s", self->w.asked);
    self->count++;
}

/*  The first one ends; told: with that result, as a look's lines. */
static void first_ends (named_world_t *self, const char *why, const char *told)
{
    uint64_t work = self->works [0].work;
    const char *said = why ? why : told;
    bytes_t result = {(const uint8_t *) said, said ? strlen (said) : 0};
    memmove (self->works, self->works + 1, --self->count * sizeof *self->works);
    step (&self->w.f.w,
          &(event_t){.kind = EVENT_WORK, .work = {.work = work, .ok = !why, .result = result}});
    pass (&self->w.f.w, 1);
    agents_come (&self->w.f);
}

static void all_end (named_world_t *self)
{
    for (int i = 0; self->count > 0; i++) {
        assert_true (i < 1000);
        first_ends (self, NULL, NULL);
    }
}

/*  Time enough for names to be given and told. */
static void a_moment (named_world_t *self)
{
    field_pass (&self->w.f, 200);
}

static const char *asked (const named_world_t *self, size_t at)
{
    return at < self->count ? self->works [at].asked : "";
}

/*  Jobs of any length may begin there, so all is told at once. */
static void named_prepare (named_world_t *self)
{
    *self = (named_world_t){.count = 0};
    batch_prepare (&self->w);
    self->w.f.runner.openings.ahead = 3;
    self->w.f.w.carry = see_works;
    self->w.f.w.carrier = self;
}

static void named_start (named_world_t *self)
{
    open_field (&self->w.f);
    agent (&self->w)->away = false;
    agent (&self->w)->batch = &self->w.picture;
    look (&self->w);
    all_end (self);
}

static void named_open (named_world_t *self)
{
    named_prepare (self);
    self->w.f.runner.nodes.clear = CLEAR_END;
    named_start (self);
}

/*  Of fat nodes, 16 CPUs each. */
static void take (named_world_t *self, const char *reservation, uint32_t nodes, int64_t from,
                  int64_t until)
{
    reserve (&self->w.f.w, reservation, booking ("fat", 16 * nodes, nodes, from, until));
    a_moment (self);
}

static void leave (named_world_t *self, const char *reservation)
{
    command_answer_t told;
    service_order_t order = {.operation = OPERATION_RELEASE,
                             .reservation = reservation,
                             .base_version = 1,
                             .prepare = true};
    txid_t txid = hold (&self->w.f.w, &order, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&self->w.f.w, "Commit", &txid), COMMAND_COMMITTED);
    a_moment (self);
}

/*  "absent degraded: trouble", as show tells it. */
static const char *stands (named_world_t *self, const char *reservation, char told [LONG_WHY_BYTES])
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    ask (&self->w.f.w, "alice", "Participant", "Show", &request.base);
    Musubi__ShowAnswer *shown = answer (&self->w.f.w, &musubi__show_answer__descriptor);
    const Musubi__OpeningRecord *opening = shown->record->opening;
    snprintf (told, LONG_WHY_BYTES, "%s%s%s", opening->absent ? "absent " : "",
              opening->degraded ? "degraded: " : "", opening->trouble);
    message_free (&shown->base);
    return told;
}

static void a_reservation_is_there_from_its_commit_on (void **state)
{
    (void) state;
    named_world_t n;
    char told [LONG_WHY_BYTES];
    named_open (&n);
    booking_t one = booking ("fat", 32, 2, 100, 110);
    command_answer_t answered;
    service_order_t order = {.reservation = "r1", .bookings = &one, .count = 1, .prepare = true};
    txid_t txid = hold (&n.w.f.w, &order, &answered);
    codec_clear (&command_answer_codec, &answered);
    a_moment (&n);
    assert_int_equal (n.count, 0); /* what is prepared never reaches it */
    assert_int_equal (tell (&n.w.f.w, "Commit", &txid), COMMAND_COMMITTED);
    a_moment (&n);
    assert_string_equal (asked (&n, 0), "name r1 alice fat-001 fat-002");
    assert_string_equal (stands (&n, "r1", told), "absent the back end has not finished yet");
    all_end (&n);
    assert_string_equal (stands (&n, "r1", told), "");
    assert_false (opening (&n.w.f, "r1").prepared);
    assert_int_equal (bound (&n.w.f), 0);
    field_until (&n.w.f, 100, -5 * SECOND_MS);
    all_end (&n);
    assert_true (bound_to (&n.w.f, "fat-001", "r1"));
    assert_true (bound_to (&n.w.f, "fat-002", "r1"));
    close_world (&n.w.f.w);
}

static void it_is_told_before_the_longest_job_could_run_into_it (void **state)
{
    (void) state;
    named_world_t n;
    char told [LONG_WHY_BYTES];
    named_prepare (&n);
    n.w.picture.reach_ms = 20 * MINUTE_MS;
    named_start (&n);
    take (&n, "r1", 1, 100, 110);
    field_until (&n.w.f, 79, -SECOND_MS);
    assert_int_equal (n.count, 0);
    assert_string_equal (stands (&n, "r1", told), "absent ");
    field_until (&n.w.f, 79, SECOND_MS);
    assert_string_equal (asked (&n, 0), "name r1 alice fat-001");
    close_world (&n.w.f.w);
    named_prepare (&n);
    n.w.f.runner.openings.reach_ms = 5 * MINUTE_MS; /* the site's own */
    named_start (&n);
    take (&n, "r1", 1, 100, 110);
    field_until (&n.w.f, 95, -SECOND_MS);
    assert_int_equal (n.count, 0);
    field_until (&n.w.f, 95, SECOND_MS);
    assert_string_equal (asked (&n, 0), "name r1 alice fat-001");
    close_world (&n.w.f.w);
}

static void one_question_watches_all_and_what_is_wrong_is_told_again (void **state)
{
    (void) state;
    named_world_t n;
    char told [LONG_WHY_BYTES];
    named_open (&n);
    take (&n, "r1", 1, 100, 110);
    take (&n, "r2", 1, 100, 110);
    all_end (&n);
    for (int i = 0; i < 31 && n.count == 0; i++)
        field_pass (&n.w.f, SECOND_MS);
    assert_int_equal (n.count, 1);
    assert_string_equal (asked (&n, 0), "look r1 alice fat-001 r2 alice fat-002");
    first_ends (&n, NULL, "r2 root has deleted it\n");
    assert_int_equal (n.count, 1);
    assert_string_equal (asked (&n, 0), "name r2 alice fat-002");
    assert_string_equal (stands (&n, "r1", told), "");
    assert_string_equal (stands (&n, "r2", told), "absent the back end has not finished yet");
    close_world (&n.w.f.w);
}

static void a_thousand_are_watched_by_one_question (void **state)
{
    (void) state;
    named_world_t n;
    char name [16];
    named_prepare (&n);
    n.w.f.runner.openings.ahead = 500;
    named_start (&n);
    for (int i = 0; i < 1000; i++) {
        snprintf (name, sizeof name, "r%d", i);
        reserve (&n.w.f.w, name, booking ("fat", 16, 1, 100 + i / 2, 101 + i / 2));
    }
    a_moment (&n);
    assert_int_equal (n.count, 4); /* the others wait for these */
    all_end (&n);
    for (int looks = 0; looks < 3; looks++) {
        for (int i = 0; i < 29; i++)
            field_pass (&n.w.f, SECOND_MS);
        assert_in_range (n.count, 0, 1);
        for (int i = 0; i < 10 && n.count == 0; i++)
            field_pass (&n.w.f, SECOND_MS);
        assert_int_equal (n.count, 1);
        assert_memory_equal (asked (&n, 0), "look r0 ", 8);
        all_end (&n);
    }
    close_world (&n.w.f.w);
}

static void only_the_nearest_are_named (void **state)
{
    (void) state;
    named_world_t n;
    named_open (&n);
    take (&n, "r4", 1, 400, 410);
    take (&n, "r3", 1, 300, 310);
    take (&n, "r2", 1, 200, 210);
    all_end (&n);
    take (&n, "r1", 1, 100, 110);
    assert_string_equal (asked (&n, 0), "name r1 alice fat-001");
    assert_string_equal (asked (&n, 1), "close r4 alice");
    all_end (&n);
    leave (&n, "r2");
    assert_string_equal (asked (&n, 0), "close r2 alice");
    assert_string_equal (asked (&n, 1), "name r4 alice fat-001");
    close_world (&n.w.f.w);
}

/*  A node may be named for many, and for others when that lets one in. */
static void all_that_is_granted_has_names (void **state)
{
    (void) state;
    named_world_t n;
    named_prepare (&n);
    n.w.f.runner.openings.ahead = 9;
    named_start (&n);
    take (&n, "r1", 3, 100, 110);
    take (&n, "r2", 3, 110, 120);
    take (&n, "r3", 1, 105, 115);
    assert_string_equal (asked (&n, 0), "name r1 alice fat-001 fat-002 fat-003");
    assert_string_equal (asked (&n, 1), "name r2 alice fat-001 fat-002 fat-003");
    assert_string_equal (asked (&n, 2), "name r3 alice fat-004");
    all_end (&n);
    n.w.nodes [8].up = false; /* fat-001 */
    look (&n.w);
    a_moment (&n);
    assert_string_equal (asked (&n, 0), "name r1 alice fat-002 fat-003 fat-004");
    assert_string_equal (asked (&n, 2), "close r3 alice");
    close_world (&n.w.f.w);
}

static void what_is_refused_is_degraded_and_tried_elsewhere (void **state)
{
    (void) state;
    named_world_t n;
    char told [LONG_WHY_BYTES];
    named_open (&n);
    take (&n, "r1", 1, 100, 110);
    n.w.nodes [8].busy_until_ms = at (101);
    first_ends (&n, "job 7 of bob may run until then", NULL);
    assert_string_equal (stands (&n, "r1", told),
                         "absent degraded: name: job 7 of bob may run until then");
    look (&n.w);
    a_moment (&n);
    assert_string_equal (asked (&n, 0), "name r1 alice fat-002");
    all_end (&n);
    assert_string_equal (stands (&n, "r1", told), "");
    n.w.nodes [9].busy_until_ms = at (101); /* it has confirmed that, so that job makes way */
    look (&n.w);
    a_moment (&n);
    assert_int_equal (n.count, 0);
    close_world (&n.w.f.w);
}

static void whose_booking_is_in_its_way_is_told (void **state)
{
    (void) state;
    named_world_t n;
    char told [LONG_WHY_BYTES];
    named_open (&n);
    take (&n, "r1", 4, 100, 110);
    all_end (&n);
    n.w.booked [0] = n.w.nodes [8].node;
    n.w.booking = (batch_booking_t){.name = "maint",
                                    .nodes = n.w.booked,
                                    .nodes_count = 1,
                                    .from_ms = at (105),
                                    .until_ms = at (106)};
    n.w.picture.bookings = &n.w.booking;
    n.w.picture.bookings_count = 1;
    look (&n.w);
    a_moment (&n);
    all_end (&n);
    assert_non_null (strstr (stands (&n, "r1", told), "degraded: maint has fat-001 there until "));
    close_world (&n.w.f.w);
}

static void a_site_that_comes_back_asks_before_it_tells_again (void **state)
{
    (void) state;
    named_world_t n;
    char told [LONG_WHY_BYTES];
    named_open (&n);
    take (&n, "r1", 1, 100, 110);
    all_end (&n);
    restart_field (&n.w.f);
    assert_string_equal (asked (&n, 0), "reconcile r1 alice fat-001");
    first_ends (&n, NULL, NULL);
    a_moment (&n);
    assert_int_equal (n.count, 1);
    assert_string_equal (asked (&n, 0), "look r1 alice fat-001");
    assert_string_equal (stands (&n, "r1", told), "absent ");
    first_ends (&n, NULL, "");
    assert_string_equal (stands (&n, "r1", told), "");
    take (&n, "r2", 1, 100, 110);
    restart_field (&n.w.f); /* nobody knows whether that was told */
    while (n.count > 1)
        memmove (n.works, n.works + 1, --n.count * sizeof *n.works);
    assert_string_equal (asked (&n, 0), "reconcile r1 alice fat-001 r2 alice fat-002");
    first_ends (&n, NULL, NULL);
    a_moment (&n);
    first_ends (&n, NULL, "r2 it is not there\n");
    assert_string_equal (asked (&n, 0), "name r2 alice fat-002");
    close_world (&n.w.f.w);
}

static void what_it_has_there_is_bound_though_it_is_silent (void **state)
{
    (void) state;
    named_world_t n;
    named_open (&n);
    take (&n, "r1", 1, 100, 110);
    all_end (&n);
    memcpy (n.w.picture.why, "timed out", 10);
    look (&n.w);
    field_until (&n.w.f, 100, 0);
    assert_true (bound_to (&n.w.f, "fat-001", "r1"));
    close_world (&n.w.f.w);
}

/*  Until it has confirmed that another node is named, it may have begun on the one before. */
static void a_node_of_before_is_kept_until_another_is_confirmed (void **state)
{
    (void) state;
    named_world_t n;
    named_open (&n);
    take (&n, "r1", 1, 100, 110);
    all_end (&n);
    n.w.nodes [8].drained = true;
    look (&n.w);
    a_moment (&n);
    assert_string_equal (asked (&n, 0), "name r1 alice fat-002");
    n.w.nodes [8].drained = false;
    look (&n.w);
    field_until (&n.w.f, 100, -5 * SECOND_MS);
    assert_true (bound_to (&n.w.f, "fat-001", "r1"));
    assert_true (bound_to (&n.w.f, "fat-002", "r1"));
    all_end (&n);
    a_moment (&n);
    assert_int_equal (bound (&n.w.f), 1);
    close_world (&n.w.f.w);
}

/*  All works end but those of one reservation, which are refused. */
static void others_end (named_world_t *self, const char *refused)
{
    for (int i = 0; self->count > 0; i++) {
        assert_true (i < 1000);
        first_ends (self, strstr (asked (self, 0), refused) ? "busy" : NULL, NULL);
    }
}

/*  Where another one is bound to it, it waits for that. */
static void a_node_of_before_is_nobody_elses_once_it_is_free (void **state)
{
    (void) state;
    named_world_t n;
    named_open (&n);
    take (&n, "r0", 1, 40, 99);
    take (&n, "r1", 1, 100, 110);
    others_end (&n, " none ");
    field_until (&n.w.f, 50, 0);
    others_end (&n, " none ");
    assert_true (bound_to (&n.w.f, "fat-001", "r0"));
    n.w.nodes [8].drained = true;
    n.w.nodes [8].cpus_busy = 1;
    memcpy (n.w.nodes [8].why, "fan", 4);
    look (&n.w);
    a_moment (&n);
    while (strncmp (asked (&n, 0), "look", 4) == 0)
        first_ends (&n, NULL, "");
    assert_string_equal (asked (&n, 0), "name r1 alice fat-002");
    for (int minute = 51; minute < 100; minute++) {
        others_end (&n, minute < 98 ? " r1 " : " r");
        field_until (&n.w.f, minute, 0);
    }
    others_end (&n, " r");
    field_until (&n.w.f, 100, -4 * SECOND_MS);
    assert_true (bound_to (&n.w.f, "fat-001", "r0"));
    assert_true (bound_to (&n.w.f, "fat-002", "r1"));
    for (int second = -3; second < 40; second++) {
        others_end (&n, " r1 ");
        field_until (&n.w.f, 100, second * SECOND_MS);
    }
    assert_true (bound_to (&n.w.f, "fat-001", "r1"));
    for (int second = 40; second < 80; second++) {
        all_end (&n);
        field_until (&n.w.f, 100, second * SECOND_MS);
    }
    assert_true (bound_to (&n.w.f, "fat-002", "r1"));
    assert_int_equal (bound (&n.w.f), 1);
    close_world (&n.w.f.w);
}

/*  It may have begun there, as long as nobody knows that it is closed. */
static void one_that_was_left_takes_no_node_before_it_would_begin (void **state)
{
    (void) state;
    named_world_t n;
    named_open (&n);
    take (&n, "r1", 1, 100, 110);
    all_end (&n);
    leave (&n, "r1");
    assert_string_equal (asked (&n, 0), "close r1 alice");
    field_until (&n.w.f, 99, 0);
    assert_int_equal (bound (&n.w.f), 0);
    field_until (&n.w.f, 100, 0);
    assert_true (bound_to (&n.w.f, "fat-001", "r1"));
    all_end (&n);
    a_moment (&n);
    assert_int_equal (bound (&n.w.f), 0);
    close_world (&n.w.f.w);
}

/*  --- drawn --- */

static void all_stand (named_world_t *self, uint64_t seed)
{
    const openings_t *openings = field_openings (&self->w.f);
    bool overbooked = false;
    const opening_entry_t *entry = NULL;
    while ((entry = ordered_next (openings->by_reservation, entry)))
        overbooked = overbooked || opening_overbooked (entry, openings->now_ms) > 0;
    while (!overbooked && (entry = ordered_next (openings->by_reservation, entry))) {
        opening_t view;
        if (entry->unnamed > 0)
            fail_msg ("seed %d: %s has %u nodes without names", (int) seed, entry->reservation,
                      entry->unnamed);
        if (openings_find (openings, entry->reservation, &view) && opening_is_open (view.phase) &&
            view.nodes_count < view.wanted)
            fail_msg ("seed %d: %s has opened with %zu of %u nodes", (int) seed, entry->reservation,
                      view.nodes_count, view.wanted);
    }
}

static void at_its_start_each_has_what_was_granted (void **state)
{
    (void) state;
    size_t made = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        named_world_t n;
        prng_t prng;
        char names [TURNS][8];
        prng_seed (&prng, seed);
        named_prepare (&n);
        n.w.f.runner.openings.ahead = 20;
        named_start (&n);
        for (size_t i = 0; i < TURNS; i++) {
            command_answer_t told;
            int64_t from = (n.w.f.w.host.now.wall_ms - at (0)) / MINUTE_MS + 2 +
                           (int64_t) prng_below (&prng, 20);
            uint32_t nodes = 1 + (uint32_t) prng_below (&prng, 4);
            booking_t one =
              booking ("fat", 16 * nodes, nodes, from, from + 1 + (int64_t) prng_below (&prng, 9));
            snprintf (names [i], sizeof names [i], "r%zu", i);
            txid_t txid =
              hold (&n.w.f.w,
                    &(service_order_t){
                      .reservation = names [i], .bookings = &one, .count = 1, .prepare = true},
                    &told);
            if (told.state == COMMAND_PREPARED) {
                assert_int_equal (tell (&n.w.f.w, "Commit", &txid), COMMAND_COMMITTED);
                made++;
            }
            codec_clear (&command_answer_codec, &told);
            size_t node = 8 + prng_below (&prng, 4);
            n.w.nodes [node].drained = prng_below (&prng, 8) == 0;
            n.w.nodes [node].busy_until_ms = at (from + (int64_t) prng_below (&prng, 30));
            look (&n.w);
            for (uint64_t k = prng_below (&prng, 12); k > 0; k--) {
                field_pass (&n.w.f, 20 * SECOND_MS);
                all_end (&n);
            }
            do {
                all_end (&n);
                a_moment (&n);
            } while (n.count > 0);
            all_stand (&n, seed);
        }
        close_world (&n.w.f.w);
    }
    assert_true (made > 10 * SEEDS);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_reservation_is_there_from_its_commit_on),
      cmocka_unit_test (it_is_told_before_the_longest_job_could_run_into_it),
      cmocka_unit_test (one_question_watches_all_and_what_is_wrong_is_told_again),
      cmocka_unit_test (a_thousand_are_watched_by_one_question),
      cmocka_unit_test (only_the_nearest_are_named),
      cmocka_unit_test (all_that_is_granted_has_names),
      cmocka_unit_test (what_is_refused_is_degraded_and_tried_elsewhere),
      cmocka_unit_test (whose_booking_is_in_its_way_is_told),
      cmocka_unit_test (a_site_that_comes_back_asks_before_it_tells_again),
      cmocka_unit_test (what_it_has_there_is_bound_though_it_is_silent),
      cmocka_unit_test (a_node_of_before_is_kept_until_another_is_confirmed),
      cmocka_unit_test (a_node_of_before_is_nobody_elses_once_it_is_free),
      cmocka_unit_test (one_that_was_left_takes_no_node_before_it_would_begin),
      cmocka_unit_test (at_its_start_each_has_what_was_granted),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
