/*  timetext - times and durations as people write them.
 *
 *  Dates are counted by the proleptic Gregorian calendar with our own arithmetic: the library's
 *  depends on locale and time zone, and a core may not look at either. A date that does not exist
 *  (30 February, 25 o'clock, a leap second) is refused rather than carried over.
 */
#include "timetext.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECOND_MS 1000
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS   (60 * MINUTE_MS)
#define DAY_MS    (24 * HOUR_MS)

/*  Ten thousand years: what a date can hold. Sums of two such values stay far from overflow. */
#define DURATION_MS_MAX (INT64_C (3652425) * DAY_MS)

static bool timetext_digit (char letter)
{
    return letter >= '0' && letter <= '9';
}

/*  Exactly count digits; moves *text past them. */
static bool parse_digits (const char **text, int count, int *value)
{
    *value = 0;
    for (int i = 0; i < count; i++) {
        if (!timetext_digit (**text))
            return false;
        *value = *value * 10 + (*(*text)++ - '0');
    }
    return true;
}

static bool parse_letter (const char **text, const char *letters)
{
    if (**text == '\0' || !strchr (letters, **text))
        return false;
    (*text)++;
    return true;
}

/*  Days since 1970-01-01. Years are counted from March, so that the leap day comes last, and in
 *  eras of 400 years, which all have 146097 days. */
static int64_t days_from_date (int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void date_from_days (int64_t days, int64_t *year, int *month, int *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month_from_march = (int) ((5 * day_of_year + 2) / 153);
    *day = (int) (day_of_year - (153 * month_from_march + 2) / 5 + 1);
    *month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

static bool parse_date (const char **text, int64_t *days)
{
    int year, month, day, month_meant, day_meant;
    int64_t year_meant;
    if (!parse_digits (text, 4, &year) || !parse_letter (text, "-") ||
        !parse_digits (text, 2, &month) || !parse_letter (text, "-") ||
        !parse_digits (text, 2, &day))
        return false;
    *days = days_from_date (year, month, day);
    date_from_days (*days, &year_meant, &month_meant, &day_meant);
    return year_meant == year && month_meant == month && day_meant == day;
}

/*  ".25": at least one digit; what is finer than a millisecond is cut off. */
static bool parse_fraction (const char **text, int *ms)
{
    *ms = 0;
    if (!parse_letter (text, "."))
        return true;
    if (!timetext_digit (**text))
        return false;
    for (int unit = 100; timetext_digit (**text); (*text)++, unit /= 10)
        *ms += (**text - '0') * unit;
    return true;
}

static bool parse_time_of_day (const char **text, int64_t *ms)
{
    int hour;
    int minute;
    int second;
    int fraction;
    if (!parse_digits (text, 2, &hour) || !parse_letter (text, ":") ||
        !parse_digits (text, 2, &minute) || !parse_letter (text, ":") ||
        !parse_digits (text, 2, &second) || !parse_fraction (text, &fraction))
        return false;
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    *ms = (int64_t) hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + fraction;
    return true;
}

/*  "Z", "+09:00", "-03:30". A time without a zone means something else to each reader: refused. */
static bool parse_zone (const char **text, int64_t *ms)
{
    *ms = 0;
    if (parse_letter (text, "Zz"))
        return true;
    int sign = **text == '-' ? -1 : 1;
    int hour;
    int minute;
    if (!parse_letter (text, "+-") || !parse_digits (text, 2, &hour) || !parse_letter (text, ":") ||
        !parse_digits (text, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *ms = (int64_t) sign * (hour * HOUR_MS + minute * MINUTE_MS);
    return true;
}

static bool parse_relative (const char *text, int64_t *ms)
{
    *ms = 0;
    if (*text == '\0')
        return true;
    if (*text != '+' && *text != '-')
        return false;
    if (!timetext_parse_duration (text + 1, ms))
        return false;
    if (*text == '-')
        *ms = -*ms;
    return true;
}

bool timetext_parse (const char *text, int64_t *ms, bool *relative)
{
    *relative = strncmp (text, "now", 3) == 0;
    if (*relative)
        return parse_relative (text + 3, ms);

    int64_t days;
    int64_t day_ms;
    int64_t zone_ms;
    if (!parse_date (&text, &days) || !parse_letter (&text, "Tt") ||
        !parse_time_of_day (&text, &day_ms) || !parse_zone (&text, &zone_ms) || *text != '\0')
        return false;
    *ms = days * DAY_MS + day_ms - zone_ms;
    return true;
}

/*  Largest first, which is also the order that a text must have. */
static const struct {
    const char *name;
    int64_t ms;
} units [] = {{"d", DAY_MS}, {"h", HOUR_MS}, {"m", MINUTE_MS}, {"s", SECOND_MS}, {"ms", 1}};

#define UNITS (sizeof units / sizeof units [0])

/*  The unit that the text begins with, as a whole word of letters; UNITS when there is none. */
static size_t timetext_unit_of (const char *text)
{
    size_t length = strspn (text, "dhms");
    for (size_t u = 0; u < UNITS; u++)
        if (strlen (units [u].name) == length && strncmp (text, units [u].name, length) == 0)
            return u;
    return UNITS;
}

bool timetext_parse_duration (const char *text, int64_t *ms)
{
    int64_t sum = 0;
    size_t next_unit = 0;
    if (*text == '\0')
        return false;
    while (*text) {
        if (!timetext_digit (*text))
            return false;
        int64_t number = 0;
        for (; timetext_digit (*text); text++) {
            number = number * 10 + (*text - '0');
            if (number > DURATION_MS_MAX)
                return false;
        }
        size_t unit = timetext_unit_of (text);
        if (unit < next_unit || unit == UNITS || number > DURATION_MS_MAX / units [unit].ms)
            return false;
        sum += number * units [unit].ms;
        if (sum > DURATION_MS_MAX)
            return false;
        next_unit = unit + 1;
        text += strlen (units [unit].name);
    }
    *ms = sum;
    return true;
}

const char *timetext_format (int64_t ms, char text [TIMETEXT_BYTES])
{
    int64_t days = ms / DAY_MS - (ms % DAY_MS < 0);
    int64_t day_ms = (ms % DAY_MS + DAY_MS) % DAY_MS;
    int64_t year;
    int month;
    int day;
    date_from_days (days, &year, &month, &day);
    int length = snprintf (text, TIMETEXT_BYTES, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", year,
                           month, day, (int) (day_ms / HOUR_MS), (int) (day_ms / MINUTE_MS % 60),
                           (int) (day_ms / SECOND_MS % 60));
    if (day_ms % SECOND_MS)
        length += snprintf (text + length, (size_t) (TIMETEXT_BYTES - length), ".%03d",
                            (int) (day_ms % SECOND_MS));
    snprintf (text + length, (size_t) (TIMETEXT_BYTES - length), "Z");
    return text;
}

const char *timetext_format_duration (int64_t ms, char text [TIMETEXT_BYTES])
{
    /* The magnitude as unsigned: INT64_MIN has no positive twin. */
    uint64_t left = ms < 0 ? 0 - (uint64_t) ms : (uint64_t) ms;
    int length = snprintf (text, TIMETEXT_BYTES, "%s%s", ms < 0 ? "-" : "", left ? "" : "0s");
    for (size_t u = 0; u < UNITS && left; u++) {
        uint64_t count = left / (uint64_t) units [u].ms;
        left %= (uint64_t) units [u].ms;
        if (count)
            length += snprintf (text + length, (size_t) (TIMETEXT_BYTES - length), "%" PRIu64 "%s",
                                count, units [u].name);
    }
    return text;
}
