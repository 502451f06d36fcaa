/*  file_index - remembers which sites have which files, as the sites tell; used as a hint only.
 *
 *  A site tells its changes by number, and the answer says up to which number the index has come.
 *  If the numbers don't meet, the answer is 0, what the site told before is forgotten, and it
 *  begins anew. The same happens when the site is silent for its lease. Nothing is stored.
 *
 *  Serves ReplicaIndex. Pure.
 */
#ifndef MUSUBI_FILE_INDEX_H
#define MUSUBI_FILE_INDEX_H

#include "chain.h"
#include "file_questions.h"
#include "service.h"

/*  "ams's only copy of x has 1 bad MiB, at 12 MiB; …": why a file that a site has only quarantined
 *  is not given, and what can be done. */
void file_place_damaged (const file_place_t *place, const char *name, char why [WHY_BYTES]);

/*  "ams" of "replica/ams"; NULL of whatever is no svc-replica. */
const char *site_of (const char *name);

/*  Of two contents under one name the one that was put first counts. Below zero: that is a. */
int file_place_order (const file_place_t *a, const file_place_t *b);

typedef struct file_index file_index_t;

/*  places_max: most places of all sites together. */
file_index_t *file_index_new (service_t *service, uint32_t places_max);
void file_index_destroy (file_index_t **self_p);

#endif
