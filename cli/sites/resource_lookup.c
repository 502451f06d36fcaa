/*  resource_lookup - finds sites and links by name, and says which there are when a name is wrong.
 */
#include "resource_lookup.h"

#include "must.h"

#define NAMES_TOLD_MAX 12 /* most names that are listed; the rest is counted */

json_t *attributes_form (const json_t *attributes)
{
    json_t *form = json_object ();
    json_each (one, attributes)
        json_object_set_new (form, text_of (one, "name"), json_string (text_of (one, "value")));
    return form;
}

const char *cell_attributes (const json_t *form, const char *key, char text [CELL_BYTES])
{
    json_auto_t *texts = made (json_array ());
    const char *name;
    json_t *value;
    json_object_foreach (json_object_get (form, key), name, value)
      take_last (texts, json_sprintf ("%s=%s", name, json_string_value (value)));
    return texts_join (texts, " ", text, CELL_BYTES);
}

bool offer_windows_only (const json_t *description)
{
    return has_text (description, "disclosure", "WINDOWS");
}

/*  A list of names that is being printed. */
typedef struct {
    size_t count;
} offer_count_t;

static void resource_lookup_tell (offer_count_t *telling, const char *name)
{
    if (telling->count++ < NAMES_TOLD_MAX)
        fprintf (stderr, " %s", name);
}

static void resource_lookup_tell_end (const offer_count_t *telling)
{
    if (telling->count > NAMES_TOLD_MAX)
        fprintf (stderr, " and %zu more", telling->count - NAMES_TOLD_MAX);
    fputs (telling->count ? "\n" : " none\n", stderr);
}

/*  How many letters must be changed, added or left out to turn one name into the other. */
static size_t distance (const char *a, const char *b)
{
    size_t row [NAME_BYTES_MAX + 2];
    size_t length = strlen (b) < NAME_BYTES_MAX ? strlen (b) : NAME_BYTES_MAX;
    for (size_t j = 0; j <= length; j++)
        row [j] = j;
    for (size_t i = 1; *a; a++, i++) {
        size_t diagonal = row [0];
        row [0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t above = row [j];
            size_t changed = diagonal + (*a != b [j - 1]);
            size_t moved = (above < row [j - 1] ? above : row [j - 1]) + 1;
            row [j] = changed < moved ? changed : moved;
            diagonal = above;
        }
    }
    return row [length];
}

/*  Prints the names of all that have such a description ("site", "domain"), the most similar first.
 */
static void tell_those_with (const session_t *session, const char *description, const char *name)
{
    offer_count_t telling = {0};
    for (size_t far = 0; far <= NAME_BYTES_MAX; far++) {
        json_each (entry, session->entries) {
            const char *other = name_short (text_of (entry, "name"));
            if (json_object_get (entry, description) && distance (name, other) == far)
                resource_lookup_tell (&telling, other);
        }
    }
    resource_lookup_tell_end (&telling);
}

static const json_t *links_of (const json_t *entry)
{
    return json_object_get (json_object_get (entry, "domain"), "links");
}

const json_t *offer_description (const resource_entry_t *self)
{
    const json_t *storage = json_object_get (self->entry, "storage");
    return storage ? storage : json_object_get (self->entry, self->link ? "domain" : "site");
}

const char *offer_unit (const resource_entry_t *self)
{
    return json_object_get (self->entry, "storage") ? "MiB" : self->link ? "Mbit/s" : "CPUs";
}

static const json_t *resource_lookup_entry_of (const session_t *session, const char *kind,
                                               const char *name, size_t length)
{
    char whole [NAME_BYTES_MAX + 1];
    if (snprintf (whole, sizeof whole, "%s/%.*s", kind, (int) length, name) > NAME_BYTES_MAX)
        return NULL;
    return session_entry (session, whole);
}

/*  There is no such site; perhaps the name is that of a domain, or of a link without its domain. */
static void refuse_site (const session_t *session, const char *name)
{
    const json_t *domain = resource_lookup_entry_of (session, "nis", name, strlen (name));
    if (domain) {
        fprintf (stderr, "musubi: %s is a domain; name a link of it:", name);
        offer_count_t telling = {0};
        json_each (link, links_of (domain)) {
            char whole [sizeof ((resource_entry_t *) 0)->name];
            snprintf (whole, sizeof whole, "%s/%s", name, text_of (link, "name"));
            resource_lookup_tell (&telling, whole);
        }
        resource_lookup_tell_end (&telling);
        return;
    }
    json_each (entry, session->entries)
        if (item_with (links_of (entry), "name", name)) {
            const char *of = name_short (text_of (entry, "name"));
            cli_fail (EXIT_REFUSED, "%s is a link of domain %s; write it as %s/%s", name, of, of,
                      name);
            return;
        }
    fprintf (stderr, "musubi: there is no site \"%s\"; the sites are:", name);
    tell_those_with (session, "site", name);
}

/*  True after saying that who has that site, domain or storage was listed and is not now. */
static bool refuse_absent (const session_t *session, const char *command, const char *name)
{
    static const char *const kinds [] = {"lis", "nis", "replica"};
    bool inside = strchr (name, '/');
    const json_t *absent = NULL;
    for (size_t i = inside; !absent && i < (inside ? 3 : 1); i++) {
        text_auto_t *whole = must_print ("%s/%.*s", kinds [i], (int) strcspn (name, "/"), name);
        absent = session_absent (session, whole);
    }
    char text [ABSENCE_TEXT_BYTES];
    if (absent)
        cli_fail (EXIT_UNKNOWN, "%s: %s %s", command, text_of (absent, "name"),
                  absence_text (absent, text));
    return absent;
}

void offer_sites_near (const session_t *session, const char *name)
{
    text_auto_t *whole = must_print ("lis/%s", name);
    if (!session_entry (session, whole) && !session_absent (session, whole))
        refuse_site (session, name);
}

static void refuse_link (const session_t *session, const json_t *entry, const char *name)
{
    if (!entry) {
        fprintf (stderr,
                 "musubi: there is no domain \"%.*s\"; the domains are:", (int) strcspn (name, "/"),
                 name);
        tell_those_with (session, "domain", name);
        return;
    }
    const json_t *nodes = json_object_get (json_object_get (entry, "storage"), "nodes");
    const json_t *all = nodes ? nodes : links_of (entry);
    fprintf (stderr, "musubi: %s %.*s has no %s \"%s\"; its %ss are:", nodes ? "site" : "domain",
             (int) strcspn (name, "/"), name, nodes ? "storage node" : "link", name_short (name),
             nodes ? "storage node" : "link");
    offer_count_t telling = {0};
    json_each (link, all)
        resource_lookup_tell (&telling, text_of (link, "name"));
    resource_lookup_tell_end (&telling);
}

/*  Looks for the name among the entries known now; entry and link stay NULL if they are not there.
 */
static void look_up (const session_t *session, const char *name, resource_entry_t *offer)
{
    const char *slash = strchr (name, '/');
    if (slash) {
        offer->entry = resource_lookup_entry_of (session, "nis", name, (size_t) (slash - name));
        offer->link = item_with (links_of (offer->entry), "name", slash + 1);
        const json_t *storage =
          resource_lookup_entry_of (session, "replica", name, (size_t) (slash - name));
        const json_t *nodes = json_object_get (storage, "storage");
        const json_t *node = item_with (json_object_get (nodes, "nodes"), "name", slash + 1);
        if (!offer->link && nodes && (!offer->entry || node)) {
            offer->entry = storage;
            offer->link = node;
        }
    } else {
        offer->entry = resource_lookup_entry_of (session, "lis", name, strlen (name));
    }
}

bool offer_find (session_t *session, const char *command, const char *text, resource_entry_t *offer,
                 int *code)
{
    bool full = strncmp (text, "lis/", 4) == 0 || strncmp (text, "nis/", 4) == 0;
    const char *name = full ? text + 4 : strncmp (text, "replica/", 8) == 0 ? text + 8 : text;
    const char *slash = strchr (name, '/');
    bool wants_link = slash && strcmp (slash, "/storage") != 0;
    *offer = (resource_entry_t){0};
    *code = EXIT_USAGE;
    if ((size_t) snprintf (offer->name, sizeof offer->name, "%s", name) >= sizeof offer->name)
        return cli_refuse ("%s: the name of the site, or DOMAIN/LINK, is too long", command);
    look_up (session, name, offer);
    if ((!offer->entry || (wants_link && !offer->link)) && session_look (session, ""))
        look_up (session, name, offer);
    if (offer->entry && (offer->link || !wants_link))
        return true;
    *code = refuse_absent (session, command, name) ? EXIT_UNKNOWN : EXIT_REFUSED;
    if (*code == EXIT_UNKNOWN)
        return false;
    if (wants_link)
        refuse_link (session, offer->entry, name);
    else
        refuse_site (session, name);
    return false;
}
