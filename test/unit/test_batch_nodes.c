/*  test_batch_nodes - a site whose nodes are a batch system's: what its agent tells of them, what
 *  is granted there beside the bookings and jobs of others, and nodes that are drained.
 */
#include "batch_fixture.h"

#include "calendar.pb-c.h"
#include "nodes.pb-c.h"

static agent_state_t state_of (batch_world_t *self, size_t node)
{
    return nodes_at (field_nodes (&self->f), node).state;
}

/*  Nobody knows what is free: that is not the same as nothing. */
static void free_is_unknown (batch_world_t *self)
{
    Musubi__ProfileRequest profile = MUSUBI__PROFILE_REQUEST__INIT;
    Musubi__WindowsRequest windows = MUSUBI__WINDOWS_REQUEST__INIT;
    compute_booking_t one = booking ("fat", 16, 1, 20, 30);
    service_order_t order = {.reservation = "r1", .bookings = &one, .count = 1};
    command_answer_t told;
    profile.from_ms = at (20);
    profile.until_ms = at (30);
    assert_int_equal (ask (&self->f.w, "root", "Calendar", "Profile", &profile.base),
                      CALL_NOT_SERVING);
    assert_non_null (strstr (self->f.w.reason, "the batch system has never been looked at"));
    assert_int_equal (ask (&self->f.w, "root", "Calendar", "Windows", &windows.base),
                      CALL_NOT_SERVING);
    hold (&self->f.w, &order, &told);
    assert_int_equal (told.state, COMMAND_REJECTED);
    assert_non_null (strstr (told.refusal.text, "the batch system has never been looked at"));
    codec_clear (&command_answer_codec, &told);
}

static void what_is_free_is_unknown_before_the_batch_system_was_seen_once (void **state)
{
    (void) state;
    batch_world_t w;
    batch_prepare (&w);
    open_field (&w.f);
    free_is_unknown (&w);
    assert_int_equal (w.f.w.announced_quantity, 8); /* as configured */
    agent (&w)->away = false;
    agents_come (&w.f);
    free_is_unknown (&w);
    agent (&w)->batch = &w.picture;
    w.nodes [0].up = false;
    look (&w);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 7);
    assert_int_equal (free_at (&w.f.w, "fat", 20), 4);
    field_pass (&w.f, 5 * SECOND_MS);
    assert_int_equal (w.f.w.announced_quantity, 7);
    restart_field (&w.f);
    assert_int_equal (free_at (&w.f.w, "fat", 20), 4);
    close_world (&w.f.w);
}

static void nodes_are_as_the_batch_system_says (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    w.nodes [0].up = false;
    w.nodes [1].drained = true;
    memcpy (w.nodes [1].why, "bad disk", 9);
    w.picture.nodes_count = NODES - 1; /* fat-004 is not there any more */
    look (&w);
    size_t first, second, last;
    assert_true (nodes_find (field_nodes (&w.f), "thin-001", &first));
    assert_true (nodes_find (field_nodes (&w.f), "thin-002", &second));
    assert_true (nodes_find (field_nodes (&w.f), "fat-004", &last));
    assert_int_equal (state_of (&w, first), AGENT_LOST);
    assert_int_equal (state_of (&w, second), AGENT_UP);
    assert_true (nodes_at (field_nodes (&w.f), second).drained);
    assert_string_equal (nodes_at (field_nodes (&w.f), second).why, "bad disk");
    assert_int_equal (state_of (&w, last), AGENT_LOST);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 6);
    assert_int_equal (free_at (&w.f.w, "fat", 20), 3);
    w.nodes [0].up = true;
    look (&w);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 7);
    close_world (&w.f.w);
}

/*  As all hosts of a Grid Engine just after its qmaster's start. */
static void a_node_that_is_not_heard_there_is_silent_before_it_is_lost (void **state)
{
    (void) state;
    batch_world_t w;
    size_t node, down;
    int64_t lost_ms = nodes_limits_of (&SETTINGS_PRESET (nodes_terms_t, &nodes_table)).lost_ms;
    batch_open (&w);
    assert_true (nodes_find (field_nodes (&w.f), "thin-001", &node));
    assert_true (nodes_find (field_nodes (&w.f), "thin-002", &down));
    w.nodes [0].up = w.nodes [1].up = false;
    w.nodes [0].silent = true;
    look (&w);
    w.nodes [1].silent = true; /* it was called down before */
    look (&w);
    assert_int_equal (state_of (&w, node), AGENT_SILENT);
    assert_false (nodes_usable (field_nodes (&w.f), node));
    assert_int_equal (state_of (&w, down), AGENT_LOST);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 7);
    field_pass (&w.f, lost_ms - MINUTE_MS);
    memcpy (w.picture.why, "timed out", 10); /* then nobody knows whether it would be heard */
    look (&w);
    field_pass (&w.f, 2 * MINUTE_MS);
    w.picture.why [0] = '\0';
    look (&w);
    assert_int_equal (state_of (&w, node), AGENT_SILENT);
    field_pass (&w.f, lost_ms - 1000);
    look (&w);
    assert_int_equal (state_of (&w, node), AGENT_SILENT);
    field_pass (&w.f, 1000);
    look (&w);
    assert_int_equal (state_of (&w, node), AGENT_LOST);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 6);
    w.nodes [0].up = true;
    w.nodes [0].silent = false;
    look (&w);
    assert_int_equal (state_of (&w, node), AGENT_UP);
    w.nodes [0].up = false;
    w.nodes [0].silent = true;
    look (&w);
    assert_int_equal (state_of (&w, node), AGENT_SILENT);
    close_world (&w.f.w);
}

static void silence_says_nothing_of_nodes_and_jobs (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    size_t node;
    assert_true (nodes_find (field_nodes (&w.f), "thin-003", &node));
    uint64_t bag = submit (&w.f, (wish_bag_t){.minutes = 1000});
    look (&w);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_RUNNING);
    memcpy (w.picture.why, "timed out", 10);
    look (&w);
    assert_int_equal (state_of (&w, node), AGENT_SILENT);
    assert_string_equal (nodes_at (field_nodes (&w.f), node).why, "timed out");
    assert_int_equal (free_at (&w.f.w, "thin", 20), 8);
    agent (&w)->away = true;
    field_pass (&w.f, 600 * MINUTE_MS);
    assert_int_equal (state_of (&w, node), AGENT_SILENT);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_RUNNING);
    agent (&w)->away = false;
    w.picture.why [0] = '\0';
    look (&w);
    assert_int_equal (state_of (&w, node), AGENT_UP);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_RUNNING);
    close_world (&w.f.w);
}

static void what_others_have_booked_there_is_not_granted (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    book (&w, 6, 20, 30);
    assert_int_equal (free_at (&w.f.w, "thin", 19), 8);
    assert_int_equal (free_at (&w.f.w, "thin", 25), 2);
    assert_int_equal (free_at (&w.f.w, "thin", 30), 8);
    assert_int_equal (free_without_work (&w.f, 25), 8); /* an audit's ledger knows nothing of it */
    agent (&w)->away = true;
    restart_field (&w.f);
    assert_int_equal (free_at (&w.f.w, "thin", 25), 2);
    agent (&w)->away = false;
    w.nodes [0].up = false; /* a node that is down is not taken twice */
    look (&w);
    assert_int_equal (free_at (&w.f.w, "thin", 25), 2);
    assert_int_equal (free_at (&w.f.w, "thin", 19), 7);
    book (&w, 0, 0, 0);
    assert_int_equal (free_at (&w.f.w, "thin", 25), 7);
    close_world (&w.f.w);
}

/*  Each time counts, and nodes in the same bookings as well as those in others. */
static void what_recurs_there_is_not_granted_at_any_of_its_times (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    int64_t again [] = {at (120), at (130), at (125), at (140), at (220), BATCH_FOREVER_MS};
    const char *first [] = {w.nodes [0].node}, *both [] = {w.nodes [0].node, w.nodes [1].node};
    batch_booking_t bookings [] = {{.name = "weekly",
                                    .nodes = both,
                                    .nodes_count = 2,
                                    .from_ms = at (20),
                                    .until_ms = at (30),
                                    .again_ms = again,
                                    .again_count = 6},
                                   {.name = "once",
                                    .nodes = first,
                                    .nodes_count = 1,
                                    .from_ms = at (138),
                                    .until_ms = at (150)}};
    w.picture.bookings = bookings;
    w.picture.bookings_count = 2;
    look (&w);
    static const struct {
        int64_t at, free;
    } wanted [] = {{19, 8},  {25, 6},  {30, 8},  {119, 8}, {124, 6},   {135, 6},
                   {138, 6}, {145, 7}, {150, 8}, {219, 8}, {100000, 6}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal (free_at (&w.f.w, "thin", wanted [i].at), wanted [i].free);
    restart_field (&w.f); /* it is stored whole */
    assert_int_equal (free_at (&w.f.w, "thin", 124), 6);
    w.picture.bookings_count = 0;
    look (&w);
    assert_int_equal (free_at (&w.f.w, "thin", 124), 8);
    assert_int_equal (free_at (&w.f.w, "thin", 100000), 8);
    close_world (&w.f.w);
}

static void a_reservation_gets_nodes_without_any_time_of_others (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    int64_t again [] = {at (12), at (14), at (112), at (114)};
    book (&w, 0, 0, 0);
    w.booked [0] = w.nodes [8].node; /* the first one that it would take */
    w.booking = (batch_booking_t){.name = "daily",
                                  .nodes = w.booked,
                                  .nodes_count = 1,
                                  .from_ms = at (2),
                                  .until_ms = at (4),
                                  .again_ms = again,
                                  .again_count = 4};
    w.picture.bookings = &w.booking;
    w.picture.bookings_count = 1;
    look (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_string_equal (w.asked, "prepare r1 alice fat-002");
    close_world (&w.f.w);
}

static void jobs_that_do_not_make_way_have_their_nodes_until_their_limits (void **state)
{
    (void) state;
    static const int64_t free [] = {[CLEAR_WAIT] = 6, [CLEAR_REQUEUE] = 7, [CLEAR_END] = 8};
    for (clear_t clear = CLEAR_WAIT; clear <= CLEAR_END; clear++) {
        batch_world_t w;
        batch_open_as (&w, clear, NULL);
        job_on (&w, 0, -10, 30, true);
        job_on (&w, 1, -10, 30, false);
        job_on (&w, 1, -20, 25, false);
        look (&w);
        assert_int_equal (free_at (&w.f.w, "thin", 20), free [clear]);
        assert_int_equal (free_at (&w.f.w, "thin", 29), free [clear]);
        assert_int_equal (free_at (&w.f.w, "thin", 30), 8);
        agent (&w)->away = true;
        restart_field (&w.f); /* they are stored */
        assert_int_equal (free_at (&w.f.w, "thin", 20), free [clear]);
        close_world (&w.f.w);
    }
}

static command_state_t ask_one (batch_world_t *self, const char *actor, uint32_t nodes)
{
    booking_t one = booking ("fat", 16 * nodes, nodes, 10, 20);
    command_answer_t told;
    txid_t txid =
      hold (&self->f.w,
            &(service_order_t){
              .reservation = actor, .actor = actor, .bookings = &one, .count = 1, .prepare = true},
            &told);
    command_state_t stands = told.state;
    codec_clear (&command_answer_codec, &told);
    return stands == COMMAND_PREPARED ? tell (&self->f.w, "Commit", &txid) : stands;
}

/*  Would two fat nodes at that time fit for this actor? As Windows, Free and Profile tell a
 *  planner. */
static bool fits_for (batch_world_t *self, const char *actor)
{
    Musubi__Window window = MUSUBI__WINDOW__INIT, *list [] = {&window};
    Musubi__WindowsRequest windows = MUSUBI__WINDOWS_REQUEST__INIT;
    Musubi__FreeRequest spans = MUSUBI__FREE_REQUEST__INIT;
    Musubi__ProfileRequest profile = MUSUBI__PROFILE_REQUEST__INIT;
    window.resource = spans.resource = "fat";
    window.quantity = 2;
    window.from_ms = spans.from_ms = profile.from_ms = at (10);
    window.until_ms = spans.until_ms = profile.until_ms = at (20);
    windows.windows = list;
    windows.n_windows = 1;
    spans.amount = 32;
    spans.duration_ms = 10 * MINUTE_MS;
    windows.actor = spans.actor = profile.actor = (char *) actor;
    profile.resources = &window.resource;
    profile.n_resources = 1;
    ask (&self->f.w, PLANNER, "Calendar", "Windows", &windows.base);
    Musubi__WindowsAnswer *told = answer (&self->f.w, &musubi__windows_answer__descriptor);
    bool fits = told->fits [0];
    message_free (&told->base);
    ask (&self->f.w, PLANNER, "Calendar", "Free", &spans.base);
    Musubi__FreeAnswer *free = answer (&self->f.w, &musubi__free_answer__descriptor);
    assert_int_equal (free->n_spans, fits);
    message_free (&free->base);
    ask (&self->f.w, PLANNER, "Calendar", "Profile", &profile.base);
    Musubi__ProfileAnswer *steps = answer (&self->f.w, &musubi__profile_answer__descriptor);
    assert_int_equal (steps->profiles [0]->steps [0]->free >= 2, fits);
    message_free (&steps->base);
    return fits;
}

/*  It is bound where least is lost: what may be run again first, then what has run least. */
static void all_jobs_make_way_for_an_actor_that_is_named (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open_as (&w, CLEAR_WAIT, "bob");
    job_on (&w, 8, -10, 30, true);
    job_on (&w, 9, -30, 30, false);
    job_on (&w, 10, -1, 30, true);
    job_on (&w, 11, -20, 30, true);
    look (&w);
    assert_int_equal (free_at (&w.f.w, "fat", 15), 0);
    assert_false (fits_for (&w, "alice"));
    assert_true (fits_for (&w, "bob"));
    assert_int_not_equal (ask_one (&w, "alice", 2), COMMAND_COMMITTED);
    assert_int_equal (ask_one (&w, "bob", 2), COMMAND_COMMITTED);
    assert_int_equal (free_at (&w.f.w, "fat", 15), -2); /* for all others */
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_string_equal (w.asked, "prepare bob guest fat-002 fat-003");
    assert_int_equal (w.clear, CLEAR_END);
    close_world (&w.f.w);
}

static void no_node_of_a_job_is_bound_for_anybody_else (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open_as (&w, CLEAR_WAIT, "bob");
    assert_int_equal (ask_one (&w, "alice", 3), COMMAND_COMMITTED);
    job_on (&w, 8, 0, 30, true);
    job_on (&w, 9, 0, 10, true); /* it is over by then */
    job_on (&w, 11, 0, 30, false);
    look (&w);
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_string_equal (w.asked, "prepare alice alice fat-002 fat-003");
    assert_int_equal (w.clear, CLEAR_WAIT);
    close_world (&w.f.w);
}

static void a_site_on_which_nothing_can_be_reserved_tells_so (void **state)
{
    (void) state;
    batch_world_t w;
    size_t node;
    batch_open (&w);
    assert_true (nodes_find (field_nodes (&w.f), "slurm", &node));
    for (size_t i = 0; i < NODES; i++)
        batch_node_job (&w.nodes [i], at (-1), BATCH_FOREVER_MS, false);
    look (&w);
    assert_non_null (strstr (nodes_at (field_nodes (&w.f), node).why,
                             "all of 12 nodes, so nothing can be reserved"));
    w.nodes [3].busy_until_ms = at (60);
    look (&w);
    assert_string_equal (nodes_at (field_nodes (&w.f), node).why, "");
    close_world (&w.f.w);
}

static void drain (batch_world_t *self, const char *node, bool drained)
{
    Musubi__DrainRequest request = MUSUBI__DRAIN_REQUEST__INIT;
    request.node = (char *) node;
    request.drained = drained;
    assert_int_equal (ask (&self->f.w, "root", "Nodes", "Drain", &request.base), CALL_OK);
}

/*  … though the batch system has told nothing new. */
static void a_node_that_is_resumed_is_still_booked (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    drain (&w, "thin-001", true);
    book (&w, 2, 20, 30);
    assert_int_equal (free_at (&w.f.w, "thin", 25), 6);
    drain (&w, "thin-001", false);
    assert_int_equal (free_at (&w.f.w, "thin", 25), 6);
    assert_int_equal (free_at (&w.f.w, "thin", 30), 8);
    drain (&w, "thin-001", true);
    assert_int_equal (free_at (&w.f.w, "thin", 25), 6);
    close_world (&w.f.w);
}

static void what_is_not_told_as_it_is_is_trouble_of_the_batch_system (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    size_t node;
    assert_true (nodes_find (field_nodes (&w.f), "slurm", &node));
    assert_string_equal (nodes_at (field_nodes (&w.f), node).why, "");
    memcpy (w.picture.trouble, "what?", 6);
    look (&w);
    assert_string_equal (nodes_at (field_nodes (&w.f), node).why, "what?");
    assert_int_equal (state_of (&w, 0), AGENT_UP); /* the rest of it counts */
    *w.picture.trouble = '\0';
    look (&w);
    assert_string_equal (nodes_at (field_nodes (&w.f), node).why, "");
    close_world (&w.f.w);
}

static void a_drained_node_that_is_used_degrades_its_reservation (void **state)
{
    (void) state;
    batch_world_t w;
    size_t node;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    work_ends (&w, NULL);
    assert_true (nodes_find (field_nodes (&w.f), "fat-001", &node));
    w.nodes [node].cpus_busy = 1;
    w.nodes [node].drained = true;
    memcpy (w.nodes [node].why, "bad disk", 9);
    look (&w);
    assert_true (bound_to (&w.f, "fat-001", "r1"));
    assert_true (degraded (&w, "r1"));
    w.nodes [node].drained = false;
    *w.nodes [node].why = '\0';
    look (&w);
    assert_false (degraded (&w, "r1"));
    close_world (&w.f.w);
}

static site_node_t node_of (batch_world_t *self, const char *name)
{
    size_t node;
    assert_true (nodes_find (field_nodes (&self->f), name, &node));
    return nodes_at (field_nodes (&self->f), node);
}

static void a_node_that_a_partial_picture_does_not_tell_is_silent (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    uint64_t bag = submit (&w.f, (wish_bag_t){.minutes = 1000});
    look (&w);
    w.picture.partial = true;
    w.picture.nodes_count = NODES - 1;
    look (&w);
    assert_int_equal (state_of (&w, NODES - 1), AGENT_SILENT);
    assert_string_equal (node_of (&w, w.nodes [NODES - 1].node).why,
                         "the batch system does not tell it");
    assert_int_equal (state_of (&w, 0), AGENT_UP);
    field_until (&w.f, 20, 0); /* far beyond nodes/lost */
    look (&w);
    assert_int_equal (state_of (&w, NODES - 1), AGENT_SILENT);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_RUNNING);
    w.picture.nodes_count = NODES;
    look (&w);
    assert_int_equal (state_of (&w, NODES - 1), AGENT_UP);
    w.nodes [NODES - 1].up = false;
    look (&w);
    assert_int_equal (state_of (&w, NODES - 1), AGENT_LOST); /* it is told to be down */
    w.picture.nodes_count = NODES - 1;
    look (&w);
    assert_int_equal (state_of (&w, NODES - 1), AGENT_LOST);
    close_world (&w.f.w);
}

static void a_class_that_sells_more_than_there_is_is_drained (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    uint64_t bag = submit (&w.f, (wish_bag_t){.minutes = 1000});
    look (&w);
    w.nodes [8].cpus = 8;  /* of fat-001, whose class has 16 */
    w.nodes [9].cpus = 32; /* threads */
    w.nodes [10].cpus = 0; /* it has not said */
    look (&w);
    assert_true (node_of (&w, "fat-001").drained);
    assert_string_equal (node_of (&w, "fat-001").why,
                         "it has 8 CPUs in slurm 22.05.8, and class fat sells 16: set its "
                         "cpus_per_node");
    assert_false (node_of (&w, "fat-002").drained);
    assert_false (node_of (&w, "fat-003").drained);
    assert_int_equal (free_at (&w.f.w, "fat", 20), 3);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_RUNNING);
    w.nodes [8].cpus = 16;
    look (&w);
    assert_false (node_of (&w, "fat-001").drained);
    assert_int_equal (free_at (&w.f.w, "fat", 20), 4);
    close_world (&w.f.w);
}

/*  The classes of lis_fixture have os = linux, which is nobody's to bear out. */
static void what_a_node_has_is_what_its_class_may_sell (void **state)
{
    (void) state;
    static const struct {
        const char *name, *value, *features, *gpu;
        uint32_t gpus;
        bool fits;
    } rows [] = {{"haswell", "feature", "ib,haswell", "", 0, true},
                 {"haswell", "feature", "haswell2,ib", "", 0, false},
                 {"well", "feature", "haswell", "", 0, false},
                 {"haswell", "feature", NULL, "", 0, false},
                 {"haswell", "yes", NULL, "", 0, true},
                 {"gpu", "a100", "", "a100", 1, true},
                 {"gpu", "a100", "a100", "a100x", 1, false},
                 {"gpus", "4", "", "", 4, true},
                 {"gpus", "4", "", "", 5, true},
                 {"gpus", "4", "", "", 3, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why [WHY_BYTES];
        attribute_t sold = {.name = ""};
        node_class_t class = {
          .name = "fat", .cpus_per_node = 2, .attributes = &sold, .attributes_count = 1};
        batch_node_t node = {.cpus = 2, .features = rows [i].features, .gpus = rows [i].gpus};
        batch_picture_t picture = {.system = "slurm", .features = true};
        snprintf (sold.name, sizeof sold.name, "%s", rows [i].name);
        snprintf (sold.value, sizeof sold.value, "%s", rows [i].value);
        snprintf (node.gpu, sizeof node.gpu, "%s", rows [i].gpu);
        assert_int_equal (batch_node_fits (&picture, &node, &class, why), rows [i].fits);
        picture.features = false; /* an older agent's, or a system's that does not tell them */
        assert_true (batch_node_fits (&picture, &node, &class, why));
    }
}

static void partition_closes (batch_world_t *self, const char *why)
{
    for (size_t i = 0; i < NODES; i++) {
        self->nodes [i].drained = *why != '\0';
        snprintf (self->nodes [i].why, sizeof self->nodes [i].why, "%s", why);
    }
    look (self);
}

/*  Nothing new is begun, what runs goes on, and what it has reserved stays reserved. */
static void what_waits_for_a_partition_that_is_down_goes_on_when_it_is_up (void **state)
{
    (void) state;
    batch_world_t w;
    bool ready;
    char why [LONG_WHY_BYTES];
    batch_open (&w);
    uint64_t runs = submit (&w.f, (wish_bag_t){.minutes = 1000});
    look (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    reserve (&w.f.w, "r2", booking ("fat", 16, 1, 15, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    work_ends (&w, NULL);
    partition_closes (&w, "Slurm's partition batch has the state down");
    uint64_t waits = submit (&w.f, (wish_bag_t){.minutes = 1000});
    look (&w);
    assert_int_equal (task (&w.f, runs, 0).state, TASK_RUNNING);
    assert_int_equal (task (&w.f, waits, 0).state, TASK_QUEUED);
    assert_true (node_of (&w, "slurm").drained);
    assert_int_equal (free_at (&w.f.w, "fat", 30), 0);
    assert_true (bound_to (&w.f, "fat-001", "r1"));
    assert_string_equal (trouble (&w, "r1", &ready, why),
                         "node fat-001 is drained: Slurm's partition batch has the state down");
    assert_false (ready);
    assert_string_equal (trouble (&w, "r2", &ready, why),
                         "node fat-001 is drained: Slurm's partition batch has the state down");
    partition_closes (&w, "");
    assert_int_equal (task (&w.f, waits, 0).state, TASK_RUNNING);
    assert_true (bound_to (&w.f, "fat-001", "r1"));
    assert_string_equal (trouble (&w, "r1", &ready, why), "");
    assert_true (ready);
    close_world (&w.f.w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_is_free_is_unknown_before_the_batch_system_was_seen_once),
      cmocka_unit_test (nodes_are_as_the_batch_system_says),
      cmocka_unit_test (a_node_that_is_not_heard_there_is_silent_before_it_is_lost),
      cmocka_unit_test (silence_says_nothing_of_nodes_and_jobs),
      cmocka_unit_test (what_others_have_booked_there_is_not_granted),
      cmocka_unit_test (what_recurs_there_is_not_granted_at_any_of_its_times),
      cmocka_unit_test (a_reservation_gets_nodes_without_any_time_of_others),
      cmocka_unit_test (a_node_that_is_resumed_is_still_booked),
      cmocka_unit_test (what_is_not_told_as_it_is_is_trouble_of_the_batch_system),
      cmocka_unit_test (a_drained_node_that_is_used_degrades_its_reservation),
      cmocka_unit_test (a_node_that_a_partial_picture_does_not_tell_is_silent),
      cmocka_unit_test (a_class_that_sells_more_than_there_is_is_drained),
      cmocka_unit_test (what_a_node_has_is_what_its_class_may_sell),
      cmocka_unit_test (what_waits_for_a_partition_that_is_down_goes_on_when_it_is_up),
      cmocka_unit_test (jobs_that_do_not_make_way_have_their_nodes_until_their_limits),
      cmocka_unit_test (all_jobs_make_way_for_an_actor_that_is_named),
      cmocka_unit_test (no_node_of_a_job_is_bound_for_anybody_else),
      cmocka_unit_test (a_site_on_which_nothing_can_be_reserved_tells_so),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
