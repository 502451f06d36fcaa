/*  fd_auto - a descriptor that is closed where its block ends, as text_auto_t is freed (must.h). */
#ifndef MUSUBI_FD_AUTO_H
#define MUSUBI_FD_AUTO_H

#include <errno.h>
#include <unistd.h>

/*  One below 0 is none. Keeps errno. */
static inline void fd_close (int *fd)
{
    int kept = errno;
    if (*fd >= 0)
        close (*fd);
    *fd = -1;
    errno = kept;
}

#define fd_auto_t int __attribute__ ((cleanup (fd_close)))

#endif
