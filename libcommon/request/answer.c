/*  answer - reasons and alternatives for a user. */
#include "answer.h"

#include "must.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *answer_status_word (answer_status_t status)
{
    static const char *const words [] = {
      [ANSWER_UNKNOWN] = "unknown",         [ANSWER_COMMITTED] = "committed",
      [ANSWER_REFUSED] = "refused",         [ANSWER_PLANNED] = "planned",
      [ANSWER_IN_PROGRESS] = "in-progress", [ANSWER_CONFLICT] = "conflict",
    };
    assert (status <= ANSWER_CONFLICT);
    return words [status];
}

room_t room_of (const space_booking_t *booking, const char *site)
{
    room_t room = {.booking = *booking};
    snprintf (room.site, sizeof room.site, "%s", site);
    return room;
}

void connections_free (connection_t *connections, size_t count)
{
    for (size_t i = 0; i < count; i++)
        codec_clear (&connection_codec, &connections [i]);
    free (connections);
}

/*  A text that was cut must not end within a character: its reader checks that it is UTF-8. */
static void mend_cut (char text [SENTENCE_BYTES], int length)
{
    if (length < SENTENCE_BYTES)
        return;
    size_t end = SENTENCE_BYTES - 1;
    while (end > 0 && ((uint8_t) text [end - 1] & 0xc0) == 0x80)
        end--;
    if (end > 0 && ((uint8_t) text [end - 1] & 0xc0) == 0xc0)
        end--;
    text [end] = 0;
}

reason_t *answer_reason (answer_t *self, const char *need, const char *resource, const char *text,
                         ...)
{
    if (self->reasons_count == REASONS_MAX)
        self->reasons_count--;
    self->reasons =
      must_grow (self->reasons, self->reasons_count, &self->reasons_room, sizeof *self->reasons);
    reason_t *reason = &self->reasons [self->reasons_count++];
    *reason = (reason_t){0};
    snprintf (reason->need, sizeof reason->need, "%s", need);
    snprintf (reason->resource, sizeof reason->resource, "%s", resource);
    va_list arguments;
    va_start (arguments, text);
    mend_cut (reason->text, vsnprintf (reason->text, sizeof reason->text, text, arguments));
    va_end (arguments);
    return reason;
}

void answer_alternative (answer_t *self, int64_t start_ms, const char *change, ...)
{
    if (self->alternatives_count == ALTERNATIVES_MAX)
        return;
    alternative_t *alternative = &self->alternatives [self->alternatives_count++];
    alternative->start_ms = start_ms;
    va_list arguments;
    va_start (arguments, change);
    mend_cut (alternative->change,
              vsnprintf (alternative->change, sizeof alternative->change, change, arguments));
    va_end (arguments);
}
