/*  changes - what has become different between two looks at a reservation. Pure.
 *
 *  A look is a form as view_form makes it. A change is an object that a watcher prints as one line:
 *
 *      {"time", "reservation", "change", "was", "at", "status", "name"}
 *
 *  change is one word. "pending", "committing", "committed", "releasing", "released", "failed" and
 *  "unknown" are the reservation's status, "was" the one before; "activated" and "ended" are its
 * start and end; "modified" is a new version, with "version"; "provisioned" and "unprovisioned" are
 *  the use of its circuits, with "at" naming the domain; "degraded" and "healed" are said of its
 *  nodes at a site, named by "at"; "silent" and "back" are participants, named by "at"; "gone" is
 *  said of one that nobody knows any more.
 */
#ifndef MUSUBI_CHANGES_H
#define MUSUBI_CHANGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*  The changes from one look to the next, in the order in which they are told; new, empty when
 *  nothing has changed. before = NULL: first seen. after = NULL: not known any more. */
json_t *changes_between (const json_t *before, const json_t *after, int64_t now_ms);

/*  The same of lists of names, of participants that did not answer: of a reservation, or ("") of
 *  the whole federation. */
json_t *changes_of_silence (const char *reservation, const json_t *before, const json_t *after,
                            int64_t now_ms);

/*  One line for people. */
void change_print (const json_t *change, FILE *to);

/*  Will nothing more happen to this one? Of a look. */
bool change_over (const json_t *form);

#endif
