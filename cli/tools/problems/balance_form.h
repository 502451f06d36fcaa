/*  balance_form - steps of balancing as a file holds them:
 *
 *      {"vectors": [{"name": "two",
 *                    "speeds": [1, 2],                          load done in a unit of time
 *                    "levels": [5, "inf"],                      participation, a time
 *                    "queues_in": [[["J1", 6]…], []],           job, load; head to tail
 *                    "owners": {"J1": 0…}}…]}                   clusters, by number
 *
 *  Pieces of one job may lie in several queues. A job whose owner is not given belongs to the first
 *  cluster that has some of it. These keys may stand there and are not read: tolerance, indices,
 *  and a vector's note, expect and expect_reschedule. */
#ifndef MUSUBI_BALANCE_FORM_H
#define MUSUBI_BALANCE_FORM_H

#include "bilb_queues.h"
#include "bytes.h"
#include "problem_file.h"

#define BALANCE_CLUSTERS_MAX 100000
#define BALANCE_PIECES_MAX   10000000

typedef struct {
    const json_t *name; /* borrowed, as are the jobs' names; NULL = none */
    bilb_member_t *members;
    size_t count;
    const json_t **jobs; /* names */
    uint32_t *owners;    /* by job */
    double *loads;       /* in all, by job */
    size_t jobs_count;
} balance_vector_t;

/*  Reads and checks all of them. NULL with why, which names the field. */
balance_vector_t *balance_form_read (const json_t *file, size_t *count, char why [LONG_WHY_BYTES]);
void balance_form_free (balance_vector_t *vectors, size_t count);

#endif
