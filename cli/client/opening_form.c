/*  opening_form - phases as words, flags as they are. */
#include "opening_form.h"

#include "answer_form.h"
#include "fields.h"

#include <inttypes.h>
#include <string.h>

static const char *phase_word (const char *phase)
{
    static const char *const words [][2] = {{"OPENING_BINDING", "binding"},
                                            {"OPENING_OPEN", "open"},
                                            {"OPENING_WARNED", "warned"},
                                            {"OPENING_CLOSING", "closing"},
                                            {"OPENING_CLEANING", "cleaning"},
                                            {"OPENING_OVER", "over"},
                                            {NULL}};
    return word_of (words, phase, "waiting");
}

static json_t *alternative_form (const json_t *told)
{
    char from [TIME_TEXT_BYTES];
    char until [TIME_TEXT_BYTES];
    json_t *form = made (json_object ());
    take (form, "class", json_string (text_of (told, "class_name")));
    take (form, "nodes", json_integer (number_of (told, "nodes")));
    take (form, "start", json_string (time_text (number_of (told, "from_ms"), from)));
    take (form, "end", json_string (time_text (number_of (told, "until_ms"), until)));
    return form;
}

static json_t *opening_form (const json_t *told)
{
    static const char *const flags [] = {"ready", "degraded", "lent", "given_back", "disconnected"};
    const json_t *opening = json_object_get (told, "opening");
    json_t *form = made (json_object ());
    take (form, "site", json_string (text_of (told, "site")));
    take (form, "phase", json_string (phase_word (text_of (opening, "phase"))));
    take (form, "nodes", json_integer (number_of (opening, "bound")));
    take (form, "wanted", json_integer (number_of (opening, "wanted")));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        take (form, flags [i], json_boolean (json_is_true (json_object_get (opening, flags [i]))));
    take (form, "cpu_ms", json_integer (number_of (opening, "cpu_ms")));
    take (form, "offered_ms", json_integer (number_of (opening, "offered_ms")));
    if (*text_of (opening, "trouble"))
        take (form, "trouble", json_string (text_of (opening, "trouble")));
    json_t *alternatives = made (json_array ());
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get (opening, "alternatives"), i, one)
      json_array_append_new (alternatives, alternative_form (one));
    if (json_array_size (alternatives) > 0)
        take (form, "alternatives", json_incref (alternatives));
    json_decref (alternatives);
    return form;
}

json_t *openings_form (const json_t *openings)
{
    json_t *forms = json_array_size (openings) > 0 ? made (json_array ()) : NULL;
    size_t i;
    const json_t *one;
    json_array_foreach (openings, i, one) json_array_append_new (forms, opening_form (one));
    return forms;
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
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get (form, "alternatives"), i, one)
    {
        char from [TIME_TEXT_BYTES];
        char until [TIME_TEXT_BYTES];
        fprintf (to, "  %" PRId64 " nodes of %s are free from %s to %s\n", number_of (one, "nodes"),
                 text_of (one, "class"), time_brief (text_of (one, "start"), from),
                 time_brief (text_of (one, "end"), until));
    }
}

bool opening_degraded (const json_t *view)
{
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get (view, "openings"), i, one)
    {
        if (json_is_true (json_object_get (one, "degraded")))
            return true;
    }
    return false;
}
