/*  agent - asks the site, with a report of its runs, and takes the answer and the lease in it. */
#include "agent_state.h"

#include "member.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define BACKOFF_MS     200
#define BACKOFF_MS_MAX 10000

static const setting_t agent_rows [] = {
  SET_AGENT_KEEP (agent_settings_t, keep_ms),
  SET_DURATION (agent_settings_t, look_ms, "look", 5 * MS_SECOND, 100, MS_DAY,
                "how often runs are looked at, in case a starter has died"),
  SET_COUNT (agent_settings_t, output_bytes_max, "limits/output", OUTPUT_BYTES_MAX, 1,
             SETTING_BYTES_MOST,
             "bytes kept of a run's output; what it writes beyond them is dropped and counted, and "
             "the run goes on; with less than 256 MiB free on the disk of runs all is dropped"),
  SET_FIXED (agent_settings_t, room_bytes_least, "limits/output_room", INT64_C (256) << 20),
};

static const void *agent_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    agent_settings_t *agent = settings;
    agent->stubborn_ms = agent->limit_ms = 10 * MS_SECOND;
    agent->machine_ms = 30 * MS_SECOND;
    return NULL;
}

const setting_table_t agent_table = SETTING_TABLE (agent_settings_t, agent_rows, agent_rule);

/*  --- polling the site --- */

static packed_t agent_fill_question (void *owner, const agent_poll_question_t *question)
{
    agent_t *self = owner;
    attend_t attend = {
      .cpus = self->settings.cpus, .question = question->said, .machine = self->machine};
    snprintf (attend.node, sizeof attend.node, "%s", self->settings.name);
    snprintf (attend.class_name, sizeof attend.class_name, "%s", self->settings.class_name);
    snprintf (attend.storage, sizeof attend.storage, "%s",
              self->settings.storage ? self->settings.storage : "");
    if (!question->bare)
        attend.runs = agent_runs_report (self, &attend.runs_count);
    attend.batch = self->batch;
    packed_t body = codec_encode (&attend_codec, &attend);
    attend.batch = NULL;
    codec_clear (&attend_codec, &attend);
    return body;
}

static bool agent_take (void *owner, const moment_t *now, const agent_poll_question_t *question,
                        bytes_t body, agent_poll_answer_t *answer, char why [WHY_BYTES])
{
    agent_t *self = owner;
    wanted_t wanted;
    if (!codec_decode (&wanted_codec, &wanted, body, why))
        return false;
    *answer = (agent_poll_answer_t){.number = wanted.number, .attend_ms = wanted.attend_ms};
    self->lease_ms = wanted.lease_ms;
    snprintf (self->site_name, sizeof self->site_name, "%s", wanted.site);
    if (!question->bare) {
        /*  The lease counts from the question, not from the answer: so it ends before the site
         *  counts the runs as lost, however long either message was under way. */
        self->lease_until_ms = question->asked_ms + self->lease_ms;
        agent_runs_want (self, now, &wanted);
    }
    codec_clear (&wanted_codec, &wanted);
    return true;
}

/*  --- the life of the core --- */

static void agent_on_start (void *owner, const moment_t *now)
{
    agent_t *self = owner;
    agent_runs_start (self, now);
    agent_poll_start (self->agent_poll, now);
}

static void agent_destroy (void *owner)
{
    agent_t *self = owner;
    ordered_end (&self->works, free);
    agent_runs_end (self);
    agent_batch_end (self);
    agent_poll_destroy (&self->agent_poll);
    service_destroy (&self->service);
    free (self);
}

void agent_core (const agent_settings_t *settings, core_t *core)
{
    assert (settings->look_ms > 0 && settings->machine_ms > 0);
    agent_t *self = must (calloc (1, sizeof *self));
    self->settings = *settings;
    char name [NAME_BYTES_MAX + 1];
    snprintf (name, sizeof name, "node/%.58s", settings->name);
    self->service = member_new (name, NULL, 0);
    self->agent_poll =
      agent_poll_new (self->service, &(agent_poll_settings_t){.service = "Nodes",
                                                              .sites = settings->sites,
                                                              .sites_count = settings->sites_count,
                                                              .one_store = true,
                                                              .backoff_ms = BACKOFF_MS,
                                                              .backoff_ms_max = BACKOFF_MS_MAX,
                                                              .ask = agent_fill_question,
                                                              .take = agent_take,
                                                              .owner = self});
    self->works = ordered_by_number (offsetof (ordered_work_t, number));
    agent_runs_init (self);
    service_at_start (self->service, agent_on_start, self);
    service_on_work (self->service, agent_on_work, self);
    *core = service_core (self, agent_destroy);
}
