/*  federation - reads the file into rows, which tells the line of a mistake, and keeps it as a
 *  tree, from which the sections of sites and domains are copied. Domains are read as svc-nis reads
 *  them, so that a wrong graph is refused before anything starts.
 */
#include "federation.h"

#include "batch_config.h"
#include "domain_config.h"
#include "must.h"
#include "node_names.h"
#include "timetable_config.h"
#include "zpl.h"

#include <assert.h>

/*  balancers/green/… */
typedef struct {
    const char *name;
    int64_t coalition_ms;
    int64_t step_ms;
    bool reschedule;
} balancer_section_t;

/*  sites/ams/… */
typedef struct {
    const char *name;
    class_section_t *classes;
    size_t classes_count;
    free_capacity_terms_t terms;
    uint32_t back_end; /* of site_back_ends */
    site_batch_settings_t batch;
    nodes_terms_t nodes;
    opening_settings_t opening;
    int64_t life_ms;
    int64_t patience_ms;
    const char *storage_nodes;
    uint64_t storage_bytes; /* of each */
    uint32_t storage_mbps;
    uint32_t storage_cost;
    account_section_t *accounts;
    size_t accounts_count;
    const char *administrators;
} site_section_t;

/*  domains/N/… */
typedef struct {
    const char *name;
    domain_section_t graph;
    uint32_t provision;
    free_capacity_terms_t terms;
    account_section_t *accounts;
    size_t accounts_count;
    const char *administrators;
} network_section_t;

typedef struct {
    const char *name;
    const char *directories;
    const char *indexes;
    uint32_t planners;
    balancer_section_t *balancers;
    size_t balancers_count;
    site_section_t *sites;
    size_t sites_count;
    network_section_t *domains;
    size_t domains_count;
} federation_file_t;

static const setting_t balancer_section_rows [] = {
  SET_NAME (balancer_section_t, name),
  SET_DURATION (balancer_section_t, coalition_ms, "coalition", MS_HOUR, MS_SECOND, MS_YEAR,
                "time from one coalition to the next; levels adapt between them"),
  SET_DURATION (balancer_section_t, step_ms, "step", 10 * MS_SECOND, 100, MS_DAY,
                "time from one balancing of queues to the next"),
  SET_FLAG (balancer_section_t, reschedule, "reschedule", false,
            "true: use the extension of the algorithm"),
};

static const void *balancer_section_rule (void *settings, char why [WHY_BYTES])
{
    const balancer_section_t *balancer = settings;
    if (balancer->coalition_ms >= balancer->step_ms)
        return NULL;
    snprintf (why, WHY_BYTES, "must not be shorter than step");
    return &balancer->coalition_ms;
}

static const setting_table_t balancer_section_table =
  SETTING_TABLE (balancer_section_t, balancer_section_rows, balancer_section_rule);

#define BACK_END_ENTRY(name) #name,
static const char *const site_back_ends [] = {"none", "runner",
                                              BATCH_SYSTEMS (BACK_END_ENTRY, ) NULL};
enum { SITE_KEEPS_TIMES, SITE_RUNS_NODES }; /* the rest are batch systems */

static const char *const storage_costs [] = {"throughput", "rtt", NULL};

static const setting_t site_section_rows [] = {
  SET_NAME (site_section_t, name),
  SET_EACH (site_section_t, classes, classes_count, "classes", class_section_t, &class_table,
            SITE_CLASSES_MAX),
  SET_INSIDE (site_section_t, terms, "", free_capacity_terms_t, &terms_table),
  SET_DURATION (site_section_t, terms.gap_ms, "cleaning_gap", 0, 0, MS_DAY,
                "time kept free after each booking"),
  SET_CHOICE (site_section_t, back_end, "back_end", SITE_KEEPS_TIMES, site_back_ends,
              "none: keeps the times only; runner: runs tasks on the site's nodes; others: this "
              "batch system has the nodes and runs the tasks"),
  SET_INSIDE (site_section_t, batch, "batch/", site_batch_settings_t, &site_batch_table),
  SET_INSIDE (site_section_t, nodes, "nodes/", nodes_terms_t, &nodes_table),
  SET_INSIDE (site_section_t, opening, "opening/", opening_settings_t, &opening_table),
  SET_FIXED_DURATION (site_section_t, life_ms, "queue/life", MS_MINUTE),
  SET_DURATION (site_section_t, patience_ms, "queue/patience", MS_MINUTE, 0, MS_YEAR,
                "a task is stopped when one of its inputs could not be had for this long"),
  SET_TEXT (
    site_section_t, storage_nodes, "storage/nodes", "",
    "names of the site's storage nodes (svc-replica node), separated by commas; one that is "
    "called as a node is on that node's machine, and serves its tasks"),
  SET_COUNT (site_section_t, storage_bytes, "storage/bytes", INT64_C (10000000000), 1048576,
             INT64_C (9000000000000000000), "bytes that each storage node may use"),
  SET_COUNT (site_section_t, storage_mbps, "storage/mbps", 0, 0, 1000000,
             "Mbit/s of each transfer of files; 0 = as fast as it goes"),
  SET_CHOICE (site_section_t, storage_cost, "storage/cost", 0, storage_costs,
              "how the source of a file is chosen"),
  SET_EACH (site_section_t, accounts, accounts_count, "accounts", account_section_t,
            &charged_account_table, ACCOUNT_SECTIONS_MAX),
  SET_TEXT (site_section_t, administrators, "administrators", "",
            "actors that may change capacity"),
};
static const setting_table_t site_section_table =
  SETTING_TABLE (site_section_t, site_section_rows, NULL);

static const char *const network_provisions [] = {"asked", "start", NULL};

static const setting_t network_section_rows [] = {
  SET_NAME (network_section_t, name),
  SET_INSIDE (network_section_t, graph, "", domain_section_t, &domain_table),
  SET_CHOICE (
    network_section_t, provision, "provision", 0, network_provisions,
    "asked: circuits may be used when their owner says so; start: when their window opens"),
  SET_INSIDE (network_section_t, terms, "", free_capacity_terms_t, &terms_table),
  SET_EACH (network_section_t, accounts, accounts_count, "accounts", account_section_t,
            &account_table, ACCOUNT_SECTIONS_MAX),
  SET_TEXT (network_section_t, administrators, "administrators", "",
            "actors that may change capacity"),
};
static const setting_table_t network_section_table =
  SETTING_TABLE (network_section_t, network_section_rows, NULL);

static const setting_t federation_file_rows [] = {
  SET_TEXT (federation_file_t, name, "name", "", "name of the federation"),
  SET_TEXT (federation_file_t, directories, "directories", "g1, g2",
            "short names of the directories (svc-gis), which are also the homes of requests"),
  SET_TEXT (federation_file_t, indexes, "indexes", "",
            "short names of the indexes of files (svc-replica); without any, every site is asked"),
  SET_COUNT (federation_file_t, planners, "planners", 1, 1, FEDERATION_PLANNERS_MAX,
             "planners to start"),
  SET_EACH (federation_file_t, balancers, balancers_count, "balancers", balancer_section_t,
            &balancer_section_table, FEDERATION_BALANCERS_MAX),
  SET_EACH (federation_file_t, sites, sites_count, "sites", site_section_t, &site_section_table,
            FEDERATION_SITES_MAX),
  SET_EACH (federation_file_t, domains, domains_count, "domains", network_section_t,
            &network_section_table, FEDERATION_DOMAINS_MAX),
};
static const setting_table_t federation_file_table =
  SETTING_TABLE (federation_file_t, federation_file_rows, NULL);
static const setting_table_t *const federation_tables [] = {&federation_file_table};

/*  A site, and what was made of it. */
typedef struct {
    const site_section_t *section;
    name_list_t names;       /* of its nodes */
    federation_node_t *list; /* one for each name */
    name_list_t storage;     /* names of its storage nodes */
} federation_site_t;

/*  Members that a description names: in a list, or with a section for each. */
enum { GIS_NAMES, INDEX_NAMES, LIS_NAMES, NIS_NAMES, BALANCER_NAMES, KINDS };
static const struct {
    const char *kind;
    size_t at; /* what names them in the file's struct */
    size_t most;
} kinds [KINDS] = {
  [GIS_NAMES] = {"gis", offsetof (federation_file_t, directories), FEDERATION_DIRECTORIES_MAX},
  [INDEX_NAMES] = {"index", offsetof (federation_file_t, indexes), FEDERATION_SITES_MAX},
  [LIS_NAMES] = {"lis", offsetof (federation_file_t, sites), FEDERATION_SITES_MAX},
  [NIS_NAMES] = {"nis", offsetof (federation_file_t, domains), FEDERATION_DOMAINS_MAX},
  [BALANCER_NAMES] = {"balancer", offsetof (federation_file_t, balancers),
                      FEDERATION_BALANCERS_MAX},
};

struct federation {
    config_t *config;
    const federation_file_t *file;
    zpl_t *tree;
    name_list_t names [KINDS];
    federation_site_t *sites; /* in the file's order */
};

static bool federation_name_sound (const char *name)
{
    size_t length = strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-");
    return length > 0 && length <= NAME_BYTES_MAX - 8 && name [length] == '\0';
}

static const name_list_t *federation_names_of (const federation_t *self, const char *kind)
{
    size_t i = 0;
    while (strcmp (kinds [i].kind, kind) != 0)
        i++;
    return &self->names [i];
}

/*  Checks that each name that the member says is allowed and that none stands twice. */
static bool federation_names_right (const federation_t *self, const name_list_t *words,
                                    const void *member, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < words->count; i++)
        if (!federation_name_sound (words->words [i]))
            return config_refuse (self->config, member, why,
                                  "\"%.80s\": use letters, digits and . _ -", words->words [i]);
    const char *twice = name_list_twice (words);
    return !twice || config_refuse (self->config, member, why, "\"%.80s\": is named twice", twice);
}

static bool read_names (federation_t *self, char why [LONG_WHY_BYTES])
{
    const federation_file_t *file = self->file;
    name_list_add (&self->names [GIS_NAMES], file->directories, "");
    name_list_add (&self->names [INDEX_NAMES], file->indexes, "");
    for (size_t i = 0; i < file->sites_count; i++)
        name_list_add (&self->names [LIS_NAMES], file->sites [i].name, "");
    for (size_t i = 0; i < file->domains_count; i++)
        name_list_add (&self->names [NIS_NAMES], file->domains [i].name, "");
    for (size_t i = 0; i < file->balancers_count; i++)
        name_list_add (&self->names [BALANCER_NAMES], file->balancers [i].name, "");
    if (self->names [GIS_NAMES].count == 0)
        return config_refuse (self->config, &file->directories, why, "at least one is needed");
    if (file->sites_count == 0)
        return config_refuse (self->config, &file->sites, why, "at least one site is needed");
    for (size_t i = 0; i < KINDS; i++) {
        const name_list_t *names = &self->names [i];
        const void *member = (const char *) file + kinds [i].at;
        if (names->count > kinds [i].most)
            return config_refuse (self->config, member, why, "\"%.80s\": is one too many",
                                  names->words [kinds [i].most]);
        if (!federation_names_right (self, names, member, why))
            return false;
    }
    return true;
}

/*  A batch system has one agent for all its nodes. */
static void read_batch (federation_site_t *site)
{
    name_list_add (&site->names, site_back_ends [site->section->back_end], "");
    site->list = must (calloc (1, sizeof *site->list));
    *site->list = (federation_node_t){
      .name = *site->names.words, .class_name = "", .site = site->section->name};
}

/*  Adds what is known of the nodes of a class, whose names have been read. */
static void list_class (federation_site_t *site, const class_section_t *class, size_t before)
{
    site->list = must (reallocarray (site->list, site->names.count + 1, sizeof *site->list));
    for (size_t i = before; i < site->names.count; i++)
        site->list [i] = (federation_node_t){
          .name = site->names.words [i], .class_name = class->name, .cpus = class->cpus_per_node};
}

static bool read_nodes (const federation_t *self, federation_site_t *site,
                        char why [LONG_WHY_BYTES])
{
    const site_section_t *section = site->section;
    for (size_t i = 0; i < section->classes_count; i++) {
        size_t before = site->names.count;
        if (!node_names_read (&site->names, self->config, &section->classes [i], why))
            return false;
        list_class (site, &section->classes [i], before);
    }
    const char *twice = name_list_twice (&site->names);
    return !twice ||
           config_refuse (self->config, &section->classes, why, "two nodes are called %s", twice);
}

static bool read_site (const federation_t *self, federation_site_t *site, char why [LONG_WHY_BYTES])
{
    const site_section_t *section = site->section;
    if (section->classes_count == 0)
        return config_refuse (self->config, &section->classes, why,
                              "at least one class of nodes is needed");
    name_list_add (&site->storage, section->storage_nodes, "");
    if (!federation_names_right (self, &site->storage, &section->storage_nodes, why))
        return false;
    if (section->back_end == SITE_RUNS_NODES)
        return read_nodes (self, site, why);
    if (section->back_end != SITE_KEEPS_TIMES)
        read_batch (site);
    return true;
}

static bool read_sites (federation_t *self, char why [LONG_WHY_BYTES])
{
    self->sites = must (calloc (self->file->sites_count, sizeof *self->sites));
    for (size_t i = 0; i < self->file->sites_count; i++) {
        self->sites [i].section = &self->file->sites [i];
        if (!read_site (self, &self->sites [i], why))
            return false;
    }
    return true;
}

/*  NULL when there is no such site. */
static const federation_site_t *site_of (const federation_t *self, const char *name)
{
    for (size_t i = 0; i < self->file->sites_count; i++)
        if (strcmp (self->sites [i].section->name, name) == 0)
            return &self->sites [i];
    return NULL;
}

static bool vertices_right (const federation_t *self, const domain_section_t *graph,
                            const domain_t *domain, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < domain->vertices_count; i++) {
        const vertex_t *vertex = &domain->vertices [i];
        bool site = site_of (self, vertex->name) != NULL;
        if (vertex->kind == VERTEX_SITE && !site)
            return config_refuse (self->config, &graph->sites, why,
                                  "\"%s\": is not a site of this federation", vertex->name);
        if (vertex->kind == VERTEX_EXCHANGE && site)
            return config_refuse (self->config, &graph->exchanges, why,
                                  "\"%s\": is a site, so it can't be an exchange point",
                                  vertex->name);
    }
    return true;
}

static bool domains_right (const federation_t *self, char why [LONG_WHY_BYTES])
{
    bool good = true;
    for (size_t i = 0; i < self->file->domains_count && good; i++) {
        const network_section_t *section = &self->file->domains [i];
        domain_t domain;
        if (!domain_config_read (self->config, &section->graph, section->name, &domain, why))
            return false;
        good = vertices_right (self, &section->graph, &domain, why);
        codec_clear (&domain_codec, &domain);
    }
    return good;
}

federation_t *federation_read (const char *name, const char *text, size_t size,
                               char why [LONG_WHY_BYTES])
{
    federation_t *self = must (calloc (1, sizeof *self));
    char zpl_why [LONG_WHY_BYTES];
    self->config = config_open_text (name, text, size, NULL, 0, federation_tables, 1, why);
    self->file = self->config ? config_settings (self->config, &federation_file_table) : NULL;
    self->tree = zpl_new ();
    bool good = self->config && zpl_read (self->tree, text, size, zpl_why) &&
                read_names (self, why) && read_sites (self, why) && domains_right (self, why);
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
    for (size_t i = 0; self->sites && i < self->file->sites_count; i++) {
        name_list_clear (&self->sites [i].names);
        name_list_clear (&self->sites [i].storage);
        free (self->sites [i].list);
    }
    free (self->sites);
    config_destroy (&self->config);
    zpl_destroy (&self->tree);
    for (size_t i = 0; i < KINDS; i++)
        name_list_clear (&self->names [i]);
    free (self);
    *self_p = NULL;
}

static void note_over (void *owner, const char *text)
{
    cli_note (owner, "%s; leave it out", text);
}

void federation_warn (const federation_t *self, const cli_t *cli)
{
    config_warn (self->config, note_over, (void *) (uintptr_t) cli);
}

const char *federation_name (const federation_t *self)
{
    const char *name = self->file->name;
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
    const federation_site_t *found = site_of (self, site);
    *nodes = found ? found->list : NULL;
    return found ? found->names.count : 0;
}

char *federation_without_accounts (const federation_t *self)
{
    const federation_file_t *file = self->file;
    for (size_t i = 0; i < file->sites_count; i++)
        if (file->sites [i].accounts_count == 0)
            return must_print ("sites/%s/accounts", file->sites [i].name);
    for (size_t i = 0; i < file->domains_count; i++)
        if (file->domains [i].accounts_count == 0)
            return must_print ("domains/%s/accounts", file->domains [i].name);
    return NULL;
}

size_t federation_storage (const federation_t *self, const char *site, const char *const **names)
{
    const federation_site_t *found = site_of (self, site);
    *names = found ? (const char *const *) found->storage.words : NULL;
    return found ? found->storage.count : 0;
}

uint64_t federation_storage_bytes (const federation_t *self, const char *site)
{
    return site_of (self, site)->section->storage_bytes;
}

size_t federation_planners (const federation_t *self)
{
    return self->file->planners;
}

void federation_write_value (FILE *to, unsigned level, const char *name, const char *value)
{
    char quote = strchr (value, '"') ? '\'' : '"';
    fprintf (to, "%*s%s = %c%s%c\n", (int) (4 * level), "", name, quote, value, quote);
}

/*  Was it a setting of svc-lis, which would only warn of it? */
static bool name_is_over (const zpl_node_t *node)
{
    char path [ZPL_PATH_BYTES];
    const char *below = strchr (zpl_path (node, path), '/');
    below = below ? strchr (below + 1, '/') : NULL;
    return below && strncmp (path, "sites/", 6) == 0 &&
           (strcmp (below, "/nodes/lost") == 0 || strcmp (below, "/queue/life") == 0);
}

/*  Writes a node of the tree and all below it; the reader bounds the depth. */
static void federation_write_node (FILE *to, unsigned level, const zpl_node_t *node)
{
    if (name_is_over (node))
        return;
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
                   site_of (self, site)->section->back_end == SITE_KEEPS_TIMES
                     ? &everybody
                     : &administrator_alone,
                   to);
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
