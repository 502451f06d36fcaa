/*  domain_wire - what a network domain offers, in and out of messages.
 *
 *  A description comes from a peer. It is checked here and by the rule of its entry, so that graphs
 *  can be joined and searched without further checks.
 */
#include "domain.h"

#include "codec_table.h"

#include "gis.pb-c.h"

#include <assert.h>

static_assert ((int) VERTEX_EXCHANGE == MUSUBI__VERTEX_KIND__EXCHANGE_VERTEX, "same numbers");
static_assert ((int) VERTEX_ROUTER == MUSUBI__VERTEX_KIND__ROUTER_VERTEX, "same numbers");

static const codec_row_t vertex_rows [] = {
  ROW_WORD ("name", vertex_t, name),
  ROW_ENUM ("kind", vertex_t, kind, VERTEX_ROUTER),
  ROW_LIST ("attributes", vertex_t, attributes, attributes_count, attribute, 0,
            CLASS_ATTRIBUTES_MAX),
};
const codec_t vertex_codec = CODEC (vertex_t, vertex, vertex_rows);

static const codec_row_t link_rows [] = {
  ROW_WORD ("name", link_t, name),
  ROW_WORD ("a", link_t, ends [0]),
  ROW_WORD ("b", link_t, ends [1]),
  ROW_NUMBER ("mbps", link_t, mbps),
  ROW_MICROS ("latency_ms", link_t, latency_us, LATENCY_US_MAX),
  ROW_NUMBER ("price", link_t, price),
  ROW_LIST ("attributes", link_t, attributes, attributes_count, attribute, 0, CLASS_ATTRIBUTES_MAX),
};
const codec_t link_codec = CODEC (link_t, link, link_rows);

static const codec_row_t domain_rows [] = {
  ROW_LIST ("vertices", domain_t, vertices, vertices_count, vertex, 0, DOMAIN_VERTICES_MAX),
  ROW_LIST ("links", domain_t, links, links_count, link, 0, DOMAIN_LINKS_MAX),
  ROW_ENUM ("disclosure", domain_t, disclosure, DISCLOSE_WINDOWS),
  ROW_TIME ("lead_ms", domain_t, lead_ms),
  ROW_TIME ("horizon_ms", domain_t, horizon_ms),
};
const codec_t domain_codec = CODEC (domain_t, domain_description, domain_rows);
