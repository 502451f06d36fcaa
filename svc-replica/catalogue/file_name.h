/*  file_name - what may name a file in the catalogue. Pure. */
#ifndef MUSUBI_FILE_NAME_H
#define MUSUBI_FILE_NAME_H

#include "transaction.h"

#define FILE_NAME_BYTES_MAX 255 /* without the NUL */
#define FILE_DIGEST_BYTES   32  /* SHA-256 */

/*  UTF-8 that prints, its parts between "/" neither empty nor "." nor "..". False with why. */
bool file_name_check (const char *name, char why [WHY_BYTES]);

#endif
