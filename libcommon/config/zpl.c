/*  zpl - one pass over the lines; nodes are found by a hash of parent and name, so that a section
 *  of many names costs no more than many sections of one.
 */
#include "zpl.h"
#include "must.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS       4096
#define INDENT_SPACES 4

struct zpl {
    zpl_node_t root;
    zpl_node_t *buckets [BUCKETS];
    size_t nodes_count;
};

/*  A line while it is read. */
typedef struct {
    const char *at;
    const char *end;
    unsigned number;
    char *why;
} zpl_line_t;

__attribute__ ((format (printf, 2, 3))) static bool refuse (const zpl_line_t *line,
                                                            const char *format, ...)
{
    int used = snprintf (line->why, LONG_WHY_BYTES, "%u: ", line->number);
    format_rest (line->why + used, LONG_WHY_BYTES - (size_t) used, format);
    return false;
}

/*  FNV-1a over the parent's address and the name: for finding only, never for an order. */
static size_t bucket_of (const zpl_node_t *parent, const char *name, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t) (uintptr_t) parent;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t) name [i]) * 0x100000001b3u;
    return (size_t) (hash ^ hash >> 32) % BUCKETS;
}

zpl_node_t *zpl_child (const zpl_t *self, const zpl_node_t *parent, const char *name, size_t size)
{
    zpl_node_t *node = self->buckets [bucket_of (parent, name, size)];
    while (node && (node->parent != parent || strlen (node->name) != size ||
                    memcmp (node->name, name, size) != 0))
        node = node->bucket_next;
    return node;
}

static zpl_node_t *child_add (zpl_t *self, zpl_node_t *parent, const char *name, size_t size,
                              unsigned line)
{
    assert (size <= ZPL_NAME_BYTES_MAX);
    zpl_node_t *node = must (calloc (1, sizeof *node));
    memcpy (node->name, name, size);
    node->line = line;
    node->parent = parent;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    zpl_node_t **bucket = &self->buckets [bucket_of (parent, name, size)];
    node->bucket_next = *bucket;
    *bucket = node;
    self->nodes_count++;
    return node;
}

static bool is_name_char (char c)
{
    return isalnum ((unsigned char) c) || (c && strchr ("$-_@.&+", c));
}

static size_t name_size (const char *at, const char *end)
{
    const char *start = at;
    while (at < end && is_name_char (*at))
        at++;
    return (size_t) (at - start);
}

/*  Four spaces a level; at most one level deeper than the line above it. */
static bool read_indent (zpl_line_t *line, size_t depth_most, size_t *depth)
{
    size_t spaces = 0;
    while (line->at < line->end && *line->at == ' ') {
        line->at++;
        spaces++;
    }
    if (line->at < line->end && *line->at == '\t')
        return refuse (line, "a tab; indent by four spaces");
    if (spaces % INDENT_SPACES != 0)
        return refuse (line, "indented by %zu spaces; indent by four a level", spaces);
    *depth = spaces / INDENT_SPACES;
    if (*depth > depth_most)
        return refuse (line, "indented by %zu levels where %zu is the deepest possible", *depth,
                       depth_most);
    if (*depth >= ZPL_DEPTH_MAX)
        return refuse (line, "nested deeper than %d levels", ZPL_DEPTH_MAX);
    return true;
}

static bool zpl_read_name (zpl_line_t *line, const char **name, size_t *size)
{
    *name = line->at;
    *size = name_size (line->at, line->end);
    line->at += *size;
    if (*size == 0 || (line->at < line->end && !strchr (" \t=#", *line->at))) {
        char seen = *line->at;
        return isprint ((unsigned char) seen)
                 ? refuse (line, "a name cannot contain '%c'; write name = value", seen)
                 : refuse (line, "a name cannot contain byte 0x%02x; write name = value",
                           (unsigned char) seen);
    }
    if (*size > ZPL_NAME_BYTES_MAX)
        return refuse (line, "a name of %zu bytes; %d are allowed", *size, ZPL_NAME_BYTES_MAX);
    return true;
}

static void skip_spaces (zpl_line_t *line)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
        line->at++;
}

static bool zpl_read_end (zpl_line_t *line)
{
    skip_spaces (line);
    if (line->at < line->end && *line->at != '#')
        return refuse (line, "'%.*s' after the value", (int) (line->end - line->at), line->at);
    return true;
}

/*  value NULL when there is none. */
static bool zpl_read_value (zpl_line_t *line, const char **value, size_t *size)
{
    *value = NULL;
    *size = 0;
    skip_spaces (line);
    if (line->at == line->end || *line->at != '=')
        return zpl_read_end (line);
    line->at++;
    skip_spaces (line);
    *value = line->at;
    if (line->at < line->end && (*line->at == '"' || *line->at == '\'')) {
        const char *close = memchr (line->at + 1, *line->at, (size_t) (line->end - line->at) - 1);
        if (!close)
            return refuse (line, "a quote is opened and not closed");
        *value = line->at + 1;
        *size = (size_t) (close - *value);
        line->at = close + 1;
        return zpl_read_end (line);
    }
    const char *comment = memchr (line->at, '#', (size_t) (line->end - line->at));
    const char *end = comment ? comment : line->end;
    while (end > *value && isspace ((unsigned char) end [-1]))
        end--;
    *size = (size_t) (end - *value);
    if (memchr (*value, '"', *size) && memchr (*value, '\'', *size))
        return refuse (line, "a value with both kinds of quotes, which no file can quote");
    return true;
}

static bool has_control (const char *at, const char *end)
{
    for (; at < end; at++)
        if ((uint8_t) *at < ' ' && *at != '\t')
            return true;
    return false;
}

/*  parents [d] is the node that a line at depth d belongs to; *depth_most how deep a line may be.
 */
static bool read_line (zpl_t *self, zpl_line_t *line, zpl_node_t *parents [ZPL_DEPTH_MAX + 1],
                       size_t *depth_most)
{
    if (line->end - line->at > ZPL_LINE_BYTES_MAX)
        return refuse (line, "a line longer than %d bytes", ZPL_LINE_BYTES_MAX);
    if (has_control (line->at, line->end))
        return refuse (line, "a control character; settings are plain text");
    zpl_line_t look = *line;
    skip_spaces (&look);
    if (look.at == look.end || *look.at == '#')
        return true;

    size_t depth = 0, size = 0, value_size = 0;
    const char *name = NULL, *value = NULL;
    if (!read_indent (line, *depth_most, &depth) || !zpl_read_name (line, &name, &size) ||
        !zpl_read_value (line, &value, &value_size))
        return false;
    zpl_node_t *earlier = zpl_child (self, parents [depth], name, size);
    if (earlier)
        return refuse (line, "'%s' is given twice, first in line %u", earlier->name, earlier->line);
    if (self->nodes_count >= ZPL_NODES_MAX)
        return refuse (line, "more than %d names", ZPL_NODES_MAX);

    zpl_node_t *node = child_add (self, parents [depth], name, size, line->number);
    if (value)
        node->value = must (strndup (value, value_size));
    parents [depth + 1] = node;
    *depth_most = depth + 1;
    return true;
}

zpl_t *zpl_new (void)
{
    return must (calloc (1, sizeof (zpl_t)));
}

void zpl_destroy (zpl_t **self_p)
{
    zpl_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        while (self->buckets [i]) {
            zpl_node_t *node = self->buckets [i];
            self->buckets [i] = node->bucket_next;
            free (node->value);
            free (node);
        }
    free (self);
    *self_p = NULL;
}

bool zpl_read (zpl_t *self, const char *text, size_t size, char why [LONG_WHY_BYTES])
{
    assert (!self->root.first);
    zpl_node_t *parents [ZPL_DEPTH_MAX + 1] = {&self->root};
    size_t depth_most = 0;
    zpl_line_t line = {.why = why};
    const char *end = text + size;
    if (size > ZPL_BYTES_MAX) {
        line.number = 1;
        return refuse (&line, "more than %u bytes", ZPL_BYTES_MAX);
    }
    for (const char *at = text; at < end;) {
        const char *newline = memchr (at, '\n', (size_t) (end - at));
        line.at = at;
        line.end = newline ? newline : end;
        at = newline ? newline + 1 : end;
        if (line.end > line.at && line.end [-1] == '\r')
            line.end--;
        line.number++;
        if (!read_line (self, &line, parents, &depth_most))
            return false;
    }
    return true;
}

bool zpl_set (zpl_t *self, const char *path, const char *value, char why [LONG_WHY_BYTES])
{
    const char *end = path + strlen (path);
    zpl_node_t *node = &self->root;
    size_t depth = 0;
    for (const char *at = path;; at++) {
        size_t size = name_size (at, end);
        if (size == 0 || size > ZPL_NAME_BYTES_MAX || (at [size] && at [size] != '/') ||
            ++depth > ZPL_DEPTH_MAX) {
            snprintf (why, LONG_WHY_BYTES, "not a path of names joined by '/'");
            return false;
        }
        zpl_node_t *child = zpl_child (self, node, at, size);
        if (!child && self->nodes_count >= ZPL_NODES_MAX) {
            snprintf (why, LONG_WHY_BYTES, "more than %d names", ZPL_NODES_MAX);
            return false;
        }
        node = child ? child : child_add (self, node, at, size, 0);
        at += size;
        if (!*at)
            break;
    }
    if (has_control (value, value + strlen (value))) {
        snprintf (why, LONG_WHY_BYTES, "a control character in the value");
        return false;
    }
    free (node->value);
    node->value = must (strdup (value));
    node->line = 0;
    return true;
}

const zpl_node_t *zpl_root (const zpl_t *self)
{
    return &self->root;
}

const zpl_node_t *zpl_find (const zpl_t *self, const char *path)
{
    const zpl_node_t *node = &self->root;
    for (;;) {
        size_t size = strcspn (path, "/");
        node = zpl_child (self, node, path, size);
        if (!node || !path [size])
            return node;
        path += size + 1;
    }
}

const char *zpl_path (const zpl_node_t *node, char path [ZPL_PATH_BYTES])
{
    const zpl_node_t *chain [ZPL_DEPTH_MAX];
    size_t depth = 0;
    for (; node->parent; node = node->parent)
        chain [depth++] = node;
    size_t used = 0;
    path [0] = '\0';
    while (depth-- > 0)
        used += (size_t) snprintf (path + used, ZPL_PATH_BYTES - used, "%s%s", used ? "/" : "",
                                   chain [depth]->name);
    return path;
}
