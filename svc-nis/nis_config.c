/*  nis_config - from keys to settings. */
#include "nis_config.h"

#include "must.h"
#include "nis.h"
#include "ordered.h"
#include "timetable_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CREDIT          1000000 /* micro-credits */
#define CONFIG_PATH_MAX 512

const config_key_t nis_keys [] = {
  {.path = "name", .required = true, .meaning = "the domain's name in the federation, such as N"},
  {.path = "gis", .preset = "", .meaning = "endpoints of the directories, separated by commas"},
  {.path = "sites", .preset = "", .meaning = "vertices that are sites, separated by commas"},
  {.path = "exchanges",
   .preset = "",
   .meaning = "exchange points, called so by every domain that touches them"},
  {.path = "routers",
   .preset = "",
   .meaning = "routers by their local names; r1 of domain N is known to all as N/r1"},
  {.path = "attributes/*/*",
   .meaning = "what is said of a vertex, such as attributes/X1/location = paris; of an exchange "
              "point the same in every domain"},
  {.path = "links/*/between",
   .required = true,
   .meaning = "the two vertices it joins, separated by a comma; both directions share it"},
  {.path = "links/*/mbps",
   .type = CONFIG_INTEGER,
   .required = true,
   .least = 0,
   .most = LINK_MBPS_MAX,
   .meaning = "Mbit/s, both directions together"},
  {.path = "links/*/latency_ms",
   .type = CONFIG_REAL,
   .preset = "1",
   .least = 0,
   .most = LATENCY_US_MAX / 1000.0,
   .meaning = "milliseconds, to a thousandth"},
  {.path = "links/*/price",
   .type = CONFIG_REAL,
   .preset = "0",
   .least = 0,
   .most = LINK_PRICE_MAX / CREDIT,
   .meaning = "credits a Gbit/s-hour, to a millionth"},
  {.path = "links/*/attributes/*",
   .meaning = "what requests may ask for, such as media = fibre, availability = 0.999"},
  {.path = "provision",
   .preset = "asked",
   .meaning = "asked: circuits may be used when their owner says so; start: by themselves when "
              "their window opens"},
  TIMETABLE_CONFIG_KEYS,
  PARTICIPANT_CONFIG_KEYS,
  {.path = "limits/bookings_max",
   .type = CONFIG_INTEGER,
   .preset = "4000000",
   .least = 1,
   .most = TIMETABLE_BOOKINGS_MOST,
   .meaning = "bookings in the calendars of all links; a circuit books each of its links"},
  {.path = "limits/profile_steps_max",
   .type = CONFIG_INTEGER,
   .preset = "32768",
   .least = NIS_STEPS_LEAST,
   .most = NIS_STEPS_MOST,
   .meaning = "steps of all profiles in one answer; where there are more they are coarsened"},
  {.path = "limits/fresh_steps_max",
   .type = CONFIG_INTEGER,
   .preset = "8192",
   .least = NIS_STEPS_LEAST,
   .most = NIS_STEPS_MOST,
   .meaning = "the same for the fresh profiles in a refusal"},
  {.path = "limits/spans_max",
   .type = CONFIG_INTEGER,
   .preset = "1024",
   .least = 1,
   .most = NIS_SPANS_MOST,
   .meaning = "spans in one answer to Free"},
  {.path = "limits/windows_max",
   .type = CONFIG_INTEGER,
   .preset = "4096",
   .least = 1,
   .most = NIS_WINDOWS_MOST,
   .meaning = "windows in one question"},
  {.path = "limits/paths_max",
   .type = CONFIG_INTEGER,
   .preset = "256",
   .least = 1,
   .most = NIS_PATHS_MOST,
   .meaning = "questions about paths in one request"},
};
const size_t nis_keys_count = sizeof nis_keys / sizeof *nis_keys;

/*  --- vertices --- */

/*  The names that a file calls vertices by: routers by their local ones. */
typedef struct {
    const char *local;
    vertex_t *vertex;
} local_t;

typedef struct {
    ordered_t *by_local;
    local_t *list; /* in the order of the domain's vertices */
} locals_t;

static int by_local (const void *key, const void *thing)
{
    const local_t *local = thing;
    return strcmp (key, local->local);
}

static bool vertex_add (domain_t *domain, locals_t *locals, const char *local, vertex_kind_t kind,
                        const char *prefix, char why [CONFIG_WHY_BYTES])
{
    vertex_t *vertex = &domain->vertices [domain->vertices_count];
    if (ordered_find (locals->by_local, local))
        return wrong_setting (why, "%.80s is given twice among sites, exchanges and routers",
                              local);
    if (strlen (prefix) + strlen (local) > NAME_BYTES_MAX)
        return wrong_setting (why, "%ss: %s%.80s is longer than %d bytes",
                              kind == VERTEX_EXCHANGE ? "exchange" : vertex_kind_word (kind),
                              prefix, local, NAME_BYTES_MAX);
    *vertex = (vertex_t){.kind = kind};
    snprintf (vertex->name, sizeof vertex->name, "%s%s", prefix, local);
    local_t *added = &locals->list [domain->vertices_count++];
    *added = (local_t){.local = local, .vertex = vertex};
    ordered_add (locals->by_local, local, added);
    return true;
}

/*  What vertices there are; words outlive locals. */
static bool vertices_read (const char *name, const words_t words [3], domain_t *domain,
                           locals_t *locals, char why [CONFIG_WHY_BYTES])
{
    char prefix [NAME_BYTES_MAX + 2];
    snprintf (prefix, sizeof prefix, "%s/", name);
    size_t count = words [0].count + words [1].count + words [2].count;
    if (count > DOMAIN_VERTICES_MAX)
        return wrong_setting (why, "sites, exchanges, routers: at most %d vertices",
                              DOMAIN_VERTICES_MAX);
    domain->vertices = must (calloc (count + 1, sizeof *domain->vertices));
    locals->list = must (calloc (count + 1, sizeof *locals->list));
    static const vertex_kind_t kinds [3] = {VERTEX_SITE, VERTEX_EXCHANGE, VERTEX_ROUTER};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < words [k].count; i++)
            if (!vertex_add (domain, locals, words [k].words [i], kinds [k],
                             kinds [k] == VERTEX_ROUTER ? prefix : "", why))
                return false;
    return true;
}

static bool vertex_attributes_read (const config_t *config, const locals_t *locals,
                                    char why [CONFIG_WHY_BYTES])
{
    const char **names = must (calloc (DOMAIN_VERTICES_MAX + 1, sizeof *names));
    size_t count = config_names (config, "attributes", names, DOMAIN_VERTICES_MAX + 1);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const local_t *local = ordered_find (locals->by_local, names [i]);
        char section [CONFIG_PATH_MAX];
        snprintf (section, sizeof section, "attributes/%s", names [i]);
        good = local ? attributes_config_read (config, section, &local->vertex->attributes,
                                               &local->vertex->attributes_count, why)
                     : wrong_setting (why, "%s: no site, exchange point or router is called %s",
                                      section, names [i]);
    }
    free (names);
    return good;
}

/*  --- links --- */

static const char *path_of (char path [CONFIG_PATH_MAX], const char *link, const char *rest)
{
    snprintf (path, CONFIG_PATH_MAX, "links/%s/%s", link, rest);
    return path;
}

static bool ends_read (const config_t *config, const locals_t *locals, const char *name,
                       link_t *link, char why [CONFIG_WHY_BYTES])
{
    char path [CONFIG_PATH_MAX];
    words_t ends = {0};
    words_add (&ends, config_text (config, path_of (path, name, "between")), "");
    bool good = ends.count == 2 ||
                wrong_setting (why, "%.200s: should be two vertices, separated by a comma", path);
    for (size_t i = 0; i < 2 && good; i++) {
        const local_t *local = ordered_find (locals->by_local, ends.words [i]);
        if (local)
            memcpy (link->ends [i], local->vertex->name, sizeof link->ends [i]);
        else
            good =
              wrong_setting (why, "%.200s: \"%.80s\" should be one of sites, exchanges, routers",
                             path, ends.words [i]);
    }
    words_clear (&ends);
    return good;
}

static bool link_read (const config_t *config, const locals_t *locals, const char *name,
                       link_t *link, char why [CONFIG_WHY_BYTES])
{
    char path [CONFIG_PATH_MAX];
    if (strlen (name) > NAME_BYTES_MAX)
        return wrong_setting (why, "links/%.80s…: a name has at most %d bytes", name,
                              NAME_BYTES_MAX);
    snprintf (link->name, sizeof link->name, "%s", name);
    link->mbps = (uint32_t) config_integer (config, path_of (path, name, "mbps"));
    link->latency_us = llround (config_real (config, path_of (path, name, "latency_ms")) * 1000);
    link->price = llround (config_real (config, path_of (path, name, "price")) * CREDIT);
    return ends_read (config, locals, name, link, why) &&
           attributes_config_read (config, path_of (path, name, "attributes"), &link->attributes,
                                   &link->attributes_count, why);
}

static bool links_read (const config_t *config, const locals_t *locals, domain_t *domain,
                        char why [CONFIG_WHY_BYTES])
{
    const char **names = must (calloc (DOMAIN_LINKS_MAX + 1, sizeof *names));
    size_t count = config_names (config, "links", names, DOMAIN_LINKS_MAX + 1);
    bool good =
      count <= DOMAIN_LINKS_MAX || wrong_setting (why, "links: at most %d", DOMAIN_LINKS_MAX);
    domain->links = must (calloc (count + 1, sizeof *domain->links));
    for (size_t i = 0; i < count && good; i++)
        good = link_read (config, locals, names [i], &domain->links [domain->links_count++], why);
    free (names);
    return good;
}

/*  --- all of it --- */

static bool graph_read (const config_t *config, const char *name, const words_t words [3],
                        domain_t *domain, char why [CONFIG_WHY_BYTES])
{
    locals_t locals = {.by_local = ordered_new (by_local)};
    bool good = vertices_read (name, words, domain, &locals, why) &&
                vertex_attributes_read (config, &locals, why) &&
                links_read (config, &locals, domain, why);
    char reason [160];
    if (good && !domain_check (domain, name, reason))
        good = wrong_setting (why, "%s", reason);
    ordered_destroy (&locals.by_local);
    free (locals.list);
    return good;
}

static bool domain_read (const config_t *config, const timetable_config_t *common, const char *name,
                         domain_t *domain, char why [CONFIG_WHY_BYTES])
{
    domain->disclosure = common->disclosure;
    domain->lead_ms = common->lead_ms;
    domain->horizon_ms = common->horizon_ms;
    words_t words [3] = {{0}, {0}, {0}};
    words_add (&words [0], config_text (config, "sites"), "");
    words_add (&words [1], config_text (config, "exchanges"), "");
    words_add (&words [2], config_text (config, "routers"), "");
    bool good = graph_read (config, name, words, domain, why);
    for (size_t i = 0; i < 3; i++)
        words_clear (&words [i]);
    return good;
}

static bool use_read (const config_t *config, use_mode_t *use, char why [CONFIG_WHY_BYTES])
{
    const char *provision = config_text (config, "provision");
    *use = strcmp (provision, "start") == 0 ? USE_AT_START : USE_ASKED;
    return *use == USE_AT_START || strcmp (provision, "asked") == 0 ||
           wrong_setting (why, "provision: \"%.80s\" should be asked or start", provision);
}

static bool limits_read (const config_t *config, nis_settings_t *settings,
                         char why [CONFIG_WHY_BYTES])
{
    settings->limits = (nis_limits_t){
      .bookings_max = (uint32_t) config_integer (config, "limits/bookings_max"),
      .profile_steps_max = (uint32_t) config_integer (config, "limits/profile_steps_max"),
      .fresh_steps_max = (uint32_t) config_integer (config, "limits/fresh_steps_max"),
      .spans_max = (uint32_t) config_integer (config, "limits/spans_max"),
      .windows_max = (uint32_t) config_integer (config, "limits/windows_max"),
      .paths_max = (uint32_t) config_integer (config, "limits/paths_max"),
    };
    return participant_limits_read (config, &settings->participant, why);
}

static bool settings_read (const config_t *config, timetable_config_t *common,
                           char name [NAME_BYTES_MAX + 1], nis_settings_t *settings,
                           char why [CONFIG_WHY_BYTES])
{
    if (!config_name_read (config, "nis", "domain", name, why) ||
        !timetable_config_read (config, common, why))
        return false;
    settings->name = name;
    settings->access = timetable_config_access (common);
    settings->gis_endpoints = (const char *const *) common->gis.words;
    settings->gis_count = common->gis.count;
    return domain_read (config, common, name + strlen ("nis/"), &settings->domain, why) &&
           use_read (config, &settings->use, why) && limits_read (config, settings, why);
}

bool nis_core_from_config (const config_t *config, core_t *core, char why [CONFIG_WHY_BYTES])
{
    char name [NAME_BYTES_MAX + 1];
    timetable_config_t common = {0};
    nis_settings_t settings = {0};
    bool good = settings_read (config, &common, name, &settings, why);
    if (good)
        nis_core (&settings, core);
    timetable_config_clear (&common);
    domain_clear (&settings.domain);
    return good;
}
