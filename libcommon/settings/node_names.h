/*  node_names - what the nodes of a class are called: "n001, n002, n[003-064]" as a site's settings
 *  name them, or CLASS-001 … where they name none. Pure.
 */
#ifndef MUSUBI_NODE_NAMES_H
#define MUSUBI_NODE_NAMES_H

#include "config.h"
#include "name_list.h"
#include "site_settings.h"

#define NODE_NAME_BYTES_MAX 58    /* "node/" and it are an actor's name */
#define NODE_NAMES_MAX      65536 /* of a site */

/*  Adds the names of the nodes of a class, which stands in the settings of config. False with why
 *  when a name or range is wrong, or their number is not nodes. */
bool node_names_read (name_list_t *names, const config_t *config, const class_section_t *class,
                      char why [LONG_WHY_BYTES]);

#endif
