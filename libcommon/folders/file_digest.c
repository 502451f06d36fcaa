/*  file_digest - by libcrypto, which uses what the processor has for it. */
#include "folder_unpack.h"

#include "must.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES (512u << 10)

/*  Reads up to the size that the file should have, and a little further. A file with more bytes is
 *  just being written, or has no end. */
static bool digest_read (int file, EVP_MD_CTX *context, uint64_t size_told, uint64_t *size)
{
    uint8_t *block = must (malloc (BLOCK_BYTES));
    ssize_t got = -1;
    *size = 0;
    while (!folder_interrupted () && *size <= size_told &&
           (got = read (file, block, BLOCK_BYTES)) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0 && EVP_DigestUpdate (context, block, (size_t) got) != 1)
            abort ();
        *size += got > 0 ? (uint64_t) got : 0;
    }
    free (block);
    return got == 0;
}

bool file_digest_read (int file, uint64_t size_told, uint64_t *size,
                       char digest [DIGEST_TEXT_BYTES])
{
    uint8_t bytes [32];
    EVP_MD_CTX *context = must (EVP_MD_CTX_new ());
    if (EVP_DigestInit_ex (context, EVP_sha256 (), NULL) != 1)
        abort ();
    bool read = digest_read (file, context, size_told, size);
    if (read && EVP_DigestFinal_ex (context, bytes, NULL) != 1)
        abort ();
    EVP_MD_CTX_free (context);
    if (read)
        sodium_bin2hex (digest, DIGEST_TEXT_BYTES, bytes, sizeof bytes);
    return read;
}

bool file_digest (const char *command, const char *path, uint64_t *size,
                  char digest [DIGEST_TEXT_BYTES])
{
    struct stat status;
    /* Without O_NONBLOCK a pipe would wait for a writer. */
    descriptor_auto_t file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat (file, &status) != 0 || !S_ISREG (status.st_mode))
        return folder_refuse ("%s: %s: %s", command, path,
                              file < 0                   ? strerror (errno)
                              : S_ISDIR (status.st_mode) ? "is a folder; add -r"
                                                         : "is not a regular file");
    if (file_digest_read (file, (uint64_t) status.st_size, size, digest))
        return true;
    return folder_refuse (
      "%s: %s: %s", command, path,
      folder_interrupted () ? "interrupted"
      : *size > (uint64_t) status.st_size
        ? "has more bytes than its size says; it is being written, or is not a regular file"
        : strerror (errno));
}
