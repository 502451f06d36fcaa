/*  node_work - what an agent has carried out on its machine, as plain values (proto/agent.proto).
 *
 *  Each kind of work may be done twice, and by two agents one after the other: what a run's folder
 *  says decides. A run is begun by whoever claims its folder, once; its end is recorded there once.
 *  Work that fails (no result) has left nothing undecided and is ordered again.
 *
 *      run_start    ticket, lease_ms, endpoint   begin it, unless somebody has
 *      run_look     names                        how they stand
 *      run_signal   name, warn | grace_ms,       warn it; or end it: one that nobody has begun is
 *                   force                        refused for ever. force: end it without its
 *                                                starter, which does not do it
 *      run_lease    lease_ms, endpoint           all runs may go on until then
 *      run_read     name, errors, offset, most   a piece of its output
 *      run_prune    keep_ms                      folders that ended so long ago are removed
 *
 *  The first three answer with how the runs stand.
 */
#ifndef MUSUBI_NODE_WORK_H
#define MUSUBI_NODE_WORK_H

#include "runs.h"

#define RUN_START  "run_start"
#define RUN_LOOK   "run_look"
#define RUN_SIGNAL "run_signal"
#define RUN_LEASE  "run_lease"
#define RUN_READ   "run_read"
#define RUN_PRUNE  "run_prune"

#define RUN_NAME_BYTES_MAX 95  /* "3fa9c2d1…-12.0.1" */
#define WORK_NAMES_MAX     256 /* in one run_look */
#define OUTPUT_BYTES_MAX   (UINT64_C (64) << 20)

/*  How a run stands by what its folder says; RUN_CLAIMED: nobody has begun it. */
typedef struct {
    char name [RUN_NAME_BYTES_MAX + 1];
    run_report_t report; /* without the id, which is in the name */
} stand_t;

typedef struct {
    const char *name;
    run_id_t id;
    const char *site;
    const char *node;
    run_order_t *order;
    uint64_t output_bytes_max; /* kept of what it writes; 0 = OUTPUT_BYTES_MAX */
    uint64_t room_bytes_least; /* nothing is kept while the disk has less free */
} ticket_t;

typedef struct {
    const char *runs;
    const char *const *names;
    size_t names_count;
    ticket_t ticket; /* name NULL: none */
    int64_t lease_ms;
    const char *endpoint;
    bool warn;
    int64_t grace_ms;
    bool force;
    bool errors;
    uint64_t offset;
    uint32_t most;
    int64_t keep_ms;
} work_order_t;

typedef struct {
    stand_t *stands;
    size_t stands_count;
    bytes_t data;
    uint64_t size;
    const char *why;
} work_result_t;

/*  The name of a run's folder: of the site's store, so that what a site begins anew after it has
 *  lost its store is another one, and of the run. */
const char *run_name (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                      char name [RUN_NAME_BYTES_MAX + 1]);

/*  Back from it; false when it is none. */
bool run_name_parse (const char *name, uint8_t site [STORE_ID_BYTES], run_id_t *id);

extern const codec_t stand_codec;
extern const codec_t ticket_codec;
extern const codec_t work_order_codec;
extern const codec_t work_result_codec;

/*  With a why that readers take, whatever is in it. */
packed_t stand_encode (const stand_t *stand);

/*  Agent.Ended. */
typedef struct {
    char name [RUN_NAME_BYTES_MAX + 1];
} run_ended_t;
extern const codec_t run_ended_codec;

#endif
