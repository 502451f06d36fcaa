/*  site_wire - what a site offers, in and out of messages.
 *
 *  A description comes from a peer: every name, count and number is checked here, once, so that
 *  planners can compute with it.
 */
#include "site.h"

#include "codec_table.h"

#include "gis.pb-c.h"

#include <string.h>

static_assert ((int) DISCLOSE_WINDOWS == MUSUBI__DISCLOSURE__WINDOWS, "same numbers");

static const codec_row_t attribute_rows [] = {
  ROW_WORD ("name", attribute_t, name),
  ROW_TEXT ("value", attribute_t, value),
};
const codec_t attribute_codec = CODEC (attribute_t, attribute, attribute_rows);

static const codec_row_t node_class_rows [] = {
  ROW_WORD ("name", node_class_t, name),
  ROW_NUMBER ("nodes", node_class_t, nodes, MOST (NODES_MAX)),
  ROW_NUMBER ("cpus_per_node", node_class_t, cpus_per_node, BETWEEN (1, CPUS_PER_NODE_MAX)),
  ROW_LIST ("attributes", node_class_t, attributes, attributes_count, attribute, 0,
            CLASS_ATTRIBUTES_MAX),
  ROW_NUMBER ("price", node_class_t, price, LEAST (0)),
};
const codec_t node_class_codec = CODEC (node_class_t, node_class, node_class_rows);

static const codec_row_t site_rows [] = {
  ROW_LIST ("classes", site_t, classes, classes_count, node_class, 0, SITE_CLASSES_MAX),
  ROW_ENUM ("disclosure", site_t, disclosure, DISCLOSE_WINDOWS),
  ROW_TIME ("lead_ms", site_t, lead_ms),
  ROW_TIME ("horizon_ms", site_t, horizon_ms),
  ROW_TIME ("cleaning_gap_ms", site_t, cleaning_gap_ms),
};

static bool site_rule (void *self, char why [WHY_BYTES])
{
    const site_t *site = self;
    for (size_t i = 0; i < site->classes_count; i++)
        if (site_class (site, site->classes [i].name) != &site->classes [i])
            return wrong (why, "classes[%zu].name: given twice", i);
    return true;
}

const codec_t site_codec = CODEC_RULED (site_t, site_description, site_rows, site_rule);

/*  --- storage --- */

static const codec_row_t storage_offer_rows [] = {
  ROW_WORD ("name", storage_offer_t, name),
  ROW_NUMBER ("mib", storage_offer_t, mib),
};
const codec_t storage_offer_codec =
  CODEC (storage_offer_t, storage_node_description, storage_offer_rows);

static const codec_row_t storage_rows [] = {
  ROW_LIST ("nodes", site_storage_t, nodes, nodes_count, storage_offer, 0, SITE_STORAGE_MAX),
  ROW_ENUM ("disclosure", site_storage_t, disclosure, DISCLOSE_WINDOWS),
  ROW_TIME ("lead_ms", site_storage_t, lead_ms),
  ROW_TIME ("horizon_ms", site_storage_t, horizon_ms),
};

static bool storage_rule (void *self, char why [WHY_BYTES])
{
    const site_storage_t *storage = self;
    for (size_t i = 0; i < storage->nodes_count; i++)
        if (site_storage_node (storage, storage->nodes [i].name) != &storage->nodes [i])
            return wrong (why, "nodes[%zu].name: given twice", i);
    return true;
}

const codec_t site_storage_codec =
  CODEC_RULED (site_storage_t, storage_description, storage_rows, storage_rule);

/*  --- wants --- */

static const codec_row_t requirement_rows [] = {
  ROW_WORD ("attribute", requirement_t, attribute),
  ROW_TEXT ("value", requirement_t, value, CASE_OF (requirement_t, numeric, false)),
  ROW_NUMBER ("min", requirement_t, min, FINITE, CASE_OF (requirement_t, numeric, true)),
};

static bool requirement_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) self;
    return ((const Musubi__Requirement *) message)->test_case !=
             MUSUBI__REQUIREMENT__TEST__NOT_SET ||
           wrong (why, "value: missing; a requirement has either value or min");
}

const codec_t requirement_codec =
  CODEC_JUDGED (requirement_t, requirement, requirement_rows, requirement_rule);
