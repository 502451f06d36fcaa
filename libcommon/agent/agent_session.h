/*  agent_session - the site's side of an agent's polling (agent_poll.h): a session for each agent.
 *
 *  A question is answered at once when the agent should know something else than its last answer
 *  told it, or has not carried that answer out. Otherwise the question waits, at most attend_ms,
 *  until that is so. The last answer is therefore all that has to be remembered, and an agent or a
 *  site that starts anew is told everything. Nothing may be concluded from what a question leaves
 *  out, since it may have been under way for long.
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

/*  What all agents of a site share. All pointers are borrowed for life. When moved is called, the
 *  session's state is the new one already. */
typedef struct {
    service_t *service;
    uint32_t attend_ms;
    uint32_t silent_ms; /* so long unheard it is silent */
    uint32_t lost_ms;   /* and so long: lost */
    uint64_t answers;   /* number of the last one given, above those of earlier lives */
    void *owner;

    /*  What this agent should know, as an answer without its number; and an answer of a number
     *  alone. Both are malloc'ed. They are sent end to end, which in protobuf is one message with
     *  the fields of both. */
    packed_t (*wanted) (void *owner, const moment_t *now, agent_session_t *session);
    packed_t (*numbered) (uint64_t number);

    /*  An answer leaves for this agent now. May be NULL. */
    void (*told) (void *owner, agent_session_t *session);

    /*  The agent is up, silent or lost now; why says why it is lost. */
    void (*moved) (void *owner, const moment_t *now, agent_session_t *session, agent_state_t from,
                   const char *why);
} agent_sessions_t;

/*  A member of what stands for the agent's node; for reading only. All zero at first, but for what
 *  the service has stored of it: came, store, start. */
struct agent_session {
    agent_sessions_t *all;
    const char *name; /* the node's */
    bool came;        /* it has asked before: from this store, which had been started so often */
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    agent_state_t state;
    int64_t heard_ms; /* mono; at first the time of our start, since how long it was silent is not
                         known */
    int64_t heard_wall_ms;
    uint64_t asked; /* number of the last question in the agent's start */
    uint64_t seen;  /* number of the answer that it had carried out then */
    bool waits;     /* that question is not answered yet */
    uint64_t reply_to;
    packed_t told;        /* the last answer, without its number */
    uint64_t told_number; /* 0 = none to this start of the agent's store */
    uint64_t patience;    /* timer: the question is answered then at the latest */
    uint64_t silence;     /* timer */
};

/*  Begins to watch for the agent's silence. Borrows the node's name for life. */
void agent_session_start (agent_session_t *session, agent_sessions_t *all, const char *node,
                          const moment_t *now);
void agent_session_end (agent_session_t *session);

/*  For how long it has been silent, in ms; 0 as long as it may well be alive. An agent that was
 *  answered asks again at once: it is silent some seconds later, long before its state says so. */
int64_t agent_session_quiet_ms (const agent_session_t *session, const moment_t *now);

/*  Does this actor speak for that node? With the kind "node/" the actor "node/n1" does for n1. */
bool agent_is (const char *actor, const char *kind, const char *node);

/*  What a question says of its agent's store. */
typedef enum {
    AGENT_REFUSED, /* and answered: two agents under one name would both do what is meant for one */
    AGENT_SAME,
    AGENT_RESTARTED, /* from here on it is told everything, and the service stores who it is */
    AGENT_OTHER,     /* another store than before */
} agent_store_t;
agent_store_t agent_session_take (agent_session_t *session, const moment_t *now,
                                  const request_t *request, const agent_question_t *asked);

/*  The agent was heard: it is up. True of a new question, false of one that comes again. */
bool agent_session_hear (agent_session_t *session, const moment_t *now,
                         const agent_question_t *asked);

/*  The question waits for its answer from now on. A question that waited before gets the last
 *  answer once more, since its agent has given it up or has sent it twice. */
void agent_session_wait (agent_session_t *session, const request_t *request);

/*  Answers the waiting question, if there is something new to say. */
void agent_session_settle (agent_session_t *session, const moment_t *now);

#endif
