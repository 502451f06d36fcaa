/*  store_record - records as they are on disk, and what goes wrong with them in words. The layout
 *  is drawn in disk-format.md.
 */
#include "store_state.h"

#include "must.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <string.h>

static_assert (CHECKSUM_BYTES == crypto_shorthash_BYTES, "the checksum as it is on disk");

store_answer_t store_fail (char why [WHY_BYTES], store_answer_t answer, const char *format, ...)
{
    format_rest (why, WHY_BYTES, format);
    return answer;
}

store_answer_t store_answer_of (int code)
{
    switch (code) {
    case MDB_SUCCESS:
        return STORE_OK;
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return STORE_FULL;
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_PANIC:
    case MDB_INCOMPATIBLE:
    case MDB_CURSOR_FULL:
        return STORE_DAMAGED;
    default:
        return STORE_ERROR;
    }
}

store_answer_t store_fail_mdb (char why [WHY_BYTES], int code, const char *doing)
{
    return store_fail (why, store_answer_of (code), "%s: %s", doing, mdb_strerror (code));
}

store_answer_t store_fail_errno (char why [WHY_BYTES], const char *doing, const char *path)
{
    int error = errno;
    store_answer_t answer = store_answer_of (error);
    return store_fail (why, answer, "%s %.120s: %s", doing, path, strerror (error));
}

MDB_val store_identity_key (void)
{
    static const uint8_t written [] = {TABLE_IDENTITY, 's', 't', 'o', 'r', 'e'};
    return (MDB_val){.mv_size = sizeof written, .mv_data = (void *) written};
}

MDB_val store_adopted_key (void)
{
    static const uint8_t written [] = {TABLE_IDENTITY, 'a', 'd', 'o', 'p', 't', 'e', 'd'};
    return (MDB_val){.mv_size = sizeof written, .mv_data = (void *) written};
}

void store_identity_write (const store_t *self, uint8_t value [IDENTITY_BYTES])
{
    number_put (value, LAYOUT, 4);
    number_put (value + 4, self->facts.identity.start, 4);
    memcpy (value + 8, self->facts.identity.id, STORE_ID_BYTES);
    number_put (value + 24, (uint64_t) self->stamp_ms, 8);
}

/*  --- checksums: whatever a disk does to a record is seen; nobody is kept from forging one --- */

/*  Of the value, by a key that is made of the record's key. */
void store_checksum (const MDB_val *key, const uint8_t *value, size_t size,
                     uint8_t sum [CHECKSUM_BYTES])
{
    static const uint8_t first [crypto_shorthash_KEYBYTES] = "musubi record 2";
    uint8_t second [crypto_shorthash_KEYBYTES] = {0};
    crypto_shorthash (second, key->mv_data, key->mv_size, first);
    crypto_shorthash (sum, value, size, second);
}

int store_put_sealed (MDB_txn *txn, MDB_dbi table, MDB_val *key, bytes_t value)
{
    MDB_val room = {.mv_size = CHECKSUM_BYTES + value.size};
    int code = mdb_put (txn, table, key, &room, MDB_RESERVE);
    if (code != MDB_SUCCESS)
        return code;
    uint8_t *at = room.mv_data;
    if (value.size > 0)
        memcpy (at + CHECKSUM_BYTES, value.data, value.size);
    store_checksum (key, at + CHECKSUM_BYTES, value.size, at);
    return MDB_SUCCESS;
}

bool store_open_sealed (const MDB_val *key, const MDB_val *sealed, bytes_t *value)
{
    const uint8_t *at = sealed->mv_data;
    uint8_t sum [CHECKSUM_BYTES];
    if (sealed->mv_size < CHECKSUM_BYTES)
        return false;
    *value = (bytes_t){.data = at + CHECKSUM_BYTES, .size = sealed->mv_size - CHECKSUM_BYTES};
    store_checksum (key, value->data, value->size, sum);
    return memcmp (sum, at, CHECKSUM_BYTES) == 0;
}

bool store_identity_unsealed (const MDB_val *value)
{
    return value->mv_size == IDENTITY_BYTES && number_get (value->mv_data, 4) < LAYOUT;
}

bool store_identity_read (const MDB_val *key, const MDB_val *sealed, store_identity_t *identity,
                          int64_t *stamp_ms)
{
    bytes_t value;
    if (!store_open_sealed (key, sealed, &value) || value.size != IDENTITY_BYTES ||
        number_get (value.data, 4) != LAYOUT)
        return false;
    const uint8_t *at = value.data;
    identity->start = (uint32_t) number_get (at + 4, 4);
    memcpy (identity->id, at + 8, STORE_ID_BYTES);
    *stamp_ms = (int64_t) number_get (at + 24, 8);
    return true;
}
