/*  transfer_client - runs a guest in a folder beside the file that it takes, so that this only has
 *  to be renamed at the end, and can be gone on with by the next one.
 */
#include "transfer_client.h"

#include "json_fields.h"
#include "must.h"

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <netdb.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*  --- by which of its addresses this machine reaches a service: a datagram socket that is
 *  connected has one, and connecting it sends nothing --- */

#define HOST_BYTES 256
#define PORT_BYTES 16

/*  The address in digits from which that one is reached. */
static bool own_address_towards (int family, const char *host, const char *port,
                                 char own [HOST_BYTES])
{
    struct addrinfo *to = NULL, wish = {.ai_family = family, .ai_socktype = SOCK_DGRAM};
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getaddrinfo (host, port, &wish, &to) != 0)
        return false;
    descriptor_auto_t file = socket (family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good =
      file >= 0 && connect (file, to->ai_addr, to->ai_addrlen) == 0 &&
      getsockname (file, (struct sockaddr *) &bound, &size) == 0 &&
      getnameinfo ((struct sockaddr *) &bound, size, own, HOST_BYTES, NULL, 0, NI_NUMERICHOST) == 0;
    freeaddrinfo (to);
    return good;
}

char *own_address (const char *service)
{
    char host [HOST_BYTES], port [PORT_BYTES], own [HOST_BYTES];
    if (sscanf (service, "tcp://[%255[^]]]:%15s", host, port) != 2 &&
        sscanf (service, "tcp://%255[^:]:%15s", host, port) != 2)
        return must_print ("tcp://127.0.0.1:0");        /* ipc: on this machine */
    if (own_address_towards (AF_INET, host, port, own)) /* as services are called */
        return must_print ("tcp://%s:0", own);
    if (own_address_towards (AF_INET6, host, port, own))
        return must_print ("tcp://[%s]:0", own);
    return NULL;
}

#define SUFFIX       ".musubi-part"
#define LOCK_MS      1000
#define LOCK_REST_MS 20
#define PART         "/node/parts/part"

bool path_failed (char why [LONG_WHY_BYTES], const char *what, const char *path)
{
    snprintf (why, LONG_WHY_BYTES, "%.300s: %s: %s", path, what, strerror (errno));
    return false;
}

char *path_temporary (const char *name)
{
    const char *folder = getenv ("TMPDIR");
    return must_print ("%s/%s", folder && *folder ? folder : "/tmp", name);
}

/*  --- the folder beside what is fetched: it is removed under another name, so that a next one may
 *  be made meanwhile; a lock counts only if it is still that of the folder --- */

static bool gone_on_with (const FTSENT *at)
{
    return (at->fts_level == 3 && strncmp (at->fts_name, "part", 4) == 0) || /* and its marks */
           (at->fts_level == 1 && listed ("lock folder", at->fts_name));
}

/*  Removes a folder, or what is in it but need not be kept; a folder that is not empty stays. */
static void folder_remove (char *path, bool kept)
{
    char *const tops [] = {path, NULL};
    FTS *walk = fts_open (tops, FTS_NOCHDIR | FTS_PHYSICAL, NULL);
    for (FTSENT *at; walk && (at = fts_read (walk));)
        if (kept && gone_on_with (at))
            fts_set (walk, at, FTS_SKIP);
        else if (at->fts_info != FTS_D)
            remove (at->fts_path);
    if (walk)
        fts_close (walk);
}

/*  What an earlier one has left: a verified file that has not got its name is a part again. */
static void part_folder_tidy (const part_folder_t *self)
{
    text_auto_t *whole = must_print ("%s/whole", self->path);
    text_auto_t *whole_marks = must_print ("%s.marks", whole);
    text_auto_t *part = must_print ("%s" PART, self->path);
    text_auto_t *part_marks = must_print ("%s.marks", part);
    if (rename (whole, part) == 0)
        (void) rename (whole_marks, part_marks); /* without marks its bytes are received again */
    folder_remove (self->path, true);
}

/*  --- the lock --- */

/*  The guest inherits the lock, so that it is not free before the guest has ended, too. False with
 *  errno; the lock is closed by its caller in either case. */
static bool part_folder_lock (part_folder_t *self)
{
    struct stat held, there;
    text_auto_t *path = must_print ("%s/lock", self->path);
    self->lock = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return self->lock >= 0 && fcntl (self->lock, F_SETFD, 0) == 0 &&
           flock (self->lock, LOCK_EX | LOCK_NB) == 0 && fstat (self->lock, &held) == 0 &&
           stat (path, &there) == 0 && held.st_ino == there.st_ino;
}

/*  Nobody else may put anything into it. False with errno. */
static bool part_folder_make (const part_folder_t *self)
{
    struct stat found;
    if (mkdir (self->path, 0700) == 0)
        return true;
    return errno == EEXIST && lstat (self->path, &found) == 0 && S_ISDIR (found.st_mode) &&
           found.st_uid == geteuid () && (found.st_mode & 022) == 0;
}

static bool part_folder_take (part_folder_t *self)
{
    for (int64_t until_ms = cli_mono_ms () + LOCK_MS; part_folder_make (self);) {
        if (part_folder_lock (self))
            return true;
        descriptor_close (&self->lock);
        if (cli_mono_ms () > until_ms || cli_interrupted ())
            break;
        cli_rest (LOCK_REST_MS);
    }
    return false;
}

static void old_ones_remove (const char *parent)
{
    DIR *folder = opendir (parent);
    for (const struct dirent *entry; folder && (entry = readdir (folder));) {
        struct stat found;
        text_auto_t *path = must_print ("%s%s", parent, entry->d_name);
        part_folder_t old = {.path = path, .lock = -1};
        if (entry->d_name [0] == '.' && strstr (entry->d_name, SUFFIX) &&
            lstat (path, &found) == 0 && S_ISDIR (found.st_mode) &&
            time (NULL) - found.st_mtime > PARTS_KEPT_DAYS * 86400 && part_folder_lock (&old))
            folder_remove (path, false);
        descriptor_close (&old.lock);
    }
    if (folder)
        closedir (folder);
}

/*  --- its life --- */

static char *folder_of (const char *target)
{
    return must_print ("%.*s", (int) (strrchr (target, '/') - target + 1), target);
}

bool part_folder_open (part_folder_t *self, const char *target, char why [LONG_WHY_BYTES])
{
    text_auto_t *parent = folder_of (target);
    old_ones_remove (parent);
    *self = (part_folder_t){
      .path = must_print ("%s.%.200s" SUFFIX, parent, target + strlen (parent)), .lock = -1};
    if (part_folder_take (self)) {
        part_folder_tidy (self);
        return true;
    }
    if (errno == EWOULDBLOCK)
        snprintf (why, LONG_WHY_BYTES, "%.400s is being fetched already by another get", target);
    else
        path_failed (why, "can't be used", self->path);
    free (self->path);
    self->path = NULL;
    return false;
}

/*  -1 when there is no such file in it. */
static int64_t part_folder_size (const part_folder_t *self, const char *name)
{
    struct stat found;
    text_auto_t *path = must_print ("%s%s", self->path, name);
    return stat (path, &found) == 0 ? found.st_size : -1;
}

uint64_t part_folder_bytes (const part_folder_t *self)
{
    int64_t part = part_folder_size (self, PART), whole = part_folder_size (self, "/whole");
    return (uint64_t) (part > 0 ? part : whole > 0 ? whole : 0);
}

bool part_folder_whole (const part_folder_t *self)
{
    return part_folder_size (self, "/whole") >= 0;
}

bool part_folder_name (const part_folder_t *self, const char *target, char why [LONG_WHY_BYTES])
{
    text_auto_t *whole = must_print ("%s/whole", self->path);
    text_auto_t *parent = folder_of (target);
    mode_t mask = umask (0);
    umask (mask);
    if (chmod (whole, 0666 & ~mask) != 0 || rename (whole, target) != 0)
        return path_failed (why, "can't get the file", target);
    descriptor_auto_t folder = open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return (folder >= 0 && fsync (folder) == 0) || path_failed (why, "can't be flushed", parent);
}

void part_folder_close (part_folder_t *self, bool stays)
{
    if (!self->path)
        return;
    if (!stays || (part_folder_bytes (self) == 0 && part_folder_size (self, "/folder") < 0)) {
        text_auto_t *aside = must_print ("%s.%ld", self->path, (long) getpid ());
        folder_remove (rename (self->path, aside) == 0 ? aside : self->path, false);
    }
    descriptor_close (&self->lock);
    free (self->path);
    self->path = NULL;
}

/*  --- the guest --- */

#define END_MS       3000
#define LEAVE_MS     500
#define RANDOM_BYTES 8
#define ROOM_BYTES   (UINT64_C (1) << 20) /* room for more than the file */

static void name_draw (transfer_client_t *self)
{
    uint8_t bytes [RANDOM_BYTES];
    char hex [2 * RANDOM_BYTES + 1];
    randombytes_buf (bytes, sizeof bytes);
    sodium_bin2hex (hex, sizeof hex, bytes, sizeof bytes);
    snprintf (self->name, sizeof self->name, "guest-%s", hex);
}

/*  The arguments are those of storage_main.h. */
static bool transfer_client_run (transfer_client_t *self, const char *endpoint,
                                 const transfer_order_t *order, char why [LONG_WHY_BYTES])
{
    char program [PROGRAM_BYTES];
    text_auto_t *bind = order->bind ? must_print ("%s", order->bind) : own_address (endpoint);
    if (!bind) {
        snprintf (why, LONG_WHY_BYTES, "%.200s: no address of this machine leads there", endpoint);
        return false;
    }
    text_auto_t *client = must_print ("%ld", (long) getpid ());
    text_auto_t *bytes = must_print ("%" PRIu64, order->size + ROOM_BYTES);
    text_auto_t *path =
      order->gives ? must_print ("%s", order->path) : must_print ("%s/whole", self->part.path);
    const char *arguments [] = {program,     "guest",  client,
                                self->name,  endpoint, self->part.path,
                                bytes,       bind,     order->gives ? "gives" : "takes",
                                order->name, path,     NULL};
    text_auto_t *output = must_print ("%s/ready", self->part.path);
    text_auto_t *log = must_print ("%s/log", self->part.path);
    return (process_beside ("svc-replica", program) &&
            process_start (&self->process, program, (char *const *) arguments, output, log)) ||
           path_failed (why, "can't be started", program);
}

bool transfer_client_start (transfer_client_t *self, const char *endpoint,
                            const transfer_order_t *order, char why [LONG_WHY_BYTES])
{
    *self = (transfer_client_t){.part.lock = -1};
    if (sodium_init () < 0)
        return path_failed (why, "can't be used", "libsodium");
    name_draw (self);
    text_auto_t *aside = path_temporary (self->name);
    return part_folder_open (&self->part, order->gives ? aside : order->path, why) &&
           transfer_client_run (self, endpoint, order, why);
}

/*  Finds the last line of its log that has this, and takes what follows up to the end. */
static bool log_find (const transfer_client_t *self, const char *what, const char *end,
                      char found [LONG_WHY_BYTES])
{
    text_auto_t *path = must_print ("%s/log", self->part.path);
    file_auto_t *file = fopen (path, "re");
    char line [LONG_WHY_BYTES];
    bool any = false;
    while (file && fgets (line, sizeof line, file)) {
        const char *at = strstr (line, what);
        if (!at)
            continue;
        at += strlen (what);
        snprintf (found, LONG_WHY_BYTES, "%.*s", (int) strcspn (at, end), at);
        any = true;
    }
    return any;
}

bool transfer_client_lives (const transfer_client_t *self, char why [LONG_WHY_BYTES])
{
    if (process_lives (&self->process))
        return true;
    snprintf (
      why, LONG_WHY_BYTES,
      "the process that sends or receives it on this machine (svc-replica guest) has ended");
    log_find (self, "", "\n", why);
    return false;
}

bool transfer_client_failed (const transfer_client_t *self, char why [LONG_WHY_BYTES])
{
    return self->part.path && log_find (self, " why=\"", "\"\n", why);
}

void transfer_client_end (transfer_client_t *self, bool stays)
{
    if (self->process.pid != 0 && stays)
        process_end (&self->process, 1, END_MS);
    else if (self->process.pid != 0)
        process_leave (&self->process, LEAVE_MS); /* it may feed on, for whoever is slower */
    part_folder_close (&self->part, stays);
}
