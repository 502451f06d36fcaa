/*  sim - the simulated host: any number of cores in one process, under virtual time (core.h).
 *
 *  Each process has clocks of its own, a store that forgets what was not flushed, and one server
 *  that takes up what has come in batches, as the real host does: step every event, flush once,
 *  then let replies, calls and hints leave in order. Between processes lies a seeded network
 *  (sim_net.h). A process may die at any moment, and in each batch before the flush or before any
 *  of the messages that leave after it. Same seed, same calls: same bytes in the trace.
 *
 *  Processes are numbered from 0 in the order they are added.
 */
#ifndef MUSUBI_SIM_H
#define MUSUBI_SIM_H

#include "bytes.h"
#include "sim_net.h"
#include "sim_queue.h"
#include "sim_store.h"

#include <stdio.h>

/*  True time 0 of every run, as wall time. */
#define SIM_EPOCH_MS INT64_C (1790000000000)

typedef struct sim sim_t;

/*  What a process runs. make is called at each start; name and owner are borrowed for life. */
typedef struct {
    const char *name; /* "lis/ams": its first address is sim://lis/ams/1 */
    void (*make) (void *owner, core_t *core);
    void *owner;
    bool stays; /* others are configured with its address: it never comes back elsewhere */
} sim_program_t;

/*  How far the clocks of a process are off. */
typedef struct {
    int64_t wall_offset_ms;
    int32_t drift_ppm; /* of both clocks */
} sim_clock_t;

/*  Chances in parts per thousand. */
typedef struct {
    uint32_t crash;        /* a batch that stores, or lets messages of a transaction leave */
    uint32_t crashes_max;  /* in all */
    uint32_t told;         /* it is told to end there instead, and ends as the host lets it */
    uint32_t pause_ms_max; /* how long a process stays down */
    uint32_t move;         /* it comes back at another address */
    uint32_t slow;         /* a batch takes long, as on a busy machine */
    uint32_t work_ms_max;  /* how long work takes; 0 = some 2 ms (no chance, a time) */
} sim_faults_t;

/*  What the schedule and its checks are told. Any function may be NULL. */
typedef struct {
    void *owner;

    /*  A message has left its process: whatever it promises must be durable now. */
    void (*left) (void *owner, const sim_message_t *message);

    /*  A batch of this process is durable. */
    void (*flushed) (void *owner, int process);

    /*  A core has logged a line. */
    void (*logged) (void *owner, int process, const char *line);

    /*  A process is about to restart after a crash. Returns true when it shall never come back
     *  (another process then takes over its store). */
    bool (*dies) (void *owner, int process);

    /*  A process asked to end (EFFECT_STOP) and did. */
    void (*ended) (void *owner, int process);
} sim_observer_t;

/*  trace may be NULL. The tally is borrowed for life. */
sim_t *sim_new (uint64_t seed, sim_tally_t *tally, FILE *trace);
void sim_destroy (sim_t **self_p);

void sim_observe (sim_t *self, const sim_observer_t *observer);

/*  A new process, started at start_us. It serves the store of process store_of, which must be down
 *  for good, or a new one when that is SIM_NOBODY. Returns its number. */
int sim_add (sim_t *self, const sim_program_t *program, const sim_clock_t *clock, int store_of,
             int64_t start_us);

void sim_fault (sim_t *self, const sim_faults_t *faults, const sim_net_faults_t *net);
sim_net_t *sim_net (sim_t *self);

/*  From now on each message is under way, and each flush takes, exactly this long, and steps take
 *  no time, instead of times that are drawn. Used where delays and flushes are counted. */
void sim_pace (sim_t *self, int64_t flight_us, int64_t flush_us);

/*  How long a request keeps its receiver, in µs: requests are served one after another, in the
 *  order they came, and each is stepped when its time is over. For models that say what a service's
 *  work takes. */
typedef int64_t sim_serve_fn (void *owner, const sim_message_t *request);
void sim_serve (sim_t *self, sim_serve_fn *serve, void *owner);

/*  Carries out work that a process has ordered (sim_work.h), at the monotonic time of that process.
 *  Returns what run of work_kind_t returns (host.h). */
typedef bool sim_worker_fn (void *owner, int process, int64_t mono_ms, const char *kind,
                            bytes_t arguments, uint8_t **result, size_t *result_size);
void sim_worker (sim_t *self, sim_worker_fn *worker, void *owner);

/*  Moves the bulk bytes of all processes. It is called with each order as the order leaves; the
 *  order lives as long as the call. It sends news to processes that are up with sim_flow_news,
 *  which copies them. */
typedef void sim_flow_fn (void *owner, int process, const flow_order_t *order);
void sim_flow (sim_t *self, sim_flow_fn *order, void *owner);
void sim_flow_news (sim_t *self, int process, const flow_event_t *news);

/*  Faults and cuts end. Processes that are down come back, except those that died for good. */
void sim_heal (sim_t *self);

/*  The process dies at that time; it comes back pause_ms later, never when that is negative. */
void sim_kill (sim_t *self, int process, int64_t at_us, int64_t pause_ms);

/*  When the process dies next, its store is deleted. */
void sim_lose (sim_t *self, int process);

/*  The process dies at this very moment. Of a batch that is leaving, what has not left is lost.
 *  Call it from an observer's left; pause_ms as in sim_kill, but never negative. */
void sim_strike (sim_t *self, int process, int64_t pause_ms);

/*  The process stands still from now until then, as after SIGSTOP: it steps and flushes nothing and
 *  nothing leaves it, messages to it wait, and its clocks go on. Its death ends this; sim_heal does
 *  not. */
void sim_stand (sim_t *self, int process, int64_t until_us);
bool sim_stands (const sim_t *self, int process);

/*  Its wall clock is stepped from then on. */
void sim_step_clock (sim_t *self, int process, int64_t by_ms);

/*  Call act at that time. */
void sim_at (sim_t *self, int64_t at_us, tick_fn *act, void *owner, uint64_t token);

/*  Run until that time, or until a check fails. */
void sim_run (sim_t *self, int64_t until_us);

int64_t sim_now_us (const sim_t *self);
uint64_t sim_steps (const sim_t *self);
size_t sim_processes (const sim_t *self);
const char *sim_name (const sim_t *self, int process);
bool sim_up (const sim_t *self, int process);

/*  The address at which the process can be reached now, or could be when it was last up. */
const char *sim_address (const sim_t *self, int process);
const store_identity_t *sim_identity (const sim_t *self, int process);
const sim_store_t *sim_store (const sim_t *self, int process);

/*  How much its store can hold, and how little is left of it (sim_store_size). */
void sim_small_store (sim_t *self, int process, uint64_t bytes, uint64_t left_bytes);

/*  What the process would be if it died now and came back: a new core is fed the durable records
 *  and asked as often as needed. Nothing in the run changes. The caller frees the answer; NULL when
 *  the core does not answer at once. */
typedef struct sim_recalled sim_recalled_t;

sim_recalled_t *sim_recalled_new (sim_t *self, int process);
void sim_recalled_destroy (sim_recalled_t **self_p);
sim_message_t *sim_recalled_ask (sim_recalled_t *self, const char *service, const char *method,
                                 const char *actor, bytes_t body);

/*  Asks one question of such a new core. */
sim_message_t *sim_recall (sim_t *self, int process, const char *service, const char *method,
                           const char *actor, bytes_t body);

/*  A check failed. The first one is kept; the run stops. */
void sim_fail (sim_t *self, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
bool sim_failed (const sim_t *self);
const char *sim_why (const sim_t *self);

/*  One line of the trace, when there is one. */
void sim_trace (sim_t *self, int process, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
bool sim_tracing (const sim_t *self);

#endif
