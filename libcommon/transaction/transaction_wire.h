/*  transaction_wire - what the _wire files share of proto/transaction.proto: values in and out of
 *  generated structs. Included by _wire files only.
 *
 *  Putting never copies: a generated struct filled here borrows from the value it was filled from.
 *  Taking checks lengths, characters, enums and order, so that the logic can assert.
 */
#ifndef MUSUBI_TRANSACTION_WIRE_H
#define MUSUBI_TRANSACTION_WIRE_H

#include "codec_table.h"
#include "message.h"
#include "transaction.h"

#include "transaction.pb-c.h"

#define PROFILE_STEPS_MAX 65536 /* in one profile of a refusal */
#define PROFILES_MAX      4096  /* in one answer: classes of a site, links of a domain */

/*  Of a part of this kind; NULL for PART_NONE. */
const codec_t *part_codec (part_kind_t kind);

#endif
