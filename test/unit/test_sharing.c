/*  test_sharing - tasks that move between the queues of sites: where they are run, how their ends
 *  come home, and that none is forgotten or run twice.
 */
#include "message.h"
#include "sharing_fixture.h"

enum { AMS, OSA, KYO };

/*  More tasks than thin has CPUs, 16, so that some wait and can move. */
enum { MANY = 20, WAIT = 4 };

enum { OUTPUT = 2 }; /* reply_to of the asker that waits for output */

static sharing_coalition_t c;

static told_task_t task_at (size_t site, uint64_t bag_number, uint32_t index)
{
    return task (&c.sites [site], bag_number, index);
}

static told_bag_t bag_at (size_t site, uint64_t number)
{
    return bag (&c.sites [site], number);
}

static void the_last_tasks_that_wait_are_run_elsewhere_and_their_ends_come_home (void **state)
{
    (void) state;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    assert_int_equal (move (&c, AMS, OSA, number, 3), 3);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_AWAY);
    assert_int_equal (task_at (AMS, number, 16).state, TASK_QUEUED);
    coalition_pass (&c, 2 * SECOND_MS);
    assert_int_equal (bag_at (OSA, 1).running, 3);
    all_end (&c, OSA, 7);
    coalition_pass (&c, SECOND_MS);
    for (uint32_t i = 17; i < MANY; i++) {
        told_task_t told = task_at (AMS, number, i);
        assert_int_equal (told.state, TASK_ENDED);
        assert_int_equal (told.exit_code, 7);
        assert_int_equal (begun (&c, "a", i), 1);
    }
    assert_int_equal (begun (&c, "a", 16), 0);
    assert_int_equal (records_of (&c.sites [AMS].w, TABLE_MOVES), 0);
    assert_int_equal (bag_at (OSA, 1).over, 3);
    close_coalition (&c);
}

static void a_site_that_is_no_member_refuses_and_the_tasks_wait_at_home_again (void **state)
{
    (void) state;
    open_coalition (&c);
    Musubi__LeaveRequest leave = MUSUBI__LEAVE_REQUEST__INIT;
    assert_int_equal (ask_sharing (&c, OSA, "root", "Leave", &leave.base), CALL_OK);
    uint64_t number = share (&c, AMS, "a", MANY);
    move (&c, AMS, OSA, number, 3);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (bag_at (AMS, number).queued, WAIT);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_QUEUED);
    /*  The same offer is refused for ever, even after the site has joined. */
    assert_int_equal (records_of (&c.sites [OSA].w, TABLE_OFFERS), 1);
    all_end (&c, AMS, 0);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (bag_at (AMS, number).running, WAIT);
    close_coalition (&c);
}

static void an_order_is_carried_out_once (void **state)
{
    (void) state;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    assert_int_equal (move (&c, AMS, OSA, number, 1), 1);
    c.order--;
    assert_int_equal (move (&c, AMS, OSA, number, 1), 1);
    assert_int_equal (bag_at (AMS, number).queued, WAIT - 1);
    restart_field (&c.sites [AMS]);
    c.order--;
    assert_int_equal (move (&c, AMS, OSA, number, 1), 1);
    assert_int_equal (bag_at (AMS, number).queued, WAIT - 1);
    move (&c, AMS, OSA, number, 1);
    c.order -= 2;
    assert_int_equal (try_move (&c, AMS, OSA, number, 1), CALL_BAD_REQUEST);
    close_coalition (&c);
}

static void no_more_is_moved_than_waits (void **state)
{
    (void) state;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    assert_int_equal (move (&c, AMS, OSA, number, 1000), WAIT);
    assert_int_equal (move (&c, AMS, OSA, number, 1000), 0);
    close_coalition (&c);
}

static void orders_that_are_not_to_be_are_refused (void **state)
{
    (void) state;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    uint64_t own = submit (&c.sites [AMS], (wish_bag_t){.count = 2});
    assert_int_equal (try_move (&c, AMS, OSA, own, 1), CALL_DENIED);
    assert_int_equal (try_move (&c, AMS, OSA, 77, 1), CALL_NOT_FOUND);
    assert_int_equal (try_move (&c, AMS, AMS, number, 1), CALL_BAD_REQUEST);
    assert_int_equal (try_move (&c, AMS, OSA, number, 0), CALL_BAD_REQUEST);
    assert_int_equal (move_said_by (&c, "alice", AMS, OSA, number, 1), CALL_DENIED);
    Musubi__JoinRequest joined = MUSUBI__JOIN_REQUEST__INIT;
    joined.balancer = "balancer/other";
    assert_int_equal (ask_sharing (&c, AMS, "alice", "Join", &joined.base), CALL_DENIED);
    assert_int_equal (ask_sharing (&c, AMS, "root", "Join", &joined.base), CALL_DENIED);
    joined.balancer = BALANCER;
    joined.level_s = -1;
    assert_int_equal (ask_sharing (&c, AMS, "root", "Join", &joined.base), CALL_BAD_REQUEST);
    close_coalition (&c);
}

/*  OSA is full of its own tasks, so that guests wait there. */
static uint64_t guests_wait (uint64_t *number)
{
    open_coalition (&c);
    share (&c, OSA, "o", 16);
    agents_come (&c.sites [OSA]);
    *number = share (&c, AMS, "a", MANY);
    assert_int_equal (move (&c, AMS, OSA, *number, 3), 3);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (bag_at (OSA, 2).queued, 3);
    return 2;
}

static void guests_that_wait_go_home_and_nowhere_else (void **state)
{
    (void) state;
    uint64_t number;
    uint64_t guests = guests_wait (&number);
    assert_int_equal (try_move (&c, OSA, KYO, guests, 1), CALL_DENIED);
    assert_int_equal (move (&c, OSA, AMS, guests, 1), 1);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_QUEUED);
    assert_int_equal (task_at (AMS, number, 18).state, TASK_AWAY);
    assert_int_equal (move (&c, AMS, KYO, number, 1), 1);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (begun (&c, "a", 19), 1);
    close_coalition (&c);
}

static void a_site_that_leaves_gives_back_what_waits (void **state)
{
    (void) state;
    uint64_t number;
    guests_wait (&number);
    Musubi__LeaveRequest leave = MUSUBI__LEAVE_REQUEST__INIT;
    assert_int_equal (ask_sharing (&c, OSA, "root", "Leave", &leave.base), CALL_OK);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (bag_at (AMS, number).queued, WAIT);
    assert_int_equal (records_of (&c.sites [AMS].w, TABLE_MOVES), 0);
    close_coalition (&c);
}

static void what_is_cancelled_at_home_ends_where_it_is (void **state)
{
    (void) state;
    uint64_t number;
    guests_wait (&number);
    told_cancel_t told = cancel (&c.sites [AMS], number, 18);
    assert_int_equal (told.ended, 1);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (task_at (AMS, number, 18).state, TASK_CANCELLED);
    assert_int_equal (task_at (AMS, number, 17).state, TASK_AWAY);
    all_end (&c, OSA, 0);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (begun (&c, "a", 17), 1);
    cancel (&c.sites [AMS], number, -1);
    coalition_pass (&c, 2 * SECOND_MS);
    assert_int_equal (task_at (AMS, number, 17).state, TASK_STOPPED);
    assert_int_equal (bag_at (AMS, number).over, MANY);
    close_coalition (&c);
}

static void what_is_cancelled_before_the_other_site_has_answered_is_never_run (void **state)
{
    (void) state;
    open_coalition (&c);
    share (&c, OSA, "o", 16);
    agents_come (&c.sites [OSA]);
    uint64_t number = share (&c, AMS, "a", MANY);
    c.cut = true;
    move (&c, AMS, OSA, number, 3);
    cancel (&c.sites [AMS], number, -1);
    coalition_pass (&c, 20 * SECOND_MS);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_AWAY);
    c.cut = false;
    coalition_pass (&c, 20 * SECOND_MS);
    assert_int_equal (bag_at (AMS, number).over, MANY);
    for (uint32_t i = 17; i < MANY; i++)
        assert_int_equal (begun (&c, "a", i), 0);
    close_coalition (&c);
}

/*  The answer is lost, then one of the sites is killed: the answer is the same again. */
static void an_answer_that_was_lost_is_told_again (void **state)
{
    (void) state;
    for (size_t killed = AMS; killed <= OSA; killed++) {
        open_coalition (&c);
        uint64_t number = share (&c, AMS, "a", MANY);
        move (&c, AMS, OSA, number, 3);
        assert_int_equal (c.messages_count, 1);
        message_t offer = c.messages [0];
        c.messages_count = 0;
        request_deliver (&c, &offer);
        assert_int_equal (c.messages_count, 1);
        message_end (&c.messages [0]);
        message_end (&offer);
        c.messages_count = 0;
        restart_field (&c.sites [killed]);
        coalition_pass (&c, 20 * SECOND_MS);
        assert_int_equal (records_of (&c.sites [OSA].w, TABLE_BAGS), 1);
        for (uint32_t i = 17; i < MANY; i++)
            assert_int_equal (begun (&c, "a", i), 1);
        all_end (&c, OSA, 0);
        coalition_pass (&c, 20 * SECOND_MS);
        assert_int_equal (bag_at (AMS, number).away, 0);
        assert_int_equal (task_at (AMS, number, 19).state, TASK_ENDED);
        close_coalition (&c);
    }
}

static void an_offer_that_comes_too_late_is_refused_and_the_tasks_are_run_at_home (void **state)
{
    (void) state;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    c.cut = true;
    move (&c, AMS, OSA, number, 3);
    coalition_pass (&c, 6 * MINUTE_MS);
    assert_int_equal (bag_at (AMS, number).away, 3);
    c.cut = false;
    all_end (&c, AMS, 0);
    coalition_pass (&c, 10 * SECOND_MS);
    assert_int_equal (bag_at (AMS, number).running, WAIT);
    for (uint32_t i = 16; i < MANY; i++)
        assert_int_equal (begun (&c, "a", i), 1);
    close_coalition (&c);
}

/*  The site serves from another store now, which has no record of what happened in the first. */
static void an_answer_of_another_store_settles_nothing (void **state)
{
    (void) state;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    move (&c, AMS, OSA, number, 3);
    message_t offer = c.messages [0];
    c.messages_count = 0;
    offer.answer = true;
    offer.status = CALL_WRONG_STORE;
    snprintf (offer.reason, sizeof offer.reason, "another store");
    offer.size = 0;
    answer_deliver (&c, &offer);
    message_end (&offer);
    assert_int_equal (bag_at (AMS, number).away, 3);
    coalition_pass (&c, 2 * MINUTE_MS);
    for (uint32_t i = 17; i < MANY; i++)
        assert_int_equal (begun (&c, "a", i), 1);
    close_coalition (&c);
}

/*  The store of a site, set aside while the site serves from another one. */
typedef struct {
    uint8_t store [STORE_ID_BYTES];
    records_t records;
} sharing_disk_t;

static void disk_swap (size_t site, sharing_disk_t *disk)
{
    memory_host_t *host = &c.sites [site].w.host;
    sharing_disk_t now = {.records = host->records};
    memcpy (now.store, host->store.id, STORE_ID_BYTES);
    memcpy (host->store.id, disk->store, STORE_ID_BYTES);
    host->records = disk->records;
    *disk = now;
    restart_field (&c.sites [site]);
}

static void disk_end (sharing_disk_t *disk)
{
    records_clear (&disk->records);
}

/*  ams has given three tasks to osa, which began them and serves from an empty store now. */
static uint64_t store_is_lost (sharing_disk_t *disk)
{
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    move (&c, AMS, OSA, number, 3);
    coalition_pass (&c, 2 * SECOND_MS);
    assert_int_equal (begun (&c, "a", 19), 1);
    *disk = (sharing_disk_t){.store = {77}};
    disk_swap (OSA, disk);
    return number;
}

static void what_is_at_a_host_whose_store_is_lost_is_lost_and_never_run_again (void **state)
{
    (void) state;
    static sharing_disk_t disk;
    uint64_t number = store_is_lost (&disk);
    coalition_pass (&c, 9 * MINUTE_MS);
    assert_int_equal (bag_at (AMS, number).away, 3);
    all_end (&c, AMS, 0);
    coalition_pass (&c, 3 * MINUTE_MS);
    assert_int_equal (bag_at (AMS, number).away, 0);
    for (uint32_t i = 17; i < MANY; i++) {
        told_task_t told = task_at (AMS, number, i);
        assert_int_equal (told.state, TASK_LOST);
        assert_non_null (strstr (told.why, "lis/osa"));
        assert_int_equal (begun (&c, "a", i), 1);
    }
    assert_int_equal (records_of (&c.sites [AMS].w, TABLE_MOVES), 0);
    restart_field (&c.sites [AMS]);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_LOST);
    all_end (&c, AMS, 0);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (bag_at (AMS, number).over, MANY);
    disk_end (&disk);
    close_coalition (&c);
}

/*  It can't be known whether the move was accepted. */
static void what_was_offered_to_a_store_that_is_lost_is_lost_too (void **state)
{
    (void) state;
    static sharing_disk_t disk;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    c.cut = true;
    move (&c, AMS, OSA, number, 3);
    disk = (sharing_disk_t){.store = {77}};
    disk_swap (OSA, &disk);
    c.cut = false;
    coalition_pass (&c, 15 * MINUTE_MS);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_LOST);
    disk_end (&disk);
    close_coalition (&c);
}

static void a_store_that_returns_in_time_has_lost_nothing (void **state)
{
    (void) state;
    static sharing_disk_t disk;
    uint64_t number = store_is_lost (&disk);
    coalition_pass (&c, 9 * MINUTE_MS);
    disk_swap (OSA, &disk);
    coalition_pass (&c, 9 * MINUTE_MS);
    assert_int_equal (bag_at (AMS, number).away, 0);
    for (uint32_t i = 17; i < MANY; i++) {
        assert_null (strstr (task_at (AMS, number, i).why, "lost its store"));
        assert_int_equal (begun (&c, "a", i), 1);
    }
    disk_end (&disk);
    close_coalition (&c);
}

/*  A task that was reported lost stays lost: what the old store reports later is ignored. */
static void a_store_that_returns_too_late_changes_nothing (void **state)
{
    (void) state;
    static sharing_disk_t disk;
    uint64_t number = store_is_lost (&disk);
    coalition_pass (&c, 12 * MINUTE_MS);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_LOST);
    disk_swap (OSA, &disk);
    coalition_pass (&c, 12 * MINUTE_MS);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_LOST);
    assert_int_equal (begun (&c, "a", 19), 1);
    disk_end (&disk);
    close_coalition (&c);
}

static void a_host_that_is_silent_has_lost_nothing (void **state)
{
    (void) state;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    move (&c, AMS, OSA, number, 3);
    coalition_pass (&c, 2 * SECOND_MS);
    c.cut = true;
    coalition_pass (&c, 30 * MINUTE_MS);
    assert_int_equal (bag_at (AMS, number).away, 3);
    c.cut = false;
    all_end (&c, OSA, 3);
    coalition_pass (&c, MINUTE_MS);
    assert_int_equal (bag_at (AMS, number).away, 0);
    close_coalition (&c);
}

/*  Its records were damaged: it is the right store, but knows of no guests. */
static void what_a_host_knows_nothing_of_any_more_can_be_cancelled (void **state)
{
    (void) state;
    uint64_t number;
    guests_wait (&number);
    service_world_t *w = &c.sites [OSA].w;
    records_clear (&w->host.records);
    restart_field (&c.sites [OSA]);
    cancel (&c.sites [AMS], number, 19);
    coalition_pass (&c, MINUTE_MS);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_LOST);
    assert_int_equal (bag_at (AMS, number).away, 0);
    assert_int_equal (records_of (&c.sites [AMS].w, TABLE_MOVES), 0);
    close_coalition (&c);
}

/*  Asked at ams; the answer comes later. */
static void output_asked (uint64_t number, uint32_t index)
{
    Musubi__TaskId id = MUSUBI__TASK_ID__INIT;
    id.bag = number;
    id.index = index;
    Musubi__OutputRequest request = MUSUBI__OUTPUT_REQUEST__INIT;
    request.task = &id;
    size_t size;
    uint8_t *packed = message_pack (&request.base, &size);
    service_world_t *w = &c.sites [AMS].w;
    step (w, &(event_t){.kind = EVENT_REQUEST,
                        .request = {.service = "Queue",
                                    .method = "Output",
                                    .actor = "alice",
                                    .request_id = "",
                                    .body = {packed, size},
                                    .reply_to = OUTPUT}});
    free (packed);
}

/*  The answer, if there was one. */
static bool output_told (int64_t ms)
{
    service_world_t *w = &c.sites [AMS].w;
    for (; ms > 0; ms -= SECOND_MS) {
        for (size_t i = SITES; i-- > 0;) {
            agents_come (&c.sites [i]);
            w->asked = OUTPUT;
            w->replied = false;
            carry (&c);
            if (w->replied)
                return true;
            pass (&c.sites [i].w, SECOND_MS);
            if (w->replied)
                return true;
        }
    }
    return false;
}

static void what_a_task_has_written_elsewhere_is_read_at_home (void **state)
{
    (void) state;
    open_coalition (&c);
    uint64_t number = share (&c, AMS, "a", MANY);
    move (&c, AMS, OSA, number, 3);
    coalition_pass (&c, SECOND_MS);
    task_ends (&c.sites [OSA], 1, 1, 0);
    coalition_pass (&c, SECOND_MS);
    assert_int_equal (task_at (AMS, number, 18).state, TASK_ENDED);
    output_asked (number, 18);
    assert_true (output_told (10 * SECOND_MS));
    Musubi__OutputAnswer *told = answer (&c.sites [AMS].w, &musubi__output_answer__descriptor);
    assert_int_equal (told->data.len, strlen ("1.1#1"));
    assert_memory_equal (told->data.data, "1.1#1", told->data.len);
    assert_true (told->over);
    message_free (&told->base);
    c.cut = true;
    output_asked (number, 18);
    assert_true (output_told (20 * SECOND_MS));
    assert_int_equal (c.sites [AMS].w.status, CALL_NOT_FOUND);
    close_coalition (&c);
}

static void ends_from_a_site_that_does_not_have_the_task_are_not_heard (void **state)
{
    (void) state;
    uint64_t number;
    guests_wait (&number);
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid.store = (ProtobufCBinaryData){STORE_ID_BYTES, c.sites [AMS].w.host.store.id};
    txid.start = c.sites [AMS].w.host.store.start;
    txid.counter = 1;
    Musubi__GuestEnd end = MUSUBI__GUEST_END__INIT;
    end.index = 19;
    end.state = MUSUBI__TASK_STATE__TASK_ENDED;
    Musubi__GuestEnd *ends [] = {&end};
    Musubi__GuestsEndedRequest request = MUSUBI__GUESTS_ENDED_REQUEST__INIT;
    request.move = &txid;
    request.bag = number;
    request.n_ends = 1;
    request.ends = ends;
    ask_sharing (&c, AMS, "lis/kyo", "Ended", &request.base);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_AWAY);
    ask_sharing (&c, AMS, "lis/osa", "Ended", &request.base);
    assert_int_equal (task_at (AMS, number, 19).state, TASK_ENDED);
    ask_sharing (&c, AMS, "lis/osa", "Ended", &request.base);
    end.state = MUSUBI__TASK_STATE__TASK_AWAY;
    assert_int_equal (ask_sharing (&c, AMS, "lis/osa", "Ended", &request.base), CALL_BAD_REQUEST);
    close_coalition (&c);
}

static Musubi__StateAnswer *state_at (size_t site, uint64_t after)
{
    Musubi__StateRequest request = MUSUBI__STATE_REQUEST__INIT;
    request.after = after;
    assert_int_equal (ask_sharing (&c, site, BALANCER, "State", &request.base), CALL_OK);
    return answer (&c.sites [site].w, &musubi__state_answer__descriptor);
}

static void a_balancer_is_told_how_fast_a_site_is_and_what_is_in_its_queue (void **state)
{
    (void) state;
    uint64_t number;
    uint64_t guests = guests_wait (&number);
    Musubi__StateAnswer *told = state_at (OSA, 0);
    assert_true (told->cpus == 8 * 2 + 4 * 16);
    assert_true (told->level_s == 60);
    assert_int_equal (told->n_bags, 2);
    assert_int_equal (told->bags [0]->running, 16);
    assert_string_equal (told->bags [0]->home, "lis/osa");
    assert_true (told->bags [0]->running_load_s > 16 * 590 &&
                 told->bags [0]->running_load_s <= 16 * 600);
    assert_int_equal (told->bags [1]->bag, guests);
    assert_string_equal (told->bags [1]->home, "lis/ams");
    assert_int_equal (told->bags [1]->home_bag, number);
    assert_int_equal (told->bags [1]->movable, 3);
    assert_true (told->bags [1]->task_load_s == 600);
    message_free (&told->base);
    told = state_at (OSA, 1);
    assert_int_equal (told->n_bags, 1);
    message_free (&told->base);
    coalition_pass (&c, 10 * SECOND_MS);
    all_end (&c, OSA, 0);
    told = state_at (OSA, 0);
    assert_true (told->done_s >= 16 * 10 && told->done_s < 16 * 20);
    message_free (&told->base);
    Musubi__StateRequest request = MUSUBI__STATE_REQUEST__INIT;
    assert_int_equal (ask_sharing (&c, OSA, "alice", "State", &request.base), CALL_DENIED);
    request.after = 77;
    assert_int_equal (ask_sharing (&c, OSA, BALANCER, "State", &request.base), CALL_NOT_FOUND);
    close_coalition (&c);
}

static void a_bag_that_is_all_away_is_told_until_it_is_over (void **state)
{
    (void) state;
    open_coalition (&c);
    share (&c, AMS, "full", 16);
    coalition_pass (&c, 5 * SECOND_MS);
    uint64_t number = share (&c, AMS, "away", 3);
    assert_int_equal (move (&c, AMS, KYO, number, 3), 3);
    coalition_pass (&c, 5 * SECOND_MS);
    Musubi__StateAnswer *told = state_at (AMS, 0);
    assert_int_equal (told->n_bags, 2);
    assert_int_equal (told->bags [0]->away, 0);
    assert_int_equal (told->bags [1]->bag, number);
    assert_int_equal (told->bags [1]->away, 3);
    assert_int_equal (told->bags [1]->running + told->bags [1]->waiting, 0);
    assert_true (told->bags [1]->running_load_s == 0);
    message_free (&told->base);
    told = state_at (AMS, number);
    assert_int_equal (told->n_bags, 0);
    message_free (&told->base);
    all_end (&c, KYO, 0);
    coalition_pass (&c, 5 * SECOND_MS);
    told = state_at (AMS, 0);
    assert_int_equal (told->n_bags, 1);
    message_free (&told->base);
    close_coalition (&c);
}

static void what_is_reserved_is_not_counted_as_speed (void **state)
{
    (void) state;
    open_coalition (&c);
    reserve (&c.sites [AMS].w, "r1", booking ("thin", 6, 3, 2, 30));
    field_pass (&c.sites [AMS], 3 * MINUTE_MS);
    Musubi__StateAnswer *told = state_at (AMS, 0);
    assert_true (told->cpus == 5 * 2 + 4 * 16);
    message_free (&told->base);
    close_coalition (&c);
}

static void messages_that_are_damaged_break_nothing (void **state)
{
    (void) state;
    uint64_t number;
    guests_wait (&number);
    service_world_t *w = &c.sites [OSA].w;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    Musubi__Party home = MUSUBI__PARTY__INIT;
    txid.store = home.store = (ProtobufCBinaryData){STORE_ID_BYTES, c.sites [KYO].w.host.store.id};
    txid.start = txid.counter = 1;
    home.name = "lis/kyo";
    home.endpoint = "sim://lis/kyo";
    Musubi__AcceptRequest offer = MUSUBI__ACCEPT_REQUEST__INIT;
    offer.move = &txid;
    offer.home = &home;
    offer.balancer = BALANCER;
    offer.owner = "alice";
    offer.bag = offer.count = 1;
    offer.offered_ms = w->host.now.wall_ms;
    ask_damaged (w, "lis/kyo", "Sharing", "Accept", &offer.base);
    Musubi__MoveRequest order = MUSUBI__MOVE_REQUEST__INIT;
    order.round = 9;
    order.to = &home;
    order.bag = order.count = 1;
    ask_damaged (w, BALANCER, "Sharing", "Move", &order.base);
    Musubi__GuestCancelRequest cancelling = MUSUBI__GUEST_CANCEL_REQUEST__INIT;
    uint32_t indices [] = {1, 2};
    cancelling.move = &txid;
    cancelling.n_indices = 2;
    cancelling.indices = indices;
    ask_damaged (w, "lis/kyo", "Sharing", "Cancel", &cancelling.base);
    Musubi__GuestEnd end = MUSUBI__GUEST_END__INIT;
    Musubi__GuestEnd *ends [] = {&end};
    end.state = MUSUBI__TASK_STATE__TASK_ENDED;
    end.node = "thin-001";
    end.why = "so";
    Musubi__GuestsEndedRequest ended = MUSUBI__GUESTS_ENDED_REQUEST__INIT;
    ended.move = &txid;
    ended.bag = 1;
    ended.n_ends = 1;
    ended.ends = ends;
    ask_damaged (w, "lis/kyo", "Sharing", "Ended", &ended.base);
    Musubi__JoinRequest joined = MUSUBI__JOIN_REQUEST__INIT;
    joined.balancer = BALANCER;
    joined.level_s = 3;
    ask_damaged (w, "root", "Sharing", "Join", &joined.base);
    field_check (&c.sites [OSA]);
    close_coalition (&c);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_last_tasks_that_wait_are_run_elsewhere_and_their_ends_come_home),
      cmocka_unit_test (a_site_that_is_no_member_refuses_and_the_tasks_wait_at_home_again),
      cmocka_unit_test (an_order_is_carried_out_once),
      cmocka_unit_test (no_more_is_moved_than_waits),
      cmocka_unit_test (orders_that_are_not_to_be_are_refused),
      cmocka_unit_test (guests_that_wait_go_home_and_nowhere_else),
      cmocka_unit_test (a_site_that_leaves_gives_back_what_waits),
      cmocka_unit_test (what_is_cancelled_at_home_ends_where_it_is),
      cmocka_unit_test (what_is_cancelled_before_the_other_site_has_answered_is_never_run),
      cmocka_unit_test (an_answer_that_was_lost_is_told_again),
      cmocka_unit_test (an_offer_that_comes_too_late_is_refused_and_the_tasks_are_run_at_home),
      cmocka_unit_test (an_answer_of_another_store_settles_nothing),
      cmocka_unit_test (what_is_at_a_host_whose_store_is_lost_is_lost_and_never_run_again),
      cmocka_unit_test (what_was_offered_to_a_store_that_is_lost_is_lost_too),
      cmocka_unit_test (a_store_that_returns_in_time_has_lost_nothing),
      cmocka_unit_test (a_store_that_returns_too_late_changes_nothing),
      cmocka_unit_test (a_host_that_is_silent_has_lost_nothing),
      cmocka_unit_test (what_a_host_knows_nothing_of_any_more_can_be_cancelled),
      cmocka_unit_test (what_a_task_has_written_elsewhere_is_read_at_home),
      cmocka_unit_test (ends_from_a_site_that_does_not_have_the_task_are_not_heard),
      cmocka_unit_test (a_balancer_is_told_how_fast_a_site_is_and_what_is_in_its_queue),
      cmocka_unit_test (a_bag_that_is_all_away_is_told_until_it_is_over),
      cmocka_unit_test (what_is_reserved_is_not_counted_as_speed),
      cmocka_unit_test (messages_that_are_damaged_break_nothing),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
