/*  test_batch_site - a site whose nodes are a batch system's: what its agent tells of them, what the
 *  back end is told of reservations, and tasks that become jobs.
 */
#include "batch_fixture.h"

#include "calendar.pb-c.h"
#include "nodes.pb-c.h"
#include "openings.pb-c.h"
#include "transaction.pb-c.h"

#include <inttypes.h>

static agent_state_t state_of (batch_world_t *self, size_t node)
{
    return nodes_at (field_nodes (&self->f), node).state;
}

static void nothing_is_offered_before_the_batch_system_was_seen_once (void **state)
{
    (void) state;
    batch_world_t w;
    batch_prepare (&w);
    open_field (&w.f);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 0);
    agent (&w)->away = false;
    agents_come (&w.f);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 0);
    agent (&w)->batch = &w.picture;
    look (&w);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 8);
    assert_int_equal (free_at (&w.f.w, "fat", 20), 4);
    restart_field (&w.f);
    assert_int_equal (free_at (&w.f.w, "thin", 20), 8);
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
    int64_t lost_ms = nodes_limits_default.lost_ms;
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

/*  Would two fat nodes at that time fit for this actor? As Windows, Free and Profile tell a planner. */
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

static Musubi__ShowAnswer *show (batch_world_t *self, const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    ask (&self->f.w, "alice", "Participant", "Show", &request.base);
    return answer (&self->f.w, &musubi__show_answer__descriptor);
}

/*  Why it is in trouble, when it is disconnected; "" when it is not. */
static const char *disconnected (batch_world_t *self, const char *reservation, char why [WHY_BYTES])
{
    Musubi__ShowAnswer *told = show (self, reservation);
    const Musubi__OpeningRecord *record = told->record->opening;
    snprintf (why, WHY_BYTES, "%s", record->disconnected ? record->trouble : "");
    message_free (&told->base);
    return why;
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

static void a_reservation_that_is_hit_by_a_booking_is_degraded (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("thin", 16, 8, 10, 20));
    assert_false (degraded (&w, "r1"));
    book (&w, 1, 15, 30);
    assert_true (degraded (&w, "r1"));
    book (&w, 0, 0, 0);
    assert_false (degraded (&w, "r1"));
    close_world (&w.f.w);
}

static void one_of_a_silent_batch_system_is_disconnected_with_the_reason (void **state)
{
    (void) state;
    batch_world_t w;
    char why [WHY_BYTES];
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    memcpy (w.picture.why, "timed out", 10);
    look (&w);
    assert_string_equal (disconnected (&w, "r1", why), "timed out");
    w.picture.why [0] = '\0';
    look (&w);
    field_until (&w.f, 10, -5 * SECOND_MS);
    memcpy (w.picture.why, "timed out", 10);
    look (&w); /* while the back end is at work */
    assert_string_equal (disconnected (&w, "r1", why), "timed out");
    work_ends (&w, "it does not answer");
    assert_string_equal (disconnected (&w, "r1", why), "prepare: it does not answer");
    close_world (&w.f.w);
}

static void nodes_that_are_others_until_its_start_are_awaited (void **state)
{
    (void) state;
    batch_world_t w;
    batch_prepare (&w);
    w.f.runner.openings.bind_ms = 5 * MINUTE_MS;
    open_field (&w.f);
    agent (&w)->away = false;
    agent (&w)->batch = &w.picture;
    look (&w);
    work_ends (&w, NULL);
    reserve (&w.f.w, "r1", booking ("fat", 48, 3, 10, 20));
    reserve (&w.f.w, "r2", booking ("fat", 48, 3, 20, 30));
    field_until (&w.f, 10, 0);
    work_ends (&w, NULL);
    field_until (&w.f, 18, 0);
    assert_int_equal (opening (&w.f, "r2").nodes_count, 1);
    assert_false (degraded (&w, "r2"));
    field_until (&w.f, 20, -4 * SECOND_MS);
    assert_true (degraded (&w, "r2"));
    close_world (&w.f.w);
}

static void a_reservation_gets_nodes_that_nobody_has_booked (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    for (size_t i = 0; i < 8; i++)
        w.nodes [i].cpus_busy = i != 7; /* thin-008 is idle */
    book (&w, 6, 15, 30);
    reserve (&w.f.w, "r1", booking ("thin", 4, 2, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_string_equal (w.asked, "prepare r1 alice thin-007 thin-008");
    close_world (&w.f.w);
}

static void nodes_are_nobody_elses_before_the_back_end_has_closed (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_string_equal (w.asked, "prepare r1 alice fat-001");
    work_ends (&w, NULL);
    service_order_t leave = {
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 1, .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&w.f.w, &leave, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w.f.w, "Commit", &txid), COMMAND_COMMITTED);
    field_pass (&w.f, SECOND_MS);
    assert_string_equal (w.asked, "close r1 alice fat-001");
    work_ends (&w, "it hangs");
    assert_true (bound_to (&w.f, "fat-001", "r1"));
    field_pass (&w.f, 2 * SECOND_MS);
    assert_string_equal (w.asked, "close r1 alice fat-001");
    work_ends (&w, NULL);
    assert_int_equal (bound (&w.f), 0);
    close_world (&w.f.w);
}

static void what_is_not_as_it_was_told_is_told_again (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    work_ends (&w, NULL);
    field_until (&w.f, 10, 0);
    assert_string_equal (w.asked, "open r1 alice fat-001");
    work_ends (&w, NULL);
    field_until (&w.f, 10, 31 * SECOND_MS);
    assert_string_equal (w.asked, "watch r1 alice fat-001");
    work_ends (&w, "root has deleted it");
    field_pass (&w.f, SECOND_MS);
    assert_string_equal (w.asked, "open r1 alice fat-001");
    assert_false (opening (&w.f, "r1").prepared);
    work_ends (&w, NULL);
    assert_true (opening (&w.f, "r1").prepared);
    restart_field (&w.f);
    assert_string_equal (w.asked, "reconcile r1 alice fat-001");
    work_ends (&w, NULL);
    field_pass (&w.f, SECOND_MS);
    assert_string_equal (w.asked, "open r1 alice fat-001");
    close_world (&w.f.w);
}

static void what_is_over_when_the_site_comes_back_is_closed (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    work_ends (&w, NULL);
    for (size_t i = 8; i < NODES; i++)
        w.nodes [i].up = false;
    look (&w);
    assert_string_equal (w.asked, "prepare r1 alice");
    work_ends (&w, NULL);
    assert_int_equal (bound (&w.f), 0);
    memory_host_turn (&w.f.w.host, w.f.w.host.now.mono_ms + 30 * MINUTE_MS); /* it is away */
    restart_field (&w.f);
    work_ends (&w, NULL);
    field_pass (&w.f, SECOND_MS);
    assert_string_equal (w.asked, "close r1 alice");
    close_world (&w.f.w);
}

/*  A batch system that has died before it stored the removal has the reservation again. */
static void what_was_closed_is_looked_for_once_more (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    works_end_until (&w, "close r1 ");
    int64_t closed_ms = w.f.w.host.now.mono_ms;
    work_ends (&w, NULL);
    works_end_until (&w, "reconcile");
    assert_in_range (w.f.w.host.now.mono_ms - closed_ms, 14 * SECOND_MS, 17 * SECOND_MS);
    assert_string_equal (w.asked, "reconcile"); /* r1 is not to be there */
    work_ends (&w, "slurmctld does not answer");
    w.asked [0] = '\0';
    works_end_until (&w, "reconcile");
    work_ends (&w, NULL);
    works_end_until (&w, "count");
    work_says (&w, true, BACK_END_NO_ACCOUNTING);
    w.asked [0] = '\0';
    field_pass (&w.f, MINUTE_MS);
    assert_string_equal (w.asked, "");
    close_world (&w.f.w);
}

static void use_is (batch_world_t *self, Musubi__UseCounted counted, int64_t cpu_ms)
{
    Musubi__ShowAnswer *told = show (self, "r1");
    assert_int_equal (told->record->opening->counted, counted);
    assert_int_equal (told->record->opening->cpu_ms, cpu_ms);
    message_free (&told->base);
}

/*  Once it is over, by its batch system's accounting, which may not answer at first; also after a restart. */
static void what_it_used_is_what_the_accounting_says (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    uint64_t number = submit (&w.f, (wish_bag_t){.reservation = "r1", .minutes = 5});
    works_end_until (&w, "open r1 ");
    work_ends (&w, NULL);
    field_pass (&w.f, SECOND_MS);
    machine (&w.f, number, 0)->report.cpu_ms = 3000;
    task_ends (&w.f, number, 0, 0);
    works_end_until (&w, "close r1 ");
    int64_t closed_ms = w.f.w.host.now.mono_ms;
    use_is (&w, MUSUBI__USE_COUNTED__USE_TOLD, 3000);
    works_end_until (&w, "count r1 alice");
    assert_in_range (w.f.w.host.now.mono_ms - closed_ms, 19 * SECOND_MS, 22 * SECOND_MS);
    work_ends (&w, "slurmdbd does not answer");
    use_is (&w, MUSUBI__USE_COUNTED__USE_TOLD, 3000);
    restart_field (&w.f);
    w.asked [0] = '\0';
    works_end_until (&w, "count r1 alice");
    work_says (&w, true, "4500");
    use_is (&w, MUSUBI__USE_COUNTED__USE_ACCOUNTED, 4500);
    restart_field (&w.f);
    use_is (&w, MUSUBI__USE_COUNTED__USE_ACCOUNTED, 4500);
    works_end_until (&w, "reconcile");
    w.asked [0] = '\0';
    work_ends (&w, NULL);
    field_pass (&w.f, MINUTE_MS);
    assert_string_equal (w.asked, ""); /* it is asked for once */
    close_world (&w.f.w);
}

static void without_an_accounting_it_is_what_its_tasks_told (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    works_end_until (&w, "count r1 alice");
    work_says (&w, true, BACK_END_NO_ACCOUNTING);
    use_is (&w, MUSUBI__USE_COUNTED__USE_UNACCOUNTED, 0);
    close_world (&w.f.w);
}

static void tasks_become_jobs_while_there_is_room (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    uint64_t bag = submit (&w.f, (wish_bag_t){.count = JOBS_MAX + 2});
    look (&w);
    assert_int_equal (task (&w.f, bag, JOBS_MAX - 1).state, TASK_RUNNING);
    assert_int_equal (task (&w.f, bag, JOBS_MAX).state, TASK_QUEUED);
    task_ends (&w.f, bag, 0, 3);
    look (&w);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_ENDED);
    assert_int_equal (task (&w.f, bag, JOBS_MAX).state, TASK_RUNNING);
    restart_field (&w.f); /* none is handed over twice */
    look (&w);
    assert_int_equal (task (&w.f, bag, 1).state, TASK_RUNNING);
    assert_int_equal (task (&w.f, bag, 1).tries, 1);
    assert_int_equal (agent (&w)->runs_count, JOBS_MAX);
    close_world (&w.f.w);
}

static void tasks_of_a_reservation_are_queued_once_it_is_prepared (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    uint64_t bag =
      submit (&w.f, (wish_bag_t){.reservation = "r1", .count = JOBS_MAX + 1, .minutes = 5});
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_QUEUED);
    work_ends (&w, NULL);
    look (&w);
    assert_int_equal (task (&w.f, bag, JOBS_MAX).state, TASK_RUNNING);
    uint64_t other = submit (&w.f, (wish_bag_t){.minutes = 5}); /* they are not in its way */
    look (&w);
    assert_int_equal (task (&w.f, other, 0).state, TASK_RUNNING);
    field_until (&w.f, 10, 0);
    work_ends (&w, NULL);
    field_until (&w.f, 20, 0);
    look (&w);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_STOPPED);
    close_world (&w.f.w);
}

/*  "ACCOUNT CHARGED QOS" of the last run that has begun. */
static char charged [256];

static void see_charged (void *owner, const wanted_run_t *wanted)
{
    (void) owner;
    snprintf (charged, sizeof charged, "%s %s %s", wanted->order->account, wanted->order->charged,
              wanted->order->qos);
}

static void what_an_actor_charges_is_told_with_tasks_and_reservations (void **state)
{
    (void) state;
    static account_t accounts [] = {{"alice", "climate", "physics", "high"},
                                    {.actor = "bob", .account = "guest"}};
    batch_world_t w;
    batch_prepare (&w);
    w.f.runner.accounts = accounts;
    w.f.begun = see_charged;
    open_field (&w.f);
    agent (&w)->away = false;
    agent (&w)->batch = &w.picture;
    look (&w);
    work_ends (&w, NULL);
    submit (&w.f, (wish_bag_t){.minutes = 5});
    look (&w);
    assert_string_equal (charged, "climate physics high");
    submit (&w.f, (wish_bag_t){.actor = "bob", .minutes = 5});
    look (&w);
    assert_string_equal (charged, "guest  ");
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    works_end_until (&w, "prepare r1 climate:physics ");
    close_world (&w.f.w);
}

/*  What Queue.Bags and Queue.Tasks say of why the first task waits. */
static void waits_are (batch_world_t *self, uint64_t number, const char *wanted)
{
    Musubi__TasksRequest of_bag = MUSUBI__TASKS_REQUEST__INIT;
    of_bag.bag = number;
    assert_int_equal (ask_with_id (&self->f, "alice", "Tasks", "", &of_bag.base), CALL_OK);
    Musubi__TasksAnswer *tasks = answer (&self->f.w, &musubi__tasks_answer__descriptor);
    assert_string_equal (tasks->tasks [0]->waits, wanted);
    message_free (&tasks->base);
    Musubi__QueueRequest all = MUSUBI__QUEUE_REQUEST__INIT;
    assert_int_equal (ask_with_id (&self->f, "alice", "Bags", "", &all.base), CALL_OK);
    Musubi__QueueAnswer *bags = answer (&self->f.w, &musubi__queue_answer__descriptor);
    assert_string_equal (bags->bags [0]->why, wanted);
    message_free (&bags->base);
}

static void a_job_that_waits_is_queued_for_the_batch_systems_own_reason (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    agent (&w)->waits = "Slurm says PENDING, Priority";
    uint64_t number = submit (&w.f, (wish_bag_t){.count = 2});
    look (&w);
    assert_int_equal (bag (&w.f, number).queued, 2);
    assert_int_equal (bag (&w.f, number).running, 0);
    waits_are (&w, number, "Slurm says PENDING, Priority");
    run_report_t *first = &agent (&w)->runs [0].report;
    snprintf (first->why, sizeof first->why, "Slurm says PENDING, Resources");
    look (&w);
    waits_are (&w, number, "Slurm says PENDING, Resources");
    first->state = RUN_RUNNING;
    *first->why = '\0';
    look (&w);
    assert_int_equal (bag (&w.f, number).queued, 1);
    assert_int_equal (bag (&w.f, number).running, 1);
    assert_int_equal (task (&w.f, number, 0).state, TASK_RUNNING);
    task_ends (&w.f, number, 0, 0);
    assert_string_equal (task (&w.f, number, 0).why, "");
    close_world (&w.f.w);
}

static void what_can_never_start_there_is_refused (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    w.picture.longest_ms = 30 * MINUTE_MS;
    for (size_t i = 0; i < NODES; i++)
        w.nodes [i].cpus = 8;
    look (&w);
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "a", .minutes = 31}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "limit_ms: slurm 22.05.8 lets no job there run for "
                                           "longer than 1800 s, and this one asks for 1860 s"));
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "b", .cpus = 9}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "cpus: a task runs on one node, and none of slurm "
                                           "22.05.8 gives a job more than 8 CPUs, not 9"));
    submit (&w.f, (wish_bag_t){.minutes = 30, .cpus = 8, .gpus = 1}); /* it tells of no GPUs */
    w.picture.features = true;
    w.nodes [3].gpus = 2;
    look (&w);
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "c", .gpus = 3}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "gpus: a task runs on one node, and none of slurm "
                                           "22.05.8 gives a job more than 2 GPUs, not 3"));
    submit (&w.f, (wish_bag_t){.gpus = 2});
    close_world (&w.f.w);
}

static void what_a_batch_system_cannot_do_is_refused (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "a", .class_name = "fat"}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "class_name: should be none here: slurm runs"));
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "b", .input = "a/file"}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "inputs, outputs: should be none here"));
    close_world (&w.f.w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (nothing_is_offered_before_the_batch_system_was_seen_once),
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
      cmocka_unit_test (a_reservation_that_is_hit_by_a_booking_is_degraded),
      cmocka_unit_test (one_of_a_silent_batch_system_is_disconnected_with_the_reason),
      cmocka_unit_test (nodes_that_are_others_until_its_start_are_awaited),
      cmocka_unit_test (a_reservation_gets_nodes_that_nobody_has_booked),
      cmocka_unit_test (nodes_are_nobody_elses_before_the_back_end_has_closed),
      cmocka_unit_test (what_is_not_as_it_was_told_is_told_again),
      cmocka_unit_test (jobs_that_do_not_make_way_have_their_nodes_until_their_limits),
      cmocka_unit_test (all_jobs_make_way_for_an_actor_that_is_named),
      cmocka_unit_test (no_node_of_a_job_is_bound_for_anybody_else),
      cmocka_unit_test (a_site_on_which_nothing_can_be_reserved_tells_so),
      cmocka_unit_test (what_is_over_when_the_site_comes_back_is_closed),
      cmocka_unit_test (what_was_closed_is_looked_for_once_more),
      cmocka_unit_test (what_it_used_is_what_the_accounting_says),
      cmocka_unit_test (without_an_accounting_it_is_what_its_tasks_told),
      cmocka_unit_test (tasks_become_jobs_while_there_is_room),
      cmocka_unit_test (tasks_of_a_reservation_are_queued_once_it_is_prepared),
      cmocka_unit_test (what_an_actor_charges_is_told_with_tasks_and_reservations),
      cmocka_unit_test (a_job_that_waits_is_queued_for_the_batch_systems_own_reason),
      cmocka_unit_test (what_can_never_start_there_is_refused),
      cmocka_unit_test (what_a_batch_system_cannot_do_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
