/*  folder_unpack - brings members of a folder to their places below the working folder. */
#ifndef MUSUBI_FOLDER_UNPACK_H
#define MUSUBI_FOLDER_UNPACK_H

#include "folder_manifest.h"

#include <sys/stat.h>

/*  SHA-256, as 64 hex digits, and size of a file; false after saying why not. The second: of an
 *  open one, which should have so many bytes; false when it can't be read, or has more. */
#define DIGEST_TEXT_BYTES 65
bool file_digest (const char *command, const char *path, uint64_t *size,
                  char digest [DIGEST_TEXT_BYTES]);
bool file_digest_read (int file, uint64_t size_told, uint64_t *size,
                       char digest [DIGEST_TEXT_BYTES]);

/*  Makes folders and links below the working folder, so that folders can be written to; settled:
 *  gives folders the modes and times that they have at last. False after naming what is wrong, such
 *  as a link or a file where a folder should be. */
bool folder_unpack_others (const json_t *manifest, bool settled);

/*  Brings those members of a piece to their places below the working folder that are not done and
 *  not there; path is the piece. False after naming what is wrong: of a member that is not as the
 *  manifest has it nothing is written. Never setuid or setgid. */
bool folder_unpack (const json_t *manifest, size_t piece, const json_t *members, const char *path);

/*  Is a file below an open folder (AT_FDCWD) with the right bytes? Never true of a member whose
 *  digest is not known. */
bool folder_unpack_has (int folder, const json_t *member);

/*  Gives a file mode and time of a member, as umask says. */
bool folder_unpack_settle (const char *path, const json_t *member);

#endif
