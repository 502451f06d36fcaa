/*  open_as - changes the rights of the calling thread alone, since others go on beside it: the file
 *  system's ids, without which the kernel also takes root's power over files away, and the groups,
 *  by system call, as the C library would change them in every thread.
 */
#include "open_as.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

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
