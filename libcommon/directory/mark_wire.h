/*  mark_wire - a mark in and out of its generated struct. Included by _wire files only. */
#ifndef MUSUBI_MARK_WIRE_H
#define MUSUBI_MARK_WIRE_H

#include "ledger.h"
#include "transaction.h"

#include "gis.pb-c.h"

/*  Borrows from the mark. */
void ledger_mark_put (Musubi__Watermark *to, const ledger_mark_t *from);
bool ledger_mark_take (ledger_mark_t *to, const Musubi__Watermark *from, char why [WHY_BYTES]);

#endif
