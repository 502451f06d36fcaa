/*  backtracking - sends the machine's wishes as messages, and hands it the answers. */
#include "backtracking.h"

#include "calendar_wire.h"
#include "must.h"
#include "participant_ref.h"
#include "plan_shares.h"
#include "windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  A question to a site, or to a domain, under way. */
typedef struct {
    uint64_t call;
    size_t place; /* of the snapshot; SIZE_MAX for a domain's */
    size_t of;    /* the first place of the option that it belongs to */
    bool told;    /* an answer has come */
    bool found;   /* and slot is what it said */
    backtrack_slot_t slot;
    size_t links [PATH_HOPS_MAX]; /* of a domain: the link of each window */
    size_t windows_count;
    int64_t step_ms;   /* of a site: from one window to the next */
    int64_t from_ms;   /* of a site: the first time asked about */
    int64_t before_ms; /* of a site: from there to the beginning of the need */
} backtracking_question_t;

struct backtracking {
    backtracking_order_t order;
    const user_request_t *request;
    backtrack_t *machine;
    tentative_t *tentative;
    size_t *sites;           /* by place */
    backtrack_need_t *needs; /* their places in the order of options */
    backtrack_edge_t *edges;
    size_t *choice; /* by need: index into its options, once found */
    path_t *paths;  /* by network need, between the places that its ends have now */
    backtracking_question_t *questions;
    size_t questions_count; /* of the wish */
    size_t next;            /* the first of them not asked yet */
    size_t waiting;
    backtrack_slot_t *slots;
    size_t slots_count;
    bool fits;                    /* all windows asked about so far fit */
    hindrance_t *hindrances;      /* by need */
    hindrance_t *path_hindrances; /* by network need */
    uint64_t timer;
    backtracking_done_fn *done;
    void *owner;
};

static void carry_out_wish (backtracking_t *self, const moment_t *now);

static void stop (backtracking_t *self)
{
    for (size_t i = 0; i < self->next; i++)
        calls_cancel (self->order.service->calls, self->questions [i].call);
    timers_cancel (self->order.service->timers, self->timer);
    self->timer = 0;
    tentative_destroy (&self->tentative);
}

static void backtracking_finish (backtracking_t *self, const moment_t *now, backtracking_end_t end)
{
    stop (self);
    self->done (self->owner, now, end);
}

static uint64_t backtracking_ask (backtracking_t *self, const moment_t *now, size_t source,
                                  const char *method, packed_t body, call_done_fn *done,
                                  size_t token)
{
    const participant_ref_t *party = &self->order.snapshot->sources [source].party;
    const planner_settings_t *settings = self->order.settings;
    bool suspected = unresponsive_has (self->order.unresponsive, now, party->name);
    service_count (self->order.service, "backtracking_questions", 1);
    return service_ask (
      self->order.service, now,
      &(call_order_t){.peer = party->name,
                      .endpoint = party->endpoint,
                      .service = "Calendar",
                      .method = method,
                      .timeout_ms = suspected ? settings->try_ms : settings->try_ms_max,
                      .tries_max = 1},
      body, done, self, token);
}

static void judge_peer (backtracking_t *self, const moment_t *now, size_t source,
                        call_status_t status)
{
    source_t *of = &self->order.snapshot->sources [source];
    bool silent = status == CALL_TIMED_OUT;
    unresponsive_judge (self->order.unresponsive, now, of->party.name, silent);
    of->silent = of->silent || silent;
}

/*  --- when is a need free at its places? --- */

static size_t backtracking_option_at (const backtracking_t *self, size_t need, size_t place)
{
    const need_options_t *needs = &self->order.snapshot->needs [need];
    for (size_t i = 0; i < needs->options_count; i++)
        if (needs->options [i].place == place)
            return i;
    return SIZE_MAX;
}

static const option_t *backtracking_option (const backtracking_t *self, size_t need, size_t place)
{
    return &self->order.snapshot->needs [need].options [backtracking_option_at (self, need, place)];
}

/*  How many nodes to ask for at a place of an option: those that the need wants and, with
 *  counts_own, those that the plan so far takes there at the wished time. In S0 bbr does not count
 *  them. */
static uint32_t nodes_wanted (const backtracking_t *self, size_t need, const option_t *option,
                              size_t at)
{
    const snapshot_t *snapshot = self->order.snapshot;
    int64_t gap_ms = snapshot->sources [snapshot->places [at].source].gap_ms;
    int64_t start_ms = backtrack_start (self->machine), from_ms, until_ms;
    uint32_t nodes = option->nodes;
    option_interval (snapshot, need, option, start_ms, &from_ms, &until_ms);
    for (size_t i = 0; self->order.counts_own && i < self->request->compute_count; i++) {
        size_t place = backtrack_place (self->machine, i);
        int64_t its_from_ms, its_until_ms;
        if (place == SIZE_MAX || place > at)
            continue;
        const option_t *other = backtracking_option (self, i, place);
        option_interval (snapshot, i, other, start_ms, &its_from_ms, &its_until_ms);
        if (at < place + other->spread && its_from_ms < until_ms + gap_ms &&
            from_ms - gap_ms < its_until_ms)
            nodes += other->nodes;
    }
    return nodes;
}

static hindrance_t hindrance_of (const backtrack_wish_t *wish, size_t link)
{
    return (hindrance_t){
      .set = true, .link = link, .from_ms = wish->from_ms, .until_ms = wish->until_ms};
}

static void places_answered (backtracking_t *self, const moment_t *now)
{
    backtrack_wish_t wish = backtrack_wish (self->machine);
    if (self->slots_count == 0)
        self->hindrances [wish.need] = hindrance_of (&wish, SIZE_MAX);
    backtrack_slots (self->machine, self->slots, self->slots_count);
    carry_out_wish (self, now);
}

static void ask_next_place (backtracking_t *self, const moment_t *now);

/*  An option of several places begins when the last of them has room. It may not last there; then
 *  they are asked again, at that start. */
static void take_slot (backtracking_t *self, const backtracking_question_t *question)
{
    backtrack_slot_t slot = question->slot;
    for (size_t i = 0; i < self->questions_count; i++) {
        const backtracking_question_t *other = &self->questions [i];
        if (other->of != question->of)
            continue;
        if (!other->told || !other->found)
            return;
        if (other->slot.start_ms > slot.start_ms)
            slot.start_ms = other->slot.start_ms;
    }
    slot.place = question->of;
    self->slots [self->slots_count++] = slot;
}

static void place_answered (backtracking_t *self, const moment_t *now,
                            backtracking_question_t *question, call_status_t status,
                            const backtrack_slot_t *slot)
{
    judge_peer (self, now, self->order.snapshot->places [question->place].source, status);
    question->told = true;
    question->found = slot != NULL;
    if (slot) {
        question->slot = *slot;
        take_slot (self, question);
    }
    self->waiting--;
    if (self->next < self->questions_count)
        ask_next_place (self, now);
    else if (self->waiting == 0)
        places_answered (self, now);
}

/*  A site that discloses windows only answers which of them fit: the first that does gives the
 *  start, the share that does not gives the load. */
static void on_site_windows (void *owner, const moment_t *now, uint64_t token,
                             const call_result_t *result)
{
    backtracking_t *self = owner;
    backtracking_question_t *question = &self->questions [token];
    bool fits [WINDOWS_ASKED_MAX] = {0};
    size_t first = question->windows_count, fit = 0;
    char why [WHY_BYTES];
    question->call = 0;
    if (result->status == CALL_OK &&
        windows_decode (result->body, fits, question->windows_count, why))
        for (size_t i = question->windows_count; i-- > 0;) {
            first = fits [i] ? i : first;
            fit += fits [i];
        }
    backtrack_slot_t slot = {.place = question->place,
                             .start_ms = question->from_ms + (int64_t) first * question->step_ms +
                                         question->before_ms,
                             .load = 1 - (double) fit / (double) question->windows_count,
                             .price = self->order.snapshot->places [question->place].price};
    place_answered (self, now, question, result->status, fit > 0 ? &slot : NULL);
}

/*  Asks about windows at the wished start, and at equal distances up to the last possible start. */
static void ask_site_windows (backtracking_t *self, const moment_t *now,
                              const backtrack_wish_t *wish, size_t at)
{
    backtracking_question_t *question = &self->questions [at];
    const site_class_t *place = &self->order.snapshot->places [question->place];
    const option_t *option = backtracking_option (self, wish->need, question->of);
    int64_t duration_ms = question->before_ms + need_duration (self->request, wish->need);
    int64_t frame_ms = wish->until_ms - duration_ms - question->from_ms;
    window_question_t windows [WINDOWS_ASKED_MAX];
    question->windows_count = frame_ms > 0 ? WINDOWS_ASKED_MAX : 1;
    question->step_ms = frame_ms / (WINDOWS_ASKED_MAX - 1);
    for (size_t i = 0; i < question->windows_count; i++) {
        int64_t from_ms = question->from_ms + (int64_t) i * question->step_ms;
        windows [i] =
          (window_question_t){.quantity = nodes_wanted (self, wish->need, option, question->place),
                              .over = {from_ms, from_ms + duration_ms}};
        snprintf (windows [i].resource, sizeof windows [i].resource, "%s", place->class_name);
    }
    question->call =
      backtracking_ask (self, now, place->source, "Windows",
                        windows_encode (windows, question->windows_count, "", self->order.actor),
                        on_site_windows, at);
}

static void on_slot (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    backtracking_t *self = owner;
    backtracking_question_t *question = &self->questions [token];
    const site_class_t *place = &self->order.snapshot->places [question->place];
    backtrack_slot_t slot = {.place = question->place, .price = place->price};
    question->call = 0;
    if (result->status == CALL_DENIED) { /* it has changed its disclosure since it was announced */
        backtrack_wish_t wish = backtrack_wish (self->machine);
        ask_site_windows (self, now, &wish, token);
        return;
    }
    free_answer_t told = {0};
    bool good = call_take (result, &free_answer_codec, &told, NULL);
    bool found = good && told.count > 0;
    if (found)
        slot.start_ms = told.spans [0].over.from + question->before_ms;
    slot.load = told.utilisation;
    codec_clear (&free_answer_codec, &told);
    place_answered (self, now, question, result->status, found ? &slot : NULL);
}

static void ask_next_place (backtracking_t *self, const moment_t *now)
{
    const snapshot_t *snapshot = self->order.snapshot;
    backtrack_wish_t wish = backtrack_wish (self->machine);
    size_t at = self->next++;
    backtracking_question_t *question = &self->questions [at];
    const site_class_t *place = &snapshot->places [question->place];
    const option_t *option = backtracking_option (self, wish.need, question->of);
    uint32_t cpus = nodes_wanted (self, wish.need, option, question->place) * place->cpus_per_node;
    self->waiting++;
    if (snapshot->sources [place->source].disclosure == DISCLOSE_WINDOWS) {
        ask_site_windows (self, now, &wish, at);
        return;
    }
    free_question_t asked = {.amount = cpus,
                             .duration_ms =
                               question->before_ms + need_duration (self->request, wish.need),
                             .over = {question->from_ms, wish.until_ms},
                             .most = 1};
    snprintf (asked.resource, sizeof asked.resource, "%s", place->class_name);
    snprintf (asked.actor, sizeof asked.actor, "%s", self->order.actor);
    question->call = backtracking_ask (self, now, place->source, "Free",
                                       codec_encode (&free_question_codec, &asked), on_slot, at);
}

/*  Where a file comes from takes nothing there. Its need's own site goes before all others; from
 *  elsewhere, there must be time for the circuit. */
static void offer_sources (backtracking_t *self, const backtrack_wish_t *wish)
{
    const snapshot_t *snapshot = self->order.snapshot;
    size_t at = self->request->compute [wish->need].derived.at;
    size_t here = self->sites [backtrack_place (self->machine, at)];
    for (size_t i = 0; i < wish->places_count; i++) {
        size_t place = wish->places [i];
        backtrack_slot_t slot = {.place = place,
                                 .start_ms = self->order.soonest_ms + snapshot_lead_ms (snapshot)};
        if (snapshot->sources [snapshot->places [place].source].left_out)
            continue;
        if (self->sites [place] == here) {
            slot.start_ms = wish->from_ms;
            self->slots_count = 0;
        }
        self->slots [self->slots_count++] = slot;
        if (self->sites [place] == here)
            return;
    }
}

/*  The questions about one option: one, or one for each storage node of a site. */
static void ask_option (backtracking_t *self, const backtrack_wish_t *wish, const option_t *option)
{
    const snapshot_t *snapshot = self->order.snapshot;
    const source_t *source = &snapshot->sources [snapshot->places [option->place].source];
    int64_t from_ms = wish->from_ms - option->before_ms;
    int64_t soonest_ms = self->order.soonest_ms + snapshot_lead_ms (snapshot);
    if (source->left_out || from_ms >= wish->until_ms || option->before_ms >= STAGING_NEVER)
        return;
    if (option->before_ms > 0 && from_ms < soonest_ms)
        from_ms = soonest_ms;
    for (uint32_t i = 0; i < option->spread; i++)
        self->questions [self->questions_count++] =
          (backtracking_question_t){.place = option->place + i,
                                    .of = option->place,
                                    .from_ms = from_ms,
                                    .before_ms = option->before_ms};
}

static void ask_places (backtracking_t *self, const moment_t *now, const backtrack_wish_t *wish)
{
    self->questions_count = self->next = self->slots_count = 0;
    if (self->request->compute [wish->need].derived.kind == DERIVED_SOURCE)
        offer_sources (self, wish);
    else
        for (size_t i = 0; i < wish->places_count; i++)
            ask_option (self, wish, backtracking_option (self, wish->need, wish->places [i]));
    if (self->questions_count == 0) {
        places_answered (self, now);
        return;
    }
    ask_next_place (self, now);
    while (!self->order.settings->backtrack_serial && self->next < self->questions_count)
        ask_next_place (self, now);
}

/*  --- is the one path of a network need free? --- */

typedef struct {
    const graph_t *graph;
    const network_need_t *need;
} seeker_t;

/*  A link that does not meet the requirements is left out. One that is too small stays, and blocks
 *  the path. */
static int64_t capacity_of (void *owner, size_t link)
{
    const seeker_t *seeker = owner;
    const link_t *described = graph_link (seeker->graph, link)->link;
    if (!link_meets (described, seeker->need->require, seeker->need->require_count))
        return -1;
    return described->mbps;
}

static bool shorter (const path_t *a, const path_t *b)
{
    return a->links_count != b->links_count ? a->links_count < b->links_count : a->mbps > b->mbps;
}

/*  Finds the fixed path between any vertices of the two sites; false when there is none, or no
 *  domain is known yet. */
static bool find_fixed_path (backtracking_t *self, const backtrack_wish_t *wish)
{
    const snapshot_t *snapshot = self->order.snapshot;
    const network_need_t *need = &self->request->network [wish->edge];
    seeker_t seeker = {.graph = snapshot->graph, .need = need};
    const char *ends [2];
    for (int i = 0; i < 2; i++)
        ends [i] = participant_ref_short_name (
          snapshot->sources [snapshot->places [wish->ends [i]].source].party.name);
    path_t *way = &self->paths [wish->edge];
    bool found = false;
    uint64_t steps = self->order.settings->search_steps_max;
    if (!snapshot->graph)
        return false;
    for (size_t a = 0; a < graph_site_count (snapshot->graph, ends [0]); a++)
        for (size_t b = 0; b < graph_site_count (snapshot->graph, ends [1]); b++) {
            path_question_t question = {.from = graph_site (snapshot->graph, ends [0], a),
                                        .to = graph_site (snapshot->graph, ends [1], b),
                                        .order = PATH_FIXED,
                                        .latency_us_max = need->latency_us_max,
                                        .mbps = need->mbps,
                                        .free = capacity_of,
                                        .owner = &seeker};
            path_t path;
            if (path_find (snapshot->graph, &question, &path, &steps) != PATH_FOUND ||
                (found && !shorter (&path, way)))
                continue;
            *way = path;
            found = true;
        }
    return found;
}

/*  What the plan so far takes of a link at the wished time; 0 unless counts_own. */
static uint32_t planned_mbps (const backtracking_t *self, const backtrack_wish_t *wish, size_t link)
{
    uint32_t mbps = 0;
    for (size_t i = 0; self->order.counts_own && i < self->request->network_count; i++) {
        int64_t from_ms;
        int64_t until_ms;
        network_need_interval (self->request, i, &from_ms, &until_ms);
        from_ms += backtrack_start (self->machine);
        until_ms += backtrack_start (self->machine);
        if (!backtrack_carried (self->machine, i) || from_ms >= wish->until_ms ||
            until_ms <= wish->from_ms)
            continue;
        const path_t *path = &self->paths [i];
        for (size_t k = 0; k < path->links_count; k++)
            mbps += path->links [k] == link ? self->request->network [i].mbps : 0;
    }
    return mbps;
}

static void answer_machine (backtracking_t *self, const moment_t *now, bool yes)
{
    backtrack_reply (self->machine, yes);
    carry_out_wish (self, now);
}

static void backtracking_on_windows (void *owner, const moment_t *now, uint64_t token,
                                     const call_result_t *result)
{
    backtracking_t *self = owner;
    backtracking_question_t *question = &self->questions [token];
    bool *fits = must (calloc (question->windows_count, sizeof *fits));
    char why [WHY_BYTES];
    question->call = 0;
    bool told = result->status == CALL_OK &&
                windows_decode (result->body, fits, question->windows_count, why);
    self->fits = self->fits && told;
    for (size_t i = 0; told && i < question->windows_count; i++) {
        backtrack_wish_t wish = backtrack_wish (self->machine);
        if (!fits [i])
            self->path_hindrances [wish.edge] = hindrance_of (&wish, question->links [i]);
        self->fits = self->fits && fits [i];
    }
    free (fits);
    if (--self->waiting == 0)
        answer_machine (self, now, self->fits);
}

/*  Asks a domain about all of its links on the path. */
static void backtracking_ask_domain (backtracking_t *self, const moment_t *now,
                                     const backtrack_wish_t *wish, size_t source)
{
    const snapshot_t *snapshot = self->order.snapshot;
    const path_t *path = &self->paths [wish->edge];
    window_question_t windows [PATH_HOPS_MAX];
    size_t at = self->next++;
    backtracking_question_t *question = &self->questions [at];
    *question = (backtracking_question_t){.place = SIZE_MAX};
    for (size_t i = 0; i < path->links_count; i++) {
        size_t link = path->links [i];
        if (snapshot->links [link].source != source)
            continue;
        window_question_t *window = &windows [question->windows_count];
        question->links [question->windows_count++] = link;
        *window = (window_question_t){.quantity = self->request->network [wish->edge].mbps +
                                                  planned_mbps (self, wish, link),
                                      .over = {wish->from_ms, wish->until_ms}};
        snprintf (window->resource, sizeof window->resource, "%s",
                  graph_link (snapshot->graph, link)->link->name);
    }
    self->waiting++;
    question->call =
      backtracking_ask (self, now, source, "Windows",
                        windows_encode (windows, question->windows_count, "", self->order.actor),
                        backtracking_on_windows, at);
}

static void ask_edge (backtracking_t *self, const moment_t *now, const backtrack_wish_t *wish)
{
    const snapshot_t *snapshot = self->order.snapshot;
    self->questions_count = self->next = 0;
    self->fits = true;
    if (!find_fixed_path (self, wish)) {
        self->path_hindrances [wish->edge] = hindrance_of (wish, SIZE_MAX);
        answer_machine (self, now, false);
        return;
    }
    const path_t *path = &self->paths [wish->edge];
    for (size_t i = 0; i < path->links_count; i++) {
        size_t source = snapshot->links [path->links [i]].source;
        size_t first = 0;
        while (snapshot->links [path->links [first]].source != source)
            first++;
        if (first == i)
            backtracking_ask_domain (self, now, wish, source);
    }
}

/*  --- holding and cancelling --- */

static void on_tentative (void *owner, const moment_t *now, bool held)
{
    backtracking_t *self = owner;
    backtrack_wish_t wish = backtrack_wish (self->machine);
    hindrance_t hindrance = hindrance_of (&wish, SIZE_MAX);
    hindrance.refused = true;
    hindrance.refusal = *tentative_refusal (self->tentative);
    if (!held && wish.kind == BACKTRACK_HOLD_NEED)
        self->hindrances [wish.need] = hindrance;
    else if (!held)
        self->path_hindrances [wish.edge] = hindrance;
    answer_machine (self, now, held);
}

static void on_cancelled (void *owner, const moment_t *now, bool held)
{
    (void) held;
    backtracking_t *self = owner;
    backtrack_cancelled (self->machine);
    carry_out_wish (self, now);
}

static void backtracking_hold (backtracking_t *self, const moment_t *now,
                               const backtrack_wish_t *wish)
{
    bool edge = wish->kind == BACKTRACK_HOLD_EDGE;
    shares_t shares = {0}; /* one need never has too many participants */
    plan_shares_t of = {&shares, self->order.snapshot, backtrack_start (self->machine)};
    if (edge)
        plan_shares_path (&of, wish->edge, &self->paths [wish->edge]);
    else
        plan_shares_need (&of, wish->need, backtracking_option (self, wish->need, wish->place),
                          NULL);
    tentative_hold (self->tentative, now,
                    (backtrack_hold_t){.edge = edge, .index = edge ? wish->edge : wish->need},
                    &shares, on_tentative, self);
    shares_clear (&shares);
}

/*  --- the whole --- */

static void found (backtracking_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->request->compute_count; i++)
        self->choice [i] = backtracking_option_at (self, i, backtrack_place (self->machine, i));
    for (size_t i = 0; i < self->request->network_count; i++)
        if (!backtrack_carried (self->machine, i))
            self->paths [i] = (path_t){.from = SIZE_MAX};
    backtracking_finish (self, now, BACKTRACKING_FOUND);
}

/*  Does what the machine wishes now. Wishes are answered later, or at once at the price of a
 *  candidate, so this does not call itself for ever. */
static void carry_out_wish (backtracking_t *self, const moment_t *now)
{
    backtrack_wish_t wish = backtrack_wish (self->machine);
    switch (wish.kind) {
    case BACKTRACK_ASK_PLACES:
        ask_places (self, now, &wish);
        break;
    case BACKTRACK_ASK_EDGE:
        ask_edge (self, now, &wish);
        break;
    case BACKTRACK_HOLD_NEED:
    case BACKTRACK_HOLD_EDGE:
        backtracking_hold (self, now, &wish);
        break;
    case BACKTRACK_CANCEL:
        tentative_cancel (self->tentative, now, wish.holds, wish.holds_count, on_cancelled, self);
        break;
    case BACKTRACK_FOUND:
        found (self, now);
        break;
    case BACKTRACK_NONE:
        backtracking_finish (self, now, BACKTRACKING_NONE);
        break;
    }
}

static void backtracking_on_limit (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    backtracking_t *self = owner;
    self->timer = 0;
    backtracking_finish (self, now, BACKTRACKING_LATE);
}

static void backtracking_on_begin (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    backtracking_t *self = owner;
    self->timer = timers_set (self->order.service->timers, self->order.limit_mono_ms,
                              backtracking_on_limit, self, 0);
    carry_out_wish (self, now);
}

/*  A request without a deadline has one, too: its latest start plus its whole span. */
static int64_t deadline_of (const backtracking_order_t *order, const user_request_t *request)
{
    if (order->starts.deadline_ms < INT64_MAX)
        return order->starts.deadline_ms;
    return order->starts.latest_ms + user_request_span (request);
}

static backtrack_t *make_machine (backtracking_t *self)
{
    const backtracking_order_t *order = &self->order;
    const user_request_t *request = self->request;
    const snapshot_t *snapshot = order->snapshot;
    self->needs = must (calloc (request->compute_count + 1, sizeof *self->needs));
    self->edges =
      must (calloc (request->network_count + request->compute_count + 1, sizeof *self->edges));
    size_t edges = request->network_count;
    for (size_t i = 0; i < request->compute_count; i++) {
        const need_options_t *options = &snapshot->needs [i];
        size_t *places = must (calloc (options->options_count + 1, sizeof *places));
        for (size_t k = 0; k < options->options_count; k++)
            places [k] = options->options [k].place;
        self->needs [i] = (backtrack_need_t){.offset_ms = request->compute [i].offset_ms,
                                             .duration_ms = need_duration (request, i),
                                             .places = places,
                                             .places_count = options->options_count};
        const derived_t *derived = &request->compute [i].derived;
        self->needs [i].follows = derived->kind != DERIVED_NOT;
        self->needs [i].takes_nothing = derived->kind == DERIVED_SOURCE;
        if (derived->kind != DERIVED_STORAGE)
            continue;
        self->needs [i].apart = derived->data;
        self->edges [edges++] = (backtrack_edge_t){.ends = {i, derived->at}, .tie = true};
    }
    for (size_t i = 0; i < request->network_count; i++) {
        int64_t until_ms;
        backtrack_edge_t *edge = &self->edges [i];
        network_need_interval (request, i, &edge->offset_ms, &until_ms);
        edge->duration_ms = until_ms - edge->offset_ms;
        for (int end = 0; end < 2; end++)
            edge->ends [end] = network_need_end (request, i, end);
    }
    return backtrack_new (&(backtrack_order_t){.needs = self->needs,
                                               .needs_count = request->compute_count,
                                               .edges = self->edges,
                                               .edges_count = edges,
                                               .sites = self->sites,
                                               .begin_ms = order->starts.earliest_ms,
                                               .latest_ms = order->starts.latest_ms,
                                               .deadline_ms = deadline_of (order, request),
                                               .policy = order->policy,
                                               .incremental = order->incremental,
                                               .distinct = request->distinct_sites,
                                               .whole_deadline = order->settings->backtrack_whole,
                                               .least_delta = order->settings->backtrack_least},
                          &order->service->prng);
}

backtracking_t *backtracking_new (const backtracking_order_t *order, const moment_t *now,
                                  backtracking_done_fn *done, void *owner)
{
    backtracking_t *self = must (calloc (1, sizeof *self));
    const snapshot_t *snapshot = order->snapshot;
    self->order = *order;
    self->request = snapshot->request;
    self->done = done;
    self->owner = owner;
    self->sites = must (calloc (snapshot->places_count + 1, sizeof *self->sites));
    for (size_t i = 0; i < snapshot->places_count; i++)
        self->sites [i] = snapshot->places [i].site;
    size_t most = snapshot->sources_count + snapshot->places_count + 1;
    self->choice = must (calloc (self->request->compute_count + 1, sizeof *self->choice));
    self->paths = must (calloc (self->request->network_count + 1, sizeof *self->paths));
    self->hindrances = must (calloc (self->request->compute_count + 1, sizeof *self->hindrances));
    self->path_hindrances =
      must (calloc (self->request->network_count + 1, sizeof *self->path_hindrances));
    self->questions = must (calloc (most, sizeof *self->questions));
    self->slots = must (calloc (most, sizeof *self->slots));
    self->machine = make_machine (self);
    self->tentative = tentative_new (&(tentative_order_t){.service = order->service,
                                                          .settings = order->settings,
                                                          .coordinator = order->coordinator,
                                                          .actor = order->actor,
                                                          .request_id = order->request_id,
                                                          .until_mono_ms = order->limit_mono_ms,
                                                          .trail = order->trail});
    self->timer = timers_set (order->service->timers, now->mono_ms, backtracking_on_begin, self, 0);
    return self;
}

void backtracking_destroy (backtracking_t **self_p)
{
    backtracking_t *self = *self_p;
    *self_p = NULL;
    if (!self)
        return;
    stop (self);
    backtrack_destroy (&self->machine);
    for (size_t i = 0; i < self->request->compute_count; i++)
        free ((void *) self->needs [i].places);
    free (self->needs);
    free (self->edges);
    free (self->sites);
    free (self->choice);
    free (self->paths);
    free (self->hindrances);
    free (self->path_hindrances);
    free (self->questions);
    free (self->slots);
    free (self);
}

choice_t backtracking_choice (const backtracking_t *self)
{
    return (choice_t){
      .start_ms = backtrack_start (self->machine), .options = self->choice, .paths = self->paths};
}

const hindrance_t *backtracking_hindrances (const backtracking_t *self, bool network)
{
    return network ? self->path_hindrances : self->hindrances;
}
