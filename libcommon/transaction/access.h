/*  access - who may do what (proto/transaction.md), asked on every verb. Knowing an id gives no
 *  right. */
#ifndef MUSUBI_ACCESS_H
#define MUSUBI_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

/*  What a caller wants to do (proto/transaction.md). */
typedef enum {
    VERB_HOLD,
    VERB_RENEW,
    VERB_PREPARE,
    VERB_COMMIT,
    VERB_ABORT,
    VERB_RESOLVE,
    VERB_FENCE,
    VERB_OUTCOME,
    VERB_DONE,
    VERB_MODIFY,
    VERB_RELEASE,
    VERB_SHOW,
    VERB_LIST,
    VERB_USE,
    VERB_ADMINISTER,
    VERB_STORE, /* files: put and get */
    VERB_KEEP,  /* files: pin, lifetime, rule, evict */
    VERBS
} verb_t;

typedef struct access {
    const char *const *accounts; /* actors with a local account; "*" = anybody */
    size_t accounts_count;
    const char *const *administrators;
    size_t administrators_count;
} access_t;

/*  Deep copies; the caller owns them: names_clear, access_clear. */
const char *const *names_copy (const char *const *names, size_t count);
void names_clear (const char *const *names, size_t count);

/*  Is it the name of a service of that kind ("lis"; "" = any)? */
bool name_of_kind (const char *name, const char *kind);

void access_copy (access_t *to, const access_t *from);
void access_clear (access_t *self);

/*  caller: the name at the other end of the connection ("planner/3fa9…", "lis/ams", "alice").
 *  actor: for whom it acts. object: the coordinator of a command, or the owner of a reservation; ""
 *  for a new one. */
bool may (const access_t *access, verb_t verb, const char *caller, const char *actor,
          const char *object);

#endif
