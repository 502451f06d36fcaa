/*  domain_config - a network domain's graph as files describe it: svc-nis's own, and a section of a
 *  federation's.
 *
 *      sites = "n8, n16"
 *      exchanges = "X1"
 *      routers = "r1"                  local names; in the graph N/r1
 *      attributes/X1/location = paris  of a vertex
 *      links/x1/between = "n8, X1"     and mbps, latency_ms, price, attributes/…, interfaces/…
 *      prefixes/n8 = "10.8.0.0/16"     interfaces and prefixes are svc-nis's alone to read
 */
#ifndef MUSUBI_DOMAIN_CONFIG_H
#define MUSUBI_DOMAIN_CONFIG_H

#include "config.h"
#include "domain.h"
#include "site_settings.h"

/*  attributes/X1/… */
typedef struct {
    const char *name;
    attribute_setting_t *attributes;
    size_t attributes_count;
} vertex_section_t;

/*  links/x1/… */
typedef struct {
    const char *name;
    const char *between;
    uint32_t mbps;
    double latency_ms;
    double price; /* credits a Gbit/s-hour */
    attribute_setting_t *attributes;
    size_t attributes_count;
    attribute_setting_t *interfaces; /* by the vertex at that end */
    size_t interfaces_count;
} link_section_t;

typedef enum { SHAPED_BY_NONE, SHAPED_BY_AGENTS } shaped_by_t;

typedef struct {
    const char *sites;
    const char *exchanges;
    const char *routers;
    vertex_section_t *vertices;
    size_t vertices_count;
    link_section_t *links;
    size_t links_count;
    attribute_setting_t *prefixes; /* by vertex */
    size_t prefixes_count;
    shaped_by_t back_end;
} domain_section_t;

extern const setting_table_t domain_table;

/*  The vertices and links of a section that was read with config, of the domain called name;
 *  domain_check is content with them. The caller owns the domain: codec_clear. False with why =
 *  "path: what is wrong"; then there is nothing to own. */
bool domain_config_read (const config_t *config, const domain_section_t *section, const char *name,
                         domain_t *domain, char why [LONG_WHY_BYTES]);

#endif
