/*  transfer_client - runs a guest in a folder beside the file that it takes, so that this only has
 *  to be renamed at the end, and can be gone on with by the next one.
 */
#include "transfer_client.h"

#include "must.h"
#include "own_address.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
