/*  routers_config - from keys to interfaces and prefixes. */
#include "routers_config.h"

#include "must.h"
#include "name_list.h"

#include <stdio.h>
#include <stdlib.h>

#define PATH_BYTES 512
#define NAMES_MAX  (DOMAIN_VERTICES_MAX + 1)

/*  The vertex that the domain's files call so; SIZE_MAX when there is none. */
static size_t vertex_called (const domain_t *domain, const char *name, const char *local)
{
    for (size_t i = 0; i < domain->vertices_count; i++)
        if (strcmp (vertex_local_name (&domain->vertices [i], name), local) == 0)
            return i;
    return SIZE_MAX;
}

static bool interface_read (const config_t *config, const char *path, char *interface,
                            char why [LONG_WHY_BYTES])
{
    const char *text = config_text (config, path);
    size_t length = strlen (text);
    if (length == 0 || length > INTERFACE_BYTES_MAX || strpbrk (text, " \t/"))
        return config_wrong (config, path, why,
                             "\"%.40s\" should be an interface, 1 to %d bytes without blanks and "
                             "slashes",
                             text, INTERFACE_BYTES_MAX);
    memcpy (interface, text, length + 1);
    return true;
}

static bool link_interfaces_read (const config_t *config, const char *name, const domain_t *domain,
                                  size_t link, link_interfaces_t *interfaces,
                                  char why [LONG_WHY_BYTES])
{
    char section [PATH_BYTES], path [2 * PATH_BYTES];
    const char *ends [3];
    const link_t *at = &domain->links [link];
    snprintf (section, sizeof section, "links/%s/interfaces", at->name);
    size_t count = config_names (config, section, ends, 3);
    for (size_t i = 0; i < count && i < 3; i++) {
        size_t vertex = vertex_called (domain, name, ends [i]);
        const char *end = vertex < SIZE_MAX ? domain->vertices [vertex].name : "";
        bool second = strcmp (end, at->ends [1]) == 0;
        snprintf (path, sizeof path, "%s/%s", section, ends [i]);
        if (!second && strcmp (end, at->ends [0]) != 0)
            return config_wrong (config, path, why, "\"%.63s\" should be an end of the link",
                                 ends [i]);
        if (!interface_read (config, path, interfaces->ends [second], why))
            return false;
    }
    return count > 0 || config_wrong (config, section, why,
                                      "missing: with back_end = agents each link has an interface "
                                      "at one of its ends, or at both");
}

/*  An interface belongs to one link: what it carries is that link's. */
static bool interface_alone (const config_t *config, const domain_t *domain,
                             const link_interfaces_t *links, size_t link, char why [LONG_WHY_BYTES])
{
    char path [PATH_BYTES];
    snprintf (path, sizeof path, "links/%s/interfaces", domain->links [link].name);
    for (size_t other = 0; other < link; other++)
        for (size_t end = 0; end < 4; end++) {
            const char *mine = links [link].ends [end / 2];
            if (*mine && strcmp (mine, links [other].ends [end % 2]) == 0 &&
                strcmp (domain->links [link].ends [end / 2],
                        domain->links [other].ends [end % 2]) == 0)
                return config_wrong (config, path, why, "%s is that of link %s already", mine,
                                     domain->links [other].name);
        }
    return true;
}

static bool prefixes_read (const config_t *config, const char *path, vertex_prefixes_t *prefixes,
                           char why [LONG_WHY_BYTES])
{
    name_list_auto_t list = {0};
    char wrong_why [WHY_BYTES] = "give 1 to 16 of them";
    name_list_add (&list, config_text (config, path), "");
    bool good = list.count > 0 && list.count <= SHAPE_PREFIXES_MAX;
    for (size_t i = 0; i < list.count && good; i++)
        good = prefix_parse (list.words [i], &prefixes->list [prefixes->count++], wrong_why);
    return good || config_wrong (config, path, why, "%s", wrong_why);
}

/*  Every end that a circuit can have stands for some addresses. A name below prefixes that is no
 *  vertex would be passed over silently. */
static bool vertices_prefixes_read (const config_t *config, const char *name,
                                    const domain_t *domain, vertex_prefixes_t *vertices,
                                    char why [LONG_WHY_BYTES])
{
    char path [PATH_BYTES];
    const char *names [NAMES_MAX];
    size_t count = config_names (config, "prefixes", names, NAMES_MAX);
    for (size_t i = 0; i < count && i < NAMES_MAX; i++) {
        size_t vertex = vertex_called (domain, name, names [i]);
        snprintf (path, sizeof path, "prefixes/%.80s", names [i]);
        if (vertex == SIZE_MAX)
            return config_wrong (config, path, why, "no site or exchange point is called so");
        if (!prefixes_read (config, path, &vertices [vertex], why))
            return false;
    }
    for (size_t i = 0; i < domain->vertices_count; i++) {
        const vertex_t *vertex = &domain->vertices [i];
        snprintf (path, sizeof path, "prefixes/%s", vertex_local_name (vertex, name));
        if (vertices [i].count == 0 && vertex->kind != VERTEX_ROUTER)
            return config_wrong (config, path, why,
                                 "missing: with back_end = agents each site and exchange point "
                                 "stands for addresses, such as 10.8.0.0/16");
    }
    return true;
}

static bool settings_read (const config_t *config, const char *name, const domain_t *domain,
                           link_interfaces_t *links, vertex_prefixes_t *vertices,
                           char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < domain->links_count; i++)
        if (!link_interfaces_read (config, name, domain, i, &links [i], why) ||
            !interface_alone (config, domain, links, i, why))
            return false;
    return vertices_prefixes_read (config, name, domain, vertices, why);
}

bool routers_config_read (const config_t *config, const char *name, const domain_t *domain,
                          routers_settings_t *settings, bool *agents, char why [LONG_WHY_BYTES])
{
    const char *kind = config_text (config, "back_end");
    uint32_t silent_ms = (uint32_t) config_duration_ms (config, "agents/silent");
    *settings =
      (routers_settings_t){.attend_ms = (uint32_t) config_duration_ms (config, "agents/attend"),
                           .silent_ms = silent_ms,
                           .lost_ms = 2 * silent_ms};
    *agents = strcmp (kind, "agents") == 0;
    if (!*agents)
        return strcmp (kind, "none") == 0 ||
               config_wrong (config, "back_end", why, "\"%.80s\" should be none or agents", kind);
    if (silent_ms <= settings->attend_ms)
        return config_wrong (config, "agents/silent", why, "must be longer than agents/attend");
    link_interfaces_t *links = must (calloc (domain->links_count + 1, sizeof *links));
    vertex_prefixes_t *vertices = must (calloc (domain->vertices_count + 1, sizeof *vertices));
    settings->links = links;
    settings->vertices = vertices;
    return settings_read (config, name, domain, links, vertices, why);
}
