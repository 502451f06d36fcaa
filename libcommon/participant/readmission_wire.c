/*  readmission_wire - Home.Allocations, and what the answers in it book at one participant. */
#include "readmission_wire.h"

#include "codec_table.h"
#include "transaction_wire.h"

#include "gis.pb-c.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALLOCATIONS_MAX 4096 /* in one page */

static const codec_row_t question_rows [] = {
  ROW_WORD ("participant", allocations_question_t, participant),
  ROW_FIXED ("after", allocations_question_t, after, SET_BY (allocations_question_t, after_set)),
};
const codec_t allocations_question_codec =
  CODEC (allocations_question_t, allocations_request, question_rows);

static const codec_row_t allocation_rows [] = {
  ROW_BYTES ("plan", allocation_t, plan.data, plan.size, BODY_BYTES_MAX, FROM (1),
             OF (&plan_codec)),
  ROW_BYTES ("answer", allocation_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX),
  ROW_FLAG ("decided", allocation_t, decided),
  ROW_FLAG ("amended", allocation_t, amended),
};
const codec_t allocation_codec = CODEC (allocation_t, allocation, allocation_rows);

static const codec_row_t allocations_rows [] = {
  ROW_LIST ("allocations", allocations_page_t, list, count, allocation, 0, ALLOCATIONS_MAX),
  ROW_FIXED ("next", allocations_page_t, next, SET_BY (allocations_page_t, next_set)),
};
const codec_t allocations_page_codec =
  CODEC (allocations_page_t, allocations_answer, allocations_rows);

/*  --- an answer --- */

bool allocated_at_site (const answer_t *answer, const char *name, const site_t *site,
                        packed_t *part, char why [WHY_BYTES])
{
    compute_booking_t *bookings = must (calloc (answer->compute_count + 1, sizeof *bookings));
    const char *missing = NULL;
    size_t count = 0;
    for (size_t i = 0; i < answer->compute_count && !missing; i++) {
        const placement_t *told = &answer->compute [i];
        if (strcmp (told->site, name) != 0)
            continue;
        const node_class_t *class = site_class (site, told->class_name);
        compute_booking_t *booking = &bookings [count++];
        *booking = (compute_booking_t){.cpus = told->cpus,
                                       .nodes = class ? class_nodes_for (class, told->cpus) : 0,
                                       .from_ms = told->from_ms,
                                       .until_ms = told->until_ms};
        memcpy (booking->need, told->need, sizeof booking->need);
        memcpy (booking->class_name, told->class_name, sizeof booking->class_name);
        if (!class)
            missing = told->class_name;
    }
    *part =
      count > 0 && !missing ? compute_part_encode (bookings, count) : (packed_t){.data = NULL};
    if (missing)
        wrong (why, "need %s: the site has no class %s any more", bookings [count - 1].need,
               missing);
    free (bookings);
    return !missing;
}

bool allocated_in_storage (const answer_t *answer, const char *site, packed_t *part)
{
    space_part_t rooms = {.bookings =
                            must (calloc (answer->data_count + 1, sizeof *rooms.bookings))};
    for (size_t i = 0; i < answer->data_count; i++)
        if (strcmp (answer->data [i].site, site) == 0)
            rooms.bookings [rooms.bookings_count++] = answer->data [i].booking;
    *part = rooms.bookings_count > 0 ? codec_encode (&space_part_codec, &rooms)
                                     : (packed_t){.data = NULL};
    free (rooms.bookings);
    return true;
}

/*  The link's name in this domain; NULL when it is another's. */
static const char *link_here (const char *link, const char *domain)
{
    size_t length = strlen (domain);
    return strncmp (link, domain, length) == 0 && link [length] == '/' ? link + length + 1 : NULL;
}

static circuit_t *add_circuit (network_part_t *to, size_t *room, const connection_t *from,
                               size_t first)
{
    to->circuits = must_grow (to->circuits, to->circuits_count, room, sizeof *to->circuits);
    circuit_t *circuit = &to->circuits [to->circuits_count++];
    *circuit = (circuit_t){.mbps = from->mbps,
                           .from_ms = from->from_ms,
                           .until_ms = from->until_ms,
                           .hop = (uint32_t) first};
    memcpy (circuit->need, from->need, sizeof circuit->need);
    circuit->links = must (calloc (from->links_count, sizeof *circuit->links));
    return circuit;
}

bool allocated_in_domain (const answer_t *answer, const char *name, const domain_t *domain,
                          packed_t *part, char why [WHY_BYTES])
{
    network_part_t found = {.circuits = NULL};
    size_t room = 0;
    bool good = true;
    for (size_t i = 0; i < answer->network_count; i++) {
        const connection_t *from = &answer->network [i];
        circuit_t *circuit = NULL; /* the one that goes on: links side by side are one */
        for (size_t l = 0; good && l < from->links_count; l++) {
            const char *link = link_here (from->links [l], name);
            if (!link) {
                circuit = NULL;
                continue;
            }
            good =
              domain_link (domain, link) != SIZE_MAX ||
              wrong (why, "need %.63s: the domain has no link %.63s any more", from->need, link);
            circuit = circuit ? circuit : add_circuit (&found, &room, from, l);
            snprintf (circuit->links [circuit->links_count++], sizeof *circuit->links, "%.63s",
                      link);
        }
    }
    *part = good && found.circuits_count > 0
              ? network_part_encode (found.circuits, found.circuits_count)
              : (packed_t){.data = NULL};
    circuits_free (found.circuits, found.circuits_count);
    return good;
}
