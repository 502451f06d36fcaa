/*  transactions - records put together, what they mean, and both for people. */
#include "transactions.h"

#include "must.h"
#include "table.h"

#include <inttypes.h>
#include <sodium.h>

#define STORE_TEXT_LENGTH ((size_t) 2 * STORE_ID_BYTES)
#define TXID_FORM_BYTES   (STORE_TEXT_LENGTH + 33)

/*  --- txids --- */

/*  A number from 1, written plainly; *end is behind it. */
static bool number_sound (const char *text, uint64_t most, const char **end)
{
    size_t digits = strspn (text, "0123456789");
    *end = text + digits;
    errno = 0;
    return digits > 0 && *text != '0' && strtoull (text, NULL, 10) <= most && errno == 0;
}

/*  How many letters of the store's id it has; 0 when it is no txid. */
static size_t store_letters (const char *text)
{
    size_t letters = strspn (text, "0123456789abcdef");
    const char *at = text + letters;
    bool sound = letters > 0 && letters <= STORE_TEXT_LENGTH && *at == '-' &&
                 number_sound (at + 1, UINT32_MAX, &at) && *at == '-' &&
                 number_sound (at + 1, UINT64_MAX, &at) && *at == '\0';
    return sound ? letters : 0;
}

bool txid_sound (const char *text)
{
    return store_letters (text) > 0;
}

bool txid_whole (const char *text)
{
    return store_letters (text) == STORE_TEXT_LENGTH;
}

txid_t txid_read (const char *text)
{
    txid_t txid = {0};
    const char *end;
    sodium_hex2bin (txid.store, sizeof txid.store, text, STORE_TEXT_LENGTH, NULL, NULL, &end);
    txid.start = (uint32_t) strtoul (end + 1, (char **) &end, 10);
    txid.counter = strtoull (end + 1, NULL, 10);
    return txid;
}

json_t *txid_json (const char *txid)
{
    const char *start = strchr (txid, '-') + 1;
    const char *counter = strchr (start, '-') + 1;
    return made (json_pack ("{s:s%, s:I, s:s}", "store", txid, (size_t) (start - 1 - txid), "start",
                            (json_int_t) strtoull (start, NULL, 10), "counter", counter));
}

bool txid_before (const char *letters, txid_t *txid)
{
    char whole [STORE_TEXT_LENGTH + 1] = "00000000000000000000000000000000";
    *txid = (txid_t){.start = UINT32_MAX, .counter = UINT64_MAX};
    for (size_t i = 0; letters [i]; i++)
        whole [i] = letters [i];
    sodium_hex2bin (txid->store, sizeof txid->store, whole, STORE_TEXT_LENGTH, NULL, NULL, NULL);
    for (size_t i = sizeof txid->store; i-- > 0;)
        if (txid->store [i]-- > 0)
            return true; /* nothing is borrowed from the byte before */
    return false;
}

int txid_store_compare (const txid_t *txid, const char *letters)
{
    char store [STORE_TEXT_LENGTH + 1];
    sodium_bin2hex (store, sizeof store, txid->store, sizeof txid->store);
    return strncmp (store, letters, strlen (letters));
}

/*  With the whole store id. */
static void txid_form (const txid_t *txid, char text [TXID_FORM_BYTES])
{
    sodium_bin2hex (text, TXID_FORM_BYTES, txid->store, sizeof txid->store);
    snprintf (text + STORE_TEXT_LENGTH, TXID_FORM_BYTES - STORE_TEXT_LENGTH,
              "-%" PRIu32 "-%" PRIu64, txid->start, txid->counter);
}

bool txid_means (const char *text, const txid_t *txid)
{
    char whole [TXID_FORM_BYTES];
    size_t letters = store_letters (text);
    txid_form (txid, whole);
    return letters > 0 && strncmp (text, whole, letters) == 0 &&
           strcmp (text + letters, whole + STORE_TEXT_LENGTH) == 0;
}

const char *txid_brief (const char *txid, char text [TXID_BRIEF_BYTES])
{
    snprintf (text, TXID_BRIEF_BYTES, "%.8s%s", txid,
              txid_whole (txid) ? txid + STORE_TEXT_LENGTH : "");
    return text;
}

/*  --- gathering --- */

static json_t *add_participant (json_t *form, const char *name)
{
    json_t *one = made (json_pack ("{s:s}", "participant", name));
    take_last (json_object_get (form, "participants"), one);
    return one;
}

/*  What is empty, or 0, is left out. */
static void put_text (json_t *form, const char *key, const char *text)
{
    if (*text)
        take (form, key, json_string (text));
}

static void put_time (json_t *form, const char *key, int64_t ms)
{
    char text [TIMETEXT_BYTES];
    if (ms != 0)
        take (form, key, json_string (timetext_format (ms, text)));
}

static json_t *form_of_plan (const plan_t *plan, const char *txid)
{
    static const char *const operations [] = {"reserve", "modify", "release"};
    json_t *form = made (json_pack ("{s:s, s:[], s:s}", "txid", txid, "participants", "operation",
                                    operations [plan->operation]));
    put_text (form, "reservation", plan->reservation);
    take (form, "version", json_integer ((json_int_t) plan->base_version + 1));
    put_text (form, "actor", plan->actor);
    take (form, "coordinator", json_string (plan->coordinator.name));
    put_text (form, "home", plan->home);
    put_text (form, "request_id", plan->request_id);
    put_time (form, "decide_by", plan->decide_by_ms);
    put_time (form, "edge", plan->edge_ms);
    for (size_t i = 0; i < plan->participants_count; i++) {
        const participant_ref_t *party = &plan->participants [i];
        char store [STORE_TEXT_LENGTH + 1];
        sodium_bin2hex (store, sizeof store, party->store, sizeof party->store);
        take (add_participant (form, party->name), "store", json_string (store));
    }
    return form;
}

json_t *transaction_participant (const json_t *form, const char *name)
{
    return item_with (json_object_get (form, "participants"), "participant", name);
}

void transactions_take (void *owner, const char *participant, const check_record_t *record)
{
    json_t *self = owner;
    char txid [TXID_FORM_BYTES];
    txid_form (&record->plan.txid, txid);
    json_t *form = json_object_get (self, txid);
    if (!form) {
        form = form_of_plan (&record->plan, txid);
        take (self, txid, form);
    }
    json_t *one = transaction_participant (form, participant);
    if (!one)
        one = add_participant (form, participant);
    take (one, "state", json_string (command_state_word (record->state)));
    put_time (one, "held", record->held_ms);
    put_time (one, "voted", record->prepared_ms);
    take (one, "acknowledged", json_boolean (record->done));
    if (record->epoch > 0) {
        take (one, "fenced", json_integer (record->epoch));
        put_text (one, "fenced_by", record->fenced_by);
    }
    int64_t since_ms = form_time_ms (form, "since");
    if (since_ms == 0 || record->held_ms < since_ms)
        put_time (form, "since", record->held_ms);
}

/*  --- what it means --- */

#define VOTED "prepared edge"

/*  How many participants are in one of the states, which blanks separate. */
static size_t transaction_count_in (const json_t *form, const char *states)
{
    size_t count = 0;
    json_each_of (one, form, "participants")
        count += listed (states, text_of (one, "state"));
    return count;
}

static bool overdue (const json_t *form, int64_t now_ms)
{
    return form_time_ms (form, "decide_by") <= now_ms;
}

static const char *transactions_status_of (const json_t *form, int64_t now_ms)
{
    if (transaction_count_in (form, "edge-refused") > 0)
        return "repair";
    if (transaction_count_in (form, VOTED) > 0)
        return transaction_count_in (form, "committed") > 0                  ? "committing"
               : transaction_count_in (form, "aborted expired rejected") > 0 ? "aborting"
               : overdue (form, now_ms)                                      ? "in doubt"
                                                                             : "voting";
    if (transaction_count_in (form, "committed") > 0)
        return "committed";
    if (transaction_count_in (form, "held") > 0)
        return "held";
    return transaction_count_in (form, "aborted") > 0    ? "aborted"
           : transaction_count_in (form, "expired") > 0  ? "expired"
           : transaction_count_in (form, "rejected") > 0 ? "rejected"
                                                         : "unknown";
}

static void transactions_judge (json_t *form, int64_t now_ms)
{
    take (form, "status", json_string (transactions_status_of (form, now_ms)));
    take (form, "in_doubt",
          json_boolean (transaction_count_in (form, VOTED) > 0 && overdue (form, now_ms)));
}

void transaction_set (json_t *form, const char *participant, const char *state, int64_t now_ms)
{
    take (transaction_participant (form, participant), "state", json_string (state));
    transactions_judge (form, now_ms);
}

static int by_age (const void *a, const void *b)
{
    const json_t *one = *(json_t *const *) a;
    const json_t *other = *(json_t *const *) b;
    int64_t since_ms = form_time_ms (one, "since");
    int64_t other_ms = form_time_ms (other, "since");
    return since_ms != other_ms ? (since_ms > other_ms) - (since_ms < other_ms)
                                : strcmp (text_of (one, "txid"), text_of (other, "txid"));
}

/*  A repair is over when a later version stands (T10). */
static void judge_repairs (json_t *forms)
{
    json_each (form, forms) {
        if (!has_text (form, "status", "repair"))
            continue;
        json_each (other, forms)
            if (strcmp (text_of (other, "reservation"), text_of (form, "reservation")) == 0 &&
                number_of (other, "version") > number_of (form, "version") &&
                has_text (other, "status", "committed"))
                take (form, "status", json_string ("repaired"));
    }
}

json_t *transactions_forms (const json_t *self, const json_t *silent, int64_t now_ms)
{
    size_t count = json_object_size (self);
    memory_auto json_t **list = must (calloc (count + 1, sizeof *list));
    size_t at = 0;
    const char *txid;
    json_t *form;
    json_object_foreach ((json_t *) self, txid, form) list [at++] = made (json_deep_copy (form));
    for (size_t f = 0; f < count; f++) {
        json_each_of (one, list [f], "participants") {
            bool heard = !json_object_get (silent, text_of (one, "participant"));
            if (!json_object_get (one, "state"))
                take (one, "state", json_string (heard ? "unknown" : "silent"));
        }
        transactions_judge (list [f], now_ms);
    }
    qsort (list, count, sizeof *list, by_age);
    json_t *forms = made (json_array ());
    for (size_t f = 0; f < count; f++)
        json_array_append_new (forms, list [f]);
    judge_repairs (forms);
    return forms;
}

bool transaction_open (const json_t *form)
{
    return !listed ("committed aborted expired rejected unknown repaired",
                    text_of (form, "status"));
}

bool transaction_in_doubt (const json_t *form)
{
    return flag_of (form, "in_doubt");
}

/*  --- to settle one --- */

/*  A participant that has a record, and so the plan. */
static const char *who_knows (const json_t *form)
{
    json_each_of (one, form, "participants")
        if (json_object_get (one, "held"))
            return text_of (one, "participant");
    return "";
}

json_t *transaction_settle_order (const json_t *form, bool fence)
{
    return made (json_pack ("{s:o, s:s, s:b}", "txid", txid_json (text_of (form, "txid")),
                            "participant", who_knows (form), "fence", fence));
}

bool transaction_outcome_known (const json_t *answer)
{
    return listed ("OUTCOME_COMMITTED OUTCOME_ABORTED", text_of (answer, "outcome"));
}

/*  --- for people --- */

/*  "lis/ams lis/ber": the participants in one of the states, which blanks separate. */
static const char *names_in (const json_t *form, const char *states, char text [CELL_BYTES])
{
    json_auto_t *names = made (json_array ());
    json_each_of (one, form, "participants")
        if (listed (states, text_of (one, "state")))
            take_last (names, json_string (text_of (one, "participant")));
    return texts_join (names, " ", text, CELL_BYTES);
}

/*  Whole seconds since, "3m12s"; "" when the time is not known or to come. */
static const char *age_of (const json_t *object, const char *key, int64_t now_ms,
                           char text [TIMETEXT_BYTES])
{
    int64_t then_ms = form_time_ms (object, key);
    text [0] = '\0';
    if (then_ms != 0 && then_ms <= now_ms)
        timetext_format_duration ((now_ms - then_ms) / 1000 * 1000, text);
    return text;
}

/*  "epoch 2 by planner/3fa9c2d1". */
static const char *fence_cell (const json_t *one, const char *key, char text [CELL_BYTES])
{
    (void) key;
    int64_t epoch = number_of (one, "fenced");
    text [0] = '\0';
    if (epoch > 0)
        snprintf (text, CELL_BYTES, "epoch %" PRId64 " by %.16s", epoch,
                  text_of (one, "fenced_by"));
    return text;
}

static const json_t *fenced_most (const json_t *form)
{
    const json_t *most = NULL;
    json_each_of (one, form, "participants")
        if (number_of (one, "fenced") > number_of (most, "fenced"))
            most = one;
    return most;
}

void transactions_print (const json_t *forms, int64_t now_ms, FILE *to)
{
    static const char *const headings [] = {"TXID",  "STATUS", "OPERATION",   "RESERVATION",
                                            "ACTOR", "AGE",    "COORDINATOR", "VOTED",
                                            "NOT",   "FENCED"};
    table_t *table = table_new (headings, 10);
    json_each (form, forms) {
        char txid [TXID_BRIEF_BYTES], age [TIMETEXT_BYTES], coordinator [CELL_BYTES];
        char yes [CELL_BYTES], no [CELL_BYTES], fence [CELL_BYTES];
        snprintf (coordinator, sizeof coordinator, "%.16s", text_of (form, "coordinator"));
        const char *cells [] = {txid_brief (text_of (form, "txid"), txid),
                                text_of (form, "status"),
                                text_of (form, "operation"),
                                text_of (form, "reservation"),
                                text_of (form, "actor"),
                                age_of (form, "since", now_ms, age),
                                coordinator,
                                names_in (form, "prepared edge committed edge-refused", yes),
                                names_in (form, "unknown held aborted expired silent rejected", no),
                                fence_cell (fenced_most (form), NULL, fence)};
        table_row (table, cells);
    }
    table_print (&table, to);
}

/*  --- one --- */

char *transaction_explain (const json_t *form)
{
    char names [CELL_BYTES], txid [TXID_BRIEF_BYTES];
    txid_brief (text_of (form, "txid"), txid);
    const char *status = text_of (form, "status");
    names_in (form, "prepared edge held", names);
    if (strcmp (status, "held") == 0)
        return must_print ("Nobody has voted: the holds expire by themselves.");
    if (strcmp (status, "voting") == 0)
        return must_print ("It is under way: its coordinator may decide until %s.",
                           text_of (form, "decide_by"));
    if (strcmp (status, "committing") == 0 || strcmp (status, "aborting") == 0)
        return must_print (
          "It is %s: %.200s will hear it from the coordinator, or find it out by asking.",
          strcmp (status, "aborting") == 0 ? "aborted" : "committed", names);
    if (strcmp (status, "repair") == 0)
        return must_print ("It is committed, but the commit came too late at %.200s: the "
                           "coordinator repairs it. See `musubi show %s`.",
                           names_in (form, "edge-refused", names), text_of (form, "reservation"));
    if (strcmp (status, "in doubt") != 0)
        return must_print ("It is over.");
    if (*names_in (form, "unknown held", names))
        return must_print ("It was not decided in time, and %.200s has not voted: it will be "
                           "aborted as soon as the others ask there.",
                           names);
    if (*names_in (form, "silent", names))
        return must_print ("The others have voted; %.200s does not answer, and may know the "
                           "decision. Run `musubi txn resolve %s` when it is back.",
                           names, txid);
    return must_print ("Everybody has voted, and only the coordinator's store has the decision. If "
                       "that store is lost, end the transaction by `musubi txn resolve %s "
                       "--fence`.",
                       txid);
}

static void print_times (const json_t *form, int64_t now_ms, FILE *to)
{
    char time [TIMETEXT_BYTES], age [TIMETEXT_BYTES];
    static const char *const keys [][2] = {
      {"since", "since"}, {"decide_by", "decide by"}, {"edge", "edge"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys [0]; i++) {
        const char *key = keys [i][0];
        if (!*text_of (form, key))
            continue;
        age_of (form, key, now_ms, age);
        fprintf (to, "  %-12s %s%s%s%s\n", keys [i][1], time_brief (text_of (form, key), time),
                 *age ? " (" : "", age, *age ? " ago)" : "");
    }
}

void transaction_print (const json_t *form, int64_t now_ms, FILE *to)
{
    static const form_row_t columns [] = {{"PARTICIPANT", "participant", .kind = FORM_TEXT},
                                          {"STATE", "state", .kind = FORM_TEXT},
                                          {"HELD", "held", .kind = FORM_TIME},
                                          {"VOTED", "voted", .kind = FORM_TIME},
                                          {"FENCED", "fenced", .cell = fence_cell},
                                          {0}};
    fprintf (to, "transaction %s: %s\n", text_of (form, "txid"), text_of (form, "status"));
    fprintf (to, "  %-12s %s %s, version %" PRId64 "\n", "operation", text_of (form, "operation"),
             text_of (form, "reservation"), number_of (form, "version"));
    fprintf (to, "  %-12s %s%s%s\n", "for", text_of (form, "actor"),
             *text_of (form, "request_id") ? ", request " : "", text_of (form, "request_id"));
    fprintf (to, "  %-12s %s%s%s\n", "coordinator", text_of (form, "coordinator"),
             *text_of (form, "coordinator_says") ? ": " : "", text_of (form, "coordinator_says"));
    print_times (form, now_ms, to);
    table_print_forms (columns, json_object_get (form, "participants"), to);
    text_auto_t *waits = transaction_explain (form);
    fprintf (to, "%s\n", waits);
}
