/*  command - a process of its own group, whose output is read until it ends or is late. */
#include "command.h"

#include "clock.h"
#include "must.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_PATH "/usr/local/bin:/usr/bin:/bin"
#define SAID_BYTES   256
#define READ_BYTES   65536
#define VARIABLES    64
#define KILLED_MS    1000 /* until a killed process is given up: another account's may live on */

typedef struct {
    char *data;
    size_t size, room;
} command_text_t;

typedef struct {
    int input, output, errors;
    pid_t pid;
    int64_t until_ms;
    command_text_t text;
    char said [SAID_BYTES]; /* the beginning of its errors */
    size_t said_size;
} command_process_t;

static _Thread_local pid_t command_last = -1;

static void command_environment (const char *variables [VARIABLES])
{
    size_t count = 0;
    variables [count++] = "PATH=" COMMAND_PATH;
    variables [count++] = "LC_ALL=C";
    variables [count++] = "TZ=UTC0";
    for (char **variable = environ; *variable && count < VARIABLES - 1; variable++)
        if (strncmp (*variable, "SLURM_CONF=", 11) == 0 || strncmp (*variable, "SGE_", 4) == 0)
            variables [count++] = *variable;
    variables [count] = NULL;
}

/*  ends [0..2]: the process's own ends of its pipes. */
static int command_spawn (command_process_t *self, const char *const *arguments, const int ends [3])
{
    const char *variables [VARIABLES];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset (&none);
    sigfillset (&all);
    command_environment (variables);
    posix_spawn_file_actions_init (&actions);
    posix_spawnattr_init (&attributes);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2 (&actions, ends [i], i);
    posix_spawnattr_setsigmask (&attributes, &none);
    posix_spawnattr_setsigdefault (&attributes, &all);
    posix_spawnattr_setpgroup (&attributes, 0);
    posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETPGROUP);
    int failed = strchr (arguments [0], '/')
                   ? posix_spawn (&self->pid, arguments [0], &actions, &attributes,
                                  (char *const *) arguments, (char *const *) variables)
                   : posix_spawnp (&self->pid, arguments [0], &actions, &attributes,
                                   (char *const *) arguments, (char *const *) variables);
    posix_spawn_file_actions_destroy (&actions);
    posix_spawnattr_destroy (&attributes);
    return failed;
}

/*  Makes the pipes and the process; its errno, 0 when it runs. */
static int command_process_begin (command_process_t *self, const char *const *arguments)
{
    int pipes [3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int failed = 0;
    for (int i = 0; i < 3 && failed == 0; i++)
        failed = pipe2 (pipes [i], O_CLOEXEC) == 0 ? 0 : errno;
    if (failed == 0)
        failed =
          command_spawn (self, arguments, (int [3]){pipes [0][0], pipes [1][1], pipes [2][1]});
    self->input = pipes [0][1];
    self->output = pipes [1][0];
    self->errors = pipes [2][0];
    descriptor_close (&pipes [0][0]);
    descriptor_close (&pipes [1][1]);
    descriptor_close (&pipes [2][1]);
    return failed;
}

static void input_write (command_process_t *self, const char **input)
{
    size_t left = *input ? strlen (*input) : 0;
    ssize_t written = left > 0 ? write (self->input, *input, left) : 0;
    if (written > 0)
        *input += written;
    if ((size_t) (written > 0 ? written : 0) == left || (written < 0 && errno != EAGAIN))
        descriptor_close (&self->input);
}

static void output_read (command_process_t *self)
{
    command_text_t *text = &self->text;
    if (text->room < text->size + READ_BYTES + 1)
        text->data = must (realloc (text->data, text->room = 2 * (text->size + READ_BYTES) + 1));
    ssize_t got = read (self->output, text->data + text->size, READ_BYTES);
    if (got > 0)
        text->size += (size_t) got;
    else if (got == 0 || errno != EINTR)
        descriptor_close (&self->output);
}

static void errors_read (command_process_t *self)
{
    char read_into [READ_BYTES / 16];
    ssize_t got = read (self->errors, read_into, sizeof read_into);
    size_t room = SAID_BYTES - 1 - self->said_size;
    size_t kept = got > 0 && (size_t) got < room ? (size_t) got : got > 0 ? room : 0;
    memcpy (self->said + self->said_size, read_into, kept);
    self->said_size += kept;
    if (got == 0 || (got < 0 && errno != EINTR))
        descriptor_close (&self->errors);
}

/*  Writes and reads until both of its outputs are closed; false when it takes too long or prints
 *  too much. */
static bool command_talk (command_process_t *self, const char *input)
{
    fcntl (self->input, F_SETFL, O_NONBLOCK);
    while (self->output >= 0 || self->errors >= 0) {
        int64_t left_ms = self->until_ms - clock_ms (CLOCK_MONOTONIC);
        struct pollfd ports [] = {{.fd = self->input, .events = POLLOUT},
                                  {.fd = self->output, .events = POLLIN},
                                  {.fd = self->errors, .events = POLLIN}};
        if (left_ms <= 0 || self->text.size > COMMAND_OUTPUT_BYTES_MAX)
            return false;
        if (poll (ports, 3, (int) left_ms) <= 0)
            continue;
        if (ports [0].revents)
            input_write (self, &input);
        if (ports [1].revents)
            output_read (self);
        if (ports [2].revents)
            errors_read (self);
    }
    return true;
}

/*  Its status; -1 when it has not ended in time. */
static int command_wait (const command_process_t *self, int64_t until_ms)
{
    int status;
    for (;;) {
        pid_t ended = waitpid (self->pid, &status, WNOHANG);
        if (ended == self->pid)
            return status;
        if ((ended < 0 && errno != EINTR) || clock_ms (CLOCK_MONOTONIC) >= until_ms)
            return -1;
        nanosleep (&(struct timespec){.tv_nsec = 500000}, NULL);
    }
}

static command_told_t command_told (const command_process_t *self, const char *program, bool talked,
                                    int64_t limit_ms, char why [WHY_BYTES])
{
    int status = talked ? command_wait (self, self->until_ms) : -1;
    if (status < 0) {
        kill (-self->pid, SIGKILL);
        command_wait (self, clock_ms (CLOCK_MONOTONIC) + KILLED_MS);
        wrong (why, "%s has not answered within %lld ms", program, (long long) limit_ms);
        return COMMAND_SILENT;
    }
    if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
        return COMMAND_DONE;
    const char *said = *self->said ? self->said : self->text.data;
    int size = (int) strcspn (said, "\n");
    if (size == 0)
        wrong (why, "%s has failed with exit code %d", program, WEXITSTATUS (status));
    else
        wrong (why, "%s: %.*s", program, size, said);
    return COMMAND_REFUSED;
}

static command_told_t command_do (const char *const *arguments, const char *input, int64_t limit_ms,
                                  packed_t *output, char why [WHY_BYTES])
{
    command_process_t self = {.until_ms = clock_ms (CLOCK_MONOTONIC) + limit_ms};
    const char *slash = strrchr (arguments [0], '/');
    const char *program = slash ? slash + 1 : arguments [0];
    int failed = command_process_begin (&self, arguments);
    command_last = failed == 0 ? self.pid : -1;
    bool talked = failed == 0 && command_talk (&self, input);
    *why = '\0';
    descriptor_close (&self.input);
    descriptor_close (&self.output);
    descriptor_close (&self.errors);
    self.text.data = must (realloc (self.text.data, self.text.size + 1));
    self.text.data [self.text.size] = '\0';
    *output = (packed_t){.data = (uint8_t *) self.text.data, .size = self.text.size};
    if (failed == 0)
        return command_told (&self, program, talked, limit_ms, why);
    wrong (why, "%s can't be run: %s", program, strerror (failed));
    return COMMAND_SILENT;
}

command_told_t command_run (const char *const *arguments, const char *input, int64_t limit_ms,
                            char **output, char why [WHY_BYTES])
{
    packed_t told;
    command_told_t how = command_do (arguments, input, limit_ms, &told, why);
    for (size_t i = 0; i < told.size; i++)
        if (told.data [i] != '\n' && (told.data [i] < ' ' || told.data [i] > '~'))
            told.data [i] = '?';
    if (output)
        *output = (char *) told.data;
    else
        free (told.data);
    return how;
}

/*  "FOLDER/musubi-as", where FOLDER is that of our own program. */
static bool as_find (char path [PATH_MAX], char why [WHY_BYTES])
{
    static const char as [] = "/musubi-as";
    ssize_t size = readlink ("/proc/self/exe", path, PATH_MAX - sizeof as);
    path [size > 0 ? size : 0] = '\0';
    char *slash = strrchr (path, '/');
    if (!slash)
        return wrong (why, "musubi-as: the folder of this program can't be found");
    memcpy (slash, as, sizeof as);
    return true;
}

command_told_t command_run_as (const char *account, const char *const *arguments, const char *input,
                               int64_t limit_ms, packed_t *output, char why [WHY_BYTES])
{
    struct passwd *known, entry;
    char text [READ_BYTES / 8], as [PATH_MAX];
    const char *with [COMMAND_ARGUMENTS_MAX + 3] = {as, account};
    size_t count = 2;
    if (getpwnam_r (account, &entry, text, sizeof text, &known) == 0 && known &&
        known->pw_uid == geteuid () && known->pw_uid != 0)
        return command_do (arguments, input, limit_ms, output, why);
    *output = (packed_t){0};
    if (!as_find (as, why))
        return COMMAND_SILENT;
    for (; *arguments && count < COMMAND_ARGUMENTS_MAX + 2; arguments++)
        with [count++] = *arguments;
    return command_do (with, input, limit_ms, output, why);
}

pid_t command_process (void)
{
    return command_last;
}

/*  The next part of *text, up to that character. */
static char *command_part (char **text, char end)
{
    char *part = *text;
    char *over = strchr (part, end);
    if (over)
        *over = '\0';
    *text = over ? over + 1 : part + strlen (part);
    return part;
}

char *command_line (char **text)
{
    return **text ? command_part (text, '\n') : NULL;
}

char *command_field (char **line)
{
    return command_part (line, '|');
}
