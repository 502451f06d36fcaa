/*  commands_read - words of a line one after the other, then a rule over all lines. */
#include "commands.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_S_MAX (BATCH_FOREVER_MS / 1000)

/*  Where a reading is. */
typedef struct {
    const char *program;
    size_t line;
    char *rest; /* of the line */
    char *why;
} commands_place_t;

static bool line_wrong (const commands_place_t *at, const char *what, const char *word,
                        const char *right)
{
    return wrong (at->why, "%.16s: line %zu: %s\"%.60s\" should be %.100s", at->program, at->line,
                  what, word, right);
}

/*  --- fields --- */

static const char *next_word (commands_place_t *at)
{
    char *word = at->rest + strspn (at->rest, " ");
    at->rest = word + strcspn (word, " ");
    if (*at->rest)
        *at->rest++ = '\0';
    return word;
}

static bool take_word (commands_place_t *at, const char *field, int bytes_max, const char **to)
{
    char right [WHY_BYTES];
    *to = next_word (at);
    if (**to && strlen (*to) <= (size_t) bytes_max && !strchr (*to, ','))
        return true;
    wrong (right, "a word of at most %d bytes without commas", bytes_max);
    return line_wrong (at, field, *to, right);
}

static bool take_number (commands_place_t *at, const char *field, int64_t most, int64_t *to)
{
    char right [WHY_BYTES];
    const char *word = next_word (at);
    size_t digits = strspn (word, "0123456789");
    *to = strtoll (word, NULL, 10); /* the largest that there is when it is larger */
    if (digits > 0 && !word [digits] && *to <= most)
        return true;
    wrong (right, "a whole number from 0 to %lld", (long long) most);
    return line_wrong (at, field, word, right);
}

/*  The value is the word's place. */
static bool take_state (commands_place_t *at, const char *words, int64_t *to)
{
    char right [WHY_BYTES];
    name_list_auto_t list = {0};
    const char *word = next_word (at);
    name_list_add (&list, words, "");
    for (*to = 0; *to < (int64_t) list.count; ++*to)
        if (strcmp (list.words [*to], word) == 0)
            return true;
    wrong (right, "one of %s", words);
    return line_wrong (at, "state: ", word, right);
}

/*  When, in seconds since 1970, and where. */
static bool take_booking (commands_place_t *at, commands_row_t *row)
{
    if (!take_number (at, "from: ", TIME_S_MAX, &row->from_ms))
        return false;
    at->rest += strspn (at->rest, " ");
    bool endless = strncmp (at->rest, "- ", 2) == 0;
    if (endless)
        next_word (at);
    else if (!take_number (at, "until: ", TIME_S_MAX, &row->until_ms))
        return false;
    const char *list = next_word (at);
    name_list_add (&row->nodes, list, "");
    row->from_ms *= 1000;
    row->until_ms = endless ? BATCH_FOREVER_MS : row->until_ms * 1000;
    if (row->from_ms >= row->until_ms)
        return line_wrong (at, "until: ", "it", "later than from");
    return (row->nodes.count > 0 && !name_list_twice (&row->nodes) &&
            !name_list_too_long (&row->nodes, NAME_BYTES_MAX)) ||
           line_wrong (at, "nodes: ", list, "names, each once, with commas between");
}

static bool take_why (commands_place_t *at, commands_row_t *row)
{
    row->why = at->rest + strspn (at->rest, " ");
    at->rest = "";
    return true;
}

/*  --- lines --- */

static bool node_row_read (commands_place_t *at, commands_row_t *row)
{
    return take_word (at, "name: ", NAME_BYTES_MAX, &row->key) &&
           take_state (at, "up, drained, silent, down", &row->state) &&
           take_number (at, "cpus: ", COMMANDS_CPUS_MAX, &row->cpus) &&
           take_number (at, "busy: ", row->cpus, &row->cpus_busy) && take_why (at, row);
}

static bool reservation_row_read (commands_place_t *at, commands_row_t *row)
{
    return take_word (at, "name: ", BATCH_NAME_BYTES_MAX, &row->key) &&
           take_word (at, "account: ", NAME_BYTES_MAX, &row->whose) && take_booking (at, row);
}

static bool job_row_read (commands_place_t *at, commands_row_t *row)
{
    return take_word (at, "id: ", BATCH_JOB_ID_BYTES - 1, &row->key) &&
           take_word (at, "name: ", BATCH_NAME_BYTES_MAX, &row->job) &&
           take_word (at, "reservation: ", BATCH_NAME_BYTES_MAX, &row->whose) &&
           take_booking (at, row);
}

static bool run_row_read (commands_place_t *at, commands_row_t *row)
{
    bool good = take_word (at, "name: ", BATCH_NAME_BYTES_MAX, &row->key) &&
                take_state (at, "gone, queued, running, suspended, ended, lost", &row->state) &&
                take_word (at, "id: ", BATCH_JOB_ID_BYTES - 1, &row->job);
    row->state += row->state > 0 ? BATCH_JOB_QUEUED - 1 : 0; /* none is held */
    return good && take_why (at, row);
}

static const struct {
    const char *word;
    commands_answer_t of;
    bool (*read) (commands_place_t *at, commands_row_t *row);
} kinds [] = {
  [COMMANDS_NODE] = {"node ", COMMANDS_LIST, node_row_read},
  [COMMANDS_RESERVATION] = {"reservation ", COMMANDS_LIST, reservation_row_read},
  [COMMANDS_JOB] = {"job ", COMMANDS_LIST, job_row_read},
  [COMMANDS_RUN] = {"run ", COMMANDS_STATE, run_row_read},
};

static bool line_begins (const char *line, const char *word)
{
    return strncmp (line, word, strlen (word)) == 0;
}

static bool line_read (commands_place_t *at, commands_answer_t answer, commands_rows_t *rows)
{
    size_t kind = 0;
    while (kind < COMMANDS_KINDS &&
           (kinds [kind].of != answer || !line_begins (at->rest, kinds [kind].word)))
        kind++;
    if (kind == COMMANDS_KINDS)
        return line_wrong (at, "", at->rest, "one of its lines");
    if ((rows->count & (rows->count - 1)) == 0) /* they are full */
        rows->rows = must (reallocarray (rows->rows, 2 * rows->count + 1, sizeof *rows->rows));
    commands_row_t *row = &rows->rows [rows->count++];
    *row = (commands_row_t){.kind = (commands_kind_t) kind};
    next_word (at);
    if (!kinds [kind].read (at, row))
        return false;
    const char *more = next_word (at);
    return !*more || line_wrong (at, "behind its last field: ", more, "nothing");
}

/*  --- an answer --- */

/*  Nothing is told twice; and a list without any node is of a program that could not ask. */
static bool rows_right (const commands_place_t *at, commands_answer_t answer,
                        const commands_rows_t *rows)
{
    name_list_auto_t keys = {0};
    bool nodes = answer != COMMANDS_LIST;
    for (size_t i = 0; i < rows->count; i++) {
        nodes = nodes || rows->rows [i].kind == COMMANDS_NODE;
        if (rows->rows [i].kind != COMMANDS_RUN) /* one may have two jobs */
            name_list_add (&keys, rows->rows [i].key, kinds [rows->rows [i].kind].word);
    }
    const char *twice = name_list_twice (&keys);
    if (twice)
        return wrong (at->why, "%.16s: it tells %.100s twice", at->program, twice);
    return nodes || wrong (at->why, "%.16s: it tells no node, and should tell each, down or not",
                           at->program);
}

/*  A line before the closing one; the first of a list is its version. */
static bool line_take (commands_place_t *at, commands_answer_t answer, commands_rows_t *rows)
{
    char version [32];
    snprintf (version, sizeof version, "version %d", COMMANDS_VERSION);
    if (strlen (at->rest) > COMMANDS_LINE_BYTES_MAX || at->line > COMMANDS_LINES_MAX)
        return wrong (at->why, "%.16s: line %zu: there should be at most %d, of at most %d bytes",
                      at->program, at->line, COMMANDS_LINES_MAX, COMMANDS_LINE_BYTES_MAX);
    if (at->line > 1 || answer != COMMANDS_LIST)
        return line_read (at, answer, rows);
    return strcmp (at->rest, version) == 0 || line_wrong (at, "", at->rest, version);
}

command_told_t commands_read (const char *program, commands_answer_t answer, commands_rows_t *rows,
                              char why [WHY_BYTES])
{
    static const char refused [] = "refused ";
    commands_place_t at = {.program = program, .why = why};
    char *text = rows->text;
    command_told_t told = COMMAND_SILENT;
    for (char *byte = text; *byte; byte++)
        if (*byte != '\n' && (*byte < ' ' || *byte > '~'))
            *byte = '?';
    while (told == COMMAND_SILENT && (at.rest = command_line (&text))) {
        at.line++;
        if (strcmp (at.rest, "end") == 0)
            told = COMMAND_DONE;
        else if (line_begins (at.rest, refused))
            told = COMMAND_REFUSED;
        else if (!line_take (&at, answer, rows))
            return COMMAND_SILENT;
    }
    if (told == COMMAND_SILENT)
        wrong (why, "%.16s: its answer was cut short: its last line should be \"end\"", program);
    else if (*text)
        wrong (why, "%.16s: line %zu stands behind its closing line", program, at.line + 1);
    else if (told == COMMAND_REFUSED)
        wrong (why, "%.16s: %.200s", program, at.rest + strlen (refused));
    return *text || (told == COMMAND_DONE && !rows_right (&at, answer, rows)) ? COMMAND_SILENT
                                                                              : told;
}

void commands_rows_clear (commands_rows_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        name_list_clear (&self->rows [i].nodes);
    free (self->rows);
    free (self->text);
    *self = (commands_rows_t){0};
}
