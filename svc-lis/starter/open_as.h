/*  open_as - opens a file with the rights of an account. The account has named the path, and by now
 *  it may lead to a file of somebody else.
 */
#ifndef MUSUBI_OPEN_AS_H
#define MUSUBI_OPEN_AS_H

/*  path is absolute, or relative to folder. Returns a descriptor, or -1 with errno; EPERM when this
 *  node has no such account, or one whose rights this process may not take. */
int open_as (const char *account, int folder, const char *path);

#endif
