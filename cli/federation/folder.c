/*  folder - the files of a federation. The list of members is replaced as a whole, so that a reader
 *  or a crash finds either the old or the new one.
 */
#include "folder.h"

#include "json_fields.h"
#include "must.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PORTS_BEGIN      10000
#define PORTS_END_PRESET 32768
#define PORTS_LEAST      1000
#define PORT_TRIES       256

char *folder_file (const folder_t *self, const char *name)
{
    return must_print ("%s/%s", self->path, name);
}

char *folder_member_file (const folder_t *self, const folder_process_t *member, const char *before,
                          const char *after)
{
    return must_print ("%s/%s%s-%s%s", self->path, before, member->kind, member->name, after);
}

/*  Creates a folder and the folders above it. */
static bool make_path (const char *path)
{
    char *copy = must (strdup (path));
    bool made = true;
    for (char *at = copy + 1; made; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char kept = *at;
        *at = '\0';
        made = mkdir (copy, 0755) == 0 || errno == EEXIST;
        *at = kept;
        if (kept == '\0')
            break;
    }
    free (copy);
    return made;
}

static void take_text (const json_t *from, const char *key, char *to, size_t size)
{
    snprintf (to, size, "%s", text_of (from, key));
}

static folder_process_t *folder_append (folder_t *self)
{
    self->members =
      must (realloc (self->members, (self->members_count + 1) * sizeof *self->members));
    folder_process_t *member = &self->members [self->members_count++];
    memset (member, 0, sizeof *member);
    return member;
}

static void folder_read_member (folder_t *self, const json_t *json, bool this_boot)
{
    folder_process_t *member = folder_append (self);
    take_text (json, "kind", member->kind, sizeof member->kind);
    take_text (json, "name", member->name, sizeof member->name);
    take_text (json, "endpoint", member->endpoint, sizeof member->endpoint);
    take_text (json, "events", member->events, sizeof member->events);
    if (this_boot)
        member->process = (process_t){.pid = (pid_t) number_of (json, "pid"),
                                      .started = (uint64_t) number_of (json, "started")};
}

/*  A folder without the list is new. */
static bool read_members (folder_t *self, char why [LONG_WHY_BYTES])
{
    text_auto_t *path = folder_file (self, "members.json");
    json_error_t error = {.text = ""};
    json_auto_t *list =
      access (path, F_OK) == 0 ? json_load_file (path, 0, &error) : json_object ();
    if (!list) {
        snprintf (why, LONG_WHY_BYTES, "%s:%d: %s", path, error.line, error.text);
        return false;
    }
    char boot [BOOT_BYTES];
    process_boot (boot);
    const json_t *member;
    for (size_t i = 0; (member = item_of (list, "members", i)); i++)
        if (i < MEMBERS_MAX)
            folder_read_member (self, member, strcmp (boot, text_of (list, "boot")) == 0);
    return true;
}

static bool take_lock (folder_t *self, char why [LONG_WHY_BYTES])
{
    text_auto_t *path = folder_file (self, "lock");
    self->lock = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (self->lock >= 0 && flock (self->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    snprintf (why, LONG_WHY_BYTES, "%s: %s", self->path,
              self->lock >= 0 && errno == EWOULDBLOCK
                ? "another `musubi up` or `musubi down` is using it; try again"
                : strerror (errno));
    return false;
}

bool folder_open (folder_t *self, const char *path, bool make, char why [LONG_WHY_BYTES])
{
    *self = (folder_t){.lock = -1};
    if (make && !make_path (path)) {
        snprintf (why, LONG_WHY_BYTES, "%s: can't be created: %s", path, strerror (errno));
        return false;
    }
    self->path = realpath (path, NULL);
    if (!self->path) {
        snprintf (why, LONG_WHY_BYTES, "%s: %s", path, strerror (errno));
        return false;
    }
    return take_lock (self, why) && read_members (self, why);
}

void folder_close (folder_t *self)
{
    free (self->path);
    free (self->members);
    if (self->lock >= 0)
        close (self->lock);
    *self = (folder_t){.lock = -1};
}

json_t *folder_members (const folder_t *self, bool kept)
{
    json_t *members = made (json_array ());
    for (size_t i = 0; i < self->members_count; i++) {
        const folder_process_t *member = &self->members [i];
        json_t *one = made (json_pack ("{s:s, s:s, s:I, s:s, s:s}", "kind", member->kind, "name",
                                       member->name, "pid", (json_int_t) member->process.pid,
                                       "endpoint", member->endpoint, "events", member->events));
        if (kept)
            take (one, "started", json_integer ((json_int_t) member->process.started));
        take_last (members, one);
    }
    return members;
}

bool folder_save (const folder_t *self)
{
    text_auto_t *path = folder_file (self, "members.json");
    text_auto_t *fresh = folder_file (self, "members.json.new");
    char boot [BOOT_BYTES];
    process_boot (boot);
    json_auto_t *list =
      made (json_pack ("{s:s, s:o}", "boot", boot, "members", folder_members (self, true)));
    return json_dump_file (list, fresh, JSON_INDENT (2)) == 0 && rename (fresh, path) == 0;
}

/*  Ports lie below those that the system gives to outgoing connections, or one of these might have
 *  a member's port just when the member comes back. */
static uint32_t ports_end (void)
{
    uint32_t end = PORTS_END_PRESET;
    file_auto_t *file = fopen ("/proc/sys/net/ipv4/ip_local_port_range", "re");
    char line [64];
    if (file && fgets (line, sizeof line, file))
        end = (uint32_t) strtoul (line, NULL, 10);
    return end > PORTS_BEGIN + PORTS_LEAST && end < 65536 ? end : PORTS_END_PRESET;
}

/*  Can it be bound now? */
static bool port_free (uint32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons ((uint16_t) port),
                                  .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
    descriptor_auto_t held = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return held >= 0 && bind (held, (struct sockaddr *) &address, sizeof address) == 0;
}

static bool folder_place_taken (const folder_t *self, const char *place)
{
    for (size_t i = 0; i < self->members_count; i++)
        if (strcmp (self->members [i].endpoint, place) == 0 ||
            strcmp (self->members [i].events, place) == 0)
            return true;
    return false;
}

/*  A free port of loopback that no member has, not even one that does not run now. */
static bool own_port (const folder_t *self, char place [MEMBER_PLACE_BYTES])
{
    uint32_t ports = ports_end () - PORTS_BEGIN;
    for (int tries = 0; tries < PORT_TRIES; tries++) {
        uint32_t port = PORTS_BEGIN + randombytes_uniform (ports);
        snprintf (place, MEMBER_PLACE_BYTES, "tcp://127.0.0.1:%" PRIu32, port);
        if (!folder_place_taken (self, place) && port_free (port))
            return true;
    }
    return false;
}

folder_process_t *folder_add (folder_t *self, const char *kind, const char *name)
{
    char place [MEMBER_PLACE_BYTES];
    self->full = self->full || self->members_count == MEMBERS_MAX || !own_port (self, place);
    if (self->full)
        return NULL;
    folder_process_t *member = folder_append (self);
    snprintf (member->kind, sizeof member->kind, "%s", kind);
    snprintf (member->name, sizeof member->name, "%s", name);
    snprintf (member->endpoint, sizeof member->endpoint, "%s", place);
    if (own_port (self, place)) {
        snprintf (member->events, sizeof member->events, "%s", place);
        return member;
    }
    self->members_count--;
    self->full = true;
    return NULL;
}

folder_process_t *folder_find (const folder_t *self, const char *kind, const char *name)
{
    for (size_t i = 0; i < self->members_count; i++)
        if (strcmp (self->members [i].kind, kind) == 0 &&
            strcmp (self->members [i].name, name) == 0)
            return &self->members [i];
    return NULL;
}

size_t folder_count (const folder_t *self, const char *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < self->members_count; i++)
        count += strcmp (self->members [i].kind, kind) == 0;
    return count;
}

char *folder_directories (const folder_t *self, const folder_process_t *but)
{
    char *list = must (strdup (""));
    for (size_t i = 0; i < self->members_count; i++) {
        const folder_process_t *member = &self->members [i];
        if (member == but || strcmp (member->kind, "gis") != 0)
            continue;
        text_auto_t *before = list;
        list = must_print ("%s%s%s", before, *before ? "," : "", member->endpoint);
    }
    return list;
}
