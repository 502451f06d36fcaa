/*  sim_process - one process of the simulated host: its core, its clocks, and the batch it is at.
 *
 *  For sim.c, sim_process.c and sim_process_effects.c only: they share the whole state.
 */
#ifndef MUSUBI_SIM_PROCESS_H
#define MUSUBI_SIM_PROCESS_H

#include "sim.h"
#include "sim_work.h"

#define SIM_SUBSCRIPTIONS_MAX 32

typedef enum {
    PROCESS_DOWN, /* will come back */
    PROCESS_UP,
    PROCESS_DEAD,  /* never comes back */
    PROCESS_ENDED, /* by its own wish */
} process_state_t;

#define SIM_FROM_BYTES      64
#define SIM_FLOW_TEXT_BYTES 256

/*  Records that the core wants to see; once it is their time, with their contents. */
typedef struct {
    read_order_t order;
    uint8_t from [SIM_FROM_BYTES]; /* what the order points to */
    row_t *rows;
    size_t count;
    bool more;
} reading_t;

/*  An order of bulk bytes, or news of them, with what they point to. */
typedef struct {
    flow_order_t order;
    uint8_t id [FLOW_ID_BYTES];
    uint8_t token [FLOW_TOKEN_BYTES];
    char text [SIM_FLOW_TEXT_BYTES]; /* path or endpoint */
} sim_order_t;

typedef struct {
    flow_event_t event;
    uint8_t digest [FLOW_DIGEST_BYTES];
    char why [SIM_FLOW_TEXT_BYTES];
} sim_news_t;

/*  Something that waits to be stepped. */
typedef struct {
    event_kind_t kind;
    reading_t *reading;     /* rows: owned */
    sim_news_t *news;       /* of flows: owned */
    sim_message_t *message; /* request, answer, hint: owned */
    uint64_t number;        /* of a call that is too late, or of work */
} waiting_t;

/*  A call that has left and has no answer yet. */
typedef struct {
    uint64_t call;
    sim_message_t *late; /* the answer to give when no answer comes: owned */
} call_open_t;

/*  A request that was stepped and has no answer yet. */
typedef struct {
    uint64_t reply_to;
    sim_message_t *request; /* owned */
} reply_open_t;

/*  A message or work that leaves once the batch is durable; or records to be read then. */
typedef struct {
    sim_message_t *message; /* owned */
    reading_t *reading;     /* owned; none of these three: work */
    sim_order_t *order;     /* owned */
    int64_t timeout_ms;     /* of a call */
    uint64_t number;        /* of work */
} leaving_t;

typedef struct {
    sim_program_t program;
    sim_clock_t clock;
    int number;
    process_state_t state;
    uint32_t life; /* raised at each start and each death */
    uint32_t moves;
    char address [SIM_ADDRESS_BYTES];
    int64_t mono_origin_us; /* monotonic time at true time 0 */
    sim_store_t *store;
    prng_t prng;
    core_t core;
    int64_t alarm_mono_ms;
    uint64_t alarm; /* counts alarms that were set: an older alarm is void */
    uint64_t notices;
    uint64_t replies;
    char subscriptions [SIM_SUBSCRIPTIONS_MAX][SIM_ADDRESS_BYTES];
    size_t subscriptions_count;

    waiting_t *inbox; /* a ring would save little: batches are short */
    size_t inbox_count;
    size_t inbox_room;
    call_open_t *calls;
    size_t calls_count;
    size_t calls_room;
    reply_open_t *replies_open;
    size_t replies_count;
    size_t replies_room;

    sim_message_t **taken;
    size_t taken_count;
    size_t taken_room;
    leaving_t *leaving;
    size_t leaving_count;
    size_t leaving_room;
    sim_works_t works;
    reading_t **readings; /* that have been read and have not come: owned */
    size_t readings_count;
    size_t readings_room;
    size_t dies_after; /* it dies after this many messages have left; SIZE_MAX = before the flush */
    bool dies;         /* the process dies in this batch */
    bool struck;       /* the process dies while this message leaves (sim_strike) */
    int64_t struck_pause_ms;
    bool busy;        /* a batch is being stepped or flushed */
    bool leaves;      /* its messages are leaving */
    bool transacts;   /* the batch is worth a crash */
    bool stops;       /* EFFECT_STOP was seen */
    bool told;        /* to end */
    bool alarm_waits; /* in the inbox */
    bool store_owned;
    bool loses;              /* its store is deleted at its next death */
    int64_t serves_until_us; /* the requests that wait to be served (sim_serve) */
    int64_t stands_until_us; /* stands still until then (sim_stand) */
} sim_process_t;

#define SIM_FOUND 65536

struct sim {
    sim_queue_t *queue;
    sim_net_t *net;
    sim_tally_t *tally;
    FILE *trace;
    sim_observer_t observer;
    sim_faults_t faults;
    uint32_t crashes;
    sim_worker_fn *worker; /* NULL: all work fails */
    void *worker_owner;
    sim_flow_fn *flow; /* NULL: nobody may order bulk bytes */
    void *flow_owner;
    sim_serve_fn *serve; /* NULL: a request takes only the time of its step */
    void *serve_owner;
    bool paced;       /* steps take no time, */
    int64_t flush_us; /* and each flush takes this long */
    prng_t prng;
    int64_t now_us;
    uint64_t steps;
    sim_process_t *processes [SIM_PROCESSES_MAX];
    size_t processes_count;
    bool
      hears [SIM_PROCESSES_MAX]; /* it has subscribed once: few do, and hints are looked up often */
    int found [SIM_FOUND];       /* by the hash of its address: who was last found there */
    char abandoned [SIM_PROCESSES_MAX][SIM_ADDRESS_BYTES];
    size_t abandoned_count;
    bool failed;
    char why [LONG_WHY_BYTES];
};

/*  The process starts: a new core, the durable records, then EVENT_START, all in one batch. */
void process_start (sim_t *sim, sim_process_t *self);

/*  It dies: memory, what was not flushed and what had not left are gone. */
void process_crash (sim_t *sim, sim_process_t *self);

/*  A message has come; the process owns it now. */
void process_receive (sim_t *sim, sim_process_t *self, sim_message_t *message);

void process_alarm (sim_t *sim, sim_process_t *self, uint64_t alarm);
void process_late (sim_t *sim, sim_process_t *self, uint64_t call);
void process_work (sim_t *sim, sim_process_t *self, uint64_t work);
void process_rows (sim_t *sim, sim_process_t *self, uint64_t read);
void process_news (sim_t *sim, sim_process_t *self, const flow_event_t *news);
void process_batch_end (sim_t *sim, sim_process_t *self);
void process_wake (sim_t *sim, sim_process_t *self);

/*  What the step under way wants. */
void process_effect (sim_t *sim, sim_process_t *self, const effect_t *effect);

/*  The process is woken when its monotonic clock shows alarm_mono_ms. */
void process_alarm_set (sim_t *sim, sim_process_t *self);

/*  Is work of this kind the host's own, which every process has? */
bool process_works_itself (const char *kind);

/*  All that the process sees of the outside at this time; entropy is drawn from the given stream.
 */
void process_moment (const sim_process_t *self, int64_t at_us, prng_t *prng, moment_t *moment);

/*  Frees everything it holds. */
void process_destroy (sim_process_t **self_p);

/*  sim.c's half of what they share. */
sim_process_t *sim_at_address (sim_t *sim, const char *address);
void sim_send (sim_t *sim, sim_message_t *message);
void sim_down (sim_t *sim, sim_process_t *process);
void sim_down_for (sim_t *sim, sim_process_t *process, int64_t pause_ms);
void sim_log (sim_t *sim, const sim_process_t *process, log_level_t level, const char *line);

#endif
