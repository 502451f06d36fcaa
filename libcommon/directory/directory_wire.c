/*  directory_wire - entries, snapshots and deltas, to and from proto/gis.proto. */
#include "directory_wire.h"

#include "directory.h"
#include "domain_wire.h"
#include "mark_wire.h"
#include "message.h"
#include "must.h"
#include "site_wire.h"
#include "transaction_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 32

void entry_copy (directory_entry_t *to, const directory_entry_t *from)
{
    *to = *from;
    if (from->site) {
        to->site = must (malloc (sizeof *to->site));
        site_copy (to->site, from->site);
    }
    if (from->domain) {
        to->domain = must (malloc (sizeof *to->domain));
        domain_copy (to->domain, from->domain);
    }
}

void entry_clear (directory_entry_t *self)
{
    if (self->site)
        site_clear (self->site);
    free (self->site);
    if (self->domain)
        domain_clear (self->domain);
    free (self->domain);
    *self = (directory_entry_t){0};
}

/*  --- entry --- */

/*  An entry with what it points to; entry_put_end frees what entry_put took. */
typedef struct {
    Musubi__Entry message;
    Musubi__PlannerDescription planner;
    Musubi__SiteDescription site;
    Musubi__DomainDescription domain;
} entry_wire_t;

static bool of_kind (const directory_entry_t *entry, const char *kind)
{
    size_t length = strlen (kind);
    return strncmp (entry->name, kind, length) == 0 && entry->name [length] == '/';
}

static void entry_put (entry_wire_t *to, const directory_entry_t *from)
{
    *to =
      (entry_wire_t){.message = MUSUBI__ENTRY__INIT, .planner = MUSUBI__PLANNER_DESCRIPTION__INIT};
    to->message.name = (char *) from->name;
    to->message.store =
      (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) from->store};
    to->message.start = from->start;
    to->message.endpoint = (char *) from->endpoint;
    to->message.events = (char *) from->events;
    if (from->site) {
        site_put (&to->site, from->site);
        to->message.description_case = MUSUBI__ENTRY__DESCRIPTION_SITE;
        to->message.site = &to->site;
    } else if (from->domain) {
        domain_put (&to->domain, from->domain);
        to->message.description_case = MUSUBI__ENTRY__DESCRIPTION_DOMAIN;
        to->message.domain = &to->domain;
    } else if (of_kind (from, "planner")) {
        to->planner.finishing = from->finishing;
        to->planner.in_progress = from->in_progress;
        to->message.description_case = MUSUBI__ENTRY__DESCRIPTION_PLANNER;
        to->message.planner = &to->planner;
    }
}

static void entry_put_end (entry_wire_t *wire)
{
    site_put_end (&wire->site);
    domain_put_end (&wire->domain);
}

/*  "kind/name", both parts there. */
static bool name_take (char to [NAME_BYTES_MAX + 1], const char *from, const char *field,
                       char why [WHY_BYTES])
{
    if (!text_take (to, NAME_BYTES_MAX, from, TEXT_WORD, field, why))
        return false;
    const char *slash = strchr (to, '/');
    if (!slash || slash == to || slash [1] == '\0' || strchr (slash + 1, '/'))
        return wrong (why, "%s: not of the form kind/name", field);
    return true;
}

static bool domain_entry_take (directory_entry_t *to, const Musubi__Entry *from,
                               char why [WHY_BYTES])
{
    if (!of_kind (to, "nis"))
        return wrong (why, "entry.domain: only a network domain, nis/NAME, has one");
    domain_t domain;
    if (!domain_take (&domain, from->domain, strchr (to->name, '/') + 1, why))
        return false;
    to->domain = must (malloc (sizeof *to->domain));
    *to->domain = domain;
    return true;
}

static bool description_take (directory_entry_t *to, const Musubi__Entry *from,
                              char why [WHY_BYTES])
{
    site_t site;
    switch (from->description_case) {
    case MUSUBI__ENTRY__DESCRIPTION_SITE:
        if (!site_take (&site, from->site, why))
            return false;
        to->site = must (malloc (sizeof *to->site));
        *to->site = site;
        return true;
    case MUSUBI__ENTRY__DESCRIPTION_DOMAIN:
        return domain_entry_take (to, from, why);
    case MUSUBI__ENTRY__DESCRIPTION_PLANNER:
        to->finishing = from->planner->finishing;
        to->in_progress = from->planner->in_progress;
        return true;
    default:
        return true; /* none, or of a kind that only newer peers know */
    }
}

static bool entry_take (directory_entry_t *to, const Musubi__Entry *from, char why [WHY_BYTES])
{
    *to = (directory_entry_t){0};
    if (!from)
        return wrong (why, "entry: missing");
    if (!name_take (to->name, from->name, "entry.name", why))
        return false;
    if (from->key.len != 0 && from->key.len != KEY_BYTES)
        return wrong (why, "entry.key: must be empty or %d bytes", KEY_BYTES);
    if (from->store.len != STORE_ID_BYTES)
        return wrong (why, "entry.store: must be %d bytes", STORE_ID_BYTES);
    if (from->start == 0)
        return wrong (why, "entry.start: counts from 1");
    memcpy (to->store, from->store.data, STORE_ID_BYTES);
    to->start = from->start;
    if (!text_take (to->endpoint, ENDPOINT_BYTES_MAX, from->endpoint, TEXT_WORD, "entry.endpoint",
                    why) ||
        !text_take (to->events, ENDPOINT_BYTES_MAX, from->events, TEXT_WORD_OR_NONE, "entry.events",
                    why))
        return false;
    return description_take (to, from, why);
}

packed_t entry_encode (const directory_entry_t *self)
{
    entry_wire_t wire;
    entry_put (&wire, self);
    packed_t packed = packed_of (&wire.message.base);
    entry_put_end (&wire);
    return packed;
}

bool entry_decode (directory_entry_t *self, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__entry__descriptor, body);
    if (!message)
        return wrong (why, "entry: not such a message");
    bool taken = entry_take (self, (const Musubi__Entry *) message, why);
    message_free (message);
    return taken;
}

/*  --- announce --- */

packed_t announce_encode (const directory_entry_t *entry, const announcement_t *announcement)
{
    entry_wire_t wire;
    entry_put (&wire, entry);
    Musubi__AnnounceRequest request = MUSUBI__ANNOUNCE_REQUEST__INIT;
    request.entry = &wire.message;
    request.lease_ms = announcement->lease_ms;
    request.wall_ms = announcement->wall_ms;
    if (announcement->mark && announcement->mark->row > 0) {
        request.row = announcement->mark->row;
        request.digest = (ProtobufCBinaryData){.len = LEDGER_DIGEST_BYTES,
                                               .data = (uint8_t *) announcement->mark->digest};
        request.seen = announcement->seen;
    }
    packed_t packed = packed_of (&request.base);
    entry_put_end (&wire);
    return packed;
}

static bool announce_answer_take (announce_answer_t *to, const Musubi__AnnounceAnswer *from,
                                  char why [WHY_BYTES])
{
    *to = (announce_answer_t){
      .lease_ms = from->lease_ms, .wall_ms = from->wall_ms, .replaced = from->replaced};
    if (to->lease_ms == 0)
        return wrong (why, "lease_ms: missing");
    if (!time_valid (to->wall_ms))
        return wrong (why, "wall_ms: out of range");
    to->before_set = from->before != NULL;
    return !to->before_set || ledger_mark_take (&to->before, from->before, why);
}

bool announce_answer_decode (announce_answer_t *answer, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__announce_answer__descriptor, body);
    if (!message)
        return wrong (why, "answer: not such a message");
    bool taken = announce_answer_take (answer, (const Musubi__AnnounceAnswer *) message, why);
    message_free (message);
    return taken;
}

/*  --- snapshot --- */

packed_t snapshot_request_encode (const char *after, const directory_mark_t *have)
{
    Musubi__SnapshotRequest request = MUSUBI__SNAPSHOT_REQUEST__INIT;
    request.after = (char *) after;
    if (have->start != 0) {
        request.store =
          (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) have->store};
        request.start = have->start;
        request.number = have->number;
    }
    return packed_of (&request.base);
}

static bool homes_take (directory_snapshot_t *to, const Musubi__SnapshotAnswer *from,
                        char why [WHY_BYTES])
{
    if (from->n_homes > DIRECTORY_HOMES_MAX)
        return wrong (why, "homes: more than %d", DIRECTORY_HOMES_MAX);
    to->homes = must (calloc (from->n_homes + 1, sizeof *to->homes));
    for (size_t i = 0; i < from->n_homes; i++)
        if (!name_take (to->homes [to->homes_count++], from->homes [i], "homes", why))
            return false;
    return true;
}

/*  An entry that we can't take is passed over: it may be of a kind that only newer peers know, and
 *  must not hide the others. */
static bool entries_take (directory_snapshot_t *to, const Musubi__SnapshotAnswer *from,
                          char why [WHY_BYTES])
{
    if (from->n_entries > DIRECTORY_ENTRIES_MAX)
        return wrong (why, "entries: more than %d", DIRECTORY_ENTRIES_MAX);
    to->entries = must (calloc (from->n_entries + 1, sizeof *to->entries));
    for (size_t i = 0; i < from->n_entries; i++) {
        char name [NAME_BYTES_MAX + 1];
        if (!name_take (name, from->entries [i]->name, "entries.name", why))
            return false;
        if (strcmp (to->last, name) >= 0)
            return wrong (why, "entries: not ascending at %s", name);
        memcpy (to->last, name, sizeof name);
        char ignored [WHY_BYTES];
        if (entry_take (&to->entries [to->entries_count], from->entries [i], ignored))
            to->entries_count++;
        else
            to->passed_over++;
    }
    return true;
}

static bool snapshot_take (directory_snapshot_t *to, const Musubi__SnapshotAnswer *from,
                           char why [WHY_BYTES])
{
    *to = (directory_snapshot_t){.unchanged = from->unchanged, .more = from->more};
    if (from->store.len != STORE_ID_BYTES)
        return wrong (why, "store: must be %d bytes", STORE_ID_BYTES);
    if (from->start == 0)
        return wrong (why, "start: counts from 1");
    if (from->more && from->n_entries == 0)
        return wrong (why, "more: without entries");
    memcpy (to->mark.store, from->store.data, STORE_ID_BYTES);
    to->mark.start = from->start;
    to->mark.number = from->number;
    if (homes_take (to, from, why) && entries_take (to, from, why))
        return true;
    directory_snapshot_clear (to);
    return false;
}

bool directory_snapshot_decode (directory_snapshot_t *self, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__snapshot_answer__descriptor, body);
    if (!message)
        return wrong (why, "snapshot: not such a message");
    bool taken = snapshot_take (self, (const Musubi__SnapshotAnswer *) message, why);
    message_free (message);
    return taken;
}

void directory_snapshot_clear (directory_snapshot_t *self)
{
    for (size_t i = 0; i < self->entries_count; i++)
        entry_clear (&self->entries [i]);
    free (self->entries);
    free (self->homes);
    *self = (directory_snapshot_t){0};
}

/*  --- delta --- */

static bool delta_take (directory_delta_t *to, const Musubi__Delta *from, char why [WHY_BYTES])
{
    *to = (directory_delta_t){.number = from->number};
    if (from->number == 0)
        return wrong (why, "number: counts from 1");
    switch (from->change_case) {
    case MUSUBI__DELTA__CHANGE_ENTRY:
        if (!entry_take (&to->entry, from->entry, why))
            return false;
        memcpy (to->name, to->entry.name, sizeof to->name);
        return true;
    case MUSUBI__DELTA__CHANGE_GONE:
        to->gone = true;
        return name_take (to->name, from->gone, "gone", why);
    default:
        return wrong (why, "change: missing");
    }
}

bool directory_delta_decode (directory_delta_t *self, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__delta__descriptor, body);
    if (!message)
        return wrong (why, "delta: not such a message");
    bool taken = delta_take (self, (const Musubi__Delta *) message, why);
    message_free (message);
    return taken;
}

void directory_delta_clear (directory_delta_t *self)
{
    entry_clear (&self->entry);
}
