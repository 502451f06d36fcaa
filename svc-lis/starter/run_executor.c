/*  run_executor - runs on the agent's workers. It reads and writes files, and spawns one process
 *  for each run that is begun; that process leaves the starter behind and ends at once, so no
 *  worker waits for a run.
 */
#include "run_executor.h"

#include "lease.h"
#include "must.h"
#include "run_files.h"
#include "run_folder.h"
#include "starter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_BYTES_MAX (512u << 10)

static const char starter_program [] = "/proc/self/exe";

static stand_t *stand_new (work_result_t *result, const char *name)
{
    result->stands =
      must (reallocarray (result->stands, result->stands_count + 1, sizeof *result->stands));
    stand_t *stand = &result->stands [result->stands_count++];
    *stand = (stand_t){0};
    snprintf (stand->name, sizeof stand->name, "%s", name);
    return stand;
}

static bool run_executor_look_at (work_result_t *result, const char *runs, const char *name,
                                  char why [WHY_BYTES])
{
    stand_t *stand = stand_new (result, name);
    return run_stand (runs, name, stand) ||
           wrong (why, "the state of run %s can't be read now", name);
}

/*  --- lease --- */

/*  Writes the lease; it never becomes shorter. */
static bool lease_raise (const work_order_t *order, char why [WHY_BYTES])
{
    lease_t lease = {.until_ms = order->lease_ms - clock_ms (CLOCK_MONOTONIC) + lease_now_ms ()};
    lease_t before;
    snprintf (lease.endpoint, sizeof lease.endpoint, "%s", order->endpoint);
    if (lease_read (order->runs, &before) && before.until_ms > lease.until_ms)
        lease.until_ms = before.until_ms;
    return lease_write (order->runs, &lease) ||
           wrong (why, "%.80s/lease: %s", order->runs, strerror (errno));
}

/*  This may be the first work that is done in the folder of runs. */
static bool do_lease (const void *asked, void *told, char why [WHY_BYTES])
{
    (void) told;
    const work_order_t *order = asked;
    if (!run_folder_pass (order->runs))
        return wrong (why, "%.80s: %s", order->runs, strerror (errno));
    return lease_raise (order, why);
}

/*  --- run_start --- */

/*  Refuses a run: it was not begun here and never will be. */
static bool run_executor_refuse (work_result_t *result, const char *name, const char *what,
                                 int error)
{
    stand_t *stand = stand_new (result, name);
    stand->report.state = RUN_REFUSED;
    stand->report.node_unfit = true;
    stand->report.ended_ms = clock_ms (CLOCK_REALTIME);
    snprintf (stand->report.why, sizeof stand->report.why, "%s: %s", what, strerror (error));
    return true;
}

static bool ticket_write (int folder, const ticket_t *ticket)
{
    packed_t packed = codec_encode (&ticket_codec, ticket);
    bool written = run_file_write (folder, "order", packed_bytes (packed));
    int kept = errno;
    free (packed.data);
    errno = kept;
    return written;
}

/*  The exit code of the process that leaves the starter behind; -1 with errno. */
static int starter_spawn (const char *path)
{
    pid_t pid;
    int told = 0;
    char *arguments [] = {(char *) "svc-lis", (char *) "starter", (char *) path, NULL};
    char *environment [] = {(char *) "PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    char log_path [RUN_PATH_BYTES + 8];
    snprintf (log_path, sizeof log_path, "%s/log", path);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset (&none);
    sigfillset (&all);
    posix_spawn_file_actions_init (&actions);
    posix_spawnattr_init (&attributes);
    posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen (&actions, 1, log_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2 (&actions, 1, 2);
    posix_spawnattr_setsigmask (&attributes, &none);
    posix_spawnattr_setsigdefault (&attributes, &all);
    posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failed = posix_spawn (&pid, starter_program, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy (&actions);
    posix_spawnattr_destroy (&attributes);
    errno = failed;
    if (failed != 0)
        return -1;
    while (waitpid (pid, &told, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED (told) ? WEXITSTATUS (told) : STARTER_FAILED;
}

static bool start_in (int folder, const work_order_t *order, work_result_t *result,
                      char why [WHY_BYTES])
{
    char path [RUN_PATH_BYTES];
    const char *name = order->ticket.name;
    if (run_claimed (folder) != CLAIM_NONE)
        return run_executor_look_at (result, order->runs, name, why);
    if (!ticket_write (folder, &order->ticket))
        return run_executor_refuse (result, name, "its order can't be written", errno);
    if (!lease_raise (order, why))
        return false;
    switch (starter_spawn (run_path (path, order->runs, name))) {
    case STARTER_BEGUN:
    case STARTER_CLAIMED_BEFORE:
        return run_executor_look_at (result, order->runs, name, why);
    case STARTER_NO_ROOM:
        return run_executor_refuse (result, name, "no room for the record of its end", ENOSPC);
    case -1:
        return wrong (why, "the starter can't be run: %s", strerror (errno));
    default:
        return wrong (why, "the starter of run %s has failed; its log is in its folder", name);
    }
}

static bool do_start (const void *asked, void *told, char why [WHY_BYTES])
{
    const work_order_t *order = asked;
    if (!order->ticket.name)
        return wrong (why, "ticket: missing");
    descriptor_auto_t folder = run_folder_make (order->runs, order->ticket.name);
    if (folder < 0)
        return run_executor_refuse (told, order->ticket.name, "its folder can't be made", errno);
    return start_in (folder, order, told, why);
}

/*  What can't be read is told as 0. */
static void machine_look (const char *runs, machine_state_t *machine)
{
    char line [128];
    uint64_t kib;
    struct statvfs disk;
    double load [1];
    file_auto_t *file = fopen ("/proc/meminfo", "re");
    while (file && fgets (line, sizeof line, file))
        if (sscanf (line, "MemAvailable: %" SCNu64, &kib) == 1)
            machine->memory = kib * 1024;
    if (statvfs (runs, &disk) == 0)
        machine->disk = (uint64_t) disk.f_bavail * disk.f_frsize;
    if (getloadavg (load, 1) == 1)
        machine->load = load [0];
}

static bool do_look (const void *asked, void *told, char why [WHY_BYTES])
{
    const work_order_t *order = asked;
    work_result_t *result = told;
    for (size_t i = 0; i < order->names_count; i++)
        if (!run_executor_look_at (result, order->runs, order->names [i], why))
            result->stands_count--; /* the other runs are told */
    if (order->names_count > 0)
        return result->stands_count > 0;
    result->looked = true;
    machine_look (order->runs, &result->machine);
    return true;
}

/*  --- run_signal --- */

/*  Takes the claim, so that nobody can begin the run any more, and records it as refused. */
static bool end_unbegun (int folder, const char *runs, const char *name, work_result_t *result,
                         char why [WHY_BYTES])
{
    descriptor_auto_t claim = run_claim (folder);
    if (claim < 0)
        return errno == EEXIST ? wrong (why, "run %s is being begun", name)
                               : wrong (why, "run %s: %s", name, strerror (errno));
    stand_t stand = {.report = {.state = RUN_REFUSED, .ended_ms = clock_ms (CLOCK_REALTIME)}};
    snprintf (stand.name, sizeof stand.name, "%s", name);
    snprintf (stand.report.why, sizeof stand.report.why, "it was ended before it began");
    bool recorded = run_end_record (folder, &stand);
    return recorded ? run_executor_look_at (result, runs, name, why)
                    : wrong (why, "run %s: %s", name, strerror (errno));
}

static bool only_told (const work_order_t *order)
{
    return order->warn || order->suspend || order->resume;
}

static bool wish_tell (int folder, const work_order_t *order, work_result_t *result,
                       char why [WHY_BYTES])
{
    char wish [64];
    int size = only_told (order)
                 ? snprintf (wish, sizeof wish, "%s%s\n", order->suspend ? "suspend " : "",
                             order->warn ? "warn" : "")
                 : snprintf (wish, sizeof wish, "end %" PRId64 "\n", order->grace_ms);
    if (!run_file_write (folder, "wish",
                         (bytes_t){.data = (const uint8_t *) wish, .size = (size_t) size}))
        return wrong (why, "what it is told can't be written: %s", strerror (errno));
    run_starter_signal (folder, STARTER_POKE);
    return run_executor_look_at (result, order->runs, order->names [0], why);
}

static bool signal_in (int folder, const work_order_t *order, work_result_t *result,
                       char why [WHY_BYTES])
{
    claim_t claim = run_claimed (folder);
    if (claim == CLAIM_NONE && only_told (order))
        return run_executor_look_at (result, order->runs, order->names [0], why);
    if (claim == CLAIM_NONE)
        return end_unbegun (folder, order->runs, order->names [0], result, why);
    if (claim == CLAIM_LIVE && order->force && !only_told (order)) {
        stand_t *stand = stand_new (result, order->names [0]);
        return run_force (order->runs, order->names [0],
                          "its starter did not end it in time and was killed", stand) ||
               wrong (why, "run %s can't be killed", order->names [0]);
    }
    return wish_tell (folder, order, result, why);
}

static bool do_signal (const void *asked, void *told, char why [WHY_BYTES])
{
    const work_order_t *order = asked;
    if (order->names_count != 1)
        return wrong (why, "names: should be the name of one run");
    descriptor_auto_t folder = run_folder_make (order->runs, order->names [0]);
    if (folder < 0)
        return wrong (why, "run %s: %s", order->names [0], strerror (errno));
    return signal_in (folder, order, told, why);
}

/*  --- run_read --- */

typedef struct {
    bool errors;
    char account [ACCOUNT_BYTES_MAX + 1];
    char path [RUN_PATH_BYTES]; /* "" = kept with the run */
} run_executor_where_t;

static void where_is (run_executor_where_t *where, const run_order_t *order)
{
    const char *file = where->errors && *order->errors ? order->errors : order->output;
    const char *folder = *order->folder ? order->folder : "work";
    snprintf (where->account, sizeof where->account, "%s", order->account);
    if (*file == '\0')
        where->path [0] = '\0';
    else if (*file == '/')
        snprintf (where->path, sizeof where->path, "%s", file);
    else
        snprintf (where->path, sizeof where->path, "%s/%s", folder, file);
}

static bool output_find (int folder, run_executor_where_t *where)
{
    packed_t record;
    ticket_t ticket;
    char why [WHY_BYTES];
    if (!run_file_read (folder, "order", &record))
        return false;
    bool found = codec_decode (&ticket_codec, &ticket, packed_bytes (record), why);
    if (found)
        where_is (where, ticket.order);
    codec_clear (&ticket_codec, &ticket);
    free (record.data);
    return found;
}

static void read_from (int fd, const work_order_t *order, work_result_t *result)
{
    struct stat told;
    size_t most = order->most < READ_BYTES_MAX ? order->most : READ_BYTES_MAX;
    if (fstat (fd, &told) != 0 || !S_ISREG (told.st_mode)) {
        result->why = must (strdup ("the output is not in a plain file"));
        return;
    }
    uint8_t *data = must (malloc (most + 1));
    ssize_t got = pread (fd, data, most, (off_t) order->offset);
    result->data = (bytes_t){.data = data, .size = got > 0 ? (size_t) got : 0};
    result->size = (uint64_t) told.st_size;
}

/*  A file that the account has named is read with no more rights than the account has. */
static bool do_read (const void *asked, void *told, char why [WHY_BYTES])
{
    (void) why;
    const work_order_t *order = asked;
    work_result_t *result = told;
    run_executor_where_t where = {.errors = order->errors};
    descriptor_auto_t folder =
      order->names_count == 1 ? run_folder_open (order->runs, order->names [0]) : -1;
    if (folder < 0 || !output_find (folder, &where)) {
        result->why = must (strdup ("the node no longer keeps that run"));
        return true;
    }
    descriptor_auto_t fd =
      *where.path ? open_as (where.account, folder, where.path)
                  : openat (folder, "output", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd >= 0)
        read_from (fd, order, result);
    else if (errno != ENOENT)
        result->why = must (strdup ("the output can't be read"));
    return true;
}

/*  --- run_prune --- */

static void remove_all (int parent, const char *name)
{
    if (unlinkat (parent, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
        return;
    int fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
    if (!folder) {
        if (fd >= 0)
            close (fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir (folder));)
        if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
            remove_all (dirfd (folder), entry->d_name);
    closedir (folder);
    unlinkat (parent, name, AT_REMOVEDIR);
}

/*  Is the run's end so long ago, or its folder so old if nobody has begun it? */
static bool is_old (int runs, const char *name, int64_t keep_ms)
{
    char path [RUN_PATH_BYTES];
    struct stat told;
    snprintf (path, sizeof path, "%s/end", name);
    bool ended = fstatat (runs, path, &told, AT_SYMLINK_NOFOLLOW) == 0;
    if (!ended) {
        snprintf (path, sizeof path, "%s/claim", name);
        if (fstatat (runs, path, &told, AT_SYMLINK_NOFOLLOW) == 0 ||
            fstatat (runs, name, &told, AT_SYMLINK_NOFOLLOW) != 0)
            return false;
    }
    return clock_ms (CLOCK_REALTIME) - (int64_t) told.st_mtim.tv_sec * 1000 >= keep_ms;
}

static bool do_prune (const void *asked, void *told, char why [WHY_BYTES])
{
    (void) told, (void) why;
    const work_order_t *order = asked;
    DIR *runs = opendir (order->runs);
    if (!runs)
        return true; /* nothing was ever run */
    for (const struct dirent *entry; (entry = readdir (runs));) {
        run_id_t id;
        uint8_t site [STORE_ID_BYTES];
        if (run_name_parse (entry->d_name, site, &id) &&
            is_old (dirfd (runs), entry->d_name, order->keep_ms))
            remove_all (dirfd (runs), entry->d_name);
    }
    closedir (runs);
    return true;
}

const work_kind_t run_works [] = {
  RUN_WORK (RUN_START, do_start), RUN_WORK (RUN_LOOK, do_look), RUN_WORK (RUN_SIGNAL, do_signal),
  RUN_WORK (RUN_LEASE, do_lease), RUN_WORK (RUN_READ, do_read), RUN_WORK (RUN_PRUNE, do_prune),
};
const size_t run_executor_count = sizeof run_works / sizeof *run_works;
