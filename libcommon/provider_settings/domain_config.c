/*  domain_config - from keys to a graph. */
#include "domain_config.h"

#include "must.h"
#include "timetable_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CREDIT          1000000 /* micro-credits */
#define CONFIG_PATH_MAX 512

/*  A vertex under the name that this file gives it: a router's is the local one. */
typedef struct {
    char local [NAME_BYTES_MAX + 1];
    size_t vertex;
    const char *key; /* of the list that has it */
} known_t;

typedef struct {
    const config_t *config;
    const char *before;
    const char *name;
    domain_t *domain;
    known_t *known; /* ascending by local name, once all vertices are read */
    char *why;
} domain_config_reading_t;

/*  A path below self->before. */
static const char *domain_config_path_of (const domain_config_reading_t *self,
                                          char path [CONFIG_PATH_MAX], const char *section,
                                          const char *name, const char *rest)
{
    snprintf (path, CONFIG_PATH_MAX, "%s%s/%s%s", self->before, section, name, rest);
    return path;
}

static bool vertex_add (domain_config_reading_t *self, const char *key, const char *word,
                        vertex_kind_t kind)
{
    domain_t *domain = self->domain;
    char path [CONFIG_PATH_MAX];
    bool router = kind == VERTEX_ROUTER;
    snprintf (path, sizeof path, "%s%s", self->before, key);
    size_t length = strlen (word) + (router ? strlen (self->name) + 1 : 0);
    if (domain->vertices_count == DOMAIN_VERTICES_MAX)
        return config_wrong (self->config, path, self->why, "a domain has at most %d vertices",
                             DOMAIN_VERTICES_MAX);
    if (length > NAME_BYTES_MAX)
        return config_wrong (self->config, path, self->why, "%s%s%.80s is longer than %d bytes",
                             router ? self->name : "", router ? "/" : "", word, NAME_BYTES_MAX);
    vertex_t *vertex = &domain->vertices [domain->vertices_count];
    char *at = vertex->name;
    if (router)
        at = stpcpy (stpcpy (at, self->name), "/");
    stpcpy (at, word);
    vertex->kind = kind;
    known_t *known = &self->known [domain->vertices_count];
    snprintf (known->local, sizeof known->local, "%.63s", word);
    known->key = key;
    known->vertex = domain->vertices_count++;
    return true;
}

static bool list_read (domain_config_reading_t *self, const char *key, vertex_kind_t kind)
{
    char path [CONFIG_PATH_MAX];
    name_list_auto_t list = {0};
    snprintf (path, sizeof path, "%s%s", self->before, key);
    name_list_add (&list, config_text (self->config, path), "");
    for (size_t i = 0; i < list.count; i++)
        if (!vertex_add (self, key, list.words [i], kind))
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
    if (!list_read (self, "sites", VERTEX_SITE) ||
        !list_read (self, "exchanges", VERTEX_EXCHANGE) ||
        !list_read (self, "routers", VERTEX_ROUTER))
        return false;
    size_t count = self->domain->vertices_count;
    qsort (self->known, count, sizeof *self->known, by_local_name);
    for (size_t i = 1; i < count; i++) {
        const known_t *one = &self->known [i - 1], *other = &self->known [i];
        char path [CONFIG_PATH_MAX];
        if (strcmp (one->local, other->local) != 0)
            continue;
        snprintf (path, sizeof path, "%s%s", self->before,
                  one->vertex > other->vertex ? one->key : other->key);
        return config_wrong (self->config, path, self->why,
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
    char section [CONFIG_PATH_MAX];
    memory_auto const char **names = must (calloc (DOMAIN_VERTICES_MAX + 1, sizeof *names));
    snprintf (section, sizeof section, "%sattributes", self->before);
    size_t count = config_names (self->config, section, names, DOMAIN_VERTICES_MAX + 1);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        char path [CONFIG_PATH_MAX];
        vertex_t *vertex = domain_config_vertex_of (self, names [i]);
        domain_config_path_of (self, path, "attributes", names [i], "");
        good = vertex ? attributes_config_read (self->config, path, &vertex->attributes,
                                                &vertex->attributes_count, self->why)
                      : config_wrong (self->config, path, self->why,
                                      "no site, exchange point or router is called %s", names [i]);
    }
    return good;
}

static bool ends_read (domain_config_reading_t *self, link_t *link, const char *path)
{
    name_list_auto_t ends = {0};
    name_list_add (&ends, config_text (self->config, path), "");
    if (ends.count != 2)
        return config_wrong (self->config, path, self->why,
                             "should be two vertices, separated by a comma");
    for (size_t i = 0; i < 2; i++) {
        const vertex_t *vertex = domain_config_vertex_of (self, ends.words [i]);
        if (!vertex)
            return config_wrong (self->config, path, self->why,
                                 "\"%.80s\" should be one of sites, exchanges, routers",
                                 ends.words [i]);
        memcpy (link->ends [i], vertex->name, sizeof link->ends [i]);
    }
    return strcmp (link->ends [0], link->ends [1]) != 0 ||
           config_wrong (self->config, path, self->why, "both ends are %s", link->ends [0]);
}

static bool link_read (domain_config_reading_t *self, link_t *link, const char *name)
{
    char path [CONFIG_PATH_MAX];
    const config_t *config = self->config;
    snprintf (link->name, sizeof link->name, "%.63s", name);
    link->mbps = (uint32_t) config_integer (
      config, domain_config_path_of (self, path, "links", name, "/mbps"));
    link->latency_us = llround (
      config_real (config, domain_config_path_of (self, path, "links", name, "/latency_ms")) *
      1000);
    link->price = llround (
      config_real (config, domain_config_path_of (self, path, "links", name, "/price")) * CREDIT);
    return ends_read (self, link, domain_config_path_of (self, path, "links", name, "/between")) &&
           attributes_config_read (config,
                                   domain_config_path_of (self, path, "links", name, "/attributes"),
                                   &link->attributes, &link->attributes_count, self->why);
}

static bool links_read (domain_config_reading_t *self)
{
    char section [CONFIG_PATH_MAX];
    memory_auto const char **names = must (calloc (DOMAIN_LINKS_MAX + 1, sizeof *names));
    domain_t *domain = self->domain;
    snprintf (section, sizeof section, "%slinks", self->before);
    size_t count = config_names (self->config, section, names, DOMAIN_LINKS_MAX + 1);
    bool good =
      count <= DOMAIN_LINKS_MAX || config_wrong (self->config, section, self->why,
                                                 "a domain has at most %d links", DOMAIN_LINKS_MAX);
    domain->links = must (calloc (count + 1, sizeof *domain->links));
    for (size_t i = 0; i < count && good; i++)
        good = link_read (self, &domain->links [domain->links_count++], names [i]);
    return good;
}

/*  Finds the list with the wrong vertex, or the wrong link, by checking each alone. */
static bool domain_config_graph_check (domain_config_reading_t *self)
{
    char reason [WHY_BYTES], path [CONFIG_PATH_MAX];
    domain_t *domain = self->domain;
    if (domain_check (domain, self->name, reason))
        return true;
    domain_t part = *domain;
    part.links_count = 0;
    for (size_t i = 0; i < domain->vertices_count; i++) {
        const known_t *known = &self->known [i];
        part.vertices = &domain->vertices [known->vertex];
        part.vertices_count = 1;
        snprintf (path, sizeof path, "%s%s", self->before, known->key);
        if (!domain_check (&part, self->name, reason))
            return config_wrong (self->config, path, self->why, "%s", reason);
    }
    part = *domain;
    part.links_count = 1;
    for (size_t i = 0; i < domain->links_count; i++) {
        part.links = &domain->links [i];
        if (!domain_check (&part, self->name, reason))
            return config_wrong (
              self->config, domain_config_path_of (self, path, "links", domain->links [i].name, ""),
              self->why, "%s", reason);
    }
    snprintf (path, sizeof path, "%slinks", self->before);
    domain_check (domain, self->name, reason);
    return config_wrong (self->config, path, self->why, "%s", reason);
}

bool domain_config_read (const config_t *config, const char *before, const char *name,
                         domain_t *domain, char why [LONG_WHY_BYTES])
{
    *domain = (domain_t){0};
    domain_config_reading_t reading = {
      .config = config, .before = before, .name = name, .domain = domain, .why = why};
    bool good = vertices_read (&reading) && attributes_read (&reading) && links_read (&reading) &&
                domain_config_graph_check (&reading);
    free (reading.known);
    if (!good)
        codec_clear (&domain_codec, domain);
    return good;
}
