/*  file_places - a short ordered list of sites for each file. */
#include "file_places.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

file_places_t *file_places_new (size_t count)
{
    return count > 0 ? must (calloc (count, sizeof (file_places_t))) : NULL;
}

void file_places_destroy (file_places_t **self_p, size_t count)
{
    for (size_t i = 0; *self_p && i < count; i++) {
        for (size_t s = 0; s < (*self_p) [i].sites_count; s++)
            free ((*self_p) [i].sites [s].staging.nodes);
        free ((*self_p) [i].sites);
    }
    free (*self_p);
    *self_p = NULL;
}

/*  The first site that is not before this one; *found: it is this one. */
static size_t file_places_rank (const file_places_t *self, const char *site, bool *found)
{
    size_t at = 0;
    while (at < self->sites_count && strcmp (self->sites [at].site, site) < 0)
        at++;
    *found = at < self->sites_count && strcmp (self->sites [at].site, site) == 0;
    return at;
}

const file_site_t *file_places_find (const file_places_t *self, const char *site)
{
    bool found;
    size_t at = file_places_rank (self, site, &found);
    return found ? &self->sites [at] : NULL;
}

file_site_t *file_places_at (file_places_t *self, const char *site)
{
    bool found;
    size_t at = file_places_rank (self, site, &found);
    if (found)
        return &self->sites [at];
    self->sites =
      must_grow (self->sites, self->sites_count, &self->sites_room, sizeof *self->sites);
    memmove (&self->sites [at + 1], &self->sites [at],
             (self->sites_count++ - at) * sizeof *self->sites);
    self->sites [at] = (file_site_t){0};
    snprintf (self->sites [at].site, sizeof self->sites [at].site, "%s", site);
    return &self->sites [at];
}

bool file_site_has_node (const file_site_t *self, const char *node)
{
    for (size_t i = 0; i < self->staging.nodes_count; i++)
        if (strcmp (self->staging.nodes [i], node) == 0)
            return true;
    return false;
}
