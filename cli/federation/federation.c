/*  federation - checks the file against a table of keys, which tells the line of a mistake, and
 *  keeps it as a tree, from which the sections of sites and domains are copied. Domains are read as
 *  svc-nis reads them, so that a wrong graph is refused before anything starts.
 */
#include "federation.h"

#include "batch_config.h"
#include "cli.h"
#include "domain_config.h"
#include "must.h"
#include "node_names.h"
#include "output_file.h"
#include "site.h"
#include "timetable_config.h"
#include "zpl.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS         86400000.0
#define PATH_END_BYTES 32

static const config_key_t keys [] = {
  KEY_TEXT ("name", NULL, "name of the federation"),
  KEY_TEXT ("directories", "g1, g2",
            "short names of the directories (svc-gis), which are also the homes of requests"),
  KEY_TEXT ("indexes", "",
            "short names of the indexes of files (svc-replica); without any, every site is asked"),
  KEY_INTEGER ("planners", "1", 1, FEDERATION_PLANNERS_MAX, "planners to start"),
  KEY_DURATION ("balancers/*/coalition", "1h", 1000, 366 * DAY_MS,
                "time from one coalition to the next; levels adapt between them"),
  KEY_DURATION ("balancers/*/step", "10s", 100, DAY_MS,
                "time from one balancing of queues to the next"),
  KEY_FLAG ("balancers/*/reschedule", "false", "true: use the extension of the algorithm"),
  KEY_NEEDED (CONFIG_INTEGER, "sites/*/classes/*/nodes", 1, 1e7, "identical nodes of this class"),
  KEY_INTEGER ("sites/*/classes/*/cpus_per_node", "1", 1, 1e6,
               "CPUs of each node; nodes are granted whole"),
  KEY_REAL ("sites/*/classes/*/price", "0", 0, 1e9, "credits a CPU-hour, to a millionth"),
  KEY_TEXT ("sites/*/classes/*/names", "",
            "with the back end runner: names of its nodes, such as n001, n[002-064]"),
  KEY_TEXT ("sites/*/classes/*/attributes/*", NULL,
            "what requests may ask for, such as os = linux"),
  TERMS_CONFIG_KEYS ("sites/*/"),
  KEY_DURATION ("sites/*/cleaning_gap", "0s", 0, DAY_MS, "time kept free after each booking"),
  KEY_TEXT ("sites/*/back_end", "none",
            "none: keeps the times only; runner: runs tasks on the site's "
            "nodes; " BATCH_SYSTEM_WORDS ": this batch system has the nodes and runs the tasks"),
  BATCH_CONFIG_KEYS ("sites/*/batch/"),
  KEY_DURATION ("sites/*/batch/watch", "5s", 100, DAY_MS,
                "time between two looks at a reservation in the batch system"),
  KEY_INTEGER ("sites/*/batch/ahead", "500", 0, 100000,
               "so many of the nearest reservations are made in Slurm from their commit on"),
  KEY_DURATION ("sites/*/nodes/attend", "10s", 100, DAY_MS,
                "longest time between two questions of a node's agent"),
  KEY_DURATION ("sites/*/nodes/silent", "25s", 100, DAY_MS,
                "a node silent for this long gets nothing new"),
  KEY_DURATION ("sites/*/nodes/lease", "5m", 100, DAY_MS,
                "an agent without an answer for this long ends what runs on its node"),
  KEY_DURATION ("sites/*/nodes/lost", "330s", 100, DAY_MS,
                "a node silent for this long is lost, with what ran there"),
  KEY_DURATION ("sites/*/opening/bind", "5s", 0, 3650 * DAY_MS,
                "time before the start of a reservation at which nodes are bound and cleared"),
  KEY_DURATION ("sites/*/opening/warning", "60s", 0, DAY_MS,
                "time before the end of a reservation at which its runs are warned"),
  KEY_DURATION ("sites/*/opening/grace", "10s", 0, DAY_MS, "time between SIGTERM and SIGKILL"),
  KEY_TEXT ("sites/*/opening/clear", "",
            "what becomes of jobs on nodes that a reservation needs: wait, requeue or end"),
  KEY_TEXT ("sites/*/opening/end_for", "", "actors whose reservations end jobs all the same"),
  KEY_DURATION ("sites/*/opening/lend", "5m", 0, DAY_MS,
                "a reservation unused for this long is lent to preemptible tasks"),
  KEY_DURATION ("sites/*/opening/release", "0s", 0, DAY_MS,
                "one unused for this long is given back to the queue; 0s = never"),
  KEY_DURATION ("sites/*/queue/life", "60s", 0, DAY_MS,
                "a preemptible task starts where nobody else needs its node for this long"),
  KEY_DURATION ("sites/*/queue/patience", "60s", 0, DAY_MS,
                "a task is stopped when one of its inputs could not be had for this long"),
  KEY_TEXT (
    "sites/*/storage/nodes", NULL,
    "names of the site's storage nodes (svc-replica node), separated by commas; one that is "
    "called as a node is on that node's machine, and serves its tasks"),
  KEY_INTEGER ("sites/*/storage/bytes", "10000000000", 1048576, 9e18,
               "bytes that each storage node may use"),
  KEY_INTEGER ("sites/*/storage/mbps", "0", 0, 1000000,
               "Mbit/s of each transfer of files; 0 = as fast as it goes"),
  KEY_TEXT ("sites/*/storage/cost", "throughput",
            "how the source of a file is chosen: throughput or rtt"),
  KEY_TEXT ("sites/*/accounts/*", NULL,
            "actors that have this local account; without any, anybody may reserve"),
  KEY_TEXT ("sites/*/accounts/*/account", "", "the batch system's account that they charge"),
  KEY_TEXT ("sites/*/accounts/*/qos", "", "the QOS of their jobs"),
  KEY_TEXT ("sites/*/accounts/*/user", "", "the local account, if it is not the section's name"),
  KEY_TEXT ("sites/*/administrators", NULL, "actors that may change capacity"),
  DOMAIN_CONFIG_KEYS ("domains/*/"),
  SHAPING_CONFIG_KEYS ("domains/*/"),
  KEY_TEXT ("domains/*/provision", "asked",
            "asked: circuits may be used when their owner says so; start: when their window opens"),
  TERMS_CONFIG_KEYS ("domains/*/"),
  KEY_TEXT ("domains/*/accounts/*", NULL,
            "actors that have this local account; without any, anybody may reserve"),
  KEY_TEXT ("domains/*/administrators", NULL, "actors that may change capacity"),
};

typedef struct {
    name_list_t names;
    federation_node_t *list; /* one for each name */
    name_list_t storage;     /* names of its storage nodes */
} federation_nodes_t;

/*  Members that a description names: in a list, or with a section for each. */
typedef struct {
    const char *kind;
    const char *key;
    const char *least; /* the refusal when there is none; NULL = none is fine */
    size_t most;
    bool listed;
} federation_kind_t;

static const federation_kind_t kinds [] = {
  {"gis", "directories", "at least one is needed", FEDERATION_DIRECTORIES_MAX, true},
  {"index", "indexes", NULL, FEDERATION_SITES_MAX, true},
  {"lis", "sites", "at least one site is needed", FEDERATION_SITES_MAX, false},
  {"nis", "domains", NULL, FEDERATION_DOMAINS_MAX, false},
  {"balancer", "balancers", NULL, FEDERATION_BALANCERS_MAX, false}};

#define KINDS (sizeof kinds / sizeof *kinds)

struct federation {
    config_t *config;
    zpl_t *tree;
    name_list_t names [KINDS];
    federation_nodes_t nodes [FEDERATION_SITES_MAX]; /* of each site */
};

static bool federation_name_sound (const char *name)
{
    size_t length = strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-");
    return length > 0 && length <= NAME_BYTES_MAX - 8 && name [length] == '\0';
}

static bool federation_refuse (const char *file, const char *key, const char *name,
                               const char *right, char why [LONG_WHY_BYTES])
{
    snprintf (why, LONG_WHY_BYTES, "%.200s: %.120s: \"%.80s\": %.80s", file, key, name, right);
    return false;
}

static const name_list_t *federation_names_of (const federation_t *self, const char *kind)
{
    size_t i = 0;
    while (strcmp (kinds [i].kind, kind) != 0)
        i++;
    return &self->names [i];
}

/*  Checks that each name is allowed and that none stands twice. */
static bool federation_names_right (const name_list_t *words, const char *file, const char *key,
                                    char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < words->count; i++)
        if (!federation_name_sound (words->words [i]))
            return federation_refuse (file, key, words->words [i], "use letters, digits and . _ -",
                                      why);
    const char *twice = name_list_twice (words);
    return !twice || federation_refuse (file, key, twice, "is named twice", why);
}

static void take_sections (name_list_t *names, const config_t *config, const char *key)
{
    const char *found [FEDERATION_SITES_MAX + 1];
    names->count = config_names (config, key, found, FEDERATION_SITES_MAX + 1);
    names->words = must (calloc (names->count + 1, sizeof *names->words));
    for (size_t i = 0; i < names->count; i++)
        names->words [i] = must (strdup (found [i]));
}

static bool read_names (federation_t *self, const char *file, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < KINDS; i++) {
        const federation_kind_t *kind = &kinds [i];
        name_list_t *names = &self->names [i];
        if (kind->listed)
            name_list_add (names, config_text (self->config, kind->key), "");
        else
            take_sections (names, self->config, kind->key);
        if (names->count == 0 && kind->least)
            return federation_refuse (file, kind->key, "", kind->least, why);
        if (names->count > kind->most)
            return federation_refuse (file, kind->key, names->words [kind->most], "is one too many",
                                      why);
        if (!federation_names_right (names, file, kind->key, why))
            return false;
    }
    return true;
}

/*  Settings that must be one of these words. */
static const struct {
    const char *sections;
    const char *key;
    const char *words;
} choices [] = {{"sites", "back_end", "none, runner, " BATCH_SYSTEM_WORDS},
                {"sites", "disclosure", "profile, windows"},
                {"sites", "storage/cost", "throughput, rtt"},
                {"domains", "provision", "asked, start"},
                {"domains", "disclosure", "profile, windows"}};

static bool choices_right (const federation_t *self, const char *file, const char *sections,
                           const char *name, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        char path [ZPL_PATH_BYTES], right [WHY_BYTES];
        name_list_auto_t words = {0};
        if (strcmp (choices [i].sections, sections) != 0)
            continue;
        snprintf (path, sizeof path, "%s/%s/%s", sections, name, choices [i].key);
        const char *value = config_text (self->config, path);
        name_list_add (&words, choices [i].words, "");
        if (name_list_has (&words, value))
            continue;
        wrong (right, "should be one of %s", choices [i].words);
        return federation_refuse (file, path, value, right, why);
    }
    return true;
}

static const char *site_back_end (const federation_t *self, const char *site)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "sites/%s/back_end", site);
    return config_text (self->config, path);
}

static bool site_runs (const federation_t *self, const char *site)
{
    return strcmp (site_back_end (self, site), "none") != 0;
}

/*  A batch system has one agent for all its nodes. */
static void read_batch (const char *site, const char *back_end, federation_nodes_t *nodes)
{
    name_list_add (&nodes->names, back_end, "");
    nodes->list = must (calloc (1, sizeof *nodes->list));
    *nodes->list = (federation_node_t){.name = *nodes->names.words, .class_name = "", .site = site};
}

/*  Adds what is known of the nodes of a class, whose names have been read. */
static void list_class (const federation_t *self, const char *section, const char *class_name,
                        federation_nodes_t *nodes, size_t before)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "%s/cpus_per_node", section);
    federation_node_t node = {.class_name = class_name,
                              .cpus = (uint32_t) config_integer (self->config, path)};
    nodes->list = must (reallocarray (nodes->list, nodes->names.count + 1, sizeof *nodes->list));
    for (size_t i = before; i < nodes->names.count; i++) {
        node.name = nodes->names.words [i];
        nodes->list [i] = node;
    }
}

static bool read_nodes (federation_t *self, const char *site, federation_nodes_t *nodes,
                        char why [LONG_WHY_BYTES])
{
    const char *classes [SITE_CLASSES_MAX];
    char above [NAME_BYTES_MAX + 16];
    snprintf (above, sizeof above, "sites/%s/classes", site);
    size_t count = config_names (self->config, above, classes, SITE_CLASSES_MAX);
    for (size_t i = 0; i < count; i++) {
        char section [ZPL_PATH_BYTES - PATH_END_BYTES];
        size_t before = nodes->names.count;
        snprintf (section, sizeof section, "%s/%s", above, classes [i]);
        if (!node_names_read (&nodes->names, self->config, section, why))
            return false;
        list_class (self, section, classes [i], nodes, before);
    }
    const char *twice = name_list_twice (&nodes->names);
    return !twice || config_wrong (self->config, above, why, "two nodes are called %s", twice);
}

static bool read_agents (federation_t *self, const char *site, federation_nodes_t *nodes,
                         char why [LONG_WHY_BYTES])
{
    const char *back_end = site_back_end (self, site);
    if (strcmp (back_end, "runner") == 0)
        return read_nodes (self, site, nodes, why);
    if (site_runs (self, site))
        read_batch (site, back_end, nodes);
    return true;
}

static bool read_storage (federation_t *self, const char *file, const char *site,
                          name_list_t *storage, char why [LONG_WHY_BYTES])
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "sites/%s/storage/nodes", site);
    const char *names = config_text (self->config, path);
    name_list_add (storage, names ? names : "", "");
    return federation_names_right (storage, file, path, why);
}

static bool read_site (federation_t *self, const char *file, const char *site,
                       federation_nodes_t *nodes, char why [LONG_WHY_BYTES])
{
    char section [NAME_BYTES_MAX + 16];
    const char *class;
    snprintf (section, sizeof section, "sites/%s/classes", site);
    if (config_names (self->config, section, &class, 1) == 0)
        return federation_refuse (file, section, "", "at least one class of nodes is needed", why);
    return choices_right (self, file, "sites", site, why) &&
           read_storage (self, file, site, &nodes->storage, why) &&
           read_agents (self, site, nodes, why);
}

static bool read_sites (federation_t *self, const char *file, char why [LONG_WHY_BYTES])
{
    const name_list_t *sites = federation_names_of (self, "lis");
    for (size_t i = 0; i < sites->count; i++)
        if (!read_site (self, file, sites->words [i], &self->nodes [i], why))
            return false;
    return true;
}

/*  The nodes of a site; NULL when there is no such site. */
static const federation_nodes_t *nodes_of (const federation_t *self, const char *site)
{
    const name_list_t *sites = federation_names_of (self, "lis");
    for (size_t i = 0; i < sites->count; i++)
        if (strcmp (sites->words [i], site) == 0)
            return &self->nodes [i];
    return NULL;
}

static bool vertices_right (const federation_t *self, const char *file, const char *section,
                            const domain_t *domain, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < domain->vertices_count; i++) {
        const vertex_t *vertex = &domain->vertices [i];
        char path [ZPL_PATH_BYTES];
        bool site = nodes_of (self, vertex->name) != NULL;
        if (vertex->kind == VERTEX_SITE && !site) {
            snprintf (path, sizeof path, "%ssites", section);
            return federation_refuse (file, path, vertex->name, "is not a site of this federation",
                                      why);
        }
        if (vertex->kind == VERTEX_EXCHANGE && site) {
            snprintf (path, sizeof path, "%sexchanges", section);
            return federation_refuse (file, path, vertex->name,
                                      "is a site, so it can't be an exchange point", why);
        }
    }
    return true;
}

static bool domain_right (const federation_t *self, const char *file, const char *name,
                          char why [LONG_WHY_BYTES])
{
    char section [NAME_BYTES_MAX + 16];
    domain_t domain;
    snprintf (section, sizeof section, "domains/%s/", name);
    if (!domain_config_read (self->config, section, name, &domain, why))
        return false;
    bool good = vertices_right (self, file, section, &domain, why) &&
                choices_right (self, file, "domains", name, why);
    codec_clear (&domain_codec, &domain);
    return good;
}

static bool domains_right (const federation_t *self, const char *file, char why [LONG_WHY_BYTES])
{
    const name_list_t *domains = federation_names_of (self, "nis");
    for (size_t i = 0; i < domains->count; i++)
        if (!domain_right (self, file, domains->words [i], why))
            return false;
    return true;
}

static bool balancers_right (const federation_t *self, const char *file, char why [LONG_WHY_BYTES])
{
    const name_list_t *balancers = federation_names_of (self, "balancer");
    for (size_t i = 0; i < balancers->count; i++) {
        const char *name = balancers->words [i];
        char step [ZPL_PATH_BYTES];
        char coalition [ZPL_PATH_BYTES];
        snprintf (step, sizeof step, "balancers/%s/step", name);
        snprintf (coalition, sizeof coalition, "balancers/%s/coalition", name);
        if (config_duration_ms (self->config, coalition) < config_duration_ms (self->config, step))
            return federation_refuse (file, "balancers", name,
                                      "coalition must not be shorter than step", why);
    }
    return true;
}

federation_t *federation_read (const char *name, const char *text, size_t size,
                               char why [LONG_WHY_BYTES])
{
    federation_t *self = must (calloc (1, sizeof *self));
    char zpl_why [LONG_WHY_BYTES];
    self->config =
      config_parse (name, text, size, NULL, 0, keys, sizeof keys / sizeof keys [0], why);
    self->tree = zpl_new ();
    bool good = self->config && zpl_read (self->tree, text, size, zpl_why) &&
                read_names (self, name, why) && read_sites (self, name, why) &&
                domains_right (self, name, why) && balancers_right (self, name, why);
    if (!good)
        federation_destroy (&self);
    return self;
}

federation_t *federation_load (const char *file, char **text, char why [LONG_WHY_BYTES])
{
    size_t size;
    *text = cli_read_text (file, FEDERATION_BYTES_MAX, &size);
    if (*text)
        return federation_read (file, *text, size, why);
    snprintf (why, LONG_WHY_BYTES, "%.300s: can't be read: %s", file, strerror (errno));
    return NULL;
}

int federation_save (const char *text, size_t size, const char *path)
{
    char why [LONG_WHY_BYTES];
    federation_auto_t *federation = federation_read ("its federation", text, size, why);
    if (!federation)
        return cli_fail (EXIT_USAGE, "%s", why);
    FILE *to = output_file_open (path, true);
    if (!to)
        return EXIT_USAGE;
    fwrite (text, 1, size, to);
    return output_file_close (to, path);
}

void federation_destroy (federation_t **self_p)
{
    federation_t *self = *self_p;
    if (!self)
        return;
    config_destroy (&self->config);
    zpl_destroy (&self->tree);
    for (size_t i = 0; i < FEDERATION_SITES_MAX; i++) {
        name_list_clear (&self->nodes [i].names);
        name_list_clear (&self->nodes [i].storage);
        free (self->nodes [i].list);
    }
    for (size_t i = 0; i < KINDS; i++)
        name_list_clear (&self->names [i]);
    free (self);
    *self_p = NULL;
}

const char *federation_name (const federation_t *self)
{
    const char *name = config_text (self->config, "name");
    return federation_name_sound (name) && *name != '.' ? name : NULL;
}

size_t federation_names (const federation_t *self, const char *kind, const char *const **names)
{
    const name_list_t *words = federation_names_of (self, kind);
    *names = (const char *const *) words->words;
    return words->count;
}

size_t federation_nodes (const federation_t *self, const char *site,
                         const federation_node_t **nodes)
{
    const federation_nodes_t *found = nodes_of (self, site);
    *nodes = found ? found->list : NULL;
    return found ? found->names.count : 0;
}

static char *without_accounts (const federation_t *self, const char *kind, const char *sections)
{
    const name_list_t *names = federation_names_of (self, kind);
    for (size_t i = 0; i < names->count; i++) {
        char path [ZPL_PATH_BYTES];
        const char *account;
        snprintf (path, sizeof path, "%s/%s/accounts", sections, names->words [i]);
        if (config_names (self->config, path, &account, 1) == 0)
            return must (strdup (path));
    }
    return NULL;
}

char *federation_without_accounts (const federation_t *self)
{
    char *site = without_accounts (self, "lis", "sites");
    return site ? site : without_accounts (self, "nis", "domains");
}

size_t federation_storage (const federation_t *self, const char *site, const char *const **names)
{
    const federation_nodes_t *found = nodes_of (self, site);
    *names = found ? (const char *const *) found->storage.words : NULL;
    return found ? found->storage.count : 0;
}

uint64_t federation_storage_bytes (const federation_t *self, const char *site)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "sites/%s/storage/bytes", site);
    return (uint64_t) config_integer (self->config, path);
}

size_t federation_planners (const federation_t *self)
{
    return (size_t) config_integer (self->config, "planners");
}

void federation_write_value (FILE *to, unsigned level, const char *name, const char *value)
{
    char quote = strchr (value, '"') ? '\'' : '"';
    fprintf (to, "%*s%s = %c%s%c\n", (int) (4 * level), "", name, quote, value, quote);
}

/*  Writes a node of the tree and all below it; the reader bounds the depth. */
static void federation_write_node (FILE *to, unsigned level, const zpl_node_t *node)
{
    if (node->value)
        federation_write_value (to, level, node->name, node->value);
    else
        fprintf (to, "%*s%s\n", (int) (4 * level), "", node->name);
    for (const zpl_node_t *child = node->first; child; child = child->next)
        federation_write_node (to, level + 1, child);
}

/*  The account and its actors where a section names no accounts. */
typedef struct {
    const char *account;
    const char *actors;
} open_to_t;

/*  "sites/ams" or "domains/N". */
static void write_section (const federation_t *self, const char *path, const char *administrator,
                           const open_to_t *open_to, FILE *to)
{
    const zpl_node_t *section = zpl_find (self->tree, path);
    assert (section);
    bool accounts = false;
    const char *administrators = "";
    for (const zpl_node_t *child = section->first; child; child = child->next) {
        if (strcmp (child->name, "storage") == 0)
            continue; /* svc-replica's */
        accounts = accounts || strcmp (child->name, "accounts") == 0;
        if (strcmp (child->name, "administrators") == 0)
            administrators = child->value ? child->value : "";
        else
            federation_write_node (to, 0, child);
    }
    text_auto_t *all =
      must_print ("%s%s%s", administrators, *administrators ? ", " : "", administrator);
    federation_write_value (to, 0, "administrators", all);
    if (accounts)
        return;
    fputs ("accounts\n", to);
    federation_write_value (to, 1, open_to->account, open_to->actors);
}

static const open_to_t everybody = {"everybody", "*"};

void federation_write_site (const federation_t *self, const char *site, const char *administrator,
                            const char *account, FILE *to)
{
    char path [ZPL_PATH_BYTES];
    open_to_t administrator_alone = {account, administrator};
    snprintf (path, sizeof path, "sites/%s", site);
    write_section (self, path, administrator,
                   site_runs (self, site) ? &administrator_alone : &everybody, to);
}

void federation_write_domain (const federation_t *self, const char *domain,
                              const char *administrator, FILE *to)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "domains/%s", domain);
    write_section (self, path, administrator, &everybody, to);
}

/*  Writes what a section has, "sites/ams/batch" say, but for some names, with commas between. */
static void federation_write_below (const federation_t *self, const char *path, const char *but,
                                    FILE *to)
{
    const zpl_node_t *section = zpl_find (self->tree, path);
    name_list_auto_t without = {0};
    name_list_add (&without, but, "");
    for (const zpl_node_t *child = section ? section->first : NULL; child; child = child->next)
        if (!name_list_has (&without, child->name))
            federation_write_node (to, 0, child);
}

void federation_write_storage (const federation_t *self, const char *site,
                               const char *administrator, FILE *to)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "sites/%s/storage", site);
    federation_write_below (self, path, "bytes", to); /* its nodes' */
    snprintf (path, sizeof path, "sites/%s/accounts", site);
    const zpl_node_t *accounts = zpl_find (self->tree, path);
    federation_write_value (to, 0, "administrators", administrator);
    fputs ("accounts\n", to);
    for (const zpl_node_t *child = accounts ? accounts->first : NULL; child; child = child->next)
        federation_write_value (to, 1, child->name, child->value ? child->value : "");
    if (!accounts)
        federation_write_value (to, 1, everybody.account, everybody.actors);
}

/*  What is not the site's alone. */
void federation_write_batch (const federation_t *self, const char *site, FILE *to)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "sites/%s/batch", site);
    federation_write_below (self, path, "watch, ahead", to); /* the site's */
}

void federation_write_balancer (const federation_t *self, const char *balancer, FILE *to)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "balancers/%s", balancer);
    federation_write_below (self, path, "", to);
}
