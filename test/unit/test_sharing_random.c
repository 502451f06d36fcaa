/*  test_sharing_random - random days of a coalition: work comes and is cancelled, a balancer moves
 *  tasks between the sites, sites leave and join, messages are lost, doubled or late, and the net
 *  is cut; sites are killed before or after the flush of any step. No task is begun twice, at one
 *  site or at two, and in the end the home of each task knows that it is over.
 */
#include "sharing_fixture.h"

enum { DAYS = 50, OPERATIONS = 150, SHARED_MAX = 40 };

typedef struct {
    char label [16];
    size_t site;
    uint64_t number;
    uint32_t count;
} sharing_random_shared_t;

typedef struct {
    sharing_coalition_t c;
    prng_t prng;
    sharing_random_shared_t shared [SHARED_MAX];
    size_t shared_count;
    size_t kills;
    uint64_t moved;
} sharing_random_day_t;

static bool chance (sharing_random_day_t *day, uint64_t of)
{
    return prng_below (&day->prng, of) == 0;
}

static size_t some_site (sharing_random_day_t *day)
{
    return (size_t) prng_below (&day->prng, SITES);
}

/*  Sets a site to die in its next step or in one soon after, or not at all. */
static void maybe_kill (sharing_random_day_t *day, size_t site)
{
    service_world_t *w = &day->c.sites [site].w;
    if (!chance (day, 4))
        return;
    w->dies_in = w->steps + 1 + (size_t) prng_below (&day->prng, 4);
    w->dies_flushed = chance (day, 2);
    day->kills++;
}

static void nothing_was_begun_twice (const sharing_random_day_t *day)
{
    for (size_t i = 0; i < day->c.begun_count; i++)
        if (day->c.begun [i].begun != 1)
            fail_msg ("%s was begun %" PRIu32 " times", day->c.begun [i].label,
                      day->c.begun [i].begun);
}

/*  --- what happens --- */

/*  Repeats the request with the same id when the process was killed meanwhile. */
static void come (sharing_random_day_t *day)
{
    if (day->shared_count == SHARED_MAX)
        return;
    sharing_random_shared_t *shared = &day->shared [day->shared_count++];
    *shared = (sharing_random_shared_t){.site = some_site (day),
                                        .count = 1 + (uint32_t) prng_below (&day->prng, 40)};
    snprintf (shared->label, sizeof shared->label, "s%zu", day->shared_count);
    for (bool again = true; again;) {
        service_world_t *w = &day->c.sites [shared->site].w;
        maybe_kill (day, shared->site);
        uint32_t start = w->host.store.start;
        call_status_t status =
          try_share (&day->c, shared->site, shared->label, shared->count, shared->label);
        again = w->host.store.start != start;
        if (!again) {
            assert_int_equal (status, CALL_OK);
            shared->number = submitted_bag (&day->c, shared->site);
        }
    }
}

/*  An order that was not answered is repeated. */
static void balance (sharing_random_day_t *day)
{
    size_t from = some_site (day);
    size_t to = some_site (day);
    uint64_t number = 1 + prng_below (&day->prng, 10); /* guests, mostly, which go home */
    if (day->shared_count > 0 && !chance (day, 3)) {
        const sharing_random_shared_t *shared =
          &day->shared [prng_below (&day->prng, day->shared_count)];
        from = shared->site;
        number = shared->number;
    }
    uint32_t count = 1 + (uint32_t) prng_below (&day->prng, 12);
    service_world_t *w = &day->c.sites [from].w;
    for (bool again = true; again; day->c.order -= again) {
        maybe_kill (day, from);
        uint32_t start = w->host.store.start;
        call_status_t status = try_move (&day->c, from, to, number, count);
        again = w->host.store.start != start;
        if (!again && status == CALL_OK)
            day->moved += moved (&day->c, from);
    }
}

static void leave_or_join (sharing_random_day_t *day)
{
    size_t site = some_site (day);
    Musubi__LeaveRequest leave = MUSUBI__LEAVE_REQUEST__INIT;
    maybe_kill (day, site);
    ask_sharing (&day->c, site, "root", "Leave", &leave.base);
    day->c.sites [site].w.dies_in = 0;
    if (!chance (day, 3))
        join (&day->c, site);
}

static void cancel_some (sharing_random_day_t *day)
{
    if (day->shared_count == 0)
        return;
    const sharing_random_shared_t *shared =
      &day->shared [prng_below (&day->prng, day->shared_count)];
    Musubi__CancelRequest request = MUSUBI__CANCEL_REQUEST__INIT;
    request.bag = shared->number;
    request.one = !chance (day, 3);
    request.index = (uint32_t) prng_below (&day->prng, shared->count);
    maybe_kill (day, shared->site);
    ask_with_id (&day->c.sites [shared->site], "alice", "Cancel", "", &request.base);
}

static void some_end (sharing_random_day_t *day)
{
    size_t site = some_site (day);
    maybe_kill (day, site);
    all_end (&day->c, site, (int32_t) prng_below (&day->prng, 2));
}

static void time_passes (sharing_random_day_t *day)
{
    for (size_t i = 0; i < SITES; i++)
        maybe_kill (day, i);
    coalition_pass (&day->c, (1 + (int64_t) prng_below (&day->prng, 20)) * SECOND_MS);
}

static void happen (sharing_random_day_t *day)
{
    switch (prng_below (&day->prng, 12)) {
    case 0:
    case 1:
        come (day);
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        balance (day);
        break;
    case 6:
        cancel_some (day);
        break;
    case 7:
        leave_or_join (day);
        break;
    case 8:
        some_end (day);
        break;
    case 9:
        day->c.cut = !day->c.cut && chance (day, 2);
        break;
    default:
        time_passes (day);
        break;
    }
    for (size_t i = 0; i < SITES; i++)
        field_check (&day->c.sites [i]);
    nothing_was_begun_twice (day);
}

/*  --- the end --- */

static bool all_over (sharing_random_day_t *day)
{
    for (size_t i = 0; i < day->shared_count; i++) {
        const sharing_random_shared_t *shared = &day->shared [i];
        if (bag (&day->c.sites [shared->site], shared->number).over < shared->count)
            return false;
    }
    return true;
}

static void come_to_the_end (sharing_random_day_t *day)
{
    day->c.cut = false;
    day->c.chance = NULL;
    for (size_t i = 0; i < SITES; i++)
        day->c.sites [i].w.dies_in = 0;
    for (int round = 0; round < 200 && !all_over (day); round++) {
        for (size_t i = 0; i < SITES; i++)
            all_end (&day->c, i, 0);
        coalition_pass (&day->c, 10 * SECOND_MS);
        nothing_was_begun_twice (day);
    }
    assert_true (all_over (day));
    for (size_t i = 0; i < day->shared_count; i++) {
        const sharing_random_shared_t *shared = &day->shared [i];
        for (uint32_t k = 0; k < shared->count; k++) {
            told_task_t told = task (&day->c.sites [shared->site], shared->number, k);
            uint32_t times = begun (&day->c, shared->label, k);
            if (told.state == TASK_ENDED)
                assert_int_equal (times, 1);
            else
                assert_true (told.state == TASK_STOPPED || told.state == TASK_CANCELLED);
            if (told.state == TASK_CANCELLED)
                assert_int_equal (times, 0);
        }
    }
    for (size_t i = 0; i < SITES; i++)
        assert_int_equal (records_of (&day->c.sites [i].w, TABLE_MOVES), 0);
}

static void no_task_is_lost_or_run_twice_whoever_is_killed_and_whatever_is_lost (void **state)
{
    (void) state;
    size_t kills = 0;
    uint64_t tasks_moved = 0;
    for (uint64_t seed = 1; seed <= DAYS; seed++) {
        static sharing_random_day_t day;
        day = (sharing_random_day_t){.shared_count = 0};
        print_message ("seed %" PRIu64 "\n", seed);
        prng_seed (&day.prng, seed);
        prepare_coalition (&day.c);
        for (size_t i = 0; i < SITES; i++) {
            day.c.sites [i].runner.queue.retention_ms = INT64_C (365) * 1440 * MINUTE_MS;
            open_field (&day.c.sites [i]);
            join (&day.c, i);
        }
        day.c.chance = &day.prng;
        for (int i = 0; i < OPERATIONS; i++)
            happen (&day);
        come_to_the_end (&day);
        kills += day.kills;
        tasks_moved += day.moved;
        close_coalition (&day.c);
    }
    print_message ("kills %zu, tasks moved %" PRIu64 "\n", kills, tasks_moved);
    assert_true (kills > 10 * DAYS && tasks_moved > 10 * DAYS); /* the runs were not trivial */
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (no_task_is_lost_or_run_twice_whoever_is_killed_and_whatever_is_lost),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
