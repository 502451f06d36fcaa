/*  storage_path - names on disk. */
#include "storage_path.h"

#include <sodium.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DISK_NAME_BYTES_MAX                                                                        \
    200 /* on disk; a file with a longer name is named by the digest of its name */

/*  The name with "/", "%" and a leading "." as %XX. False when it is too long. */
static bool name_on_disk (const char *file, char name [DISK_NAME_BYTES_MAX + 1])
{
    size_t used = 0;
    for (const char *at = file; *at; at++) {
        bool plain = *at != '/' && *at != '%' && !(at == file && *at == '.');
        if (used + (plain ? 1 : 3) > DISK_NAME_BYTES_MAX)
            return false;
        if (plain)
            name [used++] = *at;
        else
            used += (size_t) snprintf (name + used, 4, "%%%02X", (unsigned) (uint8_t) *at);
    }
    name [used] = '\0';
    return true;
}

const char *storage_path (const char *folder, const char *inside, const char *file,
                          char path [STORAGE_PATH_BYTES])
{
    char name [DISK_NAME_BYTES_MAX + 1];
    if (!name_on_disk (file, name)) {
        uint8_t digest [16];
        crypto_generichash (digest, sizeof digest, (const uint8_t *) file, strlen (file), NULL, 0);
        size_t used = (size_t) snprintf (name, sizeof name, "%%-");
        sodium_bin2hex (name + used, sizeof name - used, digest, sizeof digest);
    }
    snprintf (path, STORAGE_PATH_BYTES, "%s/%s/%s", folder, inside, name);
    return path;
}
