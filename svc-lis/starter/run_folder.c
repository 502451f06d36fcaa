/*  run_folder - files are written aside, flushed and put in place. A claim is made by a link, which
 *  fails when there is one, and locked by fcntl, whose locks end with their process, however that
 *  ends.
 */
#include "run_folder.h"

#include "clock.h"
#include "must.h"
#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_BYTES_MAX (1u << 20)
#define END_BYTES      4096 /* reserved for the record of the end */
#define KILL_ROUNDS    200
#define KILL_ROUND_MS  10

static const char claim_file [] = "claim";
static const char end_file [] = "end";
static const char room_file [] = "end.room";

const char *run_path (char path [RUN_PATH_BYTES], const char *runs, const char *name)
{
    snprintf (path, RUN_PATH_BYTES, "%s/%s", runs, name);
    return path;
}

int run_folder_open (const char *runs, const char *name)
{
    char path [RUN_PATH_BYTES];
    return open (run_path (path, runs, name), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

bool run_folder_pass (const char *path)
{
    return mkdir (path, 0700) == 0 ? chmod (path, 0711) == 0 : errno == EEXIST;
}

int run_folder_make (const char *runs, const char *name)
{
    char path [RUN_PATH_BYTES];
    if (!run_folder_pass (runs) || !run_folder_pass (run_path (path, runs, name)))
        return -1;
    descriptor_auto_t parent = open (runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return parent >= 0 && fsync (parent) == 0 ? run_folder_open (runs, name) : -1;
}

/*  --- files --- */

bool run_file_read (int folder, const char *file, packed_t *content)
{
    struct stat told;
    descriptor_auto_t fd = openat (folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat (fd, &told) != 0 || told.st_size > (off_t) FILE_BYTES_MAX)
        return false;
    content->data = must (malloc ((size_t) told.st_size + 1));
    ssize_t got = pread (fd, content->data, (size_t) told.st_size, 0);
    if (got < 0) {
        free (content->data);
        return false;
    }
    content->size = (size_t) got;
    content->data [got] = '\0';
    return true;
}

static bool write_all (int fd, bytes_t data)
{
    size_t done = 0;
    while (done < data.size) {
        ssize_t more = pwrite (fd, data.data + done, data.size - done, (off_t) done);
        if (more < 0 && errno != EINTR)
            return false;
        done += more > 0 ? (size_t) more : 0;
    }
    return true;
}

static bool close_after (int fd, bool good)
{
    int kept = errno;
    bool closed = close (fd) == 0;
    if (!good)
        errno = kept;
    return good && closed;
}

bool run_file_write (int folder, const char *file, bytes_t data)
{
    char aside [64];
    snprintf (aside, sizeof aside, ".%s.%ld.%ld", file, (long) getpid (),
              (long) syscall (SYS_gettid));
    int fd = openat (folder, aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    if (!close_after (fd, write_all (fd, data) && fsync (fd) == 0) ||
        renameat (folder, aside, folder, file) != 0) {
        int kept = errno;
        unlinkat (folder, aside, 0);
        errno = kept;
        return false;
    }
    return fsync (folder) == 0;
}

/*  --- the claim --- */

static bool run_folder_room_take (int folder)
{
    int fd = openat (folder, room_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    int failed = posix_fallocate (fd, 0, END_BYTES);
    if (failed != 0)
        errno = failed;
    return close_after (fd, failed == 0 && fsync (fd) == 0);
}

/*  The claim is locked before it has its name: a process that sees the name sees the lock. */
int run_claim (int folder)
{
    char aside [64];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (faccessat (folder, claim_file, F_OK, 0) == 0) {
        errno = EEXIST;
        return -1;
    }
    if (!run_folder_room_take (folder))
        return -1;
    snprintf (aside, sizeof aside, ".claim.%ld.%ld", (long) getpid (), (long) syscall (SYS_gettid));
    int fd = openat (folder, aside, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -1;
    bool claimed = fcntl (fd, F_SETLK, &lock) == 0 && fsync (fd) == 0 &&
                   linkat (folder, aside, folder, claim_file, 0) == 0;
    int kept = errno;
    unlinkat (folder, aside, 0);
    if (claimed && fsync (folder) == 0)
        return fd;
    close (fd); /* a claim that could not be flushed is dead: its run is lost and never begun
                   again */
    errno = claimed ? EIO : kept;
    return -1;
}

/*  starter: the process that holds the claim, if it lives. */
static claim_t claimed_by (int folder, pid_t *starter)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    descriptor_auto_t fd = openat (folder, claim_file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? CLAIM_NONE : CLAIM_UNKNOWN;
    if (fcntl (fd, F_GETLK, &lock) != 0)
        return CLAIM_UNKNOWN;
    *starter = lock.l_pid;
    return lock.l_type == F_UNLCK ? CLAIM_DEAD : CLAIM_LIVE;
}

claim_t run_claimed (int folder)
{
    return claimed_by (folder, &(pid_t){0});
}

bool run_starter_signal (int folder, int signal)
{
    pid_t starter, still;
    if (claimed_by (folder, &starter) != CLAIM_LIVE)
        return false;
    descriptor_auto_t process = (int) syscall (SYS_pidfd_open, starter, 0);
    if (process >= 0 && claimed_by (folder, &still) == CLAIM_LIVE && still == starter)
        syscall (SYS_pidfd_send_signal, process, signal, NULL, 0);
    return true;
}

/*  --- the end --- */

/*  Writes into the room that was taken with the claim; if that is gone, into new room. */
bool run_end_record (int folder, const stand_t *stand)
{
    if (faccessat (folder, end_file, F_OK, 0) == 0)
        return true; /* its room may be the same file by another name */
    packed_t record = stand_encode (stand);
    int fd = openat (folder, room_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = fd >= 0 && write_all (fd, packed_bytes (record)) &&
                ftruncate (fd, (off_t) record.size) == 0 && fsync (fd) == 0;
    if (fd >= 0)
        good = close_after (fd, good);
    free (record.data);
    if (!good)
        return false;
    if (linkat (folder, room_file, folder, end_file, 0) != 0 && errno != EEXIST)
        return false;
    unlinkat (folder, room_file, 0);
    return fsync (folder) == 0;
}

/*  Reads the end as it was recorded; false when there is none yet. */
static bool run_end_read (int folder, const char *name, stand_t *stand)
{
    packed_t record;
    char why [WHY_BYTES];
    if (!run_file_read (folder, end_file, &record))
        return false;
    if (!codec_decode (&stand_codec, stand, packed_bytes (record), why)) {
        snprintf (stand->report.why, sizeof stand->report.why, "the record of its end is damaged");
        stand->report.state = RUN_LOST;
    }
    snprintf (stand->name, sizeof stand->name, "%s", name);
    free (record.data);
    return true;
}

/*  --- how it stands --- */

static void run_folder_use_read (int folder, stand_t *stand)
{
    packed_t use;
    if (!run_file_read (folder, "use", &use))
        return;
    int64_t started_ms, cpu_ms;
    int suspended = 0;
    if (sscanf ((const char *) use.data, "%" SCNd64 " %" SCNd64 " %" SCNu64 " %d", &started_ms,
                &cpu_ms, &stand->report.dropped, &suspended) >= 2) {
        stand->report.started_ms = started_ms;
        stand->report.cpu_ms = cpu_ms;
        stand->report.suspended = suspended != 0;
    }
    free (use.data);
}

static void run_folder_rest (void)
{
    nanosleep (&(struct timespec){.tv_nsec = KILL_ROUND_MS * 1000000}, NULL);
}

/*  Kills all processes with the run's mark. False when some are still there. */
static bool run_folder_leftovers_end (const char *runs, const char *name)
{
    char path [RUN_PATH_BYTES];
    run_path (path, runs, name);
    for (int round = 0; round < KILL_ROUNDS; round++) {
        if (processes_kill_marked (path) == 0)
            return true;
        run_folder_rest ();
    }
    return false;
}

static bool lost_record (const char *runs, const char *name, int folder, const char *why,
                         stand_t *stand)
{
    if (!run_folder_leftovers_end (runs, name))
        return false;
    run_folder_use_read (folder, stand);
    stand->report.state = RUN_LOST;
    stand->report.suspended = false;
    stand->report.ended_ms = clock_ms (CLOCK_REALTIME);
    snprintf (stand->report.why, sizeof stand->report.why, "%s", why);
    return run_end_record (folder, stand) && run_end_read (folder, name, stand);
}

static bool stand_in (const char *runs, const char *name, int folder, stand_t *stand)
{
    claim_t claim = run_claimed (folder);
    if (run_end_read (folder, name, stand))
        return true;
    switch (claim) {
    case CLAIM_NONE:
        return true;
    case CLAIM_LIVE:
        stand->report.state = RUN_RUNNING;
        run_folder_use_read (folder, stand);
        return true;
    case CLAIM_DEAD:
        return lost_record (runs, name, folder,
                            "its starter has died, or the machine was restarted", stand);
    default:
        return false;
    }
}

bool run_stand (const char *runs, const char *name, stand_t *stand)
{
    *stand = (stand_t){0};
    snprintf (stand->name, sizeof stand->name, "%s", name);
    descriptor_auto_t folder = run_folder_open (runs, name);
    return folder < 0 ? errno == ENOENT : stand_in (runs, name, folder, stand);
}

bool run_force (const char *runs, const char *name, const char *why, stand_t *stand)
{
    descriptor_auto_t folder = run_folder_open (runs, name);
    if (folder < 0)
        return false;
    *stand = (stand_t){0};
    snprintf (stand->name, sizeof stand->name, "%s", name);
    for (int round = 0; round < KILL_ROUNDS && run_starter_signal (folder, SIGKILL); round++)
        run_folder_rest ();
    return run_end_read (folder, name, stand) ||
           (run_claimed (folder) == CLAIM_DEAD && lost_record (runs, name, folder, why, stand));
}
