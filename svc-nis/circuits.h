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

typedef struct circuits circuits_t;

/*  name is the domain's, "N"; domain_check must be content with it. The timekeeper is borrowed for
 *  life. The room is the caller's, and outlives this. */
circuits_t *circuits_new (const char *name, const domain_t *domain, const timekeeper_t *timekeeper,
                          room_t **room);
void circuits_destroy (circuits_t **self_p);

/*  Its owner is this: for life. */
void circuits_reader (const circuits_t *self, part_reader_t *reader);

#endif
