/*  transfer_client - runs a guest in a folder beside the file that it takes, so that this only has
 *  to be renamed at the end.
 */
#include "transfer_client.h"

#include "must.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define END_MS       3000
#define RANDOM_BYTES 8
#define ROOM_BYTES   (UINT64_C (1) << 20) /* room for more than the file */

static bool transfer_client_failed (char why [LONG_WHY_BYTES], const char *what, const char *path)
{
    snprintf (why, LONG_WHY_BYTES, "%.300s: %s: %s", path, what, strerror (errno));
    return false;
}

static bool transfer_client_folder_make (transfer_client_t *self, const transfer_order_t *order,
                                         char why [LONG_WHY_BYTES])
{
    const char *temporary = getenv ("TMPDIR");
    const char *slash = strrchr (order->path, '/');
    if (order->gives)
        self->folder =
          must_print ("%s/musubi-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    else
        self->folder = must_print ("%.*s/.musubi-XXXXXX", (int) (slash - order->path), order->path);
    if (mkdtemp (self->folder))
        return true;
    transfer_client_failed (why, "can't be made", self->folder);
    free (self->folder);
    self->folder = NULL;
    return false;
}

static void name_draw (transfer_client_t *self)
{
    uint8_t bytes [RANDOM_BYTES];
    char hex [2 * RANDOM_BYTES + 1];
    randombytes_buf (bytes, sizeof bytes);
    sodium_bin2hex (hex, sizeof hex, bytes, sizeof bytes);
    snprintf (self->name, sizeof self->name, "guest-%s", hex);
}

#define SETTINGS_MAX 11

static bool transfer_client_run (transfer_client_t *self, const char *endpoint,
                                 const transfer_order_t *order, char why [LONG_WHY_BYTES])
{
    char program [PROGRAM_BYTES];
    const char *verb = order->gives ? "gives" : "takes";
    uint64_t bytes = order->size + ROOM_BYTES;
    size_t count = 9;
    char *settings [SETTINGS_MAX] = {
      must_print ("name=%s", self->name),
      must_print ("replica=%s", endpoint),
      must_print ("folder=%s/files", self->folder),
      must_print ("store/folder=%s/store", self->folder),
      must_print ("bytes=%" PRIu64, bytes),
      must_print ("guest/guest=true"),
      must_print ("guest/%s=%s", verb, order->name),
      must_print ("guest/%s_path=%s", verb, order->path),
      must_print ("store/bytes=16777216"),
    };
    if (order->bind) {
        settings [count++] = must_print ("bind/data=%s", order->bind);
        settings [count++] = must_print ("bind/trusted=true");
    }
    char node [] = "node";
    char set [] = "--set";
    char *arguments [3 + 2 * SETTINGS_MAX] = {program, node};
    for (size_t i = 0; i < count; i++) {
        arguments [2 + 2 * i] = set;
        arguments [3 + 2 * i] = settings [i];
    }
    text_auto_t *output = must_print ("%s/ready", self->folder);
    text_auto_t *log = must_print ("%s/log", self->folder);
    bool good = process_beside ("svc-replica", program) &&
                process_start (&self->process, program, arguments, output, log);
    if (!good)
        transfer_client_failed (why, "can't be started", program);
    for (size_t i = 0; i < count; i++)
        free (settings [i]);
    return good;
}

bool transfer_client_start (transfer_client_t *self, const char *endpoint,
                            const transfer_order_t *order, char why [LONG_WHY_BYTES])
{
    *self = (transfer_client_t){.folder = NULL};
    if (sodium_init () < 0)
        return transfer_client_failed (why, "can't be used", "libsodium");
    name_draw (self);
    return transfer_client_folder_make (self, order, why) &&
           transfer_client_run (self, endpoint, order, why);
}

bool transfer_client_lives (const transfer_client_t *self, char why [LONG_WHY_BYTES])
{
    if (process_lives (&self->process))
        return true;
    text_auto_t *path = must_print ("%s/log", self->folder);
    file_auto_t *file = fopen (path, "re");
    char line [LONG_WHY_BYTES];
    snprintf (why, LONG_WHY_BYTES,
              "the process that sends or receives it on this machine (svc-replica node) has ended");
    while (file && fgets (line, sizeof line, file)) {
        line [strcspn (line, "\n")] = '\0';
        snprintf (why, LONG_WHY_BYTES, "%s", line);
    }
    return false;
}

static int remove_one (const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void) status;
    (void) kind;
    (void) walk;
    remove (path);
    return 0;
}

void transfer_client_end (transfer_client_t *self)
{
    if (self->process.pid != 0)
        process_end (&self->process, 1, END_MS);
    if (self->folder)
        nftw (self->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free (self->folder);
    *self = (transfer_client_t){.folder = NULL};
}
