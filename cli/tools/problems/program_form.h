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

#include "bytes.h"
#include "problem_file.h"
#include "program.h"

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
