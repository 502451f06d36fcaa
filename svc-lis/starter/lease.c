/*  lease - one line, "BOOT UNTIL_MS ENDPOINT UNTIL_MS". It is written over in place, so that no
 *  lease is lost when the disk is full. A line that is half written has two different numbers, and
 *  is read again.
 */
#include "lease.h"

#include "must.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 512
#define READS_MAX  100

static bool boot_read (char boot [64])
{
    file_auto_t *file = fopen ("/proc/sys/kernel/random/boot_id", "re");
    return file && fscanf (file, "%63s", boot) == 1;
}

static const char *lease_path_of (char path [4096], const char *runs)
{
    snprintf (path, 4096, "%s/lease", runs);
    return path;
}

bool lease_write (const char *runs, const lease_t *lease)
{
    char path [4096], boot [64], line [LINE_BYTES];
    if (!boot_read (boot))
        return false;
    int size = snprintf (line, sizeof line, "%s %" PRId64 " %s %" PRId64, boot, lease->until_ms,
                         *lease->endpoint ? lease->endpoint : "-", lease->until_ms);
    if (size >= LINE_BYTES)
        return false;
    memset (line + size, ' ', sizeof line - (size_t) size);
    line [sizeof line - 1] = '\n';
    int fd = open (lease_path_of (path, runs), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    bool written = pwrite (fd, line, sizeof line, 0) == (ssize_t) sizeof line;
    return close (fd) == 0 && written;
}

bool lease_read (const char *runs, lease_t *lease)
{
    char path [4096], boot [64], told [64], line [LINE_BYTES + 1];
    if (!boot_read (boot))
        return false;
    for (int i = 0; i < READS_MAX; i++) {
        int64_t again_ms;
        descriptor_auto_t fd = open (lease_path_of (path, runs), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        ssize_t size = fd >= 0 ? pread (fd, line, LINE_BYTES, 0) : -1;
        if (size <= 0)
            return false;
        line [size] = '\0';
        if (sscanf (line, "%63s %" SCNd64 " %255s %" SCNd64, told, &lease->until_ms,
                    lease->endpoint, &again_ms) == 4 &&
            again_ms == lease->until_ms)
            return strcmp (told, boot) == 0;
    }
    return false;
}
