/*  All processes are so far apart that no answer comes within a try's shortest patience. A request
 *  is reserved and released all the same, as it is between near processes.
 */
#include "scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TRY_MS    100
#define FLIGHT_US (1000 * TRY_MS / 2 + 5000)
#define SEEDS     10

typedef struct {
    sim_request_t *reserve;
    sim_request_t *release;
    int told [2];
} far_t;

static void users (void *owner, schedule_t *schedule)
{
    static const size_t both [2] = {0, 1};
    far_t *self = owner;
    sim_wish_t wish;
    /* The limits of schedules are made for a smaller world: a tenth of the default patience. */
    schedule->planner.try_ms = TRY_MS;
    schedule->planner.try_ms_max = 4 * TRY_MS;
    schedule->planner.decide_ms = 3000; /* clocks are off by up to a second */
    for (size_t i = 0; i < schedule->planners_count; i++)
        sim_kill (schedule->sim, schedule->planners [i], sim_now_us (schedule->sim), 1);
    sim_client_t *client = &schedule->clients [0];
    scene_wish (schedule, both, 20000, 0, &wish);
    self->reserve = scene_reserve (schedule, "r", &wish);
    scene_action (client, self->reserve, 1, false);
    self->release = scene_change (schedule, "x", self->reserve, OPERATION_RELEASE, NULL);
    scene_action (client, self->release, 1, false);
    schedule_client (schedule, client, "client/1");
}

static void all_far (void *owner, schedule_t *schedule, sim_faults_t *faults, sim_net_faults_t *net)
{
    scene_calm (owner, schedule, faults, net);
    sim_net_pace (sim_net (schedule->sim), FLIGHT_US);
}

static void judge (void *owner, schedule_t *schedule)
{
    (void) schedule;
    far_t *self = owner;
    self->told [0] = self->reserve->answer.status;
    self->told [1] = self->release->answer.status;
}

static void what_is_far_is_reserved_and_released (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        far_t self = {0};
        play_t play = {0};
        sim_scene_t scene = {.owner = &self, .users = users, .faults = all_far, .judge = judge};
        if (!scene_run (seed, &(sim_options_t){.sites = 2, .planners = 2, .gis = 1, .clients = 1},
                        &scene, &play))
            fail_msg ("seed %llu: %s", (unsigned long long) seed, play.why);
        assert_int_equal (self.told [0], ANSWER_COMMITTED);
        assert_int_equal (self.told [1], ANSWER_COMMITTED);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_is_far_is_reserved_and_released),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
