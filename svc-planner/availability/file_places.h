/*  file_places - where the files of a request's data needs are, and how soon each could be at a
 *  site (S2; SPEC 30, 31).
 *
 *  It is filled by two look-ups before an algorithm plans (file_lookup.h). The first asks an index
 *  where the files are. The second asks each candidate site's replica service which of its storage
 *  nodes have them, and what the way from the best source gives.
 */
#ifndef MUSUBI_FILE_PLACES_H
#define MUSUBI_FILE_PLACES_H

#include "file_questions.h"

#include <stddef.h>

/*  A file at one site, or on its way there. */
typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* "ams" */
    bool has;                       /* some sound copy of it is at the site */
    bool told;                      /* the site's replica service has answered: */
    staging_answer_t staging;       /* its answer; owned */
} file_site_t;

/*  One a data need of the request, in the order of the request. Owns its sites. */
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    bool known;         /* somebody has it: size and digest are set */
    int64_t created_ms; /* of the content that counts */
    bool unheard;       /* somebody who could have it did not answer */
    bool nowhere;       /* everybody who could have it was asked and answered, and nobody has it */
    uint64_t size;      /* bytes */
    uint8_t digest [DIGEST_BYTES];
    file_site_t *sites; /* ascending by site: those that have it, and candidates */
    size_t sites_count;
    size_t sites_room;
} file_places_t;

/*  So many, all empty but for what the caller sets; NULL when count is 0. */
file_places_t *file_places_new (size_t count);

/*  Frees all of them; *self_p may be NULL. */
void file_places_destroy (file_places_t **self_p, size_t count);

/*  The file at this site ("ams"); NULL when nothing is known of it there. */
const file_site_t *file_places_find (const file_places_t *self, const char *site);

/*  The same, which is added when it is not there. Pointers that were had before are void then. */
file_site_t *file_places_at (file_places_t *self, const char *site);

/*  Has this storage node of the site the whole file? */
bool file_site_has_node (const file_site_t *self, const char *node);

#endif
