/*  planner_settings - the rows. */
#include "planner_settings.h"

#include "call.h"
#include "file_questions.h"
#include "planner_limits.h"
#include "restore_guard.h"

#include <stdio.h>

/*  How many times the time for votes a hold lives. */
#define HOLD_DECIDES 6

static const setting_t staging_rows [] = {
  SET_DURATION (staging_terms_t, start_ms, "start", 2 * MS_SECOND, 0, MS_DAY,
                "time that a plan allows for the start of a file's transfer"),
  SET_FIXED (staging_terms_t, margin_percent, "margin", 25),
  SET_FIXED (staging_terms_t, unmeasured_mbps, "unmeasured", STAGING_UNMEASURED_MBPS),
};
const setting_table_t staging_table = SETTING_TABLE (staging_terms_t, staging_rows, NULL);

/*  In the order of solver_kind_t and balance_t. */
static const char *const solvers [] = {"auto", "glpk", "glpk-plain", NULL};
static const char *const balances [] = {"even", "weights", "power", "none", NULL};

static const setting_t ip_rows [] = {
  SET_FIXED (ip_settings_t, windows, "windows", 10), /* N of S4 */
  SET_CHOICE (ip_settings_t, solver, "solver", SOLVER_AUTO, solvers,
              "ip: which solver finds the plan of a start; all find equally good ones"),
  SET_FIXED_FLAG (ip_settings_t, first, "first", false),
  SET_FIXED (ip_settings_t, hops_max, "hops_max", 0),
  SET_COUNT (ip_settings_t, steps_max, "steps_max", 20000, 100, SETTING_COUNT_MOST,
             "ip: most steps of the solver for one window"),
  SET_DURATION (ip_settings_t, time_ms_max, "time_limit", 5 * MS_SECOND, 1, MS_DAY,
                "ip: windows whose turn has not come after this time are left out"),
  SET_COUNT (ip_settings_t, workers, "workers", 0, 0, SOLVERS_MAX,
             "ip: most solver processes at once; 0 = one for each processor"),
  SET_CHOICE (ip_settings_t, balance, "balance", BALANCE_EVEN, balances,
              "ip: which of equal plans is taken: even = the one at the least used sites (A), "
              "none = any, weights or power = the best by these, for requests that ask only for an "
              "early start (B)"),
  SET_MERGED (ip_settings_t, visible, "visible",
              "ip/levels/any/visible where ip/levels/any/users is \"*\""),
};

static const void *ip_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    ip_settings_t *ip = settings;
    ip->visible = 100; /* unless a level is everybody's */
    return NULL;
}

const setting_table_t ip_table = SETTING_TABLE (ip_settings_t, ip_rows, ip_rule);

static const setting_t planner_rows [] = {
  SET_DURATION (planner_settings_t, margin_ms, "margin", 15 * MS_SECOND, 0, MS_DAY,
                "how much later than the request a start of \"now\" is"),
  SET_FIXED_DURATION (planner_settings_t, guard_ms, "guard", MS_SECOND),
  SET_DURATION (planner_settings_t, decide_ms, "decide", 10 * MS_SECOND, 100, 10 * MS_MINUTE,
                "time to collect the votes on one plan; then it is given up (T4). Holds are asked "
                "for six times as long"),
  SET_MERGED_DURATION (planner_settings_t, hold_ttl_ms, "hold_ttl", "six times decide"),
  SET_DURATION (planner_settings_t, frame_ms, "frame", MS_DAY, MS_SECOND, MS_YEAR,
                "how far ahead to search for a start when a request sets no end"),
  /* The same member twice: its default is in the row behind. */
  SET_MERGED_DURATION (planner_settings_t, retention_ms, "retention", "limits/retention"),
  SET_DURATION (planner_settings_t, retention_ms, "limits/retention", MS_DAY, MS_SECOND, MS_YEAR,
                "how long decisions are kept after the end of their last window (T5)"),
  SET_INSIDE (planner_settings_t, ledger, "", ledger_limits_t, &ledger_table),
  SET_FIXED_DURATION (planner_settings_t, done_ms, "tell_done", 50),
  SET_DURATION (planner_settings_t, finish_interval_ms, "finish/interval", 30 * MS_SECOND, 0,
                MS_DAY,
                "how often the pool is searched for stores of dead planners; 0s = never (T8)"),
  SET_FIXED_DURATION (planner_settings_t, finish_linger_ms, "finish/linger", 45 * MS_SECOND),
  SET_DURATION (planner_settings_t, backtrack_wait_ms, "backtrack/wait", 20 * MS_SECOND, 100,
                MS_DAY,
                "bbr, bir: time for planning from the receipt on; the first start tried is at its "
                "end (w_interval of S0)"),
  SET_FIXED_FLAG (planner_settings_t, backtrack_whole, "backtrack/whole_deadline", false),
  SET_FIXED_FLAG (planner_settings_t, backtrack_least, "backtrack/least_delay", false),
  SET_FIXED_FLAG (planner_settings_t, backtrack_serial, "backtrack/serial", false),
  SET_FIXED_FLAG (planner_settings_t, backtrack_own, "backtrack/count_own", false),
  SET_FIXED_FLAG (planner_settings_t, backtrack_terse, "backtrack/terse", false),
  SET_INSIDE (planner_settings_t, staging, "staging/", staging_terms_t, &staging_table),
  SET_RESTORE_GUARD_WAIT (planner_settings_t, restore_guard_wait_ms),
  SET_INSIDE (planner_settings_t, ip, "ip/", ip_settings_t, &ip_table),
  SET_DURATION (planner_settings_t, request_limit_ms, "limits/request", 30 * MS_SECOND,
                CALL_PATIENCE_MS_MAX + MS_SECOND, MS_DAY,
                "a request is answered within this, even if only with \"in progress\""),
  SET_FIXED_DURATION (planner_settings_t, try_ms, "limits/try", MS_SECOND),
  SET_FIXED_DURATION (planner_settings_t, try_ms_max, "limits/try_max", CALL_PATIENCE_MS_MAX),
  SET_DURATION (planner_settings_t, frame_ms_max, "limits/frame_max", 31 * MS_DAY, MS_SECOND,
                MS_YEAR, "longest time frame searched"),
  SET_FIXED_DURATION (planner_settings_t, backoff_ms, "limits/backoff", 40),
  SET_COUNT (planner_settings_t, in_progress_max, "limits/in_progress_max", 4096, 1, 1000000,
             "most requests in progress at once"),
  SET_FIXED (planner_settings_t, tries_max, "limits/tries_max", 3),
  SET_FIXED (planner_settings_t, attempts_max, "limits/attempts_max", 32),
  SET_FIXED (planner_settings_t, repair_tries_max, "limits/repair_tries_max", 8),
  SET_FIXED_DURATION (planner_settings_t, repair_limit_ms, "limits/repair", 30 * MS_SECOND),
  SET_FIXED (planner_settings_t, candidates_first, "limits/candidates_first", CANDIDATES_FIRST),
  SET_FIXED (planner_settings_t, candidates_max, "limits/candidates_max", CANDIDATES_MAX),
  SET_FIXED (planner_settings_t, locate_all_max, "limits/locate_all_max", 16),
  SET_FIXED (planner_settings_t, asked_max, "limits/asked_max", ASKED_MAX),
  SET_COUNT (planner_settings_t, search_steps_max, "limits/search_steps_max", 2000000, 1000,
             1000 * SETTING_COUNT_MOST,
             "most steps of one search; then the best plan so far is taken, or the answer is "
             "\"unknown\""),
  SET_FIXED (planner_settings_t, search_slice_steps, "limits/search_slice_steps", 50000),
};

static const void *planner_rule (void *settings, char why [WHY_BYTES])
{
    planner_settings_t *planner = settings;
    planner->hold_ttl_ms = (uint32_t) (HOLD_DECIDES * planner->decide_ms);
    if (planner->frame_ms <= planner->frame_ms_max)
        return NULL;
    snprintf (why, WHY_BYTES, "must not be longer than limits/frame_max");
    return &planner->frame_ms;
}

const setting_table_t planner_table =
  SETTING_TABLE (planner_settings_t, planner_rows, planner_rule);
