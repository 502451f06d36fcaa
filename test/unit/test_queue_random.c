/*  test_queue_random - random days of a site with a queue: work comes and is cancelled, runs end,
 *  reservations come, agents are away for a while, and the process is killed before or after the
 *  flush of any step. Never is a task run twice at once, nor more promised than there is; in the
 *  end everything is over.
 */
#include "queue_fixture.h"

#include "message.h"
#include "prng.h"

#include <inttypes.h>

enum { OPERATIONS = 150, BAGS_MAX = 200, RESERVATIONS_MAX = 40 };

static uint64_t days = 10; /* test_queue_random 30 plays as many */

typedef struct {
    field_t f;
    prng_t prng;
    uint64_t bags [BAGS_MAX];
    size_t bags_count;
    size_t reservations;
    size_t kills;
    size_t requests;
} queue_random_day_t;

static bool chance (queue_random_day_t *day, uint64_t of)
{
    return prng_below (&day->prng, of) == 0;
}

/*  The process may die in its next step, and starts again then. */
static void maybe_kill (queue_random_day_t *day)
{
    if (!chance (day, 6))
        return;
    day->f.w.dies_in = day->f.w.steps + 1;
    day->f.w.dies_flushed = chance (day, 2);
    day->kills++;
}

/*  Counts the runs of all machines: each task runs once, and no node has more than its CPUs. */
static void check_machines (queue_random_day_t *day)
{
    static run_id_t running [AGENTS_MAX * MACHINE_RUNS];
    size_t count = 0;
    for (size_t i = 0; i < day->f.agents_count; i++) {
        const openings_agent_t *agent = &day->f.agents [i];
        for (size_t k = 0; k < agent->runs_count; k++)
            if (!run_over (agent->runs [k].report.state))
                running [count++] = agent->runs [k].report.id;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            assert_false (running [i].task.bag == running [k].task.bag &&
                          running [i].task.index == running [k].task.index);
}

/*  Fewer than no nodes are free only where some were lost. */
static void check_calendar (queue_random_day_t *day)
{
    for (size_t i = 0; i < day->f.agents_count; i++)
        if (day->f.agents [i].away)
            return;
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = day->f.w.host.now.wall_ms;
    request.until_ms = request.from_ms + 1440 * MINUTE_MS;
    ask (&day->f.w, "root", "Calendar", "Profile", &request.base);
    Musubi__ProfileAnswer *told = answer (&day->f.w, &musubi__profile_answer__descriptor);
    for (size_t i = 0; i < told->n_profiles; i++)
        for (size_t k = 0; k < told->profiles [i]->n_steps; k++)
            assert_true (told->profiles [i]->steps [k]->free >= 0);
    message_free (&told->base);
}

/*  --- what happens --- */

/*  Asks again under the same id when the process was killed meanwhile; only one bag comes of it. */
static void come (queue_random_day_t *day)
{
    char id [32];
    char reservation [16];
    snprintf (id, sizeof id, "q%zu", ++day->requests);
    snprintf (reservation, sizeof reservation, "r%zu",
              1 + prng_below (&day->prng, day->reservations + 1));
    bool fat = chance (day, 2);
    wish_bag_t wish = {
      .request_id = id,
      .class_name = chance (day, 4) ? NULL
                    : fat           ? "fat"
                                    : "thin",
      .cpus = 1 + (uint32_t) prng_below (&day->prng, fat ? 16 : 2),
      .count = 1 + (uint32_t) prng_below (&day->prng, 6),
      .minutes = 1 + (int64_t) prng_below (&day->prng, 40),
      .priority = (int32_t) prng_below (&day->prng, 3),
      .preemptible = chance (day, 3),
      .requeue = chance (day, 2),
    };
    if (chance (day, 3) && !wish.preemptible)
        wish.reservation = reservation;
    if (day->bags_count == BAGS_MAX)
        return;
    for (bool again = true; again;) {
        maybe_kill (day);
        uint32_t start = day->f.w.host.store.start;
        call_status_t status = try_submit (&day->f, &wish);
        again = day->f.w.host.store.start != start;
        if (!again && status == CALL_OK) {
            Musubi__SubmitAnswer *told = answer (&day->f.w, &musubi__submit_answer__descriptor);
            day->bags [day->bags_count++] = told->bag;
            message_free (&told->base);
        }
    }
    for (size_t i = 0; i + 1 < day->bags_count; i++)
        assert_int_not_equal (day->bags [i], day->bags [day->bags_count - 1]);
}

static void reserve_some (queue_random_day_t *day)
{
    char id [16];
    int64_t minute = (day->f.w.host.now.wall_ms - EPOCH_MS) / MINUTE_MS + 3;
    int64_t from = minute + (int64_t) prng_below (&day->prng, 60);
    uint32_t nodes = 1 + (uint32_t) prng_below (&day->prng, 4);
    bool fat = chance (day, 2);
    snprintf (id, sizeof id, "r%zu", day->reservations + 1);
    booking_t one = booking (fat ? "fat" : "thin", nodes * (fat ? 16 : 2), nodes, from,
                             from + 2 + (int64_t) prng_below (&day->prng, 30));
    service_order_t order = {.reservation = id, .bookings = &one, .count = 1, .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&day->f.w, &order, &told);
    bool granted = told.state == COMMAND_PREPARED;
    codec_clear (&command_answer_codec, &told);
    if (!granted || day->reservations == RESERVATIONS_MAX)
        return;
    tell (&day->f.w, "Commit", &txid);
    day->reservations++;
}

static void some_run_ends (queue_random_day_t *day)
{
    openings_agent_t *agent = &day->f.agents [prng_below (&day->prng, day->f.agents_count)];
    if (agent->runs_count == 0)
        return;
    machine_run_t *run = &agent->runs [prng_below (&day->prng, agent->runs_count)];
    if (run_over (run->report.state))
        return;
    machine_end (run, day->f.w.host.now.wall_ms);
    run->report.exit_code = (int32_t) prng_below (&day->prng, 2);
}

static void agents_come_killing (queue_random_day_t *day)
{
    for (size_t i = 0; i < day->f.agents_count; i++) {
        openings_agent_t *agent = &day->f.agents [i];
        for (bool more = !agent->away; more;) {
            maybe_kill (day);
            more = agent_ask (&day->f, agent);
        }
        check_machines (day);
    }
}

static void time_passes (queue_random_day_t *day)
{
    int64_t seconds = 1 + (int64_t) prng_below (&day->prng, 120);
    for (; seconds > 0; seconds -= 10) {
        maybe_kill (day);
        pass (&day->f.w, 10 * SECOND_MS);
        day->f.w.dies_in = 0; /* nothing may have happened */
        agents_come_killing (day);
    }
}

static void happen (queue_random_day_t *day)
{
    switch (prng_below (&day->prng, 8)) {
    case 0:
    case 1:
        come (day);
        break;
    case 2:
        if (day->bags_count > 0)
            cancel (&day->f, day->bags [prng_below (&day->prng, day->bags_count)],
                    chance (day, 2) ? -1 : 0);
        break;
    case 3:
        reserve_some (day);
        break;
    case 4:
        for (int i = 0; i < 5; i++)
            some_run_ends (day);
        break;
    case 5: {
        openings_agent_t *agent = &day->f.agents [prng_below (&day->prng, day->f.agents_count)];
        agent->away = !agent->away && chance (day, 2);
        break;
    }
    default:
        time_passes (day);
        break;
    }
    check_machines (day);
    check_calendar (day);
    field_check (&day->f);
}

/*  No run goes on beyond its limit, so all end within a few hours. */
static void come_to_the_end (queue_random_day_t *day)
{
    for (size_t i = 0; i < day->f.agents_count; i++)
        day->f.agents [i].away = false;
    bool all_over = false;
    for (int hour = 0; hour < 200 && !all_over; hour++) {
        for (int i = 0; i < 60; i++) {
            pass (&day->f.w, MINUTE_MS);
            agents_come (&day->f);
        }
        check_machines (day);
        all_over = true;
        for (size_t i = 0; i < day->bags_count; i++) {
            told_bag_t told = bag (&day->f, day->bags [i]);
            all_over = all_over && told.queued == 0 && told.running == 0;
        }
    }
    assert_true (all_over);
    for (size_t i = 0; i < day->f.agents_count; i++)
        for (size_t k = 0; k < day->f.agents [i].runs_count; k++)
            assert_true (run_over (day->f.agents [i].runs [k].report.state));
}

static void nothing_is_run_twice_or_forgotten_whenever_the_site_is_killed (void **state)
{
    (void) state;
    size_t kills = 0;
    size_t bags = 0;
    for (uint64_t seed = 1; seed <= days; seed++) {
        static queue_random_day_t day;
        day = (queue_random_day_t){.bags_count = 0};
        print_message ("seed %" PRIu64 "\n", seed);
        prng_seed (&day.prng, seed);
        prepare_queue (&day.f);
        day.f.w.settings.site.horizon_ms = 100000 * MINUTE_MS;
        day.f.w.settings.site.cleaning_gap_ms = (int64_t) (seed % 3) * 20 * SECOND_MS;
        day.f.runner.queue.retention_ms = INT64_C (365) * 1440 * MINUTE_MS;
        open_field (&day.f);
        for (int i = 0; i < OPERATIONS; i++)
            happen (&day);
        come_to_the_end (&day);
        kills += day.kills;
        bags += day.bags_count;
        close_world (&day.f.w);
    }
    assert_true (kills > 10 * days && bags > 10 * days); /* it was about something */
}

int main (int argc, char **argv)
{
    if (argc > 1)
        days = strtoull (argv [1], NULL, 10);
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (nothing_is_run_twice_or_forgotten_whenever_the_site_is_killed),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
