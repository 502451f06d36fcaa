/*  request_patch - checks what a modify changes, and applies it to a request. */
#include "request.h"

#include "domain.h"
#include "must.h"
#include "stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool request_patch_check_needs (const request_patch_t *self, char why [WHY_BYTES])
{
    for (size_t i = 0; i < self->compute_count; i++) {
        if (self->compute [i].cpus > CPUS_MAX)
            return wrong (why, "compute[%zu].cpus: must be 1 to %d", i, CPUS_MAX);
        const char *site = self->compute [i].site;
        if (*site && strcmp (site, SITE_ANY) != 0 && !name_sound (site))
            return wrong (why, "compute[%zu].site: must be a site's name, or " SITE_ANY, i);
    }
    for (size_t i = 0; i < self->network_count; i++) {
        if (self->network [i].mbps > LINK_MBPS_MAX)
            return wrong (why, "network[%zu].mbps: must be 1 to %d", i, LINK_MBPS_MAX);
    }
    return true;
}

bool request_patch_check (const request_patch_t *self, char why [WHY_BYTES])
{
    if (!name_sound (self->reservation))
        return wrong (why, "reservation: must be a reservation's id");
    if (self->duration_ms < 0 || self->duration_ms > DURATION_MS_MAX)
        return wrong (why, "duration: must be 1 ms to 366 days");
    if (!request_patch_check_needs (self, why))
        return false;
    if (!self->window_set && self->duration_ms == 0 && self->compute_count == 0 &&
        self->network_count == 0 && self->space_count == 0 && self->added.compute_count == 0 &&
        self->added.network_count == 0 && self->added.data_count == 0 &&
        self->added.space_count == 0 && self->removed_count == 0)
        return wrong (why, "the change is empty: it must name a window, a duration or a need");
    return true;
}

/*  --- needs that come and go --- */

static void take_out (void *list, size_t *count, size_t at, size_t size)
{
    char *bytes = list;
    (*count)--;
    memmove (bytes + at * size, bytes + (at + 1) * size, (*count - at) * size);
}

static bool remove_need (user_request_t *self, const char *id, char why [WHY_BYTES])
{
    size_t need = user_request_need (self, id);
    if (need != SIZE_MAX) {
        free (self->compute [need].require);
        take_out (self->compute, &self->compute_count, need, sizeof *self->compute);
        return true;
    }
    size_t data = user_request_data (self, id), space = user_request_space (self, id);
    if (data != SIZE_MAX) {
        take_out (self->data, &self->data_count, data, sizeof *self->data);
        return true;
    }
    if (space != SIZE_MAX) {
        take_out (self->space, &self->space_count, space, sizeof *self->space);
        return true;
    }
    size_t connection = user_request_network (self, id);
    if (connection == SIZE_MAX)
        return wrong (why, "remove: the reservation has no need '%s'", id);
    free (self->network [connection].require);
    take_out (self->network, &self->network_count, connection, sizeof *self->network);
    return true;
}

/*  Moves the added elements behind the list's own. */
static void append (void *list_p, size_t *count, void *added, size_t added_count, size_t size)
{
    void *list;
    memcpy (&list, list_p, sizeof list);
    list = must (realloc (list, (*count + added_count + 1) * size));
    if (added_count > 0)
        memcpy ((char *) list + *count * size, added, added_count * size);
    *count += added_count;
    free (added);
    memcpy (list_p, &list, sizeof list);
}

static void add_needs (user_request_t *self, const user_request_t *added)
{
    user_request_t copy;
    user_request_copy (&copy, added);
    append (&self->compute, &self->compute_count, copy.compute, copy.compute_count,
            sizeof *self->compute);
    append (&self->network, &self->network_count, copy.network, copy.network_count,
            sizeof *self->network);
    append (&self->data, &self->data_count, copy.data, copy.data_count, sizeof *self->data);
    append (&self->space, &self->space_count, copy.space, copy.space_count, sizeof *self->space);
}

/*  A connection or file of a removed need must be removed, too, by name. */
static bool check_left (const user_request_t *self, const char *removed, char why [WHY_BYTES])
{
    if (self->compute_count == 0)
        return wrong (why,
                      "remove: no compute need would be left: release the reservation instead");
    if (user_request_need (self, removed) != SIZE_MAX)
        return true; /* the patch adds another need with that id */
    for (size_t i = 0; i < self->network_count; i++)
        for (int end = 0; end < 2; end++)
            if (strcmp (self->network [i].ends [end], removed) == 0)
                return wrong (why, "remove: need '%s' still joins '%s': remove it, too",
                              self->network [i].id, removed);
    for (size_t i = 0; i < self->data_count; i++)
        if (strcmp (self->data [i].at, removed) == 0)
            return wrong (why, "remove: file %.60s is still needed at '%s': remove need '%s', too",
                          self->data [i].file, removed, self->data [i].id);
    for (size_t i = 0; i < self->space_count; i++)
        if (strcmp (self->space [i].at, removed) == 0)
            return wrong (why, "remove: need '%s' still wants space at '%s': remove it, too",
                          self->space [i].id, removed);
    return true;
}

static bool change_needs (user_request_t *self, const request_patch_t *patch, char why [WHY_BYTES])
{
    for (size_t i = 0; i < patch->removed_count; i++)
        if (!remove_need (self, patch->removed [i], why))
            return false;
    add_needs (self, &patch->added);
    for (size_t i = 0; i < patch->removed_count; i++)
        if (!check_left (self, patch->removed [i], why))
            return false;
    return true;
}

bool user_request_patch (user_request_t *self, const request_patch_t *patch, char why [WHY_BYTES])
{
    if (!change_needs (self, patch, why))
        return false;
    if (patch->window_set)
        self->window = patch->window;
    if (patch->duration_ms > 0)
        self->duration_ms = patch->duration_ms;
    for (size_t i = 0; i < patch->compute_count; i++) {
        size_t need = user_request_need (self, patch->compute [i].id);
        if (need == SIZE_MAX)
            return wrong (why, "compute[%zu].id: the reservation has no need '%s'", i,
                          patch->compute [i].id);
        if (patch->compute [i].cpus > 0)
            self->compute [need].cpus = patch->compute [i].cpus;
        const char *site = patch->compute [i].site;
        if (*site)
            snprintf (self->compute [need].site, sizeof self->compute [need].site, "%s",
                      strcmp (site, SITE_ANY) == 0 ? "" : site);
    }
    for (size_t i = 0; i < patch->network_count; i++) {
        size_t need = user_request_network (self, patch->network [i].id);
        if (need == SIZE_MAX)
            return wrong (why, "network[%zu].id: the reservation has no network need '%s'", i,
                          patch->network [i].id);
        if (patch->network [i].mbps > 0)
            self->network [need].mbps = patch->network [i].mbps;
    }
    for (size_t i = 0; i < patch->space_count; i++) {
        size_t need = user_request_space (self, patch->space [i].id);
        if (need == SIZE_MAX)
            return wrong (why, "space[%zu].id: the reservation has no space need '%s'", i,
                          patch->space [i].id);
        self->space [need].bytes = patch->space [i].bytes;
    }
    stages_forget (self); /* stages_make makes them anew */
    return user_request_check (self, why);
}
