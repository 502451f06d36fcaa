/*  svc-planner - finds plans for users' requests and drives their commit. With --finish STORE it
 *  settles what a dead planner left in its store, and ends (T8).
 *
 *  It finds stores of dead planners, starts a finisher for each, and makes its arguments: this
 *  process's own and --finish STORE, so a finisher has the same settings; only its store and the
 *  addresses it binds differ. It is started with posix_spawn (never fork: this is a worker's
 *  thread), takes signals again, and ends when its starter does.
 */
#include "clock.h"
#include "coordinator.h"
#include "decision.h"
#include "host.h"
#include "must.h"
#include "pendings.h"
#include "planner_config.h"
#include "planner_limits.h"
#include "solving.h"
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_BYTES    4096
#define ARGUMENTS_MAX 256
#define STARTED_BY    "MUSUBI_FINISHER_OF" /* in a finisher's environment: its starter's pid */
#define EXIT_USAGE    2
#define CHILDREN_MAX  64

static struct {
    int argc; /* of this process: finishers are started alike */
    char **argv;
    bool finisher;
    char *pool; /* to search; NULL: none */
    uint64_t store_bytes;
    pid_t children [CHILDREN_MAX]; /* finishers that may have ended; 0 = none */
} started;

/*  Sets the pool to search, and the size of its stores. NULL: there is none. */
static void finisher_pool (const char *pool, uint64_t store_bytes)
{
    free (started.pool);
    started.pool = pool ? must (strdup (pool)) : NULL;
    started.store_bytes = store_bytes;
}

/*  --- looking --- */

static bool see_record (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    (void) sound; /* a damaged record can't be finished */
    bool *unfinished = owner;
    *unfinished = coordinator_record_unfinished (table, key, value);
    return !*unfinished;
}

/*  Has the store unfinished business? It is opened for this, which raises its start number, so it
 *  must not be open elsewhere. */
static bool store_unfinished (const char *folder)
{
    char why [WHY_BYTES];
    uint8_t id [STORE_ID_BYTES];
    store_t *store;
    bool unfinished = false;
    if (store_locked (folder) || getrandom (id, sizeof id, 0) != (ssize_t) sizeof id ||
        store_open (&store, folder, started.store_bytes, id, clock_ms (CLOCK_REALTIME), why) !=
          STORE_OK)
        return false;
    store_each (store, see_record, &unfinished);
    store_close (&store);
    return unfinished;
}

/*  --- starting --- */

static pid_t *room_for_child (void)
{
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (started.children [i] == 0)
            return &started.children [i];
    return NULL;
}

/*  Each by its own id: the host has other children, which it waits for itself. */
static void reap_finishers (void)
{
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (started.children [i] != 0 && waitpid (started.children [i], NULL, WNOHANG) != 0)
            started.children [i] = 0;
}

static int spawn (const char *program, char **arguments, char **environment)
{
    pid_t *child = room_for_child ();
    if (!child)
        return EAGAIN;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    sigset_t none;
    sigemptyset (&none);
    posix_spawnattr_init (&attributes);
    posix_spawn_file_actions_init (&files);
    posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask (&attributes, &none);
    /* Our standard output is read for "ready"; a finisher's must not mix with it. */
    posix_spawn_file_actions_addopen (&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawn (child, program, &files, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy (&files);
    posix_spawnattr_destroy (&attributes);
    if (error)
        *child = 0;
    return error;
}

static int start_finisher (const char *folder)
{
    char starter [64];
    char *arguments [ARGUMENTS_MAX + 3];
    int count = 0;
    for (; count < started.argc && count < ARGUMENTS_MAX; count++)
        arguments [count] = started.argv [count];
    arguments [count++] = "--finish";
    arguments [count++] = (char *) folder;
    arguments [count] = NULL;

    size_t variables = 0;
    while (environ [variables])
        variables++;
    char **environment = must (calloc (variables + 2, sizeof *environment));
    memcpy (environment, environ, variables * sizeof *environment);
    snprintf (starter, sizeof starter, STARTED_BY "=%ld", (long) getpid ());
    environment [variables] = starter;
    /* The program that is running, even if its file was replaced since. */
    int error = spawn ("/proc/self/exe", arguments, environment);
    free (environment);
    return error;
}

static int finisher_is_store_folder (const struct dirent *entry)
{
    return entry->d_name [0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

/*  The work "finish-stores". */
static bool finisher_run (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    (void) arguments;
    reap_finishers ();
    bool good = true;
    char *text = NULL;
    FILE *line = must (open_memstream (&text, result_size));
    struct dirent **entries = NULL;
    int count =
      started.pool ? scandir (started.pool, &entries, finisher_is_store_folder, alphasort) : 0;
    if (count < 0) {
        fprintf (line, "cannot read pool=%.200s why=\"%s\"", started.pool, strerror (errno));
        good = false;
    }
    for (int i = 0; i < count; i++) {
        char folder [PATH_BYTES];
        int length = snprintf (folder, sizeof folder, "%s/%s", started.pool, entries [i]->d_name);
        free (entries [i]);
        if (length < 0 || (size_t) length >= sizeof folder || !store_unfinished (folder))
            continue;
        int error = start_finisher (folder);
        fprintf (line, "%sstore=%.200s %s", ftell (line) > 0 ? " " : "", folder,
                 error ? strerror (error) : "finisher=started");
        good = good && !error;
    }
    free (entries);
    fclose (line);
    *result = (uint8_t *) text;
    return good;
}

/*  --- being one --- */

typedef struct {
    char *list [2 * ARGUMENTS_MAX]; /* NULL behind the last */
    int count;
} arguments_t;

static void add_argument (arguments_t *self, const char *text)
{
    if (self->count < 2 * ARGUMENTS_MAX - 1)
        self->list [self->count++] = must (strdup (text));
}

static void add_setting (arguments_t *self, const char *path, const char *value)
{
    char setting [PATH_BYTES];
    snprintf (setting, sizeof setting, "%s=%s", path, value);
    add_argument (self, "--set");
    add_argument (self, setting);
}

/*  The living planner uses its own port, so the finisher takes any free one of the same address. */
static void add_bind (arguments_t *self, const char *path, const char *endpoint, const char *store)
{
    const char *colon = strrchr (endpoint, ':');
    const char *slash = strrchr (store, '/');
    char value [PATH_BYTES - 16];
    if (strncmp (endpoint, "tcp://", 6) == 0 && colon)
        snprintf (value, sizeof value, "%.*s:0", (int) (colon - endpoint), endpoint);
    else
        snprintf (value, sizeof value, "%s-finish-%s", endpoint, slash ? slash + 1 : store);
    add_setting (self, path, value);
}

/*  Add the settings that differ: on the command line they win over the file's. */
static bool add_settings (arguments_t *self, const char *file, const char *const *settings,
                          size_t settings_count, const char *store)
{
    char why [LONG_WHY_BYTES];
    static const setting_table_t *const tables [] = {&planner_file_table, &bind_table, &store_table,
                                                     &pool_table};
    config_t *config = config_open (file, settings, settings_count, tables, 4, why);
    if (!config) {
        fprintf (stderr, "svc-planner: %s\n", why);
        return false;
    }
    const bind_settings_t *bind = config_settings (config, &bind_table);
    add_bind (self, "bind/endpoint", bind->endpoint, store);
    add_bind (self, "bind/events", bind->events, store);
    add_setting (self, "store/pool", "");
    add_setting (self, "store/folder", store);
    config_destroy (&config);
    return true;
}

/*  Was this finisher started by a planner? Then it gives way if its store is served already,
 *  because other planners start finishers for the same store. */
static bool finisher_gives_way (void)
{
    return getenv (STARTED_BY) != NULL;
}

/*  A finisher that a planner has started ends with it; one started by an operator does not. */
static void follow_starter (void)
{
    const char *starter = getenv (STARTED_BY);
    if (!starter)
        return;
    prctl (PR_SET_PDEATHSIG, SIGTERM);
    if (strtol (starter, NULL, 10) != (long) getppid ())
        raise (SIGTERM);
}

/*  The value of an option, given as "--finish STORE" or "--finish=STORE"; NULL: it is not this
 *  option. */
static const char *option_value (char **argv, int *at, const char *option)
{
    size_t length = strlen (option);
    if (strncmp (argv [*at], option, length) != 0)
        return NULL;
    if (argv [*at][length] == '=')
        return argv [*at] + length + 1;
    return argv [*at][length] == '\0' && argv [*at + 1] ? argv [++*at] : NULL;
}

/*  With --finish STORE among the arguments: the arguments with which this process becomes its
 *  finisher; else NULL. On NULL with *code not 0, the reason was printed and the process must exit
 *  with that code. Called once in a process. */
static char **finisher_arguments (int argc, char **argv, int *count, int *code)
{
    static arguments_t arguments;
    const char *file = NULL, *store = NULL, *settings [ARGUMENTS_MAX];
    size_t settings_count = 0;
    *code = 0;
    add_argument (&arguments, argv [0]);
    for (int i = 1; i < argc; i++) {
        int first = i;
        const char *value = option_value (argv, &i, "--finish");
        if (value) {
            store = value;
            continue;
        }
        if ((value = option_value (argv, &i, "-c")) ||
            (value = option_value (argv, &i, "--config")))
            file = value;
        else if (settings_count < ARGUMENTS_MAX && (value = option_value (argv, &i, "--set")))
            settings [settings_count++] = value;
        for (; first <= i; first++)
            add_argument (&arguments, argv [first]);
    }
    if (!store)
        return NULL;
    if (!add_settings (&arguments, file, settings, settings_count, store)) {
        *code = EXIT_USAGE;
        return NULL;
    }
    follow_starter ();
    *count = arguments.count;
    return arguments.list;
}

/*  --- the program --- */

static bool main_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const store_settings_t *store = config_settings (config, &store_table);
    const char *pool = ((const pool_settings_t *) config_settings (config, &pool_table))->folder;
    finisher_pool (*pool ? pool : NULL, store->bytes);
    return started.finisher ? finisher_core_from_config (config, core, why)
                            : planner_core_from_config (config, core, why);
}

static bool main_solve (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    char solver [PATH_MAX];
    solving_program (solver);
    return solving_run (solver, arguments, NULL, result, result_size);
}

int main (int argc, char **argv)
{
    static const work_kind_t works [] = {{.kind = "finish-stores", .run = finisher_run},
                                         {.kind = "solve", .run = main_solve}};
    host_program_t program = {
      .program = "svc-planner",
      .settings = &planner_file_table,
      .works = works,
      .works_count = 2,
      .workers = SOLVERS_MAX + 1, /* one starts finishers */
      .core_new = main_core_new,
      .pools = true,
      .gives_way = finisher_gives_way,
      .states = (const state_table_t *const []){&decision_states, &pending_states, NULL},
      .not_adopted =
        "a planner is known by its store's id, and under another id nobody could look up its "
        "decisions; start it with an empty store, and settle what is left with musubi txn resolve",
    };
    int code, count;
    char **arguments = finisher_arguments (argc, argv, &count, &code);
    if (code != 0)
        return code;
    started.argc = argc;
    started.argv = argv;
    started.finisher = arguments != NULL;
    code = arguments ? host_run (&program, count, arguments) : host_run (&program, argc, argv);
    finisher_pool (NULL, 0);
    return code;
}
