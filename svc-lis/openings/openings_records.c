/*  openings_records - stores how an opening stands in one record and its use in another
 *  (proto/openings.proto).
 */
#include "must.h"
#include "openings_state.h"

#include <string.h>

static const uint8_t use_suffix [] = {'\0', 'u', 's', 'e'};

#define KEY_BYTES_MAX (NAME_BYTES_MAX + sizeof use_suffix)

static bytes_t use_key_of (const opening_entry_t *entry, uint8_t key [KEY_BYTES_MAX])
{
    size_t size = strlen (entry->reservation);
    memcpy (key, entry->reservation, size);
    memcpy (key + size, use_suffix, sizeof use_suffix);
    return (bytes_t){.data = key, .size = size + sizeof use_suffix};
}

void opening_put (opening_entry_t *entry)
{
    service_put (entry->openings->parts.service, TABLE_OPENINGS, text_bytes (entry->reservation),
                 codec_encode (&stored_opening_codec, &entry->kept));
    entry->stored = true;
}

void opening_put_use (opening_entry_t *entry)
{
    uint8_t key [KEY_BYTES_MAX];
    entry->use_put_ms = entry->use->until_ms;
    service_put (entry->openings->parts.service, TABLE_OPENINGS, use_key_of (entry, key),
                 codec_encode (&stored_use_codec, entry->use));
}

void opening_delete (opening_entry_t *entry)
{
    outbox_t *outbox = entry->openings->parts.service->outbox;
    uint8_t key [KEY_BYTES_MAX];
    if (entry->stored)
        outbox_delete (outbox, TABLE_OPENINGS, text_bytes (entry->reservation));
    if (entry->use)
        outbox_delete (outbox, TABLE_OPENINGS, use_key_of (entry, key));
}

/*  --- at start --- */

static void opening_load (opening_entry_t *entry, const stored_opening_t *stored)
{
    openings_t *self = entry->openings;
    entry->stored = true;
    entry->kept = *stored;
    entry->kept.nodes = NULL;
    entry->kept.nodes_count = 0;
    entry->kept.named = must (calloc (stored->named_count + 1, sizeof *stored->named));
    entry->kept.named_count = 0;
    for (size_t i = 0; i < stored->named_count; i++) {
        bound_t *named = &entry->kept.named [entry->kept.named_count];
        *named = stored->named [i];
        entry->kept.named_count += nodes_find (self->parts.nodes, named->name, &named->node);
    }
    if (stored->told && stored->phase == OPENING_WAITING)
        entry->step = BACK_END_NAME;
    entry->step_over = (interval_t){stored->from_ms, stored->until_ms};
    for (size_t i = 0; i < stored->nodes_count; i++) {
        bound_t bound = stored->nodes [i];
        if (!nodes_find (self->parts.nodes, bound.name, &bound.node))
            outbox_log (self->parts.service->outbox, LEVEL_WARNING,
                        "opening %s node=%s is no longer in the configuration", entry->reservation,
                        bound.name);
        else if (!self->holders [bound.node])
            opening_bind (entry, bound);
    }
    opening_phase (entry, stored->phase);
}

/*  A record that can't be read counts as missing: the reservation is bound anew, or is over. */
void openings_on_record (void *owner, bytes_t key, bytes_t value)
{
    openings_t *self = owner;
    char reservation [NAME_BYTES_MAX + 1] = "";
    const uint8_t *nul = key.size > 0 ? memchr (key.data, 0, key.size) : NULL;
    size_t size = nul ? (size_t) (nul - key.data) : key.size;
    bool is_use = nul && key.size - size == sizeof use_suffix &&
                  memcmp (nul, use_suffix, sizeof use_suffix) == 0;
    if (size == 0 || size > NAME_BYTES_MAX || (nul && !is_use)) {
        service_bad_record (self->parts.service, "openings", "its key is malformed");
        return;
    }
    memcpy (reservation, key.data, size);
    opening_entry_t *entry = opening_find (self, reservation);
    char why [WHY_BYTES];
    stored_opening_t stored;
    stored_use_t use;
    if (is_use ? !codec_decode (&stored_use_codec, &use, value, why)
               : !codec_decode (&stored_opening_codec, &stored, value, why)) {
        service_bad_record (self->parts.service, "openings", why);
        return;
    }
    if (!entry)
        entry = opening_new (self, reservation, "");
    if (is_use) {
        entry->use = must_copy (&use, sizeof use);
        entry->use_put_ms = use.until_ms;
        return;
    }
    opening_load (entry, &stored);
    codec_clear (&stored_opening_codec, &stored);
}
