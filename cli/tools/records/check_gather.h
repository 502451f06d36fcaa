/*  check_gather - asks every participant for its records, and has them checked.
 *
 *  Planners are not asked: what they say is what is in question. */
#ifndef MUSUBI_CHECK_GATHER_H
#define MUSUBI_CHECK_GATHER_H

#include "record_fetch.h"

typedef struct {
    check_t *check;
    record_fetch_t from;
    json_t *showing; /* those who showed some, as keys */
    json_t *lacking; /* a sentence for each who says that it has less than it has promised */
    size_t records;
} check_gather_t;

/*  Asks all participants that are listed; end it with check_gather_end. */
void check_gather (check_gather_t *self, session_t *session);
void check_gather_end (check_gather_t *self);

/*  Collects violations, and prints the first of them, `most` at the most, unless JSON is wanted. */
typedef struct {
    json_t *sentences;
    bool json;
    size_t most;
} check_teller_t;
void check_tell (void *teller, const char *sentence);
void check_tell_rest (const check_teller_t *self); /* how many more there were */
/*  Prints what is lacking; returns the last sentence, which is the verdict if all is well. */
const char *check_verdict (const json_t *lacking, size_t violations, const char *verdict);

/*  Asks one endpoint, and frees the question. False unless CALL_OK. */
bool check_ask (session_t *session, const char *endpoint, const char *service, const char *method,
                packed_t question, client_reply_t *reply);

/*  Waits at most so long until nothing is in progress and everybody answers. */
void check_wait (session_t *session, int64_t settle_ms);

/*  answers = a file of answers as `musubi workload --answers` writes it, or NULL. settle_ms: how
 *  long to wait for work in progress to end; then what is pending is a violation, too. Prints what
 *  was found; returns the exit code. */
int check_run (const cli_t *cli, session_t *session, const char *answers, int64_t settle_ms);

#endif
