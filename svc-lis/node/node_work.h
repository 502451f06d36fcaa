/*  node_work - the work that an agent orders on its machine, as plain values (proto/agent.proto).
 *
 *  Each piece of work may be done twice, and by two agents one after the other: what the run's
 *  folder says decides. A run is begun once, by the starter that claims its folder, and its end is
 *  recorded there once. Work that fails (without a result) has decided nothing and is ordered
 *  again.
 *
 *      run_start    ticket, lease_ms, endpoint   begin the run, unless somebody has
 *      run_look     names                        look how the runs stand; without names, how the
 *                                                machine is
 *      run_signal   name, warn, suspend |        warn the run, suspend it, or let it go on; or end
 *                   resume | grace_ms, force     it, which refuses one that nobody has begun for
 *                                                ever. force: end it without its starter, which
 *                                                has not ended it
 *      run_lease    lease_ms, endpoint           let all runs go on until then
 *      run_read     name, errors, offset, most   read a piece of the run's output
 *      run_prune    keep_ms                      remove folders of runs that ended so long ago
 *
 *  The first three answer with the states of the runs.
 */
#ifndef MUSUBI_NODE_WORK_H
#define MUSUBI_NODE_WORK_H

#include "batch_picture.h"
#include "nodes.h"

#define RUN_START  "run_start"
#define RUN_LOOK   "run_look"
#define RUN_SIGNAL "run_signal"
#define RUN_LEASE  "run_lease"
#define RUN_READ   "run_read"
#define RUN_PRUNE  "run_prune"

/*  Such a kind of work, as host.h has them. */
#define RUN_WORK(named, how)                                                                       \
    {                                                                                              \
        .kind = (named), .order = &work_order_codec, .result = &work_result_codec,                 \
        .carry_out = (how)                                                                         \
    }

#define WORK_NAMES_MAX   256 /* in one run_look */
#define OUTPUT_BYTES_MAX (UINT64_C (64) << 20)

/*  How a run stands, as its folder says; RUN_CLAIMED: nobody has begun it. */
typedef struct {
    char name [RUN_NAME_BYTES_MAX + 1];
    run_report_t report; /* without the id, which is in the name */
    bool queued;         /* RUN_CLAIMED: a job that waits in the batch system's queue */
} stand_t;

typedef struct {
    const char *name;
    run_id_t id;
    const char *site;
    const char *node;
    run_order_t *order;
    uint64_t output_bytes_max; /* kept of its output; 0 = OUTPUT_BYTES_MAX */
    uint64_t room_bytes_least; /* with less free on the disk nothing is kept */
    const char *arrivals;      /* the folder to which outputs are handed over; NULL = none */
} ticket_t;

typedef struct {
    const char *runs;
    const char *const *names;
    size_t names_count;
    ticket_t ticket; /* there is none when its name is NULL */
    int64_t lease_ms;
    const char *endpoint;
    bool warn;
    int64_t grace_ms;
    bool force;
    bool errors;
    uint64_t offset;
    uint32_t most;
    int64_t keep_ms;
    bool suspend;
    bool resume;
} work_order_t;

typedef struct {
    stand_t *stands;
    size_t stands_count;
    bytes_t data;
    uint64_t size;
    const char *why;
    bool looked; /* at the machine */
    machine_state_t machine;
    batch_picture_t *batch; /* of a batch system; with only why when it has not answered */
} work_result_t;

/*  The store and the run of such a name; false when it is malformed. */
bool run_name_parse (const char *name, uint8_t site [STORE_ID_BYTES], run_id_t *id);

extern const codec_t stand_codec;
extern const codec_t ticket_codec;
extern const codec_t work_order_codec;
extern const codec_t work_result_codec;

/*  Encodes a state; characters of its why that a reader would refuse become question marks. */
packed_t stand_encode (const stand_t *stand);

/*  The body of Agent.Ended. */
typedef struct {
    char name [RUN_NAME_BYTES_MAX + 1];
} run_ended_t;
extern const codec_t run_ended_codec;

#endif
