/*  coalition_form - forms have the exact numbers; tables round them. */
#include "coalition_form.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MINUTE_S 60.0
#define HOUR_S   3600.0
#define DAY_S    86400.0

static const char *coalition_form_job_of (const json_t *guarantee, char text [JOB_TEXT_BYTES])
{
    snprintf (text, JOB_TEXT_BYTES, "%s/%" PRId64, name_short (text_of (guarantee, "home")),
              number_of (guarantee, "bag"));
    return text;
}

/*  --- cells --- */

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

static const char *cell_seconds (const json_t *form, const char *key, char text [CELL_BYTES])
{
    return seconds_text (real_of (form, key), text);
}

/*  Empty for a score of 0, which means none. */
static const char *cell_score (const json_t *form, const char *key, char text [CELL_BYTES])
{
    double score = real_of (form, key);
    text [0] = '\0';
    if (score > 0)
        snprintf (text, CELL_BYTES, "%.3f", score);
    return text;
}

static const char *level_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    char level [SECONDS_TEXT_BYTES];
    snprintf (text, CELL_BYTES, "%s%s", flag_of (form, "automatic") ? "auto " : "",
              seconds_text (real_of (form, key), level));
    return text;
}

static const char *coalition_form_cpus_cell (const json_t *form, const char *key,
                                             char text [CELL_BYTES])
{
    snprintf (text, CELL_BYTES, "%g", real_of (form, key));
    return text;
}

/*  --- forms --- */

static const form_row_t guarantee_rows [] = {
  {"BAG", "bag", .kind = FORM_MADE},
  {">LEFT", "load_s", cell_seconds, .kind = FORM_REAL},
  {"SUBMITTED", "submitted", .kind = FORM_TIME, .from = "submitted_ms", .optional = true},
  {"PROMISED", "promised", .kind = FORM_TIME, .from = "promised_ms", .optional = true},
  {"BROKEN", "broken", .kind = FORM_TEXT, .optional = true},
  {0}};

static const form_row_t member_rows [] = {
  {"SITE", "site", .kind = FORM_SHORT},
  {.key = "automatic", .kind = FORM_FLAG},
  {">LEVEL", "level_s", level_cell, .kind = FORM_REAL},
  {">CPUS", "cpus", coalition_form_cpus_cell, .kind = FORM_REAL},
  {">LOAD", "load_s", cell_seconds, .kind = FORM_REAL},
  {">DRAIN", "drain_s", cell_seconds, .kind = FORM_REAL},
  {">AWAY", "away", .kind = FORM_NUMBER},
  {">GUESTS", "guests", .kind = FORM_NUMBER},
  {">GIVEN", "given_s", cell_seconds, .kind = FORM_REAL},
  {">TAKEN", "taken_s", cell_seconds, .kind = FORM_REAL},
  {">SCORE", "score", cell_score, .kind = FORM_REAL},
  {"ASIDE", "aside", .kind = FORM_TEXT, .optional = true},
  {0}};

/*  The guarantees of the jobs that are keys of own; of all if it is NULL. */
static json_t *guarantees_form (const json_t *guarantees, const json_t *own)
{
    json_t *forms = made (json_array ());
    json_each (one, guarantees) {
        char job [JOB_TEXT_BYTES];
        if (own && !json_object_get (own, coalition_form_job_of (one, job)))
            continue;
        json_t *form = made (json_pack ("{s:s}", "bag", coalition_form_job_of (one, job)));
        form_add (form, guarantee_rows, one);
        json_array_append_new (forms, form);
    }
    return forms;
}

json_t *coalition_form (const json_t *status, const json_t *own)
{
    static const form_row_t rows [] = {
      {.key = "balancer", .kind = FORM_SHORT, .from = "name"},
      {.key = "coalition", .kind = FORM_NUMBER},
      {.key = "step", .kind = FORM_NUMBER},
      {.key = "formed", .kind = FORM_TIME, .from = "formed_ms", .optional = true},
      {.key = "next_step", .kind = FORM_TIME, .from = "next_step_ms", .optional = true},
      {.key = "members", .kind = FORM_EACH, .more = member_rows},
      {0}};
    json_t *form = form_of (rows, status);
    take (form, "guarantees", guarantees_form (json_object_get (status, "guarantees"), own));
    return form;
}

json_t *coalition_form_record (const json_t *record)
{
    static const form_row_t member [] = {{.key = "site", .kind = FORM_SHORT},
                                         {.key = "level_s", .kind = FORM_REAL},
                                         {.key = "given_s", .kind = FORM_REAL},
                                         {.key = "taken_s", .kind = FORM_REAL},
                                         {.key = "jobs", .kind = FORM_NUMBER},
                                         {.key = "flow_s", .kind = FORM_REAL},
                                         {.key = "flow_alone_s", .kind = FORM_REAL},
                                         {.key = "score", .kind = FORM_REAL},
                                         {.key = "aside", .kind = FORM_TEXT, .optional = true},
                                         {0}};
    static const form_row_t rows [] = {
      {.key = "coalition", .kind = FORM_NUMBER},
      {.key = "formed", .kind = FORM_TIME, .from = "formed_ms", .optional = true},
      {.key = "ended", .kind = FORM_TIME, .from = "ended_ms", .optional = true},
      {.key = "steps", .kind = FORM_NUMBER},
      {.key = "members", .kind = FORM_EACH, .more = member},
      {0}};
    return form_of (rows, record);
}

/*  --- tables --- */

void coalition_form_print (const json_t *form, FILE *to)
{
    char formed [TIMETEXT_BYTES], next [TIMETEXT_BYTES];
    const json_t *guarantees = json_object_get (form, "guarantees");
    if (json_array_size (json_object_get (form, "members")) == 0) {
        const char *when = time_brief (text_of (form, "next_step"), next);
        fprintf (
          to,
          "%s has no coalition yet; the next one is formed%s%s, from the sites that have joined\n",
          text_of (form, "balancer"), *when ? " at " : " as soon as sites have joined", when);
        return;
    }
    fprintf (to, "%s: coalition %" PRId64 " since %s, step %" PRId64 ", the next at %s\n\n",
             text_of (form, "balancer"), number_of (form, "coalition"),
             time_brief (text_of (form, "formed"), formed), number_of (form, "step"),
             time_brief (text_of (form, "next_step"), next));
    table_print_forms (member_rows, json_object_get (form, "members"), to);
    if (json_array_size (guarantees) == 0)
        return;
    fputc ('\n', to);
    table_print_forms (guarantee_rows, guarantees, to);
}
