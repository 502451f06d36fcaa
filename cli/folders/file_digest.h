/*  file_digest - the SHA-256 of a file of this machine, as text. */
#ifndef MUSUBI_FILE_DIGEST_H
#define MUSUBI_FILE_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#define DIGEST_TEXT_BYTES 65 /* 64 hex digits, NUL */

/*  Digest and size of a file; false after saying why not. */
bool file_digest (const char *command, const char *path, uint64_t *size,
                  char digest [DIGEST_TEXT_BYTES]);

/*  Of an open one that should have so many bytes, from where it stands; false, with errno, when it
 *  can't be read, has more, or the command is interrupted. */
bool file_digest_read (int file, uint64_t size_told, uint64_t *size,
                       char digest [DIGEST_TEXT_BYTES]);

#endif
