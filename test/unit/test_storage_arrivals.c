/*  test_storage_arrivals - a storage node's agent on a real folder: what a task has left there, and
 *  nobody takes in, goes when its time is over, and not before; what is taken in is one of its
 *  files, and is counted, wherever the agent was killed.
 */
#include "chain_wire.h"
#include "must.h"
#include "storage.h"
#include "storage_executor.h"
#include "work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder [] = "/tmp/musubi-arrivals-XXXXXX";

static const char *path_in (const char *name)
{
    static char path [256];
    snprintf (path, sizeof path, "%s/%s", folder, name);
    return path;
}

/*  Where the agent is killed. */
typedef enum { NOWHERE, BEFORE_NAMING, AFTER_NAMING } killed_t;

#define WORKS_MAX 5000

static core_t core;
static killed_t killed;  /* at the next FILE_KEEP */
static bool dead;        /* it was; nothing is told any more */
static uint8_t key [64]; /* of its one record; */
static size_t key_size;  /* 0 = it has none */
static packed_t record;
static uint64_t call;         /* its last question, */
static storage_attend_t told; /* and what that said */
static bool asked;            /* since its start, */
static uint64_t room;         /* that there is at its start; 0 = all */
static uint64_t used_first;   /* and that many bytes it said it used */
static uint32_t reads;        /* that it ordered */
static uint32_t read_all;
static uint32_t warnings; /* that it logged */

static void record_end (void)
{
    free (record.data);
    record = (packed_t){.data = NULL};
    key_size = 0;
}

static void note (const effect_t *effect)
{
    char why [WHY_BYTES];
    bool kept = effect->kind == EFFECT_PUT && effect->record.table == TABLE_KEPT_FILES;
    if (kept || (effect->kind == EFFECT_DELETE && effect->record.table == TABLE_KEPT_FILES))
        record_end ();
    if (kept) {
        assert_true (effect->record.key.size <= sizeof key);
        memcpy (key, effect->record.key.data, key_size = effect->record.key.size);
        record.size = effect->record.value.size;
        record.data = must (malloc (record.size));
        memcpy (record.data, effect->record.value.data, record.size);
    }
    warnings += effect->kind == EFFECT_LOG && effect->log.level == LEVEL_WARNING;
    if (effect->kind == EFFECT_CALL && strcmp (effect->call.method, "Attend") == 0) {
        call = effect->call.call;
        codec_clear (&storage_attend_codec, &told);
        assert_true (codec_decode (&storage_attend_codec, &told, effect->call.body, why));
        used_first = asked ? used_first : told.bytes_used;
        asked = true;
    }
}

/*  It may be killed in it. */
static void carry_out (const effect_t *effect, event_t *ended)
{
    uint8_t *result = NULL;
    size_t size = 0;
    bool keeps = strcmp (effect->work.kind, "file_keep") == 0;
    reads += strcmp (effect->work.kind, "file_prove") == 0;
    dead = keeps && killed != NOWHERE;
    for (size_t i = 0; i < storage_executor_count && !(dead && killed == BEFORE_NAMING); i++)
        if (strcmp (storage_works [i].kind, effect->work.kind) == 0) {
            *ended = (event_t){.kind = EVENT_WORK, .work = {.work = effect->work.work}};
            ended->work.ok = work_do (&storage_works [i], effect->work.arguments, &result, &size);
        }
    ended->work.result = (bytes_t){.data = result, .size = size};
}

/*  Carries out the work that a step orders; each end is another step. Returns when the core wakes
 *  next. */
static int64_t step (int64_t mono_ms, const event_t *event)
{
    const moment_t now = {.mono_ms = mono_ms, .wall_ms = 1700000000000 + mono_ms};
    effect_t effect;
    int64_t timer_ms = INT64_MAX;
    event_t *ended = must (calloc (WORKS_MAX, sizeof *ended));
    size_t count = 0;
    core.step (core.self, &now, event);
    while (!dead && core.next (core.self, &effect)) {
        note (&effect);
        if (effect.kind == EFFECT_TIMER)
            timer_ms = effect.timer.mono_ms;
        if (effect.kind != EFFECT_WORK)
            continue;
        assert_true (count < WORKS_MAX);
        ended [count] = (event_t){.kind = EVENT_WORK};
        carry_out (&effect, &ended [count++]);
    }
    for (size_t i = 0; i < count; i++) {
        int64_t again_ms = dead ? INT64_MAX : step (mono_ms, &ended [i]);
        timer_ms = again_ms < timer_ms ? again_ms : timer_ms;
        free ((void *) (uintptr_t) ended [i].work.result.data);
    }
    free (ended);
    return timer_ms;
}

static void begin (bool guest, int64_t arrivals_ms)
{
    static const char *const sites [] = {"sim://replica"};
    dead = asked = false;
    storage_core (&(storage_settings_t){.name = "d1",
                                        .sites = sites,
                                        .sites_count = 1,
                                        .folder = folder,
                                        .bytes_max = 1000,
                                        .room = room,
                                        .look_ms = 60000,
                                        .guest = guest,
                                        .arrivals_ms = arrivals_ms},
                  &core);
}

static int64_t started (int64_t mono_ms)
{
    return step (
      mono_ms,
      &(event_t){.kind = EVENT_START,
                 .start = {.store.start = 1, .endpoint = "sim://d1", .events = "", .data = ""}});
}

static int64_t start (int64_t mono_ms, bool guest, int64_t arrivals_ms)
{
    const moment_t now = {.mono_ms = mono_ms};
    begin (guest, arrivals_ms);
    if (key_size > 0)
        core.step (core.self, &now,
                   &(event_t){.kind = EVENT_RECORD,
                              .record = {.table = TABLE_KEPT_FILES,
                                         .key = {.data = key, .size = key_size},
                                         .value = {.data = record.data, .size = record.size}}});
    return started (mono_ms);
}

static void leave (const char *path, const char *bytes)
{
    FILE *left = fopen (path_in (path), "w");
    assert_non_null (left);
    assert_true (fputs (bytes, left) >= 0);
    fclose (left);
}

/*  Is what was left there still there, two minutes later? */
static bool stays (int64_t arrivals_ms, bool guest)
{
    leave ("arrivals/left", "");
    int64_t at_ms = start (0, guest, arrivals_ms);
    while (at_ms <= 120000)
        at_ms = step (at_ms, &(event_t){.kind = EVENT_TIMER});
    core.destroy (core.self);
    return access (path_in ("arrivals/left"), F_OK) == 0;
}

static void what_nobody_takes_in_goes_when_its_time_is_over (void **state)
{
    (void) state;
    assert_true (stays (3600000, false));
    assert_true (stays (1, true)); /* a guest's folder is its client's */
    assert_false (stays (1, false));
}

/*  --- taken in --- */

static void site_answers (int64_t mono_ms, storage_wanted_t wanted)
{
    wanted.attend_ms = wanted.report_ms = 1000;
    memcpy (wanted.site, "ams", sizeof "ams");
    packed_t body = codec_encode (&storage_wanted_codec, &wanted);
    int64_t at_ms =
      step (mono_ms, &(event_t){.kind = EVENT_ANSWER,
                                .answer = {.call = call,
                                           .reason = "",
                                           .body = {.data = body.data, .size = body.size}}});
    if (at_ms <= mono_ms)
        step (mono_ms, &(event_t){.kind = EVENT_TIMER});
    free (body.data);
}

/*  The site wants what was left as the file "out". */
static void site_wants (int64_t mono_ms, uint64_t number)
{
    chain_arrival_t arrival = {.path = "left", .file = "out", .room = 100};
    site_answers (mono_ms,
                  (storage_wanted_t){.number = number, .arrivals = &arrival, .arrivals_count = 1});
}

static void taken_in (void)
{
    assert_int_equal (told.arrivals_count, 1);
    assert_true (told.arrivals [0].done);
    assert_string_equal (told.arrivals [0].why, "");
    assert_int_equal (told.bytes_used, strlen ("seven s"));
    assert_int_equal (access (path_in ("files/out"), F_OK), 0);
    assert_int_not_equal (access (path_in ("arrivals/left"), F_OK), 0);
}

/*  What was there at the start holds from the first question on, until it is looked at again. */
static void no_more_is_promised_than_the_file_system_has (void **state)
{
    (void) state;
    record_end ();
    room = 5;
    leave ("arrivals/left", "seven s");
    start (0, false, 0);
    assert_int_equal (told.bytes_max, 5);
    site_wants (10, 1);
    assert_int_equal (told.arrivals_count, 1);
    assert_string_equal (told.arrivals [0].why, "disk full: it has 7 bytes");
    for (int64_t at_ms = 10; at_ms <= 61000;)
        at_ms = step (at_ms, &(event_t){.kind = EVENT_TIMER});
    site_wants (61000, 2);
    assert_int_equal (told.bytes_max, 1000); /* the disk under this test has as many */
    site_wants (62000, 3);
    taken_in ();
    room = 0;
    core.destroy (core.self);
}

static void begin_anew (killed_t how)
{
    record_end ();
    remove (path_in ("files/out"));
    leave ("arrivals/left", "seven s");
    killed = how;
    start (0, false, 0);
    assert_int_equal (told.bytes_used, 0);
    site_wants (10, 1);
}

static void what_is_taken_in_is_a_file (void **state)
{
    (void) state;
    begin_anew (NOWHERE);
    taken_in ();
    core.destroy (core.self);
}

/*  Its bytes may lie under its name, and count from the first question on. */
static void what_was_being_taken_in_when_it_was_killed_counts (void **state)
{
    (void) state;
    for (killed_t how = BEFORE_NAMING; how <= AFTER_NAMING; how++) {
        begin_anew (how);
        assert_true (dead);
        core.destroy (core.self);
        assert_int_equal (access (path_in ("files/out"), F_OK) == 0, how == AFTER_NAMING);
        killed = NOWHERE;
        start (20, false, 0);
        assert_int_equal (used_first, strlen ("seven s"));
        site_wants (30, 2);
        taken_in ();
        core.destroy (core.self);
    }
}

/*  The site has evicted a copy for it, and the node has not dropped that one yet. */
static void what_finds_no_room_is_taken_in_when_something_has_left (void **state)
{
    (void) state;
    char bytes [996] = "";
    chain_arrival_t large = {.path = "large", .file = "large", .room = sizeof bytes};
    record_end ();
    leave ("arrivals/large", memset (bytes, 'x', sizeof bytes - 1));
    start (0, false, 0);
    site_answers (10, (storage_wanted_t){.number = 1, .arrivals = &large, .arrivals_count = 1});
    assert_true (told.arrivals [0].done);
    leave ("arrivals/left", "seven s");
    for (uint64_t number = 2; number <= 4; number++) {
        site_wants (10 * (int64_t) number, number);
        assert_int_equal (told.arrivals_count, 1);
        assert_false (told.arrivals [0].done);
        assert_string_equal (told.arrivals [0].why, "disk full: it has 7 bytes");
    }
    chain_arrival_t arrival = {.path = "left", .file = "out", .room = 100};
    storage_wanted_t wanted = {
      .arrivals = &arrival, .arrivals_count = 1, .drops = &large.file, .drops_count = 1};
    for (wanted.number = 5; wanted.number <= 7; wanted.number++)
        site_answers (10 * (int64_t) wanted.number, wanted);
    taken_in ();
    core.destroy (core.self);
}

/*  Two tries of a task leave the same. */
static void what_is_here_already_is_not_kept_twice (void **state)
{
    (void) state;
    begin_anew (NOWHERE);
    core.destroy (core.self);
    leave ("arrivals/left", "seven s");
    start (20, false, 0);
    site_wants (30, 2);
    taken_in ();
    core.destroy (core.self);
}

/*  A minute later. The node reads nothing of what lies there as it should. */
static void looked_at (int64_t *now_ms, uint64_t number)
{
    *now_ms += 60000;
    for (int64_t at_ms = *now_ms - 60000; at_ms <= *now_ms;)
        at_ms = step (at_ms, &(event_t){.kind = EVENT_TIMER});
    site_answers (*now_ms, (storage_wanted_t){.number = number});
}

static void what_has_vanished_unread_is_told_gone (void **state)
{
    (void) state;
    int64_t now_ms = 10;
    begin_anew (NOWHERE);
    taken_in ();
    reads = 0;
    looked_at (&now_ms, 2);
    assert_int_equal (reads, 0);
    assert_int_equal (told.bytes_used, strlen ("seven s"));
    assert_int_equal (truncate (path_in ("files/out"), 5), 0);
    looked_at (&now_ms, 3);
    looked_at (&now_ms, 4);
    assert_int_equal (reads, 1);
    assert_int_equal (told.files_count, 1);
    assert_true (told.files [0].quarantined);
    remove (path_in ("files/out"));
    looked_at (&now_ms, 5);
    assert_int_equal (reads, 2);
    assert_true (told.files [0].gone);
    assert_int_equal (told.bytes_used, 0);
    looked_at (&now_ms, 6);
    assert_int_equal (reads, 2);
    core.destroy (core.self);
}

/*  Two looks, since the first one says nothing before the next question. */
static void lost_nothing (int64_t *now_ms, uint64_t number)
{
    warnings = 0;
    looked_at (now_ms, number);
    looked_at (now_ms, number + 1);
    assert_false (told.files [0].gone);
    assert_int_equal (told.bytes_used, strlen ("seven s"));
    assert_in_range (warnings, 1, 2);
}

/*  The folder is not there, or another one, which was below the disk. */
static void away (int64_t *now_ms, const char *inside, const char *aside, uint64_t number)
{
    char there [256];
    snprintf (there, sizeof there, "%s", path_in (inside));
    assert_int_equal (rename (there, path_in (aside)), 0);
    lost_nothing (now_ms, number);
    assert_int_equal (mkdir (there, 0750), 0);
    lost_nothing (now_ms, number + 2);
    assert_int_equal (reads, 0);
}

static void back (const char *inside, const char *aside)
{
    char there [256];
    snprintf (there, sizeof there, "%s", path_in (inside));
    assert_int_equal (rmdir (there), 0);
    assert_int_equal (rename (path_in (aside), there), 0);
}

/*  Nor does a reading that the site wants tell it gone. */
static void a_disk_that_is_away_has_lost_nothing (void **state)
{
    (void) state;
    char proves [1][CHAIN_FILE_BYTES_MAX + 1] = {"out"};
    int64_t now_ms = 10;
    begin_anew (NOWHERE);
    taken_in ();
    reads = 0;
    away (&now_ms, "files", "files.away", 2);
    site_answers (now_ms, (storage_wanted_t){.number = 6, .proves = proves, .proves_count = 1});
    lost_nothing (&now_ms, 7);
    assert_int_equal (reads, 1);
    back ("files", "files.away");
    reads = 0;
    away (&now_ms, "marks", "marks.away", 9);
    back ("marks", "marks.away");
    warnings = 0;
    looked_at (&now_ms, 13);
    remove (path_in ("files/out"));
    looked_at (&now_ms, 14);
    assert_int_equal (warnings, 0);
    assert_true (told.files [0].gone);
    assert_int_equal (told.bytes_used, 0);
    core.destroy (core.self);
}

/*  One look goes through thousands, and the next ones through the others. */
static void each_of_many_files_is_looked_at (void **state)
{
    (void) state;
    enum { MANY = 10000 };
    const moment_t now = {.mono_ms = 0};
    int64_t now_ms = 10;
    record_end ();
    begin (false, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        stored_file_t stored = {.number = 1 + i, .content.size = 1};
        snprintf (stored.file, sizeof stored.file, "many/%u", i);
        packed_t packed = codec_encode (&stored_file_codec, &stored);
        core.step (core.self, &now,
                   &(event_t){.kind = EVENT_RECORD,
                              .record = {.table = TABLE_KEPT_FILES,
                                         .key = text_bytes (stored.file),
                                         .value = packed_bytes (packed)}});
        free (packed.data);
    }
    started (0);
    for (uint64_t look = 0; look < 3; look++) {
        reads = 0;
        looked_at (&now_ms, 1 + look);
        assert_in_range (reads, 1, MANY / 2); /* none is there */
        read_all += reads;
    }
    assert_int_equal (read_all, MANY);
    core.destroy (core.self);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_nobody_takes_in_goes_when_its_time_is_over),
      cmocka_unit_test (what_is_taken_in_is_a_file),
      cmocka_unit_test (no_more_is_promised_than_the_file_system_has),
      cmocka_unit_test (what_was_being_taken_in_when_it_was_killed_counts),
      cmocka_unit_test (what_finds_no_room_is_taken_in_when_something_has_left),
      cmocka_unit_test (what_is_here_already_is_not_kept_twice),
      cmocka_unit_test (what_has_vanished_unread_is_told_gone),
      cmocka_unit_test (a_disk_that_is_away_has_lost_nothing),
      cmocka_unit_test (each_of_many_files_is_looked_at),
    };
    if (!mkdtemp (folder) || !storage_folders_make (folder))
        return 1;
    int failed = cmocka_run_group_tests (tests, NULL, NULL);
    static const char *const inside [] = {"arrivals/left", "files/out", "marks/out", "parts",
                                          "files",         "marks",     "arrivals",  ""};
    record_end ();
    codec_clear (&storage_attend_codec, &told);
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        remove (path_in (inside [i]));
    return failed;
}
