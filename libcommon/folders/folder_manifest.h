/*  folder_manifest - what a folder has, as JSON: its members, and the pieces that their bytes lie
 *  in.
 *
 *      {"musubi_folder": 1, "pieces": ["pack-3f…"], "members": [
 *        {"kind": "folder", "path": "", "mode": 493, "mtime_ns": 1700000000000000000},
 *        {"kind": "file", "path": "a/b", "mode": 420, "mtime_ns": …, "size": 3, "piece": 0},
 *        {"kind": "link", "path": "c", "mode": 511, "mtime_ns": …, "target": "a/b"}],
 *       "digests": ["", "5c1a…", ""]}
 *
 *  A piece is a file of the federation: "pack-DIGEST" has many small members, "file-DIGEST" is one
 *  large one; DIGEST is the piece's SHA-256. Members stand in the order of their paths, where a
 *  slash comes before all other bytes: a folder before what it has. Digests, SHA-256 too, stand in
 *  the order of the members, not in them: earlier versions refuse a member with another key, and
 *  wrote no digests. In memory they are the members' own, as far as they are known.
 */
#ifndef MUSUBI_FOLDER_MANIFEST_H
#define MUSUBI_FOLDER_MANIFEST_H

#include "bytes.h"

#include <jansson.h>

/*  Of a hidden name, between the folder's and the piece's: NAME/.folder/pack-DIGEST. In a task's
 *  folder pieces stand at FOLDER_PLACE PATH FOLDER_MARK MEMBER/PIECE: the member, or those like it,
 *  is laid out at the path; without "MEMBER/" the whole folder. */
#define FOLDER_MARK  "/.folder/"
#define FOLDER_PLACE ".folder/"

#define FOLDER_MEMBERS_MAX 250000 /* files, folders and links */
#define PIECE_NAME_BYTES   70     /* "pack-", 64 hex digits, NUL */

/*  Symbolic links become members, what they lead to does, or they are left out. */
typedef enum { LINKS_KEEP, LINKS_FOLLOW, LINKS_SKIP } tree_links_t;

/*  A folder of this machine as a new manifest without pieces. NULL after naming each member that
 *  can't be read. Devices, pipes and sockets are named and left out. */
json_t *folder_tree_read (const char *top, tree_links_t links);

/*  From a file, whose text may be anybody's; new. NULL after saying why not: a path that leads out
 *  of the folder or through what is no folder, a name twice, … */
json_t *folder_manifest_read (const char *path);

/*  Writes it to a path, with the digests, which the members lose; false with errno. */
bool folder_manifest_write (json_t *self, const char *path);

/*  The member with this path, or NULL. */
json_t *folder_manifest_find (const json_t *self, const char *path);

/*  Marks as done all but members with this path, or, of one with * or ? (not across slashes), like
 *  it, what is below them, and the folders above; "" = none. The first get the key "top". How many
 *  these are. */
size_t folder_manifest_only (json_t *self, const char *like);

/*  For each piece the array of its members, new. */
json_t *folder_manifest_groups (const json_t *self);

/*  The next member of this kind ("file"), or any (NULL), that is not marked as "done"; *at counts
 *  on. NULL behind the last. */
json_t *folder_member_next (const json_t *self, const char *kind, size_t *at);

/*  Says "COMMAND: PATH: what is wrong", the path without control characters, and cut; false. */
bool path_refuse (const char *command, const char *path, const char *what);

/*  What this room says goes to standard error, or takes the place of the text in here, of
 *  WHY_BYTES; false. */
extern char *folder_why;
bool folder_refuse (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/*  Has this program been told to end? Set by programs that can be. */
extern bool (*folder_interrupted) (void);

/*  Would a terminal obey this name? It has ESC, or a control character of 8 bits. */
bool path_escapes (const char *path);

#endif
