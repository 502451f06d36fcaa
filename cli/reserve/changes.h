/*  changes - what has changed between two looks at a reservation. Pure.
 *
 *  A look is a form made by view_form. A change is an object that `watch` prints as one line:
 *
 *      {"time", "reservation", "change", "was", "at", "why", "status", "name"}
 *
 *  "change" is one word. "pending", "committing", "committed", "releasing", "released", "failed"
 *  and "unknown" are the new status, "was" the one before. "activated" and "ended" are start and
 *  end. "modified" is a new version, with "version". "provisioned" and "unprovisioned" tell the use
 *  of circuits; "at" is the domain. "degraded" and "healed" tell of the nodes at a site, or of
 *  circuits at a domain, "active" that these are there, "ready" that all nodes are and nothing else
 *  runs on them; "disconnected" and "connected" of a site that hears no directory, or whose batch
 *  system is silent; "at" is the site or domain, "why" says why, where that is known. "silent" and
 *  "back" tell of a participant; "at" is its name. "gone": nobody knows the
 *  reservation any more.
 */
#ifndef MUSUBI_CHANGES_H
#define MUSUBI_CHANGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*  The changes from one look to the next, in the order in which they are printed; new, empty when
 *  there are none. before = NULL: the first look. after = NULL: not known any more. */
json_t *changes_between (const json_t *before, const json_t *after, int64_t now_ms);

/*  The same for lists of participants that did not answer: for one reservation, or ("") for the
 *  whole federation. */
json_t *changes_of_silence (const char *reservation, const json_t *before, const json_t *after,
                            int64_t now_ms);

/*  One line for people. */
void change_print (const json_t *change, FILE *to);

/*  Is the reservation of this look over, so that nothing more can change? */
bool change_over (const json_t *form);

#endif
