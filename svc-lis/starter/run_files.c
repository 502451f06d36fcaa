/*  run_files - every folder on the way is opened by itself, and no link is followed: what is in the
 *  working folder belongs to the account.
 */
#include "run_files.h"

#include "must.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*  --- files with the rights of an account ---
 *
 *  Rights are those of the calling thread alone, since others go on beside it: the file system's
 *  ids, without which the kernel also takes root's power over files away, and the groups, by system
 *  call, as the C library would change them in every thread.
 */

#define GROUPS_MAX 1024
#define TEXT_BYTES 16384

typedef struct {
    uid_t uid;
    gid_t gid;
    gid_t groups [GROUPS_MAX];
    int count;
} rights_t;

static bool rights_of (const char *account, rights_t *rights)
{
    struct passwd entry, *found = NULL;
    char text [TEXT_BYTES];
    if (getpwnam_r (account, &entry, text, sizeof text, &found) != 0 || !found)
        return false;
    rights->uid = entry.pw_uid;
    rights->gid = entry.pw_gid;
    rights->count = GROUPS_MAX;
    return getgrouplist (account, entry.pw_gid, rights->groups, &rights->count) >= 0;
}

/*  Setting an id that does not exist changes nothing and tells which one is set. */
static bool rights_take (const rights_t *rights)
{
    if (syscall (SYS_setgroups, (size_t) rights->count, rights->groups) != 0)
        return false;
    setfsgid (rights->gid);
    setfsuid (rights->uid);
    return (gid_t) setfsgid ((gid_t) -1) == rights->gid &&
           (uid_t) setfsuid ((uid_t) -1) == rights->uid;
}

int open_as (const char *account, int folder, const char *path)
{
    rights_t own = {.uid = geteuid (), .gid = getegid ()};
    rights_t rights;
    own.count = getgroups (GROUPS_MAX, own.groups);
    if (own.count < 0 || !rights_of (account, &rights) || rights.uid == 0 ||
        (own.uid != 0 && own.uid != rights.uid)) {
        errno = EPERM;
        return -1;
    }
    bool taken = own.uid != 0 || rights_take (&rights);
    int fd = taken ? openat (folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    int error = taken ? errno : EPERM;
    /*  The process must not go on with the rights of somebody else. */
    if (own.uid == 0 && !rights_take (&own))
        abort ();
    errno = error;
    return fd;
}

#define PIECE_BYTES (1u << 24)
#define OUTPUT_MODE 0640 /* as a storage node's other files */

/*  The folder of a path below the working folder, and where the last part of the path begins. make:
 *  whose it is when it has to be made; NULL = it should be there. -1 with errno. */
static int run_files_folder_of (int work, const char *path, const run_files_account_t *make,
                                const char **last)
{
    int folder = fcntl (work, F_DUPFD_CLOEXEC, 0);
    for (const char *slash; folder >= 0 && (slash = strchr (path, '/')); path = slash + 1) {
        char part [TASK_PATH_BYTES_MAX + 1];
        snprintf (part, sizeof part, "%.*s", (int) (slash - path), path);
        bool made = make && mkdirat (folder, part, 0700) == 0;
        int next = openat (folder, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (next >= 0 && made && make->other && fchown (next, make->uid, make->gid) != 0)
            descriptor_close (&next);
        descriptor_close (&folder);
        folder = next;
    }
    *last = path;
    return folder;
}

/*  -1 with errno; a site may know none. */
static int arrivals_open (const char *path)
{
    return open (path ? path : "", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/*  --- inputs --- */

static int open_below (int folder, const char *path, uint64_t flags)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | flags,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    return (int) syscall (SYS_openat2, folder, path, &how, sizeof how);
}

/*  Of the path that the site tells only the last part counts: this process may read what neither
 *  site nor storage node may, so it opens nothing but what lies in the storage node's own folder.
 *  -1 with errno. */
static int input_open (const char *arrivals, const run_file_t *input, uid_t *owner)
{
    struct stat told;
    const char *name = strrchr (input->copy, '/');
    descriptor_auto_t beside = arrivals_open (arrivals);
    descriptor_auto_t node =
      beside < 0 ? -1 : openat (beside, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    descriptor_auto_t files = node < 0 ? -1 : open_below (node, "files", O_DIRECTORY);
    if (files < 0 || fstat (files, &told) != 0)
        return -1;
    *owner = told.st_uid;
    return open_below (files, name ? name + 1 : input->copy, O_NONBLOCK | O_NOCTTY);
}

/*  Are these the bytes that were proved, as far as their number tells, and are they safe from the
 *  account? owner: of the folder in which the copy is. */
static bool copy_right (const run_file_t *input, const struct stat *copy, uid_t owner,
                        const run_files_account_t *account, char why [WHY_BYTES])
{
    if (!S_ISREG (copy->st_mode) || copy->st_uid != owner)
        return wrong (why,
                      "input %.120s: its copy on this machine is no plain file of the storage node",
                      input->name);
    if ((uint64_t) copy->st_size != input->size)
        return wrong (why,
                      "input %.120s: its copy on this machine has %" PRId64
                      " bytes, and should have %" PRIu64,
                      input->name, (int64_t) copy->st_size, input->size);
    if (account->other && (copy->st_uid == account->uid || (copy->st_mode & 0022) != 0))
        return wrong (why,
                      "input %.120s: account %.31s could write its copy; give storage nodes an "
                      "account of their own",
                      input->name, account->name);
    return true;
}

/*  By a symbolic link, if the account can open the copy; else by a hard link that it can read. */
static bool input_link (const run_file_t *input, int copy, const struct stat *told, int folder,
                        const char *last, const run_files_account_t *account)
{
    struct stat seen;
    descriptor_auto_t probe = open_as (account->name, AT_FDCWD, input->copy);
    if (probe >= 0 && fstat (probe, &seen) == 0 && seen.st_dev == told->st_dev &&
        seen.st_ino == told->st_ino)
        return symlinkat (input->copy, folder, last) == 0;
    return account->other && fchmod (copy, (told->st_mode & 07777) | 0044) == 0 &&
           linkat (copy, "", folder, last, AT_EMPTY_PATH) == 0;
}

static bool input_enter (const ticket_t *ticket, const run_file_t *input, int work,
                         const run_files_account_t *account, char why [WHY_BYTES])
{
    struct stat told;
    uid_t owner;
    const char *last;
    descriptor_auto_t copy = input_open (ticket->arrivals, input, &owner);
    if (copy < 0 || fstat (copy, &told) != 0)
        return wrong (why, "input %.120s: its copy on this machine: %s", input->name,
                      strerror (errno));
    if (!copy_right (input, &told, owner, account, why))
        return false;
    descriptor_auto_t folder = run_files_folder_of (work, input->path, account, &last);
    return (folder >= 0 && input_link (input, copy, &told, folder, last, account)) ||
           wrong (why, "input %.120s: %s%s", input->name, strerror (errno),
                  errno == EXDEV ? "; its account can't open the copy, and runs are on another disk"
                                 : "");
}

bool run_files_enter (const ticket_t *ticket, int work, const run_files_account_t *account,
                      char why [WHY_BYTES])
{
    for (size_t i = 0; i < ticket->order->inputs_count; i++)
        if (!input_enter (ticket, &ticket->order->inputs [i], work, account, why))
            return false;
    return true;
}

bool run_files_gone (const ticket_t *ticket)
{
    bool gone = false;
    for (size_t i = 0; i < ticket->order->inputs_count && !gone; i++) {
        const run_file_t *input = &ticket->order->inputs [i];
        struct stat told;
        uid_t owner;
        descriptor_auto_t copy = input_open (ticket->arrivals, input, &owner);
        gone = copy < 0 ? errno == ENOENT
                        : fstat (copy, &told) == 0 && (uint64_t) told.st_size != input->size;
    }
    return gone;
}

void run_files_leave (const run_order_t *order, int work)
{
    for (size_t i = 0; i < order->inputs_count; i++) {
        const char *last;
        descriptor_auto_t folder = run_files_folder_of (work, order->inputs [i].path, NULL, &last);
        if (folder >= 0)
            unlinkat (folder, last, 0);
    }
}

/*  --- outputs --- */

/*  Nobody but the storage node can change it from now on: whoever has it open for writing keeps a
 *  lease from being given. On a disk of other machines, too, a lease says nothing. */
static bool output_take (int output, const struct stat *arrivals, bool shared)
{
    bool other = geteuid () == 0;
    if (fchmod (output, OUTPUT_MODE) != 0 ||
        (other && fchown (output, arrivals->st_uid, arrivals->st_gid) != 0))
        return false;
    if (other && !shared && fcntl (output, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN) {
        errno = ETXTBSY;
        return false;
    }
    fcntl (output, F_SETLEASE, F_UNLCK);
    return fsync (output) == 0;
}

static bool output_copy (int output, int arrivals, const char *name, const struct stat *told)
{
    descriptor_auto_t copy =
      openat (arrivals, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OUTPUT_MODE);
    if (copy < 0)
        return false;
    bool good = fchown (copy, told->st_uid, told->st_gid) == 0;
    ssize_t more = 1;
    while (good && (more = sendfile (copy, output, NULL, PIECE_BYTES)) > 0)
        ;
    good = good && more == 0 && fsync (copy) == 0;
    int kept = errno;
    if (!good)
        unlinkat (arrivals, name, 0);
    errno = kept;
    return good;
}

/*  Is that what has the name in the folder for arrivals? */
static bool output_given (const struct stat *output, int arrivals, const char *name)
{
    struct stat given;
    return fstatat (arrivals, name, &given, AT_SYMLINK_NOFOLLOW) == 0 &&
           given.st_ino == output->st_ino && given.st_dev == output->st_dev;
}

/*  The name may have been used by a starter that has died. What is on the disk of the arrivals is
 *  linked before it is taken, so that one that was taken is known by its link. */
static bool output_give (int output, const struct stat *told, int folder, const char *last,
                         int arrivals, const char *name, bool shared)
{
    struct stat place;
    unlinkat (arrivals, name, 0);
    bool linked = linkat (folder, last, arrivals, name, 0) == 0;
    if (fstat (arrivals, &place) != 0 || (!linked && errno != EXDEV))
        return false;
    if (!linked)
        return output_take (output, told, shared) && output_copy (output, arrivals, name, &place);
    errno = ESTALE;
    bool good = output_given (told, arrivals, name) && output_take (output, &place, shared);
    int kept = errno;
    if (!good)
        unlinkat (arrivals, name, 0);
    errno = kept;
    return good;
}

static bool output_hand (const run_file_t *file, int work, int arrivals, uid_t uid, bool shared,
                         char why [WHY_BYTES])
{
    struct stat told, place;
    const char *last = file->path;
    const char *what = NULL;
    descriptor_auto_t folder = run_files_folder_of (work, file->path, NULL, &last);
    descriptor_auto_t output =
      folder < 0 ? -1
                 : openat (folder, last, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (strchr (file->copy, '/'))
        what = "its name in the folder for arrivals should have no slash";
    else if (output < 0 || fstat (output, &told) != 0)
        what = errno == ENOENT ? "the task has not written it" : strerror (errno);
    else if (output_given (&told, arrivals, file->copy) && fstat (arrivals, &place) == 0 &&
             told.st_uid == place.st_uid)
        what = fsync (output) == 0 ? NULL : strerror (errno); /* an agent has died since */
    else if (!S_ISREG (told.st_mode) || told.st_uid != uid)
        what = "it is no plain file of the task's account";
    else if (!output_give (output, &told, folder, last, arrivals, file->copy, shared))
        what = errno == ETXTBSY ? "a process has it still open for writing" : strerror (errno);
    return !what || wrong (why, "output %.150s: %s", file->path, what);
}

bool run_files_hand (const ticket_t *ticket, int work, uid_t uid, bool shared, char why [WHY_BYTES])
{
    const run_order_t *order = ticket->order;
    descriptor_auto_t arrivals = arrivals_open (ticket->arrivals);
    if (arrivals < 0)
        return wrong (why, "the folder for arrivals (storage/arrivals; inputs/shared): %s",
                      strerror (errno));
    for (size_t i = 0; i < order->outputs_count; i++)
        if (!output_hand (&order->outputs [i], work, arrivals, uid, shared, why))
            return false;
    return fsync (arrivals) == 0 || wrong (why, "the folder for arrivals: %s", strerror (errno));
}
