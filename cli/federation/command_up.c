/*  musubi up - a whole federation as processes of this machine.
 *
 *  Each federation has a folder named after it. Members, ports and settings are written there once;
 *  from then on `up` starts the members that do not run, on the same ports, and ends. Unless a
 *  folder is named, one federation runs at a time; the link "current" leads to the last one.
 */
#include "commands.h"
#include "configuration.h"
#include "folder.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *file; /* NULL = the last one, or the example */
    int64_t planners; /* 0 = as described */
    bool pids;
} up_options_t;

/*  --- the description ---  */

static bool up_write_file (const char *path, const char *text)
{
    FILE *file = output_file_open (path, false);
    if (file)
        fputs (text, file);
    return file && output_file_close (file, path) == EXIT_DONE;
}

/*  The description in a folder; NULL where there is none. */
static char *read_kept (const char *dir)
{
    size_t size;
    text_auto_t *path = must_print ("%s/federation.zpl", dir);
    return cli_read_text (path, FEDERATION_BYTES_MAX, &size);
}

/*  The description to run: the given file, else the last one, else the example. NULL after
 *  refusing. */
static federation_t *read_given (const cli_t *cli, const char *file, const char *last, char **given)
{
    char why [LONG_WHY_BYTES];
    if (!file)
        *given =
          must (last ? strdup (last) : strndup (federation_example, federation_example_size));
    federation_t *federation = file
                                 ? federation_load (file, given, why)
                                 : federation_read ("federation.zpl", *given, strlen (*given), why);
    if (federation)
        federation_warn (federation, cli);
    else
        cli_fail (EXIT_USAGE, "%s", why);
    return federation;
}

/*  The folder named after the federation, unless another one runs. NULL after refusing, with *code.
 */
static char *own_dir (const federation_t *federation, const char *file, const char *last, int *code)
{
    char why [LONG_WHY_BYTES];
    char path [LONG_WHY_BYTES];
    folder_t folder = {.lock = -1};
    const char *name = federation_name (federation);
    bool good = false;
    if (!name)
        *code = cli_fail (EXIT_USAGE,
                          "%s: name: the folder is named after it, so use letters, digits and . _ "
                          "-; or choose a folder with --dir",
                          file);
    else if (last && !folder_open (&folder, last, false, why))
        *code = cli_fail (EXIT_REFUSED, "%s", why);
    else if (launch_running (&folder) > 0)
        *code = cli_fail (EXIT_REFUSED,
                          "another federation runs in %s; stop it with `musubi down`, or choose a "
                          "folder for this one with --dir",
                          folder.path);
    else
        good = snprintf (path, sizeof path, "federations/%s", name) > 0;
    folder_close (&folder);
    return good ? cli_state_file (path) : NULL;
}

/*  Makes this the folder of commands that name none. */
static bool make_current (const folder_t *folder)
{
    text_auto_t *path = cli_state_file ("current");
    text_auto_t *fresh = cli_state_file ("current.new");
    unlink (fresh);
    bool made = symlink (folder->path, fresh) == 0 && rename (fresh, path) == 0;
    if (!made)
        cli_fail (EXIT_REFUSED, "%s: can't be created: %s", path, strerror (errno));
    return made;
}

/*  --- preparing the folder ---  */

static void add_members (folder_t *folder, const federation_t *federation, const char *kind)
{
    const char *const *names;
    size_t count = federation_names (federation, kind, &names);
    for (size_t i = 0; i < count; i++)
        folder_add (folder, kind, names [i]);
}

/*  "thin-001@amsterdam", "disk-1@amsterdam" */
static void add_agent (folder_t *folder, const char *kind, const char *node, const char *site)
{
    char name [sizeof folder->members->name];
    snprintf (name, sizeof name, "%s@%s", node, site);
    folder_add (folder, kind, name);
}

static void up_add_nodes (folder_t *folder, const federation_t *federation, const char *site)
{
    const federation_node_t *nodes;
    size_t count = federation_nodes (federation, site, &nodes);
    for (size_t i = 0; i < count; i++)
        add_agent (folder, *nodes [i].class_name ? "node" : "batch", nodes [i].name, site);
}

/*  A site with storage nodes has a svc-replica, too. */
static void add_storage (folder_t *folder, const federation_t *federation, const char *site)
{
    const char *const *nodes;
    size_t count = federation_storage (federation, site, &nodes);
    if (count > 0)
        folder_add (folder, "replica", site);
    for (size_t i = 0; i < count; i++)
        add_agent (folder, "storage", nodes [i], site);
}

static void add_all (folder_t *folder, const federation_t *federation)
{
    static const char *const services [] = {"gis", "lis", "nis", "balancer"};
    const char *const *sites;
    size_t count = federation_names (federation, "lis", &sites);
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        add_members (folder, federation, services [i]);
    for (size_t i = 0; i < count; i++)
        up_add_nodes (folder, federation, sites [i]);
    add_members (folder, federation, "index");
    for (size_t i = 0; i < count; i++)
        add_storage (folder, federation, sites [i]);
}

static bool plan_members (folder_t *folder, const federation_t *federation, size_t planners)
{
    if (folder->members_count == 0)
        add_all (folder, federation);
    for (size_t number = folder_count (folder, "planner") + 1; number <= planners; number++) {
        char name [24];
        snprintf (name, sizeof name, "%zu", number);
        folder_add (folder, "planner", name);
    }
    if (folder->full)
        cli_fail (EXIT_REFUSED,
                  "no loopback port is free, or the federation has more than %d members",
                  MEMBERS_MAX);
    return !folder->full;
}

/*  The service of an agent's site: "lis" or "replica". */
static const folder_process_t *served_by (const folder_t *folder, const folder_process_t *agent,
                                          const char *kind)
{
    const char *at = strchr (agent->name, '@');
    return at ? folder_find (folder, kind, at + 1) : NULL;
}

static const federation_node_t *node_of (const federation_t *federation,
                                         const folder_process_t *agent, const char *site)
{
    const federation_node_t *nodes;
    size_t length = strcspn (agent->name, "@");
    size_t count = federation_nodes (federation, site, &nodes);
    for (size_t i = 0; i < count; i++)
        if (strlen (nodes [i].name) == length && strncmp (nodes [i].name, agent->name, length) == 0)
            return &nodes [i];
    return NULL;
}

/*  All are on this machine: the site's nodes share its storage nodes in turn. NULL = it has
 *  none. */
static const folder_process_t *storage_beside (const folder_t *folder,
                                               const federation_t *federation,
                                               const federation_node_t *node, const char *site)
{
    const federation_node_t *nodes;
    const char *const *names;
    size_t count = federation_storage (federation, site, &names);
    if (!node || count == 0)
        return NULL;
    federation_nodes (federation, site, &nodes);
    text_auto_t *name = must_print ("%s@%s", names [(size_t) (node - nodes) % count], site);
    return folder_find (folder, "storage", name);
}

/*  The account of tasks. Nothing runs as root. */
static const char *own_account (void)
{
    const struct passwd *entry = geteuid () != 0 ? getpwuid (geteuid ()) : NULL;
    return entry ? entry->pw_name : "nobody";
}

/*  Whoever starts a federation is its administrator and may see all its records. */
static void up_write_member (const folder_t *folder, const federation_t *federation,
                             const folder_process_t *member, const char *administrator, FILE *file)
{
    bool planner = strcmp (member->kind, "planner") == 0;
    text_auto_t *directories =
      folder_directories (folder, strcmp (member->kind, "gis") == 0 ? member : NULL);
    text_auto_t *store = planner ? folder_file (folder, "store/planners")
                                 : folder_member_file (folder, member, "store/", "");
    bool node = strcmp (member->kind, "node") == 0 || strcmp (member->kind, "batch") == 0;
    bool storage = strcmp (member->kind, "storage") == 0;
    text_auto_t *kept = folder_member_file (folder, member, node ? "runs/" : "files/", "");
    configuration_t configuration = {.kind = member->kind,
                                     .name = member->name,
                                     .written_by = "musubi up",
                                     .directories = directories,
                                     .administrator = administrator,
                                     .account = own_account (),
                                     .endpoint = member->endpoint,
                                     .events = member->events,
                                     .store = store};
    const folder_process_t *site = node      ? served_by (folder, member, "lis")
                                   : storage ? served_by (folder, member, "replica")
                                             : NULL;
    if (site) {
        configuration.site = site->endpoint;
        configuration.kept = kept;
        configuration.node = node ? node_of (federation, member, site->name) : NULL;
        configuration.bytes = storage ? federation_storage_bytes (federation, site->name) : 0;
    }
    const folder_process_t *beside =
      site ? storage_beside (folder, federation, configuration.node, site->name) : NULL;
    text_auto_t *files = beside ? folder_member_file (folder, beside, "files/", "") : NULL;
    configuration.storage = beside ? beside->name : NULL;
    configuration.arrivals = files;
    configuration_write (&configuration, federation, file);
    if (strcmp (member->kind, "gis") == 0)
        fputs ("recall\n    wait = \"0s\"\n", file); /* it begins: nobody has promised anything */
}

/*  Settings that exist already are the user's. */
static bool write_configuration (const folder_t *folder, const federation_t *federation,
                                 const folder_process_t *member, const char *administrator)
{
    text_auto_t *path = folder_member_file (folder, member, "", ".zpl");
    if (access (path, F_OK) == 0)
        return true;
    FILE *file = output_file_open (path, false);
    if (file)
        up_write_member (folder, federation, member, administrator, file);
    return file && output_file_close (file, path) == EXIT_DONE;
}

static bool make_folders (const folder_t *folder)
{
    static const char *const names [] = {"store", "store/planners", "log", "runs", "files"};
    for (size_t i = 0; i < sizeof names / sizeof names [0]; i++) {
        text_auto_t *path = folder_file (folder, names [i]);
        bool made = mkdir (path, 0755) == 0 || errno == EEXIST;
        if (!made)
            return cli_refuse ("%s: can't be created: %s", path, strerror (errno));
    }
    return true;
}

static bool save (const folder_t *folder)
{
    if (folder_save (folder))
        return true;
    return cli_refuse ("%s: can't be written: %s", folder->path, strerror (errno));
}

/*  Writes everything that the members need on disk. */
static bool prepare (const cli_t *cli, folder_t *folder, const federation_t *federation,
                     const char *description, size_t planners)
{
    if (!make_folders (folder) || !plan_members (folder, federation, planners))
        return false;
    text_auto_t *kept = folder_file (folder, "federation.zpl");
    bool good = access (kept, F_OK) == 0 || up_write_file (kept, description);
    text_auto_t *administrator = endpoints_actor (cli);
    for (size_t i = 0; i < folder->members_count && good; i++)
        good = write_configuration (folder, federation, &folder->members [i], administrator);
    return good && save (folder);
}

/*  --- telling ---  */

static void print_running (const cli_t *cli, const folder_t *folder, size_t started)
{
    static const form_row_t columns [] = {{"SERVICE", "kind", .kind = FORM_TEXT},
                                          {"NAME", "name", .kind = FORM_TEXT},
                                          {">PID", "pid", .kind = FORM_NUMBER},
                                          {"ENDPOINT", "endpoint", .kind = FORM_TEXT},
                                          {0}};
    json_auto_t *members = folder_members (folder, false);
    text_auto_t *gis = folder_directories (folder, NULL);
    if (!cli_json (cli, json_pack ("{s:s, s:s, s:I, s:O}", "dir", folder->path, "gis", gis,
                                   "started", (json_int_t) started, "members", members))) {
        table_print_forms (columns, members, stdout);
        printf ("%zu started, %zu running; logs in %s/log\nexport MUSUBI_GIS=%s\n", started,
                launch_running (folder), folder->path, gis);
    }
}

/*  Prints "PID KIND/NAME" for each member that runs. */
static int print_pids (const folder_t *folder)
{
    for (size_t i = 0; i < folder->members_count; i++)
        if (process_lives (&folder->members [i].process))
            printf ("%ld %s/%s\n", (long) folder->members [i].process.pid, folder->members [i].kind,
                    folder->members [i].name);
    return EXIT_DONE;
}

static bool write_gis (const folder_t *folder)
{
    text_auto_t *path = folder_file (folder, "gis");
    text_auto_t *gis = folder_directories (folder, NULL);
    text_auto_t *line = must_print ("%s\n", gis);
    return up_write_file (path, line);
}

static int up_start (const cli_t *cli, folder_t *folder)
{
    size_t started;
    bool launched = launch_missing (folder, &started);
    if (!save (folder) || !launched || !write_gis (folder))
        return EXIT_REFUSED;
    if (!launch_meet (cli, folder))
        return EXIT_UNKNOWN;
    print_running (cli, folder, started);
    return EXIT_DONE;
}

/*  The number of planners to run; 0 after refusing. */
static size_t choose_planners (const folder_t *folder, const federation_t *federation,
                               const up_options_t *options)
{
    size_t have = folder_count (folder, "planner");
    size_t wanted = options->planners ? (size_t) options->planners
                    : have            ? have
                                      : federation_planners (federation);
    if (wanted >= have)
        return wanted;
    cli_fail (
      EXIT_USAGE,
      "%s has %zu planners already, and fewer would leave stores behind; give no lower --planners",
      folder->path, have);
    return 0;
}

static int up (const cli_t *cli, folder_t *folder, const up_options_t *options,
               const federation_t *federation, const char *given)
{
    text_auto_t *kept = read_kept (folder->path);
    if (kept && strcmp (given, kept) != 0)
        return cli_fail (EXIT_USAGE,
                         "%s holds a federation that differs from %s; give this one another name "
                         "or another --dir, or remove that folder",
                         folder->path, options->file ? options->file : "the example");
    size_t planners = choose_planners (folder, federation, options);
    if (planners == 0)
        return EXIT_USAGE;
    if (planners == folder_count (folder, "planner") &&
        launch_running (folder) == folder->members_count)
        return cli_fail (EXIT_REFUSED,
                         "already running in %s with %zu processes; stop them with `musubi down`",
                         folder->path, folder->members_count);
    return (cli->dir || make_current (folder)) && prepare (cli, folder, federation, given, planners)
             ? up_start (cli, folder)
             : EXIT_REFUSED;
}

/*  Starts it in the folder that is named; else in that of the last federation, when it is the same
 *  one; else in its own. */
static int choose_and_up (const cli_t *cli, const up_options_t *options)
{
    int code = EXIT_USAGE;
    char why [LONG_WHY_BYTES];
    folder_t folder = {.lock = -1};
    text_auto_t *dir = cli_federation_dir (cli);
    text_auto_t *last = read_kept (dir);
    char *given = NULL;
    federation_auto_t *federation = read_given (cli, options->file, last, &given);
    if (federation && !cli->dir && !(last && strcmp (given, last) == 0)) {
        char *own = own_dir (federation, options->file, last ? dir : NULL, &code);
        free (dir);
        dir = own;
    }
    if (federation && dir)
        code = folder_open (&folder, dir, true, why) ? up (cli, &folder, options, federation, given)
                                                     : cli_fail (EXIT_REFUSED, "%s", why);
    folder_close (&folder);
    free (given);
    return code;
}

int run_up (cli_t *cli)
{
    up_options_t options = {0};
    cli_option_t list [] = {
      INTEGER_OPTION ("planners", &options.planners, "N", "number of planners", 1,
                      FEDERATION_PLANNERS_MAX),
      FLAG_OPTION ("pids", &options.pids, "only list the running processes, as PID KIND/NAME"),
      {0}};
    int code;
    char why [LONG_WHY_BYTES];
    if (!cli_parse (cli, list, 0, 1, &code))
        return code;
    umask (066); /* tasks pass through folders to their own; all else is private */
    options.file = cli->words [0];
    if (!options.pids)
        return choose_and_up (cli, &options);
    text_auto_t *dir = cli_federation_dir (cli);
    folder_t folder;
    code = folder_open (&folder, dir, false, why) ? print_pids (&folder)
                                                  : cli_fail (EXIT_REFUSED, "%s", why);
    folder_close (&folder);
    return code;
}
