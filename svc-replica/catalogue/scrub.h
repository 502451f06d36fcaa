/*  scrub - has the site's nodes read their files again, so that what has gone bad is found while
 *  there is another copy: each file before its last proof is older than limits/scrub_every, the
 *  oldest first; and all of them when somebody asks for it. Pure.
 */
#ifndef MUSUBI_SCRUB_H
#define MUSUBI_SCRUB_H

#include "chain.h"

typedef struct {
    int64_t every_ms; /* 0 = only when asked */
    uint32_t mbps;    /* at which a node reads, in Mbit/s */
} scrub_limits_t;

typedef struct {
    int64_t since_ms; /* what was last read before that is read again; 0 = all from now on */
    uint32_t mbps;    /* 0 = as configured */
} scrub_question_t;

typedef struct {
    int64_t since_ms;
    uint64_t copies; /* at nodes that are up */
    uint64_t left;   /* of them still to be read */
    uint64_t bytes;
    uint64_t bytes_left;
    uint64_t found; /* to be bad since then; they may have been mended meanwhile */
    uint64_t away;  /* copies at nodes that are not up, and not read now */
} scrub_answer_t;

typedef struct scrub scrub_t;

scrub_t *scrub_new (service_t *service, chain_t *chain, const scrub_limits_t *limits);
void scrub_destroy (scrub_t **self_p);

/*  Looks now for what is to be read. To be called at start. */
void scrub_start (scrub_t *self, const moment_t *now);

/*  Begins to read all, or tells how far that is: repeat it with the since_ms of the answer. */
scrub_answer_t scrub_ask (scrub_t *self, const moment_t *now, const scrub_question_t *question);

#endif
