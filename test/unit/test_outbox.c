/*  outbox: order, copying, clearing. */
#include "outbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void hands_out_effects_in_order_and_copied (void **state)
{
    (void) state;
    outbox_t *outbox = outbox_new ();
    char key [] = "key", value [] = "value", topic [] = "calendar";
    outbox_put (outbox, TABLE_COMMANDS, text_bytes (key), text_bytes (value));
    outbox_publish (outbox, topic, (bytes_t){0});
    outbox_refuse (outbox, 9, CALL_NOT_FOUND, "no such thing");
    memset (key, 'x', 3);
    memset (value, 'x', 5);
    memset (topic, 'x', 8);

    effect_t effect;
    assert_true (outbox_next (outbox, &effect));
    assert_int_equal (effect.kind, EFFECT_PUT);
    assert_memory_equal (effect.record.key.data, "key", 3);
    assert_memory_equal (effect.record.value.data, "value", 5);
    assert_true (outbox_next (outbox, &effect));
    assert_int_equal (effect.kind, EFFECT_PUBLISH);
    assert_string_equal (effect.publish.topic, "calendar");
    assert_int_equal (effect.publish.body.size, 0);
    assert_true (outbox_next (outbox, &effect));
    assert_int_equal (effect.kind, EFFECT_REPLY);
    assert_int_equal (effect.reply.status, CALL_NOT_FOUND);
    assert_false (outbox_next (outbox, &effect));
    outbox_destroy (&outbox);
    assert_null (outbox);
}

static void what_was_handed_out_stays_while_more_is_pushed (void **state)
{
    (void) state;
    outbox_t *outbox = outbox_new ();
    outbox_log (outbox, LEVEL_INFO, "first number=%d", 1);
    effect_t first;
    assert_true (outbox_next (outbox, &first));
    uint8_t large [5000];
    memset (large, 7, sizeof large);
    for (int i = 0; i < 1000; i++)
        outbox_reply (outbox, 1, (bytes_t){.data = large, .size = sizeof large});
    assert_string_equal (first.log.line, "first number=1");
    outbox_destroy (&outbox);
}

static void clearing_forgets_the_taken_and_the_untaken (void **state)
{
    (void) state;
    outbox_t *outbox = outbox_new ();
    for (int round = 0; round < 3; round++) {
        outbox_timer (outbox, 5);
        outbox_stop (outbox, "done");
        effect_t effect;
        assert_true (outbox_next (outbox, &effect));
        assert_int_equal (effect.kind, EFFECT_TIMER);
        outbox_clear (outbox);
        assert_false (outbox_next (outbox, &effect));
    }
    outbox_destroy (&outbox);
}

static void a_long_log_line_is_cut_not_overrun (void **state)
{
    (void) state;
    outbox_t *outbox = outbox_new ();
    char text [4000];
    memset (text, 'a', sizeof text - 1);
    text [sizeof text - 1] = '\0';
    outbox_log (outbox, LEVEL_INFO, "%s", text);
    effect_t effect;
    assert_true (outbox_next (outbox, &effect));
    assert_true (strlen (effect.log.line) < sizeof text - 1);
    outbox_destroy (&outbox);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (hands_out_effects_in_order_and_copied),
      cmocka_unit_test (what_was_handed_out_stays_while_more_is_pushed),
      cmocka_unit_test (clearing_forgets_the_taken_and_the_untaken),
      cmocka_unit_test (a_long_log_line_is_cut_not_overrun),
    };
    return cmocka_run_group_tests_name ("outbox", tests, NULL, NULL);
}
