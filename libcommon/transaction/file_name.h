/*  file_name - which names files may have, and what is known of their bytes. Pure. */
#ifndef MUSUBI_FILE_NAME_H
#define MUSUBI_FILE_NAME_H

#include "codec.h"

#define FILE_NAME_BYTES_MAX 255 /* without the NUL */
#define FILE_DIGEST_BYTES   32  /* SHA-256 */

/*  The bytes of a file, whatever its name. */
typedef struct {
    uint64_t size;
    bool digest_known;
    uint8_t digest [FILE_DIGEST_BYTES];
} content_t;

/*  Is it printable UTF-8, with no part between slashes that is empty, "." or ".."? False with why.
 */
bool file_name_check (const char *name, char why [WHY_BYTES]);

#endif
