/*  Who may do what: proto/transaction.md's table, line by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "access.h"

#define P1 "planner/1111"
#define P2 "planner/2222"

static const char *const accounts [] = {"alice", "bob"};
static const char *const administrators [] = {"root"};
static const access_t access_here = {.accounts = accounts,
                                     .accounts_count = 2,
                                     .administrators = administrators,
                                     .administrators_count = 1};

typedef struct {
    verb_t verb;
    const char *caller;
    const char *actor;
    const char *object;
    bool allowed;
} access_line_t;

static void the_table_holds (void **state)
{
    (void) state;
    static const access_line_t table [] = {
      {VERB_HOLD, P1, "alice", P1, true},
      {VERB_HOLD, P1, "mallory", P1, false},
      {VERB_HOLD, P1, "", P1, false},
      {VERB_HOLD, "alice", "alice", P1, false},
      {VERB_HOLD, "lis/ams", "alice", P1, false},
      {VERB_HOLD, "planner/", "alice", P1, false},
      {VERB_HOLD, "plannerx/1", "alice", P1, false},
      {VERB_HOLD, "root", "alice", "root", true},
      {VERB_COMMIT, P1, P1, P1, true},
      {VERB_COMMIT, P2, P2, P1, false},
      {VERB_COMMIT, "root", "root", P1, false},
      {VERB_COMMIT, "", "", "", false},
      {VERB_PREPARE, P1, P1, P1, true},
      {VERB_PREPARE, P2, P2, P1, false},
      {VERB_RENEW, P1, P1, P1, true},
      {VERB_RENEW, "alice", "alice", P1, false},
      {VERB_DONE, P1, P1, P1, true},
      {VERB_DONE, P2, P2, P1, false},
      {VERB_ABORT, P1, P1, P1, true},
      {VERB_ABORT, P2, P2, P1, false},
      {VERB_ABORT, "root", "root", P1, true},
      {VERB_ABORT, "alice", "alice", P1, false},
      {VERB_RESOLVE, "lis/ams", "lis/ams", P1, true},
      {VERB_RESOLVE, "nis/a", "nis/a", P1, true},
      {VERB_RESOLVE, "gis/g1", "gis/g1", P1, true},
      {VERB_RESOLVE, "replica/a", "replica/a", P1, true},
      {VERB_RESOLVE, P2, P2, P1, true},
      {VERB_RESOLVE, "alice", "alice", P1, false},
      {VERB_RESOLVE, "root", "root", P1, false},
      {VERB_FENCE, P2, P2, P1, true},
      {VERB_FENCE, "root", "root", P1, true},
      {VERB_FENCE, "lis/ams", "lis/ams", P1, false},
      {VERB_FENCE, "alice", "alice", P1, false},
      {VERB_FENCE, "", "", P1, false},
      {VERB_OUTCOME, "lis/ams", "lis/ams", P1, true},
      {VERB_OUTCOME, "root", "root", P1, true},
      {VERB_OUTCOME, "alice", "alice", P1, false},
      {VERB_MODIFY, P1, "alice", "alice", true},
      {VERB_MODIFY, P1, "bob", "alice", false},
      {VERB_MODIFY, P1, "root", "alice", true},
      {VERB_MODIFY, "alice", "alice", "alice", false},
      {VERB_RELEASE, P1, "alice", "alice", true},
      {VERB_RELEASE, P1, "bob", "alice", false},
      {VERB_RELEASE, P1, "", "", false},
      {VERB_SHOW, "alice", "alice", "alice", true},
      {VERB_SHOW, "bob", "bob", "alice", false},
      {VERB_SHOW, P2, P2, "alice", true},
      {VERB_SHOW, "root", "root", "alice", true},
      {VERB_SHOW, "lis/tyo", "lis/tyo", "alice", false},
      {VERB_SHOW, "", "", "", false},
      {VERB_LIST, "bob", "bob", "alice", false},
      {VERB_LIST, P1, P1, "alice", true},
      {VERB_USE, "alice", "alice", "alice", true},
      {VERB_USE, "bob", "bob", "alice", false},
      {VERB_USE, "root", "root", "alice", true},
      {VERB_USE, P1, P1, "alice", false},
      {VERB_USE, "", "", "", false},
      {VERB_ADMINISTER, "root", "root", "", true},
      {VERB_ADMINISTER, P1, P1, "", false},
      {VERB_ADMINISTER, "alice", "alice", "", false},
      {VERB_STORE, "alice", "alice", "", true},
      {VERB_STORE, "mallory", "mallory", "", false},
      {VERB_STORE, "replica/ams", "replica/ams", "", true},
      {VERB_STORE, "root", "root", "", true},
      {VERB_KEEP, "alice", "alice", "alice", true},
      {VERB_KEEP, "bob", "bob", "alice", false},
      {VERB_KEEP, "root", "root", "alice", true},
      {VERB_KEEP, "", "", "", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const access_line_t *line = &table [i];
        if (may (&access_here, line->verb, line->caller, line->actor, line->object) !=
            line->allowed)
            fail_msg ("verb %d: caller '%s' actor '%s' object '%s' should be %s", (int) line->verb,
                      line->caller, line->actor, line->object,
                      line->allowed ? "allowed" : "refused");
    }
}

static void a_star_is_everybodys_account_but_not_nobodys (void **state)
{
    (void) state;
    static const char *const star [] = {"*"};
    access_t open = {.accounts = star, .accounts_count = 1};
    assert_true (may (&open, VERB_HOLD, P1, "mallory", P1));
    assert_false (may (&open, VERB_HOLD, P1, "", P1));
    assert_false (may (&open, VERB_ADMINISTER, "*", "*", ""));
    assert_false (may (&open, VERB_MODIFY, P1, "*", "alice"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_table_holds),
      cmocka_unit_test (a_star_is_everybodys_account_but_not_nobodys),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
