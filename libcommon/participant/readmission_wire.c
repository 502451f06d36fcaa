/*  readmission_wire - Home.Allocations and the answers in it, checked field by field. */
#include "readmission_wire.h"

#include "codec_table.h"
#include "transaction_wire.h"

#include "gis.pb-c.h"
#include "message.h"
#include "must.h"
#include "planner.pb-c.h"

#include <stdlib.h>
#include <string.h>

#define ALLOCATIONS_MAX 4096 /* in one page */

static const codec_row_t question_rows [] = {
  ROW_WORD ("participant", allocations_question_t, participant),
  ROW_FIXED ("after", allocations_question_t, after, SET_BY (allocations_question_t, after_set)),
};
const codec_t allocations_question_codec =
  CODEC (allocations_question_t, musubi__allocations_request__descriptor, question_rows);

static const codec_row_t allocation_rows [] = {
  ROW_BYTES ("plan", allocation_t, plan.data, plan.size, BODY_BYTES_MAX, FROM (1),
             OF (&plan_codec)),
  ROW_BYTES ("answer", allocation_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX),
  ROW_FLAG ("decided", allocation_t, decided),
  ROW_FLAG ("amended", allocation_t, amended),
};
const codec_t allocation_codec =
  CODEC (allocation_t, musubi__allocation__descriptor, allocation_rows);

static const codec_row_t allocations_rows [] = {
  ROW_LIST ("allocations", allocations_page_t, list, count, allocation, 0, ALLOCATIONS_MAX),
  ROW_FIXED ("next", allocations_page_t, next, SET_BY (allocations_page_t, next_set)),
};
const codec_t allocations_page_codec =
  CODEC (allocations_page_t, musubi__allocations_answer__descriptor, allocations_rows);

/*  --- an answer --- */

bool allocated_read (bytes_t answer, bool *committed, uint32_t *version)
{
    ProtobufCMessage *message = message_unpack (&musubi__answer__descriptor, answer);
    if (!message)
        return false;
    const Musubi__Answer *told = (const Musubi__Answer *) message;
    *committed = told->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
    *version = told->version;
    message_free (message);
    return true;
}

static bool take_booking (compute_booking_t *to, const Musubi__Placement *from, const site_t *site,
                          char why [WHY_BYTES])
{
    *to =
      (compute_booking_t){.cpus = from->cpus, .from_ms = from->from_ms, .until_ms = from->until_ms};
    if (!text_take (to->need, NAME_BYTES_MAX, from->need, TEXT_WORD, "need", why) ||
        !text_take (to->class_name, NAME_BYTES_MAX, from->class_name, TEXT_WORD, "class", why))
        return false;
    const node_class_t *class = site_class (site, to->class_name);
    if (!class)
        return wrong (why, "need %s: the site has no class %s any more", to->need, to->class_name);
    to->nodes = class_nodes_for (class, to->cpus);
    return true;
}

static bool readmission_take_site (const Musubi__Answer *told, const char *name, const site_t *site,
                                   packed_t *part, char why [WHY_BYTES])
{
    compute_booking_t *bookings = must (calloc (told->n_compute + 1, sizeof *bookings));
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; i < told->n_compute && good; i++)
        if (strcmp (told->compute [i]->site, name) == 0)
            good = take_booking (&bookings [count++], told->compute [i], site, why);
    if (good && count > 0)
        *part = compute_part_encode (bookings, count);
    free (bookings);
    return good;
}

bool allocated_at_site (bytes_t answer, const char *name, const site_t *site, packed_t *part,
                        char why [WHY_BYTES])
{
    *part = (packed_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__answer__descriptor, answer);
    if (!message)
        return wrong (why, "the answer that its home kept can't be read");
    bool good = readmission_take_site ((const Musubi__Answer *) message, name, site, part, why);
    message_free (message);
    return good;
}

/*  The link's name in this domain; NULL when it is another's. */
static const char *link_here (const char *link, const char *domain)
{
    size_t length = strlen (domain);
    return strncmp (link, domain, length) == 0 && link [length] == '/' ? link + length + 1 : NULL;
}

typedef struct {
    circuit_t *list;
    size_t count;
    size_t room;
} circuit_list_t;

static bool add_circuit (circuit_list_t *to, const Musubi__Connection *from, const char *domain,
                         size_t first, size_t count, char why [WHY_BYTES])
{
    to->list = must_grow (to->list, to->count, &to->room, sizeof *to->list);
    circuit_t *circuit = &to->list [to->count++];
    *circuit = (circuit_t){.mbps = from->mbps,
                           .from_ms = from->from_ms,
                           .until_ms = from->until_ms,
                           .hop = (uint32_t) first,
                           .links_count = count};
    circuit->links = must (calloc (count, sizeof *circuit->links));
    if (!text_take (circuit->need, NAME_BYTES_MAX, from->need, TEXT_WORD, "need", why))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!text_take (circuit->links [i], NAME_BYTES_MAX,
                        link_here (from->links [first + i], domain), TEXT_WORD, "link", why))
            return false;
    return true;
}

/*  How many links, from the first-th on, are one circuit of this domain; 0 when that link is
 *  another domain's. */
static size_t stretch (const Musubi__Connection *from, const char *domain, size_t first)
{
    size_t at = first;
    while (at < from->n_links && link_here (from->links [at], domain))
        at++;
    return at - first;
}

static bool take_connection (circuit_list_t *to, const Musubi__Connection *from, const char *name,
                             const domain_t *domain, char why [WHY_BYTES])
{
    for (size_t i = 0; i < from->n_links; i++) {
        const char *link = link_here (from->links [i], name);
        if (link && domain_link (domain, link) == SIZE_MAX)
            return wrong (why, "need %.63s: the domain has no link %.63s any more", from->need,
                          link);
    }
    for (size_t first = 0; first < from->n_links;) {
        size_t count = stretch (from, name, first);
        if (count > 0 && !add_circuit (to, from, name, first, count, why))
            return false;
        first += count > 0 ? count : 1;
    }
    return true;
}

static bool take_domain (const Musubi__Answer *told, const char *name, const domain_t *domain,
                         packed_t *part, char why [WHY_BYTES])
{
    circuit_list_t circuits = {0};
    bool good = true;
    for (size_t i = 0; i < told->n_network && good; i++)
        good = take_connection (&circuits, told->network [i], name, domain, why);
    if (good && circuits.count > 0)
        *part = network_part_encode (circuits.list, circuits.count);
    circuits_free (circuits.list, circuits.count);
    return good;
}

bool allocated_in_domain (bytes_t answer, const char *name, const domain_t *domain, packed_t *part,
                          char why [WHY_BYTES])
{
    *part = (packed_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__answer__descriptor, answer);
    if (!message)
        return wrong (why, "the answer that its home kept can't be read");
    bool good = take_domain ((const Musubi__Answer *) message, name, domain, part, why);
    message_free (message);
    return good;
}
