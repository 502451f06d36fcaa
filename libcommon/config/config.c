/*  config - a tree of names and values (zpl.h) held against tables of rows, and read into their
 *  structs.
 *
 *  Everything is checked when it is read.
 */
#include "config.h"

#include "config_keys.h"
#include "must.h"
#include "zpl.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert (LONG_WHY_BYTES >= 512, "room for a file's name, a line, a key and two sentences");

/*  Memory that lives as long as the config. */
typedef struct block {
    struct block *next;
    max_align_t bytes [];
} block_t;

struct config {
    zpl_t *tree;
    char *file; /* "" = none */
    config_keys_t keys;
    const setting_table_t *const *tables;
    size_t tables_count;
    void **structs; /* what was read, one for each table */
    block_t *blocks;
};

static void *block_new (config_t *self, size_t size)
{
    block_t *block = must (calloc (1, sizeof *block + size));
    block->next = self->blocks;
    self->blocks = block;
    return block->bytes;
}

bool wrong_setting (char why [LONG_WHY_BYTES], const char *format, ...)
{
    format_rest (why, LONG_WHY_BYTES, format);
    return false;
}

/*  Why = "FILE:LINE: path" and then what, with the line of the path or of the nearest section above
 *  it that the file has, or "--set path" if the value was set there. Returns false. */
static bool wrong_at (const config_t *self, const char *path, const char *what,
                      char why [LONG_WHY_BYTES])
{
    char above [ZPL_PATH_BYTES];
    snprintf (above, sizeof above, "%s", path);
    const zpl_node_t *node;
    while (!(node = zpl_find (self->tree, above)) && strrchr (above, '/'))
        *strrchr (above, '/') = '\0';
    if (node && node->line)
        return wrong_setting (why, "%.150s:%u: %.100s%.240s", self->file, node->line, path, what);
    return wrong_setting (why, "%.150s%s%.100s%.240s", node ? "--set" : self->file,
                          node          ? " "
                          : *self->file ? ": "
                                        : "",
                          path, what);
}

static bool wrong_path (const config_t *self, const char *path, char why [LONG_WHY_BYTES],
                        const char *format, ...) __attribute__ ((format (printf, 4, 5)));

static bool wrong_path (const config_t *self, const char *path, char why [LONG_WHY_BYTES],
                        const char *format, ...)
{
    char what [LONG_WHY_BYTES / 2] = ": ";
    format_rest (what + 2, sizeof what - 2, format);
    return wrong_at (self, path, what, why);
}

typedef struct {
    const void *member;
    char *path;
} config_search_t;

static bool search_on (void *owner, const setting_t *row, const char *path, void *settings)
{
    const config_search_t *self = owner;
    bool found = (const char *) settings + row->at == (const char *) self->member;
    if (found)
        snprintf (self->path, SETTING_PATH_BYTES, "%s", path);
    return !found;
}

/*  The path of a member in what was read; "" when it is in none of the structs. */
static const char *member_path (const config_t *self, const void *member,
                                char path [SETTING_PATH_BYTES])
{
    config_search_t search = {member, path};
    *path = '\0';
    for (size_t i = 0; i < self->tables_count; i++)
        if (!settings_walk (self->tables [i], self->structs [i], search_on, &search))
            break;
    return path;
}

bool config_refuse (const config_t *self, const void *member, char why [LONG_WHY_BYTES],
                    const char *format, ...)
{
    char what [LONG_WHY_BYTES / 2] = ": ", path [SETTING_PATH_BYTES];
    format_rest (what + 2, sizeof what - 2, format);
    return wrong_at (self, member_path (self, member, path), what, why);
}

bool config_given (const config_t *self, const void *member)
{
    char path [SETTING_PATH_BYTES];
    return zpl_find (self->tree, member_path (self, member, path)) != NULL;
}

static bool refuse_unknown (const config_t *self, const zpl_node_t *node, char why [LONG_WHY_BYTES])
{
    char path [ZPL_PATH_BYTES], nearest [KEY_BYTES_MAX + 1], place [220], notice [160];
    zpl_path (node, path);
    if (node->line)
        snprintf (place, sizeof place, "%.200s:%u", self->file, node->line);
    else
        snprintf (place, sizeof place, "--set");
    if (config_keys_meant (&self->keys, path, node->first != NULL, nearest))
        snprintf (notice, sizeof notice, ", did you mean '%s'?", nearest);
    else
        snprintf (notice, sizeof notice, "; --help lists all keys");
    return wrong_setting (why, "%s: unknown %s '%.100s'%s", place, node->first ? "section" : "key",
                          path, notice);
}

static bool check_node (const config_t *self, const zpl_node_t *node, char why [LONG_WHY_BYTES])
{
    char path [ZPL_PATH_BYTES], words [SETTING_RIGHT_BYTES];
    setting_value_t value;
    zpl_path (node, path);
    bool section;
    const setting_t *row = config_keys_find (&self->keys, path, &section);
    if ((node->first && !section) || (node->value && !row) || (!row && !section))
        return refuse_unknown (self, node, why);
    if (!node->value && !section)
        return wrong_path (self, path, why, "no value; write %s = %.150s", node->name,
                           setting_right (row, words));
    if (node->value && !setting_read (row, node->value, &value))
        return wrong_path (self, path, why, "'%.60s' is not %s", node->value,
                           setting_right (row, words));
    return true;
}

/*  Depth is bounded by ZPL_DEPTH_MAX. */
static bool check_tree (const config_t *self, const zpl_node_t *section, char why [LONG_WHY_BYTES])
{
    for (const zpl_node_t *node = section->first; node; node = node->next)
        if (!check_node (self, node, why) || !check_tree (self, node, why))
            return false;
    return true;
}

static bool apply_setting (config_t *self, const char *setting, char why [LONG_WHY_BYTES])
{
    char reason [LONG_WHY_BYTES];
    const char *equals = strchr (setting, '=');
    if (!equals)
        return wrong_setting (why, "--set %.200s: no value; write path=value", setting);
    char *path = must (strndup (setting, (size_t) (equals - setting)));
    bool set = zpl_set (self->tree, path, equals + 1, reason);
    if (!set)
        snprintf (why, LONG_WHY_BYTES, "--set %.200s: %.200s", path, reason);
    free (path);
    return set;
}

static bool config_read (config_t *self, const char *text, size_t size, const char *const *settings,
                         size_t settings_count, char why [LONG_WHY_BYTES])
{
    char reason [LONG_WHY_BYTES];
    if (!zpl_read (self->tree, text, size, reason))
        return wrong_setting (why, "%.200s:%.300s", self->file, reason);
    for (size_t i = 0; i < settings_count; i++)
        if (!apply_setting (self, settings [i], why))
            return false;
    return check_tree (self, zpl_root (self->tree), why);
}

/*  --- values, into structs --- */

typedef struct {
    config_t *config;
    void (*told) (void *owner, const char *text); /* NULL: nobody is */
    void *owner;
    char *why;
} config_reading_t;

static bool refuse_missing (const config_reading_t *self, const setting_t *row, const char *path)
{
    char right [SETTING_RIGHT_BYTES], what [LONG_WHY_BYTES / 2];
    snprintf (what, sizeof what, " is missing: %.70s (%.60s)", setting_right (row, right),
              row->meaning);
    return wrong_at (self->config, path, what, self->why);
}

/*  Makes the elements of a list, with their defaults and names. */
static bool elements_make (const config_reading_t *self, const setting_t *row, const char *path,
                           void *settings)
{
    const zpl_node_t *section = zpl_find (self->config->tree, path), *node;
    size_t count = 0, bytes = row->table->bytes;
    for (node = section ? section->first : NULL; node; node = node->next)
        count++;
    if (count > (size_t) row->most)
        return wrong_path (self->config, path, self->why, "at most %lld of them are allowed",
                           (long long) row->most);
    char *element = block_new (self->config, (count + 1) * bytes);
    *(char **) ((char *) settings + row->at) = element;
    *(size_t *) ((char *) settings + row->count_at) = count;
    for (node = section ? section->first : NULL; node; node = node->next, element += bytes) {
        settings_preset (row->table, element);
        *(const char **) (element + row->table->rows [0].at) = node->name;
    }
    return true;
}

static bool value_take (void *owner, const setting_t *row, const char *path, void *settings)
{
    const config_reading_t *self = owner;
    setting_value_t value;
    char *to = (char *) settings + row->at;
    if (row->type == SETTING_EACH)
        return elements_make (self, row, path, settings);
    const zpl_node_t *node = row->path ? zpl_find (self->config->tree, path) : NULL;
    if (!node && row->fate == SETTING_NEEDED)
        return refuse_missing (self, row, path);
    if (!node || !node->value || setting_is_over (row))
        return true;
    setting_read (row, node->value, &value); /* it was right when it was checked */
    if (row->type == SETTING_TEXT)
        *(const char **) to = node->value;
    else if (row->type == SETTING_REAL)
        *(double *) to = value.real;
    else
        setting_put (row, settings, value.number);
    return true;
}

/*  An old name: wrong when it says another value than there is now; told when it says just that. */
static bool over_check (void *owner, const setting_t *row, const char *path, void *settings)
{
    const config_reading_t *self = owner;
    char words [WHY_BYTES], text [TIMETEXT_BYTES];
    setting_value_t value;
    bool fixed = row->fate == SETTING_FIXED;
    const zpl_node_t *node = setting_is_over (row) ? zpl_find (self->config->tree, path) : NULL;
    if (!node || !node->value || !setting_read (row, node->value, &value))
        return true;
    snprintf (words, sizeof words, " is no setting any more: it is %s%s%s",
              fixed ? "fixed at " : row->meaning, fixed ? "" : ", ",
              setting_text (row, setting_value (row, settings), text));
    wrong_at (self->config, path, words, self->why);
    if (self->told)
        self->told (self->owner, self->why);
    return value.number == setting_value (row, settings);
}

/*  Members of structs inside are judged before those that hold them. */
static bool rules_right (const config_reading_t *self, const setting_table_t *table, void *settings)
{
    char why [WHY_BYTES];
    for (size_t i = 0; i < table->count; i++) {
        const setting_t *row = &table->rows [i];
        char *inner = (char *) settings + row->at;
        size_t count = row->type == SETTING_INSIDE ? 1 : 0;
        if (row->type == SETTING_EACH) {
            inner = *(char **) inner;
            count = *(const size_t *) ((const char *) settings + row->count_at);
        }
        for (; count > 0; count--, inner += row->table->bytes)
            if (!rules_right (self, row->table, inner))
                return false;
    }
    const void *wrong = table->rule ? table->rule (settings, why) : NULL;
    return !wrong || config_refuse (self->config, wrong, self->why, "%s", why);
}

static bool tables_read (config_t *self, char why [LONG_WHY_BYTES])
{
    config_reading_t reading = {.config = self, .why = why};
    for (size_t i = 0; i < self->tables_count; i++)
        if (!settings_walk (self->tables [i], self->structs [i], value_take, &reading) ||
            !rules_right (&reading, self->tables [i], self->structs [i]) ||
            !settings_walk (self->tables [i], self->structs [i], over_check, &reading))
            return false;
    return true;
}

void config_warn (config_t *self, void (*line) (void *owner, const char *text), void *owner)
{
    char why [LONG_WHY_BYTES];
    config_reading_t reading = {self, line, owner, why};
    for (size_t i = 0; i < self->tables_count; i++)
        settings_walk (self->tables [i], self->structs [i], over_check, &reading);
}

const void *config_settings (const config_t *self, const setting_table_t *table)
{
    size_t i = 0;
    while (i < self->tables_count && self->tables [i] != table)
        i++;
    assert (i < self->tables_count);
    return self->structs [i];
}

config_t *config_open_text (const char *name, const char *text, size_t size,
                            const char *const *settings, size_t settings_count,
                            const setting_table_t *const *tables, size_t tables_count,
                            char why [LONG_WHY_BYTES])
{
    config_t *self = must (calloc (1, sizeof *self));
    self->tree = zpl_new ();
    self->file = must (strdup (name));
    self->tables = tables;
    self->tables_count = tables_count;
    self->structs = block_new (self, tables_count * sizeof *self->structs);
    for (size_t i = 0; i < tables_count; i++) {
        self->structs [i] = block_new (self, tables [i]->bytes);
        settings_preset (tables [i], self->structs [i]);
        config_keys_add (&self->keys, tables [i]);
    }
    if (!config_read (self, text, size, settings, settings_count, why) || !tables_read (self, why))
        config_destroy (&self);
    return self;
}

/*  The whole file, malloc'ed; one byte more than allowed is enough to see that it is too large. */
static char *config_read_file (const char *file, size_t *size)
{
    FILE *stream = fopen (file, "re");
    if (!stream)
        return NULL;
    char *text = must (malloc (ZPL_BYTES_MAX + 1));
    *size = fread (text, 1, ZPL_BYTES_MAX + 1, stream);
    int error = ferror (stream) ? errno : 0;
    fclose (stream);
    if (error) {
        free (text);
        errno = error;
        return NULL;
    }
    return text;
}

config_t *config_open (const char *file, const char *const *settings, size_t settings_count,
                       const setting_table_t *const *tables, size_t tables_count,
                       char why [LONG_WHY_BYTES])
{
    size_t size = 0;
    text_auto_t *text = file ? config_read_file (file, &size) : NULL;
    if (file && !text) {
        snprintf (why, LONG_WHY_BYTES, "%.300s: cannot be read: %s", file, strerror (errno));
        return NULL;
    }
    return config_open_text (file ? file : "", text ? text : "", size, settings, settings_count,
                             tables, tables_count, why);
}

void config_destroy (config_t **self_p)
{
    config_t *self = *self_p;
    if (!self)
        return;
    zpl_destroy (&self->tree);
    free (self->file);
    config_keys_clear (&self->keys);
    for (block_t *block = self->blocks, *next; block; block = next) {
        next = block->next;
        free (block);
    }
    free (self);
    *self_p = NULL;
}

bool name_read (const char *given, const char *kind, const char *what,
                char name [NAME_BYTES_MAX + 1], char why [LONG_WHY_BYTES])
{
    size_t kind_bytes = strlen (kind);
    size_t bytes_max = NAME_BYTES_MAX - kind_bytes - 1;
    if (strncmp (given, kind, kind_bytes) == 0 && given [kind_bytes] == '/')
        given += kind_bytes + 1;
    size_t length = strlen (given);
    if (length == 0 || length > bytes_max ||
        strspn (given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
          length)
        return wrong_setting (
          why, "name: \"%.80s\" is no %s name; use 1 to %zu letters, digits, '.', '_' and '-'",
          given, what, bytes_max);
    snprintf (name, NAME_BYTES_MAX + 1, "%s/%s", kind, given);
    return true;
}

bool words_right (const name_list_t *words, const char *key, size_t bytes_max,
                  char why [LONG_WHY_BYTES])
{
    const char *word = name_list_too_long (words, bytes_max), *twice = name_list_twice (words);
    if (word)
        return wrong_setting (why, "%s: %.80s… is longer than %zu bytes", key, word, bytes_max);
    return !twice || wrong_setting (why, "%s: %.80s is named twice", key, twice);
}
