/*  service - what every core is made of: its outbox, timers, calls, and the tables of methods it
 *  serves and records it loads. A member of a federation has more (member.h).
 *
 *  A core owns one service_t, registers its methods and tables in its constructor, and is what
 *  service_core makes of it.
 *
 *  The parts are there to be used directly: service->outbox, service->timers, service->calls.
 *  Pure: no socket, file, clock, thread or random source.
 */
#ifndef MUSUBI_SERVICE_H
#define MUSUBI_SERVICE_H

#include "call.h"
#include "codec.h"
#include "core.h"
#include "outbox.h"
#include "prng.h"
#include "setting.h"
#include "store_growth.h"
#include "timekeeper.h"
#include "timers.h"

/*  body: the request's, as the method's codec reads it. It is cleared after the call: to keep
 *  what it owns, zero it. NULL for a method that is served without a codec. */
typedef void method_fn (void *owner, const moment_t *now, const request_t *request, void *body);
typedef void record_fn (void *owner, bytes_t key, bytes_t value);
typedef void start_fn (void *owner, const moment_t *now);

#define COUNTERS_MAX 128
#define LIMITS_MAX   32
#define WARNINGS_MAX 16

#define STORE_DAYS_LEAST 7 /* warned of a store that will be full sooner, if a day showed so */

typedef struct {
    const char *name; /* static */
    int64_t value;
} counter_t;

/*  One sentence for an operator about one thing; both "" = none. */
typedef struct {
    char about [NAME_BYTES_MAX + 1];
    char text [256];
    int64_t until_ms; /* monotonic */
} warning_t;

/*  Less than was promised. */
typedef struct {
    int64_t since_ms;      /* wall time */
    uint32_t reservations; /* that are concerned; 0 = none, and nothing else is told */
    const char *first;
} shortage_t;

struct service;

/*  What a member of a federation adds, each at its place of a step. */
typedef struct {
    void (*start) (struct service *, const moment_t *now, const event_t *event); /* before others */
    void (*started) (struct service *, const moment_t *now);                     /* after them */
    void (*notice) (struct service *, const moment_t *now, const event_t *event);
    void (*rows) (struct service *, const moment_t *now, const event_t *event);
    void (*ending) (struct service *, const moment_t *now); /* the process ends */

    /*  False, with why: it may not speak for its store now. */
    bool (*serves) (struct service *, const char *service, const char *method,
                    char why [WHY_BYTES]);
    const char *(*silence) (struct service *); /* the same, for Service.Status; "" = it may */
    void (*end) (struct service *);            /* in service_destroy, first of all */
} service_membership_t;

typedef struct service {
    const service_membership_t *membership; /* NULL: it is no member */
    char name [NAME_BYTES_MAX + 1];         /* "lis/ams" */
    store_identity_t store;                 /* from EVENT_START on */
    char endpoint [256];                    /* from EVENT_START on */
    char events [256];
    char data [256];
    outbox_t *outbox;
    timers_t *timers;
    prng_t prng;
    timekeeper_t timekeeper;
    store_growth_t growth;
    calls_t *calls;
    const char *caller; /* whose request is being served; "" = nobody's */
    int64_t wall_ms;    /* of this step */
    uint64_t reads;     /* the number of the last EFFECT_READ */
    counter_t counters [COUNTERS_MAX];
    size_t counters_count;
    counter_t limits [LIMITS_MAX]; /* shown by Service.Status */
    size_t limits_count;
    warning_t warnings [WARNINGS_MAX]; /* what an operator should look at, by Service.Status */
    shortage_t (*shortage) (const void *owner,
                            const moment_t *now); /* for Service.Status, or NULL */
    const void *shortage_owner;
    struct service_tables *tables; /* private */
} service_t;

/*  Serves Service.Status. name is "kind/name"; a planner's is set at start, from its store id. */
service_t *service_new (const char *name);
void service_destroy (service_t **self_p);

/*  service_new in place: self is all zero, and the first member of a malloc'ed struct that
 *  service_destroy frees with it. */
void service_begin (service_t *self, const char *name);

/*  When a method is served. */
typedef enum {
    ALWAYS = 1, /* as long as the process lives */
    UNTIL_END,  /* until the process is told to end: what it asks for takes a while */
    BEGINS,     /* the same, and not with a nearly full store: it begins something (T13) */
} serve_t;

/*  Registration, before the first step. A method is served once; a table has one loader. Start
 *  functions are called in the order given. A body that its codec does not take is refused; without
 *  a codec (NULL) nothing looks at it. */
void service_serve (service_t *self, const char *service, const char *method, const codec_t *codec,
                    serve_t when, method_fn *handle, void *owner);
void service_load (service_t *self, uint8_t table, record_fn *load, void *owner);
void service_at_start (service_t *self, start_fn *start, void *owner);

/*  Called in turn when work has ended, until one of them answers that the work was its own. */
typedef bool work_fn (void *owner, const moment_t *now, const event_t *event);
void service_on_work (service_t *self, work_fn *ended, void *owner);

/*  Called with rows that were read, before a member is; answers whether they were its own. A
 *  process has one such owner. */
void service_on_rows (service_t *self, work_fn *heard, void *owner);

/*  Answers whether something is under way that should be over before the process ends. A process
 *  has one such owner; from EVENT_END on it begins nothing, and stops when this says no. */
typedef bool busy_fn (const void *owner);
void service_on_end (service_t *self, busy_fn *busy, const void *owner);

/*  Called with news of flows. A process has one such owner. */
typedef void flow_fn (void *owner, const moment_t *now, const flow_event_t *event);
void service_on_flow (service_t *self, flow_fn *heard, void *owner);

/*  Handles one event: clears the outbox, keeps time, then calls the method, loader or callback
 *  that the event is for. */
void service_step (service_t *self, const moment_t *now, const event_t *event);
bool service_next (service_t *self, effect_t *effect);

/*  Serves a request that has come; also again, in a later step, when what it waited for is here. */
void service_request (service_t *self, const moment_t *now, const request_t *request);

/*  The core of an owner that begins with its service_t *. */
core_t service_core (void *owner, void (*destroy) (void *owner));

/*  The record being loaded can't be read: it is counted, an alarm names its table and key, and it
 *  stays where it is. Whatever replaces it later moves it to TABLE_ASIDE. */
void service_bad_record (service_t *self, const char *table, const char *why);

/*  Count something by its static name; shown by Service.Status. */
void service_count (service_t *self, const char *name, int64_t by);

/*  The count so far in this start; 0 if nothing was counted by that name. */
int64_t service_counted (const service_t *self, const char *name);

/*  Show a limit, by its static name, in Service.Status. Once each. */
void service_limit (service_t *self, const char *name, int64_t most);

/*  The same of all numbers in settings whose members are called …_max. */
void service_limits (service_t *self, const setting_table_t *table, const void *settings);

/*  A warning for an operator: logged when the sentence is new, and shown by Service.Status until
 *  it is replaced by "" or until_ms (monotonic) has passed. Up to WARNINGS_MAX subjects at once.
 */
void service_warn (service_t *self, const char *about, const char *text, int64_t until_ms);

/*  Calls in the name of the service itself, without a request id; body is freed. */
uint64_t service_ask (service_t *self, const moment_t *now, const call_order_t *order,
                      packed_t body, call_done_fn *done, void *owner, uint64_t token);

/*  Answer a request, or put a record; the packed bytes end with it. */
void service_reply (service_t *self, const request_t *request, packed_t body);
void service_reply_to (service_t *self, uint64_t reply_to, packed_t body);
void service_put (service_t *self, uint8_t table, bytes_t key, packed_t record);

/*  Answers false: return service_refuse (…). */
bool service_refuse (service_t *self, const request_t *request, call_status_t status,
                     const char *format, ...) __attribute__ ((format (printf, 4, 5)));

#endif
