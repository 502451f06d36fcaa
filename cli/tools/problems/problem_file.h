/*  problem_file - what the readers of problem files share: refusals that name the field.
 */
#ifndef MUSUBI_PROBLEM_FILE_H
#define MUSUBI_PROBLEM_FILE_H

#include "bytes.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct {
    char path [96]; /* of the object that is being read, "instances[3]"; "" = the whole file */
    char *why;      /* LONG_WHY_BYTES */
} problem_reader_t;

/*  Says why, answers false. The sentence begins with the field: "speeds: must be a list". */
bool problem_refuse (const problem_reader_t *reader, const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

/*  Refuses a key that is none of these: "cpu, links". */
bool problem_keys (const problem_reader_t *reader, const json_t *object, const char *known);

/*  The list under a key of a file, beside which others are known; "id" names the field by which no two
 *  of its entries are the same. NULL after saying why. */
const json_t *problem_list (const problem_reader_t *reader, const json_t *file, const char *key,
                            const char *known, const char *id);

#endif
