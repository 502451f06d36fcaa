/*  file_place - a site, and what it tells others about a file that it has. Pure. */
#ifndef MUSUBI_FILE_PLACE_H
#define MUSUBI_FILE_PLACE_H

#include "chain.h"
#include "file_questions.h"

/*  "ams's only copy of x has 1 bad MiB, at 12 MiB; …": why a file that a site has only quarantined
 *  is not given, and what can be done. */
void file_place_damaged (const file_place_t *place, const char *name, char why [WHY_BYTES]);

/*  "ams" of "replica/ams"; NULL of whatever is no svc-replica. */
const char *site_of (const char *name);

/*  Of two contents under one name the one that was put first counts. Below zero: that is a. */
int file_place_order (const file_place_t *a, const file_place_t *b);

#endif
