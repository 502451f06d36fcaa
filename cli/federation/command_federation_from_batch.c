/*  musubi federation from-slurm, from-gridengine - a federation of one site over the batch system that
 *  runs here. What that has is for svc-lis to say, which knows it (svc-lis/batch/batch_describe.c). */
#include "commands.h"
#include "federation.h"
#include "must.h"
#include "process.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

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

int run_federation_from_batch (cli_t *cli)
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
