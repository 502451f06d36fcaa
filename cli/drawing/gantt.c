/*  gantt - lanes, axis, and the drawing in letters. */
#include "gantt.h"

#include "bytes.h"
#include "must.h"
#include "table.h"

#include <assert.h>
#include <inttypes.h>

#define MARK_WIDTH       12 /* columns between marks, at least */
#define NAME_COLUMNS     24
#define NAME_COLUMNS_MAX 40
#define COLOURS          6
#define SECOND_MS        INT64_C (1000)
#define MINUTE_MS        (60 * SECOND_MS)
#define HOUR_MS          (60 * MINUTE_MS)
#define DAY_MS           (24 * HOUR_MS)

static const char letters [] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/*  A bar's index with its sort key: by row, then by start. qsort has no context. */
typedef struct {
    size_t row;
    int64_t from_ms;
    size_t bar;
} gantt_place_t;

static int gantt_by_place (const void *a, const void *b)
{
    const gantt_place_t *one = a;
    const gantt_place_t *other = b;
    if (one->row != other->row)
        return one->row < other->row ? -1 : 1;
    if (one->from_ms != other->from_ms)
        return one->from_ms < other->from_ms ? -1 : 1;
    return one->bar < other->bar ? -1 : 1;
}

void gantt_lanes (const gantt_t *self, size_t *lane_of_bar, size_t *lanes_of_row)
{
    gantt_place_t *places = must (calloc (self->bars_count + 1, sizeof *places));
    int64_t *lane_free_ms = must (calloc (self->bars_count + 1, sizeof *lane_free_ms));
    for (size_t i = 0; i < self->bars_count; i++)
        places [i] = (gantt_place_t){self->bars [i].row, self->bars [i].from_ms, i};
    qsort (places, self->bars_count, sizeof *places, gantt_by_place);
    for (size_t r = 0; r < self->rows_count; r++)
        lanes_of_row [r] = 1;
    size_t lanes = 0;
    for (size_t i = 0; i < self->bars_count; i++) {
        if (i == 0 || places [i].row != places [i - 1].row)
            lanes = 0;
        size_t lane = 0;
        while (lane < lanes && lane_free_ms [lane] > places [i].from_ms)
            lane++;
        if (lane == lanes)
            lanes++;
        lane_free_ms [lane] = self->bars [places [i].bar].until_ms;
        lane_of_bar [places [i].bar] = lane;
        lanes_of_row [places [i].row] = lanes;
    }
    free (places);
    free (lane_free_ms);
}

/*  All instants at which a bar of the row begins or ends, ascending, each once. */
static int64_t *row_instants (const gantt_t *self, const gantt_place_t *places, size_t count,
                              size_t *found)
{
    int64_t *instants = must (calloc (2 * count + 1, sizeof *instants));
    for (size_t i = 0; i < count; i++) {
        instants [2 * i] = places [i].from_ms;
        instants [2 * i + 1] = self->bars [places [i].bar].until_ms;
    }
    qsort (instants, 2 * count, sizeof *instants, amount_compare);
    *found = 0;
    for (size_t i = 0; i < 2 * count; i++)
        if (i == 0 || instants [i] != instants [i - 1])
            instants [(*found)++] = instants [i];
    return instants;
}

/*  Lengthens the same bar's last piece when the next one goes on from it at the same height. */
static bool piece_joins (gantt_piece_t *pieces, size_t count, const gantt_piece_t *next)
{
    for (size_t i = count; i > 0; i--) {
        gantt_piece_t *piece = &pieces [i - 1];
        if (piece->bar != next->bar)
            continue;
        if (piece->until_ms != next->from_ms || piece->below != next->below)
            return false;
        piece->until_ms = next->until_ms;
        return true;
    }
    return false;
}

gantt_piece_t *gantt_pieces (const gantt_t *self, size_t row, size_t *count, int64_t *peak)
{
    memory_auto gantt_place_t *places = must (calloc (self->bars_count + 1, sizeof *places));
    size_t places_count = 0;
    for (size_t b = 0; b < self->bars_count; b++)
        if (self->bars [b].row == row && self->bars [b].from_ms < self->bars [b].until_ms)
            places [places_count++] = (gantt_place_t){row, self->bars [b].from_ms, b};
    /* Bars that began earlier lie lower, so that later ones never lift them. */
    qsort (places, places_count, sizeof *places, gantt_by_place);
    size_t instants_count;
    memory_auto int64_t *instants = row_instants (self, places, places_count, &instants_count);
    gantt_piece_t *pieces = NULL;
    *count = 0;
    *peak = 0;
    for (size_t t = 0; t + 1 < instants_count; t++) {
        int64_t below = 0;
        for (size_t i = 0; i < places_count; i++) {
            const gantt_bar_t *bar = &self->bars [places [i].bar];
            if (bar->from_ms > instants [t] || bar->until_ms <= instants [t])
                continue;
            gantt_piece_t piece = {places [i].bar, instants [t], instants [t + 1], below};
            below += bar->quantity;
            if (piece_joins (pieces, *count, &piece))
                continue;
            pieces = must (reallocarray (pieces, *count + 1, sizeof *pieces));
            pieces [(*count)++] = piece;
        }
        if (below > *peak)
            *peak = below;
    }
    return pieces;
}

int64_t gantt_step (int64_t span_ms, int64_t marks_max)
{
    static const int64_t steps [] = {MINUTE_MS,      5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS,
                                     30 * MINUTE_MS, HOUR_MS,       2 * HOUR_MS,    3 * HOUR_MS,
                                     6 * HOUR_MS,    12 * HOUR_MS,  DAY_MS,         2 * DAY_MS,
                                     7 * DAY_MS,     14 * DAY_MS,   28 * DAY_MS};
    for (size_t i = 0; i < sizeof steps / sizeof steps [0]; i++)
        if (span_ms / steps [i] <= marks_max)
            return steps [i];
    return (span_ms / marks_max / DAY_MS + 1) * DAY_MS;
}

int64_t gantt_first_mark (int64_t from_ms, int64_t step_ms)
{
    int64_t rest = from_ms % step_ms;
    return rest ? from_ms - rest + step_ms : from_ms;
}

const char *gantt_mark (int64_t at_ms, int64_t step_ms, char text [GANTT_MARK_BYTES])
{
    char whole [TIMETEXT_BYTES];
    timetext_format (at_ms, whole);
    bool day = step_ms >= DAY_MS;
    /* "2026-12-01T09:00:00Z" */
    snprintf (text, GANTT_MARK_BYTES, "%.5s", whole + (day ? 5 : 11));
    return text;
}

static char letter_of (size_t reservation)
{
    return reservation < sizeof letters - 1 ? letters [reservation] : '#';
}

/*  The column of an instant within the chart. */
static size_t column_of (const gantt_t *self, size_t columns, int64_t at_ms)
{
    if (at_ms <= self->from_ms)
        return 0;
    if (at_ms >= self->until_ms)
        return columns;
    return (size_t) ((double) (at_ms - self->from_ms) / (double) (self->until_ms - self->from_ms) *
                     (double) columns);
}

/*  Room for the longest name, within reason. */
static size_t name_columns (const gantt_t *self, size_t width)
{
    size_t columns = NAME_COLUMNS;
    for (size_t r = 0; r < self->rows_count; r++)
        if (text_width (self->rows [r].name) > columns)
            columns = text_width (self->rows [r].name);
    if (columns > NAME_COLUMNS_MAX)
        columns = NAME_COLUMNS_MAX;
    return columns > width / 2 ? NAME_COLUMNS : columns;
}

static void print_axis (const gantt_t *self, size_t name_room, size_t columns, FILE *to)
{
    int64_t step_ms = gantt_step (self->until_ms - self->from_ms, (int64_t) (columns / MARK_WIDTH));
    char *marks = must (calloc (columns + GANTT_MARK_BYTES + 1, 1));
    char *ticks = must (calloc (columns + 1, 1));
    memset (marks, ' ', columns + GANTT_MARK_BYTES);
    memset (ticks, '-', columns);
    for (int64_t at = gantt_first_mark (self->from_ms, step_ms); at < self->until_ms;
         at += step_ms) {
        char text [GANTT_MARK_BYTES];
        size_t column = column_of (self, columns, at);
        gantt_mark (at, step_ms, text);
        if (column + strlen (text) <= columns)
            memcpy (marks + column, text, strlen (text));
        ticks [column] = '+';
    }
    marks [columns] = '\0';
    for (size_t end = columns; end > 0 && marks [end - 1] == ' ';)
        marks [--end] = '\0';
    char from [TIMETEXT_BYTES];
    fprintf (to, "%-*.10s  %s\n%*s  %s\n", (int) name_room, timetext_format (self->from_ms, from),
             marks, (int) name_room, "UTC", ticks);
    free (marks);
    free (ticks);
}

/*  One cell of a lane: the bar that covers it, or NULL. */
typedef struct {
    const gantt_bar_t *bar;
    char sign;        /* of the bar's text; 0 = filled */
    const char *fill; /* a block as high as the bar's share of a link */
} gantt_cell_t;

/*  The share of the row's capacity to the nearest eighth, at least one. */
static const char *block_of (const gantt_row_t *row, int64_t quantity)
{
    static const char *const blocks [] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int64_t eighths =
      row->link && row->capacity > 0 ? (8 * quantity + row->capacity / 2) / row->capacity : 8;
    return blocks [(eighths < 1 ? 1 : eighths > 8 ? 8 : eighths) - 1];
}

static void lay_bar (const gantt_t *self, size_t b, gantt_cell_t *cells, size_t columns)
{
    const gantt_bar_t *bar = &self->bars [b];
    size_t from = column_of (self, columns, bar->from_ms);
    size_t until = column_of (self, columns, bar->until_ms);
    if (from == columns)
        return;
    if (until == from)
        until++;
    char text [128];
    snprintf (text, sizeof text, "%c %.60s %" PRId64, letter_of (bar->reservation), bar->need,
              bar->quantity);
    size_t length = strlen (text);
    if (self->used && self->used [b] >= 0) {
        snprintf (text + length, sizeof text - length, " %d%%", self->used [b]);
        if (strlen (text) < until - from)
            length = strlen (text);
        else
            text [length] = '\0';
    }
    for (size_t c = from; c < until; c++) {
        size_t at = c - from;
        /* The letter is always shown; the rest of the text where all of it fits and is ASCII. */
        bool shown =
          at == 0 || (length < until - from && at < length && text_width (text) == length);
        cells [c] = (gantt_cell_t){bar, shown ? text [at] : '\0',
                                   block_of (&self->rows [bar->row], bar->quantity)};
    }
}

/*  With colours, texts and full bars have the bar's colour as background; a lower block is drawn in
 *  it. */
static void print_colour (const gantt_cell_t *cell, FILE *to)
{
    if (!cell->bar)
        fputs ("\033[0m", to);
    else if (cell->sign || strcmp (cell->fill, "█") == 0)
        fprintf (to, "\033[30;%zum", 41 + cell->bar->reservation % COLOURS);
    else
        fprintf (to, "\033[0;%zum", 31 + cell->bar->reservation % COLOURS);
}

static void print_cells (const gantt_cell_t *cells, size_t columns, bool colour, FILE *to)
{
    const gantt_cell_t *before = NULL;
    for (size_t c = 0; c < columns; c++) {
        const gantt_cell_t *cell = &cells [c];
        bool low = cell->bar && strcmp (cell->fill, "█") != 0;
        bool same =
          before ? before->bar == cell->bar && (!low || !before->sign == !cell->sign) : !cell->bar;
        if (colour && !same)
            print_colour (cell, to);
        before = cell;
        if (cell->sign)
            fputc (cell->sign, to);
        else if (!cell->bar || (colour && !low))
            fputc (' ', to);
        else
            fputs (cell->fill, to);
    }
    fputs (colour && before && before->bar ? "\033[0m\n" : "\n", to);
}

static void print_label (const gantt_row_t *row, size_t lane, size_t name_room, FILE *to)
{
    char label [2 * NAME_COLUMNS_MAX] = "";
    if (lane == 0)
        snprintf (label, sizeof label, "%.*s", (int) name_room, row->name);
    else if (lane == 1 && row->capacity > 0)
        snprintf (label, sizeof label, "  %" PRId64 " %s", row->capacity, row->unit);
    fprintf (to, "%-*s |", (int) name_room, label);
}

static void print_row (const gantt_t *self, size_t row, const size_t *lane_of_bar, size_t lanes,
                       size_t name_room, size_t columns, bool colour, FILE *to)
{
    gantt_cell_t *cells = must (calloc (columns + 1, sizeof *cells));
    size_t shown = lanes < GANTT_LANES_MAX ? lanes : GANTT_LANES_MAX;
    for (size_t lane = 0; lane < shown; lane++) {
        memset (cells, 0, columns * sizeof *cells);
        for (size_t b = 0; b < self->bars_count; b++)
            if (self->bars [b].row == row && lane_of_bar [b] == lane)
                lay_bar (self, b, cells, columns);
        print_label (&self->rows [row], lane, name_room, to);
        print_cells (cells, columns, colour, to);
    }
    if (shown < lanes)
        fprintf (to, "%*s |… %zu lanes more\n", (int) name_room, "", lanes - shown);
    free (cells);
}

static void print_legend (const gantt_t *self, FILE *to)
{
    static const char *const headings [] = {"",       "RESERVATION", "NAME", "OWNER",
                                            "STATUS", "START",       "END"};
    if (self->reservations_count == 0) {
        fputs ("nothing is reserved in this time\n", to);
        return;
    }
    table_t *table = table_new (headings, 7);
    size_t shown =
      self->reservations_count < sizeof letters - 1 ? self->reservations_count : sizeof letters - 1;
    for (size_t i = 0; i < shown; i++) {
        const gantt_reservation_t *one = &self->reservations [i];
        char letter [] = {letter_of (i), '\0'};
        char start [TIMETEXT_BYTES];
        char end [TIMETEXT_BYTES];
        const char *cells [] = {letter,
                                one->id,
                                one->name,
                                one->owner,
                                one->status,
                                timetext_format (one->from_ms - one->from_ms % SECOND_MS, start),
                                timetext_format (one->until_ms - one->until_ms % SECOND_MS, end)};
        table_row (table, cells);
    }
    table_print (&table, to);
    if (shown < self->reservations_count)
        fprintf (to, "#  %zu more\n", self->reservations_count - shown);
}

void gantt_print (const gantt_t *self, size_t width, bool colour, FILE *to)
{
    assert (self->from_ms < self->until_ms);
    if (width < GANTT_WIDTH_LEAST)
        width = GANTT_WIDTH_LEAST;
    size_t name_room = name_columns (self, width);
    size_t columns = width - name_room - 2;
    size_t *lane_of_bar = must (calloc (self->bars_count + 1, sizeof *lane_of_bar));
    size_t *lanes_of_row = must (calloc (self->rows_count + 1, sizeof *lanes_of_row));
    gantt_lanes (self, lane_of_bar, lanes_of_row);
    print_axis (self, name_room, columns, to);
    for (size_t r = 0; r < self->rows_count; r++) {
        if (self->rows [r].link && (r == 0 || !self->rows [r - 1].link))
            fprintf (to, "%-*s\n", (int) name_room, "links: Mbit/s, height = share");
        print_row (self, r, lane_of_bar, lanes_of_row [r], name_room, columns, colour, to);
    }
    fputc ('\n', to);
    print_legend (self, to);
    free (lane_of_bar);
    free (lanes_of_row);
}
