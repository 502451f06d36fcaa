/*  changes - compares two forms field by field. */
#include "changes.h"

#include "json_fields.h"
#include "must.h"

#include <inttypes.h>

static json_t *changes_add_one (json_t *changes, const char *reservation, const char *word,
                                int64_t now_ms)
{
    char time [TIMETEXT_BYTES];
    json_t *change = json_object ();
    take (change, "time", json_string (timetext_format (now_ms, time)));
    if (*reservation)
        take (change, "reservation", json_string (reservation));
    take (change, "change", json_string (word));
    take_last (changes, change);
    return change;
}

/*  A change for each name of a list that the other list lacks. */
static void add_names (json_t *changes, const char *reservation, const char *word,
                       const json_t *names, const json_t *others, int64_t now_ms)
{
    json_each (name, names)
        if (!list_has (others, name))
            take (changes_add_one (changes, reservation, word, now_ms), "at",
                  json_string (json_string_value (name)));
}

static void add_status (json_t *changes, const json_t *before, const json_t *after, int64_t now_ms)
{
    const char *was = text_of (before, "status");
    const char *status = text_of (after, "status");
    if (strcmp (was, status) == 0)
        return;
    json_t *change = changes_add_one (changes, text_of (after, "reservation"), status, now_ms);
    if (*was)
        take (change, "was", json_string (was));
    if (*text_of (after, "name"))
        take (change, "name", json_string (text_of (after, "name")));
}

/*  The names without those of silent domains, of which nothing is known now. */
static json_t *changes_heard (const json_t *names, const json_t *silent)
{
    json_t *list = json_array ();
    json_each (name, names) {
        json_auto_t *participant = json_sprintf ("nis/%s", json_string_value (name));
        if (!list_has (silent, participant))
            json_array_append (list, (json_t *) name);
    }
    return list;
}

/*  A list tells no parts, and so nothing about the use of circuits. */
static void add_use (json_t *changes, const json_t *before, const json_t *after, int64_t now_ms)
{
    const char *id = text_of (after, "reservation");
    json_auto_t *then =
      changes_heard (json_object_get (before, "provisioned"), json_object_get (after, "silent"));
    const json_t *now = json_object_get (after, "provisioned");
    if (now)
        add_names (changes, id, "provisioned", now, then, now_ms);
    if (now && !change_over (after))
        add_names (changes, id, "unprovisioned", then, now, now_ms);
}

/*  The sites and domains at which the reservation is degraded, or ready, and so on, and the files
 *  for which it is degraded. */
static json_t *flagged_at (const json_t *form, const char *flag)
{
    json_t *sites = json_array ();
    const json_t *one;
    for (size_t i = 0; (one = item_of (form, "circuits", i)); i++)
        if (has_text (one, "state", flag))
            json_array_append (sites, json_object_get (one, "domain"));
    for (size_t i = 0; (one = item_of (form, "openings", i)); i++)
        if (flag_of (one, flag))
            json_array_append (sites, json_object_get (one, "site"));
    for (size_t i = 0; (one = item_of (form, "staging", i)); i++)
        if (strcmp (flag, "degraded") == 0 && has_text (one, "state", "late"))
            take_last (sites, json_sprintf ("%s at %s/%s", text_of (one, "file"),
                                            text_of (one, "site"), text_of (one, "node")));
    for (size_t i = 0; strcmp (flag, "degraded") == 0 && (one = item_of (form, "lacking", i)); i++)
        take_last (sites, json_string (name_short (json_string_value (one))));
    return sites;
}

/*  Adds to a change at a site or domain why that is in trouble, if it is known. */
static void add_why (json_t *change, const json_t *form, const char *list, const char *where)
{
    json_each_of (one, form, list)
        if (strcmp (text_of (one, where), text_of (change, "at")) == 0 && *text_of (one, "trouble"))
            take (change, "why", json_string (text_of (one, "trouble")));
}

static void add_flag (json_t *changes, const json_t *before, const json_t *after, const char *flag,
                      const char *unset, int64_t now_ms)
{
    const char *id = text_of (after, "reservation");
    json_auto_t *then = flagged_at (before, flag);
    json_auto_t *now = flagged_at (after, flag);
    size_t first = json_array_size (changes);
    add_names (changes, id, flag, now, then, now_ms);
    for (size_t i = first; i < json_array_size (changes); i++) {
        add_why (json_array_get (changes, i), after, "openings", "site");
        add_why (json_array_get (changes, i), after, "circuits", "domain");
    }
    if (unset && !change_over (after))
        add_names (changes, id, unset, then, now, now_ms);
}

json_t *changes_between (const json_t *before, const json_t *after, int64_t now_ms)
{
    json_t *changes = must (json_array ());
    if (!after) {
        if (before)
            changes_add_one (changes, text_of (before, "reservation"), "gone", now_ms);
        return changes;
    }
    const char *id = text_of (after, "reservation");
    bool activated = has_text (after, "state", "activated");
    int64_t version = number_of (after, "version");
    add_status (changes, before, after, now_ms);
    if (before && version > number_of (before, "version") && number_of (before, "version") > 0 &&
        !change_over (after))
        take (changes_add_one (changes, id, "modified", now_ms), "version", json_integer (version));
    if (activated && !has_text (before, "state", "activated") && !change_over (after))
        changes_add_one (changes, id, "activated", now_ms);
    add_use (changes, before, after, now_ms);
    add_flag (changes, before, after, "ready", NULL, now_ms);
    add_flag (changes, before, after, "active", NULL, now_ms);
    add_flag (changes, before, after, "degraded", "healed", now_ms);
    add_flag (changes, before, after, "disconnected", "connected", now_ms);
    json_auto_t *silence = changes_of_silence (id, json_object_get (before, "silent"),
                                               json_object_get (after, "silent"), now_ms);
    json_array_extend (changes, silence);
    return changes;
}

json_t *changes_of_silence (const char *reservation, const json_t *before, const json_t *after,
                            int64_t now_ms)
{
    json_t *changes = must (json_array ());
    add_names (changes, reservation, "silent", after, before, now_ms);
    add_names (changes, reservation, "back", before, after, now_ms);
    return changes;
}

bool change_over (const json_t *form)
{
    const char *status = text_of (form, "status");
    return strcmp (status, "released") == 0 || strcmp (status, "failed") == 0 ||
           strcmp (status, "ended") == 0;
}

/*  "N provisioned", "lis/ams silent", "pending -> committed", "version 2". */
void change_print (const json_t *change, FILE *to)
{
    char time [TIMETEXT_BYTES];
    const char *word = text_of (change, "change");
    const char *id = text_of (change, "reservation");
    const char *was = text_of (change, "was");
    const char *at = text_of (change, "at");
    const char *name = text_of (change, "name");
    fprintf (to, "%s  %s%s", time_brief (text_of (change, "time"), time), id, *id ? "  " : "");
    fprintf (to, "%s%s%s%s%s", at, *at ? " " : "", was, *was ? " -> " : "", word);
    if (json_object_get (change, "version"))
        fprintf (to, ", version %" PRId64, number_of (change, "version"));
    const char *why = text_of (change, "why");
    fprintf (to, "%s%s", *why ? ": " : "", why);
    fprintf (to, "%s%s%s\n", *name ? "  (" : "", name, *name ? ")" : "");
}
