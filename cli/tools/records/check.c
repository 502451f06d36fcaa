/*  check - keeps what was gathered, and judges transactions, requests and answers. Resources are
 *  judged in check_booked.c, reservations in check_asked.c. */
#include "check_state.h"

#include "must.h"

/*  A vote may wait until its window's edge; so long after that it should have ended. */
#define OVERDUE_MS 60000

void *check_append (void *list_p, size_t *count, size_t *room, size_t size)
{
    void **list = list_p;
    *list = must_grow (*list, *count, room, size);
    return memset ((char *) *list + (*count)++ * size, 0, size);
}

void *check_list (size_t count, size_t size)
{
    return must (calloc (count + 1, size));
}

void check_violation (check_t *self, const char *format, ...)
{
    char sentence [512];
    format_rest (sentence, sizeof sentence, format);
    self->result.violations++;
    if (self->tell)
        self->tell (self->owner, sentence);
}

static void check_copy_text (char *to, size_t size, const char *from)
{
    snprintf (to, size, "%s", from);
}

check_t *check_new (void)
{
    check_t *self = must (calloc (1, sizeof *self));
    self->peers = ordered_by_text (offsetof (peer_t, name));
    return self;
}

void check_record_clear (check_record_t *self)
{
    codec_clear (&plan_codec, &self->plan);
    if (self->request)
        user_request_clear (self->request);
    free (self->request);
    codec_clear (&check_record_codec, self);
}

void check_destroy (check_t **self_p)
{
    check_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->records_count; i++)
        check_record_clear (&self->records [i]);
    for (size_t i = 0; i < self->offers_count; i++)
        free (self->offers [i].attributes);
    for (size_t i = 0; i < self->points_count; i++)
        free (self->points [i].attributes);
    free (self->records);
    free (self->offers);
    free (self->points);
    free (self->answers);
    ordered_end (&self->peers, free);
    free (self);
    *self_p = NULL;
}

/*  --- gathering --- */

static check_offer_t *add_offer (check_t *self, const char *participant, const char *name,
                                 int64_t quantity, const attribute_t *attributes,
                                 size_t attributes_count)
{
    check_offer_t *added =
      check_append (&self->offers, &self->offers_count, &self->offers_room, sizeof *added);
    check_copy_text (added->participant, sizeof added->participant, participant);
    check_copy_text (added->name, sizeof added->name, name);
    added->quantity = quantity;
    added->attributes = must_copy (attributes, attributes_count * sizeof *attributes);
    added->attributes_count = attributes_count;
    return added;
}

void check_class (check_t *self, const char *participant, const node_class_t *class,
                  int64_t cleaning_gap_ms)
{
    check_offer_t *added = add_offer (self, participant, class->name, class->nodes,
                                      class->attributes, class->attributes_count);
    added->cpus_per_node = class->cpus_per_node;
    added->cleaning_gap_ms = cleaning_gap_ms;
}

void check_link (check_t *self, const char *participant, const link_t *link)
{
    check_offer_t *added = add_offer (self, participant, link->name, link->mbps, link->attributes,
                                      link->attributes_count);
    added->is_link = true;
    added->latency_us = link->latency_us;
    memcpy (added->ends, link->ends, sizeof added->ends);
}

void check_disk (check_t *self, const char *participant, const storage_offer_t *disk)
{
    add_offer (self, participant, disk->name, disk->mib, NULL, 0)->is_disk = true;
}

void check_vertex (check_t *self, const char *participant, const vertex_t *vertex)
{
    point_t *added =
      check_append (&self->points, &self->points_count, &self->points_room, sizeof *added);
    check_copy_text (added->participant, sizeof added->participant, participant);
    check_copy_text (added->name, sizeof added->name, vertex->name);
    added->kind = vertex->kind;
    added->attributes =
      must_copy (vertex->attributes, vertex->attributes_count * sizeof *vertex->attributes);
    added->attributes_count = vertex->attributes_count;
}

peer_t *check_peer (const check_t *self, const char *name)
{
    return ordered_find (self->peers, name);
}

static peer_t *peer_of (check_t *self, const char *name)
{
    peer_t *peer = check_peer (self, name);
    if (peer)
        return peer;
    peer = must (calloc (1, sizeof *peer));
    check_copy_text (peer->name, sizeof peer->name, name);
    ordered_add (self->peers, peer->name, peer);
    return peer;
}

void check_lacks (check_t *self, const char *participant)
{
    peer_of (self, participant)->lacks = true;
}

void check_silent (check_t *self, const char *participant)
{
    peer_of (self, participant)->silent = true;
    self->silent_count++;
}

void check_store (check_t *self, const char *participant, const uint8_t store [STORE_ID_BYTES])
{
    peer_t *peer = peer_of (self, participant);
    peer->store_set = true;
    memcpy (peer->store, store, STORE_ID_BYTES);
}

void check_clock (check_t *self, const char *participant, int64_t wall_ms)
{
    peer_of (self, participant)->wall_ms = wall_ms;
}

void check_command (check_t *self, const char *participant, const check_record_t *record)
{
    check_record_t *added =
      check_append (&self->records, &self->records_count, &self->records_room, sizeof *added);
    codec_copy (&check_record_codec, added, record);
    check_copy_text (added->participant, sizeof added->participant, participant);
    codec_copy (&plan_codec, &added->plan, &record->plan);
    if (record->request)
        user_request_copy (added->request = must (malloc (sizeof *added->request)),
                           record->request);
}

void check_answer (check_t *self, const char *request_id, const char *reservation, bool done)
{
    user_answer_t *added =
      check_append (&self->answers, &self->answers_count, &self->answers_room, sizeof *added);
    check_copy_text (added->request_id, sizeof added->request_id, request_id);
    check_copy_text (added->reservation, sizeof added->reservation, reservation);
    added->done = done;
}

/*  --- what there is, by name --- */

/*  Offers and points begin with these two. */
static int by_owner_and_name (const void *a, const void *b)
{
    const named_t *one = a;
    const named_t *other = b;
    int order = strcmp (one->participant, other->participant);
    return order ? order : strcmp (one->name, other->name);
}

static void sort (void *list, size_t count, size_t size, int (*order) (const void *, const void *))
{
    if (count > 0)
        qsort (list, count, size, order);
}

static const void *check_find (const void *list, size_t count, size_t size, const char *participant,
                               const char *name)
{
    named_t key;
    check_copy_text (key.participant, sizeof key.participant, participant);
    check_copy_text (key.name, sizeof key.name, name);
    return count > 0 ? bsearch (&key, list, count, size, by_owner_and_name) : NULL;
}

const check_offer_t *check_offer (const check_t *self, const char *participant, const char *name)
{
    return check_find (self->offers, self->offers_count, sizeof *self->offers, participant, name);
}

const point_t *check_point (const check_t *self, const char *participant, const char *name)
{
    return check_find (self->points, self->points_count, sizeof *self->points, participant, name);
}

static bool is_silent (const check_t *self, const char *participant)
{
    const peer_t *peer = check_peer (self, participant);
    return peer && peer->silent;
}

/*  Does another store have the party's name now? Then its votes need not be on record there. */
static bool is_replaced (const check_t *self, const participant_ref_t *party)
{
    const peer_t *peer = check_peer (self, party->name);
    return peer && peer->store_set && memcmp (peer->store, party->store, STORE_ID_BYTES) != 0;
}

/*  --- transactions --- */

static int by_transaction (const void *a, const void *b)
{
    const check_record_t *one = *(const check_record_t *const *) a;
    const check_record_t *other = *(const check_record_t *const *) b;
    int order = txid_compare (&one->plan.txid, &other->plan.txid);
    return order ? order : strcmp (one->participant, other->participant);
}

/*  Was the reservation repaired or released after a commit was refused at its edge (T10)? Then
 *  somebody has committed a later version. */
static bool repaired (const check_t *self, const plan_t *plan)
{
    for (size_t i = 0; i < self->records_count; i++) {
        const plan_t *later = &self->records [i].plan;
        if (self->records [i].state == COMMAND_COMMITTED && later->operation != OPERATION_RESERVE &&
            later->base_version > plan->base_version &&
            strcmp (later->reservation, plan->reservation) == 0)
            return true;
    }
    return false;
}

static const check_record_t *find_record (const check_record_t *const *records, size_t count,
                                          const char *participant)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (records [i]->participant, participant) == 0)
            return records [i];
    return NULL;
}

bool check_takes_part (const plan_t *plan, const char *participant)
{
    return parties_find (plan->participants, plan->participants_count, participant) != NULL;
}

/*  One transaction is one plan (T1): do both have the same? */
static bool same_plan (const plan_t *one, const plan_t *other)
{
    if (strcmp (one->reservation, other->reservation) != 0 || one->operation != other->operation ||
        one->base_version != other->base_version ||
        one->participants_count != other->participants_count ||
        one->request_size != other->request_size ||
        (one->request_size > 0 && memcmp (one->request, other->request, one->request_size) != 0))
        return false;
    for (size_t p = 0; p < one->participants_count; p++)
        if (!check_takes_part (other, one->participants [p].name))
            return false;
    return true;
}

/*  Do all who have committed the transaction have the same plan, and a part in it? */
static void judge_plan (check_t *self, const check_record_t *const *records, size_t count,
                        const check_record_t *committed)
{
    char txid [TXID_TEXT_BYTES];
    txid_text (&committed->plan.txid, txid);
    for (size_t i = 0; i < count; i++) {
        const check_record_t *record = records [i];
        if (record->state != COMMAND_COMMITTED)
            continue;
        if (!same_plan (&committed->plan, &record->plan))
            check_violation (
              self, "transaction %s of reservation %s has different plans at %s and at %s", txid,
              committed->plan.reservation, record->participant, committed->participant);
        else if (!check_takes_part (&committed->plan, record->participant))
            check_violation (self,
                             "transaction %s of reservation %s is committed at %s, which is not in "
                             "its plan",
                             txid, committed->plan.reservation, record->participant);
    }
}

/*  All records of one transaction. */
static void judge_transaction (check_t *self, const check_record_t *const *records, size_t count)
{
    const check_record_t *committed = NULL;
    for (size_t i = 0; i < count && !committed; i++)
        if (records [i]->state == COMMAND_COMMITTED)
            committed = records [i];
    if (!committed)
        return;
    self->result.transactions++;
    judge_plan (self, records, count, committed);

    const plan_t *plan = &committed->plan;
    char txid [TXID_TEXT_BYTES];
    bool unjudged = false, lost = false;
    for (size_t p = 0; p < plan->participants_count; p++) {
        const char *participant = plan->participants [p].name;
        const check_record_t *found = find_record (records, count, participant);
        if (found && found->state == COMMAND_COMMITTED)
            continue;
        if (!found && is_silent (self, participant)) {
            unjudged = true;
            continue;
        }
        if (!found && is_replaced (self, &plan->participants [p])) {
            lost = true;
            continue;
        }
        if (found && found->state == COMMAND_EDGE_REFUSED && repaired (self, plan)) {
            self->result.repaired++;
            continue;
        }
        check_violation (self, "transaction %s of reservation %s is committed at %s but %s at %s",
                         txid_text (&plan->txid, txid), plan->reservation, committed->participant,
                         found ? command_state_word (found->state) : "unknown", participant);
    }
    self->result.unjudged += unjudged;
    self->result.lost += lost;
}

static void judge_transactions (check_t *self, const check_record_t **records, size_t count)
{
    sort (records, count, sizeof *records, by_transaction);
    for (size_t from = 0, until; from < count; from = until) {
        until = from + 1;
        while (until < count &&
               txid_compare (&records [from]->plan.txid, &records [until]->plan.txid) == 0)
            until++;
        judge_transaction (self, &records [from], until - from);
    }
}

static void judge_pending (check_t *self, const check_record_t *record, int64_t now_ms,
                           bool settled)
{
    if (record->state != COMMAND_HELD && record->state != COMMAND_PREPARED)
        return;
    self->result.pending++;
    char txid [TXID_TEXT_BYTES];
    bool overdue = record->plan.home [0] && strcmp (record->plan.home, record->participant) == 0
                     ? false /* a claim has no edge */
                     : now_ms > record->plan.edge_ms + OVERDUE_MS;
    if (overdue || settled)
        check_violation (self, "transaction %s is still %s at %s",
                         txid_text (&record->plan.txid, txid), command_state_word (record->state),
                         record->participant);
}

/*  --- requests --- */

static int by_user_request (const void *a, const void *b)
{
    const plan_t *one = &(*(const check_record_t *const *) a)->plan;
    const plan_t *other = &(*(const check_record_t *const *) b)->plan;
    int order = strcmp (one->actor, other->actor);
    order = order ? order : strcmp (one->request_id, other->request_id);
    return order ? order : strcmp (one->reservation, other->reservation);
}

/*  One request to reserve makes one reservation, whatever its home has forgotten (T2). */
static void judge_requests (check_t *self)
{
    const check_record_t **made = check_list (self->records_count, sizeof *made);
    size_t count = 0;
    for (size_t i = 0; i < self->records_count; i++) {
        const plan_t *plan = &self->records [i].plan;
        if (self->records [i].state == COMMAND_COMMITTED && plan->operation == OPERATION_RESERVE &&
            *plan->home && *plan->request_id)
            made [count++] = &self->records [i];
    }
    sort (made, count, sizeof *made, by_user_request);
    for (size_t i = 1; i < count; i++) {
        const plan_t *one = &made [i - 1]->plan, *other = &made [i]->plan;
        if (strcmp (one->actor, other->actor) == 0 &&
            strcmp (one->request_id, other->request_id) == 0 &&
            strcmp (one->reservation, other->reservation) != 0)
            check_violation (self, "request %s of %s made two reservations, %s and %s",
                             one->request_id, one->actor, one->reservation, other->reservation);
    }
    free (made);
}

/*  --- what users were answered --- */

/*  By the part before the home; then by home, where both have one: a user may give a bare id. */
static int compare_request_ids (const char *one, const char *other)
{
    size_t one_size = strcspn (one, "@");
    size_t other_size = strcspn (other, "@");
    int order = strncmp (one, other, one_size < other_size ? one_size : other_size);
    if (order == 0)
        order = (one_size > other_size) - (one_size < other_size);
    if (order == 0 && one [one_size] && other [other_size])
        order = strcmp (one + one_size, other + other_size);
    return order;
}

static int check_by_request (const void *a, const void *b)
{
    return compare_request_ids (*(const char *const *) a, *(const char *const *) b);
}

static void judge_answers (check_t *self)
{
    const char **index = check_list (self->records_count, sizeof *index); /* committed requests */
    size_t count = 0;
    for (size_t i = 0; i < self->records_count; i++)
        if (self->records [i].state == COMMAND_COMMITTED)
            index [count++] = self->records [i].plan.request_id;
    sort (index, count, sizeof *index, check_by_request);
    for (size_t i = 0; i < self->answers_count; i++) {
        const user_answer_t *answer = &self->answers [i];
        self->result.answers++;
        const char *id = answer->request_id;
        bool committed = bsearch (&id, index, count, sizeof *index, check_by_request) != NULL;
        if (answer->done && !committed && self->silent_count == 0)
            check_violation (
              self, "request %s was answered as done (reservation %s), but nobody has committed it",
              answer->request_id, answer->reservation);
        if (!answer->done && committed)
            check_violation (self, "request %s was answered as refused, but it is committed",
                             answer->request_id);
    }
    free (index);
}

void check_booked_elsewhere (check_t *self)
{
    self->booked_elsewhere = true;
}

check_result_t check_judge (check_t *self, int64_t now_ms, bool settled,
                            void (*tell) (void *owner, const char *sentence), void *owner)
{
    self->result = (check_result_t){0};
    self->tell = tell;
    self->owner = owner;
    self->now_ms = now_ms;
    sort (self->offers, self->offers_count, sizeof *self->offers, by_owner_and_name);
    sort (self->points, self->points_count, sizeof *self->points, by_owner_and_name);
    memory_auto const check_record_t **records = check_list (self->records_count, sizeof *records);
    for (size_t i = 0; i < self->records_count; i++)
        records [i] = &self->records [i];
    judge_transactions (self, records, self->records_count);
    for (size_t i = 0; i < self->records_count; i++)
        judge_pending (self, &self->records [i], now_ms, settled);
    if (!self->booked_elsewhere)
        check_booked (self, records, self->records_count);
    check_asked (self, records, self->records_count);
    judge_requests (self);
    judge_answers (self);
    return self->result;
}
