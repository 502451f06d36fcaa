/*  capacity - how many nodes of each class a site has to promise: as many as it is told, but no
 * more than are there. A node that is lost or drained is not; one that is awaited after a start, or
 *  silent, still is: its agent has the time that nodes.h says before it counts as lost.
 *
 *  Nothing is cancelled for it: reservations that are hit are told in the log, and as degraded.
 *  Pure.
 */
#ifndef MUSUBI_CAPACITY_H
#define MUSUBI_CAPACITY_H

#include "nodes.h"
#include "questions.h"

typedef struct capacity capacity_t;

/*  Everything is borrowed for life. Its start comes after those of the nodes and the questions. */
capacity_t *capacity_new (service_t *service, const site_t *site, const room_t *room,
                          nodes_t *nodes, questions_t *questions);
void capacity_destroy (capacity_t **self_p);

#endif
