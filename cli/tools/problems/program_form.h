/*  program_form - co-allocation problems as a file holds them:
 *
 *      {"instances": [{"id": "a",
 *                      "nodes": [["N1", 8, 1], ["X1", 0, 0]…],    name, CPUs free, unit cost
 *                      "edges": [[0, 1, 10, 3]…],                 nodes, bandwidth free, unit cost
 *                      "request": {"cpu": [2, 2], "links": [[0, 1, 1]…]}}…]}
 *
 *  A link joins two requested sites and names the bandwidth wanted. An instance's "expected" and
 *  its request's "type" may stand there and are not read. */
#ifndef MUSUBI_PROGRAM_FORM_H
#define MUSUBI_PROGRAM_FORM_H

#include "program.h"

#include <jansson.h>

/*  What the readers of all problem files share: refusals that name the field. */
typedef struct {
    char path [96]; /* of the object that is being read, "instances[3]"; "" = the whole file */
    char *why;      /* LONG_WHY_BYTES */
} problem_reader_t;

/*  Says why, answers false. The sentence begins with the field: "speeds: must be a list". */
bool problem_refuse (const problem_reader_t *reader, const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

/*  Refuses a key that is none of these: "cpu, links". */
bool problem_keys (const problem_reader_t *reader, const json_t *object, const char *known);

/*  The list under a key of a file, beside which others are known; "id" names the field by which no
 *  two of its entries are the same. NULL after saying why. */
const json_t *problem_list (const problem_reader_t *reader, const json_t *file, const char *key,
                            const char *known, const char *id);

typedef struct {
    const char *id; /* borrowed from the file's JSON */
    program_t program;
} instance_t;

/*  Reads and checks all of them. NULL with why, which names the field. reading and hops_max are the
 *  variant's. */
instance_t *program_form_read (const json_t *file, program_reading_t reading, uint32_t hops_max,
                               size_t *count, char why [LONG_WHY_BYTES]);
void program_form_free (instance_t *instances, size_t count);

#endif
