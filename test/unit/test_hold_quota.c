/*  hold_quota - what is held and not committed has its share. */
#include "timetable_fixture.h"

#include "hold_quota.h"
#include "prng.h"

#define PLANNER_1 "planner/11111111111111111111111111111111"
#define PLANNER_2 "planner/22222222222222222222222222222222"

/*  thin has 8 nodes: 75 % are 6. */
static void open_limited (timetable_fixture_t *self, hold_quota_limits_t limits,
                          disclosure_t disclosure)
{
    open_fixture (self);
    timetable_destroy (&self->timetable);
    free_capacity_destroy (&self->room);
    self->limits.hold_quota = limits;
    self->site.disclosure = disclosure;
    open_site (self);
}

static void *hold_for (timetable_fixture_t *self, const char *actor, const char *planner,
                       compute_booking_t one, refusal_t *refusal)
{
    plan_t plan = plan_for ("r", actor);
    snprintf (plan.coordinator.name, sizeof plan.coordinator.name, "%s", planner);
    return take_plan (self, &plan, NULL, &one, 1, false, refusal);
}

static void drop (timetable_fixture_t *self, void *taken)
{
    self->resource.drop (self->resource.owner, taken);
}

static void end (timetable_fixture_t *self, void *current)
{
    self->resource.end (self->resource.owner, current);
}

static void assert_excess (const refusal_t *refusal, const char *limit, int64_t wanted,
                           int64_t free)
{
    assert_int_equal (refusal->reason, REFUSAL_LIMIT);
    assert_string_equal (refusal->resource, limit);
    assert_int_equal (refusal->wanted, wanted);
    assert_int_equal (refusal->free, free);
}

static void each_share_refuses_by_name_those_whom_it_counts (void **state)
{
    (void) state;
    static const struct {
        hold_quota_limits_t limits;
        const char *name;
        const char *actor; /* who is refused */
        const char *planner;
        const char *other_actor; /* who is not; NULL: everybody is */
        const char *other_planner;
    } cases [] = {
      {{.share = 75}, HOLD_QUOTA_SHARE, "bob", PLANNER_2, NULL, NULL},
      {{.share_per_planner = 75},
       HOLD_QUOTA_SHARE_PER_PLANNER,
       "bob",
       PLANNER_1,
       "alice",
       PLANNER_2},
      {{.share_per_actor = 75}, HOLD_QUOTA_SHARE_PER_ACTOR, "alice", PLANNER_2, "bob", PLANNER_1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        timetable_fixture_t f;
        refusal_t refusal;
        open_limited (&f, cases [i].limits, DISCLOSE_PROFILE);
        void *five = hold_for (&f, "alice", PLANNER_1, thin (5, 10, 20), &refusal);
        assert_non_null (five);
        /* six of eight are the share: one more, not two */
        assert_null (hold_for (&f, cases [i].actor, cases [i].planner, thin (2, 15, 30), &refusal));
        assert_excess (&refusal, cases [i].name, 2, 1);
        assert_string_equal (refusal.need, "ocean");
        assert_int_equal (refusal.from_ms, at (15));
        assert_int_equal (refusal.until_ms, at (20));
        codec_clear (&refusal_codec, &refusal);
        void *one = hold_for (&f, cases [i].actor, cases [i].planner, thin (1, 15, 30), &refusal);
        assert_non_null (one);
        drop (&f, one);
        if (cases [i].other_actor) {
            void *other = hold_for (&f, cases [i].other_actor, cases [i].other_planner,
                                    thin (2, 15, 30), &refusal);
            assert_non_null (other);
            drop (&f, other);
        }
        /* beside it in time there is nothing held */
        void *later = hold_for (&f, cases [i].actor, cases [i].planner, thin (8, 20, 30), &refusal);
        assert_non_null (later);
        drop (&f, later);
        drop (&f, five);
        close_fixture (&f);
    }
}

static const hold_quota_limits_t all_limits = {
  .share = 75, .share_per_planner = 75, .share_per_actor = 75};

static void one_hold_alone_may_have_all (void **state)
{
    (void) state;
    timetable_fixture_t f;
    refusal_t refusal;
    open_limited (&f, all_limits, DISCLOSE_PROFILE);
    void *all = hold_for (&f, "alice", PLANNER_1, thin (8, 10, 20), &refusal);
    assert_non_null (all);
    /* what is missing altogether is told as such, with the profile of what there is */
    assert_null (hold_for (&f, "alice", PLANNER_1, thin (1, 10, 20), &refusal));
    assert_int_equal (refusal.reason, REFUSAL_SHORT);
    codec_clear (&refusal_codec, &refusal);
    drop (&f, all);
    close_fixture (&f);
}

static void what_is_committed_or_given_back_counts_no_more (void **state)
{
    (void) state;
    timetable_fixture_t f;
    refusal_t refusal;
    open_limited (&f, all_limits, DISCLOSE_PROFILE);
    void *current =
      settle (&f, NULL, hold_for (&f, "alice", PLANNER_1, thin (5, 10, 20), &refusal));
    void *held = hold_for (&f, "alice", PLANNER_1, thin (3, 10, 20), &refusal);
    assert_non_null (held);
    drop (&f, held);
    end (&f, current);
    held = hold_for (&f, "alice", PLANNER_1, thin (6, 10, 20), &refusal);
    assert_non_null (held);
    drop (&f, held);
    close_fixture (&f);
}

static void a_change_counts_with_what_it_takes_beyond_what_there_is (void **state)
{
    (void) state;
    timetable_fixture_t f;
    refusal_t refusal;
    open_limited (&f, all_limits, DISCLOSE_PROFILE);
    void *current = reserve (&f, "r1", thin (5, 10, 20));
    compute_booking_t six = thin (6, 10, 20);
    void *grown = take (&f, current, &six, 1, &refusal); /* one more, uncommitted */
    assert_non_null (grown);
    void *two = hold_for (&f, "alice", PLANNER_1, thin (2, 10, 20), &refusal);
    assert_non_null (two); /* three of six */
    drop (&f, two);
    drop (&f, grown);
    end (&f, current);
    close_fixture (&f);
}

static void the_fresh_profile_is_what_the_share_leaves_and_the_change_has (void **state)
{
    (void) state;
    timetable_fixture_t f;
    refusal_t refusal;
    open_limited (&f, (hold_quota_limits_t){.share = 25}, DISCLOSE_PROFILE); /* two */
    void *current = reserve (&f, "r1", thin (3, 10, 20));
    void *one = hold_for (&f, "bob", PLANNER_1, thin (1, 12, 14), &refusal);
    compute_booking_t five = thin (5, 10, 20);
    assert_null (take (&f, current, &five, 1, &refusal));
    assert_excess (&refusal, HOLD_QUOTA_SHARE, 2, 1);
    assert_int_equal (refusal.fresh_count, 1);
    assert_string_equal (refusal.fresh [0].resource, "thin");
    assert_int_equal (refusal.fresh [0].steps_count, 1);
    assert_int_equal (refusal.fresh [0].steps [0].from_ms, at (12));
    assert_int_equal (refusal.fresh [0].steps [0].free, 4); /* the three it has, and one */
    assert_int_equal (refusal.fresh [0].until_ms, at (14));
    codec_clear (&refusal_codec, &refusal);
    drop (&f, one);
    end (&f, current);
    close_fixture (&f);
}

static void where_windows_are_disclosed_no_quantity_is_told (void **state)
{
    (void) state;
    timetable_fixture_t f;
    refusal_t refusal;
    open_limited (&f, all_limits, DISCLOSE_WINDOWS);
    void *five = hold_for (&f, "alice", PLANNER_1, thin (5, 12, 14), &refusal);
    assert_null (hold_for (&f, "alice", PLANNER_1, thin (3, 10, 20), &refusal));
    assert_excess (&refusal, HOLD_QUOTA_SHARE_PER_ACTOR, 3, 0);
    assert_int_equal (refusal.from_ms, at (10));
    assert_int_equal (refusal.until_ms, at (20));
    assert_int_equal (refusal.fresh_count, 0);
    assert_null (strpbrk (refusal.text, "0123456789"));
    drop (&f, five);
    close_fixture (&f);
}

static void records_come_back_whatever_the_share_and_count (void **state)
{
    (void) state;
    timetable_fixture_t f;
    refusal_t refusal;
    open_limited (&f, all_limits, DISCLOSE_PROFILE);
    plan_t plan = plan_for ("r", "alice");
    compute_booking_t five = thin (5, 10, 20);
    compute_booking_t two = thin (2, 10, 20);
    void *booked = take_plan (&f, &plan, NULL, &five, 1, true, &refusal);
    void *held = hold_for (&f, "alice", PLANNER_1, thin (1, 10, 20), &refusal);
    assert_non_null (held); /* what was committed is no hold */
    drop (&f, held);
    drop (&f, booked);
    snprintf (plan.coordinator.name, sizeof plan.coordinator.name, "%s", PLANNER_1);
    void *first = take_plan (&f, &plan, NULL, &five, 1, true, &refusal);
    void *second = take_plan (&f, &plan, NULL, &two, 1, true, &refusal);
    assert_non_null (second);
    assert_null (hold_for (&f, "alice", PLANNER_1, thin (1, 10, 20), &refusal));
    assert_int_equal (refusal.reason, REFUSAL_LIMIT);
    codec_clear (&refusal_codec, &refusal);
    drop (&f, first);
    drop (&f, second);
    close_fixture (&f);
}

static void a_decided_commit_past_its_edge_is_not_kept_out_by_a_share (void **state)
{
    (void) state;
    timetable_fixture_t f;
    refusal_t refusal;
    open_limited (&f, all_limits, DISCLOSE_PROFILE);
    set_now (&f, 5);
    void *five = hold_for (&f, "alice", PLANNER_1, thin (5, 10, 20), &refusal);
    plan_t plan = plan_for ("r", "alice");
    plan.edge_ms = at (5);
    compute_booking_t three = thin (3, 10, 20);
    void *late = take_plan (&f, &plan, NULL, &three, 1, false, &refusal);
    assert_non_null (late);
    drop (&f, late);
    drop (&f, five);
    close_fixture (&f);
}

static void a_share_follows_the_capacity (void **state)
{
    (void) state;
    timetable_fixture_t f;
    refusal_t refusal;
    open_limited (&f, all_limits, DISCLOSE_PROFILE);
    void *two = hold_for (&f, "alice", PLANNER_1, thin (2, 10, 20), &refusal);
    free_capacity_set_quantity (f.room, 0, 4); /* the share is three */
    assert_null (hold_for (&f, "alice", PLANNER_1, thin (2, 10, 20), &refusal));
    assert_excess (&refusal, HOLD_QUOTA_SHARE_PER_ACTOR, 2, 1);
    codec_clear (&refusal_codec, &refusal);
    free_capacity_set_quantity (f.room, 0, 8);
    drop (&f, two);
    close_fixture (&f);
}

/*  --- against an array --- */

#define HELD_MAX 24
#define MINUTES  40

typedef struct {
    void *taken;
    int actor;
    int planner;
    uint32_t quantity;
    int64_t from;
    int64_t until;
} hold_quota_plain_t;

/*  May quantity be held in every minute, beside the others that are counted together? */
static bool plain_allows (const hold_quota_plain_t *held, const hold_quota_plain_t *new, int share,
                          bool same_planner, bool same_actor)
{
    for (int64_t minute = new->from; minute < new->until; minute++) {
        uint32_t others = 0;
        for (size_t i = 0; i < HELD_MAX; i++)
            if (held [i].taken && held [i].from <= minute && minute < held [i].until &&
                (!same_planner || held [i].planner == new->planner) &&
                (!same_actor || held [i].actor == new->actor))
                others += held [i].quantity;
        if (others > 0 && others + new->quantity > (uint32_t) share)
            return false;
    }
    return true;
}

static bool plain_free (const hold_quota_plain_t *held, const hold_quota_plain_t *new)
{
    for (int64_t minute = new->from; minute < new->until; minute++) {
        uint32_t all = new->quantity;
        for (size_t i = 0; i < HELD_MAX; i++)
            if (held [i].taken && held [i].from <= minute && minute < held [i].until)
                all += held [i].quantity;
        if (all > 8)
            return false;
    }
    return true;
}

static void the_shares_agree_with_a_plain_count_of_each_minute (void **state)
{
    (void) state;
    static const char *const actors [] = {"alice", "bob", "carol"};
    static const char *const planners [] = {PLANNER_1, PLANNER_2};
    size_t held_count = 0, short_count = 0, limit_count = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        timetable_fixture_t f;
        prng_t prng;
        hold_quota_plain_t held [HELD_MAX] = {0};
        prng_seed (&prng, seed);
        /* of eight: seven, five, four */
        open_limited (
          &f, (hold_quota_limits_t){.share = 80, .share_per_planner = 60, .share_per_actor = 50},
          DISCLOSE_PROFILE);
        for (int step = 0; step < 400; step++) {
            hold_quota_plain_t *one = &held [prng_below (&prng, HELD_MAX)];
            if (one->taken) {
                drop (&f, one->taken);
                one->taken = NULL;
                continue;
            }
            int64_t from = 10 + (int64_t) prng_below (&prng, MINUTES);
            *one = (hold_quota_plain_t){.actor = (int) prng_below (&prng, 3),
                                        .planner = (int) prng_below (&prng, 2),
                                        .quantity = 1 + (uint32_t) prng_below (&prng, 8),
                                        .from = from,
                                        .until = from + 1 + (int64_t) prng_below (&prng, 8)};
            bool free = plain_free (held, one);
            bool allowed = plain_allows (held, one, 7, false, false) &&
                           plain_allows (held, one, 5, true, false) &&
                           plain_allows (held, one, 4, false, true);
            refusal_t refusal;
            one->taken = hold_for (&f, actors [one->actor], planners [one->planner],
                                   thin (one->quantity, one->from, one->until), &refusal);
            refusal_reason_t want = !free ? REFUSAL_SHORT : allowed ? REFUSAL_NONE : REFUSAL_LIMIT;
            if (refusal.reason != want)
                fail_msg ("seed %d step %d: %s, not %s", (int) seed, step,
                          refusal_reason_word (refusal.reason), refusal_reason_word (want));
            held_count += want == REFUSAL_NONE;
            short_count += want == REFUSAL_SHORT;
            limit_count += want == REFUSAL_LIMIT;
            codec_clear (&refusal_codec, &refusal);
        }
        for (size_t i = 0; i < HELD_MAX; i++)
            if (held [i].taken)
                drop (&f, held [i].taken);
        close_fixture (&f);
    }
    assert_true (held_count > 500 && short_count > 500 && limit_count > 500);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (each_share_refuses_by_name_those_whom_it_counts),
      cmocka_unit_test (one_hold_alone_may_have_all),
      cmocka_unit_test (what_is_committed_or_given_back_counts_no_more),
      cmocka_unit_test (a_change_counts_with_what_it_takes_beyond_what_there_is),
      cmocka_unit_test (the_fresh_profile_is_what_the_share_leaves_and_the_change_has),
      cmocka_unit_test (where_windows_are_disclosed_no_quantity_is_told),
      cmocka_unit_test (records_come_back_whatever_the_share_and_count),
      cmocka_unit_test (a_decided_commit_past_its_edge_is_not_kept_out_by_a_share),
      cmocka_unit_test (a_share_follows_the_capacity),
      cmocka_unit_test (the_shares_agree_with_a_plain_count_of_each_minute),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
