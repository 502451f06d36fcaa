/*  agent_session - the site's side of attending (agent_poll.h): a session for each agent.
 *
 *  A question is answered at once when what the agent should know is not what it was told last and
 *  says to have carried out; else it waits for such a change, at most attend_ms. So what is said
 *  once need not be remembered anywhere but in the last answer, and whoever starts anew, here or
 *  there, is told everything. Nothing is ever concluded from what a question leaves out: it may
 *  have been long under way.
 *
 *  A service answers Attend in this order: it checks the agent's name, agent_is; then calls
 *  agent_session_take, _hear and _wait; and _settle at the end of the step. Pure.
 */
#ifndef MUSUBI_AGENT_SESSION_H
#define MUSUBI_AGENT_SESSION_H

#include "agent_poll.h"

typedef enum { AGENT_AWAITED, AGENT_UP, AGENT_SILENT, AGENT_LOST } agent_state_t;

const char *agent_state_word (agent_state_t state);

typedef struct agent_session agent_session_t;

/*  What all agents of a site share. All of it is borrowed for life; state is as it is now when
 *  moved is called. */
typedef struct {
    service_t *service;
    uint32_t attend_ms;
    uint32_t silent_ms; /* so long unheard it is silent */
    uint32_t lost_ms;   /* and so long: lost */
    uint64_t answers;   /* given so far: the number of the last */
    void *owner;

    /*  What this agent should know, as an answer without a number; and one of a number alone. Both
     *  are malloc'ed. Packed messages laid end to end are one message with the fields of both. */
    packed_t (*wanted) (void *owner, const moment_t *now, agent_session_t *session);
    packed_t (*numbered) (uint64_t number);

    /*  An answer to it leaves now. NULL = nobody needs to know. */
    void (*told) (void *owner, agent_session_t *session);

    /*  It is up, silent, or lost, with why. */
    void (*moved) (void *owner, const moment_t *now, agent_session_t *session, agent_state_t from,
                   const char *why);
} agent_sessions_t;

/*  Part of what stands for the agent's node; for reading only. Zero at first but for what is known
 *  from before a restart: came, store, start. */
struct agent_session {
    agent_sessions_t *all;
    const char *name; /* the node's */
    bool came;        /* then this is its store, and how often that was started */
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    agent_state_t state;
    int64_t heard_ms; /* mono; at first the start: nobody knows how long it was silent */
    int64_t heard_wall_ms;
    uint64_t asked; /* number of the last question in the agent's start */
    uint64_t seen;  /* number of the answer that it had carried out then */
    bool waits;     /* that question has not been answered */
    uint64_t reply_to;
    packed_t told;        /* the last answer, without its number */
    uint64_t told_number; /* 0 = none to this start of the agent's store */
    uint64_t patience;    /* timer: the question is answered by then */
    uint64_t silence;     /* timer */
};

/*  From now on it is missed when it is not heard. Borrows the node's name for life. */
void agent_session_start (agent_session_t *session, agent_sessions_t *all, const char *node,
                          const moment_t *now);
void agent_session_end (agent_session_t *session);

/*  Does this actor speak for that node? The agent of thin-001 is "node/thin-001"; kind is "node/". */
bool agent_is (const char *actor, const char *kind, const char *node);

/*  What a question says of its agent's store. */
typedef enum {
    AGENT_REFUSED, /* answered: two agents under one name would both do what is meant for one */
    AGENT_SAME,
    AGENT_RESTARTED, /* here and below: it is told everything, and the service stores who it is */
    AGENT_OTHER,     /* another store than before */
} agent_store_t;
agent_store_t agent_session_take (agent_session_t *session, const moment_t *now,
                                  const request_t *request, const agent_question_t *asked);

/*  It is up. True when the question is the latest one, false when it comes again. */
bool agent_session_hear (agent_session_t *session, const moment_t *now,
                         const agent_question_t *asked);

/*  It is the question that waits from now on. One that waited is told again what its agent has been
 *  told already: that one has given it up, or has sent it twice. */
void agent_session_wait (agent_session_t *session, const request_t *request);

/*  Answers the question that waits, when there is something new to say. */
void agent_session_settle (agent_session_t *session, const moment_t *now);

#endif
