/*  access - who may do what (proto/transaction.md), asked at the participant on every verb.
 *
 *  Knowing an id gives no right. A command belongs to the coordinator that made its plan, a
 *  reservation to its owner; an administrator may stop what is not yet promised, never commit for
 *  others. Names are claimed until keys exist; the host takes them from trusted endpoints only.
 */
#include "access.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const *names_copy (const char *const *names, size_t count)
{
    char **copy = must (calloc (count + 1, sizeof *copy));
    for (size_t i = 0; i < count; i++)
        copy [i] = must (strdup (names [i]));
    return (const char *const *) copy;
}

void names_clear (const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free ((char *) names [i]);
    free ((char **) names);
}

void access_copy (access_t *to, const access_t *from)
{
    *to = (access_t){
      .accounts = names_copy (from->accounts, from->accounts_count),
      .accounts_count = from->accounts_count,
      .administrators = names_copy (from->administrators, from->administrators_count),
      .administrators_count = from->administrators_count,
    };
}

void access_clear (access_t *self)
{
    names_clear (self->accounts, self->accounts_count);
    names_clear (self->administrators, self->administrators_count);
    *self = (access_t){0};
}

static bool listed (const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (names [i], name) == 0)
            return true;
    return false;
}

bool name_of_kind (const char *name, const char *kind)
{
    size_t length = strlen (kind);
    return length == 0 ||
           (strncmp (name, kind, length) == 0 && name [length] == '/' && name [length + 1]);
}

static bool planner (const char *name)
{
    return name_of_kind (name, "planner");
}

/*  The services that coordinate and vote, whose word counts in T7. */
static bool peer (const char *name)
{
    return planner (name) || name_of_kind (name, "lis") || name_of_kind (name, "nis") ||
           name_of_kind (name, "gis") || name_of_kind (name, "replica");
}

static bool administrator (const access_t *access, const char *name)
{
    return *name && listed (access->administrators, access->administrators_count, name);
}

static bool has_account (const access_t *access, const char *actor)
{
    return *actor && (listed (access->accounts, access->accounts_count, actor) ||
                      listed (access->accounts, access->accounts_count, "*"));
}

static bool access_same (const char *a, const char *b)
{
    return *a && strcmp (a, b) == 0;
}

bool may (const access_t *access, verb_t verb, const char *caller, const char *actor,
          const char *object)
{
    switch (verb) {
    case VERB_HOLD:
        return (planner (caller) || administrator (access, caller)) && has_account (access, actor);
    case VERB_RENEW:
    case VERB_PREPARE:
    case VERB_COMMIT:
    case VERB_DONE:
        return access_same (caller, object);
    case VERB_ABORT:
        return access_same (caller, object) || administrator (access, caller);
    case VERB_FENCE:
        return planner (caller) || administrator (access, caller);
    case VERB_RESOLVE:
        return peer (caller);
    case VERB_OUTCOME:
        return peer (caller) || administrator (access, caller);
    case VERB_MODIFY:
    case VERB_RELEASE:
        return (planner (caller) || administrator (access, caller)) &&
               (access_same (actor, object) || administrator (access, actor));
    case VERB_SHOW:
    case VERB_LIST:
        return access_same (caller, object) || planner (caller) || administrator (access, caller);
    case VERB_USE:
        return access_same (caller, object) || administrator (access, caller);
    case VERB_ADMINISTER:
        return administrator (access, caller);
    case VERB_STORE:
        return has_account (access, actor) || name_of_kind (caller, "replica") ||
               administrator (access, caller);
    case VERB_KEEP:
        return access_same (caller, object) || administrator (access, caller);
    case VERBS:
        break;
    }
    assert (false);
    return false;
}
