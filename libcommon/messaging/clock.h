/*  clock - the system clocks, for everything but cores. */
#ifndef MUSUBI_CLOCK_H
#define MUSUBI_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ms (clockid_t clock)
{
    struct timespec now;
    clock_gettime (clock, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
