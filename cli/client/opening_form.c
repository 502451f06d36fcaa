/*  opening_form - phases as words, flags as they are. */
#include "opening_form.h"

#include "fields.h"

#include <inttypes.h>
#include <string.h>

json_t *openings_form (const json_t *openings)
{
    static const char *const phases [][2] = {{"OPENING_BINDING", "binding"},
                                             {"OPENING_OPEN", "open"},
                                             {"OPENING_WARNED", "warned"},
                                             {"OPENING_CLOSING", "closing"},
                                             {"OPENING_CLEANING", "cleaning"},
                                             {"OPENING_OVER", "over"},
                                             {NULL, "waiting"}};
    static const form_row_t alternative [] = {
      {.key = "class", .kind = FORM_TEXT, .from = "class_name"},
      {.key = "nodes", .kind = FORM_NUMBER},
      {.key = "start", .kind = FORM_TIME, .from = "from_ms"},
      {.key = "end", .kind = FORM_TIME, .from = "until_ms"},
      {0}};
    static const form_row_t opening [] = {
      {.key = "site", .kind = FORM_TEXT},
      {.key = "phase", .kind = FORM_WORD, .from = "opening.phase", .more = phases},
      {.key = "nodes", .kind = FORM_NUMBER, .from = "opening.bound"},
      {.key = "wanted", .kind = FORM_NUMBER, .from = "opening.wanted"},
      {.key = "ready", .kind = FORM_FLAG, .from = "opening.ready"},
      {.key = "degraded", .kind = FORM_FLAG, .from = "opening.degraded"},
      {.key = "lent", .kind = FORM_FLAG, .from = "opening.lent"},
      {.key = "given_back", .kind = FORM_FLAG, .from = "opening.given_back"},
      {.key = "disconnected", .kind = FORM_FLAG, .from = "opening.disconnected"},
      {.key = "cpu_ms", .kind = FORM_NUMBER, .from = "opening.cpu_ms"},
      {.key = "offered_ms", .kind = FORM_NUMBER, .from = "opening.offered_ms"},
      {.key = "trouble", .kind = FORM_TEXT, .from = "opening.trouble", .optional = true},
      {.key = "alternatives",
       .kind = FORM_EACH,
       .from = "opening.alternatives",
       .optional = true,
       .more = alternative},
      {0}};
    return json_array_size (openings) > 0 ? forms_of (opening, openings) : NULL;
}

void opening_print (const json_t *form, FILE *to)
{
    static const char *const flags [][2] = {{"ready", "ready"},
                                            {"degraded", "degraded"},
                                            {"lent", "lent while it is not used"},
                                            {"given_back", "given back unused"},
                                            {"disconnected", "the site is cut off"}};
    int64_t offered_ms = number_of (form, "offered_ms");
    fprintf (to, "at %s: %s, %" PRId64 " of %" PRId64 " nodes", text_of (form, "site"),
             text_of (form, "phase"), number_of (form, "nodes"), number_of (form, "wanted"));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (json_is_true (json_object_get (form, flags [i][0])))
            fprintf (to, ", %s", flags [i][1]);
    if (offered_ms > 0)
        fprintf (to, ", used %.0f %%",
                 100.0 * (double) number_of (form, "cpu_ms") / (double) offered_ms);
    if (*text_of (form, "trouble"))
        fprintf (to, ", %s", text_of (form, "trouble"));
    fputc ('\n', to);
    const json_t *one;
    for (size_t i = 0; (one = item_of (form, "alternatives", i)); i++) {
        char from [TIME_TEXT_BYTES];
        char until [TIME_TEXT_BYTES];
        fprintf (to, "  %" PRId64 " nodes of %s are free from %s to %s\n", number_of (one, "nodes"),
                 text_of (one, "class"), time_brief (text_of (one, "start"), from),
                 time_brief (text_of (one, "end"), until));
    }
}

bool opening_degraded (const json_t *view)
{
    const json_t *one;
    for (size_t i = 0; (one = item_of (view, "openings", i)); i++)
        if (flag_of (one, "degraded"))
            return true;
    return false;
}
