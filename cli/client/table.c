/*  table - keeps all cells, then prints each column as wide as its widest cell. */
#include "table.h"

#include "must.h"

#define GAP 2

struct table {
    size_t columns;
    bool right [TABLE_COLUMNS_MAX];
    size_t width [TABLE_COLUMNS_MAX];
    char **cells; /* headings first */
    size_t rows;
};

/*  One letter of valid UTF-8; moves *text past it. */
static uint32_t next_letter (const char **text)
{
    const unsigned char *at = (const unsigned char *) *text;
    int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
    uint32_t letter = more ? *at & (0x3fu >> more) : *at;
    const unsigned char *rest = at + 1;
    for (; more > 0 && (*rest & 0xc0) == 0x80; more--, rest++)
        letter = letter << 6 | (*rest & 0x3f);
    *text += rest - at;
    return letter;
}

static bool wide (uint32_t letter)
{
    return (letter >= 0x1100 && letter <= 0x115f) || (letter >= 0x2e80 && letter <= 0xa4cf) ||
           (letter >= 0xac00 && letter <= 0xd7a3) || (letter >= 0xf900 && letter <= 0xfaff) ||
           (letter >= 0xff00 && letter <= 0xff60) || (letter >= 0x1f300 && letter <= 0x1faff);
}

size_t text_width (const char *text)
{
    size_t width = 0;
    while (*text)
        width += wide (next_letter (&text)) ? 2 : 1;
    return width;
}

table_t *table_new (const char *const *headings, size_t count)
{
    table_t *self = calloc (1, sizeof *self);
    if (!self || count > TABLE_COLUMNS_MAX)
        abort ();
    self->columns = count;
    const char *plain [TABLE_COLUMNS_MAX];
    for (size_t c = 0; c < count; c++) {
        self->right [c] = headings [c][0] == '>';
        plain [c] = headings [c] + self->right [c];
    }
    table_row (self, plain);
    return self;
}

void table_row (table_t *self, const char *const *cells)
{
    size_t count = (self->rows + 1) * self->columns;
    self->cells = must (reallocarray (self->cells, count, sizeof *self->cells));
    for (size_t c = 0; c < self->columns; c++) {
        const char *text = cells [c] && *cells [c] ? cells [c] : "-";
        char *copy = must (strdup (text));
        self->cells [self->rows * self->columns + c] = copy;
        size_t width = text_width (text);
        if (width > self->width [c])
            self->width [c] = width;
    }
    self->rows++;
}

const char *cell_short (const json_t *form, const char *key, char text [CELL_BYTES])
{
    (void) text;
    return name_short (text_of (form, key));
}

static const char *cell_time (const json_t *form, const char *key, char text [CELL_BYTES])
{
    return time_brief (text_of (form, key), text);
}

const char *cell_cost (const json_t *form, const char *key, char text [CELL_BYTES])
{
    return cost_text (number_of (form, key), text);
}

const char *cell_bytes (const json_t *form, const char *key, char text [CELL_BYTES])
{
    return json_object_get (form, key) ? bytes_text ((double) number_of (form, key), text) : "";
}

const char *cell_latency (const json_t *form, const char *key, char text [CELL_BYTES])
{
    const json_t *ms = json_object_get (form, key);
    if (!ms)
        return "";
    snprintf (text, CELL_BYTES, "%.6g ms", json_real_value (ms));
    return text;
}

const char *cell_list (const json_t *form, const char *key, char text [CELL_BYTES])
{
    return texts_join (json_object_get (form, key), ", ", text, CELL_BYTES);
}

static const char *cell_of (const form_row_t *row, const json_t *form, char text [CELL_BYTES])
{
    cell_fn *cell = row->cell                  ? row->cell
                    : row->kind == FORM_NUMBER ? number_text
                    : row->kind == FORM_TIME   ? cell_time
                                               : NULL;
    return cell ? cell (form, row->key, text) : text_of (form, row->key);
}

static void table_add (table_t *self, const form_row_t *rows, const json_t *form)
{
    char texts [TABLE_COLUMNS_MAX][CELL_BYTES];
    const char *cells [TABLE_COLUMNS_MAX];
    for (size_t c = 0; rows->key; rows++)
        if (rows->heading) {
            cells [c] = cell_of (rows, form, texts [c]);
            c++;
        }
    table_row (self, cells);
}

table_t *table_of (const form_row_t *rows, const json_t *forms)
{
    const char *headings [TABLE_COLUMNS_MAX];
    size_t count = 0;
    for (const form_row_t *row = rows; row->key; row++)
        if (row->heading)
            headings [count++] = row->heading;
    table_t *self = table_new (headings, count);
    json_each (form, forms)
        table_add (self, rows, form);
    return self;
}

void table_print (table_t **self_p, FILE *to)
{
    table_t *self = *self_p;
    for (size_t r = 0; r < self->rows; r++) {
        for (size_t c = 0; c < self->columns; c++) {
            const char *text = self->cells [r * self->columns + c];
            int blanks = (int) (self->width [c] - text_width (text));
            bool last = c + 1 == self->columns;
            if (self->right [c])
                fprintf (to, "%*s%s", blanks, "", text);
            else
                fprintf (to, "%s%*s", text, last ? 0 : blanks, "");
            if (!last)
                fprintf (to, "%*s", GAP, "");
            free (self->cells [r * self->columns + c]);
        }
        fputc ('\n', to);
    }
    free (self->cells);
    free (self);
    *self_p = NULL;
}

void table_print_forms (const form_row_t *rows, const json_t *forms, FILE *to)
{
    table_t *self = table_of (rows, forms);
    table_print (&self, to);
}
