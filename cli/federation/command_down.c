/*  musubi down - ends what `up` started: planners first, so that nothing new begins; the runs on
 *  the nodes after the agents, so that no agent begins more.
 *
 *  Stores and settings stay: `up` on the same folder goes on from them.
 */
#include "commands.h"
#include "folder.h"

#include <unistd.h>

#define STRAGGLERS_MAX 64
#define RUNS_END_MS                                                                                \
    25000 /* a starter gives its run 10 s, and then 10 s to what the run leaves behind */

/*  Ends the members of a kind; returns how many ran, and counts those that had to be killed. */
static size_t end_kind (const folder_t *folder, const char *kind, size_t *killed)
{
    process_t list [MEMBERS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < folder->members_count; i++)
        if (strcmp (folder->members [i].kind, kind) == 0 &&
            process_lives (&folder->members [i].process))
            list [count++] = folder->members [i].process;
    *killed += process_end (list, count, LAUNCH_END_MS);
    return count;
}

/*  Ends what else is left, such as helpers that a planner started for a dead planner's store. */
static size_t end_stragglers (const folder_t *folder, size_t *killed)
{
    process_t leaders [MEMBERS_MAX];
    process_t found [STRAGGLERS_MAX];
    for (size_t i = 0; i < folder->members_count; i++)
        leaders [i] = folder->members [i].process;
    size_t count = process_stragglers (leaders, folder->members_count, found, STRAGGLERS_MAX);
    *killed += process_end (found, count, LAUNCH_END_MS);
    return count;
}

/*  Ends the runs, which outlive their agents. Each has the time that its starter gives it. */
static size_t end_runs (const folder_t *folder, size_t *killed)
{
    process_t found [STRAGGLERS_MAX];
    text_auto_t *runs = folder_file (folder, "runs/");
    size_t ended = 0;
    for (size_t count; (count = process_starters (runs, found, STRAGGLERS_MAX)) > 0;
         ended += count) {
        size_t stubborn = process_end (found, count, RUNS_END_MS);
        *killed += stubborn;
        if (stubborn > 0 && process_starters (runs, found, STRAGGLERS_MAX) >= count)
            break;
    }
    return ended;
}

static int down (const cli_t *cli, folder_t *folder)
{
    static const char *const kinds [] = {"planner", "balancer", "lis", "node", "nis", "gis"};
    size_t ended = 0;
    size_t killed = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds [0]; k++)
        ended += end_kind (folder, kinds [k], &killed);
    ended += end_runs (folder, &killed);
    ended += end_stragglers (folder, &killed);
    size_t left = launch_running (folder);
    for (size_t i = 0; i < folder->members_count && left == 0; i++)
        folder->members [i].process = (process_t){0};
    text_auto_t *gis = folder_file (folder, "gis");
    unlink (gis);
    if (!folder_save (folder) || left > 0)
        return cli_fail (EXIT_REFUSED, "%zu processes of the federation in %s still run", left,
                         folder->path);
    if (cli->json)
        cli_print_json (json_pack ("{s:s, s:I, s:I}", "dir", folder->path, "ended",
                                   (json_int_t) ended, "killed", (json_int_t) killed));
    else if (ended == 0)
        printf ("nothing was running in %s\n", folder->path);
    else if (killed == 0)
        printf ("%zu processes ended in %s\n", ended, folder->path);
    else
        printf ("%zu processes ended in %s, %zu of them killed after %d s\n", ended, folder->path,
                killed, LAUNCH_END_MS / 1000);
    return EXIT_DONE;
}

int run_down (cli_t *cli)
{
    int code;
    char why [LONG_WHY_BYTES];
    if (!cli_parse (cli, NULL, 0, 0, &code))
        return code;
    text_auto_t *dir = cli_federation_dir (cli);
    folder_t folder;
    if (!folder_open (&folder, dir, false, why))
        code = cli_fail (EXIT_REFUSED, "%s", why);
    else if (folder.members_count == 0)
        code = cli_fail (EXIT_REFUSED, "there is no federation in %s", folder.path);
    else
        code = down (cli, &folder);
    folder_close (&folder);
    return code;
}
