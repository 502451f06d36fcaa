/*  output_file - opening, closing, copying. */
#include "output_file.h"

#include "cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES 65536

static bool is_standard (const char *path)
{
    return strcmp (path, "-") == 0;
}

static int output_file_refuse (const char *path, int code)
{
    return cli_fail (code, "%s: can't be written: %s", path, strerror (errno));
}

FILE *output_file_open (const char *path, bool fresh)
{
    struct stat status;
    if (is_standard (path))
        return stdout;
    bool there = stat (path, &status) == 0;
    FILE *file = fopen (path, fresh && !(there && !S_ISREG (status.st_mode)) ? "wxe" : "we");
    if (!file && fresh && errno == EEXIST)
        cli_fail (EXIT_USAGE, "%s exists already: remove it, or choose another name", path);
    else if (!file)
        output_file_refuse (path, EXIT_USAGE);
    return file;
}

int output_file_close (FILE *file, const char *path)
{
    if (file == stdout)
        return EXIT_DONE;
    bool written = fflush (file) == 0 && !ferror (file);
    int error = errno;
    if (fclose (file) != 0 && written)
        return output_file_refuse (path, EXIT_UNKNOWN);
    errno = error;
    return written ? EXIT_DONE : output_file_refuse (path, EXIT_UNKNOWN);
}

bool output_file_through (const char *path, FILE **file)
{
    struct stat status;
    *file = is_standard (path) ? stdout : NULL;
    if (*file || lstat (path, &status) != 0 || S_ISREG (status.st_mode))
        return true;
    *file = fopen (path, "ae"); /* a link and its file stay until there is a new one */
    if (!*file)
        output_file_refuse (path, EXIT_USAGE);
    return *file != NULL;
}

int output_file_copy (FILE *from, FILE *to, const char *path)
{
    char block [BLOCK_BYTES];
    size_t got;
    struct stat status;
    bool cut = to == stdout || fstat (fileno (to), &status) != 0 || !S_ISREG (status.st_mode) ||
               ftruncate (fileno (to), 0) == 0;
    if (!cut)
        output_file_refuse (path, EXIT_UNKNOWN);
    while (cut && (got = fread (block, 1, sizeof block, from)) > 0 &&
           fwrite (block, 1, got, to) == got)
        ;
    bool whole = cut && !ferror (from);
    if (cut && !whole)
        cli_fail (EXIT_UNKNOWN, "%s: the fetched file can't be read", path);
    fclose (from);
    int code = output_file_close (to, path);
    return whole ? code : EXIT_UNKNOWN;
}
