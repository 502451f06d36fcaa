/*  disk_space - what of a site's disks is promised to reservations, and what is left for files that
 *  nobody has booked (S2; SPEC 9, 27, 28).
 *
 *  Each storage node has a calendar of whole MiB. What a node may promise is what it said last that
 *  it may use, and nothing before it has said so. Of that its lasting copies (copy_lasts) and the
 *  bytes of transfers under way count as booked without end; what the cache may drop does not
 *  count.
 *
 *  The other way round a file gets only room that no reservation needs: for good, if it is never
 *  evicted; else for DISK_SPACE_LEASE_MS, since it can be evicted when a booking begins. When one
 *  begins the room that it has not filled yet is made free, and kept free.
 *
 *  A copy that a committed booking names is not evicted, also before its window, if there is room
 *  for it until then; that counts as booked, too. A booking of no bytes is for a file of which the
 *  node has a lasting copy. The least that a booking takes is one MiB. Pure.
 */
#ifndef MUSUBI_DISK_SPACE_H
#define MUSUBI_DISK_SPACE_H

#include "cache.h"
#include "calendar_service.h"
#include "disk_bookings.h"

#define DISK_SPACE_LEASE_MS 3600000 /* that a file which can be evicted must have its room */
#define DISK_SPACE_AGAIN_MS 500     /* until room is made again where some is lacking */

typedef struct disk_space disk_space_t;

/*  The calendars, one a storage node, which promise nothing yet. name is the site's. */
free_capacity_t *disk_space_room (const char *name, const char *const *nodes, size_t nodes_count,
                                  const free_capacity_terms_t *terms,
                                  const timekeeper_t *timekeeper);

/*  All borrowed for life. Counts space_evictions. */
typedef struct {
    service_t *service;
    catalogue_t *catalogue;
    chain_t *chain;
    cache_t *cache;
    free_capacity_t *room;
} disk_space_parts_t;
disk_space_t *disk_space_new (const disk_space_parts_t *parts);
void disk_space_destroy (disk_space_t **self_p);

/*  How its parts are read; what the participant tells it. */
void disk_space_reader (const disk_space_t *self, part_reader_t *reader);
void disk_space_tell (disk_space_t *self, usage_t *usage);

/*  Once these are there, before the start. */
void disk_space_attach (disk_space_t *self, const participant_t *participant,
                        calendar_service_t *questions);

/*  Brings the calendars up to date: before each question to them. And looks, at the end of this
 *  step, at what the nodes have said of their capacity. */
void disk_space_refresh (disk_space_t *self, const moment_t *now);
void disk_space_hear (disk_space_t *self, const moment_t *now);

/*  May all copies of this file become lasting ones? False with why. */
bool disk_space_may_last (disk_space_t *self, const moment_t *now, const file_t *file,
                          char why [WHY_BYTES]);

/*  The committed bookings. */
const disk_bookings_t *disk_space_bookings (const disk_space_t *self);

/*  What is announced; end it with codec_clear. */
site_storage_t disk_space_offer (const disk_space_t *self);

#endif
