/*  test_chain_relay - a storage node of one site feeds another site with a file that it is still
 *  receiving, in the simulated host with faults: conductors and nodes of both die and come back,
 *  what is between them is lost, and what the relay has on its disk becomes other bytes.
 */
#include "chain_scene.h"

#include "member.h"
#include "must.h"
#include "storage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS      60
#define FAULTY_US  INT64_C (30000000)
#define SETTLED_US INT64_C (120000000)
#define FILE_NAME  "climate/run 1" /* as in the scene */
#define FAR_ENDS   4               /* that may die: both conductors, the relay, and the far node */

/*  The far site: a conductor with one node. */
typedef struct {
    chain_scene_t scene;
    int site, node;
    service_t *service;
    chain_t *chain;
    chain_loan_t loan;
} far_site_t;

/*  As a fetcher does: begins a transfer from the relay, and another one when that has failed. */
static void far_look (far_site_t *self, const moment_t *now)
{
    char why [WHY_BYTES];
    chain_id_t id;
    const char *node = "f0";
    const chain_transfer_t *transfer = chain_next (self->chain, NULL);
    const sim_file_t *given = sim_flows_file (
      self->scene.flows, self->scene.processes [self->scene.nodes], "/given", false);
    char endpoint [64];
    snprintf (endpoint, sizeof endpoint, "tcp://%s",
              sim_address (self->scene.sim, self->scene.processes [0]) + 6);
    chain_source_t source = {.name = "replica/ams/n0", .endpoint = endpoint};
    chain_order_t order = {.file = FILE_NAME,
                           .size_known = true,
                           .content = {.size = self->scene.size, .digest_known = true},
                           .sources = &source,
                           .sources_count = 1,
                           .receivers = &node,
                           .receivers_count = 1};
    if (transfer && transfer->over && transfer->receivers [0].state == RECEIVER_FAILED) {
        id = transfer->id;
        chain_forget (self->chain, now, &id);
        transfer = NULL;
    }
    sim_file_digest (given, order.content.digest);
    if (!transfer && !chain_begin (self->chain, now, &order, &id, why))
        return;
    transfer = chain_next (self->chain, NULL);
    self->loan.id = transfer->id;
    memcpy (self->loan.token, transfer->token, CHAIN_TOKEN_BYTES);
    self->scene.loan = &self->loan;
}

static void far_step (void *owner, const moment_t *now, const event_t *event)
{
    far_site_t *self = owner;
    service_step (self->service, now, event);
    if (event->kind != EVENT_RECORD && chain_node (self->chain, "f0")->agent.state == AGENT_UP)
        far_look (self, now);
}

static bool far_next (void *owner, effect_t *effect)
{
    return service_next (((far_site_t *) owner)->service, effect);
}

static void far_end (void *owner)
{
    far_site_t *self = owner;
    chain_destroy (&self->chain);
    service_destroy (&self->service);
}

static void far_make (void *owner, core_t *core)
{
    far_site_t *self = owner;
    const char *node = "f0";
    self->service = member_new ("replica/far", NULL, 0);
    self->chain =
      chain_new (self->service, &node, 1, &SETTINGS_PRESET (chain_limits_t, &chain_table));
    *core = (core_t){.self = self, .step = far_step, .next = far_next, .destroy = far_end};
}

static void far_node_make (void *owner, core_t *core)
{
    const far_site_t *self = owner;
    const char *site = sim_address (self->scene.sim, self->site);
    storage_core (&(storage_settings_t){.name = "f0",
                                        .sites = &site,
                                        .sites_count = 1,
                                        .folder = "/f0",
                                        .bytes_max = UINT64_C (1) << 40},
                  core);
}

static far_site_t *far_begin (uint64_t seed, sim_tally_t *tally)
{
    far_site_t *self = must (calloc (1, sizeof *self));
    self->scene.nodes = 1 + seed % 3;
    self->scene.sources = 1;
    self->scene.marks = seed % 2;
    self->scene.size = (UINT64_C (20) + seed % 80) << 20;
    self->loan =
      (chain_loan_t){.site = "oslo", .node = "n0", .file = FILE_NAME, .until_ms = INT64_MAX};
    chain_scene_begin (&self->scene, seed, tally, NULL);
    sim_t *sim = self->scene.sim;
    self->site = sim_add (
      sim, &(sim_program_t){.name = "replica/far", .make = far_make, .owner = self, .stays = true},
      &(sim_clock_t){0}, SIM_NOBODY, sim_now_us (sim));
    self->node =
      sim_add (sim, &(sim_program_t){.name = "storage/f0", .make = far_node_make, .owner = self},
               &(sim_clock_t){0}, SIM_NOBODY, sim_now_us (sim) + 1000);
    return self;
}

static const sim_file_t *far_file (const far_site_t *self)
{
    for (const sim_file_t *file = sim_flows_files (self->scene.flows); file; file = file->after)
        if (file->process == self->node && strncmp (file->path, "/f0/files/", 10) == 0)
            return file;
    return NULL;
}

static void far_is_right (const far_site_t *self, uint64_t seed)
{
    const sim_file_t *file = far_file (self);
    if (sim_failed (self->scene.sim))
        fail_msg ("seed %u: %s", (unsigned) seed, sim_why (self->scene.sim));
    if (!file || file->damaged || file->bytes != self->scene.size)
        fail_msg ("seed %u: the far site has not got the file", (unsigned) seed);
}

static void far_destroy (far_site_t *self)
{
    chain_scene_end (&self->scene);
    free (self);
}

static void what_comes_to_one_site_goes_on_to_another (void **state)
{
    (void) state;
    static sim_tally_t tally;
    for (uint64_t seed = 3; seed <= 9; seed += 3) { /* with one node at either site */
        far_site_t *self = far_begin (seed, &tally);
        int64_t takes_us = (int64_t) self->scene.size * 8 / CHAIN_SCENE_MBPS;
        sim_run (self->scene.sim, 500000 + takes_us * 2 / 3);
        assert_int_equal (self->scene.verified_us [0], 0);
        assert_in_range (sim_flows_received (self->scene.flows, self->node), self->scene.size / 3,
                         self->scene.size - 1);
        sim_run (self->scene.sim, 3000000 + takes_us * 2);
        assert_int_not_equal (self->scene.verified_us [0], 0);
        far_is_right (self, seed);
        assert_int_equal (sim_flows_received (self->scene.flows, self->node), self->scene.size);
        far_destroy (self);
    }
}

static void on_rot_of_relay (void *owner, uint64_t token)
{
    (void) token;
    const far_site_t *self = owner;
    for (sim_file_t *file = sim_flows_files (self->scene.flows); file; file = file->after)
        if (file->process == self->scene.processes [0] && strstr (file->path, "/parts/") &&
            file->bytes > 0 && file->bytes < self->scene.size)
            file->damaged = true;
}

static void with_faults_the_far_site_gets_it_right (void **state)
{
    (void) state;
    static sim_tally_t tally;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        far_site_t *self = far_begin (seed, &tally);
        sim_t *sim = self->scene.sim;
        const int ends [FAR_ENDS] = {self->site, self->node, self->scene.site,
                                     self->scene.processes [0]};
        prng_t prng;
        prng_seed (&prng, seed + 5);
        sim_fault (sim,
                   &(sim_faults_t){.crash = (uint32_t) prng_below (&prng, 20),
                                   .crashes_max = (uint32_t) prng_below (&prng, 8),
                                   .pause_ms_max = 2000},
                   &(sim_net_faults_t){.loss = (uint32_t) prng_below (&prng, 40),
                                       .doubling = (uint32_t) prng_below (&prng, 40),
                                       .reordering = (uint32_t) prng_below (&prng, 40),
                                       .delay_ms_max = 1000});
        for (size_t k = 0; k < 5; k++)
            sim_kill (sim, ends [prng_below (&prng, FAR_ENDS)],
                      800000 + (int64_t) prng_below (&prng, 9000000),
                      100 + (int64_t) prng_below (&prng, 2000));
        if (seed % 3 == 0)
            sim_at (sim, 1000000 + (int64_t) prng_below (&prng, 4000000), on_rot_of_relay, self, 0);
        sim_run (sim, FAULTY_US);
        sim_heal (sim);
        sim_run (sim, SETTLED_US);
        far_is_right (self, seed);
        far_destroy (self);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_comes_to_one_site_goes_on_to_another),
      cmocka_unit_test (with_faults_the_far_site_gets_it_right),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
