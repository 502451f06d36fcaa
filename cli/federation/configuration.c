/*  configuration - writes the settings of one member. Sections of sites and domains are copied as
 *  they are.
 */
#include "configuration.h"

static bool configuration_is (const configuration_t *self, const char *kind)
{
    return strcmp (self->kind, kind) == 0;
}

const char *configuration_program (const char *kind)
{
    static const char *const programs [][2] = {
      {"gis", "svc-gis"},          {"lis", "svc-lis"},         {"batch", "svc-lis batch"},
      {"nis", "svc-nis"},          {"planner", "svc-planner"}, {"node", "svc-lis node"},
      {"replica", "svc-replica"},  {"index", "svc-replica"},   {"storage", "svc-replica node"},
      {"balancer", "svc-balancer"}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp (kind, programs [i][0]) == 0)
            return programs [i][1];
    return "?";
}

static void write_homes (const federation_t *federation, FILE *to)
{
    const char *const *names;
    size_t count = federation_names (federation, "gis", &names);
    fputs ("homes = \"", to);
    for (size_t i = 0; i < count; i++)
        fprintf (to, "%sgis/%s", i ? "," : "", names [i]);
    fputs ("\"\n", to);
}

static void write_bind (const configuration_t *self, FILE *to)
{
    const char *const lines [][2] = {{"endpoint", self->endpoint},
                                     {"events", self->events},
                                     {"data", self->data},
                                     {"host", self->host},
                                     {"trusted", self->trusted ? "true" : NULL}};
    fputs ("bind\n", to);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines [i][1])
            federation_write_value (to, 1, lines [i][0], lines [i][1]);
}

static void configuration_write_node (const configuration_t *self, FILE *to)
{
    char cpus [16];
    snprintf (cpus, sizeof cpus, "%u", self->node->cpus);
    federation_write_value (to, 0, "name", self->node->name);
    federation_write_value (to, 0, "class", self->node->class_name);
    federation_write_value (to, 0, "cpus", cpus);
    federation_write_value (to, 0, "lis", self->site);
    federation_write_value (to, 0, "runs", self->kept);
    if (!self->storage)
        return;
    fprintf (to, "storage\n    node = \"%.*s\"\n", (int) strcspn (self->storage, "@"),
             self->storage);
    fprintf (to, "    arrivals = \"%s/arrivals\"\n", self->arrivals);
}

static void configuration_write_batch (const configuration_t *self, const federation_t *federation,
                                       FILE *to)
{
    federation_write_value (to, 0, "name", self->node->site);
    federation_write_value (to, 0, "system", self->node->name);
    federation_write_batch (federation, self->node->site, to);
    federation_write_value (to, 0, "lis", self->site);
    federation_write_value (to, 0, "runs", self->kept);
    if (!self->storage)
        return;
    fprintf (to, "inputs\n    node = \"%.*s\"\n", (int) strcspn (self->storage, "@"),
             self->storage);
    federation_write_value (to, 1, "shared", self->arrivals);
}

static void write_storage (const configuration_t *self, FILE *to)
{
    char bytes [24];
    snprintf (bytes, sizeof bytes, "%llu", (unsigned long long) self->bytes);
    fprintf (to, "name = \"%.*s\"\n", (int) strcspn (self->name, "@"), self->name);
    federation_write_value (to, 0, "replica", self->site);
    federation_write_value (to, 0, "folder", self->kept);
    federation_write_value (to, 0, "bytes", bytes);
}

static void write_service (const configuration_t *self, const federation_t *federation, FILE *to)
{
    if (!configuration_is (self, "planner"))
        federation_write_value (to, 0, "name", self->name);
    if (*self->directories)
        federation_write_value (to, 0, "gis", self->directories);
    if (configuration_is (self, "gis"))
        write_homes (federation, to);
    if (configuration_is (self, "lis"))
        federation_write_site (federation, self->name, self->administrator, self->account, to);
    else if (configuration_is (self, "nis"))
        federation_write_domain (federation, self->name, self->administrator, to);
    else if (configuration_is (self, "replica"))
        federation_write_storage (federation, self->name, self->administrator, to);
    else if (configuration_is (self, "balancer"))
        federation_write_balancer (federation, self->name, to);
    else
        federation_write_value (to, 0, "administrators", self->administrator);
    if (configuration_is (self, "index"))
        federation_write_value (to, 0, "index", "true");
}

void configuration_write (const configuration_t *self, const federation_t *federation, FILE *to)
{
    fprintf (to, "#   %s %s. Written by `%s`; %s --help explains every key.\n", self->kind,
             self->name, self->written_by, configuration_program (self->kind));
    if (configuration_is (self, "batch"))
        configuration_write_batch (self, federation, to);
    else if (self->node)
        configuration_write_node (self, to);
    else if (self->site)
        write_storage (self, to);
    else
        write_service (self, federation, to);
    if (self->endpoint || self->data)
        write_bind (self, to);
    /* Planners share a pool: each claims a store that nobody has open, so that of a dead planner,
     * too. */
    fputs ("store\n", to);
    federation_write_value (to, 1, configuration_is (self, "planner") ? "pool" : "folder",
                            self->store);
}
