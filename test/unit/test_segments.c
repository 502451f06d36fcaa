/*  test_segments - rows of the ledger in files beside the store: read with those in the store,
 *  whatever happens to one of the files.
 */
#include "store_fixture.h"

#include "segment.h"

#include <fcntl.h>

enum { ROWS = 10 };

static bytes_t key_of (uint64_t number, uint8_t key [SEGMENT_KEY_BYTES])
{
    number_put (key, number, SEGMENT_KEY_BYTES);
    return (bytes_t){.data = key, .size = SEGMENT_KEY_BYTES};
}

/*  Row n is "row n". */
static void value_of (uint64_t number, char value [16])
{
    snprintf (value, 16, "row %d", (int) number);
}

static void change_rows (store_t *store, uint64_t from, uint64_t until, bool put)
{
    uint8_t key [SEGMENT_KEY_BYTES];
    char value [16];
    assert_int_equal (store_begin (store), STORE_OK);
    for (uint64_t number = from; number < until; number++) {
        value_of (number, value);
        bytes_t at = key_of (number, key);
        assert_int_equal (put ? store_put (store, TABLE_LEDGER, at, text (value))
                              : store_delete (store, TABLE_LEDGER, at),
                          STORE_OK);
    }
    assert_int_equal (store_flush (store, 2000), STORE_OK);
}

/*  Orders a segment of these rows; returns the bytes of all segments. */
static uint64_t export_rows (store_t *store, uint64_t kept_from, uint64_t from, uint64_t until)
{
    uint8_t keys [ROWS][SEGMENT_KEY_BYTES];
    char values [ROWS][16];
    row_t rows [ROWS];
    size_t count = 0;
    for (uint64_t number = from; number < until; number++, count++) {
        value_of (number, values [count]);
        rows [count] = (row_t){key_of (number, keys [count]), text (values [count])};
    }
    packed_t order = segment_order (kept_from, rows, count);
    uint8_t *result = NULL;
    size_t size = 0;
    assert_true (store_segment (store, packed_bytes (order), &result, &size));
    assert_int_equal (size, SEGMENT_BYTES_BYTES);
    uint64_t bytes = number_get (result, size);
    free (order.data);
    free (result);
    return bytes;
}

typedef struct {
    char *told;
    uint64_t next;
    bool more;
} segments_reading_t;

static void note_rows (void *owner, const row_t *rows, size_t count, bool more)
{
    segments_reading_t *self = owner;
    for (size_t i = 0; i < count; i++) {
        char value [16];
        uint64_t number = segment_number (rows [i].key);
        value_of (number, value);
        assert_true (number >= self->next);
        assert_int_equal (rows [i].value.size, strlen (value));
        assert_memory_equal (rows [i].value.data, value, strlen (value));
        sprintf (self->told + strlen (self->told), "%d ", (int) number);
        self->next = number + 1;
    }
    assert_true (count > 0 || !more);
    self->more = more;
}

/*  All rows, in pages of at most so many. */
static void assert_rows (store_t *store, bool store_alone, uint32_t most, const char *expected)
{
    char told [256] = "";
    uint8_t key [SEGMENT_KEY_BYTES];
    segments_reading_t reading = {.told = told, .more = true};
    while (reading.more) {
        read_order_t order = {.table = TABLE_LEDGER,
                              .from = key_of (reading.next, key),
                              .most = most,
                              .bytes = 1000,
                              .store_alone = store_alone};
        assert_int_equal (store_read (store, &order, note_rows, &reading), STORE_OK);
    }
    assert_string_equal (told, expected);
}

static void segment_file (char path [128], const char *name)
{
    char inside [64];
    snprintf (inside, sizeof inside, "ledger/%s", name);
    in_folder (path, inside);
}

static off_t size_of (const char *path)
{
    struct stat found;
    return stat (path, &found) == 0 ? found.st_size : -1;
}

/*  Rows 1 to 3 and 4 to 6 in segments, 7 to 10 in the store. */
static store_t *store_with_segments (void)
{
    store_t *store = open_store ();
    change_rows (store, 1, ROWS + 1, true);
    export_rows (store, 0, 1, 4);
    export_rows (store, 0, 4, 7);
    change_rows (store, 1, 7, false);
    return store;
}

static void rows_are_read_from_both (void **state)
{
    (void) state;
    store_t *store = store_with_segments ();
    for (uint32_t most = 1; most <= ROWS + 1; most++) {
        assert_rows (store, false, most, "1 2 3 4 5 6 7 8 9 10 ");
        assert_rows (store, true, most, "7 8 9 10 ");
    }
    store_close (&store);
    store = open_store ();
    assert_rows (store, false, 100, "1 2 3 4 5 6 7 8 9 10 ");
    store_close (&store);
}

static void a_row_in_both_is_shown_once (void **state)
{
    (void) state;
    store_t *store = open_store ();
    change_rows (store, 1, ROWS + 1, true);
    export_rows (store, 0, 1, 7); /* a death: the rows have not left the store */
    assert_rows (store, false, 4, "1 2 3 4 5 6 7 8 9 10 ");
    change_rows (store, 1, 3, false); /* or were cut since, and the rest exported again */
    export_rows (store, 0, 3, 7);
    assert_rows (store, false, 4, "1 2 3 4 5 6 7 8 9 10 ");
    change_rows (store, 3, 7, false);
    assert_rows (store, false, 4, "1 2 3 4 5 6 7 8 9 10 ");
    store_close (&store);
}

static void rows_put_back_are_read_before_those_of_later_segments (void **state)
{
    (void) state;
    store_t *store = store_with_segments ();
    char path [128];
    segment_file (path, "1-3.seg");
    assert_int_equal (unlink (path), 0);
    assert_rows (store, false, 100, "4 5 6 7 8 9 10 ");
    change_rows (store, 1, 4, true); /* from a saved ledger */
    assert_rows (store, false, 100, "1 2 3 4 5 6 7 8 9 10 ");
    assert_rows (store, true, 2, "1 2 3 7 8 9 10 ");
    store_close (&store);
}

static void segments_leave_when_all_their_rows_were_cut (void **state)
{
    (void) state;
    store_t *store = store_with_segments ();
    char first [128], second [128];
    segment_file (first, "1-3.seg");
    segment_file (second, "4-6.seg");
    assert_int_equal (export_rows (store, 3, 0, 0), size_of (first) + size_of (second));
    assert_int_equal (export_rows (store, 4, 0, 0), size_of (second));
    assert_int_equal (size_of (first), -1);
    assert_rows (store, false, 100, "4 5 6 7 8 9 10 ");
    assert_int_equal (export_rows (store, 8, 0, 0), 0);
    assert_int_equal (size_of (second), -1);
    store_close (&store);
}

static void write_file (const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    assert_int_equal (fwrite (bytes, 1, size, file), size);
    assert_int_equal (fclose (file), 0);
}

static void a_segment_that_is_not_what_was_written_is_passed_over (void **state)
{
    (void) state;
    store_t *store = store_with_segments ();
    char first [128], second [128];
    uint8_t whole [512] = {0};
    segment_file (first, "1-3.seg");
    segment_file (second, "4-6.seg");
    FILE *file = fopen (second, "r");
    assert_non_null (file);
    size_t size = fread (whole, 1, sizeof whole, file);
    assert_int_equal (fclose (file), 0);
    assert_in_range (size, 64, sizeof whole - 1);
    for (size_t at = 0; at < size; at++) {
        whole [at] ^= 0x10;
        write_file (second, whole, size);
        assert_rows (store, false, 100, "1 2 3 7 8 9 10 ");
        whole [at] ^= 0x10;
        write_file (second, whole, at); /* cut there */
        assert_rows (store, false, 100, "1 2 3 7 8 9 10 ");
    }
    write_file (second, whole, size + 1);
    assert_rows (store, false, 100, "1 2 3 7 8 9 10 ");
    write_file (first, whole, size); /* another's name */
    write_file (second, whole, size);
    assert_rows (store, false, 100, "4 5 6 7 8 9 10 ");
    store_close (&store);
}

/*  Nothing waits for it, neither is it followed. */
static void what_is_no_plain_file_is_passed_over (void **state)
{
    (void) state;
    store_t *store = store_with_segments ();
    char path [128], aside [128];
    segment_file (path, "4-6.seg");
    segment_file (aside, "aside");
    assert_int_equal (rename (path, aside), 0);
    assert_int_equal (mkfifo (path, 0600), 0);
    assert_rows (store, false, 100, "1 2 3 7 8 9 10 ");
    assert_int_equal (unlink (path), 0);
    assert_int_equal (symlink ("aside", path), 0);
    assert_rows (store, false, 100, "1 2 3 7 8 9 10 ");
    store_close (&store);
}

static void one_that_is_put_back_counts_at_once (void **state)
{
    (void) state;
    static const char *const names [] = {"1-3.seg", "4-6.seg"};
    for (size_t i = 0; i < 2; i++) {
        store_t *store = i == 0 ? store_with_segments () : open_store ();
        store_close (&store);
        char path [128], aside [128];
        segment_file (path, names [i]);
        segment_file (aside, "aside");
        assert_int_equal (rename (path, aside), 0);
        store = open_store ();
        assert_rows (store, false, 100, i == 0 ? "4 5 6 7 8 9 10 " : "1 2 3 7 8 9 10 ");
        assert_int_equal (rename (aside, path), 0);
        assert_rows (store, false, 100, "1 2 3 4 5 6 7 8 9 10 ");
        store_close (&store);
    }
}

/*  What a death leaves under another name, and what is somebody else's. */
static void other_files_are_no_segments (void **state)
{
    (void) state;
    static const char *const names [] = {"new", "1-2.seg.gz", "01-2.seg", "x-2.seg"};
    store_t *store = store_with_segments ();
    store_close (&store);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path [128];
        segment_file (path, names [i]);
        write_file (path, (const uint8_t *) "half", 4);
    }
    store = open_store ();
    assert_rows (store, false, 100, "1 2 3 4 5 6 7 8 9 10 ");
    export_rows (store, 0, 7, 9);
    change_rows (store, 7, 9, false);
    assert_rows (store, false, 100, "1 2 3 4 5 6 7 8 9 10 ");
    store_close (&store);
}

static void what_cannot_be_written_is_told (void **state)
{
    (void) state;
    char path [128];
    uint8_t key [SEGMENT_KEY_BYTES];
    row_t row = {key_of (1, key), text ("row 1")};
    store_t *store = open_store ();
    in_folder (path, "ledger");
    write_file (path, (const uint8_t *) "", 0);
    packed_t order = segment_order (0, &row, 1);
    uint8_t *result = NULL;
    size_t size = 0;
    assert_false (store_segment (store, packed_bytes (order), &result, &size));
    assert_true (size > 0 && memmem (result, size, "ledger", 6));
    free (result);
    free (order.data);
    store_close (&store);
}

static void a_new_store_does_not_take_the_segments_of_the_one_before (void **state)
{
    (void) state;
    char path [128];
    store_t *store = store_with_segments ();
    store_close (&store);
    in_folder (path, "store.mdb");
    assert_int_equal (unlink (path), 0);
    store = open_store ();
    change_rows (store, 7, ROWS + 1, true);
    assert_rows (store, false, 100, "7 8 9 10 ");
    store_close (&store);
    in_folder (path, "ledger-before-7369787465656e206279746573206964/1-3.seg");
    assert_true (size_of (path) > 0);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test_setup_teardown (rows_are_read_from_both, folder_new, folder_remove),
      cmocka_unit_test_setup_teardown (a_row_in_both_is_shown_once, folder_new, folder_remove),
      cmocka_unit_test_setup_teardown (rows_put_back_are_read_before_those_of_later_segments,
                                       folder_new, folder_remove),
      cmocka_unit_test_setup_teardown (segments_leave_when_all_their_rows_were_cut, folder_new,
                                       folder_remove),
      cmocka_unit_test_setup_teardown (a_segment_that_is_not_what_was_written_is_passed_over,
                                       folder_new, folder_remove),
      cmocka_unit_test_setup_teardown (what_is_no_plain_file_is_passed_over, folder_new,
                                       folder_remove),
      cmocka_unit_test_setup_teardown (one_that_is_put_back_counts_at_once, folder_new,
                                       folder_remove),
      cmocka_unit_test_setup_teardown (other_files_are_no_segments, folder_new, folder_remove),
      cmocka_unit_test_setup_teardown (what_cannot_be_written_is_told, folder_new, folder_remove),
      cmocka_unit_test_setup_teardown (a_new_store_does_not_take_the_segments_of_the_one_before,
                                       folder_new, folder_remove),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
