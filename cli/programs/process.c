/*  process - spawns processes, and reads /proc; has the texts of the commands of musubi-tools. */
#include "process.h"

#include "must.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS       10
#define CMDLINE_BYTES 8192

/*  The fields of /proc/PID/stat that matter here. */
typedef struct {
    char state;
    pid_t session;
    uint64_t started;
} stat_t;

static bool read_stat (pid_t pid, stat_t *stat)
{
    char path [64];
    char text [1024];
    snprintf (path, sizeof path, "/proc/%ld/stat", (long) pid);
    file_auto_t *file = fopen (path, "re");
    if (!file)
        return false;
    size_t size = fread (text, 1, sizeof text - 1, file);
    text [size] = '\0';

    /* The name is in parentheses and may have any character, so fields count from the last one. */
    const char *at = strrchr (text, ')');
    if (!at || at [1] != ' ')
        return false;
    stat->state = at [2];
    at += 2;
    for (int field = 3; field < 22; field++) {
        at = strchr (at, ' ');
        if (!at)
            return false;
        at++;
        if (field + 1 == 6)
            stat->session = (pid_t) strtol (at, NULL, 10);
    }
    stat->started = strtoull (at, NULL, 10);
    return true;
}

static bool in_life (const stat_t *stat)
{
    return stat->state != 'Z' && stat->state != 'X';
}

bool process_start (process_t *self, const char *program, char *const *arguments,
                    const char *output, const char *log)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t all;
    sigemptyset (&none);
    sigfillset (&all);
    posix_spawn_file_actions_init (&files);
    posix_spawnattr_init (&attributes);
    posix_spawn_file_actions_addopen (&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen (&files, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC,
                                      0644);
    posix_spawn_file_actions_addopen (&files, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND,
                                      0644);
    posix_spawnattr_setsigmask (&attributes, &none);
    posix_spawnattr_setsigdefault (&attributes, &all);
    posix_spawnattr_setflags (
      &attributes, (short) (POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    pid_t pid;
    int error = posix_spawn (&pid, program, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy (&attributes);
    posix_spawn_file_actions_destroy (&files);
    if (error != 0) {
        errno = error;
        return false;
    }
    stat_t stat = {0};
    read_stat (pid, &stat);
    *self = (process_t){.pid = pid, .started = stat.started};
    return true;
}

bool process_beside (const char *name, char program [PROGRAM_BYTES])
{
    ssize_t length = readlink ("/proc/self/exe", program, PROGRAM_BYTES);
    if (length <= 0)
        return false;
    while (length > 0 && program [length - 1] != '/')
        length--;
    if ((size_t) length + strlen (name) >= PROGRAM_BYTES) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy (program + length, name);
    return true;
}

bool process_lives (const process_t *self)
{
    stat_t stat;
    return self->pid > 0 && read_stat (self->pid, &stat) && in_life (&stat) &&
           stat.started == self->started;
}

/*  The number of processes that live. Reaps children that have died. */
static size_t count_living (const process_t *list, size_t count)
{
    size_t living = 0;
    for (size_t i = 0; i < count; i++) {
        if (list [i].pid > 0)
            waitpid (list [i].pid, NULL, WNOHANG);
        living += process_lives (&list [i]);
    }
    return living;
}

static void send_signal (const process_t *list, size_t count, int number)
{
    for (size_t i = 0; i < count; i++)
        if (process_lives (&list [i]))
            kill (list [i].pid, number);
}

static size_t process_wait_end (const process_t *list, size_t count, int64_t patience_ms)
{
    int64_t until_ms = cli_mono_ms () + patience_ms;
    size_t living;
    while ((living = count_living (list, count)) > 0 && cli_mono_ms () < until_ms)
        cli_rest (LOOK_MS);
    return living;
}

size_t process_end (const process_t *list, size_t count, int64_t patience_ms)
{
    send_signal (list, count, SIGTERM);
    size_t stubborn = process_wait_end (list, count, patience_ms);
    if (stubborn > 0) {
        send_signal (list, count, SIGKILL);
        process_wait_end (list, count, patience_ms);
    }
    return stubborn;
}

void process_leave (const process_t *self, int64_t patience_ms)
{
    send_signal (self, 1, SIGTERM);
    process_wait_end (self, 1, patience_ms);
}

/*  A session keeps its number while any process is in it, so a process in the session of a leader
 *  that is not older than the leader belongs to it. */
static bool belongs (const stat_t *stat, const process_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list [i].pid > 0 && stat->session == list [i].pid && stat->started >= list [i].started)
            return true;
    return false;
}

typedef struct {
    const process_t *leaders;
    size_t leaders_count;
    const char *runs; /* NULL = processes in the leaders' sessions */
} process_wanted_t;

/*  "svc-lis\0starter\0PATH/runs/NODE/RUN\0" */
static bool is_starter (pid_t pid, const char *runs)
{
    char path [64];
    char words [CMDLINE_BYTES + 1];
    snprintf (path, sizeof path, "/proc/%ld/cmdline", (long) pid);
    file_auto_t *file = fopen (path, "re");
    size_t size = file ? fread (words, 1, CMDLINE_BYTES, file) : 0;
    words [size] = '\0';
    const char *second = words + strlen (words) + 1;
    const char *third = second < words + size ? second + strlen (second) + 1 : words + size;
    return third < words + size && strcmp (second, "starter") == 0 &&
           strncmp (third, runs, strlen (runs)) == 0;
}

static size_t process_find (const process_wanted_t *wanted, process_t *found, size_t max)
{
    size_t found_count = 0;
    DIR *folder = opendir ("/proc");
    if (!folder)
        return 0;
    for (const struct dirent *entry = readdir (folder); entry && found_count < max;
         entry = readdir (folder)) {
        stat_t stat;
        if (!isdigit ((unsigned char) entry->d_name [0]))
            continue;
        pid_t pid = (pid_t) strtol (entry->d_name, NULL, 10);
        if (read_stat (pid, &stat) && in_life (&stat) &&
            (wanted->runs ? is_starter (pid, wanted->runs)
                          : belongs (&stat, wanted->leaders, wanted->leaders_count)))
            found [found_count++] = (process_t){.pid = pid, .started = stat.started};
    }
    closedir (folder);
    return found_count;
}

size_t process_stragglers (const process_t *list, size_t count, process_t *found, size_t max)
{
    return process_find (&(process_wanted_t){.leaders = list, .leaders_count = count}, found, max);
}

size_t process_starters (const char *runs, process_t *found, size_t max)
{
    return process_find (&(process_wanted_t){.runs = runs}, found, max);
}

void process_boot (char boot [BOOT_BYTES])
{
    file_auto_t *file = fopen ("/proc/sys/kernel/random/boot_id", "re");
    boot [0] = '\0';
    if (!file)
        return;
    if (!fgets (boot, BOOT_BYTES, file))
        boot [0] = '\0';
    boot [strcspn (boot, "\n")] = '\0';
}

/*  --- musubi-tools --- */

#define PROGRAM "musubi-tools"

static const cli_command_t commands [] = {
  {"workload",
   "FILE.swf[.gz] [--requests N] [--seed S] [--rate R | --as-fast] [--clients N] [--compress X]\n"
   "                [--start T] [--answers FILE.jsonl | --dry-run FILE.jsonl] [--plot FILE.svg]\n"
   "                [--check]",
   "Replay a job log as co-allocations.", tools_start},
  {"check", "[--answers FILE.jsonl] [--settle D]",
   "Check the participants' own records for overbooking and half-done transactions.", tools_start},
  {"audit", "[--save DIR] [--settle D] | --rebuild STORE [--from FILE]",
   "Check all ledgers against each other and against what the services say.\nWith --rebuild: make "
   "the records of a stopped store agree with its ledger.",
   tools_start},
  {"txn", "COMMAND …", "List transactions, and end those whose coordinator does not.", tools_start},
  {"solve", "FILE.json|- [--variant V] [--solver S] [--time-limit S] [--first]",
   "Solve co-allocation problems from a file, without a federation.", tools_start},
  {"federation from-graphml", "FILE --sites N --seed S [--domains K] [--out FILE]",
   "Make a federation on a map of the Internet Topology Zoo.", tools_start},
};

const cli_command_t *tools_command (const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands [0]; i++)
        if (strcmp (commands [i].name, name) == 0)
            return &commands [i];
    abort ();
}

int tools_start (cli_t *cli)
{
    char program [PROGRAM_BYTES];
    if (process_beside (PROGRAM, program))
        execv (program, cli->argv);
    if (errno == ENOENT)
        execvp (PROGRAM, cli->argv);
    return cli_fail (EXIT_UNKNOWN,
                     "%s: " PROGRAM ", which does this, can't be started: %s (looked for beside "
                     "musubi, then on the PATH)",
                     cli->command->name, strerror (errno));
}
