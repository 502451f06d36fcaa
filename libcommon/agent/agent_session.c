/*  agent_session - watches for silence, takes questions, and answers them. */
#include "agent_session.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIET_MS 3000 /* without a question after an answer */

const char *agent_state_word (agent_state_t state)
{
    static const char *const words [] = {[AGENT_AWAITED] = "awaited",
                                         [AGENT_UP] = "up",
                                         [AGENT_SILENT] = "silent",
                                         [AGENT_LOST] = "lost"};
    return words [state];
}

/*  --- silence --- */

static void agent_session_move (agent_session_t *session, const moment_t *now, agent_state_t to,
                                const char *why)
{
    agent_state_t from = session->state;
    session->state = to;
    session->all->moved (session->all->owner, now, session, from, why);
}

static void on_silence (void *owner, const moment_t *now, uint64_t token);

static void silence_watch (agent_session_t *session)
{
    const agent_sessions_t *all = session->all;
    timers_cancel (all->service->timers, session->silence);
    session->silence = 0;
    if (session->state == AGENT_LOST)
        return;
    int64_t after_ms = session->state == AGENT_UP ? all->silent_ms : all->lost_ms;
    session->silence =
      timers_set (all->service->timers, session->heard_ms + after_ms, on_silence, session, 0);
}

static void on_silence (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    agent_session_t *session = owner;
    session->silence = 0;
    int64_t quiet_ms = now->mono_ms - session->heard_ms;
    if (quiet_ms >= session->all->lost_ms) {
        char why [NAME_BYTES_MAX + 64];
        snprintf (why, sizeof why, "node %s has not been heard for %" PRId64 " s", session->name,
                  quiet_ms / 1000);
        agent_session_move (session, now, AGENT_LOST, why);
    } else if (quiet_ms >= session->all->silent_ms && session->state == AGENT_UP) {
        agent_session_move (session, now, AGENT_SILENT, "");
    }
    silence_watch (session);
}

void agent_session_start (agent_session_t *session, agent_sessions_t *all, const char *node,
                          const moment_t *now)
{
    if (all->answers ==
        0) /* no number of an earlier life comes again: its questions may come late */
        all->answers = (uint64_t) all->service->store.start << 32;
    session->all = all;
    session->name = node;
    session->heard_ms = now->mono_ms;
    silence_watch (session);
}

void agent_session_end (agent_session_t *session)
{
    if (session->all) {
        timers_cancel (session->all->service->timers, session->patience);
        timers_cancel (session->all->service->timers, session->silence);
    }
    free (session->told.data);
}

int64_t agent_session_quiet_ms (const agent_session_t *session, const moment_t *now)
{
    int64_t quiet_ms = now->mono_ms - session->heard_ms;
    int64_t least_ms = session->state == AGENT_AWAITED ? session->all->silent_ms : QUIET_MS;
    return session->waits || quiet_ms < least_ms ? 0 : quiet_ms;
}

/*  --- asking --- */

bool agent_is (const char *actor, const char *kind, const char *node)
{
    size_t length = strlen (kind);
    return strncmp (actor, kind, length) == 0 && strcmp (actor + length, node) == 0;
}

static bool question_right (const agent_session_t *session, const moment_t *now,
                            const request_t *request, const agent_question_t *asked)
{
    service_t *service = session->all->service;
    if (!session->came)
        return true;
    int64_t quiet_ms = now->mono_ms - session->heard_ms;
    if (memcmp (asked->store, session->store, STORE_ID_BYTES) != 0) {
        if (quiet_ms >= session->all->silent_ms)
            return true;
        return service_refuse (service, request, CALL_DENIED,
                               "store: node %s has an agent with another store, heard %" PRId64
                               " s ago; a new one is taken once that has been silent for %u s",
                               session->name, quiet_ms / 1000, session->all->silent_ms / 1000);
    }
    if (asked->start < session->start)
        return service_refuse (
          service, request, CALL_DENIED,
          "start: %u, but the store of node %s has been started %u times; either "
          "a backup was restored, or this question is late",
          asked->start, session->name, session->start);
    if (asked->start == session->start && asked->number < session->asked)
        return service_refuse (service, request, CALL_BAD_REQUEST,
                               "number: a later question of this agent has been heard already");
    return true;
}

agent_store_t agent_session_take (agent_session_t *session, const moment_t *now,
                                  const request_t *request, const agent_question_t *asked)
{
    if (!question_right (session, now, request, asked))
        return AGENT_REFUSED;
    bool other = memcmp (asked->store, session->store, STORE_ID_BYTES) != 0;
    if (session->came && asked->start == session->start && !other)
        return AGENT_SAME;
    session->came = true;
    memcpy (session->store, asked->store, STORE_ID_BYTES);
    session->start = asked->start;
    session->asked = 0;
    session->told_number = 0;
    return other ? AGENT_OTHER : AGENT_RESTARTED;
}

/*  The timer for silence stays as it is: when it fires it looks at when the agent was heard
 *  last. */
bool agent_session_hear (agent_session_t *session, const moment_t *now,
                         const agent_question_t *asked)
{
    session->heard_ms = now->mono_ms;
    session->heard_wall_ms = now->wall_ms;
    if (session->state != AGENT_UP) {
        agent_session_move (session, now, AGENT_UP, "");
        silence_watch (session);
    }
    if (asked->number <= session->asked)
        return false;
    session->asked = asked->number;
    session->seen = asked->seen;
    return true;
}

/*  --- answering --- */

/*  Sends the last answer, again if need be. */
static void agent_session_reply (const agent_session_t *session)
{
    packed_t head = session->all->numbered (session->told_number);
    size_t size = head.size + session->told.size;
    uint8_t *body = must (realloc (head.data, size + 1));
    if (session->told.size > 0)
        memcpy (body + head.size, session->told.data, session->told.size);
    service_reply_to (session->all->service, session->reply_to,
                      (packed_t){.data = body, .size = size});
}

static void agent_session_answer (agent_session_t *session, packed_t wanted)
{
    assert (session->waits);
    free (session->told.data);
    session->told = wanted;
    session->told_number = ++session->all->answers;
    if (session->all->told)
        session->all->told (session->all->owner, session);
    agent_session_reply (session);
    session->waits = false;
    timers_cancel (session->all->service->timers, session->patience);
    session->patience = 0;
}

static void on_patience (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    agent_session_t *session = owner;
    session->patience = 0;
    agent_session_answer (session, session->all->wanted (session->all->owner, now, session));
}

void agent_session_settle (agent_session_t *session, const moment_t *now)
{
    const agent_sessions_t *all = session->all;
    if (!session->waits)
        return;
    packed_t wanted = all->wanted (all->owner, now, session);
    const packed_t *told = &session->told;
    bool knows = session->told_number > 0 && session->seen == session->told_number;
    if (!knows || wanted.size != told->size ||
        (told->size > 0 && memcmp (wanted.data, told->data, told->size) != 0)) {
        agent_session_answer (session, wanted);
        return;
    }
    free (wanted.data);
    if (session->patience == 0)
        session->patience =
          timers_set (all->service->timers, now->mono_ms + all->attend_ms, on_patience, session, 0);
}

void agent_session_wait (agent_session_t *session, const request_t *request)
{
    if (session->waits && session->told_number > 0)
        agent_session_reply (session);
    else if (session->waits)
        outbox_refuse (session->all->service->outbox, session->reply_to, CALL_BAD_REQUEST,
                       "start: this agent has been started again and has asked since");
    session->waits = true;
    session->reply_to = request->reply_to;
}
