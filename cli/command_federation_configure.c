/*  musubi federation configure - a federation whose members have machines or containers of their
 * own.
 *
 *  Each member but the planners has a host named after it, "lis-kyoto", and all listen on the same
 *  ports; planners share one file, so that any number of them can be started from it: each tells
 *  others the name of the host that it finds itself on. Agents of nodes dial out, and listen on
 *  loopback only. Nothing is overwritten.
 */
#include "cli.h"
#include "configuration.h"
#include "places.h"
#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FEDERATION_BYTES_MAX (4u << 20)
#define HOST_BYTES           80
#define PLACE_BYTES          112
#define PORT_PRESET          5600
#define STORES_PRESET        "/var/lib/musubi"

typedef struct {
    const char *folder;
    const char *stores;
    int64_t port; /* of requests; hints are on the next one */
    const federation_t *federation;
    char *administrator;
    table_t *table;
    json_t *members;
} plan_t;

typedef struct {
    const char *kind;
    size_t (*names) (const federation_t *self, const char *const **names);
} kind_t;

static const kind_t kinds [] = {
  {"gis", federation_directories}, {"lis", federation_sites}, {"nis", federation_domains}};

#define KINDS (sizeof kinds / sizeof kinds [0])

static federation_t *load (const char *file)
{
    char why [CONFIG_WHY_BYTES];
    char *text = malloc (FEDERATION_BYTES_MAX);
    FILE *from = fopen (file, "re");
    if (!text)
        abort ();
    errno = 0;
    size_t size = from ? fread (text, 1, FEDERATION_BYTES_MAX, from) : 0;
    federation_t *federation = NULL;
    if (!from || ferror (from))
        cli_fail (EXIT_USAGE, "%s: can't be read: %s", file, strerror (errno ? errno : ENOENT));
    else if (!(federation = federation_read (file, text, size, why)))
        cli_fail (EXIT_USAGE, "%s", why);
    if (from)
        fclose (from);
    free (text);
    return federation;
}

/*  "lis-kyoto"; hosts have no capitals. */
static void host_of (const char *kind, const char *name, char host [HOST_BYTES])
{
    snprintf (host, HOST_BYTES, "%s-%s", kind, name);
    for (char *at = host; *at; at++)
        *at = (char) tolower ((unsigned char) *at);
}

static bool hosts_differ (const char *const *names, size_t count, const char *kind)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (strcasecmp (names [i], names [j]) == 0) {
                cli_fail (EXIT_USAGE,
                          "%s/%s and %s/%s would share a host name, which has no "
                          "capitals: rename one",
                          kind, names [i], kind, names [j]);
                return false;
            }
    return true;
}

/*  Endpoints of the directories but one, comma-separated. Malloc'ed. */
static char *directories_but (const plan_t *plan, const char *but)
{
    const char *const *names;
    size_t count = federation_directories (plan->federation, &names);
    size_t size;
    char *text = NULL;
    FILE *to = open_memstream (&text, &size);
    if (!to)
        abort ();
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        char host [HOST_BYTES];
        if (but && strcmp (names [i], but) == 0)
            continue;
        host_of ("gis", names [i], host);
        fprintf (to, "%stcp://%s:%" PRId64, any ? "," : "", host, plan->port);
        any = true;
    }
    if (fclose (to) != 0)
        abort ();
    return text;
}

static void tell (const plan_t *plan, const char *kind, const char *host, const char *file)
{
    char endpoint [PLACE_BYTES] = "";
    if (strcmp (kind, "node") != 0)
        snprintf (endpoint, sizeof endpoint, "tcp://%s:%" PRId64, *host ? host : "*", plan->port);
    const char *cells [] = {kind, host, endpoint, file};
    table_row (plan->table, cells);
    json_array_append_new (plan->members, json_pack ("{s:s, s:s, s:s, s:s}", "kind", kind, "host",
                                                     host, "endpoint", endpoint, "file", file));
}

/*  One file; an exit code. */
static int write_file (const plan_t *plan, const configuration_t *configuration, const char *path)
{
    FILE *file = fopen (path, "wxe");
    if (file)
        configuration_write (configuration, plan->federation, file);
    bool good = file && !ferror (file);
    int error = errno;
    if (file && fclose (file) != 0) {
        good = false;
        error = errno;
    }
    if (good)
        return EXIT_DONE;
    if (error == EEXIST)
        return cli_fail (EXIT_USAGE, "%s is there already: remove it, or choose another folder",
                         path);
    return cli_fail (EXIT_REFUSED, "%s: can't be written: %s", path, strerror (error));
}

/*  A planner has no name: its host is whichever it runs on. */
static int write_member (plan_t *plan, const char *kind, const char *name)
{
    char host [HOST_BYTES] = "", endpoint [PLACE_BYTES], events [PLACE_BYTES];
    char *path = NULL, *store = NULL;
    if (name)
        host_of (kind, name, host);
    snprintf (endpoint, sizeof endpoint, "tcp://*:%" PRId64, plan->port);
    snprintf (events, sizeof events, "tcp://*:%" PRId64, plan->port + 1);
    if (asprintf (&path, "%s/%s.zpl", plan->folder, name ? host : kind) < 0 ||
        asprintf (&store, "%s/%s", plan->stores, name ? host : "planners") < 0)
        abort ();
    char *directories = directories_but (plan, strcmp (kind, "gis") == 0 ? name : NULL);
    configuration_t configuration = {.kind = kind,
                                     .name = name ? name : "(any)",
                                     .written_by = "musubi federation configure",
                                     .directories = directories,
                                     .administrator = plan->administrator,
                                     .endpoint = endpoint,
                                     .events = events,
                                     .host = name ? host : NULL,
                                     .trusted = true,
                                     .store = store};
    int code = write_file (plan, &configuration, path);
    if (code == EXIT_DONE)
        tell (plan, kind, host, path);
    free (directories);
    free (store);
    free (path);
    return code;
}

/*  An agent's host is called as its node, and told to nobody. */
static int write_agent (plan_t *plan, const char *site, const federation_node_t *node)
{
    char host [HOST_BYTES], endpoint [PLACE_BYTES];
    char *path = NULL, *store = NULL, *runs = NULL;
    host_of ("lis", site, host);
    snprintf (endpoint, sizeof endpoint, "tcp://%s:%" PRId64, host, plan->port);
    if (asprintf (&path, "%s/node-%s@%s.zpl", plan->folder, node->name, site) < 0 ||
        asprintf (&store, "%s/node-%s@%s", plan->stores, node->name, site) < 0 ||
        asprintf (&runs, "%s/runs-%s@%s", plan->stores, node->name, site) < 0)
        abort ();
    configuration_t configuration = {.kind = "node",
                                     .name = node->name,
                                     .written_by = "musubi federation configure",
                                     .store = store,
                                     .node = node,
                                     .site = endpoint,
                                     .runs = runs};
    int code = write_file (plan, &configuration, path);
    if (code == EXIT_DONE)
        tell (plan, "node", node->name, path);
    free (path);
    free (store);
    free (runs);
    return code;
}

static int write_agents (plan_t *plan)
{
    const char *const *sites;
    size_t sites_count = federation_sites (plan->federation, &sites);
    for (size_t i = 0; i < sites_count; i++) {
        const federation_node_t *nodes;
        size_t count = federation_nodes (plan->federation, sites [i], &nodes);
        for (size_t k = 0; k < count; k++) {
            int code = write_agent (plan, sites [i], &nodes [k]);
            if (code != EXIT_DONE)
                return code;
        }
    }
    return EXIT_DONE;
}

static int write_members (plan_t *plan)
{
    const char *const *names;
    for (size_t k = 0; k < KINDS; k++) {
        size_t count = kinds [k].names (plan->federation, &names);
        if (!hosts_differ (names, count, kinds [k].kind))
            return EXIT_USAGE;
    }
    for (size_t k = 0; k < KINDS; k++) {
        size_t count = kinds [k].names (plan->federation, &names);
        for (size_t i = 0; i < count; i++) {
            int code = write_member (plan, kinds [k].kind, names [i]);
            if (code != EXIT_DONE)
                return code;
        }
    }
    int code = write_member (plan, "planner", NULL);
    return code == EXIT_DONE ? write_agents (plan) : code;
}

static int configure (const cli_t *cli, plan_t *plan)
{
    static const char *const headings [] = {"SERVICE", "HOST", "ENDPOINT", "FILE"};
    if (mkdir (plan->folder, 0755) != 0 && errno != EEXIST)
        return cli_fail (EXIT_REFUSED, "%s: can't be made: %s", plan->folder, strerror (errno));
    plan->administrator = places_actor (cli);
    plan->table = table_new (headings, 4);
    plan->members = json_array ();
    int code = write_members (plan);
    char *gis = directories_but (plan, NULL);
    if (code == EXIT_DONE && cli->json) {
        cli_print_json (json_pack ("{s:s, s:O}", "gis", gis, "members", plan->members));
    } else if (code == EXIT_DONE) {
        table_print (plan->table, stdout);
        printf ("export MUSUBI_GIS=%s\n", gis);
    }
    free (gis);
    free (plan->administrator);
    table_destroy (&plan->table);
    json_decref (plan->members);
    return code;
}

int run_federation_configure (cli_t *cli)
{
    plan_t plan = {.port = PORT_PRESET, .stores = STORES_PRESET};
    bool trusted = false;
    option_t list [] = {
      {"trusted", OPTION_FLAG, &trusted, NULL, "all who can reach the members are trusted", 0, 0},
      {"port", OPTION_INTEGER, &plan.port, "N", "where members listen; hints are on the next; 5600",
       1, 65534},
      {"stores", OPTION_TEXT, &plan.stores, "DIR", "holds the stores there; " STORES_PRESET, 0, 0},
    };
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){list, sizeof list / sizeof list [0]}, 2, 2, &words, &code))
        return code;
    if (!trusted)
        return cli_fail (EXIT_USAGE,
                         "%s: members on machines of their own are reached over a network, where a "
                         "claimed name proves nothing; say --trusted if all who can reach them are "
                         "trusted",
                         cli->command->name);
    federation_t *federation = load (words.list [0]);
    if (!federation)
        return EXIT_USAGE;
    const char *open = federation_without_accounts (federation);
    plan.federation = federation;
    plan.folder = words.list [1];
    if (open)
        code = cli_fail (EXIT_USAGE,
                         "%s: sites/%s/accounts: say as which local accounts tasks run there",
                         words.list [0], open);
    else
        code = configure (cli, &plan);
    federation_destroy (&federation);
    return code;
}
