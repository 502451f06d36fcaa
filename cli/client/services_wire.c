/*  services - the only list of all service blocks. */
#include "services.h"

#include "json.h"
#include "message.h"

#include "agent.pb-c.h"
#include "balance.pb-c.h"
#include "bus.pb-c.h"
#include "calendar.pb-c.h"
#include "chain.pb-c.h"
#include "gis.pb-c.h"
#include "ledger.pb-c.h"
#include "lis.pb-c.h"
#include "must.h"
#include "nis.pb-c.h"
#include "nodes.pb-c.h"
#include "planner.pb-c.h"
#include "plus.pb-c.h"
#include "replica.pb-c.h"
#include "tasks.pb-c.h"
#include "transaction.pb-c.h"

#include <sodium.h>

static const struct {
    const ProtobufCServiceDescriptor *block;
    const char *kinds; /* kinds that offer it, each between blanks */
} blocks [] = {
  {&musubi__gis__descriptor, " gis "},
  {&musubi__home__descriptor, " gis "},
  {&musubi__lis__descriptor, " lis "},
  {&musubi__nis__descriptor, " nis "},
  {&musubi__calendar__descriptor, " lis nis replica "},
  {&musubi__planner__descriptor, " planner "},
  {&musubi__coordinator__descriptor, " planner "},
  {&musubi__queue__descriptor, " lis "},
  {&musubi__nodes__descriptor, " lis "},
  {&musubi__sharing__descriptor, " lis "},
  {&musubi__balancer__descriptor, " balancer "},
  {&musubi__participant__descriptor, " gis lis nis replica "},
  {&musubi__factory__descriptor, " lis "},
  {&musubi__reservation__descriptor, " lis "},
  {&musubi__command__descriptor, " lis "},
  {&musubi__ledger__descriptor, " gis lis nis planner replica index balancer "},
  {&musubi__replica__descriptor, " replica "},
  {&musubi__chain__descriptor, " replica "},
  {&musubi__replica_index__descriptor, " index "},
  {&musubi__agent__descriptor, " "}, /* only by endpoint: no directory lists it */
  {&musubi__service__descriptor, " gis lis nis planner replica index balancer "},
};

#define BLOCKS (sizeof blocks / sizeof blocks [0])

static bool offers (size_t block, const char *kind)
{
    char word [NAME_BYTES_MAX + 3];
    snprintf (word, sizeof word, " %s ", kind);
    return *kind == '\0' || strstr (blocks [block].kinds, word);
}

static method_t method_of (const ProtobufCServiceDescriptor *block, unsigned m)
{
    return (method_t){.service = block->short_name,
                      .method = block->methods [m].name,
                      .asked = block->methods [m].input,
                      .answered = block->methods [m].output};
}

bool services_at (const char *kind, size_t at, method_t *method)
{
    for (size_t b = 0; b < BLOCKS; b++) {
        if (!offers (b, kind))
            continue;
        if (at < blocks [b].block->n_methods) {
            *method = method_of (blocks [b].block, (unsigned) at);
            return true;
        }
        at -= blocks [b].block->n_methods;
    }
    return false;
}

/*  How many methods of that name the kind offers in that block (NULL = any); *found is the last of
 *  them. */
static size_t services_search (const char *kind, const char *block, const char *name,
                               method_t *found)
{
    size_t count = 0;
    method_t method;
    for (size_t i = 0; services_at (kind, i, &method); i++)
        if (strcmp (method.method, name) == 0 && (!block || strcmp (method.service, block) == 0)) {
            *found = method;
            count++;
        }
    return count;
}

bool services_find (const char *kind, const char *text, method_t *method, char why [LONG_WHY_BYTES])
{
    char block [NAME_BYTES_MAX + 1] = "";
    size_t dot = strcspn (text, ".");
    bool full = text [dot] == '.' && dot < sizeof block;
    if (full)
        memcpy (block, text, dot);
    method_t found;
    size_t count = full ? services_search ("", block, text + dot + 1, &found)
                        : services_search (kind, NULL, text, &found);
    if (count == 1) {
        *method = found;
        return true;
    }
    size_t length = (size_t) snprintf (why, LONG_WHY_BYTES, "%.80s: %s; there are:", text,
                                       count ? "more than one" : "no such method");
    for (size_t i = 0; length < LONG_WHY_BYTES && services_at (kind, i, &found); i++)
        length += (size_t) snprintf (why + length, LONG_WHY_BYTES - length, " %s.%s", found.service,
                                     found.method);
    return false;
}

method_t services_method (const char *service, const char *method)
{
    method_t found;
    if (services_search ("", service, method, &found) != 1)
        abort ();
    return found;
}

static json_t *json_of (const ProtobufCMessageDescriptor *descriptor, bytes_t packed)
{
    message_auto_t *message = message_unpack (descriptor, packed);
    return message ? json_from_message (message) : NULL;
}

json_t *services_inner (const char *name, const char *hex)
{
    const ProtobufCMessageDescriptor *descriptor =
      strcmp (name, "Plan") == 0 ? &musubi__plan__descriptor : &musubi__answer__descriptor;
    size_t size = strlen (hex) / 2;
    uint8_t *packed = must (malloc (size + 1));
    bool read = size > 0 && sodium_hex2bin (packed, size, hex, 2 * size, NULL, NULL, NULL) == 0;
    json_t *json = read ? json_of (descriptor, (bytes_t){packed, size}) : NULL;
    free (packed);
    return json;
}

json_t *services_answer (const method_t *method, bytes_t body)
{
    return json_of (method->answered, body);
}

bool json_read (const codec_t *codec, void *self, const json_t *written)
{
    char why [WHY_BYTES], taken_why [WHY_BYTES];
    message_auto_t *message =
      written ? json_to_message (codec->message, (json_t *) written, why) : NULL;
    return message && codec_take (codec, self, message, taken_why);
}
