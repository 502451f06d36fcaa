/*  replay_summary - one answer in a few words and figures; what a replay's outcomes come to, in
 *  numbers and as a picture.
 *
 *  Refusals are grouped by their sentence, so names of resources, figures and times are taken out
 *  of it; and by the kind of need that the first reason names.
 */
#include "answer_form.h"
#include "cli.h"
#include "must.h"
#include "replay.h"
#include "svg.h"

#include <ctype.h>
#include <math.h>

/*  A sentence without its figures and times, the resource in it as "*". */
static void reason_words (const char *text, const char *resource, char words [REPLAY_REASON_BYTES])
{
    size_t length = 0;
    size_t name = strlen (resource);
    while (*text && length + 1 < REPLAY_REASON_BYTES) {
        if (name > 0 && strncmp (text, resource, name) == 0) {
            words [length++] = '*';
            text += name;
            continue;
        }
        bool figure = isdigit ((unsigned char) *text);
        if (!figure || length == 0 || words [length - 1] != '#')
            words [length++] = figure ? '#' : *text;
        text++;
    }
    words [length] = '\0';
}

/*  Needs are named as coallocation_written names them: "a", and "a-b" for what links it. */
static replay_blocker_t blocker_of (const char *need)
{
    return *need == '\0'        ? REPLAY_BY_NO_NEED
           : strchr (need, '-') ? REPLAY_BY_LINK
                                : REPLAY_BY_CLASS;
}

static void read_refusal (replay_outcome_t *self, const json_t *form)
{
    const json_t *reason = item_of (form, "reasons", 0);
    const char *text = text_of (reason, "text");
    self->status = REPLAY_REFUSED;
    self->blocker = blocker_of (text_of (reason, "need"));
    reason_words (*text ? text : "no reason given", text_of (reason, "resource"), self->reason);
}

/*  Links are written as "domain/name". */
static bool same_domain (const char *link, const char *other)
{
    size_t size = strcspn (link, "/");
    return size == strcspn (other, "/") && strncmp (link, other, size) == 0;
}

static void read_connections (replay_outcome_t *self, const json_t *network)
{
    json_each (connection, network) {
        const json_t *links = json_object_get (connection, "links");
        self->connections += json_array_size (links) > 0;
        self->links += json_array_size (links);
        const char *before = NULL;
        json_each (link, links) {
            const char *name = json_string_value (link);
            self->circuits += name && (!before || !same_domain (before, name));
            before = name;
        }
    }
}

void replay_outcome_read (replay_outcome_t *self, const coallocation_t *request, const json_t *form)
{
    self->asked_links = request->links_count;
    if (answer_code (form) != EXIT_DONE) {
        read_refusal (self, form);
        return;
    }
    self->status = REPLAY_COMMITTED;
    read_connections (self, json_object_get (form, "network"));
}

/*  --- all of them --- */

static int by_value (const void *a, const void *b)
{
    double one = *(const double *) a;
    double other = *(const double *) b;
    return (one > other) - (one < other);
}

/*  Latencies of answered requests, ascending; malloc'ed. */
static double *latencies (const replay_outcome_t *outcomes, size_t count, size_t *answered)
{
    double *values = must (calloc (count + 1, sizeof *values));
    *answered = 0;
    for (size_t i = 0; i < count; i++)
        if (outcomes [i].status != REPLAY_UNKNOWN)
            values [(*answered)++] = outcomes [i].latency_s;
    qsort (values, *answered, sizeof *values, by_value);
    return values;
}

/*  Nearest rank. */
static double percentile (const double *sorted, size_t count, double share)
{
    if (count == 0)
        return 0;
    size_t rank = (size_t) ceil (share * (double) count);
    return sorted [rank > 0 ? rank - 1 : 0];
}

static int by_count (const void *a, const void *b)
{
    const replay_reason_t *one = a;
    const replay_reason_t *other = b;
    return (one->count < other->count) - (one->count > other->count);
}

static int by_reason (const void *a, const void *b)
{
    const replay_outcome_t *one = *(const replay_outcome_t *const *) a;
    const replay_outcome_t *other = *(const replay_outcome_t *const *) b;
    int order = (one->blocker > other->blocker) - (one->blocker < other->blocker);
    return order ? order : strcmp (one->reason, other->reason);
}

/*  The groups of like refusals, most frequent first; malloc'ed. */
static replay_reason_t *group_refusals (const replay_outcome_t *outcomes, size_t count,
                                        size_t *groups_count)
{
    memory_auto const replay_outcome_t **refused = must (calloc (count + 1, sizeof *refused));
    replay_reason_t *groups = must (calloc (count + 1, sizeof *groups));
    size_t refused_count = 0;
    for (size_t i = 0; i < count; i++)
        if (outcomes [i].status == REPLAY_REFUSED)
            refused [refused_count++] = &outcomes [i];
    qsort (refused, refused_count, sizeof *refused, by_reason);
    *groups_count = 0;
    for (size_t i = 0; i < refused_count; i++) {
        if (i == 0 || by_reason (&refused [i - 1], &refused [i]) != 0) {
            replay_reason_t *group = &groups [(*groups_count)++];
            group->blocker = refused [i]->blocker;
            memcpy (group->reason, refused [i]->reason, sizeof group->reason);
        }
        groups [*groups_count - 1].count++;
    }
    qsort (groups, *groups_count, sizeof *groups, by_count);
    return groups;
}

/*  The most frequent by themselves; where they are too many, the last stands for all the rest. */
static void take_reasons (replay_summary_t *summary, const replay_outcome_t *outcomes, size_t count)
{
    size_t groups_count;
    memory_auto replay_reason_t *groups = group_refusals (outcomes, count, &groups_count);
    bool rest = groups_count > REPLAY_REASONS_MAX;
    size_t own = rest ? REPLAY_REASONS_MAX - 1 : groups_count;
    memcpy (summary->reasons, groups, own * sizeof *groups);
    summary->reasons_count = own;
    if (rest) {
        replay_reason_t *last = &summary->reasons [summary->reasons_count++];
        *last = (replay_reason_t){.blocker = REPLAY_BLOCKERS};
        snprintf (last->reason, sizeof last->reason, "(%zu other reasons)", groups_count - own);
        for (size_t i = own; i < groups_count; i++)
            last->count += groups [i].count;
    }
}

void replay_summarise (const replay_outcome_t *outcomes, size_t count, replay_summary_t *summary)
{
    *summary = (replay_summary_t){0};
    for (size_t i = 0; i < count; i++) {
        const replay_outcome_t *one = &outcomes [i];
        summary->committed += one->status == REPLAY_COMMITTED;
        summary->refused += one->status == REPLAY_REFUSED;
        summary->unknown += one->status == REPLAY_UNKNOWN;
        if (one->status == REPLAY_REFUSED)
            summary->refused_by [one->blocker]++;
        summary->asked_links += one->asked_links;
        summary->connections += one->connections;
        summary->links += one->links;
        summary->circuits += one->circuits;
        if (one->sent_s + one->latency_s > summary->seconds)
            summary->seconds = one->sent_s + one->latency_s;
    }
    take_reasons (summary, outcomes, count);
    size_t answered;
    memory_auto double *sorted = latencies (outcomes, count, &answered);
    summary->per_second = summary->seconds > 0 ? (double) answered / summary->seconds : 0;
    summary->committed_per_second =
      summary->seconds > 0 ? (double) summary->committed / summary->seconds : 0;
    summary->p50_s = percentile (sorted, answered, .50);
    summary->p90_s = percentile (sorted, answered, .90);
    summary->p99_s = percentile (sorted, answered, .99);
    summary->max_s = answered > 0 ? sorted [answered - 1] : 0;
}

/*  --- the picture: two panels of the same width --- */

enum { WIDTH = 720, LEFT = 60, RIGHT = 20, PANEL = 200, TOP = 60, GAP = 70, BINS = 60 };

static void panel_frame (FILE *svg, int top, const char *y_title, const char *x_title)
{
    fprintf (svg, "<rect x='%d' y='%d' width='%d' height='%d' class='frame'/>\n", LEFT, top,
             WIDTH - LEFT - RIGHT, PANEL);
    fprintf (svg, "<text x='%d' y='%d'>%s</text>\n", LEFT, top - 8, y_title);
    fprintf (svg, "<text x='%d' y='%d' class='end'>%s</text>\n", WIDTH - RIGHT, top + PANEL + 30,
             x_title);
}

static void axis_label (FILE *svg, double x, double y, const char *place, double value,
                        const char *unit)
{
    fprintf (svg, "<text x='%.1f' y='%.1f' class='%s'>%.3g%s</text>\n", x, y, place, value, unit);
}

/*  The share of committed requests among those sent in each slice of the replay. */
static void draw_success (FILE *svg, const replay_outcome_t *outcomes, size_t count, double seconds)
{
    size_t sent [BINS] = {0};
    size_t committed [BINS] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t bin = (size_t) (outcomes [i].sent_s / seconds * BINS);
        bin = bin < BINS ? bin : BINS - 1;
        sent [bin]++;
        committed [bin] += outcomes [i].status == REPLAY_COMMITTED;
    }
    panel_frame (svg, TOP, "committed, share of requests sent", "time since the replay began");
    double width = (double) (WIDTH - LEFT - RIGHT) / BINS;
    for (size_t bin = 0; bin < BINS; bin++) {
        if (sent [bin] == 0)
            continue;
        double share = (double) committed [bin] / (double) sent [bin];
        fprintf (svg, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='good'/>\n",
                 LEFT + (double) bin * width, TOP + PANEL * (1 - share), width - 1, PANEL * share);
    }
    axis_label (svg, LEFT - 6, TOP + 10, "end", 1, "");
    axis_label (svg, LEFT - 6, TOP + PANEL, "end", 0, "");
    axis_label (svg, LEFT, TOP + PANEL + 15, "start", 0, " s");
    axis_label (svg, WIDTH - RIGHT, TOP + PANEL + 15, "end", seconds, " s");
}

/*  Where a latency stands on the logarithmic axis. */
static double latency_x (double latency_s, double least_s, double most_s)
{
    return LEFT + log (latency_s / least_s) / log (most_s / least_s) * (WIDTH - LEFT - RIGHT);
}

/*  A line and a label at each power of ten within the axis. */
static void draw_decades (FILE *svg, int top, double least_s, double most_s)
{
    for (int decade = -5; decade < 5; decade++) {
        double at_s = pow (10, decade);
        if (at_s <= least_s || at_s >= most_s)
            continue;
        double x = latency_x (at_s, least_s, most_s);
        fprintf (svg, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/>\n", x, top, x,
                 top + PANEL);
        axis_label (svg, x, top + PANEL + 15, "middle", at_s < 0.999 ? at_s * 1e3 : at_s,
                    at_s < 0.999 ? " ms" : " s");
    }
}

/*  The share of answers that took at most so long, on a logarithmic axis. */
static void draw_latency (FILE *svg, const double *sorted, size_t count)
{
    int top = TOP + PANEL + GAP;
    char title [128];
    snprintf (title, sizeof title,
              "answered within, share of answers: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms",
              percentile (sorted, count, .50) * 1e3, percentile (sorted, count, .90) * 1e3,
              percentile (sorted, count, .99) * 1e3);
    panel_frame (svg, top, title, "latency (logarithmic)");
    if (count == 0)
        return;
    double least_s = sorted [0] > 1e-5 ? sorted [0] : 1e-5;
    double most_s = sorted [count - 1] > 1.1 * least_s ? sorted [count - 1] : 1.1 * least_s;
    draw_decades (svg, top, least_s, most_s);
    fprintf (svg, "<polyline class='line' points='");
    size_t within = 0;
    for (int x = 0; x <= WIDTH - LEFT - RIGHT; x += 4) {
        double latency_s = least_s * pow (most_s / least_s, (double) x / (WIDTH - LEFT - RIGHT));
        while (within < count && sorted [within] <= latency_s)
            within++;
        fprintf (svg, "%d,%.1f ", LEFT + x, top + PANEL * (1 - (double) within / (double) count));
    }
    fprintf (svg, "'/>\n");
    axis_label (svg, LEFT - 6, top + 10, "end", 1, "");
    axis_label (svg, LEFT - 6, top + PANEL, "end", 0, "");
}

void replay_plot (const replay_outcome_t *outcomes, size_t count, const char *title, FILE *svg)
{
    replay_summary_t summary;
    replay_summarise (outcomes, count, &summary);
    size_t answered;
    memory_auto double *sorted = latencies (outcomes, count, &answered);
    svg_begin (WIDTH, TOP + 2 * PANEL + GAP + 50, 12, svg);
    fputs (
      "<style>.frame{fill:none;stroke:#888}.good{fill:#3a7}"
      ".line{fill:none;stroke:#36c;stroke-width:2}.end{text-anchor:end}.start{text-anchor:start}."
      "middle{text-anchor:middle}"
      "</style>\n",
      svg);
    fprintf (svg, "<text x='%d' y='24' font-size='15'>", LEFT);
    svg_text (title, svg);
    fprintf (svg, ": %zu committed, %zu refused, %zu unknown</text>\n", summary.committed,
             summary.refused, summary.unknown);
    draw_success (svg, outcomes, count, summary.seconds > 0 ? summary.seconds : 1);
    draw_latency (svg, sorted, answered);
    svg_end (svg);
}
