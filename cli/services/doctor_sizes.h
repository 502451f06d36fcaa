/*  doctor_sizes - what each service has in memory and on its disk, how fast its store grows, and when
 *  it will be full.
 */
#ifndef MUSUBI_DOCTOR_SIZES_H
#define MUSUBI_DOCTOR_SIZES_H

#include <jansson.h>

/*  Adds the form of a status (proto StatusAnswer) to the list, which is sorted by name. */
void doctor_sizes_add (json_t *forms, const json_t *status);

/*  A row for each. */
void doctor_sizes_print (const json_t *forms);

#endif
