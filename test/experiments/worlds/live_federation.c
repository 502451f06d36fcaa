/*  live_federation - writes the grid as a file for `musubi up`, and runs the programs. */
#include "live_federation.h"

#include "must.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MICRO        1e6
#define FOLDER_BYTES 512
#define PATH_BYTES   (FOLDER_BYTES + 128)

struct live_federation {
    char program [512]; /* path of musubi */
    char folder [FOLDER_BYTES];
    int line; /* the guardian waits at the other end of this pipe */
    pid_t guardian;
};

/*  --- the grid as its users would write it --- */

/*  A router's name is local to its domain in that file. */
static const char *local_name (const char *vertex)
{
    const char *slash = strchr (vertex, '/');
    return slash ? slash + 1 : vertex;
}

static void write_vertices (const domain_t *network, vertex_kind_t kind, const char *key, FILE *to)
{
    const char *between = "";
    fprintf (to, "        %s = \"", key);
    for (size_t i = 0; i < network->vertices_count; i++) {
        if (network->vertices [i].kind != kind)
            continue;
        fprintf (to, "%s%s", between, local_name (network->vertices [i].name));
        between = ", ";
    }
    fputs ("\"\n", to);
}

static void write_grid (const grid_t *grid, FILE *to)
{
    fputs ("name = grid\ndirectories = g1\nsites\n", to);
    for (size_t i = 0; i < grid->sites_count; i++) {
        const node_class_t *class = grid->sites [i].classes;
        fprintf (to,
                 "    %s\n        classes\n            %s\n                nodes = %" PRIu32 "\n"
                 "                price = %g\n                attributes\n"
                 "                    os = %s\n",
                 grid->names [i], class->name, class->nodes, (double) class->price / MICRO,
                 class->attributes->value);
    }
    fputs ("domains\n    grid\n", to);
    write_vertices (&grid->network, VERTEX_SITE, "sites", to);
    write_vertices (&grid->network, VERTEX_ROUTER, "routers", to);
    fputs ("        links\n", to);
    for (size_t i = 0; i < grid->network.links_count; i++) {
        const link_t *link = &grid->network.links [i];
        fprintf (to,
                 "            %s\n                between = \"%s, %s\"\n"
                 "                mbps = %" PRIu32 "\n                latency_ms = %g\n"
                 "                price = %g\n",
                 link->name, local_name (link->ends [0]), local_name (link->ends [1]), link->mbps,
                 (double) link->latency_us / 1000, (double) link->price / MICRO);
    }
}

/*  --- programs --- */

static void path_in (const live_federation_t *self, const char *name, char path [PATH_BYTES])
{
    snprintf (path, PATH_BYTES, "%s/%s", self->folder, name);
}

/*  The last line that a program wrote. */
static void last_said (const char *path, char why [LONG_WHY_BYTES])
{
    char line [LONG_WHY_BYTES];
    FILE *from = fopen (path, "r");
    snprintf (why, LONG_WHY_BYTES, "it said nothing");
    while (from && fgets (line, sizeof line, from)) {
        line [strcspn (line, "\n")] = '\0';
        if (*line)
            snprintf (why, LONG_WHY_BYTES, "%s", line);
    }
    if (from)
        fclose (from);
}

/*  Runs musubi with these arguments; its output goes to a file. True when it ended with 0. */
static bool run (const live_federation_t *self, const char *const *arguments,
                 char why [LONG_WHY_BYTES])
{
    char *list [16] = {(char *) self->program};
    char said [PATH_BYTES];
    pid_t pid;
    int status;
    for (size_t i = 0; arguments [i]; i++)
        list [i + 1] = (char *) arguments [i];
    path_in (self, "said", said);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init (&actions);
    posix_spawn_file_actions_addopen (&actions, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2 (&actions, 1, 2);
    int error = posix_spawn (&pid, self->program, &actions, NULL, list, environ);
    posix_spawn_file_actions_destroy (&actions);
    if (error) {
        snprintf (why, LONG_WHY_BYTES, "%.400s: %s", self->program, strerror (error));
        return false;
    }
    while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
        return true;
    char line [LONG_WHY_BYTES];
    last_said (said, line);
    snprintf (why, LONG_WHY_BYTES, "musubi %s: %.400s", arguments [0], line);
    return false;
}

/*  Waits until the pipe that the parent holds is closed, then ends all. */
static bool post_guardian (live_federation_t *self)
{
    static char script [] =
      "cat >/dev/null; \"$0\" down --dir \"$1/run\" >/dev/null 2>&1; rm -rf \"$1\"";
    char *list [] = {"sh", "-c", script, self->program, self->folder, NULL};
    int ends [2];
    if (pipe2 (ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init (&actions);
    posix_spawn_file_actions_adddup2 (&actions, ends [0], 0);
    int error = posix_spawn (&self->guardian, "/bin/sh", &actions, NULL, list, environ);
    posix_spawn_file_actions_destroy (&actions);
    close (ends [0]);
    self->line = ends [1];
    if (error) {
        close (self->line);
        errno = error;
    }
    return error == 0;
}

/*  --- life --- */

static bool beside_us (char program [512])
{
    ssize_t size = readlink ("/proc/self/exe", program, 500);
    if (size <= 0)
        return false;
    program [size] = '\0';
    char *slash = strrchr (program, '/');
    snprintf (slash + 1, 512 - (size_t) (slash + 1 - program), "musubi");
    return access (program, X_OK) == 0;
}

static bool make_folder (live_federation_t *self, const grid_t *grid)
{
    char path [PATH_BYTES];
    const char *root = getenv ("TMPDIR");
    int size = snprintf (self->folder, sizeof self->folder, "%s/musubi-live.XXXXXX",
                         root && *root ? root : "/tmp");
    if ((size_t) size >= sizeof self->folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!mkdtemp (self->folder))
        return false;
    path_in (self, "grid.zpl", path);
    FILE *to = fopen (path, "w");
    if (to)
        write_grid (grid, to);
    bool good = to && !ferror (to);
    if (to)
        good = fclose (to) == 0 && good;
    if (good && post_guardian (self))
        return true;
    unlink (path);
    rmdir (self->folder);
    return false;
}

live_federation_t *live_up (const grid_t *grid, size_t planners, char why [LONG_WHY_BYTES])
{
    live_federation_t *self = must (calloc (1, sizeof *self));
    setenv ("MUSUBI_ACTOR", LIVE_ACTOR, 1);
    unsetenv ("MUSUBI_GIS");
    if (!beside_us (self->program) || !make_folder (self, grid)) {
        snprintf (why, LONG_WHY_BYTES, "%.400s: %s", *self->folder ? self->folder : self->program,
                  strerror (errno));
        free (self);
        return NULL;
    }
    char file [PATH_BYTES];
    char folder [PATH_BYTES];
    char count [24];
    path_in (self, "grid.zpl", file);
    path_in (self, "run", folder);
    snprintf (count, sizeof count, "%zu", planners);
    if (!run (self, (const char *[]){"up", file, "--dir", folder, "--planners", count, NULL}, why))
        live_down (&self);
    return self;
}

void live_down (live_federation_t **self_p)
{
    live_federation_t *self = *self_p;
    int status;
    *self_p = NULL;
    if (!self)
        return;
    close (self->line);
    while (waitpid (self->guardian, &status, 0) < 0 && errno == EINTR)
        ;
    free (self);
}

bool live_endpoint (const live_federation_t *self, const char *member,
                    char endpoint [LIVE_ENDPOINT_BYTES], char why [LONG_WHY_BYTES])
{
    char name [80];
    char path [PATH_BYTES];
    char line [LONG_WHY_BYTES] = "";
    snprintf (name, sizeof name, "run/log/%.60s.ready", member);
    path_in (self, name, path);
    FILE *from = fopen (path, "r");
    bool read = from && fgets (line, sizeof line, from) &&
                sscanf (line, "ready endpoint=%127s", endpoint) == 1;
    if (from)
        fclose (from);
    if (!read)
        snprintf (why, LONG_WHY_BYTES, "%s: does not tell where it is: %.400s", member, line);
    return read;
}

bool live_audit (const live_federation_t *self, char why [LONG_WHY_BYTES])
{
    char endpoint [LIVE_ENDPOINT_BYTES];
    return live_endpoint (self, "gis-g1", endpoint, why) &&
           run (self, (const char *[]){"--gis", endpoint, "audit", "--settle", "60s", NULL}, why);
}
