/*  zpl - text in the ZeroMQ Property Language (RFC 4) as a tree whose nodes know their lines.
 *
 *      limits                      a name, nested by four spaces
 *          hold_ttl = 60s          # with a value up to the comment
 *          note = "held # firm"    or in quotes
 *
 *  CZMQ's reader of the same language keeps no lines, prints its complaints to standard output, and
 *  trusts the lengths of lines; a configuration's errors must be told with file and line. Stricter
 *  than the RFC in two things: a name is given once in its section, and has no slash, because
 *  slashes make paths.
 */
#ifndef MUSUBI_ZPL_H
#define MUSUBI_ZPL_H

#include "bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZPL_BYTES_MAX      (4u << 20)
#define ZPL_LINE_BYTES_MAX 65536
#define ZPL_NODES_MAX      65536
#define ZPL_DEPTH_MAX      16
#define ZPL_NAME_BYTES_MAX 63
#define ZPL_PATH_BYTES     (ZPL_DEPTH_MAX * (ZPL_NAME_BYTES_MAX + 1) + 1)

typedef struct zpl zpl_t;

/*  Children are in file order. */
typedef struct zpl_node {
    char name [ZPL_NAME_BYTES_MAX + 1];
    char *value;   /* NULL: a section */
    unsigned line; /* 0: from zpl_set */
    struct zpl_node *parent;
    struct zpl_node *first;
    struct zpl_node *last;
    struct zpl_node *next;
    struct zpl_node *bucket_next; /* private */
} zpl_node_t;

/*  An empty tree: a root without a name. */
zpl_t *zpl_new (void);
void zpl_destroy (zpl_t **self_p);

/*  Adds the text's nodes to an empty tree. False with why = "LINE: what is wrong"; the tree is then
 *  good for zpl_destroy only. */
bool zpl_read (zpl_t *self, const char *text, size_t size, char why [LONG_WHY_BYTES]);

/*  Gives path a value, whether or not it had one. False with why when it cannot be a path. */
bool zpl_set (zpl_t *self, const char *path, const char *value, char why [LONG_WHY_BYTES]);

const zpl_node_t *zpl_root (const zpl_t *self);

/*  NULL when there is no such node. */
zpl_node_t *zpl_child (const zpl_t *self, const zpl_node_t *parent, const char *name, size_t size);
const zpl_node_t *zpl_find (const zpl_t *self, const char *path);

/*  "limits/hold_ttl" */
const char *zpl_path (const zpl_node_t *node, char path [ZPL_PATH_BYTES]);

#endif
