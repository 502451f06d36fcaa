/*  output_file - a file that a command is told to write. "-" is standard output. A device, a pipe
 *  or the target of a link is written to, never replaced.
 */
#ifndef MUSUBI_OUTPUT_FILE_H
#define MUSUBI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*  fresh: refuses a regular file that exists already. NULL after refusing (exit 2). */
FILE *output_file_open (const char *path, bool fresh);

/*  Closes it. EXIT_DONE, or exit 3 after saying that it could not be written; for standard output
 *  the end of the run says so. */
int output_file_close (FILE *file, const char *path);

/*  For a file that is made elsewhere and then moved to this path: opens what must be written to in
 *  place instead (a device, a pipe, a link), without cutting it; *file is NULL when there is
 *  nothing of the kind. False after refusing. */
bool output_file_through (const char *path, FILE **file);

/*  Replaces the contents of a file opened so. Closes both files; returns as output_file_close. */
int output_file_copy (FILE *from, FILE *to, const char *path);

#endif
