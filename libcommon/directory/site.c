/*  site - matching of site descriptions. */
#include "site.h"

#include <stdlib.h>
#include <string.h>

const node_class_t *site_class (const site_t *self, const char *name)
{
    for (size_t i = 0; i < self->classes_count; i++)
        if (strcmp (self->classes [i].name, name) == 0)
            return &self->classes [i];
    return NULL;
}

const storage_offer_t *site_storage_node (const site_storage_t *self, const char *name)
{
    for (size_t i = 0; i < self->nodes_count; i++)
        if (strcmp (self->nodes [i].name, name) == 0)
            return &self->nodes [i];
    return NULL;
}

uint32_t class_nodes_for (const node_class_t *self, uint32_t cpus)
{
    return cpus / self->cpus_per_node + (cpus % self->cpus_per_node ? 1 : 0);
}

static bool attribute_meets (const attribute_t *attribute, const requirement_t *require)
{
    if (!require->numeric)
        return strcmp (attribute->value, require->value) == 0;
    char *end;
    double value = strtod (attribute->value, &end);
    return end != attribute->value && *end == '\0' && value >= require->min;
}

bool attributes_meet (const attribute_t *attributes, size_t attributes_count,
                      const requirement_t *require, size_t require_count)
{
    for (size_t r = 0; r < require_count; r++) {
        bool met = false;
        for (size_t a = 0; a < attributes_count && !met; a++)
            met = strcmp (attributes [a].name, require [r].attribute) == 0 &&
                  attribute_meets (&attributes [a], &require [r]);
        if (!met)
            return false;
    }
    return true;
}

bool class_meets (const node_class_t *self, const requirement_t *require, size_t require_count)
{
    return attributes_meet (self->attributes, self->attributes_count, require, require_count);
}
