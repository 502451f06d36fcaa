/*  shaper_seen - line by line, word by word. */
#include "shaper_seen.h"

#include "command.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  The text behind a word of the line; "" when it is not there. */
static const char *seen_after (const char *line, const char *word)
{
    const char *at = strstr (line, word);
    return at ? at + strlen (word) : "";
}

/*  "30Mbit" as bit/s. */
static double seen_rate (const char *text)
{
    static const char units [] = "bKMGT";
    char *unit;
    double rate = strtod (text, &unit);
    const char *at = *unit ? strchr (units, *unit) : NULL;
    for (; at && at > units; at--)
        rate *= 1000;
    return rate;
}

void seen_qdiscs (seen_device_t *self, char *output)
{
    char kind [16], handle [16], place [16];
    self->there = true;
    self->qdiscs = must (strdup (output));
    for (const char *line; (line = command_line (&output));) {
        if (sscanf (line, "qdisc %15s %15s %15s", kind, handle, place) != 3)
            continue;
        bool root = strcmp (place, "root") == 0;
        self->ingress |= strcmp (kind, "ingress") == 0 || strcmp (kind, "clsact") == 0;
        if (root && strcmp (kind, "htb") == 0 && strcmp (handle, SHAPER_HANDLE) == 0)
            self->own = true;
        else if (root && strcmp (handle, "0:") != 0) /* which the kernel makes by itself */
            snprintf (self->others, sizeof self->others, "%s %s", kind, handle);
    }
}

void seen_classes (seen_device_t *self, char *output)
{
    size_t room = 0;
    for (const char *line; (line = command_line (&output));) {
        seen_class_t class = {.rate = seen_rate (seen_after (line, " rate ")),
                              .ceil = seen_rate (seen_after (line, " ceil "))};
        if (sscanf (line, "class htb " SHAPER_HANDLE "%x", &class.minor) != 1)
            continue;
        self->classes = must_grow (self->classes, self->classes_count, &room, sizeof class);
        self->classes [self->classes_count++] = class;
    }
}

void seen_filters (seen_device_t *self, char *output)
{
    size_t room = 0;
    for (const char *line; (line = command_line (&output));) {
        seen_filter_t filter = {.pref = (uint32_t) strtoul (seen_after (line, " pref "), NULL, 10)};
        seen_filter_t *last = &self->filters [self->filters_count - (self->filters_count > 0)];
        filter_match_t match;
        if (self->filters_count > 0 && last->count < FILTER_MATCHES_MAX &&
            sscanf (line, " match %x/%x at %u", &match.value, &match.mask, &match.offset) == 3 &&
            match.mask != 0)
            last->matches [last->count++] = match;
        if (!strstr (line, "flowid"))
            continue;
        filter.minor = (uint32_t) strtoul (seen_after (line, "flowid " SHAPER_HANDLE), NULL, 16);
        self->filters = must_grow (self->filters, self->filters_count, &room, sizeof filter);
        self->filters [self->filters_count++] = filter;
    }
}

void seen_clear (seen_device_t *self)
{
    free (self->qdiscs);
    free (self->classes);
    free (self->filters);
    *self = (seen_device_t){0};
}

const seen_class_t *seen_class (const seen_device_t *self, uint32_t minor)
{
    for (size_t i = 0; i < self->classes_count; i++)
        if (self->classes [i].minor == minor)
            return &self->classes [i];
    return NULL;
}
