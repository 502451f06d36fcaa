/*  replay_outcome - one answer in a few words and figures. Pure.
 *
 *  Refusals are grouped by their sentence, so names of resources, figures and times are taken out
 *  of it; and by the kind of need that the first reason names.
 */
#include "replay.h"

#include "answer_form.h"
#include "cli.h"
#include "json_fields.h"

#include <ctype.h>
#include <string.h>

/*  A sentence without its figures and times, the resource in it as "*". */
static void reason_words (const char *text, const char *resource, char words [REPLAY_REASON_BYTES])
{
    size_t length = 0;
    size_t name = strlen (resource);
    while (*text && length + 1 < REPLAY_REASON_BYTES) {
        if (name > 0 && strncmp (text, resource, name) == 0) {
            words [length++] = '*';
            text += name;
            continue;
        }
        bool figure = isdigit ((unsigned char) *text);
        if (!figure || length == 0 || words [length - 1] != '#')
            words [length++] = figure ? '#' : *text;
        text++;
    }
    words [length] = '\0';
}

/*  Needs are named as coallocation_written names them: "a", and "a-b" for what links it. */
static replay_blocker_t blocker_of (const char *need)
{
    return *need == '\0'        ? REPLAY_BY_NO_NEED
           : strchr (need, '-') ? REPLAY_BY_LINK
                                : REPLAY_BY_CLASS;
}

static void read_refusal (replay_outcome_t *self, const json_t *form)
{
    const json_t *reason = item_of (form, "reasons", 0);
    const char *text = text_of (reason, "text");
    self->status = REPLAY_REFUSED;
    self->blocker = blocker_of (text_of (reason, "need"));
    reason_words (*text ? text : "no reason given", text_of (reason, "resource"), self->reason);
}

/*  Links are written as "domain/name". */
static bool same_domain (const char *link, const char *other)
{
    size_t size = strcspn (link, "/");
    return size == strcspn (other, "/") && strncmp (link, other, size) == 0;
}

static void read_connections (replay_outcome_t *self, const json_t *network)
{
    const json_t *connection;
    for (size_t i = 0; (connection = json_array_get (network, i)); i++) {
        const json_t *links = json_object_get (connection, "links");
        self->connections += json_array_size (links) > 0;
        self->links += json_array_size (links);
        const char *before = NULL;
        const json_t *link;
        for (size_t l = 0; (link = json_array_get (links, l)); l++) {
            const char *name = json_string_value (link);
            self->circuits += name && (!before || !same_domain (before, name));
            before = name;
        }
    }
}

void replay_outcome_read (replay_outcome_t *self, const coallocation_t *request, const json_t *form)
{
    self->asked_links = request->links_count;
    if (answer_code (form) != EXIT_DONE) {
        read_refusal (self, form);
        return;
    }
    self->status = REPLAY_COMMITTED;
    read_connections (self, json_object_get (form, "network"));
}
