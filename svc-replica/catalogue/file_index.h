/*  file_index - what sites have told of their files: soft state, that says where to ask.
 *
 *  A site tells its changes from number to number, and is answered how far it has come; where the
 *  numbers don't meet, it is answered 0 and begins afresh, and what it told before is forgotten.
 *  All of it is forgotten, too, when the site has said nothing for its lease. Nothing is stored.
 *
 *  Serves ReplicaIndex. Pure.
 */
#ifndef MUSUBI_FILE_INDEX_H
#define MUSUBI_FILE_INDEX_H

#include "file_place.h"
#include "service.h"

typedef struct file_index file_index_t;

/*  places_max bounds what is remembered of all sites together. */
file_index_t *file_index_new (service_t *service, uint32_t places_max);
void file_index_destroy (file_index_t **self_p);

#endif
