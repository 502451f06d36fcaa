/*  test_replica - sites, an index and a directory in the simulated host: files that are fetched and
 *  copied. */
#include "chain_fake_names.h"
#include "replica_scene.h"

#include "catalogue_check.h"
#include "directory_entry.h"
#include "fetcher_state.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MB    1000000
#define SEEDS 40

static char why [256];

static const file_t *file_at (const replica_scene_t *scene, const char *site, const char *name)
{
    const core_t *core = scene_core (scene, site);
    return core ? catalogue_find (((const replica_t *) core->self)->catalogue, name) : NULL;
}

static void check_fetcher (const fetcher_t *self)
{
    size_t live = 0;
    size_t over = 0;
    for (const transit_t *transit = ordered_after (self->transits, NULL); transit;
         transit = ordered_after (self->transits, &transit->number)) {
        live += transit_live (transit);
        over += !transit_live (transit);
        assert (!transit->begun || transit_of (self, &transit->id) == transit);
        assert (transit->begun || transit->state != TRANSIT_RUNNING || !transit_live (transit));
        assert (transit->state != TRANSIT_RESTING || transit->timer != 0);
    }
    assert (live == self->live && over == self->over);
}

/*  Walks the invariants of a site's parts. */
static void check_site (const replica_scene_t *scene, const char *site)
{
    const replica_t *self = scene_core (scene, site)->self;
    check_catalogue (self->catalogue);
    check_fetcher (self->fetcher);
}

static void put (replica_scene_t *scene, const char *site, const char *name, uint64_t size,
                 uint8_t content)
{
    uint64_t transfer = scene_put (scene, site, name, size, content, why);
    assert_int_not_equal (transfer, UINT64_MAX);
    assert_int_equal (scene_wait (scene, site, transfer, "", 20000, why), TRANSFER_DONE);
}

static void a_page_of_files_tells_how_full_the_nodes_are (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (1, &scene_plan_default);
    put (scene, "replica/a", "x", 3 * MB, 7);
    Musubi__FilesRequest request = MUSUBI__FILES_REQUEST__INIT;
    ProtobufCMessage *message;
    assert_int_equal (scene_ask (scene, "replica/a", "Files", &request.base, &message, why),
                      CALL_OK);
    const Musubi__FilesAnswer *answer = (const Musubi__FilesAnswer *) message;
    assert_true (answer->n_files == 1 && answer->n_nodes == 1); /* guests are not nodes */
    assert_string_equal (answer->nodes [0]->node, "n1");
    assert_true (answer->nodes [0]->up);
    assert_int_equal (answer->nodes [0]->limit, 10 * MB);
    assert_int_equal (answer->nodes [0]->used, 3 * MB);
    assert_int_equal (answer->nodes [0]->held, 0);
    message_free (message);
    replica_scene_destroy (&scene);
}

static void what_is_put_at_one_site_is_got_at_another_and_stays_there (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (1, &scene_plan_default);
    put (scene, "replica/a", "era5/2020.nc", 3 * MB, 7);
    assert_true (fake_has ("replica/a", "n1", "era5/2020.nc", 7));
    assert_int_equal (file_copies (file_at (scene, "replica/a", "era5/2020.nc"), COPY_SOUND), 1);
    assert_true (file_at (scene, "replica/a", "era5/2020.nc")->kept);

    uint64_t transfer = scene_get (scene, "replica/b", "era5/2020.nc", "guest-1", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "guest-1", 20000, why),
                      TRANSFER_DONE);
    assert_true (fake_has ("replica/b", "guest-1", "era5/2020.nc", 7));
    assert_true (fake_has ("replica/b", "n1", "era5/2020.nc", 7));
    assert_false (file_at (scene, "replica/b", "era5/2020.nc")->kept);
    assert_int_equal (fake_crossed ("replica/b", "era5/2020.nc"), 3 * MB);

    /* Once more: now the copy is at this site. */
    transfer = scene_get (scene, "replica/b", "era5/2020.nc", "guest-2", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "guest-2", 20000, why),
                      TRANSFER_DONE);
    assert_int_equal (fake_crossed ("replica/b", "era5/2020.nc"), 3 * MB);
    replica_scene_destroy (&scene);
}

static void requests_at_different_times_cross_once (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (2, &scene_plan_default);
    put (scene, "replica/a", "big", 8 * MB, 1);
    static const char *const guests [] = {"guest-1", "guest-2", "guest-3", "guest-4"};
    uint64_t transfers [4];
    for (size_t i = 0; i < 4; i++) {
        transfers [i] = scene_get (scene, "replica/c", "big", guests [i], why);
        scene_pass (scene, 300);
    }
    assert_int_equal (transfers [0], transfers [3]); /* all guests have joined one transfer */
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal (scene_wait (scene, "replica/c", transfers [i], guests [i], 20000, why),
                          TRANSFER_DONE);
        assert_true (fake_has ("replica/c", guests [i], "big", 1));
    }
    assert_int_equal (fake_crossed ("replica/c", "big"), 8 * MB);
    replica_scene_destroy (&scene);
}

/*  With at most four transfers from one site: no request is refused, and no place stays idle while
 *  a request waits. */
static void many_at_once_wait_for_their_turn_and_no_longer (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (14, &scene_plan_default);
    char name [8];
    for (size_t i = 0; i < 20; i++) {
        snprintf (name, sizeof name, "f%zu", i);
        put (scene, "replica/a", name, 4 * MB / 10, (uint8_t) (i + 1));
    }
    Musubi__GetRequest get = MUSUBI__GET_REQUEST__INIT;
    get.name = name;
    get.guest = "";
    for (size_t i = 0; i < 20; i++) {
        snprintf (name, sizeof name, "f%zu", i);
        scene_tell (scene, "replica/b", "Get", &get.base);
    }
    scene_pass (scene, 1000); /* each takes a tenth of a second, four at a time */
    for (size_t i = 0; i < 20; i++) {
        snprintf (name, sizeof name, "f%zu", i);
        assert_true (fake_has ("replica/b", "n1", name, (uint8_t) (i + 1)));
    }
    replica_scene_destroy (&scene);
}

/*  Does this site ask another one now to feed a file? */
static bool asks_for_one (const replica_scene_t *scene, const char *site)
{
    const replica_t *self = scene_core (scene, site)->self;
    for (const transit_t *transit = NULL;
         (transit = ordered_next (self->fetcher->transits, transit));)
        if (transit_live (transit) && transit->asking)
            return true;
    return false;
}

static size_t loans (const replica_scene_t *scene, const char *site)
{
    const replica_t *self = scene_core (scene, site)->self;
    size_t count = 0;
    for (const chain_transfer_t *transfer = NULL; (transfer = chain_next (self->chain, transfer));)
        count += transfer->loan;
    return count;
}

/*  Its answer, that it feeds it, comes when nobody wants the file any more. */
static void a_source_that_is_asked_in_vain_has_its_turn_back (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (14, &scene_plan_default);
    Musubi__StayRequest stay = MUSUBI__STAY_REQUEST__INIT;
    char name [8];
    size_t in_vain = 0;
    stay.name = name;
    stay.node = "n1";
    stay.who = "task-1";
    for (size_t i = 0; i < 20; i++) {
        snprintf (name, sizeof name, "f%zu", i);
        put (scene, "replica/a", name, MB / 10, (uint8_t) (i + 1));
        stay.stay_ms = 60000;
        scene_tell (scene, "replica/b", "Stay", &stay.base);
        for (size_t ms = 0; ms < 1000 && !asks_for_one (scene, "replica/b"); ms++)
            scene_pass (scene, 1);
        stay.stay_ms = 0;
        scene_tell (scene, "replica/b", "Stay", &stay.base);
        while (asks_for_one (scene, "replica/b") && loans (scene, "replica/a") == 0)
            scene_pass (scene, 1);
        in_vain += asks_for_one (scene, "replica/b");
        scene_pass (scene, 500);
        assert_int_equal (loans (scene, "replica/a"), 0);
    }
    assert_true (in_vain > 0);
    replica_scene_destroy (&scene);
}

static void an_unknown_name_is_refused_and_says_who_was_silent (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.limits.transfers.patience_ms = 5000; /* before it leaves the directory */
    replica_scene_t *scene = replica_scene_new (3, &plan);
    uint64_t transfer = scene_get (scene, "replica/b", "nowhere", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_FAILED);
    assert_string_equal (why, "no site has nowhere");
    sim_kill (scene_sim (scene), scene_process (scene, "replica/c"), sim_now_us (scene_sim (scene)),
              -1);
    transfer = scene_get (scene, "replica/b", "nowhere", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 60000, why), TRANSFER_FAILED);
    assert_non_null (strstr (why, "these did not answer: c"));
    replica_scene_destroy (&scene);
}

static void whoever_waits_for_a_silent_node_is_told_so_and_refused_in_the_end (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.limits.transfers.patience_ms = 20000;
    replica_scene_t *scene = replica_scene_new (5, &plan);
    put (scene, "replica/a", "x", 8 * MB, 7);
    uint64_t transfer = scene_get (scene, "replica/a", "x", "guest-1", why);
    scene_pass (scene, 500);
    fake_up ("replica/a", "n1", false);
    scene_pass (scene, 10000);
    assert_int_equal (scene_state (scene, "replica/a", transfer, "guest-1", why), TRANSFER_WAITING);
    assert_non_null (strstr (why, "storage node n1 of a has been silent for "));
    fake_up ("replica/a", "n1", true);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "guest-1", 20000, why),
                      TRANSFER_DONE);

    fake_up ("replica/a", "n1", false);
    transfer = scene_get (scene, "replica/a", "x", "guest-2", why);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "guest-2", 15000, why),
                      TRANSFER_WAITING);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "guest-2", 10000, why),
                      TRANSFER_FAILED);
    assert_non_null (strstr (why, " s, and no other site has x"));
    replica_scene_destroy (&scene);
}

static void whoever_puts_to_a_silent_node_is_told_so (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (6, &scene_plan_default);
    uint64_t transfer = scene_put (scene, "replica/a", "x", 8 * MB, 7, why);
    scene_pass (scene, 500);
    fake_up ("replica/a", "n1", false);
    scene_pass (scene, 11000);
    assert_int_equal (scene_state (scene, "replica/a", transfer, "", why), TRANSFER_WAITING);
    assert_non_null (strstr (why, "storage node n1 of a has been silent for "));
    fake_up ("replica/a", "n1", true);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "", 20000, why), TRANSFER_DONE);
    replica_scene_destroy (&scene);
}

static void patience_ends_no_transfer_that_moves (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.limits.transfers.patience_ms = 6000;
    plan.node_bytes = 100 * MB;
    replica_scene_t *scene = replica_scene_new (7, &plan);
    put (scene, "replica/a", "x", 80 * MB, 7);
    uint64_t transfer = scene_get (scene, "replica/a", "x", "guest-1", why);
    scene_pass (scene, 10000);
    fake_up ("replica/a", "n1", false);
    scene_pass (scene, 3000);
    fake_up ("replica/a", "n1", true);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "guest-1", 30000, why),
                      TRANSFER_DONE);
    replica_scene_destroy (&scene);
}

static void a_name_has_one_content (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (4, &scene_plan_default);
    put (scene, "replica/a", "x", MB, 1);
    assert_int_equal (scene_put (scene, "replica/a", "x", MB, 2, why), UINT64_MAX);
    assert_non_null (strstr (why, "another file"));
    uint64_t transfer = scene_put (scene, "replica/b", "x", MB, 2, why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_FAILED);
    assert_string_equal (why, "a has another file called x; choose another name");
    assert_int_equal (scene_put (scene, "replica/a", "x", MB, 1, why), 0); /* it is there */
    put (scene, "replica/b", "x", MB, 1);
    replica_scene_destroy (&scene);
}

static void a_stale_entry_is_found_at_use_and_mended (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (5, &scene_plan_default);
    put (scene, "replica/a", "x", MB, 1);
    put (scene, "replica/b", "x", MB, 1);
    fake_lose ("replica/a", "n1", "x"); /* no service has noticed */
    scene_pass (scene, 500);
    uint64_t transfer = scene_get (scene, "replica/c", "x", "guest-1", why);
    assert_int_equal (scene_wait (scene, "replica/c", transfer, "guest-1", 30000, why),
                      TRANSFER_DONE);
    /* And a site loses a copy of its own; the only other copies are at other sites. */
    transfer = scene_get (scene, "replica/a", "x", "guest-2", why);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "guest-2", 30000, why),
                      TRANSFER_DONE);
    assert_true (fake_has ("replica/a", "guest-2", "x", 1));
    replica_scene_destroy (&scene);
}

static void a_catalogue_that_lies_brings_nobody_wrong_bytes (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (6, &scene_plan_default);
    put (scene, "replica/a", "x", MB, 1);
    put (scene, "replica/b", "x", MB, 1);
    fake_spoil ("replica/a", "n1", "x", 9);
    uint64_t transfer = scene_get (scene, "replica/c", "x", "guest-1", why);
    assert_int_equal (scene_wait (scene, "replica/c", transfer, "guest-1", 30000, why),
                      TRANSFER_DONE);
    assert_true (fake_has ("replica/c", "n1", "x", 1));
    assert_true (fake_has ("replica/c", "guest-1", "x", 1));
    scene_pass (scene, 5000);
    const file_t *file = file_at (scene, "replica/a", "x"); /* in doubt, read again, mended */
    assert_int_equal (file_copies (file, COPY_SOUND), 1);
    assert_true (fake_has ("replica/a", "n1", "x", 1));

    /* And at its own site. */
    fake_spoil ("replica/b", "n1", "x", 9);
    transfer = scene_get (scene, "replica/b", "x", "guest-2", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "guest-2", 30000, why),
                      TRANSFER_DONE);
    assert_true (fake_has ("replica/b", "guest-2", "x", 1));
    replica_scene_destroy (&scene);
}

static void refused_as_bad (replica_scene_t *scene, const char *site, const char *guest)
{
    uint64_t transfer = scene_get (scene, site, "x", guest, why);
    assert_int_equal (scene_wait (scene, site, transfer, guest, 60000, why), TRANSFER_FAILED);
    if (!strstr (why, "a's only copy of x has 1 bad MiB, at 2 MiB; get --salvage gives the rest"))
        fail_msg ("%s", why);
    assert_int_equal (file_copies (file_at (scene, "replica/a", "x"), COPY_QUARANTINED), 1);
}

static void a_bad_last_copy_stays_until_it_is_mended (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (13, &scene_plan_default);
    sim_t *sim = scene_sim (scene);
    put (scene, "replica/a", "x", 3 * MB, 1);
    fake_spoil ("replica/a", "n1", "x", 9);
    refused_as_bad (scene, "replica/b", "guest-1");
    sim_kill (sim, scene_process (scene, "replica/a"), sim_now_us (sim), 200);
    scene_pass (scene, 2000);
    refused_as_bad (scene, "replica/a", "guest-2");
    put (scene, "replica/a", "x", 3 * MB, 1);
    assert_int_equal (file_copies (file_at (scene, "replica/a", "x"), COPY_SOUND), 1);
    assert_true (fake_has ("replica/a", "n1", "x", 1));

    fake_spoil ("replica/a", "n1", "x", 9);
    refused_as_bad (scene, "replica/c", "guest-3");
    put (scene, "replica/b", "x", 3 * MB, 1);
    scene_pass (scene, 60000);
    assert_int_equal (file_copies (file_at (scene, "replica/a", "x"), COPY_SOUND), 1);
    assert_true (fake_has ("replica/a", "n1", "x", 1));
    check_site (scene, "replica/a");
    replica_scene_destroy (&scene);
}

/*  What was said of its source was said to the previous start. */
static void a_transfer_whose_source_had_failed_finds_one_again_after_a_restart (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (11, &scene_plan_default);
    sim_t *sim = scene_sim (scene);
    put (scene, "replica/a", "x", 8 * MB, 1);
    assert_int_not_equal (scene_get (scene, "replica/c", "x", "", why), UINT64_MAX);
    scene_pass (scene, 500);
    fake_up ("replica/a", "n1", false);
    scene_pass (scene, 500);
    assert_int_equal (file_copies (file_at (scene, "replica/c", "x"), COPY_STAGED), 1);
    sim_kill (sim, scene_process (scene, "replica/c"), sim_now_us (sim), 200);
    scene_pass (scene, 500);
    fake_up ("replica/a", "n1", true);
    scene_pass (scene, 20000);
    assert_true (fake_has ("replica/c", "n1", "x", 1));
    assert_true (fake_crossed ("replica/c", "x") <= 8 * MB);
    check_site (scene, "replica/c");
    replica_scene_destroy (&scene);
}

static void what_went_while_nobody_listened_is_found_gone_when_its_node_has_told_all (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (15, &scene_plan_default);
    sim_t *sim = scene_sim (scene);
    put (scene, "replica/a", "x", MB, 1);
    put (scene, "replica/a", "y", MB, 2);
    sim_kill (sim, scene_process (scene, "replica/a"), sim_now_us (sim), 500);
    scene_pass (scene, 100);
    fake_lose ("replica/a", "n1", "x");
    scene_pass (scene, 3000);
    assert_null (file_at (scene, "replica/a", "x"));
    assert_int_equal (file_copies (file_at (scene, "replica/a", "y"), COPY_SOUND), 1);
    replica_scene_destroy (&scene);
}

static void the_least_recently_used_leaves_for_what_is_wanted (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.node_bytes = 10 * MB;
    replica_scene_t *scene = replica_scene_new (7, &plan);
    static const char *const names [] = {"f1", "f2", "f3", "f4"};
    for (size_t i = 0; i < 2; i++)
        put (scene, "replica/a", names [i], 4 * MB, (uint8_t) (i + 1));
    for (size_t i = 2; i < 4; i++)
        put (scene, "replica/c", names [i], 4 * MB, (uint8_t) (i + 1));
    for (size_t i = 0; i < 2; i++) {
        uint64_t transfer = scene_get (scene, "replica/b", names [i], "", why);
        assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_DONE);
    }
    uint64_t transfer = scene_get (scene, "replica/b", "f3", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_DONE);
    assert_false (fake_has ("replica/b", "n1", "f1", 1)); /* the oldest */
    assert_true (fake_has ("replica/b", "n1", "f2", 2));
    assert_true (fake_has ("replica/b", "n1", "f3", 3));
    assert_false (fake_overrun ());

    /* What was put here stays: nothing can leave. */
    transfer = scene_get (scene, "replica/a", "f3", "", why);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "", 40000, why), TRANSFER_FAILED);
    assert_non_null (strstr (why, "disk full"));
    assert_true (fake_has ("replica/a", "n1", "f1", 1));
    replica_scene_destroy (&scene);
}

static call_status_t say_pin (replica_scene_t *scene, const char *site, const char *name,
                              bool pinned)
{
    Musubi__PinRequest pin = MUSUBI__PIN_REQUEST__INIT;
    ProtobufCMessage *answer;
    pin.name = (char *) name;
    pin.pinned = pinned;
    call_status_t status = scene_ask (scene, site, "Pin", &pin.base, &answer, why);
    message_free (answer);
    return status;
}

static void its_owner_pins_a_copy_wherever_it_is (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (10, &scene_plan_default);
    put (scene, "replica/a", "f1", 6 * MB, 1);
    put (scene, "replica/c", "f2", 6 * MB, 2);
    uint64_t transfer = scene_get (scene, "replica/b", "f1", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_DONE);
    assert_int_equal (say_pin (scene, "replica/b", "f1", true), CALL_OK);
    assert_int_equal (say_pin (scene, "replica/b", "f2", true), CALL_NOT_FOUND);
    transfer = scene_get (scene, "replica/b", "f2", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 40000, why), TRANSFER_FAILED);
    assert_true (fake_has ("replica/b", "n1", "f1", 1));
    assert_int_equal (say_pin (scene, "replica/b", "f1", false), CALL_OK);
    transfer = scene_get (scene, "replica/b", "f2", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 40000, why), TRANSFER_DONE);
    assert_false (fake_has ("replica/b", "n1", "f1", 1));
    replica_scene_destroy (&scene);
}

/*  One of two copies can't be ordered away: its node has not told yet that it has it. */
static void an_eviction_tells_what_stays_for_now (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.nodes = 2;
    replica_scene_t *scene = replica_scene_new (18, &plan);
    sim_t *sim = scene_sim (scene);
    put (scene, "replica/a", "x", MB, 1);
    const char *other = fake_has ("replica/a", "n1", "x", 1) ? "n2" : "n1";
    fake_file ("replica/a", other, "x", MB, 1);
    sim_kill (sim, scene_process (scene, "replica/a"), sim_now_us (sim), 500);
    scene_pass (scene, 3000);
    assert_int_equal (file_copies (file_at (scene, "replica/a", "x"), COPY_SOUND), 2);
    fake_lose ("replica/a", other, "x");
    Musubi__EvictRequest request = MUSUBI__EVICT_REQUEST__INIT;
    ProtobufCMessage *answer;
    request.name = "x";
    request.kept = true;
    assert_int_equal (scene_ask (scene, "replica/a", "Evict", &request.base, &answer, why),
                      CALL_OK);
    const Musubi__EvictAnswer *evicted = (const Musubi__EvictAnswer *) answer;
    assert_int_equal (evicted->copies, 1);
    assert_int_equal (evicted->left, 1);
    message_free (answer);
    replica_scene_destroy (&scene);
}

static void say_rule (replica_scene_t *scene, const char *site, const char *name, uint32_t copies)
{
    Musubi__RuleRequest request = MUSUBI__RULE_REQUEST__INIT;
    Musubi__ReplicaRule rule = MUSUBI__REPLICA_RULE__INIT;
    ProtobufCMessage *answer;
    rule.copies = copies;
    request.name = (char *) name;
    request.rule = &rule;
    assert_int_equal (scene_ask (scene, site, "Rule", &request.base, &answer, why), CALL_OK);
    message_free (answer);
}

static void a_rule_brings_copies_to_other_sites (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (8, &scene_plan_default);
    put (scene, "replica/a", "x", MB, 1);
    say_rule (scene, "replica/a", "x", 3);
    scene_pass (scene, 60000);
    assert_true (fake_has ("replica/b", "n1", "x", 1));
    assert_true (fake_has ("replica/c", "n1", "x", 1));
    assert_true (file_at (scene, "replica/b", "x")->kept);
    replica_scene_destroy (&scene);
}

/*  It comes for twelve seconds, longer than the rounds are apart. */
static void a_copy_on_its_way_counts_for_a_rule (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.sites = 6;
    plan.node_bytes = 100 * MB;
    replica_scene_t *scene = replica_scene_new (19, &plan);
    static const char *const sites [] = {"replica/b", "replica/c", "replica/d", "replica/e",
                                         "replica/f"};
    size_t have = 0;
    put (scene, "replica/a", "x", 60 * MB, 1);
    say_rule (scene, "replica/a", "x", 2);
    for (int second = 0; second < 40; second++) {
        scene_pass (scene, 1000);
        say_rule (scene, "replica/a", "x", 2);
    }
    for (size_t i = 0; i < 5; i++)
        have += file_at (scene, sites [i], "x") != NULL;
    assert_int_equal (have, 1);
    replica_scene_destroy (&scene);
}

static void a_copy_that_a_rule_counts_is_kept_and_made_again_when_it_is_lost (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (12, &scene_plan_default);
    put (scene, "replica/a", "x", 6 * MB, 1);
    put (scene, "replica/c", "y", 6 * MB, 2);
    uint64_t transfer = scene_get (scene, "replica/b", "x", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_DONE);
    assert_false (file_at (scene, "replica/b", "x")->kept); /* as long as there is room */
    say_rule (scene, "replica/a", "x", 2);
    scene_pass (scene, 30000);
    assert_true (file_at (scene, "replica/b", "x")->kept);
    assert_null (file_at (scene, "replica/c", "x")); /* it was there: nothing crossed */
    transfer = scene_get (scene, "replica/b", "y", "", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 40000, why), TRANSFER_FAILED);
    assert_non_null (strstr (why, "disk full"));
    assert_true (fake_has ("replica/b", "n1", "x", 1));

    /* The file goes behind the services' back; then a user wants it. */
    fake_lose ("replica/b", "n1", "x");
    transfer = scene_get (scene, "replica/b", "x", "guest-1", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "guest-1", 30000, why),
                      TRANSFER_DONE);
    scene_pass (scene, 30000);
    assert_true (fake_has ("replica/b", "n1", "x", 1));
    assert_true (file_at (scene, "replica/b", "x")->kept);

    /* Where the rule is. */
    fake_lose ("replica/a", "n1", "x");
    transfer = scene_get (scene, "replica/a", "x", "guest-2", why);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "guest-2", 30000, why),
                      TRANSFER_DONE);
    scene_pass (scene, 30000);
    assert_true (fake_has ("replica/a", "n1", "x", 1));
    assert_int_equal (file_at (scene, "replica/a", "x")->rule.copies, 2);
    replica_scene_destroy (&scene);
}

/*  A site that took a recently touched file for one in hand would never repair it. */
static void a_lost_copy_is_made_again_while_the_file_and_its_rule_are_touched (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (14, &scene_plan_default);
    put (scene, "replica/a", "x", MB, 1);
    put (scene, "replica/a", "w", MB, 2);
    say_rule (scene, "replica/a", "x", 3);
    scene_pass (scene, 60000);
    assert_true (file_at (scene, "replica/b", "x")->kept);
    fake_lose ("replica/b", "n1", "x");
    uint64_t transfer = scene_get (scene, "replica/b", "x", "guest-1", why);
    for (int second = 0; second < 30; second++) {
        say_pin (scene, "replica/a", "x", second % 2 == 0);
        say_rule (scene, "replica/a", second % 3 == 0 ? "x" : "w", 3);
        scene_pass (scene, 1000);
    }
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "guest-1", 30000, why),
                      TRANSFER_DONE);
    assert_true (fake_has ("replica/b", "n1", "x", 1));
    assert_true (file_at (scene, "replica/b", "x")->kept);
    replica_scene_destroy (&scene);
}

static void what_a_rule_brought_ends_with_the_file (void **state)
{
    (void) state;
    replica_scene_t *scene = replica_scene_new (13, &scene_plan_default);
    Musubi__LifetimeRequest lifetime = MUSUBI__LIFETIME_REQUEST__INIT;
    ProtobufCMessage *answer;
    put (scene, "replica/a", "x", MB, 1);
    lifetime.name = "x";
    lifetime.lifetime_ms = 60000;
    assert_int_equal (scene_ask (scene, "replica/a", "Lifetime", &lifetime.base, &answer, why),
                      CALL_OK);
    message_free (answer);
    say_rule (scene, "replica/a", "x", 3);
    scene_pass (scene, 40000);
    assert_true (fake_has ("replica/b", "n1", "x", 1));
    assert_true (fake_has ("replica/c", "n1", "x", 1));
    scene_pass (scene, 40000);
    assert_null (file_at (scene, "replica/a", "x"));
    assert_null (file_at (scene, "replica/b", "x"));
    assert_null (file_at (scene, "replica/c", "x"));
    assert_int_equal (fake_used ("replica/b", "n1"), 0);
    replica_scene_destroy (&scene);
}

static void without_an_index_the_sites_are_asked (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.index = false;
    replica_scene_t *scene = replica_scene_new (9, &plan);
    put (scene, "replica/a", "x", 0, 1); /* of no bytes */
    uint64_t transfer = scene_get (scene, "replica/b", "x", "guest-1", why);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "guest-1", 20000, why),
                      TRANSFER_DONE);
    assert_true (fake_has ("replica/b", "guest-1", "x", 1));
    replica_scene_destroy (&scene);
}

/*  Sites do not follow the directory's notices: they ask it for what is new before they say that
 *  nobody has a file. */
static void a_site_that_is_listed_anew_is_asked_at_once (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.index = false;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        replica_scene_t *scene = replica_scene_new (seed, &plan);
        put (scene, "replica/a", "x", 0, 1);
        sim_kill (scene_sim (scene), scene_process (scene, "replica/a"),
                  sim_now_us (scene_sim (scene)), 3 * DIRECTORY_LEASE_MS);
        scene_pass (scene, 3 * DIRECTORY_LEASE_MS + 1000); /* its lease has ended, and it is back */
        uint64_t transfer = scene_get (scene, "replica/b", "x", "guest-1", why);
        assert_int_equal (scene_wait (scene, "replica/b", transfer, "guest-1", 20000, why),
                          TRANSFER_DONE);
        replica_scene_destroy (&scene);
    }
}

/*  --- random schedules --- */

static const sim_faults_t harsh = {.crash = 40, .crashes_max = 8, .pause_ms_max = 1500, .slow = 20};
static const sim_net_faults_t stormy = {
  .loss = 30, .doubling = 30, .reordering = 30, .delay = 30, .delay_ms_max = 1500, .keep = 500};

#define FILES 10

static void file_name (size_t file, char name [8])
{
    snprintf (name, 8, "f%zu", file);
}

/*  What each site's catalogue says is what lies on its disks, and no file is on its way any more.
 */
static void catalogues_are_true (uint64_t seed, replica_scene_t *scene, const char *const *sites)
{
    static const char *const nodes [] = {"n1", "n2"};
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < FILES; i++)
            for (size_t n = 0; n < 2; n++) {
                char name [8];
                file_name (i, name);
                const file_t *file = file_at (scene, sites [s], name);
                const copy_t *copy = file ? file_copy (file, nodes [n]) : NULL;
                bool there = fake_has (sites [s], nodes [n], name, (uint8_t) (i + 1));
                if (there != (copy && copy->state == COPY_SOUND) || (copy && !there))
                    fail_msg ("seed %llu: %s at %s of %s is %s, and in the catalogue %s",
                              (unsigned long long) seed, name, nodes [n], sites [s],
                              there ? "there" : "not there",
                              !copy                       ? "not"
                              : copy->state == COPY_SOUND ? "sound"
                                                          : "neither sound nor gone");
            }
}

/*  Whatever crashes and is lost: no disk holds too much, no copy is wrong, and what was
 *  acknowledged is there. When all faults have ended, every file that was asked for comes where
 *  there is room for it. */
static void one_schedule (uint64_t seed, uint64_t node_bytes, size_t *came, size_t *full)
{
    static const char *const sites [] = {"replica/a", "replica/b", "replica/c"};
    scene_plan_t plan = scene_plan_default;
    plan.nodes = 2;
    plan.node_bytes = node_bytes;
    plan.limits.transfers.patience_ms = 20000;
    replica_scene_t *scene = replica_scene_new (seed, &plan);
    prng_t prng;
    prng_seed (&prng, seed);
    sim_fault (scene_sim (scene), &harsh, &stormy);
    bool acknowledged [FILES] = {false};
    for (size_t i = 0; i < FILES; i++) {
        char name [8];
        file_name (i, name);
        const char *site = sites [prng_below (&prng, 3)];
        uint64_t transfer = scene_put (scene, site, name, MB / 4 + prng_below (&prng, MB / 4),
                                       (uint8_t) (i + 1), why);
        acknowledged [i] = transfer != UINT64_MAX &&
                           scene_wait (scene, site, transfer, "", 8000, why) == TRANSFER_DONE;
        Musubi__GetRequest get = MUSUBI__GET_REQUEST__INIT;
        get.name = name;
        get.guest = "";
        get.nodes = prng_below (&prng, 3) == 0 ? UINT32_MAX : 0;
        scene_tell (scene, sites [prng_below (&prng, 3)], "Get", &get.base);
        if (prng_below (&prng, 4) == 0) {
            Musubi__RuleRequest request = MUSUBI__RULE_REQUEST__INIT;
            Musubi__ReplicaRule rule = MUSUBI__REPLICA_RULE__INIT;
            rule.copies = 2;
            rule.nodes = prng_below (&prng, 2) == 0 ? 2 : 0;
            request.name = name;
            request.rule = &rule;
            scene_tell (scene, site, "Rule", &request.base);
        }
        scene_pass (scene, (int64_t) prng_below (&prng, 800));
    }
    sim_heal (scene_sim (scene));
    scene_pass (scene, 60000);
    assert_false (sim_failed (scene_sim (scene)));
    for (size_t i = 0; i < FILES; i++) {
        char name [8];
        file_name (i, name);
        for (size_t s = 0; s < 3 && acknowledged [i]; s++) {
            char guest [32];
            snprintf (guest, sizeof guest, "guest-%zu-%zu", i, s);
            uint64_t transfer = scene_get (scene, sites [s], name, guest, why);
            transfer_state_t end = scene_wait (scene, sites [s], transfer, guest, 60000, why);
            if (end == TRANSFER_FAILED && strstr (why, "disk full"))
                ++*full;
            else if (end != TRANSFER_DONE)
                fail_msg ("seed %llu: %s at %s: %s", (unsigned long long) seed, name, sites [s],
                          why);
            else
                assert_true (fake_has (sites [s], guest, name, (uint8_t) (i + 1)));
            *came += end == TRANSFER_DONE;
        }
    }
    scene_pass (scene, 60000);
    assert_false (fake_overrun ());
    catalogues_are_true (seed, scene, sites);
    for (size_t s = 0; s < 3; s++)
        check_site (scene, sites [s]);
    replica_scene_destroy (&scene);
}

static void random_schedules_lose_nothing_and_overrun_no_disk (void **state)
{
    (void) state;
    size_t came = 0;
    size_t full = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one_schedule (seed, 4 * MB, &came, &full);
    assert_int_equal (full, 0);
    assert_true (came > FILES * SEEDS);
}

static void where_disks_are_small_nothing_is_lost_for_want_of_room (void **state)
{
    (void) state;
    size_t came = 0;
    size_t full = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one_schedule (seed, 3 * MB / 4, &came, &full);
    assert_true (full > 0 && came > full);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_page_of_files_tells_how_full_the_nodes_are),
      cmocka_unit_test (what_is_put_at_one_site_is_got_at_another_and_stays_there),
      cmocka_unit_test (requests_at_different_times_cross_once),
      cmocka_unit_test (many_at_once_wait_for_their_turn_and_no_longer),
      cmocka_unit_test (a_source_that_is_asked_in_vain_has_its_turn_back),
      cmocka_unit_test (an_unknown_name_is_refused_and_says_who_was_silent),
      cmocka_unit_test (whoever_waits_for_a_silent_node_is_told_so_and_refused_in_the_end),
      cmocka_unit_test (whoever_puts_to_a_silent_node_is_told_so),
      cmocka_unit_test (patience_ends_no_transfer_that_moves),
      cmocka_unit_test (a_name_has_one_content),
      cmocka_unit_test (a_stale_entry_is_found_at_use_and_mended),
      cmocka_unit_test (a_catalogue_that_lies_brings_nobody_wrong_bytes),
      cmocka_unit_test (a_bad_last_copy_stays_until_it_is_mended),
      cmocka_unit_test (a_transfer_whose_source_had_failed_finds_one_again_after_a_restart),
      cmocka_unit_test (what_went_while_nobody_listened_is_found_gone_when_its_node_has_told_all),
      cmocka_unit_test (the_least_recently_used_leaves_for_what_is_wanted),
      cmocka_unit_test (its_owner_pins_a_copy_wherever_it_is),
      cmocka_unit_test (an_eviction_tells_what_stays_for_now),
      cmocka_unit_test (a_rule_brings_copies_to_other_sites),
      cmocka_unit_test (a_copy_on_its_way_counts_for_a_rule),
      cmocka_unit_test (a_copy_that_a_rule_counts_is_kept_and_made_again_when_it_is_lost),
      cmocka_unit_test (a_lost_copy_is_made_again_while_the_file_and_its_rule_are_touched),
      cmocka_unit_test (what_a_rule_brought_ends_with_the_file),
      cmocka_unit_test (without_an_index_the_sites_are_asked),
      cmocka_unit_test (a_site_that_is_listed_anew_is_asked_at_once),
      cmocka_unit_test (random_schedules_lose_nothing_and_overrun_no_disk),
      cmocka_unit_test (where_disks_are_small_nothing_is_lost_for_want_of_room),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
