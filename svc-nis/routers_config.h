/*  routers_config - where the back end `agents` finds the domain's links: the interfaces at their
 *  ends, and the addresses that sites and exchange points stand for.
 *
 *      links/n8-r1/interfaces/r1 = eth0      at the end r1 of the link
 *      prefixes/n8 = "10.8.0.0/16"
 */
#ifndef MUSUBI_ROUTERS_CONFIG_H
#define MUSUBI_ROUTERS_CONFIG_H

#include "config.h"
#include "routers.h"

/*  Rows for svc-nis's table of keys, beside SHAPING_CONFIG_KEYS. */
#define ROUTERS_CONFIG_KEYS                                                                        \
    KEY_DURATION ("agents/attend", "5s", 100, 3600000,                                             \
                  "how long the question of an agent waits when there is nothing new"),            \
      KEY_DURATION ("agents/silent", "12s", 200, 3600000,                                          \
                    "an agent that was not heard for so long is silent, and circuits through its " \
                    "router are degraded")

/*  What they say of this domain, called name; *agents: is that the back end? The caller frees links
 *  and vertices, if there are any. False with why = "key: what is wrong". */
bool routers_config_read (const config_t *config, const char *name, const domain_t *domain,
                          routers_settings_t *settings, bool *agents, char why [LONG_WHY_BYTES]);

#endif
