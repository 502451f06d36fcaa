/*  tc - a process for each command; its output and its errors come through one pipe. */
#include "tc.h"

#include "clock.h"
#include "must.h"
#include "router.h"
#include "shaper.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX  64
#define CAP_NET_ADMIN_ 12
#define PIECE_BYTES    65536

static int64_t command_limit_ms;

void tc_limit (int64_t limit_ms)
{
    command_limit_ms = limit_ms;
}

/*  --- a command --- */

/*  Its process, which writes to out; -1 with errno. */
static pid_t tc_spawn (char *words, int out)
{
    pid_t pid;
    char *arguments [ARGUMENTS_MAX + 1], *rest = NULL;
    size_t count = 0;
    for (char *word = strtok_r (words, " ", &rest); word && count < ARGUMENTS_MAX;
         word = strtok_r (NULL, " ", &rest))
        arguments [count++] = word;
    assert (count > 0);
    arguments [count] = NULL;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset (&none);
    sigfillset (&all);
    posix_spawn_file_actions_init (&files);
    posix_spawnattr_init (&attributes);
    posix_spawn_file_actions_addopen (&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2 (&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2 (&files, out, STDERR_FILENO);
    posix_spawnattr_setsigmask (&attributes, &none);
    posix_spawnattr_setsigdefault (&attributes, &all);
    posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    errno = posix_spawnp (&pid, arguments [0], &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy (&files);
    posix_spawnattr_destroy (&attributes);
    return errno == 0 ? pid : -1;
}

/*  Reads to the end; false when that does not come in time. *text is malloc'ed. */
static bool tc_read_all (int in, char **text)
{
    int64_t until_ms = clock_ms (CLOCK_MONOTONIC) + command_limit_ms;
    size_t used = 0;
    ssize_t got = 1;
    *text = NULL;
    while (got > 0) {
        *text = must (realloc (*text, used + PIECE_BYTES + 1));
        (*text) [used] = '\0';
        int64_t left_ms = until_ms - clock_ms (CLOCK_MONOTONIC);
        struct pollfd wait = {.fd = in, .events = POLLIN};
        if (left_ms <= 0 || poll (&wait, 1, (int) left_ms) == 0)
            return false;
        got = read (in, *text + used, PIECE_BYTES);
        used += got > 0 ? (size_t) got : 0;
        (*text) [used] = '\0';
    }
    return true;
}

/*  What a program said last, without its newline. */
static const char *last_line (char *text)
{
    size_t length = strlen (text);
    while (length > 0 && text [length - 1] == '\n')
        text [--length] = '\0';
    const char *line = strrchr (text, '\n');
    return line ? line + 1 : text;
}

/*  Waits for the end of a command; true when it was a good one. */
static bool tc_await (pid_t pid, int in, const char *command, char **output, char why [WHY_BYTES])
{
    int told = 0;
    bool ended = tc_read_all (in, output);
    if (!ended)
        kill (pid, SIGKILL);
    while (waitpid (pid, &told, 0) < 0 && errno == EINTR)
        ;
    if (!ended)
        return wrong (why, "%.120s: it did not end within %lld ms and was killed", command,
                      (long long) command_limit_ms);
    return (WIFEXITED (told) && WEXITSTATUS (told) == 0) ||
           wrong (why, "%.120s: %.120s", command, last_line (*output));
}

static bool tc_command (void *owner, const char *command, char **output, char why [WHY_BYTES])
{
    (void) owner;
    int ends [2];
    char *text = NULL;
    if (pipe2 (ends, O_CLOEXEC) != 0)
        return wrong (why, "%.120s: %s", command, strerror (errno));
    text_auto_t *words = must_print ("%s", command);
    pid_t pid = tc_spawn (words, ends [1]);
    close (ends [1]);
    bool good = pid < 0
                  ? wrong (why, "%.120s: %s; is iproute2 installed?", command, strerror (errno))
                  : tc_await (pid, ends [0], command, &text, why);
    close (ends [0]);
    if (good && output)
        *output = text;
    else
        free (text);
    return good;
}

/*  --- what can be shaped --- */

static bool has_right (void)
{
    char line [128];
    unsigned long long rights = 0;
    file_auto_t *file = fopen ("/proc/self/status", "re");
    while (file && fgets (line, sizeof line, file))
        if (sscanf (line, "CapEff: %llx", &rights) == 1)
            break;
    return rights >> CAP_NET_ADMIN_ & 1;
}

/*  Mbit/s; 0 where that is not known. */
static long interface_speed (const char *interface)
{
    char path [64];
    long mbps = 0;
    snprintf (path, sizeof path, "/sys/class/net/%s/speed", interface);
    file_auto_t *file = fopen (path, "re");
    return file && fscanf (file, "%ld", &mbps) == 1 && mbps > 0 ? mbps : 0;
}

static bool tc_fit (void *owner, const char *interface, uint32_t mbps, char why [WHY_BYTES])
{
    (void) owner;
    long speed = interface_speed (interface);
    if (!has_right ())
        return wrong (why, "no right to change traffic control: run the agent as root, or with "
                           "CAP_NET_ADMIN");
    if (if_nametoindex (interface) == 0)
        return wrong (why, "this machine has no interface %s", interface);
    if (speed > 0 && mbps > speed)
        return wrong (why,
                      "interface %s carries %ld Mbit/s, its link is given as %u: lower mbps of the "
                      "link",
                      interface, speed, mbps);
    return true;
}

static bool tc_shape (const void *order, void *result, char why [WHY_BYTES])
{
    (void) why;
    static const shaper_machine_t machine = {.command = tc_command, .fit = tc_fit};
    shaper_run (&machine, order, result);
    return true;
}

const work_kind_t tc_works [] = {
  {.kind = ROUTER_SHAPE,
   .order = &router_work_codec,
   .result = &router_work_codec,
   .carry_out = tc_shape},
};
const size_t tc_works_count = 1;
