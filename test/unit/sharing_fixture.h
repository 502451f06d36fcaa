/*  sharing_fixture - sites of a coalition, each in queue_fixture, and what carries messages between
 *  them: late, twice or not at all where a test wants that.
 */
#ifndef MUSUBI_SHARING_FIXTURE_H
#define MUSUBI_SHARING_FIXTURE_H

#define CALLS_MAX 256
#include "message.h"
#include "queue_fixture.h"

#include "balance.pb-c.h"
#include "prng.h"

#include <inttypes.h>

#define SITES        3
#define MESSAGES_MAX 512
#define BALANCER     "balancer/green"
#define CARRIED      (UINT64_C (1) << 40) /* reply_to of carried requests begins here */

/*  A request that is under way, or its answer. */
typedef struct {
    bool answer;
    size_t from;
    size_t to;
    uint64_t call;
    uint32_t start; /* of the caller */
    uint8_t to_store [STORE_ID_BYTES];
    char service [32];
    char method [32];
    char actor [NAME_BYTES_MAX + 1];
    call_status_t status;
    char reason [512];
    uint8_t *body;
    size_t size;
} message_t;

typedef struct coalition sharing_coalition_t;

typedef struct {
    sharing_coalition_t *coalition;
    size_t site;
} carrier_t;

typedef struct {
    char label [48];
    uint32_t begun;
} begun_t;

struct coalition {
    field_t sites [SITES];
    carrier_t carriers [SITES];
    message_t messages [MESSAGES_MAX];
    size_t messages_count;
    /*  Requests that were handed over, by reply_to - CARRIED; their answers go back. */
    message_t asked [MESSAGES_MAX];
    size_t asked_next;
    bool cut;       /* true: nothing arrives */
    prng_t *chance; /* NULL: all arrives, once and in order */
    begun_t *begun;
    size_t begun_count;
    uint64_t order;
};

static const char *const site_names [SITES] = {"lis/ams", "lis/osa", "lis/kyo"};

static inline void message_end (message_t *message)
{
    free (message->body);
    message->body = NULL;
}

static inline size_t site_of (const sharing_coalition_t *self, const char *endpoint)
{
    (void) self;
    for (size_t i = 0; i < SITES; i++)
        if (strcmp (endpoint + strlen ("sim://"), site_names [i]) == 0)
            return i;
    fail_msg ("nobody at %s", endpoint);
    return 0;
}

static inline uint8_t *body_copy (bytes_t body)
{
    uint8_t *copy = malloc (body.size + 1);
    assert_non_null (copy);
    if (body.size > 0)
        memcpy (copy, body.data, body.size);
    return copy;
}

static inline void message_add (sharing_coalition_t *self, const message_t *message, bytes_t body)
{
    size_t times = 1;
    if (self->chance)
        times = prng_below (self->chance, 5) == 0 ? 2 * prng_below (self->chance, 2) : 1;
    for (; times > 0; times--) {
        if (self->messages_count == MESSAGES_MAX)
            return; /* when the net is full, a new message is lost */
        message_t *put = &self->messages [self->messages_count++];
        *put = *message;
        put->body = body_copy (body);
        put->size = body.size;
    }
}

static inline void on_carry (void *owner, const effect_t *effect)
{
    const carrier_t *carrier = owner;
    sharing_coalition_t *self = carrier->coalition;
    if (effect->kind == EFFECT_CALL) {
        size_t to = site_of (self, effect->call.endpoint);
        message_t message = {.from = carrier->site,
                             .to = to,
                             .call = effect->call.call,
                             .start = self->sites [carrier->site].w.host.store.start};
        snprintf (message.service, sizeof message.service, "%s", effect->call.service);
        snprintf (message.method, sizeof message.method, "%s", effect->call.method);
        snprintf (message.actor, sizeof message.actor, "%s", effect->call.actor);
        memcpy (message.to_store, effect->call.to_store, STORE_ID_BYTES);
        message_add (self, &message, effect->call.body);
    } else if (effect->reply.reply_to >= CARRIED) {
        message_t message = self->asked [(effect->reply.reply_to - CARRIED) % MESSAGES_MAX];
        message.answer = true;
        message.status = effect->reply.status;
        snprintf (message.reason, sizeof message.reason, "%s",
                  effect->reply.reason ? effect->reply.reason : "");
        message_add (self, &message, effect->reply.body);
    }
}

static inline void on_begun (void *owner, const wanted_run_t *wanted)
{
    sharing_coalition_t *self = owner;
    char label [48];
    snprintf (label, sizeof label, "%s.%" PRIu32, wanted->order->arguments [1],
              wanted->order->index_from + wanted->id.task.index);
    for (size_t i = 0; i < self->begun_count; i++)
        if (strcmp (self->begun [i].label, label) == 0) {
            self->begun [i].begun++;
            return;
        }
    self->begun = realloc (self->begun, (self->begun_count + 1) * sizeof *self->begun);
    assert_non_null (self->begun);
    begun_t *begun = &self->begun [self->begun_count++];
    *begun = (begun_t){.begun = 1};
    memcpy (begun->label, label, sizeof label);
}

/*  How often a task was begun, at any site. */
static inline uint32_t begun (const sharing_coalition_t *self, const char *bag, uint32_t index)
{
    char label [48];
    snprintf (label, sizeof label, "%s.%" PRIu32, bag, index);
    for (size_t i = 0; i < self->begun_count; i++)
        if (strcmp (self->begun [i].label, label) == 0)
            return self->begun [i].begun;
    return 0;
}

/*  --- carrying --- */

/*  A request for a store that the site does not serve now gets the answer that the bus would give.
 */
static inline bool misdirected (sharing_coalition_t *self, const message_t *message)
{
    static const uint8_t anybody [STORE_ID_BYTES];
    if (memcmp (message->to_store, anybody, STORE_ID_BYTES) == 0 ||
        memcmp (message->to_store, self->sites [message->to].w.host.store.id, STORE_ID_BYTES) == 0)
        return false;
    message_t back = *message;
    back.answer = true;
    back.status = CALL_WRONG_STORE;
    snprintf (back.reason, sizeof back.reason, "another store serves this address");
    message_add (self, &back, (bytes_t){.size = 0});
    return true;
}

static inline void request_deliver (sharing_coalition_t *self, message_t *message)
{
    service_world_t *w = &self->sites [message->to].w;
    if (misdirected (self, message))
        return;
    uint64_t at = self->asked_next++;
    message_t *asked = &self->asked [at % MESSAGES_MAX];
    *asked = *message;
    asked->body = NULL;
    step (w, &(event_t){.kind = EVENT_REQUEST,
                        .request = {.service = message->service,
                                    .method = message->method,
                                    .actor = message->actor,
                                    .request_id = "",
                                    .body = {message->body, message->size},
                                    .reply_to = CARRIED + at}});
}

/*  An answer that is not awaited any more is dropped. */
static inline void answer_deliver (sharing_coalition_t *self, message_t *message)
{
    service_world_t *w = &self->sites [message->from].w;
    for (size_t i = 0; i < w->calls_count && w->host.store.start == message->start; i++) {
        if (w->calls [i].call != message->call)
            continue;
        w->calls [i] = w->calls [--w->calls_count];
        event_t event = {.kind = EVENT_ANSWER,
                         .answer = {.call = message->call,
                                    .status = message->status,
                                    .reason = message->reason,
                                    .body = {message->body, message->size}}};
        memcpy (event.answer.store, self->sites [message->to].w.host.store.id, STORE_ID_BYTES);
        step (w, &event);
        return;
    }
}

/*  With chance set, some messages are not delivered this time. */
static inline void carry (sharing_coalition_t *self)
{
    size_t most = self->messages_count + 1000;
    while (self->messages_count > 0 && !self->cut && most-- > 0) {
        size_t at = 0;
        if (self->chance) {
            at = prng_below (self->chance, self->messages_count);
            if (prng_below (self->chance, 4) == 0)
                return;
        }
        message_t message = self->messages [at];
        self->messages_count--;
        memmove (&self->messages [at], &self->messages [at + 1],
                 (self->messages_count - at) * sizeof message);
        if (message.answer)
            answer_deliver (self, &message);
        else
            request_deliver (self, &message);
        message_end (&message);
    }
}

static inline void coalition_pass (sharing_coalition_t *self, int64_t ms)
{
    for (; ms > 0; ms -= SECOND_MS)
        for (size_t i = 0; i < SITES; i++) {
            pass (&self->sites [i].w, SECOND_MS);
            agents_come (&self->sites [i]);
            carry (self);
        }
}

/*  --- asking --- */

static inline call_status_t ask_sharing (sharing_coalition_t *self, size_t site, const char *actor,
                                         const char *method, const ProtobufCMessage *message)
{
    size_t size;
    uint8_t *packed = message_pack (message, &size);
    service_world_t *w = &self->sites [site].w;
    uint32_t start = w->host.store.start;
    w->replied = false;
    w->asked = 1;
    step (w, &(event_t){.kind = EVENT_REQUEST,
                        .request = {.service = "Sharing",
                                    .method = method,
                                    .actor = actor,
                                    .request_id = "",
                                    .body = {packed, size},
                                    .reply_to = 1}});
    free (packed);
    assert_true (w->replied || w->host.store.start != start);
    field_check (&self->sites [site]);
    return w->status;
}

static inline void join (sharing_coalition_t *self, size_t site)
{
    Musubi__JoinRequest request = MUSUBI__JOIN_REQUEST__INIT;
    request.balancer = BALANCER;
    request.level_s = 60;
    assert_int_equal (ask_sharing (self, site, "root", "Join", &request.base), CALL_OK);
}

static inline call_status_t move_said_by (sharing_coalition_t *self, const char *actor, size_t from,
                                          size_t to, uint64_t bag, uint32_t count)
{
    Musubi__Party party = MUSUBI__PARTY__INIT;
    char endpoint [96];
    snprintf (endpoint, sizeof endpoint, "sim://%s", site_names [to]);
    party.name = (char *) site_names [to];
    party.endpoint = endpoint;
    party.store =
      (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = self->sites [to].w.host.store.id};
    Musubi__MoveRequest request = MUSUBI__MOVE_REQUEST__INIT;
    request.round = ++self->order;
    request.to = &party;
    request.bag = bag;
    request.count = count;
    return ask_sharing (self, from, actor, "Move", &request.base);
}

static inline call_status_t try_move (sharing_coalition_t *self, size_t from, size_t to,
                                      uint64_t bag, uint32_t count)
{
    return move_said_by (self, BALANCER, from, to, bag, count);
}

static inline uint32_t moved (sharing_coalition_t *self, size_t site)
{
    Musubi__MoveAnswer *told = answer (&self->sites [site].w, &musubi__move_answer__descriptor);
    uint32_t count = told->moved;
    message_free (&told->base);
    return count;
}

static inline uint32_t move (sharing_coalition_t *self, size_t from, size_t to, uint64_t bag,
                             uint32_t count)
{
    if (try_move (self, from, to, bag, count) != CALL_OK)
        fail_msg ("%s", self->sites [from].w.reason);
    return moved (self, from);
}

/*  A bag of alice's; its label tells its tasks apart. */
static inline call_status_t try_share (sharing_coalition_t *self, size_t site, const char *label,
                                       uint32_t count, const char *request_id)
{
    char *arguments [] = {"/bin/true", (char *) label};
    Musubi__TaskCommand command = MUSUBI__TASK_COMMAND__INIT;
    command.n_arguments = 2;
    command.arguments = arguments;
    Musubi__SubmitRequest request = MUSUBI__SUBMIT_REQUEST__INIT;
    request.command = &command;
    request.count = count;
    request.cpus = 1;
    request.limit_ms = 10 * MINUTE_MS;
    request.class_name = "thin";
    request.shared = true;
    return ask_with_id (&self->sites [site], "alice", "Submit", request_id, &request.base);
}

static inline uint64_t submitted_bag (sharing_coalition_t *self, size_t site)
{
    Musubi__SubmitAnswer *told = answer (&self->sites [site].w, &musubi__submit_answer__descriptor);
    uint64_t number = told->bag;
    message_free (&told->base);
    return number;
}

static inline uint64_t share (sharing_coalition_t *self, size_t site, const char *label,
                              uint32_t count)
{
    if (try_share (self, site, label, count, "") != CALL_OK)
        fail_msg ("%s", self->sites [site].w.reason);
    return submitted_bag (self, site);
}

/*  Everything that runs at a site ends by itself. */
static inline void all_end (sharing_coalition_t *self, size_t site, int32_t exit_code)
{
    field_t *field = &self->sites [site];
    for (size_t i = 0; i < field->agents_count; i++)
        for (size_t k = 0; k < field->agents [i].runs_count; k++) {
            machine_run_t *run = &field->agents [i].runs [k];
            if (run_over (run->report.state))
                continue;
            machine_end (run, field->w.host.now.wall_ms);
            run->report.exit_code = exit_code;
        }
    agents_come (field);
}

/*  --- their life --- */

static inline void prepare_coalition (sharing_coalition_t *self)
{
    *self = (sharing_coalition_t){.cut = false};
    for (size_t i = 0; i < SITES; i++) {
        field_t *site = &self->sites [i];
        self->carriers [i] = (carrier_t){self, i};
        prepare_queue (site);
        site->w.settings.provider.name = site_names [i];
        site->w.settings.provider.gis_count = 0;
        site->w.settings.runner = &site->runner;
        site->w.name = site_names [i];
        site->w.host.store.id [0] = (uint8_t) (i + 1);
        site->w.carry = on_carry;
        site->w.carrier = &self->carriers [i];
        site->begun = on_begun;
        site->begun_owner = self;
    }
}

static inline void open_coalition (sharing_coalition_t *self)
{
    prepare_coalition (self);
    for (size_t i = 0; i < SITES; i++) {
        open_field (&self->sites [i]);
        join (self, i);
    }
}

static inline void close_coalition (sharing_coalition_t *self)
{
    for (size_t i = 0; i < SITES; i++)
        close_world (&self->sites [i].w);
    for (size_t i = 0; i < self->messages_count; i++)
        message_end (&self->messages [i]);
    free (self->begun);
}

#endif
