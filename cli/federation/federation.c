/*  federation - the file is checked against a table of keys, which finds what is wrong with its
 *  line, and kept as a tree, from which the sections of sites and domains are copied. Domains are
 *  read as svc-nis will read them, so that a graph that is none is told before anything starts.
 */
#include "federation.h"

#include "core.h"
#include "domain_config.h"
#include "must.h"
#include "node_names.h"
#include "site.h"
#include "zpl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS         86400000.0
#define PATH_END_BYTES 32

static const config_key_t keys [] = {
  KEY_TEXT ("name", NULL, "what this federation is called"),
  KEY_TEXT ("directories", "g1, g2",
            "short names of the directories (svc-gis), which are also the homes of requests"),
  KEY_TEXT ("indexes", "",
            "short names of the indexes of files (svc-replica); none = every site is asked"),
  KEY_INTEGER ("planners", "1", 1, FEDERATION_PLANNERS_MAX, "planners to start"),
  KEY_DURATION ("balancers/*/coalition", "1h", 1000, 366 * DAY_MS,
                "a coalition is formed each such time, and levels adapt"),
  KEY_DURATION ("balancers/*/step", "10s", 100, DAY_MS, "queues are balanced each such time"),
  KEY_FLAG ("balancers/*/reschedule", "false", "the extension, too"),
  KEY_NEEDED (CONFIG_INTEGER, "sites/*/classes/*/nodes", 1, 1e7, "identical nodes of this class"),
  KEY_INTEGER ("sites/*/classes/*/cpus_per_node", "1", 1, 1e6,
               "CPUs of each node; nodes are granted whole"),
  KEY_REAL ("sites/*/classes/*/price", "0", 0, 1e9, "credits a CPU-hour, to a millionth"),
  KEY_TEXT ("sites/*/classes/*/names", "",
            "with the back end runner: what its nodes are called, such as n001, n[002-064]"),
  KEY_TEXT ("sites/*/classes/*/attributes/*", NULL,
            "what requests may ask for, such as os = linux"),
  KEY_TEXT ("sites/*/disclosure", "profile", "profile or windows"),
  KEY_DURATION ("sites/*/lead", "5s", 0, DAY_MS,
                "refuses reservations that start sooner than this"),
  KEY_DURATION ("sites/*/horizon", "365d", 1000, 36500 * DAY_MS,
                "refuses reservations that end later than this from now"),
  KEY_DURATION ("sites/*/cleaning_gap", "0s", 0, DAY_MS, "kept free after each booking"),
  KEY_TEXT ("sites/*/back_end", "none",
            "none: keeps the times only; runner: runs tasks on the site's nodes"),
  KEY_DURATION ("sites/*/nodes/attend", "10s", 100, DAY_MS,
                "a node's agent asks at least so often"),
  KEY_DURATION ("sites/*/nodes/silent", "25s", 100, DAY_MS,
                "a node not heard for so long gets nothing new"),
  KEY_DURATION ("sites/*/nodes/lease", "5m", 100, DAY_MS,
                "an agent not answered for so long ends what runs on its node"),
  KEY_DURATION ("sites/*/nodes/lost", "330s", 100, DAY_MS,
                "a node not heard for so long is lost, with what ran there"),
  KEY_DURATION ("sites/*/opening/bind", "5s", 0, DAY_MS,
                "nodes are bound and cleared so long before a reservation starts"),
  KEY_DURATION ("sites/*/opening/warning", "60s", 0, DAY_MS,
                "runs are warned so long before their reservation ends"),
  KEY_DURATION ("sites/*/opening/grace", "10s", 0, DAY_MS, "between SIGTERM and SIGKILL"),
  KEY_DURATION ("sites/*/opening/lend", "5m", 0, DAY_MS,
                "a reservation unused so long is lent to preemptible tasks"),
  KEY_DURATION ("sites/*/opening/release", "0s", 0, DAY_MS,
                "one unused so long is given back to the queue; 0s = never"),
  KEY_DURATION ("sites/*/queue/life", "60s", 0, DAY_MS,
                "a preemptible task is begun where its node is not wanted for so long"),
  KEY_TEXT ("sites/*/storage/nodes", NULL,
            "names of its storage nodes, separated by commas: where it keeps files (svc-replica)"),
  KEY_INTEGER ("sites/*/storage/bytes", "10000000000", 1, 9e18, "bytes that each of them may use"),
  KEY_INTEGER ("sites/*/storage/mbps", "0", 0, 1000000,
               "Mbit/s of each transfer of files; 0 = as fast as it goes"),
  KEY_TEXT ("sites/*/storage/cost", "throughput",
            "by what the source of a file is chosen: throughput or rtt"),
  KEY_TEXT ("sites/*/accounts/*", NULL,
            "actors that have this local account; without any, anybody may reserve"),
  KEY_TEXT ("sites/*/administrators", NULL, "actors that may change capacity"),
  DOMAIN_CONFIG_KEYS ("domains/*/"),
  KEY_TEXT ("domains/*/provision", "asked",
            "asked: circuits may be used when their owner says so; start: when their window opens"),
  KEY_TEXT ("domains/*/disclosure", "profile", "profile or windows"),
  KEY_DURATION ("domains/*/lead", "5s", 0, DAY_MS,
                "refuses reservations that start sooner than this"),
  KEY_DURATION ("domains/*/horizon", "365d", 1000, 36500 * DAY_MS,
                "refuses reservations that end later than this from now"),
  KEY_TEXT ("domains/*/accounts/*", NULL,
            "actors that have this local account; without any, anybody may reserve"),
  KEY_TEXT ("domains/*/administrators", NULL, "actors that may change capacity"),
};

typedef struct {
    words_t names;
    federation_node_t *list; /* as many as names */
} nodes_t;

struct federation {
    config_t *config;
    zpl_t *tree;
    char *directories_text; /* cut at its commas */
    const char *directories [FEDERATION_DIRECTORIES_MAX];
    size_t directories_count;
    const char *sites [FEDERATION_SITES_MAX + 1];
    size_t sites_count;
    nodes_t nodes [FEDERATION_SITES_MAX];   /* of each site */
    words_t storage [FEDERATION_SITES_MAX]; /* names of its storage nodes */
    words_t indexes;
    const char *balancers [FEDERATION_BALANCERS_MAX + 1];
    size_t balancers_count;
    const char *domains [FEDERATION_DOMAINS_MAX + 1];
    size_t domains_count;
};

static bool name_sound (const char *name)
{
    size_t length = strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-");
    return length > 0 && length <= NAME_BYTES_MAX - 8 && name [length] == '\0';
}

static bool refuse (const char *file, const char *key, const char *name, const char *right,
                    char why [CONFIG_WHY_BYTES])
{
    snprintf (why, CONFIG_WHY_BYTES, "%.200s: %.120s: \"%.80s\": %.80s", file, key, name, right);
    return false;
}

static bool read_directories (federation_t *self, const char *file, char why [CONFIG_WHY_BYTES])
{
    self->directories_text = must (strdup (config_text (self->config, "directories")));
    for (char *save = NULL, *one = strtok_r (self->directories_text, ", ", &save); one;
         one = strtok_r (NULL, ", ", &save)) {
        if (!name_sound (one))
            return refuse (file, "directories", one, "letters, digits and . _ - make a name", why);
        for (size_t i = 0; i < self->directories_count; i++)
            if (strcmp (self->directories [i], one) == 0)
                return refuse (file, "directories", one, "is named twice", why);
        if (self->directories_count == FEDERATION_DIRECTORIES_MAX)
            return refuse (file, "directories", one, "is one too many", why);
        self->directories [self->directories_count++] = one;
    }
    if (self->directories_count == 0)
        return refuse (file, "directories", "", "at least one is wanted", why);
    return true;
}

/*  One of two words. */
static bool word_right (const federation_t *self, const char *file, const char *section,
                        const char *key, const char *const words [2], char why [CONFIG_WHY_BYTES])
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "%s%s", section, key);
    const char *value = config_text (self->config, path);
    if (strcmp (value, words [0]) == 0 || strcmp (value, words [1]) == 0)
        return true;
    char right [64];
    snprintf (right, sizeof right, "should be %s or %s", words [0], words [1]);
    return refuse (file, path, value, right, why);
}

static bool site_runs (const federation_t *self, const char *site)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "sites/%s/back_end", site);
    return strcmp (config_text (self->config, path), "runner") == 0;
}

/*  The names of a class's nodes are read; what else is known of them. */
static void list_class (const federation_t *self, const char *section, const char *class_name,
                        nodes_t *nodes, size_t before)
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

static bool read_nodes (federation_t *self, const char *site, nodes_t *nodes,
                        char why [CONFIG_WHY_BYTES])
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
    const char *twice = node_names_twice (&nodes->names);
    return !twice || config_wrong (self->config, above, why, "two nodes are called %s", twice);
}

/*  Names that are sound, and none twice. */
static bool names_right (const words_t *words, const char *file, const char *key,
                         char why [CONFIG_WHY_BYTES])
{
    for (size_t i = 0; i < words->count; i++) {
        if (!name_sound (words->words [i]))
            return refuse (file, key, words->words [i], "letters, digits and . _ - make a name",
                           why);
        for (size_t k = 0; k < i; k++)
            if (strcmp (words->words [k], words->words [i]) == 0)
                return refuse (file, key, words->words [i], "is named twice", why);
    }
    return true;
}

static bool read_storage (federation_t *self, const char *file, size_t i,
                          char why [CONFIG_WHY_BYTES])
{
    static const char *const costs [2] = {"throughput", "rtt"};
    char section [NAME_BYTES_MAX + 16];
    char path [ZPL_PATH_BYTES];
    snprintf (section, sizeof section, "sites/%s/", self->sites [i]);
    snprintf (path, sizeof path, "%sstorage/nodes", section);
    const char *names = config_text (self->config, path);
    if (names)
        words_add (&self->storage [i], names, "");
    return names_right (&self->storage [i], file, path, why) &&
           word_right (self, file, section, "storage/cost", costs, why);
}

static bool site_right (federation_t *self, const char *file, size_t i, char why [CONFIG_WHY_BYTES])
{
    static const char *const back_ends [2] = {"none", "runner"};
    static const char *const disclosures [2] = {"profile", "windows"};
    char section [NAME_BYTES_MAX + 16];
    const char *class;
    const char *site = self->sites [i];
    if (!name_sound (site))
        return refuse (file, "sites", site, "letters, digits and . _ - make a name", why);
    snprintf (section, sizeof section, "sites/%s/classes", site);
    if (config_names (self->config, section, &class, 1) == 0)
        return refuse (file, section, "", "at least one class of nodes is wanted", why);
    snprintf (section, sizeof section, "sites/%s/", site);
    return word_right (self, file, section, "back_end", back_ends, why) &&
           word_right (self, file, section, "disclosure", disclosures, why) &&
           read_storage (self, file, i, why) &&
           (!site_runs (self, site) || read_nodes (self, site, &self->nodes [i], why));
}

static bool read_sites (federation_t *self, const char *file, char why [CONFIG_WHY_BYTES])
{
    size_t count = config_names (self->config, "sites", self->sites, FEDERATION_SITES_MAX + 1);
    if (count == 0)
        return refuse (file, "sites", "", "at least one site is wanted", why);
    if (count > FEDERATION_SITES_MAX)
        return refuse (file, "sites", "", "too many sites", why);
    self->sites_count = count;
    for (size_t i = 0; i < count; i++)
        if (!site_right (self, file, i, why))
            return false;
    return true;
}

static bool is_site (const federation_t *self, const char *name)
{
    for (size_t i = 0; i < self->sites_count; i++)
        if (strcmp (self->sites [i], name) == 0)
            return true;
    return false;
}

static bool vertices_right (const federation_t *self, const char *file, const char *section,
                            const domain_t *domain, char why [CONFIG_WHY_BYTES])
{
    for (size_t i = 0; i < domain->vertices_count; i++) {
        const vertex_t *vertex = &domain->vertices [i];
        char path [ZPL_PATH_BYTES];
        bool site = is_site (self, vertex->name);
        if (vertex->kind == VERTEX_SITE && !site) {
            snprintf (path, sizeof path, "%ssites", section);
            return refuse (file, path, vertex->name, "is none of this federation's sites", why);
        }
        if (vertex->kind == VERTEX_EXCHANGE && site) {
            snprintf (path, sizeof path, "%sexchanges", section);
            return refuse (file, path, vertex->name, "is one of the sites", why);
        }
    }
    return true;
}

static bool domain_right (const federation_t *self, const char *file, const char *name,
                          char why [CONFIG_WHY_BYTES])
{
    static const char *const provisions [2] = {"asked", "start"};
    static const char *const disclosures [2] = {"profile", "windows"};
    char section [NAME_BYTES_MAX + 16];
    domain_t domain;
    if (!name_sound (name))
        return refuse (file, "domains", name, "letters, digits and . _ - make a name", why);
    snprintf (section, sizeof section, "domains/%s/", name);
    if (!domain_config_read (self->config, section, name, &domain, why))
        return false;
    bool good = vertices_right (self, file, section, &domain, why) &&
                word_right (self, file, section, "provision", provisions, why) &&
                word_right (self, file, section, "disclosure", disclosures, why);
    domain_clear (&domain);
    return good;
}

static bool read_domains (federation_t *self, const char *file, char why [CONFIG_WHY_BYTES])
{
    size_t count =
      config_names (self->config, "domains", self->domains, FEDERATION_DOMAINS_MAX + 1);
    if (count > FEDERATION_DOMAINS_MAX)
        return refuse (file, "domains", "", "too many domains", why);
    self->domains_count = count;
    for (size_t i = 0; i < count; i++)
        if (!domain_right (self, file, self->domains [i], why))
            return false;
    return true;
}

static bool read_indexes (federation_t *self, const char *file, char why [CONFIG_WHY_BYTES])
{
    words_add (&self->indexes, config_text (self->config, "indexes"), "");
    return names_right (&self->indexes, file, "indexes", why);
}

static bool read_balancers (federation_t *self, const char *file, char why [CONFIG_WHY_BYTES])
{
    self->balancers_count =
      config_names (self->config, "balancers", self->balancers, FEDERATION_BALANCERS_MAX + 1);
    if (self->balancers_count > FEDERATION_BALANCERS_MAX)
        return refuse (file, "balancers", "", "too many balancers", why);
    for (size_t i = 0; i < self->balancers_count; i++) {
        const char *name = self->balancers [i];
        char step [ZPL_PATH_BYTES];
        char coalition [ZPL_PATH_BYTES];
        if (!name_sound (name))
            return refuse (file, "balancers", name, "letters, digits and . _ - make a name", why);
        snprintf (step, sizeof step, "balancers/%s/step", name);
        snprintf (coalition, sizeof coalition, "balancers/%s/coalition", name);
        if (config_duration_ms (self->config, coalition) < config_duration_ms (self->config, step))
            return refuse (file, "balancers", name, "coalition must not be shorter than step", why);
    }
    return true;
}

federation_t *federation_read (const char *name, const char *text, size_t size,
                               char why [CONFIG_WHY_BYTES])
{
    federation_t *self = must (calloc (1, sizeof *self));
    char zpl_why [ZPL_WHY_BYTES];
    self->config =
      config_parse (name, text, size, NULL, 0, keys, sizeof keys / sizeof keys [0], why);
    self->tree = zpl_new ();
    bool good = self->config && zpl_read (self->tree, text, size, zpl_why) &&
                read_directories (self, name, why) && read_indexes (self, name, why) &&
                read_sites (self, name, why) && read_domains (self, name, why) &&
                read_balancers (self, name, why);
    if (!good)
        federation_destroy (&self);
    return self;
}

void federation_destroy (federation_t **self_p)
{
    federation_t *self = *self_p;
    if (!self)
        return;
    config_destroy (&self->config);
    zpl_destroy (&self->tree);
    for (size_t i = 0; i < FEDERATION_SITES_MAX; i++) {
        words_clear (&self->nodes [i].names);
        words_clear (&self->storage [i]);
        free (self->nodes [i].list);
    }
    words_clear (&self->indexes);
    free (self->directories_text);
    free (self);
    *self_p = NULL;
}

const char *federation_name (const federation_t *self)
{
    const char *name = config_text (self->config, "name");
    return name_sound (name) && *name != '.' ? name : NULL;
}

size_t federation_directories (const federation_t *self, const char *const **names)
{
    *names = self->directories;
    return self->directories_count;
}

size_t federation_sites (const federation_t *self, const char *const **names)
{
    *names = self->sites;
    return self->sites_count;
}

size_t federation_domains (const federation_t *self, const char *const **names)
{
    *names = self->domains;
    return self->domains_count;
}

size_t federation_nodes (const federation_t *self, const char *site,
                         const federation_node_t **nodes)
{
    for (size_t i = 0; i < self->sites_count; i++)
        if (strcmp (self->sites [i], site) == 0) {
            *nodes = self->nodes [i].list;
            return self->nodes [i].names.count;
        }
    return 0;
}

const char *federation_without_accounts (const federation_t *self)
{
    for (size_t i = 0; i < self->sites_count; i++) {
        char path [ZPL_PATH_BYTES];
        const char *account;
        snprintf (path, sizeof path, "sites/%s/accounts", self->sites [i]);
        if (site_runs (self, self->sites [i]) &&
            config_names (self->config, path, &account, 1) == 0)
            return self->sites [i];
    }
    return NULL;
}

size_t federation_indexes (const federation_t *self, const char *const **names)
{
    *names = (const char *const *) self->indexes.words;
    return self->indexes.count;
}

size_t federation_storage (const federation_t *self, const char *site, const char *const **names)
{
    for (size_t i = 0; i < self->sites_count; i++)
        if (strcmp (self->sites [i], site) == 0) {
            *names = (const char *const *) self->storage [i].words;
            return self->storage [i].count;
        }
    return 0;
}

uint64_t federation_storage_bytes (const federation_t *self, const char *site)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "sites/%s/storage/bytes", site);
    return (uint64_t) config_integer (self->config, path);
}

size_t federation_balancers (const federation_t *self, const char *const **names)
{
    *names = self->balancers;
    return self->balancers_count;
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

/*  A node and all below it. The file's depth is bounded by its reader. */
static void write_node (FILE *to, unsigned level, const zpl_node_t *node)
{
    if (node->value) {
        federation_write_value (to, level, node->name, node->value);
        return;
    }
    fprintf (to, "%*s%s\n", (int) (4 * level), "", node->name);
    for (const zpl_node_t *child = node->first; child; child = child->next)
        write_node (to, level + 1, child);
}

/*  Who may do something there where the section does not say. */
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
            write_node (to, 0, child);
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

void federation_write_storage (const federation_t *self, const char *site,
                               const char *administrator, FILE *to)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "sites/%s/storage", site);
    const zpl_node_t *section = zpl_find (self->tree, path);
    for (const zpl_node_t *child = section ? section->first : NULL; child; child = child->next)
        if (strcmp (child->name, "bytes") != 0) /* its nodes' */
            write_node (to, 0, child);
    snprintf (path, sizeof path, "sites/%s/accounts", site);
    const zpl_node_t *accounts = zpl_find (self->tree, path);
    federation_write_value (to, 0, "administrators", administrator);
    if (accounts) {
        write_node (to, 0, accounts);
        return;
    }
    fputs ("accounts\n", to);
    federation_write_value (to, 1, everybody.account, everybody.actors);
}

void federation_write_balancer (const federation_t *self, const char *balancer, FILE *to)
{
    char path [ZPL_PATH_BYTES];
    snprintf (path, sizeof path, "balancers/%s", balancer);
    const zpl_node_t *section = zpl_find (self->tree, path);
    for (const zpl_node_t *child = section ? section->first : NULL; child; child = child->next)
        write_node (to, 0, child);
}
