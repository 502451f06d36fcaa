/*  musubi-as - runs a program as another local account, where a map that root has written allows
 *  it:
 *
 *      musubi-as ACCOUNT PROGRAM [ARGUMENT…]
 *
 *  It is the only part that has more rights than the site: installed as root's with the set-user-id
 *  bit, or called by sudo. Each line of /etc/musubi/as.conf names a caller, the accounts that it
 *  may become and the programs that these may be made to run, with commas between:
 *
 *      musubi  alice,bob  /usr/bin/sbatch,/usr/bin/dd,/usr/bin/rm
 *
 *  Nobody becomes root. Root itself needs no line. The program gets a minute, no descriptors but
 *  the first three, and an environment of its own; where the batch system is (SLURM_CONF, SGE_…)
 *  may be told by the caller, who could as well have any program run as that account by a job.
 */
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_FOLDER "/etc/musubi"
#define MAP        MAP_FOLDER "/as.conf"
#define SECONDS    60
#define LINE_BYTES 65536
#define VARIABLES  64
#define REFUSED    77

__attribute__ ((format (printf, 1, 2), noreturn)) static void refuse (const char *format, ...)
{
    char why [1024];
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (why, sizeof why, format, arguments);
    va_end (arguments);
    fprintf (stderr, "musubi-as: %s\n", why);
    exit (REFUSED);
}

/*  Is it one of the words of a list, which commas part? */
static int as_listed (const char *list, const char *word)
{
    size_t size = strlen (word);
    for (; list; list = strchr (list, ',') ? strchr (list, ',') + 1 : NULL)
        if (strncmp (list, word, size) == 0 && (list [size] == ',' || list [size] == '\0'))
            return 1;
    return 0;
}

/*  Who may write in its folder could put another file of root's in its place. */
static FILE *map_open (void)
{
    struct stat told;
    if (stat (MAP_FOLDER, &told) == 0 && (told.st_uid != 0 || (told.st_mode & 022)))
        refuse ("%s should be a folder of root that nobody else may write", MAP_FOLDER);
    int fd = open (MAP, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat (fd, &told) != 0)
        refuse ("%s can't be read: root should write it", MAP);
    if (!S_ISREG (told.st_mode) || told.st_uid != 0 || (told.st_mode & 022))
        refuse ("%s should be a file of root that nobody else may write", MAP);
    return fdopen (fd, "r");
}

static int map_allows (const char *caller, const char *account, const char *program)
{
    char line [LINE_BYTES];
    FILE *map = map_open ();
    int allowed = 0;
    while (map && !allowed && fgets (line, sizeof line, map)) {
        char *rest, *who = strtok_r (line, " \t\n", &rest);
        const char *accounts = who ? strtok_r (NULL, " \t\n", &rest) : NULL;
        const char *programs = accounts ? strtok_r (NULL, " \t\n", &rest) : NULL;
        allowed = programs && *who != '#' && strcmp (who, caller) == 0 &&
                  as_listed (accounts, account) && as_listed (programs, program);
    }
    if (map)
        fclose (map);
    return allowed;
}

/*  Its absolute path: one without a slash is looked for where only root writes. */
static void program_find (char path [LINE_BYTES], const char *program)
{
    static const char *const folders [] = {"", "/usr/local/bin/", "/usr/bin/", "/bin/"};
    size_t from = strchr (program, '/') ? 0 : 1;
    for (size_t i = from; i < (from ? sizeof folders / sizeof *folders : 1); i++) {
        snprintf (path, LINE_BYTES, "%s%s", folders [i], program);
        if (*path == '/' && access (path, X_OK) == 0)
            return;
    }
    refuse ("there is no program %.80s", program);
}

static void environment_set (char *variables [VARIABLES], const struct passwd *account)
{
    size_t count = 0;
    static char home [4096], user [256], logname [256];
    static char path [] = "PATH=/usr/local/bin:/usr/bin:/bin", zone [] = "TZ=UTC0",
                     language [] = "LC_ALL=C";
    snprintf (home, sizeof home, "HOME=%s", account->pw_dir);
    snprintf (user, sizeof user, "USER=%s", account->pw_name);
    snprintf (logname, sizeof logname, "LOGNAME=%s", account->pw_name);
    char *own [] = {path, zone, language, home, user, logname};
    for (; count < sizeof own / sizeof *own; count++)
        variables [count] = own [count];
    for (char **variable = environ; *variable && count < VARIABLES - 1; variable++)
        if (strncmp (*variable, "SLURM_CONF=", 11) == 0 || strncmp (*variable, "SGE_", 4) == 0)
            variables [count++] = *variable;
    variables [count] = NULL;
}

static void account_become (const struct passwd *account)
{
    if (geteuid () != 0)
        refuse ("it should be root's with the set-user-id bit, or be called by sudo");
    if (initgroups (account->pw_name, account->pw_gid) != 0 ||
        setresgid (account->pw_gid, account->pw_gid, account->pw_gid) != 0 ||
        setresuid (account->pw_uid, account->pw_uid, account->pw_uid) != 0 || setuid (0) == 0)
        refuse ("it can't become %s", account->pw_name);
}

int main (int argc, char **argv)
{
    char path [LINE_BYTES], *variables [VARIABLES], caller [256] = "";
    sigset_t none;
    if (argc < 3)
        refuse ("usage: musubi-as ACCOUNT PROGRAM [ARGUMENT…]");
    const struct passwd *known = getpwuid (getuid ());
    snprintf (caller, sizeof caller, "%s", known ? known->pw_name : "");
    program_find (path, argv [2]);
    const struct passwd *account = getpwnam (argv [1]);
    if (!account || account->pw_uid == 0)
        refuse ("there is no account %.80s that may be become", argv [1]);
    if (getuid () != 0 && !map_allows (caller, account->pw_name, path))
        refuse ("%s does not let %s run %s as %s", MAP, *caller ? caller : "this account", path,
                account->pw_name);
    environment_set (variables, account);
    account_become (account);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    signal (SIGALRM, SIG_DFL);
    close_range (3, ~0U, 0);
    umask (022);
    alarm (SECONDS);
    if (chdir ("/") == 0)
        execve (path, argv + 2, variables);
    refuse ("%s can't be run", path);
}
