/*  folder_pack - where the members of a folder go, and packs of small ones: archives (pax) of names
 *  and bytes alone, so that the same bytes make the same pack. Modes and times are the manifest's.
 *
 *  Packs are cut at names that a hash of the name picks, so that a member that comes, goes or
 *  changes leaves the packs of all others as they are, but for a neighbour at most.
 */
#ifndef MUSUBI_FOLDER_PACK_H
#define MUSUBI_FOLDER_PACK_H

#include "folder_unpack.h"

#define SMALL_BYTES_MAX  (UINT64_C (1) << 20) /* larger files are pieces by themselves */
#define PACK_BYTES_LEAST (UINT64_C (4) << 20) /* a hash cuts no smaller ones */
#define PACK_BYTES_MEAN  (UINT64_C (8) << 20) /* beyond that it cuts after so many, on average */
#define PACK_BYTES_MAX   (UINT64_C (64) << 20)

/*  Gives every file its piece, by number; pieces get a name each, still "". */
void folder_pack_plan (json_t *manifest);

/*  Writes a pack of these members to a path; each one's size, mode, time and digest become those
 *  that it had when it was read. One that changes meanwhile is read once more. False after naming
 *  the members that can't be read or go on changing. */
bool folder_pack_write (const json_t *members, const char *top, const char *path);

/*  As members have it: of the years 1678 to 2261, or the nearest in these. */
int64_t folder_time_ns (struct timespec time);

/*  Sets mode and time of a member, and the size of a file. Were they the same before and after? */
void folder_member_note (json_t *member, const struct stat *status);
bool folder_status_same (const struct stat *a, const struct stat *b);

#endif
