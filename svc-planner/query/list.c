/*  list - the reservations of the federation, a page at a time.
 *
 *  Every site and network domain is asked for the same page of ids. If one has more than it sent,
 *  the page ends where that one stopped, so that no reservation is told from only some of its
 *  participants. A participant searches a limited number for one answer; while it has found nothing
 *  it is asked again, from there on.
 */
#include "connections.h"
#include "member.h"
#include "must.h"
#include "outcomes.h"
#include "participant_ref.h"
#include "read_request.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

#define LIST_MOST    1000
#define ASKS_MAX     1024 /* questions to one participant for one page */
#define DOUBTS_MAX   64   /* changes in one page whose outcome is asked; others are "committing" */
#define ANSWER_BYTES 900000u /* a page ends before it grows past this */

typedef struct {
    participant_ref_t party;
    uint64_t call;
    bool suspected; /* waited for only briefly */
    bool answered;
    int asks;
    parts_page_t page;
} sheet_t;

struct doubt;

typedef struct {
    read_request_t read_request;
    list_request_t question;
    sheet_t *sheets; /* one a site or network domain */
    size_t sheets_count;
    size_t sheets_room;
    size_t waiting;
    uint64_t timer; /* used when there is nobody to ask */
    view_t *views;
    size_t views_count;
    bool more;
    struct doubt *doubts;
    size_t doubts_count;
    size_t doubts_open;
} list_t;

typedef struct doubt {
    list_t *list;
    size_t view;
    outcomes_t *outcomes;
} list_doubt_t;

static void list_free (read_request_t *read_request)
{
    list_t *self = (list_t *) read_request;
    service_t *service = read_request->read_requests->service;
    timers_cancel (service->timers, self->timer);
    for (size_t i = 0; i < self->doubts_count; i++)
        outcomes_destroy (&self->doubts [i].outcomes);
    for (size_t i = 0; i < self->views_count; i++)
        view_clear (&self->views [i]);
    for (size_t i = 0; i < self->sheets_count; i++) {
        calls_cancel (service->calls, self->sheets [i].call);
        codec_clear (&parts_page_codec, &self->sheets [i].page);
    }
    free (self->doubts);
    free (self->views);
    free (self->sheets);
    free (self);
}

static void list_tell (list_t *self)
{
    size_t silent_count = 0;
    const char **silent = must (calloc (self->sheets_count + ABSENCES_MAX + 1, sizeof *silent));
    const absence_t *absent = NULL;
    for (size_t i = 0; i < self->sheets_count; i++)
        if (!self->sheets [i].answered)
            silent [silent_count++] = self->sheets [i].party.name;
    while ((absent = directory_next_absent (
              directory_of (self->read_request.read_requests->service), absent)))
        if (absent->votes)
            silent [silent_count++] = absent->name;
    packed_t packed =
      codec_encode (&views_page_codec, &(views_page_t){self->views, self->views_count, silent,
                                                       silent_count, self->more});
    free (silent);
    read_request_tell (&self->read_request, packed);
}

static void list_on_outcomes (void *owner, const moment_t *now, outcomes_verdict_t verdict)
{
    (void) now;
    list_doubt_t *doubt = owner;
    list_t *self = doubt->list;
    if (verdict == OUTCOMES_COMPLETE)
        self->views [doubt->view].status = SHOW_COMMITTED;
    if (--self->doubts_open == 0)
        list_tell (self);
}

static size_t view_bytes (const view_t *view)
{
    size_t bytes = 256 + view->compute_count * 224 + view->silent_count * (NAME_BYTES_MAX + 2);
    for (size_t i = 0; i < view->network_count; i++)
        bytes += 256 + view->network [i].path_count * (NAME_BYTES_MAX + 3) +
                 view->network [i].links_count * (RESOURCE_BYTES + 3);
    return bytes + view->data_count * sizeof *view->data;
}

/*  The last id up to which every participant has sent all it has; NULL: up to the end. */
static const char *last_common (const list_t *self)
{
    const char *last = NULL;
    for (size_t i = 0; i < self->sheets_count; i++) {
        const sheet_t *sheet = &self->sheets [i];
        if (sheet->page.more && (!last || strcmp (sheet->page.next, last) < 0))
            last = sheet->page.next;
    }
    return last;
}

/*  The smallest id that is next on some sheet; NULL at the end. */
static const char *next_id (const list_t *self, const size_t *at)
{
    const char *next = NULL;
    for (size_t i = 0; i < self->sheets_count; i++) {
        const sheet_t *sheet = &self->sheets [i];
        if (at [i] < sheet->page.count &&
            (!next || strcmp (sheet->page.records [at [i]].reservation, next) < 0))
            next = sheet->page.records [at [i]].reservation;
    }
    return next;
}

/*  Gather the records of one id from all sheets into a view, without parts. Returns what view_build
 *  does. */
static const part_record_t *take_view (list_t *self, const char *id, size_t *at, view_part_t *parts,
                                       const graph_t *graph)
{
    for (size_t i = 0; i < self->sheets_count; i++) {
        const sheet_t *sheet = &self->sheets [i];
        parts [i] = (view_part_t){.participant = sheet->party.name, .answered = sheet->answered};
        if (sheet->page.records && at [i] < sheet->page.count &&
            strcmp (sheet->page.records [at [i]].reservation, id) == 0)
            parts [i].record = &sheet->page.records [at [i]++];
    }
    view_t *view = &self->views [self->views_count++];
    const part_record_t *doubted =
      view_build (view, parts, self->sheets_count, &self->read_request, graph);
    free (view->parts);
    view->parts = NULL;
    view->parts_count = view->staging_count = 0;
    return doubted;
}

static void ask_after (list_t *self, const moment_t *now, size_t view, const part_record_t *newest)
{
    const read_requests_t *read_requests = self->read_request.read_requests;
    list_doubt_t *doubt = &self->doubts [self->doubts_count++];
    *doubt = (list_doubt_t){.list = self, .view = view};
    self->doubts_open++;
    doubt->outcomes = outcomes_new (read_requests->service, read_requests->settings, now,
                                    &newest->plan, list_on_outcomes, doubt);
}

static void list_merge (list_t *self, const moment_t *now)
{
    const char *last = last_common (self), *id;
    size_t bytes = 0;
    size_t *at = must (calloc (self->sheets_count + 1, sizeof *at));
    view_part_t *parts = must (calloc (self->sheets_count + 1, sizeof *parts));
    self->views = must (calloc (self->question.most, sizeof *self->views));
    self->doubts = must (calloc (DOUBTS_MAX, sizeof *self->doubts));
    graph_t *graph = federation_graph (directory_of (self->read_request.read_requests->service));
    while ((id = next_id (self, at))) {
        bool past = last && strcmp (id, last) > 0;
        if (past || self->views_count == self->question.most || bytes > ANSWER_BYTES) {
            self->more = true;
            break;
        }
        const part_record_t *doubted = take_view (self, id, at, parts, graph);
        bytes += view_bytes (&self->views [self->views_count - 1]);
        if (doubted && self->doubts_count < DOUBTS_MAX)
            ask_after (self, now, self->views_count - 1, doubted);
    }
    self->more = self->more || last != NULL;
    graph_destroy (&graph);
    free (at);
    free (parts);
    if (self->doubts_open == 0)
        list_tell (self);
}

static void list_ask (list_t *self, const moment_t *now, size_t at);

/*  Must it be asked again, because it has found nothing so far but is not at the end? One that
 *  makes no progress counts as silent. */
static bool goes_on (sheet_t *sheet, const char *after)
{
    if (!sheet->page.more || sheet->page.count > 0)
        return false;
    sheet->answered = strcmp (sheet->page.next, after) > 0 && sheet->asks < ASKS_MAX;
    sheet->page.more = false;
    return sheet->answered;
}

static void on_listed (void *owner, const moment_t *now, uint64_t token,
                       const call_result_t *result)
{
    list_t *self = owner;
    sheet_t *sheet = &self->sheets [token];
    char after [NAME_BYTES_MAX + 1];
    sheet->call = 0;
    bool silent = result->status == CALL_TIMED_OUT;
    if (!(silent && sheet->suspected))
        unresponsive_judge (self->read_request.read_requests->unresponsive, now, sheet->party.name,
                            silent);
    memcpy (after, sheet->page.next, sizeof after);
    codec_clear (&parts_page_codec, &sheet->page);
    sheet->answered = call_take (result, &parts_page_codec, &sheet->page, NULL);
    if (goes_on (sheet, after))
        list_ask (self, now, token);
    if (--self->waiting == 0)
        list_merge (self, now);
}

static void list_on_nobody (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    list_t *self = owner;
    self->timer = 0;
    list_merge (self, now);
}

static void list_ask (list_t *self, const moment_t *now, size_t at)
{
    read_requests_t *read_requests = self->read_request.read_requests;
    sheet_t *sheet = &self->sheets [at];
    list_request_t question = self->question;
    memcpy (question.after, sheet->page.next, sizeof question.after);
    sheet->asks++;
    sheet->suspected = unresponsive_has (read_requests->unresponsive, now, sheet->party.name);
    self->waiting++;
    sheet->call = service_ask (
      read_requests->service, now,
      &(call_order_t){.peer = sheet->party.name,
                      .endpoint = sheet->party.endpoint,
                      .service = "Participant",
                      .method = "List",
                      .timeout_ms = sheet->suspected
                                      ? unresponsive_try_ms (read_requests->settings->try_ms)
                                      : read_requests->settings->try_ms,
                      .tries_max = sheet->suspected ? 1 : 2},
      codec_encode (&list_request_codec, &question), on_listed, self, at);
}

static void add_sheets (list_t *self, const char *kind)
{
    directory_t *directory = directory_of (self->read_request.read_requests->service);
    const directory_entry_t *entry = directory_next (directory, kind, NULL);
    for (; entry; entry = directory_next (directory, kind, entry)) {
        if (!entry->site && !entry->domain && !entry->storage)
            continue; /* it takes part in no reservation */
        self->sheets =
          must_grow (self->sheets, self->sheets_count, &self->sheets_room, sizeof *self->sheets);
        sheet_t *sheet = &self->sheets [self->sheets_count++];
        *sheet = (sheet_t){.party = participant_ref_of_entry (entry)};
        memcpy (sheet->page.next, self->question.after, sizeof sheet->page.next);
    }
}

void planner_on_list (void *owner, const moment_t *now, const request_t *request, void *body)
{
    read_requests_t *read_requests = owner;
    list_request_t *question = body;
    list_t *self = read_request_new (read_requests, request, sizeof *self, list_free);
    if (!self)
        return;
    if (question->most == 0 || question->most > LIST_MOST)
        question->most = LIST_MOST;
    self->question = *question;
    add_sheets (self, "lis");
    add_sheets (self, "nis");
    add_sheets (self, "replica");
    for (size_t i = 0; i < self->sheets_count; i++)
        list_ask (self, now, i);
    if (self->waiting == 0)
        self->timer =
          timers_set (read_requests->service->timers, now->mono_ms, list_on_nobody, self, 0);
}
