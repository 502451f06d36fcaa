/*  planner - requests with files and space, at sites whose storage is a real svc-replica. Its
 *  storage nodes are played: they say how much room they have, and one of them that it has a file.
 */
#include "planner_asking.h"
#include "replica.h"

#include "chain.pb-c.h"

#define GIB     (UINT64_C (1) << 30)
#define FILE_ID "era5/2020.nc"

static disclosure_t disclosed = DISCLOSE_PROFILE; /* by storage that is made */

static void make_storage (fed_proc_t *proc, const char *const *gis, size_t gis_count)
{
    static const char *const everybody [] = {"*"}, *const nodes [] = {"d0", "d1"};
    replica_settings_t settings = {
      .nodes = nodes,
      .nodes_count = 2,
      .provider = {.name = proc->name,
                   .access = {.accounts = everybody, .accounts_count = 1},
                   .gis_endpoints = gis,
                   .gis_count = gis_count,
                   .participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
                   .limits = SETTINGS_PRESET (replica_settings_t, &replica_table).provider.limits},
      .terms = {.horizon_ms = 400 * 24 * FED_HOUR_MS, .disclosure = disclosed},
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .limits = {.files_max = 100,
                 .places_max = 100,
                 .outgoing_feeds = {.source_max = 16, .pair_max = 4},
                 .transfers = {.transfers_max = 16, .patience_ms = 60000},
                 .chain = SETTINGS_PRESET (chain_limits_t, &chain_table)}};
    replica_core (&settings, &proc->host.core);
}

/*  A storage node tells how many bytes it may keep, and that it has a file of so many bytes, if
 *  any.
 */
static void attend (fed_t *fed, const char *storage, const char *node, uint64_t bytes_max,
                    uint64_t file_size)
{
    uint8_t store [STORE_ID_BYTES] = {(uint8_t) node [1], 7}, digest [DIGEST_BYTES] = {9};
    Musubi__StorageAttendRequest told = MUSUBI__STORAGE_ATTEND_REQUEST__INIT;
    Musubi__StoredFile file = MUSUBI__STORED_FILE__INIT, *files [] = {&file};
    told.node = (char *) node;
    told.store = (ProtobufCBinaryData){sizeof store, store};
    told.start = told.number = 1;
    told.bytes_max = bytes_max;
    told.bytes_used = file_size;
    told.folder = "/files";
    told.n_files = file_size > 0;
    told.files = files;
    file.number = 1;
    file.file = FILE_ID;
    file.size = file_size;
    file.digest = (ProtobufCBinaryData){sizeof digest, digest};
    file.proved_ms = FED_EPOCH_MS;
    char agent [16];
    snprintf (agent, sizeof agent, "storage/%s", node);
    fed_ask (fed, storage, "Chain", "Attend", agent, "", &told.base, 100);
}

/*  A link of 1 Gbit/s between the first two sites. */
static void add_network (fed_t *fed)
{
    vertex_t ends [] = {{.name = "s0", .kind = VERTEX_SITE}, {.name = "s1", .kind = VERTEX_SITE}};
    link_t link = {
      .name = "l", .ends = {"s0", "s1"}, .mbps = 1000, .latency_us = 1000, .price = 1000};
    fed_add_domain (fed, "nis/N",
                    &(domain_t){.vertices = ends,
                                .vertices_count = 2,
                                .links = &link,
                                .links_count = 1,
                                .lead_ms = 2000,
                                .horizon_ms = 400 * 24 * FED_HOUR_MS});
}

/*  Sites "s0" … with storage, each of whose two nodes has so much room; s1 has a file of 1 GiB. */
static void federation (fed_t *fed, uint64_t seed, int sites, uint64_t room)
{
    char name [64];
    fed_new (fed, seed);
    fed_add (fed, FED_GIS, "gis/g1");
    for (int i = 0; i < sites; i++) {
        snprintf (name, sizeof name, "lis/s%d", i);
        fed_add_site (fed, name, 4, 4, 1000 * (i + 1), DISCLOSE_PROFILE);
        snprintf (name, sizeof name, "replica/s%d", i);
        fed->procs [fed_add (fed, FED_OTHER, name)].make = make_storage;
    }
    if (sites > 1)
        add_network (fed);
    fed_add (fed, FED_PLANNER, "p0");
    fed_add (fed, FED_PLANNER, "p1");
    fed_up (fed);
    for (int i = 0; i < sites; i++) {
        snprintf (name, sizeof name, "replica/s%d", i);
        attend (fed, name, "d0", room, i == 1 ? GIB : 0);
        attend (fed, name, "d1", room, 0);
    }
    fed_run (fed, 8000);
}

typedef struct {
    uint32_t cpus;
    uint64_t space; /* bytes at the one need */
    const char *file;
    uint32_t nodes;
    uint32_t mbps;
    const char *site;
    int64_t start_ms; /* 0 = as soon as can be */
} storage_wish_t;

static uint64_t ask_storage (fed_t *fed, const char *planner, const char *id,
                             const storage_wish_t *wish)
{
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed need = MUSUBI__COMPUTE_NEED__INIT, *needs [] = {&need};
    Musubi__SpaceNeed space = MUSUBI__SPACE_NEED__INIT, *spaces [] = {&space};
    Musubi__DataNeed data = MUSUBI__DATA_NEED__INIT, *files [] = {&data};
    need.id = space.at = data.at = "n0";
    need.cpus = wish->cpus;
    need.site = (char *) (wish->site ? wish->site : "");
    space.bytes = wish->space;
    data.file = (char *) wish->file;
    data.nodes = wish->nodes;
    data.mbps = wish->mbps;
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = FED_EPOCH_MS + wish->start_ms;
    if (wish->start_ms > 0)
        window.start = &start;
    request.window = &window;
    request.duration_ms = FED_HOUR_MS;
    request.n_compute = 1;
    request.compute = needs;
    request.n_space = wish->space > 0;
    request.space = spaces;
    request.n_data = wish->file != NULL;
    request.data = files;
    reserve.request = &request;
    return fed_ask (fed, planner, "Planner", "Reserve", "alice", id, &reserve.base, 60000);
}

static Musubi__Answer *reserve_storage (fed_t *fed, const char *id, const storage_wish_t *wish)
{
    return read_answer (fed, ask_storage (fed, "p0", id, wish));
}

/*  What a participant has committed for the reservation; NULL = it knows none. */
static Musubi__PartRecord *part_at (fed_t *fed, const char *participant, const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    call_status_t status;
    char reason [256];
    Musubi__ShowAnswer *shown = (Musubi__ShowAnswer *) fed_answer (
      fed, fed_ask (fed, participant, "Participant", "Show", "alice", "", &request.base, 1000),
      &musubi__show_answer__descriptor, &status, reason);
    assert_non_null (shown);
    Musubi__PartRecord *record = shown->record;
    shown->record = NULL;
    message_free (&shown->base);
    return record;
}

static uint64_t booked_at (fed_t *fed, const char *participant, const char *reservation)
{
    Musubi__PartRecord *record = part_at (fed, participant, reservation);
    uint64_t bytes = 0;
    for (size_t i = 0; record && i < record->n_space; i++)
        bytes += record->space [i]->bytes;
    if (record)
        message_free (&record->base);
    return bytes;
}

static void space_is_held_with_the_cpus_at_their_site_and_given_back_with_them (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 1, 2, 4 * GIB);
    Musubi__Answer *answer =
      reserve_storage (&fed, "r@g1", &(storage_wish_t){.cpus = 8, .space = 3 * GIB});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_data, 1);
    assert_string_equal (answer->data [0]->need, "space-1");
    assert_string_equal (answer->data [0]->site, answer->compute [0]->site);
    assert_int_equal (answer->data [0]->from_ms, answer->compute [0]->from_ms);
    assert_int_equal (answer->data [0]->until_ms, answer->compute [0]->until_ms);
    char storage [64];
    snprintf (storage, sizeof storage, "replica/%s", answer->data [0]->site);
    assert_true (booked_at (&fed, storage, answer->reservation) == 3 * GIB);
    message_free (&release (&fed, "p1", "x@g1", answer->reservation)->base);
    assert_true (booked_at (&fed, storage, answer->reservation) == 0);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_refusal_by_the_disk_alone_names_it_and_leaves_nothing (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 2, 1, 4 * GIB);
    for (int i = 0; i < 2; i++) { /* both disks of the only site are taken for the hour */
        Musubi__Answer *answer =
          reserve_storage (&fed, i ? "b@g1" : "a@g1",
                           &(storage_wish_t){.cpus = 1, .space = 3 * GIB, .start_ms = FED_HOUR_MS});
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answer->base);
    }
    Musubi__Answer *answer = reserve_storage (
      &fed, "c@g1", &(storage_wish_t){.cpus = 1, .space = 3 * GIB, .start_ms = FED_HOUR_MS});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    bool named = false;
    for (size_t i = 0; i < answer->n_reasons; i++)
        named = named || strncmp (answer->reasons [i]->resource, "s0/d", 4) == 0;
    assert_true (named);
    message_free (&answer->base);
    answer = reserve_storage (&fed, "d@g1", &(storage_wish_t){.cpus = 14, .start_ms = FED_HOUR_MS});
    /* 2 of 4 nodes are taken: had the refused one left a hold, this would tell another number. */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    answer = reserve_storage (&fed, "e@g1", &(storage_wish_t){.cpus = 8, .start_ms = FED_HOUR_MS});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void of_two_planners_that_want_the_last_room_one_gets_it (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 3, 1, 4 * GIB);
    storage_wish_t wish = {.cpus = 1, .space = 3 * GIB, .start_ms = FED_HOUR_MS};
    uint64_t asked [3];
    unsigned committed = 0;
    for (size_t i = 0; i < 3; i++) {
        char id [16];
        snprintf (id, sizeof id, "r%zu@g1", i);
        asked [i] = ask_storage (&fed, i % 2 ? "p1" : "p0", id, &wish);
    }
    for (size_t i = 0; i < 3; i++) {
        Musubi__Answer *answer = read_answer (&fed, asked [i]);
        committed += answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
        message_free (&answer->base);
    }
    assert_int_equal (committed, 2); /* one a disk */
    fed_end (&fed);
}

static void a_file_is_booked_where_it_is_or_ahead_of_the_start_where_it_comes_to (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 4, 2, 4 * GIB);
    for (int here = 0; here < 2; here++) {
        Musubi__Answer *answer = reserve_storage (
          &fed, here ? "b@g1" : "a@g1",
          &(storage_wish_t){
            .cpus = 4, .file = FILE_ID, .site = here ? "s1" : "s0", .start_ms = FED_HOUR_MS});
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_int_equal (answer->n_data, 1);
        Musubi__Room *room = answer->data [0];
        assert_string_equal (room->file, FILE_ID);
        assert_true (room->bytes == (here ? 0 : GIB)); /* there it is kept: it takes no more */
        assert_int_equal (room->due_ms, FED_EPOCH_MS + FED_HOUR_MS);
        assert_string_equal (room->source, here ? "" : "s1");
        /* Nothing was measured: 100 Mbit/s less a quarter, and 2 s to begin. */
        int64_t before_ms = here ? 0 : 2000 + (int64_t) (GIB / 9375);
        assert_in_range (room->due_ms - room->from_ms, before_ms, before_ms + 1);
        assert_true (!here || strcmp (room->node, "d0") == 0);
        message_free (&answer->base);
    }
    Musubi__Answer *answer =
      reserve_storage (&fed, "c@g1", &(storage_wish_t){.cpus = 4, .file = "no.nc"});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void storage_that_discloses_windows_only_gets_files_and_space (void **state)
{
    (void) state;
    fed_t fed;
    disclosed = DISCLOSE_WINDOWS;
    federation (&fed, 8, 2, 4 * GIB);
    storage_wish_t wish = {
      .cpus = 4, .space = GIB, .file = FILE_ID, .site = "s0", .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve_storage (&fed, "a@g1", &wish);
    disclosed = DISCLOSE_PROFILE;
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_data, 2);
    message_free (&answer->base);
    fed_end (&fed);
}

static Musubi__Answer *change_space (fed_t *fed, const char *id, const char *reservation,
                                     uint64_t bytes, const char *removed, int64_t duration_ms)
{
    Musubi__ModifyRequest modify = MUSUBI__MODIFY_REQUEST__INIT;
    Musubi__SpaceNeed space = MUSUBI__SPACE_NEED__INIT, *spaces [] = {&space};
    char *remove [] = {(char *) removed};
    modify.reservation = (char *) reservation;
    space.id = "space-1";
    space.bytes = bytes;
    modify.n_space = bytes > 0;
    modify.space = spaces;
    modify.n_remove = removed != NULL;
    modify.remove = remove;
    modify.duration_ms = duration_ms;
    return read_answer (fed,
                        fed_ask (fed, "p1", "Planner", "Modify", "alice", id, &modify.base, 60000));
}

static void space_grows_and_goes_while_the_reservation_runs (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 5, 1, 4 * GIB);
    Musubi__Answer *made =
      reserve_storage (&fed, "r@g1", &(storage_wish_t){.cpus = 4, .space = GIB});
    expect_status (made, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    fed_run (&fed, 10 * 60000);
    Musubi__Answer *answer = change_space (&fed, "m1@g1", made->reservation, 2 * GIB, NULL, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    Musubi__PartRecord *part = part_at (&fed, "replica/s0", made->reservation);
    assert_int_equal (part->n_space,
                      2); /* what it had until the change, what it has from then on */
    size_t first = part->space [0]->bytes == 2 * GIB;
    assert_true (part->space [first]->bytes == GIB && part->space [!first]->bytes == 2 * GIB);
    assert_int_equal (part->space [first]->from_ms, made->data [0]->from_ms);
    assert_int_equal (part->space [!first]->until_ms, made->data [0]->until_ms);
    assert_true (part->space [first]->until_ms >= part->space [!first]->from_ms ||
                 strcmp (part->space [0]->node, part->space [1]->node) == 0);
    message_free (&part->base);
    answer = change_space (&fed, "m2@g1", made->reservation, 0, NULL, 2 * FED_HOUR_MS);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    answer = change_space (&fed, "m3@g1", made->reservation, 5 * GIB, NULL, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    answer = change_space (&fed, "m4@g1", made->reservation, 0, "space-1", 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_data, 0);
    message_free (&answer->base);
    part = part_at (&fed, "replica/s0", made->reservation);
    int64_t now_ms = FED_EPOCH_MS + fed.mono_ms;
    for (size_t i = 0; i < part->n_space; i++) /* R10: it ends when the change takes effect */
        assert_true (part->space [i]->until_ms <= now_ms + 60000);
    assert_true (part->n_space > 0);
    message_free (&part->base);
    message_free (&made->base);
    fed_end (&fed);
}

/*  The node has 1 MiB beside it, the least that a booking counts; the other one is taken. */
static void a_file_that_a_node_keeps_takes_no_more_room_there (void **state)
{
    (void) state;
    fed_t fed;
    uint64_t room = GIB + (1 << 20);
    federation (&fed, 13, 2, room);
    storage_wish_t wish = {.cpus = 4, .space = GIB, .site = "s1", .start_ms = FED_HOUR_MS};
    Musubi__Answer *made = reserve_storage (&fed, "a@g1", &wish);
    expect_status (made, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (made->data [0]->node, "d1");
    message_free (&made->base);
    wish.space = 0;
    wish.file = FILE_ID;
    made = reserve_storage (&fed, "b@g1", &wish);
    expect_status (made, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (made->data [0]->node, "d0");
    assert_true (made->data [0]->bytes == 0);
    fed_run (&fed, FED_HOUR_MS + 60000 - fed.mono_ms);
    attend (&fed, "replica/s1", "d0", room, GIB);
    attend (&fed, "replica/s1", "d1", room, 0);
    Musubi__Answer *answer =
      change_space (&fed, "m@g1", made->reservation, 0, NULL, 2 * FED_HOUR_MS);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    Musubi__PartRecord *part = part_at (&fed, "replica/s1", made->reservation);
    assert_int_equal (part->n_space, 1);
    assert_true (part->space [0]->bytes == 0 && part->space [0]->from_ms == made->start_ms);
    assert_int_equal (part->space [0]->until_ms, made->start_ms + 2 * FED_HOUR_MS);
    message_free (&part->base);
    message_free (&made->base);
    fed_end (&fed);
}

/*  Soon enough for the start, though not for what is to take effect while it runs. */
static void space_that_grows_shortly_before_the_start_is_there_from_the_start (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 12, 1, 4 * GIB);
    Musubi__Answer *made = reserve_storage (
      &fed, "r@g1", &(storage_wish_t){.cpus = 4, .space = GIB, .start_ms = FED_HOUR_MS});
    expect_status (made, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    fed_run (&fed, FED_HOUR_MS - 10000 - fed.mono_ms);
    Musubi__Answer *answer = change_space (&fed, "m@g1", made->reservation, 2 * GIB, NULL, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_data, 1);
    assert_true (answer->data [0]->bytes == 2 * GIB);
    assert_int_equal (answer->data [0]->from_ms, FED_EPOCH_MS + FED_HOUR_MS);
    message_free (&answer->base);
    message_free (&made->base);
    fed_end (&fed);
}

static bool lose_commit_to_storage (fed_t *fed, const fed_call_t *call)
{
    return call->to < 0 || fed->procs [call->to].kind != FED_OTHER ||
           strcmp (call->method, "Commit") != 0;
}

static size_t circuits_at (fed_t *fed, const char *reservation)
{
    Musubi__PartRecord *record = part_at (fed, "nis/N", reservation);
    size_t count = record ? record->n_circuits : 0;
    if (record)
        message_free (&record->base);
    return count;
}

static void a_file_has_a_circuit_until_it_is_due_which_changes_leave_alone (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 7, 2, 4 * GIB);
    storage_wish_t wish = {
      .cpus = 4, .file = FILE_ID, .mbps = 800, .site = "s0", .start_ms = FED_HOUR_MS};
    Musubi__Answer *made = reserve_storage (&fed, "r@g1", &wish);
    expect_status (made, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (made->n_data, 1);
    assert_int_equal (made->n_network, 1);
    Musubi__Room *room = made->data [0];
    assert_int_equal (room->mbps, 800);
    assert_string_equal (room->source, "s1");
    assert_string_equal (made->network [0]->between [0], "s1");
    assert_string_equal (made->network [0]->between [1], "n0");
    assert_int_equal (made->network [0]->from_ms, room->from_ms);
    assert_int_equal (made->network [0]->until_ms, room->due_ms);
    int64_t length_ms = 2000 + (int64_t) (GIB / (800 * 125 * 9 / 10)); /* nine tenths of it */
    assert_in_range (room->due_ms - room->from_ms, length_ms, length_ms + 1);
    assert_int_equal (circuits_at (&fed, made->reservation), 1);
    /* The link has room for one such circuit at a time. */
    Musubi__Answer *answer = reserve_storage (&fed, "b@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    /* A change before the file comes, one while it comes, and one when it has come. */
    int64_t waits_ms [] = {0, FED_HOUR_MS - 8000 - 16000 - 5000, 600000};
    for (int i = 0; i < 3; i++) {
        for (int64_t ms = 0; ms < waits_ms [i]; ms += 5000) { /* the file's node stays up */
            attend (&fed, "replica/s1", "d0", 4 * GIB, GIB);
            fed_run (&fed, 5000);
        }
        char id [16];
        snprintf (id, sizeof id, "m%d@g1", i);
        answer = change_space (&fed, id, made->reservation, 0, NULL, (2 + i) * FED_HOUR_MS);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_int_equal (answer->n_data, 1);
        message_free (&answer->base);
        assert_int_equal (circuits_at (&fed, made->reservation), 1);
        Musubi__PartRecord *part = part_at (&fed, "replica/s0", made->reservation);
        assert_int_equal (part->n_space, 1);
        assert_int_equal (part->space [0]->from_ms, room->from_ms);
        assert_string_equal (part->space [0]->source, "s1");
        assert_int_equal (part->space [0]->until_ms,
                          FED_EPOCH_MS + FED_HOUR_MS + (2 + i) * FED_HOUR_MS);
        message_free (&part->base);
    }
    message_free (&release (&fed, "p1", "x@g1", made->reservation)->base);
    assert_true (booked_at (&fed, "replica/s0", made->reservation) == 0);
    message_free (&made->base);
    /* At a site that has the file, no circuit. */
    wish.site = "s1";
    wish.start_ms = 5 * FED_HOUR_MS;
    made = reserve_storage (&fed, "c@g1", &wish);
    expect_status (made, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (made->n_network, 0);
    assert_string_equal (made->data [0]->source, "");
    message_free (&made->base);
    fed_end (&fed);
}

/*  Its storage has lost what it voted for; it books it again, if it has the room still. */
static void storage_that_loses_its_part_books_it_again_or_all_is_given_back (void **state)
{
    (void) state;
    for (int small = 0; small < 2; small++) {
        fed_t fed;
        federation (&fed, 6, 1, 4 * GIB);
        int storage = fed_find (&fed, "replica/s0");
        fed.passes = lose_commit_to_storage;
        ask_storage (&fed, "p0", "r@g1",
                     &(storage_wish_t){.cpus = 4, .space = 3 * GIB, .start_ms = FED_HOUR_MS});
        fed_run (&fed, 1000);
        fed_kill (&fed, storage);
        fed_wipe (&fed.procs [storage]);
        fed_run (&fed, 20000); /* the lease of its old store ends */
        fed.passes = NULL;
        fed_start (&fed, storage);
        for (int i = 0; i < 120; i++) {
            attend (&fed, "replica/s0", "d0", small ? GIB : 4 * GIB, 0);
            attend (&fed, "replica/s0", "d1", small ? GIB : 4 * GIB, 0);
            fed_run (&fed, 1000);
        }
        Musubi__Answer *answer = reserve_storage (
          &fed, "r@g1", &(storage_wish_t){.cpus = 4, .space = 3 * GIB, .start_ms = FED_HOUR_MS});
        expect_status (answer, small ? MUSUBI__ANSWER_STATUS__ANSWER_REFUSED
                                     : MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        if (!small)
            assert_true (booked_at (&fed, "replica/s0", answer->reservation) == 3 * GIB);
        Musubi__Answer *other =
          reserve_storage (&fed, "o@g1", &(storage_wish_t){.cpus = 16, .start_ms = FED_HOUR_MS});
        expect_status (other, small ? MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED
                                    : MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
        message_free (&other->base);
        message_free (&answer->base);
        fed_end (&fed);
    }
}

/*  Has some reason these words? */
static bool told (const Musubi__Answer *answer, const char *words)
{
    for (size_t i = 0; i < answer->n_reasons; i++)
        if (strstr (answer->reasons [i]->text, words))
            return true;
    return false;
}

static void what_can_never_be_had_is_refused_in_words (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 8, 2, 4 * GIB);
    Musubi__Answer *answer =
      reserve_storage (&fed, "a@g1", &(storage_wish_t){.cpus = 4, .file = "no.nc"});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_true (told (answer, "data[0].file: no site has a file no.nc"));
    message_free (&answer->base);
    answer = reserve_storage (&fed, "b@g1", &(storage_wish_t){.cpus = 4, .space = 5 * GIB});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_true (told (answer, "takes 5120 MiB of a storage node; the largest where n0 could be "
                               "has 4096"));
    message_free (&answer->base);
    /* 1 GiB takes longer to come than the start leaves. */
    answer = reserve_storage (
      &fed, "c@g1", &(storage_wish_t){.cpus = 4, .file = FILE_ID, .site = "s0", .start_ms = 60000});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_true (told (answer, "to come to s0/d"));
    message_free (&answer->base);
    fed_end (&fed);
}

/*  Only s1 has the file: while it is silent nobody can tell that the file is nowhere. */
static void a_silent_site_leaves_it_unknown_where_a_file_is (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 9, 2, 4 * GIB);
    fed_kill (&fed, fed_find (&fed, "replica/s1"));
    Musubi__Answer *answer =
      reserve_storage (&fed, "a@g1", &(storage_wish_t){.cpus = 4, .file = FILE_ID});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    message_free (&answer->base);
    fed_end (&fed);
}

static bool lose_staging (fed_t *fed, const fed_call_t *call)
{
    (void) fed;
    return strcmp (call->method, "Staging") != 0;
}

static void a_file_is_planned_at_the_usual_rate_when_nobody_tells_how_soon_it_comes (void **state)
{
    (void) state;
    fed_t fed;
    federation (&fed, 10, 2, 4 * GIB);
    fed.passes = lose_staging;
    Musubi__Answer *answer = reserve_storage (
      &fed, "a@g1",
      &(storage_wish_t){.cpus = 4, .file = FILE_ID, .site = "s0", .start_ms = FED_HOUR_MS});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_true (answer->data [0]->from_ms < answer->data [0]->due_ms);
    /* And so it is shown. */
    Musubi__ShowReservationRequest question = MUSUBI__SHOW_RESERVATION_REQUEST__INIT;
    question.reservation = answer->reservation;
    call_status_t status;
    char reason [256];
    Musubi__ShowReservationAnswer *shown = (Musubi__ShowReservationAnswer *) fed_answer (
      &fed, fed_ask (&fed, "p1", "Planner", "Show", "alice", "", &question.base, 9000),
      &musubi__show_reservation_answer__descriptor, &status, reason);
    assert_non_null (shown);
    assert_int_equal (shown->view->n_data, 1);
    assert_int_equal (shown->view->data [0]->due_ms, shown->view->start_ms);
    assert_string_equal (shown->view->data [0]->node, answer->data [0]->node);
    message_free (&shown->base);
    message_free (&answer->base);
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (space_is_held_with_the_cpus_at_their_site_and_given_back_with_them),
      cmocka_unit_test (a_refusal_by_the_disk_alone_names_it_and_leaves_nothing),
      cmocka_unit_test (of_two_planners_that_want_the_last_room_one_gets_it),
      cmocka_unit_test (a_file_is_booked_where_it_is_or_ahead_of_the_start_where_it_comes_to),
      cmocka_unit_test (storage_that_discloses_windows_only_gets_files_and_space),
      cmocka_unit_test (space_grows_and_goes_while_the_reservation_runs),
      cmocka_unit_test (a_file_that_a_node_keeps_takes_no_more_room_there),
      cmocka_unit_test (space_that_grows_shortly_before_the_start_is_there_from_the_start),
      cmocka_unit_test (a_file_has_a_circuit_until_it_is_due_which_changes_leave_alone),
      cmocka_unit_test (storage_that_loses_its_part_books_it_again_or_all_is_given_back),
      cmocka_unit_test (what_can_never_be_had_is_refused_in_words),
      cmocka_unit_test (a_silent_site_leaves_it_unknown_where_a_file_is),
      cmocka_unit_test (a_file_is_planned_at_the_usual_rate_when_nobody_tells_how_soon_it_comes),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
