/*  processes - walks down /proc/PID/task/TID/children, breadth first. The tree may change during
 *  the walk: a caller who must be sure walks again until nothing is left.
 */
#include "processes.h"

#include "must.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 64
#define STAT_BYTES 4096

typedef struct {
    pid_t *pids;
    size_t count;
    size_t room;
} processes_found_t;

static void found_add (processes_found_t *found, pid_t pid)
{
    found->pids = must_grow (found->pids, found->count, &found->room, sizeof *found->pids);
    found->pids [found->count++] = pid;
}

static void children_of_thread (processes_found_t *found, pid_t pid, const char *thread)
{
    char path [PATH_BYTES + NAME_MAX];
    snprintf (path, sizeof path, "/proc/%d/task/%s/children", (int) pid, thread);
    file_auto_t *file = fopen (path, "re");
    int child;
    while (file && fscanf (file, "%d", &child) == 1)
        found_add (found, child);
}

static void children_of (processes_found_t *found, pid_t pid)
{
    char path [PATH_BYTES];
    snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
    DIR *threads = opendir (path);
    if (!threads)
        return;
    for (const struct dirent *thread; (thread = readdir (threads));)
        if (isdigit ((unsigned char) thread->d_name [0]))
            children_of_thread (found, pid, thread->d_name);
    closedir (threads);
}

static processes_found_t all_under (pid_t pid)
{
    processes_found_t found = {0};
    children_of (&found, pid);
    for (size_t i = 0; i < found.count; i++)
        children_of (&found, found.pids [i]);
    return found;
}

/*  Reads a small file of /proc and puts a NUL behind it. Returns its length, or -1 when it can't be
 *  read. */
static ssize_t read_small (pid_t pid, const char *file, char *text, size_t room)
{
    char path [PATH_BYTES];
    snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, file);
    descriptor_auto_t fd = open (path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read (fd, text, room - 1) : -1;
    if (got >= 0)
        text [got] = '\0';
    return got;
}

static bool catches (pid_t pid, int signal)
{
    char text [STAT_BYTES];
    uint64_t caught;
    if (read_small (pid, "status", text, sizeof text) < 0)
        return false;
    const char *line = strstr (text, "\nSigCgt:");
    return line && sscanf (line, "\nSigCgt: %" SCNx64, &caught) == 1 &&
           (caught >> (signal - 1) & 1) != 0;
}

size_t processes_signal (pid_t under, int signal, int catchers)
{
    processes_found_t found = all_under (under);
    for (size_t i = 0; i < found.count; i++)
        if (!catchers || catches (found.pids [i], signal))
            kill (found.pids [i], signal);
    free (found.pids);
    return found.count;
}

/*  The letter behind the name in brackets; 'X' when there is no such process. */
static char state_of (pid_t pid)
{
    char text [STAT_BYTES];
    const char *behind =
      read_small (pid, "stat", text, sizeof text) < 0 ? NULL : strrchr (text, ')');
    return !behind || strlen (behind) < 3 ? 'X' : behind [2];
}

/*  One that waits in the kernel, perhaps for a child between vfork and exec which is stopped
 *  itself, takes the signal before it runs another instruction: it counts as stopped from then
 *  on. */
size_t processes_stop (pid_t under)
{
    processes_found_t found = all_under (under);
    size_t running = 0;
    for (size_t i = 0; i < found.count; i++) {
        if (strchr ("TtZX", state_of (found.pids [i])))
            continue;
        kill (found.pids [i], SIGSTOP);
        running += !strchr ("TtZXD", state_of (found.pids [i]));
    }
    free (found.pids);
    return running;
}

/*  Fields 14 to 17, which follow the name in brackets: processor time of the process and of the
 *  children that it has waited for. */
static int64_t ticks_of (pid_t pid)
{
    char text [STAT_BYTES];
    int64_t own_user, own_system, user, system;
    if (read_small (pid, "stat", text, sizeof text) < 0)
        return 0;
    const char *behind = strrchr (text, ')');
    if (!behind || sscanf (behind,
                           ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNd64 " %" SCNd64
                           " %" SCNd64 " %" SCNd64,
                           &own_user, &own_system, &user, &system) != 4)
        return 0;
    return own_user + own_system + user + system;
}

int64_t processes_cpu_ms (pid_t under)
{
    int64_t ticks = 0;
    processes_found_t found = all_under (under);
    for (size_t i = 0; i < found.count; i++)
        ticks += ticks_of (found.pids [i]);
    free (found.pids);
    return ticks * 1000 / sysconf (_SC_CLK_TCK);
}

/*  Is the mark in the environment that the process was started with? A zombie has none. */
static bool processes_marked (pid_t pid, const char *mark, size_t mark_size)
{
    char path [PATH_BYTES];
    snprintf (path, sizeof path, "/proc/%d/environ", (int) pid);
    file_auto_t *file = fopen (path, "re");
    text_auto_t *variable = NULL;
    size_t room = 0;
    bool found = false;
    for (ssize_t size; file && !found && (size = getdelim (&variable, &room, '\0', file)) > 0;)
        found = (size_t) size == mark_size + 1 && memcmp (variable, mark, mark_size) == 0;
    return found;
}

size_t processes_kill_marked (const char *folder)
{
    size_t killed = 0;
    text_auto_t *mark = must_print ("%s=%s", RUN_MARK, folder);
    DIR *all = opendir ("/proc");
    for (const struct dirent *entry; all && (entry = readdir (all));) {
        pid_t pid = isdigit ((unsigned char) entry->d_name [0]) ? atoi (entry->d_name) : 0;
        if (pid <= 1 || pid == getpid () || !processes_marked (pid, mark, strlen (mark)))
            continue;
        kill (pid, SIGKILL);
        killed++;
    }
    if (all)
        closedir (all);
    return killed;
}
