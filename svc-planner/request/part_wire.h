/*  part_wire - a participant's record of a reservation, for the files that read it from messages
 * and from the log.
 */
#ifndef MUSUBI_PART_WIRE_H
#define MUSUBI_PART_WIRE_H

#include "record.h"
#include "transaction_wire.h"

/*  What it has filled on false, part_record_clear frees. */
bool part_record_take (part_record_t *to, const Musubi__PartRecord *from, char why [WHY_BYTES]);

#endif
