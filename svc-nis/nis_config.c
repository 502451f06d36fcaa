/*  nis_config - the rows, and from settings to a core. With the back end `agents` they say where it
 *  finds the domain's links: the interfaces at their ends, and the addresses that sites and
 *  exchange points stand for.
 */
#include "nis_config.h"

#include "domain_config.h"
#include "must.h"
#include "nis.h"
#include "timetable_config.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    provider_file_t common;
    domain_section_t domain;
    use_mode_t provision;
    nis_settings_t numbers;
} nis_file_t;

static const char *const provisions [] = {"asked", "start", NULL};

static const setting_t nis_file_rows [] = {
  SET_TEXT_NEEDED (nis_file_t, common.name, "name",
                   "the domain's name in the federation, such as N"),
  SET_INSIDE (nis_file_t, common, "", provider_file_t, &provider_file_table),
  SET_EACH (nis_file_t, common.accounts, common.accounts_count, "accounts", account_section_t,
            &account_table, ACCOUNT_SECTIONS_MAX),
  SET_INSIDE (nis_file_t, domain, "", domain_section_t, &domain_table),
  SET_CHOICE (
    nis_file_t, provision, "provision", USE_ASKED, provisions,
    "when circuits may carry traffic. asked: once their owner asks for it; start: as soon "
    "as their window opens"),
  SET_INSIDE (nis_file_t, numbers, "", nis_settings_t, &nis_table),
};
const setting_table_t nis_file_table = SETTING_TABLE (nis_file_t, nis_file_rows, NULL);

/*  --- interfaces and prefixes --- */

typedef struct {
    const config_t *config;
    const domain_section_t *section;
    const domain_t *domain; /* links in the section's order */
    const char *name;       /* "N" */
    link_interfaces_t *links;
    vertex_prefixes_t *vertices;
    char *why;
} shaping_reading_t;

/*  The vertex that the domain's files call so; SIZE_MAX when there is none. */
static size_t vertex_called (const shaping_reading_t *self, const char *local)
{
    for (size_t i = 0; i < self->domain->vertices_count; i++)
        if (strcmp (vertex_local_name (&self->domain->vertices [i], self->name), local) == 0)
            return i;
    return SIZE_MAX;
}

static bool interface_read (const shaping_reading_t *self, const char *const *text, char *interface)
{
    size_t length = strlen (*text);
    if (length == 0 || length > INTERFACE_BYTES_MAX || strpbrk (*text, " \t/"))
        return config_refuse (self->config, text, self->why,
                              "\"%.40s\" should be an interface, 1 to %d bytes without blanks and "
                              "slashes",
                              *text, INTERFACE_BYTES_MAX);
    memcpy (interface, *text, length + 1);
    return true;
}

static bool link_interfaces_read (const shaping_reading_t *self, size_t link)
{
    const link_section_t *given = &self->section->links [link];
    const link_t *at = &self->domain->links [link];
    for (size_t i = 0; i < given->interfaces_count; i++) {
        const attribute_setting_t *interface = &given->interfaces [i];
        size_t vertex = vertex_called (self, interface->name);
        const char *end = vertex < SIZE_MAX ? self->domain->vertices [vertex].name : "";
        bool second = strcmp (end, at->ends [1]) == 0;
        if (!second && strcmp (end, at->ends [0]) != 0)
            return config_refuse (self->config, &interface->name, self->why,
                                  "\"%.63s\" should be an end of the link", interface->name);
        if (!interface_read (self, &interface->value, self->links [link].ends [second]))
            return false;
    }
    return given->interfaces_count > 0 ||
           config_refuse (self->config, &given->interfaces, self->why,
                          "missing: with back_end = agents each link has an interface at one of "
                          "its ends, or at both");
}

/*  An interface belongs to one link: what it carries is that link's. */
static bool interface_alone (const shaping_reading_t *self, size_t link)
{
    const link_t *links = self->domain->links;
    for (size_t other = 0; other < link; other++)
        for (size_t end = 0; end < 4; end++) {
            const char *mine = self->links [link].ends [end / 2];
            if (*mine && strcmp (mine, self->links [other].ends [end % 2]) == 0 &&
                strcmp (links [link].ends [end / 2], links [other].ends [end % 2]) == 0)
                return config_refuse (self->config, &self->section->links [link].interfaces,
                                      self->why, "%s is that of link %s already", mine,
                                      links [other].name);
        }
    return true;
}

static bool prefixes_read (const shaping_reading_t *self, const char *const *text,
                           vertex_prefixes_t *prefixes)
{
    char wrong_why [WHY_BYTES] = "give 1 to 16 of them";
    name_list_auto_t list = name_list_of (*text, "");
    bool good = list.count > 0 && list.count <= SHAPE_PREFIXES_MAX;
    for (size_t i = 0; i < list.count && good; i++)
        good = prefix_parse (list.words [i], &prefixes->list [prefixes->count++], wrong_why);
    return good || config_refuse (self->config, text, self->why, "%s", wrong_why);
}

/*  Every end that a circuit can have stands for some addresses. A name below prefixes that is no
 *  vertex would be passed over silently. */
static bool vertices_prefixes_read (const shaping_reading_t *self)
{
    for (size_t i = 0; i < self->section->prefixes_count; i++) {
        const attribute_setting_t *given = &self->section->prefixes [i];
        size_t vertex = vertex_called (self, given->name);
        if (vertex == SIZE_MAX)
            return config_refuse (self->config, &given->name, self->why,
                                  "no site or exchange point is called so");
        if (!prefixes_read (self, &given->value, &self->vertices [vertex]))
            return false;
    }
    for (size_t i = 0; i < self->domain->vertices_count; i++) {
        const vertex_t *vertex = &self->domain->vertices [i];
        if (self->vertices [i].count == 0 && vertex->kind != VERTEX_ROUTER)
            return config_refuse (self->config, &self->section->prefixes, self->why,
                                  "%s is missing: with back_end = agents each site and exchange "
                                  "point stands for addresses, such as 10.8.0.0/16",
                                  vertex->name);
    }
    return true;
}

/*  What the settings borrow is the caller's, also after false. */
static bool routers_read (const config_t *config, const nis_file_t *file, nis_settings_t *settings,
                          char why [LONG_WHY_BYTES])
{
    const domain_t *domain = &settings->domain;
    settings->agents = file->domain.back_end == SHAPED_BY_AGENTS;
    if (!settings->agents)
        return true;
    shaping_reading_t reading = {
      .config = config,
      .section = &file->domain,
      .domain = domain,
      .name = settings->provider.name + strlen ("nis/"),
      .links = must (calloc (domain->links_count + 1, sizeof (link_interfaces_t))),
      .vertices = must (calloc (domain->vertices_count + 1, sizeof (vertex_prefixes_t))),
      .why = why};
    settings->routers.links = reading.links;
    settings->routers.vertices = reading.vertices;
    for (size_t i = 0; i < domain->links_count; i++)
        if (!link_interfaces_read (&reading, i) || !interface_alone (&reading, i))
            return false;
    return vertices_prefixes_read (&reading);
}

/*  --- the core --- */

static bool nis_config_settings_read (const config_t *config, const nis_file_t *file,
                                      provider_words_t *words, nis_settings_t *settings,
                                      char why [LONG_WHY_BYTES])
{
    if (!provider_config_read (config, &file->common, "nis", "domain", words, &settings->provider,
                               why) ||
        !domain_config_read (config, &file->domain, words->name + strlen ("nis/"),
                             &settings->domain, why))
        return false;
    settings->domain.disclosure = file->common.terms.disclosure;
    settings->domain.lead_ms = file->common.terms.lead_ms;
    settings->domain.horizon_ms = file->common.terms.horizon_ms;
    settings->use = file->provision;
    return routers_read (config, file, settings, why);
}

bool nis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const nis_file_t *file = config_settings (config, &nis_file_table);
    provider_words_t words = {.name = ""};
    nis_settings_t settings = file->numbers;
    bool good = nis_config_settings_read (config, file, &words, &settings, why);
    if (good)
        nis_core (&settings, core);
    provider_words_clear (&words);
    free ((void *) settings.routers.links);
    free ((void *) settings.routers.vertices);
    codec_clear (&domain_codec, &settings.domain);
    return good;
}
