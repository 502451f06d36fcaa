/*  accounts - a short list, looked through. */
#include "accounts.h"

#include "must.h"

#include <string.h>

account_t *accounts_copy (const account_t *accounts, size_t count)
{
    account_t *copy = must (calloc (count + 1, sizeof *copy));
    for (size_t i = 0; i < count; i++)
        copy [i] = accounts [i];
    return copy;
}

static const char *account_named (const account_t *accounts, size_t count, const char *actor)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (accounts [i].actor, actor) == 0)
            return accounts [i].account;
    return NULL;
}

const char *account_of (const account_t *accounts, size_t count, const char *actor)
{
    const char *own = account_named (accounts, count, actor);
    return own || !*actor ? own : account_named (accounts, count, "*");
}
