/*  disk_space - what lasts and what is under way, counted into the calendars; room made where a
 *  booking begins.
 */
#include "disk_space.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  A file with copies that last. */
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    uint64_t size;
    size_t nodes_count;
    size_t nodes [];
} lasting_file_t;

typedef struct {
    uint64_t lasting; /* bytes of copies that last */
    uint64_t coming;  /* bytes under way that nobody has booked */
    bool dirty;
    interval_list_t booked; /* what both take, and the copies that bookings hold */
} space_disk_t;

struct disk_space {
    disk_space_parts_t parts;
    const participant_t *participant;
    calendar_service_t *questions;
    disk_bookings_t *bookings;
    ordered_t *lasting;  /* lasting_file_t by name */
    uint64_t seen;       /* number of the last change of the catalogue that is counted */
    space_disk_t *disks; /* by resource */
    size_t disks_count;
    uint64_t timer;
    bool lacking;        /* some booking under way has not all its room */
    uint64_t hear_timer; /* 0 = not set */
};

free_capacity_t *disk_space_room (const char *name, const char *const *nodes, size_t nodes_count,
                                  const free_capacity_terms_t *terms,
                                  const timekeeper_t *timekeeper)
{
    resource_offer_t *offers = must (calloc (nodes_count + 1, sizeof *offers));
    for (size_t i = 0; i < nodes_count; i++) {
        offers [i] = (resource_offer_t){.quantity = space_mib (SPACE_BYTES_MAX), .unit = 1};
        snprintf (offers [i].name, sizeof offers [i].name, "%s", nodes [i]);
    }
    free_capacity_settings_t settings = {
      .name = name,
      .words = {.resource = "storage node", .quantity = "MiB", .amount = "MiB"},
      .terms = *terms,
      .offers = offers,
      .offers_count = nodes_count,
    };
    free_capacity_t *room = free_capacity_new (&settings, timekeeper);
    free (offers);
    return room;
}

/*  --- parts --- */

static admission_want_t *disk_space_read (const part_body_t *part, size_t *count)
{
    const space_part_t *asked = &part->space;
    admission_want_t *wishes = must (calloc (asked->bookings_count + 1, sizeof *wishes));
    *count = asked->bookings_count;
    for (size_t i = 0; i < *count; i++) {
        const space_booking_t *booking = &asked->bookings [i];
        wishes [i] = (admission_want_t){.amount = space_mib (booking->bytes),
                                        .quantity = space_mib (booking->bytes),
                                        .from_ms = booking->from_ms,
                                        .until_ms = booking->until_ms};
        memcpy (wishes [i].need, booking->need, sizeof wishes [i].need);
        memcpy (wishes [i].resource, booking->node, sizeof wishes [i].resource);
    }
    return wishes;
}

/*  What is wrong with a booking for a file that the site knows; NULL = nothing. */
static const char *file_mismatch (const disk_space_t *self, const space_booking_t *booking)
{
    const file_t *file = catalogue_find (self->parts.catalogue, booking->file);
    const copy_t *copy = file_copy (file, booking->node);
    if (booking->bytes == 0 && (!copy || copy->state != COPY_SOUND || !copy_lasts (file, copy)))
        return "is not there for good: book its bytes";
    if (!file)
        return NULL;
    if (file->content.digest_known &&
        memcmp (file->content.digest, booking->digest, DIGEST_BYTES) != 0)
        return "is another file at this site";
    return booking->bytes > 0 && booking->bytes < file->content.size ? "has more bytes than that"
                                                                     : NULL;
}

static bool disk_space_valid (const void *owner, const part_body_t *part, refusal_t *refusal)
{
    const disk_space_t *self = owner;
    for (size_t i = 0; i < part->space.bookings_count; i++) {
        const space_booking_t *booking = &part->space.bookings [i];
        const char *wrong_so = *booking->file ? file_mismatch (self, booking) : NULL;
        if (!wrong_so)
            continue;
        *refusal = (refusal_t){.reason = REFUSAL_SHORT,
                               .from_ms = booking->from_ms,
                               .until_ms = booking->until_ms,
                               .wanted = space_mib (booking->bytes)};
        memcpy (refusal->need, booking->need, sizeof refusal->need);
        snprintf (refusal->resource, sizeof refusal->resource, "%s/%s",
                  free_capacity_name (self->parts.room), booking->node);
        snprintf (refusal->text, sizeof refusal->text,
                  "need %.40s: %" PRIu64 " bytes at %.40s are for %.60s, which %s", booking->need,
                  booking->bytes, booking->node, booking->file, wrong_so);
        return false;
    }
    return true;
}

void disk_space_reader (const disk_space_t *self, part_reader_t *reader)
{
    *reader = (part_reader_t){
      .part_kind = PART_SPACE, .read = disk_space_read, .valid = disk_space_valid, .owner = self};
}

/*  --- what lasts, and what is under way --- */

static void lasting_forget (disk_space_t *self, const char *name)
{
    lasting_file_t *lasting = ordered_remove (self->lasting, name);
    for (size_t i = 0; lasting && i < lasting->nodes_count; i++) {
        self->disks [lasting->nodes [i]].lasting -= lasting->size;
        self->disks [lasting->nodes [i]].dirty = true;
    }
    free (lasting);
}

static void lasting_learn (disk_space_t *self, const file_t *file)
{
    lasting_file_t *lasting =
      must (calloc (1, sizeof *lasting + file->copies_count * sizeof *lasting->nodes));
    memcpy (lasting->name, file->name, sizeof lasting->name);
    lasting->size = file->content.size;
    for (size_t i = 0; i < file->copies_count; i++) {
        size_t disk;
        if (!free_capacity_find (self->parts.room, file->copies [i].node, &disk))
            continue;                    /* it is not configured any more */
        self->disks [disk].dirty = true; /* a booking may hold this copy */
        if (!copy_lasts (file, &file->copies [i]))
            continue;
        self->disks [disk].lasting += lasting->size;
        lasting->nodes [lasting->nodes_count++] = disk;
    }
    if (lasting->nodes_count > 0)
        ordered_add (self->lasting, lasting->name, lasting);
    else
        free (lasting);
}

static void see_files (disk_space_t *self)
{
    const catalogue_t *catalogue = self->parts.catalogue;
    if (!catalogue_knows (catalogue, self->seen)) {
        for (lasting_file_t *lasting; (lasting = ordered_after (self->lasting, NULL));)
            lasting_forget (self, lasting->name);
        self->seen = 0;
    }
    for (const file_t *file; (file = catalogue_changed (catalogue, self->seen));
         self->seen = file->changed) {
        lasting_forget (self, file->name);
        if (!file->gone)
            lasting_learn (self, file);
    }
}

/*  Is this copy booked now; or, with held, to be there for a booking that comes? */
static bool booked_at (const disk_space_t *self, int64_t now_ms, const char *name, const char *node,
                       bool held)
{
    const disk_booking_t *booking = NULL;
    while ((booking = disk_bookings_next (self->bookings, node, name, booking)))
        if (disk_booking_runs (booking, now_ms) || (held && booking->holds))
            return true;
    return false;
}

static void see_transfers (disk_space_t *self, int64_t now_ms)
{
    uint64_t *coming = must (calloc (self->disks_count + 1, sizeof *coming));
    for (const chain_transfer_t *transfer = NULL;
         (transfer = chain_next (self->parts.chain, transfer));)
        for (size_t i = 0; !transfer->over && i < transfer->receivers_count; i++) {
            const chain_receiver_t *receiver = &transfer->receivers [i];
            size_t disk;
            if (receiver->state < RECEIVER_VERIFIED && transfer->size_known &&
                free_capacity_find (self->parts.room, receiver->node, &disk) &&
                !booked_at (self, now_ms, transfer->file, receiver->node, false))
                coming [disk] += transfer->content.size;
        }
    for (size_t i = 0; i < self->disks_count; i++) {
        const chain_node_t *node =
          chain_node (self->parts.chain, free_capacity_resource_name (self->parts.room, i));
        for (size_t k = 0; node && k < node->arrivals_count; k++)
            coming [i] += node->arrivals [k].done ? 0 : node->arrivals [k].room;
        self->disks [i].dirty |= coming [i] != self->disks [i].coming;
        self->disks [i].coming = coming [i];
    }
    free (coming);
}

/*  --- into the calendars --- */

static int64_t whole_mib (uint64_t bytes)
{
    return (int64_t) (bytes / SPACE_UNIT + (bytes % SPACE_UNIT > 0));
}

static void disk_book (disk_space_t *self, size_t resource, int64_t until_ms, int64_t quantity)
{
    space_disk_t *disk = &self->disks [resource];
    disk->booked.list =
      must (reallocarray (disk->booked.list, disk->booked.count + 1, sizeof *disk->booked.list));
    resource_interval_t *interval = &disk->booked.list [disk->booked.count++];
    *interval =
      (resource_interval_t){.resource = resource, .over = {0, until_ms}, .quantity = quantity};
    free_capacity_book (self->parts.room, &(interval_list_t){interval, 1});
}

/*  Holds the copy that a booking will use, or, if it books no bytes, uses: it is sound, and the
 *  cache could drop it. What others have booked is not touched for that. */
static void disk_hold (disk_space_t *self, size_t resource, int64_t now_ms, disk_booking_t *held)
{
    const space_booking_t *booking = &held->booking;
    const file_t *file =
      *booking->file ? catalogue_find (self->parts.catalogue, booking->file) : NULL;
    const copy_t *copy = file_copy (file, booking->node);
    int64_t until_ms = booking->bytes > 0 ? booking->from_ms : booking->until_ms;
    held->holds = file && copy && copy->state == COPY_SOUND && until_ms > now_ms;
    if (!file || !held->holds || copy_lasts (file, copy))
        return;
    int64_t quantity = whole_mib (file->content.size);
    const calendar_t *calendar = free_capacity_calendar (self->parts.room, resource);
    held->holds =
      booking->bytes == 0 || calendar_least (calendar, (interval_t){now_ms, until_ms}) >= quantity;
    if (held->holds && quantity > 0)
        disk_book (self, resource, until_ms, quantity);
}

static void disk_count (disk_space_t *self, size_t resource, int64_t now_ms)
{
    space_disk_t *disk = &self->disks [resource];
    const char *name = free_capacity_resource_name (self->parts.room, resource);
    int64_t quantity = whole_mib (disk->lasting + disk->coming);
    free_capacity_release (self->parts.room, &disk->booked);
    interval_list_clear (&disk->booked);
    disk->dirty = false;
    if (quantity > 0)
        disk_book (self, resource, FREE_CAPACITY_TIME_MS_MAX, quantity);
    disk_booking_t *booking = NULL;
    while ((booking = disk_bookings_next (self->bookings, name, NULL, booking)))
        disk_hold (self, resource, now_ms, booking);
}

void disk_space_refresh (disk_space_t *self, const moment_t *now)
{
    int64_t now_ms = free_capacity_now_ms (self->parts.room, now);
    see_files (self);
    see_transfers (self, now_ms);
    for (size_t i = 0; i < self->disks_count; i++)
        if (self->disks [i].dirty)
            disk_count (self, i, now_ms);
}

static void disks_dirty (disk_space_t *self)
{
    for (size_t i = 0; i < self->disks_count; i++)
        self->disks [i].dirty = true;
}

/*  What is in the calendars and is no reservation's. */
static interval_list_t disk_space_work (void *owner)
{
    const disk_space_t *self = owner;
    interval_list_t all = {0}, none = {0};
    for (size_t i = 0; i < self->disks_count; i++) {
        const interval_list_t *booked = &self->disks [i].booked;
        all.list = must (reallocarray (all.list, all.count + booked->count + 1, sizeof *all.list));
        for (size_t k = 0; k < booked->count; k++)
            all.list [all.count++] = booked->list [k];
    }
    interval_changes_t changes = interval_list_changes (&none, &all);
    interval_list_t shortest = interval_changes_after (&changes);
    interval_changes_clear (&changes);
    free (all.list);
    return shortest;
}

/*  --- what files may have --- */

/*  Most bytes that this file may have at a node. */
static uint64_t disk_space_left (void *owner, const moment_t *now, const char *name, bool kept,
                                 const char *node)
{
    disk_space_t *self = owner;
    int64_t now_ms = free_capacity_now_ms (self->parts.room, now);
    size_t resource;
    if (!free_capacity_find (self->parts.room, node, &resource))
        return 0;
    if (!kept && booked_at (self, now_ms, name, node, false))
        return UINT64_MAX; /* the booking has it */
    disk_space_refresh (self, now);
    const space_disk_t *disk = &self->disks [resource];
    interval_t over = {now_ms, kept ? FREE_CAPACITY_TIME_MS_MAX : now_ms + DISK_SPACE_LEASE_MS};
    int64_t own = whole_mib (disk->lasting + disk->coming);
    int64_t least = free_capacity_least (self->parts.room, resource, over, NULL);
    int64_t there = free_capacity_offer (self->parts.room, resource)->quantity;
    if (there - own - least <= 0)
        return UINT64_MAX; /* nobody has booked any: what there is, is exact to the byte */
    return least > 0 ? (uint64_t) least * SPACE_UNIT : 0;
}

/*  Bytes of free room at a node that bookings under way have not filled, those of this file left
 *  out. */
static uint64_t disk_space_unfilled (void *owner, const moment_t *now, const char *name,
                                     const char *node)
{
    const disk_space_t *self = owner;
    int64_t now_ms = free_capacity_now_ms (self->parts.room, now);
    uint64_t unfilled = 0;
    disk_booking_t *booking = NULL;
    while ((booking = disk_bookings_next (self->bookings, node, NULL, booking))) {
        const char *file = booking->booking.file;
        if (!disk_booking_runs (booking, now_ms) || (*file && strcmp (file, name) == 0))
            continue;
        const file_t *known = *file ? catalogue_find (self->parts.catalogue, file) : NULL;
        uint64_t filled = known && file_copy (known, node) ? known->content.size : 0;
        unfilled += booking->booking.bytes > filled ? booking->booking.bytes - filled : 0;
    }
    return unfilled;
}

/*  Does a committed booking keep this copy from being evicted? */
static bool disk_space_wants (void *owner, const moment_t *now, const char *name, const char *node)
{
    const disk_space_t *self = owner;
    return booked_at (self, free_capacity_now_ms (self->parts.room, now), name, node, true);
}

bool disk_space_may_last (disk_space_t *self, const moment_t *now, const file_t *file,
                          char why [WHY_BYTES])
{
    for (size_t i = 0; i < file->copies_count; i++) {
        const copy_t *copy = &file->copies [i];
        if (copy->state != COPY_SOUND || copy_lasts (file, copy) ||
            disk_space_left (self, now, file->name, true, copy->node) >= file->content.size)
            continue;
        return wrong (why,
                      "disk full: reservations have booked the room of storage node %s, so that "
                      "nothing more can stay there for good",
                      copy->node);
    }
    return true;
}

const disk_bookings_t *disk_space_bookings (const disk_space_t *self)
{
    return self->bookings;
}

/*  --- room where a booking begins --- */

static void disk_space_arm (disk_space_t *self, const moment_t *now);

static void on_begin (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    disk_space_t *self = owner;
    bool lacked = self->lacking;
    disks_dirty (self);
    disk_space_refresh (self, now);
    self->lacking = false;
    for (size_t i = 0; i < self->disks_count; i++) {
        const char *node = free_capacity_resource_name (self->parts.room, i);
        uint64_t unfilled = disk_space_unfilled (self, now, "", node);
        if (unfilled == 0 || cache_clear (self->parts.cache, now, node, unfilled))
            continue;
        if (!lacked)
            outbox_log (self->parts.service->outbox, LEVEL_WARNING,
                        "storage node %s has not yet the %" PRIu64
                        " free bytes that reservations have booked there now",
                        node, unfilled);
        self->lacking = true;
    }
    disk_space_arm (self, now);
}

static void disk_space_arm (disk_space_t *self, const moment_t *now)
{
    const service_t *service = self->parts.service;
    int64_t now_ms = free_capacity_now_ms (self->parts.room, now);
    int64_t at_ms = INT64_MAX;
    const disk_booking_t *booking = NULL;
    while ((booking = disk_bookings_next (self->bookings, "", NULL, booking)))
        if (booking->booking.from_ms > now_ms && booking->booking.from_ms < at_ms)
            at_ms = booking->booking.from_ms;
    int64_t mono_ms =
      at_ms == INT64_MAX ? INT64_MAX : timekeeper_mono (&service->timekeeper, now, at_ms);
    if (self->lacking && mono_ms > now->mono_ms + DISK_SPACE_AGAIN_MS)
        mono_ms = now->mono_ms + DISK_SPACE_AGAIN_MS;
    timers_cancel (service->timers, self->timer);
    self->timer =
      mono_ms == INT64_MAX ? 0 : timers_set (service->timers, mono_ms, on_begin, self, 0);
}

static void disk_space_changed (void *owner, const moment_t *now, const char *reservation)
{
    disk_space_t *self = owner;
    disk_bookings_learn (self->bookings, self->participant, reservation);
    timers_move (self->parts.service->timers, &self->timer, now->mono_ms, on_begin, self, 0);
}

static void disk_space_forgotten (void *owner, const char *reservation)
{
    disk_space_t *self = owner;
    disk_bookings_forget (self->bookings, reservation);
}

void disk_space_tell (disk_space_t *self, usage_t *usage)
{
    *usage =
      (usage_t){.owner = self, .changed = disk_space_changed, .forgotten = disk_space_forgotten};
}

/*  --- what there is --- */

static uint32_t told_mib (const disk_space_t *self, size_t resource)
{
    const chain_node_t *node =
      chain_node (self->parts.chain, free_capacity_resource_name (self->parts.room, resource));
    uint64_t bytes = node ? node->bytes_max : 0;
    return (uint32_t) ((bytes < SPACE_BYTES_MAX ? bytes : SPACE_BYTES_MAX) / SPACE_UNIT);
}

static void on_told (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    disk_space_t *self = owner;
    bool less = false;
    self->hear_timer = 0;
    for (size_t i = 0; i < self->disks_count; i++) {
        uint32_t before = free_capacity_offer (self->parts.room, i)->quantity;
        calendar_service_there (self->questions, now, i, told_mib (self, i));
        less |= free_capacity_offer (self->parts.room, i)->quantity < before;
    }
    const char *names [1];
    if (less) {
        disk_space_refresh (self, now);
        calendar_service_overbooked (self->questions, now, names, 1);
    }
}

void disk_space_hear (disk_space_t *self, const moment_t *now)
{
    if (self->hear_timer == 0)
        self->hear_timer = timers_set (self->parts.service->timers, now->mono_ms, on_told, self, 0);
}

site_storage_t disk_space_offer (const disk_space_t *self)
{
    const free_capacity_terms_t *terms = free_capacity_terms (self->parts.room);
    site_storage_t storage = {.nodes_count = self->disks_count,
                              .disclosure = terms->disclosure,
                              .lead_ms = terms->lead_ms,
                              .horizon_ms = terms->horizon_ms};
    storage.nodes = must (calloc (self->disks_count + 1, sizeof *storage.nodes));
    for (size_t i = 0; i < self->disks_count; i++) {
        const resource_offer_t *offer = free_capacity_offer (self->parts.room, i);
        memcpy (storage.nodes [i].name, offer->name, sizeof storage.nodes [i].name);
        storage.nodes [i].mib = offer->quantity;
    }
    return storage;
}

/*  --- life --- */

static void disk_space_on_start (void *owner, const moment_t *now)
{
    disk_space_t *self = owner;
    disk_bookings_learn_all (self->bookings, self->participant);
    on_told (self, now, 0);
    on_begin (self, now, 0);
}

void disk_space_attach (disk_space_t *self, const participant_t *participant,
                        calendar_service_t *questions)
{
    self->participant = participant;
    self->questions = questions;
    calendar_service_work (questions, disk_space_work, self);
    cache_on_bookings (self->parts.cache, &(cache_bookings_t){.owner = self,
                                                              .wants = disk_space_wants,
                                                              .left = disk_space_left,
                                                              .unfilled = disk_space_unfilled});
    service_at_start (self->parts.service, disk_space_on_start, self);
}

disk_space_t *disk_space_new (const disk_space_parts_t *parts)
{
    disk_space_t *self = must (calloc (1, sizeof *self));
    self->parts = *parts;
    self->bookings = ordered_by_text (offsetof (disk_booking_t, key));
    self->lasting = ordered_by_text (offsetof (lasting_file_t, name));
    self->disks_count = free_capacity_offers (parts->room);
    self->disks = must (calloc (self->disks_count + 1, sizeof *self->disks));
    return self;
}

void disk_space_destroy (disk_space_t **self_p)
{
    disk_space_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->parts.service->timers, self->timer);
    for (size_t i = 0; i < self->disks_count; i++) {
        free_capacity_release (self->parts.room, &self->disks [i].booked);
        interval_list_clear (&self->disks [i].booked);
    }
    ordered_end (&self->bookings, free);
    ordered_end (&self->lasting, free);
    free (self->disks);
    free (self);
    *self_p = NULL;
}
