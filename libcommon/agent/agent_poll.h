/*  agent_poll - how an agent learns what its site's service wants. It asks one question after
 *  another; the service holds each until there is something to do. An agent that has news gives up
 *  the question that waits and asks a new one.
 *
 *  A site that does not answer is asked again later, with jitter, at the next of its endpoints. The
 *  site numbers its answers, and each question tells which answer was carried out last. After a
 *  failure it tells none, so that the site says everything again. Pure.
 */
#ifndef MUSUBI_AGENT_POLL_H
#define MUSUBI_AGENT_POLL_H

#include "service.h"

typedef struct agent_poll agent_poll_t;

/*  What every question says; a member of its struct. */
typedef struct {
    uint8_t store [STORE_ID_BYTES]; /* the agent's */
    uint32_t start;
    uint64_t number; /* counts the questions of this start, from 1 */
    uint64_t seen;   /* number of the last answer that was carried out; 0 = none */
} agent_question_t;

typedef struct {
    agent_question_t said;
    bool bare;        /* the site's store is not known yet: nothing in the answer is carried out */
    int64_t asked_ms; /* mono */
} agent_poll_question_t;

/*  What every answer says. */
typedef struct {
    uint64_t number;
    int64_t attend_ms; /* the next question follows this long after the answer at the latest */
} agent_poll_answer_t;

/*  Makes the body of a question. */
typedef packed_t agent_poll_ask_fn (void *owner, const agent_poll_question_t *question);

/*  Carries out an answer to this question; false, with why, when the answer is malformed. */
typedef bool agent_poll_take_fn (void *owner, const moment_t *now,
                                 const agent_poll_question_t *question, bytes_t body,
                                 agent_poll_answer_t *answer, char why [WHY_BYTES]);

typedef struct {
    const char *service;      /* static; its method is Attend */
    const char *const *sites; /* endpoints, copied; the next is tried when one is silent */
    size_t sites_count;
    bool one_store;         /* all questions are for the store that answers the first one */
    int64_t backoff_ms;     /* doubles, with jitter of half */
    int64_t backoff_ms_max; /* at most */
    agent_poll_ask_fn *ask;
    agent_poll_take_fn *take;
    void *owner;
} agent_poll_settings_t;

agent_poll_t *agent_poll_new (service_t *service, const agent_poll_settings_t *settings);
void agent_poll_destroy (agent_poll_t **self_p);

/*  Asks the first question. */
void agent_poll_start (agent_poll_t *self, const moment_t *now);

/*  There is news for the site: asks at the end of this step, or gap_ms after the last question if
 *  that is later. */
void agent_poll_news (agent_poll_t *self, const moment_t *now, int64_t gap_ms);

/*  The endpoint that was asked last, and, with one_store, the store that answers there; NULL while
 *  that is not known. */
const char *agent_poll_endpoint (const agent_poll_t *self);
const uint8_t *agent_poll_store (const agent_poll_t *self);

#endif
