/*  planner_config - makes settings of configuration keys. */
#include "planner_config.h"

#include "directory.h"
#include "must.h"
#include "name_list.h"
#include "planner.h"
#include "planner_limits.h"
#include "solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAY_MS  86400000.0
#define YEAR_MS (366 * DAY_MS)

const config_key_t planner_keys [] = {
  KEY_TEXT ("name", NULL, "for people only; in the federation a planner's name is its store's id"),
  KEY_NEEDED (CONFIG_TEXT, "gis", 0, 0, "endpoints of the directories, separated by commas"),
  KEY_TEXT ("administrators", "",
            "actors that see every reservation's details, separated by commas"),
  KEY_DURATION ("margin", "15s", 0, DAY_MS,
                "how much later than the request a start of \"now\" is"),
  KEY_DURATION ("guard", "1s", 0, DAY_MS,
                "no plan is committed closer than this to its edge, when votes become void (T4)"),
  KEY_DURATION ("decide", "10s", 100, 600000,
                "time to collect the votes on one plan; then it is given up (T4)"),
  KEY_DURATION ("hold_ttl", "60s", 100, DAY_MS, "lifetime requested for holds"),
  KEY_DURATION ("frame", "1d", 1000, YEAR_MS,
                "how far ahead to search for a start when a request sets no end"),
  KEY_DURATION ("retention", "1d", 1000, YEAR_MS,
                "how long decisions are kept after the end of their last window (T5)"),
  KEY_DURATION ("ledger/retention", "366d", 1000, 100 * YEAR_MS,
                "how long rows of the ledger are kept; longer while what they record still stands"),
  KEY_INTEGER ("ledger/segments", "17179869184", 1, (double) ((uint64_t) 1 << 44),
               "bytes that segments of the ledger may take; beyond that the oldest leave"),
  KEY_INTEGER ("ledger/segment_rows", "1024", 16, 65536,
               "rows that leave the store as one segment; as many stay in it"),
  KEY_DURATION (
    "tell_done", "50ms", 1, 60000,
    "delay before participants are told that all have acknowledged, so that one message tells "
    "of several transactions (T6)"),
  KEY_DURATION ("finish/interval", "30s", 0, DAY_MS,
                "how often the pool is searched for stores of dead planners; 0s = never (T8)"),
  KEY_DURATION ("finish/linger", "45s", 0, DAY_MS,
                "how long a finisher stays after it was last asked something (T8)"),
  KEY_FLAG ("finish/only", "false", "settle this store and end, as --finish STORE does (T8)"),
  KEY_DURATION (
    "backtrack/wait", "20s", 100, DAY_MS,
    "bbr, bir: time for planning from the receipt on; the first start tried is at its end "
    "(w_interval of S0)"),
  KEY_FLAG ("backtrack/whole_deadline", "false",
            "bbr, bir: skip places so late that the whole plan could not end by the deadline"),
  KEY_FLAG ("backtrack/least_delay", "false",
            "bbr, bir: move the start to a later place only when no place is free on time"),
  KEY_FLAG ("backtrack/serial", "false", "bbr, bir: ask sites one after another"),
  KEY_FLAG ("backtrack/count_own", "false", "bbr: count what the plan has chosen so far as taken"),
  KEY_FLAG ("backtrack/terse", "false",
            "bbr, bir: refuse in one sentence, without asking again what was in the way"),
  KEY_DURATION ("staging/start", "2s", 0, DAY_MS,
                "time that a plan allows for the start of a file's transfer"),
  KEY_INTEGER ("staging/margin", "25", 0, 99,
               "percent of a measured rate that a plan does not count on for a file"),
  KEY_INTEGER ("staging/unmeasured", "100", 1, 1e9,
               "Mbit/s that a plan counts on, before the margin, where nothing was measured yet"),
  KEY_DURATION (
    "standing/wait", "10s", 0, 3600000,
    "how long to wait, at start, for a directory to say how far this store had come, before "
    "serving without knowing it (T14); 0s = serve at once"),
  KEY_INTEGER ("ip/windows", "10", 1, WINDOWS_ASKED_MAX,
               "ip: number of start times tried, at equal distances (N of S4)"),
  KEY_TEXT ("ip/solver", "auto",
            "ip: auto, glpk, glpk-pruned or glpk-plain; glpk-pruned needs ip/hops_max"),
  KEY_FLAG ("ip/first", "false", "ip: take the first plan found for a window, not the best one"),
  KEY_INTEGER ("ip/hops_max", "0", 0, 1024,
               "ip: most links in a path (Pmax of S4); 0 = any number"),
  KEY_INTEGER ("ip/steps_max", "20000", 100, 1e9, "ip: most steps of the solver for one window"),
  KEY_DURATION ("ip/time_limit", "5s", 1, DAY_MS,
                "ip: windows whose turn has not come after this time are left out"),
  KEY_INTEGER ("ip/workers", NULL, 1, SOLVERS_MAX,
               "ip: most solver processes at once; by default one for each processor"),
  KEY_TEXT ("ip/balance", "even",
            "ip: which of equal plans is taken: even = the one at the least used sites (A), "
            "none = any, weights or power = the best by these, for requests that ask only for an "
            "early start (B)"),
  KEY_INTEGER ("ip/weights/*", NULL, 1, 1000000,
               "ip with balance weights: what the prices of this site or domain are multiplied by"),
  KEY_INTEGER (
    "ip/visible", "100", 1, 100,
    "ip: percent of what is free that plans of users without a service level may use (C)"),
  KEY_INTEGER ("ip/levels/*/visible", "100", 1, 100,
               "ip: the same, for the users of this service level"),
  KEY_TEXT ("ip/levels/*/users", "", "ip: the users of this service level, separated by commas"),
  KEY_DURATION ("limits/request", "30s", 100, DAY_MS,
                "a request is answered within this, even if only with \"in progress\""),
  KEY_DURATION ("limits/try", "1s", 10, 60000,
                "how long one try of a call waits for its answer, at least"),
  KEY_DURATION ("limits/try_max", "3s", 10, 60000,
                "the same, at most: with a service that was slow or silent before"),
  KEY_DURATION ("limits/frame_max", "31d", 1000, YEAR_MS, "longest time frame searched"),
  KEY_DURATION ("limits/backoff", "40ms", 1, 60000,
                "longest pause before the second attempt; jittered"),
  KEY_INTEGER ("limits/in_progress_max", "4096", 1, 1e6, "most requests in progress at once"),
  KEY_INTEGER ("limits/tries_max", "3", 1, 100, "most tries of one question or hold"),
  KEY_INTEGER ("limits/attempts_max", "32", 1, 100, "most rounds of votes for one request"),
  KEY_INTEGER ("limits/repair_tries_max", "8", 0, 100,
               "most plans tried in place of one that a participant could not keep (T10)"),
  KEY_DURATION ("limits/repair", "30s", 0, DAY_MS,
                "how long such plans are looked for; then what is left is released (T10)"),
  KEY_INTEGER ("limits/candidates_first", "8", 1, CANDIDATES_MAX,
               "sites, domains and storages that are asked at once when no more could serve"),
  KEY_INTEGER ("limits/candidates_max", "64", 1, CANDIDATES_MAX,
               "most places asked at once for one need"),
  KEY_INTEGER ("limits/locate_all_max", "16", 0, UINT32_MAX,
               "participants that are all asked where a reservation is; of more, those that its "
               "homes tell of"),
  KEY_INTEGER ("limits/asked_max", "65536", 1, ASKED_MAX,
               "most places asked for one need in all, round by round, until a plan is found"),
  KEY_INTEGER (
    "limits/search_steps_max", "2000000", 1000, 1e12,
    "most steps of one search; then the best plan so far is taken, or the answer is \"unknown\""),
  KEY_INTEGER ("limits/search_slice_steps", "50000", 100, 1e9,
               "steps after which other requests get their turn"),
};
const size_t planner_keys_count = sizeof planner_keys / sizeof *planner_keys;

#define NAMED_MAX 1024 /* weights, and users of levels */

static const char *const balances [] = {
  [BALANCE_EVEN] = "even",
  [BALANCE_WEIGHTS] = "weights",
  [BALANCE_POWER] = "power",
  [BALANCE_NONE] = "none",
};

/*  The lists among the settings, while they are read. */
typedef struct {
    named_number_t weights [NAMED_MAX];
    named_number_t visible_to [NAMED_MAX];
} lists_t;

static bool add_number (named_number_t *numbers, size_t *count, const char *name, int64_t number)
{
    if (*count == NAMED_MAX || strlen (name) > NAME_BYTES_MAX)
        return false;
    named_number_t *to = &numbers [(*count)++];
    snprintf (to->name, sizeof to->name, "%s", name);
    to->number = (uint32_t) number;
    return true;
}

static bool has_number (const named_number_t *numbers, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (numbers [i].name, name) == 0)
            return true;
    return false;
}

static bool read_weights (const config_t *config, lists_t *lists, ip_settings_t *ip,
                          char why [LONG_WHY_BYTES])
{
    const char *names [NAMED_MAX];
    size_t count = config_names (config, "ip/weights", names, NAMED_MAX);
    for (size_t i = 0; i < count; i++) {
        char path [256];
        snprintf (path, sizeof path, "ip/weights/%s", names [i]);
        if (!add_number (lists->weights, &ip->weights_count, names [i],
                         config_integer (config, path)))
            return config_wrong (config, path, why,
                                 "the name is too long, or there are more than %d", NAMED_MAX);
    }
    ip->weights = lists->weights;
    return true;
}

static bool read_levels (const config_t *config, lists_t *lists, ip_settings_t *ip,
                         char why [LONG_WHY_BYTES])
{
    const char *names [NAMED_MAX];
    size_t count = config_names (config, "ip/levels", names, NAMED_MAX);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        char visible [256];
        char users [256];
        name_list_t words = {0};
        snprintf (visible, sizeof visible, "ip/levels/%s/visible", names [i]);
        snprintf (users, sizeof users, "ip/levels/%s/users", names [i]);
        name_list_add (&words, config_text (config, users), "");
        for (size_t w = 0; w < words.count && good; w++) {
            if (has_number (lists->visible_to, ip->visible_to_count, words.words [w]))
                good = config_wrong (config, users, why, "%s has a level already", words.words [w]);
            else
                good = add_number (lists->visible_to, &ip->visible_to_count, words.words [w],
                                   config_integer (config, visible)) ||
                       config_wrong (config, users, why,
                                     "a name is too long, or there are more than %d", NAMED_MAX);
        }
        name_list_clear (&words);
    }
    ip->visible_to = lists->visible_to;
    return good;
}

static uint32_t processors (void)
{
    long count = sysconf (_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > SOLVERS_MAX ? SOLVERS_MAX : (uint32_t) count;
}

static bool read_programs (const config_t *config, lists_t *lists, ip_settings_t *ip,
                           char why [LONG_WHY_BYTES])
{
    size_t balance = 0;
    size_t most = sizeof balances / sizeof balances [0];
    ip->windows = (uint32_t) config_integer (config, "ip/windows");
    ip->first = config_boolean (config, "ip/first");
    ip->hops_max = (uint32_t) config_integer (config, "ip/hops_max");
    ip->steps_max = (uint64_t) config_integer (config, "ip/steps_max");
    ip->time_ms_max = config_duration_ms (config, "ip/time_limit");
    ip->workers = config_has (config, "ip/workers")
                    ? (uint32_t) config_integer (config, "ip/workers")
                    : processors ();
    ip->visible = (uint32_t) config_integer (config, "ip/visible");
    if (!solver_kind_read (config_text (config, "ip/solver"), &ip->solver))
        return config_wrong (config, "ip/solver", why,
                             "must be auto, glpk, glpk-pruned or glpk-plain");
    if (ip->solver == SOLVER_GLPK_PRUNED && ip->hops_max == 0)
        return config_wrong (config, "ip/solver", why, "glpk-pruned needs ip/hops_max, too");
    while (balance < most && strcmp (config_text (config, "ip/balance"), balances [balance]) != 0)
        balance++;
    if (balance == most)
        return config_wrong (config, "ip/balance", why, "must be even, weights, power or none");
    ip->balance = (balance_t) balance;
    return read_weights (config, lists, ip, why) && read_levels (config, lists, ip, why);
}

static planner_settings_t read_settings (const config_t *config)
{
    planner_settings_t settings = planner_settings_default;
    settings.margin_ms = config_duration_ms (config, "margin");
    settings.guard_ms = config_duration_ms (config, "guard");
    settings.decide_ms = config_duration_ms (config, "decide");
    settings.hold_ttl_ms = (uint32_t) config_duration_ms (config, "hold_ttl");
    settings.frame_ms = config_duration_ms (config, "frame");
    settings.retention_ms = config_duration_ms (config, "retention");
    settings.ledger =
      (ledger_limits_t){.retention_ms = config_duration_ms (config, "ledger/retention"),
                        .segments_bytes = config_integer (config, "ledger/segments"),
                        .segment_rows = (uint32_t) config_integer (config, "ledger/segment_rows")};
    settings.done_ms = config_duration_ms (config, "tell_done");
    settings.backtrack_wait_ms = config_duration_ms (config, "backtrack/wait");
    settings.staging = (staging_terms_t){
      .start_ms = config_duration_ms (config, "staging/start"),
      .margin_percent = (uint32_t) config_integer (config, "staging/margin"),
      .unmeasured_mbps = (uint32_t) config_integer (config, "staging/unmeasured")};
    settings.backtrack_whole = config_boolean (config, "backtrack/whole_deadline");
    settings.backtrack_least = config_boolean (config, "backtrack/least_delay");
    settings.backtrack_serial = config_boolean (config, "backtrack/serial");
    settings.backtrack_own = config_boolean (config, "backtrack/count_own");
    settings.backtrack_terse = config_boolean (config, "backtrack/terse");
    settings.restore_guard_wait_ms = config_duration_ms (config, "standing/wait");
    settings.finish_interval_ms = config_duration_ms (config, "finish/interval");
    settings.finish_linger_ms = config_duration_ms (config, "finish/linger");
    settings.finishing = config_boolean (config, "finish/only");
    settings.request_limit_ms = config_duration_ms (config, "limits/request");
    settings.try_ms = config_duration_ms (config, "limits/try");
    settings.try_ms_max = config_duration_ms (config, "limits/try_max");
    settings.frame_ms_max = config_duration_ms (config, "limits/frame_max");
    settings.backoff_ms = config_duration_ms (config, "limits/backoff");
    settings.in_progress_max = (uint32_t) config_integer (config, "limits/in_progress_max");
    settings.tries_max = (uint32_t) config_integer (config, "limits/tries_max");
    settings.attempts_max = (uint32_t) config_integer (config, "limits/attempts_max");
    settings.repair_tries_max = (uint32_t) config_integer (config, "limits/repair_tries_max");
    settings.repair_limit_ms = config_duration_ms (config, "limits/repair");
    settings.candidates_first = (uint32_t) config_integer (config, "limits/candidates_first");
    settings.candidates_max = (uint32_t) config_integer (config, "limits/candidates_max");
    settings.locate_all_max = (uint32_t) config_integer (config, "limits/locate_all_max");
    settings.asked_max = (uint32_t) config_integer (config, "limits/asked_max");
    settings.search_steps_max = (uint64_t) config_integer (config, "limits/search_steps_max");
    settings.search_slice_steps = (uint64_t) config_integer (config, "limits/search_slice_steps");
    return settings;
}

static bool planner_config_sound (const planner_settings_t *settings, const name_list_t *gis,
                                  const name_list_t *administrators, char why [LONG_WHY_BYTES])
{
    const char *what = NULL;
    if (gis->count == 0)
        what = "gis: must name the endpoint of at least one directory";
    else if (name_list_too_long (gis, ENDPOINT_BYTES_MAX))
        what = "gis: an endpoint is too long";
    else if (name_list_too_long (administrators, NAME_BYTES_MAX))
        what = "administrators: a name is too long";
    else if (name_list_twice (gis) || name_list_twice (administrators))
        what = name_list_twice (gis) ? "gis: an endpoint is given twice"
                                     : "administrators: a name is given twice";
    else if (settings->decide_ms >= settings->hold_ttl_ms)
        what = "decide: must be shorter than hold_ttl, or votes expire before they count";
    else if (settings->frame_ms > settings->frame_ms_max)
        what = "frame: must not be longer than limits/frame_max";
    else if (settings->try_ms_max < settings->try_ms ||
             settings->try_ms_max >= settings->request_limit_ms)
        what = "limits/try_max: must be from limits/try to less than limits/request";
    else if (settings->asked_max < settings->candidates_max)
        what = "limits/asked_max: must not be less than limits/candidates_max";
    if (what)
        snprintf (why, LONG_WHY_BYTES, "%s", what);
    return !what;
}

bool planner_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    name_list_t gis = {0}, administrators = {0};
    name_list_add (&gis, config_text (config, "gis"), "");
    name_list_add (&administrators, config_text (config, "administrators"), "");
    planner_settings_t settings = read_settings (config);
    lists_t *lists = must (calloc (1, sizeof *lists));
    bool good = planner_config_sound (&settings, &gis, &administrators, why) &&
                read_programs (config, lists, &settings.ip, why);
    if (good) {
        settings.gis_endpoints = (const char *const *) gis.words;
        settings.gis_count = gis.count;
        settings.administrators = (const char *const *) administrators.words;
        settings.administrators_count = administrators.count;
        planner_core (&settings, core);
    }
    free (lists);
    name_list_clear (&gis);
    name_list_clear (&administrators);
    return good;
}
