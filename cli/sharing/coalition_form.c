/*  coalition_form - numbers are passed on as they were told; tables round them. */
#include "coalition_form.h"

#include "answer_form.h"
#include "fields.h"
#include "timetext.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_S 60.0
#define HOUR_S   3600.0
#define DAY_S    86400.0

/*  What does not fit into 63 bits is told as text. */
static int64_t whole_of (const json_t *object, const char *key)
{
    const json_t *number = json_object_get (object, key);
    return json_is_string (number) ? INT64_MAX : json_integer_value (number);
}

double coalition_form_real (const json_t *form, const char *key)
{
    const json_t *real = json_object_get (form, key);
    const char *text = json_string_value (real);
    if (text)
        return strcmp (text, "inf") == 0 || strcmp (text, "Infinity") == 0 ? INFINITY : NAN;
    return json_number_value (real);
}

static void set_real (json_t *form, const json_t *from, const char *key)
{
    double real = coalition_form_real (from, key);
    take (form, key,
          isfinite (real) ? json_real (real) : json_string (isnan (real) ? "NaN" : "inf"));
}

static void set_integer (json_t *form, const json_t *from, const char *key)
{
    take (form, key, json_integer (whole_of (from, key)));
}

/*  Left out where it is not told. */
static void set_time (json_t *form, const json_t *from, const char *key, const char *of)
{
    char text [TIME_TEXT_BYTES];
    if (whole_of (from, of) != 0)
        take (form, key, json_string (time_text (whole_of (from, of), text)));
}

static void set_text (json_t *form, const json_t *from, const char *key)
{
    if (*text_of (from, key))
        take (form, key, json_string (text_of (from, key)));
}

const char *coalition_form_job (const json_t *guarantee, char text [JOB_TEXT_BYTES])
{
    snprintf (text, JOB_TEXT_BYTES, "%s/%" PRId64, name_short (text_of (guarantee, "home")),
              whole_of (guarantee, "bag"));
    return text;
}

/*  --- forms --- */

static json_t *member_form (const json_t *member)
{
    json_t *form =
      made (json_pack ("{s:s, s:b}", "site", name_short (text_of (member, "site")), "automatic",
                       json_is_true (json_object_get (member, "automatic"))));
    set_real (form, member, "level_s");
    set_real (form, member, "cpus");
    set_real (form, member, "load_s");
    set_real (form, member, "drain_s");
    set_integer (form, member, "away");
    set_integer (form, member, "guests");
    set_real (form, member, "given_s");
    set_real (form, member, "taken_s");
    set_real (form, member, "score");
    set_text (form, member, "aside");
    return form;
}

static json_t *guarantee_form (const json_t *guarantee)
{
    char job [JOB_TEXT_BYTES];
    json_t *form = made (json_pack ("{s:s}", "bag", coalition_form_job (guarantee, job)));
    set_real (form, guarantee, "load_s");
    set_time (form, guarantee, "submitted", "submitted_ms");
    set_time (form, guarantee, "promised", "promised_ms");
    set_text (form, guarantee, "broken");
    return form;
}

json_t *coalition_form (const json_t *status, const json_t *own)
{
    json_t *form = made (json_pack ("{s:s}", "balancer", name_short (text_of (status, "name"))));
    set_integer (form, status, "coalition");
    set_integer (form, status, "step");
    set_time (form, status, "formed", "formed_ms");
    set_time (form, status, "next_step", "next_step_ms");
    json_t *members = json_array ();
    json_t *guarantees = json_array ();
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get (status, "members"), i, one)
      json_array_append_new (members, member_form (one));
    json_array_foreach (json_object_get (status, "guarantees"), i, one)
    {
        char job [JOB_TEXT_BYTES];
        if (!own || json_object_get (own, coalition_form_job (one, job)))
            json_array_append_new (guarantees, guarantee_form (one));
    }
    take (form, "members", members);
    take (form, "guarantees", guarantees);
    return form;
}

json_t *coalition_form_record (const json_t *record)
{
    json_t *form = made (json_object ());
    json_t *members = json_array ();
    size_t i;
    const json_t *one;
    set_integer (form, record, "coalition");
    set_time (form, record, "formed", "formed_ms");
    set_time (form, record, "ended", "ended_ms");
    set_integer (form, record, "steps");
    json_array_foreach (json_object_get (record, "members"), i, one)
    {
        json_t *member = made (json_pack ("{s:s}", "site", name_short (text_of (one, "site"))));
        set_real (member, one, "level_s");
        set_real (member, one, "given_s");
        set_real (member, one, "taken_s");
        set_integer (member, one, "jobs");
        set_real (member, one, "flow_s");
        set_real (member, one, "flow_alone_s");
        set_real (member, one, "score");
        set_text (member, one, "aside");
        json_array_append_new (members, member);
    }
    take (form, "members", members);
    return form;
}

/*  --- tables --- */

const char *seconds_text (double seconds, char text [SECONDS_TEXT_BYTES])
{
    char exact [TIMETEXT_BYTES];
    double unit = seconds < HOUR_S ? 1 : seconds < DAY_S ? MINUTE_S : HOUR_S;
    if (!isfinite (seconds))
        snprintf (text, SECONDS_TEXT_BYTES, "%s", isnan (seconds) ? "?" : "inf");
    else if (seconds < MINUTE_S)
        snprintf (text, SECONDS_TEXT_BYTES, "%.3gs", seconds);
    else if (seconds >= 1000 * DAY_S)
        snprintf (text, SECONDS_TEXT_BYTES, "%.3gd", seconds / DAY_S);
    else
        snprintf (
          text, SECONDS_TEXT_BYTES, "%s",
          timetext_format_duration ((int64_t) (round (seconds / unit) * unit * 1000), exact));
    return text;
}

static const char *score_text (double score, char text [24])
{
    text [0] = '\0';
    if (score > 0)
        snprintf (text, 24, "%.3f", score);
    return text;
}

static void print_members (const json_t *form, FILE *to)
{
    static const char *const headings [] = {"SITE",   ">LEVEL", ">CPUS",   ">LOAD",
                                            ">DRAIN", ">AWAY",  ">GUESTS", ">GIVEN",
                                            ">TAKEN", ">SCORE", "ASIDE"};
    table_t *table = table_new (headings, 11);
    size_t i;
    const json_t *member;
    json_array_foreach (json_object_get (form, "members"), i, member)
    {
        char times [5][SECONDS_TEXT_BYTES];
        char level [SECONDS_TEXT_BYTES + 8], cpus [24], away [24], guests [24], score [24];
        snprintf (level, sizeof level, "%s%s",
                  json_is_true (json_object_get (member, "automatic")) ? "auto " : "",
                  seconds_text (coalition_form_real (member, "level_s"), times [0]));
        snprintf (cpus, sizeof cpus, "%g", coalition_form_real (member, "cpus"));
        snprintf (away, sizeof away, "%" PRId64, whole_of (member, "away"));
        snprintf (guests, sizeof guests, "%" PRId64, whole_of (member, "guests"));
        const char *cells [] = {text_of (member, "site"),
                                level,
                                cpus,
                                seconds_text (coalition_form_real (member, "load_s"), times [1]),
                                seconds_text (coalition_form_real (member, "drain_s"), times [2]),
                                away,
                                guests,
                                seconds_text (coalition_form_real (member, "given_s"), times [3]),
                                seconds_text (coalition_form_real (member, "taken_s"), times [4]),
                                score_text (coalition_form_real (member, "score"), score),
                                text_of (member, "aside")};
        table_row (table, cells);
    }
    table_print (&table, to);
}

static void print_guarantees (const json_t *form, FILE *to)
{
    static const char *const headings [] = {"BAG", ">LEFT", "SUBMITTED", "PROMISED", "BROKEN"};
    const json_t *guarantees = json_object_get (form, "guarantees");
    if (json_array_size (guarantees) == 0)
        return;
    table_t *table = table_new (headings, 5);
    size_t i;
    const json_t *one;
    json_array_foreach (guarantees, i, one)
    {
        char left [SECONDS_TEXT_BYTES], submitted [TIME_TEXT_BYTES], promised [TIME_TEXT_BYTES];
        const char *cells [] = {
          text_of (one, "bag"), seconds_text (coalition_form_real (one, "load_s"), left),
          time_brief (text_of (one, "submitted"), submitted),
          time_brief (text_of (one, "promised"), promised), text_of (one, "broken")};
        table_row (table, cells);
    }
    fputc ('\n', to);
    table_print (&table, to);
}

void coalition_form_print (const json_t *form, FILE *to)
{
    char formed [TIME_TEXT_BYTES], next [TIME_TEXT_BYTES];
    if (json_array_size (json_object_get (form, "members")) == 0) {
        const char *when = time_brief (text_of (form, "next_step"), next);
        fprintf (
          to,
          "%s has no coalition yet: the next one is formed%s%s, of the sites that have joined\n",
          text_of (form, "balancer"), *when ? " at " : " when sites have joined", when);
        return;
    }
    fprintf (to, "%s: coalition %" PRId64 " since %s, step %" PRId64 ", the next at %s\n\n",
             text_of (form, "balancer"), whole_of (form, "coalition"),
             time_brief (text_of (form, "formed"), formed), whole_of (form, "step"),
             time_brief (text_of (form, "next_step"), next));
    print_members (form, to);
    print_guarantees (form, to);
}
