/*  timetext - times and durations as people write them. Pure.
 *
 *  Times are RFC 3339 ("2026-12-01T09:00:00Z", "…T09:00:00.250+09:00") or relative ("now",
 *  "now+30m", "now-1h"); durations are sums of d, h, m, s, ms parts, largest first: "1h30m", "90s".
 */
#ifndef MUSUBI_TIMETEXT_H
#define MUSUBI_TIMETEXT_H

#include <stdbool.h>
#include <stdint.h>

#define TIMETEXT_BYTES 32

/*  True on success. For a relative time *relative is true and *ms is counted from now. */
bool timetext_parse (const char *text, int64_t *ms, bool *relative);
bool timetext_parse_duration (const char *text, int64_t *ms);

/*  "2026-12-01T09:00:00Z", with milliseconds only when there are some. */
const char *timetext_format (int64_t ms, char text [TIMETEXT_BYTES]);
/*  "1h30m", "250ms", "0s". */
const char *timetext_format_duration (int64_t ms, char text [TIMETEXT_BYTES]);

#endif
