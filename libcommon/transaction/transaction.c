/*  transaction - the values of proto/transaction.md: comparing, copying, clearing, and their words.
 */
#include "transaction.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

static bool file_name_refuse (char why [WHY_BYTES], const char *what)
{
    return wrong (why, "name: %s", what);
}

static bool part_sound (const char *part, size_t length, char why [WHY_BYTES])
{
    if (length == 0)
        return file_name_refuse (why,
                                 "a part between slashes is empty; write it as in era5/2020.nc");
    if (length <= 2 && strspn (part, ".") >= length)
        return file_name_refuse (why, "no part between slashes may be \".\" or \"..\"");
    return true;
}

bool file_name_check (const char *name, char why [WHY_BYTES])
{
    size_t length = strlen (name);
    if (length == 0)
        return file_name_refuse (why, "missing");
    if (length > FILE_NAME_BYTES_MAX)
        return file_name_refuse (why, "must not be longer than 255 bytes");
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char) name [i];
        bool c1 = byte == 0xc2 && (unsigned char) name [i + 1] < 0xa0; /* U+0080 to U+009F */
        if (byte < ' ' || byte == 0x7f || c1)
            return file_name_refuse (why, "must not have control characters");
    }
    for (const char *part = name;;) {
        size_t bytes = strcspn (part, "/");
        if (!part_sound (part, bytes, why))
            return false;
        part += bytes;
        if (*part == '\0')
            return true;
        part++;
    }
}

static_assert (TXID_BYTES == STORE_ID_BYTES + 4 + 8, "a key is store, start, counter");

void txid_pack (const txid_t *self, uint8_t key [TXID_BYTES])
{
    memcpy (key, self->store, STORE_ID_BYTES);
    number_put (key + STORE_ID_BYTES, self->start, 4);
    number_put (key + STORE_ID_BYTES + 4, self->counter, 8);
}

bool txid_unpack (txid_t *self, bytes_t key)
{
    if (key.size != TXID_BYTES)
        return false;
    memcpy (self->store, key.data, STORE_ID_BYTES);
    self->start = (uint32_t) number_get (key.data + STORE_ID_BYTES, 4);
    self->counter = number_get (key.data + STORE_ID_BYTES + 4, 8);
    return true;
}

int txid_compare (const txid_t *a, const txid_t *b)
{
    int by_store = memcmp (a->store, b->store, STORE_ID_BYTES);
    if (by_store != 0)
        return by_store;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->counter != b->counter)
        return a->counter < b->counter ? -1 : 1;
    return 0;
}

const char *txid_text (const txid_t *self, char text [TXID_TEXT_BYTES])
{
    snprintf (text, TXID_TEXT_BYTES, "%08" PRIx64 "-%" PRIu32 "-%" PRIu64,
              number_get (self->store, 4), self->start, self->counter);
    return text;
}

static_assert (sizeof "planner/" + (size_t) 2 * STORE_ID_BYTES <= NAME_BYTES_MAX + 1,
               "a planner's name is a name");

const char *txid_planner (const txid_t *self, char name [NAME_BYTES_MAX + 1])
{
    size_t at = (size_t) snprintf (name, NAME_BYTES_MAX + 1, "planner/");
    sodium_bin2hex (name + at, NAME_BYTES_MAX + 1 - at, self->store, STORE_ID_BYTES);
    return name;
}

const participant_ref_t *parties_find (const participant_ref_t *parties, size_t count,
                                       const char *name)
{
    return list_find (parties, count, sizeof *parties, name);
}

const participant_ref_t *plan_party (const plan_t *self, const char *name)
{
    const participant_ref_t *party =
      parties_find (self->participants, self->participants_count, name);
    return party ? party : parties_find (self->awaited, self->awaited_count, name);
}

uint32_t space_mib (uint64_t bytes)
{
    assert (bytes <= SPACE_BYTES_MAX);
    return bytes == 0 ? 1 : (uint32_t) ((bytes + SPACE_UNIT - 1) / SPACE_UNIT);
}

const char *command_state_word (command_state_t state)
{
    static const char *const words [COMMAND_STATES] = {
      [COMMAND_UNKNOWN] = "unknown",           [COMMAND_HELD] = "held",
      [COMMAND_PREPARED] = "prepared",         [COMMAND_COMMITTED] = "committed",
      [COMMAND_ABORTED] = "aborted",           [COMMAND_EXPIRED] = "expired",
      [COMMAND_REJECTED] = "rejected",         [COMMAND_EDGE] = "edge",
      [COMMAND_EDGE_REFUSED] = "edge-refused",
    };
    assert (state >= 0 && state < COMMAND_STATES);
    return words [state];
}

const char *refusal_reason_word (refusal_reason_t reason)
{
    static const char *const words [REFUSAL_REASONS] = {
      [REFUSAL_NONE] = "none",
      [REFUSAL_SHORT] = "short",
      [REFUSAL_TOO_NEAR] = "too-near",
      [REFUSAL_OUTSIDE] = "outside",
      [REFUSAL_UNKNOWN_RESOURCE] = "unknown-resource",
      [REFUSAL_LIMIT] = "limit",
      [REFUSAL_MAY_NOT] = "may-not",
      [REFUSAL_BUSY_CHANGE] = "busy",
      [REFUSAL_STALE_VERSION] = "stale-version",
      [REFUSAL_LATE] = "late",
      [REFUSAL_ENDED] = "ended",
      [REFUSAL_CONFLICT] = "conflict",
      [REFUSAL_CLAIM_BUSY] = "claim-busy",
      [REFUSAL_CLAIM_ANSWERED] = "claim-answered",
      [REFUSAL_STORE_FULL] = "store-full",
      [REFUSAL_NO_RESERVATION] = "no-reservation",
      [REFUSAL_FENCED] = "fenced",
    };
    assert (reason >= 0 && reason < REFUSAL_REASONS);
    return words [reason];
}
