/*  reserve - the requests that benches send to planners. */
#ifndef MUSUBI_BENCH_RESERVE_H
#define MUSUBI_BENCH_RESERVE_H

#include "transaction.h"

#define RESERVE_SITES_MAX 4

/*  Needs "a", "b", "c", "d" at distinct sites, all at the same time. */
typedef struct {
    size_t sites;
    const char *site; /* site of need "a"; NULL = any */
    uint32_t cpus [RESERVE_SITES_MAX];
    bool links; /* a connection between each need and the next one, in a ring */
    uint32_t mbps [RESERVE_SITES_MAX];
    uint64_t room_bytes; /* beside need "a"; 0 = none */
    const char *file;    /* wanted beside need "a"; NULL = none */
    int64_t earliest_ms;
    int64_t deadline_ms;
    int64_t duration_ms;
} bench_reserve_t;

/*  The bodies of Reserve, of a Modify that changes the CPUs of need "a", and of Release. The caller
 *  frees them. */
packed_t reserve_encode (const bench_reserve_t *self);
packed_t modify_encode (const char *reservation, uint32_t cpus);
packed_t release_encode (const char *reservation);

/*  True when the answer to any of these is "committed"; then *reservation is its id, if wanted. */
bool answer_committed (bytes_t body, char reservation [NAME_BYTES_MAX + 1]);

/*  How many rounds of votes an answer took. */
uint32_t answer_rounds (bytes_t body);

#endif
