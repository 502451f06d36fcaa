/*  check - sorts the records by transaction and by reservation, and walks both orders.
 *
 *  A reservation's standing version at a participant is its committed command with the highest base
 *  version; what older ones booked was replaced by it. Nodes booked are summed at the ends of
 *  bookings, as two plain lists of times.
 */
#include "check.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  A vote may wait for its window's edge; past that and this it should have ended. */
#define OVERDUE_MS 60000

typedef struct {
    char participant [NAME_BYTES_MAX + 1];
    plan_t plan;
    command_state_t state;
    compute_booking_t *bookings;
    size_t bookings_count;
} record_t;

typedef struct {
    char participant [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    int64_t nodes;
    int64_t cleaning_gap_ms;
} class_t;

typedef struct {
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    char reservation [NAME_BYTES_MAX + 1];
    bool done;
} answer_t;

typedef struct {
    int64_t at_ms;
    int64_t change;
} change_t;

struct check {
    record_t *records;
    size_t records_count;
    size_t records_room;
    class_t *classes;
    size_t classes_count;
    size_t classes_room;
    answer_t *answers;
    size_t answers_count;
    size_t answers_room;
    party_t *silent;
    size_t silent_count;
    size_t silent_room;

    check_result_t result;
    void (*tell) (void *owner, const char *sentence);
    void *owner;
};

/*  Room for one more element; returns where it goes. */
static void *append (void *list_p, size_t *count, size_t *room, size_t size)
{
    void **list = list_p;
    if (*count == *room) {
        *room = *room ? 2 * *room : 64;
        *list = realloc (*list, *room * size);
        if (!*list)
            abort ();
    }
    void *added = (char *) *list + (*count)++ * size;
    memset (added, 0, size);
    return added;
}

static void copy_text (char *to, size_t size, const char *from)
{
    snprintf (to, size, "%s", from);
}

check_t *check_new (void)
{
    check_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    return self;
}

void check_destroy (check_t **self_p)
{
    check_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->records_count; i++) {
        plan_clear (&self->records [i].plan);
        free (self->records [i].bookings);
    }
    free (self->records);
    free (self->classes);
    free (self->answers);
    free (self->silent);
    free (self);
    *self_p = NULL;
}

void check_class (check_t *self, const char *participant, const char *class_name, int64_t nodes,
                  int64_t cleaning_gap_ms)
{
    class_t *added =
      append (&self->classes, &self->classes_count, &self->classes_room, sizeof *added);
    copy_text (added->participant, sizeof added->participant, participant);
    copy_text (added->class_name, sizeof added->class_name, class_name);
    added->nodes = nodes;
    added->cleaning_gap_ms = cleaning_gap_ms;
}

void check_silent (check_t *self, const char *participant)
{
    party_t *added = append (&self->silent, &self->silent_count, &self->silent_room, sizeof *added);
    copy_text (added->name, sizeof added->name, participant);
}

void check_command (check_t *self, const char *participant, const plan_t *plan,
                    command_state_t state, const compute_booking_t *bookings, size_t bookings_count)
{
    record_t *added =
      append (&self->records, &self->records_count, &self->records_room, sizeof *added);
    copy_text (added->participant, sizeof added->participant, participant);
    plan_copy (&added->plan, plan);
    added->state = state;
    if (bookings_count > 0) {
        added->bookings = calloc (bookings_count, sizeof *bookings);
        if (!added->bookings)
            abort ();
        memcpy (added->bookings, bookings, bookings_count * sizeof *bookings);
    }
    added->bookings_count = bookings_count;
}

void check_answer (check_t *self, const char *request_id, const char *reservation, bool done)
{
    answer_t *added =
      append (&self->answers, &self->answers_count, &self->answers_room, sizeof *added);
    copy_text (added->request_id, sizeof added->request_id, request_id);
    copy_text (added->reservation, sizeof added->reservation, reservation);
    added->done = done;
}

static void violation (check_t *self, const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

static void violation (check_t *self, const char *format, ...)
{
    char sentence [512];
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (sentence, sizeof sentence, format, arguments);
    va_end (arguments);
    self->result.violations++;
    if (self->tell)
        self->tell (self->owner, sentence);
}

static bool is_silent (const check_t *self, const char *participant)
{
    for (size_t i = 0; i < self->silent_count; i++)
        if (strcmp (self->silent [i].name, participant) == 0)
            return true;
    return false;
}

static int by_transaction (const void *a, const void *b)
{
    const record_t *one = a;
    const record_t *other = b;
    int order = txid_compare (&one->plan.txid, &other->plan.txid);
    return order ? order : strcmp (one->participant, other->participant);
}

/*  Participant, reservation, then the version a command makes. */
static int by_reservation (const void *a, const void *b)
{
    const record_t *one = a;
    const record_t *other = b;
    int order = strcmp (one->participant, other->participant);
    if (order == 0)
        order = strcmp (one->plan.reservation, other->plan.reservation);
    if (order == 0)
        order = (one->plan.base_version > other->plan.base_version) -
                (one->plan.base_version < other->plan.base_version);
    return order ? order : txid_compare (&one->plan.txid, &other->plan.txid);
}

/*  Was the reservation released everywhere it was known, after an edge refused part of it (T10)? */
static bool repaired (const check_t *self, const char *reservation)
{
    for (size_t i = 0; i < self->records_count; i++) {
        const record_t *record = &self->records [i];
        if (strcmp (record->plan.reservation, reservation) == 0 &&
            record->plan.operation == OPERATION_RELEASE && record->state == COMMAND_COMMITTED)
            return true;
    }
    return false;
}

/*  All records of one transaction: [from, until) in the order by_transaction. */
static void judge_transaction (check_t *self, size_t from, size_t until)
{
    const plan_t *plan = &self->records [from].plan;
    char txid [TXID_TEXT_BYTES];
    txid_text (&plan->txid, txid);
    bool any_committed = false;
    for (size_t i = from; i < until; i++)
        any_committed |= self->records [i].state == COMMAND_COMMITTED;
    if (!any_committed)
        return;
    self->result.transactions++;

    bool unjudged = false;
    for (size_t p = 0; p < plan->participants_count; p++) {
        const char *participant = plan->participants [p].name;
        const record_t *found = NULL;
        for (size_t i = from; i < until && !found; i++)
            if (strcmp (self->records [i].participant, participant) == 0)
                found = &self->records [i];
        if (found && found->state == COMMAND_COMMITTED)
            continue;
        if (!found && is_silent (self, participant)) {
            unjudged = true;
            continue;
        }
        if (found && found->state == COMMAND_EDGE_REFUSED && repaired (self, plan->reservation)) {
            self->result.repaired++;
            continue;
        }
        violation (self, "transaction %s of reservation %s is committed at %s but %s at %s", txid,
                   plan->reservation, self->records [from].participant,
                   found ? command_state_word (found->state) : "unknown", participant);
    }
    self->result.unjudged += unjudged;
}

static void judge_pending (check_t *self, const record_t *record, int64_t now_ms, bool settled)
{
    if (record->state != COMMAND_HELD && record->state != COMMAND_PREPARED)
        return;
    self->result.pending++;
    char txid [TXID_TEXT_BYTES];
    bool overdue = record->plan.home [0] && strcmp (record->plan.home, record->participant) == 0
                     ? false /* a claim has no edge */
                     : now_ms > record->plan.edge_ms + OVERDUE_MS;
    if (overdue || settled)
        violation (self, "transaction %s is still %s at %s", txid_text (&record->plan.txid, txid),
                   command_state_word (record->state), record->participant);
}

static int by_time (const void *a, const void *b)
{
    const change_t *one = a;
    const change_t *other = b;
    if (one->at_ms != other->at_ms)
        return one->at_ms < other->at_ms ? -1 : 1;
    return (one->change > other->change) - (one->change < other->change); /* ends before begins */
}

static void judge_class (check_t *self, const class_t *class, const size_t *standing,
                         size_t standing_count)
{
    change_t *changes = NULL;
    size_t count = 0;
    size_t room = 0;
    for (size_t s = 0; s < standing_count; s++) {
        const record_t *record = &self->records [standing [s]];
        if (strcmp (record->participant, class->participant) != 0)
            continue;
        for (size_t b = 0; b < record->bookings_count; b++) {
            const compute_booking_t *booking = &record->bookings [b];
            if (strcmp (booking->class_name, class->class_name) != 0)
                continue;
            *(change_t *) append (&changes, &count, &room, sizeof *changes) =
              (change_t){booking->from_ms, booking->nodes};
            *(change_t *) append (&changes, &count, &room, sizeof *changes) =
              (change_t){booking->until_ms + class->cleaning_gap_ms, -(int64_t) booking->nodes};
        }
    }
    if (count > 0)
        qsort (changes, count, sizeof *changes, by_time);
    int64_t booked = 0;
    for (size_t i = 0; i < count; i++) {
        booked += changes [i].change;
        if (booked > class->nodes) {
            violation (self, "%s/%s has %lld nodes booked of %lld at %lld", class->participant,
                       class->class_name, (long long) booked, (long long) class->nodes,
                       (long long) changes [i].at_ms);
            break;
        }
    }
    free (changes);
}

/*  In the order by_reservation: the last committed command of each (participant, reservation), and
 *  every first vote. Returns malloc'ed indices. */
static size_t *find_standing (check_t *self, size_t *count)
{
    size_t *standing = calloc (self->records_count + 1, sizeof *standing);
    if (!standing)
        abort ();
    *count = 0;
    for (size_t i = 0; i < self->records_count;) {
        const record_t *first = &self->records [i];
        size_t last_committed = SIZE_MAX;
        size_t last_vote = SIZE_MAX;
        size_t at = i;
        for (; at < self->records_count &&
               strcmp (self->records [at].participant, first->participant) == 0 &&
               strcmp (self->records [at].plan.reservation, first->plan.reservation) == 0;
             at++) {
            if (self->records [at].state == COMMAND_COMMITTED)
                last_committed = at;
            if (self->records [at].state == COMMAND_PREPARED)
                last_vote = at;
        }
        if (last_committed != SIZE_MAX)
            standing [(*count)++] = last_committed;
        else if (last_vote != SIZE_MAX)
            standing [(*count)++] = last_vote;
        i = at;
    }
    return standing;
}

static int by_text (const void *a, const void *b)
{
    return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static size_t count_reservations (const check_t *self, const size_t *standing, size_t count)
{
    const char **names = calloc (count + 1, sizeof *names);
    if (!names)
        abort ();
    size_t booked = 0;
    for (size_t i = 0; i < count; i++)
        if (self->records [standing [i]].bookings_count > 0)
            names [booked++] = self->records [standing [i]].plan.reservation;
    if (booked > 0)
        qsort (names, booked, sizeof *names, by_text);
    size_t different = 0;
    for (size_t i = 0; i < booked; i++)
        different += i == 0 || strcmp (names [i], names [i - 1]) != 0;
    free (names);
    return different;
}

static void judge_timetables (check_t *self)
{
    if (self->records_count > 0)
        qsort (self->records, self->records_count, sizeof *self->records, by_reservation);
    size_t count;
    size_t *standing = find_standing (self, &count);
    self->result.reservations = count_reservations (self, standing, count);
    for (size_t c = 0; c < self->classes_count; c++)
        judge_class (self, &self->classes [c], standing, count);
    free (standing);
}

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

/*  A request that some participant has committed. */
typedef struct {
    const char *request_id;
} committed_t;

static int by_request (const void *a, const void *b)
{
    const committed_t *one = a;
    const committed_t *other = b;
    return compare_request_ids (one->request_id, other->request_id);
}

static int request_against_record (const void *key, const void *element)
{
    const committed_t *committed = element;
    return compare_request_ids (key, committed->request_id);
}

static void judge_answers (check_t *self)
{
    committed_t *index = calloc (self->records_count + 1, sizeof *index);
    if (!index)
        abort ();
    size_t count = 0;
    for (size_t i = 0; i < self->records_count; i++)
        if (self->records [i].state == COMMAND_COMMITTED)
            index [count++].request_id = self->records [i].plan.request_id;
    if (count > 0)
        qsort (index, count, sizeof *index, by_request);
    for (size_t i = 0; i < self->answers_count; i++) {
        const answer_t *answer = &self->answers [i];
        self->result.answers++;
        bool committed =
          bsearch (answer->request_id, index, count, sizeof *index, request_against_record) != NULL;
        if (answer->done && !committed && self->silent_count == 0)
            violation (self,
                       "request %s was told done (reservation %s), but nobody has it committed",
                       answer->request_id, answer->reservation);
        if (!answer->done && committed)
            violation (self, "request %s was told refused, but it is committed",
                       answer->request_id);
    }
    free (index);
}

check_result_t check_judge (check_t *self, int64_t now_ms, bool settled,
                            void (*tell) (void *owner, const char *sentence), void *owner)
{
    self->result = (check_result_t){0};
    self->tell = tell;
    self->owner = owner;
    if (self->records_count > 0)
        qsort (self->records, self->records_count, sizeof *self->records, by_transaction);
    for (size_t from = 0; from < self->records_count;) {
        size_t until = from + 1;
        while (until < self->records_count && txid_compare (&self->records [from].plan.txid,
                                                            &self->records [until].plan.txid) == 0)
            until++;
        judge_transaction (self, from, until);
        from = until;
    }
    for (size_t i = 0; i < self->records_count; i++)
        judge_pending (self, &self->records [i], now_ms, settled);
    judge_timetables (self);
    judge_answers (self);
    return self->result;
}
