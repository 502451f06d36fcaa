/*  request_patch - what a modify changes of a request, checked and applied. */
#include "request.h"

#include "domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void request_patch_clear (request_patch_t *self)
{
    free (self->compute);
    free (self->network);
    *self = (request_patch_t){0};
}

static bool check_needs (const request_patch_t *self, char why [WHY_BYTES])
{
    if (self->compute_count > NEEDS_MAX) {
        snprintf (why, WHY_BYTES, "compute: %zu needs, at most %d", self->compute_count, NEEDS_MAX);
        return false;
    }
    for (size_t i = 0; i < self->compute_count; i++) {
        if (self->compute [i].cpus > CPUS_MAX) {
            snprintf (why, WHY_BYTES, "compute[%zu].cpus: must be 1 to %d", i, CPUS_MAX);
            return false;
        }
    }
    if (self->network_count > NETWORK_NEEDS_MAX) {
        snprintf (why, WHY_BYTES, "network: %zu needs, at most %d", self->network_count,
                  NETWORK_NEEDS_MAX);
        return false;
    }
    for (size_t i = 0; i < self->network_count; i++) {
        if (self->network [i].mbps > LINK_MBPS_MAX) {
            snprintf (why, WHY_BYTES, "network[%zu].mbps: must be 1 to %d", i, LINK_MBPS_MAX);
            return false;
        }
    }
    return true;
}

bool request_patch_check (const request_patch_t *self, char why [WHY_BYTES])
{
    if (!name_sound (self->reservation)) {
        snprintf (why, WHY_BYTES, "reservation: must be a reservation's id");
        return false;
    }
    if (self->duration_ms < 0 || self->duration_ms > DURATION_MS_MAX) {
        snprintf (why, WHY_BYTES, "duration: must be 1 ms to 366 days");
        return false;
    }
    if (!check_needs (self, why))
        return false;
    if (!self->window_set && self->duration_ms == 0 && self->compute_count == 0 &&
        self->network_count == 0) {
        snprintf (why, WHY_BYTES, "a change must name a window, a duration or a need");
        return false;
    }
    return true;
}

static network_need_t *connection_of (user_request_t *self, const char *id)
{
    for (size_t i = 0; i < self->network_count; i++)
        if (strcmp (self->network [i].id, id) == 0)
            return &self->network [i];
    return NULL;
}

bool user_request_patch (user_request_t *self, const request_patch_t *patch, char why [WHY_BYTES])
{
    if (patch->window_set)
        self->window = patch->window;
    if (patch->duration_ms > 0)
        self->duration_ms = patch->duration_ms;
    for (size_t i = 0; i < patch->compute_count; i++) {
        size_t need = user_request_need (self, patch->compute [i].id);
        if (need == SIZE_MAX) {
            snprintf (why, WHY_BYTES, "compute[%zu].id: the reservation has no need '%s'", i,
                      patch->compute [i].id);
            return false;
        }
        if (patch->compute [i].cpus > 0)
            self->compute [need].cpus = patch->compute [i].cpus;
    }
    for (size_t i = 0; i < patch->network_count; i++) {
        network_need_t *need = connection_of (self, patch->network [i].id);
        if (!need) {
            snprintf (why, WHY_BYTES, "network[%zu].id: the reservation has no network need '%s'",
                      i, patch->network [i].id);
            return false;
        }
        if (patch->network [i].mbps > 0)
            need->mbps = patch->network [i].mbps;
    }
    return user_request_check (self, why);
}
