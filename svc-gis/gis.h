/*  gis - the directory of a federation, and the home of its users' requests.
 *
 *  The directory (service Gis) is soft state: every service announces itself to every GIS and keeps
 *  its entry alive by heartbeats; what is silent for its lease is listed no more. Entries are not
 *  stored but for who was listed (roster.h): a GIS that starts empty is filled by heartbeats.
 *  Readers follow it by snapshot and numbered deltas (libcommon/directory/directory.h). It is a
 *  hint, never evidence (T16).
 *
 *  The home (service Home, and Participant for the claims) is stored: one claim for each (actor,
 *  request id), so that a request that is asked again, anywhere, is done once (T2).
 *
 *  It also remembers how far the ledger of each service had come, so that a store set back to an
 *  old backup is found before it speaks (T14; libcommon/directory/restore_guard.h).
 *
 *  Opens no socket and no file, reads no clock.
 */
#ifndef MUSUBI_GIS_H
#define MUSUBI_GIS_H

#include "core.h"
#include "participant.h"
#include "roster.h"

#include <assert.h>

#define GIS_ENTRIES_MAX      65536 /* what entries_max may be set to; a reader keeps as many */
#define GIS_HOMES_MAX        64
#define GIS_ENTRY_BYTES_MAX  (776u << 10) /* of one entry, packed: the largest domain's */
#define GIS_TABLE_BYTES_MAX  (64u << 20)  /* of all entries, packed */
#define GIS_PAGE_BYTES       (832u << 10) /* of the entries of a page */
#define GIS_ABSENCES_BYTES   (128u << 10) /* of all that are remembered, packed */
#define GIS_LEASE_MS_LEAST   1000
#define GIS_LEASE_MS_MOST    3600000
#define GIS_PAGE_ENTRIES_MAX 4096
#define GIS_COPY_TOLD_MS                                                                           \
    900000 /* how long a warning of a copied store stays after it was last heard */

static_assert (DOMAIN_BYTES_MAX + 4096 <= GIS_ENTRY_BYTES_MAX, "every domain fits an entry");
static_assert (GIS_ENTRY_BYTES_MAX + 4096 <= GIS_PAGE_BYTES, "every entry fits a page");
static_assert (ABSENCES_MAX * (NAME_BYTES_MAX + STORE_ID_BYTES + 32) <= GIS_ABSENCES_BYTES,
               "all who are remembered have room");
static_assert (GIS_PAGE_BYTES + GIS_ABSENCES_BYTES + 8192 <= BODY_BYTES_MAX,
               "a page, they and the homes fit a message");

/*  Everything is copied by gis_core. */
typedef struct {
    const char *name; /* "gis/g1" */
    const char *const
      *homes; /* the federation's fixed list (T2), in order; none = this one alone */
    size_t homes_count;
    const char *const *gis_endpoints; /* the other GIS services */
    size_t gis_count;
    uint32_t lease_ms_min; /* a lease asked for is brought into these bounds */
    uint32_t lease_ms_max;
    uint32_t entries_max;
    absences_limits_t absences;
    uint32_t watermarks_max;       /* names whose ledgers are remembered (T14) */
    int64_t restore_guard_wait_ms; /* for another directory, at start; 0 = it serves meanwhile */
    int64_t
      recall_wait_ms;    /* for services that an earlier store may have known; at most RECALL_MS */
    uint32_t closed_max; /* refusals kept at once; claims under way are bounded by limits */
    participant_limits_t limits;
    access_t access; /* administrators may announce and withdraw in others' names */
} gis_settings_t;

/*  Rows of its numbers. */
extern const setting_table_t gis_table;

/*  The core of svc-gis; its host ends it with core->destroy. */
void gis_core (const gis_settings_t *settings, core_t *core);

#endif
