/*  musubi federation - descriptions of federations: settings for members on machines or in
 *  containers of their own.
 *
 *  Each member has a host named after it, "lis-kyoto", and all listen on the same ports. Planners
 *  share one file, so that any number of them can be started from it; each tells others the name of
 *  the host that it runs on. Agents of nodes dial out, and listen on loopback only. No file is
 *  overwritten.
 */
#include "commands.h"
#include "configuration.h"
#include "process.h"

#include <ctype.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define HOST_BYTES    144
#define PLACE_BYTES   176
#define STORAGE_BYTES 130 /* name of a storage node with its site */
#define PORT_PRESET   5600
#define STORES_PRESET "/var/lib/musubi"

typedef struct {
    const char *folder;
    const char *stores;
    int64_t port; /* of requests; notices use the next one, bytes of files the one after */
    const federation_t *federation;
    char *administrator;
    json_t *members;
} federation_configure_plan_t;

static const char *const kinds [] = {"gis", "lis", "nis", "balancer", "index"};

#define KINDS (sizeof kinds / sizeof kinds [0])

/*  "lis-kyoto"; hosts have no capitals. */
static void federation_configure_host_of (const char *kind, const char *name,
                                          char host [HOST_BYTES])
{
    snprintf (host, HOST_BYTES, "%s-%s", kind, name);
    for (char *at = host; *at; at++)
        *at = (char) tolower ((unsigned char) *at);
}

/*  "disk-1.kyoto"; its host is "storage-disk-1.kyoto", which others dial. */
static void storage_name (const char *node, const char *site, char name [STORAGE_BYTES])
{
    snprintf (name, STORAGE_BYTES, "%.64s.%.64s", node, site);
}

/*  Notes the host of a member; false after refusing a host that another member has. */
static bool host_free (json_t *hosts, const char *kind, const char *name)
{
    char host [HOST_BYTES];
    federation_configure_host_of (kind, name, host);
    const char *other = json_string_value (json_object_get (hosts, host));
    if (other)
        cli_fail (EXIT_USAGE,
                  "%s/%s and %s/%s would have the same host name, as host names have no capitals: "
                  "rename one",
                  kind, other, kind, name);
    else
        take (hosts, host, json_string (name));
    return !other;
}

static bool hosts_differ (const federation_t *federation)
{
    json_auto_t *hosts = made (json_object ());
    const char *const *names, *const *nodes;
    bool differ = true;
    for (size_t k = 0; k < KINDS; k++) {
        size_t count = federation_names (federation, kinds [k], &names);
        for (size_t i = 0; i < count && differ; i++)
            differ = host_free (hosts, kinds [k], names [i]);
    }
    size_t sites = federation_names (federation, "lis", &names);
    for (size_t i = 0; i < sites; i++) {
        size_t count = federation_storage (federation, names [i], &nodes);
        for (size_t n = 0; n < count && differ; n++) {
            char name [STORAGE_BYTES];
            storage_name (nodes [n], names [i], name);
            differ = host_free (hosts, "storage", name);
        }
    }
    return differ;
}

/*  Endpoints of the directories except one, separated by commas. Malloc'ed. */
static char *directories_but (const federation_configure_plan_t *plan, const char *but)
{
    const char *const *names;
    size_t count = federation_names (plan->federation, "gis", &names);
    size_t size;
    char *text = NULL;
    FILE *to = must (open_memstream (&text, &size));
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        char host [HOST_BYTES];
        if (but && strcmp (names [i], but) == 0)
            continue;
        federation_configure_host_of ("gis", names [i], host);
        fprintf (to, "%stcp://%s:%" PRId64, any ? "," : "", host, plan->port);
        any = true;
    }
    if (fclose (to) != 0)
        abort ();
    return text;
}

static void federation_configure_tell (const federation_configure_plan_t *plan, const char *kind,
                                       const char *host, const char *endpoint, const char *file)
{
    json_array_append_new (plan->members, json_pack ("{s:s, s:s, s:s, s:s}", "kind", kind, "host",
                                                     host, "endpoint", endpoint, "file", file));
}

/*  Writes one file; returns an exit code. */
static int federation_configure_write_file (const federation_configure_plan_t *plan,
                                            const configuration_t *configuration, const char *path)
{
    FILE *file = output_file_open (path, true);
    if (!file)
        return EXIT_USAGE;
    configuration_write (configuration, plan->federation, file);
    return output_file_close (file, path);
}

/*  A planner has no name of its own: it runs on any host. */
static int federation_configure_write_member (federation_configure_plan_t *plan, const char *kind,
                                              const char *name)
{
    char host [HOST_BYTES] = "", endpoint [PLACE_BYTES], events [PLACE_BYTES];
    if (name)
        federation_configure_host_of (kind, name, host);
    snprintf (endpoint, sizeof endpoint, "tcp://*:%" PRId64, plan->port);
    snprintf (events, sizeof events, "tcp://*:%" PRId64, plan->port + 1);
    text_auto_t *path = must_print ("%s/%s.zpl", plan->folder, name ? host : kind);
    text_auto_t *store = must_print ("%s/%s", plan->stores, name ? host : "planners");
    text_auto_t *directories = directories_but (plan, strcmp (kind, "gis") == 0 ? name : NULL);
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
    int code = federation_configure_write_file (plan, &configuration, path);
    snprintf (endpoint, sizeof endpoint, "tcp://%s:%" PRId64, name ? host : "*", plan->port);
    if (code == EXIT_DONE)
        federation_configure_tell (plan, kind, host, endpoint, path);
    return code;
}

/*  A storage node of the same name as a node is on the same machine. */
static bool has_storage (const federation_t *federation, const char *site, const char *node)
{
    const char *const *names;
    size_t count = federation_storage (federation, site, &names);
    for (size_t i = 0; i < count; i++)
        if (strcmp (names [i], node) == 0)
            return true;
    return false;
}

/*  Writes the settings of an agent. A storage node (node NULL) tells others its host and the port
 *  of its files; an agent of a node that runs tasks only dials out. */
static int write_agent (federation_configure_plan_t *plan, const char *site, const char *name,
                        const federation_node_t *node)
{
    const char *kind = !node ? "storage" : *node->class_name ? "node" : "batch";
    char of_storage [STORAGE_BYTES], host [HOST_BYTES], above [HOST_BYTES];
    char endpoint [PLACE_BYTES], data [PLACE_BYTES];
    storage_name (name, site, of_storage);
    federation_configure_host_of ("storage", of_storage, host);
    federation_configure_host_of (node ? "lis" : "replica", site, above);
    snprintf (endpoint, sizeof endpoint, "tcp://%s:%" PRId64, above, plan->port);
    snprintf (data, sizeof data, "tcp://*:%" PRId64, plan->port + 2);
    text_auto_t *path = must_print ("%s/%s-%s@%s.zpl", plan->folder, kind, name, site);
    text_auto_t *store = must_print ("%s/%s-%s@%s", plan->stores, kind, name, site);
    text_auto_t *kept =
      must_print ("%s/%s-%s@%s", plan->stores, node ? "runs" : "files", name, site);
    configuration_t configuration = {.kind = kind,
                                     .name = name,
                                     .written_by = "musubi federation configure",
                                     .store = store,
                                     .site = endpoint,
                                     .node = node,
                                     .kept = kept};
    text_auto_t *files = must_print ("%s/files-%s@%s", plan->stores, name, site);
    if (node && has_storage (plan->federation, site, name)) {
        configuration.storage = name;
        configuration.arrivals = files;
    }
    if (!node) {
        configuration.bytes = federation_storage_bytes (plan->federation, site);
        configuration.data = data;
        configuration.host = host;
        configuration.trusted = true;
    }
    int code = federation_configure_write_file (plan, &configuration, path);
    snprintf (data, sizeof data, "tcp://%s:%" PRId64, host, plan->port + 2);
    if (code == EXIT_DONE)
        federation_configure_tell (plan, kind, node ? name : host, node ? "" : data, path);
    return code;
}

static int write_agents (federation_configure_plan_t *plan, const char *site)
{
    const federation_node_t *nodes;
    size_t count = federation_nodes (plan->federation, site, &nodes);
    const char *const *storage;
    size_t storage_count = federation_storage (plan->federation, site, &storage);
    int code = EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; i++)
        code = write_agent (plan, site, nodes [i].name, &nodes [i]);
    for (size_t i = 0; i < storage_count && code == EXIT_DONE; i++)
        code = write_agent (plan, site, storage [i], NULL);
    return code;
}

/*  One kind of service; replicas where a site keeps files. */
static int write_kind (federation_configure_plan_t *plan, const char *kind)
{
    bool replica = strcmp (kind, "replica") == 0;
    const char *const *names, *const *nodes;
    size_t count = federation_names (plan->federation, replica ? "lis" : kind, &names);
    int code = EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; i++)
        if (!replica || federation_storage (plan->federation, names [i], &nodes) > 0)
            code = federation_configure_write_member (plan, kind, names [i]);
    return code;
}

static int write_members (federation_configure_plan_t *plan)
{
    const char *const *names;
    if (!hosts_differ (plan->federation))
        return EXIT_USAGE;
    int code = EXIT_DONE;
    for (size_t k = 0; k < KINDS && code == EXIT_DONE; k++)
        code = write_kind (plan, kinds [k]);
    if (code == EXIT_DONE)
        code = write_kind (plan, "replica");
    if (code == EXIT_DONE)
        code = federation_configure_write_member (plan, "planner", NULL);
    size_t sites = federation_names (plan->federation, "lis", &names);
    for (size_t i = 0; i < sites && code == EXIT_DONE; i++)
        code = write_agents (plan, names [i]);
    return code;
}

static int configure (const cli_t *cli, federation_configure_plan_t *plan)
{
    static const form_row_t columns [] = {{"SERVICE", "kind", .kind = FORM_TEXT},
                                          {"HOST", "host", .kind = FORM_TEXT},
                                          {"ENDPOINT", "endpoint", .kind = FORM_TEXT},
                                          {"FILE", "file", .kind = FORM_TEXT},
                                          {0}};
    umask (077);
    if (mkdir (plan->folder, 0755) != 0 && errno != EEXIST)
        return cli_fail (EXIT_REFUSED, "%s: can't be created: %s", plan->folder, strerror (errno));
    plan->administrator = endpoints_actor (cli);
    plan->members = json_array ();
    int code = write_members (plan);
    text_auto_t *gis = directories_but (plan, NULL);
    if (code == EXIT_DONE &&
        !cli_json (cli, json_pack ("{s:s, s:O}", "gis", gis, "members", plan->members))) {
        table_print_forms (columns, plan->members, stdout);
        printf ("export MUSUBI_GIS=%s\n", gis);
    }
    free (plan->administrator);
    json_decref (plan->members);
    return code;
}

static int run_configure (cli_t *cli)
{
    federation_configure_plan_t plan = {.port = PORT_PRESET, .stores = STORES_PRESET};
    bool trusted = false;
    cli_option_t list [] = {
      FLAG_OPTION ("trusted", &trusted,
                   "confirms that everyone who can reach the members is trusted"),
      INTEGER_OPTION (
        "port", &plan.port, "N",
        "port of requests; notices use the next one, bytes of files the one after; default 5600", 1,
        65533),
      TEXT_OPTION ("stores", &plan.stores, "DIR",
                   "folder of the stores on each machine; default " STORES_PRESET),
      {0}};
    int code;
    if (!cli_parse (cli, list, 2, 2, &code))
        return code;
    if (!trusted)
        return cli_fail (EXIT_USAGE,
                         "%s: these members are reached over a network, where a claimed name "
                         "proves nothing; add --trusted if everyone who can reach them is trusted",
                         cli->command->name);
    char why [LONG_WHY_BYTES];
    text_auto_t *text = NULL;
    federation_auto_t *federation = federation_load (cli->words [0], &text, why);
    if (!federation)
        return cli_fail (EXIT_USAGE, "%s", why);
    federation_warn (federation, cli);
    text_auto_t *open = federation_without_accounts (federation);
    if (open)
        return cli_fail (EXIT_USAGE,
                         "%s: %s: name the local accounts, as which tasks run, and the actors that "
                         "have them (\"*\" = anybody), in two lines:\n"
                         "        accounts\n            LOCAL = \"alice, bob\"",
                         cli->words [0], open);
    plan.federation = federation;
    plan.folder = cli->words [1];
    return configure (cli, &plan);
}

/*  --- from-slurm, from-gridengine: a federation of one site over the batch system that runs here.
 *  What that has is for svc-lis to say, which knows it (svc-lis/batch/batch_describe.c) --- */

/*  Returns the exit code of svc-lis; text is what it has described, notes what else it says. */
static int from_batch_ask (const char *system, const char *queue, const char *site, FILE *text,
                           FILE *notes)
{
    char program [PROGRAM_BYTES], describe [] = "describe", out [64], log [64];
    process_t process;
    int status = 0;
    snprintf (out, sizeof out, "/proc/self/fd/%d", fileno (text));
    snprintf (log, sizeof log, "/proc/self/fd/%d", fileno (notes));
    char *const arguments [] = {program,        describe,      (char *) system,
                                (char *) queue, (char *) site, NULL};
    if (!process_beside ("svc-lis", program) ||
        !process_start (&process, program, arguments, out, log) ||
        waitpid (process.pid, &status, 0) < 0)
        return cli_fail (EXIT_UNKNOWN, "svc-lis, which asks %s, can't be started: %s", system,
                         strerror (errno));
    return WIFEXITED (status) ? WEXITSTATUS (status) : EXIT_UNKNOWN;
}

static int run_from_batch (cli_t *cli)
{
    const char *system = strrchr (cli->command->name, '-') + 1;
    const char *queue = NULL, *site = system, *out = "-";
    static char read [FEDERATION_BYTES_MAX];
    char line [LONG_WHY_BYTES];
    cli_option_t list [] = {
      TEXT_OPTION ("queue", &queue, "Q", "the partition, or the queue, that is the site's; needed"),
      TEXT_OPTION ("name", &site, "NAME", "of the site; that of the batch system unless given"),
      TEXT_OPTION ("out", &out, "FILE", "write to this file instead of standard output"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 0, 0, &code))
        return code;
    if (!queue)
        return cli_fail (EXIT_USAGE, "%s: say --queue Q, the partition or queue that is the site's",
                         cli->command->name);
    file_auto_t *text = tmpfile ();
    file_auto_t *notes = tmpfile ();
    if (!text || !notes)
        return cli_fail (EXIT_UNKNOWN, "no temporary file can be made: %s", strerror (errno));
    code = from_batch_ask (system, queue, site, text, notes);
    while (fgets (line, sizeof line, notes))
        fprintf (stderr, "%s: %s", cli->command->name, line);
    size_t size = fread (read, 1, sizeof read, text);
    return code == EXIT_DONE ? federation_save (read, size, out) : code;
}

/*  --- the commands --- */

#define FROM_BATCH "--queue QUEUE [--name SITE] [--out FILE]"

int run_federation (cli_t *cli)
{
    const cli_command_t commands [] = {
      {"federation configure", "FILE.zpl DIR --trusted [--port N] [--stores DIR]",
       "Write a file of settings for each member, where members have machines or containers of "
       "their own.",
       run_configure},
      {"federation from-slurm", FROM_BATCH, "Describe the Slurm that runs here as a site.",
       run_from_batch},
      {"federation from-gridengine", FROM_BATCH, "Describe the Grid Engine here as a site.",
       run_from_batch},
      *tools_command ("federation from-graphml"),
    };
    return cli_run_own (cli, commands, sizeof commands / sizeof commands [0]);
}
