/*  site_wire - what a site offers, in and out of messages. A description comes from a peer: every
 *  name, count and number is checked here, once, so that planners can reckon with it.
 */
#include "site_wire.h"

#include "message.h"
#include "must.h"
#include "transaction_wire.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_BYTES 64

Musubi__Attribute **attributes_put (attribute_t *from, size_t count)
{
    Musubi__Attribute **list = messages_new (&musubi__attribute__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        list [i]->name = from [i].name;
        list [i]->value = from [i].value;
    }
    return list;
}

void site_put (Musubi__SiteDescription *to, const site_t *from)
{
    musubi__site_description__init (to);
    to->n_classes = from->classes_count;
    to->classes = messages_new (&musubi__node_class__descriptor, from->classes_count);
    for (size_t i = 0; i < from->classes_count; i++) {
        node_class_t *class = &from->classes [i];
        Musubi__NodeClass *message = to->classes [i];
        message->name = class->name;
        message->nodes = class->nodes;
        message->cpus_per_node = class->cpus_per_node;
        message->price = class->price;
        message->n_attributes = class->attributes_count;
        message->attributes = attributes_put (class->attributes, class->attributes_count);
    }
    to->disclosure = from->disclosure == DISCLOSE_WINDOWS ? MUSUBI__DISCLOSURE__WINDOWS
                                                          : MUSUBI__DISCLOSURE__PROFILE;
    to->lead_ms = from->lead_ms;
    to->horizon_ms = from->horizon_ms;
    to->cleaning_gap_ms = from->cleaning_gap_ms;
}

void site_put_end (Musubi__SiteDescription *wire)
{
    for (size_t i = 0; i < wire->n_classes; i++)
        free (wire->classes [i]->attributes);
    free (wire->classes);
}

bool attribute_take (attribute_t *to, const Musubi__Attribute *from, const char *field,
                     char why [WHY_BYTES])
{
    return text_take (to->name, NAME_BYTES_MAX, from->name, TEXT_WORD, field, why) &&
           text_take (to->value, ATTRIBUTE_VALUE_BYTES_MAX, from->value, TEXT_ANY, field, why);
}

/*  On false the class holds nothing. */
static bool class_take (node_class_t *to, const Musubi__NodeClass *from, size_t index,
                        char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "classes[%zu].name", index);
    if (!text_take (to->name, NAME_BYTES_MAX, from->name, TEXT_WORD, field, why))
        return false;
    if (from->nodes > NODES_MAX)
        return wrong (why, "classes[%zu].nodes: more than %d", index, NODES_MAX);
    if (from->cpus_per_node < 1 || from->cpus_per_node > CPUS_PER_NODE_MAX)
        return wrong (why, "classes[%zu].cpus_per_node: not in 1 to %d", index, CPUS_PER_NODE_MAX);
    if (from->price < 0)
        return wrong (why, "classes[%zu].price: below zero", index);
    if (from->n_attributes > CLASS_ATTRIBUTES_MAX)
        return wrong (why, "classes[%zu].attributes: more than %d", index, CLASS_ATTRIBUTES_MAX);
    to->nodes = from->nodes;
    to->cpus_per_node = from->cpus_per_node;
    to->price = from->price;
    to->attributes = must (calloc (from->n_attributes + 1, sizeof *to->attributes));
    for (size_t i = 0; i < from->n_attributes; i++) {
        snprintf (field, sizeof field, "classes[%zu].attributes[%zu]", index, i);
        if (!attribute_take (&to->attributes [i], from->attributes [i], field, why)) {
            free (to->attributes);
            *to = (node_class_t){0};
            return false;
        }
    }
    to->attributes_count = from->n_attributes;
    return true;
}

static bool classes_take (site_t *to, const Musubi__SiteDescription *from, char why [WHY_BYTES])
{
    to->classes = must (calloc (from->n_classes + 1, sizeof *to->classes));
    for (size_t i = 0; i < from->n_classes; i++) {
        node_class_t class = {0};
        if (!class_take (&class, from->classes [i], i, why))
            return false;
        bool doubled = site_class (to, class.name) != NULL;
        to->classes [to->classes_count++] = class; /* site_clear finds it from now on */
        if (doubled)
            return wrong (why, "classes[%zu].name: the site has that class already", i);
    }
    return true;
}

bool site_take (site_t *to, const Musubi__SiteDescription *from, char why [WHY_BYTES])
{
    assert (to && from);
    if (from->n_classes > SITE_CLASSES_MAX)
        return wrong (why, "classes: more than %d", SITE_CLASSES_MAX);
    if (from->disclosure != MUSUBI__DISCLOSURE__PROFILE &&
        from->disclosure != MUSUBI__DISCLOSURE__WINDOWS)
        return wrong (why, "disclosure: %d is not known", (int) from->disclosure);
    if (from->lead_ms < 0 || !time_valid (from->lead_ms))
        return wrong (why, "lead_ms: out of range");
    if (from->horizon_ms < 0 || !time_valid (from->horizon_ms))
        return wrong (why, "horizon_ms: out of range");
    if (from->cleaning_gap_ms < 0 || !time_valid (from->cleaning_gap_ms))
        return wrong (why, "cleaning_gap_ms: out of range");

    *to = (site_t){.disclosure = from->disclosure == MUSUBI__DISCLOSURE__WINDOWS ? DISCLOSE_WINDOWS
                                                                                 : DISCLOSE_PROFILE,
                   .lead_ms = from->lead_ms,
                   .horizon_ms = from->horizon_ms,
                   .cleaning_gap_ms = from->cleaning_gap_ms};
    if (classes_take (to, from, why))
        return true;
    site_clear (to);
    return false;
}

bool requirement_take (requirement_t *to, const Musubi__Requirement *from, const char *field,
                       char why [WHY_BYTES])
{
    *to = (requirement_t){0};
    if (!text_take (to->attribute, NAME_BYTES_MAX, from->attribute, TEXT_WORD, field, why))
        return false;
    switch (from->test_case) {
    case MUSUBI__REQUIREMENT__TEST_VALUE:
        return text_take (to->value, ATTRIBUTE_VALUE_BYTES_MAX, from->value, TEXT_ANY, field, why);
    case MUSUBI__REQUIREMENT__TEST_MIN:
        if (!isfinite (from->min))
            return wrong (why, "%s.min: not a number", field);
        to->numeric = true;
        to->min = from->min;
        return true;
    default:
        return wrong (why, "%s: neither value nor min", field);
    }
}
