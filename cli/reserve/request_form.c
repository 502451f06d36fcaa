/*  request_form - reads users' JSON. Each object has a list of the keys it may have; each value is
 *  read by the function for its key.
 */
#include "request_form.h"

#include "domain.h"
#include "json_fields.h"
#include "must.h"
#include "request_terms.h"

#include <assert.h>
#include <inttypes.h>

#define FILE_BYTES_MAX 255
#define PATH_BYTES     128

/*  Two ids of needs, with the sign between them. */
#define CONNECTION_ID_BYTES (2 * NAME_BYTES_MAX + 2)

/*  The path of the object being read, and where to say why it is refused. */
typedef struct {
    char path [PATH_BYTES];
    bool joins; /* needs for an existing reservation, whose own needs are not known here */
    char *why;
} request_form_reader_t;

/*  Refuses a key of the object at the reader's path, or (NULL) the whole object. */
__attribute__ ((format (printf, 3, 4))) static bool refuse (const request_form_reader_t *reader,
                                                            const char *key, const char *format,
                                                            ...)
{
    char sentence [256];
    format_rest (sentence, sizeof sentence, format);
    snprintf (reader->why, LONG_WHY_BYTES, "%s%s%.40s%s%s", reader->path,
              *reader->path && key ? "." : "", key ? key : "", *reader->path || key ? ": " : "",
              sentence);
    for (char *at = reader->why; *at; at++)
        if ((unsigned char) *at < 0x20 || *at == 0x7f)
            *at = '?';
    return false;
}

/*  Checks that it is an object, with no other keys than these. */
static bool read_keys (const request_form_reader_t *reader, json_t *object, const char *keys)
{
    if (!json_is_object (object))
        return refuse (reader, NULL, "must be an object {…}");
    const char *key = key_unknown (object, keys);
    return !key || refuse (reader, key, "is not a key here; the keys are: %s", keys);
}

/*  Reads an identifier; it may be absent unless required. */
static bool request_form_read_name (const request_form_reader_t *reader, const json_t *object,
                                    const char *key, bool required, size_t bytes_max, json_t *to)
{
    const json_t *value = json_object_get (object, key);
    if (!value && !required)
        return true;
    const char *text = json_string_value (value);
    if (!text || *text == '\0')
        return refuse (reader, key, value ? "must be a text that is not empty" : "is missing");
    if (json_string_length (value) > bytes_max)
        return refuse (reader, key, "is longer than %zu bytes", bytes_max);
    take (to, key, json_string (text));
    return true;
}

static bool read_count (const request_form_reader_t *reader, const json_t *object, const char *key,
                        bool required, int64_t most, json_t *to)
{
    const json_t *value = json_object_get (object, key);
    if (!value && !required)
        return true;
    if (!value)
        return refuse (reader, key, "is missing");
    if (!json_is_integer (value) || json_integer_value (value) < 1 ||
        json_integer_value (value) > most)
        return refuse (reader, key, "must be a whole number from 1 to %" PRId64, most);
    take (to, key, json_integer (json_integer_value (value)));
    return true;
}

/*  Reads a duration into proto's *_ms. 0 is refused where it would mean "as the request". */
static bool request_form_read_duration (const request_form_reader_t *reader, const json_t *object,
                                        const char *key, const char *proto_key, bool zero_allowed,
                                        json_t *to)
{
    const json_t *value = json_object_get (object, key);
    if (!value)
        return true;
    const char *text = json_string_value (value);
    int64_t ms;
    if (!text || !timetext_parse_duration (text, &ms))
        return refuse (reader, key, "must be a duration such as \"90s\", \"30m\" or \"1h30m\"");
    if (ms == 0 && !zero_allowed)
        return refuse (reader, key, "must be longer than 0");
    take (to, proto_key, json_integer (ms));
    return true;
}

static bool read_instant (const request_form_reader_t *reader, const json_t *window,
                          const char *key, json_t *to)
{
    const json_t *value = json_object_get (window, key);
    if (!value)
        return true;
    const char *text = json_string_value (value);
    int64_t ms;
    bool relative;
    if (!text || !timetext_parse (text, &ms, &relative))
        return refuse (reader, key,
                       "must be a time such as \"2026-12-01T09:00:00Z\" or \"now+30m\"");
    if (relative && ms < 0)
        return refuse (reader, key, "lies in the past");
    json_t *instant = made (json_object ());
    take (instant, relative ? "from_now_ms" : "at_ms", json_integer (ms));
    take (to, key, instant);
    return true;
}

/*  Is a surely before b plus plus_ms? Only two absolute or two relative times are compared: the
 *  order of others depends on the moment of asking, and a repeated request must be read as the
 *  first was. */
static bool request_form_surely_before (const json_t *window, const char *a, const char *b,
                                        int64_t plus_ms)
{
    static const char *const kinds [] = {"at_ms", "from_now_ms"};
    for (size_t i = 0; i < 2; i++) {
        const json_t *a_ms = json_object_get (json_object_get (window, a), kinds [i]);
        const json_t *b_ms = json_object_get (json_object_get (window, b), kinds [i]);
        if (a_ms && b_ms)
            return json_integer_value (a_ms) < json_integer_value (b_ms) + plus_ms;
    }
    return false;
}

/*  Reads a window into to; span_ms is how long the request lasts. */
static bool read_window (json_t *written, int64_t span_ms, json_t *to, char why [LONG_WHY_BYTES])
{
    static const char *const keys [] = {"start", "earliest", "latest", "deadline"};
    request_form_reader_t reader = {.path = "window", .why = why};
    if (!read_keys (&reader, written, "start earliest latest deadline"))
        return false;
    json_t *window = made (json_object ());
    take (to, "window", window);
    for (size_t i = 0; i < 4; i++)
        if (!read_instant (&reader, written, keys [i], window))
            return false;
    if (json_object_size (window) == 0)
        return refuse (&reader, NULL, "must have start, or any of earliest, latest and deadline");
    if (json_object_get (window, "start") && json_object_size (window) > 1)
        return refuse (&reader, "start",
                       "fixes the time: earliest, latest and deadline can't be "
                       "given with it");
    if (request_form_surely_before (window, "latest", "earliest", 0))
        return refuse (&reader, "latest", "is before earliest");
    if (request_form_surely_before (window, "deadline", "earliest", span_ms) ||
        request_form_surely_before (window, "deadline", "latest", 0)) {
        char text [TIMETEXT_BYTES];
        return refuse (&reader, "deadline", "is too early: the request lasts %s",
                       timetext_format_duration (span_ms, text));
    }
    return true;
}

/*  A required value as text, as proto compares texts. */
static json_t *attribute_text (const json_t *value)
{
    char text [64];
    if (json_is_string (value))
        return json_string (json_string_value (value));
    if (json_is_boolean (value))
        return json_string (json_is_true (value) ? "true" : "false");
    if (json_is_integer (value))
        snprintf (text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value (value));
    else if (json_is_real (value))
        snprintf (text, sizeof text, "%.17g", json_real_value (value));
    else
        return NULL;
    return json_string (text);
}

static bool read_requirement (const request_form_reader_t *reader, const char *attribute,
                              const json_t *value, json_t *requirement)
{
    if (*attribute == '\0' || strlen (attribute) > NAME_BYTES_MAX)
        return refuse (reader, attribute, "an attribute's name has 1 to %d bytes", NAME_BYTES_MAX);
    take (requirement, "attribute", json_string (attribute));
    if (json_is_object (value)) {
        const json_t *min = json_object_get (value, "min");
        if (!json_is_number (min) || json_object_size (value) != 1)
            return refuse (reader, attribute, "must be a value or {\"min\": number}");
        take (requirement, "min", json_real (json_number_value (min)));
        return true;
    }
    const char *written = json_string_value (value);
    if (written && (*written == '>' || *written == '<' || *written == '='))
        return refuse (reader, attribute,
                       "a comparison such as \"%.60s\" is not understood: write {\"min\": number} "
                       "for the least value, or the value itself",
                       written);
    json_t *text = attribute_text (value);
    if (!text)
        return refuse (reader, attribute, "must be a value or {\"min\": number}");
    take (requirement, "value", text);
    if (json_string_length (text) > ATTRIBUTE_VALUE_BYTES_MAX)
        return refuse (reader, attribute, "is longer than %d bytes", ATTRIBUTE_VALUE_BYTES_MAX);
    return true;
}

static bool read_require (const request_form_reader_t *of_need, json_t *written, json_t *need)
{
    json_t *require = json_object_get (written, "require");
    if (!require)
        return true;
    request_form_reader_t reader = {.why = of_need->why};
    snprintf (reader.path, sizeof reader.path, "%.100s.require", of_need->path);
    if (!json_is_object (require))
        return refuse (&reader, NULL, "must be an object such as {\"os\": \"linux\"}");
    if (json_object_size (require) > CLASS_ATTRIBUTES_MAX)
        return refuse (&reader, NULL, "has more than %d attributes", CLASS_ATTRIBUTES_MAX);
    json_t *list = made (json_array ());
    take (need, "require", list);
    const char *attribute;
    json_t *value;
    json_object_foreach (require, attribute, value)
    {
        json_t *requirement = made (json_object ());
        take_last (list, requirement);
        if (!read_requirement (&reader, attribute, value, requirement))
            return false;
    }
    return true;
}

/*  Refuses a need whose id another need of the list has. */
static bool id_unused (const request_form_reader_t *reader, const json_t *request, const char *list,
                       const json_t *need)
{
    return !item_with (json_object_get (request, list), "id", text_of (need, "id")) ||
           refuse (reader, "id", "is used twice");
}

static bool read_compute_need (const request_form_reader_t *reader, json_t *written,
                               const json_t *request, json_t *need)
{
    if (!read_keys (reader, written, "id cpus require offset duration site") ||
        !request_form_read_name (reader, written, "id", true, NAME_BYTES_MAX, need) ||
        !read_count (reader, written, "cpus", true, CPUS_MAX, need) ||
        !read_require (reader, written, need) ||
        !request_form_read_duration (reader, written, "offset", "offset_ms", true, need) ||
        !request_form_read_duration (reader, written, "duration", "duration_ms", false, need) ||
        !request_form_read_name (reader, written, "site", false, NAME_BYTES_MAX, need) ||
        !id_unused (reader, request, "compute", need))
        return false;
    if (!reader->joins && !json_object_get (need, "duration_ms") &&
        !json_object_get (request, "duration_ms"))
        return refuse (reader, "duration", "is missing, here and for the whole request");
    return true;
}

/*  The ids of the two compute needs that it links. */
static bool read_between (const request_form_reader_t *reader, const json_t *written,
                          const json_t *request, json_t *need)
{
    const json_t *between = json_object_get (written, "between");
    const char *ends [] = {json_string_value (json_array_get (between, 0)),
                           json_string_value (json_array_get (between, 1))};
    if (json_array_size (between) != 2 || !ends [0] || !ends [1])
        return refuse (reader, "between", "must be the ids of two compute needs");
    for (size_t i = 0; i < 2; i++)
        if (!reader->joins && !item_with (json_object_get (request, "compute"), "id", ends [i]))
            return refuse (reader, "between", "no compute need has the id \"%.60s\"", ends [i]);
    if (strcmp (ends [0], ends [1]) == 0)
        return refuse (reader, "between", "\"%.60s\" can't be linked to itself", ends [0]);
    take (need, "between", json_deep_copy (between));
    return true;
}

/*  The id of a network need, or the ids of its two ends, joined. */
static void connection_id (const json_t *need, char id [CONNECTION_ID_BYTES])
{
    if (*text_of (need, "id"))
        snprintf (id, CONNECTION_ID_BYTES, "%s", text_of (need, "id"));
    else
        texts_join (json_object_get (need, "between"), "-", id, CONNECTION_ID_BYTES);
}

/*  Refuses a network need whose id any other need has. Two needs between the same ends need ids of
 *  their own. */
static bool connection_named (const request_form_reader_t *reader, const json_t *request,
                              const json_t *need)
{
    char id [CONNECTION_ID_BYTES];
    connection_id (need, id);
    const char *notice = json_object_get (need, "id") ? "" : "; give this need an id of its own";
    if (strlen (id) > NAME_BYTES_MAX)
        return refuse (reader, "id", "\"%.40s…\" is longer than %d bytes%s", id, NAME_BYTES_MAX,
                       notice);
    bool used = item_with (json_object_get (request, "compute"), "id", id);
    json_each_of (other, request, "network") {
        char known [CONNECTION_ID_BYTES];
        connection_id (other, known);
        used = used || strcmp (known, id) == 0;
    }
    return !used || refuse (reader, "id", "\"%.60s\" is used twice%s", id, notice);
}

static bool read_network_need (const request_form_reader_t *reader, json_t *written,
                               const json_t *request, json_t *need)
{
    if (!read_keys (reader, written, "id between mbps latency_ms_max offset duration require") ||
        !request_form_read_name (reader, written, "id", false, NAME_BYTES_MAX, need) ||
        !read_between (reader, written, request, need) ||
        !connection_named (reader, request, need) ||
        !read_count (reader, written, "mbps", true, LINK_MBPS_MAX, need) ||
        !read_require (reader, written, need) ||
        !request_form_read_duration (reader, written, "offset", "offset_ms", true, need) ||
        !request_form_read_duration (reader, written, "duration", "duration_ms", false, need))
        return false;
    const json_t *latency = json_object_get (written, "latency_ms_max");
    if (latency && !(json_number_value (latency) > 0))
        return refuse (reader, "latency_ms_max", "must be a number above 0");
    if (latency)
        take (need, "latency_ms_max", json_real (json_number_value (latency)));
    return true;
}

/*  The compute need at whose site it is to be. */
static bool read_at (const request_form_reader_t *reader, const json_t *written,
                     const json_t *request, json_t *need)
{
    if (!request_form_read_name (reader, written, "at", true, NAME_BYTES_MAX, need))
        return false;
    const char *at = text_of (need, "at");
    return reader->joins || item_with (json_object_get (request, "compute"), "id", at) ||
           refuse (reader, "at", "no compute need has the id \"%.60s\"", at);
}

/*  The id of a data or space need, which no other need may have; "data-1" for the first of a
 *  request, unless it has one. */
static bool storage_id (const request_form_reader_t *reader, const json_t *written,
                        const json_t *request, const char *list, json_t *need)
{
    static const char *const lists [] = {"compute", "network", "data", "space"};
    if (!request_form_read_name (reader, written, "id", false, NAME_BYTES_MAX, need))
        return false;
    if (!reader->joins && !json_object_get (need, "id"))
        take (need, "id",
              json_sprintf ("%s-%zu", list, json_array_size (json_object_get (request, list)) + 1));
    for (size_t i = 0; json_object_get (need, "id") && i < sizeof lists / sizeof *lists; i++)
        if (!id_unused (reader, request, lists [i], need))
            return false;
    return true;
}

/*  A number, or the word that stands for one. */
static bool read_count_or (const request_form_reader_t *reader, const json_t *written,
                           const char *key, int64_t most, const char *word, int64_t meaning,
                           json_t *need)
{
    const json_t *value = json_object_get (written, key);
    if (!value || json_is_number (value))
        return read_count (reader, written, key, false, most, need);
    const char *text = json_string_value (value);
    if (!text || strcmp (text, word) != 0)
        return refuse (reader, key, "must be \"%s\" or a whole number from 1 to %" PRId64, word,
                       most);
    if (meaning > 0)
        take (need, key, json_integer (meaning));
    return true;
}

/*  When the file is to be there, after the start of its compute need. */
static bool read_by (const request_form_reader_t *reader, const json_t *written, json_t *need)
{
    const char *by = text_of (written, "by");
    int64_t ms;
    if (!json_object_get (written, "by") || strcmp (by, "start") == 0)
        return true;
    if (!timetext_parse_duration (by, &ms))
        return refuse (reader, "by", "must be \"start\" or a duration after it such as \"30m\"");
    if (ms > 0)
        take (need, "by_ms", json_integer (ms));
    return true;
}

static bool read_data_need (const request_form_reader_t *reader, json_t *written,
                            const json_t *request, json_t *need)
{
    return read_keys (reader, written, "file at nodes by mbps id") &&
           request_form_read_name (reader, written, "file", true, FILE_BYTES_MAX, need) &&
           read_at (reader, written, request, need) &&
           storage_id (reader, written, request, "data", need) &&
           read_count_or (reader, written, "nodes", DATA_NODES_MAX, "all", UINT32_MAX, need) &&
           read_by (reader, written, need) &&
           read_count_or (reader, written, "mbps", LINK_MBPS_MAX, "best", 0, need);
}

static bool read_gb (const request_form_reader_t *reader, const json_t *written, json_t *need)
{
    const json_t *gb = json_object_get (written, "gb");
    double bytes = json_number_value (gb) * 1e9;
    if (!gb)
        return refuse (reader, "gb", "is missing");
    if (!(bytes >= 1) || bytes > (double) NEED_BYTES_MAX)
        return refuse (reader, "gb", "must be a number above 0, in GB of 10^9 bytes, at most %.0f",
                       (double) NEED_BYTES_MAX / 1e9);
    take (need, "bytes", json_integer ((json_int_t) bytes));
    return true;
}

static bool read_space_need (const request_form_reader_t *reader, json_t *written,
                             const json_t *request, json_t *need)
{
    return read_keys (reader, written, "at gb id") && read_at (reader, written, request, need) &&
           storage_id (reader, written, request, "space", need) && read_gb (reader, written, need);
}

typedef bool read_need_fn (const request_form_reader_t *reader, json_t *written,
                           const json_t *request, json_t *need);

/*  A list of needs, or of patches of some. */
typedef struct {
    const char *key;
    size_t most;
    read_need_fn *read;
    const char *added; /* its key among what is added */
} need_kind_t;

static const need_kind_t need_kinds [] = {
  {"compute", NEEDS_MAX, read_compute_need, "add_compute"},
  {"network", NETWORK_NEEDS_MAX, read_network_need, "add_network"},
  {"data", FILES_MAX, read_data_need, "add_data"},
  {"space", SPACE_NEEDS_MAX, read_space_need, "add_space"}};

#define NEED_KINDS (sizeof need_kinds / sizeof *need_kinds)

static bool request_form_read_list (const request_form_reader_t *of_list, json_t *written,
                                    const need_kind_t *kind, json_t *request)
{
    const char *key = kind->key;
    request_form_reader_t reader = *of_list;
    const json_t *list = json_object_get (written, key);
    if (!list)
        return true;
    if (!json_is_array (list))
        return refuse (&reader, key, "must be an array […] of needs");
    if (json_array_size (list) > kind->most)
        return refuse (&reader, key, "has %zu needs; at most %zu are allowed",
                       json_array_size (list), kind->most);
    json_t *needs = made (json_array ());
    take (request, key, needs);
    json_t *one;
    for (size_t i = 0; (one = json_array_get (list, i)); i++) {
        snprintf (reader.path, sizeof reader.path, "%.20s%s%s[%zu]", of_list->path,
                  *of_list->path ? "." : "", key, i);
        json_t *need = made (json_object ());
        bool good = kind->read (&reader, one, request, need);
        take_last (needs, need);
        if (!good)
            return false;
    }
    return true;
}

/*  The time from the start of the reservation to the end of its last need. */
static int64_t request_form_span_of (const json_t *request)
{
    int64_t span_ms = 0;
    int64_t common_ms = number_of (request, "duration_ms");
    json_each_of (need, request, "compute") {
        const json_t *own = json_object_get (need, "duration_ms");
        int64_t end_ms =
          number_of (need, "offset_ms") + (own ? json_integer_value (own) : common_ms);
        if (end_ms > span_ms)
            span_ms = end_ms;
    }
    return span_ms;
}

static bool read_choice (const request_form_reader_t *reader, json_t *written, const char *key,
                         const char *choices, json_t *request)
{
    const json_t *value = json_object_get (written, key);
    if (!value)
        return true;
    const char *text = json_string_value (value);
    if (!text || !listed (choices, text))
        return refuse (reader, key, "\"%.40s\" is not one of: %s", text ? text : "", choices);
    take (request, key, json_string (text));
    return true;
}

static bool request_form_read_request (json_t *written, json_t *request, char why [LONG_WHY_BYTES])
{
    request_form_reader_t reader = {.why = why};
    if (!read_keys (&reader, written,
                    "name window duration compute network data space distinct_sites policy "
                    "algorithm route") ||
        !request_form_read_name (&reader, written, "name", false, NAME_BYTES_MAX, request) ||
        !request_form_read_duration (&reader, written, "duration", "duration_ms", false, request))
        return false;
    if (json_array_size (json_object_get (written, "compute")) == 0)
        return refuse (&reader, "compute", "must have at least one need");
    for (size_t i = 0; i < NEED_KINDS; i++)
        if (!request_form_read_list (&reader, written, &need_kinds [i], request))
            return false;
    json_t *window = json_object_get (written, "window");
    if (!window)
        return refuse (&reader, "window",
                       "is missing; {\"earliest\": \"now\"} asks for the soonest start");
    if (!read_window (window, request_form_span_of (request), request, why))
        return false;
    const json_t *distinct = json_object_get (written, "distinct_sites");
    if (distinct && !json_is_boolean (distinct))
        return refuse (&reader, "distinct_sites", "must be true or false");
    take (request, "distinct_sites", json_boolean (json_is_true (distinct)));
    return read_choice (&reader, written, "policy", "time cost load random quality", request) &&
           read_choice (&reader, written, "algorithm", "auto bbr bir ip", request) &&
           read_choice (&reader, written, "route", "free fixed", request);
}

void request_form_choose (json_t *written, const char *algorithm, const char *policy)
{
    if (!json_is_object (written))
        return; /* the reader refuses it */
    if (algorithm)
        take (written, "algorithm", json_string (algorithm));
    if (policy)
        take (written, "policy", json_string (policy));
}

void request_form_input (json_t *written, const char *file)
{
    json_t *compute = json_object_get (written, "compute");
    json_t *data = json_object_get (written, "data");
    if (!json_is_array (compute) || (data && !json_is_array (data)))
        return; /* the reader refuses it */
    if (!data)
        take (written, "data", data = made (json_array ()));
    json_each (need, compute)
        take_last (data, json_pack ("{s:s, s:s}", "file", file, "at", text_of (need, "id")));
}

json_t *request_form_read (json_t *written, char why [LONG_WHY_BYTES])
{
    assert (written);
    json_auto_t *request = made (json_object ());
    return request_form_read_request (written, request, why) ? json_incref (request) : NULL;
}

static bool read_need_patch (const request_form_reader_t *reader, json_t *written,
                             const json_t *patch, json_t *need)
{
    if (!read_keys (reader, written, "id cpus site") ||
        !request_form_read_name (reader, written, "id", true, NAME_BYTES_MAX, need) ||
        !read_count (reader, written, "cpus", false, CPUS_MAX, need) ||
        !request_form_read_name (reader, written, "site", false, NAME_BYTES_MAX, need))
        return false;
    if (json_object_size (need) == 1)
        return refuse (reader, NULL, "changes nothing; give cpus or site");
    return id_unused (reader, patch, "compute", need);
}

static bool read_connection_patch (const request_form_reader_t *reader, json_t *written,
                                   const json_t *patch, json_t *need)
{
    return read_keys (reader, written, "id mbps") &&
           request_form_read_name (reader, written, "id", true, NAME_BYTES_MAX, need) &&
           read_count (reader, written, "mbps", true, LINK_MBPS_MAX, need) &&
           id_unused (reader, patch, "network", need);
}

static bool read_space_patch (const request_form_reader_t *reader, json_t *written,
                              const json_t *patch, json_t *need)
{
    return read_keys (reader, written, "id gb") &&
           request_form_read_name (reader, written, "id", true, NAME_BYTES_MAX, need) &&
           read_gb (reader, written, need) && id_unused (reader, patch, "space", need);
}

/*  Reads needs to be added, written as in requests; their ends may be needs of the reservation. */
static bool read_added (json_t *written, json_t *patch, char why [LONG_WHY_BYTES])
{
    request_form_reader_t reader = {.path = "add", .joins = true, .why = why};
    if (!written)
        return true;
    if (!read_keys (&reader, written, "compute network data space"))
        return false;
    json_auto_t *added = made (json_object ());
    for (size_t i = 0; i < NEED_KINDS; i++) {
        const need_kind_t *kind = &need_kinds [i];
        if (!request_form_read_list (&reader, written, kind, added))
            return false;
        if (json_object_get (added, kind->key))
            take (patch, kind->added, json_incref (json_object_get (added, kind->key)));
    }
    return true;
}

static bool read_removed (json_t *written, json_t *patch, char why [LONG_WHY_BYTES])
{
    request_form_reader_t reader = {.why = why};
    json_t *one;
    if (!written)
        return true;
    if (json_array_size (written) == 0)
        return refuse (&reader, "remove", "must be an array of ids of needs");
    for (size_t i = 0; (one = json_array_get (written, i)); i++) {
        if (json_string_length (one) == 0 || json_string_length (one) > NAME_BYTES_MAX)
            return refuse (&reader, "remove", "must be an array of ids of needs");
        for (size_t k = 0; k < i; k++)
            if (json_equal (json_array_get (written, k), one))
                return refuse (&reader, "remove", "\"%.60s\" is named twice",
                               json_string_value (one));
    }
    take (patch, "remove", json_deep_copy (written));
    return true;
}

static bool read_patch (json_t *written, json_t *patch, char why [LONG_WHY_BYTES])
{
    request_form_reader_t reader = {.why = why};
    static const char keys [] = "window duration compute network space add remove";
    if (!read_keys (&reader, written, keys))
        return false;
    if (json_object_size (written) == 0)
        return refuse (&reader, NULL, "changes nothing; what can be changed: %s", keys);
    static const need_kind_t kinds [] = {
      {"compute", NEEDS_MAX, read_need_patch, NULL},
      {"network", NETWORK_NEEDS_MAX, read_connection_patch, NULL},
      {"space", SPACE_NEEDS_MAX, read_space_patch, NULL}};
    json_t *window = json_object_get (written, "window");
    bool good =
      request_form_read_duration (&reader, written, "duration", "duration_ms", false, patch) &&
      (!window || read_window (window, 0, patch, why));
    for (size_t i = 0; good && i < sizeof kinds / sizeof *kinds; i++)
        good = request_form_read_list (&reader, written, &kinds [i], patch);
    return good && read_added (json_object_get (written, "add"), patch, why) &&
           read_removed (json_object_get (written, "remove"), patch, why);
}

json_t *request_form_patch (json_t *written, const char *reservation, char why [LONG_WHY_BYTES])
{
    assert (written && reservation);
    json_auto_t *patch = made (json_object ());
    take (patch, "reservation", json_string (reservation));
    return read_patch (written, patch, why) ? json_incref (patch) : NULL;
}
