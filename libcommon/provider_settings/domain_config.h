/*  domain_config - a network domain's graph as files describe it: svc-nis's own, and a section of a
 *  federation's.
 *
 *      sites = "n8, n16"
 *      exchanges = "X1"
 *      routers = "r1"                  local names; in the graph N/r1
 *      attributes/X1/location = paris  of a vertex
 *      links/x1/between = "n8, X1"     and mbps, latency_ms, price, attributes/…
 */
#ifndef MUSUBI_DOMAIN_CONFIG_H
#define MUSUBI_DOMAIN_CONFIG_H

#include "config.h"
#include "domain.h"

#define DOMAIN_PRICE_MOST 1e6 /* credits a Gbit/s-hour */

/*  Rows for a table of keys; before is a literal, such as "domains/" and a star, or "". */
#define DOMAIN_CONFIG_KEYS(before)                                                                 \
    KEY_TEXT (before "sites", "", "vertices that are sites, separated by commas"),                 \
      KEY_TEXT (before "exchanges", "",                                                            \
                "exchange points, under the name that every domain touching them gives them"),     \
      KEY_TEXT (before "routers", "",                                                              \
                "routers, by their local names: other services know r1 of domain N as N/r1"),      \
      KEY_TEXT (before "attributes/*/*", NULL,                                                     \
                "what is said of a vertex, such as attributes/X1/location = paris; of an "         \
                "exchange point the same in every domain"),                                        \
      KEY_NEEDED (                                                                                 \
        CONFIG_TEXT, before "links/*/between", 0, 0,                                               \
        "the two vertices it joins, separated by a comma; both directions share its bandwidth"),   \
      KEY_NEEDED (CONFIG_INTEGER, before "links/*/mbps", 0, LINK_MBPS_MAX,                         \
                  "Mbit/s, both directions together"),                                             \
      KEY_REAL (before "links/*/latency_ms", "1", 0, LATENCY_US_MAX / 1000.0,                      \
                "milliseconds, rounded to a thousandth"),                                          \
      KEY_REAL (before "links/*/price", "0", 0, DOMAIN_PRICE_MOST,                                 \
                "credits a Gbit/s-hour, to a millionth"),                                          \
      KEY_TEXT (before "links/*/attributes/*", NULL,                                               \
                "what requests may ask for, such as media = fibre, availability = 0.999")

/*  The same for what is done outside for circuits: svc-nis/routers_config.h reads it. */
#define SHAPING_CONFIG_KEYS(before)                                                                \
    KEY_TEXT (before "back_end", "none",                                                           \
              "none: no switch is touched; agents: an agent on each router (svc-nis agent) gives " \
              "circuits in use their bandwidth, and no more"),                                     \
      KEY_TEXT (                                                                                   \
        before "links/*/interfaces/*", NULL,                                                       \
        "agents: the interface at that end of the link, such as links/n8-r1/interfaces/r1 "        \
        "= eth0; an end without one is shaped at the other"),                                      \
      KEY_TEXT (before "prefixes/*", NULL,                                                         \
                "agents: IPv4 addresses of a site, or beyond an exchange point, such as "          \
                "prefixes/n8 = 10.8.0.0/16, separated by commas")

/*  The vertices and links that stand under before ("" or "domains/N/"), of the domain called name;
 *  domain_check is content with them. The caller owns the domain: codec_clear. False with why =
 *  "key: what is wrong"; then there is nothing to own. */
bool domain_config_read (const config_t *config, const char *before, const char *name,
                         domain_t *domain, char why [LONG_WHY_BYTES]);

#endif
