/*  domains - from the entries' JSON to plain values, by the same checks as everybody's. */
#include "domains.h"

#include "directory_wire.h"
#include "json.h"
#include "message.h"

#include "gis.pb-c.h"

#include <stdlib.h>
#include <string.h>

/*  An entry as services have it; false when it is not sound. */
static bool read_entry (const json_t *json, directory_entry_t *entry)
{
    char why [WHY_BYTES > JSON_WHY_BYTES ? WHY_BYTES : JSON_WHY_BYTES];
    json_auto_t *own = json_deep_copy (json);
    ProtobufCMessage *message = json_to_message (&musubi__entry__descriptor, own, why);
    if (!message)
        return false;
    bool sound = codec_take (&directory_entry_codec, entry, message, why);
    message_free (message);
    return sound;
}

graph_t *domains_graph (const json_t *entries, size_t *passed_over)
{
    graph_t *graph = graph_new ();
    const json_t *json;
    *passed_over = 0;
    for (size_t i = 0; (json = json_array_get (entries, i)); i++) {
        directory_entry_t entry;
        if (!json_object_get (json, "domain"))
            continue;
        if (!read_entry (json, &entry)) {
            ++*passed_over;
            continue;
        }
        const char *slash = strchr (entry.name, '/');
        if (entry.domain && slash)
            graph_add (graph, slash + 1, entry.domain);
        codec_clear (&directory_entry_codec, &entry);
    }
    return graph;
}
