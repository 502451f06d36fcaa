/*  store_pages - are the pages of a file as LMDB writes them? LMDB trusts their headers, too: where
 *  one is wrong, all records may be read well, and the first write that changes the page goes
 *  beyond it and ends the service, or takes pages that others use.
 *
 *  The layout is that of LMDB's data version 1: two heads, then pages of 16 bytes of header. Each
 *  page is in one of the two trees, part of a long value of one, or in a list of free pages, once.
 */
#include "store_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/*  Where things are: in a head, in a tree of it, in a page, and in a node, which is a record or
 *  names a page. */
#define HEAD_FREE  40 /* the tree of free pages */
#define HEAD_MAIN  88 /* the tree of records */
#define TREE_DEPTH 6
#define TREE_ROOT  40
#define PAGE_FLAGS 10
#define PAGE_LOWER 12 /* the end of the places of its nodes; of a long value: its pages */
#define PAGE_UPPER 14 /* where its nodes begin */
#define PAGE_NODES 16
#define NODE_FLAGS 4
#define NODE_KEY   6
#define NODE_BYTES 8

#define IS_BRANCH 1
#define IS_LEAF   2
#define IS_LONG   4
#define NODE_LONG 1 /* the value is in pages of its own */

#define LEVELS_MAX 32

typedef struct {
    const uint8_t *map;
    size_t page_bytes;
    size_t pages; /* whole ones in the file */
    size_t count; /* that LMDB has given out */
    uint8_t *seen;
} pages_t;

static size_t read16 (const uint8_t *at)
{
    uint16_t value;
    memcpy (&value, at, sizeof value);
    return value;
}

static size_t read32 (const uint8_t *at)
{
    uint32_t value;
    memcpy (&value, at, sizeof value);
    return value;
}

static size_t read64 (const uint8_t *at)
{
    uint64_t value;
    memcpy (&value, at, sizeof value);
    return value;
}

/*  NULL when the file has no such page, or its header is of another one. */
static const uint8_t *page_find (const pages_t *self, size_t page, size_t flags)
{
    if (page < 2 || page >= self->count || page >= self->pages)
        return NULL;
    const uint8_t *at = self->map + page * self->page_bytes;
    return read64 (at) == page && read16 (at + PAGE_FLAGS) == flags ? at : NULL;
}

/*  False when one of them is used twice, or isn't given out. */
static bool pages_take (pages_t *self, size_t page, size_t count)
{
    if (page >= self->count || count > self->count - page)
        return false;
    for (size_t i = page; i < page + count; i++)
        if (self->seen [i]++ != 0)
            return false;
    return true;
}

static bool long_value_sound (pages_t *self, size_t page, size_t bytes)
{
    const uint8_t *at = page_find (self, page, IS_LONG);
    if (!at)
        return false;
    size_t count = read32 (at + PAGE_LOWER);
    return count >= (PAGE_NODES + bytes + self->page_bytes - 1) / self->page_bytes &&
           page + count <= self->pages && pages_take (self, page, count);
}

/*  A node that has so much room at most; bytes is what it takes. */
static bool node_sound (pages_t *self, const uint8_t *node, size_t room, bool leaf, size_t *bytes)
{
    size_t flags = read16 (node + NODE_FLAGS), size = read32 (node);
    *bytes = NODE_BYTES + read16 (node + NODE_KEY);
    if (!leaf)
        return *bytes <= room;
    *bytes += flags == NODE_LONG ? sizeof (uint64_t) : size;
    if (flags > NODE_LONG || *bytes > room)
        return false;
    return flags != NODE_LONG ||
           long_value_sound (self, read64 (node + *bytes - sizeof (uint64_t)), size);
}

typedef struct {
    const uint8_t *page;
    size_t next; /* of its nodes */
} tree_level_t;

static bool page_enter (pages_t *self, tree_level_t *level, size_t page, bool leaf)
{
    const uint8_t *at = page_find (self, page, leaf ? IS_LEAF : IS_BRANCH);
    *level = (tree_level_t){.page = at};
    if (!at || !pages_take (self, page, 1))
        return false;
    size_t lower = read16 (at + PAGE_LOWER), upper = read16 (at + PAGE_UPPER), used = 0;
    size_t least = PAGE_NODES + 2 * (leaf ? 1 : 2);
    if (lower < least || lower % 2 != 0 || lower > upper || upper > self->page_bytes)
        return false;
    for (size_t i = PAGE_NODES; i < lower; i += 2) {
        size_t place = read16 (at + i), bytes;
        if (place < upper || place + NODE_BYTES > self->page_bytes ||
            !node_sound (self, at + place, self->page_bytes - place, leaf, &bytes))
            return false;
        used += bytes + bytes % 2;
    }
    return used == self->page_bytes - upper; /* no two lie over each other */
}

static bool tree_sound (pages_t *self, const uint8_t *tree)
{
    tree_level_t levels [LEVELS_MAX];
    size_t depth = read16 (tree + TREE_DEPTH), root = read64 (tree + TREE_ROOT), at = 0;
    if (depth == 0)
        return root == SIZE_MAX; /* it is empty */
    if (depth > LEVELS_MAX || !page_enter (self, &levels [0], root, depth == 1))
        return false;
    for (;;) {
        tree_level_t *level = &levels [at];
        const uint8_t *place = level->page + PAGE_NODES + 2 * level->next++;
        if (at + 1 == depth || place >= level->page + read16 (level->page + PAGE_LOWER)) {
            if (at-- == 0)
                return true;
            continue;
        }
        const uint8_t *node = level->page + read16 (place);
        size_t below = read32 (node) | read16 (node + NODE_FLAGS) << 32;
        at++;
        if (!page_enter (self, &levels [at], below, at + 1 == depth))
            return false;
    }
}

/*  One of LMDB's lists of free pages: how many, then their numbers, falling. A page that isn't free
 *  would be written over. */
static bool free_list_sound (pages_t *self, const MDB_val *list)
{
    size_t before = self->count;
    const uint8_t *at = list->mv_data;
    if (list->mv_size < sizeof (uint64_t) || read64 (at) > list->mv_size / sizeof (uint64_t) - 1)
        return false;
    for (size_t i = 1; i <= read64 (at); i++) {
        size_t page = read64 (at + i * sizeof (uint64_t));
        if (page < 2 || page >= before || !pages_take (self, page, 1))
            return false;
        before = page;
    }
    return true;
}

static int free_lists_sound (pages_t *self, MDB_txn *txn)
{
    MDB_cursor *cursor;
    MDB_val key, list;
    int code = mdb_cursor_open (txn, 0, &cursor);
    while (code == MDB_SUCCESS &&
           (code = mdb_cursor_get (cursor, &key, &list, MDB_NEXT)) == MDB_SUCCESS)
        if (!free_list_sound (self, &list))
            code = MDB_CORRUPTED;
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

int store_check_pages (MDB_env *env, MDB_txn *txn)
{
    MDB_envinfo info;
    MDB_stat stat;
    struct stat file;
    mdb_filehandle_t fd;
    mdb_env_info (env, &info);
    mdb_env_stat (env, &stat);
    if (mdb_env_get_fd (env, &fd) != MDB_SUCCESS || fstat (fd, &file) != 0)
        return errno;
    pages_t self = {.page_bytes = stat.ms_psize,
                    .pages = (size_t) file.st_size / stat.ms_psize,
                    .count = info.me_last_pgno + 1};
    if (self.pages < 2)
        return MDB_CORRUPTED;
    void *map = mmap (NULL, (size_t) file.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return errno;
    self.map = map;
    self.seen = calloc (self.count, 1);
    const uint8_t *head = self.map + (mdb_txn_id (txn) & 1) * self.page_bytes;
    int code = MDB_CORRUPTED; /* also when it counts as many pages as no file has */
    if (self.seen && tree_sound (&self, head + HEAD_FREE) && tree_sound (&self, head + HEAD_MAIN))
        code = free_lists_sound (&self, txn);
    free (self.seen);
    munmap (map, (size_t) file.st_size);
    return code;
}
