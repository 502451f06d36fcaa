/*  request_data - the data and space needs of a request: files and room at the sites of compute
 *  needs.
 */
#include "request.h"
#include "transaction.h"

#include "domain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIELD_BYTES 64

size_t user_request_data (const user_request_t *self, const char *id)
{
    for (size_t i = 0; i < self->data_count; i++)
        if (strcmp (self->data [i].id, id) == 0)
            return i;
    return SIZE_MAX;
}

size_t user_request_space (const user_request_t *self, const char *id)
{
    for (size_t i = 0; i < self->space_count; i++)
        if (strcmp (self->space [i].id, id) == 0)
            return i;
    return SIZE_MAX;
}

uint32_t data_need_nodes (const data_need_t *need)
{
    return need->nodes == 0 || need->nodes == DATA_NODES_ALL ? 1 : need->nodes;
}

/*  The site of a data or space need; its id, which no other need of any kind may have. */
static bool request_data_check_names (const user_request_t *self, const char *at, const char *id,
                                      bool first, const char *field, char why [WHY_BYTES])
{
    if (user_request_need (self, at) == SIZE_MAX)
        return wrong (why, "%s.at: there is no compute need '%s'", field, at);
    if (!name_sound (id))
        return wrong (why, "%s.id: must be letters, digits and . _ -, at least one", field);
    if (!first || user_request_need (self, id) != SIZE_MAX ||
        user_request_network (self, id) != SIZE_MAX)
        return wrong (why, "%s.id: '%s' is used twice: give each need an id of its own", field, id);
    return true;
}

static bool check_data (const user_request_t *self, size_t at, char why [WHY_BYTES])
{
    char reason [WHY_BYTES];
    const data_need_t *need = &self->data [at];
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "request.data[%zu]", at);
    if (!file_name_check (need->file, reason))
        return wrong (why, "%s.file: %.150s", field, reason + strlen ("name: "));
    if (!request_data_check_names (self, need->at, need->id,
                                   user_request_data (self, need->id) == at, field, why))
        return false;
    if (need->nodes > DATA_NODES_MAX && need->nodes != DATA_NODES_ALL)
        return wrong (why, "%s.nodes: must be 1 to %d, or all", field, DATA_NODES_MAX);
    if (need->mbps > LINK_MBPS_MAX)
        return wrong (why, "%s.mbps: must be 1 to %d, or 0 for no circuit", field, LINK_MBPS_MAX);
    if (need->by_ms < 0 || need->by_ms >= need_duration (self, user_request_need (self, need->at)))
        return wrong (why, "%s.by: must be 0 or later, and before '%s' ends", field, need->at);
    return true;
}

static bool check_space (const user_request_t *self, size_t at, char why [WHY_BYTES])
{
    const space_need_t *need = &self->space [at];
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "request.space[%zu]", at);
    bool first =
      user_request_space (self, need->id) == at && user_request_data (self, need->id) == SIZE_MAX;
    if (!request_data_check_names (self, need->at, need->id, first, field, why))
        return false;
    return (need->bytes >= 1 && need->bytes <= NEED_BYTES_MAX) ||
           wrong (why, "%s.bytes: must be 1 to %" PRIu64, field, NEED_BYTES_MAX);
}

bool data_needs_check (const user_request_t *self, char why [WHY_BYTES])
{
    size_t places = self->compute_count + self->space_count;
    size_t circuits = 0;
    for (size_t i = 0; i < self->data_count; i++) {
        if (!check_data (self, i, why))
            return false;
        places += data_need_nodes (&self->data [i]) + (self->data [i].mbps > 0);
        circuits += self->data [i].mbps > 0;
    }
    for (size_t i = 0; i < self->space_count; i++)
        if (!check_space (self, i, why))
            return false;
    if (places > NEEDS_MAX)
        return wrong (why,
                      "request.data: %zu places would be needed for CPUs, files with their sources "
                      "and space, must be at most %d",
                      places, NEEDS_MAX);
    return self->network_count + circuits <= NETWORK_NEEDS_MAX ||
           wrong (why, "request.data: %zu connections and circuits for files, must be at most %d",
                  self->network_count + circuits, NETWORK_NEEDS_MAX);
}
