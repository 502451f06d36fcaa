/*  log - lines of key=value words on standard error; one line a state change.
 *
 *      2026-12-01T09:00:00.125Z info lis/ams hold 7f3a-1-9 held->committed cpus=64
 */
#ifndef MUSUBI_LOG_H
#define MUSUBI_LOG_H

#include "core.h"

/*  The name in each line, which is copied, and the least level that is logged. */
void log_open (const char *name, log_level_t least);
void log_line (log_level_t level, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/*  From hold to release, this thread's lines of LEVEL_INFO and below leave together. */
void log_hold (void);
void log_release (void);

#endif
