/*  open_as - a file that an account has named is opened for reading with that account's rights: it
 *  may be another one by now, of somebody else's.
 */
#ifndef MUSUBI_OPEN_AS_H
#define MUSUBI_OPEN_AS_H

/*  path is absolute or in folder. A descriptor, or -1 with errno; EPERM when this node has no such
 *  account, or one that we may not be. */
int open_as (const char *account, int folder, const char *path);

#endif
