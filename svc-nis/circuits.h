/*  circuits - a network domain as its room sees it: links are the resources, counted in Mbit/s; and
 *  what a NetworkPart asks of them.
 *
 *  A circuit is a path: each of its links goes on where the one before ends, and it passes no
 *  vertex twice. It takes its bandwidth on every one of its links, or nowhere.
 */
#ifndef MUSUBI_CIRCUITS_H
#define MUSUBI_CIRCUITS_H

#include "domain.h"
#include "timetable.h"

/*  name is the domain's, "N"; it must pass domain_check. The timekeeper is borrowed for
 *  life. The links are the room's resources, in the domain's order. */
free_capacity_t *circuits_room (const char *name, const domain_t *domain,
                                const timekeeper_t *timekeeper);

/*  Borrowed for life. */
typedef struct {
    const free_capacity_t *room;
    const domain_t *domain;
} circuits_t;

/*  Its owner is this: for life. */
void circuits_reader (const circuits_t *self, part_reader_t *reader);

#endif
