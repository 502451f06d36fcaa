/*  directory, against a GIS played by hand: the stream of snapshots and changes in every order,
 *  answers that no honest GIS gives, and the messages themselves.
 */
#include "directory.h"

#include "gis_fixture.h"

static const char *const two_gis [] = {"sim://gis/g1", "sim://gis/g2"};
static const char *const homes [] = {"gis/g1", "gis/g2"};

typedef struct {
    outbox_t *outbox;
    timers_t *timers;
    prng_t prng;
    calls_t *calls;
    directory_t *directory;
    moment_t now;
    uint64_t call;   /* the snapshot asked for last */
    char asked [64]; /* where */
    snapshot_request_t question;
    char subscribed [64];
    size_t alarms;
} lone_t;

static void lone_drain (lone_t *self)
{
    effect_t effect;
    char why [WHY_BYTES];
    while (outbox_next (self->outbox, &effect)) {
        if (effect.kind == EFFECT_CALL && strcmp (effect.call.method, "Snapshot") == 0) {
            self->call = effect.call.call;
            snprintf (self->asked, sizeof self->asked, "%s", effect.call.endpoint);
            assert_true (
              codec_decode (&snapshot_request_codec, &self->question, effect.call.body, why));
        } else if (effect.kind == EFFECT_SUBSCRIBE) {
            snprintf (self->subscribed, sizeof self->subscribed, "%s", effect.subscribe.endpoint);
        } else if (effect.kind == EFFECT_UNSUBSCRIBE) {
            assert_string_equal (effect.subscribe.endpoint, self->subscribed);
            self->subscribed [0] = '\0';
        } else if (effect.kind == EFFECT_LOG) {
            self->alarms += effect.log.level == LEVEL_ALARM;
        }
    }
    outbox_clear (self->outbox);
}

static int lone_set_up (void **state)
{
    lone_t *self = calloc (1, sizeof *self);
    assert_non_null (self);
    self->outbox = outbox_new ();
    self->timers = timers_new ();
    self->calls = calls_new (self->outbox, self->timers, &self->prng);
    self->now = (moment_t){.wall_ms = EPOCH_MS, .mono_ms = 1000};
    prng_seed (&self->prng, 1);
    self->directory =
      directory_new (self->calls, self->outbox, self->timers, &self->prng, two_gis, 2);
    directory_start (self->directory, &self->now);
    lone_drain (self);
    *state = self;
    return 0;
}

static int lone_tear_down (void **state)
{
    lone_t *self = *state;
    directory_destroy (&self->directory);
    directory_destroy (&self->directory);
    calls_destroy (&self->calls);
    assert_int_equal (timers_due (self->timers), INT64_MAX);
    timers_destroy (&self->timers);
    outbox_destroy (&self->outbox);
    free (self);
    return 0;
}

/*  Let the next timer ring. */
static void lone_wait (lone_t *self)
{
    self->now.mono_ms = timers_due (self->timers);
    timers_run (self->timers, &self->now);
    lone_drain (self);
}

static void lone_wait_for_question (lone_t *self)
{
    for (int i = 0; self->call == 0 && i < 10; i++)
        lone_wait (self);
    assert_true (self->call != 0);
}

static void lone_answer (lone_t *self, call_status_t status, packed_t body)
{
    event_t event = {
      .kind = EVENT_ANSWER,
      .answer = {.call = self->call, .status = status, .reason = "", .body = kept_bytes (body)}};
    self->call = 0;
    calls_answer (self->calls, &self->now, &event);
    lone_drain (self);
    free (body.data);
}

static directory_entry_t entry_named (const char *name)
{
    directory_entry_t entry = {.store = {1}, .start = 1};
    snprintf (entry.name, sizeof entry.name, "%s", name);
    snprintf (entry.endpoint, sizeof entry.endpoint, "sim://%.40s", name);
    if (strncmp (name, "gis/", 4) == 0)
        snprintf (entry.events, sizeof entry.events, "sim://%.40s/events", name);
    return entry;
}

static directory_mark_t mark_at (uint8_t store, uint32_t start, uint64_t number)
{
    return (directory_mark_t){.store = {store}, .start = start, .number = number};
}

/*  A snapshot of these names, in their order. */
static packed_t snapshot_of (const char *const *names, size_t count, directory_mark_t mark,
                             bool more)
{
    entries_told_t told = {.entries = calloc (count + 1, sizeof *told.entries),
                           .count = count,
                           .mark = mark,
                           .homes = homes,
                           .homes_count = 2,
                           .more = more};
    for (size_t i = 0; i < count; i++) {
        directory_entry_t entry = entry_named (names [i]);
        told.entries [i] = codec_encode (&directory_entry_codec, &entry);
    }
    packed_t body = entries_told_encode (&snapshot_told_codec, &told);
    for (size_t i = 0; i < count; i++)
        free (told.entries [i].data);
    free (told.entries);
    return body;
}

static packed_t delta_of (uint64_t number, const char *name)
{
    directory_entry_t entry = entry_named (name);
    packed_t packed = codec_encode (&directory_entry_codec, &entry);
    packed_t delta = codec_encode (
      &delta_told_codec, &(delta_told_t){.number = number, .listed = true, .entry = packed});
    free (packed.data);
    return delta;
}

static void lone_notice (lone_t *self, directory_mark_t mark, const char *topic, packed_t body)
{
    event_t event = {.kind = EVENT_NOTICE,
                     .notice = {.endpoint = self->subscribed,
                                .topic = topic,
                                .number = 1,
                                .store_start = mark.start,
                                .body = kept_bytes (body)}};
    memcpy (event.notice.store, mark.store, STORE_ID_BYTES);
    directory_notice (self->directory, &self->now, &event);
    lone_drain (self);
    free (body.data);
}

static bool lone_sees (const lone_t *self, const char *name)
{
    return directory_find (self->directory, name) != NULL;
}

static const char *const three [] = {"gis/g1", "lis/a", "lis/b"};

/*  As if it had been following for a while: mark 1/1/5, nothing under way. */
static void lone_settle (lone_t *self)
{
    lone_answer (self, CALL_OK, snapshot_of (three, 3, mark_at (1, 1, 5), false));
    lone_wait_for_question (self); /* once more after subscribing */
    directory_mark_t mark = mark_at (1, 1, 5);
    lone_answer (
      self, CALL_OK,
      codec_encode (&snapshot_told_codec, &(entries_told_t){.mark = mark, .unchanged = true}));
    assert_int_equal (self->call, 0);
}

static void the_publishers_own_entry_names_where_to_listen (void **state)
{
    lone_t *self = *state;
    assert_string_equal (self->asked, "sim://gis/g1");
    assert_int_equal (self->question.have.start, 0);
    lone_settle (self);
    assert_string_equal (self->subscribed, "sim://gis/g1/events");
    assert_int_equal (self->question.have.number, 5);
}

static void changes_heard_while_a_snapshot_is_under_way_are_applied_after_it (void **state)
{
    lone_t *self = *state;
    lone_settle (self);
    lone_wait_for_question (self);
    directory_mark_t mark = mark_at (1, 1, 0);
    lone_notice (self, mark, "directory", delta_of (6, "lis/c"));
    lone_notice (self, mark, "directory", delta_of (7, "lis/d"));
    lone_notice (self, mark, "directory",
                 codec_encode (&delta_told_codec,
                               &(delta_told_t){.number = 8, .gone = true, .name = "lis/a"}));
    assert_false (lone_sees (self, "lis/c"));
    lone_answer (self, CALL_OK, snapshot_of (three, 3, mark_at (1, 1, 6), false));
    assert_true (lone_sees (self, "lis/d"));
    assert_false (lone_sees (self, "lis/a"));
    assert_false (lone_sees (self, "lis/c")); /* the snapshot, which has number 6, says so */
    lone_notice (self, mark, "directory", delta_of (9, "lis/e"));
    assert_true (lone_sees (self, "lis/e"));
}

static void changes_between_pages_are_not_lost (void **state)
{
    static const char *const first [] = {"gis/g1", "lis/a"};
    static const char *const second [] = {"lis/b"};
    lone_t *self = *state;
    lone_settle (self);
    lone_wait_for_question (self);
    directory_mark_t mark = mark_at (1, 1, 0);
    lone_answer (self, CALL_OK, snapshot_of (first, 2, mark_at (1, 1, 6), true));
    assert_string_equal (self->question.after, "lis/a");
    lone_notice (self, mark, "directory",
                 codec_encode (&delta_told_codec,
                               &(delta_told_t){
                                 .number = 7, .gone = true, .name = "lis/a"})); /* after its page */
    lone_answer (self, CALL_OK, snapshot_of (second, 1, mark_at (1, 1, 7), false));
    assert_false (lone_sees (self, "lis/a"));
    assert_true (lone_sees (self, "lis/b"));
    assert_int_equal (self->call, 0);
}

/*  From 5 to number: lis/c and lis/d have come, lis/a has gone. */
static packed_t changes_of (directory_mark_t mark)
{
    static char gone [1][NAME_BYTES_MAX + 1] = {"lis/a"};
    packed_t entries [2];
    for (size_t i = 0; i < 2; i++) {
        directory_entry_t entry = entry_named (i ? "lis/d" : "lis/c");
        entries [i] = codec_encode (&directory_entry_codec, &entry);
    }
    packed_t body = entries_told_encode (&snapshot_told_codec, &(entries_told_t){.entries = entries,
                                                                                 .count = 2,
                                                                                 .mark = mark,
                                                                                 .changes = true,
                                                                                 .gone = gone,
                                                                                 .gone_count = 1});
    free (entries [0].data);
    free (entries [1].data);
    return body;
}

static void what_was_missed_is_taken_in_place_of_a_snapshot (void **state)
{
    lone_t *self = *state;
    lone_settle (self);
    lone_wait_for_question (self);
    assert_true (self->question.changes);
    directory_mark_t mark = mark_at (1, 1, 0);
    lone_notice (self, mark, "directory", delta_of (8, "lis/e")); /* waits for the answer */
    lone_answer (self, CALL_OK, changes_of (mark_at (1, 1, 7)));
    assert_true (lone_sees (self, "lis/b") && lone_sees (self, "lis/c"));
    assert_true (lone_sees (self, "lis/d") && lone_sees (self, "lis/e"));
    assert_false (lone_sees (self, "lis/a"));
    lone_wait_for_question (self);
    assert_int_equal (self->question.have.number, 8);
}

static void changes_of_another_table_are_not_taken (void **state)
{
    directory_mark_t wrong [] = {mark_at (2, 1, 9), mark_at (1, 2, 9), mark_at (1, 1, 4)};
    for (size_t i = 0; i < 3; i++) {
        lone_t *self = *state;
        if (i == 0)
            lone_settle (self);
        lone_wait_for_question (self);
        assert_string_equal (self->asked, two_gis [i % 2]); /* each passes the turn */
        assert_int_equal (self->question.have.number, 5);
        lone_answer (self, CALL_OK, changes_of (wrong [i]));
        assert_true (lone_sees (self, "lis/a"));
        assert_false (lone_sees (self, "lis/c"));
    }
}

static void a_last_page_may_be_empty (void **state)
{
    static const char *const first [] = {"gis/g1", "lis/a"};
    lone_t *self = *state;
    lone_answer (self, CALL_OK, snapshot_of (first, 2, mark_at (1, 1, 6), true));
    lone_answer (self, CALL_OK, snapshot_of (NULL, 0, mark_at (1, 1, 7), false));
    assert_true (lone_sees (self, "lis/a"));
}

static void a_restart_between_pages_begins_again (void **state)
{
    static const char *const first [] = {"gis/g1", "lis/a"};
    static const char *const second [] = {"lis/b"};
    lone_t *self = *state;
    lone_answer (self, CALL_OK, snapshot_of (first, 2, mark_at (1, 1, 6), true));
    lone_answer (self, CALL_OK, snapshot_of (second, 1, mark_at (1, 2, 1), false));
    assert_true (self->call != 0);
    assert_string_equal (self->question.after, "");
    assert_false (directory_known (self->directory));
    lone_answer (self, CALL_OK, snapshot_of (second, 1, mark_at (1, 2, 1), false));
    assert_true (lone_sees (self, "lis/b"));
    assert_false (lone_sees (self, "lis/a"));
}

/*  As one that has just begun: it lists itself alone. */
static void lone_answer_anew (lone_t *self)
{
    assert_string_equal (self->asked, "sim://gis/g1");
    lone_answer (self, CALL_OK, snapshot_of (three, 1, mark_at (1, 2, 1), false));
}

static void another_gis_has_what_one_that_begins_anew_lacks (void **state)
{
    static const char *const all [] = {"gis/g2", "lis/a", "lis/b", "lis/c"};
    lone_t *self = *state;
    lone_settle (self);
    lone_wait_for_question (self);
    int64_t before_ms = self->now.mono_ms;
    lone_answer_anew (self);
    assert_true (lone_sees (self, "lis/a"));
    lone_wait_for_question (self);
    assert_string_equal (self->asked, "sim://gis/g2");
    assert_true (self->now.mono_ms - before_ms <= 200);
    lone_answer (self, CALL_OK, snapshot_of (all, 4, mark_at (2, 1, 9), false));
    assert_true (lone_sees (self, "lis/c"));
    lone_wait_for_question (self);
    assert_string_equal (self->asked, "sim://gis/g2");
}

static void one_that_begins_anew_is_followed_when_no_other_answers (void **state)
{
    lone_t *self = *state;
    lone_settle (self);
    lone_wait_for_question (self);
    for (int i = 0; i < 2; i++) {
        lone_answer_anew (self);
        lone_wait_for_question (self);
        assert_string_equal (self->asked, "sim://gis/g2");
        lone_answer (self, CALL_DENIED, (packed_t){0});
        lone_wait_for_question (self);
    }
    lone_answer_anew (self);
    lone_wait_for_question (self);
    assert_string_equal (self->asked, "sim://gis/g1");
    assert_int_equal (self->question.have.start, 2);
    assert_true (lone_sees (self, "lis/a")); /* for a lease */
}

static void pages_that_do_not_go_on_are_given_up (void **state)
{
    static const char *const first [] = {"lis/b"};
    static const char *const again [] = {"lis/a"};
    lone_t *self = *state;
    lone_answer (self, CALL_OK, snapshot_of (first, 1, mark_at (1, 1, 6), true));
    lone_answer (self, CALL_OK, snapshot_of (again, 1, mark_at (1, 1, 6), true));
    assert_int_equal (self->call, 0);
    lone_wait_for_question (self);
    assert_string_equal (self->asked, "sim://gis/g2"); /* the next one's turn */
}

static void a_new_start_or_store_or_garbage_raises_a_doubt (void **state)
{
    for (int i = 0; i < 4; i++) {
        lone_t *self = *state;
        if (i == 0)
            lone_settle (self);
        directory_mark_t mark = mark_at (i == 1 ? 2 : 1, i == 0 ? 2 : 1, 0);
        packed_t body = i == 2 ? kept_copy ((bytes_t){.data = (const uint8_t *) "\xff", .size = 1})
                               : delta_of (i == 3 ? 9 : 6, "lis/z");
        int64_t before_ms = self->now.mono_ms;
        lone_notice (self, mark, "directory", body);
        assert_false (lone_sees (self, "lis/z"));
        lone_wait_for_question (self);
        assert_true (self->now.mono_ms - before_ms <= 200);
        directory_mark_t same = mark_at (1, 1, 5);
        lone_answer (
          self, CALL_OK,
          codec_encode (&snapshot_told_codec, &(entries_told_t){.mark = same, .unchanged = true}));
        assert_true (lone_sees (self, "lis/a"));
    }
}

static void notices_of_other_topics_and_places_are_nothing (void **state)
{
    lone_t *self = *state;
    lone_settle (self);
    int64_t due_ms = timers_due (self->timers);
    lone_notice (self, mark_at (3, 3, 0), "calendar", (packed_t){0});
    event_t event = {.kind = EVENT_NOTICE,
                     .notice = {.endpoint = "sim://elsewhere", .topic = "directory"}};
    directory_notice (self->directory, &self->now, &event);
    assert_int_equal (timers_due (self->timers), due_ms);
}

static void a_backlog_that_overflows_is_asked_about_again (void **state)
{
    lone_t *self = *state;
    lone_settle (self);
    lone_wait_for_question (self);
    directory_mark_t mark = mark_at (1, 1, 0);
    for (uint64_t i = 0; i < 5000; i++)
        lone_notice (self, mark, "directory", delta_of (6 + i, "lis/c"));
    lone_answer (self, CALL_OK, snapshot_of (three, 3, mark_at (1, 1, 5), false));
    lone_wait_for_question (self);
    assert_int_equal (self->question.have.number, 5 + 4096);
}

static void answers_that_cannot_be_read_pass_the_turn (void **state)
{
    static const char *const unsorted [] = {"lis/b", "lis/a"};
    lone_t *self = *state;
    directory_mark_t nothing = mark_at (1, 1, 5);
    packed_t bodies [] = {
      kept_copy ((bytes_t){.data = (const uint8_t *) "\xff", .size = 1}),
      snapshot_of (unsorted, 2, mark_at (1, 1, 6), false),
      snapshot_of (three, 3, mark_at (1, 0, 6), false),
      snapshot_of (NULL, 0, mark_at (1, 1, 6), true),
      codec_encode (&snapshot_told_codec, &(entries_told_t){.mark = nothing, .unchanged = true})};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        assert_string_equal (self->asked, two_gis [i % 2]);
        lone_answer (self, CALL_OK, bodies [i]);
        assert_false (directory_known (self->directory));
        lone_wait_for_question (self);
    }
    lone_answer (self, CALL_DENIED, (packed_t){0});
    lone_wait_for_question (self);
    lone_answer (self, CALL_OK, snapshot_of (three, 3, mark_at (1, 1, 6), false));
    assert_true (lone_sees (self, "lis/b"));
}

static void entries_that_only_newer_peers_know_hide_no_others (void **state)
{
    static const char *const one [] = {"lis/a"};
    lone_t *self = *state;
    node_class_t class = {.name = "thin"}; /* cpus_per_node 0: not of our version */
    site_t site = {.classes = &class, .classes_count = 1};
    directory_entry_t odd = entry_named ("lis/z");
    odd.site = &site;
    packed_t packed = codec_encode (&directory_entry_codec, &odd);
    directory_mark_t mark = mark_at (1, 1, 3);
    lone_answer (self, CALL_OK, snapshot_of (one, 1, mark, true));
    lone_answer (
      self, CALL_OK,
      codec_encode (&snapshot_told_codec,
                    &(entries_told_t){&packed, 1, .mark = mark, .homes = homes, .homes_count = 2}));
    free (packed.data);
    assert_true (lone_sees (self, "lis/a"));
    assert_false (lone_sees (self, "lis/z"));
    assert_int_equal (self->call, 0);
}

static void another_list_of_homes_is_an_alarm (void **state)
{
    lone_t *self = *state;
    lone_settle (self);
    lone_wait_for_question (self);
    directory_mark_t mark = mark_at (1, 1, 9);
    lone_answer (self, CALL_OK,
                 codec_encode (&snapshot_told_codec,
                               &(entries_told_t){.mark = mark, .homes = homes, .homes_count = 1}));
    assert_int_equal (self->alarms, 1);
}

/*  --- on the wire --- */

static void an_entry_comes_back_as_it_was (void **state)
{
    (void) state;
    attribute_t attributes [] = {{"os", "linux"}, {"memory", "64"}};
    node_class_t classes [] = {{.name = "thin",
                                .nodes = 16,
                                .cpus_per_node = 4,
                                .price = 7,
                                .attributes = attributes,
                                .attributes_count = 2},
                               {.name = "fat", .nodes = 2, .cpus_per_node = 64}};
    site_t site = {.classes = classes,
                   .classes_count = 2,
                   .disclosure = DISCLOSE_WINDOWS,
                   .lead_ms = 1,
                   .horizon_ms = 2,
                   .cleaning_gap_ms = 3};
    directory_entry_t entry = entry_named ("lis/ams");
    entry.site = &site;
    packed_t packed = codec_encode (&directory_entry_codec, &entry);
    directory_entry_t back;
    char why [WHY_BYTES];
    assert_true (codec_decode (&directory_entry_codec, &back, kept_bytes (packed), why));
    packed_t again = codec_encode (&directory_entry_codec, &back);
    assert_int_equal (again.size, packed.size);
    assert_memory_equal (again.data, packed.data, packed.size);
    assert_int_equal (back.site->classes_count, 2);
    assert_string_equal (back.site->classes [0].attributes [1].value, "64");
    assert_int_equal (back.site->disclosure, DISCLOSE_WINDOWS);
    codec_clear (&directory_entry_codec, &back);

    for (size_t size = 0; size < packed.size;
         size++) { /* cut short, it is refused or another one */
        if (codec_decode (&directory_entry_codec, &back,
                          (bytes_t){.data = packed.data, .size = size}, why))
            codec_clear (&directory_entry_codec, &back);
        else
            assert_true (*why);
    }
    free (packed.data);
    free (again.data);
}

static void entries_out_of_bounds_are_refused_by_field (void **state)
{
    (void) state;
    node_class_t classes [2] = {{.name = "thin", .nodes = 1, .cpus_per_node = 1},
                                {.name = "thin", .nodes = 1, .cpus_per_node = 1}};
    site_t doubled = {.classes = classes, .classes_count = 2};
    node_class_t none = {.name = "thin", .nodes = 1};
    site_t no_cpus = {.classes = &none, .classes_count = 1};
    node_class_t cheap = {.name = "thin", .nodes = 1, .cpus_per_node = 1, .price = -1};
    site_t negative = {.classes = &cheap, .classes_count = 1};
    site_t backwards = {.lead_ms = -1};
    struct {
        const char *name;
        const char *endpoint;
        uint32_t start;
        site_t *site;
        const char *why;
    } cases [] = {{"", "e", 1, NULL, "name"},
                  {"ams", "e", 1, NULL, "name"},
                  {"lis/", "e", 1, NULL, "name"},
                  {"/ams", "e", 1, NULL, "name"},
                  {"lis/a/b", "e", 1, NULL, "name"},
                  {"lis/a b", "e", 1, NULL, "name"},
                  {"lis/a", "", 1, NULL, "endpoint"},
                  {"lis/a", "e", 0, NULL, "start"},
                  {"lis/a", "e", 1, &doubled, "site.classes[1].name"},
                  {"lis/a", "e", 1, &no_cpus, "site.classes[0].cpus_per_node"},
                  {"lis/a", "e", 1, &negative, "site.classes[0].price"},
                  {"lis/a", "e", 1, &backwards, "site.lead_ms"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        directory_entry_t entry = {.start = cases [i].start, .site = cases [i].site};
        snprintf (entry.name, sizeof entry.name, "%s", cases [i].name);
        snprintf (entry.endpoint, sizeof entry.endpoint, "%s", cases [i].endpoint);
        packed_t packed = codec_encode (&directory_entry_codec, &entry);
        directory_entry_t back;
        char why [WHY_BYTES] = "";
        assert_false (codec_decode (&directory_entry_codec, &back, kept_bytes (packed), why));
        assert_memory_equal (why, cases [i].why, strlen (cases [i].why));
        free (packed.data);
    }
}

static void snapshots_and_changes_cut_short_are_never_taken_for_whole (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    packed_t snapshot = snapshot_of (three, 3, mark_at (1, 1, 9), false);
    packed_t delta = delta_of (3, "lis/a");
    directory_snapshot_t pages;
    directory_delta_t change;
    for (size_t size = 0; size < snapshot.size; size++)
        if (codec_decode (&directory_snapshot_codec, &pages,
                          (bytes_t){.data = snapshot.data, .size = size}, why)) {
            assert_true (pages.entries_count <= 3);
            codec_clear (&directory_snapshot_codec, &pages);
        }
    for (size_t size = 0; size < delta.size; size++)
        assert_false (codec_decode (&directory_delta_codec, &change,
                                    (bytes_t){.data = delta.data, .size = size}, why));
    assert_true (codec_decode (&directory_snapshot_codec, &pages, kept_bytes (snapshot), why));
    assert_int_equal (pages.entries_count, 3);
    assert_int_equal (pages.mark.number, 9);
    codec_clear (&directory_snapshot_codec, &pages);
    assert_true (codec_decode (&directory_delta_codec, &change, kept_bytes (delta), why));
    assert_string_equal (change.name, "lis/a");
    codec_clear (&directory_delta_codec, &change);
    free (snapshot.data);
    free (delta.data);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
#define LONE(name) cmocka_unit_test_setup_teardown (name, lone_set_up, lone_tear_down)
      LONE (the_publishers_own_entry_names_where_to_listen),
      LONE (changes_heard_while_a_snapshot_is_under_way_are_applied_after_it),
      LONE (changes_between_pages_are_not_lost),
      LONE (what_was_missed_is_taken_in_place_of_a_snapshot),
      LONE (changes_of_another_table_are_not_taken),
      LONE (a_last_page_may_be_empty),
      LONE (a_restart_between_pages_begins_again),
      LONE (another_gis_has_what_one_that_begins_anew_lacks),
      LONE (one_that_begins_anew_is_followed_when_no_other_answers),
      LONE (pages_that_do_not_go_on_are_given_up),
      LONE (a_new_start_or_store_or_garbage_raises_a_doubt),
      LONE (notices_of_other_topics_and_places_are_nothing),
      LONE (a_backlog_that_overflows_is_asked_about_again),
      LONE (answers_that_cannot_be_read_pass_the_turn),
      LONE (entries_that_only_newer_peers_know_hide_no_others),
      LONE (another_list_of_homes_is_an_alarm),
      cmocka_unit_test (an_entry_comes_back_as_it_was),
      cmocka_unit_test (entries_out_of_bounds_are_refused_by_field),
      cmocka_unit_test (snapshots_and_changes_cut_short_are_never_taken_for_whole),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
