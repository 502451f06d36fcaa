/*  progress - counted at our own end when we take, at the first receiver when we give. */
#include "progress.h"

#include "fields.h"
#include "holdings.h"
#include "table.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PROGRESS_LINE_BYTES 512
#define HOPS_SHOWN          6

static uint64_t bytes_of (const progress_t *self, const json_t *hops)
{
    const json_t *hop;
    for (size_t i = 0; (hop = json_array_get (hops, i)); i++)
        if (self->gives || strcmp (text_of (hop, "node"), self->self) == 0)
            return (uint64_t) number_of (hop, "has");
    return 0;
}

static void rate_learn (progress_t *self, uint64_t bytes, int64_t now_ms)
{
    if (self->seen_ms == 0)
        self->begun_ms = now_ms;
    if (self->seen_ms != 0 && now_ms > self->seen_ms) {
        double rate = bytes > self->seen_bytes ? (double) (bytes - self->seen_bytes) * 1000 /
                                                   (double) (now_ms - self->seen_ms)
                                               : 0;
        self->rate = self->rate > 0 ? self->rate + (rate - self->rate) / 4 : rate;
    }
    self->seen_ms = now_ms;
    self->seen_bytes = bytes;
}

static void chain_text (const progress_t *self, const json_t *transfer, char *text, size_t room)
{
    uint64_t size = (uint64_t) number_of (transfer, "size");
    const char *source = text_of (transfer, "source");
    const json_t *hops = json_object_get (transfer, "hops");
    const json_t *hop;
    snprintf (text, room, "%s", self->gives ? "here" : source);
    for (size_t i = 0; (hop = json_array_get (hops, i)); i++) {
        size_t used = strlen (text);
        const char *node = text_of (hop, "node");
        uint64_t has = (uint64_t) number_of (hop, "has");
        if (i == HOPS_SHOWN) {
            snprintf (text + used, room - used, " → %zu more", json_array_size (hops) - i);
            break;
        }
        bool guest = strncmp (node, "guest-", 6) == 0;
        snprintf (text + used, room - used, "%s%s %u%%", used ? " → " : "",
                  strcmp (node, self->self) == 0 ? "here"
                  : guest                        ? "a client"
                                                 : node,
                  size > 0 ? (unsigned) (has * 100 / size) : 100);
    }
}

static void left_text (const progress_t *self, uint64_t left, char text [32])
{
    int64_t seconds = self->rate > 1 ? (int64_t) ((double) left / self->rate + 0.5) : -1;
    if (seconds < 0 || seconds > 359999)
        snprintf (text, 32, "-:--");
    else if (seconds >= 3600)
        snprintf (text, 32, "%d:%02d:%02d", (int) (seconds / 3600), (int) (seconds / 60 % 60),
                  (int) (seconds % 60));
    else
        snprintf (text, 32, "%d:%02d", (int) (seconds / 60), (int) (seconds % 60));
}

/*  Cut so that it fits the columns, never within a letter. */
static void cut (char *line, unsigned columns)
{
    while (text_width (line) > columns) {
        size_t length = strlen (line);
        do
            line [--length] = '\0';
        while (length > 0 && ((unsigned char) line [length - 1] & 0xc0) == 0x80);
        if (length > 0 && (unsigned char) line [length - 1] >= 0xc0)
            line [length - 1] = '\0';
    }
}

/*  One line for proto's TransferAnswer at this time (monotonic), at most columns wide. */
static void progress_line (progress_t *self, const json_t *transfer, int64_t now_ms,
                           unsigned columns, char line [PROGRESS_LINE_BYTES])
{
    char has [BYTES_TEXT_BYTES], all [BYTES_TEXT_BYTES], rate [BYTES_TEXT_BYTES], left [32];
    char chain [PROGRESS_LINE_BYTES / 2];
    uint64_t size = (uint64_t) number_of (transfer, "size");
    uint64_t bytes = bytes_of (self, json_object_get (transfer, "hops"));
    const char *why = text_of (transfer, "why");
    rate_learn (self, bytes, now_ms);
    if (strcmp (text_of (transfer, "state"), "TRANSFER_WAITING") == 0) {
        snprintf (line, PROGRESS_LINE_BYTES, "%.120s  waiting%s%.200s", text_of (transfer, "name"),
                  *why ? ": " : "", why);
        cut (line, columns);
        return;
    }
    chain_text (self, transfer, chain, sizeof chain);
    left_text (self, size > bytes ? size - bytes : 0, left);
    snprintf (line, PROGRESS_LINE_BYTES, "%.80s  %s of %s  %s/s  %s  %s",
              text_of (transfer, "name"), bytes_text ((double) bytes, has),
              bytes_text ((double) size, all), bytes_text (self->rate, rate), left, chain);
    cut (line, columns);
}

void progress_draw (progress_t *self, const json_t *transfer, int64_t now_ms)
{
    char line [PROGRESS_LINE_BYTES];
    struct winsize window = {.ws_col = 80};
    if (!isatty (STDERR_FILENO))
        return;
    ioctl (STDERR_FILENO, TIOCGWINSZ, &window);
    progress_line (self, transfer, now_ms, window.ws_col > 1 ? window.ws_col - 1u : 79, line);
    fprintf (stderr, "\r\033[K%s", line);
    fflush (stderr);
}

void progress_wipe (void)
{
    if (isatty (STDERR_FILENO))
        fputs ("\r\033[K", stderr);
}
