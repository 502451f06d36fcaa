/*  planner_call - puts one question to planners in turn, under the same request id.
 *
 *  A planner is first asked whether it lives, so that a dead one costs half a second and not a
 *  whole time-out.
 */
#include "must.h"
#include "session.h"

#define PROBE_MS     500 /* how long to wait for a planner that is asked whether it lives */
#define PROBES       3   /* planners asked at once */
#define TRY_MS_LEAST 3000
#define AGAIN_MS     250 /* before asking again about a request in progress */

typedef struct {
    char endpoint [256];
    uint64_t order; /* by load, then by chance */
    bool tried;
} called_planner_t;

typedef struct {
    called_planner_t *list;
    size_t count;
    char why [CLIENT_REASON_BYTES]; /* the last of them gave no answer; "": there is none */
} planners_t;

static int by_order (const void *a, const void *b)
{
    const called_planner_t *one = a;
    const called_planner_t *other = b;
    return (one->order > other->order) - (one->order < other->order);
}

/*  The planners that take requests, the idlest first, equals in random order. */
static planners_t planner_call_list_planners (session_t *self)
{
    planners_t planners = {
      .list = must (calloc (json_array_size (self->entries) + 1, sizeof (called_planner_t)))};
    json_each (entry, self->entries) {
        const json_t *planner = json_object_get (entry, "planner");
        if (!planner || flag_of (planner, "finishing"))
            continue;
        called_planner_t *one = &planners.list [planners.count++];
        snprintf (one->endpoint, sizeof one->endpoint, "%s", text_of (entry, "endpoint"));
        uint64_t load = (uint64_t) number_of (planner, "in_progress");
        one->order = load << 32 | (uint32_t) prng_next (&self->prng);
    }
    qsort (planners.list, planners.count, sizeof (called_planner_t), by_order);
    return planners;
}

/*  Asks up to PROBES untried planners at once whether they live; the first to answer, or NULL when
 *  none answers in time. Silent ones count as tried. */
static called_planner_t *live_planner (session_t *self, planners_t *planners, int64_t until_ms)
{
    method_t status = services_method ("Service", "Status");
    called_planner_t *probed [PROBES];
    uint64_t calls [PROBES];
    size_t count = 0;
    int64_t patience_ms = until_ms - cli_mono_ms ();
    if (patience_ms > PROBE_MS)
        patience_ms = PROBE_MS;
    for (size_t i = 0; i < planners->count && count < PROBES && patience_ms > 0; i++) {
        if (planners->list [i].tried)
            continue;
        probed [count] = &planners->list [i];
        calls [count++] =
          client_send (self->client, &(client_request_t){.endpoint = planners->list [i].endpoint,
                                                         .service = status.service,
                                                         .method = status.method,
                                                         .actor = self->places.actor,
                                                         .timeout_ms = patience_ms});
    }
    client_reply_t reply;
    for (size_t waiting = count; waiting > 0 && client_wait (self->client, -1, &reply);)
        for (size_t i = 0; i < count; i++) {
            if (calls [i] != reply.call)
                continue;
            if (reply.status == CALL_OK)
                return probed [i];
            snprintf (planners->why, sizeof planners->why, "%s", reply.reason);
            probed [i]->tried = true;
            waiting--;
        }
    return NULL;
}

/*  An answer that says no more than "not yet". */
static bool undecided (const json_t *answer)
{
    const char *status = text_of (answer, "status");
    return strcmp (status, "ANSWER_UNKNOWN") == 0 || strcmp (status, "ANSWER_IN_PROGRESS") == 0;
}

/*  Keeps what a planner says of a request that is not decided yet: it tells more than the time-out
 *  of the next call. */
static void keep_told (const json_t *answer, char told [CLIENT_REASON_BYTES])
{
    const json_t *first = item_of (answer, "reasons", 0);
    const char *text = text_of (first, "text");
    snprintf (told, CLIENT_REASON_BYTES, "%s", *text ? text : "the request is not decided yet");
}

/*  Can another planner, or a later try, still answer? */
static bool passing (call_status_t status)
{
    return status == CALL_TIMED_OUT || status == CALL_OVERLOADED || status == CALL_NOT_SERVING ||
           status == CALL_WRONG_STORE;
}

/*  A live planner; reads the directory again when all known planners have been tried. */
static called_planner_t *next_planner (session_t *self, planners_t *planners, int64_t until_ms)
{
    while (!cli_interrupted ()) {
        called_planner_t *planner = live_planner (self, planners, until_ms);
        if (planner)
            return planner;
        bool untried = false;
        for (size_t i = 0; i < planners->count; i++)
            untried = untried || !planners->list [i].tried;
        if (cli_mono_ms () >= until_ms)
            return NULL;
        if (untried)
            continue;
        cli_rest (AGAIN_MS);
        session_look (self, "planner");
        planners_t anew = planner_call_list_planners (self);
        free (planners->list);
        planners->list = anew.list;
        planners->count = anew.count;
    }
    return NULL;
}

int session_ask_planner (session_t *self, const char *method_name, const json_t *body,
                         const char *request_id, json_t **answer, bool *sent,
                         char reason [CLIENT_REASON_BYTES])
{
    method_t method = services_method ("Planner", method_name);
    int64_t timeout_ms = self->places.timeout_ms;
    int64_t until_ms = cli_mono_ms () + timeout_ms;
    int64_t try_ms = timeout_ms / 2 > TRY_MS_LEAST ? timeout_ms / 2 : TRY_MS_LEAST;
    planners_t planners = planner_call_list_planners (self);
    int code = EXIT_UNKNOWN;
    *answer = NULL;
    *sent = false;
    *reason = '\0';
    char told [CLIENT_REASON_BYTES] = "";
    for (bool over = false; !over;) {
        called_planner_t *planner = next_planner (self, &planners, until_ms);
        int64_t left_ms = until_ms - cli_mono_ms ();
        if (!planner || left_ms <= 0)
            break;
        *sent = true;
        json_decref (*answer);
        call_status_t status = session_ask (self, planner->endpoint, &method, body, request_id,
                                            left_ms < try_ms ? left_ms : try_ms, answer, reason);
        if (status == CALL_OK && !undecided (*answer)) {
            code = EXIT_DONE;
            over = true;
        } else if (status == CALL_OK) {
            keep_told (*answer, told);
            cli_rest (AGAIN_MS);
        } else if (passing (status)) {
            planner->tried = true;
        } else {
            code = status == CALL_UNKNOWN_METHOD ? EXIT_USAGE : session_code (status);
            over = true;
        }
        over = over || cli_interrupted ();
    }
    free (planners.list);
    if (!*sent)
        snprintf (reason, CLIENT_REASON_BYTES, "no planner answers%s%.400s",
                  *planners.why ? ": " : "", planners.why);
    if (code == EXIT_UNKNOWN && *told)
        memcpy (reason, told, sizeof told);
    return code;
}
