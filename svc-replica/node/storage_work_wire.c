/*  storage_work_wire - protobuf <-> plain values. */
#include "storage_work.h"

#include "chain_wire_own.h"
#include "message.h"
#include "transaction_wire.h"

#include <string.h>

packed_t storage_work_encode (const storage_work_t *work)
{
    Musubi__StorageWork message = MUSUBI__STORAGE_WORK__INIT;
    message.from = (char *) (work->from ? work->from : "");
    message.to = (char *) (work->to ? work->to : "");
    message.marks = (char *) (work->marks ? work->marks : "");
    message.n_names = work->names_count;
    message.names = (char **) work->names;
    return packed_of (&message.base);
}

bool storage_work_decode (bytes_t body, bool (*take) (void *owner, const storage_work_t *work),
                          void *owner, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__storage_work__descriptor, body);
    if (!message)
        return wrong (why, "not a StorageWork");
    const Musubi__StorageWork *from = (const Musubi__StorageWork *) message;
    bool taken = take (owner, &(storage_work_t){.from = from->from,
                                                .to = from->to,
                                                .marks = from->marks,
                                                .names = (const char *const *) from->names,
                                                .names_count = from->n_names});
    message_free (message);
    return taken;
}

packed_t storage_result_encode (const storage_result_t *result)
{
    Musubi__StorageWorkResult message = MUSUBI__STORAGE_WORK_RESULT__INIT;
    message.there = result->there;
    message.size = result->size;
    message.digest = bytes_put (result->digest, result->digest_known ? CHAIN_DIGEST_BYTES : 0);
    return packed_of (&message.base);
}

bool storage_result_decode (storage_result_t *result, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__storage_work_result__descriptor, body);
    if (!message)
        return wrong (why, "not a StorageWorkResult");
    const Musubi__StorageWorkResult *from = (const Musubi__StorageWorkResult *) message;
    *result = (storage_result_t){.there = from->there, .size = from->size};
    bool taken = digest_take (result->digest, &result->digest_known, &from->digest, "digest", why);
    message_free (message);
    return taken;
}
