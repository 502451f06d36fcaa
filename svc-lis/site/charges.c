/*  charges - one question at a time. */
#include "charges.h"

#include "must.h"
#include "openings_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHARGES_WORK    (UINT64_C (1) << 63) /* the back end counts its works from 1 */
#define UNKNOWN         ": " BACK_END_UNKNOWN
#define CHARGES_WATCHES 10 /* from an answer to the next question */

/*  The first actor of the next section that charges something; count behind the last. */
static size_t charges_section (const charges_t *self, size_t at)
{
    const account_t *all = self->accounts;
    while (at < self->count && ((!*all [at].charged && !*all [at].qos) ||
                                (at > 0 && strcmp (all [at].section, all [at - 1].section) == 0)))
        at++;
    return at;
}

packed_t charges_question (const charges_t *self)
{
    back_end_order_t *orders = must (calloc (self->count + 1, sizeof *orders));
    size_t count = 0;
    for (size_t i = charges_section (self, 0); i < self->count; i = charges_section (self, i + 1)) {
        const account_t *at = &self->accounts [i];
        orders [count++] = (back_end_order_t){.reservation = at->section,
                                              .owner = "",
                                              .account = at->account,
                                              .charged = at->charged,
                                              .qos = at->qos};
    }
    packed_t question =
      codec_encode (&back_end_task_codec,
                    &(back_end_task_t){.step = BACK_END_CHARGES, .orders = orders, .count = count});
    free (orders);
    return question;
}

static void charges_ask (void *owner, const moment_t *now, uint64_t token)
{
    (void) now, (void) token;
    charges_t *self = owner;
    packed_t question = charges_question (self);
    self->timer = 0;
    outbox_work (self->service->outbox, CHARGES_WORK, back_end_batch.works [BACK_END_CHARGES],
                 packed_bytes (question));
    free (question.data);
}

/*  The line of a section; "" = there is none. */
static void charges_line (const char *told, const char *section, char said [WHY_BYTES])
{
    size_t size = strlen (section);
    *said = '\0';
    for (const char *line = told; *line; line += strcspn (line, "\n"), line += *line == '\n')
        if (strncmp (line, section, size) == 0 && line [size] == ':')
            snprintf (said, WHY_BYTES, "%.*s", (int) strcspn (line, "\n"), line);
}

/*  told: NULL = nothing. */
static void charges_take (charges_t *self, const moment_t *now, const char *told)
{
    int64_t watches = !told || strstr (told, UNKNOWN "\n") ? 1 : CHARGES_WATCHES;
    self->timer = timers_set (self->service->timers, now->mono_ms + watches * self->watch_ms,
                              charges_ask, self, 0);
    for (size_t i = charges_section (self, 0); told && i < self->count;
         i = charges_section (self, i + 1)) {
        const char *section = self->accounts [i].section;
        char said [WHY_BYTES];
        charges_line (told, section, said);
        if ((*said && strcmp (said + strlen (section), UNKNOWN) == 0) ||
            strcmp (self->accounts [i].unfit, said) == 0)
            continue;
        service_warn (self->service, section, said, INT64_MAX);
        if (!*said)
            outbox_log (self->service->outbox, LEVEL_INFO, "%s is fit again", section);
        for (size_t k = i; k < self->count && strcmp (self->accounts [k].section, section) == 0;
             k++)
            strcpy (self->accounts [k].unfit, said);
        openings_accounts_moved (self->openings, now);
    }
}

static bool charges_on_work (void *owner, const moment_t *now, const event_t *event)
{
    charges_t *self = owner;
    if (event->work.work != CHARGES_WORK)
        return false;
    const bytes_t result = event->work.result;
    char *told = must (strndup (result.size > 0 ? (const char *) result.data : "", result.size));
    charges_take (self, now, event->work.ok ? told : NULL);
    free (told);
    return true;
}

static void charges_on_start (void *owner, const moment_t *now)
{
    charges_t *self = owner;
    if (self->told)
        charges_take (self, now, self->told);
    else
        charges_ask (self, now, 0);
}

void charges_begin (charges_t *self)
{
    if (charges_section (self, 0) == self->count)
        return;
    service_on_work (self->service, charges_on_work, self);
    service_at_start (self->service, charges_on_start, self);
}

void charges_end (charges_t *self)
{
    timers_cancel (self->service->timers, self->timer);
    free (self->told);
}
