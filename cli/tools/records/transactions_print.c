/*  transactions_print - transactions for people. */
#include "table.h"
#include "transactions.h"

#include "json_fields.h"
#include "must.h"
#include "timetext.h"

#include <inttypes.h>
#include <string.h>

/*  "lis/ams lis/ber": the participants in one of the states, which blanks separate. */
static const char *names_in (const json_t *form, const char *states, char text [CELL_BYTES])
{
    json_auto_t *names = made (json_array ());
    const json_t *one;
    for (size_t i = 0; (one = item_of (form, "participants", i)); i++)
        if (listed (states, text_of (one, "state")))
            take_last (names, json_string (text_of (one, "participant")));
    return texts_join (names, " ", text, CELL_BYTES);
}

/*  Whole seconds since, "3m12s"; "" when the time is not known or to come. */
static const char *age_of (const json_t *object, const char *key, int64_t now_ms,
                           char text [TIMETEXT_BYTES])
{
    int64_t then_ms;
    bool relative;
    text [0] = '\0';
    if (timetext_parse (text_of (object, key), &then_ms, &relative) && then_ms <= now_ms)
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
    const json_t *one;
    for (size_t i = 0; (one = item_of (form, "participants", i)); i++)
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
    const json_t *form;
    for (size_t i = 0; (form = json_array_get (forms, i)); i++) {
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
