/*  votes - what one round of votes teaches (T3): refusals correct the snapshot and the lessons of a
 *  request, give the user reasons, and say what follows. No request in progress is known here.
 */
#ifndef MUSUBI_VOTES_H
#define MUSUBI_VOTES_H

#include "answer.h"
#include "attempt.h"
#include "lessons.h"

/*  How the votes on a request's plans have gone. */
typedef struct {
    uint32_t count;
    int64_t votable_ms; /* time that a plan leaves for votes before its edge */
    int64_t begun_ms;   /* monotonic: when the last plan was put to the vote */
    int64_t took_ms;    /* by the last vote; 0 = there was none */
    bool unheard;       /* some vote did not come, or not in time */
    bool contended;     /* others compete: a vote was refused, or no plan found beside them */
} rounds_t;

/*  A round that has ended, and what learns of it; borrows all. */
typedef struct {
    const attempt_t *attempt; /* its plan and voters; its trail takes the claim's remains */
    rounds_t *rounds;         /* took_ms is this round's; unheard is set */
    snapshot_t *snapshot;     /* NULL: there is none, as for a release */
    lessons_t *lessons;
    answer_t *answer; /* gets a reason for each no */
} votes_t;

/*  What follows from a refused round; the higher one counts. */
typedef enum {
    VOTES_AGAIN,    /* what is known is corrected: another plan may be accepted */
    VOTES_LOOK,     /* the home has an answer, or another attempt is in progress */
    VOTES_CONFLICT, /* the request id was used with another body */
    VOTES_NO_HOME,  /* the home does not answer, so the outcome is unknown */
    VOTES_GIVE_UP,  /* asking again would not change the answer */
} votes_verdict_t;

votes_verdict_t votes_learn (const votes_t *self, const moment_t *now);

/*  The counter of a vote that is no yes; NULL: it is one, or it has not come. */
const char *vote_counter (const vote_t *vote);

#endif
