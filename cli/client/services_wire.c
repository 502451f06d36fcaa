/*  services - the table of service blocks; the one place that lists them all. */
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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const ProtobufCServiceDescriptor *block;
    const char *kinds; /* who offers it, each with a blank around */
} blocks [] = {
  {&musubi__gis__descriptor, " gis "},
  {&musubi__home__descriptor, " gis "},
  {&musubi__lis__descriptor, " lis "},
  {&musubi__nis__descriptor, " nis "},
  {&musubi__calendar__descriptor, " lis nis "},
  {&musubi__planner__descriptor, " planner "},
  {&musubi__coordinator__descriptor, " planner "},
  {&musubi__queue__descriptor, " lis "},
  {&musubi__nodes__descriptor, " lis "},
  {&musubi__sharing__descriptor, " lis "},
  {&musubi__balancer__descriptor, " balancer "},
  {&musubi__participant__descriptor, " gis lis nis "},
  {&musubi__factory__descriptor, " lis "},
  {&musubi__reservation__descriptor, " lis "},
  {&musubi__command__descriptor, " lis "},
  {&musubi__ledger__descriptor, " gis lis nis planner replica index balancer "},
  {&musubi__replica__descriptor, " replica "},
  {&musubi__chain__descriptor, " replica "},
  {&musubi__replica_index__descriptor, " index "},
  {&musubi__agent__descriptor, " "}, /* at its endpoint alone: no directory knows it */
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

void services_visit (const char *kind, void (*visit) (void *owner, const method_t *method),
                     void *owner)
{
    for (size_t b = 0; b < BLOCKS; b++)
        for (unsigned m = 0; offers (b, kind) && m < blocks [b].block->n_methods; m++) {
            method_t method = method_of (blocks [b].block, m);
            visit (owner, &method);
        }
}

/*  What a search has come upon. */
typedef struct {
    const char *block; /* NULL = any */
    const char *name;
    method_t found;
    size_t found_count;
    char *why;
    size_t length;
} search_t;

static void match (void *owner, const method_t *method)
{
    search_t *search = owner;
    if (strcmp (method->method, search->name) != 0 ||
        (search->block && strcmp (method->service, search->block) != 0))
        return;
    search->found = *method;
    search->found_count++;
}

static void name_it (void *owner, const method_t *method)
{
    search_t *search = owner;
    if (search->length < SERVICES_WHY_BYTES)
        search->length +=
          (size_t) snprintf (search->why + search->length, SERVICES_WHY_BYTES - search->length,
                             " %s.%s", method->service, method->method);
}

bool services_find (const char *kind, const char *text, method_t *method,
                    char why [SERVICES_WHY_BYTES])
{
    char block [NAME_BYTES_MAX + 1] = "";
    size_t dot = strcspn (text, ".");
    bool full = text [dot] == '.' && dot < sizeof block;
    if (full)
        memcpy (block, text, dot);
    search_t search = {
      .block = full ? block : NULL, .name = full ? text + dot + 1 : text, .why = why};
    services_visit (full ? "" : kind, match, &search);
    if (search.found_count == 1) {
        *method = search.found;
        return true;
    }
    search.length = (size_t) snprintf (why, SERVICES_WHY_BYTES, "%.80s: %s; there are:", text,
                                       search.found_count ? "more than one" : "no such method");
    services_visit (kind, name_it, &search);
    return false;
}

method_t services_method (const char *service, const char *method)
{
    search_t search = {.block = service, .name = method};
    services_visit ("", match, &search);
    if (search.found_count != 1)
        abort ();
    return search.found;
}

static json_t *json_of (const ProtobufCMessageDescriptor *descriptor, bytes_t packed)
{
    ProtobufCMessage *message = message_unpack (descriptor, packed);
    if (!message)
        return NULL;
    json_t *json = json_from_message (message);
    message_free (message);
    return json;
}

json_t *services_inner (const char *name, const char *hex)
{
    const ProtobufCMessageDescriptor *descriptor =
      strcmp (name, "Plan") == 0 ? &musubi__plan__descriptor : &musubi__answer__descriptor;
    size_t size = strlen (hex) / 2;
    uint8_t *packed = must (malloc (size + 1));
    size_t read = 0;
    for (unsigned byte; read < size && sscanf (hex + 2 * read, "%2x", &byte) == 1; read++)
        packed [read] = (uint8_t) byte;
    json_t *json = size > 0 && read == size ? json_of (descriptor, (bytes_t){packed, size}) : NULL;
    free (packed);
    return json;
}

json_t *services_answer (const method_t *method, bytes_t body)
{
    return json_of (method->answered, body);
}
