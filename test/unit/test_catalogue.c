/*  test_catalogue - a site's files and their copies, kept over restarts. */
#include "catalogue_check.h"

#include "member.h"
#include "replica_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RECORDS_MAX 64

typedef struct {
    uint8_t key [FILE_NAME_BYTES_MAX];
    size_t key_size;
    uint8_t value [2048];
    size_t value_size;
} catalogue_record_t;

typedef struct {
    service_t *service;
    catalogue_t *catalogue;
    moment_t now;
    catalogue_record_t records [RECORDS_MAX];
    size_t records_count;
    size_t puts;
} catalogue_world_t;

static size_t record_at (const catalogue_world_t *self, bytes_t key)
{
    size_t i = 0;
    while (i < self->records_count && (self->records [i].key_size != key.size ||
                                       memcmp (self->records [i].key, key.data, key.size) != 0))
        i++;
    return i;
}

/*  Writes the records that were put since the step began to disk. */
static void flush (catalogue_world_t *self)
{
    effect_t effect;
    while (service_next (self->service, &effect)) {
        if ((effect.kind != EFFECT_PUT && effect.kind != EFFECT_DELETE) ||
            effect.record.table != TABLE_FILES)
            continue;
        size_t i = record_at (self, effect.record.key);
        if (effect.kind == EFFECT_DELETE) {
            if (i < self->records_count)
                self->records [i] = self->records [--self->records_count];
            continue;
        }
        assert_true (i < RECORDS_MAX && effect.record.value.size <= sizeof self->records [i].value);
        catalogue_record_t *record = &self->records [i];
        self->records_count += i == self->records_count;
        record->key_size = effect.record.key.size;
        memcpy (record->key, effect.record.key.data, record->key_size);
        record->value_size = effect.record.value.size;
        memcpy (record->value, effect.record.value.data, record->value_size);
        self->puts++;
    }
}

static void begin (catalogue_world_t *self, uint32_t files_max)
{
    self->service = member_new ("replica/ams", NULL, 0);
    self->catalogue = catalogue_new (self->service, files_max);
    for (size_t i = 0; i < self->records_count; i++)
        service_step (
          self->service, &self->now,
          &(event_t){.kind = EVENT_RECORD,
                     .record = {.table = TABLE_FILES,
                                .key = {self->records [i].key, self->records [i].key_size},
                                .value = {self->records [i].value, self->records [i].value_size}}});
    service_step (
      self->service, &self->now,
      &(event_t){.kind = EVENT_START,
                 .start = {.store = {.start = 1}, .endpoint = "sim://x", .events = "sim://y"}});
}

static void end (catalogue_world_t *self)
{
    check_catalogue (self->catalogue);
    catalogue_destroy (&self->catalogue);
    service_destroy (&self->service);
}

static void open_world (catalogue_world_t *self, uint32_t files_max)
{
    *self = (catalogue_world_t){.now = {.wall_ms = 1790000000000, .mono_ms = 1000}};
    begin (self, files_max);
}

static void restart (catalogue_world_t *self)
{
    flush (self);
    end (self);
    begin (self, 100);
}

static file_t file_of (const char *name, uint64_t size, uint8_t content)
{
    file_t file = {
      .content.size = size, .content.digest_known = true, .owner = "alice", .created_ms = 5};
    snprintf (file.name, sizeof file.name, "%s", name);
    memset (file.content.digest, content, sizeof file.content.digest);
    return file;
}

static copy_state_t state_of (const catalogue_world_t *self, const char *name, const char *node)
{
    return file_copy (catalogue_find (self->catalogue, name), node)->state;
}

static void a_copy_is_staged_then_sound_and_is_so_after_a_restart (void **state)
{
    (void) state;
    catalogue_world_t w;
    open_world (&w, 100);
    file_t file = file_of ("x", 10, 1);
    assert_int_equal (catalogue_stage (w.catalogue, &file, "n1"), CATALOGUE_OK);
    assert_int_equal (state_of (&w, "x", "n1"), COPY_STAGED);
    restart (&w);
    assert_int_equal (state_of (&w, "x", "n1"), COPY_STAGED);
    assert_int_equal (catalogue_prove (w.catalogue, &file, "n1", 77), CATALOGUE_OK);
    restart (&w);
    const file_t *kept = catalogue_find (w.catalogue, "x");
    assert_int_equal (file_copy (kept, "n1")->state, COPY_SOUND);
    assert_int_equal (file_copy (kept, "n1")->proved_ms, 77);
    assert_string_equal (kept->owner, "alice");
    assert_int_equal (kept->content.size, 10);
    end (&w);
}

static void a_name_never_gets_another_content (void **state)
{
    (void) state;
    catalogue_world_t w;
    open_world (&w, 100);
    file_t file = file_of ("x", 10, 1);
    file_t other = file_of ("x", 10, 2);
    file_t longer = file_of ("x", 11, 1);
    catalogue_stage (w.catalogue, &file, "n1");
    assert_int_equal (catalogue_stage (w.catalogue, &other, "n2"), CATALOGUE_OTHER);
    assert_int_equal (catalogue_stage (w.catalogue, &longer, "n2"), CATALOGUE_OTHER);
    assert_null (file_copy (catalogue_find (w.catalogue, "x"), "n2"));
    assert_int_equal (catalogue_prove (w.catalogue, &other, "n2", 7), CATALOGUE_OTHER);
    assert_int_equal (state_of (&w, "x", "n2"), COPY_STALE);
    assert_int_equal (catalogue_find (w.catalogue, "x")->content.digest [0], 1);
    end (&w);
}

static void the_last_copy_takes_the_file_with_it_and_its_name_is_told (void **state)
{
    (void) state;
    catalogue_world_t w;
    open_world (&w, 100);
    file_t file = file_of ("x", 10, 1);
    catalogue_prove (w.catalogue, &file, "n1", 7);
    catalogue_prove (w.catalogue, &file, "n2", 7);
    uint64_t number = catalogue_number (w.catalogue);
    catalogue_gone (w.catalogue, "x", "n1");
    assert_non_null (catalogue_find (w.catalogue, "x"));
    catalogue_gone (w.catalogue, "x", "n2");
    assert_null (catalogue_find (w.catalogue, "x"));
    const file_t *change = catalogue_changed (w.catalogue, number);
    assert_string_equal (change->name, "x");
    assert_true (change->gone);
    assert_null (catalogue_changed (w.catalogue, change->changed));
    flush (&w);
    assert_int_equal (w.records_count, 0);
    /* The name may be used again, with other content. */
    file_t other = file_of ("x", 3, 2);
    assert_int_equal (catalogue_stage (w.catalogue, &other, "n1"), CATALOGUE_OK);
    end (&w);
}

static void changes_come_oldest_first_and_each_file_once (void **state)
{
    (void) state;
    catalogue_world_t w;
    open_world (&w, 100);
    static const char *const names [] = {"c", "a", "b"};
    for (size_t i = 0; i < 3; i++) {
        file_t file = file_of (names [i], 1, 1);
        catalogue_prove (w.catalogue, &file, "n1", 7);
    }
    uint64_t number = catalogue_number (w.catalogue);
    file_t wanted = *catalogue_find (w.catalogue, "c");
    wanted.pinned = true;
    catalogue_want (w.catalogue, &wanted);
    catalogue_want (w.catalogue, &wanted);
    static const char *const order [] = {"a", "b", "c"};
    const file_t *file = catalogue_changed (w.catalogue, 0);
    for (size_t i = 0; i < 3; i++, file = catalogue_changed (w.catalogue, file->changed))
        assert_string_equal (file->name, order [i]);
    assert_null (file);
    assert_string_equal (catalogue_changed (w.catalogue, number)->name, "c");
    assert_null (catalogue_changed (w.catalogue, catalogue_number (w.catalogue)));
    assert_false (catalogue_knows (w.catalogue, catalogue_number (w.catalogue) + 1));
    end (&w);
}

static void use_is_written_at_most_once_a_minute (void **state)
{
    (void) state;
    catalogue_world_t w;
    open_world (&w, 100);
    file_t file = file_of ("x", 10, 1);
    catalogue_prove (w.catalogue, &file, "n1", 7);
    flush (&w);
    size_t puts = w.puts;
    catalogue_use (w.catalogue, "x", USED_KEEP_MS);
    for (int64_t ms = 1; ms < USED_KEEP_MS; ms += 1000)
        catalogue_use (w.catalogue, "x", USED_KEEP_MS + ms);
    flush (&w);
    assert_int_equal (w.puts, puts + 1);
    catalogue_use (w.catalogue, "x", 2 * USED_KEEP_MS);
    flush (&w);
    assert_int_equal (w.puts, puts + 2);
    end (&w);
}

static void its_limits_are_kept (void **state)
{
    (void) state;
    catalogue_world_t w;
    open_world (&w, 2);
    file_t a = file_of ("a", 1, 1), b = file_of ("b", 1, 1), c = file_of ("c", 1, 1);
    assert_int_equal (catalogue_stage (w.catalogue, &a, "n1"), CATALOGUE_OK);
    assert_int_equal (catalogue_stage (w.catalogue, &b, "n1"), CATALOGUE_OK);
    assert_int_equal (catalogue_stage (w.catalogue, &c, "n1"), CATALOGUE_FULL);
    for (size_t i = 1; i < COPIES_MAX; i++) {
        char node [16];
        snprintf (node, sizeof node, "m%zu", i);
        assert_int_equal (catalogue_stage (w.catalogue, &a, node), CATALOGUE_OK);
    }
    assert_int_equal (catalogue_stage (w.catalogue, &a, "one-more"), CATALOGUE_FULL);
    end (&w);
}

static void a_damaged_record_is_left_out_and_told (void **state)
{
    (void) state;
    catalogue_world_t w;
    open_world (&w, 100);
    file_t a = file_of ("a", 1, 1), b = file_of ("b", 1, 1);
    catalogue_prove (w.catalogue, &a, "n1", 7);
    catalogue_prove (w.catalogue, &b, "n1", 7);
    flush (&w);
    size_t i = record_at (&w, (bytes_t){.data = (const uint8_t *) "a", .size = 1});
    w.records [i].value [0] = 7;
    w.records [i].value_size = 1;
    restart (&w);
    assert_null (catalogue_find (w.catalogue, "a"));
    assert_non_null (catalogue_find (w.catalogue, "b"));
    end (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_copy_is_staged_then_sound_and_is_so_after_a_restart),
      cmocka_unit_test (a_name_never_gets_another_content),
      cmocka_unit_test (the_last_copy_takes_the_file_with_it_and_its_name_is_told),
      cmocka_unit_test (changes_come_oldest_first_and_each_file_once),
      cmocka_unit_test (use_is_written_at_most_once_a_minute),
      cmocka_unit_test (its_limits_are_kept),
      cmocka_unit_test (a_damaged_record_is_left_out_and_told),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
