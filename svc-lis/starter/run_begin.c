/*  run_begin - forks; the new process does all that can fail, and reports a failure through a pipe
 *  that closes by itself when the program starts.
 */
#include "run_begin.h"

#include "must.h"
#include "processes.h"
#include "run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_VARIABLES  20
#define VARIABLE_BYTES (RUN_PATH_MAX + 64)
#define RUN_PATH_MAX   4096
#define TEXT_BYTES     16384
#define FILE_MODE      0600

typedef struct {
    uid_t uid;
    gid_t gid;
    char name [ACCOUNT_BYTES_MAX + 1];
    char home [1024];
    bool other; /* than ours, and we are root */
} run_begin_account_t;

/*  What has failed in the new process. */
typedef struct {
    bool whole; /* a sentence: errno tells no more */
    char what [WHY_BYTES];
} run_begin_failure_t;

/*  --- account --- */

static bool account_find (run_begin_account_t *account, const char *name, char why [WHY_BYTES])
{
    struct passwd entry, *found = NULL;
    char text [TEXT_BYTES];
    if (getpwnam_r (name, &entry, text, sizeof text, &found) != 0 || !found)
        return wrong (why, "account %s: this node has none of that name", name);
    if (entry.pw_uid == 0)
        return wrong (why, "account %s: nothing is run as root", name);
    if (geteuid () != 0 && entry.pw_uid != geteuid ())
        return wrong (
          why, "account %s: the agent of this node runs under another account, and not as root",
          name);
    *account = (run_begin_account_t){
      .uid = entry.pw_uid, .gid = entry.pw_gid, .other = geteuid () != entry.pw_uid};
    snprintf (account->name, sizeof account->name, "%s", name);
    snprintf (account->home, sizeof account->home, "%s", entry.pw_dir);
    return true;
}

static bool account_take (const run_begin_account_t *account)
{
    return !account->other || (initgroups (account->name, account->gid) == 0 &&
                               setgid (account->gid) == 0 && setuid (account->uid) == 0);
}

/*  --- environment --- */

typedef struct {
    char **variables;
    size_t count;
} environment_t;

__attribute__ ((format (printf, 2, 3))) static void set (environment_t *self, const char *format,
                                                         ...)
{
    char text [VARIABLE_BYTES];
    format_rest (text, sizeof text, format);
    self->variables [self->count++] = must (strdup (text));
}

static bool named_alike (const char *a, const char *b)
{
    size_t length = strcspn (a, "=");
    return strncmp (a, b, length + 1) == 0;
}

/*  A variable of the order replaces ours, except those that say which run it is. */
static void set_ordered (environment_t *self, const char *variable)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!named_alike (self->variables [i], variable))
            continue;
        if (strncmp (variable, "MUSUBI_", 7) != 0) {
            free (self->variables [i]);
            self->variables [i] = must (strdup (variable));
        }
        return;
    }
    self->variables [self->count++] = must (strdup (variable));
}

static environment_t environment_make (const ticket_t *ticket, const run_begin_account_t *account,
                                       const char *path)
{
    const run_order_t *order = ticket->order;
    environment_t made = {
      .variables = must (calloc (OWN_VARIABLES + order->environment_count + 1, sizeof (char *)))};
    set (&made, "PATH=/usr/local/bin:/usr/bin:/bin");
    set (&made, "HOME=%s", account->home);
    set (&made, "USER=%s", account->name);
    set (&made, "LOGNAME=%s", account->name);
    set (&made, "MUSUBI_SITE=%s", ticket->site);
    set (&made, "MUSUBI_NODE=%s", ticket->node);
    set (&made, "MUSUBI_TASK=%" PRIu64 ".%" PRIu32, ticket->id.task.bag, ticket->id.task.index);
    set (&made, "MUSUBI_TASK_INDEX=%" PRIu32, order->index_from + ticket->id.task.index);
    set (&made, "MUSUBI_RUN=%" PRIu32, ticket->id.number);
    set (&made, "MUSUBI_CPUS=%" PRIu32, order->cpus);
    set (&made, "MUSUBI_LIMIT_MS=%" PRId64, order->limit_ms);
    set (&made, "MUSUBI_OWNER=%s", order->owner);
    set (&made, "MUSUBI_RESERVATION=%s", order->reservation);
    set (&made, "MUSUBI_NEED=%s", order->need);
    set (&made, RUN_MARK "=%s", path);
    for (size_t i = 0; i < order->environment_count; i++)
        set_ordered (&made, order->environment [i]);
    return made;
}

/*  --- in the new process --- */

#define FILES_USUAL 1024 /* open files; a program may raise this to what the machine allows */

/*  The kernel's limit counts whole seconds, so it is rounded up; the starter watches the exact
 *  one. */
static bool limits_set (const run_order_t *order)
{
    rlim_t seconds = (rlim_t) (order->cpu_limit_ms + 999) / 1000;
    struct rlimit processor = {.rlim_cur = seconds, .rlim_max = seconds + 5};
    struct rlimit dumps = {0}, files = {0};
    if (getrlimit (RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > FILES_USUAL) {
        files.rlim_cur = FILES_USUAL; /* this process has raised its own */
        setrlimit (RLIMIT_NOFILE, &files);
    }
    return setrlimit (RLIMIT_CPU, &processor) == 0 && setrlimit (RLIMIT_CORE, &dumps) == 0;
}

static int open_for_writing (int folder, const char *file)
{
    return openat (folder, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, FILE_MODE);
}

/*  Output that is kept with the run goes to a file that we have opened; a file that the order names
 *  is opened here, with the rights of the account. */
static bool files_take (const run_order_t *order, int kept, run_begin_failure_t *failure)
{
    int input = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    int output = *order->output ? open_for_writing (AT_FDCWD, order->output) : kept;
    if (output < 0) {
        snprintf (failure->what, sizeof failure->what, "output %.40s", order->output);
        return false;
    }
    int errors = *order->errors ? open_for_writing (AT_FDCWD, order->errors) : output;
    if (errors < 0) {
        snprintf (failure->what, sizeof failure->what, "errors %.40s", order->errors);
        return false;
    }
    snprintf (failure->what, sizeof failure->what, "files");
    return input >= 0 && dup2 (input, 0) == 0 && dup2 (output, 1) == 1 && dup2 (errors, 2) == 2;
}

static void signals_reset (void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal (i, SIG_DFL);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
}

typedef struct {
    const run_order_t *order;
    const run_begin_account_t *account;
    const environment_t *environment;
    char **arguments; /* ends with NULL */
    int kept;         /* descriptor of the output that is kept with the run */
    int folder;       /* the working folder made for the run; -1 when the order names one */
    pid_t starter;
    int tell; /* to whom it is to be told what has failed */
} launch_t;

/*  Becomes the program; returns only when something has failed. */
static void become (const launch_t *launch, run_begin_failure_t *failure)
{
    const run_order_t *order = launch->order;
    snprintf (failure->what, sizeof failure->what, "limits");
    if (setpgid (0, 0) != 0 || !limits_set (order))
        return;
    snprintf (failure->what, sizeof failure->what, "account %.*s", ACCOUNT_BYTES_MAX,
              launch->account->name);
    if (!account_take (launch->account))
        return;
    /*  Only after the account is taken, which would clear the first setting. The second keeps what
     *  the program starts from gaining rights, so that its starter can always end it. */
    snprintf (failure->what, sizeof failure->what, "starter");
    if (prctl (PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    errno = ESRCH;
    if (getppid () != launch->starter)
        return;
    snprintf (failure->what, sizeof failure->what, "folder %.50s", order->folder);
    if ((launch->folder >= 0 ? fchdir (launch->folder) : chdir (order->folder)) != 0)
        return;
    if (!files_take (order, launch->kept, failure))
        return;
    signals_reset ();
    umask (077);
    environ = launch->environment->variables;
    failure->whole = !run_unfold (order, launch->tell, failure->what);
    if (failure->whole)
        return;
    snprintf (failure->what, sizeof failure->what, "program %.50s", order->arguments [0]);
    execvp (launch->arguments [0], launch->arguments);
}

static void launch_run (const launch_t *launch)
{
    run_begin_failure_t failure = {0};
    char why [WHY_BYTES] = "";
    become (launch, &failure);
    wrong (why, failure.whole ? "%s" : "%.63s: %s", failure.what, strerror (errno));
    ssize_t told = write (launch->tell, why, WHY_BYTES);
    _exit (told == WHY_BYTES ? 127 : 126);
}

/*  --- here --- */

/*  The inputs are there before the account can reach the folder. -1 with why. */
static int work_folder_make (int folder, const ticket_t *ticket, const run_begin_account_t *account,
                             char why [WHY_BYTES])
{
    run_files_account_t own = {account->name, account->uid, account->gid, account->other};
    int work = -1;
    if (mkdirat (folder, "work", 0700) == 0 || errno == EEXIST)
        work = openat (folder, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    bool entered = work >= 0 && run_files_enter (ticket, work, &own, why);
    if (entered && (!account->other || fchown (work, account->uid, account->gid) == 0))
        return work;
    if (entered || work < 0)
        wrong (why, "its folder on the node: %s", strerror (errno));
    if (work >= 0)
        close (work);
    return -1;
}

bool run_begin_told (int told, char why [WHY_BYTES])
{
    return TEMP_FAILURE_RETRY (read (told, why, WHY_BYTES)) == WHY_BYTES;
}

static pid_t program_launch (launch_t *launch, int *told, char why [WHY_BYTES])
{
    int pipes [2];
    if (pipe2 (pipes, O_CLOEXEC) != 0) {
        wrong (why, "no pipe: %s", strerror (errno));
        return -1;
    }
    launch->tell = pipes [1];
    *told = pipes [0];
    pid_t pid = fork ();
    if (pid == 0)
        launch_run (launch);
    close (pipes [1]);
    bool good = pid > 0 || wrong (why, "no process: %s", strerror (errno));
    good = good && (!run_begin_told (*told, why) || !*why);
    fcntl (*told, F_SETFL, O_NONBLOCK); /* it is asked again when all has ended */
    return good ? pid : -1;
}

pid_t run_begin (const ticket_t *ticket, int folder, const char *path, int output, int *told,
                 char why [WHY_BYTES])
{
    const run_order_t *order = ticket->order;
    run_begin_account_t account = {0};
    if (!account_find (&account, order->account, why))
        return -1;
    environment_t environment = environment_make (ticket, &account, path);
    char **arguments = must (calloc (order->arguments_count + 1, sizeof *arguments));
    memcpy (arguments, order->arguments, order->arguments_count * sizeof *arguments);
    launch_t launch = {.order = order,
                       .account = &account,
                       .environment = &environment,
                       .arguments = arguments,
                       .kept = output,
                       .folder = -1,
                       .starter = getpid ()};
    /*  The output becomes the account's own, so that the program may open it anew, as
     *  /dev/stderr. */
    bool made = !account.other || fchown (output, account.uid, account.gid) == 0 ||
                wrong (why, "its output on the node: %s", strerror (errno));
    if (made && *order->folder == '\0')
        made = (launch.folder = work_folder_make (folder, ticket, &account, why)) >= 0;
    pid_t pid = made ? program_launch (&launch, told, why) : -1;
    if (launch.folder >= 0)
        close (launch.folder);
    for (size_t i = 0; i < environment.count; i++)
        free (environment.variables [i]);
    free (environment.variables);
    free (arguments);
    return pid;
}
