/*  config - a tree of names and values (zpl.h) held against a table of keys.
 *
 *  Everything is checked when it is loaded, so that asking for a value can't fail.
 */
#include "config.h"

#include "must.h"
#include "timetext.h"
#include "zpl.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert (LONG_WHY_BYTES >= 512, "room for a file's name, a line, a key and two sentences");

#define KEY_BYTES_MAX 127 /* of a path that can be meant by a misspelled one */

struct config {
    zpl_t *tree;
    char *file; /* "" = none */
    const config_key_t *keys;
    size_t keys_count;
};

/*  Takes the next name off a path; false at its end. */
static bool path_step (const char **path, const char **name, size_t *size)
{
    if (!**path)
        return false;
    *name = *path;
    *size = strcspn (*path, "/");
    *path += *size;
    if (**path == '/')
        ++*path;
    return true;
}

typedef enum { MATCH_NONE, MATCH_SECTION, MATCH_KEY } match_t;

/*  A path against a key whose stars match any name: the key itself, or a section it lies in. */
static match_t key_match (const char *key, const char *path)
{
    const char *name, *wanted;
    size_t size, wanted_size;
    while (path_step (&path, &name, &size)) {
        if (!path_step (&key, &wanted, &wanted_size))
            return MATCH_NONE;
        bool star = wanted_size == 1 && *wanted == '*';
        if (!star && (size != wanted_size || memcmp (name, wanted, size) != 0))
            return MATCH_NONE;
    }
    return *key ? MATCH_SECTION : MATCH_KEY;
}

static const config_key_t *key_find (const config_t *self, const char *path)
{
    for (size_t i = 0; i < self->keys_count; i++)
        if (key_match (self->keys [i].path, path) == MATCH_KEY)
            return &self->keys [i];
    return NULL;
}

static bool is_section (const config_t *self, const char *path)
{
    for (size_t i = 0; i < self->keys_count; i++)
        if (key_match (self->keys [i].path, path) == MATCH_SECTION)
            return true;
    return false;
}

bool wrong_setting (char why [LONG_WHY_BYTES], const char *format, ...)
{
    format_rest (why, LONG_WHY_BYTES, format);
    return false;
}

bool config_wrong (const config_t *self, const char *path, char why [LONG_WHY_BYTES],
                   const char *format, ...)
{
    char what [LONG_WHY_BYTES / 2];
    format_rest (what, sizeof what, format);
    char above [ZPL_PATH_BYTES];
    snprintf (above, sizeof above, "%s", path);
    const zpl_node_t *node;
    while (!(node = zpl_find (self->tree, above)) && strrchr (above, '/'))
        *strrchr (above, '/') = '\0';
    if (node && node->line)
        return wrong_setting (why, "%.150s:%u: %.100s: %.240s", self->file, node->line, path, what);
    return wrong_setting (why, "%.150s%s%.100s: %.240s", node ? "--set" : self->file,
                          node          ? " "
                          : *self->file ? ": "
                                        : "",
                          path, what);
}

/*  How many letters must be put in, left out, changed or swapped with their neighbour to come from
 *  one to the other; both are at most KEY_BYTES_MAX long. */
static size_t letters_apart (const char *one, const char *other)
{
    size_t rows [3][KEY_BYTES_MAX + 1];
    size_t *above2 = rows [0], *above = rows [1], *row = rows [2];
    size_t columns = strlen (other);
    for (size_t j = 0; j <= columns; j++)
        above [j] = j;
    for (size_t i = 1; one [i - 1]; i++) {
        row [0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t least = above [j - 1] + (one [i - 1] != other [j - 1]);
            least = above [j] + 1 < least ? above [j] + 1 : least;
            least = row [j - 1] + 1 < least ? row [j - 1] + 1 : least;
            bool swapped =
              i > 1 && j > 1 && one [i - 1] == other [j - 2] && one [i - 2] == other [j - 1];
            if (swapped && above2 [j - 2] + 1 < least)
                least = above2 [j - 2] + 1;
            row [j] = least;
        }
        size_t *spare = above2;
        above2 = above;
        above = row;
        row = spare;
    }
    return above [columns];
}

static size_t path_depth (const char *path)
{
    size_t depth = 1;
    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

/*  The first depth names of a key, its stars filled in with the names that stand there in path. */
static bool key_fill (const char *key, size_t depth, const char *path,
                      char filled [KEY_BYTES_MAX + 1])
{
    const char *wanted, *name = "";
    size_t wanted_size, size = 0, used = 0;
    for (size_t i = 0; i < depth; i++) {
        if (!path_step (&key, &wanted, &wanted_size))
            return false;
        if (path_step (&path, &name, &size) && wanted_size == 1 && *wanted == '*') {
            wanted = name;
            wanted_size = size;
        }
        int more = snprintf (filled + used, KEY_BYTES_MAX + 1 - used, "%s%.*s", i ? "/" : "",
                             (int) wanted_size, wanted);
        used += (size_t) more;
        if (used > KEY_BYTES_MAX)
            return false;
    }
    return true;
}

/*  What a misspelled path most likely means; false when nothing is near. A section is compared with
 *  sections of its depth, a value with whole keys. */
static bool meant (const config_t *self, const char *path, bool section,
                   char nearest [KEY_BYTES_MAX + 1])
{
    size_t least = strlen (path) / 3 + 2;
    bool found = false;
    if (strlen (path) > KEY_BYTES_MAX)
        return false;
    for (size_t i = 0; i < self->keys_count; i++) {
        const char *key = self->keys [i].path;
        size_t depth = section ? path_depth (path) : path_depth (key);
        char filled [KEY_BYTES_MAX + 1];
        if ((section && depth >= path_depth (key)) || !key_fill (key, depth, path, filled))
            continue;
        size_t apart = letters_apart (path, filled);
        if (apart < least) {
            least = apart;
            memcpy (nearest, filled, sizeof filled);
            found = true;
        }
    }
    return found;
}

static bool refuse_unknown (const config_t *self, const zpl_node_t *node, char why [LONG_WHY_BYTES])
{
    char path [ZPL_PATH_BYTES], nearest [KEY_BYTES_MAX + 1], place [220], notice [160];
    zpl_path (node, path);
    if (node->line)
        snprintf (place, sizeof place, "%.200s:%u", self->file, node->line);
    else
        snprintf (place, sizeof place, "--set");
    if (meant (self, path, node->first != NULL, nearest))
        snprintf (notice, sizeof notice, ", did you mean '%s'?", nearest);
    else
        snprintf (notice, sizeof notice, "; --help lists all keys");
    return wrong_setting (why, "%s: unknown %s '%.100s'%s", place, node->first ? "section" : "key",
                          path, notice);
}

static bool is_bounded (const config_key_t *key)
{
    return key->least != 0 || key->most != 0;
}

/*  "an integer from 1 to 16": what is right for a key. */
static const char *type_words (const config_key_t *key, char words [160])
{
    static const char *const names [] = {
      [CONFIG_TEXT] = "text",
      [CONFIG_INTEGER] = "an integer",
      [CONFIG_REAL] = "a number",
      [CONFIG_BOOLEAN] = "true or false",
      [CONFIG_DURATION] = "a duration like 90s or 1h30m",
    };
    int used = snprintf (words, 160, "%s", names [key->type]);
    char least [TIMETEXT_BYTES], most [TIMETEXT_BYTES];
    if (!is_bounded (key) || key->type == CONFIG_TEXT || key->type == CONFIG_BOOLEAN)
        return words;
    if (key->type == CONFIG_DURATION)
        snprintf (words + used, 160 - (size_t) used, ", from %s to %s",
                  timetext_format_duration ((int64_t) key->least, least),
                  timetext_format_duration ((int64_t) key->most, most));
    else
        snprintf (words + used, 160 - (size_t) used, " from %.15g to %.15g", key->least, key->most);
    return words;
}

/*  A value as it is meant; which member counts depends on the key's type. */
typedef struct {
    int64_t integer; /* ms of a duration */
    double real;
    bool boolean;
} meaning_t;

static bool number_read (const config_key_t *key, const char *text, meaning_t *meaning)
{
    char *end = NULL;
    errno = 0;
    if (key->type == CONFIG_DURATION)
        return timetext_parse_duration (text, &meaning->integer);
    if (key->type == CONFIG_INTEGER)
        meaning->integer = strtoll (text, &end, 10);
    else
        meaning->real = strtod (text, &end);
    return end != text && !*end && isfinite (meaning->real) &&
           (key->type != CONFIG_INTEGER || errno == 0);
}

static bool value_read (const config_key_t *key, const char *text, meaning_t *meaning)
{
    *meaning = (meaning_t){0};
    if (key->type == CONFIG_TEXT)
        return true;
    if (key->type == CONFIG_BOOLEAN) {
        meaning->boolean = strcmp (text, "true") == 0 || strcmp (text, "1") == 0;
        return meaning->boolean || strcmp (text, "false") == 0 || strcmp (text, "0") == 0;
    }
    if (!number_read (key, text, meaning))
        return false;
    double number = key->type == CONFIG_REAL ? meaning->real : (double) meaning->integer;
    return !is_bounded (key) || (number >= key->least && number <= key->most);
}

static bool check_node (const config_t *self, const zpl_node_t *node, char why [LONG_WHY_BYTES])
{
    char path [ZPL_PATH_BYTES], words [160];
    meaning_t meaning;
    zpl_path (node, path);
    const config_key_t *key = key_find (self, path);
    bool section = is_section (self, path);
    if ((node->first && !section) || (node->value && !key) || (!key && !section))
        return refuse_unknown (self, node, why);
    if (!node->value && !section)
        return config_wrong (self, path, why, "no value; write %s = %.150s", node->name,
                             type_words (key, words));
    if (node->value && !value_read (key, node->value, &meaning))
        return config_wrong (self, path, why, "'%.60s' is not %s", node->value,
                             type_words (key, words));
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

static bool refuse_missing (const config_t *self, const config_key_t *key,
                            const zpl_node_t *section, const char *rest, char why [LONG_WHY_BYTES])
{
    char path [ZPL_PATH_BYTES], words [160];
    zpl_path (section, path);
    char place [220] = "";
    if (section->line)
        snprintf (place, sizeof place, "%.200s:%u: ", self->file, section->line);
    else if (*self->file)
        snprintf (place, sizeof place, "%.200s: ", self->file);
    return wrong_setting (why, "%s%.60s%s%.40s is missing: %.70s (%.60s)", place, path,
                          *path ? "/" : "", rest, type_words (key, words), key->meaning);
}

/*  A required key must stand in every section that its stars match. rest is the key's path below
 *  section; as deep as the key. */
static bool check_required (const config_t *self, const config_key_t *key,
                            const zpl_node_t *section, const char *rest, char why [LONG_WHY_BYTES])
{
    const char *below = rest, *name;
    size_t size;
    if (!path_step (&below, &name, &size))
        return true;
    if (size == 1 && *name == '*') {
        for (const zpl_node_t *node = section->first; node; node = node->next)
            if (!check_required (self, key, node, below, why))
                return false;
        return true;
    }
    const zpl_node_t *node = zpl_child (self->tree, section, name, size);
    if (node)
        return check_required (self, key, node, below, why);
    return strchr (below, '*') ? true : refuse_missing (self, key, section, rest, why);
}

static bool config_check_all (const config_t *self, char why [LONG_WHY_BYTES])
{
    const zpl_node_t *root = zpl_root (self->tree);
    if (!check_tree (self, root, why))
        return false;
    for (size_t i = 0; i < self->keys_count; i++) {
        const config_key_t *key = &self->keys [i];
        if (key->required && !check_required (self, key, root, key->path, why))
            return false;
    }
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
    return config_check_all (self, why);
}

config_t *config_parse (const char *name, const char *text, size_t size,
                        const char *const *settings, size_t settings_count,
                        const config_key_t *keys, size_t keys_count, char why [LONG_WHY_BYTES])
{
    config_t *self = must (calloc (1, sizeof *self));
    self->tree = zpl_new ();
    self->file = must (strdup (name));
    self->keys = keys;
    self->keys_count = keys_count;
    for (size_t i = 0; i < keys_count; i++)
        assert (!keys [i].preset || value_read (&keys [i], keys [i].preset, &(meaning_t){0}));
    if (!config_read (self, text, size, settings, settings_count, why))
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

config_t *config_load (const char *file, const char *const *settings, size_t settings_count,
                       const config_key_t *keys, size_t keys_count, char why [LONG_WHY_BYTES])
{
    size_t size = 0;
    text_auto_t *text = file ? config_read_file (file, &size) : NULL;
    if (file && !text) {
        snprintf (why, LONG_WHY_BYTES, "%.300s: cannot be read: %s", file, strerror (errno));
        return NULL;
    }
    return config_parse (file ? file : "", text ? text : "", size, settings, settings_count, keys,
                         keys_count, why);
}

void config_destroy (config_t **self_p)
{
    config_t *self = *self_p;
    if (!self)
        return;
    zpl_destroy (&self->tree);
    free (self->file);
    free (self);
    *self_p = NULL;
}

/*  NULL when absent without preset. */
static const char *value_of (const config_t *self, const config_key_t *key, const char *path)
{
    const zpl_node_t *node = zpl_find (self->tree, path);
    return node && node->value ? node->value : key->preset;
}

const char *config_text (const config_t *self, const char *path)
{
    const config_key_t *key = key_find (self, path);
    assert (key && key->type == CONFIG_TEXT);
    return value_of (self, key, path);
}

/*  0 when absent without preset. */
static meaning_t meaning_of (const config_t *self, const char *path, config_type_t type)
{
    const config_key_t *key = key_find (self, path);
    assert (key && key->type == type);
    const char *text = value_of (self, key, path);
    meaning_t meaning = {0};
    if (text)
        value_read (key, text, &meaning); /* it was right when it was loaded */
    return meaning;
}

int64_t config_integer (const config_t *self, const char *path)
{
    return meaning_of (self, path, CONFIG_INTEGER).integer;
}

double config_real (const config_t *self, const char *path)
{
    return meaning_of (self, path, CONFIG_REAL).real;
}

bool config_boolean (const config_t *self, const char *path)
{
    return meaning_of (self, path, CONFIG_BOOLEAN).boolean;
}

int64_t config_duration_ms (const config_t *self, const char *path)
{
    return meaning_of (self, path, CONFIG_DURATION).integer;
}

bool config_has (const config_t *self, const char *path)
{
    return zpl_find (self->tree, path) != NULL;
}

bool config_describes (const config_t *self, const char *path)
{
    return key_find (self, path) != NULL;
}

size_t config_names (const config_t *self, const char *section, const char **names,
                     size_t names_max)
{
    const zpl_node_t *node = zpl_find (self->tree, section);
    size_t count = 0;
    for (node = node ? node->first : NULL; node && count < names_max; node = node->next)
        names [count++] = node->name;
    return count;
}

void config_describe (const config_key_t *keys, size_t keys_count, void (*line) (const char *text))
{
    for (size_t i = 0; i < keys_count; i++) {
        const config_key_t *key = &keys [i];
        char text [1024], words [160];
        snprintf (text, sizeof text, "  %s%s%s%s\n", key->path, key->preset ? " = " : "",
                  key->preset && *key->preset ? key->preset : (key->preset ? "\"\"" : ""),
                  key->required ? "    (must be given)" : "");
        line (text);
        snprintf (text, sizeof text, "        %s: %s\n", type_words (key, words), key->meaning);
        line (text);
    }
}

bool config_name_read (const config_t *config, const char *kind, const char *what,
                       char name [NAME_BYTES_MAX + 1], char why [LONG_WHY_BYTES])
{
    const char *given = config_text (config, "name");
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
