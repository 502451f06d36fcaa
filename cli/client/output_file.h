/*  output_file - a file that a command was told to write: "-" is standard output; what is there and
 *  is no regular file, a device or a pipe, is written to and never replaced.
 */
#ifndef MUSUBI_OUTPUT_FILE_H
#define MUSUBI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*  fresh: a regular file that is there already is refused. NULL after refusing (exit 2). */
FILE *output_file_open (const char *path, bool fresh);

/*  Closes it. EXIT_DONE; exit 3 after telling that it couldn't be written. Of standard output the
 *  end of the run tells. */
int output_file_close (FILE *file, const char *path);

/*  For what is made elsewhere and put in its place as a whole: does something lie there that has to
 *  be written to instead? Opened, what it holds is left; NULL otherwise. False after refusing. */
bool output_file_through (const char *path, FILE **file);

/*  Copies a file into what was opened so, in the place of what a file there holds. Closes both; as
 *  output_file_close. */
int output_file_copy (FILE *from, FILE *to, const char *path);

#endif
