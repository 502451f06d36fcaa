/*  directory_wire - entries, snapshots and deltas, to and from proto/gis.proto. */
#include "directory_wire.h"

#include "codec_table.h"
#include "directory.h"
#include "domain.h"
#include "message.h"
#include "restore_guard_wire.h"
#include "site.h"

#include "gis.pb-c.h"

#include <string.h>

/*  --- entry --- */

/*  "kind/name", both parts there. */
static bool directory_name_right (const char *name, const char *field, char why [WHY_BYTES])
{
    const char *slash = strchr (name, '/');
    return (slash && slash > name && slash [1] != '\0' && !strchr (slash + 1, '/')) ||
           wrong (why, "%s: %s should be of the form kind/name", field, name);
}

static const codec_row_t planner_rows [] = {
  ROW_FLAG ("finishing", directory_entry_t, finishing),
  ROW_NUMBER ("in_progress", directory_entry_t, in_progress),
};
static const codec_t planner_codec = CODEC (directory_entry_t, planner_description, planner_rows);

/*  A description of a kind that only newer peers know is taken as none. */
static const codec_row_t entry_rows [] = {
  ROW_WORD ("name", directory_entry_t, name),
  ROW_UNUSED ("key"),
  ROW_FIXED ("store", directory_entry_t, store),
  ROW_NUMBER ("start", directory_entry_t, start, LEAST (1)),
  ROW_WORD ("endpoint", directory_entry_t, endpoint),
  ROW_WORD ("events", directory_entry_t, events, OR_NONE),
  ROW_POINTER ("site", directory_entry_t, site, site),
  ROW_INSIDE ("planner", directory_entry_t, &planner_codec, SET_BY (directory_entry_t, planner)),
  ROW_POINTER ("domain", directory_entry_t, domain, domain),
  ROW_POINTER ("storage", directory_entry_t, storage, site_storage),
};

static bool entry_rule (void *self, char why [WHY_BYTES])
{
    const directory_entry_t *entry = self;
    char reason [WHY_BYTES];
    if (!directory_name_right (entry->name, "name", why))
        return false;
    if (!entry->domain)
        return true;
    if (strncmp (entry->name, "nis/", 4) != 0)
        return wrong (why, "domain: only a network domain, nis/NAME, has one");
    return domain_check (entry->domain, entry->name + 4, reason) ||
           wrong (why, "domain: %.150s", reason);
}

const codec_t directory_entry_codec =
  CODEC_RULED (directory_entry_t, entry, entry_rows, entry_rule);

/*  --- absence --- */

static const codec_row_t absence_rows [] = {
  ROW_WORD ("name", absence_t, name),           ROW_FIXED ("store", absence_t, store),
  ROW_NUMBER ("start", absence_t, start),       ROW_FLAG ("votes", absence_t, votes),
  ROW_NUMBER ("since_ms", absence_t, since_ms), ROW_FLAG ("stopped", absence_t, stopped),
};

const codec_t absence_codec = CODEC (absence_t, absence, absence_rows);

static const codec_row_t withdraw_rows [] = {
  ROW_WORD ("name", withdraw_t, name),
  ROW_FIXED ("store", withdraw_t, store),
  ROW_NUMBER ("start", withdraw_t, start),
  ROW_FLAG ("stops", withdraw_t, stops),
};
const codec_t withdraw_codec = CODEC (withdraw_t, withdraw_request, withdraw_rows);

/*  --- announce --- */

typedef struct {
    char name [NAME_BYTES_MAX + 1];
} announced_t;

static const codec_row_t announced_rows [] = {
  ROW_WORD ("name", announced_t, name),
  ROW_UNUSED ("key"),
  ROW_UNUSED ("store"),
  ROW_UNUSED ("start"),
  ROW_UNUSED ("endpoint"),
  ROW_UNUSED ("events"),
  ROW_UNUSED ("site"),
  ROW_UNUSED ("planner"),
  ROW_UNUSED ("domain"),
  ROW_UNUSED ("storage"),
};
static const codec_t announced_codec = CODEC (announced_t, entry, announced_rows);

static const codec_row_t announcement_rows [] = {
  ROW_PACKED ("entry", announcement_t, entry.data, entry.size, &announced_codec),
  ROW_NUMBER ("lease_ms", announcement_t, lease_ms),
  ROW_NUMBER ("wall_ms", announcement_t, wall_ms),
  ROW_NUMBER ("row", announcement_t, mark.row),
  ROW_FIXED ("digest", announcement_t, mark.digest, SET_BY (announcement_t, mark.row)),
  ROW_FLAG ("seen", announcement_t, seen),
  ROW_FLAG ("homes", announcement_t, homes),
  ROW_PACKED ("summary", announcement_t, summary.data, summary.size, &free_summary_codec),
};

static bool announcement_rule (void *self, const void *message, char why [WHY_BYTES])
{
    announcement_t *announcement = self;
    const Musubi__AnnounceRequest *request = message;
    if (!request->entry)
        return wrong (why, "entry: missing");
    strcpy (announcement->name, request->entry->name);
    if (request->row == 0)
        return true;
    if (request->entry->store.len != STORE_ID_BYTES)
        return wrong (why, "entry.store: must be %d bytes", STORE_ID_BYTES);
    memcpy (announcement->mark.store, request->entry->store.data, STORE_ID_BYTES);
    announcement->mark.start = request->entry->start;
    return request->digest.len > 0 || wrong (why, "digest: missing, though row is given");
}

const codec_t announcement_codec =
  CODEC_JUDGED (announcement_t, announce_request, announcement_rows, announcement_rule);

static const codec_row_t announce_answer_rows [] = {
  ROW_NUMBER ("lease_ms", announce_answer_t, lease_ms, LEAST (1)),
  ROW_TIME ("wall_ms", announce_answer_t, wall_ms),
  ROW_ONE ("before", announce_answer_t, before, ledger_mark,
           SET_BY (announce_answer_t, before_set)),
  ROW_FLAG ("replaced", announce_answer_t, replaced),
  ROW_WORD_LIST ("homes", announce_answer_t, homes, homes_count, 0, DIRECTORY_HOMES_MAX),
};
const codec_t announce_answer_codec =
  CODEC (announce_answer_t, announce_answer, announce_answer_rows);

/*  --- snapshot --- */

static const codec_row_t snapshot_request_rows [] = {
  ROW_WORD ("after", snapshot_request_t, after, OR_NONE),
  ROW_FIXED ("store", snapshot_request_t, have.store, SET_BY (snapshot_request_t, have.start)),
  ROW_NUMBER ("start", snapshot_request_t, have.start),
  ROW_NUMBER ("number", snapshot_request_t, have.number),
  ROW_FLAG ("changes", snapshot_request_t, changes),
  ROW_WORD_LIST ("kinds", snapshot_request_t, kinds, kinds_count, 0, SNAPSHOT_KINDS_MAX),
};
const codec_t snapshot_request_codec =
  CODEC (snapshot_request_t, snapshot_request, snapshot_request_rows);

static const codec_row_t snapshot_rows [] = {
  /* an entry that can't be taken must not hide the others: it may be of a newer kind */
  ROW_LIST ("entries", directory_snapshot_t, entries, entries_count, directory_entry, 0,
            DIRECTORY_ENTRIES_MAX, SKIPPING),
  ROW_NUMBER ("number", directory_snapshot_t, mark.number),
  ROW_FIXED ("store", directory_snapshot_t, mark.store),
  ROW_NUMBER ("start", directory_snapshot_t, mark.start, LEAST (1)),
  ROW_WORD_LIST ("homes", directory_snapshot_t, homes, homes_count, 0, DIRECTORY_HOMES_MAX),
  ROW_FLAG ("unchanged", directory_snapshot_t, unchanged),
  ROW_FLAG ("more", directory_snapshot_t, more),
  ROW_FLAG ("changes", directory_snapshot_t, changes),
  ROW_WORD_LIST ("gone", directory_snapshot_t, gone, gone_count, 0, SNAPSHOT_GONE_MAX),
  ROW_LIST ("absent", directory_snapshot_t, absent, absent_count, absence, 0, ABSENCES_MAX),
};

/*  The names of all entries, taken or passed over, ascend; the greatest one is kept. */
static bool directory_names_right (directory_snapshot_t *self, const Musubi__SnapshotAnswer *from,
                                   char why [WHY_BYTES])
{
    for (size_t i = 0; i < from->n_entries; i++) {
        const char *name = from->entries [i]->name;
        if (!text_take (self->last, NAME_BYTES_MAX, name, TEXT_WORD, "entries.name", why) ||
            !directory_name_right (name, "entries.name", why))
            return false;
        if (i > 0 && strcmp (from->entries [i - 1]->name, name) >= 0)
            return wrong (why, "entries[%zu].name: %s must sort after %s", i, name,
                          from->entries [i - 1]->name);
    }
    self->passed_over = from->n_entries - self->entries_count;
    return true;
}

static bool snapshot_rule (void *self, const void *message, char why [WHY_BYTES])
{
    directory_snapshot_t *snapshot = self;
    const Musubi__SnapshotAnswer *from = message;
    if (from->more && from->n_entries == 0)
        return wrong (why, "more: set, though the page has no entries");
    for (size_t i = 0; i < snapshot->homes_count; i++)
        if (!directory_name_right (snapshot->homes [i], "homes", why))
            return false;
    return directory_names_right (snapshot, from, why);
}

const codec_t directory_snapshot_codec =
  CODEC_JUDGED (directory_snapshot_t, snapshot_answer, snapshot_rows, snapshot_rule);

/*  --- summaries --- */

static const codec_row_t summaries_question_rows [] = {
  ROW_FIXED ("store", directory_mark_t, store, SET_BY (directory_mark_t, start)),
  ROW_NUMBER ("start", directory_mark_t, start),
  ROW_NUMBER ("number", directory_mark_t, number),
};
const codec_t summaries_question_codec =
  CODEC (directory_mark_t, summaries_request, summaries_question_rows);

static const codec_row_t named_summary_rows [] = {
  ROW_WORD ("name", named_summary_t, name),
  ROW_PACKED ("summary", named_summary_t, summary.data, summary.size, &free_summary_codec),
};
static const codec_t named_summary_codec =
  CODEC (named_summary_t, named_summary, named_summary_rows);

static const codec_row_t summaries_page_rows [] = {
  ROW_LIST ("summaries", summaries_page_t, summaries, summaries_count, named_summary, 0,
            SUMMARIES_MAX),
  ROW_FIXED ("store", summaries_page_t, mark.store),
  ROW_NUMBER ("start", summaries_page_t, mark.start, LEAST (1)),
  ROW_NUMBER ("number", summaries_page_t, mark.number),
  ROW_FLAG ("more", summaries_page_t, more),
};
const codec_t summaries_page_codec =
  CODEC (summaries_page_t, summaries_answer, summaries_page_rows);

/*  --- find --- */

static const codec_row_t find_rows [] = {
  ROW_WORD ("kind", find_t, kind, OR_NONE),
  ROW_ARRAY ("require", find_t, require, require_count, requirement),
  ROW_NUMBER ("cpus", find_t, cpus),
  ROW_WORD ("after", find_t, after, OR_NONE),
  ROW_WORD_LIST ("names", find_t, names, names_count, 0, FIND_NAMES_MAX),
};
const codec_t find_codec = CODEC (find_t, find_request, find_rows);

static const codec_row_t found_rows [] = {
  ROW_LIST ("entries", found_t, entries, entries_count, directory_entry, 0, DIRECTORY_ENTRIES_MAX,
            SKIPPING),
  ROW_UNUSED ("more"),
};
const codec_t found_codec = CODEC (found_t, find_answer, found_rows);

/*  --- delta --- */

static const codec_row_t delta_rows [] = {
  ROW_NUMBER ("number", directory_delta_t, number, LEAST (1)),
  ROW_ONE ("entry", directory_delta_t, entry, directory_entry,
           CASE_OF (directory_delta_t, gone, false)),
  ROW_WORD ("gone", directory_delta_t, name, CASE_OF (directory_delta_t, gone, true)),
  ROW_ONE ("absent", directory_delta_t, absent, absence, SET_BY (directory_delta_t, remembered)),
};

static bool delta_rule (void *self, const void *message, char why [WHY_BYTES])
{
    directory_delta_t *delta = self;
    if (((const Musubi__Delta *) message)->change_case == MUSUBI__DELTA__CHANGE__NOT_SET)
        return wrong (why, "entry: missing; a change has either entry or gone");
    if (!delta->gone)
        memcpy (delta->name, delta->entry.name, sizeof delta->name);
    return directory_name_right (delta->name, "gone", why);
}

const codec_t directory_delta_codec =
  CODEC_JUDGED (directory_delta_t, delta, delta_rows, delta_rule);
