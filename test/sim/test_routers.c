/*  test_routers - a domain's circuits and the agents of its two routers under the simulated host.
 *  All die at every effect, and agents between any two commands; a second agent claims to be the
 *  first router's; the network loses, doubles, reorders, cuts; somebody else undoes what they made.
 *  The machines go on; one of them has fq_codel.
 *
 *  What must hold: a circuit is told active only when each device on its way has had its class,
 *  capped at its rate, and a filter that leads there; nothing of others is touched; when faults
 *  have ended every circuit that is wanted is active, and what is not wanted is nowhere.
 *
 *  Domain N: a ── r1 ══ r2 ── b, and c ── r2. The sites' ends have no interfaces of ours.
 */
#include "sim.h"
#include "sim_tc.h"

#include "member.h"
#include "must.h"
#include "router.h"
#include "routers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CIRCUITS 4
#define TICK_MS  300
#define FAULTY   30000000 /* µs with faults */
#define SETTLED  70000000 /* µs until all that is wanted must be active */
#define ENDED    90000000 /* µs until all must be gone */
#define SEED_ENV "MUSUBI_ROUTERS_SEEDS"
#define AGENTS   3
#define FAR_MS   INT64_C (4000000000000)

/*  A circuit as its domain has stored it, and what became of it. */
typedef struct {
    bool wanted;
    unsigned
      mbps; /* never used before by any of them, so that a class shows what it was made for */
    bool seen [4]; /* at each of its devices, since then */
    circuit_state_t told;
} test_circuit_t;

typedef struct {
    const struct routers_scene *scene;
    const char *name;
} router_program_t;

typedef struct routers_scene {
    sim_t *sim;
    sim_tally_t tally;
    prng_t prng;
    sim_tc_t machines [2];
    int nis;
    router_program_t agents [AGENTS];
    unsigned used; /* rates */
    int64_t until_ms;
    test_circuit_t circuits [CIRCUITS];
    bool dies; /* machines give up now and then */
    bool quiet;
    size_t active; /* times that one was told active */

    /*  Of the present life. */
    service_t *service;
    routers_t *routers;
} routers_scene_t;

static vertex_t vertices [] = {{.name = "a", .kind = VERTEX_SITE},
                               {.name = "b", .kind = VERTEX_SITE},
                               {.name = "c", .kind = VERTEX_SITE},
                               {.name = "N/r1", .kind = VERTEX_ROUTER},
                               {.name = "N/r2", .kind = VERTEX_ROUTER}};
static link_t links [] = {{.name = "a-r1", .ends = {"a", "N/r1"}, .mbps = 100000},
                          {.name = "r1-r2", .ends = {"N/r1", "N/r2"}, .mbps = 100000},
                          {.name = "b-r2", .ends = {"b", "N/r2"}, .mbps = 100000},
                          {.name = "c-r2", .ends = {"c", "N/r2"}, .mbps = 100000}};
static const domain_t domain = {
  .vertices = vertices, .vertices_count = 5, .links = links, .links_count = 4};

/*  The devices that a circuit from a to the site at that interface of r2 passes. */
static bool passes (const routers_scene_t *self, size_t device, const char *far, unsigned mbps)
{
    switch (device) {
    case 0:
        return sim_tc_has (&self->machines [0], "to-a", true, mbps) &&
               sim_tc_has (&self->machines [0], "to-a", false, mbps);
    case 1:
        return sim_tc_has (&self->machines [0], "wan", false, mbps);
    case 2:
        return sim_tc_has (&self->machines [1], "wan", false, mbps);
    default:
        return sim_tc_has (&self->machines [1], far, true, mbps) &&
               sim_tc_has (&self->machines [1], far, false, mbps);
    }
}

/*  Circuits 0 and 1 lead to b, 2 and 3 to c; of each pair the second one is for a port. */
static const char *far_of (size_t circuit)
{
    return circuit < 2 ? "to-b" : "to-c";
}

static void look (routers_scene_t *self)
{
    for (size_t i = 0; i < CIRCUITS; i++)
        for (size_t d = 0; d < 4; d++)
            self->circuits [i].seen [d] |= passes (self, d, far_of (i), self->circuits [i].mbps);
}

/*  --- the domain --- */

/*  Somebody else does away with all that is at wan, or with what one class has. */
static void touch (routers_scene_t *self, size_t at)
{
    sim_tc_device_t *wan = &self->machines [at].devices [1];
    sim_tc_class_t *class = &wan->classes [prng_below (&self->prng, wan->classes_count + 1)];
    uint64_t how = prng_below (&self->prng, 3);
    if (how == 0 || wan->classes_count == 0) {
        wan->htb = false;
        wan->classes_count = wan->filters_count = 0;
    } else if (how == 1)
        class->rate++;
    else
        strcpy (class->queue, "pfifo");
    self->machines [at].touched = true;
}

static void circuit_tell (routers_scene_t *self, const moment_t *now, size_t i)
{
    char name [8];
    char way [3][NAME_BYTES_MAX + 1] = {"a-r1", "r1-r2", "b-r2"};
    if (i >= 2)
        way [2][0] = 'c';
    /* Two of the same traffic, which have one class. */
    unsigned mbps = self->circuits [i].mbps, second = mbps / 2;
    circuit_t both [2] = {{.need = "x-y",
                           .links = way,
                           .links_count = 3,
                           .mbps = mbps - second,
                           .from_ms = 0,
                           .until_ms = self->until_ms}};
    both [1] = both [0];
    both [1].need [2] = 'z';
    both [1].mbps = second;
    circuit_back_end_t back_end = routers_back_end (self->routers);
    snprintf (name, sizeof name, "r%zu", i);
    back_end.want (back_end.owner, now, name, both,
                   self->circuits [i].wanted ? 1 + (second > 0) : 0,
                   &(traffic_t){.port = i % 2 == 1 ? 5000 : 0});
}

static void circuit_change (routers_scene_t *self, size_t i)
{
    test_circuit_t *circuit = &self->circuits [i];
    circuit->wanted =
      !circuit->wanted || self->used < 10 + CIRCUITS || prng_below (&self->prng, 2) == 0;
    circuit->mbps = ++self->used;
    memset (circuit->seen, 0, sizeof circuit->seen);
}

static void on_tick (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    routers_scene_t *self = owner;
    size_t i = prng_below (&self->prng, CIRCUITS);
    timers_set (self->service->timers, now->mono_ms + TICK_MS, on_tick, self, 0);
    if (self->dies && prng_below (&self->prng, 8) == 0)
        touch (self, prng_below (&self->prng, 2));
    if (self->quiet || prng_below (&self->prng, 4) > 0)
        return;
    circuit_change (self, i);
    circuit_tell (self, now, i);
}

static void on_told (void *owner, const moment_t *now, const char *reservation,
                     circuit_state_t from, circuit_state_t to, const char *why)
{
    (void) now, (void) from;
    routers_scene_t *self = owner;
    test_circuit_t *circuit = &self->circuits [reservation [1] - '0'];
    circuit->told = to;
    if ((to == CIRCUITS_DEGRADED) != (*why && to != CIRCUITS_OPENING))
        sim_fail (self->sim, "%s is told state %d with the reason \"%s\"", reservation, to, why);
    if (to != CIRCUITS_ACTIVE)
        return;
    self->active++;
    for (size_t d = 0; d < 4; d++)
        if (!circuit->seen [d])
            sim_fail (self->sim, "%s is told active, and device %zu never had it", reservation, d);
}

static void on_start (void *owner, const moment_t *now)
{
    routers_scene_t *self = owner;
    for (size_t i = 0; i < CIRCUITS; i++) {
        self->circuits [i].told = CIRCUITS_IDLE;
        circuit_tell (self, now, i);
    }
    on_tick (self, now, 0);
}

static void nis_step (void *owner, const moment_t *now, const event_t *event)
{
    service_step (((routers_scene_t *) owner)->service, now, event);
}

static bool nis_next (void *owner, effect_t *effect)
{
    return service_next (((routers_scene_t *) owner)->service, effect);
}

static void nis_destroy (void *owner)
{
    routers_scene_t *self = owner;
    routers_destroy (&self->routers);
    service_destroy (&self->service);
}

static void nis_make (void *owner, core_t *core)
{
    static const link_interfaces_t interfaces [] = {
      {{"", "to-a"}}, {{"wan", "wan"}}, {{"", "to-b"}}, {{"", "to-c"}}};
    static const vertex_prefixes_t prefixes [5] = {
      {{{0x0a010000, 16}}, 1}, {{{0x0a020000, 16}, {0x0a030007, 32}}, 2}, {{{0x0a040000, 16}}, 1}};
    routers_scene_t *self = owner;
    routers_settings_t settings = {.links = interfaces,
                                   .vertices = prefixes,
                                   .attend_ms = 500,
                                   .silent_ms = 2000,
                                   .lost_ms = 4000};
    self->service = member_new ("nis/N", NULL, 0);
    self->routers = routers_new (self->service, "N", &domain, &settings, on_told, self);
    service_at_start (self->service, on_start, self);
    *core = (core_t){.self = self, .step = nis_step, .next = nis_next, .destroy = nis_destroy};
}

/*  --- the agents, and what they order --- */

static void router_make (void *owner, core_t *core)
{
    const router_program_t *program = owner;
    const char *endpoints [] = {sim_address (program->scene->sim, program->scene->nis)};
    router_core (
      &(router_settings_t){
        .name = program->name, .endpoints = endpoints, .endpoints_count = 1, .look_ms = 1000},
      core);
}

/*  What somebody has touched there. */
static packed_t touched_take (sim_tc_t *machine)
{
    router_interface_t interface = {.name = "wan"};
    router_work_t told = {.interfaces = &interface, .interfaces_count = machine->touched};
    machine->touched = false;
    return codec_encode (&router_work_codec, &told);
}

static packed_t shape (routers_scene_t *self, int process, sim_tc_t *machine,
                       const router_work_t *order)
{
    shaper_machine_t seen_by = sim_tc_machine (machine);
    router_work_t seen;
    bool dies = self->dies && prng_below (&self->prng, 4) == 0;
    machine->dies_after = dies ? (int64_t) prng_below (&self->prng, 12) : INT64_MAX;
    shaper_run (&seen_by, order, &seen);
    look (self);
    if (machine->why)
        sim_fail (self->sim, "%s: %s", sim_name (self->sim, process), machine->why);
    packed_t packed = codec_encode (&router_work_codec, &seen);
    codec_clear (&router_work_codec, &seen);
    return packed;
}

static bool work (void *owner, int process, int64_t mono_ms, const char *kind, bytes_t arguments,
                  uint8_t **result, size_t *result_size)
{
    (void) mono_ms;
    routers_scene_t *self = owner;
    sim_tc_t *machine = &self->machines [strstr (sim_name (self->sim, process), "r2") != NULL];
    router_work_t order;
    char why [WHY_BYTES];
    bool watches = strcmp (kind, ROUTER_WATCH) == 0;
    assert_true (watches || strcmp (kind, ROUTER_SHAPE) == 0);
    assert_true (codec_decode (&router_work_codec, &order, arguments, why));
    packed_t packed = watches ? touched_take (machine) : shape (self, process, machine, &order);
    codec_clear (&router_work_codec, &order);
    *result = packed.data;
    *result_size = packed.size;
    return true;
}

/*  --- runs of the scene --- */

static void faults_draw (routers_scene_t *self)
{
    prng_t *prng = &self->prng;
    sim_net_faults_t net = {.loss = (uint32_t) prng_below (prng, 100),
                            .doubling = (uint32_t) prng_below (prng, 100),
                            .reordering = (uint32_t) prng_below (prng, 100),
                            .delay = (uint32_t) prng_below (prng, 50),
                            .delay_ms_max = 3000,
                            .keep = 500};
    sim_faults_t faults = {.crash = (uint32_t) prng_below (prng, 120),
                           .crashes_max = 30,
                           .pause_ms_max = 1500,
                           .slow = 30,
                           .work_ms_max = 400};
    sim_net_set (sim_net (self->sim), &net);
    sim_fault (self->sim, &faults, &net);
    self->dies = true;
    for (int process = 0; process < 4; process++) {
        int64_t at_us = 2000000 + (int64_t) prng_below (prng, FAULTY / 2);
        if (prng_below (prng, 2) == 0)
            sim_kill (self->sim, process, at_us, 200 + (int64_t) prng_below (prng, 6000));
        else if (process != self->nis)
            sim_net_cut (sim_net (self->sim), process, self->nis, prng_below (prng, 3) == 0, at_us,
                         at_us + (int64_t) prng_below (prng, 8000000));
    }
}

static void on_quiet (void *owner, uint64_t token)
{
    (void) token;
    routers_scene_t *self = owner;
    self->quiet = true;
    self->dies = false;
    sim_heal (self->sim);
}

static void check_active (routers_scene_t *self)
{
    size_t wanted = 0;
    for (size_t i = 0; i < CIRCUITS; i++)
        wanted += self->circuits [i].wanted;
    for (size_t m = 0; m < 2; m++)
        if (sim_tc_circuits (&self->machines [m], "wan") != wanted)
            sim_fail (self->sim, "router %zu has other circuits than the %zu wanted", m + 1,
                      wanted);
    for (size_t i = 0; i < CIRCUITS; i++) {
        test_circuit_t *circuit = &self->circuits [i];
        if (circuit->told != (circuit->wanted ? CIRCUITS_ACTIVE : CIRCUITS_IDLE))
            sim_fail (self->sim, "r%zu is wanted=%d and told state %d", i, circuit->wanted,
                      circuit->told);
        for (size_t d = 0; d < 4; d++)
            if (passes (self, d, far_of (i), circuit->mbps) != circuit->wanted)
                sim_fail (self->sim, "r%zu is wanted=%d, not so at device %zu", i, circuit->wanted,
                          d);
    }
}

/*  The domain forgets them all, and is started anew. */
static void on_end (void *owner, uint64_t token)
{
    (void) token;
    routers_scene_t *self = owner;
    for (size_t i = 0; i < CIRCUITS; i++)
        self->circuits [i].wanted = false;
    sim_kill (self->sim, self->nis, sim_now_us (self->sim) + 1000, 100);
}

static void machines_make (routers_scene_t *self)
{
    static const char *const devices [2][3] = {{"to-a", "wan", NULL}, {"to-b", "wan", "to-c"}};
    for (size_t m = 0; m < 2; m++) {
        for (size_t i = 0; i < 3 && devices [m][i]; i++)
            sim_tc_device (&self->machines [m], devices [m][i], NULL);
        sim_tc_device (&self->machines [m], "eth9", "tbf 1:");
        self->machines [m].fq_codel = m > 0;
    }
}

static void scene_begin (routers_scene_t *self, uint64_t seed, int64_t until_ms, FILE *trace)
{
    static const char *const names [AGENTS] = {"router/r1", "router/r2", "router/r1"};
    memset (self, 0, sizeof *self);
    self->until_ms = until_ms;
    self->quiet = seed == 0 && until_ms < FAR_MS;
    prng_seed (&self->prng, seed);
    machines_make (self);
    self->used = 10;
    for (size_t i = 0; i < CIRCUITS; i++)
        circuit_change (self, i);
    self->sim = sim_new (seed, &self->tally, trace);
    sim_worker (self->sim, work, self);
    self->nis = sim_add (
      self->sim, &(sim_program_t){.name = "nis/N", .make = nis_make, .owner = self, .stays = true},
      &(sim_clock_t){.drift_ppm = 80}, SIM_NOBODY, 0);
    for (int i = 0; i < AGENTS; i++) {
        self->agents [i] = (router_program_t){self, names [i] + strlen ("router/")};
        sim_add (
          self->sim,
          &(sim_program_t){.name = names [i], .make = router_make, .owner = &self->agents [i]},
          &(sim_clock_t){.drift_ppm = 60 * i - 90}, SIM_NOBODY, i == 2 ? 5000000 : 1000 * (i + 1));
    }
}

static void scene_run (routers_scene_t *self, uint64_t seed, FILE *trace)
{
    scene_begin (self, seed, FAR_MS, trace);
    sim_run (self->sim, 500000);
    if (seed > 0)
        faults_draw (self);
    sim_at (self->sim, FAULTY, on_quiet, self, 0);
    sim_run (self->sim, SETTLED);
    if (!sim_failed (self->sim))
        check_active (self);
    sim_at (self->sim, SETTLED + 1, on_end, self, 0);
    sim_run (self->sim, ENDED);
    for (size_t m = 0; m < 2 && !sim_failed (self->sim); m++)
        if (!sim_tc_clean (&self->machines [m]))
            sim_fail (self->sim, "something is left at router %zu", m + 1);
}

/*  --- tests --- */

static void without_faults_what_is_wanted_is_active_and_what_is_not_is_gone (void **state)
{
    (void) state;
    routers_scene_t *scene = must (malloc (sizeof *scene));
    scene_run (scene, 0, NULL);
    if (sim_failed (scene->sim))
        fail_msg ("%s", sim_why (scene->sim));
    assert_true (scene->active >= CIRCUITS);
    sim_destroy (&scene->sim);
    free (scene);
}

static void with_faults_active_is_told_when_seen_and_all_comes_right (void **state)
{
    (void) state;
    const char *wanted = getenv (SEED_ENV);
    uint64_t seeds = wanted ? strtoull (wanted, NULL, 10) : 100;
    uint64_t crashes = 0;
    size_t active = 0, changes = 0;
    routers_scene_t *scene = must (malloc (sizeof *scene));
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        scene_run (scene, seed, NULL);
        if (sim_failed (scene->sim))
            fail_msg ("seed %llu: %s", (unsigned long long) seed, sim_why (scene->sim));
        crashes += scene->tally.counts [COUNT_CRASHES];
        active += scene->active;
        changes += scene->machines [0].changes + scene->machines [1].changes;
        sim_destroy (&scene->sim);
    }
    print_message ("seeds 1..%llu: crashes=%llu active=%zu changes=%zu\n",
                   (unsigned long long) seeds, (unsigned long long) crashes, active, changes);
    assert_true (crashes > seeds);
    assert_true (active > 10 * seeds);
    free (scene);
}

/*  Its svc-nis is gone for good: a circuit does not outlast its end. */
static void an_agent_alone_takes_circuits_away_at_their_end (void **state)
{
    (void) state;
    routers_scene_t *scene = must (malloc (sizeof *scene));
    scene_begin (scene, 0, SIM_EPOCH_MS + 20000, NULL);
    sim_run (scene->sim, 10000000);
    for (size_t i = 0; i < CIRCUITS; i++)
        assert_int_equal (scene->circuits [i].told, CIRCUITS_ACTIVE);
    sim_kill (scene->sim, scene->nis, 10000001, -1);
    sim_run (scene->sim, 24000000);
    assert_true (passes (scene, 0, "to-b", scene->circuits [0].mbps));
    sim_run (scene->sim, 30000000);
    assert_true (sim_tc_clean (&scene->machines [0]) && sim_tc_clean (&scene->machines [1]));
    sim_destroy (&scene->sim);
    free (scene);
}

/*  One circuit at eth0; what came of it. */
static router_work_t shaped_again (sim_tc_t *machine)
{
    static router_interface_t interface = {.name = "eth0", .mbps = 100};
    static prefix_t from [] = {{0x0a010000, 16}}, to [] = {{0x0a020000, 16}};
    static shape_t shape = {.reservation = "r1",
                            .need = "x-y",
                            .interface = "eth0",
                            .mbps = 30,
                            .from = from,
                            .from_count = 1,
                            .to = to,
                            .to_count = 1};
    router_work_t order = {&interface, 1, &shape, 1}, seen;
    shaper_machine_t seen_by = sim_tc_machine (machine);
    machine->dies_after = INT64_MAX;
    shaper_run (&seen_by, &order, &seen);
    return seen;
}

/*  The same where there may be a root discipline already. */
static router_work_t shaped_beside (const char *others, sim_tc_t *machine)
{
    *machine = (sim_tc_t){.fq_codel = machine->fq_codel};
    sim_tc_device (machine, "eth0", others);
    return shaped_again (machine);
}

static void a_circuit_has_a_short_queue_of_the_better_kind_that_there_is (void **state)
{
    (void) state;
    static const char *const kinds [] = {"bfifo", "fq_codel"};
    for (size_t better = 0; better < 2; better++) {
        sim_tc_t machine = {.fq_codel = better > 0};
        router_work_t seen = shaped_beside (NULL, &machine);
        assert_string_equal (seen.interfaces [0].queue, kinds [better]);
        assert_string_equal (seen.interfaces [0].trouble, "");
        assert_int_equal (machine.fq_codels, better > 0 ? 0 : 1);
        codec_clear (&router_work_codec, &seen);

        /* What it has lost, and what somebody else has put there; what is there is left. */
        static const char *const lost [] = {"", "pfifo", "fq_codel", "bfifo"};
        for (size_t i = 0; i < 4; i++) {
            strcpy (machine.devices [0].classes [2].queue, lost [i]);
            strcpy (machine.devices [0].classes [2].limit, "64Kb");
            seen = shaped_again (&machine);
            assert_int_equal (seen.shapes_count, 1);
            assert_true (sim_tc_has (&machine, "eth0", false, 30));
            codec_clear (&router_work_codec, &seen);
        }
        size_t changes = machine.changes;
        seen = shaped_again (&machine);
        assert_int_equal (machine.changes, changes);
        assert_int_equal (machine.fq_codels, better > 0 ? 0 : 1); /* it was tried once */
        assert_null (machine.why);
        codec_clear (&router_work_codec, &seen);
    }
}

static void a_discipline_of_somebody_else_is_told_and_left_alone (void **state)
{
    (void) state;
    sim_tc_t machine = {0};
    router_work_t seen = shaped_beside (NULL, &machine);
    assert_int_equal (seen.shapes_count, 1);
    assert_string_equal (seen.interfaces [0].trouble, "");
    assert_true (sim_tc_has (&machine, "eth0", false, 30));
    codec_clear (&router_work_codec, &seen);

    seen = shaped_beside ("tbf 1:", &machine);
    assert_int_equal (seen.shapes_count, 0);
    assert_non_null (strstr (seen.interfaces [0].trouble, "that is not ours (tbf 1:)"));
    assert_int_equal (machine.changes, 0);
    assert_null (machine.why);
    codec_clear (&router_work_codec, &seen);
}

static void a_full_queue_adds_what_it_holds_at_the_circuits_rate (void **state)
{
    (void) state;
    assert_int_equal (shape_wait_us ("", 30), 0);
    assert_int_equal (shape_wait_us ("fq_codel", 30), 5000);
    assert_int_equal (shape_wait_us ("bfifo", 30), 192 * 8192 / 30);
    assert_int_equal (shape_wait_us ("bfifo", 100), 192 * 8192 / 100);
    assert_int_equal (shape_wait_us ("bfifo", 0), 0);
    for (uint32_t mbps = 400; mbps < 4000000000u; mbps += mbps / 3) {
        assert_true (shape_wait_us ("bfifo", mbps) <= 5000); /* whole KiB */
        assert_true (shape_wait_us ("bfifo", mbps) > 4900);
    }
}

static void prefixes_are_read_and_refused (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        prefix_t prefix;
        const char *why; /* "" = it is right */
    } cases [] = {
      {"10.8.0.0/16", {0x0a080000, 16}, ""},
      {"10.8.0.7", {0x0a080007, 32}, ""},
      {"0.0.0.0/0", {0, 0}, ""},
      {"255.255.255.255/32", {0xffffffff, 32}, ""},
      {"10.8.0.7/16", {0}, "10.8.0.0/16 would be right"},
      {"10.8.0.0/33", {0}, "should be IPv4 addresses"},
      {"10.8.0.0/", {0}, "should be IPv4 addresses"},
      {"10.8.0.0/1x", {0}, "should be IPv4 addresses"},
      {"10.8.0/16", {0}, "should be IPv4 addresses"},
      {"2001:db8::/32", {0}, "should be IPv4 addresses"},
      {"", {0}, "should be IPv4 addresses"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        prefix_t prefix = {0};
        char why [WHY_BYTES] = "";
        assert_int_equal (prefix_parse (cases [i].text, &prefix, why), !*cases [i].why);
        assert_non_null (strstr (why, cases [i].why));
        if (*cases [i].why)
            continue;
        assert_int_equal (prefix.address, cases [i].prefix.address);
        assert_int_equal (prefix.bits, cases [i].prefix.bits);
    }
}

/*  test_routers SEED: one of them, step by step. */
static int replay (uint64_t seed)
{
    routers_scene_t *scene = must (malloc (sizeof *scene));
    scene_run (scene, seed, stdout);
    bool failed = sim_failed (scene->sim);
    printf ("%s\n", failed ? sim_why (scene->sim) : "all holds");
    sim_destroy (&scene->sim);
    free (scene);
    return failed;
}

int main (int argc, char **argv)
{
    if (argc > 1)
        return replay (strtoull (argv [1], NULL, 10));
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (without_faults_what_is_wanted_is_active_and_what_is_not_is_gone),
      cmocka_unit_test (with_faults_active_is_told_when_seen_and_all_comes_right),
      cmocka_unit_test (an_agent_alone_takes_circuits_away_at_their_end),
      cmocka_unit_test (a_circuit_has_a_short_queue_of_the_better_kind_that_there_is),
      cmocka_unit_test (a_discipline_of_somebody_else_is_told_and_left_alone),
      cmocka_unit_test (a_full_queue_adds_what_it_holds_at_the_circuits_rate),
      cmocka_unit_test (prefixes_are_read_and_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
