/*  findings - kept as they are told. */
#include "findings.h"
#include "fields.h"

#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define WHAT_BYTES 1024

void findings_init (findings_t *self)
{
    *self = (findings_t){.wrong = made (json_array ())};
}

void findings_clear (findings_t *self)
{
    json_decref (self->wrong);
    *self = (findings_t){0};
}

void findings_add (findings_t *self, const char *who, const char *format, ...)
{
    char what [WHAT_BYTES];
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (what, sizeof what, format, arguments);
    va_end (arguments);
    take_last (self->wrong, json_pack ("{s:s, s:s}", "who", who, "what", what));
}

int findings_tell (const findings_t *self, bool as_json)
{
    size_t count = json_array_size (self->wrong);
    const json_t *one;
    if (as_json) {
        cli_print_json (json_pack ("{s:I, s:O}", "looked_at", (json_int_t) self->looked_at, "wrong",
                                   self->wrong));
    } else {
        for (size_t i = 0; (one = json_array_get (self->wrong, i)); i++)
            printf ("%s: %s\n", json_string_value (json_object_get (one, "who")),
                    json_string_value (json_object_get (one, "what")));
        printf ("%zu looked at, %zu found wrong\n", self->looked_at, count);
    }
    return count == 0 ? EXIT_DONE : EXIT_REFUSED;
}
