/*  agent_poll - how an agent attends its site's service: one question after another, each of which
 *  the service holds until there is something to do. An agent with news gives up the question that
 *  waits there and asks a new one.
 *
 *  Whoever does not answer is asked again later, with jitter, at the next of the site's endpoints.
 *  Answers are numbered by the site, and each question says which was carried out last; nothing has
 *  been after a failure, so that all is told anew. Pure.
 */
#ifndef MUSUBI_AGENT_POLL_H
#define MUSUBI_AGENT_POLL_H

#include "message.h"
#include "service.h"

typedef struct agent_poll agent_poll_t;

/*  Of every question: a member of its struct. */
typedef struct {
    uint8_t store [STORE_ID_BYTES]; /* the agent's */
    uint32_t start;
    uint64_t number; /* counts the questions of this start, from 1 */
    uint64_t seen;   /* number of the last answer that was carried out; 0 = none */
} agent_question_t;

typedef struct {
    agent_question_t said;
    bool bare;        /* which store answers is not known yet: nothing of the answer is an order */
    int64_t asked_ms; /* mono */
} agent_poll_question_t;

/*  What every answer tells. */
typedef struct {
    uint64_t number;
    int64_t attend_ms; /* ask again at the latest so long after the answer */
} agent_poll_answer_t;

/*  The question's body. */
typedef packed_t agent_poll_ask_fn (void *owner, const agent_poll_question_t *question);

/*  Carry out an answer to this question; false with why when it is none. */
typedef bool agent_poll_take_fn (void *owner, const moment_t *now,
                                 const agent_poll_question_t *question, bytes_t body,
                                 agent_poll_answer_t *answer, char why [WHY_BYTES]);

typedef struct {
    const char *service;      /* static; its method is Attend */
    const char *const *sites; /* endpoints, copied; the next is tried when one is silent */
    size_t sites_count;
    bool one_store;         /* questions are for the store that answered the first, bare one */
    int64_t backoff_ms;     /* doubles, with jitter of half */
    int64_t backoff_ms_max; /* at most */
    agent_poll_ask_fn *ask;
    agent_poll_take_fn *take;
    void *owner;
} agent_poll_settings_t;

/*  It asks in the service's name. */
agent_poll_t *agent_poll_new (service_t *service, const agent_poll_settings_t *settings);
void agent_poll_destroy (agent_poll_t **self_p);

/*  The first question. */
void agent_poll_start (agent_poll_t *self, const moment_t *now);

/*  There is something new to say: ask at the end of this step, or so long after the last question
 *  when that is later. */
void agent_poll_news (agent_poll_t *self, const moment_t *now, int64_t gap_ms);

/*  Where it was asked last, and the store that answers there, with one_store; NULL = not known. */
const char *agent_poll_endpoint (const agent_poll_t *self);
const uint8_t *agent_poll_store (const agent_poll_t *self);

#endif
