/*  accounts - which local account an actor has at a site. Plain values. */
#ifndef MUSUBI_ACCOUNTS_H
#define MUSUBI_ACCOUNTS_H

#include "runs.h"

typedef struct {
    char actor [NAME_BYTES_MAX + 1]; /* "*" = anybody else */
    char account [ACCOUNT_BYTES_MAX + 1];
} account_t;

/*  malloc'ed; the caller frees it. */
account_t *accounts_copy (const account_t *accounts, size_t count);

/*  His own, else anybody's; NULL = none. */
const char *account_of (const account_t *accounts, size_t count, const char *actor);

#endif
