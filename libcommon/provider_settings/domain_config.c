/*  domain_config - the rows, and from a section to a graph. */
#include "domain_config.h"

#include "must.h"
#include "timetable_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CREDIT     1000000 /* micro-credits */
#define PRICE_MOST 1000000 /* credits a Gbit/s-hour */

static const setting_t vertex_attribute_rows [] = {
  SET_NAME (attribute_setting_t, name),
  SET_TEXT (
    attribute_setting_t, value, "", NULL,
    "what is said of a vertex, such as attributes/X1/location = paris; of an exchange point "
    "the same in every domain"),
};
static const setting_table_t vertex_attribute_table =
  SETTING_TABLE (attribute_setting_t, vertex_attribute_rows, NULL);

static const setting_t vertex_rows [] = {
  SET_NAME (vertex_section_t, name),
  SET_EACH (vertex_section_t, attributes, attributes_count, "", attribute_setting_t,
            &vertex_attribute_table, CLASS_ATTRIBUTES_MAX),
};
static const setting_table_t vertex_table = SETTING_TABLE (vertex_section_t, vertex_rows, NULL);

static const setting_t link_attribute_rows [] = {
  SET_NAME (attribute_setting_t, name),
  SET_TEXT (attribute_setting_t, value, "", NULL,
            "what requests may ask for, such as media = fibre, availability = 0.999"),
};
static const setting_table_t link_attribute_table =
  SETTING_TABLE (attribute_setting_t, link_attribute_rows, NULL);

static const setting_t interface_rows [] = {
  SET_NAME (attribute_setting_t, name),
  SET_TEXT (attribute_setting_t, value, "", NULL,
            "agents: the interface at that end of the link, such as links/n8-r1/interfaces/r1 = "
            "eth0; an end without one is shaped at the other"),
};
static const setting_table_t interface_table =
  SETTING_TABLE (attribute_setting_t, interface_rows, NULL);

static const setting_t link_rows [] = {
  SET_NAME (link_section_t, name),
  SET_TEXT_NEEDED (
    link_section_t, between, "between",
    "the two vertices it joins, separated by a comma; both directions share its bandwidth"),
  SET_COUNT_NEEDED (link_section_t, mbps, "mbps", 0, LINK_MBPS_MAX,
                    "Mbit/s, both directions together"),
  SET_REAL (link_section_t, latency_ms, "latency_ms", 1000, 1000, 0, LATENCY_US_MAX,
            "milliseconds, rounded to a thousandth"),
  SET_REAL (link_section_t, price, "price", 1, 0, 0, PRICE_MOST,
            "credits a Gbit/s-hour, to a millionth"),
  SET_EACH (link_section_t, attributes, attributes_count, "attributes", attribute_setting_t,
            &link_attribute_table, CLASS_ATTRIBUTES_MAX),
  SET_EACH (link_section_t, interfaces, interfaces_count, "interfaces", attribute_setting_t,
            &interface_table, 2),
};
static const setting_table_t link_table = SETTING_TABLE (link_section_t, link_rows, NULL);

static const setting_t prefix_rows [] = {
  SET_NAME (attribute_setting_t, name),
  SET_TEXT (attribute_setting_t, value, "", NULL,
            "agents: IPv4 addresses of a site, or beyond an exchange point, such as prefixes/n8 = "
            "10.8.0.0/16, separated by commas"),
};
static const setting_table_t prefix_table = SETTING_TABLE (attribute_setting_t, prefix_rows, NULL);

static const char *const back_ends [] = {"none", "agents", NULL};

static const setting_t domain_rows [] = {
  SET_TEXT (domain_section_t, sites, "sites", "", "vertices that are sites, separated by commas"),
  SET_TEXT (domain_section_t, exchanges, "exchanges", "",
            "exchange points, under the name that every domain touching them gives them"),
  SET_TEXT (domain_section_t, routers, "routers", "",
            "routers, by their local names: other services know r1 of domain N as N/r1"),
  SET_EACH (domain_section_t, vertices, vertices_count, "attributes", vertex_section_t,
            &vertex_table, DOMAIN_VERTICES_MAX),
  SET_EACH (domain_section_t, links, links_count, "links", link_section_t, &link_table,
            DOMAIN_LINKS_MAX),
  SET_CHOICE (domain_section_t, back_end, "back_end", SHAPED_BY_NONE, back_ends,
              "none: no switch is touched; agents: an agent on each router (svc-nis agent) gives "
              "circuits in use their bandwidth, and no more"),
  SET_EACH (domain_section_t, prefixes, prefixes_count, "prefixes", attribute_setting_t,
            &prefix_table, DOMAIN_VERTICES_MAX),
};
const setting_table_t domain_table = SETTING_TABLE (domain_section_t, domain_rows, NULL);

/*  A vertex under the name that this file gives it: a router's is the local one. */
typedef struct {
    char local [NAME_BYTES_MAX + 1];
    size_t vertex;
    const char *const *list; /* the section's that has it */
} known_t;

typedef struct {
    const config_t *config;
    const domain_section_t *section;
    const char *name;
    domain_t *domain;
    known_t *known; /* ascending by local name, once all vertices are read */
    char *why;
} domain_config_reading_t;

static bool vertex_add (domain_config_reading_t *self, const char *const *list, const char *word,
                        vertex_kind_t kind)
{
    domain_t *domain = self->domain;
    bool router = kind == VERTEX_ROUTER;
    size_t length = strlen (word) + (router ? strlen (self->name) + 1 : 0);
    if (domain->vertices_count == DOMAIN_VERTICES_MAX)
        return config_refuse (self->config, list, self->why, "a domain has at most %d vertices",
                              DOMAIN_VERTICES_MAX);
    if (length > NAME_BYTES_MAX)
        return config_refuse (self->config, list, self->why, "%s%s%.80s is longer than %d bytes",
                              router ? self->name : "", router ? "/" : "", word, NAME_BYTES_MAX);
    vertex_t *vertex = &domain->vertices [domain->vertices_count];
    char *at = vertex->name;
    if (router)
        at = stpcpy (stpcpy (at, self->name), "/");
    stpcpy (at, word);
    vertex->kind = kind;
    known_t *known = &self->known [domain->vertices_count];
    snprintf (known->local, sizeof known->local, "%.63s", word);
    known->list = list;
    known->vertex = domain->vertices_count++;
    return true;
}

static bool list_read (domain_config_reading_t *self, const char *const *list, vertex_kind_t kind)
{
    name_list_auto_t words = name_list_of (*list, "");
    for (size_t i = 0; i < words.count; i++)
        if (!vertex_add (self, list, words.words [i], kind))
            return false;
    return true;
}

static int by_local_name (const void *a, const void *b)
{
    return strcmp (((const known_t *) a)->local, ((const known_t *) b)->local);
}

static bool vertices_read (domain_config_reading_t *self)
{
    self->domain->vertices = must (calloc (DOMAIN_VERTICES_MAX, sizeof (vertex_t)));
    self->known = must (calloc (DOMAIN_VERTICES_MAX, sizeof *self->known));
    if (!list_read (self, &self->section->sites, VERTEX_SITE) ||
        !list_read (self, &self->section->exchanges, VERTEX_EXCHANGE) ||
        !list_read (self, &self->section->routers, VERTEX_ROUTER))
        return false;
    size_t count = self->domain->vertices_count;
    qsort (self->known, count, sizeof *self->known, by_local_name);
    for (size_t i = 1; i < count; i++) {
        const known_t *one = &self->known [i - 1], *other = &self->known [i];
        if (strcmp (one->local, other->local) == 0)
            return config_refuse (
              self->config, one->vertex > other->vertex ? one->list : other->list, self->why,
              "%s is given twice among sites, exchanges and routers", one->local);
    }
    return true;
}

/*  NULL when the domain has none of that name. */
static vertex_t *domain_config_vertex_of (const domain_config_reading_t *self, const char *local)
{
    known_t key = {.local = ""};
    if (strlen (local) > NAME_BYTES_MAX)
        return NULL;
    memcpy (key.local, local, strlen (local) + 1);
    const known_t *known =
      bsearch (&key, self->known, self->domain->vertices_count, sizeof key, by_local_name);
    return known ? &self->domain->vertices [known->vertex] : NULL;
}

static bool attributes_read (domain_config_reading_t *self)
{
    for (size_t i = 0; i < self->section->vertices_count; i++) {
        const vertex_section_t *given = &self->section->vertices [i];
        vertex_t *vertex = domain_config_vertex_of (self, given->name);
        if (!vertex)
            return config_refuse (self->config, &given->name, self->why,
                                  "no site, exchange point or router is called %s", given->name);
        if (!attributes_config_read (self->config, given->attributes, given->attributes_count,
                                     &vertex->attributes, &vertex->attributes_count, self->why))
            return false;
    }
    return true;
}

static bool ends_read (domain_config_reading_t *self, link_t *link, const char *const *between)
{
    name_list_auto_t ends = name_list_of (*between, "");
    if (ends.count != 2)
        return config_refuse (self->config, between, self->why,
                              "should be two vertices, separated by a comma");
    for (size_t i = 0; i < 2; i++) {
        const vertex_t *vertex = domain_config_vertex_of (self, ends.words [i]);
        if (!vertex)
            return config_refuse (self->config, between, self->why,
                                  "\"%.80s\" should be one of sites, exchanges, routers",
                                  ends.words [i]);
        memcpy (link->ends [i], vertex->name, sizeof link->ends [i]);
    }
    return strcmp (link->ends [0], link->ends [1]) != 0 ||
           config_refuse (self->config, between, self->why, "both ends are %s", link->ends [0]);
}

static bool links_read (domain_config_reading_t *self)
{
    const domain_section_t *section = self->section;
    domain_t *domain = self->domain;
    domain->links = must (calloc (section->links_count + 1, sizeof *domain->links));
    for (size_t i = 0; i < section->links_count; i++) {
        const link_section_t *given = &section->links [i];
        link_t *link = &domain->links [domain->links_count++];
        snprintf (link->name, sizeof link->name, "%.63s", given->name);
        link->mbps = given->mbps;
        link->latency_us = llround (given->latency_ms * 1000);
        link->price = llround (given->price * CREDIT);
        if (!ends_read (self, link, &given->between) ||
            !attributes_config_read (self->config, given->attributes, given->attributes_count,
                                     &link->attributes, &link->attributes_count, self->why))
            return false;
    }
    return true;
}

/*  Finds the list with the wrong vertex, or the wrong link, by checking each alone. */
static bool domain_config_graph_check (const domain_config_reading_t *self)
{
    char reason [WHY_BYTES];
    domain_t *domain = self->domain;
    if (domain_check (domain, self->name, reason))
        return true;
    domain_t part = *domain;
    part.links_count = 0;
    part.vertices_count = 1;
    for (size_t i = 0; i < domain->vertices_count; i++) {
        part.vertices = &domain->vertices [self->known [i].vertex];
        if (!domain_check (&part, self->name, reason))
            return config_refuse (self->config, self->known [i].list, self->why, "%s", reason);
    }
    part = *domain;
    part.links_count = 1;
    for (size_t i = 0; i < domain->links_count; i++) {
        part.links = &domain->links [i];
        if (!domain_check (&part, self->name, reason))
            return config_refuse (self->config, &self->section->links [i].name, self->why, "%s",
                                  reason);
    }
    domain_check (domain, self->name, reason);
    return config_refuse (self->config, &self->section->links, self->why, "%s", reason);
}

bool domain_config_read (const config_t *config, const domain_section_t *section, const char *name,
                         domain_t *domain, char why [LONG_WHY_BYTES])
{
    *domain = (domain_t){0};
    domain_config_reading_t reading = {
      .config = config, .section = section, .name = name, .domain = domain, .why = why};
    bool good = vertices_read (&reading) && attributes_read (&reading) && links_read (&reading) &&
                domain_config_graph_check (&reading);
    free (reading.known);
    if (!good)
        codec_clear (&domain_codec, domain);
    return good;
}
